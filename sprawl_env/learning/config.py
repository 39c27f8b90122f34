"""The settings of a training run and their presets; importing them does not import torch."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sprawl_env.bots.policy.checkpoint import MOST_WIDTH
from sprawl_env.core.arguments import check_fields
from sprawl_env.core.errors import InvalidOption, short
from sprawl_env.core.rewards import reward_mode
from sprawl_env.learning.runs import read_settings


@dataclass(frozen=True)
class Config:
    """Train a policy by self-play: masked PPO.

    Example: python -m experiments.train --preset quick --game ginkgopolis --seed 1
    """

    preset: str = "quick"
    """the defaults: quick (3 minutes of training) or full (2 hours)"""
    game: str = "tower_up"
    """name of the game, or module:RULES for a game of your own"""
    num_players: int = 2
    """number of seats"""
    options: tuple[str, ...] = ()
    """further options of the game, e.g. objectives=start"""
    seed: int = 0
    """seed of deals, opponents, weights and samples"""
    total_steps: int = 1_000_000_000
    """decisions to learn from"""
    max_minutes: float = 3.0
    """time limit of training, without the evaluation; 0: no limit"""
    num_envs: int = 512
    """games that are played at the same time"""
    num_steps: int = 32
    """plies of each game between two updates"""
    batch_size: int = 2048
    """decisions in a gradient step"""
    num_epochs: int = 3
    """passes over the decisions of an update"""
    learning_rate: float = 1.5e-3
    """Adam's step size at the start, annealed to 5% of it by the end of the run"""
    entropy: float = 0.01
    """weight of the entropy bonus at the start, annealed like the step size"""
    gamma: float = 0.0
    """discount for each decision; 0: 0.99 in games of less than 50 decisions a seat, else 0.998"""
    gae_lambda: float = 0.9
    """lambda of generalized advantage estimation"""
    width: int = 32
    """width of the layers for sites, cards and so on; with start its own"""
    trunk: int = 128
    """width of the layers for the whole observation; with start its own"""
    reward: str = "lead"
    """winner, rank, margin, score or lead (sprawl_env.core.rewards)"""
    reward_scale: float = 0.05
    """factor on rewards"""
    past_share: float = 0.0
    """share of games against earlier networks of the run"""
    greedy_share: float = 0.0
    """share of games against greedy"""
    random_share: float = 0.0
    """share of games against random"""
    opponent: str = ""
    """a further bot to play against, e.g. planner or agent:best (default: none)"""
    opponent_share: float = 0.0
    """share of games against it; in all games that are left the policy plays itself"""
    opening_share: float = 0.0
    """share of games that begin with random plies, so that they start from many positions"""
    opening_plies: int = 20
    """the most random plies at the start of such a game"""
    pool_size: int = 8
    """number of the newest checkpoints that the earlier networks are drawn from"""
    imitation: int = 400_000
    """decisions of the expert to imitate before step 1, within time and memory; 0: none"""
    expert: str = ""
    """bot to imitate, e.g. greedy (default: the expert of the game's heuristic)"""
    imitation_share: float = 0.35
    """share of the training time after which imitation stops"""
    imitation_epochs: int = 12
    """passes over the imitated decisions"""
    start: Path | None = None
    """folder of a run or checkpoint, or agent:NAME, whose weights training starts from, instead of
    imitation"""
    checkpoint_every: int = 200_000
    """most decisions learned from between checkpoints; at first they lie closer"""
    evaluate_every: int = 0
    """decisions learned from between evaluations while training, at checkpoints; 0: none"""
    evaluation_games: int = 1000
    """paired games against each reference bot at the end; 0: none"""
    processes: int = 0
    """processes that share the games and the gradient steps; 0: on a GPU one, else one a core, or
    fewer, so that they divide num_envs"""
    device: str = "auto"
    """cpu, cuda (a GPU), or auto: a GPU if there is one"""
    precision: str = "auto"
    """of multiplied matrices: float32, or bfloat16 on a GPU; auto: bfloat16 on a GPU"""
    runs: Path = Path("runs")
    """folder in which the run's folder is created"""
    name: str = ""
    """name of the run's folder (default: GAME-PRESET-SEED)"""
    resume: Path | None = None
    """folder of a run to continue, with its own config"""


PRESETS = {
    "quick": Config(),
    "full": Config(
        preset="full",
        max_minutes=120.0,
        num_envs=1024,
        batch_size=4096,
        pool_size=16,
        checkpoint_every=1_000_000,
        evaluation_games=4000,
    ),
}

SHIPPED: Final = {"quick": ("quick",), "full": ("ppo-150m", "ppo-120min", "ppo-2h")}
"""For each preset the agents of the package that it has trained; the first one of a game counts."""


_MANY: Final = 10**15  # more than any run can do
_WHOLE: Final = {  # allowed whole numbers
    "num_players": (1, 127),
    "seed": (0, 2**31 - 1),
    "total_steps": (1, _MANY),
    "num_envs": (1, 10**7),
    "num_steps": (1, 10**7),
    "batch_size": (1, 10**9),
    "num_epochs": (1, 10**6),
    "width": (1, MOST_WIDTH),
    "trunk": (1, MOST_WIDTH),
    "opening_plies": (1, 10**6),
    "pool_size": (1, 10**6),
    "imitation": (0, _MANY),
    "imitation_epochs": (0, 10**6),
    "checkpoint_every": (1, _MANY),
    "evaluate_every": (0, _MANY),
    "evaluation_games": (0, 10**9),
    "processes": (0, 1024),
}
_SHARES: Final = (
    "gamma", "gae_lambda", "past_share", "greedy_share", "random_share", "opponent_share",
    "opening_share", "imitation_share",
)  # fmt: skip
_FLOATS: Final = {  # the largest value allowed; none may be negative
    **dict.fromkeys(_SHARES, 1.0),
    **dict.fromkeys(("learning_rate", "reward_scale", "max_minutes", "entropy"), float(_MANY)),
}
_POSITIVE: Final = ("learning_rate", "reward_scale", "imitation_share")
_FOLDER: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,199}")
_HELD_OUT: Final = "heldout"  # bots that nothing is trained against
DEVICES: Final = ("auto", "cpu", "cuda")
PRECISIONS: Final = ("auto", "float32", "bfloat16")
_BOTS: Final = ("greedy_share", "random_share", "opponent_share")
_POOL: Final = ("past_share", *_BOTS)
LEAST_DECISIONS: Final = 2  # of a seat between two updates, if the seats take turns


def check(config: Config) -> None:
    """Check all values of a config.

    Raises:
        InvalidOption: a value is not allowed; the message says which are.
    """
    check_fields(config, "")
    check_whole_numbers(config, _WHOLE)
    check_floats(config, _FLOATS, _POSITIVE)
    check_folder(config.name)
    reward_mode(config.reward)
    check_device(config)
    if math.fsum(getattr(config, name) for name in _POOL) > 1:
        raise InvalidOption(f"{', '.join(_POOL)}: expected a sum of at most 1")
    if bool(config.opponent) != (config.opponent_share > 0):
        raise InvalidOption("opponent, opponent_share: expected both or none")
    if config.num_players == 1:
        for name in _BOTS:
            if getattr(config, name) > 0:
                raise InvalidOption(
                    f"{name}={getattr(config, name)}: expected 0 with num_players=1: alone, a "
                    f"policy meets no bot"
                )
    if config.evaluate_every and not config.evaluation_games:
        raise InvalidOption(
            f"evaluate_every={config.evaluate_every}: expected evaluation_games of 1 or more, or "
            f"evaluate_every=0"
        )
    for name in ("opponent", "expert"):
        if getattr(config, name).partition(":")[0] == _HELD_OUT:
            raise InvalidOption(
                f"{name}={getattr(config, name)}: results are reported against these bots: "
                f"expected another one"
            )
    if config.num_steps < LEAST_DECISIONS * config.num_players:
        raise InvalidOption(
            f"num_steps={config.num_steps}: expected at least {LEAST_DECISIONS} * num_players = "
            f"{LEAST_DECISIONS * config.num_players}: a decision is used for learning only after "
            f"the next decision of its seat"
        )
    if config.batch_size > config.num_envs * config.num_steps:
        raise InvalidOption(
            f"batch_size={config.batch_size}: expected at most num_envs * num_steps = "
            f"{config.num_envs * config.num_steps}"
        )
    check_processes(config)


def read_config(folder: Path) -> Config:
    """Return the settings of a run that is to be resumed.

    Raises:
        InvalidOption: the run does not exist, or its settings are damaged.
    """
    return read_settings(folder, Config, check)


def check_device(config: Any) -> None:
    """Check the device and the precision of a config.

    Raises:
        InvalidOption: one is not known.
    """
    for name, known in (("device", DEVICES), ("precision", PRECISIONS)):
        value = getattr(config, name)
        if value not in known:
            raise InvalidOption(f"{name}={short(value)}: expected {', '.join(known)}")


def check_folder(name: str) -> None:
    """Check the name of a run's folder; an empty one stands for the default.

    Raises:
        InvalidOption: it is none.
    """
    if name and not _FOLDER.fullmatch(name):
        raise InvalidOption(
            f"name={name!r}: expected the name of a folder: letters, digits, '.', '_', '-'"
        )


def check_whole_numbers(config: Any, limits: Mapping[str, tuple[int, int]]) -> None:
    """Check the whole numbers of a config.

    Args:
        config: the settings.
        limits: the least and the largest value by name.

    Raises:
        InvalidOption: one is something else.
    """
    for name, (low, high) in limits.items():
        value = getattr(config, name)
        if type(value) is not int or not low <= value <= high:
            raise InvalidOption(f"{name}={short(value)}: expected a whole number {low}..{high}")


def check_floats(config: Any, most: Mapping[str, float], positive: Collection[str]) -> None:
    """Check the numbers of a config that need not be whole.

    Args:
        config: the settings.
        most: the largest value by name; the least is 0.
        positive: the names of those that may not be 0.

    Raises:
        InvalidOption: one is something else.
    """
    for name, high in most.items():
        value = getattr(config, name)
        if type(value) not in {int, float} or not 0 <= value <= high:  # not true of NaN
            raise InvalidOption(f"{name}={short(value)}: expected 0..{high:g}")
        if name in positive and value == 0:
            raise InvalidOption(f"{name}={value}: expected more than 0")


def check_processes(config: Any) -> None:
    """Check that the processes of a config can share its games.

    Raises:
        InvalidOption: they cannot.
    """
    if config.processes and config.num_envs % config.processes:
        raise InvalidOption(
            f"num_envs={config.num_envs}: expected a multiple of processes={config.processes}, "
            f"which share them"
        )
