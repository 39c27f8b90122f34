"""Processes that run one training side by side: each plays games of its own, all learn alike.

Every process runs the same program with its own games; where they must agree, they add up what each
found.  Threads would share one Python lock, which costs small networks half of a second core, and
torch.distributed's gloo needs ten times as long to add up gradients of 200 KB as a pipe does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from sprawl_env.arena.workers import LONGEST_WAIT, spawn
from sprawl_env.core.errors import SprawlError

Number = TypeVar("Number", bound=np.generic)


class TeamError(SprawlError):
    """A process of the team has ended before its time."""


class Team:
    """One process's place among those that train together; ``Team()`` is alone.

    All must make the same calls in the same order, with arrays of one shape and type.

    Args:
        rank: which of them this is; 0 leads: it writes files and talks to the user.
        size: how many there are.
        pipes: to the others from the leader, by rank; to the leader from the others.
    """

    def __init__(self, rank: int = 0, size: int = 1, pipes: Sequence[Connection] = ()) -> None:
        self.rank = rank
        self.size = size
        self._pipes = list(pipes)

    @property
    def leads(self) -> bool:
        """Whether this process writes files and talks to the user."""
        return self.rank == 0

    def sum(self, values: npt.NDArray[Number]) -> npt.NDArray[Number]:
        """Return the sum of everybody's arrays; to the last bit the same in every process.

        Raises:
            TeamError: another process has ended.
        """
        if self.size == 1:
            return values
        total = np.array(values, order="C")
        if not self.leads:
            self._send(total)
            return self._receive(total).copy()
        for rank in range(1, self.size):
            total += self._receive(total, rank)
        for rank in range(1, self.size):
            self._send(total, rank)
        return total

    def gather(self, value: float) -> list[float]:
        """Return everybody's number, by rank.

        Raises:
            TeamError: another process has ended.
        """
        values = np.zeros(self.size)
        values[self.rank] = value
        found: list[float] = self.sum(values).tolist()
        return found

    def wait(self) -> None:
        """Return when everybody has called this.

        Raises:
            TeamError: another process has ended.
        """
        self.gather(0.0)

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
            raise TeamError(f"processes disagree: {len(received)} bytes came for {like.nbytes}")
        return np.frombuffer(received, like.dtype).reshape(like.shape)


ENDED = "a process that trains along has ended; go on with --resume, or with --processes 1"


@contextmanager
def start(size: int, program: Callable[..., Any], *arguments: Any) -> Iterator[Team]:
    """Start the others and yield the leader's team; at the end they are gone.

    Args:
        size: how many processes, this one included.
        program: what the others run, ``program(team, *arguments)``; importable, as the arguments
            are picklable.
        arguments: see ``program``.
    """
    others = [spawn(_follow, program, rank, size, arguments) for rank in range(1, size)]
    try:
        yield Team(0, size, [pipe for _, pipe in others])
    except BaseException:
        for process, _ in others:
            process.kill()
        raise
    finally:
        for process, pipe in others:
            process.join(LONGEST_WAIT)
            process.kill()
            process.join()
            pipe.close()


def _follow(
    pipe: Connection, program: Callable[..., Any], rank: int, size: int, arguments: tuple[Any, ...]
) -> None:
    """Run the program as one who follows; end quietly if the leader does."""
    try:
        program(Team(rank, size, [pipe]), *arguments)
    except TeamError:
        return
