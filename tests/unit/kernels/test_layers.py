"""kernels/layers.py: sums of weights in registers, for every number of outputs and inputs."""

import numpy as np
import pytest

from sprawl_env.kernels.layers import add_layer, add_products


@pytest.mark.parametrize("width", [1, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 65, 96, 128, 251])
@pytest.mark.parametrize("inputs", [0, 1, 5, 96])
def test_all_inputs_that_are_not_zero_are_added(width, inputs):
    rng = np.random.default_rng(width + 1000 * inputs)
    before = rng.normal(size=width + 2).astype(np.float32)
    x = rng.normal(size=inputs).astype(np.float32) * (rng.random(inputs) < 0.4)
    weights = rng.normal(size=(inputs, width)).astype(np.float32)
    out, used = before.copy(), np.full(inputs + 1, -1, np.int32)
    add_layer(out[1:-1], x, weights.ravel(), used)
    wanted = before[1:-1].astype(np.float64) + x.astype(np.float64) @ weights
    assert out[1:-1] == pytest.approx(wanted, abs=1e-4)
    assert (out[[0, -1]] == before[[0, -1]]).all()  # the neighbours
    assert used[: (x != 0).sum()].tolist() == np.flatnonzero(x).tolist()
    assert used[-1] == -1


def test_only_the_listed_inputs_are_added():
    weights = np.arange(12, dtype=np.float32)
    out, x = np.zeros(3, np.float32), np.array([1, 10, 100, 1000], np.float32)
    add_products(out, x, weights, np.array([3, 1, 0, 2], np.int32), 2)
    assert out.tolist() == [9030, 10040, 11050]


@pytest.mark.compiled
def test_a_product_is_added_with_one_rounding():
    tiny = np.float32(1 + 2**-12)
    out = np.array([-1], np.float32)
    add_products(out, np.array([tiny]), np.array([tiny]), np.array([0], np.int32), 1)
    exact = float(tiny) * float(tiny) - 1
    assert float(out[0]) == pytest.approx(exact, rel=1e-6)
