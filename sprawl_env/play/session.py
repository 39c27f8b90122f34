"""A game that persons and bots play together: who may see, do and take back what.

A person is told only what the seat may know: that seat's picture, the actions it may take now, and
the log in the words of its own pictures.  Bots and hints get positions in which all is dealt anew
that their seat cannot know, so no advice gives anything away.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from sprawl_env import replays
from sprawl_env.bots.names import make_bot
from sprawl_env.bots.protocol import Bot, ask
from sprawl_env.core.errors import IllegalAction, InvalidOption, PositionError, SprawlError
from sprawl_env.core.files import write_atomically
from sprawl_env.core.game import Game
from sprawl_env.core.registry import game as make_game
from sprawl_env.core.rules import Played
from sprawl_env.core.state import NOBODY, NOT_OVER, Games, clone
from sprawl_env.kernels.rng import MAX_SEED, combine
from sprawl_env.render.board import picture_of
from sprawl_env.render.picture import Picture

HUMAN: Final = "human"
REDEALS: Final = 24  # positions tried before an action counts as having revealed nothing
SAVE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_ONLY: Final = np.zeros(1, np.int64)


class NotNow(SprawlError):
    """A request that is not allowed at this moment."""


@dataclass(frozen=True)
class Entry:
    """A decision that was made.

    Attributes:
        before: the game ``[1]`` it was made in.
        played: what was played.
        told: for each person's seat, the action in words as that seat may know it.
    """

    before: Games
    played: Played
    told: dict[int, str]


def revealed(game: Game, before: Games, action: int, seat: int) -> bool:
    """Whether playing an action showed a seat something that it could not know before.

    All that the seat could not know is dealt anew, several times, and the action repeated.  If
    what the seat then sees, or may do, ever differs from what came of it in truth, something was
    revealed.
    """
    truth = clone(before)
    game.play(truth, 0, action)
    seen, mask = game.observe(truth, 0, seat), game.legal_actions(truth, 0)
    for number in range(REDEALS):
        trial = clone(before)
        game.redeal_hidden(trial, 0, number, seat)
        if not game.legal_actions(trial, 0)[action]:
            return True
        game.play(trial, 0, action)
        if trial["to_play"][0] != truth["to_play"][0]:
            return True
        if truth["to_play"][0] == seat and (game.legal_actions(trial, 0) != mask).any():
            return True
        if (game.observe(trial, 0, seat) != seen).any():
            return True
    return False


class Session:
    """One game being played.

    Args:
        game: the game.
        seats: ``human`` or an agent's name for each seat.
        hints: names of the agents that may be asked for advice.
        seed: of the deal; also of the bots.

    Attributes:
        game: the game.
        seats: as given.
        hints: as given.
        games: the game now ``[1]``.
        log: all decisions so far.
        version: changes with everything that happens.

    Raises:
        InvalidOption: not one name a seat, or no person among them.
        UnknownName: no such agent.
    """

    def __init__(
        self, game: Game, seats: Sequence[str], hints: Sequence[str] = (), seed: int = 0
    ) -> None:
        if len(seats) != game.num_seats or HUMAN not in seats:
            raise InvalidOption(
                f"{game.name}: expected {game.num_seats} seats, {HUMAN!r} among them, got "
                f"{' '.join(seats) or 'none'}"
            )
        self.game, self.seats, self.hints = game, tuple(seats), tuple(hints)
        self.humans = tuple(seat for seat, name in enumerate(seats) if name == HUMAN)
        self._bots: dict[int, Bot] = {
            seat: make_bot(name, game, combine(seed, seat))
            for seat, name in enumerate(seats)
            if name != HUMAN
        }
        self._advisers = {name: make_bot(name, game, seed) for name in hints}
        self.version = 0
        self.deal(seed)

    # ------------------------------------------------------------------------------- beginnings

    def deal(self, seed: int | None = None) -> None:
        """Begin a new game, from a seed or by chance."""
        self.seed: int | None = secrets.randbelow(MAX_SEED) if seed is None else seed
        self._begin(self.game.deal(1, self.seed))

    def _begin(self, games: Games) -> None:
        self.games = games
        self.log: list[Entry] = []
        self._redeals = 0
        self.version += 1

    def save(self, folder: Path, name: str) -> Path:
        """Write the game into a folder; returns the file.

        A game that was dealt here becomes a replay (``.jsonl``), one that began from a position
        a position again (``.json``).

        Raises:
            InvalidOption: no such name can be had, or the file cannot be written.
        """
        if not SAVE_NAME.fullmatch(name):
            raise InvalidOption(
                f"name {name!r}: expected 1..40 letters, digits, hyphens or underscores"
            )
        path = folder / f"{name}{'.json' if self.seed is None else '.jsonl'}"
        try:
            write_atomically(path, self.to_text())
        except OSError as error:
            raise InvalidOption(f"{str(path)!r}: cannot be written: {error.strerror}") from None
        return path

    def to_text(self) -> str:
        """Return the game as a replay or, if it began from a position, as one."""
        if self.seed is None:
            return self.game.to_json(self.games)
        return replays.dump(self.replay())

    def replay(self) -> replays.Replay:
        """Return the game so far as a replay.

        Raises:
            NotNow: it began from a position.
        """
        if self.seed is None:
            raise NotNow("a game that began from a position is no replay")
        actions = [entry.played.action for entry in self.log]
        return replays.from_actions(self.game, self.seed, actions, bots=list(self.seats))

    def load(self, path: Path) -> None:
        """Go on with a game that was saved, a replay or a position of the same game and options.

        Raises:
            PositionError: missing, damaged, or of another game; the game goes on as it was.
        """
        if path.suffix == ".json":
            position = self.game.from_json(_read(path))
            self.seed = None
            self._begin(position)
            return
        saved = replays.load(path)
        if (saved.header["game"], saved.header["options"]) != (self.game.name, self.game.options):
            raise PositionError(
                f"{path.name}: is of {saved.header['game']} with options "
                f"{saved.header['options']}, expected {self.game.name} with {self.game.options}"
            )
        for _ in replays.steps(saved):
            pass  # the whole of it is checked before anything changes
        self.deal(saved.header["seed"])
        for ply in saved.plies:
            self._play(ply.action)

    # ------------------------------------------------------------------------------- decisions

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.games["over"][0] != NOT_OVER)

    @property
    def to_play(self) -> int:
        """The seat that owes a decision, NOBODY once over."""
        return NOBODY if self.over else int(self.games["to_play"][0])

    def play(self, seat: int, action: int) -> None:
        """Play a person's action.

        Raises:
            NotNow: it is not that seat's decision.
            IllegalAction: it is not legal; nothing has changed.
        """
        if self.over:
            raise NotNow("the game is over")
        if seat != self.to_play:
            raise NotNow(f"seat {seat} has nothing to decide now")
        legal = self.game.legal_actions(self.games, 0)
        if not 0 <= action < self.game.num_actions or not legal[action]:
            raise IllegalAction(
                f"seat {seat} may not play {action} now: expected one of {int(legal.sum())} "
                "legal actions"
            )
        self._play(action)

    def advance(self) -> None:
        """Let the bot that is to play make one decision.

        Raises:
            NotNow: no bot is to play.
            SprawlError: the bot failed, in one line; nothing has changed.
        """
        seat = self.to_play
        if seat not in self._bots:
            raise NotNow("no bot is to play")
        self._play(self._ask(self._bots[seat], seat))

    def hint(self, seat: int, name: str) -> Played:
        """Return what an adviser would play for a seat.

        Raises:
            NotNow: it is not that seat's decision, or there is no such adviser.
            SprawlError: the adviser failed, in one line.
        """
        if name not in self._advisers:
            raise NotNow(f"hint {str(name)!r}: expected one of {', '.join(self._advisers)}")
        if seat != self.to_play:
            raise NotNow(f"seat {seat} has nothing to decide now")
        action = self._ask(self._advisers[name], seat)
        return Played(seat, action, self.game.action_name(self.games, 0, action))

    def _ask(self, agent: Bot, seat: int) -> int:
        """Ask an agent about a position dealt anew but for what its seat knows."""
        position = clone(self.games)
        self._redeals += 1
        self.game.redeal_hidden(position, 0, combine(self._redeals, len(self.log)), seat)
        mask = self.game.legal_actions(self.games, 0)[None]
        seen = self.game.observe(self.games, 0, seat)[None]
        try:
            return int(ask(agent, self.game, position, _ONLY, seen, mask)[0])
        except SprawlError:
            raise
        except Exception as error:  # a bot of anybody's
            words = " ".join(str(error).split())[:200]
            raise SprawlError(
                f"agent {agent.name} raised {type(error).__name__}: {words}"
            ) from None

    def _play(self, action: int) -> None:
        before, seat = clone(self.games), int(self.games["to_play"][0])
        played = Played(seat, action, self.game.action_name(self.games, 0, action))
        self.game.play(self.games, 0, action)
        self.log.append(Entry(before, played, {}))
        for human in self.humans:
            self.log[-1].told[human] = self.picture(human).caption.last
        self.version += 1

    # ------------------------------------------------------------------------------- taking back

    def may_undo(self, seat: int) -> bool:
        """Whether a seat may take its last action back.

        It may if nobody has decided anything since, and the action revealed nothing.
        """
        if not self.log or self.log[-1].played.seat != seat:
            return False
        entry = self.log[-1]
        return not revealed(self.game, entry.before, entry.played.action, seat)

    def undo(self, seat: int) -> None:
        """Take a seat's last action back.

        Raises:
            NotNow: it may not.
        """
        if not self.may_undo(seat):
            raise NotNow(
                "nothing to take back: only one's own last action can be, as long as nobody has "
                "acted since and it revealed nothing"
            )
        self.games = self.log.pop().before
        self.version += 1

    # ------------------------------------------------------------------------------- what is seen

    def picture(self, seat: int) -> Picture:
        """Return the game as a seat may see it, the last action told."""
        last = self.log[-1].played if self.log else None
        return picture_of(self.game, self.games, 0, seat, last)

    def view(self, seat: int) -> dict[str, Any]:
        """Return all that a person in a seat may be shown now, as JSON."""
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
            "asked": picture.caption.seat,
            "decision": picture.caption.decision,
            "mine": mine,
            "bot": self.to_play in self._bots,
            "hand_over": self.to_play in self.humans and not mine,
            "actions": [[action, name(self.games, 0, action)] for action in legal],
            "may_undo": self.may_undo(seat),
            "over": self.over,
            "scores": self.game.scores(self.games, 0).tolist() if self.over else None,
            "log": [[entry.played.seat, entry.told[seat]] for entry in self.log],
            "hints": list(self.hints),
            "replay": self.over and self.seed is not None,
        }


def saves_in(folder: Path) -> list[str]:
    """Return the names of the files in a folder of saved games, the newest first."""
    found = [path for path in folder.glob("*.json*") if path.suffix in {".json", ".jsonl"}]
    fits = [path for path in found if SAVE_NAME.fullmatch(path.stem)]
    return [path.name for path in sorted(fits, key=lambda p: (-p.stat().st_mtime, p.name))]


def game_of(path: Path) -> Game:
    """Return the game, options and all, that a saved replay or position is of.

    Raises:
        SprawlError: missing, damaged, or no game with such options.
    """
    if path.suffix != ".json":
        return replays.load(path).game()
    try:
        content = json.loads(_read(path))
        name, options = str(content["game"]), dict(content["options"])
        if ":" in name:  # a file must not decide what is imported
            raise PositionError(f"{path.name}: game {name!r}: expected a name, not an import path")
        return make_game(name, **options)
    except (KeyError, TypeError, RecursionError, json.JSONDecodeError):
        raise PositionError(f"{path.name}: expected a position or a replay") from None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PositionError(f"{path.name}: cannot be read: {error}") from None
