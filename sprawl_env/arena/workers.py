"""Worker processes for tasks that run other people's code: each may die or stall, the rest go on.

(The pools of the standard library and their kin break as a whole when a worker dies, or limit the
time of a task; here the limit is on each decision within a task, and the loss names the decision.)
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.sharedctypes import RawArray
from types import TracebackType
from typing import Any, Final

from sprawl_env.core.errors import SprawlError

Watch = Callable[[int, int], None]
Work = Callable[[int, Watch], Any]

NO_TASK: Final = -1
NO_SEAT: Final = -1
TASK, SEAT, PLY, BEAT = range(4)  # what a worker shows of itself
LOOK_SECONDS: Final = 0.1  # between looks at the workers
MOST_WAITING: Final = 8  # tasks handed to a worker ahead, to hide the way to and fro
MOST_FALSE_STARTS: Final = 3  # of workers in a row that die before their first task
LONGEST_WAIT: Final = 5.0  # for a killed process to be gone


class WorkerError(SprawlError):
    """Worker processes that do not even start."""


@dataclass(frozen=True)
class Done:
    """A task's value."""

    task: int
    value: Any


@dataclass(frozen=True)
class Lost:
    """A task whose worker died, or was ended because a decision took too long.

    Attributes:
        seat: whose decision it was; NO_SEAT outside of decisions.
        ply: which decision.
        exit_code: of the process, negative for a signal; None if it was ended for stalling.
    """

    task: int
    seat: int
    ply: int
    exit_code: int | None


@dataclass
class _Worker:
    """One process, with what it shows and what it has been handed."""

    process: BaseProcess
    pipe: Connection
    status: Any
    waiting: list[int] = field(default_factory=list)
    beat: int = 0
    since: float = 0.0

    def shown(self) -> list[int]:
        """Return task, seat, ply and beat."""
        return list(self.status)


def spawn(body: Callable[..., None], *arguments: Any) -> tuple[BaseProcess, Connection]:
    """Start a process that runs ``body(pipe, *arguments)``; returns it and our end of the pipe.

    It ends when this process does, whatever it is doing, and leaves Ctrl-C to this process.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_run, args=(body, theirs, arguments))
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)  # inherited: Ctrl-C is for us
    try:
        process.start()
    finally:
        signal.signal(signal.SIGINT, handler)
    theirs.close()
    return process, ours


def _run(body: Callable[..., None], pipe: Connection, arguments: tuple[Any, ...]) -> None:
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # one core a process
    threading.Thread(target=_die_with_parent, daemon=True).start()
    body(pipe, *arguments)


def _serve(pipe: Connection, start: Callable[[Any], Work], argument: Any, status: Any) -> None:
    """Work off the tasks that come down the pipe until it closes; the body of a worker."""

    def watch(seat: int, ply: int) -> None:
        status[PLY] = ply
        status[BEAT] += 1  # before the seat: no decision looks older than it is
        status[SEAT] = seat

    try:
        work = start(argument)
        while True:
            task = pipe.recv()
            status[TASK] = task
            pipe.send((task, work(task, watch)))
    except (EOFError, BrokenPipeError):  # the parent has gone
        return


def _die_with_parent() -> None:
    """End this process when its parent does, whatever it is doing."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
    os._exit(1)


class Workers:
    """A handful of worker processes; a context manager, for the main thread.

    Args:
        start: called once in each worker with ``argument``; returns what does a task:
            ``work(task, watch)``, which calls ``watch(seat, ply)`` before each decision of
            somebody's code and ``watch(NO_SEAT, ply)`` after it.
        argument: picklable.
        count: how many processes.
        seconds: ``seconds(task, seat)`` a decision may take.
    """

    def __init__(
        self,
        start: Callable[[Any], Work],
        argument: Any,
        count: int,
        seconds: Callable[[int, int], float],
    ) -> None:
        self._start = start
        self._argument = argument
        self._count = count
        self._seconds = seconds
        self._tasks: deque[int] = deque()
        self._workers: list[_Worker] = []
        self._false_starts = 0

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join(LONGEST_WAIT)
            worker.pipe.close()
        self._workers.clear()

    def again(self, task: int) -> None:
        """Do a lost task once more."""
        self._tasks.appendleft(task)

    def results(self, tasks: Iterable[int]) -> Iterator[list[Done | Lost]]:
        """Do the tasks, begun in this order; yields what has come in, some at a time.

        Raises:
            WorkerError: workers die before their first task.
        """
        self._tasks.extend(tasks)
        while self._tasks or any(worker.waiting for worker in self._workers):
            self._fill()
            ready = wait(
                [part for w in self._workers for part in (w.pipe, w.process.sentinel)], LOOK_SECONDS
            )
            found: list[Done | Lost] = []
            for worker in list(self._workers):
                if worker.pipe in ready:
                    found += self._receive(worker)
                if worker.process.sentinel in ready:
                    worker.process.join()
                    found += self._bury(worker, worker.shown(), worker.process.exitcode)
                elif self._stalls(worker):
                    shown = worker.shown()
                    worker.process.kill()
                    worker.process.join(LONGEST_WAIT)
                    found += self._bury(worker, shown, None)
            if found:
                yield found

    def _fill(self) -> None:
        """Keep the workers alive and busy."""
        while len(self._workers) < min(self._count, len(self._tasks) + len(self._workers)):
            self._workers.append(self._spawn())
        ahead = max(1, min(MOST_WAITING, len(self._tasks) // (2 * self._count)))
        for worker in self._workers:
            while self._tasks and len(worker.waiting) < ahead:
                worker.waiting.append(self._tasks.popleft())
                try:
                    worker.pipe.send(worker.waiting[-1])
                except OSError:  # it has died: its sentinel tells
                    break

    def _spawn(self) -> _Worker:
        status = RawArray("q", [NO_TASK, NO_SEAT, 0, 0])
        process, pipe = spawn(_serve, self._start, self._argument, status)
        return _Worker(process, pipe, status)

    def _receive(self, worker: _Worker) -> list[Done | Lost]:
        """Return what a worker has sent."""
        found: list[Done | Lost] = []
        try:
            while worker.pipe.poll():
                task, value = worker.pipe.recv()
                worker.waiting.remove(task)
                found.append(Done(task, value))
                self._false_starts = 0
        except (EOFError, OSError):  # it has died: its sentinel tells
            pass
        return found

    def _stalls(self, worker: _Worker) -> bool:
        """Tell whether a decision takes longer than it may, by our own clock."""
        task, seat, _, beat = worker.shown()
        now = time.monotonic()
        if beat != worker.beat:
            worker.beat, worker.since = beat, now
        return seat != NO_SEAT and now - worker.since > self._seconds(task, seat)

    def _bury(self, worker: _Worker, shown: list[int], exit_code: int | None) -> list[Done | Lost]:
        """Take what a dead worker still sent; give back its tasks but for the one it lost."""
        found = self._receive(worker)
        worker.pipe.close()
        self._workers.remove(worker)
        task, seat, ply, _ = shown
        lost = task in worker.waiting
        if lost:
            worker.waiting.remove(task)
            found.append(Lost(task, seat, ply, exit_code))
            self._false_starts = 0
        else:
            self._false_starts += 1
        if self._false_starts > MOST_FALSE_STARTS:
            raise WorkerError(f"worker processes end before they begin (exit code {exit_code})")
        self._tasks.extendleft(reversed(worker.waiting))
        return found
