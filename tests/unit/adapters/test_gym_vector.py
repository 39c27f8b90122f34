"""adapters/gym_vector.py: the vector environment of Gymnasium."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from sprawl_env.adapters.registration import camel_case
from tests.suite import GAMES

pytestmark = pytest.mark.compiled  # thousands of plies
MODES = [mode.value for mode in AutoresetMode]
SHORT = {
    "tower_up": {"max_turns": 9},
    "ginkgopolis": {"max_rounds": 4},
    "urban_sprawl": {"max_turns": 4},
}


class Middle:
    """Plays the middle one of the legal actions: no random numbers."""

    name = "middle"
    needs_observations = False
    needs_states = False

    def seed(self, seed):
        pass

    def act(self, observations, masks, states):
        legal = [np.flatnonzero(mask) for mask in masks]
        return np.array([each[len(each) // 2] for each in legal])


class Last(Middle):
    """Plays the last legal action."""

    name = "last"

    def act(self, observations, masks, states):
        return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def make(name, num_envs, mode="vector_entry_point", **options):
    return gymnasium.make_vec(
        f"sprawl_env/{camel_case(name)}-v0", num_envs, vectorization_mode=mode, **options
    )


def choose(masks, rng):
    """A random legal action of each row; 0 for a row without one."""
    return np.array([rng.choice(np.flatnonzero(row)) if row.any() else 0 for row in masks])


def assert_same(ours, theirs):
    """Compare observations or infos of any form."""
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for key in theirs:
            assert_same(ours[key], theirs[key])
    elif theirs.dtype == object and ours.dtype == np.bool_:  # Gymnasium's array of np.bool_
        assert all(mine == (its or False) for mine, its in zip(ours, theirs, strict=True))
    elif theirs.dtype == object:
        for mine, its in zip(ours, theirs, strict=True):
            assert (mine is None) == (its is None)
            if its is not None:
                assert_same(mine, its)
    else:
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("opponent", [[Last(), Middle()], "random"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", GAMES)
def test_it_is_what_gymnasiums_own_vector_of_single_environments_is(name, mode, opponent):
    """Byte for byte, also beyond the first reset: observations, rewards, ends and infos."""
    options = {
        "opponent": opponent, "num_players": 3, "reward": "lead",
        "observation": "dict" if name == "tower_up" else "array",
        "observations": "int8" if name == "ginkgopolis" else "float32",
        **SHORT[name],
    }  # fmt: skip
    sync = make(name, 5, "sync", vector_kwargs={"autoreset_mode": mode}, **options)
    ours = make(name, 5, autoreset_mode=mode, **options)
    assert ours.metadata["autoreset_mode"] is AutoresetMode(mode)
    assert ours.single_observation_space == sync.single_observation_space
    assert ours.observation_space == sync.observation_space
    assert ours.action_space == sync.action_space
    seeds, rng, ended = [3, 1, 4, 1, 5], np.random.default_rng(0), 0
    (mine, info), (its, expected) = ours.reset(seed=seeds), sync.reset(seed=seeds)
    assert ours.np_random_seed == sync.np_random_seed
    for _ in range(150):
        assert_same(mine, its)
        assert mine in ours.observation_space
        over = info.get("_scores", np.zeros(5, bool))
        if mode == "NextStep" and over.any():
            assert info["action_mask"][over].sum(axis=1).tolist() == [1] * over.sum()
            info["action_mask"] = np.where(over[:, None], 0, info["action_mask"])
            if isinstance(mine, dict):
                assert np.array_equal(mine["action_mask"].sum(axis=1)[over], [1] * over.sum())
        assert_same(info, expected)
        if mode == "Disabled" and over.any():
            assert not info["action_mask"][over].any()
            (mine, info), (its, expected) = (
                env.reset(options={"reset_mask": over.copy()}) for env in (ours, sync)
            )
            assert_same(mine, its)
            ended += over.sum()
        actions = choose(ours.action_space.legal, rng)
        mine, *paid, info = ours.step(actions)
        its, *expected_paid, expected = sync.step(actions)
        for one, other in zip(paid, expected_paid, strict=True):
            assert one.dtype == other.dtype and np.allclose(one, other, atol=1e-4)
        ended += (paid[1] | paid[2]).sum()
        if mode == "NextStep" and isinstance(mine, dict):
            its["action_mask"][paid[1] | paid[2], 0] = 1
    assert ended > 5
