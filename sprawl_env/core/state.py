"""States: numpy records of games, their common fields, and fast copies."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

Games: TypeAlias = "np.recarray[Any, Any]"
State: TypeAlias = Any  # one record of ``Games``; numba and numpy both allow attribute access
Tables: TypeAlias = "np.recarray[Any, Any]"

NOBODY: Final = -1  # no seat
NOT_OVER: Final = 0
FINISHED: Final = 1  # ended by the rules
TRUNCATED: Final = 2  # stopped at a turn limit, scored like an end
AUTOMATON: Final = "automaton"  # how tables and logs call the side that no seat plays


def common_fields() -> list[tuple[Any, ...]]:
    """Return the dtype fields that the record of every game begins with."""
    return [
        ("rng", np.int64),  # see kernels/rng.py
        ("ply", np.int32),  # decisions made so far
        ("turn", np.int16),  # turns finished so far
        ("num_seats", np.int8),
        ("to_play", np.int8),  # seat that owes a decision, NOBODY when over
        ("over", np.int8),  # NOT_OVER, FINISHED or TRUNCATED
    ]


def record(fields: Sequence[tuple[Any, ...]]) -> np.dtype[Any]:
    """Return a record's dtype without padding, so that equal states are equal bytes.

    Wide fields come first; what is left of the last eight bytes is a field ``unused``.
    """
    ordered = sorted(fields, key=lambda field: -np.dtype(field[1]).itemsize)
    size = np.dtype(list(ordered)).itemsize
    unused = -size % np.dtype(np.int64).itemsize
    return np.dtype([*ordered, ("unused", np.int8, (unused,))] if unused else ordered, align=True)


def raw_bytes(games: Games) -> npt.NDArray[np.uint8]:
    """Return the bytes of a batch as uint8 ``[n, itemsize]``, no copy."""
    return games.view(np.ndarray).view(np.uint8).reshape(len(games), games.dtype.itemsize)


def clone(games: Games, which: npt.NDArray[np.int64] | slice = slice(None)) -> Games:
    """Return copies of all or some games, as plain bytes: much faster than copying records."""
    rows = np.array(raw_bytes(games)[which])
    return rows.reshape(-1).view(games.dtype).view(np.recarray)


def restore(games: Games, saved: Games) -> None:
    """Overwrite games with clones made earlier; both ``[n]``."""
    raw_bytes(games)[:] = raw_bytes(saved)


def digest(games: Games, g: int = 0) -> str:
    """Return 12 hex digits of a state, field by field: padding means nothing."""
    hashed = hashlib.sha256()
    plain = games.view(np.ndarray)  # a record array is ten times slower to take fields from
    for name in plain.dtype.names or ():
        hashed.update(plain[name][g].tobytes())
    return hashed.hexdigest()[:12]
