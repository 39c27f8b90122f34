"""The rewards of a game add up to the same in every interface, also those of a user's function."""

import itertools

import numpy as np
import pytest

import sprawl_env
from sprawl_env.adapters.aec import BoardGameAEC
from sprawl_env.adapters.gym import BoardGameGym
from sprawl_env.adapters.parallel import BoardGameParallel
from sprawl_env.adapters.sb3 import SelfPlayVecEnv
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.rewards import REWARDS
from sprawl_env.learning import returns
from tests.suite import a_few

pytestmark = pytest.mark.compiled  # whole games
SEATS = {"tower_up": (2, 3, 4), "ginkgopolis": (1, 2, 3, 4, 5), "urban_sprawl": (2, 3, 4)}
FEW, MANY = 3, 1000  # games of each game, number of seats and reward
FIRST = [("tower_up", 2), ("ginkgopolis", 1), ("ginkgopolis", 3), ("urban_sprawl", 2)]
CASES = [(name, seats) for name, each in SEATS.items() for seats in each]
CASES.sort(key=lambda case: case not in FIRST)


def sums(game, reward, first, last):
    """Return what each seat must receive in a whole game, from the rules of the rewards alone."""
    start, end = (game.scores(games, 0).astype(float) for games in (first, last))
    rank, count = game.standings(last, 0), game.num_sides
    others = {k: (points.sum() - points) / (count - 1) for k, points in ((0, start), (1, end))}
    best = rank == rank.max()
    paid = {
        "winner": np.where(best, 1 / best.sum(), 0) * count / (count - 1) - 1 / (count - 1),
        "rank": [
            sum(np.sign(int(own) - int(other)) for other in rank) / (count - 1) for own in rank
        ],
        "margin": end - others[1],
        "score": end - start,
        "lead": end - others[1] - (start - others[0]),
    }[reward]
    return np.asarray(paid, float)[: game.num_seats]


def played_by_aec(game, reward, count):
    env, rng = BoardGameAEC(game, reward=reward), np.random.default_rng(0)
    for k in range(count):
        env.reset(seed=k)
        first, total = env.games, np.zeros(game.num_seats)
        for agent in env.agent_iter():
            observation, paid, terminated, truncated, _ = env.last()
            total[int(agent.removeprefix("player_"))] += paid
            if terminated or truncated:
                last = env.games
                env.step(None)
            else:
                env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
        yield first, last, total


def played_by_parallel(game, reward, count):
    env, rng = BoardGameParallel(game, reward=reward), np.random.default_rng(0)
    for k in range(count):
        _, infos = env.reset(seed=k)
        first, total = env.games, np.zeros(game.num_seats)
        while env.agents:
            actions = {
                agent: int(rng.choice(np.flatnonzero(infos[agent]["action_mask"])))
                for agent in env.agents
            }
            _, paid, _, _, infos = env.step(actions)
            total += [paid[agent] for agent in env.possible_agents]
        yield first, env.games, total


def played_by_batch(game, reward, count):
    """Whole games of a batch: by the rewards of its steps, and by ``returns``."""
    size = min(count, 64)
    vec = sprawl_env.make_vec(game, size, reward=reward, seed=5)
    acting = vec.reset().to_play.copy()
    seats, rewards, ended, wholes = [], [], [], []
    first, begun = vec.games, np.zeros(size, int)
    while len(wholes) < count:
        seats.append(acting)
        step = vec.step(vec.sample_actions())
        acting = step.to_play.copy()
        rewards.append(step.rewards.copy())
        ended.append(step.terminated | step.truncated)
        now = vec.games
        done = vec.ended
        assert np.array_equal(done.which, np.flatnonzero(ended[-1]))
        for k, i in enumerate(done.which):
            wholes.append((i, begun[i], len(seats), first[i : i + 1].copy(), done.games[k : k + 1]))
            assert np.array_equal(done.scores[k], game.scores(done.games, k))
            assert np.array_equal(done.standings[k], game.standings(done.games, k))
            first[i], begun[i] = now[i], len(seats)
    rewards = np.array(rewards)
    found = returns(seats, rewards, ended)
    for i, start, stop, opening, last in wholes[:count]:
        total = rewards[start:stop, i].sum(axis=0, dtype=float)
        acted = np.array(seats)[start:stop, i]
        by_returns = found.before[start, i].astype(float)
        for seat in range(game.num_seats):
            by_returns[seat] += found.rewards[start:stop, i][acted == seat].sum(dtype=float)
        assert by_returns == pytest.approx(total, abs=1e-3)
        yield opening, last, total


def played_by_gym(game, reward, count, monkeypatch):
    env, dealt = BoardGameGym(game, reward=reward), []
    single, deal = env._single, env._single.deal

    def note_deal(seed):
        deal(seed)
        dealt.append(single.copy())

    monkeypatch.setattr(single, "deal", note_deal)
    for k in range(count):
        _, info = env.reset(seed=k)
        first, total, over = dealt[-1], 0.0, False
        while not over:
            action = env.action_space.sample(info["action_mask"])
            _, paid, terminated, truncated, info = env.step(action)
            total, over = total + paid, terminated or truncated
        yield first, env.games, env.seat, total


def played_by_sb3(game, reward, count, monkeypatch):
    env, rng = SelfPlayVecEnv(game, min(count, 16), reward=reward, seed=3), np.random.default_rng(0)
    learners, first, wholes = env.learners, {}, []
    deal, ending = learners._deal, learners._note

    def note_deal(which):
        deal(which)
        first.update((int(i), env.games[i : i + 1]) for i in which)

    def note_end(which, illegal):
        ended.update((int(i), (first[i], env.games[i : i + 1])) for i in which)
        ending(which, illegal)

    monkeypatch.setattr(learners, "_deal", note_deal)
    monkeypatch.setattr(learners, "_note", note_end)
    env.reset()
    while len(wholes) < count:
        ended = {}
        env.step_async(np.array([rng.choice(np.flatnonzero(mask)) for mask in env.action_masks()]))
        infos = env.step_wait()[3]
        wholes += [(*ended[i], infos[i]["seat"], infos[i]["episode"]["r"]) for i in ended]
    yield from wholes[:count]


def assert_sums(game, reward, count, monkeypatch):
    players = [played_by_aec, played_by_batch]
    players += [played_by_parallel] if game.kernels.owing is not None else []
    for play in players:
        number = 0
        for first, last, total in play(game, reward, count):
            assert total == pytest.approx(sums(game, reward, first, last), abs=1e-3), play
            number += 1
        assert number == count
    for play in (played_by_gym, played_by_sb3):
        for first, last, seat, total in play(game, reward, count, monkeypatch):
            assert total == pytest.approx(sums(game, reward, first, last)[seat], abs=1e-3), play


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize(("name", "seats"), a_few(CASES, len(FIRST)))
def test_the_rewards_of_a_game_add_up_to_the_same_in_every_interface(
    name, seats, reward, monkeypatch
):
    assert_sums(sprawl_env.game(name, num_players=seats), reward, FEW, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize(("name", "seats"), CASES)
def test_the_rewards_of_1_000_games_add_up_to_the_same_in_every_interface(
    name, seats, reward, monkeypatch
):
    assert_sums(sprawl_env.game(name, num_players=seats), reward, MANY, monkeypatch)


def points_ahead(game):
    """Return a user's function that pays what the reward ``lead`` pays."""

    def ahead(games):
        scores = game.scores(games).astype(float)
        others = (scores.sum(axis=1, keepdims=True) - scores) / (game.num_sides - 1)
        return (scores - others)[:, : game.num_seats]

    return lambda before, after, over: ahead(after) - ahead(before)


def learners(game, reward, steps):
    """Yield the rewards of learners in Stable-Baselines3, and whether their games ended."""
    env, rng = SelfPlayVecEnv(game, 4, reward=reward, seed=3), np.random.default_rng(0)
    env.reset()
    for _ in range(steps):
        env.step_async(np.array([rng.choice(np.flatnonzero(mask)) for mask in env.action_masks()]))
        _, paid, done, infos = env.step_wait()
        yield paid, done, [info.get("episode", {}).get("r") for info in infos]


@pytest.mark.parametrize("name", ["tower_up", "ginkgopolis"])
def test_a_function_of_ones_own_pays_in_every_interface(name, monkeypatch):
    game = sprawl_env.game(name, num_players=2)
    own = points_ahead(game)
    both = [sprawl_env.make_vec(game, 8, reward=r, seed=2) for r in (own, "lead")]
    for vec in both:
        vec.reset()
    for _ in range(300):
        actions = both[0].sample_actions()
        paid = [vec.step(actions).rewards.copy() for vec in both]
        assert paid[0] == pytest.approx(paid[1], abs=1e-3)
    for play in (played_by_aec, played_by_batch):
        for first, last, total in play(game, own, 2):
            assert total == pytest.approx(sums(game, "lead", first, last), abs=1e-3)
    for first, last, seat, total in played_by_gym(game, own, 2, monkeypatch):
        assert total == pytest.approx(sums(game, "lead", first, last)[seat], abs=1e-3)
    for mine, theirs in zip(learners(game, own, 200), learners(game, "lead", 200), strict=True):
        assert mine[0] == pytest.approx(theirs[0], abs=1e-3)
        assert np.array_equal(mine[1], theirs[1])


def test_with_forced_plies_skipped_a_function_sees_the_true_end():
    game = sprawl_env.game("tower_up", num_players=2)
    ends = []

    def ended(before, after, over):
        ends.extend(after[over])
        assert (before.over == 0).all()
        return np.zeros((len(after), 2))

    vec = sprawl_env.make_vec(game, 8, reward=ended, skip_forced=True, seed=2)
    vec.reset()
    seen = 0
    for _ in range(300):
        vec.step(vec.sample_actions())
        seen += len(vec.ended.which)
        assert (vec.ended.games.over != 0).all()
    assert len(ends) == seen > 0


@pytest.mark.parametrize(
    "wrong", [None, 1.0, np.zeros(4), np.zeros((4, 3)), np.full((4, 2), np.nan), [["a"] * 2] * 4]
)
def test_a_function_that_pays_something_else_is_refused_in_one_line(wrong):
    vec = sprawl_env.make_vec("tower_up", 4, num_players=2, reward=lambda *games: wrong)
    vec.reset()
    with pytest.raises(InvalidOption, match=r"^reward: expected finite floats of shape \(4, 2\)"):
        vec.step(vec.sample_actions())


@pytest.mark.parametrize("name", SEATS)
def test_a_whole_batch_is_scored_at_once(name):
    game = sprawl_env.game(name, num_players=3)
    games = game.deal(5, seed=3)
    rng = np.random.default_rng(0)
    for g, _ in itertools.product(range(5), range(30)):
        game.play(games, g, int(rng.choice(np.flatnonzero(game.legal_actions(games, g)))))
    for each in (game.scores, game.standings):
        assert each(games).tolist() == [each(games, g).tolist() for g in range(5)]
        assert each(games[:0]).shape == (0, 3)
        with pytest.raises(InvalidOption):
            each(np.zeros(3))
