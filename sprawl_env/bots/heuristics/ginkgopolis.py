"""The heuristic of *Ginkgopolis*: the value of an action for a seat, in points.

The value is the current score and an estimate of what will score later.  It uses only what the
seat can know.  A card with a tile is tried as if no other seat acted.  Drawn cards and tiles count
by their number, not by what they are.
"""

from __future__ import annotations

from typing import Final

from sprawl_env.core.heuristic import Heuristic
from sprawl_env.core.state import Games, Tables
from sprawl_env.games.ginkgopolis.actions import CARD, DRAFT, NEW_HAND, RETURN, TAKE, WITH_TILE
from sprawl_env.games.ginkgopolis.constants import (
    NO_SIDE,
    NO_TILE,
    NUM_ACTS,
    NUM_TILES,
    Gain,
    Step,
)
from sprawl_env.games.ginkgopolis.rules.act import keep_character
from sprawl_env.games.ginkgopolis.rules.decisions import do_place_marker
from sprawl_env.games.ginkgopolis.rules.flow import carry_out
from sprawl_env.games.ginkgopolis.rules.gains import gain_resources, push_tiles
from sprawl_env.games.ginkgopolis.rules.markers import do_push, find_place, may_stand_beside
from sprawl_env.games.ginkgopolis.rules.scoring import (
    RATED_RESOURCE,
    district_of,
    num_sides,
    points_of,
    rating_in,
)
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.kernels.agenda import pop, push, top
from sprawl_env.kernels.arrays import Mask
from sprawl_env.kernels.bits import count_bits, lowest
from sprawl_env.kernels.compile import kernel

RESOURCE: Final = 0.75  # a resource behind the screen
SPARE_RESOURCE: Final = 0.3  # a resource beyond those likely to be used soon
USEFUL_RESOURCES: Final = 5
TILE: Final = 1.1
SPARE_TILE: Final = 0.25
USEFUL_TILES: Final = 3
BONUS_RESOURCE: Final = 0.6  # each time a permanent bonus pays
BONUS_TILE: Final = 0.7
BONUS_POINT: Final = 1.0
SHARE_OF_ACT: Final = 0.33  # share of the remaining rounds in which an act is played
ROUNDS_PER_TILE: Final = 0.8  # remaining rounds per tile of a seat's share of the supply
LATE_ROUNDS: Final = 3.0  # remaining rounds after the first run-out
MOST_ROUNDS: Final = 15.0
RIVAL: Final = 0.3  # weight of the best rival, subtracted
NEW_HAND_HOPE: Final = 5.0  # value of a new hand, before the price of its token
ROOT_FLOOR: Final = 0


@kernel
def stock_value(count: int, useful: int, each: float, spare: float) -> float:
    """Return the value of a stock; its first few units are worth more."""
    few = min(count, useful)
    return few * each + (count - few) * spare


@kernel
def rounds_left(state: State) -> float:
    """Return an estimate of the number of remaining rounds."""
    share = int(state.supply_size) / float(num_sides(state))
    rounds = share * ROUNDS_PER_TILE
    if state.run_outs == 0:
        rounds += LATE_ROUNDS
    return 0.0 if state.ending else min(rounds, MOST_ROUNDS)


@kernel
def bonus_value(state: State, seat: int) -> float:
    """Return what permanent bonuses pay in one round."""
    value = 0.0
    for act in range(NUM_ACTS):
        bonus = state.bonus[seat, act]
        value += BONUS_RESOURCE * int(bonus[Gain.RESOURCE])
        value += BONUS_TILE * int(bonus[Gain.TILE])
        value += BONUS_POINT * int(bonus[Gain.POINT])
    return value * SHARE_OF_ACT


@kernel
def district_value(state: State, seat: int) -> int:
    """Return what the districts would pay the seat now (G10)."""
    points = 0
    left = (1 << int(state.num_sites)) - 1
    while left:
        district = district_of(state, lowest(left))
        left &= ~district
        if district & (district - 1) == 0:
            continue
        own = rating_in(state, district, seat)
        if own > 0:
            points += share_of_district(state, district, seat, own)
    return points


@kernel
def share_of_district(state: State, district: int, seat: int, own: int) -> int:
    """Return a seat's share of a district: both prizes, the first, the second, or nothing."""
    mine = own // RATED_RESOURCE
    total, better, rivals = mine, 0, 0
    for other in range(num_sides(state)):
        if other != seat:
            rating = rating_in(state, district, other)
            total += rating // RATED_RESOURCE
            better += rating > own
            rivals += rating > 0
    if better == 0:
        return total + (mine if rivals == 0 else 0)
    return mine if better == 1 else 0


@kernel
def holding_value(t: Table, state: State, seat: int) -> float:
    """Return the value of everything a seat has."""
    tiles = count_bits(state.tiles[seat])
    resources = int(state.resources[seat])
    later = rounds_left(state)
    value = float(points_of(t, state, seat) + district_value(state, seat))
    value += bonus_value(state, seat) * later
    if later > 0.0:
        value += stock_value(resources, USEFUL_RESOURCES, RESOURCE, SPARE_RESOURCE)
        value += stock_value(tiles, USEFUL_TILES, TILE, SPARE_TILE)
    return value


@kernel
def position_value(t: Table, state: State, seat: int) -> float:
    """Return the value for a seat, less a part of the best rival's value."""
    rival = -1e9
    for other in range(num_sides(state)):
        if other != seat:
            rival = max(rival, holding_value(t, state, other))
    return holding_value(t, state, seat) - RIVAL * rival


@kernel
def settle_marker(state: State, seat: int, letter: int, site: int) -> None:
    """Move a marker to any legal place; the heuristic does not choose among them."""
    for direction in range(4):
        if site >= 0 and may_stand_beside(state, site, direction):
            state.marker[letter] = site * 4 + direction
            return
    side = find_place(state, letter, 0)
    if side != NO_SIDE:
        state.marker[letter] = side
    else:
        do_push(state, letter, 1)


@kernel
def resolve(t: Table, state: State, seat: int, floor: int) -> None:
    """Carry out the pending steps above ``floor``; take any legal action in small decisions."""
    while state.agenda_size > floor:
        step = int(top(state).step)
        if step == Step.MARKER:
            entry = top(state)
            letter, site = int(entry.letter), int(entry.site)
            settle_marker(state, seat, letter, site)
            state.shut_in = 0
            pop(state)
        elif step == Step.GAIN:
            gain_resources(state, seat, 1)
            pop(state)
        elif step == Step.RETURN:
            state.agenda_size = floor  # a run-out: what the other seats return is unknown
        else:
            carry_out(t, state, step)


@kernel
def try_plan(t: Table, state: State, seat: int, card: int, tile: int) -> float:
    """Play a card with or without a tile, without the other seats, and rate the result."""
    state.chosen[seat] = card
    state.chosen_tile[seat] = tile
    state.agenda_size = 0
    push(state, Step.ACT, seat)
    resolve(t, state, seat, ROOT_FLOOR)
    return position_value(t, state, seat)


@kernel
def best_plan(tables: Tables, games: Games, seat: int, card: int) -> float:
    """Return the best value of a card over all tiles and no tile."""
    t: Table = tables[0]
    games[1] = games[0]
    best = try_plan(t, games[1], seat, card, NO_TILE)
    tiles = int(games[0].tiles[seat])
    while tiles:
        games[1] = games[0]
        best = max(best, try_plan(t, games[1], seat, card, lowest(tiles)))
        tiles &= tiles - 1
    return best


@kernel
def action_floor(state: State) -> int:
    """Return the height of the agenda below the action being resolved."""
    floor = int(state.agenda_size)
    while floor > 0:
        step = state.agenda[floor - 1].step
        if step == Step.ACT or step == Step.HAL or step == Step.END_OF_ROUND:
            break
        floor -= 1
    return floor


@kernel
def rate_pick(t: Table, state: State, seat: int, kind: int) -> float:
    """Return the value of picking a character with its items."""
    items = t.character_items[kind]
    keep_character(state, seat, kind)
    gain_resources(state, seat, int(items[Gain.RESOURCE]))
    state.points[seat] += items[Gain.POINT]
    return position_value(t, state, seat) + TILE * int(items[Gain.TILE])


@kernel
def rate(tables: Tables, games: Games, action: int, seat: int, mask: Mask) -> float:
    """Return the value of an action for ``seat`` in ``games[0]``; all else is scratch."""
    t: Table = tables[0]
    games[1] = games[0]
    state: State = games[1]
    step = int(top(state).step)
    if step == Step.DRAFT:
        return rate_pick(t, state, seat, action - DRAFT)
    if step == Step.CARD:
        if action == NEW_HAND:
            state.tokens[seat] -= 1
            return position_value(t, state, seat) + NEW_HAND_HOPE
        return best_plan(tables, games, seat, action - CARD)
    if step == Step.TILE:
        with_tile = action < WITH_TILE + NUM_TILES
        tile = action - WITH_TILE if with_tile else NO_TILE
        return try_plan(t, state, seat, int(state.chosen[seat]), tile)
    if step == Step.RETURN:
        if action < RETURN + NUM_TILES:
            state.tiles[seat] &= ~(1 << (action - RETURN))
            state.points[seat] += int(t.return_points)
        return position_value(t, state, seat)
    floor = action_floor(state)
    if step == Step.MARKER:
        do_place_marker(state, seat, action)
        resolve(t, state, seat, floor)
        return position_value(t, state, seat)
    return rate_gain(t, state, seat, action, floor)


@kernel
def rate_gain(t: Table, state: State, seat: int, action: int, floor: int) -> float:
    """Return the value of a resource or a tile for an urbanization card (G15)."""
    pop(state)
    if action == TAKE:
        gain_resources(state, seat, 1)
    else:
        push_tiles(state, seat, 1)
    resolve(t, state, seat, floor)
    return position_value(t, state, seat)


@kernel
def plan_value(tables: Tables, games: Games, g: int, seat: int) -> float:
    """Return an estimate of the final score of ``seat``, or of the automaton."""
    return holding_value(tables[0], games[g], seat)


HEURISTIC: Final = Heuristic(
    rate=rate,
    plan_value=plan_value,
    plan_turns=5,  # one round, whatever the number of seats
    expert="greedy",  # imitating a planner was not better
)
