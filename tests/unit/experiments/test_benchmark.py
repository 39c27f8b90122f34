"""experiments/benchmark.py: other libraries cannot end a run."""

import os
from dataclasses import replace

import pytest
from rich.progress import Progress

from experiments import benchmark
from experiments.peers import Peer
from sprawl_env.core.errors import InvalidOption

CONFIG = benchmark.Config(seconds=0.01, repeats=2)


def steps():
    return lambda: 10


def refused():
    raise ImportError


def crash():
    os._exit(139)


def crash_later():
    calls = []

    def work():
        calls.append(1)
        if len(calls) > 1:
            os._exit(139)
        return 1

    return work


def row_of(prepare):
    row = benchmark.peer_row(Peer("other", "no-such-distribution", "its game", prepare), CONFIG)
    if row.measure is not None:
        with Progress(disable=True) as progress:
            benchmark.measure([row], progress)
    return row


def test_the_file_is_checked_before_anything_is_measured_or_written(tmp_path):
    found = benchmark.check(replace(CONFIG, games=("tower_up",), out=tmp_path / "new" / "x.json"))
    assert [[game.num_seats for game in games] for games in found] == [[2, 4]]
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").touch()
    with pytest.raises(InvalidOption, match="cannot be written"):
        benchmark.check(replace(CONFIG, out=tmp_path / "file" / "x.json"))


def test_a_game_of_ones_own_is_measured_like_those_of_the_package():
    config = replace(CONFIG, games=("examples.lots:RULES",), seats=(3,), num_envs=4, repeats=1)
    (games,) = benchmark.check(config)
    (row,) = [row for row in benchmark.seat_rows(games[0], config) if "AEC" in row.what]
    with Progress(disable=True) as progress:
        benchmark.measure([row], progress)
    assert row.figures[0] > 0


def test_a_library_is_measured_in_a_process_of_its_own():
    row = row_of(steps)
    assert len(row.figures) == 2
    assert min(row.figures) > 0
    assert not row.note


@pytest.mark.parametrize(
    ("prepare", "note"),
    [(refused, "not installed"), (crash, "crashes here"), (crash_later, "crashes here")],
)
def test_a_library_that_fails_leaves_a_note(prepare, note):
    row = row_of(prepare)
    assert not row.figures
    assert note in str([row.note, *benchmark.table_of([row]).columns[1].cells])
