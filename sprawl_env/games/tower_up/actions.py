"""What an action id means in *Tower Up* (TU §9)."""

from __future__ import annotations

from typing import Final

from sprawl_env.core.actions import ActionTable
from sprawl_env.games.tower_up.constants import MARKET_SIZE, MAX_SITES, NUM_COLOURS

ACTIONS: Final = ActionTable(
    ("take", MARKET_SIZE, "take the card in market space i", "card"),
    ("choose", NUM_COLOURS, "colour of a substitute or multicolour floor"),
    ("return", NUM_COLOURS, "give a floor of the colour back to the supply"),
    ("build", MAX_SITES * NUM_COLOURS, "build on site i // 4 with colour i % 4", "site"),
    ("roof", MAX_SITES, "put a roof on site i", "site"),
)

# Kernels read plain integers, so the table is unpacked once, by name.
TAKE: Final = ACTIONS["take"].start
CHOOSE: Final = ACTIONS["choose"].start
RETURN: Final = ACTIONS["return"].start
BUILD: Final = ACTIONS["build"].start
ROOF: Final = ACTIONS["roof"].start
