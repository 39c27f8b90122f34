"""Settings in a bot's name, as in ``mcts:sims=400,c=1.0``."""

from __future__ import annotations

import math
from collections.abc import Mapping

from sprawl_env.core.errors import UnknownName

Number = int | float


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
