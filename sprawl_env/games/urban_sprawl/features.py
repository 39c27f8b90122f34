"""The card features of contracts, computed once with the tables (:class:`layout.CardFeatures`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sprawl_env.games.urban_sprawl.constants import (
    NO_VOCATION,
    NUM_COLOURS,
    PRESTIGE,
    VOCATIONS_A_CARD,
    WEALTH,
)
from sprawl_env.games.urban_sprawl.effect_verbs import GROUP_OF, Verb
from sprawl_env.games.urban_sprawl.layout import CARD_LAYOUT, TOUCHES
from sprawl_env.games.urban_sprawl.vocabulary import Per, Who

if TYPE_CHECKING:
    from sprawl_env.games.urban_sprawl.tables import Effect, Table

LIMITS: Final = np.round(1 / CARD_LAYOUT.scales).astype(np.int64)  # of each feature


def write_features(t: Table, card: int) -> None:
    """Write the features of a card into the tables; an event has none."""
    if t.card_zone[card] < 0:
        return
    numbers = np.zeros(CARD_LAYOUT.size, np.int64)
    out = {name: CARD_LAYOUT.view(numbers, name) for name in CARD_LAYOUT.blocks}
    out["zone"][t.card_zone[card]] = 1
    out["size"][0] = t.card_size[card]
    out["prestige"][0] = t.card_prestige[card]
    for k in range(VOCATIONS_A_CARD):
        if t.card_vocation[card, k] != NO_VOCATION:
            out["vocations"][t.card_vocation[card, k]] = t.card_number[card, k]
    for bit in range(len(TOUCHES)):
        out["next_to"][bit] = int(t.card_next_to[card]) >> bit & 1
    out["limits"][:] = t.card_empty_block[card], t.card_highest[card], t.card_any_zone[card]
    out["value"][:] = t.card_at_least[card], t.card_at_most[card]
    first = int(t.card_first[card])
    for e in range(first, first + int(t.card_effects[card])):
        _add_effect(t.effects[e], out)
    t.card_features[card] = np.clip(numbers, -LIMITS, LIMITS)


def _add_effect(effect: Effect, out: dict[str, Any]) -> None:
    verb, amount = Verb(int(effect.verb)), int(effect.amount)
    if verb in GROUP_OF:
        out["does"][GROUP_OF[verb]] += max(amount, 1)
    moneys = [money for money in (WEALTH, PRESTIGE) if effect.what not in {PRESTIGE - money}]
    sign = -1 if verb == Verb.LOSE else 1
    colours = [c for c in range(NUM_COLOURS) if int(effect.colours) >> c & 1]
    if verb == Verb.PAY:
        out["paid"][colours] += amount
    elif verb in {Verb.GAIN, Verb.LOSE} and effect.per == Per.BUILDING:
        everyone = effect.who in {Who.CONTROLLER, Who.EACH}
        block = out["per_all" if everyone else "per_own"]
        for money in moneys:
            block[[money * NUM_COLOURS + colour for colour in colours]] += sign * amount
    elif verb in {Verb.GAIN, Verb.LOSE} and effect.who in {Who.SELF, Who.BUILDER}:
        out["once"][moneys] += sign * amount
