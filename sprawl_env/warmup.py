"""Compile the rules once: ``python -m sprawl_env.warmup [--game NAME ...]``.

Afterwards every process loads the compiled kernels in a fraction of a second.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np

from sprawl_env.adapters.vector import make_vec
from sprawl_env.command_line import run
from sprawl_env.core.game import Game
from sprawl_env.core.registry import GAMES
from sprawl_env.core.registry import game as make_game

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


def warm_up(names: list[str]) -> float:
    """Compile games behind a progress bar; returns the seconds it took."""
    start = time.perf_counter()
    work = [(name, *stage) for name in names for stage in stages(name)]
    for done, (name, what, compile_it) in enumerate(work):
        filled = _BAR * done // len(work)
        _show(f"[{'#' * filled}{'.' * (_BAR - filled)}] {name}: {what}")
        compile_it()
    seconds = time.perf_counter() - start
    _show(f"[{'#' * _BAR}] ready in {seconds:.1f} s", end="\n")
    return seconds


def _show(line: str, end: str = "") -> None:
    """Rewrite the line on a terminal; elsewhere print only the last one."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{line}{end}")
    elif end:
        sys.stderr.write(line + end)
    sys.stderr.flush()


def main() -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m sprawl_env.warmup", description="Compile the rules once."
    )
    parser.add_argument("--game", nargs="+", default=list(GAMES), help="default: every game")
    names = parser.parse_args().game
    return run(lambda: warm_up(names))


if __name__ == "__main__":
    sys.exit(main())
