"""The heuristic of *Tower Up*: the value of a position for a seat, in millions.

The value is the score and an estimate of what will score later.  It uses only what the seat can
know, so never the deck.
"""

from __future__ import annotations

from typing import Final

from sprawl_env.core.heuristic import Heuristic
from sprawl_env.core.state import NOT_OVER, Games, Tables
from sprawl_env.games.tower_up.constants import (
    NUM_COLOURS,
    OBJECTIVES_IN_PLAY,
    Step,
)
from sprawl_env.games.tower_up.rules.build import may_roof
from sprawl_env.games.tower_up.rules.end import score_of, visible_roofs
from sprawl_env.games.tower_up.state import State
from sprawl_env.games.tower_up.tables import Table
from sprawl_env.kernels.agenda import top
from sprawl_env.kernels.compile import kernel

FLOOR: Final = 0.55  # a floor in the reserve
SPARE_FLOOR: Final = 0.15  # a floor beyond those of its colour likely to be used soon
USEFUL_FLOORS: Final = 3
VISIBLE: Final = 0.7  # share of what the cone would score now; a roof may still be covered
EXTRA_TURN: Final = 2.5
STAR_STEP: Final = 0.25  # one step of a marker towards the next star column
OBJECTIVE: Final = 0.6  # share of a chip, in proportion to the progress made
RIVAL: Final = 0.35  # weight of the best rival, subtracted


@kernel
def reserve_value(state: State, seat: int) -> float:
    """Return the value of the reserve; the first few floors of a colour are worth more."""
    value = 0.0
    for colour in range(NUM_COLOURS):
        held = int(state.reserve[seat, colour])
        useful = min(held, USEFUL_FLOORS)
        value += useful * FLOOR + (held - useful) * SPARE_FLOOR
    return value


@kernel
def star_value(t: Table, state: State, seat: int) -> float:
    """Return the value of extra turns won and of steps towards the next one."""
    value = EXTRA_TURN * int(state.stars[seat])
    if state.stars[seat] < t.num_stars:
        column = int(t.star_columns[state.stars[seat]])
        for colour in range(NUM_COLOURS):
            value += STAR_STEP * min(int(state.marker[seat, colour]), column)
    return value


@kernel
def objective_value(t: Table, state: State, seat: int) -> float:
    """Return the value of progress towards the chips still available."""
    value = 0.0
    for k in range(OBJECTIVES_IN_PLAY):
        if state.fulfilled[seat, k] == 0:
            chip = int(t.chip_values[state.num_seats, state.chips_taken[k]])
            need = int(t.objective_need[state.objective[k]])
            value += OBJECTIVE * chip * int(state.progress[seat, k]) / need
    return value


@kernel
def holding_value(t: Table, state: State, seat: int) -> float:
    """Return the value of everything a seat has."""
    cone = 0.0
    if state.counted[seat] == 0:
        visible = min(visible_roofs(state, seat), int(t.cone_end))
        cone = VISIBLE * t.cone_values[visible]
    return (
        float(score_of(t, state, seat))
        + cone
        + reserve_value(state, seat)
        + star_value(t, state, seat)
        + objective_value(t, state, seat)
    )


@kernel
def best_roof(t: Table, state: State, seat: int, new: int) -> float:
    """Return what the best site for a roof that is still to be placed would score."""
    best = 0.0
    for site in range(t.num_sites[state.board]):
        if may_roof(t, state, new, site):
            colour = state.colour[site]
            now = int(state.marker[seat, colour])
            then = min(now + int(state.height[site]), int(t.marker_end))
            gain = float(t.marker_values[then]) - float(t.marker_values[now])
            best = max(best, gain + STAR_STEP * (then - now))
    return best


@kernel
def value(tables: Tables, games: Games, g: int, seat: int) -> float:
    """Return the value of game ``g`` for ``seat``."""
    t: Table = tables[0]
    state: State = games[g]
    rival = -1e9
    for other in range(state.num_seats):
        if other != seat:
            rival = max(rival, holding_value(t, state, other))
    total = holding_value(t, state, seat) - RIVAL * rival
    if state.over == NOT_OVER:
        entry = top(state)
        if entry.step == Step.ROOF and entry.seat == seat:
            total += best_roof(t, state, seat, int(entry.site))
    return total


@kernel
def plan_value(tables: Tables, games: Games, g: int, seat: int) -> float:
    """Return an estimate of the final score of ``seat``."""
    return holding_value(tables[0], games[g], seat)


HEURISTIC: Final = Heuristic(
    value=value,
    plan_value=plan_value,
    plan_turns=8,
    expert="planner:candidates=4,playouts=8,turns=4",  # wins nine of ten games against greedy
)
