"""The settings of expert iteration; importing them does not import torch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sprawl_env.core.arguments import check_fields
from sprawl_env.core.errors import InvalidOption, short
from sprawl_env.learning.config import (
    check_device,
    check_floats,
    check_folder,
    check_processes,
    check_whole_numbers,
)
from sprawl_env.learning.runs import read_settings


@dataclass(frozen=True)
class ExpertConfig:
    """Train a policy by expert iteration: it learns what a search with its network finds.

    Example: python -m experiments.train_search --start tower_up/ppo-1h --max-minutes 30
    """

    preset: str = "full"
    """the defaults: full (2 hours) or quick (minutes)"""
    game: str = "tower_up"
    """name of the game, or module:RULES for a game of your own"""
    num_players: int = 2
    """number of seats"""
    options: tuple[str, ...] = ()
    """further options of the game, e.g. objectives=start"""
    seed: int = 0
    """seed of deals, searches, weights and samples"""
    start: str = "best"
    """agent to begin with: its name, or checkpoint:PATH"""
    temperature: float = 1.0
    """of the start's policy: its logits are divided by it; above 1 it is less sure at first"""
    total_steps: int = 1_000_000_000
    """searched decisions to learn from"""
    max_minutes: float = 120.0
    """time limit of training, without the evaluation; 0: no limit"""
    num_envs: int = 512
    """games that are played at the same time"""
    sims: int = 64
    """simulations of a search that is learnt from"""
    fast_sims: int = 4
    """simulations of all other searches"""
    full_share: float = 0.5
    """share of the decisions that are searched fully and learnt from"""
    gumbel: int = 8
    """most actions that a search compares at the root"""
    scale: float = 2.0
    """of a search's values against the logits (sprawl_env.bots.search.search)"""
    c: float = 1.0
    """weight of exploration in a search"""
    rollout: int = 0
    """decisions that the policy plays on where a simulation leaves the tree"""
    outcome_share: float = 0.7
    """share of the game's outcome in the values that are learnt; the search's value has the rest"""
    divergence: str = "forward"
    """forward: the cross-entropy with the search's policy; reverse: the divergence of the learner's
    policy from it, in which noise of the search's values averages out"""
    margin_weight: float = 0.5
    """weight of the loss of the predicted margin"""
    reward_scale: float = 0.05
    """factor on margins in that loss"""
    window: int = 300_000
    """newest searched decisions that are learnt from"""
    reuse: float = 4.0
    """times each of them is learnt from, about"""
    batch_size: int = 1024
    """decisions in a gradient step"""
    learning_rate: float = 1e-3
    """Adam's step size, which grows in the first 100 gradient steps and is annealed to 5% of it"""
    averaging: float = 0.998
    """share of the old mean, per gradient step, in the running mean of the learner's weights, which
    plays its matches; 0: the newest weights"""
    gate_every: int = 100_000
    """searched decisions between two matches of the learner against the player"""
    gate_games: int = 400
    """paired games in such a match"""
    evaluation_games: int = 2000
    """paired games against each reference at the end; 0: none"""
    processes: int = 0
    """processes that share the games and the gradient steps; 0: on a GPU one, else one a core, or
    fewer, so that they divide num_envs"""
    device: str = "auto"
    """cpu, cuda (a GPU), or auto: a GPU if there is one"""
    precision: str = "auto"
    """of multiplied matrices in searches: float32, or bfloat16 on a GPU; auto: bfloat16 there"""
    runs: Path = Path("runs")
    """folder in which the run's folder is created"""
    name: str = ""
    """name of the run's folder (default: GAME-search-SEED)"""
    resume: Path | None = None
    """folder of a run to continue, with its own config"""


EXPERT_PRESETS: Final = {
    "full": ExpertConfig(),
    "quick": ExpertConfig(
        preset="quick", max_minutes=4.0, num_envs=256, gate_every=50_000, evaluation_games=400
    ),
}

FORWARD, REVERSE = "forward", "reverse"  # values of ``divergence``

_WHOLE: Final = {  # allowed whole numbers
    "num_players": (1, 127),
    "seed": (0, 2**31 - 1),
    "total_steps": (1, 10**15),
    "num_envs": (1, 10**6),
    "sims": (2, 100_000),
    "fast_sims": (1, 100_000),
    "gumbel": (1, 1000),
    "rollout": (0, 10_000),
    "window": (1, 10**8),
    "batch_size": (1, 10**7),
    "gate_every": (1, 10**15),
    "gate_games": (2, 10**6),
    "evaluation_games": (0, 10**9),
    "processes": (0, 1024),
}
_POSITIVE: Final = ("temperature", "full_share", "scale", "reuse", "learning_rate", "reward_scale")
_FLOATS: Final = {  # the largest value allowed; none may be negative
    **dict.fromkeys(("full_share", "outcome_share", "averaging"), 1.0),
    **dict.fromkeys(("reuse", "learning_rate", "reward_scale"), 1e9),
    **dict.fromkeys(("max_minutes", "margin_weight"), 1e9),
    **dict.fromkeys(("temperature", "scale", "c"), 100.0),
}


def check_expert(config: ExpertConfig) -> None:
    """Check all values of a config.

    Raises:
        InvalidOption: a value is not allowed; the message says which are.
    """
    check_fields(config, "")
    check_whole_numbers(config, _WHOLE)
    check_floats(config, _FLOATS, _POSITIVE)
    if config.fast_sims > config.sims:
        raise InvalidOption(f"fast_sims={config.fast_sims}: expected at most sims={config.sims}")
    if config.averaging == 1:
        raise InvalidOption("averaging=1: expected less: a mean that never moves learns nothing")
    if config.divergence not in (FORWARD, REVERSE):
        raise InvalidOption(f"divergence={short(config.divergence)}: expected {FORWARD}, {REVERSE}")
    check_device(config)
    check_processes(config)
    check_folder(config.name)
    if "," in str(config.runs):  # the name of a bot that searches has commas of its own
        raise InvalidOption(f"runs={str(config.runs)!r}: expected a folder without a comma")


def read_config(folder: Path) -> ExpertConfig:
    """Return the settings of a run that is to be resumed.

    Raises:
        InvalidOption: the run does not exist, or its settings are damaged.
    """
    return read_settings(folder, ExpertConfig, check_expert)
