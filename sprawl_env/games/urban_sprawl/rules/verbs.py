"""The verbs of *Urban Sprawl*: the functions that the library calls (``core.rules.Verbs``).

``flow`` carries out automatic steps; ``decisions`` says what each decision marks and does.
"""

from __future__ import annotations

from sprawl_env.core.state import NOT_OVER, Games, Tables
from sprawl_env.games.urban_sprawl.actions import PERMIT, SITE
from sprawl_env.games.urban_sprawl.constants import Step
from sprawl_env.games.urban_sprawl.rules.build import do_pay_permit, mark_permits
from sprawl_env.games.urban_sprawl.rules.decisions import (
    asks_in_city,
    asks_pick,
    asks_seat,
    mark_in_city,
    mark_picks,
    mark_seat_choice,
    mark_simple,
    play_in_city,
    play_pick,
    play_seat,
    play_simple,
)
from sprawl_env.games.urban_sprawl.rules.flow import advance
from sprawl_env.games.urban_sprawl.rules.hidden import redeal
from sprawl_env.games.urban_sprawl.rules.scoring import write_scores
from sprawl_env.games.urban_sprawl.rules.setup import set_up
from sprawl_env.games.urban_sprawl.rules.turn import do_main, mark_main
from sprawl_env.kernels.agenda import top
from sprawl_env.kernels.arrays import Ints, Mask
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import seed_state

POINT = 2**15  # of a standing; wealth, the tie-break, stays below it


@kernel
def deal(tables: Tables, games: Games, g: int, seed: int) -> None:
    """Deal an opening position."""
    state = games[g]
    seed_state(state, seed)
    set_up(tables[0], state)
    advance(tables[0], state)


@kernel
def legal_actions(tables: Tables, games: Games, g: int, mask: Mask) -> None:
    """Mark the legal actions of the seat to play (US §9)."""
    t, state = tables[0], games[g]
    mask[:] = 0
    if state.over != NOT_OVER:
        return
    step, seat = int(top(state).step), int(state.to_play)
    if step == Step.MAIN:
        mark_main(t, state, seat, mask)
    elif step == Step.PERMITS:
        mark_permits(t, state, seat, int(top(state).card), mask)
    elif asks_in_city(step):
        mark_in_city(t, state, step, seat, mask)
    elif asks_seat(step):
        mark_seat_choice(state, step, seat, mask)
    elif asks_pick(step):
        mark_picks(t, state, step, seat, mask)
    else:
        mark_simple(t, state, step, seat, mask)


@kernel
def play(tables: Tables, games: Games, g: int, action: int) -> None:
    """Carry out a legal action and advance to the next decision."""
    t, state = tables[0], games[g]
    seat, step = int(state.to_play), int(top(state).step)
    state.ply += 1
    if step == Step.MAIN:
        do_main(t, state, seat, action)
    elif step == Step.PERMITS:
        do_pay_permit(t, state, seat, action - PERMIT)
    elif asks_in_city(step):
        play_in_city(t, state, step, seat, action - SITE)
    elif asks_seat(step):
        play_seat(t, state, step, seat, action)
    elif asks_pick(step):
        play_pick(t, state, step, seat, action)
    else:
        play_simple(t, state, step, seat, action)
    advance(t, state)


@kernel
def scores(tables: Tables, games: Games, g: int, out: Ints) -> None:
    """Write every seat's score as if the game ended now (US 6.12)."""
    write_scores(tables[0], games[g], out)


@kernel
def standings(tables: Tables, games: Games, g: int, out: Ints) -> None:
    """Write scores in which wealth breaks ties (US 6.12)."""
    state = games[g]
    write_scores(tables[0], state, out)
    for seat in range(state.num_seats):
        out[seat] = out[seat] * POINT + int(state.wealth[seat])


@kernel
def redeal_hidden(tables: Tables, games: Games, g: int, seed: int, seat: int) -> None:
    """Re-deal the face-down cards and reseed the rng (ruling U13)."""
    seed_state(games[g], seed)
    redeal(tables[0], games[g])
