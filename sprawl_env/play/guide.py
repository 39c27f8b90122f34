"""How to play a game: what each section says, with the part of the picture that it is about."""

from __future__ import annotations

from typing import Any

from sprawl_env.core.game import Game
from sprawl_env.core.rules import Section
from sprawl_env.render.board import picture_of
from sprawl_env.render.picture import Part, Picture


def sections_of(game: Game) -> list[dict[str, Any]]:
    """Return the sections of a game's guide as JSON values.

    Each has a title, a text, the name of the part that it explains ("": none, or none with these
    seats), and, if ``shown``, that part at the start of a game as SVG text.  A game without a guide
    has none.
    """
    start = picture_of(game, game.deal(1, 0), 0, 0)
    explained = [(section, _explained(start, section)) for section in game.rules.guide]
    return [
        {
            "title": section.title,
            "text": section.text,
            "part": "" if part is None else section.part,
            "svg": part.svg() if part is not None and section.shown else "",
        }
        for section, part in explained
    ]


def _explained(picture: Picture, section: Section) -> Part | None:
    """Return the first part of a picture that a section explains; None if there is none."""
    if not section.part:
        return None
    return next((part for part in picture.parts if part.name.startswith(section.part)), None)
