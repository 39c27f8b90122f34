"""The deck, the discards and the hands (GK §3; G1, G8, G12).

``age`` sorts the cards in hands, and Hal's, into classes by the forming of the deck in which they
were last shuffled (G25): 0 is the current deck's, 1 the next older class of which a hand still
holds a card, and so on.  There are at most 22 classes, so an age fits in a byte.
"""

from __future__ import annotations

from sprawl_env.games.ginkgopolis.constants import (
    HAND_SIZE,
    NO_CARD,
    NUM_LETTERS,
)
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.kernels.bits import count_bits, lowest
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import shuffle


@kernel
def discard(state: State, card: int) -> None:
    """Put a card on the open discard pile."""
    if card < NUM_LETTERS:
        state.discarded_letters |= 1 << card
    else:
        state.discarded |= 1 << (card - NUM_LETTERS)


@kernel
def collect_deck(state: State) -> None:
    """Collect discards and cards of tiles with a worker into the deck; remove workers (G12)."""
    size = 0
    letters = int(state.discarded_letters)
    while letters:
        state.deck[size] = lowest(letters)
        letters &= letters - 1
        size += 1
    tiles = int(state.discarded) | int(state.workers)
    while tiles:
        state.deck[size] = NUM_LETTERS + lowest(tiles)
        tiles &= tiles - 1
        size += 1
    state.deck_size = size
    state.discarded_letters = 0
    state.discarded = 0
    state.workers = 0


@kernel
def grow_older(state: State) -> None:
    """Number the classes of the cards in hands anew: a new deck is being formed (G25)."""
    ages = 1  # the last card drawn is of class 0, and in no hand yet
    for seat in range(state.num_seats):
        for k in range(HAND_SIZE):
            if state.hand[seat, k] != NO_CARD:
                ages |= 1 << int(state.age[state.hand[seat, k]])
    if state.hal_card != NO_CARD:
        ages |= 1 << int(state.age[state.hal_card])
        state.age[state.hal_card] = older(ages, int(state.age[state.hal_card]))
    for seat in range(state.num_seats):
        for k in range(HAND_SIZE):
            card = int(state.hand[seat, k])
            if card != NO_CARD:
                state.age[card] = older(ages, int(state.age[card]))


@kernel
def older(ages: int, age: int) -> int:
    """Return the new number of a class: 1, then in the order of the set of ages in hands."""
    return count_bits(ages & ((1 << age) - 1)) + 1


@kernel
def form_deck(t: Table, state: State) -> None:
    """Form and shuffle a deck; with 1 to 3 seats discard its top cards face up (G12)."""
    collect_deck(state)
    shuffle(state, state.deck, int(state.deck_size))
    for _ in range(t.face_up_cards[state.num_seats]):
        state.deck_size = int(state.deck_size) - 1
        discard(state, int(state.deck[state.deck_size]))


@kernel
def draw_card(t: Table, state: State) -> int:
    """Draw the top card; drawing the last one re-forms the deck at once (G12)."""
    state.deck_size = int(state.deck_size) - 1
    card = int(state.deck[state.deck_size])
    if state.deck_size == 0:
        grow_older(state)
        form_deck(t, state)
        state.age[card] = 1
    return card


@kernel
def draw_to_hand(t: Table, state: State, seat: int) -> None:
    """Draw a card into the first empty place of a hand."""
    card = draw_card(t, state)
    state.known_by[card] = 1 << seat
    for k in range(HAND_SIZE):
        if state.hand[seat, k] == NO_CARD:
            state.hand[seat, k] = card
            return


@kernel
def forget(state: State, card: int) -> None:
    """Erase who has held a card and its class, when everybody sees the card (G25)."""
    state.known_by[card] = 0
    state.age[card] = 0


@kernel
def take_from_hand(state: State, seat: int, card: int) -> None:
    """Remove a card from a hand; it is open from now on."""
    for k in range(HAND_SIZE):
        if state.hand[seat, k] == card:
            state.hand[seat, k] = NO_CARD
    forget(state, card)


@kernel
def discard_hand(state: State, seat: int) -> None:
    """Discard all cards of a hand."""
    for k in range(HAND_SIZE):
        if state.hand[seat, k] != NO_CARD:
            discard(state, int(state.hand[seat, k]))
            forget(state, int(state.hand[seat, k]))
            state.hand[seat, k] = NO_CARD


@kernel
def do_new_hand(t: Table, state: State, seat: int) -> None:
    """Pay the token, discard four cards and draw four (G1)."""
    state.tokens[seat] -= 1
    discard_hand(state, seat)
    for _ in range(HAND_SIZE):
        draw_to_hand(t, state, seat)


@kernel
def pass_hands(state: State) -> None:
    """Pass the unused cards to the next seat clockwise (GK §3)."""
    seats = int(state.num_seats)
    last = seats - 1
    for k in range(HAND_SIZE):
        carried = int(state.hand[last, k])
        for seat in range(seats):
            following = int(state.hand[seat, k])
            state.hand[seat, k] = carried
            if carried != NO_CARD:
                state.known_by[carried] = int(state.known_by[carried]) | (1 << seat)
            carried = following
