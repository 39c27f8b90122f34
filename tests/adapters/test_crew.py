"""adapters/crew.py: threads that step a batch together."""

import functools
import gc
import threading
import time

import numpy as np
import pytest

import sprawl_env
from sprawl_env.adapters.batch import POSTED, SEED, WHAT, done_at, new_orders
from sprawl_env.adapters.crew import Crew
from sprawl_env.core.errors import InvalidOption

SHARES = 3


class Workers:
    """A crew whose shares note what they did, in place of a kernel."""

    def __init__(self, fails=()):
        self.orders = new_orders(shares=SHARES)
        self.noted = [[] for _ in range(SHARES)]
        self.fails = set(fails)
        self.crew = Crew(
            self.orders, [functools.partial(self.work, share) for share in range(SHARES)]
        )

    def work(self, share):
        orders, done = self.orders, done_at(share)
        if share > 0 and orders[POSTED] == orders[done]:
            return
        number = int(orders[POSTED])
        if (share, number) in self.fails:
            raise OSError(f"share {share} cannot")
        self.noted[share].append((number, int(orders[WHAT]), int(orders[SEED])))
        orders[done] = number


def test_every_share_carries_out_every_order_once():
    workers = Workers()
    for k in range(200):
        workers.crew.carry_out(k % 5, 1000 + k)
    expected = [(k + 1, k % 5, 1000 + k) for k in range(200)]
    assert workers.noted == [expected] * SHARES


def test_threads_that_fell_asleep_are_woken():
    workers = Workers()
    for k in range(5):
        time.sleep(0.02)
        assert workers.crew._room.asleep == SHARES - 1
        workers.crew.carry_out(k)
    assert [len(noted) for noted in workers.noted] == [5] * SHARES


def test_an_error_in_a_thread_is_the_callers_and_the_next_order_is_carried_out():
    workers = Workers(fails={(2, 2)})
    workers.crew.carry_out(1)
    with pytest.raises(OSError, match="share 2 cannot"):
        workers.crew.carry_out(1)
    workers.crew.carry_out(1)
    assert [number for number, _, _ in workers.noted[2]] == [1, 3]
    assert [number for number, _, _ in workers.noted[1]] == [1, 2, 3]


def test_after_an_interruption_the_next_order_waits_for_the_one_before():
    workers = Workers(fails={(0, 1)})
    with pytest.raises(OSError, match="share 0"):  # in the place of Ctrl-C
        workers.crew.carry_out(1)
    workers.crew.carry_out(2)
    assert [what for _, what, _ in workers.noted[1]] == [1, 2]
    assert [what for _, what, _ in workers.noted[0]] == [2]


def wait_until(condition):
    """Wait up to some seconds."""
    for _ in range(500):
        if condition():
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("closes", [True, False])
def test_threads_end_when_the_games_are_closed_or_gone(closes):
    before = threading.active_count()
    vec = sprawl_env.make_vec("tower_up", 64, num_threads=3)
    vec.reset()
    assert threading.active_count() == before + 2
    if closes:
        vec.close()
        with pytest.raises(InvalidOption, match="closed: make new ones"):
            vec.step(vec.masks.argmax(axis=1))
    else:
        del vec
        gc.collect()
    assert wait_until(lambda: threading.active_count() == before)


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


def test_orders_start_with_nothing_done():
    orders = new_orders(shares=SHARES)
    assert not np.any(orders)
    assert len({done_at(share) for share in range(SHARES)} | {POSTED}) == SHARES + 1
    assert done_at(SHARES - 1) < orders.size
