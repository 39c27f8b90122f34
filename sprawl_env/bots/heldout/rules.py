"""The bot ``heldout:rules``: the first rule that proposes a legal action decides."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from sprawl_env.bots.heldout.books import RuleBook, part_for
from sprawl_env.bots.protocol import check_act
from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import check_seed
from sprawl_env.core.game import Game
from sprawl_env.core.retaken import RetakesKernels
from sprawl_env.core.rules import GameRules
from sprawl_env.core.state import Games, Tables, plain
from sprawl_env.kernels.arrays import Floats, Index, Mask
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.masks import NO_ACTION, draw, new_generators
from sprawl_env.kernels.sources import kernels_label

NAME = "heldout:rules"
ANY = "any legal action"


def book_of(rules: GameRules) -> RuleBook:
    """Return the rule book for a game.

    Raises:
        UnknownName: there is none.
    """
    return part_for(rules, NAME, "rules:BOOK")  # type: ignore[no-any-return]  # it is a RuleBook


@functools.cache
def rules_kernel(rules: GameRules) -> Callable[..., None]:
    """Return the kernel that asks the rules of a game, one after the other, for a batch."""
    book = book_of(rules)
    propose, count = book.propose, len(book.rules)

    @kernel(label=f"{rules.label} {kernels_label(propose)}")
    def answer(
        tables: Tables, games: Games, masks: Mask, generator: Games, actions: Index, asked: Index
    ) -> None:
        for k in range(games.size):
            actions[k] = NO_ACTION
            for rule in range(count):
                action = propose(tables, games, k, masks[k], rule)
                if action != NO_ACTION and masks[k, action]:
                    actions[k] = action
                    asked[k] = rule
                    break
            if actions[k] == NO_ACTION:
                actions[k] = draw(masks[k], generator, 0)
                asked[k] = count

    return answer


class RulesBot(RetakesKernels):
    """Plays by the rule book of the game (``RuleBook``).

    It never moves a piece to see what happens, and reads only what its seat knows.  If no rule
    proposes a legal action, it plays any legal action, from its own generator.

    Args:
        game: the game that it plays.
        seed: of the generator.

    Raises:
        UnknownName: there are no rules for the game.
    """

    name = NAME
    needs_observations = False
    needs_states = True

    @checked
    def __init__(self, game: Game, seed: int = 0) -> None:
        self._answer = rules_kernel(game.rules)
        self._names = (*book_of(game.rules).rules, ANY)
        self._game = game
        self.seed(seed)

    def _kernels_of_game(self) -> dict[str, Any]:
        return {"_answer": rules_kernel(self._game.rules)}

    def seed(self, seed: int) -> None:
        """Seed the generator; the same seed and the same calls give the same actions."""
        self._generator = plain(new_generators(1, check_seed(seed)))

    def act(self, observations: Floats | None, masks: Mask, states: Games | None) -> Index:
        """Return the action of the first rule that proposes a legal one, int64 ``[n]``."""
        return self._ask(masks, states)[0]

    def explain(self, masks: Mask, states: Games) -> list[str]:
        """Return the name of the rule that decides each row, of ``n`` rows as of ``act``."""
        kept = self._generator.copy()
        asked = self._ask(masks, states)[1]
        self._generator = kept
        return [self._names[rule] for rule in asked.tolist()]

    def _ask(self, masks: Mask, states: Games | None) -> tuple[Index, Index]:
        masks, states = check_act(self._game, self.name, masks, states)
        actions, asked = np.empty(len(masks), np.int64), np.empty(len(masks), np.int64)
        self._answer(self._game.tables, plain(states), masks, self._generator, actions, asked)
        return actions, asked
