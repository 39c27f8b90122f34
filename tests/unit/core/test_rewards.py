"""core/rewards.py on standings written by hand."""

import numpy as np
import pytest

from sprawl_env.core.rewards import (
    REWARDS,
    Earnings,
    add_change,
    add_final_rewards,
    is_dense,
    lead,
    leads,
    rank_reward,
    reward_mode,
    winner_reward,
)
from tests.toy import toy


def rewards(name, scores, standings=None, seats=None):
    out = np.zeros(len(scores) if seats is None else seats, np.float32)
    points = np.array(scores, np.int32)
    stand = points if standings is None else np.array(standings, np.int32)
    add_final_rewards(reward_mode(name), points, stand, out)
    return out.tolist()


@pytest.mark.parametrize(
    ("name", "scores", "expected"),
    [
        ("winner", [9, 4], [1, -1]),
        ("winner", [4, 4], [0, 0]),
        ("winner", [9, 4, 1], [1, -0.5, -0.5]),
        ("winner", [9, 9, 1], [0.25, 0.25, -0.5]),
        ("winner", [1, 7, 7, 7], [-1 / 3, 1 / 9, 1 / 9, 1 / 9]),
        ("rank", [9, 4, 1], [1, 0, -1]),
        ("rank", [4, 9, 4], [-0.5, 1, -0.5]),
        ("rank", [1, 2, 3, 4], [-1, -1 / 3, 1 / 3, 1]),
        ("margin", [9, 4], [5, -5]),
        ("margin", [10, 4, 1], [7.5, -1.5, -6]),
        ("score", [9, 4], [0, 0]),
        ("lead", [9, 4], [0, 0]),
    ],
)
def test_what_each_seat_earns(name, scores, expected):
    assert rewards(name, scores) == pytest.approx(expected, abs=1e-6)


def test_a_tie_break_decides_the_winner_but_not_the_margin():
    assert rewards("winner", [5, 5], [50, 51]) == [-1, 1]
    assert rewards("margin", [5, 5], [50, 51]) == [0, 0]


@pytest.mark.parametrize(
    ("name", "won", "lost", "shared"),
    [("winner", 1, -1, 0), ("rank", 1, -1, 0), ("margin", 3, -3, 0), ("score", 0, 0, 0)],
)
def test_a_single_seat_is_compared_with_the_automaton(name, won, lost, shared):
    for scores, expected in (([7, 4], won), ([4, 7], lost), ([5, 5], shared)):
        assert rewards(name, scores, seats=1) == [expected]


@pytest.mark.parametrize(("name", "expected"), [("score", 2), ("lead", 1)])
def test_dense_rewards_of_a_single_seat(name, expected):
    out = np.zeros(1, np.float32)
    before, after = np.array([3, 4], np.int32), np.array([5, 5], np.int32)
    add_change(reward_mode(name), before, after, out)
    assert out.tolist() == [expected]


def test_unknown_rewards_are_refused():
    with pytest.raises(
        ValueError, match=r"unknown reward 'win' .*lead, margin, rank, score, winner"
    ):
        reward_mode("win")
    assert [reward_mode(name) for name in REWARDS] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("name", "expected"), [("score", [2, 0, 1]), ("lead", [1.5, -1.5, 0])])
def test_dense_rewards_are_changes(name, expected):
    out = np.zeros(3, np.float32)
    before, after = np.array([3, 4, 5], np.int32), np.array([5, 4, 6], np.int32)
    add_change(reward_mode(name), before, after, out)
    assert out.tolist() == expected
    assert is_dense(reward_mode(name)) == 1
    assert is_dense(reward_mode("margin")) == 0


@pytest.mark.parametrize("name", REWARDS)
def test_earnings_tell_once_what_was_earned(name):
    game = toy(num_players=1, rounds=2)
    games, earnings = game.deal(1, seed=3), Earnings(game, name)
    earnings.begin(games)
    before, told = game.scores(games, 0), []
    while games.over[0] == 0:
        game.play(games, 0, int(game.legal_actions(games).argmax()))
        told.append(earnings.since(games))
    (mine, its), start = game.scores(games, 0), before[0] - before[1]
    total = {"score": mine - before[0], "lead": mine - its - start, "margin": mine - its}
    assert sum(told).shape == (1,)
    assert sum(told)[0] == total.get(name, np.sign(mine - its))
    assert earnings.dense == (name in {"score", "lead"})
    assert earnings.dense or not any(x.any() for x in told[:-1])


def test_a_side_that_is_alone_is_paid_its_points_or_nothing():
    alone = np.array([7], np.int32)
    assert (winner_reward(alone, 0), rank_reward(alone, 0), lead(alone, 0)) == (0.0, 0.0, 7.0)
    assert leads(alone).tolist() == [7.0]


def test_leads_of_many_games_are_those_of_the_kernel():
    scores = np.array([[5, 9, 10], [7, -1, 2]], np.int32)
    expected = [[lead(row, seat) for seat in range(3)] for row in scores]
    assert leads(scores).tolist() == expected
    assert leads(scores[0]).tolist() == expected[0]
