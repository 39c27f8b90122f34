"""The observation of *Tower Up*: everything except the order of the deck.

Seats are numbered from the observer: 0 is itself, 1 the next seat clockwise, and so on.
"""

from __future__ import annotations

from enum import IntEnum, auto
from typing import Final

from sprawl_env.core.layout import ObservationLayout
from sprawl_env.core.state import NOT_OVER, Games, State, Tables
from sprawl_env.games.tower_up.constants import (
    GREY_A,
    GREY_B,
    MARKET_SIZE,
    MAX_HEIGHT,
    NO_CARD,
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
from sprawl_env.games.tower_up.rules.end import score_of, visible_roofs
from sprawl_env.games.tower_up.rules.objectives import COUNTED_HEIGHTS, grey_progress
from sprawl_env.kernels.arrays import Floats
from sprawl_env.kernels.bits import count_bits, lowest
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.lanes import lanes, shortfall, zeros
from sprawl_env.kernels.old_agenda import STEP, A, B, top


class Site(IntEnum):
    """Offsets of the numbers about a site, from the first of them."""

    HEIGHT = 0
    PRICE = NUM_COLOURS
    REACH = 2 * NUM_COLOURS
    COST = 3 * NUM_COLOURS
    PAYABLE = COST + 1
    MISSING = COST + 2
    GAIN = COST + 3
    NEW_BUILDING = COST + 4
    HELPS = COST + 5
    BY_SEAT = HELPS + OBJECTIVES_IN_PLAY  # covers, roofs and top: one number a seat each


class Block(IntEnum):
    """The other blocks of the layout, in order; ``tables.block_start`` has their offsets."""

    DECISION = 0
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
# Factors instead of divisors: multiplication is faster than division.
GAIN_UNIT: Final = 1 / 12  # millions of a full row
HEIGHT_UNIT: Final = 1 / MAX_HEIGHT
PRICE_UNIT: Final = 1 / 5
SCORE_SCALE: Final = 81.0  # four full markers, a full cone and three best chips
ROOFS_UNIT: Final = 1 / 3


def layout(tables: Tables, num_seats: int) -> ObservationLayout:
    """Return the layout for a number of seats and store its offsets in ``tables``."""
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
        ("new_building", (sites,), "1 for the building that waits for its roof", SITE),
        (
            "helps",
            (sites, OBJECTIVES_IN_PLAY),
            "1 if the observer's presence here would advance an objective it has not fulfilled "
            "(five adjacent buildings: 1 beside its own buildings; borders and heights: always 0)",
            SITE,
        ),
        (
            "covers",
            (sites, num_seats),
            f"empty sites: roofs on top of adjacent buildings / 3, {seats}",
            SITE,
        ),
        ("roofs", (sites, num_seats), f"roofs at any height / 3, {seats}", SITE),
        ("top", (sites, num_seats), f"1 if the building's top is a roof, {seats}", SITE),
        ("decision", (NUM_DECISIONS,), "turn, floor to choose, floor to return, roof: one is 1"),
        ("to_choose", (1,), "floors the seat to play still has to choose / 4"),
        ("vehicle", (NUM_COLOURS,), "steps its marker will move after they are chosen / 2"),
        ("reserve", (num_seats, NUM_COLOURS), f"floors in hand / 10, {seats}"),
        ("roofs_left", (num_seats,), f"/ {NUM_ROOFS}, {seats}"),
        ("marker", (num_seats, NUM_COLOURS), f"steps moved / length of the row, {seats}"),
        ("to_star", (num_seats, NUM_COLOURS), f"steps short of the next star column / 2, {seats}"),
        (
            "visible",
            (num_seats,),
            f"roofs that are a building's top / length of the cone's row, {seats}",
        ),
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
            "vehicle moves the observer's marker by / 12, best gain of the sites that the observer "
            "could pay for with these floors added",
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
    about_sites = [block for block in result.blocks.values() if block.entity == SITE]
    by_name = {block.name: block.start for block in about_sites}
    if any(by_name[at.name.lower()] != at for at in Site if at != Site.BY_SEAT):
        raise AssertionError("Site and the layout disagree")
    others = [block for block in result.blocks.values() if block.entity != SITE]
    if [block.name.upper() for block in others] != [block.name for block in Block]:
        raise AssertionError("Block and the layout name different blocks")
    tables.site_stride = about_sites[0].stride
    tables.block_start[0, : len(Block)] = [block.start for block in others]
    return result


@kernel
def seat_at(viewer: int, k: int, num_seats: int) -> int:
    """Return the ``k``-th seat clockwise from the observer."""
    seat = viewer + k
    return seat if seat < num_seats else seat - num_seats


@kernel
def gain_of_roof(t: State, state: State, seat: int, colour: int, height: int) -> int:
    """Return the millions by which a roof at this height moves the seat's marker."""
    return int(t.marker_gain[state.marker[seat, colour], height])


@kernel
def floors_in_hand(state: State, seat: int) -> int:
    """Return the seat's reserve by colour, packed into lanes."""
    own = state.reserve[seat]
    return lanes(int(own[0]), int(own[1]), int(own[2]), int(own[3]))


@kernel
def missing_floors(price: int, held: int) -> int:
    """Return how many floors are missing to pay a price and build in the best colour."""
    may_be_new = zeros(price) & ~zeros(held)
    return shortfall(price, held) + (may_be_new == 0)


@kernel
def write_building(t: State, state: State, viewer: int, site: int, out: Floats) -> None:
    """Write a site's building, and what a roof on it would gain the observer."""
    at = site * int(t.site_stride)
    colour = int(state.colour[site])
    height = int(state.height[site])
    out[at + Site.HEIGHT + colour] = height * HEIGHT_UNIT
    out[at + Site.GAIN] = gain_of_roof(t, state, viewer, colour, height) * GAIN_UNIT


@kernel
def write_frontier(t: State, state: State, viewer: int, site: int, out: Floats) -> None:
    """Write the price of an empty site next to buildings, and what building there would gain."""
    at = site * int(t.site_stride)
    beside = state.adjacent[site]
    neighbours = 0
    best = 0
    for colour in range(NUM_COLOURS):
        reach = int(state.reach[site, colour])  # 0: a new building may have the colour
        best = max(best, gain_of_roof(t, state, viewer, colour, reach + 1))
        neighbours += int(beside[colour])
        out[at + Site.PRICE + colour] = int(beside[colour]) * PRICE_UNIT
        out[at + Site.REACH + colour] = reach * HEIGHT_UNIT
    price = lanes(int(beside[0]), int(beside[1]), int(beside[2]), int(beside[3]))
    if zeros(price) == 0:
        return
    held = floors_in_hand(state, viewer)
    missing = missing_floors(price, held)
    out[at + Site.COST] = (neighbours + 1) * HEIGHT_UNIT
    out[at + Site.GAIN] = min(best * GAIN_UNIT, 1.0)
    out[at + Site.MISSING] = min(missing * CHOICE_UNIT, 1.0)
    if state.roofs_left[viewer] > 0:
        out[at + Site.PAYABLE] = missing == 0
        write_enabled(t, state, price, held, out[at + Site.GAIN], out)


@kernel
def write_enabled(t: State, state: State, price: int, held: int, gain: float, out: Floats) -> None:
    """Note a site's gain at each market card that would make the site payable, if larger."""
    at = int(t.block_start[Block.MARKET]) + ENABLES_AT
    for space in range(MARKET_SIZE):
        card = int(state.market[space])
        if card != NO_CARD:
            missing = missing_floors(price, held + int(t.card_lanes[card]))
            enough = missing <= int(t.card_multicolour[card])
            out[at] = max(out[at], gain if enough else 0.0)
        at += CARD_FEATURES


@kernel
def buildings_of(state: State) -> int:
    """Return the set of sites with a building."""
    sites = 0
    for colour in range(NUM_COLOURS):
        sites |= int(state.built[colour])
    return sites


@kernel
def write_tops(t: State, state: State, seat: int, k: int, out: Floats) -> None:
    """Write the ``k``-th seat's visible roofs, and where building would cover them."""
    empty = ~buildings_of(state)
    topped = int(state.topped[seat])
    while topped:
        site = lowest(topped)
        topped &= topped - 1
        at = site * int(t.site_stride) + Site.BY_SEAT + k
        out[at + 2 * int(t.seen_seats)] = 1.0
        beside = int(t.next_to[state.board, site]) & empty
        while beside:
            at = lowest(beside) * int(t.site_stride) + Site.BY_SEAT + k
            beside &= beside - 1
            out[at] = min(out[at] + ROOFS_UNIT, 1.0)


@kernel
def write_sites(t: State, state: State, viewer: int, out: Floats) -> None:
    """Write every site that has a building or is adjacent to one."""
    buildings = buildings_of(state)
    frontier = 0
    left = buildings
    while left:
        site = lowest(left)
        left &= left - 1
        frontier |= int(t.next_to[state.board, site])
        write_building(t, state, viewer, site, out)
    left = frontier & ~buildings
    while left:
        site = lowest(left)
        left &= left - 1
        write_frontier(t, state, viewer, site, out)


@kernel
def sites_that_help(t: State, state: State, seat: int, objective: int) -> int:
    """Return the set of sites where presence would advance an objective by one step."""
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
    """Write which sites would advance the objectives the observer has not fulfilled."""
    for k in range(OBJECTIVES_IN_PLAY):
        if state.fulfilled[viewer, k] == 0:
            sites = sites_that_help(t, state, viewer, state.objective[k])
            while sites:
                at = lowest(sites) * int(t.site_stride) + Site.HELPS + k
                sites &= sites - 1
                out[at] = 1.0


@kernel
def write_seat(t: State, state: State, seat: int, k: int, out: Floats) -> None:
    """Write what a seat, the ``k``-th from the observer, has."""
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
        at = site * int(t.site_stride) + Site.BY_SEAT + int(t.seen_seats) + k
        out[at] = min(out[at] + ROOFS_UNIT, 1.0)
        height = int(state.roof_height[seat, roof])
        if height <= COUNTED_HEIGHTS:
            out[start[Block.ROOF_HEIGHTS] + k * COUNTED_HEIGHTS + height - 1] = 1.0
    visible = visible_roofs(state, seat)
    out[start[Block.VISIBLE] + k] = min(visible / float(t.cone_end), 1.0)
    write_tops(t, state, seat, k, out)
    out[start[Block.SCORE] + k] = min(score_of(t, state, seat) / SCORE_SCALE, 1.0)


@kernel
def write_market(t: State, state: State, viewer: int, out: Floats) -> None:
    """Write what every market card gives."""
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
            out[at + STEP_GAIN_AT] = gain_of_roof(t, state, viewer, colour, steps) * GAIN_UNIT


@kernel
def write_common(t: State, state: State, out: Floats) -> None:
    """Write objectives, supply, deck and how close the end is."""
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
    """Write how many floors are to be chosen and which vehicle moves afterwards."""
    for k in range(int(state.agenda_size)):
        if state.agenda[k, STEP] == Step.FLOOR:
            out[t.block_start[Block.TO_CHOOSE]] += CHOICE_UNIT
        elif state.agenda[k, STEP] == Step.VEHICLE:
            at = t.block_start[Block.VEHICLE] + int(state.agenda[k, A])
            out[at] = state.agenda[k, B] * CARD_UNIT


@kernel
def observe(tables: Tables, games: Games, g: int, seat: int, out: Floats) -> None:
    """Write what ``seat`` sees; the layout may have more seats or sites than the game."""
    t = tables[0]
    state = games[g]
    out[:] = 0.0
    write_sites(t, state, seat, out)
    write_helps(t, state, seat, out)
    seats = int(state.num_seats)
    for k in range(min(seats, int(t.seen_seats))):
        write_seat(t, state, seat_at(seat, k, seats), k, out)
    write_market(t, state, seat, out)
    write_common(t, state, out)
    if state.over == NOT_OVER:
        step = top(state, STEP)
        out[t.block_start[Block.DECISION] + step] = 1.0
        if step == Step.ROOF:
            out[top(state, A) * int(t.site_stride) + Site.NEW_BUILDING] = 1.0
        elif step == Step.FLOOR:
            write_pending(t, state, out)
