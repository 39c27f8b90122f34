"""Record the reference pictures and those of the docs: ``python -m tests.golden.record_pictures``.

Look at them afterwards: a test compares every byte, but only eyes see whether they are right.
"""

import argparse
from pathlib import Path

from PIL import Image

import sprawl_env
from sprawl_env import replays
from sprawl_env.bots.greedy import GreedyBot
from sprawl_env.bots.names import make_bot
from sprawl_env.bots.policy.agents import best_of
from sprawl_env.core.rules import Played
from sprawl_env.core.state import NOT_OVER
from sprawl_env.render.pixels import rgb_array
from sprawl_env.replays.film import film
from tests.suite import GAMES

FOLDER = Path(__file__).parent / "pictures"
REPLAYS = FOLDER.parent / "replays"
DOCS = FOLDER.parents[2] / "docs" / "pictures"
# game, golden replay, plies played, seat that looks
PICTURES = [
    ("ginkgopolis", "4-seats", 90, None),
    ("ginkgopolis", "solo", 28, 0),
    ("tower_up", "2-seats", 26, None),
    ("tower_up", "4-seats", 59, 3),
    ("urban_sprawl", "2-seats", 220, 0),
    ("urban_sprawl", "4-seats-short", 283, None),
]


def path_of(name, label, plies):
    """Return where a reference picture is kept."""
    return FOLDER / name / f"{label}-{plies}.svg"


def picture_of(name, label, plies, seat):
    """Return the picture of a golden game after some plies."""
    played = replays.load(REPLAYS / name / f"{label}.jsonl")
    game = played.game()
    games = game.deal(1, played.header["seed"])
    for ply in played.plies[:plies]:
        game.kernels.play(game.tables, games, 0, ply.action)
    before = played.plies[plies - 1]
    return game.picture(games, 0, seat, Played(before.seat, before.action, before.says))


def moments_of_a_greedy_game(name):
    """Return the pictures of a game of three greedy agents: its start, its middle and its end."""
    game = sprawl_env.game(name, num_players=3)
    agent = GreedyBot(game, seed=1)
    games = game.deal(1, seed=1)
    played = []
    while games["over"][0] == NOT_OVER:
        action = int(agent.act(None, game.legal_actions(games, 0)[None], games)[0])
        says = game.action_name(games, 0, action)
        played.append(Played(int(games["to_play"][0]), action, says))
        game.play(games, 0, action)
    plies = {"start": 0, "middle": len(played) // 2, "end": len(played)}
    found = {}
    for moment, count in plies.items():
        games = game.deal(1, seed=1)
        for ply in played[:count]:
            game.play(games, 0, ply.action)
        found[moment] = game.picture(games, 0, last=played[count - 1] if count else None)
    return found


def film_of(name):
    """Return a game of the best trained agent against the planner as a moving picture."""
    short = {"length": "short"} if name == "urban_sprawl" else {}
    game = sprawl_env.game(name, num_players=2, **short)
    names = [f"agent:{best_of(name, game)}", "planner"]
    bots = [make_bot(bot, game, seed) for seed, bot in enumerate(names)]
    games, actions = game.deal(1, seed=1), []
    while games["over"][0] == NOT_OVER:
        seat, mask = int(games["to_play"][0]), game.legal_actions(games, 0)[None]
        seen = game.observe(games, 0, seat)[None]
        actions.append(int(bots[seat].act(seen, mask, games)[0]))
        game.play(games, 0, actions[-1])
    return film(replays.from_actions(game, 1, actions, bots=names), width=540)


def main():
    """Write all of them."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    for name, label, plies, seat in PICTURES:
        path = path_of(name, label, plies)
        path.parent.mkdir(exist_ok=True)
        path.write_text(picture_of(name, label, plies, seat).svg(), encoding="utf-8")
        print(path.relative_to(FOLDER))
    DOCS.mkdir(parents=True, exist_ok=True)
    for name in GAMES:
        for moment, picture in moments_of_a_greedy_game(name).items():
            path = DOCS / f"{name}-{moment}.png"
            Image.fromarray(rgb_array(picture)).quantize(128).save(path, optimize=True)
            print(path.relative_to(DOCS.parent))
        path = DOCS / f"{name}.gif"
        path.write_bytes(film_of(name))
        print(path.relative_to(DOCS.parent))


if __name__ == "__main__":
    main()
