"""experiments/train_sb3: training with sb3-contrib, from the weights of a checkpoint too."""

import pytest

pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

import torch
from sb3_contrib import MaskablePPO

import sprawl_env
from experiments import train_sb3
from sprawl_env.bots.policy.checkpoint import SHAPE, checkpoints_in, describe_game, load, save
from sprawl_env.core.errors import InvalidOption

STEPS = 1  # at least one rollout is played


def config_in(tmp_path, **changes):
    return train_sb3.Config(total_steps=STEPS, games=0, runs=tmp_path / "runs", **changes)


@pytest.mark.compiled
def test_a_run_starts_from_weights_of_another_size_and_keeps_that_size(tmp_path, monkeypatch):
    began = []

    def learn(model, *_, **__):
        began.append({k: v.clone() for k, v in model.policy.state_dict().items()})
        assert {group["eps"] for group in model.policy.optimizer.param_groups} == {1e-5}
        return model

    monkeypatch.setattr(MaskablePPO, "learn", learn)
    train_sb3.train(config_in(tmp_path, width=4, trunk=8))
    (first,) = checkpoints_in(tmp_path / "runs" / "tower_up-sb3-0" / "checkpoints")
    assert load(first).about["network"] == dict(zip(SHAPE, (4, 8), strict=True))
    train_sb3.train(config_in(tmp_path, seed=1, start=first))
    (second,) = checkpoints_in(tmp_path / "runs" / "tower_up-sb3-1" / "checkpoints")
    assert load(second).about["network"] == load(first).about["network"]
    before, after = began
    assert all(torch.equal(before[name], after[name]) for name in before)
    with pytest.raises(InvalidOption, match="exists: move it"):
        train_sb3.train(config_in(tmp_path, seed=1))


def test_a_start_of_no_known_size_is_one_line(tmp_path):
    game = sprawl_env.game("tower_up", num_players=2)
    save(tmp_path / "start", {}, {**describe_game(game), "step": 0, "network": {"width": 4}})
    with pytest.raises(sprawl_env.SprawlError, match="expected 'network' with width and trunk"):
        train_sb3.train(config_in(tmp_path, start=tmp_path / "start"))
    assert not (tmp_path / "runs").exists()
