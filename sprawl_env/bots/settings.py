"""Settings in a bot's name, as in ``mcts:sims=400,c=1.0``, and the slices of a long search."""

from __future__ import annotations

import inspect
import math
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from numbers import Integral, Real
from typing import Any, Final

from sprawl_env.core.errors import InvalidOption, UnknownName, did_you_mean, short

Number = int | float
Setting = bool | int | float | str
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,18}")
_REAL: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,2})?", re.IGNORECASE)
_WORDS: Final = {"true": True, "false": False}
_ANSWERS: Final = {"yes": True, "true": True, True: True, "no": False, "false": False, False: False}
_FIRST_SLICE: Final = 4  # pieces of work
_SLICE: Final = 0.1  # seconds


def parse_settings(name: str, limits: Mapping[str, tuple[Number, Number]]) -> dict[str, Number]:
    """Return the settings in a bot's name.

    Args:
        name: ``kind:key=value,..``, or the kind alone.
        limits: the least and the largest value of every setting; a setting with whole limits
            takes whole numbers.

    Raises:
        UnknownName: there is no such setting, or its value is not allowed.
    """
    kind, _, given = name.partition(":")
    chosen: dict[str, Number] = {}
    for part in filter(None, given.split(",")):
        key, _, value = part.partition("=")
        if key not in limits:
            raise UnknownName(f"bot {kind!r}: no setting {key!r}; there are {', '.join(limits)}")
        if key in chosen:
            raise UnknownName(f"bot {kind!r}: {key!r} is given twice")
        low, high = limits[key]
        whole = isinstance(low, int)
        try:
            number: Number = int(value) if whole else float(value)
        except ValueError:
            number = math.nan
        if not low <= number <= high:
            sort = "a whole number" if whole else "a number"
            raise UnknownName(f"bot {kind!r}: {key}={value!r}: expected {sort} {low:g}..{high:g}")
        chosen[key] = number
    return chosen


def check_settings(config: object, limits: Mapping[str, tuple[Number, Number]]) -> None:
    """Check the values of a record of settings.

    Args:
        config: the record.
        limits: as of :func:`parse_settings`.

    Raises:
        InvalidOption: a value is not allowed.
    """
    for key, (low, high) in limits.items():
        value = getattr(config, key)
        sort, kind = ("a whole number", Integral) if isinstance(low, int) else ("a number", Real)
        is_number = isinstance(value, kind) and not isinstance(value, bool)
        if not is_number or not low <= value <= high:
            raise InvalidOption(f"{key}={short(value)}: expected {sort} {low:g}..{high:g}")


def take_texts(name: str, keys: Collection[str]) -> tuple[str, dict[str, str]]:
    """Return a bot's name without the settings that name an agent, and these by key.

    Args:
        name: ``kind:key=value,..``.
        keys: of the settings to take out.

    Raises:
        UnknownName: one of them is empty or given twice.
    """
    kind, _, given = name.partition(":")
    taken: dict[str, str] = {}
    rest = []
    for part in filter(None, given.split(",")):
        key, _, value = part.partition("=")
        if key not in keys:
            rest.append(part)
        elif not value or key in taken:
            raise UnknownName(f"bot {name!r}: expected one agent, as in {kind}:{key}=best")
        else:
            taken[key] = value
    return f"{kind}:{','.join(rest)}", taken


def value_of(text: str) -> Setting:
    """Return a setting's value: a whole number, a number, true or false, otherwise the text."""
    if _WHOLE.fullmatch(text):
        return int(text)
    if _REAL.fullmatch(text):
        return float(text)
    return _WORDS.get(text.lower(), text)


def split_name(name: str) -> tuple[str, dict[str, Setting]]:
    """Return a bot's name without its settings, and the settings by key.

    Args:
        name: ``kind:what,key=value,..``; a value cannot contain a comma.

    Raises:
        UnknownName: a part is no ``key=value``, or a key is given twice.
    """
    what, *parts = name.split(",")
    settings: dict[str, Setting] = {}
    for part in parts:
        key, equals, text = part.partition("=")
        if not equals or not key.isidentifier():
            raise UnknownName(f"bot {name!r}: expected key=value after the comma, got {part!r}")
        if key in settings:
            raise UnknownName(f"bot {name!r}: {key} is given twice")
        settings[key] = value_of(text)
    return what, settings


def take_switch(name: str, settings: dict[str, Setting], key: str) -> bool:
    """Take a setting that is yes or no out of the settings; the default is no.

    Raises:
        UnknownName: it is something else.
    """
    given = settings.pop(key, False)
    if not isinstance(given, bool | str) or given not in _ANSWERS:
        raise UnknownName(f"bot {name!r}: {key}={given}: expected yes or no")
    return _ANSWERS[given]


def refuse_unknown(name: str, settings: Mapping[str, Setting], known: list[str]) -> None:
    """Check that every setting is known.

    Raises:
        UnknownName: one is not; the message lists the known ones.
    """
    for key in settings:
        if key not in known:
            there = f"there are {', '.join(known)}" if known else "there are none"
            hint = did_you_mean(key, known)
            raise UnknownName(f"bot {name!r}: no setting {key!r}{hint}; {there}")


def check_keywords(
    name: str,
    make: Callable[..., Any],
    settings: Mapping[str, Setting],
    given: int,
    own: tuple[str, ...] = (),
) -> None:
    """Check settings against the keywords of the class or function that takes them.

    Args:
        name: of the bot, for the message.
        make: the class or function.
        settings: what is given by keyword.
        given: how many arguments are given by position.
        own: settings that the bot has besides, for the message.

    Raises:
        UnknownName: a keyword is not known, or one without default is missing.
    """
    try:
        parameters = list(inspect.signature(make).parameters.values())
    except (TypeError, ValueError):  # not written in Python: the call itself says what is wrong
        return
    free = [p for p in parameters if p.kind in {p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD}]
    named = [p for p in free[given:] if p.kind is not p.POSITIONAL_ONLY]
    named += [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    anything = any(p.kind is p.VAR_KEYWORD for p in parameters)
    known = [p.name for p in named]
    taken = {p.name for p in free[:given]}
    accepted = known + [key for key in settings if anything and key not in taken]
    refuse_unknown(name, settings, [*accepted, *own])
    lacking = [p.name for p in named if p.default is p.empty and p.name not in settings]
    if lacking:
        example = ",".join([name, *(f"{key}=.." for key in lacking)])
        raise UnknownName(f"bot {name!r}: expected {' and '.join(lacking)}, as in {example}")


def slices(total: int, most: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield ``(first, count)`` for all of ``total`` equal pieces of work, in order.

    A slice takes about a tenth of a second at most, unless one piece takes longer, so that Ctrl-C
    is noticed between two of them.  ``most`` is the largest ``count``; None: no limit.
    """
    first, count = 0, _FIRST_SLICE
    limit = total if most is None else most
    while first < total:
        count = max(1, min(count, limit, total - first))
        started = time.perf_counter()
        yield first, count
        seconds = time.perf_counter() - started
        first += count
        if seconds < _SLICE / 2:
            count *= 2
        elif seconds > _SLICE:
            count //= 2
