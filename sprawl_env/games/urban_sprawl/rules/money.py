"""Effects that move wealth and prestige (US §7, rulings U18 to U20)."""

from __future__ import annotations

from sprawl_env.core.state import NOBODY
from sprawl_env.games.urban_sprawl.actions import GAIN, SITE
from sprawl_env.games.urban_sprawl.constants import (
    CORNERS,
    NO_LOT,
    NO_VOCATION,
    NUM_VOCATIONS,
    PRESTIGE,
    WEALTH,
)
from sprawl_env.games.urban_sprawl.effect_verbs import Verb
from sprawl_env.games.urban_sprawl.rules.board import next_building
from sprawl_env.games.urban_sprawl.rules.filters import (
    count_buildings,
    extreme_value,
    passes,
)
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import (
    Step,
)
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.games.urban_sprawl.vocabulary import (
    Extreme,
    Per,
)
from sprawl_env.kernels.agenda import pop, push, top
from sprawl_env.kernels.arrays import Mask
from sprawl_env.kernels.compile import kernel


@kernel
def has(state: State, seat: int, money: int) -> int:
    """Return a seat's wealth or prestige."""
    return int(state.wealth[seat]) if money == WEALTH else int(state.prestige[seat])


@kernel
def add(state: State, seat: int, money: int, amount: int) -> None:
    """Add to a seat's wealth or prestige."""
    if money == WEALTH:
        state.wealth[seat] += amount
    else:
        state.prestige[seat] += amount


@kernel
def take_up_to(state: State, seat: int, money: int, amount: int) -> int:
    """Take up to an amount from a seat and return how much was taken (US 6.11)."""
    taken = min(amount, has(state, seat, money))
    add(state, seat, money, -taken)
    return taken


@kernel
def amount_of_unit(t: Table, state: State, e: int) -> int:
    """Return the amount of one unit: of a building, of a marker, or of the whole effect."""
    effect = t.effects[e]
    amount = int(effect.amount)
    if effect.per == Per.VALUE:
        amount *= int(state.value[state.lot // CORNERS])
    return amount


@kernel
def markers_held(t: Table, state: State, e: int, seat: int) -> int:
    """Return the number of a seat's vocation markers that the effect counts."""
    effect = t.effects[e]
    if effect.vocation != NO_VOCATION:
        return int(state.vocations[seat, effect.vocation])
    total = 0
    for vocation in range(NUM_VOCATIONS):
        total += int(state.vocations[seat, vocation])
    return total


@kernel
def buildings_held(t: Table, state: State, e: int, seat: int) -> int:
    """Return the number of a seat's buildings that pass the filter."""
    value = extreme_value(t, state, e, seat)
    count = 0
    lot, rest = next_building(state, NO_LOT, 0)
    while lot != NO_LOT:
        if state.owner[lot] == seat:
            count += passes(t, state, e, lot, seat, value)
        lot, rest = next_building(state, lot, rest)
    return count


@kernel
def units(t: Table, state: State, e: int, seat: int) -> int:
    """Return the number of units for a seat, 0 if a unit is worth nothing."""
    effect = t.effects[e]
    if amount_of_unit(t, state, e) == 0:
        return 0
    if effect.verb == Verb.PAY:
        return buildings_held(t, state, e, seat)
    if effect.per == Per.BUILDING:
        return count_buildings(t, state, e, seat)
    if effect.per == Per.VOCATION:
        return markers_held(t, state, e, seat)
    return 1


@kernel
def move_fixed(t: Table, state: State, e: int, seats: int, receiver: int) -> None:
    """Gain, lose or pay for several seats at once; amounts are fixed first (ruling U18)."""
    effect = t.effects[e]
    counted = 0
    for seat in range(state.num_seats):  # 8 bits per seat; a count is at most 144
        if seats >> seat & 1:
            counted |= units(t, state, e, seat) << 8 * seat
    money, amount = int(effect.what), amount_of_unit(t, state, e)
    for seat in range(state.num_seats):
        total = amount * (counted >> 8 * seat & 0xFF)
        if effect.verb == Verb.GAIN:
            add(state, seat, money, total)
        else:
            taken = take_up_to(state, seat, money, total)
            if effect.verb == Verb.PAY:
                add(state, receiver, money, taken)


@kernel
def steal(t: Table, state: State, e: int, seats: int, thief: int) -> None:
    """Take up to the effect's amount from several seats."""
    effect = t.effects[e]
    for seat in range(state.num_seats):
        if seats >> seat & 1 and seat != thief:
            taken = take_up_to(state, seat, int(effect.what), int(effect.amount))
            add(state, thief, int(effect.what), taken)


@kernel
def victims(t: Table, state: State, e: int, thief: int) -> int:
    """Return the seats that have something to steal."""
    seats = 0
    for seat in range(state.num_seats):
        if seat != thief and has(state, seat, int(t.effects[e].what)) > 0:
            seats |= 1 << seat
    return seats


# ------------------------------------------------------------------- wealth or prestige, by unit


@kernel
def may_move_unit(t: Table, state: State, e: int, seat: int, money: int) -> bool:
    """May a unit be gained, lost or paid in this currency (ruling U20)?"""
    if t.effects[e].verb == Verb.GAIN:
        return True
    amount = amount_of_unit(t, state, e)
    own, other = has(state, seat, money), has(state, seat, PRESTIGE - money)
    if own >= amount:
        return True
    return own > 0 and other < amount


@kernel
def count_unit_choices(t: Table, state: State, e: int, seat: int) -> int:
    """Return the number of ways to gain, lose or pay one unit."""
    wealth = may_move_unit(t, state, e, seat, WEALTH)
    prestige = may_move_unit(t, state, e, seat, PRESTIGE)
    return int(wealth) + int(prestige)


@kernel
def mark_unit(t: Table, state: State, e: int, seat: int, mask: Mask) -> None:
    """Mark the currencies in which a unit may be gained, lost or paid."""
    mask[GAIN + WEALTH] = may_move_unit(t, state, e, seat, WEALTH)
    mask[GAIN + PRESTIGE] = may_move_unit(t, state, e, seat, PRESTIGE)


@kernel
def push_unit(state: State, seat: int, e: int, left: int, self_seat: int) -> None:
    """Queue the decision about the currency of the next of ``left`` units."""
    entry = push(state, Step.UNIT, seat)
    entry.effect = e
    entry.left = left
    entry.self_seat = self_seat


@kernel
def do_move_unit(t: Table, state: State, seat: int, money: int) -> None:
    """Gain, lose or pay one unit, then decide about the next one."""
    entry = top(state)
    e, left, receiver = int(entry.effect), int(entry.left), int(entry.self_seat)
    amount = amount_of_unit(t, state, e)
    pop(state)
    if t.effects[e].verb == Verb.GAIN:
        add(state, seat, money, amount)
    else:
        taken = take_up_to(state, seat, money, amount)
        if t.effects[e].verb == Verb.PAY:
            add(state, receiver, money, taken)
    if left > 1 and count_unit_choices(t, state, e, seat):
        push_unit(state, seat, e, left - 1, receiver)


# ------------------------------------------------------------- gains and losses of controllers


@kernel
def reward_building(t: Table, state: State, e: int, lot: int, sign: int) -> None:
    """Let the controller of a building gain or lose."""
    effect = t.effects[e]
    owner = int(state.owner[lot])
    amount = int(effect.amount)
    if effect.times_value:
        amount *= int(state.value[lot // CORNERS])
    if owner == NOBODY:
        return
    if sign > 0:
        add(state, owner, int(effect.what), amount)
    else:
        take_up_to(state, owner, int(effect.what), amount)


@kernel
def is_headline(t: Table, state: State, e: int, lot: int, value: int) -> bool:
    """Does the building pass the filter and have a controller (rulings U18, U37)?"""
    return bool(state.owner[lot] != NOBODY and passes(t, state, e, lot, NOBODY, value))


@kernel
def count_headlines(t: Table, state: State, e: int, value: int) -> int:
    """Return the number of controlled buildings that pass."""
    count = 0
    lot, rest = next_building(state, NO_LOT, 0)
    while lot != NO_LOT:
        count += is_headline(t, state, e, lot, value)
        lot, rest = next_building(state, lot, rest)
    return count


@kernel
def reward_controllers(t: Table, state: State, e: int) -> None:
    """Let each controller gain or lose; one of several extreme buildings is picked."""
    effect = t.effects[e]
    value = extreme_value(t, state, e, NOBODY)
    if effect.extreme != Extreme.NONE and count_headlines(t, state, e, value) > 1:
        push(state, Step.HEADLINE, int(state.active)).effect = e
        return
    sign = 1 if effect.verb == Verb.GAIN else -1
    lot, rest = next_building(state, NO_LOT, 0)
    while lot != NO_LOT:
        if passes(t, state, e, lot, NOBODY, value):
            reward_building(t, state, e, lot, sign)
        lot, rest = next_building(state, lot, rest)


@kernel
def mark_extremes(t: Table, state: State, e: int, mask: Mask) -> None:
    """Mark the extreme buildings to pick from (ruling U37)."""
    value = extreme_value(t, state, e, NOBODY)
    lot, rest = next_building(state, NO_LOT, 0)
    while lot != NO_LOT:
        mask[SITE + lot] = is_headline(t, state, e, lot, value)
        lot, rest = next_building(state, lot, rest)
