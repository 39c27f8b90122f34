"""The register of games: it is empty until somebody registers a game.

A game is registered as its rules record or, to import it only when it is first asked for, by the
import path of that record, ``"package.module:RULES"``.  Every function that takes a game's name
also takes an import path.
"""

from __future__ import annotations

import copyreg
import importlib
import os
import sys
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from sprawl_env.core.errors import InvalidOption, UnknownName, unknown
from sprawl_env.core.game import Game
from sprawl_env.core.heuristic import Heuristic
from sprawl_env.core.rules import GameRules


@dataclass
class Entry:
    """One registered game: its rules and its heuristic, each as a record or an import path."""

    rules: GameRules | str
    heuristic: Heuristic | str | None


_games: Final[dict[str, Entry]] = {}


def add(name: str, rules: GameRules | str, heuristic: Heuristic | str | None = None) -> None:
    """Add a game to the register, or replace the one that has the same import path.

    Raises:
        InvalidOption: the name is empty, holds a colon, or belongs to another game.
    """
    if not name.isidentifier():
        raise InvalidOption(f"register: name {name!r}: expected a Python identifier")
    known = _games.get(name)
    if known is not None and _path(known.rules) != _path(rules):
        raise InvalidOption(
            f"register: name {name!r} is taken by {_path(known.rules)}: choose another name"
        )
    _games[name] = Entry(rules, heuristic)


def _path(rules: GameRules | str) -> str:
    """Return what identifies a registration: the import path, as far as there is one."""
    return rules if isinstance(rules, str) else import_path(rules) or f"the record {id(rules)}"


def game_names() -> tuple[str, ...]:
    """Return the names of all registered games, in order of registration."""
    return tuple(_games)


def rules_of(name: str) -> GameRules:
    """Return the rules of a registered game, or those at an import path ``module:RULES``.

    Raises:
        UnknownName: there is no such game; the message lists the registered ones.
    """
    if ":" in name:
        rules = import_object(name, "game")
        if not isinstance(rules, GameRules):
            raise UnknownName(f"game {name!r}: expected a GameRules, got {type(rules).__name__}")
        return rules
    if name not in _games:
        raise unknown("game", name, _games)
    entry = _games[name]
    if isinstance(entry.rules, str):
        entry.rules = rules_of(entry.rules)
    return entry.rules


def heuristic_of(rules: GameRules) -> Heuristic | None:
    """Return the heuristic that was registered with the rules; None if there is none."""
    entry = _games.get(rules.name)
    if entry is None:
        return None
    registered = rules_of(entry.rules) if isinstance(entry.rules, str) else entry.rules
    if registered is not rules:
        return None
    if isinstance(entry.heuristic, str):
        found = import_object(entry.heuristic, "heuristic")
        if not isinstance(found, Heuristic):
            raise UnknownName(f"heuristic {entry.heuristic!r}: expected a Heuristic")
        entry.heuristic = found
    return entry.heuristic


def game(name: str | GameRules, *, data: str | PathLike[str] | None = None, **options: Any) -> Game:
    """Return a game with its options chosen.

    Args:
        name: a registered name, e.g. ``"tower_up"``, an import path ``"module:RULES"``, or the
            rules themselves.
        data: folder of TOML files that replace those of the package.
        **options: e.g. ``num_players=3``; the game's README lists them.

    Raises:
        UnknownName: no such game or option.
        InvalidOption: an option's value is not allowed.
        DataError: a data file is broken.
    """
    rules = name if isinstance(name, GameRules) else rules_of(name)
    return Game(rules, None if data is None else Path(data), **options)


# --------------------------------------------------------------------------------- import paths


def import_module(module: str, what: str) -> ModuleType:
    """Import a module, also from the current folder.

    Args:
        module: dotted name.
        what: what the module is for, for the error message.

    Raises:
        UnknownName: there is no such module.
    """
    if not {"", os.getcwd()} & set(sys.path):
        sys.path.append(os.getcwd())
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:  # of the module itself, or of something that it imports?
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise UnknownName(
            f"{what}: no module {module!r} in the current folder or on Python's path"
        ) from None


def import_object(path: str, what: str) -> Any:
    """Return the object at an import path ``module:NAME``.

    Raises:
        UnknownName: the path is malformed, or there is no such module or name.
    """
    module, _, name = path.partition(":")
    if not (all(part.isidentifier() for part in module.split(".")) and name.isidentifier()):
        raise UnknownName(f"{what} {path!r}: expected module:NAME")
    found = import_module(module, f"{what} {path!r}")
    if not hasattr(found, name):
        raise UnknownName(f"{what} {path!r}: module {module!r} has no {name!r}")
    return getattr(found, name)


def import_path(rules: GameRules) -> str | None:
    """Return ``module:NAME`` by which the rules can be imported; None if no module holds them.

    The module that defines the game's kernels, or a package around it, comes first.
    """
    found = [
        f"{name}:{attribute}"
        for name, module in list(sys.modules.items())
        for attribute, value in list(getattr(module, "__dict__", {}).items())
        if value is rules and name != "__mp_main__"  # the second name of a main module
    ]
    home = f"{rules.module}."
    own = [path for path in found if home.startswith(f"{path.partition(':')[0]}.")]
    return max(own, key=len) if own else next(iter(found), None)


def _load(path: str, data: Path | None, options: dict[str, Any]) -> Game:
    return game(path, data=data, **options)


def _reduce(made: Game) -> tuple[Any, ...]:
    """Pickle a game as the import path of its rules, its data folder and its options.

    Raises:
        InvalidOption: no module holds the rules.
    """
    path = import_path(made.rules)
    if path is None:
        raise InvalidOption(
            f"{made.name}: cannot be pickled: assign its GameRules to a name in a module"
        )
    return _load, (path, made.data_folder, made.options)


copyreg.pickle(Game, _reduce)
