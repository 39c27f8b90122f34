"""Random number generators that are part of the state: one int64 per game.

The generator is G. Marsaglia's lag-1 multiply-with-carry with base 2**32; its output is the word
xor the carry.  ``a = MULTIPLIER`` makes both ``a * 2**32 - 1`` and ``a * 2**31 - 1`` prime, so the
period is close to 2**62.  Every product is below 2**63.  So the code gives the same numbers
compiled, as plain Python, and on every platform.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sprawl_env.kernels.compile import kernel

MULTIPLIER: Final = 2131995753
WORD: Final = 0xFFFFFFFF
WORD_BITS: Final = 32
_MIX_1: Final = 0x2C1B3C6D  # a 32-bit finaliser with low bias, both factors below 2**31
_MIX_2: Final = 0x297A2D39
_STRIDE: Final = 0x9E3779B9
MAX_SEED: Final = 2**63 - 1


@kernel
def _mix(word: int) -> int:
    """Scramble 32 bits by a bijection."""
    x = word & WORD
    x ^= x >> 15
    x = (x * _MIX_1) & WORD
    x ^= x >> 12
    x = (x * _MIX_2) & WORD
    return x ^ (x >> 15)


@kernel
def combine(seed: int, index: int) -> int:
    """Derive a new seed, 0..2**63-1, from a seed and an index (both 0..2**63-1)."""
    seed, index = int(seed), int(index)
    low = _mix(seed & WORD)
    high = _mix((seed >> WORD_BITS) + _STRIDE + low)
    low = _mix(low + (index & WORD) + 1)
    high = _mix(high ^ low ^ (index >> WORD_BITS))
    low = _mix(low + high)
    return ((high & (WORD >> 1)) << WORD_BITS) | low


@kernel
def seed_state(state: Any, seed: int) -> None:
    """Seed the generator of a state with ``seed`` (0..2**63-1)."""
    mixed = combine(seed, 0)
    carry = (mixed >> WORD_BITS) % (MULTIPLIER - 2) + 1  # 1..a-2: neither fixed point
    state.rng = (carry << WORD_BITS) | (mixed & WORD)


@kernel
def next_word(state: Any) -> int:
    """Draw 32 random bits."""
    now = int(state.rng)
    after = (now & WORD) * MULTIPLIER + (now >> WORD_BITS)
    state.rng = after
    return (after & WORD) ^ (after >> WORD_BITS)


@kernel
def below(state: Any, bound: int) -> int:
    """Draw a number 0..bound-1, all equally likely; ``bound`` is 1..2**31-1."""
    product = next_word(state) * bound
    if (product & WORD) < bound:
        reject = (WORD + 1) % bound
        while (product & WORD) < reject:
            product = next_word(state) * bound
    return product >> WORD_BITS


@kernel
def sort(cards: npt.NDArray[np.int8], size: int) -> None:
    """Sort the first ``size`` entries in ascending order.

    Hidden cards are sorted before they are shuffled again.  The result then depends only on the
    seed and on known cards, so a search cannot infer the true order from it.
    """
    for k in range(1, size):
        card = cards[k]
        at = k
        while at > 0 and cards[at - 1] > card:
            cards[at] = cards[at - 1]
            at -= 1
        cards[at] = card


@kernel
def shuffle(state: Any, cards: npt.NDArray[np.int8], size: int) -> None:
    """Shuffle the first ``size`` entries; all orders are equally likely."""
    for last in range(size - 1, 0, -1):
        other = below(state, last + 1)
        kept = cards[last]
        cards[last] = cards[other]
        cards[other] = kept
