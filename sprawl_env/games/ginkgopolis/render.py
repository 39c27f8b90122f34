"""*Ginkgopolis* as a picture: the city with its markers, supplies and what every seat holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sprawl_env.core.game import Game
from sprawl_env.core.rules import View
from sprawl_env.core.state import NOBODY, NOT_OVER, Games
from sprawl_env.games.ginkgopolis.actions import (
    ACTIONS,
    BESIDE,
    CARD,
    DONE,
    DRAFT,
    NEW_HAND,
    PLACE,
    RETURN,
    TAKE,
    WITH_TILE,
    WITHOUT_TILE,
)
from sprawl_env.games.ginkgopolis.constants import (
    ACTS,
    COLOURS,
    HAL,
    HAND_SIZE,
    LAST_PASS,
    LETTERS,
    NO_CARD,
    NO_CHARACTER,
    NO_SIDE,
    NO_TILE,
    NOT_TAKEN,
    NUM_ACTS,
    NUM_LETTERS,
    NUM_PLACES,
    NUMBERS,
    Count,
    Gain,
    Step,
)
from sprawl_env.games.ginkgopolis.names import (
    DECISIONS,
    cell_beside,
    decision_of,
    moving_letter,
    place_of,
    step_of,
    tiles_in,
)
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.games.ginkgopolis.wording import card_name, character_name, tile_name
from sprawl_env.render.canvas import BUTTON_HEIGHT
from sprawl_env.render.picture import Picture, ending
from sprawl_env.render.shapes import (
    INK,
    MARGIN,
    PAPER,
    QUIET,
    SEAT_COLOURS,
    WIDTH,
    Circle,
    Polygon,
    Rect,
    text_width,
)

TILES: Final = ("#f2b59b", "#a9d3f0", "#f5e98f")  # red, blue, yellow
INITIALS: Final = ("R", "B", "Y")
GAINS: Final = ("resource", "tile", "point")
SECRET: Final = frozenset(
    ("draft", "new_hand", "letter", "card", "with_tile", "without_tile", "return", "done")
)

CITY_WIDTH: Final = 516.0
CITY_HEIGHT: Final = 430.0
SIDE_X: Final = MARGIN + CITY_WIDTH + 8
SIDE_WIDTH: Final = WIDTH - MARGIN - SIDE_X
MOST_CELL: Final = 54.0
LEAST_TEXT: Final = 17.0  # cells smaller than this have no text
SEAT_HEIGHT: Final = 122.0
HAL_HEIGHT: Final = 44.0
CHIPS_A_ROW: Final = 12
LEFT: Final = 392.0  # of a seat's panel, up to its hand
MOST_LEVELS: Final = 5  # that are drawn one above the other
Cell = tuple[int, int]


def draw(game: Game, games: Games, g: int, view: View) -> Picture:
    """Return the position as a picture; hands, picks and screens as far as ``view`` sees them."""
    state: State = games[g]
    seats = int(state.num_seats)
    height = 66 + CITY_HEIGHT + MARGIN + seats * (SEAT_HEIGHT + 6) + MARGIN
    if seats == 1:
        height += HAL_HEIGHT + 6
    picture = Picture("Ginkgopolis", height)
    top = picture.header(
        view, _facts(state), _asked(state, view), _decision(game, games, g, view), _last(view)
    )
    places = _places(games, g, view)
    _city(picture, state, view, places, top)
    _side(picture, game, state, view, not places, top)
    y = top + CITY_HEIGHT + MARGIN
    points = game.scores(games, g).tolist()
    for seat in range(seats):
        _seat(picture, game, state, view, seat, points[seat], y)
        y += SEAT_HEIGHT + 6
    if seats == 1:
        _hal(picture, game, state, points[HAL], y)
    return picture


def _is_open(state: State, view: View, seat: int) -> bool:
    """Return whether the counts behind a screen may be shown."""
    return view.sees(seat) or bool(state.open_screens) or state.over != NOT_OVER


def _sees_all(state: State, view: View, seat: int) -> bool:
    return view.sees(seat) or state.over != NOT_OVER


def _facts(state: State) -> str:
    ending_ = "; the end is triggered" if state.ending and state.over == NOT_OVER else ""
    return f"round {int(state.rounds)}; first player: seat {int(state.first)}{ending_}"


def _asked(state: State, view: View) -> int:
    """Return the seat shown as owing a decision; a pass does not show who has answered."""
    if state.over != NOT_OVER:
        return NOBODY
    if view.seat is None or step_of(state) > LAST_PASS:
        return int(state.to_play)
    return view.seat if int(state.owes) >> view.seat & 1 else NOBODY


def _decision(game: Game, games: Games, g: int, view: View) -> str:
    state: State = games[g]
    if state.over != NOT_OVER:
        return ending(game, games, g, "stopped at the round limit").replace("the automaton", "Hal")
    words = DECISIONS[step_of(state)]
    if step_of(state) == Step.MARKER:
        words = f"move marker {LETTERS[moving_letter(state)]}"
    return words if _asked(state, view) != NOBODY else f"waiting for the others to {words}"


def _last(view: View) -> str:
    """Return the last action in words, without the content of another seat's hidden answer."""
    if view.last is None:
        return ""
    block, _ = ACTIONS.locate(view.last.action)
    hidden = block in SECRET and not view.sees(view.last.seat)
    return "a hidden answer" if hidden else view.last.says


# ------------------------------------------------------------------------------------------ city


def _markers(state: State) -> dict[Cell, int]:
    """Return the letters by the cells of their markers."""
    return {
        cell_beside(state, side): letter
        for letter, side in enumerate(state.marker.tolist())
        if side != NO_SIDE
    }


def _places(games: Games, g: int, view: View) -> dict[Cell, int]:
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


class _Grid:
    """Where the cells of the city are drawn."""

    def __init__(self, cells: list[Cell], top: float) -> None:
        columns, rows = [x for x, _ in cells], [y for _, y in cells]
        wide, high = max(columns) - min(columns) + 1, max(rows) - min(rows) + 1
        self.cell = min(MOST_CELL, (CITY_WIDTH - 16) / wide, (CITY_HEIGHT - 16) / high)
        self.left = MARGIN + (CITY_WIDTH - wide * self.cell) / 2 - min(columns) * self.cell
        self.top = top + (CITY_HEIGHT - high * self.cell) / 2 - min(rows) * self.cell

    def at(self, cell: Cell) -> tuple[float, float]:
        """Return the top left corner of a cell."""
        return self.left + cell[0] * self.cell, self.top + cell[1] * self.cell


def _city(picture: Picture, state: State, view: View, places: dict[Cell, int], top: float) -> None:
    sites = range(int(state.num_sites))
    where = [(int(state.site_x[site]), int(state.site_y[site])) for site in sites]
    markers = _markers(state)
    grid = _Grid([*where, *markers, *places], top)
    picture.panel(MARGIN, top, CITY_WIDTH, CITY_HEIGHT)
    for site in sites:
        _building(picture, state, view, grid, site, where[site])
    for cell, letter in markers.items():
        x, y = grid.at(cell)
        middle = (x + grid.cell / 2, y + grid.cell / 2)
        picture.add(Circle(*middle, grid.cell * 0.27, fill=PAPER, stroke=QUIET, stroke_width=1.2))
        size = grid.cell * 0.3
        picture.text(
            middle[0], middle[1] + size * 0.36, LETTERS[letter], size, anchor="middle", bold=True
        )
        picture.target(view, [CARD + letter], Circle(*middle, grid.cell * 0.34))
    for cell, action in places.items():
        x, y = grid.at(cell)
        gap = grid.cell * 0.15
        box = Rect(x + gap, y + gap, grid.cell - 2 * gap, grid.cell - 2 * gap, 4)
        picture.target(view, [action], box)


def _building(
    picture: Picture, state: State, view: View, grid: _Grid, site: int, cell: Cell
) -> None:
    """Draw the top tile with its levels, its owner and its worker."""
    tile, levels, owner = (
        int(state.site_tile[site]),
        int(state.levels[site]),
        int(state.owner[site]),
    )
    fill = TILES[tile // NUMBERS]
    (x, y), size = grid.at(cell), grid.cell
    lift = size * 0.045
    shown = min(levels, MOST_LEVELS)
    side = size * 0.9 - lift * (shown - 1)
    for level in range(shown - 1, -1, -1):
        corner = (x + size * 0.05 + lift * level, y + size * 0.05 + lift * level)
        picture.add(Rect(*corner, side, side, 2, fill=fill, stroke=INK, stroke_width=0.9))
    if size >= LEAST_TEXT:
        name = f"{INITIALS[tile // NUMBERS]}{tile % NUMBERS + 1}"
        left = x + size * 0.12
        picture.text(left, y + size * 0.36, name, size * 0.26, width=side * 0.8, bold=True)
        if levels > 1 or owner != NOBODY:
            picture.text(left, y + size * 0.05 + side - size * 0.09, f"x{levels}", size * 0.22)
    if int(state.workers) >> tile & 1:
        middle, high = x + side - size * 0.06, y + size * 0.13
        wide = size * 0.07
        points = (
            (middle, high),
            (middle + wide, high + 2 * wide),
            (middle - wide, high + 2 * wide),
        )
        picture.add(Polygon(points, fill=INK))
    if owner != NOBODY:
        place = (x + size * 0.05 + side - size * 0.21, y + size * 0.05 + side - size * 0.21)
        _owner(picture, state, *place, max(size * 0.15, 3.0), owner)
    box = Rect(x + size * 0.02, y + size * 0.02, size * 0.96, size * 0.96, 4)
    picture.target(view, [CARD + NUM_LETTERS + tile], box)


def _owner(picture: Picture, state: State, x: float, y: float, radius: float, owner: int) -> None:
    if state.num_seats == 1 and owner == HAL:
        picture.piece(x, y, radius, len(SEAT_COLOURS) - 1, "H")
    else:
        picture.piece(x, y, radius, owner)


# ------------------------------------------------------------------------------ beside the city


def _side(picture: Picture, game: Game, state: State, view: View, pushes: bool, top: float) -> None:
    """Draw the supplies, and a button for each action that has no place in the city."""
    t: Table = game.tables[0]
    picture.panel(SIDE_X, top, SIDE_WIDTH, CITY_HEIGHT)
    x, y = SIDE_X + 10, top + 20
    run_outs = ("never", "once", "twice")[min(int(state.run_outs), 2)]
    picture.text(x, y, f"supply: {int(state.supply_size)} tiles", 12, bold=True)
    picture.text(x, y + 16, f"run out {run_outs}", 10, fill=QUIET)
    picture.text(x, y + 38, f"deck: {int(state.deck_size)} cards", 12, bold=True)
    letters = [LETTERS[k] for k in range(NUM_LETTERS) if int(state.discarded_letters) >> k & 1]
    tiles = [short_name(tile) for tile in tiles_in(state.discarded)]
    discards = f"discarded: {' '.join(letters + tiles) or 'none'}"
    picture.paragraph(x, y + 54, discards, 10, SIDE_WIDTH - 20, 4, QUIET)
    y += 116
    for colour, gain in enumerate(GAINS):
        picture.add(Rect(x, y - 9, 16, 12, 2, fill=TILES[colour], stroke=INK))
        words = f"{INITIALS[colour]} {COLOURS[colour]}: {gain}s, one a level"
        picture.text(x + 22, y, words, 10, width=SIDE_WIDTH - 40)
        y += 17
    picture.add(Polygon(((x + 8, y - 9), (x + 12, y), (x + 4, y)), fill=INK))
    picture.text(x + 22, y, "worker: card waits for the next deck", 10, width=SIDE_WIDTH - 40)
    _owner_legend(picture, state, x, y + 18)
    for line in _how_to_play(t):
        picture.text(x, y + 40, line, 9.5, width=SIDE_WIDTH - 20, fill=QUIET)
        y += 14
    y += 46
    plain = [NEW_HAND, WITHOUT_TILE, TAKE, TAKE + 1, DONE]
    for action in (*plain, PLACE, PLACE + 1) if pushes else plain:
        if picture.button(view, action, x, y, SIDE_WIDTH - 20):
            y += BUTTON_HEIGHT + 6


def _how_to_play(t: Table) -> list[str]:
    return [
        "card alone: exploit, what the building yields",
        "marker + tile: urbanize for 1 resource,",
        "    yields of what is adjacent",
        "building + tile: construct for 1 resource a level,",
        "    1 for another colour, points if lower; keep it",
        f"low buildings: up to {int(t.low_levels)} levels",
    ]


def _owner_legend(picture: Picture, state: State, x: float, y: float) -> None:
    _owner(picture, state, x + 8, y - 4, 6.5, 0)
    words = "owner; x2: resources on the building"
    picture.text(x + 22, y, words, 10, width=SIDE_WIDTH - 40)


# ----------------------------------------------------------------------------------------- cards


def short_name(tile: int) -> str:
    """Return a tile or building card as ``R7``."""
    return f"{INITIALS[tile // NUMBERS]}{tile % NUMBERS + 1}"


def card_words(t: Table, tile: int) -> str:
    """Return what a building card gives once it is kept, e.g. ``end: 9 points``."""
    counts, each = int(t.card_counts[tile]), int(t.card_points[tile])
    if counts == Count.NOTHING:
        return f"{ACTS[t.card_act[tile]]}: {_gain_words(t.card_gain[tile])}"
    if counts == Count.FLAT:
        return f"end: {each} points"
    colour = int(t.card_colour[tile])
    per = "level" if t.colour_per_level else "building"
    what = {
        Count.BUILDINGS_OF_COLOUR: f"own {COLOURS[colour]} {per}",
        Count.LOW_BUILDINGS: "own low building",
        Count.TALL_BUILDINGS: "own taller building",
        Count.CARDS_OF_ACT: f"{ACTS[t.card_act[tile]]} card",
        Count.CARDS_OF_COLOUR: f"{COLOURS[tile // NUMBERS]} card",
    }[Count(counts)]
    return f"end: {each} for each {what}"


def _count(count: int, gain: int) -> str:
    return f"{count} {GAINS[gain]}{'s' if count > 1 else ''}"


def _gain_words(gains: Any) -> str:
    """Return gains as ``+1 resource +1 point``."""
    words = [f"+{_count(int(count), gain)}" for gain, count in enumerate(gains) if count]
    return " ".join(words) or "nothing"


def _character_words(t: Table, kind: int) -> str:
    items = t.character_items[kind]
    start = [_count(int(items[gain]), gain) for gain in Gain if items[gain]]
    return f"+1 {GAINS[kind // NUM_ACTS]}; start {', '.join(start) or 'nothing'}"


def _tile_chip(
    picture: Picture, x: float, y: float, tile: int, width: float, height: float = 16.0
) -> None:
    picture.add(Rect(x, y, width, height, 2, fill=TILES[tile // NUMBERS], stroke=INK))
    name, size = short_name(tile), min(10.0, height)
    if text_width(name, 8.0) > width - 1:
        name = name[1:]  # only the number fits; the fill shows the colour
    below = y + height / 2 + size * 0.36
    picture.text(x + width / 2, below, name, size, width=width - 1, anchor="middle")


# ----------------------------------------------------------------------------------------- seats


def _seat(
    picture: Picture, game: Game, state: State, view: View, seat: int, points: int, y: float
) -> None:
    picture.panel(MARGIN, y, WIDTH - 2 * MARGIN, SEAT_HEIGHT, PAPER)
    if seat == _asked(state, view):
        box = (MARGIN, y, WIDTH - 2 * MARGIN, SEAT_HEIGHT)
        picture.add(Rect(*box, 5, stroke=SEAT_COLOURS[seat], stroke_width=2.5))
    x = MARGIN + 10
    picture.piece(x + 9, y + 16, 9, seat)
    first = " (first)" if seat == state.first else ""
    wide = 26 + picture.text(x + 26, y + 20, f"seat {seat}{first}", 12, bold=True)
    shown = f"{points} points now" if _is_open(state, view, seat) else "screen closed"
    picture.text(x + LEFT - 20, y + 20, shown, 12, width=LEFT - wide - 30, anchor="end", bold=True)
    _holdings(picture, state, view, seat, x, y)
    bonuses = "; ".join(
        f"{ACTS[act]} {_gain_words(state.bonus[seat, act])}"
        for act in range(NUM_ACTS)
        if state.bonus[seat, act].any()
    )
    picture.text(x, y + 76, f"bonus: {bonuses or 'none'}", 10, width=LEFT - 20)
    _kept(picture, state, view, seat, x, y + 83)
    _end_words(picture, game, state, seat, x, y + 109)
    _hand(picture, game, state, view, seat, y)


def _holdings(picture: Picture, state: State, view: View, seat: int, x: float, y: float) -> None:
    """Draw what is behind the screen, as far as it may be seen, and in front of it."""
    tiles = int(state.tiles[seat]) | int(state.returning[seat])
    before = f"in supply {int(state.stock[seat])}, tokens {int(state.tokens[seat])}"
    behind = "behind the screen: ?"
    if _is_open(state, view, seat):
        behind = f"resources {int(state.resources[seat])}, points {int(state.points[seat])}"
    picture.text(x, y + 39, f"{behind}; {before}", 10.5, width=LEFT - 20)
    if not _sees_all(state, view, seat):
        count = tiles.bit_count() if _is_open(state, view, seat) else "?"
        picture.text(x, y + 58, f"tiles: {count}", 10.5)
        return
    held = tiles_in(tiles)
    picture.text(x, y + 58, "tiles" if held else "tiles: none", 10.5)
    rows = 1 if len(held) <= CHIPS_A_ROW else 2
    columns = max(-(-len(held) // rows), 1)
    width, height = min(26.0, (LEFT - 60) / columns - 3), 16.0 if rows == 1 else 9.5
    for k, tile in enumerate(held):
        at, top = x + 32 + k % columns * (width + 3), y + 45 + k // columns * (height + 1.5)
        _tile_chip(picture, at, top, tile, width, height)
        box = (at - 1, top - 1, width + 2, height + 2, 3)
        if tile == state.chosen_tile[seat] or int(state.returning[seat]) >> tile & 1:
            picture.add(Rect(*box, stroke=INK, stroke_width=2.4))
        if seat == state.to_play:
            picture.target(view, [WITH_TILE + tile, RETURN + tile], Rect(*box))


def _kept(picture: Picture, state: State, view: View, seat: int, x: float, y: float) -> None:
    """Draw the cards in front of a seat: characters by colour and act, then building cards."""
    drafting = state.over == NOT_OVER and state.rounds == 0 and step_of(state) == Step.DRAFT
    kinds = [] if drafting and not view.sees(seat) else state.picks[seat].tolist()
    characters = [kind for kind in kinds if kind != NO_CHARACTER]
    cards = tiles_in(state.kept[seat])
    wide = picture.text(x, y + 12, "cards" if characters or cards else "cards: none", 10.5)
    width = min(27.0, (LEFT - 30 - wide) / max(len(characters) + len(cards), 1) - 3)
    at = x + wide + 5
    for kind in characters:
        box = Rect(at, y, width, 16, 8, fill=TILES[kind // NUM_ACTS], stroke=INK)
        picture.add(box)
        name = f"{INITIALS[kind // NUM_ACTS]}-{ACTS[kind % NUM_ACTS][0].upper()}"
        picture.text(at + width / 2, y + 11.6, name, 9.5, width=width - 2, anchor="middle")
        at += width + 3
    for tile in cards:
        _tile_chip(picture, at, y, tile, width)
        at += width + 3


def _end_words(picture: Picture, game: Game, state: State, seat: int, x: float, y: float) -> None:
    """Write what the cards in front of a seat pay at the end."""
    t: Table = game.tables[0]
    pays = [
        f"{short_name(tile)} {card_words(t, tile).removeprefix('end: ')}"
        for tile in tiles_in(state.kept[seat])
        if t.card_counts[tile] != Count.NOTHING
    ]
    if pays:
        picture.paragraph(x, y, f"end: {'; '.join(pays)}", 9, LEFT - 16, 2, QUIET)


def _hand(picture: Picture, game: Game, state: State, view: View, seat: int, y: float) -> None:
    """Draw four cards or the pack to draft from; only their number if they are hidden."""
    x = MARGIN + LEFT
    if not view.sees(seat):
        count = sum(card != NO_CARD for card in state.hand[seat].tolist())
        picture.text(x + 10, y + 20, f"hand: {count} cards", 11, fill=QUIET)
        _seen_of(picture, state, seat, x + 10, y)
        return
    width, height = (WIDTH - MARGIN - x - 12) / 2, (SEAT_HEIGHT - 14) / 2
    for k, (name, words, fill, action, chosen) in enumerate(_cards(game, state, seat)):
        left, top = x + k % 2 * (width + 6), y + 4 + k // 2 * (height + 5)
        picture.add(Rect(left, top, width, height, 4, fill=fill, stroke=QUIET))
        picture.text(left + 8, top + 17, name, 11.5, width=width - 70, bold=True)
        picture.paragraph(left + 8, top + 31, words, 9.5, width - 14, 2)
        if chosen:
            picture.text(left + width - 8, top + 17, "chosen", 10, anchor="end")
            box = (left, top, width, height)
            picture.add(Rect(*box, 4, stroke=INK, stroke_width=2.4))
        if seat == state.to_play:
            picture.target(view, [action], Rect(left, top, width, height, 4))


def _seen_of(picture: Picture, state: State, seat: int, x: float, y: float) -> None:
    """Write what everybody has seen of a seat's choice and of its tiles (GK §3, G2, G16)."""
    if state.over == NOT_OVER and step_of(state) > Step.TILE and state.chosen[seat] != NO_CARD:
        tile = "with a tile" if state.chosen_tile[seat] != NO_TILE else "without a tile"
        picture.text(x, y + 40, f"a card face down, {tile}", 11, fill=QUIET)
    known = [short_name(tile) for tile in tiles_in(state.taken_back[seat])]
    if known:
        picture.text(x, y + 60, f"tiles shown and taken back: {' '.join(known)}", 11, fill=QUIET)


def _cards(game: Game, state: State, seat: int) -> Iterator[tuple[str, str, str, int, bool]]:
    """Yield name, words, colour and action of each choice, and whether it is chosen."""
    t: Table = game.tables[0]
    if state.over == NOT_OVER and step_of(state) == Step.DRAFT:
        pack = (seat - int(state.num_picks)) % int(state.num_seats)
        left = [k for k in range(HAND_SIZE) if state.taken_in[pack, k] == NOT_TAKEN]
        chosen = int(state.chosen[seat])
        for kind in sorted(
            int(state.pack[pack, k]) for k in left
        ):  # sorted: their order has no meaning
            words, fill = _character_words(t, kind), TILES[kind // NUM_ACTS]
            yield character_name(kind), words, fill, DRAFT + kind, kind == chosen
            chosen = NO_CARD if kind == chosen else chosen  # of several equal ones, one is chosen
        return
    for card in state.hand[seat].tolist():
        if card == NO_CARD:
            continue
        words, fill = "new building here, or 1 resource or tile", PAPER
        if card >= NUM_LETTERS:
            tile = card - NUM_LETTERS
            words, fill = card_words(t, tile), TILES[tile // NUMBERS]
        name = f"marker {LETTERS[card]}" if card < NUM_LETTERS else card_name(card)
        yield name, words, fill, CARD + card, card == state.chosen[seat]


def _hal(picture: Picture, game: Game, state: State, points: int, y: float) -> None:
    picture.panel(MARGIN, y, WIDTH - 2 * MARGIN, HAL_HEIGHT, PAPER)
    x = MARGIN + 10
    _owner(picture, state, x + 9, y + 15, 9, HAL)
    picture.text(x + 26, y + 19, "Hal", 12, bold=True)
    shown = f"{points} points now; resources in supply {int(state.stock[HAL])}"
    picture.text(x + 60, y + 19, shown, 11)
    kept = tiles_in(state.kept[HAL])
    picture.text(x, y + 37, "cards" if kept else "cards: none", 10.5)
    for k, tile in enumerate(kept):
        width = min(27.0, 700 / len(kept) - 3)
        _tile_chip(picture, x + 36 + k * (width + 3), y + 25, tile, width)
    lost = int(state.lost_tile)
    if lost >= 0:
        words = f"could not pay for {tile_name(lost)}"
        picture.text(WIDTH - 2 * MARGIN, y + 19, words, 10.5, anchor="end")
