"""What a run of training writes and shows: checkpoints, evaluations, curves and progress.

The training itself is in :mod:`sprawl_env.learning.training`.
"""

from __future__ import annotations

import io
import json
import time
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np
import safetensors.numpy
from rich.console import Console
from torch.utils.tensorboard import SummaryWriter

from sprawl_env.arena.evaluation import Line, measure, measure_alone, seats_of, table
from sprawl_env.bots.names import make_bot
from sprawl_env.bots.policy.agents import find_agent
from sprawl_env.bots.policy.checkpoint import (
    SHAPE,
    CheckpointError,
    checkpoints_in,
    describe_game,
    load,
    save,
    step_name,
)
from sprawl_env.console import console, say
from sprawl_env.core.errors import UnknownName
from sprawl_env.core.files import write_atomically
from sprawl_env.core.game import Game
from sprawl_env.core.provenance import provenance
from sprawl_env.core.state import AUTOMATON
from sprawl_env.learning.config import PRESETS, SHIPPED, Config
from sprawl_env.learning.ppo import Learner, SelfPlay, Stopwatch
from sprawl_env.learning.process import Clock
from sprawl_env.learning.runs import add_row, progress_bar, read_rows
from sprawl_env.learning.stored import model_tensors

RECENT_GAMES: Final = 400  # number of games in the win rates shown
GAMES_FILE: Final = "games.safetensors"  # in a checkpoint: the games that were being played
KEPT_GAMES: Final = 2  # number of the newest checkpoints that keep it
REFERENCES: Final = ("random", "greedy")  # the bots that measure a policy
EVALUATIONS: Final = "evaluations.jsonl"
PLAIN_SECONDS: Final = 20.0  # time between lines of progress if the output is not a terminal


class Report:
    """Rank 0's files and progress.

    Args:
        config: the settings.
        folder: of the run.
        game: the game.
        step: where the run goes on; None: it begins.
    """

    def __init__(self, config: Config, folder: Path, game: Game, step: int | None) -> None:
        self._config, self._folder, self._game = config, folder, game
        self._last_line = time.monotonic()
        self._shown: tuple[int, float] | None = None  # step and seconds of the round before
        self._speed = 0.0
        self._won: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=RECENT_GAMES))
        later = None if step is None else step + 1  # what was logged after the checkpoint goes
        self._writer = SummaryWriter(str(folder / "tensorboard"), purge_step=later)
        self._console = console()
        self._bar = progress_bar("rates")
        self._task = self._bar.add_task("training", total=1.0, rates="")

    def close(self) -> None:
        """Stop the progress bar, restore the terminal and close the curves."""
        self._bar.stop()
        self._writer.close()

    def save(
        self, clock: Clock, learner: Learner, games: SelfPlay, stored: Mapping[str, Any]
    ) -> None:
        """Write a checkpoint, then measure it if it is due.

        If the user wants to stop, it is measured when the run is resumed.

        Args:
            clock: of the run.
            learner: its network and optimizer.
            games: of this process, from whose observations silent units are found.
            stored: the arrays of the games of all processes.
        """
        step, config = clock.steps, self._config
        about = {
            **describe_game(self._game),
            "step": step,
            "seconds": round(clock.seconds, 3),
            "seed": config.seed,
            "network": {key: getattr(config, key) for key in SHAPE},
            "config": json.loads(json.dumps(asdict(config), default=str)),
        }
        folder = self._folder / "checkpoints"
        path = folder / step_name(step)
        files = {GAMES_FILE: safetensors.numpy.save(dict(stored))} if stored else {}
        save(path, model_tensors(learner), about, files)
        for old in checkpoints_in(folder)[:-KEPT_GAMES]:
            (old / GAMES_FILE).unlink(missing_ok=True)
        for layer, share in learner.net.silent_units(games.numbers).items():
            self._writer.add_scalar(f"silent_units/{layer}", share, step)
        if not clock.interrupted:
            with clock.paused():
                self.measure_if_due(path, step, about["seconds"])

    def measure_if_due(self, path: Path, step: int, seconds: float) -> None:
        """Measure a checkpoint and add a line to the run's evaluations, if it has none."""
        if not is_due(self._config, self._folder, step):
            return
        lines = measure_policy(self._config, path, self._game, progress=False)
        row = {
            "step": step,
            "seconds": seconds,
            "results": {name: [asdict(line) for line in found] for name, found in lines.items()},
        }
        add_row(self._folder / EVALUATIONS, row)
        for name, found in lines.items():
            self._writer.add_scalar(f"evaluation/{name}", found[0].wins, step)

    def show(
        self, clock: Clock, watch: Stopwatch, games: SelfPlay, statistics: Mapping[str, float]
    ) -> None:
        """Show and log one round.

        Args:
            clock: of the run.
            watch: the shares of the time.
            games: with the games that have ended.
            statistics: the means of what the update logs.
        """
        step = clock.steps
        for name, share in games.won:
            self._won[name].append(share)
        rates = ", ".join(f"{name} {np.mean(won):.0%}" for name, won in self._won.items())
        seconds = clock.seconds
        before, self._shown = self._shown, (step, seconds)
        if before is not None and seconds > before[1]:
            now = (step - before[0]) / (seconds - before[1])
            self._speed = 0.9 * self._speed + 0.1 * now if self._speed else now
        for name, value in statistics.items():
            self._writer.add_scalar(f"train/{name}", value, step)
        for name, won in self._won.items():
            self._writer.add_scalar(f"wins/{name}", float(np.mean(won)), step)
        for part, share in watch.shares().items():
            self._writer.add_scalar(f"time/{part}", share, step)
        speed = ""
        if self._speed:
            self._writer.add_scalar("time/decisions_per_second", self._speed, step)
            speed = f"{self._speed:,.0f}/s"
        self._bar.start()
        self._bar.update(
            self._task,
            completed=clock.fraction,
            description=f"step {step:,}" + (f" ({speed})" if speed else ""),
            rates=f"wins {rates}" if rates else "",
        )
        if not self._console.is_terminal and time.monotonic() - self._last_line > PLAIN_SECONDS:
            self._last_line = time.monotonic()
            self._console.print(f"{clock.fraction:4.0%}  step {step:,}  {speed}  {rates}")


def is_due(config: Config, folder: Path, step: int) -> bool:
    """Return whether to measure a checkpoint: the first one at or after each multiple."""
    every = config.evaluate_every
    before = [row["step"] for row in read_evaluations(folder) if row["step"] <= step]
    return every > 0 and step // every > max(before, default=0) // every


def read_evaluations(folder: Path) -> list[dict[str, Any]]:
    """Return the measurements of a run while it trained, in order; damaged lines are left out."""
    return read_rows(folder / EVALUATIONS)


def shipped_agent(config: Config, game: Game) -> str | None:
    """Return the package's agent that was trained for as long on the same game, if there is one."""
    minutes = {PRESETS[preset].max_minutes: names for preset, names in SHIPPED.items()}
    names = minutes.get(config.max_minutes, ())
    for each in (*names, *(f"{name}-{game.num_seats}p" for name in names)):
        try:
            about = load(find_agent(f"agent:{game.name}/{each}", game)).about
        except (UnknownName, CheckpointError):
            continue
        if all(about.get(key) == value for key, value in describe_game(game).items()):
            return f"agent:{game.name}/{each}"
    return None


def measure_policy(
    config: Config,
    path: Path,
    game: Game,
    against: Sequence[str] = REFERENCES,
    *,
    progress: bool = True,
) -> dict[str, list[Line]]:
    """Return the lines of a checkpoint against reference bots, by opponent.

    On one seat the policy and these bots play the same deals against the automaton.
    """
    trained = make_bot(f"checkpoint:{path}", game)
    references = {name: make_bot(name, game) for name in against}
    num_games, seed = config.evaluation_games, config.seed + 1
    if game.num_seats == 1:
        names, bots = ["policy", *references], [trained, *references.values()]
        lines, _ = measure_alone(game, names, bots, num_games, seed, progress=progress)
        return {AUTOMATON: lines}
    others = game.num_seats - 1
    found = {}
    for name, reference in references.items():
        names, bots = ["policy"] + [name] * others, [trained] + [reference] * others
        found[name], _ = measure(game, names, bots, num_games, seed, progress=progress)
    return found


def evaluate(config: Config, folder: Path, game: Game) -> dict[str, list[Line]]:
    """Evaluate the newest checkpoint; write a table and JSON, and return the lines by opponent."""
    shipped = shipped_agent(config, game)
    lines = measure_policy(config, folder, game, (*REFERENCES, *([shipped] if shipped else [])))
    name = f"checkpoint:{folder}"
    shown_name = make_bot(name, game).name
    out, plain = console(), io.StringIO()
    text = Console(file=plain, width=110)
    for opponent, found in lines.items():
        title = f"{game.title}, {seats_of(game)}: {shown_name} v {opponent}"
        shown = table(title, found, margins=game.num_seats == 1)
        out.print(shown)
        text.print(shown)
    write_atomically(folder / "evaluation.txt", plain.getvalue())
    result = {
        "checkpoint": shown_name,
        "results": {name: [asdict(line) for line in found] for name, found in lines.items()},
        "config": asdict(config),
        **provenance(),
    }
    write_atomically(folder / "evaluation.json", json.dumps(result, indent=1, default=str))
    say(f"policy: {name}   results: {folder / 'evaluation.txt'}")
    return lines
