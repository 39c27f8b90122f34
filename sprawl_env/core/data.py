"""Data files in TOML: read, checked row by row, replaced by the files of a user's folder.

A game declares each file as a :class:`DataFile`: which tables it has and the class of their rows,
a subclass of :class:`sprawl_env.core.rows.Row`.
"""

from __future__ import annotations

import os
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sprawl_env.core.errors import DataError, did_you_mean
from sprawl_env.core.files import read_bytes

if TYPE_CHECKING:
    from sprawl_env.core.rows import Row  # imports pydantic


@dataclass(frozen=True)
class DataFile:
    """One TOML file of a game.

    Attributes:
        name: file name without ``.toml``.
        tables: row class of every table in it.
        counts: how many rows a table must have, ``(least, most)``.
    """

    name: str
    tables: Mapping[str, type[Row]]
    counts: Mapping[str, tuple[int, int]]

    @property
    def file(self) -> str:
        """File name."""
        return f"{self.name}.toml"


class GameData:
    """All checked rows of a game: ``data.rows("cards", "card")``."""

    def __init__(self, rows: dict[tuple[str, str], tuple[Row, ...]]) -> None:
        self._rows = rows

    def rows(self, file: str, table: str) -> Any:
        """Return the rows of one table, in file order."""
        return self._rows[file, table]

    def row(self, file: str, table: str) -> Any:
        """Return the single row of a table that has one."""
        (row,) = self._rows[file, table]
        return row

    def tally(self) -> dict[tuple[str, str], Counter[str]]:
        """Count the rows of every table by source."""
        return {key: Counter(row.source for row in rows) for key, rows in self._rows.items()}

    def mixed(self) -> dict[tuple[str, str], int]:
        """Count the printed and public rows of every table of which a part is ours."""
        return {key: sum(bool(row.ours) for row in rows) for key, rows in self._rows.items()}


def load(folder: Path, files: Sequence[DataFile], overlay: Path | None = None) -> GameData:
    """Read and check all files; a file in ``overlay`` replaces the whole packaged file.

    Raises:
        DataError: one line naming file, row, field and what is expected.
    """
    if overlay is not None:
        _check_overlay(overlay, files)
    rows: dict[tuple[str, str], tuple[Row, ...]] = {}
    for file in files:
        mine = overlay / file.file if overlay is not None else None
        path = mine if mine is not None and os.path.lexists(mine) else folder / file.file
        for table, found in _read(path, file).items():
            rows[file.name, table] = found
    return GameData(rows)


def _check_overlay(overlay: Path, files: Sequence[DataFile]) -> None:
    known = [file.file for file in files]
    try:
        is_folder = overlay.is_dir()
    except OSError:  # not allowed, or too long
        is_folder = False
    if not is_folder:
        raise DataError(f"data folder {str(overlay)!r} does not exist or is no folder")
    present = sorted(path.name for path in overlay.glob("*.toml"))
    for name in present:
        if name not in known:
            hint = did_you_mean(name, known)
            raise DataError(f"{name}: no data file of this game{hint}: {', '.join(known)}")
    if not present:
        raise DataError(f"data folder {str(overlay)!r} holds none of {', '.join(known)}")


def _check_texts(value: Any) -> None:
    """Check that no text below a value has control characters: boards print texts.

    Raises:
        ValueError: one has.
    """
    if isinstance(value, str) and not value.replace("\n", "").isprintable():
        raise ValueError(f"expected texts without control characters, got {value!r}")
    if isinstance(value, dict | list):
        for inner in (*value, *value.values()) if isinstance(value, dict) else value:
            _check_texts(inner)


def _read(path: Path, file: DataFile) -> dict[str, tuple[Row, ...]]:
    try:
        content = tomllib.loads(read_bytes(path).decode("utf-8"))
        _check_texts(content)
    except OSError as error:
        raise DataError(f"{file.file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise DataError(f"{file.file}: is not UTF-8 text") from None
    except (ValueError, RecursionError) as error:  # tomllib reports long numbers as ValueError
        raise DataError(f"{file.file}: is not valid TOML: {error}") from None
    defaults = {key: content.pop(key) for key in ("source", "note") if key in content}
    for key in content:
        if key not in file.tables:
            hint = did_you_mean(key, file.tables)
            raise DataError(
                f"{file.file}: unknown table {key!r}{hint}: expected {', '.join(file.tables)}"
            )
    found = {}
    for table, row_type in file.tables.items():
        raw = content.get(table, [])
        items = raw if isinstance(raw, list) else [raw]
        least, most = file.counts[table]
        if not least <= len(items) <= most:
            count = f"{least}" if least == most else f"{least} to {most}"
            raise DataError(f"{file.file}: {table}: expected {count} rows, got {len(items)}")
        found[table] = tuple(
            row_type.checked(
                defaults | item if isinstance(item, dict) else item,
                f"{file.file}: {table} {number}",
            )
            for number, item in enumerate(items, start=1)
        )
    return found
