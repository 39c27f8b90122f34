"""A game between persons and bots: what each seat may see, play and undo.

A person sees only what the seat may know: the seat's picture, its legal actions and what they lead
to, and a log in which hidden parts of other seats' actions are left out until they are revealed.
Before a bot or an adviser acts, everything that its seat cannot know is re-dealt.  A hint therefore
reveals nothing hidden.
"""

from __future__ import annotations

import re
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from sprawl_env import replays
from sprawl_env.bots.analysis import searches
from sprawl_env.bots.names import as_bot, name_of
from sprawl_env.bots.protocol import Bot, ask
from sprawl_env.core.changes import Change
from sprawl_env.core.errors import IllegalAction, InvalidOption, PositionError, SprawlError, short
from sprawl_env.core.files import parse_json, read_text, remove_leftovers, write_atomically
from sprawl_env.core.game import Game
from sprawl_env.core.rules import Picture, Played
from sprawl_env.core.state import NOBODY, NOT_OVER, Games, clone
from sprawl_env.kernels.rng import MAX_SEED, combine
from sprawl_env.render.board import picture_of
from sprawl_env.replays.format import load_file
from sprawl_env.replays.telling import (
    Story,
    as_json,
    by_side,
    change_as_json,
    name_sides,
    with_names,
)

HUMAN: Final = "human"
REDEALS: Final = (
    24  # re-dealt positions that are compared to decide that an action revealed nothing
)
PREVIEWS: Final = 4  # re-dealt positions in which an action is tried for a preview
SAVE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
SAVE_KINDS: Final = (".json", ".jsonl")  # a position, a replay
_ONLY: Final = np.zeros(1, np.int64)


class NotNow(SprawlError):
    """An operation that is not possible in the current state of the session."""


@dataclass(frozen=True)
class Entry:
    """A decision in the log.

    Attributes:
        before: the state ``[1]`` before the decision.
        played: the decision.
        visits: how much a search considered each legal action, in the order of their ids, or ().
    """

    before: Games
    played: Played
    visits: tuple[float, ...] = ()


def revealed(game: Game, before: Games, action: int, seat: int) -> bool:
    """Return whether playing an action showed a seat something that it could not know before.

    Everything that the seat could not know is re-dealt ``REDEALS`` times, and the action is played
    in each of these positions.  The action revealed something if the seat's observation or legal
    actions afterwards differ in any of them from those in the true position.
    """
    true = clone(before)
    game.play(true, 0, action)
    observation, mask = game.observe(true, 0, seat), game.legal_actions(true, 0)
    for number in range(REDEALS):
        trial = clone(before)
        game.redeal_hidden(trial, 0, number, seat)
        if not game.legal_actions(trial, 0)[action]:
            return True
        game.play(trial, 0, action)
        if trial["to_play"][0] != true["to_play"][0]:
            return True
        if true["to_play"][0] == seat and (game.legal_actions(trial, 0) != mask).any():
            return True
        if (game.observe(trial, 0, seat) != observation).any():
            return True
    return False


def _names(what: str, bots: Sequence[str | Bot | type[Bot]]) -> tuple[str, ...]:
    """Return the names of those in the seats, or of the bots that give hints.

    Raises:
        InvalidOption: not a list, something is no bot, or a bot is called like a person.
    """
    if isinstance(bots, str):
        raise InvalidOption(f"{what}={bots!r}: expected a list of names or bots")
    names = []
    for bot in bots:
        name = name_of(bot)
        if name is None or (name == HUMAN and not isinstance(bot, str)):
            raise InvalidOption(
                f"{what}: expected {HUMAN!r}, a bot's name, a bot or its class, got {short(bot)}"
            )
        names.append(name)
    return tuple(names)


class Session:
    """A game in progress.

    Args:
        game: the game.
        seats: ``human`` or a bot for each seat, as a name, an instance or a class
            (:func:`~sprawl_env.bots.names.as_bot`).
        hints: the bots that may give hints, likewise.
        seed: seed of the deal and of the bots.

    Attributes:
        game: the game.
        seats: the names of those in the seats.
        hints: the names of the bots that may give hints.
        games: the current state ``[1]``.
        log: all decisions so far.
        stories: for each person's seat, the log in words.
        version: a number that increases with every change.

    Raises:
        InvalidOption: the number of names is not the number of seats, none is ``human``, or
            something else is no bot.
        UnknownName: there is no such bot.
    """

    def __init__(
        self,
        game: Game,
        seats: Sequence[str | Bot | type[Bot]],
        hints: Sequence[str | Bot | type[Bot]] = (),
        seed: int = 0,
    ) -> None:
        self.seats, self.hints = _names("seats", seats), _names("hints", hints)
        if len(seats) != game.num_seats or HUMAN not in self.seats:
            raise InvalidOption(
                f"{game.name}: expected {game.num_seats} seats, {HUMAN!r} among them, got "
                f"{' '.join(self.seats) or 'none'}"
            )
        self.game = game
        self.humans = tuple(seat for seat, name in enumerate(self.seats) if name == HUMAN)
        self._bots: dict[int, Bot] = {
            seat: as_bot(bot, game, combine(seed, seat), "seats")
            for seat, bot in enumerate(seats)
            if seat not in self.humans
        }
        self._advisers = {
            name: as_bot(bot, game, seed, "hints")
            for name, bot in zip(self.hints, hints, strict=True)
        }
        self._checked: dict[tuple[Path, int, int], str] = {}  # by path, time and size
        self.version = 0
        self.deal(seed)

    # --------------------------------------------------------------------- deal, save and load

    def deal(self, seed: int | None = None) -> None:
        """Start a new game from a seed; without one, from a random seed."""
        self.seed: int | None = secrets.randbelow(MAX_SEED) if seed is None else seed
        self._start(self.game.deal(1, self.seed))

    def _start(self, games: Games) -> None:
        self.games = games
        self.log: list[Entry] = []
        self.stories = {seat: Story(self.game, self.names(seat), seat) for seat in self.humans}
        self._redeals = 0
        self.version += 1

    def save(self, folder: Path, name: str) -> Path:
        """Write the game to a file in a folder; returns the file's path.

        A game that started from a deal is saved as a replay (``.jsonl``), a game that started from
        a loaded position as a position (``.json``).  What killed processes left of any saved game
        in the folder is deleted.

        Raises:
            InvalidOption: the name is invalid, or the file cannot be written.
        """
        if not SAVE_NAME.fullmatch(name):
            raise InvalidOption(
                f"name {name!r}: expected 1..40 letters, digits, hyphens or underscores"
            )
        path = folder / f"{name}{'.json' if self.seed is None else '.jsonl'}"
        for kind in SAVE_KINDS:
            remove_leftovers(folder, f"*{kind}")
        try:
            write_atomically(path, self.to_text())
        except OSError as error:
            raise InvalidOption(f"{str(path)!r}: cannot be written: {error.strerror}") from None
        return path

    def to_text(self) -> str:
        """Return the game as a replay, or as a position if it started from a position."""
        if self.seed is None:
            return self.game.to_json(self.games)
        return replays.dump(self.replay())

    def replay(self) -> replays.Replay:
        """Return the game so far as a replay.

        Raises:
            NotNow: the game started from a position.
        """
        if self.seed is None:
            raise NotNow("a game that started from a position has no replay")
        actions = [entry.played.action for entry in self.log]
        visits = [entry.visits for entry in self.log]
        seats = list(self.seats)
        return replays.from_actions(self.game, self.seed, actions, visits, bots=seats)

    def load(self, path: Path) -> None:
        """Continue a saved game: a replay or a position of the same game with the same options.

        Raises:
            PositionError: the file cannot be read, is damaged or is of another game; the current
                game is unchanged.
        """
        if path.suffix == ".json":
            position = self.game.from_json(_read(path))
            self.seed = None
            self._start(position)
            return
        saved = self._verified(path)
        self.deal(saved.header["seed"])
        for ply in saved.plies:
            self._play(ply.action, ply.visits)

    def _verified(self, path: Path) -> replays.Replay:
        """Return a replay of this game after playing it.

        Raises:
            PositionError: the file cannot be read, is damaged or is of another game.
        """
        saved = load_file(path)
        if (saved.header["game"], saved.header["options"]) != (self.game.name, self.game.options):
            raise PositionError(
                f"{path.name}: expected {self.game.name} with options {self.game.options}, got "
                f"{saved.header['game']} with options {saved.header['options']}"
            )
        for _ in replays.steps(saved, self.game.data_folder):
            pass
        return saved

    def why_not_loadable(self, path: Path) -> str:
        """Return why :meth:`load` refuses a saved game; "" if it can be loaded.

        The answer is kept until the file changes.
        """
        try:
            found = path.stat()
        except OSError as error:
            return f"{path.name}: cannot be read: {error.strerror}"
        key = (path, found.st_mtime_ns, found.st_size)
        if key not in self._checked:
            self._checked[key] = self._why_not_loadable(path)
        return self._checked[key]

    def _why_not_loadable(self, path: Path) -> str:
        try:
            if path.suffix == ".json":
                self.game.from_json(_read(path))
            else:
                self._verified(path)
        except SprawlError as error:
            return str(error)
        return ""

    # ------------------------------------------------------------------------------- decisions

    @property
    def over(self) -> bool:
        """True if the game has ended."""
        return bool(self.games["over"][0] != NOT_OVER)

    @property
    def to_play(self) -> int:
        """The seat that owes a decision; NOBODY if the game is over."""
        return NOBODY if self.over else int(self.games["to_play"][0])

    def play(self, seat: int, action: int) -> None:
        """Play a person's action.

        Raises:
            NotNow: the seat is not to play.
            IllegalAction: the action is not legal; the session is unchanged.
        """
        self._check(seat, action)
        self._play(action)

    def _check(self, seat: int, action: int) -> None:
        """Check that a seat may play an action.

        Raises:
            NotNow: the seat is not to play.
            IllegalAction: the action is not legal.
        """
        if self.over:
            raise NotNow("the game is over")
        if seat != self.to_play:
            raise NotNow(f"seat {seat} is not to play")
        legal = self.game.legal_actions(self.games, 0)
        if not 0 <= action < self.game.num_actions or not legal[action]:
            raise IllegalAction(
                f"seat {seat} may not play {action} now: expected one of {int(legal.sum())} "
                "legal actions"
            )

    def preview(self, seat: int, action: int) -> dict[str, Any]:
        """Return what an action would change, as far as its seat can know, as JSON values.

        The action is played in positions in which everything that the seat cannot know is
        re-dealt; only what happens in all of them is told.

        Returns:
            ``action``; ``says``: its name; ``text``: what it changes, in words; ``changes``: the
            same one by one; ``scores``: for each side the points now and after it, None if unknown.

        Raises:
            NotNow: the seat is not to play.
            IllegalAction: the action is not legal.
        """
        self._check(seat, action)
        says = self.game.action_name(self.games, 0, action)
        told, scores = [], []
        for number in range(PREVIEWS):
            before = clone(self.games)
            self.game.redeal_hidden(before, 0, number, seat)
            after = clone(before)
            self.game.play(after, 0, action)
            told.append(self.game.changes(before, after, 0, Played(seat, action, says), seat))
            scores.append(list(zip(*self._scores(before, after), strict=True)))
        certain = _in_all(told)
        return {
            "action": action,
            "says": says,
            "text": by_side(certain, self.names(seat), seat),
            "changes": [change_as_json(change) for change in certain if change.text],
            "scores": [
                list(each[0]) if len(set(each)) == 1 else None for each in zip(*scores, strict=True)
            ],
        }

    def _scores(self, *positions: Games) -> list[list[int]]:
        return [self.game.scores(games, 0).tolist() for games in positions]

    def advance(self) -> None:
        """Play one action of the bot that is to play.

        Raises:
            NotNow: no bot is to play.
            SprawlError: the bot failed; the session is unchanged.
        """
        seat = self.to_play
        if seat not in self._bots:
            raise NotNow("no bot is to play")
        self._play(*self._answer_of(self._bots[seat], seat))

    def hint(self, seat: int, name: str) -> Played:
        """Return what an adviser would play for a seat.

        Raises:
            NotNow: the seat is not to play, or there is no such adviser.
            SprawlError: the adviser failed.
        """
        if name not in self._advisers:
            raise NotNow(f"hint {str(name)!r}: expected one of {', '.join(self._advisers)}")
        if seat != self.to_play:
            raise NotNow(f"seat {seat} is not to play")
        action, _ = self._answer_of(self._advisers[name], seat)
        return Played(seat, action, self.game.action_name(self.games, 0, action))

    def _answer_of(self, bot: Bot, seat: int) -> tuple[int, tuple[float, ...]]:
        """Return a bot's action, and a search's visits, in a re-dealt position.

        All that the seat cannot know is dealt again.

        Raises:
            SprawlError: the bot failed or its action is illegal.
        """
        position = clone(self.games)
        self._redeals += 1
        self.game.redeal_hidden(position, 0, combine(self._redeals, len(self.log)), seat)
        mask = self.game.legal_actions(self.games, 0)[None]
        observation = self.game.observe(self.games, 0, seat)[None]
        try:
            if searches(bot):
                found = bot.analyse(mask[0], position)
                return int(found.actions[0]), found.visits_by_id()
            return int(ask(bot, self.game, position, _ONLY, observation, mask)[0]), ()
        except SprawlError:
            raise
        except Exception as error:  # a user's bot may raise anything
            message = " ".join(str(error).split())[:200]
            raise SprawlError(f"bot {bot.name} raised {type(error).__name__}: {message}") from None

    def _play(self, action: int, visits: tuple[float, ...] = ()) -> None:
        before, seat = clone(self.games), int(self.games["to_play"][0])
        played = Played(seat, action, self.game.action_name(self.games, 0, action))
        self.game.play(self.games, 0, action)
        self.log.append(Entry(before, played, visits))
        after = clone(self.games)
        for told in self.stories.values():
            told.add(before, played, after)
        self.version += 1

    # ------------------------------------------------------------------------------------- undo

    def may_undo(self, seat: int) -> bool:
        """Return whether a seat may undo its last action.

        It may if no other decision has been made since and the action revealed nothing.
        """
        if not self.log or self.log[-1].played.seat != seat:
            return False
        entry = self.log[-1]
        return not revealed(self.game, entry.before, entry.played.action, seat)

    def undo(self, seat: int) -> None:
        """Undo a seat's last action.

        Raises:
            NotNow: the seat may not undo it.
        """
        if not self.may_undo(seat):
            raise NotNow(
                "nothing to undo: you can undo your last action only if no other seat has played "
                "since and it revealed nothing hidden"
            )
        self.games = self.log.pop().before
        for told in self.stories.values():
            told.cut(len(self.log), clone(self.games))
        self.version += 1

    # ------------------------------------------------------------------------------------- views

    def picture(self, seat: int) -> Picture:
        """Return the picture that a seat may see, with the last action in its caption."""
        last = self.log[-1].played if self.log else None
        return picture_of(self.game, self.games, 0, seat, last)

    def view(self, seat: int) -> dict[str, Any]:
        """Return everything that the page shows to the person in a seat, as JSON values."""
        picture = self.picture(seat)
        mine = seat == self.to_play
        legal = np.flatnonzero(self.game.legal_actions(self.games, 0)).tolist() if mine else []
        name = self.game.action_name
        return {
            "version": self.version,
            "game": self.game.title,
            "seat": seat,
            "seats": list(self.seats),
            "svg": picture.svg(),
            "to_play": picture.caption.seat,
            "decision": picture.caption.decision,
            "mine": mine,
            "bot": self.to_play in self._bots,
            "hand_over": self.to_play in self.humans and not mine,
            "actions": [[action, name(self.games, 0, action)] for action in legal],
            "may_undo": self.may_undo(seat),
            "over": self.over,
            "scores": self.game.scores(self.games, 0).tolist() if self.over else None,
            "log": [as_json(line) for line in self.stories[seat].lines],
            "hints": list(self.hints),
            "replay": self.over and self.seed is not None,
            "names": self.names(seat),
            "question": self._question(seat, picture.caption),
        }

    def names(self, seat: int) -> list[str]:
        """Return the names of all sides for the person in a seat, who is called ``you``."""
        return name_sides(self.game, self.seats, seat)

    def question(self, seat: int) -> str:
        """Return in full what the person in a seat is asked, or for what it waits."""
        return self._question(seat, self.picture(seat).caption)

    def _question(self, seat: int, caption: Any) -> str:
        names = self.names(seat)
        if seat == self.to_play:
            return with_names(self.game.question(self.games), names)
        who = "" if caption.seat == NOBODY else f"{names[caption.seat]}: "
        return with_names(f"{who}{caption.decision}", names)


def _in_all(told: Sequence[Sequence[Change]]) -> list[Change]:
    """Return the changes that all lists have, in the order of the first."""
    left = Counter(told[0])
    for changes in told[1:]:
        left &= Counter(changes)
    found = []
    for change in told[0]:
        if left[change] > 0:
            left[change] -= 1
            found.append(change)
    return found


def saves_in(folder: Path) -> list[str]:
    """Return the names of the saved games in a folder, newest first; dangling links come last."""
    found = [path for path in folder.glob("*.json*") if path.suffix in SAVE_KINDS]
    saves = [path for path in found if SAVE_NAME.fullmatch(path.stem)]
    return [path.name for path in sorted(saves, key=lambda p: (-_changed(p), p.name))]


def _changed(path: Path) -> float:
    """Return when a file was changed; 0 if it cannot be read."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def game_of(path: Path) -> Game:
    """Return the game, with its options, of a saved replay or position.

    Raises:
        SprawlError: the file cannot be read or is damaged, or there is no such game or option.
    """
    if path.suffix != ".json":
        return load_file(path).game()
    text = _read(path)
    try:
        content = parse_json(text)
        name, options = str(content["game"]), dict(content["options"])
    except (KeyError, TypeError, ValueError):
        raise PositionError(f"{path.name}: expected a position or a replay") from None
    return replays.game_of(name, options, path.name)


def _read(path: Path) -> str:
    try:
        return read_text(path)
    except OSError as error:
        raise PositionError(f"{path.name}: cannot be read: {error.strerror}") from None
