"""All deals of *Ginkgopolis* that agree with what a seat has seen, listed one by one.

Written from the rules (GK §3; G1, G2, G5, G12, G16, G22, G23, G25) without the code that re-deals.
What a seat has seen is written down by hand for a position: see :class:`Seen`.  A deal says where
every unseen card and tile is and what the others have chosen in secret.
"""

from dataclasses import dataclass, field
from itertools import combinations, permutations, product

from sprawl_env.games.ginkgopolis.constants import NO_CARD, NO_TILE
from sprawl_env.games.ginkgopolis.names import tiles_in
from sprawl_env.games.ginkgopolis.wording import card_name, tile_name

DECK, HAL, SUPPLY, REMOVED = "deck", "hal", "supply", "removed"
IN_ORDER = (DECK, SUPPLY)  # the order matters in these places, the next one last
NEW_HAND = "new hand"


@dataclass(frozen=True)
class Class:
    """Unseen cards or tiles of which each may be in each of the places."""

    names: tuple
    places: dict  # seat or DECK, HAL, SUPPLY, REMOVED -> how many


@dataclass(frozen=True)
class Seen:
    """What a seat knows of a position."""

    cards: tuple  # of Class
    tiles: tuple  # of Class
    hands: dict = field(default_factory=dict)  # other seat -> cards known to be in its hand
    screens: dict = field(default_factory=dict)  # other seat -> tiles known to be behind it
    card_down: tuple = ()  # other seats with a chosen card
    card_or_new_hand: tuple = ()  # other seats that have answered in the pass of the cards
    tile_down: tuple = ()  # of those with a card, who has a tile on it
    perhaps_tile: tuple = ()  # ... and who may have one
    returned: dict = field(
        default_factory=dict
    )  # other seat -> how many tiles it may have put aside


def splits(names, places):
    """Yield ``{place: what is there}`` for all ways to lay the names into the places."""
    if not places:
        assert not names, names
        yield {}
        return
    (place, count), *rest = places.items()
    for taken in combinations(names, count):
        left = tuple(name for name in names if name not in taken)
        orders = list(permutations(taken)) if place in IN_ORDER else [taken]
        for others in splits(left, dict(rest)):
            for order in orders:
                yield {place: order, **others}


def ways_to_lay(classes, known):
    """Yield ``{place: what is there}`` for all classes together."""
    for parts in product(*(list(splits(c.names, c.places)) for c in classes)):
        laid = {place: tuple(names) for place, names in known.items()}
        for part in parts:
            for place, names in part.items():
                laid[place] = laid.get(place, ()) + names
        yield laid


def answers_of(seen, seat, hand, tiles):
    """Return ``(card, tile, tiles put aside)`` for every hidden answer a seat may have given."""
    cards = [None]
    if seat in seen.card_down:
        cards = list(hand)
    elif seat in seen.card_or_new_hand:
        cards = [*hand, NEW_HAND]
    answers = []
    for card in cards:
        on_card = [None]
        if seat in seen.tile_down:
            on_card = list(tiles)
        elif seat in seen.perhaps_tile:
            on_card = [None, *tiles]
        for tile in on_card:
            rest = [name for name in tiles if name != tile]
            for count in seen.returned.get(seat, (0,)):
                for aside in combinations(rest, count):
                    answers.append((card, tile, frozenset(aside)))
    return answers


def all_deals(seen, others):
    """Yield every deal that agrees with what was seen, once."""
    every_tiles = list(ways_to_lay(seen.tiles, seen.screens))
    for cards in ways_to_lay(seen.cards, seen.hands):
        for tiles in every_tiles:
            answers = [
                answers_of(seen, seat, cards.get(seat, ()), tiles.get(seat, ())) for seat in others
            ]
            for chosen in product(*answers):
                yield (
                    cards.get(DECK, ()),
                    cards.get(HAL, ()),
                    tiles.get(SUPPLY, ()),
                    *(
                        (frozenset(cards.get(seat, ())), frozenset(tiles.get(seat, ())), answer)
                        for seat, answer in zip(others, chosen, strict=True)
                    ),
                )


def deal_of(state, others):
    """Return the deal of a position, in the form of :func:`all_deals`."""
    deck = tuple(card_name(card) for card in state.deck[: state.deck_size].tolist())
    hal = () if state.hal_card == NO_CARD else (card_name(int(state.hal_card)),)
    supply = tuple(tile_name(tile) for tile in state.supply[: state.supply_size].tolist())
    return (deck, hal, supply, *(part_of(state, seat) for seat in others))


def part_of(state, seat):
    """Return the hand, the tiles and the hidden answer of a seat."""
    hand = frozenset(card_name(card) for card in state.hand[seat].tolist() if card != NO_CARD)
    card, tile = int(state.chosen[seat]), int(state.chosen_tile[seat])
    aside = frozenset(tile_name(name) for name in tiles_in(state.returning[seat]))
    behind = frozenset(tile_name(name) for name in tiles_in(state.tiles[seat])) | aside
    chosen = None if card == NO_CARD else card_name(card)
    if int(state.again) >> seat & 1 and not aside:
        chosen = NEW_HAND
    return hand, behind, (chosen, None if tile == NO_TILE else tile_name(tile), aside)


HIDDEN = (
    *("deck", "hal_card", "supply", "hand", "tiles"),
    *("returning", "chosen", "chosen_tile", "again"),
    *("owes", "asked", "known_by"),  # they follow from the hidden
)
