"""Policies that play."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sprawl_env.bots.policy.checkpoint import (
    DESCRIPTION,
    ILLEGAL_LOGIT,
    MOST_WIDTH,
    NET,
    SHAPE,
    VALUE,
    WEIGHTS,
    Checkpoint,
    CheckpointError,
    load,
)
from sprawl_env.core.game import Game
from sprawl_env.core.state import Games
from sprawl_env.kernels.arrays import Floats, Mask


class PolicyBot:
    """Plays a checkpoint's policy: the likeliest legal action, or a sample.

    Args:
        path: a checkpoint's folder or a run's.
        game: the game it will play.
        seed: of its samples.
        sample: draw from the policy instead of taking its likeliest action.
    """

    needs_observations = True
    needs_states = False

    def __init__(self, path: Path, game: Game, seed: int = 0, *, sample: bool = False) -> None:
        checkpoint = load(path, game)
        name = f"{checkpoint.path.parent.parent.name}/{checkpoint.path.name}"
        self._start(name, load_network(checkpoint, game), seed, sample)

    @classmethod
    def from_network(
        cls, name: str, network: Any, seed: int = 0, *, sample: bool = True
    ) -> PolicyBot:
        """Return an agent for a network in memory, e.g. one still in training; it is copied."""
        agent = cls.__new__(cls)
        agent._start(name, copy.deepcopy(network), seed, sample)
        return agent

    def _start(self, name: str, network: Any, seed: int, sample: bool) -> None:
        self.name = name
        self._network = network.eval()
        self._sample = sample
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Start the samples anew."""
        self._rng = np.random.default_rng(seed)

    def act(
        self, observations: Floats | None, masks: Mask, states: Games | None
    ) -> npt.NDArray[np.int64]:
        """Choose by the policy; needs ``observations``."""
        if observations is None:
            raise ValueError(f"{self.name}: act() needs the observations")
        logits = self._network.logits_of(observations)
        if self._sample:  # the largest of logit + Gumbel noise is a draw from the policy
            logits += self._rng.gumbel(size=logits.shape).astype(np.float32)
        logits[masks == 0] = ILLEGAL_LOGIT
        return np.asarray(logits.argmax(axis=1), np.int64)


def load_network(checkpoint: Checkpoint, game: Game) -> Any:
    """Return a checkpoint's network (an ``sprawl_env.bots.policy.network.EntityNet``).

    Raises:
        CheckpointError: its tensors are not those of such a network.
    """
    import torch  # noqa: PLC0415 - only agents that are networks need torch

    from sprawl_env.bots.policy.network import network_for  # noqa: PLC0415

    where = f"checkpoint {str(checkpoint.path)!r}"
    shape = checkpoint.about.get("network")
    if not isinstance(shape, dict) or not all(
        isinstance(shape.get(key), int) and 1 <= shape[key] <= MOST_WIDTH for key in SHAPE
    ):
        raise CheckpointError(
            f"{where}: {DESCRIPTION}: expected 'network' with {' and '.join(SHAPE)}, whole numbers "
            f"1..{MOST_WIDTH}"
        )
    network = network_for(game, **{key: shape[key] for key in SHAPE})
    weights = {
        name.removeprefix(NET): torch.from_numpy(array)
        for name, array in checkpoint.tensors.items()
        if name.startswith(NET)
    }
    try:
        network.load_state_dict(weights)
    except RuntimeError as error:
        reason = " ".join(str(error).split())[:200]
        raise CheckpointError(f"{where}: {WEIGHTS} does not hold this network: {reason}") from None
    return network


def load_values(checkpoint: Checkpoint, game: Game) -> Callable[[Floats], Floats]:
    """Return the function by which a checkpoint's policy values positions.

    It takes float32 ``[n, observation_size]``, each as the seat to play sees it, and returns
    float32 ``[n]``: the discounted reward that seat is still to earn, in units of the reward it was
    trained with (points for ``lead``), whatever the scale.

    Raises:
        CheckpointError: it does not hold such a network, or does not say the scale of its rewards.
    """
    import torch  # noqa: PLC0415 - only agents that are networks need torch

    network = load_network(checkpoint, game).eval()
    config = checkpoint.about.get("config")
    scale = config.get("reward_scale") if isinstance(config, dict) else None
    if not isinstance(scale, float | int) or scale <= 0:
        raise CheckpointError(
            f"checkpoint {str(checkpoint.path)!r}: {DESCRIPTION}: expected 'config' with "
            f"reward_scale, a number more than 0"
        )
    weight, bias = (checkpoint.tensors.get(f"{VALUE}{name}") for name in ("weight", "bias"))
    if weight is None or bias is None or weight.shape != (1, network.latent_dim_vf):
        raise CheckpointError(
            f"checkpoint {str(checkpoint.path)!r}: {WEIGHTS} does not hold what values positions"
        )

    def values(observations: Floats) -> Floats:
        with torch.inference_mode():
            summary = network(torch.from_numpy(observations))[1].numpy()
        found: Floats = (summary @ weight[0] + bias[0]) / np.float32(scale)
        return found

    return values
