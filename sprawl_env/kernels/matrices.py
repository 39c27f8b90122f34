"""Layers of a network for several rows at once: small matrices, blocks of them in registers.

Rows here are the things on a board: tens of them, with some tens of numbers each.  Around such
small loops the checks that LLVM adds take longer than the loops.  Every sum is added in the order
of the inputs, with one rounding (``fma``), so the results are the same on all machines, and the
same for a row whatever the others are.

Arrays are float32 and contiguous; weights are input by input, ``[inputs * outputs]``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from sprawl_env.kernels.arrays import Floats
from sprawl_env.kernels.compile import JIT, kernel
from sprawl_env.kernels.vectors import LANES, Code, zero_of

ROWS: Final = (4, 2, 1)  # rows that are in registers together; as many as fit come first
COLUMNS: Final = ((2, LANES), (1, 8), (1, 1))  # likewise: vectors of a row, and their lanes


def _whole_numbers(count: int) -> Any:
    """Return the type of a tuple of so many whole numbers."""
    return types.UniTuple(types.int64, count)  # type: ignore[attr-defined]  # numba has no types


OUT, FIRST, SECOND, LEFT, RIGHT = range(5)  # arrays of a product


def _product(start: str, end: str) -> Any:
    """Return an intrinsic that adds the products of two matrices.

    Args:
        start: what they are added to: ``out``, itself; ``rows``, ``first[row] + second``; ``bias``,
            ``first``; ``zero``.
        end: what becomes of the sums: ``plain``, nothing; ``relu``; ``gate``, they count where
            ``second[row]`` is positive.

    Its arguments are the arrays and (rows, inputs, outputs, steps in ``left`` from row to row and
    from input to input).
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = Code(context, builder, signature.args[:5], arguments[:5])
        rows, inner, width, row_step, inner_step = cgutils.unpack_tuple(builder, arguments[5])

        def own(row: Any, place: Any) -> Any:
            return builder.add(builder.mul(row, width), place)

        def begin(row: Any, place: Any, lanes: int) -> Any:
            if start == "out":
                return code.load(OUT, own(row, place), lanes)
            if start == "rows":
                of_row = code.load(FIRST, own(row, place), lanes)
                return builder.fadd(of_row, code.load(SECOND, place, lanes))
            return code.load(FIRST, place, lanes) if start == "bias" else zero_of(lanes)

        def finish(total: Any, row: Any, place: Any, lanes: int) -> None:
            if end != "plain":
                asked = total if end == "relu" else code.load(SECOND, own(row, place), lanes)
                total = code.positive(asked, total, lanes)
            code.store(total, OUT, own(row, place), lanes)

        def write_block(row: Any, count: int, column: Any, shape: tuple[int, int]) -> None:
            vectors, lanes = shape
            which = [builder.add(row, ir.Constant(rows.type, n)) for n in range(count)]
            steps = [ir.Constant(rows.type, n * lanes) for n in range(vectors)]
            places = [builder.add(column, step) for step in steps]
            cells = [(each, v) for each in which for v in range(vectors)]
            sums = code.variables([begin(each, places[v], lanes) for each, v in cells], lanes)
            with cgutils.for_range(builder, inner, intp=rows.type) as loop:
                weights = [code.load(RIGHT, own(loop.index, place), lanes) for place in places]
                across = builder.mul(loop.index, inner_step)
                downs = [builder.mul(each, row_step) for each in which]
                lefts = [code.load(LEFT, builder.add(down, across), 1) for down in downs]
                inputs = [code.spread(x, lanes) for x in lefts for _ in places]
                for n, total in enumerate(sums):
                    code.add_product(total, inputs[n], weights[n % vectors], lanes)
            for (each, v), total in zip(cells, sums, strict=True):
                finish(builder.load(total), each, places[v], lanes)

        def write_columns(column: Any, shape: tuple[int, int]) -> None:
            code.blocks(rows, ROWS, lambda row, count: write_block(row, count, column, shape))

        code.blocks(width, COLUMNS, write_columns)  # a column of ``right`` stays in the cache
        return context.get_dummy_value()

    @intrinsic  # type: ignore[untyped-decorator]  # numba has no types
    def product(
        typing: Any, out: Any, first: Any, second: Any, left: Any, right: Any, by: Any
    ) -> Any:
        return types.void(out, first, second, left, right, _whole_numbers(5)), generate

    return product


Step = Callable[[Code, list[Any], Any, int], None]


def _columns(arrays: int, held: int, changed: tuple[int, ...], step: Step) -> Callable[..., Any]:
    """Return the code of what is done column by column, from row to row.

    The first ``held`` arrays are ``[columns]``; they stay in registers, and those that ``step``
    has ``changed`` are written at the end.  The others are ``[rows, columns]``.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = Code(context, builder, signature.args[:arrays], arguments[:arrays])
        rows, width = cgutils.unpack_tuple(builder, arguments[arrays])

        def write_block(column: Any, shape: tuple[int, int]) -> None:
            lanes = shape[1]
            kept = code.variables([code.load(n, column, lanes) for n in range(held)], lanes)
            with cgutils.for_range(builder, rows, intp=rows.type) as loop:
                place = builder.add(builder.mul(loop.index, width), column)
                step(code, kept, place, lanes)
            for n in changed:
                code.store(builder.load(kept[n]), n, column, lanes)

        code.blocks(width, [(1, LANES), (1, 8), (1, 1)], write_block)
        return context.get_dummy_value()

    return generate


def _add_row(code: Code, kept: list[Any], place: Any, lanes: int) -> None:
    """Add a row to the sums."""
    builder, (total,) = code.builder, kept
    builder.store(builder.fadd(builder.load(total), code.load(1, place, lanes)), total)


def _keep_largest(code: Code, kept: list[Any], place: Any, lanes: int) -> None:
    """Keep the larger ones of a row and of the largest so far."""
    builder, (largest,) = code.builder, kept
    value, before = code.load(1, place, lanes), builder.load(largest)
    more = builder.fcmp_ordered(">", value, before)
    builder.store(builder.select(more, value, before), largest)


def _leave_row(code: Code, kept: list[Any], place: Any, lanes: int) -> None:
    """Go backwards through the pool and through the ReLU before it, for a row."""
    builder, (share, most, largest) = code.builder, kept
    gradient, value = code.load(3, place, lanes), code.load(4, place, lanes)
    left, zero = builder.load(most), zero_of(lanes)
    hit = builder.fcmp_ordered("==", value, builder.load(largest))
    total = builder.fadd(gradient, builder.load(share))
    total = builder.fadd(total, builder.select(hit, left, zero))
    builder.store(builder.select(hit, zero, left), most)
    code.store(code.positive(value, total, lanes), 3, place, lanes)


_begin_rows, _encode = _product("rows", "relu"), _product("bias", "relu")
_project, _add_outer = _product("bias", "plain"), _product("out", "plain")
_back, _back_gated = _product("zero", "plain"), _product("zero", "gate")
_SIZES: Final = _whole_numbers(2)


@intrinsic  # type: ignore[untyped-decorator]
def _add_all(typing: Any, total: Any, rows: Any, by: Any) -> Any:
    return types.void(total, rows, _SIZES), _columns(2, 1, (0,), _add_row)


@intrinsic  # type: ignore[untyped-decorator]
def _largest(typing: Any, largest: Any, rows: Any, by: Any) -> Any:
    return types.void(largest, rows, _SIZES), _columns(2, 1, (0,), _keep_largest)


@intrinsic  # type: ignore[untyped-decorator]
def _leave(
    typing: Any, share: Any, most: Any, largest: Any, gradient: Any, rows: Any, by: Any
) -> Any:
    signature = types.void(share, most, largest, gradient, rows, _SIZES)
    return signature, _columns(5, 3, (1,), _leave_row)


if JIT:

    @kernel
    def encode_places(
        out: Floats, inputs: Floats, weights: Floats, places: Floats, context: Floats
    ) -> None:
        """Write a layer with ReLU, whose bias is a place's and the context.

        Args:
            out: ``[rows, outputs]``.
            inputs: ``[rows, inputs]``.
            weights: ``[inputs * outputs]``.
            places: ``[rows * outputs]``.
            context: ``[outputs]``.
        """
        rows, inner = inputs.shape
        _begin_rows(out, places, context, inputs, weights, (rows, inner, context.size, inner, 1))

    @kernel
    def encode(out: Floats, inputs: Floats, weights: Floats, bias: Floats) -> None:
        """Write a layer with ReLU; see :func:`encode_places`."""
        rows, inner = inputs.shape
        _encode(out, bias, bias, inputs, weights, (rows, inner, bias.size, inner, 1))

    @kernel
    def project(out: Floats, inputs: Floats, weights: Floats, bias: Floats) -> None:
        """Write a layer without ReLU; see :func:`encode_places`."""
        rows, inner = inputs.shape
        _project(out, bias, bias, inputs, weights, (rows, inner, bias.size, inner, 1))

    @kernel
    def go_back(out: Floats, gradient: Floats, back: Floats) -> None:
        """Write the gradient of the inputs of a layer.

        Args:
            out: ``[rows, inputs]``.
            gradient: ``[rows, outputs]``, of what the layer computed.
            back: ``[outputs * inputs]``, its weights, output by output.
        """
        rows, inner = gradient.shape
        _back(out, out, out, gradient, back, (rows, inner, out.shape[1], inner, 1))

    @kernel
    def go_back_gated(out: Floats, gradient: Floats, back: Floats, results: Floats) -> None:
        """Do the same, and go backwards through a ReLU whose results ``[rows, inputs]`` are."""
        rows, inner = gradient.shape
        _back_gated(out, out, results, gradient, back, (rows, inner, out.shape[1], inner, 1))

    @kernel
    def add_outer(weights: Floats, inputs: Floats, gradient: Floats) -> None:
        """Add the gradient of the weights of a layer.

        Args:
            weights: ``[inputs * outputs]``, the gradient.
            inputs: ``[rows, inputs]``.
            gradient: ``[rows, outputs]``, of what the layer computed.
        """
        rows, inner = inputs.shape
        sizes = inner, rows, gradient.shape[1], 1, inner
        _add_outer(weights, weights, weights, inputs, gradient, sizes)

    @kernel
    def add_rows(total: Floats, rows: Floats) -> None:
        """Add all rows ``[rows, columns]`` to the total ``[columns]``."""
        _add_all(total, rows, rows.shape)

    @kernel
    def keep_largest(largest: Floats, rows: Floats) -> None:
        """Write the largest of ``largest`` ``[columns]`` and all rows ``[rows, columns]``."""
        _largest(largest, rows, rows.shape)

    @kernel
    def leave_pool(
        share: Floats, most: Floats, largest: Floats, gradient: Floats, rows: Floats
    ) -> None:
        """Go backwards through the mean and the maximum of rows, and through the ReLU before.

        Args:
            share: ``[columns]``, the gradient of the mean divided by the number of rows.
            most: ``[columns]``, the gradient of the maximum, which the first row that has it gets;
                overwritten.
            largest: ``[columns]``, the maximum.
            gradient: ``[rows, columns]``, to which is added.
            rows: ``[rows, columns]``.
        """
        _leave(share, most, largest, gradient, rows, rows.shape)

else:

    def encode_places(
        out: Floats, inputs: Floats, weights: Floats, places: Floats, context: Floats
    ) -> None:
        """Do the same in numpy, with other roundings; so do the following."""
        added = inputs @ weights.reshape(inputs.shape[1], context.size)
        out[:] = np.maximum(added + places.reshape(out.shape) + context, 0)

    def encode(out: Floats, inputs: Floats, weights: Floats, bias: Floats) -> None:
        """Write a layer with ReLU."""
        out[:] = np.maximum(inputs @ weights.reshape(inputs.shape[1], bias.size) + bias, 0)

    def project(out: Floats, inputs: Floats, weights: Floats, bias: Floats) -> None:
        """Write a layer without ReLU."""
        out[:] = inputs @ weights.reshape(inputs.shape[1], bias.size) + bias

    def go_back(out: Floats, gradient: Floats, back: Floats) -> None:
        """Write the gradient of the inputs of a layer."""
        out[:] = gradient @ back.reshape(gradient.shape[1], out.shape[1])

    def go_back_gated(out: Floats, gradient: Floats, back: Floats, results: Floats) -> None:
        """Do the same, and go backwards through a ReLU."""
        out[:] = gradient @ back.reshape(gradient.shape[1], out.shape[1]) * (results > 0)

    def add_outer(weights: Floats, inputs: Floats, gradient: Floats) -> None:
        """Add the gradient of the weights of a layer."""
        weights += (inputs.T @ gradient).ravel()

    def add_rows(total: Floats, rows: Floats) -> None:
        """Add all rows to the total."""
        total += rows.sum(0)

    def keep_largest(largest: Floats, rows: Floats) -> None:
        """Write the largest of ``largest`` and all rows."""
        np.maximum(largest, rows.max(0, initial=-np.inf), out=largest)

    def leave_pool(
        share: Floats, most: Floats, largest: Floats, gradient: Floats, rows: Floats
    ) -> None:
        """Go backwards through the mean and the maximum of rows, and through the ReLU before."""
        for k, row in enumerate(rows):
            hit = row == largest
            gradient[k] = np.where(row > 0, gradient[k] + share + np.where(hit, most, 0), 0)
            most[hit] = 0
