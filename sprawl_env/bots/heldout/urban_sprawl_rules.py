"""The rule book of ``heldout:rules`` for *Urban Sprawl*.

In short: build whenever something good can be built, where the own zone is dense and the lines
pay; invest when money lacks, buy permits with what is left; take prestige, pay with wealth.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from sprawl_env.bots.heldout.books import RuleBook
from sprawl_env.bots.heldout.urban_sprawl_facts import (
    LINES_OF_A_BLOCK,
    bonus_of_site,
    line_of_block,
    share_gained,
    share_to_come,
)
from sprawl_env.core.state import NOBODY, Games, Tables
from sprawl_env.games.urban_sprawl.actions import (
    AMOUNT,
    BUILD,
    DECLINE,
    FAVOR,
    GAIN,
    LINE,
    MARKER,
    OFFICE,
    OPTION,
    PERMIT,
    PLANNING,
    SEAT_AT,
    SITE,
    VOCATION,
    YES,
    ZONE,
)
from sprawl_env.games.urban_sprawl.constants import (
    CORNERS,
    FAVORS,
    FIRST_FAVOR,
    NO_VOCATION,
    NUM_KINDS,
    NUM_LINES,
    NUM_LOTS,
    NUM_MARKERS,
    NUM_OFFICES,
    NUM_PERMITS,
    NUM_SHAPES,
    NUM_VOCATIONS,
    NUM_ZONES,
    PLANNING_TOP,
    PRESTIGE,
    SHAPES,
    VOCATIONS_A_CARD,
    WEALTH,
)
from sprawl_env.games.urban_sprawl.effect_verbs import Verb
from sprawl_env.games.urban_sprawl.rules.build import legal_footprints, payable_blocks
from sprawl_env.games.urban_sprawl.rules.lines import (
    buildings_in_line,
    line_money,
    share_of_line,
)
from sprawl_env.games.urban_sprawl.rules.turn import contract_at, cost_at
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import Step
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.kernels.agenda import top
from sprawl_env.kernels.arrays import Mask
from sprawl_env.kernels.bits import lowest
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.masks import NO_ACTION


class Rule(IntEnum):
    """The rules in the order in which they are asked."""

    INVEST_WHEN_POOR = 0
    BUILD_WHAT_IS_WORTH_MOST = 1
    TAKE_A_PERMIT = 2
    RESERVE_A_CONTRACT = 3
    END_THE_TURN = 4
    PAY_WITHOUT_WASTE = 5
    PLACE_WHERE_LINES_PAY = 6
    PAY_FOR_A_DISASTER = 7
    HELP_ONESELF = 8
    HARM_A_RIVAL = 9
    SPARE_THE_DEAREST = 10
    CHOOSE_ONESELF = 11
    CHOOSE_THE_LEADER = 12
    PAY_THE_OWN_LINE = 13
    MARK_THE_OWN_LINE = 14
    ADD_THE_HIGHEST_MARKER = 15
    WANT_THE_BEST_OFFICE = 16
    WANT_THE_OWN_VOCATION = 17
    TAKE_THE_BEST_CARD = 18
    DISCARD_THE_WORST_CARD = 19
    ACCEPT_WHAT_IS_CHEAP = 20
    PAY_IN_WEALTH = 21
    GAIN_PRESTIGE = 22
    CHOOSE_THE_OWN_ZONE = 23
    BID_WHAT_IS_CHEAP = 24
    TAKE_THE_FIRST_OPTION = 25


# Worth is counted in tenths of a point of prestige.
BONUS: Final = 10  # a point of the neighbourhood bonus
PRICE: Final = 3  # subtracted for a unit of wealth
WEALTH_LINE: Final = 40  # a unit of a wealth line's share at the start; fades with the game
PRESTIGE_LINE: Final = 45  # the same of a prestige line
LAST_PAYOUT: Final = 10  # a unit of a prestige line's share at the end
MARKER_NOW: Final = 8  # a point that an own vocation marker scores with the contract
MARKER_LATER: Final = 50  # a vocation marker at the start; fades with the game
EFFECT: Final = 10  # an effect of a contract
ACTION_POINT: Final = 5  # subtracted for each
RIVAL_CLEARED: Final = 25
OWN_CLEARED: Final = -60
PERMIT_WORTH: Final = 8  # a permit of a planning card
INVESTED: Final = 2  # a unit of its wealth value
RENEWAL_WORTH: Final = 5
FINE: Final = 12  # worth is multiplied by it before it is divided by action points
WORTH_BUILDING: Final = 15
POOR: Final = 10  # wealth
KEEP_PERMITS: Final = 3  # permits that are not invested
PERMITS_WANTED: Final = 8
CHEAP: Final = 3  # share of the wealth, as its inverse, that an offer may cost
WASTE: Final = 100  # a permit beyond the size of the contract
NOTHING: Final = -10_000
OFFICES_BY_WORTH: Final = (4, 2, 3, 0, 1, 5)  # Union Boss, Treasurer, ..., Contractor


# ---------------------------------------------------------------------------------- worth of sites


@kernel
def worth_of_block(t: Table, state: State, seat: int, block: int) -> int:
    """Return what one more building in a block adds to the lines of a seat."""
    later = share_to_come(state)
    worth = 0.0
    for k in range(LINES_OF_A_BLOCK):
        line = line_of_block(block, k)
        gained = share_gained(t, state, seat, line, block)
        if gained > 0 and line_money(state, line) == WEALTH:
            worth += WEALTH_LINE * gained * later
        elif gained > 0:
            worth += (PRESTIGE_LINE * later + LAST_PAYOUT * (1.0 - later)) * gained
    return int(worth)


@kernel
def worth_of_clearing(state: State, seat: int, block: int, shape: int) -> int:
    """Return the worth of the buildings that a footprint demolishes."""
    worth = 0
    if int(state.occupied[block]) & shape:
        for corner in range(CORNERS):
            lot = block * CORNERS + corner
            if int(state.corners[lot]) & shape:
                owner = int(state.owner[lot])
                worth += OWN_CLEARED if owner == seat else RIVAL_CLEARED * (owner != NOBODY)
    return worth


@kernel
def worth_of_site(t: Table, state: State, seat: int, card: int, block: int, shape: int) -> int:
    """Return the worth of a footprint apart from the lines of its block."""
    worth = BONUS * bonus_of_site(t, state, seat, card, block, shape)
    return worth + worth_of_clearing(state, seat, block, shape)


@kernel
def best_site(t: Table, state: State, seat: int, card: int) -> int:
    """Return ``(worth - NOTHING) * NUM_LOTS + site`` of the best footprint, NOTHING if none."""
    best = NOTHING
    size = int(t.card_size[card]) - 1
    blocks = payable_blocks(t, state, seat, card)
    while blocks:
        block = lowest(blocks)
        blocks &= blocks - 1
        legal = legal_footprints(t, state, seat, card, block)
        if legal:
            here = worth_of_block(t, state, seat, block) - PRICE * int(state.value[block])
            for k in range(NUM_SHAPES[size]):
                shape = int(SHAPES[size, k])
                if legal >> (shape - 1) & 1:
                    worth = here + worth_of_site(t, state, seat, card, block, shape)
                    best = max(best, (worth - NOTHING) * NUM_LOTS + block * CORNERS + k)
    return best


@kernel
def worth_of_card(t: Table, state: State, seat: int, card: int) -> int:
    """Return the worth of a contract's vocations and effects."""
    worth = EFFECT * int(t.card_effects[card])
    for k in range(VOCATIONS_A_CARD):
        vocation = int(t.card_vocation[card, k])
        if vocation != NO_VOCATION:
            number = int(t.card_number[card, k])
            worth += MARKER_NOW * number * int(state.vocations[seat, vocation])
            for other in range(state.num_seats):
                if other != seat:
                    worth -= MARKER_NOW * number * int(state.vocations[other, vocation]) // 2
            if state.vocations_left[vocation] > 0:
                worth += int(MARKER_LATER * share_to_come(state))
    return worth


# ----------------------------------------------------------------------------------------- a turn


@kernel
def permits_of(t: Table, state: State, seat: int) -> int:
    """Return how many permits the cards of a hand hold."""
    held = 0
    for kind in range(NUM_PERMITS):
        held += int(state.hand[seat, kind]) * int(t.permits[kind])
    return held


@kernel
def invest_when_poor(t: Table, state: State, seat: int, mask: Mask) -> int:
    """The permit of the highest wealth value, while the seat is poor and keeps a few permits."""
    best, found = 0, NO_ACTION
    if state.wealth[seat] < POOR:
        held = permits_of(t, state, seat)
        for kind in range(NUM_PERMITS):
            keeps = held - int(t.permits[kind]) >= KEEP_PERMITS
            if mask[PERMIT + kind] and keeps and t.permit_wealth[kind] > best:
                best, found = int(t.permit_wealth[kind]), PERMIT + kind
    return found


@kernel
def build_best(t: Table, state: State, seat: int, mask: Mask) -> int:
    """The contract that is worth most, with its site and its action points."""
    best, found = WORTH_BUILDING - 1, NO_ACTION
    for place in range(FIRST_FAVOR + FAVORS):
        if mask[BUILD + place]:
            card = contract_at(state, seat, place)
            site = best_site(t, state, seat, card)
            worth = site // NUM_LOTS + NOTHING + worth_of_card(t, state, seat, card)
            worth -= ACTION_POINT * cost_at(t, place)
            if worth > best:
                best, found = worth, BUILD + place
    return found


@kernel
def worth_of_planning(t: Table, kind: int) -> int:
    """Return the worth of a planning card."""
    if kind >= NUM_PERMITS:
        return RENEWAL_WORTH
    zones = int(t.permit_zones[kind])
    worth = PERMIT_WORTH * int(t.permits[kind]) + INVESTED * int(t.permit_wealth[kind])
    return worth + (zones & 1) + (zones >> 1 & 1) + (zones >> 2 & 1) + (zones >> 3 & 1)


@kernel
def take_permit(t: Table, state: State, seat: int, mask: Mask) -> int:
    """The planning card of the most worth for its action points, unless the hand is full."""
    best, found = 0, NO_ACTION
    full = permits_of(t, state, seat) >= PERMITS_WANTED
    for space in range(PLANNING_TOP + 1):
        if mask[PLANNING + space] and state.planning[space] < NUM_KINDS:
            worth = worth_of_planning(t, int(state.planning[space]))
            if full and state.planning[space] < NUM_PERMITS:
                worth = INVESTED * int(t.permit_wealth[state.planning[space]])
            worth = FINE * worth // (1 + int(t.planning_cost[space]))
            if worth > best:
                best, found = worth, PLANNING + space
    return found


@kernel
def reserve_contract(t: Table, state: State, seat: int, mask: Mask) -> int:
    """The contract that is worth most as a Favor."""
    best, found = NOTHING, NO_ACTION
    for place in range(FIRST_FAVOR):
        if mask[FAVOR + place]:
            worth = worth_of_card(t, state, seat, contract_at(state, seat, place))
            if worth > best:
                best, found = worth, FAVOR + place
    return found


@kernel
def on_turn(t: Table, state: State, seat: int, mask: Mask, rule: int) -> int:
    """Ask one of the rules for an investment or an action."""
    if rule == Rule.INVEST_WHEN_POOR:
        return invest_when_poor(t, state, seat, mask)
    if rule == Rule.BUILD_WHAT_IS_WORTH_MOST:
        return build_best(t, state, seat, mask)
    if rule == Rule.TAKE_A_PERMIT:
        return take_permit(t, state, seat, mask)
    if rule == Rule.RESERVE_A_CONTRACT:
        return reserve_contract(t, state, seat, mask)
    return DECLINE if rule == Rule.END_THE_TURN else NO_ACTION


@kernel
def pay_without_waste(t: Table, state: State, seat: int, mask: Mask) -> int:
    """The permit that wastes least; then the one that is worth least by what it covers."""
    short = int(t.card_size[top(state).card]) - int(top(state).paid)
    best, found = -NOTHING, NO_ACTION
    for kind in range(NUM_PERMITS):
        if mask[PERMIT + kind]:
            permits = int(t.permits[kind])
            waste = max(permits - short, 0)
            price = WASTE * waste + FINE * worth_of_planning(t, kind) // min(permits, short)
            if price < best:
                best, found = price, PERMIT + kind
    return found


# --------------------------------------------------------------------------------------- the city


@kernel
def best_place(t: Table, state: State, seat: int, mask: Mask) -> int:
    """The footprint in the block whose lines gain most; for a contract with its price and bonus."""
    builds = top(state).step == Step.FOOTPRINT
    if builds:
        return SITE + best_site(t, state, seat, int(top(state).card)) % NUM_LOTS
    claims = top(state).step == Step.CLAIM
    best, found = NOTHING, NO_ACTION
    for site in range(NUM_LOTS):
        if mask[SITE + site]:
            block = site // CORNERS
            worth = worth_of_block(t, state, seat, block)
            worth -= PRICE * int(state.value[block]) if claims else 0
            if worth > best:
                best, found = worth, SITE + site
    return found


@kernel
def dearest_of_rivals(state: State, seat: int, mask: Mask) -> int:
    """The building of the highest value that another seat controls."""
    best, found = -1, NO_ACTION
    for lot in range(NUM_LOTS):
        owner = int(state.owner[lot])
        if mask[SITE + lot] and owner != seat and owner != NOBODY:
            value = int(state.value[lot // CORNERS])
            if value > best:
                best, found = value, SITE + lot
    return found


@kernel
def own_building(state: State, seat: int, mask: Mask, sign: int) -> int:
    """The own building of the highest value, or with ``sign`` -1 of the lowest."""
    best, found = NOTHING, NO_ACTION
    for lot in range(NUM_LOTS):
        if mask[SITE + lot] and state.owner[lot] == seat:
            value = sign * int(state.value[lot // CORNERS])
            if value > best:
                best, found = value, SITE + lot
    return found


@kernel
def on_city(t: Table, state: State, seat: int, mask: Mask, rule: int) -> int:
    """Ask one of the rules for a building or a footprint."""
    step, verb = int(top(state).step), int(t.effects[top(state).effect].verb)
    claims = step == Step.CLAIM or step == Step.FOOTPRINT
    places = claims or step == Step.PLACE or step == Step.MOVE_TO
    if rule == Rule.PLACE_WHERE_LINES_PAY:
        return best_place(t, state, seat, mask) if places else NO_ACTION
    if places:
        return NO_ACTION
    if rule == Rule.PAY_FOR_A_DISASTER:
        return YES
    if rule == Rule.HELP_ONESELF:
        helps = verb == Verb.GAIN or verb == Verb.MOVE
        return own_building(state, seat, mask, 1) if helps else NO_ACTION
    if rule == Rule.HARM_A_RIVAL:
        return dearest_of_rivals(state, seat, mask)
    if rule == Rule.SPARE_THE_DEAREST:
        return own_building(state, seat, mask, -1)
    return NO_ACTION


# -------------------------------------------------------------------------- money, offers, seats


@kernel
def on_offer(t: Table, state: State, seat: int, rule: int) -> int:
    """Ask one of the rules for an answer without a place on the board."""
    step, effect = int(top(state).step), t.effects[top(state).effect]
    if rule == Rule.ACCEPT_WHAT_IS_CHEAP and (step == Step.ACCEPT or step == Step.SAVE):
        amount = int(effect.amount) if step == Step.ACCEPT else int(effect.save_amount)
        what = int(effect.what) if step == Step.ACCEPT else int(effect.save_what)
        cheap = what == WEALTH and amount * CHEAP <= state.wealth[seat]
        return YES if cheap else DECLINE
    if rule == Rule.PAY_IN_WEALTH and step == Step.UNIT and effect.verb != Verb.GAIN:
        return GAIN + WEALTH
    if rule == Rule.GAIN_PRESTIGE and (step == Step.UNIT or step == Step.MARKER_GAIN):
        return GAIN + PRESTIGE
    if rule == Rule.BID_WHAT_IS_CHEAP and step == Step.BID:
        offered = int(top(state).highest) + 1
        return AMOUNT + offered - 1 if offered * CHEAP <= state.wealth[seat] else DECLINE
    if rule == Rule.CHOOSE_THE_OWN_ZONE:
        return own_zone(state, seat)
    return OPTION if rule == Rule.TAKE_THE_FIRST_OPTION else NO_ACTION


@kernel
def own_zone(state: State, seat: int) -> int:
    """The zone of which the seat controls most buildings."""
    best = 0
    for zone in range(1, NUM_ZONES):
        if state.controls[seat, zone] > state.controls[seat, best]:
            best = zone
    return ZONE + best


@kernel
def leading_rival(state: State, seat: int, mask: Mask) -> int:
    """The other seat with the most prestige that may be chosen."""
    most, found = -1, NO_ACTION
    for k in range(1, int(state.num_seats)):
        prestige = int(state.prestige[(seat + k) % int(state.num_seats)])
        if mask[SEAT_AT + k] and prestige > most:
            most, found = prestige, SEAT_AT + k
    return found


@kernel
def on_seat(state: State, step: int, seat: int, mask: Mask, rule: int) -> int:
    """Ask one of the rules for a seat."""
    if rule == Rule.CHOOSE_ONESELF:
        helps = step == Step.WINNER or step == Step.LEADER or step == Step.NEXT_SEAT
        return SEAT_AT if helps else NO_ACTION
    return leading_rival(state, seat, mask)


# ------------------------------------------------------------------------------------------ picks


@kernel
def lead_in_line(state: State, line: int, seat: int) -> int:
    """Return how many more buildings a seat has in a line than the others; may be negative."""
    theirs = 0
    for other in range(state.num_seats):
        if other != seat:
            theirs = max(theirs, buildings_in_line(state, line, other))
    return buildings_in_line(state, line, seat) - theirs


@kernel
def best_paid_line(t: Table, state: State, seat: int, mask: Mask) -> int:
    """The line that pays the seat most."""
    best, found = -1, NO_ACTION
    for line in range(NUM_LINES):
        if mask[LINE + line]:
            share = share_of_line(t, state, line, seat)
            if share > best:
                best, found = share, LINE + line
    return found


@kernel
def most_led_line(state: State, seat: int, mask: Mask) -> int:
    """The line in which the seat has most buildings beyond the others."""
    best, found = NOTHING, NO_ACTION
    for line in range(NUM_LINES):
        if mask[LINE + line]:
            lead = lead_in_line(state, line, seat)
            if lead > best:
                best, found = lead, LINE + line
    return found


@kernel
def best_card(t: Table, state: State, seat: int, mask: Mask) -> int:
    """The face-up planning card that is worth most."""
    best, found = -1, NO_ACTION
    for space in range(PLANNING_TOP + 1):
        if mask[PLANNING + space]:
            worth = worth_of_planning(t, int(state.planning[space]))
            if worth > best:
                best, found = worth, PLANNING + space
    return found


@kernel
def worst_card(t: Table, mask: Mask) -> int:
    """The planning card in hand that is worth least."""
    least, found = -NOTHING, NO_ACTION
    for kind in range(NUM_KINDS):
        if mask[PERMIT + kind]:
            worth = worth_of_planning(t, kind)
            if worth < least:
                least, found = worth, PERMIT + kind
    return found


@kernel
def own_vocation(state: State, seat: int, mask: Mask) -> int:
    """The vocation of which the seat holds most markers."""
    most, found = -1, NO_ACTION
    for vocation in range(NUM_VOCATIONS):
        if mask[VOCATION + vocation] and state.vocations[seat, vocation] > most:
            most, found = int(state.vocations[seat, vocation]), VOCATION + vocation
    return found


@kernel
def on_pick(t: Table, state: State, seat: int, mask: Mask, rule: int) -> int:
    """Ask one of the rules for a line, a marker, an office, a vocation or a card."""
    step = int(top(state).step)
    if rule == Rule.PAY_THE_OWN_LINE and step == Step.PAID_LINE:
        return best_paid_line(t, state, seat, mask)
    if rule == Rule.MARK_THE_OWN_LINE and step == Step.GREY:
        return most_led_line(state, seat, mask)
    if rule == Rule.ADD_THE_HIGHEST_MARKER and step == Step.PICK_MARKER:
        for marker in range(NUM_MARKERS - 1, -1, -1):
            if mask[MARKER + marker]:
                return MARKER + marker
    if rule == Rule.WANT_THE_BEST_OFFICE and step == Step.PICK_OFFICE:
        for k in range(NUM_OFFICES):
            if mask[OFFICE + OFFICES_BY_WORTH[k]]:
                return OFFICE + OFFICES_BY_WORTH[k]
    if rule == Rule.WANT_THE_OWN_VOCATION and step == Step.PICK_VOCATION:
        return own_vocation(state, seat, mask)
    if rule == Rule.TAKE_THE_BEST_CARD and step == Step.FREE_CARD:
        return best_card(t, state, seat, mask)
    if rule == Rule.DISCARD_THE_WORST_CARD and step == Step.DISCARD:
        return worst_card(t, mask)
    return NO_ACTION


@kernel
def propose(tables: Tables, games: Games, g: int, mask: Mask, rule: int) -> int:
    """Ask one rule of the book."""
    t: Table = tables[0]
    state: State = games[g]
    seat, step = int(state.to_play), int(top(state).step)
    if step == Step.MAIN:
        return on_turn(t, state, seat, mask, rule)
    if step == Step.PERMITS:
        return (
            pay_without_waste(t, state, seat, mask) if rule == Rule.PAY_WITHOUT_WASTE else NO_ACTION
        )
    if rule < Rule.PLACE_WHERE_LINES_PAY:
        return NO_ACTION
    if rule < Rule.CHOOSE_ONESELF:
        city = step == Step.CLAIM or step == Step.FOOTPRINT or step == Step.TARGET
        city = city or step == Step.PLACE or step == Step.MOVE_TO
        city = city or step == Step.DISASTER or step == Step.HEADLINE
        return on_city(t, state, seat, mask, rule) if city else NO_ACTION
    if rule < Rule.PAY_THE_OWN_LINE:
        return on_seat(state, step, seat, mask, rule)
    if rule < Rule.ACCEPT_WHAT_IS_CHEAP:
        return on_pick(t, state, seat, mask, rule)
    return on_offer(t, state, seat, rule)


BOOK: Final = RuleBook.of(Rule, propose)
