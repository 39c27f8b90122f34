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

from sprawl_env.core.state import CommonState
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
    NUM_TILE_SIDES,
    NUM_TILES,
)
from sprawl_env.kernels.agenda import AgendaEntry, argument
from sprawl_env.kernels.records import array, number, record, records

# END_OF_ROUND, an ACT a seat or HAL, the steps of one action (FINISH, TAKE_TILES or COLLECT, one
# MARKER at a time), RETURN; in the setup: BEGIN_ROUND, DEAL_HANDS, EQUIP and TAKE_TILES a seat
AGENDA_DEPTH: Final = 16


class Entry(AgendaEntry):
    """A pending step; see ``Step``."""

    letter = argument("MARKER: the letter whose marker moves")
    act = argument("COLLECT: the Act that is played")
    card = argument("FINISH: the card that was played")
    tiles_left = argument("TAKE_TILES: number of tiles still to take")
    site = argument("MARKER, COLLECT, HAL_COLLECT: the site of the new tile, or NO_SITE")
    is_kept = argument("FINISH: 1 if the card is kept, 0 if it is discarded")
    first_letter = argument("MARKER: the letter of the card, whose marker moves first")


class State(CommonState):
    """The state of one game."""

    # options
    characters = number(np.int8, "a Characters")
    difficulty = number(np.int8, "a Difficulty")
    open_screens = number(np.int8, "1 if the counts behind the screens are shown")
    max_rounds = number(np.int16, "rounds after which the game is truncated")
    # the order of play
    rounds = number(np.int16, "rounds begun so far; 0 during the draft")
    first = number(np.int8, "seat that is first player")
    owes = number(np.int8, "set of seats that still owe an answer in this pass")
    asked = number(np.int8, "set of seats that were asked in this pass")
    pass_number = number(np.int8, "passes of this decision before this one")
    again = number(np.int8, "set of seats to ask again in the next pass")
    run_outs = number(np.int8, "run-outs of the supply of tiles")
    ending = number(np.int8, "1 once the end is triggered")
    # the draft
    pack = array(np.int8, (MAX_SEATS, HAND_SIZE), "kinds first dealt to a seat")
    taken_in = array(np.int8, (MAX_SEATS, HAND_SIZE), "pass that took it, NOT_TAKEN if none")
    picks = array(np.int8, (MAX_SEATS, CHARACTERS_KEPT), "kinds in front of a seat")
    num_picks = number(np.int8, "passes of the draft completed")
    # cards: urbanization cards 0..11, then building cards in the order of the tiles
    deck = array(np.int8, NUM_CARDS, "next card last; the part beyond deck_size is scratch")
    deck_size = number(
        np.int8,
        "cards in the deck",
        follows="hand, discarded, discarded_letters, workers, hal_card, site_tile",
    )
    discarded_letters = number(np.int64, "set of urbanization cards; the discard pile is open")
    discarded = number(np.int64, "set of tiles whose building card is discarded")
    hand = array(np.int8, (MAX_SEATS, HAND_SIZE), "cards of a seat; NO_CARD in an empty place")
    known_by = array(np.int8, NUM_CARDS, "set of seats that have held a card in a hand, else 0")
    age = array(
        np.int8, NUM_CARDS, "class of a card in a hand: 0 of this deck, 1 older, ...; else 0 (G25)"
    )
    chosen = array(np.int8, MAX_SEATS, "card of this round, or a draft pick; NO_CARD if none")
    chosen_tile = array(np.int8, MAX_SEATS, "tile put on the card, NO_TILE if none")
    kept = array(np.int64, MAX_SEATS, "set of building cards in front of a seat")
    workers = number(np.int64, "set of tiles with a worker: their cards wait for the next deck")
    hal_card = number(np.int8, "Hal's card, NO_CARD if none")
    lost_tile = number(np.int8, "tile that Hal could not pay for (G24), NO_TILE if none")
    # tiles
    supply = array(np.int8, NUM_TILES, "next tile last")
    supply_size = number(
        np.int8, "tiles in the supply", follows="tiles, returning, covered, site_tile"
    )
    tiles = array(np.int64, MAX_SEATS, "set of tiles behind a seat's screen")
    returning = array(np.int64, MAX_SEATS, "set of tiles put aside to return")
    taken_back = array(
        np.int64, MAX_SEATS, "set of tiles that a seat has shown and taken back (G2, G25)"
    )
    returned = number(np.int64, "set of tiles returned at the first run-out (G5, G25)")
    # the rest behind and in front of the screens; solo, index HAL is Hal
    resources = array(np.int8, MAX_SEATS, "resources behind a screen")
    stock = array(
        np.int8,
        MAX_SEATS,
        "the side's resources in the general supply",
        follows="resources, owner, levels",
    )
    points = array(np.int16, MAX_SEATS, "points behind a screen")
    tokens = array(np.int8, MAX_SEATS, "New Hand tokens")
    bonus = array(
        np.int8,
        (MAX_SEATS, NUM_ACTS, NUM_GAINS),
        "sums of the permanent bonuses",
        follows="kept, picks",
    )
    with_act = array(
        np.int8,
        (MAX_SEATS, NUM_ACTS),
        "cards with a bonus on an act, characters included",
        follows="kept, picks",
    )
    with_colour = array(
        np.int8,
        (MAX_SEATS, NUM_COLOURS),
        "cards of a colour, characters included",
        follows="kept, picks",
    )
    # the city
    num_sites = number(np.int8, "buildings")
    site_x = array(np.int8, NUM_TILES, "column of a site from the start's top-left tile")
    site_y = array(np.int8, NUM_TILES, "row of a site from the start's top-left tile, southwards")
    site_tile = array(np.int8, NUM_TILES, "top tile of a site")
    levels = array(np.int8, NUM_TILES, "levels of the building on a site")
    owner = array(np.int8, NUM_TILES, "owner of the building: a seat, HAL or NOBODY")
    around = array(
        np.int8,
        (NUM_TILES, NUM_DIRECTIONS),
        "sites N, NE, ...; NO_SITE if none",
        follows="site_x, site_y",
    )
    site_of = array(np.int8, NUM_TILES, "site that a tile tops, or NO_SITE", follows="site_tile")
    covered = number(np.int64, "set of tiles below others")
    # the contour and the markers on it (G4)
    contour = array(np.int16, MAX_CONTOUR, "tiles' sides that face the outside, clockwise")
    contour_length = number(np.int16, "sides on the contour")
    contour_at = array(
        np.int8, NUM_TILE_SIDES, "index of a side in the contour, or NO_SIDE", follows="contour"
    )
    marker = array(np.int16, NUM_LETTERS, "side that a letter's marker leans on, or NO_SIDE")
    shut_in = number(np.int16, "set of letters that wait for a new place")
    # the pending steps
    agenda = records(Entry, AGENDA_DEPTH, "pending steps, the next one last")
    agenda_size = number(np.int8, "number of pending steps")


GAME: Final = record(State)
