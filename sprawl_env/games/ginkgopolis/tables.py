"""The data of *Ginkgopolis* compiled for the kernels: one record."""

from __future__ import annotations

from typing import Final

import numpy as np

from sprawl_env.games.ginkgopolis.constants import (
    CHARACTERS_KEPT,
    MAX_SEATS,
    NUM_GAINS,
    NUM_KINDS,
    NUM_TILES,
)
from sprawl_env.games.ginkgopolis.layout import Seen
from sprawl_env.kernels.records import Record, array, number, part, record

MAX_SETS: Final = 12
MOST_CHARACTERS: Final = 48  # they are shuffled in the array of the deck
BY_SEATS: Final = MAX_SEATS + 1


class Table(Record):
    """The compiled data."""

    # the setup
    removed_tiles = array(np.int8, BY_SEATS, "tiles removed unseen, by number of seats")
    face_up_cards = array(np.int8, BY_SEATS, "cards discarded from a new deck, by number of seats")
    resources = array(np.int8, BY_SEATS, "resources of each seat, by number of seats")
    solo_items = array(np.int8, NUM_GAINS, "starting items of a solo seat, by Gain")
    tokens = number(np.int8, "New Hand tokens of each seat")
    token_points = number(np.int8, "points of a token at the end")
    low_levels = number(np.int8, "levels of the highest building that counts as low")
    return_points = number(np.int8, "points for each tile returned at the first run-out")
    colour_per_level = number(np.int8, "1 if Count.BUILDINGS_OF_COLOUR counts levels")
    # building cards, by tile
    card_act = array(np.int8, NUM_TILES, "act of a permanent bonus or of Count.CARDS_OF_ACT")
    card_gain = array(np.int8, (NUM_TILES, NUM_GAINS), "permanent bonus; 0 if there is none")
    card_counts = array(np.int8, NUM_TILES, "a Count")
    card_colour = array(np.int8, NUM_TILES, "colour that Count.BUILDINGS_OF_COLOUR counts")
    card_points = array(np.int8, NUM_TILES, "points for each thing counted, at the end")
    # characters, by kind: colour * 3 + act
    character_items = array(np.int8, (NUM_KINDS, NUM_GAINS), "starting items, by Gain")
    num_characters = number(np.int8, "characters")
    character_kind = array(np.int8, MOST_CHARACTERS, "kind of each character")
    num_sets = number(np.int8, "introductory sets")
    sets = array(np.int8, (MAX_SETS, CHARACTERS_KEPT), "kinds of an introductory set")
    # the observation
    at = part(Seen, "where the blocks of the observation start")
    seen_sides = number(np.int8, "sides in the observation")


TABLES: Final = record(Table)
