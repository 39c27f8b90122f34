"""A file of JSON lines that stays readable if the process that appends to it is killed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from sprawl_env.core.errors import PositionError
from sprawl_env.core.files import parse_json, read_bytes, write_atomically

Row = dict[str, Any]
MOST_POINTS: Final = 2**31  # of a seat, in a file of results


def to_line(row: Row) -> str:
    """Return the line of a row."""
    return json.dumps(row, ensure_ascii=False) + "\n"


class Journal:
    """Rows of a file; they are on disk when :meth:`append` returns.

    An incomplete last line is removed when the file is opened.

    Args:
        path: the file; it need not exist.
        is_row: returns whether a JSON object is a row of this file, see
            :func:`~sprawl_env.core.files.fits`.

    Attributes:
        rows: the rows of the file when it was opened.

    Raises:
        PositionError: the file cannot be read, or another line is not a row.
    """

    def __init__(self, path: Path, is_row: Callable[[Row], bool]) -> None:
        self.path = path
        self.rows: list[Row] = []
        try:
            content = read_bytes(path) if os.path.lexists(path) else b""
        except OSError as error:
            raise PositionError(f"{path}: cannot be read: {error.strerror}") from None
        whole = content.rfind(b"\n") + 1
        for number, line in enumerate(content[:whole].splitlines(), start=1):
            try:
                row = parse_json(line)
            except ValueError:
                row = None
            if not isinstance(row, dict):
                raise PositionError(f"{path}: line {number} is not a JSON object: delete that line")
            if not is_row(row):
                raise PositionError(f"{path}: line {number} is damaged: delete that line")
            self.rows.append(row)
        if whole < len(content):
            os.truncate(path, whole)

    def append(self, rows: Iterable[Row]) -> None:
        """Append rows; they are on disk on return."""
        with self.path.open("ab") as file:
            file.write(_to_bytes(rows))
            file.flush()
            os.fsync(file.fileno())

    def replace(self, rows: Iterable[Row]) -> None:
        """Replace all rows, whole or not at all."""
        write_atomically(self.path, _to_bytes(rows))


def _to_bytes(rows: Iterable[Row]) -> bytes:
    """Return rows as lines of UTF-8; half a surrogate pair is written as JSON's escape."""
    return "".join(to_line(row) for row in rows).encode("utf-8", "backslashreplace")


def replay_name(row: Row) -> str:
    """Return the file name of a game's replay."""
    return f"deal-{row['deal']:05}-line-up-{row['line_up']:03}-rotation-{row['rotation']}.jsonl"
