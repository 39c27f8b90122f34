"""The data files of *Tower Up* compiled for the kernels, as one record."""

from __future__ import annotations

from typing import Final

import numpy as np

from sprawl_env.games.tower_up.constants import (
    MAX_CHIPS,
    MAX_COLUMNS,
    MAX_CROSSINGS,
    MAX_SEATS,
    MAX_SITES,
    MAX_STARS,
    MAX_STREETS,
    NUM_BOARDS,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_DISTRICTS,
    NUM_OBJECTIVES,
    OBJECTIVES_IN_PLAY,
)
from sprawl_env.games.tower_up.layout import Seen
from sprawl_env.kernels.records import Record, array, number, part, record


class Table(Record):
    """The compiled data; boards are BOARD_2P and BOARD_4P."""

    # the boards (TU §2)
    num_sites = array(np.int8, NUM_BOARDS, "sites of a board")
    num_streets = array(np.int8, (NUM_BOARDS, MAX_SITES), "streets of a site")
    streets = array(np.int8, (NUM_BOARDS, MAX_SITES, MAX_STREETS), "sites next to a site")
    district = array(np.int8, (NUM_BOARDS, MAX_SITES), "district of a site")
    next_to = array(np.int64, (NUM_BOARDS, MAX_SITES), "set of the sites next to a site")
    in_district = array(np.int64, (NUM_BOARDS, NUM_DISTRICTS), "set of a district's sites")
    by_park = array(np.int64, NUM_BOARDS, "set of sites beside any park")
    by_lake = array(np.int64, NUM_BOARDS, "set of sites beside any lake")
    num_crossings = array(np.int16, NUM_BOARDS, "number of crossings")
    crossings = array(np.int64, (NUM_BOARDS, MAX_CROSSINGS), "sets of 4 sites (objective 8)")
    # the reserve cards (TU §8)
    card_floors = array(np.int8, (NUM_CARDS, NUM_COLOURS), "floors shown, by colour")
    card_lanes = array(np.int64, NUM_CARDS, "the same counts, packed into lanes")
    card_multicolour = array(np.int8, NUM_CARDS, "multicolour floors shown")
    card_vehicle = array(np.int8, NUM_CARDS, "colour of the vehicle, or NO_COLOUR")
    card_steps = array(np.int8, NUM_CARDS, "steps of the vehicle, 0 if none")
    card_bottom = array(np.int8, NUM_CARDS, "bottom floor: a colour or MULTICOLOUR")
    # counts (TU §1, §3, §4)
    floors_per_colour = number(np.int8, "floors of each colour")
    reserve_limit = number(np.int8, "floors a seat may hold at the end of its turn")
    starting_reserve = number(np.int8, "floors of each colour a seat begins with")
    chip_values = array(
        np.int8, (MAX_SEATS + 1, MAX_CHIPS), "chips of a shape by number of seats, highest first"
    )
    # the personal board (TU §8)
    marker_values = array(np.int16, MAX_COLUMNS, "millions by column of a marker")
    marker_gain = array(
        np.int8,
        (MAX_COLUMNS, MAX_COLUMNS),
        "[column, steps]: millions that these steps add, clipped for the observation",
    )
    marker_end = number(np.int8, "last column of a marker")
    num_stars = number(np.int8, "star columns")
    star_columns = array(np.int8, MAX_STARS, "columns with a star, ascending")
    cone_values = array(np.int16, MAX_COLUMNS, "millions by column of the cone")
    cone_end = number(np.int8, "last column of the cone")
    # the objectives (TU §6)
    objective_kind = array(np.int8, NUM_OBJECTIVES, "what it counts, an ObjectiveKind")
    objective_need = array(np.int8, NUM_OBJECTIVES, "the number it needs")
    objective_colour = array(np.int8, NUM_OBJECTIVES, "colour it counts, or NO_COLOUR")
    start_objectives = array(np.int8, OBJECTIVES_IN_PLAY, "the START cards")
    # the observation
    at = part(Seen, "where the blocks of the observation start")


TABLES: Final = record(Table)
