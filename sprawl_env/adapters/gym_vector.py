"""The vector environment of Gymnasium for all games: many learners, with the opponents inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from sprawl_env.adapters.learners import Endings, LearnerSettings, SeededGames
from sprawl_env.adapters.single import no_options
from sprawl_env.adapters.spaces import MaskedMultiDiscrete, learner_space, observation_space
from sprawl_env.bots.protocol import Bot
from sprawl_env.core.arguments import checked, takes_also
from sprawl_env.core.checks import check_seed
from sprawl_env.core.errors import InvalidOption, short, unknown
from sprawl_env.core.game import Game
from sprawl_env.core.registry import as_game
from sprawl_env.core.rewards import RewardFunction
from sprawl_env.core.state import FINISHED, TRUNCATED, Games, clone
from sprawl_env.kernels.arrays import Index, Mask
from sprawl_env.render.modes import RENDER_FPS, RENDER_MODES, Renderer

_FRAMES = tuple(mode for mode in RENDER_MODES if mode != "human")
_MODES = {mode.value: mode for mode in AutoresetMode}
Flags = npt.NDArray[np.bool_]


class BoardGameVectorEnv(VectorEnv[Any, Any, npt.NDArray[Any]]):
    """``num_envs`` games, each with one learner against bots inside the environment.

    It is what ``gymnasium.make_vec(id, num_envs, vectorization_mode="vector_entry_point")`` makes:
    the same games, observations, rewards and infos as of as many single environments, in one call.
    Opponents are seated as in :class:`~sprawl_env.adapters.gym.BoardGameGym`; each bot gets all
    its decisions in one batch, so a bot that draws random numbers draws others.

    ``info["action_mask"]`` is int8 ``[num_envs, num_actions]`` and ``info["seat"]`` int64
    ``[num_envs]``.  Of games that end, ``info`` has ``scores`` int32 ``[num_envs, num_sides]``,
    ``won`` bool ``[num_envs]`` and, where the learner lost by an illegal action, ``illegal`` int64
    ``[num_envs]``, the seat; ``info["_scores"]`` and so on say of which games.

    ===============  ===============================================================================
    autoreset mode   a game that ended
    ===============  ===============================================================================
    ``"NextStep"``   is dealt by the next step, which ignores its action and pays 0; until then its
                     mask has one action
    ``"SameStep"``   is dealt in the same step; its last observation and info are in ``final_obs``
                     and ``final_info``
    ``"Disabled"``   stays, with an empty mask, until ``reset(options={"reset_mask": flags})``, bool
                     ``[num_envs]``; without the reset, ``step`` is an error
    ===============  ===============================================================================

    With the same seeds and bots that draw no random numbers, the games are the same in all modes.
    """

    metadata = {"render_modes": list(_FRAMES), "render_fps": RENDER_FPS}  # noqa: RUF012 - Gymnasium's

    @checked
    @takes_also("illegal", "render_mode", "num_threads", "data")
    def __init__(
        self,
        name: str | Game,
        num_envs: int = 1,
        *,
        opponent: str | Bot | type[Bot] | Sequence[str | Bot | type[Bot]] | None = None,
        seat: int | None = None,
        reward: str | RewardFunction = "winner",
        observations: str = "float32",
        observation: str = "array",
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        **options: Any,
    ) -> None:
        """Make the environments.

        Args:
            name: a game's name, or a :class:`~sprawl_env.core.game.Game`; the games have the
                options of a mixed game in turn (:meth:`~sprawl_env.core.game.Game.mixed`).
            num_envs: number of games.
            opponent: as of :class:`~sprawl_env.adapters.gym.BoardGameGym`.
            seat: the learner's seat; None: drawn for every game.
            reward: see :mod:`sprawl_env.core.rewards`.
            observations: ``"float32"`` or ``"int8"``, as of the single environment.
            observation: ``"array"``, or ``"dict"`` with the masks, as of the single environment.
            autoreset_mode: ``"NextStep"``, ``"SameStep"``, ``"Disabled"``, or Gymnasium's
                ``AutoresetMode``.
            **options: options of the game, and

                - ``num_threads``: number of threads that share the games while the opponents are
                  random; default 1,
                - ``illegal``, ``data`` and ``render_mode``, as of the single environment but not
                  ``"human"``.

        Raises:
            SprawlError: an argument is not allowed.
        """
        self.autoreset_mode = _mode_of(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = options.pop("render_mode", None)
        if self.render_mode == "human":
            raise InvalidOption(
                "render_mode='human': many games have no window: expected 'rgb_array' in "
                "gymnasium.wrappers.vector.HumanRendering"
            )
        settings = LearnerSettings(
            reward=reward,
            observations=observations,
            illegal=options.pop("illegal", "raise"),
            redeals=self.autoreset_mode is AutoresetMode.SAME_STEP,
            num_threads=options.pop("num_threads", 1),
        )
        self.game = as_game(name, **options)
        self._renderer = Renderer(self.game, self.render_mode)
        array = observation_space(self.game, observations)
        self.single_observation_space = learner_space(self.game, array, observation)
        self._learners = SeededGames(self.game, num_envs, settings, seat)
        self._learners.set_opponent(opponent)
        self.num_envs = self._learners.num_envs
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space: MaskedMultiDiscrete = MaskedMultiDiscrete(
            self.num_envs, self.game.num_actions
        )
        self.single_action_space = self.action_space.single
        self._with_mask = self.single_observation_space is not array
        self._dealt = False

    @property
    def games(self) -> Games:
        """The records ``[num_envs]``, a copy: writing to it changes no game."""
        return self._learners.games

    @property  # type: ignore[misc]  # the generators of many games cannot be set at once
    def np_random(self) -> Any:
        """The random number generators of the games, a tuple."""
        return tuple(self._learners.generators)

    @property
    def np_random_seed(self) -> Any:
        """The seeds of the games, a tuple; -1 for a game without one."""
        return tuple(self._learners.seeds)

    @checked
    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Deal all games, or some, and play up to the learners' first decisions.

        Args:
            seed: game ``i`` gets ``seed + i``; or a list with a seed or None for each game.  None:
                the games go on with their random numbers.
            options: ``{"reset_mask": flags}``, bool ``[num_envs]``, deals only these games.

        Returns:
            Observations and info of all games.

        Raises:
            InvalidOption: an argument is something else, or every game ends before the learner's
                first decision; or some games are to be dealt, and the last ``reset`` or ``step``
                failed or was interrupted.
        """
        which = self._to_reset(options)
        seeds: list[int | None] = [None] * self.num_envs
        given = self._seeds(seed)
        for i in which.tolist():
            seeds[i] = given[i]
        self._learners.seed(seeds)
        self._learners.begin(which)
        self._dealt = True
        seen = self._seen()
        self._learners.unfinished = False
        return seen

    def _to_reset(self, options: dict[str, Any] | None) -> Index:
        """Return the games that a reset deals, int64 ``[k]``."""
        no_options(self.game, options, ("reset_mask",))
        flags = (options or {}).get("reset_mask")
        if flags is None:
            return self._learners.everyone
        fits = isinstance(flags, np.ndarray) and flags.dtype == np.bool_
        if not fits or flags.shape != (self.num_envs,) or not flags.any():
            raise InvalidOption(
                f"reset_mask={short(flags)}: expected a bool array of shape ({self.num_envs},), "
                f"some True"
            )
        if not flags.all():
            if not self._dealt:
                raise InvalidOption(f"{self.game.name}: call reset() before a reset of some games")
            self._learners.check_whole()
        return np.flatnonzero(flags)

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        """Return a seed or None for each game."""
        if seed is None:
            return [None] * self.num_envs
        if not isinstance(seed, Sequence):
            return [check_seed(seed + i) for i in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise InvalidOption(f"seed: expected {self.num_envs} seeds, got {len(seed)}")
        return [None if each is None else check_seed(each) for each in seed]

    def step(
        self, actions: Any
    ) -> tuple[Any, npt.NDArray[np.float64], Flags, Flags, dict[str, Any]]:
        """Play the learners' actions and the opponents' up to the learners' next decisions.

        If it fails in a bot or a reward of your own, or is interrupted, all games must be reset.

        Args:
            actions: whole numbers ``[num_envs]``.

        Returns:
            Observations, rewards float64 ``[num_envs]``, terminated and truncated, bool
            ``[num_envs]`` each, and info; new arrays.

        Raises:
            IllegalAction: an action is not legal, or the shape is wrong; nothing has changed.
            InvalidOption: no game was dealt yet, or a game is over and was not reset; or the last
                ``reset`` or ``step`` failed or was interrupted.
        """
        learners = self._learners
        if not self._dealt:
            raise InvalidOption(f"{self.game.name}: call reset() before step()")
        learners.check_whole()
        if self.autoreset_mode is AutoresetMode.DISABLED and learners.over.any():
            i = int(learners.over.argmax())
            raise InvalidOption(
                f"env {i}: its game is over: call reset(options={{'reset_mask': flags}}) first"
            )
        learners.step(*learners.checked(actions))
        ends = np.zeros(self.num_envs, np.int8)
        seen, info = self._seen()
        endings = learners.endings
        if endings is not None:
            ends[endings.which] = endings.over
            self._add_endings(info, endings)
        earned = learners.earned.astype(np.float64)
        found = seen, earned, ends == FINISHED, ends == TRUNCATED, info
        learners.unfinished = False
        return found

    def _seen(self) -> tuple[Any, dict[str, Any]]:
        """Return observations and info of all games; copies."""
        views, over = self._learners.views, self._learners.over
        masks: Mask = views.masks.copy()
        if self.autoreset_mode is AutoresetMode.DISABLED:
            masks[over] = 0
        self.action_space.legal = masks.copy()  # decides nothing but what is drawn
        info: dict[str, Any] = {}
        self._add(info, "action_mask", masks)
        self._add(info, "seat", self._learners.seats)
        if not self._with_mask:
            return views.observations, info
        return {"observation": views.observations, "action_mask": masks.copy()}, info

    def _add(self, info: dict[str, Any], key: str, values: Any, which: Flags | None = None) -> None:
        """Add an entry, and the entry that says of which games it is; None: of all."""
        info[key] = values
        info[f"_{key}"] = np.ones(self.num_envs, np.bool_) if which is None else which.copy()

    def _add_endings(self, info: dict[str, Any], endings: Endings) -> None:
        """Add what is known of the games that have ended."""
        which = endings.which
        ended = self._spread(which, True)
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            last = np.full(self.num_envs, None, object)
            for k, i in enumerate(which.tolist()):
                last[i] = self._last_observation(endings.observations[k])
            self._add(info, "final_obs", last, ended)
            final: dict[str, Any] = {}
            self._add(final, "action_mask", np.zeros_like(info["action_mask"]), ended)
            self._add(final, "seat", self._spread(which, endings.seats), ended)
            self._add(info, "final_info", final, ended)
            info = final
        self._add(info, "scores", self._spread(which, endings.scores), ended)
        self._add(info, "won", self._spread(which, endings.won), ended)
        if endings.illegal.any():
            lost, seats = which[endings.illegal], endings.seats[endings.illegal]
            self._add(info, "illegal", self._spread(lost, seats), self._spread(lost, True))

    def _spread(self, which: Index, values: Any) -> npt.NDArray[Any]:
        """Return an array for all games, 0 where no value is given."""
        values = np.asarray(values)
        spread = np.zeros((self.num_envs, *values.shape[1:]), values.dtype)
        spread[which] = values
        return spread

    def _last_observation(self, observation: npt.NDArray[Any]) -> Any:
        """Return the last observation of a game, as of the single environment."""
        if not self._with_mask:
            return observation
        return {"observation": observation, "action_mask": np.zeros(self.game.num_actions, np.int8)}

    def render(self) -> Any:
        """Return a picture of each game with all hidden information, a tuple.

        Raises:
            InvalidOption: no game was dealt yet.
        """
        if not self._dealt:
            raise InvalidOption(f"{self.game.name}: call reset() before render()")
        if self.render_mode is None:
            return None
        games = self.games
        each = (clone(games, slice(i, i + 1)) for i in range(self.num_envs))
        return tuple(self._renderer.render(one, 0) for one in each)

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads."""
        self._learners.close()


def _mode_of(mode: str | AutoresetMode) -> AutoresetMode:
    """Return an autoreset mode from its name.

    Raises:
        UnknownName: there is no such mode.
    """
    if isinstance(mode, AutoresetMode):
        return mode
    if mode not in _MODES:
        raise unknown("autoreset_mode", mode, _MODES)
    return _MODES[mode]
