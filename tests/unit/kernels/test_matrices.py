"""kernels/matrices.py: products, sums and maxima of rows, for every number of rows and columns."""

import numpy as np
import pytest

from sprawl_env.kernels.matrices import (
    add_outer,
    add_rows,
    encode,
    encode_places,
    go_back,
    go_back_gated,
    keep_largest,
    leave_pool,
    project,
)

SIZES = [(1, 1, 1), (3, 5, 7), (4, 2, 32), (7, 11, 41), (30, 26, 32), (2, 9, 96), (5, 0, 8)]
SIZES += [(6, 3, 8 + extra) for extra in (0, 1, 8, 24)] + [(0, 3, 5)]


@pytest.fixture(params=SIZES, ids=str)
def case(request):
    """Return rows, inputs, outputs, and a function for random arrays between guards."""
    rng = np.random.default_rng(sum(request.param))
    taken = []

    def array(*shape):
        around = rng.normal(size=int(np.prod(shape)) + 2).astype(np.float32)
        taken.append((around, around[[0, -1]].copy()))
        return around[1:-1].reshape(shape)

    yield *request.param, array
    for around, ends in taken:
        assert (around[[0, -1]] == ends).all()  # the neighbours


def near(wanted):
    return pytest.approx(wanted, abs=2e-4)


def test_layers(case):
    rows, inputs, outputs, array = case
    x, weights, bias = array(rows, inputs), array(inputs, outputs), array(outputs)
    places, out = array(rows, outputs), array(rows, outputs)
    encode_places(out, x, weights.ravel(), places.ravel(), bias)
    assert out == near(np.maximum(x @ weights + places + bias, 0))
    encode(out, x, weights.ravel(), bias)
    assert out == near(np.maximum(x @ weights + bias, 0))
    project(out, x, weights.ravel(), bias)
    assert out == near(x @ weights + bias)


def test_going_back(case):
    rows, inputs, outputs, array = case
    gradient, back, results = array(rows, outputs), array(outputs, inputs), array(rows, inputs)
    out = array(rows, inputs)
    go_back(out, gradient, back.ravel())
    assert out == near(gradient @ back)
    go_back_gated(out, gradient, back.ravel(), results)
    assert out == near(np.where(results > 0, gradient @ back, 0))
    weights = array(inputs, outputs)
    wanted = weights + results.T @ gradient
    add_outer(weights.reshape(-1), results, gradient)
    assert weights == near(wanted)


def test_rows(case):
    rows, _, columns, array = case
    x, total, largest = array(rows, columns), array(columns), array(columns)
    wanted, most = total + x.sum(0), np.vstack([largest, x]).max(0)
    add_rows(total, x)
    keep_largest(largest, x)
    assert total == near(wanted)
    assert (largest == most).all()


def test_a_row_does_not_depend_on_the_others():
    rng = np.random.default_rng(1)
    x, weights, bias = (rng.normal(size=s).astype(np.float32) for s in ((9, 20), (20 * 41), 41))
    out, alone = np.zeros((9, 41), np.float32), np.zeros((1, 41), np.float32)
    encode(out, x, weights, bias)
    for k in range(9):
        encode(alone, x[k : k + 1], weights, bias)
        assert np.array_equal(alone[0], out[k])


def test_the_first_row_with_the_maximum_gets_its_gradient():
    rows = np.array([[1, 0], [3, 0], [3, 0], [0, 0]], np.float32)
    gradient = np.full((4, 2), 0.5, np.float32)
    most = np.array([10, 20], np.float32)
    leave_pool(np.ones(2, np.float32), most, rows.max(0), gradient, rows)
    # the others get their share of the mean; nothing passes where ReLU gave 0
    assert gradient.tolist() == [[1.5, 0], [11.5, 0], [1.5, 0], [0, 0]]
    assert most.tolist() == [0, 0]


@pytest.mark.compiled
def test_products_are_added_with_one_rounding():
    tiny = np.float32(1 + 2**-12)
    out, x = np.zeros((1, 1), np.float32), np.array([[tiny]])
    project(out, x, np.array([tiny]), np.array([-1], np.float32))
    assert float(out[0, 0]) == pytest.approx(float(tiny) * float(tiny) - 1, rel=1e-6)
