"""Decisions of whole games as arrays: what a learner from data needs.

The games are those of :func:`sprawl_env.arena.games.play_games`: each deal is played once with
every rotation of the seats, and every game is played to its end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from sprawl_env.arena.games import deal_paired, rotations, seated
from sprawl_env.bots.protocol import Bot, ask
from sprawl_env.core.arguments import checked
from sprawl_env.core.batch import BatchKernels, Views, new_results, new_views
from sprawl_env.core.checks import check_memory, check_seed, check_whole
from sprawl_env.core.game import Game
from sprawl_env.core.registry import as_game
from sprawl_env.core.rewards import is_dense, reward_mode
from sprawl_env.core.rules import GameRules
from sprawl_env.core.state import NOT_OVER
from sprawl_env.kernels.arrays import Floats, Index, Mask

_PLIES: Final = 16  # plies of all games for which memory is allocated at once


class Decisions(NamedTuple):
    """Decisions of whole games, a row each, game by game in the order of the plies.

    Attributes:
        observations: int8 ``[n, observation_size]``, as the seat to play sees the game; times
            ``observation_layout.scales`` they are the float32 observations.
        masks: int8 ``[n, num_actions]``, 1 = legal.
        actions: int32 ``[n]``, what was played.
        seats: int8 ``[n]``, the seat that decided.
        bots: int8 ``[n]``, which bot of the line-up decided.
        returns: float32 ``[n]``, undiscounted sum of the seat's rewards from this decision to the
            end of the game.
        games: int64 ``[n]``, number of the game.  Game ``g`` is played with deal ``g // num_seats``
            and bot ``k`` on seat ``(k + g) % num_seats``.
        plies: int32 ``[n]``, decisions made before in the game.
    """

    observations: Mask
    masks: Mask
    actions: npt.NDArray[np.int32]
    seats: npt.NDArray[np.int8]
    bots: npt.NDArray[np.int8]
    returns: Floats
    games: Index
    plies: npt.NDArray[np.int32]


class _Ply(NamedTuple):
    """The decisions that some games made at the same time.

    Attributes:
        which: int64 ``[k]``, indices of the games.
        views: the rows ``[k]`` that the seats saw.
        bots: int64 ``[k]``.
        actions: int64 ``[k]``.
        earned: float32 ``[k]``, the sum of the seat's rewards before this decision.
    """

    which: Index
    views: Views
    bots: Index
    actions: Index
    earned: Floats


@checked
def collect(
    game: str | GameRules | Game,
    line_up: Sequence[str | Bot | type[Bot]],
    num_games: int,
    *,
    reward: str = "winner",
    seed: int = 0,
    batch: int = 512,
    **options: Any,
) -> Iterator[Decisions]:
    """Play whole games between bots and yield their decisions, ``batch`` games at a time.

    The deals, the bots' seeds and so the games are those of
    :func:`sprawl_env.arena.games.play_games` with the same arguments.  A decision of which only
    one action is legal is a row like any other.

    >>> for part in collect("tower_up", ["greedy", "random"], 100):
    ...     print(part.observations.shape, part.returns.mean())

    Args:
        game: a game's name or import path, its rules, or a game with its options chosen.
        line_up: one bot a seat, as a name, an instance or a class
            (:func:`~sprawl_env.bots.names.as_bot`).
        num_games: rounded up to whole rotations of the seats.
        reward: ``"winner"``, ``"rank"``, ``"margin"``, ``"score"`` or ``"lead"``.
        seed: deal ``d`` is dealt from ``(seed, d)``.
        batch: games that are played at once; their decisions are in memory together.
        **options: of the game, e.g. ``num_players=3``, unless ``game`` has them.

    Raises:
        SprawlError: there is no such game, option, bot or reward, a number is not allowed, or
            ``line_up`` is not one bot a seat; while the games are played, a bot does not return
            legal actions.
    """
    made = as_game(game, **options)
    num_games = check_whole("num_games=", num_games, 1)
    check_memory("num_games", num_games, 2 * made.dtype.itemsize)
    batch, seed, mode = check_whole("batch=", batch, 1), check_seed(seed), reward_mode(reward)
    check_memory("batch", min(batch, num_games), _PLIES * bytes_per_decision(made))
    return _collected(made, seated(made, line_up, seed), num_games, mode, seed, batch)


def bytes_per_decision(game: Game) -> int:
    """Return how much memory the large arrays of one decision take."""
    return game.observation_size + game.num_actions


def _collected(
    game: Game, bots: Sequence[Bot], num_games: int, mode: int, seed: int, batch: int
) -> Iterator[Decisions]:
    """Yield the decisions of all games."""
    deals, seat_of = rotations(num_games, game.num_seats)
    for first in range(0, len(deals), batch):
        part = slice(first, first + batch)
        yield _play(game, bots, (deals[part], seat_of[part], first), seed, mode)


def _play(
    game: Game, bots: Sequence[Bot], which: tuple[Index, Index, int], seed: int, mode: int
) -> Decisions:
    """Return the decisions of some games.

    Args:
        game: the game.
        bots: the line-up.
        which: the deals ``[n]``, the bots' seats ``[n, bot]``, and the number of the first game.
        seed: of the deals.
        mode: of the reward.
    """
    deals, seat_of, first = which
    size = len(deals)
    kernels, games = BatchKernels(game), deal_paired(game, deals, seed)
    sitting = np.argsort(seat_of, axis=1)  # [game, seat] -> bot
    results = new_results(game, size)
    if is_dense(mode):
        for i in range(size):
            results.scores[i] = game.scores(games, i)
    plies: list[_Ply] = []
    running = np.flatnonzero(games["over"] == NOT_OVER)
    views, used = new_views(game, _PLIES * size, "int8"), 0
    while running.size:
        if used + running.size > len(views.to_play):
            views, used = new_views(game, _PLIES * size, "int8"), 0
        rows = np.arange(used, used + running.size)
        used += running.size
        kernels.look(games, running, rows, views)
        seen = views._replace(
            numbers=views.numbers[rows[0] : used],
            masks=views.masks[rows[0] : used],
            to_play=views.to_play[rows[0] : used],
        )
        acting = sitting[running, seen.to_play]
        actions = np.empty(running.size, np.int64)
        for k in np.unique(acting):
            own = np.flatnonzero(acting == k)
            numbers = seen.numbers[own if bots[k].needs_observations else own[:0]]
            floats = numbers * seen.scales
            actions[own] = ask(bots[k], game, games, running[own], floats, seen.masks[own])
        earned = results.rewards[running, seen.to_play]
        kernels.step(games, running, actions, mode, results)
        plies.append(_Ply(running, seen, acting, actions, earned))
        running = running[results.over[running] == NOT_OVER]
    return _in_order(game, plies, results.rewards, first)


def _in_order(game: Game, plies: list[_Ply], rewards: Floats, first: int) -> Decisions:
    """Return plies game by game.

    Args:
        game: the game.
        plies: of all games; emptied, as each is copied.
        rewards: ``[n, num_seats]``, the sum of all rewards of each game.
        first: number of the first game.
    """
    lengths = np.zeros(len(rewards), np.int64)
    for ply in plies:
        lengths[ply.which] += 1
    starts, total = np.cumsum(lengths) - lengths, int(lengths.sum())
    found = Decisions(
        observations=np.empty((total, game.observation_size), np.int8),
        masks=np.empty((total, game.num_actions), np.int8),
        actions=np.empty(total, np.int32),
        seats=np.empty(total, np.int8),
        bots=np.empty(total, np.int8),
        returns=np.empty(total, np.float32),
        games=np.repeat(np.arange(first, first + len(rewards)), lengths),
        plies=np.empty(total, np.int32),
    )
    while plies:
        ply, number = plies.pop(), len(plies)
        at = starts[ply.which] + number
        seats = ply.views.to_play
        found.observations[at], found.masks[at] = ply.views.numbers, ply.views.masks
        found.actions[at], found.seats[at], found.bots[at] = ply.actions, seats, ply.bots
        found.returns[at] = rewards[ply.which, seats] - ply.earned
        found.plies[at] = number
    return found
