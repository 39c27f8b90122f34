"""Errors a user can cause, each one line that says what would be right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SprawlError(ValueError):
    """Base of every error this package raises for bad input."""


class UnknownName(SprawlError):
    """A game, option, agent or preset that does not exist."""


class InvalidOption(SprawlError):
    """An option of a game whose value is not allowed."""


class DataError(SprawlError):
    """A data file that is missing, unreadable or breaks its schema."""


class IllegalAction(SprawlError):
    """An action the seat to play may not take; the state is unchanged."""


class PositionError(SprawlError):
    """A position or replay that cannot be read or is not a position of the game."""


def unknown(kind: str, name: object, valid: Iterable[str]) -> UnknownName:
    """Return the error for ``name``, with the valid names and the likeliest one first."""
    names = sorted(valid)
    hint = did_you_mean(str(name), names)
    return UnknownName(f"unknown {kind} {name!r}{hint}: choose from {', '.join(names)}")


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """Return the valid name closest to ``name`` as a question in brackets, or nothing."""
    close = difflib.get_close_matches(name, list(valid), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
