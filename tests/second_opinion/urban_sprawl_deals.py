"""All orders of the cards of *Urban Sprawl* that agree with what a seat has seen, one by one.

Written from the rules (US 6.1 with S0's variants of the length, 6.8, U13, U28) without the code
that re-deals.  All seats see the same: only the order of the face-down cards is hidden, and which
cards those are is known, for all others lie open or have been seen to leave the game.

- A contract deck is three stacks.  Its special event lies anywhere in what is left of the middle
  one; all other cards lie anywhere.
- The planning deck has no events among the cards left of its upper stack, and all unseen events
  below.  Once rebuilt it is one stack.

Cards are words.  A deck may have too many orders to list, so several cards may share a word.  A
deal may go on past the end of the planning deck: then the cards of the rebuilt deck follow.
"""

import math
from collections import Counter
from dataclasses import dataclass
from itertools import product

import numpy as np

from sprawl_env.core.state import plain
from sprawl_env.games.urban_sprawl.constants import (
    FIRST_EVENT,
    NO_KIND,
    NUM_CARDS,
    NUM_PLANNING,
    PLANNING_TOP,
)
from sprawl_env.games.urban_sprawl.names import card_name, kind_name

HIDDEN = ("planning_deck", "deck")
DECKS = ("town", "city", "metropolis")
# Cards below and in the middle stack of a contract deck with its special event (US 6.1).
STACKS = {"standard": (15, 7), "long": (9, 10), "short": (18, 10)}
OTHER, EVENT = "other", "event"  # words of cards that are not told apart


@dataclass(frozen=True)
class Deck:
    """What is unseen in a contract deck."""

    cards: tuple = ()  # words, the special event not among them
    special: str | None = None  # the special event, if it is unseen


@dataclass(frozen=True)
class Planning:
    """What is unseen in the planning deck."""

    permits: tuple = ()  # words of permits and Urban Renewal
    events: tuple = ()  # words; those of permits and events differ but for OTHER
    upper: int = 0  # cards left of the upper stack
    rebuilt_of: tuple = ()  # words of the discards that follow when the deck has run out


@dataclass(frozen=True)
class Seen:
    """What every seat knows of a position."""

    planning: Planning = Planning()
    town: Deck = Deck()
    city: Deck = Deck()
    metropolis: Deck = Deck()
    length: str = "standard"


def all_deals(seen):
    """Return the weight of every deal that agrees with what was seen.

    A deal is the planning deck, then the others; the next card of a deck is the first.  Its weight
    is proportional to the number of orders that give this sequence of words.
    """
    contracts = [contract_orders(getattr(seen, name), seen.length) for name in DECKS]
    return {
        (planning, *decks): weight
        for planning, weight in planning_orders(seen.planning).items()
        for decks in product(*contracts)
    }


def arrangements(words):
    """Yield all sequences of the words, once each; each stands for as many orders of the cards."""
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
    """Return the sequences of a contract deck; all have the same weight."""
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
    """Return the weight of each sequence of the planning deck and what follows its end.

    Events that are not told apart may be any of the other cards below the upper stack.
    """
    upper = planning.upper
    told = set(planning.events) - {OTHER}
    untold = planning.events.count(OTHER)
    weights = {}
    for order in arrangements((*planning.permits, *planning.events)):
        weight = math.comb(order[upper:].count(OTHER), untold)
        if weight and told.isdisjoint(order[:upper]):
            weights[order] = weight
    return {
        (*order, *new): weight
        for order, weight in weights.items()
        for new in arrangements(planning.rebuilt_of)
    }


# ---------------------------------------------------------------- the deal of a position


class Look:
    """Reads the deal of a position, in the form of :func:`all_deals`.

    Args:
        game: the game.
        told: names of the cards that are told apart; with ``EVENT`` planning events have a word
            of their own.
        spaces: of the planning row, empty.  If given, perhaps none, the turn is ended.  The cards
            that fill them come first, then the events that were drawn for the top, which must be
            told as ``EVENT``, then the top.
    """

    def __init__(self, game, told, spaces=None):
        self.game, self.spaces = game, spaces
        untold = {False: OTHER, True: EVENT if EVENT in told else OTHER}
        cards = [card_name(game.tables, card) for card in range(NUM_CARDS)]
        kinds = [kind_name(game.tables, kind) for kind in range(NUM_PLANNING)]
        self.card_words = [name if name in told else OTHER for name in cards]
        self.kind_words = [
            name if name in told else untold[kind >= FIRST_EVENT] for kind, name in enumerate(kinds)
        ]

    def __call__(self, games):
        """Return the deal of game 0."""
        drawn = () if self.spaces is None else self.drawn(games)
        state = games.view(np.ndarray)
        size = int(state["planning_size"][0])
        kinds = state["planning_deck"][0, :size].tolist()[::-1]
        sizes = state["deck_size"][0].tolist()
        contracts = [
            tuple(self.card_words[card] for card in cards[:size][::-1])
            for cards, size in zip(state["deck"][0].tolist(), sizes, strict=True)
        ]
        return ((*drawn, *(self.kind_words[kind] for kind in kinds)), *contracts)

    def drawn(self, games):
        """End the turn and return the words of the planning cards drawn."""
        end_turn(self.game, games)
        kinds = games.planning[0, [*self.spaces, PLANNING_TOP]].tolist()
        assert NO_KIND not in kinds
        words = [self.kind_words[kind] for kind in kinds]
        events = int(games.planning_discards[0, FIRST_EVENT:].sum())
        return (*words[:-1], *[EVENT] * events, words[-1])


def end_turn(game, games):
    """End the turn: the first legal action declines."""
    records, mask = plain(games), np.zeros(game.num_actions, np.int8)
    turn = int(games.turn[0])
    while records["turn"][0] == turn:
        game.kernels.legal_actions(game.tables, records, 0, mask)
        game.kernels.play(game.tables, records, 0, int(mask.argmax()))
