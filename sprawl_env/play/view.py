"""Whether persons at one screen have secrets from each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sprawl_env.core.game import Game
from sprawl_env.core.state import Games
from sprawl_env.render.board import picture_of_view


def has_secrets(game: Game, games: Games, seats: Sequence[int]) -> bool:
    """Return whether some of these seats see something that others of them do not see."""
    seen = set()
    for seat in seats:
        view = replace(game.view(games, 0, seat, None), names={})  # without legal actions
        drawn = picture_of_view(game, games, 0, view)
        seen.add("".join(part.svg() for part in drawn.parts))
    return len(seen) > 1
