"""The features of ``heldout:features`` for *Ginkgopolis*.

A card is rated with the best tile on it, as if no other seat acted in the round.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sprawl_env.bots.heldout.books import Look, Numbers, weighted
from sprawl_env.bots.heldout.ginkgopolis_facts import rounds_to_come
from sprawl_env.core.state import Games, Tables
from sprawl_env.games.ginkgopolis.actions import CARD, DRAFT, NEW_HAND, RETURN, TAKE, WITH_TILE
from sprawl_env.games.ginkgopolis.constants import (
    MAX_SEATS,
    NO_TILE,
    NUM_ACTS,
    NUM_TILES,
    Gain,
    Step,
)
from sprawl_env.games.ginkgopolis.rules.act import keep_character
from sprawl_env.games.ginkgopolis.rules.decisions import do_place_marker, do_take, mark_places
from sprawl_env.games.ginkgopolis.rules.flow import carry_out
from sprawl_env.games.ginkgopolis.rules.gains import gain_resources, may_take_resource, push_tiles
from sprawl_env.games.ginkgopolis.rules.scoring import num_sides, points_of, score_districts
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.kernels.agenda import push, top
from sprawl_env.kernels.arrays import Mask
from sprawl_env.kernels.bits import count_bits, lowest
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.masks import legal_number
from sprawl_env.kernels.scratch import new_numbers

WEIGHTS: Final = {
    "points": 1.0,  # with cards and tokens, without districts
    "district points": 0.2,
    "district points late": 0.7,  # times the share of the game that is over
    "first resources": 1.9,  # up to four
    "further resources": 0.6,
    "first tiles": 1.5,  # up to three
    "further tiles": 0.6,
    "resources to come": 0.36,  # of permanent bonuses, times the rounds to come
    "tiles to come": 0.35,
    "points to come": 0.45,
    "buildings": 0.5,
    "levels above the second": 0.7,
    "rivals' points": -0.2,  # the best rival's, with districts
    "rivals' goods to come": -0.4,  # bonuses times rounds, of the best rival
    "a new hand": 0.5,  # 1 if the action asks for one
}
FEW_RESOURCES: Final = 4
FEW_TILES: Final = 3
LONG: Final = 15.0  # rounds of a whole game
NO_RIVAL: Final = -1e3


@kernel
def income(state: State, seat: int, gain: int) -> int:
    """Return the sum of a seat's permanent bonuses of one kind over the three acts."""
    total = 0
    for act in range(NUM_ACTS):
        total += int(state.bonus[seat, act, gain])
    return total


@kernel
def write_points(t: Table, state: State, seat: int, later: float, out: Numbers) -> None:
    """Write the features of points, the seat's and the best rival's."""
    districts = new_numbers()
    for side in range(MAX_SEATS):
        districts[side] = 0
    score_districts(state, districts)
    out[0] = points_of(t, state, seat)
    out[1] = int(districts[seat])
    out[2] = out[1] * (1.0 - later / LONG)
    out[12], out[13] = NO_RIVAL, 0.0
    for other in range(num_sides(state)):
        if other != seat:
            out[12] = max(out[12], points_of(t, state, other) + int(districts[other]))
            goods = income(state, other, Gain.RESOURCE) + income(state, other, Gain.TILE)
            out[13] = max(out[13], (goods + income(state, other, Gain.POINT)) * later)


@kernel
def write_features(t: Table, state: State, seat: int, out: Numbers) -> None:
    """Write the features of a position for a seat, in the order of ``WEIGHTS``."""
    later = rounds_to_come(state)
    write_points(t, state, seat, later, out)
    useful = min(later, 1.0)  # nothing is useful once the game ends
    resources, tiles = int(state.resources[seat]), count_bits(state.tiles[seat])
    out[3] = min(resources, FEW_RESOURCES) * useful
    out[4] = max(resources - FEW_RESOURCES, 0) * useful
    out[5] = min(tiles, FEW_TILES) * useful
    out[6] = max(tiles - FEW_TILES, 0) * useful
    out[7] = income(state, seat, Gain.RESOURCE) * later
    out[8] = income(state, seat, Gain.TILE) * later
    out[9] = income(state, seat, Gain.POINT) * later
    out[10] = out[11] = 0.0
    for site in range(state.num_sites):
        if state.owner[site] == seat:
            out[10] += 1
            out[11] += max(int(state.levels[site]) - 2, 0)


@kernel
def rate_position(
    t: Table, state: State, seat: int, new_hands: int, features: Numbers, weights: Numbers
) -> float:
    """Return the sum of a position's features, each times its weight."""
    write_features(t, state, seat, features)
    features[14] = new_hands
    return weighted(features, weights)


@kernel
def settle(t: Table, state: State, mask: Mask) -> None:
    """Carry out what is left of an action; its small decisions take the first legal answer."""
    while state.agenda_size > 0:
        step, seat = int(top(state).step), int(top(state).seat)
        if step == Step.ACT or step == Step.HAL or step == Step.END_OF_ROUND:
            return
        if step == Step.RETURN:  # what the others return is unknown
            state.agenda_size = 0
        elif step == Step.MARKER:
            mask[:] = 0
            mark_places(state, int(top(state).letter), int(top(state).site), mask)
            do_place_marker(state, seat, legal_number(mask, 0))
        elif step == Step.GAIN:
            resource = may_take_resource(state, seat)
            do_take(state, seat, Gain.RESOURCE if resource else Gain.TILE)
        else:
            carry_out(t, state, step)


@kernel
def act_alone(t: Table, state: State, seat: int, card: int, tile: int, mask: Mask) -> None:
    """Play a card with or without a tile, without the other seats."""
    state.chosen[seat] = card
    state.chosen_tile[seat] = tile
    state.agenda_size = 0
    push(state, Step.ACT, seat)
    carry_out(t, state, Step.ACT)
    settle(t, state, mask)


@kernel
def rate_card(
    tables: Tables, games: Games, card: int, mask: Mask, features: Numbers, weights: Numbers
) -> float:
    """Return the best rating of a card over all tiles and none; ``games[1]`` is overwritten."""
    t: Table = tables[0]
    seat = int(games[0].to_play)
    best = -np.inf
    tiles, tile = int(games[0].tiles[seat]), NO_TILE
    while True:
        games[1] = games[0]
        act_alone(t, games[1], seat, card, tile, mask)
        best = max(best, rate_position(t, games[1], seat, 0, features, weights))
        if tiles == 0:
            return best
        tile = lowest(tiles)
        tiles &= tiles - 1


@kernel
def do_alone(t: Table, state: State, action: int, seat: int, mask: Mask) -> None:
    """Carry out an action other than the choice of a card, without the other seats."""
    step = int(top(state).step)
    if step == Step.DRAFT:
        items = t.character_items[action - DRAFT]
        keep_character(state, seat, action - DRAFT)
        gain_resources(state, seat, int(items[Gain.RESOURCE]))
        state.points[seat] += items[Gain.POINT]
        state.agenda_size = 0
        push_tiles(state, seat, int(items[Gain.TILE]))
        settle(t, state, mask)
    elif step == Step.TILE:
        tile = action - WITH_TILE if action < WITH_TILE + NUM_TILES else NO_TILE
        act_alone(t, state, seat, int(state.chosen[seat]), tile, mask)
    elif step == Step.RETURN:
        if action < RETURN + NUM_TILES:
            state.tiles[seat] &= ~(1 << (action - RETURN))
            state.points[seat] += t.return_points
    elif step == Step.MARKER:
        do_place_marker(state, seat, action)
        settle(t, state, mask)
    elif step == Step.GAIN:
        do_take(state, seat, action - TAKE)
        settle(t, state, mask)
    else:  # a new hand
        state.tokens[seat] -= 1


@kernel
def rate(
    tables: Tables,
    games: Games,
    action: int,
    seat: int,
    mask: Mask,
    features: Numbers,
    weights: Numbers,
) -> float:
    """Return the rating of an action of ``games[0]`` (``Look.rate``)."""
    t: Table = tables[0]
    new_hands = int(action == NEW_HAND)
    if top(games[0]).step == Step.CARD and new_hands == 0:
        return rate_card(tables, games, action - CARD, mask, features, weights)
    games[1] = games[0]
    do_alone(t, games[1], action, seat, mask)
    return rate_position(t, games[1], seat, new_hands, features, weights)


LOOK: Final = Look(WEIGHTS, rate)
