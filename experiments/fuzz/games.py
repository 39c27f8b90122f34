"""Random and greedy games of every game, number of seats and option, in processes."""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.markup import escape
from rich.table import Table

import sprawl_env
from experiments.fuzz.running import check_positive, open_journal, save_failure
from experiments.fuzz.walks import (
    BOTS,
    CHECKS,
    FAILED,
    FINISHES,
    LAST_PLY,
    LONGEST,
    NO_GAME,
    PLIES,
    Work,
    actions_of,
    new_work,
    walk_kernel,
)
from sprawl_env.arena.engines import check_engine, pool_of
from sprawl_env.arena.journal import Journal, Row
from sprawl_env.arena.workers import Done, Watch, unlimited
from sprawl_env.arena.workers import Work as Task
from sprawl_env.console import console, count_bar, option_words
from sprawl_env.core import registry
from sprawl_env.core.checks import check_seed
from sprawl_env.core.errors import InvalidOption, SprawlError, printable, unknown
from sprawl_env.core.game import Game
from sprawl_env.core.processes import usable_cores
from sprawl_env.core.rules import Option
from sprawl_env.core.state import NOT_OVER, plain, raw_bytes
from sprawl_env.kernels.rng import combine
from sprawl_env.replays.format import dump, parse
from sprawl_env.replays.recording import from_actions
from sprawl_env.replays.verification import verify

CHUNK: Final = {"random": 1000, "greedy": 20}  # games with the same options
MOST_FAILURES: Final = 3  # of a chunk, which ends there
DEFAULTS: Final = 0.5  # share of the numbers that keep their default
TRIES: Final = 1000
_COUNTS: Final = ("chunk", "games", "plies", "checks", "finished")
ROW: Final = {  # of the journal
    "game": str,
    **dict.fromkeys(_COUNTS, int),
    "options": [str],
    "seconds": float,
    "failures": [str],
}


@dataclass(frozen=True)
class Games:
    """Play whole games and check their positions."""

    games: int = 100_000
    """number of games of each game; whole chunks are played"""
    bot: str = "random"
    """who plays: random or greedy"""
    only: tuple[str, ...] = ()
    """names of games, or import paths of rules; default: all games"""
    every: int = 16
    """a position is checked after every so many plies, and at the end"""
    jobs: int = usable_cores()
    """number of processes"""
    engine: str = "local"
    """who plays: local, this machine; ray, the nodes of a Ray cluster, which share the folder"""
    seed: int = 0
    """game k of a chunk is dealt from (seed, game, chunk, k)"""
    out: Path = Path("runs/fuzz")
    """folder for the results; the same command goes on where it was stopped"""


# ------------------------------------------------------------------------------------- one chunk


def draw_option(option: Option, rng: np.random.Generator) -> Any:
    """Return an allowed value of an option, any word or flag, often the default of a number."""
    if option.words:
        return option.words[rng.integers(len(option.words))]
    if option.flag:
        return bool(rng.integers(2))
    if option.high - option.low > 1 and rng.random() < DEFAULTS and option.low != option.default:
        return option.default
    return int(rng.integers(option.low, option.high + 1))


def draw_game(name: str, seed: int) -> Game:
    """Return a game with options drawn from a seed.

    Raises:
        InvalidOption: the game accepts no options.
    """
    rng = np.random.default_rng(seed)
    options = registry.rules_of(name).options
    for _ in range(TRIES):
        drawn = {key: draw_option(option, rng) for key, option in options.items()}
        try:
            return sprawl_env.game(name, **drawn)
        except InvalidOption:  # options that exclude each other
            continue
    raise InvalidOption(f"{name}: {TRIES} random choices of its options exclude each other")


def chunk_seed(config: Games, name: str, chunk: int) -> int:
    """Return the seed of a chunk."""
    place = zlib.crc32(f"{name} {config.bot}".encode())
    return combine(combine(config.seed, place), chunk)


def play_chunk(config: Games, name: str, chunk: int) -> Row:
    """Play one chunk; return its row of the journal."""
    seed = chunk_seed(config, name, chunk)
    game = draw_game(name, seed)
    walk, work = walk_kernel(game.rules, config.bot), new_work(game)
    first, size = 0, CHUNK[config.bot]
    failures: list[str] = []
    walk(plain(game.tables), work, seed, 0, 0, config.every)  # compiles
    started = time.perf_counter()
    while first < size and len(failures) < MOST_FAILURES:
        walk(plain(game.tables), work, seed, first, size - first, config.every)
        failed = int(work.counts[FAILED])
        if failed == NO_GAME:
            break
        failures.append(save_game(config, game, work, combine(seed, failed)))
        first = failed + 1
    fine = not failures
    wrong = replay_again(game, work, combine(seed, size - 1)) if fine else ""
    if wrong:
        failures.append(save_game(config, game, work, combine(seed, size - 1), wrong))
    plies, checks, finishes = (int(work.counts[k]) for k in (PLIES, CHECKS, FINISHES))
    return {
        "game": name,
        "chunk": chunk,
        "options": [f"num_players={game.num_seats}", *option_words(game)],
        "games": size,
        "plies": plies,
        "checks": checks,
        "finished": finishes,
        "seconds": time.perf_counter() - started,
        "failures": failures,
    }


def replay_again(game: Game, work: Work, seed: int) -> str:
    """Replay the last game through a file; return what differs, "" if nothing does."""
    try:
        replay = from_actions(game, seed, actions_of(work))
        verify(parse(dump(replay)))
    except SprawlError as error:
        return str(error)
    games = game.deal(1, seed)
    for action in actions_of(work):
        game.play(games, 0, action)
    again = raw_bytes(games)[0].tobytes()
    if again != work.games[:1].tobytes():
        return "the replayed game ends in another position"
    return "; ".join(game.rules.violations(game.tables, games, 0))


def without_words(work: Work) -> str:
    """Return why the last game failed, if nothing is wrong with its position in words."""
    if work.games["over"][0] == NOT_OVER and not work.mask.any():
        return "the seat to play has no legal action"
    if work.counts[LAST_PLY] == LONGEST:
        return "the game has no end"
    return "the compiled check refuses the position, the one in words does not"


def save_game(config: Games, game: Game, work: Work, seed: int, wrong: str = "") -> str:
    """Save the actions and the last position of the last game; return the file's name."""
    games = work.games[:1].view(np.recarray).view(game.dtype).view(np.recarray)
    wrong = wrong or "; ".join(game.rules.violations(game.tables, games, 0)) or without_words(work)
    content = {
        "wrong": wrong,
        "seed": seed,
        "actions": actions_of(work),
        "position": json.loads(game.to_json(games)),
    }
    return save_failure(config.out, f"{game.name}-{seed}", content)


# ----------------------------------------------------------------------------------- all chunks


def start_worker(config: Games) -> Task:
    """Return the function of a worker process that plays a chunk."""
    chunks = chunks_of(config)

    def work(task: int, watch: Watch) -> Row:
        return play_chunk(config, *chunks[task])

    return work


def names_of(config: Games) -> tuple[str, ...]:
    """Return the names of the games that are played."""
    return config.only or tuple(registry.game_names())


def chunks_of(config: Games) -> list[tuple[str, int]]:
    """Return name and number of every chunk; the games take turns."""
    count = -(-config.games // CHUNK[config.bot])
    return [(name, chunk) for chunk in range(count) for name in names_of(config)]


def check(config: Games) -> None:
    """Check the settings.

    Raises:
        InvalidOption: one is not possible.
    """
    check_seed(config.seed)
    if config.bot not in BOTS:
        raise unknown("bot", config.bot, BOTS)
    check_positive(games=config.games, every=config.every, jobs=config.jobs)
    check_engine(config.engine, config.jobs)
    for name in config.only:
        registry.rules_of(name)


def journal_of(config: Games, out: Path) -> Journal:
    """Return the journal of the games in a folder.

    Raises:
        SprawlError: the folder has other results, or they are damaged.
    """
    settings = {"bot": config.bot, "every": config.every, "seed": config.seed}
    return open_journal(out, config.bot, settings, ROW)


def fuzz(config: Games) -> int:
    """Play the games that are missing and print a table; return the number of failures."""
    check(config)
    journal = journal_of(config, config.out)
    chunks = chunks_of(config)
    known = {(row["game"], row["chunk"]) for row in journal.rows}
    left = [task for task, chunk in enumerate(chunks) if chunk not in known]
    rows = [row for row in journal.rows if (row["game"], row["chunk"]) in set(chunks)]
    for row in _played(config, chunks, left):
        journal.append([row])
        rows.append(row)
    console().print(table(rows, config))
    return sum(len(row["failures"]) for row in rows)


def _played(config: Games, chunks: list[tuple[str, int]], left: list[int]) -> Iterator[Row]:
    """Play chunks in processes; yield their rows."""
    size = CHUNK[config.bot]
    bar = count_bar()
    workers = pool_of(config.engine, start_worker, config, processes=config.jobs, seconds=unlimited)
    with bar, workers:
        shown = bar.add_task(
            "games", total=len(chunks) * size, completed=(len(chunks) - len(left)) * size
        )
        for found in workers.results(left):
            for done in found:
                name, chunk = chunks[done.task]
                if isinstance(done, Done):
                    yield done.value
                else:
                    yield _lost(name, chunk, done.exit_code)
                bar.advance(shown, size)


def _lost(name: str, chunk: int, exit_code: int | None) -> Row:
    """Return the row of a chunk whose process died."""
    says = f"the process ended with {exit_code}"
    counts = dict.fromkeys(("games", "plies", "checks", "finished"), 0)
    return {"game": name, "chunk": chunk, "options": [], **counts, "seconds": 0, "failures": [says]}


def table(rows: list[Row], config: Games) -> Table:
    """Return the table of the results: one row a game and number of seats."""
    shown = Table(title=f"{config.bot} games, positions checked after every {config.every}th ply")
    for k, column in enumerate(
        ("game", "seats", "options", "games", "finished", "plies", "checks", "games/h", "failures")
    ):
        shown.add_column(column, justify="right" if k else "left")
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        seats = row["options"][0].partition("=")[2] if row["options"] else "?"
        for part in (seats, "all"):
            groups.setdefault((row["game"], part), []).append(row)
    for (name, seats), group in sorted(groups.items()):
        counts = [
            sum(row[key] for row in group) for key in ("games", "finished", "plies", "checks")
        ]
        hours = sum(row["seconds"] for row in group) / 3600
        options = len({tuple(row["options"]) for row in group})
        failures = sum(len(row["failures"]) for row in group)
        an_hour = f"{counts[0] / hours:,.0f}" if hours else "-"
        numbers = (f"{number:,}" for number in counts)
        words = (escape(printable(word)) for word in (name, seats))
        shown.add_row(*words, str(options), *numbers, an_hour, str(failures))
    return shown
