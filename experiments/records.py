"""What a long command has measured so far: lines of JSON, the first about all, then one a piece.

The file is written whole at each new line, so that the same command goes on after any stop.  One
process at a time may do so (:func:`alone`): two would overwrite each other's lines.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final

from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.files import parse_json, read_text, write_atomically
from sprawl_env.core.folders import locked_folder

Row = dict[str, Any]
DAMAGED: Final = (
    ValueError, LookupError, TypeError, AttributeError, OverflowError, MemoryError
)  # fmt: skip
"""What reading damaged JSON, or using its values, can raise."""


def alone(out: Path) -> AbstractContextManager[None]:
    """Inside the block, no other command writes measurements into the folder.

    Raises:
        InvalidOption: another one does, or the folder cannot be made.
    """
    return locked_folder(out, f"out={str(out)!r}", "another command is writing to it")


def read_lines(path: Path, expected: str, fits: Callable[[Row, list[Row]], bool]) -> list[Row]:
    """Return the lines of an earlier command; none if there is no file.

    Args:
        path: the file.
        expected: what it should hold, for the message.
        fits: whether the first line and the others are such; what it raises on damaged ones
            counts as no.

    Raises:
        InvalidOption: the file cannot be read, is damaged, or holds something else.
    """
    if not path.exists():
        return []
    try:
        head, *rows = [parse_json(line) for line in read_text(path).splitlines()]
        good = fits(head, rows)
    except OSError as error:
        raise InvalidOption(f"{str(path)!r}: cannot be read: {error.strerror}") from None
    except DAMAGED:
        good = False
    if not good:
        raise InvalidOption(f"{str(path)!r}: expected {expected}")
    return [head, *rows]


def write_lines(path: Path, lines: Sequence[Row]) -> None:
    """Write all lines, whole or not at all, and the folder if it is missing."""
    write_atomically(path, "".join(json.dumps(line) + "\n" for line in lines))
