"""Positions as JSON text: one game with its options and all fields of its state."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from sprawl_env.core.errors import PositionError
from sprawl_env.core.rules import GameRules
from sprawl_env.core.state import Games, Tables


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
        PositionError: not JSON, another game, other options, or an impossible position.
    """
    where = f"{game.rules.name}: position"
    fields = _read(game, position)
    games = game.empty(1)
    dtype = game.rules.state
    for name in dtype.names or ():
        games[name][0] = _value(where, name, fields, dtype[name])
    for field, number in game.option_fields.items():
        if games[field][0] != number:
            raise PositionError(
                f"{where}: {field}: expected {number} as the options say, got {games[field][0]}"
            )
    wrong = game.rules.violations(game.tables, games, 0)
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
    try:
        value = np.array(fields[name])
    except (KeyError, ValueError):
        raise PositionError(f"{where}: field {name!r} is missing") from None
    limits = np.iinfo(expected.base)
    fits = value.shape == expected.shape and value.dtype.kind == "i"
    if not fits or value.min() < limits.min or value.max() > limits.max:
        raise PositionError(
            f"{where}: {name}: expected {expected.base.name} of shape {list(expected.shape)}"
        )
    return value


def _read(game: Setup, position: str) -> dict[str, Any]:
    try:
        content = json.loads(position)
        name, options, fields = content["game"], content["options"], dict(content["state"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise PositionError(
            'position: expected JSON text {"game": ..., "options": ..., "state": ...}'
        ) from None
    if name != game.rules.name:
        raise PositionError(f"position is of game {name!r}, expected {game.rules.name!r}")
    if options != game.options:
        raise PositionError(f"position has options {options}, expected {game.options}")
    return fields
