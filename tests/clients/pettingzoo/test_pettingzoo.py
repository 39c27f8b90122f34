"""The AEC and Parallel environments with PettingZoo's tests and SuperSuit's wrappers."""

import numpy as np
import pettingzoo
import pytest
import supersuit
from pettingzoo.classic import connect_four_v3
from pettingzoo.test import api_test, parallel_api_test

import sprawl_env
from experiments.peers import aec_games
from sprawl_env import ginkgopolis_v0, tower_up_v0, urban_sprawl_v0
from tests.clients.snippets import run_lines
from tests.suite import GAMES

# SuperSuit's wrappers that take the observations as they are, with their arguments.
AS_IT_IS = {
    "clip_reward_v0": (-1, 1),
    "delay_observations_v0": (2,),
    "nan_noop_v0": (0,),
    "nan_random_v0": (),
    "nan_zeros_v0": (),
    "pad_action_space_v0": (),
    "reward_lambda_v0": (lambda reward: 2 * reward,),
}
# Those that expect arrays, and so the observation without its mask, which is in the infos too.
OF_ARRAYS = {
    "agent_indicator_v0": (),
    "dtype_v0": (np.float16,),
    "frame_stack_v1": (3,),
    "normalize_obs_v0": (),
    "pad_observations_v0": (),
}


def arrays(env):
    """The environment with arrays as observations."""
    return supersuit.observation_lambda_v0(
        env, lambda seen, space: seen["observation"], lambda space: space["observation"]
    )


def play(env, plies=60):
    """Play an AEC environment at random by the masks of its infos; returns the observations."""
    rng, seen = np.random.default_rng(0), []
    env.reset(seed=1)
    for agent in env.agent_iter(plies):
        observation, _, terminated, truncated, info = env.last()
        assert observation in env.observation_space(agent)
        seen.append(observation)
        over = terminated or truncated
        env.step(None if over else int(rng.choice(np.flatnonzero(info["action_mask"]))))
    return seen


def play_parallel(env, passes=30):
    rng = np.random.default_rng(0)
    _, infos = env.reset(seed=1)
    for _ in range(passes):
        actions = {
            agent: int(rng.choice(np.flatnonzero(infos[agent]["action_mask"])))
            for agent in env.agents
        }
        seen, _, _, _, infos = env.step(actions)
        assert all(seen[agent] in env.observation_space(agent) for agent in env.agents)


@pytest.mark.parametrize("name", GAMES)
def test_pettingzoos_own_test_through_its_registry(name):
    api_test(pettingzoo.make("aec", f"sprawl_env/{name}-v0", num_players=3), num_cycles=200)


def test_pettingzoos_own_test_of_parallel_environments():
    parallel_api_test(ginkgopolis_v0.parallel_env(num_players=3), num_cycles=200)


@pytest.mark.parametrize("name", AS_IT_IS)
def test_supersuits_wrappers_that_take_the_observations_as_they_are(name):
    wrap = getattr(supersuit, name)
    assert len(play(wrap(tower_up_v0.env(), *AS_IT_IS[name]))) == 60
    play_parallel(wrap(ginkgopolis_v0.parallel_env(), *AS_IT_IS[name]))


@pytest.mark.parametrize("name", OF_ARRAYS)
def test_supersuits_wrappers_of_arrays(name):
    wrap = getattr(supersuit, name)
    assert len(play(wrap(arrays(urban_sprawl_v0.env()), *OF_ARRAYS[name]))) == 60
    play_parallel(wrap(arrays(ginkgopolis_v0.parallel_env()), *OF_ARRAYS[name]))


@pytest.mark.parametrize("name", ["agent_indicator_v0", "frame_stack_v1", "dtype_v0"])
def test_supersuits_wrappers_of_arrays_refuse_observations_with_masks(name):
    with pytest.raises((AssertionError, AttributeError)):
        getattr(supersuit, name)(tower_up_v0.env(), *OF_ARRAYS[name])


def test_supersuit_makes_a_vector_environment_of_a_parallel_one():
    env = supersuit.pettingzoo_env_to_vec_env_v1(arrays(ginkgopolis_v0.parallel_env()))
    both = supersuit.concat_vec_envs_v1(env, 2, num_cpus=1, base_class="gymnasium")
    seen, infos = both.reset(seed=1)
    assert seen.shape == (4, sprawl_env.game("ginkgopolis").observation_size)
    for _ in range(10):
        actions = [int(np.argmax(info["action_mask"])) for info in listed(infos)]
        seen, *_, infos = both.step(np.array(actions))
    assert seen.shape[0] == 4


def listed(infos):
    """The infos of a vector environment, one dictionary for each of its seats."""
    return infos if isinstance(infos, list | tuple) else [infos[k] for k in range(len(infos))]


def test_the_lines_on_the_page_run():
    names = run_lines("PettingZoo and SuperSuit")
    assert names["env"].agents == ["player_0", "player_1", "player_2"]


def test_speed_beside_pettingzoos_games(measured):
    works = {
        "tower_up_v0": aec_games(tower_up_v0.env()),
        "ginkgopolis_v0": aec_games(ginkgopolis_v0.env()),
        "urban_sprawl_v0": aec_games(urban_sprawl_v0.env()),
        "connect_four_v3": aec_games(connect_four_v3.env()),
    }
    found = measured.rates("decisions of random play, AEC", works)
    assert min(found.values()) > 100
