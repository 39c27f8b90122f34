"""Play in the terminal: what happened, the text board as a seat may see it, and a prompt.

After the first decision only what has changed is printed: the story of the plies since the person's
last decision, and the lines of the board that differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from rich.columns import Columns
from rich.text import Text as Words

from sprawl_env.console import console
from sprawl_env.core.errors import SprawlError
from sprawl_env.play.session import NotNow, Session
from sprawl_env.render.board import seen_text
from sprawl_env.render.text import coloured, terminal_has_colour
from sprawl_env.replays.telling import with_names

try:
    import readline
except ImportError:  # Windows has none
    readline = None  # type: ignore[assignment]

COMMANDS: Final = ("board", "hint", "log", "preview", "quit", "save", "undo")
CLEAR_SCROLLBACK: Final = "\033[3J"
LONGEST_NUMBER: Final = 18  # digits
MOST_LISTED: Final = 40  # actions; of more, only the first words are listed
HELP: Final = (
    "Type an action's number or name to play it (Tab completes), or text to filter the list. "
    "Commands: board, log, undo, hint [BOT], preview ACTION, save NAME, quit."
)


def play_in_terminal(session: Session, saves: Path, ask: Callable[[str], str] = input) -> None:
    """Play until the game is over or the person quits.

    Args:
        session: the session that is played.
        saves: folder of saved games.
        ask: prints a prompt and returns the line typed, as ``input`` does.
    """
    terminal = _Terminal(session, saves, ask)
    try:
        with _completing(terminal.completions):
            while not session.over:
                terminal.one_decision()
    except EOFError:
        return
    terminal.tell_news()
    terminal.board()
    totals = session.game.scores(session.games, 0).tolist()
    names = session.names(terminal.seat)
    scores = ", ".join(f"{name} {total}" for name, total in zip(names, totals, strict=True))
    _say(f"The game is over; scores: {scores}{session.taken_back}")


def _say(text: str, style: str = "") -> None:
    """Print a line as it is."""
    console().print(text, highlight=False, markup=False, style=style, soft_wrap=True)


@contextmanager
def _completing(completions: Callable[[], list[str]]) -> Iterator[None]:
    """Let the tabulator complete what is typed, where the terminal can do so."""
    if readline is None:
        yield
        return
    before, ends = readline.get_completer(), readline.get_completer_delims()

    def complete(text: str, number: int) -> str | None:
        fitting = [each for each in completions() if each.startswith(text)]
        return fitting[number] if number < len(fitting) else None

    readline.set_completer(complete)
    readline.set_completer_delims("")  # names contain spaces
    is_libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")
    try:
        yield
    finally:
        readline.set_completer(before)
        readline.set_completer_delims(ends)


class _Terminal:
    """Prints the game and reads the person's input.

    Attributes:
        seat: the seat whose view is shown.
    """

    def __init__(self, session: Session, saves: Path, ask: Callable[[str], str]) -> None:
        self._session, self._saves, self._ask = session, saves, ask
        # For each seat the number of plies that were told.
        self._told = dict.fromkeys(session.humans, len(session.log))
        self._unsaved = ""  # what was said of the game that is not saved
        self.seat = session.humans[0]
        self._shown = -1  # version of the session that was shown
        self._board: list[str] = []  # the lines of the board that was shown

    def one_decision(self) -> None:
        """Play one decision of the bot or the person that is to play.

        Raises:
            EOFError: the person quits.
        """
        session = self._session
        if session.to_play not in session.humans:
            name = session.names(self.seat)[session.to_play]
            with console().status(f"{name} is choosing an action"):
                session.advance()
            return
        if session.to_play != self.seat and not self._hand_over(session.to_play):
            return
        if self._shown != session.version:
            self._show()
        line = self._ask("you> ").strip()
        try:
            self._execute(line)
        except SprawlError as error:
            _say(f"error: {with_names(str(error), session.names(self.seat))}")

    def completions(self) -> list[str]:
        """Return what can be typed: the names of the legal actions, and the commands."""
        return [*self._names().values(), *COMMANDS]

    def _names(self) -> dict[int, str]:
        """Return the names of the legal actions of the person who is to play."""
        return self._session.action_names(self.seat)

    def _hand_over(self, seat: int) -> bool:
        """Let another person see the screen; return False if the last action is undone instead."""
        session = self._session
        if not session.is_curtained(self.seat):
            self.seat = seat
            return True
        name = session.names(self.seat)[seat]
        undo = "; undo takes your action back" if session.may_undo(self.seat) else ""
        words = f"{name} is to play: hand over the keyboard, then press Enter{undo} "
        if self._ask(words).strip() == "undo" and undo:
            self._undo()
            return False
        if readline is not None:
            readline.clear_history()  # the arrow keys would show what was typed
        console().clear()
        if console().is_terminal:
            console().file.write(CLEAR_SCROLLBACK)
        self.seat, self._board = seat, []
        return True

    def _undo(self) -> None:
        session = self._session
        session.undo(session.undoer(self.seat))
        for seat, told in self._told.items():
            self._told[seat] = min(told, len(session.log))
        self._told[self.seat] = len(session.log)

    def tell_news(self) -> None:
        """Print what has happened since the person's last decision."""
        heading = ""
        for line in self._session.stories[self.seat].since(self._told[self.seat]):
            if line.heading != heading:
                heading = line.heading
                _say(heading, "bold")
            _say(f"  {line.text}")
        self._told[self.seat] = len(self._session.log)

    def board(self) -> None:
        """Print the board as the seat may see it."""
        self._board = self._text()
        self._print(self._board)

    def _changed(self) -> None:
        """Print the lines of the board that differ from those that were shown."""
        lines, before = self._text(), set(self._board)
        changed = [line for line in lines[1:] if line not in before]
        if changed:
            self._print(changed)
        self._board = lines

    def _text(self) -> list[str]:
        session = self._session
        text = seen_text(session.game, session.games, 0, self.seat)
        return with_names(text, session.names(self.seat)).splitlines()

    def _print(self, lines: Sequence[str]) -> None:
        text = "\n".join(lines)
        shown = coloured(text) if terminal_has_colour() else text
        console().print(Words.from_ansi(shown), soft_wrap=True)

    def _show(self) -> None:
        """Print what happened, what changed on the board, the question and the legal actions."""
        self.tell_news()
        if self._board:
            self._changed()
        else:
            self.board()
            _say(HELP, "dim")
        _say(self._session.question(self.seat), "bold")
        self._list("")
        self._shown = self._session.version
        if self._session.unsaved not in ("", self._unsaved):
            _say(self._session.unsaved, "bold")
        self._unsaved = self._session.unsaved

    def _list(self, text: str) -> None:
        """Print the legal actions whose names contain a text; of many only the first words."""
        names = self._names()
        found = [f"{action} {says}" for action, says in names.items() if text in says.lower()]
        if not found:
            raise NotNow(f"{text!r}: no legal action contains this. {HELP}")
        if len(found) > MOST_LISTED and not text:
            words = Counter(says.partition(" ")[0] for says in names.values())
            kinds = ", ".join(f"{word} … ({count})" for word, count in words.items())
            _say(f"{len(names)} actions: {kinds}. Type text to list those that contain it.")
            return
        console().print(Columns([Words(line) for line in found], padding=(0, 3), column_first=True))

    def _meant(self, line: str) -> int | None:
        """Return the action that a line plays: its number, its name or the beginning of it alone.

        Returns None if no action or several are meant.
        """
        if line.isdecimal() and len(line) <= LONGEST_NUMBER:
            return int(line)
        typed, names = line.lower(), self._names()
        whole = [action for action, says in names.items() if says.lower() == typed]
        begun = [action for action, says in names.items() if says.lower().startswith(typed)]
        return next((found[0] for found in (whole, begun) if len(found) == 1), None)

    def _execute(self, line: str) -> None:
        """Execute a line of input.

        Raises:
            EOFError: the line is ``quit``.
            SprawlError: the line is no command, or the command failed.
        """
        session = self._session
        word, _, rest = line.partition(" ")
        if word in COMMANDS:
            self._command(word, rest.strip())
            return
        action = self._meant(line) if line else None
        if action is None:
            self._list(line.lower())
            return
        session.play(self.seat, action)

    def _command(self, word: str, rest: str) -> None:
        """Execute a command.

        Raises:
            EOFError: the command is ``quit``.
            SprawlError: the command failed.
        """
        session = self._session
        if word == "quit":
            raise EOFError
        if word == "undo":
            self._undo()
        elif word == "hint":
            adviser = rest or next(iter(session.hints), "")
            found = session.hint(self.seat, adviser)
            for advice in found:
                says = f"{session.called(adviser)} would play {advice.action}: {advice.says}"
                _say(f"{says} {advice.why}".rstrip())
        elif word == "preview":
            self._preview(rest)
        elif word == "save":
            _say(f"saved as {session.save(self._saves, rest)}{session.taken_back}")
        elif word == "log":
            self._told[self.seat] = 0
            self.tell_news()
        else:
            self.board()
            self._list("")

    def _preview(self, name: str) -> None:
        """Print what an action would change.

        Raises:
            NotNow: no action, or several, are meant.
            IllegalAction: the action is not legal.
        """
        action = self._meant(name) if name else None
        if action is None:
            raise NotNow(f"preview {name}: expected an action's number or name")
        found = self._session.preview(self.seat, action)
        scores = found["scores"][self.seat]
        score = f"; score {scores[0]} to {scores[1]}" if scores else ""
        _say(f"{found['says']}: {found['text'] or 'nothing that is certain'}{score}")
