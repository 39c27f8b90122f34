"""Replays: one game as JSON lines, that can be re-run, verified ply by ply and stepped through.

The first line names the game, its options, the seed and the version; each further line is a ply
(``ply``, ``seat``, ``action``, ``says``, ``legal``: how many legal actions there were, ``after``:
digest of the state); the last holds the ``scores``.  A header may say who sat where (``agents``)
and that a seat broke the game off (``forfeit``); then it ends where it was broken off.  A file may
hold several replays, one after the other.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from sprawl_env.core.errors import PositionError, SprawlError
from sprawl_env.core.game import NOT_OVER, Game, Games, Mask
from sprawl_env.core.registry import game as make_game

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
        """Return the game it was played on."""
        return _game(self.header["game"], json.dumps(self.header["options"]))


@functools.lru_cache(maxsize=8)
def _game(name: str, options: str) -> Game:
    """Return a game; many replays of a file are of the same."""
    return make_game(name, **json.loads(options))


def digest(games: Games, g: int = 0) -> str:
    """Return 12 hex digits of a state, field by field: padding means nothing."""
    hashed = hashlib.sha256()
    plain = games.view(np.ndarray)  # a record array is ten times slower to take fields from
    for name in plain.dtype.names or ():
        hashed.update(plain[name][g].tobytes())
    return hashed.hexdigest()[:12]


def record(game: Game, seed: int, choose: Callable[[Games, Mask], int]) -> Replay:
    """Play one game dealt from ``(seed, 0)`` and return it.

    Args:
        game: the game.
        seed: of the deal.
        choose: called with the game ``[1]`` and the mask, returns a legal action.
    """
    games = game.deal(1, seed)
    plies = []
    while games["over"][0] == NOT_OVER:
        mask = game.legal_actions(games, 0)
        plies.append(_play(game, games, int(choose(games, mask)), mask))
    return _replay(game, games, seed, plies)


def retell(game: Game, seed: int, actions: Sequence[int], **about: Any) -> Replay:
    """Return the replay of a game dealt from ``(seed, 0)`` whose actions are known.

    Args:
        game: the game.
        seed: of the deal.
        actions: all that was played, in order.
        **about: what else the header says, as JSON.
    """
    games = game.deal(1, seed)
    plies = [_play(game, games, action, game.legal_actions(games, 0)) for action in actions]
    return _replay(game, games, seed, plies, **about)


def _play(game: Game, games: Games, action: int, mask: Mask) -> Ply:
    """Play an action in game 0 and return it as a replay's ply."""
    ply, seat = int(games["ply"][0]), int(games["to_play"][0])
    says, legal = game.action_name(games, 0, action), int(mask.sum())
    game.play(games, 0, action)
    return Ply(ply, seat, action, says, legal, digest(games))


def _replay(game: Game, games: Games, seed: int, plies: list[Ply], **about: Any) -> Replay:
    """Return the replay that ends in game 0 as it is."""
    header = {"format": FORMAT, "game": game.name, "options": game.options, "seed": seed, **about}
    return Replay(header, tuple(plies), tuple(game.scores(games, 0).tolist()))


def record_random(game: Game, seed: int) -> Replay:
    """Record a game of random legal play."""
    draws = np.random.default_rng(seed)
    return record(game, seed, lambda _, mask: int(draws.choice(np.flatnonzero(mask))))


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


def steps(replay: Replay) -> Iterator[tuple[Ply, Games]]:
    """Re-run a replay: yields each ply with the game ``[1]`` after it, checked.

    Raises:
        PositionError: it does not go as recorded; names the ply.
    """
    game = replay.game()
    games = game.deal(1, replay.header["seed"])
    for ply in replay.plies:
        where = f"{game.name}, ply {ply.ply}: {ply.says}"
        mask = game.legal_actions(games, 0)
        found = (int(games["ply"][0]), int(games["to_play"][0]), int(mask.sum()))
        if found != (ply.ply, ply.seat, ply.legal):
            raise PositionError(
                f"{where}: expected ply, seat and legal actions {ply.ply}, {ply.seat}, "
                f"{ply.legal}, found {found}"
            )
        if not 0 <= ply.action < game.num_actions:
            raise PositionError(
                f"{where}: action {ply.action}: expected an id 0..{game.num_actions - 1}"
            )
        if game.action_name(games, 0, ply.action) != ply.says:
            raise PositionError(f"{where}: action {ply.action} has another name")
        try:
            game.play(games, 0, ply.action)
        except SprawlError as error:
            raise PositionError(f"{where}: {error}") from None
        if digest(games) != ply.after:
            raise PositionError(f"{where}: the state differs afterwards")
        yield ply, games


def verify(replay: Replay) -> None:
    """Re-run a replay and compare everything.

    Raises:
        PositionError: it does not go as recorded.
    """
    game = replay.game()
    games = game.deal(1, replay.header["seed"])
    for _, after in steps(replay):
        games = after
    if games["over"][0] == NOT_OVER and "forfeit" not in replay.header:
        raise PositionError(f"{game.name}: the replay breaks off before the end")
    if game.scores(games, 0).tolist() != list(replay.scores):
        raise PositionError(f"{game.name}: the scores differ")
