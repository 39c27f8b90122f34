"""The observation spaces of the adapters with one learner, and action spaces that know a mask."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from sprawl_env.core.arguments import checked
from sprawl_env.core.batch import OBSERVATIONS
from sprawl_env.core.checks import INT8, check_row, check_whole
from sprawl_env.core.errors import InvalidOption, unknown
from sprawl_env.core.game import Game
from sprawl_env.kernels.arrays import Mask

_MASK = (INT8,)  # dtypes of a mask, and of probabilities, as Gymnasium takes them
_PROBABILITY = (np.dtype(np.float64),)
_MOST_ACTIONS = 10**6


class MaskedDiscrete(spaces.Discrete):
    """Action ids whose ``sample()`` draws a legal action unless another mask is given.

    Attributes:
        legal: int8 ``[n]``, 1 = legal; None: all actions are drawn.  It decides nothing but what
            is drawn.
    """

    legal: Mask | None

    @checked
    def __init__(self, n: int) -> None:
        super().__init__(check_whole(f"{type(self).__name__}: n=", n, 1, _MOST_ACTIONS))
        self.legal = None

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Draw an action by ``probability`` or ``mask`` if given, otherwise a legal action.

        Raises:
            InvalidOption: both are given, or one is no array ``[n]`` that Gymnasium takes.
        """
        size = int(self.n)
        if mask is not None and probability is not None:
            raise InvalidOption("sample: expected mask or probability, not both")
        if mask is not None:
            check_row("sample: mask", mask, size, _MASK)
            if not np.isin(mask, (0, 1)).all():
                raise InvalidOption("sample: mask: expected 0 and 1")
        if probability is not None:
            check_row("sample: probability", probability, size, _PROBABILITY)
            if not (probability >= 0).all() or not np.isclose(probability.sum(), 1.0):
                raise InvalidOption("sample: probability: expected numbers from 0 with sum 1")
        if mask is None and probability is None:
            mask = self.legal
        return super().sample(mask=mask, probability=probability)


FORMS = ("array", "dict")  # of what a learner is given


def learner_space(game: Game, array: spaces.Box, form: str) -> spaces.Space[Any]:
    """Return the space of observations in a form.

    Args:
        game: the game.
        array: the space of the observations alone, which is returned for ``"array"``.
        form: ``"array"``, or ``"dict"``: with the mask, as ``observation`` and ``action_mask``.

    Raises:
        UnknownName: there is no such form.
    """
    if form not in FORMS:
        raise unknown("observation", form, FORMS)
    if form == "array":
        return array
    mask = spaces.Box(0, 1, (game.num_actions,), np.int8)
    return spaces.Dict({"observation": array, "action_mask": mask})


def observation_space(game: Game, observations: str) -> spaces.Box:
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
