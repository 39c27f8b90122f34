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

from collections.abc import Iterator
from dataclasses import dataclass
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
        slot: the storage that the field shares with others of the same slot; None: its own.
    """

    kind: Any
    shape: tuple[int, ...]
    meaning: str
    slot: int | None = None

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the field, with its shape."""
        return np.dtype((self.kind, self.shape)) if self.shape else np.dtype(self.kind)


class Records(Protocol, Generic[R_co]):
    """An array of records, as a type checker sees it."""

    @property
    def size(self) -> int:
        """Number of records."""
        ...

    def __getitem__(self, index: Any) -> R_co: ...


def number(kind: type[np.generic], meaning: str) -> int:
    """Declare a field with a whole number."""
    return cast(int, Field(kind, (), meaning))


@overload
def array(kind: type[T], shape: int, meaning: str) -> npt.NDArray[T]: ...


@overload
def array(kind: type[T], shape: tuple[int, ...], meaning: str) -> npt.NDArray[T]: ...


def array(kind: type[T], shape: int | tuple[int, ...], meaning: str) -> npt.NDArray[T]:
    """Declare a field with an array."""
    axes = (shape,) if isinstance(shape, int) else tuple(int(length) for length in shape)
    return cast("npt.NDArray[T]", Field(kind, axes, meaning))


def records(kind: type[R], length: int, meaning: str) -> Records[R]:
    """Declare a field with an array of records of another declaration."""
    return cast("Records[R]", Field(dtype_of(kind), (int(length),), meaning))


def part(kind: type[R], meaning: str) -> R:
    """Declare a field with one record of another declaration."""
    return cast(R, Field(dtype_of(kind), (), meaning))


def shared(slot: int, kind: type[np.generic], meaning: str) -> int:
    """Declare a whole number that shares its storage with all fields of the same slot."""
    return cast(int, Field(kind, (), meaning, slot))


def fields_of(kind: type[Record]) -> dict[str, Field]:
    """Return the declared fields by name, those of base classes first.

    Raises:
        ValueError: a field has the name of an attribute of all numpy records, e.g. ``size``: in
            plain Python that attribute would be read instead.
    """
    found: dict[str, Field] = {}
    for base in reversed(kind.__mro__):
        found |= {name: field for name, field in vars(base).items() if isinstance(field, Field)}
    for name in found:
        if hasattr(np.record, name):
            raise ValueError(f"{kind.__name__}.{name}: expected a name that np.record does not use")
    return found


def dtype_of(kind: type[Record]) -> np.dtype[Any]:
    """Return the dtype of a declaration: its fields in order, without padding.

    Raises:
        ValueError: fields of one slot have different types.
    """
    names, formats, offsets = [], [], []
    slots: dict[int, tuple[int, np.dtype[Any]]] = {}  # offset and type of each slot
    size = 0
    for name, field in fields_of(kind).items():
        if field.slot is None or field.slot not in slots:
            offset = size
            size += field.dtype.itemsize
        else:
            offset, before = slots[field.slot]
            if field.dtype != before:
                raise ValueError(f"{name}: expected {before.name} as others of its slot")
        if field.slot is not None:
            slots[field.slot] = offset, field.dtype
        names.append(name)
        formats.append(field.dtype)
        offsets.append(offset)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size})


def record(kind: type[Record]) -> np.dtype[Any]:
    """Return the dtype of a state or of tables: equal contents have equal bytes.

    Wider fields come first, so that there is no padding.  A field ``unused`` fills the record to a
    multiple of eight bytes.
    """
    ordered = sorted(fields_of(kind).items(), key=lambda item: -_width(item[1].dtype))
    listed = [(name, field.dtype) for name, field in ordered]
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


def flat_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype of a field as numbers of one type.

    For a record whose numbers all have one type it is that type, with one more axis.

    Raises:
        TypeError: the record has numbers of different types.
    """
    if dtype.base.names is None:
        return dtype
    kinds = {dtype.base[name].base for name in dtype.base.names}
    if len(kinds) != 1:
        raise TypeError(f"expected numbers of one type, got {dtype}")
    (kind,) = kinds
    return np.dtype((kind, (*dtype.shape, dtype.base.itemsize // kind.itemsize)))


def markdown(kind: type[Record]) -> str:
    """Return the declared fields as a table for the docs."""
    return "\n".join(["| field | type | shape | meaning |", "|---|---|---|---|", *_rows(kind)])


def _rows(kind: type[Record]) -> Iterator[str]:
    for name, field in fields_of(kind).items():
        base = np.dtype(field.kind)
        shape = "×".join(map(str, field.shape))
        yield f"| `{name}` | {'record' if base.names else base.name} | {shape} | {field.meaning} |"
