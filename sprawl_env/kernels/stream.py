"""Writing whole numbers as float32, past the processor's caches if there are many.

A store usually loads its cache line first.  For rows that fill more memory than the caches hold,
that takes longer than all else about an observation, so they are written by *streaming* stores,
which load nothing and go on while the next game is worked on.  A thread that hands over what it
has streamed calls :func:`~sprawl_env.kernels.signals.signal`, which waits for these stores.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from sprawl_env.kernels.arrays import Floats, Mask
from sprawl_env.kernels.compile import JIT, kernel
from sprawl_env.kernels.prefetch import LINE

LANES: Final = 16  # float32 of a streaming store, which writes a whole cache line
FLOAT: Final = 4  # bytes
NUMBER, REAL = ir.IntType(8), ir.FloatType()


def _generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Generate the code of ``_stream``: up to a cache line, by cache lines, and the rest."""
    arrays = [
        context.make_array(kind)(context, builder, value)
        for kind, value in zip(signature.args, arguments, strict=True)
    ]
    numbers, scales, out = (array.data for array in arrays)
    size = cgutils.unpack_tuple(builder, arrays[2].shape)[0]
    word = size.type

    def constant(value: int) -> Any:
        return ir.Constant(word, value)

    def store(first: Any, last: Any, lanes: int) -> None:
        """Write features from ``first`` to ``last``, exclusive, ``lanes`` at a time."""
        few, wide = lanes == 1, ir.VectorType
        number = NUMBER if few else wide(NUMBER, lanes)
        real = REAL if few else wide(REAL, lanes)
        with cgutils.for_range_slice(builder, first, last, constant(lanes), word) as (k, _):
            at = [builder.gep(array, [k]) for array in (numbers, scales, out)]
            kinds = (number, real, real)
            at = [
                builder.bitcast(each, kind.as_pointer())
                for each, kind in zip(at, kinds, strict=True)
            ]
            whole, scale = builder.load(at[0]), builder.load(at[1])
            whole.align, scale.align = 1, FLOAT
            written = builder.store(builder.fmul(builder.sitofp(whole, real), scale), at[2])
            written.align = FLOAT if few else LINE
            if not few:
                mark = builder.module.add_metadata([ir.Constant(ir.IntType(32), 1)])
                written.set_metadata("nontemporal", mark)

    to_line = builder.and_(builder.neg(builder.ptrtoint(out, word)), constant(LINE - 1))
    head = builder.udiv(to_line, constant(FLOAT))
    head = builder.select(builder.icmp_signed("<", head, size), head, size)
    lines = builder.and_(builder.sub(size, head), constant(-LANES))
    rest = builder.add(head, lines)
    store(constant(0), head, 1)
    store(head, rest, LANES)
    store(rest, size, 1)
    return context.get_dummy_value()


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _stream(typing_context: Any, numbers: Any, scales: Any, out: Any) -> Any:
    """Write numbers times scales; the arrays are contiguous."""
    return types.void(numbers, scales, out), _generate


@kernel
def to_floats(numbers: Mask, scales: Floats, out: Floats) -> None:
    """Write whole numbers times their scales; all are ``[observation_size]``."""
    for k in range(numbers.size):
        out[k] = np.float32(numbers[k]) * scales[k]


if JIT:

    @kernel
    def stream(numbers: Mask, scales: Floats, out: Floats) -> None:
        """Do what :func:`to_floats` does, by streaming stores; the arrays must be contiguous."""
        _stream(numbers, scales, out)

else:
    stream = to_floats
