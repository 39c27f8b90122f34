"""States: a batch of games as a numpy record array, common fields, and fast copies."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from sprawl_env.core.checks import check_whole, described
from sprawl_env.core.errors import InvalidOption, short
from sprawl_env.kernels.compile import JIT
from sprawl_env.kernels.records import Record, number

Games: TypeAlias = "np.recarray[Any, Any]"
Tables: TypeAlias = "np.recarray[Any, Any]"

NOBODY: Final = -1  # no seat
NOT_OVER: Final = 0
FINISHED: Final = 1  # ended by the rules
TRUNCATED: Final = 2  # stopped at a turn limit; scored like a finished game
AUTOMATON: Final = "automaton"  # name of the side that no seat plays, in tables and logs


class CommonState(Record):
    """The fields that the state of every game contains; a game declares the others in a subclass.

    ``record(CLASS)`` makes the dtype of the game's record of the declaration.
    """

    rng = number(np.int64, "state of the random number generator, see kernels/rng.py")
    ply = number(np.int32, "decisions made so far")
    turn = number(np.int16, "turns finished so far")
    num_seats = number(np.int8, "seats that make decisions")
    to_play = number(np.int8, "seat that owes a decision; NOBODY when the game is over")
    over = number(np.int8, "NOT_OVER, FINISHED or TRUNCATED")


def impossible_in_any(games: Games) -> tuple[int, str] | None:
    """Return the first game whose common fields are impossible in every game, and why.

    Kernels use them as indices: they trust that the seat to play is a seat and that no count is
    negative.  Returns None if there is no such game.
    """
    ply, turn, seats, to_play, over = (
        games[name].astype(np.int64) for name in ("ply", "turn", "num_seats", "to_play", "over")
    )
    is_seat = (to_play >= 0) & (to_play < seats)
    checks = (
        ("ply: expected 0 or more", ply < 0),
        ("turn: expected 0 or more", turn < 0),
        (f"over: expected {NOT_OVER}..{TRUNCATED}", (over < NOT_OVER) | (over > TRUNCATED)),
        ("to_play: expected {nobody}..{last}", ~is_seat & (to_play != NOBODY)),
        (
            "to_play: expected {nobody} if and only if the game is over",
            is_seat == (over != NOT_OVER),
        ),
    )
    wrong = np.stack([found for _, found in checks])
    if not wrong.any():
        return None
    g = int(wrong.any(axis=0).argmax())
    says = checks[int(wrong[:, g].argmax())][0]
    return g, says.format(nobody=NOBODY, last=int(seats[g]) - 1)


_view: Final = np.ndarray.view  # a record array's own attribute is found several times slower


class PlainRecord(np.void):  # type: ignore[misc]  # as np.record is
    """A record with fields as attributes, which is read several times as fast as ``np.record``."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except ValueError:
            raise AttributeError(f"the record has no field {name!r}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class PlainRecords(np.recarray[Any, Any]):
    """A record array that consists of :class:`PlainRecord`."""

    def __array_finalize__(self, obj: Any) -> None:
        """Keep the type of the records, which a record array would replace."""


def plain(records: Any) -> Any:
    """Return records in the form in which Python passes them to a kernel fastest, a view.

    Where kernels are functions of Python, it is the form that they read fastest.
    """
    return _view(records, np.ndarray) if JIT else _view(_plain_records(records), np.ndarray)


def readable(records: Any) -> PlainRecords:
    """Return records in the form in which Python reads their fields fastest, a view.

    Equal dtypes become the same object.  Whenever Python calls a kernel, numba looks up the types
    of arrays by their dtypes; for another object than the first one it compares all fields, which
    takes microseconds.
    """
    return _view(_plain_records(records), PlainRecords)


def _plain_records(records: Any) -> Any:
    array = _view(records, np.ndarray)
    return array if array.dtype.type is PlainRecord else _view(array, _plain_dtype(array.dtype))


@lru_cache(maxsize=256)
def _plain_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype whose records, also those in its fields, are of :class:`PlainRecord`."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return np.dtype((_plain_dtype(base), shape))
    if dtype.names is None or dtype.fields is None:
        return dtype
    fields = [dtype.fields[name] for name in dtype.names]
    kept: Any = {
        "names": dtype.names,
        "formats": [_plain_dtype(field[0]) for field in fields],
        "offsets": [field[1] for field in fields],
        "itemsize": dtype.itemsize,
    }
    return np.dtype((PlainRecord, np.dtype(kept, align=dtype.isalignedstruct)))


def raw_bytes(games: Games) -> npt.NDArray[np.uint8]:
    """Return the bytes of a batch as uint8 ``[n, itemsize]``, a view."""
    return games.view(np.ndarray).view(np.uint8).reshape(len(games), games.dtype.itemsize)


def clone(games: Games, which: npt.NDArray[np.int64] | slice = slice(None)) -> Games:
    """Return a copy of all or some games; copying bytes is much faster than copying records.

    Raises:
        InvalidOption: not records ``[n]``, or not indices of them.
    """
    _check_records("clone: games", games)
    fits = isinstance(which, slice) or (
        isinstance(which, np.ndarray) and which.ndim == 1 and which.dtype.kind in "iub"
    )
    if not fits:
        raise _no_indices(games, which)
    try:
        rows = np.array(raw_bytes(games)[which, ...])
    except (IndexError, TypeError):
        raise _no_indices(games, which) from None
    return rows.reshape(-1).view(games.dtype).view(np.recarray)


def _no_indices(games: Games, which: Any) -> InvalidOption:
    return InvalidOption(
        f"clone: which: expected an array of indices 0..{len(games) - 1}, got {short(which)}"
    )


def _check_records(what: str, games: Any) -> None:
    """Check that an array is contiguous records ``[n]``."""
    fits = (
        isinstance(games, np.ndarray)
        and games.dtype.names is not None
        and games.ndim == 1
        and games.flags.c_contiguous
        and not isinstance(games, np.ma.MaskedArray)
    )
    if not fits:
        raise InvalidOption(f"{what}: expected contiguous records [n], got {described(games)}")


def restore(games: Games, saved: Games) -> None:
    """Overwrite games with a copy made by :func:`clone`; both are ``[n]``.

    Raises:
        InvalidOption: the arrays differ in dtype or length, or ``games`` cannot be written.
    """
    _check_records("restore: games", games)
    _check_records("restore: saved", saved)
    if games.dtype != saved.dtype or len(games) != len(saved) or not games.flags.writeable:
        raise InvalidOption(
            f"restore: expected a writable batch and a copy of it, got {described(games)} "
            f"and {described(saved)}"
        )
    raw_bytes(games)[:] = raw_bytes(saved)


def digest(games: Games, g: int = 0) -> str:
    """Return 12 hex digits that identify a state, computed field by field without padding.

    Raises:
        InvalidOption: not records ``[n]``, or no such game.
    """
    _check_records("digest: games", games)
    g = check_whole("digest: g=", g, 0, len(games) - 1)
    hashed = hashlib.sha256()
    fields = games.view(np.ndarray)  # reading a field of a record array is ten times slower
    for name in fields.dtype.names or ():
        hashed.update(fields[name][g].tobytes())
    return hashed.hexdigest()[:12]
