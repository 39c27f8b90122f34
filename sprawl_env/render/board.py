"""Pictures for every game: a game without ``draw`` is shown as its text board.

What a seat may see of the text board, the game says, or it is what all re-dealt positions have in
common: words that differ between them are shown as ``?``.  Then the position itself is not used, so
nothing that the seat cannot know is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, cast

import numpy as np

from sprawl_env.core.game import Game
from sprawl_env.core.rules import Played, View
from sprawl_env.core.state import NOBODY, NOT_OVER, Games, clone
from sprawl_env.render.canvas import BUTTON_HEIGHT
from sprawl_env.render.picture import BOARD, CARDS, Picture, ending
from sprawl_env.render.shapes import COLUMNS, MARGIN

REDEALS: Final = 24  # re-dealt positions that are compared
UNKNOWN: Final = "?"
LINE: Final = 17  # pixels from one line to the next
LETTER: Final = 6.6  # pixels of a character's column
SIDE: Final = MARGIN
BUTTONS: Final = 3  # in a row
BUTTON_ROW: Final = BUTTON_HEIGHT + 6
_PHRASE: Final = re.compile(r"\S+(?: \S+)*")  # words with single spaces between them


def picture_of(
    game: Game,
    games: Games,
    g: int = 0,
    seat: int | None = None,
    last: Played | None = None,
    *,
    seats: Sequence[str] = (),
    recent: Sequence[Played] = (),
    before: Sequence[Games] = (),
) -> Picture:
    """Return the picture of a game, the game's own or its text board.

    Args:
        game: the game.
        games: the batch.
        g: which game.
        seat: draw what this seat may see; None: draw everything.
        last: the last action.
        seats: what each seat is called; empty: ``seat 0``, ``seat 1``, ...
        recent: the actions that are marked on the board; empty: the last one.
        before: the state ``[1]`` before each of the marked actions, or empty; with them more is
            marked.
    """
    view = game.view(games, g, seat, last)
    view = replace(view, seats=tuple(seats), recent=tuple(recent), before=tuple(before))
    return picture_of_view(game, games, g, view)


def picture_of_view(game: Game, games: Games, g: int, view: View) -> Picture:
    """Return the picture of a game for a viewer, the game's own or its text board."""
    if game.rules.draw is not None:
        return cast(Picture, game.rules.draw(game, games, g, view))
    return _drawn(game, games, g, view)


def seen_text(game: Game, games: Games, g: int, seat: int | None) -> str:
    """Return the text board as a seat may see it; all of it once the game is over."""
    if seat is None or games["over"][g] != NOT_OVER:
        return game.describe(games, g)
    if game.rules.describe_to is not None:
        return game.rules.describe_to(game.tables, games, g, seat)
    texts = []
    for seed in range(REDEALS):
        trial = clone(games, np.array([g]))
        game.redeal_hidden(trial, 0, seed, seat)
        texts.append(game.describe(trial).splitlines())
    return "\n".join(map(_in_common, zip(*texts, strict=False)))


def _in_common(lines: Sequence[str]) -> str:
    """Return the words that all lines have in common, UNKNOWN in place of the others.

    Lines are compared part by part, if they have as many parts, which are separated by ``;``.
    """
    parts = [line.split("; ") for line in lines]
    if len({len(each) for each in parts}) == 1:
        return "; ".join(map(_words_in_common, zip(*parts, strict=True)))
    return _words_in_common(lines)


def _words_in_common(lines: Sequence[str]) -> str:
    if all(line == lines[0] for line in lines):
        return lines[0]
    split = [re.split(r"(\s+)", line) for line in lines]
    if any(len(words) != len(split[0]) for words in split):
        split = [words[: min(map(len, split))] for words in split]
        for words in split:
            words[-1:] = [UNKNOWN]
    return "".join(map(_one_word, zip(*split, strict=True)))


def _one_word(words: Iterable[str]) -> str:
    different = list(dict.fromkeys(words))
    if len(different) == 1:
        return different[0]
    return " " * min(map(len, different)) if different[0].isspace() else UNKNOWN


def _drawn(game: Game, games: Games, g: int, view: View) -> Picture:
    """Return the text board with a button for each legal action below it."""
    picture = Picture(game.title)
    over, to_play = games["over"][g] != NOT_OVER, int(games["to_play"][g])
    facts = f"turn {games['turn'][g]}, ply {games['ply'][g]}"
    decision = ending(game, games, g, "truncated", view) if over else "choose an action"
    picture.header(view, facts, NOBODY if over else to_play, decision, _last(game, view))
    part = picture.part("board", "board", BOARD, columns=COLUMNS)
    lines = seen_text(game, games, g, view.seat).splitlines()
    part.height = (len(lines) + 1) * LINE
    for k, line in enumerate(lines, start=1):
        for phrase in _PHRASE.finditer(line):
            x = SIDE + phrase.start() * LETTER
            part.text(x, k * LINE, phrase[0], 11.5, width=max(part.width - x - SIDE, LETTER))
    if view.names:
        _buttons(picture, view)
    return picture


def _buttons(picture: Picture, view: View) -> None:
    """Draw a button for each legal action."""
    part = picture.part("actions", "legal actions", CARDS, columns=COLUMNS)
    part.height = -(-len(view.names) // BUTTONS) * BUTTON_ROW + 6
    width = (part.width - 12) / BUTTONS
    for k, action in enumerate(view.names):
        x, y = 6 + k % BUTTONS * width, 6 + k // BUTTONS * BUTTON_ROW
        part.button(view, action, x, y, width - 6)


def _last(game: Game, view: View) -> str:
    """Return the last action in words; choices that others make at the same time stay secret."""
    secret = game.kernels.owing is not None and view.last is not None
    if view.last is None or not secret or view.sees(view.last.seat):
        return ""
    return "chooses an action"
