"""What the signs in the pictures of *Tower Up* mean, for tooltips."""

from __future__ import annotations

from typing import Final

CARD_TIP: Final = (
    "Take it instead of building: you get each floor shown, a floor of any colour for the four "
    "stripes, and a vehicle moves your marker of its colour."
)
EMPTY_TIP: Final = "No card lies in this space of the market."
SUPPLY_TIP: Final = (
    "If a card shows a colour that the supply lacks, you take another one, and the end of the game "
    "is triggered."
)
POINTS_TIP: Final = (
    "Millions now: what the markers and the cone have reached, plus the chips. Most millions win; "
    "then most floors in reserve."
)
RESERVE_TIP: Final = (
    "Floors to build with. Building costs one floor for the new building and one of the "
    "neighbour's own colour for each adjacent building. At the end of a turn you keep at most 10."
)
ROOF_TIP: Final = (
    "Each time you build, you put one roof on a floor just placed. Whoever places the last roof "
    "triggers the end. Roofs on top of a building move the cone then, a space each."
)
HEIGHT_TIP: Final = (
    "A roof's height is the number of floors below it when it was placed. Your marker of the "
    "building's colour moved as many spaces."
)
CHIP_TIP: Final = "Whoever fulfils an objective first takes its most valuable chip."
STAR_TIP: Final = (
    "Once all four markers have reached a column with a star, you have another turn at once; each "
    "column counts once. A white star is used up."
)
MARKER_TIP: Final = (
    "A marker for each colour: a roof moves the marker of its building's colour by the building's "
    "floors, a vehicle on a card by 1 or 2. At the end a marker is worth the number that it has "
    "reached, in millions."
)
CONE_TIP: Final = (
    "The cone moves at the end, a space for each of your roofs on top of a building, and is worth "
    "the number that it reaches, in millions."
)
PARK_TIP: Final = "Objectives count buildings beside parks."
LAKE_TIP: Final = "Objectives count buildings beside lakes."
DISTRICT_TIP: Final = (
    "The ground's colour and the letter show the district; objectives count districts."
)
SITE_TIP: Final = (
    "Build on an empty site that is joined by a street to a building; no neighbour may have the "
    "new floor's colour."
)
OBJECTIVE_TIPS: Final = {
    "colours": "Have roofs in buildings of all four colours.",
    "parks": "Have roofs in four different buildings beside parks.",
    "districts": "Have roofs in all five districts.",
    "lakes": "Have roofs in four different buildings beside lakes.",
    "adjacent": "Have roofs in five buildings that streets connect.",
    "one_colour": "Have roofs in four different brown buildings.",
    "grey_districts": (
        "Have roofs in three buildings of one grey district and in two of the other."
    ),
    "borders": (
        "Have roofs at both ends of two streets that each join two districts, across two different "
        "borders and in four different buildings."
    ),
    "twice": "Have two roofs in each of two different buildings.",
    "heights": "Have roofs at each of the heights 1, 2, 3 and 4.",
}
