"""TU §5 and §7: extra turns, the end of a turn, the end of the game, the final score."""

from __future__ import annotations

from sprawl_env.core.state import FINISHED, NOBODY, TRUNCATED
from sprawl_env.games.tower_up.constants import (
    NO_COLOUR,
    NUM_COLOURS,
    OBJECTIVES_IN_PLAY,
    EndCause,
)
from sprawl_env.games.tower_up.rules.setup import begin_turn
from sprawl_env.games.tower_up.rules.take import trigger_end
from sprawl_env.games.tower_up.state import State
from sprawl_env.games.tower_up.tables import Table
from sprawl_env.kernels.bits import count_bits
from sprawl_env.kernels.compile import kernel

# TU §5: extra turn --------------------------------------------------------------


@kernel
def stars_reached(t: Table, state: State, seat: int) -> int:
    """Return how many star columns the seat's slowest marker has reached or passed."""
    slowest = int(state.marker[seat, 0])
    for colour in range(1, NUM_COLOURS):
        slowest = min(slowest, int(state.marker[seat, colour]))
    count = 0
    for k in range(t.num_stars):
        count += slowest >= t.star_columns[k]
    return count


@kernel
def earns_extra_turn(t: Table, state: State, seat: int) -> bool:
    """Mark newly reached star columns as used; return whether there were any (TU §5)."""
    reached = stars_reached(t, state, seat)
    if reached > state.stars[seat]:
        state.stars[seat] = reached
        return True
    return False


# TU §7: end ----------------------------------------------------------------------


@kernel
def board_is_full(t: Table, state: State) -> bool:
    """Return whether no empty site can take a building of any colour (T14, T19)."""
    for site in range(t.num_sites[state.board]):
        if state.colour[site] == NO_COLOUR:
            colours = 0  # of the adjacent buildings
            for colour in range(NUM_COLOURS):
                colours += state.adjacent[site, colour] > 0
            if 0 < colours < NUM_COLOURS:
                return False
    return True


@kernel
def visible_roofs(state: State, seat: int) -> int:
    """Return how many of the seat's roofs are the top of a building."""
    return count_bits(state.topped[seat])


@kernel
def count_roofs(t: Table, state: State, seat: int) -> None:
    """Move the cone one space per visible roof (TU §7a)."""
    state.cone[seat] = min(visible_roofs(state, seat), int(t.cone_end))
    state.counted[seat] = 1


@kernel
def stop(state: State, how: int) -> None:
    """End the game."""
    state.over = how
    state.to_play = NOBODY
    state.agenda_size = 0


@kernel
def end_go(t: Table, state: State, seat: int) -> None:
    """Close a seat's turn and extra turns: start, count and end the last turns (TU §7)."""
    if state.last_turns > 0:
        count_roofs(t, state, seat)
        state.last_turns -= 1
        if state.last_turns == 0:
            stop(state, FINISHED)
    elif state.end_cause == EndCause.LAST_ROOF:
        count_roofs(t, state, seat)
        state.last_turns = int(state.num_seats) - 1
    elif state.end_cause == EndCause.SHORTAGE:
        state.last_turns = state.num_seats


@kernel
def truncate(t: Table, state: State) -> None:
    """Stop at the turn limit; every seat that has not counted yet counts (T15, T17)."""
    for seat in range(state.num_seats):
        if state.counted[seat] == 0:
            count_roofs(t, state, seat)
    stop(state, TRUNCATED)


@kernel
def end_turn(t: Table, state: State, seat: int) -> None:
    """End a turn: begin an extra turn or the next seat's turn, or end the game (T4)."""
    state.turn += 1
    if board_is_full(t, state):
        trigger_end(state, EndCause.SHORTAGE)  # T14; checked here, when a turn is over: T16
    extra = earns_extra_turn(t, state, seat)
    if not extra:
        end_go(t, state, seat)
        if state.over == FINISHED:
            return
    if state.turn >= state.max_turns:
        truncate(t, state)
    else:
        begin_turn(state, seat if extra else (seat + 1) % int(state.num_seats))


# Final score ------------------------------------------------------------------------


@kernel
def score_of(t: Table, state: State, seat: int) -> int:
    """Return a seat's millions: four markers, cone and chips (TU §7)."""
    total = int(t.cone_values[state.cone[seat]])
    for colour in range(NUM_COLOURS):
        total += int(t.marker_values[state.marker[seat, colour]])
    for k in range(OBJECTIVES_IN_PLAY):
        total += int(state.chip[seat, k])
    return total


@kernel
def floors_held(state: State, seat: int) -> int:
    """Return the floors in a seat's reserve: the tie-break (TU §7)."""
    held = 0
    for colour in range(NUM_COLOURS):
        held += int(state.reserve[seat, colour])
    return held
