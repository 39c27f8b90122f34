"""Vocations: taking a marker, scoring all markers of a name (US 6.5, ruling U17)."""

from __future__ import annotations

from sprawl_env.core.state import State
from sprawl_env.games.urban_sprawl.constants import (
    NO_VOCATION,
    POLICE,
    VOCATIONS_A_CARD,
    WEALTH,
    Step,
)
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.old_agenda import SEAT, A, B, C, pop, push, top


@kernel
def opponents_with(state: State, seat: int, vocation: int) -> int:
    """Return the set of the other seats that hold a marker of the vocation."""
    seats = 0
    for other in range(state.num_seats):
        if other != seat and state.vocations[other, vocation] > 0:
            seats |= 1 << other
    return seats


@kernel
def take_vocation(state: State, seat: int, vocation: int) -> None:
    """Take a marker from the supply, or queue the choice of an opponent if it is empty."""
    if state.vocations_left[vocation] > 0:
        state.vocations_left[vocation] -= 1
        state.vocations[seat, vocation] += 1
    elif opponents_with(state, seat, vocation):
        push(state, Step.VOCATION_FROM, seat, vocation)


@kernel
def do_take_from(state: State, seat: int, other: int, vocation: int) -> None:
    """Take a marker from an opponent."""
    state.vocations[other, vocation] -= 1
    state.vocations[seat, vocation] += 1


@kernel
def vocation_of_contract(t: State, state: State) -> None:
    """Take and score the contract's first vocation, then its second."""
    seat, card, k = top(state, SEAT), top(state, A), top(state, B)
    pop(state)
    if k == VOCATIONS_A_CARD or t.card_vocation[card, k] == NO_VOCATION:
        return
    vocation = int(t.card_vocation[card, k])
    push(state, Step.TAKE_VOCATION, seat, card, k + 1)
    score_vocation(state, seat, vocation, int(t.card_number[card, k]), True)
    take_vocation(state, seat, vocation)


@kernel
def score_vocation(state: State, seat: int, vocation: int, number: int, police: bool) -> None:
    """Let all seats score their markers, clockwise from ``seat``.

    With ``police`` the Police Chief gains both wealth and prestige (US 6.5, ruling U17).
    """
    left = int(state.num_seats) * 2 + police
    push(state, Step.SCORE_SEATS, seat, number, vocation, left)


@kernel
def score_seat(state: State) -> None:
    """Let one seat score its markers, then the next seat."""
    seat, number, vocation = top(state, SEAT), top(state, A), top(state, B)
    left, police = top(state, C) // 2, top(state, C) % 2
    pop(state)
    if left == 0:
        return
    following = (seat + 1) % int(state.num_seats)
    push(state, Step.SCORE_SEATS, following, number, vocation, (left - 1) * 2 + police)
    markers = int(state.vocations[seat, vocation])
    if police and state.office[POLICE] == seat:
        state.wealth[seat] += number * markers
        state.prestige[seat] += number * markers
    elif markers > 0:
        push(state, Step.MARKER_GAIN, seat, number, markers)


@kernel
def do_marker_gain(state: State, seat: int, money: int) -> None:
    """Gain wealth or prestige for one marker, then decide about the next one."""
    number, left = top(state, A), top(state, B)
    pop(state)
    if money == WEALTH:
        state.wealth[seat] += number
    else:
        state.prestige[seat] += number
    if left > 1:
        push(state, Step.MARKER_GAIN, seat, number, left - 1)
