"""The board of *Urban Sprawl*: the city, the numbers of its lines, the grey spaces."""

from __future__ import annotations

from typing import Final

from sprawl_env.core.game import Game
from sprawl_env.core.rules import Played, View
from sprawl_env.core.state import NOBODY, NOT_OVER, Tables
from sprawl_env.games.urban_sprawl.actions import LINE, MARKER, SITE
from sprawl_env.games.urban_sprawl.constants import (
    ALL_CORNERS,
    CORNERS,
    FIRST_DOUBLE_ROW,
    FIRST_GREY,
    MAX_SIZE,
    NO_MARKER,
    NUM_BLOCKS,
    NUM_COLUMNS,
    NUM_LINES,
    NUM_LOTS,
    NUM_TOP_GREYS,
    NUM_WEALTH_MARKERS,
    PARK,
    SHAPES,
    SIDE,
    SIZE_OF,
    ZONES,
)
from sprawl_env.games.urban_sprawl.names import SHAPE_WORDS, footprint_size
from sprawl_env.games.urban_sprawl.places import block_name
from sprawl_env.games.urban_sprawl.render_marks import (
    COLOURS,
    FOREST,
    GOLD,
    GREY,
    WATER,
    block_value,
    number,
    tree,
)
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import Step
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.games.urban_sprawl.tips import block_tip, build_tip, building_tip, line_tip
from sprawl_env.kernels.agenda import top
from sprawl_env.render.picture import BOARD, Part, Picture
from sprawl_env.render.shapes import (
    FAINT,
    INK,
    PAPER,
    QUIET,
    SEAT_COLOURS,
    Point,
    Polygon,
    Rect,
)

L_SIZE: Final = 3  # lots of an L
DIAGONAL: Final = (0, 3)  # corners
LOT: Final = 34.0
STREET: Final = 6.0
BLOCK: Final = 2 * LOT + STREET
CITY: Final = SIDE * BLOCK - STREET
CITY_X: Final = 38.0
CITY_Y: Final = 42.0
ROW_X: Final = 17.0  # middle of the numbers on the left
GREY_X: Final = 498.0  # middle of the grey spaces on the right
GREY_Y: Final = 17.0  # middle of those on top
COLUMN_Y: Final = CITY_Y + CITY + 20
HEIGHT: Final = COLUMN_Y + 16
TARGET_INSET: Final = 1.5
VALUE_ROOM: Final = 10.5  # from the middle of a block: targets leave its value free
CLOCKWISE: Final = (0, 1, 3, 2)  # corners
BORDERS: Final = ((-1, 0), (0, -1), (1, 0), (0, 1))  # between a corner and the one before it
GONE: Final = "#b3261e"  # lots of buildings that are demolished
SPOT: Final = 21.0  # side of the target of a footprint; three fit beside each other in a block


def board(picture: Picture, game: Game, state: State, view: View) -> None:
    """Draw the board."""
    part = picture.part("board", "board: city, lines and grey spaces", BOARD, columns=2)
    part.height = HEIGHT
    _edges(part)
    size = footprint_size(game.tables, state) if state.over == NOT_OVER else 0
    for block in range(NUM_BLOCKS):
        _block(part, game.tables, state, view, block)
    for played in view.marked:
        _mark(part, state, played)
    for block in range(NUM_BLOCKS):
        x, y = _lot_place(block * CORNERS + CORNERS - 1)
        block_value(part, x, y, int(state.value[block]))
        part.explain(x - 9, y - 9, 18, 18, block_tip(game.tables, state, block))
    for line in range(NUM_LINES):
        _line(part, game.tables, state, view, line)
    for site in range(NUM_LOTS):
        if SITE + site in view.names:
            _site(part, game.tables, state, view, site, size)


def _edges(part: Part) -> None:
    """Draw the water and the forest."""
    far = CITY + 6
    part.add(Rect(CITY_X - 3, CITY_Y - 6, far, 3, fill=WATER))
    part.add(Rect(CITY_X + CITY + 3, CITY_Y - 3, 3, far, fill=WATER))
    part.add(Rect(CITY_X - 6, CITY_Y - 3, 3, far, fill=FOREST))
    part.add(Rect(CITY_X - 3, CITY_Y + CITY + 3, far, 3, fill=FOREST))


# ---------------------------------------------------------------------------------------- the city


def _lot_place(lot: int) -> Point:
    """Return the top left corner of a lot."""
    block, corner = divmod(lot, CORNERS)
    x = CITY_X + block % SIDE * BLOCK + corner % 2 * LOT
    return x, CITY_Y + block // SIDE * BLOCK + corner // 2 * LOT


def _outline(block: int, corners: int, inset: float) -> tuple[Point, ...]:
    """Return the outline of a footprint, clockwise."""
    x, y = _lot_place(block * CORNERS)
    near, far = inset, 2 * LOT - inset
    left = near if corners & 5 else LOT + inset
    right = far if corners & 10 else LOT - inset
    top = near if corners & 3 else LOT + inset
    bottom = far if corners & 12 else LOT - inset
    points: list[Point] = []
    ends = ((left, top), (right, top), (right, bottom), (left, bottom))
    for corner, end in zip(CLOCKWISE, ends, strict=True):
        if SIZE_OF[corners] < L_SIZE or corners >> corner & 1:
            points.append(end)
            continue
        inner_x = LOT - inset if corner % 2 else LOT + inset
        inner_y = LOT - inset if corner // 2 else LOT + inset
        notch = [(end[0], inner_y), (inner_x, inner_y), (inner_x, end[1])]
        points += notch if corner in DIAGONAL else notch[::-1]
    return tuple((x + dx, y + dy) for dx, dy in points)


def _around_value(block: int, corners: int) -> tuple[Point, ...]:
    """Return the outline of a target, which leaves the value in the middle of the block free."""
    if corners == ALL_CORNERS:
        return _outline(block, corners, TARGET_INSET)
    covered = [corners >> corner & 1 for corner in CLOCKWISE]
    first = next(k for k in range(CORNERS) if covered[k] and not covered[k - 1])
    run = range(first, first + sum(covered))
    far = LOT - TARGET_INSET
    outer = [_from_middle(k, far, far) for k in run]
    inner = [_from_middle(first, VALUE_ROOM, TARGET_INSET)]
    for k in run:
        inner.append(_from_middle(k, VALUE_ROOM * 0.7, VALUE_ROOM * 0.7))
        last = k == run[-1]
        inner.append(_from_middle(k, TARGET_INSET if last else 0, VALUE_ROOM))
    start, end = _from_middle(first, far, TARGET_INSET), _from_middle(run[-1], TARGET_INSET, far)
    x, y = _lot_place(block * CORNERS + CORNERS - 1)
    return tuple((x + dx, y + dy) for dx, dy in (start, *outer, end, *inner[::-1]))


def _from_middle(k: int, before: float, after: float) -> Point:
    """Return a point of a corner as seen from the middle of its block.

    Args:
        k: which corner, clockwise from the top left one.
        before: distance along the border to the corner before it.
        after: distance along the border to the next corner.
    """
    (x, y), (to_x, to_y) = BORDERS[k % CORNERS], BORDERS[(k + 1) % CORNERS]
    return x * before + to_x * after, y * before + to_y * after


def _block(part: Part, tables: Tables, state: State, view: View, block: int) -> None:
    """Draw the empty lots and the buildings of a block."""
    first = block * CORNERS
    lots = range(first, first + CORNERS)
    empty = [lot for lot in lots if state.building_on[lot] == 0]
    for lot in empty:
        part.add(Rect(*_lot_place(lot), LOT, LOT, fill="#ebe9e1", stroke=FAINT))
    if empty:
        side = 2 * LOT
        part.explain(*_lot_place(first), side, side, block_tip(tables, state, block))
    for lot in lots:
        if state.corners[lot]:
            _building(part, state, view, lot)


def _building(part: Part, state: State, view: View, lot: int) -> None:
    zone, owner, block = int(state.zone[lot]), int(state.owner[lot]), lot // CORNERS
    outline = _outline(block, int(state.corners[lot]), 1.0)
    width = 2.6 if lot == state.lot else 1.2
    part.add(Polygon(outline, fill=COLOURS[zone], stroke=INK, stroke_width=width))
    x, y = _lot_place(lot)
    left, upper = lot % 2 == 0, lot % CORNERS < CORNERS // 2  # the value stands in the middle
    middle = x + (12.5 if left else LOT - 12.5)
    if zone == PARK:
        tree(part, middle, y + (9.5 if upper else LOT - 7), 6.5)
    else:
        edge, anchor = (x + 4, "start") if left else (x + LOT - 4, "end")
        below = y + (12 if upper else LOT - 5)
        part.text(edge, below, ZONES[zone], 9.2, anchor=anchor, bold=True)
    if state.power[lot]:
        part.star(x + (LOT - 5 if left else 5), y + (7 if upper else LOT - 7), 4.2, GOLD)
    if owner != NOBODY:
        part.piece(middle, y + (23 if upper else 11), 7.1, owner)
    part.add(Polygon(outline, tip=building_tip(state, lot, view)))


def _mark(part: Part, state: State, played: Played) -> None:
    """Frame what an action changed on the board in the colour of its seat."""
    colour = SEAT_COLOURS[played.seat % len(SEAT_COLOURS)]
    if SITE <= played.action < SITE + NUM_LOTS:
        site = played.action - SITE
        corners = _corners_named(state, site, played.says)
        outline = _outline(site // CORNERS, corners, -1.2)
        part.add(Polygon(outline, stroke=colour, stroke_width=3))
    elif LINE <= played.action < LINE + NUM_LINES:
        x, y, half = _line_place(played.action - LINE)
        part.add(Rect(x - half, y - half, 2 * half, 2 * half, 5, stroke=colour, stroke_width=3))


def _corners_named(state: State, site: int, says: str) -> int:
    """Return the corners that an action's name tells: a footprint, or a building or lot."""
    block, corner = divmod(site, CORNERS)
    for size, words in SHAPE_WORDS.items():
        if says == f"at {block_name(block)} {words[corner]}":
            return int(SHAPES[size - 1, corner])
    if says == f"at {block_name(block)}":
        return ALL_CORNERS
    return int(state.corners[site]) or 1 << corner


def _site(
    part: Part, tables: Tables, state: State, view: View, site: int, size: int
) -> None:  # fmt: skip
    """Add the target of a lot, a building or a footprint."""
    block, corner = divmod(site, CORNERS)
    shape = int(SHAPES[size - 1, corner]) if size else int(state.corners[site])
    tip, gone = block_tip(tables, state, block), 0
    if top(state).step == Step.FOOTPRINT:
        gone = shape & int(state.occupied[block])
        tip = build_tip(tables, state, block, gone, view)
    if 1 < size < MAX_SIZE:
        _footprint(part, view, site, (shape, gone), tip)
        return
    lot = Polygon(_around_value(block, shape or 1 << corner))
    if not size and shape:
        tip = building_tip(state, site, view)
    part.target(view, [SITE + site], lot, tip)


def _footprint(part: Part, view: View, site: int, shape: tuple[int, int], tip: str) -> None:
    """Add the target of a footprint: two lots at an edge of the block, an L in its corner.

    ``shape`` has its corners, and those on which buildings are demolished for it: they are red.
    """
    block, (corners, gone) = site // CORNERS, shape
    x, y = _lot_place(block * CORNERS)
    covered = [corner for corner in range(CORNERS) if corners >> corner & 1]
    right = sum(1 if corner % 2 else -1 for corner in covered)  # -2 to 2; an L: -1 or 1
    down = sum(1 if corner // 2 else -1 for corner in covered)
    step = LOT - SPOT / 2 - 0.75
    x += LOT + step * (right > 0) - step * (right < 0) - SPOT / 2
    y += LOT + step * (down > 0) - step * (down < 0) - SPOT / 2
    part.add(Rect(x, y, SPOT, SPOT, 3, fill=PAPER))
    for corner in range(CORNERS):
        at = (x + 3.5 + 7 * (corner % 2), y + 3.5 + 7 * (corner // 2))
        fill = QUIET if corner in covered else PAPER
        fill = GONE if gone >> corner & 1 else fill
        part.add(Rect(*at, 7, 7, fill=fill, stroke=FAINT, stroke_width=0.8))
    part.target(view, [SITE + site], Rect(x, y, SPOT, SPOT, 3), tip)


# --------------------------------------------------------------------------------------- the lines


def _line_place(line: int) -> tuple[float, float, float]:
    """Return the middle of a line's number and half the side of the box around it."""
    if line < FIRST_DOUBLE_ROW:
        return CITY_X + line * BLOCK + LOT, COLUMN_Y, 11.0
    if line < FIRST_GREY:
        row = line - FIRST_DOUBLE_ROW
        return ROW_X, CITY_Y + row * 2 * BLOCK + BLOCK - STREET / 2, 13.0
    grey = line - FIRST_GREY
    if grey < NUM_TOP_GREYS:
        return CITY_X + grey * 2 * BLOCK + BLOCK - STREET / 2, GREY_Y, 14.0
    return GREY_X, CITY_Y + (grey - NUM_TOP_GREYS) * BLOCK + LOT, 14.0


def _line(part: Part, tables: Tables, state: State, view: View, line: int) -> None:
    """Draw the number of a line, with its tooltip and target."""
    t: Table = tables[0]
    x, y, half = _line_place(line)
    actions = [LINE + line]
    if line < FIRST_DOUBLE_ROW:
        number(part, x, y, int(t.column_number[line]), True)
        part.text(x - 25, y + 4, "ABCDEF"[line], 10.5, fill=QUIET, anchor="middle")
    elif line < FIRST_GREY:
        row = line - NUM_COLUMNS
        number(part, x, y, int(t.row_number[row]), False)
        for k, at in ((1, y - BLOCK / 2), (2, y + BLOCK / 2)):
            part.text(x, at + 4, str(2 * row + k), 10.5, fill=QUIET, anchor="middle")
    else:
        marker = int(state.marker_at[line - FIRST_GREY])
        part.add(Rect(x - 13, y - 13, 26, 26, 4, fill=GREY, stroke=QUIET))
        if marker != NO_MARKER:
            actions.append(MARKER + marker)
            number(part, x, y, int(t.marker_number[marker]), marker < NUM_WEALTH_MARKERS)
    box = Rect(x - half, y - half, 2 * half, 2 * half, 5)
    part.target(view, actions, box, line_tip(tables, state, line, view))
