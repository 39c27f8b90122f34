"""Users' own bots, by import path (``module:Class``), as classes or as instances.

The class is called as ``Class(game, seed)``, with the settings of the name as keywords, and must
satisfy the ``Bot`` protocol.  The bot plays
behind :class:`UserBot`, which resamples what its seat cannot know.  The bot gets its own copy of
the game, so changes to it do not affect others.  It runs in this process: the wrapper prevents
mistakes, it is not a sandbox for hostile code.
"""

from __future__ import annotations

import copy
import functools
import inspect
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from sprawl_env.bots.protocol import Bot, check_masks, check_states, unfit
from sprawl_env.bots.settings import check_keywords, split_name
from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import check_seed
from sprawl_env.core.errors import SprawlError, unknown
from sprawl_env.core.game import Game
from sprawl_env.core.registry import find_module
from sprawl_env.core.state import Games, clone
from sprawl_env.kernels.arrays import Floats, Index, Mask
from sprawl_env.kernels.rng import combine

T = TypeVar("T")
LONGEST_MESSAGE: Final = 200
NOT_THE_BOTS: Final = ("<frozen", "site-packages")  # in the paths of libraries' code


class BotError(SprawlError):
    """A user's bot that cannot be imported or made, does not fit the protocol, or raises."""


def in_words(error: BaseException) -> str:
    """Return an exception as ``Type: message (file, line)``, one line of moderate length."""
    try:
        message = " ".join(str(error).split())[:LONGEST_MESSAGE]
    except Exception:  # the exception's own __str__ may raise
        message = ""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [f for f in frames if not any(part in f.filename for part in NOT_THE_BOTS)]
    where = f" ({Path(theirs[-1].filename).name}, line {theirs[-1].lineno})" if theirs else ""
    return f"{type(error).__name__}: {message}".removesuffix(": ") + where


def trying(name: str, what: str, work: Callable[[], T]) -> T:
    """Run a bot's code; an exception that it raises becomes a BotError."""
    try:
        return work()
    except (KeyboardInterrupt, BotError):  # a BotError is in words already
        raise
    except BaseException as error:  # a user's code may raise anything, SystemExit too
        raise BotError(f"bot {name!r}: {what} raised {in_words(error)}") from None


class UserBot:
    """A user's bot behind the protocol; it gets states whose hidden parts are resampled.

    ``redeals_hidden``: the resampling is done here, from the bot's own seed.

    Args:
        name: ``module:Class``, or ``module:Class,key=value,..`` with keywords of the class.
        game: the game that it plays.
        seed: of the bot, and of the resampling.

    Raises:
        BotError: there is no such bot, or it does not fit the protocol.
        UnknownName: the class has no such keyword.
    """

    redeals_hidden = True

    @checked
    def __init__(self, name: str, game: Game, seed: int = 0) -> None:
        path, settings = split_name(name)
        make = import_made(name, path)
        if settings:
            check_keywords(path, make, settings, given=2)
        self._make(name, path.partition(":")[2], partial(make, **settings), game, seed)

    def _make(
        self, name: str, called: str, make: Callable[..., Any], game: Game, seed: int
    ) -> None:
        """Call a user's class and wrap its instance."""
        what, own = f"{called}(game, seed)", _own_game(name, game, repr(game.accepted))
        self._wrap(name, trying(name, what, lambda: make(own, seed)), game, own)
        self._start(seed)

    @classmethod
    @checked
    def around(cls, bot: Bot, game: Game) -> UserBot:
        """Return a wrapper around an instance of a user's bot.

        Raises:
            BotError: it does not fit the protocol.
        """
        name = getattr(bot, "name", type(bot).__name__)
        made = cls.__new__(cls)
        made._wrap(name if isinstance(name, str) else type(bot).__name__, bot, game)
        made._start(0)
        return made

    def _wrap(self, name: str, bot: Bot, game: Game, own: Game | None = None) -> None:
        _check(name, bot)
        self._bot, self._own = bot, own
        self.name = name
        self.needs_observations = bot.needs_observations
        self.needs_states = bot.needs_states
        self._game = game

    def _start(self, seed: int) -> None:
        self._seed = combine(check_seed(seed), 0)
        self._redeals = 0

    @checked
    def seed(self, seed: int) -> None:
        """Restart the bot's random numbers, and those of the resampling."""
        self._start(seed)
        trying(self.name, "seed()", lambda: self._bot.seed(seed))

    def act(self, observations: Floats | None, masks: Mask, states: Games | None) -> Index:
        """Return the bot's actions; it sees a copy of ``states``.

        What its seats cannot know is resampled there.

        Raises:
            BotError: the bot raised an exception.
            InvalidOption: the masks or states are not those of the game.
        """
        called = f"bot {self.name!r}"
        masks = check_masks(self._game, called, masks)
        if states is not None:
            check_states(self._game, called, masks, states)
            self._accept()
            states = clone(states)
            for k in range(len(states)):
                seed = combine(self._seed, self._redeals)
                self._game.redeal_hidden(states, k, seed, int(states["to_play"][k]))
                self._redeals += 1
        return trying(self.name, "act()", lambda: self._bot.act(observations, masks, states))

    def _accept(self) -> None:
        """Let the bot's copy of the game take what the game takes by now: further options."""
        if self._own is not None and self._own.accepted != self._game.accepted:
            vars(self._own).update(vars(copy.copy(self._game)))  # with tables of its own


def bot_of(kind: type[Bot], name: str, game: Game, seed: int = 0) -> UserBot:
    """Return a bot of a user's class, called as ``kind(game, seed)``.

    Args:
        kind: the class.
        name: of the bot.
        game: the game that it plays.
        seed: of the bot, and of the resampling.

    Raises:
        BotError: it cannot be made, or does not fit the protocol.
    """
    made = UserBot.__new__(UserBot)
    made._make(name, kind.__name__, kind, game, seed)
    return made


@functools.lru_cache(maxsize=64)
def _own_game(name: str, game: Game, accepted: str) -> Game:
    """Return a copy of the game for the bots of one name, another one when it accepts others."""
    return copy.copy(game)


def import_made(
    name: str, path: str, form: str = "module:Class, e.g. my_bot:MyBot", what: str = "class"
) -> Callable[..., Any]:
    """Return the class or function at an import path; the current folder is searched too.

    Args:
        name: of the bot, for the message.
        path: ``module:Class``.
        form: what is expected, for the message.
        what: what the path names.

    Raises:
        BotError: there is no such module, or what it holds cannot be called.
        UnknownName: the module has classes or functions, but none of that name.
    """
    where, _, inside = path.partition(":")
    if not (all(part.isidentifier() for part in where.split(".")) and inside.isidentifier()):
        raise BotError(f"bot {name!r}: expected {form}")
    module = trying(name, f"importing {where}", lambda: find_module(where))
    if module is None:
        raise BotError(
            f"bot {name!r}: no module {where!r} in the current folder or on Python's path"
        )
    made: Any = getattr(module, inside, None)
    if made is None:
        fits = callable if what != "class" else inspect.isclass
        there = [key for key, value in vars(module).items() if fits(value)]
        if not there:
            raise BotError(f"bot {name!r}: module {where!r} has no {what} {inside!r}, nor any")
        raise unknown(f"{what} of {where}", inside, there)
    if not callable(made):
        raise BotError(f"bot {name!r}: expected a {what}, {inside} is a {type(made).__name__}")
    return made  # type: ignore[no-any-return]  # its result is checked


def _check(name: str, bot: Any) -> None:
    """Raise a BotError if a bot does not fit the protocol."""
    if wrong := unfit(bot):
        raise BotError(f"bot {name!r}: does not fit the Bot protocol: {'; '.join(wrong)}")
