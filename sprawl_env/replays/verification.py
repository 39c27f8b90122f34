"""Verification: play a replay again, compare every ply with what was recorded, keep positions.

Compared are the ply, the seat, the number of legal actions, the action's name, the digest of the
state after the ply, and at the end the scores and the forfeit.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sprawl_env.core.arguments import checked
from sprawl_env.core.errors import PositionError, SprawlError
from sprawl_env.core.game import Game
from sprawl_env.core.state import NOT_OVER, Games, digest, raw_bytes
from sprawl_env.replays.format import Ply, Replay

Position = tuple[Ply | None, Games]  # the last ply, and the state after it


@checked
def steps(replay: Replay, data: Path | None = None) -> Iterator[tuple[Ply, Games]]:
    """Play a replay again; yields each ply and the state ``[1]`` after it, both verified.

    After the last one the scores and the forfeit are verified.  The state is overwritten by the
    next step; copy it to keep it.  :func:`positions` returns copies, from the opening position on.

    Args:
        replay: the replay.
        data: folder of data files that replaced those of the package.

    Raises:
        PositionError: the game differs from the replay; the message names the ply.
    """
    game = replay.game(data)
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
            raise PositionError(f"{where}: action {ply.action} has another name in this version")
        try:
            game.play(games, 0, ply.action)
        except SprawlError as error:
            raise PositionError(f"{where}: {error}") from None
        if digest(games) != ply.after:
            raise PositionError(f"{where}: the state differs after it")
        yield ply, games
    _check_end(replay, game, games)


def _check_end(replay: Replay, game: Game, games: Games) -> None:
    """Check what a replay says of its last position.

    Raises:
        PositionError: the scores differ, or no seat could forfeit as it is told.
    """
    if game.scores(games, 0).tolist() != list(replay.scores):
        raise PositionError(f"{game.name}: the scores differ")
    forfeit = replay.header.get("forfeit")
    if forfeit is None:
        return
    count, seat = len(replay.plies), int(games["to_play"][0])
    if games["over"][0] != NOT_OVER:
        raise PositionError(f"{game.name}: a forfeit of a game that is over")
    if forfeit["ply"] != count or (count and forfeit["seat"] != seat):  # at first any bot may fail
        raise PositionError(
            f"{game.name}: expected a forfeit of seat {seat} at ply {count}, found one of seat "
            f"{forfeit['seat']} at ply {forfeit['ply']}"
        )


def from_deal(replay: Replay, data: Path | None = None) -> Iterator[Position]:
    """Yield the deal, without a ply, and then what :func:`steps` yields."""
    yield None, replay.game(data).deal(1, replay.header["seed"])
    yield from steps(replay, data)


@checked
def positions(replay: Replay, data: Path | None = None) -> Games:
    """Play a replay again and return all its positions, verified; records ``[plies + 1]``.

    Record ``k`` is the position before ply ``k``, in which ``replay.plies[k]`` is decided.  The
    last record is the position after all plies.  They are a batch of ``replay.game(data)``, of
    which nothing is overwritten later.

    Args:
        replay: the replay.
        data: folder of data files that replaced those of the package.

    Raises:
        PositionError: the game differs from the replay; the message names the ply.
        InvalidOption: the positions do not fit into memory.
    """
    game = replay.game(data)
    found = game.empty(len(replay.plies) + 1)
    kept = raw_bytes(found)
    kept[0] = raw_bytes(game.deal(1, replay.header["seed"]))[0]
    for k, (_, after) in enumerate(steps(replay, data), start=1):
        kept[k] = raw_bytes(after)[0]
    return found


@checked
def verify(replay: Replay, data: Path | None = None) -> None:
    """Play a replay again and compare everything.

    Args:
        replay: the replay.
        data: folder of data files that replaced those of the package.

    Raises:
        PositionError: the game differs from the replay, or is not over at the last ply.
    """
    game = replay.game(data)
    games = game.deal(1, replay.header["seed"])
    for _, after in steps(replay, data):
        games = after
    if games["over"][0] == NOT_OVER and "forfeit" not in replay.header:
        raise PositionError(f"{game.name}: the replay ends before the game is over")
