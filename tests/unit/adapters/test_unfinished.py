"""adapters: after a step that failed or was interrupted, nothing is played until the next reset."""

import threading

import numpy as np
import pytest

import sprawl_env
from sprawl_env.adapters import threads
from sprawl_env.adapters.aec import BoardGameAEC
from sprawl_env.adapters.gym import BoardGameGym
from sprawl_env.adapters.gym_vector import BoardGameVectorEnv
from sprawl_env.adapters.learners import LearnerGames
from sprawl_env.adapters.parallel import BoardGameParallel
from sprawl_env.core.errors import IllegalAction, InvalidOption, SprawlError
from tests.toy import ALWAYS, toy

SAYS = r"^tower_up: the last reset or step failed or was interrupted: call reset\(\)$"


class Failing:
    """Plays the first legal action, and raises an error if it is told to."""

    name = "failing"
    needs_observations = needs_states = False
    error = None

    def seed(self, seed):
        pass

    def act(self, observations, masks, states):
        if self.error is not None:
            raise self.error
        return masks.argmax(axis=1)


def learners(opponent, reward="winner"):
    """Make games for Stable-Baselines3, where that is installed."""
    sb3 = pytest.importorskip("sprawl_env.adapters.sb3")
    return sb3.SelfPlayVecEnv("tower_up", 4, opponents=opponent, reward=reward)


def vector(opponent, reward="winner"):
    return BoardGameVectorEnv("tower_up", 4, opponent=opponent, reward=reward)


def single(opponent, reward="winner"):
    return BoardGameGym("tower_up", opponent=opponent, reward=reward)


def first_actions(env):
    """The first legal action of each game, as ``step`` takes it."""
    games = env.games
    actions = np.array([env.game.legal_actions(games, g).argmax() for g in range(len(games))])
    return int(actions[0]) if isinstance(env, BoardGameGym) else actions


def step_until_it_fails(env):
    """Play on until the opponents have a decision."""
    for _ in range(20):
        env.step(first_actions(env))


def assert_only_a_reset_goes_on(env):
    """Check that nothing is played, and that a reset deals games that can be played."""
    was = env.games.tobytes()
    for _ in range(2):
        with pytest.raises(InvalidOption, match=SAYS):
            env.step(first_actions(env))
    if hasattr(env, "action_masks"):
        with pytest.raises(InvalidOption, match=SAYS):
            env.action_masks()
    assert env.games.tobytes() == was
    env.reset()
    env.step(first_actions(env))


@pytest.fixture(params=[learners, vector, single])
def make(request):
    return request.param


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_after_an_opponent_failed_in_a_step_only_a_reset_goes_on(make, error):
    bot = Failing()
    env = make(bot)
    env.reset()
    env.step(first_actions(env))
    bot.error = error
    with pytest.raises(error):
        step_until_it_fails(env)
    bot.error = None
    assert_only_a_reset_goes_on(env)


def test_after_an_opponent_failed_in_a_reset_only_a_reset_goes_on(make):
    bot = Failing()
    env = make(bot)
    env.reset()
    bot.error = ZeroDivisionError
    with pytest.raises(ZeroDivisionError):
        for _ in range(20):  # of the single game, until the opponent begins
            env.reset()
    bot.error = None
    assert_only_a_reset_goes_on(env)


@pytest.mark.parametrize("opponent", [None, "greedy"])
def test_what_an_interrupted_step_did_not_pay_is_not_paid_after_the_reset(opponent, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    envs = [BoardGameVectorEnv("tower_up", 32, opponent=opponent, reward="score") for _ in range(2)]
    envs[0].reset(seed=3)
    with monkeypatch.context() as patched:
        patched.setattr(LearnerGames, "_collect", interrupted)
        with pytest.raises(KeyboardInterrupt):
            step_until_it_fails(envs[0])
    for env in envs:
        env.reset(seed=5)
    for _ in range(5):
        one, other = (env.step(first_actions(env))[1] for env in envs)
        assert np.array_equal(one, other)


def test_a_seeded_reset_waits_for_a_thread_that_an_interruption_left_behind(monkeypatch):
    def interrupted(running):
        if running:
            raise KeyboardInterrupt

    go = threading.Event()
    envs = [BoardGameVectorEnv("tower_up", 64, num_threads=2) for _ in range(2)]
    for env in envs:
        env.reset(seed=3)
    pool = envs[0]._learners._pool
    first, second = pool._work
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(pool, "_work", [first, lambda: go.wait(60) and second()])
        patched.setattr(threads, "wait", interrupted)
        envs[0].step(first_actions(envs[0]))
    threading.Timer(0.1, go.set).start()
    for env in envs:
        env.reset(seed=5)
    for _ in range(3):
        one, other = (env.step(first_actions(env)) for env in envs)
        assert all(np.array_equal(one[k], other[k]) for k in range(4))
    envs[0].close()
    envs[1].close()


def test_before_the_first_reset_an_environment_says_what_to_do():
    env = BoardGameAEC("tower_up")
    assert (env.agents, env.num_agents) == ([], 0)
    assert list(env.agent_iter()) == []
    with pytest.raises(SprawlError, match=r"call reset\(\)"):
        env.last()


def failing_reward():
    """Return a reward function, and a list: the function fails while there is something in it."""
    fails = []

    def reward(before, after, over):
        if fails:
            raise ZeroDivisionError
        return np.zeros((len(before), 2))

    return reward, fails


def stacked(before, after, over):
    """A reward that cannot be asked about no games."""
    return np.stack([np.zeros(2) for _ in after])


def test_a_reward_is_not_asked_where_no_learner_acted_legally():
    sb3 = pytest.importorskip("sprawl_env.adapters.sb3")
    env = sb3.SelfPlayVecEnv("tower_up", 1, reward=stacked, illegal="lose", opponents="greedy")
    env.reset()
    wrong = env.action_masks().argmin(axis=1)
    assert env.step(wrong)[2].all()
    envs = BoardGameVectorEnv("tower_up", 1, reward=stacked, max_turns=6)
    envs.reset(seed=1)
    ends = 0
    for _ in range(30):
        step = envs.step(first_actions(envs))
        ends += int((step[2] | step[3]).sum())
    assert ends > 1


def test_after_a_reward_failed_a_batch_must_be_reset():
    reward, fails = failing_reward()
    vec = sprawl_env.make_vec("tower_up", 4, reward=reward)
    vec.reset()
    fails.append(True)
    with pytest.raises(ZeroDivisionError):
        vec.step(vec.sample_actions())
    fails.clear()
    with pytest.raises(SprawlError, match=r"call reset\(\) before step"):
        vec.step(vec.masks.argmax(axis=1))
    vec.reset()
    vec.step(vec.sample_actions())


def test_after_a_reward_failed_only_a_reset_goes_on(make):
    reward, fails = failing_reward()
    env = make("random", reward=reward)
    env.reset()
    fails.append(True)
    with pytest.raises(ZeroDivisionError):
        env.step(first_actions(env))
    fails.clear()
    assert_only_a_reset_goes_on(env)


def aec(reward="winner"):
    return BoardGameAEC("ginkgopolis", reward=reward)


def parallel(reward="winner"):
    return BoardGameParallel("ginkgopolis", reward=reward)


def decide(env):
    """Play legal actions of all who decide."""
    if isinstance(env, BoardGameParallel):
        env.step({agent: env.action_space(agent).sample() for agent in env.agents})
    else:
        env.step(env.action_space(env.agent_selection).sample())


def assert_only_a_reset_of_pettingzoo_goes_on(env):
    was, says = env.games.tobytes(), SAYS.replace("tower_up", env.game.name)
    for _ in range(2):
        with pytest.raises(InvalidOption, match=says):
            decide(env)
    if isinstance(env, BoardGameAEC):
        with pytest.raises(InvalidOption, match=says):
            env.last()
    assert env.games.tobytes() == was
    env.reset(seed=2)
    decide(env)


@pytest.mark.parametrize("made", [aec, parallel])
def test_after_a_reward_failed_pettingzoo_must_be_reset(made):
    reward, fails = failing_reward()
    env = made(reward)
    env.reset(seed=1)
    decide(env)
    fails.append(True)
    with pytest.raises(ZeroDivisionError):
        decide(env)
    fails.clear()
    assert_only_a_reset_of_pettingzoo_goes_on(env)


@pytest.mark.parametrize("made", [aec, parallel])
@pytest.mark.parametrize("call", [lambda env: env.reset(seed=1), decide])
def test_after_an_interruption_pettingzoo_must_be_reset(made, call, monkeypatch):
    env = made()
    env.reset(seed=1)
    name = "_open_pass" if made is parallel else "_settle"
    with monkeypatch.context() as patch:
        patch.setattr(env, name, lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            call(env)
    assert_only_a_reset_of_pettingzoo_goes_on(env)


def test_after_a_deal_without_a_choice_pettingzoo_must_be_reset():
    env = BoardGameAEC(toy(dull=ALWAYS), skip_forced=True)
    with pytest.raises(InvalidOption, match="ended before there was a choice"):
        env.reset(seed=1)
    for call in (lambda: env.step(0), env.last):
        with pytest.raises(InvalidOption, match=r"toy: .* call reset\(\)"):
            call()


def test_an_illegal_action_of_the_learner_changes_nothing_and_needs_no_reset(make):
    env = make(Failing())
    env.reset()
    actions = first_actions(env)
    with pytest.raises(IllegalAction):
        env.step(np.full_like(actions, env.game.num_actions))
    env.step(actions)


def test_after_a_failed_step_a_reset_of_some_games_is_refused():
    bot = Failing()
    env = vector(bot)
    env.reset()
    bot.error = ZeroDivisionError
    with pytest.raises(ZeroDivisionError):
        step_until_it_fails(env)
    bot.error = None
    some = {"reset_mask": np.array([True, False, False, False])}
    with pytest.raises(InvalidOption, match=SAYS):
        env.reset(options=some)
    env.reset(options={"reset_mask": np.ones(4, np.bool_)})
    env.reset(options=some)
    env.step(first_actions(env))


def test_actions_that_were_sent_before_a_failed_reset_are_not_played():
    bot = Failing()
    env = learners(bot)
    env.reset()
    env.step_async(first_actions(env))
    bot.error = ZeroDivisionError
    with pytest.raises(ZeroDivisionError):
        env.reset()
    with pytest.raises(InvalidOption, match="call step_async"):
        env.step_wait()
