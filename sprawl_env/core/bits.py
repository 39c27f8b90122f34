"""Sets of up to 62 things as the bits of a non-negative int64."""

from __future__ import annotations

from typing import Final

import numpy as np

from sprawl_env.core.kernel import kernel

_ODD: Final = 0x5555555555555555
_PAIRS: Final = 0x3333333333333333
_NIBBLES: Final = 0x0F0F0F0F0F0F0F0F


_DEBRUIJN: Final = 0x03F79D71B4CB0A89
_POSITIONS: Final = np.zeros(64, np.int8)  # of the single bit, by the top six bits of the product
for _place in range(63):
    _POSITIONS[(_DEBRUIJN << _place) % 2**64 >> 58] = _place


@kernel
def lowest(bits: int) -> int:
    """Return the smallest thing in a set that is not empty.

    To walk a set: ``while bits: thing = lowest(bits); bits &= bits - 1``.
    """
    x = int(bits)
    return int(_POSITIONS[((x & -x) * _DEBRUIJN >> 58) & 63])


@kernel
def count_bits(bits: int) -> int:
    """Return how many things are in the set."""
    x = int(bits)
    x -= (x >> 1) & _ODD
    x = (x & _PAIRS) + ((x >> 2) & _PAIRS)
    x = (x + (x >> 4)) & _NIBBLES
    x += x >> 8
    x += x >> 16
    x += x >> 32
    return x & 0x7F
