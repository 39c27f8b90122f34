"""A game between persons and bots: what each seat may see, play and undo.

A person sees only what the seat may know: the seat's picture, its legal actions and what they lead
to, and a log in which hidden parts of other seats' actions are left out until they are revealed.
Before a bot or an adviser acts, everything that its seat cannot know is re-dealt.  A hint therefore
reveals nothing hidden.
"""

from __future__ import annotations

import contextlib
import secrets
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from sprawl_env import replays
from sprawl_env.bots.analysis import Analyst
from sprawl_env.bots.names import as_bot, name_of
from sprawl_env.bots.protocol import Bot, seat_seed
from sprawl_env.bots.ratings import described, strongest_first
from sprawl_env.core.changes import Change, signed_count
from sprawl_env.core.errors import IllegalAction, InvalidOption, SprawlError, short
from sprawl_env.core.files import remove_leftovers, write_atomically
from sprawl_env.core.game import Game
from sprawl_env.core.points import known_scores
from sprawl_env.core.rules import Played
from sprawl_env.core.state import NOBODY, NOT_OVER, Games, clone
from sprawl_env.core.words import counted
from sprawl_env.kernels.rng import MAX_SEED, combine
from sprawl_env.play.asking import Advice, Seen, answer_of, asked, best_of
from sprawl_env.play.log import Entry, revealed
from sprawl_env.play.review import Review, review
from sprawl_env.play.saves import SAVE_KINDS, SAVE_NAME, autosave_of, text_of, verified
from sprawl_env.play.view import has_secrets
from sprawl_env.render.board import picture_of, picture_of_view
from sprawl_env.render.picture import Picture
from sprawl_env.render.pieces import parts_of, piece_of
from sprawl_env.replays.recording import from_plies, play_ply
from sprawl_env.replays.telling import (
    Story,
    as_json,
    by_side,
    name_sides,
    short_name,
    with_names,
)

HUMAN: Final = "human"
PREVIEWS: Final = 24  # re-dealt positions in which an action is tried for a preview


def _not_written(path: Path, error: OSError) -> InvalidOption:
    return InvalidOption(f"{str(path)!r}: cannot be written: {error.strerror}")


class NotNow(SprawlError):
    """An operation that is not possible in the current state of the session."""


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
        took_back: what was taken back after something was revealed or decided: ``ply``, and the
            ``actions`` from there on.
        autosaves: folder in which the game is saved whenever a person is to play; None: nowhere.
        unsaved: why the game could not be saved there the last time; "" if it was.
        stories: for each person's seat, the log in words; ``_changed`` has for each version since
            ``_started`` the first ply of which the words changed.
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
                f"{game.name}: expected {counted(game.num_seats, 'seat')}, "
                f"{HUMAN!r} among them, got {' '.join(self.seats) or 'none'}"
            )
        self.game = game
        self.humans = tuple(seat for seat, name in enumerate(self.seats) if name == HUMAN)
        self._called = {seat: name_sides(game, self.seats, seat) for seat in self.humans}
        self._bots: dict[int, Bot] = {
            seat: as_bot(bot, game, seat_seed(seed, seat), "seats")
            for seat, bot in enumerate(seats)
            if seat not in self.humans
        }
        self._advisers = {
            name: as_bot(bot, game, seed, "hints")
            for name, bot in zip(self.hints, hints, strict=True)
        }
        self.autosaves: Path | None = None
        self.unsaved = ""
        self._first_seed = seed
        self.version = 0
        self.deal(seed)

    def rehearse(self) -> Iterator[str]:
        """Do once all that a game needs, so that it is compiled; yield what was done.

        The game does not change, and bots play afterwards as if they had not been asked.
        """
        seeds = {seat: seat_seed(self._first_seed, seat) for seat in self._bots}
        bots = [(bot, seeds[seat]) for seat, bot in self._bots.items()]
        bots += [(bot, self._first_seed) for bot in self._advisers.values()]
        for bot, seed in bots if not self.over else ():
            with contextlib.suppress(SprawlError):  # a bot that fails says so in the game
                answer_of(bot, self.game, self._seen_by(self.to_play))
            bot.seed(seed)
            yield bot.name
        for seat in self.humans:
            self.view(seat)
            yield f"view of seat {seat}"
        self._redeals = 0

    # --------------------------------------------------------------------- deal, save and load

    def deal(self, seed: int | None = None) -> None:
        """Start a new game from a seed; without one, from a random seed."""
        self.seed: int | None = secrets.randbelow(MAX_SEED) if seed is None else seed
        self._start(self.game.deal(1, self.seed))

    def _start(self, games: Games) -> None:
        self.games = games
        self.log: list[Entry] = []
        self.took_back: list[dict[str, Any]] = []
        self.stories = {seat: Story(self.game, self.names(seat), seat) for seat in self.humans}
        self._redeals = 0
        self._own_files: set[Path] = set()  # that this game was loaded from or saved to
        self.version += 1
        self._started = self.version
        self._changed: dict[int, list[int]] = {seat: [] for seat in self.humans}

    def save(self, folder: Path, name: str) -> Path:
        """Write the game to a file in a folder; returns the file's path.

        A game that started from a deal is saved as a replay (``.jsonl``), a game that started from
        a loaded position as a position (``.json``).  A file of another game is not replaced.  What
        killed processes left of any saved game in the folder is deleted.

        Raises:
            InvalidOption: the name is invalid or that of another game, or the file cannot be
                written.
        """
        if not SAVE_NAME.fullmatch(name):
            raise InvalidOption(
                f"name {name!r}: expected 1..40 letters, digits, hyphens or underscores"
            )
        path = folder / f"{name}{'.json' if self.seed is None else '.jsonl'}"
        try:
            is_other = path.exists() and path.resolve() not in self._own_files
        except OSError as error:
            raise _not_written(path, error) from None
        if is_other:
            raise InvalidOption(f"name {name!r}: there is another saved game of this name")
        return self._write(folder, path)

    def _write(self, folder: Path, path: Path) -> Path:
        """Write the game to a file.

        Raises:
            InvalidOption: it cannot be written.
        """
        try:
            for kind in SAVE_KINDS:
                remove_leftovers(folder, f"*{kind}")
            write_atomically(path, self.to_text())
        except OSError as error:
            raise _not_written(path, error) from None
        self._own_files.add(path.resolve())
        return path

    def _autosave(self, begun: bool = False) -> None:
        """Save the game in ``autosaves``, if a folder is set and a person is to play.

        A game without an action is saved only if it had ``begun``.
        """
        waits = self.over or self.to_play in self.humans
        if self.autosaves is None or not (self.log or begun) or not waits:
            return
        kind = ".json" if self.seed is None else ".jsonl"
        try:
            self._write(self.autosaves, self.autosaves / f"{autosave_of(self.game.name)}{kind}")
        except SprawlError as error:  # the game goes on if the disk is full
            self.unsaved = f"the game is not saved by itself: {error}"
        else:
            self.unsaved = ""

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
        extra: dict[str, Any] = {"took_back": list(self.took_back)} if self.took_back else {}
        plies = [entry.ply for entry in self.log]
        return from_plies(self.game, self.seed, plies, self.games, bots=list(self.seats), **extra)

    def load(self, path: Path) -> None:
        """Continue a saved game: a replay or a position of the same game with the same options.

        Raises:
            PositionError: the file cannot be read, is damaged or is of another game; the current
                game is unchanged.
        """
        if path.suffix == ".json":
            position = self.game.from_json(text_of(path))
            self.seed = None
            self._start(position)
            self._own_files.add(path.resolve())
            return
        saved = verified(self.game, path)
        self.deal(saved.header["seed"])
        for ply in saved.plies:
            self._play(ply.action, ply.visits)
        self.took_back = list(saved.header.get("took_back", []))
        self._own_files.add(path.resolve())

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
        self._autosave()

    def _check(self, seat: int, action: int) -> None:
        """Check that a seat may play an action.

        Raises:
            NotNow: the seat is not to play.
            IllegalAction: the action is not legal.
        """
        if self.over:
            raise NotNow("the game is over")
        if seat != self.to_play:
            raise NotNow(self._whose_turn(seat))
        legal = self.game.legal_actions(self.games, 0)
        if not 0 <= action < self.game.num_actions or not legal[action]:
            raise IllegalAction(
                f"you may not play {action} now: expected one of {int(legal.sum())} legal actions"
            )

    def _whose_turn(self, seat: int) -> str:
        """Return who is to play, in words for the person in another seat."""
        if self.over:
            return "the game is over"
        called = self._called.get(seat, self.seats)
        return f"it is the turn of {called[self.to_play]}"

    def preview(self, seat: int, action: int) -> dict[str, Any]:
        """Return what an action would change, as far as its seat can know, as JSON values.

        The action is played in positions in which everything that the seat cannot know is
        re-dealt; only what happens in all of them is told.

        Returns:
            ``action``; ``says``: its name; ``text``: what it changes, in words; ``scores``: for
            each side the points now and after it, None if unknown.

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
        certain, names = _in_all(told), self.names(seat)
        known = self._known_points(seat, self.picture(seat))
        return {
            "action": action,
            "says": says,
            "text": by_side(certain, names, seat),
            "scores": [
                list(each[0]) if len(set(each)) == 1 and known[side] is not None else None
                for side, each in enumerate(zip(*scores, strict=True))
            ],
        }

    def _known_points(self, seat: int, picture: Picture) -> list[int | None]:
        """Return the points of all sides that a seat may see in its picture; None for others."""
        return list(picture.points) or known_scores(self.game, self.games, 0, seat)

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
        self._play(*answer_of(self._bots[seat], self.game, self._seen_by(seat)))
        self._autosave()

    def hint(self, seat: int, name: str) -> list[Advice]:
        """Return what an adviser would play for a seat: its best actions, the best first.

        An adviser that gives no reasons has one.

        Raises:
            NotNow: the seat is not to play, or there is no such adviser.
            SprawlError: the adviser failed.
        """
        bot = self._adviser("hint", name)
        if seat != self.to_play:
            raise NotNow(self._whose_turn(seat))
        says, seen = self.action_names(seat), self._seen_by(seat)
        best = best_of(bot, self.game, seen)
        return [Advice(action, says[action], why) for action, why in best]

    def _adviser(self, what: str, name: str) -> Bot:
        if not self._advisers:
            raise NotNow("no bot gives hints: name some with --hints")
        if name not in self._advisers:
            raise NotNow(f"{what} {str(name)!r}: expected one of {', '.join(self._advisers)}")
        return self._advisers[name]

    def called(self, name: str) -> str:
        """Return a name of an adviser, as short as it is its own: ``ppo-2h`` for an agent."""
        names = [short_name(bot.name) for bot in self._advisers.values()]
        short = short_name(self._advisers[name].name)
        return short if names.count(short) == 1 else name

    def choices(self) -> list[list[int]]:
        """Return for each seat its decisions with a choice, as numbers of the log, once it is over.

        Before the end there are none.
        """
        found: list[list[int]] = [[] for _ in self.seats]
        for ply, entry in enumerate(self.log if self.over else ()):
            if self.game.legal_actions(entry.before, 0).sum() > 1:
                found[entry.played.seat].append(ply)
        return found

    def review(self, seat: int, name: str, ply: int) -> Review:
        """Return what an adviser says of a decision, in words for the person in a seat.

        Raises:
            NotNow: the game is not over, or there is no such adviser or decision.
            SprawlError: the adviser failed.
        """
        if not self.over:
            raise NotNow("the analysis is available when the game is over")
        bot = self._adviser("analysis", name)
        if not 0 <= ply < len(self.log):
            raise NotNow(f"ply {ply}: expected a decision of the log, 0..{len(self.log) - 1}")
        found = asked(bot, lambda: review(self.game, bot, self.log[ply], ply))
        called = self.names(seat)
        says, best = (with_names(text, called) for text in (found.says, found.best))
        return found._replace(says=says, best=best)

    def _seen_by(self, seat: int) -> Seen:
        """Return what a seat may know, with everything else re-dealt."""
        position = clone(self.games)
        self._redeals += 1
        self.game.redeal_hidden(position, 0, combine(self._redeals, len(self.log)), seat)
        mask = self.game.legal_actions(self.games, 0)
        return Seen(mask, position, self.game.observe(self.games, 0, seat))

    def _play(self, action: int, visits: tuple[float, ...] = ()) -> None:
        before, seat = clone(self.games), int(self.games["to_play"][0])
        ply = play_ply(self.game, self.games, action, visits)
        self.log.append(Entry(before, Played(seat, action, ply.says), ply))
        after = clone(self.games)
        for teller, told in self.stories.items():
            self._changed[teller].append(told.add(before, self.log[-1].played, after))
        self.version += 1

    # ------------------------------------------------------------------------------------- undo

    def may_undo(self, seat: int) -> bool:
        """Return whether a seat may go back to its last decision.

        The only person may always, if it has decided.  With several persons a seat may if no other
        decision has been made since and the action revealed nothing.
        """
        if len(self.humans) == 1:
            return self._last_of(seat) is not None
        return self._is_free(seat)

    def undoer(self, seat: int) -> int:
        """Return whose decision is taken back if the person in a seat, at the screen, undoes.

        Persons who have no secrets from each other look at the screen together, which shows the
        next person at once: it is the one who has just decided.
        """
        last = self.log[-1].played.seat if self.log else seat
        if last == seat or last not in self.humans:
            return seat
        return seat if has_secrets(self.game, self.games, self.humans) else last

    def _last_of(self, seat: int) -> int | None:
        """Return the index of a seat's last decision in the log, or None."""
        plies = range(len(self.log) - 1, -1, -1)
        return next((k for k in plies if self.log[k].played.seat == seat), None)

    def _is_free(self, seat: int) -> bool:
        """Return whether a seat's action is the last one and revealed nothing."""
        if not self.log or self.log[-1].played.seat != seat:
            return False
        entry = self.log[-1]
        return not revealed(self.game, entry.before, entry.played.action, seat)

    def undo(self, seat: int) -> None:
        """Go back to a seat's last decision; the same cards come again.

        If anything was revealed or decided since, what is taken back is kept in ``took_back``.

        Raises:
            NotNow: the seat may not undo.
        """
        at = self._last_of(seat) if self.may_undo(seat) else None
        if at is None:
            raise NotNow(
                "nothing to undo: with several persons you can undo your last action only if no "
                "other seat has played since and it revealed nothing hidden"
            )
        if not self._is_free(seat):
            actions = [entry.played.action for entry in self.log[at:]]
            self.took_back.append({"ply": at, "actions": actions})
        self.games = self.log[at].before
        del self.log[at:]
        for teller, told in self.stories.items():
            self._changed[teller].append(told.cut(len(self.log), clone(self.games)))
        self.version += 1
        self._autosave(begun=True)

    # ------------------------------------------------------------------------------------- views

    def picture(self, seat: int) -> Picture:
        """Return the picture that a seat may see, with the actions since its last one marked."""
        entries = self.log[self._last_of(seat) or 0 :]
        recent, before = [each.played for each in entries], [each.before for each in entries]
        last = recent[-1] if recent else None
        seats = self.names(seat)[: self.game.num_seats]
        return picture_of(
            self.game, self.games, 0, seat, last, seats=seats, recent=recent, before=before
        )

    def at(self, seat: int, ply: int) -> dict[str, Any]:
        """Return what the page shows of the position after a decision of the log.

        Raises:
            NotNow: there is no such decision, or another person is to play, who has secrets.
        """
        if not 0 <= ply < len(self.log) or self.is_curtained(seat):
            raise NotNow(f"ply {ply}: expected a decision of the log, 0..{len(self.log) - 1}")
        later = self.log[ply + 1].before if ply + 1 < len(self.log) else self.games
        view = replace(
            self.game.view(later, 0, seat, self.log[ply].played),
            names={},
            seats=tuple(self.names(seat)[: self.game.num_seats]),
            before=(self.log[ply].before,),
        )
        return {"parts": parts_of(picture_of_view(self.game, later, 0, view))}

    def advisers(self) -> list[dict[str, Any]]:
        """Return who may give hints, strongest first.

        ``name`` is what :meth:`hint` takes; ``says`` has the rating and the time for a move, if the
        rankings know them; ``analyses`` says whether it knows what an action is worth.
        """
        bots = [self._advisers[name] for name in self.hints]
        called = [bot.name for bot in bots]
        return [
            {
                "name": self.hints[k],
                "says": described(self.game, called[k]),
                "analyses": isinstance(bots[k], Analyst),
            }
            for k in strongest_first(self.game.name, called)
        ]

    @property
    def taken_back(self) -> str:
        """What was taken back, in words for behind the name of a saved game or a result."""
        return f" (took back: {len(self.took_back)})" if self.took_back else ""

    def score_table(self) -> list[dict[str, Any]]:
        """Return where the points of all sides came from, once the game is over; before, []."""
        return [row._asdict() for row in self.game.points(self.games, 0)] if self.over else []

    def is_curtained(self, seat: int) -> bool:
        """Return whether another person is to play, who has secrets from this one."""
        others = self.to_play in self.humans and self.to_play != seat
        return others and has_secrets(self.game, self.games, self.humans)

    def view(self, seat: int, since: int | None = None) -> dict[str, Any]:
        """Return everything that the page shows to the person in a seat, as JSON values.

        If another person is to play, who has secrets, it is only who that is.

        Args:
            seat: the person's seat.
            since: the version of the view that the page shows now, if it is of the same seat:
                ``log`` then has only the lines from ply ``log_from`` on, those that have changed.
        """
        game, names, log_from = self.game, self.names(seat), self._log_from(seat, since)
        common = {
            "version": self.version,
            "game": game.title,
            "seat": seat,
            "names": names,
            "pieces": [piece_of(side) for side in range(game.num_sides)],
            "to_play": self.to_play,
            "curtain": self.is_curtained(seat),
            "may_undo": self.may_undo(self.undoer(seat)),
            "unsaved": self.unsaved,
        }
        if common["curtain"]:
            return common
        picture = self.picture(seat)
        mine = seat == self.to_play
        return common | {
            "parts": parts_of(picture),
            "facts": picture.caption.facts,
            "to_play": picture.caption.seat,
            "decision": picture.caption.decision,
            "mine": mine,
            "bot": self.to_play in self._bots,
            "actions": [[action, says] for action, says in self.action_names(seat).items()],
            "took_back": len(self.took_back),
            "over": self.over,
            "points": self._known_points(seat, picture),
            "log_from": log_from,
            "log": [as_json(line, names) for line in self.stories[seat].since(log_from)],
            "hints": self.advisers(),
            "score_table": self.score_table(),
            "replay": self.over and self.seed is not None,
            "choices": self.choices(),
            "question": self._question(seat, picture.caption),
        }

    def _log_from(self, seat: int, since: int | None) -> int:
        """Return the first ply whose lines have changed since a version; 0 if all may have."""
        if since is None or since < self._started:
            return 0
        return min(self._changed[seat][since - self._started :], default=len(self.log))

    def names(self, seat: int) -> list[str]:
        """Return the names of all sides for the person in a seat, who is called ``you``."""
        return self._called[seat]

    def action_names(self, seat: int) -> dict[int, str]:
        """Return the legal actions in words, by id; none if the seat is not to play."""
        if seat != self.to_play:
            return {}
        legal = np.flatnonzero(self.game.legal_actions(self.games, 0)).tolist()
        says, names = self.game.action_name, self.names(seat)
        return {action: with_names(says(self.games, 0, action), names) for action in legal}

    def question(self, seat: int) -> str:
        """Return in full what the person in a seat is asked, or for what it waits."""
        return self._question(seat, self.picture(seat).caption)

    def _question(self, seat: int, caption: Any) -> str:
        names = self.names(seat)
        if seat == self.to_play:
            return with_names(self.game.question(self.games), names)
        if caption.seat == seat and not self.over:  # all choose in secret, one after another
            return "the others choose first, then you"
        who = "" if caption.seat == NOBODY else f"{names[caption.seat]}: "
        return with_names(f"{who}{caption.decision}", names)


def _in_all(told: Sequence[Sequence[Change]]) -> list[Change]:
    """Return the changes that all lists have, in the order of the first.

    Of what is gained or paid only the count is told if the words differ, e.g. which tile is drawn.
    """
    same = _common(told)
    rest = [(Counter(changes) - same).elements() for changes in told]
    counts = _common([[_counted(each) for each in changes if each.amount] for changes in rest])
    left, found = same + counts, []
    for change in told[0]:
        for each in (change, _counted(change)):
            if left[each] > 0:
                left[each] -= 1
                found.append(each)
                break
    return found


def _common(told: Sequence[Sequence[Change]]) -> Counter[Change]:
    """Return the changes that all lists have, each as often as the list that has it least often."""
    left = Counter(told[0])
    for changes in told[1:]:
        left &= Counter(changes)
    return left


def _counted(change: Change) -> Change:
    """Return what was gained or paid as a count alone; another change as it is."""
    if change.kind not in ("gain", "pay"):
        return change
    return change._replace(text=signed_count(change.amount, change.what))
