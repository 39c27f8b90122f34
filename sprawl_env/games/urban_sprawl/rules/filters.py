"""Filters: the buildings and places that an effect selects (US §7, U8, U18, U19, U22, U23)."""

from __future__ import annotations

from sprawl_env.core.state import NOBODY
from sprawl_env.games.urban_sprawl.constants import (
    AT_FOREST,
    AT_WATER,
    CORNERS,
    FOOTPRINTS_OF_SIZE,
    FOOTPRINTS_ON,
    NO_LINE,
    NO_LOT,
    NUM_BLOCKS,
    PARK,
    SIDE,
    SIZE_OF,
)
from sprawl_env.games.urban_sprawl.effect_verbs import Verb
from sprawl_env.games.urban_sprawl.rules.board import (
    at_forest,
    beside_park,
    corners_beside,
    corners_near,
    next_building,
    on_water,
    size_at,
    touches,
)
from sprawl_env.games.urban_sprawl.rules.lines import in_line, line_with
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.games.urban_sprawl.vocabulary import (
    Extreme,
    Owner,
    Where,
)
from sprawl_env.kernels.bits import count_bits
from sprawl_env.kernels.compile import kernel

NOTHING = -1


@kernel
def block_in(t: Table, state: State, e: int, block: int) -> bool:
    """Does a block lie in the rows, the line or the block of the effect's filter?"""
    effect = t.effects[e]
    where = effect.where
    here = int(state.lot) // CORNERS
    same_row = block // SIDE == here // SIDE
    same_column = block % SIDE == here % SIDE
    if where == Where.ROWS:
        return bool(same_row or same_column)
    if where == Where.ROW:
        return bool(same_column if state.asked_row else same_row)
    if where == Where.OTHER_ROW:
        return bool(same_row if state.asked_row else same_column)
    if where == Where.BLOCK:
        return bool(block == here)
    line = line_with(t, state, int(effect.what), int(effect.printed_number))
    return bool(line != NO_LINE and in_line(line, block))


@kernel
def building_in(t: Table, state: State, e: int, lot: int) -> bool:
    """Does the building that begins on a lot stand in the place of the effect's filter?"""
    where = t.effects[e].where
    block, shape = lot // CORNERS, int(state.corners[lot])
    if where == Where.ANYWHERE:
        return True
    if where == Where.ADJACENT:
        return bool(lot != state.lot and touches(state, block, shape, int(state.lot)))
    if where == Where.WATER:
        return on_water(block, shape)
    if where == Where.FOREST:
        return at_forest(block, shape)
    if where == Where.PARK:
        return beside_park(state, lot)
    return block_in(t, state, e, block)


@kernel
def owner_fits(t: Table, state: State, e: int, lot: int, seat: int) -> bool:
    """Does the building's controller pass the filter, seen from ``seat``?"""
    wanted, owner = t.effects[e].owner, int(state.owner[lot])
    if wanted == Owner.ANYONE:
        return True
    if wanted == Owner.OWN:
        return bool(owner == seat)
    if wanted == Owner.OTHERS:
        return bool(owner != NOBODY and owner != seat)
    return bool((owner == NOBODY) == (wanted == Owner.NOBODY))


@kernel
def matches(t: Table, state: State, e: int, lot: int, seat: int) -> bool:
    """Does the building pass the filter, not counting the extreme value?"""
    effect = t.effects[e]
    zone = int(state.zone[lot])
    if effect.asks_zone and zone != state.asked_zone:
        return False
    kind_fits = int(effect.colours) >> zone & int(effect.sizes) >> (size_at(state, lot) - 1) & 1
    return bool(kind_fits and owner_fits(t, state, e, lot, seat) and building_in(t, state, e, lot))


@kernel
def extreme_value(t: Table, state: State, e: int, seat: int) -> int:
    """Return the extreme value among the buildings that pass, NOTHING if there is none.

    A filter without an extreme also gives NOTHING.
    """
    effect = t.effects[e]
    best = NOTHING
    if effect.extreme == Extreme.NONE:
        return best
    highest = effect.extreme == Extreme.HIGHEST
    lot, rest = next_building(state, NO_LOT, 0)
    while lot != NO_LOT:
        value = int(state.value[lot // CORNERS])
        better = best == NOTHING or (value > best if highest else value < best)
        if better and matches(t, state, e, lot, seat):
            best = value
        lot, rest = next_building(state, lot, rest)
    return best


@kernel
def passes(t: Table, state: State, e: int, lot: int, seat: int, value: int) -> bool:
    """Does the building pass the filter, given its extreme value?"""
    if t.effects[e].extreme != Extreme.NONE and state.value[lot // CORNERS] != value:
        return False
    return matches(t, state, e, lot, seat)


@kernel
def count_buildings(t: Table, state: State, e: int, seat: int) -> int:
    """Return the number of buildings that pass the filter."""
    value = extreme_value(t, state, e, seat)
    count = 0
    lot, rest = next_building(state, NO_LOT, 0)
    while lot != NO_LOT:
        count += passes(t, state, e, lot, seat, value)
        lot, rest = next_building(state, lot, rest)
    return count


# ---------------------------------------------------------------------------- places to build on


@kernel
def places_in(t: Table, state: State, e: int, block: int) -> int:
    """Return the footprints on empty lots of a block that the filter allows (ruling U23)."""
    effect = t.effects[e]
    size, where = int(effect.new_size), effect.where
    places = FOOTPRINTS_OF_SIZE[size - 1] & ~FOOTPRINTS_ON[int(state.occupied[block])]
    if places == 0 or where == Where.ANYWHERE:
        return places
    if where == Where.ADJACENT:
        return places & FOOTPRINTS_ON[corners_beside(state, block, int(state.lot))]
    if where == Where.WATER:
        return places & FOOTPRINTS_ON[AT_WATER[block]]
    if where == Where.FOREST:
        return places & FOOTPRINTS_ON[AT_FOREST[block]]
    if where == Where.PARK:
        return places & FOOTPRINTS_ON[corners_near(state, block, PARK)]
    return places if block_in(t, state, e, block) else 0


@kernel
def count_places(t: Table, state: State, e: int) -> int:
    """Count the footprints for a building of the effect's size; stop once there are two."""
    count = 0
    for block in range(NUM_BLOCKS):
        count += count_bits(places_in(t, state, e, block))
        if count > 1:
            return count
    return count


@kernel
def moves_in(state: State, lot: int, block: int) -> int:
    """Return the footprints of a block that a building can move to (ruling U23)."""
    shape, occupied = int(state.corners[lot]), int(state.occupied[block])
    size = SIZE_OF[shape]
    if block != lot // CORNERS:
        return FOOTPRINTS_OF_SIZE[size - 1] & ~FOOTPRINTS_ON[occupied]
    return FOOTPRINTS_OF_SIZE[size - 1] & ~FOOTPRINTS_ON[occupied & ~shape] & ~(1 << (shape - 1))


@kernel
def count_moves(state: State, lot: int) -> int:
    """Return the number of footprints that a building can move to (ruling U23)."""
    count = 0
    for block in range(NUM_BLOCKS):
        count += count_bits(moves_in(state, lot, block))
    return count


@kernel
def may_move(state: State, lot: int) -> bool:
    """Is there another footprint that the building can move to?"""
    for block in range(NUM_BLOCKS):
        if moves_in(state, lot, block):
            return True
    return False


# ---------------------------------------------------------------------------------------- targets


@kernel
def changes(t: Table, state: State, e: int, lot: int, seat: int) -> bool:
    """Would the effect change the building (ruling U18)?"""
    verb = t.effects[e].verb
    if verb == Verb.MOVE:
        return may_move(state, lot)
    if verb == Verb.UNCONTROL:
        return bool(state.owner[lot] != NOBODY)
    if verb == Verb.TAKE:
        return bool(state.owner[lot] != seat)
    return True


@kernel
def is_target(t: Table, state: State, e: int, lot: int, seat: int, value: int) -> bool:
    """May the building that begins on a lot be picked (rulings U18, U37)?"""
    return passes(t, state, e, lot, seat, value) and changes(t, state, e, lot, seat)


@kernel
def count_targets(t: Table, state: State, e: int, seat: int) -> int:
    """Return the number of buildings that may be picked."""
    value = extreme_value(t, state, e, seat)
    count = 0
    lot, rest = next_building(state, NO_LOT, 0)
    while lot != NO_LOT:
        count += is_target(t, state, e, lot, seat, value)
        lot, rest = next_building(state, lot, rest)
    return count


@kernel
def first_target(t: Table, state: State, e: int, seat: int) -> int:
    """Return the first building that may be picked, by its first lot, or NOTHING."""
    value = extreme_value(t, state, e, seat)
    lot, rest = next_building(state, NO_LOT, 0)
    while lot != NO_LOT:
        if is_target(t, state, e, lot, seat, value):
            return lot
        lot, rest = next_building(state, lot, rest)
    return NOTHING
