"""TU §4, second half: what a seat may build and pay, and where its roof goes."""

from __future__ import annotations

from sprawl_env.games.tower_up.constants import NO_COLOUR, NUM_COLOURS, NUM_ROOFS
from sprawl_env.games.tower_up.state import State
from sprawl_env.games.tower_up.tables import Table
from sprawl_env.kernels.compile import kernel


@kernel
def may_pay(state: State, seat: int, site: int) -> bool:
    """Return whether the site is empty, beside a building, and its price can be paid (TU §4)."""
    neighbours, affordable = 0, True
    for colour in range(NUM_COLOURS):
        price = state.adjacent[site, colour]
        affordable &= price <= state.reserve[seat, colour]
        neighbours += price
    return bool(affordable & (neighbours > 0) & (state.colour[site] == NO_COLOUR))


@kernel
def may_build_colour(state: State, seat: int, site: int, colour: int) -> bool:
    """Return whether no adjacent building has the colour and the seat holds it (TU §4)."""
    return bool((state.adjacent[site, colour] == 0) & (state.reserve[seat, colour] > 0))


@kernel
def may_roof(t: Table, state: State, new: int, site: int) -> bool:
    """Return whether a floor was just placed here: the new building or one beside it (TU §4)."""
    if state.colour[site] == NO_COLOUR:
        return False
    return bool(site == new or (t.next_to[state.board, new] >> site) & 1)


@kernel
def put_roof(state: State, seat: int, site: int) -> None:
    """Move one roof of the seat to the top of a building, at the building's current height."""
    roof = NUM_ROOFS - int(state.roofs_left[seat])
    bit = 1 << int(site)
    state.roofs_left[seat] = int(state.roofs_left[seat]) - 1
    state.roof_site[seat, roof] = site
    state.roof_height[seat, roof] = state.height[site]
    state.twice[seat] |= state.present[seat] & bit
    state.present[seat] |= bit
    state.top[site] = seat
    state.topped[seat] |= bit
