"""Conformance: whether a game keeps what the rest of the package relies on.

    from sprawl_env.testing import check_game

    if __name__ == "__main__":  # it spawns a process, which imports the script
        print(check_game("lots:RULES", num_players=3))

Games are played at random.  At every decision each kernel is called and its result checked, on
copies where it writes.  :data:`CHECKS` lists what is checked.

One thing cannot be known from outside: whether the mask leaves out an action that the rules allow.
Give ``check_game`` a slow reference of your own for that (``legal``); without one, look at the
actions that were never legal (:attr:`Report.never_legal`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sprawl_env.core import registry
from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import check_seed, check_whole
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.game import Game
from sprawl_env.core.rules import GameRules, no_violations
from sprawl_env.core.words import counted
from sprawl_env.testing.frameworks import FrameworkChecker
from sprawl_env.testing.games import GameChecker, Legal
from sprawl_env.testing.probe import CHECKS, ConformanceError

__all__ = ["CHECKS", "ConformanceError", "Report", "check_game"]


@dataclass(frozen=True)
class Report:
    """What :func:`check_game` has checked.

    Attributes:
        game: its name.
        options: its options.
        games: how many games were played.
        decisions: how many decisions they had.
        checks: how often each of :data:`CHECKS` was made.
        never_legal: ids of the actions that were never legal.
        notes: what was not checked as the game does not say it, and the actions that were never
            legal, in words.
    """

    game: str
    options: dict[str, Any]
    games: int
    decisions: int
    checks: dict[str, int]
    never_legal: tuple[int, ...]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the report in one line."""
        options = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        notes = "".join(f"; {note}" for note in self.notes)
        return (
            f"{self.game}({options}): {len(self.checks)} checks passed in {self.games} games with "
            f"{self.decisions} decisions{notes}"
        )


@checked
def check_game(
    game: Game | GameRules | str,
    *,
    num_games: int = 20,
    seed: int = 0,
    legal: Legal | None = None,
    max_plies: int = 100_000,
    actions_each: int = 32,
    spawn: bool = True,
    **options: Any,
) -> Report:
    """Play games at random and check everything in :data:`CHECKS`.

    Args:
        game: a game, its rules, its name, or the import path ``module:RULES``.
        num_games: how many games are played.
        seed: of the first deal; game ``k`` is ``game.deal(1, seed + k)``.
        legal: ``(games, g)`` returns the legal actions of the seat to play, as ids or as action
            names: the reference that the mask is compared with.
        max_plies: a game that is longer has no end.
        actions_each: legal actions that are tried on copies at each decision; a random choice
            where there are more.
        spawn: load the game in a spawned process too.
        **options: of the game, where ``game`` is not a Game.

    Raises:
        SprawlError: an argument is not allowed.
        ConformanceError: the game fails a check; one line that names it.
    """
    check_seed(seed)
    for name, number in (
        *(("num_games", num_games), ("max_plies", max_plies)),
        ("actions_each", actions_each),
    ):
        check_whole(f"check_game: {name}=", number, 1)
    if isinstance(game, Game):
        if options:
            raise InvalidOption("check_game: expected options with a name or rules, not a Game")
        made = game
    else:
        made = registry.game(game, **options)
    with registry.registered(made.rules):
        count: Counter[str] = Counter()
        checker = GameChecker(made, count, seed, legal, max_plies, actions_each)
        checker.statics()
        for number in range(num_games):
            checker.one_game(seed + number)
        checker.afterwards()
        FrameworkChecker(made, count).check(seed, spawn)
    never = tuple(np.flatnonzero(checker.ever_legal == 0).tolist())
    return Report(
        made.name, made.options, num_games, checker.decisions, dict(count), never,
        tuple(_notes(made, never)),
    )  # fmt: skip


def _notes(game: Game, never: tuple[int, ...]) -> Iterator[str]:
    if never:
        some = Counter(game.actions.locate(action)[0] for action in never)
        where = ", ".join(f"{n} of {block!r}" for block, n in some.items())
        yield f"{counted(len(never), 'action')} never legal ({where})"
    if game.rules.violations is no_violations:
        yield "no violations are given, so edited positions and those of files are not checked"
