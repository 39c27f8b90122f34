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
        if not isinstance(illegal, str) or illegal not in ILLEGAL:
            raise unknown("illegal", illegal, ILLEGAL)
        self.loses = illegal == "lose"
        self._game = game
        self._own = callable(reward)
        self._mode = WINNER if callable(reward) else reward_mode(reward)

    def check(self, games: Games, action: Any, mask: Mask) -> tuple[int, bool]:
        """Return an action of a single game ``[1]``, and whether it loses.

        Args:
            games: the game, for the message.
            action: a whole number.
            mask: int8 ``[num_actions]``, 1 = legal; all 0 when the game is over.

        Raises:
            IllegalAction: not a whole number, or it is not legal and does not lose.
        """
        number = whole_number(self._game, action)
        if 0 <= number < self._game.num_actions:
            if mask[number]:
                return number, False
            if self.loses and mask.any():
                return number, True
        if self.loses and not mask.any():  # the record of a lost game is not over
            raise IllegalAction(
                f"{self._game.name}: the game is over, no seat may act (got {number})"
            )
        raise self._game.illegal(games, 0, number, mask)

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

    def paid(self, scores: Ints, seats: Index) -> Floats:
        """Return the rewards of all seats of games that seats lose now.

        Args:
            scores: ``[n, num_sides]``, the points now.
            seats: ``[n]``, the offenders.

        Returns:
            float32 ``[n, num_seats]``.
        """
        paid: Floats = forfeits(self._mode, scores, seats)[:, : self._game.num_seats]
        return paid

    def earned(self, earnings: Earnings, games: Games, seat: int) -> Floats:
        """Return the rewards since the last report of a single game, which ``seat`` loses now."""
        paid: Floats = self.paid(self._game.scores(games), np.array([seat]))[0]
        if not self._own:
            paid += earnings.since(games)
        return paid


def forfeits(mode: int, scores: Ints, seats: Index) -> Floats:
    """Return the rewards of all sides of games that seats lose by an illegal action.

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
    nothing.  A function of one's own is not asked, because it cannot see who offended: the rewards
    are those of ``winner``.

    Args:
        mode: see :func:`~sprawl_env.core.rewards.reward_mode`.
        scores: ``[n, sides]``, the points now.
        seats: ``[n]``, the offenders.

    Returns:
        float32 ``[n, sides]``.
    """
    points, each = scores.astype(np.float64), np.arange(len(seats))
    others = max(points.shape[1] - 1, 1)
    sums = points.sum(axis=1, keepdims=True) - points  # of the other sides
    means = sums / others if points.shape[1] > 1 else points
    falls_to = points.min(axis=1) - 1
    lost = np.ones(len(seats)) if mode in (WINNER, RANK) else means[each, seats] - falls_to
    paid = np.repeat(lost[:, None] / others, points.shape[1], axis=1)
    paid[each, seats] = -lost
    if mode == LEAD:
        paid -= points - means
    elif mode == SCORE:
        paid[:] = 0
        paid[each, seats] = falls_to - points[each, seats]
    return paid.astype(np.float32)


def with_last(standings: Ints, seats: Index) -> Ints:
    """Return rankings ``[n, sides]`` in which offenders ``[n]`` are behind all others; a copy."""
    changed = standings.copy()
    changed[np.arange(len(seats)), seats] = standings.min(axis=1) - 1
    return changed
