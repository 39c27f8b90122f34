"""*Tower Up* as a picture: board, market, supply, objectives and what every seat holds."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any, Final

import numpy as np

from sprawl_env.core.game import Game
from sprawl_env.core.rules import View
from sprawl_env.core.state import NOBODY, NOT_OVER, Games
from sprawl_env.games.tower_up.actions import BUILD, CHOOSE, RETURN, ROOF, TAKE
from sprawl_env.games.tower_up.constants import (
    DISTRICTS,
    MARKET_SIZE,
    NO_CARD,
    NO_COLOUR,
    NUM_COLOURS,
    OBJECTIVES_IN_PLAY,
    EndCause,
)
from sprawl_env.games.tower_up.data_files import BOARD_FILES
from sprawl_env.games.tower_up.names import card_name, decision
from sprawl_env.games.tower_up.state import State
from sprawl_env.games.tower_up.tables import Table
from sprawl_env.render.picture import Picture, ending
from sprawl_env.render.shapes import (
    FAINT,
    INK,
    MARGIN,
    PAPER,
    QUIET,
    SEAT_COLOURS,
    WIDTH,
    Circle,
    Line,
    Point,
    Polygon,
    Rect,
    Text,
    regular,
)

FLOORS: Final = ("#262626", "#a3a3a3", "#ffffff", "#8a5a2c")
FLOOR_INK: Final = (PAPER, INK, INK, PAPER)
CODES: Final = ("bk", "gr", "wh", "br")  # two letters tell black from brown
TINTS: Final = ("#dbe9f4", "#fbe8c8", "#dcefe0", "#dedede", "#ecdcea")
LETTERS: Final = ("H", "M", "L", "a", "b")  # of the districts: H is the harbour, L the hill
GREEN: Final = "#2c8a5a"
BLUE: Final = "#3a87c8"

BOARD: Final = 508.0  # side of the board's panel
SIDE_X: Final = 2 * MARGIN + BOARD - 2
SIDE_WIDTH: Final = WIDTH - MARGIN - SIDE_X
CARD_HEIGHT: Final = 58.0
SEAT_HEIGHT: Final = 122.0
CELL: Final = 17.0  # of a marker's row


def draw(game: Game, games: Games, g: int, view: View) -> Picture:
    """Return the position as a picture; the deck, the only hidden part, is never shown."""
    state: State = games[g]
    rows = (int(state.num_seats) + 1) // 2
    height = 66 + BOARD + MARGIN + rows * (SEAT_HEIGHT + MARGIN)
    picture = Picture("Tower Up", height)
    points = game.scores(games, g)
    top = picture.header(view, _facts(state), _to_play(state), _decision(game, games, g))
    _board(picture, game, state, view, top)
    y = _market(picture, game, state, view, top)
    y = _supply(picture, state, view, y)
    _objectives(picture, game, state, y, top + BOARD - y)
    for seat in range(int(state.num_seats)):
        x = MARGIN + seat % 2 * (WIDTH / 2 - MARGIN / 2)
        y = top + BOARD + MARGIN + seat // 2 * (SEAT_HEIGHT + MARGIN)
        _seat(picture, game, state, view, seat, int(points[seat]), (x, y))
    return picture


def _facts(state: State) -> str:
    return (
        f"turn {int(state.turn) + 1}, ply {int(state.ply)}; deck {int(state.deck_size)} cards, "
        f"{int(state.num_discards)} discarded"
    )


def _to_play(state: State) -> int:
    return int(state.to_play) if state.over == NOT_OVER else NOBODY


def _decision(game: Game, games: Games, g: int) -> str:
    state: State = games[g]
    if state.over != NOT_OVER:
        return ending(game, games, g, "stopped at the turn limit")
    words = decision(state)
    if state.end_cause == EndCause.NONE:
        return words
    cause = "last roof" if state.end_cause == EndCause.LAST_ROOF else "shortage"
    return f"{words} ({cause}: last turns)"


# ----------------------------------------------------------------------------------------- board


def _places(sites: Any, top: float) -> tuple[list[Point], float]:
    """Return the centres of the sites and half the width of a building."""
    xs, ys = [site.x for site in sites], [site.y for site in sites]
    margin = 40.0
    room = BOARD - 2 * margin
    wide, high = max(xs) - min(xs), max(ys) - min(ys)
    places = [
        (
            MARGIN + margin + (site.x - min(xs)) * room / wide,
            top + margin + (site.y - min(ys)) * (room - 14) / high,
        )
        for site in sites
    ]
    nearest = min(math.dist(a, b) for a, b in combinations(places, 2))
    return places, min(17.0, nearest * 0.36)


def _board(picture: Picture, game: Game, state: State, view: View, top: float) -> None:
    sites = game.data.rows(BOARD_FILES[int(state.board)], "site")
    places, half = _places(sites, top)
    picture.panel(MARGIN, top, BOARD, BOARD)
    for site, (x, y) in zip(sites, places, strict=True):
        fill = TINTS[DISTRICTS.index(site.district)]
        picture.add(Circle(x, y, half * 2.1, fill=fill))
    for site, (x, y) in zip(sites, places, strict=True):
        for other in site.streets:
            if other > site.id:
                picture.add(Line(x, y, *places[other], stroke="#8d8d86", stroke_width=2.2))
    for site, place in zip(sites, places, strict=True):
        _site(picture, state, site, place, half)
    _last_site(picture, view, places, half)
    for site, (x, y) in zip(sites, places, strict=True):
        start = BUILD + site.id * NUM_COLOURS
        box = Rect(x - half - 3, y - half - 3, 2 * half + 6, 2 * half + 6, 4)
        picture.target(view, [*range(start, start + NUM_COLOURS), ROOF + site.id], box)
    _legend(picture, top + BOARD - 8)


def _site(picture: Picture, state: State, site: Any, place: Point, half: float) -> None:
    (x, y), colour = place, int(state.colour[site.id])
    name = f"{site.id}{LETTERS[DISTRICTS.index(site.district)]}"
    if colour == NO_COLOUR:
        picture.add(Circle(x, y, half * 0.72, fill=PAPER, stroke=QUIET, stroke_width=1.2))
        picture.text(x, y + 3.3, name, 9, width=half * 1.5, anchor="middle")
    else:
        _building(picture, state, site.id, place, half)
        picture.add(Rect(x - half, y - half - 12, 18, 9, 2, fill=PAPER))
        picture.text(x - half + 9, y - half - 4.7, name, 8.5, fill=QUIET, anchor="middle")
    if site.park:
        _park(picture, x - half - 7, y - half * 0.45)
    if site.lake:
        _lake(picture, x - half - 7, y + half * 0.6)


def _park(picture: Picture, x: float, y: float) -> None:
    picture.add(Rect(x - 1, y + 2, 2, 5, fill="#6b4a2b"))
    picture.add(Polygon(regular(x, y, 6, 3), fill=GREEN, stroke=PAPER, stroke_width=0.5))


def _lake(picture: Picture, x: float, y: float) -> None:
    picture.add(Polygon(((x, y - 7), (x + 3.8, y), (x - 3.8, y)), fill=BLUE))
    picture.add(Circle(x, y + 1.5, 4, fill=BLUE))


def _building(picture: Picture, state: State, site: int, place: Point, half: float) -> None:
    """Draw a building in its colour with its number of floors and its roofs."""
    (x, y), colour = place, int(state.colour[site])
    fill, ink = FLOORS[colour], FLOOR_INK[colour]
    box = (x - half, y - half, 2 * half, 2 * half)
    picture.add(Rect(*box, 3, fill=fill, stroke=INK, stroke_width=1.4))
    height = str(int(state.height[site]))
    picture.text(x - half * 0.38, y + 1, height, 14, fill=ink, anchor="middle", bold=True)
    picture.text(x - half * 0.38, y + half - 4, CODES[colour], 9, fill=ink, anchor="middle")
    roofs = sorted(
        (int(at_height), seat)
        for seat in range(int(state.num_seats))
        for at, at_height in zip(state.roof_site[seat], state.roof_height[seat], strict=True)
        if at == site
    )
    top_seat = int(state.top[site])
    if top_seat != NOBODY:
        roofs.pop()
        picture.piece(x + half * 0.75, y - half * 0.62, 7.5, top_seat)
    for k, (_, seat) in enumerate(roofs):
        picture.piece(x + half * 0.95, y + half - 1 - 8.4 * k, 4.2, seat)


def _last_site(picture: Picture, view: View, places: list[Point], half: float) -> None:
    """Draw a ring in the seat's colour around the site of the last action."""
    if view.last is None or view.last.action < BUILD:
        return
    action = view.last.action
    site = action - ROOF if action >= ROOF else (action - BUILD) // NUM_COLOURS
    colour = SEAT_COLOURS[view.last.seat]
    picture.add(Circle(*places[site], half * 1.75, stroke=colour, stroke_width=2))


def _legend(picture: Picture, y: float) -> None:
    x = MARGIN + 8.0
    for letter, name in zip(LETTERS, DISTRICTS, strict=True):
        picture.add(Rect(x, y - 8, 9, 9, fill=TINTS[DISTRICTS.index(name)], stroke=FAINT))
        x += 12 + picture.text(x + 12, y, f"{letter} {name.replace('_', ' ')}", 9, fill=QUIET) + 10
    _park(picture, x + 6, y - 4)
    x += 16 + picture.text(x + 15, y, "park", 9, fill=QUIET) + 12
    _lake(picture, x + 4, y - 3)
    picture.text(x + 12, y, "lake", 9, fill=QUIET)


# ------------------------------------------------------------------------------ cards and supply


def _swatch(picture: Picture, x: float, y: float, colour: int, label: str = "") -> None:
    """Draw a floor, 20 wide, with the code of its colour or a count."""
    picture.add(Rect(x, y, 20, 16, 2, fill=FLOORS[colour], stroke=INK))
    shown = label or CODES[colour]
    picture.text(
        x + 10, y + 11.8, shown, 10, fill=FLOOR_INK[colour], anchor="middle", bold=bool(label)
    )


def _any(picture: Picture, x: float, y: float) -> None:
    """Draw a floor of any colour."""
    for colour in range(NUM_COLOURS):
        picture.add(Rect(x + 5 * colour, y, 5, 16, fill=FLOORS[colour]))
    picture.add(Rect(x, y, 20, 16, 2, stroke=INK))


def _vehicle(picture: Picture, x: float, y: float, colour: int, steps: int) -> None:
    picture.add(Rect(x, y + 2, 24, 10, 3, fill=FLOORS[colour], stroke=INK))
    for wheel in (5, 19):
        picture.add(Circle(x + wheel, y + 13, 3, fill=QUIET, stroke=INK))
    picture.text(x + 12, y + 10, CODES[colour], 9, fill=FLOOR_INK[colour], anchor="middle")
    picture.text(x + 28, y + 12, f"+{steps}", 11, bold=True)


def _market(picture: Picture, game: Game, state: State, view: View, y: float) -> float:
    t: Table = game.tables[0]
    for space in range(MARKET_SIZE):
        card = int(state.market[space])
        picture.panel(SIDE_X, y, SIDE_WIDTH, CARD_HEIGHT, PAPER)
        picture.text(SIDE_X + 8, y + 16, f"card {space + 1}", 11, bold=True)
        words = card_name(game.tables, card)
        picture.text(SIDE_X + 8, y + CARD_HEIGHT - 8, words, 11, width=SIDE_WIDTH - 16)
        if card != NO_CARD:
            _card(picture, t, card, SIDE_X + 62, y + 12)
        picture.target(view, [TAKE + space], Rect(SIDE_X, y, SIDE_WIDTH, CARD_HEIGHT, 5))
        y += CARD_HEIGHT + 6
    return y


def _card(picture: Picture, t: Table, card: int, x: float, y: float) -> None:
    """Draw what a card gives, from left to right."""
    for colour in range(NUM_COLOURS):
        for _ in range(int(t.card_floors[card, colour])):
            _swatch(picture, x, y, colour)
            x += 25
    for _ in range(int(t.card_multicolour[card])):
        _any(picture, x, y)
        x += 25
    if t.card_steps[card]:
        _vehicle(picture, x + 4, y, int(t.card_vehicle[card]), int(t.card_steps[card]))


def _supply(picture: Picture, state: State, view: View, y: float) -> float:
    picture.panel(SIDE_X, y, SIDE_WIDTH, 48)
    picture.text(SIDE_X + 8, y + 14, "supply of floors", 11, bold=True)
    step = (SIDE_WIDTH - 12) / NUM_COLOURS
    for colour in range(NUM_COLOURS):
        x = SIDE_X + 8 + colour * step
        _swatch(picture, x, y + 24, colour)
        picture.text(x + 24, y + 36, str(int(state.supply[colour])), 12, bold=True)
        picture.target(view, [CHOOSE + colour], Rect(x - 3, y + 21, step - 5, 22, 4))
    return y + 54


def _objectives(picture: Picture, game: Game, state: State, y: float, height: float) -> None:
    t, rows = game.tables[0], game.data.rows("objectives", "objective")
    seats = int(state.num_seats)
    picture.panel(SIDE_X, y, SIDE_WIDTH, height)
    picture.text(SIDE_X + 8, y + 15, "objectives (chips left, progress)", 11, bold=True)
    step = (height - 22) / OBJECTIVES_IN_PLAY
    for k in range(OBJECTIVES_IN_PLAY):
        objective, taken = int(state.objective[k]), int(state.chips_taken[k])
        left = t.chip_values[seats, taken:seats].tolist()
        at = y + 22 + k * step
        _chip(picture, SIDE_X + 17, at + 14, k, str(left[0]) if left else "")
        room = SIDE_WIDTH - 44
        picture.paragraph(SIDE_X + 36, at + 10, rows[objective].name, 10.5, room, 2)
        chips = f"chips left: {' '.join(map(str, left)) or 'none'}"
        picture.text(SIDE_X + 36, at + 36, chips, 9.5, fill=QUIET)
        for seat in range(seats):
            x = SIDE_X + 16 + seat * (SIDE_WIDTH - 16) / 4
            picture.piece(x, at + 50, 6.5, seat)
            shown = f"{int(state.progress[seat, k])}/{int(t.objective_need[objective])}"
            if state.fulfilled[seat, k]:
                shown = f"won {int(state.chip[seat, k])}"
            picture.text(x + 11, at + 54, shown, 10.5, width=50, bold="won" in shown)


def _chip(picture: Picture, x: float, y: float, shape: int, label: str) -> None:
    """Draw a chip in one of three shapes with a label."""
    fill = "#f3d66b"
    if shape == 0:
        picture.add(Circle(x, y, 10.5, fill=fill, stroke=INK))
    else:
        sides, radius = ((4, 13.0), (6, 12.0))[shape - 1]
        turned = 45.0 if shape == 1 else 0.0
        picture.add(Polygon(regular(x, y, radius, sides, turned), fill=fill, stroke=INK))
    picture.text(x, y + 4, label, 11, anchor="middle", bold=True)


# ----------------------------------------------------------------------------------------- seats


def _seat(
    picture: Picture,
    game: Game,
    state: State,
    view: View,
    seat: int,
    points: int,
    corner: Point,
) -> None:
    x, y = corner
    width = WIDTH / 2 - 1.5 * MARGIN
    plays = seat == _to_play(state)
    picture.panel(x, y, width, SEAT_HEIGHT, PAPER)
    if plays:
        picture.add(Rect(x, y, width, SEAT_HEIGHT, 5, stroke=SEAT_COLOURS[seat], stroke_width=2.5))
    picture.piece(x + 18, y + 18, 10, seat)
    picture.text(x + 34, y + 22, f"seat {seat}", 12, bold=True)
    picture.text(x + 84, y + 22, f"{points} million", 12, width=88, bold=True)
    picture.text(x + 10, y + 44, "reserve", 9.5, fill=QUIET)
    for colour in range(NUM_COLOURS):
        at = x + 52 + 31 * colour
        _swatch(picture, at, y + 33, colour, str(int(state.reserve[seat, colour])))
        if plays:
            picture.target(view, [RETURN + colour], Rect(at - 3, y + 30, 26, 22, 4))
    visible = int(np.sum(state.top == seat))
    left = f"roofs left {int(state.roofs_left[seat])}, on top {visible}"
    picture.text(x + 10, y + 68, left, 10.5, width=164)
    heights = sorted(int(h) for h in state.roof_height[seat] if h > 0)
    placed = " ".join(map(str, heights)) or "none"
    picture.text(x + 10, y + 86, f"roofs at heights {placed}", 10.5, width=164)
    chips = [int(chip) for chip in state.chip[seat] if chip]
    won = f"chips {' + '.join(map(str, chips)) or 'none'}"
    picture.text(x + 10, y + 104, won, 10.5, width=164)
    _tracks(picture, game, state, seat, x + 186, y + 8)


def _tracks(picture: Picture, game: Game, state: State, seat: int, x: float, y: float) -> None:
    """Draw the stars, the rows of the four markers and the row of the cone."""
    t: Table = game.tables[0]
    columns = int(t.marker_end) + 1
    cell = min(CELL, 180 / columns)
    used = int(state.stars[seat])
    for k in range(int(t.num_stars)):
        centre = x + 18 + (int(t.star_columns[k]) + 0.5) * cell
        picture.star(centre, y + 5, 5.5, "#f3d66b" if k >= used else PAPER)
    for colour in range(NUM_COLOURS):
        at = y + 13 + colour * 17
        picture.add(Rect(x, at, 15, 14, 2, fill=FLOORS[colour], stroke=INK))
        picture.text(
            x + 7.5, at + 10.2, CODES[colour], 8.5, fill=FLOOR_INK[colour], anchor="middle"
        )
        values = t.marker_values[:columns].tolist()
        _row(picture, x + 18, at, cell, values, int(state.marker[seat, colour]))
    at = y + 13 + NUM_COLOURS * 17
    picture.add(Polygon(((x + 7.5, at), (x + 13, at + 13), (x + 2, at + 13)), fill="#e0762b"))
    values = t.cone_values[: int(t.cone_end) + 1].tolist()
    _row(picture, x + 18, at, cell, values, int(state.cone[seat]))


def _row(
    picture: Picture, x: float, y: float, cell: float, values: list[int], reached: int
) -> None:
    for k, value in enumerate(values):
        fill = INK if k == reached else ("#dcd9cf" if k < reached else PAPER)
        picture.add(Rect(x + k * cell, y, cell, 14, fill=fill, stroke=FAINT))
        ink = PAPER if k == reached else INK
        middle = x + (k + 0.5) * cell
        picture.add(Text(middle, y + 10.4, str(value), 9, "middle", k == reached, fill=ink))
