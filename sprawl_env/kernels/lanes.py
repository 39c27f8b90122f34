"""Four small counts packed into one int64, e.g. the floors of four colours.

Each count has a lane of 12 bits and is 0 to 2047.  Adding two packed numbers adds all lanes.
Comparing all lanes takes a few instructions and no branch, which makes kernels fast that compare
many places.
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
    """Pack four counts into one number."""
    return a + (b << LANE_BITS) + (c << 2 * LANE_BITS) + (d << 3 * LANE_BITS)


@kernel
def shortfall(wanted: int, held: int) -> int:
    """Return the sum over the lanes of ``max(wanted - held, 0)``; at most 4095."""
    less = (wanted | _HIGHS) - held  # the high bit of a lane stays set where wanted >= held
    enough = less & _HIGHS
    short = less & (enough - (enough >> (LANE_BITS - 1)))
    return (short * _ONES >> 3 * LANE_BITS) & LANE


@kernel
def zeros(numbers: int) -> int:
    """Return a number in which the high bit of each lane that is 0 is set, and no other bit."""
    return _HIGHS & ~((numbers | _HIGHS) - _ONES)
