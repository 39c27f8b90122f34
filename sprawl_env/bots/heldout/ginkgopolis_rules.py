"""The rule book of ``heldout:rules`` for *Ginkgopolis*.

In short: keep cards that pay at the end, build an engine early and tall buildings late, urbanize
where the neighbours yield much, and never run dry of resources or tiles.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from sprawl_env.bots.heldout.books import RuleBook
from sprawl_env.bots.heldout.ginkgopolis_facts import (
    act_of,
    gain_of,
    number_of,
    price_of,
    promise_of,
    rounds_to_come,
)
from sprawl_env.core.state import NOBODY, Games, Tables
from sprawl_env.games.ginkgopolis.actions import (
    BESIDE,
    CARD,
    DONE,
    DRAFT,
    NEW_HAND,
    PLACE,
    RETURN,
    TAKE,
    WITH_TILE,
    WITHOUT_TILE,
)
from sprawl_env.games.ginkgopolis.constants import (
    HAND_SIZE,
    NO_CARD,
    NO_SITE,
    NO_TILE,
    NUM_LETTERS,
    NUM_TILES,
    Act,
    Count,
    Gain,
    Step,
)
from sprawl_env.games.ginkgopolis.rules.act import colour_of
from sprawl_env.games.ginkgopolis.rules.city import beside_cell
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.kernels.agenda import top
from sprawl_env.kernels.arrays import Mask
from sprawl_env.kernels.bits import count_bits, lowest
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.masks import NO_ACTION


class Rule(IntEnum):
    """The rules in the order in which they are asked."""

    FETCH_RESOURCES = 0
    FETCH_TILES = 1
    KEEP_A_CARD_THAT_PAYS = 2
    TAKE_OVER_A_TOWER = 3
    BUILD_THE_ENGINE = 4
    URBANIZE_WHERE_IT_YIELDS = 5
    RAISE_A_BUILDING = 6
    EXPLOIT_A_TOWER = 7
    ASK_FOR_A_NEW_HAND = 8
    DO_WHAT_GAINS_MOST = 9
    PICK_BY_PREFERENCE = 10
    TAKE_A_TILE_IF_FEW = 11
    TAKE_A_RESOURCE = 12
    MARKER_FAR_FROM_TOWERS = 13
    RETURN_ALL_BUT_A_FEW = 14


# Characters by colour * 3 + act, the most wanted first.
PREFERENCE: Final = (8, 7, 2, 5, 6, 4, 1, 3, 0)
# What a unit is worth, in tenths of a point.
POINT: Final = 10
SCARCE: Final = 12  # a resource or tile while few are held
PLENTY: Final = 4
FEW_RESOURCES: Final = 4
FEW_TILES: Final = 3
LEVEL: Final = 9  # a level of an own building, in its district
RIVAL_LEVEL: Final = 6  # a level that a rival loses
# Thresholds, in tenths of a point unless said otherwise.
CARD_THAT_PAYS: Final = 60
TOWER: Final = 3  # levels
ENGINE: Final = 25
EARLY: Final = 5.0  # rounds to come
RICH_YIELD: Final = 30
GOOD_RAISE: Final = 20
RICH_EXPLOIT: Final = 25
POOR_HAND: Final = 15
TILES_KEPT: Final = 3
NOTHING: Final = -10_000
ROOM: Final = 64  # a plan is its worth, above that of NOTHING, times ROOM, plus its tile plus 1


# -------------------------------------------------------------------------------- worth of plans


@kernel
def worth_of_stock(held: int, change: int, few: int) -> int:
    """Return the worth of a change of a stock; its first ``few`` units are scarce."""
    after = max(held + change, 0)
    scarce = min(after, few) - min(held, few)
    return SCARCE * scarce + PLENTY * (after - held - scarce)


@kernel
def worth_of_goods(state: State, seat: int, card: int, tile: int, act: int) -> int:
    """Return the worth of what an act gains, less what it costs."""
    resources = gain_of(state, seat, card, act, Gain.RESOURCE)
    resources -= price_of(state, seat, card, tile, act, Gain.RESOURCE)
    tiles = gain_of(state, seat, card, act, Gain.TILE)
    tiles = min(tiles, int(state.supply_size)) - price_of(state, seat, card, tile, act, Gain.TILE)
    points = gain_of(state, seat, card, act, Gain.POINT)
    points -= price_of(state, seat, card, tile, act, Gain.POINT)
    if act == Act.EXPLOIT and card < NUM_LETTERS:
        tiles += 1
    worth = POINT * points
    if rounds_to_come(state) > 1.0:
        worth += worth_of_stock(int(state.resources[seat]), resources, FEW_RESOURCES)
        worth += worth_of_stock(count_bits(state.tiles[seat]), tiles, FEW_TILES)
    return worth


@kernel
def worth_of_levels(state: State, seat: int, card: int, act: int) -> int:
    """Return the worth of the levels that a building act gives and takes."""
    if act != Act.CONSTRUCT:
        return LEVEL if act == Act.URBANIZE else 0
    site = int(state.site_of[card - NUM_LETTERS])
    levels, owner = int(state.levels[site]), int(state.owner[site])
    if owner == seat:
        return LEVEL
    worth = LEVEL * (levels + 1)
    return worth if owner == NOBODY else worth + RIVAL_LEVEL * levels - POINT * levels


@kernel
def kinship(state: State, seat: int, card: int, tile: int) -> int:
    """Return how well a tile's colour fits the buildings around, less a bit for high numbers."""
    fit = 0
    if card < NUM_LETTERS:
        for k in range(4):
            site = beside_cell(state, int(state.marker[card]), k)
            if site != NO_SITE and colour_of(int(state.site_tile[site])) == colour_of(tile):
                fit += 2 if state.owner[site] == seat else 1
    return 4 * fit - number_of(tile) // 5


@kernel
def worth_of_plan(t: Table, state: State, seat: int, card: int, tile: int) -> int:
    """Return the worth of a card with a tile, or with NO_TILE."""
    act = act_of(state, seat, card, tile)
    if act == Act.EXPLOIT and tile != NO_TILE:
        return NOTHING  # the tile would be shown for nothing
    worth = worth_of_goods(state, seat, card, tile, act) + worth_of_levels(state, seat, card, act)
    if act == Act.CONSTRUCT:
        worth += int(POINT * promise_of(t, state, seat, card - NUM_LETTERS))
    return worth if tile == NO_TILE else worth + kinship(state, seat, card, tile)


# ------------------------------------------------------------------------- what a rule looks for


@kernel
def fits_rule(t: Table, state: State, seat: int, card: int, act: int, rule: int) -> bool:
    """Return whether a plan is of the kind that a rule looks for."""
    if rule == Rule.FETCH_RESOURCES:
        return gain_of(state, seat, card, act, Gain.RESOURCE) > 1 and act != Act.CONSTRUCT
    if rule == Rule.FETCH_TILES:
        return gain_of(state, seat, card, act, Gain.TILE) >= 1 and act == Act.EXPLOIT
    if rule == Rule.URBANIZE_WHERE_IT_YIELDS:
        return act == Act.URBANIZE
    if rule == Rule.EXPLOIT_A_TOWER:
        return act == Act.EXPLOIT
    if rule == Rule.DO_WHAT_GAINS_MOST:
        return True
    if act != Act.CONSTRUCT:
        return False
    tile = card - NUM_LETTERS
    site = int(state.site_of[tile])
    if rule == Rule.KEEP_A_CARD_THAT_PAYS:
        pays = t.card_counts[tile] != Count.NOTHING
        return bool(pays and POINT * promise_of(t, state, seat, tile) >= CARD_THAT_PAYS)
    if rule == Rule.TAKE_OVER_A_TOWER:
        return bool(state.levels[site] >= TOWER and state.owner[site] != seat)
    if rule == Rule.BUILD_THE_ENGINE:
        return bool(t.card_counts[tile] == Count.NOTHING)
    return rule == Rule.RAISE_A_BUILDING


@kernel
def least_worth(state: State, seat: int, rule: int) -> int:
    """Return the worth at which a rule plays a plan of its kind; ``-NOTHING`` if never now."""
    never = -NOTHING
    if rule == Rule.FETCH_RESOURCES:
        return 0 if state.resources[seat] == 0 else never
    if rule == Rule.FETCH_TILES:
        return 0 if state.tiles[seat] == 0 else never
    if rule == Rule.BUILD_THE_ENGINE:
        return ENGINE if rounds_to_come(state) >= EARLY else never
    if rule == Rule.URBANIZE_WHERE_IT_YIELDS:
        return RICH_YIELD
    if rule == Rule.RAISE_A_BUILDING:
        return GOOD_RAISE
    if rule == Rule.EXPLOIT_A_TOWER:
        return RICH_EXPLOIT
    return 0 if rule < Rule.DO_WHAT_GAINS_MOST else NOTHING


@kernel
def best_tile(t: Table, state: State, seat: int, card: int, rule: int, least: int) -> int:
    """Return the best plan with a card that fits a rule (``ROOM``); 0 if none does."""
    best = 0
    tiles, tile = int(state.tiles[seat]), NO_TILE
    while True:
        act = act_of(state, seat, card, tile)
        if fits_rule(t, state, seat, card, act, rule):
            worth = worth_of_plan(t, state, seat, card, tile)
            if worth >= least and worth > NOTHING:
                best = max(best, (worth - NOTHING) * ROOM + tile + 1)
        if tiles == 0:
            return best
        tile = lowest(tiles)
        tiles &= tiles - 1


@kernel
def card_by(t: Table, state: State, seat: int, rule: int) -> int:
    """Return the card of the hand with the best plan for a rule."""
    least = least_worth(state, seat, rule)
    best, found = 0, NO_ACTION
    if least < -NOTHING:
        for k in range(HAND_SIZE):
            card = int(state.hand[seat, k])
            if card != NO_CARD:
                plan = best_tile(t, state, seat, card, rule, least)
                if plan // ROOM > best // ROOM:
                    best, found = plan, CARD + card
    return found


@kernel
def poor_hand(t: Table, state: State, seat: int) -> bool:
    """Return whether no plan of the hand is worth ``POOR_HAND``."""
    for k in range(HAND_SIZE):
        card = int(state.hand[seat, k])
        any_plan = Rule.DO_WHAT_GAINS_MOST
        if card != NO_CARD and best_tile(t, state, seat, card, any_plan, POOR_HAND) > 0:
            return False
    return True


@kernel
def on_card(t: Table, state: State, seat: int, rule: int) -> int:
    """Ask one of the rules for a card."""
    if rule == Rule.ASK_FOR_A_NEW_HAND:
        asks = state.tokens[seat] > 0 and poor_hand(t, state, seat)
        return NEW_HAND if asks else NO_ACTION
    return card_by(t, state, seat, rule) if rule <= Rule.DO_WHAT_GAINS_MOST else NO_ACTION


@kernel
def on_tile(t: Table, state: State, seat: int, rule: int) -> int:
    """Ask one of the rules for the tile on the chosen card."""
    if rule > Rule.DO_WHAT_GAINS_MOST or rule == Rule.ASK_FOR_A_NEW_HAND:
        return NO_ACTION
    least = least_worth(state, seat, rule)
    if least >= -NOTHING:
        return NO_ACTION
    plan = best_tile(t, state, seat, int(state.chosen[seat]), rule, least)
    if plan == 0:
        return NO_ACTION
    tile = plan % ROOM - 1
    return WITHOUT_TILE if tile == NO_TILE else WITH_TILE + tile


# ----------------------------------------------------------------------------- smaller decisions


@kernel
def preferred_pick(mask: Mask) -> int:
    """Return the most wanted character of the pack."""
    for k in range(len(PREFERENCE)):
        if mask[DRAFT + PREFERENCE[k]]:
            return DRAFT + PREFERENCE[k]
    return NO_ACTION


@kernel
def quiet_place(state: State, site: int, mask: Mask) -> int:
    """Return the place beside the new tile with the fewest levels around it."""
    fewest, found = -NOTHING, NO_ACTION
    for direction in range(4):
        if mask[BESIDE + direction]:
            levels = 0
            for k in range(4):
                other = beside_cell(state, site * 4 + direction, k)
                levels += int(state.levels[other]) if other != NO_SITE else 0
            if levels < fewest:
                fewest, found = levels, BESIDE + direction
    return found


@kernel
def return_lowest(state: State, seat: int, mask: Mask) -> int:
    """Return the first tile that may be returned, or done once few tiles are left."""
    if count_bits(state.tiles[seat]) > TILES_KEPT:
        for tile in range(NUM_TILES):
            if mask[RETURN + tile]:
                return RETURN + tile
    return DONE


@kernel
def propose(tables: Tables, games: Games, g: int, mask: Mask, rule: int) -> int:
    """Ask one rule of the book."""
    t: Table = tables[0]
    state: State = games[g]
    seat, step = int(state.to_play), int(top(state).step)
    if step == Step.CARD:
        return on_card(t, state, seat, rule)
    if step == Step.TILE:
        return on_tile(t, state, seat, rule)
    if step == Step.DRAFT and rule == Rule.PICK_BY_PREFERENCE:
        return preferred_pick(mask)
    if step == Step.GAIN and rule == Rule.TAKE_A_TILE_IF_FEW:
        return TAKE + 1 if count_bits(state.tiles[seat]) < FEW_TILES else NO_ACTION
    if step == Step.GAIN and rule == Rule.TAKE_A_RESOURCE:
        return TAKE
    if step == Step.MARKER and rule == Rule.MARKER_FAR_FROM_TOWERS and mask[PLACE] == 0:
        return quiet_place(state, int(top(state).site), mask)
    if step == Step.RETURN and rule == Rule.RETURN_ALL_BUT_A_FEW:
        return return_lowest(state, seat, mask)
    return NO_ACTION


BOOK: Final = RuleBook.of(Rule, propose)
