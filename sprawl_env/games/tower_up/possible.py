"""Whether a position of *Tower Up* is possible, compiled: to check millions of positions.

It decides the same as :func:`~sprawl_env.games.tower_up.invariants.violations`, which says in words
what is wrong, and shares no code with it.
"""

from __future__ import annotations

from typing import Final

from sprawl_env.core.state import NOBODY, NOT_OVER, TRUNCATED, Games, Tables
from sprawl_env.games.tower_up.constants import (
    BOARD_4P,
    MARKET_SIZE,
    MAX_HEIGHT,
    MAX_SEATS,
    MAX_SITES,
    MIN_SEATS,
    MOST_CARD_FLOORS,
    MOST_STEPS,
    NO_CARD,
    NO_COLOUR,
    NO_SITE,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_OBJECTIVES,
    NUM_ROOFS,
    OBJECTIVES_IN_PLAY,
    EndCause,
    Step,
)
from sprawl_env.games.tower_up.rules.end import stars_reached
from sprawl_env.games.tower_up.rules.objectives import progress_of
from sprawl_env.games.tower_up.state import AGENDA_DEPTH, State
from sprawl_env.games.tower_up.tables import Table
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.limits import within

ALL_SITES: Final = (1 << MAX_SITES) - 1
ALL_CARDS: Final = (1 << NUM_CARDS) - 1
MOST_HELD: Final = 127
MOST_PLIES: Final = 10**6
FIRST_DECISION: Final = 2  # entry of the agenda above END_OF_TURN and RETURN


@kernel
def board_in_range(t: Table, state: State) -> bool:
    """Check the options and every number about the board."""
    return (
        MIN_SEATS <= state.num_seats <= MAX_SEATS
        and 0 <= state.board <= BOARD_4P
        and within(state.colour, NO_COLOUR, NUM_COLOURS - 1)
        and within(state.height, 0, MAX_HEIGHT)
        and within(state.top, NOBODY, MAX_SEATS - 1)
        and within(state.topped, 0, ALL_SITES)
        and within(state.adjacent, 0, MAX_HEIGHT)
        and within(state.reach, 0, MAX_HEIGHT)
        and within(state.built, 0, ALL_SITES)
        and within(state.present, 0, ALL_SITES)
        and within(state.twice, 0, ALL_SITES)
        and within(state.roof_site, NO_SITE, MAX_SITES - 1)
        and within(state.roof_height, 0, MAX_HEIGHT)
    )


@kernel
def seats_in_range(t: Table, state: State) -> bool:
    """Check every number about the seats."""
    return (
        NOBODY <= state.to_play < state.num_seats
        and within(state.reserve, 0, MOST_HELD)
        and within(state.roofs_left, 0, NUM_ROOFS)
        and within(state.marker, 0, t.marker_end)
        and within(state.stars, 0, t.num_stars)
        and within(state.cone, 0, t.cone_end)
        and within(state.counted, 0, 1)
        and within(state.progress, 0, MAX_SITES)
        and within(state.chip, 0, MOST_HELD)
        and within(state.fulfilled, 0, 1)
    )


@kernel
def common_in_range(t: Table, state: State) -> bool:
    """Check every number about what is shared."""
    return (
        state.rng >= 1
        and 0 <= state.ply <= MOST_PLIES
        and 0 <= state.turn <= state.max_turns
        and NOT_OVER <= state.over <= TRUNCATED
        and within(state.supply, 0, t.floors_per_colour)
        and within(state.objective, 0, NUM_OBJECTIVES - 1)
        and within(state.chips_taken, 0, state.num_seats)
        and within(state.market, NO_CARD, NUM_CARDS - 1)
        and within(state.deck, 0, NUM_CARDS - 1)
        and 0 <= state.deck_size <= NUM_CARDS
        and within(state.discards, 0, NUM_CARDS - 1)
        and 0 <= state.num_discards <= NUM_CARDS - MARKET_SIZE + 1
        and EndCause.NONE <= state.end_cause <= EndCause.SHORTAGE
        and 0 <= state.last_turns <= state.num_seats
        and (0 if state.over else 1) <= state.agenda_size <= AGENDA_DEPTH
    )


@kernel
def agenda_possible(t: Table, state: State) -> bool:
    """Check that a turn is END_OF_TURN, RETURN and one decision with its later steps."""
    size = int(state.agenda_size)
    if state.over != NOT_OVER:
        return bool(state.to_play == NOBODY and size == 0)
    seat = int(state.to_play)
    if seat == NOBODY or size < FIRST_DECISION:
        return False
    for k in range(size):
        if state.agenda[k].seat != seat:
            return False
    if state.agenda[0].step != Step.END_OF_TURN or state.agenda[1].step != Step.RETURN:
        return False
    empty_spaces = 0
    for space in range(MARKET_SIZE):
        empty_spaces += state.market[space] == NO_CARD
    if size == FIRST_DECISION:
        held = 0
        for colour in range(NUM_COLOURS):
            held += state.reserve[seat, colour]
        return bool(empty_spaces == 0 and held > t.reserve_limit)
    entry = state.agenda[FIRST_DECISION]
    if entry.step == Step.TURN:
        return bool(size == FIRST_DECISION + 1 and empty_spaces == 0)
    if entry.step == Step.ROOF:
        new = int(entry.site)
        alone = size == FIRST_DECISION + 1 and empty_spaces == 0
        if not alone or new < 0 or new >= MAX_SITES:
            return False
        return bool(state.height[new] == 1 and state.roofs_left[seat] > 0)
    return empty_spaces == 1 and taking_possible(state)


@kernel
def taking_possible(state: State) -> bool:
    """Check the steps of taking a card: REFILL, perhaps VEHICLE, floors to choose."""
    refill, first = state.agenda[FIRST_DECISION], FIRST_DECISION + 1
    space = int(refill.space)
    if refill.step != Step.REFILL or space < 0 or space >= MARKET_SIZE:
        return False
    if state.market[space] != NO_CARD:
        return False
    size = int(state.agenda_size)
    if first < size and state.agenda[first].step == Step.VEHICLE:
        vehicle = state.agenda[first]
        first += 1
        if vehicle.colour < 0 or vehicle.colour >= NUM_COLOURS:
            return False
        if vehicle.steps < 1 or vehicle.steps > MOST_STEPS:
            return False
    for k in range(first, size):
        if state.agenda[k].step != Step.FLOOR:
            return False
    return 1 <= size - first <= MOST_CARD_FLOORS


@kernel
def buildings_possible(t: Table, state: State) -> bool:
    """Check the buildings and what is derived from them."""
    sites = int(t.num_sites[state.board])
    for site in range(MAX_SITES):
        colour, height = int(state.colour[site]), int(state.height[site])
        if (colour == NO_COLOUR) != (height == 0) or (site >= sites and height > 0):
            return False
        if colour != NO_COLOUR and state.adjacent[site, colour] > 0:
            return False
        for wanted in range(NUM_COLOURS):
            count, tallest = 0, 0
            for k in range(t.num_streets[state.board, site]):
                other = int(t.streets[state.board, site, k])
                if state.colour[other] == wanted:
                    count += 1
                    tallest = max(tallest, int(state.height[other]))
            if state.adjacent[site, wanted] != count or state.reach[site, wanted] != tallest:
                return False
            if (int(state.built[wanted]) >> site & 1) != (colour == wanted):
                return False
    return True


@kernel
def roofs_possible(state: State) -> bool:
    """Check every seat's roofs, and which of them are the tops of buildings."""
    for seat in range(state.num_seats):
        present, twice = 0, 0
        placed = NUM_ROOFS - int(state.roofs_left[seat])
        for roof in range(NUM_ROOFS):
            site, height = int(state.roof_site[seat, roof]), int(state.roof_height[seat, roof])
            if (site == NO_SITE) != (roof >= placed):
                return False
            if site == NO_SITE:
                continue
            if height < 1 or height > state.height[site]:
                return False
            twice |= present & 1 << site
            present |= 1 << site
        if state.present[seat] != present or state.twice[seat] != twice:
            return False
    return tops_possible(state)


@kernel
def highest_roof(state: State, site: int) -> int:
    """Return the height and the seat of a site's highest roof, ``height * MAX_SEATS + seat``."""
    best = 0
    for seat in range(state.num_seats):
        for roof in range(NUM_ROOFS - int(state.roofs_left[seat])):
            if state.roof_site[seat, roof] == site:
                best = max(best, int(state.roof_height[seat, roof]) * MAX_SEATS + seat)
    return best


@kernel
def tops_possible(state: State) -> bool:
    """Check whose roof is the top of each building."""
    for site in range(MAX_SITES):
        best, top = highest_roof(state, site), NOBODY
        if best > 0 and best // MAX_SEATS == state.height[site]:
            top = best % MAX_SEATS
        if state.top[site] != top:
            return False
        for seat in range(MAX_SEATS):
            if (int(state.topped[seat]) >> site & 1) != (top == seat):
                return False
    return True


@kernel
def stock_possible(t: Table, state: State) -> bool:
    """Check that every floor and every card is in exactly one place."""
    for colour in range(NUM_COLOURS):
        floors = int(state.supply[colour])
        for seat in range(state.num_seats):
            floors += int(state.reserve[seat, colour])
        for site in range(MAX_SITES):
            floors += int(state.height[site]) * int(state.colour[site] == colour)
        if floors != t.floors_per_colour:
            return False
    seen, count = 0, int(state.deck_size) + int(state.num_discards)
    for k in range(state.deck_size):
        seen |= 1 << int(state.deck[k])
    for k in range(state.num_discards):
        seen |= 1 << int(state.discards[k])
    for space in range(MARKET_SIZE):
        if state.market[space] != NO_CARD:
            seen |= 1 << int(state.market[space])
            count += 1
    return seen == ALL_CARDS and count == NUM_CARDS


@kernel
def chips_possible(t: Table, state: State, k: int) -> bool:
    """Check that the ``k``-th objective has given its best chips, each to one seat."""
    have = 0
    for seat in range(MAX_SEATS):
        if seat < state.num_seats and state.fulfilled[seat, k]:
            have += 1
        elif state.chip[seat, k] != 0:
            return False
    if state.chips_taken[k] != have:
        return False
    for rank in range(have):
        value, of_seats, of_ranks = int(t.chip_values[state.num_seats, rank]), 0, 0
        for other in range(have):
            of_ranks += t.chip_values[state.num_seats, other] == value
        for seat in range(state.num_seats):
            of_seats += bool(state.fulfilled[seat, k]) & (state.chip[seat, k] == value)
        if of_seats != of_ranks:
            return False
    return True


@kernel
def gains_possible(t: Table, state: State) -> bool:
    """Check objectives, chips and star columns."""
    for k in range(OBJECTIVES_IN_PLAY):
        for other in range(k):
            if state.objective[other] == state.objective[k]:
                return False
        if not chips_possible(t, state, k):
            return False
    size = int(state.agenda_size)
    in_turn = size > 0 and state.agenda[size - 1].step != Step.TURN
    for seat in range(state.num_seats):
        if not progress_possible(t, state, seat):
            return False
        late = state.over != NOT_OVER or (in_turn and seat == state.to_play)
        reached = stars_reached(t, state, seat)
        if state.stars[seat] > reached or (state.stars[seat] < reached and not late):
            return False
    return True


@kernel
def progress_possible(t: Table, state: State, seat: int) -> bool:
    """Check a seat's progress towards the objectives in play."""
    for k in range(OBJECTIVES_IN_PLAY):
        need = int(t.objective_need[state.objective[k]])
        now, true = int(state.progress[seat, k]), progress_of(t, state, seat, state.objective[k])
        if state.fulfilled[seat, k]:
            if now < need or now > true:
                return False
        elif now != true or now >= need:
            return False
    return True


@kernel
def end_possible(state: State) -> bool:
    """Check the cause of the end, which seats have counted, which have a last turn."""
    counted, seats = 0, int(state.num_seats)
    for seat in range(MAX_SEATS):
        counted += int(state.counted[seat])
        if state.cone[seat] > 0 and state.counted[seat] == 0:
            return False
        if seat >= seats and state.counted[seat] > 0:
            return False
    if state.over != NOT_OVER:
        return counted == seats
    if state.end_cause == EndCause.NONE:
        return bool(counted == 0 and state.last_turns == 0)
    if state.last_turns == 0:
        return counted == 0
    return counted == seats - int(state.last_turns)


@kernel
def is_possible(tables: Tables, games: Games, g: int) -> bool:
    """Return whether game ``g`` can be reached, as far as its parts can tell."""
    t: Table = tables[0]
    state: State = games[g]
    if not (board_in_range(t, state) and seats_in_range(t, state) and common_in_range(t, state)):
        return False
    return (
        agenda_possible(t, state)
        and buildings_possible(t, state)
        and roofs_possible(state)
        and stock_possible(t, state)
        and gains_possible(t, state)
        and end_possible(state)
    )
