"""Rewards: the training signals that a seat can receive at the end of a game or after each ply.

==========  ======================================================================
``winner``  +1 for the winner, -1/(n-1) for each loser; a shared victory is shared
``rank``    from +1 for the first to -1 for the last in equal steps, ties averaged
``margin``  own points minus the mean of the others' points
``score``   change of the own points since the last report
``lead``    change of the current ``margin`` since the last report
==========  ======================================================================

The first three are given once, when the game is over.  ``score`` and ``lead`` are given at every
ply.  Over a game that starts with equal points, ``lead`` sums to ``margin``, but gives credit
earlier.  With two or more sides, all rewards except ``score`` sum to zero over the sides.  A side
that is alone receives its points as ``margin``, their changes as ``lead``, and 0 as ``winner`` and
``rank``.

The sides are the seats and, if a single seat plays against an automaton, the automaton.  The
automaton counts in ``n`` and in comparisons, but receives no reward.  So with ``winner`` or
``rank`` a single seat receives +1 for a win, -1 for a loss and 0 for a shared victory.

A function of your own may replace the name of a reward: see :data:`RewardFunction`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import as_array, described
from sprawl_env.core.errors import InvalidOption, unknown
from sprawl_env.core.game import Game
from sprawl_env.core.state import NOT_OVER, Games, clone
from sprawl_env.kernels.arrays import Floats, Ints
from sprawl_env.kernels.compile import kernel

REWARDS: Final = ("winner", "rank", "margin", "score", "lead")
WINNER: Final = REWARDS.index("winner")
RANK: Final = REWARDS.index("rank")
MARGIN: Final = REWARDS.index("margin")
SCORE: Final = REWARDS.index("score")
LEAD: Final = REWARDS.index("lead")


@checked
def reward_mode(name: str) -> int:
    """Return the number of a reward, which kernels take as ``mode``.

    Raises:
        UnknownName: there is no such reward.
    """
    if name not in REWARDS:
        raise unknown("reward", name, REWARDS)
    return REWARDS.index(name)


RewardFunction: TypeAlias = "Callable[[Games, Games, npt.NDArray[np.bool_]], npt.ArrayLike]"
"""A reward of one's own, ``(before, after, over)``: returns floats ``[n, num_seats]``.

``before`` and ``after`` are records ``[n]``: each game before the step and after it; ``after`` of a
game that ended is its true last position, not the next deal.  ``over`` is bool ``[n]``.  It is
called once for each step of an environment or batch, with copies.  A step may contain several
plies: those of opponents, and plies without a choice.
"""


def own_rewards(function: RewardFunction, game: Game, before: Games, after: Games) -> Floats:
    """Return the rewards of a step by a user's function, float32 ``[n, num_seats]``.

    Raises:
        InvalidOption: the function returns something else, or numbers that are not finite.
    """
    given = function(before, after, after["over"] != NOT_OVER)
    paid, shape = as_array(given), (len(after), game.num_seats)
    if paid.shape != shape or paid.dtype.kind not in "iuf" or not np.isfinite(paid).all():
        raise InvalidOption(
            f"reward: expected finite floats of shape {shape} from the function, "
            f"got {described(given)}"
        )
    rewards: Floats = paid.astype(np.float32)
    return rewards


@kernel
def winner_reward(standings: Ints, seat: int) -> float:
    """Return the reward ``winner`` of a seat; the sum over the sides is zero."""
    sides = standings.size
    if sides == 1:
        return 0.0
    winners = 0
    best = standings[0]
    for other in range(1, sides):
        best = max(best, standings[other])
    for other in range(sides):
        winners += standings[other] == best
    if standings[seat] == best:
        return (sides - winners) / (winners * (sides - 1.0))
    return -1.0 / (sides - 1.0)


@kernel
def rank_reward(standings: Ints, seat: int) -> float:
    """Return the reward ``rank`` of a seat; the sum over the sides is zero."""
    sides = standings.size
    if sides == 1:
        return 0.0
    worse_less_better = 0
    for other in range(sides):
        worse_less_better += standings[other] < standings[seat]
        worse_less_better -= standings[other] > standings[seat]
    return worse_less_better / (sides - 1.0)


@kernel
def lead(scores: Ints, seat: int) -> float:
    """Return a seat's points minus the mean of the others'; a side that is alone has its own."""
    others = 0
    for other in range(scores.size):
        if other != seat:
            others += scores[other]
    return float(scores[seat] - others / max(scores.size - 1.0, 1.0))


def leads(scores: Ints) -> npt.NDArray[np.float64]:
    """Return :func:`lead` of every side, float64 ``[..., sides]``.

    Args:
        scores: ``[..., sides]``.
    """
    others = scores.sum(axis=-1, keepdims=True) - scores
    found: npt.NDArray[np.float64] = scores - others / max(scores.shape[-1] - 1, 1)
    return found


def victory_shares(standings: Ints) -> npt.NDArray[np.float64]:
    """Return each side's share of the victory, float64 ``[..., sides]``; they sum to 1.

    Args:
        standings: ``[..., sides]``, larger is better.
    """
    best = standings == standings.max(axis=-1, keepdims=True)
    found: npt.NDArray[np.float64] = best / best.sum(axis=-1, keepdims=True)
    return found


@kernel
def add_final_rewards(mode: int, scores: Ints, standings: Ints, out: Floats) -> None:
    """Add the final rewards of all seats; a dense reward adds nothing.

    Args:
        mode: see :func:`reward_mode`.
        scores: ``[sides]``, final points.
        standings: ``[sides]``, larger is better.
        out: ``[seats]``, added to.
    """
    for seat in range(out.size):
        if mode == WINNER:
            out[seat] += winner_reward(standings, seat)
        elif mode == RANK:
            out[seat] += rank_reward(standings, seat)
        elif mode == MARGIN:
            out[seat] += lead(scores, seat)


@kernel
def is_dense(mode: int) -> bool:
    """Return whether a reward is given at every ply."""
    return mode >= SCORE


@kernel
def add_change(mode: int, before: Ints, after: Ints, out: Floats) -> None:
    """Add the dense rewards of all seats for a change of the scores.

    Args:
        mode: see :func:`reward_mode`.
        before: ``[sides]``, points at the last report.
        after: ``[sides]``, points now.
        out: ``[seats]``, added to.
    """
    for seat in range(out.size):
        if mode == LEAD:
            out[seat] += lead(after, seat) - lead(before, seat)
        else:
            out[seat] += after[seat] - before[seat]


class Earnings:
    """The rewards of the seats of one game since the last report.

    Attributes:
        dense: the reward is given at every ply, not only at the end.
    """

    def __init__(self, game: Game, reward: str | RewardFunction) -> None:
        self._game = game
        self._function = reward if callable(reward) else None
        self._mode = WINNER if callable(reward) else reward_mode(reward)
        self._scores: Ints = np.zeros(game.num_sides, np.int32)
        self._before = game.empty(1)
        self.dense = bool(is_dense(self._mode)) or self._function is not None

    def begin(self, games: Games) -> None:
        """Start a new game: ``games`` ``[1]`` has just been dealt."""
        if self._function is not None:
            self._before = clone(games)
        elif self.dense:
            self._scores[:] = self._game.scores(games, 0)

    def since(self, games: Games) -> Floats:
        """Return the rewards since the last call, float32 ``[num_seats]``.

        They are 0 before the end of the game unless the reward is dense.
        """
        if self._function is not None:
            after = clone(games)
            earned: Floats = own_rewards(self._function, self._game, self._before, after.copy())[0]
            self._before = after
            return earned
        earned = np.zeros(self._game.num_seats, np.float32)
        if self.dense:
            scores = self._game.scores(games, 0)
            add_change(self._mode, self._scores, scores, earned)
            self._scores[:] = scores
        elif games["over"][0] != NOT_OVER:
            scores, standings = self._game.scores(games, 0), self._game.standings(games, 0)
            add_final_rewards(self._mode, scores, standings, earned)
        return earned
