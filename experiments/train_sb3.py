"""Train with an unmodified ``MaskablePPO`` of sb3-contrib, for those who know that library.

Example::

    python -m experiments.train_sb3 --total-steps 500000
    sprawl-env evaluate --game tower_up --bots checkpoint:runs/tower_up-sb3-0 greedy

``experiments.train`` is faster and stronger.  Both train the same network and write the same
checkpoints, and each can start from the other's (``--start``).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

import sprawl_env
from sprawl_env.adapters.sb3 import SelfPlayVecEnv
from sprawl_env.arena.evaluation import table
from sprawl_env.bots.policy.checkpoint import (
    POLICY,
    SHAPE,
    SHARES,
    checkpoints_in,
    describe_game,
    load,
    reward_scale_of,
    save,
    step_name,
)
from sprawl_env.bots.policy.network import network_for
from sprawl_env.bots.policy.player import PolicyBot, weights_of
from sprawl_env.console import console, run
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.game import Game

PAST_EVERY = 50_000  # learner decisions between two networks that join the opponents
MOST_PAST = 8  # networks among the opponents; the oldest one is replaced
BOTS = ("greedy", "random")


@dataclass(frozen=True)
class Config:
    """Train with MaskablePPO of sb3-contrib.

    Example: python -m experiments.train_sb3 --game ginkgopolis
    """

    game: str = "tower_up"
    """name of the game"""
    num_players: int = 2
    """number of seats"""
    seed: int = 0
    """seed of deals, weights and samples"""
    total_steps: int = 500_000
    """learner decisions"""
    reward_scale: float = 0.05
    """factor on rewards"""
    width: int = 32
    """width of the layers for each kind of thing; with start its own"""
    trunk: int = 128
    """width of the layers for the whole observation; with start its own"""
    start: Path | None = None
    """checkpoint whose weights the training starts from"""
    games: int = 1000
    """paired games against greedy at the end; 0: none"""
    runs: Path = Path("runs")
    """folder in which the run's folder is created"""


class Scaled(BaseFeaturesExtractor):
    """Turns observations of whole numbers into floats in [-1, 1]."""

    def __init__(self, space: Any, game: Game) -> None:
        super().__init__(space, game.observation_size)
        scales = torch.from_numpy(game.observation_layout.scales.copy())
        self.register_buffer("scales", scales, persistent=False)

    def forward(self, observations: Tensor) -> Tensor:
        """Return the features ``[n, observation_size]``."""
        return observations * self.get_buffer("scales")


class EntityPolicy(MaskableActorCriticPolicy):  # type: ignore[misc]  # untyped library
    """A policy of the library with the network of this package; ``net_arch`` has its widths."""

    def __init__(self, *args: Any, game: Game, **kwargs: Any) -> None:
        self._game = game
        super().__init__(*args, ortho_init=False, **kwargs)

    def _build_mlp_extractor(self) -> None:
        self.mlp_extractor = network_for(self._game, **self.net_arch)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.action_net = nn.Identity()  # the network already returns logits
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )


class Past(BaseCallback):
    """Lets copies of the policy join the opponents."""

    joined = 0  # number of copies so far

    def _on_rollout_start(self) -> None:
        learner: Any = self.model
        env: Any = self.training_env
        if self.num_timesteps >= (self.joined + 1) * PAST_EVERY:
            copy = PolicyBot.from_network("past", learner.policy.mlp_extractor, self.num_timesteps)
            opponents, place = list(env.opponents), len(BOTS) + self.joined % MOST_PAST
            opponents[place : place + 1] = [copy]
            env.set_opponents(opponents)
            self.joined += 1

    def _on_step(self) -> bool:
        return True


def train(config: Config) -> None:
    """Train, write a checkpoint and measure it."""
    folder = config.runs / f"{config.game.replace(':', '-')}-sb3-{config.seed}"
    if checkpoints_in(folder / "checkpoints"):
        raise InvalidOption(f"run {str(folder)!r} exists: move it, or use another --seed or --runs")
    game = sprawl_env.game(config.game, num_players=config.num_players)
    start = load(config.start, game) if config.start else None
    env = SelfPlayVecEnv(
        game, 256, opponents=list(BOTS), reward="lead", scale=config.reward_scale,
        seed=config.seed, observations="int8",
    )  # fmt: skip
    sizes = config if start is None else weights_of(start, game)[0]
    shape = {key: getattr(sizes, key) for key in SHAPE}
    model = MaskablePPO(
        EntityPolicy, env, n_steps=32, batch_size=512, n_epochs=2, gamma=0.999, gae_lambda=0.85,
        ent_coef=0.01, learning_rate=1e-3, seed=config.seed, device="cpu", verbose=1,
        policy_kwargs={
            "game": game, "net_arch": shape,
            "features_extractor_class": Scaled, "features_extractor_kwargs": {"game": game},
        },
    )  # fmt: skip
    if start is not None:
        kept = {k: v for k, v in start.tensors.items() if not k.startswith(SHARES)}  # of searches
        tensors = {k: torch.from_numpy(v.copy()) for k, v in kept.items()}
        own = {k.removeprefix(POLICY): v for k, v in tensors.items() if k.startswith(POLICY)}
        same = start.about.get("config", {}).get("reward") == "lead"  # else its values are no use
        for name in ("value_net.weight", "value_net.bias"):
            own[name] *= config.reward_scale / reward_scale_of(start) if same else 0.0
        model.policy.load_state_dict(own)
    model.learn(config.total_steps, callback=Past())
    weights = {f"{POLICY}{k}": v.numpy() for k, v in model.policy.state_dict().items()}
    about = {
        **describe_game(game), "step": model.num_timesteps, "seed": config.seed, "network": shape,
        "config": {
            **{k: str(v) if isinstance(v, Path) else v for k, v in asdict(config).items()},
            "reward": "lead", "gamma": 0.999,  # what the values count
        },
    }  # fmt: skip
    save(folder / "checkpoints" / step_name(model.num_timesteps), weights, about)
    if config.games:
        line_up = [f"checkpoint:{folder}"] + ["greedy"] * (config.num_players - 1)
        found = sprawl_env.evaluate(game, line_up, num_games=config.games, seed=config.seed + 1)
        console().print(table(found.title, found.lines))


if __name__ == "__main__":
    run(train, Config)
