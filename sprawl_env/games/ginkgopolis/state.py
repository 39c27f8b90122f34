"""One game of *Ginkgopolis* as one record; a batch of games is an array of records.

The city is stored by *site*.  A site is a cell with a building; sites are numbered in the order
in which they were built, starting with the 3 x 3 start.  Every urbanization adds one site next to
the city and uses a tile that was not in it.  9 of the 60 tiles are there at the start, so there
are at most 60 sites (54 with 6 tiles removed) and no tile is more than 51 steps from the start:
coordinates relative to the start's top-left tile lie in -51..53 and fit in a byte.  A new tile
covers at least one side of the contour and adds at most three, so the contour has at most
12 + 2 * 51 = 114 sides (GK §5).  At least 12 cells are next to it, so all markers fit.  No array
has the size of the plane: a grid of 105 x 105 is never stored.
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
from sprawl_env.kernels.old_agenda import agenda_fields

# END_OF_ROUND, an ACT a seat or HAL, the steps of one action (FINISH, TAKE_TILES or COLLECT, one
# MARKER at a time), RETURN; in the setup: BEGIN_ROUND, DEAL_HANDS, EQUIP and TAKE_TILES a seat
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
        ("rounds", np.int16),  # begun so far; 0 during the draft
        ("first", np.int8),  # seat that is first player
        ("owes", np.int8),  # set of seats that still owe an answer in this pass
        ("asked", np.int8),  # set of seats that were asked in this pass
        ("pass_number", np.int8),  # of this decision, from 0
        ("again", np.int8),  # set of seats to ask again in the next pass
        ("run_outs", np.int8),  # of the supply of tiles
        ("ending", np.int8),  # 1 once the end is triggered
        # the draft
        ("pack", np.int8, (MAX_SEATS, HAND_SIZE)),  # kinds first dealt to a seat
        ("taken_in", np.int8, (MAX_SEATS, HAND_SIZE)),  # pass that took it, NOT_TAKEN if none
        ("picks", np.int8, (MAX_SEATS, CHARACTERS_KEPT)),  # kinds in front of a seat
        ("num_picks", np.int8),  # passes of the draft completed
        # cards: urbanization cards 0..11, then building cards in the order of the tiles
        ("deck", np.int8, (NUM_CARDS,)),  # next card last; the part beyond deck_size is scratch
        ("deck_size", np.int8),
        ("discarded_letters", np.int64),  # set of urbanization cards; the discard pile is open
        ("discarded", np.int64),  # set of tiles whose building card is discarded
        ("hand", np.int8, (MAX_SEATS, HAND_SIZE)),  # NO_CARD in an empty place
        ("known_by", np.int8, (NUM_CARDS,)),  # set of seats that have held it since it was drawn
        ("chosen", np.int8, (MAX_SEATS,)),  # card of this round, or a draft pick
        ("chosen_tile", np.int8, (MAX_SEATS,)),
        ("kept", np.int64, (MAX_SEATS,)),  # set of building cards in front of a seat
        ("workers", np.int64),  # set of tiles with a worker: their cards wait for the next deck
        ("hal_card", np.int8),
        ("lost_tile", np.int8),  # the tile Hal could not pay for (G24), NO_TILE if none
        # tiles
        ("supply", np.int8, (NUM_TILES,)),  # next tile last
        ("supply_size", np.int8),
        ("tiles", np.int64, (MAX_SEATS,)),  # set of tiles behind a seat's screen
        ("returning", np.int64, (MAX_SEATS,)),  # set of tiles put aside to return
        (
            "given_back",
            np.int64,
            (MAX_SEATS,),
        ),  # set of tiles returned at the run-out: known to be in play
        # the rest behind and in front of the screens; solo, index HAL is Hal
        ("resources", np.int8, (MAX_SEATS,)),
        ("stock", np.int8, (MAX_SEATS,)),  # the side's resources in the general supply
        ("points", np.int16, (MAX_SEATS,)),
        ("tokens", np.int8, (MAX_SEATS,)),
        ("bonus", np.int8, (MAX_SEATS, NUM_ACTS, NUM_GAINS)),  # sums of the permanent bonuses
        (
            "with_act",
            np.int8,
            (MAX_SEATS, NUM_ACTS),
        ),  # cards with a bonus on an act, characters included
        (
            "with_colour",
            np.int8,
            (MAX_SEATS, NUM_COLOURS),
        ),  # cards of a colour, characters included
        # the city
        ("num_sites", np.int8),
        ("site_x", np.int8, (NUM_TILES,)),
        ("site_y", np.int8, (NUM_TILES,)),
        ("site_tile", np.int8, (NUM_TILES,)),  # the top tile
        ("levels", np.int8, (NUM_TILES,)),
        ("owner", np.int8, (NUM_TILES,)),  # a seat, HAL or NOBODY
        ("around", np.int8, (NUM_TILES, NUM_DIRECTIONS)),  # sites N, NE, ...; NO_SITE if none
        ("site_of", np.int8, (NUM_TILES,)),  # site that a tile tops, or NO_SITE
        ("covered", np.int64),  # set of tiles below others
        # the contour and the markers on it (G4)
        ("contour", np.int16, (MAX_CONTOUR,)),  # sides that face the outside, clockwise
        ("num_sides", np.int16),
        ("contour_at", np.int8, (NUM_SIDES,)),  # index of a side in ``contour``, or NO_SIDE
        ("marker", np.int16, (NUM_LETTERS,)),  # the side a marker leans on, NO_SIDE if none
        ("shut_in", np.int16),  # set of letters that wait for a new place
        *agenda_fields(AGENDA_DEPTH),
    ]
)
