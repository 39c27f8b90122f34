"""TU §6: the ten objectives, each as a seat's progress towards the number it needs.

Presence is never lost and only the acting seat gains any (T13), so progress is computed once,
for that seat, after its roof is placed.
"""

from __future__ import annotations

from sprawl_env.games.tower_up.constants import (
    COUNTED_HEIGHTS,
    GREY_A,
    GREY_B,
    NUM_COLOURS,
    NUM_DISTRICTS,
    NUM_ROOFS,
    OBJECTIVES_IN_PLAY,
    ObjectiveKind,
)
from sprawl_env.games.tower_up.state import State
from sprawl_env.games.tower_up.tables import Table
from sprawl_env.kernels.bits import count_bits
from sprawl_env.kernels.compile import kernel

GREY_MANY = 3  # objective 7: this many buildings of one grey district
GREY_FEW = 2  # and this many of the other


@kernel
def colours_reached(state: State, present: int) -> int:
    """Objective 1: return how many building colours the seat is present in."""
    count = 0
    for colour in range(NUM_COLOURS):
        count += (present & state.built[colour]) != 0
    return count


@kernel
def districts_reached(t: Table, state: State, present: int) -> int:
    """Objective 3: return how many districts the seat is present in."""
    count = 0
    for district in range(NUM_DISTRICTS):
        count += (present & t.in_district[state.board, district]) != 0
    return count


@kernel
def largest_group(t: Table, state: State, present: int) -> int:
    """Objective 5: return the size of the seat's largest connected group (T5)."""
    left = int(present)
    largest = 0
    while left:
        group = left & -left
        grown = 0
        while group != grown:
            grown = group
            for site in range(t.num_sites[state.board]):
                if (grown >> site) & 1:
                    group |= t.next_to[state.board, site] & present
        left &= ~group
        largest = max(largest, count_bits(group))
    return largest


@kernel
def grey_progress(a: int, b: int) -> int:
    """Objective 7: return how many of ``a`` and ``b`` buildings in the grey districts count."""
    return max(min(a, GREY_MANY) + min(b, GREY_FEW), min(a, GREY_FEW) + min(b, GREY_MANY))


@kernel
def grey_buildings(t: Table, state: State, present: int) -> int:
    """Objective 7: return the buildings that count towards three and two in the districts."""
    a = count_bits(present & t.in_district[state.board, GREY_A])
    b = count_bits(present & t.in_district[state.board, GREY_B])
    return grey_progress(a, b)


@kernel
def border_buildings(t: Table, state: State, present: int) -> int:
    """Objective 8: return the most buildings on both sides of any two borders (T6)."""
    most = 0
    for k in range(t.num_crossings[state.board]):
        most = max(most, count_bits(present & t.crossings[state.board, k]))
    return most


@kernel
def heights_reached(state: State, seat: int) -> int:
    """Objective 10: return at how many of the heights 1, 2, 3, 4 the seat has a roof."""
    heights = 0  # bit set
    for roof in range(NUM_ROOFS - int(state.roofs_left[seat])):
        heights |= 1 << int(state.roof_height[seat, roof])
    return count_bits(heights & (((1 << COUNTED_HEIGHTS) - 1) << 1))


@kernel
def progress_of(t: Table, state: State, seat: int, objective: int) -> int:
    """Return a seat's progress towards the number an objective needs (TU §6, T12)."""
    kind = t.objective_kind[objective]
    board = state.board
    present = int(state.present[seat])
    if kind == ObjectiveKind.COLOURS:
        return colours_reached(state, present)
    if kind == ObjectiveKind.PARKS:
        return count_bits(present & t.by_park[board])
    if kind == ObjectiveKind.DISTRICTS:
        return districts_reached(t, state, present)
    if kind == ObjectiveKind.LAKES:
        return count_bits(present & t.by_lake[board])
    if kind == ObjectiveKind.ADJACENT:
        return largest_group(t, state, present)
    if kind == ObjectiveKind.ONE_COLOUR:
        return count_bits(present & state.built[t.objective_colour[objective]])
    if kind == ObjectiveKind.GREY_DISTRICTS:
        return grey_buildings(t, state, present)
    if kind == ObjectiveKind.BORDERS:
        return border_buildings(t, state, present)
    if kind == ObjectiveKind.TWICE:
        return count_bits(state.twice[seat])
    return heights_reached(state, seat)


@kernel
def claim_objectives(t: Table, state: State, seat: int) -> None:
    """Take the best chip left for every newly fulfilled objective, once each (TU §6)."""
    for k in range(OBJECTIVES_IN_PLAY):
        if state.fulfilled[seat, k] == 1:
            continue
        objective = state.objective[k]
        progress = progress_of(t, state, seat, objective)
        state.progress[seat, k] = progress
        if progress >= t.objective_need[objective]:
            state.fulfilled[seat, k] = 1
            state.chip[seat, k] = t.chip_values[state.num_seats, state.chips_taken[k]]
            state.chips_taken[k] += 1
