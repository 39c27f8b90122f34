"""Let checkpoints of runs play, and read what was measured.

:mod:`experiments.curves` draws it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import sprawl_env
from experiments.records import Row, read_lines
from sprawl_env.arena.entrants import pinned, weights_of
from sprawl_env.arena.evaluation import usual_parts
from sprawl_env.arena.games import Results
from sprawl_env.bots.policy.checkpoint import Checkpoint, checkpoints_in, load
from sprawl_env.console import say
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.game import Game

AXES: Final = {
    "decisions": (300_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000),
    "minutes": (2, 5, 10, 30, 60, 120),
}
SEED: Final = 2026  # of the deals
NEAR: Final = 1.2  # largest factor between a checkpoint and the mark that it stands for
MEASURED: Final = "measured.jsonl"
HEAD: Final = ("game", "options")
KEY: Final = ("run", "weights", "against", "games", "seed")  # of a row
MADE: Final = "made_of"  # the weights of the opponent; rows of earlier versions do not say
ROW: Final = {"run": str, "step": int, "seconds": float, "weights": str, "against": str,
              "games": int, "seed": int, "deals": dict}  # fmt: skip


def read_measured(path: Path) -> tuple[dict[str, Any], list[Row]]:
    """Return what was measured: game and options, and one row a measurement; empty without a file.

    Raises:
        InvalidOption: the file cannot be read or is damaged.
    """

    def fits(head: Row, rows: list[Row]) -> bool:
        return all(name in head for name in HEAD) and all(
            all(isinstance(row[name], kind) for name, kind in ROW.items())
            and min(row["step"], row["seconds"]) > 0
            and shares_of(row).size
            for row in rows
        )

    head, *rows = read_lines(path, "measurements of this command", fits) or [{}]
    return head, rows


def is_of_now(row: Row, made_by: Mapping[str, str]) -> bool:
    """Return whether a row's opponent had the weights of now.

    Args:
        row: what was measured; a row that does not say counts.
        made_by: the weights of each opponent of the command (:func:`weights_of`).
    """
    now = made_by.get(row["against"])
    return now is None or row.get(MADE, now) == now


def shares_of(row: Row) -> npt.NDArray[np.float64]:
    """Return a measurement's share of the victory in each deal, ``[deals]``."""
    shares = [float(share) for share in row["deals"]]
    counts = [int(count) for count in row["deals"].values()]
    if any(count > row["games"] for count in counts) or not all(0 <= s <= 1 for s in shares):
        raise ValueError
    return np.repeat(np.array(shares, np.float64), counts)


def checkpoints_of(folder: Path) -> list[Checkpoint]:
    """Return the readable checkpoints of a run that were made after a decision, oldest first.

    Raises:
        InvalidOption: there are none.
    """
    found = []
    for path in checkpoints_in(folder.resolve() / "checkpoints"):
        try:
            checkpoint = load(path)
        except sprawl_env.SprawlError as error:
            say(f"skipped: {error}")
            continue
        if checkpoint.step > 0 and checkpoint.about.get("seconds", 0) > 0:
            found.append(checkpoint)
    if not found:
        raise InvalidOption(
            f"run {str(folder)!r}: expected the folder of a run with checkpoints that say after "
            f"how many decisions and seconds they were made"
        )
    return found


def run_of(checkpoint: Checkpoint) -> str:
    """Return the name of a checkpoint's run."""
    return checkpoint.path.parents[1].name


def position(about: dict[str, Any], axis: str) -> float:
    """Return where a checkpoint or a measurement is on an axis."""
    return float(about["step"] if axis == "decisions" else about["seconds"] / 60)


def nearest(found: Sequence[dict[str, Any]], axis: str, mark: float) -> dict[str, Any] | None:
    """Return what is nearest to a mark by its factor; None if nothing is near."""
    distances = [abs(math.log(position(about, axis) / mark)) for about in found]
    best = min(distances, default=math.inf)
    return found[distances.index(best)] if best <= math.log(NEAR) else None


def chosen(checkpoints: Sequence[Checkpoint]) -> list[Checkpoint]:
    """Return the checkpoints that stand for marks, and the last one."""
    abouts = [checkpoint.about for checkpoint in checkpoints]
    near = [nearest(abouts, axis, mark) for axis, marks in AXES.items() for mark in marks]
    steps = {about["step"] for about in near if about is not None}
    return [each for each in checkpoints if each.step in steps or each is checkpoints[-1]]


def shares_by_deal(found: Results) -> npt.NDArray[np.float64]:
    """Return the first bot's share of the victories in each deal, in the order of the deals.

    A deal has as many games as seats.  With one seat every bot plays it alone, the first bot first.
    """
    seats = found.wins.shape[1]
    deals = np.unique(found.deals)
    return np.array([found.wins[found.deals == deal, 0][:seats].mean() for deal in deals])


def shares_against(
    checkpoint: Checkpoint, game: Game, against: str, games: int, seed: int, *, processes: int = 0
) -> npt.NDArray[np.float64]:
    """Let a checkpoint play, and return its share of each deal, in their order.

    Args:
        checkpoint: of the policy.
        game: its game.
        against: name of the bot in the other seats.
        games: number of games.
        seed: of the deals.
        processes: that play them; 0: one a core.
    """
    bots, parts = [f"checkpoint:{checkpoint.path}", against], usual_parts(games)
    found = sprawl_env.evaluate(
        game, bots, num_games=games, seed=seed, parts=parts, processes=processes
    )
    return shares_by_deal(found.results)


def measurement(
    checkpoint: Checkpoint, against: str, games: int, seed: int, shares: npt.NDArray[np.float64]
) -> Row:
    """Return the row of what a checkpoint won of some games."""
    about = checkpoint.about
    values, counts = np.unique(np.round(shares, 6), return_counts=True)
    return {
        "run": run_of(checkpoint),
        "step": checkpoint.step,
        "seconds": float(about.get("seconds", 0)),
        "weights": about["sha256"],
        "against": against,
        "games": games,
        "seed": seed,
        "wins": float(np.mean(shares)),
        "deals": {str(v): c for v, c in zip(values.tolist(), counts.tolist(), strict=True)},
    }


def measure(
    checkpoint: Checkpoint, game: Game, against: str, games: int, seed: int, *, processes: int = 0
) -> Row:
    """Let a checkpoint play, and return the row; see :func:`shares_against`."""
    fixed = pinned(against)  # a run that goes on writes newer checkpoints
    shares = shares_against(checkpoint, game, fixed, games, seed, processes=processes)
    row = measurement(checkpoint, against, games, seed, shares)
    return {**row, MADE: weights_of(fixed, game)}
