"""A window that shows pictures, for the render mode ``"human"``."""

from __future__ import annotations

from typing import Any

from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.extras import require
from sprawl_env.render.pixels import Pixels


class Window:
    """A window that shows pictures; it opens when the first picture is shown."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._screen: Any = None

    def show(self, pixels: Pixels) -> None:
        """Show a picture, uint8 ``[height, width, 3]``.

        Raises:
            InvalidOption: there is no display, or pygame is not installed.
        """
        pygame = require("pygame", "render_mode='human'")
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
        """Pickle only the title: a copy opens its own window."""
        return Window, (self._title,)

    def close(self) -> None:
        """Close the window if it is open; showing another picture opens it again."""
        if self._screen is not None:
            require("pygame", "render_mode='human'").display.quit()
            self._screen = None
