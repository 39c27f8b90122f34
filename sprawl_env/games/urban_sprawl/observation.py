"""The observation of *Urban Sprawl*: everything except the order of face-down cards (U13).

Seats are numbered from the observer: 0 is the observer, 1 the next seat clockwise, and so on.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sprawl_env.core.layout import ObservationLayout
from sprawl_env.core.state import NOT_OVER, Games, Tables
from sprawl_env.games.urban_sprawl.constants import (
    CITY,
    CORNERS,
    FAVORS,
    MAX_SIZE,
    METROPOLIS,
    NO_CARD,
    NO_KIND,
    NO_MARKER,
    NUM_BLOCKS,
    NUM_COLOURS,
    NUM_DECKS,
    NUM_GREYS,
    NUM_KINDS,
    NUM_LINES,
    NUM_LOTS,
    NUM_MARKERS,
    NUM_OFFICES,
    NUM_PLANNING,
    NUM_POLITICIANS,
    NUM_VOCATIONS,
    NUM_ZONES,
    PLANNING_TOP,
    PRESTIGE,
    RENEWAL,
    SHAPES,
    SIDE,
    WEALTH,
    ZONE_SHIFT,
)
from sprawl_env.games.urban_sprawl.effect_verbs import VERBS_OF
from sprawl_env.games.urban_sprawl.layout import (
    HALF_PERMITS,
    HALF_PRESTIGE,
    HALF_WEALTH,
    MOST_ABOVE,
    MOST_AMOUNT,
    MOST_BUILDINGS,
    MOST_POINTS,
    MOST_STEPS,
    MOST_TURN,
    NUM_CARD_FEATURES,
    NUM_PLACES,
    least_of_steps,
    seen_layout,
)
from sprawl_env.games.urban_sprawl.rules.build import permits_held
from sprawl_env.games.urban_sprawl.rules.lines import (
    buildings_in_line,
    line_money,
    line_number,
)
from sprawl_env.games.urban_sprawl.rules.turn import contract_at, cost_at
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import (
    NUM_DECISION_COLUMNS,
    Step,
)
from sprawl_env.games.urban_sprawl.tables import MAYORS_PARK, Table
from sprawl_env.kernels.agenda import top
from sprawl_env.kernels.arrays import Index, Mask
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.lanes import LANE, LANE_BITS

LEAST_WEALTH: Final = least_of_steps(HALF_WEALTH)
LEAST_PRESTIGE: Final = least_of_steps(HALF_PRESTIGE)
LEAST_PERMITS: Final = least_of_steps(HALF_PERMITS)


def layout(tables: Tables, num_seats: int) -> ObservationLayout:
    """Return the layout for a number of seats."""
    return seen_layout(num_seats)


def planes(observation: npt.NDArray[Any], num_seats: int) -> npt.NDArray[Any]:
    """Return the lots of observations ``[..., size]`` as planes ``[..., features, 12, 12]``."""
    first, last = seen_layout(num_seats).rows("lot")
    count = (last - first) // NUM_LOTS
    front = observation.shape[:-1]
    blocks = observation[..., first:last].reshape(*front, count, SIDE, SIDE, 2, 2)  # a lot last:
    return blocks.swapaxes(-3, -2).reshape(*front, count, 2 * SIDE, 2 * SIDE)  # down, right


# ------------------------------------------------------------------------------------ the city


# By lot: the corners of which a building covers one if it extends to the right of, or below, it.
CORNER_RIGHT: Final = np.tile(np.array((2, 0, 8, 0), np.int8), NUM_BLOCKS)
CORNER_BELOW: Final = np.tile(np.array((4, 8, 0, 0), np.int8), NUM_BLOCKS)


@kernel
def write_buildings(t: Table, state: State, out: Mask) -> None:
    """Write what stands on each lot, plane by plane.

    All numbers are int8, so the loops are vectorised 32 lots at a time.
    """
    at, building_on = t.at, state.building_on
    for zone in range(NUM_COLOURS):
        here, kind = out[at.zone + zone * NUM_LOTS :], np.int8(zone + 1)
        for lot in range(NUM_LOTS):
            here[lot] = building_on[lot] >> ZONE_SHIFT == kind
    size, right = out[at.building_size :], out[at.right :]
    below, empty = out[at.below :], out[at.empty :]
    for lot in range(NUM_LOTS):
        kind = building_on[lot]
        size[lot] = (kind & 1) + (kind >> 1 & 1) + (kind >> 2 & 1) + (kind >> 3 & 1)
    for lot in range(NUM_LOTS):
        right[lot] = building_on[lot] & CORNER_RIGHT[lot] != 0
    for lot in range(NUM_LOTS):
        below[lot] = building_on[lot] & CORNER_BELOW[lot] != 0
    for lot in range(NUM_LOTS):
        empty[lot] = building_on[lot] == 0


@kernel
def write_lots(t: Table, state: State, seat: int, out: Mask) -> None:
    """Write buildings, values and controllers."""
    write_buildings(t, state, out)
    value = out[t.at.value :]
    for block in range(NUM_BLOCKS):
        for corner in range(CORNERS):
            value[block * CORNERS + corner] = state.value[block]
    n = int(t.seen_seats)
    for k in range(n):
        holds, other = out[t.at.controls + k * NUM_LOTS :], np.int8((seat + k) % n)
        for lot in range(NUM_LOTS):
            holds[lot] = state.holder[lot] == other


@kernel
def write_meant(t: Table, state: State, out: Mask) -> None:
    """Write the lots of the building or footprint that the decision or the effect is about."""
    meant = out[t.at.meant :]
    for lot in range(NUM_LOTS):
        meant[lot] = 0
    if state.over != NOT_OVER:
        return
    lot = int(state.lot)
    entry = top(state)
    step = int(entry.step)
    if step == Step.PERMITS:
        lot = int(entry.site)  # the site id: a lot of the block, and the number of the footprint
    elif step == Step.SAVE or step == Step.MOVE_TO:
        lot = int(entry.lot)
    elif step == Step.MAIN or lot < 0:
        return
    corners = int(state.corners[lot])
    if step == Step.PERMITS:
        corners = int(SHAPES[t.card_size[entry.card] - 1, lot % CORNERS])
    for corner in range(CORNERS):
        if corners >> corner & 1:
            meant[lot // CORNERS * CORNERS + corner] = 1


@kernel
def write_lines(t: Table, state: State, seat: int, out: Mask) -> None:
    """Write the lines' numbers and the buildings controlled in them, plane by plane."""
    numbers, wealth, prestige = int(t.at.number), int(t.at.pays_wealth), int(t.at.pays_prestige)
    for line in range(NUM_LINES):
        number = line_number(t, state, line)
        is_wealth = line_money(state, line) == WEALTH
        out[numbers + line] = number
        out[wealth + line] = number > 0 and is_wealth
        out[prestige + line] = number > 0 and not is_wealth
    n = int(t.seen_seats)
    for k in range(n):
        other, held = (seat + k) % n, int(t.at.held) + k * NUM_LINES
        for line in range(NUM_LINES):
            out[held + line] = buildings_in_line(state, line, other)


# ----------------------------------------------------------------------------------------- cards


@kernel
def write_planning(t: Table, state: State, out: Mask) -> None:
    """Write the face-up planning cards."""
    at = t.at
    for space in range(PLANNING_TOP + 1):
        kind = int(state.planning[space])
        row = space * int(at.planning)
        out[at.there + row : at.there + row + at.planning] = 0
        if kind == NO_KIND:
            continue
        out[at.there + row] = 1
        out[at.takes + row] = t.planning_cost[space]
        if kind == RENEWAL:
            out[at.renewal + row] = 1
            continue
        out[at.permits + row] = t.permits[kind]
        zones, start = int(t.permit_zones[kind]), int(at.for_zones) + row
        for zone in range(NUM_ZONES):
            out[start + zone] = zones >> zone & 1
        out[at.wealth_value + row] = t.permit_wealth[kind]
        out[at.ballot + row] = t.permit_ballot[kind]


@kernel
def write_card(t: Table, card: int, start: int, out: Mask) -> None:
    """Write the card features of a contract, zeros without one.

    The loop runs to ``text.size``: a constant length would be compiled to moves of single numbers.
    """
    text = out[start : start + NUM_CARD_FEATURES]
    if card == NO_CARD:
        text[:] = 0
        return
    says = t.card_features[card]
    for k in range(text.size):
        text[k] = says[k]


@kernel
def write_contracts(t: Table, state: State, seat: int, out: Mask) -> None:
    """Write the contracts in the row, the deck tops and the observer's Favors."""
    at = t.at
    held = permits_held(t, state, seat)
    for place in range(NUM_PLACES):
        card = contract_at(state, seat, place)
        row = place * int(at.contract)
        write_card(t, card, at.card + row, out)
        out[at.offered + row] = card != NO_CARD
        out[at.cost + row] = 0
        out[at.missing + row] = 0
        if card != NO_CARD:
            permits = held >> LANE_BITS * int(t.card_zone[card]) & LANE
            out[at.cost + row] = cost_at(t, place)
            out[at.missing + row] = max(int(t.card_size[card]) - permits, 0)


# ----------------------------------------------------------------------------------------- seats


@kernel
def in_steps(amount: int, half: int) -> int:
    """Map an unbounded amount to 0..126, in steps that become larger; ``half`` becomes 63.

    The result is exact: a float64 division of numbers below 2**22 is not rounded across a whole
    number.  It is faster than the division of integers.
    """
    return int(MOST_STEPS * amount / (amount + half))


@kernel
def above_step(amount: int, half: int, least: Index) -> int:
    """Return by how much an amount exceeds the least one in its step."""
    return min(amount - int(least[in_steps(amount, half)]), MOST_ABOVE)


@kernel
def write_holdings(t: Table, state: State, seat: int, row: int, out: Mask) -> None:
    """Write the wealth, prestige and permits of a seat."""
    at = t.at
    wealth, prestige = int(state.wealth[seat]), int(state.prestige[seat])
    out[at.wealth + row] = in_steps(wealth, HALF_WEALTH)
    out[at.wealth_above + row] = above_step(wealth, HALF_WEALTH, LEAST_WEALTH)
    out[at.prestige + row] = in_steps(prestige, HALF_PRESTIGE)
    out[at.prestige_above + row] = above_step(prestige, HALF_PRESTIGE, LEAST_PRESTIGE)
    held, sums, above = permits_held(t, state, seat), at.permit_sum + row, at.permit_sum_above + row
    for zone in range(NUM_ZONES):
        permits = held >> LANE_BITS * zone & LANE
        out[sums + zone] = in_steps(permits, HALF_PERMITS)
        out[above + zone] = above_step(permits, HALF_PERMITS, LEAST_PERMITS)


@kernel
def write_seat(t: Table, state: State, seat: int, row: int, out: Mask) -> None:
    """Write everything that a seat has."""
    at = t.at
    write_holdings(t, state, seat, row, out)
    out[at.active + row] = state.active == seat
    out[at.to_play + row] = state.to_play == seat
    cards, hand = state.hand[seat], out[at.hand + row : at.hand + row + NUM_KINDS]
    for kind in range(hand.size):
        hand[kind] = cards[kind]
    vocations, offices, buildings = at.vocations + row, at.offices + row, at.buildings + row
    for vocation in range(NUM_VOCATIONS):
        out[vocations + vocation] = state.vocations[seat, vocation]
    for office in range(NUM_OFFICES):
        out[offices + office] = state.office[office] == seat
    for colour in range(NUM_COLOURS):
        out[buildings + colour] = min(int(state.controls[seat, colour]), MOST_BUILDINGS)
    favors = int(at.favor) + row
    for slot in range(FAVORS):
        write_card(t, int(state.favors[seat, slot]), favors + slot * NUM_CARD_FEATURES, out)


@kernel
def write_seats(t: Table, state: State, seat: int, out: Mask) -> None:
    """Write all seats, the observer first."""
    n = int(t.seen_seats)
    for k in range(n):
        write_seat(t, state, (seat + k) % n, k * int(t.at.seat), out)


# -------------------------------------------------------------------------- decision and supplies


# By decision: whether it is about an effect.
OF_EFFECT: Final = tuple(int(step in VERBS_OF) for step in range(NUM_DECISION_COLUMNS))


@kernel
def write_decision(t: Table, state: State, out: Mask) -> None:
    """Write the decision and its effect."""
    at = t.at
    out[at.decision : at.points] = 0
    if state.over != NOT_OVER:
        return
    entry = top(state)
    step, e = int(entry.step), int(entry.effect)
    out[at.decision + step] = 1
    if step == Step.MARKER_GAIN:
        out[at.amounts] = min(int(entry.number), MOST_AMOUNT)
        out[at.amounts + 1] = min(int(entry.left), MOST_AMOUNT)
    elif step == Step.PERMITS:
        out[at.permits_paid] = entry.paid
    elif OF_EFFECT[step] and e != MAYORS_PARK:
        write_effect(t, state, out)
    write_question(t, state, out)


@kernel
def write_effect(t: Table, state: State, out: Mask) -> None:
    """Write the effect that requires the decision."""
    at, entry = t.at, top(state)
    step, effect = int(entry.step), t.effects[entry.effect]
    saves = step == Step.SAVE
    what = int(effect.save_what if saves else effect.what)
    amount = int(effect.save_amount if saves else effect.amount)
    out[at.verb + effect.verb] = 1
    out[at.money] = what != PRESTIGE
    out[at.money + 1] = what != WEALTH
    out[at.amounts] = min(amount, MOST_AMOUNT)
    if step == Step.UNIT or step == Step.DISCARD:
        out[at.amounts + 1] = min(int(entry.left), MOST_AMOUNT)
    elif step == Step.BID:
        out[at.amounts + 1] = min(int(entry.highest), MOST_AMOUNT)


@kernel
def write_question(t: Table, state: State, out: Mask) -> None:
    """Write the marker, zone, office, vocation and card that the decision is about."""
    at, entry = t.at, top(state)
    step = int(entry.step)
    if step == Step.GREY:
        out[at.meant_marker + entry.marker] = 1
    elif step == Step.PLACE:
        out[at.meant_zone + entry.zone] = 1
    elif step == Step.WINNER:
        out[at.meant_office + entry.office] = 1
    elif step == Step.VOCATION_FROM:
        out[at.meant_vocation + entry.vocation] = 1
    card = int(state.card)
    if step == Step.FOOTPRINT or step == Step.PERMITS:
        card = int(entry.card)
    elif step == Step.MAIN:
        card = NO_CARD
    if card != NO_CARD:
        write_card(t, card, at.meant_card, out)


@kernel
def write_turn(t: Table, state: State, out: Mask) -> None:
    """Write the turn, the decks and the offices."""
    at = t.at
    out[at.points] = min(int(state.points), MOST_POINTS)
    out[at.investing] = state.investing
    out[at.nothing_built] = state.contracts_built == 0
    out[at.event] = state.event != NO_KIND
    out[at.turns] = min(int(state.turn), MOST_TURN)
    left, in_play, pawn = int(at.contracts_left), int(at.in_play), int(at.pawn)
    for deck in range(NUM_DECKS):
        out[left + deck] = state.deck_size[deck]
    out[at.active_decks] = int(state.active_decks) >> CITY & 1
    out[at.active_decks + 1] = int(state.active_decks) >> METROPOLIS & 1
    out[at.planning_left] = state.planning_size
    out[at.planning_left + 1] = state.no_events
    out[at.rebuilt] = state.rebuilt
    for office in range(NUM_OFFICES):
        out[in_play + office] = int(state.in_play) >> office & 1
    for office in range(NUM_POLITICIANS):
        out[pawn + office] = state.pawn == office


@kernel
def write_supplies(t: Table, state: State, out: Mask) -> None:
    """Write markers, vocations, tiles, discards and room to build."""
    at = t.at
    markers, left, tiles = int(at.markers), int(at.vocations_left), int(at.tiles)
    out[markers : markers + NUM_MARKERS] = 1
    for grey in range(NUM_GREYS):
        if state.marker_at[grey] != NO_MARKER:
            out[markers + int(state.marker_at[grey])] = 0
    for vocation in range(NUM_VOCATIONS):
        out[left + vocation] = state.vocations_left[vocation]
    for colour in range(NUM_COLOURS):
        for size in range(MAX_SIZE):
            out[tiles + colour * MAX_SIZE + size] = state.tiles[colour, size]
    discards = out[at.discards : at.discards + NUM_PLANNING]  # and those of events, which follow
    for kind in range(discards.size):
        discards[kind] = state.planning_discards[kind]
    for zone in range(NUM_ZONES):
        start, blocks = int(at.room) + zone * NUM_BLOCKS, int(state.room[zone, 0])
        room = out[start : start + NUM_BLOCKS]
        for block in range(room.size):  # as in write_card
            room[block] = blocks >> block & 1


@kernel
def observe(tables: Tables, games: Games, g: int, seat: int, out: Mask) -> None:
    """Write the observation of ``seat``, int8 ``[observation_size]`` (see layout.py)."""
    t: Table = tables[0]
    state: State = games[g]
    write_lots(t, state, seat, out)
    write_meant(t, state, out)
    write_lines(t, state, seat, out)
    write_planning(t, state, out)
    write_seats(t, state, seat, out)
    write_contracts(t, state, seat, out)
    write_turn(t, state, out)
    write_supplies(t, state, out)
    write_decision(t, state, out)
