"""The action ids of *Tower Up* (TU §9)."""

from __future__ import annotations

from typing import Final

from sprawl_env.core.actions import ActionTable
from sprawl_env.games.tower_up.constants import MARKET_SIZE, MAX_SITES, NUM_COLOURS

ACTIONS: Final = ActionTable(
    ("take", MARKET_SIZE, "take the card in market space i", "card"),
    (
        "choose",
        NUM_COLOURS,
        "take a floor of the colour, as a substitute or for a multicolour floor",
    ),
    ("return", NUM_COLOURS, "return a floor of the colour to the supply"),
    ("build", MAX_SITES * NUM_COLOURS, "build on site i // 4 with colour i % 4", "site"),
    ("roof", MAX_SITES, "put a roof on site i", "site"),
)

# Kernels need plain integers, so the start of each block has a name.
TAKE: Final = ACTIONS["take"].start
CHOOSE: Final = ACTIONS["choose"].start
RETURN: Final = ACTIONS["return"].start
BUILD: Final = ACTIONS["build"].start
ROOF: Final = ACTIONS["roof"].start
