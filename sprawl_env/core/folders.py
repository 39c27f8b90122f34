"""Folders that one process at a time writes to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from sprawl_env.core.errors import InvalidOption

LOCK: Final = ".lock"  # the system unlocks it if the process that holds it is killed


@contextmanager
def locked_folder(folder: Path, where: str, taken: str) -> Iterator[None]:
    """Inside the block, no other process is in such a block with this folder; it is made if needed.

    Args:
        folder: the folder.
        where: how messages name it.
        taken: what the message says if another process is in such a block.

    Raises:
        InvalidOption: another process is in such a block, or the folder cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / LOCK, timeout=0)
        lock.acquire()
    except Timeout:
        raise InvalidOption(f"{where}: {taken}") from None
    except OSError as error:
        raise InvalidOption(f"{where}: cannot be made: {error.strerror}") from None
    try:
        yield
    finally:
        lock.release()
