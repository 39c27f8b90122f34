"""Reading and writing files: only regular ones, and a file is written whole or not."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import glob
import hashlib
import json
import os
import platform
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NoReturn

MOST_BYTES: Final = 2**30  # of a file that is read
_ON_LINUX: Final = sys.platform == "linux"
_RENAME_EXCHANGE: Final = 2  # of Linux's renameat2
_HERE: Final = -100  # AT_FDCWD: relative paths count from the current folder
_CHUNK: Final = 2**20  # bytes that are read at once
HOST: Final = hashlib.sha256(platform.node().encode()).hexdigest()[:8]
"""This machine's name in the names of temporary files: letters and digits, whatever its name is."""


def read_bytes(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        OSError: it cannot be read, is larger than ``MOST_BYTES``, or is a folder, a pipe or a
            device, which might never end.
    """
    if _size_of(path) > MOST_BYTES:
        raise _error(errno.EFBIG, f"larger than {MOST_BYTES:,} bytes", path)
    return path.read_bytes()


def read_chunks(path: Path) -> Iterator[bytes]:
    """Yield the content of a file of any size in chunks.

    Raises:
        OSError: it cannot be read, or is a folder, a pipe or a device, which might never end.
    """
    _size_of(path)
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def _size_of(path: Path) -> int:
    """Return the bytes of a regular file.

    Raises:
        OSError: there is none, or it is a folder, a pipe or a device.
    """
    try:
        found = path.stat()
    except ValueError:  # a zero byte in the name
        raise _error(errno.EINVAL, "no valid name", path) from None
    if not stat.S_ISREG(found.st_mode):
        raise _error(errno.EINVAL, "not a regular file", path)
    return found.st_size


def _error(number: int, says: str, path: Path) -> OSError:
    return OSError(number, says, str(path))


def read_text(path: Path) -> str:
    """Return the text of a file in UTF-8.

    Raises:
        OSError: as :func:`read_bytes`, or it is not UTF-8 text; ``strerror`` says why.
    """
    try:
        return read_bytes(path).decode("utf-8")
    except UnicodeDecodeError:
        raise _error(errno.EILSEQ, "not UTF-8 text", path) from None


def parse_json(text: str | bytes) -> Any:
    """Return the value of JSON text, which may come from anywhere.

    Raises:
        ValueError: not JSON, nested too deeply, an object has a key twice, or a number is not
            finite.
    """
    try:
        return json.loads(
            text,
            parse_constant=_not_finite,
            parse_float=_finite,
            object_pairs_hook=_without_repetition,
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None


def fits(value: Any, shape: Any) -> bool:
    """Return whether a value of JSON text has a shape.

    Args:
        value: anything that :func:`parse_json` returns.
        shape: None; a type (``float`` allows whole numbers, a bool is no number); ``[shape]`` for
            a list; ``{key: shape}`` for an object with these keys; a tuple of shapes of which one
            must fit.
    """
    if isinstance(shape, tuple):
        return any(fits(value, each) for each in shape)
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(each, shape[0]) for each in value)
    if isinstance(shape, dict):
        same = isinstance(value, dict) and value.keys() == shape.keys()
        return same and all(fits(value[key], each) for key, each in shape.items())
    if shape is None:
        return value is None
    return type(value) is shape or (shape is float and type(value) is int)


def _not_finite(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a finite number")


def _finite(word: str) -> float:
    number = float(word)
    if number in {float("inf"), float("-inf")}:
        _not_finite(word)
    return number


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has a key twice")
    return found


def write_durably(path: Path, content: bytes) -> None:
    """Write a file and flush it to disk."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file, text as UTF-8, so that it appears complete or not at all.

    A link stays, and the file that it names is written.  What killed processes of this machine left
    of earlier versions of the file is deleted.

    Raises:
        OSError: it cannot be written, or is a pipe or a device, which a file would replace.
    """
    if is_special(path):
        raise _error(errno.EINVAL, "not a regular file", path)
    if path.is_symlink():
        path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(path.parent, glob.escape(path.name))
    temporary = path.with_name(f".{path.name}.{HOST}.{os.getpid()}")
    try:
        write_durably(temporary, content.encode() if isinstance(content, str) else content)
        with contextlib.suppress(OSError):  # there is none before, or it is another user's
            temporary.chmod(stat.S_IMODE(path.stat().st_mode))
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def is_special(path: Path) -> bool:
    """Return whether a path names a pipe, a device or a socket, itself or by a link."""
    return path.exists() and not (path.is_file() or path.is_dir())


def exchange(first: Path, second: Path) -> bool:
    """Exchange two files or folders in one step; return False if the system has no such step.

    Raises:
        OSError: one of them does not exist or cannot be renamed.
    """
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None) if _ON_LINUX else None
    if rename is None:
        return False
    paths = os.fsencode(first), os.fsencode(second)
    if rename(_HERE, paths[0], _HERE, paths[1], _RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in {errno.ENOSYS, errno.EINVAL}:  # an old kernel, or a file system without it
        return False
    raise _error(number, os.strerror(number), second)


def remove_leftovers(folder: Path, name: str = "*") -> None:
    """Delete what processes that no longer run left when they wrote files in a folder.

    What other machines write there stays: only they know which of their processes run.

    Args:
        folder: the folder.
        name: name of the file that they wrote, or a pattern; default: any.
    """
    for path in folder.glob(f".{name}.{HOST}.[0-9]*"):
        number = path.suffix[1:]
        if number.isdecimal() and not is_running(int(number)) and path.is_file():
            path.unlink(missing_ok=True)


def is_running(process: int) -> bool:
    """Return whether there is a process with a number; on Windows, True if that is unknown."""
    if os.name == "nt":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
