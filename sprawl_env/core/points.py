"""Points: which of them a seat knows, and what the games' tables of points share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from sprawl_env.core.rules import PointsRow
from sprawl_env.core.state import NOT_OVER, Games, clone

REDEALS: Final = 8  # re-dealt positions whose points are compared


def known_scores(game: Any, games: Games, g: int, viewer: int | None) -> list[int | None]:
    """Return each side's points, as all re-dealt positions have them; None where they differ.

    Args:
        game: a :class:`~sprawl_env.core.game.Game`.
        games: the batch.
        g: index of the game.
        viewer: the seat whose knowledge counts; None: all points are known.
    """
    if viewer is None or games["over"][g] != NOT_OVER:
        known: list[int | None] = game.scores(games, g).tolist()
        return known
    trials = games[[g] * REDEALS].view(np.recarray)
    for k in range(REDEALS):
        game.redeal_hidden(trials, k, k, viewer)
    found = game.scores(trials)
    same = (found == found[0]).all(axis=0)
    return [int(found[0, side]) if same[side] else None for side in range(game.num_sides)]


def points_table(
    game: Any,
    games: Games,
    g: int,
    sources: Iterable[PointsRow],
    ties: Iterable[PointsRow] = (),
) -> list[PointsRow]:
    """Return the table of game ``g``: sources that give something, the total, tie-breaks.

    Args:
        game: a :class:`~sprawl_env.core.game.Game`.
        games: the batch.
        g: index of the game.
        sources: what gives points.
        ties: the tie-breaks, the first one first; more is better.
    """
    total = PointsRow("total", tuple(game.scores(games, g).tolist()), total=True)
    return [*(row for row in sources if any(row.points)), total, *ties]


class Removal:
    """Finds what sources are worth: they are removed from a copy of a game one after the other.

    Remove the sources of a row from :attr:`state`, then call :meth:`row`.

    Args:
        game: a :class:`~sprawl_env.core.game.Game`.
        games: the batch.
        g: index of the game.

    Attributes:
        state: the record of the copy.
        rows: the rows so far.
    """

    def __init__(self, game: Any, games: Games, g: int) -> None:
        self._game = game
        self._games = clone(games, slice(g, g + 1))
        self.state: Any = self._games[0]
        self.rows: list[PointsRow] = []
        self._left = game.scores(self._games, 0)

    def row(self, what: str) -> None:
        """Add a row with the points that each side has lost since the row before it."""
        left = self._game.scores(self._games, 0)
        self.rows.append(PointsRow(what, tuple((self._left - left).tolist())))
        self._left = left
