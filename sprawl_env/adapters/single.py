"""One game for the adapters of single games: plain arrays, and no work that is not asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from sprawl_env.adapters.illegal import Illegal, with_last
from sprawl_env.core.errors import InvalidOption, short
from sprawl_env.core.game import Game
from sprawl_env.core.retaken import RetakesKernels
from sprawl_env.core.rewards import Earnings, RewardFunction
from sprawl_env.core.state import FINISHED, NOBODY, NOT_OVER, Games, clone, plain
from sprawl_env.kernels.arrays import Floats, Ints, Mask
from sprawl_env.kernels.rng import combine
from sprawl_env.kernels.stream import to_floats


def not_finished(game: Game) -> InvalidOption:
    """Return the error for games whose last deal or step did not finish."""
    return InvalidOption(
        f"{game.name}: the last reset or step failed or was interrupted: call reset()"
    )


def no_options(game: Game, options: dict[str, Any] | None, known: tuple[str, ...] = ()) -> None:
    """Check the options of a reset, which Gymnasium passes on.

    Raises:
        InvalidOption: there is one that is not ``known``.
    """
    wrong = [key for key in options or () if key not in known]
    if wrong:
        expected = f"only {', '.join(known)}" if known else "none"
        raise InvalidOption(
            f"{game.name}: reset: options has {', '.join(map(short, wrong))}: expected {expected}; "
            "give a game's options, the seat and so on where the environment is made"
        )


class SingleGame(RetakesKernels):
    """One game, what it pays, and what an illegal action does in it.

    It calls the kernels without checks, so it trusts its callers.  A deal overwrites the record.

    Attributes:
        records: the record ``[1]``.
        mask: int8 ``[num_actions]``, the legal actions of the seat to play; a new array after every
            call of :meth:`look`.
        offender: the seat that lost the game by an illegal action; ``NOBODY`` if none did.
        illegal: what an illegal action does.
    """

    def __init__(self, game: Game, reward: str | RewardFunction, illegal: str) -> None:
        """Make the game; :meth:`deal` deals it.

        Raises:
            UnknownName: there is no such reward, or ``illegal`` is neither ``"raise"`` nor
                ``"lose"``.
        """
        self.illegal = Illegal(game, illegal, reward)
        self.records = plain(game.empty(1))
        self.mask: Mask = np.zeros(game.num_actions, np.int8)
        self.offender = NOBODY
        self._game, self._kernels = game, game.kernels
        self._tables = plain(game.tables)
        self._scales = game.observation_layout.scales
        self._numbers: Mask = np.empty(game.observation_size, np.int8)
        self._earnings = Earnings(game, reward)

    def _kernels_of_game(self) -> dict[str, Any]:
        return {"_kernels": self._game.kernels}

    @property
    def pays_now(self) -> bool:
        """Whether there may be rewards to report: at the end, or after any ply."""
        return self._earnings.dense or self.over != NOT_OVER

    @property
    def over(self) -> int:
        """``NOT_OVER``, ``FINISHED``, also by an illegal action, or ``TRUNCATED``."""
        return int(self.records["over"].item()) if self.offender == NOBODY else FINISHED

    @property
    def seat(self) -> int:
        """The seat that owes a decision; ``NOBODY`` when the game is over."""
        return int(self.records["to_play"].item()) if self.offender == NOBODY else NOBODY

    def copy(self) -> Games:
        """Return a copy of the record ``[1]``."""
        return clone(self.records)

    def deal(self, seed: int) -> None:
        """Deal a new game, as :meth:`~sprawl_env.core.game.Game.deal` does."""
        self._kernels.deal(self._tables, self.records, 0, combine(seed, 0))
        self.offender = NOBODY
        self._earnings.begin(self.records)

    def play(self, action: int) -> None:
        """Play one legal action."""
        self._kernels.play(self._tables, self.records, 0, action)

    def lose(self, seat: int) -> None:
        """End the game, which ``seat`` loses by an illegal action; the record is unchanged."""
        self.offender = seat

    def look(self) -> Mask:
        """Write the legal actions to :attr:`mask` and return it."""
        if self.offender == NOBODY:
            self.mask = np.empty_like(self.mask)
            self._kernels.legal_actions(self._tables, self.records, 0, self.mask)
        else:
            self.mask = np.zeros_like(self.mask)
        return self.mask

    def copy_for(self, seat: int) -> Any:
        """Return a copy of the record ``[1]`` with another seat to play."""
        records = self.records.copy()
        records["to_play"] = seat
        return records

    def look_as(self, seat: int, out: Mask) -> None:
        """Write the legal actions of a seat that chooses at the same time as the seat to play."""
        self._kernels.legal_actions(self._tables, self.copy_for(seat), 0, out)

    def observe(self, seat: int, out: Any) -> None:
        """Write what a seat sees to ``out``, float32 or int8 ``[observation_size]``."""
        whole = out.dtype == np.int8
        numbers = out if whole else self._numbers
        self._kernels.observe(self._tables, self.records, 0, seat, numbers)
        if not whole:
            to_floats(numbers, self._scales, out)

    def check(self, action: Any) -> tuple[int, bool]:
        """Return an action of the seat to play, and whether it loses the game.

        Raises:
            IllegalAction: not a whole number, or it is not legal and does not lose.
        """
        return self.illegal.check(self.records, action, self.mask)

    def earned(self) -> Floats:
        """Return the rewards since the last call, float32 ``[num_seats]``."""
        if self.offender == NOBODY:
            return self._earnings.since(self.records)
        return self.illegal.earned(self._earnings, self.records, self.offender)

    def scores(self) -> Ints:
        """Return the points of all sides now, int32 ``[num_sides]``."""
        return self._game.scores(self.records, 0)

    def has_won(self, seat: int) -> bool:
        """Return whether a seat has won or shares the victory, as the position stands."""
        if seat == self.offender:
            return False
        standings = self._game.standings(self.records)
        if self.offender != NOBODY:
            standings = with_last(standings, np.array([self.offender]))
        return bool(standings[0, seat] == standings.max())
