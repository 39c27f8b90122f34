"""What the held-out bots know about one game, and how it is found by the game's rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from sprawl_env.core import registry
from sprawl_env.core.errors import UnknownName
from sprawl_env.core.rules import GameRules
from sprawl_env.kernels.compile import kernel

Numbers: TypeAlias = npt.NDArray[np.float64]
GAMES: Final = ("tower_up", "ginkgopolis", "urban_sprawl")


@dataclass(frozen=True, eq=False)
class RuleBook:
    """The rules of ``heldout:rules`` for one game.

    Attributes:
        rules: their names, the first one is asked first.
        propose: the kernel ``(tables, games, g, mask, rule) -> action`` that asks rule number
            ``rule``; its answer may be illegal or ``NO_ACTION``, then the next rule is asked.  It
            only reads ``games[g]``, and there only what the seat to play knows.
    """

    rules: tuple[str, ...]
    propose: Callable[..., int]

    @classmethod
    def of(cls, rules: Iterable[Enum], propose: Callable[..., int]) -> RuleBook:
        """Return the book of some rules, which are called as the members are, in words."""
        return cls(tuple(rule.name.lower().replace("_", " ") for rule in rules), propose)


@dataclass(frozen=True, eq=False)
class Look:
    """The look of ``heldout:features`` at one game.

    Attributes:
        weights: what a unit of each feature is worth, in points, in the order of the features.
        rate: the kernel ``(tables, games, action, seat, mask, features, weights) -> rating`` of a
            legal action of ``games[0]``, whose hidden part is re-dealt.  ``games[1]``,
            ``games[2]``, ``mask`` and ``features``, float64 ``[num_features]``, are overwritten.
    """

    weights: Mapping[str, float]
    rate: Callable[..., float]


@kernel
def weighted(features: Numbers, weights: Numbers) -> float:
    """Return the sum of a position's features, each times its weight."""
    total = 0.0
    for k in range(weights.size):
        total += weights[k] * features[k]
    return total


def part_for(rules: GameRules, bot: str, name: str) -> Any:
    """Return what a held-out bot knows about a game.

    Args:
        rules: the rules of the game.
        bot: the bot's name, for the message.
        name: of the object in the game's module, e.g. ``rules:BOOK``.

    Raises:
        UnknownName: the bot does not play the game; the message lists those that it plays.
    """
    if rules.name not in GAMES or not registry.is_registered(rules):
        raise UnknownName(f"bot {bot!r} plays {', '.join(GAMES)}, not {rules.name!r}")
    module, _, inside = name.partition(":")
    return registry.import_object(f"{__package__}.{rules.name}_{module}:{inside}", "held-out bot")
