"""Replays as a table: one row for each decision of each game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sprawl_env.core.arguments import checked
from sprawl_env.core.errors import PositionError, SprawlError, printable
from sprawl_env.core.extras import require
from sprawl_env.replays.format import Replay, files_in, load_all
from sprawl_env.replays.verification import positions

if TYPE_CHECKING:
    import polars as pl

COLUMNS: Final = {  # the name of each column, and of its type in polars
    "game": "Int64",
    "file": "String",
    "seed": "Int64",
    "ply": "Int64",
    "turn": "Int64",
    "seat": "Int64",
    "bot": "String",
    "action": "Int64",
    "name": "String",
    "num_legal": "Int64",
    "legal": "List Int64",
    "visits": "List Float64",
    "points": "Int64",
    "final_points": "Int64",
}


@checked
def table(folder: Path, data: Path | None = None) -> pl.DataFrame:
    """Play all replays of a folder again and return their plies as a polars table, verified.

    Each row is one decision.  Its columns are:

    - ``game``: number of the replay, as in the list of :func:`load_all`; ``file``: its file's name;
      ``seed``: of its deal.
    - ``ply``: decisions before this one; ``turn``: turns finished before it.
    - ``seat``: the seat that decides; ``bot``: its bot's name, null if the replay has none.
    - ``action``: the action's id; ``name``: the action in words.
    - ``num_legal``: number of legal actions; ``legal``: their ids, ascending.
    - ``visits``: how much a search considered each of ``legal``, in the same order; null if the
      replay does not have it.
    - ``points``: the seat's points before the decision; ``final_points``: at the end of the game.

    Args:
        folder: a folder, which stands for its ``.jsonl`` files in the order of their names, or a
            file with one replay or more.
        data: folder of data files that replaced those of the package.

    Raises:
        PositionError: a file cannot be read, a replay is damaged or incomplete, a game differs from
            its replay, or there is none; the message names the file.
        MissingExtra: polars is not installed.
    """
    polars = require("polars", "replays.table()")
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    game = 0
    for file in files_in(folder):
        for number, replay in enumerate(load_all(file)):
            try:
                rows = _rows(replay, data)
            except SprawlError as error:
                raise PositionError(f"{file.name}, game {number}: {error}") from None
            count = len(replay.plies)
            rows |= {"game": [game] * count, "file": [printable(file.name)] * count}
            for name, values in rows.items():
                columns[name] += values
            game += 1
    schema = {}
    for name, kind in COLUMNS.items():
        listed, _, inner = kind.partition(" ")
        schema[name] = polars.List(getattr(polars, inner)) if inner else getattr(polars, listed)
    return polars.DataFrame(columns, schema=schema)  # type: ignore[no-any-return]  # of a module


def _rows(replay: Replay, data: Path | None) -> dict[str, list[Any]]:
    """Return the columns of one game, without those that name it.

    Raises:
        SprawlError: the game differs from the replay.
    """
    game, plies = replay.game(data), replay.plies
    games = positions(replay, data)
    bots = [printable(bot) for bot in replay.header.get("bots", [])]
    named = len(bots) == game.num_seats
    count = len(plies)
    return {
        "seed": [replay.header["seed"]] * count,
        "ply": [ply.ply for ply in plies],
        "turn": games["turn"][:count].tolist(),
        "seat": [ply.seat for ply in plies],
        "bot": [bots[ply.seat] if named else None for ply in plies],
        "action": [ply.action for ply in plies],
        "name": [ply.says for ply in plies],
        "num_legal": [ply.legal for ply in plies],
        "legal": [np.flatnonzero(game.legal_actions(games, k)).tolist() for k in range(count)],
        "visits": [list(ply.visits) or None for ply in plies],
        "points": [int(game.scores(games, k)[ply.seat]) for k, ply in enumerate(plies)],
        "final_points": [replay.scores[ply.seat] for ply in plies],
    }
