"""What each seat of *Urban Sprawl* has: points, offices, vocations, hand and Favors."""

from __future__ import annotations

from typing import Final

from sprawl_env.core.game import Game
from sprawl_env.core.rules import View
from sprawl_env.core.state import NOBODY, NOT_OVER
from sprawl_env.core.words import counted
from sprawl_env.games.urban_sprawl.actions import BUILD, PERMIT, SEAT_AT
from sprawl_env.games.urban_sprawl.constants import (
    FIRST_FAVOR,
    NO_CARD,
    NUM_KINDS,
    NUM_VOCATIONS,
    OFFICES,
    RENEWAL,
    VOCATIONS,
    ZONES,
)
from sprawl_env.games.urban_sprawl.render_marks import (
    COLOURS,
    GOLD,
    INSET,
    LILAC,
    contract,
    paragraph,
    permit,
)
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.games.urban_sprawl.tips import (
    AP_TIP,
    FAVOR_TIP,
    HAND_TIP,
    PRESTIGE_TIP,
    WEALTH_TIP,
    card_tip,
    kind_tip,
    office_tip,
    points_tip,
    vocation_tip,
    zone_tip,
)
from sprawl_env.games.urban_sprawl.wording import OFFICE_NAMES
from sprawl_env.render.picture import SEAT, Part, Picture
from sprawl_env.render.shapes import FAINT, INK, PAPER, QUIET, Circle, Polygon, Rect, regular

CELL: Final = 119.0  # width of a planning card in a hand
CELL_HEIGHT: Final = 20.0


def seat(picture: Picture, game: Game, state: State, view: View, k: int, points: int) -> None:
    """Draw what a seat has on the table, and what it would score now."""
    t, name = game.tables[0], view.seat_name(k)
    part = picture.part(
        f"seat-{k}", f"{name}: {counted(points, 'point')} if it ended now", SEAT, seat=k
    )
    to_play = int(state.to_play) if state.over == NOT_OVER else NOBODY
    part.plays = k == to_play
    part.piece(19, 18, 10, k)
    part.text(36, 22, name, 12.5, width=120, bold=True)
    shown = counted(points, "point")
    wide = part.text(part.width - INSET, 22, shown, 12.5, width=80, anchor="end", bold=True)
    tip = points_tip(t, int(state.prestige[k]), points)
    part.explain(part.width - wide - 12, 7, wide + 8, 20, tip)
    _money(part, state, k)
    _controls(part, state, k)
    y = _offices(part, t, state, k, 89)
    part.height = _vocations(part, t, state, k, y) - 6
    if to_play != NOBODY:
        action = SEAT_AT + (k - to_play) % int(state.num_seats)
        part.target(view, [action], Rect(0, 0, part.width, part.height, 5))


def _money(part: Part, state: State, k: int) -> None:
    """Draw prestige, wealth and, in its turn, action points."""
    part.add(Polygon(regular(18, 43, 8, 4), fill=LILAC, stroke=INK))
    wide = part.text(30, 47, f"{int(state.prestige[k])} prestige", 11.5, bold=True)
    part.explain(8, 34, wide + 24, 18, PRESTIGE_TIP)
    part.add(Circle(118, 43, 6.5, fill=GOLD, stroke=INK))
    wide = part.text(129, 47, f"{int(state.wealth[k])} wealth", 11.5, bold=True)
    part.explain(110, 34, wide + 22, 18, WEALTH_TIP)
    if state.over == NOT_OVER and k == state.active:
        left = f"{int(state.points)} AP"
        wide = part.text(part.width - INSET, 47, left, 11.5, anchor="end", bold=True)
        part.explain(part.width - wide - 12, 34, wide + 8, 18, AP_TIP)


def _controls(part: Part, state: State, k: int) -> None:
    """Draw the number of its buildings in each zone."""
    step = (part.width - 2 * INSET + 4) / len(COLOURS)
    for zone, fill in enumerate(COLOURS):
        x, count = INSET + zone * step, int(state.controls[k, zone])
        part.add(Rect(x, 56, step - 4, 16, 3, fill=fill if count else PAPER, stroke=FAINT))
        part.text(x + step / 2 - 2, 67.5, f"{ZONES[zone]} {count}", 9.5, anchor="middle")
        tip = f"Buildings controlled: {count}. {zone_tip(zone)}"
        part.explain(x, 55, step - 4, 18, tip)


def _offices(part: Part, t: Table, state: State, k: int, y: float) -> float:
    held = [office for office in range(len(OFFICES)) if state.office[office] == k]
    names = ", ".join(OFFICE_NAMES[office] for office in held)
    below = paragraph(part, INSET, y, f"offices: {names or 'none'}", fill=INK if held else QUIET)
    if held:
        tip = " ".join(office_tip(t, office) for office in held)
        part.explain(INSET - 4, y - 11, part.width - 8, below - y, tip)
    return below + 2


def _vocations(part: Part, t: Table, state: State, k: int, y: float) -> float:
    held = [v for v in range(NUM_VOCATIONS) if state.vocations[k, v]]
    names = ", ".join(f"{VOCATIONS[v]} {int(state.vocations[k, v])}" for v in held)
    says = f"vocations: {names or 'none'}"
    below = paragraph(part, INSET, y, says, fill=INK if held else QUIET)
    if held:
        tip = " ".join(vocation_tip(t, v, int(state.vocations_left[v])) for v in held)
        part.explain(INSET - 4, y - 11, part.width - 8, below - y, tip)
    return below + 2


def hand(picture: Picture, game: Game, state: State, view: View, k: int) -> None:
    """Draw the planning cards and the Favors of a seat; hands are open."""
    name = view.seat_name(k)
    title, group = f"{name}: planning cards and Favors", f"seat-{k}"  # below what the seat has
    part = picture.part(f"hand-{k}", title, SEAT, seat=k, group=group)
    kinds = [kind for kind in range(NUM_KINDS) if state.hand[k, kind]]
    part.piece(17, 14, 7.1, k)
    title = f"{name}: planning cards" if kinds else f"{name}: no planning cards"
    wide = part.text(30, 18, title, 11, width=part.width - 88, bold=True)
    part.explain(28, 6, wide + 4, 17, HAND_TIP)
    for i, kind in enumerate(kinds):
        x = INSET - 3 + i % 2 * (part.width - 2 * INSET + 6 - CELL)
        _held(part, game, state, view, k, kind, x, 26 + i // 2 * (CELL_HEIGHT + 3))
    y = 26 + (len(kinds) + 1) // 2 * (CELL_HEIGHT + 3)
    favors = [int(card) for card in state.favors[k] if card != NO_CARD]
    label = "Favors" if favors else "no Favor"
    if favors:
        wide = part.text(INSET, y + 11, label, 11, bold=True)
        part.explain(INSET - 2, y, wide + 4, 15, FAVOR_TIP)
        y += 15
    else:
        wide = part.text(part.width - INSET, 18, label, 10, fill=QUIET, anchor="end")
        part.explain(part.width - INSET - wide - 2, 6, wide + 4, 17, FAVOR_TIP)
    for i, card in enumerate(favors):
        bottom = contract(part, game.tables, card, y)
        box = Rect(4, y + 1, part.width - 8, bottom - y, 4)
        part.add(Rect(4, y + 1, part.width - 8, bottom - y, 4, stroke=FAINT))
        actions = [BUILD + FIRST_FAVOR + i] if _decides(state, k) else []
        part.target(view, actions, box, card_tip(game.tables, card, 0))
        y = bottom + 4
    part.height = y + 4


def _decides(state: State, k: int) -> bool:
    return bool(state.over == NOT_OVER and k == state.to_play)


def _held(
    part: Part, game: Game, state: State, view: View, k: int, kind: int, x: float, y: float
) -> None:  # fmt: skip
    """Draw a kind of planning card in a hand, with the number of cards if there are several."""
    part.add(Rect(x, y, CELL, CELL_HEIGHT, 3, fill="#f7f5ef", stroke=FAINT))
    count, left = int(state.hand[k, kind]), x + 3
    if count > 1:
        left += part.text(left, y + 13.5, f"{count}x", 9, fill=QUIET) + 1.5
    if kind == RENEWAL:
        part.text(left + 1, y + 14, "Urban Renewal", 10.5, bold=True)
    else:
        permit(part, game.tables[0], kind, left, y + 2)
    actions = [PERMIT + kind] if _decides(state, k) else []
    held = f"{count} cards of this kind. " if count > 1 else ""
    box = Rect(x, y, CELL, CELL_HEIGHT, 3)
    part.target(view, actions, box, held + kind_tip(game.tables, kind))
