"""What a bot finds out about one position: the legal actions, their visits and their values."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, TypeGuard, runtime_checkable

import numpy as np
import numpy.typing as npt

from sprawl_env.bots.protocol import Bot, check_masks, check_states, is_ours
from sprawl_env.core.checks import as_array
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.game import Game
from sprawl_env.core.state import Games
from sprawl_env.kernels.arrays import Index, Mask


class Analysis(NamedTuple):
    """The legal actions of one position, ``k`` of them, as a bot sees them.

    What ``visits`` and ``values`` are depends on the bot:

    - ``mcts``, ``flat`` and ``search``: ``visits`` (int64) counts the simulations of each action,
      ``values`` is their mean result for the seat, 0..1, where 0.5 is even for two sides; NaN
      without a simulation.
    - ``planner``: ``visits`` (int64) counts the playouts of each action, ``values`` is the mean
      rating of their ends: the seat's points minus those of the best other side (with a network
      that judges the ends, minus the mean of the others'), plus ``victory`` times the reward
      ``winner`` where the game is over; NaN without a playout.
    - a trained policy: ``visits`` (float64) are the probabilities that the policy gives to the
      actions, with the sum 1.  ``values`` is the value of the position by the value network, the
      same number for every action, in units of the reward of the training; NaN without a value
      network.

    Searches and the planner do not search a position with a single legal action: it has one visit
    and no value.

    Attributes:
        actions: int64 ``[k]``, all legal actions; the bot plays the first one.  First is a search's
            most visited action (the best of them; with a temperature the one that was drawn), a
            planner's winner of the last round, a policy's likeliest action.
        visits: ``[k]``, how much the bot considered each action; see the table.
        values: float64 ``[k]``, how good each action is for the seat to play; see the table.
    """

    actions: Index
    visits: npt.NDArray[Any]
    values: npt.NDArray[np.float64]

    def visits_by_id(self) -> tuple[float, ...]:
        """Return the visits in the order of the actions' ids, as a replay keeps them."""
        return tuple(self.visits[np.argsort(self.actions)].tolist())


@runtime_checkable
class Analyst(Bot, Protocol):
    """A bot that explains its decisions: searches, ``planner`` and trained policies."""

    def analyse(self, mask: Mask, state: Games) -> Analysis:
        """Analyse one position for the seat to play.

        What this seat cannot know has no effect: a search re-deals it in each simulation, a policy
        sees the seat's observation.  The call counts as one decision of ``act`` and uses the same
        random numbers: after the same seed and the same decisions, ``act`` plays ``actions[0]``
        (unless it draws from a policy, or has a time limit).

        Args:
            mask: int8 ``[num_actions]``, the legal actions of the state.
            state: the position, records ``[1]``, e.g. ``games[g : g + 1]``.

        Raises:
            InvalidOption: not one record of the bot's game, or ``mask`` is not its legal actions,
                of which there is at least one.
        """
        ...


def searches(bot: Bot) -> TypeGuard[Analyst]:
    """Return whether a bot of this package searches, so that its visits are worth keeping.

    Such a bot plays the first action of its analysis.  A trained policy may draw another one.
    """
    return is_ours(type(bot)) and isinstance(bot, Analyst) and bot.needs_states


def check_position(game: Game, name: str, mask: Any, state: Any) -> tuple[Index, Games]:
    """Return the legal actions int64 ``[k]``, ascending, and the state ``[1]`` of ``analyse``.

    Args:
        game: the bot's game.
        name: of the bot, for the message.
        mask: int8 ``[num_actions]``.
        state: one record ``[1]`` of the game.

    Raises:
        InvalidOption: they are something else, or do not belong together.
    """
    masks = check_masks(game, name, as_array(mask)[None])
    if state is None:
        raise InvalidOption(f"{name}: analyse() needs the state")
    check_states(game, name, masks, state)
    states: Games = state
    if not masks.any() or not np.array_equal(masks[0], game.legal_actions(states, 0)):
        raise InvalidOption(f"{name}: mask: expected the legal actions of the state, at least one")
    return np.flatnonzero(masks[0]), states


def only_one(action: int) -> Analysis:
    """Return the analysis of a position with a single legal action, which no bot searches."""
    return Analysis(np.array([action], np.int64), np.ones(1, np.int64), np.full(1, np.nan))
