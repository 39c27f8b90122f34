"""Positions of one's own: set printed facts, rebuild what follows from them, check the result."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import as_array
from sprawl_env.core.errors import InvalidOption, PositionError, short, unknown
from sprawl_env.core.rules import GameRules
from sprawl_env.core.state import Games, Tables, clone, impossible_in_any, plain, raw_bytes
from sprawl_env.kernels.records import Field, fields_of

_MANY_BITS = 63  # of a set in a field


class Setup(Protocol):
    """The attributes of :class:`sprawl_env.core.game.Game` that this module uses."""

    rules: GameRules
    option_fields: Mapping[str, int]
    tables: Tables


def impossible(game: Setup, games: Games) -> tuple[int, str] | None:
    """Return the first game that no play can reach, as far as the rules can tell, and why.

    None if there is no such game.  Of a game that has no such check, the common fields are checked.
    """
    broken = impossible_in_any(games)
    rules, is_possible = game.rules, game.rules.kernels.is_possible
    records, tables = plain(games), plain(game.tables)
    for g in range(len(games)):
        if broken is not None and broken[0] == g:
            return broken
        if is_possible is not None and is_possible(tables, records, g):
            continue
        wrong = rules.violations(game.tables, games.view(np.recarray), g)
        if wrong or is_possible is not None:
            return g, (wrong or ["no game has it"])[0]
    return None


def edit(game: Setup, games: Games, g: int, fields: Mapping[str, Any]) -> None:
    """Set fields of game ``g``, rebuild what follows from them, and check the position.

    Raises:
        PositionError: the position is impossible; nothing has changed.
        InvalidOption: a field or a value that cannot be set; nothing has changed.
    """
    before = clone(games, np.array([g]))
    edited = clone(before)
    for name, value in fields.items():
        _set(game, edited, name, value)
    if game.rules.rebuild is not None:
        try:
            game.rules.rebuild(game.tables, before, edited, frozenset(fields))
        except OverflowError as error:
            raise PositionError(f"{game.rules.name}: edit: impossible: {error}") from None
    found = impossible(game, edited)
    if found is not None:
        raise PositionError(f"{game.rules.name}: edit: impossible: {found[1]}")
    raw_bytes(games)[g] = raw_bytes(edited)[0]


def rest_of_pile(
    pile: npt.NDArray[Any], kept: Iterable[int], rest: Collection[int], seed: int
) -> None:
    """Write the things that are nowhere else to a hidden pile.

    The order stays if nothing is new.  Otherwise it is drawn again.

    Args:
        pile: an array, overwritten from its beginning.
        kept: the pile as it was, in order.
        rest: what it holds now.
        seed: from which the order is drawn.
    """
    left = [thing for thing in kept if thing in rest]
    new = sorted(set(rest) - set(left))
    if new:
        left = np.random.default_rng(seed).permutation([*sorted(left), *new]).tolist()
    pile[: len(left)] = left


def _set(game: Setup, edited: Games, name: str, value: Any) -> None:
    """Set one field of game 0.

    Raises:
        InvalidOption: there is no such field, it cannot be set, or the value does not fit it.
    """
    rules = game.rules
    names = [known for known in rules.state.names or () if known != "unused"]
    if name not in names:
        raise unknown(f"field of {rules.name}", name, names)
    where = f"{rules.name}: edit: {name}"
    if name in game.option_fields:
        raise InvalidOption(f"{where}: is an option: make another game with it")
    declared = declared_fields(rules).get(name)
    if declared is not None and declared.follows:
        raise InvalidOption(f"{where}: follows from {declared.follows}: set those")
    kind = rules.state[name]
    if kind.base.names is not None or name == "agenda_size":
        raise InvalidOption(f"{where}: pending decisions come from playing")
    is_set = declared is not None and "set of" in declared.meaning
    _assign(where, edited[name][0:1] if not kind.shape else edited[name][0], value, is_set)


def _assign(where: str, place: Any, value: Any, is_set: bool) -> None:
    """Write a number, an array, or values by index to an array; one number has shape ``[1]``.

    Raises:
        InvalidOption: the value does not fit.
    """
    if isinstance(value, Mapping) and place.shape != (1,):
        for index, each in value.items():
            whole = isinstance(index, int | np.integer) and not isinstance(index, bool)
            if not whole or not 0 <= index < len(place):
                raise InvalidOption(f"{where}: index {short(index)}: expected 0..{len(place) - 1}")
            part = place[index : index + 1] if place.ndim == 1 else place[index]
            _assign(f"{where}[{index}]", part, each, is_set)
        return
    if is_set and isinstance(value, set | frozenset):
        value = _bits(where, value)
    given = as_array(value)
    limits = np.iinfo(place.dtype)
    one = given.ndim == 0 and place.shape == (1,)
    fits = given.dtype.kind in "iu" and (one or given.shape == place.shape)
    if not fits or given.min() < limits.min or given.max() > limits.max:
        shape = "a whole number" if place.shape == (1,) else f"whole numbers {list(place.shape)}"
        raise InvalidOption(
            f"{where}: expected {shape} {limits.min}..{limits.max}"
            f"{' or a set' if is_set else ''}"
            f"{', or {index: value}' if place.size > 1 else ''}, got {short(value)}"
        )
    place[...] = given


def _bits(where: str, members: Collection[Any]) -> int:
    """Return a set of whole numbers as the bits of one number.

    Raises:
        InvalidOption: a member is something else.
    """
    bits = 0
    for member in members:
        whole = isinstance(member, int | np.integer) and not isinstance(member, bool)
        if not whole or not 0 <= member < _MANY_BITS:
            raise InvalidOption(
                f"{where}: expected a set of whole numbers 0..{_MANY_BITS - 1}, got {short(member)}"
            )
        bits |= 1 << int(member)
    return bits


def declared_fields(rules: GameRules) -> dict[str, Field]:
    """Return the declared fields of a game's state; empty if it does not say its declaration."""
    return {} if rules.declaration is None else fields_of(rules.declaration)


class StateFields(Mapping[str, Field]):
    """The fields of a game's state by name, as they are declared; prints as a table.

    Each :class:`~sprawl_env.kernels.records.Field` has ``kind`` (numpy type), ``shape``,
    ``meaning``, and ``follows``: from what it follows, empty for a field that can be edited.
    """

    @checked
    def __init__(self, rules: GameRules) -> None:
        declared = declared_fields(rules)
        names = [name for name in rules.state.names or () if name != "unused"]
        state = rules.state
        self._fields = {
            name: declared.get(name, Field(state[name].base, state[name].shape, ""))
            for name in [*declared, *(name for name in names if name not in declared)]
        }

    def __getitem__(self, name: str) -> Field:
        if name not in self._fields:
            raise unknown("field", str(name), self._fields)
        return self._fields[name]

    def __iter__(self) -> Any:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __repr__(self) -> str:
        rows = [("field", "type", "shape", "meaning", "follows from")]
        for name, field in self._fields.items():
            rows.append((name, field.type_name, field.shape_name, field.meaning, field.follows))
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]) - 1)]
        return "\n".join(
            "  ".join(
                [*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]
            ).rstrip()
            for row in rows
        )

    def markdown(self) -> str:
        """Return the table as Markdown."""
        rows = ["| field | type | shape | meaning | follows from |", "|---|---|---|---|---|"]
        for name, field in self._fields.items():
            follows = ", ".join(f"`{each}`" for each in field.follows.split(", ") if each)
            cells = (f"`{name}`", field.type_name, field.shape_name, field.meaning, follows)
            rows.append(f"| {' | '.join(cells)} |")
        return "\n".join(rows)
