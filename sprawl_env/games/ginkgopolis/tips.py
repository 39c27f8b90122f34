"""What the signs in the pictures of *Ginkgopolis* mean, for tooltips, and its cards in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sprawl_env.core.words import counted
from sprawl_env.games.ginkgopolis.constants import (
    ACTS,
    COLOURS,
    LETTERS,
    NUM_ACTS,
    NUM_LETTERS,
    NUMBERS,
    Count,
    Gain,
)
from sprawl_env.games.ginkgopolis.names import construction_costs
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.games.ginkgopolis.wording import character_name, tile_name

GAINS: Final = ("resource", "tile", "point")
UNPAID_TIP: Final = (
    "You cannot pay that now. A tile that is not paid for comes back, and the card is played alone."
)
YIELD_TIPS: Final = tuple(
    f"{colour.capitalize()} buildings give {gain}s: one for each level of the building."
    for colour, gain in zip(COLOURS, GAINS, strict=True)
)
RESOURCES_TIP: Final = (
    "Resources behind the screen, to build with. Urbanizing takes 1, constructing takes 1 for each "
    "level of the new building and 1 more for another colour."
)
SUCCESS_TIP: Final = (
    "Points behind the screen. Some of them pay for a tile whose number is lower than the one that "
    "it covers."
)
TILES_TIP: Final = "Tiles behind the screen. Each of them can be added to a card, to build with it."
STOCK_TIP: Final = (
    "Resources of this colour that are still in the general supply. The end is triggered when none "
    "is left there and none behind the screen."
)
CLOSED_TIP: Final = "What lies behind this screen is secret until the game is over."
FIRST_TIP: Final = "The first player acts first in this round. The next round begins one seat on."
WORKER_TIP: Final = (
    "A worker stands on a tile whose card is not in play yet: the card joins the next deck, and "
    "until then nobody can exploit this building or build on it."
)
OWNER_TIP: Final = (
    "The owner has as many resources on the building as it has levels. They come back when "
    "somebody builds over it; if that is another seat, the owner also gets a point for each."
)
MARK_TIP: Final = "A frame or ring in a seat's colour shows what that seat has just done."
DISTRICT_TIP: Final = (
    "At the end, adjacent buildings of one colour are a district. The seat with most resources in "
    "it gets a point for every resource there, the second a point for each of its own; a sole "
    "owner gets both. Ties go to the tallest building, then to its number."
)
CARDS_TIP: Final = (
    "Cards in front of the screen: characters, named by colour and act (R-E: red exploit), and "
    "cards kept by constructing. These give a bonus on an act."
)
AT_END_TIP: Final = "Cards in front of the screen that pay at the end."
CHIPS_TIP: Final = "The discarded cards: letters of markers, and buildings."
DISCARD_TIP: Final = "Played cards lie here, open, until a new deck is made."
FACE_DOWN_TIP: Final = (
    "The card stays hidden until this seat's turn to act. Everybody sees whether a tile lies on it."
)
TAKEN_BACK_TIP: Final = (
    "This seat showed these tiles but could not pay to build, so they went back behind its screen."
)
HAL_TIP: Final = (
    "Hal, the automaton, is dealt a card each round, acts after you, and always builds, with a "
    "tile from the supply. He pays no extra costs and gets no bonuses of cards; when he urbanizes "
    "he gets a point for each level of the adjacent buildings. At the end he scores districts and "
    "cards as you do. With more points than Hal you win, with equal points both do."
)
TAKE_TIPS: Final = (
    "Take one of your resources from the supply; the bonuses on exploit follow.",
    "Take a tile from the supply; the bonuses on exploit follow.",
)
WITHOUT_TILE_TIP: Final = "Play the card without a tile: you exploit."
DONE_TIP: Final = "Keep the other tiles."
PUSH_TIP: Final = (
    "No cell between the neighbouring letters is free. The marker takes the place of the next "
    "letter in this direction, which takes the place of the one beyond, until a cell is free."
)


def gains_in_words(gains: Sequence[int]) -> str:
    """Return gains by ``Gain`` as ``1 resource, 2 points``, or ``nothing``."""
    words = [counted(int(count), gain) for gain, count in zip(GAINS, gains, strict=True) if count]
    return ", ".join(words) or "nothing"


def points_tip(is_open: bool) -> str:
    """Return what the points of a seat are."""
    if not is_open:
        return f"{CLOSED_TIP} So the points now are not shown."
    return (
        "Points if the game ended now: those behind the screen, new hand tokens, cards that pay at "
        "the end, and districts. Most points win."
    )


def tokens_tip(t: Table) -> str:
    """Return what a new hand token is for."""
    return (
        "New hand tokens. Pay one to discard your cards and draw others before you choose. One "
        f"that is left is worth {counted(int(t.token_points), 'point')} at the end."
    )


def hand_tip(drafting: bool, solo: bool) -> str:
    """Return what happens with a hand or pack."""
    if drafting:
        return (
            "Keep one character of the pack; the others go to the next seat, until everybody has "
            "three. All choose at once, in secret."
        )
    rest = "The others are discarded." if solo else "The others go to the next seat."
    return f"Choose one of these cards each round, with or without a tile. {rest}"


def deck_tip(face_up: int) -> str:
    """Return how a deck is made; ``face_up`` of its cards are discarded at once."""
    less = f" The top {counted(face_up, 'card')} of it go to the discards." if face_up else ""
    return (
        "When the last card is drawn, the discards and the cards of all tiles with a worker are "
        f"shuffled into a new deck, and the workers leave.{less}"
    )


def supply_tip(t: Table, solo: bool) -> str:
    """Return what happens when the supply of tiles runs out."""
    if solo:
        return "Tiles are drawn from here. When the last one is taken, the round is the last one."
    return (
        "Tiles are drawn from here. When the last one is taken, everybody may return tiles, for "
        f"{counted(int(t.return_points), 'point')} each, and they are the new supply. When it runs "
        "out again, the round is the last one."
    )


def tile_tip(tile: int) -> str:
    """Return what a tile behind a screen is for."""
    return (
        f"Tile {tile_name(tile)}. Added to a letter's card it is built at that marker, added to a "
        f"building's card on top of that building. {YIELD_TIPS[tile // NUMBERS]}"
    )


def price_of(state: State, seat: int, tile: int) -> tuple[int, int, bool]:
    """Return what adding a tile to the chosen card costs now, and whether the seat can pay.

    Returns:
        resources, points, and True if the seat has both; its own resources on the building that is
        built over come back first (G2, G3).
    """
    card, has = int(state.chosen[seat]), int(state.resources[seat])
    if card < NUM_LETTERS:
        return 1, 0, has >= 1
    covered = card - NUM_LETTERS
    costs = construction_costs(state, covered, tile)
    resources = sum(amount for gain, amount, _ in costs if gain == Gain.RESOURCE)
    points = sum(amount for gain, amount, _ in costs if gain == Gain.POINT)
    site = int(state.site_of[covered])
    back = int(state.levels[site]) if state.owner[site] == seat else 0
    return resources, points, has + back >= resources and int(state.points[seat]) >= points


def price_tip(resources: int, points: int, can_pay: bool) -> str:
    """Return in words what adding a tile costs."""
    price = counted(resources, "resource") + (f" and {counted(points, 'point')}" if points else "")
    return f"Here it costs {price}.{'' if can_pay else f' {UNPAID_TIP}'}"


def returned_tip(t: Table, tile: int) -> str:
    """Return what it means to return a tile."""
    return (
        f"Put {tile_name(tile)} back into the supply for "
        f"{counted(int(t.return_points), 'point')}. Tiles are returned in ascending order."
    )


def _what_counts(t: Table, tile: int) -> str:
    """Return what a building card counts at the end, e.g. ``own red building``."""
    counts = Count(int(t.card_counts[tile]))
    if counts == Count.BUILDINGS_OF_COLOUR:
        colour = COLOURS[t.card_colour[tile]]
        return (
            f"level of own {colour} buildings" if t.colour_per_level else f"own {colour} building"
        )
    if counts == Count.CARDS_OF_ACT:
        return f"{ACTS[t.card_act[tile]]} bonus card"
    if counts == Count.CARDS_OF_COLOUR:
        return f"{COLOURS[tile // NUMBERS]} card"
    how = "up to" if counts == Count.LOW_BUILDINGS else "over"
    return f"own building {how} {counted(int(t.low_levels), 'level')}"


def end_words(t: Table, tile: int) -> str:
    """Return what a building card pays at the end, e.g. ``1 for each own red building``."""
    each = int(t.card_points[tile])
    if t.card_counts[tile] == Count.FLAT:
        return counted(each, "point")
    return f"{each} for each {_what_counts(t, tile)}"


def pays_at_end(t: Table, tile: int) -> bool:
    """Return whether a building card pays at the end, not during the game."""
    return bool(t.card_counts[tile] != Count.NOTHING)


def kept_words(t: Table, tile: int) -> str:
    """Return what a kept building card gives, e.g. ``on urbanize: 1 tile``."""
    if pays_at_end(t, tile):
        return f"at end: {end_words(t, tile)}"
    return f"on {ACTS[t.card_act[tile]]}: {gains_in_words(t.card_gain[tile])}"


def _kept_sentence(t: Table, tile: int) -> str:
    if not pays_at_end(t, tile):
        gains = gains_in_words(t.card_gain[tile])
        return f"each {ACTS[t.card_act[tile]]} of its owner gives {gains}."
    points = counted(int(t.card_points[tile]), "point")
    if t.card_counts[tile] == Count.FLAT:
        return f"at the end it pays {points}."
    cards = t.card_counts[tile] in {Count.CARDS_OF_ACT, Count.CARDS_OF_COLOUR}
    too = " Characters in front of the screen count too." if cards else ""
    return f"at the end it pays {points} for each {_what_counts(t, tile)}.{too}"


def kept_tip(t: Table, tile: int) -> str:
    """Return the effect of a building card in front of a seat."""
    return f"Kept card {tile_name(tile)}: {_kept_sentence(t, tile)}"


def card_tip(t: Table, tile: int) -> str:
    """Return the full effect of a building card in a hand or in the discard pile."""
    name, gain = tile_name(tile), GAINS[tile // NUMBERS]
    return (
        f"Building card {name}. Alone, it exploits the building {name}: a {gain} for each of its "
        "levels. With a tile, it puts the tile on top of that building, and you keep the card: "
        f"{_kept_sentence(t, tile)}"
    )


def letter_tip(letter: int) -> str:
    """Return the full effect of an urbanization card."""
    name = LETTERS[letter]
    return (
        f"Card {name}. Alone, it gives a resource or a tile, as you like. With a tile, it builds "
        f"the tile in place of marker {name} for 1 resource; you move the marker on, then it gives "
        "what all adjacent buildings yield. The card is discarded."
    )


def character_words(t: Table, kind: int) -> str:
    """Return what a character gives, e.g. ``+1 tile; start: 1 point``."""
    return f"+1 {GAINS[kind // NUM_ACTS]}; start: {gains_in_words(t.character_items[kind])}"


def character_tip(t: Table, kind: int) -> str:
    """Return the full effect of a character."""
    return (
        f"Character {character_name(kind)}: each {ACTS[kind % NUM_ACTS]} of its owner gives "
        f"1 {GAINS[kind // NUM_ACTS]}. It brought {gains_in_words(t.character_items[kind])} at the "
        "start, and counts as a card of its colour and as a bonus card."
    )


def bonus_tip(act: int, gains: Sequence[int]) -> str:
    """Return what a seat's cards give on an act."""
    how = (
        "plays a card alone",
        "builds at a marker",
        "builds a level on a building",
    )[act]
    return (
        f"{ACTS[act].capitalize()}: whenever this seat {how}, its cards give it "
        f"{gains_in_words(gains)} more."
    )


def how_to_play(solo: bool) -> tuple[tuple[str, str], ...]:
    """Return the rules in short, each with more about it."""
    rest = "then Hal acts." if solo else "then act in turn; the other cards go on to the next seat."
    end = (
        "The end is triggered when the supply of tiles has run out"
        f"{'' if solo else ' twice'}, or when a side has no resource left to build with. The round "
        "is finished first."
    )
    return (
        (f"round: choose a card, with a tile or alone; {rest}", end),
        (
            "exploit, a card alone: what its building yields; a letter: 1 resource or tile.",
            "The bonuses on exploit of the cards in front of you follow. The card is discarded.",
        ),
        (
            "urbanize, a letter and a tile: build at the marker for 1 resource; all adjacent "
            "buildings yield.",
            "The building is yours, and the marker moves to a free cell beside it. The bonuses on "
            "urbanize follow. The card is discarded. Without a resource the tile comes back, and "
            "you exploit.",
        ),
        (
            "construct, a building's card and a tile: build on it for 1 resource a level, 1 for "
            "another colour, and points for a lower number; you keep the card.",
            "The owner's resources on the building go back, with a point for each if it was not "
            "yours. The bonuses on construct follow. If you cannot pay, the tile comes back, and "
            "you exploit.",
        ),
        ("districts: adjacent buildings of one colour pay at the end.", DISTRICT_TIP),
    )
