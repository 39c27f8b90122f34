"""The check of records: kernels trust that a batch is of their game and of its options."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sprawl_env.core.checks import check_whole, described
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.state import (
    FINISHED,
    NOBODY,
    NOT_OVER,
    TRUNCATED,
    Games,
    PlainRecords,
    plain,
)

_KNOWN: Final = 64  # equal dtypes that a check remembers
_KINDS: Final = (np.recarray, np.ndarray, PlainRecords)
_OWNERS: Final = (type(None), bytes)  # of memory that is no file
_STATE: Final = ("to_play", "over")  # fields that kernels use as indices
_FEW: Final = 8  # records that are read faster one by one than field by field
_CODES: Final = {  # of the module struct, by kind and bytes
    (kind, 1 << k): code
    for kind, codes in (("i", "bhiq"), ("u", "BHIQ"))
    for k, code in enumerate(codes)
}
_base_of: Final = np.ndarray.base.__get__  # a getter, for speed


class RecordCheck:
    """Checks that arrays are batches of one game's records, dealt for its options.

    A record has a seat to play, or none once the game is over.

    Args:
        name: of the game, for messages.
        dtype: of its records.
        options: the numbers that the fields of the options contain, by field.
        num_seats: of the game.
    """

    def __init__(
        self, name: str, dtype: np.dtype[Any], options: Mapping[str, int], num_seats: int
    ) -> None:
        self._name, self._dtype, self._options = name, dtype, dict(options)
        self._num_seats = num_seats
        self._known: dict[int, np.dtype[Any]] = {}
        fields: Mapping[str, Any] = dtype.fields or {}
        placed = sorted((fields[name][1], name) for name in (*options, *_STATE))
        form, end = "=", 0
        for offset, field in placed:
            kind = fields[field][0]
            form += f"{offset - end}x{_CODES[kind.kind, kind.itemsize]}"
            end = offset + kind.itemsize
        self._numbers_at = struct.Struct(form).unpack_from
        self._placed = tuple(name for _, name in placed)
        self._accepted: list[dict[str, int]] = []
        self._allowed: set[tuple[int, ...]] = set()  # numbers that are read together
        self._size = dtype.itemsize
        self.accept(options)

    def accept(self, options: Mapping[str, int]) -> None:
        """Accept records of other options too.

        Args:
            options: the numbers that the fields of the options contain, by field.
        """
        if dict(options) not in self._accepted:
            self._accepted.append(dict(options))
            self._allowed.update(self._numbers_of(options))

    def _numbers_of(self, options: Mapping[str, int]) -> Iterator[tuple[int, ...]]:
        """Yield what may be read together from a record of some options."""
        playing = [(seat, NOT_OVER) for seat in range(self._num_seats)]
        for state in (*playing, (NOBODY, FINISHED), (NOBODY, TRUNCATED)):
            values = {**options, **dict(zip(_STATE, state, strict=True))}
            yield tuple(values[name] for name in self._placed)

    def checked(self, games: Games, g: int, seat: int = 0) -> tuple[Any, int, int]:
        """Return a batch as kernels take it, a game's index and a seat, as ints.

        The usual arguments are accepted in a fraction of a microsecond.

        Raises:
            InvalidOption: not a batch of this game's records ``[n]``, a memory map, read-only, not
                contiguous, or dealt for other options; there is no such game or no such seat, or
                the game has no seat to play though it is not over.
        """
        kind = type(games)
        if kind in _KINDS:
            records = plain(games)
            dtype, owner = records.dtype, _base_of(games)
            while type(owner) in _KINDS:
                owner = _base_of(owner)
            if (
                (dtype is self._dtype or id(dtype) in self._known)
                and records.ndim == 1
                and records.flags.carray
                and type(owner) in _OWNERS
                and type(g) is int
                and type(seat) is int
                and 0 <= seat < self._num_seats
                and 0 <= g < len(records)
                and self._numbers_at(records, g * self._size) in self._allowed
            ):
                return records, g, seat
        return self._checked_slowly(games, g, seat)

    def _checked_slowly(self, games: Games, g: int, seat: int) -> tuple[Any, int, int]:
        """Do the same as :meth:`checked`, one check after the other."""
        self._check_array(games)
        last, last_seat = len(games) - 1, self._num_seats - 1
        at = check_whole(f"{self._name}: g=", g, 0, last, f"a game 0..{last}")
        if self._numbers_at(games, at * self._size) not in self._allowed:
            raise self._unfit(games, at)
        sits = check_whole(f"{self._name}: seat=", seat, 0, last_seat, f"a seat 0..{last_seat}")
        return plain(games), at, sits

    def check_all(self, games: Games, state: bool = True) -> None:
        """Check an array and all its games.

        Args:
            games: the array.
            state: check the seats to play, too.

        Raises:
            InvalidOption: as :meth:`checked` does.
        """
        self._check_array(games)
        records: Any = plain(games)
        if len(records) <= _FEW:
            found = (self._numbers_at(records, k * self._size) for k in range(len(records)))
            if all(numbers in self._allowed for numbers in found):
                return
        fits = np.zeros(len(records), np.bool_)
        for options in self._accepted:
            same = [records[name] == number for name, number in options.items()]
            fits |= np.logical_and.reduce(same)
        if state:
            seat, over = records["to_play"], records["over"]
            playing = (over == NOT_OVER) & (seat >= 0) & (seat < self._num_seats)
            fits &= playing | ((over == FINISHED) | (over == TRUNCATED)) & (seat == NOBODY)
        if not fits.all():
            raise self._unfit(games, int(fits.argmin()))

    def _check_array(self, games: Any) -> None:
        kind = type(games)
        records = plain(games) if kind in _KINDS else None
        fits = (
            records is not None
            and not _is_mapped(games)
            and records.dtype == self._dtype
            and records.ndim == 1
            and records.flags.carray
        )
        if not fits:
            other = isinstance(games, np.ndarray) and games.dtype != self._dtype
            mapped = isinstance(games, np.ndarray) and _is_mapped(games)
            raise InvalidOption(
                f"{self._name}: games: expected a writable, contiguous batch [n] of this game's "
                f"records, as deal() returns it, got {'another dtype, ' if other else ''}"
                f"{'a memory map, ' if mapped else ''}{described(games)}"
            )
        if len(self._known) >= _KNOWN:
            self._known.clear()
        dtype = plain(games).dtype
        self._known[id(dtype)] = dtype

    def _unfit(self, games: npt.NDArray[Any], g: int) -> InvalidOption:
        """Return the error for a record of other options, or without a seat to play."""
        record = games.view(np.ndarray)[g]
        options = {field: int(record[field]) for field in self._options}
        if options in self._accepted:
            return InvalidOption(
                f"{self._name}: game {g} has to_play={int(record['to_play'])}, "
                f"over={int(record['over'])}: expected a seat 0..{self._num_seats - 1} to play, "
                f"or {NOBODY} once the game is over"
            )
        if len(self._accepted) > 1:
            told = ", ".join(f"{field}={number}" for field, number in options.items())
            return InvalidOption(
                f"{self._name}: game {g} is of other options: {told} (expected one of "
                f"{len(self._accepted)} sets)"
            )
        told = ", ".join(
            f"{field}={int(record[field])} (expected {number})"
            for field, number in self._options.items()
            if record[field] != number
        )
        return InvalidOption(f"{self._name}: game {g} is of other options: {told}")


def _is_mapped(games: npt.NDArray[Any]) -> bool:
    """Return whether an array's memory is a file's, which others can change or cut off."""
    owner: Any = games
    while isinstance(owner, np.ndarray):
        if isinstance(owner, np.memmap):
            return True
        owner = _base_of(owner)
    return isinstance(owner.obj if isinstance(owner, memoryview) else owner, mmap.mmap)
