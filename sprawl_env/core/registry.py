"""The register of games: it is empty until somebody registers a game.

A game is registered as its rules record or, to import it only when it is first asked for, by the
import path of that record, ``"package.module:RULES"``.  Every function that takes a game's name
also takes an import path.
"""

from __future__ import annotations

import contextlib
import copyreg
import importlib
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any, Final
from weakref import WeakKeyDictionary

from sprawl_env.core.arguments import checked
from sprawl_env.core.errors import InvalidOption, UnknownName, unknown
from sprawl_env.core.game import Game
from sprawl_env.core.heuristic import Heuristic
from sprawl_env.core.rules import GameRules


@dataclass
class Entry:
    """One registered game.

    Attributes:
        rules: the record, or its import path until it is first asked for.
        heuristic: the record, its import path, or None.
        path: the import path of the rules; None if no module held them when they were registered.
    """

    rules: GameRules | str
    heuristic: Heuristic | str | None
    path: str | None

    @property
    def where(self) -> str:
        """The import path, or what else tells where the rules come from."""
        return self.path or f"a GameRules in {_source(self.rules)}"


_games: Final[dict[str, Entry]] = {}
_OWN: Final = "or module:RULES for a game of your own"
_asked: Final[WeakKeyDictionary[GameRules, Heuristic | None]] = WeakKeyDictionary()
"""The heuristics that have been asked for: bots are compiled from them, once for each rules."""


def check(name: str, rules: GameRules | str, heuristic: Heuristic | str | None = None) -> None:
    """Check whether a game can be registered under a name.

    A game may be registered again: by the same import path, or from the same file.

    Raises:
        InvalidOption: the name is no identifier, or belongs to another game; or bots already play
            these rules with another heuristic.
    """
    if not name.isidentifier():
        raise InvalidOption(f"register: name {name!r}: expected a Python identifier")
    known = _games.get(name)
    _check_heuristic(name, _loaded(rules) if isinstance(rules, str) else rules, heuristic)
    if known is None or known.rules is rules:
        return
    path = rules if isinstance(rules, str) else import_path(rules)
    same_file = _source(known.rules) == _source(rules) is not None
    if (path is None or path != known.path) and not same_file:
        raise InvalidOption(
            f"register: name {name!r} is taken by {known.where}: choose another name"
        )


def _check_heuristic(name: str, rules: Any, heuristic: Heuristic | str | None) -> None:
    """Check that rules do not get another heuristic than that of the bots that play them.

    Raises:
        InvalidOption: they would.
        UnknownName: the heuristic's import path names no Heuristic.
    """
    known = isinstance(rules, GameRules) and rules.name == name and rules in _asked
    if known and _heuristic_at(heuristic) is not _asked[rules]:
        raise InvalidOption(
            f"register: {name}: bots already play these rules with another heuristic: register a "
            "copy, dataclasses.replace(RULES)"
        )


def add(name: str, rules: GameRules | str, heuristic: Heuristic | str | None = None) -> None:
    """Add a game to the register, or replace what was registered from the same place.

    Raises:
        InvalidOption: as of :func:`check`.
    """
    check(name, rules, heuristic)
    path = rules if isinstance(rules, str) else import_path(rules)
    _games[name] = Entry(rules, heuristic, path)


def remove(name: str) -> None:
    """Remove a game from the register."""
    del _games[name]


@contextlib.contextmanager
def registered(rules: GameRules) -> Iterator[None]:
    """Inside the block, a game is registered; afterwards its name stands for what it did before.

    Raises:
        InvalidOption: as of :func:`check`.
    """
    if is_registered(rules):
        yield
        return
    before = _games.get(rules.name)
    add(rules.name, rules, _asked.get(rules))
    try:
        yield
    finally:
        if before is None:
            remove(rules.name)
        else:
            _games[rules.name] = before


def _source(rules: GameRules | str) -> str | None:
    """Return the file that the kernel ``play`` is written in; None if it is not known yet."""
    if isinstance(rules, str):
        return None
    play = rules.kernels.play
    return str(getattr(play, "py_func", play).__code__.co_filename)


def game_names() -> tuple[str, ...]:
    """Return the names of all registered games, in order of registration."""
    return tuple(_games)


def rules_of(name: str) -> GameRules:
    """Return the rules of a registered game, or those at an import path ``module:RULES``.

    A game that is named by its import path and whose module does not register it is registered
    without a heuristic, so that its replays can be read.

    Raises:
        UnknownName: there is no such game; the message lists the registered ones.
        InvalidOption: the game at the import path has the name of another game.
    """
    if ":" in name:
        rules = _rules_at(name)
        if not is_registered(rules):
            add(rules.name, rules)
        return rules
    found = _resolve(name)
    if found is None:
        raise unknown("game", name, _games, _OWN)
    return found


def is_registered(rules: GameRules) -> bool:
    """Whether the rules are those that their name stands for."""
    return _resolve(rules.name) is rules


def _rules_at(path: str) -> GameRules:
    rules = import_object(path, "game")
    if not isinstance(rules, GameRules):
        raise UnknownName(f"game {path!r}: expected a GameRules, got {type(rules).__name__}")
    return rules


def _resolve(name: str) -> GameRules | None:
    """Import the rules of a registered game; None if there is none of that name."""
    entry = _games.get(name)
    if entry is None:
        return None
    if isinstance(entry.rules, str):
        rules = _rules_at(entry.rules)
        if rules.name != name:
            raise InvalidOption(f"game {name!r}: {entry.path} is called {rules.name!r}")
        entry.rules = rules
    return entry.rules


def heuristic_of(rules: GameRules) -> Heuristic | None:
    """Return the heuristic that was registered with the rules; None if there is none.

    The rules keep it from then on.

    Raises:
        UnknownName: its import path names no Heuristic.
    """
    if is_registered(rules):
        entry = _games[rules.name]
        entry.heuristic = _asked[rules] = _heuristic_at(entry.heuristic)
    return _asked.setdefault(rules, None)


def _heuristic_at(given: Heuristic | str | None) -> Heuristic | None:
    """Return a heuristic, which may be given as an import path.

    Raises:
        UnknownName: the import path names no Heuristic.
    """
    if not isinstance(given, str):
        return given
    found = import_object(given, "heuristic")
    if not isinstance(found, Heuristic):
        raise UnknownName(f"heuristic {given!r}: expected a Heuristic, got {type(found).__name__}")
    return found


@checked
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


def as_game(name: Any, *, data: str | PathLike[str] | None = None, **options: Any) -> Game:
    """Return a game from what :func:`game` takes, or a game as it is.

    Raises:
        SprawlError: as of :func:`game`; or options were given with a :class:`Game`.
    """
    if not isinstance(name, Game):
        return game(name, data=data, **options)
    given = [*options, *(["data"] if data is not None else [])]
    if given:
        raise InvalidOption(f"options: {', '.join(given)}: the game has its options already")
    return name


# --------------------------------------------------------------------------------- import paths


def find_module(module: str) -> ModuleType | None:
    """Import a module, also from the current folder; return None if there is none of that name."""
    if not {"", os.getcwd()} & set(sys.path):
        sys.path.append(os.getcwd())
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:  # of the module itself, or of something that it imports?
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        return None


def import_object(path: str, what: str) -> Any:
    """Return the object at an import path ``module:NAME``.

    Raises:
        UnknownName: the path is malformed, or there is no such module or name.
    """
    module, _, name = path.partition(":")
    if not (all(part.isidentifier() for part in module.split(".")) and name.isidentifier()):
        raise UnknownName(f"{what} {path!r}: expected module:NAME")
    found = find_module(module)
    if found is None:
        raise UnknownName(
            f"{what} {path!r}: no module {module!r} in the current folder or on Python's path"
        )
    if not hasattr(found, name):
        raise UnknownName(f"{what} {path!r}: module {module!r} has no {name!r}")
    return getattr(found, name)


def import_path(rules: GameRules) -> str | None:
    """Return ``module:NAME`` by which the rules can be imported; None if no module holds them.

    The path by which they were registered comes first, then the module that defines the game's
    kernels or a package around it.
    """
    entry = _games.get(rules.name)
    if entry is not None and entry.rules is rules and entry.path and _holds(entry.path, rules):
        return entry.path
    found = [
        f"{name}:{attribute}"
        for name, module in list(sys.modules.items())
        for attribute, value in list(getattr(module, "__dict__", {}).items())
        if value is rules and name != "__mp_main__"  # the second name of a main module
    ]
    home = f"{rules.module}."
    own = [path for path in found if home.startswith(f"{path.partition(':')[0]}.")]
    return max(own, key=len) if own else next(iter(found), None)


def game_word(rules: GameRules) -> str:
    """Return the word by which another process, or the same one tomorrow, finds a game.

    That is the name of a game of this package, the import path of any other.  Rules that are
    registered but in no module have their name only, which other processes do not know.

    Raises:
        InvalidOption: the rules are neither registered nor held by a module.
    """
    path = import_path(rules)
    if path is None and is_registered(rules):
        return rules.name
    if path is None:
        raise InvalidOption(
            f"{rules.name}: cannot be found by another process: assign its GameRules to a name in "
            "a module"
        )
    ours = path.partition(".")[0] == __name__.partition(".")[0]
    return rules.name if ours and is_registered(rules) else path


def _holds(path: str, rules: GameRules) -> bool:
    return _loaded(path) is rules


def _loaded(path: str) -> Any:
    """Return the object at an import path; None if its module has not been imported."""
    module, _, name = path.partition(":")
    return getattr(sys.modules.get(module), name, None)


def _load(
    path: str,
    data: Path | None,
    options: dict[str, Any],
    accepted: Sequence[dict[str, Any]] = (),
    variants: Sequence[dict[str, Any]] = (),
) -> Game:
    made = game(path, data=data, **options)
    if variants:
        made = made.mixed(accepted)
        made.deal_in_turn(variants)
    return made


def _reduce(made: Game) -> tuple[Any, ...]:
    """Pickle a game as the import path of its rules, its data folder and its options.

    Raises:
        InvalidOption: another process could not import the rules.
    """
    path = import_path(made.rules)
    if path is None:
        raise InvalidOption(
            f"{made.name}: cannot be pickled: assign its GameRules to a name in a module"
        )
    if path.startswith("__main__:") and not hasattr(sys.modules["__main__"], "__file__"):
        raise InvalidOption(
            f"{made.name}: cannot be pickled: move its rules from the prompt into a file"
        )
    data = None if made.data_folder is None else made.data_folder.absolute()
    if made.is_mixed:
        return _load, (path, data, made.base_options, made.accepted, made.variants)
    return _load, (path, data, made.options)


copyreg.pickle(Game, _reduce)
