"""One game of *Urban Sprawl* as one record; a batch of games is an array of records.

The city is 36 blocks of four *lots*; a lot is ``block * 4 + corner``.  A building is identified by
its *first* lot, the lowest corner it covers.  Unless stated otherwise, arrays over lots describe a
building in the entry of its first lot only.  The size of a deck counts the face-down cards; a
face-up top is not among them.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sprawl_env.core.state import common_fields, record
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
from sprawl_env.kernels.old_agenda import agenda_fields

# The end of a turn, an event drawn in it, its effects, one of them for several seats, inside it
# another two deep, an election in that with the Mayor's park and the Contractor, a decision.
AGENDA_DEPTH: Final = 32

GAME: Final = record(
    [
        *common_fields(),
        # options
        ("length", np.int8),  # a Length
        ("max_turns", np.int16),
        # the turn
        ("active", np.int8),
        ("points", np.int8),  # action points left
        ("investing", np.int8),  # 1 until the first action
        ("contracts_built", np.int8),  # this turn
        ("fresh_favors", np.int8),  # set of the Favors taken this turn
        # the seats
        ("wealth", np.int16, (MAX_SEATS,)),
        ("prestige", np.int16, (MAX_SEATS,)),
        ("hand", np.int8, (MAX_SEATS, NUM_KINDS)),  # planning cards by kind
        ("favors", np.int8, (MAX_SEATS, FAVORS)),  # contracts in order of taking, NO_CARD
        ("vocations", np.int8, (MAX_SEATS, NUM_VOCATIONS)),  # markers held
        ("vocations_left", np.int8, (NUM_VOCATIONS,)),
        ("office", np.int8, (NUM_OFFICES,)),  # its holder, NOBODY
        ("in_play", np.int8),  # set of offices
        ("pawn", np.int8),  # office on the election track
        # planning cards
        ("planning", np.int8, (PLANNING_SPACES + 1,)),  # kinds at 1 to 4 AP, the face-up top
        ("planning_deck", np.int8, (PLANNING_CARDS,)),  # kinds, next card last
        ("planning_size", np.int8),
        ("no_events", np.int8),  # number of next cards known not to be events (U13)
        ("rebuilt", np.int8),  # 1: rebuilt since the turn, or its end, began (U41)
        ("planning_discards", np.int8, (NUM_PLANNING,)),  # by kind
        # contracts
        ("contract", np.int8, (CONTRACT_SPACES,)),  # cards at 1 to 5 AP, NO_CARD
        ("deck_top", np.int8, (NUM_DECKS,)),  # face up, NO_CARD
        ("deck", np.int8, (NUM_DECKS, DECK_CARDS)),  # next card last
        ("deck_size", np.int8, (NUM_DECKS,)),
        ("active_decks", np.int8),  # set
        # the city
        ("corners", np.int8, (NUM_LOTS,)),  # corners of the building that begins here, 0: none
        ("zone", np.int8, (NUM_LOTS,)),
        ("owner", np.int8, (NUM_LOTS,)),
        ("power", np.int8, (NUM_LOTS,)),  # a Power
        ("lasting", np.int8, (MAX_SEATS, NUM_POWERS)),  # buildings with a Power, by controller
        ("standing", np.int8, (NUM_LOTS,)),  # on every lot: its building's kind_of, 0 if empty
        ("holder", np.int8, (NUM_LOTS,)),  # on every lot: the controller of its building, NOBODY
        ("firsts", np.int64, (NUM_PARTS,)),  # set of the first lots
        ("occupied", np.int8, (NUM_BLOCKS,)),  # sets of corners
        ("across", np.int32, (NUM_BLOCKS,)),  # by corner, zones of buildings across a street
        ("inside", np.int8, (NUM_BLOCKS,)),  # set of the zones of the buildings in a block
        ("fitting", np.int16, (NUM_BLOCKS, NUM_ZONES)),  # sets of legal empty footprints
        ("room", np.int64, (NUM_ZONES, MAX_SIZE)),  # blocks with a legal empty footprint
        ("in_row", np.int8, (MAX_SEATS, SIDE)),  # buildings controlled, by block row
        ("in_column", np.int8, (MAX_SEATS, SIDE)),
        ("controls", np.int8, (MAX_SEATS, NUM_COLOURS)),  # by zone, then parks
        ("tiles", np.int8, (NUM_COLOURS, MAX_SIZE)),  # in the supply
        ("starting", np.int64),  # set of the starting buildings not claimed yet
        # the lines
        ("marker_at", np.int8, (NUM_GREYS,)),  # marker on a grey space, NO_MARKER
        ("value", np.int8, (NUM_BLOCKS,)),
        ("worth_up_to", np.int64, (MOST_VALUE + 1,)),  # blocks of at most that value
        # context of the effects being run
        ("card", np.int8),  # the contract just built, NO_CARD
        ("event", np.int8),  # planning event being executed, NO_KIND
        ("lot", np.int16),  # first lot of the building just built, NO_LOT
        ("asked_row", np.int8),  # 1 the column, 0 the row
        ("asked_zone", np.int8),
        *agenda_fields(AGENDA_DEPTH),
    ]
)
