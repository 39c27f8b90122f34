"""One game of *Urban Sprawl* as one record; a batch of games is an array of records.

The city is 36 blocks of four *lots*; a lot is ``block * 4 + corner``.  A building is identified by
its *first* lot, the lowest corner it covers.  Unless stated otherwise, arrays over lots describe a
building in the entry of its first lot only.  The size of a deck counts the face-down cards; a
face-up top is not among them.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sprawl_env.core.state import CommonState
from sprawl_env.games.urban_sprawl.constants import (
    CONTRACT_SPACES,
    DECK_CARDS,
    FAVORS,
    MAX_SEATS,
    MAX_SIZE,
    MOST_VALUE,
    NUM_BLOCKS,
    NUM_COLOURS,
    NUM_DECKS,
    NUM_GREYS,
    NUM_KINDS,
    NUM_LOTS,
    NUM_OFFICES,
    NUM_PARTS,
    NUM_PLANNING,
    NUM_POWERS,
    NUM_VOCATIONS,
    NUM_ZONES,
    PLANNING_CARDS,
    PLANNING_SPACES,
    SIDE,
)
from sprawl_env.kernels.agenda import AgendaEntry, argument
from sprawl_env.kernels.records import array, number, record, records

# The end of a turn, an event drawn in it, its effects, one of them for several seats, inside it
# another two deep, an election in that with the Mayor's park and the Contractor, a decision.
AGENDA_DEPTH: Final = 25


class Entry(AgendaEntry):
    """A step of the agenda (``steps.Step``) with its arguments.

    *Self* is the seat for which an effect is run (README, "Effects of cards").
    """

    effect = argument("EFFECTS: the next effect; all other steps of an effect: the effect")
    card = argument("FOOTPRINT, PERMITS, TAKE_VOCATION: the contract", np.int8)
    number = argument("MARKER_GAIN, SCORE_SEATS: what a marker scores", np.int8)
    marker = argument("GREY: the marker to put on a grey space", np.int8)
    office = argument("WINNER, ELECTION: the office", np.int8)
    space = argument("DRAW_PLANNING, DRAW_CONTRACT: the space, or FIRST_TOP + deck", np.int8)
    event = argument("END_EVENT: the planning event", np.int8)
    kind = argument("PAY_WEALTH: the kind of permit", np.int8)
    end_stage = argument("END_OF_TURN: an EndStage", np.int8)
    site = argument("PERMITS: id of the footprint")
    vocation = argument("VOCATION_FROM, SCORE_SEATS: the vocation", np.int8)
    left = argument(
        "MARKER_GAIN, UNIT, DISCARD, EFFECTS: markers, units, cards, effects left", np.int8
    )
    acting_seat = argument("TARGET: the seat for which the building is picked", np.int8)
    lot = argument("SAVE, MOVE_TO: first lot of the building")
    zone = argument("PLACE: zone of the building, or PARK", np.int8)
    highest = argument("BID, NEXT_BID: the highest bid so far", np.int8)
    seats = argument("NEXT_SEAT, LEADER, VICTIM, WINNER, EFFECT, EACH: a set of seats", np.int8)
    place = argument("TAKE_VOCATION: which vocation of the contract, 0 or 1", np.int8)
    paid = argument("PERMITS: permits paid", np.int8)
    self_seat = argument("UNIT, NEXT_SEAT, EACH, ACT: self", np.int8)
    bidder = argument("BID, NEXT_BID: who bid the highest, NOBODY", np.int8)
    stage = argument("EFFECT: a Stage", np.int8)
    turns_left = argument("SCORE_SEATS: seats left * 2 + 1 if the Police Chief gains both", np.int8)


class State(CommonState):
    """The record of a game."""

    # options
    length = number(np.int8, "a Length")
    max_turns = number(np.int16, "turns after which the game is truncated")
    # the turn
    active = number(np.int8, "seat whose turn it is")
    points = number(np.int8, "action points left")
    investing = number(np.int8, "1 until the first action")
    contracts_built = number(np.int8, "contracts built this turn")
    fresh_favors = number(np.int8, "set of the Favors taken this turn")
    # the seats
    wealth = array(np.int16, MAX_SEATS, "wealth of each seat")
    prestige = array(np.int16, MAX_SEATS, "prestige of each seat")
    hand = array(np.int8, (MAX_SEATS, NUM_KINDS), "planning cards by kind")
    favors = array(np.int8, (MAX_SEATS, FAVORS), "contracts in order of taking, NO_CARD")
    vocations = array(np.int8, (MAX_SEATS, NUM_VOCATIONS), "vocation markers held")
    vocations_left = array(
        np.int8, NUM_VOCATIONS, "vocation markers in the supply", follows="vocations"
    )
    office = array(np.int8, NUM_OFFICES, "holder of each office, NOBODY")
    in_play = number(np.int8, "set of the offices in play")
    pawn = number(np.int8, "office on the election track")
    # planning cards
    planning = array(np.int8, PLANNING_SPACES + 1, "kinds at 1 to 4 AP and the face-up top")
    planning_deck = array(np.int8, PLANNING_CARDS, "kinds, next card last")
    planning_size = number(
        np.int8, "face-down planning cards", follows="hand, planning, planning_discards"
    )
    no_events = number(np.int8, "number of next cards known not to be events (U13)")
    rebuilt = number(np.int8, "1: rebuilt since the turn, or its end, began (U41)")
    planning_discards = array(np.int8, NUM_PLANNING, "discarded planning cards by kind")
    # contracts
    contract = array(np.int8, CONTRACT_SPACES, "cards at 1 to 5 AP, NO_CARD")
    deck_top = array(np.int8, NUM_DECKS, "face-up top of each deck, NO_CARD")
    deck = array(np.int8, (NUM_DECKS, DECK_CARDS), "cards of each deck, next card last")
    deck_size = array(
        np.int8, NUM_DECKS, "face-down cards of each deck", follows="contract, deck_top, favors"
    )
    active_decks = number(np.int8, "set of the active decks")
    # the city
    corners = array(np.int8, NUM_LOTS, "corners of the building that begins here, 0: none")
    zone = array(np.int8, NUM_LOTS, "zone of the building, or PARK")
    owner = array(np.int8, NUM_LOTS, "controller of the building, NOBODY")
    power = array(np.int8, NUM_LOTS, "lasting effect of the building, a Power")
    lasting = array(
        np.int8,
        (MAX_SEATS, NUM_POWERS),
        "buildings with a Power, by controller",
        follows="owner, power",
    )
    building_on = array(
        np.int8,
        NUM_LOTS,
        "on every lot: its building's kind_of, 0 if empty",
        follows="corners, zone",
    )
    holder = array(
        np.int8,
        NUM_LOTS,
        "on every lot: the controller of its building, NOBODY",
        follows="corners, owner",
    )
    firsts = array(np.int64, NUM_PARTS, "set of the first lots", follows="corners")
    occupied = array(np.int8, NUM_BLOCKS, "sets of occupied corners", follows="corners")
    across = array(
        np.int32,
        NUM_BLOCKS,
        "by corner, zones of buildings across a street",
        follows="corners, zone",
    )
    inside = array(
        np.int8, NUM_BLOCKS, "set of the zones of the buildings in a block", follows="corners, zone"
    )
    fitting = array(
        np.int16, (NUM_BLOCKS, NUM_ZONES), "sets of legal empty footprints", follows="corners, zone"
    )
    room = array(
        np.int64, (NUM_ZONES, MAX_SIZE), "blocks with a legal empty footprint", follows="fitting"
    )
    in_row = array(
        np.int8, (MAX_SEATS, SIDE), "buildings controlled, by block row", follows="owner"
    )
    in_column = array(
        np.int8, (MAX_SEATS, SIDE), "buildings controlled, by block column", follows="owner"
    )
    controls = array(
        np.int8,
        (MAX_SEATS, NUM_COLOURS),
        "buildings controlled, by zone, then parks",
        follows="owner, zone",
    )
    tiles = array(np.int8, (NUM_COLOURS, MAX_SIZE), "building tiles in the supply")
    starting = number(np.int64, "set of the starting buildings not claimed yet")
    # the lines
    marker_at = array(np.int8, NUM_GREYS, "marker on a grey space, NO_MARKER")
    value = array(np.int8, NUM_BLOCKS, "value of each block", follows="marker_at")
    worth_up_to = array(np.int64, MOST_VALUE + 1, "blocks of at most that value", follows="value")
    # context of the effects being run
    card = number(np.int8, "the contract just built, NO_CARD")
    event = number(np.int8, "planning event being executed, NO_KIND")
    lot = number(np.int16, "first lot of the building just built, NO_LOT")
    asked_row = number(np.int8, "1 the column, 0 the row")
    asked_zone = number(np.int8, "zone chosen for a filter")
    agenda = records(Entry, AGENDA_DEPTH, "pending steps, the next one last")
    agenda_size = number(np.int8, "number of pending steps")


GAME: Final = record(State)
