"""The rule book of ``heldout:rules`` for *Tower Up*.

In short: take chips and extra turns at once, build where a roof is worth much, otherwise collect
the floors that a better building lacks.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from sprawl_env.bots.heldout.books import RuleBook
from sprawl_env.bots.heldout.tower_up_facts import (
    best_building,
    best_roof_on,
    chips_with,
    floors_lacking,
    helps_objectives,
    is_open,
    lead,
    millions,
    star_steps,
    wins_turn,
)
from sprawl_env.core.state import Games, Tables
from sprawl_env.games.tower_up.actions import BUILD, CHOOSE, RETURN, ROOF, TAKE
from sprawl_env.games.tower_up.constants import (
    MARKET_SIZE,
    MAX_SITES,
    NO_CARD,
    NO_COLOUR,
    NO_SITE,
    NUM_COLOURS,
    EndCause,
    Step,
)
from sprawl_env.games.tower_up.state import State
from sprawl_env.games.tower_up.tables import Table
from sprawl_env.kernels.agenda import top
from sprawl_env.kernels.arrays import Mask
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.masks import NO_ACTION


class Rule(IntEnum):
    """The rules in the order in which they are asked."""

    DRIVE_TO_A_STAR = 0
    BUILD_FOR_A_CHIP = 1
    BUILD_FOR_A_TURN = 2
    HOLD_THE_LAST_ROOF = 3
    BUILD_BEFORE_THE_END = 4
    DRIVE_FAR = 5
    BUILD_TALL = 6
    CARD_FOR_A_BUILDING = 7
    BUILD_WITH_FULL_HANDS = 8
    CARD_WITH_MOST_FLOORS = 9
    ROOF_FOR_A_CHIP = 10
    ROOF_FOR_A_TURN = 11
    ROOF_THAT_IS_WORTH_MOST = 12
    FLOOR_FOR_A_BUILDING = 13
    FLOOR_THAT_IS_RAREST = 14
    RETURN_WHAT_IS_PLENTY = 15


class Aim(IntEnum):
    """What a roof is placed for."""

    CHIP = 0
    TURN = 1
    WORTH = 2


# A roof's worth is counted in sixths of a million.
MILLION: Final = 6
STAR_STEP: Final = 2  # a step towards the next star column
CHIP_NEARER: Final = 1  # a roof that an objective needs, for each million of its chip
FLOOR_PAID: Final = 2  # subtracted for each floor that a building costs
TALL: Final = 26  # a roof worth this is worth a turn
FAR: Final = 3  # millions of a vehicle that are worth a turn
FULL_HANDS: Final = 8  # floors in the reserve; more than ten must be returned
ENOUGH: Final = 3  # floors of a colour
FINE: Final = 12  # worth is multiplied by it before it is divided by floors
NOTHING: Final = -1000


# --------------------------------------------------------------------------------- worth of roofs


@kernel
def worth_of_roof(
    t: Table, state: State, seat: int, site: int, colour: int, height: int, aim: int
) -> int:
    """Return what a roof on a building is worth for an aim, ``NOTHING`` if it misses the aim."""
    worth = MILLION * millions(t, state, seat, colour, height)
    if aim == Aim.TURN and not wins_turn(t, state, seat, colour, height):
        return NOTHING
    if aim == Aim.CHIP:
        chips = chips_with(t, state, seat, site, colour, height)
        return MILLION * chips + worth if chips > 0 else NOTHING
    worth += STAR_STEP * star_steps(t, state, seat, colour, height)
    return worth + CHIP_NEARER * helps_objectives(t, state, seat, site, colour, height)


@kernel
def worth_of_build(t: Table, state: State, seat: int, site: int, colour: int, aim: int) -> int:
    """Return the worth of the best roof after building, less the floors paid."""
    board = int(state.board)
    best = worth_of_roof(t, state, seat, site, colour, 1, aim)
    paid = 1
    for k in range(t.num_streets[board, site]):
        other = int(t.streets[board, site, k])
        if state.colour[other] != NO_COLOUR:
            paid += 1
            height = int(state.height[other]) + 1
            worth = worth_of_roof(t, state, seat, other, int(state.colour[other]), height, aim)
            best = max(best, worth)
    return best - FLOOR_PAID * paid if best > NOTHING else NOTHING


@kernel
def best_build(t: Table, state: State, seat: int, mask: Mask, aim: int, least: int) -> int:
    """Return the legal build that is worth most for an aim, and worth ``least`` or more."""
    best, found = least - 1, NO_ACTION
    for action in range(BUILD, ROOF):
        if mask[action]:
            site, colour = (action - BUILD) // NUM_COLOURS, (action - BUILD) % NUM_COLOURS
            worth = worth_of_build(t, state, seat, site, colour, aim)
            if worth > best:
                best, found = worth, action
    return found


@kernel
def best_roof(t: Table, state: State, seat: int, mask: Mask, aim: int) -> int:
    """Return the site on which a roof is worth most for an aim."""
    best, found = NOTHING, NO_ACTION
    for site in range(MAX_SITES):
        if mask[ROOF + site]:
            colour, height = int(state.colour[site]), int(state.height[site])
            worth = worth_of_roof(t, state, seat, site, colour, height, aim)
            if worth > best:
                best, found = worth, ROOF + site
    return found


# --------------------------------------------------------------------------------------- cards


@kernel
def drive_to_a_star(t: Table, state: State, seat: int) -> int:
    """A card whose vehicle brings an extra turn."""
    for space in range(MARKET_SIZE):
        card = int(state.market[space])
        steps = int(t.card_steps[card])
        if steps > 0 and wins_turn(t, state, seat, int(t.card_vehicle[card]), steps):
            return TAKE + space
    return NO_ACTION


@kernel
def drive_far(t: Table, state: State, seat: int) -> int:
    """The card whose vehicle gains most, if it gains ``FAR`` millions or more."""
    best, found = FAR - 1, NO_ACTION
    for space in range(MARKET_SIZE):
        card = int(state.market[space])
        steps = int(t.card_steps[card])
        if steps > 0:
            gain = millions(t, state, seat, int(t.card_vehicle[card]), steps)
            if gain > best:
                best, found = gain, TAKE + space
    return found


@kernel
def card_for_a_building(t: Table, state: State, seat: int) -> int:
    """The card that makes a better building payable than any that is payable without it."""
    best, found = best_building(t, state, seat, NO_CARD), NO_ACTION
    for space in range(MARKET_SIZE):
        gain = best_building(t, state, seat, int(state.market[space]))
        if gain > best:
            best, found = gain, TAKE + space
    return found


@kernel
def floors_wanted(t: Table, state: State, seat: int, card: int) -> int:
    """Return a card's floors, without those of which the seat has enough, and its vehicle."""
    wanted = 2 * int(t.card_multicolour[card])
    for colour in range(NUM_COLOURS):
        held, shown = int(state.reserve[seat, colour]), int(t.card_floors[card, colour])
        wanted += shown + min(shown, max(ENOUGH - held, 0))
    if t.card_steps[card] > 0:
        wanted += 2 * millions(t, state, seat, int(t.card_vehicle[card]), int(t.card_steps[card]))
    return wanted


@kernel
def card_with_most_floors(t: Table, state: State, seat: int) -> int:
    """The card with the most floors that the seat wants."""
    best, found = -1, NO_ACTION
    for space in range(MARKET_SIZE):
        wanted = floors_wanted(t, state, seat, int(state.market[space]))
        if wanted > best:
            best, found = wanted, TAKE + space
    return found


# --------------------------------------------------------------------------------------- floors


@kernel
def wished_site(t: Table, state: State, seat: int) -> int:
    """Return the open site whose roof gains most for each floor that the seat lacks there."""
    best, found = 0, NO_SITE
    for site in range(t.num_sites[state.board]):
        if is_open(state, site):
            lacking = floors_lacking(t, state, seat, site, NO_CARD)
            worth = FINE * best_roof_on(t, state, seat, site) // (1 + lacking)
            if lacking > 0 and worth > best:
                best, found = worth, site
    return found


@kernel
def floor_for_a_building(t: Table, state: State, seat: int) -> int:
    """The colour that the wished site lacks most."""
    site = wished_site(t, state, seat)
    best, found = 0, NO_ACTION
    if site != NO_SITE:
        for colour in range(NUM_COLOURS):
            lacks = int(state.adjacent[site, colour]) - int(state.reserve[seat, colour])
            if lacks > best:
                best, found = lacks, CHOOSE + colour
    return found


@kernel
def rarest_floor(state: State, seat: int, mask: Mask) -> int:
    """The colour of which the seat holds the fewest floors."""
    fewest, found = 1 << 7, NO_ACTION
    for colour in range(NUM_COLOURS):
        if mask[CHOOSE + colour] and state.reserve[seat, colour] < fewest:
            fewest, found = int(state.reserve[seat, colour]), CHOOSE + colour
    return found


@kernel
def plentiful_floor(state: State, seat: int) -> int:
    """The colour of which the seat holds the most floors."""
    most, found = 0, NO_ACTION
    for colour in range(NUM_COLOURS):
        if state.reserve[seat, colour] > most:
            most, found = int(state.reserve[seat, colour]), RETURN + colour
    return found


@kernel
def floors_in_hand(state: State, seat: int) -> int:
    """Return how many floors the seat holds."""
    held = 0
    for colour in range(NUM_COLOURS):
        held += int(state.reserve[seat, colour])
    return held


# ------------------------------------------------------------------------------------- the book


@kernel
def on_turn(t: Table, state: State, seat: int, mask: Mask, rule: int) -> int:
    """Ask one of the rules for a turn: take a card or build."""
    last_roof = state.roofs_left[seat] == 1 and state.end_cause == EndCause.NONE
    if rule == Rule.DRIVE_TO_A_STAR:
        return drive_to_a_star(t, state, seat)
    if rule == Rule.BUILD_FOR_A_CHIP:
        return best_build(t, state, seat, mask, Aim.CHIP, 0)
    if rule == Rule.BUILD_FOR_A_TURN:
        return best_build(t, state, seat, mask, Aim.TURN, 0)
    if rule == Rule.HOLD_THE_LAST_ROOF:
        behind = last_roof and lead(t, state, seat) < 0
        return card_with_most_floors(t, state, seat) if behind else NO_ACTION
    if rule == Rule.BUILD_BEFORE_THE_END:
        ends = state.end_cause != EndCause.NONE or last_roof
        return best_build(t, state, seat, mask, Aim.WORTH, 0) if ends else NO_ACTION
    if rule == Rule.DRIVE_FAR:
        return drive_far(t, state, seat)
    if rule == Rule.BUILD_TALL:
        return best_build(t, state, seat, mask, Aim.WORTH, TALL)
    if rule == Rule.CARD_FOR_A_BUILDING:
        full = floors_in_hand(state, seat) >= FULL_HANDS
        return NO_ACTION if full else card_for_a_building(t, state, seat)
    if rule == Rule.BUILD_WITH_FULL_HANDS:
        full = floors_in_hand(state, seat) >= FULL_HANDS
        return best_build(t, state, seat, mask, Aim.WORTH, 0) if full else NO_ACTION
    if rule == Rule.CARD_WITH_MOST_FLOORS:
        return card_with_most_floors(t, state, seat)
    return NO_ACTION


@kernel
def on_roof(t: Table, state: State, seat: int, mask: Mask, rule: int) -> int:
    """Ask one of the rules for the place of a roof."""
    if rule == Rule.ROOF_FOR_A_CHIP:
        return best_roof(t, state, seat, mask, Aim.CHIP)
    if rule == Rule.ROOF_FOR_A_TURN:
        return best_roof(t, state, seat, mask, Aim.TURN)
    if rule == Rule.ROOF_THAT_IS_WORTH_MOST:
        return best_roof(t, state, seat, mask, Aim.WORTH)
    return NO_ACTION


@kernel
def on_floor(t: Table, state: State, seat: int, mask: Mask, rule: int) -> int:
    """Ask one of the rules for the colour of a floor to take."""
    if rule == Rule.FLOOR_FOR_A_BUILDING:
        return floor_for_a_building(t, state, seat)
    if rule == Rule.FLOOR_THAT_IS_RAREST:
        return rarest_floor(state, seat, mask)
    return NO_ACTION


@kernel
def propose(tables: Tables, games: Games, g: int, mask: Mask, rule: int) -> int:
    """Ask one rule of the book."""
    t: Table = tables[0]
    state: State = games[g]
    seat, step = int(state.to_play), int(top(state).step)
    if step == Step.TURN:
        return on_turn(t, state, seat, mask, rule)
    if step == Step.ROOF:
        return on_roof(t, state, seat, mask, rule)
    if step == Step.FLOOR:
        return on_floor(t, state, seat, mask, rule)
    return plentiful_floor(state, seat) if rule == Rule.RETURN_WHAT_IS_PLENTY else NO_ACTION


BOOK: Final = RuleBook.of(Rule, propose)
