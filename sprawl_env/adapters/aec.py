"""The PettingZoo AEC adapter for all games."""

from __future__ import annotations

from typing import Any

import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from sprawl_env.adapters.pettingzoo_base import ZooGame
from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import MOST_DEALS, check_flag, no_choice_left
from sprawl_env.core.game import Game
from sprawl_env.core.state import FINISHED, NOT_OVER
from sprawl_env.kernels.arrays import Mask


class BoardGameAEC(ZooGame, AECEnv):  # type: ignore[misc]  # pettingzoo is untyped here
    """A game as a PettingZoo AEC environment.

    Agents are ``player_0``, ``player_1``, ... by seat.  An observation is ``{"observation": float32
    [observation_size], "action_mask": int8 [num_actions]}``.  The mask of an agent that waits is
    all 0.  Masks are also in ``infos[agent]["action_mask"]``.
    """

    @checked
    def __init__(self, name: str | Game, *, skip_forced: bool = False, **options: Any) -> None:
        """Make the environment.

        Args:
            name: a game's name, or a :class:`~sprawl_env.core.game.Game`.
            skip_forced: play forced plies, in which only one action is legal, automatically.
            **options: ``render_mode``, ``reward``, ``illegal``, ``data`` (see
                :class:`~sprawl_env.adapters.pettingzoo_base.ZooGame`) and options of the game.
        """
        super().__init__(name, **options)
        self._skip_forced = check_flag("skip_forced", skip_forced)
        self.agents: list[str] = []  # until a game is dealt

    def last(self, observe: bool = True) -> tuple[Any, ...]:
        """Return what the selected agent sees, its reward since it last acted, and whether it ends.

        Raises:
            InvalidOption: no game was dealt yet, or the last reset or step failed.
        """
        self._check_whole("last()")
        found: tuple[Any, ...] = super().last(observe)
        return found

    @checked
    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game, from ``seed`` if given.

        Args:
            seed: of the deal; None: the random numbers go on.
            options: are not read, as PettingZoo's tests demand of an environment without any.

        Raises:
            InvalidOption: with ``skip_forced``, every game ends before a seat has a choice.
        """
        self._seed(seed)
        for _ in range(MOST_DEALS):
            self._deal()
            self._settle()
            if self._single.over == NOT_OVER:
                break
        else:
            raise no_choice_left(self.game)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        if self._single.records["ply"].item() and self._single.pays_now:  # forced plies
            self._cumulative_rewards.update(self._earned())
        self._unfinished = False
        self._show()

    def _settle(self) -> None:
        """Compute the mask of the next decision; with ``skip_forced``, play forced plies."""
        single, mask = self._single, self._single.look()
        while self._skip_forced and np.count_nonzero(mask) == 1:
            self._play(int(mask.argmax()))
            mask = single.look()
        self.agent_selection = self.possible_agents[max(single.seat, 0)]
        shown = {self.agent_selection: mask.copy()}  # the mask that decides is not handed out
        self.infos: dict[str, dict[str, Any]] = {
            agent: {"action_mask": shown.get(agent, self._no_mask())} for agent in self.agents
        }
        self._blame(self.infos)
        for agent, space in self._action_spaces.items():
            space.legal = mask.copy() if agent in shown else None

    def _no_mask(self) -> Mask:
        return np.zeros(self.game.num_actions, np.int8)

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the observation of any agent; it does not change the environment.

        Raises:
            InvalidOption: there is no such agent, no game was dealt yet, or the last step failed.
        """
        self._check_whole("observe()")
        self._known(agent)
        acts = agent == self.agent_selection
        return self._seen(agent, self._single.mask.copy() if acts else self._no_mask())

    def step(self, action: int | None) -> None:
        """Play one ply for the selected agent.

        Raises:
            IllegalAction: the action is not legal, and does not lose the game; the state is
                unchanged.
            InvalidOption: no game was dealt yet, or the last reset or step failed or was
                interrupted.
        """
        self._check_whole("step()")
        self._check_running()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        number, loses = self._single.check(action)
        self._unfinished = True
        if loses:
            self._single.lose(self._seat_of[agent])
        else:
            self._play(number)
        self._settle()
        if self._single.pays_now:
            self._pay(agent)
        self._unfinished = False
        self._show()

    def _pay(self, agent: str) -> None:
        """Report the rewards, and the end if the game is over; ``agent`` has acted."""
        self._cumulative_rewards[agent] = 0.0
        self.rewards.update(self._earned())
        over = self._single.over
        if over != NOT_OVER:
            ended = self.terminations if over == FINISHED else self.truncations
            ended.update(dict.fromkeys(self.agents, True))
        self._accumulate_rewards()
        if over != NOT_OVER:
            self._deads_step_first()


def wrapped(raw: BoardGameAEC) -> Any:
    """Return the environment in PettingZoo's order-enforcing wrapper.

    The wrappers for out-of-bounds and illegal actions are not used.  The environment itself rejects
    such actions with an error that names legal actions, and leaves the state unchanged.
    """
    return OrderEnforcingWrapper(raw)
