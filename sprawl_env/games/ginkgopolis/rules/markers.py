"""Where an urbanization marker goes (rulings G4, G21)."""

from __future__ import annotations

from typing import Final

from sprawl_env.games.ginkgopolis.constants import (
    NO_LETTER,
    NO_SIDE,
    NO_SITE,
    NUM_LETTERS,
    Step,
)
from sprawl_env.games.ginkgopolis.rules.city import cell_of, is_free, on_contour
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.kernels.agenda import pop, push
from sprawl_env.kernels.compile import kernel

ANTICLOCKWISE: Final = -1
CLOCKWISE: Final = 1


@kernel
def may_stand_beside(state: State, site: int, direction: int) -> bool:
    """Case (1): return whether the cell next to the new tile is free and outside."""
    if state.around[site, 2 * direction] != NO_SITE:
        return False
    side = site * 4 + direction
    return bool(state.contour_at[side] != NO_SIDE and is_free(state, side))


@kernel
def may_stand_beside_any(state: State, site: int) -> bool:
    """Return whether case (1) applies."""
    if site == NO_SITE:
        return False
    possible = 0
    for direction in range(4):
        possible += may_stand_beside(state, site, direction)
    return possible > 0


@kernel
def neighbour(state: State, letter: int, turn: int) -> int:
    """Return the nearest earlier (-1) or later (+1) letter on the contour, or NO_LETTER."""
    for k in range(1, NUM_LETTERS):
        other = (letter + turn * k) % NUM_LETTERS
        if on_contour(state, other):
            return other
    return NO_LETTER


@kernel
def is_repeated(state: State, start: int, place: int) -> bool:
    """Return whether a place between ``start`` and this one faces the same cell."""
    length = int(state.contour_length)
    cell = cell_of(state, state.contour[place % length])
    for earlier in range(start, place):
        if cell_of(state, state.contour[earlier % length]) == cell:
            return True
    return False


@kernel
def find_place(state: State, letter: int, number: int) -> int:
    """Case (2): return the side of a candidate, clockwise from the earlier letter, or NO_SIDE."""
    length = int(state.contour_length)
    earlier, later = neighbour(state, letter, -1), neighbour(state, letter, 1)
    start, stop = 0, length
    if earlier != NO_LETTER:
        start = int(state.contour_at[state.marker[earlier]]) + 1
        stop = int(state.contour_at[state.marker[later]])
        if stop < start:
            stop += length
    for place in range(start, stop):
        side = int(state.contour[place % length])
        if is_free(state, side) and not is_repeated(state, start, place):
            if number == 0:
                return side
            number -= 1
    return NO_SIDE


@kernel
def letter_on(state: State, side: int) -> int:
    """The letter whose marker leans on a side, NO_LETTER if none does."""
    for letter in range(NUM_LETTERS):
        if state.marker[letter] == side:
            return letter
    return NO_LETTER


@kernel
def beyond(state: State, side: int, turn: int) -> int:
    """Return the next side in a direction with a free cell or a marker leaning on it (G21)."""
    length = int(state.contour_length)
    place = int(state.contour_at[side])
    for k in range(1, length):
        found = int(state.contour[(place + turn * k) % length])
        if letter_on(state, found) != NO_LETTER or is_free(state, found):
            return found
    return side


@kernel
def push_length(state: State, letter: int, turn: int) -> int:
    """Case (3): return how many letters would move to make room in one direction."""
    moved = 0
    pushed = neighbour(state, letter, turn)
    while pushed != NO_LETTER and moved < NUM_LETTERS:
        moved += 1
        pushed = letter_on(state, beyond(state, state.marker[pushed], turn))
    return moved


@kernel
def may_push(state: State, letter: int, turn: int) -> bool:
    """Case (3): return whether no fewer letters would move in the other direction."""
    return push_length(state, letter, turn) <= push_length(state, letter, -turn)


@kernel
def do_push(state: State, letter: int, turn: int) -> None:
    """Case (3): each letter takes the place of the next one; the last takes a free cell."""
    pushed = neighbour(state, letter, turn)
    moving = letter
    side = int(state.marker[pushed])
    while pushed != NO_LETTER:
        target = beyond(state, side, turn)
        following = letter_on(state, target)
        state.marker[moving] = side
        moving, pushed, side = pushed, following, target
    state.marker[moving] = side


@kernel
def push_marker(state: State, seat: int, letter: int, site: int, first_letter: int) -> None:
    """Push the move of a marker."""
    entry = push(state, Step.MARKER, seat)
    entry.letter = letter
    entry.site = site
    entry.first_letter = first_letter


@kernel
def next_shut_in(state: State, first_letter: int) -> int:
    """Return the first waiting letter, alphabetically after the first, or NO_LETTER."""
    for k in range(1, NUM_LETTERS):
        letter = (first_letter + k) % NUM_LETTERS
        if (int(state.shut_in) >> letter) & 1:
            return letter
    return NO_LETTER


@kernel
def marker_settled(state: State, seat: int, letter: int, first_letter: int) -> None:
    """Finish a marker's move and ask for the place of the next waiting marker."""
    state.shut_in = int(state.shut_in) & ~(1 << letter)
    pop(state)
    following = next_shut_in(state, first_letter)
    if following != NO_LETTER:
        push_marker(state, seat, following, NO_SITE, first_letter)


@kernel
def begin_marker(state: State, seat: int, letter: int, site: int) -> None:
    """Ask for the card's marker's place, then for those the new tile has shut in (G4)."""
    state.shut_in = 0
    for other in range(NUM_LETTERS):
        if other != letter and not on_contour(state, other):
            state.shut_in = int(state.shut_in) | (1 << other)
    push_marker(state, seat, letter, site, letter)
