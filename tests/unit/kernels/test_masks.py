"""kernels/masks.py: reading masks of any length and memory layout."""

import numpy as np
import pytest

from sprawl_env.kernels.masks import (
    NO_ACTION,
    count_legal,
    draw,
    legal_number,
    new_generators,
    only_action,
    sample,
)


def masks_of(size, share, seed=0):
    """Yield the same mask as a contiguous, an unaligned and a strided array."""
    legal = (np.random.default_rng(seed).random(size) < share).astype(np.int8)
    yield legal
    shifted = np.zeros(size + 1, np.int8)
    shifted[1:] = legal
    yield shifted[1:]
    gaps = np.ones(2 * size, np.int8)  # the entries between must not be read
    gaps[::2] = legal
    yield gaps[::2]


@pytest.mark.parametrize("size", [1, 7, 8, 9, 64, 130, 251, 258, 3000])
@pytest.mark.parametrize("share", [0, 0.02, 0.3, 1])
def test_the_legal_actions_are_counted_and_found_by_their_number(size, share):
    for mask in masks_of(size, share):
        legal = np.flatnonzero(mask)
        assert count_legal(mask) == legal.size
        assert only_action(mask) == (legal[0] if legal.size == 1 else NO_ACTION)
        numbers = range(0, legal.size, 1 + legal.size // 40)
        assert [legal_number(mask, k) for k in numbers] == legal[list(numbers)].tolist()


def test_rows_without_a_legal_action_get_action_0_and_draw_nothing():
    masks = np.zeros((2, 9), np.int8)
    masks[1, 8] = 1
    generators = new_generators(2, 5)
    before = generators.copy()
    out = np.full(2, -1)
    sample(masks, generators, out)
    assert out.tolist() == [0, 8]
    assert generators.rng[0] == before.rng[0]
    assert draw(masks[0], generators, 0) == 0


def test_one_generator_serves_all_rows_and_many_serve_one_each():
    masks = np.ones((300, 50), np.int8)
    shared, own = np.zeros(300, np.int64), np.zeros(300, np.int64)
    sample(masks, new_generators(1, 5), shared)
    sample(masks, new_generators(300, 5), own)
    assert len(set(shared.tolist())) > 25
    assert shared[0] == own[0]
    assert shared.tolist() != own.tolist()
