"""The disk cache of compiled kernels.

numba's own disk cache looks only at the file a kernel is written in: when a callee in another
file changes, the old machine code is used silently.  Here the cache folder is named by a digest
of every source and data file that kernels may use (for a kernel outside this package, also of the
files that it is made from), of the versions of numba and numpy, and of the flags that change the
code.  Two processes may fill the same cache at once; a damaged entry is compiled again.

Environment variables:
    SPRAWL_ENV_CACHE: folder to keep compiled kernels in (default: the user's cache folder).
    SPRAWL_ENV_QUIET=1: do not print that kernels are being compiled.
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
from numba.core.caching import FunctionCache, UserProvidedCacheLocator

PACKAGE = Path(__file__).resolve().parents[1]
_HASHED = {".py", ".toml"}
_KERNEL_FOLDERS = {"kernels", "core", "games"}
_PICTURES = re.compile(r"render(_\w+)?\.py")
_DEFINES_KERNELS = re.compile(rb"sprawl_env\.kernels(\.compile)? import")
_KEEP_FOLDERS = 6  # newest folders that survive a prune
_KEEP_SECONDS = 7 * 24 * 3600  # younger ones survive too: another process may be using them


@functools.cache
def source_digest(root: Path = PACKAGE) -> str:
    """Return 16 hex digits that change with any source or data file that a kernel may use.

    Those are all files of ``kernels``, ``core`` and ``games``, and elsewhere each file that
    defines kernels.  Files that only draw are left out, so a change of a picture compiles
    nothing; an import contract makes sure that no kernel uses them.
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
    """Return the folder of the top-level package of a function, None for a single module."""
    depth, file = function.__module__.count("."), _file_of(function)
    if depth == 0:
        return None
    return file.parents[depth - (1 if file.name != "__init__.py" else 0)]


def home_digest(function: Callable[..., Any]) -> str:
    """Return the digest of the sources around a kernel outside this package; "" inside it.

    It changes with the file that the kernel is written in, with every file of the same package or
    folder that this file imports, directly or not, and with the TOML files beside them.
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
    """Return the folder that holds the cache folders of all versions."""
    chosen = os.environ.get("SPRAWL_ENV_CACHE")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("sprawl-env")) / "kernels"


@functools.cache
def cache_folder(home: str) -> Path | None:
    """Return the cache folder of kernels by their :func:`home_digest`; None if not writable."""
    flags = f"numba-{numba.__version__} numpy-{np.__version__} check-{numba.config.BOUNDSCHECK}"
    parts = [source_digest(), flags, home]
    folder = cache_base() / hashlib.sha256("/".join(parts).encode()).hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        os.utime(folder)
    except OSError as error:
        warnings.warn(
            f"sprawl_env: cannot write {folder} ({error.strerror}); kernels are compiled again in "
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
    """Print once per process that the first call compiles."""
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
        module = py_func.__module__
        # by the module's name, not its path: equal installs share their cache
        inside = self.get_suitable_cache_subpath(py_file) if module == "__main__" else module
        self._cache_path = str(folder / inside)


class KernelCache(FunctionCache):  # type: ignore[misc]  # numba has no types
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
        """Empty the index of this function, so that it is compiled and saved again."""
        try:
            with FileLock(self._lock):
                self.flush()
        except OSError:
            return
