"""Elementwise work on bfloat16 numbers, which numpy does not have: they are the bits of a uint16.

A bfloat16 is the upper half of a float32.  Torch multiplies matrices of them fast where the
processor can, but its elementwise operations on them are slow and each of them reads and writes the
whole array.  These kernels do what stands between two multiplications in one pass.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

from sprawl_env.kernels.arrays import Floats, Ints, Mask
from sprawl_env.kernels.compile import JIT, kernel

Halves: TypeAlias = npt.NDArray[np.uint16]
ZERO: Final = np.float32(0)
_HALF: Final = 16  # bits
_ROUND: Final = 0x7FFF  # just under half of the last bit that is kept


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _widen(typing_context: Any, half: Any) -> Any:
    """Return a bfloat16 as float32."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = ir.IntType(2 * _HALF)
        bits = builder.shl(builder.zext(arguments[0], whole), ir.Constant(whole, _HALF))
        return builder.bitcast(bits, ir.FloatType())

    return types.float32(types.uint16), generate


@intrinsic  # type: ignore[untyped-decorator]
def _narrow(typing_context: Any, number: Any) -> Any:
    """Return the nearest bfloat16 of a finite float32; of two, the one whose last bit is 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = ir.IntType(2 * _HALF)
        half = ir.Constant(whole, _HALF)
        bits = builder.bitcast(arguments[0], whole)
        last = builder.and_(builder.lshr(bits, half), ir.Constant(whole, 1))
        bits = builder.add(bits, builder.add(last, ir.Constant(whole, _ROUND)))
        return builder.trunc(builder.lshr(bits, half), ir.IntType(_HALF))

    return types.uint16(types.float32), generate


if JIT:

    @kernel
    def widen(half: np.uint16) -> np.float32:
        """Return a bfloat16 as float32."""
        found: np.float32 = _widen(half)
        return found

    @kernel
    def narrow(number: np.float32) -> np.uint16:
        """Return the nearest bfloat16 of a finite float32; of two, the one whose last bit is 0."""
        found: np.uint16 = _narrow(number)
        return found

else:

    def widen(half: np.uint16) -> np.float32:
        """Return a bfloat16 as float32."""
        return np.float32(np.uint32(int(half) << _HALF).view(np.float32))

    def narrow(number: np.float32) -> np.uint16:
        """Return the nearest bfloat16 of a finite float32; of two, the one whose last bit is 0."""
        bits = int(np.float32(number).view(np.uint32))
        return np.uint16(bits + (bits >> _HALF & 1) + _ROUND >> _HALF & 0xFFFF)


@kernel
def scale_rows(numbers: Mask, scales: Floats, out: Halves) -> None:
    """Multiply whole numbers by the scale of their column.

    Args:
        numbers: int8 ``[n, size]``.
        scales: float32 ``[size]``.
        out: ``[n, size]``, overwritten.
    """
    for i in range(numbers.shape[0]):
        row, found = numbers[i], out[i]
        for j in range(scales.shape[0]):
            found[j] = narrow(np.float32(row[j]) * scales[j])


@kernel
def add_and_rectify(x: Halves, context: Floats, places: Floats) -> None:
    """Set ``x`` to ``relu(x + context + places)``.

    Args:
        x: ``[n, things, width]``, overwritten.
        context: float32 ``[n, width]``, for all things of a row.
        places: float32 ``[things, width]``, for the things of all rows.
    """
    for i in range(x.shape[0]):
        own = context[i]
        for t in range(x.shape[1]):
            row, place = x[i, t], places[t]
            for k in range(x.shape[2]):
                row[k] = narrow(max(widen(row[k]) + (own[k] + place[k]), ZERO))


@kernel
def gate(gradient: Halves, x: Halves, out: Halves, of_context: Floats, of_places: Floats) -> None:
    """The gradient of :func:`add_and_rectify`.

    Args:
        gradient: of the result, ``[n, things, width]``.
        x: the result, ``[n, things, width]``.
        out: the gradient of ``x`` before, overwritten.
        of_context: float32 ``[n, width]``, overwritten.
        of_places: float32 ``[things, width]``, to which the gradient is added.
    """
    for i in range(x.shape[0]):
        own = of_context[i]
        for k in range(x.shape[2]):
            own[k] = ZERO
        for t in range(x.shape[1]):
            row, given, found, place = x[i, t], gradient[i, t], out[i, t], of_places[t]
            for k in range(x.shape[2]):
                passed = given[k] if row[k] != 0 else np.uint16(0)
                found[k] = passed
                value = widen(passed)
                own[k] += value
                place[k] += value


@kernel
def pool(x: Halves, mean: Floats, largest: Floats, where: Ints) -> None:
    """The mean and the maximum over the things of each row.

    Args:
        x: ``[n, things, width]``.
        mean: float32 ``[n, width]``, overwritten.
        largest: float32 ``[n, width]``, overwritten.
        where: int32 ``[n, width]``, the first thing that has the maximum, overwritten.
    """
    share = np.float32(1.0 / x.shape[1])
    for i in range(x.shape[0]):
        total, most, first = mean[i], largest[i], where[i]
        for k in range(x.shape[2]):
            value = widen(x[i, 0, k])
            total[k], most[k], first[k] = value, value, 0
        for t in range(1, x.shape[1]):
            row, thing = x[i, t], np.int32(t)
            for k in range(x.shape[2]):
                total[k] += widen(row[k])
            for k in range(x.shape[2]):  # apart: so that both loops become vector instructions
                value, before, at = widen(row[k]), most[k], first[k]
                most[k] = value if value > before else before
                first[k] = thing if value > before else at
        for k in range(x.shape[2]):
            total[k] *= share


@kernel
def add_pooled(of_mean: Floats, of_largest: Floats, where: Ints, gradient: Halves) -> None:
    """Add the gradient of :func:`pool` to another gradient of the same things.

    Args:
        of_mean: float32 ``[n, width]``.
        of_largest: float32 ``[n, width]``.
        where: int32 ``[n, width]``, as found by :func:`pool`.
        gradient: ``[n, things, width]``, to which it is added.
    """
    share = np.float32(1.0 / gradient.shape[1])
    for i in range(gradient.shape[0]):
        mean, most, first = of_mean[i], of_largest[i], where[i]
        for t in range(gradient.shape[1]):
            row, thing = gradient[i, t], np.int32(t)
            for k in range(gradient.shape[2]):
                value = widen(row[k]) + mean[k] * share
                row[k] = narrow(value + (most[k] if first[k] == thing else ZERO))
