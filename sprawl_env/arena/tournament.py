"""Let agents play a tournament: paired deals, all cores, ratings with intervals, one report.

    python -m experiments.tournament --agents random greedy --games 1000
    python -m experiments.tournament --game ginkgopolis --seats 4 --agents random greedy bots:Mine

*Line-ups.*  Two seats: every pair of agents; with ``--reach K`` only those at most K places apart
in the list, for a ladder whose ends need no proof.  More seats: every choice of as many different
agents as there are seats; with fewer agents than seats, every way to fill the seats with at least
two different ones (3 agents on 4 seats: 12 line-ups; 4 on 5: 52).  All line-ups play the same
deals, each deal once with every rotation of the seats, so luck of the deal and of the seat cancels.

*Trust.*  Every game has agents of its own, seeded by the tournament's seed, the line-up, the deal,
the rotation and the seat, so results depend neither on the number of processes nor on
interruptions (agents with a time budget excepted).  A bot that cannot be made, raises, answers
anything but one legal action, takes longer than ``--move-seconds`` or takes its process with it
forfeits the game, with the reason: the others share the victory, there are no scores.

*Files.*  ``config.json``; ``results.jsonl`` and ``timings.jsonl``, a line a game, in order once
all are played; with ``--replays`` a file a game under ``replays/``; then ``report.md``, ``.json``,
``.png`` and ``.html``.  The same command again goes on where it was stopped.
"""

from __future__ import annotations

import itertools
import json
import os
import signal
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from filelock import FileLock, Timeout

import sprawl_env
from sprawl_env.arena import report
from sprawl_env.arena.evaluation import games_bar
from sprawl_env.arena.journal import Journal, Row
from sprawl_env.arena.match import Forfeit, Match, Outcome, forfeited, play_game
from sprawl_env.arena.workers import Done, Lost, Watch, Work, WorkerError, Workers
from sprawl_env.bots.names import make_bot
from sprawl_env.bots.protocol import Bot, ask
from sprawl_env.bots.random import RandomBot
from sprawl_env.bots.user import UserBot
from sprawl_env.console import console, counted, fail, parse_options, run, say
from sprawl_env.core.errors import InvalidOption, SprawlError
from sprawl_env.core.files import write_atomically
from sprawl_env.core.game import Game, check_seed
from sprawl_env.core.provenance import code_digest, provenance
from sprawl_env.kernels.rng import combine
from sprawl_env.replays.format import dump
from sprawl_env.replays.recording import from_actions

FEWEST: Final = 2  # agents, and seats
AGENTS_OF_DEAL: Final = 1  # of a deal's seed: 0 deals the game (Game.deal), 1 seeds its agents
KILLED: Final = (-9, -15)  # exit codes: perhaps somebody else's doing, or short of memory
MOST_LOSSES: Final = (
    2  # of one game, before a death that may be nobody's fault is held against a bot
)
INTERRUPTED: Final = 130


@dataclass(frozen=True)
class Config:
    """Every number the tournament depends on."""

    game: str = "tower_up"
    """name of the game"""
    agents: tuple[str, ...] = ("random", "greedy")
    """two or more: random, greedy, checkpoint:PATH, module:Class (a bot of your own)"""
    games: int = 1000
    """games of each line-up, rounded up to whole rotations"""
    seats: int = 2
    """seats"""
    seed: int = 0
    """deals and agents follow from it"""
    reach: int = 0
    """2 seats: how far apart in the list agents may be to meet; 0: any"""
    options: tuple[str, ...] = ()
    """further options of the game, e.g. objectives=start"""
    move_seconds: float = 60.0
    """what a bot of yours (module:Class) may take for a decision, or to be made"""
    replays: bool = False
    """keep every game, to be looked at by sprawl_env.commands.replay"""
    processes: int = 0
    """worker processes; 0: one a core"""
    out: Path | None = None
    """folder of results (default: runs/tournament-GAME-SEATS-SEED)"""


# --------------------------------------------------------------------------------- who plays whom


def line_ups(names: Sequence[str], seats: int, reach: int = 0) -> list[tuple[str, ...]]:
    """Return who plays together; see the top of this file."""
    if reach:
        pairs = itertools.combinations(range(len(names)), 2)
        return [(names[a], names[b]) for a, b in pairs if b - a <= reach]
    if len(names) >= seats:
        return list(itertools.combinations(names, seats))
    filled = itertools.combinations_with_replacement(names, seats)
    return [line_up for line_up in filled if len(set(line_up)) >= FEWEST]


@dataclass(frozen=True)
class Schedule:
    """Which games are played; they are numbered deal by deal, then line-up by line-up.

    Attributes:
        line_ups: who plays together.
        seats: how many sit at a table.
        deals: how many deals every line-up plays, with every rotation.
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
        """Return the number of the game that a row is about; -1 if there is none."""
        try:
            deal, line_up, rotation = (int(row[key]) for key in ("deal", "line_up", "rotation"))
        except (KeyError, TypeError, ValueError):
            return -1
        number = (deal * len(self.line_ups) + line_up) * self.seats + rotation
        fits = 0 <= number < len(self) and self.place(number) == (deal, line_up, rotation)
        return number if fits else -1

    def members(self, number: int) -> list[int]:
        """Return which member of its line-up sits on each seat."""
        rotation = number % self.seats
        return [(seat - rotation) % self.seats for seat in range(self.seats)]

    def sitting(self, number: int) -> list[str]:
        """Return the agents of a game by seat."""
        line_up = self.line_ups[self.place(number)[1]]
        return [line_up[member] for member in self.members(number)]

    def row(self, number: int) -> Row:
        """Return what every line about a game begins with."""
        deal, line_up, rotation = self.place(number)
        return {
            "deal": deal,
            "line_up": line_up,
            "rotation": rotation,
            "agents": self.sitting(number),
        }


def replay_name(row: Row) -> str:
    """Return the file name of a game's replay."""
    return f"deal-{row['deal']:05}-line-up-{row['line_up']:03}-rotation-{row['rotation']}.jsonl"


# ------------------------------------------------------------------------------- what workers do


@dataclass(frozen=True)
class Setup:
    """What a worker needs to know; picklable."""

    game: Game
    schedule: Schedule
    seed: int
    replays: bool


@dataclass(frozen=True)
class Played:
    """What a worker tells of a game."""

    result: Row
    timing: Row
    replay: str | None = None


def result_row(schedule: Schedule, number: int, outcome: Outcome) -> Row:
    """Return a game's line of the results."""
    return {**schedule.row(number), **asdict(outcome)}


def play_number(setup: Setup, number: int, watch: Watch) -> Played:
    """Play the game with that number."""
    schedule = setup.schedule
    deal, line_up, rotation = schedule.place(number)
    names = schedule.sitting(number)
    dealt_from = combine(setup.seed, deal)
    seed = combine(combine(combine(dealt_from, AGENTS_OF_DEAL), line_up), rotation)
    makers = [
        partial(make_bot, name, setup.game, combine(seed, member))
        for name, member in zip(names, schedule.members(number), strict=True)
    ]
    match = play_game(setup.game, makers, dealt_from, watch)
    timing = {
        **schedule.row(number),
        "seconds": [round(s, 6) for s in match.seconds],
        "decisions": match.decisions,
    }
    kept = _replay(setup.game, dealt_from, names, match) if setup.replays else None
    return Played(result_row(schedule, number, match.outcome), timing, kept)


def _replay(game: Game, dealt_from: int, names: list[str], match: Match) -> str:
    about: dict[str, Any] = {"agents": names}
    if match.outcome.forfeit is not None:
        about["forfeit"] = asdict(match.outcome.forfeit)
    return dump(from_actions(game, dealt_from, match.actions, **about))


def begin(setup: Setup) -> Work:
    """Return what does a task in a worker; no bot's first decision waits for kernels to load."""
    warm_up(setup.game)
    return partial(play_number, setup)


def judge(
    lost: Lost, names: Sequence[str], users: set[str], limit: float, losses: int
) -> Forfeit | None:
    """Return whose forfeit a lost game is; None if it is to be played again.

    Args:
        lost: how it was lost.
        names: agents by seat.
        users: those of them that are users' bots.
        limit: seconds a decision may take.
        losses: how often the game has been lost, this time included.

    Raises:
        WorkerError: it was nobody's fault, again.
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
    if not suspects:
        raise WorkerError(
            f"the worker process of {' v '.join(names)} died twice ({how}); what is played is "
            f"kept, the same command goes on"
        )
    when = "" if deciding else " outside of its decisions"
    seat = lost.seat if deciding else suspects[0]
    return Forfeit(seat, lost.ply, f"its process died{when} ({how})")


# ------------------------------------------------------------------------------------- the folder


class Folder:
    """A tournament's folder, held by one process at a time.

    Raises:
        InvalidOption: it is another's, or holds something else.
    """

    def __init__(self, path: Path, config: Config, schedule: Schedule) -> None:
        self.path = path
        self._schedule = schedule
        mine = self._description(config)
        kept = path / "config.json"
        if path.exists() and not path.is_dir():
            raise InvalidOption(f"out={str(path)!r}: expected a folder")
        if kept.exists():
            self._compare(kept, mine)
        elif path.exists() and any(not p.name.startswith(".") for p in path.iterdir()):
            raise InvalidOption(f"out={str(path)!r}: expected an empty folder or a tournament's")
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(path / ".lock", timeout=0)
            self._lock.acquire()
        except Timeout:
            raise InvalidOption(f"out={str(path)!r}: another tournament is writing there") from None
        except OSError as error:
            raise InvalidOption(f"out={str(path)!r}: {error.strerror}") from None
        for rest in path.rglob(".*.[0-9]*"):  # of a process killed while it wrote
            rest.unlink()
        if not kept.exists():
            write_atomically(kept, json.dumps({**mine, **provenance()}, indent=1) + "\n")
        try:
            self._results = Journal(path / "results.jsonl")
            self._timings = Journal(path / "timings.jsonl")
            self.results = self._by_number(self._results)
            self.timings = self._by_number(self._timings)
        except SprawlError:
            self.close()
            raise

    @staticmethod
    def _description(config: Config) -> dict[str, Any]:
        """Return what must be the same for a tournament to go on."""
        compared = {k: v for k, v in asdict(config).items() if k not in report.OF_THE_MACHINE}
        return {"config": json.loads(json.dumps(compared)), "code": code_digest()}

    def _compare(self, kept: Path, mine: dict[str, Any]) -> None:
        where = f"out={str(self.path)!r}"
        try:
            theirs = json.loads(kept.read_text(encoding="utf-8"))
            config = dict(theirs["config"])
        except (OSError, ValueError, TypeError, KeyError):
            raise InvalidOption(f"{where}: {kept.name} is no tournament's") from None
        for key, value in mine["config"].items():
            if config.get(key) != value:
                raise InvalidOption(
                    f"{where}: holds a tournament with {key}={config.get(key)!r}, not {value!r}: "
                    f"choose another folder"
                )
        if theirs.get("code") != mine["code"]:
            raise InvalidOption(
                f"{where}: was begun with other rules or agents, the code has changed since: "
                f"choose another folder"
            )

    def _by_number(self, journal: Journal) -> dict[int, Row]:
        found = {self._schedule.number(row): row for row in journal.rows}
        for number, row in found.items():
            if number < 0 or row.get("agents") != self._schedule.sitting(number):
                raise InvalidOption(f"{journal.path}: holds a game that is not of this tournament")
        return found

    def add(self, played: Sequence[Played]) -> None:
        """Keep some games; they are on disk on return, the results last."""
        for game in played:
            if game.replay is not None:
                write_atomically(self.path / "replays" / replay_name(game.result), game.replay)
        self._timings.append(game.timing for game in played)
        self._results.append(game.result for game in played)
        for game in played:
            number = self._schedule.number(game.result)
            self.results[number], self.timings[number] = game.result, game.timing

    def finish(self) -> tuple[list[Row], list[Row]]:
        """Put the lines in order; returns the results and the timings."""
        timings = [self.timings[number] for number in sorted(self.timings)]
        results = [self.results[number] for number in sorted(self.results)]
        self._timings.replace(timings)
        self._results.replace(results)
        return results, timings

    def close(self) -> None:
        """Let go of the folder."""
        self._lock.release()


# ------------------------------------------------------------------------------------ the command


def check(config: Config) -> Game:
    """Return the game, the configuration checked.

    Raises:
        SprawlError: some value is not allowed.
    """
    for name, least in (("games", 1), ("seats", FEWEST), ("reach", 0), ("processes", 0)):
        value = getattr(config, name)
        if value < least:
            raise InvalidOption(f"{name}={value}: expected a whole number from {least}")
    if config.reach and config.seats != FEWEST:
        raise InvalidOption(f"reach={config.reach}: expected 0 with {config.seats} seats")
    if not config.move_seconds > 0:
        raise InvalidOption(f"move_seconds={config.move_seconds}: expected more than 0")
    check_seed(config.seed)
    if len(config.agents) < FEWEST:
        raise InvalidOption(f"agents: expected {FEWEST} or more, got {len(config.agents)}")
    for name, times in Counter(config.agents).items():
        if times > 1:
            raise InvalidOption(f"agents: {name!r} is named {times} times, expected once")
    return sprawl_env.game(config.game, num_players=config.seats, **parse_options(config.options))


def warm_up(game: Game) -> None:
    """Compile or load all that a game needs to be played."""
    games = game.deal(1, 0)
    game.observe(games, 0, int(games["to_play"][0]))
    game.redeal_hidden(games, 0, 0, int(games["to_play"][0]))
    play_game(game, [partial(RandomBot, seat) for seat in range(game.num_seats)], seed=0)


def rehearse(game: Game, names: Sequence[str]) -> set[str]:
    """Make every agent once and return those that are users' bots.

    Bad names are found out before anything is written, and what must be compiled is, once, before
    several processes want it.

    Raises:
        SprawlError: there is no such agent, or it is not for this game.
    """
    warm_up(game)
    games = game.deal(1, 0)
    mask = game.legal_actions(games)[None]
    seen = game.observe(games, 0, int(games["to_play"][0]))[None]
    users = set()
    for name in names:
        agent: Bot = make_bot(name, game)
        if isinstance(agent, UserBot):
            users.add(name)
        else:
            ask(agent, game, games, np.zeros(1, np.int64), seen, mask)
    return users


def play(config: Config, setup: Setup, users: set[str], folder: Folder) -> None:
    """Play what is missing behind a progress bar."""
    schedule = setup.schedule
    missing = [n for n in range(len(schedule)) if n not in folder.results]
    losses: Counter[int] = Counter()

    def seconds(number: int, seat: int) -> float:
        mine = schedule.sitting(number)[seat] in users
        return config.move_seconds if mine else float("inf")

    def settle(item: Done | Lost) -> list[Played]:
        if isinstance(item, Done):
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

    bar = games_bar()
    count = min(config.processes or os.cpu_count() or 1, max(len(missing), 1))
    with bar, Workers(begin, setup, count, seconds) as workers:
        shown = bar.add_task("games", total=len(schedule), completed=len(folder.results))
        for found in workers.results(missing):
            played = [game for item in found for game in settle(item)]
            folder.add(played)
            bar.advance(shown, len(played))


def main(config: Config) -> None:
    """Run the tournament, or the rest of it, and write its report."""
    game = check(config)
    users = rehearse(game, config.agents)
    pairings = tuple(line_ups(config.agents, config.seats, config.reach))
    schedule = Schedule(pairings, config.seats, -(-config.games // config.seats))
    out = config.out or Path("runs") / f"tournament-{config.game}-{config.seats}-{config.seed}"
    folder = Folder(out, config, schedule)
    say(
        f"{game.title}, {config.seats} seats: {counted(len(pairings), 'line-up')}, "
        f"{counted(schedule.deals, 'deal')}, {counted(len(schedule), 'game')}"
        + (f", {len(folder.results):,} are there" if folder.results else "")
    )
    try:
        play(config, Setup(game, schedule, config.seed, config.replays), users, folder)
        found = report.summarise(config, *folder.finish())
        report.write(out, found)
    except KeyboardInterrupt:
        say(
            f"stopped: {len(folder.results):,} of {len(schedule):,} games are kept; "
            f"the same command goes on"
        )
        raise SystemExit(INTERRUPTED) from None
    except OSError as error:
        fail(f"out={str(out)!r}: {error.strerror}: the same command goes on")
    finally:
        folder.close()
    for table in report.tables(found)[:2]:
        console().print(report.for_console(table))
    say(f"report: {out / 'report.md'} and {out / 'report.html'}")


if __name__ == "__main__":
    run(main, Config)
