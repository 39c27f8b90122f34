"""Masks of legal actions: count the legal actions, draw one at random, check a chosen one.

A mask is int8 ``[num_actions]``; 1 means legal.  Where the array allows it, eight entries are read
at a time as one int64.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from sprawl_env.kernels.arrays import Index, Mask
from sprawl_env.kernels.bits import count_bits, lowest
from sprawl_env.kernels.compile import JIT, kernel
from sprawl_env.kernels.rng import below, combine

NO_ACTION: Final = -1  # no action of the mask

# A word is eight entries of a mask, a byte each.  Its lowest byte is the first action.
WORD: Final = 8  # bytes of a word; also the bits of a byte
ONES: Final = 0x0101010101010101  # byte j of ``word * ONES`` is the sum of the bytes 0..j
HIGHEST_BYTE, BYTE = 56, 0xFF
HIGH_BITS: Final = 0x8080808080808080 - (1 << 64)


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _read_word(typing_context: Any, mask: Any, first: Any) -> Any:
    """Read the word that begins with an entry of a mask whose entries lie side by side."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        word = builder.load(builder.bitcast(place, ir.IntType(8 * WORD).as_pointer()))
        word.align = 1
        return word

    return types.int64(mask, types.intp), generate


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _copy(typing_context: Any, mask: Any, out: Any) -> Any:
    """Copy a mask to an array of the same size; the entries of both lie side by side."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        mask, out = (
            context.make_array(kind)(context, builder, value)
            for kind, value in zip(signature.args, arguments, strict=True)
        )
        size = cgutils.unpack_tuple(builder, mask.shape)[0]
        cgutils.raw_memcpy(builder, out.data, mask.data, size, 1)
        return context.get_dummy_value()

    return types.void(mask, out), generate


if JIT:

    @kernel
    def copy_mask(mask: Mask, out: Mask) -> None:
        """Copy a mask; a loop over its bytes would take three times as long."""
        _copy(mask, out)

    @kernel
    def word_at(mask: Mask, first: int) -> int:
        """Return the word that begins with action ``first``."""
        return int(_read_word(mask, first))

else:

    def copy_mask(mask: Mask, out: Mask) -> None:
        """Copy a mask."""
        out[:] = mask

    def word_at(mask: Mask, first: int) -> int:
        """Return the word that begins with action ``first``."""
        return int(mask[first : first + WORD].view(np.int64)[0])


@kernel
def has_words(mask: Mask) -> bool:
    """Return whether the entries lie side by side; false for some arrays that callers pass."""
    return bool(mask.strides[0] == 1)


@kernel
def only_action(mask: Mask) -> int:
    """Return the only legal action; ``NO_ACTION`` if there are none or several."""
    return legal_number(mask, 0) if count_legal(mask) == 1 else NO_ACTION


@kernel
def first_illegal(masks: Mask, actions: Index) -> int:
    """Return the index of the first row whose action is not legal; -1 if all are legal."""
    for k in range(actions.size):
        action = actions[k]
        if action < 0 or action >= masks.shape[1] or masks[k, action] == 0:
            return k
    return -1


@kernel
def sample(masks: Mask, generators: Any, out: Index) -> None:
    """Draw one legal action for each row, all equally likely; 0 for a row without legal actions.

    Args:
        masks: int8 ``[n, num_actions]``.
        generators: random number generators, one for each row or one for all rows (see
            :func:`new_generators`).
        out: ``[n]``, overwritten.
    """
    for k in range(out.size):
        out[k] = draw(masks[k], generators, k if generators.size > 1 else 0)


@kernel
def draw(mask: Mask, generators: Any, g: int) -> int:
    """Draw one legal action with generator ``g``, all equally likely; 0 if there is none."""
    count = count_legal(mask)
    return legal_number(mask, below(generators[g], count)) if count else 0


@kernel
def count_legal(mask: Mask) -> int:
    """Return the number of legal actions."""
    count = 0
    in_words = mask.size // WORD * WORD if has_words(mask) else 0
    for first in range(0, in_words, WORD):
        count += count_bits(word_at(mask, first))
    for action in range(in_words, mask.size):
        count += int(mask[action])
    return count


@kernel
def legal_number(mask: Mask, number: int) -> int:
    """Return legal action ``number``, counted from 0; the mask must have that many."""
    action, left = 0, number
    in_words = mask.size // WORD * WORD if has_words(mask) else 0
    while action < in_words:
        up_to = word_at(mask, action) * ONES  # byte j: the number of legal actions in bytes 0..j
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
    """Return ``count`` independent random number generators, seeded from ``seed``.

    They are records with a field ``rng``, as :mod:`sprawl_env.kernels.rng` uses them.
    """
    # ``rng`` is not the first field: numba warns about records that share their first fields.
    generators = np.zeros(count, [("unused", np.int64), ("rng", np.int64)]).view(np.recarray)
    for k in range(count):
        mixed = combine(combine(seed, k), 1)
        generators.rng[k] = mixed % (2**62) + 1
    return generators


@kernel
def keep_allowed(mask: Mask, allowed: Mask) -> None:
    """Leave out the actions that are not allowed."""
    for action in range(mask.size):
        mask[action] &= allowed[action]
