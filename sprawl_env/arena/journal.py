"""A file of JSON lines that grows while a long command runs and survives its being killed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sprawl_env.core.errors import PositionError
from sprawl_env.core.files import write_atomically

Row = dict[str, Any]


def to_line(row: Row) -> str:
    """Return a row as its line."""
    return json.dumps(row, ensure_ascii=False) + "\n"


class Journal:
    """Rows appended to a file, safe on disk when :meth:`append` returns.

    A last line that was cut off when the writer was killed is dropped when the file is opened.

    Attributes:
        rows: what the file held when it was opened.

    Raises:
        PositionError: some other line is no JSON object.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: list[Row] = []
        content = path.read_bytes() if path.exists() else b""
        whole = content.rfind(b"\n") + 1
        for number, line in enumerate(content[:whole].splitlines(), start=1):
            try:
                row = json.loads(line)
            except ValueError:
                row = None
            if not isinstance(row, dict):
                raise PositionError(f"{path}: line {number} is no JSON object: delete that line")
            self.rows.append(row)
        if whole < len(content):
            os.truncate(path, whole)

    def append(self, rows: Iterable[Row]) -> None:
        """Add rows; they are on disk on return."""
        with self.path.open("ab") as file:
            file.write("".join(to_line(row) for row in rows).encode())
            file.flush()
            os.fsync(file.fileno())

    def replace(self, rows: Iterable[Row]) -> None:
        """Put these rows in place of all; whole or not at all."""
        write_atomically(self.path, "".join(to_line(row) for row in rows))
