"""Replays."""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from sprawl_env.core.errors import PositionError
from sprawl_env.core.game import Game
from sprawl_env.core.registry import game as make_game
from sprawl_env.core.registry import rules_of
from sprawl_env.core.rules import GameRules

FORMAT = 1
_HEADER = re.compile(r'\s*\{\s*"format"')


@dataclass(frozen=True)
class Ply:
    """One decision of a replay."""

    ply: int
    seat: int
    action: int
    says: str
    legal: int
    after: str


_FORFEIT = {"seat": int, "ply": int, "reason": str}
_PLY = {field.name: field.type for field in fields(Ply)}  # the annotations are strings


@dataclass(frozen=True)
class Replay:
    """One game, played."""

    header: dict[str, Any]
    plies: tuple[Ply, ...]
    scores: tuple[int, ...]

    def game(self) -> Game:
        """Return the game it was played on.

        Raises:
            SprawlError: no such game is registered, or it has no such options.
        """
        name = self.header["game"]
        if ":" in name:  # a file must not decide what is imported
            raise PositionError(f"replay: game {name!r}: expected a name, not an import path")
        return _game(rules_of(name), json.dumps(self.header["options"]))


@functools.lru_cache(maxsize=8)
def _game(rules: GameRules, options: str) -> Game:
    """Return a game; many replays of a file are of the same."""
    return make_game(rules, **json.loads(options))


def dump(replay: Replay) -> str:
    """Return a replay as JSON lines."""
    lines: list[dict[str, Any]] = [replay.header]
    lines += [vars(ply) for ply in replay.plies]
    lines.append({"scores": list(replay.scores)})
    return "".join(json.dumps(line) + "\n" for line in lines)


def parse(text: str, where: str = "replay") -> Replay:
    """Read a replay back.

    Raises:
        PositionError: a damaged or unfinished replay; names the line.
    """
    rows: list[Any] = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            rows.append(json.loads(line))
        except (ValueError, RecursionError):
            raise PositionError(f"{where}: line {number} is not JSON") from None
    if len(rows) < 2 or not all(isinstance(row, dict) for row in rows):  # noqa: PLR2004 - both ends
        raise PositionError(f"{where}: expected a header, plies and scores")
    header, *middle, last = rows
    kinds = {"game": str, "options": dict, "seed": int}
    fits = all(isinstance(header.get(key), kind) for key, kind in kinds.items())
    if header.get("format") != FORMAT or not fits:
        raise PositionError(f"{where}: line 1: expected a header of format {FORMAT}")
    forfeit = header.get("forfeit", {key: kind() for key, kind in _FORFEIT.items()})
    if not isinstance(forfeit, dict) or {k: type(v) for k, v in forfeit.items()} != _FORFEIT:
        raise PositionError(f"{where}: line 1: forfeit: expected {', '.join(_FORFEIT)}")
    if not isinstance(last.get("scores"), list):
        raise PositionError(f"{where}: line {len(rows)}: expected the scores: it breaks off")
    plies = []
    for number, row in enumerate(middle, start=2):
        if {key: type(value).__name__ for key, value in row.items()} != _PLY:
            raise PositionError(f"{where}: line {number}: expected {', '.join(_PLY)}")
        plies.append(Ply(**row))
    return Replay(header, tuple(plies), tuple(last["scores"]))


def parse_all(text: str, where: str = "replay") -> list[Replay]:
    """Read replays that follow each other; a header begins each.

    Raises:
        PositionError: a damaged or unfinished replay; names the game, from 0, and its line.
    """
    lines = text.splitlines()
    begins = [k for k, line in enumerate(lines) if _HEADER.match(line)]
    if len(begins) <= 1 or begins[0] != 0:
        return [parse(text, where)]
    ends = [*begins[1:], len(lines)]
    return [
        parse("\n".join(lines[a:b]), f"{where}, game {k}")
        for k, (a, b) in enumerate(zip(begins, ends, strict=True))
    ]


def load(path: Path) -> Replay:
    """Read a replay file.

    Raises:
        PositionError: missing or damaged.
    """
    return parse(_text(path), path.name)


def load_all(path: Path) -> list[Replay]:
    """Read a file of one replay or several.

    Raises:
        PositionError: missing or damaged.
    """
    return parse_all(_text(path), path.name)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PositionError(f"{path.name}: cannot be read: {error}") from None
