"""Checks of actions that users and bots pass to adapters.

Kernels trust their input.  Adapters call these functions first, so that a wrong action is one clear
error and does not change the state.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from sprawl_env.core.errors import IllegalAction, InvalidOption
from sprawl_env.core.game import Game
from sprawl_env.core.state import Games
from sprawl_env.kernels.arrays import Index, Mask
from sprawl_env.kernels.masks import first_illegal

MOST_DEALS: Final = 1000  # deals in a row that may end without a choice


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
    """Return a description of a value in one short line."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    return " ".join(repr(value).split())[:80]


def checked_actions(game: Game, games: Games, which: Index, masks: Mask, actions: Any) -> Index:
    """Return ``actions`` as a new int64 array ``[n]`` of legal actions.

    Args:
        game: the game.
        games: the batch, for the error message.
        which: ``[n]``, indices into ``games``.
        masks: int8 ``[n, num_actions]``, 1 = legal.
        actions: the chosen actions, whole numbers ``[n]``.

    Raises:
        IllegalAction: wrong type or shape, or an action is not legal; names the first such game.
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
    """Return the error for options with which every game ends before a seat has a choice."""
    return InvalidOption(
        f"{game.name}: {MOST_DEALS} games in a row ended before there was a choice"
    )
