"""Constants that fix the shape of an *Urban Sprawl* state; all other numbers are data."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import numpy as np

# ------------------------------------------------------------------------------ the city (US §1)

SIDE: Final = 6  # blocks
NUM_BLOCKS: Final = SIDE * SIDE
CORNERS: Final = 4  # lots of a block: TL, TR, BL, BR
NUM_LOTS: Final = NUM_BLOCKS * CORNERS
ALL_CORNERS: Final = 15
LOTS_A_PART: Final = 48  # a set of lots is three integers, each for two block rows
NUM_PARTS: Final = NUM_LOTS // LOTS_A_PART
NO_LOT: Final = -1

ZONES: Final = ("CIV", "COM", "IND", "RES", "PARK")
NUM_ZONES: Final = 4
PARK: Final = 4
NUM_COLOURS: Final = 5  # of building tiles: zones and parks
ALL_ZONES: Final = 15
MAX_SIZE: Final = 4
# Footprints in a block by size, as sets of corners, in the order of the ``site`` ids (US §9).
SHAPES: Final = np.array(((1, 2, 4, 8), (3, 12, 5, 10), (14, 13, 11, 7), (15, 0, 0, 0)), np.int8)
NUM_SHAPES: Final = (4, 4, 4, 1)
SIZE_OF: Final = (0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4)
FIRST_OF: Final = (0, 0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0)  # lowest corner of a set
# Sets of footprints have the bit ``footprint - 1`` for each footprint.
FOOTPRINTS_OF_SIZE: Final = tuple(
    sum(1 << (int(shape) - 1) for shape in row if shape) for row in SHAPES
)
ALL_FOOTPRINTS: Final = sum(FOOTPRINTS_OF_SIZE)
FOOTPRINTS_ON: Final = tuple(  # those that cover one of a set of corners
    sum(1 << (int(shape) - 1) for shape in SHAPES.flat if int(shape) & corners)
    for corners in range(ALL_CORNERS + 1)
)
FOOTPRINTS_OVER: Final = tuple(  # those that cover all of a set of corners
    sum(1 << (int(shape) - 1) for shape in SHAPES.flat if shape and not corners & ~int(shape))
    for corners in range(ALL_CORNERS + 1)
)
FOOTPRINTS_IN_PART_ON: Final = tuple(  # those that cover some of a set of corners, but not all
    sum(1 << (int(shape) - 1) for shape in SHAPES.flat if 0 < (int(shape) & corners) < corners)
    for corners in range(ALL_CORNERS + 1)
)
# The sets of zones at the four corners are stored in one integer, a byte each, corner 0 lowest.
ZONES_BITS: Final = 8
IN_ALL_ZONES: Final = 2**ZONES_BITS - 1
AT_CORNERS: Final = tuple(  # 1 at each corner of a set
    sum(1 << ZONES_BITS * corner for corner in range(CORNERS) if corners >> corner & 1)
    for corners in range(ALL_CORNERS + 1)
)
IN_ALL_COLOURS: Final = 2**NUM_COLOURS - 1  # the set of all zones and parks
IN_ALL_CORNERS: Final = AT_CORNERS[ALL_CORNERS]  # times a set of zones: the set at each corner
AS_CORNERS: Final = 0x01020408  # bytes of 0 or 1 times it: a set of corners, at the shift below
AS_CORNERS_SHIFT: Final = 24
ZONE_SHIFT: Final = 4  # in an entry of ``building_on``: corners below, 1 + zone above

# Blocks around a block, the block itself last.
AROUND_ROW: Final = (-1, -1, -1, 0, 0, 1, 1, 1, 0)
AROUND_COLUMN: Final = (-1, 0, 1, -1, 1, -1, 0, 1, 0)
NUM_AROUND: Final = 9
HERE: Final = 8
MIDDLE: Final = 4  # index of the block itself in reading order
TOP_EDGE: Final = 3  # corners
BOTTOM_EDGE: Final = 12
LEFT_EDGE: Final = 5
RIGHT_EDGE: Final = 10


def _touches(row: int, column: int, own: int, other: int) -> bool:
    """Does a corner of a block touch a corner of the block that many rows and columns away?"""
    down = row * 2 + other // 2 - own // 2
    right = column * 2 + other % 2 - own % 2
    return max(abs(down), abs(right)) <= 1


def _touched() -> tuple[tuple[int, ...], ...]:
    """Return ``[direction][footprint]``: the corners of that block that the footprint touches."""
    return tuple(
        tuple(
            sum(
                1 << other
                for other in range(CORNERS)
                if any(
                    shape >> own & 1 and _touches(row, column, own, other) for own in range(CORNERS)
                )
            )
            for shape in range(ALL_CORNERS + 1)
        )
        for row, column in zip(AROUND_ROW, AROUND_COLUMN, strict=True)
    )


TOUCHED: Final = np.array(_touched(), np.int8)  # [direction, footprint]


def _beside() -> tuple[tuple[int, ...], ...]:
    """Return ``[block][direction]``: the block there, -1 outside the city."""
    return tuple(
        tuple(
            (row + down) * SIDE + column + right
            if row + down in range(SIDE) and column + right in range(SIDE)
            else -1
            for down, right in zip(AROUND_ROW, AROUND_COLUMN, strict=True)
        )
        for row in range(SIDE)
        for column in range(SIDE)
    )


BESIDE: Final = np.array(_beside(), np.int8)  # [block, direction]
# Corners of each block that lie at the city's edge (US §1).
AT_WATER: Final = tuple(
    (TOP_EDGE if block < SIDE else 0) | (RIGHT_EDGE if block % SIDE == SIDE - 1 else 0)
    for block in range(NUM_BLOCKS)
)
AT_FOREST: Final = tuple(
    (BOTTOM_EDGE if block >= SIDE * (SIDE - 1) else 0) | (LEFT_EDGE if block % SIDE == 0 else 0)
    for block in range(NUM_BLOCKS)
)

# ----------------------------------------------------------------------------------------- lines

NUM_COLUMNS: Final = SIDE
NUM_DOUBLE_ROWS: Final = 3
FIRST_DOUBLE_ROW: Final = NUM_COLUMNS
FIRST_GREY: Final = FIRST_DOUBLE_ROW + NUM_DOUBLE_ROWS
NUM_TOP_GREYS: Final = 3
NUM_GREYS: Final = NUM_TOP_GREYS + SIDE
NUM_LINES: Final = FIRST_GREY + NUM_GREYS
NO_LINE: Final = -1

NUM_WEALTH_MARKERS: Final = 6
NUM_PRESTIGE_MARKERS: Final = 3
NUM_MARKERS: Final = NUM_WEALTH_MARKERS + NUM_PRESTIGE_MARKERS
NO_MARKER: Final = -1
NO_GREY: Final = -1
MOST_VALUE: Final = 40  # of a block: at most 12 + 11 + 6 + 3 as printed, and room for overlays
MOST_ICON: Final = 12

WEALTH: Final = 0
PRESTIGE: Final = 1
EITHER: Final = 2
MONEY: Final = ("wealth", "prestige", "either")

# ------------------------------------------------------------------------------------- the seats

MIN_SEATS: Final = 2
MAX_SEATS: Final = 4
MOST_TURNS: Final = 2000  # largest max_turns
MOST_ACTION_POINTS: Final = 99  # action points that a seat can have
NUM_VOCATIONS: Final = 8
VOCATIONS: Final = (
    "FINANCE",
    "TRANSPORTATION",
    "EDUCATION",
    "ENERGY",
    "TOURISM",
    "FACTORY",
    "PUBLIC SERVICE",
    "MEDIA",
)
MEDIA: Final = 7
NO_VOCATION: Final = -1
VOCATIONS_A_CARD: Final = 2

OFFICES: Final = ("mayor", "attorney", "treasurer", "police", "boss", "contractor")
MAYOR: Final = 0
ATTORNEY: Final = 1
TREASURER: Final = 2
POLICE: Final = 3
BOSS: Final = 4
CONTRACTOR: Final = 5
NUM_OFFICES: Final = 6
NUM_POLITICIANS: Final = 5

# ----------------------------------------------------------------------------------------- cards

NUM_PERMITS: Final = 17  # kinds of permits
RENEWAL: Final = 17
NUM_KINDS: Final = 18  # kinds that a hand can hold
NUM_EVENTS: Final = 14
FIRST_EVENT: Final = NUM_KINDS
NUM_PLANNING: Final = NUM_KINDS + NUM_EVENTS  # kinds of planning cards
PLANNING_CARDS: Final = 54
PERMIT_CARDS: Final = 36
NO_KIND: Final = -1
PLANNING_SPACES: Final = 4
PLANNING_TOP: Final = 4  # index of the deck's face-up top
EVENTS_BELOW: Final = 22  # cards on top of the deck that are not events (US 6.1)

DECKS: Final = ("town", "city", "metropolis")
TOWN: Final = 0
CITY: Final = 1
METROPOLIS: Final = 2
NUM_DECKS: Final = 3
DECK_CARDS: Final = 37
NUM_CARDS: Final = NUM_DECKS * DECK_CARDS
NO_CARD: Final = -1
CONTRACT_SPACES: Final = 5
FIRST_TOP: Final = CONTRACT_SPACES
FIRST_FAVOR: Final = FIRST_TOP + NUM_DECKS
FAVORS: Final = 2
# Cards of a deck below the special event's stack, and in that stack, by length (US 6.1).
BOTTOM_STACK: Final = (15, 9, 18)
MIDDLE_STACK: Final = (7, 10, 10)


class Length(IntEnum):
    """Option ``length``."""

    STANDARD = 0
    LONG = 1
    SHORT = 2


class Power(IntEnum):
    """A lasting effect of a building (ruling U24)."""

    NONE = 0
    EXTRA_FAVOR = 1
    WINS_TIES = 2


NUM_POWERS: Final = len(Power)
