"""What a seat sees, declared: the blocks of the observation and their scales.

A feature is a whole number that fits int8.  An amount without a limit is shown in steps that become
larger (see ``observation.in_steps``), and a second block has what is above the least amount of the
step.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final

import numpy as np
import numpy.typing as npt

from sprawl_env.core.layout import Observation, ObservationLayout, block, entity, group, layout_of
from sprawl_env.games.urban_sprawl.constants import (
    CONTRACT_SPACES,
    DECKS,
    FAVORS,
    FIRST_FAVOR,
    MAX_SIZE,
    MONEY,
    MOST_ICON,
    MOST_VALUE,
    NUM_BLOCKS,
    NUM_EVENTS,
    NUM_KINDS,
    NUM_LINES,
    NUM_LOTS,
    NUM_POLITICIANS,
    NUM_ZONES,
    OFFICES,
    PLANNING_TOP,
    VOCATIONS,
    ZONES,
)
from sprawl_env.games.urban_sprawl.effect_verbs import Verb
from sprawl_env.games.urban_sprawl.places import block_name, lot_name
from sprawl_env.games.urban_sprawl.steps import DECISIONS, NUM_DECISION_COLUMNS
from sprawl_env.games.urban_sprawl.vocabulary import NUM_VERB_COLUMNS, Group, Next

BUILDABLE: Final = ZONES[:NUM_ZONES]
BLOCKS: Final = tuple(block_name(number) for number in range(NUM_BLOCKS))
NUM_PLACES: Final = FIRST_FAVOR + FAVORS  # of contracts: the row, the deck tops, own Favors

# The names of the things that blocks describe.
_SPACES: Final = tuple(f"{cost} AP" for cost in range(1, CONTRACT_SPACES + 1))
THINGS: Final = {
    "lot": tuple(lot_name(lot) for lot in range(NUM_LOTS)),
    "planning": (*_SPACES[:PLANNING_TOP], "deck top"),
    "contract": (
        *_SPACES,
        *(f"{deck} top" for deck in DECKS),
        *(f"favor {number}" for number in range(1, FAVORS + 1)),
    ),
}


def _columns(kind: Iterable[IntEnum], count: int) -> tuple[str, ...]:
    """Return names of columns: those of the numbers in use, the others' numbers."""
    names = [str(column) for column in range(count)]
    for each in kind:
        names[each] = each.name.lower()
    return tuple(names)


DECISION_WORDS: Final = _columns(DECISIONS, NUM_DECISION_COLUMNS)
VERB_WORDS: Final = _columns(Verb, NUM_VERB_COLUMNS)
EACH_BUILDING: Final = tuple(f"{money} {zone}" for money in MONEY[:2] for zone in ZONES)
GROUPS: Final = tuple(group.name.lower() for group in Group)
LIMITS: Final = ("empty block", "highest block", "any zone")
TOUCHES: Final = (*BUILDABLE, *(each.name.lower() for each in Next))
MARKERS: Final = (
    *(f"wealth {number}" for number in range(7, 13)),
    *(f"prestige {number}" for number in range(4, 7)),
)

# Limits of what is observed.  Amounts without a limit are clipped; the others stay below by the
# rules and by the limits of the data.
MOST_COST: Final = 20
MOST_COPIES: Final = 9  # of a vocation or a kind of permit
MOST_BUILDINGS: Final = 48  # lots of a double row
MOST_TILES: Final = 99
MOST_LEFT: Final = 37  # in a deck of contracts
MOST_PLANNING: Final = 54
MOST_AMOUNT: Final = 16
MOST_POINTS: Final = 8
MOST_TURN: Final = 100
MOST_EFFECT: Final = 8  # sum of the amounts of a card's effects of one kind
MOST_EACH: Final = 4  # wealth or prestige for each building
MOST_PRESTIGE: Final = 6  # icon of a card
MOST_NUMBER: Final = 8  # of a card's vocation
MOST_LIMIT: Final = 25  # of a card, on the value of its block
MOST_STEPS: Final = 127
MOST_ABOVE: Final = 127  # the least amount of a step
HALF_WEALTH: Final = 50  # amounts that are half the steps
HALF_PRESTIGE: Final = 150
HALF_PERMITS: Final = 8


def least_of_steps(half: int) -> npt.NDArray[np.int64]:
    """Return the least amount in each step of ``observation.in_steps``, int64 ``[MOST_STEPS]``."""
    return np.array([-(-half * step // (MOST_STEPS - step)) for step in range(MOST_STEPS)])


class CardFeatures(Observation):
    """What a contract says, computed once with the tables (features.py)."""

    zone = block((BUILDABLE,), "its zone: CIV, COM, IND, RES")
    size = block(1, "its size", scale=1 / MAX_SIZE)
    prestige = block(1, f"its prestige icon, at most {MOST_PRESTIGE}", scale=1 / MOST_PRESTIGE)
    vocations = block(
        (VOCATIONS,),
        f"the number that it scores, at most {MOST_NUMBER}, by vocation",
        scale=1 / MOST_NUMBER,
    )
    next_to = block(
        (TOUCHES,), "it must touch CIV, COM, IND, RES, a park, water, forest, an own building"
    )
    limits = block(
        (("empty block", "highest block", "any zone"),),
        "only in an empty block, only in the highest block, any zone",
    )
    value = block(
        (("least", "most"),),
        f"least and most value of the block, at most {MOST_LIMIT}",
        scale=1 / MOST_LIMIT,
    )
    does = block(
        (GROUPS,),
        "sum of the amounts of its effects, at least 1 for each: lose or steal; pay lines; add or "
        "move markers; place or move buildings; harm or take buildings; elect or give offices; "
        "gain or cost planning cards; action points or lasting; gain or score vocations; "
        "optional, chosen or auctioned",
        scale=1 / MOST_EFFECT,
    )
    once = block((MONEY[:2],), "wealth, prestige gained once", scale=1 / MOST_EFFECT)
    per_own = block(
        (EACH_BUILDING,),
        "wealth, then prestige, that the builder gains for each CIV, COM, IND, RES, park",
        scale=1 / MOST_EACH,
    )
    per_all = block(
        (EACH_BUILDING,),
        "the same for effects by which every controller gains",
        scale=1 / MOST_EACH,
    )
    paid = block(
        (ZONES,), "paid to the builder for each CIV, COM, IND, RES, park", scale=1 / MOST_EACH
    )


CARD_LAYOUT: Final = layout_of(CardFeatures)
NUM_CARD_FEATURES: Final = CARD_LAYOUT.size


class Seen(Observation):
    """The observation; seats are counted from the observer."""

    lot = entity(NUM_LOTS, planes=True)
    zone = block((lot, ZONES), "building on the lot: CIV, COM, IND, RES, park")
    building_size = block(lot, "size of that building", scale=1 / MAX_SIZE)
    right = block(lot, "the building extends to the lot on the right")
    below = block(lot, "the building extends to the lot below")
    value = block(lot, "value of the lot", scale=1 / MOST_VALUE)
    empty = block(lot, "the lot is empty")
    meant = block(lot, "part of the building or footprint that the decision is about")
    controls = block((lot, "seats"), "who controls the building")

    line = entity(NUM_LINES, planes=True)
    number = block(line, "number of the line, 0 if it has none", scale=1 / MOST_ICON)
    pays_wealth = block(line, "the line pays wealth")
    pays_prestige = block(line, "the line pays prestige")
    held = block(
        (line, "seats"), "buildings that a seat controls in the line", scale=1 / MOST_BUILDINGS
    )

    planning = entity(PLANNING_TOP + 1)
    there = block(planning, "a planning card is there: 1 to 4 AP, deck top")
    permits = block(planning, "permits of the card", scale=1 / MAX_SIZE)
    for_zones = block((planning, BUILDABLE), "the permits are for CIV, COM, IND, RES")
    wealth_value = block(planning, "wealth value of the card", scale=1 / MOST_ICON)
    ballot = block(planning, "the card has a ballot")
    renewal = block(planning, "the card is an Urban Renewal")
    takes = block(planning, "action points that it costs", scale=1 / MOST_COST)

    contract = entity(NUM_PLACES)
    offered = block(contract, "a contract is there: 1 to 5 AP, deck tops, own Favors")
    cost = block(contract, "action points that it costs", scale=1 / MOST_COST)
    missing = block(contract, "permits that the observer lacks", scale=1 / MAX_SIZE)
    card = group(CardFeatures, "card features of the contract", of=contract)

    seat = entity("seats")
    wealth = block(
        seat,
        f"wealth w in steps: {MOST_STEPS} * w // (w + {HALF_WEALTH})",
        scale=1 / MOST_STEPS,
    )
    wealth_above = block(seat, "wealth above the least of that step", scale=1 / MOST_ABOVE)
    prestige = block(
        seat,
        f"prestige p in steps: {MOST_STEPS} * p // (p + {HALF_PRESTIGE})",
        scale=1 / MOST_STEPS,
    )
    prestige_above = block(seat, "prestige above the least of that step", scale=1 / MOST_ABOVE)
    active = block(seat, "it is this seat's turn")
    to_play = block(seat, "it is this seat's decision")
    hand = block((seat, NUM_KINDS), "planning cards by kind", scale=1 / MOST_COPIES)
    permit_sum = block(
        (seat, BUILDABLE),
        f"permits p held for CIV, COM, IND, RES in steps: {MOST_STEPS} * p // (p + {HALF_PERMITS})",
        scale=1 / MOST_STEPS,
    )
    permit_sum_above = block(
        (seat, BUILDABLE), "permits above the least of that step", scale=1 / MOST_ABOVE
    )
    vocations = block((seat, VOCATIONS), "vocation markers held", scale=1 / MOST_COPIES)
    offices = block((seat, OFFICES), "offices held")
    buildings = block(
        (seat, ZONES),
        f"buildings controlled, at most {MOST_BUILDINGS}: CIV, COM, IND, RES, parks",
        scale=1 / MOST_BUILDINGS,
    )
    favor = group(CardFeatures, "card features of its first Favor", of=seat)
    other_favor = group(CardFeatures, "card features of its second Favor", of=seat)

    decision = block((DECISION_WORDS,), "the decision to take (`steps.Step`)")
    verb = block((VERB_WORDS,), "verb of the effect that requires the decision")
    money = block(
        (MONEY[:2],), "the effect, or saving a building from it, is about wealth, prestige"
    )
    amounts = block(
        2,
        f"amount; units or cards left, or highest bid; each at most {MOST_AMOUNT}",
        scale=1 / MOST_AMOUNT,
    )
    permits_paid = block(1, "permits paid", scale=1 / MAX_SIZE)
    meant_card = group(CardFeatures, "card features of the contract being built or just built")
    meant_marker = block((MARKERS,), "marker to place: wealth 7 to 12, prestige 4 to 6")
    meant_zone = block((ZONES,), "zone of the building to place: CIV, COM, IND, RES, park")
    meant_office = block((OFFICES,), "office whose tie is to break")
    meant_vocation = block((VOCATIONS,), "vocation to take from an opponent")

    points = block(1, f"AP left, at most {MOST_POINTS}", scale=1 / MOST_POINTS)
    investing = block(1, "the turn has had no action yet")
    nothing_built = block(1, "the turn has built no contract yet")
    event = block(1, "an event is executed")
    turns = block(1, f"turns, at most {MOST_TURN}", scale=1 / MOST_TURN)
    contracts_left = block((DECKS,), "Town, City, Metropolis cards left", scale=1 / MOST_LEFT)
    active_decks = block((DECKS[1:],), "City active, Metropolis active")
    planning_left = block(
        2,
        "planning cards left, next planning cards known not to be events",
        scale=1 / MOST_PLANNING,
    )
    rebuilt = block(1, "planning deck rebuilt since the turn or its end began")
    in_play = block((OFFICES,), "offices in play")
    pawn = block(NUM_POLITICIANS, "office on the election track")
    markers = block((MARKERS,), "markers in the supply: wealth 7 to 12, prestige 4 to 6")
    vocations_left = block((VOCATIONS,), "vocation markers in the supply", scale=1 / MOST_COPIES)
    tiles = block((ZONES, MAX_SIZE), "building tiles in the supply", scale=1 / MOST_TILES)
    discards = block(NUM_KINDS, "planning discards by kind", scale=1 / MOST_COPIES)
    events_discarded = block(NUM_EVENTS, "planning events among the discards")
    room = block(
        (BUILDABLE, BLOCKS),
        "the block has an empty lot where zoning allows CIV, COM, IND, RES",
    )


def seen_layout(num_seats: int) -> ObservationLayout:
    """Return the layout for a number of seats."""
    return layout_of(Seen, THINGS, seats=num_seats)
