"""Render modes: a game's picture as text, SVG, pixels or in a window.

Pixels need Pillow, a window needs pygame too: ``pip install 'sprawl-env[render]'``.
"""

from __future__ import annotations

import functools
import importlib
import os
import re
import sys
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from sprawl_env.core.drawing import (
    GROUND,
    NONE,
    Circle,
    Line,
    Picture,
    Polygon,
    Rect,
    Shape,
    Text,
    text_width,
)
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.game import Game, Games, Played

Pixels: TypeAlias = npt.NDArray[np.uint8]

RENDER_MODES: Final = ("ansi", "svg", "rgb_array", "human")
RENDER_FPS: Final = 1
_NEEDS: Final = {"rgb_array": ("PIL",), "human": ("PIL", "pygame")}
_FINER: Final = 2  # pixels are averaged over so many in both directions


def check_render_mode(mode: str | None) -> str | None:
    """Return a render mode that there is and whose libraries are installed.

    Raises:
        InvalidOption: there is not, or they are not.
    """
    if mode is None:
        return None
    if mode not in RENDER_MODES:
        raise InvalidOption(
            f"render_mode={mode!r}: expected None or one of {', '.join(RENDER_MODES)}"
        )
    for module in _NEEDS.get(mode, ()):
        _library(module, f"render_mode={mode!r}")
    return mode


def _library(module: str, what: str) -> Any:
    """Import an optional library.

    Raises:
        InvalidOption: it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        raise InvalidOption(
            f"{what}: needs a library that is not installed: pip install 'sprawl-env[render]'"
        ) from None


# ---------------------------------------------------------------------------------------- pixels


def rgb_array(picture: Picture) -> Pixels:
    """Return a picture as uint8 ``[height, width, 3]``.

    Raises:
        InvalidOption: Pillow is not installed.
    """
    image_module, draw_module = (_library(f"PIL.{m}", "pixels") for m in ("Image", "ImageDraw"))
    size = (round(picture.width) * _FINER, round(picture.height) * _FINER)
    image = image_module.new("RGB", size, GROUND)
    canvas = draw_module.Draw(image)
    for shape in picture.shapes:
        _paint(canvas, shape)
    return np.asarray(image.reduce(_FINER), np.uint8)


def _paint(canvas: Any, shape: Shape) -> None:
    """Paint one shape at the finer scale."""
    n = _FINER
    style = {
        "fill": None if shape.fill == NONE else shape.fill,
        "outline": None if shape.stroke == NONE else shape.stroke,
        "width": max(1, round(shape.stroke_width * n)),
    }
    out = shape.stroke_width * n / 2 if shape.stroke != NONE else 0.0  # an outline lies astride
    if isinstance(shape, Rect):
        left, top = shape.x * n - out, shape.y * n - out
        right, bottom = (shape.x + shape.width) * n + out, (shape.y + shape.height) * n + out
        canvas.rounded_rectangle((left, top, right - 1, bottom - 1), shape.radius * n, **style)
    elif isinstance(shape, Circle):
        r = shape.radius * n + out
        x, y = shape.x * n, shape.y * n
        canvas.ellipse((x - r, y - r, x + r, y + r), **style)
    elif isinstance(shape, Polygon):
        canvas.polygon([(x * n, y * n) for x, y in shape.points], **style)
    elif isinstance(shape, Line):
        ends = (shape.x * n, shape.y * n, shape.to_x * n, shape.to_y * n)
        canvas.line(ends, fill=shape.stroke, width=style["width"])
    elif isinstance(shape, Text):
        _write(canvas, shape)


def _write(canvas: Any, text: Text) -> None:
    """Write a text as wide as it is meant to be, or a little narrower."""
    n = _FINER
    meant = text_width(text.text, text.size, text.bold) * n
    font = _font(round(text.size * n, 1))
    wide = font.getlength(text.text) + (1 if text.bold else 0)
    if wide > meant:
        font = _font(round(text.size * n * meant / wide, 1))
    anchor = {"start": "ls", "middle": "ms", "end": "rs"}[text.anchor]
    bold = 0.035 * text.size * n if text.bold else 0
    place = (text.x * n, text.y * n)
    canvas.text(place, text.text, text.fill, font, anchor, stroke_width=bold)


@functools.lru_cache(maxsize=256)
def _font(size: float) -> Any:
    """Return Pillow's own type: the same on every machine."""
    return _library("PIL.ImageFont", "pixels").load_default(size)


# ------------------------------------------------------------------------------------------ text

_SEAT_CODES: Final = (34, 33, 32, 35, 37)  # of a terminal's colours
_WORDS: Final = {
    "red": 31, "blue": 34, "yellow": 33, "black": 90, "grey": 37, "white": 97, "brown": 33,
    "CIV": 34, "COM": 31, "IND": 33, "RES": 32, "PARK": 92,
}  # fmt: skip
_COLOURED: Final = re.compile(rf"\b(?:seat (\d)|({'|'.join(_WORDS)}))\b")


def terminal_has_colour() -> bool:
    """Tell whether standard output is a terminal that shows colours (``NO_COLOR`` says no)."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(sys.stdout is not None and sys.stdout.isatty())


def coloured(text: str) -> str:
    """Return a text board with seats, colours and zones in colour, by ANSI codes."""

    def paint(found: re.Match[str]) -> str:
        seat, word = found.groups()
        code = f"1;{_SEAT_CODES[int(seat) % len(_SEAT_CODES)]}" if seat else str(_WORDS[word])
        return f"\033[{code}m{found[0]}\033[0m"

    return _COLOURED.sub(paint, text)


def text_board(game: Game, games: Games, g: int, last: Played | None = None) -> str:
    """Return the position as text, the last action below, in colour where the terminal can."""
    text = game.describe(games, g)
    if last is not None:
        text += f"\nlast: seat {last.seat}, {last.says}"
    return coloured(text) if terminal_has_colour() else text


# ---------------------------------------------------------------------------------------- window


class Window:
    """A window that shows pictures; it opens with the first one."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._screen: Any = None

    def show(self, pixels: Pixels) -> None:
        """Show uint8 ``[height, width, 3]``.

        Raises:
            InvalidOption: there is no display, or pygame is not installed.
        """
        pygame = _library("pygame", "render_mode='human'")
        height, width = pixels.shape[:2]
        try:
            if self._screen is None or self._screen.get_size() != (width, height):
                pygame.display.init()
                pygame.display.set_caption(self._title)
                self._screen = pygame.display.set_mode((width, height))
        except pygame.error as error:
            raise InvalidOption(
                f"render_mode='human': no window can be opened ({error}): use 'rgb_array', 'svg' "
                "or 'ansi' without a display"
            ) from None
        self._screen.blit(pygame.surfarray.make_surface(pixels.swapaxes(0, 1)), (0, 0))
        pygame.event.pump()
        pygame.display.flip()

    def __reduce__(self) -> tuple[type[Window], tuple[str]]:
        """A copy or a pickled one opens a window of its own."""
        return Window, (self._title,)

    def close(self) -> None:
        """Close it, if it is open; it may be opened again."""
        if self._screen is not None:
            _library("pygame", "render_mode='human'").display.quit()
            self._screen = None


class Renderer:
    """What the adapters have in common: a render mode and, for ``"human"``, a window."""

    def __init__(self, game: Game, mode: str | None) -> None:
        """Check the mode.

        Raises:
            InvalidOption: no such mode, a library is missing, or the game has no pictures.
        """
        self.mode = check_render_mode(mode)
        self.modes = RENDER_MODES if game.rules.draw is not None else RENDER_MODES[:1]
        if self.mode is not None and self.mode not in self.modes:
            raise InvalidOption(f"{game.name}: has no pictures: expected render_mode 'ansi'")
        self._game = game
        self._window = Window(game.title) if self.mode == "human" else None

    def render(self, games: Games, g: int, last: Played | None = None) -> str | Pixels | None:
        """Return text (``"ansi"``, ``"svg"``) or pixels; None in a window or without a mode."""
        if self.mode is None:
            return None
        if self.mode == "ansi":
            return text_board(self._game, games, g, last)
        picture = self._game.picture(games, g, last=last)
        if self.mode == "svg":
            return picture.svg()
        pixels = rgb_array(picture)
        if self._window is None:
            return pixels
        self._window.show(pixels)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
