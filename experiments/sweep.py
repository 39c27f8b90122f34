"""Train with several settings and seeds, each run on one core, on this machine or on many.

Examples::

    python -m experiments.sweep --settings learning_rate=0.001,0.002 width=32,64 --seeds 0 1 2
    python -m experiments.sweep --settings max_minutes=0 total_steps=1000000 --engine ray
    python -m experiments.sweep --task $SLURM_ARRAY_TASK_ID --out shared/sweep   # one of the runs
    python -m experiments.sweep --out shared/sweep       # what is missing, then table and curves

Every choice of the settings' values is a variant; the first one is what the others are compared
with.  A variant is trained with every seed by a process that has one core.  Its checkpoints meet
``greedy``, its last one also ``strong``.  A run keeps what was measured beside its checkpoints, so
the command goes on where it was stopped, inside a run too.  ``table.md``, ``curves.md`` and
``curves.png`` are made from the runs' files.

With several machines ``out`` is a folder that all of them share.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

from experiments import ablations, curves
from experiments.ablations import AGAINST
from experiments.measuring import (
    AXES,
    MADE,
    SEED,
    checkpoints_of,
    chosen,
    measure,
    measurement,
    position,
    shares_of,
)
from experiments.records import DAMAGED, Row
from experiments.tables import variants_table
from experiments.variants import COMMIT, SHARES
from sprawl_env.arena.engines import check_engine, pool_of, values
from sprawl_env.arena.entrants import weights_of
from sprawl_env.arena.match import nobody_watches
from sprawl_env.arena.workers import Watch, Work, unlimited
from sprawl_env.bots.policy.player import game_of
from sprawl_env.console import console, count_bar, run, say
from sprawl_env.core.checks import check_seed, check_whole
from sprawl_env.core.errors import InvalidOption, unknown
from sprawl_env.core.files import parse_json, read_text, write_atomically
from sprawl_env.core.state import NOBODY
from sprawl_env.learning import training
from sprawl_env.learning.config import PRESETS, check
from sprawl_env.learning.runs import CONFIG

mpl.use("Agg")  # draw into a file

MEASURED: Final = "measured.json"  # in a run's folder
KEPT: Final = "sweep.json"  # what the runs of a folder are
OWN: Final[dict[str, Any]] = {
    "evaluation_games": 0,
    "processes": 1,
    "device": "cpu",
}  # of every run
CHOSEN: Final = (*ablations.OWN, *OWN)  # settings that are not for --settings
ALL: Final = -1


@dataclass(frozen=True)
class Config:
    """Train with several settings and seeds, each run on one core, and compare them."""

    preset: str = "quick"
    """the defaults of training"""
    game: str = "tower_up"
    """name of the game"""
    settings: tuple[str, ...] = ()
    """settings of training, e.g. width=32,64: a variant for each choice of values"""
    seeds: tuple[int, ...] = (0, 1, 2)
    """seeds of the runs of each variant"""
    games: int = 2000
    """paired games of each measured checkpoint against greedy"""
    strong: str = "planner"
    """a stronger reference bot"""
    strong_games: int = 400
    """paired games of each run's last checkpoint against it"""
    processes: int = 0
    """runs at the same time; 0: one for each core, of this machine or of the cluster"""
    engine: str = "local"
    """who trains: local, this machine; ray, the nodes of a Ray cluster"""
    task: int = ALL
    """number of the only run to train, from 0, for array jobs; -1: all, then table and curves"""
    out: Path = Path("runs/sweep")
    """folder of the runs, table.md, curves.md and curves.png"""


@dataclass(frozen=True)
class Run:
    """A run of the sweep; picklable.

    Attributes:
        variant: the settings in words.
        changes: the settings by name.
        seed: of the run.
    """

    variant: str
    changes: dict[str, Any]
    seed: int

    @property
    def name(self) -> str:
        """The name of the run's folder."""
        return re.sub(r"[^A-Za-z0-9_.]+", "-", f"{self.variant} seed {self.seed}")


def runs_of(config: Config) -> list[Run]:
    """Return the runs, seed by seed.

    Raises:
        SprawlError: something is no setting of training, or its value is not allowed.
    """
    axes: list[list[tuple[str, Any]]] = []
    for word in config.settings:
        name, _, values = word.partition("=")
        if any(name == known for axis in axes for known, _ in axis[:1]):
            raise InvalidOption(f"settings: {name} is given twice: expected {name}=VALUE,VALUE")
        choices = [ablations.value_of(name, each, CHOSEN) for each in values.split(",")]
        axes.append([(name, value) for value in choices])
    changed = [{name for name, _ in axis}.pop() for axis in axes if len(axis) > 1]
    found = []
    for seed in config.seeds:
        for choice in map(dict, itertools.product(*axes)):
            words = [f"{name}={choice[name]}" for name in changed]
            found.append(Run(" ".join(words) or config.preset, choice, check_seed(seed)))
            check(settings_of(config, found[-1]))
    return found


def settings_of(config: Config, one: Run) -> training.Config:
    """Return the settings of a run of training."""
    own = {"game": config.game, **OWN, **one.changes, "seed": one.seed}
    return replace(PRESETS[config.preset], runs=config.out, name=one.name, **own)


# --------------------------------------------------------------------------------------- one run


def work(config: Config, number: int, watch: Watch) -> Row:
    """Train and measure a run, or go on with it; return its row.

    Raises:
        SprawlError: it cannot be trained.
    """
    one = runs_of(config)[number]
    folder = config.out / one.name
    if (folder / MEASURED).exists():
        return row_of(folder)
    watch(NOBODY, 0)
    with (
        (folder.parent / f"{one.name}.log").open("a", encoding="utf-8") as log,
        contextlib.redirect_stdout(log),
        contextlib.redirect_stderr(log),
    ):
        fresh = not (folder / CONFIG).exists()
        own = settings_of(config, one) if fresh else replace(PRESETS["quick"], resume=folder)
        try:
            _, finished, _ = training.main(own)
            if not finished:
                raise InvalidOption(f"{one.name}: stopped: the same command goes on")
            row = measured(config, one, folder)
        except Exception:
            traceback.print_exc()
            raise
    write_atomically(folder / MEASURED, json.dumps(row) + "\n")
    return row


def measured(config: Config, one: Run, folder: Path) -> Row:
    """Let a run's checkpoints play; return the row of the run."""
    *before, last = chosen(checkpoints_of(folder))
    game = game_of(last)
    points = [measure(each, game, AGAINST, config.games, SEED, processes=1) for each in before]
    games = {AGAINST: config.games, config.strong: config.strong_games}
    shares = ablations.measure(last, games, processes=1)  # the other cores are other runs'
    ends = measurement(last, AGAINST, config.games, SEED, np.array(shares[AGAINST]))
    return {
        "variant": one.variant,
        "seed": one.seed,
        "changes": one.changes,
        COMMIT: ablations.made_at(folder),
        "step": ends["step"],
        "seconds": ends["seconds"],
        "points": [*points, ends],
        SHARES: shares,
    }


def row_of(folder: Path) -> Row:
    """Return the row that a run has written.

    Raises:
        InvalidOption: the file cannot be read or is damaged.
    """
    path = folder / MEASURED
    try:
        row: Row = parse_json(read_text(path))
        fits = isinstance(row["variant"], str) and isinstance(row["seed"], int)
        fits = fits and all(shares_of(point).size for point in row["points"])
    except OSError as error:
        raise InvalidOption(f"{str(path)!r}: cannot be read: {error.strerror}") from None
    except DAMAGED:
        fits = False
    if not fits:
        raise InvalidOption(f"{str(path)!r}: is damaged: delete it, and the run is measured again")
    return row


def begin(config: Config) -> Work:
    """Return the function that does a run in a worker process."""
    return partial(work, config)


# --------------------------------------------------------------------------------------- all runs


def prepare(config: Config) -> None:
    """Check the folder, and say what it is for.

    Raises:
        InvalidOption: it holds runs of other settings, or cannot be written.
    """
    own = {
        name: getattr(config, name) for name in ("preset", "game", "settings", "games", "strong")
    }
    own = json.loads(json.dumps({**own, "strong_games": config.strong_games}))
    game = ablations.game_to_train(settings_of(config, runs_of(config)[0]))
    own[MADE] = weights_of(config.strong, game)
    own[ablations.WHOLE] = ablations.whole_of(replace(PRESETS[config.preset], **OWN))
    path = config.out / KEPT
    where = f"out={str(config.out)!r}"
    try:
        if not path.exists():
            config.out.mkdir(parents=True, exist_ok=True)
            write_atomically(path, json.dumps(own, indent=1) + "\n")
            return
        known = parse_json(read_text(path))
    except (OSError, ValueError) as error:
        raise InvalidOption(f"{where}: cannot be used ({error})") from None
    made = {MADE: own[MADE]}  # earlier versions do not say it
    if not isinstance(known, dict) or made | known != own:
        raise InvalidOption(f"{where}: holds another sweep: choose another")


def train_all(config: Config, runs: Sequence[Run]) -> list[Row]:
    """Do the runs that are missing, and return the rows of all, in the order of the runs.

    Raises:
        WorkerError: the process of a run died several times.
    """
    missing = [k for k, one in enumerate(runs) if not (config.out / one.name / MEASURED).exists()]
    say(f"{len(runs)} runs, {len(runs) - len(missing)} of them done")
    pool: Callable[..., Any] = partial(pool_of, config.engine, processes=config.processes)
    bar = count_bar()
    shared = replace(config, out=config.out.resolve())
    with bar, pool(begin, shared, seconds=unlimited) as workers:
        shown = bar.add_task("runs", total=len(runs), completed=len(runs) - len(missing))
        for _, row in values(workers, missing, lambda k: f"{runs[k].name} (see its .log)"):
            say(line_of(row))
            bar.advance(shown)
    return [row_of(config.out / one.name) for one in runs]


def line_of(row: Row) -> str:
    """Return a run's result in a line."""
    return next(ablations.lines_of([row]))


def draw(rows: Sequence[Row], path: Path) -> str:
    """Draw a curve for each variant, and a dot for each run's end, into a PNG file.

    Returns:
        the table of the curves' points in Markdown.
    """
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
    tables = []
    for k, variant in enumerate(dict.fromkeys(row["variant"] for row in rows)):
        own = [row for row in rows if row["variant"] == variant]
        points = [{**p, "run": str(row["seed"])} for row in own for p in row["points"]]
        found = curves.points(points)
        tables.append(f"## {variant}\n\n{curves.table(found)}")
        for axes, axis in zip(panels, AXES, strict=True):
            shown = [p for p in found if p.axis == axis]
            places = [p.place for p in shown]
            low, high = [p.low for p in shown], [p.high for p in shown]
            axes.fill_between(places, low, high, color=f"C{k}", alpha=0.2, linewidth=0)
            axes.plot(places, [p.middle for p in shown], color=f"C{k}", marker="o", label=variant)
            for last in (row["points"][-1] for row in own):
                axes.plot(position(last, axis), last["wins"], ".", color=f"C{k}")
    for axes, axis in zip(panels, AXES, strict=True):
        axes.set(xscale="log", xlabel=f"{axis} of training", ylim=(0, 1.02))
        axes.grid(axis="y", alpha=0.3)
    panels[0].set_ylabel(f"share of games won against {AGAINST}")
    panels[1].legend(fontsize="small")
    figure.savefig(path, dpi=120)
    plt.close(figure)
    return "\n".join(tables)


def check_config(config: Config) -> None:
    """Check the settings of the sweep.

    Raises:
        SprawlError: one is not allowed.
    """
    if config.preset not in PRESETS:
        raise unknown("preset", config.preset, PRESETS)
    for name, value in (("games", config.games), ("strong_games", config.strong_games)):
        check_whole(f"{name}=", value, 1)
    if not config.seeds:
        raise InvalidOption("seeds: expected at least one")
    check_engine(config.engine, config.processes)


def main(config: Config) -> None:
    """Train and measure what is missing, then write table and curves."""
    check_config(config)
    runs = runs_of(config)
    ablations.check_strong(config.strong, settings_of(config, runs[0]))
    names = [one.name for one in runs]
    if len(set(names)) < len(names):
        raise InvalidOption("settings, seeds: expected different values")
    check_whole("task=", config.task, ALL, len(runs) - 1)
    prepare(config)
    if config.task != ALL:
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        say(line_of(work(config, config.task, nobody_watches)))
        return
    rows = train_all(config, runs)
    found = variants_table(rows, runs[0].variant)
    write_atomically(config.out / "table.md", found)
    write_atomically(config.out / "curves.md", draw(rows, config.out / "curves.png"))
    console().print(found)
    say(f"{config.out / 'table.md'}, {config.out / 'curves.md'}, {config.out / 'curves.png'}")


if __name__ == "__main__":
    run(main, Config)
