"""Plain shapes, of which pictures are made; colours, sizes, and the width of texts."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np

COLUMN: Final = 256  # width of a column of a picture
COLUMNS: Final = 3
GAP: Final = 6  # between parts
MARGIN: Final = 10
WIDTH: Final = COLUMNS * COLUMN + (COLUMNS - 1) * GAP + 2 * MARGIN
SCALE: Final = 1.25  # at which pages show parts where there is room
INK: Final = "#1a1a1a"
QUIET: Final = "#555555"
FAINT: Final = "#c4c4bc"
PAPER: Final = "#ffffff"
GROUND: Final = "#f4f3ee"
PANEL: Final = "#fbfaf7"
TARGET: Final = "#d10fa0"  # outline of shapes that can be clicked; used for nothing else
NONE: Final = "none"

# Okabe and Ito's colour-blind-safe palette; shapes and digits also distinguish the seats.
SEAT_COLOURS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#333333")

# Widths of the characters 32 to 126 in thousandths of the font size, in a common sans-serif font.
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
_BOLD: Final = 1.07  # factor for bold text
_ROUNDING: Final = 0.01
LEAST_SIZE: Final = 8.8  # smallest size of a text: 11 pixels on a page
LEAST_TARGET: Final = 19.2  # smallest width and height of a target: 24 pixels on a page
MOST_KEPT: Final = 1 << 14  # size of caches: consecutive pictures share most of their shapes
Point: TypeAlias = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Shape:
    """The base class of all shapes.

    Attributes:
        fill: colour as ``#rrggbb``, or ``"none"``.
        stroke: colour of the outline, or ``"none"``.
        stroke_width: width of the outline.
        actions: ids of the legal actions that the shape represents; empty for a shape that cannot
            be clicked.
        says: these actions in words.
        tip: explains what is drawn there, in a tooltip; "": nothing to explain.
    """

    fill: str = NONE
    stroke: str = NONE
    stroke_width: float = 1.0
    actions: tuple[int, ...] = ()
    says: str = ""
    tip: str = ""


@dataclass(frozen=True)
class Rect(Shape):
    """A rectangle, given by its top left corner; ``radius`` rounds its corners."""

    x: float
    y: float
    width: float
    height: float
    radius: float = 0.0


@dataclass(frozen=True)
class Circle(Shape):
    """A circle, given by its centre."""

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
    """A line of text.

    ``y`` is its baseline.  ``x`` is its start, middle or end, as ``anchor`` says.
    """

    x: float
    y: float
    text: str
    size: float
    anchor: str = "start"
    bold: bool = False


@functools.lru_cache(maxsize=MOST_KEPT)
def text_width(text: str, size: float, bold: bool = False) -> float:
    """Return the width at which a text is drawn, which does not depend on the viewer's font."""
    total = 0
    for letter in text:
        code = ord(letter) - _FIRST
        total += _WIDTHS[code] if 0 <= code < len(_WIDTHS) else _OTHER
    return total * size / 1000 * (_BOLD if bold else 1)


def fitted(text: str, size: float, width: float, bold: bool = False) -> tuple[str, float]:
    """Return a text and a size that fit into a width.

    The text is first made smaller, then cut off with two dots.
    """
    wide = text_width(text, size, bold)
    if wide <= width:
        return text, size
    size = max(size * width / wide, min(size, LEAST_SIZE))
    if text_width(text, size, bold) <= width + _ROUNDING:
        return text, size
    while text and text_width(text + "..", size, bold) > width:
        text = text[:-1]
    return (text.rstrip() + ".." if text else ""), size


def wrapped(text: str, size: float, width: float) -> list[str]:
    """Return a text as lines at most ``width`` wide, broken at spaces."""
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
    """Return the corners of a regular polygon, the first at the top, turned by some degrees."""
    angles = np.deg2rad(turned - 90 + 360 * np.arange(sides) / sides)
    return tuple(
        (round(x + radius * float(np.cos(a)), 2), round(y + radius * float(np.sin(a)), 2))
        for a in angles
    )


def moved(shape: Shape, x: float, y: float) -> Shape:
    """Return a shape moved to the right by ``x`` and down by ``y``."""
    if isinstance(shape, Polygon):
        return replace(shape, points=tuple((a + x, b + y) for a, b in shape.points))
    if isinstance(shape, Line):
        start = replace(shape, x=shape.x + x, y=shape.y + y)
        return replace(start, to_x=shape.to_x + x, to_y=shape.to_y + y)
    if isinstance(shape, Rect | Circle | Text):
        return replace(shape, x=shape.x + x, y=shape.y + y)
    raise TypeError(f"expected a shape of sprawl_env.render.shapes, got {type(shape).__name__}")
