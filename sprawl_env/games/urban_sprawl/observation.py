"""The observation of *Urban Sprawl*: everything except the order of face-down cards (U13).

Seats are numbered from the observer: 0 is the observer, 1 the next seat clockwise, and so on.
"""

from __future__ import annotations

from enum import IntEnum, auto
from typing import Final

import numpy as np
import numpy.typing as npt

from sprawl_env.core.layout import ObservationLayout
from sprawl_env.core.state import NOT_OVER, Games, Tables
from sprawl_env.games.urban_sprawl.constants import (
    CITY,
    CORNERS,
    FAVORS,
    FIRST_FAVOR,
    LAST_DECISION,
    MAX_SIZE,
    METROPOLIS,
    MOST_VALUE,
    NO_CARD,
    NO_KIND,
    NO_MARKER,
    NUM_BLOCKS,
    NUM_COLOURS,
    NUM_DECKS,
    NUM_EVENTS,
    NUM_GREYS,
    NUM_KINDS,
    NUM_LINES,
    NUM_LOTS,
    NUM_MARKERS,
    NUM_OFFICES,
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
    Step,
)
from sprawl_env.games.urban_sprawl.effect_verbs import VERBS_OF
from sprawl_env.games.urban_sprawl.features import CARD_FEATURES
from sprawl_env.games.urban_sprawl.rules.build import permits_held
from sprawl_env.games.urban_sprawl.rules.lines import (
    buildings_in_line,
    line_money,
    line_number,
)
from sprawl_env.games.urban_sprawl.rules.turn import contract_at, cost_at
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.tables import MAYORS_PARK, Table
from sprawl_env.games.urban_sprawl.vocabulary import NUM_VERB_COLUMNS
from sprawl_env.kernels.agenda import top
from sprawl_env.kernels.arrays import Floats
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.lanes import LANE, LANE_BITS


class Lot(IntEnum):
    """Planes of the lots, in order; a plane holds one number per lot."""

    ZONE = 0  # one plane per zone, and parks
    SIZE = NUM_COLOURS
    RIGHT = SIZE + 1
    BELOW = SIZE + 2
    VALUE = SIZE + 3
    EMPTY = SIZE + 4
    MEANT = SIZE + 5
    OWNER = SIZE + 6  # one plane per seat


class LineAt(IntEnum):
    """Planes of the lines, in order."""

    NUMBER = 0
    WEALTH = 1
    PRESTIGE = 2
    HELD = 3  # one plane per seat


class Card(IntEnum):
    """Offsets within the numbers of a planning card."""

    THERE = 0
    PERMITS = 1
    ZONES = 2
    WEALTH = ZONES + NUM_ZONES
    BALLOT = auto()
    RENEWAL = auto()
    COST = auto()


class Contract(IntEnum):
    """Offsets within the numbers of a contract; its card features come last."""

    THERE = 0
    COST = 1
    MISSING = 2
    TEXT = 3


class SeatAt(IntEnum):
    """Offsets within the numbers of a seat."""

    WEALTH = 0
    PRESTIGE = 1
    ACTIVE = 2
    TO_PLAY = 3
    HAND = 4
    PERMITS = HAND + NUM_KINDS
    VOCATIONS = PERMITS + NUM_ZONES
    OFFICES = VOCATIONS + NUM_VOCATIONS
    BUILDINGS = OFFICES + NUM_OFFICES
    FAVORS = BUILDINGS + NUM_COLOURS


class Block(IntEnum):
    """Blocks of the layout, in order; ``tables.block_start`` holds the first index of each."""

    LOTS = 0
    LINES = auto()
    PLANNING = auto()
    CONTRACTS = auto()
    SEATS = auto()
    DECISION = auto()
    VERB = auto()
    MONEY = auto()
    NUMBERS = auto()
    MEANT_CARD = auto()
    MEANT_MARKER = auto()
    MEANT_ZONE = auto()
    MEANT_OFFICE = auto()
    MEANT_VOCATION = auto()
    TURN = auto()
    DECKS = auto()
    IN_PLAY = auto()
    PAWN = auto()
    MARKERS = auto()
    VOCATIONS_LEFT = auto()
    TILES = auto()
    DISCARDS = auto()
    ROOM = auto()


LOT: Final = "lot"
LINE: Final = "line"
PLANNING: Final = "planning"
CONTRACT: Final = "contract"
SEATS: Final = "seat"
NUM_DECISIONS: Final = int(LAST_DECISION) + 1
OF_EFFECT: Final = tuple(int(step in VERBS_OF) for step in range(NUM_DECISIONS))
PLANNING_STRIDE: Final = int(Card.COST) + 1
CONTRACT_STRIDE: Final = int(Contract.TEXT) + CARD_FEATURES
SEAT_STRIDE: Final = int(SeatAt.FAVORS) + FAVORS * CARD_FEATURES
NUM_PLACES: Final = FIRST_FAVOR + FAVORS
NUM_TURN: Final = 5
NUM_DECK_NUMBERS: Final = NUM_DECKS + 5
NUM_DISCARDS: Final = NUM_KINDS + NUM_EVENTS

HALF_WEALTH: Final = 50  # wealth that is observed as 0.5
HALF_PRESTIGE: Final = 150
HALF_PERMITS: Final = 8
VALUE_UNIT: Final = 1 / MOST_VALUE
NUMBER_UNIT: Final = 1 / 12
LINE_UNIT: Final = 1 / 48
POINT_UNIT: Final = 1 / 8
COST_UNIT: Final = 1 / 20
CARD_UNIT: Final = 1 / 4
COPY_UNIT: Final = 1 / 9  # of a vocation or a kind of permit, of which there are at most 9
BUILDING_UNIT: Final = 1 / 48
TILE_UNIT: Final = 1 / 99
DECK_UNIT: Final = 1 / 37
PLANNING_UNIT: Final = 1 / 54
AMOUNT_UNIT: Final = 1 / 16
TURN_UNIT: Final = 1 / 100
SIZE_UNIT: Final = 1 / MAX_SIZE


def layout(tables: Tables, num_seats: int) -> ObservationLayout:
    """Return the layout for a number of seats; write the starts of its blocks into the tables."""
    n = num_seats
    text = CARD_FEATURES
    made = ObservationLayout(
        ("zone", (NUM_LOTS, NUM_COLOURS), "building on the lot: CIV, COM, IND, RES, park", LOT),
        ("size", (NUM_LOTS,), "size of that building / 4", LOT),
        ("right", (NUM_LOTS,), "the building extends to the lot on the right", LOT),
        ("below", (NUM_LOTS,), "the building extends to the lot below", LOT),
        ("value", (NUM_LOTS,), "value of the lot / 40", LOT),
        ("empty", (NUM_LOTS,), "the lot is empty", LOT),
        ("meant", (NUM_LOTS,), "part of the building or footprint that the decision is about", LOT),
        ("controls", (NUM_LOTS, n), "who controls the building", LOT),
        ("number", (NUM_LINES,), "number of the line / 12, 0 if it has none", LINE),
        ("pays_wealth", (NUM_LINES,), "the line pays wealth", LINE),
        ("pays_prestige", (NUM_LINES,), "the line pays prestige", LINE),
        ("held", (NUM_LINES, n), "buildings that a seat controls in the line / 48", LINE),
        ("there", (PLANNING_TOP + 1,), "a planning card is there: 1 to 4 AP, deck top",
         PLANNING),
        ("permits", (PLANNING_TOP + 1,), "permits of the card / 4", PLANNING),
        ("for_zones", (PLANNING_TOP + 1, NUM_ZONES), "the permits are for CIV, COM, IND, RES",
         PLANNING),
        ("wealth_value", (PLANNING_TOP + 1,), "wealth value of the card / 12", PLANNING),
        ("ballot", (PLANNING_TOP + 1,), "the card has a ballot", PLANNING),
        ("renewal", (PLANNING_TOP + 1,), "the card is an Urban Renewal", PLANNING),
        ("takes", (PLANNING_TOP + 1,), "action points it costs / 20", PLANNING),
        ("contract", (NUM_PLACES,), "a contract is there: 1 to 5 AP, deck tops, own Favors",
         CONTRACT),
        ("cost", (NUM_PLACES,), "action points it costs / 20", CONTRACT),
        ("missing", (NUM_PLACES,), "permits that the observer lacks / 4", CONTRACT),
        ("text", (NUM_PLACES, text), "card features (README, \"Card features\")", CONTRACT),
        ("wealth", (n,), "wealth / (wealth + 50)", SEATS),
        ("prestige", (n,), "prestige / (prestige + 150)", SEATS),
        ("active", (n,), "it is this seat's turn", SEATS),
        ("to_play", (n,), "it is this seat's decision", SEATS),
        ("hand", (n, NUM_KINDS), "planning cards by kind / 9", SEATS),
        ("permit_sum", (n, NUM_ZONES), "permits p for CIV, COM, IND, RES: p / (p + 8)", SEATS),
        ("vocations", (n, NUM_VOCATIONS), "vocation markers held / 9", SEATS),
        ("offices", (n, NUM_OFFICES), "offices held", SEATS),
        ("buildings", (n, NUM_COLOURS), "buildings controlled: CIV, COM, IND, RES, parks / 48",
         SEATS),
        ("favors", (n, FAVORS, text), "card features of its Favors", SEATS),
        ("decision", (NUM_DECISIONS,), "the decision to take (`constants.Step`)"),
        ("verb", (NUM_VERB_COLUMNS,), "verb of the effect that requires the decision"),
        ("money", (2,), "the effect, or saving a building from it, is about wealth, prestige"),
        ("numbers", (3,), "amount / 16, units or cards left, or highest bid / 16, permits paid "
         "/ 4"),
        ("meant_card", (text,), "card features of the contract being built or just built"),
        ("meant_marker", (NUM_MARKERS,), "marker to place: wealth 7 to 12, prestige 4 to 6"),
        ("meant_zone", (NUM_COLOURS,), "zone of the building to place: CIV, COM, IND, RES, park"),
        ("meant_office", (NUM_OFFICES,), "office whose tie is to break"),
        ("meant_vocation", (NUM_VOCATIONS,), "vocation to take from an opponent"),
        ("turn", (NUM_TURN,), "AP left / 8, investing, no contract built yet, turns / 100, an "
         "event is executed"),
        ("decks", (NUM_DECK_NUMBERS,), "Town, City, Metropolis left / 37, City, Metropolis active, "
         "planning cards left / 54, next planning cards known not to be events / 54, planning deck "
         "rebuilt since the turn or its end began"),
        ("in_play", (NUM_OFFICES,), "offices in play"),
        ("pawn", (NUM_POLITICIANS,), "office on the election track"),
        ("markers", (NUM_MARKERS,), "markers in the supply: wealth 7 to 12, prestige 4 to 6"),
        ("vocations_left", (NUM_VOCATIONS,), "vocation markers in the supply / 9"),
        ("tiles", (NUM_COLOURS, MAX_SIZE), "building tiles in the supply / 99"),
        ("discards", (NUM_DISCARDS,), "planning discards: by kind / 9, then events"),
        ("room", (NUM_ZONES, NUM_BLOCKS), "the block has an empty lot where zoning allows CIV, "
         "COM, IND, RES"),
        planes=(LOT, LINE),
    )  # fmt: skip
    first = {
        Block.LOTS: "zone", Block.LINES: "number", Block.PLANNING: "there",
        Block.CONTRACTS: "contract", Block.SEATS: "wealth",
    }  # fmt: skip
    for block in Block:
        name = first.get(block, block.name.lower())
        tables.block_start[0, block] = made[name].start
    return made


def planes(observation: Floats, num_seats: int) -> npt.NDArray[np.float32]:
    """Return the lots of observations ``[..., size]`` as planes ``[..., features, 12, 12]``."""
    count = int(Lot.OWNER) + num_seats
    front = observation.shape[:-1]
    lots = observation[..., : count * NUM_LOTS]
    blocks = lots.reshape(*front, count, SIDE, SIDE, 2, 2)  # row, column, lot down, right
    return blocks.swapaxes(-3, -2).reshape(*front, count, 2 * SIDE, 2 * SIDE)


# ------------------------------------------------------------------------------------ the city


@kernel
def squash(amount: int, half: int) -> float:
    """Map an unbounded amount to 0..1; ``half`` becomes 0.5."""
    return float(amount / (amount + half))


# By lot: the corners of which a building covers one if it extends to the right of, or below, it.
CORNER_RIGHT: Final = np.tile(np.array((2, 0, 8, 0), np.int8), NUM_BLOCKS)
CORNER_BELOW: Final = np.tile(np.array((4, 8, 0, 0), np.int8), NUM_BLOCKS)


@kernel
def write_buildings(state: State, out: Floats) -> None:
    """Write what stands on each lot, plane by plane, so that the loops are vectorised."""
    for zone in range(NUM_COLOURS):
        here = out[(Lot.ZONE + zone) * NUM_LOTS :]
        for lot in range(NUM_LOTS):
            here[lot] = state.building_on[lot] >> ZONE_SHIFT == zone + 1
    size, right = out[Lot.SIZE * NUM_LOTS :], out[Lot.RIGHT * NUM_LOTS :]
    below, empty = out[Lot.BELOW * NUM_LOTS :], out[Lot.EMPTY * NUM_LOTS :]
    for lot in range(NUM_LOTS):
        kind = state.building_on[lot]
        covered = (kind & 1) + (kind >> 1 & 1) + (kind >> 2 & 1) + (kind >> 3 & 1)
        size[lot] = np.float32(covered) * np.float32(SIZE_UNIT)
    for lot in range(NUM_LOTS):
        right[lot] = state.building_on[lot] & CORNER_RIGHT[lot] != 0
    for lot in range(NUM_LOTS):
        below[lot] = state.building_on[lot] & CORNER_BELOW[lot] != 0
    for lot in range(NUM_LOTS):
        empty[lot] = state.building_on[lot] == 0


@kernel
def write_lots(t: Table, state: State, seat: int, out: Floats) -> None:
    """Write buildings, values and controllers."""
    write_buildings(state, out)
    value = out[Lot.VALUE * NUM_LOTS :]
    for block in range(NUM_BLOCKS):
        worth = np.float32(int(state.value[block]) * VALUE_UNIT)
        for corner in range(CORNERS):
            value[block * CORNERS + corner] = worth
    n = int(t.seen_seats)
    for k in range(n):
        holds, other = out[(Lot.OWNER + k) * NUM_LOTS :], (seat + k) % n
        for lot in range(NUM_LOTS):
            holds[lot] = state.holder[lot] == other


@kernel
def write_meant(t: Table, state: State, out: Floats) -> None:
    """Write the lots of the building or footprint that the decision or the effect is about."""
    meant = out[Lot.MEANT * NUM_LOTS :]
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
def write_lines(t: Table, state: State, seat: int, out: Floats) -> None:
    """Write the lines' numbers and the buildings controlled in them, plane by plane."""
    numbers = out[int(t.block_start[Block.LINES]) :]
    wealth = numbers[LineAt.WEALTH * NUM_LINES :]
    prestige = numbers[LineAt.PRESTIGE * NUM_LINES :]
    for line in range(NUM_LINES):
        number = line_number(t, state, line)
        is_wealth = line_money(state, line) == WEALTH
        numbers[line] = number * NUMBER_UNIT
        wealth[line] = number > 0 and is_wealth
        prestige[line] = number > 0 and not is_wealth
    n = int(t.seen_seats)
    for k in range(n):
        other = (seat + k) % n
        held = numbers[(LineAt.HELD + k) * NUM_LINES :]
        for line in range(NUM_LINES):
            held[line] = buildings_in_line(state, line, other) * LINE_UNIT


# ----------------------------------------------------------------------------------------- cards


@kernel
def write_planning(t: Table, state: State, out: Floats) -> None:
    """Write the face-up planning cards."""
    base = int(t.block_start[Block.PLANNING])
    for space in range(PLANNING_TOP + 1):
        kind = int(state.planning[space])
        row = base + space * PLANNING_STRIDE
        out[row : row + PLANNING_STRIDE] = 0
        if kind == NO_KIND:
            continue
        out[row + Card.THERE] = 1
        out[row + Card.COST] = int(t.planning_cost[space]) * COST_UNIT
        if kind == RENEWAL:
            out[row + Card.RENEWAL] = 1
            continue
        out[row + Card.PERMITS] = int(t.permits[kind]) * CARD_UNIT
        zones = int(t.permit_zones[kind])
        for zone in range(NUM_ZONES):
            out[row + Card.ZONES + zone] = zones >> zone & 1
        out[row + Card.WEALTH] = int(t.permit_wealth[kind]) * NUMBER_UNIT
        out[row + Card.BALLOT] = t.permit_ballot[kind]


@kernel
def write_text(t: Table, card: int, start: int, out: Floats) -> None:
    """Write the card features of a contract, zeros without one.

    The loop runs to ``text.size``: a constant length would be compiled to moves of single numbers.
    """
    text = out[start : start + CARD_FEATURES]
    if card == NO_CARD:
        text[:] = 0
        return
    says = t.card_features[card]
    for k in range(text.size):
        text[k] = says[k]


@kernel
def write_contracts(t: Table, state: State, seat: int, out: Floats) -> None:
    """Write the contracts in the row, the deck tops and the observer's Favors."""
    base = int(t.block_start[Block.CONTRACTS])
    held = permits_held(t, state, seat)
    for place in range(NUM_PLACES):
        card = contract_at(state, seat, place)
        row = base + place * CONTRACT_STRIDE
        if card == NO_CARD:
            out[row : row + CONTRACT_STRIDE] = 0
            continue
        out[row + Contract.THERE] = 1
        out[row + Contract.COST] = cost_at(t, place) * COST_UNIT
        permits = held >> LANE_BITS * int(t.card_zone[card]) & LANE
        out[row + Contract.MISSING] = max(int(t.card_size[card]) - permits, 0) * CARD_UNIT
        write_text(t, card, row + Contract.TEXT, out)


# ----------------------------------------------------------------------------------------- seats


@kernel
def write_seat(t: Table, state: State, seat: int, row: int, out: Floats) -> None:
    """Write everything that a seat has."""
    out[row + SeatAt.WEALTH] = squash(int(state.wealth[seat]), HALF_WEALTH)
    out[row + SeatAt.PRESTIGE] = squash(int(state.prestige[seat]), HALF_PRESTIGE)
    out[row + SeatAt.ACTIVE] = state.active == seat
    out[row + SeatAt.TO_PLAY] = state.to_play == seat
    cards, hand = state.hand[seat], out[row + SeatAt.HAND : row + SeatAt.PERMITS]
    for kind in range(NUM_KINDS):
        hand[kind] = np.float32(cards[kind]) * np.float32(COPY_UNIT)
    held = permits_held(t, state, seat)
    for zone in range(NUM_ZONES):
        permits = held >> LANE_BITS * zone & LANE
        out[row + SeatAt.PERMITS + zone] = squash(permits, HALF_PERMITS)
    markers = state.vocations[seat]
    vocations = out[row + SeatAt.VOCATIONS : row + SeatAt.OFFICES]
    for vocation in range(NUM_VOCATIONS):
        vocations[vocation] = np.float32(markers[vocation]) * np.float32(COPY_UNIT)
    offices = out[row + SeatAt.OFFICES : row + SeatAt.BUILDINGS]
    for office in range(NUM_OFFICES):
        offices[office] = state.office[office] == seat
    for colour in range(NUM_COLOURS):
        out[row + SeatAt.BUILDINGS + colour] = int(state.controls[seat, colour]) * BUILDING_UNIT
    for slot in range(FAVORS):
        start = row + SeatAt.FAVORS + slot * CARD_FEATURES
        write_text(t, int(state.favors[seat, slot]), start, out)


@kernel
def write_seats(t: Table, state: State, seat: int, out: Floats) -> None:
    """Write all seats, the observer first."""
    n = int(t.seen_seats)
    base = int(t.block_start[Block.SEATS])
    for k in range(n):
        write_seat(t, state, (seat + k) % n, base + k * SEAT_STRIDE, out)


# -------------------------------------------------------------------------- decision and supplies


@kernel
def write_decision(t: Table, state: State, out: Floats) -> None:
    """Write the decision and its effect."""
    starts = t.block_start
    out[int(starts[Block.DECISION]) : int(starts[Block.TURN])] = 0
    if state.over != NOT_OVER:
        return
    entry = top(state)
    step, e = int(entry.step), int(entry.effect)
    out[int(starts[Block.DECISION]) + step] = 1
    numbers = int(starts[Block.NUMBERS])
    if step == Step.MARKER_GAIN:
        out[numbers] = min(int(entry.number) * AMOUNT_UNIT, 1.0)
        out[numbers + 1] = min(int(entry.left) * AMOUNT_UNIT, 1.0)
    elif step == Step.PERMITS:
        out[numbers + 2] = int(entry.paid) * CARD_UNIT
    elif OF_EFFECT[step] and e != MAYORS_PARK:
        effect = t.effects[e]
        saves = step == Step.SAVE
        what = int(effect.save_what if saves else effect.what)
        amount = int(effect.save_amount if saves else effect.amount)
        out[int(starts[Block.VERB]) + int(effect.verb)] = 1
        out[int(starts[Block.MONEY])] = what != PRESTIGE
        out[int(starts[Block.MONEY]) + 1] = what != WEALTH
        out[numbers] = min(amount * AMOUNT_UNIT, 1.0)
        if step == Step.UNIT or step == Step.DISCARD:
            out[numbers + 1] = min(int(entry.left) * AMOUNT_UNIT, 1.0)
        elif step == Step.BID:
            out[numbers + 1] = min(int(entry.highest) * AMOUNT_UNIT, 1.0)
    if step == Step.GREY:
        out[int(starts[Block.MEANT_MARKER]) + int(entry.marker)] = 1
    elif step == Step.PLACE:
        out[int(starts[Block.MEANT_ZONE]) + int(entry.zone)] = 1
    elif step == Step.WINNER:
        out[int(starts[Block.MEANT_OFFICE]) + int(entry.office)] = 1
    elif step == Step.VOCATION_FROM:
        out[int(starts[Block.MEANT_VOCATION]) + int(entry.vocation)] = 1
    card = int(state.card)
    if step == Step.FOOTPRINT or step == Step.PERMITS:
        card = int(entry.card)
    elif step == Step.MAIN:
        card = NO_CARD
    if card != NO_CARD:
        write_text(t, card, int(starts[Block.MEANT_CARD]), out)


@kernel
def write_turn(t: Table, state: State, out: Floats) -> None:
    """Write the turn, the decks and the offices."""
    starts = t.block_start
    turn = int(starts[Block.TURN])
    out[turn] = min(int(state.points) * POINT_UNIT, 1.0)
    out[turn + 1] = state.investing
    out[turn + 2] = state.contracts_built == 0
    out[turn + 3] = min(int(state.turn) * TURN_UNIT, 1.0)
    out[turn + 4] = state.event != NO_KIND
    decks = int(starts[Block.DECKS])
    for deck in range(NUM_DECKS):
        out[decks + deck] = int(state.deck_size[deck]) * DECK_UNIT
    out[decks + NUM_DECKS] = int(state.active_decks) >> CITY & 1
    out[decks + NUM_DECKS + 1] = int(state.active_decks) >> METROPOLIS & 1
    out[decks + NUM_DECKS + 2] = int(state.planning_size) * PLANNING_UNIT
    out[decks + NUM_DECKS + 3] = int(state.no_events) * PLANNING_UNIT
    out[decks + NUM_DECKS + 4] = state.rebuilt
    for office in range(NUM_OFFICES):
        out[int(starts[Block.IN_PLAY]) + office] = int(state.in_play) >> office & 1
    pawn = int(starts[Block.PAWN])
    for office in range(NUM_POLITICIANS):
        out[pawn + office] = state.pawn == office


@kernel
def write_supplies(t: Table, state: State, out: Floats) -> None:
    """Write markers, vocations, tiles, discards and room to build."""
    starts = t.block_start
    markers = int(starts[Block.MARKERS])
    for marker in range(NUM_MARKERS):
        out[markers + marker] = 1
    for grey in range(NUM_GREYS):
        if state.marker_at[grey] != NO_MARKER:
            out[markers + int(state.marker_at[grey])] = 0
    for vocation in range(NUM_VOCATIONS):
        left = int(state.vocations_left[vocation])
        out[int(starts[Block.VOCATIONS_LEFT]) + vocation] = left * COPY_UNIT
    tiles = int(starts[Block.TILES])
    for colour in range(NUM_COLOURS):
        for size in range(MAX_SIZE):
            out[tiles + colour * MAX_SIZE + size] = int(state.tiles[colour, size]) * TILE_UNIT
    discards = int(starts[Block.DISCARDS])
    for kind in range(NUM_DISCARDS):
        unit = COPY_UNIT if kind < NUM_KINDS else 1.0
        out[discards + kind] = int(state.planning_discards[kind]) * unit
    for zone in range(NUM_ZONES):
        start, blocks = int(starts[Block.ROOM]) + zone * NUM_BLOCKS, int(state.room[zone, 0])
        room = out[start : start + NUM_BLOCKS]
        for block in range(room.size):  # as in write_text
            room[block] = blocks >> block & 1


@kernel
def observe(tables: Tables, games: Games, g: int, seat: int, out: Floats) -> None:
    """Write the observation of ``seat``, float32 ``[observation_size]`` (see :func:`layout`)."""
    t, state = tables[0], games[g]
    write_lots(t, state, seat, out)
    write_meant(t, state, out)
    write_lines(t, state, seat, out)
    write_planning(t, state, out)
    write_seats(t, state, seat, out)
    write_contracts(t, state, seat, out)
    write_turn(t, state, out)
    write_supplies(t, state, out)
    write_decision(t, state, out)
