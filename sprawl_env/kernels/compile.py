"""The decorator ``@kernel``, which compiles a function with numba and caches it on disk.

All kernels are compiled with the same options.  They release the GIL, so threads can run them in
parallel.  They do not allocate memory.  A division by zero does not raise an error.

Environment variables:
    NUMBA_DISABLE_JIT=1: run every kernel as plain Python, for coverage and debuggers.
    NUMBA_BOUNDSCHECK=1: check every array index.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar, cast, overload

import numba
from numba.core import types
from numba.core.registry import CPUDispatcher
from numba.core.sigutils import normalize_signature
from numba.core.typing import make_concrete_template

from sprawl_env.kernels.cache import KernelCache, PartCache, cache_folder
from sprawl_env.kernels.codegen import PartCompiler, ProgramCompiler
from sprawl_env.kernels.sources import TYPED, home_digest

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
        label: distinguishes functions that one factory defines several times, e.g. per game.  A
            function that uses variables of a factory and has no label is not cached.
    """
    if function is None:
        return lambda inner: _compile(inner, label)
    return _compile(function, label)


def bound(function: F, *arguments: Any) -> F:
    """Return a kernel for arguments of the same types as these, which are not looked at any more.

    To find the types of tens of arrays takes tens of microseconds at each call.  The caller answers
    for the types, the number of dimensions and the layout of what the result is called with.
    """
    return cast(F, function.bound(arguments)) if isinstance(function, _Program) else function


_OPTIONS: Final = {
    "nopython": True,
    "boundscheck": None,  # as NUMBA_BOUNDSCHECK says
    "error_model": "numpy",
    "nogil": True,
    "no_cfunc_wrapper": True,
    "_nrt": False,
}


class _Part(CPUDispatcher):  # type: ignore[misc]  # numba has no types
    """A kernel as other kernels call it."""

    def __init__(
        self, function: Any, locals: Any = None, options: Any = None, compiler: Any = None
    ) -> None:
        super().__init__(function, locals, _OPTIONS, PartCompiler)
        self._templates: dict[Any, Any] = {}  # by types of arguments

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Compile the kernel for a call, whose whole numbers are converted to int64.

        Otherwise a kernel and its callees are compiled once for each combination of int8, int16,
        int64 and enumerations that callers pass.
        """
        named = {name: _widened(given) for name, given in kws.items()}
        wide = tuple(_widened(given) for given in args)
        pysig, folded = self._compiler.fold_argument_types(wide, named)
        if folded not in self._templates:
            self.compile(folded)
            name = f"CallTemplate({self.py_func.__name__})"
            signatures = [self.overloads[folded].signature]
            self._templates[folded] = make_concrete_template(name, name, signatures)
        return self._templates[folded], pysig, folded, {}

    def add_overload(self, cres: Any) -> None:
        """Record a compiled kernel; it has no machine code that Python could call."""
        self.overloads[tuple(cres.signature.args)] = cres


class _Program(CPUDispatcher):  # type: ignore[misc]
    """A kernel as Python calls it; to other kernels it stands for its :class:`_Part`."""

    def __init__(
        self, function: Any, locals: Any = None, options: Any = None, compiler: Any = None
    ) -> None:
        super().__init__(function, locals, _OPTIONS, ProgramCompiler)
        code = function.__code__
        self._calls_itself = function.__name__ in {*code.co_names, *code.co_freevars}
        self._place: tuple[Path, str] | None = None
        self.cache_label = ""  # of kernels that are made by a factory

    def keep(self, folder: Path, label: str) -> None:
        """Load machine code from the disk cache, and save it there."""
        self._cache = KernelCache(self.py_func, folder, label)
        self._place = folder, label

    @functools.cached_property
    def part(self) -> _Part:
        """The kernel as other kernels call it; a process that only loads kernels needs none."""
        part = _Part(self.py_func)
        if self._place is not None:
            part._cache = PartCache(self.py_func, *self._place)
        return part

    def compile(self, sig: Any) -> Any:
        """Compile the kernel for types of arguments; first as a part if it calls itself."""
        if self._calls_itself:
            arguments, _ = normalize_signature(sig)
            self.part.compile(tuple(_widened(each) for each in arguments))
        return super().compile(sig)

    def bound(self, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        """Return the machine code for the types of some arguments; compile it if there is none."""
        kinds = tuple(self.typeof_pyval(each) for each in arguments)
        if kinds not in self.overloads:
            self.compile(kinds)
        code: Callable[..., Any] = self.overloads[kinds].entry_point
        return code

    @property
    def _numba_type_(self) -> Any:
        return self.part._numba_type_


def _widened(given: Any) -> Any:
    whole = isinstance(given, types.Integer | types.IntEnumMember)
    return types.int64 if whole else given


def _compile(function: F, label: str) -> F:
    if not JIT:
        return function
    compiled = _Program(function)
    compiled.cache_label = label
    folder = _folder(function, label)
    if folder is not None:
        compiled.keep(folder, label)
    return cast(F, compiled)


def _folder(function: Callable[..., Any], label: str) -> Path | None:
    """Return the cache folder of a kernel; None if sources and label do not tell it apart.

    They do not for kernels typed at a prompt and those made from them, nor for a function of a
    factory that has no label, which may be defined again with other variables of the factory.
    """
    home = home_digest(function)
    if not home or TYPED in label.split() or (function.__closure__ and not label):
        return None
    return cache_folder(home, label)
