"""Processes that this process starts, and the cores that it may use."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Final

LONGEST_WAIT: Final = 5.0  # seconds, for a killed process to end
UNGUARDED: Final = 78  # exit code of a process whose script would start processes when imported
GUARD: Final = (
    "every process imports the script that starts it: put the script's calls under "
    "if __name__ == '__main__':"
)


def usable_cores() -> int:
    """Return how many cores the process may use: all, or those of ``taskset`` or of a Slurm job."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def spawn(body: Callable[..., None], *arguments: Any) -> tuple[BaseProcess, Connection]:
    """Start a process that runs ``body(pipe, *arguments)``; return it and our end of the pipe.

    It ends when this process does and ignores Ctrl-C, which this process handles; started by
    another thread than the main one, it ignores Ctrl-C as soon as it has imported its modules.

    A process that imports the script of its parent, and comes to this call there, ends with the
    exit code ``UNGUARDED``.
    """
    leave_if_imported()
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_run, args=(body, theirs, arguments))
    with on_interrupt(signal.SIG_IGN):  # inherited by the child
        process.start()
    theirs.close()
    return process, ours


def leave_if_imported() -> None:
    """End a process that imports the script of its parent and comes to this call there."""
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise SystemExit(UNGUARDED)


@contextlib.contextmanager
def on_interrupt(handler: Callable[..., None] | signal.Handlers) -> Iterator[None]:
    """Inside the block, Ctrl-C calls a handler.

    Another thread than the main one changes nothing: Python lets only the main thread set handlers.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:  # None: of the program around Python, which Python cannot set again
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)


def _run(body: Callable[..., None], pipe: Connection, arguments: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # one core a process
    threading.Thread(target=_die_with_parent, daemon=True).start()
    body(pipe, *arguments)


def _die_with_parent() -> None:
    """End this process when its parent ends."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
    os._exit(1)
