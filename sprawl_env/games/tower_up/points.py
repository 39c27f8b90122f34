"""Where the millions of *Tower Up* come from, for persons (TU §7)."""

from __future__ import annotations

from collections.abc import Iterator

from sprawl_env.core.game import Game
from sprawl_env.core.points import points_table
from sprawl_env.core.rules import PointsRow
from sprawl_env.core.state import Games
from sprawl_env.games.tower_up.constants import COLOURS, OBJECTIVES_IN_PLAY
from sprawl_env.games.tower_up.state import State


def points(game: Game, games: Games, g: int) -> list[PointsRow]:
    """Return the millions of markers, cone and chips, their total, and the tie-break (TU §7)."""
    state: State = games[g]
    reserve = tuple(state.reserve[: game.num_seats].sum(axis=1).tolist())
    ties = [PointsRow("tie-break: floors in reserve", reserve)]
    return points_table(game, games, g, _sources(game, state), ties)


def _sources(game: Game, state: State) -> Iterator[PointsRow]:
    t, seats = game.tables[0], game.num_seats
    for colour, name in enumerate(COLOURS):
        reached = t.marker_values[state.marker[:seats, colour]]
        yield PointsRow(f"{name} marker", tuple(reached.tolist()))
    cone = t.cone_values[state.cone[:seats]]
    yield PointsRow("cone: roofs on top", tuple(cone.tolist()))
    names = game.data.rows("objectives", "objective")
    for k in range(OBJECTIVES_IN_PLAY):
        chips = tuple(state.chip[:seats, k].tolist())
        yield PointsRow(f"objective: {names[int(state.objective[k])].name}", chips)
