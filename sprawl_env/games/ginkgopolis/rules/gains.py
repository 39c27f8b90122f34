"""Gains of resources, tiles and points, and run-outs of the tile supply (G5, G9, G15)."""

from __future__ import annotations

from sprawl_env.games.ginkgopolis.constants import Gain, Step
from sprawl_env.games.ginkgopolis.rules.passes import ask_all
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.kernels.agenda import pop, push, top
from sprawl_env.kernels.bits import count_bits, lowest
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import shuffle


@kernel
def gain_resources(state: State, seat: int, count: int) -> None:
    """Take the seat's own resources from the supply, at most what is left (G5)."""
    taken = min(count, int(state.stock[seat]))
    state.resources[seat] += taken
    state.stock[seat] -= taken


@kernel
def collect(state: State, seat: int, act: int, resources: int, tiles: int, points: int) -> None:
    """Take what buildings yield and the bonuses of the seat's cards for an act (G13)."""
    bonus = state.bonus[seat, act]
    gain_resources(state, seat, resources + int(bonus[Gain.RESOURCE]))
    state.points[seat] += points + int(bonus[Gain.POINT])
    tiles += int(bonus[Gain.TILE])
    if tiles > 0:
        push_tiles(state, seat, tiles)


@kernel
def push_tiles(state: State, seat: int, count: int) -> None:
    """Push the gain of tiles, which a run-out may interrupt (G5)."""
    entry = push(state, Step.TAKE_TILES, seat)
    entry.tiles_left = count


@kernel
def draw_tile(state: State) -> int:
    """Draw the next tile; drawing the last one is a run-out (G5)."""
    state.supply_size = int(state.supply_size) - 1
    if state.supply_size == 0:
        state.run_outs += 1
    return int(state.supply[state.supply_size])


@kernel
def take_tiles(state: State) -> None:
    """Take tiles while there are any; at the first run-out all seats return tiles (G5)."""
    entry = top(state)
    seat, left = int(entry.seat), int(entry.tiles_left)
    pop(state)
    while left > 0 and state.supply_size > 0:
        state.tiles[seat] |= 1 << draw_tile(state)
        left -= 1
        if state.supply_size == 0 and state.run_outs == 1 and state.num_seats > 1:
            if left > 0:
                push_tiles(state, seat, left)
            ask_all(state, Step.RETURN)
            return


@kernel
def may_return(state: State, seat: int, tile: int) -> bool:
    """Return whether a tile is held, not on a card, above those returned (G5, GK §6)."""
    return bool(
        (int(state.tiles[seat]) >> tile) & 1
        and int(state.returning[seat]) >> tile == 0
        and state.chosen_tile[seat] != tile
    )


@kernel
def reveal_returned(t: Table, state: State) -> None:
    """Score the returned tiles and make them the new supply, a known set (G5, G25)."""
    pop(state)
    returned = 0
    for seat in range(state.num_seats):
        count = count_bits(state.returning[seat])
        state.points[seat] += count * int(t.return_points)
        returned |= int(state.returning[seat])
        state.taken_back[seat] = int(state.taken_back[seat]) & ~int(state.returning[seat])
        state.returning[seat] = 0
    state.returned = returned
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
    """Return whether the supply still has a resource of the seat (G15)."""
    return bool(state.stock[seat] > 0)


@kernel
def may_take_tile(state: State) -> bool:
    """Return whether the supply still has a tile (G15)."""
    return bool(state.supply_size > 0)
