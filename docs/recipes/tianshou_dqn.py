"""Double DQN with masks in Tianshou: a learner against random opponents.

    pip install sprawl-env tianshou==2.0.1 torch
    python tianshou_dqn.py --game tower_up --epochs 10

The opponents play inside the environment, so the reward of a decision holds all that the learner
earned until its next one.  Tianshou's own ``PettingZooEnv`` shows the learner's action the next
observation of an opponent instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import tyro
from gymnasium import spaces
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from sprawl_env.adapters.gym import BoardGameGym

SIZES = (128, 128)  # of the network's layers
TEST_SEEDS = 10**6  # added to the seeds of the tests, which have other deals than the training


@dataclass(frozen=True)
class Config:
    """Train a learner with Tianshou's DQN.

    Example: python tianshou_dqn.py --game ginkgopolis --epochs 20
    """

    game: str = "tower_up"
    """name of the game"""
    num_envs: int = 8
    """environments that play in turns"""
    epochs: int = 10
    """parts of the training; each ends with a test"""
    steps: int = 4000
    """decisions of the learner in each epoch"""
    games: int = 40
    """games of each test"""
    seed: int = 0
    """seed of the deals"""


class Masked(gymnasium.ObservationWrapper[Any, Any, Any]):
    """Names the parts of an observation as Tianshou expects them: ``obs`` and ``mask``."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        count = int(env.action_space.n)
        self.observation_space = spaces.Dict(
            {"obs": env.observation_space["observation"], "mask": spaces.MultiBinary(count)}
        )

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Play; a game at its turn limit is scored, so its end is no reason to bootstrap."""
        seen, reward, terminated, truncated, info = super().step(action)
        return seen, reward, terminated or truncated, False, info

    def observation(self, observation: Any) -> Any:
        """Rename the parts."""
        mask = observation["action_mask"].astype(np.bool_)
        return {"obs": observation["observation"], "mask": mask}


def environments(config: Config, first: int = 0) -> DummyVectorEnv:
    """Return the environments, with different deals; ``first`` is added to their seeds."""

    def maker(k: int) -> Callable[[], Masked]:
        return lambda: Masked(BoardGameGym(config.game, observation="dict"))

    made = DummyVectorEnv([maker(k) for k in range(config.num_envs)])
    made.seed([config.seed * 1000 + first + k for k in range(config.num_envs)])
    return made


def algorithm(env: Masked) -> DQN[Any]:
    """Return double DQN with a network for the game."""
    net = Net(
        state_shape=env.observation_space["obs"].shape,  # type: ignore[index]
        action_shape=int(env.action_space.n),  # type: ignore[attr-defined]
        hidden_sizes=SIZES,
    )
    policy = DiscreteQLearningPolicy(
        model=net,
        action_space=env.action_space,
        observation_space=env.observation_space,
        eps_training=0.1,
    )
    return DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=3e-4),
        gamma=1.0,
        n_step_return_horizon=5,
        target_update_freq=200,
    )


def main(config: Config) -> Any:
    """Train, and return Tianshou's report; its rewards are +1 for a win and -1 for a loss."""
    learner = algorithm(Masked(BoardGameGym(config.game, observation="dict")))
    memory = VectorReplayBuffer(50_000, config.num_envs)
    training = Collector(learner, environments(config), memory, exploration_noise=True)
    testing = Collector(learner, environments(config, TEST_SEEDS))
    training.reset()
    training.collect(n_step=config.num_envs * 32)
    report = learner.run_training(
        OffPolicyTrainerParams(
            training_collector=training,
            test_collector=testing,
            max_epochs=config.epochs,
            epoch_num_steps=config.steps,
            collection_step_num_env_steps=config.num_envs * 4,
            test_step_num_episodes=config.games,
            batch_size=128,
            update_step_num_gradient_steps_per_sample=0.1,
            show_progress=False,
        )
    )
    last = testing.collect(n_episode=config.games, reset_before_collect=True).returns.mean()
    print(f"{report.update_step} updates, mean reward against random {last:+.2f}")  # noqa: T201
    return report


if __name__ == "__main__":
    main(tyro.cli(Config))
