"""Record the reference pictures anew: ``python -m tests.references.record``.

Look at them afterwards: a test compares every byte, but only eyes see whether they are right.
"""

import argparse
from pathlib import Path

from sprawl_env import replay
from sprawl_env.core.game import Played

FOLDER = Path(__file__).parent
REPLAYS = FOLDER.parent / "replays"
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
    played = replay.load(REPLAYS / name / f"{label}.jsonl")
    game = played.game()
    games = game.deal(1, played.header["seed"])
    for ply in played.plies[:plies]:
        game.verbs.play(game.tables, games, 0, ply.action)
    before = played.plies[plies - 1]
    return game.picture(games, 0, seat, Played(before.seat, before.action, before.says))


def main():
    """Write all of them."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    for name, label, plies, seat in PICTURES:
        path = path_of(name, label, plies)
        path.parent.mkdir(exist_ok=True)
        path.write_text(picture_of(name, label, plies, seat).svg(), encoding="utf-8")
        print(path.relative_to(FOLDER))


if __name__ == "__main__":
    main()
