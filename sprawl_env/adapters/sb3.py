"""The Stable-Baselines3 adapter for all games: learners against batched opponents.

``import sprawl_env`` does not import this module, because it needs stable-baselines3 (extra
``train``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from sprawl_env.adapters.learners import DrawnGames, Endings, LearnerSettings
from sprawl_env.adapters.spaces import observation_space
from sprawl_env.bots.protocol import Bot
from sprawl_env.core.arguments import checked, takes_also
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.extras import require
from sprawl_env.core.game import Game
from sprawl_env.core.registry import as_game
from sprawl_env.core.rewards import RewardFunction
from sprawl_env.core.state import TRUNCATED, Games
from sprawl_env.kernels.arrays import Mask

require("stable_baselines3", "sprawl_env.adapters.sb3")

from stable_baselines3.common.vec_env import VecEnv  # noqa: E402 - it is installed
from stable_baselines3.common.vec_env.base_vec_env import (  # noqa: E402
    VecEnvIndices,
    VecEnvObs,
    VecEnvStepReturn,
)


class SelfPlayVecEnv(VecEnv):
    """``num_envs`` games, each with one learner's seat and bots in the other seats.

    A step plays the learners' actions and then the opponents' actions, in batches, until every
    learner owes a decision again.  The reward of a step is the sum of the learner's rewards until
    then, so it includes a loss in an opponent's turn.  The learner's seat changes from game to
    game, in turn.  Opponents are drawn for every game by the weights of :meth:`set_opponents`.

    ``infos[i]`` of an ended game contains ``terminal_observation``, ``episode`` (``r``: return,
    ``l``: decisions), ``scores`` ``[num_sides]``, ``won`` (1, or the share of a shared victory),
    ``seat``, ``opponents`` (names; an automaton's is ``"automaton"``) and ``turn_limit``; if the
    learner lost by an illegal action also ``illegal``, its seat.  A game that is cut off at its
    turn limit is scored as finished: there is no value to bootstrap from.
    """

    @checked
    @takes_also("illegal", "data")
    def __init__(
        self,
        game: str | Game,
        num_envs: int,
        *,
        opponents: str | Bot | type[Bot] | Sequence[str | Bot | type[Bot]] | None = None,
        weights: Sequence[float] | None = None,
        reward: str | RewardFunction = "winner",
        scale: float = 1.0,
        seed: int = 0,
        observations: str = "float32",
        **options: Any,
    ) -> None:
        """Make the environments.

        Args:
            game: a game's name, or a :class:`~sprawl_env.core.game.Game`; the games have the
                options of a mixed game in turn (:meth:`~sprawl_env.core.game.Game.mixed`).
            num_envs: number of games.
            opponents: a bot, or bots from which those in the other seats are drawn, each as a name,
                an instance or a class (:func:`~sprawl_env.bots.names.as_bot`); None: random bots.
            weights: relative frequency of each opponent; None: all equal.
            reward: see :mod:`sprawl_env.core.rewards`.
            scale: factor on every reward of the learner.
            seed: seed of deals, seats, opponents and the draws of opponents.
            observations: ``"float32"``, or ``"int8"``: whole numbers, a quarter of the memory also
                in a rollout buffer.  Times ``game.observation_layout.scales`` they are the float32
                observations; a features extractor of the policy can multiply them.
            **options: ``illegal``, and options of the game, e.g. ``num_players=3``, where its name
                is given.  With ``illegal="lose"`` an illegal action ends the learner's game with
                the reward of :func:`~sprawl_env.adapters.illegal.forfeits`; default:
                ``"raise"``.
        """
        illegal = options.pop("illegal", "raise")
        game = as_game(game, **options)
        settings = LearnerSettings(
            reward=reward, scale=scale, observations=observations, illegal=illegal
        )
        space = observation_space(game, observations)
        self.learners = DrawnGames(game, num_envs, settings, seed)
        self.game = game
        self.render_mode = None
        super().__init__(self.learners.num_envs, space, spaces.Discrete(game.num_actions))
        self._dealt = self._asked = False  # whether reset() was called, and step_async()
        self.set_opponents("random" if opponents is None else opponents, weights)
        self.learners.start(seed)  # instances too

    @checked
    def set_opponents(
        self,
        opponents: str | Bot | type[Bot] | Sequence[str | Bot | type[Bot]],
        weights: Sequence[float] | None = None,
    ) -> None:
        """Set the bots from which the opponents of games dealt from now on are drawn.

        Bots that are already opponents must keep their index: running games refer to them by it.
        Bots are names, instances or classes (:func:`~sprawl_env.bots.names.as_bot`).

        Raises:
            SprawlError: there is no such bot, or the weights are not one a bot.
        """
        self.learners.set_opponents(opponents, weights)

    @property
    def opponents(self) -> list[Bot]:
        """The bots from which opponents are drawn."""
        return self.learners.opponents

    @property
    def decisions(self) -> int:
        """The number of decisions so far, of learners and opponents together."""
        return self.learners.decisions

    @property
    def games(self) -> Games:
        """The records ``[num_envs]``, a copy: writing to it changes no game."""
        return self.learners.games

    @checked
    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seed deals, seats, opponents and the draws of opponents; call ``reset`` after it."""
        chosen = int(np.random.default_rng().integers(2**31)) if seed is None else seed
        self.learners.start(chosen)
        return [chosen] * self.num_envs

    def reset(self) -> VecEnvObs:
        """Deal every game and play up to each learner's first decision.

        The first reset after the seed deals the games of that seed, each further one others.

        Raises:
            InvalidOption: every game ends before the learner's first decision.
        """
        self._asked = False
        self.learners.reset()
        self._dealt, self.learners.unfinished = True, False
        return self.learners.views.observations

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Check and keep the learners' actions, whole numbers ``[num_envs]``.

        Raises:
            IllegalAction: an action is not legal, or the shape is wrong; nothing has changed.
            InvalidOption: no game was dealt yet, or the last ``reset`` or step failed or was
                interrupted.
        """
        if not self._dealt:
            raise InvalidOption(f"{self.game.name}: call reset() before step()")
        self._actions = self.learners.checked(actions)
        self._asked = True

    def step_wait(self) -> VecEnvStepReturn:
        """Play the learners' actions and every opponent up to the learners' next decisions.

        If it fails in a bot or a reward of your own, or is interrupted, the games must be reset.

        Raises:
            InvalidOption: there are no new actions: ``step_async`` was not called.
        """
        if not self._asked:
            raise InvalidOption(f"{self.game.name}: call step_async() before step_wait()")
        self._asked = False
        learners = self.learners
        learners.step(*self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        done = np.zeros(self.num_envs, np.bool_)
        endings = learners.endings
        if endings is not None:
            done[endings.which] = True
            shares = endings.shares.tolist()
            for k, i in enumerate(endings.which.tolist()):
                infos[i] = self._info_of(endings, k, shares[k])
        earned = learners.earned.copy()
        learners.unfinished = False
        return learners.views.observations, earned, done, infos

    def _info_of(self, endings: Endings, k: int, share: float) -> dict[str, Any]:
        """Return the info of a game that the last step ended."""
        seat, earned = int(endings.seats[k]), self.learners.earned[endings.which[k]]
        info = {
            "terminal_observation": endings.observations[k],
            "episode": {
                "r": float(endings.returned[k] + earned),
                "l": int(endings.lengths[k]),
                "t": 0.0,
            },
            "scores": endings.scores[k].tolist(),
            "won": share,
            "seat": seat,
            "opponents": self.learners.names(seat, endings.sitting[k]),
            "turn_limit": bool(endings.over[k] == TRUNCATED),
        }
        return info | {"illegal": seat} if endings.illegal[k] else info

    def action_masks(self) -> Mask:
        """Return the masks of the learners' decisions, int8 ``[num_envs, num_actions]``; a copy.

        Raises:
            InvalidOption: no game was dealt yet, or the last ``reset`` or step failed or was
                interrupted.
        """
        if not self._dealt:
            raise InvalidOption(f"{self.game.name}: call reset() before action_masks()")
        self.learners.check_whole()
        return self.learners.views.masks.copy()

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def has_attr(self, attr_name: str) -> bool:
        """Return whether this object, which stands for all environments, has an attribute."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of this object, once for each index."""
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of this object, for all environments."""
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any
    ) -> list[Any]:
        """Call a method; ``action_masks`` returns one array ``[num_envs, num_actions]``."""
        result = getattr(self, method_name)(*args, **kwargs)
        if method_name == "action_masks":
            rows: Any = result if indices is None else result[list(self._get_indices(indices))]
            return rows  # type: ignore[no-any-return]  # SB3 stacks an array faster than a list
        return [result] * len(list(self._get_indices(indices)))

    def env_is_wrapped(self, wrapper_class: type[Any], indices: VecEnvIndices = None) -> list[bool]:
        """Return False for each index: environments are never wrapped."""
        return [False] * len(list(self._get_indices(indices)))
