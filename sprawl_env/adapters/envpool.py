"""Many games with EnvPool's calls: ``send`` actions of some games, ``recv`` those that are ready.

The games are divided into batches.  While one batch plays in the background, the caller chooses
actions for another.
"""

from __future__ import annotations

import os
import queue
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from sprawl_env.adapters.threads import forked_in_a_step
from sprawl_env.adapters.vector import Look, Step, VectorGames, VectorSettings
from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import as_array, check_seed, check_whole, described
from sprawl_env.core.errors import IllegalAction, InvalidOption, SprawlError
from sprawl_env.core.game import Game
from sprawl_env.core.registry import as_game
from sprawl_env.core.rewards import RewardFunction
from sprawl_env.kernels.arrays import Floats, Index, Mask
from sprawl_env.kernels.rng import combine

_MOST_BATCHES: Final = 1024


class Received(NamedTuple):
    """What :meth:`GamePool.recv` returns: arrays that are overwritten when the batch plays again.

    Attributes:
        observations: float32 or int8 ``[batch_size, observation_size]``.
        rewards: float32 ``[batch_size, num_seats]``.
        terminated: bool ``[batch_size]``.
        truncated: bool ``[batch_size]``.
        info: ``env_id`` int64 ``[batch_size]``, ``action_mask`` int8
            ``[batch_size, num_actions]`` and ``to_play`` int64 ``[batch_size]``.
    """

    observations: Floats | Mask
    rewards: Floats
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]
    info: dict[str, Any]


class GamePool:
    """``num_envs`` games of self-play in batches that play in the background.

    ``env_id`` ``k * batch_size`` to ``(k + 1) * batch_size - 1`` are batch ``k``: a batch is sent
    and received as a whole.  Batches are received in the order in which they are ready, and every
    game depends only on the seed and its own actions.  A game that ends is re-dealt at once.  With
    one batch its games are those of :func:`sprawl_env.make_vec`.  A forked process goes on with
    threads of its own, unless a batch was sent and not received before.

    >>> pool = GamePool("tower_up", 8, 4)
    >>> pool.async_reset()
    >>> got = pool.recv()
    >>> pool.send(got.info["action_mask"].argmax(axis=1), got.info["env_id"])

    Attributes:
        batches: the games of each batch.
        num_envs: number of games.
        batch_size: number of games that are sent and received together.
    """

    @checked
    def __init__(
        self,
        name: str | Game,
        num_envs: int,
        batch_size: int | None = None,
        *,
        seed: int = 0,
        num_threads: int = 1,
        reward: str | RewardFunction = "winner",
        observations: str | None = "float32",
        **options: Any,
    ) -> None:
        """Make the games.

        Args:
            name: a game's name, or a :class:`~sprawl_env.core.game.Game`.
            num_envs: number of games.
            batch_size: number of games in each batch, at most 1,024 batches; divides
                ``num_envs``.  None: all.
            seed: batch ``k`` is dealt from ``(seed, k)``, batch 0 from ``seed``.
            num_threads: number of batches that play at the same time.
            reward: as of :func:`sprawl_env.make_vec`.
            observations: as of :func:`sprawl_env.make_vec`.
            **options: options of the game.  The settings ``illegal``, ``skip_forced``, ``options``
                and ``render_mode`` of :func:`sprawl_env.make_vec` are not taken.

        Raises:
            SprawlError: as of :func:`sprawl_env.make_vec`; or ``batch_size`` does not divide
                ``num_envs``.
        """
        self.num_envs = check_whole("num_envs=", num_envs, 1)
        size = self.num_envs if batch_size is None else batch_size
        self.batch_size = check_whole("batch_size=", size, 1, self.num_envs)
        if self.num_envs % self.batch_size:
            raise InvalidOption(
                f"batch_size={self.batch_size}: expected a divisor of num_envs={self.num_envs}"
            )
        count = self.num_envs // self.batch_size
        if count > _MOST_BATCHES:
            raise InvalidOption(
                f"batch_size={self.batch_size}: {count:,} batches: expected at most {_MOST_BATCHES}"
            )
        self._num_threads = check_whole("num_threads=", num_threads, 1)
        game = as_game(name, **options)
        settings = VectorSettings(reward=reward, observations=observations)
        self.batches: list[VectorGames] = [
            VectorGames(
                game,
                self.batch_size,
                replace(settings, seed=self._seed_of(seed, k), first=k * self.batch_size),
            )
            for k in range(count)
        ]
        self._playing = [False] * len(self.batches)
        self._start_threads()

    def _start_threads(self) -> None:
        self._process = os.getpid()
        self._ready: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self._workers = ThreadPoolExecutor(self._num_threads, "GamePool")

    def _check_process(self) -> None:
        """Start new threads in a forked process, which does not have those of its parent.

        Raises:
            InvalidOption: a batch was playing when the process was forked.
        """
        if os.getpid() == self._process:
            return
        if any(self._playing):
            raise forked_in_a_step()
        self._start_threads()

    def _seed_of(self, seed: int, k: int) -> int:
        seed = check_seed(seed)
        return combine(seed, k) if k else seed

    @checked
    def async_reset(self, seed: int | None = None) -> None:
        """Deal all games in the background; :meth:`recv` returns them batch by batch.

        Args:
            seed: as of the constructor; None: the games that the last seed dealt.

        Raises:
            InvalidOption: a batch is playing, not received yet, or the games are closed.
        """
        self._check_process()
        if any(self._playing):
            raise InvalidOption("async_reset: batches are playing: receive them first")
        for k, batch in enumerate(self.batches):
            new = batch.seed if seed is None else self._seed_of(seed, k)
            self._start(k, batch.reset, new)

    def _start(self, k: int, call: Any, argument: Any) -> None:
        """Let a worker make a call on batch ``k``."""

        def work() -> None:
            try:
                self._ready.put((k, call(argument)))
            except BaseException as error:  # is raised where the batch is received
                self._ready.put((k, error))

        try:
            self._workers.submit(work)
        except RuntimeError:
            raise InvalidOption("these games are closed: make new ones to go on") from None
        self._playing[k] = True

    def send(self, actions: npt.ArrayLike, env_id: npt.ArrayLike | None = None) -> None:
        """Let a batch play one action in each of its games, in the background.

        Args:
            actions: whole numbers ``[batch_size]``.
            env_id: which games: those of one batch, as :meth:`recv` gave them.  None: all games,
                if there is one batch.

        Raises:
            IllegalAction: not whole numbers of this shape.  An action that is not legal is raised
                by :meth:`recv`.
            InvalidOption: not the games of one batch, the batch is playing already, or the games
                are closed.
        """
        self._check_process()
        k, given = self._batch_of(env_id), as_array(actions)
        if given.shape != (self.batch_size,) or given.dtype.kind not in "iu":
            raise IllegalAction(
                f"send: actions: expected whole numbers of shape ({self.batch_size},), "
                f"got {described(actions)}"
            )
        if self._playing[k]:
            raise InvalidOption(f"send: batch {k} is playing: receive it first")
        self._start(k, self.batches[k].step, given.copy())

    def _batch_of(self, env_id: npt.ArrayLike | None) -> int:
        """Return which batch some games are."""
        if env_id is None and len(self.batches) == 1:
            return 0
        ids = as_array(env_id)
        first = int(ids[0]) if ids.shape == (self.batch_size,) and ids.dtype.kind in "iu" else -1
        k = first // self.batch_size
        if not 0 <= k < len(self.batches) or not np.array_equal(ids, self._ids(k)):
            raise InvalidOption(
                f"send: env_id: expected the {self.batch_size} games of a batch as recv() gave "
                f"them, got {described(env_id)}"
            )
        return k

    def _ids(self, k: int) -> Index:
        ids: Index = np.arange(k * self.batch_size, (k + 1) * self.batch_size)
        return ids

    def recv(self) -> Received:
        """Return the next batch that is ready; wait for it if none is.

        Raises:
            InvalidOption: no batch is playing; or as of
                :meth:`~sprawl_env.adapters.vector.VectorGames.step`.
            IllegalAction: an action of the batch was not legal: none of its games has played, and
                it can be sent again.  The message names the batch and the ``env_id``.
        """
        self._check_process()
        if not any(self._playing):
            raise InvalidOption("recv: no batch is playing: call async_reset() or send() first")
        k, found = self._ready.get()
        self._playing[k] = False
        if isinstance(found, SprawlError):
            raise type(found)(f"batch {k}: {found}") from None
        if isinstance(found, BaseException):
            raise found
        return self._received(k, found)

    def _received(self, k: int, found: Look | Step) -> Received:
        batch = self.batches[k]
        info = {
            "env_id": self._ids(k),
            "action_mask": found.masks,
            "to_play": found.to_play,
        }
        return Received(found.observations, batch.rewards, batch.terminated, batch.truncated, info)

    def reset(self, seed: int | None = None) -> Received:
        """Deal all games and return them, if there is one batch.

        Raises:
            InvalidOption: there are several batches; or as of :meth:`async_reset`.
        """
        self._one_batch("reset")
        self.async_reset(seed)
        return self.recv()

    def step(self, actions: npt.ArrayLike) -> Received:
        """Play one action in every game and return what follows, if there is one batch.

        Raises:
            SprawlError: there are several batches; or as of :meth:`send` and :meth:`recv`.
        """
        self._one_batch("step")
        self.send(actions)
        return self.recv()

    def _one_batch(self, call: str) -> None:
        if len(self.batches) > 1:
            raise InvalidOption(
                f"{call}: expected one batch: use async_reset, send and recv with "
                f"{len(self.batches)} batches"
            )

    def close(self) -> None:
        """Wait for the batches that play, and stop the threads."""
        self._workers.shutdown()
        for batch in self.batches:
            batch.close()
