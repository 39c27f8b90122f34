"""How good an *Urban Sprawl* action is for a seat, in prestige: what it has, what will pay later.

Uses only what that seat can know: nothing is turned up while an action is tried, and a card drawn
counts as an ordinary permit.
"""

from __future__ import annotations

from typing import Final

from sprawl_env.core.heuristic import Heuristic
from sprawl_env.core.state import NOBODY, NOT_OVER, Games, State, Tables
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
    Step,
)
from sprawl_env.games.urban_sprawl.rules.build import (
    legal_footprints,
    may_pay_permit,
    neighbours_of_zone,
    payable_blocks,
)
from sprawl_env.games.urban_sprawl.rules.lines import (
    in_line,
    line_money,
    line_number,
    share_of_line,
)
from sprawl_env.games.urban_sprawl.rules.scoring import office_bonus, prestige_lines
from sprawl_env.games.urban_sprawl.rules.turn import cost_at
from sprawl_env.games.urban_sprawl.rules.verbs import legal_actions, play
from sprawl_env.kernels.agenda import STEP, A, C, top
from sprawl_env.kernels.arrays import Mask
from sprawl_env.kernels.bits import lowest
from sprawl_env.kernels.compile import kernel

EARLY_WEALTH: Final = 0.4  # prestige that a unit of wealth is worth at the start
LATE_WEALTH: Final = 0.1  # and at the end
PLENTY: Final = 40  # wealth beyond that counts as at the end
PERMIT_WORTH: Final = 0.9  # a permit in hand
USEFUL_PERMITS: Final = 8
RENEWAL_WORTH: Final = 1.0
WEALTH_REVEALS: Final = 1.3 / 12  # payouts of a wealth line for each contract still to come
PRESTIGE_REVEALS: Final = 0.5 / 6
UNREVEALED: Final = 18  # contracts that stay face down, about
MARKER_WORTH: Final = 4.0  # a vocation marker, as long as contracts are to come
MARKER_FADES: Final = 60.0
BUILDING_WORTH: Final = 0.3  # apart from what its lines pay
OFFICE_WORTH: Final = (2.0, 1.0, 3.0, 2.0, 4.0, 1.0)
FAVOR_WORTH: Final = 0.2
ACTION_POINT: Final = 0.12  # what a point could do elsewhere
RIVAL: Final = 0.3  # what the best rival has counts against us
CLEARED_RIVAL: Final = 2.0
CLEARED_OWN: Final = -4.0
WASTE: Final = 0.3  # a permit paid beyond the size
ORDINARY: Final = 5  # the kind that a card drawn counts as
MOST_PLIES: Final = 60


# ---------------------------------------------------------------------------------- a position


@kernel
def cards_to_come(state: State) -> float:
    """About how many contracts will still be turned up."""
    left = -UNREVEALED
    for deck in range(NUM_DECKS):
        left += int(state.deck_size[deck])
    return float(max(left, 1))


@kernel
def wealth_unit(state: State) -> float:
    """What a unit of wealth is worth now."""
    share = cards_to_come(state) / (NUM_DECKS * DECK_CARDS)
    return LATE_WEALTH + (EARLY_WEALTH - LATE_WEALTH) * share


@kernel
def money_value(state: State, seat: int) -> float:
    """Wealth; beyond what can be used soon it counts as at the end."""
    wealth = int(state.wealth[seat])
    useful = min(wealth, PLENTY)
    return useful * wealth_unit(state) + (wealth - useful) * LATE_WEALTH


@kernel
def hand_value(t: State, state: State, seat: int) -> float:
    """Permits, by what they invest for, and the first of them for building."""
    value, permits = 0.0, 0
    unit = 0.8 * wealth_unit(state)
    for kind in range(NUM_PERMITS):
        held = int(state.hand[seat, kind])
        value += held * int(t.permit_wealth[kind]) * unit
        permits += held * int(t.permits[kind])
    value += min(permits, USEFUL_PERMITS) * PERMIT_WORTH
    return value + min(int(state.hand[seat, RENEWAL]), 1) * RENEWAL_WORTH


@kernel
def line_value(t: State, state: State, line: int, seat: int) -> float:
    """What a line will pay the seat until the end."""
    if line_number(t, state, line) == 0:
        return 0.0
    share = share_of_line(t, state, line, seat)
    if line_money(state, line) == WEALTH:
        return share * cards_to_come(state) * WEALTH_REVEALS * wealth_unit(state)
    return share * (cards_to_come(state) * PRESTIGE_REVEALS + 1.0)


@kernel
def standing_value(state: State, seat: int) -> float:
    """Vocations, offices and Favors."""
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
def holding_value(t: State, state: State, seat: int) -> float:
    """Everything a seat has."""
    if state.over != NOT_OVER:
        points = int(state.prestige[seat]) + prestige_lines(t, state, seat)
        return float(points + office_bonus(state, seat)) + int(state.wealth[seat]) * LATE_WEALTH
    value = float(int(state.prestige[seat]))
    value += money_value(state, seat) + hand_value(t, state, seat) + standing_value(state, seat)
    for line in range(NUM_LINES):
        value += line_value(t, state, line, seat)
    for row in range(SIDE):
        value += BUILDING_WORTH * int(state.in_row[seat, row])
    return value


@kernel
def position_value(t: State, state: State, seat: int) -> float:
    """What the seat has, less a part of what the best rival has."""
    rival = -1e9
    for other in range(state.num_seats):
        if other != seat:
            rival = max(rival, holding_value(t, state, other))
    return holding_value(t, state, seat) - RIVAL * rival


# ------------------------------------------------------------------------------------ footprints


@kernel
def lines_of_block(t: State, state: State, block: int, seat: int) -> float:
    """What the lines through a block would pay more with one more building there."""
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
    """What it is worth that a footprint demolishes buildings."""
    value = 0.0
    for corner in range(CORNERS):
        lot = block * CORNERS + corner
        if int(state.corners[lot]) & shape:
            owner = int(state.owner[lot])
            value += CLEARED_OWN if owner == seat else CLEARED_RIVAL * (owner != NOBODY)
    return value


@kernel
def site_value(t: State, state: State, seat: int, card: int, site: int, lines: float) -> float:
    """How good a footprint is: its bonus, what its lines pay, less its price."""
    block = site // CORNERS
    shape = int(SHAPES[t.card_size[card] - 1, site % CORNERS])
    bonus = neighbours_of_zone(state, block, shape, int(t.card_zone[card]), -1)
    if state.contracts_built == 0 and state.office[ATTORNEY] == seat:
        bonus *= 2
    price = int(state.value[block]) * wealth_unit(state)
    return bonus - price + lines + cleared_value(state, block, shape, seat)


@kernel
def best_site(t: State, state: State, seat: int, card: int) -> int:
    """The best footprint for a contract in hand."""
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
def permit_price(t: State, state: State, kind: int, short: int) -> float:
    """What paying a permit costs: what it would invest for, and permits beyond the need."""
    permits = int(t.permits[kind])
    price = int(t.permit_wealth[kind]) * wealth_unit(state) + permits * PERMIT_WORTH
    zones = int(t.permit_zones[kind])
    price += 0.1 * ((zones & 1) + (zones >> 1 & 1) + (zones >> 2 & 1) + (zones >> 3 & 1))
    return price + WASTE * max(permits - short, 0)


@kernel
def cheapest_permit(t: State, state: State, seat: int, card: int, short: int) -> int:
    """The permit to pay next: the cheapest for what it covers."""
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
    """Make what follows tell nothing: no card is turned up, a drawn one is an ordinary permit."""
    state.planning_deck[:] = ORDINARY
    for k in range(state.agenda_size):
        step = state.agenda[k, STEP]
        drawing = step == Step.DRAW_PLANNING or step == Step.DRAW_CONTRACT
        if drawing or step == Step.END_OF_TURN or step == Step.BEGIN_TURN:
            state.agenda[k, STEP] = Step.MAIN


@kernel
def finish_build(tables: Tables, games: Games, seat: int, mask: Mask) -> None:
    """Place and pay a contract in ``games[1]``; answer what its text asks with the first choice."""
    t, state = tables[0], games[1]
    card = top(state, A)
    play(tables, games, 1, SITE + best_site(t, state, seat, card))
    while top(state, STEP) == Step.PERMITS:
        short = int(t.card_size[card]) - top(state, C)
        play(tables, games, 1, PERMIT + cheapest_permit(t, state, seat, card, short))
    plies = 0
    while state.over == NOT_OVER and top(state, STEP) != Step.MAIN and plies < MOST_PLIES:
        legal_actions(tables, games, 1, mask)
        play(tables, games, 1, last_legal(mask))
        plies += 1


@kernel
def last_legal(mask: Mask) -> int:
    """The last legal action: accept rather than decline, prestige rather than wealth."""
    for action in range(mask.size - 1, -1, -1):
        if mask[action]:
            return action
    return 0


@kernel
def rate_main(tables: Tables, games: Games, action: int, seat: int, mask: Mask) -> float:
    """An investment, an action or the end of the turn."""
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
    """How good a legal action is for the seat to play, in prestige.

    Args:
        tables: the game's data.
        games: ``[2]``: the position, and room for a copy that is overwritten.
        action: a legal action of ``games[0]``.
        seat: the seat to play.
        mask: int8 ``[num_actions]``, scratch.
    """
    t, state = tables[0], games[0]
    step, a = top(state, STEP), top(state, A)
    if step == Step.MAIN:
        return rate_main(tables, games, action, seat, mask)
    if step == Step.FOOTPRINT:
        site = action - SITE
        lines = lines_of_block(t, state, site // CORNERS, seat)
        return site_value(t, state, seat, a, site, lines)
    if step == Step.PERMITS:
        short = int(t.card_size[a]) - top(state, C)
        covers = min(int(t.permits[action - PERMIT]), short)
        return -permit_price(t, state, action - PERMIT, short) / covers
    games[1] = games[0]
    hide(games[1])
    play(tables, games, 1, action)
    return position_value(t, games[1], seat)


@kernel
def plan_value(tables: Tables, games: Games, g: int, seat: int) -> float:
    """Return about how much prestige ``seat`` will have in the end."""
    return holding_value(tables[0], games[g], seat)


HEURISTIC: Final = Heuristic(
    rate=rate,
    plan_value=plan_value,
    plan_turns=1,  # the own turn, to its end
    expert="greedy",  # greedy's values of all actions give more than a planner's choices
)
