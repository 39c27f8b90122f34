"""sb3-contrib's MaskablePPO, as its documentation and PettingZoo's tutorial use it."""

import gymnasium
import numpy as np
import pytest
from pettingzoo.utils import BaseWrapper
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks
from sb3_contrib.common.wrappers import ActionMasker

import sprawl_env  # registers the environments
from sprawl_env import tower_up_v0
from sprawl_env.adapters.sb3 import SelfPlayVecEnv
from tests.clients.snippets import run_lines

SMALL = {"n_steps": 64, "batch_size": 64, "n_epochs": 1, "verbose": 0, "seed": 1}


def learnt(policy, env):
    """A model after a few updates, which plays a game."""
    model = MaskablePPO(policy, env, **SMALL)
    model.learn(192)
    assert model.num_timesteps >= 192
    return model


@pytest.mark.parametrize(("policy", "form"), [("MlpPolicy", "array"), ("MultiInputPolicy", "dict")])
def test_maskable_ppo_by_its_documentation(policy, form):
    env = gymnasium.make("sprawl_env/TowerUp-v0", observation=form)
    model = learnt(policy, env)
    seen, _ = env.reset(seed=3)
    for _ in range(10):
        masks = get_action_masks(env)
        action, _ = model.predict(seen, action_masks=masks, deterministic=True)
        assert masks[action]
        seen, _, over, cut, _ = env.step(action)
        if over or cut:
            break
    mean, _ = evaluate_policy(model, env, n_eval_episodes=2)
    assert -1 <= mean <= 1


def test_maskable_ppo_with_the_wrapper_action_masker():
    env = gymnasium.make("sprawl_env/Ginkgopolis-v0")
    learnt("MlpPolicy", ActionMasker(env, lambda wrapped: wrapped.unwrapped.action_masks()))


class OneAgentAtATime(BaseWrapper, gymnasium.Env):
    """PettingZoo's tutorial: an AEC environment as if one agent played all seats."""

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        agent = self.possible_agents[0]
        self.observation_space = super().observation_space(agent)["observation"]
        self.action_space = super().action_space(agent)
        return self.observe(self.agent_selection), {}

    def step(self, action):
        mover = self.agent_selection
        super().step(action)
        ended, cut = self.terminations[mover], self.truncations[mover]
        return self.observe(self.agent_selection), self.rewards[mover], ended, cut, {}

    def observe(self, agent):
        return super().observe(agent)["observation"]

    def action_mask(self):
        return super().observe(self.agent_selection)["action_mask"]


def test_maskable_ppo_by_pettingzoos_tutorial():
    env = OneAgentAtATime(tower_up_v0.env())
    env.reset(seed=1)
    model = learnt("MlpPolicy", ActionMasker(env, lambda wrapped: wrapped.action_mask()))
    env.reset(seed=2)
    mask = env.action_mask()
    action, _ = model.predict(env.observe(env.agent_selection), action_masks=mask)
    assert mask[action]


def test_the_lines_on_the_page_run():
    names = run_lines("sb3-contrib")
    assert names["model"].num_timesteps == 64


def stepping(env, masks):
    """Return a function that plays 64 steps at random."""
    rng = np.random.default_rng(0)
    env.reset()

    def work():
        for _ in range(64):
            legal = masks(env)
            if legal.ndim == 2:
                env.step(np.array([rng.choice(np.flatnonzero(row)) for row in legal]))
                continue
            _, _, over, cut, _ = env.step(int(rng.choice(np.flatnonzero(legal))))
            if over or cut:
                env.reset()
        return 64 * getattr(env, "num_envs", 1)

    return work


def test_speed_beside_each_other(measured):
    game = sprawl_env.game("tower_up")
    works = {
        "SelfPlayVecEnv, 64 games": stepping(SelfPlayVecEnv(game, 64), SelfPlayVecEnv.action_masks),
        "gymnasium.make": stepping(
            gymnasium.make("sprawl_env/TowerUp-v0"), lambda env: env.unwrapped.action_masks()
        ),
    }
    found = measured.rates("learner's decisions against random, tower_up", works)
    assert min(found.values()) > 50
