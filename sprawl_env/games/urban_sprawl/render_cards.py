"""The texts of the *Urban Sprawl* cards, written from the compiled effects (US §7)."""

from __future__ import annotations

import numpy as np

from sprawl_env.games.urban_sprawl.constants import (
    MOST_VALUE,
    NO_CARD,
    NO_KIND,
    NO_VOCATION,
    NUM_CARDS,
    NUM_ZONES,
    VOCATIONS,
    VOCATIONS_A_CARD,
    ZONES,
)
from sprawl_env.games.urban_sprawl.effect_verbs import ROWS, Verb
from sprawl_env.games.urban_sprawl.tables import MAYORS_PARK, NO_ZONE, Table
from sprawl_env.games.urban_sprawl.vocabulary import Next
from sprawl_env.games.urban_sprawl.wording import Wording


def card_effects(t: Table, card: int) -> str:
    """Return the effects of a contract or an event of its deck, from top to bottom."""
    return "; ".join(effects_of(t, card))


def effects_of(t: Table, card: int) -> list[str]:
    """Return each effect of a contract or an event of its deck."""
    return _effects(t, int(t.card_first[card]), int(t.card_effects[card]))


def event_effects(t: Table, event: int) -> str:
    """Return the effects of a planning event."""
    return "; ".join(_effects(t, int(t.event_first[event]), int(t.event_count[event])))


def _effects(t: Table, first: int, count: int) -> list[str]:
    return [effect_words(t, first + k) for k in range(count)]


def source_of(t: Table, e: int) -> tuple[int, int]:
    """Return the contract card and the planning event that an effect belongs to.

    One of them is ``NO_CARD`` or ``NO_KIND``; both are for the effect of no card.  The effects
    of a card follow each other in the tables, those nested in them included.
    """
    first = np.concatenate((t.card_first, t.event_first))
    count = np.concatenate((t.card_effects, t.event_count))
    begins = np.where((count > 0) & (first <= e), first, MAYORS_PARK)
    owner = int(begins.argmax())
    if begins[owner] <= MAYORS_PARK:
        return NO_CARD, NO_KIND
    return (owner, NO_KIND) if owner < NUM_CARDS else (NO_CARD, owner - NUM_CARDS)


def restrictions(t: Table, card: int) -> str:
    """Return the restrictions of a contract in words, "" if there are none."""
    words = []
    touches = int(t.card_next_to[card])
    names = [*ZONES[:NUM_ZONES], *(bit.name.lower() for bit in Next)]
    near = [names[bit] for bit in range(len(names)) if touches >> bit & 1]
    if near:
        words.append(f"next to {' or '.join(near)}".replace("own", "an own building"))
    if t.card_empty_block[card]:
        words.append("in an empty block")
    if t.card_at_least[card]:
        words.append(f"value at least {int(t.card_at_least[card])}")
    if t.card_at_most[card] < MOST_VALUE and not is_event(t, card):
        words.append(f"value at most {int(t.card_at_most[card])}")
    if t.card_highest[card]:
        words.append("in the highest-valued block where it fits, affordable or not")
    if t.card_any_zone[card]:
        words.append("ignores zoning")
    return ", ".join(words)


def vocations_of(t: Table, card: int) -> str:
    """Return the vocations of a contract, e.g. ``FINANCE-4``."""
    return " ".join(
        f"{VOCATIONS[t.card_vocation[card, k]]}-{int(t.card_number[card, k])}"
        for k in range(VOCATIONS_A_CARD)
        if t.card_vocation[card, k] != NO_VOCATION
    )


def is_event(t: Table, card: int) -> bool:
    """Return whether a card of a contract deck is an event."""
    return bool(t.card_zone[card] == NO_ZONE)


def effect_words(t: Table, e: int) -> str:
    """Return an effect in words, with the effects nested in it."""
    row = ROWS[Verb(int(t.effects[e].verb))]
    return row.wording(Wording(t, e, effect_words))
