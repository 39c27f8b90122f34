"""Playing in the terminal: a seat's picture as text, and a line to type answers on.

(A game's text board shows everything; the texts of a seat's picture are what the seat may see.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from rich.columns import Columns
from rich.text import Text as Words

from sprawl_env.console import console
from sprawl_env.core.errors import SprawlError
from sprawl_env.play.session import NotNow, Session
from sprawl_env.render.picture import Picture
from sprawl_env.render.shapes import INK, Rect, Text, text_width
from sprawl_env.render.text import coloured, terminal_has_colour

COLUMNS: Final = 132
ROW: Final = 11.0  # of a line of text, in pixels of the picture
MIDDLE: Final = 0.36  # of a text above its base line, in shares of its size
SHARE_BEFORE: Final = {"start": 0.0, "middle": 0.5, "end": 1.0}  # of a text left of its place
HELP: Final = (
    "a number plays it, other words list what contains them; board, log, undo, hint [BOT], "
    "save NAME, quit"
)


def text_picture(picture: Picture) -> str:
    """Return the texts of a picture as lines, each text about where it stands.

    What is chosen among others, light on dark, stands in brackets.
    """
    rows: dict[int, list[tuple[float, str]]] = defaultdict(list)
    dark = False
    for shape in picture.shapes:
        if isinstance(shape, Text):
            wide = text_width(shape.text, shape.size, shape.bold)
            left = shape.x - wide * SHARE_BEFORE[shape.anchor]
            row = round((shape.y - shape.size * MIDDLE) / ROW)
            rows[row].append((left, f"[{shape.text}]" if dark else shape.text))
        dark = isinstance(shape, Rect) and shape.fill == INK
    return "\n".join(_line(rows[row], picture.width) for row in sorted(rows))


def _line(texts: Sequence[tuple[float, str]], width: float) -> str:
    """Return texts in a line, each at its place or after a space."""
    line = ""
    for left, text in sorted(texts):
        at = max(round(left / width * COLUMNS), len(line) + 1 if line else 0)
        line = line.ljust(at) + text
    return line


def play_in_terminal(session: Session, saves: Path, ask: Callable[[str], str] = input) -> None:
    """Play until the game is over or the person has enough.

    Args:
        session: the game.
        saves: the folder that games are saved in.
        ask: prints a prompt and returns the answer, as ``input`` does.
    """
    table = _Terminal(session, saves, ask)
    try:
        while not session.over:
            table.one_decision()
    except EOFError:
        return
    table.board()
    totals = ", ".join(map(str, session.game.scores(session.games, 0).tolist()))
    console().print(f"The game is over; scores: {totals}", highlight=False)


class _Terminal:
    """What a person at the terminal sees and answers.

    Attributes:
        seat: whose view is shown.
    """

    def __init__(self, session: Session, saves: Path, ask: Callable[[str], str]) -> None:
        self._session, self._saves, self._ask = session, saves, ask
        self._told = len(session.log)  # decisions that were shown
        self.seat = session.humans[0]
        self._shown = -1  # version of the game that was shown

    def one_decision(self) -> None:
        """Let the bot or the person to play make one decision.

        Raises:
            EOFError: the person has enough.
        """
        session = self._session
        if session.to_play not in session.humans:
            with console().status(f"{session.seats[session.to_play]} decides"):
                session.advance()
            self._tell()
            return
        if session.to_play != self.seat:
            self._hand_over(session.to_play)
        if self._shown != session.version:
            self._show()
        answer = self._ask(f"seat {self.seat}> ").strip()
        try:
            self._answer(answer)
        except SprawlError as error:
            console().print(f"no: {error}", highlight=False, markup=False)

    def _hand_over(self, seat: int) -> None:
        self._ask(f"seat {seat} is to play: hand over, then press Enter ")
        console().clear()
        self.seat, self._told = seat, 0
        self._tell()

    def _tell(self) -> None:
        """Tell what was decided since the last time."""
        entries = self._session.log[self._told :]
        for entry in entries:
            line = f"seat {entry.played.seat}: {entry.told[self.seat]}"
            console().print(line, highlight=False, markup=False)
        self._told = len(self._session.log)

    def board(self) -> None:
        """Show the game as the seat may see it."""
        text = text_picture(self._session.picture(self.seat))
        coloured_text = coloured(text) if terminal_has_colour() else text
        console().print(Words.from_ansi(coloured_text), soft_wrap=True)

    def _show(self) -> None:
        """Show the board, the decision and the legal actions."""
        self.board()
        self._list("")
        console().print(HELP, style="dim", highlight=False)
        self._shown = self._session.version

    def _list(self, words: str) -> None:
        """List the legal actions whose names contain some words."""
        game, games = self._session.game, self._session.games
        legal = np.flatnonzero(game.legal_actions(games, 0)).tolist()
        names = {action: game.action_name(games, 0, action) for action in legal}
        found = [f"{action} {says}" for action, says in names.items() if words in says]
        if not found:
            raise NotNow(f"{words!r}: expected the number of an action, or: {HELP}")
        console().print(Columns([Words(line) for line in found], padding=(0, 3), column_first=True))

    def _answer(self, answer: str) -> None:
        session = self._session
        word, _, rest = answer.partition(" ")
        if word.isdecimal() and not rest:
            session.play(self.seat, int(word))
            self._told = len(session.log)
        elif word == "quit":
            raise EOFError
        elif word == "undo":
            session.undo(self.seat)
            self._told = len(session.log)
        elif word == "hint":
            adviser = rest.strip() or next(iter(session.hints), "")
            found = session.hint(self.seat, adviser)
            says = f"{adviser} would play {found.action}: {found.says}"
            console().print(says, highlight=False, markup=False)
        elif word == "save":
            says = f"saved as {session.save(self._saves, rest.strip())}"
            console().print(says, highlight=False, markup=False)
        elif word == "board":
            self._show()
        elif word == "log":
            self._told = 0
            self._tell()
        else:
            self._list(answer)
