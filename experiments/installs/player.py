"""One player of :mod:`experiments.installs`: a bot of one version, told by lines what happens.

It runs with the interpreter and the package of its version, so it uses only calls that stay:
``game``, ``deal``, ``legal_actions``, ``observe``, ``redeal_hidden``, ``play``, ``scores``,
``standings``, ``make_bot``, ``act``.  It reads the lines ``new DEAL SEED``, ``play ACTION``,
``act`` and ``end``, and answers each: the digest of the legal actions and the seat to play; to
``act`` the action; to ``end`` the scores, then the standings.
"""

import json
import sys
import zlib
from typing import Any

import numpy as np

import sprawl_env


def act(game: Any, bot: Any, games: Any) -> int:
    """Return a bot's action; what its seat cannot know is dealt again, as everywhere else."""
    seat, mask = int(games["to_play"][0]), game.legal_actions(games)[None]
    seen = game.observe(games, 0, seat)[None] if bot.needs_observations else None
    if not getattr(bot, "redeals_hidden", False):
        games = games.copy()
        game.redeal_hidden(games, 0, int(games["ply"][0]), seat)
    return int(np.asarray(bot.act(seen, mask, games)).item())


def main() -> None:
    """Answer lines until the input ends."""
    name, options, bot_name = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]
    game = sprawl_env.game(name, **options)
    games = game.deal(1, 0)
    bot = sprawl_env.make_bot(bot_name, game, 0)
    for line in sys.stdin:
        what, *numbers = line.split()
        if what == "new":
            games = game.deal(1, int(numbers[0]))
            bot = sprawl_env.make_bot(bot_name, game, int(numbers[1]))
        elif what == "play":
            game.play(games, 0, int(numbers[0]))
        if what == "act":
            answer = str(act(game, bot, games))
        elif what == "end":
            ends = [*game.scores(games, 0), *game.standings(games, 0)]
            answer = " ".join(str(int(each)) for each in ends)
        else:
            over = bool(games["over"][0])
            legal = b"" if over else game.legal_actions(games).tobytes()
            answer = f"{zlib.crc32(legal)} {-1 if over else int(games['to_play'][0])}"
        sys.stdout.write(answer + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
