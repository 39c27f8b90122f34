"""A ply in parts, for telling what it changed: the decision, then one automatic step at a time.

``entry_points.play`` carries out the same parts at once; nothing that plays uses this module.
``decide`` is the first part of both.
"""

from __future__ import annotations

from typing import Any

from sprawl_env.core.state import NOT_OVER, Games, Tables
from sprawl_env.games.ginkgopolis.constants import LAST_DECISION
from sprawl_env.games.ginkgopolis.rules.entry_points import decide
from sprawl_env.games.ginkgopolis.rules.flow import carry_out
from sprawl_env.games.ginkgopolis.rules.scoring import num_sides, points_of, score_districts
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.kernels.agenda import top
from sprawl_env.kernels.compile import kernel


@kernel
def do_next(tables: Tables, games: Games, g: int) -> bool:
    """Carry out the next automatic step; return False if there is none before a decision."""
    state: State = games[g]
    if state.over != NOT_OVER or top(state).step <= LAST_DECISION:
        return False
    carry_out(tables[0], state, int(top(state).step))
    return True


@kernel
def write_parts(tables: Tables, games: Games, g: int, out: Any) -> None:
    """Write where points come from, int32 ``[4, sides]``: points, tokens, cards, districts."""
    t: Table = tables[0]
    state: State = games[g]
    for seat in range(num_sides(state)):
        out[0, seat] = state.points[seat]
        out[1, seat] = int(state.tokens[seat]) * int(t.token_points)
        out[2, seat] = points_of(t, state, seat) - out[0, seat] - out[1, seat]
        out[3, seat] = 0
    score_districts(state, out[3])


__all__ = ["decide", "do_next", "write_parts"]
