"""The replay format: one game as JSON lines, its reader and its writer.

====================  ==============================================================================
line                  keys
====================  ==============================================================================
first (the header)    ``format`` (1), ``game``, ``options``, ``seed``; optional: ``bots`` (names of
                      who played, by seat), ``forfeit`` (``seat``, ``ply``, ``reason``),
                      ``took_back`` (a list: from ``ply`` on, ``actions`` were taken back; a
                      comment that verification ignores)
one per ply           ``ply``, ``seat``, ``action``, ``says`` (the action's name), ``legal`` (number
                      of legal actions), ``after`` (digest of the state after the ply); optional:
                      ``visits`` (how much a search considered each legal action, by their ids)
last                  ``scores``
====================  ==============================================================================

A game with a ``forfeit`` ends at the ply at which a seat's bot failed.  A file may hold several
replays, one after the other; each starts with its header.
"""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from sprawl_env.core.arguments import check_fields, checked, fit
from sprawl_env.core.errors import InvalidOption, PositionError
from sprawl_env.core.files import parse_json, read_bytes, read_text
from sprawl_env.core.game import Game
from sprawl_env.core.registry import game as make_game
from sprawl_env.core.registry import rules_of
from sprawl_env.core.rules import GameRules
from sprawl_env.core.variants import check_stored

FORMAT = 1
_HEADER = re.compile(r'\s*\{\s*"format"')


@dataclass(frozen=True)
class Ply:
    """One decision of a replay.

    Attributes:
        ply: number of decisions before this one.
        seat: the seat that decided.
        action: the action's id.
        says: the action's name.
        legal: number of actions that were legal.
        after: digest of the state after the action.
        visits: how much a search considered each legal action, in the order of their ids; empty if
            this was not recorded.  See :class:`sprawl_env.bots.analysis.Analysis`.
    """

    ply: int
    seat: int
    action: int
    says: str
    legal: int
    after: str
    visits: tuple[float, ...] = ()


_FORFEIT = {"seat": int, "ply": int, "reason": str}
_VISITS = "visits"
_PLY = {f.name: f.type for f in fields(Ply) if f.name != _VISITS}  # the annotations are strings
_MOST_VISITS = 1e18


@dataclass(frozen=True)
class Replay:
    """A recorded game.

    Attributes:
        header: the keys of the first line.
        plies: all decisions, in order.
        scores: points of each side (the seats, then the automaton if there is one) at the end.
    """

    header: dict[str, Any]
    plies: tuple[Ply, ...]
    scores: tuple[int, ...]

    @checked
    def game(self, data: Path | None = None) -> Game:
        """Return the game it was played on.

        Args:
            data: folder of data files that replaced those of the package.

        Raises:
            SprawlError: no such game is registered, it has no such options, or the scores or the
                forfeit are not of its number of seats.
        """
        check_fields(self)
        check_header(self.header, "replay: header")
        game = game_of(self.header["game"], self.header["options"], "replay", data)
        seat = self.header.get("forfeit", {}).get("seat", 0)
        if len(self.scores) != game.num_sides or not 0 <= seat < game.num_seats:
            raise PositionError(
                f"replay: expected {game.num_sides} scores, and a forfeit of a seat "
                f"0..{game.num_seats - 1}, if any"
            )
        return game


@checked
def game_of(
    name: str, options: dict[str, Any], where: str = "replay", data: Path | None = None
) -> Game:
    """Return the game that a file names, with the options in the file.

    A file decides neither what is imported nor which other files are read.

    Args:
        name: name of a registered game.
        options: options of that game.
        where: name of the source, for error messages.
        data: folder of data files that replace those of the package.

    Raises:
        SprawlError: no such game is registered, or it has no such options.
    """
    if ":" in name:
        raise PositionError(f"{where}: game {name!r}: expected a name, not an import path")
    rules = rules_of(name)
    check_stored(rules, options, where, PositionError)
    try:
        contents = _contents(data)
        if data is not None and not contents:
            return make_game(rules, data=data, **options)
        return _game(rules, json.dumps(options), data, contents)
    except (TypeError, RecursionError):
        raise PositionError(f"{where}: options: expected values that JSON can hold") from None


@functools.lru_cache(maxsize=8)
def _game(
    rules: GameRules, options: str, data: Path | None, contents: tuple[tuple[str, bytes], ...]
) -> Game:
    """Return a game; many replays of a file are of the same.

    Args:
        rules: of the game.
        options: of the game, as JSON.
        data: folder of its data files, if they are not those of the package.
        contents: their names and bytes, by which files that have changed are told apart.
    """
    return make_game(rules, data=data, **json.loads(options))


def _contents(data: Path | None) -> tuple[tuple[str, bytes], ...]:
    """Return names and bytes of a folder's data files; none if they cannot be read."""
    if data is None:
        return ()
    try:
        return tuple((path.name, read_bytes(path)) for path in sorted(data.glob("*.toml")))
    except OSError:
        return ()


@checked
def dump(replay: Replay) -> str:
    """Return a replay as JSON lines.

    Raises:
        PositionError: it holds something that is not JSON.
    """
    lines: list[dict[str, Any]] = [replay.header]
    for ply in replay.plies:
        lines.append({k: v for k, v in vars(ply).items() if k != _VISITS or v})
    lines.append({"scores": list(replay.scores)})
    try:
        return "".join(json.dumps(line) + "\n" for line in lines)
    except (TypeError, ValueError, RecursionError):
        raise PositionError("replay: expected values that JSON can hold") from None


@checked
def parse(text: str, where: str = "replay") -> Replay:
    """Return the replay in a text.

    Args:
        text: JSON lines of one replay.
        where: name of the source, for error messages.

    Raises:
        PositionError: the replay is damaged or incomplete; the message names the line.
    """
    rows: list[Any] = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            rows.append(parse_json(line))
        except ValueError:
            raise PositionError(f"{where}: line {number} is not JSON") from None
    if len(rows) < 2 or not all(isinstance(row, dict) for row in rows):  # noqa: PLR2004 - both ends
        raise PositionError(f"{where}: expected a header, plies and scores")
    header, *middle, last = rows
    check_header(header, f"{where}: line 1")
    scores = last.get("scores")
    if not isinstance(scores, list) or not all(type(score) is int for score in scores):
        raise PositionError(f"{where}: line {len(rows)}: no scores: the replay is incomplete")
    plies = []
    for number, row in enumerate(middle, start=2):
        has_visits = _VISITS in row
        visits = row.pop(_VISITS, [])
        if {key: type(value).__name__ for key, value in row.items()} != _PLY:
            raise PositionError(f"{where}: line {number}: expected {', '.join(_PLY)}")
        if has_visits and not are_visits(visits, row["legal"]):
            raise PositionError(
                f"{where}: line {number}: visits: expected a number from 0 for each legal action"
            )
        plies.append(Ply(**row, visits=tuple(visits)))
    return Replay(header, tuple(plies), tuple(scores))


def are_visits(visits: Any, legal: int) -> bool:
    """Return whether a list has one number from 0 on for each of ``legal`` actions."""
    return (
        isinstance(visits, list)
        and len(visits) == legal
        and all(type(each) in {int, float} and 0 <= each <= _MOST_VISITS for each in visits)
    )


def check_header(header: dict[str, Any], where: str) -> None:
    """Check the first line of a replay.

    Raises:
        PositionError: a key is missing, or its value is of another type.
    """
    kinds = {"game": str, "options": dict, "seed": int}
    fits = all(type(header.get(key)) is kind for key, kind in kinds.items())
    if type(header.get("format")) is not int or header["format"] != FORMAT or not fits:
        raise PositionError(f"{where}: expected a header of format {FORMAT}")
    bots = header.get("bots", [])
    if not isinstance(bots, list) or not all(isinstance(name, str) for name in bots):
        raise PositionError(f"{where}: bots: expected a list of names")
    forfeit = header.get("forfeit", {key: kind() for key, kind in _FORFEIT.items()})
    if not isinstance(forfeit, dict) or {k: type(v) for k, v in forfeit.items()} != _FORFEIT:
        raise PositionError(f"{where}: forfeit: expected {', '.join(_FORFEIT)}")
    if not _are_taken_back(header.get("took_back", [])):
        raise PositionError(f"{where}: took_back: expected a list of ply and actions")


def _are_taken_back(given: Any) -> bool:
    """Return whether a list has objects with the numbers of a ply and of its actions."""
    return isinstance(given, list) and all(
        isinstance(each, dict)
        and each.keys() == {"ply", "actions"}
        and type(each["ply"]) is int
        and isinstance(each["actions"], list)
        and all(type(action) is int for action in each["actions"])
        for each in given
    )


@checked
def parse_all(text: str, where: str = "replay") -> list[Replay]:
    """Return all replays in a text; each starts with its header.

    Args:
        text: JSON lines of one or more replays.
        where: name of the source, for error messages.

    Raises:
        PositionError: a replay is damaged or incomplete; the message names the game, counted from
            0, and its line.
    """
    lines = text.splitlines()
    starts = [k for k, line in enumerate(lines) if _HEADER.match(line)]
    if len(starts) <= 1 or starts[0] != 0:
        return [parse(text, where)]
    ends = [*starts[1:], len(lines)]
    return [
        parse("\n".join(lines[a:b]), f"{where}, game {k}")
        for k, (a, b) in enumerate(zip(starts, ends, strict=True))
    ]


def load(path: Path) -> Any:
    """Return the replay in a file, or all replays in a folder.

    Args:
        path: a file with one replay, or a folder, which stands for its ``.jsonl`` files.

    Returns:
        A :class:`Replay` for a file; for a folder what :func:`load_all` returns, a list.

    Raises:
        PositionError: a file cannot be read, or a replay is damaged or incomplete, or a folder
            holds none; the message names the file.
    """
    path = _as_path(path)
    return load_all(path) if path.is_dir() else load_file(path)


def load_file(path: Path) -> Replay:
    """Return the replay in a file.

    Raises:
        PositionError: the file cannot be read, or the replay is damaged or incomplete.
    """
    path = _as_path(path)
    return parse(_text(path), path.name)


def load_all(path: Path) -> list[Replay]:
    """Return all replays in a file or a folder.

    Args:
        path: a file with one replay or more, or a folder, which stands for its ``.jsonl`` files in
            the order of their names.

    Raises:
        PositionError: a file cannot be read, or a replay is damaged or incomplete, or a folder
            holds none; the message names the file.
    """
    return [replay for file in files_in(path) for replay in parse_all(_text(file), file.name)]


def files_in(path: Path) -> list[Path]:
    """Return the replay files in a folder in the order of their names; a file stands for itself.

    Raises:
        PositionError: the folder holds none.
    """
    path = _as_path(path)
    if not path.is_dir():
        return [path]
    found = sorted(path.glob("*.jsonl"))
    if not found:
        raise PositionError(
            f"{path.name}: cannot be read: expected a folder with replays (*.jsonl)"
        )
    return found


def _as_path(path: Any) -> Path:
    """Return a path.

    Raises:
        PositionError: it is none that a file can have.
    """
    try:
        made: Path = fit("replay", "path", ("Path",), path, {})
    except InvalidOption as error:
        raise PositionError(f"cannot be read: {error}") from None
    return made


def _text(path: Path) -> str:
    try:
        return read_text(path)
    except OSError as error:
        named = path.name or str(path)  # the name of "." is empty
        raise PositionError(f"{named}: cannot be read: {error.strerror}") from None
