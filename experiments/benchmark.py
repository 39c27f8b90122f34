"""Measure how fast the games are, next to other libraries on the same machine, in one run.

::

    python -m experiments.benchmark                                   # every game, 2 and 4 seats
    python -m experiments.benchmark --games tower_up --seats 2 --no-peers --no-startup
    python -m experiments.benchmark --out runs/benchmark.json

Every rate is for uniformly random legal play, ended games dealt anew, and counts the decisions
of all seats; drawing the action is inside the time.  The rows take turns, ``repeats`` times
``seconds`` each, so that noise of the machine hits all alike; a row shows the median and the
lowest and highest of its repetitions.  Compare figures of one run only.

``batch`` rows are ``vec.step(vec.sample_actions())`` on ``num_envs`` games; ``mask`` and ``obs``
say what is made at every decision.  The
Gymnasium row counts the learner's decisions alone, the opponents play inside.  Clone+restore is
``saved = clone(games); restore(games, saved)`` of ``sprawl_env.core.game``.  Peers
(``experiments/peers.py``) are measured when installed.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib import metadata
from pathlib import Path
from sysconfig import get_config_var
from typing import Any, Final

import gymnasium
import numpy as np
from rich.box import HORIZONTALS
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from experiments.peers import PEERS, Peer, Work, aec_games
from sprawl_env import make_vec
from sprawl_env.adapters.registration import camel_case
from sprawl_env.adapters.vector import VectorGames
from sprawl_env.bots.mcts import SearchBot, SearchConfig
from sprawl_env.console import console, run
from sprawl_env.core.errors import InvalidOption, SprawlError
from sprawl_env.core.files import write_atomically
from sprawl_env.core.game import Game, check_seed
from sprawl_env.core.provenance import commit
from sprawl_env.core.registry import game as make_game
from sprawl_env.core.registry import game_names
from sprawl_env.core.state import clone
from sprawl_env.core.state import restore as restore_games
from sprawl_env.kernels.cache import source_digest

OURS: Final = ("sprawl-env", "numpy", "numba", "gymnasium", "pettingzoo")
RATE: Final = "decisions/s"
TIMES: Final = "times"
SEARCH_SEATS: Final = 2
SIMULATIONS: Final = 200  # a decision
FIRST_STEP: Final = """
import sprawl_env
vec = sprawl_env.make_vec({game!r}, 16)
vec.reset()
vec.step(vec.sample_actions())
"""


@dataclass(frozen=True)
class Config:
    """What is measured, and for how long."""

    games: tuple[str, ...] = tuple(game_names())
    """games to measure"""
    seats: tuple[int, ...] = (2, 4)
    """numbers of players to measure each of them with"""
    num_envs: int = 4096
    """games in a batch"""
    seconds: float = 1.0
    """length of one repetition"""
    repeats: int = 5
    """repetitions of every row"""
    peers: bool = True
    """also measure the other libraries that are installed"""
    startup: bool = True
    """also measure a process's first step and the first compilation (about a minute a game)"""
    seed: int = 0
    """seeds the deals and the actions of our batches"""
    out: Path | None = None
    """JSON file for the results"""


@dataclass
class Row:
    """One line of the table: what is measured, and what came out.

    Attributes:
        measure: returns one figure; None for a library that is not installed.
        figures: what ``measure`` returned, one a repetition.
    """

    section: str
    what: str
    unit: str
    measure: Callable[[], float] | None
    repeats: int
    note: str = ""
    figures: list[float] = field(default_factory=list)


# ------------------------------------------------------------------------------- what to measure


def rate(work: Work, seconds: float) -> float:
    """Return how much ``work`` does a second, over at least ``seconds``."""
    done = 0
    start = time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds:
        done += work()
    return done / elapsed


def rate_row(section: str, what: str, work: Work, config: Config, unit: str = RATE) -> Row:
    """Return the row of a rate, after one unmeasured piece of work."""
    work()
    return Row(section, what, unit, partial(rate, work, config.seconds), config.repeats)


def random_step(vec: VectorGames) -> int:
    """Play one random decision in every game."""
    vec.step(vec.sample_actions())
    return vec.num_envs


def long_run(game: Game, config: Config) -> VectorGames:
    """Return games at evenly spread plies, as they are in a long run.

    A second may be less than a whole game of each: without this a repetition would see only
    openings, or only ends.
    """
    few = make_vec(game, 64, seed=config.seed, observe=False)
    few.reset()
    ended = plies = 0
    while ended < few.num_envs:
        random_step(few)
        ended += int(np.count_nonzero(few.terminated | few.truncated))
        plies += 1
    vec = make_vec(game, config.num_envs, seed=config.seed, observe=False)
    vec.reset()
    arrays: list[Any] = [vec.games, vec.masks, vec.to_play]
    kept = [array.copy() for array in arrays]
    leaves_at = np.arange(vec.num_envs) % plies
    for ply in range(plies):
        now = leaves_at == ply
        for to, array in zip(kept, arrays, strict=True):
            to[now] = array[now]
        random_step(vec)
    restore(vec, *kept)
    return vec


def restore(vec: VectorGames, games: Any, masks: Any, to_play: Any) -> None:
    """Put the batch into other positions."""
    vec.games[:], vec.masks[:], vec.to_play[:] = games, masks, to_play


def seat_rows(game: Game, config: Config) -> Iterator[Row]:
    """Yield the rows of a game with one number of seats."""
    section = f"{game.name}, {game.num_seats} seats"
    start = long_run(game, config)
    for observe, sees in ((False, "mask"), (True, "mask, obs")):
        pair = []
        for threads, named in ((1, "1 thread"), (2, "2 threads")):
            vec = make_vec(
                game, config.num_envs, seed=config.seed, num_threads=threads, observe=observe
            )
            vec.reset()
            restore(vec, start.games, start.masks, start.to_play)
            what = f"batch, {sees}, {named}"
            pair.append(rate_row(section, what, partial(random_step, vec), config))
        yield from pair
        yield ratio_row(section, f"2 threads over 1, {sees}", pair[1], pair[0])
    env = importlib.import_module(f"sprawl_env.{game.name}_v0").env(num_players=game.num_seats)
    yield rate_row(section, "PettingZoo AEC", aec_games(env, config.seed), config)
    if game.num_seats == SEARCH_SEATS:
        sims, plies = searching(game, config.seed)
        yield rate_row(section, "search, random rollouts", sims, config, "simulations/s")
        yield rate_row(section, "search, random rollouts", plies, config, "plies/s")
    gym_id = f"sprawl_env/{camel_case(game.name)}-v0"
    if gym_id in gymnasium.registry:
        work = gym_games(gym_id, game.num_seats, config.seed)
        yield rate_row(section, "Gymnasium, learner's decisions", work, config)


def ratio_row(section: str, what: str, above: Row, below: Row) -> Row:
    """Return the row that divides two rows, measured before it in the same round."""
    return Row(section, what, TIMES, lambda: above.figures[-1] / below.figures[-1], above.repeats)


def searching(game: Game, seed: int) -> tuple[Work, Work]:
    """Return work that searches in an opening position: one counts simulations, one plies."""
    agent = SearchBot(game, SearchConfig(sims=SIMULATIONS), seed)
    games = game.deal(1, seed)

    def simulate() -> int:
        return int(agent.search(games)[0].sum())

    def play() -> int:
        before = agent.plies
        agent.search(games)
        return agent.plies - before

    return simulate, play


def gym_games(gym_id: str, seats: int, seed: int) -> Work:
    """Return work that plays one Gymnasium game against the random opponents inside."""
    env = gymnasium.make(gym_id, num_players=seats)
    env.reset(seed=seed)
    random = np.random.default_rng(seed)

    def work() -> int:
        decisions, over = 0, False
        _, info = env.reset()
        while not over:
            legal = np.flatnonzero(info["action_mask"])
            action = legal[int(random.random() * legal.size)]
            _, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
            decisions += 1
        return decisions

    return work


def game_rows(game: Game, config: Config) -> Iterator[Row]:
    """Yield the rows of a game that do not depend on the number of seats."""
    section = game.name
    games = game.deal(config.num_envs, config.seed)
    yield Row(section, "state", "bytes", lambda: float(game.dtype.itemsize), 1)

    def copy_and_back() -> int:
        restore_games(games, clone(games))
        return games.size

    yield rate_row(section, "clone+restore", copy_and_back, config, "games/s")
    if config.startup:
        first = [sys.executable, "-c", FIRST_STEP.format(game=game.name)]
        compile_all = [sys.executable, "-m", "sprawl_env.commands.warmup", "--game", game.name]
        run_process(first)  # fills the cache
        start = partial(seconds_of, first, cold=False)
        yield Row(section, "new process to first step", "s", start, config.repeats)
        compiling = partial(seconds_of, compile_all, cold=True)
        yield Row(section, "first compilation", "s", compiling, 1)


def seconds_of(command: list[str], cold: bool) -> float:
    """Return how long a whole process takes, with the usual or an empty cache of kernels."""
    with tempfile.TemporaryDirectory() as empty:
        start = time.perf_counter()
        run_process(command, **({"SPRAWL_ENV_CACHE": empty} if cold else {}))
        return time.perf_counter() - start


def run_process(command: list[str], **environment: str) -> None:
    """Run a process to its end.

    Raises:
        SprawlError: it failed.
    """
    done = subprocess.run(
        command,
        env={**os.environ, "SPRAWL_ENV_QUIET": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [""])[-1]
        raise SprawlError(f"{' '.join(command[1:3])} ended with {done.returncode}: {last}")


def peer_row(peer: Peer, config: Config) -> Row:
    """Return the row of another library, also when it is missing or does not work here."""
    section = f"peer: {peer.library} {version(peer.distribution) or ''}".strip()
    try:
        return rate_row(section, peer.game, peer.prepare(), config)
    except ImportError:
        note = "not installed"
    except Exception as error:  # a peer that breaks must not end our run
        note = f"does not run here: {type(error).__name__}"
    return Row(section, peer.game, RATE, None, 0, note)


def all_rows(config: Config, games: list[list[Game]], progress: Progress) -> list[Row]:
    """Deal, compile and import all that is to be measured."""
    task = progress.add_task("setting up", total=None)
    rows: list[Row] = []
    for by_seats in games:
        progress.update(task, description=f"setting up {by_seats[0].name}")
        for game in by_seats:
            rows += seat_rows(game, config)
        rows += game_rows(by_seats[0], config)
    for peer in PEERS if config.peers else ():
        progress.update(task, description=f"setting up {peer.library}")
        rows.append(peer_row(peer, config))
    progress.remove_task(task)
    return rows


# ------------------------------------------------------------------------------------ the run


def check(config: Config) -> list[list[Game]]:
    """Return the games, a list for each with one entry for each number of seats.

    Raises:
        SprawlError: some option is wrong.
    """
    for name in ("num_envs", "seconds", "repeats"):
        if getattr(config, name) <= 0:
            raise InvalidOption(f"{name}={getattr(config, name)}: expected more than 0")
    if not config.games or not config.seats:
        raise InvalidOption("games, seats: expected at least one")
    check_seed(config.seed)
    if config.out is not None:
        check_out(config.out)
    return [[make_game(name, num_players=n) for n in config.seats] for name in config.games]


def check_out(out: Path) -> None:
    """Find out before the measurement whether its results can be written.

    Raises:
        InvalidOption: they cannot.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=out.parent).close()
    except OSError as error:
        raise InvalidOption(f"out={str(out)!r}: cannot be written ({error.strerror})") from None
    if out.is_dir():
        raise InvalidOption(f"out={str(out)!r}: expected a file, this is a folder")


def measure(rows: list[Row], progress: Progress) -> None:
    """Fill in the figures: one repetition of every row, then the next of every row, ..."""
    task = progress.add_task("", total=sum(row.repeats for row in rows))
    for repeat in range(max(row.repeats for row in rows)):
        for row in rows:
            if row.measure is not None and repeat < row.repeats:
                progress.update(task, description=f"{row.section}: {row.what}")
                row.figures.append(row.measure())
                progress.advance(task)
    progress.remove_task(task)


def table_of(rows: Iterable[Row]) -> Table:
    """Return the table that is printed; figures to three digits, as the noise allows."""
    table = Table(box=HORIZONTALS)
    table.add_column(f"{RATE} unless said otherwise")
    for column in ("median", "min", "max"):
        table.add_column(column, justify="right", no_wrap=True)
    section = ""
    for row in rows:
        if row.section != section:
            section = row.section
            table.add_section()
            table.add_row(f"[bold]{section}")
        shown = [shorten(f) for f in summary(row.figures)] if row.figures else [row.note, "", ""]
        table.add_row(f"  {row.what}" + (f", {row.unit}" if row.unit != RATE else ""), *shown)
    return table


def summary(figures: list[float]) -> tuple[float, float, float]:
    """Return median, minimum and maximum."""
    return statistics.median(figures), min(figures), max(figures)


def shorten(figure: float) -> str:
    """Return three significant digits: ``1,350,000``, ``1.62``."""
    rounded = float(f"{figure:.3g}")
    return f"{rounded:,.0f}" if rounded == int(rounded) else f"{rounded:g}"


# ------------------------------------------------------------------------------- where it was run


def circumstances(config: Config) -> dict[str, Any]:
    """Return all that the figures depend on: machine, versions, sources, config."""
    python_options = get_config_var("CONFIG_ARGS")  # None on Windows
    libraries = [*OURS, *dict.fromkeys(peer.distribution for peer in PEERS)]
    return {
        "date": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "machine": {
            "cpu": cpu_model(),
            "cores": os.cpu_count(),
            "system": platform.platform(),
            "python": platform.python_version(),
            "optimised_python": python_options is None or "--enable-opt" in python_options,
            "load": os.getloadavg() if hasattr(os, "getloadavg") else None,
        },
        "versions": {name: version(name) for name in libraries if version(name)},
        "commit": commit(),
        "sources": source_digest(),  # tells uncommitted changes apart
        "config": {**asdict(config), "out": str(config.out) if config.out else None},
    }


def one_line(record: dict[str, Any]) -> str:
    """Return the circumstances in short."""
    machine, versions = record["machine"], record["versions"]
    python = "Python" if machine["optimised_python"] else "Python built without optimisations"
    parts = (
        f"{machine['cpu']}, {machine['cores']} cores, {python} {machine['python']}",
        ", ".join(f"{name} {versions[name]}" for name in OURS if name in versions),
        f"commit {record['commit'] or 'none'}, sources {record['sources']}",
    )
    return "; ".join(parts)


def version(distribution: str) -> str | None:
    """Return the version of an installed distribution."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def cpu_model() -> str:
    """Return what the processor calls itself."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor()


def json_row(row: Row) -> dict[str, Any]:
    """Return a row for the JSON file."""
    median, low, high = summary(row.figures) if row.figures else (None, None, None)
    return {
        "section": row.section,
        "what": row.what,
        "unit": row.unit,
        "median": median,
        "min": low,
        "max": high,
        "figures": row.figures,
        "note": row.note,
    }


def main(config: Config) -> None:
    """Measure, print the table, write the file.

    Raises:
        SprawlError: some option is wrong.
    """
    games = check(config)
    screen = console()
    record = circumstances(config)
    screen.print(one_line(record), highlight=False)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=screen, transient=True) as progress:
        rows = all_rows(config, games, progress)
        measure(rows, progress)
    screen.print(table_of(rows))
    if config.out is not None:
        record["rows"] = [json_row(row) for row in rows]
        write_atomically(config.out, json.dumps(record, indent=1) + "\n")
        screen.print(f"written to {config.out}", highlight=False)


if __name__ == "__main__":
    run(main, Config)
