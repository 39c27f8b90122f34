"""All orders of the cards of *Tower Up* that agree with what a seat has seen, listed one by one.

Written from the rules (TU §3, §4, T2, T9, T10) without the code that re-deals.  Only the order of
the deck is hidden; its cards are those that lie neither in the market nor among the discards, and
what was shuffled back in the setup may lie anywhere.  Cards are numbers: all 44 are told apart.

A whole deck has too many orders.  So a deal is the cards that come up when the first space of the
market is refilled some times, then the cards at some places of the deck; all deals are equally
likely.
"""

from dataclasses import dataclass
from itertools import permutations

import numpy as np

from sprawl_env.core.state import plain

HIDDEN = ("deck",)


@dataclass(frozen=True)
class Seen:
    """What every seat knows of a position, and how far the hidden part is looked at."""

    deck: frozenset  # the cards that must lie in the deck
    discards: frozenset = frozenset()
    first: int | None = None  # card at the first space of the market; None: it is to be refilled
    refills: int = 0  # of the first space, before the deck is looked at
    places: tuple | None = None  # of the deck, the next card first; None: all


def all_deals(seen):
    """Yield every deal that agrees with what was seen, once."""
    for deck in orders(seen.deck, seen.refills, seen.places):
        yield from refilled(seen, deck, seen.discards, seen.first, ())


def orders(cards, refills, places):
    """Yield the orders of a newly shuffled deck; None stands for a card nobody looks at."""
    drawn = min(refills, len(cards))
    places = range(len(cards)) if places is None else places
    looked_at = sorted({*range(drawn), *(drawn + k for k in places if drawn + k < len(cards))})
    for order in permutations(sorted(cards), len(looked_at)):
        deck = [None] * len(cards)
        for place, card in zip(looked_at, order, strict=True):
            deck[place] = card
        yield tuple(deck)


def refilled(seen, deck, discards, first, shown):
    """Yield ``(cards shown, cards at the places)`` once all refills are done (TU §4, T2)."""
    left = seen.refills - len(shown)
    if not left:
        places = range(len(deck)) if seen.places is None else seen.places
        yield shown, tuple(deck[k] for k in places if k < len(deck))
        return
    if first is not None:
        discards = discards | {first}
    if deck:
        yield from refilled(seen, deck[1:], discards, deck[0], (*shown, deck[0]))
        return
    for formed in orders(discards, left, seen.places):
        yield from refilled(seen, formed[1:], frozenset(), formed[0], (*shown, formed[0]))


def deal_of(game, games, seen):
    """Return the deal of game 0, in the form of :func:`all_deals`; plays on for the refills.

    The first legal action takes the card at the first space, or answers what that asks.
    """
    shown, records = [], plain(games)
    mask = np.zeros(game.num_actions, np.int8)
    sizes, market = records["deck_size"], records["market"]
    while len(shown) < seen.refills:
        size = int(sizes[0])
        game.kernels.legal_actions(game.tables, records, 0, mask)
        game.kernels.play(game.tables, records, 0, int(mask.argmax()))
        if sizes[0] != size:  # a card has left the deck, or a new one was formed
            shown.append(int(market[0, 0]))
    deck = records["deck"][0, : sizes[0]].tolist()[::-1]
    places = range(len(deck)) if seen.places is None else seen.places
    return tuple(shown), tuple(deck[k] for k in places if k < len(deck))
