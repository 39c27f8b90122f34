"""The picture of *Urban Sprawl*: the board, rows of cards, what the seats have, supplies.

The parts are drawn by ``render_board.py``, ``render_answers.py``, ``render_seats.py`` and, cards
and supplies, by this module.
"""

from __future__ import annotations

from typing import Final

from sprawl_env.core.game import Game
from sprawl_env.core.rules import View
from sprawl_env.core.state import NOBODY, NOT_OVER, Games, Tables
from sprawl_env.core.words import counted
from sprawl_env.games.urban_sprawl.actions import (
    ACTIONS,
    BUILD,
    FAVOR,
    MARKER,
    OFFICE,
    PLANNING,
    VOCATION,
)
from sprawl_env.games.urban_sprawl.constants import (
    CONTRACTOR,
    DECKS,
    FIRST_TOP,
    MAX_SIZE,
    NO_CARD,
    NO_KIND,
    NO_MARKER,
    NUM_MARKERS,
    NUM_VOCATIONS,
    NUM_WEALTH_MARKERS,
    OFFICES,
    PLANNING_TOP,
    SIDE,
    VOCATIONS,
    ZONES,
)
from sprawl_env.games.urban_sprawl.names import contract_name
from sprawl_env.games.urban_sprawl.render_answers import answers, decision_words, step_of
from sprawl_env.games.urban_sprawl.render_board import board
from sprawl_env.games.urban_sprawl.render_marks import (
    COLOURS,
    FOREST,
    GOLD,
    GREY,
    INSET,
    WATER,
    block_value,
    contract,
    number,
    planning_card,
    tree,
)
from sprawl_env.games.urban_sprawl.render_seats import hand, seat
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import Step
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.games.urban_sprawl.tips import (
    BALLOT_TIP,
    EDGE_TIP,
    FRAME_TIP,
    GREY_TIP,
    PRESTIGE_TIP,
    STAR_TIP,
    TARGET_TIP,
    TILES_TIP,
    VALUE_TIP,
    WEALTH_TIP,
    ZONE_WORDS,
    card_tip,
    marker_tip,
    office_tip,
    opening_tip,
    planning_tip,
    vocation_tip,
    zone_tip,
)
from sprawl_env.games.urban_sprawl.wording import OFFICE_NAMES
from sprawl_env.render.picture import CARDS, INFO, Part, Picture, ending
from sprawl_env.render.shapes import (
    FAINT,
    INK,
    PAPER,
    QUIET,
    SEAT_COLOURS,
    TARGET,
    Circle,
    Rect,
)

NAMED: Final = ("zone", "office", "line", "vocation", "gain", "option")
ROW: Final = 20.0  # height of what can be chosen in a list
ABSENT: Final = "#7d7d76"
CONTRACTS: Final = "contracts"  # that can be built


def draw(game: Game, games: Games, g: int, view: View) -> Picture:
    """Return the position as a picture, without the order of the decks, which is hidden."""
    state: State = games[g]
    picture = Picture("Urban Sprawl")
    to_play = int(state.to_play) if state.over == NOT_OVER else NOBODY
    decision = _decision(game, games, g, view)
    picture.header(view, _facts(state, view), to_play, decision, _last_words(state, view))
    board(picture, game, state, view)
    answers(picture, game, state, view)
    for place in range(FIRST_TOP):
        _contract(picture, game.tables, state, view, place)
    for deck in range(len(DECKS)):
        _deck(picture, game.tables, state, view, deck)
    _planning(picture, game, state, view)
    points = game.scores(games, g).tolist()
    picture.points = tuple(points)
    for k in range(int(state.num_seats)):
        seat(picture, game, state, view, k, points[k])
        hand(picture, game, state, view, k)
    _offices(picture, game.tables[0], state, view)
    _supply(picture, game.tables, state, view)
    _legend(picture)
    return picture


def _facts(state: State, view: View) -> str:
    return (
        f"turn {int(state.turn) + 1}: {view.seat_name(int(state.active))}, {int(state.points)} AP "
        f"left; ply {int(state.ply)}"
    )


def _decision(game: Game, games: Games, g: int, view: View) -> str:
    step = step_of(games[g])
    if step is None:
        return ending(game, games, g, "stopped at the turn limit", view)
    return decision_words(game, games[g], step, view)


def _last_words(state: State, view: View) -> str:
    """Return the last action as a sentence; the names of most answers have no verb."""
    last = view.last
    if last is None:
        return ""
    block, i = ACTIONS.locate(last.action)
    if block == "seat":
        return f"picks {view.seat_name((last.seat + i) % int(state.num_seats))}"
    return f"picks {last.says}" if block in NAMED else last.says


# ------------------------------------------------------------------------------------------ cards


def _contract(picture: Picture, tables: Tables, state: State, view: View, place: int) -> None:
    """Draw a contract of the row."""
    card, cost = int(state.contract[place]), int(tables[0].build_cost[place])
    title = f"contract at {cost} AP: {contract_name(tables, card)}"
    part = picture.part(f"contract-{place + 1}", title, CARDS, group=CONTRACTS)
    _available(part, tables, view, card, place, f"{cost} AP")


def _deck(picture: Picture, tables: Tables, state: State, view: View, deck: int) -> None:
    """Draw the face-up top of a contract deck."""
    name, place, down = DECKS[deck].capitalize(), FIRST_TOP + deck, int(state.deck_size[deck])
    card, cost = int(state.deck_top[deck]), int(tables[0].build_cost[place])
    is_open = bool(int(state.active_decks) >> deck & 1)
    title = f"{name} deck: {contract_name(tables, card) if is_open else 'not open'}"
    part = picture.part(f"top-{DECKS[deck]}", title, CARDS, group=CONTRACTS)
    if is_open:
        _available(part, tables, view, card, place, f"{cost} AP", f"{name} deck, {down} face down")
        return
    part.text(INSET, 17, f"{name} deck: not open", 10.5, fill=QUIET)
    part.height = 25
    part.explain(0, 0, part.width, part.height, opening_tip(tables, deck))


def _available(
    part: Part, tables: Tables, view: View, card: int, place: int, cost: str, note: str = ""
) -> None:  # fmt: skip
    """Draw a contract that can be built or taken as a Favor; the whole part is the target."""
    y = 0.0
    if note:
        part.text(INSET, 15, note, 9.5, fill=QUIET)
        y = 15
    if card == NO_CARD:
        part.text(INSET, y + 17, "(empty)", 10.5, fill=QUIET)
        part.text(part.width - INSET, y + 17, cost, 10.5, fill=QUIET, anchor="end")
        part.height = y + 25
    else:
        part.height = contract(part, tables, card, y, cost) + 4
    tip = card_tip(tables, card, int(tables[0].build_cost[place]))
    box = Rect(0, 0, part.width, part.height, 5)
    part.target(view, [BUILD + place, FAVOR + place], box, tip)


def _planning(picture: Picture, game: Game, state: State, view: View) -> None:
    """Draw the row of planning cards and the face-up top of their deck."""
    t: Table = game.tables[0]
    part = picture.part("planning", "planning cards", CARDS)
    part.text(INSET, 17, "planning cards", 11, bold=True)
    down, gone = int(state.planning_size), int(state.planning_discards.sum())
    says = f"{down} face down, {gone} discarded"
    part.text(part.width - INSET, 17, says, 9.5, fill=QUIET, anchor="end")
    y = 24.0
    free = step_of(state) == Step.FREE_CARD
    for space in range(PLANNING_TOP + 1):
        kind, cost = int(state.planning[space]), int(t.planning_cost[space])
        label = f"{cost} AP" if space < PLANNING_TOP else f"{cost} AP, top"
        part.add(Rect(4, y, part.width - 8, ROW, 3, fill=PAPER, stroke=FAINT))
        part.text(INSET + 1, y + 14, label, 9.5, fill=QUIET)
        bottom = y + 18
        if kind == NO_KIND:
            part.text(60, y + 14, "(empty)", 10, fill=QUIET)
        else:
            bottom = planning_card(part, game.tables, kind, 60, y + 2)
        box = Rect(4, y, part.width - 8, max(bottom - y + 2, ROW), 3)
        part.target(
            view, [PLANNING + space], box, planning_tip(game.tables, kind, 0 if free else cost)
        )
        y += box.height + 3
    part.height = y + 2


# --------------------------------------------------------------------------- offices and supplies


def _offices(picture: Picture, t: Table, state: State, view: View) -> None:
    part = picture.part("offices", "offices and the ballot pawn", INFO)
    part.text(INSET, 17, "offices", 11, bold=True)
    part.text(part.width - INSET, 17, "> last ballot", 9.5, fill=QUIET, anchor="end")
    part.explain(4, 4, part.width - 8, 18, BALLOT_TIP)
    for office in range(len(OFFICES)):
        y, holder = 24 + office * (ROW + 1), int(state.office[office])
        known = int(state.in_play) >> office & 1
        if office == state.pawn and office != CONTRACTOR:
            part.text(INSET, y + 14, ">", 11, bold=True)
        ink = INK if known else ABSENT
        part.text(44, y + 14, OFFICE_NAMES[office], 10.5, fill=ink)
        held = "vacant" if known else "not in play"
        if holder != NOBODY:
            part.piece(29, y + 10, 7.1, holder)
            held = view.seat_name(holder)
        part.text(part.width - INSET, y + 14, held, 10.5, width=104, fill=ink, anchor="end")
        box = Rect(4, y, part.width - 8, ROW, 3)
        part.target(view, [OFFICE + office], box, office_tip(t, office))
    part.height = 24 + len(OFFICES) * (ROW + 1) + 4


def _supply(picture: Picture, tables: Tables, state: State, view: View) -> None:
    """Draw what is left of vocation markers, markers of lines and building tiles."""
    part = picture.part("supply", "supply: markers and building tiles left", INFO)
    part.text(INSET, 17, "vocation markers left", 11, bold=True)
    width, half = (part.width - 8) / 2, NUM_VOCATIONS // 2
    for vocation in range(NUM_VOCATIONS):
        x, y = 4 + vocation // half * width, 22 + vocation % half * ROW
        left = int(state.vocations_left[vocation])
        ink = INK if left else ABSENT
        part.text(x + 10, y + 14, str(left), 10.5, fill=ink, anchor="middle", bold=True)
        part.text(x + 20, y + 14, VOCATIONS[vocation], 9.2, width=width - 22, fill=ink)
        tip = vocation_tip(tables[0], vocation, left)
        part.target(view, [VOCATION + vocation], Rect(x, y, width - 2, ROW, 3), tip)
    y = _markers(part, tables, state, view, 118)
    _tiles(part, state, y)
    part.height = y + 92


def _markers(part: Part, tables: Tables, state: State, view: View, y: float) -> float:
    """Draw the markers that no grey space has; return where the next title stands."""
    placed = {int(marker) for marker in state.marker_at if marker != NO_MARKER}
    free = [marker for marker in range(NUM_MARKERS) if marker not in placed]
    part.text(INSET, y, "markers left" if free else "no markers left", 11, bold=True)
    step = (part.width - 2 * INSET) / NUM_MARKERS
    for k, marker in enumerate(free):
        x = INSET + (k + 0.5) * step
        value = int(tables[0].marker_number[marker])
        number(part, x, y + 18, value, marker < NUM_WEALTH_MARKERS)
        tip = marker_tip(tables, marker)
        part.target(view, [MARKER + marker], Circle(x, y + 18, 12.5), tip)
    return y + (46 if free else 20)


def _tiles(part: Part, state: State, y: float) -> None:
    """Draw the building tiles in the supply, by zone and size."""
    part.text(INSET, y, "building tiles left", 11, bold=True)
    step = (part.width - 2 * INSET - 36) / len(COLOURS)
    for size in range(MAX_SIZE):
        lots = counted(size + 1, "lot")
        part.text(INSET, y + 35 + 15 * size, lots, 9.5, fill=QUIET)
    for zone, fill in enumerate(COLOURS):
        x = INSET + 36 + (zone + 0.5) * step
        part.add(Rect(x - step / 2 + 2, y + 7, step - 4, 15, 2, fill=fill, stroke=QUIET))
        part.text(x, y + 18, ZONES[zone], 9.5, anchor="middle")
        for size in range(MAX_SIZE):
            left = int(state.tiles[zone, size])
            ink = INK if left else ABSENT
            part.text(x, y + 35 + 15 * size, str(left), 10, fill=ink, anchor="middle")
        part.explain(x - step / 2, y + 5, step, 78, f"{zone_tip(zone)} {TILES_TIP}")


def _legend(picture: Picture) -> None:
    """Draw what the signs mean."""
    part = picture.part("legend", "what the signs mean", INFO)
    part.text(INSET, 17, "signs", 11, bold=True)
    y, right = 36.0, part.width / 2 + 4
    number(part, 20, y, 7, True)
    _sign(part, 20, y, "pays wealth", WEALTH_TIP)
    number(part, right + 12, y, 4, False)
    _sign(part, right + 12, y, "pays prestige", PRESTIGE_TIP)
    block_value(part, 20, y + 24, SIDE)
    _sign(part, 20, y + 24, "value of a block", VALUE_TIP)
    part.add(Rect(right + 2, y + 15, 20, 18, 3, fill=GREY, stroke=QUIET))
    _sign(part, right + 12, y + 24, "grey space", GREY_TIP)
    part.add(Rect(11, y + 42, 18, 4, fill=WATER))
    part.add(Rect(11, y + 49, 18, 4, fill=FOREST))
    _sign(part, 20, y + 48, "water, forest", EDGE_TIP)
    part.star(right + 12, y + 48, 8, GOLD)
    _sign(part, right + 12, y + 48, "lasting effect", STAR_TIP)
    part.add(Rect(12, y + 64, 16, 16, 3, stroke=TARGET, stroke_width=2.4))
    _sign(part, 20, y + 72, "can be chosen", TARGET_TIP)
    part.add(Rect(right + 4, y + 64, 16, 16, 3, stroke=SEAT_COLOURS[0], stroke_width=3))
    _sign(part, right + 12, y + 72, "just done", FRAME_TIP)
    for zone, fill in enumerate(COLOURS):
        x, at = 20 + zone % 2 * (right - 8), y + 96 + zone // 2 * 20
        part.add(Rect(x - 10, at - 8, 20, 16, 3, fill=fill, stroke=QUIET))
        if zone == len(COLOURS) - 1:
            tree(part, x, at + 1, 6)
        _sign(part, x, at, f"{ZONES[zone]} {ZONE_WORDS[zone]}", zone_tip(zone))
    part.height = y + 96 + 2 * 20 + 16


def _sign(part: Part, x: float, y: float, words: str, tip: str) -> None:
    """Add the meaning of a sign, beside it."""
    wide = part.text(x + 15, y + 4, words, 9.8, width=part.width / 2 - 34, fill=QUIET)
    part.explain(x - 13, y - 11, wide + 32, 22, tip)
