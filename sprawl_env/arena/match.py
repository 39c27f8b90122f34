"""Play one game between agents nobody need trust: whoever breaks it off forfeits, with the reason.

A seat forfeits when its agent cannot be made, raises, or answers anything but one legal action.
The game is not played on: the other seats share the victory equally and rank before it, and there
are no scores.  (Who plays games in worker processes adds two reasons: an agent that stalls, and
one whose process dies.)
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sprawl_env.bots.protocol import Bot, ask
from sprawl_env.bots.user import in_words
from sprawl_env.core.errors import IllegalAction, SprawlError
from sprawl_env.core.game import Game
from sprawl_env.core.state import NOBODY, NOT_OVER, TRUNCATED, digest
from sprawl_env.kernels.arrays import Ints

T = TypeVar("T")
Watch = Callable[[int, int], None]
ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}")  # differs from run to run


@dataclass(frozen=True)
class Forfeit:
    """Why a game was broken off, and by whom; ``ply`` counts the decisions made before."""

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
    """A game as it went.

    Attributes:
        seconds: wall-clock time that each seat's decisions took.
        decisions: how many each seat made.
        actions: all actions, in order.
    """

    outcome: Outcome
    seconds: tuple[float, ...]
    decisions: tuple[int, ...]
    actions: tuple[int, ...]


def forfeited(num_seats: int, forfeit: Forfeit) -> Outcome:
    """Return the outcome of a game that a seat broke off."""
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
    """Take no notice."""


class _BrokenOff(Exception):
    """Carries a forfeit out of the game."""

    def __init__(self, forfeit: Forfeit) -> None:
        super().__init__(forfeit.reason)
        self.forfeit = forfeit


def _guarded(seat: int, ply: int, name: str, watch: Watch, work: Callable[[], T]) -> T:
    """Do what a seat's agent is asked for; whatever it raises is its forfeit."""
    watch(seat, ply)
    try:
        return work()
    except BaseException as error:  # anybody's code may raise anything, SystemExit too
        if isinstance(error, IllegalAction):
            reason = f"illegal action: {str(error).removeprefix(f'agent {name}: ')}"
        elif isinstance(error, SprawlError):
            reason = str(error)
        else:
            reason = f"raised {in_words(error)}"
        reason = ADDRESS.sub("0x...", reason)
        raise _BrokenOff(Forfeit(seat, ply, reason)) from None
    finally:
        watch(NOBODY, ply)


def play_game(
    game: Game,
    makers: Sequence[Callable[[], Bot]],
    seed: int,
    watch: Watch = nobody_watches,
) -> Match:
    """Play one game dealt from ``(seed, 0)``; never raises for what an agent does.

    Args:
        game: the game; every side must be a seat.
        makers: what makes each seat's agent.
        seed: of the deal.
        watch: told ``(seat, ply)`` before an agent is made or asked, and NOBODY after.
    """
    games = game.deal(1, seed)
    only = np.zeros(1, np.int64)
    unseen = np.zeros((1, 0), np.float32)
    masks = np.zeros((1, game.num_actions), np.int8)
    seconds, decisions = [0.0] * game.num_seats, [0] * game.num_seats
    actions: list[int] = []

    def result(outcome: Outcome) -> Match:
        return Match(outcome, tuple(seconds), tuple(decisions), tuple(actions))

    def decide(seat: int, agent: Bot) -> int:
        game.legal_actions(games, 0, masks[0])
        seen = game.observe(games, 0, seat)[None] if agent.needs_observations else unseen
        started = time.perf_counter()
        try:
            return _guarded(
                seat,
                len(actions),
                agent.name,
                watch,
                lambda: int(ask(agent, game, games, only, seen, masks)[0]),
            )
        finally:
            seconds[seat] += time.perf_counter() - started
            decisions[seat] += 1

    try:
        agents = [_guarded(seat, 0, "", watch, make) for seat, make in enumerate(makers)]
        while games["over"][0] == NOT_OVER:
            seat = int(games["to_play"][0])
            actions.append(decide(seat, agents[seat]))
            game.verbs.play(game.tables, games, 0, actions[-1])
    except _BrokenOff as broken:
        return result(forfeited(game.num_seats, broken.forfeit))
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
