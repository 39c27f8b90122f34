"""The deck, the discards and the hands (GK §3; G1, G8, G12)."""

from __future__ import annotations

from sprawl_env.games.ginkgopolis.constants import (
    HAND_SIZE,
    NO_CARD,
    NUM_LETTERS,
)
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.kernels.bits import lowest
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
    state.known_by[card] = 0
    if state.deck_size == 0:
        form_deck(t, state)
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
def take_from_hand(state: State, seat: int, card: int) -> None:
    """Remove a card from a hand."""
    for k in range(HAND_SIZE):
        if state.hand[seat, k] == card:
            state.hand[seat, k] = NO_CARD


@kernel
def discard_hand(state: State, seat: int) -> None:
    """Discard all cards of a hand."""
    for k in range(HAND_SIZE):
        if state.hand[seat, k] != NO_CARD:
            discard(state, int(state.hand[seat, k]))
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
