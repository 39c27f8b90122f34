"""Kernels that step a batch of games, made once for each game from its verbs.

The kernels take ``which``, an array of indices into ``games``.  So the same kernel steps a whole
batch, one worker's share of it, or the games that wait for one opponent.  They do not allocate
memory.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from sprawl_env.core.checks import MOST_DEALS
from sprawl_env.core.rewards import WINNER, add_change, add_final_rewards, is_dense
from sprawl_env.core.rules import GameRules
from sprawl_env.core.state import NOBODY, NOT_OVER, Games, Tables
from sprawl_env.kernels.arrays import Floats, Index, Ints, Mask
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.masks import NO_ACTION, draw, new_generators, only_action
from sprawl_env.kernels.prefetch import prefetch
from sprawl_env.kernels.rng import combine
from sprawl_env.kernels.signals import APART, Words, signal, wait_for

POSTED, WHAT, SEED, STUCK = range(4)  # indices of words, see new_orders
DEAL, PLAY, DEAL_ENDED, LOOK, DRAW = (1 << k for k in range(5))  # values of the word WHAT
NO_ORDER: Final = -1

# Arguments that an order does not use.
_NO_INDEX: Final = np.zeros(0, np.int64)
_NO_FLOATS: Final = np.zeros((0, 0), np.float32)
_NO_INTS: Final = np.zeros((0, 0), np.int32)
_NO_MASK: Final = np.zeros(0, np.int8)
_NO_MASKS: Final = np.zeros((0, 0), np.int8)
_NO_GENERATORS: Final = new_generators(0, 0)


@dataclass(frozen=True)
class BatchKernels:
    """The kernel of one game that steps a batch, and methods for its most frequent uses.

    The rules are compiled into one kernel, so they are compiled once.  All work on a game is done
    before the next game, so each game is loaded into the processor's cache once.

    Attributes:
        work: ``(tables, games, which, actions, mode, skip_forced, episode, scores, standings,
            rewards, over, mask, observe, rows, observations, masks, to_play, generators, drawn,
            orders, share)``: execute the order in ``orders``, see :func:`new_orders`.  Game
            ``which[k]`` uses row ``rows[k]`` of ``actions``, ``observations``, ``masks`` and
            ``to_play``; the other arrays are indexed by game.  Share 0 executes one order and
            returns.  The other shares are workers: they wait for orders, execute them, and return
            when no order comes for some time.
    """

    work: Callable[..., None]

    def deal(self, tables: Tables, games: Games, which: Index, seed: int, episode: Index) -> None:
        """Deal games ``which``, each from ``seed``, its index and its ``episode``.

        Increments the games' ``episode``.
        """
        self.work(
            tables, games, which, _NO_INDEX, WINNER, False, episode, _NO_INTS, _NO_INTS,
            _NO_FLOATS, _NO_MASK, _NO_MASK, False, _NO_INDEX, _NO_FLOATS, _NO_MASKS, _NO_INDEX,
            _NO_GENERATORS, _NO_INDEX, new_orders(DEAL, seed), 0,
        )  # fmt: skip

    def step(
        self,
        tables: Tables,
        games: Games,
        which: Index,
        actions: Index,
        mode: int,
        scores: Ints,
        standings: Ints,
        rewards: Floats,
        over: Mask,
    ) -> None:
        """Play ``actions[k]`` in game ``which[k]``.

        For each game ``i``, adds to ``rewards[i]`` ``[num_seats]`` and overwrites ``over[i]``.  If
        the game ends, also overwrites ``scores[i]`` and ``standings[i]`` ``[num_sides]``.
        """
        self.work(
            tables, games, which, actions, mode, False, _NO_INDEX, scores, standings,
            rewards, over, _NO_MASK, False, np.arange(which.size), _NO_FLOATS, _NO_MASKS, _NO_INDEX,
            _NO_GENERATORS, _NO_INDEX, new_orders(PLAY), 0,
        )  # fmt: skip

    def look(
        self,
        tables: Tables,
        games: Games,
        which: Index,
        observe: bool,
        rows: Index,
        observations: Floats,
        masks: Mask,
        to_play: Index,
    ) -> None:
        """Write the observation and mask of the seat to play in game ``which[k]``.

        Overwrites row ``rows[k]`` of ``observations`` (only if ``observe``), ``masks`` and
        ``to_play``.
        """
        self.work(
            tables, games, which, _NO_INDEX, WINNER, False, _NO_INDEX, _NO_INTS, _NO_INTS,
            _NO_FLOATS, _NO_MASK, _NO_MASK, observe, rows, observations, masks, to_play,
            _NO_GENERATORS, _NO_INDEX, new_orders(LOOK), 0,
        )  # fmt: skip


def new_orders(what: int = 0, seed: int = 0, shares: int = 1) -> Words:
    """Return the words through which :attr:`BatchKernels.work` is given orders, int64.

    ``[POSTED]`` is the number of the newest order.  ``[done_at(share)]`` is the number of the last
    order that a worker has finished (see :mod:`sprawl_env.adapters.threads`).  ``[WHAT]`` is
    ``DRAW`` or a combination of the other flags:

    - ``DEAL``: deal each game from ``[SEED]``, its index and its ``episode``;
    - ``PLAY``: play an action in each game;
    - ``DEAL_ENDED``: re-deal the games that end by the action;
    - ``LOOK``: write the observation and the mask of the seat to play;
    - ``DRAW``: draw a random legal action for each row.

    ``[STUCK]`` is set to 1 if ``MOST_DEALS`` deals in a row end before a seat has a choice.
    """
    orders: Words = np.zeros(done_at(shares), np.int64)
    orders[WHAT], orders[SEED] = what, seed
    return orders


@functools.cache
def batch_kernels(rules: GameRules) -> BatchKernels:
    """Return the batch kernels of a game."""
    return _make(rules)


def _bookkeeper(rules: GameRules) -> Callable[..., None]:
    """Return the kernel that adds the rewards of a ply."""
    score_all, stand = rules.verbs.scores, rules.verbs.standings

    @kernel(label=rules.label)
    def book(
        tables: Tables,
        games: Games,
        i: int,
        mode: int,
        scores: Ints,
        standings: Ints,
        rewards: Floats,
    ) -> None:
        """Add the rewards of a ply in game ``i``; ``scores`` are the scores before the ply."""
        if is_dense(mode):
            score_all(tables, games, i, standings)  # holds the new scores for now
            add_change(mode, scores, standings, rewards)
            for side in range(scores.size):
                scores[side] = standings[side]
        if games[i].over != NOT_OVER:
            score_all(tables, games, i, scores)
            stand(tables, games, i, standings)
            add_final_rewards(mode, scores, standings, rewards)

    return book


def _make(rules: GameRules) -> BatchKernels:  # noqa: PLR0915 - one kernel, see BatchKernels
    verbs = rules.verbs
    deal_one, play, legal_actions = verbs.deal, verbs.play, verbs.legal_actions
    observe_one, score_all, book = verbs.observe, verbs.scores, _bookkeeper(rules)

    @kernel(label=rules.label)
    def work(
        tables: Tables,
        games: Games,
        which: Index,
        actions: Index,
        mode: int,
        skip_forced: bool,
        episode: Index,
        scores: Ints,
        standings: Ints,
        rewards: Floats,
        over: Mask,
        mask: Mask,
        observe: bool,
        rows: Index,
        observations: Floats,
        masks: Mask,
        to_play: Index,
        generators: Any,
        drawn: Index,
        orders: Words,
        share: int,
    ) -> None:
        number = next_order(orders, share)
        while number != NO_ORDER:
            what, seed = orders[WHAT], orders[SEED]
            if what == DRAW:
                draw_all(which, masks, generators, drawn)
            else:
                for k in range(which.size):
                    i = which[k]
                    if k + 1 < which.size:
                        prefetch(games, which[k + 1])
                    plays, deals = what & PLAY != 0, what & DEAL != 0
                    action = actions[rows[k]] if plays else NO_ACTION
                    left, again = MOST_DEALS, True
                    while again:  # one pass, and another one for each time the game is re-dealt
                        if deals:
                            deal_one(tables, games, i, combine(combine(seed, i), episode[i]))
                            episode[i] += 1
                            left -= 1
                            if is_dense(mode):
                                score_all(tables, games, i, scores[i])
                        while plays or skip_forced:
                            if action != NO_ACTION:
                                play(tables, games, i, action)
                                action = NO_ACTION
                            if not skip_forced or games[i].over != NOT_OVER:
                                break
                            legal_actions(tables, games, i, mask)
                            action = only_action(mask)
                            if action == NO_ACTION:
                                break
                        ended = games[i].over != NOT_OVER
                        if deals:  # rewards of forced plies are added to those of the next step
                            again = skip_forced and ended
                            if again and left == 0:
                                orders[STUCK], again = 1, False
                        elif plays:
                            over[i] = games[i].over
                            if ended or is_dense(mode):
                                book(tables, games, i, mode, scores[i], standings[i], rewards[i])
                            deals = again = ended and what & DEAL_ENDED != 0
                        else:
                            again = False
                    if what & LOOK:
                        seat = int(games[i].to_play)
                        to_play[rows[k]] = seat
                        legal_actions(tables, games, i, masks[rows[k]])
                        if observe and seat != NOBODY:
                            observe_one(tables, games, i, seat, observations[rows[k]])
            number = report(orders, share, number)

    return BatchKernels(work)


@kernel
def draw_all(which: Index, masks: Mask, generators: Any, drawn: Index) -> None:
    """Draw a legal action in rows ``which``, each with the generator of its row."""
    for i in which:
        drawn[i] = draw(masks[i], generators, i)


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
