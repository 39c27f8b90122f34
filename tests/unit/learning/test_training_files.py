"""learning/config.py and training.py: settings that are refused, and damaged runs."""

import errno
import gc
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("tensorboard")
pytest.importorskip("safetensors")

import safetensors.numpy
import torch

import sprawl_env
from experiments import train as train_command
from sprawl_env.arena import engines
from sprawl_env.bots.policy import agents
from sprawl_env.bots.policy.checkpoint import (
    POLICY,
    PREFIX,
    VALUE,
    WEIGHTS,
    CheckpointError,
    describe_game,
    load,
    save,
)
from sprawl_env.core.errors import InvalidOption, SprawlError
from sprawl_env.core.processes import usable_cores
from sprawl_env.learning import process, report, runs, stored, training
from sprawl_env.learning.config import PRESETS, Config, check, read_config
from sprawl_env.learning.curves import learning_curves
from sprawl_env.learning.expert_config import ExpertConfig
from sprawl_env.learning.ppo import ActorCritic, Learner, Stopwatch
from sprawl_env.learning.runs import owned_run
from sprawl_env.learning.team import Team

SHAPE = {"width": 8, "trunk": 16}
NAN, INF = float("nan"), float("inf")
NUMBERS = [name for name, value in asdict(Config()).items() if type(value) in (int, float)]


@pytest.fixture
def game():
    return sprawl_env.game("tower_up", num_players=2)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_presets_are_allowed(preset):
    check(PRESETS[preset])


@pytest.mark.parametrize("name", NUMBERS)
def test_every_number_must_be_finite_in_range_and_a_number(tmp_path, name):
    whole = type(getattr(Config(), name)) is int
    for value in (NAN, INF, -INF, -1, 10**30, True, None, "1", [1], *([1.5] if whole else [])):
        with pytest.raises(InvalidOption, match=f"^{name}=") as error:
            sprawl_env.train("tower_up", runs=tmp_path / "runs", **{name: value})
        assert "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"seed": 2**31}, "seed=2147483648: expected a whole number 0..2147483647"),
        ({"learning_rate": 0.0}, "learning_rate=0.0: expected more than 0"),
        ({"gamma": 1.1}, "gamma=1.1: expected 0..1"),
        ({"width": 4097}, "width=4097: expected a whole number 1..4096"),
        ({"name": "../up"}, "name='../up': expected the name of a folder"),
        ({"name": "a\nb"}, "expected the name of a folder"),
        ({"device": "gpu"}, "device='gpu': expected auto, cpu, cuda"),
        ({"past_share": 0.6, "greedy_share": 0.5}, "expected a sum of at most 1"),
        ({"start": "agent:tower_up/nobody"}, "bot 'agent:tower_up/nobody': no such agent"),
        ({"start": "agent:ginkgopolis/quick"}, "plays ginkgopolis, not tower_up"),
        ({"start": "nowhere"}, "checkpoint 'nowhere': no such folder"),
        ({"evaluate_every": 9, "evaluation_games": 0}, "expected evaluation_games of 1 or more"),
        ({"num_players": 4, "num_steps": 7}, "num_steps=7: expected at least 2 * num_players = 8"),
        ({"name": 5}, "name=5: expected a text"),
        ({"expert": 5}, "expert=5: expected a text"),
        ({"options": (5,)}, "options=(5,): expected texts"),
    ],
)
def test_a_setting_that_is_not_allowed_is_refused_before_anything_is_written(
    tmp_path, settings, says
):
    with pytest.raises(SprawlError) as error:
        sprawl_env.train("tower_up", runs=tmp_path / "runs", **settings)
    assert says in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_shares_may_sum_to_1_whatever_their_order():
    shares = (0.2, 0.4, 0.3, 0.1)
    assert sum(shares) > 1  # by rounding
    names = ("past_share", "greedy_share", "random_share", "opponent_share")
    check(replace(Config(), opponent="planner", **dict(zip(names, shares, strict=True))))


def test_numbers_of_numpy_are_numbers(tmp_path):
    with pytest.raises(InvalidOption, match="expected a multiple of processes=3"):
        sprawl_env.train("tower_up", runs=tmp_path, seed=np.int64(1), processes=np.int8(3))


@pytest.mark.parametrize(
    "text",
    ["", "[]", "[" * 100_000, '{"config": 1}', '{"config": {"seed": NaN}}', '{"config": {}}'],
)
def test_a_damaged_config_is_one_line(tmp_path, text):
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(InvalidOption, match="is damaged"):
        read_config(tmp_path)


def test_a_config_with_a_value_that_is_not_allowed_is_damaged(tmp_path):
    def written(**changes):
        content = {"config": asdict(replace(Config(), **changes))}
        (tmp_path / "config.json").write_text(json.dumps(content, default=str))
        return read_config(tmp_path)

    assert written() == Config()
    for changes in ({"seed": -1}, {"num_envs": "512"}, {"gamma": True}, {"runs": 5}):
        with pytest.raises(InvalidOption, match="is damaged"):
            written(**changes)


def write(run, game, step):
    """Write a checkpoint whose value head's bias is its step."""
    net = ActorCritic(game, **SHAPE)
    tensors = {f"{POLICY}{k}": v.detach().numpy() for k, v in net.state_dict().items()}
    tensors[f"{VALUE}bias"] = np.array([step], np.float32)
    config = {"reward": RUN.reward, "reward_scale": RUN.reward_scale}
    about = {**describe_game(game), "step": step, "network": SHAPE, "config": config}
    return save(run / "checkpoints" / f"{PREFIX}{step:010d}", tensors, about)


def steps_of(newest, game, count, rank):
    """Return the steps of the networks that a resumed run starts with."""
    config = replace(Config(), device="cpu", **SHAPE)
    found = training.past_networks(newest, config, game, count, rank)
    return [int(net.value_net.bias) for net in found]


def test_damaged_checkpoints_are_passed_over_wherever_they_are(game, tmp_path, capsys):
    paths = {step: write(tmp_path, game, step) for step in (10, 20, 30, 40, 50)}
    for step in (20, 50):
        (paths[step] / WEIGHTS).write_bytes(b"damaged")
    (tmp_path / "checkpoints" / f"{PREFIX}0000000005").symlink_to(tmp_path / "nothing")
    (tmp_path / "checkpoints" / f"{PREFIX}0000000006").write_text("a file")
    newest = stored.newest_checkpoint(tmp_path, game)
    assert newest.step == 40
    assert capsys.readouterr().out.count("skipped: ") == 1
    assert steps_of(newest, game, 8, rank=0) == [10, 30, 40]
    assert capsys.readouterr().out.count("skipped: ") == 3
    assert steps_of(newest, game, 2, rank=1) == [30, 40]
    assert capsys.readouterr().out == ""


def test_a_checkpoint_of_another_step_than_its_name_says_is_passed_over(game, tmp_path, capsys):
    for step in (10, 20, 40):
        write(tmp_path, game, step)
    os.rename(*(tmp_path / "checkpoints" / f"{PREFIX}{step:010d}" for step in (40, 30)))
    newest = stored.newest_checkpoint(tmp_path, game)
    assert newest.step == 20
    assert "is of step 40" in capsys.readouterr().out
    os.rename(*(tmp_path / "checkpoints" / f"{PREFIX}{step:010d}" for step in (30, 15)))
    assert steps_of(newest, game, 8, rank=0) == [10, 20]


def test_the_newest_checkpoint_has_the_largest_step_whatever_its_number_of_digits(game, tmp_path):
    steps = [20, 9_999_999_999, 10**10]
    for step in steps:
        write(tmp_path, game, step)
    newest = stored.newest_checkpoint(tmp_path, game)
    assert newest.step == steps[-1]
    config = replace(Config(), device="cpu", **SHAPE)
    assert len(training.past_networks(newest, config, game, 8, rank=0)) == 3
    middle = load(tmp_path / "checkpoints" / f"{PREFIX}{steps[1]}", game)
    assert len(training.past_networks(middle, config, game, 8, rank=0)) == 2


@pytest.fixture
def learner(game):
    config = replace(Config(), device="cpu", **SHAPE)
    return Learner(config, game, training.Team(), torch.device("cpu"), Stopwatch())


@pytest.mark.parametrize(
    ("tensors", "says"),
    [
        ({"optimizer.0.step": (2,)}, r"optimizer\.0\.step has shape \(2,\)"),
        ({"optimizer.0.exp_avg": (3,)}, r"optimizer\.0\.exp_avg has shape \(3,\)"),
        ({"optimizer.999.step": ()}, r"optimizer\.999\.step has shape"),
        ({"optimizer.0.step": ()}, "expected step, exp_avg, exp_avg_sq"),
        ({}, "does not fit this config"),
    ],
)
def test_moments_of_another_shape_are_refused(game, tmp_path, learner, tensors, says):
    arrays = {name: np.zeros(shape, np.float32) for name, shape in tensors.items()}
    path = save(tmp_path / "step-1", arrays, {**describe_game(game), "step": 1})
    with pytest.raises(CheckpointError, match=says):
        stored.restore(learner, load(path, game))


# ------------------------------------------------------------------------- runs that are resumed

RUN = replace(
    Config(), num_envs=16, num_steps=24, batch_size=64, num_epochs=1, total_steps=2000,
    max_minutes=0.0, imitation=0, checkpoint_every=500, evaluation_games=0, greedy_share=0.2,
    past_share=0.3, opening_share=0.3, processes=1, device="cpu", name="mine", **SHAPE,
)  # fmt: skip


class Killed(Exception):
    """Stands for SIGKILL, after which only the files are left."""

    @classmethod
    def in_round(cls, number):
        """Return ``Trainer.round`` that raises this at its call ``number``, counted from 0."""
        calls = itertools.count()
        whole = training.Trainer.round

        def round_(trainer):
            if next(calls) == number:
                raise cls
            return whole(trainer)

        return round_


def weights_of(run):
    return {path.parent.name: path.read_bytes() for path in run.glob("checkpoints/*/weights.*")}


@pytest.mark.compiled
def test_a_run_that_was_stopped_anywhere_ends_with_the_same_bytes(tmp_path, monkeypatch, capsys):
    training.main(replace(RUN, runs=tmp_path))
    whole = tmp_path / "mine"
    expected = weights_of(whole)
    assert len(expected) > 3
    for last in (0, 1, 3, 4, 6):  # the round that the process does not live to see the end of
        part = tmp_path / str(last)
        with monkeypatch.context() as patch, pytest.raises(Killed):
            patch.setattr(training.Trainer, "round", Killed.in_round(last))
            training.main(replace(RUN, runs=part))
        assert weights_of(part / "mine").items() < expected.items()
        training.main(Config(resume=part / "mine"))
        assert weights_of(part / "mine") == expected
    assert "new games" not in capsys.readouterr().out


def test_damaged_checkpoints_after_the_one_that_is_resumed_are_renamed(game, tmp_path, capsys):
    for step in (10, 20, 30, 40):
        write(tmp_path, game, step)
    folder = tmp_path / "checkpoints"
    for step in (20, 40):
        (folder / f"{PREFIX}{step:010d}" / WEIGHTS).write_bytes(b"damaged")
    (folder / f"{PREFIX}0000000050").symlink_to(tmp_path / "nothing")
    (folder / f"damaged-{PREFIX}0000000040").mkdir()  # of an earlier resume
    assert stored.checkpoint_to_resume(tmp_path, game).step == 30
    kept = [f"{PREFIX}{step:010d}" for step in (10, 20, 30)]
    aside = [f"damaged-{PREFIX}00000000{end}" for end in ("40", "40-2", "50")]
    assert sorted(path.name for path in folder.iterdir()) == sorted([*kept, *aside])
    assert (folder / aside[1] / WEIGHTS).read_bytes() == b"damaged"
    assert "renamed: step-0000000040 to damaged-step-0000000040-2" in capsys.readouterr().out
    assert load(tmp_path, game).step == 30


def test_a_run_with_no_checkpoint_that_can_be_loaded_does_not_begin_again(game, tmp_path):
    assert stored.checkpoint_to_resume(tmp_path, game) is None
    paths = [write(tmp_path, game, step) for step in (10, 20)]
    with pytest.raises(CheckpointError, match=r"step-0000000020.*is for num_players=2"):
        stored.checkpoint_to_resume(tmp_path, sprawl_env.game("tower_up", num_players=3))
    for path in paths:
        (path / WEIGHTS).write_bytes(b"damaged")
    with pytest.raises(CheckpointError, match=r"step-0000000020.* is damaged"):
        stored.checkpoint_to_resume(tmp_path, game)
    assert sorted((tmp_path / "checkpoints").iterdir()) == paths


@pytest.mark.compiled
def test_a_run_that_passes_over_a_damaged_checkpoint_is_played_from_its_own_newest(game, tmp_path):
    training.main(replace(RUN, runs=tmp_path, total_steps=600))
    folder = tmp_path / "mine" / "checkpoints"
    expected, newest = weights_of(tmp_path / "mine"), max(folder.iterdir())
    newest.rename(folder / f"{PREFIX}0000009999")  # of another step than its name says
    training.main(Config(resume=tmp_path / "mine"))
    found = weights_of(tmp_path / "mine")
    assert {name: each for name, each in found.items() if name in expected} == expected
    assert load(tmp_path / "mine", game).path == newest
    assert (newest / report.GAMES_FILE).exists()


@pytest.mark.compiled
@pytest.mark.parametrize("reports", [False, True])
def test_the_results_of_a_round_are_forgotten_also_where_nothing_is_reported(
    game, tmp_path, reports
):
    config = replace(RUN, greedy_share=1.0, past_share=0.0)
    shown = report.Report(config, tmp_path, game, 0) if reports else None
    trainer = training.Trainer(config, game, training.Team(), report=shown)
    ended = []
    count = trainer.games._count
    trainer.games._count = lambda: (count(), ended.append(len(trainer.games.won)))
    trainer.run()
    if shown:
        shown.close()
    assert sum(ended) > 0
    assert trainer.games.won == []


def press_ctrl_c_before(monkeypatch, name):
    """Interrupt a training when it first calls a function after its kernels are compiled."""
    whole, interrupted = getattr(training, name), []

    def call(*arguments, **settings):
        compiling = name == "imitate" and settings["batch_size"] == 1
        if not compiling and not interrupted:
            interrupted.append(name)
            signal.raise_signal(signal.SIGINT)
        return whole(*arguments, **settings)

    monkeypatch.setattr(training, name, call)


@pytest.mark.compiled
def test_behaviour_cloning_that_was_interrupted_begins_again(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(training, "IMITATION_GAMES", 16)
    config = replace(RUN, imitation=2000, imitation_epochs=1, expert="greedy", total_steps=600)
    training.main(replace(config, runs=tmp_path))
    expected = weights_of(tmp_path / "mine")
    assert "imitated" in capsys.readouterr().out
    for name in ("collect_demonstrations", "imitate"):
        with monkeypatch.context() as patch:
            press_ctrl_c_before(patch, name)
            folder, finished, _ = training.main(replace(config, runs=tmp_path / name))
        assert not finished
        assert weights_of(folder) == {}
        out = capsys.readouterr().out
        assert f"resume with: python -m experiments.train --resume {folder}" in out
        assert f"or sprawl_env.train(resume={str(folder)!r})" in out  # there may be no clone
        assert "imitated" not in out
        assert training.main(Config(resume=folder))[1]
        assert weights_of(folder) == expected
        capsys.readouterr()


@pytest.mark.long
@pytest.mark.compiled
def test_ctrl_c_stops_all_ranks_while_the_expert_plays(tmp_path, monkeypatch):
    press_ctrl_c_before(monkeypatch, "collect_demonstrations")
    config = replace(RUN, imitation=10**7, expert="planner", processes=2, runs=tmp_path)
    folder, finished, _ = training.main(config)  # the expert's games take many minutes
    assert not finished
    assert weights_of(folder) == {}


HOLD = """
import sys
from pathlib import Path
from sprawl_env.learning.runs import owned_run

with owned_run(Path(sys.argv[1]), None, new=False):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.compiled
def test_one_process_trains_in_a_run_and_a_dead_one_does_not_count(tmp_path, monkeypatch):
    config = replace(RUN, runs=tmp_path, total_steps=300)
    folder, _, _ = training.main(config)
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    monkeypatch.setattr(process, "run_folder", lambda *_: folder)  # it was free at that moment
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout.readline() == b"held\n"
        for second in (replace(config, width=16), Config(resume=folder)):
            with pytest.raises(InvalidOption, match="another process trains there: wait"):
                training.main(second)
        holder.kill()
    assert training.main(Config(resume=folder))[1]
    with pytest.raises(InvalidOption, match="exists: resume it with --resume"):
        training.main(replace(config, width=16))
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_a_run_whose_folder_cannot_be_made_or_written_is_one_line(tmp_path, monkeypatch):
    def full(path, text):
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "file").write_text("mine")
    monkeypatch.setattr(runs, "write_atomically", full)
    for folder, why in (
        (tmp_path / "file" / "below", "Not a directory"),
        (tmp_path / "a", "No space left on device"),
    ):
        said = re.escape(f"run {str(folder)!r}: cannot be made: {why}")
        with pytest.raises(InvalidOption, match=f"^{said}$"), owned_run(folder, RUN, new=True):
            pytest.fail("the run began")
    monkeypatch.undo()
    with owned_run(tmp_path / "a", RUN, new=True):  # it is free
        assert json.loads((tmp_path / "a" / "config.json").read_text())["config"]
    assert (tmp_path / "file").read_text() == "mine"


def test_a_run_is_free_again_after_an_error(tmp_path):
    for number in range(2):
        with pytest.raises(Killed), owned_run(tmp_path / "a", RUN, new=number == 0):
            raise Killed


@pytest.mark.compiled
@pytest.mark.parametrize("damage", ["cut", "gone", "random", "over"])
def test_games_that_cannot_be_read_are_dealt_anew(game, tmp_path, capsys, damage):
    training.main(replace(RUN, runs=tmp_path, total_steps=600))
    newest = max((tmp_path / "mine" / "checkpoints").iterdir())
    path = newest / report.GAMES_FILE
    content = path.read_bytes()
    if damage == "gone":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(content[:-100])
    else:
        tensors = safetensors.numpy.load(content)
        games = tensors["games"]
        if damage == "random":
            games[:] = np.random.default_rng(1).integers(256, size=games.shape)
        else:
            records = games.reshape(-1).view(game.dtype)
            records["over"] = 1
        path.write_bytes(safetensors.numpy.save(tensors))
    config = json.loads((tmp_path / "mine" / "config.json").read_text())
    config["config"]["total_steps"] = 1200
    (tmp_path / "mine" / "config.json").write_text(json.dumps(config))
    capsys.readouterr()
    training.main(Config(resume=tmp_path / "mine"))
    out = capsys.readouterr().out
    assert "new games are dealt" in " ".join(out.split())
    assert len(weights_of(tmp_path / "mine")) > 2


@pytest.mark.compiled
def test_a_run_is_measured_at_checkpoints_and_each_only_once(tmp_path):
    config = replace(RUN, runs=tmp_path, evaluate_every=1000, evaluation_games=10)
    training.main(config)
    rows = report.read_evaluations(tmp_path / "mine")
    steps = sorted(int(p.name.removeprefix(PREFIX)) for p in tmp_path.glob("mine/checkpoints/*"))
    first = [next(s for s in steps if s >= mark) for mark in (1000, 2000)]
    assert [row["step"] for row in rows] == first
    assert rows[0]["results"]["random"][0]["games"] == 10
    training.main(Config(resume=tmp_path / "mine"))
    assert report.read_evaluations(tmp_path / "mine") == rows
    path = tmp_path / "mine" / report.EVALUATIONS
    path.write_text(path.read_text().splitlines()[0] + "\n{damaged")  # killed while measuring
    training.main(Config(resume=tmp_path / "mine"))
    again = report.read_evaluations(tmp_path / "mine")
    assert [row["results"] for row in again] == [row["results"] for row in rows]


@pytest.mark.compiled
def test_ctrl_c_leaves_out_an_evaluation_which_follows_after_the_resume(tmp_path, monkeypatch):
    config = replace(RUN, runs=tmp_path, evaluate_every=1, evaluation_games=10)
    whole = training.Trainer.round

    def interrupted(trainer):
        signal.raise_signal(signal.SIGINT)
        return whole(trainer)

    with monkeypatch.context() as patch:
        patch.setattr(training.Trainer, "round", interrupted)
        folder, finished, _ = training.main(config)
    assert not finished
    newest = max((folder / "checkpoints").iterdir())
    assert newest.name != f"{PREFIX}0000000000"
    assert report.read_evaluations(folder) == []
    training.main(Config(resume=folder))
    measured = [f"{PREFIX}{row['step']:010d}" for row in report.read_evaluations(folder)]
    assert measured == sorted(path.name for path in (folder / "checkpoints").iterdir())[1:]
    assert measured[0] == newest.name


@pytest.mark.compiled
def test_training_starts_from_the_weights_of_another_checkpoint(game, tmp_path):
    path = write(tmp_path / "other", game, 7)
    training.main(replace(RUN, runs=tmp_path, total_steps=1, start=path))
    first = min((tmp_path / "mine" / "checkpoints").iterdir())
    assert load(first, game).tensors[f"{VALUE}bias"] == 7
    other = sprawl_env.game("tower_up", num_players=3)
    path = write(tmp_path / "third", other, 7)
    with pytest.raises(CheckpointError, match="is for num_players=3"):
        training.main(replace(RUN, runs=tmp_path / "runs", start=path))
    assert not (tmp_path / "runs").exists()


def test_the_network_is_as_wide_as_that_of_the_start(game):
    folder = agents.find_agent("agent:tower_up/ppo-1h", game)
    for name in (folder, "agent:tower_up/ppo-1h", "agent:ppo-1h", f"checkpoint:{folder}"):
        found = training.fixed(replace(Config(), start=Path(name), trunk=96), game)
        assert (found.start, found.width, found.trunk) == (folder, 64, 128)
    assert training.fixed(replace(Config(), width=96), game).width == 96


@pytest.mark.parametrize(
    "settings", [{"imitation": 0}, {"imitation_epochs": 0}, {"start": Path("runs/x")}]
)
def test_a_run_that_fits_to_no_decisions_collects_none(settings):
    assert training.imitates(Config())
    assert not training.imitates(replace(Config(), **settings))


@pytest.mark.compiled
def test_a_start_keeps_its_values_in_the_units_of_the_run(game, tmp_path):
    def value_of(**changes):
        config = process.resolved(replace(RUN, start=path, **changes))
        net = training.actor_critic(config, game)
        training.begin_from(net, load(path, game), config)
        return float(net.value_net.bias.detach()[0])

    path = write(tmp_path / "other", game, 7)
    about = json.loads((path / "checkpoint.json").read_text())
    about["config"] = {"reward": "lead", "reward_scale": 0.1}
    (path / "checkpoint.json").write_text(json.dumps(about))
    assert value_of(reward_scale=0.1) == pytest.approx(7)
    assert value_of(reward_scale=0.05) == pytest.approx(3.5)
    assert value_of(reward="winner") == 0
    del about["config"]
    (path / "checkpoint.json").write_text(json.dumps(about))
    assert value_of() == 0


def test_a_rollout_that_no_machine_can_hold_is_refused_before_a_file_is_written(tmp_path):
    with pytest.raises(InvalidOption, match=r"num_envs \* num_steps=\d+: needs .* bytes"):
        training.main(replace(RUN, runs=tmp_path / "runs", num_steps=10**7, num_envs=10**5))
    assert not (tmp_path / "runs").exists()


@pytest.mark.compiled
def test_a_caller_computes_after_training_as_before_it(tmp_path):
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    torch.manual_seed(5)
    wanted = torch.rand(3)
    torch.manual_seed(5)
    try:
        training.main(replace(RUN, runs=tmp_path, total_steps=1))
        assert torch.get_num_threads() == 2
        assert torch.equal(torch.rand(3), wanted)
        assert gc.get_freeze_count() == 0
    finally:
        torch.set_num_threads(threads)


@pytest.mark.compiled
def test_earlier_networks_are_kept_only_if_they_play(game, tmp_path):
    for share, kept in ((0.0, 0), (0.5, 3)):
        config = process.resolved(replace(RUN, runs=tmp_path, past_share=share, pool_size=3))
        trainer = training.Trainer(config, game, Team())
        for _ in range(5):
            trainer.save()
        assert len(trainer.games.past) == kept


@pytest.mark.compiled
def test_a_run_goes_on_without_the_checkpoint_that_it_started_from(game, tmp_path, monkeypatch):
    path = write(tmp_path / "other", game, 7)
    monkeypatch.setattr(training.Trainer, "round", Killed.in_round(2))
    with pytest.raises(Killed):
        training.main(replace(RUN, runs=tmp_path, start=path, imitation=10, checkpoint_every=1))
    monkeypatch.undo()
    shutil.rmtree(path)
    _, finished, _ = training.main(Config(resume=tmp_path / "mine"))
    assert finished


@pytest.mark.compiled
def test_a_run_as_start_means_the_checkpoint_that_it_had_when_the_command_began(game, tmp_path):
    path = write(tmp_path / "other", game, 7)
    again = f"checkpoint:{tmp_path / 'other'}"
    folder, _, _ = training.main(
        replace(
            RUN,
            runs=tmp_path,
            total_steps=1,
            start=tmp_path / "other",
            opponent=again,
            opponent_share=0.1,
        )
    )
    own = read_config(folder)
    assert (own.start, own.opponent) == (path, f"checkpoint:{path}")


def test_the_time_of_fitting_begins_after_the_collecting():
    assert training.time_used(0.2, 0.2, 0.4) == 0
    assert training.time_used(0.2, 0.3, 0.4) == pytest.approx(0.5)
    assert training.time_used(0.2, 0.4, 0.4) == 1
    assert training.time_used(0.4, 0.4, 0.4) == 1  # collecting took all of it
    assert training.time_used(0.2, process.INTERRUPTED, 0.4) > 1


def test_imitation_without_time_for_fitting_says_so(game, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(training, "imitate", lambda *_, **__: None)
    for decisions, why in (
        (20_000, "there was no time after collecting decisions of random"),
        (64, "no game ended in the decisions of random"),
    ):
        changes = {"imitation": decisions, "expert": "random", "total_steps": 64}
        training.main(replace(RUN, runs=tmp_path / str(decisions), **changes))
        assert f"imitated nothing: {why}" in " ".join(capsys.readouterr().out.split())


def test_a_resumed_run_keeps_its_settings_and_says_so(tmp_path):
    with owned_run(tmp_path / "mine", replace(RUN, game="ginkgopolis"), new=True):
        pass
    for changes, says in (
        ({"max_minutes": 240.0}, "max_minutes=240.0: the run '.*mine' keeps its own, 0.0: leave"),
        ({"preset": "full"}, "preset=full: .* keeps its own, quick"),
        ({"num_players": 3}, "num_players=3: .* keeps its own, 2"),
    ):
        with pytest.raises(InvalidOption, match=says):
            training.main(Config(resume=tmp_path / "mine", **changes))
    with pytest.raises(InvalidOption, match=r"seed=5: .* keeps its own, 0"):
        sprawl_env.train(resume=tmp_path / "mine", seed=5)
    with pytest.raises(InvalidOption, match=r"game=urban_sprawl: .* keeps its own, ginkgopolis"):
        sprawl_env.train("urban_sprawl", resume=tmp_path / "mine")
    usual = Config().max_minutes  # given, although it is the default
    with pytest.raises(InvalidOption, match=rf"max_minutes={usual}: .* keeps its own, 0\.0"):
        sprawl_env.train(resume=tmp_path / "mine", max_minutes=usual)
    with pytest.raises(InvalidOption, match=r"name=other: .* keeps its own, mine"):
        sprawl_env.train(resume=tmp_path / "mine", name="other")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--max-minutes", "3.0"], "max_minutes=3.0: the run '.*mine' keeps its own, 0.0: leave"),
        (["--max-minutes=4"], "max_minutes=4.0: .* keeps its own, 0.0"),
        (["--preset", "full"], "preset=full: .* keeps its own, quick"),
        (["--game", "tower_up"], "game=tower_up: .* keeps its own, ginkgopolis"),
        (["--name", "other"], "name=other: .* keeps its own, mine"),
        (["--width", "8"], None),
    ],
)
def test_a_command_that_resumes_a_run_changes_none_of_its_settings(
    tmp_path, monkeypatch, capsys, words, says
):
    run = replace(RUN, game="ginkgopolis", width=8)
    with owned_run(tmp_path / "mine", run, new=True):
        pass
    resumed = []
    monkeypatch.setattr(
        training, "main", lambda config: (resumed.append(config), (tmp_path, True, {}))[1]
    )
    command = ["--resume", str(tmp_path / "mine"), *words]
    if says is None:
        train_command.main(command)
        assert resumed == [replace(run, resume=tmp_path / "mine")]
        return
    with pytest.raises(SystemExit):
        train_command.main(command)
    assert re.search(says, capsys.readouterr().err)
    assert not resumed


def test_curves_of_a_resumed_run_lose_what_was_logged_after_its_checkpoint(game, tmp_path):
    for step, points in ((None, (0, 100, 200)), (100, (150,)), (0, ())):
        shown = report.Report(RUN, tmp_path, game, step)
        for point in points:
            shown._writer.add_scalar("train/loss", 1.0, point)
        shown.close()
        left = [point.step for point in learning_curves(tmp_path)]
        assert left == {None: [0, 100, 200], 100: [0, 100, 150], 0: [0]}[step]


def test_the_speed_that_is_shown_counts_from_the_first_round(game, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(report, "PLAIN_SECONDS", -1.0)
    progress = report.Report(RUN, tmp_path, game, step=500)
    games = SimpleNamespace(won=[])
    for steps, seconds in ((600, 90.0), (700, 91.0), (800, 92.0)):  # 90 seconds of imitation
        clock = SimpleNamespace(steps=steps, seconds=seconds, fraction=0.0)
        progress.show(clock, Stopwatch(), games, {})
    progress.close()
    shown = [line.split() for line in capsys.readouterr().out.splitlines() if "step" in line]
    assert [line[3:4] for line in shown[:3]] == [[], ["100/s"], ["100/s"]]


def test_a_run_from_a_gpu_goes_on_without(monkeypatch, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    begun = replace(Config(), device="cuda", processes=1, precision="bfloat16", num_envs=1024)
    found = process.resumed(begun)
    assert (found.device, found.num_envs) == ("cpu", 1024)
    assert found.processes > 1 or usable_cores() == 1
    assert "goes on without" in capsys.readouterr().out
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert process.resumed(begun) == begun


def test_a_gpu_that_is_not_there_is_refused_and_one_process_has_it(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InvalidOption, match="device='cuda': no GPU is available"):
        process.resolved(replace(Config(), device="cuda"))
    found = process.resolved(Config())
    assert found.device == "cpu"
    assert found.processes >= 1 and Config().num_envs % found.processes == 0
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    gpu = {"device": "cuda", "processes": 1, "precision": "bfloat16"}
    assert process.resolved(Config()) == replace(Config(), **gpu)
    assert process.resolved(replace(Config(), device="cpu")).device == "cpu"
    assert process.gpu_of("cpu") is None
    searching = process.resolved(ExpertConfig())
    assert (searching.device, searching.processes) == ("cuda", 1)
    assert process.threads_of(torch.device("cuda")) == usable_cores()
    assert process.threads_of(torch.device("cpu")) == 1
    with pytest.raises(InvalidOption, match="processes=2: expected 1 on a GPU"):
        process.resolved(replace(Config(), processes=2))


def test_a_process_uses_only_the_cores_that_it_may_use(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 6, 7}, raising=False)
    found = process.resolved(replace(Config(), device="cpu"))
    assert found.processes == usable_cores() == 4
    assert process.threads_of(torch.device("cuda")) == 4
    monkeypatch.setattr(engines, "Workers", lambda start, argument, processes, seconds: processes)
    assert engines.pool_of("local", print, None, processes=0, seconds=max) == 4
    monkeypatch.delattr(os, "sched_getaffinity")
    assert usable_cores() == 64
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert usable_cores() == 1


def test_cores_that_stay_idle_are_named(monkeypatch, capsys):
    monkeypatch.setattr(process, "usable_cores", lambda: 3)
    assert process.resolved(replace(Config(), device="cpu", num_envs=512)).processes == 2
    shown = " ".join(capsys.readouterr().out.split())
    assert "2 of 3 cores are used: num_envs=512 cannot be shared out to more; 513 can" in shown
    assert process.resolved(replace(Config(), device="cpu", num_envs=513)).processes == 3
    assert not capsys.readouterr().out


def test_the_precision_is_bfloat16_on_a_gpu_alone():
    config = replace(Config(), device="cpu")
    for named in ("auto", "float32"):
        assert process.resolved(replace(config, precision=named)).precision == "float32"
    with pytest.raises(InvalidOption, match="precision=bfloat16: expected float32 without a GPU"):
        process.resolved(replace(config, precision="bfloat16"))
    with pytest.raises(InvalidOption, match="precision='half': expected auto, float32, bfloat16"):
        training.check(replace(config, precision="half"))


@pytest.mark.parametrize(
    ("settings", "seats", "name"),
    [
        ({}, 2, "agent:tower_up/quick"),
        ({"preset": "full", "max_minutes": 3.0}, 2, "agent:tower_up/quick"),
        ({"max_minutes": 5.0}, 2, None),
        ({"max_minutes": 0.0}, 2, None),
        ({}, 3, "agent:tower_up/quick-3p"),
        ({}, 4, None),
        ({"preset": "full", "max_minutes": 120.0}, 2, "agent:tower_up/ppo-150m"),
        ({"preset": "full", "max_minutes": 120.0}, 4, "agent:tower_up/ppo-2h-4p"),
    ],
)
def test_the_shipped_agent_of_the_same_minutes_and_seats_is_compared(
    tmp_path, monkeypatch, settings, seats, name
):
    monkeypatch.setattr(agents, "agents_folder", lambda: tmp_path)
    for folder, players in (
        ("quick", 2), ("quick-3p", 3), ("ppo-2h", 2), ("ppo-150m", 2), ("ppo-2h-4p", 4),
    ):  # fmt: skip
        made = sprawl_env.game("tower_up", num_players=players)
        about = {**describe_game(made), "step": 1, "network": SHAPE}
        save(tmp_path / "tower_up" / folder, {"policy.x": np.ones(1, np.float32)}, about)
    game = sprawl_env.game("tower_up", num_players=seats)
    assert report.shipped_agent(replace(Config(), **settings), game) == name
    other = sprawl_env.game("tower_up", num_players=seats, max_turns=7)
    assert report.shipped_agent(replace(Config(), **settings), other) is None


def test_a_shipped_agent_that_no_longer_fits_is_not_compared(tmp_path, monkeypatch, game):
    monkeypatch.setattr(agents, "agents_folder", lambda: tmp_path)
    about = {**describe_game(game), "step": 1, "network": SHAPE, "layout": "older"}
    save(tmp_path / "tower_up" / "quick", {"policy.x": np.ones(1, np.float32)}, about)
    assert report.shipped_agent(Config(), game) is None
