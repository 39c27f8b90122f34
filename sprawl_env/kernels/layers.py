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
from sprawl_env.kernels.vectors import LANES, Code

BLOCKS: Final = ((4, LANES), (2, LANES), (1, LANES), (1, 8), (1, 4), (1, 1))
"""Vectors that are in registers together, and their lanes; the widest that fits comes first."""
OUT, INPUTS, WEIGHTS, USED = range(4)  # arrays


def _generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Generate the code of ``_add``: block by block of the outputs, all inputs."""
    code = Code(context, builder, signature.args[:4], arguments[:4])
    (width,) = cgutils.unpack_tuple(builder, code.arrays[OUT].shape)
    used, count = code.arrays[USED].data, arguments[4]

    def write_block(place: Any, shape: tuple[int, int]) -> None:
        vectors, lanes = shape
        steps = [ir.Constant(width.type, n * lanes) for n in range(vectors)]
        places = [builder.add(place, step) for step in steps]
        sums = code.variables([code.load(OUT, each, lanes) for each in places], lanes)
        with cgutils.for_range(builder, count, intp=width.type) as loop:
            k = builder.sext(builder.load(builder.gep(used, [loop.index])), width.type)
            x = code.spread(code.load(INPUTS, k, 1), lanes)
            row = builder.mul(k, width)
            for total, each in zip(sums, places, strict=True):
                weight = code.load(WEIGHTS, builder.add(row, each), lanes)
                code.add_product(total, x, weight, lanes)
        for total, each in zip(sums, places, strict=True):
            code.store(builder.load(total), OUT, each, lanes)

    code.blocks(width, BLOCKS, write_block)
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
