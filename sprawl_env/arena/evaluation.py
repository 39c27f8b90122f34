"""Measure agents against each other on paired deals with rotated seats.

    python -m experiments.evaluate --agents checkpoint:runs/tower_up-quick-0 greedy --games 2000
    python -m experiments.evaluate --agents greedy random --num-players 4
    python -m experiments.evaluate --game ginkgopolis --agents greedy random --num-players 1

The first agent is measured.  With two agents and more seats the second fills all other seats.
Every deal is played once with each rotation of the seats, so luck of the deal and of the seat
cancels; intervals count deals, not games.  On one seat each agent plays the same deals alone,
against the game's automaton.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

import sprawl_env
from sprawl_env.arena.games import Results, join, play_games
from sprawl_env.bots.names import make_bot
from sprawl_env.bots.protocol import Bot
from sprawl_env.console import console, parse_options, run
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.files import write_atomically
from sprawl_env.core.game import Game
from sprawl_env.core.provenance import provenance

Z95 = 1.959964  # two-sided 95% of a normal distribution
LEAST_AGENTS = 2


@dataclass(frozen=True)
class Config:
    """Every number the evaluation depends on."""

    game: str = "tower_up"
    """name of the game"""
    agents: tuple[str, ...] = ("greedy", "random")
    """random, greedy, planner, mcts, flat or checkpoint:PATH; one a seat, or two; on one seat any
    number"""
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
    ``score_margin`` is half the width of the score's 95% interval.  ``margin`` is the mean of the
    own points less the mean of the other sides' (seats or automaton), ``margin_error`` half the
    width of its interval.
    """

    agent: str
    games: int
    wins: float
    low: float
    high: float
    score: float
    score_margin: float
    margin: float
    margin_error: float


def interval(shares: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return a 95% interval for a mean of shares 0..1, one independent share a deal.

    Wilson's score interval, with the effective number of trials that the spread between deals
    shows (rotations of one deal are not independent).  A single deal tells nothing: 0..1.
    """
    n, mean = len(shares), float(shares.mean())
    if n == 1:
        return 0.0, 1.0
    error = float(shares.std(ddof=1)) / np.sqrt(n)
    trials = mean * (1 - mean) / error**2 if error > 0 else float(n)
    centre = (mean + Z95**2 / (2 * trials)) / (1 + Z95**2 / trials)
    half = (
        Z95 / (1 + Z95**2 / trials) * np.sqrt(mean * (1 - mean) / trials + Z95**2 / (4 * trials**2))
    )
    low, high = max(0.0, float(centre - half)), min(1.0, float(centre + half))
    return min(low, mean), max(high, mean)


def half_width(means: npt.NDArray[np.float64]) -> float:
    """Return half the width of a 95% interval for a mean, one independent number a deal."""
    return Z95 * float(means.std(ddof=1)) / float(np.sqrt(len(means))) if len(means) > 1 else 0.0


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
        wins, scores, margins = (
            found[:, columns].reshape(num_deals, -1).mean(axis=1)
            for found in (results.wins, results.scores, results.margins)
        )
        low, high = interval(wins)
        lines.append(
            Line(
                name,
                len(results.wins),
                float(wins.mean()),
                low,
                high,
                float(scores.mean()),
                half_width(scores),
                float(margins.mean()),
                half_width(margins),
            )
        )
    return lines


def table(title: str, lines: Sequence[Line], *, margins: bool = False) -> Table:
    """Return the result as a table; ``margins`` adds how far ahead each agent was."""
    shown = Table(title=title)
    columns = ["agent", "games", "wins", "95% interval", "mean score"]
    for column in [*columns, "mean margin"] if margins else columns:
        shown.add_column(column, justify="left" if column == "agent" else "right")
    for line in lines:
        cells = [
            line.agent,
            f"{line.games:,}",
            f"{line.wins:.1%}",
            f"{line.low:.1%} – {line.high:.1%}",
            f"{line.score:.1f} ± {line.score_margin:.1f}",
        ]
        if margins:
            cells.append(f"{line.margin:+.1f} ± {line.margin_error:.1f}")
        shown.add_row(*cells)
    return shown


def games_bar() -> Progress:
    """Return a bar for games to play: how many are done, and the time left."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console(),
        transient=True,
    )


def seats_of(game: Game) -> str:
    """Return how many seats play, in words."""
    return "1 seat" if game.num_seats == 1 else f"{game.num_seats} seats"


def measure(
    game: Game, names: Sequence[str], agents: Sequence[Bot], num_games: int, seed: int
) -> tuple[list[Line], Results]:
    """Play the games behind a progress bar and return the lines."""
    bar = games_bar()
    with bar:
        total = -(-num_games // game.num_seats) * game.num_seats
        task = bar.add_task(" v ".join(dict.fromkeys(names)), total=total)
        results = play_games(game, agents, num_games, seed, progress=lambda n: bar.advance(task, n))
    return summarise(names, results), results


def measure_alone(
    game: Game, names: Sequence[str], agents: Sequence[Bot], num_games: int, seed: int
) -> tuple[list[Line], Results]:
    """Let each agent play the same deals on the one seat there is; a line for each."""
    found = [
        measure(game, [name], [agent], num_games, seed)
        for name, agent in zip(names, agents, strict=True)
    ]
    return [line for lines, _ in found for line in lines], join([results for _, results in found])


def to_json(config: Any, lines: Sequence[Line], results: Results) -> dict[str, Any]:
    """Return the result for a file."""
    return {
        "config": asdict(config),
        "lines": [asdict(line) for line in lines],
        "mean_turns": float(results.turns.mean()),
        "mean_plies": float(results.plies.mean()),
        "truncated": float(results.truncated.mean()),
        **provenance(),
    }


def main(config: Config) -> None:
    """Run the evaluation."""
    if config.games < 1:
        raise InvalidOption(f"games={config.games}: expected a whole number from 1")
    game = sprawl_env.game(
        config.game, num_players=config.num_players, **parse_options(config.options)
    )
    alone = game.num_seats == 1
    names = list(config.agents) if alone else line_up(config.agents, game.num_seats)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # on a busy machine torch's threads hinder it
    made = {name: make_bot(name, game) for name in dict.fromkeys(names)}
    play = measure_alone if alone else measure
    lines, results = play(game, names, [made[n] for n in names], config.games, config.seed)
    against = " against the automaton" if alone else ""
    title = f"{game.title}, {seats_of(game)}{against}, seed {config.seed}"
    console().print(table(title, lines, margins=alone))
    console().print(
        f"{results.turns.mean():.1f} turns and {results.plies.mean():.1f} plies a game, "
        f"{results.truncated.mean():.1%} cut off at the turn limit"
    )
    if config.out is not None:
        text = json.dumps(to_json(config, lines, results), indent=1, default=str)
        write_atomically(config.out, text)


if __name__ == "__main__":
    run(main, Config)
