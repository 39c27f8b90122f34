"""The base class of the two PettingZoo adapters: spaces, deals, rewards and rendering."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
from gymnasium import spaces

from sprawl_env.adapters.single import SingleGame, not_finished
from sprawl_env.adapters.spaces import MaskedDiscrete
from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import check_seed
from sprawl_env.core.errors import IllegalAction, InvalidOption, short
from sprawl_env.core.game import Game
from sprawl_env.core.registry import as_game
from sprawl_env.core.rewards import RewardFunction
from sprawl_env.core.rules import Played
from sprawl_env.core.state import NOBODY, Games
from sprawl_env.kernels.arrays import Floats, Mask
from sprawl_env.render.modes import RENDER_FPS, Renderer
from sprawl_env.render.pixels import Pixels


class ZooGame:
    """One game with agents ``player_0``, ``player_1``, ... by seat.

    An observation is ``{"observation": float32 [observation_size], "action_mask": int8
    [num_actions]}``, 1 = legal.

    Attributes:
        state_space: the space of :meth:`state`.
    """

    @checked
    def __init__(
        self,
        name: str | Game,
        *,
        render_mode: str | None = None,
        reward: str | RewardFunction = "winner",
        illegal: str = "raise",
        data: str | PathLike[str] | None = None,
        **options: Any,
    ) -> None:
        """Make the environment.

        Args:
            name: a game's name, or a :class:`~sprawl_env.core.game.Game`.
            render_mode: ``"ansi"``, ``"svg"``, ``"rgb_array"``, ``"human"`` or None (see
                :meth:`render`).
            reward: see :mod:`sprawl_env.core.rewards`.
            illegal: ``"raise"``, or ``"lose"``: an illegal action ends the game for all agents with
                the rewards of :func:`~sprawl_env.adapters.illegal.forfeits`, and
                ``infos[agent]["illegal"]`` names the agent that lost.
            data: folder of TOML files that replace those of the package.
            **options: options of the game.

        Raises:
            SprawlError: an argument is not allowed.
        """
        super().__init__()
        self.game = as_game(name, data=data, **options)
        self._renderer = Renderer(self.game, render_mode)
        self.render_mode = render_mode
        self._last: Played | None = None
        self.metadata: dict[str, Any] = {
            "name": f"{self.game.name}_v0",
            "render_modes": list(self._renderer.modes),
            "is_parallelizable": False,
            "render_fps": RENDER_FPS,
        }
        self._single = SingleGame(self.game, reward, illegal)
        self.possible_agents = [f"player_{seat}" for seat in range(self.game.num_seats)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        box = spaces.Box(-1.0, 1.0, (self.game.observation_size,), np.float32)
        mask = spaces.Box(0, 1, (self.game.num_actions,), np.int8)
        self._observation_spaces = {
            agent: spaces.Dict({"observation": box, "action_mask": mask})
            for agent in self.possible_agents
        }
        self._action_spaces = {
            agent: MaskedDiscrete(self.game.num_actions) for agent in self.possible_agents
        }
        whole = self.game.num_seats * self.game.observation_size
        self.state_space = spaces.Box(-1.0, 1.0, (whole,), np.float32)
        self._rng = np.random.default_rng()
        self._dealt = self._unfinished = False

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations.

        Raises:
            InvalidOption: there is no such agent.
        """
        return self._observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions; ``sample()`` draws one that is legal now.

        For an agent that waits in an AEC environment it draws any action.

        Raises:
            InvalidOption: there is no such agent.
        """
        return self._action_spaces[self._known(agent)]

    def _known(self, agent: str) -> str:
        """Return an agent's name if there is such an agent."""
        if not isinstance(agent, str) or agent not in self._seat_of:
            names = ", ".join(self.possible_agents)
            raise InvalidOption(f"{self.game.name}: agent={short(agent)}: expected one of {names}")
        return agent

    def _check_dealt(self, call: str) -> None:
        """Raise an InvalidOption if no game was dealt yet."""
        if not self._dealt:
            raise InvalidOption(f"{self.game.name}: call reset() before {call}")

    def _check_whole(self, call: str) -> None:
        """Raise an InvalidOption if the last reset or step did not finish."""
        if self._unfinished:
            raise not_finished(self.game)
        self._check_dealt(call)

    def _check_running(self) -> None:
        """Raise an IllegalAction if all agents have left the game."""
        if not self.agents:
            raise IllegalAction(f"{self.game.name}: no game is running: call reset()")

    @property
    def games(self) -> Games:
        """The record of the game ``[1]``, a copy: writing to it changes no game.

        Raises:
            InvalidOption: no game was dealt yet.
        """
        self._check_dealt("games")
        return self._single.copy()

    @property
    def record(self) -> Any:
        """The record of the game, with hidden information; a copy.

        Raises:
            InvalidOption: no game was dealt yet.
        """
        self._check_dealt("record")
        return self._single.copy()[0]

    def state(self) -> Floats:
        """Return the global observation: those of all seats, one after another.

        Returns:
            float32 ``[num_seats * observation_size]``; ``reshape(num_seats, -1)`` gives a row for
            each seat.  It has what any seat knows, also after the end of the game.

        Raises:
            InvalidOption: no game was dealt yet.
        """
        self._check_dealt("state()")
        seen: Floats = np.empty((self.game.num_seats, self.game.observation_size), np.float32)
        for seat, row in enumerate(seen):
            self._single.observe(seat, row)
        return seen.reshape(-1)

    def _seed(self, seed: int | None) -> None:
        if seed is not None:
            self._rng = np.random.default_rng(check_seed(seed))

    def _deal(self) -> None:
        self._unfinished = True
        self._single.deal(int(self._rng.integers(2**62)))
        self._last = None
        self._dealt = True
        self.agents = list(self.possible_agents)

    def _earned(self) -> dict[str, float]:
        """Return the rewards of all agents since the last call."""
        earned = self._single.earned().tolist()
        return dict(zip(self.possible_agents, earned, strict=True))

    def _seen(self, agent: str, mask: Mask) -> dict[str, Any]:
        """Return an agent's observation with the given mask, which is not copied."""
        observation: Floats = np.empty(self.game.observation_size, np.float32)
        self._single.observe(self._seat_of[agent], observation)
        return {"observation": observation, "action_mask": mask}

    def _play(self, action: int) -> None:
        """Play one ply for the seat to play; remember the action for rendering."""
        if self.render_mode is not None:
            says = self.game.action_name(self._single.records, 0, action)
            self._last = Played(self._single.seat, action, says)
        self._single.play(action)

    def _blame(self, infos: dict[str, dict[str, Any]]) -> None:
        """Name the agent that lost by an illegal action, if one did, in all infos."""
        if self._single.offender != NOBODY:
            for info in infos.values():
                info["illegal"] = self.possible_agents[self._single.offender]

    def _show(self) -> None:
        """Update the window, if there is one."""
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | Pixels | None:
        """Render the position with all hidden information.

        ``game.svg(games, 0, seat)`` draws only what a seat may see.

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

    def __str__(self) -> str:
        return str(self.metadata["name"])
