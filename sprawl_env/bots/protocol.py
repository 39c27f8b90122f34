"""The protocol of bots."""

from __future__ import annotations

from typing import Protocol

from sprawl_env.core.checks import checked_actions
from sprawl_env.core.errors import IllegalAction
from sprawl_env.core.game import Game
from sprawl_env.core.state import Games, clone
from sprawl_env.kernels.arrays import Floats, Index, Mask


class Bot(Protocol):
    """Whatever chooses actions for seats of one game.

    Attributes:
        name: how tables and logs call it.
        needs_observations: False if ``act`` may be handed None for observations.
        needs_states: False if ``act`` may be handed None for states.
    """

    name: str
    needs_observations: bool
    needs_states: bool

    def act(self, observations: Floats | None, masks: Mask, states: Games | None) -> Index:
        """Choose one legal action a row.

        Args:
            observations: float32 ``[n, observation_size]``, as the seat to play sees it.
            masks: int8 ``[n, num_actions]``, 1 = legal, at least one a row.
            states: the records ``[n]``, copies, for agents that search or look at the board; an
                honest one uses nothing that the seat to play cannot know.

        Returns:
            int64 ``[n]``.
        """
        ...

    def seed(self, seed: int) -> None:
        """Start the agent's own random numbers anew."""
        ...


def ask(
    agent: Bot, game: Game, games: Games, which: Index, observations: Floats, masks: Mask
) -> Index:
    """Return an agent's actions in some games, checked; int64 ``[n]``.

    Args:
        agent: who is asked; it is handed only what it needs.
        game: the game.
        games: the batch; the agent gets copies.
        which: ``[n]``, indices into ``games``.
        observations: float32 ``[n, observation_size]``, untouched if the agent needs none.
        masks: int8 ``[n, num_actions]``; the agent gets a copy.

    Raises:
        IllegalAction: the answer is no array of ``n`` legal actions; names the agent.
    """
    states = clone(games, which) if agent.needs_states else None
    answer = agent.act(observations if agent.needs_observations else None, masks.copy(), states)
    try:
        return checked_actions(game, games, which, masks, answer)
    except IllegalAction as error:
        raise IllegalAction(f"agent {agent.name}: {error}") from None
