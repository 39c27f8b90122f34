"""Games played at random, with every decision checked."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sprawl_env import replays
from sprawl_env.core.errors import IllegalAction
from sprawl_env.core.game import Game
from sprawl_env.core.rewards import lead, rank_reward, winner_reward
from sprawl_env.core.rules import PointsRow
from sprawl_env.core.state import NOT_OVER, CommonState, Games, clone, digest, raw_bytes
from sprawl_env.kernels.arrays import Mask
from sprawl_env.kernels.records import fields_of
from sprawl_env.kernels.rng import combine
from sprawl_env.testing.probe import HERE, ONLY, ConformanceError, Probe, block, changes

SEEDS: Final = 16  # openings compared
TRIES: Final = 2  # redeals of a position for each seat
JSON_EVERY: Final = 8  # plies
PICTURE_EVERY: Final = 25  # plies
TOLERANCE: Final = 1e-6
Legal = Callable[[Games, int], Iterable[int | str]]


class GameChecker(Probe):
    """Plays games.

    Attributes:
        decisions: how many decisions were looked at.
        ever_legal: int8 ``[num_actions]``, 1 = was legal at some time.
    """

    def __init__(
        self,
        game: Game,
        made: Counter[str],
        seed: int,
        legal: Legal | None,
        max_plies: int,
        actions_each: int,
    ) -> None:
        super().__init__(game, made)
        self._legal, self._max_plies, self._actions_each = legal, max_plies, actions_each
        self._rng = np.random.default_rng(seed)
        self._leak: ConformanceError | None = None  # raised at the end of the game
        self._draws = self._reseeds = False
        self.decisions = 0
        self.ever_legal: Mask = np.zeros(game.num_actions, np.int8)

    # ------------------------------------------------------------------------------ once per game

    def statics(self) -> None:
        """Check the record, the blocks and the seeds."""
        game, dtype = self.game, self.game.dtype
        fields: dict[str, Any] = dict(dtype.fields or {})
        for name, field in fields_of(CommonState).items():
            fits = name in fields and fields[name][0] == field.dtype
            self._expect("state", fits, f"field {name!r}: expected {field.dtype.name}")
        for name in game.option_fields:
            self._expect("state", name in fields, f"expected a field {name!r} for the option")
        whole = all(is_whole(field[0]) for field in fields.values())
        self._expect("state", whole, "expected fields of signed integers only")
        size = sum(field[0].itemsize for field in fields.values())
        same = size == dtype.itemsize
        self._expect("state", same, "the record has padding: expected kernels.records.record()")
        layout, order = game.observation_layout, np.arange(game.observation_size)
        parts = [layout.view(order.astype(np.float32), name).ravel() for name in layout.blocks]
        covered = np.sort(np.concatenate(parts)) if parts else order[:0]
        self._expect(
            "layout", np.array_equal(covered, order),
            f"observation blocks cover {covered.size} of {order.size} numbers: expected every "
            "number once and unique names",
        )  # fmt: skip
        for name, declared in layout.blocks.items():
            holds = 0 < declared.scale < np.inf
            says = f"observation block {name!r} has scale {declared.scale:g}: expected a number "
            self._expect("layout", holds, says + "above 0")
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
            "deal", same, lambda: f"the same seed gives another {changes(games, again, 0)}"
        )
        self._expect("deal", games["ply"][0] == 0, f"ply is {games['ply'][0]}, expected 0")
        self._fields("deal", games, 0)
        return games

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
        self._write("deal", "deal", again, combine(seed, 0))
        self._expect(
            "deal", clone(again, ONLY).tobytes() == opening.tobytes(),
            lambda: f"dealt over a finished game, {changes(opening, clone(again, ONLY), 0)} "
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
        self._take_back(games, mask, seat)
        self._illegal(games, mask)
        if self.decisions % JSON_EVERY == 0:
            alone = clone(games, ONLY)
            read = self._run("json", "from_json", lambda: game.from_json(game.to_json(alone)))
            self._expect(
                "json", read.tobytes() == alone.tobytes(),
                lambda: f"{changes(alone, read, 0)} differs after to_json and from_json",
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
        if self._kernels.owing is None:
            return
        bits = self._owed(games)
        expected = f"expected a number below {1 << self.game.num_seats}, with the seat to play"
        holds = 0 <= bits < 1 << self.game.num_seats and bool(bits >> seat & 1)
        self._expect("owing", holds, f"owing returns {bits}: {expected}")
        hides, several = self._kernels.hides, bits & (bits - 1) != 0
        if hides is None:
            self._expect("hides", not several, "several seats owe a choice: expected the kernel")
            return
        hidden = bool(self._read("hides", games, lambda: hides(self._tables, games, HERE)))
        self._expect("hides", hidden or not several, "hides returns False: several owe a choice")

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
                says = f"illegal action {action} changes {changes(kept, games)}"
                raise self._error("illegal", f"{says}: expected no change")

    # -------------------------------------------------------------------------- hidden information

    def _redealt(self, games: Games, seed: int, seat: int) -> Games:
        """Return the games, one redealt."""
        trial = clone(games)
        self._write("redeal", "redeal_hidden", trial, seed, seat)
        return trial

    def _redeal(self, games: Games, mask: Mask, seat: int, seen: npt.NDArray[Any]) -> None:
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
                    "leak", f"{block(self.game, int(differ[0]))} of the observation changes when "
                    f"redeal_hidden resamples {changes(games, trial)}: expected an observation of "
                    "what the seat knows",
                )  # fmt: skip
        if self.decisions % PICTURE_EVERY == 0 and self.game.rules.draw is not None:
            draw = functools.partial(self.game.svg, g=HERE, seat=seat)
            pictures = [self._run("picture", "draw", functools.partial(draw, games))]
            pictures.append(self._run("picture", "draw", functools.partial(draw, trial)))
            says = "the picture changes when redeal_hidden resamples what the seat cannot know"
            self._expect("picture", pictures[0] == pictures[1], says)
        tell = self.game.rules.describe_to
        if tell is not None:
            show = functools.partial(tell, self._tables)
            texts = [
                self._read("describe_to", at, functools.partial(show, at, HERE, seat))
                for at in (games, trial)
            ]
            says = "the text of describe_to changes when redeal_hidden resamples what is hidden"
            self._expect("names", texts[0] == texts[1], says)

    def _same_redeal(self, says: str, first: Games, again: Games) -> None:
        self._expect(
            "redeal", first.tobytes() == again.tobytes(),
            lambda: f"{says}, gives another {changes(first, again)}: expected a result that "
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
        if self._kernels.owing is not None:
            bits = [self._owed(each) >> seat & 1 for each in (games, trial)]
            same = bits[0] == bits[1]
            self._expect("redeal", same, "redeal_hidden changes whether the seat owes an answer")
        wrong = self._violation(trial, HERE)
        self._expect("redeal", not wrong, f"redeal_hidden leads to an impossible position: {wrong}")

    def _take_back(self, games: Games, mask: Mask, seat: int) -> None:
        """Let the others choose again what the seat has not seen: nothing changes for it."""
        if self._kernels.take_back is None:
            return
        trial = self._redealt(games, int(self._rng.integers(2**62)), seat)
        before, most = self._observation(trial, seat), int(trial["ply"][HERE])
        excluded = self._write("take_back", "take_back", trial, seat)
        fits = -1 <= excluded < self.game.num_actions
        self._expect("take_back", fits, f"take_back returns {excluded}: expected an action or -1")
        for _ in range(most):
            if trial["to_play"][HERE] == seat:
                break
            open_to_it = self._mask(trial)
            if excluded >= 0:
                open_to_it[excluded] = 0
            self._expect("take_back", bool(open_to_it.any()), "nothing can be chosen again")
            action = int(self._rng.choice(np.flatnonzero(open_to_it)))
            self._write("take_back", "play", trial, action, says="play after take_back")
        says = "once the others have chosen again what take_back took, "
        same = bool(trial["to_play"][HERE] == seat)
        self._expect("take_back", same, f"{says}another seat is to play")
        grown = int(trial["ply"][HERE]) - most
        self._expect("take_back", grown == 0, f"{says}ply has grown by {grown}")
        self._expect(
            "take_back",
            bool((self._mask(trial) == mask).all()),
            f"{says}the seat's mask is another",
        )
        differ = np.flatnonzero(self._observation(trial, seat) != before)
        self._expect(
            "take_back", differ.size == 0,
            lambda: f"{says}{block(self.game, int(differ[0]))} of the observation is another",
        )  # fmt: skip

    # ---------------------------------------------------------------------------------------- play

    def _played(self, games: Games, action: int) -> Games:
        """Return the games after an action, checked."""
        trial, says = clone(games), self.game.action_name(games, HERE, action)
        self._write("play", "play", trial, action, says=f"action {says!r}")
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
        seat, owed = int(games["to_play"][HERE]), self._owed(games)
        self._run("play", "play", lambda: self.game.play(games, HERE, legal[k]))
        self._expect(
            "play", games.tobytes() == after[k].tobytes(),
            lambda: f"the same action leads to another {changes(games, after[k])}",
        )  # fmt: skip
        rest = owed & ~(1 << seat)
        if rest:
            left = self._owed(games)
            says = f"owing returns {owed}, and {left} once seat {seat} has chosen"
            self._expect("owing", left == rest, f"{says}: expected {rest}")
        return int(legal[k])

    def _owed(self, games: Games) -> int:
        """Return the seats that owe a choice as bits; 0 for a game without such choices."""
        owing = self._kernels.owing
        if owing is None:
            return 0
        return int(self._read("owing", games, lambda: owing(self._tables, games, HERE)))

    # ---------------------------------------------------------------------------- after the end

    def _after_the_end(self, games: Games) -> None:
        mask = self._mask(games)
        self._expect("mask", not mask.any(), "actions are legal after the end: expected none")
        if self._kernels.owing is not None:
            bits = self._owed(games)
            self._expect("owing", bits == 0, f"owing returns {bits} after the end: expected 0")
        for seat in range(self.game.num_seats):
            self._observation(games, seat)
        self._illegal(games, mask)

    def _rewards(self, games: Games) -> None:
        """Check that what the sides earn sums to zero."""
        sides = self.game.num_sides
        scores, standings = self._standing(games)
        self._points(games, scores.tolist())
        if sides == 1:
            return
        for name, rule, numbers in (
            ("winner", winner_reward, standings),
            ("rank", rank_reward, standings),
            ("margin", lead, scores),
        ):
            total = sum(float(rule(numbers, side)) for side in range(sides))
            self._expect(
                "rewards", abs(total) < TOLERANCE * max(1, np.abs(numbers).max()),
                f"reward {name!r} sums to {total:g} over the sides: expected 0",
            )  # fmt: skip

    def _points(self, games: Games, scores: list[int]) -> None:
        """Check that the table of where points come from sums to the scores."""
        if self.game.rules.points is None:
            return
        rows = self._read(
            "points",
            games,
            lambda: [PointsRow(*row) for row in self.game.points(games, HERE)],
            "rewards",
        )
        at = next((k for k, row in enumerate(rows) if row.total), len(rows))
        sums = [sum(row.points[side] for row in rows[:at]) for side in range(len(scores))]
        total = list(rows[at].points) if at < len(rows) else None
        self._expect(
            "rewards", sums == total == scores,
            lambda: f"the rows of points sum to {sums}, their total is {total}: expected the "
            f"scores, {scores}",
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
        """Check what only all games together show, and what the other interfaces need."""
        self._where = {}
        given = [self._kernels.owing is not None, self.game.rules.wait is not None]
        if any(given):
            self._expect("owing", all(given), "expected GameRules.wait with GameKernels.owing")
            hides = self._kernels.hides is not None
            self._expect("hides", hides, "expected GameKernels.hides with GameKernels.owing")
        self._expect(
            "redeal", self._reseeds or not self._draws,
            "redeal_hidden keeps rng, which play draws from: expected another, or a search "
            "foresees what is drawn",
        )  # fmt: skip


def is_whole(dtype: np.dtype[Any]) -> bool:
    """Return whether a field holds only signed integers, also inside records."""
    if dtype.base.names is None:
        return dtype.base.kind == "i"
    return all(is_whole(dtype.base[name]) for name in dtype.base.names)
