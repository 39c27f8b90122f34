"""Resources, tiles and points, and what happens when the tiles run out (G5, G9)."""

from __future__ import annotations

from sprawl_env.core.state import State
from sprawl_env.games.ginkgopolis.constants import Gain, Step
from sprawl_env.games.ginkgopolis.rules.passes import ask_all
from sprawl_env.kernels.agenda import SEAT, A, pop, push, top
from sprawl_env.kernels.bits import count_bits, lowest
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import shuffle


@kernel
def gain_resources(state: State, seat: int, count: int) -> None:
    """Take own resources from the supply, as far as there are (G5)."""
    taken = min(count, int(state.stock[seat]))
    state.resources[seat] += taken
    state.stock[seat] -= taken


@kernel
def collect(
    t: State, state: State, seat: int, act: int, resources: int, tiles: int, points: int
) -> None:
    """Take what buildings yield and the bonus of the seat's cards for an act (G13)."""
    bonus = state.bonus[seat, act]
    gain_resources(state, seat, resources + int(bonus[Gain.RESOURCE]))
    state.points[seat] += points + int(bonus[Gain.POINT])
    tiles += int(bonus[Gain.TILE])
    if tiles > 0:
        push(state, Step.TAKE_TILES, seat, tiles)


@kernel
def draw_tile(state: State) -> int:
    """Draw the next tile; the last one is a run-out (G5)."""
    state.supply_size = int(state.supply_size) - 1
    if state.supply_size == 0:
        state.run_outs += 1
    return int(state.supply[state.supply_size])


@kernel
def take_tiles(state: State) -> None:
    """Take tiles while there are any; at the first run-out all seats return some first (G5)."""
    seat, left = top(state, SEAT), top(state, A)
    pop(state)
    while left > 0 and state.supply_size > 0:
        state.tiles[seat] |= 1 << draw_tile(state)
        left -= 1
        if state.supply_size == 0 and state.run_outs == 1 and state.num_seats > 1:
            if left > 0:
                push(state, Step.TAKE_TILES, seat, left)
            ask_all(state, Step.RETURN)
            return


@kernel
def may_return(state: State, seat: int, tile: int) -> bool:
    """A tile behind the screen above those returned, not one put on a card (G5, GK §6)."""
    return bool(
        (int(state.tiles[seat]) >> tile) & 1
        and int(state.returning[seat]) >> tile == 0
        and state.chosen_tile[seat] != tile
    )


@kernel
def do_return(state: State, seat: int, tile: int) -> None:
    """Put a tile aside; the seat is asked again."""
    state.tiles[seat] &= ~(1 << tile)
    state.returning[seat] |= 1 << tile
    state.again = int(state.again) | (1 << seat)


@kernel
def reveal_returned(t: State, state: State) -> None:
    """Everybody is done: points for the tiles returned, and they are the new supply (G5)."""
    pop(state)
    returned = 0
    for seat in range(state.num_seats):
        count = count_bits(state.returning[seat])
        state.points[seat] += count * int(t.return_points)
        returned |= int(state.returning[seat])
        state.given_back[seat] = state.returning[seat]
        state.returning[seat] = 0
    size = 0
    while returned:
        state.supply[size] = lowest(returned)
        returned &= returned - 1
        size += 1
    state.supply_size = size
    shuffle(state, state.supply, size)
    if size == 0:
        state.run_outs += 1


@kernel
def may_take_resource(state: State, seat: int) -> bool:
    """The supply still has one of the seat's resources (G15)."""
    return bool(state.stock[seat] > 0)


@kernel
def may_take_tile(state: State) -> bool:
    """The supply still has a tile (G15)."""
    return bool(state.supply_size > 0)


@kernel
def do_take(state: State, seat: int, what: int) -> None:
    """Take a resource or a tile for an urbanization card played alone (G15)."""
    pop(state)
    if what == Gain.RESOURCE:
        gain_resources(state, seat, 1)
    else:
        push(state, Step.TAKE_TILES, seat, 1)
