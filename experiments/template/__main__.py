"""How much does a longer search buy?  A template: copy the folder for a study of your own.

Example::

    python -m experiments.template --out runs/template

Every number of simulations plays the same deals, so that the differences are paired by deal.  A run
that was stopped continues with the same command: finished pairs of seed and simulations are kept.
"""

from __future__ import annotations

import json
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib import pyplot as plt

import sprawl_env
from sprawl_env.arena.evaluation import half_width, interval, mean_text
from sprawl_env.console import check_writable, console, run
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.files import write_atomically
from sprawl_env.core.provenance import provenance

mpl.use("Agg")  # draw into a file

HERE: Final = Path(__file__).parent

Shares = dict[int, npt.NDArray[np.float64]]


@dataclass(frozen=True)
class Config:
    """Settings of the run; the study itself is in the file ``config``."""

    config: Path = HERE / "config.toml"
    """what is played"""
    out: Path = HERE
    """folder of results.jsonl, table.md and winrate.png"""
    games: int = 0
    """games for each seed and number of simulations; 0: as the file says"""


def read_study(path: Path) -> dict[str, Any]:
    """Return the settings of a study.

    Raises:
        InvalidOption: the file cannot be read, or lacks a setting.
    """
    try:
        study = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidOption(f"{path}: {error}") from None
    wanted = {"game", "bot", "against", "sims", "seeds", "games", "options"}
    if set(study) != wanted:
        raise InvalidOption(f"{path}: expected the settings {', '.join(sorted(wanted))}")
    return study


def read_results(path: Path, study: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the lines of an earlier run of the same study; none if there is no file.

    The first line has the study and the versions, every other line is one game.

    Raises:
        InvalidOption: the file cannot be read or is of another study.
    """
    if not path.exists():
        return []
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        same = lines[0]["study"] == study
    except (OSError, ValueError, LookupError, TypeError):
        raise InvalidOption(f"{path}: expected results of this study, or no file") from None
    if not same:
        raise InvalidOption(f"{path}: results of other settings; choose another folder with --out")
    return lines


def play(study: dict[str, Any], path: Path) -> list[dict[str, Any]]:
    """Play what is missing, and return all rows; the file is complete after every part."""
    head, *rows = read_results(path, study) or [{"study": study, **provenance()}]
    done = {(row["sims"], row["seed"]) for row in rows}
    game = sprawl_env.game(study["game"], **study["options"])
    for seed in study["seeds"]:
        for sims in study["sims"]:
            if (sims, seed) in done:
                continue
            bots = [study["bot"].format(sims=sims), study["against"]]
            found = sprawl_env.evaluate(game, bots, num_games=study["games"], seed=seed)
            rows += [{"sims": sims, "seed": seed, **row} for row in found.rows()]
            write_atomically(path, "".join(json.dumps(line) + "\n" for line in [head, *rows]))
    return rows


def shares_by_deal(rows: list[dict[str, Any]], bot: str) -> Shares:
    """Return the bot's share of each deal, by simulations; deals are in the same order in all."""
    found: dict[int, dict[tuple[int, int], list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        seat = row["bots"].index(bot.format(sims=row["sims"]))
        found[row["sims"]][row["seed"], row["deal"]].append(row["shares"][seat])
    return {
        sims: np.array([np.mean(deals[key]) for key in sorted(deals)])
        for sims, deals in sorted(found.items())
    }


def table(shares: Shares) -> str:
    """Return the result as a table in Markdown."""
    lines = [
        "| sims | deals | wins | 95% interval | more than the row before, paired |",
        "|---|---|---|---|---|",
    ]
    before: npt.NDArray[np.float64] | None = None
    for sims, found in shares.items():
        low, high = interval(found)
        more = ""
        if before is not None:
            gained = 100 * (found - before)
            more = mean_text(float(gained.mean()), half_width(gained), "+.1f")
        lines.append(
            f"| {sims} | {len(found)} | {found.mean():.1%} | {low:.1%} – {high:.1%} | {more} |"
        )
        before = found
    return "\n".join(lines) + "\n"


def draw(shares: Shares, path: Path) -> None:
    """Draw the shares with their intervals."""
    wins = np.array([found.mean() for found in shares.values()])
    ends = np.array([interval(found) for found in shares.values()])
    figure, axes = plt.subplots(figsize=(6, 4))
    axes.errorbar(list(shares), wins, yerr=np.abs(ends.T - wins), marker="o", capsize=3)
    axes.axhline(0.5, linewidth=0.8, color="grey")
    axes.set(xscale="log", xlabel="simulations per decision", ylabel="share of games won")
    axes.set_xticks(list(shares), [str(sims) for sims in shares])
    axes.minorticks_off()
    figure.savefig(path, dpi=100)
    plt.close(figure)


def main(config: Config) -> None:
    """Play what is missing, and write the results, the table and the figure."""
    study = read_study(config.config)
    if config.games:
        study["games"] = config.games
    check_writable(config.out / "results.jsonl")
    config.out.mkdir(parents=True, exist_ok=True)
    rows = play(study, config.out / "results.jsonl")
    shares = shares_by_deal(rows, study["bot"])
    write_atomically(config.out / "table.md", table(shares))
    draw(shares, config.out / "winrate.png")
    console().print(table(shares))


if __name__ == "__main__":
    run(main, Config)
