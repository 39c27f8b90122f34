"""Process group: sums are bit-identical in all ranks, and no process outlives rank 0."""

import os
import signal
import time

import numpy as np
import pytest

from sprawl_env.core.processes import spawn
from sprawl_env.learning.team import Team, TeamError, start


def other_rank(team, argument):
    """Reduce, gather, and send rank 0 the results."""
    reduced = team.all_reduce(np.array([team.rank, 1.5], np.float32))
    gathered = team.all_gather(10.0 * team.rank)
    team.all_reduce(np.array([float(reduced.sum()), sum(gathered), argument]))


@pytest.mark.parametrize("size", [1, 2, 3])
def test_all_ranks_get_the_same_sum(size):
    with start(size, other_rank, 7) as team:
        assert team.rank == 0
        reduced = team.all_reduce(np.array([0, 1.5], np.float32))
        assert reduced.dtype == np.float32
        assert reduced.tolist() == [sum(range(size)), 1.5 * size]
        gathered = [10.0 * rank for rank in range(size)]
        assert team.all_gather(0.0) == gathered
        results = team.all_reduce(np.zeros(3))
    others = size - 1
    assert results.tolist() == [others * reduced.sum(), others * sum(gathered), others * 7]


def leave(team):
    team.barrier()


def fail(team):
    team.barrier()
    os._exit(3)


@pytest.mark.parametrize("program", [leave, fail])
def test_waiting_for_a_rank_that_has_ended_is_an_error(program):
    with (
        pytest.raises(TeamError, match="has ended; resume the run with --resume"),
        start(2, program) as team,
    ):
        team.barrier()
        team.barrier()


def reduce_three(team):
    team.all_reduce(np.zeros(3))


def test_arrays_of_different_sizes_are_an_error():
    with (
        pytest.raises(TeamError, match="expected 32 bytes, got 24"),
        start(2, reduce_three) as team,
    ):
        team.all_reduce(np.zeros(4))


def stay(team, file):
    file.write_text(str(os.getpid()))
    team.barrier()
    time.sleep(60)


def rank_zero(pipe, file):
    """Run as rank 0 and be killed while rank 1 works."""
    with start(2, stay, file) as team:
        team.barrier()
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


def test_no_process_outlives_a_killed_rank_zero(tmp_path):
    file = tmp_path / "process"
    process, pipe = spawn(rank_zero, file)
    assert pipe.recv()
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert gone(int(file.read_text()))


def test_no_process_outlives_a_rank_zero_with_an_error(tmp_path):
    file = tmp_path / "process"
    with pytest.raises(ZeroDivisionError), start(2, stay, file) as team:
        team.barrier()
        raise ZeroDivisionError
    assert gone(int(file.read_text()))


def test_a_group_of_one_returns_its_own_values():
    values = np.arange(3)
    assert Team().all_reduce(values) is values
    assert Team().all_gather(2.0) == [2.0]
    Team().barrier()
