"""kernels/bfloat16.py: the same numbers as torch's bfloat16, and as the formulas in numpy."""

import numpy as np
import pytest

from sprawl_env.kernels import bfloat16

torch = pytest.importorskip("torch")
COUNT, THINGS, WIDTH = 5, 7, 16


def halves(*shape):
    """Return drawn bfloat16 numbers as bits and as float32; a third of them are 0."""
    numbers = torch.randn(*shape) * (torch.rand(*shape) > 1 / 3)
    low = numbers.bfloat16()
    return low.view(torch.uint16).numpy().copy(), low.float().numpy()


def floats(*shape):
    return torch.randn(*shape).numpy()


def rounded(numbers):
    """Return float32 numbers as the bits of bfloat16, as torch rounds."""
    return torch.from_numpy(np.asarray(numbers, np.float32)).bfloat16().view(torch.uint16).numpy()


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(3)


def test_numbers_are_rounded_as_torch_rounds_them():
    numbers = np.array([0, -0.0, 1, -1, 1 + 2**-8, 1 + 3 * 2**-8, 3e38, 1e-40, *floats(200)], "f4")
    found = np.array([bfloat16.narrow(number) for number in numbers], np.uint16)
    assert (found == rounded(numbers)).all()
    back = np.array([bfloat16.widen(bits) for bits in found], np.float32)
    assert (back == torch.from_numpy(numbers).bfloat16().float().numpy()).all()


def test_rows_are_scaled():
    numbers = np.arange(-128, 127, dtype=np.int8)[: 5 * 51].reshape(5, 51)
    scales, found = np.abs(floats(51)), np.zeros((5, 51), np.uint16)
    bfloat16.scale_rows(numbers, scales, found)
    assert (found == rounded(numbers * scales)).all()


def test_a_layer_is_finished():
    bits, x = halves(COUNT, THINGS, WIDTH)
    context, places = floats(COUNT, WIDTH), floats(THINGS, WIDTH)
    bfloat16.add_and_rectify(bits, context, places)
    expected = np.maximum(x + (context[:, None] + places), 0)
    assert (bits == rounded(expected)).all() and (bits == 0).any() and (bits != 0).any()


def test_the_gradient_of_a_layer():
    result = rounded(np.maximum(halves(COUNT, THINGS, WIDTH)[1], 0))
    bits, gradient = halves(COUNT, THINGS, WIDTH)
    own = np.zeros_like(bits)
    of_context, of_places = floats(COUNT, WIDTH), np.ones((THINGS, WIDTH), np.float32)
    bfloat16.gate(bits, result, own, of_context, of_places)
    passed = np.where(result != 0, gradient, 0)
    assert (own == rounded(passed)).all()
    assert np.allclose(of_context, passed.sum(axis=1), atol=1e-5)
    assert np.allclose(of_places, 1 + passed.sum(axis=0), atol=1e-5)


def test_things_are_pooled():
    bits, x = halves(COUNT, THINGS, WIDTH)
    mean, largest = floats(COUNT, WIDTH), floats(COUNT, WIDTH)
    where = np.ones((COUNT, WIDTH), np.int32)
    bfloat16.pool(bits, mean, largest, where)
    assert np.allclose(mean, x.mean(axis=1), atol=1e-6)
    assert (largest == x.max(axis=1)).all()
    assert (where == x.argmax(axis=1)).all()


def test_the_gradient_of_the_pool_is_added():
    bits, gradient = halves(COUNT, THINGS, WIDTH)
    of_mean, of_largest = floats(COUNT, WIDTH), floats(COUNT, WIDTH)
    where = np.random.default_rng(1).integers(THINGS, size=(COUNT, WIDTH)).astype(np.int32)
    bfloat16.add_pooled(of_mean, of_largest, where, bits)
    first = np.arange(THINGS)[None, :, None] == where[:, None]
    added = gradient + of_mean[:, None] / np.float32(THINGS)
    expected = added + np.where(first, of_largest[:, None], 0)
    low = torch.from_numpy(bits.copy()).view(torch.bfloat16).float().numpy()
    assert np.allclose(low, expected, atol=0.03)
