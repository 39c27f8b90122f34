"""Building a contract: its cost, its legal footprints, demolition (US 6.3, 6.4, 6.6)."""

from __future__ import annotations

from sprawl_env.games.urban_sprawl.actions import PERMIT
from sprawl_env.games.urban_sprawl.constants import (
    ALL_CORNERS,
    ALL_ZONES,
    AT_FOREST,
    AT_WATER,
    ATTORNEY,
    CONTRACTOR,
    CORNERS,
    FOOTPRINTS_IN_PART_ON,
    FOOTPRINTS_OF_SIZE,
    FOOTPRINTS_ON,
    FOOTPRINTS_OVER,
    IN_ALL_COLOURS,
    MOST_VALUE,
    NUM_AROUND,
    NUM_BLOCKS,
    NUM_PERMITS,
    RENEWAL,
    SHAPES,
    TOUCHED,
    Power,
)
from sprawl_env.games.urban_sprawl.rules.board import (
    block_beside,
    corners_next_to,
    lay,
    lift,
    mark_in_block,
    zones_at,
    zones_begun,
    zones_inside,
)
from sprawl_env.games.urban_sprawl.rules.lists import push_effects
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import (
    Step,
)
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.games.urban_sprawl.vocabulary import Next
from sprawl_env.kernels.agenda import pop, push, top
from sprawl_env.kernels.arrays import Mask
from sprawl_env.kernels.bits import lowest
from sprawl_env.kernels.compile import kernel

ALL_BLOCKS = (1 << NUM_BLOCKS) - 1


# -------------------------------------------------------------------------------- permits, US 6.3


@kernel
def permits_held(t: Table, state: State, seat: int) -> int:
    """Return the permits that a seat holds for each zone, one lane per zone."""
    total = 0
    for kind in range(NUM_PERMITS):
        total += int(state.hand[seat, kind]) * int(t.permit_lanes[kind])
    return total


@kernel
def may_pay_permit(t: Table, state: State, seat: int, card: int, kind: int) -> bool:
    """Does the seat hold a permit of this kind for the contract's zone?"""
    zone = int(t.card_zone[card])
    return bool(state.hand[seat, kind] > 0 and int(t.permit_zones[kind]) >> zone & 1)


# ------------------------------------------------------------------- footprints, US 6.3 to 6.6


@kernel
def may_demolish(state: State, seat: int) -> bool:
    """May the seat demolish: is it the Contractor or does it hold an Urban Renewal (US 6.6)?"""
    return bool(state.office[CONTRACTOR] == seat or state.hand[seat, RENEWAL] > 0)


@kernel
def clearing_footprints(state: State, seat: int, block: int) -> int:
    """Return the footprints that cover only buildings that the seat may demolish (ruling U16)."""
    occupied = int(state.occupied[block])
    if occupied == 0 or not may_demolish(state, seat):
        return 0
    contractor = int(state.office[CONTRACTOR])
    found = FOOTPRINTS_ON[occupied]
    for corner in range(CORNERS):
        lot = block * CORNERS + corner
        covered = int(state.corners[lot])
        immune = state.owner[lot] == contractor and contractor != seat and contractor >= 0
        found &= ~(FOOTPRINTS_ON[covered] if immune else FOOTPRINTS_IN_PART_ON[covered])
    return found


@kernel
def in_their_zone(state: State, zone: int, block: int, footprints: int) -> int:
    """Return the footprints that zoning allows; parks are ignored (US 6.4).

    A footprint beside another zone must also be beside its own.  Buildings that it demolishes do
    not count; they are demolished whole.
    """
    across, begun = int(state.across[block]), zones_begun(state, block)
    found, left = 0, footprints
    while left:
        shape = lowest(left) + 1
        left &= left - 1
        zones = (zones_at(across, shape) | zones_at(begun, ALL_CORNERS & ~shape)) & ALL_ZONES
        if zones == 0 or zones >> zone & 1:
            found |= 1 << (shape - 1)
    return found


@kernel
def beside_own(state: State, seat: int, block: int, shape: int, gone: int) -> bool:
    """Does a footprint touch a building of the seat that is not demolished?"""
    for direction in range(NUM_AROUND):
        other = block_beside(block, direction)
        if other < 0:
            continue
        for corner in range(CORNERS):
            lot = other * CORNERS + corner
            touched = int(state.corners[lot]) & int(TOUCHED[direction, shape])
            stays = other != block or not int(state.corners[lot]) & gone
            if touched and stays and state.owner[lot] == seat:
                return True
    return False


@kernel
def next_to(state: State, seat: int, wanted: int, block: int, footprints: int) -> int:
    """Return the footprints that touch one of the things that a contract requires (US §7).

    What a footprint demolishes changes nothing about water, forest and buildings across streets.
    """
    near = corners_next_to(state, block, wanted & IN_ALL_COLOURS)
    near |= AT_WATER[block] if wanted >> Next.WATER & 1 else 0
    near |= AT_FOREST[block] if wanted >> Next.FOREST & 1 else 0
    found = footprints & FOOTPRINTS_ON[near]
    if not (wanted & int(state.inside[block]) or wanted >> Next.OWN & 1):
        return found
    left = footprints & ~found
    while left:
        shape = lowest(left) + 1
        left &= left - 1
        gone = shape & int(state.occupied[block])
        inside = wanted & zones_inside(state, block, gone)
        if inside or (wanted >> Next.OWN & 1 and beside_own(state, seat, block, shape, gone)):
            found |= 1 << (shape - 1)
    return found


@kernel
def within_restrictions(
    t: Table, state: State, seat: int, card: int, block: int, footprints: int
) -> int:
    """Return the footprints that meet the restrictions, except the highest block (US §7)."""
    if state.value[block] < t.card_at_least[card] or state.value[block] > t.card_at_most[card]:
        return 0
    found = footprints
    if t.card_empty_block[card]:
        found &= FOOTPRINTS_OVER[int(state.occupied[block])]
    if t.card_next_to[card] == 0:
        return found
    return next_to(state, seat, int(t.card_next_to[card]), block, found)


@kernel
def legal_footprints(t: Table, state: State, seat: int, card: int, block: int) -> int:
    """Return a contract's legal footprints in a block, without price and highest block."""
    zone = int(t.card_zone[card])
    of_size = FOOTPRINTS_OF_SIZE[int(t.card_size[card]) - 1]
    clearing = of_size & clearing_footprints(state, seat, block)
    if t.card_any_zone[card]:
        found = clearing | (of_size & ~FOOTPRINTS_ON[int(state.occupied[block])])
    else:
        found = in_their_zone(state, zone, block, clearing) if clearing else 0
        found |= of_size & int(state.fitting[block, zone])
    if t.card_restricted[card]:
        return within_restrictions(t, state, seat, card, block, found)
    return found


@kernel
def candidate_blocks(t: Table, state: State, seat: int, card: int) -> int:
    """Return a superset of the blocks that have a legal footprint."""
    blocks = int(state.room[t.card_zone[card], t.card_size[card] - 1])
    if t.card_any_zone[card] or may_demolish(state, seat):
        blocks = ALL_BLOCKS
    if t.card_restricted[card]:
        blocks &= int(state.worth_up_to[min(int(t.card_at_most[card]), MOST_VALUE)])
        if t.card_at_least[card] > 0:
            blocks &= ~int(state.worth_up_to[min(int(t.card_at_least[card]) - 1, MOST_VALUE)])
    return blocks


@kernel
def highest_blocks(t: Table, state: State, seat: int, card: int, blocks: int) -> int:
    """Return the blocks of the highest value with a legal footprint, without price (US §7)."""
    best, highest = 0, 0
    while blocks:
        block = lowest(blocks)
        blocks &= blocks - 1
        value = int(state.value[block])
        if value >= highest and legal_footprints(t, state, seat, card, block):
            best = best | (1 << block) if value == highest else 1 << block
            highest = value
    return best


@kernel
def payable_blocks(t: Table, state: State, seat: int, card: int) -> int:
    """Return the blocks that the seat can pay and that may have a legal footprint."""
    blocks = candidate_blocks(t, state, seat, card)
    if t.card_highest[card]:
        blocks = highest_blocks(t, state, seat, card, blocks)
    return blocks & int(state.worth_up_to[min(int(state.wealth[seat]), MOST_VALUE)])


@kernel
def may_place_contract(t: Table, state: State, seat: int, card: int) -> bool:
    """Is there a tile and a legal placement that the seat can pay (rulings U1, U5)?"""
    if state.tiles[t.card_zone[card], t.card_size[card] - 1] == 0:
        return False
    blocks = payable_blocks(t, state, seat, card)
    if not t.card_restricted[card]:
        if blocks & int(state.room[t.card_zone[card], t.card_size[card] - 1]):
            return True
        if not may_demolish(state, seat):
            return False
    while blocks:
        block = lowest(blocks)
        blocks &= blocks - 1
        if legal_footprints(t, state, seat, card, block):
            return True
    return False


@kernel
def mark_footprints(t: Table, state: State, seat: int, card: int, mask: Mask) -> None:
    """Mark every legal footprint that the seat can pay (ruling U15)."""
    blocks = payable_blocks(t, state, seat, card)
    while blocks:
        block = lowest(blocks)
        blocks &= blocks - 1
        found = legal_footprints(t, state, seat, card, block)
        mark_in_block(block, int(t.card_size[card]), found, mask)


@kernel
def mark_permits(t: Table, state: State, seat: int, card: int, mask: Mask) -> None:
    """Mark the permits that can be paid for the contract."""
    for kind in range(NUM_PERMITS):
        mask[PERMIT + kind] = may_pay_permit(t, state, seat, card, kind)


# -------------------------------------------------------------------------------- building, US 6.3


@kernel
def do_choose_footprint(t: Table, state: State, seat: int, site: int) -> None:
    """Choose the footprint; demolition discards an Urban Renewal now (ruling U16)."""
    card = top(state).card
    block = site // CORNERS
    shape = int(SHAPES[t.card_size[card] - 1, site % CORNERS])
    pop(state)
    if shape & int(state.occupied[block]) and state.office[CONTRACTOR] != seat:
        state.hand[seat, RENEWAL] -= 1
        state.planning_discards[RENEWAL] += 1
    entry = push(state, Step.PERMITS, seat)
    entry.card = card
    entry.site = site


@kernel
def do_pay_permit(t: Table, state: State, seat: int, kind: int) -> None:
    """Discard a permit; build the contract once the permits reach its size."""
    state.hand[seat, kind] -= 1
    state.planning_discards[kind] += 1
    entry = top(state)
    card, site = int(entry.card), int(entry.site)
    entry.paid += t.permits[kind]
    if entry.paid >= t.card_size[card]:
        pop(state)
        do_build(t, state, seat, card, site)


@kernel
def neighbours_of_zone(state: State, block: int, shape: int, zone: int, lot: int) -> int:
    """Return how many buildings of a zone touch a footprint, except the one on ``lot``."""
    count = 0
    for direction in range(NUM_AROUND):
        other = block_beside(block, direction)
        if other < 0:
            continue
        for corner in range(CORNERS):
            first = other * CORNERS + corner
            touched = int(state.corners[first]) & int(TOUCHED[direction, shape])
            count += touched and state.zone[first] == zone and first != lot
    return count


@kernel
def clear_site(state: State, block: int, shape: int) -> None:
    """Demolish what the footprint covers; the tiles leave the game (US 6.6)."""
    for corner in range(CORNERS):
        lot = block * CORNERS + corner
        if int(state.corners[lot]) & shape:
            lift(state, lot)


@kernel
def do_build(t: Table, state: State, seat: int, card: int, site: int) -> None:
    """Pay the value, place the tile, score the neighbourhood bonus, queue the card's effects."""
    block = site // CORNERS
    zone, size = int(t.card_zone[card]), int(t.card_size[card])
    shape = int(SHAPES[size - 1, site % CORNERS])
    state.wealth[seat] -= state.value[block]
    clear_site(state, block, shape)
    state.tiles[zone, size - 1] -= 1
    lot = lay(state, block, shape, zone, seat, Power.NONE)
    bonus = neighbours_of_zone(state, block, shape, zone, lot)
    if state.contracts_built == 0 and state.office[ATTORNEY] == seat:
        bonus *= 2
    state.prestige[seat] += bonus
    state.contracts_built += 1
    state.card = card
    state.lot = lot
    push_effects(state, seat, int(t.card_first[card]), int(t.card_effects[card]))
    push(state, Step.TAKE_VOCATION, seat).card = card
