"""Pictures: parts that keep their form, such as a board, a card or what a seat holds.

A game's ``render.py`` fills the parts of a :class:`Picture`.  Code that shows a picture does not
depend on the game: it shows the parts one by one where they fit, or all of them side by side
(:meth:`Picture.svg`).  Shapes that represent legal actions contain their ids, so a front end can
make them clickable.  Kernels use nothing of this package.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.game import Game
from sprawl_env.core.rules import View
from sprawl_env.core.state import FINISHED, NOBODY, Games
from sprawl_env.render.canvas import Canvas
from sprawl_env.render.shapes import (
    COLUMN,
    COLUMNS,
    FAINT,
    GAP,
    GROUND,
    MARGIN,
    NONE,
    PANEL,
    PAPER,
    QUIET,
    SCALE,
    SEAT_COLOURS,
    Point,
    Rect,
    Shape,
    moved,
)
from sprawl_env.render.svg import element, number

HEADER_HEIGHT: Final = 50.0
MOST_COLUMNS: Final = 6
BOARD: Final = "board"  # where pieces lie: the largest part, and the first
CARDS: Final = "cards"  # what may be taken, built or answered
SEAT: Final = "seat"  # what a seat holds
INFO: Final = "info"  # supplies, goals, what signs mean
ROLES: Final = (BOARD, CARDS, SEAT, INFO)
_FONT: Final = "Helvetica, Arial, 'Liberation Sans', sans-serif"
Places = list[tuple["Part", Point]]


def spanned(columns: int) -> float:
    """Return the width of a part that spans some columns, in pixels."""
    return columns * COLUMN + (columns - 1) * GAP


def ending(game: Game, games: Games, g: int, stopped: str, view: View | None = None) -> str:
    """Return how a finished game ended, e.g. ``seat 1 wins`` or ``seat 0 and seat 2 win together``.

    ``stopped`` is added in brackets if the game was cut off at a turn limit.  Seats are called as
    in ``view``.
    """
    view = view or View()
    standings = game.standings(games, g)
    best = [side for side in range(game.num_sides) if standings[side] == standings.max()]
    automaton = game.rules.automaton_name
    called = [view.seat_name(s) if s < game.num_seats else automaton for s in best]
    how = "" if games["over"][g] == FINISHED else f" ({stopped})"
    verb = "wins" if len(best) == 1 and called != ["you"] else "win"
    return f"{' and '.join(called)} {verb}{' together' if len(best) > 1 else ''}{how}"


@dataclass(frozen=True)
class Caption:
    """The content of a picture's header, as far as the viewer may know it.

    Attributes:
        seat: the seat that owes a decision; NOBODY if none does or the viewer cannot know.
        decision: the decision in words, or how the game ended.
        last: the last action in words; "" if none is shown.
        facts: turn, cards left and similar facts.
    """

    seat: int = NOBODY
    decision: str = ""
    last: str = ""
    facts: str = ""


class Part(Canvas):
    """A part of a picture, with its own coordinates: its top left corner is (0, 0).

    Attributes:
        name: unique in a picture and the same at every ply, e.g. ``market-2``.
        title: what is drawn, for persons who do not see it.
        role: one of ``ROLES``.
        seat: whose things are drawn; NOBODY: nobody's.
        columns: how many columns of the picture it spans.
        group: parts of the same group, one after another, are shown in one column.
        fill: colour of its ground.
        plays: whether its seat owes a decision.
    """

    def __init__(
        self, name: str, title: str, role: str, columns: int, seat: int, group: str = ""
    ) -> None:
        if role not in ROLES:
            raise InvalidOption(f"role={role!r}: expected one of {', '.join(ROLES)}")
        super().__init__(spanned(columns))
        self.name, self.title, self.role = name, title, role
        self.columns, self.seat, self.group = columns, seat, group or name
        self.fill = PANEL if role in {BOARD, INFO} else PAPER
        self.plays = False

    def framed(self) -> list[Shape]:
        """Return the shapes, after the part's ground and frame."""
        frame = Rect(0, 0, self.width, self.height, 5, fill=self.fill, stroke=FAINT)
        shapes: list[Shape] = [frame]
        if self.plays:
            colour = SEAT_COLOURS[self.seat % len(SEAT_COLOURS)]
            shapes.append(Rect(0, 0, self.width, self.height, 5, stroke=colour, stroke_width=2.5))
        return shapes + self.shapes

    def svg(self) -> str:
        """Return the part alone as SVG text, one element per line."""
        box = f"-2 -2 {number(self.width + 4)} {number(self.height + 4)}"
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" font-family="{_FONT}" '
            f'role="group" aria-label={quoteattr(self.title)}>'
        )
        return "\n".join([head, *map(element, self.framed()), "</svg>", ""])


class Picture:
    """The parts of a position.

    Attributes:
        title: name of the game.
        parts: the parts; the first is the board.
        caption: what the header says; set by :meth:`header`.
        columns: how many columns the picture has if its parts are drawn side by side.
        scale: pixels that a unit of length has if the picture is painted.
        points: of each side, as far as the viewer is shown them, else None; empty: not told.
    """

    def __init__(self, title: str, columns: int = COLUMNS) -> None:
        self.title = title
        self.parts: list[Part] = []
        self.caption = Caption()
        self.columns, self.scale = columns, 1.0
        self.points: tuple[int | None, ...] = ()
        self._view = View()

    def part(
        self, name: str, title: str, role: str, *, columns: int = 1, seat: int = NOBODY,
        group: str = "",
    ) -> Part:  # fmt: skip
        """Add an empty part and return it; its height is to be set once it is drawn.

        The arguments are the attributes of :class:`Part`.
        """
        part = Part(name, title, role, columns, seat, group)
        self.parts.append(part)
        return part

    def header(self, view: View, facts: str, seat: int, decision: str, last: str = "") -> None:
        """Set the header: facts, the seat to play, its decision, and the last action.

        Args:
            view: the viewer.
            facts: turn, cards left and similar facts.
            seat: the seat that owes a decision; -1 if none does.
            decision: the decision in words, or how the game ended.
            last: the last action as the viewer may know it; "": the action's own words.
        """
        told = "" if view.last is None else last or view.last.says
        self.caption = Caption(seat, decision, told, facts)
        self._view = view

    @property
    def actions(self) -> frozenset[int]:
        """Ids of all actions that the shapes represent."""
        drawn = (shape for part in self.parts for shape in part.shapes)
        return frozenset(action for shape in drawn for action in shape.actions)

    @property
    def width(self) -> float:
        """Width in pixels if the parts are drawn side by side."""
        return spanned(self.columns) + 2 * MARGIN

    @property
    def height(self) -> float:
        """Height in pixels if the parts are drawn side by side."""
        return max(y + part.height for part, (_, y) in self.arranged()) + MARGIN

    @property
    def shapes(self) -> list[Shape]:
        """All shapes of the header and the parts, side by side."""
        return [
            moved(shape, *corner) for part, corner in self.arranged() for shape in part.framed()
        ]

    def arranged(self) -> Places:
        """Return the header and the parts with their top left corners, side by side.

        Each part goes, in turn, where it comes to lie highest.
        """
        header = self._header()
        top = MARGIN + header.height + GAP
        below = [top] * self.columns  # where each column is free
        places: Places = [(header, (MARGIN, MARGIN))]
        for part in self.parts:
            starts = range(self.columns - part.columns + 1)
            y, start = min((max(below[k : k + part.columns]), k) for k in starts)
            below[start : start + part.columns] = [y + part.height + GAP] * part.columns
            places.append((part, (MARGIN + start * (COLUMN + GAP), y)))
        return places

    def _header(self) -> Part:
        """Return the header as a part over all columns."""
        part = Part("header", self.title, INFO, self.columns, NOBODY)
        caption, view = self.caption, self._view
        part.fill, part.height = PAPER, HEADER_HEIGHT
        wide, half = part.text(10, 19, self.title, 16, bold=True), part.width / 2
        part.text(part.width - 10, 19, caption.facts, 11, width=part.width - wide - 50, fill=QUIET,
                  anchor="end")  # fmt: skip
        if caption.seat >= 0:
            part.piece(19, 37, 8, caption.seat)
            says = f"{view.seat_name(caption.seat)}: {caption.decision}"
            part.text(34, 41, says, 12.5, width=half - 50, bold=True)
        else:
            part.text(10, 41, caption.decision, 12.5, width=half - 30, bold=True)
        if view.last is not None:
            says = f"last: {view.seat_name(view.last.seat)}, {caption.last}"
            part.text(part.width - 10, 41, says, 11, width=half - 20, fill=QUIET, anchor="end")
        return part

    def svg(self) -> str:
        """Return the picture as SVG text, one element per line; equal pictures give equal text.

        Each part is a group at its place, so that lines of parts that have moved stay the same.
        """
        width, height = number(self.width), number(self.height)
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="{_FONT}">',
            f"<title>{escape(self.title)}</title>",
            element(Rect(0, 0, self.width, self.height, fill=GROUND, stroke=NONE)),
        ]
        for part, (x, y) in self.arranged():
            place = f"translate({number(x)} {number(y)})"
            lines.append(f'<g data-part="{part.name}" transform="{place}">')
            lines += [*map(element, part.framed()), "</g>"]
        return "\n".join([*lines, "</svg>", ""])


def as_large_as_fits(picture: Picture, width: float, height: float) -> Picture:
    """Set a picture's columns and scale so that it is as large as a window allows; return it."""

    def scale(columns: int) -> float:
        picture.columns = columns
        return min(width / picture.width, height / picture.height)

    least = max(part.columns for part in picture.parts)
    picture.columns = max(range(least, MOST_COLUMNS + 1), key=scale)
    picture.scale = min(SCALE, scale(picture.columns))
    return picture
