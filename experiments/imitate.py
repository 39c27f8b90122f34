"""A head start for training: imitate an agent that searches before learning to beat the others.

The teacher plays batches of games against itself, with some random moves so that unusual positions
are seen too; the policy is fitted to what it chose, and the value to how those games ended.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from agents.checkpoint import ILLEGAL_LOGIT
from experiments.ppo import SharedPPO, differentiate
from sprawl_env.adapters.agent import Agent, ask
from sprawl_env.adapters.batch import Index
from sprawl_env.adapters.vector import VectorGames
from sprawl_env.core.game import Floats, Game, Mask

STRAY = 0.15  # share of moves that are random
VALUE_SHARE = 0.5  # weight of the value's error


@dataclass(frozen=True)
class Lessons:
    """What the teacher did: ``[n]`` decisions of games that were played to the end.

    ``masks`` are int8 ``[n, num_actions]``, ``actions`` int64 ``[n]``.
    """

    observations: Floats
    masks: Mask
    actions: Index
    returns: Floats


def collect(
    game: Game,
    teacher: Agent,
    decisions: int,
    *,
    games: int,
    reward: str,
    seed: int,
    progress: Callable[[float], bool],
) -> Lessons:
    """Watch about ``decisions`` decisions; returns are all that was earned after.

    Args:
        game: the game.
        teacher: plays all seats.
        decisions: those of games that are still going on in the end are left out.
        games: played at once.
        reward: see :mod:`sprawl_env.adapters.rewards`.
        seed: of deals and random moves.
        progress: called after each step with the share done; stops if it returns False.
    """
    vec = VectorGames(game, games, seed=seed, reward=reward)
    rng = np.random.default_rng(seed)
    steps = -(-decisions // games)
    everybody = np.arange(games)
    seen = np.zeros((steps, games, game.observation_size), np.float32)
    masks = np.zeros((steps, games, game.num_actions), np.int8)
    actions = np.zeros((steps, games), np.int64)
    seats = np.zeros((steps, games), np.int64)
    returns = np.zeros((steps, games), np.float32)
    earned = np.zeros((steps, games, game.num_seats), np.float32)
    began = np.zeros(games, np.int64)  # step at which each running game began
    finished = np.zeros((steps, games), np.bool_)
    vec.reset()
    for k in range(steps):
        seen[k], masks[k], seats[k] = vec.observations, vec.masks, vec.to_play
        actions[k] = ask(teacher, game, vec.games, everybody, vec.observations, vec.masks)
        strays = rng.random(games) < STRAY
        step = vec.step(np.where(strays, vec.sample_actions(), actions[k]))
        earned[k] = step.rewards
        for i in np.flatnonzero(step.terminated | step.truncated):
            span = slice(began[i], k + 1)
            to_come = earned[span, i][::-1].cumsum(axis=0)[::-1]
            returns[span, i] = np.take_along_axis(to_come, seats[span, i, None], axis=1)[:, 0]
            finished[span, i] = True
            began[i] = k + 1
        if not progress((k + 1) / steps):
            break
    return Lessons(seen[finished], masks[finished], actions[finished], returns[finished])


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
    """Fit a model to lessons; returns how often it agrees with the teacher in the last epoch.

    Args:
        model: the learner, trained in place; its team shares every gradient step.
        lessons: what the teacher did in this process's games.
        epochs: passes over the lessons, as many as everybody has.
        batch_size: decisions a gradient step, this process's part.
        scale: factor on returns, as training has it.
        learning_rate: Adam's step size at the start, annealed to 10% of it.
        time_used: share of the time allowed for it, the same for all; from 1 on it stops there.
        progress: called after each step with the share done and the agreement so far.
    """
    policy: Any = model.policy
    policy.set_training_mode(True)
    parameters = list(policy.parameters())
    optimizer = torch.optim.Adam(parameters, lr=learning_rate, fused=True)
    rng = np.random.default_rng(model.seed)
    observations = torch.from_numpy(lessons.observations)
    masks = torch.from_numpy(lessons.masks)
    actions = torch.from_numpy(lessons.actions)
    returns = torch.from_numpy(lessons.returns * np.float32(scale))

    def loss(part: Tensor) -> tuple[Tensor, Tensor]:
        wanted = actions[part]
        logits, hidden = policy.mlp_extractor(observations[part])
        logits = logits.masked_fill(masks[part] == 0, ILLEGAL_LOGIT)
        values = policy.value_net(hidden).flatten()
        missed = torch.nn.functional.cross_entropy(logits, wanted, reduction="sum")
        error = (values - returns[part]).square().sum()
        agreed = (logits.argmax(dim=1) == wanted).sum()
        return missed + VALUE_SHARE * error, agreed.unsqueeze(0)

    size = int(min(model.team.gather(len(returns))))
    total = epochs * -(-size // batch_size)
    done, share, agreement = 0, 0.0, 0.0
    for _ in range(epochs):
        agreed, met = 0.0, 0
        order = torch.from_numpy(rng.permutation(len(returns))[:size])
        for start in range(0, size, batch_size):
            if share >= 1:
                return agreement
            rows = order[start : start + batch_size]
            for group in optimizer.param_groups:
                group["lr"] = learning_rate * max(0.1, 1 - share)
            agreed += float(differentiate(model.team, parameters, rows, loss))
            optimizer.step()
            met += len(rows) * model.team.size
            done += 1
            share = max(done / total, time_used())
            agreement = agreed / met
            progress(min(share, 1.0), agreement)
    return agreement
