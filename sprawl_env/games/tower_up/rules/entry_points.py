"""The kernels of *Tower Up* that everything outside calls (see ``core.rules.GameKernels``)."""

from __future__ import annotations

from sprawl_env.core.state import NOT_OVER, Games, Tables
from sprawl_env.games.tower_up.actions import BUILD, CHOOSE, RETURN, ROOF, TAKE
from sprawl_env.games.tower_up.constants import NUM_COLOURS, Step
from sprawl_env.games.tower_up.rules.decisions import (
    do_build,
    do_choose_floor,
    do_return_floor,
    do_roof,
    do_take_card,
    mark_floors,
    mark_returns,
    mark_roofs,
    mark_turn,
)
from sprawl_env.games.tower_up.rules.end import floors_held, score_of
from sprawl_env.games.tower_up.rules.flow import advance
from sprawl_env.games.tower_up.rules.setup import begin_turn, set_up
from sprawl_env.games.tower_up.state import State
from sprawl_env.games.tower_up.tables import Table
from sprawl_env.kernels.agenda import top
from sprawl_env.kernels.arrays import Ints, Mask
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import seed_state, shuffle, sort

POINT = 1000  # weight of a million in a standing; floors in reserve (the tie-break) stay below it


@kernel
def deal(tables: Tables, games: Games, g: int, seed: int) -> None:
    """Deal an opening position (TU §3)."""
    state: State = games[g]
    seed_state(state, seed)
    set_up(tables[0], state)
    begin_turn(state, 0)


@kernel
def legal_actions(tables: Tables, games: Games, g: int, mask: Mask) -> None:
    """Mark what the seat to play may do (TU §9)."""
    state: State = games[g]
    mask[:] = 0
    if state.over != NOT_OVER:
        return
    entry = top(state)
    step, seat = int(entry.step), int(entry.seat)
    if step == Step.TURN:
        mark_turn(state, seat, mask)
    elif step == Step.FLOOR:
        mark_floors(state, mask)
    elif step == Step.RETURN:
        mark_returns(state, seat, mask)
    else:
        mark_roofs(tables[0], state, int(entry.site), mask)


@kernel
def play(tables: Tables, games: Games, g: int, action: int) -> None:
    """Carry out a legal action, then advance to the next decision."""
    state: State = games[g]
    t: Table = tables[0]
    seat = int(state.to_play)
    state.ply += 1
    if action < CHOOSE:
        do_take_card(t, state, seat, action - TAKE)
    elif action < RETURN:
        do_choose_floor(state, seat, action - CHOOSE)
    elif action < BUILD:
        do_return_floor(state, seat, action - RETURN)
    elif action < ROOF:
        site, colour = divmod(action - BUILD, NUM_COLOURS)
        do_build(t, state, seat, site, colour)
    else:
        do_roof(t, state, seat, action - ROOF)
    advance(t, state)


@kernel
def scores(tables: Tables, games: Games, g: int, out: Ints) -> None:
    """Write each seat's millions as if the game were scored now (TU §7)."""
    for seat in range(games[g].num_seats):
        out[seat] = score_of(tables[0], games[g], seat)


@kernel
def standings(tables: Tables, games: Games, g: int, out: Ints) -> None:
    """Write each seat's millions combined with the tie-break, floors in reserve (TU §7)."""
    for seat in range(games[g].num_seats):
        points = score_of(tables[0], games[g], seat)
        out[seat] = points * POINT + floors_held(games[g], seat)


@kernel
def redeal_hidden(tables: Tables, games: Games, g: int, seed: int, seat: int) -> None:
    """Shuffle the deck, the only hidden part, and re-seed the rng (TU §3.5)."""
    state: State = games[g]
    seed_state(state, seed)
    sort(state.deck, int(state.deck_size))
    shuffle(state, state.deck, int(state.deck_size))
