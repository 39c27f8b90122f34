"""Replays: one game as JSON lines, that can be re-run, verified ply by ply and stepped through.

The first line names the game, its options, the seed and the version; each further line is a ply
(``ply``, ``seat``, ``action``, ``says``, ``legal``: how many legal actions there were, ``after``:
digest of the state); the last holds the ``scores``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sprawl_env.core.errors import PositionError, SprawlError
from sprawl_env.core.game import NOT_OVER, Game, Games, Mask
from sprawl_env.core.registry import game as make_game

FORMAT = 1


@dataclass(frozen=True)
class Ply:
    """One decision of a replay."""

    ply: int
    seat: int
    action: int
    says: str
    legal: int
    after: str


@dataclass(frozen=True)
class Replay:
    """One game, played."""

    header: dict[str, Any]
    plies: tuple[Ply, ...]
    scores: tuple[int, ...]

    def game(self) -> Game:
        """Return the game it was played on."""
        return make_game(self.header["game"], **self.header["options"])


def digest(games: Games, g: int = 0) -> str:
    """Return 12 hex digits of a state, field by field: padding means nothing."""
    hashed = hashlib.sha256()
    for name in games.dtype.names or ():
        hashed.update(np.ascontiguousarray(games[name][g]).tobytes())
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
        action = int(choose(games, mask))
        ply, seat = int(games["ply"][0]), int(games["to_play"][0])
        says, legal = game.action_name(games, 0, action), int(mask.sum())
        game.play(games, 0, action)
        plies.append(Ply(ply, seat, action, says, legal, digest(games)))
    header = {
        "format": FORMAT,
        "game": game.name,
        "options": game.options,
        "seed": seed,
    }
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
    if header.get("format") != FORMAT or not {"game", "options", "seed"} <= header.keys():
        raise PositionError(f"{where}: line 1: expected a header of format {FORMAT}")
    if not isinstance(last.get("scores"), list):
        raise PositionError(f"{where}: line {len(rows)}: expected the scores: it breaks off")
    plies = []
    for number, row in enumerate(middle, start=2):
        try:
            plies.append(Ply(**row))
        except TypeError:
            fields = ", ".join(Ply.__dataclass_fields__)
            raise PositionError(f"{where}: line {number}: expected {fields}") from None
    return Replay(header, tuple(plies), tuple(last["scores"]))


def load(path: Path) -> Replay:
    """Read a replay file.

    Raises:
        PositionError: missing or damaged.
    """
    try:
        return parse(path.read_text(encoding="utf-8"), path.name)
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
    if games["over"][0] == NOT_OVER:
        raise PositionError(f"{game.name}: the replay breaks off before the end")
    if game.scores(games, 0).tolist() != list(replay.scores):
        raise PositionError(f"{game.name}: the scores differ")
