"""The bot greedy: it rates every legal action by the game's heuristic and plays the best one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from sprawl_env.bots.protocol import check_act
from sprawl_env.core import registry
from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import FLOAT32, check_rows, check_seed
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.game import Game
from sprawl_env.core.heuristic import Heuristic
from sprawl_env.core.retaken import RetakesKernels
from sprawl_env.core.rules import GameRules
from sprawl_env.core.state import CommonState, Games, Tables
from sprawl_env.kernels.arrays import Floats, Mask
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.masks import NO_ACTION
from sprawl_env.kernels.scratch import SIZE, new_numbers
from sprawl_env.kernels.sources import kernels_label

Actions = npt.NDArray[np.int64]


def heuristic_of(rules: GameRules) -> Heuristic:
    """Return the heuristic registered with a game, or one that looks at the scores alone."""
    return registry.heuristic_of(rules) or score_heuristic(rules)


def heuristic_label(rules: GameRules) -> str:
    """Return the label, in the disk cache, of kernels into which the heuristic is compiled."""
    heuristic = heuristic_of(rules)
    label = kernels_label(heuristic.value, heuristic.rate, heuristic.plan_value)
    return f"{rules.label} {label}".strip()


@functools.cache
def score_heuristic(rules: GameRules) -> Heuristic:
    """Return the heuristic of a game that has none: the lead in points after the action.

    Before the action is played, all that the seat to play cannot know is resampled, the same way
    for every action of a decision.

    Raises:
        InvalidOption: the game has too many seats.
    """
    if rules.options["num_players"].high >= SIZE:
        raise InvalidOption(
            f"{rules.name}: has no heuristic: greedy then plays games of at most {SIZE - 1} seats"
        )
    play, redeal, score_all = rules.kernels.play, rules.kernels.redeal_hidden, rules.kernels.scores
    automaton = int(rules.automaton)
    label = f"{rules.label} automaton" if automaton else rules.label

    @kernel(label=label)
    def sides_of(state: CommonState) -> int:
        seats = int(state.num_seats)
        return seats + automaton if seats == 1 else seats

    @kernel(label=label)
    def points_of(tables: Tables, games: Games, g: int, side: int) -> float:
        points = new_numbers()
        score_all(tables, games, g, points[: sides_of(games[g])])
        return float(points[side])

    @kernel(label=label)
    def rate(tables: Tables, games: Games, action: int, seat: int, mask: Mask) -> float:
        games[1] = games[0]
        redeal(tables, games, 1, int(games[0].ply), seat)
        play(tables, games, 1, action)
        sides = sides_of(games[1])
        best = -np.inf if sides > 1 else 0.0
        for side in range(sides):
            if side != seat:
                best = max(best, points_of(tables, games, 1, side))
        return float(points_of(tables, games, 1, seat) - best)

    return Heuristic(rate=rate, plan_value=points_of)


def plan_value_of(rules: GameRules) -> Callable[..., float]:
    """Return the kernel that estimates a side's final points: the heuristic's, or points now."""
    estimate = heuristic_of(rules).plan_value or score_heuristic(rules).plan_value
    assert estimate is not None
    return estimate


@functools.cache
def action_rater(rules: GameRules) -> Callable[..., float]:
    """Return the kernel ``(tables, games, action, seat, mask)`` that rates an action.

    The action is legal in ``games[0]``; ``games[1]`` and ``mask`` are overwritten.
    """
    play, heuristic = rules.kernels.play, heuristic_of(rules)
    if heuristic.rate is not None:
        return heuristic.rate
    value = heuristic.value
    assert value is not None  # a heuristic has one of both

    @kernel(label=heuristic_label(rules))
    def rate_action(tables: Tables, games: Games, action: int, seat: int, mask: Mask) -> float:
        games[1] = games[0]
        play(tables, games, 1, action)
        return float(value(tables, games, 1, seat))

    return rate_action


@functools.cache
def best_action(rules: GameRules) -> Callable[..., int]:
    """Return the kernel ``(tables, games, mask, scratch)`` that returns the best-rated action.

    The kernel rates the actions of ``mask``, of which there is at least one, in ``games[0]``.  Of
    several best actions it returns the first.  ``games[1]`` and ``scratch`` are overwritten.
    """
    rate_action = action_rater(rules)

    @kernel(label=heuristic_label(rules))
    def choose(tables: Tables, games: Games, mask: Mask, scratch: Mask) -> int:
        best, highest = NO_ACTION, -np.inf
        seat = int(games[0].to_play)
        for action in range(mask.size):
            if mask[action]:
                rating = rate_action(tables, games, action, seat, scratch)
                if best == NO_ACTION or rating > highest:
                    best, highest = action, rating
        return best

    return choose


@functools.cache
def greedy_kernel(rules: GameRules) -> Callable[..., None]:
    """Return the kernel that rates every legal action of a batch by the game's heuristic."""
    rate_action = action_rater(rules)

    @kernel(label=heuristic_label(rules))
    def rate(
        tables: Tables, games: Games, masks: Mask, trial: Games, scratch: Mask, out: Floats
    ) -> None:
        for k in range(games.size):
            seat = int(games[k].to_play)
            trial[0] = games[k]
            for action in range(masks.shape[1]):
                out[k, action] = -np.inf
                if masks[k, action]:
                    out[k, action] = rate_action(tables, trial, action, seat, scratch)

    return rate


class GreedyBot(RetakesKernels):
    """Plays the best-rated action; ties are broken at random."""

    name = "greedy"
    needs_observations = False
    needs_states = True

    @checked
    def __init__(self, game: Game, seed: int = 0) -> None:
        self._game = game
        self._rate = greedy_kernel(game.rules)
        self._trial = game.empty(2)  # the position, and a copy to play on
        self._scratch = np.zeros(game.num_actions, np.int8)
        self.seed(seed)

    def _kernels_of_game(self) -> dict[str, Any]:
        return {"_rate": greedy_kernel(self._game.rules)}

    def seed(self, seed: int) -> None:
        """Seed the rng that breaks ties."""
        self._rng = np.random.default_rng(check_seed(seed))

    def values(self, masks: Mask, states: Games) -> Floats:
        """Return the rating of each action, float32 ``[n, num_actions]``.

        Illegal actions are -inf.
        """
        return self._values(*check_act(self._game, self.name, masks, states))

    def _values(self, masks: Mask, states: Games) -> Floats:
        found: Floats = np.empty(masks.shape, np.float32)
        self._rate(self._game.tables, states, masks, self._trial, self._scratch, found)
        return found

    def act(self, observations: Floats | None, masks: Mask, states: Games | None) -> Actions:
        """Return the best-rated legal action of every row; needs ``states``."""
        masks, states = check_act(self._game, self.name, masks, states)
        return self._choose(self._values(masks, states))

    def choose(self, values: Floats) -> Actions:
        """Return the action with the highest value of every row; ties are broken at random."""
        return self._choose(
            check_rows(f"{self.name}: values", values, self._game.num_actions, FLOAT32)
        )

    def _choose(self, values: Floats) -> Actions:
        best = values == values.max(axis=1, keepdims=True)
        return np.asarray((best * (1.0 + self._rng.random(values.shape))).argmax(axis=1), np.int64)
