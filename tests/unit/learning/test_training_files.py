"""learning/config.py and training.py: settings that are refused, and damaged runs."""

import json
import os
from dataclasses import asdict, replace

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

import sprawl_env
from sprawl_env.bots.policy.checkpoint import (
    NET,
    PREFIX,
    WEIGHTS,
    CheckpointError,
    describe_game,
    load,
    save,
)
from sprawl_env.bots.policy.network import network_for
from sprawl_env.core.errors import InvalidOption
from sprawl_env.learning import training
from sprawl_env.learning.config import PRESETS, Config, check

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
        ({"name": 5}, "name=5: expected a text"),
        ({"expert": 5}, "expert=5: expected a text"),
        ({"options": (5,)}, "options=(5,): expected texts"),
    ],
)
def test_a_setting_that_is_not_allowed_is_refused_before_anything_is_written(
    tmp_path, settings, says
):
    with pytest.raises(InvalidOption) as error:
        sprawl_env.train("tower_up", runs=tmp_path / "runs", **settings)
    assert says in str(error.value)
    assert list(tmp_path.iterdir()) == []


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
        training.read_config(tmp_path)


def test_a_config_with_a_value_that_is_not_allowed_is_damaged(tmp_path):
    def written(**changes):
        content = {"config": asdict(replace(Config(), **changes))}
        (tmp_path / "config.json").write_text(json.dumps(content, default=str))
        return training.read_config(tmp_path)

    assert written() == Config()
    for changes in ({"seed": -1}, {"num_envs": "512"}, {"gamma": True}, {"runs": 5}):
        with pytest.raises(InvalidOption, match="is damaged"):
            written(**changes)


def write(run, game, step):
    tensors = {NET + k: v.numpy() for k, v in network_for(game, **SHAPE).state_dict().items()}
    about = {**describe_game(game), "step": step, "network": SHAPE}
    return save(run / "checkpoints" / f"{PREFIX}{step:010d}", tensors, about)


def test_damaged_checkpoints_are_passed_over_wherever_they_are(game, tmp_path, capsys):
    paths = {step: write(tmp_path, game, step) for step in (10, 20, 30, 40, 50)}
    for step in (20, 50):
        (paths[step] / WEIGHTS).write_bytes(b"damaged")
    (tmp_path / "checkpoints" / f"{PREFIX}0000000005").symlink_to(tmp_path / "nothing")
    (tmp_path / "checkpoints" / f"{PREFIX}0000000006").write_text("a file")
    newest = training.newest_checkpoint(tmp_path, game)
    assert newest.step == 40
    assert capsys.readouterr().out.count("skipped: ") == 1
    found = training.past_policies(newest, game, 8, rank=0)
    assert [step for step, _ in found] == [10, 30, 40]
    assert capsys.readouterr().out.count("skipped: ") == 3
    assert [step for step, _ in training.past_policies(newest, game, 2, rank=1)] == [30, 40]
    assert capsys.readouterr().out == ""


def test_a_checkpoint_of_another_step_than_its_name_says_is_passed_over(game, tmp_path, capsys):
    for step in (10, 20, 40):
        write(tmp_path, game, step)
    os.rename(*(tmp_path / "checkpoints" / f"{PREFIX}{step:010d}" for step in (40, 30)))
    newest = training.newest_checkpoint(tmp_path, game)
    assert newest.step == 20
    assert "is of step 40" in capsys.readouterr().out
    os.rename(*(tmp_path / "checkpoints" / f"{PREFIX}{step:010d}" for step in (30, 15)))
    assert [step for step, _ in training.past_policies(newest, game, 8, rank=0)] == [10, 20]


@pytest.fixture
def model(game):
    config = replace(Config(), num_envs=4, num_steps=2, batch_size=4, processes=1, **SHAPE)
    with training.start(1, training.train_other_rank, config, None) as team:
        env = training.make_env(config, game, team, 0)
        yield training.make_model(config, game, env, training.Clock(config, team), team)


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
def test_moments_of_another_shape_are_refused(game, tmp_path, model, tensors, says):
    arrays = {name: np.zeros(shape, np.float32) for name, shape in tensors.items()}
    path = save(tmp_path / "step-1", arrays, {**describe_game(game), "step": 1})
    with pytest.raises(CheckpointError, match=says):
        training.restore(model, load(path, game))
