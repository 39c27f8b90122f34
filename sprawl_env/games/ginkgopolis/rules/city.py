"""The city: sites, the contour around them and the markers on it (ruling G4, GK §5)."""

from __future__ import annotations

from typing import Final

from sprawl_env.games.ginkgopolis.constants import (
    COMPASS,
    NO_SIDE,
    NO_SITE,
    NUM_DIRECTIONS,
    NUM_LETTERS,
    STEP_X,
    STEP_Y,
)
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.kernels.compile import kernel

_ROW: Final = 256  # a cell's number grows by this from one row to the next
NEAR: Final = 2  # greatest distance, in cells, that ``around`` records
# The four sites next to a cell, seen from the side that faces it; 3 is the one opposite.
BEHIND: Final = 0
RIGHT: Final = 1
LEFT: Final = 2


@kernel
def cell_x(state: State, side: int) -> int:
    """Return the column of the cell a side faces."""
    return int(state.site_x[side >> 2]) + STEP_X[2 * (side & 3)]


@kernel
def cell_y(state: State, side: int) -> int:
    """Return the row of the cell a side faces; rows count southwards."""
    return int(state.site_y[side >> 2]) + STEP_Y[2 * (side & 3)]


@kernel
def cell_of(state: State, side: int) -> int:
    """Return a number that identifies the cell a side faces."""
    return cell_y(state, side) * _ROW + cell_x(state, side)


@kernel
def add_site(state: State, x: int, y: int, tile: int, owner: int) -> int:
    """Put a tile on an empty cell as a building of one level; return its site."""
    site = int(state.num_sites)
    state.num_sites = site + 1
    state.site_x[site] = x
    state.site_y[site] = y
    state.site_tile[site] = tile
    state.levels[site] = 1
    state.owner[site] = owner
    state.site_of[tile] = site
    for other in range(site):
        dx = int(state.site_x[other]) - x
        dy = int(state.site_y[other]) - y
        if abs(dx) <= NEAR and abs(dy) <= NEAR:
            for direction in range(NUM_DIRECTIONS):
                if STEP_X[direction] == dx and STEP_Y[direction] == dy:
                    state.around[site, direction] = other
                    state.around[other, opposite(direction)] = site
    return site


@kernel
def opposite(direction: int) -> int:
    """Return the opposite direction."""
    if direction < COMPASS:
        return (direction + 4) % COMPASS
    return COMPASS + (direction - COMPASS + 2) % 4


@kernel
def beside_cell(state: State, side: int, k: int) -> int:
    """Return the ``k``-th of four sites next to the cell a side faces, NO_SITE if empty."""
    site, direction = side >> 2, side & 3
    if k == BEHIND:
        return site
    if k == RIGHT:
        return int(state.around[site, 2 * direction + 1])
    if k == LEFT:
        return int(state.around[site, (2 * direction + 7) % COMPASS])
    return int(state.around[site, COMPASS + direction])


@kernel
def next_side(state: State, side: int) -> int:
    """Return the next side clockwise on the contour; it crosses where tiles meet at a corner."""
    site, direction = side >> 2, side & 3
    ahead = (direction + 1) & 3
    corner = int(state.around[site, 2 * direction + 1])
    if corner != NO_SITE:
        return corner * 4 + ((direction + 3) & 3)
    beside = int(state.around[site, 2 * ahead])
    if beside != NO_SITE:
        return beside * 4 + direction
    return site * 4 + ahead


@kernel
def trace_contour(state: State) -> None:
    """Store the contour: the clockwise walk along all sides that face the outside (G4)."""
    for k in range(state.contour_length):
        state.contour_at[state.contour[k]] = NO_SIDE
    northmost = 0
    for site in range(1, int(state.num_sites)):
        if state.site_y[site] < state.site_y[northmost]:
            northmost = site
    start = northmost * 4
    side = start
    length = 0
    while True:
        state.contour[length] = side
        state.contour_at[side] = length
        length += 1
        side = next_side(state, side)
        if side == start:
            break
    state.contour_length = length


@kernel
def on_contour(state: State, letter: int) -> bool:
    """Return whether a marker leans on a side of the contour."""
    side = int(state.marker[letter])
    return bool(side != NO_SIDE and state.contour_at[side] != NO_SIDE)


@kernel
def is_free(state: State, side: int) -> bool:
    """Return whether the cell a side faces holds no marker (G4)."""
    cell = cell_of(state, side)
    for letter in range(NUM_LETTERS):
        if state.marker[letter] != NO_SIDE and cell_of(state, state.marker[letter]) == cell:
            return False
    return True
