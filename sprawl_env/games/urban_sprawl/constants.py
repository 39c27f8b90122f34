"""Constants that fix the shape of an *Urban Sprawl* state; all other numbers are data."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

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


def _touched() -> tuple[tuple[int, ...], ...]:
    """Return ``[direction][footprint]``: the corners of that block that the footprint touches."""
    table = []
    for row, column in zip(AROUND_ROW, AROUND_COLUMN, strict=True):
        by_shape = []
        for shape in range(ALL_CORNERS + 1):
            touched = 0
            for own in (corner for corner in range(CORNERS) if shape >> corner & 1):
                for other in range(CORNERS):
                    down = row * 2 + other // 2 - own // 2
                    right = column * 2 + other % 2 - own % 2
                    if max(abs(down), abs(right)) <= 1:
                        touched |= 1 << other
            by_shape.append(touched)
        table.append(tuple(by_shape))
    return tuple(table)


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


NUM_DECISION_COLUMNS: Final = 40  # of an observation: room for new decisions
FIRST_AUTOMATIC: Final = NUM_DECISION_COLUMNS  # decisions have smaller numbers


class Step(IntEnum):
    """Steps of the agenda: decisions, and from FIRST_AUTOMATIC on what needs no decision.

    The number of a decision is its column in observations: it never changes, and a new decision
    takes the next one.  ``state.Entry`` has the arguments of each step, ``DECISIONS`` its answer.
    """

    CLAIM = 0
    MAIN = 1
    FOOTPRINT = 2
    PERMITS = 3
    VOCATION_FROM = 4
    MARKER_GAIN = 5
    UNIT = 6
    TARGET = 7
    SAVE = 8
    PLACE = 9
    MOVE_TO = 10
    PAID_LINE = 11
    GREY = 12
    PICK_MARKER = 13
    PICK_ROW = 14
    PICK_ZONE = 15
    PLACE_ZONE = 16
    OPTION = 17
    BID = 18
    ACCEPT = 19
    NEXT_SEAT = 20
    LEADER = 21
    VICTIM = 22
    WINNER = 23
    PICK_OFFICE = 24
    PICK_VOCATION = 25
    DISCARD = 26
    FREE_CARD = 27
    DISASTER = 28
    HEADLINE = 29
    # automatic
    BEGIN_TURN = 40
    TAKE_VOCATION = 41
    SCORE_SEATS = 42
    EFFECTS = 43
    EFFECT = 44
    EACH = 45
    ACT = 46
    NEXT_BID = 47
    ELECTION = 48
    ASSIGN = 49
    END_OF_TURN = 50
    DRAW_PLANNING = 51
    DRAW_CONTRACT = 52
    END_EVENT = 53
    PAY_WEALTH = 54


class Answer(IntEnum):
    """Where a decision is answered: each has a module or a part of ``rules/decisions.py``."""

    TURN = 0  # what a turn consists of: claims, actions, footprints, permits
    CITY = 1  # a building or a footprint
    SEAT = 2
    PICK = 3  # a line, a marker, an office, a vocation or a card
    SIMPLE = 4  # anything else


class Decision(NamedTuple):
    """What is asked for by a step.

    Attributes:
        answer: an Answer.
        words: the question, for people.
        arguments: those of ``state.Entry`` that any value of their kind fits (``invariants``).
    """

    answer: Answer
    words: str
    arguments: tuple[str, ...] = ()


DECISIONS: Final = {
    Step.CLAIM: Decision(Answer.TURN, "claim a starting building"),
    Step.MAIN: Decision(Answer.TURN, "invest, act or end the turn"),
    Step.FOOTPRINT: Decision(Answer.TURN, "choose where to build"),
    Step.PERMITS: Decision(Answer.TURN, "pay permits"),
    Step.VOCATION_FROM: Decision(Answer.SEAT, "take a vocation from an opponent", ("vocation",)),
    Step.MARKER_GAIN: Decision(Answer.SIMPLE, "wealth or prestige for a vocation"),
    Step.UNIT: Decision(Answer.SIMPLE, "wealth or prestige", ("self_seat",)),
    Step.TARGET: Decision(Answer.CITY, "pick a building", ("acting_seat",)),
    Step.SAVE: Decision(Answer.SIMPLE, "pay to save a building", ("lot",)),
    Step.PLACE: Decision(Answer.CITY, "place a building"),
    Step.MOVE_TO: Decision(Answer.CITY, "choose where a building moves", ("lot",)),
    Step.PAID_LINE: Decision(Answer.PICK, "pick a line to be paid"),
    Step.GREY: Decision(Answer.PICK, "pick a grey space", ("marker",)),
    Step.PICK_MARKER: Decision(Answer.PICK, "pick a marker"),
    Step.PICK_ROW: Decision(Answer.SIMPLE, "pick the row or the column"),
    Step.PICK_ZONE: Decision(Answer.SIMPLE, "pick a zone"),
    Step.PLACE_ZONE: Decision(Answer.SIMPLE, "pick the zone of a building"),
    Step.OPTION: Decision(Answer.SIMPLE, "choose one of several effects"),
    Step.BID: Decision(Answer.SIMPLE, "bid or decline", ("highest",)),
    Step.ACCEPT: Decision(Answer.SIMPLE, "accept or decline"),
    Step.NEXT_SEAT: Decision(Answer.SEAT, "pick who decides next", ("seats",)),
    Step.LEADER: Decision(Answer.SEAT, "pick among tied seats", ("seats",)),
    Step.VICTIM: Decision(Answer.SEAT, "pick an opponent", ("seats",)),
    Step.WINNER: Decision(Answer.SEAT, "break the tie of an election", ("office", "seats")),
    Step.PICK_OFFICE: Decision(Answer.PICK, "pick an office"),
    Step.PICK_VOCATION: Decision(Answer.PICK, "pick a vocation"),
    Step.DISCARD: Decision(Answer.PICK, "discard a planning card"),
    Step.FREE_CARD: Decision(Answer.PICK, "take a planning card"),
    Step.DISASTER: Decision(Answer.CITY, "lose a building or pay"),
    Step.HEADLINE: Decision(Answer.CITY, "pick among the buildings of equal value"),
}
ANSWER_OF: Final = tuple(  # by step
    int(DECISIONS[Step(step)].answer) if step in DECISIONS else -1
    for step in range(FIRST_AUTOMATIC)
)


class Stage(IntEnum):
    """Stages of an effect before its verb is run."""

    WHO = 0
    ASK_ZONE = 1
    ASK_ROW = 2
    VERB = 3


class EndStage(IntEnum):
    """The steps of the end of a turn (US 6.8)."""

    SLIDE_PLANNING = 1
    FILL_PLANNING = 2
    TURN_PLANNING = 3
    SLIDE_CONTRACTS = 4
    FILL_CONTRACTS = 5
    TURN_TOWN = 6
    TURN_CITY = 7
    TURN_METROPOLIS = 8
    NEXT_TURN = 9
