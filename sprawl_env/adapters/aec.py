"""Any game as a PettingZoo AEC environment."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from sprawl_env.adapters.rewards import add_change, add_final_rewards, is_dense, reward_mode
from sprawl_env.core.errors import IllegalAction, unknown
from sprawl_env.core.game import FINISHED, NOT_OVER, Floats, Game, Games, Ints, Mask, State
from sprawl_env.core.registry import game as make_game

RENDER_MODES = ("ansi",)


class BoardGameAEC(AECEnv):  # type: ignore[misc]  # pettingzoo is untyped here
    """One adapter for the whole suite; a game never writes its own.

    Agents are ``player_0`` .. by seat.  An observation is ``{"observation": float32
    [observation_size], "action_mask": int8 [num_actions]}``; the mask of an agent that waits is
    all 0, and the mask of the agent to act is also in ``infos[agent]["action_mask"]``.
    """

    def __init__(
        self,
        name: str | Game,
        *,
        render_mode: str | None = None,
        reward: str = "winner",
        skip_forced: bool = False,
        data: str | PathLike[str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise unknown("render mode", render_mode, RENDER_MODES)
        self.game = name if isinstance(name, Game) else make_game(name, data=data, **options)
        self.metadata: dict[str, Any] = {
            "name": f"{self.game.name}_v0",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 1,
        }
        self.render_mode = render_mode
        self._mode = reward_mode(reward)
        self._skip_forced = skip_forced
        self._verbs = self.game.verbs
        self._tables = self.game.tables
        seats = self.game.num_seats
        self.possible_agents = [f"player_{seat}" for seat in range(seats)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        box = spaces.Box(-1.0, 1.0, (self.game.observation_size,), np.float32)
        mask = spaces.Box(0, 1, (self.game.num_actions,), np.int8)
        self._observation_spaces = {
            agent: spaces.Dict({"observation": box, "action_mask": mask})
            for agent in self.possible_agents
        }
        self._action_spaces = {
            agent: spaces.Discrete(self.game.num_actions) for agent in self.possible_agents
        }
        self._scores: Ints = np.zeros(seats, np.int32)
        self._rng = np.random.default_rng()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions."""
        return self._action_spaces[agent]

    @property
    def state(self) -> State:
        """The record of the game: all of it, hidden things too."""
        return self.games[0]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game, from ``seed`` if given."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self.games: Games = self.game.deal(1, int(self._rng.integers(2**62)))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._scores[:] = self.game.scores(self.games, 0)
        self._settle()

    def _settle(self) -> None:
        """Find the mask of the next decision, playing forced plies if asked to."""
        mask = self.game.legal_actions(self.games, 0)
        while self._skip_forced and np.count_nonzero(mask) == 1:
            self._verbs.play(self._tables, self.games, 0, int(mask.argmax()))
            self._verbs.legal_actions(self._tables, self.games, 0, mask)
        self._mask = mask
        seat = int(self.games["to_play"][0])
        self.agent_selection = self.possible_agents[max(seat, 0)]
        self.infos: dict[str, dict[str, Any]] = {
            agent: {"action_mask": mask if agent == self.agent_selection else self._no_mask()}
            for agent in self.agents
        }

    def _no_mask(self) -> Mask:
        return np.zeros(self.game.num_actions, np.int8)

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what ``agent`` sees now; pure, and valid for any agent at any time."""
        observation: Floats = np.empty(self.game.observation_size, np.float32)
        self._verbs.observe(self._tables, self.games, 0, self._seat_of[agent], observation)
        acts = agent == self.agent_selection
        return {
            "observation": observation,
            "action_mask": self._mask.copy() if acts else self._no_mask(),
        }

    def step(self, action: int | None) -> None:
        """Play one ply for the selected agent.

        Raises:
            IllegalAction: the action is not legal; no byte of the state has changed.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        number = self._checked(action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._verbs.play(self._tables, self.games, 0, number)
        self._settle()
        over = self.games["over"][0]
        if over != NOT_OVER or is_dense(self._mode):
            self._reward()
        if over != NOT_OVER:
            ended = self.terminations if over == FINISHED else self.truncations
            ended.update(dict.fromkeys(self.agents, True))
        self._accumulate_rewards()
        if over != NOT_OVER:
            self._deads_step_first()

    def _checked(self, action: int | None) -> int:
        whole = isinstance(action, int | np.integer) or (
            isinstance(action, np.ndarray) and action.shape == () and action.dtype.kind in "iu"
        )
        if action is None or not whole:
            raise IllegalAction(
                f"{self.game.name}: action: expected a whole number "
                f"0..{self.game.num_actions - 1}, got {action!r}"
            )
        number = int(action)
        if not 0 <= number < self.game.num_actions or not self._mask[number]:
            raise self.game.illegal(self.games, 0, number, self._mask)
        return number

    def _reward(self) -> None:
        """Hand out what was earned by this ply."""
        scores = self.game.scores(self.games, 0)
        earned: Floats = np.zeros(self.game.num_seats, np.float32)
        if is_dense(self._mode):
            add_change(self._mode, self._scores, scores, earned)
            self._scores[:] = scores
        else:
            add_final_rewards(self._mode, scores, self.game.standings(self.games, 0), earned)
        for agent, reward in zip(self.possible_agents, earned, strict=True):
            self.rewards[agent] = float(reward)

    def render(self) -> str | None:
        """Return the position as text with ``render_mode="ansi"``."""
        return self.game.describe(self.games, 0) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing to close."""

    def __str__(self) -> str:
        return str(self.metadata["name"])


def wrapped(raw: BoardGameAEC) -> Any:
    """Return the environment in PettingZoo's usual outermost wrapper.

    The wrappers for out-of-bounds and illegal actions are left out: the environment itself
    refuses both, says what would be legal, and changes nothing.
    """
    return OrderEnforcingWrapper(raw)
