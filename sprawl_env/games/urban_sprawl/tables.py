"""The compiled data of *Urban Sprawl* as one record (``data_files.compile_tables``)."""

from __future__ import annotations

from typing import Final

import numpy as np

from sprawl_env.games.urban_sprawl.constants import (
    CONTRACT_SPACES,
    MAX_SEATS,
    MAX_SIZE,
    MOST_ICON,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_COLUMNS,
    NUM_DECKS,
    NUM_DOUBLE_ROWS,
    NUM_EVENTS,
    NUM_MARKERS,
    NUM_PERMITS,
    NUM_VOCATIONS,
    PLANNING_SPACES,
    VOCATIONS_A_CARD,
)
from sprawl_env.games.urban_sprawl.layout import NUM_CARD_FEATURES, Seen
from sprawl_env.kernels.records import Record, array, number, part, record, records

STARTING: Final = 12  # starting buildings
NAME_SIZE: Final = 32  # bytes
NO_ZONE: Final = -1
MAX_EFFECTS: Final = 600
MAYORS_PARK: Final = 0  # index of the effect of no card: a Mayor's park (US 6.9)


class Effect(Record):
    """An effect of a card: a verb with its parameters (US §7); numbers are of ``vocabulary``."""

    then_first = number(np.int16, "first effect of then, or first option")
    else_first = number(np.int16, "first effect of otherwise")
    then_count = number(np.int8, "effects of then, or options")
    else_count = number(np.int8, "effects of otherwise")
    verb = number(np.int8, "what it does, a Verb")
    who = number(np.int8, "the seats it affects, a Who")
    what = number(np.int8, "WEALTH, PRESTIGE or EITHER")
    amount = number(np.int8, "wealth, prestige, cards or action points")
    per = number(np.int8, "what the amount is multiplied by, a Per")
    vocation = number(np.int8, "vocation, CHOSEN_VOCATION, NO_VOCATION")
    colours = number(np.int8, "set of zones and parks that the filter accepts")
    asks_zone = number(np.int8, "1: the zone of the filter is chosen")
    sizes = number(np.int8, "set of sizes - 1 that the filter accepts")
    owner = number(np.int8, "whose buildings the filter accepts, an Owner")
    where = number(np.int8, "where the buildings or places are, a Where")
    printed_number = number(np.int8, "number of a line or of a new marker, 0")
    extreme = number(np.int8, "which of the accepted buildings, an Extreme")
    times_value = number(np.int8, "1: times the value of the building")
    line = number(np.int8, "which line a payout pays, a Line")
    marker = number(np.int8, "which marker is added, a MarkerChoice")
    new_zone = number(np.int8, "zone of a building to place, or CHOSEN")
    new_size = number(np.int8, "size of a building to place")
    uncontrolled = number(np.int8, "1: nobody controls the building placed")
    save_what = number(np.int8, "WEALTH or PRESTIGE that saves the building")
    save_amount = number(np.int8, "what saving costs, 0: it cannot be saved")
    office = number(np.int8, "office, ALL, CHOSEN or POLITICIANS")
    power = number(np.int8, "lasting effect, a Power")
    deck = number(np.int8, "deck that is activated")


class Table(Record):
    """The tables of a game."""

    at = part(Seen, "where the blocks of the observation start")
    seen_seats = number(np.int8, "seats in the observation layout")
    # the board
    column_number = array(np.int8, NUM_COLUMNS, "wealth numbers of the columns")
    row_number = array(np.int8, NUM_DOUBLE_ROWS, "prestige numbers of the double rows")
    marker_number = array(np.int8, NUM_MARKERS, "numbers of the markers")
    start_zone = array(np.int8, STARTING, "zone of each starting building")
    start_lot = array(np.int16, STARTING, "lot of each starting building")
    vocation_markers = array(np.int8, NUM_VOCATIONS, "markers of each vocation")
    tiles = array(np.int8, (NUM_COLOURS, MAX_SIZE), "building tiles by zone, then parks, and size")
    places = array(np.int8, (MOST_ICON + 1, MAX_SEATS), "payout by number of the line and place")
    planning_cost = array(np.int8, PLANNING_SPACES + 1, "AP of the planning spaces, the top")
    build_cost = array(np.int8, CONTRACT_SPACES + NUM_DECKS, "AP of the contract spaces, the tops")
    action_points = number(np.int8, "action points of a turn")
    boss_points = number(np.int8, "action points of the Union Boss")
    treasurer = number(np.int8, "wealth that each opponent pays the Treasurer")
    opening_wealth = array(np.int16, MAX_SEATS + 1, "wealth at the start, by number of seats")
    opening_cards = array(np.int8, MAX_SEATS, "planning cards at the start, by seat")
    tie_value = number(np.int8, "value of the starting building that breaks the tie for MEDIA")
    wealth_a_point = number(np.int8, "wealth that scores a point at the end")
    # planning cards
    permits = array(np.int8, NUM_PERMITS, "permits of each kind")
    permit_zones = array(np.int8, NUM_PERMITS, "set of zones of each kind")
    permit_lanes = array(np.int64, NUM_PERMITS, "permits by zone, packed into lanes")
    permit_wealth = array(np.int8, NUM_PERMITS, "wealth value of each kind")
    permit_ballot = array(np.int8, NUM_PERMITS, "1: the kind has a ballot")
    permit_copies = array(np.int8, NUM_PERMITS, "cards of each kind")
    renewal_copies = number(np.int8, "Urban Renewals")
    event_first = array(np.int16, NUM_EVENTS, "first effect of each planning event")
    event_count = array(np.int8, NUM_EVENTS, "effects of each planning event")
    event_name = array(np.uint8, (NUM_EVENTS, NAME_SIZE), "names of the planning events, UTF-8")
    # contracts and events of the three decks
    card_zone = array(np.int8, NUM_CARDS, "zone, NO_ZONE for an event")
    card_size = array(np.int8, NUM_CARDS, "size of the building")
    card_prestige = array(np.int8, NUM_CARDS, "prestige icon, 0")
    card_vocation = array(np.int8, (NUM_CARDS, VOCATIONS_A_CARD), "vocations, NO_VOCATION")
    card_number = array(np.int8, (NUM_CARDS, VOCATIONS_A_CARD), "what a marker scores")
    card_next_to = array(np.int16, NUM_CARDS, "what the building must touch, a set of Next")
    card_empty_block = array(np.int8, NUM_CARDS, "1: only in an empty block")
    card_at_least = array(np.int8, NUM_CARDS, "least value of the block, 0")
    card_at_most = array(np.int8, NUM_CARDS, "most value of the block, MOST_VALUE")
    card_highest = array(np.int8, NUM_CARDS, "1: only in the highest block")
    card_any_zone = array(np.int8, NUM_CARDS, "1: ignores zoning")
    card_restricted = array(np.int8, NUM_CARDS, "1: any of the six fields before is set")
    card_special = array(np.int8, NUM_CARDS, "1: the special event of its deck")
    card_first = array(np.int16, NUM_CARDS, "first effect")
    card_effects = array(np.int8, NUM_CARDS, "number of effects")
    card_name = array(np.uint8, (NUM_CARDS, NAME_SIZE), "name, UTF-8")
    card_features = array(np.int8, (NUM_CARDS, NUM_CARD_FEATURES), "card features (layout.py)")
    effects = records(Effect, MAX_EFFECTS, "the effects of all cards (cards.EffectCompiler)")


TABLES: Final = record(Table)
