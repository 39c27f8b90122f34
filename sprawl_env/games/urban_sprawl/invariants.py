"""Invariants of every position of *Urban Sprawl*, recomputed from its parts in plain Python.

Sets of lots are Python integers with one bit per lot, so that adjacency is computed
independently of the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import numpy as np

from sprawl_env.core.state import NOBODY, NOT_OVER, TRUNCATED, Games, Tables
from sprawl_env.games.urban_sprawl.actions import ACTIONS, MOST_BID
from sprawl_env.games.urban_sprawl.constants import (
    ALL_CORNERS,
    ALL_FOOTPRINTS,
    AT_CORNERS,
    CORNERS,
    DECK_CARDS,
    DECKS,
    FIRST_EVENT,
    FIRST_GREY,
    FIRST_TOP,
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
    NUM_PARTS,
    NUM_PERMITS,
    NUM_PLANNING,
    NUM_POLITICIANS,
    NUM_POWERS,
    NUM_SHAPES,
    NUM_TOP_GREYS,
    NUM_VOCATIONS,
    NUM_ZONES,
    OFFICES,
    PLANNING_CARDS,
    PLANNING_TOP,
    SHAPES,
    SIDE,
    TOWN,
    VOCATIONS,
    ZONE_SHIFT,
    ZONES,
    Length,
    Power,
)
from sprawl_env.games.urban_sprawl.effect_verbs import MOST, VERBS_OF, Verb
from sprawl_env.games.urban_sprawl.names import card_name, kind_name, marker_name
from sprawl_env.games.urban_sprawl.places import lot_name
from sprawl_env.games.urban_sprawl.rules.entry_points import POINT, legal_actions
from sprawl_env.games.urban_sprawl.state import AGENDA_DEPTH, Entry, State
from sprawl_env.games.urban_sprawl.steps import (
    DECISIONS,
    EndStage,
    Stage,
    Step,
)
from sprawl_env.games.urban_sprawl.tables import MAX_EFFECTS, STARTING, Table
from sprawl_env.games.urban_sprawl.vocabulary import (
    CHOSEN,
    Line,
    Per,
    Where,
    Who,
)
from sprawl_env.kernels.records import fields_of

COUNTED: Final = (0, 127)
EVERYONE: Final = (0, 2**MAX_SEATS - 1)
# An agenda with this much room cannot overflow: the deepest effects put 11 steps on it (README).
MOST_PENDING: Final = AGENDA_DEPTH - 11

Building = tuple[int, int, int, int]  # lots as a set, zone, owner, first lot


# ---------------------------------------------------------------------------- lots as sets of bits


def _lot_at(row: int, column: int) -> int:
    """Return the lot at a row and column of the 12×12 grid."""
    return (row // 2 * SIDE + column // 2) * CORNERS + row % 2 * 2 + column % 2


def _near() -> tuple[int, ...]:
    """Return for every lot the set of the lots around it, the lot included."""
    sets = [0] * NUM_LOTS
    size = 2 * SIDE
    for row in range(size):
        for column in range(size):
            for down in range(max(row - 1, 0), min(row + 2, size)):
                for right in range(max(column - 1, 0), min(column + 2, size)):
                    sets[_lot_at(row, column)] |= 1 << _lot_at(down, right)
    return tuple(sets)


NEAR: Final = _near()
SHAPES_OF_SIZE: Final = tuple(
    tuple(int(SHAPES[size, k]) for k in range(NUM_SHAPES[size])) for size in range(MAX_SIZE)
)
ALL_SHAPES: Final = frozenset(shape for shapes in SHAPES_OF_SIZE for shape in shapes)


def _set_bits(number: int) -> list[int]:
    """Return the numbers of the bits that are set."""
    return [k for k in range(number.bit_length()) if number >> k & 1]


# ------------------------------------------------------------------------------------- violations


def violations(tables: Tables, games: Games, g: int) -> list[str]:
    """Return the violated invariants of a position, one line each; empty if there are none."""
    t, state = tables[0], games[g]
    wrong = list(ranges(t, state))  # first: the other checks use the values as indices
    found = wrong or [
        *_city(t, state),
        *_lines(tables, state),
        *_seats(t, state),
        *_planning(tables, state),
        *_contracts(tables, state),
        *_turn(t, state),
        *_agenda(t, state),
    ]
    if not found and state.over == NOT_OVER:
        mask = np.zeros(ACTIONS.size, np.int8)
        legal_actions(tables, games, g, mask)
        if not mask.any():
            found.append("agenda: expected a decision with a legal action")
    return found


def ranges(t: Table, state: State) -> Iterator[str]:
    """Check the range of every value that is used as an index or a count."""
    seats = int(state.num_seats)
    part = (0, 2**LOTS_A_PART - 1)
    limits = {
        "num_seats": (int(t.seen_seats), int(t.seen_seats)),
        "rng": (1, 2**63 - 1),
        "ply": (0, 10**7),
        "turn": (0, int(state.max_turns)),
        "to_play": (NOBODY, seats - 1),
        "over": (0, 2),
        "length": (0, int(max(Length))),
        "max_turns": (1, MOST_TURNS),
        "active": (0, seats - 1),
        "points": (0, MOST_ACTION_POINTS),
        "investing": (0, 1),
        "contracts_built": COUNTED,
        "fresh_favors": (0, 3),
        "wealth": (0, POINT - 1),  # more would break the tie-break
        "prestige": (0, 2**14),
        "hand": COUNTED,
        "favors": (NO_CARD, NUM_CARDS - 1),
        "vocations": COUNTED,
        "vocations_left": COUNTED,
        "office": (NOBODY, seats - 1),
        "in_play": (0, 2**NUM_OFFICES - 1),
        "pawn": (0, NUM_POLITICIANS - 1),
        "planning": (NO_KIND, NUM_KINDS - 1),
        "planning_deck": (0, NUM_PLANNING - 1),
        "planning_size": (0, PLANNING_CARDS),
        "no_events": (0, int(state.planning_size)),
        "rebuilt": (0, 1),
        "planning_discards": COUNTED,
        "contract": (NO_CARD, NUM_CARDS - 1),
        "deck_top": (NO_CARD, NUM_CARDS - 1),
        "deck": (0, NUM_CARDS - 1),
        "deck_size": (0, DECK_CARDS),
        "active_decks": (0, 2**NUM_DECKS - 1),
        "corners": (0, ALL_CORNERS),
        "zone": (0, NUM_COLOURS - 1),
        "owner": (NOBODY, seats - 1),
        "power": (0, int(max(Power))),
        "lasting": (0, NUM_LOTS),
        "building_on": (0, NUM_COLOURS << ZONE_SHIFT | ALL_CORNERS),
        "holder": (NOBODY, MAX_SEATS - 1),
        "firsts": part,
        "occupied": (0, ALL_CORNERS),
        "across": (0, AT_CORNERS[ALL_CORNERS] * (2**NUM_COLOURS - 1)),
        "inside": (0, 2**NUM_COLOURS - 1),
        "fitting": (0, ALL_FOOTPRINTS),
        "room": (0, 2**NUM_BLOCKS - 1),
        "in_row": COUNTED,
        "controls": COUNTED,
        "in_column": COUNTED,
        "tiles": COUNTED,
        "starting": (0, 2**STARTING - 1),
        "marker_at": (NO_MARKER, NUM_MARKERS - 1),
        "value": (0, MOST_VALUE),
        "worth_up_to": (0, 2**NUM_BLOCKS - 1),
        "card": (NO_CARD, NUM_CARDS - 1),
        "event": (NO_KIND, NUM_EVENTS - 1),
        "lot": (NO_LOT, NUM_LOTS - 1),
        "asked_row": (0, 1),
        "asked_zone": (0, NUM_ZONES - 1),
        "agenda_size": (0 if state.over else 1, MOST_PENDING),
    }
    for field, (low, high) in limits.items():
        values = np.asarray(getattr(state, field))
        if values.min() < low or values.max() > high:
            yield f"{field}: expected {low}..{high}, got {values.min()}..{values.max()}"


# --------------------------------------------------------------------------------------- the city


def buildings_of(state: State) -> list[Building]:
    """Return all buildings."""
    corners, zones, owners = state.corners.tolist(), state.zone.tolist(), state.owner.tolist()
    return [
        (corners[lot] << (lot - lot % CORNERS), zones[lot], owners[lot], lot)
        for lot in range(NUM_LOTS)
        if corners[lot]
    ]


def _city(t: Table, state: State) -> Iterator[str]:
    """Check that buildings have a shape and do not overlap, and the derived fields (US §1)."""
    buildings = buildings_of(state)
    corners, owner = state.corners.tolist(), state.owner.tolist()
    zone, power = state.zone.tolist(), state.power.tolist()
    taken = 0
    for lots, _, _, lot in buildings:
        shape = corners[lot]
        if shape not in ALL_SHAPES or shape & -shape != 1 << lot % CORNERS:
            yield f"corners: no building begins at {lot_name(lot)} with corners {shape}"
        if lots & taken:
            yield f"corners: the building at {lot_name(lot)} overlaps another building"
        taken |= lots
    for lot in range(NUM_LOTS):
        if not corners[lot] and (owner[lot] != NOBODY or zone[lot] or power[lot]):
            yield f"owner, zone, power: expected none without a building at {lot_name(lot)}"
    for field, expected in derived(state, buildings).items():
        if getattr(state, field).tolist() != expected:
            yield f"{field}: does not match the buildings"
    yield from _tiles(t, state, buildings)
    for k in _set_bits(int(state.starting)):
        lot = int(t.start_lot[k])
        if corners[lot] != 1 << lot % CORNERS or owner[lot] != NOBODY:
            yield f"starting: expected an unclaimed building at {lot_name(lot)}"


def derived(state: State, buildings: list[Building]) -> dict[str, Any]:
    """Recompute all fields that are derived from the buildings."""
    building_on, holder = [0] * NUM_LOTS, [NOBODY] * NUM_LOTS
    firsts = [0] * NUM_PARTS
    occupied, inside = [0] * NUM_BLOCKS, [0] * NUM_BLOCKS
    across = [0] * NUM_BLOCKS
    in_row = [[0] * SIDE for _ in range(MAX_SEATS)]
    in_column = [[0] * SIDE for _ in range(MAX_SEATS)]
    controls = [[0] * NUM_COLOURS for _ in range(MAX_SEATS)]
    lasting = [[0] * NUM_POWERS for _ in range(MAX_SEATS)]
    touched = [0] * NUM_COLOURS  # lots that buildings of a zone touch or cover
    corners, power = state.corners.tolist(), state.power.tolist()
    taken = 0
    for lots, zone, owner, lot in buildings:
        block = lot // CORNERS
        taken |= lots
        inside[block] |= 1 << zone
        firsts[lot // LOTS_A_PART] |= 1 << lot % LOTS_A_PART
        near = 0
        for covered in _set_bits(lots):
            building_on[covered] = (zone + 1) << ZONE_SHIFT | corners[lot]
            holder[covered] = owner
            occupied[block] |= 1 << covered % CORNERS
            near |= NEAR[covered]
        touched[zone] |= near
        for other in _set_bits(near & ~(ALL_CORNERS << block * CORNERS)):
            across[other // CORNERS] |= AT_CORNERS[1 << other % CORNERS] << zone
        if owner != NOBODY:
            in_row[owner][block // SIDE] += 1
            in_column[owner][block % SIDE] += 1
            controls[owner][zone] += 1
            lasting[owner][power[lot]] += power[lot] != Power.NONE
    fitting = _fitting(taken, touched)
    return {
        "lasting": lasting,
        "building_on": building_on,
        "holder": holder,
        "firsts": firsts,
        "occupied": occupied,
        "inside": inside,
        "across": across,
        "in_row": in_row,
        "in_column": in_column,
        "controls": controls,
        "fitting": fitting,
        "room": _room(fitting),
    }


def _fitting(taken: int, touched: list[int]) -> list[list[int]]:
    """Recompute which empty footprints of a block are legal, by zone (US 6.4)."""
    fitting = [[0] * NUM_ZONES for _ in range(NUM_BLOCKS)]
    any_zone = touched[0] | touched[1] | touched[2] | touched[3]
    for block in range(NUM_BLOCKS):
        for shape in (shape for shapes in SHAPES_OF_SIZE for shape in shapes):
            lots = shape << block * CORNERS
            if lots & taken:
                continue
            for zone in range(NUM_ZONES):
                if not lots & any_zone or lots & touched[zone]:
                    fitting[block][zone] |= 1 << (shape - 1)
    return fitting


def _room(fitting: list[list[int]]) -> list[list[int]]:
    """Recompute in which blocks an empty footprint is legal, by zone and size."""
    room = [[0] * MAX_SIZE for _ in range(NUM_ZONES)]
    for size, shapes in enumerate(SHAPES_OF_SIZE):
        some = sum(1 << (shape - 1) for shape in shapes)
        for block, by_zone in enumerate(fitting):
            for zone, fits in enumerate(by_zone):
                if fits & some:
                    room[zone][size] |= 1 << block
    return room


def _tiles(t: Table, state: State, buildings: list[Building]) -> Iterator[str]:
    """Check that supply and city together hold no more tiles than the game has."""
    placed = Counter((zone, lots.bit_count()) for lots, zone, _, _ in buildings)
    for zone in range(NUM_COLOURS):
        for size in range(1, MAX_SIZE + 1):
            left = int(state.tiles[zone, size - 1])
            if left + placed[zone, size] > t.tiles[zone, size - 1]:
                yield f"tiles: more {ZONES[zone]} tiles of size {size} than the game has"


# ------------------------------------------------------------------------------ lines and markers


def _lines(tables: Tables, state: State) -> Iterator[str]:
    """Check that a marker stands on one space at most, and the values of the blocks (US §1)."""
    t = tables[0]
    placed = Counter(marker for marker in state.marker_at.tolist() if marker != NO_MARKER)
    for marker, times in placed.items():
        if times > 1:
            yield f"marker_at: {marker_name(tables, marker)} is on two grey spaces"
    values = values_of(t, state)
    if state.value.tolist() != values:
        yield "value: does not match the numbers of the lines"
    if state.worth_up_to.tolist() != worth_of(values):
        yield "worth_up_to: does not match the values"


def values_of(t: Table, state: State) -> list[int]:
    """Recompute the value of each block from the numbers of its lines (US §1)."""
    numbers = [*t.column_number.tolist(), *t.row_number.tolist()]
    for grey in range(NUM_GREYS):
        marker = int(state.marker_at[grey])
        numbers.append(0 if marker == NO_MARKER else int(t.marker_number[marker]))
    values = []
    for block in range(NUM_BLOCKS):
        row, column = divmod(block, SIDE)
        lines = (column, NUM_COLUMNS + row // 2, FIRST_GREY + column // 2)
        value = sum(numbers[line] for line in (*lines, FIRST_GREY + NUM_TOP_GREYS + row))
        values.append(min(value, MOST_VALUE))
    return values


def worth_of(values: list[int]) -> list[int]:
    """Recompute the blocks of at most each value, as sets."""
    return [
        sum(1 << block for block in range(NUM_BLOCKS) if values[block] <= most)
        for most in range(MOST_VALUE + 1)
    ]


# -------------------------------------------------------------------------------------- the seats


def _seats(t: Table, state: State) -> Iterator[str]:
    """Check vocations and offices, and that unused seats hold nothing."""
    seats = int(state.num_seats)
    for name in ("wealth", "prestige", "hand", "vocations"):
        if getattr(state, name)[seats:].any():
            yield f"{name}: expected 0 beyond seat {seats - 1}"
    if (state.favors[seats:] != NO_CARD).any():
        yield f"favors: expected none beyond seat {seats - 1}"
    for vocation in range(NUM_VOCATIONS):
        held = int(state.vocations[:, vocation].sum())
        markers = int(t.vocation_markers[vocation])
        if held + int(state.vocations_left[vocation]) != markers:
            yield f"vocations: expected {markers} markers of {VOCATIONS[vocation]} in total"
    if not int(state.in_play) >> MAYOR & 1:
        yield "in_play: expected the mayor"
    for office in range(NUM_OFFICES):
        if state.office[office] != NOBODY and not int(state.in_play) >> office & 1:
            yield f"office: {OFFICES[office]} is not in play"
    for seat in range(seats):
        if state.favors[seat, 0] == NO_CARD != state.favors[seat, 1]:
            yield f"favors: seat {seat} has a second Favor without a first"


# -------------------------------------------------------------------------------------- the cards


def _planning(tables: Tables, state: State) -> Iterator[str]:
    """Check that every planning card is in exactly one place (US §3)."""
    t = tables[0]
    size, known = int(state.planning_size), int(state.no_events)
    deck = state.planning_deck[:size].tolist()
    cards = Counter(deck)
    cards.update(kind for kind in state.planning.tolist() if kind != NO_KIND)
    for kind in range(NUM_PLANNING):
        cards[kind] += int(state.planning_discards[kind])
    for kind in range(NUM_KINDS):
        cards[kind] += int(state.hand[:, kind].sum())
    if state.event != NO_KIND:
        cards[FIRST_EVENT + int(state.event)] += 1
    expected = [*t.permit_copies.tolist(), int(t.renewal_copies), *[1] * NUM_EVENTS]
    for kind in range(NUM_PLANNING):
        if cards[kind] != expected[kind]:
            yield (
                f"planning cards: expected {expected[kind]} x {kind_name(tables, kind)}, "
                f"got {cards[kind]}"
            )
    if any(kind >= FIRST_EVENT for kind in deck[size - known :]):
        yield "no_events: an event is among these cards of the planning deck"


def _contracts(tables: Tables, state: State) -> Iterator[str]:
    """Check that a card is in one place at most, and events only in decks."""
    t = tables[0]
    faces = [card for card in state.contract.tolist() if card != NO_CARD]
    faces += [card for card in state.deck_top.tolist() if card != NO_CARD]
    faces += [card for card in state.favors.reshape(-1).tolist() if card != NO_CARD]
    for entry in _pending(state):
        if entry.step in {Step.FOOTPRINT, Step.PERMITS} and 0 <= entry.card < NUM_CARDS:
            faces.append(int(entry.card))
    if state.contracts_built and state.card != NO_CARD:
        faces.append(int(state.card))
    for card in faces:
        if t.card_zone[card] < 0:
            yield f"contracts: {card_name(tables, card)} is an event, but face up"
    cards = Counter(faces)
    for deck in range(NUM_DECKS):
        size, top = int(state.deck_size[deck]), int(state.deck_top[deck])
        inside = state.deck[deck, :size].tolist()
        cards.update(inside)
        own = range(deck * DECK_CARDS, (deck + 1) * DECK_CARDS)
        if any(card not in own for card in inside) or top not in (NO_CARD, *own):
            yield f"deck: a card of another deck is in {DECKS[deck]}"
        active = int(state.active_decks) >> deck & 1
        if not active and (size != DECK_CARDS or top != NO_CARD):
            yield f"deck_size: expected {DECK_CARDS} face-down cards in {DECKS[deck]}, not active"
    twice = [card for card, times in cards.items() if times > 1]
    if twice:
        yield f"contracts: {card_name(tables, min(twice))} (card {min(twice)}) is in two places"
    if not int(state.active_decks) >> TOWN & 1:
        yield "active_decks: expected town"


# --------------------------------------------------------------------------------------- the turn


def _turn(t: Table, state: State) -> Iterator[str]:
    """Check the turn: its seat, what was built in it, the end of the game."""
    seats, turn = int(state.num_seats), int(state.turn)
    truncated = state.over == TRUNCATED
    if (turn >= state.max_turns) != truncated:
        yield f"over: expected {TRUNCATED} if and only if {state.max_turns} turns are over"
    if (state.to_play == NOBODY) != (state.over != NOT_OVER):
        yield f"to_play: expected {NOBODY} if and only if the game is over"
    if not truncated and state.active != turn % seats:
        yield f"active: expected seat {turn % seats} in turn {turn}"
    built = int(state.contracts_built)
    if len({built == 0, state.card == NO_CARD, state.lot == NO_LOT}) > 1:
        yield "contracts_built, card, lot: expected all of them set, or none"
    if built == 0 and state.starting and turn:
        yield "starting: expected no unclaimed building after the first turn"
    fresh = int(state.fresh_favors)
    for slot in _set_bits(fresh):
        if state.favors[state.active, slot] == NO_CARD:
            yield f"fresh_favors: expected a Favor of the active seat in slot {slot}"
    if state.investing and (built or fresh):
        yield "investing: expected 0 after the first action of a turn"
    if state.investing and state.points not in {int(t.action_points), int(t.boss_points)}:
        yield "points: expected all action points of the turn while investing"


# ------------------------------------------------------------------------------------- the agenda


FOR_NOBODY: Final = frozenset(
    {
        Step.EACH,
        Step.ELECTION,
        Step.ASSIGN,
        Step.DRAW_PLANNING,
        Step.DRAW_CONTRACT,
        Step.END_EVENT,
        Step.PAY_WEALTH,
    }
)
NEVER_WAITS: Final = frozenset({Step.BEGIN_TURN, Step.ACT})  # carried out at once
ONCE_AT_MOST: Final = frozenset(
    {Step.DRAW_PLANNING, Step.DRAW_CONTRACT, Step.END_EVENT, Step.TAKE_VOCATION, Step.PAY_WEALTH}
)
KNOWN_STEPS: Final = frozenset(Step)
ANY_VERB: Final = frozenset(Verb)
# Steps about an effect, with the verbs that it may have.
EFFECT_OF: Final = VERBS_OF | {
    Step.EFFECT: ANY_VERB,
    Step.EACH: ANY_VERB,
    Step.NEXT_BID: frozenset({Verb.AUCTION}),
}
HERE: Final = frozenset({Where.ROWS, Where.ROW, Where.OTHER_ROW, Where.BLOCK, Where.ADJACENT})


def _agenda(t: Table, state: State) -> Iterator[str]:
    """Check that a decision of the seat to play is on top, and that the steps below can occur."""
    if state.over != NOT_OVER:
        return
    entries = _pending(state)
    if any(entry.step not in KNOWN_STEPS for entry in entries):
        yield "agenda: expected known steps"
        return
    if entries[-1].seat != state.to_play:
        yield "agenda: expected a decision of the seat to play"
    steps = Counter(Step(entry.step) for entry in entries)
    bottom = entries[0].step
    if bottom not in {Step.CLAIM, Step.MAIN, Step.END_OF_TURN}:
        yield "agenda: expected a claim, a turn or its end at the bottom"
    if (bottom == Step.CLAIM) != bool(state.starting):
        yield "agenda: expected a claim if and only if a starting building is unclaimed"
    if entries[-1].step not in DECISIONS or any(e.step in DECISIONS for e in entries[1:-1]):
        yield "agenda: expected exactly one decision, on top"
    if any(steps[Step(step)] for step in NEVER_WAITS) or any(
        steps[Step(step)] > 1 for step in ONCE_AT_MOST
    ):
        yield "agenda: expected no step that cannot wait, and no second draw, event or payout"
    if any(entry.step in {Step.CLAIM, Step.MAIN, Step.END_OF_TURN} for entry in entries[1:]):
        yield "agenda: expected exactly one claim, turn or end of a turn"
    for below, entry in zip([None, *entries], entries, strict=False):
        if not _entry_fits(t, state, entry) or not _rests_on(entry, below):
            given = {name: int(getattr(entry, name)) for name in fields_of(Entry)}
            known = ", ".join(f"{name}={n}" for name, n in given.items() if n and name != "step")
            yield f"agenda: {Step(entry.step).name} cannot be pending with {known or 'zeros'}"
    yield from _turn_agenda(state, entries)


def _turn_agenda(state: State, entries: list[Entry]) -> Iterator[str]:
    """Check that the bottom of the agenda fits the turn."""
    seats = int(state.num_seats)
    claimed = STARTING - int(state.starting).bit_count()
    seat = claimed % seats if state.starting else int(state.active)
    if entries[0].seat != seat:
        yield f"agenda: expected seat {seat} at the bottom"
    if entries[0].step != Step.MAIN and (state.points or state.investing):
        yield "points, investing: expected 0 outside a turn"
    if state.investing and len(entries) > 1:
        yield "investing: expected 0 after the first action of a turn"
    executed = [entry.event for entry in entries if entry.step == Step.END_EVENT]
    if executed != ([] if state.event == NO_KIND else [int(state.event)]):
        yield "event: does not match the agenda"


def _pending(state: State) -> list[Entry]:
    """Return the steps of the agenda, the next one last."""
    return [state.agenda[k] for k in range(int(state.agenda_size))]


def _stands(state: State, lot: int) -> bool:
    """Does a building begin on the lot?"""
    return bool(0 <= lot < NUM_LOTS and state.corners[lot])


def _is_set(state: State, seats: int) -> bool:
    """Is the value a set of at least one seat?"""
    return 0 < seats < 1 << int(state.num_seats)


def _is_seat(state: State, seat: int) -> bool:
    return 0 <= seat < int(state.num_seats)


def _entry_fits(t: Table, state: State, entry: Entry) -> bool:
    """Are the seat and the arguments of a step possible?"""
    step, seat = Step(entry.step), entry.seat
    if step in FOR_NOBODY or (step == Step.NEXT_BID and seat == NOBODY):
        if seat != NOBODY:
            return False
    elif not _is_seat(state, seat):
        return False
    if step in EFFECT_OF and not _effect_fits(t, state, entry.effect, EFFECT_OF[step]):
        return False
    arguments = DECISIONS[step].arguments if step in DECISIONS else ()
    if not all(OF_ITS_KIND[name](state, int(getattr(entry, name))) for name in arguments):
        return False
    return step not in FITS or bool(FITS[step](t, state, entry))


def _effect_fits(t: Table, state: State, e: int, verbs: frozenset[Verb]) -> bool:
    """Is it an effect with one of the verbs, and is the building it needs there?"""
    if not 0 <= e < MAX_EFFECTS or int(t.effects[e].verb) not in verbs:
        return False
    return bool(state.lot != NO_LOT) or not _speaks_of_building(t, e)


def _speaks_of_building(t: Table, e: int) -> bool:
    """Does an effect, or one nested in it, need the contract just built?"""
    effect = t.effects[e]
    own = (
        int(effect.where) in HERE
        or effect.per == Per.VALUE
        or (effect.verb == Verb.PAYOUT and effect.line == Line.ROW)
        or effect.verb == Verb.LASTING
    )
    inner = (
        *range(
            int(effect.then_first),
            int(effect.then_first) + int(effect.then_count),
        ),
        *range(
            int(effect.else_first),
            int(effect.else_first) + int(effect.else_count),
        ),
    )
    return bool(own) or any(_speaks_of_building(t, other) for other in inner)


def _is_contract(t: Table, card: int) -> bool:
    return bool(0 <= card < NUM_CARDS and t.card_zone[card] >= 0)


def _is_payable(t: Table, state: State, entry: Entry) -> bool:
    """Can the contract whose footprint is chosen still be paid?"""
    seat, card, site, paid = int(entry.seat), int(entry.card), int(entry.site), int(entry.paid)
    size, zone = int(t.card_size[card]), int(t.card_zone[card])
    if not 0 <= site < NUM_LOTS or site % CORNERS >= NUM_SHAPES[size - 1]:
        return False
    held = sum(
        int(state.hand[seat, kind]) * int(t.permits[kind])
        for kind in range(NUM_PERMITS)
        if int(t.permit_zones[kind]) >> zone & 1
    )
    worth = int(state.value[site // CORNERS])
    enough = 0 <= paid < size <= paid + held
    return bool(enough and state.wealth[seat] >= worth and state.tiles[zone, size - 1])


def _can_save(t: Table, state: State, entry: Entry) -> bool:
    """Is it the controller of a building that can be saved from the effect?"""
    saved = t.effects[entry.effect].save_amount > 0
    return bool(saved and state.owner[entry.lot] == entry.seat)


def _has_tile(t: Table, state: State, entry: Entry) -> bool:
    """Has the supply a tile for the building to place?"""
    zone, size = int(entry.zone), int(t.effects[entry.effect].new_size)
    return bool(0 <= zone < NUM_COLOURS and state.tiles[zone, size - 1])


def _is_tie(t: Table, state: State, entry: Entry) -> bool:
    """Is the office in play?"""
    return bool(int(state.in_play) >> int(entry.office) & 1)


def _has_victims(t: Table, state: State, entry: Entry) -> bool:
    """Is there a seat to steal from besides the thief?"""
    return not int(entry.seats) >> int(entry.seat) & 1


def _is_scoring(t: Table, state: State, entry: Entry) -> bool:
    """Can the seats score markers of a vocation?"""
    left = 0 <= entry.turns_left <= 2 * int(state.num_seats) + 1
    return 0 <= entry.number <= COUNTED[1] and 0 <= entry.vocation < NUM_VOCATIONS and left


def _is_list(t: Table, state: State, entry: Entry) -> bool:
    """Is it a list of effects that can be run?"""
    first, left = int(entry.effect), int(entry.left)
    inside = min(first, left) >= 0 and first + left <= MAX_EFFECTS
    return inside and all(_effect_fits(t, state, e, ANY_VERB) for e in range(first, first + left))


def _is_bid(t: Table, state: State, entry: Entry) -> bool:
    """Is the highest bid one that its bidder can pay, or none?"""
    highest, bidder = int(entry.highest), int(entry.bidder)
    if highest == 0:
        return bidder == NOBODY
    return _is_seat(state, bidder) and 0 < highest <= min(int(state.wealth[bidder]), MOST_BID)


def _is_draw(t: Table, state: State, entry: Entry) -> bool:
    """Is it the top of a contract deck that is turned up?"""
    deck = int(entry.space) - FIRST_TOP
    return bool(0 <= deck < NUM_DECKS and state.deck_top[deck] == NO_CARD)


def _is_built(t: Table, state: State, entry: Entry) -> bool:
    """Is it the active seat that builds a contract?"""
    return bool(entry.seat == state.active and _is_contract(t, entry.card))


# Whether an argument of a decision is one of its kind, by its name (``steps.DECISIONS``).
OF_ITS_KIND: Final[Mapping[str, Callable[[State, int], bool]]] = {
    "vocation": lambda state, vocation: 0 <= vocation < NUM_VOCATIONS,
    "acting_seat": _is_seat,
    "self_seat": _is_seat,
    "lot": _stands,
    "marker": lambda state, marker: 0 <= marker < NUM_MARKERS,
    "highest": lambda state, bid: 0 <= bid < MOST_BID,
    "seats": _is_set,
    "office": lambda state, office: 0 <= office < NUM_OFFICES,
}
# What else the arguments of a step must be; the effect is checked before (``EFFECT_OF``).
FITS: Final[Mapping[Step, Callable[[Table, State, Entry], bool]]] = {
    Step.FOOTPRINT: _is_built,
    Step.PERMITS: lambda t, state, it: _is_built(t, state, it) and _is_payable(t, state, it),
    Step.MARKER_GAIN: lambda t, state, it: 0 <= it.number <= COUNTED[1] >= it.left > 0,
    Step.UNIT: lambda t, state, it: 0 < it.left <= NUM_LOTS,
    Step.SAVE: _can_save,
    Step.PLACE: _has_tile,
    Step.PLACE_ZONE: lambda t, state, it: bool(t.effects[it.effect].new_zone == CHOSEN),
    Step.WINNER: _is_tie,
    Step.VICTIM: _has_victims,
    Step.DISCARD: lambda t, state, it: 0 < it.left <= MOST,
    Step.HEADLINE: lambda t, state, it: bool(t.effects[it.effect].who == Who.CONTROLLER),
    Step.TAKE_VOCATION: lambda t, state, it: _is_contract(t, it.card) and it.place in {0, 1, 2},
    Step.SCORE_SEATS: _is_scoring,
    Step.EFFECTS: _is_list,
    Step.EFFECT: lambda t, state, it: (
        Stage.ASK_ZONE <= it.stage <= Stage.VERB and _is_set(state, it.seats)
    ),
    Step.EACH: lambda t, state, it: _is_set(state, it.seats) and _is_seat(state, it.self_seat),
    Step.NEXT_BID: _is_bid,
    Step.ELECTION: lambda t, state, it: 0 <= it.office < NUM_POLITICIANS,
    Step.END_OF_TURN: lambda t, state, it: 0 <= it.end_stage <= max(EndStage),
    Step.DRAW_PLANNING: lambda t, state, it: bool(
        it.space == PLANNING_TOP and state.planning[it.space] == NO_KIND
    ),
    Step.DRAW_CONTRACT: _is_draw,
    Step.END_EVENT: lambda t, state, it: 0 <= it.event < NUM_EVENTS,
    Step.PAY_WEALTH: lambda t, state, it: 0 <= it.kind < NUM_PERMITS,
}


def _rests_on(entry: Entry, below: Entry | None) -> bool:
    """Does a decision that answers a waiting step lie directly above that step?"""
    waits = {
        Step.LEADER: Step.EFFECT,
        Step.PICK_ROW: Step.EFFECT,
        Step.PICK_ZONE: Step.EFFECT,
        Step.NEXT_SEAT: Step.EACH,
        Step.BID: Step.NEXT_BID,
    }
    step = Step(entry.step)
    if step not in waits:
        return True
    if below is None or below.step != waits[step]:
        return False
    if step == Step.NEXT_SEAT:
        return bool(below.seats == entry.seats and below.self_seat == entry.self_seat)
    if step == Step.BID:
        same = below.effect == entry.effect and below.highest == entry.highest
        return bool(same and below.bidder == entry.bidder)
    return True
