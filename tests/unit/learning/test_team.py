"""experiments/team.py: processes that train side by side agree to the last bit and end together."""

import os
import signal
import time

import numpy as np
import pytest

from sprawl_env.arena.workers import spawn
from sprawl_env.learning.team import Team, TeamError, start


def answer(team, found):
    """Follow: add up, gather, and tell the leader what was seen."""
    seen = team.sum(np.array([team.rank, 1.5], np.float32))
    found_here = team.gather(10.0 * team.rank)
    team.sum(np.array([float(seen.sum()), sum(found_here), found]))


@pytest.mark.parametrize("size", [1, 2, 3])
def test_everybody_gets_the_same_sum(size):
    with start(size, answer, 7) as team:
        assert team.leads
        seen = team.sum(np.array([0, 1.5], np.float32))
        assert seen.dtype == np.float32
        assert seen.tolist() == [sum(range(size)), 1.5 * size]
        everybody = [10.0 * rank for rank in range(size)]
        assert team.gather(0.0) == everybody
        told = team.sum(np.zeros(3))
    others = size - 1
    assert told.tolist() == [others * seen.sum(), others * sum(everybody), others * 7]


def leave(team):
    team.wait()


def fail(team):
    team.wait()
    os._exit(3)


@pytest.mark.parametrize("program", [leave, fail])
def test_whoever_waits_for_one_who_has_ended_is_told(program):
    with (
        pytest.raises(TeamError, match="has ended; go on with --resume"),
        start(2, program) as team,
    ):
        team.wait()
        team.wait()


def mumble(team):
    team.sum(np.zeros(3))


def test_arrays_of_different_shapes_do_not_add_up():
    with pytest.raises(TeamError, match="24 bytes came for 32"), start(2, mumble) as team:
        team.sum(np.zeros(4))


def stay(team, file):
    file.write_text(str(os.getpid()))
    team.wait()
    time.sleep(60)


def lead(pipe, file):
    """A leader that is killed while the other works."""
    with start(2, stay, file) as team:
        team.wait()
        pipe.send(True)
        time.sleep(60)


def gone(process):
    for _ in range(100):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def test_nobody_outlives_a_killed_leader(tmp_path):
    file = tmp_path / "process"
    process, pipe = spawn(lead, file)
    assert pipe.recv()
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert gone(int(file.read_text()))


def test_nobody_outlives_a_leader_with_an_error(tmp_path):
    file = tmp_path / "process"
    with pytest.raises(ZeroDivisionError), start(2, stay, file) as team:
        team.wait()
        raise ZeroDivisionError
    assert gone(int(file.read_text()))


def test_who_is_alone_agrees_with_himself():
    values = np.arange(3)
    assert Team().sum(values) is values
    assert Team().gather(2.0) == [2.0]
    Team().wait()
