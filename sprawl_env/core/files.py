"""Atomic file writes: a file appears complete or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def write_durably(path: Path, content: bytes) -> None:
    """Write a file and flush it to disk."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file, text as UTF-8, so that it appears complete or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    write_durably(temporary, content.encode() if isinstance(content, str) else content)
    temporary.replace(path)
