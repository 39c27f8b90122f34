"""Errors that a user can cause; each message is one line that says what would be right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any, Final

import numpy as np

_LONGEST: Final = 80  # characters of a value in a message
MOST_CHARACTERS: Final = 1000  # of an error; a longer one loses its middle


class SprawlError(ValueError):
    """Base class of all errors that this package raises for bad input.

    Its text is one line without control characters and of at most ``MOST_CHARACTERS``, whatever a
    file or a user's name contains.
    """

    def __str__(self) -> str:
        return shortened(printable(super().__str__()))


class UnknownName(SprawlError):
    """The name of a game, option, bot or preset that does not exist."""


class UnknownOption(UnknownName, TypeError):
    """A keyword that a game or function does not have; also a ``TypeError``, as Python's own is."""

    kind: str = ""
    option: object = None
    valid: frozenset[str] = frozenset()


class InvalidOption(SprawlError):
    """An option or argument whose value is not allowed."""


class DataError(SprawlError):
    """A data file that is missing, unreadable or breaks its schema."""


class IllegalAction(SprawlError):
    """An action that the seat to play may not choose; the state is unchanged."""


class PositionError(SprawlError):
    """A position or replay that cannot be read or is not a position of the game."""


class OtherOptions(UserWarning):
    """A trained policy plays a game with options that it was not trained with."""


def printable(text: str) -> str:
    """Return a text in which each character that is not shown is replaced by its escape.

    A terminal would execute control characters.
    """
    if text.isprintable():
        return text
    shown = (c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return "".join(shown)


def shortened(text: str) -> str:
    """Return a text with its beginning and its end, and at most ``MOST_CHARACTERS``."""
    if len(text) <= MOST_CHARACTERS:
        return text
    half = (MOST_CHARACTERS - len(" ... ")) // 2
    return f"{text[:half]} ... {text[-half:]}"


def short(value: Any) -> str:
    """Return a description of a value in one short line."""
    if isinstance(value, np.ndarray) and value.ndim > 0:
        kind = "records" if value.dtype.names else str(value.dtype)
        return f"{kind} of shape {value.shape}"
    try:
        said = repr(value)
    except Exception:  # a user's class may raise anything
        said = type(value).__name__
    said = " ".join(said.split())
    return said if len(said) <= _LONGEST else f"{said[: _LONGEST - 4]} ..."


def unknown(kind: str, name: object, valid: Iterable[str], more: str = "") -> UnknownName:
    """Return the error for ``name``; its message suggests the closest name and lists all.

    Args:
        kind: of what it is the name.
        name: the name.
        valid: all names.
        more: what else is allowed, in words.
    """
    names = sorted(valid)
    hint = did_you_mean(name, names) if isinstance(name, str) else ""
    choices = ", ".join([*names, more] if more else names)
    return UnknownName(f"unknown {kind} {short(name)}{hint}: choose from {choices}")


def unknown_option(kind: str, name: object, valid: Iterable[str]) -> UnknownOption:
    """Return the error for a keyword ``name`` of a game or function ``kind``, as :func:`unknown`.

    Libraries that make environments recognise Python's wording.
    """
    names = sorted(valid)
    hint = did_you_mean(name, names) if isinstance(name, str) else ""
    error = UnknownOption(
        f"{kind} got an unexpected keyword argument {short(name)}{hint}: "
        f"choose from {', '.join(names)}"
    )
    error.kind, error.option, error.valid = kind, name, frozenset(names)
    return error


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """Return the valid name closest to ``name`` as a question in brackets, or nothing."""
    close = difflib.get_close_matches(name, list(valid), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
