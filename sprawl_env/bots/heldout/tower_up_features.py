"""The features of ``heldout:features`` for *Tower Up*.

A move is rated with all that belongs to it: a building with the best place of its roof.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sprawl_env.bots.heldout.books import Look, Numbers, weighted
from sprawl_env.bots.heldout.tower_up_facts import best_building, standing
from sprawl_env.core.state import NOT_OVER, Games, Tables
from sprawl_env.games.tower_up.actions import ROOF
from sprawl_env.games.tower_up.constants import (
    MAX_SITES,
    NO_CARD,
    NUM_COLOURS,
    OBJECTIVES_IN_PLAY,
    Step,
)
from sprawl_env.games.tower_up.rules.build import may_roof
from sprawl_env.games.tower_up.rules.end import stars_reached
from sprawl_env.games.tower_up.rules.entry_points import play
from sprawl_env.games.tower_up.state import State
from sprawl_env.games.tower_up.tables import Table
from sprawl_env.kernels.agenda import top
from sprawl_env.kernels.arrays import Mask
from sprawl_env.kernels.compile import kernel

WEIGHTS: Final = {
    "millions": 1.0,  # as if the visible roofs counted now
    "star columns reached": 6.0,
    "steps below the next star column": -0.8,  # of all markers
    "kinds of floors held": 1.3,
    "second floors held": 0.9,  # colours of which two or more are held
    "further floors held": 0.1,
    "floors still to choose": 0.3,
    "roofs left": 1.8,
    "chips in reach": 0.7,  # millions, in proportion to the square of the progress
    "the best roof in reach": 0.25,  # millions
    "rivals' millions": -0.25,  # the best rival's
    "rivals' best roof in reach": -0.6,  # the best rival's
    "ahead at the end": 3.0,  # 1 or -1, once the game is over
}


@kernel
def write_reserve(state: State, seat: int, out: Numbers) -> None:
    """Write the features of the floors that a seat holds."""
    out[3] = out[4] = out[5] = 0.0
    for colour in range(NUM_COLOURS):
        held = int(state.reserve[seat, colour])
        out[3] += held > 0
        out[4] += held > 1
        out[5] += max(held - 2, 0)
    out[6] = 0.0
    for k in range(state.agenda_size):
        out[6] += state.agenda[k].step == Step.FLOOR


@kernel
def write_markers(t: Table, state: State, seat: int, out: Numbers) -> None:
    """Write the features of star columns and objectives."""
    reached = stars_reached(t, state, seat)
    out[1] = reached
    out[2] = 0.0
    if reached < t.num_stars:
        for colour in range(NUM_COLOURS):
            out[2] += max(int(t.star_columns[reached]) - int(state.marker[seat, colour]), 0)
    out[8] = 0.0
    for k in range(OBJECTIVES_IN_PLAY):
        if state.fulfilled[seat, k] == 0:
            share = int(state.progress[seat, k]) / int(t.objective_need[state.objective[k]])
            chip = int(t.chip_values[state.num_seats, state.chips_taken[k]])
            out[8] += chip * share * share


@kernel
def write_features(t: Table, state: State, seat: int, out: Numbers) -> None:
    """Write the features of a position for a seat, in the order of ``WEIGHTS``."""
    out[0] = standing(t, state, seat)
    write_markers(t, state, seat, out)
    write_reserve(state, seat, out)
    out[7] = int(state.roofs_left[seat])
    out[9] = best_building(t, state, seat, NO_CARD)
    out[10], out[11] = -1e3, 0.0
    for other in range(state.num_seats):
        if other != seat:
            out[10] = max(out[10], standing(t, state, other))
            out[11] = max(out[11], best_building(t, state, other, NO_CARD))
    out[12] = 0.0
    if state.over != NOT_OVER:
        out[12] = 1.0 if out[0] > out[10] else -1.0


@kernel
def rate_position(t: Table, state: State, seat: int, features: Numbers, weights: Numbers) -> float:
    """Return the sum of a position's features, each times its weight."""
    write_features(t, state, seat, features)
    return weighted(features, weights)


@kernel
def rate(
    tables: Tables,
    games: Games,
    action: int,
    seat: int,
    mask: Mask,
    features: Numbers,
    weights: Numbers,
) -> float:
    """Return the rating of an action of ``games[0]`` (``Look.rate``)."""
    t: Table = tables[0]
    games[1] = games[0]
    play(tables, games, 1, action)
    state: State = games[1]
    if state.over != NOT_OVER or top(state).step != Step.ROOF:
        return rate_position(t, state, seat, features, weights)
    new = int(top(state).site)
    best = -np.inf
    for site in range(MAX_SITES):
        if may_roof(t, state, new, site):
            games[2] = games[1]
            play(tables, games, 2, ROOF + site)
            best = max(best, rate_position(t, games[2], seat, features, weights))
    return best


LOOK: Final = Look(WEIGHTS, rate)
