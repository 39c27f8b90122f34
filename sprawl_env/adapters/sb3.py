"""Any game as a native Stable-Baselines3 ``VecEnv``: learners against batched opponents.

Kept out of ``sprawl_env``'s own imports: it needs stable-baselines3 (extra ``train``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

from sprawl_env.bots.protocol import Bot, ask
from sprawl_env.bots.random import RandomBot
from sprawl_env.core.batch import batch_kernels
from sprawl_env.core.checks import checked_actions
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.game import Game, check_seed
from sprawl_env.core.rewards import is_dense, reward_mode
from sprawl_env.core.state import AUTOMATON, NOT_OVER, TRUNCATED
from sprawl_env.kernels.arrays import Floats, Index, Ints, Mask


class SelfPlayVecEnv(VecEnv):
    """``num_envs`` games, in each of them one learner's seat and agents in the others.

    A step plays the learner's actions and then every opponent, in batches, until each learner
    owes a decision again; its reward is all that the learner earned until then, so a loss in an
    opponent's turn is seen.  The learner's seat goes round from game to game; opponents are drawn
    for every game by the weights of :meth:`set_opponents`.

    ``infos[i]`` of an ended game holds ``terminal_observation``, ``episode`` (``r`` return, ``l``
    decisions), ``scores`` ``[num_sides]``, ``won`` (1 or the share of a shared victory), ``seat``
    and ``opponents`` (names; an automaton's is ``"automaton"``).  A game cut off at its turn limit
    is scored like an end and is no time limit to bootstrap from.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        *,
        opponents: Sequence[Bot] | None = None,
        weights: Sequence[float] | None = None,
        reward: str = "winner",
        scale: float = 1.0,
        seed: int = 0,
    ) -> None:
        """Make the environments.

        Args:
            game: the game, its options chosen.
            num_envs: how many games at once.
            opponents: pool to draw the other seats from; None plays at random.
            weights: how often each is drawn, in proportion; None: all alike.
            reward: see :mod:`sprawl_env.core.rewards`.
            scale: factor on every reward handed to the learner.
            seed: of deals, seats and draws of opponents.
        """
        if not isinstance(num_envs, int) or num_envs < 1:
            raise InvalidOption(f"num_envs={num_envs!r}: expected a whole number from 1")
        self.game = game
        self.render_mode = None
        super().__init__(
            num_envs,
            spaces.Box(-1.0, 1.0, (game.observation_size,), np.float32),
            spaces.Discrete(game.num_actions),
        )
        self._mode = reward_mode(reward)
        self._scale = np.float32(scale)
        self._kernels = batch_kernels(game.rules)
        seats = game.num_seats
        self.games = game.empty(num_envs)
        self._all: Index = np.arange(num_envs)
        self._observations: Floats = np.zeros((num_envs, game.observation_size), np.float32)
        self._masks: Mask = np.zeros((num_envs, game.num_actions), np.int8)
        self._seen: Floats = np.zeros_like(self._observations)
        self._may: Mask = np.zeros_like(self._masks)
        self._to_play: Index = np.zeros(num_envs, np.int64)
        self._rewards: Floats = np.zeros((num_envs, seats), np.float32)
        self._earned: Floats = np.zeros(num_envs, np.float32)
        self._carried: Floats = np.zeros(num_envs, np.float32)
        self._scores: Ints = np.zeros((num_envs, game.num_sides), np.int32)
        self._standings: Ints = np.zeros((num_envs, game.num_sides), np.int32)
        self._over: Mask = np.zeros(num_envs, np.int8)
        self._episode: Index = np.zeros(num_envs, np.int64)
        self._learner: Index = np.zeros(num_envs, np.int64)
        self._sitting: Index = np.zeros((num_envs, seats), np.int64)
        self._return: Floats = np.zeros(num_envs, np.float32)
        self._length: Index = np.zeros(num_envs, np.int64)
        self._infos: list[dict[str, Any]] = [{} for _ in range(num_envs)]
        self._done = np.zeros(num_envs, np.bool_)
        self.decisions = 0  # of learners and opponents together
        self.set_opponents([RandomBot(seed)] if opponents is None else opponents, weights)
        self._start(seed)

    def set_opponents(
        self, opponents: Sequence[Bot], weights: Sequence[float] | None = None
    ) -> None:
        """Draw the opponents of games dealt from now on from another pool.

        Agents already in the pool must keep their place: running games name them by it.
        """
        if len(opponents) == 0:
            raise InvalidOption("opponents: expected at least one agent")
        given = np.ones(len(opponents)) if weights is None else np.asarray(weights, float)
        if given.shape != (len(opponents),) or given.min() < 0 or given.sum() <= 0:
            raise InvalidOption(f"weights: expected {len(opponents)} numbers from 0, some positive")
        self.opponents = list(opponents)
        self._chances = given / given.sum()

    def _start(self, seed: int) -> None:
        self._seed = check_seed(seed)
        self._rng = np.random.default_rng(self._seed)
        for k, agent in enumerate(self.opponents):
            agent.seed(self._seed + k)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Start deals, seats, opponents and their draws anew at the next reset."""
        chosen = int(np.random.default_rng().integers(2**31)) if seed is None else seed
        self._start(chosen)
        return [chosen] * self.num_envs

    def reset(self) -> VecEnvObs:
        """Deal every game anew and play up to each learner's first decision."""
        self._episode[:] = 0
        self._carried[:] = 0
        self._done[:] = True  # what is earned before the first decision is carried over to it
        self._deal(self._all)
        self._play_opponents(self._all)
        self._finish_step()
        self._done[:] = False
        self._infos = [{} for _ in range(self.num_envs)]
        return self._observations.copy()

    def _deal(self, which: Index) -> None:
        """Deal games anew: next seat for the learner, new opponents."""
        seats = self.game.num_seats
        self._learner[which] = (which + self._episode[which]) % seats
        drawn = self._rng.choice(len(self.opponents), (len(which), seats), p=self._chances)
        self._sitting[which] = drawn
        self._kernels.deal(self.game.tables, self.games, which, self._seed, self._episode)
        self._return[which] = 0
        self._length[which] = 0
        if is_dense(self._mode):
            for i in which:
                self.game.verbs.scores(self.game.tables, self.games, int(i), self._scores[i])

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Take the learners' actions, whole numbers ``[num_envs]``.

        Raises:
            IllegalAction: some action is not legal or the shape is wrong; nothing has changed.
        """
        self._actions = checked_actions(self.game, self.games, self._all, self._masks, actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Play the learners' actions and every opponent up to the learners' next decisions."""
        self._infos = [{} for _ in range(self.num_envs)]
        self._done[:] = False
        np.copyto(self._earned, self._carried)
        self._carried[:] = 0
        self._length += 1
        self._play(self._all, self._actions)
        self._play_opponents(self._all)
        self._finish_step()
        self._return += np.where(self._done, 0, self._earned)
        return self._observations.copy(), self._earned.copy(), self._done.copy(), self._infos

    def _play(self, which: Index, actions: Index) -> None:
        """Play one ply in some games, book what learners earned, deal ended games anew."""
        self._rewards[which] = 0
        self._kernels.step(
            self.game.tables,
            self.games,
            which,
            actions,
            self._mode,
            self._scores,
            self._standings,
            self._rewards,
            self._over,
        )
        self.decisions += len(which)
        gained = self._rewards[which, self._learner[which]] * self._scale
        into = np.where(self._done[which], self._carried[which], self._earned[which])
        done = self._done[which]
        self._carried[which[done]] = (into + gained)[done]
        self._earned[which[~done]] = (into + gained)[~done]
        ended = which[self._over[which] != NOT_OVER]
        if ended.size:
            for i in ended:
                self._end(int(i))
            self._deal(ended)

    def _end(self, i: int) -> None:
        """Book an ended game; one in which the learner had no decision leaves no trace."""
        self._carried[i] = 0
        if self._done[i] or self._length[i] == 0:
            return
        self._done[i] = True
        seat = int(self._learner[i])
        standings = self._standings[i]
        winners = standings == standings.max()
        others = [
            self.opponents[k].name
            for other, k in enumerate(self._sitting[i].tolist())
            if other != seat
        ] + [AUTOMATON] * (self.game.num_sides - self.game.num_seats)
        self._infos[i] = {
            "terminal_observation": self.game.observe(self.games, i, seat),
            "episode": {
                "r": float(self._return[i] + self._earned[i]),
                "l": int(self._length[i]),
                "t": 0.0,
            },
            "scores": self._scores[i].tolist(),
            "won": float(winners[seat]) / int(winners.sum()),
            "seat": seat,
            "opponents": others,
            "turn_limit": bool(self._over[i] == TRUNCATED),
        }

    def _play_opponents(self, which: Index) -> None:
        """Let opponents play, all their decisions of one kind of agent in one batch."""
        while True:
            to_play = self.games["to_play"][which].astype(np.int64)
            which = which[to_play != self._learner[which]]
            if which.size == 0:
                return
            agents = self._sitting[which, self.games["to_play"][which]]
            for k in np.unique(agents):
                group = which[agents == k]
                self._play(group, self._choose(self.opponents[k], group))

    def _choose(self, agent: Bot, which: Index) -> Index:
        """Ask one agent for the actions of some games."""
        size = len(which)
        seen, may = self._seen[:size], self._may[:size]
        wants = agent.needs_observations
        self._kernels.look(
            self.game.tables, self.games, which, wants, self._all[:size], seen, may, self._to_play
        )
        return ask(agent, self.game, self.games, which, seen, may)

    def _finish_step(self) -> None:
        """Look at every learner's decision."""
        self._kernels.look(
            self.game.tables,
            self.games,
            self._all,
            True,
            self._all,
            self._observations,
            self._masks,
            self._to_play,
        )

    def action_masks(self) -> Mask:
        """Return int8 ``[num_envs, num_actions]``, 1 = legal, of the learners' decisions."""
        return self._masks

    def close(self) -> None:
        """Nothing to close."""

    def has_attr(self, attr_name: str) -> bool:
        """Tell whether the environments have an attribute; they share this object's."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute once for every index."""
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of all environments together."""
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any
    ) -> list[Any]:
        """Call a method; ``action_masks`` gives all rows in one array ``[num_envs, A]``."""
        result = getattr(self, method_name)(*args, **kwargs)
        if method_name == "action_masks":
            rows: Any = result if indices is None else result[list(self._get_indices(indices))]
            return rows  # type: ignore[no-any-return]  # an array stacks faster than a list
        return [result] * len(list(self._get_indices(indices)))

    def env_is_wrapped(self, wrapper_class: type[Any], indices: VecEnvIndices = None) -> list[bool]:
        """Nothing is wrapped."""
        return [False] * len(list(self._get_indices(indices)))
