"""The decisions of a game that is played, and whether one of them revealed anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sprawl_env import replays
from sprawl_env.core.game import Game
from sprawl_env.core.rules import Played
from sprawl_env.core.state import Games, clone

REDEALS: Final = 24  # re-dealt positions that decide that an action revealed nothing


@dataclass(frozen=True)
class Entry:
    """A decision in the log.

    Attributes:
        before: the state ``[1]`` before the decision.
        played: the decision.
        ply: the decision as a replay keeps it.
    """

    before: Games
    played: Played
    ply: replays.Ply


def revealed(game: Game, before: Games, action: int, seat: int) -> bool:
    """Return whether playing an action showed a seat something that it could not know before.

    Everything that the seat could not know is re-dealt ``REDEALS`` times, and the action is played
    in each of these positions.  The action revealed something if the seat's observation or legal
    actions afterwards differ in any of them from those in the true position.
    """
    true = clone(before)
    game.play(true, 0, action)
    observation, mask = game.observe(true, 0, seat), game.legal_actions(true, 0)
    for number in range(REDEALS):
        trial = clone(before)
        game.redeal_hidden(trial, 0, number, seat)
        if not game.legal_actions(trial, 0)[action]:
            return True
        game.play(trial, 0, action)
        if trial["to_play"][0] != true["to_play"][0]:
            return True
        if true["to_play"][0] == seat and (game.legal_actions(trial, 0) != mask).any():
            return True
        if (game.observe(trial, 0, seat) != observation).any():
            return True
    return False
