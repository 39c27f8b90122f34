"""A head start for training: imitate an agent before learning to beat the others.

The teacher plays batches of games against itself, with some random moves so that unusual positions
are seen too; the policy is fitted to what it chose (or, of greedy, to what it thinks of every legal
action), and the value to how those games ended.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from sprawl_env.adapters.vector import VectorGames
from sprawl_env.bots.greedy import GreedyBot
from sprawl_env.bots.policy.checkpoint import ILLEGAL_LOGIT
from sprawl_env.bots.protocol import Bot, ask
from sprawl_env.core.game import Game
from sprawl_env.core.state import clone
from sprawl_env.kernels.arrays import Floats, Index
from sprawl_env.learning.ppo import SharedPPO, differentiate

SOFTNESS = 0.5  # difference of greedy's values that makes an action 2.7 times as likely
STRAY = 0.15  # share of moves that are random
ILLEGAL = -1.0  # in place of a probability
VALUE_SHARE = 0.5  # weight of the value's error


@dataclass(frozen=True)
class Lessons:
    """What the teacher did: ``[n]`` decisions of games that were played to the end.

    ``targets`` are the probabilities to learn, float16 ``[n, num_actions]``; what is not legal has
    ``ILLEGAL``.
    """

    observations: Floats
    targets: npt.NDArray[np.float16]
    returns: Floats

    @staticmethod
    def bytes_each(game: Game) -> int:
        """Return how much memory a decision takes."""
        return 4 * game.observation_size + 2 * game.num_actions


def collect(
    game: Game,
    teacher: Bot,
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
        reward: see :mod:`sprawl_env.core.rewards`.
        seed: of deals and random moves.
        progress: called after each step with the share done; stops if it returns False.
    """
    vec = VectorGames(game, games, seed=seed, reward=reward)
    rng = np.random.default_rng(seed)
    steps = -(-decisions // games)
    seen = np.zeros((steps, games, game.observation_size), np.float32)
    targets = np.zeros((steps, games, game.num_actions), np.float16)
    seats = np.zeros((steps, games), np.int64)
    returns = np.zeros((steps, games), np.float32)
    earned = np.zeros((steps, games, game.num_seats), np.float32)
    began = np.zeros(games, np.int64)  # step at which each running game began
    finished = np.zeros((steps, games), np.bool_)
    vec.reset()
    for k in range(steps):
        seen[k], seats[k] = vec.observations, vec.to_play
        actions, targets[k] = consult(teacher, vec)
        strays = rng.random(games) < STRAY
        step = vec.step(np.where(strays, vec.sample_actions(), actions))
        earned[k] = step.rewards
        for i in np.flatnonzero(step.terminated | step.truncated):
            span = slice(began[i], k + 1)
            to_come = earned[span, i][::-1].cumsum(axis=0)[::-1]
            returns[span, i] = np.take_along_axis(to_come, seats[span, i, None], axis=1)[:, 0]
            finished[span, i] = True
            began[i] = k + 1
        if not progress((k + 1) / steps):
            break
    return Lessons(seen[finished], targets[finished], returns[finished])


def consult(teacher: Bot, vec: VectorGames) -> tuple[Index, Floats]:
    """Return what a teacher would do in some games, int64 ``[n]``, and the targets to learn."""
    if isinstance(teacher, GreedyBot):
        values = teacher.values(vec.masks, clone(vec.games))
        actions = teacher.choose(values)
        likely = np.exp((values - values.max(axis=1, keepdims=True)) / np.float32(SOFTNESS))
        targets = likely / likely.sum(axis=1, keepdims=True)
    else:
        everybody = np.arange(len(vec.masks))
        actions = ask(teacher, vec.game, vec.games, everybody, vec.observations, vec.masks)
        targets = np.zeros(vec.masks.shape, np.float32)
        targets[everybody, actions] = 1.0
    targets[vec.masks == 0] = ILLEGAL
    return actions, targets


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
    targets = torch.from_numpy(lessons.targets)
    returns = torch.from_numpy(lessons.returns * np.float32(scale))

    def loss(part: Tensor) -> tuple[Tensor, Tensor]:
        wanted = targets[part].float()
        logits, hidden = policy.mlp_extractor(observations[part])
        logits = logits.masked_fill(wanted == ILLEGAL, ILLEGAL_LOGIT)
        wanted = wanted.clamp(min=0.0)
        values = policy.value_net(hidden).flatten()
        missed = torch.nn.functional.cross_entropy(logits, wanted, reduction="sum")
        error = (values - returns[part]).square().sum()
        agreed = (logits.argmax(dim=1) == wanted.argmax(dim=1)).sum()
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
