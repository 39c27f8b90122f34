"""Games and bots as the functions of this package take them: by name, or as objects."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from sprawl_env.bots.names import as_bot, is_ours, name_of
from sprawl_env.bots.protocol import Bot
from sprawl_env.bots.user import UserBot, in_words
from sprawl_env.core import registry
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.game import Game
from sprawl_env.core.rules import GameRules


def as_game(game: str | GameRules | Game, options: Mapping[str, Any]) -> Game:
    """Return a game from its name, import path or rules with options, or a game as it is.

    Raises:
        UnknownName: there is no such game or option.
        InvalidOption: a value is not allowed, or options came with a :class:`Game`.
    """
    return registry.as_game(game, **options)


def game_word(game: Game) -> str:
    """Return the word by which another process finds a game: its name or its import path.

    Raises:
        InvalidOption: no module holds its rules.
    """
    return registry.game_word(game.rules)


def names_of(bots: Sequence[str | Bot | type[Bot]]) -> list[str]:
    """Return the names of bots that are given by name, as instances or as classes.

    Raises:
        InvalidOption: not a list, or two different bots have the same name.
    """
    if isinstance(bots, str):
        raise InvalidOption(f"bots={bots!r}: expected a list of names or bots")
    names = []
    owners: dict[str, str | Bot | type[Bot]] = {}
    for bot in bots:
        name = name_of(bot)
        if name is None:
            called = callable(bot) and not hasattr(bot, "act")
            hint = ": call it first" if called else ""
            raise InvalidOption(f"bots: expected names or bots, got a {type(bot).__name__}{hint}")
        known = owners.setdefault(name, bot)
        if known is not bot and known != bot:
            raise InvalidOption(f"bots: two different bots are named {name!r}: rename one")
        names.append(name)
    return names


def guarded_bot(bot: str | Bot | type[Bot], game: Game, seed: int = 0) -> Bot:
    """Return a bot from its name, class or instance, whose errors are one line.

    A user's instance is wrapped like a user's bot by name.

    Raises:
        SprawlError: there is no such bot, or it does not fit the game or the protocol.
    """
    if isinstance(bot, str | type) or is_ours(type(bot)):
        return as_bot(bot, game, seed, "bots")
    return UserBot.around(bot, game)


def check_instance(name: str, bot: Bot | type[Bot]) -> None:
    """Check that a bot given as an instance or a class can be sent to worker processes.

    Raises:
        InvalidOption: it cannot.
    """
    advice = "give its name instead, e.g. 'module:Class'"
    kind = bot if isinstance(bot, type) else type(bot)
    if kind.__module__ == "__main__" and not hasattr(sys.modules["__main__"], "__file__"):
        raise InvalidOption(
            f"bot {name!r}: worker processes cannot import a class of an interactive session: "
            f"{advice}"
        )
    try:
        pickle.dumps(bot)
    except Exception as error:  # pickling runs the bot's code
        raise InvalidOption(
            f"bot {name!r}: cannot be pickled for worker processes ({in_words(error)}): {advice}"
        ) from None
