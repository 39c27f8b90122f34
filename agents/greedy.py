"""Greedy: tries every legal action on a copy and keeps the one whose position looks best."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from sprawl_env.adapters.batch import new_generators
from sprawl_env.core.errors import UnknownName
from sprawl_env.core.game import Floats, Game, GameRules, Games, Mask, Tables
from sprawl_env.core.kernel import kernel
from sprawl_env.core.rng import below

Actions = npt.NDArray[np.int64]


@functools.cache
def greedy_kernel(rules: GameRules) -> Callable[..., None]:
    """Return the kernel that chooses for a batch, from the game's verbs and heuristic.

    Raises:
        UnknownName: there is no heuristic for the game.
    """
    play = rules.verbs.play
    module = f"agents.heuristics.{rules.name}"
    try:
        value = importlib.import_module(module).value
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise UnknownName(f"agent 'greedy' does not know the game {rules.name!r}") from None

    @kernel(label=rules.name)
    def choose(
        tables: Tables, games: Games, masks: Mask, trial: Games, generator: Any, out: Actions
    ) -> None:
        for k in range(games.size):
            seat = int(games[k].to_play)
            best = -np.inf
            ties = 0
            for action in range(masks.shape[1]):
                if masks[k, action] == 0:
                    continue
                trial[0] = games[k]
                play(tables, trial, 0, action)
                found = value(tables, trial, 0, seat)
                if found > best:
                    best = found
                    ties = 1
                    out[k] = action
                elif found == best:
                    ties += 1
                    if below(generator[0], ties) == 0:
                        out[k] = action

    return choose


class GreedyAgent:
    """One ply of look-ahead by the game's heuristic; ties are broken at random."""

    name = "greedy"
    needs_observations = False
    needs_states = True

    def __init__(self, game: Game, seed: int = 0) -> None:
        self._game = game
        self._choose = greedy_kernel(game.rules)
        self._trial = game.empty(1)
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Start the tie-breaks anew."""
        self._generator = new_generators(1, seed)

    def act(self, observations: Floats | None, masks: Mask, states: Games | None) -> Actions:
        """Choose the best-looking legal action of every row; needs ``states``."""
        if states is None:
            raise ValueError("greedy: act() needs the states")
        actions = np.zeros(len(masks), np.int64)
        self._choose(self._game.tables, states, masks, self._trial, self._generator, actions)
        return actions
