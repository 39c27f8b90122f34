"""What every check uses: the list of checks, the error, and calls of a game's code."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sprawl_env.core.errors import SprawlError
from sprawl_env.core.game import Game
from sprawl_env.core.state import FINISHED, NOBODY, NOT_OVER, TRUNCATED, Games, clone, raw_bytes
from sprawl_env.kernels.arrays import Floats, Ints, Mask

CHECKS: Final = {
    "state": "the record has the common fields, the fields of the options and no padding",
    "layout": "action blocks and observation blocks cover all numbers, each once; scales are "
    "above 0",
    "deal": "the opening depends on the seed and the options alone; its fields make sense",
    "seed": "different seeds give different openings",
    "mask": "0 and 1; something legal until the game is over; legal actions keep `violations` "
    "empty and change the state; the reference agrees",
    "to_play": "a seat until the game is over, then NOBODY",
    "pure": "kernels that only read write nothing into the state or the tables",
    "observation": "whole numbers that fit int8, all overwritten, and nothing is written beyond; "
    "as float32 number x scale, within -1..1",
    "names": "action names are non-empty, one line, and unique among the legal actions",
    "illegal": "an illegal action raises IllegalAction in one line and changes no byte",
    "play": "ply grows by one; options and other games stay; the same action does the same",
    "redeal": "redeal_hidden keeps what the seat knows, by the seed and what it knows alone",
    "leak": "what a seat observes does not change with what redeal_hidden resamples for it",
    "owing": "the seat to play owes an answer; several owe one each; nobody does once the game is "
    "over",
    "hides": "others do not see what a seat chooses while several owe a choice",
    "take_back": "whatever the others choose again, the seat sees and may do what it did before",
    "end": "the game ends",
    "rewards": "scores and standings write every side; rewards sum to zero; the rows of points "
    "sum to the scores",
    "json": "a position is the same after to_json and from_json",
    "picture": "a seat's picture does not change with what redeal_hidden resamples for it",
    "replay": "a replay is the same after it was written and read, and verifies",
    "pickle": "the game is the same after it was pickled, also in a spawned process",
    "batch": "a batch plays as single games do, with observations of both types",
    "pettingzoo": "PettingZoo's api_test, with choices at the same time parallel_api_test too",
    "gymnasium": "Gymnasium's check_env",
}
GUARD: Final = 8  # numbers beyond an array that must stay as they are
HERE: Final = 1  # the game under test; the games around it must stay as they are
ONLY: Final = np.array([HERE])
_COLOURS: Final = re.compile(r"\x1b\[[0-9;]*m")  # of a terminal, in messages of numba


class ConformanceError(SprawlError):
    """A game that breaks what the package relies on.

    Attributes:
        check: which of :data:`CHECKS` failed.
    """

    def __init__(self, check: str, message: str) -> None:
        super().__init__(message)
        self.check = check


class Probe:
    """Calls a game's code and counts checks.

    Attributes:
        made: how often each check was made.
    """

    def __init__(self, game: Game, made: Counter[str]) -> None:
        self.game, self.made = game, made
        self._kernels, self._tables = game.kernels, game.tables
        self._where: dict[str, int] = {}  # seed, ply, seat

    def _error(self, check: str, says: str) -> ConformanceError:
        where = "".join(f", {name} {value}" for name, value in self._where.items())
        return ConformanceError(check, f"{self.game.name}: {check}{where}: {says}")

    def _expect(self, check: str, holds: bool, says: str | Callable[[], str]) -> None:
        self.made[check] += 1
        if not holds:
            raise self._error(check, says if isinstance(says, str) else says())

    def _run(self, check: str, what: str, work: Callable[[], Any]) -> Any:
        """Call the game's code; whatever it raises fails the check."""
        try:
            return work()
        except ConformanceError:
            raise
        except Exception as error:  # the code of anybody's game
            words = " ".join(_COLOURS.sub("", str(error)).split())[:200]
            raise self._error(check, f"{what} raised {type(error).__name__}: {words}") from None

    def _read(self, what: str, games: Games, work: Callable[[], Any], check: str = "pure") -> Any:
        """Call what must write nothing; ``check`` is what an exception fails."""
        before, tables = games.tobytes(), self._tables.tobytes()
        found = self._run(check, what, work)
        if games.tobytes() != before:
            kept = np.frombuffer(before, games.dtype).view(np.recarray)
            g = min(HERE, len(games) - 1)  # an opening is alone
            says = f"{what} writes {changes(kept, games, g)}: expected no change"
            raise self._error("pure", says)
        self._expect("pure", self._tables.tobytes() == tables, f"{what} writes into the tables")
        return found

    def _fill(self, what: str, games: Games, size: int, poison: Any, *arguments: int) -> Any:
        """Return what a kernel writes into an array of ``size`` numbers that holds ``poison``."""
        memory = np.full(size + GUARD, poison)
        check = {"legal_actions": "mask", "observe": "observation"}.get(what, "rewards")
        write, out = getattr(self._kernels, what), memory[:size]
        self._read(what, games, lambda: write(self._tables, games, HERE, *arguments, out), check)
        beyond = memory[size:]
        same = bool(
            np.array_equal(beyond, np.full(GUARD, poison), equal_nan=poison.dtype.kind == "f")
        )
        self._expect(check, same, f"{what} writes beyond its array of {size} numbers")
        return out

    def _overwritten(
        self, check: str, what: str, games: Games, size: int, poisons: tuple[Any, Any], *args: int
    ) -> Any:
        """Return what a kernel writes; it must be the same whatever the array held before."""
        first = self._fill(what, games, size, poisons[0], *args)
        second = self._fill(what, games, size, poisons[1], *args)
        differ = np.flatnonzero(~(first == second))
        self._expect(check, differ.size == 0, lambda: self._unwritten(what, int(differ[0])))
        return first

    def _unwritten(self, what: str, at: int) -> str:
        if what == "observe":
            return f"observe does not write {block(self.game, at)}: expected all overwritten"
        if what == "legal_actions":
            return f"legal_actions does not write action {at}: expected all overwritten"
        return f"{what} does not write side {at}, so rewards do not sum to zero"

    # ----------------------------------------------------------------------------------- kernels

    def _fields(self, check: str, games: Games, g: int) -> None:
        """Check the fields that every record has, and the game's own ``violations``."""
        game, over, seat = self.game, int(games["over"][g]), int(games["to_play"][g])
        known = over in (NOT_OVER, FINISHED, TRUNCATED)
        self._expect(check, known, f"over is {over}: expected NOT_OVER, FINISHED or TRUNCATED")
        for name, number in game.option_fields.items():
            found = int(games[name][g])
            self._expect(check, found == number, f"{name} is {found}, expected {number}")
        if over == NOT_OVER:
            expected = f"expected a seat 0..{game.num_seats - 1}"
            self._expect("to_play", 0 <= seat < game.num_seats, f"to_play is {seat}: {expected}")
        else:
            self._expect("to_play", seat == NOBODY, f"to_play is {seat} after the end: expected -1")

    def _violation(self, games: Games, g: int) -> str:
        """Return the first of the game's own ``violations``, "" if there is none."""
        find = functools.partial(self.game.rules.violations, self._tables, games, g)
        found = self._read("violations", games, find, "mask")
        return str(found[0]) if found else ""

    def _mask(self, games: Games) -> Mask:
        poisons = (np.int8(77), np.int8(-5))
        size = self.game.num_actions
        mask: Mask = self._overwritten("mask", "legal_actions", games, size, poisons)
        strange = np.flatnonzero((mask != 0) & (mask != 1))
        self._expect(
            "mask", strange.size == 0,
            lambda: f"action {strange[0]} has {mask[strange[0]]}: expected 0 or 1",
        )  # fmt: skip
        return mask

    def _standing(self, games: Games) -> tuple[Ints, Ints]:
        """Return scores and standings, checked."""
        poisons = (np.int32(-1_000_003), np.int32(1_000_003))
        sides = self.game.num_sides
        scores = self._overwritten("rewards", "scores", games, sides, poisons)
        return scores, self._overwritten("rewards", "standings", games, sides, poisons)

    def _observation(self, games: Games, seat: int) -> npt.NDArray[Any]:
        """Return the observation of a seat as whole numbers, checked."""
        game, size = self.game, self.game.observation_size
        poisons = (np.int8(77), np.int8(-5))
        seen: Mask = self._overwritten("observation", "observe", games, size, poisons, seat)
        wide = self._fill("observe", games, size, np.float32(0.123), seat)
        self._feature(
            wide != seen, lambda at: f"is {wide[at]:g}: expected a whole number -128..127"
        )
        expected = seen * self._scales
        self._within(expected)
        shown = self._read("observe", games, lambda: game.observe(games, HERE, seat), "observation")
        self._feature(
            shown.view(np.int32) != expected.view(np.int32),
            lambda at: f"is {shown[at]:g} as float32 for {seen[at]}: expected number x scale",
        )
        return seen

    @functools.cached_property
    def _scales(self) -> Floats:
        """Scale of each feature, read from the blocks."""
        layout = self.game.observation_layout
        scales: Floats = np.zeros(self.game.observation_size, np.float32)
        for name, declared in layout.blocks.items():
            layout.view(scales, name)[...] = declared.scale
        return scales

    def _within(self, floats: Floats) -> None:
        self._feature(~(np.abs(floats) <= 1), lambda at: f"is {floats[at]:g}: expected -1..1")

    def _feature(self, wrong: npt.NDArray[np.bool_], says: Callable[[int], str]) -> None:
        """Check every feature of an observation; ``says`` describes the first wrong one."""
        found = np.flatnonzero(wrong)
        self._expect(
            "observation", found.size == 0,
            lambda: f"{block(self.game, int(found[0]))} {says(int(found[0]))}",
        )  # fmt: skip

    def _write(self, check: str, what: str, trial: Games, *arguments: int, says: str = "") -> Any:
        """Call a kernel that writes into one game of a batch, and into nothing else.

        Args:
            check: what fails if the kernel raises an exception or writes elsewhere.
            what: name of the kernel.
            trial: the games; the kernel writes into one.
            arguments: what the kernel takes after the number of the game.
            says: what was called, in words; the kernel's name if empty.
        """
        kernel, old, tables = getattr(self._kernels, what), clone(trial), self._tables.tobytes()
        found = self._run(
            check, says or what, lambda: kernel(self._tables, trial, HERE, *arguments)
        )
        before, after = raw_bytes(old), raw_bytes(trial)
        for g in (HERE - 1, HERE + 1):
            same = bool((before[g] == after[g]).all())
            self._expect(check, same, f"{what} writes into another game of the batch")
        same = self._tables.tobytes() == tables
        self._expect(check, same, f"{what} writes into the tables")
        return found


def changes(before: Games, after: Games, g: int = HERE) -> str:
    """Return the fields in which two records differ, in words."""
    names = [
        name
        for name in before.dtype.names or ()
        if not np.array_equal(before[name][g], after[name][g])
    ]
    if not names:
        return "another game of the batch"
    return f"field{'s' * (len(names) > 1)} {', '.join(map(repr, names))}"


def block(game: Game, at: int) -> str:
    """Return which number of an observation one is, in words."""
    layout = game.observation_layout
    order = np.arange(game.observation_size).astype(np.float32)
    names = [name for name in layout.blocks if at in layout.view(order, name)]
    return f"number {at} (block {names[0]!r})" if names else f"number {at}"
