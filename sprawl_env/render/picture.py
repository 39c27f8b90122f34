"""Pictures: lists of shapes, with methods for the parts that all games' pictures share.

A game's ``render.py`` fills a :class:`Picture`.  Code that shows a picture does not depend on the
game.  Shapes that represent legal actions contain their ids, so a front end can make them
clickable.  Sizes are in pixels of a picture that is :data:`~sprawl_env.render.shapes.WIDTH` wide.
Kernels use nothing of this package.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypedDict, Unpack
from xml.sax.saxutils import escape

from sprawl_env.core.game import Game
from sprawl_env.core.rules import View
from sprawl_env.core.state import FINISHED, NOBODY, Games
from sprawl_env.render.shapes import (
    FAINT,
    GROUND,
    INK,
    LEAST_SIZE,
    MARGIN,
    PANEL,
    PAPER,
    QUIET,
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
from sprawl_env.render.svg import element, number

BUTTON_HEIGHT: Final = 19

# How a seat's piece looks, by seat.
_SEAT_INK: Final = (PAPER, INK, PAPER, INK, PAPER)  # colour of its number
_SIDES: Final = (0, 4, 3, 4, 6)  # number of corners; 0: round
_TURNED: Final = (0.0, 45.0, 0.0, 0.0, 0.0)  # rotation in degrees
_GROWN: Final = (1.0, 1.27, 1.3, 1.25, 1.05)  # factor of the radius: all seem equally large
_DIGIT_DOWN: Final = (0.0, 0.0, 0.2, 0.0, 0.0)  # a triangle has more space at the bottom
_LEAST_NUMBERED: Final = 6.0  # smallest radius of a piece with a number


class TextStyle(TypedDict, total=False):
    """How :meth:`Picture.text` draws.

    Attributes:
        fill: colour; ``INK`` if it is not given.
        anchor: what ``x`` is: ``"start"``, ``"middle"`` or ``"end"``.
        bold: whether the text is bold.
    """

    fill: str
    anchor: str
    bold: bool


def ending(game: Game, games: Games, g: int, stopped: str) -> str:
    """Return how a finished game ended, e.g. ``seat 1 wins`` or ``seat 0 and seat 2 win together``.

    ``stopped`` is added in brackets if the game was cut off at a turn limit.
    """
    standings = game.standings(games, g)
    best = [side for side in range(game.num_sides) if standings[side] == standings.max()]
    names = " and ".join(f"seat {s}" if s < game.num_seats else "the automaton" for s in best)
    how = "" if games["over"][g] == FINISHED else f" ({stopped})"
    return f"{names} {'wins' if len(best) == 1 else 'win together'}{how}"


@dataclass(frozen=True)
class Caption:
    """The content of a picture's header, as far as the viewer may know it.

    Attributes:
        seat: the seat that owes a decision; NOBODY if none does or the viewer cannot know.
        decision: the decision in words, or how the game ended.
        last: the last action in words; "" if none is shown.
    """

    seat: int = NOBODY
    decision: str = ""
    last: str = ""


class Picture:
    """A list of shapes on a background, in the order in which they are painted.

    Attributes:
        title: name of the game.
        width: in pixels.
        height: in pixels.
        shapes: the shapes.
        caption: the content of the header; set by :meth:`header`.
    """

    def __init__(self, title: str, height: float, width: float = WIDTH) -> None:
        self.title = title
        self.width = width
        self.height = height
        self.shapes: list[Shape] = []
        self.caption = Caption()

    @property
    def actions(self) -> frozenset[int]:
        """Ids of all actions that the shapes represent."""
        return frozenset(action for shape in self.shapes for action in shape.actions)

    def add(self, shape: Shape) -> None:
        """Add a shape; it is painted over earlier shapes."""
        self.shapes.append(shape)

    def panel(self, x: float, y: float, width: float, height: float, fill: str = PANEL) -> None:
        """Add a box for other shapes."""
        self.add(Rect(x, y, width, height, 5, fill=fill, stroke=FAINT))

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
        shown, size = fitted(text, size, width, bold)
        if shown:
            drawn: TextStyle = {"fill": INK, **style}
            self.add(Text(x, y, shown, round(size, 2), **drawn))
        return text_width(shown, size, bold)

    def paragraph(
        self, x: float, y: float, text: str, size: float, width: float, lines: int, fill: str = INK
    ) -> None:
        """Add a text of at most ``lines`` lines; a long text is made smaller."""
        broken = wrapped(text, size, width)
        while len(broken) > lines and size > LEAST_SIZE:
            size -= 0.25
            broken = wrapped(text, size, width)
        broken[lines - 1 :] = [" ".join(broken[lines - 1 :])] if len(broken) >= lines else []
        for k, line in enumerate(broken):
            self.text(x, y + k * (size + 1.5), line, size, width=width, fill=fill)

    def piece(self, x: float, y: float, radius: float, seat: int, label: str = "") -> None:
        """Add a seat's piece with its colour, shape and, if large enough, number."""
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
        """Add the header: title, facts, the seat to play, its decision, and the last action.

        Args:
            view: the viewer.
            facts: turn, cards left and similar facts.
            seat: the seat that owes a decision; -1 if none does.
            decision: the decision in words, or how the game ended.
            last: the last action as the viewer may know it; "": the action's own words.

        Returns:
            ``y`` below the header.
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
        """Add a five-pointed star."""
        outer = regular(x, y, radius, 5)
        inner = regular(x, y, radius * 0.45, 5, 36)
        points = tuple(point for pair in zip(outer, inner, strict=True) for point in pair)
        self.add(Polygon(points, fill=fill, stroke=INK, stroke_width=0.6))

    def target(self, view: View, actions: Sequence[int], shape: Shape) -> bool:
        """Add a clickable outline if one of ``actions`` is legal; return whether it was added.

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
        """Add a button for an action without a place on the board, if it is legal."""
        if action not in view.names:
            return False
        shown = label or view.names[action]
        self.text(x + width / 2, y + 13, shown, 10.5, width=width - 8, anchor="middle")
        return self.target(view, [action], Rect(x, y, width, BUTTON_HEIGHT, 5))

    def svg(self) -> str:
        """Return the picture as SVG text, one element per line; equal pictures give equal text."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(self.width)}" '
            f'height="{number(self.height)}" viewBox="0 0 {number(self.width)} '
            f"{number(self.height)}\" font-family=\"Helvetica, Arial, 'Liberation Sans', "
            'sans-serif">'
        )
        ground = Rect(0, 0, self.width, self.height, fill=GROUND)
        lines = [head, f"<title>{escape(self.title)}</title>", element(ground)]
        lines += [element(shape) for shape in self.shapes]
        return "\n".join([*lines, "</svg>", ""])
