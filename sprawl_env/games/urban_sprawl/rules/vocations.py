"""Vocations: taking a marker, scoring all markers of a name (US 6.5, ruling U17)."""

from __future__ import annotations

from sprawl_env.games.urban_sprawl.constants import (
    NO_VOCATION,
    POLICE,
    VOCATIONS_A_CARD,
    WEALTH,
)
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import (
    Step,
)
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.kernels.agenda import pop, push, top
from sprawl_env.kernels.compile import kernel


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
        push(state, Step.VOCATION_FROM, seat).vocation = vocation


@kernel
def do_take_from(state: State, seat: int, other: int, vocation: int) -> None:
    """Take a marker from an opponent."""
    state.vocations[other, vocation] -= 1
    state.vocations[seat, vocation] += 1


@kernel
def vocation_of_contract(t: Table, state: State) -> None:
    """Take and score the contract's first vocation, then its second."""
    entry = top(state)
    seat, card, k = int(entry.seat), int(entry.card), int(entry.place)
    pop(state)
    if k == VOCATIONS_A_CARD or t.card_vocation[card, k] == NO_VOCATION:
        return
    vocation = int(t.card_vocation[card, k])
    entry = push(state, Step.TAKE_VOCATION, seat)
    entry.card = card
    entry.place = k + 1
    score_vocation(state, seat, vocation, int(t.card_number[card, k]), True)
    take_vocation(state, seat, vocation)


@kernel
def push_score(state: State, seat: int, number: int, vocation: int, turns_left: int) -> None:
    """Queue the scoring of the seats from ``seat`` on (``Entry.turns_left``)."""
    entry = push(state, Step.SCORE_SEATS, seat)
    entry.number = number
    entry.vocation = vocation
    entry.turns_left = turns_left


@kernel
def push_marker_gain(state: State, seat: int, number: int, left: int) -> None:
    """Queue the decision about the gain of the next of ``left`` markers."""
    entry = push(state, Step.MARKER_GAIN, seat)
    entry.number = number
    entry.left = left


@kernel
def score_vocation(state: State, seat: int, vocation: int, number: int, police: bool) -> None:
    """Let all seats score their markers, clockwise from ``seat``.

    With ``police`` the Police Chief gains both wealth and prestige (US 6.5, ruling U17).
    """
    push_score(state, seat, number, vocation, int(state.num_seats) * 2 + police)


@kernel
def score_seat(state: State) -> None:
    """Let one seat score its markers, then the next seat."""
    entry = top(state)
    seat, number, vocation = int(entry.seat), int(entry.number), int(entry.vocation)
    left, police = int(entry.turns_left) // 2, int(entry.turns_left) % 2
    pop(state)
    if left == 0:
        return
    following = (seat + 1) % int(state.num_seats)
    push_score(state, following, number, vocation, (left - 1) * 2 + police)
    markers = int(state.vocations[seat, vocation])
    if police and state.office[POLICE] == seat:
        state.wealth[seat] += number * markers
        state.prestige[seat] += number * markers
    elif markers > 0:
        push_marker_gain(state, seat, number, markers)


@kernel
def do_marker_gain(state: State, seat: int, money: int) -> None:
    """Gain wealth or prestige for one marker, then decide about the next one."""
    entry = top(state)
    number, left = int(entry.number), int(entry.left)
    pop(state)
    if money == WEALTH:
        state.wealth[seat] += number
    else:
        state.prestige[seat] += number
    if left > 1:
        push_marker_gain(state, seat, number, left - 1)
