"""Hidden information: the order of the face-down cards (ruling U13)."""

from __future__ import annotations

from sprawl_env.games.urban_sprawl.constants import (
    BOTTOM_STACK,
    FIRST_EVENT,
    MIDDLE_STACK,
    NUM_DECKS,
)
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import below, shuffle, sort


@kernel
def redeal_deck(t: Table, state: State, deck: int) -> None:
    """Shuffle a contract deck; the special event stays in the rest of its own stack."""
    cards = state.deck[deck]
    size = int(state.deck_size[deck])
    sort(cards, size)
    at = size
    for k in range(size):
        if t.card_special[cards[k]]:
            at = k
    if at == size:
        shuffle(state, cards, size)
        return
    special = cards[at]
    cards[at] = cards[size - 1]
    shuffle(state, cards, size - 1)
    bottom = BOTTOM_STACK[state.length]
    room = min(bottom + MIDDLE_STACK[state.length], size) - bottom
    place = bottom + below(state, room)
    cards[size - 1] = cards[place]
    cards[place] = special


@kernel
def redeal_planning(state: State) -> None:
    """Shuffle the planning deck; no event comes among the top cards known to be none."""
    cards = state.planning_deck
    size, known = int(state.planning_size), int(state.no_events)
    sort(cards, size)  # permits to the bottom
    permits = 0
    for k in range(size):
        permits += cards[k] < FIRST_EVENT
    shuffle(state, cards, permits)
    for k in range(known):  # permits for the top cards that are known to be no events
        kept = cards[permits - 1 - k]
        cards[permits - 1 - k] = cards[size - 1 - k]
        cards[size - 1 - k] = kept
    shuffle(state, cards, size - known)


@kernel
def redeal(t: Table, state: State) -> None:
    """Resample the order of all face-down cards."""
    for deck in range(NUM_DECKS):
        redeal_deck(t, state, deck)
    redeal_planning(state)
