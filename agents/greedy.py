"""Greedy: tries every legal action on a copy and keeps the one whose position looks best."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from sprawl_env.adapters.batch import NO_ACTION
from sprawl_env.core.errors import UnknownName
from sprawl_env.core.game import Floats, Game, GameRules, Games, Mask, Tables
from sprawl_env.core.kernel import kernel

Actions = npt.NDArray[np.int64]


def heuristic_of(rules: GameRules) -> Any:
    """Return the module of a game's heuristic.

    Raises:
        UnknownName: there is none.
    """
    module = f"agents.heuristics.{rules.name}"
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise UnknownName(f"agent 'greedy' does not know the game {rules.name!r}") from None


@functools.cache
def action_rater(rules: GameRules) -> Callable[..., float]:
    """Return the kernel ``(tables, games, action, seat, mask)`` that rates an action.

    It is played from ``games[0]``; ``games[1]`` and ``mask`` are scratch.  A heuristic exports
    ``value(tables, games, g, seat)``, how good a position is after the action, or, where the
    position after it would show what the seat cannot know, ``rate(tables, games, action, seat,
    mask)``, how good an action is.

    Raises:
        UnknownName: there is no heuristic for the game.
    """
    play = rules.verbs.play
    heuristic = heuristic_of(rules)
    if hasattr(heuristic, "rate"):
        rate: Callable[..., float] = heuristic.rate
        return rate
    value = heuristic.value

    @kernel(label=rules.name)
    def rate_action(tables: Tables, games: Games, action: int, seat: int, mask: Mask) -> float:
        games[1] = games[0]
        play(tables, games, 1, action)
        return float(value(tables, games, 1, seat))

    return rate_action


@functools.cache
def best_action(rules: GameRules) -> Callable[..., int]:
    """Return the kernel ``(tables, games, mask, scratch)`` that picks the action it likes best.

    It is one of ``mask``, which has one at least, in ``games[0]``, the first of equals;
    ``games[1]`` and ``scratch`` are scratch.

    Raises:
        UnknownName: there is no heuristic for the game.
    """
    rate_action = action_rater(rules)

    @kernel(label=rules.name)
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
    """Return the kernel that rates every action of a batch, by the game's heuristic.

    Raises:
        UnknownName: there is no heuristic for the game.
    """
    rate_action = action_rater(rules)

    @kernel(label=rules.name)
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


class GreedyAgent:
    """One ply of look-ahead by the game's heuristic; ties are broken at random."""

    name = "greedy"
    needs_observations = False
    needs_states = True

    def __init__(self, game: Game, seed: int = 0) -> None:
        self._game = game
        self._rate = greedy_kernel(game.rules)
        self._trial = game.empty(2)  # the position, and a copy to play on
        self._scratch = np.zeros(game.num_actions, np.int8)
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Start the tie-breaks anew."""
        self._rng = np.random.default_rng(seed)

    def values(self, masks: Mask, states: Games) -> Floats:
        """Return what the heuristic says after each action, float32 ``[n, num_actions]``.

        Illegal actions are -inf.
        """
        found: Floats = np.empty(masks.shape, np.float32)
        self._rate(self._game.tables, states, masks, self._trial, self._scratch, found)
        return found

    def act(self, observations: Floats | None, masks: Mask, states: Games | None) -> Actions:
        """Choose the best-looking legal action of every row; needs ``states``."""
        if states is None:
            raise ValueError("greedy: act() needs the states")
        return self.choose(self.values(masks, states))

    def choose(self, values: Floats) -> Actions:
        """Return the best action of every row, ties broken at random."""
        best = values == values.max(axis=1, keepdims=True)
        return np.asarray((best * (1.0 + self._rng.random(values.shape))).argmax(axis=1), np.int64)
