"""How to play *Ginkgopolis*, in our own words; the rules page decides where this is short."""

from __future__ import annotations

from typing import Final

from sprawl_env.core.rules import Section

GUIDE: Final = (
    Section(
        "The aim",
        "All seats extend one city of red, blue and yellow buildings. You get points during the "
        "game, and at the end from cards and from districts, which are groups of buildings of one "
        "colour. Most points win; equal points share the victory.",
    ),
    Section(
        "The board",
        "A square is a building. Its top tile gives its colour and number. Its levels are the "
        "tiles stacked there; the resources on it show who owns it. At the letters A to L the city "
        "can grow. A worker marks a tile that is too new: its card is not in play yet.",
        "board",
        shown=True,
    ),
    Section(
        "What a colour gives",
        "Red gives resources, blue gives tiles, yellow gives points. A building gives as many as "
        "it has levels.",
        "legend",
    ),
    Section(
        "Characters",
        "In the draft you pick three characters: take one, pass the others on. (Introductory "
        "characters are dealt; who plays alone has none.) Each gives you things at once, and "
        "something more whenever you do the act that it names.",
        "hand-",
    ),
    Section(
        "A round",
        "All seats choose in secret: one of four cards, then a tile to go with it, or none. Then "
        "each seat in turn shows its card and acts. A card names a building or a letter. A New "
        "Hand token buys four other cards. After the round your other cards go to the next seat, "
        "and each seat draws one.",
        "hand-",
        shown=True,
    ),
    Section(
        "A card alone: exploit",
        "A building's card gives you what the building gives. A letter's card gives a resource or "
        "a tile, as you choose. If you cannot pay for an act with a tile, the tile comes back and "
        "the card acts alone.",
        "hand-",
    ),
    Section(
        "A letter and a tile: urbanize",
        "The tile becomes a new building at that letter. You put one resource on it, so it is "
        "yours. Then each building beside it gives you what it gives. The letter moves outwards.",
        "board",
    ),
    Section(
        "A building and a tile: construct",
        "The tile goes on top of that building. Its resources return to their owner; another owner "
        "also gets a point for each. You put one resource on it for each level, the new one "
        "included. A lower number costs the difference in points, another colour costs one "
        "resource. You keep the card.",
        "board",
    ),
    Section(
        "Your panel",
        "Resources, tiles and points lie behind a screen. In front of it lie your characters and "
        "the cards that you kept. Cards 1 to 9 give something at each act that they name; cards 10 "
        "to 20 give points at the end.",
        "seat-",
        shown=True,
    ),
    Section(
        "Tiles and cards run out",
        "The first time that no tiles are left, you may return tiles for a point each; they are "
        "the new supply. When the deck is empty, discards and the cards of new tiles form the next "
        "one, and the workers leave.",
        "supply",
    ),
    Section(
        "The end",
        "The last round is the one in which tiles run out again, or a seat has put all its "
        "resources on the city. In a district of two or more buildings side by side, the seat with "
        "most resources gets a point for each resource there, of any seat; the second gets a point "
        "for each of its own; a seat that is alone there takes both. Ties: the tallest building. A "
        "token left is 2 points.",
        "board",
    ),
    Section(
        "Alone against Hal",
        "You get three cards a round and use one. Hal gets one card and a random tile, and plays "
        "after you. The game ends when the tiles run out once, a side has put out all its "
        "resources, or Hal cannot pay. You need more points than Hal.",
        "hal",
    ),
)
