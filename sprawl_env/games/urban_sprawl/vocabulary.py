"""The words of effects besides their verbs (US §7): seats affected, buildings selected."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from sprawl_env.games.urban_sprawl.constants import OFFICES


class Who(IntEnum):
    """The seats an effect affects."""

    MAYOR = 0
    ATTORNEY = 1
    TREASURER = 2
    POLICE = 3
    BOSS = 4
    CONTRACTOR = 5
    MEDIA = 6
    MOST_PRESTIGE = 7
    LEAST_PRESTIGE = 8
    MOST_WEALTH = 9
    LEAST_WEALTH = 10
    SELF = 11
    BUILDER = 12
    EACH = 13
    OPPONENTS = 14
    CONTROLLER = 15
    CHOSEN = 16


# By Who: the office, -1 for the others.
OFFICE_OF: Final = tuple(
    OFFICES.index(who.name.lower()) if who.name.lower() in OFFICES else -1 for who in Who
)


class Per(IntEnum):
    """What an amount is multiplied by."""

    ONCE = 0
    BUILDING = 1
    VOCATION = 2
    VALUE = 3


class Owner(IntEnum):
    """Whose buildings a filter accepts."""

    ANYONE = 0
    OWN = 1
    OTHERS = 2
    NOBODY = 3
    CONTROLLED = 4


class Where(IntEnum):
    """Where the buildings stand that a filter accepts."""

    ANYWHERE = 0
    ROWS = 1
    ROW = 2
    OTHER_ROW = 3
    LINE = 4
    BLOCK = 5
    ADJACENT = 6
    WATER = 7
    FOREST = 8
    PARK = 9


class Extreme(IntEnum):
    """Which of the accepted buildings, by value."""

    NONE = 0
    HIGHEST = 1
    LOWEST = 2


class Line(IntEnum):
    """Which line a payout pays."""

    NAMED = 0
    ROW = 1
    HIGHEST = 2


class MarkerChoice(IntEnum):
    """Which marker an effect adds."""

    LOWEST = 0
    HIGHEST = 1
    CHOSEN = 2
    NAMED = 3


class Next(IntEnum):
    """What a contract must touch, as bits of a set; the bits of zones are their numbers."""

    PARK = 4
    WATER = 5
    FOREST = 6
    OWN = 7


class Group(IntEnum):
    """Verbs that observations of a card count together (``features``)."""

    LOSSES = 0
    PAYOUTS = 1
    MARKERS = 2
    PLACES = 3
    HARMS = 4
    OFFICES = 5
    CARDS = 6
    LASTING = 7
    VOCATIONS = 8
    CHOICES = 9


NUM_VERB_COLUMNS: Final = 32  # of observations: room for more verbs
ANY_COLOUR: Final = 31
ANY_SIZE: Final = 15
ALL: Final = 6  # office: every politician
CHOSEN: Final = 7  # office, vocation, zone: chosen by the seat that decides
CHOSEN_VOCATION: Final = 8
POLITICIANS: Final = 8  # office: the four that come into play together


def words(kind: type[IntEnum]) -> tuple[str, ...]:
    """Return the names of an enumeration as the data files spell them."""
    return tuple(member.name.lower() for member in kind)
