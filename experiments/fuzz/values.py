"""Bad values for any parameter, and which values are in fact good ones."""

from __future__ import annotations

import decimal
import fractions
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Final

import numpy as np

import sprawl_env
from experiments.fuzz.callables import parts_of
from experiments.fuzz.goods import BATCH, SEED, Place
from sprawl_env.bots.random import RandomBot
from sprawl_env.core import registry
from sprawl_env.core.errors import SprawlError
from sprawl_env.core.rules import Option

HUGE: Final = 2**70
DEEP: Final = 5000  # levels
LONG: Final = 100_000  # characters, numbers
MOST_SEED: Final = 2**63 - 1


class Hostile:
    """An object whose methods raise."""

    def __repr__(self) -> str:
        raise RuntimeError("repr")

    def __len__(self) -> int:
        raise RuntimeError("len")

    def __iter__(self) -> Iterator[Any]:
        raise RuntimeError("iter")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise RuntimeError("array")

    def __index__(self) -> int:
        raise RuntimeError("index")

    def __fspath__(self) -> str:
        raise RuntimeError("path")


def deep_list() -> Any:
    """Return lists in lists."""
    made: list[Any] = []
    for _ in range(DEEP):
        made = [made]
    return made


def read_only(array: Any) -> Any:
    """Return an array after making it read-only."""
    array.flags.writeable = False
    return array


def mapped(place: Place, array: Any, mode: Any) -> Any:
    """Return a memory map with the content of an array."""
    path = place.folder / f"map-{array.dtype.itemsize}-{array.size}"
    path.write_bytes(array.tobytes())
    return np.memmap(path, array.dtype, mode, shape=array.shape)


def another(place: Place) -> Any:
    """Return another game."""
    return sprawl_env.game("tower_up" if place.name != "tower_up" else "ginkgopolis")


def other_options(place: Place) -> Any:
    """Return the same game for other options."""
    most = registry.rules_of(place.name).options["num_players"].high
    return sprawl_env.game(place.name, num_players=most)


Make = Callable[[Place], Any]

ANYTHING: dict[str, Make] = {
    "True": lambda p: True,
    "numpy bool": lambda p: np.bool_(False),
    "0.0": lambda p: 0.0,
    "1.5": lambda p: 1.5,
    "nan": lambda p: float("nan"),
    "inf": lambda p: float("inf"),
    "complex": lambda p: 1j,
    "None": lambda p: None,
    "Ellipsis": lambda p: ...,
    "-1": lambda p: -1,
    "2**31": lambda p: 2**31,
    "2**63-1": lambda p: 2**63 - 1,
    "2**63": lambda p: 2**63,
    "2**70": lambda p: HUGE,
    "-2**63": lambda p: -(2**63),
    "int8": lambda p: np.int8(-1),
    "uint64": lambda p: np.uint64(2**64 - 1),
    "float32": lambda p: np.float32(1),
    "float16 nan": lambda p: np.float16("nan"),
    "longdouble": lambda p: np.longdouble(1),
    "complex64": lambda p: np.complex64(1),
    "datetime64": lambda p: np.datetime64("2000-01-01"),
    "timedelta64": lambda p: np.timedelta64(1, "D"),
    "numpy str": lambda p: np.str_("0"),
    "numpy bytes": lambda p: np.bytes_(b"0"),
    "void": lambda p: np.void(b"0"),
    "fraction": lambda p: fractions.Fraction(1, 2),
    "decimal": lambda p: decimal.Decimal("nan"),
    "empty str": lambda p: "",
    "digit": lambda p: "0",
    "control characters": lambda p: "\x1b[2J\n\r\x07",
    "zero character": lambda p: "a\0b",
    "half a character": lambda p: "\ud800",
    "long str": lambda p: "x" * LONG,
    "colon": lambda p: "a:b",
    "braces": lambda p: "[" * LONG,
    "bytes": lambda p: b"0",
    "bytearray": lambda p: bytearray(3),
    "memoryview": lambda p: memoryview(b"0"),
    "empty list": lambda p: [],
    "list": lambda p: [0],
    "list of None": lambda p: [None],
    "list of str": lambda p: ["a", "a"],
    "ragged": lambda p: [[1], [1, 2]],
    "deep": lambda p: deep_list(),
    "tuple": lambda p: (1, 2),
    "empty dict": lambda p: {},
    "dict": lambda p: {"a": 1},
    "dict of objects": lambda p: {object(): object()},
    "set": lambda p: {1},
    "range": lambda p: range(3),
    "generator": lambda p: (k for k in range(3)),
    "object": lambda p: object(),
    "hostile": lambda p: Hostile(),
    "hostile list": lambda p: [Hostile()],
    "lambda": lambda p: lambda: None,
    "builtin": lambda p: len,
    "class": lambda p: int,
    "bot class": lambda p: RandomBot,
    "module": lambda p: types,
    "exception": lambda p: ValueError("text"),
    "array 0-d int": lambda p: np.array(3),
    "array 0-d float": lambda p: np.array(0.5),
    "array empty": lambda p: np.zeros(0, np.int8),
    "array int": lambda p: np.zeros(1, np.int64),
    "array long": lambda p: np.full(LONG, 10**9),
    "array float": lambda p: np.zeros(BATCH),
    "array nan": lambda p: np.full(BATCH, np.nan, np.float32),
    "array bool": lambda p: np.zeros(BATCH, np.bool_),
    "array object": lambda p: np.array([None] * BATCH),
    "array str": lambda p: np.array(["a"] * BATCH),
    "array complex": lambda p: np.zeros(BATCH, complex),
    "array structured": lambda p: np.zeros(BATCH, [("a", "i1")]),
    "array dates": lambda p: np.zeros(BATCH, "datetime64[s]"),
    "array negative": lambda p: np.full(BATCH, -1),
    "array 3-d": lambda p: np.zeros((2, 2, 2), np.int8),
    "array masked": lambda p: np.ma.array(np.zeros(BATCH, np.int8), mask=True),
    "array map": lambda p: mapped(p, np.zeros(BATCH, np.int8), "r"),
    "array broadcast": lambda p: np.broadcast_to(np.int64(0), (LONG,)),
    "records": lambda p: p.games,
    "a game": lambda p: p.game,
    "another game": another,
    "a bot": lambda p: p.bot,
    "bots": lambda p: [p.bot] * 2,
    "too many bots": lambda p: [p.bot] * 9,
}


def forged(place: Place) -> Any:
    """Return records of the right type and options whose other fields are noise."""
    games, rng = place.games, np.random.default_rng(SEED)
    for name in games.dtype.names:
        if name not in {*place.game.option_fields, "over", "to_play"}:
            column = games[name].view(np.uint8) if games[name].dtype.names is None else None
            if column is not None:
                column[...] = rng.integers(0, 256, column.shape, np.uint8)
    return games


RECORDS: dict[str, Make] = {
    "more seats": lambda p: other_options(p).deal(BATCH),
    "another game's": lambda p: another(p).deal(BATCH),
    "not dealt": lambda p: np.zeros(BATCH, p.game.dtype),
    "records read-only": lambda p: read_only(p.games),
    "records of bytes": lambda p: np.frombuffer(p.games.tobytes(), p.game.dtype),
    "records map": lambda p: mapped(p, p.games.view(np.ndarray), "r"),
    "records writable map": lambda p: mapped(p, p.games.view(np.ndarray), "r+"),
    "records view of map": lambda p: mapped(p, p.games.view(np.ndarray), "r+").view(np.recarray),
    "every second": lambda p: p.games[::2],
    "backwards": lambda p: p.games[::-1],
    "two axes": lambda p: p.games.reshape(2, 2),
    "no axes": lambda p: p.games[0:1].reshape(()),
    "one record": lambda p: p.games[0],
    "no games": lambda p: p.games[:0],
    "one game": lambda p: p.games[:1],
    "raw": lambda p: p.games.view(np.ndarray).view(np.uint8),
    "list of records": lambda p: list(p.games),
}
FORGED: dict[str, Make] = {"forged": forged}


def rows_like(size: Callable[[Place], int], kind: Any) -> dict[str, Make]:
    """Return arrays that are almost the row that a kernel overwrites."""
    return {
        "row too short": lambda p: np.zeros(size(p) - 1, kind),
        "row too long": lambda p: np.zeros(size(p) + 1, kind),
        "row of two axes": lambda p: np.zeros((1, size(p)), kind),
        "row int64": lambda p: np.zeros(size(p), np.int64),
        "row float64": lambda p: np.zeros(size(p), np.float64),
        "row bool": lambda p: np.zeros(size(p), np.bool_),
        "row swapped": lambda p: np.zeros(size(p), np.dtype(np.float32).newbyteorder()),
        "row every second": lambda p: np.zeros(2 * size(p), kind)[::2],
        "row backwards": lambda p: np.zeros(size(p), kind)[::-1],
        "row read-only": lambda p: read_only(np.zeros(size(p), kind)),
        "row broadcast": lambda p: np.broadcast_to(np.zeros(1, kind), (size(p),)),
        "row masked": lambda p: np.ma.array(np.zeros(size(p), kind)),
        "row map": lambda p: mapped(p, np.zeros(size(p), kind), "r+"),
    }


def tables_like(size: Callable[[Place], int], kind: Any) -> dict[str, Make]:
    """Return arrays that are almost masks or observations of a batch."""
    return {
        "rows too short": lambda p: np.zeros((BATCH, size(p) - 1), kind),
        "rows too few": lambda p: np.zeros((BATCH - 1, size(p)), kind),
        "rows float64": lambda p: np.zeros((BATCH, size(p))),
        "rows int64": lambda p: np.zeros((BATCH, size(p)), np.int64),
        "rows object": lambda p: np.full((BATCH, size(p)), None),
        "rows in columns": lambda p: np.zeros((size(p), BATCH), kind).T,
        "rows all 0": lambda p: np.zeros((BATCH, size(p)), kind),
        "rows of nan": lambda p: np.full((BATCH, size(p)), np.nan),
    }


def num_actions(place: Place) -> int:
    """Return the length of a mask."""
    return place.game.num_actions


def observation_size(place: Place) -> int:
    """Return the length of an observation."""
    return place.game.observation_size


ARRAYS: dict[str, dict[str, Make]] = {
    "mask": rows_like(num_actions, np.int8),
    "legal": rows_like(num_actions, np.int8),
    "out": rows_like(observation_size, np.float32),
    "observation": rows_like(observation_size, np.float32),
    "numbers": rows_like(observation_size, np.int8),
    "masks": tables_like(num_actions, np.int8),
    "values": tables_like(num_actions, np.float32),
    "observations": tables_like(observation_size, np.float32),
}
KINDS_OF_PATH: Final = (
    *("a folder", "a file", "a binary file", "a dangling link", "a loop of links", "a socket"),
    *("a missing path", "a device", "endless zeros"),
)


def path_of(kind: str, convert: Callable[[Path], Any]) -> Make:
    """Return the function that returns a path of a kind."""
    return lambda place: convert(place.paths[kind])


PATHS = {kind: path_of(kind, Path) for kind in KINDS_OF_PATH}
PATHS |= {f"{kind} as str": path_of(kind, str) for kind in KINDS_OF_PATH}


def values_for(slot: str, kinds: Sequence[str]) -> dict[str, Make]:
    """Return the values that a parameter is tried with, by label."""
    name = slot.rpartition(".")[2]
    found = ANYTHING | ARRAYS.get(name, {})
    if "Games" in kinds:
        found = found | RECORDS | (FORGED if slot.endswith("load.games") else {})
    if {"Path", "PathLike[str]", "os.PathLike[str]"} & set(kinds):
        found = found | PATHS
    return found


# --------------------------------------------------------------------------------- good after all


def is_whole(value: Any, low: int, high: float) -> bool:
    """Whether a value is a whole number in a range."""
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "iu":
        value = int(value)
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)
    return whole and low <= int(value) <= high


def is_number(value: Any) -> bool:
    """Whether a value is a finite number, and no bool."""
    if isinstance(value, np.ndarray):
        return value.ndim == 0 and value.dtype.kind in "iuf" and bool(np.isfinite(value))
    number = isinstance(value, int | float | np.integer | np.floating)
    fits = number and not isinstance(value, bool | np.timedelta64)
    return fits and bool(np.isfinite(float(value)))


def is_array(value: Any, kinds: str) -> bool:
    """Whether a value makes an array of numbers."""
    try:
        return np.asarray(value).dtype.kind in kinds
    except (ValueError, TypeError, RuntimeError, OverflowError):
        return False


def is_batch(place: Place, value: Any) -> bool:
    """Whether a value is a batch of the game's records."""
    try:
        place.game.check_games(value)
    except SprawlError:
        return False
    return True


def is_records(value: Any) -> bool:
    """Whether a value is contiguous records of any game."""
    records = isinstance(value, np.ndarray) and value.dtype.names is not None
    masked = isinstance(value, np.ma.MaskedArray)
    return records and not masked and value.ndim == 1 and value.flags.c_contiguous


def fits_option(option: Option, value: Any) -> bool:
    """Whether a value is allowed for a game's option."""
    if option.words:
        return isinstance(value, str) and value in option.words
    if option.flag:
        return isinstance(value, bool | np.bool_)
    return is_whole(value, option.low, option.high)


RANGES: dict[str, tuple[int, float]] = {  # of whole numbers, by parameter
    "actions_each": (1, np.inf),
    "batch": (0, np.inf),
    "g": (0, BATCH - 1),
    "i": (0, BATCH - 1),
    "max_plies": (1, np.inf),
    "n": (1, np.inf),
    "num_envs": (1, np.inf),
    "num_games": (1, np.inf),
    "num_threads": (1, np.inf),
    "processes": (0, np.inf),
    "reach": (0, np.inf),
    "seed": (0, MOST_SEED),
}
NUMBERS_IN: dict[str, str] = {  # kinds of numbers in arrays, by parameter; default: whole numbers
    "ended": "b",
    "last_values": "iuf",
    "observation": "if",
    "rewards": "iuf",
    "values": "iuf",
}
TESTS: dict[str, Callable[[Any], bool]] = {  # by annotation
    "Any": lambda value: True,
    "typing.Any": lambda value: True,
    "object": lambda value: True,
    "None": lambda value: value is None,
    "float": is_number,
    "bool": lambda value: isinstance(value, bool | np.bool_),
    "str": lambda value: isinstance(value, str),
    "Path": lambda value: isinstance(value, str | PathLike),
    "PathLike[str]": lambda value: isinstance(value, str | PathLike),
    "os.PathLike[str]": lambda value: isinstance(value, str | PathLike),
    "Watch": callable,
    "Legal": callable,
    "F": callable,
    "Bot": lambda value: hasattr(value, "act") and not isinstance(value, type),
    "type[Bot]": lambda value: isinstance(value, type),
    "Index": lambda value: is_array(value, "iu"),
    "Mask": lambda value: is_array(value, "iufb"),
    "Floats": lambda value: is_array(value, "iufb"),
    "slice": lambda value: isinstance(value, slice),
    "RewardFunction": callable,
}
COLLECTIONS: Final = ("Sequence[", "Iterable[", "Collection[", "tuple[", "list[")


def is_good(place: Place, slot: str, kinds: Sequence[str], value: Any) -> bool:
    """Whether a call may accept a value for a parameter with this annotation."""
    return any(fits(place, slot, kind, value) for kind in kinds)


def fits(place: Place, slot: str, kind: str, value: Any) -> bool:
    """Whether a value is of one kind."""
    name = slot.rpartition(".")[2]
    if kind == "int":
        low, high = RANGES.get(name, (-(2**63), np.inf))
        if name == "seat":
            low, high = 0, place.game.num_seats - 1
        return is_whole(value, low, high)
    if kind == "option":
        return fits_option(registry.rules_of(place.name).options[name], value)
    if kind == "npt.ArrayLike":
        return is_array(value, NUMBERS_IN.get(name, "iu"))
    if kind in TESTS:
        return TESTS[kind](value)
    if kind == "Games":
        return is_batch(place, value)
    if kind.startswith("Callable["):
        return callable(value)
    if kind.startswith(COLLECTIONS):
        inner = parts_of(kind[kind.index("[") + 1 : -1].removesuffix(", ..."))
        return is_iterable(value) and all(is_good(place, slot, inner, each) for each in value)
    if kind.startswith(("Mapping[", "dict[")):
        return isinstance(value, Mapping)
    if kind.startswith("npt.NDArray"):
        return is_array(value, "iufb")
    return type(value).__name__ == kind


def is_iterable(value: Any) -> bool:
    """Whether a value is a collection that does not raise when it is read."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return False
    return isinstance(value, Iterable) and not isinstance(value, Hostile | Iterator)


__all__ = ["Hostile", "Path", "is_good", "values_for"]
