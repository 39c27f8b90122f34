"""Measure how much the environment slows training down.

Example::

    python -m experiments.throughput                     # Tower Up, settings of the quick preset
    python -m experiments.throughput --seconds 60 --out runs/throughput.json

The same masked PPO trains on two environments, alternately: on the game with its opponent pool
(``random``, ``greedy``, a past policy), and on an environment with the same shapes that does
nothing.  The result is the ratio of their decisions per second.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from rich.table import Table
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

import sprawl_env
from sprawl_env.console import console, run
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.files import write_atomically
from sprawl_env.core.game import Game
from sprawl_env.core.provenance import provenance
from sprawl_env.kernels.arrays import Mask
from sprawl_env.learning.team import Team, start
from sprawl_env.learning.training import (
    PRESETS,
    Clock,
    SelfPlay,
    limit_threads,
    make_env,
    make_model,
)

LEGAL = 12  # legal actions per decision in the environment that does nothing
LENGTH = 30  # decisions per game in the environment that does nothing


@dataclass(frozen=True)
class Config:
    """Every setting of the measurement."""

    game: str = "tower_up"
    """name of the game, or the import path of its rules: module:RULES"""
    num_players: int = 2
    """number of seats"""
    seconds: float = 20.0
    """length of each training"""
    repeats: int = 3
    """number of measurements of each environment"""
    out: Path | None = None
    """JSON file for the result"""


class NullEnv(VecEnv):
    """Returns constant observations and masks; a game lasts ``LENGTH`` decisions."""

    def __init__(self, game: Game, num_envs: int) -> None:
        self.render_mode = None
        box = spaces.Box(-1.0, 1.0, (game.observation_size,), np.float32)
        super().__init__(num_envs, box, spaces.Discrete(game.num_actions))
        rng = np.random.default_rng(0)
        self._observations = rng.random((num_envs, game.observation_size), np.float32)
        self._masks: Mask = np.zeros((num_envs, game.num_actions), np.int8)
        self._masks[:, :LEGAL] = 1
        self._rewards = np.zeros(num_envs, np.float32)
        self._count = np.arange(num_envs)

    def reset(self) -> npt.NDArray[np.float32]:
        """Return the observations."""
        return self._observations

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Do nothing."""

    def step_wait(self) -> VecEnvStepReturn:
        """Return the same observations; end each game after ``LENGTH`` decisions."""
        self._count += 1
        done = self._count % LENGTH == 0
        return self._observations, self._rewards, done, [{} for _ in range(self.num_envs)]

    def set_opponents(self, opponents: Sequence[Any], weights: Any = None) -> None:
        """Do nothing."""

    def env_method(
        self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any
    ) -> list[Any]:
        """Return the masks."""
        rows: Any = self._masks
        return rows  # type: ignore[no-any-return]  # an array stacks faster than a list

    def has_attr(self, attr_name: str) -> bool:
        """Return whether the attribute is ``action_masks``."""
        return attr_name == "action_masks"

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return None for every game."""
        return [None] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Do nothing."""

    def env_is_wrapped(self, wrapper_class: type[Any], indices: VecEnvIndices = None) -> list[bool]:
        """Return False for every game."""
        return [False] * self.num_envs

    def close(self) -> None:
        """Do nothing."""


class TimeLimit(BaseCallback):
    """Stops training at the time limit."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    def _on_rollout_start(self) -> None:
        self._clock.agree()

    def _on_step(self) -> bool:
        return self._clock.fraction < 1.0


def rate(config: Config, *, real: bool) -> float:
    """Return the decisions per second of one short training."""
    processes = PRESETS["quick"].processes
    with start(processes, train_rank, config, real) as team:
        return train_rank(team, config, real)


def train_rank(team: Team, config: Config, real: bool) -> float:
    """Train as one rank; returns the decisions per second of all ranks."""
    settings = replace(
        PRESETS["quick"],
        game=config.game,
        num_players=config.num_players,
        total_steps=10**9,
        max_minutes=config.seconds / 60,
        checkpoint_every=10**9,
    )
    limit_threads()
    game = sprawl_env.game(config.game, num_players=config.num_players)
    env: Any = (
        make_env(settings, game, team, 0) if real else NullEnv(game, settings.num_envs // team.size)
    )
    env.reset()
    team.barrier()  # everything is compiled
    clock = Clock(settings, team)
    model = make_model(settings, game, env, clock, team)
    model.set_logger(Logger(None, []))
    started = time.perf_counter()
    model.learn(10**9, callback=SelfPlay(settings, game, clock) if real else TimeLimit(clock))
    return float(model.num_timesteps / (time.perf_counter() - started))


def main(config: Config) -> None:
    """Measure both environments alternately and print the ratio."""
    if config.seconds <= 0 or config.repeats < 1:
        raise InvalidOption("seconds and repeats: expected more than 0")
    sprawl_env.game(config.game, num_players=config.num_players)  # raises if an option is invalid
    rates: dict[str, list[float]] = {config.game: [], "an environment that does nothing": []}
    out = console()
    with out.status("measuring"):
        for _ in range(config.repeats):
            for name, found in rates.items():
                found.append(rate(config, real=name == config.game))
    shown = Table(title=f"Training, decisions/s, {PRESETS['quick'].processes} processes")
    for column in ("environment", "median", "lowest", "highest"):
        shown.add_column(column, justify="left" if column == "environment" else "right")
    for name, found in rates.items():
        figures = (statistics.median(found), min(found), max(found))
        shown.add_row(name, *(f"{figure:,.0f}" for figure in figures))
    out.print(shown)
    on_game, on_nothing = rates.values()
    ratios = [a / b for a, b in zip(on_game, on_nothing, strict=True)]
    ratio = statistics.median(ratios)
    spread = f"{min(ratios):.0%} – {max(ratios):.0%}"
    out.print(f"speed on {config.game} / speed on the other: {ratio:.0%} ({spread})")
    if config.out is not None:
        result = {"config": asdict(config), "rates": rates, "ratio": ratio, **provenance()}
        write_atomically(config.out, json.dumps(result, indent=1, default=str))


if __name__ == "__main__":
    run(main, Config)
