"""Conformance: whether a game keeps what the rest of the package relies on.

    from sprawl_env.testing import check_game
    print(check_game("lots:RULES", num_players=3))

Games are played at random.  At every decision each verb is called and its result checked, on
copies where it writes.  :data:`CHECKS` lists what is checked.

One thing cannot be known from outside: whether the mask leaves out an action that the rules allow.
Give ``check_game`` a slow reference of your own for that (``legal``); without one, look at the
actions that were never legal (:attr:`Report.never_legal`).
"""

from __future__ import annotations

import contextlib
import functools
import io
import multiprocessing
import pickle
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sprawl_env import replays
from sprawl_env.adapters.aec import BoardGameAEC, wrapped
from sprawl_env.adapters.gym import BoardGameGym
from sprawl_env.adapters.vector import VectorGames
from sprawl_env.core import registry
from sprawl_env.core.errors import IllegalAction, InvalidOption, SprawlError
from sprawl_env.core.game import Game
from sprawl_env.core.rewards import lead, rank_value, share_of_victory
from sprawl_env.core.rules import GameRules
from sprawl_env.core.state import (
    FINISHED,
    NOBODY,
    NOT_OVER,
    TRUNCATED,
    Games,
    clone,
    common_fields,
    digest,
    raw_bytes,
)
from sprawl_env.kernels.arrays import Floats, Index, Ints, Mask
from sprawl_env.kernels.rng import combine

CHECKS: Final = {
    "state": "the record has the common fields, the fields of the options and no padding",
    "layout": "action blocks and observation blocks cover all numbers, each once",
    "deal": "the opening depends on the seed and the options alone; its fields make sense",
    "seed": "different seeds give different openings",
    "mask": "0 and 1; something legal until the game is over; legal actions keep `violations` "
    "empty and change the state; the reference agrees",
    "to_play": "a seat until the game is over, then NOBODY",
    "pure": "verbs that only read write nothing into the state or the tables",
    "observation": "float32, finite, within -1..1, overwritten, and nothing is written beyond it",
    "names": "action names are non-empty, one line, and unique among the legal actions",
    "illegal": "an illegal action raises IllegalAction in one line and changes no byte",
    "play": "ply grows by one; options and other games stay; the same action does the same",
    "redeal": "redeal_hidden keeps what the seat knows, by the seed and what it knows alone",
    "leak": "what a seat observes does not change with what redeal_hidden resamples for it",
    "owing": "the seat to play owes an answer; nobody does once the game is over",
    "end": "the game ends",
    "rewards": "scores and standings write every side; rewards sum to zero",
    "json": "a position is the same after to_json and from_json",
    "picture": "a seat's picture does not change with what redeal_hidden resamples for it",
    "replay": "a replay is the same after it was written and read, and verifies",
    "pickle": "the game is the same after it was pickled, also in a spawned process",
    "batch": "a batch plays as single games do",
    "pettingzoo": "PettingZoo's api_test",
    "gymnasium": "Gymnasium's check_env",
}
SEEDS: Final = 16  # openings compared
GUARD: Final = 8  # numbers beyond an array that must stay as they are
TRIES: Final = 2  # redeals of a position for each seat
JSON_EVERY: Final = 8  # plies
PICTURE_EVERY: Final = 25  # plies
BATCH_ENVS, BATCH_STEPS = 4, 60
CYCLES: Final = 60  # of api_test
TOLERANCE: Final = 1e-6
HERE: Final = 1  # the game under test; the games around it must stay as they are
_ONLY: Final = np.array([HERE])
Legal = Callable[[Games, int], Iterable[int | str]]


class ConformanceError(SprawlError):
    """A game that breaks what the package relies on.

    Attributes:
        check: which of :data:`CHECKS` failed.
    """

    def __init__(self, check: str, message: str) -> None:
        super().__init__(message)
        self.check = check


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
    """

    game: str
    options: dict[str, Any]
    games: int
    decisions: int
    checks: dict[str, int]
    never_legal: tuple[int, ...]

    def __str__(self) -> str:
        """Return the report in one line."""
        options = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        never = f"; {len(self.never_legal)} actions were never legal" if self.never_legal else ""
        return (
            f"{self.game}({options}): {len(self.checks)} checks passed in {self.games} games with "
            f"{self.decisions} decisions{never}"
        )


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
        ConformanceError: the game fails a check; one line that names it.
    """
    if isinstance(game, Game):
        if options:
            raise InvalidOption("check_game: expected options with a name or rules, not a Game")
        made = game
    else:
        made = registry.game(game, **options)
    with _registered(made.rules):
        checker = _Checker(made, seed, legal, max_plies, actions_each)
        checker.statics()
        for number in range(num_games):
            checker.one_game(seed + number)
        checker.afterwards()
        checker.frameworks(seed, spawn)
    return Report(
        made.name, made.options, num_games, checker.decisions, dict(checker.made),
        tuple(np.flatnonzero(checker.ever_legal == 0).tolist()),
    )  # fmt: skip


@contextlib.contextmanager
def _registered(rules: GameRules) -> Iterator[None]:
    """Register a game that nobody has registered for as long as it is checked."""
    known = registry.is_registered(rules)
    if not known:
        registry.add(rules.name, rules)
    try:
        yield
    finally:
        if not known:
            registry.remove(rules.name)


class _Checker:
    """One run of :func:`check_game`.

    Attributes:
        made: how often each check was made.
        decisions: how many decisions were looked at.
        ever_legal: int8 ``[num_actions]``, 1 = was legal at some time.
    """

    def __init__(
        self, game: Game, seed: int, legal: Legal | None, max_plies: int, actions_each: int
    ) -> None:
        self.game, self._legal = game, legal
        self._max_plies, self._actions_each = max_plies, actions_each
        self._verbs, self._tables = game.verbs, game.tables
        self._rng = np.random.default_rng(seed)
        self._where: dict[str, int] = {}  # seed, ply, seat
        self._leak: ConformanceError | None = None  # raised at the end of the game
        self._draws = self._reseeds = False
        self.made: Counter[str] = Counter()
        self.decisions = 0
        self.ever_legal: Mask = np.zeros(game.num_actions, np.int8)

    # ------------------------------------------------------------------------------------- helpers

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
            words = " ".join(str(error).split())[:200]
            raise self._error(check, f"{what} raised {type(error).__name__}: {words}") from None

    def _read(self, what: str, games: Games, work: Callable[[], Any], check: str = "pure") -> Any:
        """Call what must write nothing."""
        before, tables = games.tobytes(), self._tables.tobytes()
        found = self._run(check, what, work)
        if games.tobytes() != before:
            kept = np.frombuffer(before, games.dtype).view(np.recarray)
            raise self._error(check, f"{what} writes {_changes(kept, games)}: expected no change")
        self._expect(check, self._tables.tobytes() == tables, f"{what} writes into the tables")
        return found

    def _fill(self, what: str, games: Games, size: int, poison: Any, *arguments: int) -> Any:
        """Return what a verb writes into an array of ``size`` numbers that holds ``poison``."""
        memory = np.full(size + GUARD, poison)
        check = {"legal_actions": "mask", "observe": "observation"}.get(what, "rewards")
        verb, out = getattr(self._verbs, what), memory[:size]
        self._read(what, games, lambda: verb(self._tables, games, HERE, *arguments, out))
        beyond = memory[size:]
        same = bool(
            np.array_equal(beyond, np.full(GUARD, poison), equal_nan=poison.dtype.kind == "f")
        )
        self._expect(check, same, f"{what} writes beyond its array of {size} numbers")
        return out

    def _overwritten(
        self, check: str, what: str, games: Games, size: int, poisons: tuple[Any, Any], *args: int
    ) -> Any:
        """Return what a verb writes; it must be the same whatever the array held before."""
        first = self._fill(what, games, size, poisons[0], *args)
        second = self._fill(what, games, size, poisons[1], *args)
        differ = np.flatnonzero(~(first == second))
        self._expect(check, differ.size == 0, lambda: self._unwritten(what, int(differ[0])))
        return first

    def _unwritten(self, what: str, at: int) -> str:
        if what == "observe":
            return f"observe does not write {_block(self.game, at)}: expected all overwritten"
        if what == "legal_actions":
            return f"legal_actions does not write action {at}: expected all overwritten"
        return f"{what} does not write side {at}, so rewards do not sum to zero"

    # ------------------------------------------------------------------------------ once per game

    def statics(self) -> None:
        """Check the record, the blocks and the seeds."""
        game, dtype = self.game, self.game.dtype
        fields: dict[str, Any] = dict(dtype.fields or {})
        for name, kind, *_ in common_fields():
            fits = name in fields and fields[name][0] == np.dtype(kind)
            self._expect("state", fits, f"field {name!r}: expected {np.dtype(kind).name}")
        for name in game.option_fields:
            self._expect("state", name in fields, f"expected a field {name!r} for the option")
        whole = all(fields[name][0].base.kind == "i" for name in fields)
        self._expect("state", whole, "expected fields of signed integers only")
        size = sum(field[0].itemsize for field in fields.values())
        same = size == dtype.itemsize
        self._expect("state", same, "the record has padding: expected core.state.record()")
        layout, order = game.observation_layout, np.arange(game.observation_size)
        parts = [layout.view(order.astype(np.float32), name).ravel() for name in layout.blocks]
        covered = np.sort(np.concatenate(parts)) if parts else order[:0]
        self._expect(
            "layout", np.array_equal(covered, order),
            f"observation blocks cover {covered.size} of {order.size} numbers: expected every "
            "number once and unique names",
        )  # fmt: skip
        sizes = sum(block.size for block in game.actions.blocks.values())
        self._expect(
            "layout", sizes == game.num_actions,
            f"action blocks cover {sizes} of {game.num_actions} ids: expected unique names",
        )  # fmt: skip
        openings = {self._deal(seed).tobytes() for seed in range(SEEDS)}
        self._expect(
            "seed", len(openings) > 1,
            f"{SEEDS} seeds give the same opening: expected deal() to use its seed",
        )  # fmt: skip

    def _deal(self, seed: int) -> Games:
        """Return the opening ``[1]`` of a seed, checked."""
        game = self.game
        self._where = {"seed": seed}
        games: Games = self._run("deal", "deal", lambda: game.deal(1, seed))
        again: Games = self._run("deal", "deal", lambda: game.deal(1, seed))
        same = games.tobytes() == again.tobytes()
        self._expect(
            "deal", same, lambda: f"the same seed gives another {_changes(games, again, 0)}"
        )
        self._expect("deal", games["ply"][0] == 0, f"ply is {games['ply'][0]}, expected 0")
        self._fields("deal", games, 0)
        return games

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
        found = self._run(
            "mask", "violations", lambda: self.game.rules.violations(self._tables, games, g)
        )
        return str(found[0]) if found else ""

    # ------------------------------------------------------------------------------ one random game

    def one_game(self, seed: int) -> None:
        """Play one game and check every decision."""
        opening = self._deal(seed)
        wrong = self._violation(opening, 0)
        self._expect("deal", not wrong, f"the opening is impossible: {wrong}")
        games = self._around(opening, seed)
        actions: list[int] = []
        self._leak = None
        while games["over"][HERE] == NOT_OVER:
            self._where = {"seed": seed, "ply": len(actions)}
            too_long = f"the game goes on after {len(actions)} plies: expected an end"
            self._expect("end", len(actions) < self._max_plies, too_long)
            mask = self._decision(games)
            actions.append(self._choose_and_play(games, mask))
            self.decisions += 1
        self._where = {"seed": seed, "ply": len(actions)}
        self._after_the_end(games)
        if self._leak is not None:
            raise self._leak
        self._rewards(games)
        self._replay(games, seed, actions)
        again = clone(games)
        self._run(
            "deal", "deal", lambda: self._verbs.deal(self._tables, again, HERE, combine(seed, 0))
        )
        self._expect(
            "deal", clone(again, _ONLY).tobytes() == opening.tobytes(),
            lambda: f"dealt over a finished game, {_changes(opening, clone(again, _ONLY), 0)} "
            "differs: expected all fields but the options overwritten",
        )  # fmt: skip

    def _around(self, opening: Games, seed: int) -> Games:
        """Return the game between two others."""
        games = self.game.empty(HERE + 2)
        for g, other in ((0, seed + 1), (HERE + 1, seed + 2)):
            raw_bytes(games)[g] = raw_bytes(self.game.deal(1, other))[0]
        raw_bytes(games)[HERE] = raw_bytes(opening)[0]
        return games

    def _decision(self, games: Games) -> Mask:
        """Check everything about one decision but the play; return its mask."""
        game, seat = self.game, int(games["to_play"][HERE])
        self._where["seat"] = seat
        mask = self._mask(games)
        self.ever_legal |= mask
        self._expect("mask", bool(mask.any()), "no action is legal: expected one at least")
        names = self._names(games, mask)
        self._reference(games, mask, names)
        self._owing(games, seat)
        self._standing(games)
        for observer in range(game.num_seats):
            self._where["seat"] = observer
            self._redeal(games, mask, observer, self._observation(games, observer))
        self._where["seat"] = seat
        self._illegal(games, mask)
        if self.decisions % JSON_EVERY == 0:
            alone = clone(games, _ONLY)
            read = self._run("json", "from_json", lambda: game.from_json(game.to_json(alone)))
            self._expect(
                "json", read.tobytes() == alone.tobytes(),
                lambda: f"{_changes(alone, read, 0)} differs after to_json and from_json",
            )  # fmt: skip
        return mask

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

    def _names(self, games: Games, mask: Mask) -> dict[int, str]:
        """Return the names of the legal actions."""
        game, names = self.game, dict[int, str]()
        for action in np.flatnonzero(mask).tolist():
            says = self._read(
                f"action_name({action})",
                games,
                functools.partial(game.action_name, games, HERE, action),
            )
            fits = isinstance(says, str) and says.strip() != "" and "\n" not in says
            self._expect("names", fits, f"action {action} is called {says!r}: expected one line")
            twin = next((a for a, name in names.items() if name == says), None)
            self._expect(
                "names", twin is None, f"actions {twin} and {action} are both called {says!r}"
            )
            names[action] = says
        text = self._read("describe", games, lambda: game.describe(games, HERE))
        self._expect("names", isinstance(text, str) and bool(text), "describe returns no text")
        return names

    def _reference(self, games: Games, mask: Mask, names: dict[int, str]) -> None:
        """Compare the mask with the author's reference."""
        if self._legal is None:
            return
        expected = set(self._run("mask", "legal", lambda: self._legal(clone(games), HERE)))  # type: ignore[misc]  # not None
        by_name = any(isinstance(action, str) for action in expected)
        found: set[int | str] = set(names.values()) if by_name else set(names)
        wide, narrow = sorted(map(repr, found - expected)), sorted(map(repr, expected - found))
        self._expect("mask", not wide, f"too wide: {', '.join(wide)} is not legal by the reference")
        self._expect(
            "mask", not narrow, f"too narrow: {', '.join(narrow)} is legal by the reference"
        )

    def _owing(self, games: Games, seat: int) -> None:
        owing = self._verbs.owing
        if owing is None:
            return
        bits = int(self._read("owing", games, lambda: owing(self._tables, games, HERE)))
        expected = f"expected a number below {1 << self.game.num_seats}, with the seat to play"
        holds = 0 <= bits < 1 << self.game.num_seats and bool(bits >> seat & 1)
        self._expect("owing", holds, f"owing returns {bits}: {expected}")

    def _standing(self, games: Games) -> tuple[Ints, Ints]:
        """Return scores and standings, checked."""
        poisons = (np.int32(-1_000_003), np.int32(1_000_003))
        sides = self.game.num_sides
        scores = self._overwritten("rewards", "scores", games, sides, poisons)
        return scores, self._overwritten("rewards", "standings", games, sides, poisons)

    def _observation(self, games: Games, seat: int) -> Floats:
        size = self.game.observation_size
        poisons = (np.float32(np.nan), np.float32(0.123))
        seen: Floats = self._overwritten("observation", "observe", games, size, poisons, seat)
        wrong = np.flatnonzero(~(np.abs(seen) <= 1))
        self._expect(
            "observation", wrong.size == 0,
            lambda: f"{_block(self.game, int(wrong[0]))} is {seen[wrong[0]]:g}: expected -1..1",
        )  # fmt: skip
        return seen

    def _illegal(self, games: Games, mask: Mask) -> None:
        """Try to play illegal actions."""
        game, closed = self.game, np.flatnonzero(mask == 0)
        some = self._rng.permutation(closed)[:3].tolist()
        for action in (*some, -1, game.num_actions):
            before = games.tobytes()
            try:
                game.play(games, HERE, action)
            except IllegalAction as error:
                one_line = "\n" not in str(error)
                self._expect("illegal", one_line, f"the error of action {action} has two lines")
            except Exception as error:  # of anybody's action_name
                words = " ".join(str(error).split())[:200]
                raise self._error(
                    "illegal", f"illegal action {action}: expected IllegalAction, got "
                    f"{type(error).__name__}: {words}",
                ) from None  # fmt: skip
            else:
                raise self._error("illegal", f"illegal action {action} was played")
            if games.tobytes() != before:
                kept = np.frombuffer(before, games.dtype).view(np.recarray)
                says = f"illegal action {action} changes {_changes(kept, games)}"
                raise self._error("illegal", f"{says}: expected no change")

    # -------------------------------------------------------------------------- hidden information

    def _redealt(self, games: Games, seed: int, seat: int) -> Games:
        """Return the games, one redealt."""
        trial = clone(games)
        self._run(
            "redeal", "redeal_hidden",
            lambda: self._verbs.redeal_hidden(self._tables, trial, HERE, seed, seat),
        )  # fmt: skip
        self._others("redeal", "redeal_hidden", games, trial)
        return trial

    def _redeal(self, games: Games, mask: Mask, seat: int, seen: Floats) -> None:
        """Check that a redeal keeps what the seat knows, and that it sees nothing else."""
        for _ in range(TRIES):
            seed = int(self._rng.integers(2**62))
            trial = self._redealt(games, seed, seat)
            self._known(games, trial, mask, seat)
            self._reseeds |= bool(trial["rng"][HERE] != games["rng"][HERE])
            self._same_redeal("the same seed", trial, self._redealt(games, seed, seat))
            self._same_redeal(
                "the same seed, from a position that the seat cannot tell from this one",
                self._redealt(games, seed // 2, seat),
                self._redealt(trial, seed // 2, seat),
            )
            now = self._observation(trial, seat)
            self.made["leak"] += 1
            differ = np.flatnonzero(now != seen)
            if differ.size and self._leak is None:
                self._leak = self._error(
                    "leak", f"{_block(self.game, int(differ[0]))} of the observation changes when "
                    f"redeal_hidden resamples {_changes(games, trial)}: expected an observation of "
                    "what the seat knows",
                )  # fmt: skip
        if self.decisions % PICTURE_EVERY == 0 and self.game.rules.draw is not None:
            draw = functools.partial(self.game.svg, g=HERE, seat=seat)
            pictures = [self._run("picture", "draw", functools.partial(draw, games))]
            pictures.append(self._run("picture", "draw", functools.partial(draw, trial)))
            says = "the picture changes when redeal_hidden resamples what the seat cannot know"
            self._expect("picture", pictures[0] == pictures[1], says)

    def _same_redeal(self, says: str, first: Games, again: Games) -> None:
        self._expect(
            "redeal", first.tobytes() == again.tobytes(),
            lambda: f"{says}, gives another {_changes(first, again)}: expected a result that "
            "depends on the seed and on what the seat knows alone",
        )  # fmt: skip

    def _known(self, games: Games, trial: Games, mask: Mask, seat: int) -> None:
        """Check what a seat knows whatever it observes."""
        for name in ("ply", "turn", "num_seats", "to_play", "over", *self.game.option_fields):
            field = "num_seats" if name == "num_players" else name
            same = bool(trial[field][HERE] == games[field][HERE])
            self._expect("redeal", same, f"redeal_hidden changes the field {field!r}")
        changed: npt.NDArray[Any] = np.flatnonzero(self._mask(trial) != mask)
        if seat == games["to_play"][HERE]:
            self._expect(
                "redeal", changed.size == 0,
                lambda: f"redeal_hidden changes the own mask of the seat to play, at action "
                f"{self.game.action_name(games, HERE, int(changed[0]))!r}",
            )  # fmt: skip
        for what, before, now in zip(
            ("scores", "standings"), self._standing(games), self._standing(trial), strict=True
        ):
            same = bool((before == now).all())
            self._expect("redeal", same, f"redeal_hidden changes the {what}")
        owing = self._verbs.owing
        if owing is not None:
            bits = [int(owing(self._tables, each, HERE)) >> seat & 1 for each in (games, trial)]
            same = bits[0] == bits[1]
            self._expect("redeal", same, "redeal_hidden changes whether the seat owes an answer")
        wrong = self._violation(trial, HERE)
        self._expect("redeal", not wrong, f"redeal_hidden leads to an impossible position: {wrong}")

    # ---------------------------------------------------------------------------------------- play

    def _others(self, check: str, what: str, games: Games, trial: Games) -> None:
        """Check that the games around the one under test have stayed as they were."""
        old, new = raw_bytes(games), raw_bytes(trial)
        for g in (HERE - 1, HERE + 1):
            same = bool((old[g] == new[g]).all())
            self._expect(check, same, f"{what} writes into another game of the batch")

    def _played(self, games: Games, action: int) -> Games:
        """Return the games after an action, checked."""
        trial, says = clone(games), self.game.action_name(games, HERE, action)
        tables = self._tables.tobytes()
        self._run(
            "play", f"action {says!r}",
            lambda: self._verbs.play(self._tables, trial, HERE, action),
        )  # fmt: skip
        self._others("play", "play", games, trial)
        self._expect("play", self._tables.tobytes() == tables, "play writes into the tables")
        grown = int(trial["ply"][HERE]) - int(games["ply"][HERE])
        self._expect("play", grown == 1, f"action {says!r} adds {grown} to ply, expected 1")
        self._fields("play", trial, HERE)
        self._draws |= bool(trial["rng"][HERE] != games["rng"][HERE])
        changed = {
            name
            for name in games.dtype.names or ()
            if not np.array_equal(games[name][HERE], trial[name][HERE])
        }
        self._expect(
            "mask", bool(changed - {"ply", "rng"}),
            f"too wide: legal action {says!r} changes nothing but ply",
        )  # fmt: skip
        wrong = self._violation(trial, HERE)
        self._expect(
            "mask", not wrong,
            f"legal action {says!r} leads to an impossible position ({wrong}): the mask is too "
            "wide or play breaks a rule",
        )  # fmt: skip
        return trial

    def _choose_and_play(self, games: Games, mask: Mask) -> int:
        """Try legal actions on copies, play one of them and return it."""
        legal = self._rng.permutation(np.flatnonzero(mask))[: self._actions_each].tolist()
        after = [self._played(games, action) for action in legal]
        k = int(self._rng.integers(len(legal)))
        self._run("play", "play", lambda: self.game.play(games, HERE, legal[k]))
        self._expect(
            "play", games.tobytes() == after[k].tobytes(),
            lambda: f"the same action leads to another {_changes(games, after[k])}",
        )  # fmt: skip
        return int(legal[k])

    # ---------------------------------------------------------------------------- after the end

    def _after_the_end(self, games: Games) -> None:
        mask = self._mask(games)
        self._expect("mask", not mask.any(), "actions are legal after the end: expected none")
        owing = self._verbs.owing
        if owing is not None:
            bits = int(owing(self._tables, games, HERE))
            self._expect("owing", bits == 0, f"owing returns {bits} after the end: expected 0")
        for seat in range(self.game.num_seats):
            self._observation(games, seat)
        self._illegal(games, mask)

    def _rewards(self, games: Games) -> None:
        """Check that what the sides earn sums to zero."""
        sides = self.game.num_sides
        scores, standings = self._standing(games)
        if sides == 1:
            return
        for name, rule, numbers in (
            ("winner", share_of_victory, standings),
            ("rank", rank_value, standings),
            ("margin", lead, scores),
        ):
            total = sum(float(rule(numbers, side)) for side in range(sides))
            self._expect(
                "rewards", abs(total) < TOLERANCE * max(1, np.abs(numbers).max()),
                f"reward {name!r} sums to {total:g} over the sides: expected 0",
            )  # fmt: skip

    def _replay(self, games: Games, seed: int, actions: list[int]) -> None:
        replay = self._run(
            "replay", "a replay", lambda: replays.from_actions(self.game, seed, actions)
        )
        read = self._run("replay", "a replay", lambda: replays.parse(replays.dump(replay)))
        self._expect("replay", read == replay, "a replay differs after it was written and read")
        self._run("replay", "verifying a replay", lambda: replays.verify(read))
        if replay.plies:
            same = replay.plies[-1].after == digest(games, HERE)
            self._expect("replay", same, "a replay ends in another position than the game")

    def afterwards(self) -> None:
        """Check what only all games together show."""
        self._where = {}
        self._expect(
            "redeal", self._reseeds or not self._draws,
            "redeal_hidden keeps rng, which play draws from: expected another, or a search "
            "foresees what is drawn",
        )  # fmt: skip

    # ---------------------------------------------------------------------------------- frameworks

    def frameworks(self, seed: int, spawn: bool) -> None:
        """Check pickling, batches, PettingZoo and Gymnasium."""
        self._where = {}
        packed = self._run("pickle", "pickling", lambda: pickle.dumps(self.game))
        other = self._run("pickle", "unpickling", lambda: pickle.loads(packed))
        same = (other.name, other.options) == (self.game.name, self.game.options)
        self._expect("pickle", same, "the game differs after pickling")
        opening = digest(self.game.deal(1, seed))
        same = digest(other.deal(1, seed)) == opening
        self._expect("pickle", same, "the game deals otherwise after pickling")
        if spawn:
            found = _in_spawned_process(packed, seed)
            says = f"a spawned process cannot load the game: {found}"
            self._expect("pickle", found == opening, says)
        self._run("batch", "the batch", lambda: self._batch(seed))
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            self.made["pettingzoo"] += 1
            self._run("pettingzoo", "api_test", lambda: _api_test(self.game))
            self.made["gymnasium"] += 1
            self._run("gymnasium", "check_env", lambda: _check_env(self.game))

    def _batch(self, seed: int) -> None:
        """Compare a batch with single games."""
        game, which = self.game, range(BATCH_ENVS)
        vec = VectorGames(game, num_envs=BATCH_ENVS, seed=seed)
        observations, masks, to_play = vec.reset()
        for _ in range(BATCH_STEPS):
            for i in which:
                seat = int(to_play[i])
                same = seat == vec.games["to_play"][i]
                same = same and np.array_equal(masks[i], game.legal_actions(vec.games, i))
                same = same and np.array_equal(observations[i], game.observe(vec.games, i, seat))
                self._expect("batch", bool(same), f"env {i}: expected what single games give")
            single = clone(vec.games)
            actions: Index = np.array(
                [self._rng.choice(np.flatnonzero(masks[i])) for i in which], np.int64
            )
            observations, masks, to_play, _, terminated, truncated = vec.step(actions)
            for i in which:
                game.play(single, i, int(actions[i]))
                over = int(single["over"][i])
                same = (terminated[i], truncated[i]) == (over == FINISHED, over == TRUNCATED)
                if over == NOT_OVER:
                    same = same and single[i].tobytes() == vec.games[i].tobytes()
                self._expect("batch", bool(same), f"env {i}: a step differs from a single game's")
        vec.close()


def _changes(before: Games, after: Games, g: int = HERE) -> str:
    """Return the fields in which two records differ, in words."""
    names = [
        name
        for name in before.dtype.names or ()
        if not np.array_equal(before[name][g], after[name][g])
    ]
    if not names:
        return "another game of the batch"
    return f"field{'s' * (len(names) > 1)} {', '.join(map(repr, names))}"


def _block(game: Game, at: int) -> str:
    """Return which number of an observation one is, in words."""
    layout = game.observation_layout
    order = np.arange(game.observation_size).astype(np.float32)
    names = [name for name in layout.blocks if at in layout.view(order, name)]
    return f"number {at} (block {names[0]!r})" if names else f"number {at}"


def _api_test(game: Game) -> None:
    from pettingzoo.test import api_test  # noqa: PLC0415 - for those who check games only

    api_test(wrapped(BoardGameAEC(game)), num_cycles=CYCLES)


def _check_env(game: Game) -> None:
    from gymnasium.utils.env_checker import check_env  # noqa: PLC0415 - as above

    check_env(BoardGameGym(game), skip_render_check=True)


def _in_spawned_process(packed: bytes, seed: int) -> str:
    """Return the digest of a deal in a spawned process, or what went wrong there."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_load_and_deal, args=(theirs, packed, seed), daemon=True)
    process.start()
    theirs.close()
    try:
        found = str(ours.recv())
    except EOFError:
        process.join()
        found = f"it ended with exit code {process.exitcode}"
    process.join()
    ours.close()
    return found


def _load_and_deal(pipe: Connection, packed: bytes, seed: int) -> None:
    """Send the digest of a deal; the body of the spawned process."""
    try:
        game = pickle.loads(packed)
        pipe.send(digest(game.deal(1, seed)))
    except Exception as error:  # whatever keeps it from loading is told to the parent
        pipe.send(f"{type(error).__name__}: {' '.join(str(error).split())[:200]}")
