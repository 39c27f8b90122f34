"""Sets of whole numbers 0..61, stored as the bits of a non-negative int64."""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

from sprawl_env.kernels.compile import JIT, kernel

_INT64 = types.int64


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _trailing_zeros(typing_context: Any, bits: Any) -> Any:
    """Count the zeros below the lowest set bit, with one processor instruction."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        never_zero = ir.Constant(ir.IntType(1), 1)
        return builder.cttz(arguments[0], never_zero)

    return _INT64(_INT64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _ones(typing_context: Any, bits: Any) -> Any:
    """Count the set bits, with one processor instruction."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return _INT64(_INT64), generate


if JIT:

    @kernel
    def lowest(bits: int) -> int:
        """Return the smallest element of a set that is not empty.

        To iterate over a set: ``while bits: element = lowest(bits); bits &= bits - 1``.
        """
        return int(_trailing_zeros(bits))

    @kernel
    def count_bits(bits: int) -> int:
        """Return the number of elements of a set."""
        return int(_ones(bits))

else:

    def lowest(bits: int) -> int:
        """Return the smallest element of a set that is not empty."""
        return (int(bits) & -int(bits)).bit_length() - 1

    def count_bits(bits: int) -> int:
        """Return the number of elements of a set."""
        return int(bits).bit_count()
