"""A turn: Treasurer, investments, actions (US 6.2, rulings U4, U5, U14)."""

from __future__ import annotations

from sprawl_env.games.urban_sprawl.actions import BUILD, DECLINE, FAVOR, PERMIT, PLANNING, SITE
from sprawl_env.games.urban_sprawl.constants import (
    BOSS,
    CORNERS,
    FAVORS,
    FIRST_FAVOR,
    FIRST_TOP,
    MEDIA,
    NO_CARD,
    NO_KIND,
    NO_LOT,
    NUM_PERMITS,
    NUM_ZONES,
    PLANNING_TOP,
    TREASURER,
    WEALTH,
    Power,
)
from sprawl_env.games.urban_sprawl.rules.board import holds_power, set_owner
from sprawl_env.games.urban_sprawl.rules.build import may_place_contract, permits_held
from sprawl_env.games.urban_sprawl.rules.lines import extreme_seats
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import (
    EndStage,
    Step,
)
from sprawl_env.games.urban_sprawl.tables import STARTING, Table
from sprawl_env.kernels.agenda import pop, push, top
from sprawl_env.kernels.arrays import Mask
from sprawl_env.kernels.bits import lowest
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.lanes import LANE, LANE_BITS

# ----------------------------------------------------------------------- claims in the setup (6.1)


@kernel
def mark_claims(t: Table, state: State, seat: int, mask: Mask) -> None:
    """Mark the unclaimed starting buildings that the seat can pay (US 6.1)."""
    for k in range(STARTING):
        lot = int(t.start_lot[k])
        free = int(state.starting) >> k & 1
        mask[SITE + lot] = free and state.wealth[seat] >= state.value[lot // CORNERS]


@kernel
def do_claim(t: Table, state: State, seat: int, lot: int) -> None:
    """Claim and pay a starting building; the first turn follows the last claim (US 6.1)."""
    pop(state)
    for k in range(STARTING):
        if t.start_lot[k] == lot:
            state.starting = int(state.starting) & ~(1 << k)
    set_owner(state, lot, seat)
    state.wealth[seat] -= state.value[lot // CORNERS]
    if state.starting:
        push(state, Step.CLAIM, (seat + 1) % int(state.num_seats))
        return
    holder = first_media(t, state)
    state.vocations[holder, MEDIA] += 1
    state.vocations_left[MEDIA] -= 1
    push(state, Step.BEGIN_TURN, 0)


@kernel
def first_media(t: Table, state: State) -> int:
    """Return the richest seat; tie: who has most RES of a value, or the first (U11, U42)."""
    seats = extreme_seats(state, WEALTH, True)
    holder, most = lowest(seats), 0
    for seat in range(state.num_seats):
        own = tie_breakers(t, state, seat) if seats >> seat & 1 else 0
        if own > most:
            holder, most = seat, own
    return holder


@kernel
def tie_breakers(t: Table, state: State, seat: int) -> int:
    """Count the seat's starting RES of the value that breaks the tie for MEDIA (U11, U42)."""
    own = 0
    for k in range(STARTING):
        lot = int(t.start_lot[k])
        fits = t.start_zone[k] == NUM_ZONES - 1 and state.value[lot // CORNERS] == t.tie_value
        own += int(fits and state.owner[lot] == seat)
    return own


# ------------------------------------------------------------------------------ the turn (US 6.2)


@kernel
def begin_turn(t: Table, state: State) -> None:
    """Begin a turn: the Treasurer collects, action points are set (US 6.2)."""
    seat = int(top(state).seat)
    pop(state)
    state.active = seat
    state.card = NO_CARD
    state.lot = NO_LOT
    state.contracts_built = 0
    state.fresh_favors = 0
    state.investing = 1
    state.rebuilt = 0
    if state.office[TREASURER] == seat:
        for other in range(state.num_seats):
            if other != seat:
                paid = min(int(state.wealth[other]), int(t.treasurer))
                state.wealth[other] -= paid
                state.wealth[seat] += paid
    state.points = t.boss_points if state.office[BOSS] == seat else t.action_points
    push(state, Step.MAIN, seat)


@kernel
def contract_at(state: State, seat: int, place: int) -> int:
    """Return the card at a place of the ``build`` actions, NO_CARD if there is none."""
    if place < FIRST_TOP:
        return int(state.contract[place])
    if place < FIRST_FAVOR:
        return int(state.deck_top[place - FIRST_TOP])
    return int(state.favors[seat, place - FIRST_FAVOR])


@kernel
def cost_at(t: Table, place: int) -> int:
    """Return the action points that a place costs; a Favor costs none."""
    return int(t.build_cost[place]) if place < FIRST_FAVOR else 0


@kernel
def has_free_slot(state: State, seat: int) -> bool:
    """May the seat hold one more Favor (US 6.2, ruling U24)?"""
    if state.favors[seat, 0] == NO_CARD:
        return True
    return state.favors[seat, 1] == NO_CARD and holds_power(state, seat, Power.EXTRA_FAVOR)


@kernel
def is_fresh(state: State, place: int) -> bool:
    """Is the place a Favor taken this turn (ruling U4)?"""
    return bool(place >= FIRST_FAVOR and int(state.fresh_favors) >> (place - FIRST_FAVOR) & 1)


@kernel
def mark_builds(t: Table, state: State, seat: int, mask: Mask) -> None:
    """Mark the contracts that can be built (ruling U5)."""
    held = permits_held(t, state, seat)
    for place in range(FIRST_FAVOR + FAVORS):
        card = contract_at(state, seat, place)
        if card == NO_CARD or cost_at(t, place) > state.points or is_fresh(state, place):
            continue
        if held >> LANE_BITS * int(t.card_zone[card]) & LANE >= t.card_size[card]:
            mask[BUILD + place] = may_place_contract(t, state, seat, card)


@kernel
def mark_favors(t: Table, state: State, seat: int, mask: Mask) -> None:
    """Mark the contracts that can be taken as a Favor (US 6.2)."""
    if not has_free_slot(state, seat):
        return
    for place in range(FIRST_FAVOR):
        card = contract_at(state, seat, place)
        mask[FAVOR + place] = card != NO_CARD and cost_at(t, place) <= state.points


@kernel
def mark_main(t: Table, state: State, seat: int, mask: Mask) -> None:
    """Mark investments, actions and the end of the turn (US 6.2, ruling U14)."""
    mask[DECLINE] = 1
    if state.investing:
        for kind in range(NUM_PERMITS):
            mask[PERMIT + kind] = state.hand[seat, kind] > 0
    for space in range(PLANNING_TOP + 1):
        there = state.planning[space] != NO_KIND
        mask[PLANNING + space] = there and t.planning_cost[space] <= state.points
    mark_builds(t, state, seat, mask)
    mark_favors(t, state, seat, mask)


@kernel
def do_main(t: Table, state: State, seat: int, action: int) -> None:
    """Carry out an investment or an action, or end the turn."""
    if action == DECLINE:
        pop(state)
        state.points = 0  # the rest is lost
        state.investing = 0
        push(state, Step.END_OF_TURN, seat).end_stage = EndStage.SLIDE_PLANNING
    elif action < PLANNING:
        do_invest(t, state, seat, action - PERMIT)
    elif action < BUILD:
        do_acquire(t, state, seat, action - PLANNING)
    elif action < FAVOR:
        do_take_contract(t, state, seat, action - BUILD)
    else:
        do_take_favor(t, state, seat, action - FAVOR)


@kernel
def do_invest(t: Table, state: State, seat: int, kind: int) -> None:
    """Discard a permit for its wealth value."""
    state.hand[seat, kind] -= 1
    state.planning_discards[kind] += 1
    state.wealth[seat] += t.permit_wealth[kind]


@kernel
def do_acquire(t: Table, state: State, seat: int, space: int) -> None:
    """Acquire a planning card."""
    state.investing = 0
    state.points -= t.planning_cost[space]
    do_take_planning(state, seat, space)


@kernel
def do_take_planning(state: State, seat: int, space: int) -> None:
    """Take a face-up planning card into the hand."""
    state.hand[seat, state.planning[space]] += 1
    state.planning[space] = NO_KIND


@kernel
def remove_contract(state: State, seat: int, place: int) -> None:
    """Remove a card from its place; a second Favor moves up (ruling U40)."""
    if place < FIRST_TOP:
        state.contract[place] = NO_CARD
    elif place < FIRST_FAVOR:
        state.deck_top[place - FIRST_TOP] = NO_CARD
    else:
        if place == FIRST_FAVOR:
            state.favors[seat, 0] = state.favors[seat, 1]
            state.fresh_favors = int(state.fresh_favors) >> 1
        state.favors[seat, 1] = NO_CARD


@kernel
def do_take_contract(t: Table, state: State, seat: int, place: int) -> None:
    """Pay the action points of a contract and queue the choice of its footprint (US 6.3)."""
    card = contract_at(state, seat, place)
    state.investing = 0
    state.points -= cost_at(t, place)
    remove_contract(state, seat, place)
    push(state, Step.FOOTPRINT, seat).card = card


@kernel
def do_take_favor(t: Table, state: State, seat: int, place: int) -> None:
    """Take a contract as a Favor."""
    card = contract_at(state, seat, place)
    state.investing = 0
    state.points -= cost_at(t, place)
    remove_contract(state, seat, place)
    slot = 0 if state.favors[seat, 0] == NO_CARD else 1
    state.favors[seat, slot] = card
    state.fresh_favors = int(state.fresh_favors) | (1 << slot)
