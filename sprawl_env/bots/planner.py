"""The planner: it simulates the next turns with the game's heuristic and compares the results.

The candidates are the few actions that the heuristic rates best.  They are compared by *playouts*.
A playout resamples everything that the seat to play cannot know, plays the action, lets all seats
play some turns by the heuristic, and rates the final position.  The rating is the seat's lead in
the game's ``plan_value``, or in points if the game is over.  After each round of playouts the worse
half of the candidates is dropped (sequential halving).  In each round all remaining candidates are
played on the same deals.  The true position is only read through ``redeal_hidden``, so hidden
information has no effect.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from sprawl_env.bots.analysis import Analysis, check_position, only_one
from sprawl_env.bots.greedy import (
    action_rater,
    best_action,
    heuristic_label,
    heuristic_of,
    plan_value_of,
)
from sprawl_env.bots.protocol import check_act
from sprawl_env.bots.settings import Number, check_settings, parse_settings, slices
from sprawl_env.core.checks import check_seed
from sprawl_env.core.game import Game
from sprawl_env.core.retaken import RetakesKernels
from sprawl_env.core.rewards import winner_reward
from sprawl_env.core.rules import GameRules
from sprawl_env.core.state import NOT_OVER, Games, Tables
from sprawl_env.kernels.arrays import Floats, Index, Ints, Mask
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.masks import NO_ACTION, only_action
from sprawl_env.kernels.rng import combine

Values = npt.NDArray[np.float64]
MOST_PLIES: Final = 400  # limit of a playout; turns end long before


LIMITS: Final[dict[str, tuple[Number, Number]]] = {
    "candidates": (1, 1000),
    "playouts": (1, 10_000_000),
    "turns": (0, 10_000),
    "victory": (0.0, 1e6),
}


@dataclass(frozen=True)
class PlannerConfig:
    """Settings of a planner, for one decision.

    Attributes:
        candidates: number of actions that are compared.
        playouts: approximate number of playouts of all candidates together.
        turns: number of turns in a playout, including the current turn; 0: the heuristic's
            ``plan_turns``.
        victory: points that are added for a victory; a defeat subtracts them, divided by the number
            of the other sides.
    """

    candidates: int = 8
    playouts: int = 32
    turns: int = 0
    victory: float = 10.0

    def __post_init__(self) -> None:
        """Check all of them.

        Raises:
            InvalidOption: a value is not allowed.
        """
        check_settings(self, LIMITS)


def parse_planner(name: str) -> PlannerConfig:
    """Return the settings in a bot's name such as ``planner:playouts=64,turns=2``.

    Raises:
        UnknownName: there is no such setting, or its value is not allowed.
    """
    chosen: dict[str, Any] = dict(parse_settings(name, LIMITS))
    return PlannerConfig(**chosen)


class Workspace(NamedTuple):
    """The arrays that the planner's kernels overwrite.

    Attributes:
        games: ``[2]``, the game of a playout, and a copy for the heuristic.
        ranked: int64 ``[candidates]``, actions; those that were dropped later come first.
        ratings: float64 ``[candidates]``, the sums of their playouts' ratings.
        mask: int8 ``[num_actions]``, the legal actions.
        spare: int8 ``[num_actions]``, for the heuristic.
        points: int32 ``[num_sides]``.
    """

    games: Games
    ranked: Index
    ratings: Values
    mask: Mask
    spare: Mask
    points: Ints


class Limits(NamedTuple):
    """The settings of :class:`PlannerConfig` that its kernels use; ``turns`` is at least 1."""

    playouts: int
    turns: int
    victory: float


class PlayoutShare(NamedTuple):
    """Playouts ``first`` .. ``last`` of a round, deal by deal.

    Each deal has one playout for each of the ``left`` best candidates.  ``deal`` is the number of
    the round's first deal; deal ``d`` is made from ``(seed, d)``.
    """

    seed: int
    deal: int
    left: int
    first: int
    last: int


@functools.cache
def play_on_kernel(rules: GameRules) -> Callable[..., None]:
    """Return the kernel that plays an action and the next turns."""
    kernels = rules.kernels
    play, legal_actions, redeal = kernels.play, kernels.legal_actions, kernels.redeal_hidden
    choose = best_action(rules)

    @kernel(label=heuristic_label(rules))
    def play_on(
        tables: Tables, root: Games, work: Workspace, limits: Limits, seed: int, action: int
    ) -> None:
        """Re-deal with ``seed``, play an action and the next turns in ``work.games[0]``."""
        games, mask, seat = work.games, work.mask, int(root[0].to_play)
        games[0] = root[0]
        redeal(tables, games, 0, seed, seat)
        last = int(games[0].turn) + limits.turns
        play(tables, games, 0, action)
        plies = 0
        while games[0].over == NOT_OVER and games[0].turn < last and plies < MOST_PLIES:
            legal_actions(tables, games, 0, mask)
            best = only_action(mask)
            if best == NO_ACTION:
                best = choose(tables, games, mask, work.spare)
            play(tables, games, 0, best)
            plies += 1

    return play_on


@functools.cache
def lead_kernel(rules: GameRules) -> Callable[..., float]:
    """Return the kernel that rates the position at the end of a playout."""
    score_all, stand = rules.kernels.scores, rules.kernels.standings
    plan_value = plan_value_of(rules)

    @kernel(label=heuristic_label(rules))
    def evaluate(tables: Tables, games: Games, seat: int, points: Ints, victory: float) -> float:
        """Return the seat's points minus the best other side's, with the victory's at the end."""
        over = games[0].over != NOT_OVER
        if over:
            score_all(tables, games, 0, points)
        own, rival = 0.0, -np.inf if points.size > 1 else 0.0
        for side in range(points.size):
            worth = float(points[side] if over else plan_value(tables, games, 0, side))
            if side == seat:
                own = worth
            else:
                rival = max(rival, worth)
        lead = own - rival
        if over:
            stand(tables, games, 0, points)
            lead += victory * winner_reward(points, seat)
        return lead

    return evaluate


@functools.cache
def rank_kernel(rules: GameRules) -> Callable[..., int]:
    """Return the kernel that finds the candidates of one decision."""
    redeal = rules.kernels.redeal_hidden
    rate_action = action_rater(rules)

    @kernel(label=heuristic_label(rules))
    def rank(tables: Tables, root: Games, work: Workspace, seed: int) -> int:
        """Write the best-rated actions of ``work.mask``, best first; return their number."""
        games, ranked, ratings, mask = work.games, work.ranked, work.ratings, work.mask
        seat = int(root[0].to_play)
        games[0] = root[0]
        redeal(tables, games, 0, combine(seed, 0), seat)
        found = 0
        for action in range(mask.size):
            if mask[action]:
                rating = float(rate_action(tables, games, action, seat, work.spare))
                found = insert(ranked, ratings, found, action, rating)
        ratings[:] = 0.0
        return found

    return rank


@functools.cache
def compare_kernel(rules: GameRules) -> Callable[..., None]:
    """Return the kernel that runs some playouts of one round."""
    play_on, evaluate = play_on_kernel(rules), lead_kernel(rules)

    @kernel(label=heuristic_label(rules))
    def compare(
        tables: Tables,
        root: Games,
        work: Workspace,
        limits: Limits,
        share: PlayoutShare,
    ) -> None:
        """Add the ratings of the playouts of a share to the sums of their candidates."""
        for number in range(share.first, share.last + 1):
            deal, k = share.deal + number // share.left, number % share.left
            seed, action = combine(share.seed, deal), int(work.ranked[k])
            play_on(tables, root, work, limits, seed, action)
            seat = int(root[0].to_play)
            work.ratings[k] += evaluate(tables, work.games, seat, work.points, limits.victory)

    return compare


@kernel
def insert(ranked: Index, values: Values, found: int, action: int, value: float) -> int:
    """Insert an action into the ranking, after equal ones; return the number of actions kept."""
    at = found
    while at > 0 and values[at - 1] < value:
        if at < ranked.size:
            ranked[at], values[at] = ranked[at - 1], values[at - 1]
        at -= 1
    if at < ranked.size:
        ranked[at], values[at] = action, value
    return min(found + 1, ranked.size)


@kernel
def sort_best_first(ranked: Index, values: Values, size: int) -> None:
    """Sort the first ``size`` actions by value, stably."""
    for k in range(1, size):
        insert(ranked[: k + 1], values[: k + 1], k, int(ranked[k]), float(values[k]))


class PlannerBot(RetakesKernels):
    """Plays the action with the best playouts by the game's heuristic."""

    needs_observations = False
    needs_states = True
    redeals_hidden = True

    def __init__(
        self, game: Game, config: PlannerConfig, seed: int = 0, name: str = "planner"
    ) -> None:
        self.name = name
        self._game = game
        turns = config.turns or int(heuristic_of(game.rules).plan_turns)
        self._limits = Limits(config.playouts, turns, float(config.victory))
        self._rank = rank_kernel(game.rules)
        self._compare = compare_kernel(game.rules)
        self._root = game.empty(1)
        self._work = Workspace(
            games=game.empty(2),
            ranked=np.zeros(config.candidates, np.int64),
            ratings=np.zeros(config.candidates, np.float64),
            mask=np.zeros(game.num_actions, np.int8),
            spare=np.zeros(game.num_actions, np.int8),
            points=np.zeros(game.num_sides, np.int32),
        )
        self.seed(seed)

    def _kernels_of_game(self) -> dict[str, Any]:
        rules = self._game.rules
        return {"_rank": rank_kernel(rules), "_compare": compare_kernel(rules)}

    def seed(self, seed: int) -> None:
        """Seed the playouts; the same seed and the same decisions give the same actions."""
        self._seed = check_seed(seed)
        self._decisions = 0

    def act(self, observations: Floats | None, masks: Mask, states: Games | None) -> Index:
        """Plan each row in turn; needs ``states``."""
        masks, states = check_act(self._game, self.name, masks, states)
        return np.array([self._choose(masks[k], states, k) for k in range(len(masks))], np.int64)

    def _choose(self, mask: Mask, states: Games, k: int) -> int:
        only = int(only_action(mask))
        if only != NO_ACTION:
            return only
        self._plan(mask, states, k)
        return int(self._work.ranked[0])

    def analyse(self, mask: Mask, state: Games) -> Analysis:
        """Plan one position; see :class:`sprawl_env.bots.analysis.Analyst`."""
        legal, state = check_position(self._game, self.name, mask, state)
        if legal.size == 1:
            return only_one(int(legal[0]))
        visits, values = np.zeros(legal.size, np.int64), np.full(legal.size, np.nan)
        found = 1
        for left, deals in self._plan(mask, state, 0):
            found = max(found, left)
            visits[:left] += deals
        tried = np.flatnonzero(visits)
        values[tried] = self._work.ratings[tried] / visits[tried]
        ranked = self._work.ranked[:found]
        return Analysis(np.concatenate([ranked, np.setdiff1d(legal, ranked)]), visits, values)

    def _plan(self, mask: Mask, states: Games, k: int) -> list[tuple[int, int]]:
        """Rank the candidates of the seat to play in game ``k``; Ctrl-C can interrupt it.

        Returns:
            For each round the number of candidates and the playouts of each.  The workspace
            has the candidates, best first, and the sums of their ratings.
        """
        seed = combine(self._seed, self._decisions)
        self._decisions += 1
        self._root[0] = states[k]
        self._work.mask[:] = mask
        tables, root, work = self._game.tables, self._root, self._work
        left, deal = int(self._rank(tables, root, work, seed)), 1
        played = []
        rounds = (max(left, 1) - 1).bit_length()  # halvings until one is left
        for _ in range(rounds):
            deals = max(self._limits.playouts // (rounds * left), 1)
            for first, count in slices(deals * left):
                share = PlayoutShare(seed, deal, left, first, first + count - 1)
                self._compare(tables, root, work, self._limits, share)
            deal += deals
            played.append((left, deals))
            sort_best_first(work.ranked, work.ratings, left)
            left = (left + 1) // 2
        return played
