"""The checks of PettingZoo, Gymnasium and Stable-Baselines3 for environments, for every game."""

import pickle
import subprocess
import sys

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env as gymnasium_check
from pettingzoo.test import api_test, seed_test
from pettingzoo.test.state_test import test_state as zoo_state
from pettingzoo.test.state_test import test_state_space as zoo_state_space

import sprawl_env
from sprawl_env.adapters.aec import BoardGameAEC, wrapped
from sprawl_env.adapters.gym import BoardGameGym, LegalDiscrete
from sprawl_env.adapters.gym_vector import BoardGameVectorEnv
from sprawl_env.adapters.registration import camel_case
from sprawl_env.core.errors import InvalidOption, UnknownName
from sprawl_env.core.registry import rules_of
from sprawl_env.kernels.compile import JIT
from tests.commands import ROOT
from tests.conftest import games_and
from tests.suite import GAMES, PARALLEL
from tests.toy import ALWAYS, FIRST, OFTEN, toy

CYCLES = 300 if JIT else 40
TURN_LIMITS = {
    "tower_up": {"max_turns": 3},
    "ginkgopolis": {"max_rounds": 1},
    "urban_sprawl": {"max_turns": 1},
}


@pytest.mark.filterwarnings("ignore:Observation:UserWarning")  # it does not expect a dict
@pytest.mark.parametrize(
    ("any_game", "reward"), games_and("winner", "rank", "margin", "score"), indirect=["any_game"]
)
def test_pettingzoo_api(any_game, reward, capsys):
    api_test(wrapped(BoardGameAEC(any_game, reward=reward)), num_cycles=CYCLES)


def test_pettingzoo_seed(any_game):
    seed_test(lambda: wrapped(BoardGameAEC(any_game)), num_cycles=CYCLES // 5)


@pytest.mark.parametrize("name", GAMES)
def test_pettingzoo_registry_and_module(name):
    made = pettingzoo.make("aec", f"sprawl_env/{name}-v0", num_players=3)
    assert made.max_num_agents == 3
    module = __import__(f"sprawl_env.{name}_v0", fromlist=["env"])
    assert str(module.env()) == f"{name}_v0"
    assert module.raw_env(num_players=3).possible_agents == ["player_0", "player_1", "player_2"]


@pytest.mark.parametrize("name", GAMES)
def test_games_with_simultaneous_choices_are_registered_as_parallel_too(name):
    kernels, wait = rules_of(name).kernels, rules_of(name).wait
    assert (kernels.owing is not None) == (wait is not None) == (name in PARALLEL)
    assert (f"sprawl_env/{name}-v0" in pettingzoo.parallel_registry) == (name in PARALLEL)
    assert BoardGameAEC(name).metadata["is_parallelizable"] is False


@pytest.mark.parametrize(
    ("any_game", "reward"), games_and("winner", "score"), indirect=["any_game"]
)
def test_gymnasium_checker(any_game, reward):
    gymnasium_check(BoardGameGym(any_game, reward=reward), skip_render_check=True)


@pytest.mark.parametrize("name", GAMES)
def test_gymnasium_registry(name):
    env = gymnasium.make(f"sprawl_env/{camel_case(name)}-v0", num_players=2, opponent=None)
    _, info = env.reset(seed=1)
    assert info["action_mask"].sum() > 0
    gymnasium_check(env.unwrapped, skip_render_check=True)


def test_stable_baselines3_checker(any_game):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(BoardGameGym(any_game))


def play_through(env, choose=lambda mask, rng: rng.choice(np.flatnonzero(mask)), seed=0):
    """Play an AEC game to the end; yield ``(agent, mask)`` before each ply."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        mask = observation["action_mask"]
        yield agent, mask
        env.step(int(choose(mask, rng)))


def test_waiting_agents_have_an_empty_mask_and_infos_hold_the_acting_ones(any_game):
    env = BoardGameAEC(any_game)
    for agent, mask in play_through(env):
        for other in env.agents:
            seen = env.observe(other)["action_mask"]
            assert seen.tolist() == (mask.tolist() if other == agent else [0] * len(mask))
            assert env.infos[other]["action_mask"].tolist() == seen.tolist()


def test_observing_is_pure_and_hands_out_copies(any_game):
    env = BoardGameAEC(any_game)
    env.reset(seed=1)
    before = env.games.tobytes()
    first = env.observe("player_0")
    first["observation"][:] = 5
    first["action_mask"][:] = 5
    again = env.observe("player_0")
    assert env.observation_space("player_0").contains(again)
    assert env.games.tobytes() == before


@pytest.mark.parametrize("bad", [-1, 10**6, None, 1.0, "0", [0], True, np.zeros((2, 2)), "\n"])
def test_an_illegal_action_changes_nothing(any_game, bad):
    env = wrapped(BoardGameAEC(any_game))
    env.reset(seed=1)
    raw = env.unwrapped
    before = raw.games.tobytes()
    mask = env.observe(env.agent_selection)["action_mask"]
    for action in [bad, *np.flatnonzero(mask == 0)[:3].tolist()]:
        with pytest.raises(sprawl_env.IllegalAction) as error:
            env.step(action)
        assert "\n" not in str(error.value)
    assert raw.games.tobytes() == before
    env.step(int(mask.argmax()))


def total_rewards(env, seed):
    """Play a random game and return the sums of the agents' rewards."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    total = np.zeros(len(env.possible_agents))
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))))
        total += [env.rewards[agent] for agent in env.possible_agents]
    return total


def earned_by_sides(game, games, reward):
    """The final rewards of all sides, including an automaton, which sum to zero."""
    scores, standings = game.scores(games, 0), game.standings(games, 0)
    best, others = standings == standings.max(), game.num_sides - 1
    if reward == "winner":
        earned = np.where(best, (game.num_sides - best.sum()) / best.sum(), -1.0) / others
    elif reward == "rank":
        steps = [(s > standings).sum() - (s < standings).sum() for s in standings]
        earned = np.array(steps) / others
    else:
        earned = scores - (scores.sum() - scores) / others
    assert earned.sum() == pytest.approx(0, abs=1e-5)
    assert earned[best].min() >= 0
    return earned


@pytest.mark.parametrize("reward", ["winner", "rank", "margin"])
def test_rewards_compare_all_sides_and_go_to_the_seats(any_game, reward):
    env = BoardGameAEC(any_game, reward=reward)
    total = total_rewards(env, seed=3)
    expected = earned_by_sides(any_game, env.games, reward)
    assert total == pytest.approx(expected[: any_game.num_seats], abs=1e-4)


def test_score_rewards_add_up_to_the_score(any_game):
    env = BoardGameAEC(any_game, reward="score")
    env.reset(seed=4)
    before = any_game.scores(env.games, 0)
    gained = total_rewards(env, seed=4)
    assert gained == pytest.approx((any_game.scores(env.games, 0) - before)[: any_game.num_seats])


def test_a_turn_limit_truncates_and_is_scored_like_an_end(any_game):
    limit = TURN_LIMITS[any_game.name]
    game = sprawl_env.game(any_game.name, num_players=any_game.num_seats, **limit)
    env = BoardGameAEC(game, reward="rank")
    total = total_rewards(env, seed=0)
    assert all(env.truncations.values())
    assert not any(env.terminations.values())
    expected = earned_by_sides(game, env.games, "rank")
    assert total == pytest.approx(expected[: game.num_seats], abs=1e-6)


def test_skipping_forced_plies_only_asks_real_questions(any_game):
    env = BoardGameAEC(any_game, skip_forced=True)
    for _, mask in play_through(env, seed=5):
        assert mask.sum() > 1


def test_skipping_forced_plies_deals_again_until_there_is_a_choice():
    env = BoardGameAEC(toy(dull=OFTEN), skip_forced=True, reward="score")
    for seed in range(12):
        total = total_rewards(env, seed)
        assert not env.games.only_ones[0]
        assert [total[0] + 2, total[1]] == toy(dull=OFTEN).scores(env.games, 0).tolist()
    with pytest.raises(InvalidOption, match="games in a row ended before there was a choice"):
        BoardGameAEC(toy(dull=ALWAYS), skip_forced=True).reset(seed=1)


def test_what_forced_plies_pay_before_the_first_decision_comes_with_the_first_last():
    env = BoardGameAEC(toy(dull=FIRST), skip_forced=True, reward="score")
    env.reset(seed=3)
    assert env.game.scores(env.games, 0).tolist() == [3, 1]  # the start is 2 to 0
    assert env.last()[1] == 1
    agent = env.agent_selection
    env.step(env.action_space(agent).sample())
    assert env.rewards[agent] == 0


def test_the_state_is_the_observations_of_all_seats(any_game):
    env = BoardGameAEC(any_game)
    with pytest.raises(InvalidOption, match=r"call reset\(\) before state\(\)"):
        env.state()
    assert env.state_space.shape == (any_game.num_seats * any_game.observation_size,)
    for _ in play_through(env):
        seen = [env.observe(agent)["observation"] for agent in env.possible_agents]
        assert np.array_equal(env.state(), np.concatenate(seen))
        assert env.state() in env.state_space
    assert env.state() in env.state_space  # also after the end
    env.state()[:] = 9
    assert env.state() in env.state_space


def test_pettingzoo_state(any_game):
    zoo_state_space(BoardGameAEC(any_game))
    zoo_state(wrapped(BoardGameAEC(any_game)), 5)


def test_the_space_of_an_agent_that_acts_draws_legal_actions(any_game):
    env = wrapped(BoardGameAEC(any_game))
    env.reset(seed=3)
    for agent in env.agent_iter(max_iter=60):
        observation, _, terminated, truncated, _ = env.last()
        over = terminated or truncated
        mask = observation["action_mask"]
        drawn = None if over else env.action_space(agent).sample()
        assert over or mask[drawn]
        assert all(env.action_space(other).sample() >= 0 for other in env.agents)
        env.step(drawn)
    no_two = np.zeros(any_game.num_actions, np.int8)
    no_two[1] = 1
    assert env.action_space("player_0").sample(mask=no_two) == 1


def test_a_mask_that_was_handed_out_decides_nothing(any_game):
    env = BoardGameAEC(any_game)
    env.reset(seed=3)
    agent = env.agent_selection
    legal = env.observe(agent)["action_mask"]
    env.infos[agent]["action_mask"][:] = 1 - legal
    env.observe(agent)["action_mask"][:] = 1 - legal
    assert np.array_equal(env.action_space(agent).legal, legal)
    assert legal[env.action_space(agent).sample()]
    env.action_space(agent).legal[:] = 1
    with pytest.raises(sprawl_env.IllegalAction):
        env.step(int(legal.argmin()))


def test_the_record_and_the_text_board(any_game):
    env = BoardGameAEC(any_game, render_mode="ansi")
    env.reset(seed=1)
    assert int(env.record.to_play) == 0
    assert any_game.title in env.render()


def test_an_environment_survives_pickling_in_the_middle_of_a_game(any_game):
    env = BoardGameAEC(any_game)
    env.reset(seed=1)
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    again = pickle.loads(pickle.dumps(env))
    assert again.games.tobytes() == env.games.tobytes()
    action = int(env.observe(env.agent_selection)["action_mask"].argmax())
    env.step(action)
    again.step(action)
    assert again.games.tobytes() == env.games.tobytes()


LOADED = """
import pickle, sys
from sprawl_env.core.batch import BatchKernels
aec, vector = pickle.load(sys.stdin.buffer)
assert aec._single._kernels.play is aec.game.kernels.play
assert vector._learners._kernels.work is BatchKernels(vector.game).work
"""


@pytest.mark.compiled
def test_an_environment_that_another_process_unpickles_has_the_kernels_of_its_game():
    envs = BoardGameAEC("tower_up"), BoardGameVectorEnv("tower_up", 2)
    for env in envs:
        env.reset(seed=1)
    command = [sys.executable, "-c", LOADED]
    subprocess.run(command, input=pickle.dumps(envs), check=True, timeout=300, cwd=ROOT)


class First:
    """Plays the first legal action; counts its calls."""

    name = "first"
    needs_observations = True
    needs_states = True

    def __init__(self):
        self.calls = 0

    def seed(self, seed):
        pass

    def act(self, observations, masks, states):
        assert observations.shape[0] == masks.shape[0] == len(states)
        self.calls += 1
        return masks.argmax(axis=1)


@pytest.mark.compiled
def test_gymnasium_seats_the_learner_and_asks_the_opponents(any_game):
    for seat in range(any_game.num_seats):
        opponent = First()
        env = BoardGameGym(any_game, opponent=opponent, seat=seat)
        _, info = env.reset(seed=1)
        assert info["seat"] == seat == env.games.to_play[0]
        over = False
        while not over:
            _, reward, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
            over = terminated or truncated
            assert over or reward == 0
        assert (opponent.calls > 0) == (any_game.num_seats > 1)
        assert env.games.over[0] > 0
        assert info["scores"].tolist() == any_game.scores(env.games, 0).tolist()
        assert info["scores"].shape == (any_game.num_sides,)
        assert isinstance(info["seat"], np.int64) and isinstance(info["won"], np.bool_)


@pytest.mark.parametrize(
    ("any_game", "observations"), games_and("float32", "int8"), indirect=["any_game"]
)
def test_gymnasium_gives_the_mask_beside_the_observation(any_game, observations):
    kind = {"observations": observations, "seat": 0}
    both = BoardGameGym(any_game, observation="dict", **kind)
    gymnasium_check(both, skip_render_check=True)
    plain = BoardGameGym(any_game, **kind)
    seen, info = both.reset(seed=4)
    expected, _ = plain.reset(seed=4)
    over = False
    while not over:
        assert seen.keys() == {"observation", "action_mask"} and seen in both.observation_space
        assert np.array_equal(seen["observation"], expected)
        assert np.array_equal(seen["action_mask"], info["action_mask"])
        action = both.action_space.sample()
        seen, _, terminated, truncated, info = both.step(action)
        expected, *_ = plain.step(action)
        over = terminated or truncated
    with pytest.raises(UnknownName, match="unknown observation 'tuple': choose from array, dict"):
        BoardGameGym(any_game, observation="tuple")


@pytest.mark.compiled  # deals a thousand games
def test_gymnasium_gives_whole_numbers(any_game):
    gymnasium_check(BoardGameGym(any_game, observations="int8"), skip_render_check=True)
    floats, whole = (BoardGameGym(any_game, observations=each) for each in ("float32", "int8"))
    (seen, _), (numbers, info) = floats.reset(seed=3), whole.reset(seed=3)
    over = False
    while not over:
        assert numbers.dtype == np.int8
        assert np.array_equal(numbers * any_game.observation_layout.scales, seen)
        action = int(np.flatnonzero(info["action_mask"])[-1])
        seen, *_ = floats.step(action)
        numbers, _, terminated, truncated, info = whole.step(action)
        over = terminated or truncated


def test_gymnasium_refuses_an_unknown_type_of_observations():
    with pytest.raises(UnknownName, match=r"type of observations 'uint8'.*float32, int8"):
        BoardGameGym("tower_up", observations="uint8")


def test_gymnasium_gives_up_where_the_learner_never_has_a_decision():
    game = sprawl_env.game("tower_up", num_players=4, max_turns=1)
    with pytest.raises(InvalidOption, match="games in a row ended"):
        BoardGameGym(game, seat=3).reset(seed=1)


@pytest.mark.parametrize("answer", [[250], [0, 0], [0.0], None, [[0]]])
def test_gymnasium_names_an_opponent_that_cheats(answer):
    opponent = First()
    opponent.act = lambda observations, masks, states: answer
    env = BoardGameGym(sprawl_env.game("tower_up"), opponent=opponent, seat=1)
    with pytest.raises(sprawl_env.IllegalAction, match=r"^bot first: ") as error:
        env.reset(seed=1)
    assert "\n" not in str(error.value)


def test_gymnasium_refuses_wrong_opponents_seats_and_actions(any_game):
    with pytest.raises(ValueError, match="expected one bot or"):
        BoardGameGym(any_game, opponent=[First()] * any_game.num_seats)
    with pytest.raises(ValueError, match="expected None or a seat"):
        BoardGameGym(any_game, seat=any_game.num_seats)
    env = BoardGameGym(any_game)
    _, info = env.reset(seed=1)
    before = env.games.tobytes()
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    for action in (illegal, -1, 10**6, 0.5, [0, 1]):
        with pytest.raises(sprawl_env.IllegalAction):
            env.step(action)
    assert env.games.tobytes() == before


def test_samples_fit_the_game_that_the_same_seed_deals_however_openings_differ():
    env = BoardGameGym(toy(num_players=3), seat=0)
    for seed in range(40):
        env.reset(seed=seed)
    for seed in range(30, 40):
        env.action_space.seed(seed)
        action = env.action_space.sample()
        _, info = env.reset(seed=seed)
        assert info["action_mask"][action]
    gymnasium_check(env, skip_render_check=True)


def test_a_seed_without_a_game_draws_what_every_opening_allowed():
    space = LegalDiscrete(4)
    space.open(np.array([1, 1, 0, 0], np.int8), None)
    space.open(np.array([0, 1, 1, 0], np.int8), 5)
    space.seed(1)
    assert {int(space.sample()) for _ in range(30)} == {1}
    space.seed(5)
    assert {int(space.sample()) for _ in range(30)} == {1, 2}
    space.open(np.array([0, 0, 0, 1], np.int8), None)
    space.seed(2)  # no action is legal in all openings: the latest mask
    assert {int(space.sample()) for _ in range(30)} == {3}


def test_drawing_without_a_seed_expects_no_new_game():
    space = LegalDiscrete(4)
    space.open(np.array([1, 0, 0, 0], np.int8), None)
    space.legal = np.array([0, 0, 1, 0], np.int8)
    assert [int(space.sample()) for _ in range(5)] == [2] * 5


def test_a_step_after_all_have_left_says_that_no_game_is_running():
    env = BoardGameAEC("tower_up", max_turns=1)
    env.reset(seed=1)
    while env.agents:
        mask = env.observe(env.agent_selection)["action_mask"]
        over = env.terminations[env.agent_selection] or env.truncations[env.agent_selection]
        env.step(None if over else int(mask.argmax()))
    with pytest.raises(sprawl_env.IllegalAction, match=r"no game is running: call reset\(\)"):
        env.step(None)
