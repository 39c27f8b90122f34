"""Re-dealing what a seat cannot know (GK §2, G5, G11, G12, G16, G23)."""

from __future__ import annotations

from typing import Any, Final

from sprawl_env.core.state import NOT_OVER
from sprawl_env.games.ginkgopolis.constants import (
    HAND_SIZE,
    NO_CARD,
    NO_TILE,
    NOT_TAKEN,
    NUM_TILES,
    Step,
)
from sprawl_env.games.ginkgopolis.rules.draft import pack_of
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.kernels.agenda import top
from sprawl_env.kernels.bits import count_bits, lowest
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import below, shuffle, sort

GAP: Final = NO_CARD - 1  # an empty place of a hand holds GAP - known_by of the removed card


@kernel
def is_unknown(state: State, seat: int, card: int) -> bool:
    """Return whether there is a card and the seat has not held it since it was drawn."""
    return bool(card != NO_CARD and (int(state.known_by[card]) >> seat) & 1 == 0)


@kernel
def redeal_cards(state: State, seat: int) -> None:
    """Re-deal the deck, Hal's card and the others' hands, except cards the seat passed on."""
    size = int(state.deck_size)
    for other in range(state.num_seats):
        for k in range(HAND_SIZE):
            card = int(state.hand[other, k])
            if other != seat and is_unknown(state, seat, card):
                state.deck[size] = card
                size += 1
                state.hand[other, k] = GAP - int(state.known_by[card])
    if state.hal_card != NO_CARD:
        state.deck[size] = state.hal_card
        size += 1
    for k in range(size):
        state.known_by[state.deck[k]] = 0
    sort(state.deck, size)
    shuffle(state, state.deck, size)
    if state.hal_card != NO_CARD:
        size -= 1
        state.hal_card = state.deck[size]
    for other in range(state.num_seats):
        for k in range(HAND_SIZE):
            held_by = GAP - int(state.hand[other, k])
            if held_by >= 0:
                size -= 1
                state.hand[other, k] = state.deck[size]
                state.known_by[state.deck[size]] = held_by
    state.deck[size:] = 0  # these cards are in hands again


@kernel
def redeal_choices(state: State, seat: int) -> None:
    """Resample the hidden answers of other seats from everything they could choose."""
    step = int(top(state).step)
    for other in range(state.num_seats):
        if other == seat:
            continue
        if step == Step.DRAFT:
            if has_answered(state, other):
                state.chosen[other] = random_pick(state, other)
            continue
        if step == Step.CARD and has_answered(state, other):
            choose_anything(state, other)
        elif state.chosen[other] != NO_CARD:
            state.chosen[other] = random_card(state, other)
        if has_chosen_tile(state, other):
            state.chosen_tile[other] = random_tile(state, other)


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
def random_tile(state: State, seat: int) -> int:
    """Return a random tile behind a seat's screen, or no tile."""
    tiles = int(state.tiles[seat])
    tile = NO_TILE
    for _ in range(below(state, count_bits(tiles) + 1)):
        tile = lowest(tiles)
        tiles &= tiles - 1
    return tile


@kernel
def random_pick(state: State, seat: int) -> int:
    """Return a random character of the pack that a seat holds."""
    pack = pack_of(state, seat)
    left = below(state, HAND_SIZE - int(state.num_picks))
    for k in range(HAND_SIZE):
        if state.taken_in[pack, k] == NOT_TAKEN:
            if left == 0:
                return int(state.pack[pack, k])
            left -= 1
    return NO_CARD


@kernel
def has_chosen_tile(state: State, seat: int) -> bool:
    """Return whether the seat has decided about a tile and not revealed it yet."""
    if state.chosen[seat] == NO_CARD:
        return False
    step = int(top(state).step)
    asked_for_tiles = step == Step.TILE and (int(state.owes) >> seat) & 1 == 0
    return bool(asked_for_tiles or step not in (Step.CARD, Step.TILE))


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
def redeal_tiles(t: Table, state: State, seat: int) -> None:
    """Re-deal the supply, the removed tiles and the tiles behind the others' screens."""
    known = int(state.tiles[seat]) | int(state.returning[seat]) | int(state.covered)
    if state.lost_tile != NO_TILE:
        known |= 1 << int(state.lost_tile)
    for site in range(state.num_sites):
        known |= 1 << int(state.site_tile[site])
    size = 0
    for tile in range(NUM_TILES):
        if (known >> tile) & 1 == 0:
            state.supply[size] = tile
            size += 1
    removed = int(t.removed_tiles[state.num_seats])
    shuffle(state, state.supply, size)
    choose_removed(state, removed, size, int(state.given_back[seat]))
    shuffle(state, state.supply[removed:], size - removed)
    for other in range(state.num_seats):
        if other != seat:
            held = count_bits(state.tiles[other]) + count_bits(state.returning[other])
            state.tiles[other] = 0
            state.returning[other] = 0
            for _ in range(held):
                size -= 1
                state.tiles[other] |= 1 << int(state.supply[size])
    for k in range(state.supply_size):
        swap_tiles(state, k, removed + k)


@kernel
def swap_tiles(state: State, a: int, b: int) -> None:
    """Swap two tiles of the supply's array."""
    kept = state.supply[a]
    state.supply[a] = state.supply[b]
    state.supply[b] = kept


@kernel
def choose_removed(state: State, removed: int, size: int, in_play: int) -> None:
    """Move tiles that may be the removed ones to the front: none the seat returned (G5)."""
    front = 0
    for k in range(size):
        if front < removed and (in_play >> int(state.supply[k])) & 1 == 0:
            swap_tiles(state, front, k)
            front += 1


@kernel
def redeal_returns(state: State, seat: int) -> None:
    """Resample how many tiles the others have put aside and who is done (G5, G23)."""
    passes = int(state.pass_number)
    for other in range(state.num_seats):
        if other == seat:
            continue
        before = is_before(state, other)
        count = passes  # the seat to play has returned a tile in every pass so far
        if other != state.to_play:
            count = below(state, passes + int(before) + 1)
        count = min(count, count_bits(state.tiles[other]))
        for _ in range(count):
            tile = lowest(state.tiles[other])
            state.tiles[other] &= ~(1 << tile)
            state.returning[other] |= 1 << tile
        bit = 1 << other
        was_asked = count >= passes
        state.asked = (int(state.asked) & ~bit) | (bit if was_asked else 0)
        state.owes = (int(state.owes) & ~bit) | (bit if was_asked and not before else 0)
        state.again = (int(state.again) & ~bit) | (bit if count > passes else 0)


@kernel
def is_before(state: State, seat: int) -> bool:
    """Return whether the seat answers before the seat to play in a pass."""
    seats = int(state.num_seats)
    first = int(state.first)
    return bool((seat - first) % seats < (int(state.to_play) - first) % seats)


@kernel
def sees_first(state: State, seat: int, pack: int) -> int:
    """Return the pass in which a seat first holds a pack."""
    return (seat - pack) % int(state.num_seats)


@kernel
def has_seen(state: State, seat: int, pack: int, k: int) -> bool:
    """Return whether the seat has held the pack while this character was in it."""
    first = sees_first(state, seat, pack)
    taken = int(state.taken_in[pack, k])
    return bool(first <= state.num_picks and (taken == NOT_TAKEN or taken >= first))


@kernel
def redeal_packs(t: Table, state: State, seat: int) -> None:
    """Re-deal characters the seat has not seen, and picks from packs it has seen (G11)."""
    scratch = state.deck[int(state.deck_size) :]
    count = int(t.num_characters)
    for k in range(count):
        scratch[k] = t.character_kind[k]
    for pack in range(state.num_seats):
        for k in range(HAND_SIZE):
            if has_seen(state, seat, pack, k):
                count = remove_kind(scratch, count, int(state.pack[pack, k]))
    sort(scratch, count)
    shuffle(state, scratch, count)
    for pack in range(state.num_seats):
        for k in range(HAND_SIZE):
            if not has_seen(state, seat, pack, k):
                count -= 1
                state.pack[pack, k] = scratch[count]
        mix_taken(state, seat, pack)
    for other in range(state.num_seats):
        rewrite_picks(state, other)


@kernel
def remove_kind(kinds: Any, count: int, kind: int) -> int:
    """Remove one character of a kind from the first ``count``; return how many are left."""
    for k in range(count):
        if kinds[k] == kind:
            kinds[k] = kinds[count - 1]
            return count - 1
    return count


@kernel
def is_open(state: State, pack: int, k: int, last: int) -> bool:
    """Return whether the character was still in the pack after pass ``last``."""
    taken = int(state.taken_in[pack, k])
    return bool(taken == NOT_TAKEN or taken > last)


@kernel
def nth_open(state: State, pack: int, start: int, last: int, number: int) -> int:
    """Return the place, from ``start`` on, of open character ``number`` (see ``is_open``)."""
    for k in range(start, HAND_SIZE):
        if is_open(state, pack, k, last):
            if number == 0:
                return k
            number -= 1
    return start


@kernel
def swap_characters(state: State, pack: int, a: int, b: int) -> None:
    """Swap two characters of a pack."""
    kept = state.pack[pack, a]
    state.pack[pack, a] = state.pack[pack, b]
    state.pack[pack, b] = kept


@kernel
def mix_taken(state: State, seat: int, pack: int) -> None:
    """Resample which characters others took since the seat last saw the pack."""
    seats = int(state.num_seats)
    last = sees_first(state, seat, pack)
    if last > state.num_picks:
        return
    while last + seats <= state.num_picks:
        last += seats
    open_ones = 0
    for k in range(HAND_SIZE):
        open_ones += is_open(state, pack, k, last)
        for other in range(k):  # sort first (see kernels.rng.sort)
            both_open = is_open(state, pack, k, last) and is_open(state, pack, other, last)
            if both_open and state.pack[pack, other] > state.pack[pack, k]:
                swap_characters(state, pack, k, other)
    for k in range(HAND_SIZE):
        if is_open(state, pack, k, last):
            other = nth_open(state, pack, k, last, below(state, open_ones))
            open_ones -= 1
            swap_characters(state, pack, k, other)


@kernel
def rewrite_picks(state: State, seat: int) -> None:
    """Set a seat's picks to what was taken from the packs while it held them."""
    seats = int(state.num_seats)
    for number in range(state.num_picks):
        pack = (seat - number) % seats
        for k in range(HAND_SIZE):
            if state.taken_in[pack, k] == number:
                state.picks[seat, number] = state.pack[pack, k]


@kernel
def redeal(t: Table, state: State, seat: int) -> None:
    """Resample everything that the seat cannot know."""
    if state.over != NOT_OVER:
        return
    if state.rounds == 0 and top(state).step == Step.DRAFT:
        redeal_packs(t, state, seat)
    redeal_cards(state, seat)
    redeal_tiles(t, state, seat)
    if top(state).step == Step.RETURN:
        redeal_returns(state, seat)
    redeal_choices(state, seat)
