"""Measure how strong the checkpoints of runs are, and draw strength against decisions and minutes.

Example::

    python -m experiments.curves runs/tower_up-full-0 runs/tower_up-full-1 --out runs/curves
    python -m experiments.curves --out runs/curves      # draws what was measured, without the runs

The checkpoints next to fixed numbers of decisions and minutes play paired games against each
reference bot, and are drawn where they are.  Every measurement is kept at once in
``measured.jsonl``, so that the command can be stopped and goes on where it was.  ``curves.png`` and
``curves.md`` are made from that file alone.

A point is the interquartile mean over the runs (Agarwal et al., 2021); its band is a 95% bootstrap
interval over runs and, within each, over deals.  With few runs it is too short: with three it holds
the mean in about three of four cases.  With one run it is an interval over deals only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib import pyplot as plt
from tyro.conf import Positional, arg

import sprawl_env
from experiments.measuring import (
    AXES,
    HEAD,
    KEY,
    MEASURED,
    SEED,
    checkpoints_of,
    chosen,
    is_of_now,
    measure,
    nearest,
    position,
    read_measured,
    run_of,
    shares_of,
)
from experiments.records import Row, alone, write_lines
from sprawl_env.arena.entrants import weights_of
from sprawl_env.arena.evaluation import even_share, seats_of, share_text
from sprawl_env.bots.policy.checkpoint import Checkpoint
from sprawl_env.bots.policy.player import game_of
from sprawl_env.console import console, run, say
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.files import write_atomically
from sprawl_env.core.game import Game
from sprawl_env.core.provenance import provenance

RESAMPLES: Final = 2000


@dataclass(frozen=True)
class Config:
    """Measure checkpoints of runs of one game, and draw strength against decisions and minutes."""

    runs: Annotated[
        Positional[tuple[Path, ...]],
        arg(help="folders of runs (default: none, draw what was measured)", metavar="RUN ..."),
    ] = ()
    game: str = ""
    """module:RULES of a game of your own (default: the game that the runs name)"""
    out: Path = Path("runs/curves")
    """folder of measured.jsonl, curves.png and curves.md"""
    against: tuple[str, ...] = ("random", "greedy")
    """bots that every point meets in the full number of games"""
    strong: tuple[str, ...] = ("planner",)
    """slow bots: few games at a point, the full number at a run's last checkpoint"""
    last: tuple[str, ...] = ()
    """slow bots that only a run's last checkpoint meets, in few games"""
    games: int = 2000
    """the full number of paired games"""
    few: int = 400
    """the number of games against slow bots"""
    seed: int = SEED
    """seed of the deals"""


@dataclass(frozen=True)
class Point:
    """A point of a curve.

    Attributes:
        axis: ``decisions`` or ``minutes``.
        mark: the number that the checkpoints stand for.
        places: where on the axis each run's checkpoint is.
        against: the reference bot.
        wins: share of games won by each run's checkpoint.
        middle: their interquartile mean.
        low, high: its 95% interval.
    """

    axis: str
    mark: float
    places: tuple[float, ...]
    against: str
    wins: tuple[float, ...]
    middle: float
    low: float
    high: float

    @property
    def place(self) -> float:
        """Where the point is drawn: the geometric mean of the places."""
        return float(np.exp(np.log(self.places).mean()))


def tasks(config: Config) -> Iterator[tuple[Checkpoint, str, int]]:
    """Yield what is to be measured: checkpoint, opponent, number of games.

    Raises:
        InvalidOption: a folder holds no checkpoints, or two have the same name, by which points of
            the same run are known.
    """
    for name, times in Counter(folder.resolve().name for folder in config.runs).items():
        if times > 1:
            raise InvalidOption(f"{times} runs are named {name!r}: rename their folders")
    for folder in config.runs:
        points = chosen(checkpoints_of(folder))
        for checkpoint in points:
            is_last = checkpoint is points[-1]
            for name in config.against:
                yield checkpoint, name, config.games
            for name in config.strong:
                yield checkpoint, name, config.games if is_last else config.few
            for name in config.last if is_last else ():
                yield checkpoint, name, config.few


def measure_all(config: Config) -> tuple[dict[str, Any], list[Row]]:
    """Measure what is missing, and return the head and the rows; with runs, those of the seed.

    Raises:
        InvalidOption: the runs are of different games, or the folder holds another game's points.
    """
    path = config.out / MEASURED
    head, rows = read_measured(path)
    todo = list(tasks(config))
    checkpoints = {checkpoint.path: checkpoint for checkpoint, _, _ in todo}
    made = {path: game_of(each, config.game) for path, each in checkpoints.items()}
    for checkpoint_path, game in made.items():
        own = {"game": game.name, "options": dict(game.options)}
        head = head or {**own, **provenance()}
        if any(head[name] != own[name] for name in HEAD):
            raise InvalidOption(
                f"run {str(checkpoint_path.parents[1])!r}: is of {own['game']} with "
                f"{own['options']}: expected {head['game']} with {head['options']}"
            )
    if not todo:
        return head, newest(rows)
    made_by = {name: weights_of(name, made[checkpoint.path]) for checkpoint, name, _ in todo}
    with alone(config.out):
        _, rows = read_measured(path)  # another command may have added some
        done = {tuple(row[name] for name in KEY) for row in rows if is_of_now(row, made_by)}
        missing = [
            (checkpoint, against, games)
            for checkpoint, against, games in todo
            if (run_of(checkpoint), checkpoint.about["sha256"], against, games, config.seed)
            not in done
        ]
        for k, (checkpoint, against, games) in enumerate(missing):
            say(f"{k + 1} of {len(missing)}: {checkpoint.path} against {against}, {games:,} games")
            rows.append(measure(checkpoint, made[checkpoint.path], against, games, config.seed))
            write_lines(path, [head, *rows])
    of_seed = [row for row in newest(rows) if row["seed"] == config.seed]
    now = [row for row in of_seed if is_of_now(row, made_by)]
    if len(now) < len(of_seed):
        say(f"{len(of_seed) - len(now)} measurements left out: their opponents have changed since")
    of_seed = now
    return head, without_others(of_seed, config.runs)


def newest(rows: Sequence[Row]) -> list[Row]:
    """Return the rows, the newest one where a measurement was made again."""
    return list({tuple(row[name] for name in KEY): row for row in rows}.values())


def without_others(rows: Sequence[Row], runs: Sequence[Path]) -> list[Row]:
    """Return the rows without those of checkpoints that a run of the same name does not have.

    Args:
        rows: what was measured, also of runs that the command does not name.
        runs: the folders that it names.
    """
    found = list(rows)
    for folder in runs:
        has = {checkpoint.about["sha256"] for checkpoint in checkpoints_of(folder)}
        name = folder.resolve().name
        kept = [row for row in found if row["run"] != name or row["weights"] in has]
        if len(kept) < len(found):
            say(f"{len(found) - len(kept)} measurements left out: {folder} has no such checkpoints")
        found = kept
    return found


def interquartile_mean(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the mean of the middle half of the values along the last axis.

    A value on the edge of the middle half counts by the part of it that lies inside.
    """
    n = values.shape[-1]
    edges = np.arange(n + 1).clip(n / 4, 3 * n / 4)
    found: npt.NDArray[np.float64] = np.sort(values, axis=-1) @ np.diff(edges) / (n / 2)
    return found


def point_of(axis: str, mark: float, against: str, rows: Sequence[Row]) -> Point:
    """Return the point of one measurement of each run."""
    shares = [shares_of(row) for row in rows]
    wins = np.array([found.mean() for found in shares])
    rng = np.random.default_rng(0)
    middles = interquartile_mean(np.stack([picked(shares, rng) for _ in rows], axis=1))
    low, high = np.percentile(middles, [2.5, 97.5])
    middle = float(interquartile_mean(wins))
    places = tuple(position(row, axis) for row in rows)
    return Point(axis, mark, places, against, tuple(wins.tolist()), middle, float(low), float(high))


def picked(
    shares: Sequence[npt.NDArray[np.float64]], rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Return means over resampled deals of runs that are drawn, ``[RESAMPLES]``."""
    again = np.stack([resampled(found, rng) for found in shares])  # [runs, resamples]
    return again[rng.integers(len(shares), size=RESAMPLES), np.arange(RESAMPLES)]


def resampled(shares: npt.NDArray[np.float64], rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Return means over resampled deals, ``[RESAMPLES]``."""
    values, counts = np.unique(shares, return_counts=True)
    drawn = rng.multinomial(shares.size, counts / shares.size, size=RESAMPLES)
    found: npt.NDArray[np.float64] = drawn @ values / shares.size
    return found


def points(rows: Sequence[Row]) -> list[Point]:
    """Return the points of all curves: by axis, mark and opponent."""
    found = []
    for axis, marks in AXES.items():
        for mark in marks:
            for against in dict.fromkeys(row["against"] for row in rows):
                near = []
                for name in dict.fromkeys(row["run"] for row in rows):
                    own = [r for r in rows if r["run"] == name and r["against"] == against]
                    own.sort(key=lambda row: -row["games"])  # the most games, if there are two
                    near += [row for row in [nearest(own, axis, mark)] if row is not None]
                if near:
                    found.append(point_of(axis, mark, against, near))
    return found


def table(found: Sequence[Point]) -> str:
    """Return the points as a table in Markdown."""
    names = list(dict.fromkeys(point.against for point in found))
    lines = [
        f"| after | runs | {' | '.join(f'against `{name}`' for name in names)} |",
        f"| --: | --: |{' --: |' * len(names)}",
    ]
    cells = {(point.axis, point.mark, point.against): point for point in found}
    for axis, mark in dict.fromkeys((point.axis, point.mark) for point in found):
        row = [cells.get((axis, mark, name)) for name in names]
        runs = max(len(point.wins) for point in row if point)
        shown = [share_text(p.middle, p.low, p.high) if p else "" for p in row]
        place = float(f"{next(point.place for point in row if point):.2g}")
        lines.append(f"| {place:,.0f} {axis} | {runs} | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


def draw(found: Sequence[Point], title: str, path: Path, even: float) -> None:
    """Draw the curves into a PNG file: against decisions on the left, against minutes right.

    Args:
        found: the points.
        title: of the figure.
        path: of the file.
        even: share of games that equal bots win, where a line is drawn.
    """
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
    names = list(dict.fromkeys(point.against for point in found))
    for axes, axis in zip(panels, AXES, strict=True):
        for k, name in enumerate(names):
            own = [p for p in found if (p.axis, p.against) == (axis, name)]
            colour, places = f"C{k}", [p.place for p in own]
            low, high = [p.low for p in own], [p.high for p in own]
            axes.fill_between(places, low, high, color=colour, alpha=0.2, linewidth=0)
            axes.plot(places, [p.middle for p in own], color=colour, marker="o", label=name)
            for p in own if any(len(p.wins) > 1 for p in own) else ():
                axes.plot(p.places, p.wins, ".", color=colour, markersize=4)
        axes.axhline(even, linewidth=0.8, color="grey")
        marks = sorted({p.mark for p in found if p.axis == axis})
        axes.set(xscale="log", xlabel=f"{axis} of training", ylim=(0, 1.02))
        axes.set_xticks(marks, [f"{m / 1e6:g} M" if axis == "decisions" else f"{m}" for m in marks])
        axes.minorticks_off()
        axes.grid(axis="y", alpha=0.3)
    panels[0].set_ylabel("share of games won")
    panels[0].yaxis.set_major_formatter("{x:.0%}")
    panels[1].legend(title="against", loc="lower right")
    figure.suptitle(title)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def nothing_to_draw(rows: Sequence[Row]) -> str:
    """Return in words why there is no point."""
    if not rows:
        return f"expected runs, or a folder with {MEASURED}"
    lists = (f"{', '.join(f'{mark:,}' for mark in marks)} {axis}" for axis, marks in AXES.items())
    return f"no checkpoint is near a mark: expected one after about {' or '.join(lists)}"


def drawn_game(config: Config, head: Mapping[str, Any]) -> Game:
    """Return the game of the measurements.

    Raises:
        InvalidOption: it is not the one that was asked for.
    """
    game = sprawl_env.game(config.game or head["game"], **head["options"])
    if game.name != head["game"]:
        raise InvalidOption(f"game={config.game!r}: out={str(config.out)!r} is of {head['game']}")
    return game


def main(config: Config) -> None:
    """Measure what is missing, and write the figure and the table."""
    if config.games < 1 or config.few < 1:
        raise InvalidOption("games and few: expected more than 0")
    head, rows = measure_all(config)
    found = points(rows)
    if not found:
        raise InvalidOption(f"out={str(config.out)!r}: {nothing_to_draw(rows)}")
    game = drawn_game(config, head)
    mpl.use("Agg")  # draw into a file; not when this module is imported, as notebooks do
    title = f"{game.title}, {seats_of(game)}"
    draw(found, title, config.out / "curves.png", even_share(game))
    write_atomically(config.out / "curves.md", table(found))
    console().print(table(found))
    say(f"{config.out / 'curves.png'}, {config.out / 'curves.md'}")


if __name__ == "__main__":
    run(main, Config)
