"""Measure agents against each other on paired deals with rotated seats.

    python -m experiments.evaluate --agents checkpoint:runs/tower_up-quick-0 greedy --games 2000
    python -m experiments.evaluate --agents greedy random --num-players 4

The first agent is measured.  With two agents and more seats the second fills all other seats.
Every deal is played once with each rotation of the seats, so luck of the deal and of the seat
cancels; intervals count deals, not games.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

import sprawl_env
from agents import Agent, make_agent
from agents.arena import Results, play_games
from agents.checkpoint import surroundings, write_atomically
from experiments.command_line import console, parse_options, run
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.game import Game

Z95 = 1.959964  # two-sided 95% of a normal distribution
LEAST_AGENTS = 2


@dataclass(frozen=True)
class Config:
    """Every number the evaluation depends on."""

    game: str = "tower_up"
    """name of the game"""
    agents: tuple[str, ...] = ("greedy", "random")
    """random, greedy or checkpoint:PATH; one a seat, or two"""
    num_players: int = 2
    """seats"""
    options: tuple[str, ...] = ()
    """further options of the game, e.g. objectives=start"""
    games: int = 1000
    """games to play, rounded up to whole rotations"""
    seed: int = 0
    """deal d is dealt from (seed, d)"""
    out: Path | None = None
    """JSON file for the result"""


@dataclass(frozen=True)
class Line:
    """One agent's result.

    ``wins`` counts shared victories by their share; ``low`` and ``high`` bound it at 95%.
    """

    agent: str
    games: int
    wins: float
    low: float
    high: float
    score: float
    score_margin: float


def interval(shares: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return a 95% interval for a mean of shares 0..1, one independent share a deal.

    Wilson's score interval, with the effective number of trials that the spread between deals
    shows (rotations of one deal are not independent).
    """
    n, mean = len(shares), float(shares.mean())
    error = float(shares.std(ddof=1)) / np.sqrt(n) if n > 1 else 1.0
    trials = mean * (1 - mean) / error**2 if error > 0 else float(n)
    centre = (mean + Z95**2 / (2 * trials)) / (1 + Z95**2 / trials)
    half = (
        Z95 / (1 + Z95**2 / trials) * np.sqrt(mean * (1 - mean) / trials + Z95**2 / (4 * trials**2))
    )
    low, high = max(0.0, float(centre - half)), min(1.0, float(centre + half))
    return min(low, mean), max(high, mean)


def line_up(names: Sequence[str], num_players: int) -> list[str]:
    """Return one name a seat.

    Raises:
        InvalidOption: neither two agents nor one a seat.
    """
    if len(names) == num_players:
        return list(names)
    if len(names) == LEAST_AGENTS:
        return [names[0]] + [names[1]] * (num_players - 1)
    raise InvalidOption(
        f"agents: expected 2 or {num_players} names for {num_players} seats, got {len(names)}"
    )


def summarise(names: Sequence[str], results: Results) -> list[Line]:
    """Return one line for each different name, its seats taken together."""
    lines = []
    num_deals = int(results.deals.max()) + 1
    for name in dict.fromkeys(names):
        columns = [k for k, other in enumerate(names) if other == name]
        wins = results.wins[:, columns].mean(axis=1)
        scores = results.scores[:, columns].mean(axis=1)
        by_deal = wins.reshape(num_deals, -1).mean(axis=1)
        score_by_deal = scores.reshape(num_deals, -1).mean(axis=1)
        low, high = interval(by_deal)
        margin = Z95 * float(score_by_deal.std(ddof=1)) / np.sqrt(num_deals) if num_deals > 1 else 0
        lines.append(
            Line(
                name, len(wins), float(wins.mean()), low, high, float(scores.mean()), float(margin)
            )
        )
    return lines


def table(title: str, lines: Sequence[Line]) -> Table:
    """Return the result as a table."""
    shown = Table(title=title)
    for column in ("agent", "games", "wins", "95% interval", "mean score"):
        shown.add_column(column, justify="left" if column == "agent" else "right")
    for line in lines:
        shown.add_row(
            line.agent,
            f"{line.games:,}",
            f"{line.wins:.1%}",
            f"{line.low:.1%} – {line.high:.1%}",
            f"{line.score:.1f} ± {line.score_margin:.1f}",
        )
    return shown


def measure(
    game: Game, names: Sequence[str], agents: Sequence[Agent], num_games: int, seed: int
) -> tuple[list[Line], Results]:
    """Play the games behind a progress bar and return the lines."""
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console(),
        transient=True,
    )
    with bar:
        total = -(-num_games // game.num_seats) * game.num_seats
        task = bar.add_task(" v ".join(dict.fromkeys(names)), total=total)
        results = play_games(game, agents, num_games, seed, progress=lambda n: bar.advance(task, n))
    return summarise(names, results), results


def to_json(config: Any, lines: Sequence[Line], results: Results) -> dict[str, Any]:
    """Return the result for a file."""
    return {
        "config": asdict(config),
        "lines": [asdict(line) for line in lines],
        "mean_turns": float(results.turns.mean()),
        "mean_plies": float(results.plies.mean()),
        "truncated": float(results.truncated.mean()),
        **surroundings(),
    }


def main(config: Config) -> None:
    """Run the evaluation."""
    if config.games < 1:
        raise InvalidOption(f"games={config.games}: expected a whole number from 1")
    game = sprawl_env.game(
        config.game, num_players=config.num_players, **parse_options(config.options)
    )
    names = line_up(config.agents, config.num_players)
    made = {name: make_agent(name, game) for name in dict.fromkeys(names)}
    lines, results = measure(game, names, [made[n] for n in names], config.games, config.seed)
    title = f"{game.title}, {config.num_players} seats, seed {config.seed}"
    console().print(table(title, lines))
    console().print(
        f"{results.turns.mean():.1f} turns and {results.plies.mean():.1f} plies a game, "
        f"{results.truncated.mean():.1%} cut off at the turn limit"
    )
    if config.out is not None:
        text = json.dumps(to_json(config, lines, results), indent=1, default=str)
        write_atomically(config.out, text)


if __name__ == "__main__":
    run(main, Config)
