"""The check of records: kernels trust that a batch is of their game and of its options."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sprawl_env.core.checks import check_whole, described
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.state import Games, PlainRecords, plain

_KNOWN: Final = 64  # equal dtypes that a check remembers
_KINDS: Final = (np.recarray, np.ndarray, PlainRecords)
_FEW: Final = 8  # records that are read faster one by one than field by field
_CODES: Final = {  # of the module struct, by kind and bytes
    (kind, 1 << k): code
    for kind, codes in (("i", "bhiq"), ("u", "BHIQ"))
    for k, code in enumerate(codes)
}
_base_of: Final = np.ndarray.base.__get__  # a getter, for speed


class RecordCheck:
    """Checks that arrays are batches of one game's records, dealt for its options.

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
        placed = sorted((fields[name][1], name) for name in options)
        form, end = "=", 0
        for offset, field in placed:
            kind = fields[field][0]
            form += f"{offset - end}x{_CODES[kind.kind, kind.itemsize]}"
            end = offset + kind.itemsize
        self._options_at = struct.Struct(form).unpack_from
        self._placed = tuple(name for _, name in placed)
        self._expected = tuple(self._options[name] for name in self._placed)
        self._others: dict[tuple[int, ...], None] = {}  # further accepted options, in order
        self._size = dtype.itemsize

    def accept(self, options: Mapping[str, int]) -> None:
        """Accept records of other options too.

        Args:
            options: the numbers that the fields of the options contain, by field.
        """
        numbers = tuple(options[name] for name in self._placed)
        if numbers != self._expected:
            self._others[numbers] = None

    def checked(self, games: Games, g: int, seat: int = 0) -> tuple[Any, int, int]:
        """Return a batch as kernels take it, a game's index and a seat, as ints.

        The usual arguments are accepted in a fraction of a microsecond.

        Raises:
            InvalidOption: not a batch of this game's records ``[n]``, a memory map, read-only, not
                contiguous, or dealt for other options; there is no such game or no such seat.
        """
        kind = type(games)
        if kind in _KINDS:
            records = plain(games)
            dtype = records.dtype
            if (
                (dtype is self._dtype or id(dtype) in self._known)
                and records.ndim == 1
                and records.flags.carray
                and type(_base_of(games)) is not np.memmap
                and type(g) is int
                and type(seat) is int
                and 0 <= seat < self._num_seats
                and 0 <= g < len(records)
                and (
                    (found := self._options_at(records, g * self._size)) == self._expected
                    or found in self._others
                )
            ):
                return records, g, seat
        return self._checked_slowly(games, g, seat)

    def _checked_slowly(self, games: Games, g: int, seat: int) -> tuple[Any, int, int]:
        """Do the same as :meth:`checked`, one check after the other."""
        self._check_array(games)
        last, last_seat = len(games) - 1, self._num_seats - 1
        at = check_whole(f"{self._name}: g=", g, 0, last, f"a game 0..{last}")
        found = self._options_at(games, at * self._size)
        if found != self._expected and found not in self._others:
            raise self._other_options(games, at)
        sits = check_whole(f"{self._name}: seat=", seat, 0, last_seat, f"a seat 0..{last_seat}")
        return plain(games), at, sits

    def check_all(self, games: Games) -> None:
        """Check an array and the options of all its games.

        Raises:
            InvalidOption: as :meth:`checked` does.
        """
        self._check_array(games)
        records: Any = plain(games)
        if len(records) <= _FEW:
            found = (self._options_at(records, k * self._size) for k in range(len(records)))
            if all(numbers == self._expected for numbers in found):
                return
        fits = np.zeros(len(records), np.bool_)
        for numbers in (self._expected, *self._others):
            same = [records[n] == number for n, number in zip(self._placed, numbers, strict=True)]
            fits |= np.logical_and.reduce(same)
            if fits.all():
                return
        raise self._other_options(games, int(fits.argmin()))

    def _check_array(self, games: Any) -> None:
        kind = type(games)
        records = plain(games) if kind in _KINDS else None
        fits = (
            records is not None
            and type(_base_of(games)) is not np.memmap
            and records.dtype == self._dtype
            and records.ndim == 1
            and records.flags.carray
        )
        if not fits:
            other = isinstance(games, np.ndarray) and games.dtype != self._dtype
            mapped = isinstance(games, np.ndarray) and type(_base_of(games)) is np.memmap
            raise InvalidOption(
                f"{self._name}: games: expected a writable, contiguous batch [n] of this game's "
                f"records, as deal() returns it, got {'another dtype, ' if other else ''}"
                f"{'a memory map, ' if mapped else ''}{described(games)}"
            )
        if len(self._known) >= _KNOWN:
            self._known.clear()
        dtype = plain(games).dtype
        self._known[id(dtype)] = dtype

    def _other_options(self, games: npt.NDArray[Any], g: int) -> InvalidOption:
        record = games.view(np.ndarray)[g]
        if self._others:
            told = ", ".join(f"{field}={int(record[field])}" for field in self._options)
            return InvalidOption(
                f"{self._name}: game {g} is of other options: {told} (expected one of "
                f"{1 + len(self._others)} sets)"
            )
        told = ", ".join(
            f"{field}={int(record[field])} (expected {number})"
            for field, number in self._options.items()
            if record[field] != number
        )
        return InvalidOption(f"{self._name}: game {g} is of other options: {told}")
