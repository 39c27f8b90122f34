"""Signs that several parts of an *Urban Sprawl* picture share: numbers, zones, permits, cards."""

from __future__ import annotations

from typing import Final

from sprawl_env.core.state import Tables
from sprawl_env.games.urban_sprawl.constants import (
    NUM_KINDS,
    NUM_ZONES,
    RENEWAL,
    ZONES,
)
from sprawl_env.games.urban_sprawl.names import card_name, kind_name
from sprawl_env.games.urban_sprawl.render_cards import (
    effects_of,
    event_effects,
    is_event,
    restrictions,
    vocations_of,
)
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.render.picture import Part
from sprawl_env.render.shapes import (
    INK,
    LEAST_SIZE,
    PAPER,
    QUIET,
    Circle,
    Polygon,
    Rect,
    regular,
    text_width,
    wrapped,
)

COLOURS: Final = ("#a8c0f0", "#e39a72", "#f6ea90", "#aef0d0", "#45a083")  # zones and parks
GOLD: Final = "#f3d66b"
LILAC: Final = "#dccbee"
GREY: Final = "#cfcfca"
WATER: Final = "#3a87c8"
FOREST: Final = "#2c8a5a"
INSET: Final = 8.0  # of texts from a part's edge
SMALL_COIN: Final = 7.2
ZONE_GAP: Final = 4.0  # beside the name of a zone in a permit
NO_LIMIT: Final = 99  # lines of a paragraph


def number(part: Part, x: float, y: float, value: int, wealth: bool) -> None:
    """Draw a number of a line: a coin for wealth, a diamond for prestige."""
    if wealth:
        part.add(Circle(x, y, 9.5, fill=GOLD, stroke=INK))
    else:
        part.add(Polygon(regular(x, y, 12, 4), fill=LILAC, stroke=INK))
    part.text(x, y + 4, str(value), 11, anchor="middle", bold=True)


def block_value(part: Part, x: float, y: float, value: int) -> None:
    """Draw the value of a block."""
    part.add(Circle(x, y, 8.6, fill=PAPER, stroke=QUIET, stroke_width=0.8))
    part.text(x, y + 3.5, str(value), 9.8, anchor="middle")


def tree(part: Part, x: float, y: float, radius: float) -> None:
    """Draw the sign of a park."""
    part.add(Polygon(regular(x, y, radius, 3), fill="#1f5a3a"))


def zone_badge(part: Part, x: float, y: float, zone: int, size: int) -> None:
    """Draw the zone and the size of a building, 48 wide and 17 high."""
    part.add(Rect(x, y, 48, 17, 3, fill=COLOURS[zone], stroke=QUIET))
    part.text(x + 24, y + 12, f"{ZONES[zone]} {size}", 10.5, anchor="middle", bold=True)


def permit(part: Part, t: Table, kind: int, x: float, y: float) -> float:
    """Draw a permit, 16 high: permits, zones, wealth value; return its right edge."""
    x += part.text(x, y + 12, str(int(t.permits[kind])), 11, bold=True) + 2.5
    for zone in range(NUM_ZONES):
        if int(t.permit_zones[kind]) >> zone & 1:
            wide = text_width(ZONES[zone], LEAST_SIZE) + ZONE_GAP
            part.add(Rect(x, y + 1, wide - 1, 14, 2, fill=COLOURS[zone], stroke=QUIET))
            part.text(x + wide / 2 - 0.5, y + 11.3, ZONES[zone], LEAST_SIZE, anchor="middle")
            x += wide
    part.add(Circle(x + SMALL_COIN + 0.6, y + 8, SMALL_COIN, fill=GOLD, stroke=QUIET))
    value = str(int(t.permit_wealth[kind]))
    part.text(x + SMALL_COIN + 0.6, y + 11.2, value, LEAST_SIZE, anchor="middle", bold=True)
    return x + 2 * SMALL_COIN + 1.2


def paragraph(part: Part, x: float, y: float, text: str, *, size: float = 10,
              fill: str = INK) -> float:  # fmt: skip
    """Draw a text in as many lines as it needs up to the part's edge; return ``y`` below it."""
    return part.paragraph(x, y, text, size, part.width - x - INSET, NO_LIMIT, fill)


def planning_card(part: Part, tables: Tables, kind: int, x: float, y: float) -> float:
    """Draw a planning card, its first line 16 high; return its bottom."""
    if kind < RENEWAL:
        right = permit(part, tables[0], kind, x, y)
        if tables[0].permit_ballot[kind]:
            part.text(right + 6, y + 11.5, "ballot", 9, fill=QUIET)
        return y + 16
    part.text(x, y + 12, kind_name(tables, kind), 10.5, bold=True)
    if kind < NUM_KINDS:
        return y + 16
    return paragraph(part, x, y + 25, event_effects(tables[0], kind - NUM_KINDS)) - 8


def contract(part: Part, tables: Tables, card: int, y: float, label: str = "") -> float:
    """Draw a contract, or an event of its deck, over the width of a part; return its bottom.

    From top to bottom: zone, size, name, prestige icon and label; vocations and restrictions; the
    effects.
    """
    t: Table = tables[0]
    x, right = INSET, part.width - INSET
    if not is_event(t, card):
        zone_badge(part, x - 2, y + 5, int(t.card_zone[card]), int(t.card_size[card]))
        x = 61.0
    if label:
        right -= part.text(right, y + 17, label, 10.5, fill=QUIET, anchor="end") + 7
    if t.card_prestige[card]:
        right -= 11
        number(part, right, y + 13.5, int(t.card_prestige[card]), False)
        right -= 15
    name = card_name(tables, card) + (" (event)" if is_event(t, card) else "")
    bottom = y + 18
    for line in wrapped(name, 12.9, right - x):  # as wide as 12 in bold
        part.text(x, bottom, line, 12, bold=True)
        bottom += 14
    bottom += 1
    for words, fill in ((vocations_of(t, card), INK), (restrictions(t, card), QUIET)):
        if words:
            bottom = paragraph(part, INSET, bottom, words, fill=fill) + 0.5
    for effect in effects_of(t, card):
        part.add(Circle(INSET + 2.5, bottom - 3.2, 1.6, fill=QUIET))
        bottom = paragraph(part, INSET + 8, bottom, effect) + 1
    return bottom - 5
