"""Re-dealing the tiles that a seat cannot know: supply, other screens, returned tiles (G5, G25).

Tiles that were shown and taken back stay with their seat.  The other unseen tiles fall into two
classes: those that were returned at the first run-out, which are a known set, and the rest.  How
many of each class lie behind a screen is public.  The supply is of the first class if tiles have
been returned; the tiles removed unseen at the start are of the second.
"""

from __future__ import annotations

from typing import Final

from sprawl_env.games.ginkgopolis.constants import NO_TILE, NUM_TILES
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.kernels.bits import count_bits, lowest
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import below, next_word, shuffle

ALL_TILES: Final = (1 << NUM_TILES) - 1
WIDE_BITS: Final = 62  # of a wide random number; a set of returned tiles is one of at most 2**51


@kernel
def unseen_tiles(state: State, seat: int) -> int:
    """Return the set of tiles that may be anywhere, as far as the seat knows."""
    known = int(state.tiles[seat]) | int(state.returning[seat]) | int(state.covered)
    for other in range(state.num_seats):
        known |= int(state.taken_back[other])
    if state.lost_tile != NO_TILE:
        known |= 1 << int(state.lost_tile)
    for site in range(state.num_sites):
        known |= 1 << int(state.site_tile[site])
    return ALL_TILES & ~known


@kernel
def redeal_tiles(state: State, seat: int) -> None:
    """Re-deal the supply, the removed tiles and the tiles behind the others' screens (G25)."""
    for other in range(state.num_seats):
        if other != seat:
            state.tiles[other] |= state.returning[other]
            state.returning[other] = 0
    unseen, returned = unseen_tiles(state, seat), int(state.returned)
    redeal_tiles_of(state, seat, unseen & ~returned)
    if unseen & returned:
        redeal_tiles_of(state, seat, unseen & returned)
    state.supply[int(state.supply_size) :] = 0  # the removed tiles, and what was drawn before


@kernel
def redeal_tiles_of(state: State, seat: int, unseen: int) -> None:
    """Re-deal one class of unseen tiles: a random part is left at the front of the supply."""
    size = list_tiles(state, unseen)
    shuffle(state, state.supply, size)
    for other in range(state.num_seats):
        if other == seat:
            continue
        count = count_bits(int(state.tiles[other]) & unseen)
        state.tiles[other] &= ~unseen
        for _ in range(count):
            size -= 1
            state.tiles[other] |= 1 << int(state.supply[size])


@kernel
def list_tiles(state: State, tiles: int) -> int:
    """Write a set of tiles to the front of the supply in ascending order; return how many."""
    size = 0
    while tiles:
        state.supply[size] = lowest(tiles)
        tiles &= tiles - 1
        size += 1
    return size


@kernel
def redeal_returns(state: State, seat: int) -> None:
    """Resample which tiles the others have put aside and who is done (G5, G23).

    Which pass it is and whose turn it is stay as they are.  A seat that was asked in every pass
    before has put aside as many tiles; a seat that is done, any number below.  All sets of tiles
    that fit are equally likely.
    """
    passes = int(state.pass_number)
    for other in range(state.num_seats):
        if other == seat:
            continue
        before = is_before(state, other)
        available = int(state.tiles[other])
        if state.chosen_tile[other] != NO_TILE:
            available &= ~(1 << int(state.chosen_tile[other]))
        count = passes  # the seat to play has returned a tile in every pass so far
        if other != state.to_play:
            count = random_count(state, count_bits(available), passes + int(before))
        state.returning[other] = random_part(state, available, count)
        state.tiles[other] &= ~int(state.returning[other])
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
def random_count(state: State, available: int, most: int) -> int:
    """Return the size of a random set, among all sets of at most ``most`` of the tiles."""
    most = min(most, available)
    ways, total = 1, 0
    for count in range(most + 1):
        total += ways
        ways = ways * (available - count) // (count + 1)
    left = below_wide(state, total)
    ways, count = 1, 0
    while left >= ways:
        left -= ways
        ways = ways * (available - count) // (count + 1)
        count += 1
    return count


@kernel
def below_wide(state: State, bound: int) -> int:
    """Draw a number 0..bound-1, all equally likely; ``bound`` is 1..2**61."""
    fair = (1 << WIDE_BITS) // bound * bound
    drawn = fair
    while drawn >= fair:
        drawn = (next_word(state) << (WIDE_BITS - 32)) | (next_word(state) >> 2)
    return drawn % bound


@kernel
def random_part(state: State, tiles: int, size: int) -> int:
    """Return ``size`` of the tiles, all such sets equally likely."""
    left, part = count_bits(tiles), 0
    while size > 0:
        tile = lowest(tiles)
        tiles &= tiles - 1
        if below(state, left) < size:
            part |= 1 << tile
            size -= 1
        left -= 1
    return part
