"""The agenda loop: carry out automatic steps until a seat has to decide.

Steps from ``FIRST_AUTOMATIC`` on are automatic (``steps.Step``).
"""

from __future__ import annotations

from sprawl_env.core.state import NOT_OVER
from sprawl_env.games.urban_sprawl.actions import MOST_BID
from sprawl_env.games.urban_sprawl.rules.effects import run_effect
from sprawl_env.games.urban_sprawl.rules.elections import assign_contractor, election
from sprawl_env.games.urban_sprawl.rules.lists import next_effect
from sprawl_env.games.urban_sprawl.rules.offers import next_bid
from sprawl_env.games.urban_sprawl.rules.rails import (
    draw_contract,
    draw_planning,
    end_event,
    end_of_turn,
    pay_wealth,
)
from sprawl_env.games.urban_sprawl.rules.seats import act, each_seat
from sprawl_env.games.urban_sprawl.rules.turn import begin_turn
from sprawl_env.games.urban_sprawl.rules.vocations import score_seat, vocation_of_contract
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import (
    FIRST_AUTOMATIC,
    Step,
)
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.kernels.agenda import top
from sprawl_env.kernels.compile import kernel


@kernel
def advance(t: Table, state: State) -> None:
    """Carry out automatic steps until a decision is on top or the game is over."""
    while state.over == NOT_OVER:
        step = int(top(state).step)
        if step < FIRST_AUTOMATIC:
            state.to_play = top(state).seat
            return
        carry_out(t, state, step)


@kernel
def carry_out(t: Table, state: State, step: int) -> None:
    """Carry out an automatic step of a card."""
    if step == Step.EFFECT:
        run_effect(t, state)
    elif step == Step.EFFECTS:
        next_effect(state)
    elif step == Step.EACH:
        each_seat(t, state)
    elif step == Step.ACT:
        act(t, state)
    elif step == Step.SCORE_SEATS:
        score_seat(state)
    elif step == Step.TAKE_VOCATION:
        vocation_of_contract(t, state)
    elif step == Step.NEXT_BID:
        next_bid(t, state, MOST_BID)
    elif step == Step.ELECTION:
        election(t, state)
    elif step == Step.ASSIGN:
        assign_contractor(state)
    else:
        carry_out_of_turn(t, state, step)


@kernel
def carry_out_of_turn(t: Table, state: State, step: int) -> None:
    """Carry out an automatic step of the beginning or the end of a turn."""
    if step == Step.BEGIN_TURN:
        begin_turn(t, state)
    elif step == Step.END_OF_TURN:
        end_of_turn(t, state)
    elif step == Step.DRAW_PLANNING:
        draw_planning(t, state)
    elif step == Step.DRAW_CONTRACT:
        draw_contract(t, state)
    elif step == Step.END_EVENT:
        end_event(state)
    elif step == Step.PAY_WEALTH:
        pay_wealth(t, state)
