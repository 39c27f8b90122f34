"""Parts of pictures and pieces of seats as JSON values, for pages."""

from __future__ import annotations

import functools
from typing import Any, Final

from sprawl_env.render.canvas import Canvas
from sprawl_env.render.picture import Picture
from sprawl_env.render.svg import element

PIECE: Final = 20  # width and height of a seat's piece
_RADIUS: Final = 7.4


def parts_of(picture: Picture) -> list[dict[str, Any]]:
    """Return the parts of a picture: what each shows, and its SVG text."""
    return [
        {
            "name": part.name,
            "role": part.role,
            "seat": part.seat,
            "group": part.group,
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
