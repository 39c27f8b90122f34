"""Threads that step a batch together, each its share of the games.

Between two orders a thread first waits inside its kernel, where it sees the next one at once
(:mod:`sprawl_env.core.signals`); only when none comes for some tenths of a millisecond does it
go to sleep, to be woken by the next.  So ``step`` after ``step`` is shared almost for nothing,
and a batch that nobody steps costs nothing.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sprawl_env.adapters.batch import POSTED, SEED, WHAT, done_at
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.signals import Words, signal, wait_for

_NAP = 20e-6  # seconds that a core is left to those who are not done


@dataclass
class _Room:
    """What the threads of a crew share."""

    orders: Words
    wake: threading.Condition = field(default_factory=threading.Condition)
    asleep: int = 0
    closed: bool = False
    errors: list[BaseException] = field(default_factory=list)

    def close(self) -> None:
        """Let every thread end as soon as it has nothing to do."""
        with self.wake:
            self.closed = True
            self.wake.notify_all()


def _serve(room: _Room, share: int, work: Callable[[], object]) -> None:
    """Do a share of every order until the room is closed."""
    orders, done = room.orders, done_at(share)
    while True:
        try:
            work()
        except BaseException as error:
            room.errors.append(error)
            signal(orders, done, int(orders[POSTED]))
        with room.wake:
            while orders[POSTED] == orders[done]:
                if room.closed:
                    return
                room.asleep += 1
                room.wake.wait()
                room.asleep -= 1


class Crew:
    """The caller's thread and those beside it; those end with this object."""

    def __init__(self, orders: Words, work: Sequence[Callable[[], object]]) -> None:
        """Start a thread for every share but the first.

        Args:
            orders: of :func:`~sprawl_env.adapters.batch.new_orders`, for ``len(work)`` shares.
            work: for each share a call of :attr:`~sprawl_env.adapters.batch.BatchKernels.work`;
                it must not hold on to the owner of this object.
        """
        self._room = _Room(orders)
        self._work = work[0]
        self._others = [done_at(share) for share in range(1, len(work))]
        self.close = weakref.finalize(self, self._room.close)
        for share in range(1, len(work)):
            threading.Thread(
                target=_serve, args=(self._room, share, work[share]), daemon=True
            ).start()

    def carry_out(self, what: int, seed: int = 0) -> None:
        """Give an order to all shares; returns when it is carried out.

        Raises:
            InvalidOption: the threads were sent away by ``close()``.
        """
        room = self._room
        if room.closed:
            raise InvalidOption("these games are closed: make new ones to go on")
        self._join()  # the last order may have been interrupted
        orders = room.orders
        orders[WHAT], orders[SEED] = what, seed
        with room.wake:
            signal(orders, POSTED, int(orders[POSTED]) + 1)
            if room.asleep:
                room.wake.notify_all()
        self._work()
        self._join()
        if room.errors:
            raise room.errors.pop()

    def _join(self) -> None:
        """Wait until the others have carried out the last order."""
        orders = self._room.orders
        for at in self._others:
            while not wait_for(orders, at, int(orders[POSTED])):
                time.sleep(_NAP)
