"""The picture of *Urban Sprawl*: city, lines, offices, rows of cards, the seats' holdings."""

from __future__ import annotations

from typing import Final

from sprawl_env.core.game import Game
from sprawl_env.core.rules import View
from sprawl_env.core.state import NOBODY, NOT_OVER, Games
from sprawl_env.games.urban_sprawl.actions import (
    ACTIONS,
    AMOUNT,
    BUILD,
    DECLINE,
    FAVOR,
    GAIN,
    LINE,
    MARKER,
    MOST_BID,
    MOST_OPTIONS,
    OFFICE,
    OPTION,
    PERMIT,
    PLANNING,
    SEAT_AT,
    SITE,
    VOCATION,
    YES,
    ZONE,
)
from sprawl_env.games.urban_sprawl.constants import (
    CONTRACT_SPACES,
    CONTRACTOR,
    CORNERS,
    DECKS,
    FIRST_DOUBLE_ROW,
    FIRST_FAVOR,
    FIRST_GREY,
    FIRST_TOP,
    MONEY,
    NO_CARD,
    NO_KIND,
    NO_MARKER,
    NUM_BLOCKS,
    NUM_COLUMNS,
    NUM_DOUBLE_ROWS,
    NUM_GREYS,
    NUM_KINDS,
    NUM_LOTS,
    NUM_MARKERS,
    NUM_PERMITS,
    NUM_TOP_GREYS,
    NUM_VOCATIONS,
    NUM_WEALTH_MARKERS,
    NUM_ZONES,
    OFFICES,
    PARK,
    PLANNING_TOP,
    RENEWAL,
    SHAPES,
    SIDE,
    SIZE_OF,
    VOCATIONS,
    ZONES,
)
from sprawl_env.games.urban_sprawl.effect_verbs import VERBS_OF
from sprawl_env.games.urban_sprawl.names import (
    card_name,
    footprint_size,
    kind_name,
)
from sprawl_env.games.urban_sprawl.render_cards import (
    card_effects,
    effect_words,
    event_effects,
    is_event,
    restrictions,
    vocations_of,
)
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import (
    DECISIONS,
    Step,
)
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.games.urban_sprawl.wording import OFFICE_NAMES
from sprawl_env.kernels.agenda import top
from sprawl_env.render.picture import Picture, ending
from sprawl_env.render.shapes import (
    FAINT,
    INK,
    MARGIN,
    NONE,
    PAPER,
    QUIET,
    SEAT_COLOURS,
    WIDTH,
    Circle,
    Point,
    Polygon,
    Rect,
    regular,
    text_width,
)

COLOURS: Final = ("#a9d3f0", "#f2b59b", "#f5e98f", "#a6dcc3", "#5fa777")  # zones and parks
GOLD: Final = "#f3d66b"
LILAC: Final = "#dccbee"
GREY: Final = "#cfcfca"

TOP: Final = 92.0  # below header and buttons
L_SIZE: Final = 3  # lots of an L
DIAGONAL: Final = (0, 3)  # corners
LOT: Final = 31.0
STREET: Final = 7.0
BLOCK: Final = 2 * LOT + STREET
CITY_X: Final = MARGIN + 36.0
CITY_Y: Final = TOP + 34.0
CITY: Final = SIDE * BLOCK - STREET
BOARD_WIDTH: Final = CITY + 36 + 42
BOARD_HEIGHT: Final = CITY + 34 + 28
SIDE_X: Final = MARGIN + BOARD_WIDTH + 8
SIDE_WIDTH: Final = WIDTH - MARGIN - SIDE_X
MOST_BUTTONS: Final = 600.0  # maximum width of all buttons together
LEAST_WORDS: Final = 100.0
ROOM_FOR_CODE: Final = 24.0
CARD_HEIGHT: Final = 66.0
SEAT_HEIGHT: Final = 94.0
NAMED: Final = ("seat", "zone", "office", "line", "vocation", "gain", "option")


def draw(game: Game, games: Games, g: int, view: View) -> Picture:
    """Return the position as a picture, without the order of the decks, which is hidden."""
    state = games[g]
    seats = int(state.num_seats)
    cards = TOP + BOARD_HEIGHT + 8
    rows = (CONTRACT_SPACES + int(state.active_decks).bit_count() + 1) // 2
    below = cards + rows * (CARD_HEIGHT + 5) + 3
    picture = Picture("Urban Sprawl", below + seats * (SEAT_HEIGHT + 5) + MARGIN - 5)
    picture.header(
        view, _facts(state), _to_play(state), _decision(game, games, g), _last_words(view)
    )
    _questions(picture, game, state, view)
    _board(picture, game, state, view)
    _side(picture, game, state, view)
    _contracts(picture, game, state, view, cards)
    points = game.scores(games, g).tolist()
    for seat in range(seats):
        _seat(picture, game, state, view, seat, points[seat], below + seat * (SEAT_HEIGHT + 5))
    return picture


def _step(state: State) -> Step | None:
    return Step(top(state).step) if state.over == NOT_OVER else None


def _to_play(state: State) -> int:
    return int(state.to_play) if state.over == NOT_OVER else NOBODY


def _facts(state: State) -> str:
    return (
        f"turn {int(state.turn) + 1} of seat {int(state.active)}, {int(state.points)} AP left; "
        f"ply {int(state.ply)}"
    )


def _decision(game: Game, games: Games, g: int) -> str:
    state = games[g]
    step = _step(state)
    if step is None:
        return ending(game, games, g, "stopped at the turn limit")
    words, entry = DECISIONS[step].words, top(state)
    if step == Step.BID and entry.highest:
        return f"{words}; seat {entry.bidder} bids {entry.highest}"
    if step == Step.GREY:
        return f"{words} for {_marker_name(game.tables[0], int(entry.marker))}"
    if step == Step.MARKER_GAIN:
        return f"{words}: {entry.number} for each of {entry.left}"
    return words


def _last_words(view: View) -> str:
    """Return the last action as a sentence; the names of most answers have no verb."""
    if view.last is None:
        return ""
    block, _ = ACTIONS.locate(view.last.action)
    says = view.last.says.removeprefix("option ")
    return f"picks {says}" if block in NAMED else says


# ------------------------------------------------------------------------------------- questions


def _questions(picture: Picture, game: Game, state: State, view: View) -> None:
    """Draw buttons for answers without a place on the board, then the decision's subject."""
    labels = _answers(game.tables[0], state, view)
    x, y, size = float(MARGIN), 65.0, 10.5
    wide = sum(text_width(label, size) + 21 for label in labels.values())
    most = MOST_BUTTONS / max(wide, MOST_BUTTONS)
    for action, label in labels.items():
        width = (text_width(label, size) + 16) * most
        picture.button(view, action, x, y, width, label)
        x += width + 5 * most
    about = _about(game, state)
    if about and WIDTH - x > LEAST_WORDS:
        picture.text(x + 4, y + 13, about, size, width=WIDTH - MARGIN - x - 4, fill=QUIET)


def _answers(t: Table, state: State, view: View) -> dict[int, str]:
    """Return the legal answers that are buttons, with their labels."""
    spans = ((DECLINE, 1), (YES, 1), (ZONE, NUM_ZONES), (GAIN, 2), (OPTION, MOST_OPTIONS))
    plain = [start + k for start, count in spans for k in range(count)]
    legal = [a for a in (*plain, *range(AMOUNT, AMOUNT + MOST_BID)) if a in view.names]
    labels = {action: view.names[action] for action in legal}
    if _step(state) == Step.OPTION:
        first = int(t.effects[top(state).effect].then_first)
        for action in legal:
            labels[action] = f"{action - OPTION + 1}: {effect_words(t, first + action - OPTION)}"
    return {action: label.removeprefix("option ") for action, label in labels.items()}


def _about(game: Game, state: State) -> str:
    """Return the card, event or effect that the decision belongs to, in words."""
    t, step = game.tables[0], _step(state)
    if step is None:
        return ""
    if step in {Step.FOOTPRINT, Step.PERMITS}:
        card = int(top(state).card)
        paid = f", permits paid: {top(state).paid}" if step == Step.PERMITS else ""
        size = int(t.card_size[card])
        words = restrictions(t, card)
        return f"{card_name(game.tables, card)}, size {size}{paid}{words and '; ' + words}"
    if step in VERBS_OF:
        words = effect_words(t, int(top(state).effect))
    else:
        return ""
    if state.event != NO_KIND:
        return f"{kind_name(game.tables, NUM_KINDS + int(state.event))}: {words}"
    if state.card != NO_CARD:
        return f"{card_name(game.tables, int(state.card))}: {words}"
    return words


# ---------------------------------------------------------------------------------------- board


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
    for corner, end in zip((0, 1, 3, 2), ends, strict=True):
        if SIZE_OF[corners] < L_SIZE or corners >> corner & 1:
            points.append(end)
            continue
        inner_x = LOT - inset if corner % 2 else LOT + inset
        inner_y = LOT - inset if corner // 2 else LOT + inset
        notch = [(end[0], inner_y), (inner_x, inner_y), (inner_x, end[1])]
        points += notch if corner in DIAGONAL else notch[::-1]
    return tuple((x + dx, y + dy) for dx, dy in points)


def _board(picture: Picture, game: Game, state: State, view: View) -> None:
    t = game.tables[0]
    picture.panel(MARGIN, TOP, BOARD_WIDTH, BOARD_HEIGHT)
    picture.add(Rect(CITY_X - 3, CITY_Y - 6, CITY + 6, 3, fill="#3a87c8"))
    picture.add(Rect(CITY_X + CITY + 3, CITY_Y - 3, 3, CITY + 6, fill="#3a87c8"))
    picture.add(Rect(CITY_X - 6, CITY_Y - 3, 3, CITY + 6, fill="#2c8a5a"))
    picture.add(Rect(CITY_X - 3, CITY_Y + CITY + 3, CITY + 6, 3, fill="#2c8a5a"))
    for lot in range(NUM_LOTS):
        if state.building_on[lot] == 0:
            picture.add(Rect(*_lot_place(lot), LOT, LOT, fill="#ebe9e1", stroke=FAINT))
    for lot in range(NUM_LOTS):
        if state.corners[lot]:
            _building(picture, state, lot)
    _last(picture, state, view)
    for block in range(NUM_BLOCKS):
        x, y = _lot_place(block * CORNERS + 3)
        picture.add(Circle(x, y, 8.2, fill=PAPER, stroke=QUIET, stroke_width=0.8))
        picture.text(x, y + 3.4, str(int(state.value[block])), 9.5, anchor="middle")
    _printed_lines(picture, t, view)
    _grey_spaces(picture, t, state, view)
    _sites(picture, game, state, view)


def _building(picture: Picture, state: State, lot: int) -> None:
    zone, owner, block = int(state.zone[lot]), int(state.owner[lot]), lot // CORNERS
    outline = _outline(block, int(state.corners[lot]), 1.0)
    meant = lot == state.lot
    width = 2.6 if meant else 1.2
    picture.add(Polygon(outline, fill=COLOURS[zone], stroke=INK, stroke_width=width))
    x, y = _lot_place(lot)
    left, upper = lot % 2 == 0, lot % CORNERS < CORNERS // 2  # the value stands in the middle
    middle = x + (11.5 if left else LOT - 11.5)
    if zone == PARK:
        picture.add(
            Polygon(regular(middle, y + (10 if upper else LOT - 8), 6.5, 3), fill="#1f5a3a")
        )
    else:
        edge, anchor = (x + 3.5, "start") if left else (x + LOT - 3.5, "end")
        below = y + (11 if upper else LOT - 4.5)
        picture.text(edge, below, ZONES[zone], 9, anchor=anchor, bold=True)
    if owner != NOBODY:
        picture.piece(middle, y + (21 if upper else 10.5), 6.6, owner)


def _last(picture: Picture, state: State, view: View) -> None:
    """Frame the block of the last action in the colour of its seat."""
    last = view.last
    if last is not None and SITE <= last.action < SITE + NUM_LOTS:
        x, y = _lot_place((last.action - SITE) // CORNERS * CORNERS)
        box = Rect(
            x - 2, y - 2, 2 * LOT + 4, 2 * LOT + 4, 3,
            stroke=SEAT_COLOURS[last.seat], stroke_width=2.4,
        )  # fmt: skip
        picture.add(box)


def _number(picture: Picture, x: float, y: float, number: int, wealth: bool) -> None:
    """Draw a number: a coin for wealth, a diamond for prestige."""
    if wealth:
        picture.add(Circle(x, y, 9.5, fill=GOLD, stroke=INK))
    else:
        picture.add(Polygon(regular(x, y, 12, 4), fill=LILAC, stroke=INK))
    picture.text(x, y + 4, str(number), 11, anchor="middle", bold=True)


def _printed_lines(picture: Picture, t: Table, view: View) -> None:
    for column in range(NUM_COLUMNS):
        x, y = CITY_X + column * BLOCK + LOT, CITY_Y + CITY + 17
        _number(picture, x, y, int(t.column_number[column]), True)
        picture.text(x - 25, y + 4, "ABCDEF"[column], 10, fill=QUIET)
        picture.target(view, [LINE + column], Circle(x, y, 11))
    for row in range(NUM_DOUBLE_ROWS):
        x, y = MARGIN + 17, CITY_Y + row * 2 * BLOCK + BLOCK - STREET / 2
        _number(picture, x, y, int(t.row_number[row]), False)
        for half in range(2):
            at = CITY_Y + (2 * row + half) * BLOCK + LOT
            picture.text(x + 1, at + 4, str(2 * row + half + 1), 10, fill=QUIET, anchor="middle")
        picture.target(view, [LINE + FIRST_DOUBLE_ROW + row], Circle(x, y, 13))


def _grey_spaces(picture: Picture, t: Table, state: State, view: View) -> None:
    for grey in range(NUM_GREYS):
        if grey < NUM_TOP_GREYS:
            x, y = CITY_X + grey * 2 * BLOCK + BLOCK - STREET / 2, TOP + 15
        else:
            row = grey - NUM_TOP_GREYS
            x, y = CITY_X + CITY + 24, CITY_Y + row * BLOCK + LOT
        picture.add(Rect(x - 14, y - 12, 28, 24, 4, fill=GREY, stroke=QUIET))
        marker = int(state.marker_at[grey])
        actions = [LINE + FIRST_GREY + grey]
        if marker != NO_MARKER:
            actions.append(MARKER + marker)
            _number(picture, x, y, int(t.marker_number[marker]), marker < NUM_WEALTH_MARKERS)
        picture.target(view, actions, Rect(x - 15, y - 13, 30, 26, 4))


def _sites(picture: Picture, game: Game, state: State, view: View) -> None:
    """Add targets in the city: lots, buildings or footprints."""
    if not any(SITE <= action < SITE + NUM_LOTS for action in view.names):
        return
    size = footprint_size(game.tables, state)
    for site in range(NUM_LOTS):
        if SITE + site not in view.names:
            continue
        block = site // CORNERS
        if size > 1:
            shape = int(SHAPES[size - 1, site % CORNERS])
            _footprint(picture, view, SITE + site, block, shape)
            continue
        corners = int(state.corners[site]) if size == 0 else 0
        outline = _outline(block, corners or 1 << site % CORNERS, 1.5)
        picture.target(view, [SITE + site], Polygon(outline))


def _footprint(picture: Picture, view: View, action: int, block: int, corners: int) -> None:
    """Draw a dot in the middle of a footprint; footprints of a block overlap, dots do not."""
    if SIZE_OF[corners] == L_SIZE:  # the dot of an L lies in its middle lot
        middle = 3 - next(corner for corner in range(CORNERS) if not corners >> corner & 1)
        lots = [middle]
    else:
        lots = [corner for corner in range(CORNERS) if corners >> corner & 1]
    places = [_lot_place(block * CORNERS + corner) for corner in lots]
    x = sum(place[0] for place in places) / len(places) + LOT / 2
    y = sum(place[1] for place in places) / len(places) + LOT / 2
    radius = 11.0 if len(lots) == CORNERS else 6.5
    if len(lots) < CORNERS:
        picture.add(Circle(x, y, radius, fill=PAPER))
    picture.target(view, [action], Circle(x, y, radius))


# ----------------------------------------------------------------------------- beside the board


def _side(picture: Picture, game: Game, state: State, view: View) -> None:
    t = game.tables[0]
    picture.panel(SIDE_X, TOP, SIDE_WIDTH, BOARD_HEIGHT)
    x, y = SIDE_X + 8, TOP + 16
    discards = int(state.planning_discards.sum())
    words = f"planning cards ({int(state.planning_size)} face down, {discards} discarded)"
    picture.text(x, y, words, 11, width=SIDE_WIDTH - 16, bold=True)
    y += 6
    for space in range(PLANNING_TOP + 1):
        _planning(picture, game, state, view, space, x, y)
        y += 25
    y = _offices(picture, state, view, x, y + 17)
    y = _vocations(picture, state, view, x, y + 17)
    y = _markers_left(picture, t, state, view, x, y + 19)
    y = _tiles_left(picture, state, x, y + 14)
    _legend(picture, x, y + 18)


def _planning(
    picture: Picture, game: Game, state: State, view: View, space: int, x: float, y: float
) -> None:
    t, kind = game.tables[0], int(state.planning[space])
    width = SIDE_WIDTH - 16
    picture.add(Rect(x, y, width, 22, 3, fill=PAPER, stroke=FAINT))
    cost = int(t.planning_cost[space])
    label = f"{cost} AP" if space < PLANNING_TOP else f"top {cost} AP"
    picture.text(x + 5, y + 15, label, 9.5, width=46, fill=QUIET)
    if kind == NO_KIND:
        picture.text(x + 54, y + 15, "(empty)", 10, fill=QUIET)
    elif kind < NUM_PERMITS:
        _permit(picture, t, kind, x + 54, y + 3, width - 58)
    else:
        words = kind_name(game.tables, kind)
        if kind >= NUM_KINDS:
            words += f": {event_effects(t, kind - NUM_KINDS)}"
        picture.text(x + 54, y + 15, words, 10, width=width - 58)
    picture.target(view, [PLANNING + space], Rect(x, y, width, 22, 3))


def _permit(
    picture: Picture, t: Table, kind: int, x: float, y: float, width: float, held: bool = False
) -> None:
    """Draw a permit, 16 high: permits, zones, wealth value and, unless held, its ballot."""
    picture.text(x, y + 12, str(int(t.permits[kind])), 12, bold=True)
    zones = [zone for zone in range(NUM_ZONES) if int(t.permit_zones[kind]) >> zone & 1]
    at, step = x + 11, min(27.0, (width - 31) / len(zones))
    for zone in zones:
        picture.add(Rect(at, y + 1, step - 2, 14, 2, fill=COLOURS[zone], stroke=QUIET))
        name = ZONES[zone] if step > ROOM_FOR_CODE else ZONES[zone][:2]
        picture.text(at + step / 2 - 1, y + 11.5, name, 8.5, width=step - 3, anchor="middle")
        at += step
    picture.add(Circle(at + 9, y + 8, 7.5, fill=GOLD, stroke=QUIET))
    value = str(int(t.permit_wealth[kind]))
    picture.text(at + 9, y + 11.4, value, 9.5, anchor="middle", bold=True)
    if t.permit_ballot[kind] and not held:
        picture.text(at + 21, y + 11.5, "ballot", 9, fill=QUIET)


def _offices(picture: Picture, state: State, view: View, x: float, y: float) -> float:
    picture.text(x, y, "offices (> where the ballot pawn is, x not in play)", 10.5,
                 width=SIDE_WIDTH - 16, bold=True)  # fmt: skip
    width = (SIDE_WIDTH - 16) / 2
    for office in range(len(OFFICES)):
        left, top = x + office % 2 * width, y + 6 + office // 2 * 19
        holder = int(state.office[office])
        known = int(state.in_play) >> office & 1
        pawn = "> " if office == state.pawn and office != CONTRACTOR else ""
        ink = INK if known else "#8f8f88"
        if holder != NOBODY:
            picture.piece(left + 9, top + 9, 6.6, holder)
        else:
            picture.text(left + 9, top + 12, "-" if known else "x", 10, fill=ink, anchor="middle")
        name = f"{pawn}{OFFICE_NAMES[office]}"
        picture.text(left + 21, top + 12.5, name, 10, width=width - 24, fill=ink)
        picture.target(view, [OFFICE + office], Rect(left, top, width - 3, 18, 3))
    return y + 6 + 3 * 19


def _vocations(picture: Picture, state: State, view: View, x: float, y: float) -> float:
    picture.text(x, y, "vocation markers left", 10.5, bold=True)
    width = (SIDE_WIDTH - 16) / 2
    for vocation in range(NUM_VOCATIONS):
        left, top = x + vocation % 2 * width, y + 4 + vocation // 2 * 15
        left_over = int(state.vocations_left[vocation])
        words = f"{left_over}  {VOCATIONS[vocation]}"
        picture.text(left + 5, top + 11, words, 9, width=width - 10)
        picture.target(view, [VOCATION + vocation], Rect(left, top, width - 3, 15, 3))
    return y + 4 + 4 * 15


def _markers_left(
    picture: Picture, t: Table, state: State, view: View, x: float, y: float
) -> float:
    picture.text(x, y + 2, "markers left", 10.5, width=70, bold=True)
    placed = set(state.marker_at.tolist())
    free = [marker for marker in range(NUM_MARKERS) if marker not in placed]
    step = min(25.0, (SIDE_WIDTH - 90) / max(len(free), 1))
    for k, marker in enumerate(free):
        at = x + 90 + k * step
        _number(picture, at, y - 1, int(t.marker_number[marker]), marker < NUM_WEALTH_MARKERS)
        picture.target(view, [MARKER + marker], Circle(at, y - 1, 12))
    return y + 14


def _tiles_left(picture: Picture, state: State, x: float, y: float) -> float:
    """Draw the building tiles in the supply by zone, sizes 1 to 4."""
    picture.text(x, y, "building tiles left, size 1 / 2 / 3 / 4", 10.5,
                 width=SIDE_WIDTH - 16, bold=True)  # fmt: skip
    width = (SIDE_WIDTH - 16) / len(COLOURS)
    for zone, fill in enumerate(COLOURS):
        left = x + zone * width
        picture.add(Rect(left, y + 5, width - 4, 13, 2, fill=fill, stroke=QUIET))
        middle = left + (width - 4) / 2
        picture.text(middle, y + 14.8, ZONES[zone], 9, width=width - 6, anchor="middle")
        shown = " ".join(map(str, state.tiles[zone].tolist()))
        picture.text(middle, y + 30, shown, 9.5, width=width - 2, anchor="middle")
    return y + 32


def _legend(picture: Picture, x: float, y: float) -> None:
    _number(picture, x + 10, y - 4, 7, True)
    picture.text(x + 24, y, "wealth", 9.5, fill=QUIET)
    _number(picture, x + 78, y - 4, 4, False)
    picture.text(x + 94, y, "prestige", 9.5, fill=QUIET)
    picture.add(Circle(x + 152, y - 4, 8.2, fill=PAPER, stroke=QUIET, stroke_width=0.8))
    picture.text(x + 152, y - 0.6, "15", 9.5, anchor="middle")
    picture.text(x + 165, y, "value of a block", 9.5, fill=QUIET)
    words = "blue edge: water, green edge: forest"
    picture.text(x, y + 17, words, 9.5, width=SIDE_WIDTH - 16, fill=QUIET)


# --------------------------------------------------------------------------------------- contracts


def _contracts(picture: Picture, game: Game, state: State, view: View, y: float) -> None:
    """Draw the row of contracts, then the face-up tops of the active decks."""
    t = game.tables[0]
    shown = [(f"{int(t.build_cost[k])} AP", int(state.contract[k]), k) for k in range(FIRST_TOP)]
    for deck, name in enumerate(DECKS):
        if int(state.active_decks) >> deck & 1:
            place = FIRST_TOP + deck
            down = int(state.deck_size[deck])
            label = f"{int(t.build_cost[place])} AP, {name.capitalize()} top, {down} face down"
            shown.append((label, int(state.deck_top[deck]), place))
    width = (WIDTH - 2 * MARGIN - 6) / 2
    for k, (label, card, place) in enumerate(shown):
        x, top = MARGIN + k % 2 * (width + 6), y + k // 2 * (CARD_HEIGHT + 5)
        box = Rect(x, top, width, CARD_HEIGHT, 5)
        picture.panel(x, top, width, CARD_HEIGHT, PAPER)
        _card(picture, game, card, label, x, top, width)
        picture.target(view, [BUILD + place, FAVOR + place], box)


def _card(
    picture: Picture, game: Game, card: int, label: str, x: float, y: float, width: float
) -> None:
    """Draw a contract: name, zone, size, vocation, prestige icon, restrictions, effects."""
    t = game.tables[0]
    room = min(text_width(label, 9.5), 150.0)
    picture.text(x + width - 8, y + 16, label, 9.5, width=room, fill=QUIET, anchor="end")
    if card == NO_CARD:
        picture.text(x + 8, y + 16, "(empty)", 10.5, fill=QUIET)
        return
    wide = width - room - 24
    if is_event(t, card):
        picture.text(x + 8, y + 17, f"{card_name(game.tables, card)} (event)", 12, width=wide,
                     bold=True)  # fmt: skip
    else:
        zone = int(t.card_zone[card])
        picture.add(Rect(x + 6, y + 5, 48, 17, 3, fill=COLOURS[zone], stroke=QUIET))
        picture.text(x + 30, y + 17, f"{ZONES[zone]} {int(t.card_size[card])}", 10.5,
                     anchor="middle", bold=True)  # fmt: skip
        picture.text(x + 61, y + 17, card_name(game.tables, card), 12, width=wide - 55, bold=True)
    facts = [vocations_of(t, card), restrictions(t, card)]
    if t.card_prestige[card]:
        facts.insert(1, f"pays prestige {int(t.card_prestige[card])}")
    line = "; ".join(fact for fact in facts if fact)
    picture.text(x + 8, y + 34, line, 10, width=width - 16, fill=QUIET)
    effects = card_effects(t, card)
    picture.paragraph(x + 8, y + (47 if line else 36), effects, 10, width - 16, 2)


# ------------------------------------------------------------------------------------------ seats


def _seat(
    picture: Picture,
    game: Game,
    state: State,
    view: View,
    seat: int,
    points: int,
    y: float,
) -> None:
    to_play = _to_play(state)
    box = Rect(MARGIN, y, WIDTH - 2 * MARGIN, SEAT_HEIGHT, 5)
    picture.panel(MARGIN, y, WIDTH - 2 * MARGIN, SEAT_HEIGHT, PAPER)
    if seat == to_play:
        picture.add(
            Rect(MARGIN, y, WIDTH - 2 * MARGIN, SEAT_HEIGHT, 5, fill=NONE,
                 stroke=SEAT_COLOURS[seat], stroke_width=2.5)
        )  # fmt: skip
    x = MARGIN + 10
    picture.piece(x + 9, y + 16, 9, seat)
    picture.text(x + 26, y + 20, f"seat {seat}", 12, bold=True)
    held = f"prestige {int(state.prestige[seat])}, wealth {int(state.wealth[seat])}"
    wide = picture.text(x + 72, y + 20, held, 12, width=170, bold=True)
    wide += 8 + picture.text(x + 80 + wide, y + 20, f"({points} if it ended now)", 10, fill=QUIET)
    offices = [OFFICE_NAMES[o] for o in range(len(OFFICES)) if state.office[o] == seat]
    vocations = [
        f"{VOCATIONS[v]} {int(state.vocations[seat, v])}"
        for v in range(NUM_VOCATIONS)
        if state.vocations[seat, v]
    ]
    room = WIDTH - 4 * MARGIN - 90 - wide
    picture.text(WIDTH - 2 * MARGIN, y + 20, ", ".join(offices), 10.5, width=room, anchor="end")
    words = f"vocations {', '.join(vocations)}" if vocations else "no vocation"
    picture.text(x, y + 37, words, 10, width=WIDTH - 2 * MARGIN - 20, fill=QUIET)
    _hand(picture, game, state, view, seat, x, y + 43)
    _favors(picture, game, state, view, seat, x, y + 85)
    if to_play != NOBODY:
        k = (seat - to_play) % int(state.num_seats)
        picture.target(view, [SEAT_AT + k], box)


def _hand(
    picture: Picture, game: Game, state: State, view: View, seat: int, x: float, y: float
) -> None:
    """Draw the planning cards of a seat, one box per kind; hands are open."""
    t = game.tables[0]
    kinds = [kind for kind in range(NUM_KINDS) if state.hand[seat, kind]]
    picture.text(x, y + 15, "hand" if kinds else "hand: empty", 10, fill=QUIET)
    step = min(152.0, (WIDTH - 2 * MARGIN - 50) / max(len(kinds), 1))
    for k, kind in enumerate(kinds):
        at, width = x + 32 + k * step, step - 4
        picture.add(Rect(at, y, width, 22, 3, fill="#f7f5ef", stroke=FAINT))
        count = int(state.hand[seat, kind])
        many = picture.text(at + 3, y + 15, f"{count}x", 9, fill=QUIET) + 6 if count > 1 else 4
        if kind == RENEWAL:
            picture.text(at + many, y + 15, "Urban Renewal", 9.5, width=width - many - 2)
        else:
            _permit(picture, t, kind, at + many, y + 3, width - many, True)
        if seat == _to_play(state):
            picture.target(view, [PERMIT + kind], Rect(at, y, width, 22, 3))


def _favors(
    picture: Picture, game: Game, state: State, view: View, seat: int, x: float, y: float
) -> None:
    t = game.tables[0]
    favors = [int(card) for card in state.favors[seat] if card != NO_CARD]
    picture.text(x, y - 8, "Favors" if favors else "no Favor", 10, fill=QUIET)
    room = (WIDTH - 2 * MARGIN - 70) / max(len(favors), 1)
    for k, card in enumerate(favors):
        at = x + 44 + k * room
        zone = f"{ZONES[t.card_zone[card]]} {int(t.card_size[card])}"
        parts = (vocations_of(t, card), restrictions(t, card), card_effects(t, card))
        words = f"{card_name(game.tables, card)} ({zone}): {'; '.join(p for p in parts if p)}"
        picture.paragraph(at, y - 8, words, 9.5, room - 12, 2)
        if seat == _to_play(state):
            box = Rect(at - 4, y - 18, room - 6, 25, 3)
            picture.target(view, [BUILD + FIRST_FAVOR + k], box)


def _marker_name(t: Table, marker: int) -> str:
    return f"{MONEY[marker >= NUM_WEALTH_MARKERS]} {int(t.marker_number[marker])}"
