"""Effects of cards: their rows in the data files, how they are checked and compiled (US §7).

An effect is a verb with named parameters.  The tables hold the effects of all cards in one list,
those of one card next to each other.  The effects inside another (``then``, ``otherwise``,
``options``) are in the same list; the outer effect holds the index of the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final

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
from sprawl_env.games.urban_sprawl.tables import ANY_COLOUR, ANY_SIZE, MAX_EFFECTS
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

MOST_EFFECTS: Final = 6  # of a card
DEEPEST: Final = 2
MOST: Final = 99


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
        out = self.tables[0].effects[e]
        out.verb = of_word(Verb, effect.do, 0)
        out.who = of_word(Who, effect.who, _default_who(effect))
        out.what = MONEY.index(effect.what) if effect.what else _default_what(effect)
        out.amount = effect.amount
        out.per = of_word(Per, effect.per, Per.ONCE)
        out.vocation = _vocation(effect.vocation)
        out.colours = colours(effect)
        out.asks_zone = "chosen" in effect.zones
        out.sizes = sum(1 << (size - 1) for size in set(effect.sizes)) or ANY_SIZE
        out.owner = of_word(Owner, effect.owner, Owner.ANYONE)
        out.where = of_word(Where, effect.where, Where.ANYWHERE)
        out.printed_number = effect.number
        out.extreme = of_word(Extreme, effect.extreme, Extreme.NONE)
        out.times_value = effect.times_value
        out.line = of_word(Line, effect.line, Line.NAMED)
        named = MarkerChoice.NAMED
        out.marker = of_word(MarkerChoice, effect.marker, named)
        out.new_zone = CHOSEN if effect.zone == "chosen" else ZONES.index(effect.zone or "CIV")
        out.new_size = effect.size
        out.uncontrolled = effect.uncontrolled
        out.save_what = MONEY.index(effect.save_what) if effect.save_what else WEALTH
        out.save_amount = effect.save_amount
        out.office = _office(effect.office)
        out.power = of_word(Power, effect.power, Power.NONE)
        out.deck = DECKS.index(effect.deck) if effect.deck else 0
        out.then_first, out.then_count = self.add(effect.then or effect.options, where)
        out.else_first, out.else_count = self.add(effect.otherwise, where)


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
