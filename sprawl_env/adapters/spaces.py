"""The observation spaces of the adapters with one learner."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from sprawl_env.core.batch import OBSERVATIONS
from sprawl_env.core.errors import unknown
from sprawl_env.core.game import Game


def observation_space(game: Game, observations: str) -> spaces.Space[Any]:
    """Return the space ``[observation_size]`` of observations of a type.

    Args:
        game: the game.
        observations: ``"float32"``, within -1..1, or ``"int8"``, whole numbers.

    Raises:
        UnknownName: there is no such type of observations.
    """
    if observations not in OBSERVATIONS:
        raise unknown("type of observations", observations, OBSERVATIONS)
    shape = (game.observation_size,)
    if observations == "float32":
        return spaces.Box(-1.0, 1.0, shape, np.float32)
    whole = np.iinfo(np.int8)
    return spaces.Box(int(whole.min), int(whole.max), shape, np.int8)
