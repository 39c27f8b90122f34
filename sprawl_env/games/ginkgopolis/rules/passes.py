"""Simultaneous answers, asked in passes: seat by seat, but effective together (GK §3)."""

from __future__ import annotations

from sprawl_env.core.state import State
from sprawl_env.kernels.agenda import push
from sprawl_env.kernels.compile import kernel


@kernel
def ask(state: State, seats: int) -> None:
    """Begin a pass: a set of seats owe an answer."""
    state.owes = seats
    state.asked = seats
    state.again = 0


@kernel
def ask_all(state: State, step: int) -> None:
    """Put a decision of all seats on the agenda."""
    state.pass_number = 0
    ask(state, (1 << int(state.num_seats)) - 1)
    push(state, step, 0)


@kernel
def ask_again(state: State) -> None:
    """Begin the next pass of the same question, with the seats that owe more."""
    state.pass_number += 1
    ask(state, int(state.again))


@kernel
def asked_seat(state: State) -> int:
    """Return the seat whose turn it is to answer: in seat order from the first player."""
    seats = int(state.num_seats)
    for k in range(seats):
        seat = (int(state.first) + k) % seats
        if (int(state.owes) >> seat) & 1:
            return seat
    return 0


@kernel
def answered(state: State, seat: int) -> bool:
    """Note an answer; return whether it was the last of its pass."""
    state.owes = int(state.owes) & ~(1 << seat)
    return bool(state.owes == 0)
