"""Verification."""

from __future__ import annotations

from collections.abc import Iterator

from sprawl_env.core.errors import PositionError, SprawlError
from sprawl_env.core.state import NOT_OVER, Games, digest
from sprawl_env.replays.format import Ply, Replay


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
