"""Ctrl-C ends a long search within a second."""

import signal
import time

import pytest

from tests.commands import command

SEARCHING = """
import sprawl_env
from sprawl_env.arena.games import play_games

game = sprawl_env.game("tower_up")
bot = sprawl_env.make_bot("{name}", game)
small = sprawl_env.make_bot("{small}", game)
games = game.deal(1)
mask = game.legal_actions(games)[None]
small.act(None, mask, games)
print("searching", flush=True)
try:
    bot.act(None, mask, games)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
LONG = {
    "mcts": ("mcts:sims=10000000", "mcts:sims=2"),
    "trees": ("mcts:sims=10000000,trees=2,threads=2", "mcts:sims=2"),
    "search": ("search:agent=best,sims=1000000", "search:agent=best,sims=2"),
    "search in threads": (
        "search:agent=best,sims=1000000,trees=2,threads=2",
        "search:agent=best,sims=2,trees=2,threads=2",
    ),
    "planner": ("planner:playouts=10000000,turns=100", "planner:playouts=2,turns=1"),
}


@pytest.mark.compiled
@pytest.mark.parametrize("kind", LONG)
def test_ctrl_c_ends_a_long_search_within_a_second(kind, tmp_path):
    name, small = LONG[kind]
    (tmp_path / "searching.py").write_text(SEARCHING.format(name=name, small=small))
    process = command("searching", cwd=tmp_path)
    try:
        assert process.stdout.readline() == "searching\n"
        time.sleep(1.5)
        assert process.poll() is None
        started = time.perf_counter()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        assert time.perf_counter() - started < 1
        assert process.wait(timeout=10) == 0
    finally:
        process.kill()
        process.communicate()
