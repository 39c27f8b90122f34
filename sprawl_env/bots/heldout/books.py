"""What the held-out bots know about one game, and how it is found by the game's rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sprawl_env.core import registry
from sprawl_env.core.errors import UnknownName
from sprawl_env.core.rules import GameRules

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
