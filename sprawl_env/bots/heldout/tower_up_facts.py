"""What a player of *Tower Up* counts on the board before a move: gains, chips, missing floors."""

from __future__ import annotations

from sprawl_env.games.tower_up.constants import (
    COUNTED_HEIGHTS,
    GREY_A,
    GREY_B,
    NO_CARD,
    NO_COLOUR,
    NUM_COLOURS,
    NUM_ROOFS,
    OBJECTIVES_IN_PLAY,
    ObjectiveKind,
)
from sprawl_env.games.tower_up.rules.end import score_of, stars_reached, visible_roofs
from sprawl_env.games.tower_up.rules.objectives import (
    border_buildings,
    districts_reached,
    grey_progress,
    heights_reached,
    largest_group,
)
from sprawl_env.games.tower_up.state import State
from sprawl_env.games.tower_up.tables import Table
from sprawl_env.kernels.bits import count_bits
from sprawl_env.kernels.compile import kernel


@kernel
def millions(t: Table, state: State, seat: int, colour: int, steps: int) -> int:
    """Return the millions that a marker gains by some steps."""
    now = int(state.marker[seat, colour])
    then = min(now + steps, int(t.marker_end))
    return int(t.marker_values[then]) - int(t.marker_values[now])


@kernel
def wins_turn(t: Table, state: State, seat: int, colour: int, steps: int) -> bool:
    """Return whether a marker's steps bring all four markers to a star column not used yet."""
    used = int(state.stars[seat])
    if used >= t.num_stars:
        return False
    column = int(t.star_columns[used])
    for other in range(NUM_COLOURS):
        at = int(state.marker[seat, other]) + (steps if other == colour else 0)
        if at < column:
            return False
    return True


@kernel
def star_steps(t: Table, state: State, seat: int, colour: int, steps: int) -> int:
    """Return how many of a marker's steps lead towards the next star column."""
    reached = stars_reached(t, state, seat)
    if reached >= t.num_stars:
        return 0
    return max(min(steps, int(t.star_columns[reached]) - int(state.marker[seat, colour])), 0)


@kernel
def standing(t: Table, state: State, seat: int) -> int:
    """Return a seat's millions as if its visible roofs were counted now."""
    total = score_of(t, state, seat)
    if state.counted[seat] == 0:
        total += int(t.cone_values[min(visible_roofs(state, seat), int(t.cone_end))])
    return total


@kernel
def lead(t: Table, state: State, seat: int) -> int:
    """Return a seat's standing less the best rival's."""
    best = -(1 << 15)
    for other in range(state.num_seats):
        if other != seat:
            best = max(best, standing(t, state, other))
    return standing(t, state, seat) - best


# ----------------------------------------------------------------------------------- objectives


@kernel
def counted_sites(t: Table, state: State, kind: int, colour: int, present: int) -> int:
    """Return the progress of an objective that counts buildings by their place or colour."""
    board = int(state.board)
    if kind == ObjectiveKind.PARKS:
        return count_bits(present & t.by_park[board])
    if kind == ObjectiveKind.LAKES:
        return count_bits(present & t.by_lake[board])
    if kind == ObjectiveKind.DISTRICTS:
        return districts_reached(t, state, present)
    if kind == ObjectiveKind.ADJACENT:
        return largest_group(t, state, present)
    if kind == ObjectiveKind.BORDERS:
        return border_buildings(t, state, present)
    if kind == ObjectiveKind.ONE_COLOUR:
        return count_bits(present & state.built[colour])
    a = count_bits(present & t.in_district[board, GREY_A])
    b = count_bits(present & t.in_district[board, GREY_B])
    return grey_progress(a, b)


@kernel
def progress_with(
    t: Table, state: State, seat: int, k: int, site: int, colour: int, height: int
) -> int:
    """Return the progress of objective ``k`` if the seat puts a roof on a site.

    Args:
        t: the tables.
        state: the game; the building need not stand yet.
        seat: the seat.
        k: the objective, by shape of its chip.
        site: where the roof goes.
        colour: of the building there.
        height: of the building, with the floor that the roof is put on.
    """
    objective = int(state.objective[k])
    kind = int(t.objective_kind[objective])
    present = int(state.present[seat])
    if kind == ObjectiveKind.COLOURS:
        reached = 0
        for other in range(NUM_COLOURS):
            reached += other == colour or (present & state.built[other]) != 0
        return reached
    if kind == ObjectiveKind.TWICE:
        twice = int(state.twice[seat]) | (present & (1 << site))
        return count_bits(twice)
    if kind == ObjectiveKind.HEIGHTS:
        new = 1 <= height <= COUNTED_HEIGHTS
        for roof in range(NUM_ROOFS - int(state.roofs_left[seat])):
            new = new and state.roof_height[seat, roof] != height
        return heights_reached(state, seat) + int(new)
    wanted = int(t.objective_colour[objective])
    count = counted_sites(t, state, kind, max(wanted, 0), present | (1 << site))
    if kind == ObjectiveKind.ONE_COLOUR and state.colour[site] == NO_COLOUR and colour == wanted:
        count += 1  # the building is not among those built yet
    return count


@kernel
def chips_with(t: Table, state: State, seat: int, site: int, colour: int, height: int) -> int:
    """Return the millions of the chips that a roof would win; arguments as ``progress_with``."""
    won = 0
    for k in range(OBJECTIVES_IN_PLAY):
        need = int(t.objective_need[state.objective[k]])
        roofs = NUM_ROOFS - int(state.roofs_left[seat]) + 1
        if state.fulfilled[seat, k] or roofs < need:
            continue
        if progress_with(t, state, seat, k, site, colour, height) >= need:
            won += int(t.chip_values[state.num_seats, state.chips_taken[k]])
    return won


@kernel
def helps_objectives(t: Table, state: State, seat: int, site: int, colour: int, height: int) -> int:
    """Return the millions of the chips that a roof brings nearer; as ``progress_with``."""
    helped = 0
    for k in range(OBJECTIVES_IN_PLAY):
        if state.fulfilled[seat, k] == 0:
            after = progress_with(t, state, seat, k, site, colour, height)
            if after > state.progress[seat, k]:
                helped += int(t.chip_values[state.num_seats, state.chips_taken[k]])
    return helped


# ------------------------------------------------------------------------------------- builds


@kernel
def floors_lacking(t: Table, state: State, seat: int, site: int, card: int) -> int:
    """Return how many floors a seat lacks to build on a site once it has taken a card.

    Args:
        t: the tables.
        state: the game.
        seat: the seat.
        site: an empty site beside a building.
        card: the card, NO_CARD for none.
    """
    lacking, may_be_new = 0, False
    for colour in range(NUM_COLOURS):
        held = int(state.reserve[seat, colour])
        if card != NO_CARD:
            held += int(t.card_floors[card, colour])
        price = int(state.adjacent[site, colour])
        lacking += max(price - held, 0)
        may_be_new = may_be_new or (price == 0 and held > 0)
    lacking += not may_be_new
    if card != NO_CARD:
        lacking = max(lacking - int(t.card_multicolour[card]), 0)
    return lacking


@kernel
def is_open(state: State, site: int) -> bool:
    """Return whether a site is empty, beside a building, and some colour may be built there."""
    beside, free = 0, 0
    for colour in range(NUM_COLOURS):
        beside += int(state.adjacent[site, colour])
        free += state.adjacent[site, colour] == 0
    return bool(state.colour[site] == NO_COLOUR and beside > 0 and free > 0)


@kernel
def best_roof_on(t: Table, state: State, seat: int, site: int) -> int:
    """Return the most millions of a roof after building on a site, whatever it costs."""
    best = 0
    for colour in range(NUM_COLOURS):
        steps = int(state.reach[site, colour]) + 1
        best = max(best, millions(t, state, seat, colour, steps))
    return best


@kernel
def best_building(t: Table, state: State, seat: int, card: int) -> int:
    """Return the most millions of a roof that a seat could pay for after taking a card."""
    best = 0
    if state.roofs_left[seat] > 0:
        for site in range(t.num_sites[state.board]):
            if is_open(state, site):
                gain = best_roof_on(t, state, seat, site)
                if gain > best and floors_lacking(t, state, seat, site, card) == 0:
                    best = gain
    return best
