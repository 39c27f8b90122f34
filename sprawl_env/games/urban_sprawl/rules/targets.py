"""Effects on buildings chosen by a seat: hit, move, place, disasters (US §7, U18, U23)."""

from __future__ import annotations

from sprawl_env.core.state import NOBODY
from sprawl_env.games.urban_sprawl.actions import SITE, YES
from sprawl_env.games.urban_sprawl.constants import (
    CORNERS,
    NO_LOT,
    NUM_BLOCKS,
    NUM_ZONES,
    SHAPES,
)
from sprawl_env.games.urban_sprawl.effect_verbs import Verb
from sprawl_env.games.urban_sprawl.rules.board import (
    lay,
    lift,
    mark_in_block,
    next_building,
    set_owner,
    size_at,
)
from sprawl_env.games.urban_sprawl.rules.elections import push_place
from sprawl_env.games.urban_sprawl.rules.filters import (
    count_moves,
    count_places,
    count_targets,
    extreme_value,
    first_target,
    is_target,
    moves_in,
    passes,
    places_in,
)
from sprawl_env.games.urban_sprawl.rules.money import (
    buildings_held,
    has,
    mark_extremes,
    reward_building,
    take_up_to,
)
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import (
    Step,
)
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.games.urban_sprawl.vocabulary import (
    CHOSEN,
    Extreme,
)
from sprawl_env.kernels.agenda import pop, push, top
from sprawl_env.kernels.arrays import Mask
from sprawl_env.kernels.compile import kernel

# ------------------------------------------------------------------- a building to hit (ruling U18)


@kernel
def pick_target(t: Table, state: State, e: int, seat: int) -> None:
    """Queue the choice of a building; the active player picks among extreme ones (US §7).

    A single extreme building is hit at once.
    """
    if t.effects[e].extreme == Extreme.NONE:
        push_target(state, seat, e, seat)
    elif count_targets(t, state, e, seat) > 1:
        push_target(state, int(state.active), e, seat)
    else:
        hit(t, state, e, seat, first_target(t, state, e, seat))


@kernel
def count_hits(t: Table, state: State, e: int, seat: int) -> int:
    """Return the number of legal actions of a seat's first decision about a building to hit.

    If a single extreme building is hit at once, this is the decision where it moves, or whether
    the seat pays to save it; another seat that may save it decides for itself (ruling U43).
    """
    count = count_targets(t, state, e, seat)
    if count != 1 or t.effects[e].extreme == Extreme.NONE:
        return count
    lot = first_target(t, state, e, seat)
    if t.effects[e].verb == Verb.MOVE:
        return count_moves(state, lot)
    return 1 + int(state.owner[lot] == seat and may_save(t, state, e, lot))


@kernel
def push_target(state: State, seat: int, e: int, acting_seat: int) -> None:
    """Queue the choice of a building by ``seat`` for ``acting_seat``."""
    entry = push(state, Step.TARGET, seat)
    entry.effect = e
    entry.acting_seat = acting_seat


@kernel
def mark_targets(t: Table, state: State, e: int, seat: int, mask: Mask) -> None:
    """Mark the buildings that may be picked."""
    value = extreme_value(t, state, e, seat)
    lot, rest = next_building(state, NO_LOT, 0)
    while lot != NO_LOT:
        mask[SITE + lot] = is_target(t, state, e, lot, seat, value)
        lot, rest = next_building(state, lot, rest)


@kernel
def hit(t: Table, state: State, e: int, seat: int, lot: int) -> None:
    """Apply an effect to a building, or let its controller decide whether to save it."""
    effect = t.effects[e]
    verb = effect.verb
    owner = int(state.owner[lot])
    if verb == Verb.MOVE:
        push_building(state, Step.MOVE_TO, seat, e, lot)
    elif verb == Verb.TAKE:
        set_owner(state, lot, seat)
    elif may_save(t, state, e, lot):
        push_building(state, Step.SAVE, owner, e, lot)
    else:
        strike(t, state, e, lot)


@kernel
def may_save(t: Table, state: State, e: int, lot: int) -> bool:
    """May the controller of a building pay to save it, in full (US 6.11, ruling U34)?"""
    effect, owner = t.effects[e], int(state.owner[lot])
    if effect.save_amount == 0 or owner == NOBODY:
        return False
    return has(state, owner, int(effect.save_what)) >= int(effect.save_amount)


@kernel
def push_building(state: State, step: int, seat: int, e: int, lot: int) -> None:
    """Queue a decision of ``seat`` about the building that an effect hits."""
    entry = push(state, step, seat)
    entry.effect = e
    entry.lot = lot


@kernel
def strike(t: Table, state: State, e: int, lot: int) -> None:
    """Demolish a building, or remove its cube."""
    if t.effects[e].verb == Verb.UNCONTROL:
        set_owner(state, lot, NOBODY)
    else:
        lift(state, lot)


# ------------------------------------------------------ a building to move or to place (ruling U23)


@kernel
def mark_moves(state: State, lot: int, mask: Mask) -> None:
    """Mark the footprints that a building can move to (ruling U23)."""
    for block in range(NUM_BLOCKS):
        mark_in_block(block, size_at(state, lot), moves_in(state, lot, block), mask)


@kernel
def do_move(state: State, lot: int, block: int, shape: int) -> None:
    """Move a building with its cube and its lasting effect (rulings U23, U38)."""
    zone, owner, power = int(state.zone[lot]), int(state.owner[lot]), int(state.power[lot])
    lift(state, lot)
    now = lay(state, block, shape, zone, owner, power)
    if state.lot == lot:
        state.lot = now


@kernel
def has_tile(t: Table, state: State, e: int, zone: int) -> bool:
    """Has the supply a tile of the zone in the effect's size (ruling U1)?"""
    return bool(state.tiles[zone, t.effects[e].new_size - 1] > 0)


@kernel
def count_placing(t: Table, state: State, e: int) -> int:
    """Return the number of zones or footprints to choose from, counting footprints up to two."""
    effect = t.effects[e]
    places = count_places(t, state, e)
    if places == 0:
        return 0
    if effect.new_zone != CHOSEN:
        return places if has_tile(t, state, e, int(effect.new_zone)) else 0
    zones = 0
    for zone in range(NUM_ZONES):
        zones += has_tile(t, state, e, zone)
    return zones


@kernel
def begin_placing(t: Table, state: State, e: int, seat: int) -> None:
    """Queue the decision about the zone, or about the footprint if the zone is fixed."""
    effect = t.effects[e]
    if effect.new_zone == CHOSEN:
        push(state, Step.PLACE_ZONE, seat).effect = e
    else:
        push_place(state, seat, e, int(effect.new_zone))


@kernel
def mark_places(t: Table, state: State, e: int, mask: Mask) -> None:
    """Mark the footprints on which a building may be placed (ruling U23)."""
    for block in range(NUM_BLOCKS):
        mark_in_block(block, int(t.effects[e].new_size), places_in(t, state, e, block), mask)


@kernel
def do_place(t: Table, state: State, e: int, seat: int, zone: int, block: int, shape: int) -> None:
    """Place a building without cost (ruling U23)."""
    effect = t.effects[e]
    state.tiles[zone, effect.new_size - 1] -= 1
    lay(state, block, shape, zone, NOBODY if effect.uncontrolled else seat, 0)


# -------------------------------------------------------------------------------- disasters (US §7)


@kernel
def count_losses(t: Table, state: State, e: int, seat: int) -> int:
    """Return the number of ways to suffer a disaster: own buildings that pass, and paying."""
    effect = t.effects[e]
    own = buildings_held(t, state, e, seat)
    if own == 0:
        return 0
    return own + int(has(state, seat, int(effect.what)) >= effect.amount)


@kernel
def mark_losses(t: Table, state: State, e: int, seat: int, mask: Mask) -> None:
    """Mark the buildings that a seat may lose in a disaster, and paying."""
    effect = t.effects[e]
    value = extreme_value(t, state, e, seat)
    lot, rest = next_building(state, NO_LOT, 0)
    while lot != NO_LOT:
        if state.owner[lot] == seat:
            mask[SITE + lot] = passes(t, state, e, lot, seat, value)
        lot, rest = next_building(state, lot, rest)
    mask[YES] = has(state, seat, int(effect.what)) >= effect.amount


# ----------------------------------------------------------------------- decisions about the city


@kernel
def mark_in_city(t: Table, state: State, step: int, seat: int, mask: Mask) -> None:
    """Mark buildings or footprints."""
    entry = top(state)
    e = int(entry.effect)
    if step == Step.TARGET:
        mark_targets(t, state, e, int(entry.acting_seat), mask)
    elif step == Step.PLACE:
        mark_places(t, state, e, mask)
    elif step == Step.MOVE_TO:
        mark_moves(state, int(entry.lot), mask)
    elif step == Step.DISASTER:
        mark_losses(t, state, e, seat, mask)
    elif step == Step.HEADLINE:
        mark_extremes(t, state, e, mask)


@kernel
def play_in_city(t: Table, state: State, step: int, seat: int, site: int) -> None:
    """Carry out the choice of a building or a footprint."""
    block = site // CORNERS
    entry = top(state)
    e, acting_seat, lot, zone = (
        int(entry.effect),
        int(entry.acting_seat),
        int(entry.lot),
        int(entry.zone),
    )
    pop(state)
    if step == Step.TARGET:
        hit(t, state, e, acting_seat, site)
    elif step == Step.PLACE:
        shape = int(SHAPES[t.effects[e].new_size - 1, site % CORNERS])
        do_place(t, state, e, seat, zone, block, shape)
    elif step == Step.MOVE_TO:
        do_move(state, lot, block, int(SHAPES[size_at(state, lot) - 1, site % CORNERS]))
    elif step == Step.HEADLINE:
        reward_building(t, state, e, site, 1 if t.effects[e].verb == Verb.GAIN else -1)
    elif step == Step.DISASTER and site == YES - SITE:
        take_up_to(state, seat, int(t.effects[e].what), int(t.effects[e].amount))
    elif step == Step.DISASTER:
        lift(state, site)
