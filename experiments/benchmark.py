"""Measure the speed of the games and, in the same run, of other libraries.

Example::

    python -m experiments.benchmark                                   # every game, 2 and 4 seats
    python -m experiments.benchmark --games tower_up --seats 2 --no-peers --no-startup
    python -m experiments.benchmark --out runs/benchmark.json

Every rate is for uniformly random legal play.  It counts the decisions of all seats; the time
includes the choice of the actions and the re-deal of ended games.  Each row is measured ``repeats``
times for ``seconds``.  One repetition of all rows comes before the next one, so that slow periods
of the machine affect all rows.  A row shows the median, the lowest and the highest repetition.
Compare only figures of the same run.

- Rows named ``batch`` are ``vec.step(vec.sample_actions())`` with ``num_envs`` games.  ``mask`` and
  ``obs`` say whether masks only or also observations are computed at every decision.
- The Gymnasium rows count only the learner's decisions; the opponents play inside the environment.
  ``make_vec`` has 1,024 games.
- ``clone+restore`` is ``saved = clone(games); restore(games, saved)`` (``sprawl_env.core.state``).
- Other libraries (``experiments/peers.py``) are measured if they are installed.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib import metadata
from multiprocessing import get_context
from pathlib import Path
from sysconfig import get_config_var
from typing import Any, Final

import gymnasium
import numpy as np
from rich.box import HORIZONTALS
from rich.progress import Progress
from rich.table import Table

from experiments.peers import PEERS, Peer, Work, aec_games
from sprawl_env import make_vec
from sprawl_env.adapters.aec import BoardGameAEC, wrapped
from sprawl_env.adapters.registration import camel_case
from sprawl_env.adapters.spaces import MaskedMultiDiscrete
from sprawl_env.adapters.vector import VectorGames
from sprawl_env.arena.timing import positions_of
from sprawl_env.bots.mcts import SearchBot, SearchConfig
from sprawl_env.bots.names import make_bot
from sprawl_env.console import check_writable, console, count_bar, run, say
from sprawl_env.core.checks import check_seed
from sprawl_env.core.errors import InvalidOption, SprawlError
from sprawl_env.core.files import write_atomically
from sprawl_env.core.game import Game
from sprawl_env.core.provenance import commit
from sprawl_env.core.registry import game as make_game
from sprawl_env.core.registry import game_names, game_word
from sprawl_env.core.state import clone
from sprawl_env.core.state import restore as restore_games
from sprawl_env.kernels.sources import source_digest

OURS: Final = ("sprawl-env", "numpy", "numba", "gymnasium", "pettingzoo")
RATE: Final = "decisions/s"
TIMES: Final = "times"
CRASHES: Final = "crashes here"
SEARCH_SEATS: Final = 2
SIMULATIONS: Final = 200  # per decision
FEW_SIMULATIONS: Final = 32  # per decision, with a network
AT_ONCE: Final = 256  # games that are searched with a network together
LEARNERS: Final = 1024  # games of Gymnasium's vector environments
FIRST_STEP: Final = """
import sprawl_env
vec = sprawl_env.make_vec({game!r}, 16)
vec.reset()
vec.step(vec.sample_actions())
"""


@dataclass(frozen=True)
class Config:
    """What to measure, and for how long."""

    games: tuple[str, ...] = tuple(game_names())
    """games to measure"""
    seats: tuple[int, ...] = (2, 4)
    """numbers of seats to measure each game with"""
    num_envs: int = 4096
    """number of games in a batch"""
    seconds: float = 1.0
    """length of one repetition"""
    repeats: int = 5
    """number of repetitions of every row"""
    peers: bool = True
    """also measure the other libraries that are installed"""
    startup: bool = True
    """also measure a process's first step and the first compilation (about a minute a game)"""
    seed: int = 0
    """seed of the deals and the actions"""
    out: Path | None = None
    """JSON file for the results"""


@dataclass
class Row:
    """A row of the table.

    Attributes:
        section: heading under which the row stands.
        what: label of the row.
        unit: unit of the figures.
        measure: returns one figure; None for a library that cannot be measured.
        repeats: number of repetitions.
        note: why the library cannot be measured.
        figures: what ``measure`` returned, one figure per repetition.
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
    """Return what ``work`` does per second, measured over at least ``seconds``."""
    done = 0
    start = time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds:
        done += work()
    return done / elapsed


def rate_row(section: str, what: str, work: Work, config: Config, unit: str = RATE) -> Row:
    """Return the row of a rate, after one call of ``work`` that is not measured."""
    work()
    return Row(section, what, unit, partial(rate, work, config.seconds), config.repeats)


def random_step(vec: VectorGames) -> int:
    """Play one random decision in every game."""
    vec.step(vec.sample_actions())
    return vec.num_envs


def long_run(game: Game, config: Config) -> VectorGames:
    """Return a batch whose games are at evenly spread plies, as in a long run.

    A repetition may be shorter than a game.  In a batch of newly dealt games it would measure only
    openings.
    """
    few = make_vec(game, 64, seed=config.seed, observations=None)
    few.reset()
    ended = plies = 0
    while ended < few.num_envs:
        random_step(few)
        ended += int(np.count_nonzero(few.terminated | few.truncated))
        plies += 1
    vec = make_vec(game, config.num_envs, seed=config.seed, observations=None)
    vec.reset()
    games = vec.games
    copied_at = np.arange(vec.num_envs) % plies
    for ply in range(plies):
        now = copied_at == ply
        games[now] = vec.games[now]
        random_step(vec)
    vec.load(games)
    return vec


def seat_rows(game: Game, config: Config) -> Iterator[Row]:
    """Yield the rows of a game with one number of seats."""
    section = f"{game.name}, {game.num_seats} seats"
    start = long_run(game, config)
    for observations, contents in ((None, "mask"), ("float32", "mask, obs")):
        pair = []
        for threads, named in ((1, "1 thread"), (2, "2 threads")):
            vec = make_vec(
                game,
                config.num_envs,
                seed=config.seed,
                num_threads=threads,
                observations=observations,
            )
            vec.reset()
            vec.load(start.games)
            what = f"batch, {contents}, {named}"
            pair.append(rate_row(section, what, partial(random_step, vec), config))
        yield from pair
        yield ratio_row(section, f"2 threads / 1 thread, {contents}", pair[1], pair[0])
    aec = aec_games(wrapped(BoardGameAEC(game)), config.seed)
    yield rate_row(section, "PettingZoo AEC", aec, config)
    if game.num_seats == SEARCH_SEATS:
        sims, plies = searching(game, config.seed)
        yield rate_row(section, "search, random rollouts", sims, config, "simulations/s")
        yield rate_row(section, "search, random rollouts", plies, config, "plies/s")
        for count, named in ((1, "one game"), (AT_ONCE, f"{AT_ONCE} games")):
            work = searching_with_network(game, count, config.seed)
            if work is not None:
                what = f"search, network, {named}, 1 thread"
                yield rate_row(section, what, work, config, "simulations/s")
    gym_id = f"sprawl_env/{camel_case(game.name)}-v0"
    if gym_id in gymnasium.registry:
        work = gym_games(gym_id, game.num_seats, config.seed)
        yield rate_row(section, "Gymnasium, learner's decisions", work, config)
        pair = [
            rate_row(section, f"make_vec, {mode}", gym_steps(gym_id, mode, game, config), config)
            for mode in ("sync", "vector_entry_point")
        ]
        yield from pair
        yield ratio_row(section, "vector_entry_point / sync", pair[1], pair[0])


def ratio_row(section: str, what: str, above: Row, below: Row) -> Row:
    """Return the row with the ratio of two rows, which must be measured before it."""
    return Row(section, what, TIMES, lambda: above.figures[-1] / below.figures[-1], above.repeats)


def searching(game: Game, seed: int) -> tuple[Work, Work]:
    """Return two searches of an opening position: one counts simulations, the other plies."""
    bot = SearchBot(game, SearchConfig(sims=SIMULATIONS), seed)
    games = game.deal(1, seed)

    def simulate() -> int:
        return int(bot.search(games)[0].sum())

    def play() -> int:
        before = bot.plies
        bot.search(games)
        return bot.plies - before

    return simulate, play


def searching_with_network(game: Game, count: int, seed: int) -> Work | None:
    """Return a search with the best agent's network in ``count`` games at once.

    None: there is no agent for this game and number of seats, or it cannot be read.
    """
    try:
        bot = make_bot(f"search:agent=best,sims={FEW_SIMULATIONS}", game, seed)
    except SprawlError:
        return None
    games, masks = positions_of(game, AT_ONCE, seed)
    records: Any = games
    at = 0

    def work() -> int:
        nonlocal at
        now = slice(at, at + count)
        bot.act(None, masks[now], records[now])
        at = (at + count) % AT_ONCE
        return count * FEW_SIMULATIONS

    return work


def gym_games(gym_id: str, seats: int, seed: int) -> Work:
    """Return a function that plays one Gymnasium game against random opponents."""
    env = gymnasium.make(gym_id, num_players=seats)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)

    def work() -> int:
        decisions, over = 0, False
        _, info = env.reset()
        while not over:
            legal = np.flatnonzero(info["action_mask"])
            action = legal[int(rng.random() * legal.size)]
            _, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
            decisions += 1
        return decisions

    return work


def gym_steps(gym_id: str, mode: str, game: Game, config: Config) -> Work:
    """Return a function that plays a step of Gymnasium's vector environment."""
    env: Any = gymnasium.make_vec(
        gym_id, LEARNERS, vectorization_mode=mode, num_players=game.num_seats
    )
    space = MaskedMultiDiscrete(LEARNERS, game.num_actions)
    _, info = env.reset(seed=config.seed)

    def work() -> int:
        nonlocal info
        *_, info = env.step(space.sample(mask=info["action_mask"]))
        return LEARNERS

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
        name = game_word(game.rules)
        first = [sys.executable, "-c", FIRST_STEP.format(game=name)]
        compile_all = [sys.executable, "-m", "sprawl_env", "warmup", "--game", name]
        run_process(first)  # fills the cache
        start = partial(seconds_of, first, cold=False)
        yield Row(section, "new process to first step", "s", start, config.repeats)
        compiling = partial(seconds_of, compile_all, cold=True)
        yield Row(section, "first compilation", "s", compiling, 1)


def seconds_of(command: list[str], cold: bool) -> float:
    """Return the run time of a process, with the usual kernel cache or an empty one."""
    with tempfile.TemporaryDirectory() as empty:
        start = time.perf_counter()
        run_process(command, **({"SPRAWL_ENV_CACHE": empty} if cold else {}))
        return time.perf_counter() - start


def run_process(command: list[str], **environment: str) -> None:
    """Run a process.

    Raises:
        SprawlError: the process failed.
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
        raise SprawlError(f"{' '.join(command[1:4])} ended with {done.returncode}: {last}")


def peer_row(peer: Peer, config: Config) -> Row:
    """Return the row of another library; a note if it is not installed or fails.

    Each has a process of its own: a library that crashes must not end the run.
    """
    section = f"peer: {peer.library} {version(peer.distribution) or ''}".strip()
    process = ProcessPoolExecutor(1, get_context("spawn"))
    try:
        process.submit(prepare_here, peer).result()
        work = partial(rate_in, process, config.seconds)
        return Row(section, peer.game, RATE, work, config.repeats)
    except ImportError:
        note = "not installed"
    except BrokenProcessPool:
        note = CRASHES
    except Exception as error:
        note = f"fails here: {type(error).__name__}"
    process.shutdown(wait=False)
    return Row(section, peer.game, RATE, None, 0, note)


prepared: Final[list[Work]] = []  # what this process measures of another library


def prepare_here(peer: Peer) -> None:
    """Prepare what this process measures of another library; call it once."""
    prepared.append(peer.prepare())
    prepared[-1]()


def rate_here(seconds: float) -> float:
    """Return the rate of what this process has prepared."""
    return rate(prepared[-1], seconds)


def rate_in(process: ProcessPoolExecutor, seconds: float) -> float:
    """Return the rate of what another process has prepared."""
    return process.submit(rate_here, seconds).result()


def all_rows(config: Config, games: list[list[Game]], progress: Progress) -> list[Row]:
    """Return all rows; deals, compiles and imports everything that they need."""
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
    """Return the games to measure: one list per game, with one entry per number of seats.

    Raises:
        SprawlError: an option is invalid.
    """
    for name in ("num_envs", "seconds", "repeats"):
        if getattr(config, name) <= 0:
            raise InvalidOption(f"{name}={getattr(config, name)}: expected more than 0")
    if not config.games or not config.seats:
        raise InvalidOption("games, seats: expected at least one")
    check_seed(config.seed)
    if config.out is not None:
        check_writable(config.out)
    return [[make_game(name, num_players=n) for n in config.seats] for name in config.games]


def measure(rows: list[Row], progress: Progress) -> None:
    """Measure the rows: the first repetition of every row, then the second, and so on."""
    task = progress.add_task("", total=sum(row.repeats for row in rows))
    for repeat in range(max(row.repeats for row in rows)):
        for row in rows:
            if row.measure is not None and repeat < row.repeats:
                progress.update(task, description=f"{row.section}: {row.what}")
                try:
                    row.figures.append(row.measure())
                except BrokenProcessPool:
                    row.measure, row.note = None, CRASHES
                    row.figures.clear()
                progress.advance(task)
    progress.remove_task(task)


def table_of(rows: Iterable[Row]) -> Table:
    """Return the table to print; figures are rounded to three significant digits."""
    table = Table(box=HORIZONTALS)
    table.add_column(f"{RATE}, unless another unit is given")
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
    """Return a figure with three significant digits, e.g. ``1,350,000`` or ``1.62``."""
    rounded = float(f"{figure:.3g}")
    return f"{rounded:,.0f}" if rounded == int(rounded) else f"{rounded:g}"


# ------------------------------------------------------------------------------------ provenance


def provenance(config: Config) -> dict[str, Any]:
    """Return everything that the figures depend on: machine, versions, sources, config."""
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
        "sources": source_digest(),  # differs if changes are not committed
        "config": {**asdict(config), "out": str(config.out) if config.out else None},
    }


def one_line(record: dict[str, Any]) -> str:
    """Return the provenance as one line."""
    machine, versions = record["machine"], record["versions"]
    python = "Python" if machine["optimised_python"] else "Python built without optimisations"
    parts = (
        f"{machine['cpu']}, {machine['cores']} cores, {python} {machine['python']}",
        ", ".join(f"{name} {versions[name]}" for name in OURS if name in versions),
        f"commit {record['commit'] or 'none'}, sources {record['sources']}",
    )
    return "; ".join(parts)


def version(distribution: str) -> str | None:
    """Return the version of a distribution; None if it is not installed."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def cpu_model() -> str:
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor()


def json_row(row: Row) -> dict[str, Any]:
    """Return a row as JSON values."""
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
    """Measure, print the table and write the file.

    Raises:
        SprawlError: an option is invalid.
    """
    games = check(config)
    screen = console()
    record = provenance(config)
    say(one_line(record))
    with count_bar() as progress:
        rows = all_rows(config, games, progress)
        measure(rows, progress)
    screen.print(table_of(rows))
    if config.out is not None:
        record["rows"] = [json_row(row) for row in rows]
        write_atomically(config.out, json.dumps(record, indent=1) + "\n")
        screen.print(f"written to {config.out}", highlight=False)


if __name__ == "__main__":
    run(main, Config)
