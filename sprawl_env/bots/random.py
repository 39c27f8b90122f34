"""The random bot: it chooses each legal action with equal probability."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import INT8, check_rows, check_seed
from sprawl_env.core.state import Games, plain
from sprawl_env.kernels.arrays import Floats, Mask
from sprawl_env.kernels.masks import new_generators, sample


class RandomBot:
    """Plays a random legal action, all equally likely."""

    name = "random"
    needs_observations = False
    needs_states = False

    @checked
    def __init__(self, seed: int = 0) -> None:
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Seed the generator; the same seed and the same calls give the same actions."""
        self._generator = plain(new_generators(1, check_seed(seed)))

    def act(
        self, observations: Floats | None, masks: Mask, states: Games | None
    ) -> npt.NDArray[np.int64]:
        """Choose a random legal action for each row."""
        masks = check_rows("random: masks", masks, None, INT8)
        actions = np.empty(len(masks), np.int64)
        sample(masks, self._generator, actions)
        return actions
