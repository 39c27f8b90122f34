"""Ray: tournaments and evaluations on the nodes of a cluster, with the files of one machine."""

import hashlib
import json
import subprocess
import sys
import time
from statistics import median

import numpy as np
import pytest
import ray
from ray.cluster_utils import Cluster

import sprawl_env
from sprawl_env.arena import ray_workers
from sprawl_env.arena.tournament import TournamentSettings, tournament
from sprawl_env.core.errors import InvalidOption
from tests.clients.snippets import run_lines

LOTS = "examples.lots:RULES"
STORE = 100 * 2**20  # bytes of a node's object store


@pytest.fixture
def cluster(monkeypatch):
    """A cluster of three nodes on this machine: a head, and two with a core each."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    made = Cluster()
    for cores in (0, 1, 1):
        made.add_node(num_cpus=cores, object_store_memory=STORE)
    monkeypatch.setenv("RAY_ADDRESS", made.address)
    yield made
    ray.shutdown()
    made.shutdown()


def play(engine, out, bots, num_games, processes=2, game="tower_up", **settings):
    """Play a tournament; return the digests of its files, and how long it took."""
    began = time.perf_counter()
    tournament(
        game, bots, num_games=num_games, seed=3, processes=processes, out=out,
        settings=TournamentSettings(engine=engine, **settings),
    )  # fmt: skip
    files = [out / "results.jsonl", *sorted(out.glob("replays/*"))]
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
    return digests, time.perf_counter() - began


def test_a_tournament_has_the_files_of_one_machine(tmp_path):
    bots = ["random", "greedy", "planner"]
    local, _ = play("local", tmp_path / "local", bots, 8, replays=True)
    found, _ = play("ray", tmp_path / "ray", bots, 8, replays=True)
    assert len(found) == 1 + 3 * 8 + 3  # results, replays, and a game of each line-up to watch
    assert found == local
    assert not ray.is_initialized()


def test_a_stopped_tournament_goes_on_with_the_other_engine(tmp_path):
    whole, _ = play("local", tmp_path / "whole", ["random", "greedy"], 20, game=LOTS)
    play("local", tmp_path / "part", ["random", "greedy"], 20, game=LOTS)
    path = tmp_path / "part" / "results.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:7]) + lines[7][:20])
    again, _ = play("ray", tmp_path / "part", ["random", "greedy"], 20, game=LOTS)
    assert again == whole


def test_bots_that_hang_or_die_forfeit_as_on_one_machine(tmp_path):
    for bot, reason in (("Stalls", "no answer within 1 seconds"), ("Dies", "exit code 7")):
        bots = [f"tests.bots:{bot}", "random"]
        settings = {"game": LOTS, "move_seconds": 1.0, "processes": 1}
        local, _ = play("local", tmp_path / bot / "local", bots, 2, **settings)
        found, _ = play("ray", tmp_path / bot / "ray", bots, 2, **settings)
        assert found == local
        rows = (tmp_path / bot / "ray" / "results.jsonl").read_text().splitlines()
        assert [reason in json.loads(row)["forfeit"]["reason"] for row in rows] == [True, True]


def test_an_evaluation_in_parts_is_the_same(tmp_path):
    settings = {"num_games": 40, "seed": 3, "parts": 5, "processes": 2}
    local, found = (
        sprawl_env.evaluate("tower_up", ["greedy", "random"], engine=engine, **settings)
        for engine in ("local", "ray")
    )
    for name in ("wins", "scores", "seats", "deals", "plies"):
        assert np.array_equal(getattr(local.results, name), getattr(found.results, name))


def test_random_games_of_the_fuzzer_are_the_same(tmp_path):
    from experiments.fuzz.games import Games, fuzz

    rows = []
    for engine in ("local", "ray"):
        config = Games(games=4000, only=(LOTS,), out=tmp_path / engine, jobs=2, engine=engine)
        assert fuzz(config) == 0
        kept = map(json.loads, (tmp_path / engine / "random.jsonl").read_text().splitlines())
        rows.append(sorted((row["chunk"], row["plies"], row["checks"]) for row in kept))
    assert len(rows[0]) == 4
    assert rows[0] == rows[1]


def command(engine, out, bots, num_games):
    """Start a tournament with two workers in a process of its own."""
    words = f"tournament --bots {' '.join(bots)} --games {num_games} --seed 3 --processes 2"
    return subprocess.Popen(
        [sys.executable, "-m", "sprawl_env", *words.split(), "--engine", engine, "--out", str(out)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def test_nodes_that_die_and_join_change_nothing(tmp_path, cluster):
    bots, count = ["random", "greedy", "planner"], 150
    assert command("local", tmp_path / "local", bots, count).wait() == 0
    change_nodes(cluster, command("ray", tmp_path / "ray", bots, count), tmp_path / "ray")
    assert nodes_of(cluster) == [False, True, True, True]
    found, local = (tmp_path / one / "results.jsonl" for one in ("ray", "local"))
    assert found.read_bytes() == local.read_bytes()


def change_nodes(cluster, process, out):
    """Kill a node after some of the games, let another join a little later; wait for the end.

    Nodes can only be started in the main thread, so the tournament has its own process.
    """
    path = out / "results.jsonl"
    while not (path.exists() and path.read_bytes().count(b"\n") > 20):
        assert process.poll() is None, process.stdout.read()
        time.sleep(0.1)
    cluster.remove_node(min(cluster.worker_nodes, key=id), allow_graceful=False)
    time.sleep(2)
    assert process.poll() is None, "it was too fast: more games"
    cluster.add_node(num_cpus=1, object_store_memory=STORE)
    said, _ = process.communicate()
    assert process.returncode == 0, said


def nodes_of(cluster):
    """Return which nodes are alive, once the cluster knows of the dead one."""
    ray.init(address=cluster.address, log_to_driver=False)
    for _ in range(60):
        alive = sorted(node["Alive"] for node in ray.nodes())
        if not alive[0]:
            break
        time.sleep(1)
    return alive


def test_what_is_wrong_with_a_cluster_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(InvalidOption, match=r"RAY_ADDRESS='127.0.0.1:1': no cluster answers"):
        play("ray", tmp_path / "one", ["random", "greedy"], 2, game=LOTS)
    monkeypatch.delenv("RAY_ADDRESS")
    monkeypatch.setattr(ray_workers.Job, "__init__", other_version(ray_workers.Job.__init__))
    with pytest.raises(InvalidOption, match="has another version of sprawl-env: install the same"):
        play("ray", tmp_path / "two", ["random", "greedy"], 2, game=LOTS)
    assert not ray.is_initialized()


def other_version(make):
    def init(job, *arguments):
        make(job, *arguments, code="0")

    return init


def test_the_lines_of_the_page_run(monkeypatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    assert run_lines("Ray")["found"].num_games == 40


def test_how_fast(measured, tmp_path, monkeypatch):
    """The start of the workers, some seconds, is in both tournaments; the difference has none."""
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    ray.init(num_cpus=2, object_store_memory=STORE, include_dashboard=False, log_to_driver=False)
    few, many, bots = 100, 1600, ["greedy", "planner"]
    found = {}
    for engine, name in (("local", "two processes of this machine"), ("ray", "Ray, two cores")):
        _, short = play(engine, tmp_path / f"{engine}-few", bots, few)
        _, long = play(engine, tmp_path / f"{engine}-many", bots, many)
        found[name] = (many - few) / (long - short)
    measured.keep("games of a tournament of greedy and planner", found)
    ray.shutdown()


RATIOS = []  # of the turns played in this process


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("turn", range(3))
def test_a_long_tournament_while_nodes_die_and_join(turn, tmp_path, cluster):
    """Games of ten minutes on both engines in turns; the cluster's start is not counted."""
    bots, count = ["greedy", "planner", "mcts:sims=2600,greedy=1000,turns=8,widen=0.5,c=0.2"], 700
    seconds, found = [], []
    for engine in ("local", "ray"):
        out, began = tmp_path / engine, time.perf_counter()
        process = command(engine, out, bots, count)
        if engine == "ray":
            change_nodes(cluster, process, out)
        assert process.wait() == 0
        seconds.append(time.perf_counter() - began)
        found.append((out / "results.jsonl").read_bytes())
    assert found[0] == found[1]
    assert found[0].count(b"\n") == 3 * count
    RATIOS.append(seconds[1] / seconds[0])
    sys.stdout.write(f"local {seconds[0]:.0f} s, Ray {seconds[1]:.0f} s\n")
    if turn == 2:
        sys.stdout.write(f"median of {len(RATIOS)} ratios {median(RATIOS):.3f}\n")
        assert median(RATIOS) < 1.1
