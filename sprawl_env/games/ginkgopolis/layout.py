"""What an observation of *Ginkgopolis* contains: its blocks, declared once.

Seats are numbered from the observer: 0 is itself, 1 the next seat clockwise, and so on; solo, 1 is
Hal.  A number above the largest that its block shows is shown as that largest number.
"""

from __future__ import annotations

from typing import Final

from sprawl_env.core.layout import Observation, ObservationLayout, block, entity, layout_of
from sprawl_env.core.state import Tables
from sprawl_env.games.ginkgopolis.constants import (
    ACTS,
    COLOURS,
    HAND_SIZE,
    LETTERS,
    MOST_ROUNDS,
    NUM_CARDS,
    NUM_KINDS,
    NUM_LETTERS,
    NUM_TILES,
    START_TILES,
    Gain,
)
from sprawl_env.games.ginkgopolis.wording import character_name, tile_name

WINDOW: Final = 11  # cells a side of the window, centred on the city
DECISIONS: Final = ("draft", "card", "tile", "return", "gain", "marker")
GAINS: Final = tuple(gain.name.lower() for gain in Gain)
CENTRE: Final = ("east", "south")  # from the window's centre
CLASSES: Final = ("this deck", "the deck before", "earlier")  # of cards in hands

# The largest numbers that blocks show.
SHOWN_STEPS: Final = 16  # columns or rows from the window's centre
SHOWN_LEVELS: Final = 8
SHOWN_RESOURCES: Final = 25
SHOWN_TILES: Final = 20
SHOWN_POINTS: Final = 100
SHOWN_TOKENS: Final = 2
SHOWN_BONUS: Final = 6
SHOWN_CARDS: Final = 15
SHOWN_ROUNDS: Final = 100
SHOWN_AGE: Final = 2  # classes of cards in hands: the current deck's, the next older, older
SEEN_BY_ALL: Final = 2  # of the own tiles: shown and taken back
HUNDRED: Final = 100

_CENTRE: Final = "from the window's centre, east and south"
_BY_SEAT: Final = "by seat from the observer (solo: 1 is Hal)"
_BEHIND: Final = f"behind the screen, {_BY_SEAT}; the others' with open_screens only"
_OF_OTHERS: Final = "by seat from the one after the observer (solo: Hal)"
_CLASS: Final = "class if it must be in a hand: 1 last shuffled before this deck, 2 earlier"
_PASSED_ON: Final = "1 for a card that was passed on and must be in a hand"


class Seen(Observation):
    """The blocks of an observation."""

    letter = entity(NUM_LETTERS)
    letter_in_hand = block(letter, "1 if in the observer's hand")
    letter_chosen = block(letter, "1 for the card the observer has chosen")
    letter_discarded = block(letter, "1 if discarded")
    letter_moving = block(letter, "1 while its marker is to be placed")
    letter_place = block((letter, CENTRE), f"the marker's cell {_CENTRE}", scale=1 / SHOWN_STEPS)
    letter_yield = block(
        (letter, COLOURS), "levels adjacent to the marker, by colour", scale=1 / SHOWN_LEVELS
    )
    letter_known = block((letter, "others"), f"{_PASSED_ON}, {_OF_OTHERS}")
    letter_age = block(letter, _CLASS, scale=1 / SHOWN_AGE)

    tile = entity(NUM_TILES)
    tile_own = block(
        tile,
        "behind the observer's screen: 1 if the others have not seen it, 2 if it was taken back",
        scale=1 / SEEN_BY_ALL,
    )
    tile_with = block(tile, "1 for the tile the observer has put on its card")
    card_in_hand = block(tile, "1 if its building card is in the observer's hand")
    card_chosen = block(tile, "1 for the card the observer has chosen")
    card_discarded = block(tile, "1 if its card is discarded")
    levels = block(tile, "levels of the building it tops", scale=1 / SHOWN_LEVELS)
    worker = block(tile, "1 if it has a worker: its card waits for the next deck")
    covered = block(tile, "1 if below another tile")
    tile_place = block(
        (tile, CENTRE), f"cell of the building it tops, {_CENTRE}", scale=1 / SHOWN_STEPS
    )
    tile_returned = block(tile, "1 if returned at the first run-out")
    tile_known = block(
        (tile, "others"), f"1 if shown, taken back and still behind the screen, {_OF_OTHERS}"
    )
    card_age = block(tile, _CLASS, scale=1 / SHOWN_AGE)
    card_known = block((tile, "others"), f"{_PASSED_ON}, {_OF_OTHERS}")
    card_kept = block((tile, "sides"), f"1 for a card in front of a seat, {_BY_SEAT}")
    owner = block((tile, "sides"), f"1 for the owner of the building it tops, {_BY_SEAT}")

    kind = entity(NUM_KINDS)
    kind_in_pack = block(kind, "characters in the pack to pick from", scale=1 / HAND_SIZE)
    kind_chosen = block(kind, "1 for the pick the observer has made")
    kind_kept = block(
        (kind, "sides"),
        f"characters in front of a seat, {_BY_SEAT}; the others' once the draft is over",
        scale=1 / HAND_SIZE,
    )

    city_levels = block(
        (COLOURS, WINDOW, WINDOW),
        "window centred on the city: levels of red, blue and yellow buildings",
        scale=1 / SHOWN_LEVELS,
    )
    city_owner = block((WINDOW, WINDOW), "window: owner (+1 observer, -1 another side)")
    city_marker = block((WINDOW, WINDOW), "window: 1 for a marker")
    outside = block(1, "buildings outside the window", scale=1 / NUM_TILES)
    decision = block((DECISIONS,), f"{', '.join(DECISIONS)}: one is 1")
    to_play = block(
        "sides",
        f"1 for the seat that owes a decision, {_BY_SEAT}; in a pass only the observer is shown",
    )
    first = block("sides", f"1 for the first player, {_BY_SEAT}")
    card_down = block("sides", f"1 while a chosen card lies face down before a side, {_BY_SEAT}")
    tile_down = block("sides", f"1 if a tile lies on it, once all have chosen, {_BY_SEAT}")
    tiles_to_gain = block(
        "sides", f"tiles still to gain after the return, {_BY_SEAT}", scale=1 / SHOWN_TILES
    )
    hand_ages = block(
        ("sides", CLASSES),
        f"cards in the hand of this deck, of the class before and of earlier ones, {_BY_SEAT}",
        scale=1 / HAND_SIZE,
    )
    screen_resources = block("sides", f"resources {_BEHIND}", scale=1 / SHOWN_RESOURCES)
    screen_tiles = block("sides", f"tiles {_BEHIND}", scale=1 / SHOWN_TILES)
    screen_returned = block(
        "sides", f"tiles returned at the first run-out {_BEHIND}", scale=1 / SHOWN_TILES
    )
    screen_points = block(
        "sides", f"points, up to {SHOWN_POINTS}, {_BEHIND}", scale=1 / SHOWN_POINTS
    )
    screen_points_above = block(
        "sides", f"points above {SHOWN_POINTS} {_BEHIND}", scale=1 / SHOWN_POINTS
    )
    stock = block(
        "sides", f"the side's resources in the supply, {_BY_SEAT}", scale=1 / SHOWN_RESOURCES
    )
    built = block("sides", f"resources on buildings, {_BY_SEAT}", scale=1 / SHOWN_RESOURCES)
    tokens = block("sides", f"New Hand tokens, {_BY_SEAT}", scale=1 / SHOWN_TOKENS)
    bonus = block(("sides", ACTS, GAINS), f"permanent bonuses, {_BY_SEAT}", scale=1 / SHOWN_BONUS)
    with_act = block(
        ("sides", ACTS), f"cards with a bonus on the act, {_BY_SEAT}", scale=1 / SHOWN_CARDS
    )
    with_colour = block(
        ("sides", COLOURS), f"cards of the colour, {_BY_SEAT}", scale=1 / SHOWN_CARDS
    )
    supply = block(1, "tiles in the supply", scale=1 / (NUM_TILES - START_TILES))
    run_outs = block((("first", "second"),), "1 after the first, after the second run-out")
    ending = block(1, "1 once the end is triggered")
    deck = block(1, "cards in the deck", scale=1 / NUM_CARDS)
    rounds = block(1, f"rounds begun, up to {SHOWN_ROUNDS}", scale=1 / SHOWN_ROUNDS)
    rounds_left = block(1, f"rounds left, up to {SHOWN_ROUNDS}", scale=1 / SHOWN_ROUNDS)
    hundreds = block(
        (("begun", "left"),), "full hundreds of rounds begun, and left", scale=HUNDRED / MOST_ROUNDS
    )


def seen_sides(num_seats: int) -> int:
    """Return the number of sides in an observation: the seats; solo the seat and Hal."""
    return max(num_seats, 2)


def layout(tables: Tables, num_seats: int) -> ObservationLayout:
    """Return the layout for a number of seats."""
    sides = seen_sides(num_seats)
    things = {
        "letter": LETTERS,
        "tile": tuple(tile_name(tile) for tile in range(NUM_TILES)),
        "kind": tuple(character_name(kind) for kind in range(NUM_KINDS)),
    }
    return layout_of(Seen, things, sides=sides, others=sides - 1)
