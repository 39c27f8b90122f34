"""Names of blocks and lots."""

from __future__ import annotations

from typing import Final

from sprawl_env.games.urban_sprawl.constants import CORNERS, SIDE

CORNER_WORDS: Final = ("top left", "top right", "bottom left", "bottom right")


def block_name(block: int) -> str:
    """Return a block by letter and number: columns A to F, rows 1 to 6 from the top."""
    return f"{'ABCDEF'[block % SIDE]}{block // SIDE + 1}"


def lot_name(lot: int) -> str:
    """Return a lot, e.g. ``C3 top left``."""
    return f"{block_name(lot // CORNERS)} {CORNER_WORDS[lot % CORNERS]}"
