"""SharedPPO, its policy and behaviour cloning compute what the libraries compute."""

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

from sprawl_env.adapters.sb3 import SelfPlayVecEnv  # noqa: E402
from sprawl_env.bots.greedy import GreedyBot  # noqa: E402
from sprawl_env.bots.random import RandomBot  # noqa: E402
from sprawl_env.learning.imitation import ILLEGAL, Dataset, collect, imitate  # noqa: E402
from sprawl_env.learning.ppo import STATISTICS, differentiate  # noqa: E402
from sprawl_env.learning.team import Team, start  # noqa: E402
from sprawl_env.learning.training import PRESETS, Clock, limit_threads, make_model  # noqa: E402

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


def learner(team=None, **changes):
    limit_threads()
    team = team or Team()
    config = replace(TINY, **changes)
    game = sprawl_env.game("tower_up", num_players=2)
    env = SelfPlayVecEnv(game, config.num_envs // team.size, seed=3 + team.rank)
    model = make_model(config, game, env, Clock(config, team), team)
    model.set_logger(Logger(None, []))
    return model


def rollout(model):
    _, callback = model._setup_learn(1000, Quiet())
    model.collect_rollouts(model.env, callback, model.rollout_buffer, model.n_steps)


def gradients(model):
    return torch.cat([p.grad.flatten() for p in model.policy.parameters()]).clone()


LAYER = torch.nn.Linear(5, 1)
SAMPLES = torch.arange(150.0).view(30, 5) / 150


def gradient_of_all(team):
    """Differentiate the mean loss of all samples, a part of which is this rank's."""
    with torch.no_grad():
        LAYER.weight.fill_(0.3)
        LAYER.bias.fill_(-0.2)
    rows = torch.arange(30).tensor_split(team.size)[team.rank]
    return differentiate(
        team,
        list(LAYER.parameters()),
        rows,
        lambda part: (LAYER(SAMPLES[part]).square().sum(), torch.tensor([len(part), 1])),
    )


def other_rank(team):
    gradient_of_all(team)


@pytest.mark.parametrize("size", [1, pytest.param(3, marks=pytest.mark.long)])
def test_all_ranks_together_compute_the_gradient_of_the_mean_loss(size):
    with start(size, other_rank) as team:
        seen = gradient_of_all(team)
    found = [p.grad.clone() for p in LAYER.parameters()]
    LAYER.zero_grad()
    LAYER(SAMPLES).square().mean().backward()
    for parameter, gradient in zip(LAYER.parameters(), found, strict=True):
        assert torch.allclose(parameter.grad, gradient, rtol=1e-4, atol=1e-6)
    assert seen.tolist() == [30, size]


def train_briefly(team):
    """Train for two updates as one rank; at the end compare the weights of all ranks."""
    model = learner(team, batch_size=32, num_epochs=2)
    for _ in range(2):
        rollout(model)
        model.train()
    weights = torch.cat([p.detach().flatten() for p in model.policy.parameters()]).numpy()
    same = [np.array_equal(weights, other) for other in all_weights(team, weights)]
    return weights, all(same), model.num_timesteps


def all_weights(team, weights):
    """Return the weights of all ranks ``[size, n]``."""
    table = np.zeros((team.size, weights.size), np.float32)
    table[team.rank] = weights
    return team.all_reduce(table)


def train_other_rank(team):
    train_briefly(team)


@pytest.mark.long
def test_all_ranks_learn_the_same_weights_from_different_games():
    with start(2, train_other_rank) as team:
        together, same, steps = train_briefly(team)
    assert same
    assert steps == TINY.num_envs * TINY.num_steps  # of the last rollout
    alone, _, steps = train_briefly(Team())
    assert steps == TINY.num_envs * TINY.num_steps
    assert not np.array_equal(together, alone)


def test_advantages_are_normalised_over_all_ranks():
    class Two(Team):
        """A group of two whose other rank sends known values."""

        def __init__(self, other):
            super().__init__(0, 2)
            self.other = other

        def all_reduce(self, values):
            return values + self.other.pop(0)

    model = learner()
    mine, other = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([6.0, 8.0, 13.0])
    whole = torch.cat([mine, other])
    model.team = Two([other.sum().numpy(), (other - whole.mean()).square().sum().numpy()])
    expected = ((whole - whole.mean()) / whole.std())[:3]
    assert torch.allclose(model._normalised(mine), expected, atol=1e-5)


def last_legal(masks):
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


class Last:
    """Plays the last legal action, which is usually a build."""

    name = "last"
    needs_observations = needs_states = False

    def seed(self, seed):
        pass

    def act(self, observations, masks, states):
        return last_legal(masks)


def test_a_dataset_holds_the_experts_actions_and_the_returns():
    game = sprawl_env.game("tower_up", num_players=2)
    shown = []
    dataset = collect(
        game, Last(), 4000, games=16, reward="lead", seed=5,
        progress=lambda done: shown.append(done) or True,
    )  # fmt: skip
    assert shown[-1] == 1.0
    assert 2000 < len(dataset.returns) <= 4000
    legal = (dataset.targets != ILLEGAL).astype(np.int8)
    assert (dataset.targets.argmax(axis=1) == last_legal(legal)).all()
    assert (dataset.targets.max(axis=1) == 1).all()
    assert ((dataset.targets == 0).sum(axis=1) == legal.sum(axis=1) - 1).all()
    assert dataset.observations.shape == (len(dataset.returns), game.observation_size)
    assert dataset.returns.any()
    few = collect(
        game, RandomBot(1), 4000, games=16, reward="lead", seed=5,
        progress=lambda done: done < 0.5,
    )  # fmt: skip
    assert len(few.returns) <= 2000


def test_the_targets_of_greedy_are_a_softmax_over_its_values():
    game = sprawl_env.game("tower_up", num_players=2)
    dataset = collect(
        game, GreedyBot(game), 4000, games=16, reward="lead", seed=5, progress=lambda _: True
    )
    legal = dataset.targets != ILLEGAL
    assert np.allclose(dataset.targets.sum(axis=1, where=legal), 1, atol=0.02)
    assert ((dataset.targets > 0.01) & (dataset.targets < 0.99)).any(axis=1).mean() > 0.1


def dataset_of(team):
    game = sprawl_env.game("tower_up", num_players=2)
    return collect(
        game, Last(), 3000 if team.rank else 4000, games=16, reward="lead", seed=team.rank,
        progress=lambda _: True,
    )  # fmt: skip


def clone_expert(team):
    """Imitate as one rank; the ranks have datasets of different sizes."""
    model = learner(team)
    shown = []
    agreement = imitate(
        model, dataset_of(team), epochs=8, batch_size=64 // team.size, scale=0.05,
        learning_rate=8e-3, time_used=lambda: 0.0,
        progress=lambda done, agreed: shown.append((done, agreed)),
    )  # fmt: skip
    weights = torch.cat([p.detach().flatten() for p in model.policy.parameters()]).numpy()
    same = all(np.array_equal(weights, other) for other in all_weights(team, weights))
    return agreement, same, shown


def clone_other_rank(team):
    clone_expert(team)


@pytest.mark.parametrize("size", [1, pytest.param(2, marks=pytest.mark.long)])
def test_a_simple_expert_is_imitated(size):
    with start(size, clone_other_rank) as team:
        agreement, same, shown = clone_expert(team)
    assert same
    assert agreement > 0.9
    assert shown[-1] == (1.0, agreement)


def test_imitation_stops_at_its_time_limit_and_accepts_an_empty_dataset():
    model = learner()
    dataset = dataset_of(Team())
    steps = []
    settings = {"epochs": 3, "batch_size": 64, "scale": 0.05, "learning_rate": 4e-3}
    imitate(
        model, dataset, **settings, time_used=lambda: len(steps) / 5,
        progress=lambda done, _: steps.append(done),
    )  # fmt: skip
    assert len(steps) in (5, 6)
    none = Dataset(*(column[:0] for column in vars(dataset).values()))
    assert imitate(model, none, **settings, time_used=lambda: 0.0, progress=print) == 0


def test_an_update_equals_that_of_the_library():
    model = learner()
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
        model = learner(batch_size=32, num_epochs=2)
        for _ in range(2):
            rollout(model)
            model.train()
        ends.append(torch.cat([p.detach().flatten() for p in model.policy.parameters()]))
    assert torch.equal(*ends)


@pytest.mark.parametrize("deterministic", [False, True])
def test_the_policy_computes_what_the_librarys_policy_computes(deterministic):
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


def test_samples_follow_the_probabilities_and_are_never_impossible():
    from sprawl_env.learning.policy import _sample

    torch.manual_seed(1)
    chances = torch.tensor([0.0, 0.2, 0.0, 0.5, 0.3, 0.0])
    found = _sample(chances.log().clamp(min=-1e9).expand(20_000, 6))
    counts = torch.bincount(found, minlength=6) / 20_000
    assert counts[chances == 0].sum() == 0
    assert torch.allclose(counts, chances, atol=0.02)
