"""The city: lots, blocks, buildings and what touches what (US §1).

Footprints are sets of corners in one block.  Across streets also diagonal lots are adjacent, and
the four lots of a block all touch one another.
"""

from __future__ import annotations

from sprawl_env.core.bits import lowest
from sprawl_env.core.game import NOBODY, State
from sprawl_env.core.kernel import kernel
from sprawl_env.games.urban_sprawl.constants import (
    ALL_CORNERS,
    ALL_ZONES,
    AROUND_COLUMN,
    AROUND_ROW,
    BOTTOM_EDGE,
    CORNERS,
    FIRST_OF,
    HERE,
    LEFT_EDGE,
    LOTS_A_PART,
    MAX_SIZE,
    MIDDLE,
    NO_BUILDING,
    NUM_AROUND,
    NUM_PARTS,
    NUM_SHAPES,
    NUM_ZONES,
    PARK,
    RIGHT_EDGE,
    SHAPES,
    SIDE,
    SIZE_OF,
    TOP_EDGE,
    TOUCHED,
    Power,
)


@kernel
def block_beside(block: int, direction: int) -> int:
    """Return the block in a direction (8: itself), -1 outside the city."""
    row = block // SIDE + AROUND_ROW[direction]
    column = block % SIDE + AROUND_COLUMN[direction]
    if row < 0 or row >= SIDE or column < 0 or column >= SIDE:
        return -1
    return row * SIDE + column


@kernel
def size_at(state: State, lot: int) -> int:
    """Return the size of the building that begins on a lot."""
    return SIZE_OF[int(state.corners[lot])]


@kernel
def touches(state: State, block: int, shape: int, lot: int) -> bool:
    """Does a footprint touch the building that begins on a lot?"""
    other = lot // CORNERS
    down, right = other // SIDE - block // SIDE, other % SIDE - block % SIDE
    if down * down > 1 or right * right > 1:
        return False
    if down == 0 and right == 0:
        return True
    direction = (down + 1) * 3 + right + 1
    direction -= direction > MIDDLE  # the block itself is the last direction, not the middle one
    return bool(int(TOUCHED[direction, shape]) & int(state.corners[lot]))


@kernel
def zones_across(state: State, block: int, shape: int) -> int:
    """Set of the zones and parks that a footprint touches across streets."""
    zones = 0
    for corner in range(CORNERS):
        if shape >> corner & 1:
            zones |= int(state.across[block * CORNERS + corner])
    return zones


@kernel
def zones_inside(state: State, block: int, gone: int) -> int:
    """Set of the zones and parks of a block's buildings but those on ``gone`` corners."""
    zones = 0
    for corner in range(CORNERS):
        lot = block * CORNERS + corner
        shape = int(state.corners[lot])
        if shape and not shape & gone:
            zones |= 1 << int(state.zone[lot])
    return zones


@kernel
def zones_touched(state: State, block: int, shape: int, gone: int) -> int:
    """Set of the zones and parks that a footprint touches, without those on ``gone`` corners."""
    return zones_across(state, block, shape) | zones_inside(state, block, gone)


@kernel
def on_water(block: int, shape: int) -> bool:
    """Does a footprint lie on the top or right edge (US §1)?"""
    top = block < SIDE and shape & TOP_EDGE
    right = block % SIDE == SIDE - 1 and shape & RIGHT_EDGE
    return bool(top or right)


@kernel
def at_forest(block: int, shape: int) -> bool:
    """Does a footprint lie on the bottom or left edge (US §1)?"""
    bottom = block >= SIDE * (SIDE - 1) and shape & BOTTOM_EDGE
    left = block % SIDE == 0 and shape & LEFT_EDGE
    return bool(bottom or left)


@kernel
def beside_park(state: State, lot: int) -> bool:
    """Does the building on a lot touch a park, another one if it is a park?"""
    shape = int(state.corners[lot])
    return bool(zones_touched(state, lot // CORNERS, shape, shape) >> PARK & 1)


# ------------------------------------------------------------------- where empty footprints fit


@kernel
def zones_by_shape(state: State, block: int) -> int:
    """The zones that every footprint touches, four bits each, by the set of its corners (US 6.4).

    A footprint of several lots touches what its lots touch.
    """
    inside = int(state.inside[block]) & ALL_ZONES
    packed = 0
    for shape in range(1, ALL_CORNERS + 1):
        lot = block * CORNERS + FIRST_OF[shape]
        rest = packed >> 4 * (shape & (shape - 1)) & ALL_ZONES
        packed |= (rest | inside | (int(state.across[lot]) & ALL_ZONES)) << 4 * shape
    return packed


@kernel
def refit(state: State, block: int) -> None:
    """Note for which zones and sizes the block has a legal empty footprint (US 6.4)."""
    keep = ~(1 << block)
    for zone in range(NUM_ZONES):
        for size in range(MAX_SIZE):
            state.room[zone, size] &= keep
    occupied = int(state.occupied[block])
    if occupied == ALL_CORNERS:
        return
    touched = zones_by_shape(state, block)
    for size in range(MAX_SIZE):
        allowed = 0
        for k in range(NUM_SHAPES[size]):
            shape = int(SHAPES[size, k])
            if not shape & occupied:
                near = touched >> 4 * shape & ALL_ZONES
                allowed |= near if near else ALL_ZONES
        for zone in range(NUM_ZONES):
            state.room[zone, size] |= (allowed >> zone & 1) << block


@kernel
def refit_around(state: State, block: int, shape: int) -> None:
    """Do so for a block and all around it that a building on these corners touches."""
    for direction in range(NUM_AROUND):
        other = block_beside(block, direction)
        if other >= 0 and TOUCHED[direction, shape]:
            refit(state, other)


# ------------------------------------------------------------------------------------- buildings


@kernel
def count_building(state: State, block: int, owner: int, change: int) -> None:
    """Count a building of a seat in its row and column."""
    if owner != NOBODY:
        state.in_row[owner, block // SIDE] += change
        state.in_column[owner, block % SIDE] += change


@kernel
def lay(state: State, block: int, shape: int, zone: int, owner: int, power: int) -> int:
    """Put a building on empty lots; return its first lot."""
    lot = block * CORNERS + FIRST_OF[shape]
    state.corners[lot] = shape
    state.zone[lot] = zone
    state.owner[lot] = owner
    state.power[lot] = power
    state.firsts[lot // LOTS_A_PART] |= 1 << lot % LOTS_A_PART
    for corner in range(CORNERS):
        if shape >> corner & 1:
            state.first[block * CORNERS + corner] = FIRST_OF[shape]
    state.occupied[block] |= shape
    state.inside[block] |= 1 << zone
    for direction in range(HERE):
        other = block_beside(block, direction)
        if other >= 0:
            touched = int(TOUCHED[direction, shape])
            for corner in range(CORNERS):
                state.across[other * CORNERS + corner] |= (touched >> corner & 1) << zone
    count_building(state, block, owner, 1)
    refit_around(state, block, shape)
    return lot


@kernel
def look_across(state: State, block: int) -> None:
    """Work out anew which zones the lots of a block touch across streets."""
    for corner in range(CORNERS):
        state.across[block * CORNERS + corner] = 0
    for direction in range(HERE):
        other = block_beside(block, direction)
        if other < 0:
            continue
        for first in range(CORNERS):
            lot = other * CORNERS + first
            shape = int(state.corners[lot])
            if shape:
                touched = int(TOUCHED[HERE - 1 - direction, shape])
                for corner in range(CORNERS):
                    here = block * CORNERS + corner
                    state.across[here] |= (touched >> corner & 1) << int(state.zone[lot])


@kernel
def lift(state: State, lot: int) -> None:
    """Take the building that begins on a lot off the board."""
    block = lot // CORNERS
    shape = int(state.corners[lot])
    count_building(state, block, int(state.owner[lot]), -1)
    state.corners[lot] = 0
    state.zone[lot] = 0
    state.owner[lot] = NOBODY
    state.power[lot] = Power.NONE
    state.firsts[lot // LOTS_A_PART] &= ~(1 << lot % LOTS_A_PART)
    for corner in range(CORNERS):
        if shape >> corner & 1:
            state.first[block * CORNERS + corner] = NO_BUILDING
    state.occupied[block] = int(state.occupied[block]) & ~shape
    state.inside[block] = zones_inside(state, block, 0)
    for direction in range(HERE):
        other = block_beside(block, direction)
        if other >= 0 and TOUCHED[direction, shape]:
            look_across(state, other)
    refit_around(state, block, shape)


@kernel
def set_owner(state: State, lot: int, owner: int) -> None:
    """Put a seat's cube on a building, or take the cube away."""
    block = lot // CORNERS
    count_building(state, block, int(state.owner[lot]), -1)
    state.owner[lot] = owner
    count_building(state, block, owner, 1)


@kernel
def holds_power(state: State, seat: int, power: int) -> bool:
    """Does the seat control a building with this lasting effect (ruling U24)?"""
    for part in range(NUM_PARTS):
        lots = int(state.firsts[part])
        while lots:
            lot = part * LOTS_A_PART + lowest(lots)
            lots &= lots - 1
            if state.power[lot] == power and state.owner[lot] == seat:
                return True
    return False


@kernel
def count_zone(state: State, zone: int) -> int:
    """Count the buildings of a zone in play."""
    count = 0
    for part in range(NUM_PARTS):
        lots = int(state.firsts[part])
        while lots:
            count += state.zone[part * LOTS_A_PART + lowest(lots)] == zone
            lots &= lots - 1
    return count
