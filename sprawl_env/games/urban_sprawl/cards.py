"""Effects of cards: their rows in the data files, how they are checked and compiled (US §7).

An effect is a verb with named parameters.  The tables hold the effects of all cards in one list,
those of one card next to each other.  The effects inside another (``then``, ``otherwise``,
``options``) are in the same list; the outer effect holds the index of the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final

import numpy as np
from pydantic import Field

from sprawl_env.core.errors import DataError
from sprawl_env.core.rows import Fields, length, one_of
from sprawl_env.core.state import Tables
from sprawl_env.games.urban_sprawl.actions import MOST_OPTIONS
from sprawl_env.games.urban_sprawl.constants import (
    DECKS,
    EITHER,
    MAX_SIZE,
    MONEY,
    MOST_ICON,
    NO_VOCATION,
    OFFICES,
    VOCATIONS,
    WEALTH,
    ZONES,
    Power,
)
from sprawl_env.games.urban_sprawl.vocabulary import (
    ALL,
    CHOSEN,
    CHOSEN_VOCATION,
    PARAMETERS,
    POLITICIANS,
    Extreme,
    Line,
    MarkerChoice,
    Owner,
    Per,
    Verb,
    Where,
    Who,
    words,
)

MAX_EFFECTS: Final = 600
MAYORS_PARK: Final = 0  # index of the effect of no card: a Mayor's park (US 6.9)
MOST_EFFECTS: Final = 6  # of a card
DEEPEST: Final = 2
MOST: Final = 99
ANY_COLOUR: Final = 31
ANY_SIZE: Final = 15


Money = Annotated[str, one_of(MONEY[:2])]
Size = Annotated[int, Field(ge=1, le=MAX_SIZE)]
Zone = Annotated[str, one_of((*ZONES, "chosen"))]


class EffectRow(Fields):
    """An effect: a verb and its parameters (README, "Effects")."""

    do: Annotated[str, one_of(words(Verb))]
    who: Annotated[str, one_of(words(Who))] = ""
    what: Annotated[str, one_of(MONEY)] = ""
    number: Annotated[int, Field(ge=1, le=MOST_ICON)] = 0
    amount: Annotated[int, Field(ge=0, le=MOST)] = 0
    per: Annotated[str, one_of(words(Per)[1:])] = ""
    vocation: Annotated[str, one_of((*VOCATIONS, "chosen"))] = ""
    zones: Annotated[tuple[Zone, ...], length(1, len(ZONES))] = ()
    sizes: Annotated[tuple[Size, ...], length(1, MAX_SIZE)] = ()
    owner: Annotated[str, one_of(words(Owner))] = ""
    where: Annotated[str, one_of(words(Where))] = ""
    extreme: Annotated[str, one_of(words(Extreme)[1:])] = ""
    times_value: bool = False
    line: Annotated[str, one_of(words(Line))] = ""
    marker: Annotated[str, one_of(words(MarkerChoice)[:3])] = ""
    zone: Zone = ""
    size: Size = 0
    uncontrolled: bool = False
    save_what: Money = ""
    save_amount: Annotated[int, Field(ge=1, le=MOST)] = 0
    office: Annotated[str, one_of((*OFFICES, "all", "chosen", "politicians"))] = ""
    power: Annotated[str, one_of(words(Power)[1:])] = ""
    deck: Annotated[str, one_of(DECKS)] = ""
    then: Annotated[tuple[EffectRow, ...], length(1, MOST_EFFECTS)] = ()
    otherwise: Annotated[tuple[EffectRow, ...], length(1, MOST_EFFECTS)] = ()
    options: Annotated[tuple[EffectRow, ...], length(2, MOST_OPTIONS)] = ()

    @property
    def inner(self) -> tuple[EffectRow, ...]:
        """The effects inside this one."""
        return (*self.then, *self.otherwise, *self.options)


EFFECTS: Final = [
    ("verb", np.int8, (MAX_EFFECTS,)),
    ("who", np.int8, (MAX_EFFECTS,)),
    ("what", np.int8, (MAX_EFFECTS,)),
    ("amount", np.int8, (MAX_EFFECTS,)),
    ("per", np.int8, (MAX_EFFECTS,)),
    ("of_vocation", np.int8, (MAX_EFFECTS,)),
    ("colours", np.int8, (MAX_EFFECTS,)),  # set of zones and parks that a filter accepts
    ("asks_zone", np.int8, (MAX_EFFECTS,)),
    ("sizes", np.int8, (MAX_EFFECTS,)),  # set of sizes - 1
    ("of_owner", np.int8, (MAX_EFFECTS,)),
    ("where", np.int8, (MAX_EFFECTS,)),
    ("number", np.int8, (MAX_EFFECTS,)),
    ("extreme", np.int8, (MAX_EFFECTS,)),
    ("times_value", np.int8, (MAX_EFFECTS,)),
    ("pays", np.int8, (MAX_EFFECTS,)),  # a Line
    ("marker_choice", np.int8, (MAX_EFFECTS,)),
    ("new_zone", np.int8, (MAX_EFFECTS,)),  # of a building to place, or CHOSEN
    ("new_size", np.int8, (MAX_EFFECTS,)),
    ("uncontrolled", np.int8, (MAX_EFFECTS,)),
    ("save_what", np.int8, (MAX_EFFECTS,)),
    ("save_amount", np.int8, (MAX_EFFECTS,)),
    ("of_office", np.int8, (MAX_EFFECTS,)),
    ("of_power", np.int8, (MAX_EFFECTS,)),
    ("of_deck", np.int8, (MAX_EFFECTS,)),
    ("then_first", np.int16, (MAX_EFFECTS,)),  # or of the options
    ("then_count", np.int8, (MAX_EFFECTS,)),
    ("else_first", np.int16, (MAX_EFFECTS,)),
    ("else_count", np.int8, (MAX_EFFECTS,)),
]


# -------------------------------------------------------------------------------------- checking

NEEDS_AMOUNT: Final = {
    Verb.GAIN,
    Verb.LOSE,
    Verb.PAY,
    Verb.STEAL,
    Verb.DISASTER,
    Verb.DRAW,
    Verb.DISCARD,
    Verb.EXTRA_AP,
    Verb.SCORE,
}
NEEDS_WHAT: Final = {Verb.GAIN, Verb.LOSE, Verb.PAY, Verb.STEAL, Verb.DISASTER}
NEEDS: Final = {
    Verb.PAYOUT: ("line",),
    Verb.PLACE: ("zone", "size"),
    Verb.ELECTION: ("office",),
    Verb.GIVE: ("office",),
    Verb.VOCATION: ("vocation",),
    Verb.SCORE: ("vocation",),
    Verb.LASTING: ("power",),
    Verb.AUCTION: ("then",),
    Verb.OPTIONAL: ("then",),
    Verb.CHOOSE: ("options",),
    Verb.ENTER: ("office",),
    Verb.ACTIVATE: ("deck",),
}
SEVERAL: Final = {"each", "opponents", "controller"}
WHO: Final = {
    Verb.GAIN: set(words(Who)) - {"chosen"},
    Verb.LOSE: set(words(Who)) - {"chosen"},
    Verb.PAY: set(words(Who)) - {"chosen", "controller", "self", "builder"},
    Verb.STEAL: {"opponents", "chosen", "most_prestige", "most_wealth"},
    Verb.CHOOSE: set(words(Who)) - {"chosen", *SEVERAL},
    Verb.GIVE: set(words(Who)) - {"chosen", *SEVERAL},
}
ANYBODY: Final = set(words(Who)) - {"chosen", "controller"}
NOT_ON_EVENTS: Final = {"rows", "row", "other_row", "block", "adjacent"}
OFFICES_OF: Final = {
    Verb.ELECTION: {*OFFICES[:-1], "all", "chosen"},
    Verb.GIVE: {*OFFICES, "chosen"},
    Verb.ENTER: {"politicians", "contractor"},
}


def check_effects(effects: Sequence[EffectRow], where: str, event: bool) -> None:
    """Check all effects of a card.

    Raises:
        DataError: naming file, row and field.
    """
    for k, effect in enumerate(effects, start=1):
        _check(effect, f"{where}: effects {k}", event, 0)


def _check(effect: EffectRow, where: str, event: bool, depth: int) -> None:
    """Check one effect and the effects inside it."""
    for problem in _problems(effect, event):
        raise DataError(f"{where}: {problem}")
    if effect.inner and depth == DEEPEST:
        raise DataError(f"{where}: {effect.do}: expected effects nested at most {DEEPEST} deep")
    for name in ("then", "otherwise", "options"):
        for k, inner in enumerate(getattr(effect, name), start=1):
            _check(inner, f"{where}: {name} {k}", event, depth + 1)


def _problems(effect: EffectRow, event: bool) -> Iterator[str]:
    """Yield what is wrong with one effect, without the effects inside it."""
    verb = Verb[effect.do.upper()]
    for name in effect.model_dump(exclude={"do"}, exclude_defaults=True):
        if name not in PARAMETERS[verb]:
            known = ", ".join(sorted(PARAMETERS[verb])) or "none"
            yield f"{name}: {effect.do} has no such parameter: expected {known}"
    for name in NEEDS.get(verb, ()):
        if not getattr(effect, name):
            yield f"{name} is missing: {effect.do} needs it"
    if verb in NEEDS_AMOUNT and not effect.amount:
        yield f"amount is missing: expected a whole number 1..{MOST}"
    if verb in NEEDS_WHAT and not effect.what:
        yield f"what is missing: expected one of {', '.join(MONEY)}"
    yield from _wrong_words(effect, verb, event)
    yield from _wrong_together(effect, verb)


def _wrong_words(effect: EffectRow, verb: Verb, event: bool) -> Iterator[str]:
    """Yield the words that this verb, or an event, does not allow."""
    allowed = WHO.get(verb, ANYBODY)
    if effect.who and effect.who not in allowed:
        yield f"who: expected one of {', '.join(sorted(allowed))}, got {effect.who!r}"
    offices = OFFICES_OF.get(verb, set())
    if effect.office and effect.office not in offices:
        yield f"office: expected one of {', '.join(sorted(offices))}, got {effect.office!r}"
    chosen = "chosen" in effect.zones
    if chosen and len(effect.zones) > 1:
        yield "zones: expected 'chosen' alone"
    if verb in {Verb.STEAL, Verb.DISASTER} and effect.what == "either":
        yield f"what: expected wealth or prestige with {effect.do}"
    if not event:
        return
    if effect.where in NOT_ON_EVENTS:
        yield f"where: expected no {effect.where!r}: an event has no building"
    if effect.per == "value":
        yield "per: expected no 'value': an event has no building"
    if effect.line == "row":
        yield "line: expected no 'row': an event has no building"
    if verb in {Verb.EXTRA_AP, Verb.LASTING}:
        yield f"do: expected no {effect.do!r}: it is for contracts only"


def _wrong_together(effect: EffectRow, verb: Verb) -> Iterator[str]:
    """Yield the parameters that contradict each other."""
    names_line = effect.where == "line" or effect.line == "named"
    if names_line and (not effect.number or effect.what not in MONEY[:2]):
        yield "number, what: expected a number and wealth or prestige to name a line"
    if effect.number and not names_line and verb != Verb.NEW_MARKER:
        yield "number: names a line, expected where = 'line' or line = 'named'"
    if effect.who == "controller" and (effect.per != "building" or effect.owner):
        yield "who: controller expects per = 'building' and no owner"
    if effect.times_value and effect.who != "controller":
        yield "times_value: expected who = 'controller'"
    if effect.extreme and verb in {Verb.GAIN, Verb.LOSE} and effect.per != "building":
        yield "extreme: expected per = 'building'"
    if bool(effect.save_what) != bool(effect.save_amount):
        yield "save_what, save_amount: expected both or none"
    if effect.line == "highest" and effect.what not in MONEY[:2]:
        yield "what: expected wealth or prestige with line = 'highest'"
    if verb == Verb.OPTIONAL and bool(effect.amount) != (effect.what in MONEY[:2]):
        yield "what, amount: expected wealth or prestige and an amount, or neither"
    if verb == Verb.NEW_MARKER and bool(effect.marker) == bool(effect.number):
        yield "marker, number: expected one of them"
    if verb == Verb.NEW_MARKER and effect.marker != "chosen" and effect.what not in MONEY[:2]:
        yield "what: expected wealth or prestige, or marker = 'chosen'"


# ------------------------------------------------------------------------------------- compiling


def of_word(kind: Any, word: str, default: int) -> int:
    """Return the number of a word of the data files, or ``default`` for an empty word."""
    return int(kind[word.upper()]) if word else default


def colours(effect: EffectRow) -> int:
    """Return the set of zones and parks that a filter accepts."""
    if not effect.zones or "chosen" in effect.zones:
        return ANY_COLOUR
    return sum(1 << ZONES.index(zone) for zone in set(effect.zones))


class EffectCompiler:
    """Writes effects into the tables, one after the other."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.size = 0
        park = EffectRow(do="place", zone="PARK", size=1)
        self.add([park], "the Mayor's park")

    def add(self, effects: Sequence[EffectRow], where: str) -> tuple[int, int]:
        """Append a list of effects; return its first index and its length.

        Raises:
            DataError: more than fit.
        """
        first = self.size
        self.size += len(effects)
        if self.size > MAX_EFFECTS:
            raise DataError(f"{where}: expected at most {MAX_EFFECTS} effects over all decks")
        for k, effect in enumerate(effects):
            self._write(first + k, effect, where)
        return first, len(effects)

    def _write(self, e: int, effect: EffectRow, where: str) -> None:
        t = self.tables[0]
        t.verb[e] = of_word(Verb, effect.do, 0)
        t.who[e] = of_word(Who, effect.who, _default_who(effect))
        t.what[e] = MONEY.index(effect.what) if effect.what else _default_what(effect)
        t.amount[e] = effect.amount
        t.per[e] = of_word(Per, effect.per, Per.ONCE)
        t.of_vocation[e] = _vocation(effect.vocation)
        t.colours[e] = colours(effect)
        t.asks_zone[e] = "chosen" in effect.zones
        t.sizes[e] = sum(1 << (size - 1) for size in set(effect.sizes)) or ANY_SIZE
        t.of_owner[e] = of_word(Owner, effect.owner, Owner.ANYONE)
        t.where[e] = of_word(Where, effect.where, Where.ANYWHERE)
        t.number[e] = effect.number
        t.extreme[e] = of_word(Extreme, effect.extreme, Extreme.NONE)
        t.times_value[e] = effect.times_value
        t.pays[e] = of_word(Line, effect.line, Line.NAMED)
        named = MarkerChoice.NAMED
        t.marker_choice[e] = of_word(MarkerChoice, effect.marker, named)
        t.new_zone[e] = CHOSEN if effect.zone == "chosen" else ZONES.index(effect.zone or "CIV")
        t.new_size[e] = effect.size
        t.uncontrolled[e] = effect.uncontrolled
        t.save_what[e] = MONEY.index(effect.save_what) if effect.save_what else WEALTH
        t.save_amount[e] = effect.save_amount
        t.of_office[e] = _office(effect.office)
        t.of_power[e] = of_word(Power, effect.power, Power.NONE)
        t.of_deck[e] = DECKS.index(effect.deck) if effect.deck else 0
        t.then_first[e], t.then_count[e] = self.add(effect.then or effect.options, where)
        t.else_first[e], t.else_count[e] = self.add(effect.otherwise, where)


def _default_who(effect: EffectRow) -> int:
    return Who.OPPONENTS if effect.do in {"pay", "steal"} else Who.SELF


def _default_what(effect: EffectRow) -> int:
    return EITHER if effect.do in {"new_marker", "move_marker"} else WEALTH


def _vocation(word: str) -> int:
    if word == "chosen":
        return CHOSEN_VOCATION
    return VOCATIONS.index(word) if word else NO_VOCATION


def _office(word: str) -> int:
    special = {"": -1, "all": ALL, "chosen": CHOSEN, "politicians": POLITICIANS}
    return special[word] if word in special else OFFICES.index(word)
