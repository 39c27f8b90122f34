"""The PettingZoo Parallel adapter for all games with simultaneous choices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from pettingzoo import ParallelEnv

from sprawl_env.adapters.pettingzoo_base import ZooGame
from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import whole_number
from sprawl_env.core.errors import IllegalAction, InvalidOption
from sprawl_env.core.game import Game
from sprawl_env.core.state import FINISHED, NOT_OVER, TRUNCATED, Games, clone, plain
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
            **options: ``render_mode``, ``reward``, ``data`` (see
                :class:`~sprawl_env.adapters.pettingzoo_base.ZooGame`) and options of the game.

        Raises:
            InvalidOption: the game has no simultaneous choices.
        """
        super().__init__(name, **options)
        owing, wait = self._kernels.owing, self.game.rules.wait
        if owing is None or wait is None:
            raise InvalidOption(
                f"{self.game.name}: has no simultaneous choices: expected the AEC environment, "
                f"sprawl_env.{self.game.name}_v0.env()"
            )
        self._find_owing, self._wait = owing, wait
        self.metadata["is_parallelizable"] = True
        self.agents: list[str] = []
        self._masks: Mask = np.zeros((self.game.num_seats, self.game.num_actions), np.int8)

    @checked
    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[ByAgent, ByAgent]:
        """Deal a new game, from ``seed`` if given; return observations and infos by agent."""
        self._seed(seed)
        self._deal()
        self._open_pass()
        self._show()
        return self._look()

    def _as_if_to_play(self, seat: int) -> Games:
        """Return a copy of the game ``[1]`` with ``seat`` to play."""
        games = clone(self._games)
        games["to_play"][0] = seat
        return games

    def _open_pass(self) -> None:
        """Compute which seats choose in this pass, and the masks of all seats."""
        bits = int(self._find_owing(self._tables, plain(self._games), 0))
        self._owing = {seat for seat in self._seat_of.values() if bits >> seat & 1}
        self._masks[:] = 0
        for seat, mask in enumerate(self._masks):
            if seat in self._owing:
                self.game.legal_actions(self._as_if_to_play(seat), 0, mask)
            else:
                mask[self._wait] = 1
            self._action_spaces[self.possible_agents[seat]].legal = mask.copy()

    def _look(self) -> tuple[ByAgent, ByAgent]:
        masks = {agent: self._masks[self._seat_of[agent]] for agent in self.agents}
        seen = {agent: self._seen(agent, mask.copy()) for agent, mask in masks.items()}
        return seen, {agent: {"action_mask": mask.copy()} for agent, mask in masks.items()}

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[ByAgent, dict[str, float], dict[str, bool], dict[str, bool], ByAgent]:
        """Play one pass.

        Args:
            actions: one action for each agent, by agent.

        Returns:
            Observations, rewards, terminations, truncations and infos, each by agent.

        Raises:
            IllegalAction: an agent's action is missing or not legal, or no game is running; the
                state is unchanged.
        """
        chosen = self._checked(actions)
        for _ in range(len(self._owing)):
            seat = int(self._games["to_play"][0])
            self._play(chosen.pop(seat))
        self._open_pass()
        over = int(self._games["over"][0])
        rewards = self._earned()
        terminations = dict.fromkeys(self.agents, over == FINISHED)
        truncations = dict.fromkeys(self.agents, over == TRUNCATED)
        observations, infos = self._look()
        self._show()
        if over != NOT_OVER:
            self.agents = []
        return observations, rewards, terminations, truncations, infos

    def _checked(self, actions: Mapping[str, Any]) -> dict[int, int]:
        """Check all actions; return those of the seats that choose in this pass, by seat."""
        if not self.agents:
            raise IllegalAction(f"{self.game.name}: no game is running: call reset()")
        if not isinstance(actions, Mapping) or set(actions) - set(self.agents):
            raise IllegalAction(
                f"{self.game.name}: actions: expected one for each of {', '.join(self.agents)}, "
                f"by agent"
            )
        chosen = {}
        for agent in self.agents:
            seat = self._seat_of[agent]
            try:
                number = whole_number(self.game, actions.get(agent))
                if not 0 <= number < self.game.num_actions or not self._masks[seat, number]:
                    asked = self._as_if_to_play(seat)
                    raise self.game.illegal(asked, 0, number, self._masks[seat])
            except IllegalAction as error:
                raise IllegalAction(f"{agent}: {error}") from None
            if seat in self._owing:
                chosen[seat] = number
        return chosen
