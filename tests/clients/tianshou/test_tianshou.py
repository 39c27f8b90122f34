"""The recipe for Tianshou, and Tianshou's own wrapper of PettingZoo."""

import numpy as np
import pytest
import torch
from tianshou.algorithm.modelfree.dqn import DQN
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector
from tianshou.env import DummyVectorEnv, PettingZooEnv

from sprawl_env import ginkgopolis_v0, tower_up_v0
from sprawl_env.adapters.gym import BoardGameGym
from tests.clients.recipes import recipe
from tests.clients.snippets import run_lines

dqn = recipe("tianshou_dqn")


@pytest.mark.parametrize("game", ["tower_up", "ginkgopolis"])
def test_the_recipe_learns_a_few_updates(game):
    torch.manual_seed(0)
    report = dqn.main(dqn.Config(game=game, num_envs=4, epochs=2, steps=400, games=6))
    assert report.update_step > 20
    assert report.train_step >= 800
    assert -1 <= report.best_reward <= 1


def test_updates_change_the_network_and_its_actions_are_legal():
    torch.manual_seed(0)
    config = dqn.Config(num_envs=4)
    env = dqn.Masked(BoardGameGym("tower_up", observation="dict"))
    assert env.reset(seed=1)[0] in env.observation_space
    learner = dqn.algorithm(env)
    assert isinstance(learner, DQN)
    before = [p.clone() for p in learner.parameters()]
    memory = dqn.VectorReplayBuffer(2000, 4)
    collector = Collector(learner, dqn.environments(config), memory, exploration_noise=True)
    collector.reset()
    collector.collect(n_step=400)
    batch, _ = memory.sample(0)
    assert batch.obs.mask[np.arange(len(batch)), batch.act].all()
    assert set(np.unique(batch.rew)) <= {-1.0, 0.0, 1.0}
    with dqn_training(learner.policy):
        learner.update(memory, 64)
    assert any(not torch.equal(a, b) for a, b in zip(before, learner.parameters(), strict=True))


def dqn_training(policy):
    from tianshou.utils.torch_utils import policy_within_training_step

    return policy_within_training_step(policy)


@pytest.mark.parametrize("module", [tower_up_v0, ginkgopolis_v0])
def test_tianshous_wrapper_of_pettingzoo_plays_with_masks(module):
    one = PettingZooEnv(module.env())
    random = MARLRandomDiscreteMaskedOffPolicyAlgorithm(one.action_space)
    env = DummyVectorEnv([lambda: PettingZooEnv(module.env()) for _ in range(2)])
    env.seed([1, 2])
    collector = Collector(random, env)
    collector.reset()
    found = collector.collect(n_episode=2)
    assert found.n_collected_episodes == 2
    assert found.n_collected_steps > 40


def test_the_lines_on_the_page_run():
    names = run_lines("Tianshou")
    assert names["seen"]["agent_id"] == "player_0"


def test_speed_of_the_environments_beside_each_other(measured):
    config = dqn.Config(num_envs=8)
    learner = dqn.algorithm(dqn.Masked(BoardGameGym("tower_up", observation="dict")))
    ours = Collector(learner, dqn.environments(config))
    one = PettingZooEnv(tower_up_v0.env())
    random = MARLRandomDiscreteMaskedOffPolicyAlgorithm(one.action_space)
    zoo = Collector(random, DummyVectorEnv([lambda: PettingZooEnv(tower_up_v0.env())] * 8))
    ours.reset()
    zoo.reset()
    works = {
        "learner against random (2 decisions a step), DQN": lambda: (
            ours.collect(n_step=64).n_collected_steps
        ),
        "Tianshou's PettingZooEnv, random": lambda: zoo.collect(n_step=64).n_collected_steps,
    }
    found = measured.rates("steps in a collector, tower_up, 8 environments", works)
    assert min(found.values()) > 20
