"""The action ids of *Ginkgopolis* (GK §6)."""

from __future__ import annotations

from typing import Final

from sprawl_env.core.actions import ActionTable
from sprawl_env.games.ginkgopolis.constants import (
    NUM_KINDS,
    NUM_LETTERS,
    NUM_PLACES,
    NUM_TILES,
)

ACTIONS: Final = ActionTable(
    ("draft", NUM_KINDS, "pick a character of colour i // 3 and act i % 3", "kind"),
    ("new_hand", 1, "pay a token for a new hand"),
    ("letter", NUM_LETTERS, "choose urbanization card A + i", "letter"),
    ("card", NUM_TILES, "choose the building card of colour i // 20, number i % 20 + 1", "tile"),
    ("with_tile", NUM_TILES, "add the tile of colour i // 20, number i % 20 + 1", "tile"),
    ("without_tile", 1, "play the card alone"),
    ("take", 2, "take a resource (0) or a tile (1)"),
    ("beside", 4, "put the marker north, east, south or west of the new tile"),
    ("place", NUM_PLACES, "put the marker on candidate i, counted clockwise from the earlier "
     "letter; without candidates: push anticlockwise (0) or clockwise (1)"),
    ("return", NUM_TILES, "return the tile of colour i // 20, number i % 20 + 1", "tile"),
    ("done", 1, "return no more tiles"),
    ("wait", 1, "nothing to decide (Parallel only)"),
)  # fmt: skip

# Kernels need plain integers, so the start of each block has a name.
DRAFT: Final = ACTIONS["draft"].start
NEW_HAND: Final = ACTIONS["new_hand"].start
CARD: Final = ACTIONS["letter"].start  # A to L, then the building cards
WITH_TILE: Final = ACTIONS["with_tile"].start
WITHOUT_TILE: Final = ACTIONS["without_tile"].start
TAKE: Final = ACTIONS["take"].start
BESIDE: Final = ACTIONS["beside"].start
PLACE: Final = ACTIONS["place"].start
RETURN: Final = ACTIONS["return"].start
DONE: Final = ACTIONS["done"].start
WAIT: Final = ACTIONS["wait"].start
