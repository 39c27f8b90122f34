"""Masked PPO that keeps every core busy: each computes its part of a minibatch's gradient.

Torch's own threads share one operation at a time.  On networks as small as ours they mostly wait
for each other, and where another program holds one core they wait much longer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from torch import Tensor

Loss = Callable[[Tensor], tuple[Tensor, Tensor]]
STATISTICS = ("policy_gain", "value_loss", "entropy", "approx_kl", "clip_fraction")


class Workers:
    """Threads that share every gradient step; the result depends on their number, not on timing.

    Args:
        count: how many.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._pool = ThreadPoolExecutor(count, "gradient")

    def differentiate(self, parameters: Sequence[Tensor], rows: Tensor, loss: Loss) -> Tensor:
        """Give every parameter the gradient of a minibatch's mean loss.

        Args:
            parameters: all must have a part in the loss.
            rows: which samples, shared out in order.
            loss: from some of the rows to the sums of their losses and of their statistics.

        Returns:
            The sum of the statistics over all rows.
        """

        def work(part: Tensor) -> tuple[tuple[Tensor, ...], Tensor]:
            total, seen = loss(part)
            return torch.autograd.grad(total / len(rows), parameters), seen.detach()

        first, *others = self._pool.map(work, rows.chunk(self._count))
        gradients, seen = first
        for further, also_seen in others:
            gradients = tuple(a + b for a, b in zip(gradients, further, strict=True))
            seen = seen + also_seen
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.grad = gradient
        return seen


class SharedPPO(MaskablePPO):  # type: ignore[misc]  # untyped library
    """Masked PPO with an update shared by threads; advantages are normalised a rollout at a time.

    Args:
        args: as of ``MaskablePPO``.
        threads: how many share the update.
        kwargs: as of ``MaskablePPO``.
    """

    def __init__(self, *args: Any, threads: int = 1, **kwargs: Any) -> None:
        self.workers = Workers(threads)
        super().__init__(*args, **kwargs)

    def train(self) -> None:
        """Update the policy from the rollout."""
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
        advantages = column("advantages").flatten()
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
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
                seen += self.workers.differentiate(parameters, rows, loss)
                torch.nn.utils.clip_grad_norm_(parameters, self.max_grad_norm)
                policy.optimizer.step()
        self._n_updates += self.n_epochs
        for name, value in zip(STATISTICS, seen / (size * self.n_epochs), strict=True):
            self.logger.record(f"train/{name}", float(value))
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
