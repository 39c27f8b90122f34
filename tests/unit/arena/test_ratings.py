"""Ratings on cases whose answer is known."""

import math

import numpy as np
import pytest

pytest.importorskip("openskill")

from sprawl_env.arena.ratings import (
    MEAN,
    PRIOR,
    bootstrap,
    bradley_terry,
    centred,
    information,
    nash_average,
    pair_wins,
    prior_wins,
    rate,
    skills,
)


def test_three_wins_in_four_are_191_points():
    elo = bradley_terry(np.array([[0.0, 75], [25, 0]]))
    assert elo[0] - elo[1] == pytest.approx(400 * math.log10(3), abs=1e-3)
    assert elo.mean() == pytest.approx(MEAN)


def test_strengths_are_found_again_from_expected_results():
    strength = np.array([1.0, 2.0, 5.0, 30.0])
    wins = 100 * strength[:, None] / (strength[:, None] + strength[None, :])
    np.fill_diagonal(wins, 0)
    elo = bradley_terry(wins)
    assert elo - elo[0] == pytest.approx(400 * np.log10(strength), abs=0.01)


def test_bots_that_never_met_are_compared_through_others():
    wins = np.array([[0, 75, 0], [25, 0, 75], [0, 25, 0]], float)
    elo = bradley_terry(wins)
    assert elo - elo[1] == pytest.approx([400 * math.log10(3), 0, -400 * math.log10(3)], abs=0.01)


def all_won(deals):
    wins = np.zeros((deals, 2, 2))
    wins[:, 0, 1] = 1
    return wins


def test_who_always_wins_has_a_finite_rating_that_grows_with_the_games():
    few, many = (all_won(n) for n in (10, 1000))
    assert prior_wins(few).tolist() == [[0, 0.5], [0.5, 0]]
    few, many = (bradley_terry(w.sum(axis=0) + prior_wins(w)) for w in (few, many))
    assert few[0] - few[1] == pytest.approx(400 * math.log10(10.5 / 0.5), abs=1e-3)
    assert many[0] - many[1] == pytest.approx(400 * math.log10(1000.5 / 0.5), abs=1e-3)


def test_a_pair_that_met_in_few_deals_gets_the_same_virtual_wins_as_one_that_met_in_many():
    wins = np.zeros((100, 3, 3))
    wins[:, 0, 1] = wins[:, 1, 0] = 1
    wins[:5, 1, 2] = 2
    deal = 2 * PRIOR  # two games
    assert prior_wins(wins).tolist() == [[0, deal, 0], [deal, 0, deal], [0, deal, 0]]


def test_the_interval_of_who_always_wins_is_that_of_jeffreys():
    low, high = bootstrap(all_won(10), seed=1, rounds=20_000)
    # the 2.5% point of Beta(10.5, 0.5), ten of ten won, is 0.783
    assert 2 * (low[0] - MEAN) == pytest.approx(400 * math.log10(0.783 / 0.217), abs=6)
    assert high[0] > MEAN + 500


def test_intervals_cover_the_rating_and_shrink_with_deals():
    draws = np.random.default_rng(1)

    def sample(deals):
        wins = np.zeros((deals, 2, 2))
        wins[:, 0, 1] = draws.binomial(2, 0.7, deals)
        wins[:, 1, 0] = 2 - wins[:, 0, 1]
        low, high = bootstrap(wins, seed=0)
        elo = bradley_terry(wins.sum(axis=0) + prior_wins(wins))
        assert (low < elo).all() and (elo < high).all()
        return high[0] - low[0]

    narrow, wide = sample(4000), sample(100)
    assert wide / narrow == pytest.approx(math.sqrt(40), rel=0.35)
    # half the difference of two bots: 2 * 1.96 * (400 / ln 10) * sd of the log-odds / 2
    assert narrow == pytest.approx(1.96 * 400 / math.log(10) / math.sqrt(8000 * 0.21), rel=0.15)


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    draws = np.random.default_rng(2)
    truth = 400 * math.log10(0.6 / 0.4) / 2
    inside = 0
    for k in range(100):
        wins = np.zeros((200, 2, 2))
        wins[:, 0, 1] = draws.binomial(2, 0.6, 200)
        wins[:, 1, 0] = 2 - wins[:, 0, 1]
        low, high = bootstrap(wins, seed=k, rounds=300)
        inside += low[0] <= MEAN + truth <= high[0]
    assert 87 <= inside <= 100


def test_pairs_are_counted_by_rank_and_seats_of_one_bot_are_not_compared():
    wins = pair_wins([1, 2.5, 2.5, 4], [0, 1, 2, 1], 3)
    assert wins.tolist() == [[0, 2, 1], [0, 0, 0.5], [0, 1.5, 0]]


def test_in_a_forfeited_game_only_the_bot_that_failed_is_compared():
    wins = pair_wins([1.5, 3, 1.5], [0, 1, 2], 3, failed=1)
    assert wins.tolist() == [[0, 1, 0], [0, 0, 0], [0, 1, 0]]
    assert pair_wins([2, 1], [0, 1], 2, failed=0).tolist() == [[0, 0], [1, 0]]


def test_openskill_tells_winners_from_losers():
    games = [((1, 2), (0, 1)), ((2, 1), (1, 0))] * 20
    better, worse = skills(games, 2)
    assert better.mu > 30
    assert worse.mu < 20
    assert better.sigma < 25 / 3
    level = skills([((1, 2.5, 2.5), (0, 1, 1)), ((2.5, 1, 2.5), (0, 1, 0))] * 30, 2)
    assert level[0].mu == pytest.approx(level[1].mu, abs=3)


def ladder(deals=500):
    """Three bots: the first always loses, the third beats the second two times out of three."""
    wins = np.zeros((deals, 3, 3))
    wins[:, 1, 0] = wins[:, 2, 0] = 1.0
    wins[::3, 1, 2] = 1.0
    wins[1::3, 2, 1] = wins[2::3, 2, 1] = 1.0
    return wins


def test_the_zero_of_the_scale_is_the_mean_weighted_by_information():
    wins = ladder()
    total = wins.sum(axis=0) + prior_wins(wins)
    shares = information(total, bradley_terry(total))
    assert shares.sum() == pytest.approx(1.0)
    assert shares[0] < 0.01
    assert shares[1] == pytest.approx(0.5, abs=0.01)
    elo = rate(wins)
    assert (elo * shares).sum() == pytest.approx(MEAN)
    assert elo == pytest.approx(centred(bradley_terry(total), shares))
    assert elo[2] - elo[1] == pytest.approx(120, abs=3)  # 400 log10(2)


def test_one_that_always_loses_does_not_blur_the_others():
    low, high = bootstrap(ladder(), seed=0)
    assert high[0] - low[0] > 200
    assert high[1] - low[1] < 45
    assert high[1] < low[2]


@pytest.mark.parametrize("seed", range(20))
def test_nothing_beats_the_best_mixture(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    upper = np.triu(rng.integers(0, 101, (n, n)), 1).astype(float)
    wins = upper + np.tril(100 - upper.T, -1)
    found = nash_average(wins)
    assert found.shares.sum() == pytest.approx(1)
    assert found.wins.max() == pytest.approx(0.5, abs=0.01)
    assert found.wins[found.shares > 0.01] == pytest.approx(0.5, abs=0.01)


def test_the_best_mixture_of_a_circle_is_known_by_hand():
    even = np.array([[0, 90, 10], [10, 0, 90], [90, 10, 0]], float)
    assert nash_average(even).shares == pytest.approx([1 / 3] * 3, abs=1e-3)
    uneven = np.array([[0, 80, 30, 99], [20, 0, 90, 99], [70, 10, 0, 99], [1, 1, 1, 0]], float)
    odds = np.log((uneven + 0.5) / (uneven.T + 0.5))
    by_hand = np.array([odds[1, 2], odds[2, 0], odds[0, 1]])  # each as the other two meet
    found = nash_average(uneven)
    assert found.shares[:3] == pytest.approx(by_hand / by_hand.sum(), abs=2e-3)
    assert found.shares[3] == pytest.approx(0, abs=1e-6)
    assert found.wins[3] < 0.03


def test_a_bot_that_is_entered_twice_changes_nothing():
    wins = np.array([[0, 50, 90], [50, 0, 90], [10, 10, 0]], float)
    found = nash_average(wins)
    assert found.shares == pytest.approx([0.5, 0.5, 0], abs=1e-3)
    alone = nash_average(wins[1:, 1:])
    assert found.wins[1:] == pytest.approx(alone.wins, abs=1e-3)


def test_pairs_that_did_not_meet_count_as_even():
    wins = np.array([[0, 60, 0], [40, 0, 0], [0, 0, 0]], float)
    found = nash_average(wins)
    assert np.isfinite(found.wins).all()
    assert found.wins[2] == pytest.approx(0.5, abs=0.01)
