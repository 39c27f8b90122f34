"""One game of *Tower Up* as one record; a batch of games is an array of records."""

from __future__ import annotations

from typing import Final

import numpy as np

from sprawl_env.core.state import CommonState
from sprawl_env.games.tower_up.constants import (
    MARKET_SIZE,
    MAX_SEATS,
    MAX_SITES,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_ROOFS,
    OBJECTIVES_IN_PLAY,
)
from sprawl_env.kernels.agenda import AgendaEntry, argument
from sprawl_env.kernels.records import array, number, record, records

# END_OF_TURN, RETURN, REFILL, VEHICLE and one FLOOR for each floor of a card
AGENDA_DEPTH: Final = 10


class Entry(AgendaEntry):
    """A pending step, a ``Step``, with its arguments."""

    site = argument("ROOF: site of the new building")
    colour = argument("VEHICLE: colour of the marker that moves")
    steps = argument("VEHICLE: steps that the marker moves")
    space = argument("REFILL: market space to fill")


class State(CommonState):
    """One game."""

    # options
    starting_floors = number(np.int8, "option: buildings at the start")
    objectives = number(np.int8, "option: 0 random, 1 start")
    max_turns = number(np.int16, "option: turns after which the game is truncated")
    # the board
    board = number(np.int8, "BOARD_2P or BOARD_4P")
    colour = array(np.int8, MAX_SITES, "of the building on a site, or NO_COLOUR")
    height = array(np.int8, MAX_SITES, "floors of the building on a site")
    top = array(
        np.int8,
        MAX_SITES,
        "seat whose roof is the building's top, or NOBODY",
        follows="roof_site, roof_height, height",
    )
    topped = array(
        np.int64, MAX_SEATS, "set of sites whose top is a roof of the seat", follows="top"
    )
    adjacent = array(
        np.int8, (MAX_SITES, NUM_COLOURS), "buildings of a colour next to a site", follows="colour"
    )
    reach = array(
        np.int8, (MAX_SITES, NUM_COLOURS), "floors of the tallest of them", follows="colour, height"
    )
    built = array(
        np.int64, NUM_COLOURS, "set of sites with a building of the colour", follows="colour"
    )
    # the seats
    reserve = array(np.int8, (MAX_SEATS, NUM_COLOURS), "floors the seat holds")
    roofs_left = array(np.int8, MAX_SEATS, "roofs the seat has not placed", follows="roof_site")
    roof_site = array(
        np.int8, (MAX_SEATS, NUM_ROOFS), "site of each roof, in the order placed; NO_SITE if not"
    )
    roof_height = array(np.int8, (MAX_SEATS, NUM_ROOFS), "height at which it was placed, or 0")
    present = array(
        np.int64, MAX_SEATS, "set of sites with a roof of the seat", follows="roof_site"
    )
    twice = array(
        np.int64, MAX_SEATS, "set of sites with two or more roofs of the seat", follows="roof_site"
    )
    marker = array(np.int8, (MAX_SEATS, NUM_COLOURS), "steps each marker of the seat has moved")
    stars = array(np.int8, MAX_SEATS, "star columns that have given the seat an extra turn")
    cone = array(np.int8, MAX_SEATS, "steps the seat's cone has moved")
    counted = array(np.int8, MAX_SEATS, "1 once the cone has moved")
    progress = array(
        np.int8, (MAX_SEATS, OBJECTIVES_IN_PLAY), "towards the number an objective needs"
    )
    chip = array(np.int8, (MAX_SEATS, OBJECTIVES_IN_PLAY), "millions won, 0 if none")
    fulfilled = array(np.int8, (MAX_SEATS, OBJECTIVES_IN_PLAY), "1 if the seat has a chip for it")
    # shared
    supply = array(np.int8, NUM_COLOURS, "floors nobody has", follows="reserve, colour, height")
    objective = array(np.int8, OBJECTIVES_IN_PLAY, "cards in play, by shape of chip")
    chips_taken = array(
        np.int8, OBJECTIVES_IN_PLAY, "chips of each shape that have been won", follows="fulfilled"
    )
    market = array(np.int8, MARKET_SIZE, "cards, NO_CARD while being refilled")
    deck = array(np.int8, NUM_CARDS, "next card last; its order is the only hidden part")
    deck_size = number(np.int8, "cards left in the deck", follows="market, discards")
    discards = array(np.int8, NUM_CARDS, "discarded cards, the last one last")
    num_discards = number(np.int8, "discarded cards")
    # the end
    end_cause = number(np.int8, "why the end was triggered, an EndCause")
    last_turns = number(np.int8, "seats that have not had their last turn")
    agenda = records(Entry, AGENDA_DEPTH, "pending steps, the next one last")
    agenda_size = number(np.int8, "number of pending steps")


GAME: Final = record(State)
