"""Where the prestige of *Urban Sprawl* comes from at the end, for persons (US 6.12)."""

from __future__ import annotations

from typing import Final

from sprawl_env.core.game import Game
from sprawl_env.core.points import Removal, points_table
from sprawl_env.core.rules import PointsRow
from sprawl_env.core.state import NOBODY, Games
from sprawl_env.games.urban_sprawl.constants import (
    ATTORNEY,
    BOSS,
    FIRST_DOUBLE_ROW,
    FIRST_GREY,
    MAYOR,
    NO_MARKER,
    NUM_DOUBLE_ROWS,
    NUM_GREYS,
    NUM_WEALTH_MARKERS,
    ZONES,
)
from sprawl_env.games.urban_sprawl.names import line_name, marker_name
from sprawl_env.games.urban_sprawl.rules.elections import ZONE_OF
from sprawl_env.games.urban_sprawl.wording import OFFICE_NAMES

_ROWS: Final = 2  # block rows of a double row


def points(game: Game, games: Games, g: int) -> list[PointsRow]:
    """Return the prestige of play, lines, wealth and offices, the total, and the tie-break."""
    wealth = tuple(games[g].wealth[: game.num_seats].tolist())
    copy = Removal(game, games, g)
    copy.state.prestige[:] = 0
    copy.row("prestige during the game")
    _remove_lines(copy, game)
    copy.state.wealth[:] = 0
    copy.row(f"wealth: 1 for {game.tables[0].wealth_a_point}")
    _remove_offices(copy)
    ties = [PointsRow("tie-break: wealth", wealth)]
    return points_table(game, games, g, copy.rows, ties)


def _remove_lines(copy: Removal, game: Game) -> None:
    """Add a row for each line with a prestige number; markers first, as their lines share rows."""
    state = copy.state
    for grey in range(NUM_GREYS):
        marker = int(state.marker_at[grey])
        if marker >= NUM_WEALTH_MARKERS:
            state.marker_at[grey] = NO_MARKER
            line = line_name(game.tables, FIRST_GREY + grey)
            copy.row(f"{line} ({marker_name(game.tables, marker)})")
    for row in range(NUM_DOUBLE_ROWS):
        state.in_row[:, _ROWS * row : _ROWS * (row + 1)] = 0
        copy.row(line_name(game.tables, FIRST_DOUBLE_ROW + row))


def _remove_offices(copy: Removal) -> None:
    for office in (MAYOR, *range(ATTORNEY, BOSS + 1)):
        counted = "buildings beside parks"
        if office != MAYOR:
            counted = f"{ZONES[ZONE_OF[office]]} buildings"
        copy.state.office[office] = NOBODY
        copy.row(f"{OFFICE_NAMES[office]}: {counted}")
