"""Files and folders of the kernel cache: content with its SHA-256, folders of one user.

A kernel's code is executed and its description is unpickled, so both are read only if their digest
is right and only from folders in which no other user can write.  The digest finds damage by
accident, the folder's owner and mode prevent damage on purpose.

Every file is replaced as a whole.  A killed process can leave a temporary file, which
:func:`remove_temporary` deletes.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from pathlib import Path
from typing import Final

_DIGEST: Final = hashlib.sha256().digest_size
_TEMPORARY: Final = ".tmp"
_OWNER_ONLY: Final = 0o700
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


class DamagedFileError(OSError):
    """A file of the cache whose content does not have the digest that it should have."""


def write_named(folder: Path, content: bytes, suffix: str) -> str:
    """Write content to a file that is named by its digest; return the file's name."""
    name = hashlib.sha256(content).hexdigest() + suffix
    _replace(folder / name, content)
    return name


def read_named(file: Path) -> bytes:
    """Return the content of a file of :func:`write_named`.

    Raises:
        DamagedFileError: the content does not have the digest that the file's name gives.
        OSError: the file cannot be read.
    """
    content = file.read_bytes()
    if hashlib.sha256(content).hexdigest() != file.stem:
        raise DamagedFileError(f"{file}: damaged")
    return content


def write_stamped(file: Path, content: bytes) -> None:
    """Write content after its digest."""
    _replace(file, hashlib.sha256(content).digest() + content)


def read_stamped(file: Path) -> bytes:
    """Return the content of a file of :func:`write_stamped`.

    Raises:
        DamagedFileError: the content does not have the digest at its start.
        OSError: the file cannot be read.
    """
    whole = file.read_bytes()
    digest, content = whole[:_DIGEST], whole[_DIGEST:]
    if hashlib.sha256(content).digest() != digest:
        raise DamagedFileError(f"{file}: damaged")
    return content


def make_folder(folder: Path) -> None:
    """Make a folder, and those around it that do not exist, which only this user may enter."""
    for each in (*reversed(folder.parents), folder):
        if not each.is_dir():
            each.mkdir(mode=_OWNER_ONLY, exist_ok=True)


def why_refused(folder: Path) -> str:
    """Return why code in a folder cannot be trusted; "" if only this user can have written it.

    Windows has neither owners nor modes in this form; a user's folders there are the user's own.

    Raises:
        OSError: the folder does not exist or cannot be read.
    """
    if os.name == "nt":
        return ""
    found = folder.stat()
    if found.st_uid != os.geteuid():
        return "belongs to another user"
    return "is writable by other users" if found.st_mode & _OTHERS_WRITE else ""


def remove_temporary(folder: Path) -> None:
    """Delete the temporary files below a folder in which no other process is writing."""
    for path in folder.rglob(f"*{_TEMPORARY}"):
        with contextlib.suppress(OSError):
            path.unlink()


def _replace(file: Path, content: bytes) -> None:
    """Write a file, so that it appears complete or not at all."""
    make_folder(file.parent)
    opened, name = tempfile.mkstemp(_TEMPORARY, dir=file.parent)
    try:
        with open(opened, "wb") as temporary:
            temporary.write(content)
        os.replace(name, file)
    except BaseException:  # e.g. the disk is full
        Path(name).unlink(missing_ok=True)
        raise
