"""The verbs of effects (US §7): for each a class that says everything about it except its rule.

The class of a verb is its row in the data files: the fields are the verb's parameters, with the
words they take and their defaults.  The class also says in which group of verbs observations count
the verb, which decisions it asks for, and how a card words it.  All lists of verbs are made from
these classes.  The rules are in ``rules/effects.py`` (verbs that act at once) and
``rules/seats.py`` (verbs by which seats act one after another).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import IntEnum
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Self, TypeVar, get_args

from pydantic import Field, TypeAdapter, model_validator

from sprawl_env.core.rows import Fields, length, one_of
from sprawl_env.games.urban_sprawl.actions import MOST_OPTIONS
from sprawl_env.games.urban_sprawl.constants import (
    DECKS,
    MAX_SIZE,
    MONEY,
    MOST_ICON,
    OFFICES,
    VOCATIONS,
    ZONES,
    Power,
)
from sprawl_env.games.urban_sprawl.steps import (
    Step,
)
from sprawl_env.games.urban_sprawl.vocabulary import (
    NUM_VERB_COLUMNS,
    Extreme,
    Group,
    Line,
    MarkerChoice,
    Owner,
    Per,
    Where,
    Who,
    words,
)
from sprawl_env.games.urban_sprawl.wording import Wording


class Verb(IntEnum):
    """What an effect does; the words of the data files are these names in lower case.

    The number of a verb is its column in observations: it never changes, and a new verb takes the
    next one.
    """

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


MOST_EFFECTS: Final = 6  # of a card
MOST: Final = 99
NOT_ON_EVENTS: Final = {"rows", "row", "other_row", "block", "adjacent"}
SEVERAL: Final = {"each", "opponents", "controller"}
ANYBODY: Final = sorted(set(words(Who)) - {"chosen", "controller"})
ONE_SEAT: Final = sorted(set(words(Who)) - {"chosen", *SEVERAL})

Money = Annotated[str, one_of(MONEY[:2])]
MoneyOrEither = Annotated[str, one_of(MONEY)]
Amount = Annotated[int, Field(ge=1, le=MOST)]
Number = Annotated[int, Field(ge=1, le=MOST_ICON)]
Size = Annotated[int, Field(ge=1, le=MAX_SIZE)]
Zone = Annotated[str, one_of((*ZONES, "chosen"))]
Seats = Annotated[str, one_of(ANYBODY)]
OneSeat = Annotated[str, one_of(ONE_SEAT)]
Vocation = Annotated[str, one_of((*VOCATIONS, "chosen"))]
Place = Annotated[str, one_of(words(Where))]


Words = Callable[[Wording], str]


class EffectRow(Fields):
    """An effect: a verb and its parameters (README, "Effects of cards").

    Attributes:
        group: the verbs with which observations of a card count this one; None: with none.
        asks: the decisions about an effect of this verb.
        on_events: whether an event may have the effect.
        default_who: the seats that it affects if ``who`` is not given.
        default_what: the currency if ``what`` is not given.
        wording: the effect in words.
    """

    do: str
    group: ClassVar[Group | None] = None
    asks: ClassVar[tuple[Step, ...]] = ()
    on_events: ClassVar[bool] = True
    default_who: ClassVar[str] = "self"
    default_what: ClassVar[str] = "wealth"
    wording: ClassVar[Words]

    @property
    def verb(self) -> Verb:
        """The verb."""
        return Verb[self.do.upper()]

    @property
    def inner(self) -> dict[str, tuple[EffectRow, ...]]:
        """The effects inside this one, by parameter."""
        return {name: getattr(self, name, ()) for name in ("then", "otherwise", "options")}

    def given(self, name: str) -> Any:
        """Return a parameter, None if it is not given or the verb has no such parameter."""
        return getattr(self, name, None) or None

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        for problem in self.problems():
            raise ValueError(problem)
        return self

    def problems(self) -> Iterator[str]:
        """Yield the parameters that contradict each other."""
        names_line = self.given("where") == "line" or self.given("line") == "named"
        if names_line and (not self.given("number") or self.given("what") not in MONEY[:2]):
            yield "number, what: expected a number and wealth or prestige to name a line"
        if self.given("number") and not names_line and not isinstance(self, NewMarkerRow):
            yield "number: names a line, expected where = 'line' or line = 'named'"

    def problems_on_events(self) -> Iterator[str]:
        """Yield what an event, which has no building, cannot have."""
        if self.given("where") in NOT_ON_EVENTS:
            yield f"where: expected no {self.given('where')!r}: an event has no building"
        if self.given("per") == "value":
            yield "per: expected no 'value': an event has no building"
        if self.given("line") == "row":
            yield "line: expected no 'row': an event has no building"
        if not self.on_events:
            yield f"do: expected no {self.do!r}: it is for contracts only"


R = TypeVar("R", bound=EffectRow)
ROWS: Final[dict[Verb, type[EffectRow]]] = {}


def row_of(verb: Verb) -> Callable[[type[R]], type[R]]:
    """Register the class of a verb.

    Raises:
        ValueError: the class has another word, or observations have no column for the verb.
    """

    def register(row: type[R]) -> type[R]:
        if get_args(row.model_fields["do"].annotation) != (verb.name.lower(),):
            raise ValueError(f"{row.__name__}.do: expected {verb.name.lower()!r}")
        if verb >= NUM_VERB_COLUMNS:
            raise ValueError(f"{verb.name}: expected a number below {NUM_VERB_COLUMNS}")
        ROWS[verb] = row
        return row

    return register


# ------------------------------------------------------------------ buildings that pass a filter


class Filtered(EffectRow):
    """An effect on buildings that pass a filter, under the control of any seat or of none."""

    what: MoneyOrEither = ""
    number: Number = 0
    zones: Annotated[tuple[Zone, ...], length(1, len(ZONES))] = ()
    sizes: Annotated[tuple[Size, ...], length(1, MAX_SIZE)] = ()
    where: Place = ""
    extreme: Annotated[str, one_of(words(Extreme)[1:])] = ""

    def problems(self) -> Iterator[str]:
        """Yield the parameters that contradict each other."""
        if "chosen" in self.zones and len(self.zones) > 1:
            yield "zones: expected 'chosen' alone"
        yield from super().problems()


class Owned(Filtered):
    """An effect on buildings that pass a filter, also by their controller."""

    owner: Annotated[str, one_of(words(Owner))] = ""


# ---------------------------------------------------------------------------- wealth and prestige


class GainOrLose(Owned):
    """``gain`` and ``lose``: wealth, prestige or either, by unit."""

    who: Annotated[str, one_of(sorted(set(words(Who)) - {"chosen"}))] = ""
    what: MoneyOrEither
    amount: Amount
    per: Annotated[str, one_of(words(Per)[1:])] = ""
    vocation: Annotated[str, one_of(VOCATIONS)] = ""
    times_value: bool = False
    asks: ClassVar[tuple[Step, ...]] = (Step.UNIT, Step.HEADLINE)

    def problems(self) -> Iterator[str]:
        """Yield the parameters that contradict each other."""
        yield from super().problems()
        if self.who == "controller" and (self.per != "building" or self.owner):
            yield "who: controller expects per = 'building' and no owner"
        if self.who == "controller" and self.what == "either":
            yield "what: expected wealth or prestige with who = 'controller'"
        if self.times_value and self.who != "controller":
            yield "times_value: expected who = 'controller'"
        if self.extreme and self.per != "building":
            yield "extreme: expected per = 'building'"


@row_of(Verb.GAIN)
class GainRow(GainOrLose):
    """``gain``: the amount times the count."""

    do: Literal["gain"]
    wording: ClassVar[Words] = staticmethod(lambda says: says.gains("gain"))


@row_of(Verb.LOSE)
class LoseRow(GainOrLose):
    """``lose``: the amount times the count."""

    do: Literal["lose"]
    group: ClassVar[Group | None] = Group.LOSSES
    wording: ClassVar[Words] = staticmethod(lambda says: says.gains("lose"))


@row_of(Verb.PAY)
class PayRow(Filtered):
    """``pay``: each opponent pays self for each of its buildings that pass the filter."""

    do: Literal["pay"]
    who: Annotated[
        str,
        one_of(sorted(set(words(Who)) - {"chosen", "controller", "self", "builder"})),
    ] = ""
    what: MoneyOrEither
    amount: Amount
    asks: ClassVar[tuple[Step, ...]] = (Step.UNIT,)
    default_who: ClassVar[str] = "opponents"

    wording: ClassVar[Words] = staticmethod(
        lambda says: f"{says.who()} pays you {says.price()} for each own {says.buildings()}"
    )


@row_of(Verb.STEAL)
class StealRow(EffectRow):
    """``steal``: self takes up to the amount."""

    do: Literal["steal"]
    who: Annotated[str, one_of(("chosen", "most_prestige", "most_wealth", "opponents"))] = ""
    what: Money
    amount: Amount
    group: ClassVar[Group | None] = Group.LOSSES
    asks: ClassVar[tuple[Step, ...]] = (Step.VICTIM,)
    default_who: ClassVar[str] = "opponents"
    wording: ClassVar[Words] = staticmethod(
        lambda says: f"take up to {says.price()} from {says.who()}"
    )


@row_of(Verb.PAYOUT)
class PayoutRow(EffectRow):
    """``payout``: a line pays; with ``row`` self picks a line through this block."""

    do: Literal["payout"]
    line: Annotated[str, one_of(words(Line))]
    what: MoneyOrEither = ""
    number: Number = 0
    group: ClassVar[Group | None] = Group.PAYOUTS
    asks: ClassVar[tuple[Step, ...]] = (Step.PAID_LINE,)

    def problems(self) -> Iterator[str]:
        """Yield the parameters that contradict each other."""
        yield from super().problems()
        if self.line == "highest" and self.what not in MONEY[:2]:
            yield "what: expected wealth or prestige with line = 'highest'"

    wording: ClassVar[Words] = staticmethod(lambda says: says.payout())


# --------------------------------------------------------------------------------------- markers


@row_of(Verb.NEW_MARKER)
class NewMarkerRow(EffectRow):
    """``new_marker``: a marker from the supply to an empty grey space."""

    do: Literal["new_marker"]
    who: Seats = ""
    marker: Annotated[str, one_of(words(MarkerChoice)[:3])] = ""
    number: Number = 0
    what: MoneyOrEither = ""
    group: ClassVar[Group | None] = Group.MARKERS
    asks: ClassVar[tuple[Step, ...]] = (Step.PICK_MARKER,)
    default_what: ClassVar[str] = "either"

    def problems(self) -> Iterator[str]:
        """Yield the parameters that contradict each other."""
        yield from super().problems()
        if bool(self.marker) == bool(self.number):
            yield "marker, number: expected one of them"
        if self.marker != "chosen" and self.what not in MONEY[:2]:
            yield "what: expected wealth or prestige, or marker = 'chosen'"

    wording: ClassVar[Words] = staticmethod(
        lambda says: f"{says.does('put')} {says.marker()} on a grey space"
    )


@row_of(Verb.MOVE_MARKER)
class MoveMarkerRow(EffectRow):
    """``move_marker``: a marker on the board to another grey space."""

    do: Literal["move_marker"]
    who: Seats = ""
    what: MoneyOrEither = ""
    group: ClassVar[Group | None] = Group.MARKERS
    asks: ClassVar[tuple[Step, ...]] = (Step.PICK_MARKER,)
    default_what: ClassVar[str] = "either"
    wording: ClassVar[Words] = staticmethod(
        lambda says: f"{says.does('move')} a {says.money()} marker"
    )


# ------------------------------------------------------------------------------------- buildings


@row_of(Verb.PLACE)
class PlaceRow(EffectRow):
    """``place``: a free building on empty lots."""

    do: Literal["place"]
    who: Seats = ""
    zone: Zone
    size: Size
    where: Place = ""
    what: MoneyOrEither = ""
    number: Number = 0
    uncontrolled: bool = False
    group: ClassVar[Group | None] = Group.PLACES
    asks: ClassVar[tuple[Step, ...]] = (Step.PLACE_ZONE, Step.PLACE)
    wording: ClassVar[Words] = staticmethod(
        lambda says: f"{says.does('place')} a {says.new_building()}"
    )


@row_of(Verb.MOVE)
class MoveRow(Owned):
    """``move``: a building to empty lots, or its own."""

    do: Literal["move"]
    who: Seats = ""
    group: ClassVar[Group | None] = Group.PLACES
    asks: ClassVar[tuple[Step, ...]] = (Step.TARGET, Step.MOVE_TO)
    wording: ClassVar[Words] = staticmethod(lambda says: f"{says.does('move')} {says.a_building()}")


class Harmful(Owned):
    """An effect that removes a building or its cube, unless its controller pays to save it."""

    who: Seats = ""
    save_what: Money = ""
    save_amount: Amount = 0
    group: ClassVar[Group | None] = Group.HARMS
    asks: ClassVar[tuple[Step, ...]] = (Step.TARGET, Step.SAVE)

    def problems(self) -> Iterator[str]:
        """Yield the parameters that contradict each other."""
        yield from super().problems()
        if bool(self.save_what) != bool(self.save_amount):
            yield "save_what, save_amount: expected both or none"


@row_of(Verb.DEMOLISH)
class DemolishRow(Harmful):
    """``demolish``: the building is removed."""

    do: Literal["demolish"]
    wording: ClassVar[Words] = staticmethod(
        lambda says: f"{says.does('demolish')} {says.a_building()}{says.saved()}"
    )


@row_of(Verb.UNCONTROL)
class UncontrolRow(Harmful):
    """``uncontrol``: the cube of the building is removed."""

    do: Literal["uncontrol"]

    wording: ClassVar[Words] = staticmethod(
        lambda says: (
            f"{says.does('pick')} {says.a_building()}: its control cube goes home{says.saved()}"
        )
    )


@row_of(Verb.TAKE)
class TakeRow(Owned):
    """``take``: the building gets the cube of the seat that decides."""

    do: Literal["take"]
    who: Seats = ""
    group: ClassVar[Group | None] = Group.HARMS
    asks: ClassVar[tuple[Step, ...]] = (Step.TARGET,)
    wording: ClassVar[Words] = staticmethod(
        lambda says: f"{says.does('take')} control of {says.a_building()}"
    )


@row_of(Verb.DISASTER)
class DisasterRow(Owned):
    """``disaster``: every seat with buildings that pass the filter loses one or pays."""

    do: Literal["disaster"]
    what: Money
    amount: Amount
    group: ClassVar[Group | None] = Group.HARMS
    asks: ClassVar[tuple[Step, ...]] = (Step.DISASTER,)
    wording: ClassVar[Words] = staticmethod(
        lambda says: (
            f"every seat that controls {says.a_building()} loses one of them or pays {says.price()}"
        )
    )


# --------------------------------------------------------------------------------------- offices


@row_of(Verb.ELECTION)
class ElectionRow(EffectRow):
    """``election``: of one office, of all, or of a chosen one."""

    do: Literal["election"]
    who: Seats = ""
    office: Annotated[str, one_of(sorted((*OFFICES[:-1], "all", "chosen")))]
    group: ClassVar[Group | None] = Group.OFFICES
    asks: ClassVar[tuple[Step, ...]] = (Step.PICK_OFFICE,)
    wording: ClassVar[Words] = staticmethod(lambda says: f"election of {says.office()}")


@row_of(Verb.GIVE)
class GiveRow(EffectRow):
    """``give``: an office without an election."""

    do: Literal["give"]
    who: OneSeat = ""
    office: Annotated[str, one_of(sorted((*OFFICES, "chosen")))]
    group: ClassVar[Group | None] = Group.OFFICES
    asks: ClassVar[tuple[Step, ...]] = (Step.PICK_OFFICE,)
    wording: ClassVar[Words] = staticmethod(lambda says: f"{says.does('get')} {says.office()}")


# -------------------------------------------------------------------- planning cards, action points


@row_of(Verb.FREE_CARD)
class FreeCardRow(EffectRow):
    """``free_card``: a planning card taken face up, from the row or the top of the deck."""

    do: Literal["free_card"]
    who: Seats = ""
    group: ClassVar[Group | None] = Group.CARDS
    wording: ClassVar[Words] = staticmethod(
        lambda says: f"{says.does('take')} a face-up planning card, free"
    )


@row_of(Verb.DRAW)
class DrawRow(EffectRow):
    """``draw``: planning cards from the deck."""

    do: Literal["draw"]
    who: Seats = ""
    amount: Amount
    group: ClassVar[Group | None] = Group.CARDS
    wording: ClassVar[Words] = staticmethod(lambda says: f"{says.does('draw')} {says.cards()}")


@row_of(Verb.DISCARD)
class DiscardRow(EffectRow):
    """``discard``: planning cards from the hand."""

    do: Literal["discard"]
    who: Seats = ""
    amount: Amount
    group: ClassVar[Group | None] = Group.CARDS
    asks: ClassVar[tuple[Step, ...]] = (Step.DISCARD,)
    wording: ClassVar[Words] = staticmethod(lambda says: f"{says.does('discard')} {says.cards()}")


@row_of(Verb.EXTRA_AP)
class ExtraApRow(EffectRow):
    """``extra_ap``: additional action points this turn."""

    do: Literal["extra_ap"]
    amount: Amount
    group: ClassVar[Group | None] = Group.LASTING
    on_events: ClassVar[bool] = False
    wording: ClassVar[Words] = staticmethod(
        lambda says: f"{int(says.effect.amount)} more action points this turn"
    )


# ------------------------------------------------------------------- vocations, lasting effects


@row_of(Verb.VOCATION)
class VocationRow(EffectRow):
    """``vocation``: a marker of a vocation."""

    do: Literal["vocation"]
    who: Seats = ""
    vocation: Vocation
    group: ClassVar[Group | None] = Group.VOCATIONS
    asks: ClassVar[tuple[Step, ...]] = (Step.PICK_VOCATION,)
    wording: ClassVar[Words] = staticmethod(
        lambda says: f"{says.does('take')} a {says.vocation()} marker"
    )


@row_of(Verb.SCORE)
class ScoreRow(EffectRow):
    """``score``: all seats score their markers of the vocation."""

    do: Literal["score"]
    who: Seats = ""
    vocation: Vocation
    amount: Amount
    group: ClassVar[Group | None] = Group.VOCATIONS
    asks: ClassVar[tuple[Step, ...]] = (Step.PICK_VOCATION,)
    wording: ClassVar[Words] = staticmethod(
        lambda says: f"all {says.vocation()} markers score {int(says.effect.amount)}"
    )


@row_of(Verb.LASTING)
class LastingRow(EffectRow):
    """``lasting``: an effect for the controller, while the building stands (ruling U24)."""

    do: Literal["lasting"]
    power: Annotated[str, one_of(words(Power)[1:])]
    group: ClassVar[Group | None] = Group.LASTING
    on_events: ClassVar[bool] = False
    wording: ClassVar[Words] = staticmethod(lambda says: says.power())


# ------------------------------------------------------------------------------ effects in effects


@row_of(Verb.OPTIONAL)
class OptionalRow(EffectRow):
    """``optional``: pay and run ``then``, or decline and run ``otherwise``."""

    do: Literal["optional"]
    who: Seats = ""
    what: MoneyOrEither = ""
    amount: Annotated[int, Field(ge=0, le=MOST)] = 0
    then: Annotated[tuple[AnyEffect, ...], length(1, MOST_EFFECTS)]
    otherwise: Annotated[tuple[AnyEffect, ...], length(1, MOST_EFFECTS)] = ()
    group: ClassVar[Group | None] = Group.CHOICES
    asks: ClassVar[tuple[Step, ...]] = (Step.ACCEPT,)

    def problems(self) -> Iterator[str]:
        """Yield the parameters that contradict each other."""
        yield from super().problems()
        if bool(self.amount) != (self.what in MONEY[:2]):
            yield "what, amount: expected wealth or prestige and an amount, or neither"

    wording: ClassVar[Words] = staticmethod(lambda says: says.offer())


@row_of(Verb.AUCTION)
class AuctionRow(EffectRow):
    """``auction``: bids of wealth, one per seat; the winner runs ``then``."""

    do: Literal["auction"]
    then: Annotated[tuple[AnyEffect, ...], length(1, MOST_EFFECTS)]
    group: ClassVar[Group | None] = Group.CHOICES
    asks: ClassVar[tuple[Step, ...]] = (Step.BID,)
    wording: ClassVar[Words] = staticmethod(lambda says: f"auction: {says.then()}")


@row_of(Verb.CHOOSE)
class ChooseRow(EffectRow):
    """``choose``: one of several effects."""

    do: Literal["choose"]
    who: OneSeat = ""
    options: Annotated[tuple[AnyEffect, ...], length(2, MOST_OPTIONS)]
    group: ClassVar[Group | None] = Group.CHOICES
    asks: ClassVar[tuple[Step, ...]] = (Step.OPTION,)
    wording: ClassVar[Words] = staticmethod(
        lambda says: f"{says.does('choose')}: {says.then(' or ')}"
    )


# --------------------------------------------------------------------------- the special events


@row_of(Verb.ENTER)
class EnterRow(EffectRow):
    """``enter``: offices come into play (US 6.10)."""

    do: Literal["enter"]
    office: Annotated[str, one_of(("contractor", "politicians"))]
    wording: ClassVar[Words] = staticmethod(lambda says: says.entering())


@row_of(Verb.ACTIVATE)
class ActivateRow(EffectRow):
    """``activate``: a contract deck becomes active (US 6.10)."""

    do: Literal["activate"]
    deck: Annotated[str, one_of(DECKS)]
    wording: ClassVar[Words] = staticmethod(
        lambda says: f"the {DECKS[int(says.effect.deck)].capitalize()} deck opens"
    )


@row_of(Verb.END_GAME)
class EndGameRow(EffectRow):
    """``end_game``: the game ends (US 6.12)."""

    do: Literal["end_game"]
    wording: ClassVar[Words] = staticmethod(lambda says: "the game ends at once")


# ------------------------------------------------------------------------- made from the classes

if TYPE_CHECKING:
    AnyEffect = EffectRow
else:
    AnyEffect = Annotated[reduce(or_, ROWS.values()), Field(discriminator="do")]
for _row in ROWS.values():
    _row.model_rebuild()

_ANY_EFFECT: Final[TypeAdapter[EffectRow]] = TypeAdapter(AnyEffect)
# The verbs that the effect of a decision can have; other decisions are not about an effect.
VERBS_OF: Final[dict[Step, frozenset[Verb]]] = {
    step: frozenset(verb for verb, row in ROWS.items() if step in row.asks)
    for step in Step
    if any(step in row.asks for row in ROWS.values())
}
GROUP_OF: Final[dict[Verb, Group]] = {
    verb: row.group for verb, row in ROWS.items() if row.group is not None
}


def effect_row(content: object) -> EffectRow:
    """Return the row of an effect from its fields."""
    return _ANY_EFFECT.validate_python(content)
