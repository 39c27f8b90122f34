"""adapters/envpool.py: batches that play in the background."""

import os
import threading

import numpy as np
import pytest

import sprawl_env
from sprawl_env.adapters.envpool import GamePool
from sprawl_env.core.errors import InvalidOption
from tests.commands import command, finish


def chosen(mask, turn):
    """An action for each game, which depends on its mask and the turn alone."""
    return np.array([np.flatnonzero(row)[turn % row.sum()] for row in mask])


def test_one_batch_has_the_games_of_make_vec():
    pool, vec = GamePool("tower_up", 12, seed=4, max_turns=8), None
    got = pool.reset()
    vec = sprawl_env.make_vec("tower_up", 12, seed=4, max_turns=8)
    vec.reset()
    ends = 0
    for turn in range(60):
        assert np.array_equal(got.observations, vec.observations)
        assert np.array_equal(got.info["action_mask"], vec.masks)
        assert np.array_equal(got.info["to_play"], vec.to_play)
        assert np.array_equal(got.rewards, vec.rewards)
        assert np.array_equal(got.truncated, vec.truncated)
        assert not got.terminated.any()
        actions = chosen(vec.masks, turn)
        got, _ = pool.step(actions), vec.step(actions)
        ends += got.truncated.sum()
    assert ends > 12
    pool.close()


@pytest.mark.parametrize("num_threads", [1, 3])
def test_games_do_not_depend_on_the_order_in_which_batches_are_ready(num_threads):
    pool = GamePool("ginkgopolis", 24, 8, seed=5, num_threads=num_threads)
    turns = [0, 0, 0]
    pool.async_reset()
    while min(turns) < 30:
        got = pool.recv()
        k = int(got.info["env_id"][0]) // 8
        assert got.info["env_id"].tolist() == list(range(8 * k, 8 * k + 8))
        turns[k] += 1
        if turns[k] < 30:
            pool.send(chosen(got.info["action_mask"], turns[k]), got.info["env_id"])
    first = sprawl_env.make_vec("ginkgopolis", 8, seed=5)
    first.reset()
    for turn in range(1, 30):
        first.step(chosen(first.masks, turn))
    assert first.games.tobytes() == pool.batches[0].games.tobytes()
    again = GamePool("ginkgopolis", 24, 8, seed=5)
    again.async_reset()
    last = {}
    for _ in range(3 * 29):
        got = again.recv()
        k = int(got.info["env_id"][0]) // 8
        last[k] = last.get(k, 0) + 1
        again.send(chosen(got.info["action_mask"], last[k]), got.info["env_id"])
    for _ in range(3):
        again.recv()
    for ours, theirs in zip(pool.batches, again.batches, strict=True):
        assert ours.games.tobytes() == theirs.games.tobytes()
    assert len({batch.games.tobytes() for batch in pool.batches}) == 3


def test_a_batch_plays_while_the_caller_does_something_else():
    pool = GamePool("tower_up", 4, 2, seed=1)
    pool.async_reset()
    pool.recv(), pool.recv()
    may_end, go_on = threading.Event(), pool.batches[0].step

    def slow(actions):
        assert may_end.wait(timeout=60)
        return go_on(actions)

    pool.batches[0].step = slow
    pool.send(chosen(pool.batches[0].masks, 0), [0, 1])  # returns while the batch still waits
    may_end.set()
    assert pool.recv().info["env_id"].tolist() == [0, 1]
    pool.close()


def test_an_illegal_action_is_raised_at_recv_and_changes_nothing():
    pool = GamePool("tower_up", 4, seed=1)
    got = pool.reset()
    before = pool.batches[0].games.tobytes()
    pool.send(got.info["action_mask"].argmin(axis=1), got.info["env_id"])
    with pytest.raises(sprawl_env.IllegalAction, match="may not play"):
        pool.recv()
    assert pool.batches[0].games.tobytes() == before
    assert pool.step(got.info["action_mask"].argmax(axis=1)).rewards.shape == (4, 2)


def test_a_reward_function_that_ends_the_program_does_so_where_its_batch_is_received():
    def reward(before, after, over):
        raise SystemExit("no more")

    pool = GamePool("tower_up", 4, seed=1, reward=reward)
    got = pool.reset()
    pool.send(got.info["action_mask"].argmax(axis=1), got.info["env_id"])
    with pytest.raises(SystemExit, match="no more"):
        pool.recv()


def test_an_illegal_action_names_its_batch_and_env_id_and_the_batch_can_be_sent_again():
    pool = GamePool("tower_up", 6, 3, seed=1)
    pool.async_reset()
    for _ in range(2):
        pool.recv()
    legal = [batch.masks.argmax(axis=1) for batch in pool.batches]
    wrong = legal[1].copy()
    wrong[2] = pool.batches[1].masks[2].argmin()
    pool.send(wrong, [3, 4, 5])
    with pytest.raises(sprawl_env.IllegalAction, match=r"^batch 1: env 5: tower_up: .*may not pl"):
        pool.recv()
    pool.send(legal[1], [3, 4, 5])
    assert pool.recv().info["env_id"].tolist() == [3, 4, 5]
    pool.close()


def test_calls_in_a_wrong_order_are_refused_in_one_line():
    pool = GamePool("tower_up", 6, 3)
    with pytest.raises(InvalidOption, match="recv: no batch is playing"):
        pool.recv()
    pool.async_reset()
    with pytest.raises(InvalidOption, match="async_reset: batches are playing"):
        pool.async_reset()
    got = pool.recv()
    legal = got.info["action_mask"].argmax(axis=1)
    for wrong in (None, [0, 1], [0, 1, 4], [3, 4, 5, 6], [-3, -2, -1], [0.0, 1.0, 2.0], "x"):
        with pytest.raises(InvalidOption, match="env_id: expected the 3 games of a batch"):
            pool.send(legal, wrong)
    pool.recv()
    for wrong in (True, legal[:2], legal + 0.5, None):
        with pytest.raises(sprawl_env.IllegalAction, match="send: actions: expected whole numbers"):
            pool.send(wrong, [0, 1, 2])
    pool.send(legal, [0, 1, 2])
    with pytest.raises(InvalidOption, match="send: batch 0 is playing"):
        pool.send(legal, [0, 1, 2])
    for call in (pool.reset, lambda: pool.step(legal)):
        with pytest.raises(InvalidOption, match="expected one batch: use async_reset"):
            call()
    pool.close()
    with pytest.raises(InvalidOption, match="these games are closed"):
        pool.send(legal, [3, 4, 5])


FORKED = """
import os
import signal
from sprawl_env.adapters.envpool import GamePool
from sprawl_env.core.errors import SprawlError

def run(pool):
    for _ in range(2):
        got = pool.recv()
        pool.send(got.info["action_mask"].argmax(axis=1), got.info["env_id"])
    for _ in range(2):
        pool.recv()
    games = b"".join(batch.games.tobytes() for batch in pool.batches)
    pool.async_reset(7)
    return str(hash(games))

reading, writing = os.pipe()

def in_a_child(call):
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            os.write(writing, call().encode())
        except SprawlError as error:
            os.write(writing, str(error).encode())
        os._exit(0)
    os.waitpid(child, 0)
    return os.read(reading, 200).decode()

def begin(pool):
    pool.async_reset(3)
    return run(pool)

pool = GamePool("tower_up", 4, 2, seed=2)
begin(pool)  # so there are threads
for call in (pool.recv, pool.async_reset, lambda: pool.send([0, 0], [0, 1])):
    print(in_a_child(call))
for _ in range(2):
    pool.recv()
print(in_a_child(lambda: begin(pool)) == begin(pool), flush=True)
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_after_a_fork_a_pool_goes_on_or_says_why_not(tmp_path):
    (tmp_path / "forked.py").write_text(FORKED)
    out, _ = finish(command("forked", cwd=tmp_path), seconds=120)
    *refused, same = out.splitlines()
    says = "these games were being stepped when the process was forked: make new ones"
    assert (refused, same) == ([says] * 3, "True")


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"batch_size": 4}, "batch_size=4: expected a divisor of num_envs=6"),
        ({"batch_size": 0}, "batch_size=0: expected a whole number 1..6"),
        ({"num_envs": 2**31, "batch_size": 2}, "1,073,741,824 batches: expected at most 1024"),
        ({"num_threads": 0}, "num_threads=0: expected a whole number"),
        ({"seed": -1}, "seed"),
        ({"frameskip": 4}, "unexpected keyword argument 'frameskip'"),
        ({"reward": "points"}, "unknown reward 'points'"),
    ],
)
def test_bad_settings_are_refused_in_one_line(settings, says):
    with pytest.raises(sprawl_env.SprawlError, match=says) as error:
        GamePool("tower_up", **{"num_envs": 6, **settings})
    assert "\n" not in str(error.value)
