"""A small array on the stack, for kernels that are given no scratch memory."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np import arrayobj

from sprawl_env.kernels.arrays import Ints
from sprawl_env.kernels.compile import JIT

SIZE: Final = 16
_INT32_BITS: Final = 32


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _stack_array(typing_context: Any) -> Any:
    kind = types.Array(types.int32, 1, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        memory = cgutils.alloca_once(builder, ir.IntType(_INT32_BITS), size=SIZE)
        array = arrayobj.make_array(kind)(context, builder)
        arrayobj.populate_array(
            array,
            data=memory,
            shape=[context.get_constant(types.intp, SIZE)],
            strides=[context.get_constant(types.intp, np.dtype(np.int32).itemsize)],
            itemsize=context.get_constant(types.intp, np.dtype(np.int32).itemsize),
            meminfo=None,
        )
        return array._getvalue()

    return kind(), generate


def _plain_array() -> Ints:
    return np.zeros(SIZE, np.int32)


# In a kernel: ``numbers = new_numbers()``, int32 [SIZE], not cleared.  The memory is freed when the
# kernel that calls it returns, so the array must not be returned.
new_numbers: Any = _stack_array if JIT else _plain_array
