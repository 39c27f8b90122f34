"""Shapes as SVG elements."""

from __future__ import annotations

import functools
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from sprawl_env.render.shapes import (
    MOST_KEPT,
    NONE,
    Circle,
    Line,
    Polygon,
    Rect,
    Shape,
    Text,
    text_width,
)

_FREE_LENGTH: Final = 3  # letters; no fixed width for shorter texts


def number(value: float) -> str:
    """Return a number with at most two decimals, without trailing zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


@functools.lru_cache(maxsize=MOST_KEPT)
def element(shape: Shape) -> str:
    """Return a shape as an SVG element.

    A shape that represents actions, or has a tip, is inside a group with their ids and a tooltip.
    """
    drawn = f"<{_outline(shape)}{_paint(shape)}"
    if isinstance(shape, Text):
        drawn += f">{escape(shape.text)}</text>"
    else:
        drawn += "/>"
    if not shape.actions and not shape.tip:
        return drawn
    ids = " ".join(map(str, shape.actions))
    kind = f'class="target" data-actions="{ids}"' if ids else 'class="tip"'
    tip = f" data-tip={quoteattr(shape.tip)}" if shape.tip else ""
    title = escape(" \u00b7 ".join(filter(None, (shape.says, shape.tip))))
    return f'<g {kind}{tip} pointer-events="all"><title>{title}</title>{drawn}</g>'


def _outline(shape: Shape) -> str:
    """Return an element's name and its geometric attributes."""
    n = number
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
    raise TypeError(f"expected a shape of sprawl_env.render.shapes, got {type(shape).__name__}")


def _type(text: Text) -> str:
    """Return the font attributes of a text; a long text has the same width in every font."""
    bold = ' font-weight="bold"' if text.bold else ""
    anchor = f' text-anchor="{text.anchor}"' if text.anchor != "start" else ""
    if len(text.text) <= _FREE_LENGTH:
        return bold + anchor
    length = number(text_width(text.text, text.size, text.bold))
    return f'{bold}{anchor} textLength="{length}" lengthAdjust="spacingAndGlyphs"'


def _paint(shape: Shape) -> str:
    stroke = ""
    if shape.stroke != NONE:
        stroke = f' stroke="{shape.stroke}" stroke-width="{number(shape.stroke_width)}"'
    return f' fill="{shape.fill}"{stroke}' if not isinstance(shape, Line) else stroke
