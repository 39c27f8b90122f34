"""Simultaneous answers: a pass asks seat by seat and applies all answers together (GK §3)."""

from __future__ import annotations

from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.kernels.agenda import push
from sprawl_env.kernels.compile import kernel


@kernel
def ask(state: State, seats: int) -> None:
    """Begin a pass in which a set of seats owe an answer."""
    state.owes = seats
    state.asked = seats
    state.again = 0


@kernel
def ask_all(state: State, step: int) -> None:
    """Push a decision of all seats on the agenda."""
    state.pass_number = 0
    ask(state, (1 << int(state.num_seats)) - 1)
    push(state, step, 0)


@kernel
def ask_again(state: State) -> None:
    """Begin the next pass of the same decision, with the seats that owe another answer."""
    state.pass_number += 1
    ask(state, int(state.again))


@kernel
def asked_seat(state: State) -> int:
    """Return the next seat to answer, in seat order from the first player."""
    seats = int(state.num_seats)
    for k in range(seats):
        seat = (int(state.first) + k) % seats
        if (int(state.owes) >> seat) & 1:
            return seat
    return 0


@kernel
def answered(state: State, seat: int) -> bool:
    """Record that a seat has answered; return whether the pass is complete."""
    state.owes = int(state.owes) & ~(1 << seat)
    return bool(state.owes == 0)
