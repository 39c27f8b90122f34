"""Pictures as lists of plain shapes, from which SVG text and pixels are made.

A game's ``render.py`` fills a :class:`Picture`; what shows it need not know the game.  Shapes that
stand for legal actions carry their ids (``actions``), so that a front end can make them clickable.
Sizes are in pixels of a picture :data:`WIDTH` wide.  Nothing here is used by kernels: see
``core/kernel.py``.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from sprawl_env.core.game import FINISHED, NOBODY, Game, Games, View

WIDTH: Final = 800
MARGIN: Final = 10
GAP: Final = 4

INK: Final = "#1a1a1a"
QUIET: Final = "#555555"
FAINT: Final = "#c4c4bc"
PAPER: Final = "#ffffff"
GROUND: Final = "#f4f3ee"
PANEL: Final = "#fbfaf7"
TARGET: Final = "#d10fa0"  # what may be clicked: used for nothing else, and always an outline
NONE: Final = "none"

# Okabe and Ito's palette for the colour-blind; shapes and digits tell seats apart without it.
SEAT_COLOURS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#333333")
_SEAT_INK: Final = (PAPER, INK, PAPER, INK, PAPER)
_SIDES: Final = (0, 4, 3, 4, 6)  # corners of a seat's piece, 0: round
_TURNED: Final = (0.0, 45.0, 0.0, 0.0, 0.0)  # degrees
_GROWN: Final = (1.0, 1.27, 1.3, 1.25, 1.05)  # so that all look equally large
_DIGIT_DOWN: Final = (0.0, 0.0, 0.2, 0.0, 0.0)  # a triangle has more room below

# Widths of the characters 32 to 126 in thousandths of the size, in a common sans-serif type.
_WIDTHS: Final = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
)  # fmt: skip
_FIRST: Final = 32
_OTHER: Final = 600  # any other character
_BOLD: Final = 1.07
_LEAST_SIZE: Final = 8.0
_ROUNDING: Final = 0.01
_FREE_LENGTH: Final = 3  # shorter texts may differ a little from viewer to viewer

_LEAST_NUMBERED: Final = 6.0  # radius of a piece

MOST_KEPT: Final = 1 << 14  # results kept: pictures in a row have most of their shapes in common

Point: TypeAlias = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What all shapes have.

    Attributes:
        fill: colour as ``#rrggbb``, or ``"none"``.
        stroke: colour of the outline, or ``"none"``.
        stroke_width: of the outline.
        actions: ids of the legal actions it stands for; no other shape is a target.
        says: those actions in words.
    """

    fill: str = NONE
    stroke: str = NONE
    stroke_width: float = 1.0
    actions: tuple[int, ...] = ()
    says: str = ""


@dataclass(frozen=True)
class Rect(Shape):
    """A rectangle by its top left corner, with round corners if ``radius`` is not 0."""

    x: float
    y: float
    width: float
    height: float
    radius: float = 0.0


@dataclass(frozen=True)
class Circle(Shape):
    """A circle by its centre."""

    x: float
    y: float
    radius: float


@dataclass(frozen=True)
class Polygon(Shape):
    """A closed polygon."""

    points: tuple[Point, ...]


@dataclass(frozen=True)
class Line(Shape):
    """A straight line."""

    x: float
    y: float
    to_x: float
    to_y: float


@dataclass(frozen=True)
class Text(Shape):
    """A line of text; ``y`` is its base line, ``x`` its start, middle or end by ``anchor``."""

    x: float
    y: float
    text: str
    size: float
    anchor: str = "start"
    bold: bool = False


@functools.lru_cache(maxsize=MOST_KEPT)
def text_width(text: str, size: float, bold: bool = False) -> float:
    """Return how wide a text is drawn, whatever the type of the viewer."""
    total = 0
    for letter in text:
        code = ord(letter) - _FIRST
        total += _WIDTHS[code] if 0 <= code < len(_WIDTHS) else _OTHER
    return total * size / 1000 * (_BOLD if bold else 1)


def fitted(text: str, size: float, width: float, bold: bool = False) -> tuple[str, float]:
    """Return text and size that fit into a width: first smaller, then cut off with two dots."""
    wide = text_width(text, size, bold)
    if wide <= width:
        return text, size
    size = max(size * width / wide, min(size, _LEAST_SIZE))
    if text_width(text, size, bold) <= width + _ROUNDING:
        return text, size
    while text and text_width(text + "..", size, bold) > width:
        text = text[:-1]
    return (text.rstrip() + ".." if text else ""), size


def wrapped(text: str, size: float, width: float) -> list[str]:
    """Return a text broken into lines no wider than ``width``, at spaces."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def regular(
    x: float, y: float, radius: float, sides: int, turned: float = 0.0
) -> tuple[Point, ...]:
    """Return the corners of a regular polygon, the first on top unless turned (degrees)."""
    angles = np.deg2rad(turned - 90 + 360 * np.arange(sides) / sides)
    return tuple(
        (round(x + radius * float(np.cos(a)), 2), round(y + radius * float(np.sin(a)), 2))
        for a in angles
    )


def ending(game: Game, games: Games, g: int, stopped: str) -> str:
    """Return how a game that is over ended: ``seat 1 wins``, shared victories together."""
    standings = game.standings(games, g)
    best = [side for side in range(game.num_sides) if standings[side] == standings.max()]
    names = " and ".join(f"seat {s}" if s < game.num_seats else "the automaton" for s in best)
    how = "" if games["over"][g] == FINISHED else f" ({stopped})"
    return f"{names} {'wins' if len(best) == 1 else 'win together'}{how}"


@dataclass(frozen=True)
class Caption:
    """What the top of a picture tells, as far as the viewer may know it.

    Attributes:
        seat: who owes a decision, NOBODY if nobody is known to.
        decision: what is to be decided, or how the game ended.
        last: the last action in words, "" if none is told.
    """

    seat: int = NOBODY
    decision: str = ""
    last: str = ""


class Picture:
    """A list of shapes on a ground, in the order they are painted.

    Attributes:
        caption: what its top tells; filled by :meth:`header`.
    """

    def __init__(self, title: str, height: float, width: float = WIDTH) -> None:
        self.title = title
        self.width = width
        self.height = height
        self.shapes: list[Shape] = []
        self.caption = Caption()

    @property
    def actions(self) -> frozenset[int]:
        """Ids of all actions that some shape stands for."""
        return frozenset(action for shape in self.shapes for action in shape.actions)

    def add(self, shape: Shape) -> None:
        """Paint one more shape."""
        self.shapes.append(shape)

    def panel(self, x: float, y: float, width: float, height: float, fill: str = PANEL) -> None:
        """Paint a box that other things stand in."""
        self.add(Rect(x, y, width, height, 5, fill=fill, stroke=FAINT))

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float = 11,
        *,
        width: float = WIDTH,
        fill: str = INK,
        anchor: str = "start",
        bold: bool = False,
    ) -> float:
        """Write a line no wider than ``width``; returns how wide it became."""
        shown, size = fitted(text, size, width, bold)
        if shown:
            self.add(Text(x, y, shown, round(size, 2), anchor, bold, fill=fill))
        return text_width(shown, size, bold)

    def paragraph(
        self, x: float, y: float, text: str, size: float, width: float, lines: int, fill: str = INK
    ) -> None:
        """Write at most ``lines`` lines, the text smaller if it is long."""
        broken = wrapped(text, size, width)
        while len(broken) > lines and size > _LEAST_SIZE:
            size -= 0.25
            broken = wrapped(text, size, width)
        broken[lines - 1 :] = [" ".join(broken[lines - 1 :])] if len(broken) >= lines else []
        for k, line in enumerate(broken):
            self.text(x, y + k * (size + 1.5), line, size, width=width, fill=fill)

    def piece(self, x: float, y: float, radius: float, seat: int, label: str = "") -> None:
        """Paint a seat's piece: its colour, its shape and, if large enough, its number."""
        k = seat % len(SEAT_COLOURS)
        fill, sides, grown = SEAT_COLOURS[k], _SIDES[k], radius * _GROWN[k]
        if sides:
            points = regular(x, y, grown, sides, _TURNED[k])
            self.add(Polygon(points, fill=fill, stroke=INK, stroke_width=0.8))
        else:
            self.add(Circle(x, y, grown, fill=fill, stroke=INK, stroke_width=0.8))
        if radius < _LEAST_NUMBERED:
            return
        size = radius * 1.25
        down = y + size * 0.36 + _DIGIT_DOWN[k] * radius
        self.text(x, down, label or str(seat), size, fill=_SEAT_INK[k], anchor="middle", bold=True)

    def header(self, view: View, facts: str, seat: int, decision: str, last: str = "") -> float:
        """Write the top of a picture: facts, whose decision it is and which, the last action.

        Args:
            view: who looks.
            facts: turn, cards left and the like.
            seat: who owes the decision, -1 if nobody does.
            decision: what is to be decided, or how the game ended.
            last: the last action as the viewer may know it, "" for its own words.

        Returns:
            Where the rest may begin.
        """
        told = "" if view.last is None else last or view.last.says
        self.caption = Caption(seat, decision, told)
        self.panel(MARGIN, 8, self.width - 2 * MARGIN, 50, PAPER)
        wide = self.text(20, 27, self.title, 16, bold=True)
        self.text(self.width - 20, 27, facts, 11, width=self.width - wide - 70, fill=QUIET,
                  anchor="end")  # fmt: skip
        half = self.width / 2
        if seat >= 0:
            self.piece(29, 45, 8, seat)
            self.text(44, 49, f"seat {seat}: {decision}", 12.5, width=half - 60, bold=True)
        else:
            self.text(20, 49, decision, 12.5, width=half - 40, bold=True)
        if view.last is not None:
            says = f"last: seat {view.last.seat}, {told}"
            self.text(self.width - 20, 49, says, 11, width=half - 30, fill=QUIET, anchor="end")
        return 66

    def star(self, x: float, y: float, radius: float, fill: str) -> None:
        """Paint a star of five points."""
        outer = regular(x, y, radius, 5)
        inner = regular(x, y, radius * 0.45, 5, 36)
        points = tuple(point for pair in zip(outer, inner, strict=True) for point in pair)
        self.add(Polygon(points, fill=fill, stroke=INK, stroke_width=0.6))

    def target(self, view: View, actions: Sequence[int], shape: Shape) -> bool:
        """Outline a place if some of the actions it stands for are legal; returns whether.

        ``shape`` gives the form; colours and ids are set here.
        """
        legal = tuple(sorted(action for action in actions if action in view.names))
        if not legal:
            return False
        says = "; ".join(view.names[action] for action in legal)
        fields = {**vars(shape), "stroke": TARGET, "stroke_width": 2.4}
        self.add(type(shape)(**{**fields, "actions": legal, "says": says}))
        return True

    def button(
        self, view: View, action: int, x: float, y: float, width: float, label: str = ""
    ) -> bool:
        """Paint a button for an action that has no place on the board, if it is legal."""
        if action not in view.names:
            return False
        shown = label or view.names[action]
        self.text(x + width / 2, y + 13, shown, 10.5, width=width - 8, anchor="middle")
        return self.target(view, [action], Rect(x, y, width, BUTTON_HEIGHT, 5))

    def svg(self) -> str:
        """Return the picture as SVG text: one element a line, the same for equal pictures."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_number(self.width)}" '
            f'height="{_number(self.height)}" viewBox="0 0 {_number(self.width)} '
            f"{_number(self.height)}\" font-family=\"Helvetica, Arial, 'Liberation Sans', "
            'sans-serif">'
        )
        ground = Rect(0, 0, self.width, self.height, fill=GROUND)
        lines = [head, f"<title>{escape(self.title)}</title>", _element(ground)]
        lines += [_element(shape) for shape in self.shapes]
        return "\n".join([*lines, "</svg>", ""])


BUTTON_HEIGHT: Final = 19


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


@functools.lru_cache(maxsize=MOST_KEPT)
def _element(shape: Shape) -> str:
    """Return a shape as an SVG element, a target inside a group with its ids and a tooltip."""
    drawn = f"<{_outline(shape)}{_paint(shape)}"
    if isinstance(shape, Text):
        drawn += f">{escape(shape.text)}</text>"
    else:
        drawn += "/>"
    if not shape.actions:
        return drawn
    ids = " ".join(map(str, shape.actions))
    return (
        f'<g class="target" data-actions="{ids}" pointer-events="all">'
        f"<title>{escape(shape.says)}</title>{drawn}</g>"
    )


def _outline(shape: Shape) -> str:
    """Return an element's name and the attributes of its form."""
    n = _number
    if isinstance(shape, Rect):
        round_ = f' rx="{n(shape.radius)}"' if shape.radius else ""
        size = f'width="{n(shape.width)}" height="{n(shape.height)}"'
        return f'rect x="{n(shape.x)}" y="{n(shape.y)}" {size}{round_}'
    if isinstance(shape, Circle):
        return f'circle cx="{n(shape.x)}" cy="{n(shape.y)}" r="{n(shape.radius)}"'
    if isinstance(shape, Polygon):
        points = " ".join(f"{n(x)},{n(y)}" for x, y in shape.points)
        return f"polygon points={quoteattr(points)}"
    if isinstance(shape, Line):
        ends = f'x2="{n(shape.to_x)}" y2="{n(shape.to_y)}"'
        return f'line x1="{n(shape.x)}" y1="{n(shape.y)}" {ends}'
    if isinstance(shape, Text):
        return f'text x="{n(shape.x)}" y="{n(shape.y)}" font-size="{n(shape.size)}"' + _type(shape)
    raise TypeError(f"expected a shape of this module, got {type(shape).__name__}")


def _type(text: Text) -> str:
    """Return how a text is set; long ones keep their width in every viewer's type."""
    bold = ' font-weight="bold"' if text.bold else ""
    anchor = f' text-anchor="{text.anchor}"' if text.anchor != "start" else ""
    if len(text.text) <= _FREE_LENGTH:
        return bold + anchor
    length = _number(text_width(text.text, text.size, text.bold))
    return f'{bold}{anchor} textLength="{length}" lengthAdjust="spacingAndGlyphs"'


def _paint(shape: Shape) -> str:
    stroke = ""
    if shape.stroke != NONE:
        stroke = f' stroke="{shape.stroke}" stroke-width="{_number(shape.stroke_width)}"'
    return f' fill="{shape.fill}"{stroke}' if not isinstance(shape, Line) else stroke
