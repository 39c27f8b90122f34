"""The verbs of *Tower Up*: what the outside world calls (see ``core.game.Verbs``)."""

from __future__ import annotations

from sprawl_env.core.state import NOT_OVER, Games, State, Tables
from sprawl_env.games.tower_up.actions import BUILD, CHOOSE, RETURN, ROOF, TAKE
from sprawl_env.games.tower_up.constants import MARKET_SIZE, NUM_COLOURS, Step
from sprawl_env.games.tower_up.rules.build import (
    do_build,
    do_roof,
    may_build_colour,
    may_pay,
    may_roof,
)
from sprawl_env.games.tower_up.rules.end import end_turn, floors_held, score_of
from sprawl_env.games.tower_up.rules.setup import begin_turn, set_up
from sprawl_env.games.tower_up.rules.take import (
    do_choose_floor,
    do_return_floor,
    do_take_card,
    holds_too_many,
    lose_floor,
    may_choose_floor,
    move_marker,
    refill_market,
    supply_is_empty,
)
from sprawl_env.kernels.agenda import SEAT, STEP, A, B, pop, top
from sprawl_env.kernels.arrays import Ints, Mask
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import seed_state, shuffle, sort

POINT = 1000  # of a standing; the floors of a tie-break are fewer


@kernel
def advance(t: State, state: State) -> None:
    """Carry out automatic steps until a decision is on top or the game is over."""
    while state.over == NOT_OVER:
        step = top(state, STEP)
        seat = top(state, SEAT)
        if step == Step.VEHICLE:
            colour, steps = top(state, A), top(state, B)
            pop(state)
            move_marker(t, state, seat, colour, steps)
        elif step == Step.REFILL:
            space = top(state, A)
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


@kernel
def deal(tables: Tables, games: Games, g: int, seed: int) -> None:
    """Deal an opening position (TU §3)."""
    state = games[g]
    seed_state(state, seed)
    set_up(tables[0], state)
    begin_turn(state, 0)


@kernel
def mark_turn(state: State, seat: int, mask: Mask) -> None:
    """Take any card, or build wherever it can be paid (TU §4, T3, T11)."""
    for space in range(MARKET_SIZE):
        mask[TAKE + space] = 1
    if state.roofs_left[seat] == 0:
        return
    for site in range(state.colour.size):
        if may_pay(state, seat, site):
            for colour in range(NUM_COLOURS):
                mask[BUILD + site * NUM_COLOURS + colour] = may_build_colour(
                    state, seat, site, colour
                )


@kernel
def legal_actions(tables: Tables, games: Games, g: int, mask: Mask) -> None:
    """Mark what the seat to play may do (TU §9)."""
    state = games[g]
    mask[:] = 0
    if state.over != NOT_OVER:
        return
    step = top(state, STEP)
    seat = top(state, SEAT)
    if step == Step.TURN:
        mark_turn(state, seat, mask)
    elif step == Step.FLOOR:
        for colour in range(NUM_COLOURS):
            mask[CHOOSE + colour] = may_choose_floor(state, colour)
    elif step == Step.RETURN:
        for colour in range(NUM_COLOURS):
            mask[RETURN + colour] = state.reserve[seat, colour] > 0
    else:
        new = top(state, A)
        for site in range(state.colour.size):
            mask[ROOF + site] = may_roof(tables[0], state, new, site)


@kernel
def play(tables: Tables, games: Games, g: int, action: int) -> None:
    """Carry out a legal action and go on to the next decision."""
    state = games[g]
    t = tables[0]
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
    """Write everybody's millions as they stand (TU §7)."""
    for seat in range(games[g].num_seats):
        out[seat] = score_of(tables[0], games[g], seat)


@kernel
def standings(tables: Tables, games: Games, g: int, out: Ints) -> None:
    """Write the millions with the tie-break, floors in reserve, folded in (TU §7)."""
    for seat in range(games[g].num_seats):
        points = score_of(tables[0], games[g], seat)
        out[seat] = points * POINT + floors_held(games[g], seat)


@kernel
def redeal_hidden(tables: Tables, games: Games, g: int, seed: int, seat: int) -> None:
    """Shuffle the deck, the only hidden thing, and all chance to come (TU §3.5)."""
    state = games[g]
    seed_state(state, seed)
    sort(state.deck, int(state.deck_size))
    shuffle(state, state.deck, int(state.deck_size))
