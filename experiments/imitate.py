"""A head start for training: imitate the greedy agent before learning to beat it.

Greedy plays batches of games against itself, with some random moves so that unusual positions are
seen too; the policy is fitted to what greedy thinks of every legal action, and the value to how
those games ended.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from agents.checkpoint import ILLEGAL_LOGIT
from agents.greedy import GreedyAgent
from experiments.ppo import SharedPPO
from sprawl_env.adapters.vector import VectorGames
from sprawl_env.core.game import Floats, Game, clone

SOFTNESS = 0.5  # difference of greedy's values that makes an action 2.7 times as likely
STRAY = 0.15  # share of moves that are random
VALUE_SHARE = 0.5  # weight of the value's error
GAMES = 256  # played at once


@dataclass(frozen=True)
class Lessons:
    """What greedy thought: ``[n]`` decisions of games that were played to the end.

    ``targets`` are the probabilities to learn, ``[n, num_actions]``.
    """

    observations: Floats
    targets: Floats
    returns: Floats


def collect(game: Game, decisions: int, reward: str, seed: int) -> Lessons:
    """Watch greedy play about ``decisions`` decisions; returns are all that was earned after."""
    vec = VectorGames(game, GAMES, seed=seed, reward=reward)
    greedy = GreedyAgent(game, seed)
    rng = np.random.default_rng(seed)
    steps = -(-decisions // GAMES)
    seen = np.zeros((steps, GAMES, game.observation_size), np.float32)
    targets = np.zeros((steps, GAMES, game.num_actions), np.float32)
    seats = np.zeros((steps, GAMES), np.int64)
    returns = np.zeros((steps, GAMES), np.float32)
    earned = np.zeros((steps, GAMES, game.num_seats), np.float32)
    began = np.zeros(GAMES, np.int64)  # step at which each running game began
    finished = np.zeros((steps, GAMES), np.bool_)
    vec.reset()
    for k in range(steps):
        seen[k], seats[k] = vec.observations, vec.to_play
        values = greedy.values(vec.masks, clone(vec.games))
        likely = np.exp((values - values.max(axis=1, keepdims=True)) / np.float32(SOFTNESS))
        targets[k] = likely / likely.sum(axis=1, keepdims=True)
        strays = rng.random(GAMES) < STRAY
        step = vec.step(np.where(strays, vec.sample_actions(), greedy.choose(values)))
        earned[k] = step.rewards
        for i in np.flatnonzero(step.terminated | step.truncated):
            span = slice(began[i], k + 1)
            to_come = earned[span, i][::-1].cumsum(axis=0)[::-1]
            returns[span, i] = np.take_along_axis(to_come, seats[span, i, None], axis=1)[:, 0]
            finished[span, i] = True
            began[i] = k + 1
    return Lessons(seen[finished], targets[finished], returns[finished])


def imitate(
    model: SharedPPO,
    lessons: Lessons,
    *,
    epochs: int,
    batch_size: int,
    scale: float,
    learning_rate: float,
    time_used: Callable[[], float],
    progress: Callable[[float, float], None],
) -> float:
    """Fit a model to lessons; returns how often it agrees with greedy in the last epoch.

    Args:
        model: the learner, trained in place.
        lessons: what greedy did.
        epochs: passes over the lessons.
        batch_size: decisions a gradient step.
        scale: factor on returns, as training has it.
        learning_rate: Adam's step size at the start, annealed to 10% of it.
        time_used: share of the time allowed for it; from 1 on it stops where it is.
        progress: called after each step with the share done and the agreement so far.
    """
    policy: Any = model.policy
    policy.set_training_mode(True)
    parameters = list(policy.parameters())
    optimizer = torch.optim.Adam(parameters, lr=learning_rate, fused=True)
    rng = np.random.default_rng(model.seed)
    observations = torch.from_numpy(lessons.observations)
    targets = torch.from_numpy(lessons.targets)
    returns = torch.from_numpy(lessons.returns * np.float32(scale))

    def loss(part: Tensor) -> tuple[Tensor, Tensor]:
        wanted = targets[part]
        logits, hidden = policy.mlp_extractor(observations[part])
        logits = logits.masked_fill(wanted == 0, ILLEGAL_LOGIT)
        values = policy.value_net(hidden).flatten()
        missed = torch.nn.functional.cross_entropy(logits, wanted, reduction="sum")
        error = (values - returns[part]).square().sum()
        agreed = (logits.argmax(dim=1) == wanted.argmax(dim=1)).sum()
        return missed + VALUE_SHARE * error, agreed

    size = len(returns)
    total = epochs * -(-size // batch_size)
    done, share, agreement = 0, 0.0, 0.0
    for _ in range(epochs):
        agreed, met = 0.0, 0
        order = torch.from_numpy(rng.permutation(size))
        for start in range(0, size, batch_size):
            if share >= 1:
                return agreement
            rows = order[start : start + batch_size]
            for group in optimizer.param_groups:
                group["lr"] = learning_rate * max(0.1, 1 - share)
            agreed += float(model.workers.differentiate(parameters, rows, loss))
            optimizer.step()
            met += len(rows)
            done += 1
            share = max(done / total, time_used())
            agreement = agreed / met
            progress(min(share, 1.0), agreement)
    return agreement
