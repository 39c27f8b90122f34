"""Play one game between untrusted bots: a bot that fails forfeits, with the reason.

A seat forfeits if its bot cannot be made, raises an exception, or returns anything but one legal
action.  The game ends at once: the other seats share the victory equally and rank before the seat
that forfeits, and there are no scores.  Games in worker processes have two more reasons for a
forfeit: a bot that takes too long, and one whose process dies.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing import parent_process
from typing import Any, Final, TypeGuard, TypeVar

import numpy as np
import numpy.typing as npt

from sprawl_env.arena.workers import Watch
from sprawl_env.bots.analysis import searches
from sprawl_env.bots.names import as_bot
from sprawl_env.bots.protocol import Bot, ask, check_bot, seat_seed
from sprawl_env.bots.user import in_words
from sprawl_env.core.arguments import checked
from sprawl_env.core.errors import IllegalAction, InvalidOption, SprawlError, short
from sprawl_env.core.game import Game
from sprawl_env.core.state import NOBODY, NOT_OVER, TRUNCATED, clone, digest
from sprawl_env.kernels.arrays import Ints

T = TypeVar("T")
FEWEST_SEATS: Final = 2  # then every side is a seat
ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}")  # differs from run to run


@dataclass(frozen=True)
class Forfeit:
    """Which seat forfeits a game, and why; ``ply`` is the number of decisions made before."""

    seat: int
    ply: int
    reason: str


@dataclass(frozen=True)
class Outcome:
    """How a game ended; every tuple has one entry a seat.

    Attributes:
        shares: 1 for the winner, shared victories shared.
        ranks: from 1, ties averaged.
        scores: final points; None after a forfeit, like ``turns``, ``plies`` and ``final``.
        truncated: cut off at a turn limit.
        final: digest of the last state.
    """

    shares: tuple[float, ...]
    ranks: tuple[float, ...]
    scores: tuple[int, ...] | None = None
    turns: int | None = None
    plies: int | None = None
    truncated: bool = False
    final: str | None = None
    forfeit: Forfeit | None = None


@dataclass(frozen=True)
class Match:
    """One game as it was played.

    Attributes:
        outcome: how it ended.
        seconds: wall-clock time of each seat's decisions.
        decisions: the number of each seat's decisions.
        actions: all actions, in order.
        visits: for every action a search's visits, in the order of the legal actions' ids, or ();
            nothing at all if they were not asked for.
    """

    outcome: Outcome
    seconds: tuple[float, ...]
    decisions: tuple[int, ...]
    actions: tuple[int, ...]
    visits: tuple[tuple[float, ...], ...] = ()


def forfeited(num_seats: int, forfeit: Forfeit) -> Outcome:
    """Return the outcome of a game with two or more seats, one of which forfeits."""
    others = num_seats - 1
    mine = np.arange(num_seats) == forfeit.seat
    shares = np.where(mine, 0.0, 1.0 / others)
    ranks = np.where(mine, float(num_seats), (1 + others) / 2)
    return Outcome(tuple(shares.tolist()), tuple(ranks.tolist()), forfeit=forfeit)


def shares_and_ranks(standings: Ints) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the shares of the victory and the ranks from 1, ties averaged.

    Args:
        standings: ``[seats]``, larger is better, equal is shared.
    """
    better = (standings[None, :] > standings[:, None]).sum(axis=1)
    level = (standings[None, :] == standings[:, None]).sum(axis=1)
    first = better == 0
    shares: npt.NDArray[np.float64] = first / first.sum()
    ranks: npt.NDArray[np.float64] = 1 + better + (level - 1) / 2
    return tuple(shares.tolist()), tuple(ranks.tolist())


def nobody_watches(seat: int, ply: int) -> None:
    """Do nothing."""


class _Forfeited(Exception):
    """Carries a forfeit out of the game."""

    def __init__(self, forfeit: Forfeit) -> None:
        super().__init__(forfeit.reason)
        self.forfeit = forfeit


def _guarded(seat: int, ply: int, name: str, watch: Watch, work: Callable[[], T]) -> T:
    """Run a seat's bot; an exception that it raises is its forfeit."""
    watch(seat, ply)
    try:
        return work()
    except BaseException as error:  # a user's code may raise anything, SystemExit too
        if isinstance(error, KeyboardInterrupt) and parent_process() is None:
            raise  # the user stops the program; a worker ignores Ctrl-C, so there it is the bot's
        if isinstance(error, IllegalAction):
            reason = f"illegal action: {str(error).removeprefix(f'bot {name}: ')}"
        elif isinstance(error, SprawlError):
            reason = str(error)
        else:
            reason = f"raised {in_words(error)}"
        reason = ADDRESS.sub("0x...", reason)
        raise _Forfeited(Forfeit(seat, ply, reason)) from None
    finally:
        watch(NOBODY, ply)


def _makes(maker: Any) -> TypeGuard[Callable[[], Bot]]:
    """Return whether a maker is a function, and no bot."""
    return callable(maker) and not hasattr(maker, "act")


def _seated(game: Game, maker: str | Bot | type[Bot] | Callable[[], Bot], seed: int) -> Bot:
    """Return the bot of a seat; its name, class or instance is not a function that makes it."""
    if isinstance(maker, str | type):
        return as_bot(maker, game, seed, "makers")
    return check_bot("makers", maker() if _makes(maker) else maker)


@checked
def play_game(
    game: Game,
    makers: Sequence[str | Bot | type[Bot] | Callable[[], Bot]],
    seed: int,
    watch: Watch = nobody_watches,
    keep_visits: bool = False,
) -> Match:
    """Play one game dealt from ``(seed, 0)``; never raises because of a bot.

    Args:
        game: the game, with two or more seats.
        makers: for each seat a bot, as a name, an instance or a class
            (:func:`~sprawl_env.bots.names.as_bot`), or a function that makes one.
        seed: of the deal.
        watch: called with ``(seat, ply)`` before a bot is made or decides, and with
            ``(NOBODY, ply)`` after.
        keep_visits: whether the match has what the searches among the bots considered.

    Raises:
        InvalidOption: the game has a single seat, there is not one maker a seat, one is neither a
            bot nor a function, or an argument is of another type.
    """
    if game.num_seats < FEWEST_SEATS:
        raise InvalidOption(
            f"play_game: {game.name}: expected {FEWEST_SEATS} or more seats, got {game.num_seats}"
        )
    if isinstance(makers, str):
        raise InvalidOption(f"makers={short(makers)}: expected a list, one a seat")
    if len(makers) != game.num_seats:
        raise InvalidOption(f"makers: expected {game.num_seats}, one a seat, got {len(makers)}")
    for maker in makers:
        if not isinstance(maker, str | type) and not _makes(maker):
            check_bot("makers", maker)
    games = game.deal(1, seed)
    only = np.zeros(1, np.int64)
    unseen = np.zeros((1, 0), np.float32)
    masks = np.zeros((1, game.num_actions), np.int8)
    seconds, decisions = [0.0] * game.num_seats, [0] * game.num_seats
    actions: list[int] = []
    visits: list[tuple[float, ...]] = []

    def result(outcome: Outcome) -> Match:
        kept = tuple(visits[: len(actions)]) if keep_visits else ()
        return Match(outcome, tuple(seconds), tuple(decisions), tuple(actions), kept)

    def answer(bot: Bot, seen: npt.NDArray[np.float32]) -> int:
        """Return a bot's action, and note what it considered."""
        if keep_visits and searches(bot):
            found = bot.analyse(masks[0].copy(), clone(games))
            visits.append(found.visits_by_id())
            return int(found.actions[0])
        visits.append(())
        return int(ask(bot, game, games, only, seen, masks)[0])

    def decide(seat: int, bot: Bot) -> int:
        game.legal_actions(games, 0, masks[0])
        seen = game.observe(games, 0, seat)[None] if bot.needs_observations else unseen
        started = time.perf_counter()
        try:
            return _guarded(
                seat,
                len(actions),
                bot.name,
                watch,
                lambda: answer(bot, seen),
            )
        finally:
            seconds[seat] += time.perf_counter() - started
            decisions[seat] += 1

    try:
        bots = [
            _guarded(seat, 0, "", watch, partial(_seated, game, maker, seat_seed(seed, seat)))
            for seat, maker in enumerate(makers)
        ]
        while games["over"][0] == NOT_OVER:
            seat = int(games["to_play"][0])
            actions.append(decide(seat, bots[seat]))
            game.kernels.play(game.tables, games, 0, actions[-1])
    except _Forfeited as left:
        return result(forfeited(game.num_seats, left.forfeit))
    return result(
        Outcome(
            *shares_and_ranks(game.standings(games, 0)),
            scores=tuple(game.scores(games, 0).tolist()),
            turns=int(games["turn"][0]),
            plies=int(games["ply"][0]),
            truncated=bool(games["over"][0] == TRUNCATED),
            final=digest(games),
        )
    )
