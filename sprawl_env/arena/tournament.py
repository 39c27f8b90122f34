"""Tournaments: paired deals on all cores, ratings with intervals, one report.

*Line-ups.*  Two seats: every pair of bots; with ``reach=K`` only pairs at most K places apart in
the list, which is enough for a ladder.  More seats: every choice of as many different bots as there
are seats; with fewer bots than seats, every way to fill the seats with at least two different bots
(3 bots on 4 seats: 12 line-ups; 4 on 5: 52).  All line-ups play the same deals, each deal once with
every rotation of the seats, which cancels the advantage of a deal or a seat.

*Failures.*  Every game has its own bots, seeded by the tournament's seed, the line-up, the deal,
the rotation and the seat.  Results therefore depend neither on the number of processes nor on
interruptions, except for bots with a time budget.  A user's bot that cannot be made, raises an
exception, returns anything but one legal action, takes longer than ``move_seconds`` or ends its
process forfeits the game, with the reason: the others share the victory, and there are no scores.

*Files.*  ``config.json``; ``results.jsonl`` and ``timings.jsonl``, one line a game, sorted once all
games are played; with ``replays`` one file a game under ``replays/``, but none of a game that a bot
lost with its process or its time; then ``report.md``, ``report.json``, ``report.png`` and
``report.html``.  A tournament that was interrupted continues if it is started again with the same
arguments.
"""

from __future__ import annotations

import copy
import json
import os
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sprawl_env.arena import report
from sprawl_env.arena.engines import MOST_LOSSES, Pool, check_engine, pool_of
from sprawl_env.arena.entrants import (
    check_instance,
    guarded_bot,
    made_of,
    made_of_instance,
    names_of,
    pinned,
)
from sprawl_env.arena.journal import Journal, Row, replay_name
from sprawl_env.arena.match import Forfeit, Match, Outcome, forfeited, play_game
from sprawl_env.arena.report_page import replay_pages, write_report
from sprawl_env.arena.schedule import FEWEST, Config, Schedule, is_result, is_timing, line_ups
from sprawl_env.arena.workers import Done, Lost, Watch, Work, WorkerError
from sprawl_env.bots.names import make_bot
from sprawl_env.bots.protocol import Bot, ask
from sprawl_env.bots.random import RandomBot
from sprawl_env.bots.user import UserBot
from sprawl_env.console import count_bar, option_words, say
from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import check_seed, check_whole
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.extras import require
from sprawl_env.core.files import parse_json, read_text, remove_leftovers, write_atomically
from sprawl_env.core.folders import locked_folder
from sprawl_env.core.game import Game
from sprawl_env.core.provenance import code_digest, provenance
from sprawl_env.core.registry import as_game, game_word
from sprawl_env.core.rules import GameRules
from sprawl_env.core.state import NOBODY
from sprawl_env.core.words import counted
from sprawl_env.kernels.rng import combine
from sprawl_env.replays.format import dump
from sprawl_env.replays.recording import from_actions

if TYPE_CHECKING:
    import polars as pl

MADE: Final = "made_of"  # of a folder's description: what the bots are made of
KEPT: Final = "the games played so far are kept: run the same command again to continue"
BOTS_OF_DEAL: Final = 1  # stream of a deal's seed: 0 deals the game (Game.deal), 1 seeds its bots
KILLED: Final = (-9, -15)  # exit codes of a process that was killed from outside


@dataclass(frozen=True, kw_only=True)
class TournamentSettings:
    """Settings that few tournaments need to change.

    Attributes:
        reach: two seats: how far apart in the list bots meet; 0: any.
        move_seconds: time limit for a decision of a user's bot, and for making it.
        replays: whether every game is stored as a replay; needs a folder.
        engine: who plays: ``"local"``, worker processes of this machine, or ``"ray"``, the nodes of
            a Ray cluster.  Results do not depend on it.
    """

    reach: int = Config.reach
    move_seconds: float = Config.move_seconds
    replays: bool = Config.replays
    engine: str = "local"


@dataclass(frozen=True)
class Tournament:
    """What :func:`tournament` played.

    Attributes:
        report: every figure of ``report.json``.
        results: one row a game, as in ``results.jsonl``.
        timings: one row a game, as in ``timings.jsonl``.
        folder: where the files are; None if none were kept.
    """

    report: report.Report = field(repr=False)
    results: tuple[Row, ...] = field(repr=False)
    timings: tuple[Row, ...] = field(repr=False)
    folder: Path | None = None

    def frame(self) -> pl.DataFrame:
        """Return ratings and figures as a polars DataFrame: one row a bot, the best first.

        Raises:
            MissingExtra: polars is not installed.
        """
        frame: pl.DataFrame = require("polars", "frame()").DataFrame(self.report["bots"])
        return frame


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a tournament; the message says what is kept."""


# -------------------------------------------------------------------------------- in a worker


@dataclass(frozen=True)
class Setup:
    """What a worker needs; picklable.

    Attributes:
        game: the game.
        schedule: the games.
        seed: of the tournament.
        replays: whether replays are stored.
        instances: the bots that were given as instances or classes, by name.
        pinned: the names by which workers make the others, see
            :func:`~sprawl_env.arena.entrants.pinned`.
    """

    game: Game
    schedule: Schedule
    seed: int
    replays: bool
    instances: Mapping[str, Bot | type[Bot]] = field(default_factory=dict)
    pinned: Mapping[str, str] = field(default_factory=dict)

    def maker(self, name: str, seed: int) -> Callable[[], Bot]:
        """Return a function that makes a bot for one game."""
        if name not in self.instances:
            return partial(make_bot, self.pinned.get(name, name), self.game, seed)

        def make() -> Bot:
            bot = guarded_bot(copy.deepcopy(self.instances[name]), self.game, seed)
            bot.seed(seed)
            return bot

        return make


@dataclass(frozen=True)
class Played:
    """What a worker returns for a game."""

    result: Row
    timing: Row
    replay: str | None = None


def result_row(schedule: Schedule, number: int, outcome: Outcome) -> Row:
    """Return a game's row of the results."""
    return {**schedule.row(number), **asdict(outcome)}


def play_number(setup: Setup, number: int, watch: Watch) -> Played:
    """Play the game with a number."""
    schedule = setup.schedule
    deal, line_up, rotation = schedule.place(number)
    names = schedule.sitting(number)
    dealt_from = combine(setup.seed, deal)
    seed = combine(combine(combine(dealt_from, BOTS_OF_DEAL), line_up), rotation)
    makers = [
        setup.maker(name, combine(seed, member))
        for name, member in zip(names, schedule.members(number), strict=True)
    ]
    match = play_game(setup.game, makers, dealt_from, watch, keep_visits=setup.replays)
    timing = {
        **schedule.row(number),
        "seconds": [round(s, 6) for s in match.seconds],
        "decisions": list(match.decisions),
    }
    kept = _replay(setup.game, dealt_from, names, match) if setup.replays else None
    return Played(result_row(schedule, number, match.outcome), timing, kept)


def _replay(game: Game, dealt_from: int, names: list[str], match: Match) -> str:
    about: dict[str, Any] = {"bots": names}
    if match.outcome.forfeit is not None:
        about["forfeit"] = asdict(match.outcome.forfeit)
    return dump(from_actions(game, dealt_from, match.actions, match.visits, **about))


def begin(setup: Setup) -> Work:
    """Return the function that plays a game in a worker, with all kernels loaded."""
    warm_up(setup.game)
    return partial(play_number, setup)


def judge(
    lost: Lost, names: Sequence[str], users: set[str], limit: float, losses: int
) -> Forfeit | None:
    """Return the forfeit for a game whose worker was lost; None if it is played again.

    Args:
        lost: how the worker was lost.
        names: bots by seat.
        users: the names of users' bots.
        limit: seconds that a decision may take.
        losses: how often a worker was lost in this game, this time included.

    Raises:
        WorkerError: it happened twice, in a decision of no user's bot.
    """
    if lost.exit_code is None:
        return Forfeit(lost.seat, lost.ply, f"no answer within {limit:g} seconds")
    suspects = [seat for seat, name in enumerate(names) if name in users]
    deciding = lost.seat in suspects
    if losses < MOST_LOSSES and (lost.exit_code in KILLED or not deciding):
        return None
    how = f"exit code {lost.exit_code}"
    if lost.exit_code < 0:
        how = f"signal {next((s.name for s in signal.Signals if s == -lost.exit_code), '?')}"
    if not suspects or (lost.seat != NOBODY and not deciding):
        raise WorkerError(f"the worker process of {' v '.join(names)} died twice ({how})")
    when = "" if deciding else " outside of its decisions"
    seat = lost.seat if deciding else suspects[0]
    return Forfeit(seat, lost.ply, f"its process died{when} ({how})")


def check_forfeit(row: Row, users: set[str]) -> None:
    """Check that a game that was not finished failed by a user's bot.

    Raises:
        WorkerError: a bot of this package failed, for want of memory or of its files, for example.
    """
    forfeit = row["forfeit"]
    if forfeit is not None and row["bots"][forfeit["seat"]] not in users:
        name = row["bots"][forfeit["seat"]]
        raise WorkerError(f"bot {name} failed at ply {forfeit['ply']}: {forfeit['reason']}")


# ------------------------------------------------------------------------------------- the folder


class Folder:
    """A tournament's folder, locked by one process at a time.

    Args:
        path: the folder.
        config: of the tournament.
        schedule: its games.
        made: what the bots are made of, by name (:func:`~sprawl_env.arena.entrants.made_of`).

    Raises:
        InvalidOption: it holds another tournament, or other files; hidden ones are left alone.
        OSError: it cannot be read or written.
    """

    def __init__(
        self,
        path: Path,
        config: Config,
        schedule: Schedule,
        made: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.path = path
        self._schedule = schedule
        mine = self._description(config, made)
        kept = path / "config.json"
        if path.exists() and not path.is_dir():
            raise InvalidOption(f"out={str(path)!r}: expected a folder")
        if os.path.lexists(kept):
            self._compare(kept, mine)
        elif path.exists() and any(not p.name.startswith(".") for p in path.iterdir()):
            raise InvalidOption(
                f"out={str(path)!r}: expected an empty folder or that of a tournament"
            )
        where, taken = f"out={str(path)!r}", "another tournament is writing to it"
        self._locked = ExitStack()
        self._locked.enter_context(locked_folder(path, where, taken))
        try:
            for folder in (path, path / "replays"):
                remove_leftovers(folder)
            if not kept.exists():
                write_atomically(kept, json.dumps({**mine, **provenance()}, indent=1) + "\n")
            self._results = Journal(path / "results.jsonl", partial(is_result, schedule.seats))
            self._timings = Journal(path / "timings.jsonl", partial(is_timing, schedule.seats))
            self.results = self._by_number(self._results)
            self.timings = self._by_number(self._timings)
        except BaseException:
            self.close()
            raise

    @staticmethod
    def _description(config: Config, made: Mapping[str, str]) -> dict[str, Any]:
        """Return what must be equal for a tournament to continue."""
        settings = json.loads(json.dumps(asdict(config)))
        return {"config": settings, "code": code_digest(), MADE: dict(made)}

    def _compare(self, kept: Path, mine: dict[str, Any]) -> None:
        where = f"out={str(self.path)!r}"
        try:
            theirs = parse_json(read_text(kept))
            config = dict(theirs["config"])
            made = dict(theirs.get(MADE, mine[MADE]))  # earlier versions do not say it
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            raise InvalidOption(f"{where}: {kept.name} is not that of a tournament") from None
        for key, value in mine["config"].items():
            if config.get(key) != value:
                raise InvalidOption(
                    f"{where}: holds a tournament with {key}={config.get(key)!r}, not {value!r}: "
                    f"choose another folder"
                )
        if theirs.get("code") != mine["code"]:
            raise InvalidOption(
                f"{where}: holds a tournament of another version of the rules or bots: "
                f"choose another folder"
            )
        changed = [name for name, digest in mine[MADE].items() if made.get(name) != digest]
        if changed:
            raise InvalidOption(
                f"{where}: holds games of {changed[0]} before the game, its code or its weights "
                f"changed: choose another folder"
            )

    def _by_number(self, journal: Journal) -> dict[int, Row]:
        found = {self._schedule.number(row): row for row in journal.rows}
        for number, row in found.items():
            if number < 0 or row.get("bots") != self._schedule.sitting(number):
                raise InvalidOption(f"{journal.path}: holds a game of another tournament")
        return found

    def add(self, played: Sequence[Played]) -> None:
        """Write some games to disk, the results last."""
        for game in played:
            if game.replay is not None:
                write_atomically(self.path / "replays" / replay_name(game.result), game.replay)
        self._timings.append(game.timing for game in played)
        self._results.append(game.result for game in played)
        for game in played:
            number = self._schedule.number(game.result)
            self.results[number], self.timings[number] = game.result, game.timing

    def finish(self) -> tuple[list[Row], list[Row]]:
        """Sort the files by game; return the results and the timings."""
        timings = [self.timings[number] for number in sorted(self.timings)]
        results = [self.results[number] for number in sorted(self.results)]
        self._timings.replace(timings)
        self._results.replace(results)
        return results, timings

    def close(self) -> None:
        """Release the lock."""
        self._locked.close()


# --------------------------------------------------------------------------------- the function


def check(config: Config) -> None:
    """Check the numbers of a configuration.

    Raises:
        InvalidOption: some value is not allowed.
    """
    for name, least in (("num_games", 1), ("num_players", FEWEST), ("reach", 0)):
        value = getattr(config, name)
        check_whole(f"{name}=", value, least)
    if config.reach and config.num_players != FEWEST:
        raise InvalidOption(f"reach={config.reach}: expected 0 with {config.num_players} seats")
    if not config.move_seconds > 0:
        raise InvalidOption(f"move_seconds={config.move_seconds}: expected more than 0")
    check_seed(config.seed)
    if len(config.bots) < FEWEST:
        raise InvalidOption(f"bots: expected {FEWEST} or more, got {len(config.bots)}")
    for name, times in Counter(config.bots).items():
        if times > 1:
            raise InvalidOption(f"bots: {name!r} is named {times} times, expected once")


def warm_up(game: Game) -> None:
    """Compile or load every kernel that a game needs."""
    games = game.deal(1, 0)
    game.observe(games, 0, int(games["to_play"][0]))
    game.redeal_hidden(games, 0, 0, int(games["to_play"][0]))
    play_game(game, [partial(RandomBot, seat) for seat in range(game.num_seats)], seed=0)


def rehearse(game: Game, bots: Sequence[str | Bot | type[Bot]]) -> set[str]:
    """Make every bot once and return the names of users' bots.

    Bad names are reported before any file is written, and kernels are compiled once, before several
    processes need them.

    Raises:
        SprawlError: there is no such bot, or it is not for this game.
    """
    warm_up(game)
    games = game.deal(1, 0)
    mask = game.legal_actions(games)[None]
    seen = game.observe(games, 0, int(games["to_play"][0]))[None]
    users = set()
    for name, given in zip(names_of(bots), bots, strict=True):
        bot = guarded_bot(given, game)
        if isinstance(bot, UserBot):
            users.add(name)
        else:
            asked = copy.deepcopy(bot)  # what was given stays as it was
            ask(asked, game, games, np.zeros(1, np.int64), seen, mask)
    return users


def play(
    config: Config,
    setup: Setup,
    users: set[str],
    folder: Folder,
    pool: Callable[..., Pool],
    *,
    progress: bool,
) -> None:
    """Play the games that the folder does not hold yet, in a pool of worker processes."""
    schedule = setup.schedule
    missing = [n for n in range(len(schedule)) if n not in folder.results]
    losses: Counter[int] = Counter()

    def seconds(number: int, seat: int) -> float:
        mine = schedule.sitting(number)[seat] in users
        return config.move_seconds if mine else float("inf")

    def settle(item: Done | Lost) -> list[Played]:
        if isinstance(item, Done):
            check_forfeit(item.value.result, users)
            return [item.value]
        losses[item.task] += 1
        names = schedule.sitting(item.task)
        forfeit = judge(item, names, users, config.move_seconds, losses[item.task])
        if forfeit is None:
            workers.again(item.task)
            return []
        outcome = forfeited(schedule.seats, forfeit)
        timing = {**schedule.row(item.task), "seconds": None, "decisions": None}
        return [Played(result_row(schedule, item.task, outcome), timing)]

    bar = count_bar(shown=progress)
    with bar, pool(begin, setup, seconds=seconds) as workers:
        shown = bar.add_task("games", total=len(schedule), completed=len(folder.results))
        for found in workers.results(missing):
            played: list[Played] = []
            try:
                for item in found:
                    played += settle(item)
            finally:
                folder.add(played)
                bar.advance(shown, len(played))


@checked
def tournament(
    game: str | GameRules | Game,
    bots: Sequence[str | Bot | type[Bot]],
    *,
    num_games: int = 1000,
    seed: int = 0,
    settings: TournamentSettings | None = None,
    processes: int = 0,
    out: str | os.PathLike[str] | None = None,
    progress: bool = False,
    **options: Any,
) -> Tournament:
    """Play a tournament between bots and rate them; the file's docstring gives the rules.

    >>> found = sprawl_env.tournament("tower_up", ["random", "greedy"], num_games=100)
    >>> found.frame()

    Args:
        game: a game's name or import path, its rules, or a game with its options chosen.
        bots: two or more names (see :func:`sprawl_env.make_bot`), or bots or classes that can be
            pickled.
        num_games: games of each line-up, rounded up to whole rotations.
        seed: of deals and bots.
        settings: what few tournaments need to change, see :class:`TournamentSettings`.
        processes: worker processes; 0: one for each core, of this machine or of the cluster.
        out: folder for the files; an unfinished tournament there is continued.  None: no files.
        progress: print what is played and show a progress bar.
        **options: of the game, e.g. ``num_players=3``, unless ``game`` has them.

    Raises:
        SprawlError: there is no such game, option or bot, a number is not allowed, or the folder
            cannot be used.
        Interrupted: Ctrl-C was pressed.
    """
    chosen = settings or TournamentSettings()
    check_engine(chosen.engine, processes)
    if isinstance(out, str) and not out:
        raise InvalidOption("out='': expected a folder")
    if chosen.replays and out is None:
        raise InvalidOption("replays: expected a folder as out")
    names = tuple(names_of(bots))
    config = Config(
        bots=names,
        num_games=num_games,
        num_players=options.get("num_players", FEWEST),
        seed=seed,
        reach=chosen.reach,
        move_seconds=chosen.move_seconds,
        replays=chosen.replays,
    )
    check(config)
    made = as_game(game, **options)
    seats, words = made.num_seats, option_words(made)
    config = replace(config, game=game_word(made.rules), num_players=seats, options=words)
    check(config)
    users = rehearse(made, bots)
    instances = {
        name: bot for name, bot in zip(names, bots, strict=True) if not isinstance(bot, str)
    }
    for name, bot in instances.items():
        check_instance(name, bot)
    pairings = tuple(line_ups(names, seats, chosen.reach))
    schedule = Schedule(pairings, seats, -(-num_games // seats))
    fixed = {name: pinned(name) for name in names if name not in instances}
    setup = Setup(made, schedule, seed, chosen.replays, instances, fixed)
    with ExitStack() as stack:
        kept = out is not None
        path = Path(out or stack.enter_context(tempfile.TemporaryDirectory()))
        made_by = {name: made_of(word, made) for name, word in fixed.items()}
        made_by |= {name: made_of_instance(bot, made) for name, bot in instances.items()}
        try:
            folder = Folder(path, config, schedule, made_by)
            stack.callback(folder.close)
            if progress:
                _announce(made, schedule, folder, kept=kept)
            pool = partial(pool_of, chosen.engine, processes=processes)
            try:
                play(config, setup, users, folder, pool, progress=progress)
                results, timings = folder.finish()
                found = report.summarise(config, results, timings)
                if kept:
                    pages = replay_pages(path, results, made) if chosen.replays else {}
                    write_report(path, found, pages)
            except KeyboardInterrupt:
                count = f"{len(folder.results):,} of {len(schedule):,} games"
                raise Interrupted(
                    f"stopped: {count} are kept; run the same command again to continue"
                    if kept
                    else f"stopped after {count}"
                ) from None
        except WorkerError as error:
            raise WorkerError(f"{error}; {KEPT}" if kept else str(error)) from None
        except OSError as error:
            where = f"out={str(path)!r}" if kept else f"no room for the games in {path.parent}"
            again = ": run the same command again to continue" if kept else ""
            raise InvalidOption(f"{where}: {error.strerror}{again}") from None
    return Tournament(found, tuple(results), tuple(timings), path if kept else None)


def _announce(game: Game, schedule: Schedule, folder: Folder, *, kept: bool) -> None:
    """Print what is played, and what the report lacks without optional libraries."""
    say(
        f"{game.title}, {schedule.seats} seats: {counted(len(schedule.line_ups), 'line-up')}, "
        f"{counted(schedule.deals, 'deal')}, {counted(len(schedule), 'game')}"
        + (f", {len(folder.results):,} already played" if folder.results else "")
    )
    lacks = report.lacks(picture=kept)
    if lacks:
        say(f"note: {lacks}")
