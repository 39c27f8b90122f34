"""Declarations of records: one class gives the dtype, the documentation and the types of a record.

::

    class State(CommonState):
        wealth = array(np.int16, MAX_SEATS, "wealth of each seat")
        pawn = number(np.int8, "office on the election track")

    GAME = record(State)

A declaration is never instantiated.  numpy and numba read the dtype that :func:`record` makes of
it.  A type checker reads the class: kernels annotate their arguments with it, so a misspelt field
is an error before anything runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar, cast, overload

import numpy as np
import numpy.typing as npt

T = TypeVar("T", bound=np.generic)
R = TypeVar("R", bound="Record")
R_co = TypeVar("R_co", covariant=True)


class Record:
    """Base of all declarations; fields of a base class come first."""


@dataclass(frozen=True)
class Field:
    """One declared field.

    Attributes:
        kind: numpy type, or dtype of a record.
        shape: lengths of the axes; empty for a single value.
        meaning: what the field contains, for people.
        follows: from what it follows, for people; empty for a field that nothing else determines.
    """

    kind: Any
    shape: tuple[int, ...]
    meaning: str
    follows: str = field(default="", kw_only=True)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the field, with its shape."""
        return np.dtype((self.kind, self.shape)) if self.shape else np.dtype(self.kind)

    @property
    def type_name(self) -> str:
        """The name of the numpy type, or ``record``."""
        base = np.dtype(self.kind)
        return "record" if base.names else base.name

    @property
    def shape_name(self) -> str:
        """The shape for people, ``4×3``; empty for a single value."""
        return "×".join(map(str, self.shape))


class Records(Protocol, Generic[R_co]):
    """An array of records, as a type checker sees it."""

    @property
    def size(self) -> int:
        """Number of records."""
        ...

    def __getitem__(self, index: Any) -> R_co: ...


def number(kind: type[np.generic], meaning: str, follows: str = "") -> int:
    """Declare a field with a whole number."""
    return cast(int, Field(kind, (), meaning, follows=follows))


@overload
def array(kind: type[T], shape: int, meaning: str, follows: str = "") -> npt.NDArray[T]: ...


@overload
def array(
    kind: type[T], shape: tuple[int, ...], meaning: str, follows: str = ""
) -> npt.NDArray[T]: ...


def array(
    kind: type[T], shape: int | tuple[int, ...], meaning: str, follows: str = ""
) -> npt.NDArray[T]:
    """Declare a field with an array."""
    axes = (shape,) if isinstance(shape, int) else tuple(int(length) for length in shape)
    return cast("npt.NDArray[T]", Field(kind, axes, meaning, follows=follows))


def records(kind: type[R], length: int, meaning: str) -> Records[R]:
    """Declare a field with an array of records of another declaration."""
    return cast("Records[R]", Field(dtype_of(kind), (int(length),), meaning))


def part(kind: type[R], meaning: str) -> R:
    """Declare a field with one record of another declaration."""
    return cast(R, Field(dtype_of(kind), (), meaning))


def fields_of(kind: type[Record]) -> dict[str, Field]:
    """Return the declared fields by name, those of base classes first.

    Raises:
        ValueError: in plain Python a field's name would mean an attribute of numpy's records.
    """
    found: dict[str, Field] = {}
    for base in reversed(kind.__mro__):
        found |= {name: field for name, field in vars(base).items() if isinstance(field, Field)}
    for name in found:
        if hasattr(np.record, name) or hasattr(np.recarray, name):
            raise ValueError(
                f"field {name!r}: numpy's records have an attribute of this name: rename the field"
            )
    return found


def dtype_of(kind: type[Record]) -> np.dtype[Any]:
    """Return the dtype of a declaration: wider fields first, so that few bytes are unused."""
    return np.dtype(_wide_first(kind), align=True)


def _wide_first(kind: type[Record]) -> list[tuple[str, np.dtype[Any]]]:
    listed = [(name, field.dtype) for name, field in fields_of(kind).items()]
    return sorted(listed, key=lambda field: -_width(field[1]))


def record(kind: type[Record]) -> np.dtype[Any]:
    """Return the dtype of a state or of tables: equal contents have equal bytes.

    Wider fields come first, so that there is no padding.  A field ``unused`` fills the record to a
    multiple of eight bytes.
    """
    listed = _wide_first(kind)
    word = np.dtype(np.int64).itemsize
    unused = -sum(dtype.itemsize for _, dtype in listed) % word
    if unused:
        listed.append(("unused", np.dtype((np.int8, (unused,)))))
    return np.dtype(listed, align=True)


def _width(dtype: np.dtype[Any]) -> int:
    """Return the size of the widest number in a field."""
    if dtype.base.names is None:
        return dtype.base.itemsize
    return max(_width(dtype.base[name]) for name in dtype.base.names)
