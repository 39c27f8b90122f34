"""The PettingZoo Parallel adapter for all games with simultaneous choices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from pettingzoo import ParallelEnv

from sprawl_env.adapters.pettingzoo_base import ZooGame
from sprawl_env.adapters.single import not_finished
from sprawl_env.core.arguments import checked
from sprawl_env.core.errors import IllegalAction, InvalidOption
from sprawl_env.core.game import Game
from sprawl_env.core.state import FINISHED, NOBODY, NOT_OVER, TRUNCATED, plain
from sprawl_env.kernels.arrays import Mask

ByAgent: TypeAlias = dict[str, Any]


class BoardGameParallel(ZooGame, ParallelEnv):  # type: ignore[misc]  # pettingzoo is untyped here
    """A game with simultaneous choices as a PettingZoo Parallel environment.

    A step is one pass: all seats that choose now do so at the same time, without seeing the others'
    actions.  Every other seat has one legal action, to wait.  Observations are those of the AEC
    environment.  Each agent's mask is in its observation and in ``infos[agent]["action_mask"]``.
    The same seed deals the same game in both environments.
    """

    @checked
    def __init__(self, name: str | Game, **options: Any) -> None:
        """Make the environment.

        Args:
            name: a game's name, or a :class:`~sprawl_env.core.game.Game`.
            **options: ``render_mode``, ``reward``, ``illegal``, ``data`` (see
                :class:`~sprawl_env.adapters.pettingzoo_base.ZooGame`) and options of the game.

        Raises:
            InvalidOption: the game has no simultaneous choices.
        """
        super().__init__(name, **options)
        owing, wait = self.game.kernels.owing, self.game.rules.wait
        if owing is None or wait is None:
            lacks = "simultaneous choices" if owing is None else "GameRules.wait"
            raise InvalidOption(
                f"{self.game.name}: has no {lacks}: without it there is only the AEC environment, "
                f'BoardGameAEC("{self.game.name}")'
            )
        self._find_owing, self._wait = owing, wait
        self._tables = plain(self.game.tables)
        self.metadata["is_parallelizable"] = True
        self.agents: list[str] = []
        self._masks: Mask = np.zeros((self.game.num_seats, self.game.num_actions), np.int8)

    @checked
    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[ByAgent, ByAgent]:
        """Deal a new game, from ``seed`` if given; return observations and infos by agent.

        ``options`` are not read, as PettingZoo's tests demand of an environment without any.
        """
        self._seed(seed)
        self._deal()
        self._open_pass()
        looks = self._look()
        self._unfinished = False
        self._show()
        return looks

    def _open_pass(self) -> None:
        """Compute which seats choose in this pass, and the masks of all seats."""
        single = self._single
        bits = int(self._find_owing(self._tables, single.records, 0))
        lost = single.offender != NOBODY
        self._owing = {seat for seat in self._seat_of.values() if bits >> seat & 1 and not lost}
        self._masks[:] = 0
        for seat, mask in enumerate(self._masks):
            if seat in self._owing:
                single.look_as(seat, mask)
            else:
                mask[self._wait] = 1
            self._action_spaces[self.possible_agents[seat]].legal = mask.copy()

    def _look(self) -> tuple[ByAgent, ByAgent]:
        masks = {agent: self._masks[self._seat_of[agent]] for agent in self.agents}
        seen = {agent: self._seen(agent, mask.copy()) for agent, mask in masks.items()}
        infos = {agent: {"action_mask": mask.copy()} for agent, mask in masks.items()}
        self._blame(infos)
        return seen, infos

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[ByAgent, dict[str, float], dict[str, bool], dict[str, bool], ByAgent]:
        """Play one pass.

        With ``illegal="lose"`` nothing is played if an action is illegal; the first agent whose
        action is illegal loses.

        Args:
            actions: one action for each agent, by agent.

        Returns:
            Observations, rewards, terminations, truncations and infos, each by agent.

        Raises:
            IllegalAction: an agent's action is missing, or not legal and does not lose the game, or
                no game is running; the state is unchanged.
            InvalidOption: the last reset or step failed or was interrupted.
        """
        if self._unfinished:
            raise not_finished(self.game)
        chosen = self._checked(actions)
        self._unfinished = True
        for _ in range(len(chosen)):
            self._play(chosen.pop(self._single.seat))
        self._open_pass()
        over = self._single.over
        rewards = self._earned()
        terminations = dict.fromkeys(self.agents, over == FINISHED)
        truncations = dict.fromkeys(self.agents, over == TRUNCATED)
        observations, infos = self._look()
        self._unfinished = False
        self._show()
        if over != NOT_OVER:
            self.agents = []
        return observations, rewards, terminations, truncations, infos

    def _checked(self, actions: Mapping[str, Any]) -> dict[int, int]:
        """Check all actions; return those of the seats that choose in this pass, by seat.

        If an action loses the game, the game ends here, and no action is returned.
        """
        self._check_running()
        if not isinstance(actions, Mapping) or set(actions) - set(self.agents):
            raise IllegalAction(
                f"{self.game.name}: actions: expected one for each of {', '.join(self.agents)}, "
                f"by agent"
            )
        numbers, losers = {}, []
        for agent in self.agents:
            seat = self._seat_of[agent]
            try:
                asked = self._single.illegal.check(
                    self._single.copy_for(seat), actions.get(agent), self._masks[seat]
                )
            except IllegalAction as error:
                raise IllegalAction(f"{agent}: {error}") from None
            numbers[seat], loses = asked
            losers += [seat] if loses else []
        if losers:
            self._single.lose(losers[0])
            return {}
        return {seat: number for seat, number in numbers.items() if seat in self._owing}
