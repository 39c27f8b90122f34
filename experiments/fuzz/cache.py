"""Damaged files of the kernel cache, each loaded by a process of its own.

A small game is compiled into a cache.  Each try copies that cache, damages one file of the copy (or
exchanges two) and starts a process that plays a fixed game with it.  The process must play the game
as with the undamaged cache and print no error.  A damaged file that it opened must have been
replaced, or a second process must not open it again: otherwise its content was loaded.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.markup import escape
from rich.table import Table

from experiments.fuzz.running import check_positive, open_journal, save_failure
from sprawl_env.arena.journal import Row
from sprawl_env.console import console, count_bar
from sprawl_env.core.checks import check_seed
from sprawl_env.core.errors import InvalidOption, printable
from sprawl_env.core.processes import usable_cores
from sprawl_env.kernels.compile import JIT
from sprawl_env.kernels.rng import combine

SECONDS: Final = 300  # for a process, which compiles the kernels of a small game at most
LONGEST: Final = 300  # characters of what a process printed
PROGRAM_INDEX: Final = "index of a program"
PARTS: Final = "parts"  # folder of the kernels that other kernels call

PROGRAM: Final = """
import hashlib, json, os, sys

name, folder = sys.argv[1:]
opened = set()

def audit(event, arguments):
    if event == "open" and isinstance(arguments[0], str | os.PathLike):
        path, writes = os.fspath(arguments[0]), os.O_WRONLY | os.O_RDWR | os.O_CREAT
        if path.startswith(folder) and not arguments[2] & writes:
            opened.add(os.path.relpath(path, folder))

sys.addaudithook(audit)

import sprawl_env

game = sprawl_env.game(name)
games = game.deal(1, 5)
seen = hashlib.sha256(games.tobytes())
while not games["over"][0]:
    seat, mask = int(games["to_play"][0]), game.legal_actions(games, 0)
    legal = mask.nonzero()[0]
    for part in (mask, game.observe(games, 0, seat), game.scores(games, 0)):
        seen.update(part.tobytes())
    game.redeal_hidden(games, 0, 3, seat)
    game.play(games, 0, int(legal[int(games["ply"][0]) % len(legal)]))
    seen.update(games.tobytes())
print(json.dumps({"digest": seen.hexdigest(), "opened": sorted(opened)}))
"""
"""Plays a fixed game; prints its digest and which files of the cache it opened to read them."""

ROW: Final = {  # of the journal
    "number": int,
    "kind": str,
    "how": str,
    "read": bool,
    "seconds": float,
    "failures": [str],
}


@dataclass(frozen=True)
class Cache:
    """Damage a kernel cache and play with it."""

    flips: int = 200
    """number of damaged caches, each tried in a process of its own"""
    game: str = "examples.lots:RULES"
    """name of the game, or import path of its rules; it should compile within seconds"""
    jobs: int = usable_cores()
    """number of processes at the same time"""
    seed: int = 0
    """damage k is drawn from (seed, k)"""
    out: Path = Path("runs/fuzz")
    """folder for the results; the same command goes on where it was stopped"""


# ----------------------------------------------------------------------------------- the damage


def _bit(content: bytes, rng: np.random.Generator) -> bytes:
    changed = bytearray(content)
    changed[rng.integers(len(content))] ^= 1 << rng.integers(8)
    return bytes(changed)


def _byte(content: bytes, rng: np.random.Generator) -> bytes:
    changed = bytearray(content)
    place = rng.integers(len(content))
    changed[place] = (changed[place] + rng.integers(1, 256)) % 256
    return bytes(changed)


def _cut(content: bytes, rng: np.random.Generator) -> bytes:
    return content[: rng.integers(1, len(content))]


def _longer(content: bytes, rng: np.random.Generator) -> bytes:
    return content + rng.bytes(int(rng.integers(1, 100)))


def _empty(content: bytes, rng: np.random.Generator) -> bytes:
    return b""


DAMAGES: Final[dict[str, Callable[[bytes, np.random.Generator], bytes]]] = {
    "bit": _bit,
    "byte": _byte,
    "cut": _cut,
    "longer": _longer,
    "empty": _empty,
}
SWAP: Final = "swap"
SHARES: Final = {"bit": 0.5, "byte": 0.1, "cut": 0.1, "longer": 0.05, "empty": 0.05, SWAP: 0.2}


def kind_of(path: Path) -> str:
    """Return which kind of file of the cache a path is."""
    if path.suffix == ".bc":
        return "code of a part"
    if PARTS in path.parts:
        return "index of a part" if path.suffix == ".nbi" else "entry of a part"
    return PROGRAM_INDEX if path.suffix == ".nbi" else "entry of a program"


def files_of(cache: Path) -> dict[str, list[Path]]:
    """Return the files of a cache by kind, relative to its folder."""
    found: dict[str, list[Path]] = {}
    for path in sorted(cache.rglob("*")):
        if path.suffix in {".nbi", ".nbc", ".bc"}:
            found.setdefault(kind_of(path), []).append(path.relative_to(cache))
    return found


def forget_programs(cache: Path) -> None:
    """Delete the indexes of all programs, so that they are compiled again from their parts."""
    for path in files_of(cache)[PROGRAM_INDEX]:
        (cache / path).unlink()


def damage(cache: Path, seed: int) -> tuple[str, list[Path]]:
    """Damage a cache; return in which way, and the changed files relative to its folder.

    Damage to a part is seen only if its program is compiled again, so the indexes of all programs
    are deleted before a part is damaged.  Files of the same folder are exchanged, if it has two.
    """
    rng = np.random.default_rng(seed)
    files = files_of(cache)
    kind = sorted(files)[rng.integers(len(files))]
    if "part" in kind:
        forget_programs(cache)
    how = str(rng.choice(list(SHARES), p=list(SHARES.values())))
    chosen = [files[kind][k] for k in rng.permutation(len(files[kind]))]
    content = (cache / chosen[0]).read_bytes()
    if how == SWAP:
        first, second = sorted(chosen, key=lambda path: path.parent != chosen[0].parent)[:2]
        (cache / first).write_bytes((cache / second).read_bytes())
        (cache / second).write_bytes(content)
        return how, [first, second]
    (cache / chosen[0]).write_bytes(DAMAGES[how](content, rng))
    return how, chosen[:1]


# ---------------------------------------------------------------------------------- one process


def play(config: Cache, cache: Path) -> tuple[str, set[str], str]:
    """Play the fixed game in a process with a cache.

    Returns:
        The digest of the game, the files that were opened, and what went wrong, "" if nothing did.
    """
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),
        "SPRAWL_ENV_CACHE": str(cache),
        "SPRAWL_ENV_QUIET": "1",
    }
    try:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, config.game, str(cache)],
            check=False,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return "", set(), f"the process did not end within {SECONDS} seconds"
    if done.returncode or done.stderr:
        says = f"exit code {done.returncode}: {done.stderr[-LONGEST:]}"
        return "", set(), says
    found = json.loads(done.stdout)
    return found["digest"], set(found["opened"]), ""


def loaded_again(config: Cache, cache: Path, damaged: dict[Path, bytes], opened: set[str]) -> str:
    """Return which damaged file is still in use, "" if none is.

    A kernel that is compiled again can have another name; then the damaged file remains, unused.
    """
    kept = {
        str(path)
        for path, content in damaged.items()
        if (cache / path).exists() and (cache / path).read_bytes() == content
    }
    if not kept & opened:
        return ""
    if all("part" in kind_of(path) for path in damaged):
        forget_programs(cache)
    _, again, wrong = play(config, cache)
    if wrong or not kept & again:
        return wrong
    return f"{', '.join(sorted(kept & again))}: was loaded although it is damaged"


def try_damage(config: Cache, whole: Path, digest: str, number: int) -> Row:
    """Play with a copy of a cache after damaging it; return the row of the journal."""
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "cache"
        shutil.copytree(whole, cache)
        how, changed = damage(cache, combine(config.seed, number))
        damaged = {path: (cache / path).read_bytes() for path in changed}
        found, opened, wrong = play(config, cache)
        if not wrong and found != digest:
            wrong = "the game differs"
        wrong = wrong or loaded_again(config, cache, damaged, opened)
    about = {"number": number, "kind": kind_of(changed[0]), "how": how}
    failures = []
    if wrong:
        texts = {str(path): base64.b64encode(text).decode() for path, text in damaged.items()}
        content = {**about, "wrong": wrong, "files": texts}
        failures.append(save_failure(config.out, f"cache-{config.seed}-{number}", content))
    read = any(str(path) in opened for path in changed)
    seconds = time.perf_counter() - started
    return {**about, "read": read, "seconds": seconds, "failures": failures}


# ------------------------------------------------------------------------------------- all of it


def check(config: Cache) -> None:
    """Check the settings.

    Raises:
        InvalidOption: one is not possible, or kernels are not compiled.
    """
    check_seed(config.seed)
    check_positive(flips=config.flips, jobs=config.jobs)
    if not JIT:
        raise InvalidOption("NUMBA_DISABLE_JIT: expected compiled kernels, which are cached")


def fuzz(config: Cache) -> int:
    """Try the damages that are missing and print a table; return the number of failures."""
    check(config)
    settings: dict[str, Any] = {"game": config.game, "seed": config.seed}
    journal = open_journal(config.out, "cache", settings, ROW)
    rows = [row for row in journal.rows if row["number"] < config.flips]
    known = {row["number"] for row in rows}
    for row in _tried(config, [k for k in range(config.flips) if k not in known]):
        journal.append([row])
        rows.append(row)
    console().print(table(rows))
    return sum(len(row["failures"]) for row in rows)


def _tried(config: Cache, left: list[int]) -> Iterator[Row]:
    """Make a cache, try damages with copies of it in processes, yield the rows.

    Raises:
        InvalidOption: the game cannot be played with an undamaged cache.
    """
    bar = count_bar()
    with tempfile.TemporaryDirectory() as folder, bar, ThreadPoolExecutor(config.jobs) as pool:
        whole = Path(folder) / "cache"
        play(config, whole)
        digest, opened, wrong = play(config, whole)
        if wrong or not opened:
            raise InvalidOption(f"{config.game}: cannot be played from a cache: {wrong}")
        shown = bar.add_task("caches", total=config.flips, completed=config.flips - len(left))
        for row in pool.map(lambda number: try_damage(config, whole, digest, number), left):
            yield row
            bar.advance(shown)


def table(rows: list[Row]) -> Table:
    """Return the table of the results: one row a kind of file."""
    shown = Table(title="damaged kernel caches, each played with in a process of its own")
    for k, column in enumerate(("damaged file", "caches", "opened", *SHARES, "s", "failures")):
        shown.add_column(column, justify="right" if k else "left")
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["kind"], []).append(row)
    for name, group in [*sorted(groups.items()), ("all", rows)]:
        counts = [len(group), sum(row["read"] for row in group)]
        counts += [sum(row["how"] == how for row in group) for how in SHARES]
        counts += [round(sum(row["seconds"] for row in group))]
        counts += [sum(len(row["failures"]) for row in group)]
        shown.add_row(escape(printable(name)), *(f"{count:,}" for count in counts))
    return shown
