"""The six decisions of *Ginkgopolis*: what each marks as legal and what its actions do (GK §6).

The first four are answered in passes (GK §3): an action only records the seat's answer, and
``flow.end_pass`` applies the answers of all seats together.  ``mark_*`` writes the mask; the
conditions (``may_*``) are in the modules of their chapters.
"""

from __future__ import annotations

from sprawl_env.games.ginkgopolis.actions import (
    BESIDE,
    CARD,
    DONE,
    DRAFT,
    NEW_HAND,
    PLACE,
    RETURN,
    TAKE,
    WITH_TILE,
    WITHOUT_TILE,
)
from sprawl_env.games.ginkgopolis.constants import (
    HAND_SIZE,
    NEW_HAND_CARD,
    NO_CARD,
    NO_SIDE,
    NUM_KINDS,
    NUM_TILES,
    Gain,
)
from sprawl_env.games.ginkgopolis.rules.draft import may_pick
from sprawl_env.games.ginkgopolis.rules.gains import (
    gain_resources,
    may_return,
    may_take_resource,
    may_take_tile,
    push_tiles,
)
from sprawl_env.games.ginkgopolis.rules.markers import (
    ANTICLOCKWISE,
    CLOCKWISE,
    do_push,
    find_place,
    marker_settled,
    may_push,
    may_stand_beside,
    may_stand_beside_any,
)
from sprawl_env.games.ginkgopolis.rules.rounds import may_ask_new_hand
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.kernels.agenda import pop, top
from sprawl_env.kernels.arrays import Mask
from sprawl_env.kernels.bits import lowest
from sprawl_env.kernels.compile import kernel

# Step.DRAFT: pick a character (G11) ----------------------------------------------


@kernel
def mark_picks(state: State, seat: int, mask: Mask) -> None:
    """Mark the kinds of character in the pack that the seat holds (G11)."""
    for kind in range(NUM_KINDS):
        mask[DRAFT + kind] = may_pick(state, seat, kind)


@kernel
def do_pick(state: State, seat: int, kind: int) -> None:
    """Record the seat's pick."""
    state.chosen[seat] = kind


# Step.CARD: choose a card or a new hand (GK §3, G1) ------------------------------


@kernel
def mark_cards(state: State, seat: int, mask: Mask) -> None:
    """Mark every card in the hand, and a new hand if a token is left (G1)."""
    for k in range(HAND_SIZE):
        if state.hand[seat, k] != NO_CARD:
            mask[CARD + int(state.hand[seat, k])] = 1
    mask[NEW_HAND] = may_ask_new_hand(state, seat)


@kernel
def do_choose_card(state: State, seat: int, card: int) -> None:
    """Record the chosen card, or a new hand, after which the seat chooses again (G1)."""
    if card == NEW_HAND_CARD:
        state.again = int(state.again) | (1 << seat)
    else:
        state.chosen[seat] = card


# Step.TILE: put a tile on the card or not (GK §3, G2) ----------------------------


@kernel
def mark_tiles(state: State, seat: int, mask: Mask) -> None:
    """Mark every tile behind the screen, payable or not, and no tile (G2)."""
    tiles = int(state.tiles[seat])
    while tiles:
        mask[WITH_TILE + lowest(tiles)] = 1
        tiles &= tiles - 1
    mask[WITHOUT_TILE] = 1


@kernel
def do_choose_tile(state: State, seat: int, tile: int) -> None:
    """Record the tile put on the card; it stays behind the screen until it is revealed (G16)."""
    state.chosen_tile[seat] = tile


# Step.RETURN: return tiles after the first run-out (G5, G23) ---------------------


@kernel
def mark_returns(state: State, seat: int, mask: Mask) -> None:
    """Mark tiles in ascending order only, and done (G5, GK §6)."""
    for tile in range(NUM_TILES):
        mask[RETURN + tile] = may_return(state, seat, tile)
    mask[DONE] = 1


@kernel
def do_return(state: State, seat: int, tile: int) -> None:
    """Put a tile aside; the seat is asked again in the next pass (G23)."""
    state.tiles[seat] &= ~(1 << tile)
    state.returning[seat] |= 1 << tile
    state.again = int(state.again) | (1 << seat)


# Answers given in passes: the four decisions above (GK §3) -----------------------


@kernel
def answer(state: State, seat: int, action: int) -> None:
    """Record a seat's answer; without a tile or done returning, there is nothing to record."""
    if action < NEW_HAND:
        do_pick(state, seat, action - DRAFT)
    elif action == NEW_HAND:
        do_choose_card(state, seat, NEW_HAND_CARD)
    elif action < WITH_TILE:
        do_choose_card(state, seat, action - CARD)
    elif action < WITHOUT_TILE:
        do_choose_tile(state, seat, action - WITH_TILE)
    elif action >= RETURN and action < DONE:
        do_return(state, seat, action - RETURN)


# Step.GAIN: a resource or a tile for an urbanization card played alone (G15) ------


@kernel
def mark_gains(state: State, seat: int, mask: Mask) -> None:
    """Mark what the supply still has: a resource of the seat, a tile (G15)."""
    mask[TAKE] = may_take_resource(state, seat)
    mask[TAKE + 1] = may_take_tile(state)


@kernel
def do_take(state: State, seat: int, what: int) -> None:
    """Take a resource or a tile (G15)."""
    pop(state)
    if what == Gain.RESOURCE:
        gain_resources(state, seat, 1)
    else:
        push_tiles(state, seat, 1)


# Step.MARKER: move an urbanization marker (G4) ------------------------------------


@kernel
def mark_places(state: State, letter: int, site: int, mask: Mask) -> None:
    """Mark where a marker may go: the first case of G4 that applies."""
    if may_stand_beside_any(state, site):
        for direction in range(4):
            mask[BESIDE + direction] = may_stand_beside(state, site, direction)
        return
    number = 0
    while find_place(state, letter, number) != NO_SIDE:
        mask[PLACE + number] = 1
        number += 1
    if number == 0:
        mask[PLACE] = may_push(state, letter, ANTICLOCKWISE)
        mask[PLACE + 1] = may_push(state, letter, CLOCKWISE)


@kernel
def do_place_marker(state: State, seat: int, action: int) -> None:
    """Move a marker to the chosen place (G4)."""
    entry = top(state)
    letter, site = int(entry.letter), int(entry.site)
    first_letter = int(entry.first_letter)
    if action < PLACE:
        state.marker[letter] = site * 4 + action - BESIDE
    else:
        side = find_place(state, letter, action - PLACE)
        if side != NO_SIDE:
            state.marker[letter] = side
        else:
            do_push(state, letter, ANTICLOCKWISE if action == PLACE else CLOCKWISE)
    marker_settled(state, seat, letter, first_letter)
