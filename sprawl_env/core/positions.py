"""Positions as JSON text: one game with its options and all fields of its state."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import chain
from typing import Any, Protocol

import numpy as np

from sprawl_env.core.errors import PositionError, did_you_mean
from sprawl_env.core.files import parse_json
from sprawl_env.core.rules import GameRules
from sprawl_env.core.state import Games, Tables, impossible_in_any


class Setup(Protocol):
    """The attributes of :class:`sprawl_env.core.game.Game` that this module uses."""

    rules: GameRules
    options: dict[str, Any]
    option_fields: Mapping[str, int]
    tables: Tables

    def empty(self, batch: int) -> Games:
        """Return records in which only the option fields are set."""
        ...


def to_json(game: Setup, games: Games, g: int) -> str:
    """Return game ``g`` as JSON text."""
    record = games[g]
    names = game.rules.state.names or ()
    fields = {name: _listed(np.asarray(record[name])) for name in names}
    return json.dumps({"game": game.rules.name, "options": game.options, "state": fields})


def from_json(game: Setup, position: str) -> Games:
    """Return one game ``[1]`` from the text of :func:`to_json`.

    Raises:
        PositionError: not JSON, another game, other options, an unknown or missing field, or an
            impossible position.
    """
    where = f"{game.rules.name}: position"
    fields = _read(game, position)
    games = game.empty(1)
    dtype = game.rules.state
    for name in fields.keys() - set(dtype.names or ()):
        hint = did_you_mean(name, dtype.names or ())
        raise PositionError(f"{where}: unknown field {name!r}{hint}")
    for name in dtype.names or ():
        games[name][0] = _value(where, name, fields, dtype[name])
    for field, number in game.option_fields.items():
        if games[field][0] != number:
            raise PositionError(
                f"{where}: {field}: expected {number} as the options say, got {games[field][0]}"
            )
    broken = impossible_in_any(games)
    wrong = [broken[1]] if broken else game.rules.violations(game.tables, games, 0)
    if wrong:
        raise PositionError(f"{where}: {wrong[0]}")
    return games


def _listed(values: Any) -> Any:
    """Return an array as lists; each record as ``{field: number}``."""
    names = values.dtype.names
    if names is None:
        return values.tolist()
    return [{name: int(entry[name]) for name in names} for entry in values]


def _entries(where: str, given: Any, expected: np.dtype[Any]) -> Any:
    """Return an array of records from ``[{field: number}]`` after checking it."""
    names, (length,) = expected.base.names or (), expected.shape
    fits = isinstance(given, list) and len(given) == length
    if not fits or not all(isinstance(e, dict) and set(e) == set(names) for e in given):
        raise PositionError(f"{where}: expected {length} objects with {', '.join(names)}")
    entries = np.zeros(length, expected.base)
    for name in names:
        column = {name: [entry[name] for entry in given]}
        kind = np.dtype((expected.base[name], (length,)))
        entries[name] = _value(where, name, column, kind)
    return entries


def _value(where: str, name: str, fields: dict[str, Any], expected: np.dtype[Any]) -> Any:
    """Return the value of one field after checking its shape and range."""
    if expected.base.names is not None and name in fields:
        return _entries(f"{where}: {name}", fields[name], expected)
    if name not in fields:
        raise PositionError(f"{where}: field {name!r} is missing")
    value, limits = _whole_numbers(fields[name], expected.shape), np.iinfo(expected.base)
    if value is None or value.min() < limits.min or value.max() > limits.max:
        raise PositionError(
            f"{where}: {name}: expected {expected.base.name} of shape {list(expected.shape)}"
        )
    return value


def _whole_numbers(given: Any, shape: tuple[int, ...]) -> Any:
    """Return nested lists of whole numbers as an int64 array; None if they are not of a shape."""
    numbers = [given]
    for length in shape:
        if not all(isinstance(each, list) and len(each) == length for each in numbers):
            return None
        numbers = list(chain.from_iterable(numbers))
    if not all(type(number) is int and -(2**63) <= number < 2**63 for number in numbers):
        return None
    return np.array(numbers, np.int64).reshape(shape)


def _read(game: Setup, position: str) -> dict[str, Any]:
    fields: dict[str, Any]
    try:
        content = parse_json(position)
        name, options, fields = content["game"], content["options"], content["state"]
        wrong = not (isinstance(options, dict) and isinstance(fields, dict))
    except (ValueError, TypeError, KeyError):
        wrong = True
    if wrong:
        raise PositionError(
            'position: expected JSON text {"game": ..., "options": {...}, "state": {...}}'
        )
    for key in content.keys() - {"game", "options", "state"}:
        raise PositionError(f"position: unknown field {key!r}: expected game, options and state")
    if name != game.rules.name:
        raise PositionError(f"position is of game {name!r}, expected {game.rules.name!r}")
    if options != game.options or not _same_types(options, game.options):
        raise PositionError(f"position has options {options}, expected {game.options}")
    return fields


def _same_types(given: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    """Return whether equal options are of the same types: 2.0 and True are no whole numbers."""
    return all(type(given[name]) is type(value) for name, value in expected.items())
