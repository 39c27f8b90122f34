"""How to play *Tower Up*, in our own words; the rules page decides where this is short."""

from __future__ import annotations

from typing import Final

from sprawl_env.core.rules import Section

GUIDE: Final = (
    Section(
        "The aim",
        "You build a city together and put roofs on its buildings. Roofs, chips and what is on top "
        "at the end bring millions; most millions win.",
    ),
    Section(
        "The board",
        "Circles are empty sites, squares are buildings, lines are streets: two places joined by a "
        "street are adjacent. The number in a building counts its floors, and the pieces at its "
        "right are roofs. Five districts have their own tints; some sites lie by a park or a lake.",
        "board",
    ),
    Section(
        "Your turn: take a card or build",
        "Take one of three cards for its floors: two letters show a colour, four stripes any "
        "colour. A vehicle moves your marker of its colour.",
        "market-",
        shown=True,
    ),
    Section(
        "Building",
        "Choose an empty site beside at least one building, and a colour that no neighbour has. "
        "You pay a floor for the new building, and for each neighbour a floor of its own colour, "
        "which is put on top of it. So you need floors of the right colours, and neighbours grow.",
        "board",
    ),
    Section(
        "Your roof",
        "Then you put one roof on a floor that you have just placed, the new one or one of the "
        "neighbours'. Your marker of that building's colour moves as many spaces as the building "
        "has floors. High buildings pay more.",
        "board",
    ),
    Section(
        "What you hold",
        "The reserve are your floors, at most 10 at the end of a turn. You have 10 roofs. The rows "
        "show your four markers: at the end each is worth the number that it has reached. When all "
        "four have reached a column with a star, you play another turn at once.",
        "seat-",
        shown=True,
    ),
    Section(
        "Objectives",
        "Three objectives ask where your roofs are. Whoever fulfils one first takes its most "
        "valuable chip, the next the next one.",
        "objectives",
        shown=True,
    ),
    Section(
        "The end",
        "When somebody has placed the last roof, the others have one more turn each. The same "
        "happens if a colour runs short in the supply. When you count, your cone moves a space for "
        "each of your roofs on top of a building. Equal millions: more floors in reserve win.",
        "supply",
    ),
)
