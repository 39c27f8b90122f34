"""A thread pool whose workers step a batch together, each its share of the games.

Between two orders a worker first polls inside its kernel, where it sees the next order at once
(:mod:`sprawl_env.kernels.signals`).  If no order comes for some time, the worker sleeps until the
next order wakes it.  So giving orders in quick succession costs almost nothing, and an idle batch
uses no processor time.
"""

from __future__ import annotations

import copy
import os
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from sprawl_env.core.batch import POSTED, SEED, STUCK, WHAT, done_at
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.executors import Threads
from sprawl_env.kernels.arrays import Index
from sprawl_env.kernels.signals import Words, signal, wait_for

_LEAST_SHARE = 16  # games; a thread with fewer costs more time than it saves
_NAP = 20e-6  # seconds for which the caller leaves its core to workers that are not done


def forked_in_a_step() -> InvalidOption:
    """Return the error for games whose step only the parent of a forked process finishes."""
    return InvalidOption(
        "these games were being stepped when the process was forked: make new ones"
    )


@dataclass
class _Shared:
    """The data that the threads of a pool share."""

    orders: Words
    condition: threading.Condition = field(default_factory=threading.Condition)
    asleep: int = 0
    stopped: bool = False
    errors: list[BaseException] = field(default_factory=list)
    process: int = field(default_factory=os.getpid)

    def wake(self) -> None:
        """Wake the sleeping workers; the caller holds the lock."""
        if self.asleep:
            self.condition.notify_all()

    def stop(self) -> None:
        """Let every worker end when it has no order to execute; a forked process has none."""
        if os.getpid() != self.process:
            return
        with self.condition:
            self.stopped = True
            self.wake()


def _serve(shared: _Shared, share: int, work: Callable[[], object]) -> None:
    """Execute a worker's share of every order until the pool is stopped."""
    orders, done = shared.orders, done_at(share)
    while True:
        try:
            work()
        except BaseException as error:
            shared.errors.append(error)
            signal(orders, done, int(orders[POSTED]))
        with shared.condition:
            while orders[POSTED] == orders[done]:
                if shared.stopped:
                    return
                shared.asleep += 1
                shared.condition.wait()
                shared.asleep -= 1


def split(games: Index, num_threads: int) -> list[Index]:
    """Divide games among at most ``num_threads`` threads, so that each has enough to do."""
    shares = max(1, min(num_threads, games.size // _LEAST_SHARE))
    edges = np.linspace(0, games.size, shares + 1).astype(np.int64)
    return [games[start:stop] for start, stop in pairwise(edges)]


class Turn:
    """Lets one thread at a time use a batch; the others get an error instead of waiting.

    A thread that was interrupted keeps its turn only until its next call.
    """

    def __init__(self) -> None:
        lock = threading.RLock()
        self.take, self.give = lock.acquire, lock.release  # for callers that need every nanosecond

    def __deepcopy__(self, memo: dict[int, object]) -> Turn:
        """Return a turn that nobody has."""
        return Turn()

    def __enter__(self) -> None:
        """Take the turn.

        Raises:
            InvalidOption: another thread has it, or had it when the process was forked.
        """
        if not self.take(False):
            raise self.taken()

    def __exit__(self, *error: object) -> None:
        """Give the turn back."""
        self.give()

    def taken(self) -> InvalidOption:
        """Return the error for a thread that cannot have the turn."""
        return InvalidOption(
            "these games are in use by another thread: expected one call at a time"
        )


class ThreadPool:
    """The caller's thread, which executes share 0, and one worker for each other share.

    The workers start with the first order.  They end when the pool is stopped or deleted.
    """

    def __init__(self, orders: Words, work: Sequence[Callable[[], object]]) -> None:
        """Make a pool.

        Args:
            orders: from :func:`~sprawl_env.core.batch.new_orders`, for ``len(work)`` shares.
            work: for each share a call of :attr:`~sprawl_env.core.batch.BatchKernels.work`.  It
                must not refer to this object or its owner, which would never be deleted.
        """
        self._orders = orders
        self._work = work
        self._shared: _Shared | None = None
        self._stopped = False

    def __deepcopy__(self, memo: dict[int, Any]) -> ThreadPool:
        """Return a pool that starts workers of its own; the last order must be finished."""
        made = ThreadPool(copy.deepcopy(self._orders, memo), copy.deepcopy(self._work, memo))
        made._stopped = self._stopped
        return made

    @property
    def stopped(self) -> bool:
        """Whether the pool takes no more orders."""
        return self._stopped

    def stop(self) -> None:
        """Stop the workers; the pool takes no more orders."""
        self._stopped = True
        if self._shared is not None:
            self._shared.stop()

    def wait(self) -> None:
        """Wait until the last order is finished, even if its caller was interrupted.

        Raises:
            InvalidOption: the pool was stopped, or the process was forked during an order.
        """
        if self._stopped:
            raise InvalidOption("these games are closed: make new ones to go on")
        shared = self._shared
        if shared is None:
            return
        if os.getpid() != shared.process:
            self._forget()
            return
        for share in range(1, len(self._work)):
            while not wait_for(self._orders, done_at(share), int(self._orders[POSTED])):
                with shared.condition:
                    shared.wake()  # the caller may have been interrupted before it woke them
                time.sleep(_NAP)

    def _forget(self) -> None:
        """Forget the workers, which a forked process does not have; new ones are started."""
        posted = self._orders[POSTED]
        if any(self._orders[done_at(share)] != posted for share in range(1, len(self._work))):
            self._stopped = True
            raise forked_in_a_step()
        self._shared = None

    def run(self, what: int, seed: int = 0) -> None:
        """Give an order to all shares; return when it is finished.

        Raises:
            InvalidOption: the pool was stopped, or a thread could not be started.
        """
        self.wait()
        orders = self._orders
        orders[WHAT], orders[SEED], orders[STUCK] = what, seed, 0
        if len(self._work) > 1:
            self._post(self._shared or self._start())
        self._work[0]()
        self.wait()
        if self._shared is not None and self._shared.errors:
            raise self._shared.errors[0]

    def _post(self, shared: _Shared) -> None:
        """Signal the workers that there is a new order."""
        shared.errors.clear()
        with shared.condition:
            if shared.stopped:
                raise InvalidOption("these games were closed by another thread")
            signal(self._orders, POSTED, int(self._orders[POSTED]) + 1)
            shared.wake()

    def _start(self) -> _Shared:
        """Start the workers.

        Raises:
            InvalidOption: a thread could not be started; there are no workers then.
        """
        shared, started = _Shared(self._orders), []
        try:
            for share, work in enumerate(self._work[1:], 1):
                thread = threading.Thread(target=_serve, args=(shared, share, work), daemon=True)
                thread.start()
                started.append(thread)
        except BaseException as error:
            shared.stop()
            for thread in started:
                thread.join()
            if not isinstance(error, RuntimeError):
                raise
            raise InvalidOption(
                f"num_threads={len(self._work)}: only {len(started) + 1} threads could be started"
            ) from None
        self._shared = shared
        weakref.finalize(self, shared.stop)
        return shared


class OneOrderPool:
    """A thread pool for calls that are far apart: its workers sleep between them.

    The workers start with the first calls.  A copy and a forked process start their own.

    Args:
        work: the calls, the first for the caller's thread, one thread for each other; they release
            the GIL.
    """

    def __init__(self, work: Sequence[Callable[[], None]]) -> None:
        self._work = work
        self._threads = Threads(max(1, len(work) - 1))
        self._running: list[Future[None]] = []
        self._process = os.getpid()

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy has."""
        return {**vars(self), "_running": []}

    def wait(self) -> None:
        """Wait until the last calls are finished, even if their caller was interrupted."""
        if self._process == os.getpid():
            wait(self._running)
        self._running, self._process = [], os.getpid()

    def run(self) -> None:
        """Make all calls at the same time; return when all are finished."""
        self.wait()
        first, *others = self._work
        for each in others:
            self._running.append(self._threads.submit(each))
        running = self._running
        try:
            first()
        finally:
            wait(running)  # a second interruption leaves them to the next call
        for done in running:
            done.result()

    def stop(self) -> None:
        """Stop the workers."""
        self._threads.stop()
