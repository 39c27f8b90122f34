"""All orders of the cards of *Urban Sprawl* that agree with what a seat has seen, one by one.

Written from the rules (US 6.1 with S0's variants of the length, 6.8, U13, U28) without the code
that re-deals.  All seats see the same: only the order of the face-down cards is hidden, and which
cards those are is known, for all others lie open or have been seen to leave the game.

- A contract deck is three stacks.  Its special event lies anywhere in what is left of the middle
  one; all other cards lie anywhere.
- The planning deck has no events among the cards left of its upper stack, and all unseen events
  below.  Once rebuilt it is one stack.

Cards are words.  A deck may have too many orders to list, so several cards may share a word; the
sequences of words are then equally likely as well.  A deal may go on past the end of the planning
deck: then the cards of the rebuilt deck follow.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import permutations, product

HIDDEN = ("planning_deck", "deck")
DECKS = ("town", "city", "metropolis")
# Cards below and in the middle stack of a contract deck with its special event (US 6.1).
STACKS = {"standard": (15, 7), "long": (9, 10), "short": (18, 10)}


@dataclass(frozen=True)
class Deck:
    """What is unseen in a contract deck."""

    cards: tuple = ()  # words, the special event not among them
    special: str | None = None  # the special event, if it is unseen


@dataclass(frozen=True)
class Planning:
    """What is unseen in the planning deck."""

    permits: tuple = ()  # words of permits and Urban Renewal
    events: tuple = ()
    upper: int = 0  # cards left of the upper stack
    rebuilt_of: tuple = ()  # words, all different, of the discards that follow at the run-out
    rebuilt_shown: int | None = None  # how many of those one looks at; None: all


@dataclass(frozen=True)
class Seen:
    """What every seat knows of a position."""

    planning: Planning = Planning()
    town: Deck = Deck()
    city: Deck = Deck()
    metropolis: Deck = Deck()
    length: str = "standard"


def all_deals(seen):
    """Yield every deal that agrees with what was seen, once: the planning deck, then the others.

    The next card of a deck is the first.
    """
    contracts = [contract_orders(getattr(seen, name), seen.length) for name in DECKS]
    yield from product(planning_orders(seen.planning), *contracts)


def arrangements(words):
    """Yield all sequences of the words, once each."""
    left = Counter(words)
    sequence = []

    def extended(count):
        if not count:
            yield tuple(sequence)
            return
        for word in sorted(left):
            if left[word]:
                left[word] -= 1
                sequence.append(word)
                yield from extended(count - 1)
                sequence.pop()
                left[word] += 1

    yield from extended(len(words))


def contract_orders(deck, length):
    """Return the orders of a contract deck."""
    if deck.special is None:
        return list(arrangements(deck.cards))
    below, middle = STACKS[length]
    size = len(deck.cards) + 1
    places = [size - 1 - k for k in range(below, min(below + middle, size))]
    return [
        (*order[:place], deck.special, *order[place:])
        for order in arrangements(deck.cards)
        for place in places
    ]


def planning_orders(planning):
    """Return the orders of the planning deck, with what follows when it has run out."""
    upper, events = planning.upper, set(planning.events)
    orders = [
        order
        for order in arrangements((*planning.permits, *planning.events))
        if events.isdisjoint(order[:upper])
    ]
    count = planning.rebuilt_shown
    count = len(planning.rebuilt_of) if count is None else count
    assert len(set(planning.rebuilt_of)) == len(planning.rebuilt_of)
    return [(*order, *new) for order in orders for new in permutations(planning.rebuilt_of, count)]
