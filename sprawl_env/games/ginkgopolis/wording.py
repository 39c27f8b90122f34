"""Names of tiles, cards and characters."""

from __future__ import annotations

from sprawl_env.games.ginkgopolis.constants import (
    ACTS,
    COLOURS,
    LETTERS,
    NUM_ACTS,
    NUM_LETTERS,
    NUMBERS,
)


def tile_name(tile: int) -> str:
    """Return a tile or building card as ``red 7``."""
    return f"{COLOURS[tile // NUMBERS]} {tile % NUMBERS + 1}"


def card_name(card: int) -> str:
    """Return a card as ``A`` or ``red 7``."""
    return LETTERS[card] if card < NUM_LETTERS else tile_name(card - NUM_LETTERS)


def character_name(kind: int) -> str:
    """Return a character as ``red exploit``."""
    return f"{COLOURS[kind // NUM_ACTS]} {ACTS[kind % NUM_ACTS]}"
