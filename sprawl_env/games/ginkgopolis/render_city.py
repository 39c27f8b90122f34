"""The city of *Ginkgopolis* as a part of a picture: buildings, markers, and what was just done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from sprawl_env.core.rules import View
from sprawl_env.core.state import NOBODY, NOT_OVER, Games
from sprawl_env.core.words import counted
from sprawl_env.games.ginkgopolis.actions import ACTIONS, BESIDE, CARD, PLACE, WITH_TILE
from sprawl_env.games.ginkgopolis.constants import (
    HAL,
    LETTERS,
    NO_CARD,
    NO_SIDE,
    NO_SITE,
    NUM_COLOURS,
    NUM_LETTERS,
    NUM_PLACES,
    NUMBERS,
    START_TILES,
    STEP_X,
    STEP_Y,
    Step,
)
from sprawl_env.games.ginkgopolis.names import (
    cell_beside,
    decision_of,
    moving_letter,
    place_of,
    step_of,
)
from sprawl_env.games.ginkgopolis.render_cards import TILES, draw_owner, short_name
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tips import (
    GAINS,
    OWNER_TIP,
    WORKER_TIP,
    gains_in_words,
)
from sprawl_env.games.ginkgopolis.wording import tile_name
from sprawl_env.render.picture import BOARD, Part, Picture
from sprawl_env.render.shapes import (
    INK,
    LEAST_SIZE,
    PAPER,
    QUIET,
    SEAT_COLOURS,
    Circle,
    Point,
    Polygon,
    Rect,
    Shape,
)

CITY_HEIGHT: Final = 440.0  # unless a higher city needs more
MOST_CELL: Final = 76.0
LEAST_CELL: Final = 22.0  # a target fills 0.9 of it
SHORT_NAMES: Final = 21.0  # in cells smaller than this, the fill alone shows the colour
EDGE: Final = 6.0
INSET: Final = 0.08  # of a building from its cell's sides, as a share of the cell
MOST_LEVELS: Final = 5  # that are drawn one above the other
Cell = tuple[int, int]


def moving_places(games: Games, g: int, view: View) -> dict[Cell, int]:
    """Return the actions that put a marker on a cell."""
    state: State = games[g]
    if state.over != NOT_OVER or step_of(state) != Step.MARKER:
        return {}
    decision = decision_of(state)
    letter, site = int(decision.letter), int(decision.site)
    cells = {}
    for direction in range(4):
        if BESIDE + direction in view.names:
            cells[cell_beside(state, site * 4 + direction)] = BESIDE + direction
    for number in range(NUM_PLACES):
        if PLACE + number in view.names:
            side = place_of(games, g, letter, number)
            if side != NO_SIDE:
                cells[cell_beside(state, side)] = PLACE + number
    return cells


def draw_city(picture: Picture, state: State, view: View, places: Mapping[Cell, int]) -> None:
    """Add the board; ``places`` are the actions that put a marker on a cell."""
    part = picture.part("board", "the city", BOARD, columns=2)
    sites = _sites(state)
    markers = _markers(state)
    grid = _Grid(part, [*sites, *markers.values(), *places])
    for cell, site in sites.items():
        _building(part, state, grid, site, cell)
    for letter, cell in markers.items():
        _marker(part, grid, letter, cell)
    for shape in _marks(state, view, grid):
        part.add(shape)
    for cell, site in sites.items():
        tile = int(state.site_tile[site])
        part.target(
            view, [CARD + NUM_LETTERS + tile], grid.box(cell), _building_tip(state, view, site)
        )
    for letter, cell in markers.items():
        part.target(view, [CARD + letter], grid.box(cell), _marker_tip(state, letter))
    for cell, action in places.items():
        tip = f"Put marker {LETTERS[moving_letter(state)]} here."
        part.target(view, [action], grid.box(cell), tip)


class _Grid:
    """Where the cells of the city are drawn; it sets the height of the board."""

    def __init__(self, part: Part, cells: Sequence[Cell]) -> None:
        columns, rows = [x for x, _ in cells], [y for _, y in cells]
        wide, high = max(columns) - min(columns) + 1, max(rows) - min(rows) + 1
        fits = max((CITY_HEIGHT - 2 * EDGE) / high, LEAST_CELL)
        self.cell = min(MOST_CELL, (part.width - 2 * EDGE) / wide, fits)
        part.height = max(CITY_HEIGHT, high * self.cell + 2 * EDGE)
        self.left = (part.width - wide * self.cell) / 2 - min(columns) * self.cell
        self.top = (part.height - high * self.cell) / 2 - min(rows) * self.cell

    def at(self, cell: Cell) -> Point:
        """Return the top left corner of a cell."""
        return self.left + cell[0] * self.cell, self.top + cell[1] * self.cell

    def middle(self, cell: Cell) -> Point:
        """Return the centre of a cell."""
        x, y = self.at(cell)
        return x + self.cell / 2, y + self.cell / 2

    def box(self, cell: Cell, inset: float = 0.05) -> Rect:
        """Return a square in a cell, ``inset`` a share of the cell."""
        (x, y), gap = self.at(cell), self.cell * inset
        side = self.cell - 2 * gap
        return Rect(x + gap, y + gap, side, side, 4)


def _sites(state: State) -> dict[Cell, int]:
    """Return the sites by their cells."""
    return {
        (int(state.site_x[site]), int(state.site_y[site])): site
        for site in range(int(state.num_sites))
    }


def _markers(state: State) -> dict[int, Cell]:
    """Return the cells of the markers by their letters."""
    return {
        letter: cell_beside(state, side)
        for letter, side in enumerate(state.marker.tolist())
        if side != NO_SIDE
    }


# --------------------------------------------------------------------------- buildings and markers


def _building(part: Part, state: State, grid: _Grid, site: int, cell: Cell) -> None:
    """Draw the top tile with its levels, its owner and its worker."""
    tile, owner = int(state.site_tile[site]), int(state.owner[site])
    levels = int(state.levels[site])
    (x, y), size = grid.at(cell), grid.cell
    lift, start = size * 0.045, size * INSET
    shown = min(levels, MOST_LEVELS)
    side = size - 2 * start - lift * (shown - 1)
    for level in range(shown - 1, -1, -1):
        corner = (x + start + lift * level, y + start + lift * level)
        fill = TILES[tile // NUMBERS]
        part.add(Rect(*corner, side, side, 2, fill=fill, stroke=INK, stroke_width=0.9))
    name = short_name(tile) if size >= SHORT_NAMES else str(tile % NUMBERS + 1)
    left, text = x + size * 0.12, max(size * 0.25, LEAST_SIZE)
    part.text(left, y + start + text * 0.95, name, text, width=size * 0.86, bold=True)
    low, radius = y + start + side, max(size * 0.13, 3.6)
    if levels > 1 or owner != NOBODY:
        height = "x" * (size > 2 * LEAST_CELL - EDGE) + str(levels)
        part.text(left, low - size * 0.07, height, max(size * 0.2, LEAST_SIZE))
    right = x + start + side - radius - size * 0.06
    if int(state.workers) >> tile & 1 and text > LEAST_SIZE:
        _worker(part, right + size * 0.04, y + start + size * 0.17, size * 0.08)
    elif int(state.workers) >> tile & 1:  # a small building has no space in this corner
        _worker(part, right - radius * 2.2, low - radius - size * 0.06, size * 0.07)
    if owner != NOBODY:
        draw_owner(part, state, right, low - radius - size * 0.05, radius, owner)


def _worker(part: Part, x: float, y: float, half: float) -> None:
    points = ((x, y - 1.4 * half), (x + half, y + half), (x - half, y + half))
    part.add(Polygon(points, fill=INK))


def draw_worker(part: Part, x: float, y: float) -> None:
    """Draw a worker for the legend."""
    _worker(part, x, y, 4.0)


def _marker(part: Part, grid: _Grid, letter: int, cell: Cell) -> None:
    (x, y), size = grid.middle(cell), max(grid.cell * 0.3, LEAST_SIZE)
    part.add(Circle(x, y, grid.cell * 0.3, fill=PAPER, stroke=QUIET, stroke_width=1.2))
    part.text(x, y + size * 0.36, LETTERS[letter], size, anchor="middle", bold=True)


def _building_tip(state: State, view: View, site: int) -> str:
    """Return what a building is, yields and costs to build over."""
    tile, owner = int(state.site_tile[site]), int(state.owner[site])
    levels = int(state.levels[site])
    what = f"Building {tile_name(tile)}, {counted(levels, 'level')}. "
    gain = GAINS[tile // NUMBERS]
    does = f"Exploiting it gives {counted(levels, gain)}. "
    if int(state.workers) >> tile & 1:
        return f"{what}{_owned(state, view, owner)}{does}{WORKER_TIP}"
    return (
        f"{what}{_owned(state, view, owner)}{does}Building on it takes "
        f"{counted(levels + 1, 'resource')}, 1 more with a tile that is not "
        f"{tile_name(tile).split()[0]}, and a point for each number below {tile % NUMBERS + 1}."
    )


def _owned(state: State, view: View, owner: int) -> str:
    if owner == NOBODY:
        return "It has no owner. "
    solo = state.num_seats == 1 and owner == HAL
    return f"Owner: {'Hal' if solo else view.seat_name(owner)}. {OWNER_TIP} "


def yields_beside(state: State, letter: int) -> list[int]:
    """Return what a new building in place of a marker yields, by ``Gain``, without bonuses."""
    sites, (x, y) = _sites(state), cell_beside(state, int(state.marker[letter]))
    gains = [0] * NUM_COLOURS
    for direction in range(0, 8, 2):
        site = sites.get((x + STEP_X[direction], y + STEP_Y[direction]), NO_SITE)
        if site != NO_SITE:
            gains[int(state.site_tile[site]) // NUMBERS] += int(state.levels[site])
    return gains


def _marker_tip(state: State, letter: int) -> str:
    name, gains = LETTERS[letter], gains_in_words(yields_beside(state, letter))
    return (
        f"Marker {name}: card {name} with a tile builds here for 1 resource. The adjacent "
        f"buildings yield {gains} now."
    )


# --------------------------------------------------------------------------- what was just done


def _marks(state: State, view: View, grid: _Grid) -> Iterator[Shape]:
    """Yield a frame for each building and a ring for each marker of a marked action."""
    sites, markers = _sites(state), _markers(state)
    for seat, card in _open_cards(state, view):
        colour = SEAT_COLOURS[seat]
        if card in markers:
            yield _ring(grid, markers[card], colour)
        for cell, site in sites.items():
            if card - NUM_LETTERS == state.site_tile[site]:
                yield _frame(grid, cell, colour)
    for played in view.marked:
        block, tile = ACTIONS.locate(played.action)
        for cell, site in sites.items():
            if block == "with_tile" and state.site_tile[site] == tile:
                yield _frame(grid, cell, SEAT_COLOURS[played.seat])
    moved = _moved_markers(state, view) if view.before else _markers_beside(state, view)
    for seat, letter in moved:
        yield _ring(grid, markers[letter], SEAT_COLOURS[seat])
    hals = _built_by_hal(state, view)
    for cell, site in sites.items():
        if site in hals:
            yield _frame(grid, cell, SEAT_COLOURS[-1])  # as its pieces


def _frame(grid: _Grid, cell: Cell, colour: str) -> Rect:
    box = grid.box(cell, 0.01)
    return Rect(box.x, box.y, box.width, box.height, 4, stroke=colour, stroke_width=2.5)


def _ring(grid: _Grid, cell: Cell, colour: str) -> Circle:
    return Circle(*grid.middle(cell), grid.cell * 0.4, stroke=colour, stroke_width=2.5)


def _open_cards(state: State, view: View) -> Iterator[tuple[int, int]]:
    """Yield seat and card of each marked choice of a card that the viewer may know.

    A seat's last choice, of a card or a new hand, is secret until the seat has acted.
    """
    latest: dict[int, int] = {}
    for played in view.marked:
        if ACTIONS.locate(played.action)[0] in {"new_hand", "letter", "card"}:
            if played.seat in latest:
                yield played.seat, latest[played.seat]
            latest[played.seat] = played.action - CARD  # NO_CARD for a new hand
    for seat, card in latest.items():
        if view.sees(seat) or not _has_chosen(state, seat):
            yield seat, card


def _has_chosen(state: State, seat: int) -> bool:
    """Return whether a seat has chosen a card or a new hand and not acted yet.

    Which of them makes no difference: others do not know it.
    """
    answered = bool((int(state.asked) & ~int(state.owes)) >> seat & 1)
    choosing = state.over == NOT_OVER and step_of(state) == Step.CARD
    return bool(state.chosen[seat] != NO_CARD) or (choosing and answered)


def _moved_markers(state: State, view: View) -> Iterator[tuple[int, int]]:
    """Yield seat and letter of each marker that a marked action moved, and is still there."""
    states = [*(games[0] for games in view.before), state]
    for played, (old, new) in zip(view.marked, pairwise(states), strict=True):
        if ACTIONS.locate(played.action)[0] in {"beside", "place"}:
            for letter in range(NUM_LETTERS):
                side = new.marker[letter]
                if side not in {old.marker[letter], NO_SIDE} and side == state.marker[letter]:
                    yield played.seat, letter


def _built_by_hal(state: State, view: View) -> set[int]:
    """Return the sites on which Hal has built since the first marked action (GK 6)."""
    if state.num_seats > 1 or not view.before:
        return set()
    old = view.before[0][0]
    own = {played.action - WITH_TILE for played in view.marked}
    return {
        site
        for site in range(int(state.num_sites))
        if state.site_tile[site] != old.site_tile[site] and state.site_tile[site] not in own
    }


def _markers_beside(state: State, view: View) -> Iterator[tuple[int, int]]:
    """Yield seat and letter of each marker that a marked action put beside a new building.

    The action tells only the direction; the building is one of the newest.
    """
    plays = [played for played in view.marked if BESIDE <= played.action < BESIDE + 4]
    last, letters = int(state.num_sites) - 1, state.marker.tolist()
    newest = range(last, max(last - len(plays) - 1, START_TILES - 1), -1)
    sides = [site * 4 + direction for site in newest for direction in range(4)]
    for played in reversed(plays):
        found = [s for s in sides if s & 3 == played.action - BESIDE and s in letters]
        if found:
            yield played.seat, letters.index(found[0])
            sides.remove(found[0])
