"""Games and bots as the functions of this package take them: by name, or as objects."""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
from numba.core.dispatcher import Dispatcher

from sprawl_env.bots.names import as_bot, name_of
from sprawl_env.bots.networks import TORCH
from sprawl_env.bots.policy.checkpoint import find
from sprawl_env.bots.protocol import Bot, is_ours, unfit
from sprawl_env.bots.search.bot import checkpoint_of
from sprawl_env.bots.user import UserBot, in_words
from sprawl_env.core.errors import InvalidOption, SprawlError
from sprawl_env.core.files import read_chunks
from sprawl_env.core.game import Game
from sprawl_env.core.provenance import code_digest

CHECKPOINT: Final = "checkpoint:"


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
            hint = ": call it first" if callable(bot) else ""
            if hasattr(bot, "act"):
                hint = "".join(f"; {each}" for each in unfit(bot))
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
    script = getattr(sys.modules["__main__"], "__file__", None)
    if kind.__module__ == "__main__" and (script is None or not Path(script).exists()):
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


def pinned(name: str) -> str:
    """Return the name of a bot with the newest checkpoint in place of a run's folder.

    A run that goes on writes others, and a bot is made many times.

    Raises:
        CheckpointError: there is no checkpoint.
    """
    if name.startswith(CHECKPOINT):
        return _newest(name)  # a path may contain commas
    parts = (part.partition("=") for part in name.split(","))
    return ",".join(f"{key}{equals}{_newest(value)}" for key, equals, value in parts)


def _newest(word: str) -> str:
    """Return the word with the newest checkpoint, if it names one."""
    path = word.removeprefix(CHECKPOINT)
    return f"{CHECKPOINT}{find(Path(path))}" if path and path != word else word


def made_of(name: str, game: Game) -> str:
    """Return 16 hex digits that change with the code and the weights of a bot, which was made.

    They depend on this package's rules and bots, on the game's own files (:func:`content_of_game`),
    on the file of a bot's own module, if it has one that can be read, and on the agents,
    checkpoints and files in the settings.

    Raises:
        InvalidOption: a file in the settings cannot be read.
    """
    words = name.removeprefix(TORCH).partition(",")[0].split(":")[:-1]
    modules = (chunk for word in words for chunk in content_of_module(word))
    return _digest(weights_of(name, game).encode(), *content_of_game(game), *modules)


def _digest(*chunks: bytes) -> str:
    """Return 16 hex digits of this package's rules and bots and of some bytes."""
    digest = hashlib.sha256(code_digest().encode())
    for chunk in chunks:
        digest.update(chunk)
    return digest.hexdigest()[:16]


def made_of_kind(bot: Bot | type[Bot], game: Game) -> str:
    """Return 16 hex digits as :func:`made_of_instance`, whatever the state of the bot."""
    return _digest(*_content_of_kind(bot, game))


def _content_of_kind(bot: Bot | type[Bot], game: Game) -> Iterator[bytes]:
    kind = bot if isinstance(bot, type) else type(bot)
    yield from content_of_game(game)
    yield from content_of_module(kind.__module__)


def made_of_instance(bot: Bot | type[Bot], game: Game) -> str:
    """Return 16 hex digits as :func:`made_of`, of a bot given as an instance or a class.

    They depend on its state and on the file of its class; it can be pickled
    (:func:`check_instance`).  Random generators do not count, as a bot is seeded for each game.
    """
    state = io.BytesIO()
    _Stable(state).dump(bot)
    return _digest(state.getvalue(), *_content_of_kind(bot, game))


class _Stable(pickle.Pickler):
    """Writes the same bytes in every process, where an object is in the same state.

    Numba writes a kernel with a number that each process draws.
    """

    def reducer_override(self, obj: Any) -> Any:
        """Return what stands for an object; ``NotImplemented`` for the usual."""
        if isinstance(obj, Dispatcher):
            function = obj.py_func
            label = getattr(obj, "cache_label", "")
            return str, (f"{function.__module__}.{function.__qualname__} {label}",)
        if isinstance(obj, np.random.Generator | np.random.RandomState | random.Random):
            return str, (type(obj).__name__,)
        return NotImplemented


def content_of_game(game: Game) -> Iterator[bytes]:
    """Yield what a game has of its own: data files in place of the package's, and its module.

    Nothing is yielded for a game of this package with the package's data.
    """
    if game.data_folder is not None:
        for path in sorted(game.data_folder.glob("*.toml")):
            yield path.name.encode()
            yield from read_chunks(path)
    if game.rules.module.partition(".")[0] != __name__.partition(".")[0]:
        yield from content_of_module(game.rules.module)


def content_of_module(name: str) -> Iterator[bytes]:
    """Yield the content of a module's file; nothing if it has none that can be read.

    Of a module in a package the files of the whole package are yielded.
    """
    module = sys.modules.get(name)
    file = getattr(module, "__file__", None)
    if not file:
        return
    package = getattr(module, "__package__", "")
    paths = sorted(Path(file).parent.rglob("*.py")) if package else [Path(file)]
    for path in paths:
        with suppress(OSError):  # e.g. in an archive
            yield from read_chunks(path)


def weights_of(name: str, game: Game) -> str:
    """Return 16 hex digits that change with the agents, checkpoints and files that a bot names.

    Raises:
        InvalidOption: a file in the settings cannot be read.
    """
    digest = hashlib.sha256()
    rest = name.partition(":")[2]
    for part in [rest] if name.startswith(CHECKPOINT) else rest.split(","):
        for text in filter(None, (part, part.partition("=")[2])):
            try:
                for chunk in content_of(text, game):
                    digest.update(chunk)
            except OSError as error:
                raise InvalidOption(f"bot {name!r}: {text}: {error.strerror}") from None
    return digest.hexdigest()[:16]


def content_of(text: str, game: Game) -> Iterator[bytes]:
    """Yield a file's content, or the SHA-256 of the weights of an agent or a checkpoint.

    Nothing is yielded if the text names none of them.

    Raises:
        OSError: the file cannot be read.
    """
    if os.path.isfile(text):
        yield from read_chunks(Path(text))
        return
    for agent in (text, f"{CHECKPOINT}{text}"):
        with suppress(SprawlError):
            yield str(checkpoint_of(agent, game).about["sha256"]).encode()
            return
