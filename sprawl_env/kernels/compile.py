"""The decorator ``@kernel``, which compiles a function with numba and caches it on disk.

All kernels are compiled with the same options.  They release the GIL, so threads can run them in
parallel.  They do not allocate memory.  A division by zero does not raise an error.

Environment variables:
    NUMBA_DISABLE_JIT=1: run every kernel as plain Python, for coverage and debuggers.
    NUMBA_BOUNDSCHECK=1: check every array index.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast, overload

import numba
from numba.core import types

from sprawl_env.kernels.cache import KernelCache, cache_folder, home_digest
from sprawl_env.kernels.codegen import KernelCompiler

JIT: bool = not numba.config.DISABLE_JIT
F = TypeVar("F", bound=Callable[..., Any])


@overload
def kernel(function: F) -> F: ...


@overload
def kernel(*, label: str) -> Callable[[F], F]: ...


def kernel(function: F | None = None, *, label: str = "") -> F | Callable[[F], F]:
    """Compile ``function`` to machine code and cache it on disk; mypy sees its own type.

    Args:
        function: the function.  It must not use Python objects or negative array indices.
        label: distinguishes functions that one factory defines several times, e.g. per game.
    """
    if function is None:
        return lambda inner: _compile(inner, label)
    return _compile(function, label)


def _widen_integers(compiled: Any) -> None:
    """Convert every whole number that one kernel passes to another to int64.

    Otherwise a kernel and its callees are compiled once for each combination of int8, int16, int64
    and enumerations that callers pass.
    """
    inner = compiled.get_call_template

    def widened(given: Any) -> Any:
        whole = isinstance(given, types.Integer | types.IntEnumMember)
        return types.int64 if whole else given

    def get_call_template(args: Any, kws: Any) -> Any:
        named = {name: widened(given) for name, given in kws.items()}
        return inner(tuple(widened(given) for given in args), named)

    compiled.get_call_template = get_call_template


def _compile(function: F, label: str) -> F:
    if not JIT:
        return function
    options = {"error_model": "numpy", "nogil": True, "no_cfunc_wrapper": True, "_nrt": False}
    compiled = numba.njit(pipeline_class=KernelCompiler, **options)(function)
    _widen_integers(compiled)
    folder = cache_folder(home_digest(function)) if _is_file(function) else None
    if folder is not None:
        compiled._cache = KernelCache(function, folder, label)
    return cast(F, compiled)


def _is_file(function: Callable[..., Any]) -> bool:
    """Return whether the source is a file: kernels typed at a prompt are not cached."""
    return Path(function.__code__.co_filename).is_file()
