"""Code of LLVM for arrays of float32, a vector at a time: what layers and matrices are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils

LANES: Final = 16  # float32 of the widest vector
FLOAT: Final = 4  # bytes
REAL, INDEX = ir.FloatType(), ir.IntType(32)


def vector_of(lanes: int) -> Any:
    """Return the type of a vector of float32."""
    return ir.VectorType(REAL, lanes) if lanes > 1 else REAL


def zero_of(lanes: int) -> Any:
    """Return a vector of zeros."""
    return ir.Constant(vector_of(lanes), [0.0] * lanes if lanes > 1 else 0.0)


class Code:
    """The code of one call: what it reads and writes.

    Args:
        context: numba's.
        builder: of the code.
        kinds: numba's types of the arrays, which are contiguous.
        arrays: their values.
    """

    def __init__(self, context: Any, builder: Any, kinds: Any, arrays: Any) -> None:
        self.builder = builder
        self.arrays = [
            context.make_array(kind)(context, builder, value)
            for kind, value in zip(kinds, arrays, strict=True)
        ]

    def load(self, array: int, index: Any, lanes: int) -> Any:
        """Return a vector of an array."""
        loaded = self.builder.load(self._at(array, index, lanes))
        loaded.align = FLOAT
        return loaded

    def store(self, value: Any, array: int, index: Any, lanes: int) -> None:
        """Write a vector of an array."""
        self.builder.store(value, self._at(array, index, lanes)).align = FLOAT

    def spread(self, x: Any, lanes: int) -> Any:
        """Return a vector of which every lane is ``x``."""
        if lanes == 1:
            return x
        empty = ir.Constant(vector_of(lanes), ir.Undefined)
        one = self.builder.insert_element(empty, x, ir.Constant(INDEX, 0))
        first = ir.Constant(ir.VectorType(INDEX, lanes), [0] * lanes)
        return self.builder.shuffle_vector(one, empty, first)

    def add_product(self, total: Any, x: Any, y: Any, lanes: int) -> None:
        """Add ``x * y`` to a variable, with one rounding."""
        kind = vector_of(lanes)
        name = f"llvm.fma.v{lanes}f32" if lanes > 1 else "llvm.fma.f32"  # llvmlite's: no vectors
        of = ir.FunctionType(kind, [kind] * 3)
        fused = cgutils.get_or_insert_function(self.builder.module, of, name)
        added = self.builder.call(fused, [x, y, self.builder.load(total)])
        self.builder.store(added, total)

    def positive(self, asked: Any, value: Any, lanes: int) -> Any:
        """Return the lanes of a value where another one is positive, else 0."""
        zero = zero_of(lanes)
        return self.builder.select(self.builder.fcmp_ordered(">", asked, zero), value, zero)

    def variables(self, values: list[Any], lanes: int) -> list[Any]:
        """Return vectors that are written again and again; LLVM keeps them in registers."""
        made = [cgutils.alloca_once(self.builder, vector_of(lanes)) for _ in values]
        for value, each in zip(values, made, strict=True):
            self.builder.store(value, each)
        return made

    def blocks(self, total: Any, shapes: Any, write: Callable[[Any, Any], None]) -> None:
        """Divide ``total`` into blocks of the sizes of ``shapes``, and write the code of each."""
        first = ir.Constant(total.type, 0)
        for shape in shapes:
            size = shape[0] * shape[1] if isinstance(shape, tuple) else shape
            step = ir.Constant(total.type, size)
            count = self.builder.udiv(self.builder.sub(total, first), step)
            last = self.builder.add(first, self.builder.mul(count, step))
            loop = cgutils.for_range_slice(self.builder, first, last, step, total.type)
            with loop as (begin, _):
                write(begin, shape)
            first = last

    def _at(self, array: int, index: Any, lanes: int) -> Any:
        place = self.builder.gep(self.arrays[array].data, [index])
        return self.builder.bitcast(place, vector_of(lanes).as_pointer())
