"""Settings in a bot's name, as in ``mcts:sims=400,c=1.0``, and the slices of a long search."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from typing import Final

from sprawl_env.core.errors import UnknownName

Number = int | float
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
