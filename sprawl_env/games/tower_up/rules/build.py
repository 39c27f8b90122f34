"""TU §4, second half: building, roofs and scoring."""

from __future__ import annotations

from sprawl_env.core.state import State
from sprawl_env.games.tower_up.constants import NO_COLOUR, NUM_COLOURS, NUM_ROOFS, EndCause, Step
from sprawl_env.games.tower_up.rules.objectives import claim_objectives
from sprawl_env.games.tower_up.rules.setup import add_floor, put_building
from sprawl_env.games.tower_up.rules.take import move_marker, trigger_end
from sprawl_env.kernels.agenda import pop, push
from sprawl_env.kernels.compile import kernel


@kernel
def may_pay(state: State, seat: int, site: int) -> bool:
    """An empty site next to a building, and a floor for every adjacent building (TU §4)."""
    if state.colour[site] != NO_COLOUR:
        return False
    neighbours = 0
    for colour in range(NUM_COLOURS):
        price = state.adjacent[site, colour]
        if price > state.reserve[seat, colour]:
            return False
        neighbours += price
    return neighbours > 0


@kernel
def may_build_colour(state: State, seat: int, site: int, colour: int) -> bool:
    """The colour differs from every adjacent building, and a floor of it is at hand (TU §4)."""
    return bool(state.adjacent[site, colour] == 0 and state.reserve[seat, colour] > 0)


@kernel
def may_build(state: State, seat: int, site: int, colour: int) -> bool:
    """All of the above, and a roof left to put on it (TU §4, T11)."""
    return bool(
        state.roofs_left[seat] > 0
        and may_pay(state, seat, site)
        and may_build_colour(state, seat, site, colour)
    )


@kernel
def do_build(t: State, state: State, seat: int, site: int, colour: int) -> None:
    """Build, and pay one floor to each adjacent building; paid floors cover roofs (TU §4)."""
    board = state.board
    state.reserve[seat, colour] -= 1
    put_building(t, state, site, colour)
    for k in range(t.num_streets[board, site]):
        other = t.streets[board, site, k]
        if state.colour[other] != NO_COLOUR:
            state.reserve[seat, state.colour[other]] -= 1
            add_floor(t, state, other)
    pop(state)
    push(state, Step.ROOF, seat, site)


@kernel
def may_roof(t: State, state: State, new: int, site: int) -> bool:
    """A floor was just placed here: on the new building or one beside it (TU §4)."""
    if state.colour[site] == NO_COLOUR:
        return False
    return bool(site == new or (t.next_to[state.board, new] >> site) & 1)


@kernel
def do_roof(t: State, state: State, seat: int, site: int) -> None:
    """Put a roof on the building's top, score its colour, claim objectives (TU §4, T13)."""
    pop(state)
    put_roof(state, seat, site)
    move_marker(t, state, seat, state.colour[site], int(state.height[site]))
    claim_objectives(t, state, seat)
    if state.roofs_left[seat] == 0:
        trigger_end(state, EndCause.LAST_ROOF)  # TU §7a


@kernel
def put_roof(state: State, seat: int, site: int) -> None:
    """Move one roof from the stock to the top of a building, at the height it has now."""
    roof = NUM_ROOFS - int(state.roofs_left[seat])
    bit = 1 << int(site)
    state.roofs_left[seat] = int(state.roofs_left[seat]) - 1
    state.roof_site[seat, roof] = site
    state.roof_height[seat, roof] = state.height[site]
    state.twice[seat] |= state.present[seat] & bit
    state.present[seat] |= bit
    state.top[site] = seat
    state.topped[seat] |= bit
