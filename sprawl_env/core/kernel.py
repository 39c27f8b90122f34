"""The one place where numba is configured: ``@kernel`` compiles a function and caches it.

Numba's own disk cache looks only at the file a kernel is written in: when a callee in *another*
file changes, the old machine code is served silently.  Here the cache folder is named by a
digest of every source and data file that kernels may use (also of the package that the kernel
is written in, if that is another one), of the versions of numba and numpy, and of the flags that
change the code.  Two processes may fill the same cache at once, and a damaged entry is compiled
anew.

Environment variables:
    SPRAWL_ENV_CACHE: folder to keep compiled kernels in (default: the user's cache folder).
    NUMBA_DISABLE_JIT=1: run every kernel as plain Python (coverage, debugger).
    NUMBA_BOUNDSCHECK=1: check every array index.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import os
import re
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast, overload

import numba
import numpy as np
import platformdirs
from filelock import FileLock
from numba.core import types
from numba.core.caching import FunctionCache, UserProvidedCacheLocator
from numba.core.compiler_lock import global_compiler_lock

from sprawl_env.core.codegen import in_program, program, register

PACKAGE = Path(__file__).resolve().parents[1]
JIT: bool = not numba.config.DISABLE_JIT
_HASHED = {".py", ".toml"}
_KERNEL_FOLDERS = {"core", "games"}
_PICTURES = re.compile(r"drawing\.py|render(_\w+)?\.py")
_NAMES_KERNELS = b"core.kernel"
_KEEP_FOLDERS = 6  # newest folders that survive a prune
_KEEP_SECONDS = 7 * 24 * 3600  # younger ones survive too: another process may be using them

F = TypeVar("F", bound=Callable[..., Any])


@functools.cache
def source_digest(root: Path = PACKAGE) -> str:
    """Return 16 hex digits that change with any source or data file that a kernel may use.

    Those are everything of ``core`` and ``games``, and elsewhere each file that names this module
    (the others import kernels' files, never the other way round).  Files that only draw are left
    out, so that a nicer picture compiles nothing anew; that no kernel uses them is a contract of
    import-linter.
    """
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        passed = path.suffix not in _HASHED or _PICTURES.fullmatch(path.name)
        if passed or "__pycache__" in path.parts:
            continue
        content = path.read_bytes()
        inside = path.relative_to(root)
        if inside.parts[0] in _KERNEL_FOLDERS or _NAMES_KERNELS in content:
            digest.update(inside.as_posix().encode())
            digest.update(content)
    return digest.hexdigest()[:16]


def _package_root(module: str, file: Path) -> Path | None:
    """Return the folder of the top-level package that ``module`` lives in, None for a script."""
    depth = module.count(".")
    if depth == 0:
        return None
    return file.parents[depth - (1 if file.name != "__init__.py" else 0)]


def cache_base() -> Path:
    """Return the folder that holds the cache folders of all versions."""
    chosen = os.environ.get("SPRAWL_ENV_CACHE")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("sprawl-env")) / "kernels"


@functools.cache
def _cache_folder(root: Path | None) -> Path | None:
    """Return the folder for kernels written below ``root``; None if nothing can be written."""
    flags = f"numba-{numba.__version__} numpy-{np.__version__} check-{numba.config.BOUNDSCHECK}"
    parts = [source_digest(), flags]
    if root is not None and root != PACKAGE:
        parts.append(source_digest(root))
    folder = cache_base() / hashlib.sha256("/".join(parts).encode()).hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        os.utime(folder)
    except OSError as error:
        warnings.warn(
            f"sprawl_env: cannot write {folder} ({error.strerror}); kernels are compiled anew in "
            "every process. Set SPRAWL_ENV_CACHE to a folder you can write.",
            stacklevel=2,
        )
        return None
    _prune(folder.parent)
    return folder


def _prune(base: Path) -> None:
    """Delete cache folders that are neither young nor among the newest."""
    try:
        folders = sorted((p for p in base.iterdir() if p.is_dir()), key=lambda p: p.stat().st_mtime)
        for folder in folders[:-_KEEP_FOLDERS]:
            if time.time() - folder.stat().st_mtime > _KEEP_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
    except OSError:  # another process prunes too
        return


@functools.cache
def _notice() -> None:
    """Say once a process that the first call compiles."""
    if os.environ.get("SPRAWL_ENV_QUIET") != "1":
        print(  # noqa: T201 - the user waits for this and must know why
            "sprawl_env: compiling the rules for this machine, once (a minute or two) ...",
            file=sys.stderr,
            flush=True,
        )


class _Locator(UserProvidedCacheLocator):  # type: ignore[misc]  # numba has no types
    """Points numba's cache at our folder, without touching numba's global configuration."""

    def __init__(self, py_func: Callable[..., Any], py_file: str, folder: Path) -> None:
        self._py_file = py_file
        self._lineno = py_func.__code__.co_firstlineno
        self._cache_path = str(folder / self.get_suitable_cache_subpath(py_file))


class _KernelCache(FunctionCache):  # type: ignore[misc]  # numba has no types
    """Numba's function cache, safe for several processes and for damaged files.

    ``label`` tells apart kernels made by one factory for different games; it replaces numba's
    pickle of the closure, which differs from process to process.
    """

    def __init__(self, py_func: Callable[..., Any], folder: Path, label: str) -> None:
        def from_function(function: Callable[..., Any], file: str) -> _Locator:
            return _Locator(function, file, folder)

        locator = type("Locator", (_Locator,), {"from_function": staticmethod(from_function)})
        impl: Any = type("Impl", (FunctionCache._impl_class,), {"_locator_classes": [locator]})
        self._impl_class = impl
        self._label = label
        self._lock = folder / "lock"
        super().__init__(py_func)

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (sig, codegen.magic_tuple(), self._label)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            found = super().load_overload(sig, target_context)
        except Exception:
            self._discard()
            found = None
        if found is None:
            _notice()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            with FileLock(self._lock):
                super().save_overload(sig, data)
        except OSError as error:  # the disk is full or the folder was pruned: go on uncached
            warnings.warn(f"sprawl_env: a kernel was not cached ({error})", stacklevel=2)

    def _discard(self) -> None:
        """Empty the index of this function, so that it is compiled and saved anew."""
        try:
            with FileLock(self._lock):
                self.flush()
        except OSError:
            return


@overload
def kernel(function: F) -> F: ...
@overload
def kernel(*, label: str) -> Callable[[F], F]: ...


def kernel(function: F | None = None, *, label: str = "") -> F | Callable[[F], F]:
    """Compile ``function`` to machine code and cache it on disk, keeping its type for mypy.

    Args:
        function: the function; it releases the GIL and must not touch Python objects.  Its
            indices count from the start: a negative one is not looked for.
        label: for functions defined inside a factory: what tells the instances apart.
    """
    if function is None:
        return lambda inner: _compile(inner, label)
    return _compile(function, label)


def _widen_integers(compiled: Any) -> None:
    """Let kernels take every whole number they are given by another kernel as an int64.

    Otherwise a kernel and all that it calls is compiled anew for each mixture of int8, int16,
    int64 and enumerations that its callers happen to pass.
    """
    inner = compiled.get_call_template

    def widened(given: Any) -> Any:
        whole = isinstance(given, types.Integer | types.IntEnumMember)
        return types.int64 if whole else given

    def get_call_template(args: Any, kws: Any) -> Any:
        named = {name: widened(given) for name, given in kws.items()}
        return inner(tuple(widened(given) for given in args), named)

    compiled.get_call_template = get_call_template


def _compile_as_program(compiled: Any) -> None:
    """Compile a kernel that Python calls as one program; the collector of garbage rests meanwhile.

    numba makes millions of objects, which it would look through again and again.  Kernels that
    a kernel calls are compiled inside its own compilation.
    """
    inner = compiled.compile

    def compile_it(signature: Any) -> Any:
        with global_compiler_lock:
            if in_program():
                return inner(signature)
            collects = gc.isenabled()
            gc.disable()
            try:
                with program(compiled.py_func):
                    return inner(signature)
            finally:
                if collects:
                    gc.enable()

    compiled.compile = compile_it


def _compile(function: F, label: str) -> F:
    if not JIT:
        return function
    compiled = numba.njit(error_model="numpy", nogil=True, no_cfunc_wrapper=True, _nrt=False)(
        function
    )
    register(function)
    _widen_integers(compiled)
    _compile_as_program(compiled)
    folder = _cache_folder(
        _package_root(function.__module__, Path(function.__code__.co_filename).resolve())
    )
    if folder is not None:
        compiled._cache = _KernelCache(function, folder, label)
    return cast(F, compiled)
