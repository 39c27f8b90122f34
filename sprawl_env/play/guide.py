"""How to play a game: what each section says, with the part of the picture that it is about."""

from __future__ import annotations

from typing import Any

from sprawl_env.core.game import Game
from sprawl_env.render.board import picture_of


def sections_of(game: Game) -> list[dict[str, Any]]:
    """Return the sections of a game's guide as JSON values.

    Each has a title, a text, the name of the part that it explains ("": none), and, if ``shown``,
    that part at the start of a game as SVG text.  A game without a guide has none.
    """
    start = picture_of(game, game.deal(1, 0), 0, 0)
    drawn = {part.name: part.svg() for part in start.parts}
    return [
        {
            "title": section.title,
            "text": section.text,
            "part": section.part,
            "svg": drawn.get(section.part, "") if section.shown else "",
        }
        for section in game.rules.guide
    ]
