"""What an observation of *Tower Up* contains: everything except the order of the deck.

Seats are numbered from the observer: 0 is itself, 1 the next seat clockwise, and so on.

The bounds come from the board and the rules, so most blocks show the number as it is.  Numbers that
depend on the data files are clipped at what the packaged data need.
"""

from __future__ import annotations

from typing import Final

from sprawl_env.core.layout import Observation, ObservationLayout, block, entity, layout_of
from sprawl_env.core.state import Tables
from sprawl_env.games.tower_up.constants import (
    BOARD_2P,
    BOARD_4P,
    COLOURS,
    COUNTED_HEIGHTS,
    MARKET_SIZE,
    MAX_COLUMNS,
    MAX_HEIGHT,
    MAX_SEATS,
    MAX_STREETS,
    MIN_SEATS,
    MOST_CARD_FLOORS,
    MOST_STEPS,
    NUM_CARDS,
    NUM_OBJECTIVES,
    NUM_ROOFS,
    OBJECTIVES_IN_PLAY,
)

DECISIONS: Final = ("turn", "floor to choose", "floor to return", "roof")
END_CAUSES: Final = ("a last roof", "a shortage")
MOST_COST: Final = MAX_STREETS + 1  # the new building's floor and one for each neighbour

# Where the numbers of a block are clipped.
MOST_GAIN: Final = 12  # millions of a full row
MOST_ON_CARD: Final = 2  # floors of one colour
MOST_HELD: Final = 10  # floors a reserve may hold
MOST_TO_STAR: Final = 2
MOST_CHIP: Final = 7
MOST_NEED: Final = 5  # of an objective
MOST_SCORE: Final = 81  # four full markers, a full cone and three best chips
MOST_SUPPLY: Final = 30
MOST_TURNS_SEEN: Final = 100
PERCENT: Final = 100

_SEAT: Final = ", by seat from the observer"


class Seen(Observation):
    """The observation of one seat."""

    site = entity("sites")
    height = block((site, COLOURS), "floors of the building, by its colour", scale=1 / MAX_HEIGHT)
    price = block(
        (site, COLOURS), "empty sites: adjacent buildings by colour", scale=1 / MAX_STREETS
    )
    reach = block(
        (site, COLOURS),
        "empty sites: floors of the tallest adjacent building by colour",
        scale=1 / MAX_HEIGHT,
    )
    cost = block(
        site, "empty sites: floors to pay, the new building's included", scale=1 / MOST_COST
    )
    payable = block(site, "empty sites: 1 if the observer could build here now")
    missing = block(
        site,
        "empty sites: floors the observer lacks to build here in the best colour",
        scale=1 / MOST_COST,
    )
    gain = block(
        site,
        "millions the observer's markers would gain: by a roof on this building, or by the best "
        "roof after building here",
        scale=1 / MOST_GAIN,
    )
    new_building = block(site, "1 for the building that waits for its roof")
    helps = block(
        (site, OBJECTIVES_IN_PLAY),
        "1 if the observer's presence here would advance an objective it has not fulfilled "
        "(five adjacent buildings: 1 beside its own buildings; borders and heights: always 0)",
    )
    covers = block(
        (site, "seats"),
        f"empty sites: roofs on top of adjacent buildings{_SEAT}",
        scale=1 / MAX_STREETS,
    )
    roofs = block((site, "seats"), f"roofs at any height{_SEAT}", scale=1 / MAX_HEIGHT)
    top = block((site, "seats"), f"1 if the building's top is a roof{_SEAT}")

    decision = block((DECISIONS,), f"{', '.join(DECISIONS)}: one is 1")
    to_choose = block(1, "floors the seat to play still has to choose", scale=1 / MOST_CARD_FLOORS)
    vehicle = block(
        (COLOURS,), "steps its marker will move after they are chosen", scale=1 / MOST_STEPS
    )
    reserve = block(("seats", COLOURS), f"floors in hand, at most 10{_SEAT}", scale=1 / MOST_HELD)
    roofs_left = block("seats", f"roofs not placed yet{_SEAT}", scale=1 / NUM_ROOFS)
    marker = block(("seats", COLOURS), f"steps moved{_SEAT}", scale=1 / (MAX_COLUMNS - 1))
    to_star = block(
        ("seats", COLOURS),
        f"steps short of the next star column, at most 2{_SEAT}",
        scale=1 / MOST_TO_STAR,
    )
    visible = block("seats", f"roofs that are a building's top{_SEAT}", scale=1 / NUM_ROOFS)
    chip = block(
        ("seats", OBJECTIVES_IN_PLAY), f"millions won, at most 7{_SEAT}", scale=1 / MOST_CHIP
    )
    progress = block(
        ("seats", OBJECTIVES_IN_PLAY),
        f"of what the objective needs, how much is done, at most 5{_SEAT}",
        scale=1 / MOST_NEED,
    )
    needed = block(
        ("seats", OBJECTIVES_IN_PLAY),
        f"of what the objective needs, how much is left, at most 5{_SEAT}",
        scale=1 / MOST_NEED,
    )
    roof_heights = block(("seats", COUNTED_HEIGHTS), f"1 for a roof at height 1 to 4{_SEAT}")
    score = block("seats", f"millions now, at most 81{_SEAT}", scale=1 / MOST_SCORE)
    to_play = block("seats", f"1 for the seat that owes the decision{_SEAT}")
    counted = block("seats", f"1 once the cone has moved{_SEAT}")
    objective = block((OBJECTIVES_IN_PLAY, NUM_OBJECTIVES), "1 for the card in play")
    next_chip = block(
        OBJECTIVES_IN_PLAY, "millions of the best chip left, at most 7", scale=1 / MOST_CHIP
    )

    card = entity(MARKET_SIZE)
    card_floors = block((card, COLOURS), "floors by colour, at most 2", scale=1 / MOST_ON_CARD)
    card_multicolour = block(card, "multicolour floors, at most 2", scale=1 / MOST_ON_CARD)
    card_vehicle = block((card, COLOURS), "vehicle steps by colour", scale=1 / MOST_STEPS)
    card_gain = block(
        card,
        "millions the vehicle moves the observer's marker by",
        scale=1 / MOST_GAIN,
    )
    card_enables = block(
        card,
        "best gain of the sites that the observer could pay for with these floors added",
        scale=1 / MOST_GAIN,
    )

    supply = block((COLOURS,), "floors left, at most 30", scale=1 / MOST_SUPPLY)
    deck = block(1, "cards left in the deck", scale=1 / NUM_CARDS)
    end_cause = block((END_CAUSES,), f"1 if the end was triggered: by {', by '.join(END_CAUSES)}")
    last_turns = block(1, "seats that have not had their last turn", scale=1 / MAX_SEATS)
    turn = block(1, "turns finished, at most 100", scale=1 / MOST_TURNS_SEEN)
    turns_left = block(
        1, "turns left until the game is truncated, at most 100", scale=1 / MOST_TURNS_SEEN
    )
    turn_share = block(
        1, "percent of the turns after which the game is truncated, rounded down", scale=1 / PERCENT
    )


def layout(tables: Tables, num_seats: int) -> ObservationLayout:
    """Return the layout of the observations of games with a number of seats."""
    board = BOARD_2P if num_seats == MIN_SEATS else BOARD_4P
    return layout_of(Seen, sites=int(tables.num_sites[0, board]), seats=num_seats)
