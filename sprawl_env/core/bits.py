"""Sets of up to 62 things as the bits of a non-negative int64."""

from __future__ import annotations

from typing import Final

from sprawl_env.core.kernel import kernel

_ODD: Final = 0x5555555555555555
_PAIRS: Final = 0x3333333333333333
_NIBBLES: Final = 0x0F0F0F0F0F0F0F0F


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
