"""Text boards for the render mode ``"ansi"``, in colour if standard output is a terminal."""

from __future__ import annotations

import os
import re
import sys
from typing import Final

from sprawl_env.core.game import Game
from sprawl_env.core.rules import Played
from sprawl_env.core.state import Games

_SEAT_CODES: Final = (34, 33, 32, 35, 37)  # ANSI colour codes, by seat
_WORDS: Final = {  # ANSI colour codes of words
    "red": 31, "blue": 34, "yellow": 33, "black": 90, "grey": 37, "white": 97, "brown": 33,
    "CIV": 34, "COM": 31, "IND": 33, "RES": 32, "PARK": 92,
}  # fmt: skip
_COLOURED: Final = re.compile(rf"\b(?:seat (\d)|({'|'.join(_WORDS)}))\b")


def terminal_has_colour() -> bool:
    """Return whether standard output is a terminal with colours and ``NO_COLOR`` is not set."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(sys.stdout is not None and sys.stdout.isatty())


def coloured(text: str) -> str:
    """Return a text board with ANSI codes that colour seats, colour names and zones."""

    def paint(found: re.Match[str]) -> str:
        seat, word = found.groups()
        code = f"1;{_SEAT_CODES[int(seat) % len(_SEAT_CODES)]}" if seat else str(_WORDS[word])
        return f"\033[{code}m{found[0]}\033[0m"

    return _COLOURED.sub(paint, text)


def text_board(game: Game, games: Games, g: int, last: Played | None = None) -> str:
    """Return the position as text with the last action below, in colour in a terminal."""
    text = game.describe(games, g)
    if last is not None:
        text += f"\nlast: seat {last.seat}, {last.says}"
    return coloured(text) if terminal_has_colour() else text
