"""A game as a story: what every seat did and what that changed, as somebody may know it.

The log of the page, the replay viewer, the terminal and notebooks all show these lines.  A game's
rules say what a ply changed (``GameRules.changes``) and how an action is told
(``GameRules.tell``).  An answer that is hidden from the reader is told as such; once the rules
reveal it, the same line says what it was.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from sprawl_env.core.arguments import checked
from sprawl_env.core.changes import HEADLINES, SCORE, Change, signed_count
from sprawl_env.core.checks import check_whole
from sprawl_env.core.errors import InvalidOption, printable
from sprawl_env.core.game import Game
from sprawl_env.core.rules import Played
from sprawl_env.core.state import NOBODY, Games, clone
from sprawl_env.replays.format import Ply, Replay
from sprawl_env.replays.verification import steps

YOU: Final = "you"
PERSON: Final = "person"
_QUIET: Final = HEADLINES | {"reveal", "draw"}  # kinds that the words in brackets leave out
_SEAT: Final = re.compile(r"\bseat (\d+)\b")
_ES: Final = ("s", "sh", "ch", "x", "z", "o")
_IRREGULAR: Final = {"have": "has", "be": "is", "do": "does"}


@dataclass(frozen=True)
class Line:
    """A line of a story.

    Attributes:
        ply: the ply that caused it, from 0; several lines may have the same.
        seat: the side that acts; NOBODY: none in particular.
        heading: the part of the game, e.g. ``Round 3``.
        text: the line in words, e.g. ``greedy builds red 6 on blue 2 (-1 resource, +2 points)``.
        changes: what changed, those that others tell in words among them.
    """

    ply: int
    seat: int
    heading: str
    text: str
    changes: tuple[Change, ...] = ()

    def __str__(self) -> str:
        return f"{self.heading}: {self.text}"


def third_person(phrase: str) -> str:
    """Return a phrase with its first word, a verb, in the third person: ``build`` to ``builds``."""
    verb, space, rest = phrase.partition(" ")
    bare = verb.rstrip(":")
    colon = verb[len(bare) :]
    if bare in _IRREGULAR:
        said = _IRREGULAR[bare]
    elif bare.endswith(_ES):
        said = f"{bare}es"
    elif bare.endswith("y") and bare[-2:-1] not in "aeiou":
        said = f"{bare[:-1]}ies"
    else:
        said = f"{bare}s"
    return f"{said}{colon}{space}{rest}"


def in_words(changes: Iterable[Change]) -> str:
    """Return changes of one side in words; counts of the same thing are added up."""
    totals: dict[str, int] = {}
    words: dict[str, str] = {}
    for number, change in enumerate(changes):
        if change.text == signed_count(change.amount, change.what):
            totals[change.what] = totals.get(change.what, 0) + change.amount
            words[change.what] = signed_count(totals[change.what], change.what)
        else:
            words[f"{number}"] = change.text
    return ", ".join(word for what, word in words.items() if totals.get(what) != 0)


def _parted(changes: Iterable[Change], seat: int) -> tuple[list[Change], dict[int, list[Change]]]:
    """Return the changes that have words: those of a seat or of nobody, and the others by side."""
    by_side: dict[int, list[Change]] = {seat: []}
    for change in changes:
        if change.text and change.kind not in _QUIET:
            whose = seat if change.seat == NOBODY else change.seat
            by_side.setdefault(whose, []).append(change)
    return by_side.pop(seat), by_side


def _of_others(others: dict[int, list[Change]], names: Sequence[str]) -> str:
    return "; ".join(f"{names[side]} {in_words(found)}" for side, found in others.items())


def by_side(changes: Iterable[Change], names: Sequence[str], seat: int) -> str:
    """Return changes in words: those of a seat first, then the others' with their names."""
    mine, others = _parted(changes, seat)
    parts = [in_words(mine), _of_others(others, names)]
    return with_names("; ".join(part for part in parts if part), names)


def with_names(text: str, names: Sequence[str]) -> str:
    """Return a text with the names of sides in place of ``seat 0``, ``seat 1`` and so on."""

    def named(found: re.Match[str]) -> str:
        seat = int(found[1])
        return names[seat] if seat < len(names) else found[0]

    return _SEAT.sub(named, text)


def short_name(bot: str) -> str:
    """Return a bot's name without its settings and folders: ``mcts:sims=200`` to ``mcts``.

    An agent, a checkpoint or a bot of one's own is called by its own name.
    """
    kind, _, rest = printable(bot).partition(":")
    own = rest.partition(",")[0].rstrip("/")
    if not own or "=" in own:
        return kind
    return own.rpartition("/")[2].rpartition(":")[2] or kind


def name_sides(game: Game, bots: Sequence[str] = (), viewer: int | None = None) -> list[str]:
    """Return a name for every side: ``you``, bots by name, persons; with the automaton's, if any.

    Several sides with the same name are numbered in seat order: ``greedy 1``, ``greedy 2``.  The
    number of a person does not depend on who reads.

    Args:
        game: the game.
        bots: who plays, by seat, ``human`` for a person; other lengths: the seats' numbers.
        viewer: the seat that is called ``you``; None: none.
    """
    seats = range(game.num_seats)
    if len(bots) != game.num_seats:
        names = [f"seat {seat}" for seat in seats]
    else:
        names = [PERSON if bot == "human" else short_name(bot) for bot in bots]
    own = list(names)
    if viewer is not None:
        names[viewer] = YOU
    count, number = Counter(names), Counter[str]()
    for seat, name in enumerate(own):
        if name == PERSON or seat != viewer:
            number[name] += 1
        if count[names[seat]] > 1:
            names[seat] = f"{name} {number[name]}"
    return [*names, game.rules.automaton_name][: game.num_sides]


@dataclass
class _Told:
    """A ply, its lines, and whether more of its action may still be revealed."""

    before: Games
    played: Played
    lines: list[Line] = field(default_factory=list)
    is_final: bool = True


class Story:
    """The lines of one game for one reader, made ply by ply.

    Args:
        game: the game.
        names: the names of all sides, as of :func:`name_sides`.
        viewer: the seat that reads; None: a reader who may know everything.

    Raises:
        InvalidOption: not one name for each side, or there is no such seat.
    """

    @checked
    def __init__(self, game: Game, names: Sequence[str], viewer: int | None = None) -> None:
        if len(names) != game.num_sides or not all(isinstance(name, str) for name in names):
            raise InvalidOption(f"{game.name}: names: expected {game.num_sides} texts")
        if viewer is not None:
            check_whole(f"{game.name}: viewer=", viewer, 0, game.num_seats - 1)
        self._game, self._names, self._viewer = game, list(names), viewer
        self._plies: list[_Told] = []
        self._hidden: list[_Told] = []  # those of which more may be revealed

    def __len__(self) -> int:
        """Return the number of plies."""
        return len(self._plies)

    @property
    def lines(self) -> list[Line]:
        """All lines so far, as the reader may know them now."""
        return [line for told in self._plies for line in told.lines]

    @checked
    def since(self, ply: int) -> list[Line]:
        """Return the lines of all plies from ``ply`` on."""
        return [line for told in self._plies[max(ply, 0) :] for line in told.lines]

    @checked
    def add(self, before: Games, played: Played, after: Games) -> int:
        """Add a ply; returns the first ply whose lines changed, as it may reveal earlier actions.

        Args:
            before: the state ``[1]`` before it; kept, so it must not change later.
            played: the action.
            after: the state ``[1]`` after it.

        Raises:
            InvalidOption: not records of this game, or there is no such seat or action.
            IllegalAction: the action is not legal before the ply.
        """
        told = _Told(before, played)
        told.lines = self._lines(len(self._plies), told, after)
        self._plies.append(told)
        changed = self._tell_again(self._hidden, after)
        self._hidden = [each for each in (*self._hidden, told) if not each.is_final]
        return min(changed, len(self._plies) - 1)

    @checked
    def cut(self, plies: int, now: Games) -> int:
        """Forget all plies from number ``plies`` on; returns the first ply whose lines changed.

        Args:
            plies: how many plies remain.
            now: the state ``[1]`` after them.

        Raises:
            InvalidOption: not records of this game.
        """
        self._game.check_games(now)
        del self._plies[max(plies, 0) :]
        changed = self._tell_again(self._plies, now)
        self._hidden = [told for told in self._plies if not told.is_final]
        return changed

    def _tell_again(self, plies: Iterable[_Told], now: Games) -> int:
        """Tell actions as they may be known now; return the first ply whose lines changed."""
        changed = len(self._plies)
        for told in plies:
            text, first = self._deed(told, now), told.lines[0]
            line = replace(first, text=self._text(told.played.seat, text, first.changes))
            if line != first:
                told.lines[0] = line
                changed = min(changed, first.ply)
        return changed

    def _deed(self, told: _Told, now: Games) -> str:
        found = self._game.tell(told.before, now, 0, told.played, self._viewer)
        told.is_final = found.is_final
        return found.text

    def _lines(self, ply: int, told: _Told, after: Games) -> list[Line]:
        """Return the line of an action, and one for each thing that followed by itself."""
        changes = self._game.changes(told.before, after, 0, told.played, self._viewer)
        parts: list[tuple[int, str, list[Change]]] = [
            (told.played.seat, self._deed(told, after), [])
        ]
        for change in changes:
            if change.kind in HEADLINES:
                parts.append((change.seat, change.text, [change]))
            elif change.kind == SCORE:  # comes last: it belongs to what its side did
                own = [found for seat, _, found in parts if seat == change.seat]
                (own or [parts[-1][2]])[-1].append(change)
            else:
                parts[-1][2].append(change)
        heading = self._game.heading(told.before)
        return [
            Line(ply, seat, heading, self._text(seat, text, found), tuple(found))
            for seat, text, found in parts
        ]

    def _text(self, seat: int, deed: str, changes: Iterable[Change]) -> str:
        """Return a line: who does what, in brackets what that changes, then others' changes."""
        mine, others = _parted(changes, seat)
        text = self._said(seat, deed) + (f" ({in_words(mine)})" if mine else "")
        more = _of_others(others, self._names)
        return with_names(f"{text}{': ' if more else ''}{more}", self._names)

    def _said(self, seat: int, deed: str) -> str:
        if seat == NOBODY:
            return deed
        name = self._names[seat]
        return f"{name} {deed if name == YOU else third_person(deed)}"


@checked
def story(replay: Replay, viewer: int | None = None, data: Path | None = None) -> list[Line]:
    """Return a replay as lines, verified.

    Args:
        replay: the replay.
        viewer: tell what this seat could know at the end of the replay; None: everything.
        data: folder of data files that replaced those of the package.

    Raises:
        PositionError: the game differs from the replay.
        InvalidOption: there is no such seat.
    """
    game = replay.game(data)
    if viewer is not None:
        check_whole(f"{game.name}: viewer=", viewer, 0, game.num_seats - 1)
    told = Story(game, names_of(replay, game, viewer), viewer)
    for _ in steps_told(replay, told, data):
        pass
    return told.lines


def steps_told(
    replay: Replay, told: Story, data: Path | None = None
) -> Iterator[tuple[Ply, Games]]:
    """Add the plies of a replay to a story; yield each with the state ``[1]`` after it, verified.

    Args:
        replay: the replay.
        told: the story, which is empty.
        data: folder of data files that replaced those of the package.

    Raises:
        PositionError: the game differs from the replay.
    """
    before = replay.game(data).deal(1, replay.header["seed"])
    for ply, games in steps(replay, data):
        after = clone(games)
        told.add(before, Played(ply.seat, ply.action, ply.says), after)
        yield ply, after
        before = after


def names_of(replay: Replay, game: Game, viewer: int | None = None) -> list[str]:
    """Return the names of a replay's sides."""
    bots = replay.header.get("bots", [])
    return name_sides(game, [str(bot) for bot in bots], viewer)


def change_as_json(change: Change, names: Sequence[str]) -> dict[str, Any]:
    """Return a change as JSON values, with the names of sides in its words."""
    return {
        "seat": change.seat,
        "text": with_names(change.text, names),
        "kind": change.kind,
        "cause": with_names(change.cause, names),
    }


def as_json(line: Line, names: Sequence[str]) -> dict[str, Any]:
    """Return a line as JSON values, without changes that have no words."""
    return {
        "ply": line.ply,
        "seat": line.seat,
        "heading": line.heading,
        "text": line.text,
        "changes": [change_as_json(change, names) for change in line.changes if change.text],
    }
