"""The Gymnasium adapter for all games: one learner, with the opponents inside the environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from sprawl_env.adapters.learners import learners_seat, seat_opponents
from sprawl_env.adapters.single import SingleGame, no_options, not_finished
from sprawl_env.adapters.spaces import MaskedDiscrete, learner_space, observation_space
from sprawl_env.bots.protocol import Bot, answer
from sprawl_env.core.arguments import checked, takes_also
from sprawl_env.core.checks import (
    INT8,
    MOST_DEALS,
    as_array,
    as_whole,
    check_row,
    check_seed,
    no_choice_left,
)
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.game import Game
from sprawl_env.core.registry import as_game
from sprawl_env.core.rewards import RewardFunction
from sprawl_env.core.rules import Played
from sprawl_env.core.state import FINISHED, NOBODY, NOT_OVER, TRUNCATED, Games
from sprawl_env.kernels.arrays import Floats, Index, Mask
from sprawl_env.render.modes import RENDER_FPS, RENDER_MODES, Renderer

Observation = Floats | Mask | dict[str, Floats | Mask]
_ONLY: Index = np.zeros(1, np.int64)  # index of the one game of the batch
_SEEDS_KEPT = 16  # number of seeds whose openings are remembered


class LegalDiscrete(MaskedDiscrete):
    """Action ids whose ``sample()`` draws a legal action unless another mask is given.

    Gymnasium's environment checker seeds the space, draws an action, resets the environment with
    the same seed, and plays the action.  So after ``seed(s)``, until the next ``reset`` or
    ``step``, the space draws an action that is legal in the opening last dealt from ``s``, or if no
    game was dealt from ``s``, in all openings so far; and in the present position too, if there is
    such an action.
    """

    @checked
    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.legal = self._now = np.ones(n, np.int8)
        self._in_every_opening: Mask = np.ones(n, np.int8)
        self._openings: dict[int, Mask] = {}  # masks of the openings of the latest seeds

    @checked
    def show(self, legal: Mask) -> None:
        """Record the mask of the present position.

        Raises:
            InvalidOption: ``legal`` is no mask int8 ``[n]``.
        """
        check_row("legal", legal, int(self.n), (INT8,))
        self.legal = self._now = legal

    @checked
    def open(self, legal: Mask, seed: int | None) -> None:
        """Record the mask of a new game's first decision and the seed of its deal.

        Raises:
            InvalidOption: ``legal`` is no mask int8 ``[n]``.
        """
        self.show(legal)
        self._in_every_opening = self._in_every_opening & legal
        if seed is not None:
            seed = check_seed(seed)
            self._openings.pop(seed, None)
            self._openings[seed] = legal
            if len(self._openings) > _SEEDS_KEPT:
                del self._openings[next(iter(self._openings))]

    @checked
    def seed(self, seed: int | None = None) -> Any:
        """Seed the sampler and, if ``seed`` is given, set the mask for the next game."""
        if seed is not None:
            check_seed(seed)
            then = self._openings.get(seed, self._in_every_opening)
            both = self._now & then
            self.legal = both if both.any() else then if then.any() else self._now
        return super().seed(seed)


class BoardGameGym(gymnasium.Env[Observation, Any]):
    """One learner against bots inside the environment.

    Observations are float32 or int8 ``[observation_size]``, or with ``observation="dict"`` a
    dictionary of them and the mask.  The mask of legal actions is in
    ``info["action_mask"]`` and :meth:`action_masks` (the name that sb3-contrib expects).  The
    reward of a step is the sum of the learner's rewards until its next decision or the end of the
    game.  ``info["seat"]`` is the learner's seat.  At the end ``info`` also contains ``scores``
    int32 ``[num_sides]`` and ``won`` (bool; True for a shared victory), and ``illegal``, the
    learner's seat, if it lost by an illegal action.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012 - Gymnasium's

    @checked
    @takes_also("illegal", "render_mode", "data")
    def __init__(
        self,
        name: str | Game,
        *,
        opponent: str | Bot | type[Bot] | Sequence[str | Bot | type[Bot]] | None = None,
        seat: int | None = None,
        reward: str | RewardFunction = "winner",
        observations: str = "float32",
        observation: str = "array",
        **options: Any,
    ) -> None:
        """Make the environment.

        Args:
            name: a game's name, or a :class:`~sprawl_env.core.game.Game`.
            opponent: a bot for all other seats, or one bot for each of them in the order after
                the learner, each as a name, an instance or a class
                (:func:`~sprawl_env.bots.names.as_bot`); None: random bots.
            seat: the learner's seat; None: a random seat at every reset.
            reward: see :mod:`sprawl_env.core.rewards`.
            observations: ``"float32"``, or ``"int8"``: whole numbers; times
                ``game.observation_layout.scales`` they are the float32 observations.
            observation: ``"array"``, or ``"dict"``: observations are ``{"observation": ...,
                "action_mask": int8 [num_actions]}``, for policies that take several inputs.
            **options: options of the game, and

                - ``illegal``: ``"raise"``, or ``"lose"``: an illegal action ends the game with the
                  reward of :func:`~sprawl_env.adapters.illegal.forfeits`,
                - ``render_mode``: ``"ansi"``, ``"svg"``, ``"rgb_array"``, ``"human"`` or None (see
                  :meth:`render`),
                - ``data``: folder of TOML files that replace those of the package.
        """
        illegal = options.pop("illegal", "raise")
        self.render_mode = options.pop("render_mode", None)
        self.game = as_game(name, **options)
        self._renderer = Renderer(self.game, self.render_mode)
        self.metadata = {**self.metadata, "render_modes": list(self._renderer.modes)}
        self._last: Played | None = None
        self._fixed_seat = learners_seat(self.game, seat)
        self._opponents = seat_opponents(self.game, opponent)
        self._single = SingleGame(self.game, reward, illegal)
        self._array_space = observation_space(self.game, observations)
        self.observation_space = learner_space(self.game, self._array_space, observation)
        self.action_space: LegalDiscrete = LegalDiscrete(self.game.num_actions)
        self.seat = 0
        self._dealt = False
        self._unfinished = False  # the last reset or step was begun and has not returned

    @property
    def games(self) -> Games:
        """The record of the game ``[1]``, a copy: writing to it changes no game.

        Raises:
            InvalidOption: no game was dealt yet.
        """
        self._check_dealt("games")
        return self._single.copy()

    @checked
    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal a new game and let the opponents play up to the learner's first decision.

        Args:
            seed: of the deal, the learner's seat and the opponents; None: their random numbers go
                on.
            options: none: a game's options are given where the environment is made.

        Raises:
            InvalidOption: every game ends before the learner's first decision, or ``options`` is
                not empty.
        """
        no_options(self.game, options)
        if seed is not None:
            seed = check_seed(seed)
        self._unfinished = True
        super().reset(seed=seed)
        if seed is not None:
            for opponent in self._opponents:
                opponent.seed(int(self.np_random.integers(2**62)))
        for _ in range(MOST_DEALS):  # a tiny turn limit can end a game before the learner's turn
            self._deal()
            self._play_opponents()
            if self._single.over == NOT_OVER:
                break
        else:
            raise no_choice_left(self.game)
        seen = self._look()
        self.action_space.open(self._single.mask.copy(), seed)
        self._show()
        self._unfinished = False
        return seen

    def _deal(self) -> None:
        fixed, seats = self._fixed_seat, self.game.num_seats
        self.seat = int(self.np_random.integers(seats)) if fixed is None else fixed
        self._single.deal(int(self.np_random.integers(2**62)))
        self._last = None

    def _play_opponents(self) -> None:
        """Play until the learner owes a decision or the game is over."""
        single, game = self._single, self.game
        while (to_play := single.seat) not in (self.seat, NOBODY):
            bot = self._opponents[(to_play - self.seat) % game.num_seats - 1]
            seen = np.empty((1, game.observation_size), np.float32)
            if bot.needs_observations:
                single.observe(to_play, seen[0])
            action = answer(bot, game, single.records, _ONLY, seen, single.look()[None])[0]
            self._play(int(action))

    def _look(self) -> tuple[Observation, dict[str, Any]]:
        single, mask = self._single, self._single.look()
        self.action_space.show(mask.copy())  # decides nothing: step() reads its own mask
        self._dealt = True
        info: dict[str, Any] = {"action_mask": mask.copy(), "seat": np.int64(self.seat)}
        if single.over != NOT_OVER:
            info["scores"] = single.scores()
            info["won"] = np.bool_(single.has_won(self.seat))
        if single.offender != NOBODY:
            info["illegal"] = np.int64(single.offender)
        seen: Any = np.empty(self._array_space.shape, self._array_space.dtype)
        single.observe(self.seat, seen)
        if self.observation_space is not self._array_space:
            return {"observation": seen, "action_mask": mask.copy()}, info
        return seen, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return bool ``[num_actions]``, True = legal; a copy.

        Raises:
            InvalidOption: no game was dealt yet, or the last ``reset`` or ``step`` failed or was
                interrupted.
        """
        self._check_whole("action_masks()")
        return self._single.mask.astype(np.bool_)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play the learner's action and the opponents' up to the learner's next decision.

        If it fails in a bot or a reward of your own, or is interrupted, the game must be reset.

        Raises:
            IllegalAction: the action is not legal, and does not lose the game; the state is
                unchanged.
            InvalidOption: no game was dealt yet, or the last ``reset`` or ``step`` failed or was
                interrupted.
        """
        self._check_whole("step()")
        if as_whole(action) is None:
            given = as_array(action)
            action = given.reshape(()) if given.size == 1 else action
        single = self._single
        number, loses = single.check(action)
        self._unfinished = True
        if loses:
            single.lose(self.seat)
        else:
            self._play(number)
            self._play_opponents()
        observation, info = self._look()
        over = single.over
        reward = float(single.earned()[self.seat]) if single.pays_now else 0.0
        self._show()
        self._unfinished = False
        return observation, reward, over == FINISHED, over == TRUNCATED, info

    def _check_dealt(self, call: str) -> None:
        if not self._dealt:
            raise InvalidOption(f"{self.game.name}: call reset() before {call}")

    def _check_whole(self, call: str) -> None:
        """Raise an InvalidOption if it may not be the learner's turn."""
        self._check_dealt(call)
        if self._unfinished:
            raise not_finished(self.game)

    def _play(self, action: int) -> None:
        """Play one ply; remember it for rendering."""
        if self.render_mode is not None:
            says = self.game.action_name(self._single.records, 0, action)
            self._last = Played(self._single.seat, action, says)
        self._single.play(action)

    def _show(self) -> None:
        """Update the window, if there is one."""
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """Render the position with all hidden information, the opponents' too.

        Returns:
            A text board for ``"ansi"``, in colour if standard output is a terminal; SVG text for
            ``"svg"``; uint8 ``[height, width, 3]`` for ``"rgb_array"``; None for ``"human"``,
            which shows the pixels in a window and is updated by every ``reset`` and ``step``.

        Raises:
            InvalidOption: there is no display for a window, or no game was dealt yet.
        """
        self._check_dealt("render()")
        return self._renderer.render(self._single.copy(), 0, last=self._last)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()
