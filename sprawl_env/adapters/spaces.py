"""The observation spaces of the adapters with one learner, and action spaces that know a mask."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from sprawl_env.core.arguments import checked
from sprawl_env.core.batch import OBSERVATIONS
from sprawl_env.core.checks import INT8, as_array, check_row, check_whole
from sprawl_env.core.errors import InvalidOption, short, unknown
from sprawl_env.core.game import Game
from sprawl_env.kernels.arrays import Index, Mask
from sprawl_env.kernels.masks import new_generators
from sprawl_env.kernels.masks import sample as draw_legal

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


class MaskedMultiDiscrete(spaces.MultiDiscrete):
    """An action id for each of many games; ``sample()`` draws legal ones.

    Attributes:
        legal: int8 ``[num_envs, n]``, 1 = legal; None: all actions are drawn.  It decides nothing
            but what is drawn.
        single: the space of one game's action.
    """

    legal: Mask | None

    @checked
    def __init__(self, num_envs: int, n: int) -> None:
        who = type(self).__name__
        num_envs = check_whole(f"{who}: num_envs=", num_envs, 1, _MOST_ACTIONS)
        n = check_whole(f"{who}: n=", n, 1, _MOST_ACTIONS)
        super().__init__(np.full(num_envs, n))
        self.single = spaces.Discrete(n)
        self.legal = None

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Draw an action for each game by ``probability`` or ``mask`` if given, otherwise legal.

        Args:
            mask: int8 ``[num_envs, n]``, as in ``info["action_mask"]``, or a tuple with a row for
                each game, as Gymnasium has it.  For a row without legal actions 0 is drawn.
            probability: float64, in the same forms; every row sums to 1.

        Returns:
            int64 ``[num_envs]``.

        Raises:
            InvalidOption: both are given, or one is something else.
        """
        if mask is not None and probability is not None:
            raise InvalidOption("sample: expected mask or probability, not both")
        if probability is not None:
            return self._draw(self._rows("sample: probability", probability, np.float64))
        if mask is not None:
            mask = self._rows("sample: mask", mask, np.int8)
            if (mask.view(np.uint8) > 1).any():
                raise InvalidOption("sample: mask: expected 0 and 1")
        legal = self.legal if mask is None else mask
        if legal is None:
            return super().sample()
        drawn: Index = np.empty(len(legal), np.int64)
        draw_legal(legal, new_generators(1, int(self.np_random.integers(2**62))), drawn)
        return drawn

    def _rows(self, what: str, rows: Any, kind: type[np.generic]) -> npt.NDArray[Any]:
        """Return an array with a row for each game.

        Raises:
            InvalidOption: it is something else.
        """
        given = as_array(rows)
        shape = (len(self.nvec), int(self.single.n))
        if given.shape != shape or given.dtype != kind:
            raise InvalidOption(
                f"{what}: expected {np.dtype(kind)} of shape {shape}, got {short(given)}"
            )
        return np.ascontiguousarray(given)

    def _draw(self, probability: npt.NDArray[np.float64]) -> Index:
        """Draw an action for each game by its row of probabilities."""
        if not (probability >= 0).all() or not np.isclose(probability.sum(axis=1), 1.0).all():
            raise InvalidOption("sample: probability: expected numbers from 0 with sum 1")
        up_to = probability.cumsum(axis=1)
        at = self.np_random.random(len(probability)) * up_to[:, -1]
        drawn: Index = (up_to > at[:, None]).argmax(axis=1)
        return drawn


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
