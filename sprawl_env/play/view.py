"""What the person in a seat knows of a position besides its picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sprawl_env.core.game import Game
from sprawl_env.core.state import NOT_OVER, Games, clone
from sprawl_env.render.board import picture_of_view

REDEALS: Final = 8  # re-dealt positions that are compared to decide whether points are known


def known_scores(game: Game, games: Games, seat: int) -> list[int | None]:
    """Return each side's points now; None where a seat cannot know them."""
    scores: list[int | None] = game.scores(games, 0).tolist()
    if games["over"][0] != NOT_OVER:
        return scores
    for seed in range(REDEALS):
        trial = clone(games)
        game.redeal_hidden(trial, 0, seed, seat)
        for side, points in enumerate(game.scores(trial, 0).tolist()):
            if scores[side] != points:
                scores[side] = None
    return scores


def has_secrets(game: Game, games: Games, seats: Sequence[int]) -> bool:
    """Return whether some of these seats see something that others of them do not see."""
    seen = set()
    for seat in seats:
        view = replace(game.view(games, 0, seat, None), names={})  # without legal actions
        drawn = picture_of_view(game, games, 0, view)
        seen.add("".join(part.svg() for part in drawn.parts))
    return len(seen) > 1
