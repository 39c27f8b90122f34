"""A process group for training: every process has its own games, all have the same weights.

Every process runs the same program.  The processes exchange arrays by all-reduce
(:meth:`Team.all_reduce`) and numbers by all-gather (:meth:`Team.all_gather`).  Both use pipes: all
ranks send to rank 0, which adds the arrays and sends the sum back.

Threads would share Python's global lock, which costs about half a core with small networks.
``torch.distributed`` with gloo takes ten times as long as a pipe to add gradients of 200 KB.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from sprawl_env.core.errors import SprawlError
from sprawl_env.core.processes import GUARD, LONGEST_WAIT, UNGUARDED, spawn

Number = TypeVar("Number", bound=np.generic)


class TeamError(SprawlError):
    """Another process of the group ended too early, or sent an array of another size."""


class Team:
    """A process's membership in a process group; ``Team()`` is a group of one.

    All ranks must call the same methods in the same order, with arrays of the same shape and dtype.

    Args:
        rank: this process's number, 0 to ``size - 1``.  Rank 0 writes the files and prints.
        size: number of processes in the group.
        pipes: rank 0: the pipes to the other ranks, in order of rank.  Other ranks: the pipe to
            rank 0.
    """

    def __init__(self, rank: int = 0, size: int = 1, pipes: Sequence[Connection] = ()) -> None:
        self.rank = rank
        self.size = size
        self._pipes = list(pipes)

    def all_reduce(self, values: npt.NDArray[Number]) -> npt.NDArray[Number]:
        """Return the sum of all ranks' arrays; it is bit-identical in every process.

        Raises:
            TeamError: another process has ended.
        """
        if self.size == 1:
            return values
        total = np.array(values, order="C")
        if self.rank != 0:
            self._send(total)
            return self._receive(total).copy()
        for rank in range(1, self.size):
            total += self._receive(total, rank)
        for rank in range(1, self.size):
            self._send(total, rank)
        return total

    def all_gather(self, value: float) -> list[float]:
        """Return all ranks' numbers, in order of rank.

        Raises:
            TeamError: another process has ended.
        """
        values = np.zeros(self.size)
        values[self.rank] = value
        gathered: list[float] = self.all_reduce(values).tolist()
        return gathered

    def barrier(self) -> None:
        """Return when all ranks have called this method.

        Raises:
            TeamError: another process has ended.
        """
        self.all_gather(0.0)

    def _send(self, values: npt.NDArray[Any], rank: int = 1) -> None:
        try:
            self._pipes[rank - 1].send_bytes(values.tobytes())
        except OSError:
            raise TeamError(ENDED) from None

    def _receive(self, like: npt.NDArray[Number], rank: int = 1) -> npt.NDArray[Number]:
        try:
            received = self._pipes[rank - 1].recv_bytes()
        except (EOFError, OSError):
            raise TeamError(ENDED) from None
        if len(received) != like.nbytes:
            raise TeamError(
                f"training processes disagree: expected {like.nbytes} bytes, got {len(received)}"
            )
        return np.frombuffer(received, like.dtype).reshape(like.shape)


ENDED = "a training process has ended; resume the run with --resume, or use --processes 1"


@contextmanager
def start(size: int, program: Callable[..., Any], *arguments: Any) -> Iterator[Team]:
    """Start ranks 1 to ``size - 1`` and yield the ``Team`` of rank 0; stop them on exit.

    Args:
        size: number of processes in the group, including this one.
        program: what the other ranks run, as ``program(team, *arguments)``.  It must be importable.
        arguments: passed to ``program``; they must be picklable.
    """
    others = [spawn(_run_rank, program, rank, size, arguments) for rank in range(1, size)]
    try:
        yield Team(0, size, [pipe for _, pipe in others])
    except BaseException as error:
        if isinstance(error, TeamError):
            ended = wait([process.sentinel for process, _ in others], LONGEST_WAIT)
            for process, _ in others:
                process.join(LONGEST_WAIT if process.sentinel in ended else 0)
        codes = [process.exitcode for process, _ in others]
        for process, _ in others:
            process.kill()
        if UNGUARDED in codes:
            raise TeamError(GUARD) from None
        raise
    finally:
        for process, pipe in others:
            process.join(LONGEST_WAIT)
            process.kill()
            process.join()
            pipe.close()


def _run_rank(
    pipe: Connection, program: Callable[..., Any], rank: int, size: int, arguments: tuple[Any, ...]
) -> None:
    """Run the program in a process with rank 1 or more; return silently if rank 0 has ended."""
    try:
        program(Team(rank, size, [pipe]), *arguments)
    except TeamError:
        return
