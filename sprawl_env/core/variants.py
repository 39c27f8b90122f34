"""Several sets of options of one game at one number of seats, whose records share a batch.

The records carry their options, and the rules' kernels read them from there.  What a batch has only
once, the tables and the layout of observations, must therefore be the same for all sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

import numpy as np

from sprawl_env.core.data import GameData
from sprawl_env.core.errors import InvalidOption, SprawlError, short, unknown_option
from sprawl_env.core.files import parse_json
from sprawl_env.core.layout import ObservationLayout
from sprawl_env.core.rules import GameRules, Option, compile_data
from sprawl_env.core.state import Tables
from sprawl_env.kernels.arrays import Index

SEATS: Final = "num_players"
_SEATS_FIELD: Final = "num_seats"


class Setup(Protocol):
    """The attributes of :class:`sprawl_env.core.game.Game` that this module uses."""

    name: str
    rules: GameRules
    base_options: dict[str, Any]
    data: GameData
    tables: Tables
    num_seats: int
    observation_layout: ObservationLayout


def parsed(rules: GameRules, options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, int]]:
    """Return all options as a player writes them, and as numbers; defaults for those not given.

    Raises:
        SprawlError: there is no such option, or a value is not allowed.
    """
    for name in options:
        if name not in rules.options:
            raise unknown_option(rules.name, name, rules.options)
    given = {name: options.get(name, o.default) for name, o in rules.options.items()}
    numbers = {n: rules.options[n].parse(rules.name, n, v) for n, v in given.items()}
    return {name: _as_written(rules.options[name], k) for name, k in numbers.items()}, numbers


def check_stored(
    rules: GameRules, options: Iterable[str], where: str, error: type[SprawlError]
) -> None:
    """Check the names of options in a file, which does not decide what other files are read.

    Args:
        rules: of the game.
        options: names of options; ``data`` is none.
        where: the file, for the message.
        error: what is raised.

    Raises:
        SprawlError: the game has no such option.
    """
    for name in options:
        if name not in rules.options:
            expected = ", ".join(rules.options)
            raise error(f"{where}: option {name!r}: expected options of {rules.name}: {expected}")


def _as_written(option: Option, number: int) -> Any:
    """Return the value of an option as a player writes it."""
    if option.words:
        return option.words[number]
    return bool(number) if option.flag else number


def fields_of(numbers: Mapping[str, int]) -> dict[str, int]:
    """Return the numbers of options by the field of the state that contains them."""
    return {_SEATS_FIELD if name == SEATS else name: value for name, value in numbers.items()}


def options_in(rules: GameRules, record: Any) -> dict[str, Any]:
    """Return the options that a record carries, as a player writes them."""
    found: dict[str, Any] = {}
    for name, option in rules.options.items():
        number = int(record[_SEATS_FIELD if name == SEATS else name])
        found[name] = _as_written(option, number)
    return found


def options_in_text(position: str) -> Any:
    """Return the options that a position as JSON text names; None if it names none."""
    try:
        return parse_json(position)["options"]
    except (ValueError, TypeError, KeyError):
        return None


def complete(game: Setup, options: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return several sets of options, completed by the game's base options, after checking them.

    Raises:
        SprawlError: no set, no mapping, another number of seats, an option that does not exist, a
            value that is not allowed, or a set with which the tables or observations differ.
    """
    if isinstance(options, str | Mapping) or not isinstance(options, Sequence) or not options:
        raise InvalidOption(
            f"options={short(options)}: expected a list of at least one dictionary, such as "
            "[{...}, {...}]"
        )
    completed: list[dict[str, Any]] = []
    known: set[tuple[int, ...]] = set()
    for k, each in enumerate(options):
        if not isinstance(each, Mapping):
            raise InvalidOption(f"options[{k}]={short(each)}: expected a dictionary of options")
        try:
            words, numbers = parsed(game.rules, {**game.base_options, **each})
            if numbers[SEATS] != game.num_seats:
                raise InvalidOption(
                    f"num_players={numbers[SEATS]}: expected {game.num_seats} in all sets: the "
                    "games of a batch have one number of seats"
                )
            if tuple(numbers.values()) not in known:
                _check_fits(game, numbers)
        except SprawlError as error:
            raise type(error)(f"options[{k}]: {error}") from None
        known.add(tuple(numbers.values()))
        completed.append(words)
    return completed


def _check_fits(game: Setup, numbers: Mapping[str, int]) -> None:
    """Check that options go together, and share the game's tables and layout.

    Raises:
        InvalidOption: they do not.
    """
    rules = game.rules
    rules.check_options(game.data, numbers)
    tables, layout = compile_data(rules, game.data, numbers)
    same = tables.dtype == game.tables.dtype and tables.tobytes() == game.tables.tobytes()
    if not same or layout.digest() != game.observation_layout.digest():
        raise InvalidOption(
            f"{game.name}: these options change the tables or the layout of observations: expected "
            "such options in a batch of their own"
        )


def in_turn(num_sets: int, batch: int) -> Index:
    """Return which set of options each game of a batch has, int64 ``[batch]``: repeated in turn.

    Raises:
        InvalidOption: there are more sets than games.
    """
    if num_sets > batch:
        raise InvalidOption(
            f"options: expected at most {batch} sets for {batch} games, got {num_sets}"
        )
    return np.arange(batch) % num_sets
