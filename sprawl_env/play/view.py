"""What the page shows of a position, as JSON values: parts of the picture, pieces, points."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from sprawl_env.core.game import Game
from sprawl_env.core.state import AUTOMATON, NOT_OVER, Games, clone
from sprawl_env.render.board import picture_of_view
from sprawl_env.render.canvas import Canvas
from sprawl_env.render.picture import Picture
from sprawl_env.render.svg import element

REDEALS: Final = 8  # re-dealt positions that are compared to decide whether points are known
PIECE: Final = 20  # width and height of a seat's piece
_RADIUS: Final = 7.4


def parts_of(picture: Picture) -> list[dict[str, Any]]:
    """Return the parts of a picture: what each shows, and its SVG text."""
    return [
        {
            "name": part.name,
            "title": part.title,
            "role": part.role,
            "seat": part.seat,
            "columns": part.columns,
            "width": part.width + 4,  # as in its viewBox
            "height": part.height + 4,
            "svg": part.svg(),
        }
        for part in picture.parts
    ]


@functools.cache
def piece_of(seat: int) -> str:
    """Return a seat's piece as SVG text, in its colour and shape."""
    canvas = Canvas(PIECE, PIECE)
    canvas.piece(PIECE / 2, PIECE / 2, _RADIUS, seat)
    box = f'viewBox="0 0 {PIECE} {PIECE}" width="{PIECE}" height="{PIECE}" aria-hidden="true"'
    shapes = "".join(map(element, canvas.shapes))
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box}>{shapes}</svg>'


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


def side_names(game: Game, names: Sequence[str]) -> list[str]:
    """Return what each side is called: the seats, then the automaton if there is one."""
    return [*names, AUTOMATON][: game.num_sides]
