"""A round: choose, act, prepare the next round (GK §3; G1, G6, G20)."""

from __future__ import annotations

from sprawl_env.core.state import FINISHED, TRUNCATED
from sprawl_env.games.ginkgopolis.constants import SOLO_HAND, Step
from sprawl_env.games.ginkgopolis.rules.cards import (
    do_new_hand,
    draw_card,
    draw_to_hand,
    pass_hands,
)
from sprawl_env.games.ginkgopolis.rules.hal import end_game
from sprawl_env.games.ginkgopolis.rules.passes import ask_again, ask_all
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.kernels.agenda import pop, push
from sprawl_env.kernels.compile import kernel


@kernel
def begin_round(t: Table, state: State) -> None:
    """All choose a card, then a tile; then each acts, starting with the first player (GK §3)."""
    pop(state)
    state.rounds += 1
    seats = int(state.num_seats)
    push(state, Step.END_OF_ROUND, 0)
    if seats == 1:
        push(state, Step.HAL, 0)
        for _ in range(SOLO_HAND):
            draw_to_hand(t, state, 0)
        state.hal_card = draw_card(t, state)
    for k in range(seats - 1, -1, -1):
        push(state, Step.ACT, (int(state.first) + k) % seats)
    ask_all(state, Step.CARD)


@kernel
def may_ask_new_hand(state: State, seat: int) -> bool:
    """Return whether a New Hand token is left (G1)."""
    return bool(state.tokens[seat] > 0)


@kernel
def end_card_pass(t: Table, state: State) -> None:
    """Draw the new hands and ask their seats again; if there are none, ask for tiles (G1)."""
    again = int(state.again)
    if again == 0:
        pop(state)
        ask_all(state, Step.TILE)
        return
    seats = int(state.num_seats)
    for k in range(seats):
        seat = (int(state.first) + k) % seats
        if (again >> seat) & 1:
            do_new_hand(t, state, seat)
    ask_again(state)


@kernel
def end_round(t: Table, state: State) -> None:
    """Stop if the end was triggered or no round is left, else prepare the next (G6, G20)."""
    pop(state)
    if state.ending:
        end_game(state, FINISHED)
    elif state.rounds >= state.max_rounds:
        end_game(state, TRUNCATED)
    else:
        prepare_round(t, state)


@kernel
def prepare_round(t: Table, state: State) -> None:
    """Pass unused cards and the first-player card on; each seat draws a card (GK §3)."""
    seats = int(state.num_seats)
    push(state, Step.BEGIN_ROUND, 0)
    if seats == 1:
        return
    pass_hands(state)
    state.first = (int(state.first) + 1) % seats
    for k in range(seats):
        draw_to_hand(t, state, (int(state.first) + k) % seats)
