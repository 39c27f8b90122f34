"""The bot ``heldout:features``: it rates the position after each action by a linear function."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from sprawl_env.bots.heldout.books import Look, part_for
from sprawl_env.bots.protocol import check_act
from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import check_seed
from sprawl_env.core.game import Game
from sprawl_env.core.retaken import RetakesKernels
from sprawl_env.core.rules import GameRules
from sprawl_env.core.state import Games, Tables, plain
from sprawl_env.kernels.arrays import Floats, Index, Mask
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.masks import NO_ACTION, new_generators
from sprawl_env.kernels.rng import below, combine
from sprawl_env.kernels.sources import kernels_label

NAME = "heldout:features"


def look_of(rules: GameRules) -> Look:
    """Return the features of a game with their weights.

    Raises:
        UnknownName: there are none.
    """
    return part_for(rules, NAME, "features:LOOK")  # type: ignore[no-any-return]  # it is a Look


@functools.cache
def features_kernel(rules: GameRules) -> Callable[..., None]:
    """Return the kernel that rates every legal action of a batch and keeps the best one.

    Its ``scratch`` is three records: the position with a new deal of what the seat cannot know,
    and two to play on.  Ties are broken at random.
    """
    rate, redeal = look_of(rules).rate, rules.kernels.redeal_hidden

    @kernel(label=f"{rules.label} {kernels_label(rate)}")
    def answer(
        tables: Tables,
        games: Games,
        masks: Mask,
        scratch: tuple[Games, Mask, npt.NDArray[np.float64], npt.NDArray[np.float64]],
        generator: Games,
        seed: int,
        actions: Index,
    ) -> None:
        trial, mask, features, weights = scratch
        for k in range(games.size):
            seat = int(games[k].to_play)
            trial[0] = games[k]
            redeal(tables, trial, 0, combine(seed, int(games[k].ply)), seat)
            best, ties = -np.inf, 0
            actions[k] = NO_ACTION
            for action in range(masks.shape[1]):
                if masks[k, action] == 0:
                    continue
                rating = rate(tables, trial, action, seat, mask, features, weights)
                if ties == 0 or rating > best:
                    best, ties = rating, 0
                ties += rating == best
                if rating == best and below(generator[0], ties) == 0:
                    actions[k] = action

    return answer


class FeaturesBot(RetakesKernels):
    """Tries each legal action on a copy and plays the one with the best rating (``Look``).

    What its seat cannot know is re-dealt in the copy, from the bot's seed, the same way for all
    actions of a decision.

    Args:
        game: the game that it plays.
        seed: of the deals and of the generator that breaks ties.

    Raises:
        UnknownName: there are no features for the game.
    """

    name = NAME
    needs_observations = False
    needs_states = True
    redeals_hidden = True

    @checked
    def __init__(self, game: Game, seed: int = 0) -> None:
        self._answer = features_kernel(game.rules)
        weights = np.array(list(look_of(game.rules).weights.values()))
        mask = np.zeros(game.num_actions, np.int8)
        self._scratch = plain(game.empty(3)), mask, np.zeros_like(weights), weights
        self._game = game
        self.seed(seed)

    def _kernels_of_game(self) -> dict[str, Any]:
        return {"_answer": features_kernel(self._game.rules)}

    def seed(self, seed: int) -> None:
        """Seed the deals and the generator that breaks ties."""
        self._seed = check_seed(seed)
        self._generator = plain(new_generators(1, self._seed))

    def act(self, observations: Floats | None, masks: Mask, states: Games | None) -> Index:
        """Return the legal action with the best rating of every row, int64 ``[n]``."""
        masks, states = check_act(self._game, self.name, masks, states)
        actions = np.empty(len(masks), np.int64)
        self._answer(
            self._game.tables, plain(states), masks, self._scratch, self._generator, self._seed,
            actions,
        )  # fmt: skip
        return actions
