"""The command lines as a user meets them: one-line errors, whole files, runs that can be killed."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")
pytestmark = pytest.mark.compiled

TINY = [
    "--num-envs",
    "16",
    "--num-steps",
    "8",
    "--batch-size",
    "64",
    "--num-epochs",
    "1",
    "--width",
    "8",
    "--trunk",
    "16",
    "--imitation",
    "0",
    "--max-minutes",
    "0",
    "--processes",
    "1",
]


def command(*arguments, cwd):
    return subprocess.Popen(
        [sys.executable, "-m", *arguments],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )


def finish(process, code=0):
    out, err = process.communicate(timeout=300)
    assert process.returncode == code, out + err
    return out, err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["sprawl_env.learning.training", "--game", "tower"], "unknown game 'tower'"),
        (
            ["sprawl_env.learning.training", "--preset", "quik"],
            "unknown preset 'quik' (did you mean 'quick'?)",
        ),
        (
            ["sprawl_env.learning.training", "--options", "objectives=all"],
            "expected one of random, start",
        ),
        (
            ["sprawl_env.learning.training", "--options", "floors=4"],
            "unknown option of tower_up 'floors'",
        ),
        (["sprawl_env.learning.training", "--options", "floors"], "expected name=value"),
        (["sprawl_env.learning.training", "--num-players", "7"], "expected a whole number 2..4"),
        (["sprawl_env.learning.training", "--batch-size", "99999999"], "expected at most num_envs"),
        (
            ["sprawl_env.learning.training", "--processes", "3"],
            "expected a multiple of processes=3",
        ),
        (["sprawl_env.learning.training", "--expert", "gredy"], " 'gredy'"),
        (["sprawl_env.learning.training", "--gamma", "1.5"], "gamma=1.5: expected 0..1"),
        (["sprawl_env.learning.training", "--reward", "win"], "unknown reward 'win'"),
        (["sprawl_env.learning.training", "--resume", "nowhere"], "expected a run's folder"),
        (["sprawl_env.arena.evaluation", "--agents", "gredy", "random"], "unknown agent 'gredy'"),
        (["sprawl_env.arena.evaluation", "--agents", "greedy"], "expected 2"),
        (
            ["sprawl_env.arena.evaluation", "--agents", "checkpoint:nowhere", "random"],
            "no such folder",
        ),
        (["sprawl_env.arena.evaluation", "--games", "0"], "expected a whole number from 1"),
        (["experiments.benchmark", "--games", "chess"], "unknown game 'chess'"),
        (["sprawl_env.commands.warmup", "--game", "chess"], "unknown game 'chess'"),
        (["sprawl_env.commands.data", "chess"], "unknown game 'chess'"),
        (["sprawl_env.commands.data", "tower_up", "--overlay", "nowhere"], "does not exist"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing_behind(tmp_path, arguments, says):
    out, err = finish(command(*arguments, cwd=tmp_path), code=2)
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert says in err
    assert "Traceback" not in out + err
    assert list(tmp_path.iterdir()) == []


def test_training_survives_sigkill_and_goes_on(tmp_path):
    run = tmp_path / "runs" / "mine"
    train = ["sprawl_env.learning.training", *TINY, "--name", "mine", "--checkpoint-every", "512"]
    train += ["--processes", "2"]
    train += ["--total-steps", "1000000", "--evaluation-games", "20"]
    first = command(*train, cwd=tmp_path)
    deadline = time.monotonic() + 200
    while len(list((run / "checkpoints").glob("step-*"))) < 3:
        assert time.monotonic() < deadline and first.poll() is None, first.stderr.read()
        time.sleep(0.05)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    saved = sorted(p.name for p in (run / "checkpoints").glob("step-*"))
    newest = int(saved[-1].removeprefix("step-"))
    config = json.loads((run / "config.json").read_text())
    config["config"]["total_steps"] = newest + 1000  # so that the rest is short
    (run / "config.json").write_text(json.dumps(config))
    out, _ = finish(command("sprawl_env.learning.training", "--resume", str(run), cwd=tmp_path))
    assert f"at step {newest:,} of {newest + 1000:,}" in out
    after = sorted(int(p.name.removeprefix("step-")) for p in (run / "checkpoints").glob("step-*"))
    assert [s for s in after if s <= newest] == [int(s.removeprefix("step-")) for s in saved]
    assert after[-1] >= newest + 1000
    result = json.loads((run / "evaluation.json").read_text())
    assert {"random", "greedy"} == result["results"].keys()
    assert "95% interval" in (run / "evaluation.txt").read_text()
    again, _ = finish(command("sprawl_env.learning.training", "--resume", str(run), cwd=tmp_path))
    assert "100% done" in again


def test_resuming_passes_over_a_damaged_checkpoint(tmp_path):
    run = tmp_path / "runs" / "mine"
    train = ["sprawl_env.learning.training", *TINY, "--name", "mine", "--checkpoint-every", "256"]
    finish(command(*train, "--total-steps", "600", "--evaluation-games", "0", cwd=tmp_path))
    newest = sorted((run / "checkpoints").glob("step-*"))[-1]
    weights = newest / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    out, _ = finish(command("sprawl_env.learning.training", "--resume", str(run), cwd=tmp_path))
    assert "skipped: " in out
    assert "resuming" in out
    _, err = finish(command(*train, cwd=tmp_path), code=2)
    assert "exists: resume it with --resume" in err


def test_ctrl_c_saves_and_says_how_to_go_on(tmp_path):
    train = ["sprawl_env.learning.training", *TINY, "--name", "mine", "--total-steps", "10000000"]
    process = command(*train, cwd=tmp_path)
    checkpoints = tmp_path / "runs" / "mine" / "checkpoints"
    deadline = time.monotonic() + 200
    while not list(checkpoints.glob("step-*")):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    out, _ = finish(process)
    assert "resume with: python -m experiments.train --resume" in out
    assert len(list(checkpoints.glob("step-*"))) == 2


def test_evaluation_prints_a_table_and_writes_json(tmp_path):
    out, _ = finish(
        command(
            "sprawl_env.arena.evaluation", "--agents", "greedy", "random", "--num-players", "3",
            "--games", "30", "--out", "result.json", cwd=tmp_path,
        )
    )  # fmt: skip
    assert "95% interval" in out
    result = json.loads((tmp_path / "result.json").read_text())
    lines = {line["agent"]: line for line in result["lines"]}
    assert lines["greedy"]["games"] == 30
    assert lines["greedy"]["wins"] + 2 * lines["random"]["wins"] == pytest.approx(1)
    assert lines["greedy"]["low"] <= lines["greedy"]["wins"] <= lines["greedy"]["high"]
    assert result["versions"]["numpy"] == np.__version__


def test_warm_up_and_tally(tmp_path):
    _, err = finish(command("sprawl_env.commands.warmup", cwd=tmp_path))
    assert "ready in" in err
    out, _ = finish(command("sprawl_env.commands.data", cwd=tmp_path))
    assert "stand-in" in out
    assert "cards.toml card" in out


def test_intervals_shrink_with_deals_and_stay_inside():
    from sprawl_env.arena.evaluation import interval

    for shares in (np.ones(50), np.zeros(50), np.tile([0.0, 1.0], 25), np.full(50, 0.5)):
        low, high = interval(shares)
        assert 0 <= low <= shares.mean() <= high <= 1
    wide = interval(np.tile([0.0, 1.0], 50))
    narrow = interval(np.tile([0.0, 1.0], 5000))
    assert narrow[1] - narrow[0] < (wide[1] - wide[0]) / 8
    assert interval(np.ones(50))[0] > 0.9
    assert interval(np.ones(1)) == interval(np.zeros(1)) == (0, 1)
