"""Constants that fix the shape of a *Ginkgopolis* state; every other number is data."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

COLOURS: Final = ("red", "blue", "yellow")  # GK §1; each yields the Gain of the same index
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
NEW_HAND_CARD: Final = NUM_CARDS  # chosen in place of a card: a new hand

MIN_SEATS: Final = 1
MAX_SEATS: Final = 5
HAL: Final = 1  # the automaton's index in arrays by seat, solo only (G18)
HAND_SIZE: Final = 4
SOLO_HAND: Final = 3
CHARACTERS_KEPT: Final = 3
NO_CHARACTER: Final = -1
NOT_TAKEN: Final = -1

NO_SITE: Final = -1
NUM_TILE_SIDES: Final = NUM_TILES * 4  # side s of a site's tile is site * 4 + direction
MAX_CONTOUR: Final = 114  # GK §5
NO_SIDE: Final = -1
NUM_PLACES: Final = 104  # ids for a marker's candidates (GK §6)
# Directions of ``around``: the eight compass points clockwise from north (even: N, E, S, W), then
# two steps to the N, E, S, W.
STEP_X: Final = (0, 1, 1, 1, 0, -1, -1, -1, 0, 2, 0, -2)
STEP_Y: Final = (-1, -1, 0, 1, 1, 1, 0, -1, -2, 0, 2, 0)
NUM_DIRECTIONS: Final = len(STEP_X)
COMPASS: Final = 8
MOST_ROUNDS: Final = 10_000  # largest max_rounds


class Gain(IntEnum):
    """What a building or a card yields: red, blue and yellow in this order (GK §1)."""

    RESOURCE = 0
    TILE = 1
    POINT = 2


NUM_GAINS: Final = len(Gain)


class Act(IntEnum):
    """The three actions that a card can be played for (GK §1, §3)."""

    EXPLOIT = 0
    URBANIZE = 1
    CONSTRUCT = 2


ACTS: Final = tuple(act.name.lower() for act in Act)
NUM_ACTS: Final = len(Act)
NUM_KINDS: Final = NUM_COLOURS * NUM_ACTS  # of characters: colour * 3 + act


class Count(IntEnum):
    """What a card counts at the end (GK §1); cards with a permanent bonus count nothing."""

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
    """What an entry of the agenda can be; the first six are decisions, four of them in passes."""

    DRAFT = 0  # pick a character; answered in a pass
    CARD = 1  # choose a card or a new hand; answered in a pass
    TILE = 2  # choose a tile or none; answered in a pass
    RETURN = 3  # return a tile or be done; answered in passes (G5)
    GAIN = 4  # take a resource or a tile (G15)
    MARKER = 5  # move a marker (G4)
    EQUIP = 6  # a seat takes its starting items
    DEAL_HANDS = 7
    BEGIN_ROUND = 8
    ACT = 9  # a seat reveals and resolves its card
    COLLECT = 10  # a seat gains yields and bonuses
    TAKE_TILES = 11  # a seat takes tiles from the supply
    FINISH = 12  # end of an action: the card is kept or discarded
    HAL = 13  # Hal acts
    HAL_COLLECT = 14  # Hal scores
    END_OF_ROUND = 15


LAST_PASS: Final = Step.RETURN
LAST_DECISION: Final = Step.MARKER
