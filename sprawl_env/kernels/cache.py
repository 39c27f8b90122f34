"""The disk cache of compiled kernels.

numba's disk cache checks only the file that defines a kernel.  When a function in another file
changes, numba loads the old machine code without a warning.  This module names the cache folder of
a kernel by a digest of all inputs of the machine code:

- the source files and data files that the kernel is made from
  (see :mod:`sprawl_env.kernels.sources`);
- its label, which tells apart the kernels that one function makes, e.g. for each game;
- the versions of Python, numba, llvmlite and numpy, and whether array indices are checked.

So a change in one game compiles the kernels of that game again and no others.

Several processes may write to one cache folder at the same time.  The SHA-256 of each file is
checked before its code is loaded; a damaged entry is compiled again.  A folder that belongs to
another user or in which others may write is not used (:mod:`sprawl_env.kernels.checked_files`).
Old cache folders are deleted, which are known by their names; nothing else beside them is.

Environment variables:
    SPRAWL_ENV_CACHE: folder of the compiled kernels (default: in the user's cache folder); ``~`` is
        the home folder, and a relative path counts from the folder in which the process starts.
    SPRAWL_ENV_QUIET=1: do not print a message when kernels are compiled.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import platform
import re
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import llvmlite  # type: ignore[import-untyped]
import numba
import numpy as np
import platformdirs
from filelock import FileLock
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    UserProvidedCacheLocator,
)
from numba.core.compiler import compile_result

from sprawl_env.kernels.checked_files import (
    DamagedFileError,
    make_folder,
    read_named,
    read_stamped,
    remove_temporary,
    why_refused,
    write_named,
    write_stamped,
)
from sprawl_env.kernels.libraries import PartLibrary

_KEEP_FOLDERS = 400  # number of newest folders that are kept
_KEEP_SECONDS = 7 * 24 * 3600  # younger folders are kept too: other processes may use them
_NAME: Final = re.compile(r"[0-9a-f]{16}")  # of a cache folder: the folder around it may hold more
_LONGEST_WAIT: Final = 60.0  # seconds, for other processes that save kernels


def cache_base() -> Path | None:
    """Return the folder that contains the cache folders of all versions.

    Returns None if the user has no home folder and none was chosen, or one inside of it.
    """
    chosen = os.environ.get("SPRAWL_ENV_CACHE")
    try:
        if chosen:
            return _absolute(chosen)
        folder = Path(platformdirs.user_cache_dir("sprawl-env"))
    except RuntimeError:  # older versions return a path that starts with "~"
        return None
    return folder / "kernels" if folder.is_absolute() else None


@functools.cache
def _absolute(chosen: str) -> Path:
    """Return the folder that a path names; it stays the same if the current folder changes."""
    return Path(chosen).expanduser().absolute()


@functools.cache
def cache_folder(home: str, label: str) -> Path | None:
    """Return the folder of kernels with a digest of their sources and a label.

    Returns None if it is not writable or others may write in it.
    """
    base = cache_base()
    if base is None:
        chosen = os.environ.get("SPRAWL_ENV_CACHE")
        why = f"SPRAWL_ENV_CACHE={chosen!r} is no folder" if chosen else "you have no home folder"
        _warn(why, "Set SPRAWL_ENV_CACHE to a writable folder.")
    if base is None or not _is_usable(base):
        return None
    versions = f"numba-{numba.__version__} llvmlite-{llvmlite.__version__} numpy-{np.__version__}"
    flags = f"python-{platform.python_version()} {versions} check-{numba.config.BOUNDSCHECK}"
    folder = base / hashlib.sha256("/".join([home, flags, label]).encode()).hexdigest()[:16]
    if not _is_usable(folder):
        return None
    _prune(base)
    return folder


@functools.cache
def _is_usable(folder: Path) -> bool:
    """Make a folder if there is none; warn and return False if it cannot be used."""
    try:
        make_folder(folder)
        if not _is_private(folder):
            return False
        tempfile.TemporaryFile(dir=folder).close()
        os.utime(folder)
    except OSError as error:
        _warn(
            f"cannot write to {folder} ({error.strerror})",
            "Set SPRAWL_ENV_CACHE to a writable folder.",
        )
        return False
    return True


@functools.cache
def _is_private(folder: Path) -> bool:
    """Return whether only this user can have written in a folder; warn if not."""
    reason = why_refused(folder)
    if reason:
        _warn(
            f"{folder} {reason}",
            "Set SPRAWL_ENV_CACHE to a folder in which only you can write, or make this one so "
            "(chown, chmod go-w).",
        )
    return not reason


@functools.cache
def _warn(reason: str, remedy: str) -> None:
    """Warn in one line that kernels are not cached, once per process and reason."""
    text = f"{reason}; kernels are compiled again in every process. {remedy}"
    warnings.warn_explicit(text, UserWarning, "sprawl_env", 1)


@functools.cache
def _prune(base: Path) -> None:
    """Delete the old cache folders, except the newest ones, once per process."""
    try:
        named = (p for p in base.iterdir() if _NAME.fullmatch(p.name) and not p.is_symlink())
        folders = sorted((p for p in named if p.is_dir()), key=lambda p: p.stat().st_mtime)
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

    def ensure_cache_path(self) -> None:
        """Make the folder, which only this user may enter."""
        make_folder(Path(self._cache_path))


class _EntryFiles(IndexDataCacheFile):  # type: ignore[misc]  # numba has no types
    """Numba's files of one function's kernels, with digests that are checked before unpickling.

    The index names the file of each kernel, whose name is the digest of its content.  It holds its
    own place, so that the index of another function is not taken for it.
    """

    def __init__(self, base: Path, cache_path: str, filename_base: str, stamp: Any) -> None:
        place = Path(cache_path, filename_base).relative_to(base).as_posix()
        super().__init__(cache_path, filename_base, (stamp, place))
        self._folder, self._index = Path(cache_path), Path(self._index_path)

    def load(self, key: Any) -> Any:
        """Return what was saved for a key; None if there is nothing.

        Raises:
            OSError: a file is damaged or cannot be read.
        """
        name = self._load_index().get(key)
        return None if name is None else _unpickled(self._folder / name, read_named)

    def save(self, key: Any, data: Any) -> None:
        """Save what belongs to a key; a damaged index is replaced."""
        try:
            names = self._load_index()
        except OSError:
            names = {}
        old = names.get(key)
        names[key] = write_named(self._folder, self._dump(data), ".nbc")
        self._save_index(names)
        if old is not None and old not in names.values():
            (self._folder / old).unlink(missing_ok=True)

    def _load_index(self) -> dict[Any, str]:
        try:
            stamp, names = _unpickled(self._index, read_stamped)
        except FileNotFoundError:
            return {}
        return names if stamp == self._source_stamp else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        write_stamped(self._index, self._dump((self._source_stamp, overloads)))


def _unpickled(file: Path, read: Callable[[Path], bytes]) -> Any:
    """Return the object in a file whose digest is right.

    Raises:
        OSError: the file is damaged or cannot be read, or names what no longer exists.
    """
    content = read(file)
    try:
        return pickle.loads(content)
    except (ImportError, AttributeError) as error:  # e.g. of another library that was updated
        raise DamagedFileError(f"{file}: {error}") from None


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
        self._home = folder
        super().__init__(py_func)
        stamp = self._impl.locator.get_source_stamp()
        name = self._impl.filename_base
        self._cache_file = _EntryFiles(folder.parent, self._cache_path, name, stamp)
        inner = (Path(self._cache_path), folder / "code")
        if not all(_is_private(each) for each in inner if each.exists()):
            self.disable()

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (sig, codegen.magic_tuple(), self._label)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled kernel for a signature; None if it must be compiled."""
        try:
            found = super().load_overload(sig, target_context)
        except OSError:  # damaged or deleted; it is saved again
            found = None
        if found is None:
            _notice()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save a compiled kernel; warn if that fails."""
        try:
            with FileLock(self._home / "lock", timeout=_LONGEST_WAIT):
                _clean(self._home)
                super().save_overload(sig, data)
        except OSError as error:  # the disk is full, the folder was deleted, another is too slow
            warnings.warn(f"sprawl_env: a kernel was not cached ({error})", stacklevel=2)


@functools.cache
def _clean(folder: Path) -> None:
    """Delete what killed processes left in a locked cache folder, once per process."""
    remove_temporary(folder)


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
