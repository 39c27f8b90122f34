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
    COLOURS,
    DISTRICTS,
    MARKET_SIZE,
    NO_CARD,
    NO_COLOUR,
    NUM_COLOURS,
    OBJECTIVES_IN_PLAY,
    EndCause,
)
from sprawl_env.games.tower_up.data_files import BOARD_FILES
from sprawl_env.games.tower_up.names import card_name, decision, in_last_turns
from sprawl_env.games.tower_up.state import State
from sprawl_env.games.tower_up.tables import Table
from sprawl_env.games.tower_up.tips import (
    CARD_TIP,
    CHIP_TIP,
    CONE_TIP,
    DISTRICT_TIP,
    EMPTY_TIP,
    HEIGHT_TIP,
    LAKE_TIP,
    MARKER_TIP,
    OBJECTIVE_TIPS,
    PARK_TIP,
    POINTS_TIP,
    RESERVE_TIP,
    ROOF_TIP,
    SITE_TIP,
    STAR_TIP,
    SUPPLY_TIP,
)
from sprawl_env.render.picture import BOARD, CARDS, SEAT, Part, Picture, ending
from sprawl_env.render.shapes import (
    FAINT,
    INK,
    PAPER,
    QUIET,
    SEAT_COLOURS,
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
GOLD: Final = "#f3d66b"
GREEN: Final = "#2c8a5a"
BLUE: Final = "#3a87c8"

BOARD_HEIGHT: Final = 500.0
INSET: Final = 40.0  # of the outermost sites from the board's edge
CELL: Final = 20.0  # of a marker's row
LEAST_HALF: Final = 10.0  # half the width of a building


def draw(game: Game, games: Games, g: int, view: View) -> Picture:
    """Return the position as a picture; the deck, the only hidden part, is never shown."""
    state: State = games[g]
    picture = Picture("Tower Up")
    picture.header(view, _facts(state), _to_play(state), _decision(game, games, g, view))
    _board(picture, game, state, view)
    for space in range(MARKET_SIZE):
        _market(picture, game, state, view, space)
    _supply(picture, state, view)
    _objectives(picture, game, state)
    points = game.scores(games, g)
    picture.points = tuple(points.tolist())
    for seat in range(int(state.num_seats)):
        _seat(picture, game, state, view, seat, int(points[seat]))
    return picture


def _facts(state: State) -> str:
    return (
        f"turn {int(state.turn) + 1}, ply {int(state.ply)}; deck {int(state.deck_size)} cards, "
        f"{int(state.num_discards)} discarded"
    )


def _to_play(state: State) -> int:
    return int(state.to_play) if state.over == NOT_OVER else NOBODY


def _decision(game: Game, games: Games, g: int, view: View) -> str:
    state: State = games[g]
    if state.over != NOT_OVER:
        return ending(game, games, g, "stopped at the turn limit", view)
    words = decision(state)
    if not in_last_turns(state):
        return words
    cause = "last roof" if state.end_cause == EndCause.LAST_ROOF else "shortage"
    return f"{words} ({cause}: last turns)"


# ----------------------------------------------------------------------------------------- board


def _places(sites: Any, width: float) -> tuple[list[Point], float]:
    """Return the centres of the sites and half the width of a building."""
    xs, ys = [site.x for site in sites], [site.y for site in sites]
    wide, high = max(xs) - min(xs) or 1, max(ys) - min(ys) or 1  # sites may be on one line
    across, down = (width - 2 * INSET) / wide, (BOARD_HEIGHT - 2 * INSET - 14) / high
    places = [
        (INSET + (site.x - min(xs)) * across, INSET + (site.y - min(ys)) * down) for site in sites
    ]
    nearest = min(math.dist(a, b) for a, b in combinations(places, 2))
    return places, max(min(17.0, nearest * 0.36), LEAST_HALF)


def _board(picture: Picture, game: Game, state: State, view: View) -> None:
    sites = game.data.rows(BOARD_FILES[int(state.board)], "site")
    part = picture.part("board", "board: building sites and streets", BOARD, columns=2)
    part.height = BOARD_HEIGHT
    places, half = _places(sites, part.width)
    for site, (x, y) in zip(sites, places, strict=True):
        fill = TINTS[DISTRICTS.index(site.district)]
        part.add(Circle(x, y, half * 2.1, fill=fill))
    for site, (x, y) in zip(sites, places, strict=True):
        for other in site.streets:
            if other > site.id:
                part.add(Line(x, y, *places[other], stroke="#8d8d86", stroke_width=2.2))
    for site, place in zip(sites, places, strict=True):
        _site(part, state, site, place, half)
    _last_sites(part, view, places, half)
    for site, (x, y) in zip(sites, places, strict=True):
        start = BUILD + site.id * NUM_COLOURS
        box = Rect(x - half - 3, y - half - 3, 2 * half + 6, 2 * half + 6, 4)
        actions = [*range(start, start + NUM_COLOURS), ROOF + site.id]
        part.target(view, actions, box, _site_tip(state, site, view))
    _legend(part, BOARD_HEIGHT - 8)


def _site_tip(state: State, site: Any, view: View) -> str:
    """Return what is on a site, in words."""
    beside = [what for what, near in (("a park", site.park), ("a lake", site.lake)) if near]
    by = f" by {' and '.join(beside)}" if beside else ""
    where = f"Site {site.id}, district {site.district.replace('_', ' ')}{by}"
    if state.colour[site.id] == NO_COLOUR:
        return f"{where}: empty. {SITE_TIP}"
    roofs = [f"{view.seat_name(seat)} at {height}" for height, seat in _roofs_on(state, site.id)]
    built = f"{COLOURS[state.colour[site.id]]}, floors: {int(state.height[site.id])}"
    return f"{where}: {built}; roofs: {', '.join(roofs) or 'none'}"


def _roofs_on(state: State, site: int) -> list[tuple[int, int]]:
    """Return height and seat of each roof in a building, the lowest first."""
    return sorted(
        (int(height), seat)
        for seat in range(int(state.num_seats))
        for at, height in zip(state.roof_site[seat], state.roof_height[seat], strict=True)
        if at == site
    )


def _site(part: Part, state: State, site: Any, place: Point, half: float) -> None:
    (x, y), colour = place, int(state.colour[site.id])
    name = f"{site.id}{LETTERS[DISTRICTS.index(site.district)]}"
    if colour == NO_COLOUR:
        part.add(Circle(x, y, half * 0.72, fill=PAPER, stroke=QUIET, stroke_width=1.2))
        part.text(x, y + 3.3, name, 9, width=half * 1.5, anchor="middle")
    else:
        _building(part, state, site.id, place, half)
        part.add(Rect(x - half, y - half - 12, 20, 10, 2, fill=PAPER))
        part.text(x - half + 10, y - half - 4, name, 9, fill=QUIET, anchor="middle")
        part.explain(x - half, y - half - 12, 20, 9, DISTRICT_TIP)
    if site.park:
        _park(part, x - half - 7, y - half * 0.45)
    if site.lake:
        _lake(part, x - half - 7, y + half * 0.6)


def _park(part: Part, x: float, y: float) -> None:
    part.add(Rect(x - 1, y + 2, 2, 5, fill="#6b4a2b"))
    part.add(Polygon(regular(x, y, 6, 3), fill=GREEN, stroke=PAPER, stroke_width=0.5))


def _lake(part: Part, x: float, y: float) -> None:
    part.add(Polygon(((x, y - 7), (x + 3.8, y), (x - 3.8, y)), fill=BLUE))
    part.add(Circle(x, y + 1.5, 4, fill=BLUE))


def _building(part: Part, state: State, site: int, place: Point, half: float) -> None:
    """Draw a building in its colour with its number of floors and its roofs."""
    (x, y), colour = place, int(state.colour[site])
    fill, ink = FLOORS[colour], FLOOR_INK[colour]
    box = (x - half, y - half, 2 * half, 2 * half)
    part.add(Rect(*box, 3, fill=fill, stroke=INK, stroke_width=1.4))
    height = str(int(state.height[site]))
    part.text(x - half * 0.38, y + 1, height, 14, fill=ink, anchor="middle", bold=True)
    part.text(x - half * 0.38, y + half - 4, CODES[colour], 9, fill=ink, anchor="middle")
    roofs = _roofs_on(state, site)
    top_seat = int(state.top[site])
    if top_seat != NOBODY:
        roofs.pop()
        part.piece(x + half * 0.75, y - half * 0.62, 7.5, top_seat)
    for k, (_, seat) in enumerate(roofs):
        part.piece(x + half * 0.95, y + half - 1 - 8.4 * k, 4.2, seat)


def _last_sites(part: Part, view: View, places: list[Point], half: float) -> None:
    """Draw a ring in its seat's colour around each site of a marked action."""
    for played in view.marked:
        if played.action >= BUILD:
            roof = played.action >= ROOF
            site = played.action - ROOF if roof else (played.action - BUILD) // NUM_COLOURS
            colour = SEAT_COLOURS[played.seat]
            part.add(Circle(*places[site], half * 1.75, stroke=colour, stroke_width=2.5))


def _legend(part: Part, y: float) -> None:
    x = 10.0
    for letter, name in zip(LETTERS, DISTRICTS, strict=True):
        part.add(Rect(x, y - 8, 9, 9, fill=TINTS[DISTRICTS.index(name)], stroke=FAINT))
        x += 12 + part.text(x + 12, y, f"{letter} {name.replace('_', ' ')}", 9, fill=QUIET) + 10
    part.explain(6, y - 12, x - 12, 18, DISTRICT_TIP)
    _park(part, x + 6, y - 4)
    wide = 16 + part.text(x + 15, y, "park", 9, fill=QUIET)
    part.explain(x, y - 12, wide, 18, PARK_TIP)
    x += wide + 12
    _lake(part, x + 4, y - 3)
    wide = 12 + part.text(x + 12, y, "lake", 9, fill=QUIET)
    part.explain(x, y - 12, wide, 18, LAKE_TIP)


# ------------------------------------------------------------------------------ cards and supply


def _swatch(part: Part, x: float, y: float, colour: int, label: str = "") -> None:
    """Draw a floor, 20 wide, with the code of its colour or a count."""
    part.add(Rect(x, y, 20, 16, 2, fill=FLOORS[colour], stroke=INK))
    shown = label or CODES[colour]
    part.text(
        x + 10, y + 11.8, shown, 10, fill=FLOOR_INK[colour], anchor="middle", bold=bool(label)
    )


def _any(part: Part, x: float, y: float) -> None:
    """Draw a floor of any colour."""
    for colour in range(NUM_COLOURS):
        part.add(Rect(x + 5 * colour, y, 5, 16, fill=FLOORS[colour]))
    part.add(Rect(x, y, 20, 16, 2, stroke=INK))


def _vehicle(part: Part, x: float, y: float, colour: int, steps: int) -> None:
    part.add(Rect(x, y + 2, 24, 10, 3, fill=FLOORS[colour], stroke=INK))
    for wheel in (5, 19):
        part.add(Circle(x + wheel, y + 13, 3, fill=QUIET, stroke=INK))
    part.text(x + 12, y + 10, CODES[colour], 9, fill=FLOOR_INK[colour], anchor="middle")
    part.text(x + 28, y + 12, f"+{steps}", 11, bold=True)


def _market(picture: Picture, game: Game, state: State, view: View, space: int) -> None:
    t: Table = game.tables[0]
    card = int(state.market[space])
    words = card_name(game.tables, card)
    part = picture.part(f"market-{space + 1}", f"card {space + 1}: {words}", CARDS, group="market")
    part.height = 58
    part.text(8, 16, f"card {space + 1}", 11, bold=True)
    part.text(8, 50, words, 11, width=part.width - 16)
    if card != NO_CARD:
        _card(part, t, card, 62, 12)
    tip = f"Card {space + 1} gives {words}. {CARD_TIP}" if card != NO_CARD else EMPTY_TIP
    part.target(view, [TAKE + space], Rect(0, 0, part.width, part.height, 5), tip)


def _card(part: Part, t: Table, card: int, x: float, y: float) -> None:
    """Draw what a card gives, from left to right."""
    for colour in range(NUM_COLOURS):
        for _ in range(int(t.card_floors[card, colour])):
            _swatch(part, x, y, colour)
            x += 25
    for _ in range(int(t.card_multicolour[card])):
        _any(part, x, y)
        x += 25
    if t.card_steps[card]:
        _vehicle(part, x + 4, y, int(t.card_vehicle[card]), int(t.card_steps[card]))


def _supply(picture: Picture, state: State, view: View) -> None:
    part = picture.part("supply", "supply of floors", CARDS)
    part.height = 50
    part.text(8, 15, "supply of floors", 11, bold=True)
    step = (part.width - 12) / NUM_COLOURS
    for colour in range(NUM_COLOURS):
        x = 8 + colour * step
        _swatch(part, x, 25, colour)
        part.text(x + 24, 37, str(int(state.supply[colour])), 12, bold=True)
        box = Rect(x - 3, 22, step - 5, 22, 4)
        count = int(state.supply[colour])
        left = f"{count} {COLOURS[colour]} {'floor is' if count == 1 else 'floors are'} left."
        part.target(view, [CHOOSE + colour], box, f"{left} {SUPPLY_TIP}")


def _objectives(picture: Picture, game: Game, state: State) -> None:
    t, rows = game.tables[0], game.data.rows("objectives", "objective")
    seats = int(state.num_seats)
    part = picture.part("objectives", "objectives: chips left and progress", CARDS)
    part.text(8, 16, "objectives (chips left, progress)", 11, bold=True)
    y = 23.0
    for k in range(OBJECTIVES_IN_PLAY):
        objective, taken = int(state.objective[k]), int(state.chips_taken[k])
        left = t.chip_values[seats, taken:seats].tolist()
        _chip(part, 18, y + 16, k, str(left[0]) if left else "")
        at = part.paragraph(36, y + 12, rows[objective].name, 10.5, part.width - 44, 2)
        chips = f"chips left: {' '.join(map(str, left)) or 'none'}"
        part.text(36, at, chips, 9.5, fill=QUIET)
        for seat in range(seats):
            x = 14 + seat * (part.width - 16) / 4
            part.piece(x, at + 15, 7.2, seat)
            shown = f"{int(state.progress[seat, k])}/{int(t.objective_need[objective])}"
            if state.fulfilled[seat, k]:
                shown = f"won {int(state.chip[seat, k])}"
            part.text(x + 12, at + 19, shown, 10.5, width=46, bold="won" in shown)
        tip = f"Objective: {rows[objective].name}. {OBJECTIVE_TIPS[rows[objective].kind]}"
        part.explain(0, y - 4, part.width, at + 26 - y, f"{tip} {CHIP_TIP}")
        y = at + 30
    part.height = y


def _chip(part: Part, x: float, y: float, shape: int, label: str) -> None:
    """Draw a chip in one of three shapes with a label."""
    fill = GOLD
    if shape == 0:
        part.add(Circle(x, y, 10.5, fill=fill, stroke=INK))
    else:
        sides, radius = ((4, 13.0), (6, 12.0))[shape - 1]
        turned = 45.0 if shape == 1 else 0.0
        part.add(Polygon(regular(x, y, radius, sides, turned), fill=fill, stroke=INK))
    part.text(x, y + 4, label, 11, anchor="middle", bold=True)


# ----------------------------------------------------------------------------------------- seats


def _seat(picture: Picture, game: Game, state: State, view: View, seat: int, points: int) -> None:
    name = view.seat_name(seat)
    part = picture.part(f"seat-{seat}", f"{name}: {points} million", SEAT, seat=seat)
    part.height, part.plays = 216, seat == _to_play(state)
    part.piece(18, 17, 10, seat)
    part.text(34, 21, name, 12, width=120, bold=True)
    part.text(part.width - 10, 21, f"{points} million", 12, width=88, anchor="end", bold=True)
    part.explain(part.width - 100, 6, 96, 20, POINTS_TIP)
    part.text(10, 46, "reserve", 10.5, fill=QUIET)
    part.explain(8, 34, 48, 18, RESERVE_TIP)
    for colour in range(NUM_COLOURS):
        at = 58 + 36 * colour
        _swatch(part, at, 34, colour, str(int(state.reserve[seat, colour])))
        if part.plays:
            part.target(view, [RETURN + colour], Rect(at - 3, 31, 26, 22, 4))
    visible = int(np.sum(state.top == seat))
    left = f"roofs left {int(state.roofs_left[seat])}, on top {visible}"
    part.text(10, 69, left, 10.5, width=part.width - 20)
    part.explain(8, 58, part.width - 16, 15, ROOF_TIP)
    heights = sorted(int(h) for h in state.roof_height[seat] if h > 0)
    placed = " ".join(map(str, heights)) or "none"
    part.text(10, 85, f"roofs at heights {placed}", 10.5, width=part.width - 20)
    part.explain(8, 74, part.width - 16, 15, HEIGHT_TIP)
    chips = [int(chip) for chip in state.chip[seat] if chip]
    won = f"chips {' + '.join(map(str, chips)) or 'none'}"
    part.text(10, 101, won, 10.5, width=part.width - 20)
    part.explain(8, 90, part.width - 16, 15, CHIP_TIP)
    _tracks(part, game, state, seat, 10, 110)


def _tracks(part: Part, game: Game, state: State, seat: int, x: float, y: float) -> None:
    """Draw the stars, the rows of the four markers and the row of the cone."""
    t: Table = game.tables[0]
    columns = int(t.marker_end) + 1
    cell = min(CELL, (part.width - x - 28) / columns)
    used = int(state.stars[seat])
    for k in range(int(t.num_stars)):
        centre = x + 18 + (int(t.star_columns[k]) + 0.5) * cell
        part.star(centre, y + 5, 5.5, GOLD if k >= used else PAPER)
    part.explain(x, y - 2, part.width - 2 * x, 14, STAR_TIP)
    for colour in range(NUM_COLOURS):
        at = y + 13 + colour * 17
        part.add(Rect(x, at, 15, 14, 2, fill=FLOORS[colour], stroke=INK))
        part.text(x + 7.5, at + 10.2, CODES[colour], 8.8, fill=FLOOR_INK[colour], anchor="middle")
        values = t.marker_values[:columns].tolist()
        _row(part, (x + 18, at), cell, values, int(state.marker[seat, colour]))
    part.explain(x, y + 12, part.width - 2 * x, 68, MARKER_TIP)
    at = y + 13 + NUM_COLOURS * 17
    part.add(Polygon(((x + 7.5, at), (x + 13, at + 13), (x + 2, at + 13)), fill="#e0762b"))
    values = t.cone_values[: int(t.cone_end) + 1].tolist()
    _row(part, (x + 18, at), cell, values, int(state.cone[seat]))
    part.explain(x, at - 1, part.width - 2 * x, 17, CONE_TIP)


def _row(part: Part, corner: Point, cell: float, values: list[int], reached: int) -> None:
    x, y = corner
    for k, value in enumerate(values):
        fill = INK if k == reached else ("#dcd9cf" if k < reached else PAPER)
        part.add(Rect(x + k * cell, y, cell, 14, fill=fill, stroke=FAINT))
        ink = PAPER if k == reached else INK
        middle = x + (k + 0.5) * cell
        part.add(Text(middle, y + 10.4, str(value), 9, "middle", k == reached, fill=ink))
