"""Whether a position of *Urban Sprawl* is possible, compiled: to check millions of positions.

Whatever it refuses, :func:`~sprawl_env.games.urban_sprawl.invariants.violations` refuses too and
says in words what is wrong.  Of the pending steps it checks the order, not the arguments, and not
whether an action is legal.  What is derived from the buildings is computed from a grid of lots, as
the rules do not do.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sprawl_env.core.state import NOBODY, NOT_OVER, TRUNCATED, Games, Tables
from sprawl_env.games.urban_sprawl.constants import (
    ALL_CORNERS,
    ALL_FOOTPRINTS,
    CORNERS,
    DECK_CARDS,
    FIRST_EVENT,
    FIRST_GREY,
    LOTS_A_PART,
    MAX_SEATS,
    MAX_SIZE,
    MAYOR,
    MOST_ACTION_POINTS,
    MOST_TURNS,
    MOST_VALUE,
    NO_CARD,
    NO_KIND,
    NO_LOT,
    NO_MARKER,
    NUM_BLOCKS,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_COLUMNS,
    NUM_DECKS,
    NUM_EVENTS,
    NUM_GREYS,
    NUM_KINDS,
    NUM_LOTS,
    NUM_MARKERS,
    NUM_OFFICES,
    NUM_PERMITS,
    NUM_PLANNING,
    NUM_POLITICIANS,
    NUM_POWERS,
    NUM_TOP_GREYS,
    NUM_VOCATIONS,
    NUM_ZONES,
    PLANNING_CARDS,
    RENEWAL,
    SHAPES,
    SIDE,
    TOWN,
    ZONE_SHIFT,
    Length,
    Power,
)
from sprawl_env.games.urban_sprawl.invariants import MOST_PENDING
from sprawl_env.games.urban_sprawl.rules.entry_points import POINT
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import DECISIONS, Step
from sprawl_env.games.urban_sprawl.tables import STARTING, Table
from sprawl_env.kernels.bits import count_bits
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.limits import within
from sprawl_env.kernels.scratch import new_numbers

MOST: Final = 127  # of what is counted
MOST_PLIES: Final = 10**7
MOST_PRESTIGE: Final = 2**14
LONGEST: Final = int(max(Length))
LAST_POWER: Final = int(max(Power))
LAST_STEP: Final = int(max(Step))
NO_ZONE: Final = -1  # of a lot without a building
IS_DECISION: Final = np.array([step in DECISIONS for step in range(LAST_STEP + 1)])
IS_BOTTOM: Final = np.array(
    [step in {Step.CLAIM, Step.MAIN, Step.END_OF_TURN} for step in range(LAST_STEP + 1)]
)
SIZE_OF_SHAPE: Final = np.array([shape.bit_count() for shape in range(ALL_CORNERS + 1)], np.int8)
IS_SHAPE: Final = np.array([shape in SHAPES[SHAPES > 0] for shape in range(ALL_CORNERS + 1)])


def _around() -> list[list[int]]:
    """Return for every lot the lots around it and itself; NO_LOT outside the city."""
    wide = 2 * SIDE

    def lot_at(row: int, column: int) -> int:
        if not (0 <= row < wide and 0 <= column < wide):
            return NO_LOT
        return (row // 2 * SIDE + column // 2) * CORNERS + row % 2 * 2 + column % 2

    places = {lot_at(row, column): (row, column) for row in range(wide) for column in range(wide)}
    steps = (-1, 0, 1)
    return [
        [lot_at(places[lot][0] + down, places[lot][1] + right) for down in steps for right in steps]
        for lot in range(NUM_LOTS)
    ]


AROUND: Final = np.array(_around(), np.int16)  # [lot, 9]


@kernel
def turn_in_range(t: Table, state: State) -> bool:
    """Check the options and every number about the turn."""
    seats = int(state.num_seats)
    return bool(
        seats == t.seen_seats
        and state.rng >= 1
        and 0 <= state.ply <= MOST_PLIES
        and 0 <= state.turn <= state.max_turns <= MOST_TURNS
        and state.max_turns >= 1
        and NOBODY <= state.to_play < seats
        and NOT_OVER <= state.over <= TRUNCATED
        and 0 <= state.length <= LONGEST
        and 0 <= state.active < seats
        and 0 <= state.points <= MOST_ACTION_POINTS
        and 0 <= state.investing <= 1
        and state.contracts_built >= 0
        and 0 <= state.fresh_favors < 1 << 2
        and NO_CARD <= state.card < NUM_CARDS
        and NO_KIND <= state.event < NUM_EVENTS
        and NO_LOT <= state.lot < NUM_LOTS
        and 0 <= state.asked_row <= 1
        and 0 <= state.asked_zone < NUM_ZONES
        and 0 <= state.agenda_size <= MOST_PENDING
    )


@kernel
def seats_in_range(t: Table, state: State) -> bool:
    """Check every number about the seats and the cards."""
    seats = int(state.num_seats)
    return bool(
        within(state.wealth, 0, POINT - 1)
        and within(state.prestige, 0, MOST_PRESTIGE)
        and within(state.hand, 0, MOST)
        and within(state.favors, NO_CARD, NUM_CARDS - 1)
        and within(state.vocations, 0, MOST)
        and within(state.vocations_left, 0, MOST)
        and within(state.office, NOBODY, seats - 1)
        and 0 <= state.in_play < 1 << NUM_OFFICES
        and 0 <= state.pawn < NUM_POLITICIANS
        and within(state.planning, NO_KIND, NUM_KINDS - 1)
        and within(state.planning_deck, 0, NUM_PLANNING - 1)
        and 0 <= state.no_events <= state.planning_size <= PLANNING_CARDS
        and 0 <= state.rebuilt <= 1
        and within(state.planning_discards, 0, MOST)
        and within(state.contract, NO_CARD, NUM_CARDS - 1)
        and within(state.deck_top, NO_CARD, NUM_CARDS - 1)
        and within(state.deck, 0, NUM_CARDS - 1)
        and within(state.deck_size, 0, DECK_CARDS)
        and 0 <= state.active_decks < 1 << NUM_DECKS
    )


@kernel
def city_in_range(t: Table, state: State) -> bool:
    """Check every number about the city that other checks use as an index."""
    return bool(
        within(state.corners, 0, ALL_CORNERS)
        and within(state.zone, 0, NUM_COLOURS - 1)
        and within(state.owner, NOBODY, state.num_seats - 1)
        and within(state.power, 0, LAST_POWER)
        and within(state.building_on, 0, NUM_COLOURS << ZONE_SHIFT | ALL_CORNERS)
        and within(state.tiles, 0, MOST)
        and 0 <= state.starting < 1 << STARTING
        and within(state.marker_at, NO_MARKER, NUM_MARKERS - 1)
    )


# --------------------------------------------------------------------------------------- the city


@kernel
def zone_on(state: State, lot: int) -> int:
    """Return the zone of the building on a lot, NO_ZONE without one."""
    return (int(state.building_on[lot]) >> ZONE_SHIFT) - 1


@kernel
def lots_possible(state: State) -> bool:
    """Check that buildings have a shape and do not overlap, and what each lot says of them."""
    covered, built = 0, 0
    for lot in range(NUM_LOTS):
        built += state.building_on[lot] > 0
        shape, corner, block = int(state.corners[lot]), lot % CORNERS, lot // CORNERS
        if shape == 0:
            if state.owner[lot] != NOBODY or state.zone[lot] != 0 or state.power[lot] != 0:
                return False
            if state.building_on[lot] == 0 and state.holder[lot] != NOBODY:
                return False
            continue
        if not IS_SHAPE[shape] or shape & -shape != 1 << corner:
            return False
        kind = (int(state.zone[lot]) + 1) << ZONE_SHIFT | shape
        for other in range(CORNERS):
            if shape >> other & 1:
                covered += 1
                on = block * CORNERS + other
                if state.building_on[on] != kind or state.holder[on] != state.owner[lot]:
                    return False
    return covered == built


@kernel
def firsts_possible(state: State) -> bool:
    """Check the sets of the first lots of buildings."""
    for lot in range(NUM_LOTS):
        in_set = int(state.firsts[lot // LOTS_A_PART]) >> lot % LOTS_A_PART & 1 == 1
        if in_set != (state.corners[lot] > 0):
            return False
    return bool(within(state.firsts, 0, (1 << LOTS_A_PART) - 1))


@kernel
def counts_possible(state: State, seat: int) -> bool:
    """Check how many buildings a seat controls, by row, column, zone and lasting effect."""
    rows, columns, zones, powers = new_numbers(), new_numbers(), new_numbers(), new_numbers()
    for k in range(rows.size):
        rows[k] = columns[k] = zones[k] = powers[k] = 0
    for lot in range(NUM_LOTS):
        if state.corners[lot] > 0 and state.owner[lot] == seat:
            rows[lot // CORNERS // SIDE] += 1
            columns[lot // CORNERS % SIDE] += 1
            zones[state.zone[lot]] += 1
            powers[state.power[lot]] += state.power[lot] != Power.NONE
    same = True
    for k in range(SIDE):
        same &= (state.in_row[seat, k] == rows[k]) & (state.in_column[seat, k] == columns[k])
    for zone in range(NUM_COLOURS):
        same &= state.controls[seat, zone] == zones[zone]
    for power in range(NUM_POWERS):
        same &= state.lasting[seat, power] == powers[power]
    return bool(same)


@kernel
def zones_around(state: State, lot: int) -> int:
    """Return the set of the zones of buildings that cover or touch a lot (US §1)."""
    zones = 0
    for k in range(AROUND.shape[1]):
        other = int(AROUND[lot, k])
        if other != NO_LOT and state.building_on[other] > 0:
            zones |= 1 << zone_on(state, other)
    return zones


@kernel
def block_possible(state: State, block: int) -> bool:
    """Check what is derived from the buildings in and around a block."""
    occupied, inside, across = 0, 0, 0
    for corner in range(CORNERS):
        lot = block * CORNERS + corner
        if state.building_on[lot] > 0:
            occupied |= 1 << corner
            inside |= 1 << zone_on(state, lot)
        for k in range(AROUND.shape[1]):
            other = int(AROUND[lot, k])
            street = other != NO_LOT and other // CORNERS != block
            if street and state.building_on[other] > 0:
                across |= 1 << (8 * corner + zone_on(state, other))
    if state.occupied[block] != occupied or state.inside[block] != inside:
        return False
    return state.across[block] == across and fitting_possible(state, block, occupied)


@kernel
def fitting_possible(state: State, block: int, occupied: int) -> bool:
    """Check which empty footprints of a block are legal, by zone (US 6.4)."""
    all_zones, beside = (1 << NUM_ZONES) - 1, new_numbers()
    for corner in range(CORNERS):
        beside[corner] = zones_around(state, block * CORNERS + corner) & all_zones
    for shape in range(1, ALL_CORNERS + 1):
        if not IS_SHAPE[shape]:
            continue
        near = 0
        for corner in range(CORNERS):
            if shape >> corner & 1:
                near |= int(beside[corner])
        for zone in range(NUM_ZONES):
            legal = shape & occupied == 0 and (near == 0 or near >> zone & 1 == 1)
            if (int(state.fitting[block, zone]) >> (shape - 1) & 1 == 1) != legal:
                return False
    for zone in range(NUM_ZONES):
        if state.fitting[block, zone] & ~ALL_FOOTPRINTS:
            return False
        for size in range(MAX_SIZE):
            some = False
            for k in range(CORNERS):
                shape = int(SHAPES[size, k])
                if shape and int(state.fitting[block, zone]) >> (shape - 1) & 1:
                    some = True
            if (int(state.room[zone, size]) >> block & 1 == 1) != some:
                return False
    return True


@kernel
def tiles_placed(state: State, zone: int, size: int) -> int:
    """Return the number of tiles of a zone and size in the city."""
    count = 0
    for lot in range(NUM_LOTS):
        count += (SIZE_OF_SHAPE[state.corners[lot]] == size) & (state.zone[lot] == zone)
    return count


@kernel
def tiles_possible(t: Table, state: State) -> bool:
    """Check that supply and city together hold no more tiles than the game has."""
    for zone in range(NUM_COLOURS):
        for size in range(1, MAX_SIZE + 1):
            tiles = int(state.tiles[zone, size - 1]) + tiles_placed(state, zone, size)
            if tiles > t.tiles[zone, size - 1]:
                return False
    return True


@kernel
def city_possible(t: Table, state: State) -> bool:
    """Check the buildings, what is derived from them, and the supply of tiles (US §1)."""
    if not (lots_possible(state) and firsts_possible(state) and tiles_possible(t, state)):
        return False
    for seat in range(MAX_SEATS):
        if not counts_possible(state, seat):
            return False
    for block in range(NUM_BLOCKS):
        if not block_possible(state, block):
            return False
    for k in range(STARTING):
        lot = int(t.start_lot[k])
        alone = state.corners[lot] == 1 << lot % CORNERS and state.owner[lot] == NOBODY
        if int(state.starting) >> k & 1 and not alone:
            return False
    return bool(within(state.room, 0, (1 << NUM_BLOCKS) - 1))


@kernel
def line_number(t: Table, state: State, line: int) -> int:
    """Return the number of a line: printed, or of the marker on its grey space (US §1)."""
    if line < NUM_COLUMNS:
        return int(t.column_number[line])
    if line < FIRST_GREY:
        return int(t.row_number[line - NUM_COLUMNS])
    marker = int(state.marker_at[line - FIRST_GREY])
    return 0 if marker == NO_MARKER else int(t.marker_number[marker])


@kernel
def lines_possible(t: Table, state: State) -> bool:
    """Check that a marker stands on one space at most, and the values of the blocks (US §1)."""
    for grey in range(NUM_GREYS):
        for other in range(grey):
            marker = state.marker_at[grey]
            if marker != NO_MARKER and marker == state.marker_at[other]:
                return False
    for block in range(NUM_BLOCKS):
        row, column = block // SIDE, block % SIDE
        value = line_number(t, state, column) + line_number(t, state, NUM_COLUMNS + row // 2)
        value += line_number(t, state, FIRST_GREY + column // 2)
        value += line_number(t, state, FIRST_GREY + NUM_TOP_GREYS + row)
        value = min(value, MOST_VALUE)
        if state.value[block] != value:
            return False
        for most in range(MOST_VALUE + 1):
            if (int(state.worth_up_to[most]) >> block & 1 == 1) != (value <= most):
                return False
    return bool(within(state.worth_up_to, 0, (1 << NUM_BLOCKS) - 1))


# ---------------------------------------------------------------------------- the seats, the cards


@kernel
def seats_possible(t: Table, state: State) -> bool:
    """Check vocations and offices, and that unused seats hold nothing."""
    for seat in range(state.num_seats, MAX_SEATS):
        unused = state.wealth[seat] == 0 and state.prestige[seat] == 0
        unused = unused and within(state.hand[seat], 0, 0) and within(state.vocations[seat], 0, 0)
        if not unused or not within(state.favors[seat], NO_CARD, NO_CARD):
            return False
    for vocation in range(NUM_VOCATIONS):
        markers = int(state.vocations_left[vocation])
        for seat in range(MAX_SEATS):
            markers += int(state.vocations[seat, vocation])
        if markers != t.vocation_markers[vocation]:
            return False
    for office in range(NUM_OFFICES):
        in_play = int(state.in_play) >> office & 1 == 1
        if not in_play and (office == MAYOR or state.office[office] != NOBODY):
            return False
    for seat in range(state.num_seats):
        if state.favors[seat, 0] == NO_CARD and state.favors[seat, 1] != NO_CARD:
            return False
    return True


@kernel
def planning_cards(state: State, kind: int) -> int:
    """Return the number of planning cards of a kind in all places."""
    count = int(state.planning_discards[kind])
    count += kind >= FIRST_EVENT and state.event == kind - FIRST_EVENT
    for k in range(state.planning_size):
        count += state.planning_deck[k] == kind
    for space in range(state.planning.size):
        count += state.planning[space] == kind
    for seat in range(MAX_SEATS):
        count += int(state.hand[seat, kind]) if kind < NUM_KINDS else 0
    return count


@kernel
def planning_possible(t: Table, state: State) -> bool:
    """Check that every planning card is in exactly one place (US §3)."""
    for kind in range(NUM_PLANNING):
        expected = 1
        if kind < NUM_PERMITS:
            expected = int(t.permit_copies[kind])
        elif kind == RENEWAL:
            expected = int(t.renewal_copies)
        if planning_cards(state, kind) != expected:
            return False
    for k in range(int(state.planning_size) - int(state.no_events), state.planning_size):
        if state.planning_deck[k] >= FIRST_EVENT:
            return False
    return True


@kernel
def times_face_up(state: State, card: int) -> int:
    """Return in how many places a card lies face up, or is being built."""
    count = int(state.contracts_built > 0 and state.card == card)
    for space in range(state.contract.size):
        count += state.contract[space] == card
    for deck in range(NUM_DECKS):
        count += state.deck_top[deck] == card
    for seat in range(MAX_SEATS):
        for slot in range(state.favors.shape[1]):
            count += state.favors[seat, slot] == card
    for k in range(state.agenda_size):
        entry = state.agenda[k]
        placing = entry.step == Step.FOOTPRINT or entry.step == Step.PERMITS
        count += placing and entry.card == card
    return count


@kernel
def contracts_possible(t: Table, state: State) -> bool:
    """Check that a card is in one place at most, and events only in decks."""
    for card in range(NUM_CARDS):
        face_up, inside = times_face_up(state, card), 0
        for k in range(state.deck_size[card // DECK_CARDS]):
            inside += state.deck[card // DECK_CARDS, k] == card
        if face_up + inside > 1 or (face_up > 0 and t.card_zone[card] < 0):
            return False
    return decks_possible(state)


@kernel
def decks_possible(state: State) -> bool:
    """Check that each deck has its own cards, and all of them while it is not active."""
    for deck in range(NUM_DECKS):
        size, top = int(state.deck_size[deck]), int(state.deck_top[deck])
        if top != NO_CARD and top // DECK_CARDS != deck:
            return False
        for k in range(size):
            if int(state.deck[deck, k]) // DECK_CARDS != deck:
                return False
        active = int(state.active_decks) >> deck & 1 == 1
        if not active and (deck == TOWN or size != DECK_CARDS or top != NO_CARD):
            return False
    return True


# --------------------------------------------------------------------------- the turn, the agenda


@kernel
def turn_possible(t: Table, state: State) -> bool:
    """Check the turn: its seat, what was built in it, the end of the game."""
    turn, truncated = int(state.turn), state.over == TRUNCATED
    if (turn >= state.max_turns) != truncated:
        return False
    if (state.to_play == NOBODY) != (state.over != NOT_OVER):
        return False
    if not truncated and state.active != turn % int(state.num_seats):
        return False
    built = state.contracts_built > 0
    if (state.card != NO_CARD) != built or (state.lot != NO_LOT) != built:
        return False
    if not built and state.starting != 0 and turn > 0:
        return False
    for slot in range(state.favors.shape[1]):
        fresh = int(state.fresh_favors) >> slot & 1 == 1
        if fresh and state.favors[state.active, slot] == NO_CARD:
            return False
    if state.investing == 0:
        return True
    all_points = state.points == t.action_points or state.points == t.boss_points
    return bool(all_points and not built and state.fresh_favors == 0)


@kernel
def agenda_possible(state: State) -> bool:
    """Check that a decision of the seat to play is on top, and what is at the bottom."""
    size = int(state.agenda_size)
    if state.over != NOT_OVER:
        return True
    if size < 1:
        return False
    for k in range(size):
        step = int(state.agenda[k].step)
        if step < 0 or step > LAST_STEP or IS_BOTTOM[step] != (k == 0):
            return False
        if k > 0 and IS_DECISION[step] != (k == size - 1):
            return False
    bottom, top = state.agenda[0], state.agenda[size - 1]
    if top.seat != state.to_play or not IS_DECISION[int(top.step)]:
        return False
    claiming = state.starting != 0
    if (bottom.step == Step.CLAIM) != claiming:
        return False
    claimed = STARTING - count_bits(int(state.starting))
    seat = claimed % int(state.num_seats) if claiming else int(state.active)
    outside = bottom.step != Step.MAIN and (state.points != 0 or state.investing != 0)
    return bool(bottom.seat == seat and not outside and not (state.investing and size > 1))


@kernel
def is_possible(tables: Tables, games: Games, g: int) -> bool:
    """Return whether game ``g`` can be reached, as far as its parts can tell."""
    t: Table = tables[0]
    state: State = games[g]
    if not (turn_in_range(t, state) and seats_in_range(t, state) and city_in_range(t, state)):
        return False
    return bool(
        city_possible(t, state)
        and lines_possible(t, state)
        and seats_possible(t, state)
        and planning_possible(t, state)
        and contracts_possible(t, state)
        and turn_possible(t, state)
        and agenda_possible(state)
    )
