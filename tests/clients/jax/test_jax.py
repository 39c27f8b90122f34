"""JAX arrays over the arrays of a batch, by DLPack."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sprawl_env
from sprawl_env.adapters.envpool import GamePool
from tests.clients.snippets import run_lines

NUM_ENVS = 2048  # so that observations and masks are larger than 256 KiB


def shares(array):
    """Whether JAX's array has the memory of the numpy array."""
    return jnp.from_dlpack(array).unsafe_buffer_pointer() == array.ctypes.data


@pytest.fixture
def vec():
    made = sprawl_env.make_vec("tower_up", NUM_ENVS, seed=1)
    made.reset()
    yield made
    made.close()


def test_large_arrays_are_shared_and_change_with_the_batch(vec):
    assert shares(vec.observations)
    assert shares(vec.masks)
    seen = jnp.from_dlpack(vec.observations)
    before = np.array(seen)
    for _ in range(3):
        vec.step(vec.sample_actions())
    assert np.array_equal(seen, vec.observations)
    assert not np.array_equal(before, vec.observations)


def test_64_bit_arrays_are_copied():
    small = sprawl_env.make_vec("tower_up", 8, seed=1)
    small.reset()
    assert jnp.from_dlpack(small.observations).shape == small.observations.shape
    seats, before = jnp.from_dlpack(small.to_play), small.to_play.tolist()
    assert seats.dtype == jnp.int32 and seats.tolist() == before
    while small.to_play.tolist() == before:
        small.step(small.sample_actions())
    assert seats.tolist() == before


def policy(game):
    """A compiled masked policy: a linear layer and the best legal action."""
    weights = jax.random.normal(jax.random.PRNGKey(0), (game.observation_size, game.num_actions))

    @jax.jit
    def act(observations, masks):
        return jnp.where(masks == 1, observations @ weights, -jnp.inf).argmax(axis=1)

    return act


def test_a_compiled_policy_plays_on_shared_arrays(vec):
    act = policy(vec.game)
    ended = 0
    for _ in range(80):
        chosen = act(jnp.from_dlpack(vec.observations), jnp.from_dlpack(vec.masks))
        step = vec.step(np.asarray(chosen))  # waits for JAX before the arrays change
        ended += int(step.terminated.sum())
    assert ended > 0


def test_the_lines_on_the_page_run():
    names = run_lines("JAX")
    assert names["observations"].shape == names["vec"].observations.shape


def test_speed_of_shared_arrays_beside_copies(vec, measured):
    act = policy(vec.game)

    def loop(take):
        def work():
            vec.step(np.asarray(act(take(vec.observations), take(vec.masks))))
            return NUM_ENVS

        return work

    pool = GamePool("tower_up", NUM_ENVS, NUM_ENVS // 4, seed=1, num_threads=1)
    pool.async_reset()

    def received():
        got = pool.recv()
        chosen = act(jnp.asarray(got.observations), jnp.asarray(got.info["action_mask"]))
        pool.send(np.asarray(chosen), got.info["env_id"])
        return len(chosen)

    works = {
        "make_vec, jnp.from_dlpack": loop(jnp.from_dlpack),
        "make_vec, jnp.array (copies)": loop(jnp.array),
        "GamePool, 4 batches, send and recv": received,
    }
    found = measured.rates(f"decisions of a JAX policy, tower_up, {NUM_ENVS} games", works)
    assert min(found.values()) > 1000
    pool.close()
