"""The disk cache of compiled kernels.

numba's disk cache checks only the file that defines a kernel.  When a function in another file
changes, numba loads the old machine code without a warning.  This module names the cache folder by
a digest of all inputs of the machine code:

- every source file and data file of this package that a kernel may use;
- for a kernel outside this package, also the files that it is made from;
- the versions of numba and numpy, and whether array indices are checked.

Several processes may write to one cache folder at the same time.  A damaged entry is discarded and
compiled again.  Old cache folders are deleted.

Environment variables:
    SPRAWL_ENV_CACHE: folder of the compiled kernels (default: in the user's cache folder).
    SPRAWL_ENV_QUIET=1: do not print a message when kernels are compiled.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import os
import re
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable
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

PACKAGE = Path(__file__).resolve().parents[1]
_HASHED = {".py", ".toml"}
_KERNEL_FOLDERS = {"kernels", "core", "games"}
_PICTURES = re.compile(r"render(_\w+)?\.py")
_DEFINES_KERNELS = re.compile(rb"sprawl_env\.kernels(\.compile)? import")
_KEEP_FOLDERS = 6  # number of newest folders that are kept
_KEEP_SECONDS = 7 * 24 * 3600  # younger folders are kept too: other processes may use them


@functools.cache
def source_digest(root: Path = PACKAGE) -> str:
    """Return 16 hex digits that change when a file that a kernel may use changes.

    These are all files in ``kernels``, ``core`` and ``games``, and the files elsewhere that define
    kernels.  Files that only draw are excluded, so a change to a picture does not recompile
    anything.  An import contract ensures that no kernel uses them.
    """
    paths = (path for path in sorted(root.rglob("*")) if "__pycache__" not in path.parts)
    return _digest(root, paths)


def _digest(root: Path, paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        if path.suffix not in _HASHED or _PICTURES.fullmatch(path.name):
            continue
        content = path.read_bytes()
        inside = path.relative_to(root)
        if inside.parts[0] in _KERNEL_FOLDERS or _DEFINES_KERNELS.search(content):
            digest.update(inside.as_posix().encode())
            digest.update(content)
    return digest.hexdigest()[:16]


@functools.cache
def _resolved(filename: str) -> Path:
    return Path(filename).resolve()


def _file_of(function: Callable[..., Any]) -> Path:
    return _resolved(function.__code__.co_filename)


def package_root(function: Callable[..., Any]) -> Path | None:
    """Return the folder of a function's top-level package; None if it is not in a package."""
    depth, file = function.__module__.count("."), _file_of(function)
    if depth == 0:
        return None
    return file.parents[depth - (1 if file.name != "__init__.py" else 0)]


def home_digest(function: Callable[..., Any]) -> str:
    """Return the digest of the sources of a kernel outside this package; "" for our own kernels.

    The digest changes with the kernel's file, with every file of the same package or folder that
    this file imports, directly or indirectly, and with the TOML files beside them.
    """
    root, file = package_root(function), _file_of(function)
    if root == PACKAGE or not file.exists():
        return ""
    return _closure_digest(file, (root or file).parent)


@functools.cache
def _closure_digest(file: Path, base: Path) -> str:
    """Return the digest of a file and of what it imports from the folder ``base``."""
    found, waiting = {file}, [file]
    while waiting:
        for path in _imported(waiting.pop(), base) - found:
            found.add(path)
            waiting.append(path)
    found |= {path for folder in {path.parent for path in found} for path in folder.glob("*.toml")}
    digest = hashlib.sha256()
    for path in sorted(found):
        digest.update(path.relative_to(base).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _imported(file: Path, base: Path) -> set[Path]:
    """Return the files below ``base`` that a file imports, and the packages around them.

    Other packages are left out where ``base`` holds installed ones: they change by installing.
    """
    installed = bool({"site-packages", "dist-packages"} & set(base.parts))
    own = file.relative_to(base).with_suffix("").parts
    names: set[tuple[str, ...]] = set()
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {tuple(alias.name.split(".")) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = own[: -node.level] if node.level else ()
            module = (*start, *(node.module.split(".") if node.module else ()))
            names |= {module} | {(*module, alias.name) for alias in node.names}
    found: set[Path] = set()
    for name in names:
        if not name or (installed and name[0] != own[0]):
            continue
        for depth in range(1, len(name) + 1):
            path = base.joinpath(*name[:depth])
            found |= {p for p in (path / "__init__.py", path.with_suffix(".py")) if p.is_file()}
    return {path for path in found if PACKAGE not in path.parents}


def kernels_label(*kernels: Callable[..., Any] | None) -> str:
    """Return what tells apart kernels that are compiled into others; "" for those of this package.

    For kernels outside this package it changes with their names and their sources.
    """
    functions = [getattr(each, "py_func", each) for each in kernels if each is not None]
    parts = [
        f"{f.__module__} {f.__qualname__} {f.__code__.co_firstlineno} {home_digest(f)}"
        for f in functions
        if home_digest(f)
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16] if parts else ""


def cache_base() -> Path:
    """Return the folder that contains the cache folders of all versions."""
    chosen = os.environ.get("SPRAWL_ENV_CACHE")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("sprawl-env")) / "kernels"


@functools.cache
def cache_folder(home: str) -> Path | None:
    """Return the cache folder for kernels with a :func:`home_digest`; None if not writable."""
    flags = f"numba-{numba.__version__} numpy-{np.__version__} check-{numba.config.BOUNDSCHECK}"
    parts = [source_digest(), flags, home]
    folder = cache_base() / hashlib.sha256("/".join(parts).encode()).hexdigest()[:16]
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


def _prune(base: Path) -> None:
    """Delete the old cache folders, except the newest ones."""
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
