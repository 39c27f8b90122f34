"""One game of *Ginkgopolis* as one record; a batch of games is an array of records.

The city is kept by *site*: a place with a building, numbered in the order they were built, the
start first.  Every urbanization adds one site next to the city and uses up a tile that was not in
it; of the 60 tiles 9 start there, so there are at most 60 sites (54 with 6 tiles removed), and a
tile more than 51 steps out is impossible: coordinates from the start's top-left tile lie in
-51..53 and fit a byte.  A new tile covers at least one side of the rim and shows at most three,
so the rim has at most 12 + 2 * 51 = 114 sides (GK §5).  At least 12 cells touch it, so every
marker has room.  Nothing here grows with the plane: a grid of 105 x 105 is never stored.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sprawl_env.core.state import common_fields, record
from sprawl_env.games.ginkgopolis.constants import (
    CHARACTERS_KEPT,
    HAND_SIZE,
    MAX_CONTOUR,
    MAX_SEATS,
    NUM_ACTS,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_DIRECTIONS,
    NUM_GAINS,
    NUM_LETTERS,
    NUM_SIDES,
    NUM_TILES,
)
from sprawl_env.kernels.agenda import agenda_fields

# END_OF_ROUND, an ACT a seat or HAL, what one action leaves to do (FINISH, TAKE_TILES or COLLECT,
# one marker at a time), RETURN; the setup: BEGIN_ROUND, DEAL_HANDS, EQUIP and TAKE_TILES a seat
AGENDA_DEPTH: Final = 16

GAME: Final = record(
    [
        *common_fields(),
        # options
        ("characters", np.int8),  # a Characters
        ("difficulty", np.int8),  # a Difficulty
        ("open_screens", np.int8),
        ("max_rounds", np.int16),
        # the order of play
        ("rounds", np.int16),  # begun so far; 0 while drafting
        ("first", np.int8),  # seat that is first player
        ("owes", np.int8),  # set of the seats that still owe an answer in this pass
        ("asked", np.int8),  # set of those that were asked in it
        ("pass_number", np.int8),  # of this question, from 0
        ("again", np.int8),  # set of those that are to be asked once more, in the next one
        ("run_outs", np.int8),  # of the supply of tiles
        ("ending", np.int8),  # 1 once the end is triggered
        # the draft
        ("pack", np.int8, (MAX_SEATS, HAND_SIZE)),  # kinds dealt to a seat at first
        ("taken_in", np.int8, (MAX_SEATS, HAND_SIZE)),  # pass that took it, NOT_TAKEN if none
        ("picks", np.int8, (MAX_SEATS, CHARACTERS_KEPT)),  # kinds in front of a seat
        ("num_picks", np.int8),  # passes of the draft completed
        # cards: urbanization cards 0..11, then building cards by tile
        ("deck", np.int8, (NUM_CARDS,)),  # next card last; first of all: the characters
        ("deck_size", np.int8),
        ("discarded_letters", np.int64),  # sets, open to all
        ("discarded", np.int64),
        ("hand", np.int8, (MAX_SEATS, HAND_SIZE)),  # NO_CARD where one is missing
        ("known_by", np.int8, (NUM_CARDS,)),  # set of the seats that have held it since drawn
        ("chosen", np.int8, (MAX_SEATS,)),  # card of this round, NEW_HAND_CARD, or a draft pick
        ("chosen_tile", np.int8, (MAX_SEATS,)),
        ("kept", np.int64, (MAX_SEATS,)),  # set of the building cards in front of a seat
        ("workers", np.int64),  # set of the tiles with a worker: cards that wait for the deck
        ("hal_card", np.int8),
        ("lost_tile", np.int8),  # the tile Hal could not build with, NO_TILE if none
        # tiles
        ("supply", np.int8, (NUM_TILES,)),  # next tile last
        ("supply_size", np.int8),
        ("tiles", np.int64, (MAX_SEATS,)),  # sets of those behind the screens
        ("returning", np.int64, (MAX_SEATS,)),  # sets of those on their way back
        ("given_back", np.int64, (MAX_SEATS,)),  # sets of those returned: known to be in play
        # the rest behind and before the screens; solo: Hal's beside seat 0's
        ("resources", np.int8, (MAX_SEATS,)),
        ("stock", np.int8, (MAX_SEATS,)),  # resources in the general supply
        ("points", np.int16, (MAX_SEATS,)),
        ("tokens", np.int8, (MAX_SEATS,)),
        ("bonus", np.int8, (MAX_SEATS, NUM_ACTS, NUM_GAINS)),  # sums of the permanent bonuses
        ("with_act", np.int8, (MAX_SEATS, NUM_ACTS)),  # cards with a bonus on an act
        ("with_colour", np.int8, (MAX_SEATS, NUM_COLOURS)),  # cards of a colour
        # the city
        ("num_sites", np.int8),
        ("site_x", np.int8, (NUM_TILES,)),
        ("site_y", np.int8, (NUM_TILES,)),
        ("site_tile", np.int8, (NUM_TILES,)),  # the top tile
        ("levels", np.int8, (NUM_TILES,)),
        ("owner", np.int8, (NUM_TILES,)),  # a seat, HAL or NOBODY
        ("around", np.int8, (NUM_TILES, NUM_DIRECTIONS)),  # sites at N, NE, .., NO_SITE if none
        ("site_of", np.int8, (NUM_TILES,)),  # where a tile is on top, or NO_SITE
        ("covered", np.int64),  # set of the tiles below others
        # the rim
        ("contour", np.int16, (MAX_CONTOUR,)),  # sides that face the outside, clockwise
        ("num_sides", np.int16),
        ("contour_at", np.int8, (NUM_SIDES,)),  # place of a side on the contour, or NO_SIDE
        ("marker", np.int16, (NUM_LETTERS,)),  # the side a marker leans on, NO_SIDE if none
        ("shut_in", np.int16),  # set of the letters that wait for a new place
        *agenda_fields(AGENDA_DEPTH),
    ]
)
