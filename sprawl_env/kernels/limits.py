"""Whether all numbers of an array lie between limits."""

from __future__ import annotations

from typing import Any

from sprawl_env.kernels.compile import kernel


@kernel
def within(values: Any, low: int, high: int) -> bool:
    """Return whether every number of an array is ``low`` to ``high``."""
    inside = True
    for value in values.flat:
        inside &= (value >= low) & (value <= high)
    return bool(inside)
