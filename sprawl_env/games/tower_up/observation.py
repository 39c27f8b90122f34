"""What a seat sees of *Tower Up*: everything but the order of the deck.

Seats are numbered from the observer: 0 is itself, 1 the next seat clockwise, and so on.
"""

from __future__ import annotations

from enum import IntEnum, auto
from typing import Final

from sprawl_env.core.agenda import STEP, A, B, top
from sprawl_env.core.bits import count_bits
from sprawl_env.core.game import NOBODY, NOT_OVER, Floats, Games, State, Tables
from sprawl_env.core.kernel import kernel
from sprawl_env.core.layout import ObservationLayout
from sprawl_env.games.tower_up.constants import (
    GREY_A,
    GREY_B,
    MARKET_SIZE,
    MAX_HEIGHT,
    NO_CARD,
    NO_COLOUR,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_DISTRICTS,
    NUM_OBJECTIVES,
    NUM_ROOFS,
    OBJECTIVES_IN_PLAY,
    EndCause,
    ObjectiveKind,
    Step,
)
from sprawl_env.games.tower_up.rules.end import score_of
from sprawl_env.games.tower_up.rules.objectives import COUNTED_HEIGHTS, grey_progress


class Block(IntEnum):
    """Blocks of the layout, in order; ``tables.block_start`` tells where each begins."""

    HEIGHT = 0
    PRICE = auto()
    REACH = auto()
    COVERS = auto()
    COST = auto()
    PAYABLE = auto()
    MISSING = auto()
    GAIN = auto()
    HELPS = auto()
    ROOFS = auto()
    TOP = auto()
    NEW_BUILDING = auto()
    DECISION = auto()
    TO_CHOOSE = auto()
    VEHICLE = auto()
    RESERVE = auto()
    ROOFS_LEFT = auto()
    MARKER = auto()
    TO_STAR = auto()
    VISIBLE = auto()
    CHIP = auto()
    PROGRESS = auto()
    ROOF_HEIGHTS = auto()
    SCORE = auto()
    TO_PLAY = auto()
    COUNTED = auto()
    OBJECTIVE = auto()
    NEXT_CHIP = auto()
    MARKET = auto()
    SUPPLY = auto()
    DECK = auto()
    END = auto()


SITE: Final = "site"
NUM_DECISIONS: Final = 4
CARD_FEATURES: Final = 2 * NUM_COLOURS + 3
MULTICOLOUR_AT: Final = NUM_COLOURS
VEHICLE_AT: Final = NUM_COLOURS + 1
STEP_GAIN_AT: Final = 2 * NUM_COLOURS + 1
ENABLES_AT: Final = 2 * NUM_COLOURS + 2
END_FEATURES: Final = 4
FLOOR_UNIT: Final = 1 / 10  # floors a reserve may hold
SUPPLY_SCALE: Final = 30.0
CHOICE_UNIT: Final = 1 / 4  # floors of one card
CARD_UNIT: Final = 1 / 2  # most floors of a colour on a card
CHIP_UNIT: Final = 1 / 7
# Units rather than divisors: a kernel multiplies faster than it divides.
GAIN_UNIT: Final = 1 / 12  # millions of a full row
HEIGHT_UNIT: Final = 1 / MAX_HEIGHT
PRICE_UNIT: Final = 1 / 5
SCORE_SCALE: Final = 81.0  # four full markers, a full cone and three best chips
ROOFS_UNIT: Final = 1 / 3


def layout(tables: Tables, num_seats: int) -> ObservationLayout:
    """Return the layout for a number of seats and note its offsets in ``tables``."""
    sites = int(tables.seen_sites[0])
    seats = "by seat from the observer"
    result = ObservationLayout(
        (
            "height",
            (sites, NUM_COLOURS),
            f"floors of the building / {MAX_HEIGHT}, by its colour",
            SITE,
        ),
        ("price", (sites, NUM_COLOURS), "empty sites: adjacent buildings by colour / 5", SITE),
        (
            "reach",
            (sites, NUM_COLOURS),
            f"empty sites: floors of the tallest adjacent building by colour / {MAX_HEIGHT}",
            SITE,
        ),
        (
            "covers",
            (sites, num_seats),
            f"empty sites: roofs on top of adjacent buildings / 3, {seats}",
            SITE,
        ),
        ("cost", (sites,), "empty sites: floors to pay, the new building's included / 6", SITE),
        ("payable", (sites,), "empty sites: 1 if the observer could build here now", SITE),
        (
            "missing",
            (sites,),
            "empty sites: floors the observer lacks to build here in the best colour / 4",
            SITE,
        ),
        (
            "gain",
            (sites,),
            "millions the observer's markers would gain / 12: by a roof on this building, or by "
            "the best roof after building here",
            SITE,
        ),
        (
            "helps",
            (sites, OBJECTIVES_IN_PLAY),
            "1 if the observer's presence here would further an objective not yet fulfilled "
            "(five adjacent buildings: 1 beside its own ones; borders and heights: always 0)",
            SITE,
        ),
        ("roofs", (sites, num_seats), f"roofs at any height / 3, {seats}", SITE),
        ("top", (sites, num_seats), f"1 if the building's top is a roof, {seats}", SITE),
        ("new_building", (sites,), "1 for the building that waits for its roof", SITE),
        ("decision", (NUM_DECISIONS,), "turn, floor to choose, floor to return, roof: one is 1"),
        ("to_choose", (1,), "floors the seat to play has still to choose / 4"),
        ("vehicle", (NUM_COLOURS,), "steps its marker will move once they are chosen / 2"),
        ("reserve", (num_seats, NUM_COLOURS), f"floors in hand / 10, {seats}"),
        ("roofs_left", (num_seats,), f"/ {NUM_ROOFS}, {seats}"),
        ("marker", (num_seats, NUM_COLOURS), f"steps moved / length of the row, {seats}"),
        ("to_star", (num_seats, NUM_COLOURS), f"steps short of the next star column / 2, {seats}"),
        ("visible", (num_seats,), f"roofs that are a building's top / cone's row, {seats}"),
        ("chip", (num_seats, OBJECTIVES_IN_PLAY), f"millions won / 7, {seats}"),
        ("progress", (num_seats, OBJECTIVES_IN_PLAY), f"share of the objective's need, {seats}"),
        ("roof_heights", (num_seats, COUNTED_HEIGHTS), f"1 for a roof at height 1 to 4, {seats}"),
        ("score", (num_seats,), f"millions now / {SCORE_SCALE:.0f}, {seats}"),
        ("to_play", (num_seats,), f"1 for the seat that owes the decision, {seats}"),
        ("counted", (num_seats,), f"1 once the cone has moved, {seats}"),
        ("objective", (OBJECTIVES_IN_PLAY, NUM_OBJECTIVES), "1 for the card in play"),
        ("next_chip", (OBJECTIVES_IN_PLAY,), "millions of the best chip left / 7"),
        (
            "market",
            (MARKET_SIZE, CARD_FEATURES),
            "floors by colour / 2, multicolour / 2, vehicle steps by colour / 2, millions the "
            "vehicle moves the observer's marker by / 12, best gain of the sites that could be "
            "paid with these floors too",
            "card",
        ),
        ("supply", (NUM_COLOURS,), f"floors left / {SUPPLY_SCALE:.0f}"),
        ("deck", (1,), f"cards left in the deck / {NUM_CARDS}"),
        (
            "end",
            (END_FEATURES,),
            "end by last roof, end by shortage, seats with a last turn / seats, turn / max_turns",
        ),
    )
    if [block.name for block in Block] != [name.upper() for name in result.blocks]:
        raise AssertionError("Block and the layout name different blocks")
    tables.block_start[0, : len(Block)] = result.starts
    return result


@kernel
def write_site(t: State, state: State, viewer: int, site: int, out: Floats) -> None:
    """Write one site's building, or its price while it is empty."""
    at = site * NUM_COLOURS
    colour = state.colour[site]
    if colour == NO_COLOUR:
        for c in range(NUM_COLOURS):
            out[t.block_start[Block.PRICE] + at + c] = state.adjacent[site, c] * PRICE_UNIT
        return
    out[t.block_start[Block.HEIGHT] + at + colour] = state.height[site] * HEIGHT_UNIT
    if state.top[site] != NOBODY:
        seats = int(state.num_seats)
        seat = (int(state.top[site]) - viewer + seats) % seats
        out[t.block_start[Block.TOP] + site * int(t.seen_seats) + seat] = 1.0
        out[t.block_start[Block.VISIBLE] + seat] += 1.0 / float(t.cone_end)


@kernel
def gain_of_roof(t: State, state: State, seat: int, colour: int, height: int) -> float:
    """Millions that a roof at this height moves the seat's marker by, as a share of a row."""
    return int(t.marker_gain[state.marker[seat, colour], height]) * GAIN_UNIT


@kernel
def missing_floors(t: State, state: State, seat: int, site: int, card: int) -> int:
    """Floors a seat lacks to build on an empty site, were it to take a card first (or NO_CARD)."""
    missing = 0
    new = 1  # floors lacking for the new building itself
    for colour in range(NUM_COLOURS):
        held = int(state.reserve[seat, colour])
        if card != NO_CARD:
            held += int(t.card_floors[card, colour])
        price = int(state.adjacent[site, colour])
        missing += max(price - held, 0)
        if price == 0 and held > 0:
            new = 0
    return missing + new


@kernel
def write_prospects(t: State, state: State, viewer: int, site: int, out: Floats) -> None:
    """Write what the observer could do with one site."""
    start = t.block_start
    board = state.board
    colour = state.colour[site]
    if colour != NO_COLOUR:
        height = int(state.height[site])
        out[start[Block.GAIN] + site] = gain_of_roof(t, state, viewer, colour, height)
        return
    neighbours = 0
    best = 0.0
    for k in range(t.num_streets[board, site]):
        other = t.streets[board, site, k]
        if state.colour[other] != NO_COLOUR:
            neighbours += 1
            height = int(state.height[other])
            best = max(best, gain_of_roof(t, state, viewer, state.colour[other], height + 1))
            at = start[Block.REACH] + site * NUM_COLOURS + state.colour[other]
            out[at] = max(out[at], height * HEIGHT_UNIT)
            if state.top[other] != NOBODY:
                seats = int(state.num_seats)
                seat = (int(state.top[other]) - viewer + seats) % seats
                at = start[Block.COVERS] + site * int(t.seen_seats) + seat
                out[at] = min(out[at] + ROOFS_UNIT, 1.0)
    free = 0
    for c in range(NUM_COLOURS):
        if state.adjacent[site, c] == 0:
            free += 1
            best = max(best, gain_of_roof(t, state, viewer, c, 1))
    if neighbours == 0 or free == 0:
        return
    out[start[Block.COST] + site] = (neighbours + 1) * HEIGHT_UNIT
    out[start[Block.GAIN] + site] = min(best, 1.0)
    missing = missing_floors(t, state, viewer, site, NO_CARD)
    out[start[Block.MISSING] + site] = min(missing * CHOICE_UNIT, 1.0)
    if missing == 0 and state.roofs_left[viewer] > 0:
        out[start[Block.PAYABLE] + site] = 1.0


@kernel
def sites_that_help(t: State, state: State, seat: int, objective: int) -> int:
    """Set of the sites where presence would further an objective (those of one step)."""
    board = state.board
    kind = t.objective_kind[objective]
    present = int(state.present[seat])
    sites = 0
    if kind == ObjectiveKind.PARKS:
        return int(t.by_park[board]) & ~present
    if kind == ObjectiveKind.LAKES:
        return int(t.by_lake[board]) & ~present
    if kind == ObjectiveKind.TWICE:
        return present & ~int(state.twice[seat])
    if kind == ObjectiveKind.ONE_COLOUR:
        return int(state.built[t.objective_colour[objective]]) & ~present
    if kind == ObjectiveKind.COLOURS:
        for colour in range(NUM_COLOURS):
            if present & state.built[colour] == 0:
                sites |= int(state.built[colour])
    elif kind == ObjectiveKind.DISTRICTS:
        for district in range(NUM_DISTRICTS):
            if present & t.in_district[board, district] == 0:
                sites |= int(t.in_district[board, district])
    elif kind == ObjectiveKind.GREY_DISTRICTS:
        a = count_bits(present & t.in_district[board, GREY_A])
        b = count_bits(present & t.in_district[board, GREY_B])
        if grey_progress(a + 1, b) > grey_progress(a, b):
            sites |= int(t.in_district[board, GREY_A])
        if grey_progress(a, b + 1) > grey_progress(a, b):
            sites |= int(t.in_district[board, GREY_B])
        sites &= ~present
    elif kind == ObjectiveKind.ADJACENT:
        for roof in range(NUM_ROOFS - int(state.roofs_left[seat])):
            sites |= int(t.next_to[board, state.roof_site[seat, roof]])
        sites &= ~present
    return sites


@kernel
def write_helps(t: State, state: State, viewer: int, out: Floats) -> None:
    """Write which sites would further the objectives the observer has not fulfilled."""
    for k in range(OBJECTIVES_IN_PLAY):
        if state.fulfilled[viewer, k] == 0:
            sites = sites_that_help(t, state, viewer, state.objective[k])
            for site in range(int(t.seen_sites)):
                at = t.block_start[Block.HELPS] + site * OBJECTIVES_IN_PLAY + k
                out[at] = (sites >> site) & 1


@kernel
def write_seat(t: State, state: State, seat: int, k: int, out: Floats) -> None:
    """Write what lies in front of a seat, the ``k``-th from the observer."""
    start = t.block_start
    end = float(t.marker_end)
    next_star = end
    if state.stars[seat] < t.num_stars:
        next_star = float(t.star_columns[state.stars[seat]])
    for colour in range(NUM_COLOURS):
        at = k * NUM_COLOURS + colour
        marker = float(state.marker[seat, colour])
        out[start[Block.RESERVE] + at] = min(state.reserve[seat, colour] * FLOOR_UNIT, 1.0)
        out[start[Block.MARKER] + at] = marker / end
        out[start[Block.TO_STAR] + at] = min(max(next_star - marker, 0.0) / 2.0, 1.0)
    for c in range(OBJECTIVES_IN_PLAY):
        at = k * OBJECTIVES_IN_PLAY + c
        need = float(t.objective_need[state.objective[c]])
        out[start[Block.CHIP] + at] = min(state.chip[seat, c] * CHIP_UNIT, 1.0)
        out[start[Block.PROGRESS] + at] = min(state.progress[seat, c] / need, 1.0)
    out[start[Block.ROOFS_LEFT] + k] = state.roofs_left[seat] / float(NUM_ROOFS)
    out[start[Block.COUNTED] + k] = state.counted[seat]
    out[start[Block.TO_PLAY] + k] = state.to_play == seat
    for roof in range(NUM_ROOFS - int(state.roofs_left[seat])):
        site = int(state.roof_site[seat, roof])
        at = start[Block.ROOFS] + site * int(t.seen_seats) + k
        out[at] = min(out[at] + ROOFS_UNIT, 1.0)
        height = int(state.roof_height[seat, roof])
        if height <= COUNTED_HEIGHTS:
            out[start[Block.ROOF_HEIGHTS] + k * COUNTED_HEIGHTS + height - 1] = 1.0
    visible = out[start[Block.VISIBLE] + k]
    out[start[Block.VISIBLE] + k] = min(visible, 1.0)
    out[start[Block.SCORE] + k] = min(score_of(t, state, seat) / SCORE_SCALE, 1.0)


@kernel
def best_enabled(t: State, state: State, viewer: int, card: int, out: Floats) -> float:
    """Best gain of the sites that could be paid after taking a card; gains are written already."""
    best = 0.0
    for site in range(min(int(t.num_sites[state.board]), int(t.seen_sites))):
        gain = out[t.block_start[Block.GAIN] + site]
        if gain > best and state.colour[site] == NO_COLOUR:
            missing = missing_floors(t, state, viewer, site, card)
            if missing <= t.card_multicolour[card]:
                best = gain
    return best


@kernel
def write_market(t: State, state: State, viewer: int, out: Floats) -> None:
    """Write what every market card gives, and what it would make possible."""
    for space in range(MARKET_SIZE):
        card = state.market[space]
        if card == NO_CARD:
            continue
        at = t.block_start[Block.MARKET] + space * CARD_FEATURES
        for colour in range(NUM_COLOURS):
            out[at + colour] = min(t.card_floors[card, colour] * CARD_UNIT, 1.0)
        out[at + MULTICOLOUR_AT] = min(t.card_multicolour[card] * CARD_UNIT, 1.0)
        if t.card_steps[card] > 0:
            colour, steps = t.card_vehicle[card], int(t.card_steps[card])
            out[at + VEHICLE_AT + colour] = steps * CARD_UNIT
            out[at + STEP_GAIN_AT] = gain_of_roof(t, state, viewer, colour, steps)
        if state.roofs_left[viewer] > 0:
            out[at + ENABLES_AT] = best_enabled(t, state, viewer, card, out)


@kernel
def write_common(t: State, state: State, out: Floats) -> None:
    """Write objectives, stock and how near the end is."""
    start = t.block_start
    for k in range(OBJECTIVES_IN_PLAY):
        out[start[Block.OBJECTIVE] + k * NUM_OBJECTIVES + state.objective[k]] = 1.0
        if state.chips_taken[k] < state.num_seats:
            chip = t.chip_values[state.num_seats, state.chips_taken[k]]
            out[start[Block.NEXT_CHIP] + k] = min(chip * CHIP_UNIT, 1.0)
    for colour in range(NUM_COLOURS):
        out[start[Block.SUPPLY] + colour] = min(state.supply[colour] / SUPPLY_SCALE, 1.0)
    out[start[Block.DECK]] = state.deck_size / float(NUM_CARDS)
    out[start[Block.END]] = state.end_cause == EndCause.LAST_ROOF
    out[start[Block.END] + 1] = state.end_cause == EndCause.SHORTAGE
    out[start[Block.END] + 2] = state.last_turns / float(state.num_seats)
    out[start[Block.END] + 3] = state.turn / float(state.max_turns)


@kernel
def write_pending(t: State, state: State, out: Floats) -> None:
    """Write what follows a floor to be chosen: more of them, a vehicle."""
    for k in range(int(state.agenda_size)):
        if state.agenda[k, STEP] == Step.FLOOR:
            out[t.block_start[Block.TO_CHOOSE]] += CHOICE_UNIT
        elif state.agenda[k, STEP] == Step.VEHICLE:
            at = t.block_start[Block.VEHICLE] + int(state.agenda[k, A])
            out[at] = state.agenda[k, B] * CARD_UNIT


@kernel
def observe(tables: Tables, games: Games, g: int, seat: int, out: Floats) -> None:
    """Write what ``seat`` sees; a batch with fewer seats or sites than the layout fits too."""
    t = tables[0]
    state = games[g]
    out[:] = 0.0
    for site in range(min(int(t.num_sites[state.board]), int(t.seen_sites))):
        write_site(t, state, seat, site, out)
        write_prospects(t, state, seat, site, out)
    write_helps(t, state, seat, out)
    seats = int(state.num_seats)
    for k in range(min(seats, int(t.seen_seats))):
        write_seat(t, state, (seat + k) % seats, k, out)
    write_market(t, state, seat, out)
    write_common(t, state, out)
    if state.over == NOT_OVER:
        step = top(state, STEP)
        out[t.block_start[Block.DECISION] + step] = 1.0
        if step == Step.ROOF:
            out[t.block_start[Block.NEW_BUILDING] + top(state, A)] = 1.0
        elif step == Step.FLOOR:
            write_pending(t, state, out)
