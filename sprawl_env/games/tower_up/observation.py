"""The kernels that write the observation of *Tower Up*; ``layout.py`` declares its blocks.

All numbers fit int8: the bound of each block is the reciprocal of its scale.
"""

from __future__ import annotations

from sprawl_env.core.state import NOT_OVER, Games, Tables
from sprawl_env.games.tower_up.constants import (
    COUNTED_HEIGHTS,
    GREY_A,
    GREY_B,
    MARKET_SIZE,
    NO_CARD,
    NUM_COLOURS,
    NUM_DISTRICTS,
    NUM_OBJECTIVES,
    NUM_ROOFS,
    OBJECTIVES_IN_PLAY,
    EndCause,
    ObjectiveKind,
    Step,
)
from sprawl_env.games.tower_up.layout import (
    MOST_CHIP,
    MOST_HELD,
    MOST_NEED,
    MOST_ON_CARD,
    MOST_SCORE,
    MOST_SUPPLY,
    MOST_TO_STAR,
    MOST_TURNS_SEEN,
    PERCENT,
)
from sprawl_env.games.tower_up.rules.end import score_of, visible_roofs
from sprawl_env.games.tower_up.rules.objectives import grey_progress
from sprawl_env.games.tower_up.state import State
from sprawl_env.games.tower_up.tables import Table
from sprawl_env.kernels.agenda import top
from sprawl_env.kernels.arrays import Mask
from sprawl_env.kernels.bits import count_bits, lowest
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.lanes import lanes, shortfall, zeros


@kernel
def seat_at(viewer: int, k: int, num_seats: int) -> int:
    """Return the ``k``-th seat clockwise from the observer."""
    seat = viewer + k
    return seat if seat < num_seats else seat - num_seats


@kernel
def gain_of_roof(t: Table, state: State, seat: int, colour: int, height: int) -> int:
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


# The sites ------------------------------------------------------------------------


@kernel
def price_of(state: State, site: int) -> int:
    """Return the adjacent buildings of an empty site by colour, packed into lanes."""
    beside = state.adjacent[site]
    return lanes(int(beside[0]), int(beside[1]), int(beside[2]), int(beside[3]))


@kernel
def write_building(t: Table, state: State, viewer: int, site: int, out: Mask) -> None:
    """Write a site's building, and what a roof on it would gain the observer."""
    here = site * int(t.at.site)
    colour = int(state.colour[site])
    height = int(state.height[site])
    out[t.at.height + here + colour] = height
    out[t.at.gain + here] = gain_of_roof(t, state, viewer, colour, height)


@kernel
def write_frontier(t: Table, state: State, viewer: int, site: int, out: Mask) -> None:
    """Write the price of an empty site next to buildings, and what building there would gain."""
    here = site * int(t.at.site)
    prices, reaches = t.at.price + here, t.at.reach + here
    neighbours = 0
    best = 0
    for colour in range(NUM_COLOURS):
        beside = int(state.adjacent[site, colour])
        reach = int(state.reach[site, colour])  # 0: a new building may have the colour
        best = max(best, gain_of_roof(t, state, viewer, colour, reach + 1))
        neighbours += beside
        out[prices + colour] = beside
        out[reaches + colour] = reach
    price = price_of(state, site)
    if zeros(price) == 0:
        return
    held = floors_in_hand(state, viewer)
    missing = missing_floors(price, held)
    out[t.at.cost + here] = neighbours + 1
    out[t.at.gain + here] = best
    out[t.at.missing + here] = missing
    if state.roofs_left[viewer] > 0:
        out[t.at.payable + here] = missing == 0
        write_enabled(t, state, price, held, best, out)


@kernel
def write_enabled(t: Table, state: State, price: int, held: int, gain: int, out: Mask) -> None:
    """Note a site's gain at each market card that would make the site payable, if larger."""
    for space in range(MARKET_SIZE):
        card = int(state.market[space])
        if card != NO_CARD:
            at = t.at.card_enables + space * int(t.at.card)
            missing = missing_floors(price, held + int(t.card_lanes[card]))
            enough = missing <= int(t.card_multicolour[card])
            out[at] = max(int(out[at]), gain if enough else 0)


@kernel
def buildings_of(state: State) -> int:
    """Return the set of sites with a building."""
    sites = 0
    for colour in range(NUM_COLOURS):
        sites |= int(state.built[colour])
    return sites


@kernel
def write_tops(t: Table, state: State, seat: int, k: int, out: Mask) -> None:
    """Write the ``k``-th seat's visible roofs, and where building would cover them."""
    stride, tops, covers = int(t.at.site), t.at.top + k, t.at.covers + k
    empty = ~buildings_of(state)
    topped = int(state.topped[seat])
    while topped:
        site = lowest(topped)
        topped &= topped - 1
        out[tops + site * stride] = 1
        beside = int(t.next_to[state.board, site]) & empty
        while beside:
            out[covers + lowest(beside) * stride] += 1
            beside &= beside - 1


@kernel
def write_sites(t: Table, state: State, viewer: int, out: Mask) -> None:
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
def sites_that_help(t: Table, state: State, seat: int, objective: int) -> int:
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
def write_helps(t: Table, state: State, viewer: int, out: Mask) -> None:
    """Write which sites would advance the objectives the observer has not fulfilled."""
    stride = int(t.at.site)
    for k in range(OBJECTIVES_IN_PLAY):
        if state.fulfilled[viewer, k] == 0:
            helps = t.at.helps + k
            sites = sites_that_help(t, state, viewer, state.objective[k])
            while sites:
                out[helps + lowest(sites) * stride] = 1
                sites &= sites - 1


# The seats --------------------------------------------------------------------------


@kernel
def write_markers(t: Table, state: State, seat: int, k: int, out: Mask) -> None:
    """Write the reserve and the markers of the ``k``-th seat."""
    next_star = int(t.marker_end)
    if state.stars[seat] < t.num_stars:
        next_star = int(t.star_columns[state.stars[seat]])
    for colour in range(NUM_COLOURS):
        at = k * NUM_COLOURS + colour
        marker = int(state.marker[seat, colour])
        out[t.at.reserve + at] = min(int(state.reserve[seat, colour]), MOST_HELD)
        out[t.at.marker + at] = marker
        out[t.at.to_star + at] = min(max(next_star - marker, 0), MOST_TO_STAR)


@kernel
def write_progress(t: Table, state: State, seat: int, k: int, out: Mask) -> None:
    """Write the chips of the ``k``-th seat and its progress towards the objectives."""
    for c in range(OBJECTIVES_IN_PLAY):
        at = k * OBJECTIVES_IN_PLAY + c
        need = int(t.objective_need[state.objective[c]])
        done = min(int(state.progress[seat, c]), need)
        out[t.at.chip + at] = min(int(state.chip[seat, c]), MOST_CHIP)
        out[t.at.progress + at] = min(done, MOST_NEED)
        out[t.at.needed + at] = min(need - done, MOST_NEED)


@kernel
def write_roofs(t: Table, state: State, seat: int, k: int, out: Mask) -> None:
    """Write the roofs of the ``k``-th seat: where they are, how high, and those left."""
    out[t.at.roofs_left + k] = state.roofs_left[seat]
    stride, roofs = int(t.at.site), t.at.roofs + k
    heights = t.at.roof_heights + k * COUNTED_HEIGHTS
    for roof in range(NUM_ROOFS - int(state.roofs_left[seat])):
        out[roofs + int(state.roof_site[seat, roof]) * stride] += 1
        height = int(state.roof_height[seat, roof])
        if height <= COUNTED_HEIGHTS:
            out[heights + height - 1] = 1
    out[t.at.visible + k] = visible_roofs(state, seat)
    write_tops(t, state, seat, k, out)


@kernel
def write_seat(t: Table, state: State, seat: int, k: int, out: Mask) -> None:
    """Write what a seat, the ``k``-th from the observer, has."""
    write_markers(t, state, seat, k, out)
    write_progress(t, state, seat, k, out)
    write_roofs(t, state, seat, k, out)
    out[t.at.score + k] = min(score_of(t, state, seat), MOST_SCORE)
    out[t.at.to_play + k] = state.to_play == seat
    out[t.at.counted + k] = state.counted[seat]


# What is shared -----------------------------------------------------------------------


@kernel
def write_market(t: Table, state: State, viewer: int, out: Mask) -> None:
    """Write what every market card gives."""
    for space in range(MARKET_SIZE):
        card = state.market[space]
        if card == NO_CARD:
            continue
        here = space * int(t.at.card)
        for colour in range(NUM_COLOURS):
            floors = int(t.card_floors[card, colour])
            out[t.at.card_floors + here + colour] = min(floors, MOST_ON_CARD)
        multicolour = int(t.card_multicolour[card])
        out[t.at.card_multicolour + here] = min(multicolour, MOST_ON_CARD)
        if t.card_steps[card] > 0:
            colour, steps = int(t.card_vehicle[card]), int(t.card_steps[card])
            out[t.at.card_vehicle + here + colour] = steps
            out[t.at.card_gain + here] = gain_of_roof(t, state, viewer, colour, steps)


@kernel
def write_common(t: Table, state: State, out: Mask) -> None:
    """Write objectives, supply and deck."""
    for k in range(OBJECTIVES_IN_PLAY):
        out[t.at.objective + k * NUM_OBJECTIVES + int(state.objective[k])] = 1
        if state.chips_taken[k] < state.num_seats:
            chip = int(t.chip_values[state.num_seats, state.chips_taken[k]])
            out[t.at.next_chip + k] = min(chip, MOST_CHIP)
    for colour in range(NUM_COLOURS):
        out[t.at.supply + colour] = min(int(state.supply[colour]), MOST_SUPPLY)
    out[t.at.deck] = state.deck_size


@kernel
def write_end(t: Table, state: State, out: Mask) -> None:
    """Write why the end was triggered and how close it is."""
    turn, limit = int(state.turn), int(state.max_turns)
    out[t.at.end_cause] = state.end_cause == EndCause.LAST_ROOF
    out[t.at.end_cause + 1] = state.end_cause == EndCause.SHORTAGE
    out[t.at.last_turns] = state.last_turns
    out[t.at.turn] = min(turn, MOST_TURNS_SEEN)
    out[t.at.turns_left] = min(limit - turn, MOST_TURNS_SEEN)
    out[t.at.turn_share] = turn * PERCENT // limit


@kernel
def write_pending(t: Table, state: State, out: Mask) -> None:
    """Write how many floors are to be chosen and which vehicle moves afterwards."""
    for k in range(int(state.agenda_size)):
        entry = state.agenda[k]
        if entry.step == Step.FLOOR:
            out[t.at.to_choose] += 1
        elif entry.step == Step.VEHICLE:
            out[t.at.vehicle + int(entry.colour)] = entry.steps


@kernel
def observe(tables: Tables, games: Games, g: int, seat: int, out: Mask) -> None:
    """Write what ``seat`` sees; the layout may have more seats or sites than the game."""
    t: Table = tables[0]
    state: State = games[g]
    out[:] = 0
    write_sites(t, state, seat, out)
    write_helps(t, state, seat, out)
    seats = int(state.num_seats)
    for k in range(seats):
        write_seat(t, state, seat_at(seat, k, seats), k, out)
    write_market(t, state, seat, out)
    write_common(t, state, out)
    write_end(t, state, out)
    if state.over == NOT_OVER:
        entry = top(state)
        out[t.at.decision + int(entry.step)] = 1
        if entry.step == Step.ROOF:
            out[t.at.new_building + int(entry.site) * int(t.at.site)] = 1
        elif entry.step == Step.FLOOR:
            write_pending(t, state, out)
