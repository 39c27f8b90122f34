"""Masked PPO with self-play in RLlib: one module plays and learns all seats.

    pip install sprawl-env 'ray[rllib]==2.60.0' torch
    python rllib_self_play.py --game tower_up --iterations 20

The environment is a ``MultiAgentEnv`` over the AEC environment.  An agent's reward arrives with its
next decision, and holds all that it earned in between, also in the turns of others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import ray
import tyro
from gymnasium import spaces
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from sprawl_env.adapters.aec import BoardGameAEC

MODULE = "all_seats"


@dataclass(frozen=True)
class Config:
    """Train a policy by self-play with RLlib.

    Example: python rllib_self_play.py --game ginkgopolis --iterations 50
    """

    game: str = "tower_up"
    """name of the game"""
    num_players: int = 2
    """number of seats"""
    iterations: int = 20
    """number of updates"""
    decisions: int = 4000
    """decisions of all seats in each update"""
    runners: int = 0
    """processes that play besides the learner's"""
    seed: int = 0
    """seed of everything"""


class SelfPlay(MultiAgentEnv):  # type: ignore[misc]  # ray is untyped here
    """A game with one agent for each seat, as RLlib's masked modules expect it.

    ``env_config`` is ``{"game": name, ...options}``.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        options = dict(config)
        self.env = BoardGameAEC(options.pop("game"), **options)
        self.possible_agents = self.agents = list(self.env.possible_agents)
        self.observation_spaces = {agent: self._space() for agent in self.agents}
        # They draw legal actions, as RLlib's check of environments needs it.
        self.action_spaces = {agent: self.env.action_space(agent) for agent in self.agents}

    def _space(self) -> spaces.Dict:
        game = self.env.game
        return spaces.Dict(
            {
                "observations": spaces.Box(-1.0, 1.0, (game.observation_size,), np.float32),
                "action_mask": spaces.Box(0.0, 1.0, (game.num_actions,), np.float32),
            }
        )

    def _seen(self, agent: str) -> dict[str, Any]:
        seen = self.env.observe(agent)
        mask = seen["action_mask"].astype(np.float32)
        return {"observations": seen["observation"], "action_mask": mask}

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, Any]:
        """Deal a game; only the agent that plays sees it."""
        self.env.reset(seed=seed)
        return {self.env.agent_selection: self._seen(self.env.agent_selection)}, {}

    def step(self, actions: dict[str, Any]) -> tuple[Any, ...]:
        """Play the action of the agent that owes one."""
        self.env.step(int(actions[self.env.agent_selection]))
        # A game at its turn limit is scored like a finished one: no reason to bootstrap.
        over = any(self.env.terminations.values()) or any(self.env.truncations.values())
        agents = list(self.env.agents) if over else [self.env.agent_selection]
        seen = {agent: self._seen(agent) for agent in agents}
        rewards = {a: value for a, value in self.env.rewards.items() if value or a in seen}
        return seen, rewards, {"__all__": over}, {"__all__": False}, {}


def algorithm(config: Config) -> PPOConfig:
    """Return RLlib's settings."""
    return (
        PPOConfig()
        .environment(SelfPlay, env_config={"game": config.game, "num_players": config.num_players})
        .env_runners(num_env_runners=config.runners)
        .multi_agent(policies={MODULE}, policy_mapping_fn=lambda *_, **__: MODULE)
        .rl_module(
            rl_module_spec=MultiRLModuleSpec(
                rl_module_specs={
                    MODULE: RLModuleSpec(
                        module_class=ActionMaskingTorchRLModule,
                        model_config={"head_fcnet_hiddens": [128, 128]},
                    )
                }
            )
        )
        .training(
            train_batch_size_per_learner=config.decisions,
            minibatch_size=min(512, config.decisions),
            num_epochs=4,
            lr=3e-4,
            gamma=1.0,
            entropy_coeff=0.01,
        )
        .debugging(seed=config.seed)
    )


def main(config: Config) -> list[float]:
    """Train, and return the mean length of the games of every iteration."""
    ray.init(num_cpus=1 + config.runners, object_store_memory=2**28, include_dashboard=False)
    built = algorithm(config).build_algo()
    lengths = []
    for k in range(config.iterations):
        result = built.train()
        games = result["env_runners"]
        lengths.append(float(games["episode_len_mean"]))
        loss = result["learners"][MODULE]["policy_loss"]
        print(f"update {k + 1}: games of {lengths[-1]:.0f} decisions, policy loss {loss:.4f}")  # noqa: T201
    built.stop()
    ray.shutdown()
    return lengths


if __name__ == "__main__":
    main(tyro.cli(Config))
