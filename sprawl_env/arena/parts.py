"""Matches in parts, which worker processes play, on this machine or on others."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from sprawl_env.arena.engines import Pool, values
from sprawl_env.arena.entrants import check_instance, guarded_bot
from sprawl_env.arena.games import Results, join, play_games
from sprawl_env.arena.workers import Watch, Work, unlimited
from sprawl_env.bots.protocol import Bot
from sprawl_env.core.errors import SprawlError
from sprawl_env.core.game import Game


@dataclass(frozen=True)
class Setup:
    """What a worker needs to play a part; picklable.

    Attributes:
        game: the game.
        names: the bots, one a seat; with one seat any number, which play alone.
        given: the bots as they were given, by name.
        num_games: of each line-up, before it is rounded up to whole rotations.
        seed: of the deals and the bots.
        parts: of each line-up.
    """

    game: Game
    names: tuple[str, ...]
    given: dict[str, str | Bot | type[Bot]]
    num_games: int
    seed: int
    parts: int

    @property
    def line_ups(self) -> list[list[str]]:
        """The bots that play together, for each match."""
        alone = self.game.num_seats == 1
        return [[name] for name in self.names] if alone else [list(self.names)]

    @property
    def total(self) -> int:
        """The number of games of all matches."""
        seats = self.game.num_seats
        return -(-self.num_games // seats) * seats * len(self.line_ups)


def play_part(setup: Setup, task: int, watch: Watch) -> Results | SprawlError:
    """Play a part of a match; the tasks are all parts of the first match, then of the next.

    ``watch`` is not called: no decision has a time limit.

    Returns:
        the results, or the error of a bot.
    """
    match, part = divmod(task, setup.parts)
    line_up = setup.line_ups[match]
    of_all = (part, setup.parts)
    try:
        own = {name: copy.deepcopy(setup.given[name]) for name in line_up}  # as it was given
        made = {name: guarded_bot(bot, setup.game) for name, bot in own.items()}
        bots = [made[name] for name in line_up]
        return play_games(setup.game, bots, setup.num_games, setup.seed, part=of_all)
    except SprawlError as error:
        return error


def begin(setup: Setup) -> Work:
    """Return the function that plays a part in a worker."""
    return partial(play_part, setup)


def play_parts(
    setup: Setup, pool: Callable[..., Pool], advance: Callable[[int], None]
) -> list[Results]:
    """Return the results of every match.

    Args:
        setup: what is played.
        pool: as :func:`~sprawl_env.arena.engines.pool_of` with an engine and its processes.
        advance: called with the number of games finished since the last call.

    Raises:
        InvalidOption: a bot cannot be sent to worker processes.
        WorkerError: the process of a part died several times.
        SprawlError: a bot failed.
    """
    for name, bot in setup.given.items():
        if not isinstance(bot, str):
            check_instance(name, bot)
    found: dict[int, Results] = {}
    count = len(setup.line_ups)

    def name_of(task: int) -> str:
        return " v ".join(dict.fromkeys(setup.line_ups[task // setup.parts]))

    with pool(begin, setup, seconds=unlimited) as workers:
        for task, value in values(workers, range(count * setup.parts), name_of):
            if isinstance(value, SprawlError):
                raise value
            found[task] = value
            advance(len(value.wins))
    each = [range(k * setup.parts, (k + 1) * setup.parts) for k in range(count)]
    return [join([found[task] for task in tasks]) for tasks in each]
