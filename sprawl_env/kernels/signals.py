"""Signals between threads that are inside kernels: words in shared memory.

A thread without work polls a word for a limited time (:func:`wait_for`) instead of sleeping at
once, because waking a thread takes longer than stepping thousands of games.  When the time is up,
the caller of the kernel puts the thread to sleep.

A signal is a release store and polling uses acquire loads.  So a thread that has seen a signal also
sees everything that was written before the signal.  In plain Python no kernel waits, and the GIL
provides the ordering.
"""

from __future__ import annotations

import platform
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

from sprawl_env.kernels.compile import JIT, kernel

Words = npt.NDArray[np.int64]

APART: Final = 16  # distance of words that different threads write: no shared cache lines
PATIENCE: Final = 10_000  # polls before a wait ends; on x86 some tenths of a millisecond

_WIDTH: Final = 8  # bytes of a word
_HAS_PAUSE: Final = platform.machine().lower() in ("x86_64", "amd64")


def _word(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return the address of ``words[at]``; the array must be contiguous."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]])


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _load(typing_context: Any, words: Any, at: Any) -> Any:
    """Read a word; later reads see everything that was written before it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = _word(context, builder, signature, arguments)
        return builder.load_atomic(word, "acquire", _WIDTH)

    return types.int64(words, types.intp), generate


@intrinsic  # type: ignore[untyped-decorator]
def _store(typing_context: Any, words: Any, at: Any, value: Any) -> Any:
    """Write a word after all earlier writes, streaming stores among them."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = _word(context, builder, signature, arguments)
        builder.fence("seq_cst")
        builder.store_atomic(arguments[2], word, "release", _WIDTH)
        return context.get_dummy_value()

    return types.void(words, types.intp, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _pause(typing_context: Any) -> Any:
    """Hint to the processor that this is a polling loop."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if _HAS_PAUSE:
            form = ir.FunctionType(ir.VoidType(), [])
            builder.call(builder.module.declare_intrinsic("llvm.x86.sse2.pause", (), form), [])
        return context.get_dummy_value()

    return types.void(), generate


if JIT:

    @kernel
    def signal(words: Words, at: int, value: int) -> None:
        """Write a word; a thread that sees it also sees all earlier writes of this thread."""
        _store(words, at, value)

    @kernel
    def wait_for(words: Words, at: int, value: int) -> bool:
        """Poll a word until it is ``value``; return False if that takes too long."""
        for _ in range(PATIENCE):
            if _load(words, at) == value:
                return True
            _pause()
        return False

else:

    def signal(words: Words, at: int, value: int) -> None:
        """Write a word."""
        words[at] = value

    def wait_for(words: Words, at: int, value: int) -> bool:
        """Return whether a word is ``value``."""
        return bool(words[at] == value)
