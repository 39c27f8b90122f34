"""experiments/ppo.py and the policy it trains: what the libraries compute, in fewer passes."""

from dataclasses import replace

import numpy as np
import pytest

import sprawl_env

pytest.importorskip("sb3_contrib")
torch = pytest.importorskip("torch")

from sb3_contrib import MaskablePPO  # noqa: E402
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy  # noqa: E402
from stable_baselines3.common.callbacks import BaseCallback  # noqa: E402
from stable_baselines3.common.logger import Logger  # noqa: E402

from experiments.ppo import STATISTICS, Workers  # noqa: E402
from experiments.train import PRESETS, Clock, limit_threads, make_model  # noqa: E402
from sprawl_env.adapters.sb3 import SelfPlayVecEnv  # noqa: E402

pytestmark = pytest.mark.compiled
TINY = replace(
    PRESETS["quick"],
    num_envs=16,
    num_steps=8,
    batch_size=128,
    num_epochs=1,
    width=8,
    trunk=16,
    total_steps=1000,
    max_minutes=0.0,
)


class Quiet(BaseCallback):
    def _on_step(self):
        return True


def learner(**changes):
    limit_threads()
    config = replace(TINY, **changes)
    game = sprawl_env.game("tower_up", num_players=2)
    env = SelfPlayVecEnv(game, config.num_envs, seed=3)
    model = make_model(config, game, env, Clock(config))
    model.set_logger(Logger(None, []))
    return model


def rollout(model):
    _, callback = model._setup_learn(1000, Quiet())
    model.collect_rollouts(model.env, callback, model.rollout_buffer, model.n_steps)


def gradients(model):
    return torch.cat([p.grad.flatten() for p in model.policy.parameters()]).clone()


@pytest.mark.parametrize("count", [1, 2, 3])
def test_workers_add_up_to_the_gradient_of_the_mean_loss(count):
    torch.manual_seed(0)
    layer, samples = torch.nn.Linear(5, 1), torch.randn(64, 5)
    rows = torch.randperm(64)[:31]
    seen = Workers(count).differentiate(
        list(layer.parameters()),
        rows,
        lambda part: (layer(samples[part]).square().sum(), torch.tensor([len(part), 1])),
    )
    found = [p.grad.clone() for p in layer.parameters()]
    layer.zero_grad()
    layer(samples[rows]).square().mean().backward()
    for parameter, gradient in zip(layer.parameters(), found, strict=True):
        assert torch.allclose(parameter.grad, gradient, rtol=1e-4, atol=1e-5)
    assert seen.tolist() == [31, count]


def test_a_workers_error_is_raised_to_the_caller():
    layer = torch.nn.Linear(2, 1)
    with pytest.raises(ZeroDivisionError):
        Workers(2).differentiate(list(layer.parameters()), torch.arange(4), lambda _: 1 / 0)


def test_an_update_is_that_of_the_library():
    model = learner(threads=2)
    rollout(model)
    weights = {name: value.clone() for name, value in model.policy.state_dict().items()}
    model.train()
    ours = gradients(model)
    assert model.logger.name_to_value.keys() >= {f"train/{name}" for name in STATISTICS}
    model.policy.load_state_dict(weights)
    MaskablePPO.train(model)
    theirs = gradients(model)
    assert theirs.norm() > 0
    assert torch.allclose(ours, theirs, rtol=1e-3, atol=1e-5)


def test_training_twice_from_one_seed_gives_the_same_weights():
    ends = []
    for _ in range(2):
        model = learner(threads=2, batch_size=32, num_epochs=2)
        for _ in range(2):
            rollout(model)
            model.train()
        ends.append(torch.cat([p.detach().flatten() for p in model.policy.parameters()]))
    assert torch.equal(*ends)


@pytest.mark.parametrize("deterministic", [False, True])
def test_the_policy_computes_what_the_library_does(deterministic):
    model = learner()
    policy, env = model.policy, model.env
    seen = torch.from_numpy(np.concatenate([env.reset() for _ in range(20)]))
    masks = np.concatenate([env.env_method("action_masks")] * 20)
    actions, values, scores = policy.forward(seen, deterministic, masks)
    assert masks[np.arange(len(masks)), actions.numpy()].all()
    theirs = MaskableActorCriticPolicy.evaluate_actions(
        policy, seen, actions, torch.from_numpy(masks)
    )
    ours = policy.evaluate_actions(seen, actions, torch.from_numpy(masks))
    for mine, library in zip(ours, theirs, strict=True):
        assert torch.allclose(mine, library, atol=1e-5)
    assert torch.allclose(scores, ours[1])
    assert torch.equal(values, ours[0])
    unmasked = policy.evaluate_actions(seen, actions)
    assert (unmasked[1] <= ours[1] + 1e-6).all()


def test_draws_follow_the_probabilities_and_never_leave_them():
    from agents.networks import _draw

    torch.manual_seed(1)
    chances = torch.tensor([0.0, 0.2, 0.0, 0.5, 0.3, 0.0])
    found = _draw(chances.log().clamp(min=-1e9).expand(20_000, 6))
    counts = torch.bincount(found, minlength=6) / 20_000
    assert counts[chances == 0].sum() == 0
    assert torch.allclose(counts, chances, atol=0.02)
