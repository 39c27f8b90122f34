"""Play in the terminal: a seat's picture as text, and a prompt for actions and commands.

The text is made from the seat's picture because the game's text board (``Game.describe``) shows
hidden information too.
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
from sprawl_env.core.rules import Picture
from sprawl_env.play.session import NotNow, Session
from sprawl_env.render.shapes import INK, Rect, Text, text_width
from sprawl_env.render.text import coloured, terminal_has_colour

COLUMNS: Final = 132
ROW: Final = 11.0  # height of a line of text, in pixels of the picture
MIDDLE: Final = 0.36  # height of a text's middle above its base line, as a share of its size
SHARE_BEFORE: Final = {"start": 0.0, "middle": 0.5, "end": 1.0}  # share of a text left of its x
HELP: Final = (
    "Type an action's number to play it, or text to filter the list. "
    "Commands: board, log, undo, hint [BOT], save NAME, quit."
)


def text_picture(picture: Picture) -> str:
    """Return the texts of a picture as lines, each text near its place in the picture.

    Text on a dark ground, which marks the chosen one of several items, is put in brackets.
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
    """Return a line with each text at its column, or one space after the previous text."""
    line = ""
    for left, text in sorted(texts):
        at = max(round(left / width * COLUMNS), len(line) + 1 if line else 0)
        line = line.ljust(at) + text
    return line


def play_in_terminal(session: Session, saves: Path, ask: Callable[[str], str] = input) -> None:
    """Play until the game is over or the person quits.

    Args:
        session: the session that is played.
        saves: folder of saved games.
        ask: prints a prompt and returns the line typed, as ``input`` does.
    """
    terminal = _Terminal(session, saves, ask)
    try:
        while not session.over:
            terminal.one_decision()
    except EOFError:
        return
    terminal.board()
    totals = ", ".join(map(str, session.game.scores(session.games, 0).tolist()))
    console().print(f"The game is over; scores: {totals}", highlight=False)


class _Terminal:
    """Prints the game and reads the person's input.

    Attributes:
        seat: the seat whose view is shown.
    """

    def __init__(self, session: Session, saves: Path, ask: Callable[[str], str]) -> None:
        self._session, self._saves, self._ask = session, saves, ask
        self._printed = len(session.log)  # number of log entries that were printed
        self.seat = session.humans[0]
        self._shown = -1  # version of the session that was printed

    def one_decision(self) -> None:
        """Play one decision of the bot or the person that is to play.

        Raises:
            EOFError: the person quits.
        """
        session = self._session
        if session.to_play not in session.humans:
            with console().status(f"{session.seats[session.to_play]} is choosing an action"):
                session.advance()
            self._print_log()
            return
        if session.to_play != self.seat:
            self._hand_over(session.to_play)
        if self._shown != session.version:
            self._show()
        line = self._ask(f"seat {self.seat}> ").strip()
        try:
            self._execute(line)
        except SprawlError as error:
            console().print(f"error: {error}", highlight=False, markup=False)

    def _hand_over(self, seat: int) -> None:
        self._ask(f"seat {seat} is to play: hand over the keyboard, then press Enter ")
        console().clear()
        self.seat, self._printed = seat, 0
        self._print_log()

    def _print_log(self) -> None:
        """Print the log entries that were not printed yet."""
        entries = self._session.log[self._printed :]
        for entry in entries:
            line = f"seat {entry.played.seat}: {entry.texts[self.seat]}"
            console().print(line, highlight=False, markup=False)
        self._printed = len(self._session.log)

    def board(self) -> None:
        """Print the picture that the seat may see."""
        text = text_picture(self._session.picture(self.seat))
        coloured_text = coloured(text) if terminal_has_colour() else text
        console().print(Words.from_ansi(coloured_text), soft_wrap=True)

    def _show(self) -> None:
        """Print the board, the decision and the legal actions."""
        self.board()
        self._list("")
        console().print(HELP, style="dim", highlight=False)
        self._shown = self._session.version

    def _list(self, text: str) -> None:
        """Print the legal actions whose names contain a text."""
        game, games = self._session.game, self._session.games
        legal = np.flatnonzero(game.legal_actions(games, 0)).tolist()
        names = {action: game.action_name(games, 0, action) for action in legal}
        found = [f"{action} {says}" for action, says in names.items() if text in says]
        if not found:
            raise NotNow(f"{text!r}: no legal action contains this. {HELP}")
        console().print(Columns([Words(line) for line in found], padding=(0, 3), column_first=True))

    def _execute(self, line: str) -> None:
        """Execute a line of input.

        Raises:
            EOFError: the line is ``quit``.
            SprawlError: the line is no command, or the command failed.
        """
        session = self._session
        word, _, rest = line.partition(" ")
        if word.isdecimal() and not rest:
            session.play(self.seat, int(word))
            self._printed = len(session.log)
        elif word == "quit":
            raise EOFError
        elif word == "undo":
            session.undo(self.seat)
            self._printed = len(session.log)
        elif word == "hint":
            adviser = rest.strip() or next(iter(session.hints), "")
            found = session.hint(self.seat, adviser)
            for advice in found:
                text = f"{adviser} would play {advice.action}: {advice.says} {advice.why}"
                console().print(text.rstrip(), highlight=False, markup=False)
        elif word == "save":
            text = f"saved as {session.save(self._saves, rest.strip())}"
            console().print(text, highlight=False, markup=False)
        elif word == "board":
            self._show()
        elif word == "log":
            self._printed = 0
            self._print_log()
        else:
            self._list(line)
