"""experiments/benchmark.py: the rows and the file of a run; other libraries cannot end it."""

import json
import os
import statistics
import sys
from dataclasses import replace
from pathlib import Path

import numba
import pytest
from rich.progress import Progress

import sprawl_env
from experiments import benchmark
from experiments.peers import Peer
from sprawl_env.core.errors import InvalidOption, SprawlError
from sprawl_env.kernels.sources import source_digest

CONFIG = benchmark.Config(seconds=0.01, repeats=2)
SEAT_ROWS = [  # with the units of their figures; docs/speed.md is made of them
    ("batch, mask, 1 thread", "decisions/s"),
    ("batch, mask, 2 threads", "decisions/s"),
    ("2 threads / 1 thread, mask", "times"),
    ("batch, mask, obs, 1 thread", "decisions/s"),
    ("batch, mask, obs, 2 threads", "decisions/s"),
    ("2 threads / 1 thread, mask, obs", "times"),
    ("PettingZoo AEC", "decisions/s"),
    ("search, random rollouts", "simulations/s"),
    ("search, random rollouts", "plies/s"),
    ("search, network, one game, 1 thread", "simulations/s"),
    ("search, network, 3 games, 1 thread", "simulations/s"),
    ("Gymnasium, learner's decisions", "decisions/s"),
    ("make_vec, sync", "decisions/s"),
    ("make_vec, vector_entry_point", "decisions/s"),
    ("vector_entry_point / sync", "times"),
]
GAME_ROWS = [
    ("state", "bytes"),
    ("clone+restore", "games/s"),
    ("new process to first step", "s"),
    ("first compilation", "s"),
]


@pytest.fixture
def small(monkeypatch):
    """Make everything that is measured small."""
    for name, number in (("SIMULATIONS", 6), ("FEW_SIMULATIONS", 2), ("AT_ONCE", 3)):
        monkeypatch.setattr(benchmark, name, number)
    monkeypatch.setattr(benchmark, "LEARNERS", 5)


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


@pytest.mark.compiled
def test_a_run_writes_every_row_with_its_figures_and_what_they_depend_on(
    small, tmp_path, monkeypatch, capsys
):
    started = []

    def start(command, **environment):
        cache = environment.get("SPRAWL_ENV_CACHE")
        is_empty = cache is not None and list(Path(cache).iterdir()) == []
        started.append((command[1:], is_empty))

    monkeypatch.setattr(benchmark, "run_process", start)
    monkeypatch.setattr(benchmark, "cpu_model", lambda: "A processor of any name " * 5)
    config = benchmark.Config(
        games=("tower_up", "examples.lots:RULES"), seats=(2,), num_envs=4, seconds=0.001,
        repeats=3, peers=False, seed=5, out=tmp_path / "speed.json",
    )  # fmt: skip
    benchmark.main(config)
    written = json.loads(config.out.read_text())
    rows = written["rows"]
    without_agent = [row for row in SEAT_ROWS if "network" not in row[0]]
    assert [(row["section"], row["what"], row["unit"]) for row in rows] == [
        *(("tower_up, 2 seats", *row) for row in SEAT_ROWS),
        *(("tower_up", *row) for row in GAME_ROWS),
        *(("lots, 2 seats", *row) for row in without_agent),
        *(("lots", *row) for row in GAME_ROWS),
    ]
    for row in rows:
        figures = row["figures"]
        assert len(figures) == (1 if row["what"] in {"state", "first compilation"} else 3)
        assert min(figures) > 0
        found = row["median"], row["min"], row["max"]
        assert found == (statistics.median(figures), min(figures), max(figures))
        assert row["note"] == ""
    one, two, ratio = (row["figures"] for row in rows[:3])
    assert ratio == [b / a for a, b in zip(one, two, strict=True)]
    sync, entry, ratio = (row["figures"] for row in rows[12:15])
    assert ratio == [b / a for a, b in zip(sync, entry, strict=True)]
    (size,) = {row["median"] for row in rows if row["section"] == "lots" and row["what"] == "state"}
    assert size == sprawl_env.game("lots").dtype.itemsize
    for name in config.games:
        first = ["-c", benchmark.FIRST_STEP.format(game=name)]
        compiling = ["-m", "sprawl_env", "warmup", "--game", name]
        assert [at for command, at in started if command == first] == [False] * 4  # 1 to prepare
        assert [at for command, at in started if command == compiling] == [True]
    assert len(started) == 10
    assert written["config"] == {
        "games": ["tower_up", "examples.lots:RULES"], "seats": [2], "num_envs": 4,
        "seconds": 0.001, "repeats": 3, "peers": False, "startup": True, "seed": 5,
        "out": str(config.out),
    }  # fmt: skip
    assert written["sources"] == source_digest()
    assert written["versions"]["numba"] == numba.__version__
    assert written["machine"]["cores"] == os.cpu_count()
    out = capsys.readouterr().out
    assert benchmark.one_line(written) in out.splitlines()
    assert f"sources {source_digest()}" in benchmark.one_line(written)
    assert "vector_entry_point / sync, times" in out


@pytest.mark.compiled
def test_the_work_that_is_measured_is_counted(small):
    game = sprawl_env.game("tower_up")
    simulate, play = benchmark.searching(game, 1)
    assert simulate() == 6
    assert 6 * 20 < play() < 6 * 100  # plies: a game has about 60
    for count in (1, 3):
        work = benchmark.searching_with_network(game, count, 1)
        assert [work() for _ in range(3)] == [2 * count] * 3
    assert benchmark.searching_with_network(sprawl_env.game("lots"), 1, 1) is None
    for mode in ("sync", "vector_entry_point"):
        steps = benchmark.gym_steps("sprawl_env/TowerUp-v0", mode, game, CONFIG)
        assert [steps() for _ in range(3)] == [5] * 3
    assert 10 < benchmark.gym_games("sprawl_env/TowerUp-v0", 2, 1)() < 60


def test_a_new_process_takes_the_usual_cache_or_an_empty_one(tmp_path, monkeypatch):
    monkeypatch.setenv("SPRAWL_ENV_CACHE", "usual")
    said = tmp_path / "said"
    code = f"import os; open({str(said)!r}, 'a').write(os.environ['SPRAWL_ENV_CACHE'] + ' ')"
    for cold in (False, True):
        assert 0 < benchmark.seconds_of([sys.executable, "-c", code], cold) < 60
    usual, empty = said.read_text().split()
    assert usual == "usual"
    assert not Path(empty).exists()  # it is removed
    with pytest.raises(SprawlError, match=r"^-c .* ended with 1: NameError: name 'oops'"):
        benchmark.run_process([sys.executable, "-c", "oops"])
