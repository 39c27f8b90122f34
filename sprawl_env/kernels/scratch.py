"""A small array on the stack, for kernels, which cannot allocate memory.

In a kernel: ``numbers = as_array(new_numbers(), SHAPE, np.int32)``.  The array is int32 ``[SIZE]``
and not initialised.  Both functions must be called in the kernel that uses the array: its memory
is freed when that kernel returns.
"""

from __future__ import annotations

from typing import Any, Final

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from sprawl_env.kernels.arrays import Ints
from sprawl_env.kernels.compile import JIT

SIZE: Final = 8
SHAPE: Final = (SIZE,)


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def stack_pointer(typing_context: Any) -> Any:
    """Return a pointer to memory for ``SIZE`` int32 on the stack of the calling kernel."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return cgutils.alloca_once(builder, ir.IntType(32), size=ir.Constant(ir.IntType(32), SIZE))

    return types.CPointer(types.int32)(), generate  # type: ignore[attr-defined]


def _plain_pointer() -> Ints:
    return np.zeros(SIZE, np.int32)


def _plain_array(memory: Ints, shape: tuple[int, ...], dtype: Any) -> Ints:
    return memory


new_numbers: Any = stack_pointer if JIT else _plain_pointer
as_array: Any = numba.carray if JIT else _plain_array
