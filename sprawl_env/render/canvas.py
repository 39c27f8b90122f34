"""A canvas: shapes in the order in which they are painted, with methods that all games share.

Sizes are in pixels of a picture that is :data:`~sprawl_env.render.shapes.WIDTH` wide.  No text is
smaller than ``LEAST_SIZE`` and no target smaller than ``LEAST_TARGET``: at the scale of the pages
(:data:`~sprawl_env.render.shapes.SCALE`) these are 11 and 24 pixels of a screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypedDict, Unpack

from sprawl_env.core.rules import View
from sprawl_env.render.shapes import (
    COLUMN,
    INK,
    LEAST_SIZE,
    PAPER,
    SEAT_COLOURS,
    TARGET,
    WIDTH,
    Circle,
    Polygon,
    Rect,
    Shape,
    Text,
    fitted,
    regular,
    text_width,
    wrapped,
)

BUTTON_HEIGHT: Final = 22

# How a seat's piece looks, by seat.
_SEAT_INK: Final = (PAPER, INK, PAPER, INK, PAPER)  # colour of its number
_SIDES: Final = (0, 4, 3, 4, 6)  # number of corners; 0: round
_TURNED: Final = (0.0, 45.0, 0.0, 0.0, 0.0)  # rotation in degrees
_GROWN: Final = (1.0, 1.27, 1.3, 1.25, 1.05)  # factor of the radius: all seem equally large
_DIGIT_DOWN: Final = (0.0, 0.0, 0.2, 0.0, 0.0)  # a triangle has more space at the bottom
_DIGIT: Final = 1.25  # size of a piece's number, as a share of its radius


class TextStyle(TypedDict, total=False):
    """How :meth:`Canvas.text` draws.

    Attributes:
        fill: colour; ``INK`` if it is not given.
        anchor: what ``x`` is: ``"start"``, ``"middle"`` or ``"end"``.
        bold: whether the text is bold.
    """

    fill: str
    anchor: str
    bold: bool


class Canvas:
    """A list of shapes, in the order in which they are painted.

    Attributes:
        width: in pixels.
        height: in pixels.
        scale: pixels that a unit of length has if it is painted.
        shapes: the shapes.
    """

    def __init__(self, width: float = COLUMN, height: float = 0.0) -> None:
        self.width = width
        self.height = height
        self.scale = 1.0
        self.shapes: list[Shape] = []

    def add(self, shape: Shape) -> None:
        """Add a shape; it is painted over earlier shapes."""
        self.shapes.append(shape)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float = 11,
        *,
        width: float = WIDTH,
        **style: Unpack[TextStyle],
    ) -> float:
        """Add a line of text, at most ``width`` wide; return its width."""
        bold = style.get("bold", False)
        shown, size = fitted(text, max(size, LEAST_SIZE), width, bold)
        if shown:
            drawn: TextStyle = {"fill": INK, **style}
            self.add(Text(x, y, shown, round(size, 2), **drawn))
        return text_width(shown, size, bold)

    def paragraph(
        self, x: float, y: float, text: str, size: float, width: float, lines: int, fill: str = INK
    ) -> float:
        """Add a text of at most ``lines`` lines, smaller if it is long; return ``y`` below it."""
        size = max(size, LEAST_SIZE)
        broken = wrapped(text, size, width)
        while len(broken) > lines and size > LEAST_SIZE:
            size = max(size - 0.25, LEAST_SIZE)
            broken = wrapped(text, size, width)
        broken[lines - 1 :] = [" ".join(broken[lines - 1 :])] if len(broken) >= lines else []
        for line in broken:
            self.text(x, y, line, size, width=width, fill=fill)
            y += size + 2
        return y

    def piece(self, x: float, y: float, radius: float, seat: int, label: str = "") -> None:
        """Add a seat's piece with its colour, shape and, if large enough, number."""
        k = seat % len(SEAT_COLOURS)
        fill, sides, grown = SEAT_COLOURS[k], _SIDES[k], radius * _GROWN[k]
        if sides:
            points = regular(x, y, grown, sides, _TURNED[k])
            self.add(Polygon(points, fill=fill, stroke=INK, stroke_width=0.8))
        else:
            self.add(Circle(x, y, grown, fill=fill, stroke=INK, stroke_width=0.8))
        size = radius * _DIGIT
        if size < LEAST_SIZE:
            return
        down = y + size * 0.36 + _DIGIT_DOWN[k] * radius
        self.text(x, down, label or str(seat), size, fill=_SEAT_INK[k], anchor="middle", bold=True)

    def star(self, x: float, y: float, radius: float, fill: str) -> None:
        """Add a five-pointed star."""
        outer = regular(x, y, radius, 5)
        inner = regular(x, y, radius * 0.45, 5, 36)
        points = tuple(point for pair in zip(outer, inner, strict=True) for point in pair)
        self.add(Polygon(points, fill=fill, stroke=INK, stroke_width=0.6))

    def explain(self, x: float, y: float, width: float, height: float, tip: str) -> None:
        """Add an invisible box whose tooltip explains what is drawn there."""
        self.add(Rect(x, y, width, height, tip=tip))

    def target(self, view: View, actions: Sequence[int], shape: Shape, tip: str = "") -> bool:
        """Add a clickable outline if one of ``actions`` is legal; return whether it was added.

        ``shape`` gives the form; colours and ids are set here.  ``tip`` explains what is drawn
        there; it is also shown if no action is legal.
        """
        legal = tuple(sorted(action for action in actions if action in view.names))
        fields = {**vars(shape), "tip": tip}
        if legal:
            says = "; ".join(view.names[action] for action in legal)
            fields |= {"stroke": TARGET, "stroke_width": 2.4, "actions": legal, "says": says}
        if legal or tip:
            self.add(type(shape)(**fields))
        return bool(legal)

    def button(self, view: View, action: int, x: float, y: float, width: float) -> bool:
        """Add a button for an action without a place on the board, if it is legal."""
        if action not in view.names:
            return False
        self.text(x + width / 2, y + 15, view.names[action], 10.5, width=width - 8, anchor="middle")
        return self.target(view, [action], Rect(x, y, width, BUTTON_HEIGHT, 5))
