"""What advances a game of *Ginkgopolis*: automatic steps between decisions, ends of passes."""

from __future__ import annotations

from sprawl_env.core.state import NOT_OVER
from sprawl_env.games.ginkgopolis.constants import LAST_DECISION, LAST_PASS, Step
from sprawl_env.games.ginkgopolis.rules.act import collect_yields, finish_action, reveal
from sprawl_env.games.ginkgopolis.rules.draft import end_draft_pass
from sprawl_env.games.ginkgopolis.rules.gains import reveal_returned, take_tiles
from sprawl_env.games.ginkgopolis.rules.hal import hal_acts, hal_collects
from sprawl_env.games.ginkgopolis.rules.passes import ask_again, asked_seat
from sprawl_env.games.ginkgopolis.rules.rounds import begin_round, end_card_pass, end_round
from sprawl_env.games.ginkgopolis.rules.setup import deal_hands, take_items
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.kernels.agenda import pop, top
from sprawl_env.kernels.compile import kernel


@kernel
def advance(t: Table, state: State) -> None:
    """Carry out automatic steps until a decision is on top of the agenda or the game is over."""
    while state.over == NOT_OVER:
        step = int(top(state).step)
        if step <= LAST_PASS:
            state.to_play = asked_seat(state)
            return
        if step <= LAST_DECISION:
            state.to_play = top(state).seat
            return
        carry_out(t, state, step)


@kernel
def carry_out(t: Table, state: State, step: int) -> None:
    """Carry out the automatic step on top of the agenda."""
    seat = int(top(state).seat)
    if step == Step.ACT:
        reveal(state, seat)
    elif step == Step.COLLECT:
        collect_yields(state)
    elif step == Step.TAKE_TILES:
        take_tiles(state)
    elif step == Step.FINISH:
        finish_action(t, state)
    elif step == Step.HAL:
        hal_acts(t, state)
    elif step == Step.HAL_COLLECT:
        hal_collects(state)
    elif step == Step.END_OF_ROUND:
        end_round(t, state)
    elif step == Step.BEGIN_ROUND:
        begin_round(t, state)
    elif step == Step.EQUIP:
        take_items(t, state, seat)
    else:
        deal_hands(t, state)


@kernel
def end_pass(t: Table, state: State, step: int) -> None:
    """Apply all answers of a pass together (GK §3)."""
    if step == Step.DRAFT:
        end_draft_pass(state)
    elif step == Step.CARD:
        end_card_pass(t, state)
    elif step == Step.TILE:
        pop(state)
    elif state.again:
        ask_again(state)
    else:
        reveal_returned(t, state)
