"""The protocol of everything that plays: a bot chooses actions for a batch of decisions."""

from __future__ import annotations

from typing import Protocol

from sprawl_env.core.checks import checked_actions
from sprawl_env.core.errors import IllegalAction
from sprawl_env.core.game import Game
from sprawl_env.core.state import Games, clone
from sprawl_env.kernels.arrays import Floats, Index, Mask


class Bot(Protocol):
    """A bot: it chooses actions for seats of one game.

    Attributes:
        name: its name in tables, logs and error messages.
        needs_observations: if False, ``act`` may be called with None for observations.
        needs_states: if False, ``act`` may be called with None for states.
    """

    name: str
    needs_observations: bool
    needs_states: bool

    def act(self, observations: Floats | None, masks: Mask, states: Games | None) -> Index:
        """Choose one legal action for each row.

        Args:
            observations: float32 ``[n, observation_size]``, as the seat to play sees the game.
            masks: int8 ``[n, num_actions]``, 1 = legal, at least one in each row.
            states: copies of the records ``[n]``, for bots that search or read the board.  A fair
                bot uses nothing that the seat to play cannot know.

        Returns:
            int64 ``[n]``.
        """
        ...

    def seed(self, seed: int) -> None:
        """Seed the bot's random number generator."""
        ...


def ask(
    bot: Bot, game: Game, games: Games, which: Index, observations: Floats, masks: Mask
) -> Index:
    """Return a bot's actions in some games after checking them, int64 ``[n]``.

    Args:
        bot: the bot; it receives only what it needs.
        game: the game.
        games: the batch; the bot receives copies.
        which: ``[n]``, indices into ``games``.
        observations: float32 ``[n, observation_size]``, not read if the bot needs none.
        masks: int8 ``[n, num_actions]``; the bot receives a copy.

    Raises:
        IllegalAction: the bot's answer is not an array of ``n`` legal actions; names the bot.
    """
    states = clone(games, which) if bot.needs_states else None
    answer = bot.act(observations if bot.needs_observations else None, masks.copy(), states)
    try:
        return checked_actions(game, games, which, masks, answer)
    except IllegalAction as error:
        raise IllegalAction(f"bot {bot.name}: {error}") from None
