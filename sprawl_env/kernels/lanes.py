"""Four small counts side by side in one int64, e.g. floors of four colours.

A lane holds 0 to 2047.  Lanes of two numbers are added by adding the numbers, and compared all at
once without a branch, which is what makes them worth it in kernels that look at many places.
"""

from __future__ import annotations

from typing import Final

from sprawl_env.kernels.compile import kernel

LANE_BITS: Final = 12
_ONES: Final = 0x001001001001
_HIGHS: Final = 0x800800800800
LANE: Final = 0xFFF


@kernel
def lanes(a: int, b: int, c: int, d: int) -> int:
    """Put four counts side by side."""
    return a + (b << LANE_BITS) + (c << 2 * LANE_BITS) + (d << 3 * LANE_BITS)


@kernel
def shortfall(wanted: int, held: int) -> int:
    """Sum over the lanes of what ``held`` is short of ``wanted``; up to 4095."""
    less = (wanted | _HIGHS) - held  # a lane keeps its high bit where wanted >= held
    enough = less & _HIGHS
    short = less & (enough - (enough >> (LANE_BITS - 1)))
    return (short * _ONES >> 3 * LANE_BITS) & LANE


@kernel
def zeros(numbers: int) -> int:
    """Set of the lanes that are 0: the high bit of each, to be combined with other such sets."""
    return _HIGHS & ~((numbers | _HIGHS) - _ONES)
