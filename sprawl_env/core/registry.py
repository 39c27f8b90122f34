"""The games of the suite, by name; a game is imported when it is first asked for."""

from __future__ import annotations

import copyreg
import importlib
from os import PathLike
from pathlib import Path
from typing import Any, Final

from sprawl_env.core.errors import unknown
from sprawl_env.core.game import Game, GameRules

GAMES: Final = {
    "ginkgopolis": "sprawl_env.games.ginkgopolis",
    "tower_up": "sprawl_env.games.tower_up",
    "urban_sprawl": "sprawl_env.games.urban_sprawl",
}


def rules_of(name: str) -> GameRules:
    """Return the rules of the game called ``name``.

    Raises:
        UnknownName: no such game; the message lists those there are.
    """
    if name not in GAMES:
        raise unknown("game", name, GAMES)
    rules: GameRules = importlib.import_module(GAMES[name]).RULES
    return rules


def game(name: str, *, data: str | PathLike[str] | None = None, **options: Any) -> Game:
    """Return a game by name, with its options chosen.

    Args:
        name: e.g. ``"tower_up"``.
        data: folder of TOML files that replace those of the package.
        **options: e.g. ``num_players=3``; the game's README lists them.

    Raises:
        UnknownName: no such game or option.
        InvalidOption: an option's value is not allowed.
        DataError: a data file is broken.
    """
    return Game(rules_of(name), None if data is None else Path(data), **options)


def _remake(name: str, data: Path | None, options: dict[str, Any]) -> Game:
    return game(name, data=data, **options)


def _reduce(made: Game) -> tuple[Any, ...]:
    return _remake, (made.name, made.data_folder, made.options)


copyreg.pickle(Game, _reduce)  # a game travels to other processes as its name and options
