"""A layer of a network for one row: the sum of weights, a vector at a time, in registers.

LLVM makes vector instructions of a plain loop over the outputs, but checks before each short loop
that arrays do not overlap, and reads and writes the outputs again and again.  Here up to 64
outputs stay in registers while all inputs are added.  Products are added with one rounding
(``fma``), so the results are the same on all machines.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from sprawl_env.kernels.arrays import Floats, Ints
from sprawl_env.kernels.compile import JIT, kernel

LANES: Final = 16  # float32 of a vector
SHAPES: Final = ((4, LANES), (2, LANES), (1, LANES), (1, 8), (1, 4), (1, 1))
"""Vectors that are in registers together, and their lanes; the widest that fits comes first."""
FLOAT: Final = 4  # bytes
REAL, INDEX = ir.FloatType(), ir.IntType(32)


def vector_of(lanes: int) -> Any:
    """Return the type of a vector of float32."""
    return ir.VectorType(REAL, lanes) if lanes > 1 else REAL


def fused_of(builder: Any, lanes: int) -> Any:
    """Return the function that multiplies and adds vectors with one rounding."""
    kind = vector_of(lanes)
    name = f"llvm.fma.v{lanes}f32" if lanes > 1 else "llvm.fma.f32"  # llvmlite's: no vectors
    return cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind] * 3), name)


def spread(builder: Any, x: Any, lanes: int) -> Any:
    """Return a vector of which every lane is ``x``."""
    if lanes == 1:
        return x
    empty = ir.Constant(vector_of(lanes), ir.Undefined)
    one = builder.insert_element(empty, x, ir.Constant(INDEX, 0))
    return builder.shuffle_vector(one, empty, ir.Constant(ir.VectorType(INDEX, lanes), [0] * lanes))


def _generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Generate the code of ``_add``: block by block of the outputs, all inputs."""
    made = [
        context.make_array(kind)(context, builder, value)
        for kind, value in zip(signature.args[:4], arguments[:4], strict=True)
    ]
    out, inputs, weights, used = (array.data for array in made)
    width = cgutils.unpack_tuple(builder, made[0].shape)[0]
    word = width.type
    count = builder.sext(arguments[4], word) if arguments[4].type != word else arguments[4]

    def constant(value: int) -> Any:
        return ir.Constant(word, value)

    def at(base: Any, index: Any, kind: Any) -> Any:
        return builder.bitcast(builder.gep(base, [index]), kind.as_pointer())

    def add_blocks(first: Any, last: Any, vectors: int, lanes: int) -> None:
        """Add the inputs to the outputs from ``first`` to ``last``, exclusive."""
        kind = vector_of(lanes)
        fused = fused_of(builder, lanes)
        sums = [cgutils.alloca_once(builder, kind) for _ in range(vectors)]
        step = constant(vectors * lanes)
        with cgutils.for_range_slice(builder, first, last, step, word) as (j, _):
            places = [builder.add(j, constant(v * lanes)) for v in range(vectors)]
            for total, place in zip(sums, places, strict=True):
                loaded = builder.load(at(out, place, kind))
                loaded.align = FLOAT
                builder.store(loaded, total)
            with cgutils.for_range(builder, count, intp=word) as loop:
                k = builder.sext(builder.load(builder.gep(used, [loop.index])), word)
                x = builder.load(builder.gep(inputs, [k]))
                x = spread(builder, x, lanes)
                row = builder.mul(k, width)
                for total, place in zip(sums, places, strict=True):
                    weight = builder.load(at(weights, builder.add(row, place), kind))
                    weight.align = FLOAT
                    added = builder.call(fused, [x, weight, builder.load(total)])
                    builder.store(added, total)
            for total, place in zip(sums, places, strict=True):
                builder.store(builder.load(total), at(out, place, kind)).align = FLOAT

    first = constant(0)
    for vectors, lanes in SHAPES:
        size = constant(vectors * lanes)
        whole = builder.mul(builder.udiv(builder.sub(width, first), size), size)
        last = builder.add(first, whole)
        add_blocks(first, last, vectors, lanes)
        first = last
    return context.get_dummy_value()


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _add(typing_context: Any, out: Any, inputs: Any, weights: Any, used: Any, count: Any) -> Any:
    """Add the products of some inputs; the arrays are contiguous."""
    return types.void(out, inputs, weights, used, types.int64), _generate


if JIT:

    @kernel
    def add_products(out: Floats, inputs: Floats, weights: Floats, used: Ints, count: int) -> None:
        """Add the weights of some inputs, each times its input, to the outputs.

        Args:
            out: float32 ``[width]``, contiguous.
            inputs: float32 ``[n]``, contiguous.
            weights: float32 ``[n * width]``, input by input, contiguous.
            used: int32 ``[n]``, the indices of the inputs that count, below ``n``.
            count: how many there are.
        """
        _add(out, inputs, weights, used, count)

else:

    def add_products(out: Floats, inputs: Floats, weights: Floats, used: Ints, count: int) -> None:
        """Do the same in numpy, with two roundings."""
        rows = weights.reshape(inputs.size, out.size)
        for k in used[:count]:
            out += inputs[k] * rows[k]


@kernel
def add_layer(out: Floats, inputs: Floats, weights: Floats, used: Ints) -> None:
    """Add what all inputs of a layer contribute, except those that are 0.

    Args:
        out: float32 ``[width]``.
        inputs: float32 ``[n]``.
        weights: float32 ``[n * width]``, input by input.
        used: int32 ``[n]`` or longer, overwritten.
    """
    count = 0
    for k in range(inputs.size):  # without a branch, which could not be predicted
        used[count] = k
        count += int(inputs[k] != np.float32(0.0))
    add_products(out, inputs, weights, used, count)
