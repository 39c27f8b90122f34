"""The heuristic of *Urban Sprawl*: the value of an action for a seat, in prestige.

The value is what the seat has and an estimate of what will pay later.  It uses only what the seat
can know: no card is revealed while an action is tried, and a drawn card counts as an ordinary
permit.
"""

from __future__ import annotations

from typing import Final

from sprawl_env.core.heuristic import Heuristic
from sprawl_env.core.state import NOBODY, NOT_OVER, Games, Tables
from sprawl_env.games.urban_sprawl.actions import BUILD, DECLINE, FAVOR, PERMIT, PLANNING, SITE
from sprawl_env.games.urban_sprawl.constants import (
    ATTORNEY,
    CONTRACTOR,
    CORNERS,
    DECK_CARDS,
    FAVORS,
    MAYOR,
    NO_CARD,
    NUM_DECKS,
    NUM_LINES,
    NUM_PERMITS,
    NUM_SHAPES,
    NUM_VOCATIONS,
    RENEWAL,
    SHAPES,
    SIDE,
    WEALTH,
)
from sprawl_env.games.urban_sprawl.rules.build import (
    legal_footprints,
    may_pay_permit,
    neighbours_of_zone,
    payable_blocks,
)
from sprawl_env.games.urban_sprawl.rules.entry_points import legal_actions, play
from sprawl_env.games.urban_sprawl.rules.lines import (
    in_line,
    line_money,
    line_number,
    share_of_line,
)
from sprawl_env.games.urban_sprawl.rules.scoring import office_bonus, prestige_lines
from sprawl_env.games.urban_sprawl.rules.turn import cost_at
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import (
    Step,
)
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.kernels.agenda import top
from sprawl_env.kernels.arrays import Mask
from sprawl_env.kernels.bits import lowest
from sprawl_env.kernels.compile import kernel

EARLY_WEALTH: Final = 0.4  # prestige per unit of wealth at the start
LATE_WEALTH: Final = 0.1  # prestige per unit of wealth at the end
PLENTY: Final = 40  # wealth above this counts as at the end
PERMIT_WORTH: Final = 0.9  # a permit in hand
USEFUL_PERMITS: Final = 8
RENEWAL_WORTH: Final = 1.0
WEALTH_REVEALS: Final = 1.3 / 12  # payouts of a wealth line per contract still to be revealed
PRESTIGE_REVEALS: Final = 0.5 / 6
UNREVEALED: Final = 18  # about this many contracts are never revealed
MARKER_WORTH: Final = 4.0  # a vocation marker, while contracts are still to be revealed
MARKER_FADES: Final = 60.0
BUILDING_WORTH: Final = 0.3  # of a building, besides what its lines pay
OFFICE_WORTH: Final = (2.0, 1.0, 3.0, 2.0, 4.0, 1.0)
FAVOR_WORTH: Final = 0.2
ACTION_POINT: Final = 0.12  # value of an action point used otherwise
RIVAL: Final = 0.3  # weight of the best rival, subtracted
CLEARED_RIVAL: Final = 2.0
CLEARED_OWN: Final = -4.0
WASTE: Final = 0.3  # cost of each permit beyond the contract's size
ORDINARY: Final = 5  # the kind of permit that stands for a drawn card
MOST_PLIES: Final = 60


# ---------------------------------------------------------------------------------- a position


@kernel
def cards_to_come(state: State) -> float:
    """Return an estimate of how many contracts will still be revealed."""
    left = -UNREVEALED
    for deck in range(NUM_DECKS):
        left += int(state.deck_size[deck])
    return float(max(left, 1))


@kernel
def wealth_unit(state: State) -> float:
    """Return the current value of a unit of wealth."""
    share = cards_to_come(state) / (NUM_DECKS * DECK_CARDS)
    return LATE_WEALTH + (EARLY_WEALTH - LATE_WEALTH) * share


@kernel
def money_value(state: State, seat: int) -> float:
    """Return the value of wealth; wealth above ``PLENTY`` counts as at the end."""
    wealth = int(state.wealth[seat])
    useful = min(wealth, PLENTY)
    return useful * wealth_unit(state) + (wealth - useful) * LATE_WEALTH


@kernel
def hand_value(t: Table, state: State, seat: int) -> float:
    """Return the value of a hand: investments, and the first few permits for building."""
    value, permits = 0.0, 0
    unit = 0.8 * wealth_unit(state)
    for kind in range(NUM_PERMITS):
        held = int(state.hand[seat, kind])
        value += held * int(t.permit_wealth[kind]) * unit
        permits += held * int(t.permits[kind])
    value += min(permits, USEFUL_PERMITS) * PERMIT_WORTH
    return value + min(int(state.hand[seat, RENEWAL]), 1) * RENEWAL_WORTH


@kernel
def line_value(t: Table, state: State, line: int, seat: int) -> float:
    """Return what a line is expected to pay the seat until the end."""
    if line_number(t, state, line) == 0:
        return 0.0
    share = share_of_line(t, state, line, seat)
    if line_money(state, line) == WEALTH:
        return share * cards_to_come(state) * WEALTH_REVEALS * wealth_unit(state)
    return share * (cards_to_come(state) * PRESTIGE_REVEALS + 1.0)


@kernel
def influence_value(state: State, seat: int) -> float:
    """Return the value of vocations, offices and Favors."""
    later = min(cards_to_come(state) / MARKER_FADES, 1.0)
    value, markers = 0.0, 0
    for vocation in range(NUM_VOCATIONS):
        markers += int(state.vocations[seat, vocation])
    value += MARKER_WORTH * markers * later
    for office in range(MAYOR, CONTRACTOR + 1):
        if state.office[office] == seat:
            value += OFFICE_WORTH[office] * later
    for slot in range(FAVORS):
        value += FAVOR_WORTH * (state.favors[seat, slot] != NO_CARD)
    return value


@kernel
def holding_value(t: Table, state: State, seat: int) -> float:
    """Return the value of everything a seat has."""
    if state.over != NOT_OVER:
        points = int(state.prestige[seat]) + prestige_lines(t, state, seat)
        return float(points + office_bonus(state, seat)) + int(state.wealth[seat]) * LATE_WEALTH
    value = float(int(state.prestige[seat]))
    value += money_value(state, seat) + hand_value(t, state, seat) + influence_value(state, seat)
    for line in range(NUM_LINES):
        value += line_value(t, state, line, seat)
    for row in range(SIDE):
        value += BUILDING_WORTH * int(state.in_row[seat, row])
    return value


@kernel
def position_value(t: Table, state: State, seat: int) -> float:
    """Return the value for a seat, less a part of the best rival's value."""
    rival = -1e9
    for other in range(state.num_seats):
        if other != seat:
            rival = max(rival, holding_value(t, state, other))
    return holding_value(t, state, seat) - RIVAL * rival


# ------------------------------------------------------------------------------------ footprints


@kernel
def lines_of_block(t: Table, state: State, block: int, seat: int) -> float:
    """Return how much more the lines of a block would pay with one more building there."""
    before = after = 0.0
    for line in range(NUM_LINES):
        if in_line(line, block):
            before += line_value(t, state, line, seat)
    state.in_row[seat, block // SIDE] += 1
    state.in_column[seat, block % SIDE] += 1
    for line in range(NUM_LINES):
        if in_line(line, block):
            after += line_value(t, state, line, seat)
    state.in_row[seat, block // SIDE] -= 1
    state.in_column[seat, block % SIDE] -= 1
    return after - before


@kernel
def cleared_value(state: State, block: int, shape: int, seat: int) -> float:
    """Return the value of the demolitions of a footprint."""
    value = 0.0
    for corner in range(CORNERS):
        lot = block * CORNERS + corner
        if int(state.corners[lot]) & shape:
            owner = int(state.owner[lot])
            value += CLEARED_OWN if owner == seat else CLEARED_RIVAL * (owner != NOBODY)
    return value


@kernel
def site_value(t: Table, state: State, seat: int, card: int, site: int, lines: float) -> float:
    """Return the value of a footprint: its bonus and its lines, less its price."""
    block = site // CORNERS
    shape = int(SHAPES[t.card_size[card] - 1, site % CORNERS])
    bonus = neighbours_of_zone(state, block, shape, int(t.card_zone[card]), -1)
    if state.contracts_built == 0 and state.office[ATTORNEY] == seat:
        bonus *= 2
    price = int(state.value[block]) * wealth_unit(state)
    return bonus - price + lines + cleared_value(state, block, shape, seat)


@kernel
def best_site(t: Table, state: State, seat: int, card: int) -> int:
    """Return the best footprint for a contract being built."""
    best, found = -1e9, 0
    blocks = payable_blocks(t, state, seat, card)
    size = int(t.card_size[card]) - 1
    while blocks:
        block = lowest(blocks)
        blocks &= blocks - 1
        lines = lines_of_block(t, state, block, seat)
        legal = legal_footprints(t, state, seat, card, block)
        for k in range(NUM_SHAPES[size]):
            if legal >> (int(SHAPES[size, k]) - 1) & 1:
                value = site_value(t, state, seat, card, block * CORNERS + k, lines)
                if value > best:
                    best, found = value, block * CORNERS + k
    return found


# --------------------------------------------------------------------------- trying an action


@kernel
def permit_price(t: Table, state: State, kind: int, short: int) -> float:
    """Return the cost of paying with a permit: its investment, and permits beyond the need."""
    permits = int(t.permits[kind])
    price = int(t.permit_wealth[kind]) * wealth_unit(state) + permits * PERMIT_WORTH
    zones = int(t.permit_zones[kind])
    price += 0.1 * ((zones & 1) + (zones >> 1 & 1) + (zones >> 2 & 1) + (zones >> 3 & 1))
    return price + WASTE * max(permits - short, 0)


@kernel
def cheapest_permit(t: Table, state: State, seat: int, card: int, short: int) -> int:
    """Return the kind of permit to pay next: the cheapest for what it covers."""
    best, found = 1e9, 0
    for kind in range(NUM_PERMITS):
        if may_pay_permit(t, state, seat, card, kind):
            covers = min(int(t.permits[kind]), short)
            price = permit_price(t, state, kind, short) / covers
            if price < best:
                best, found = price, kind
    return found


@kernel
def hide(state: State) -> None:
    """Remove hidden information: no card is revealed, a drawn one is an ordinary permit."""
    state.planning_deck[:] = ORDINARY
    for k in range(state.agenda_size):
        entry = state.agenda[k]
        step = int(entry.step)
        drawing = step == Step.DRAW_PLANNING or step == Step.DRAW_CONTRACT
        if drawing or step == Step.END_OF_TURN or step == Step.BEGIN_TURN:
            entry.step = Step.MAIN


@kernel
def finish_build(tables: Tables, games: Games, seat: int, mask: Mask) -> None:
    """Place and pay a contract in ``games[1]``; then take the last legal action each time."""
    t, state = tables[0], games[1]
    card = int(top(state).card)
    play(tables, games, 1, SITE + best_site(t, state, seat, card))
    while top(state).step == Step.PERMITS:
        short = int(t.card_size[card]) - int(top(state).paid)
        play(tables, games, 1, PERMIT + cheapest_permit(t, state, seat, card, short))
    plies = 0
    while state.over == NOT_OVER and top(state).step != Step.MAIN and plies < MOST_PLIES:
        legal_actions(tables, games, 1, mask)
        play(tables, games, 1, last_legal(mask))
        plies += 1


@kernel
def last_legal(mask: Mask) -> int:
    """Return the last legal action: accept before decline, prestige before wealth."""
    for action in range(mask.size - 1, -1, -1):
        if mask[action]:
            return action
    return 0


@kernel
def rate_main(tables: Tables, games: Games, action: int, seat: int, mask: Mask) -> float:
    """Return the value of an investment, an action or the end of the turn."""
    t = tables[0]
    if action == DECLINE:
        return position_value(t, games[0], seat)
    cost = 0
    if action >= PLANNING and action < BUILD:
        cost = int(t.planning_cost[action - PLANNING])
    elif action >= BUILD and action < FAVOR:
        cost = cost_at(t, action - BUILD)
    elif action >= FAVOR:
        cost = cost_at(t, action - FAVOR)
    games[1] = games[0]
    hide(games[1])
    play(tables, games, 1, action)
    if action >= BUILD and action < FAVOR:
        finish_build(tables, games, seat, mask)
    return position_value(t, games[1], seat) - ACTION_POINT * cost


@kernel
def rate(tables: Tables, games: Games, action: int, seat: int, mask: Mask) -> float:
    """Return the value of a legal action for the seat to play, in prestige.

    Args:
        tables: the compiled data of the game.
        games: ``[2]``: the position, and a copy that is overwritten.
        action: a legal action of ``games[0]``.
        seat: the seat to play.
        mask: int8 ``[num_actions]``, scratch.
    """
    t, state = tables[0], games[0]
    entry = top(state)
    step, card = int(entry.step), int(entry.card)
    if step == Step.MAIN:
        return rate_main(tables, games, action, seat, mask)
    if step == Step.FOOTPRINT:
        site = action - SITE
        lines = lines_of_block(t, state, site // CORNERS, seat)
        return site_value(t, state, seat, card, site, lines)
    if step == Step.PERMITS:
        short = int(t.card_size[card]) - int(entry.paid)
        covers = min(int(t.permits[action - PERMIT]), short)
        return -permit_price(t, state, action - PERMIT, short) / covers
    games[1] = games[0]
    hide(games[1])
    play(tables, games, 1, action)
    return position_value(t, games[1], seat)


@kernel
def plan_value(tables: Tables, games: Games, g: int, seat: int) -> float:
    """Return an estimate of the final score of ``seat``."""
    return holding_value(tables[0], games[g], seat)


HEURISTIC: Final = Heuristic(
    rate=rate,
    plan_value=plan_value,
    plan_turns=1,  # until the end of the seat's turn
    expert="greedy",  # greedy's values of all actions teach more than a planner's choices
)
