"""A ply in parts, for telling what it changed: the decision, then one automatic step at a time.

``entry_points.play`` carries out the same parts at once; nothing that plays uses this module.
``decide`` is the first part of both.
"""

from __future__ import annotations

from typing import Any

from sprawl_env.core.state import NOT_OVER, Games, Tables
from sprawl_env.games.urban_sprawl.rules.entry_points import decide
from sprawl_env.games.urban_sprawl.rules.flow import carry_out
from sprawl_env.games.urban_sprawl.rules.scoring import office_bonus, prestige_lines
from sprawl_env.games.urban_sprawl.steps import FIRST_AUTOMATIC
from sprawl_env.kernels.agenda import top
from sprawl_env.kernels.compile import kernel


@kernel
def do_next(tables: Tables, games: Games, g: int) -> bool:
    """Carry out the next automatic step; return False if there is none before a decision."""
    state = games[g]
    if state.over != NOT_OVER or top(state).step < FIRST_AUTOMATIC:
        return False
    carry_out(tables[0], state, int(top(state).step))
    return True


@kernel
def write_parts(tables: Tables, games: Games, g: int, out: Any) -> None:
    """Write where points come from, int32 ``[4, seats]``: prestige, lines, wealth, offices."""
    t, state = tables[0], games[g]
    for seat in range(state.num_seats):
        out[0, seat] = state.prestige[seat]
        out[1, seat] = prestige_lines(t, state, seat)
        out[2, seat] = int(state.wealth[seat]) // int(t.wealth_a_point)
        out[3, seat] = office_bonus(state, seat)


__all__ = ["decide", "do_next", "write_parts"]
