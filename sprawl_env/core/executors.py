"""Threads that are never shared with a copy or with a forked process."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Threads:
    """Some threads, which are started when they are first needed.

    A copy, also by ``pickle``, and a forked process have none of them, and start their own.

    Args:
        count: the number of threads.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._executor: ThreadPoolExecutor | None = None
        self._process = 0

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy has."""
        return {**vars(self), "_executor": None}

    def submit(
        self, function: Callable[P, T], *arguments: P.args, **keywords: P.kwargs
    ) -> Future[T]:
        """Call a function in one of the threads; see ``concurrent.futures.Executor.submit``."""
        if self._executor is None or self._process != os.getpid():
            self._executor, self._process = ThreadPoolExecutor(self._count), os.getpid()
        return self._executor.submit(function, *arguments, **keywords)

    def stop(self) -> None:
        """Stop the threads when they have finished; the next call starts others."""
        if self._executor is not None and self._process == os.getpid():
            self._executor.shutdown()
        self._executor = None
