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
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

from sprawl_env.adapters.spaces import observation_space
from sprawl_env.bots.names import as_bot
from sprawl_env.bots.protocol import Bot, ask
from sprawl_env.bots.random import RandomBot
from sprawl_env.core.arguments import checked
from sprawl_env.core.batch import BatchKernels, new_results, new_views
from sprawl_env.core.checks import (
    as_array,
    check_memory,
    check_seed,
    check_whole,
    checked_actions,
)
from sprawl_env.core.errors import InvalidOption, short
from sprawl_env.core.game import Game
from sprawl_env.core.registry import as_game
from sprawl_env.core.rewards import WINNER, RewardFunction, own_rewards, reward_mode
from sprawl_env.core.state import AUTOMATON, NOT_OVER, TRUNCATED, Games, clone
from sprawl_env.kernels.arrays import Floats, Index, Mask
from sprawl_env.kernels.rng import MAX_SEED


class SelfPlayVecEnv(VecEnv):
    """``num_envs`` games, each with one learner's seat and bots in the other seats.

    A step plays the learners' actions and then the opponents' actions, in batches, until every
    learner owes a decision again.  The reward of a step is the sum of the learner's rewards until
    then, so it includes a loss in an opponent's turn.  The learner's seat changes from game to
    game, in turn.  Opponents are drawn for every game by the weights of :meth:`set_opponents`.

    ``infos[i]`` of an ended game contains ``terminal_observation``, ``episode`` (``r``: return,
    ``l``: decisions), ``scores`` ``[num_sides]``, ``won`` (1, or the share of a shared victory),
    ``seat``, ``opponents`` (names; an automaton's is ``"automaton"``) and ``turn_limit``.  A game
    that is cut off at its turn limit is scored as finished: there is no value to bootstrap from.
    """

    @checked
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
            **options: options of the game, e.g. ``num_players=3``, where its name is given.
        """
        game = as_game(game, **options)
        num_envs = check_whole("num_envs=", num_envs, 1)
        each = game.dtype.itemsize + 8 * game.observation_size + 2 * game.num_actions
        check_memory("num_envs", num_envs, each)
        seed = check_seed(seed)
        factor = as_array(scale)
        if factor.ndim or factor.dtype.kind not in "iuf" or not np.isfinite(factor):
            raise InvalidOption(f"scale={short(scale)}: expected a finite number")
        self.game = game
        self._seed = seed
        self.render_mode = None
        super().__init__(
            num_envs,
            observation_space(game, observations),
            spaces.Discrete(game.num_actions),
        )
        self._function = reward if callable(reward) else None
        self._mode = WINNER if callable(reward) else reward_mode(reward)
        self._scale = np.float32(scale)
        self._kernels = BatchKernels(game)
        seats = game.num_seats
        self._games = game.blanks(num_envs)
        self._all: Index = np.arange(num_envs)
        self._views = new_views(game, num_envs, observations)  # of the learners
        self._theirs = new_views(game, num_envs)  # of the opponents, in the first rows
        self._results = new_results(game, num_envs)
        self._earned: Floats = np.zeros(num_envs, np.float32)
        self._carried: Floats = np.zeros(num_envs, np.float32)
        self._learner: Index = np.zeros(num_envs, np.int64)
        self._sitting: Index = np.zeros((num_envs, seats), np.int64)
        self._return: Floats = np.zeros(num_envs, np.float32)
        self._length: Index = np.zeros(num_envs, np.int64)
        self._infos: list[dict[str, Any]] = [{} for _ in range(num_envs)]
        self._done = np.zeros(num_envs, np.bool_)
        self._dealt = self._asked = False  # whether reset() was called, and step_async()
        self.decisions = 0  # of learners and opponents together
        self.set_opponents([RandomBot(seed)] if opponents is None else opponents, weights)
        self._start(seed)

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
        if isinstance(opponents, str) or not isinstance(opponents, Sequence):
            opponents = [opponents]
        if len(opponents) == 0:
            raise InvalidOption("opponents: expected at least one bot, got none")
        given = np.ones(len(opponents)) if weights is None else as_array(weights)
        fits = given.shape == (len(opponents),) and given.dtype.kind in "iuf"
        if not fits or not np.isfinite(given).all() or given.min() < 0 or given.sum() <= 0:
            raise InvalidOption(f"weights: expected {len(opponents)} numbers from 0, some positive")
        self.opponents = [
            as_bot(bot, self.game, (self._seed + k) & MAX_SEED, "opponents")
            for k, bot in enumerate(opponents)
        ]
        self._chances = given / given.sum()

    def _start(self, seed: int) -> None:
        self._seed = check_seed(seed)
        self._rng = np.random.default_rng(self._seed)
        for k, bot in enumerate(self.opponents):
            bot.seed((self._seed + k) & MAX_SEED)

    @checked
    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seed deals, seats, opponents and the draws of opponents; call ``reset`` after it."""
        chosen = int(np.random.default_rng().integers(2**31)) if seed is None else seed
        self._start(chosen)
        return [chosen] * self.num_envs

    def reset(self) -> VecEnvObs:
        """Deal every game and play up to each learner's first decision."""
        self._results.episode[:] = 0
        self._carried[:] = 0
        self._done[:] = True  # rewards before the first decision are carried over to its step
        self._deal(self._all)
        self._play_opponents(self._all)
        self._finish_step()
        self._done[:] = False
        self._infos = [{} for _ in range(self.num_envs)]
        self._dealt, self._asked = True, False
        return self._views.observations.copy()

    @property
    def games(self) -> Games:
        """The records ``[num_envs]``, a copy: writing to it changes no game."""
        return clone(self._games)

    def _deal(self, which: Index) -> None:
        """Deal games with the next seat for the learner and new opponents."""
        seats = self.game.num_seats
        self._learner[which] = (which + self._results.episode[which]) % seats
        drawn = self._rng.choice(len(self.opponents), (len(which), seats), p=self._chances)
        self._sitting[which] = drawn
        self._kernels.deal(self._games, which, self._seed, self._mode, self._results)
        self._return[which] = 0
        self._length[which] = 0

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Check and keep the learners' actions, whole numbers ``[num_envs]``.

        Raises:
            IllegalAction: an action is not legal, or the shape is wrong; nothing has changed.
        """
        if not self._dealt:
            raise InvalidOption(f"{self.game.name}: call reset() before step()")
        self._actions = checked_actions(
            self.game, self._games, self._all, self._views.masks, actions
        )
        self._asked = True

    def step_wait(self) -> VecEnvStepReturn:
        """Play the learners' actions and every opponent up to the learners' next decisions.

        Raises:
            InvalidOption: there are no new actions: ``step_async`` was not called.
        """
        if not self._asked:
            raise InvalidOption(f"{self.game.name}: call step_async() before step_wait()")
        self._asked = False
        self._infos = [{} for _ in range(self.num_envs)]
        self._done[:] = False
        np.copyto(self._earned, self._carried)
        self._carried[:] = 0
        self._length += 1
        self._play(self._all, self._actions)
        self._play_opponents(self._all)
        self._finish_step()
        self._return += np.where(self._done, 0, self._earned)
        return self._views.observations.copy(), self._earned.copy(), self._done.copy(), self._infos

    def _play(self, which: Index, actions: Index) -> None:
        """Play one ply in some games, add the learners' rewards, re-deal ended games."""
        rewards = self._results.rewards
        rewards[which] = 0
        before = clone(self._games, which) if self._function is not None else None
        self._kernels.step(self._games, which, actions, self._mode, self._results)
        if self._function is not None and before is not None:
            after = clone(self._games, which)
            rewards[which] = own_rewards(self._function, self.game, before, after)
        self.decisions += len(which)
        gained = rewards[which, self._learner[which]] * self._scale
        into = np.where(self._done[which], self._carried[which], self._earned[which])
        done = self._done[which]
        self._carried[which[done]] = (into + gained)[done]
        self._earned[which[~done]] = (into + gained)[~done]
        ended = which[self._results.over[which] != NOT_OVER]
        if ended.size:
            for i in ended:
                self._end(int(i))
            self._deal(ended)

    def _end(self, i: int) -> None:
        """Write the info of an ended game; skip a game in which the learner had no decision."""
        self._carried[i] = 0
        if self._done[i] or self._length[i] == 0:
            return
        self._done[i] = True
        seat = int(self._learner[i])
        last = np.empty(self.observation_space.shape or (), self.observation_space.dtype)
        standings = self._results.standings[i]
        winners = standings == standings.max()
        others = [
            self.opponents[k].name
            for other, k in enumerate(self._sitting[i].tolist())
            if other != seat
        ] + [AUTOMATON] * (self.game.num_sides - self.game.num_seats)
        self._infos[i] = {
            "terminal_observation": self.game.observe(self._games, i, seat, last),
            "episode": {
                "r": float(self._return[i] + self._earned[i]),
                "l": int(self._length[i]),
                "t": 0.0,
            },
            "scores": self._results.scores[i].tolist(),
            "won": float(winners[seat]) / int(winners.sum()),
            "seat": seat,
            "opponents": others,
            "turn_limit": bool(self._results.over[i] == TRUNCATED),
        }

    def _play_opponents(self, which: Index) -> None:
        """Let the opponents play, with the decisions of each bot in one batch."""
        while True:
            to_play = self._games["to_play"][which].astype(np.int64)
            which = which[to_play != self._learner[which]]
            if which.size == 0:
                return
            bots = self._sitting[which, self._games["to_play"][which]]
            for k in np.unique(bots):
                group = which[bots == k]
                self._play(group, self._choose(self.opponents[k], group))

    def _choose(self, bot: Bot, which: Index) -> Index:
        """Return the actions of one bot in some games."""
        size = len(which)
        theirs, wants = self._theirs, bot.needs_observations
        self._kernels.look(self._games, which, self._all[:size], theirs, observe=wants)
        seen, may = theirs.observations[:size], theirs.masks[:size]
        return ask(bot, self.game, self._games, which, seen, may)

    def _finish_step(self) -> None:
        """Write the observations and masks of the learners' decisions."""
        self._kernels.look(self._games, self._all, self._all, self._views)

    def action_masks(self) -> Mask:
        """Return the masks of the learners' decisions, int8 ``[num_envs, num_actions]``; a copy."""
        return self._views.masks.copy()

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
