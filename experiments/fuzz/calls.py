"""Bad calls of everything public, in child processes: one line of the package's own is the answer.

The callables and their parameters are computed from the package (:mod:`callables`).  A call has
good values for all parameters but one, and a bad one for that.  A call has failed if its process
dies or hangs, if anything but a one-line error of the package is raised, if a value is accepted
that is not good after all, or if records are impossible afterwards or have changed though the call
was refused.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.table import Table

from experiments.fuzz.attempts import GOOD_CALL, WRONG, check_known, plays_in, slots_of
from experiments.fuzz.callables import Target, targets
from experiments.fuzz.running import check_positive, open_journal
from experiments.fuzz.values import values_for
from sprawl_env.arena.journal import Row
from sprawl_env.console import console, count_bar
from sprawl_env.core import registry
from sprawl_env.core.checks import check_seed
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.processes import usable_cores

ROOT: Final = Path(__file__).parents[2]
CHUNK: Final = 400  # calls of one child
START_SECONDS: Final = 600.0  # until a child's first call; a cold cache compiles first
ENDED: Final = ""  # instead of a line, when the child has ended
SHOWN: Final = 30  # failures below the table

Call = tuple[str, str, str, str]  # game, callable, what gets the value, label of the value


ROW: Final = dict.fromkeys(("game", "call", "slot", "value", "verdict", "words"), str)


@dataclass(frozen=True)
class Calls:
    """Make bad calls of every public function, constructor and method in child processes."""

    calls: int = 10_000
    """number of calls, a random choice; 0: all there are"""
    only: tuple[str, ...] = ()
    """words of which one is in the name of each callable that is tried; default: all"""
    games: tuple[str, ...] = ()
    """names of games; default: all"""
    seconds: float = 120.0
    """time limit of one call"""
    jobs: int = usable_cores()
    """number of child processes at the same time"""
    seed: int = 0
    """chooses the calls"""
    out: Path = Path("runs/fuzz")
    """folder for the results; the same command goes on where it was stopped"""


# -------------------------------------------------------------------------------- which calls


def all_calls(games: Sequence[str], found: Sequence[Target]) -> list[Call]:
    """Return every call of some callables in some games."""
    calls: list[Call] = []
    for game in games:
        for target in found:
            if plays_in(target, game):
                calls.append((game, target.name, *GOOD_CALL))
                calls += [
                    (game, target.name, slot.name, label)
                    for slot in slots_of(target, game)
                    for label in values_for(slot.name, slot.kinds)
                ]
    return calls


def chosen_calls(config: Calls) -> list[Call]:
    """Return the calls that are made, those of one game together.

    Raises:
        InvalidOption: a parameter has no known good value, or nothing is left to call.
    """
    found = targets()
    check_known(found)
    words = config.only or ("",)
    found = [target for target in found if any(word in target.name for word in words)]
    if not found:
        raise InvalidOption(f"only: no public callable has {' or '.join(words)} in its name")
    calls = all_calls(config.games or registry.game_names(), found)
    if config.calls:
        order = np.random.default_rng(config.seed).permutation(len(calls))[: config.calls]
        calls = [calls[k] for k in sorted(order.tolist())]
    return calls


# ------------------------------------------------------------------------------ child processes


class Child:
    """A process that makes the calls of one game, one after the other."""

    def __init__(self, game: str, calls: Sequence[tuple[int, Call]], folder: Path) -> None:
        order = {
            "game": game,
            "folder": str(folder),
            "calls": [[number, call[1:]] for number, call in calls],
        }
        path = f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
        self._process = subprocess.Popen(
            [sys.executable, "-m", "experiments.fuzz.attempts"],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(order))
            self._process.stdin.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(ENDED)

    def line(self, seconds: float) -> list[Any] | None:
        """Return the next answer; None if the process has ended.

        Raises:
            queue.Empty: there is none within the time.
        """
        line = self._lines.get(timeout=seconds)
        return None if line == ENDED else json.loads(line)

    def ended_by(self) -> str:
        """Return how the process has ended."""
        code = self._process.wait()
        if code >= 0:
            return f"the process ended with exit code {code}"
        return f"the process was ended by {signal.Signals(-code).name}"

    def kill(self) -> None:
        """End the process and those that it has started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._reader.join()
        if self._process.stdout is not None:
            self._process.stdout.close()


def make_calls(calls: Sequence[tuple[int, Call]], seconds: float) -> Iterator[tuple[int, str, str]]:
    """Make calls of one game in a child; yield the number, verdict and words of each.

    When the child dies or hangs, the call has failed and a new child goes on with the rest.
    """
    left = list(calls)
    while left:
        folder = Path(tempfile.mkdtemp(prefix="fuzz-calls-"))
        inner = folder / "inner" / "folder"  # what is written beside the folder is deleted too
        inner.mkdir(parents=True)
        child = Child(left[0][1][0], left, inner)
        made = 0
        try:
            for number, verdict, words in answers(child, left[0][0], seconds):
                made += 1
                yield number, verdict, words
        finally:
            child.kill()
            shutil.rmtree(folder, ignore_errors=True)
        left = left[made:]


def answers(child: Child, first: int, seconds: float) -> Iterator[tuple[int, str, str]]:
    """Yield what a child answers, until it ends; its end within a call is the last answer."""
    number, limit, begun = first, START_SECONDS, False
    while True:
        try:
            found = child.line(limit)
        except queue.Empty:
            yield number, WRONG, f"no end within {limit:g} seconds"
            return
        limit = seconds
        if found is None:
            how = child.ended_by()
            if begun or limit == START_SECONDS:
                yield number, WRONG, how
            return
        number, begun = found[0], len(found) == 1
        if not begun:
            yield found[0], found[1], found[2]


# --------------------------------------------------------------------------------- all calls


def check(config: Calls) -> None:
    """Check the settings.

    Raises:
        InvalidOption: one is not possible.
    """
    check_seed(config.seed)
    check_positive(jobs=config.jobs)
    if config.calls < 0:
        raise InvalidOption(f"calls {config.calls}: expected 0 or more")
    if not config.seconds > 0:
        raise InvalidOption(f"seconds {config.seconds}: expected more than 0")
    for name in config.games:
        registry.rules_of(name)


def fuzz(config: Calls) -> int:
    """Make the calls that are missing and print a table; return the number of failures."""
    check(config)
    calls = chosen_calls(config)
    settings = {key: getattr(config, key) for key in ("calls", "only", "games", "seed")}
    settings = json.loads(json.dumps(settings))
    journal = open_journal(config.out, "calls", settings, ROW)
    wanted = {call: number for number, call in enumerate(calls)}
    rows = [row for row in journal.rows if call_of(row) in wanted]
    known = {call_of(row) for row in rows}
    left = [(number, call) for call, number in wanted.items() if call not in known]
    bar = count_bar()
    with bar:
        shown = bar.add_task("calls", total=len(calls), completed=len(calls) - len(left))
        for number, verdict, words in _made(config, left):
            game, name, slot, label = calls[number]
            row = {"game": game, "call": name, "slot": slot, "value": label}
            rows.append({**row, "verdict": verdict, "words": words})
            journal.append([rows[-1]])
            bar.advance(shown)
    failures = [row for row in rows if row["verdict"] == WRONG]
    console().print(table(rows))
    for row in failures[:SHOWN]:
        console().print(
            f"{row['game']}: {row['call']}({row['slot']} = {row['value']}): {row['words']}",
            markup=False,
            highlight=False,
        )
    return len(failures)


def call_of(row: Row) -> Call:
    """Return the call of a row of the journal."""
    return row["game"], row["call"], row["slot"], row["value"]


def _made(config: Calls, left: list[tuple[int, Call]]) -> Iterator[tuple[int, str, str]]:
    """Make calls in several children at a time; yield their results as they come."""
    chunks: queue.SimpleQueue[list[tuple[int, Call]]] = queue.SimpleQueue()
    results: queue.SimpleQueue[tuple[int, str, str] | None] = queue.SimpleQueue()
    for game in dict.fromkeys(call[0] for _, call in left):
        own = [(number, call) for number, call in left if call[0] == game]
        for start in range(0, len(own), CHUNK):
            chunks.put(own[start : start + CHUNK])

    def work() -> None:
        try:
            while True:
                for result in make_calls(chunks.get_nowait(), config.seconds):
                    results.put(result)
        except queue.Empty:
            results.put(None)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(config.jobs)]
    for thread in threads:
        thread.start()
    running = len(threads)
    while running:
        result = results.get()
        if result is None:
            running -= 1
        else:
            yield result


def table(rows: Sequence[Row]) -> Table:
    """Return the table of the results: one row a game and module."""
    shown = Table(title="bad calls")
    columns = ("game", "module", "callables", "slots", "calls", "refused", "accepted", "failures")
    for k, column in enumerate(columns):
        shown.add_column(column, justify="right" if k > 1 else "left")
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        module = ".".join(row["call"].split(".")[:2])
        for key in ((row["game"], module), (row["game"], "all"), ("all", "all")):
            groups.setdefault(key, []).append(row)
    for (game, module), group in sorted(groups.items(), key=lambda item: item[0]):
        verdicts = Counter(row["verdict"] for row in group)
        callables = {row["call"] for row in group}
        slots = {(row["call"], row["slot"]) for row in group if row["slot"]}
        numbers = (
            *(len(callables), len(slots), len(group)),
            *(verdicts[key] for key in ("refused", "accepted", WRONG)),
        )
        shown.add_row(game, module, *(f"{number:,}" for number in numbers))
    return shown
