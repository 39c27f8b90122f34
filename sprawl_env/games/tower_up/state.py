"""One game of *Tower Up* as one record; a batch of games is an array of records."""

from __future__ import annotations

from typing import Final

import numpy as np

from sprawl_env.core.state import common_fields, record
from sprawl_env.games.tower_up.constants import (
    MARKET_SIZE,
    MAX_SEATS,
    MAX_SITES,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_ROOFS,
    OBJECTIVES_IN_PLAY,
)
from sprawl_env.kernels.old_agenda import agenda_fields

# END_OF_TURN, RETURN, REFILL, VEHICLE and one FLOOR for each floor of a card
AGENDA_DEPTH: Final = 10

GAME: Final = record(
    [
        *common_fields(),
        # options
        ("starting_floors", np.int8),
        ("objectives", np.int8),  # 0 random, 1 start
        ("max_turns", np.int16),
        # the board
        ("board", np.int8),  # BOARD_2P or BOARD_4P
        ("colour", np.int8, (MAX_SITES,)),  # of the building on a site, or NO_COLOUR
        ("height", np.int8, (MAX_SITES,)),  # floors of the building on a site
        ("top", np.int8, (MAX_SITES,)),  # seat whose roof is the building's top, or NOBODY
        ("topped", np.int64, (MAX_SEATS,)),  # set of sites whose top is a roof of the seat
        ("adjacent", np.int8, (MAX_SITES, NUM_COLOURS)),  # buildings of a colour next to a site
        ("reach", np.int8, (MAX_SITES, NUM_COLOURS)),  # floors of the tallest of them
        ("built", np.int64, (NUM_COLOURS,)),  # set of sites with a building of the colour
        # the seats
        ("reserve", np.int8, (MAX_SEATS, NUM_COLOURS)),  # floors the seat holds
        ("roofs_left", np.int8, (MAX_SEATS,)),
        ("roof_site", np.int8, (MAX_SEATS, NUM_ROOFS)),  # in the order placed, NO_SITE if not yet
        ("roof_height", np.int8, (MAX_SEATS, NUM_ROOFS)),
        ("present", np.int64, (MAX_SEATS,)),  # set of sites with a roof of the seat
        ("twice", np.int64, (MAX_SEATS,)),  # set of sites with two or more
        ("marker", np.int8, (MAX_SEATS, NUM_COLOURS)),  # steps moved
        ("stars", np.int8, (MAX_SEATS,)),  # star columns that have given their extra turn
        ("cone", np.int8, (MAX_SEATS,)),
        ("counted", np.int8, (MAX_SEATS,)),  # 1 once the cone has moved
        ("progress", np.int8, (MAX_SEATS, OBJECTIVES_IN_PLAY)),  # towards an objective's need
        ("chip", np.int8, (MAX_SEATS, OBJECTIVES_IN_PLAY)),  # millions won, 0 if none
        ("fulfilled", np.int8, (MAX_SEATS, OBJECTIVES_IN_PLAY)),
        # shared
        ("supply", np.int8, (NUM_COLOURS,)),
        ("objective", np.int8, (OBJECTIVES_IN_PLAY,)),  # cards in play, by shape of chip
        ("chips_taken", np.int8, (OBJECTIVES_IN_PLAY,)),
        ("market", np.int8, (MARKET_SIZE,)),  # cards, NO_CARD while being refilled
        ("deck", np.int8, (NUM_CARDS,)),  # next card last; its order is the only hidden part
        ("deck_size", np.int8),
        ("discards", np.int8, (NUM_CARDS,)),
        ("num_discards", np.int8),
        # the end
        ("end_cause", np.int8),  # an EndCause
        ("last_turns", np.int8),  # seats that have not had their last turn
        *agenda_fields(AGENDA_DEPTH),
    ]
)
