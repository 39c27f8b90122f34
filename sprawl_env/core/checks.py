"""Checks of what users and bots pass: whole numbers, flags, seeds, actions and arrays.

Kernels trust their input.  Every entry point calls these functions first, so that a wrong argument
is one clear error, and no byte is read or written outside an array.

A whole number is an ``int`` or any integer of numpy, also as an array without axes; never a bool.
"""

from __future__ import annotations

import functools
import math
import os
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from sprawl_env.core.errors import IllegalAction, InvalidOption, SprawlError, short
from sprawl_env.kernels.arrays import Floats, Index, Mask
from sprawl_env.kernels.masks import first_illegal
from sprawl_env.kernels.rng import MAX_SEED

MOST_DEALS: Final = 1000  # deals in a row that may end without a choice
INT8: Final = np.dtype(np.int8)
TABLE: Final = 2  # axes: rows and columns
FLOAT32: Final = np.dtype(np.float32)


class Acting(Protocol):
    """The attributes of :class:`sprawl_env.core.game.Game` that checks of actions use."""

    name: str
    num_actions: int

    def illegal(self, games: Any, g: int, action: int, mask: Mask) -> IllegalAction:
        """Return the error for an action that is not legal."""
        ...


def as_whole(value: Any) -> int | None:
    """Return a whole number as an int; None if ``value`` is none."""
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "iu":
        return int(value)
    if isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64):
        return int(value)
    return None


def check_whole(
    what: str,
    value: Any,
    low: int = 0,
    high: int | None = None,
    expected: str = "",
    error: type[SprawlError] = InvalidOption,
) -> int:
    """Return ``value`` as an int.

    Args:
        what: name of the argument in the message, with ``=`` or ``:`` at its end.
        value: anything.
        low: the least number allowed.
        high: the greatest number allowed; None: no limit.
        expected: what is expected, for the message; default: a whole number in the range.
        error: the type of the error.

    Raises:
        SprawlError: of type ``error``: not a whole number, or out of range.
    """
    number = as_whole(value)
    if number is None or number < low or (high is not None and number > high):
        span = f"from {low}" if high is None else f"{low}..{high}"
        raise error(f"{what}{short(value)}: expected {expected or f'a whole number {span}'}")
    return number


def check_seed(seed: Any) -> int:
    """Return ``seed`` as an int.

    Raises:
        InvalidOption: not a whole number 0..2**63-1.
    """
    return check_whole("seed ", seed, 0, MAX_SEED, "a whole number 0..2**63-1")


def check_flag(what: str, value: Any) -> bool:
    """Return ``value`` as a bool.

    Raises:
        InvalidOption: not True or False.
    """
    if not isinstance(value, bool | np.bool_):
        raise InvalidOption(f"{what}={short(value)}: expected True or False")
    return bool(value)


def check_memory(what: str, count: int, size: int) -> None:
    """Check that ``count`` times ``size`` bytes fit into this machine's memory.

    Raises:
        InvalidOption: they do not.
    """
    if count * size > _memory():
        raise InvalidOption(
            f"{what}={count}: needs {count * size:,} bytes, this machine has {_memory():,.0f}"
        )


@functools.cache
def _memory() -> float:
    """Return the bytes of this machine's memory; infinity if they are not known."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return math.inf


# ------------------------------------------------------------------------------------------ arrays


def check_row(what: str, array: Any, size: int, kinds: tuple[np.dtype[Any], ...]) -> None:
    """Check an array ``[size]`` that a kernel overwrites.

    Args:
        what: name of the argument in the message.
        array: anything.
        size: its number of entries.
        kinds: the dtypes allowed.

    Raises:
        InvalidOption: not a numpy array, another dtype or shape, not contiguous, or read-only.
    """
    if (
        type(array) is np.ndarray
        and array.dtype in kinds
        and array.shape == (size,)
        and array.flags.carray
    ):
        return
    kind = " or ".join(str(kind) for kind in kinds)
    raise InvalidOption(
        f"{what}: expected a writable, contiguous {kind} array of shape ({size},), "
        f"got {described(array)}"
    )


def check_rows(what: str, array: Any, size: int | None, kind: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return an array as writable rows ``[n, size]`` of a dtype; the usual one is not copied.

    Args:
        what: name of the argument in the message.
        array: anything.
        size: the length of a row; None: any.
        kind: int8, for masks, or float32.

    Raises:
        InvalidOption: not numbers, or of another shape; or a mask of other numbers than 0 and 1.
    """
    if (
        type(array) is np.ndarray
        and array.dtype == kind
        and array.ndim == TABLE
        and (size is None or array.shape[1] == size)
        and array.flags.carray
    ):
        _check_mask(what, array, kind)
        return array
    given = as_array(array)
    numbers = given.dtype.kind in ("biu" if kind == INT8 else "iuf")
    if given.ndim != TABLE or not numbers or (size is not None and given.shape[1] != size):
        columns = "any" if size is None else size
        raise InvalidOption(f"{what}: expected {kind} of shape (n, {columns}), got {short(given)}")
    _check_mask(what, given, kind)
    return np.array(given, kind, order="C")  # a copy, as it may be read-only


def check_observations(what: str, array: Any, size: int) -> Floats:
    """Return observations as writable rows, float32 ``[n, size]``; the usual ones are not copied.

    Args:
        what: name of the argument in the message.
        array: anything.
        size: the length of an observation.

    Raises:
        InvalidOption: not floats, or of another shape.  Whole numbers, as ``observations="int8"``
            gives them, would be taken for scaled ones.
    """
    if as_array(array).dtype.kind in "iu":
        raise InvalidOption(
            f"{what}: expected float32, got whole numbers: multiply them by "
            "game.observation_layout.scales"
        )
    return check_rows(what, array, size, FLOAT32)


def _check_mask(what: str, array: npt.NDArray[Any], kind: np.dtype[Any]) -> None:
    """Check that a mask holds nothing but 0 and 1: kernels count with it."""
    if kind == INT8 and array.size and not 0 <= array.min() <= array.max() <= 1:
        raise InvalidOption(f"{what}: expected 0 and 1, got {array.min()}..{array.max()}")


def described(array: Any) -> str:
    """Return what an argument is that should be a writable, contiguous array."""
    if not isinstance(array, np.ndarray):
        return short(array)
    kind, flags = type(array), array.flags
    flaw = "" if flags.carray else "not contiguous " if flags.writeable else "read-only "
    name = "" if kind in (np.ndarray, np.recarray) else f"{kind.__name__} of "
    return f"{flaw}{name}{'records' if array.dtype.names else array.dtype} of shape {array.shape}"


# ----------------------------------------------------------------------------------------- actions


def whole_number(game: Acting, action: Any) -> int:
    """Return one action as an int; it may still be out of range.

    Raises:
        IllegalAction: not a whole number.
    """
    number = as_whole(action)
    if number is None:
        raise IllegalAction(
            f"{game.name}: action: expected a whole number 0..{game.num_actions - 1}, "
            f"got {short(action)}"
        )
    return number


def checked_actions(
    game: Acting, games: Any, which: Index, masks: Mask, actions: Any, first: int = 0
) -> Index:
    """Return ``actions`` as a new int64 array ``[n]`` of legal actions.

    Args:
        game: the game.
        games: the batch, for the error message.
        which: ``[n]``, indices into ``games``.
        masks: int8 ``[n, num_actions]``, 1 = legal.
        actions: the chosen actions, whole numbers ``[n]``.
        first: the number of the first game of the batch in the message.

    Raises:
        IllegalAction: wrong type or shape, or an action is not legal; names the first such game.
    """
    given = as_array(actions)
    if given.shape != which.shape or given.dtype.kind not in "iu":
        raise IllegalAction(
            f"{game.name}: actions: expected whole numbers of shape ({which.size},), "
            f"got {short(given)}"
        )
    chosen: Index = given.astype(np.int64, order="C")
    wrong = int(first_illegal(masks, chosen))
    if wrong >= 0:
        i = int(which[wrong])
        says = game.illegal(games, i, int(given[wrong]), masks[wrong])
        raise IllegalAction(f"env {first + i}: {says}")
    return chosen


def as_array(values: Any) -> npt.NDArray[Any]:
    """Return values as an array; an empty array of objects if they make none."""
    try:
        return np.asarray(values)
    except Exception:  # rows of different lengths, or an object whose methods raise anything
        return np.empty(0, object)


def no_choice_left(game: Acting) -> InvalidOption:
    """Return the error for options with which every game ends before a seat has a choice."""
    return InvalidOption(
        f"{game.name}: {MOST_DEALS} games in a row ended before there was a choice"
    )
