"""adapters/sb3.py: learners against batched opponents."""

import numpy as np
import pytest

import sprawl_env
from sprawl_env.bots.random import RandomBot
from sprawl_env.core.errors import InvalidOption, UnknownName
from sprawl_env.kernels.rng import combine
from tests.conftest import games_and
from tests.lengths import whole_games
from tests.toy import toy

sb3 = pytest.importorskip("sprawl_env.adapters.sb3")
pytestmark = pytest.mark.compiled  # thousands of plies
STEPS = 120


class Scripted:
    """Plays the last or the first legal action; counts the rows it receives."""

    needs_observations = True
    needs_states = True

    def __init__(self, name, last):
        self.name, self.last, self.rows = name, last, 0

    def seed(self, seed):
        pass

    def act(self, observations, masks, states):
        self.rows += len(masks)
        assert (states.to_play >= 0).all()
        assert len(observations) == len(masks) == len(states)
        assert masks.any(axis=1).all()
        if self.last:
            return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
        return masks.argmax(axis=1)


def choose(env, rng):
    return np.array([rng.choice(np.flatnonzero(row)) for row in env.action_masks()])


def test_every_learner_owes_a_decision_and_sees_its_own_side(any_game):
    env = sb3.SelfPlayVecEnv(any_game, 8, seed=1)
    observations = env.reset()
    rng = np.random.default_rng(0)
    for _ in range(STEPS):
        seats = env.learners.seats
        assert (env.games.to_play == seats).all()
        for i in range(8):
            seat = int(seats[i])
            assert np.array_equal(observations[i], any_game.observe(env.games, i, seat))
            assert np.array_equal(env.action_masks()[i], any_game.legal_actions(env.games, i))
        observations, *_ = env.step(choose(env, rng))


def opening_score(game, seed, i, episode, seat):
    """The points that a seat has in the opening position."""
    one = game.empty(1)
    game.kernels.deal(game.tables, one, 0, combine(combine(seed, i), episode))
    return int(game.scores(one, 0)[seat])


@pytest.mark.parametrize(
    ("any_game", "reward"), games_and("winner", "rank", "margin", "score"), indirect=["any_game"]
)
def test_the_learner_is_handed_all_it_earned_also_in_opponents_turns(any_game, reward):
    env = sb3.SelfPlayVecEnv(any_game, 8, reward=reward, seed=2)
    env.reset()
    rng = np.random.default_rng(0)
    total, ended, lost, episode = np.zeros(8), 0, 0, np.zeros(8, int)
    for _ in range(whole_games(any_game)):
        _, rewards, dones, infos = env.step(choose(env, rng))
        total += rewards
        for i in np.flatnonzero(dones):
            scores, seat = infos[i]["scores"], infos[i]["seat"]
            earned = {
                "margin": scores[seat] - np.delete(scores, seat).mean(),
                "score": scores[seat] - opening_score(any_game, 2, i, episode[i], seat),
            }
            episode[i] += 1
            assert len(scores) == any_game.num_sides
            assert len(infos[i]["opponents"]) == any_game.num_sides - 1
            if reward in earned:
                assert total[i] == pytest.approx(earned[reward], abs=1e-3)
            elif infos[i]["won"] == 1:
                assert total[i] == 1
            elif infos[i]["won"] == 0:
                assert total[i] < 1
                lost += total[i] < 0
            assert infos[i]["episode"]["r"] == pytest.approx(total[i], abs=1e-4)
            total[i] = 0
            ended += 1
        if reward != "score":
            assert not rewards[~dones].any()
    assert ended >= 8
    assert reward in {"margin", "score"} or lost > 0  # losses come in opponents' turns


def test_seats_go_round_and_so_do_opponents():
    game = sprawl_env.game("tower_up", num_players=3)
    first, last = Scripted("first", last=False), Scripted("last", last=True)
    env = sb3.SelfPlayVecEnv(game, 6, opponents=[first, last], weights=[1, 3], seed=3)
    env.reset()
    rng = np.random.default_rng(0)
    seats, names = [], []
    for _ in range(3 * STEPS):
        _, _, dones, infos = env.step(choose(env, rng))
        for i in np.flatnonzero(dones):
            seats.append(infos[i]["seat"])
            names += infos[i]["opponents"]
            assert len(infos[i]["opponents"]) == 2
    assert set(seats) == {0, 1, 2}
    assert names.count("last") > names.count("first") > 0
    assert first.rows > 0


def test_the_last_observation_of_a_game_is_the_learners(any_game):
    """A reward function of one's own is handed the positions in which games ended."""
    ends = []

    def note(before, after, over):
        ends.extend(after[k : k + 1].copy() for k in np.flatnonzero(over))
        return np.zeros((len(after), any_game.num_seats))

    env = sb3.SelfPlayVecEnv(any_game, 4, seed=4, reward=note)
    env.reset()
    rng, ended, told_apart = np.random.default_rng(0), 0, 0
    for _ in range(whole_games(any_game)):
        ends.clear()
        _, _, dones, infos = env.step(choose(env, rng))
        assert len(ends) == dones.sum()
        for end, i in zip(ends, np.flatnonzero(dones), strict=True):
            last, seat = infos[i]["terminal_observation"], infos[i]["seat"]
            views = [any_game.observe(end, 0, each) for each in range(any_game.num_seats)]
            assert np.array_equal(last, views[seat])
            told_apart += all(not np.array_equal(last, v) for v in views[:seat] + views[seat + 1 :])
            assert env.observation_space.contains(last)
            ended += 1
    assert ended >= 4
    assert told_apart > 0


def test_games_too_short_for_a_decision_leave_no_trace():
    game = sprawl_env.game("tower_up", num_players=4, max_turns=2)
    env = sb3.SelfPlayVecEnv(game, 12, seed=5, reward="score")
    env.reset()
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(30):
        _, rewards, dones, infos = env.step(choose(env, rng))
        for i in np.flatnonzero(dones):
            assert infos[i]["seat"] < 2
            assert infos[i]["episode"]["l"] >= 1
            if infos[i]["episode"]["l"] == 1:
                assert infos[i]["episode"]["r"] == rewards[i]
                ended += 1
    assert ended > 20


def test_same_seed_same_actions_same_everything(any_game):
    runs = []
    for _ in range(2):
        env = sb3.SelfPlayVecEnv(any_game, 4, seed=6)
        observations, rng, seen = env.reset(), np.random.default_rng(0), []
        for _ in range(STEPS):
            observations, rewards, dones, _ = env.step(choose(env, rng))
            seen.append(observations.tobytes() + rewards.tobytes() + dones.tobytes())
        runs.append(seen)
    assert runs[0] == runs[1]


def test_every_reset_deals_other_games_and_a_seed_the_same_again():
    env = sb3.SelfPlayVecEnv("tower_up", 4, opponents="random", seed=3)
    dealt = []
    for _ in range(3):
        env.reset()
        dealt.append(env.games["deck"].tobytes())
    assert len(set(dealt)) == 3
    env.seed(3)
    env.reset()
    assert env.games["deck"].tobytes() == dealt[0]


def test_opponents_that_are_instances_are_seeded_too():
    played = []
    for bot, seeds in ((RandomBot(99), False), (RandomBot(7), False), (RandomBot(5), True)):
        env = sb3.SelfPlayVecEnv("tower_up", 4, opponents=bot, seed=3)
        if seeds:
            env.seed(3)
        env.reset()
        for _ in range(5):
            env.step(env.action_masks().argmax(axis=1))
        played.append(env.games.tobytes())
    assert len(set(played)) == 1


def test_masks_come_as_one_array(any_game):
    env = sb3.SelfPlayVecEnv(any_game, 4)
    env.reset()
    assert env.has_attr("action_masks")
    masks = env.env_method("action_masks")
    assert masks.shape == (4, any_game.num_actions)
    assert np.array_equal(env.env_method("action_masks", indices=[1]), masks[1:2])
    assert not env.has_attr("no_such_thing")
    assert env.get_attr("num_envs") == [4] * 4


def test_wrong_actions_opponents_and_weights_are_refused():
    game = sprawl_env.game("tower_up")
    env = sb3.SelfPlayVecEnv(game, 2)
    env.reset()
    before = env.games.tobytes()
    for actions in (np.zeros(3, int), np.zeros(2), np.array([0, 250])):
        with pytest.raises(sprawl_env.IllegalAction):
            env.step(actions)
    assert env.games.tobytes() == before
    with pytest.raises(InvalidOption, match=r"at least one bot"):
        env.set_opponents([])
    with pytest.raises(InvalidOption, match=r"weights: expected 2"):
        env.set_opponents([Scripted("a", last=True)] * 2, [1])
    with pytest.raises(InvalidOption, match=r"num_envs=0"):
        sb3.SelfPlayVecEnv(game, 0)


def test_fewer_opponents_leave_running_games_theirs():
    game = sprawl_env.game("tower_up", max_turns=4)
    first, last = Scripted("first", last=False), Scripted("last", last=True)
    env = sb3.SelfPlayVecEnv(game, 8, opponents=[first, last], seed=2)
    env.reset()
    env.set_opponents(first)
    assert env.opponents == [first, last]  # last only ends its games
    of_first_games, later, rows = {}, [], last.rows
    for _ in range(60):
        _, _, dones, infos = env.step(env.action_masks().argmax(axis=1))
        for i in np.flatnonzero(dones).tolist():
            if i in of_first_games:
                later += infos[i]["opponents"]
            else:
                of_first_games[i] = infos[i]["opponents"]
    assert len(of_first_games) == 8
    assert {name for (name,) in of_first_games.values()} == {"first", "last"}
    assert last.rows > rows  # it played on
    assert set(later) == {"first"}
    env.set_opponents(first)
    assert env.opponents == [first]


def test_a_game_is_named_with_its_options():
    env = sb3.SelfPlayVecEnv("tower_up", 2, num_players=3, seed=4)
    assert env.game.num_seats == 3
    game = sprawl_env.game("tower_up", num_players=3)
    assert np.array_equal(env.reset(), sb3.SelfPlayVecEnv(game, 2, seed=4).reset())
    with pytest.raises(TypeError, match="tower_up got an unexpected keyword argument 'seats'"):
        sb3.SelfPlayVecEnv("tower_up", 2, seats=3)
    with pytest.raises(InvalidOption, match="num_players: the game has its options already"):
        sb3.SelfPlayVecEnv(game, 2, num_players=3)


def test_an_opponent_that_cheats_is_named():
    class Cheat(Scripted):
        def act(self, observations, masks, states):
            return np.full(len(masks), 250)

    env = sb3.SelfPlayVecEnv(sprawl_env.game("tower_up"), 2, opponents=[Cheat("cheat", last=True)])
    with pytest.raises(sprawl_env.IllegalAction, match=r"bot cheat: .*may not play 250"):
        env.reset()


def test_an_answer_of_the_wrong_shape_or_kind_is_an_illegal_action_too():
    wrong = Scripted("wrong", last=True)
    env = sb3.SelfPlayVecEnv(sprawl_env.game("tower_up"), 4, opponents=[wrong])
    for answer in ([0], [0.0, 0.0], None, [[0, 0]]):
        wrong.act = lambda observations, masks, states, answer=answer: answer
        with pytest.raises(sprawl_env.IllegalAction, match=r"bot wrong: .*expected whole numbers"):
            env.reset()


def test_a_learner_alone_meets_the_automaton():
    env = sb3.SelfPlayVecEnv(toy(num_players=1), 6, seed=1)
    env.reset()
    rng, outcomes = np.random.default_rng(0), set()
    for _ in range(STEPS):
        _, rewards, dones, infos = env.step(choose(env, rng))
        for i in np.flatnonzero(dones):
            mine, its = infos[i]["scores"]
            assert infos[i]["opponents"] == ["automaton"]
            assert infos[i]["won"] == (np.sign(mine - its) + 1) / 2
            assert rewards[i] == np.sign(mine - its)
            outcomes.add(float(rewards[i]))
    assert outcomes == {-1, 0, 1}


@pytest.mark.compiled
def test_sb3_contrib_learns_on_it_unmodified():
    contrib = pytest.importorskip("sb3_contrib")
    env = sb3.SelfPlayVecEnv(sprawl_env.game("tower_up"), 4)
    model = contrib.MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=32, device="cpu", seed=0)
    model.learn(128)
    assert model.num_timesteps >= 128


def test_whole_numbers_are_the_observations_without_their_scales(any_game):
    floats = sb3.SelfPlayVecEnv(any_game, 8, seed=1)
    whole = sb3.SelfPlayVecEnv(any_game, 8, seed=1, observations="int8")
    assert whole.observation_space.dtype == np.int8
    rng, scales = np.random.default_rng(0), any_game.observation_layout.scales
    seen, numbers, ended = floats.reset(), whole.reset(), 0
    while ended < 3:
        assert numbers.dtype == np.int8
        assert whole.observation_space.contains(numbers[0])
        assert np.array_equal(numbers * scales, seen)
        actions = choose(floats, rng)
        (seen, *_, infos), (numbers, *_, others) = floats.step(actions), whole.step(actions)
        for info, other in zip(infos, others, strict=True):
            if "terminal_observation" in info:
                ended += 1
                last = other["terminal_observation"]
                assert last.dtype == np.int8
                assert np.array_equal(last * scales, info["terminal_observation"])


def test_an_unknown_type_of_observations_is_one_line():
    with pytest.raises(UnknownName, match=r"type of observations 'float16'.*float32, int8"):
        sb3.SelfPlayVecEnv(sprawl_env.game("tower_up"), 2, observations="float16")


def test_the_buffer_of_the_library_keeps_whole_numbers():
    contrib = pytest.importorskip("sb3_contrib")
    env = sb3.SelfPlayVecEnv(sprawl_env.game("tower_up"), 4, observations="int8")
    model = contrib.MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=16, n_epochs=1)
    model.learn(32)
    assert model.rollout_buffer.observations.dtype == np.int8
    assert model.rollout_buffer.observations.any()
