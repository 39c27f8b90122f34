"""PPO with masks in plain torch, over ``gymnasium.make_vec``: a learner against bots.

    pip install sprawl-env torch tyro
    python ppo.py                                      # two minutes of Tower Up against random
    python ppo.py --game Ginkgopolis --opponent greedy --seconds 3600

One file in the manner of CleanRL (https://github.com/vwxyzjn/cleanrl): change what you like.  The
masks are those of ``info["action_mask"]``.  The reward of a step holds all that the learner earns
until its next decision, so a step of this loop is a step of the textbook's.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import torch
import tyro
from torch import nn
from torch.distributions import Categorical

import sprawl_env  # noqa: F401 - registers the environments

MEASURED = 50  # games at once in the measurement


@dataclass(frozen=True)
class Config:
    """Train a learner against bots, then measure it."""

    game: str = "TowerUp"
    """id of the environment is sprawl_env/GAME-v0"""
    opponent: str = "random"
    """bot in the other seats"""
    seconds: float = 75.0
    """time for training"""
    games: int = 500
    """number of games of the measurement at the end"""
    num_envs: int = 64
    """games at once"""
    steps: int = 64
    """decisions of each game between updates"""
    epochs: int = 4
    """passes over the decisions in an update"""
    minibatches: int = 4
    """parts of a pass"""
    learning_rate: float = 1e-3
    """of Adam"""
    discount: float = 1.0
    """games end, so nothing needs to be discounted"""
    gae_lambda: float = 0.95
    """lambda of the generalized advantage estimate"""
    clip: float = 0.2
    """of the ratio of probabilities"""
    entropy: float = 0.01
    """weight of the entropy"""
    scale: float = 0.05
    """factor on the rewards, which are points"""
    width: int = 128
    """of the network's two layers"""
    seed: int = 1
    """of the deals, the network and the actions"""


class Policy(nn.Module):
    """Logits of the legal actions, and the value."""

    def __init__(self, size: int, num_actions: int, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(size, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh()
        )
        self.actor, self.critic = nn.Linear(width, num_actions), nn.Linear(width, 1)
        nn.init.orthogonal_(self.actor.weight, 0.01)

    def forward(self, seen: torch.Tensor, legal: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """Return the distribution of actions and the values ``[n]``."""
        hidden = self.body(seen)
        logits = self.actor(hidden).masked_fill(~legal, -1e8)
        return Categorical(logits=logits, validate_args=False), self.critic(hidden).squeeze(-1)


def make(config: Config, num_envs: int) -> Any:
    """Return games in which a learner has one seat; a game that ends is dealt in the same step."""
    return gymnasium.make_vec(
        f"sprawl_env/{config.game}-v0",
        num_envs,
        vectorization_mode="vector_entry_point",
        autoreset_mode="SameStep",
        opponent=config.opponent,
        reward="lead",  # the change of the lead in points: their sum is the margin at the end
    )


def tensors(seen: Any, info: dict[str, Any]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return observations and masks of all games as torch takes them."""
    return torch.from_numpy(seen), torch.from_numpy(info["action_mask"]).bool()


def advantages(
    rewards: torch.Tensor, values: torch.Tensor, ends: torch.Tensor, config: Config
) -> torch.Tensor:
    """Return generalized advantage estimates ``[steps, num_envs]``; ``values`` has a row more."""
    found, after = torch.zeros_like(rewards), torch.zeros(rewards.shape[1])
    for t in reversed(range(len(rewards))):
        goes_on = config.discount * ~ends[t]
        after = rewards[t] + goes_on * (values[t + 1] + config.gae_lambda * after) - values[t]
        found[t] = after
    return found


def update(
    policy: Policy, adam: torch.optim.Optimizer, batch: list[torch.Tensor], config: Config
) -> None:
    """Improve the policy by the decisions of a batch: parts ``[decisions, ...]``."""
    count = len(batch[0])
    for _ in range(config.epochs):
        for rows in torch.randperm(count).chunk(config.minibatches):
            seen, legal, actions, old, gain, returns = (part[rows] for part in batch)
            chances, values = policy(seen, legal)
            ratio = (chances.log_prob(actions) - old).exp()
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
            loss = -torch.min(ratio * gain, clipped * gain).mean()
            loss += 0.5 * (values - returns).square().mean()
            loss -= config.entropy * chances.entropy().mean()
            adam.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            adam.step()


def train(policy: Policy, config: Config) -> int:
    """Train for the time of the settings; return the number of the learner's decisions."""
    env, decisions = make(config, config.num_envs), 0
    adam = torch.optim.Adam(policy.parameters(), config.learning_rate, eps=1e-5)
    seen, legal = tensors(*env.reset(seed=config.seed))  # the first deal may compile
    start = time.perf_counter()
    while time.perf_counter() - start < config.seconds:
        steps: list[tuple[torch.Tensor, ...]] = []
        won: list[bool] = []
        for _ in range(config.steps):
            with torch.no_grad():
                chances, values = policy(seen, legal)
                actions = chances.sample()
            now, rewards, terminated, truncated, info = env.step(actions.numpy())
            ends = torch.from_numpy(terminated | truncated)
            paid = torch.from_numpy(rewards).float() * config.scale
            steps.append((seen, legal, actions, chances.log_prob(actions), values, paid, ends))
            if ends.any():
                won += info["final_info"]["won"][ends.numpy()].tolist()
            seen, legal = tensors(now, info)
        views, masks, acts, logs, worths, paid, ends = map(torch.stack, zip(*steps, strict=True))
        with torch.no_grad():
            following = policy(seen, legal)[1][None]
        gains = advantages(paid, torch.cat([worths, following]), ends, config)
        batch = [views, masks, acts, logs, gains, gains + worths]
        update(policy, adam, [part.flatten(0, 1) for part in batch], config)
        decisions += ends.numel()
        share = f"won {np.mean(won):.0%} of {len(won)} games" if won else "no game ended"
        print(f"{time.perf_counter() - start:5.0f} s {decisions:9,} decisions, {share}")  # noqa: T201
    env.close()
    return decisions


def measure(policy: Policy, config: Config) -> tuple[float, int]:
    """Return the share of games that the likeliest actions win, and how many: each env as many."""
    env, each = make(config, MEASURED), -(-config.games // MEASURED)
    seen, legal = tensors(*env.reset(seed=config.seed + 10**6))
    counts, wins = np.zeros(MEASURED, int), 0
    while counts.min() < each:
        with torch.no_grad():
            actions = policy(seen, legal)[0].probs.argmax(dim=1)
        now, _, terminated, truncated, info = env.step(actions.numpy())
        over = np.flatnonzero((terminated | truncated) & (counts < each))
        wins += int(info["final_info"]["won"][over].sum()) if over.size else 0
        counts[over] += 1
        seen, legal = tensors(now, info)
    env.close()
    return wins / int(counts.sum()), int(counts.sum())


def main(config: Config) -> float:
    """Train and measure a policy; return the share of games that it wins."""
    torch.manual_seed(config.seed)
    env = make(config, 1)
    size, num_actions = env.single_observation_space.shape[0], int(env.single_action_space.n)
    policy = Policy(size, num_actions, config.width)
    train(policy, config)
    won, games = measure(policy, config)
    print(f"won {won:.0%} of {games} games against {config.opponent}")  # noqa: T201
    return won


if __name__ == "__main__":
    main(tyro.cli(Config))
