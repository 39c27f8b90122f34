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

from sprawl_env.adapters.rewards import add_change, add_final_rewards, is_dense
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

Index = npt.NDArray[np.int64]

NO_ACTION: Final = -1  # in ``step``: play nothing, only skip forced plies
WORD: Final = 8  # actions of a mask that are counted together
ONES: Final = 0x0101010101010101  # times as many bytes: their sum, in the highest byte
HIGHEST_BYTE: Final = 56
MOST_DEALS: Final = 1000  # in a row that may leave nobody a choice


@dataclass(frozen=True)
class BatchKernels:
    """The kernels of one game.

    ``turn`` plays and looks in one walk over the games, while each one's memory is at hand; it is
    also behind :meth:`step` and :meth:`look`, so that it is compiled but once.

    Attributes:
        deal: ``(tables, games, which, seed, episode)``: deal game ``i`` from ``seed``, ``i`` and
            ``episode[i]``, which is counted up.
        turn: :meth:`step` with ``plays``, then, in games that go on, :meth:`look` with ``looks``:
            ``(tables, games, which, plays, actions, mode, skip_forced, scores, standings,
            rewards, over, mask, looks, observe, rows, observations, masks, to_play)``.
    """

    deal: Callable[..., None]
    turn: Callable[..., None]

    def step(
        self,
        tables: Tables,
        games: Games,
        which: Index,
        actions: Index,
        mode: int,
        skip_forced: bool,
        scores: Ints,
        standings: Ints,
        rewards: Floats,
        over: Mask,
        mask: Mask,
    ) -> None:
        """Play ``actions[k]`` in game ``which[k]``, on while nobody has a choice if asked to.

        Adds to ``rewards[i]`` ``[num_seats]``, overwrites ``over[i]`` and, for games that end,
        ``scores[i]`` and ``standings[i]`` ``[num_sides]``; ``mask`` is scratch.
        """
        self.turn(
            tables, games, which, True, actions, mode, skip_forced, scores, standings, rewards,
            over, mask, False, False, _NO_INDEX, _NO_FLOATS, _NO_MASKS, _NO_INDEX,
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
        self.turn(
            tables, games, which, False, _NO_INDEX, 0, False, _NO_INTS, _NO_INTS, _NO_FLOATS,
            _NO_MASK, _NO_MASK, True, observe, rows, observations, masks, to_play,
        )  # fmt: skip


_NO_INDEX: Final = np.zeros(0, np.int64)
_NO_FLOATS: Final = np.zeros((0, 0), np.float32)
_NO_INTS: Final = np.zeros((0, 0), np.int32)
_NO_MASK: Final = np.zeros(0, np.int8)
_NO_MASKS: Final = np.zeros((0, 0), np.int8)


@functools.cache
def batch_kernels(rules: GameRules) -> BatchKernels:
    """Return the batch kernels of a game."""
    return _make(rules)


def _make(rules: GameRules) -> BatchKernels:
    verbs = rules.verbs
    deal_one, play, legal_actions = verbs.deal, verbs.play, verbs.legal_actions
    observe_one, score_all, stand = verbs.observe, verbs.scores, verbs.standings

    @kernel(label=rules.name)
    def deal(tables: Tables, games: Games, which: Index, seed: int, episode: Index) -> None:
        for i in which:
            deal_one(tables, games, i, combine(combine(seed, i), episode[i]))
            episode[i] += 1

    @kernel(label=rules.name)
    def turn(
        tables: Tables,
        games: Games,
        which: Index,
        plays: bool,
        actions: Index,
        mode: int,
        skip_forced: bool,
        scores: Ints,
        standings: Ints,
        rewards: Floats,
        over: Mask,
        mask: Mask,
        looks: bool,
        observe: bool,
        rows: Index,
        observations: Floats,
        masks: Mask,
        to_play: Index,
    ) -> None:
        for k in range(which.size):
            i = which[k]
            if k + 1 < which.size:
                prefetch(games, which[k + 1])
            action = actions[k] if plays else NO_ACTION
            while plays:
                if action != NO_ACTION:
                    play(tables, games, i, action)
                if not skip_forced or games[i].over != NOT_OVER:
                    break
                legal_actions(tables, games, i, mask)
                action = only_action(mask)
                if action == NO_ACTION:
                    break
            if plays:
                over[i] = games[i].over
                if is_dense(mode):
                    score_all(tables, games, i, standings[i])  # scratch for the new scores
                    add_change(mode, scores[i], standings[i], rewards[i])
                    for side in range(scores.shape[1]):
                        scores[i, side] = standings[i, side]
                if over[i] != NOT_OVER:
                    score_all(tables, games, i, scores[i])
                    stand(tables, games, i, standings[i])
                    add_final_rewards(mode, scores[i], standings[i], rewards[i])
                    continue  # looked at when it is dealt anew
            if looks:
                row = rows[k]
                seat = int(games[i].to_play)
                to_play[row] = seat
                legal_actions(tables, games, i, masks[row])
                if observe and seat != NOBODY:
                    observe_one(tables, games, i, seat, observations[row])

    return BatchKernels(deal, turn)


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
        mask = masks[k]
        count = count_legal(mask)
        out[k] = 0
        if count:
            left = below(generators[k if generators.size > 1 else 0], count)
            out[k] = legal_number(mask, left)


@kernel
def count_legal(mask: Mask) -> int:
    """Return how many actions are legal."""
    count = 0
    for action in range(mask.size):
        count += int(mask[action])
    return count


@kernel
def legal_number(mask: Mask, number: int) -> int:
    """Return the legal action with ``number`` others before it; there are more than that."""
    action, left = 0, number
    if mask.strides[0] == 1:  # an agent may be given any array
        words = mask[: mask.size // WORD * WORD].view(np.int64)
        for k in range(words.size):
            count = (int(words[k]) * ONES >> HIGHEST_BYTE) & 0xFF
            if count > left:
                break
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
