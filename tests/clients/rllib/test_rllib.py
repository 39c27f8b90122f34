"""The recipe for RLlib, with RLlib's own check of environments."""

import numpy as np
import pytest
import ray
from pettingzoo.classic import connect_four_v3
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.utils.pre_checks.env import check_multiagent_environments

from sprawl_env import ginkgopolis_v0, tower_up_v0
from tests.clients.recipes import recipe
from tests.clients.snippets import run_lines

selfplay = recipe("rllib_self_play")


@pytest.mark.parametrize(("name", "seats"), [("tower_up", 2), ("ginkgopolis", 3)])
def test_one_update_of_masked_ppo_with_self_play(name, seats):
    config = selfplay.Config(game=name, num_players=seats, iterations=1, decisions=500)
    (length,) = selfplay.main(config)
    assert length > 20
    assert not ray.is_initialized()


@pytest.mark.parametrize(("name", "seats"), [("tower_up", 2), ("urban_sprawl", 4)])
def test_rllibs_own_check_of_environments(name, seats):
    check_multiagent_environments(selfplay.SelfPlay({"game": name, "num_players": seats}))


@pytest.mark.parametrize("make", [tower_up_v0.env, ginkgopolis_v0.env])
def test_rllibs_own_check_of_its_wrapper_of_pettingzoo(make):
    check_multiagent_environments(PettingZooEnv(make()))


@pytest.mark.parametrize(("name", "options"), [("tower_up", {}), ("tower_up", {"max_turns": 5})])
def test_rewards_sum_to_zero_and_all_agents_see_the_end(name, options):
    env = selfplay.SelfPlay({"game": name, "num_players": 3, **options})
    rng, total = np.random.default_rng(0), np.zeros(3)
    seen, _ = env.reset(seed=4)
    over = cut = False
    while not (over or cut):
        (agent,) = seen
        assert seen[agent] in env.observation_spaces[agent]
        action = rng.choice(np.flatnonzero(seen[agent]["action_mask"]))
        seen, rewards, terminated, truncated, _ = env.step({agent: action})
        assert set(seen) <= set(rewards)
        total += [rewards.get(f"player_{k}", 0.0) for k in range(3)]
        over, cut = terminated["__all__"], truncated["__all__"]
    assert over and not cut  # games at the turn limit are scored like finished ones
    assert len(seen) == 3
    assert abs(total.sum()) < 1e-6 and total.max() > 0


def test_the_lines_on_the_page_run():
    names = run_lines("RLlib")
    assert set(names["seen"]) == {"player_0"}


def stepping(env):
    """Return a function that plays a random game by its masks; returns its decisions."""
    rng = np.random.default_rng(0)

    def work():
        decisions, over = 0, False
        seen, _ = env.reset()
        while not over:
            mask = next(iter(seen.values()))["action_mask"]
            action = int(rng.choice(np.flatnonzero(mask)))
            seen, _, ended, cut, _ = env.step({next(iter(seen)): action})
            over = ended["__all__"] or cut["__all__"]
            decisions += 1
        return decisions

    return work


def test_speed_beside_rllibs_wrapper_of_pettingzoo(measured):
    works = {
        "SelfPlay of the recipe, tower_up": stepping(selfplay.SelfPlay({"game": "tower_up"})),
        "PettingZooEnv, tower_up_v0": stepping(PettingZooEnv(tower_up_v0.env())),
        "PettingZooEnv, connect_four_v3": stepping(PettingZooEnv(connect_four_v3.env())),
    }
    found = measured.rates("decisions of random play in a MultiAgentEnv", works)
    assert min(found.values()) > 50
