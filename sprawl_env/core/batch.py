"""Kernels that step a batch of games, made once for each game from its own.

The kernels take ``which``, an array of indices into ``games``.  So the same kernel steps a whole
batch, one worker's share of it, or the games that wait for one opponent.  They do not allocate
memory.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from sprawl_env.core.checks import MOST_DEALS
from sprawl_env.core.errors import unknown
from sprawl_env.core.game import Game
from sprawl_env.core.rewards import WINNER, add_change, add_final_rewards, is_dense
from sprawl_env.core.rules import GameRules
from sprawl_env.core.state import NOBODY, NOT_OVER, Games, Tables, plain
from sprawl_env.kernels.arrays import Floats, Index, Ints, Mask
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.masks import NO_ACTION, copy_mask, draw, new_generators, only_action
from sprawl_env.kernels.memory import allocate
from sprawl_env.kernels.prefetch import prefetch
from sprawl_env.kernels.rng import combine
from sprawl_env.kernels.signals import APART, Words, signal, wait_for
from sprawl_env.kernels.stream import stream, to_floats

POSTED, WHAT, SEED, STUCK = range(4)  # indices of words, see new_orders
# Values of the word WHAT.
DEAL, PLAY, DEAL_ENDED, LOOK, OBSERVE, DRAW, REPEAT = (1 << k for k in range(7))
NO_ORDER: Final = -1
NOTHING: Final = 0  # no task
OBSERVATIONS: Final = ("float32", "int8")  # types of observations
MANY: Final = 1 << 20  # numbers of the observations that are written past the processor's caches


class Share(NamedTuple):
    """The part of a batch that one kernel call works on.

    Game ``which[k]`` uses row ``rows[k]`` of ``actions``, ``drawn``, ``generators`` and of the
    arrays of :class:`Views`.

    Attributes:
        number: share 0 executes one order and returns.  The other shares are workers: they wait
            for orders, execute them, and return when no order comes for some time.
        which: int64 ``[k]``, indices of games.
        rows: int64 ``[k]``.
        actions: int64, the action to play, by row.
        drawn: int64, the random action that is drawn, by row.
        generators: for drawing, by row (see :func:`~sprawl_env.kernels.masks.new_generators`).
        mask: int8 ``[num_actions]``, scratch of this share.
        numbers: int8 ``[observation_size]``, scratch of this share for an observation as float32.
        until: int64, by row: with ``REPEAT`` the seat at whose decision a game stops; with
            ``OBSERVE`` the seat that observes a game that is over.
    """

    number: int
    which: Index
    rows: Index
    actions: Index
    drawn: Index
    generators: Any
    mask: Mask
    numbers: Mask
    until: Index


class Results(NamedTuple):
    """What has happened in each game of a batch.

    Attributes:
        scores: int32 ``[n, num_sides]``, points at the end of the last game that ended; with a
            dense reward the points now.
        standings: int32 ``[n, num_sides]``, the ranking at the end of the last game that ended.
        rewards: float32 ``[n, num_seats]``; every ply adds to it.
        over: int8 ``[n]``, the state's field ``over`` after the last ply, before a new deal.
        episode: int64 ``[n]``, number of deals so far.
        finals: records ``[n]``, the last position of the last game that ended; or no records.
        blanks: records ``[n]``, what each game is dealt from: only the option fields are set; or no
            records: every game keeps its options.
    """

    scores: Ints
    standings: Ints
    rewards: Floats
    over: Mask
    episode: Index
    finals: Games
    blanks: Games


class Views(NamedTuple):
    """What the seat to play knows, by row.

    Attributes:
        numbers: int8 ``[rows, observation_size]``, observations; no rows if ``floats`` has them.
        floats: float32 ``[rows, observation_size]``, observations; no rows if ``numbers`` has them.
        scales: float32 ``[observation_size]``, factor from whole numbers to ``floats``.
        masks: int8 ``[rows, num_actions]``, 1 = legal.
        shown: int8 ``[rows, num_actions]``, a copy of ``masks`` for others, who may write to it;
            or no rows.
        to_play: int64 ``[rows]``, the seat.
    """

    numbers: Mask
    floats: Floats
    scales: Floats
    masks: Mask
    shown: Mask
    to_play: Index

    @property
    def observations(self) -> npt.NDArray[Any]:
        """The observations in the type that was chosen."""
        return self.floats if self.floats.shape[0] else self.numbers


# Fields of a share that an order does not use.
_NO_INDEX: Final = np.zeros(0, np.int64)
_NO_MASK: Final = np.zeros(0, np.int8)
_NO_GENERATORS: Final = plain(new_generators(0, 0))


def new_share(which: Index, rows: Index, actions: Index, numbers: Mask = _NO_MASK) -> Share:
    """Return the share of a caller that executes one order, without drawing or forced plies."""
    return Share(0, which, rows, actions, _NO_INDEX, _NO_GENERATORS, _NO_MASK, numbers, _NO_INDEX)


def new_results(
    game: Game, size: int, finals: bool = False, blanks: Games | None = None
) -> Results:
    """Return the results of ``size`` games that have not been dealt.

    Args:
        game: the game.
        size: number of games.
        finals: keep the last positions.
        blanks: records ``[size]`` that games are dealt from; None: games keep their options.
    """
    return Results(
        scores=np.zeros((size, game.num_sides), np.int32),
        standings=np.zeros((size, game.num_sides), np.int32),
        rewards=np.zeros((size, game.num_seats), np.float32),
        over=np.zeros(size, np.int8),
        episode=np.zeros(size, np.int64),
        finals=plain(game.empty(size if finals else 0)),
        blanks=plain(game.empty(0) if blanks is None else blanks),
    )


def new_views(
    game: Game, rows: int, observations: str | None = "float32", shown: bool = False
) -> Views:
    """Return arrays for views.

    Args:
        game: the game.
        rows: number of rows.
        observations: ``"float32"``, ``"int8"``, or None: observations of size 0.
        shown: with a second copy of the masks.

    Raises:
        UnknownName: there is no such type of observations.
    """
    if observations is not None and observations not in OBSERVATIONS:
        raise unknown("type of observations", str(observations), OBSERVATIONS)
    size = 0 if observations is None else game.observation_size
    return Views(
        numbers=allocate((0 if observations == "float32" else rows, size), np.int8),
        floats=allocate((rows if observations == "float32" else 0, size), np.float32),
        scales=game.observation_layout.scales,
        masks=allocate((rows, game.num_actions), np.int8),
        shown=allocate((rows if shown else 0, game.num_actions), np.int8),
        to_play=np.zeros(rows, np.int64),
    )


class BatchKernels:
    """The kernel of one game that steps a batch, and methods for its most frequent uses.

    The rules are compiled into one kernel, so they are compiled once.  All work on a game is done
    before the next game, so each game is loaded into the processor's cache once.

    Attributes:
        work: ``(tables, games, share, mode, skip_forced, results, views, orders)``: execute the
            order in ``orders``, see :func:`new_orders`, in the games of a share.  ``mode`` is the
            reward's.  With ``skip_forced``, plies in which only one action is legal are played.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self.work = _work_kernel(game.rules)
        self._tables = plain(game.tables)
        self._no_results, self._no_views = new_results(game, 0), new_views(game, 0, None)

    def __reduce__(self) -> tuple[type[BatchKernels], tuple[Game]]:
        """Return how to make a copy, which takes the kernel from its game."""
        return BatchKernels, (self._game,)

    def deal(self, games: Games, which: Index, seed: int, mode: int, results: Results) -> None:
        """Deal games ``which``, each from ``seed``, its index and its ``results.episode``."""
        share = new_share(which, which, _NO_INDEX)
        self._execute(games, share, mode, results, self._no_views, new_orders(DEAL, seed))

    def step(self, games: Games, which: Index, actions: Index, mode: int, results: Results) -> None:
        """Play ``actions[k]`` in game ``which[k]``; writes to ``results``."""
        share = new_share(which, np.arange(which.size), actions)
        self._execute(games, share, mode, results, self._no_views, new_orders(PLAY))

    def play_round(
        self, games: Games, share: Share, mode: int, results: Results, views: Views
    ) -> None:
        """Play the actions of a share, then random ones until ``share.until``, and observe."""
        what = PLAY | LOOK | REPEAT | OBSERVE
        self._execute(games, share, mode, results, views, new_orders(what))

    def look(
        self,
        games: Games,
        which: Index,
        rows: Index,
        views: Views,
        observe: bool = True,
        last: Index = _NO_INDEX,
    ) -> None:
        """Write what the seat to play in game ``which[k]`` knows to row ``rows[k]``.

        The observation is only written if ``observe``; that of a game that is over only if ``last``
        is given, int64 by row, as seat ``last[row]`` sees it.
        """
        numbers = np.empty(views.scales.size if observe else 0, np.int8)
        share = new_share(which, rows, _NO_INDEX, numbers)._replace(until=last)
        what = LOOK | OBSERVE if observe else LOOK
        self._execute(games, share, WINNER, self._no_results, views, new_orders(what))

    def _execute(
        self, games: Games, share: Share, mode: int, results: Results, views: Views, orders: Words
    ) -> None:
        self.bind(plain(games), share, mode, results, views, orders)()

    def bind(
        self,
        games: Games,
        share: Share,
        mode: int,
        results: Results,
        views: Views,
        orders: Words,
        skip_forced: bool = False,
    ) -> Callable[[], None]:
        """Return a call that executes the order in ``orders`` in the games of a share.

        The call has the arrays themselves, ``games`` as of :func:`~sprawl_env.core.state.plain`.
        """
        fixed = self._tables, games, share, mode, skip_forced, results, views, orders
        return functools.partial(self.work, *fixed)


def new_orders(what: int = 0, seed: int = 0, shares: int = 1) -> Words:
    """Return the words through which :attr:`BatchKernels.work` is given orders, int64.

    ``[POSTED]`` is the number of the newest order.  ``[done_at(share)]`` is the number of the last
    order that a worker has finished (see :mod:`sprawl_env.adapters.threads`).  ``[WHAT]`` is a
    combination of flags, which are executed for each game in this order:

    - ``DRAW``: draw a random action that is legal by the row's mask;
    - ``DEAL``: deal each game from ``[SEED]``, its index and its ``episode``; or
      ``PLAY``: play an action in each game;
    - ``DEAL_ENDED``: re-deal the games that end by the action;
    - ``LOOK``: write the mask of the seat to play;
    - ``REPEAT``, with ``PLAY`` and ``LOOK``: draw and play further actions in the same game, until
      the seat of the share's ``until`` is to play or the game is over;
    - ``OBSERVE``, with ``LOOK``: write the observation of the seat to play.

    ``[STUCK]`` is set to 1 if ``MOST_DEALS`` deals in a row end before a seat has a choice.
    """
    orders: Words = np.zeros(done_at(shares), np.int64)
    orders[WHAT], orders[SEED] = what, seed
    return orders


def _bookkeepers(rules: GameRules) -> tuple[Callable[..., None], Callable[..., None]]:
    """Return the kernels that write the results of a deal and of a ply."""
    score_all, stand = rules.kernels.scores, rules.kernels.standings

    @kernel(label=rules.label)
    def book_deal(tables: Tables, games: Games, i: int, mode: int, results: Results) -> None:
        """Write the results of the deal of game ``i``: its scores only with a dense reward."""
        results.episode[i] += 1
        if is_dense(mode):
            score_all(tables, games, i, results.scores[i])

    @kernel(label=rules.label)
    def book_ply(tables: Tables, games: Games, i: int, mode: int, results: Results) -> None:
        """Write the results of a ply in game ``i`` that ends the game or has a dense reward."""
        scores, standings, rewards = results.scores[i], results.standings[i], results.rewards[i]
        if is_dense(mode):
            score_all(tables, games, i, standings)  # holds the new scores for now
            add_change(mode, scores, standings, rewards)
            for side in range(scores.size):
                scores[side] = standings[side]
        if games[i].over != NOT_OVER:
            score_all(tables, games, i, scores)
            stand(tables, games, i, standings)
            add_final_rewards(mode, scores, standings, rewards)
            if results.finals.shape[0] > 0:
                results.finals[i] = games[i]

    return book_deal, book_ply


@functools.cache
def _work_kernel(rules: GameRules) -> Callable[..., None]:
    """Return :attr:`BatchKernels.work` of a game."""
    deal, play = rules.kernels.deal, rules.kernels.play
    legal_actions, observe = rules.kernels.legal_actions, rules.kernels.observe
    book_deal, book_ply = _bookkeepers(rules)

    @kernel(label=rules.label)
    def work(
        tables: Tables,
        games: Games,
        share: Share,
        mode: int,
        skip_forced: bool,
        results: Results,
        views: Views,
        orders: Words,
    ) -> None:
        number, k, again = next_order(orders, share.number), 0, 0
        while number != NO_ORDER:
            if k == share.which.size:
                number, k = report(orders, share.number, number), 0
                continue
            what, i, row, k = orders[WHAT] | again, share.which[k], share.rows[k], k + 1
            if k < share.which.size and what != DRAW:  # drawing reads no game
                prefetch(games, share.which[k])
            action = share.actions[row] if what & PLAY else NO_ACTION
            if what & DRAW:
                share.drawn[row] = action = draw(views.masks[row], share.generators, row)
            task, left = what & (DEAL | PLAY), MOST_DEALS
            while task:
                if task == DEAL:
                    take_options(games, i, results.blanks)
                    deal(tables, games, i, combine(combine(orders[SEED], i), results.episode[i]))
                    book_deal(tables, games, i, mode, results)
                    left -= 1
                forced = action != NO_ACTION or task == DEAL
                while forced:  # the action, then the plies without a choice
                    if action != NO_ACTION:
                        play(tables, games, i, action)
                    action = NO_ACTION
                    if skip_forced and games[i].over == NOT_OVER:
                        legal_actions(tables, games, i, share.mask)
                        action = only_action(share.mask)
                    forced = action != NO_ACTION
                ended = games[i].over != NOT_OVER
                if task == PLAY:  # forced plies after a deal are booked with the next step
                    results.over[i] = games[i].over
                    if ended or is_dense(mode):
                        book_ply(tables, games, i, mode, results)
                task = next_task(task, what, ended, skip_forced)
                if task and left == 0:
                    orders[STUCK], task = 1, NOTHING
            if what & LOOK:
                seat = int(games[i].to_play)
                legal_actions(tables, games, i, views.masks[row])
                show(views, row, seat)
                again, k = plays_on(what, seat, share.until, row, k)
                seat = who_observes(what, again, seat, share.until, row)
                if seat != NOBODY:
                    numbers = share.numbers if views.floats.shape[0] > 0 else views.numbers[row]
                    observe(tables, games, i, seat, numbers)
                    convert(numbers, views, row)

    return work


@kernel
def plays_on(what: int, seat: int, until: Index, row: int, k: int) -> tuple[int, int]:
    """Return ``DRAW`` if the same game is to be played on, otherwise 0; and the game's number."""
    if what & REPEAT and seat != NOBODY and seat != until[row]:
        return DRAW, k - 1
    return 0, k


@kernel
def who_observes(what: int, again: int, seat: int, until: Index, row: int) -> int:
    """Return the seat whose observation is to be written; ``NOBODY``: none."""
    if again or not what & OBSERVE:
        return NOBODY
    return int(until[row]) if seat == NOBODY and until.size > 0 else seat


@kernel
def take_options(games: Games, i: int, blanks: Games) -> None:
    """Give game ``i`` the options of its next deal, if they may have changed."""
    if blanks.shape[0] > 0:
        games[i] = blanks[i]


@kernel
def show(views: Views, row: int, seat: int) -> None:
    """Write who is to play; copy the mask to where others may write, if that is wanted."""
    views.to_play[row] = seat
    if views.shown.shape[0] > 0:
        copy_mask(views.masks[row], views.shown[row])


@kernel
def convert(numbers: Mask, views: Views, row: int) -> None:
    """Write an observation as float32, if that is wanted."""
    if views.floats.size > MANY:
        stream(numbers, views.scales, views.floats[row])
    elif views.floats.shape[0] > 0:
        to_floats(numbers, views.scales, views.floats[row])


@kernel
def next_task(task: int, what: int, ended: bool, skip_forced: bool) -> int:
    """Return what is next in a game after an action or a deal: another deal, or nothing."""
    again = what & DEAL_ENDED != 0 if task == PLAY else skip_forced
    return DEAL if ended and again else NOTHING


@kernel
def done_at(share: int) -> int:
    """Return the index of the word in which worker ``share`` reports its last finished order."""
    return share * APART


@kernel
def next_order(orders: Words, share: int) -> int:
    """Return the number of the order to execute; ``NO_ORDER`` if none comes for some time."""
    if share == 0:  # runs in the thread that gives the orders
        return int(orders[POSTED])
    number = int(orders[done_at(share)]) + 1
    return number if wait_for(orders, POSTED, number) else NO_ORDER


@kernel
def report(orders: Words, share: int, number: int) -> int:
    """Report a finished order; return the number of the next one as :func:`next_order` does."""
    if share == 0:
        return NO_ORDER
    signal(orders, done_at(share), number)
    return next_order(orders, share)
