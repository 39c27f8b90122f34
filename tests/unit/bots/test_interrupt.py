"""Ctrl-C ends a long search within a second."""

import signal
import subprocess
import time

import pytest

from tests.commands import command

SEARCHING = """
import sys

import sprawl_env

game = sprawl_env.game("tower_up")
games = game.deal(1)
mask = game.legal_actions(games)[None]
for name, small in {bots}:
    bot = sprawl_env.make_bot(name, game)
    sprawl_env.make_bot(small, game).act(None, mask, games)  # loads what the search needs
    while True:
        print("searching", name, flush=True)
        try:
            bot.act(None, mask, games)
        except KeyboardInterrupt:
            print("interrupted", name, flush=True)
        if sys.stdin.readline() != "again\\n":
            break
"""
TRIES = 3  # other processes may have the cores
LONG = [  # long searches, and short ones of the same kind
    ("mcts:sims=10000000", "mcts:sims=2"),
    ("mcts:sims=10000000,trees=2,threads=2", "mcts:sims=2,trees=2,threads=2"),
    ("search:agent=best,sims=1000000", "search:agent=best,sims=2"),
    (
        "search:agent=best,sims=1000000,trees=2,threads=2",
        "search:agent=best,sims=2,trees=2,threads=2",
    ),
    ("planner:playouts=10000000,turns=100", "planner:playouts=2,turns=1"),
]


@pytest.mark.compiled
def test_ctrl_c_ends_a_long_search_of_every_kind_within_a_second(tmp_path):
    (tmp_path / "searching.py").write_text(SEARCHING.format(bots=LONG))
    process = command("searching", cwd=tmp_path, stdin=subprocess.PIPE)

    def seconds_to_end(name):
        """Return how long a search goes on after Ctrl-C."""
        assert process.stdout.readline() == f"searching {name}\n"
        time.sleep(0.7)
        assert process.poll() is None
        started = time.perf_counter()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == f"interrupted {name}\n"
        return time.perf_counter() - started

    def answer(word):
        process.stdin.write(f"{word}\n")
        process.stdin.flush()

    try:
        for name, _ in LONG:
            tries = [seconds_to_end(name)]
            while tries[-1] >= 1 and len(tries) < TRIES:
                answer("again")
                tries.append(seconds_to_end(name))
            answer("next")
            assert tries[-1] < 1, name
        assert process.wait(timeout=10) == 0
    finally:
        process.kill()
        process.communicate()
