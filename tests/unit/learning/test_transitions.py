"""learning/transitions.py: what each decision brought its seat, as AEC agents see it."""

import numpy as np
import pytest

import sprawl_env
from sprawl_env.adapters.aec import BoardGameAEC
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.rewards import REWARDS
from sprawl_env.learning import returns
from tests.suite import GAMES

WITH_ALL = ("winner", "lead")  # one that is paid at the end, one that is paid at every step
SEATS = {"tower_up": (2, 3, 4), "ginkgopolis": (1, 2, 3, 4, 5), "urban_sprawl": (2, 3, 4)}
CASES = [
    *((name, seats, reward) for name in GAMES for seats in SEATS[name] for reward in WITH_ALL),
    *(("ginkgopolis", 3, reward) for reward in REWARDS if reward not in WITH_ALL),
]


def by_hand(seats, rewards, ended, **settings):
    return returns(
        np.array(seats)[:, None],
        np.array(rewards, float)[:, None],
        np.array(ended)[:, None],
        **settings,
    )


def test_a_decision_earns_until_its_seats_next_one_and_to_the_end_of_the_game():
    """Seat 0 acts twice, seat 1 once; the next game goes on after the last step."""
    found = by_hand(
        [0, 1, 0, 1, 0],
        [[1, 10], [2, 20], [4, 40], [8, 80], [16, 160]],
        [False, False, True, False, False],
        discount=0.5,
    )
    assert found.rewards[:, 0].tolist() == [3, 60, 4, 240, 16]
    assert found.returns[:, 0].tolist() == [5, 60, 4, 240, 16]
    assert found.following[:, 0].tolist() == [2, -1, -1, -1, -1]
    assert found.ended[:, 0].tolist() == [True, True, True, False, False]
    assert found.before[:, 0].tolist() == [[0, 10], [0, 0], [0, 0], [8, 0], [0, 0]]


def test_the_value_after_the_last_step_counts_for_games_that_go_on():
    found = by_hand(
        [0, 1, 0], [[0, 0]] * 3, [True, False, False], discount=0.5, last_values=[[4, 6]]
    )
    assert found.returns[:, 0].tolist() == [0, 3, 2]


def test_advantages_are_those_of_each_seats_own_decisions():
    """Of one seat they are those of the usual recursion; with gae_lambda 1, returns less values."""
    rng = np.random.default_rng(0)
    seats, rewards = rng.integers(3, size=(40, 5)), rng.normal(size=(40, 5, 3))
    ended, values = rng.random((40, 5)) < 0.1, rng.normal(size=(40, 5))
    last = rng.normal(size=(5, 3))
    settings = {"discount": 0.9, "values": values, "last_values": last}
    whole = returns(seats, rewards, ended, gae_lambda=1.0, **settings)
    assert np.allclose(whole.advantages, whole.returns - values, atol=1e-5)
    short = returns(seats, rewards, ended, gae_lambda=0.8, **settings)
    for i in range(5):
        for seat in range(3):
            after, value = 0.0, last[i, seat]
            for t in reversed(range(40)):
                if ended[t, i]:
                    after = value = 0.0
                if seats[t, i] == seat:
                    surprise = short.rewards[t, i] + 0.9 * value - values[t, i]
                    after = surprise + 0.9 * 0.8 * after
                    value = values[t, i]
                    assert short.advantages[t, i] == pytest.approx(after, abs=1e-5)


def played(game, reward, seed):
    """Play a random game in an AEC environment and in a batch; return the steps and AEC's rewards.

    AEC's rewards are, for each seat, those that it saw before its first decision and after each.
    """
    env = BoardGameAEC(game, reward=reward)
    env.reset(seed=seed)
    vec = sprawl_env.make_vec(game, 1, reward=reward, observations=None)
    look = vec.load(env.games)
    rng, steps, seen = np.random.default_rng(seed), [], [[] for _ in range(game.num_seats)]
    for agent in env.agent_iter():
        observation, received, terminated, truncated, _ = env.last()
        seen[env.possible_agents.index(agent)].append(received)
        if terminated or truncated:
            env.step(None)
            continue
        assert np.array_equal(look.masks[0], observation["action_mask"])
        action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
        acted = int(look.to_play[0])
        step = vec.step([action])
        over = bool(step.terminated[0] | step.truncated[0])
        steps.append((acted, step.rewards[0].copy(), over))
        look = step
        env.step(action)
    return steps, seen


@pytest.mark.parametrize(("name", "seats", "reward"), CASES)
def test_each_decision_gets_what_an_aec_agent_sees_next(name, seats, reward):
    game = sprawl_env.game(name, num_players=seats)
    steps, seen = played(game, reward, seats)
    found = by_hand(*zip(*steps, strict=True))
    acted = np.array([step[0] for step in steps])
    for seat, rewards in enumerate(seen):
        own = found.rewards[acted == seat, 0]
        assert np.allclose(own, rewards[1:], rtol=1e-5, atol=1e-5)
        assert found.before[0, 0, seat] == pytest.approx(rewards[0], abs=1e-5)
    total = sum(step[1] for step in steps)
    assert np.allclose([sum(rewards) for rewards in seen], total, rtol=1e-5, atol=1e-4)
    assert found.ended.all()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"seats": [[0, 1], [0]]}, r"seats: expected whole numbers \[T, n\]"),
        ({"seats": [[0.0, 1.0]]}, r"seats: expected whole numbers \[T, n\]"),
        ({"seats": [[0, 2]]}, r"seats: expected 0\.\.1, as rewards have 2 seats"),
        ({"seats": [[0, -1]]}, r"seats: expected 0\.\.1"),
        ({"rewards": np.zeros((1, 2))}, r"rewards: expected floats \[1, 2, seats\]"),
        ({"rewards": "much"}, "rewards: expected floats"),
        ({"ended": [[0, 1]]}, r"ended: expected bool \[1, 2\]"),
        ({"values": np.zeros((2, 2))}, r"values: expected floats \[1, 2\]"),
        ({"last_values": [0]}, r"last_values: expected floats \[2, 2\]"),
        ({"discount": 1.5}, r"discount 1\.5: expected 0\.\.1"),
        ({"gae_lambda": 0.9}, r"gae_lambda 0\.9: expected values too"),
        ({"gae_lambda": float("nan")}, "returns: gae_lambda=nan: expected a finite number"),
        ({"gae_lambda": "x"}, "returns: gae_lambda='x': expected a finite number"),
    ],
)
def test_what_does_not_fit_is_refused(change, says):
    fine = {"seats": [[0, 1]], "rewards": np.zeros((1, 2, 2)), "ended": np.zeros((1, 2), bool)}
    returns(**fine)
    given = {**fine, **change}
    with pytest.raises(InvalidOption, match=says):
        returns(given.pop("seats"), given.pop("rewards"), given.pop("ended"), **given)


@pytest.mark.parametrize("name", ["seats", "rewards", "ended"])
def test_steps_that_were_not_copied_are_refused(name):
    def steps(array):
        return [array.copy(), array.copy()]

    given = {
        "seats": steps(np.zeros(2, int)),
        "rewards": steps(np.zeros((2, 2))),
        "ended": steps(np.zeros(2, bool)),
    }
    returns(**given)
    given[name] = given[name][:1] * 2
    with pytest.raises(InvalidOption, match=rf"{name}: several steps are the same array"):
        returns(**given)
