"""Constants that fix the shape of a *Tower Up* state; every other number is data."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

COLOURS: Final = ("black", "grey", "white", "brown")  # TU §1
NUM_COLOURS: Final = len(COLOURS)
MULTICOLOUR: Final = NUM_COLOURS  # of a card's bottom floor: any colour
NO_COLOUR: Final = -1
DISTRICTS: Final = ("harbour", "market", "hill", "grey_a", "grey_b")  # TU §2
NUM_DISTRICTS: Final = len(DISTRICTS)
GREY_A: Final = DISTRICTS.index("grey_a")
GREY_B: Final = DISTRICTS.index("grey_b")

MIN_SEATS: Final = 2
MAX_SEATS: Final = 4
NUM_BOARDS: Final = 2
BOARD_2P: Final = 0
BOARD_4P: Final = 1  # the side for 3 and 4 seats
MAX_SITES: Final = 48
MAX_STREETS: Final = 5  # of one site
NO_SITE: Final = -1

NUM_CARDS: Final = 44
NO_CARD: Final = -1
MARKET_SIZE: Final = 3
MOST_CARD_FLOORS: Final = 4  # floors of one card
MOST_STEPS: Final = 2  # of a vehicle
NUM_ROOFS: Final = 10  # of one seat
NUM_OBJECTIVES: Final = 10
COUNTED_HEIGHTS: Final = 4  # objective 10: heights 1 to 4
OBJECTIVES_IN_PLAY: Final = 3  # one for each shape of chip
MAX_CHIPS: Final = 4  # of one shape
MAX_HEIGHT: Final = MAX_STREETS + 1  # a building gets at most one floor from each neighbour
MAX_CROSSINGS: Final = 1024  # ways to be present on both sides of two borders
MAX_COLUMNS: Final = 16  # spaces of a row
MAX_STARS: Final = 8  # star columns
MOST_TURNS: Final = 4000  # largest max_turns


class ObjectiveKind(IntEnum):
    """What an objective counts, in the order of TU §6."""

    COLOURS = 0
    PARKS = 1
    DISTRICTS = 2
    LAKES = 3
    ADJACENT = 4
    ONE_COLOUR = 5
    GREY_DISTRICTS = 6
    BORDERS = 7
    TWICE = 8
    HEIGHTS = 9


class Step(IntEnum):
    """What an entry of the agenda can be; the first four are decisions."""

    TURN = 0  # take a card or build
    FLOOR = 1  # choose the colour of a substitute or multicolour floor
    RETURN = 2  # return a floor; skipped if the seat holds no more than the limit
    ROOF = 3  # put a roof on a floor just placed
    VEHICLE = 4  # move a marker
    REFILL = 5  # refill a market space
    END_OF_TURN = 6


class EndCause(IntEnum):
    """Why the end was triggered (TU §7); the first cause applies (T7)."""

    NONE = 0
    LAST_ROOF = 1  # §7a
    SHORTAGE = 2  # §7b, and T14
