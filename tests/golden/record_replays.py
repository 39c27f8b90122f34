"""Record the golden games again: ``python -m tests.golden.record_replays``."""

from pathlib import Path

import sprawl_env
from sprawl_env import replays

GAMES = [
    ("ginkgopolis", "solo", 1, {"num_players": 1}),
    ("ginkgopolis", "solo-expert", 2, {"num_players": 1, "difficulty": "expert"}),
    ("ginkgopolis", "2-seats", 3, {"num_players": 2}),
    ("ginkgopolis", "3-seats-introductory", 4, {"num_players": 3, "characters": "introductory"}),
    ("ginkgopolis", "4-seats", 5, {"num_players": 4}),
    ("ginkgopolis", "5-seats-round-limit", 6, {"num_players": 5, "max_rounds": 6}),
    ("tower_up", "2-seats", 7, {"num_players": 2}),
    ("tower_up", "3-seats-start", 8, {"num_players": 3, "objectives": "start"}),
    ("tower_up", "4-seats", 9, {"num_players": 4}),
    ("tower_up", "2-seats-7-floors", 10, {"num_players": 2, "starting_floors": 7}),
    ("tower_up", "4-seats-turn-limit", 11, {"num_players": 4, "max_turns": 30}),
    ("urban_sprawl", "2-seats", 12, {"num_players": 2}),
    ("urban_sprawl", "3-seats-long", 13, {"num_players": 3, "length": "long"}),
    ("urban_sprawl", "4-seats-short", 14, {"num_players": 4, "length": "short"}),
    ("urban_sprawl", "2-seats-turn-limit", 15, {"num_players": 2, "max_turns": 20}),
]


def main():
    for name, label, seed, options in GAMES:
        path = Path(__file__).parent / "replays" / name / f"{label}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text(replays.dump(replays.record_random(sprawl_env.game(name, **options), seed)))
        print(path)


if __name__ == "__main__":
    main()
