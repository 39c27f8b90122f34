"""The disk cache of compiled kernels.

numba's disk cache checks only the file that defines a kernel.  When a function in another file
changes, numba loads the old machine code without a warning.  This module names the cache folder of
a kernel by a digest of all inputs of the machine code:

- the source files and data files that the kernel is made from
  (see :mod:`sprawl_env.kernels.sources`);
- its label, which tells apart the kernels that one function makes, e.g. for each game;
- the versions of numba and numpy, and whether array indices are checked.

So a change in one game compiles the kernels of that game again and no others.

Several processes may write to one cache folder at the same time.  A damaged entry is discarded and
compiled again.  Old cache folders are deleted.

Environment variables:
    SPRAWL_ENV_CACHE: folder of the compiled kernels (default: in the user's cache folder).
    SPRAWL_ENV_QUIET=1: do not print a message when kernels are compiled.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import platformdirs
from filelock import FileLock
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    UserProvidedCacheLocator,
)
from numba.core.compiler import compile_result

from sprawl_env.kernels.libraries import PartLibrary

_KEEP_FOLDERS = 60  # number of newest folders that are kept
_KEEP_SECONDS = 7 * 24 * 3600  # younger folders are kept too: other processes may use them


def cache_base() -> Path:
    """Return the folder that contains the cache folders of all versions."""
    chosen = os.environ.get("SPRAWL_ENV_CACHE")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("sprawl-env")) / "kernels"


@functools.cache
def cache_folder(home: str, label: str) -> Path | None:
    """Return the folder of kernels with a digest of their sources and a label.

    Returns None if it is not writable.
    """
    flags = f"numba-{numba.__version__} numpy-{np.__version__} check-{numba.config.BOUNDSCHECK}"
    name = hashlib.sha256("/".join([home, flags, label]).encode()).hexdigest()[:16]
    folder = cache_base() / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        os.utime(folder)
    except OSError as error:
        warnings.warn(
            f"sprawl_env: cannot write to {folder} ({error.strerror}); kernels are compiled again "
            "in every process. Set SPRAWL_ENV_CACHE to a writable folder.",
            stacklevel=2,
        )
        return None
    _prune(folder.parent)
    return folder


@functools.cache
def _prune(base: Path) -> None:
    """Delete the old cache folders, except the newest ones, once per process."""
    try:
        folders = sorted((p for p in base.iterdir() if p.is_dir()), key=lambda p: p.stat().st_mtime)
        for folder in folders[:-_KEEP_FOLDERS]:
            if time.time() - folder.stat().st_mtime > _KEEP_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
    except OSError:  # another process is deleting the same folders
        return


@functools.cache
def _notice() -> None:
    """Print that kernels are being compiled, once per process."""
    if os.environ.get("SPRAWL_ENV_QUIET") != "1":
        print(  # noqa: T201 - the user must know what the process is waiting for
            "sprawl_env: compiling the rules for this machine, once (a minute or two) ...",
            file=sys.stderr,
            flush=True,
        )


class _Locator(UserProvidedCacheLocator):  # type: ignore[misc]  # numba has no types
    """Sets the folder of numba's cache without changing numba's global configuration."""

    def __init__(self, py_func: Callable[..., Any], py_file: str, folder: Path) -> None:
        self._py_file = py_file
        self._lineno = py_func.__code__.co_firstlineno
        module = py_func.__module__
        # The module's name, not its path: two installs of the same version share the cache.
        inside = self.get_suitable_cache_subpath(py_file) if module == "__main__" else module
        self._cache_path = str(folder / inside)


class KernelCache(FunctionCache):  # type: ignore[misc]  # numba has no types
    """Numba's function cache, made safe for concurrent processes and damaged files.

    ``label`` distinguishes the kernels that one factory makes for different games.  It replaces
    numba's pickle of the closure, which differs between processes.
    """

    _base: type[Any] = CompileResultCacheImpl
    _inside = ""  # folder in the cache folder

    def __init__(self, py_func: Callable[..., Any], folder: Path, label: str) -> None:
        def from_function(function: Callable[..., Any], file: str) -> _Locator:
            return _Locator(function, file, folder / self._inside)

        locator = type("Locator", (_Locator,), {"from_function": staticmethod(from_function)})
        members = {"_locator_classes": [locator], "parts": folder / "code"}
        self._impl_class = type("Impl", (self._base,), members)
        self._label = label
        self._lock = folder / "lock"
        super().__init__(py_func)

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (sig, codegen.magic_tuple(), self._label)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled kernel for a signature; None if it must be compiled."""
        try:
            found = super().load_overload(sig, target_context)
        except Exception:
            self._discard()
            found = None
        if found is None:
            _notice()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save a compiled kernel; warn if that fails."""
        try:
            with FileLock(self._lock):
                super().save_overload(sig, data)
        except OSError as error:  # the disk is full or the folder was deleted
            warnings.warn(f"sprawl_env: a kernel was not cached ({error})", stacklevel=2)

    def _discard(self) -> None:
        """Clear this function's cache entries, so that it is compiled and saved again."""
        try:
            with FileLock(self._lock):
                self.flush()
        except OSError:
            return


class _PartImpl(CompileResultCacheImpl):  # type: ignore[misc]  # numba has no types
    """Saves and loads kernels that other kernels call."""

    parts: Path  # folder of the code, one file for each part

    def reduce(self, cres: Any) -> Any:
        """Return what :meth:`rebuild` takes; the code is in files that all parts share."""
        descriptor = cres.fndesc
        descriptor.typemap = descriptor.calltypes = None  # large, and not needed again
        return cres.library.name, cres.library.save(self.parts), descriptor, cres.signature

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """Return a compiled kernel."""
        name, files, descriptor, signature = payload
        return compile_result(
            typing_context=target_context.typing_context,
            target_context=target_context,
            entry_point=object(),
            library=PartLibrary.load(target_context.codegen(), name, self.parts, files),
            signature=signature,
            objectmode=False,
            lifted=(),
            fndesc=descriptor,
            reload_init=[],
        )


class PartCache(KernelCache):
    """The cache of kernels that other kernels call."""

    _base = _PartImpl
    _inside = "parts"
