"""Worker processes for tasks that run untrusted code: a worker may die or hang, the others go on.

The pools of the standard library break as a whole when a worker dies, and limit the time of a task.
Here the time limit applies to each decision within a task, and a loss names the decision.
"""

from __future__ import annotations

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
from sprawl_env.core.processes import GUARD, LONGEST_WAIT, UNGUARDED, spawn
from sprawl_env.core.state import NOBODY

Watch = Callable[[int, int], None]
Work = Callable[[int, Watch], Any]

NO_TASK: Final = -1
TASK, SEAT, PLY, BEAT = range(4)  # the fields of a worker's status
LOOK_SECONDS: Final = 0.1  # between checks of the workers
PAUSED_SECONDS: Final = 1.0  # a longer time without a check counts for no bot's decision
MOST_WAITING: Final = 8  # tasks queued at a worker, to hide the latency of the pipe
MOST_FALSE_STARTS: Final = 3  # of workers in a row that die before their first task


def unlimited(task: int, seat: int) -> float:
    """Return the seconds that a decision may take where there is no time limit."""
    return float("inf")


class WorkerError(SprawlError):
    """Worker processes that cannot start or die repeatedly, or a cluster that is gone."""


@dataclass(frozen=True)
class Done:
    """A task's value."""

    task: int
    value: Any


@dataclass(frozen=True)
class Lost:
    """A task whose worker died, or was killed because a decision took too long.

    Attributes:
        task: the task.
        seat: whose decision it was; NOBODY outside of decisions.
        ply: which decision.
        exit_code: of the process, negative for a signal; None if it was killed.
    """

    task: int
    seat: int
    ply: int
    exit_code: int | None


@dataclass
class _Worker:
    """One process with its status and its queue."""

    process: BaseProcess
    pipe: Connection
    status: Any
    waiting: list[int] = field(default_factory=list)
    beat: int = 0
    since: float = 0.0

    def read(self) -> list[int]:
        """Return task, seat, ply and beat."""
        return list(self.status)


def _serve(pipe: Connection, start: Callable[[Any], Work], argument: Any, status: Any) -> None:
    """Run the tasks that arrive through the pipe until it closes; the body of a worker."""

    def watch(seat: int, ply: int) -> None:
        status[PLY] = ply
        status[BEAT] += 1  # before the seat, so that no decision seems older than it is
        status[SEAT] = seat

    try:
        work = start(argument)
        while True:
            task = pipe.recv()
            status[TASK] = task
            pipe.send((task, work(task, watch)))
    except (EOFError, BrokenPipeError):  # the parent has ended
        return


class Workers:
    """A pool of worker processes; a context manager.

    Args:
        start: called once in each worker with ``argument``; returns the function that runs a task,
            ``work(task, watch)``, which calls ``watch(seat, ply)`` before each decision of
            untrusted code and ``watch(NOBODY, ply)`` after it.
        argument: picklable.
        count: the number of processes.
        seconds: ``seconds(task, seat)``, the time limit of a decision.
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
        """Run a lost task again."""
        self._tasks.appendleft(task)

    def results(self, tasks: Iterable[int]) -> Iterator[list[Done | Lost]]:
        """Run the tasks, started in this order; yield results as they arrive, several at a time.

        Raises:
            WorkerError: workers die before their first task.
        """
        self._tasks.extend(tasks)
        looked = time.monotonic()
        while self._tasks or any(worker.waiting for worker in self._workers):
            self._fill()
            ready = wait(
                [part for w in self._workers for part in (w.pipe, w.process.sentinel)], LOOK_SECONDS
            )
            before, looked = looked, time.monotonic()
            if looked - before > PAUSED_SECONDS:  # all may have been stopped, by Ctrl-Z for example
                for worker in self._workers:
                    worker.since += looked - before
            found: list[Done | Lost] = []
            for worker in list(self._workers):
                if worker.pipe in ready:
                    found += self._receive(worker)
                if worker.process.sentinel in ready:
                    worker.process.join()
                    found += self._reap(worker, worker.read(), worker.process.exitcode)
                elif self._is_late(worker, status := worker.read()):
                    worker.process.kill()
                    worker.process.join(LONGEST_WAIT)
                    found += self._reap(worker, status, None)
            if found:
                yield found

    def _fill(self) -> None:
        """Start missing workers and fill their queues."""
        busy = sum(bool(worker.waiting) for worker in self._workers)
        wanted = min(self._count, busy + len(self._tasks))
        while len(self._workers) < wanted:
            self._workers.append(self._spawn())
        ahead = max(1, min(MOST_WAITING, len(self._tasks) // (2 * self._count)))
        for worker in self._workers:
            while self._tasks and len(worker.waiting) < ahead:
                worker.waiting.append(self._tasks.popleft())
                try:
                    worker.pipe.send(worker.waiting[-1])
                except OSError:  # it has died, which its sentinel reports
                    break

    def _spawn(self) -> _Worker:
        status = RawArray("q", [NO_TASK, NOBODY, 0, 0])
        process, pipe = spawn(_serve, self._start, self._argument, status)
        return _Worker(process, pipe, status)

    def _receive(self, worker: _Worker) -> list[Done | Lost]:
        """Return the results that a worker has sent."""
        found: list[Done | Lost] = []
        try:
            while worker.pipe.poll():
                task, value = worker.pipe.recv()
                worker.waiting.remove(task)
                found.append(Done(task, value))
                self._false_starts = 0
        except (EOFError, OSError):  # it has died, which its sentinel reports
            pass
        return found

    def _is_late(self, worker: _Worker, status: list[int]) -> bool:
        """Return whether a decision takes longer than allowed, by this process's clock."""
        task, seat, _, beat = status
        now = time.monotonic()
        if beat != worker.beat:
            worker.beat, worker.since = beat, now
        return seat != NOBODY and now - worker.since > self._seconds(task, seat)

    def _reap(self, worker: _Worker, status: list[int], exit_code: int | None) -> list[Done | Lost]:
        """Return a dead worker's last results and its lost task; queue its other tasks again."""
        found = self._receive(worker)
        worker.pipe.close()
        self._workers.remove(worker)
        task, seat, ply, _ = status
        lost = task in worker.waiting
        if lost:
            worker.waiting.remove(task)
            found.append(Lost(task, seat, ply, exit_code))
            self._false_starts = 0
        else:
            self._false_starts += 1
        if self._false_starts > MOST_FALSE_STARTS:
            ends = f"worker processes end before their first task (exit code {exit_code})"
            raise WorkerError(GUARD if exit_code == UNGUARDED else ends)
        self._tasks.extendleft(reversed(worker.waiting))
        return found
