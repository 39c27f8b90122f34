"""Threads that step a batch together, each its share of the games.

Between two orders a thread first waits inside its kernel, where it sees the next one at once
(:mod:`sprawl_env.kernels.signals`); only when none comes for a moment does it go to sleep, to be
woken by the next.  So ``step`` after ``step`` is shared almost for nothing, and a batch that
nobody steps costs nothing.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sprawl_env.core.batch import POSTED, SEED, STUCK, WHAT, done_at
from sprawl_env.core.errors import InvalidOption
from sprawl_env.kernels.signals import Words, signal, wait_for

_NAP = 20e-6  # seconds that a core is left to those who are not done


@dataclass
class _Room:
    """What the threads of a crew share."""

    orders: Words
    wake: threading.Condition = field(default_factory=threading.Condition)
    asleep: int = 0
    closed: bool = False
    errors: list[BaseException] = field(default_factory=list)

    def rouse(self) -> None:
        """Wake those who sleep; the caller holds the lock."""
        if self.asleep:
            self.wake.notify_all()

    def close(self) -> None:
        """Let every thread end as soon as it has nothing to do."""
        with self.wake:
            self.closed = True
            self.rouse()


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
    """The caller's thread and those beside it, which end with this object."""

    def __init__(self, orders: Words, work: Sequence[Callable[[], object]]) -> None:
        """Take on a crew; its threads start with the first order.

        Args:
            orders: of :func:`~sprawl_env.core.batch.new_orders`, for ``len(work)`` shares.
            work: for each share a call of :attr:`~sprawl_env.core.batch.BatchKernels.work`;
                it must not hold on to this object or its owner.
        """
        self._orders = orders
        self._work = work
        self._room: _Room | None = None
        self._closed = False

    def close(self) -> None:
        """Send the threads away; there are no orders after that."""
        self._closed = True
        if self._room is not None:
            self._room.close()

    def gather(self) -> None:
        """Wait until the last order is carried out, also if its caller was interrupted.

        Raises:
            InvalidOption: after :meth:`close`.
        """
        if self._closed:
            raise InvalidOption("these games are closed: make new ones to go on")
        room = self._room
        if room is None:
            return
        for share in range(1, len(self._work)):
            while not wait_for(self._orders, done_at(share), int(self._orders[POSTED])):
                with room.wake:
                    room.rouse()  # an interruption may have come before it
                time.sleep(_NAP)

    def carry_out(self, what: int, seed: int = 0) -> None:
        """Give an order to all shares; returns when it is carried out.

        Raises:
            InvalidOption: after :meth:`close`.
        """
        self.gather()
        orders = self._orders
        orders[WHAT], orders[SEED], orders[STUCK] = what, seed, 0
        if len(self._work) > 1:
            self._post(self._room or self._start())
        self._work[0]()
        self.gather()
        if self._room is not None and self._room.errors:
            raise self._room.errors[0]

    def _post(self, room: _Room) -> None:
        """Tell the others that there is an order."""
        room.errors.clear()
        with room.wake:
            if room.closed:
                raise InvalidOption("these games were closed by another thread")
            signal(self._orders, POSTED, int(self._orders[POSTED]) + 1)
            room.rouse()

    def _start(self) -> _Room:
        """Start a thread for every share but the first."""
        self._room = room = _Room(self._orders)
        weakref.finalize(self, room.close)
        for share, work in enumerate(self._work[1:], 1):
            threading.Thread(target=_serve, args=(room, share, work), daemon=True).start()
        return room
