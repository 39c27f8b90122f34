"""Words in shared memory by which threads inside kernels tell each other how far they are.

A thread that has nothing to do for a moment keeps looking at a word instead of going to sleep:
to wake one costs more than to step thousands of games.  It does so for a limited time only
(:func:`wait_for`); whoever calls the kernel then lets the thread sleep.

What a thread wrote before it signalled is there for the one that saw the signal.  As plain Python
nobody waits inside a kernel, and the interpreter's lock keeps the order.
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

APART: Final = 16  # words between those that different threads signal with: no line is shared
PATIENCE: Final = 10_000  # looks at a word before giving up; on x86 some tenths of a millisecond

_WIDTH: Final = 8  # bytes of a word
_HAS_PAUSE: Final = platform.machine().lower() in ("x86_64", "amd64")


def _word(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return the address of ``words[at]``; the words lie side by side."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]])


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _load(typing_context: Any, words: Any, at: Any) -> Any:
    """Read a word, and after it what was written before it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = _word(context, builder, signature, arguments)
        return builder.load_atomic(word, "acquire", _WIDTH)

    return types.int64(words, types.intp), generate


@intrinsic  # type: ignore[untyped-decorator]
def _store(typing_context: Any, words: Any, at: Any, value: Any) -> Any:
    """Write a word, after all that was written before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = _word(context, builder, signature, arguments)
        builder.store_atomic(arguments[2], word, "release", _WIDTH)
        return context.get_dummy_value()

    return types.void(words, types.intp, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _pause(typing_context: Any) -> Any:
    """Tell the processor that this is a loop that waits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if _HAS_PAUSE:
            form = ir.FunctionType(ir.VoidType(), [])
            builder.call(builder.module.declare_intrinsic("llvm.x86.sse2.pause", (), form), [])
        return context.get_dummy_value()

    return types.void(), generate


if JIT:

    @kernel
    def signal(words: Words, at: int, value: int) -> None:
        """Write a word for other threads to see, after all that this one wrote before."""
        _store(words, at, value)

    @kernel
    def wait_for(words: Words, at: int, value: int) -> bool:
        """Look at a word until it is ``value``; False if that takes too long."""
        for _ in range(PATIENCE):
            if _load(words, at) == value:
                return True
            _pause()
        return False

else:

    def signal(words: Words, at: int, value: int) -> None:
        """Write a word for other threads to see."""
        words[at] = value

    def wait_for(words: Words, at: int, value: int) -> bool:
        """Tell whether a word is ``value``."""
        return bool(words[at] == value)
