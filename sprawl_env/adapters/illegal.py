"""What an illegal action does in every adapter: it raises an error, or it loses the game.

With ``illegal="lose"`` the game ends for all seats, ``terminated``, and its state is unchanged.  So
algorithms without masks can learn.  What is no action at all, because it is out of range or not a
whole number, raises an error in any case.  :func:`forfeits` says what a lost game pays.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sprawl_env.core.checks import as_array, whole_number
from sprawl_env.core.errors import IllegalAction, short, unknown
from sprawl_env.core.game import Game
from sprawl_env.core.rewards import (
    LEAD,
    RANK,
    SCORE,
    WINNER,
    Earnings,
    RewardFunction,
    reward_mode,
)
from sprawl_env.core.state import Games
from sprawl_env.kernels.arrays import Floats, Index, Ints, Mask

ILLEGAL: Final = ("raise", "lose")
Flags = npt.NDArray[np.bool_]


class Illegal:
    """What an illegal action does in one environment.

    Attributes:
        loses: it loses the game instead of raising an error.
    """

    def __init__(self, game: Game, illegal: str, reward: str | RewardFunction) -> None:
        """Check the choice.

        Raises:
            UnknownName: ``illegal`` is neither ``"raise"`` nor ``"lose"``, or there is no such
                reward.
        """
        if illegal not in ILLEGAL:
            raise unknown("illegal", illegal, ILLEGAL)
        self.loses = illegal == "lose"
        self._game = game
        self._own = callable(reward)
        self._mode = WINNER if callable(reward) else reward_mode(reward)

    def check(self, games: Games, action: Any, mask: Mask) -> tuple[int, bool]:
        """Return an action of a single game ``[1]``, and whether it loses.

        Raises:
            IllegalAction: not a whole number, or it is not legal and does not lose.
        """
        number = whole_number(self._game, action)
        exists = 0 <= number < self._game.num_actions
        legal = exists and bool(mask[number])
        if not legal and not (self.loses and exists):
            raise self._game.illegal(games, 0, number, mask)
        return number, not legal

    def check_all(self, masks: Mask, actions: Any) -> tuple[Index, Flags]:
        """Return actions that may lose as a new int64 array ``[n]``, and which do, bool ``[n]``.

        Args:
            masks: int8 ``[n, num_actions]``, 1 = legal.
            actions: whole numbers ``[n]``.

        Raises:
            IllegalAction: wrong type or shape, or there is no such action.
        """
        name, last, given = self._game.name, self._game.num_actions - 1, as_array(actions)
        if given.shape != (len(masks),) or given.dtype.kind not in "iu":
            raise IllegalAction(
                f"{name}: actions: expected whole numbers of shape ({len(masks)},), "
                f"got {short(given)}"
            )
        missing = (given < 0) | (given > last)
        if missing.any():
            i = int(missing.argmax())
            raise IllegalAction(
                f"env {i}: {name}: there is no action {given[i]}: ids are 0..{last}"
            )
        chosen: Index = given.astype(np.int64, order="C")
        return chosen, masks[np.arange(chosen.size), chosen] == 0

    def paid(self, scores: Ints, seat: int) -> Floats:
        """Return the rewards of all seats, float32 ``[num_seats]``, if ``seat`` loses now.

        Args:
            scores: ``[num_sides]``, the points now.
            seat: the offender.
        """
        return forfeits(self._mode, scores, seat)[: self._game.num_seats]

    def earned(self, earnings: Earnings, games: Games, seat: int) -> Floats:
        """Return the rewards since the last report of a single game, which ``seat`` loses now."""
        paid = self.paid(self._game.scores(games, 0), seat)
        return paid if self._own else paid + earnings.since(games)


def forfeits(mode: int, scores: Ints, seat: int) -> Floats:
    """Return the rewards of all sides, float32 ``[sides]``, if a seat loses by an illegal action.

    ==========  ================================================================================
    ``winner``  -1 for the offender, +1/(n-1) for each other side
    ``rank``    the same
    ``margin``  for the offender its margin if it had one point less than the lowest of all sides;
                the others share the opposite
    ``lead``    what takes each side from its current lead to its margin as above
    ``score``   for the offender what takes it to one point less than the lowest of all sides; 0 for
                the others, whose points stay
    ==========  ================================================================================

    All but ``score``, which never does, sum to zero.  An illegal action never pays: with the last
    three it costs at least 1 even in the opening.  An automaton counts as a side but receives
    nothing.  A function of one's own is not called, because it cannot see who offended: the rewards
    are those of ``winner``.

    Args:
        mode: see :func:`~sprawl_env.core.rewards.reward_mode`.
        scores: ``[sides]``, the points now.
        seat: the offender.
    """
    points = scores.astype(np.float64)
    others = max(len(points) - 1, 1)
    means = (points.sum() - points) / others if len(points) > 1 else points  # of the other sides
    falls_to = points.min() - 1
    lost = 1.0 if mode in (WINNER, RANK) else means[seat] - falls_to
    paid = np.full(len(points), lost / others)
    paid[seat] = -lost
    if mode == LEAD:
        paid -= points - means
    elif mode == SCORE:
        paid[:] = 0
        paid[seat] = falls_to - points[seat]
    return paid.astype(np.float32)


def last_place(standings: Ints, seat: int) -> Ints:
    """Return a ranking ``[sides]`` in which an offender is behind all others; a copy."""
    changed = standings.copy()
    changed[seat] = standings.min() - 1
    return changed
