"""The policy of masked PPO."""

from __future__ import annotations

from typing import Any

import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import Tensor, nn

from sprawl_env.bots.policy.checkpoint import ILLEGAL_LOGIT
from sprawl_env.bots.policy.network import EntityNet
from sprawl_env.core.actions import ActionTable
from sprawl_env.core.layout import ObservationLayout


class EntityPolicy(MaskableActorCriticPolicy):  # type: ignore[misc]  # untyped library
    """Masked PPO's policy with an :class:`EntityNet`; takes its keywords as ``net_arch``."""

    def __init__(
        self, *args: Any, layout: ObservationLayout, actions: ActionTable, **kwargs: Any
    ) -> None:
        self._layout, self._table = layout, actions
        super().__init__(*args, ortho_init=False, **kwargs)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.action_net = nn.Identity()  # the network's outputs are logits already
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )

    def forward(
        self, obs: Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return actions, values and log probabilities; what the library does, in fewer passes."""
        values, scores = self._look(obs, action_masks)
        actions = scores.argmax(dim=1) if deterministic else _draw(scores)
        return actions, values, _pick(scores, actions)

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return values, log probabilities and entropies."""
        values, scores = self._look(obs, action_masks)
        return values, _pick(scores, actions), -(_chances(scores) * scores).sum(dim=1)

    def _look(self, obs: Tensor, action_masks: Any) -> tuple[Tensor, Tensor]:
        """Return values ``[n, 1]`` and log probabilities of all actions ``[n, num_actions]``."""
        logits, summary = self.mlp_extractor(self.extract_features(obs))
        if action_masks is not None:
            logits = logits.masked_fill(torch.as_tensor(action_masks) == 0, ILLEGAL_LOGIT)
        return self.value_net(summary), torch.log_softmax(logits, dim=1)

    def _build_mlp_extractor(self) -> None:
        self.mlp_extractor = EntityNet(self._layout, self._table, **self.net_arch)


def _pick(scores: Tensor, actions: Tensor) -> Tensor:
    """Return one column of every row."""
    return scores.gather(1, actions.unsqueeze(1)).flatten()


def _chances(scores: Tensor) -> Tensor:
    """Return the exponentials of log probabilities, which add up to 1 in every row.

    Torch's ``exp`` takes ten times as long for numbers so low that nothing is left of them.
    """
    return torch.softmax(scores, dim=1)


def _draw(scores: Tensor) -> Tensor:
    """Draw an action of every row by its log probabilities, with one random number a row."""
    sums = _chances(scores).cumsum(dim=1)
    aims = torch.rand(len(sums), 1) * sums[:, -1:]
    # an aim that rounding put at the very end stands for the last action that has a chance
    return torch.minimum((sums <= aims).sum(dim=1), (sums < sums[:, -1:]).sum(dim=1))
