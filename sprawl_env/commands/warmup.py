"""The command ``warmup``: compile the rules once, so that other processes only load them."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Final

import numba
import numpy as np

from sprawl_env.adapters.vector import make_vec
from sprawl_env.bots.heldout.books import GAMES
from sprawl_env.bots.names import make_bot
from sprawl_env.bots.policy.agents import BEST, best_of
from sprawl_env.commands.flags import GameNames, Switch
from sprawl_env.core.errors import SprawlError
from sprawl_env.core.game import Game
from sprawl_env.core.processes import spawn, usable_cores
from sprawl_env.core.registry import game as make_game
from sprawl_env.core.registry import game_names, rules_of
from sprawl_env.core.rules import Played
from sprawl_env.core.state import Games, clone

_BAR = 24
_LOOK_SECONDS: Final = 0.05  # that one process is waited for
LOOKS: Final = "legal actions and observations"  # kernels that need no game that was dealt
BOTS: Final = (
    "random",
    "greedy",
    "planner:playouts=2",
    "mcts:sims=2",
    "mcts:sims=2,widen=1",
    "search:agent=uniform,sims=2",
)  # with the kernels of all bots that play any game
HELD_OUT: Final = ("heldout:rules", "heldout:features")  # of the games of this package
NETWORKS: Final = (f"agent:{BEST}", f"search:agent={BEST},sims=2")  # where a game has an agent


def stages(name: str) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the kernels to compile for one game, in order: what each is, and a call of it."""
    game: Game = make_game(name)
    games = game.deal(0)

    def deal() -> None:
        nonlocal games
        games = game.deal(1)

    yield "deal", deal
    yield "legal actions", lambda: game.legal_actions(games, 0)
    yield "play", lambda: game.play(games, 0, int(np.argmax(game.legal_actions(games, 0))))
    yield "observe", lambda: game.observe(games, 0, 0)
    yield (
        "scores",
        lambda: (game.scores(games, 0), game.standings(games, 0), game.scores(games)),
    )
    if game.kernels.owing is not None:
        owing = game.kernels.owing
        yield "simultaneous choices", lambda: owing(game.tables, games, 0)
    yield "changes of a ply", lambda: _changes(game, games)
    yield "redeal hidden", lambda: game.redeal_hidden(games, 0, 0, 0)
    yield "batches", lambda: _batches(game)


def _changes(game: Game, before: Games) -> None:
    action = int(np.argmax(game.legal_actions(before, 0)))
    after = clone(before)
    game.play(after, 0, action)
    game.changes(before, after, 0, Played(int(before["to_play"][0]), action, ""))


def _batches(game: Game) -> None:
    vec = make_vec(game, 2)
    vec.reset()
    vec.step(vec.sample_actions())


def compile_game(name: str, report: Callable[[str], None]) -> None:
    """Compile one game; ``report`` is called before each stage and once at the end."""
    for what, compile_it in stages(name):
        report(f"{name}: {what}")
        compile_it()
    report(f"{name}: ready")


def bots_of(name: str) -> tuple[str, ...]:
    """Return bots of a game that have the kernels of all its bots."""
    game = make_game(name)
    found = BOTS + HELD_OUT if game.name in GAMES else BOTS
    return found if best_of(game.name, game) == BEST else found + NETWORKS


def compile_bot(name: str, bot: str, report: Callable[[str], None]) -> None:
    """Compile a bot of a game by letting it make one decision; ``report`` is called at the end."""
    game = make_game(name)
    games = game.deal(1)
    made = make_bot(bot, game)
    seen = game.observe(games, 0, 0)[None] if made.needs_observations else None
    made.act(seen, game.legal_actions(games, 0)[None], games)
    report(f"{name}: {bot.partition(':')[0]}")


def compile_looks(name: str) -> None:
    """Compile ``legal_actions`` and ``observe``, which needs no game that was dealt."""
    game = make_game(name)
    games, observation = game.empty(1), np.zeros(game.observation_size, np.int8)
    mask = np.zeros(game.num_actions, np.int8)
    for look, arguments in (
        (game.kernels.legal_actions, (game.tables, games, 0, mask)),
        (game.kernels.observe, (game.tables, games, 0, 0, observation)),
    ):
        compile_it: Callable[[object], object] | None = getattr(look, "compile", None)
        if compile_it is not None:  # None where numba is disabled
            compile_it(tuple(numba.typeof(argument) for argument in arguments))


def warm_up(names: list[str], *, with_bots: bool = False) -> float:
    """Compile games and their bots with a progress bar; return the seconds it took.

    With several cores, games are compiled at the same time, the largest first, and the bots of a
    game as soon as the game is ready.  A single game is compiled in two processes: one compiles
    ``legal_actions`` and ``observe``, which the other then loads from the cache.
    """
    start = time.perf_counter()
    names = sorted(names, key=lambda name: -rules_of(name).state.itemsize)
    bots = {name: bots_of(name) if with_bots else () for name in names}
    total = sum(1 + len(own) + sum(1 for _ in stages(name)) for name, own in bots.items())
    done = 0

    def report(what: str) -> None:
        nonlocal done
        filled = _BAR * done // total
        _show(f"[{'#' * filled}{'.' * (_BAR - filled)}] {what}")
        done += 1

    workers = min(usable_cores(), max(len(bots), *map(len, bots.values()), 2))
    if workers > 1:
        _compile_together(bots, workers, report)
    else:
        for name, own in bots.items():
            compile_game(name, report)
            for bot in own:
                compile_bot(name, bot, report)
    seconds = time.perf_counter() - start
    _show(f"[{'#' * _BAR}] ready in {seconds:.1f} s", end="\n")
    return seconds


Job = tuple[str, str]  # a game, and what to compile: one of its bots, LOOKS or ""


def _run_job(job: Job, report: Callable[[str], None]) -> None:
    """Compile a bot of a game, its views, or all kernels of the game."""
    name, what = job
    if what == LOOKS:
        compile_looks(name)
    elif what:
        compile_bot(name, what, report)
    else:
        compile_game(name, report)


def _serve(pipe: Connection) -> None:
    """Run the jobs that arrive through a pipe; the body of a process.

    What it compiles goes back as text, then None or the error that ended the job.
    """
    try:
        while True:
            job = pipe.recv()
            try:
                _run_job(job, pipe.send)
            except SprawlError as error:
                pipe.send(SprawlError(str(error)))  # others end the process, with their traceback
            else:
                pipe.send(None)
    except (EOFError, BrokenPipeError):  # the parent has ended
        return


def _compile_together(
    bots: Mapping[str, Sequence[str]], workers: int, report: Callable[[str], None]
) -> None:
    """Compile games and their bots in several processes, which end when this one does.

    Raises:
        SprawlError: a game cannot be compiled, or a process has died.
    """
    waiting: deque[Job] = deque((name, "") for name in bots)
    if len(bots) == 1:
        waiting += [(name, LOOKS) for name in bots]
    processes = [spawn(_serve) for _ in range(workers)]
    idle, busy = [pipe for _, pipe in processes], dict[Connection, Job]()
    try:
        while waiting or busy:
            while waiting and idle:
                pipe, job = idle.pop(), waiting.popleft()
                pipe.send(job)
                busy[pipe] = job
            for pipe in list(busy):
                if not pipe.poll(_LOOK_SECONDS):
                    continue
                found = _receive(pipe, busy[pipe])
                if isinstance(found, str):
                    report(found)
                    continue
                name, what = busy.pop(pipe)
                idle.append(pipe)
                waiting.extend((name, bot) for bot in bots[name] if not what)
    finally:
        for process, pipe in processes:
            process.kill()
            process.join()
            pipe.close()


def _receive(pipe: Connection, job: Job) -> str | None:
    """Return what a process says: what it compiles, or None if it has finished its job.

    Raises:
        SprawlError: the job failed, or the process has died.
    """
    try:
        found: str | SprawlError | None = pipe.recv()
    except (EOFError, OSError):
        raise SprawlError(f"{job[0]}: the process that compiles it has died") from None
    if isinstance(found, SprawlError):
        raise found
    return found


def _show(line: str, end: str = "") -> None:
    """Rewrite the line on a terminal; elsewhere print only the last line."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{line}{end}")
    elif end:
        sys.stderr.write(line + end)
    sys.stderr.flush()


@dataclass(frozen=True)
class Warmup:
    """Compile the rules once; afterwards every process loads the compiled kernels.

    Example: sprawl-env warmup --game tower_up ginkgopolis
    """

    game: GameNames = ()
    bots: Switch = False
    """compile the bots too, and the searches with the networks of trained agents"""


def main(command: Warmup) -> None:
    """Run the command."""
    names = list(command.game or game_names())
    for name in names:
        rules_of(name)  # an unknown name is an error before anything is compiled
    warm_up(names, with_bots=command.bots)
