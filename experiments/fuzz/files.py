"""Damaged files of every kind that the package reads.

A damaged file is refused with one line, or accepted, and then what was read works: a position can
be played to its end, a replay verifies, a policy plays, a tournament continues
(:mod:`experiments.fuzz.kinds`).  Anything else is a failure: another exception, a warning, a
control character on the terminal, a process that ends, hangs or needs too much memory.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import os
import shutil
import sys
import tempfile
import time
import traceback
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from rich.markup import escape
from rich.table import Table

from experiments.fuzz.kinds import KINDS, Broken, Kind, files_in
from experiments.fuzz.mutations import mutate
from experiments.fuzz.running import check_positive, open_journal
from sprawl_env.arena.journal import Row
from sprawl_env.arena.workers import Done, Watch, Work, Workers
from sprawl_env.console import console, count_bar
from sprawl_env.core.checks import check_seed
from sprawl_env.core.errors import SprawlError, printable, unknown
from sprawl_env.core.extras import MissingExtra
from sprawl_env.core.processes import usable_cores
from sprawl_env.core.state import NOBODY
from sprawl_env.kernels.rng import combine

CHUNK: Final = 25  # damages of a kind that a process tries in a row
SECONDS: Final = 60.0  # for one of them
MEMORY: Final = 2**31  # bytes that one of them may add to what the process has
LONGEST: Final = 1000  # characters of an error
ACCEPTED, REFUSED = "accepted", "refused"
ROW: Final = {  # of the journal
    "kind": str,
    "chunk": int,
    "accepted": int,
    "refused": int,
    "seconds": float,
    "failures": [str],
}


@dataclass(frozen=True)
class Files:
    """Damage files and read them."""

    mutations: int = 20_000
    """number of damaged files, shared by all kinds; whole chunks are tried"""
    only: tuple[str, ...] = ()
    """kinds of files; default: all"""
    jobs: int = usable_cores()
    """number of processes"""
    seed: int = 0
    """damage k of a kind is drawn from (seed, kind, k)"""
    out: Path = Path("runs/fuzz")
    """folder for the results; the same command goes on where it was stopped"""


# ----------------------------------------------------------------------------------- one damage


def verdict(kind: Kind, folder: Path) -> tuple[str, str]:
    """Read what is in a folder and use it.

    Returns:
        Whether it was accepted or refused, and what is wrong, "" if nothing is.
    """
    out = io.StringIO()
    found, wrong = ACCEPTED, ""
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            use = kind.read(folder)
        except MissingExtra as error:
            wrong = str(error)
        except SprawlError as error:
            found, wrong = REFUSED, "" if len(str(error)) <= LONGEST else "a very long error"
        except Exception:  # the failure that is looked for
            wrong = traceback.format_exc()
        else:
            wrong = _used(use)
    printed = out.getvalue()
    if not wrong and not printed.replace("\n", "").isprintable():
        wrong = f"prints control characters: {printed!r}"
    if not wrong and "Warning: " in printed:
        wrong = f"prints a warning: {printed}"
    return found, wrong


def _used(use: object) -> str:
    """Use what was accepted; return what is wrong."""
    try:
        if callable(use):
            use()
    except Broken as error:
        return str(error)
    except Exception:  # the failure that is looked for
        return traceback.format_exc()
    return ""


@functools.cache
def variants(name: str, home: Path) -> Path:
    """Make the undamaged files of a kind below a folder; return their folder.

    Each is read and used once, which also compiles what is needed.

    Raises:
        Broken: an undamaged file is not accepted.
    """
    kind = KINDS[name]
    made = home / name
    for number in range(kind.variants):
        folder = made / str(number)
        folder.mkdir(parents=True)
        kind.make(folder, number)
        with tempfile.TemporaryDirectory(dir=home) as parent:
            trial = Path(shutil.copytree(folder, Path(parent) / "files"))
            found = verdict(kind, trial)
        if found != (ACCEPTED, ""):
            raise Broken(f"{name} {number}: {' '.join(found)}")
    return made


def try_mutation(config: Files, home: Path, name: str, number: int) -> tuple[str, str]:
    """Damage a file of a kind and read it.

    Returns:
        Whether it was accepted or refused, and the name of a saved failure, "" if there is none.
    """
    kind, whole = KINDS[name], variants(name, home)
    rng = np.random.default_rng(combine(combine(config.seed, zlib.crc32(name.encode())), number))
    with tempfile.TemporaryDirectory(dir=home) as parent:
        folder = Path(parent) / "files"
        shutil.copytree(whole / str(rng.integers(kind.variants)), folder)
        files = files_in(folder, kind)
        path = files[rng.integers(len(files))]
        how = mutate(path, rng)
        damaged = path.read_bytes() if path.is_file() else b""
        found, wrong = verdict(kind, folder)
        if not wrong:
            return found, ""
        file = str(path.relative_to(folder))
    return found, save_damage(config.out, f"{name}-{config.seed}-{number}", file, damaged,
                              f"{file}: {how}\n\n{wrong}")  # fmt: skip


def save_damage(out: Path, name: str, file: str, content: bytes, wrong: str) -> str:
    """Save a damaged file and what went wrong below ``failures/NAME``; return that name."""
    folder = out / "failures" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / file.replace("/", "-")).write_bytes(content)
    (folder / "wrong.txt").write_text("\n".join(map(printable, wrong.splitlines())) + "\n")
    return name


# ------------------------------------------------------------------------------------ one chunk


def limit_memory() -> None:
    """Limit the memory of this process to what it has and ``MEMORY`` more, on Linux."""
    if sys.platform != "linux":
        return
    resource = importlib.import_module("resource")
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    used = pages * resource.getpagesize()
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, hard))


def start_worker(given: tuple[Files, Path]) -> Work:
    """Return the function of a worker process that tries a chunk; its files are below a folder."""
    config, shared = given
    chunks, home = chunks_of(config), shared / str(os.getpid())
    home.mkdir()

    def work(task: int, watch: Watch) -> Row:
        return try_chunk(config, home, chunks[task], watch)

    return work


def try_chunk(config: Files, home: Path, which: tuple[str, int], watch: Watch) -> Row:
    """Try the damages of one chunk of a kind; return its row of the journal."""
    name, chunk = which
    variants(name, home)
    limit_memory()
    counts = {ACCEPTED: 0, REFUSED: 0}
    failures = []
    started = time.perf_counter()
    for number in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        watch(0, number)
        found, failed = try_mutation(config, home, name, number)
        counts[found] += 1
        failures += [failed] if failed else []
    watch(NOBODY, 0)
    seconds = time.perf_counter() - started
    return {"kind": name, "chunk": chunk, **counts, "seconds": seconds, "failures": failures}


# ----------------------------------------------------------------------------------- all chunks


def chunks_of(config: Files) -> list[tuple[str, int]]:
    """Return kind and number of every chunk; the kinds take turns."""
    names = config.only or tuple(KINDS)
    count = -(-config.mutations // (CHUNK * len(names)))
    return [(name, chunk) for chunk in range(count) for name in names]


def check(config: Files) -> None:
    """Check the settings.

    Raises:
        SprawlError: one is not possible.
    """
    check_seed(config.seed)
    check_positive(mutations=config.mutations, jobs=config.jobs)
    for name in config.only:
        if name not in KINDS:
            raise unknown("kind", name, KINDS)


def fuzz(config: Files) -> int:
    """Try the damages that are missing and print a table; return the number of failures."""
    check(config)
    journal = open_journal(config.out, "files", {"seed": config.seed}, ROW)
    chunks = chunks_of(config)
    known = {(row["kind"], row["chunk"]) for row in journal.rows}
    left = [task for task, chunk in enumerate(chunks) if chunk not in known]
    rows = [row for row in journal.rows if (row["kind"], row["chunk"]) in set(chunks)]
    for row in _tried(config, chunks, left):
        journal.append([row])
        rows.append(row)
    console().print(table(rows))
    return sum(len(row["failures"]) for row in rows)


def _tried(config: Files, chunks: list[tuple[str, int]], left: list[int]) -> Iterator[Row]:
    """Try chunks in processes; yield their rows."""
    bar = count_bar()
    with (
        bar,
        tempfile.TemporaryDirectory() as home,
        Workers(
            start_worker, (config, Path(home)), config.jobs, lambda task, seat: SECONDS
        ) as workers,
    ):
        done = (len(chunks) - len(left)) * CHUNK
        shown = bar.add_task("files", total=len(chunks) * CHUNK, completed=done)
        for found in workers.results(left):
            for item in found:
                if isinstance(item, Done):
                    yield item.value
                else:
                    yield _lost(config, *chunks[item.task], item.ply, item.exit_code)
                bar.advance(shown, CHUNK)


def _lost(config: Files, name: str, chunk: int, number: int, exit_code: int | None) -> Row:
    """Return the row of a chunk whose process died or did not answer; its rest is not tried."""
    how = f"ended with {exit_code}" if exit_code is not None else f"hangs for {SECONDS:g} seconds"
    failed = save_damage(
        config.out, f"{name}-{config.seed}-{number}", "damaged", b"", f"the process {how}"
    )
    counts = {ACCEPTED: 0, REFUSED: 0, "seconds": 0.0}
    return {"kind": name, "chunk": chunk, **counts, "failures": [failed]}


def table(rows: list[Row]) -> Table:
    """Return the table of the results: one row a kind of file."""
    shown = Table(title="damaged files")
    for k, column in enumerate(("kind", "damaged", "refused", "accepted", "s", "failures")):
        shown.add_column(column, justify="right" if k else "left")
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["kind"], []).append(row)
    for name, group in [*sorted(groups.items()), ("all", rows)]:
        refused, accepted = (sum(row[key] for row in group) for key in (REFUSED, ACCEPTED))
        seconds = round(sum(row["seconds"] for row in group))
        failures = sum(len(row["failures"]) for row in group)
        counts = (refused + accepted, refused, accepted, seconds, failures)
        shown.add_row(escape(printable(name)), *(f"{count:,}" for count in counts))
    return shown
