"""The games of a tournament: who sits where on which deal, and the rows of its files."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sprawl_env.arena.journal import MOST_POINTS, Row
from sprawl_env.core.files import fits

FEWEST: Final = 2  # bots, and seats
MOST_SECONDS: Final = 2**31  # of a seat in a game, and decisions, in a file of timings


@dataclass(frozen=True)
class Config:
    """Every number that the results depend on; written to ``config.json``.

    Attributes:
        game: name or import path.
        bots: two or more names.
        num_games: games of each line-up, rounded up to whole rotations.
        num_players: seats.
        seed: of deals and bots.
        reach: two seats: how far apart in the list bots meet; 0: any.
        options: of the game, as ``name=value``.
        move_seconds: time limit for a decision of a user's bot, and for making it.
        replays: whether every game is stored as a replay.
    """

    game: str = "tower_up"
    bots: tuple[str, ...] = ("random", "greedy")
    num_games: int = 1000
    num_players: int = 2
    seed: int = 0
    reach: int = 0
    options: tuple[str, ...] = ()
    move_seconds: float = 60.0
    replays: bool = False


def line_ups(names: Sequence[str], seats: int, reach: int = 0) -> list[tuple[str, ...]]:
    """Return the line-ups; see :mod:`sprawl_env.arena.tournament`."""
    if reach:
        pairs = itertools.combinations(range(len(names)), 2)
        return [(names[a], names[b]) for a, b in pairs if b - a <= reach]
    if len(names) >= seats:
        return list(itertools.combinations(names, seats))
    filled = itertools.combinations_with_replacement(names, seats)
    return [line_up for line_up in filled if len(set(line_up)) >= FEWEST]


@dataclass(frozen=True)
class Schedule:
    """The games, numbered deal by deal, then line-up by line-up.

    Attributes:
        line_ups: the bots that play together.
        seats: of a game.
        deals: the number of deals that every line-up plays, with every rotation.
    """

    line_ups: tuple[tuple[str, ...], ...]
    seats: int
    deals: int

    def __len__(self) -> int:
        return self.deals * len(self.line_ups) * self.seats

    def place(self, number: int) -> tuple[int, int, int]:
        """Return the deal, the line-up and the rotation of a game."""
        rest, rotation = divmod(number, self.seats)
        return (*divmod(rest, len(self.line_ups)), rotation)

    def number(self, row: Row) -> int:
        """Return the number of a row's game; -1 if the schedule has no such game."""
        try:
            deal, line_up, rotation = (int(row[key]) for key in ("deal", "line_up", "rotation"))
        except (KeyError, TypeError, ValueError):
            return -1
        number = (deal * len(self.line_ups) + line_up) * self.seats + rotation
        fits = 0 <= number < len(self) and self.place(number) == (deal, line_up, rotation)
        return number if fits else -1

    def members(self, number: int) -> list[int]:
        """Return which member of the line-up plays each seat."""
        rotation = number % self.seats
        return [(seat - rotation) % self.seats for seat in range(self.seats)]

    def sitting(self, number: int) -> list[str]:
        """Return the bots of a game by seat."""
        line_up = self.line_ups[self.place(number)[1]]
        return [line_up[member] for member in self.members(number)]

    def row(self, number: int) -> Row:
        """Return the keys that begin every row about a game."""
        deal, line_up, rotation = self.place(number)
        return {
            "deal": deal,
            "line_up": line_up,
            "rotation": rotation,
            "bots": self.sitting(number),
        }


_GAME: Final = {"deal": int, "line_up": int, "rotation": int, "bots": [str]}
_FORFEIT: Final = {"seat": int, "ply": int, "reason": str}
_RESULT: Final = {
    **_GAME,
    "shares": [float],
    "ranks": [float],
    "scores": (None, [int]),
    "turns": (None, int),
    "plies": (None, int),
    "truncated": bool,
    "final": (None, str),
    "forfeit": (None, _FORFEIT),
}
_TIMING: Final = {**_GAME, "seconds": (None, [float]), "decisions": (None, [int])}


def is_result(seats: int, row: Row) -> bool:
    """Return whether a JSON object is a row of the results of games with some seats."""
    if not fits(row, _RESULT):
        return False
    shares, ranks, scores = row["shares"], row["ranks"], row["scores"]
    lists = (shares, ranks, *([] if scores is None else [scores]))
    forfeits = row["forfeit"] is not None
    return (
        all(len(values) == seats for values in lists)
        and all(0 <= share <= 1 for share in shares)
        and all(1 <= rank <= seats for rank in ranks)
        and all(abs(score) <= MOST_POINTS for score in scores or ())
        and forfeits == (scores is None)
        and (not forfeits or 0 <= row["forfeit"]["seat"] < seats)
    )


def is_timing(seats: int, row: Row) -> bool:
    """Return whether a JSON object is a row of the timings of games with some seats."""
    if not fits(row, _TIMING) or (row["seconds"] is None) != (row["decisions"] is None):
        return False
    lists = (row["seconds"], row["decisions"]) if row["seconds"] is not None else ()
    return all(
        len(values) == seats and all(0 <= value <= MOST_SECONDS for value in values)
        for values in lists
    )
