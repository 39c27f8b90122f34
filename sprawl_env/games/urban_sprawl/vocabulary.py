"""The words of effects (US §7): verbs, the seats they affect, the buildings they select."""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class Verb(IntEnum):
    """What an effect does; the words of the data files are these names in lower case."""

    GAIN = 0
    LOSE = 1
    PAY = 2
    STEAL = 3
    PAYOUT = 4
    NEW_MARKER = 5
    MOVE_MARKER = 6
    PLACE = 7
    MOVE = 8
    DEMOLISH = 9
    UNCONTROL = 10
    TAKE = 11
    DISASTER = 12
    ELECTION = 13
    GIVE = 14
    FREE_CARD = 15
    DRAW = 16
    DISCARD = 17
    EXTRA_AP = 18
    VOCATION = 19
    SCORE = 20
    LASTING = 21
    OPTIONAL = 22
    AUCTION = 23
    CHOOSE = 24
    ENTER = 25
    ACTIVATE = 26
    END_GAME = 27


NUM_VERB_COLUMNS: Final = 32  # of an observation: room for new verbs


class Who(IntEnum):
    """The seats an effect affects; the offices come first, in their order."""

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


ALL: Final = 6  # office: every politician
CHOSEN: Final = 7  # office, vocation, zone: chosen by the seat that decides
CHOSEN_VOCATION: Final = 8
POLITICIANS: Final = 8  # office: the four that come into play together


def words(kind: type[IntEnum]) -> tuple[str, ...]:
    """Return the names of an enumeration as the data files spell them."""
    return tuple(member.name.lower() for member in kind)


FILTER: Final = frozenset({"zones", "sizes", "owner", "where", "extreme"})
SAVE: Final = frozenset({"save_what", "save_amount"})

# Parameters of each verb besides ``do``; ``what`` and ``number`` together name a line.
PARAMETERS: Final = {
    Verb.GAIN: FILTER | {"who", "what", "number", "amount", "per", "vocation", "times_value"},
    Verb.LOSE: FILTER | {"who", "what", "number", "amount", "per", "vocation", "times_value"},
    Verb.PAY: (FILTER - {"owner"}) | {"who", "what", "number", "amount"},
    Verb.STEAL: frozenset({"who", "what", "amount"}),
    Verb.PAYOUT: frozenset({"line", "what", "number"}),
    Verb.NEW_MARKER: frozenset({"who", "marker", "what", "number"}),
    Verb.MOVE_MARKER: frozenset({"who", "what"}),
    Verb.PLACE: frozenset({"who", "zone", "size", "where", "what", "number", "uncontrolled"}),
    Verb.MOVE: FILTER | {"who", "what", "number"},
    Verb.DEMOLISH: FILTER | SAVE | {"who", "what", "number"},
    Verb.UNCONTROL: FILTER | SAVE | {"who", "what", "number"},
    Verb.TAKE: FILTER | {"who", "what", "number"},
    Verb.DISASTER: FILTER | {"what", "number", "amount"},
    Verb.ELECTION: frozenset({"who", "office"}),
    Verb.GIVE: frozenset({"who", "office"}),
    Verb.FREE_CARD: frozenset({"who"}),
    Verb.DRAW: frozenset({"who", "amount"}),
    Verb.DISCARD: frozenset({"who", "amount"}),
    Verb.EXTRA_AP: frozenset({"amount"}),
    Verb.VOCATION: frozenset({"who", "vocation"}),
    Verb.SCORE: frozenset({"who", "vocation", "amount"}),
    Verb.LASTING: frozenset({"power"}),
    Verb.OPTIONAL: frozenset({"who", "what", "amount", "then", "otherwise"}),
    Verb.AUCTION: frozenset({"then"}),
    Verb.CHOOSE: frozenset({"who", "options"}),
    Verb.ENTER: frozenset({"office"}),
    Verb.ACTIVATE: frozenset({"deck"}),
    Verb.END_GAME: frozenset(),
}
