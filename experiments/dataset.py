"""Write a dataset: the decisions of whole games between bots, as numpy files with a card.

Example::

    python -m experiments.dataset data/greedy --games 5000
    python -m experiments.dataset data/mixed --num-players 3 --bots greedy greedy random

The same command goes on where it was stopped.  :func:`sprawl_env.learning.load_dataset` reads the
folder.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

import sprawl_env
from sprawl_env.console import parse_options, run, say
from sprawl_env.core.words import counted
from sprawl_env.learning import write_dataset


@dataclass(frozen=True)
class Config:
    """Write a dataset of whole games between bots."""

    folder: Annotated[Positional[Path], arg(help="folder of the dataset", metavar="FOLDER")]
    game: str = "tower_up"
    """name of the game, or the import path of its rules: module:RULES"""
    num_players: int = 2
    """number of seats"""
    options: tuple[str, ...] = ()
    """options of the game, as name=value"""
    bots: tuple[str, ...] = ("greedy",)
    """names of bots, one a seat; a single one plays all seats"""
    games: int = 1000
    """number of games, rounded up to whole rotations of the seats"""
    reward: str = "winner"
    """reward whose sum the returns are: winner, rank, margin, score or lead"""
    seed: int = 0
    """of the deals and the bots"""
    games_per_shard: int = 512
    """number of games in a file"""


def write(config: Config) -> None:
    """Write the dataset and say what it is."""
    options = parse_options(config.options)
    game = sprawl_env.game(config.game, num_players=config.num_players, **options)
    bots = config.bots * game.num_seats if len(config.bots) == 1 else config.bots
    started = time.perf_counter()
    found = write_dataset(
        config.folder,
        game,
        bots,
        config.games,
        reward=config.reward,
        seed=config.seed,
        games_per_shard=config.games_per_shard,
        progress=True,
    )
    seconds = time.perf_counter() - started
    size = sum(path.stat().st_size for path in config.folder.iterdir())
    say(
        f"{config.folder}: {counted(found.num_decisions, 'decision')} of "
        f"{counted(found.about['num_games'], 'game')} in {counted(found.num_shards, 'shard')}, "
        f"{size / 1e6:,.1f} MB, {seconds:.1f} s"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line, by default that of this process."""
    run(write, Config, arguments=arguments, prog="python -m experiments.dataset")


if __name__ == "__main__":
    main()
