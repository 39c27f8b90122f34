"""A head start for training: imitate the greedy agent before learning to beat it.

Greedy plays batches of games against itself, with some random moves so that unusual positions are
seen too; the policy is fitted to greedy's choices and the value to how those games ended.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO

from agents import make_agent
from sprawl_env.adapters.vector import VectorGames
from sprawl_env.core.game import Floats, Game, Mask, clone

STRAY = 0.15  # share of moves that are random
GAMES = 256  # played at once


@dataclass(frozen=True)
class Lessons:
    """What greedy did: ``[n]`` decisions of games that were played to the end."""

    observations: Floats
    masks: Mask
    actions: npt.NDArray[np.int64]
    returns: Floats


def collect(game: Game, decisions: int, reward: str, seed: int) -> Lessons:
    """Watch greedy play about ``decisions`` decisions; returns are the final rewards."""
    vec = VectorGames(game, GAMES, seed=seed, reward=reward)
    greedy = make_agent("greedy", game, seed)
    rng = np.random.default_rng(seed)
    steps = -(-decisions // GAMES)
    seen = np.zeros((steps, GAMES, game.observation_size), np.float32)
    masks = np.zeros((steps, GAMES, game.num_actions), np.int8)
    actions = np.zeros((steps, GAMES), np.int64)
    seats = np.zeros((steps, GAMES), np.int64)
    returns = np.zeros((steps, GAMES), np.float32)
    began = np.zeros(GAMES, np.int64)  # step at which each running game began
    finished = np.zeros((steps, GAMES), np.bool_)
    vec.reset()
    for k in range(steps):
        seen[k], masks[k], seats[k] = vec.observations, vec.masks, vec.to_play
        actions[k] = greedy.act(None, vec.masks, clone(vec.games))
        strays = rng.random(GAMES) < STRAY
        step = vec.step(np.where(strays, vec.sample_actions(), actions[k]))
        for i in np.flatnonzero(step.terminated | step.truncated):
            span = slice(began[i], k + 1)
            returns[span, i] = step.rewards[i, seats[span, i]]
            finished[span, i] = True
            began[i] = k + 1
    return Lessons(seen[finished], masks[finished], actions[finished], returns[finished])


def imitate(
    model: MaskablePPO,
    lessons: Lessons,
    *,
    epochs: int,
    batch_size: int,
    scale: float,
    learning_rate: float,
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
        progress: called after each step with the share done and the agreement so far.
    """
    policy: Any = model.policy
    policy.set_training_mode(True)
    optimizer = torch.optim.Adam(policy.parameters(), lr=learning_rate)
    rng = np.random.default_rng(model.seed)
    size = len(lessons.actions)
    total = epochs * -(-size // batch_size)
    done, agreement = 0, 0.0
    for _ in range(epochs):
        agreed = 0.0
        order = rng.permutation(size)
        for start in range(0, size, batch_size):
            rows = order[start : start + batch_size]
            for group in optimizer.param_groups:
                group["lr"] = learning_rate * max(0.1, 1 - done / total)
            actions = torch.from_numpy(lessons.actions[rows])
            features = policy.extract_features(torch.from_numpy(lessons.observations[rows]))
            hidden, hidden_value = policy.mlp_extractor(features)
            logits = policy.action_net(hidden)
            logits = logits.masked_fill(torch.from_numpy(lessons.masks[rows] == 0), -1e9)
            values = policy.value_net(hidden_value).flatten()
            target = torch.from_numpy(lessons.returns[rows] * np.float32(scale))
            loss = torch.nn.functional.cross_entropy(logits, actions)
            loss = loss + 0.5 * torch.nn.functional.mse_loss(values, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            agreed += float((logits.argmax(dim=1) == actions).sum())
            done += 1
            progress(done / total, agreed / min(size, start + batch_size))
        agreement = agreed / size
    return agreement
