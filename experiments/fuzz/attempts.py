"""Make bad calls, as a child process: ``python -m experiments.fuzz.attempts`` reads which.

Standard input is JSON: the game, a folder, and the calls as ``[[target, slot, label], ...]``.  Two
lines of JSON are written for each call: its number before it, its number, verdict and words after
it.  If a call ends the process, its number is the last one written.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from types import GeneratorType
from typing import Any, Final

import numpy as np

import sprawl_env
from experiments.fuzz.callables import Parameter, Target, is_record, parts_of, targets, text_of
from experiments.fuzz.goods import EXTRA, GOOD, LATE, OBJECTS, OF_OBJECT, SEED, UNREAD, Place
from experiments.fuzz.values import is_good, is_records, values_for
from sprawl_env.core import registry
from sprawl_env.core.editing import StateFields
from sprawl_env.core.errors import InvalidOption, SprawlError
from sprawl_env.core.rules import GameRules
from sprawl_env.learning.config import Config

REFUSED: Final = "refused"
ACCEPTED: Final = "accepted"
WRONG: Final = "wrong"
ANY_RECORDS: Final = "core.state."  # functions that copy the records of any game
GOOD_CALL: Final = ("", "")  # slot and label of a call without a bad value
LONGEST: Final = 1000  # characters of a message
MOST_STEPS: Final = 10_000  # of a generator
KEPT: Final = 200  # characters of a message in a result


@dataclass(frozen=True)
class Slot:
    """What a bad value is given for: a parameter, a field of a record, or one of many keywords.

    Attributes:
        name: ``parameter`` or ``parameter.part``.
        kinds: its annotation.
    """

    name: str
    kinds: tuple[str, ...]


def record_of(target: Target, parameter: Parameter) -> type | None:
    """Return the class of the record that a parameter takes, if it takes one."""
    module = sys.modules[target.function.__module__]
    for kind in parameter.types:
        found = getattr(module, kind, None)
        if isinstance(found, type) and is_record(found) and found is not GameRules:
            return found
    return None


def slots_of(target: Target, game: str) -> Iterator[Slot]:
    """Yield all that a bad value can be given for in a game."""
    for parameter in target.parameters:
        if parameter.keywords:
            for name, kinds in keywords(parameter.name, target, game).items():
                yield Slot(f"{parameter.name}.{name}", kinds)
            continue
        yield Slot(parameter.name, parameter.types)
        kind = record_of(target, parameter)
        parts = kind.__annotations__ if kind is not None else {}
        for name, annotation in parts.items():
            yield Slot(f"{parameter.name}.{name}", parts_of(text_of(annotation)))


def keywords(name: str, target: Target, game: str) -> dict[str, tuple[str, ...]]:
    """Return the keywords that a variable parameter takes, with their annotations.

    Raises:
        InvalidOption: nobody knows them.
    """
    options: dict[str, tuple[str, ...]] = dict.fromkeys(
        registry.rules_of(game).options, ("option",)
    )
    if name == "options":
        return options
    if name == "kwargs":
        return options | {"render_mode": ("str", "None"), "reward": ("str", "RewardFunction")}
    if name == "settings":
        own = "game"  # a parameter of train() itself, of another kind
        each = (field for field in fields(Config) if field.name != own)
        return {field.name: parts_of(text_of(field.type)) for field in each}
    if name == "about":
        return {"bots": ("list[str]",)}
    if name == "fields":
        return dict.fromkeys(StateFields(registry.rules_of(game)), ("Any",))
    raise InvalidOption(f"{target.name}: **{name}: nobody knows its keywords: see keywords()")


def plays_in(target: Target, game: str) -> bool:
    """Whether a callable is for a game: some are for one, or for simultaneous choices."""
    first = target.name.partition(".")[0]
    if first.endswith("_v0"):
        return first == f"{game}_v0"
    simultaneous = registry.rules_of(game).wait is not None
    return simultaneous or "BoardGameParallel" not in target.name


def keys_of(target: Target, parameter: Parameter) -> list[str]:
    """Return the keys under which a good value may be, the longest name first."""
    parts = [*target.name.split("."), parameter.name]
    return [".".join(parts[k:]) for k in range(len(parts))]


def good_value(place: Place, target: Target, parameter: Parameter, self: Any) -> Any:
    """Return a good value for a parameter.

    Raises:
        InvalidOption: nobody knows one; the message names the callable and the parameter.
    """
    for key in keys_of(target, parameter):
        if key in OF_OBJECT:
            return OF_OBJECT[key](self)
        if key in GOOD:
            return GOOD[key](place)
    raise InvalidOption(
        f"{target.name}: {parameter.name}: nobody knows a good value: add one to GOOD"
    )


def check_known(found: list[Target]) -> None:
    """Check that every parameter has a good value, and every method an object.

    Raises:
        InvalidOption: one has none; the message names it.
    """
    for target in found:
        kind = target.owner.__name__ if target.owner is not None else ""
        if target.method and kind not in OBJECTS:
            raise InvalidOption(f"{target.name}: nobody knows a {kind}: add one to OBJECTS")
        for parameter in target.parameters:
            if parameter.keywords:
                keywords(parameter.name, target, next(iter(registry.game_names())))
            elif not set(keys_of(target, parameter)) & (GOOD.keys() | OF_OBJECT.keys()):
                raise InvalidOption(
                    f"{target.name}: {parameter.name}: nobody knows a good value: add one to GOOD"
                )


def no_extra(place: Place) -> dict[str, Any]:
    """Return no further arguments."""
    return {}


def with_part(record: Any, part: str, value: Any) -> Any:
    """Return a record with one field replaced."""
    if is_dataclass(record) and not isinstance(record, type):
        return replace(record, **{part: value})
    return record._replace(**{part: value})


@dataclass
class Call:
    """A call that is about to be made: the callable, its object and its arguments by name."""

    place: Place
    target: Target
    self: Any
    arguments: dict[str, Any]

    @classmethod
    def good(cls, place: Place, target: Target) -> Call:
        """Return a call without a bad value."""
        owner = target.owner
        self = OBJECTS[owner.__name__](place) if target.method and owner is not None else None
        given = {
            parameter.name: good_value(place, target, parameter, self)
            for parameter in target.parameters
            if not parameter.keywords
        }
        return cls(place, target, self, given | EXTRA.get(target.name, no_extra)(place))

    def put(self, slot: str, value: Any) -> None:
        """Set what the bad value is given for."""
        name, _, part = slot.partition(".")
        if part and name in self.arguments:
            value = with_part(self.arguments[name], part, value)
        self.arguments[part if part and name not in self.arguments else name] = value

    def make(self) -> Any:
        """Make the call, and read what it returns to the end."""
        given, first = dict(self.arguments), [self.self] if self.target.method else []
        for parameter in self.target.parameters:
            if parameter.many:
                first.append(given.pop(parameter.name))
        result = self.target.function(*first, **given)
        if isinstance(result, GeneratorType):
            for _ in zip(range(MOST_STEPS), result, strict=False):
                pass
        return result

    def records(self) -> list[Any]:
        """Return the records that the call may change."""
        held = getattr(self.self, "games", None)
        return [
            array
            for array in (held, *self.arguments.values())
            if isinstance(array, np.ndarray) and array.dtype == self.place.game.dtype
        ]


class Bystanders:
    """Records, a batch and the register, which no call of another object may change."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._records = place.game.deal(2, SEED + 1)
        self._vec = sprawl_env.make_vec(place.game, 2, seed=SEED)
        self._vec.reset()
        self._before = self._content()

    def _content(self) -> list[Any]:
        vec = self._vec
        held = (self._records, vec.games, vec.masks, vec.observations, self._place.game.tables)
        return [*(array.tobytes() for array in held), registry.game_names()]

    def changed(self) -> bool:
        """Whether one of them has changed; the register is put back."""
        now = self._content()
        for name in set(now[-1]) - set(self._before[-1]):
            registry.remove(name)
        return now[:-1] != self._before[:-1]


def said(error: BaseException) -> str:
    """Return an error's message; its type if it has none."""
    try:
        return str(error) or type(error).__name__
    except Exception:  # a message that cannot be made
        return f"{type(error).__name__} without a message"


def judge_error(error: BaseException) -> tuple[str, str]:
    """Return the verdict on a call that raised an error, and why."""
    words = said(error)
    if not isinstance(error, SprawlError):
        return WRONG, f"{type(error).__name__}: {words[:KEPT]!r}"
    if not words.isprintable() or len(words) > LONGEST:
        return WRONG, f"{type(error).__name__} is no short line: {words[:KEPT]!r}"
    if f"{LATE}/" in words:  # all else was accepted
        return ACCEPTED, words[:KEPT]
    return REFUSED, words[:KEPT]


def attempt(
    place: Place, target: Target, slot: Slot | None, label: str, bystanders: Bystanders
) -> tuple[str, str]:
    """Make one call; return the verdict and why.

    Args:
        place: what calls are made with.
        target: what is called.
        slot: what the bad value is given for; None: a call without one.
        label: of the value.
        bystanders: what must not change.
    """
    call, value = Call.good(place, target), None
    if slot is not None:
        value = values_for(slot.name, slot.kinds)[label](place)
        call.put(slot.name, value)
    unread = slot is not None and f"{target.name}.{slot.name}".endswith(UNREAD)
    good = slot is None or unread or is_good(place, slot.name, slot.kinds, value)
    if target.name.startswith(ANY_RECORDS):
        good = good or is_records(value)
    before = [array.tobytes() for array in call.records()]
    try:
        call.make()
    except BaseException as error:  # SystemExit and KeyboardInterrupt too
        verdict, words = judge_error(error)
        if verdict == WRONG and good and callable(value) and not isinstance(error, SprawlError):
            verdict = ACCEPTED  # an error of the given function itself
    else:
        verdict, words = ACCEPTED, ""
    held = call.records()
    if bystanders.changed():
        return WRONG, "other games have changed"
    if verdict == ACCEPTED and not good:
        return WRONG, "accepted"
    if verdict == REFUSED and before != [array.tobytes() for array in held]:
        return WRONG, f"refused, but the records have changed: {words}"
    if verdict == ACCEPTED:
        wrong = impossible(place, held)
        return (WRONG, f"afterwards {wrong}") if wrong else (ACCEPTED, words)
    return verdict, words


def impossible(place: Place, held: list[Any]) -> str:
    """Return what is impossible in records of the place's game after a call, "" if nothing is."""
    game = place.game
    for array in held:
        try:
            game.check_games(array)
        except SprawlError:
            continue  # records of other options, for functions that copy any
        games = array.view(np.recarray)
        for g in range(len(games)):
            wrong = game.rules.violations(game.tables, games, g)
            if wrong:
                return wrong[0]
    return ""


def main() -> None:
    """Make the calls that standard input lists."""
    order = json.load(sys.stdin)
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    folder = Path(order["folder"])
    os.chdir(folder)
    place = Place(order["game"], folder)
    bystanders = Bystanders(place)
    known = {target.name: target for target in targets()}
    for number, (name, slot_name, label) in order["calls"]:
        answers.write(json.dumps([number]) + "\n")
        target = known[name]
        slots = {slot.name: slot for slot in slots_of(target, place.name)}
        verdict, words = attempt(place, target, slots.get(slot_name), label, bystanders)
        answers.write(json.dumps([number, verdict, words]) + "\n")


if __name__ == "__main__":
    main()
