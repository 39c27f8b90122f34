"""Memory prefetching for kernels that walk a batch of games.

A batch does not fit into the processor's caches.  A kernel requests the next game's row while it
works on the current game, so loading and computing overlap.  Prefetching is a hint that does not
change results.  The deep entries of an agenda are not requested.  In plain Python it does nothing.
"""

from __future__ import annotations

import math
from typing import Any, Final

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from sprawl_env.kernels.compile import JIT, kernel

LINE: Final = 64  # bytes of a cache line
LIVE_ENTRIES: Final = 6  # of an agenda: few plies use deeper ones
_TO_WRITE: Final = 1
_KEEP: Final = 3  # in all caches
_DATA: Final = 1


def _lines(row: types.Record) -> list[int]:
    """Return the offsets of the cache lines of a record that are worth a request."""
    lines = range(0, row.size, LINE)
    agenda: Any = row.typeof("agenda") if "agenda" in row.fields else None
    if not isinstance(getattr(agenda, "dtype", None), types.Record):
        return list(lines)
    start = row.offset("agenda")
    deep = start + LIVE_ENTRIES * agenda.dtype.size
    last = start + math.prod(agenda.shape) * agenda.dtype.size - LINE
    return [at for at in lines if not deep <= at <= last]


def _generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Generate the code of ``_fetch``: one prefetch instruction for each cache line."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    row_size = cgutils.unpack_tuple(builder, array.strides)[0]
    first = cgutils.pointer_add(
        builder, array.data, builder.mul(arguments[1], row_size), ir.IntType(8).as_pointer()
    )
    number = ir.IntType(32)
    form = ir.FunctionType(ir.VoidType(), [first.type, number, number, number])
    hint = builder.module.declare_intrinsic("llvm.prefetch", [first.type], form)
    how = [ir.Constant(number, value) for value in (_TO_WRITE, _KEEP, _DATA)]
    for at in _lines(signature.args[0].dtype):
        builder.call(hint, [builder.gep(first, [ir.Constant(row_size.type, at)]), *how])
    return context.get_dummy_value()


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _fetch(typing_context: Any, rows: Any, row: Any) -> Any:
    """Prefetch one row of an array of records."""
    return types.void(rows, types.intp), _generate


if JIT:

    @kernel
    def prefetch(rows: Any, row: int) -> None:
        """Prefetch ``rows[row]``, which will be read or written soon."""
        _fetch(rows, row)

else:

    def prefetch(rows: Any, row: int) -> None:
        """Do nothing."""
