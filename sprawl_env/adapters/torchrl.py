"""The TorchRL adapter: many games of self-play as one ``EnvBase``.

It needs torchrl (extra ``torchrl``), so ``import sprawl_env`` does not import it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from sprawl_env.adapters.vector import VectorGames, make_vec
from sprawl_env.core.checks import INT8, check_seed
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.extras import require
from sprawl_env.core.game import Game
from sprawl_env.kernels.arrays import Index
from sprawl_env.kernels.rng import combine

_WHAT: Final = "sprawl_env.adapters.torchrl"
envs: Any = require("torchrl.envs", _WHAT)
specs: Any = require("torchrl.data", _WHAT)

import tensordict  # noqa: E402 - torchrl brings it, and torch
import torch  # noqa: E402


class BoardGameTorchRL(envs.EnvBase):  # type: ignore[misc]  # torchrl is untyped here
    """``num_envs`` games as one environment with batch size ``[num_envs]``.

    One frame is one decision in each game, by the seat that owes it: all seats may share one
    policy.  Entries, each ``[num_envs, ...]``:

    * ``observation`` ``[observation_size]``, as the seat to play sees the game; float32 or int8;
    * ``action_mask`` bool ``[num_actions]``, True = legal; the mask of ``action_spec`` follows it,
      so ``rand_action`` and ``rollout`` are legal;
    * ``to_play`` int64, the seat that owes the decision;
    * ``reward`` float32 ``[num_seats]``: what each seat earned in this frame;
    * ``terminated``, ``truncated``, ``done`` bool ``[1]``.

    The next observation of a game that ended is its last position as the seat sees it that played
    last, and its mask has one action, the first.  A reset of ended games, as a collector or a
    rollout makes it, shows the next deal.

    Attributes:
        games: the batch that plays, a :class:`~sprawl_env.adapters.vector.VectorGames`.
    """

    def __init__(
        self,
        name: str | Game,
        num_envs: int,
        *,
        device: Any = "cpu",
        **settings: Any,
    ) -> None:
        """Make the environment.

        Args:
            name: a game's name, or a :class:`~sprawl_env.core.game.Game`.
            num_envs: number of games.
            device: where tensors go; the games are played on the processor.
            **settings: as of :func:`sprawl_env.make_vec`, with options of the game.

        Raises:
            SprawlError: as of :func:`sprawl_env.make_vec`; or there are no observations.
        """
        self.games = _batch(name, num_envs, settings)
        super().__init__(device=torch.device(device), batch_size=[self.games.num_envs])
        self._seed = self.games.seed
        self._resets = 0
        self._all: Index = np.arange(self.games.num_envs)
        self._make_specs()

    def _make_specs(self) -> None:
        """Declare what the tensordicts contain."""
        n, games = self.games.num_envs, self.games
        where = {"device": self.device}
        width = games.observation_layout.size
        seen = torch.int8 if games.observations.dtype == INT8 else torch.float32
        bounds = (-128, 127) if seen is torch.int8 else (-1.0, 1.0)
        self.observation_spec = specs.Composite(
            observation=specs.Bounded(*bounds, shape=(n, width), dtype=seen, **where),
            action_mask=specs.Binary(shape=(n, games.num_actions), dtype=torch.bool, **where),
            to_play=specs.Categorical(games.num_players, shape=(n,), **where),
            shape=(n,),
        )
        self.action_spec = specs.Categorical(games.num_actions, shape=(n,), **where)
        self.reward_spec = specs.Unbounded(shape=(n, games.num_players), **where)
        flag = specs.Binary(shape=(n, 1), dtype=torch.bool, **where)
        self.full_done_spec = specs.Composite(
            done=flag, terminated=flag.clone(), truncated=flag.clone(), shape=(n,)
        )

    def _set_seed(self, seed: int | None) -> None:
        """Seed the deals of the next full reset."""
        self._seed = check_seed(0 if seed is None else seed)
        self._resets = 0

    def _tensor(self, array: Any) -> Any:
        """Return a copy of an array that the next step overwrites."""
        return torch.from_numpy(np.array(array)).to(self.device)

    def _shown(self) -> dict[str, Any]:
        """Return what the seats to play see, and tell the space of actions what is legal."""
        mask = self._tensor(self.games.masks.view(np.bool_))
        self._allow(mask)
        return {
            "observation": self._tensor(self.games.observations),
            "action_mask": mask,
            "to_play": self._tensor(self.games.to_play),
        }

    def _allow(self, mask: Any) -> None:
        self.full_action_spec["action"].update_mask(mask)

    def _reset(self, tensordict: Any = None, **kwargs: Any) -> Any:
        chosen = None if tensordict is None else tensordict.get("_reset", None)
        if chosen is None:
            seed = combine(self._seed, self._resets) if self._resets else self._seed
            self._resets += 1
            self.games.reset(seed)
        else:
            self._deal_again(chosen.reshape(self.games.num_envs).cpu().numpy())
        return self._with_flags(self._shown(), np.zeros((2, self.games.num_envs), np.bool_))

    def _deal_again(self, chosen: Any) -> None:
        """Deal the chosen games that have not ended; the others are dealt already."""
        which = np.flatnonzero(chosen & ~(self.games.terminated | self.games.truncated))
        self.games.redeal(which)

    def _step(self, tensordict: Any) -> Any:
        seats = self.games.to_play.copy()
        step = self.games.step(tensordict["action"].cpu().numpy())
        shown = self._shown()
        self._show_ends(shown, seats)
        shown["reward"] = self._tensor(step.rewards)
        return self._with_flags(shown, np.array([step.terminated, step.truncated]))

    def _show_ends(self, shown: dict[str, Any], seats: Index) -> None:
        """Replace what is shown of games that ended by their last positions."""
        if not (self.games.terminated.any() or self.games.truncated.any()):
            return
        ended = self.games.ended
        shape = (ended.which.size, self.games.observation_layout.size)
        seen = np.empty(shape, self.games.observations.dtype)
        for k, i in enumerate(ended.which):
            self.games.game.observe(ended.games, k, int(seats[i]), seen[k])
        which = torch.from_numpy(ended.which).to(self.device)
        shown["action_mask"] = shown["action_mask"].clone()  # that of the space stays as it is
        shown["observation"][which] = self._tensor(seen)
        shown["action_mask"][which] = False
        shown["action_mask"][which, 0] = True
        shown["to_play"][which] = self._tensor(seats[ended.which])

    def _with_flags(self, shown: dict[str, Any], ends: Any) -> Any:
        """Return a tensordict with the flags of ended games added."""
        terminated, truncated = (self._tensor(flags)[:, None] for flags in ends)
        return tensordict.TensorDict(
            {
                **shown,
                "terminated": terminated,
                "truncated": truncated,
                "done": terminated | truncated,
            },
            batch_size=self.batch_size,
            device=self.device,
        )

    def close(self, *, raise_if_closed: bool = True) -> None:
        """Stop the threads of the games."""
        super().close(raise_if_closed=raise_if_closed)
        self.games.close()


def _batch(name: str | Game, num_envs: int, settings: dict[str, Any]) -> VectorGames:
    """Return the batch of games.

    Raises:
        SprawlError: as of :func:`sprawl_env.make_vec`; or there are no observations.
    """
    if settings.get("observations", "") is None:
        raise InvalidOption("observations=None: expected float32 or int8")
    return make_vec(name, num_envs, **settings)
