"""The command ``warmup``: compile the rules once, so that every process only loads them."""

from __future__ import annotations

import contextlib
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
from sprawl_env.core.game import Game
from sprawl_env.core.registry import game as make_game
from sprawl_env.core.registry import game_names

_BAR = 24


def stages(name: str) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield what to compile for one game, in order."""
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


def _batches(game: Game) -> None:
    vec = make_vec(game, 2)
    vec.reset()
    vec.step(vec.sample_actions())


def compile_game(name: str, tell: Callable[[str], None]) -> None:
    """Compile one game; ``tell`` is called before each stage and once at the end."""
    for what, compile_it in stages(name):
        tell(f"{name}: {what}")
        compile_it()
    tell(f"{name}: ready")


def compile_looks(name: str) -> None:
    """Compile what a seat may do and sees, which can be done before the game can be dealt."""
    game = make_game(name)
    games, observation = game.empty(1), np.zeros(game.observation_size, np.float32)
    mask = np.zeros(game.num_actions, np.int8)
    for look, arguments in (
        (game.verbs.legal_actions, (game.tables, games, 0, mask)),
        (game.verbs.observe, (game.tables, games, 0, 0, observation)),
    ):
        compile_it: Callable[[object], object] | None = getattr(look, "compile", None)
        if compile_it is not None:  # not plain Python
            compile_it(tuple(numba.typeof(argument) for argument in arguments))


def warm_up(names: list[str]) -> float:
    """Compile games behind a progress bar, several at once; returns the seconds it took.

    A single game is compiled in two processes too: one of them is ahead with what a seat may do
    and sees, and the other finds that in the cache.
    """
    start = time.perf_counter()
    total = sum(1 for name in names for _ in stages(name)) + len(names)
    done = 0

    def tell(what: str) -> None:
        nonlocal done
        filled = _BAR * done // total
        _show(f"[{'#' * filled}{'.' * (_BAR - filled)}] {what}")
        done += 1

    workers = os.cpu_count() or 1
    if workers > 1:
        _compile_together(names, min(workers, len(names) + 1), tell)
    else:
        for name in names:
            compile_game(name, tell)
    seconds = time.perf_counter() - start
    _show(f"[{'#' * _BAR}] ready in {seconds:.1f} s", end="\n")
    return seconds


def _compile_together(names: list[str], workers: int, tell: Callable[[str], None]) -> None:
    """Compile every game in a process of its own, a few at a time; a single one in two."""
    fresh = multiprocessing.get_context("spawn")
    with fresh.Manager() as manager, ProcessPoolExecutor(workers, mp_context=fresh) as pool:
        said = manager.Queue()
        work: list[Future[None]] = [pool.submit(compile_game, name, said.put) for name in names]
        if len(names) == 1:
            work.append(pool.submit(compile_looks, names[0]))
        while not all(one.done() for one in work) or not said.empty():
            with contextlib.suppress(queue.Empty):
                tell(said.get(timeout=0.2))
        for one in work:
            one.result()


def _show(line: str, end: str = "") -> None:
    """Rewrite the line on a terminal; elsewhere print only the last one."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{line}{end}")
    elif end:
        sys.stderr.write(line + end)
    sys.stderr.flush()


@dataclass(frozen=True)
class Config:
    """Compile the rules once; afterwards every process loads the compiled kernels."""

    game: tuple[str, ...] = ()
    """games to compile; default: every game"""


def main(config: Config) -> None:
    """Compile the games."""
    warm_up(list(config.game or game_names()))
