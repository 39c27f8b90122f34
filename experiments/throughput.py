"""Measure how fast the learner learns, and where its time goes.

Example::

    python -m experiments.throughput                     # Tower Up, settings of the quick preset
    python -m experiments.throughput --game urban_sprawl --seconds 60 --out runs/throughput.json
    python -m experiments.throughput --preset full --num-envs 16384 --batch-size 65536  # on a GPU

A decision counts if it was stored and learnt from.  In turns with the learner, a fixed piece of
work is timed: forward and backward passes of a network 918-128-128-251 over batches of 256 rows, in
as many processes.  The ratio of both lets figures from different machines and hours be compared.
"""

from __future__ import annotations

import itertools
import json
import statistics
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from rich.table import Table
from torch import nn

import sprawl_env
from sprawl_env.console import check_writable, console, run
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.files import write_atomically
from sprawl_env.core.provenance import provenance
from sprawl_env.core.words import counted
from sprawl_env.learning.config import PRESETS, check
from sprawl_env.learning.config import Config as TrainConfig
from sprawl_env.learning.process import prepare_process, resolved
from sprawl_env.learning.team import Team, start
from sprawl_env.learning.training import Trainer, compile_everything

SIZES = (918, 128, 128, 251)  # of the network of the fixed work
ROWS = 256  # of its batches


@dataclass(frozen=True)
class Config:
    """Measure how fast the learner learns, and where its time goes.

    Example: python -m experiments.throughput --game ginkgopolis
    """

    game: str = "tower_up"
    """name of the game, or the import path of its rules: module:RULES"""
    num_players: int = 2
    """number of seats"""
    preset: str = "quick"
    """settings of the learner: quick or full"""
    num_envs: int = 0
    """games that are played at the same time; 0: as the preset has it"""
    batch_size: int = 0
    """decisions in a gradient step; 0: as the preset has it"""
    width: int = 0
    """width of the layers for sites, cards and so on; 0: as the preset has it"""
    trunk: int = 0
    """width of the layers for the whole observation; 0: as the preset has it"""
    device: str = "auto"
    """cpu, cuda (a GPU), or auto: a GPU if there is one"""
    seconds: float = 20.0
    """length of each measurement"""
    repeats: int = 3
    """number of measurements"""
    out: Path | None = None
    """JSON file for the result"""


@dataclass(frozen=True)
class Measured:
    """One measurement.

    Attributes:
        decisions: learnt from per second, by all processes.
        rows: of the fixed work per second, by all processes.
        shares: of the learner's time in rank 0, by part.
    """

    decisions: float
    rows: float
    shares: dict[str, float]


def settings_of(config: Config) -> TrainConfig:
    """Return the learner's settings."""
    if config.preset not in PRESETS:
        raise InvalidOption(f"preset={config.preset!r}: expected {' or '.join(PRESETS)}")
    preset = PRESETS[config.preset]
    settings = replace(
        preset,
        game=config.game,
        num_players=config.num_players,
        num_envs=config.num_envs or preset.num_envs,
        batch_size=config.batch_size or preset.batch_size,
        width=config.width or preset.width,
        trunk=config.trunk or preset.trunk,
        device=config.device,
    )
    check(settings)
    return resolved(settings)


def measure(settings: TrainConfig, seconds: float) -> Measured:
    """Train for some seconds, then do the fixed work for a quarter of that time."""
    with start(settings.processes, measure_rank, settings, seconds) as team:
        return measure_rank(team, settings, seconds)


def measure_rank(team: Team, settings: TrainConfig, seconds: float) -> Measured:
    """Measure as one rank."""
    prepare_process()
    game = sprawl_env.game(settings.game, num_players=settings.num_players)
    trainer = Trainer(replace(settings, imitation=0), game, team)
    trainer.save()  # seeds and deals
    trainer.round()
    team.barrier()
    before, began = trainer.clock.steps, time.perf_counter()
    trainer.watch.reset()
    while team.all_gather(time.perf_counter() - began)[0] < seconds:
        trainer.round()
    rate = (trainer.clock.steps - before) / (time.perf_counter() - began)
    rows = sum(team.all_gather(fixed_work(seconds / 4)))
    return Measured(rate, rows, trainer.watch.shares())


def fixed_work(seconds: float) -> float:
    """Return the rows per second of the fixed work in this process."""
    layers: list[nn.Module] = []
    for size, after in itertools.pairwise(SIZES):
        layers += [nn.Linear(size, after), nn.ReLU()]
    network = nn.Sequential(*layers[:-1])
    batch, count = torch.randn(ROWS, SIZES[0]), 0
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        network(batch).square().mean().backward()
        count += ROWS
    return count / (time.perf_counter() - began)


def main(config: Config) -> None:
    """Measure and print a table."""
    if config.seconds <= 0 or config.repeats < 1:
        raise InvalidOption("seconds and repeats: expected more than 0")
    if config.out is not None:
        check_writable(config.out)
    settings = settings_of(config)
    game = sprawl_env.game(config.game, num_players=config.num_players)
    compile_everything(settings, game, begins=False)
    out = console()
    with out.status("measuring"):
        found = [measure(settings, config.seconds) for _ in range(config.repeats)]
    processes = counted(settings.processes, "process", "processes")
    shown = Table(title=f"Learning {config.game}, {processes} on {settings.device}")
    for column in ("per second", "median", "lowest", "highest"):
        shown.add_column(column, justify="left" if column == "per second" else "right")
    ratios = [each.decisions / each.rows for each in found]
    figures: list[tuple[str, Sequence[float], str]] = [
        ("decisions learnt from", [each.decisions for each in found], ",.0f"),
        ("rows of the fixed work", [each.rows for each in found], ",.0f"),
        ("ratio", ratios, ".4f"),
    ]
    for name, values, form in figures:
        cells = (statistics.median(values), min(values), max(values))
        shown.add_row(name, *(format(value, form) for value in cells))
    out.print(shown)
    parts = found[-1].shares.items()
    out.print("time: " + ", ".join(f"{name} {share:.0%}" for name, share in parts))
    if config.out is not None:
        result: dict[str, Any] = {
            "config": asdict(config),
            "settings": asdict(settings),
            "measurements": [asdict(each) for each in found],
            **provenance(),
        }
        write_atomically(config.out, json.dumps(result, indent=1, default=str))


if __name__ == "__main__":
    run(main, Config)
