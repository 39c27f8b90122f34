"""The city: lots, blocks, buildings and what touches what (US §1).

A footprint is a set of corners of one block.  Lots across a street are also adjacent diagonally.
The four lots of a block all touch one another.
"""

from __future__ import annotations

from sprawl_env.core.state import NOBODY
from sprawl_env.games.urban_sprawl.actions import SITE
from sprawl_env.games.urban_sprawl.constants import (
    ALL_CORNERS,
    ALL_FOOTPRINTS,
    AS_CORNERS,
    AS_CORNERS_SHIFT,
    AT_CORNERS,
    AT_FOREST,
    AT_WATER,
    BESIDE,
    CORNERS,
    FIRST_OF,
    FOOTPRINTS_OF_SIZE,
    FOOTPRINTS_ON,
    HERE,
    IN_ALL_CORNERS,
    IN_ALL_ZONES,
    LOTS_A_PART,
    MAX_SIZE,
    MIDDLE,
    NO_LOT,
    NUM_AROUND,
    NUM_PARTS,
    NUM_ZONES,
    PARK,
    SHAPES,
    SIDE,
    SIZE_OF,
    TOUCHED,
    ZONE_SHIFT,
    ZONES_BITS,
    Power,
)
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.kernels.arrays import Mask
from sprawl_env.kernels.bits import lowest
from sprawl_env.kernels.compile import kernel


@kernel
def block_beside(block: int, direction: int) -> int:
    """Return the block in a direction (8: itself), -1 outside the city."""
    return int(BESIDE[block, direction])


@kernel
def size_at(state: State, lot: int) -> int:
    """Return the size of the building that begins on a lot."""
    return SIZE_OF[int(state.corners[lot])]


@kernel
def corners_beside(state: State, block: int, lot: int) -> int:
    """Return the set of a block's corners that touch the building that begins on a lot."""
    other = lot // CORNERS
    down, right = block // SIDE - other // SIDE, block % SIDE - other % SIDE
    if down * down > 1 or right * right > 1:
        return 0
    if down == 0 and right == 0:
        return ALL_CORNERS
    direction = (down + 1) * 3 + right + 1
    direction -= direction > MIDDLE  # the block itself is the last direction, not the middle one
    return int(TOUCHED[direction, int(state.corners[lot])])


@kernel
def touches(state: State, block: int, shape: int, lot: int) -> bool:
    """Does a footprint touch the building that begins on a lot?"""
    return bool(shape & corners_beside(state, block, lot))


@kernel
def zones_at(zones: int, shape: int) -> int:
    """Return the set of the zones and parks at some corners; ``zones`` holds a byte per corner."""
    here = zones & AT_CORNERS[shape] * IN_ALL_ZONES
    here |= here >> 2 * ZONES_BITS
    return (here | here >> ZONES_BITS) & IN_ALL_ZONES


@kernel
def zones_begun(state: State, block: int) -> int:
    """Return the zone of each building of a block, in the byte of the corner where it begins."""
    zones = 0
    for corner in range(CORNERS):
        lot = block * CORNERS + corner
        begins = int(state.corners[lot] != 0)
        zones |= begins << (ZONES_BITS * corner + int(state.zone[lot]))
    return zones


@kernel
def zones_inside(state: State, block: int, gone: int) -> int:
    """Return the set of the zones of a block's buildings, except those on ``gone`` corners."""
    zones = 0
    for corner in range(CORNERS):
        lot = block * CORNERS + corner
        shape = int(state.corners[lot])
        stays = int((shape != 0) & (shape & gone == 0))
        zones |= stays << int(state.zone[lot])
    return zones


@kernel
def zones_touched(state: State, block: int, shape: int, gone: int) -> int:
    """Return the set of the zones that a footprint touches, except on ``gone`` corners."""
    inside = zones_inside(state, block, gone) if gone else int(state.inside[block])
    return zones_at(int(state.across[block]), shape) | inside


@kernel
def on_water(block: int, shape: int) -> bool:
    """Does a footprint lie on the top or right edge (US §1)?"""
    return bool(shape & AT_WATER[block])


@kernel
def at_forest(block: int, shape: int) -> bool:
    """Does a footprint lie on the bottom or left edge (US §1)?"""
    return bool(shape & AT_FOREST[block])


@kernel
def beside_park(state: State, lot: int) -> bool:
    """Does the building on a lot touch a park (for a park: another park)?"""
    shape = int(state.corners[lot])
    return bool(zones_touched(state, lot // CORNERS, shape, shape) >> PARK & 1)


@kernel
def corners_next_to(state: State, block: int, zones: int) -> int:
    """Return the set of a block's corners that touch one of these zones across a street."""
    near = int(state.across[block]) & zones * IN_ALL_CORNERS
    near |= near >> 4
    near |= near >> 2
    near = (near | near >> 1) & IN_ALL_CORNERS
    return near * AS_CORNERS >> AS_CORNERS_SHIFT & ALL_CORNERS


@kernel
def mark_in_block(block: int, size: int, footprints: int, mask: Mask) -> None:
    """Mark the footprints of a block and a size that are in a set; clear the others."""
    for k in range(CORNERS):
        shape = int(SHAPES[size - 1, k])  # 0: a size with fewer footprints
        mask[SITE + block * CORNERS + k] = footprints << 1 >> shape & 1


# ------------------------------------------------------------------- where empty footprints fit


@kernel
def corners_near(state: State, block: int, zone: int) -> int:
    """Return the set of a block's corners that touch a zone, in the block or across streets."""
    if int(state.inside[block]) >> zone & 1:
        return ALL_CORNERS
    near = int(state.across[block]) >> zone & AT_CORNERS[ALL_CORNERS]
    return near * AS_CORNERS >> AS_CORNERS_SHIFT & ALL_CORNERS


@kernel
def refit(state: State, block: int) -> None:
    """Update which empty footprints of a block are legal for which zones (US 6.4).

    A footprint of several lots touches what its lots touch.
    """
    keep = ~(1 << block)
    near_any = 0
    for zone in range(NUM_ZONES):
        near_any |= corners_near(state, block, zone)
    empty = ALL_FOOTPRINTS & ~FOOTPRINTS_ON[int(state.occupied[block])]
    alone = empty & ~FOOTPRINTS_ON[near_any]
    for zone in range(NUM_ZONES):
        fits = alone | (empty & FOOTPRINTS_ON[corners_near(state, block, zone)])
        if fits == state.fitting[block, zone]:
            continue
        state.fitting[block, zone] = fits
        for size in range(MAX_SIZE):
            some = (fits & FOOTPRINTS_OF_SIZE[size]) != 0
            state.room[zone, size] = (int(state.room[zone, size]) & keep) | (int(some) << block)


@kernel
def refit_around(state: State, block: int, shape: int) -> None:
    """Refit a block and all blocks around it that a building on these corners touches."""
    for direction in range(NUM_AROUND):
        other = block_beside(block, direction)
        if other >= 0 and TOUCHED[direction, shape]:
            refit(state, other)


# ------------------------------------------------------------------------------------- buildings


@kernel
def kind_of(zone: int, shape: int) -> int:
    """Return the entry of ``building_on`` for each lot of a building."""
    return (zone + 1) << ZONE_SHIFT | shape


@kernel
def fill(state: State, block: int, shape: int, kind: int, owner: int) -> None:
    """Write the building and its controller on each lot of a footprint."""
    for corner in range(CORNERS):
        if shape >> corner & 1:
            state.building_on[block * CORNERS + corner] = kind
            state.holder[block * CORNERS + corner] = owner


@kernel
def count_building(state: State, block: int, zone: int, owner: int, change: int) -> None:
    """Add a building to the counts of its controller, or subtract it."""
    if owner != NOBODY:
        state.controls[owner, zone] += change
        state.in_row[owner, block // SIDE] += change
        state.in_column[owner, block % SIDE] += change


@kernel
def lay(state: State, block: int, shape: int, zone: int, owner: int, power: int) -> int:
    """Place a building on empty lots and return its first lot."""
    lot = block * CORNERS + FIRST_OF[shape]
    state.corners[lot] = shape
    state.zone[lot] = zone
    state.owner[lot] = owner
    give_power(state, lot, power)
    state.firsts[lot // LOTS_A_PART] |= 1 << lot % LOTS_A_PART
    fill(state, block, shape, kind_of(zone, shape), owner)
    state.occupied[block] |= shape
    state.inside[block] |= 1 << zone
    for direction in range(HERE):
        other = block_beside(block, direction)
        if other >= 0:
            state.across[other] |= AT_CORNERS[TOUCHED[direction, shape]] << zone
    count_building(state, block, zone, owner, 1)
    refit_around(state, block, shape)
    return lot


@kernel
def look_across(state: State, block: int) -> None:
    """Recompute which zones the lots of a block touch across streets."""
    across = 0
    for direction in range(HERE):
        other = block_beside(block, direction)
        if other < 0:
            continue
        for first in range(CORNERS):
            lot = other * CORNERS + first
            touched = int(TOUCHED[HERE - 1 - direction, int(state.corners[lot])])  # 0 if none
            across |= AT_CORNERS[touched] << int(state.zone[lot])
    state.across[block] = across


@kernel
def lift(state: State, lot: int) -> None:
    """Remove the building that begins on a lot from the board."""
    block = lot // CORNERS
    shape = int(state.corners[lot])
    count_building(state, block, int(state.zone[lot]), int(state.owner[lot]), -1)
    give_power(state, lot, Power.NONE)
    state.corners[lot] = 0
    state.zone[lot] = 0
    state.owner[lot] = NOBODY
    state.firsts[lot // LOTS_A_PART] &= ~(1 << lot % LOTS_A_PART)
    fill(state, block, shape, 0, NOBODY)
    state.occupied[block] = int(state.occupied[block]) & ~shape
    state.inside[block] = zones_inside(state, block, 0)
    for direction in range(HERE):
        other = block_beside(block, direction)
        if other >= 0 and TOUCHED[direction, shape]:
            look_across(state, other)
    refit_around(state, block, shape)


@kernel
def set_owner(state: State, lot: int, owner: int) -> None:
    """Put a seat's cube on a building, or remove the cube (``NOBODY``)."""
    block, shape, zone = lot // CORNERS, int(state.corners[lot]), int(state.zone[lot])
    count_building(state, block, zone, int(state.owner[lot]), -1)
    count_power(state, lot, -1)
    state.owner[lot] = owner
    fill(state, block, shape, kind_of(zone, shape), owner)
    count_building(state, block, zone, owner, 1)
    count_power(state, lot, 1)


@kernel
def count_power(state: State, lot: int, change: int) -> None:
    """Add the lasting effect of a building to its controller's count, or subtract it."""
    owner, power = int(state.owner[lot]), int(state.power[lot])
    if owner != NOBODY and power != Power.NONE:
        state.lasting[owner, power] += change


@kernel
def give_power(state: State, lot: int, power: int) -> None:
    """Set or remove the lasting effect of the building that begins on a lot."""
    count_power(state, lot, -1)
    state.power[lot] = power
    count_power(state, lot, 1)


@kernel
def holds_power(state: State, seat: int, power: int) -> bool:
    """Does the seat control a building with this lasting effect (ruling U24)?"""
    return bool(state.lasting[seat, power] > 0)


# -------------------------------------------------------------------------- all buildings in turn


@kernel
def next_building(state: State, lot: int, rest: int) -> tuple[int, int]:
    """Return the first lot of the next building, and the set of what follows it.

    To iterate over the city: ``lot, rest = next_building(state, NO_LOT, 0)``, then
    ``while lot != NO_LOT: ...; lot, rest = next_building(state, lot, rest)``.

    Args:
        state: the game.
        lot: the building before it, NO_LOT before the first.
        rest: what this function returned with ``lot``: the buildings after it in its part of the
            city, relative to the lot after it.  So only the first building of a part reads memory.
    """
    if rest:
        step = lowest(rest) + 1
        return lot + step, rest >> step
    for part in range(0 if lot == NO_LOT else lot // LOTS_A_PART + 1, NUM_PARTS):
        lots = int(state.firsts[part])
        if lots:
            first = lowest(lots)
            return part * LOTS_A_PART + first, lots >> (first + 1)
    return NO_LOT, 0


@kernel
def count_zone(state: State, zone: int) -> int:
    """Return the number of buildings of a zone in play."""
    count = 0
    lot, rest = next_building(state, NO_LOT, 0)
    while lot != NO_LOT:
        count += state.zone[lot] == zone
        lot, rest = next_building(state, lot, rest)
    return count
