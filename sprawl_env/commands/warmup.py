"""The command ``warmup``: compile the rules once, so that other processes only load them."""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import os
import queue
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass

import numba
import numpy as np

from sprawl_env.adapters.vector import make_vec
from sprawl_env.bots.names import make_bot
from sprawl_env.commands.flags import GameNames, Switch
from sprawl_env.core.game import Game
from sprawl_env.core.registry import game as make_game
from sprawl_env.core.registry import game_names, rules_of
from sprawl_env.core.state import Games

_BAR = 24
_BOTS = (
    "greedy",
    "planner:playouts=2",
    "mcts:sims=2",
    "mcts:sims=2,widen=1",
)  # all kernels of bots


def stages(name: str, bots: bool = False) -> Iterator[tuple[str, Callable[[], object]]]:
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
    yield "scores", lambda: (game.scores(games, 0), game.standings(games, 0))
    if game.verbs.owing is not None:
        owing = game.verbs.owing
        yield "simultaneous choices", lambda: owing(game.tables, games, 0)
    yield "redeal hidden", lambda: game.redeal_hidden(games, 0, 0, 0)
    yield "batches", lambda: _batches(game)
    for bot in _BOTS if bots else ():
        yield bot.partition(":")[0], functools.partial(_decide, bot, game, games)


def _decide(bot: str, game: Game, games: Games) -> None:
    """Let a bot make one decision."""
    make_bot(bot, game).act(None, game.legal_actions(games, 0)[None], games)


def _batches(game: Game) -> None:
    vec = make_vec(game, 2)
    vec.reset()
    vec.step(vec.sample_actions())


def compile_game(name: str, bots: bool, report: Callable[[str], None]) -> None:
    """Compile one game; ``report`` is called before each stage and once at the end."""
    for what, compile_it in stages(name, bots):
        report(f"{name}: {what}")
        compile_it()
    report(f"{name}: ready")


def compile_looks(name: str) -> None:
    """Compile ``legal_actions`` and ``observe``, which needs no game that was dealt."""
    game = make_game(name)
    games, observation = game.empty(1), np.zeros(game.observation_size, np.float32)
    mask = np.zeros(game.num_actions, np.int8)
    for look, arguments in (
        (game.verbs.legal_actions, (game.tables, games, 0, mask)),
        (game.verbs.observe, (game.tables, games, 0, 0, observation)),
    ):
        compile_it: Callable[[object], object] | None = getattr(look, "compile", None)
        if compile_it is not None:  # None where numba is disabled
            compile_it(tuple(numba.typeof(argument) for argument in arguments))


def warm_up(names: list[str], bots: bool = False) -> float:
    """Compile games, and their bots if asked, with a progress bar; return the seconds it took.

    A single game is compiled in two processes: one compiles ``legal_actions`` and ``observe``,
    which the other then loads from the cache.
    """
    start = time.perf_counter()
    total = sum(1 for name in names for _ in stages(name, bots)) + len(names)
    done = 0

    def report(what: str) -> None:
        nonlocal done
        filled = _BAR * done // total
        _show(f"[{'#' * filled}{'.' * (_BAR - filled)}] {what}")
        done += 1

    workers = os.cpu_count() or 1
    if workers > 1:
        _compile_together(names, bots, min(workers, len(names) + 1), report)
    else:
        for name in names:
            compile_game(name, bots, report)
    seconds = time.perf_counter() - start
    _show(f"[{'#' * _BAR}] ready in {seconds:.1f} s", end="\n")
    return seconds


def _compile_together(
    names: list[str], bots: bool, workers: int, report: Callable[[str], None]
) -> None:
    """Compile every game in its own process, some at the same time; a single game in two."""
    fresh = multiprocessing.get_context("spawn")
    with fresh.Manager() as manager, ProcessPoolExecutor(workers, mp_context=fresh) as pool:
        messages = manager.Queue()
        work: list[Future[None]] = [
            pool.submit(compile_game, name, bots, messages.put) for name in names
        ]
        if len(names) == 1:
            work.append(pool.submit(compile_looks, names[0]))
        while not all(one.done() for one in work) or not messages.empty():
            with contextlib.suppress(queue.Empty):
                report(messages.get(timeout=0.2))
        for one in work:
            one.result()


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
    """compile the bots greedy, planner and mcts too"""


def main(command: Warmup) -> None:
    """Run the command."""
    names = list(command.game or game_names())
    for name in names:
        rules_of(name)  # an unknown name is an error before anything is compiled
    warm_up(names, command.bots)
