"""Masks of legal actions: counting, drawing and checking actions."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from sprawl_env.kernels.arrays import Index, Mask
from sprawl_env.kernels.bits import lowest
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import below, combine

NO_ACTION: Final = -1  # play nothing, only skip forced plies

# Actions of a mask are counted a word at a time, a byte each; the lowest byte is the first action.
WORD: Final = 8  # bytes; also the bits of one
ONES: Final = 0x0101010101010101  # a byte of a word times this: the sum of the bytes up to it
HIGHEST_BYTE, BYTE = 56, 0xFF
HIGH_BITS: Final = 0x8080808080808080 - (1 << 64)
MOST_WORDS: Final = 255  # that can be added up before a byte runs over
BYTE_BITS: Final = 8
EVEN_BYTES, EVEN_ONES, HIGHEST_PAIR, PAIR = 0x00FF00FF00FF00FF, 0x0001000100010001, 48, 0xFFFF


@kernel
def only_action(mask: Mask) -> int:
    """Return the single legal action, ``NO_ACTION`` if there are several."""
    if count_legal(mask) != 1:
        return NO_ACTION
    for action in range(mask.size):
        if mask[action]:
            return action
    return NO_ACTION


@kernel
def first_illegal(masks: Mask, actions: Index) -> int:
    """Return the first row whose action is not legal, -1 if all are."""
    for k in range(actions.size):
        action = actions[k]
        if action < 0 or action >= masks.shape[1] or masks[k, action] == 0:
            return k
    return -1


@kernel
def sample(masks: Mask, generators: Any, out: Index) -> None:
    """Draw a legal action of every row, each equally likely; rows without any get 0.

    Args:
        masks: int8 ``[n, num_actions]``.
        generators: records with a field ``rng``, one a row or one for all rows (see
            :func:`new_generators`).
        out: ``[n]``, overwritten.
    """
    for k in range(out.size):
        out[k] = draw(masks[k], generators, k if generators.size > 1 else 0)


@kernel
def draw(mask: Mask, generators: Any, g: int) -> int:
    """Draw one legal action, each equally likely; 0 if there is none."""
    count = count_legal(mask)
    return legal_number(mask, below(generators[g], count)) if count else 0


@kernel
def count_legal(mask: Mask) -> int:
    """Return how many actions are legal."""
    count, done = 0, 0
    if mask.strides[0] == 1:  # an agent may be given any array
        words = mask[: mask.size // WORD * WORD].view(np.int64)
        done = words.size * WORD
        for first in range(0, words.size, MOST_WORDS):
            by_byte = 0
            for k in range(first, min(first + MOST_WORDS, words.size)):
                by_byte += int(words[k])
            by_pair = (by_byte & EVEN_BYTES) + (by_byte >> BYTE_BITS & EVEN_BYTES)
            count += by_pair * EVEN_ONES >> HIGHEST_PAIR & PAIR
    for action in range(done, mask.size):
        count += int(mask[action])
    return count


@kernel
def legal_number(mask: Mask, number: int) -> int:
    """Return the legal action with ``number`` others before it; there are more than that."""
    action, left = 0, number
    if mask.strides[0] == 1:  # an agent may be given any array
        words = mask[: mask.size // WORD * WORD].view(np.int64)
        for k in range(words.size):
            up_to = int(words[k]) * ONES  # its byte j: how many of the word's first j + 1 are legal
            count = up_to >> HIGHEST_BYTE & BYTE
            if count > left:
                beyond = ((up_to | HIGH_BITS) - (left + 1) * ONES) & HIGH_BITS
                return action + lowest(beyond) // WORD
            left -= count
            action += WORD
    while left >= mask[action]:
        left -= int(mask[action])
        action += 1
    return action


def new_generators(count: int, seed: int) -> Any:
    """Return ``count`` independent generators for :func:`sample`, drawn from ``seed``."""
    # ``rng`` is not first: numba warns of records that begin like each other
    generators = np.zeros(count, [("unused", np.int64), ("rng", np.int64)]).view(np.recarray)
    for k in range(count):
        mixed = combine(combine(seed, k), 1)
        generators.rng[k] = mixed % (2**62) + 1
    return generators
