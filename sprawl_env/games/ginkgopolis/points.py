"""Where the points of *Ginkgopolis* come from, for persons (GK §1, G10)."""

from __future__ import annotations

from typing import Final

from sprawl_env.core.game import Game
from sprawl_env.core.points import Removal, points_table
from sprawl_env.core.rules import PointsRow
from sprawl_env.core.state import NOBODY, Games
from sprawl_env.games.ginkgopolis.constants import COLOURS, NUM_TILES, NUMBERS, Count

_CARDS: Final = {
    Count.BUILDINGS_OF_COLOUR: "cards that count buildings of a colour",
    Count.LOW_BUILDINGS: "cards that count low buildings",
    Count.TALL_BUILDINGS: "cards that count tall buildings",
    Count.CARDS_OF_ACT: "cards that count cards of an act",
    Count.CARDS_OF_COLOUR: "cards that count cards of a colour",
    Count.FLAT: "cards with points of their own",
}


def points(game: Game, games: Games, g: int) -> list[PointsRow]:
    """Return the points of play, tokens, cards and districts, and their total.

    There is no tie-break (G7, G19).
    """
    copy = Removal(game, games, g)
    state = copy.state
    state.points[:] = 0
    copy.row("points during the game")
    state.tokens[:] = 0
    copy.row("New Hand tokens left")
    counts = game.tables[0].card_counts.tolist()
    for count, what in _CARDS.items():
        state.kept[:] &= ~sum(1 << tile for tile in range(NUM_TILES) if counts[tile] == count)
        copy.row(what)
    for colour, name in enumerate(COLOURS):
        state.owner[state.site_tile // NUMBERS == colour] = NOBODY
        copy.row(f"{name} districts")
    return points_table(game, games, g, copy.rows)
