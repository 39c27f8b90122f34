"""Whole games in one kernel, random or greedy, with the position checked along the way."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from sprawl_env.bots.greedy import best_action, heuristic_label
from sprawl_env.core.game import Game
from sprawl_env.core.rules import GameRules
from sprawl_env.core.state import FINISHED, NOT_OVER, Games, Tables, plain
from sprawl_env.kernels.arrays import Index, Mask
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.masks import count_legal, legal_number, new_generators
from sprawl_env.kernels.rng import below, combine, seed_state

NO_GAME: Final = -1
LONGEST: Final = 200_000  # plies; a longer game has failed
PLIES, CHECKS, FINISHES, LAST_PLY, FAILED = range(5)  # of the counts
BOTS: Final = ("random", "greedy")


class Work(NamedTuple):
    """The arrays that the kernel overwrites.

    Attributes:
        games: ``[2]``, the game, and a copy for the heuristic.
        mask: int8 ``[num_actions]``.
        spare: int8 ``[num_actions]``, for the heuristic.
        rng: ``[1]``, the generator of random actions.
        actions: int16 ``[LONGEST]``, the actions of the last game.
        counts: int64 ``[5]``: plies, checked positions, games that were not truncated, plies of the
            last game, and its number if it failed, otherwise ``NO_GAME``.
    """

    games: Games
    mask: Mask
    spare: Mask
    rng: Any
    actions: npt.NDArray[np.int16]
    counts: Index


def new_work(game: Game) -> Work:
    """Return the arrays for games with the options of ``game``."""
    return Work(
        games=plain(game.empty(2)),
        mask=np.zeros(game.num_actions, np.int8),
        spare=np.zeros(game.num_actions, np.int8),
        rng=plain(new_generators(1, 0)),
        actions=np.zeros(LONGEST, np.int16),
        counts=np.array([0, 0, 0, 0, NO_GAME]),
    )


def _chooser(rules: GameRules, bot: str) -> Callable[..., int]:
    """Return the kernel that chooses one of the legal actions in ``work.mask``."""
    if bot == "random":

        @kernel(label=rules.label)
        def choose_any(tables: Tables, work: Work) -> int:
            return legal_number(work.mask, below(work.rng[0], count_legal(work.mask)))

        return choose_any
    best = best_action(rules)

    @kernel(label=heuristic_label(rules))
    def choose_best(tables: Tables, work: Work) -> int:
        return int(best(tables, work.games, work.mask, work.spare))

    return choose_best


@kernel
def unchecked(tables: Tables, games: Games, g: int) -> bool:
    """Return True: for games without a compiled check."""
    return True


@functools.cache
def walk_kernel(rules: GameRules, bot: str) -> Callable[..., None]:
    """Return the kernel ``(tables, work, seed, first, count, every)`` that plays games.

    It plays the games ``first`` .. ``first + count - 1`` of a seed and stops at the first that
    fails: its position is impossible after a multiple of ``every`` plies or at the end, a seat has
    no legal action, or there are too many plies.  Game ``k`` is ``Game.deal(1, combine(seed, k))``.
    """
    kernels = rules.kernels
    deal, play, legal_actions = kernels.deal, kernels.play, kernels.legal_actions
    is_possible = kernels.is_possible or unchecked
    choose = _chooser(rules, bot)

    @kernel(label=f"{heuristic_label(rules)} {bot}")
    def one_game(tables: Tables, work: Work, start: int, every: int) -> bool:
        games, counts = work.games, work.counts
        deal(tables, games, 0, combine(start, 0))
        seed_state(work.rng[0], combine(start, 1))
        ply, possible = 0, True
        while possible and games[0].over == NOT_OVER:
            legal_actions(tables, games, 0, work.mask)
            if count_legal(work.mask) == 0 or ply == work.actions.size:
                break
            action = choose(tables, work)
            play(tables, games, 0, action)
            work.actions[ply] = action
            ply += 1
            if ply % every == 0 or games[0].over != NOT_OVER:
                possible = bool(is_possible(tables, games, 0))
                counts[CHECKS] += 1
        counts[LAST_PLY] = ply
        return possible and games[0].over != NOT_OVER

    @kernel(label=f"{heuristic_label(rules)} {bot}")
    def walk(tables: Tables, work: Work, seed: int, first: int, count: int, every: int) -> None:
        counts = work.counts
        counts[FAILED] = NO_GAME
        for number in range(first, first + count):
            fine = one_game(tables, work, combine(seed, number), every)
            counts[PLIES] += counts[LAST_PLY]
            counts[FINISHES] += work.games[0].over == FINISHED
            if not fine:
                counts[FAILED] = number
                return

    return walk


def actions_of(work: Work) -> list[int]:
    """Return the actions of the last game."""
    return [int(action) for action in work.actions[: work.counts[LAST_PLY]]]
