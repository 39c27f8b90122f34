"""A window."""

from __future__ import annotations

from typing import Any

from sprawl_env.core.errors import InvalidOption
from sprawl_env.render.libraries import library
from sprawl_env.render.pixels import Pixels

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
        pygame = library("pygame", "render_mode='human'")
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
            library("pygame", "render_mode='human'").display.quit()
            self._screen = None
