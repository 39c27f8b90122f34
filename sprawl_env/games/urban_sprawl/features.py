"""The text of a contract as numbers for observations, computed once with the tables.

==========  =====  =========================================================================
block       count  meaning
==========  =====  =========================================================================
ZONE        4      its zone
SIZE        1      its size / 4
PRESTIGE    1      its prestige icon / 6
VOCATIONS   8      the number scored, by vocation / 8
NEXT_TO     8      what it must touch: a zone, a park, water, forest, an own building
LIMITS      5      empty block, least value / 25, most value / 25, highest block, any zone
DOES        10     sum of amounts / 8 (1 / 8 for an effect without amount), by group of verbs:
                   lose or steal; pay lines; add or move markers; place or move buildings;
                   harm or take buildings; elect or give offices; gain or cost planning cards;
                   action points or lasting; gain or score vocations; optional, chosen or
                   auctioned effects
ONCE        2      wealth, prestige gained once / 8
PER_OWN     10     wealth, then prestige, that the builder gains for each CIV, COM, IND, RES,
                   park / 4
PER_ALL     10     the same for effects by which every controller gains
PAID        5      paid to the builder for each CIV, COM, IND, RES, park / 4
==========  =====  =========================================================================
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sprawl_env.games.urban_sprawl.constants import (
    MAX_SIZE,
    NO_VOCATION,
    NUM_COLOURS,
    NUM_VOCATIONS,
    NUM_ZONES,
    PRESTIGE,
    VOCATIONS_A_CARD,
    WEALTH,
)
from sprawl_env.games.urban_sprawl.effect_verbs import GROUP_OF, Verb
from sprawl_env.games.urban_sprawl.vocabulary import (
    Group,
    Next,
    Per,
    Who,
)

if TYPE_CHECKING:
    from sprawl_env.games.urban_sprawl.tables import Table

NUM_NEXT: Final = int(max(Next)) + 1
NUM_LIMITS: Final = 5


class Feature(IntEnum):
    """Index of the first number of each block."""

    ZONE = 0
    SIZE = NUM_ZONES
    PRESTIGE = SIZE + 1
    VOCATIONS = PRESTIGE + 1
    NEXT_TO = VOCATIONS + NUM_VOCATIONS
    LIMITS = NEXT_TO + NUM_NEXT
    DOES = LIMITS + NUM_LIMITS
    ONCE = DOES + len(Group)
    PER_OWN = ONCE + 2
    PER_ALL = PER_OWN + 2 * NUM_COLOURS
    PAID = PER_ALL + 2 * NUM_COLOURS


CARD_FEATURES: Final = int(Feature.PAID) + NUM_COLOURS
FULL_VALUE: Final = 25
FULL_ICON: Final = 6
EIGHT: Final = 8
FOUR: Final = 4


def write_features(t: Table, card: int) -> None:
    """Write the features of a card into the tables; an event has none."""
    out = t.card_features[card]
    if t.card_zone[card] < 0:
        return
    out[Feature.ZONE + t.card_zone[card]] = 1
    out[Feature.SIZE] = t.card_size[card] / MAX_SIZE
    out[Feature.PRESTIGE] = t.card_prestige[card] / FULL_ICON
    for k in range(VOCATIONS_A_CARD):
        if t.card_vocation[card, k] != NO_VOCATION:
            out[Feature.VOCATIONS + t.card_vocation[card, k]] = t.card_number[card, k] / EIGHT
    for bit in range(NUM_NEXT):
        out[Feature.NEXT_TO + bit] = int(t.card_next_to[card]) >> bit & 1
    out[Feature.LIMITS : Feature.LIMITS + NUM_LIMITS] = (
        t.card_empty_block[card],
        t.card_at_least[card] / FULL_VALUE,
        min(t.card_at_most[card] / FULL_VALUE, 1.0),
        t.card_highest[card],
        t.card_any_zone[card],
    )
    first = int(t.card_first[card])
    for e in range(first, first + int(t.card_effects[card])):
        _write_effect(t, e, out)
    np.clip(out, -1, 1, out=out)


def _write_effect(t: Table, e: int, out: Any) -> None:
    effect = t.effects[e]
    verb, amount = Verb(int(effect.verb)), int(effect.amount)
    if verb in GROUP_OF:
        out[Feature.DOES + GROUP_OF[verb]] += max(amount, 1) / EIGHT
    moneys = [money for money in (WEALTH, PRESTIGE) if effect.what not in {PRESTIGE - money}]
    sign = -1 if verb == Verb.LOSE else 1
    colours = [c for c in range(NUM_COLOURS) if int(effect.colours) >> c & 1]
    if verb == Verb.PAY:
        for colour in colours:
            out[Feature.PAID + colour] += amount / FOUR
    elif verb in {Verb.GAIN, Verb.LOSE} and effect.per == Per.BUILDING:
        everyone = effect.who in {Who.CONTROLLER, Who.EACH}
        base = Feature.PER_ALL if everyone else Feature.PER_OWN
        for money in moneys:
            for colour in colours:
                out[base + money * NUM_COLOURS + colour] += sign * amount / FOUR
    elif verb in {Verb.GAIN, Verb.LOSE} and effect.who in {Who.SELF, Who.BUILDER}:
        for money in moneys:
            out[Feature.ONCE + money] += sign * amount / EIGHT
