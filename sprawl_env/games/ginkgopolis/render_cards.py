"""Tiles, cards and owners in the pictures of *Ginkgopolis*."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from sprawl_env.core.rules import View
from sprawl_env.games.ginkgopolis.constants import (
    ACTS,
    HAL,
    LETTERS,
    NO_CHARACTER,
    NUM_ACTS,
    NUM_LETTERS,
    NUMBERS,
)
from sprawl_env.games.ginkgopolis.names import tiles_in
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.games.ginkgopolis.tips import (
    AT_END_TIP,
    CARDS_TIP,
    CHIPS_TIP,
    TILES_TIP,
    card_tip,
    character_tip,
    end_words,
    kept_tip,
    letter_tip,
    pays_at_end,
)
from sprawl_env.render.canvas import Canvas
from sprawl_env.render.picture import Part
from sprawl_env.render.shapes import INK, PAPER, QUIET, SEAT_COLOURS, Line, Rect

TILES: Final = ("#f2b59b", "#a9d3f0", "#f5e98f")  # red, blue, yellow
INITIALS: Final = ("R", "B", "Y")
LEFT: Final = 46.0  # where chips begin, beside what they are
CHIP: Final = (29.5, 19.5)  # width and height
STEP: Final = (33.5, 23.5)
END_STEP: Final = 18.0
LABEL_TIPS: Final = {"tiles": TILES_TIP, "cards": CARDS_TIP, "open": CHIPS_TIP}


class Chip(NamedTuple):
    """A tile or card as a small box.

    Attributes:
        label: its name.
        fill: its colour.
        tip: what it is.
        radius: of its corners: cards have round ones.
        actions: ids of the actions that choose it.
        strong: whether it is framed.
        barred: whether it is struck out: it cannot be paid for.
    """

    label: str
    fill: str
    tip: str
    radius: float = 2.0
    actions: tuple[int, ...] = ()
    strong: bool = False
    barred: bool = False


def short_name(tile: int) -> str:
    """Return a tile or building card as ``R7``."""
    return f"{INITIALS[tile // NUMBERS]}{tile % NUMBERS + 1}"


def chip_of(card: int, t: Table) -> Chip:
    """Return the chip of an open card: a letter or a building's."""
    if card < NUM_LETTERS:
        return Chip(LETTERS[card], PAPER, letter_tip(card), 8.0)
    tile = card - NUM_LETTERS
    return Chip(short_name(tile), TILES[tile // NUMBERS], card_tip(t, tile), 6.0)


def draw_chips(part: Part, view: View, y: float, label: str, chips: Sequence[Chip]) -> float:
    """Draw chips in rows, beside what they are; return ``y`` below them."""
    part.text(10, y + 13.5, label, 10, fill=QUIET, width=LEFT - 12)
    part.explain(8, y, LEFT - 10 if chips else part.width - 16, CHIP[1], LABEL_TIPS[label])
    if not chips:
        part.text(LEFT, y + 13.5, "none", 10, fill=QUIET)
        return y + STEP[1]
    columns = int((part.width - LEFT) // STEP[0])
    for k, chip in enumerate(chips):
        _chip(part, view, chip, LEFT + k % columns * STEP[0], y + k // columns * STEP[1])
    return y + -(-len(chips) // columns) * STEP[1]


def _chip(part: Part, view: View, chip: Chip, x: float, y: float) -> None:
    width, height = CHIP
    wide = 2.4 if chip.strong else 1.0
    part.add(Rect(x, y, width, height, chip.radius, fill=chip.fill, stroke=INK, stroke_width=wide))
    part.text(x + width / 2, y + 13.5, chip.label, 10.5, anchor="middle", bold=chip.strong)
    if chip.barred:
        part.add(Line(x, y + height, x + width, y, stroke=INK, stroke_width=1.4))
    box = Rect(x - 1, y - 1, width + 2, height + 2, 3)
    part.target(view, chip.actions, box, chip.tip)


def draw_owner(canvas: Canvas, state: State, x: float, y: float, radius: float, owner: int) -> None:
    """Draw the piece of a seat or, in the solo game, Hal's."""
    if state.num_seats == 1 and owner == HAL:
        canvas.piece(x, y, radius, len(SEAT_COLOURS) - 1, "H")
    else:
        canvas.piece(x, y, radius, owner)


def draw_kept(
    part: Part, t: Table, state: State, view: View, seat: int, y: float, kinds: Sequence[int] = ()
) -> float:
    """Draw the cards in front of a seat or Hal, ``kinds`` its characters; return ``y`` below.

    Cards with a bonus are chips; each card that pays at the end has a line of its own.
    """
    chips = [
        Chip(
            f"{INITIALS[kind // NUM_ACTS]}-{ACTS[kind % NUM_ACTS][0].upper()}",
            TILES[kind // NUM_ACTS],
            character_tip(t, kind),
            9.5,
        )
        for kind in kinds
        if kind != NO_CHARACTER
    ]
    kept = tiles_in(state.kept[seat])
    for tile in kept:
        if not pays_at_end(t, tile):
            chips.append(Chip(short_name(tile), TILES[tile // NUMBERS], kept_tip(t, tile), 6.0))
    pays = [tile for tile in kept if pays_at_end(t, tile)]
    if chips or not pays:
        y = draw_chips(part, view, y, "cards", chips)
    if pays:
        part.text(10, y + 11, "at end", 10, fill=QUIET)
        part.explain(8, y, LEFT - 10, 15, AT_END_TIP)
    for tile in pays:
        box = (LEFT, y, CHIP[0], 15)
        part.add(Rect(*box, 6, fill=TILES[tile // NUMBERS], stroke=INK))
        part.text(LEFT + CHIP[0] / 2, y + 11, short_name(tile), 9.5, anchor="middle")
        width = part.width - LEFT - CHIP[0] - 14
        part.text(LEFT + CHIP[0] + 6, y + 11, end_words(t, tile), 10, width=width)
        part.explain(LEFT - 1, y - 1, part.width - LEFT - 6, 17, kept_tip(t, tile))
        y += END_STEP
    return y
