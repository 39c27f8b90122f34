"""Let a search play a bot at equal time: find its simulations, then play the match.

Example::

    python -m experiments.equal_time --game tower_up --bot search:agent=best --against planner

Both bots decide in the same positions, one game at a time, warm and in turns, in one thread unless
their settings name more.  The positions are those of games between two ``greedy``, with some random
actions.  The largest number of simulations whose mean time a move does not exceed the opponent's is
found to within a sixteenth, and played, in paired games, so that the match can be repeated on any
machine: the command says how, before it plays.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from threadpoolctl import threadpool_limits

from sprawl_env.arena.evaluation import evaluate, table, usual_parts
from sprawl_env.arena.timing import milliseconds_of, positions_of
from sprawl_env.bots.names import make_bot
from sprawl_env.console import check_writable, console, parse_options, run, say
from sprawl_env.core.checks import check_whole
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.files import write_atomically
from sprawl_env.core.game import Game
from sprawl_env.core.provenance import provenance
from sprawl_env.core.registry import game as make_game
from sprawl_env.core.state import Games
from sprawl_env.kernels.arrays import Mask

MOST_SIMS: Final = 100_000


@dataclass(frozen=True)
class Config:
    """Let a search play a bot at equal time."""

    game: str = "tower_up"
    """name of the game"""
    num_players: int = 2
    """number of seats; the opponent fills all others"""
    options: tuple[str, ...] = ()
    """further options of the game, e.g. objectives=start"""
    bot: str = "search:agent=best"
    """the search, without its number of simulations"""
    against: str = "planner"
    """the opponent"""
    positions: int = 200
    """positions in which the time is measured"""
    games: int = 2000
    """paired games of the match; 0: only measure"""
    parts: int = 0
    """equal parts of the match, for which the bots are seeded; 0: about 100 games each"""
    processes: int = 0
    """worker processes, which share the parts; 0: one for each core"""
    seed: int = 2026
    """seed of the positions and of the deals"""
    out: Path | None = None
    """file for the result as JSON"""


@dataclass(frozen=True)
class Timed:
    """How long a bot takes.

    Attributes:
        bot: its name.
        ms: mean milliseconds for a decision with a choice.
    """

    bot: str
    ms: float


def time_of(game: Game, names: Sequence[str], games: Games, masks: Mask) -> list[Timed]:
    """Return the mean time of each bot, measured in turns."""
    found = milliseconds_of(game, [make_bot(name, game) for name in names], games, masks)
    return [Timed(name, each) for name, each in zip(names, found, strict=True)]


def fitting(game: Game, bot: str, against: str, games: Games, masks: Mask) -> list[Timed]:
    """Return the times of the opponent, of the search that fits, and of the next larger one.

    Raises:
        InvalidOption: one simulation takes longer than the opponent, or very many take less.
    """

    def measured(sims: int) -> tuple[float, float]:
        found = time_of(game, [against, _with(bot, sims)], games, masks)
        say(f"{found[0].ms:.3f} ms {against}   {found[1].ms:.3f} ms {found[1].bot}")
        return found[0].ms, found[1].ms

    def too_fast(took: float, limit: float) -> InvalidOption:
        return InvalidOption(
            f"{_with(bot, 1)} takes {took:.3f} ms a move, {against} {limit:.3f}: expected a slower "
            f"opponent"
        )

    low, high = 1, 2
    limit, took = measured(low)
    if took > limit:
        raise too_fast(took, limit)
    limit, took = measured(high)
    while took <= limit:
        if high >= MOST_SIMS:
            raise InvalidOption(
                f"{_with(bot, high)} takes {took:.3f} ms a move, {against} {limit:.3f}: expected a "
                f"faster opponent"
            )
        low, high = high, 2 * high
        limit, took = measured(high)
    while high - low > max(1, low // 16):
        middle = (low + high) // 2
        limit, took = measured(middle)
        low, high = (middle, high) if took <= limit else (low, middle)
    while True:  # measured once more together: times vary
        found = time_of(game, [against, _with(bot, low), _with(bot, high)], games, masks)
        if found[1].ms <= found[0].ms:
            return found
        if low == 1:
            raise too_fast(found[1].ms, found[0].ms)
        low, high = low - max(1, low // 16), low


def match_command(config: Config, bots: Sequence[str], parts: int) -> str:
    """Return the command that plays the match again, with the same results."""
    words = ["--game", config.game, "--num-players", str(config.num_players), "--bots", *bots]
    words += ["--games", str(config.games), "--seed", str(config.seed), "--parts", str(parts)]
    if config.options:
        words += ["--options", *config.options]
    return shlex.join(["sprawl-env", "evaluate", *words])


def _with(bot: str, sims: int) -> str:
    """Return the name of a search with a number of simulations."""
    return f"{bot}{',' if ':' in bot else ':'}sims={sims}"


def main(config: Config) -> None:
    """Measure, play and print."""
    check_whole("games=", config.games, 0)
    check_whole("num_players=", config.num_players, 2)  # a search alone has no opponent
    check_whole("processes=", config.processes, 0)
    check_whole("parts=", config.parts, 0, max(1, -(-config.games // config.num_players)))
    if config.out is not None:
        check_writable(config.out)
    game = make_game(config.game, num_players=config.num_players, **parse_options(config.options))
    with threadpool_limits(1):
        games, masks = positions_of(game, config.positions, config.seed)
        times = fitting(game, config.bot, config.against, games, masks)
        for each in times:
            say(f"{each.ms:8.3f} ms a move   {each.bot}")
        about = {name: value for name, value in asdict(config).items() if name != "out"}
        result = {"config": about, "times": [asdict(each) for each in times], **provenance()}
        if config.out is not None:  # a match that is stopped does not lose the times
            write_atomically(config.out, json.dumps(result, indent=1))
        if config.games:
            bots = [times[1].bot, config.against]
            parts = config.parts or usual_parts(config.games)
            say(match_command(config, bots, parts))
            found = evaluate(
                game,
                bots,
                num_games=config.games,
                seed=config.seed,
                parts=parts,
                processes=config.processes if parts > 1 else 0,
                progress=True,
            )
            console().print(table(f"{game.title} at equal time, seed {config.seed}", found.lines))
            result |= {"parts": parts, "lines": [asdict(line) for line in found.lines]}
    if config.out is not None:
        write_atomically(config.out, json.dumps(result, indent=1))


if __name__ == "__main__":
    run(main, Config, prog="python -m experiments.equal_time")
