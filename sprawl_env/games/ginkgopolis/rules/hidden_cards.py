"""Re-dealing the cards that a seat cannot know: deck, Hal's card and other hands (G12, G25).

The unseen cards fall into classes by the forming of the deck in which they were last shuffled, and
how many cards of each class a hand holds is public.  So a card is only exchanged for another of its
class.  Cards that the seat has passed on stay where they are.  Every deal with these properties is
equally likely: the classes are independent, and each is shuffled as a whole.
"""

from __future__ import annotations

from typing import Final

from sprawl_env.games.ginkgopolis.constants import HAND_SIZE, NO_CARD, NUM_LETTERS
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.kernels.bits import lowest
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import shuffle

GAP: Final = NO_CARD - 1  # an empty place of a hand holds GAP - known_by of the removed card


@kernel
def is_unknown(state: State, seat: int, card: int) -> bool:
    """Return whether there is a card and the seat has not held it since it was drawn."""
    return bool(card >= 0 and (int(state.known_by[card]) >> seat) & 1 == 0)


@kernel
def redeal_cards(state: State, seat: int) -> None:
    """Re-deal the deck, Hal's card and the others' hands, class by class (G25)."""
    size = int(state.deck_size)
    ages = hidden_ages(state, seat)
    redeal_class(state, seat, 0)
    ages &= ~1
    while ages:
        redeal_class(state, seat, lowest(ages))
        ages &= ages - 1
    state.deck[size:] = 0  # these cards are in hands again


@kernel
def hidden_ages(state: State, seat: int) -> int:
    """Return the set of classes of the cards that the seat does not know."""
    ages = 0
    if state.hal_card != NO_CARD:
        ages |= 1 << int(state.age[state.hal_card])
    for other in range(state.num_seats):
        for k in range(HAND_SIZE):
            card = int(state.hand[other, k])
            if other != seat and is_unknown(state, seat, card):
                ages |= 1 << int(state.age[card])
    return ages


@kernel
def redeal_class(state: State, seat: int, age: int) -> None:
    """Re-deal the hidden cards of one class; those of class 0 are also in the deck."""
    letters, tiles = 0, 0
    is_hals = state.hal_card != NO_CARD and state.age[state.hal_card] == age
    start = 0 if age == 0 else int(state.deck_size)
    for k in range(start, state.deck_size):
        card = int(state.deck[k])
        letters, tiles = with_card(letters, tiles, card)
    if is_hals:
        letters, tiles = with_card(letters, tiles, int(state.hal_card))
    for other in range(state.num_seats):
        for k in range(HAND_SIZE):
            card = int(state.hand[other, k])
            if other != seat and is_unknown(state, seat, card) and state.age[card] == age:
                letters, tiles = with_card(letters, tiles, card)
                state.hand[other, k] = GAP - int(state.known_by[card])
                state.known_by[card] = 0
    size = list_cards(state, start, letters, tiles)
    shuffle(state, state.deck[start:], size)
    if is_hals:
        size -= 1
        state.hal_card = state.deck[start + size]
    fill_hands(state, start + size)


@kernel
def with_card(letters: int, tiles: int, card: int) -> tuple[int, int]:
    """Return two sets, of urbanization cards and of tiles of building cards, with a card added."""
    if card < NUM_LETTERS:
        return letters | (1 << card), tiles
    return letters, tiles | (1 << (card - NUM_LETTERS))


@kernel
def list_cards(state: State, start: int, letters: int, tiles: int) -> int:
    """Write the cards of two sets into the deck, in ascending order; return how many."""
    size = start
    while letters:
        state.deck[size] = lowest(letters)
        letters &= letters - 1
        size += 1
    while tiles:
        state.deck[size] = NUM_LETTERS + lowest(tiles)
        tiles &= tiles - 1
        size += 1
    return size - start


@kernel
def fill_hands(state: State, size: int) -> None:
    """Fill the empty places of hands with the last of the first ``size`` cards of the deck."""
    for other in range(state.num_seats):
        for k in range(HAND_SIZE):
            held_by = GAP - int(state.hand[other, k])
            if held_by >= 0:
                size -= 1
                card = int(state.deck[size])
                state.hand[other, k] = card
                state.known_by[card] = held_by
