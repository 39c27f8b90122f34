"""Effects of cards: how they are checked together and compiled (US §7).

An effect is a verb with named parameters (``effect_verbs``).  The tables hold the effects of all
cards in one list, those of one card next to each other.  The effects inside another (``then``,
``otherwise``, ``options``) are in the same list; the outer effect holds the index of the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sprawl_env.core.errors import DataError
from sprawl_env.core.state import Tables
from sprawl_env.games.urban_sprawl.constants import (
    DECKS,
    MONEY,
    NO_VOCATION,
    OFFICES,
    VOCATIONS,
    WEALTH,
    ZONES,
    Power,
)
from sprawl_env.games.urban_sprawl.effect_verbs import EffectRow, effect_row
from sprawl_env.games.urban_sprawl.tables import MAX_EFFECTS
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

DEEPEST: Final = 2
VACANT: Final = {*OFFICES, "media"}  # words of ``who`` for a seat that there may not be

# -------------------------------------------------------------------------------------- checking


def check_effects(effects: Sequence[EffectRow], where: str, event: bool) -> None:
    """Check all effects of a card.

    Raises:
        DataError: naming file, row and field.
    """
    for k, effect in enumerate(effects, start=1):
        _check(effect, f"{where}: effects {k}", event, 0)
    _check_rows(effects, f"{where}: effects")


def _check(effect: EffectRow, where: str, event: bool, depth: int) -> None:
    """Check one effect and the effects inside it."""
    if event:
        for problem in effect.problems_on_events():
            raise DataError(f"{where}: {problem}")
    if any(effect.inner.values()) and depth == DEEPEST:
        raise DataError(f"{where}: {effect.do}: expected effects nested at most {DEEPEST} deep")
    for name, effects in effect.inner.items():
        for k, inner in enumerate(effects, start=1):
            _check(inner, f"{where}: {name} {k}", event, depth + 1)


def _check_rows(
    effects: Sequence[EffectRow], where: str, chosen: bool = False, options: bool = False
) -> None:
    """Check that a row has been chosen for the card wherever an effect needs the other one.

    An effect of an office or of MEDIA is skipped while nobody holds it (ruling U18), and effects
    inside another may not run, so they may leave the row unchosen for what follows.

    Args:
        effects: of the card, or of an effect of it.
        where: their file, row and field.
        chosen: whether an effect before them has chosen a row.
        options: whether only one of them runs.

    Raises:
        DataError: naming file, row and field.
    """
    for k, effect in enumerate(effects, start=1):
        if effect.given("where") == "other_row" and not chosen:
            raise DataError(
                f"{where} {k}: where: expected 'row' in an effect before 'other_row' that always "
                "runs"
            )
        for name, inner in effect.inner.items():
            _check_rows(inner, f"{where} {k}: {name}", chosen, options=name == "options")
        if effect.given("where") == "row" and effect.given("who") not in VACANT and not options:
            chosen = True


# ------------------------------------------------------------------------------------- compiling


def of_word(kind: Any, word: Any, default: int) -> int:
    """Return the number of a word of the data files, or ``default`` for none."""
    return int(kind[word.upper()]) if word else default


def _colours(zones: Any) -> int:
    """Return the set of zones and parks that a filter accepts."""
    if not zones or "chosen" in zones:
        return ANY_COLOUR
    return sum(1 << ZONES.index(zone) for zone in set(zones))


class EffectCompiler:
    """Writes effects into the tables, one after the other."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.size = 0
        park = effect_row({"do": "place", "zone": "PARK", "size": 1})
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
        given = effect.given
        out = self.tables[0].effects[e]
        out.verb = effect.verb
        out.who = Who[str(given("who") or effect.default_who).upper()]
        out.what = MONEY.index(str(given("what") or effect.default_what))
        out.amount = given("amount") or 0
        out.per = of_word(Per, given("per"), Per.ONCE)
        out.vocation = _vocation(given("vocation"))
        out.colours = _colours(given("zones"))
        out.asks_zone = given("zones") == ("chosen",)
        out.sizes = sum(1 << (size - 1) for size in set(given("sizes") or ())) or ANY_SIZE
        out.owner = of_word(Owner, given("owner"), Owner.ANYONE)
        out.where = of_word(Where, given("where"), Where.ANYWHERE)
        out.printed_number = given("number") or 0
        out.extreme = of_word(Extreme, given("extreme"), Extreme.NONE)
        out.times_value = bool(given("times_value"))
        out.line = of_word(Line, given("line"), Line.NAMED)
        out.marker = of_word(MarkerChoice, given("marker"), MarkerChoice.NAMED)
        zone = given("zone") or ZONES[0]
        out.new_zone = CHOSEN if zone == "chosen" else ZONES.index(zone)
        out.new_size = given("size") or 0
        out.uncontrolled = bool(given("uncontrolled"))
        out.save_what = MONEY.index(given("save_what")) if given("save_what") else WEALTH
        out.save_amount = given("save_amount") or 0
        out.office = _office(given("office"))
        out.power = of_word(Power, given("power"), Power.NONE)
        out.deck = DECKS.index(given("deck")) if given("deck") else 0
        inner = effect.inner
        out.then_first, out.then_count = self.add(inner["then"] or inner["options"], where)
        out.else_first, out.else_count = self.add(inner["otherwise"], where)


def _vocation(word: Any) -> int:
    if word == "chosen":
        return CHOSEN_VOCATION
    return VOCATIONS.index(word) if word else NO_VOCATION


def _office(word: Any) -> int:
    special = {None: -1, "all": ALL, "chosen": CHOSEN, "politicians": POLITICIANS}
    return special[word] if word in special else OFFICES.index(word)
