"""Masked PPO by a team of processes, each with its own games and its part of every gradient."""

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
    """Give every parameter the gradient of the mean loss of a minibatch that the team shares.

    Args:
        team: the processes; each has its own rows, and gets the same gradient.
        parameters: all must have a part in the loss.
        rows: which of this process's samples.
        loss: from rows to the sums of their losses and of their statistics ``[n]``.

    Returns:
        The sum of the statistics over everybody's rows, float32 ``[n]``.
    """
    total, seen = loss(rows)
    gradients = torch.autograd.grad(total, parameters)
    found = [g.flatten() for g in gradients] + [seen.detach().flatten(), torch.tensor([len(rows)])]
    together = torch.from_numpy(team.sum(torch.cat(found).float().numpy()))
    sizes = [part.numel() for part in found]
    *sums, statistics, count = torch.split(together, sizes)
    for parameter, gradient in zip(parameters, sums, strict=True):
        parameter.grad = gradient.view_as(parameter).div_(count)
    return statistics


class SharedPPO(MaskablePPO):  # type: ignore[misc]  # untyped library
    """Masked PPO whose games and updates a team shares.

    Advantages are normalised a rollout at a time.

    Args:
        args: as of ``MaskablePPO``; games and batch size are this process's part.
        team: the processes; all must start from the same weights.
        kwargs: as of ``MaskablePPO``.
    """

    num_timesteps: int

    def __init__(self, *args: Any, team: Team, **kwargs: Any) -> None:
        self.team = team
        super().__init__(*args, **kwargs)

    def collect_rollouts(self, *args: Any, **kwargs: Any) -> bool:
        """Play this process's games; the steps are everybody's, and one who stops stops all."""
        before = self.num_timesteps
        goes_on: bool = super().collect_rollouts(*args, **kwargs)
        steps, stops = self.team.sum(np.array([self.num_timesteps - before, not goes_on]))
        self.num_timesteps = before + int(steps)
        return not stops

    def train(self) -> None:
        """Update the policy from the rollouts."""
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
            seen = torch.stack([gain, error, entropy, ratio - 1 - change, clipped])
            return total.sum(), seen.sum(dim=1)

        seen = torch.zeros(len(STATISTICS))
        for _ in range(self.n_epochs):
            order = torch.randperm(size)
            for start in range(0, size, self.batch_size):
                rows = order[start : start + self.batch_size]
                seen += differentiate(self.team, parameters, rows, loss)
                torch.nn.utils.clip_grad_norm_(parameters, self.max_grad_norm)
                policy.optimizer.step()
        self._n_updates += self.n_epochs
        decisions = size * self.n_epochs * self.team.size
        for name, value in zip(STATISTICS, seen / decisions, strict=True):
            self.logger.record(f"train/{name}", float(value))
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")

    def _normalised(self, advantages: Tensor) -> Tensor:
        """Return advantages less the mean of everybody's, in units of their deviation."""
        count = len(advantages) * self.team.size
        mean = float(self.team.sum(np.array([advantages.double().sum()]))[0]) / count
        apart = advantages - mean
        square = float(self.team.sum(np.array([apart.double().square().sum()]))[0])
        deviation = (square / (count - 1)) ** 0.5
        found: Tensor = apart / (deviation + 1e-8)
        return found
