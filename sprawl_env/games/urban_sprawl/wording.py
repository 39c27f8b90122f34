"""Phrases of the cards' texts, written from a compiled effect (US §7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from sprawl_env.games.urban_sprawl.constants import (
    EITHER,
    MAX_SIZE,
    MONEY,
    NO_VOCATION,
    NUM_ZONES,
    OFFICES,
    PARK,
    VOCATIONS,
    ZONES,
    Power,
)
from sprawl_env.games.urban_sprawl.vocabulary import (
    ALL,
    ANY_COLOUR,
    ANY_SIZE,
    CHOSEN,
    CHOSEN_VOCATION,
    POLITICIANS,
    Extreme,
    Line,
    MarkerChoice,
    Owner,
    Per,
    Where,
    Who,
)

if TYPE_CHECKING:
    from sprawl_env.games.urban_sprawl.tables import Table

OFFICE_NAMES: Final = (
    "Mayor",
    "District Attorney",
    "Treasurer",
    "Police Chief",
    "Union Boss",
    "Contractor",
)
_WHO: Final = {
    Who.MEDIA: "the MEDIA holder",
    Who.MOST_PRESTIGE: "the leader in prestige",
    Who.LEAST_PRESTIGE: "the last in prestige",
    Who.MOST_WEALTH: "the richest seat",
    Who.LEAST_WEALTH: "the poorest seat",
    Who.SELF: "you",
    Who.BUILDER: "the builder",
    Who.EACH: "every seat",
    Who.OPPONENTS: "each opponent",
    Who.CONTROLLER: "every seat",
    Who.CHOSEN: "a chosen opponent",
}
_WHERE: Final = {
    Where.ANYWHERE: "",
    Where.ROWS: " in these rows",
    Where.ROW: " in one of these rows",
    Where.OTHER_ROW: " in the other row",
    Where.BLOCK: " in this block",
    Where.ADJACENT: " adjacent to it",
    Where.WATER: " by the water",
    Where.FOREST: " by the forest",
    Where.PARK: " next to a park",
}
_OWNER: Final = {
    Owner.ANYONE: "",
    Owner.OWN: "own ",
    Owner.OTHERS: "opponent's ",
    Owner.NOBODY: "uncontrolled ",
    Owner.CONTROLLED: "controlled ",
}
_EXTREME: Final = {
    Extreme.NONE: "",
    Extreme.HIGHEST: " of the highest value",
    Extreme.LOWEST: " of the lowest value",
}
_CHOICE: Final = {
    MarkerChoice.LOWEST: "the lowest",
    MarkerChoice.HIGHEST: "the highest",
    MarkerChoice.CHOSEN: "any",
}
POWERS: Final = {
    Power.NONE: "",
    Power.EXTRA_FAVOR: "its controller may hold two Favors",
    Power.WINS_TIES: "its controller wins ties of elections",
}


class Wording:
    """An effect of the tables, and phrases about it for the classes of verbs.

    Args:
        t: the tables.
        e: index of the effect.
        text_of: returns an effect of the tables in words.
    """

    def __init__(self, t: Table, e: int, text_of: Callable[[Table, int], str]) -> None:
        self._t = t
        self._text_of = text_of
        self.effect = t.effects[e]

    def who(self) -> str:
        """Return the seats affected, e.g. ``each opponent``."""
        who = Who(int(self.effect.who))
        return _WHO.get(who) or f"the {OFFICE_NAMES[who]}"

    def does(self, verb: str) -> str:
        """Return verb and subject, e.g. ``gain`` or ``every seat gains``."""
        if self.effect.who == Who.SELF:
            return verb
        third = f"{verb}es" if verb.endswith(("s", "sh")) else f"{verb}s"
        return f"{self.who()} {third}"

    def money(self) -> str:
        """Return the currency."""
        return _money(int(self.effect.what))

    def price(self) -> str:
        """Return the amount with its currency, e.g. ``3 wealth``."""
        return f"{int(self.effect.amount)} {self.money()}"

    def payout(self) -> str:
        """Return the line that pays."""
        return {
            Line.NAMED: f"pays out {self.line()}",
            Line.HIGHEST: f"pays out the highest {self.money()} line",
            Line.ROW: "pays out one of the lines through this block",
        }[Line(int(self.effect.line))]

    def offer(self) -> str:
        """Return an offer: its price, what accepting does, what declining does."""
        price = f" pay {self.price()}" if self.effect.amount else ""
        refused = f", otherwise {self.otherwise()}" if self.effect.else_count else ""
        return f"{self.who()} may{price}: {self.then()}{refused}"

    def line(self) -> str:
        """Return the line named."""
        return f"the line {self.money()} {int(self.effect.printed_number)}"

    def gains(self, verb: str) -> str:
        """Return a gain or a loss."""
        controllers = self.effect.who == Who.CONTROLLER
        if controllers and self.effect.extreme != Extreme.NONE:
            times = " for each point of its value" if self.effect.times_value else ""
            paid = f"the controller of {self.a_building()} {verb}s {self.price()}{times}"
            return f"{paid} (of several buildings, the active player picks one)"
        per = {
            Per.ONCE: "",
            Per.BUILDING: f" for each {'own ' if controllers else ''}{self.buildings()}",
            Per.VOCATION: f" for each own {self.vocation()} marker",
            Per.VALUE: " times the value of this block",
        }[Per(int(self.effect.per))]
        times = ", times its value" if self.effect.times_value else ""
        return f"{self.does(verb)} {self.price()}{per}{times}"

    def buildings(self) -> str:
        """Return the buildings that pass the filter, in words."""
        effect = self.effect
        colours, sizes = int(effect.colours), int(effect.sizes)
        if effect.asks_zone:
            zone = "building of a chosen zone"
        elif colours == ANY_COLOUR:
            zone = "building"
        else:
            names = [*ZONES[:NUM_ZONES], "park"]
            zone = "/".join(names[k] for k in range(PARK + 1) if colours >> k & 1)
        lots = ""
        if sizes != ANY_SIZE:
            kinds = [str(k + 1) for k in range(MAX_SIZE) if sizes >> k & 1]
            lots = f"{'/'.join(kinds)}-lot "
        owner = _OWNER[Owner(int(effect.owner))]
        extreme = _EXTREME[Extreme(int(effect.extreme))]
        return f"{owner}{lots}{zone}{self.where()}{extreme}"

    def a_building(self) -> str:
        """Return one of the buildings that pass the filter, with its article."""
        which = self.buildings()
        return f"{'an' if which[0] in 'aeiou' else 'a'} {which}"

    def where(self) -> str:
        """Return where the buildings or places are."""
        where = Where(int(self.effect.where))
        return f" in {self.line()}" if where == Where.LINE else _WHERE[where]

    def saved(self) -> str:
        """Return how a building is saved, "" if it cannot be."""
        return f" (unless its controller pays {price})" if (price := self.save_price()) else ""

    def save_price(self) -> str:
        """Return what saving a building costs, e.g. ``3 prestige``, "" if it cannot be saved."""
        amount = int(self.effect.save_amount)
        return f"{amount} {_money(int(self.effect.save_what))}" if amount else ""

    def new_building(self) -> str:
        """Return the building to place."""
        zone, size = int(self.effect.new_zone), int(self.effect.new_size)
        what = "park" if zone == PARK else "building of a chosen zone"
        if zone < PARK:
            what = ZONES[zone]
        lots = "" if zone == PARK and size == 1 else f"{size}-lot "
        alone = " that nobody controls" if self.effect.uncontrolled else ""
        return f"{lots}{what}{alone}{self.where()}"

    def marker(self) -> str:
        """Return the marker to add."""
        choice = MarkerChoice(int(self.effect.marker))
        if choice == MarkerChoice.NAMED:
            return f"the {self.money()} {int(self.effect.printed_number)} marker"
        return f"{_CHOICE[choice]} {self.money()} marker"

    def office(self) -> str:
        """Return the office."""
        office = int(self.effect.office)
        names = {ALL: "all politicians", CHOSEN: "a chosen office"}
        return names[office] if office >= len(OFFICES) else f"the {OFFICE_NAMES[office]}"

    def entering(self) -> str:
        """Return the offices that come into play."""
        politicians = self.effect.office == POLITICIANS
        return "the politicians enter" if politicians else "the Contractor enters"

    def cards(self) -> str:
        """Return a number of planning cards."""
        amount = int(self.effect.amount)
        return "a planning card" if amount <= 1 else f"{amount} planning cards"

    def vocation(self) -> str:
        """Return the vocation."""
        vocation = int(self.effect.vocation)
        if vocation == CHOSEN_VOCATION:
            return "chosen vocation"
        return VOCATIONS[vocation] if vocation != NO_VOCATION else "vocation"

    def power(self) -> str:
        """Return the lasting effect."""
        return POWERS[Power(int(self.effect.power))]

    def then(self, between: str = "; ") -> str:
        """Return the effects of ``then``, or the options."""
        return self._list(int(self.effect.then_first), int(self.effect.then_count), between)

    def otherwise(self) -> str:
        """Return the effects of ``otherwise``."""
        return self._list(int(self.effect.else_first), int(self.effect.else_count), "; ")

    def _list(self, first: int, count: int, between: str) -> str:
        return between.join(self._text_of(self._t, first + k) for k in range(count))


def _money(what: int) -> str:
    return "wealth or prestige" if what == EITHER else MONEY[what]
