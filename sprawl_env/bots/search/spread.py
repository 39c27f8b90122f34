"""How sure a lead is: how many points of expected margin make a victory e times likelier.

That depends on the game, and on how well a network foresees margins.  It is measured in games that
the network plays against itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from sprawl_env.bots.search.search import Evaluation, Evaluator
from sprawl_env.core.game import Game
from sprawl_env.core.rewards import leads
from sprawl_env.core.state import NOT_OVER, plain
from sprawl_env.kernels.arrays import Floats, Index, Ints, Mask

GAMES: Final = 32
SEED: Final = 7
LONGEST: Final = 5000  # plies; games that are longer do not count
LOGISTIC: Final = math.sqrt(3) / math.pi  # scale of a logistic distribution with deviation 1


def measured_spread(game: Game, evaluate: Evaluator) -> float:
    """Return the points of margin at which a network's victory is e times likelier, one digit.

    If final margins are spread about the expected ones as a logistic distribution is, its scale is
    the standard deviation times √3/π.  A rounded number does not depend on small differences.

    Args:
        game: the game.
        evaluate: the network, whose margins are asked in 32 games that it plays against itself.

    Returns:
        At least 0.1 points.
    """
    own = OwnGames(game, GAMES, SEED)
    errors = _errors(own, list(own.plies(evaluate)))
    deviation = math.sqrt(float(np.mean(np.square(errors)))) if errors.size else 0.0
    return one_digit(max(LOGISTIC * deviation, 0.1))


def one_digit(number: float) -> float:
    """Return a number with one significant digit."""
    return float(f"{number:.0e}")


class Said(NamedTuple):
    """What a network said of the decisions of a ply, a row for each game that goes on.

    Attributes:
        games: int64 ``[n]``, the numbers of the games.
        seats: int64 ``[n]``, who decides.
        choice: bool ``[n]``, whether more than one action is legal.
        found: what the network said.
    """

    games: Index
    seats: Index
    choice: npt.NDArray[np.bool_]
    found: Evaluation


class OwnGames:
    """Games that a network plays against itself, drawing actions by its policy.

    Args:
        game: the game.
        count: number of games.
        seed: of the deals and of the actions.

    Attributes:
        games: ``[count]``, their states.
    """

    def __init__(self, game: Game, count: int, seed: int) -> None:
        self._game, self._rng = game, np.random.default_rng(seed)
        self._tables = plain(game.tables)
        self.games = plain(game.deal(count, seed))

    def plies(self, evaluate: Evaluator) -> Iterator[Said]:
        """Play until all games are over or have ``LONGEST`` plies; yield what is said of each."""
        for _ in range(LONGEST):
            going = np.flatnonzero(self.games["over"] == NOT_OVER)
            if not going.size:
                return
            yield self.ply(going, evaluate)

    def ply(self, going: Index, evaluate: Evaluator) -> Said:
        """Play a decision in some games."""
        game, games, tables = self._game, self.games, self._tables
        count = len(going)
        numbers: Mask = np.zeros((count, game.observation_size), np.int8)
        masks: Mask = np.zeros((count, game.num_actions), np.int8)
        points: Ints = np.zeros((count, game.num_sides), np.int32)
        seats = games["to_play"][going].astype(np.int64)
        for row, (g, seat) in enumerate(zip(going.tolist(), seats.tolist(), strict=True)):
            game.kernels.legal_actions(tables, games, g, masks[row])
            game.kernels.observe(tables, games, g, seat, numbers[row])
            game.kernels.scores(tables, games, g, points[row])
            points[row] = np.roll(points[row], -seat)
        found = evaluate(numbers, masks, points)
        drawn = found.logits + self._rng.gumbel(size=found.logits.shape)
        actions = np.where(masks > 0, drawn, -np.inf).argmax(axis=1)
        for g, action in zip(going.tolist(), actions.tolist(), strict=True):
            game.kernels.play(tables, games, g, action)
        return Said(going, seats, masks.sum(axis=1, dtype=np.int64) > 1, found)

    def scores(self) -> Ints:
        """Return the points of all sides, ``[count, num_sides]``."""
        return self._game.scores(self.games.view(np.recarray))


def _errors(own: OwnGames, said: list[Said]) -> Floats:
    """Return the final margins less the expected ones, of the games that are over."""
    finals, over = leads(own.scores()).astype(np.float32), own.games["over"] != NOT_OVER
    errors = [np.zeros(0, np.float32)]
    for each in said:
        kept = each.choice & over[each.games]
        errors.append((finals[each.games, each.seats] - each.found.margins)[kept])
    return np.concatenate(errors)
