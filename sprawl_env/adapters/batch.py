"""Kernels that walk a batch of games, made once for every game from its verbs; checks of actions.

The kernels work on ``which``, a list of indices into ``games``, so that one kernel serves a whole
batch, a thread's share of it, and the few games that wait for one opponent.  None of them
allocates.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sprawl_env.adapters.rewards import WINNER, add_change, add_final_rewards, is_dense
from sprawl_env.core.bits import lowest
from sprawl_env.core.errors import IllegalAction, InvalidOption
from sprawl_env.core.game import (
    NOBODY,
    NOT_OVER,
    Floats,
    Game,
    GameRules,
    Games,
    Ints,
    Mask,
    Tables,
)
from sprawl_env.core.kernel import kernel
from sprawl_env.core.prefetch import prefetch
from sprawl_env.core.rng import below, combine
from sprawl_env.core.signals import APART, Words, signal, wait_for

Index = npt.NDArray[np.int64]

NO_ACTION: Final = -1  # play nothing, only skip forced plies

# Actions of a mask are counted a word at a time, a byte each; the lowest byte is the first action.
WORD: Final = 8  # bytes; also the bits of one
ONES: Final = 0x0101010101010101  # a byte of a word times this: the sum of the bytes up to it
HIGHEST_BYTE, BYTE = 56, 0xFF
HIGH_BITS: Final = 0x8080808080808080 - (1 << 64)
MOST_WORDS: Final = 255  # that can be added up before a byte runs over
BYTE_BITS: Final = 8
EVEN_BYTES, EVEN_ONES, HIGHEST_PAIR, PAIR = 0x00FF00FF00FF00FF, 0x0001000100010001, 48, 0xFFFF

MOST_DEALS: Final = 1000  # in a row that may leave nobody a choice

POSTED, WHAT, SEED, STUCK = range(4)  # words of orders, see new_orders
NO_ORDER: Final = -1
DEAL, PLAY, DEAL_ENDED, LOOK, DRAW = (1 << k for k in range(5))  # what to do


@dataclass(frozen=True)
class BatchKernels:
    """The kernel of one game that walks a batch, and what it is mostly called for.

    Everything is one kernel, so that a game's rules are compiled into it but once, and each
    game's memory is at hand for all that is to be done with it.

    Attributes:
        work: ``(tables, games, which, actions, mode, skip_forced, episode, scores, standings,
            rewards, over, mask, observe, rows, observations, masks, to_play, generators, drawn,
            orders, share)``: do what ``orders[WHAT]`` says, see :func:`new_orders`.  Game
            ``which[k]`` has row ``rows[k]`` of ``actions``, ``observations``, ``masks`` and
            ``to_play``; the other arrays go by game.  Share 0 does it once; any other waits for
            orders, does its part of each, and returns when there was none for a while.
    """

    work: Callable[..., None]

    def deal(self, tables: Tables, games: Games, which: Index, seed: int, episode: Index) -> None:
        """Deal game ``which[k]`` from ``seed``, its index and its ``episode``, counted up."""
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

        Adds to ``rewards[i]`` ``[num_seats]``, overwrites ``over[i]`` and, for games that end,
        ``scores[i]`` and ``standings[i]`` ``[num_sides]``.
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
        """Write to row ``rows[k]`` what the seat to play in game ``which[k]`` sees and may do."""
        self.work(
            tables, games, which, _NO_INDEX, WINNER, False, _NO_INDEX, _NO_INTS, _NO_INTS,
            _NO_FLOATS, _NO_MASK, _NO_MASK, observe, rows, observations, masks, to_play,
            _NO_GENERATORS, _NO_INDEX, new_orders(LOOK), 0,
        )  # fmt: skip


def new_orders(what: int = 0, seed: int = 0, shares: int = 1) -> Words:
    """Return what tells :attr:`BatchKernels.work` what to do, int64.

    ``[POSTED]`` is the number of the newest order and :func:`done_at` ``(share)`` that of the last
    one a share has done (see :mod:`sprawl_env.adapters.crew`).  ``[WHAT]`` is made of ``DEAL``
    (anew from ``[SEED]``, the game's index and its ``episode``), ``PLAY`` (an action),
    ``DEAL_ENDED`` (deal games that end by it anew at once) and ``LOOK``, or is ``DRAW`` (a random
    action of each row).  ``[STUCK]`` becomes 1 if game after game ends before there is a choice.
    """
    orders: Words = np.zeros(done_at(shares), np.int64)
    orders[WHAT], orders[SEED] = what, seed
    return orders


_NO_INDEX: Final = np.zeros(0, np.int64)
_NO_FLOATS: Final = np.zeros((0, 0), np.float32)
_NO_INTS: Final = np.zeros((0, 0), np.int32)
_NO_MASK: Final = np.zeros(0, np.int8)
_NO_MASKS: Final = np.zeros((0, 0), np.int8)


@functools.cache
def batch_kernels(rules: GameRules) -> BatchKernels:
    """Return the batch kernels of a game."""
    return _make(rules)


def _bookkeeper(rules: GameRules) -> Callable[..., None]:
    """Make the kernel that tells what a ply earned."""
    score_all, stand = rules.verbs.scores, rules.verbs.standings

    @kernel(label=rules.name)
    def book(
        tables: Tables,
        games: Games,
        i: int,
        mode: int,
        scores: Ints,
        standings: Ints,
        rewards: Floats,
    ) -> None:
        """Add what a ply in game ``i`` earned; ``scores`` are those last reported."""
        if is_dense(mode):
            score_all(tables, games, i, standings)  # scratch for the new scores
            add_change(mode, scores, standings, rewards)
            for side in range(scores.size):
                scores[side] = standings[side]
        if games[i].over != NOT_OVER:
            score_all(tables, games, i, scores)
            stand(tables, games, i, standings)
            add_final_rewards(mode, scores, standings, rewards)

    return book


def _make(rules: GameRules) -> BatchKernels:  # noqa: PLR0915 - rules are compiled into it once
    verbs = rules.verbs
    deal_one, play, legal_actions = verbs.deal, verbs.play, verbs.legal_actions
    observe_one, score_all, book = verbs.observe, verbs.scores, _bookkeeper(rules)

    @kernel(label=rules.name)
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
                    while again:  # once, and for a game that ends and is dealt anew once more
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
                        if deals:  # what its opening earned is told with the next step
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
    """Draw a legal action in some rows, each with the generator of the row."""
    for i in which:
        drawn[i] = draw(masks[i], generators, i)


@kernel
def done_at(share: int) -> int:
    """Return where in its orders a share, not the first, says which it has carried out."""
    return share * APART


@kernel
def next_order(orders: Words, share: int) -> int:
    """Return the number of the order to carry out; ``NO_ORDER`` if none came for a while."""
    if share == 0:  # its thread gives them
        return int(orders[POSTED])
    number = int(orders[done_at(share)]) + 1
    return number if wait_for(orders, POSTED, number) else NO_ORDER


@kernel
def report(orders: Words, share: int, number: int) -> int:
    """Say that a share has carried out an order; return the next one's number, as above."""
    if share == 0:
        return NO_ORDER
    signal(orders, done_at(share), number)
    return next_order(orders, share)


@kernel
def only_action(mask: Mask) -> int:
    """Return the single legal action, ``NO_ACTION`` if there are several."""
    if count_legal(mask) != 1:
        return NO_ACTION
    for action in range(mask.size):
        if mask[action]:
            return action
    return NO_ACTION


@kernel
def first_illegal(masks: Mask, actions: Index) -> int:
    """Return the first row whose action is not legal, -1 if all are."""
    for k in range(actions.size):
        action = actions[k]
        if action < 0 or action >= masks.shape[1] or masks[k, action] == 0:
            return k
    return -1


@kernel
def sample(masks: Mask, generators: Any, out: Index) -> None:
    """Draw a legal action of every row, each equally likely; rows without any get 0.

    Args:
        masks: int8 ``[n, num_actions]``.
        generators: records with a field ``rng``, one a row or one for all rows (see
            :func:`new_generators`).
        out: ``[n]``, overwritten.
    """
    for k in range(out.size):
        out[k] = draw(masks[k], generators, k if generators.size > 1 else 0)


@kernel
def draw(mask: Mask, generators: Any, g: int) -> int:
    """Draw one legal action, each equally likely; 0 if there is none."""
    count = count_legal(mask)
    return legal_number(mask, below(generators[g], count)) if count else 0


@kernel
def count_legal(mask: Mask) -> int:
    """Return how many actions are legal."""
    count, done = 0, 0
    if mask.strides[0] == 1:  # an agent may be given any array
        words = mask[: mask.size // WORD * WORD].view(np.int64)
        done = words.size * WORD
        for first in range(0, words.size, MOST_WORDS):
            by_byte = 0
            for k in range(first, min(first + MOST_WORDS, words.size)):
                by_byte += int(words[k])
            by_pair = (by_byte & EVEN_BYTES) + (by_byte >> BYTE_BITS & EVEN_BYTES)
            count += by_pair * EVEN_ONES >> HIGHEST_PAIR & PAIR
    for action in range(done, mask.size):
        count += int(mask[action])
    return count


@kernel
def legal_number(mask: Mask, number: int) -> int:
    """Return the legal action with ``number`` others before it; there are more than that."""
    action, left = 0, number
    if mask.strides[0] == 1:  # an agent may be given any array
        words = mask[: mask.size // WORD * WORD].view(np.int64)
        for k in range(words.size):
            up_to = int(words[k]) * ONES  # its byte j: how many of the word's first j + 1 are legal
            count = up_to >> HIGHEST_BYTE & BYTE
            if count > left:
                beyond = ((up_to | HIGH_BITS) - (left + 1) * ONES) & HIGH_BITS
                return action + lowest(beyond) // WORD
            left -= count
            action += WORD
    while left >= mask[action]:
        left -= int(mask[action])
        action += 1
    return action


def new_generators(count: int, seed: int) -> Any:
    """Return ``count`` independent generators for :func:`sample`, drawn from ``seed``."""
    # ``rng`` is not first: numba warns of records that begin like each other
    generators = np.zeros(count, [("unused", np.int64), ("rng", np.int64)]).view(np.recarray)
    for k in range(count):
        mixed = combine(combine(seed, k), 1)
        generators.rng[k] = mixed % (2**62) + 1
    return generators


_NO_GENERATORS: Final = new_generators(0, 0)


def whole_number(game: Game, action: Any) -> int:
    """Return one action as an int; it may still be out of range.

    Raises:
        IllegalAction: not a whole number.
    """
    number = action.item() if isinstance(action, np.ndarray) and action.ndim == 0 else action
    if not isinstance(number, int | np.integer) or isinstance(number, bool):
        raise IllegalAction(
            f"{game.name}: action: expected a whole number 0..{game.num_actions - 1}, "
            f"got {_short(number)}"
        )
    return int(number)


def _short(value: Any) -> str:
    """Return what a value looks like, in one line."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    return " ".join(repr(value).split())[:80]


def checked_actions(game: Game, games: Games, which: Index, masks: Mask, actions: Any) -> Index:
    """Return one legal action for each of some games, a new int64 array ``[n]``.

    Args:
        game: the game.
        games: the batch, for the error's words.
        which: ``[n]``, indices into ``games``.
        masks: int8 ``[n, num_actions]``, 1 = legal.
        actions: what somebody chose, whole numbers ``[n]``.

    Raises:
        IllegalAction: not such an array, or some action is not legal; names the first such env.
    """
    try:
        given = np.asarray(actions)
    except ValueError:
        given = np.empty(0, object)  # rows of different lengths
    if given.shape != which.shape or given.dtype.kind not in "iu":
        raise IllegalAction(
            f"{game.name}: actions: expected whole numbers of shape ({which.size},), "
            f"got {_short(given)}"
        )
    chosen: Index = given.astype(np.int64, order="C")
    wrong = int(first_illegal(masks, chosen))
    if wrong >= 0:
        i = int(which[wrong])
        raise IllegalAction(f"env {i}: {game.illegal(games, i, int(given[wrong]), masks[wrong])}")
    return chosen


def no_choice_left(game: Game) -> InvalidOption:
    """Return the error for options that end every game before anybody chose anything."""
    return InvalidOption(
        f"{game.name}: {MOST_DEALS} games in a row ended before there was a choice"
    )
