"""adapters/threads.py: a thread pool that steps a batch."""

import copy
import functools
import gc
import os
import threading
import time

import numpy as np
import pytest

import sprawl_env
from sprawl_env.adapters import threads
from sprawl_env.adapters.threads import OneOrderPool, ThreadPool
from sprawl_env.core.batch import POSTED, SEED, WHAT, done_at, new_orders
from sprawl_env.core.errors import InvalidOption
from tests.commands import command, finish

SHARES = 3


class Workers:
    """A thread pool whose shares record their orders instead of running a kernel."""

    def __init__(self, fails=()):
        self.orders = new_orders(shares=SHARES)
        self.noted = [[] for _ in range(SHARES)]
        self.pool = ThreadPool(
            self.orders,
            [
                functools.partial(work, self.orders, self.noted[share], set(fails), share)
                for share in range(SHARES)
            ],
        )


def work(orders, noted, fails, share):
    number = int(orders[POSTED])
    if share > 0 and number == orders[done_at(share)]:
        return
    if (share, number) in fails:
        raise OSError(f"share {share} cannot")
    noted.append((number, int(orders[WHAT]), int(orders[SEED])))
    if share > 0:
        orders[done_at(share)] = number


def wait_until(condition):
    """Wait up to five seconds; return whether the condition became true."""
    for _ in range(500):
        if condition():
            return True
        time.sleep(0.01)
    return False


def test_every_share_carries_out_every_order_once():
    workers = Workers()
    for k in range(200):
        workers.pool.run(k % 5, 1000 + k)
    expected = [(k + 1, k % 5, 1000 + k) for k in range(200)]
    assert workers.noted == [expected] * SHARES


def test_threads_that_fell_asleep_are_woken():
    workers = Workers()
    for k in range(5):
        workers.pool.run(k)
        assert wait_until(lambda: workers.pool._shared.asleep == SHARES - 1)
    assert [len(noted) for noted in workers.noted] == [5] * SHARES


def test_an_error_in_a_thread_is_the_callers_and_the_next_order_is_carried_out():
    workers = Workers(fails={(2, 2)})
    workers.pool.run(1)
    with pytest.raises(OSError, match="share 2 cannot"):
        workers.pool.run(1)
    workers.pool.run(1)
    assert [number for number, _, _ in workers.noted[2]] == [1, 3]
    assert [number for number, _, _ in workers.noted[1]] == [1, 2, 3]


def test_after_an_interruption_the_next_order_waits_for_the_one_before():
    workers = Workers(fails={(0, 1)})
    with pytest.raises(OSError, match="share 0"):  # instead of Ctrl-C
        workers.pool.run(1)
    workers.pool.run(2)
    assert [what for _, what, _ in workers.noted[1]] == [1, 2]
    assert [what for _, what, _ in workers.noted[0]] == [2]


def test_calls_that_an_interruption_left_behind_are_waited_for(monkeypatch):
    def interrupted(running):
        if running:
            raise KeyboardInterrupt

    go, done = threading.Event(), []
    pool = OneOrderPool([lambda: None, lambda: done.append(go.wait(60))])
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(threads, "wait", interrupted)
        pool.run()
    copied = copy.deepcopy(pool)
    copied.wait()  # has no calls of its own
    assert not done
    threading.Timer(0.05, go.set).start()
    pool.wait()
    assert done == [True]
    pool.run()
    assert done == [True] * 2
    pool.stop()


@pytest.mark.parametrize("closes", [True, False])
def test_threads_end_when_the_games_are_closed_or_gone(closes):
    before = set(threading.enumerate())
    vec = sprawl_env.make_vec("tower_up", 64, num_threads=3)
    assert set(threading.enumerate()) <= before  # so a process can be forked until the first step
    vec.reset()
    assert len(set(threading.enumerate()) - before) == 2
    if closes:
        vec.close()
        was = vec.games.tobytes()
        with pytest.raises(InvalidOption, match="closed: make new ones"):
            vec.step(vec.masks.argmax(axis=1))
        with pytest.raises(InvalidOption, match="closed: make new ones"):
            vec.reset()
        assert vec.games.tobytes() == was
    else:
        del vec
        gc.collect()
    assert wait_until(lambda: set(threading.enumerate()) <= before)


@pytest.mark.compiled  # thousands of plies
def test_pauses_between_steps_change_nothing():
    runs = []
    for pause in (0, 0.003):
        vec = sprawl_env.make_vec("tower_up", 64, seed=7, num_threads=2)
        vec.reset()
        for step in range(60):
            vec.step(vec.sample_actions())
            if step % 3 == 0:
                time.sleep(pause)
        runs.append(vec.games.tobytes() + vec.masks.tobytes() + vec.observations.tobytes())
        vec.close()
    assert runs[0] == runs[1]


def test_an_order_whose_wake_up_was_interrupted_is_carried_out_all_the_same():
    workers = Workers()
    workers.pool.run(1)
    assert wait_until(lambda: workers.pool._shared.asleep == SHARES - 1)
    workers.orders[WHAT] = 2
    workers.orders[POSTED] += 1  # and Ctrl-C before the workers were woken
    workers.pool.run(3)
    assert [what for _, what, _ in workers.noted[1]] == [1, 2, 3]


@pytest.mark.parametrize("num_threads", [1, 2])
def test_games_can_be_copied(num_threads):
    vec = sprawl_env.make_vec("tower_up", 32, seed=1, num_threads=num_threads, max_turns=40)
    vec.reset()
    vec.step(vec.sample_actions())
    other = copy.deepcopy(vec)
    for _ in range(3):
        for games in (vec, other):
            games.step(games.sample_actions())
        assert other.games.tobytes() == vec.games.tobytes()
        for shown in ("observations", "masks", "to_play", "rewards", "final_scores", "illegal"):
            assert np.array_equal(getattr(other, shown), getattr(vec, shown))
    vec.step(vec.sample_actions())
    assert other.games.tobytes() != vec.games.tobytes()
    vec.close()
    other.step(other.sample_actions())
    assert other.games.tobytes() == vec.games.tobytes()
    with pytest.raises(InvalidOption, match="closed: make new ones"):
        copy.deepcopy(vec).step(other.sample_actions())
    other.close()


def test_a_second_thread_is_refused_and_the_first_goes_on():
    entered, leave = threading.Event(), threading.Event()
    vec = sprawl_env.make_vec("tower_up", 4, seed=1)
    vec.reset()
    before = vec.games.tobytes()
    said = []

    def keep_the_turn():
        with vec._turn:
            entered.set()
            leave.wait(5)

    thread = threading.Thread(target=keep_the_turn)
    thread.start()
    assert entered.wait(5)
    for call in (lambda: vec.step(vec.masks.argmax(axis=1)), vec.reset, vec.sample_actions):
        with pytest.raises(InvalidOption, match="in use by another thread") as error:
            call()
        said.append(str(error.value))
    leave.set()
    thread.join()
    assert vec.games.tobytes() == before
    vec.step(vec.masks.argmax(axis=1))
    assert len(said) == 3


def test_a_thread_that_cannot_be_started_is_one_error_and_no_worker_is_left(monkeypatch):
    start, started = threading.Thread.start, []

    def limited(thread):
        if len(started) == 1:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    workers = Workers()
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", limited)
        with pytest.raises(InvalidOption, match="num_threads=3: only 2 threads could be started"):
            workers.pool.run(1)
    assert not started[0].is_alive()
    assert workers.noted == [[]] * SHARES
    workers.pool.run(2)  # now there are threads
    assert [[what for _, what, _ in noted] for noted in workers.noted] == [[2]] * SHARES


FORKED = """
import os
import sprawl_env
from sprawl_env.core.errors import SprawlError

def run(vec, plies):
    for _ in range(plies):
        vec.step(vec.sample_actions())
    return vec.games.tobytes()

vec = sprawl_env.make_vec("tower_up", 64, seed=2, num_threads=2)
vec.reset()
run(vec, 3)
reading, writing = os.pipe()
child = os.fork()
if child == 0:
    os.write(writing, str(hash(run(vec, 3))).encode())
    os._exit(0)
mine = str(hash(run(vec, 3)))
os.waitpid(child, 0)
print(mine == os.read(reading, 100).decode())
vec._orders[0] += 1  # an order that nobody has finished
child = os.fork()
if child == 0:
    try:
        vec.step(vec.masks.argmax(axis=1))
    except SprawlError as error:
        os.write(writing, str(error).encode())
    os._exit(0)
os.waitpid(child, 0)
print(os.read(reading, 200).decode(), flush=True)
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_after_a_fork_a_batch_goes_on_or_says_why_not(tmp_path):
    (tmp_path / "forked.py").write_text(FORKED)
    out, _ = finish(command("forked", cwd=tmp_path), seconds=120)
    same, says = out.splitlines()
    assert same == "True"
    assert says == "these games were being stepped when the process was forked: make new ones"


def test_orders_start_with_nothing_done():
    orders = new_orders(shares=SHARES)
    assert not np.any(orders)
    assert len({done_at(share) for share in range(1, SHARES)} | {POSTED}) == SHARES
    assert done_at(SHARES - 1) < orders.size
