"""Masked PPO in a process group: every rank has its own games and its share of each minibatch.

:class:`SharedPPO` is ``sb3_contrib.MaskablePPO`` with an update that averages the gradients of all
ranks.  :func:`differentiate` is one such gradient step; behaviour cloning
(:mod:`sprawl_env.learning.imitation`) uses it too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from torch import Tensor

from sprawl_env.learning.team import Team

Loss = Callable[[Tensor], tuple[Tensor, Tensor]]
STATISTICS = ("policy_gain", "value_loss", "entropy", "approx_kl", "clip_fraction")


def differentiate(team: Team, parameters: Sequence[Tensor], rows: Tensor, loss: Loss) -> Tensor:
    """Set every parameter's gradient to that of the mean loss over all ranks' rows.

    Args:
        team: the process group.  All ranks must call this function; all get the same gradient.
        parameters: parameters of the model; the loss must depend on each of them.
        rows: indices of this rank's samples.
        loss: maps rows to the sum of their losses and the sums of their statistics ``[n]``.

    Returns:
        The statistics, summed over the rows of all ranks, float32 ``[n]``.
    """
    total, own = loss(rows)
    gradients = torch.autograd.grad(total, parameters)
    parts = [g.flatten() for g in gradients] + [own.detach().flatten(), torch.tensor([len(rows)])]
    reduced = torch.from_numpy(team.all_reduce(torch.cat(parts).float().numpy()))
    sizes = [part.numel() for part in parts]
    *sums, statistics, count = torch.split(reduced, sizes)
    for parameter, gradient in zip(parameters, sums, strict=True):
        parameter.grad = gradient.view_as(parameter).div_(count)
    return statistics


class SharedPPO(MaskablePPO):  # type: ignore[misc]  # untyped library
    """Masked PPO whose rollouts and gradient steps are shared by the ranks of a process group.

    Advantages are normalised once per rollout, over all ranks.

    Args:
        args: arguments of ``MaskablePPO``; the environments and ``batch_size`` are this rank's
            share.
        team: the process group; all ranks must start from the same weights.
        kwargs: keyword arguments of ``MaskablePPO``.
    """

    num_timesteps: int

    def __init__(self, *args: Any, team: Team, **kwargs: Any) -> None:
        self.team = team
        super().__init__(*args, **kwargs)

    def collect_rollouts(self, *args: Any, **kwargs: Any) -> bool:
        """Collect this rank's rollout; returns False in every rank if any rank stops.

        ``num_timesteps`` counts the steps of all ranks.
        """
        before = self.num_timesteps
        continues: bool = super().collect_rollouts(*args, **kwargs)
        steps, stops = self.team.all_reduce(np.array([self.num_timesteps - before, not continues]))
        self.num_timesteps = before + int(steps)
        return not stops

    def train(self) -> None:
        """Update the policy from the rollouts of all ranks."""
        policy, buffer = self.policy, self.rollout_buffer
        policy.set_training_mode(True)
        self._update_learning_rate(policy.optimizer)
        clip = self.clip_range(self._current_progress_remaining)
        size = buffer.buffer_size * buffer.n_envs

        def column(name: str) -> Tensor:
            return torch.from_numpy(getattr(buffer, name)).view(size, -1)

        observations, masks = column("observations"), column("action_masks")
        actions = column("actions").flatten().long()
        before, returns = column("log_probs").flatten(), column("returns").flatten()
        advantages = self._normalised(column("advantages").flatten())
        parameters = list(policy.parameters())

        def loss(part: Tensor) -> tuple[Tensor, Tensor]:
            values, scores, entropy = policy.evaluate_actions(
                observations[part], actions[part], masks[part]
            )
            change = scores - before[part]
            ratio, advantage = change.exp(), advantages[part]
            gain = torch.min(advantage * ratio, advantage * ratio.clamp(1 - clip, 1 + clip))
            error = (values.flatten() - returns[part]).square()
            total = self.vf_coef * error - gain - self.ent_coef * entropy
            clipped = (ratio - 1).abs() > clip
            statistics = torch.stack([gain, error, entropy, ratio - 1 - change, clipped])
            return total.sum(), statistics.sum(dim=1)

        statistics = torch.zeros(len(STATISTICS))
        for _ in range(self.n_epochs):
            order = torch.randperm(size)
            for start in range(0, size, self.batch_size):
                rows = order[start : start + self.batch_size]
                statistics += differentiate(self.team, parameters, rows, loss)
                torch.nn.utils.clip_grad_norm_(parameters, self.max_grad_norm)
                policy.optimizer.step()
        self._n_updates += self.n_epochs
        decisions = size * self.n_epochs * self.team.size
        for name, value in zip(STATISTICS, statistics / decisions, strict=True):
            self.logger.record(f"train/{name}", float(value))
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")

    def _normalised(self, advantages: Tensor) -> Tensor:
        """Return the advantages with mean 0 and standard deviation 1 over all ranks."""
        count = len(advantages) * self.team.size
        mean = float(self.team.all_reduce(np.array([advantages.double().sum()]))[0]) / count
        centred = advantages - mean
        squares = float(self.team.all_reduce(np.array([centred.double().square().sum()]))[0])
        deviation = (squares / (count - 1)) ** 0.5
        normalised: Tensor = centred / (deviation + 1e-8)
        return normalised
