"""Behaviour cloning: fit a policy to an expert before reinforcement learning starts.

:func:`collect_demonstrations` lets the expert play all seats of many games and records
:class:`Demonstrations`.  Some
actions are replaced by random ones, so that the dataset covers more positions than the expert alone
would reach.  :func:`imitate` fits the policy to the expert's actions (for ``greedy``: to a softmax
over its values of all legal actions) and the value function to the returns of the games, without a
discount.  PPO fits it to discounted returns afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from sprawl_env.adapters.vector import VectorGames, make_vec
from sprawl_env.bots.greedy import GreedyBot
from sprawl_env.bots.protocol import Bot, ask, states_for
from sprawl_env.core.game import Game
from sprawl_env.kernels.arrays import Floats, Index, Mask
from sprawl_env.learning.loss_kernels import DemonstrationArrays, Terms
from sprawl_env.learning.ppo import (
    VALUE_WEIGHT,
    Learner,
    Summed,
    gradient_of,
    share_gradient,
    summed_by,
)

TEMPERATURE = 0.5  # of the softmax over greedy's values
RANDOM_SHARE = 0.15  # share of actions that are replaced by random ones
REVIVAL_ROWS = 8000  # decisions, of whole games, in which a silent unit is always 0
ILLEGAL = -1.0  # target of an illegal action
WARM_UP = 500  # gradient steps in which the step size grows; without, most units fall silent


@dataclass(frozen=True)
class Demonstrations:
    """Decisions of an expert ``[n]``, all of games that were played to the end.

    Attributes:
        observations: int8 ``[n, observation_size]``, whole numbers.
        targets: action probabilities to learn, float16 ``[n, num_actions]``; illegal actions have
            ``ILLEGAL``.
        returns: undiscounted sum of the rewards from the decision to the end of the game, float32
            ``[n]``.
    """

    observations: Mask
    targets: npt.NDArray[np.float16]
    returns: Floats

    @staticmethod
    def bytes_per_decision(game: Game) -> int:
        """Return how much memory one decision takes."""
        return game.observation_size + 2 * game.num_actions


def collect_demonstrations(
    game: Game,
    expert: Bot,
    decisions: int,
    *,
    games: int,
    reward: str,
    seed: int,
    progress: Callable[[float], bool],
) -> Demonstrations:
    """Return a dataset of at most about ``decisions`` decisions of an expert.

    Args:
        game: the game.
        expert: the bot that plays all seats.
        decisions: number of decisions to play.  Decisions of games that have not ended by then are
            dropped.
        games: number of games played at the same time.
        reward: reward mode, see :mod:`sprawl_env.core.rewards`.
        seed: seed of the deals and of the random actions.
        progress: called after each step with the fraction done; collection stops if it returns
            False.
    """
    vec = make_vec(game, games, seed=seed, reward=reward, observations="int8", skip_forced=True)
    rng = np.random.default_rng(seed)
    steps = -(-decisions // games)
    observations = np.zeros((steps, games, game.observation_size), np.int8)
    targets = np.zeros((steps, games, game.num_actions), np.float16)
    seats = np.zeros((steps, games), np.int64)
    returns = np.zeros((steps, games), np.float32)
    rewards = np.zeros((steps, games, game.num_seats), np.float32)
    started = np.zeros(games, np.int64)  # step at which each running game started
    finished = np.zeros((steps, games), np.bool_)
    vec.reset()
    for k in range(steps):
        observations[k], seats[k] = vec.observations, vec.to_play
        actions, targets[k] = expert_actions(expert, vec)
        replaced = rng.random(games) < RANDOM_SHARE
        step = vec.step(np.where(replaced, vec.sample_actions(), actions))
        rewards[k] = step.rewards
        for i in np.flatnonzero(step.terminated | step.truncated):
            span = slice(started[i], k + 1)
            to_come = rewards[span, i][::-1].cumsum(axis=0)[::-1]
            returns[span, i] = np.take_along_axis(to_come, seats[span, i, None], axis=1)[:, 0]
            finished[span, i] = True
            started[i] = k + 1
        if not progress((k + 1) / steps):
            break
    kept = (_move_to_front(column, finished) for column in (observations, targets, returns))
    return Demonstrations(*kept)


def _move_to_front(column: npt.NDArray[Any], kept: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """Return the rows of a column that are kept, in order, as a view.

    They overwrite the rows before them, because a copy needs the memory of the dataset twice.

    Args:
        column: ``[steps, games, ...]``; overwritten.
        kept: ``[steps, games]``.
    """
    rows, count = column.reshape(-1, *column.shape[2:]), 0
    for step, which in zip(column, kept, strict=True):
        added = step[which]
        rows[count : count + len(added)] = added
        count += len(added)
    return rows[:count]


def expert_actions(expert: Bot, vec: VectorGames) -> tuple[Index, Floats]:
    """Return the expert's actions, int64 ``[n]``, and the targets, float32 ``[n, num_actions]``."""
    if isinstance(expert, GreedyBot):
        rows = np.arange(len(vec.masks))
        values = expert.values(vec.masks, states_for(expert, vec.game, vec.games, rows, vec.masks))
        actions = expert.choose(values)
        weights = np.exp((values - values.max(axis=1, keepdims=True)) / np.float32(TEMPERATURE))
        targets = weights / weights.sum(axis=1, keepdims=True)
    else:
        rows = np.arange(len(vec.masks))
        seen = vec.observations * vec.observation_layout.scales
        actions = ask(expert, vec.game, vec.games, rows, seen, vec.masks)
        targets = np.zeros(vec.masks.shape, np.float32)
        targets[rows, actions] = 1.0
    targets[vec.masks == 0] = ILLEGAL
    return actions, targets


def imitate(
    learner: Learner,
    dataset: Demonstrations,
    *,
    epochs: int,
    batch_size: int,
    learning_rate: float,
    time_used: Callable[[], float],
    progress: Callable[[float, float], None],
) -> float | None:
    """Fit a learner to a dataset; returns the agreement with the expert in the last epoch.

    The agreement is the share of decisions in which the network's most likely action is the
    expert's; None if nothing was fitted, for want of decisions or of time.

    Args:
        learner: trained in place.  All ranks of its process group must call this.
        dataset: this rank's decisions.
        epochs: passes over the dataset.  Every rank uses as many decisions as the smallest dataset
            of the group has.
        batch_size: this rank's decisions per gradient step.
        learning_rate: Adam's step size; it grows to this in the first ``WARM_UP`` steps, at most a
            quarter of all, and falls linearly to 10% of it.
        time_used: returns the fraction of the time allowed for fitting that has passed, 0 at its
            beginning, the same in all ranks; fitting stops at 1.
        progress: called after each gradient step with the fraction done and the agreement.
    """
    net, team, device = learner.net, learner.team, learner.device
    optimizer = torch.optim.Adam([net.flat], lr=learning_rate, fused=True)
    rng = np.random.default_rng(learner.config.seed)
    observations = torch.from_numpy(dataset.observations)
    targets = torch.from_numpy(dataset.targets)
    returns = torch.from_numpy(dataset.returns * np.float32(learner.config.reward_scale))

    def loss(part: Tensor) -> tuple[Tensor, Tensor]:
        wanted = targets[part].to(device).float()
        logits, values = net(observations[part].to(device), wanted != ILLEGAL)
        wanted = wanted.clamp(min=0.0)
        policy_loss = torch.nn.functional.cross_entropy(logits, wanted, reduction="sum")
        value_loss = (values - returns[part].to(device)).square().sum()
        agreed = (logits.argmax(dim=1) == wanted.argmax(dim=1)).sum()
        return policy_loss + VALUE_WEIGHT * value_loss, agreed.unsqueeze(0)

    def summed(part: Tensor) -> Summed:
        if learner.kernel is None:
            return gradient_of(loss, part, list(net.parameters()))
        rows = part.numpy()
        wanted = dataset.targets[rows].astype(np.float32)
        data = DemonstrationArrays(dataset.observations, returns.numpy(), rows, wanted)
        return summed_by(learner.kernel, net.flat.detach().numpy(), data, Terms(0, VALUE_WEIGHT, 0))

    size = int(min(team.all_gather(len(returns))))
    total = epochs * -(-size // batch_size)
    warm_up = min(WARM_UP, max(1, total // 4))
    done, share = 0, time_used()
    agreement: float | None = None
    for _ in range(epochs):
        agreed, seen = 0.0, 0
        order = torch.from_numpy(rng.permutation(len(returns))[:size])
        for start in range(0, size, batch_size):
            if share >= 1:
                return agreement
            rows = order[start : start + batch_size]
            rate = learning_rate * max(0.1, 1 - share) * min(1, (done + 1) / warm_up)
            for group in optimizer.param_groups:
                group["lr"] = rate
            agreed += float(share_gradient(team, net.flat, *summed(rows), learner.watch)[0])
            optimizer.step()
            seen += len(rows) * team.size
            done += 1
            share = max(done / total, time_used())
            agreement = agreed / seen
            progress(min(share, 1.0), agreement)
    return agreement


def revive(learner: Learner, dataset: Demonstrations) -> int:
    """Give units that are silent in all ranks' decisions new weights; return how many there were.

    All ranks must call this; all get the weights of rank 0, which looks at its own decisions.
    """
    net, team = learner.net, learner.team
    count = 0
    if team.rank == 0 and len(dataset.returns):
        drawn = np.random.default_rng(learner.config.seed).permutation(len(dataset.returns))
        numbers = torch.from_numpy(dataset.observations[drawn[:REVIVAL_ROWS]])
        count = net.revive(numbers.to(learner.device))
    if team.size > 1:
        mine = net.flat.detach().cpu().numpy() * (team.rank == 0)
        with torch.no_grad():
            net.flat.copy_(torch.from_numpy(team.all_reduce(mine)))
    return count
