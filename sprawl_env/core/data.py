"""Printed facts in TOML, with provenance: read, checked row by row, overlaid by a user's folder.

A game declares each file as a :class:`DataFile`: which tables it has and a frozen dataclass for
their rows, with :func:`number`, :func:`choice`, :func:`numbers`, :func:`choices` and
:func:`text` as fields.  Every row knows its ``source``: ``printed`` (in the rulebook), ``public``
(stated by an independent public source) or ``stand-in`` (ours, because no source gives it).
"""

from __future__ import annotations

import dataclasses
import difflib
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sprawl_env.core.errors import DataError

SOURCES = ("printed", "public", "stand-in")


@dataclass(frozen=True)
class Rule:
    """What a value in a data file must be.

    ``inner`` returns the class of the rows that the value is a list of.
    """

    expected: str
    holds: Callable[[Any], bool]
    inner: Callable[[], type] | None = None


def _field(rule: Rule, default: Any) -> Any:
    metadata = {"rule": rule}
    if default is dataclasses.MISSING:
        return dataclasses.field(metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def _is_number(value: Any, low: float, high: float, whole: bool) -> bool:
    kinds = int if whole else (int, float)
    return isinstance(value, kinds) and not isinstance(value, bool) and low <= value <= high


def number(
    low: float, high: float, *, whole: bool = True, default: Any = dataclasses.MISSING
) -> Any:
    """Declare a number ``low..high``."""
    kind = "a whole number" if whole else "a number"
    rule = Rule(f"{kind} {low}..{high}", lambda v: _is_number(v, low, high, whole))
    return _field(rule, default)


def numbers(
    low: int, high: int, *, length: tuple[int, int], default: Any = dataclasses.MISSING
) -> Any:
    """Declare a list of ``length[0]..length[1]`` whole numbers, each ``low..high``."""
    rule = Rule(
        f"a list of {_span(length)} whole numbers {low}..{high}",
        lambda v: _is_list(v, length) and all(_is_number(x, low, high, whole=True) for x in v),
    )
    return _field(rule, default)


def choice(values: Sequence[str], *, default: Any = dataclasses.MISSING) -> Any:
    """Declare one of several words."""
    return _field(Rule(f"one of {', '.join(values)}", lambda v: v in values), default)


def choices(
    values: Sequence[str], *, length: tuple[int, int], default: Any = dataclasses.MISSING
) -> Any:
    """Declare a list of ``length[0]..length[1]`` words."""
    rule = Rule(
        f"a list of {_span(length)} of {', '.join(values)}",
        lambda v: _is_list(v, length) and all(x in values for x in v),
    )
    return _field(rule, default)


def text(*, default: Any = dataclasses.MISSING) -> Any:
    """Declare a text that is not empty."""
    return _field(Rule("a text", lambda v: isinstance(v, str) and v != ""), default)


def flag(*, default: Any = dataclasses.MISSING) -> Any:
    """Declare true or false."""
    return _field(Rule("true or false", lambda v: isinstance(v, bool)), default)


def inner_rows(
    inner: Callable[[], type], *, length: tuple[int, int], default: Any = dataclasses.MISSING
) -> Any:
    """Declare a list of rows inside a row; ``inner`` returns their dataclass, checked alike."""
    rule = Rule(f"a list of {_span(length)} tables of fields", lambda v: _is_list(v, length), inner)
    return _field(rule, default)


def _span(length: tuple[int, int]) -> str:
    low, high = length
    return str(low) if low == high else f"{low} to {high}"


def _is_list(value: Any, length: tuple[int, int]) -> bool:
    return isinstance(value, list | tuple) and length[0] <= len(value) <= length[1]


@dataclass(frozen=True, kw_only=True)
class Row:
    """Base of every row: where it comes from."""

    source: str = choice(SOURCES)
    note: str = _field(Rule("a text", lambda v: isinstance(v, str)), "")


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


def load(folder: Path, files: Sequence[DataFile], overlay: Path | None = None) -> GameData:
    """Read and check all files; a file that ``overlay`` holds replaces the packaged one whole.

    Raises:
        DataError: one line naming file, row, field and what is expected.
    """
    if overlay is not None:
        _check_overlay(overlay, files)
    rows: dict[tuple[str, str], tuple[Row, ...]] = {}
    for file in files:
        mine = overlay / file.file if overlay is not None else None
        path = mine if mine is not None and mine.exists() else folder / file.file
        for table, found in _read(path, file).items():
            rows[file.name, table] = found
    return GameData(rows)


def _check_overlay(overlay: Path, files: Sequence[DataFile]) -> None:
    known = [file.file for file in files]
    if not overlay.is_dir():
        raise DataError(f"data folder {str(overlay)!r} does not exist or is no folder")
    present = sorted(path.name for path in overlay.glob("*.toml"))
    for name in present:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f" (did you mean {close[0]}?)" if close else ""
            raise DataError(f"{name}: no data file of this game{hint}: {', '.join(known)}")
    if not present:
        raise DataError(f"data folder {str(overlay)!r} holds none of {', '.join(known)}")


def _read(path: Path, file: DataFile) -> dict[str, tuple[Row, ...]]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"{file.file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise DataError(f"{file.file}: is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{file.file}: is not valid TOML: {error}") from None
    defaults: dict[str, Any] = {
        key: content.pop(key) for key in ("source", "note") if key in content
    }
    for key in content:
        if key not in file.tables:
            raise DataError(f"{file.file}: unknown table {key!r}: expected {list(file.tables)}")
    found = {}
    for table, row_type in file.tables.items():
        raw = content.get(table, [])
        items = raw if isinstance(raw, list) else [raw]
        least, most = file.counts[table]
        if not least <= len(items) <= most:
            raise DataError(
                f"{file.file}: {table}: expected {_span((least, most))} rows, got {len(items)}"
            )
        rows = (
            _row(item, row_type, defaults, f"{file.file}: {table} {number}")
            for number, item in enumerate(items, start=1)
        )
        found[table] = tuple(rows)
    return found


def _row(item: Any, row_type: type[Any], defaults: dict[str, Any], where: str) -> Any:
    """Build one row, or say which field is wrong."""
    if not isinstance(item, dict):
        raise DataError(f"{where}: expected a table of fields, got {item!r}")
    fields = {field.name: field for field in dataclasses.fields(row_type)}
    for key in item:
        if key not in fields:
            close = difflib.get_close_matches(key, fields, n=1)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            raise DataError(f"{where}: unknown field {key!r}{hint}: expected {', '.join(fields)}")
    values: dict[str, Any] = {}
    for name, field in fields.items():
        if name in item or name in defaults:
            value: Any = item.get(name, defaults.get(name))
            rule: Rule = field.metadata["rule"]
            if not rule.holds(value):
                raise DataError(f"{where}: {name}: expected {rule.expected}, got {value!r}")
            if rule.inner is not None:
                inner = rule.inner()
                value = [
                    _row(one, inner, {}, f"{where}: {name} {k}")
                    for k, one in enumerate(value, start=1)
                ]
            values[name] = tuple(value) if isinstance(value, list) else value
        elif field.default is dataclasses.MISSING:
            raise DataError(
                f"{where}: {name} is missing: expected {field.metadata['rule'].expected}"
            )
    return row_type(**values)
