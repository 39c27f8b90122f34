"""Replays as data: a table of all decisions, and a figure of points and visits by ply.

python examples/research/replays_as_data.py runs/replays
"""

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")  # no window

import polars as pl
from matplotlib import pyplot as plt

import sprawl_env
from sprawl_env import replays

GAMES, SIMS = (2, 20) if "--short" in sys.argv else (20, 200)


def keep_games(folder):
    """Play games of a search against itself; keep them with what it considered."""
    game = sprawl_env.game("tower_up", num_players=2)
    bot = sprawl_env.make_bot(f"mcts:sims={SIMS}", game, seed=0)
    for seed in range(GAMES):
        played = replays.record(game, seed, lambda games, mask: bot.analyse(mask, games))
        text = replays.dump(played)
        (folder / f"game-{seed:03}.jsonl").write_text(text, encoding="utf-8")


def draw(rows, path):
    """Draw what happens from ply to ply."""
    choices = rows.filter(pl.col("num_legal") > 1)
    surest = pl.col("visits").list.max() / pl.col("visits").list.sum()
    by_ply = choices.group_by("ply").agg(
        pl.col("points").mean(),
        pl.col("num_legal").mean(),
        surest.mean().alias("surest"),
        pl.col("game").n_unique().alias("games"),
    )
    by_ply = by_ply.filter(pl.col("games") >= GAMES / 2).sort("ply")  # few games are longer
    figure, axes = plt.subplots(3, sharex=True, figsize=(6, 7), layout="constrained")
    labels = {
        "points": "points of the seat to play",
        "num_legal": "legal actions",
        "surest": "share of visits of the first",
    }
    for axis, (column, label) in zip(axes, labels.items(), strict=True):
        axis.plot(by_ply["ply"], by_ply[column])
        axis.set_ylabel(label)
    axes[-1].set_xlabel("ply")
    figure.savefig(path)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True)  # a new one: the games of two runs do not mix
    keep_games(folder)
    rows = replays.table(folder)
    final = pl.col("final_points").first()
    print(rows.group_by("game", "seat").agg(pl.len().alias("plies"), final).sort("game", "seat"))
    draw(rows, folder / "by_ply.png")
