"""Options of a reset in Gymnasium, and keywords that neither a game nor the function has."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import examples.lots
import sprawl_env
from sprawl_env import tower_up_v0
from sprawl_env.adapters.sb3 import SelfPlayVecEnv
from sprawl_env.core.errors import InvalidOption, UnknownOption

TOWER_UP = "sprawl_env/TowerUp-v0"


@pytest.mark.parametrize(
    "make",
    [
        lambda: gymnasium.make(TOWER_UP),
        lambda: gymnasium.make_vec(TOWER_UP, 2),
    ],
    ids=["gymnasium", "vector"],
)
def test_an_option_that_a_reset_does_not_have_is_refused(make):
    env = make()
    env.reset(seed=1, options={})
    with pytest.raises(InvalidOption, match="reset: options has 'max_turns': expected") as error:
        env.reset(seed=1, options={"max_turns": 3})
    assert "\n" not in str(error.value)
    env.reset(seed=1, options=None)


def test_a_vector_environment_knows_the_mask_of_a_reset():
    env = gymnasium.make_vec(TOWER_UP, 2)
    env.reset(seed=1)
    env.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(InvalidOption, match="expected only reset_mask"):
        env.reset(options={"mask": np.array([True, False])})


def test_a_game_without_pictures_offers_no_pictures_and_passes_gymnasiums_checker():
    assert examples.lots.RULES.draw is None
    env = gymnasium.make("sprawl_env/Lots-v0")
    assert env.unwrapped.metadata["render_modes"] == ["ansi"]
    assert gymnasium.make(TOWER_UP).unwrapped.metadata["render_modes"] != ["ansi"]
    check_env(env.unwrapped)


CALLS = {
    "num_games": lambda: sprawl_env.evaluate("tower_up", ["random", "random"], games=10),
    "reward": lambda: sprawl_env.make_vec("tower_up", 4, rewards="lead"),
    "opponents": lambda: SelfPlayVecEnv("tower_up", 4, opponent="greedy"),
    "opponent": lambda: gymnasium.make(TOWER_UP, opponents="greedy"),
    "render_mode": lambda: tower_up_v0.env(render_modes="ansi"),
    "illegal": lambda: sprawl_env.make_vec("tower_up", 4, ilegal="lose"),
    "data": lambda: gymnasium.make(TOWER_UP, datas="here"),
    "num_threads": lambda: gymnasium.make_vec(TOWER_UP, 2, threads=2),
}


@pytest.mark.parametrize("meant", CALLS)
def test_a_wrong_keyword_is_answered_with_those_of_the_function_too(meant):
    with pytest.raises(UnknownOption, match=rf"did you mean '{meant}'\?.*max_turns") as error:
        CALLS[meant]()
    assert "self" not in str(error.value).split()


def test_a_wrong_option_of_a_game_is_answered_with_the_games_own():
    with pytest.raises(UnknownOption, match=r"did you mean 'max_turns'\?"):
        sprawl_env.evaluate("tower_up", ["random", "random"], num_games=10, max_turn=3)
