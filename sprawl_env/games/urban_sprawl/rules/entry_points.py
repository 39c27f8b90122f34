"""The kernels of *Urban Sprawl* that the library calls (``core.rules.GameKernels``).

``flow`` carries out automatic steps; ``decisions`` says what each decision marks and does.
"""

from __future__ import annotations

from sprawl_env.core.state import NOT_OVER, Games, Tables
from sprawl_env.games.urban_sprawl.actions import SITE
from sprawl_env.games.urban_sprawl.rules.decisions import (
    mark_seat_choice,
    mark_simple,
    mark_turn,
    play_seat,
    play_simple,
    play_turn,
)
from sprawl_env.games.urban_sprawl.rules.flow import advance
from sprawl_env.games.urban_sprawl.rules.hidden import redeal
from sprawl_env.games.urban_sprawl.rules.picks import mark_picks, play_pick
from sprawl_env.games.urban_sprawl.rules.scoring import write_scores
from sprawl_env.games.urban_sprawl.rules.setup import set_up
from sprawl_env.games.urban_sprawl.rules.targets import mark_in_city, play_in_city
from sprawl_env.games.urban_sprawl.steps import (
    ANSWER_OF,
    Answer,
)
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
    answer = ANSWER_OF[step]
    if answer == Answer.TURN:
        mark_turn(t, state, step, seat, mask)
    elif answer == Answer.CITY:
        mark_in_city(t, state, step, seat, mask)
    elif answer == Answer.SEAT:
        mark_seat_choice(state, step, seat, mask)
    elif answer == Answer.PICK:
        mark_picks(t, state, step, seat, mask)
    else:
        mark_simple(t, state, step, seat, mask)


@kernel
def decide(tables: Tables, games: Games, g: int, action: int) -> None:
    """Carry out a legal action, without the automatic steps after it."""
    t, state = tables[0], games[g]
    seat, step = int(state.to_play), int(top(state).step)
    answer = ANSWER_OF[step]
    if answer == Answer.TURN:
        play_turn(t, state, step, seat, action)
    elif answer == Answer.CITY:
        play_in_city(t, state, step, seat, action - SITE)
    elif answer == Answer.SEAT:
        play_seat(t, state, step, seat, action)
    elif answer == Answer.PICK:
        play_pick(t, state, step, seat, action)
    else:
        play_simple(t, state, step, seat, action)


@kernel
def play(tables: Tables, games: Games, g: int, action: int) -> None:
    """Carry out a legal action and advance to the next decision."""
    t, state = tables[0], games[g]
    state.ply += 1
    decide(tables, games, g, action)
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
