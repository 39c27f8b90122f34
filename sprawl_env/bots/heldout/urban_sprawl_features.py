"""The features of ``heldout:features`` for *Urban Sprawl*.

A contract is rated once it is built: on the site that adds most to the rating, paid with the
permits that waste least.  No card is revealed by an action of a turn.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sprawl_env.bots.heldout.books import Look, Numbers, weighted
from sprawl_env.bots.heldout.urban_sprawl_facts import (
    LINES_OF_A_BLOCK,
    bonus_of_site,
    line_of_block,
    markers_of,
    share_gained,
    share_to_come,
)
from sprawl_env.core.state import NOBODY, NOT_OVER, Games, Tables
from sprawl_env.games.urban_sprawl.actions import BUILD, DECLINE, FAVOR, GAIN, PERMIT, SITE
from sprawl_env.games.urban_sprawl.constants import (
    BOSS,
    CORNERS,
    FAVORS,
    NO_CARD,
    NUM_LINES,
    NUM_PERMITS,
    NUM_POLITICIANS,
    NUM_SHAPES,
    NUM_ZONES,
    PRESTIGE,
    RENEWAL,
    SHAPES,
    SIDE,
    WEALTH,
)
from sprawl_env.games.urban_sprawl.rules.build import (
    legal_footprints,
    may_pay_permit,
    payable_blocks,
)
from sprawl_env.games.urban_sprawl.rules.entry_points import legal_actions, play
from sprawl_env.games.urban_sprawl.rules.lines import line_money, line_number, share_of_line
from sprawl_env.games.urban_sprawl.rules.scoring import office_bonus, prestige_lines
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import Step
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.kernels.agenda import top
from sprawl_env.kernels.arrays import Mask
from sprawl_env.kernels.bits import lowest
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.masks import count_legal, legal_number

WEIGHTS: Final = {
    "prestige": 1.0,
    "first wealth": 0.3,  # up to thirty
    "further wealth": 0.25,
    "wealth later": 0.15,  # first wealth times the share of the game to come
    "permits": 0.8,  # up to eight
    "investments": 0.15,  # the wealth of all permits in hand
    "urban renewal": 1.0,  # 1 if one is held
    "wealth of lines to come": 3.0,  # shares times the share of the game to come
    "prestige of lines to come": 5.5,
    "prestige at the end": 1.0,  # of lines and politicians, times the share that is over
    "vocations to come": 7.5,  # markers times the share of the game to come
    "offices to come": 1.0,
    "Union Boss to come": 4.0,
    "buildings": 0.3,
    "Favors": 0.3,
    "action points left": 0.2,
    "rivals' prestige": -0.3,  # the best rival's
    "rivals' vocations to come": -1.0,  # of all rivals
    "rivals' prestige at the end": -0.3,  # the best rival's
}
FIRST_WEALTH: Final = 30
FIRST_PERMITS: Final = 8
WEALTH_LATER, LINES_WEALTH, LINES_PRESTIGE, AT_THE_END = 3, 7, 8, 9
RIVAL_CLEARED: Final = 3.0  # a rival's building that a footprint demolishes
OWN_CLEARED: Final = -6.0
MOST_PLIES: Final = 60
NO_RIVAL: Final = -1e3
ZONE_OF_A_PERMIT: Final = 0.05  # a zone that a permit could still have been used for


# --------------------------------------------------------------------------------- the features


@kernel
def write_hand(t: Table, state: State, seat: int, out: Numbers) -> None:
    """Write the features of the planning cards in hand."""
    out[4] = out[5] = 0.0
    for kind in range(NUM_PERMITS):
        held = int(state.hand[seat, kind])
        out[4] += held * int(t.permits[kind])
        out[5] += held * int(t.permit_wealth[kind])
    out[4] = min(out[4], float(FIRST_PERMITS))
    out[6] = min(int(state.hand[seat, RENEWAL]), 1)


@kernel
def write_lines(t: Table, state: State, seat: int, later: float, out: Numbers) -> None:
    """Write the features of the lines."""
    wealth, prestige = 0, 0
    for line in range(NUM_LINES):
        if line_number(t, state, line) > 0:
            share = share_of_line(t, state, line, seat)
            if line_money(state, line) == WEALTH:
                wealth += share
            else:
                prestige += share
    out[7] = wealth * later
    out[8] = prestige * later
    out[9] = (prestige + office_bonus(state, seat)) * (1.0 - later)


@kernel
def write_influence(state: State, seat: int, later: float, out: Numbers) -> None:
    """Write the features of vocations, offices, buildings and Favors."""
    out[10] = markers_of(state, seat) * later
    out[11] = out[13] = out[14] = 0.0
    for office in range(NUM_POLITICIANS):
        out[11] += (state.office[office] == seat) * later
    out[12] = (state.office[BOSS] == seat) * later
    for row in range(SIDE):
        out[13] += int(state.in_row[seat, row])
    for slot in range(FAVORS):
        out[14] += state.favors[seat, slot] != NO_CARD
    out[15] = int(state.points) if state.active == seat else 0


@kernel
def write_rivals(t: Table, state: State, seat: int, later: float, out: Numbers) -> None:
    """Write the features of the other seats."""
    out[16], out[17], out[18] = NO_RIVAL, 0.0, 0.0
    for other in range(state.num_seats):
        if other != seat:
            out[16] = max(out[16], float(state.prestige[other]))
            out[17] += markers_of(state, other) * later
            final = prestige_lines(t, state, other) + office_bonus(state, other)
            out[18] = max(out[18], final * (1.0 - later))


@kernel
def rate_position(t: Table, state: State, seat: int, out: Numbers, weights: Numbers) -> float:
    """Return the sum of a position's features, each times its weight."""
    later = 0.0 if state.over != NOT_OVER else share_to_come(state)
    wealth = int(state.wealth[seat])
    out[0] = int(state.prestige[seat])
    out[1] = min(wealth, FIRST_WEALTH)
    out[2] = wealth - out[1]
    out[3] = out[1] * later
    write_hand(t, state, seat, out)
    write_lines(t, state, seat, later, out)
    write_influence(state, seat, later, out)
    write_rivals(t, state, seat, later, out)
    return weighted(out, weights)


# ------------------------------------------------------------------------------------ footprints


@kernel
def rate_block(t: Table, state: State, seat: int, block: int, weights: Numbers) -> float:
    """Return what one more building in a block adds to the features of lines, less its price."""
    later = share_to_come(state)
    rating = -(weights[1] + weights[WEALTH_LATER] * later) * int(state.value[block])
    for k in range(LINES_OF_A_BLOCK):
        line = line_of_block(block, k)
        gained = share_gained(t, state, seat, line, block)
        if gained != 0 and line_money(state, line) == WEALTH:
            rating += weights[LINES_WEALTH] * gained * later
        elif gained != 0:
            rating += weights[LINES_PRESTIGE] * gained * later
            rating += weights[AT_THE_END] * gained * (1.0 - later)
    return float(rating)


@kernel
def rate_shape(t: Table, state: State, seat: int, card: int, site: int, weights: Numbers) -> float:
    """Return the prestige of a footprint and the worth of what it demolishes."""
    block = site // CORNERS
    shape = int(SHAPES[t.card_size[card] - 1, site % CORNERS])
    rating = weights[0] * bonus_of_site(t, state, seat, card, block, shape)
    if int(state.occupied[block]) & shape:
        for corner in range(CORNERS):
            lot = block * CORNERS + corner
            if int(state.corners[lot]) & shape:
                owner = int(state.owner[lot])
                rating += OWN_CLEARED if owner == seat else RIVAL_CLEARED * (owner != NOBODY)
    return float(rating)


@kernel
def best_site(t: Table, state: State, seat: int, card: int, weights: Numbers) -> int:
    """Return the best footprint of a contract that is being built."""
    best, found = -np.inf, 0
    size = int(t.card_size[card]) - 1
    blocks = payable_blocks(t, state, seat, card)
    while blocks:
        block = lowest(blocks)
        blocks &= blocks - 1
        legal = legal_footprints(t, state, seat, card, block)
        rating = rate_block(t, state, seat, block, weights) if legal else 0.0
        for k in range(NUM_SHAPES[size]):
            if legal >> (int(SHAPES[size, k]) - 1) & 1:
                site = block * CORNERS + k
                here = rating + rate_shape(t, state, seat, card, site, weights)
                if here > best:
                    best, found = here, site
    return found


# --------------------------------------------------------------------------- trying an action


@kernel
def rate_permit(t: Table, state: State, card: int, kind: int, paid: int, weights: Numbers) -> float:
    """Return the rating of paying with a permit, less what is lost with it, by what it covers."""
    permits, zones = int(t.permits[kind]), int(t.permit_zones[kind])
    used = min(permits, int(t.card_size[card]) - paid)
    lost = weights[4] * permits + weights[5] * int(t.permit_wealth[kind])
    for zone in range(NUM_ZONES):
        lost += ZONE_OF_A_PERMIT * (zones >> zone & 1)
    return float(-lost / used)


@kernel
def best_permit(t: Table, state: State, seat: int, weights: Numbers) -> int:
    """Return the action of the best permit to pay next."""
    card, paid = int(top(state).card), int(top(state).paid)
    best, found = -np.inf, PERMIT
    for kind in range(NUM_PERMITS):
        if may_pay_permit(t, state, seat, card, kind):
            rating = rate_permit(t, state, card, kind, paid, weights)
            if rating > best:
                best, found = rating, PERMIT + kind
    return found


@kernel
def finish(tables: Tables, games: Games, seat: int, mask: Mask, weights: Numbers) -> None:
    """Play the rest of a build in ``games[1]``; small decisions take an answer other than no."""
    t, state = tables[0], games[1]
    plies = 0
    while state.over == NOT_OVER and top(state).step != Step.MAIN and plies < MOST_PLIES:
        plies += 1
        if top(state).step == Step.FOOTPRINT:
            action = SITE + best_site(t, state, seat, int(top(state).card), weights)
        elif top(state).step == Step.PERMITS:
            action = best_permit(t, state, seat, weights)
        else:
            legal_actions(tables, games, 1, mask)
            declines = mask[DECLINE] and count_legal(mask) > 1
            action = legal_number(mask, 1 if declines else 0)
            if mask[GAIN + PRESTIGE]:
                action = GAIN + PRESTIGE
        play(tables, games, 1, action)


@kernel
def rate_main(
    tables: Tables, games: Games, action: int, seat: int, mask: Mask, out: Numbers, weights: Numbers
) -> float:
    """Return the rating of an investment, an action or the end of the turn."""
    games[1] = games[0]
    if action == DECLINE:
        games[1].points = 0
    else:
        play(tables, games, 1, action)
        if BUILD <= action < FAVOR:
            finish(tables, games, seat, mask, weights)
    return rate_position(tables[0], games[1], seat, out, weights)


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
    state: State = games[0]
    entry = top(state)
    if entry.step == Step.MAIN:
        return rate_main(tables, games, action, seat, mask, features, weights)
    if entry.step == Step.FOOTPRINT:
        rating = rate_block(t, state, seat, (action - SITE) // CORNERS, weights)
        return rating + rate_shape(t, state, seat, int(entry.card), action - SITE, weights)
    if entry.step == Step.PERMITS:
        return rate_permit(t, state, int(entry.card), action - PERMIT, int(entry.paid), weights)
    games[1] = games[0]
    play(tables, games, 1, action)
    return rate_position(t, games[1], seat, features, weights)


LOOK: Final = Look(WEIGHTS, rate)
