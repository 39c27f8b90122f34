"""Searches in threads: copies and forked processes start threads of their own."""

import copy
import os
import pickle
import signal

import numpy as np
import pytest

import sprawl_env
from sprawl_env.bots.names import make_bot
from sprawl_env.core.errors import UnknownName
from sprawl_env.core.executors import Threads

SEARCHES = [
    "mcts:sims=8,trees=2,threads=2",
    "search:agent=tower_up/quick,sims=8",
    "search:agent=uniform,sims=8,trees=2,threads=2",
]


def decide(bot, game):
    games = game.deal(2, seed=3)
    masks = np.stack([game.legal_actions(games, g) for g in range(2)])
    return bot.act(None, masks, games).tolist()


def unpickled(bot):
    return pickle.loads(pickle.dumps(bot))


@pytest.mark.parametrize("copied", [copy.deepcopy, unpickled])
@pytest.mark.parametrize("name", SEARCHES)
def test_a_copy_of_a_search_decides_as_the_search_does(name, copied):
    game = sprawl_env.game("tower_up")
    bot, fresh = make_bot(name, game, 1), make_bot(name, game, 1)
    decide(bot, game)
    other = copied(bot)
    bot.seed(4)
    other.seed(4)
    fresh.seed(4)
    assert decide(other, game) == decide(bot, game) == decide(fresh, game)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("name", SEARCHES)
def test_a_forked_process_searches_too(name):
    game = sprawl_env.game("tower_up")
    bot = make_bot(name, game, 1)
    decide(bot, game)
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # ends the process if it waits for threads that it has not
        decide(bot, game)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def test_threads_are_started_when_they_are_needed_and_again_in_a_copy():
    threads = Threads(2)
    assert threads.submit(pow, 2, 5).result() == 32
    other = copy.copy(threads)
    assert other.submit(np.sum, [1, 2], axis=0).result() == 3
    assert other._executor is not threads._executor
    threads.stop()
    assert threads._executor is None
    assert threads.submit(pow, 2, 3).result() == 8


@pytest.mark.parametrize("name", ["mcts", "planner", "search"])
def test_a_setting_that_is_given_twice_is_refused(name):
    more = "agent=uniform," if name == "search" else ""
    key = "playouts" if name == "planner" else "sims"
    with pytest.raises(UnknownName, match=f"'{key}' is given twice"):
        make_bot(f"{name}:{more}{key}=2,{key}=3", sprawl_env.game("tower_up"))
