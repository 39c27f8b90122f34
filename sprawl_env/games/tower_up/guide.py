"""How to play *Tower Up*, in our own words; the rules page decides where this is short."""

from __future__ import annotations

from typing import Final

from sprawl_env.core.rules import Section

GUIDE: Final = (
    Section(
        "The aim",
        "All seats build one city and put roofs on its buildings. Four markers, a cone and "
        "objectives bring millions. Most millions at the end win.",
    ),
    Section(
        "The board",
        "Circles are empty sites, squares are buildings, lines are streets. Two places joined by a "
        "street are adjacent: they are neighbours. The number in a square counts the building's "
        "floors; the pieces at its right are roofs. The ground's tint shows the district. Some "
        "sites lie by a park or a lake.",
        "board",
        shown=True,
    ),
    Section(
        "Your turn",
        "Do one of two things: take a card, or build. After it the next seat plays. Buildings cost "
        "floors, and cards give floors.",
    ),
    Section(
        "Take a card",
        "Choose one of three cards. You get each floor that it shows; four stripes are a floor of "
        "any colour. A vehicle moves your marker of its colour one space, two vehicles two. A new "
        "card takes its place.",
        "market-",
        shown=True,
    ),
    Section(
        "Build",
        "Choose an empty site beside at least one building, and a colour that no neighbour has. "
        "Your floor of that colour is the new building. Each neighbour also gets a floor from you, "
        "of its own colour, on its top. If you cannot pay all of this, you may not build there.",
        "board",
    ),
    Section(
        "Place a roof",
        "Then put one of your roofs on a floor that you just placed: the new building or a "
        "neighbour. Your marker of that building's colour moves as many spaces as the building has "
        "floors. High buildings move it far. Later floors may cover the roof.",
        "board",
    ),
    Section(
        "What you hold",
        "Each seat has floors in reserve, at most 10 at the end of a turn: the rest goes back, and "
        "10 roofs. Its four rows show the markers: at the end each is worth the number that it has "
        "reached. Once all four have reached a column with a star, the seat has another turn.",
        "seat-",
        shown=True,
    ),
    Section(
        "Objectives",
        "Three objectives ask in which buildings your roofs are; covered roofs count too. When you "
        "fulfil one, you take its most valuable chip that is left. Each seat gets at most one "
        "chip of each objective.",
        "objectives",
        shown=True,
    ),
    Section(
        "What triggers the end",
        "A seat places its last roof, a seat takes a card with a colour that the supply lacks, or "
        "no empty site can take a building of any colour. After a last roof every other seat has "
        "one more turn; otherwise all seats have one.",
        "supply",
    ),
    Section(
        "The final count",
        "A seat counts after its last turn: its cone moves one space for each of its roofs on top "
        "of a building, and its points jump. Add the four markers, the cone and the chips. If "
        "millions are equal, more floors in reserve win.",
        "seat-",
    ),
)
