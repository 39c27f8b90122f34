"""What fixes the shape of a *Ginkgopolis* state; every other number is data."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

COLOURS: Final = ("red", "blue", "yellow")  # GK §1; what they yield is a Gain of the same index
NUM_COLOURS: Final = len(COLOURS)
NUMBERS: Final = 20  # of each colour
NUM_TILES: Final = NUM_COLOURS * NUMBERS
NO_TILE: Final = -1
START_SIDE: Final = 3  # the start is a square of 3 x 3
START_TILES: Final = START_SIDE * START_SIDE
START_NUMBERS: Final = START_TILES // NUM_COLOURS  # 1 to 3 of each colour

LETTERS: Final = "ABCDEFGHIJKL"
NUM_LETTERS: Final = len(LETTERS)
NO_LETTER: Final = -1
NUM_CARDS: Final = NUM_LETTERS + NUM_TILES  # urbanization cards, then building cards
NO_CARD: Final = -1
NEW_HAND_CARD: Final = NUM_CARDS  # as the choice of a card: a new hand

MIN_SEATS: Final = 1
MAX_SEATS: Final = 5
HAL: Final = 1  # the automaton's place in arrays by seat, solo only (GK §4 G18)
HAND_SIZE: Final = 4
SOLO_HAND: Final = 3
CHARACTERS_KEPT: Final = 3
NO_CHARACTER: Final = -1
NOT_TAKEN: Final = -1

NO_SITE: Final = -1
NUM_SIDES: Final = NUM_TILES * 4  # side s of a site's tile is site * 4 + direction
MAX_CONTOUR: Final = 114  # GK §5
NO_SIDE: Final = -1
NUM_PLACES: Final = 104  # ids for a marker's candidates (GK §6)
# Directions of ``around``: eight compass points, the even ones the sides N, E, S, W; then two
# steps N, E, S, W, across a cell.
STEP_X: Final = (0, 1, 1, 1, 0, -1, -1, -1, 0, 2, 0, -2)
STEP_Y: Final = (-1, -1, 0, 1, 1, 1, 0, -1, -2, 0, 2, 0)
NUM_DIRECTIONS: Final = len(STEP_X)
COMPASS: Final = 8
MOST_ROUNDS: Final = 10_000  # largest max_rounds


class Gain(IntEnum):
    """What a building or a card yields; red, blue and yellow in this order."""

    RESOURCE = 0
    TILE = 1
    POINT = 2


NUM_GAINS: Final = len(Gain)


class Act(IntEnum):
    """What a card can be played for (seed: cómo jugar, 2)."""

    EXPLOIT = 0
    URBANIZE = 1
    CONSTRUCT = 2


ACTS: Final = tuple(act.name.lower() for act in Act)
NUM_ACTS: Final = len(Act)
NUM_KINDS: Final = NUM_COLOURS * NUM_ACTS  # of characters: colour * 3 + act


class Count(IntEnum):
    """What a card counts at the end (GK §1); the permanent ones count nothing."""

    NOTHING = 0
    BUILDINGS_OF_COLOUR = 1
    LOW_BUILDINGS = 2
    TALL_BUILDINGS = 3
    CARDS_OF_ACT = 4
    CARDS_OF_COLOUR = 5
    FLAT = 6


class Characters(IntEnum):
    """Option ``characters``."""

    DRAFT = 0
    INTRODUCTORY = 1


class Difficulty(IntEnum):
    """Option ``difficulty``, solo only."""

    NORMAL = 0
    EXPERT = 1


class Step(IntEnum):
    """What can stand on the agenda; the first six are decisions."""

    DRAFT = 0  # pick a character: asked in a pass
    CARD = 1  # choose a card or a new hand: asked in a pass
    TILE = 2  # choose a tile or none: asked in a pass
    RETURN = 3  # return a tile or be done: asked in passes (G5)
    GAIN = 4  # a resource or a tile (G15); a = bit of the resource, b = bit of the tile
    MARKER = 5  # move a marker; a = the letter, b = site of the new tile, or NO_SITE
    EQUIP = 6  # starting items of a seat
    DEAL_HANDS = 7
    BEGIN_ROUND = 8
    ACT = 9  # reveal and resolve; a = 1 once resolved (its last part)
    COLLECT = 10  # what an urbanization yields; a = the new site
    TAKE_TILES = 11  # a = how many are still to be taken
    FINISH = 12  # a = the card, b = 1 if it is kept
    HAL = 13  # Hal's go
    HAL_COLLECT = 14  # a = the new site, b = the card
    END_OF_ROUND = 15


LAST_PASS: Final = Step.RETURN
LAST_DECISION: Final = Step.MARKER
