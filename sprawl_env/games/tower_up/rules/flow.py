"""What advances a game of *Tower Up*: the automatic steps between two decisions (TU §4, T10)."""

from __future__ import annotations

from sprawl_env.core.state import NOT_OVER
from sprawl_env.games.tower_up.constants import Step
from sprawl_env.games.tower_up.rules.end import end_turn
from sprawl_env.games.tower_up.rules.take import (
    holds_too_many,
    lose_floor,
    move_marker,
    refill_market,
    supply_is_empty,
)
from sprawl_env.games.tower_up.state import State
from sprawl_env.games.tower_up.tables import Table
from sprawl_env.kernels.agenda import pop, top
from sprawl_env.kernels.compile import kernel


@kernel
def advance(t: Table, state: State) -> None:
    """Carry out automatic steps until a decision is on top of the agenda or the game is over."""
    while state.over == NOT_OVER:
        entry = top(state)
        step, seat = int(entry.step), int(entry.seat)
        if step == Step.VEHICLE:
            colour, steps = int(entry.colour), int(entry.steps)
            pop(state)
            move_marker(t, state, seat, colour, steps)
        elif step == Step.REFILL:
            space = int(entry.space)
            pop(state)
            refill_market(state, space)
        elif step == Step.END_OF_TURN:
            end_turn(t, state, seat)
        elif step == Step.FLOOR and supply_is_empty(state):
            lose_floor(state)
        elif step == Step.RETURN and not holds_too_many(t, state, seat):
            pop(state)
        else:
            state.to_play = seat
            return
