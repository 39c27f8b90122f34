"""The kernels of *Ginkgopolis* that everything outside calls.

See ``core.rules.GameKernels``.
"""

from __future__ import annotations

from sprawl_env.core.state import NOT_OVER, Games, Tables
from sprawl_env.games.ginkgopolis.actions import TAKE
from sprawl_env.games.ginkgopolis.constants import LAST_PASS, Gain, Step
from sprawl_env.games.ginkgopolis.rules.decisions import (
    answer,
    do_place_marker,
    do_take,
    mark_cards,
    mark_gains,
    mark_picks,
    mark_places,
    mark_returns,
    mark_tiles,
)
from sprawl_env.games.ginkgopolis.rules.flow import advance, end_pass
from sprawl_env.games.ginkgopolis.rules.hidden import choose_again, redeal
from sprawl_env.games.ginkgopolis.rules.passes import answered
from sprawl_env.games.ginkgopolis.rules.scoring import write_scores
from sprawl_env.games.ginkgopolis.rules.setup import set_up
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.kernels.agenda import top
from sprawl_env.kernels.arrays import Ints, Mask
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import seed_state


@kernel
def deal(tables: Tables, games: Games, g: int, seed: int) -> None:
    """Deal an opening position (GK §1)."""
    state: State = games[g]
    seed_state(state, seed)
    set_up(tables[0], state)
    advance(tables[0], state)


@kernel
def legal_actions(tables: Tables, games: Games, g: int, mask: Mask) -> None:
    """Mark what the seat to play may do (GK §6)."""
    state: State = games[g]
    mask[:] = 0
    if state.over != NOT_OVER:
        return
    step = int(top(state).step)
    seat = int(state.to_play)
    if step == Step.CARD:
        mark_cards(state, seat, mask)
    elif step == Step.TILE:
        mark_tiles(state, seat, mask)
    elif step == Step.MARKER:
        mark_places(state, int(top(state).letter), int(top(state).site), mask)
    elif step == Step.GAIN:
        mark_gains(state, seat, mask)
    elif step == Step.RETURN:
        mark_returns(state, seat, mask)
    else:
        mark_picks(state, seat, mask)


@kernel
def decide(tables: Tables, games: Games, g: int, action: int) -> None:
    """Carry out a legal action and the end of its pass, without the automatic steps after it."""
    t: Table = tables[0]
    state: State = games[g]
    seat, step = int(state.to_play), int(top(state).step)
    if step <= LAST_PASS:
        answer(state, seat, action)
        if answered(state, seat):
            end_pass(t, state, step)
    elif step == Step.GAIN:
        do_take(state, seat, Gain.RESOURCE if action == TAKE else Gain.TILE)
    else:
        do_place_marker(state, seat, action)


@kernel
def play(tables: Tables, games: Games, g: int, action: int) -> None:
    """Carry out a legal action, then advance to the next decision."""
    t: Table = tables[0]
    state: State = games[g]
    state.ply += 1
    decide(tables, games, g, action)
    advance(t, state)


@kernel
def owing(tables: Tables, games: Games, g: int) -> int:
    """Return the set of seats that owe an answer in this pass (GK §3); 0 once over."""
    state: State = games[g]
    if state.over != NOT_OVER:
        return 0
    if top(state).step <= LAST_PASS:
        return int(state.owes)
    return 1 << int(state.to_play)


@kernel
def hides(tables: Tables, games: Games, g: int) -> bool:
    """Return whether the answer that is owed stays hidden (GK §3).

    Cards and tiles are revealed when the seats act, also those of a seat that chooses alone after
    its new hand (G1); returned tiles and picks are not shown.
    """
    state: State = games[g]
    return bool(state.over == NOT_OVER and state.num_seats > 1 and top(state).step <= LAST_PASS)


@kernel
def scores(tables: Tables, games: Games, g: int, out: Ints) -> None:
    """Write the points of all sides as if the game were scored now; solo: the seat's, Hal's."""
    write_scores(tables[0], games[g], out)


@kernel
def standings(tables: Tables, games: Games, g: int, out: Ints) -> None:
    """Write the points: equal points share a place (G7, G19)."""
    write_scores(tables[0], games[g], out)


@kernel
def redeal_hidden(tables: Tables, games: Games, g: int, seed: int, seat: int) -> None:
    """Re-deal what the seat cannot know and re-seed the rng (GK §2)."""
    seed_state(games[g], seed)
    redeal(tables[0], games[g], seat)


@kernel
def take_back(tables: Tables, games: Games, g: int, seat: int) -> int:
    """Let the others choose again what they have chosen in secret (GK §3)."""
    return choose_again(games[g], seat)
