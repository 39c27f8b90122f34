"""Re-dealing what a seat cannot know (GK §2, §3, G16, G25).

A redeal keeps all that the seat was ever shown and draws uniformly from all deals that agree with
it: cards (``hidden_cards``), tiles (``hidden_tiles``), the draft (``hidden_draft``) and the hidden
answers of others, all of which are taken to be equally likely.  Who knows better what others answer
can let them answer again (``choose_again``).
"""

from __future__ import annotations

from sprawl_env.core.state import NOT_OVER
from sprawl_env.games.ginkgopolis.actions import NEW_HAND
from sprawl_env.games.ginkgopolis.constants import HAND_SIZE, NO_CARD, NO_TILE, Step
from sprawl_env.games.ginkgopolis.rules.hidden_cards import redeal_cards
from sprawl_env.games.ginkgopolis.rules.hidden_draft import random_pick, redeal_packs
from sprawl_env.games.ginkgopolis.rules.hidden_tiles import redeal_returns, redeal_tiles
from sprawl_env.games.ginkgopolis.rules.passes import ask, asked_seat
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.kernels.agenda import pop, push, top
from sprawl_env.kernels.bits import count_bits, lowest
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.masks import NO_ACTION
from sprawl_env.kernels.rng import below


@kernel
def redeal(t: Table, state: State, seat: int) -> None:
    """Resample everything that the seat cannot know."""
    if state.over != NOT_OVER:
        return
    step = int(top(state).step)
    if step == Step.DRAFT:
        redeal_packs(t, state, seat)
    redeal_cards(state, seat)
    redeal_tiles(state, seat)
    for other in range(state.num_seats):
        if other != seat:
            redeal_choice(state, other, step)
    if step == Step.RETURN:
        redeal_returns(state, seat)


@kernel
def redeal_choice(state: State, seat: int, step: int) -> None:
    """Resample a seat's hidden answers from everything it could choose."""
    if step == Step.DRAFT:
        if has_answered(state, seat):
            state.chosen[seat] = random_pick(state, seat)
    elif step == Step.CARD and has_answered(state, seat):
        choose_anything(state, seat)
    elif state.chosen[seat] != NO_CARD:
        state.chosen[seat] = random_card(state, seat)
        redeal_tile_on_card(state, seat, step)


@kernel
def redeal_tile_on_card(state: State, seat: int, step: int) -> None:
    """Resample the tile on a card; whether there is one is public once all have chosen (G16)."""
    tiles = int(state.tiles[seat])
    if step == Step.TILE and has_answered(state, seat):
        number = below(state, count_bits(tiles) + 1) - 1
        state.chosen_tile[seat] = NO_TILE if number < 0 else nth_tile(tiles, number)
    elif state.chosen_tile[seat] != NO_TILE:
        state.chosen_tile[seat] = nth_tile(tiles, below(state, count_bits(tiles)))


@kernel
def nth_tile(tiles: int, number: int) -> int:
    """Return a tile of a set, counted from 0 in ascending order."""
    for _ in range(number):
        tiles &= tiles - 1
    return lowest(tiles)


@kernel
def has_answered(state: State, seat: int) -> bool:
    """Return whether the seat was asked in this pass and has answered."""
    return bool(((int(state.asked) & ~int(state.owes)) >> seat) & 1)


@kernel
def choose_anything(state: State, seat: int) -> None:
    """Choose a random card of the hand or, with a token, perhaps a new hand."""
    again = int(state.again) & ~(1 << seat)
    state.chosen[seat] = random_card(state, seat)
    if state.tokens[seat] > 0 and below(state, HAND_SIZE + 1) == 0:
        state.chosen[seat] = NO_CARD
        again |= 1 << seat
    state.again = again


@kernel
def random_card(state: State, seat: int) -> int:
    """Return a random card of a hand."""
    count = 0
    for k in range(HAND_SIZE):
        count += state.hand[seat, k] != NO_CARD
    left = below(state, count)
    for k in range(HAND_SIZE):
        if state.hand[seat, k] != NO_CARD:
            if left == 0:
                return int(state.hand[seat, k])
            left -= 1
    return NO_CARD


@kernel
def choose_again(state: State, seat: int) -> int:
    """Let the others choose again what they have chosen in secret; return what they did not choose.

    These are picks, cards and tiles, until all have chosen (GK §3).  A card is chosen again with
    its tile, but no new hand, which the seat would have seen (G1).  Returned tiles, hidden answers
    after that, and what the others chose before the seat's own new hand stay as the redeal has
    drawn them.
    """
    step = int(top(state).step)
    if state.over != NOT_OVER or step > Step.TILE:
        return NO_ACTION
    take_back_answers(state, seat)
    excluded = NO_ACTION
    if step == Step.TILE and state.num_seats > 1:
        take_back_cards(state, seat)
        excluded = NEW_HAND
    state.to_play = asked_seat(state)
    return excluded


@kernel
def take_back_answers(state: State, seat: int) -> None:
    """Take back what others have answered in this pass, so that they owe it again."""
    for other in range(state.num_seats):
        if other != seat and has_answered(state, other):
            if top(state).step == Step.TILE:
                state.chosen_tile[other] = NO_TILE
            else:
                state.chosen[other] = NO_CARD
            state.owes = int(state.owes) | (1 << other)
            state.again = int(state.again) & ~(1 << other)
            state.ply -= 1


@kernel
def take_back_cards(state: State, seat: int) -> None:
    """Go back to the choice of cards, of which the seat has made its own."""
    everyone = (1 << int(state.num_seats)) - 1
    for other in range(state.num_seats):
        if other != seat:
            state.chosen[other] = NO_CARD
            state.ply -= 1
    pop(state)
    push(state, Step.CARD, 0)
    ask(state, everyone)
    state.owes = everyone & ~(1 << seat)
