"""kernels/rng.py: the random number generator in the state."""

import numpy as np
import pytest

from sprawl_env.kernels.rng import below, combine, next_word, seed_state, shuffle

FIRST_WORDS = [2198318007, 3000806200, 3187059123, 2241593495]


def state(seed=0):
    # ``rng`` is not the first field: numba warns about records that share their first fields.
    games = np.zeros(1, [("unused", np.int64), ("rng", np.int64)]).view(np.recarray)
    seed_state(games[0], seed)
    return games[0]


def test_the_first_numbers_are_the_same_on_every_platform():
    one = state(12345)
    assert [next_word(one) for _ in range(4)] == FIRST_WORDS


def test_compiled_and_plain_agree_with_the_definition():
    one = state(7)
    now = int(one.rng)
    for _ in range(50):
        now = (now & 0xFFFFFFFF) * 2131995753 + (now >> 32)
        assert next_word(one) == (now & 0xFFFFFFFF) ^ (now >> 32)
        assert 0 < now < 2**63


@pytest.mark.parametrize("bound", [1, 2, 3, 6, 10, 44])
def test_below_reaches_every_number_about_equally_often(bound):
    one = state(3)
    draws = 300 * bound
    counts = np.bincount([below(one, bound) for _ in range(draws)], minlength=bound)
    assert len(counts) == bound
    assert abs(counts - 300).max() < 6 * np.sqrt(300)


def test_shuffle_keeps_the_cards_and_leaves_the_rest():
    one, cards = state(1), np.arange(10, dtype=np.int8)
    shuffle(one, cards, 7)
    assert sorted(cards[:7]) == list(range(7))
    assert cards[7:].tolist() == [7, 8, 9]


def test_every_order_of_three_cards_is_about_equally_likely():
    one, seen = state(2), {}
    for _ in range(1800):
        cards = np.arange(3, dtype=np.int8)
        shuffle(one, cards, 3)
        seen[tuple(cards)] = seen.get(tuple(cards), 0) + 1
    assert len(seen) == 6
    assert max(abs(count - 300) for count in seen.values()) < 6 * np.sqrt(300)


@pytest.mark.parametrize("seed", [0, 1, 2**32, 2**63 - 1])
@pytest.mark.parametrize("index", [0, 1, 2**40, 2**63 - 1])
def test_combine_gives_valid_seeds_and_tells_neighbours_apart(seed, index):
    mixed = combine(seed, index)
    assert 0 <= mixed < 2**63
    assert mixed != combine(seed, index ^ 1)
    assert mixed != combine(seed ^ 1, index)


def test_neighbouring_seeds_flip_about_half_of_the_bits():
    flips = [bin(combine(5, i) ^ combine(5, i + 1)).count("1") for i in range(200)]
    assert 28 < np.mean(flips) < 35


def test_no_seed_starts_at_a_fixed_point():
    for seed in (0, 1, 2, 10**6, 2**63 - 1):
        one = state(seed)
        first = int(one.rng)
        next_word(one)
        assert int(one.rng) != first
