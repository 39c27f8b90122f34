"""Render modes of the adapters: text, SVG, pixels or a window.

Pixels need Pillow; a window also needs pygame: ``pip install 'sprawl-env[render]'``.
"""

from __future__ import annotations

from typing import Final, cast

from sprawl_env.core.arguments import checked
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.extras import require
from sprawl_env.core.game import Game
from sprawl_env.core.rules import Played
from sprawl_env.core.state import Games
from sprawl_env.render.picture import Picture, as_large_as_fits
from sprawl_env.render.pixels import Pixels, rgb_array
from sprawl_env.render.text import text_board
from sprawl_env.render.window import Window

RENDER_MODES: Final = ("ansi", "svg", "rgb_array", "human")
RENDER_FPS: Final = 1
WINDOW: Final = (1366, 700)  # largest window: what a small screen has besides its bars
_NEEDS: Final = {"rgb_array": ("PIL",), "human": ("PIL", "pygame")}


@checked
def check_render_mode(mode: str | None) -> str | None:
    """Return ``mode`` if it exists and its libraries are installed.

    Raises:
        InvalidOption: there is no such mode, or a library is not installed.
    """
    if mode is None:
        return None
    if mode not in RENDER_MODES:
        raise InvalidOption(
            f"render_mode={mode!r}: expected None or one of {', '.join(RENDER_MODES)}"
        )
    for module in _NEEDS.get(mode, ()):
        require(module, f"render_mode={mode!r}")
    return mode


class Renderer:
    """Renders positions of a game in one mode, for all adapters; ``"human"`` uses a window."""

    def __init__(self, game: Game, mode: str | None) -> None:
        """Check the mode.

        Raises:
            InvalidOption: there is no such mode, a library is not installed, or the game has no
                pictures.
        """
        self.mode = check_render_mode(mode)
        self.modes = RENDER_MODES if game.rules.draw is not None else RENDER_MODES[:1]
        if self.mode is not None and self.mode not in self.modes:
            raise InvalidOption(f"{game.name}: has no pictures: expected render_mode 'ansi'")
        self._game = game
        self._window = Window(game.title) if self.mode == "human" else None

    def render(self, games: Games, g: int, last: Played | None = None) -> str | Pixels | None:
        """Return text (``"ansi"``, ``"svg"``) or pixels; None with a window or without a mode."""
        if self.mode is None:
            return None
        if self.mode == "ansi":
            return text_board(self._game, games, g, last)
        picture = cast(Picture, self._game.picture(games, g, last=last))
        if self.mode == "svg":
            return picture.svg()
        if self._window is None:
            return rgb_array(picture)
        self._window.show(rgb_array(as_large_as_fits(picture, *WINDOW)))
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
