"""adapters/gym_vector.py: the vector environment of Gymnasium."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector as wrappers

import sprawl_env
from sprawl_env.adapters.gym_vector import BoardGameVectorEnv
from sprawl_env.adapters.registration import camel_case
from sprawl_env.bots.greedy import GreedyBot
from sprawl_env.core.errors import IllegalAction, InvalidOption, UnknownName
from tests.suite import GAMES
from tests.toy import toy

pytestmark = pytest.mark.compiled  # thousands of plies
MODES = [mode.value for mode in AutoresetMode]
SHORT = {
    "tower_up": {"max_turns": 9},
    "ginkgopolis": {"max_rounds": 4},
    "urban_sprawl": {"max_turns": 4},
}


class Middle:
    """Plays the middle one of the legal actions: no random numbers."""

    name = "middle"
    needs_observations = False
    needs_states = False

    def seed(self, seed):
        pass

    def act(self, observations, masks, states):
        legal = [np.flatnonzero(mask) for mask in masks]
        return np.array([each[len(each) // 2] for each in legal])


class Last(Middle):
    """Plays the last legal action."""

    name = "last"

    def act(self, observations, masks, states):
        return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def make(name, num_envs, mode="vector_entry_point", **options):
    return gymnasium.make_vec(
        f"sprawl_env/{camel_case(name)}-v0", num_envs, vectorization_mode=mode, **options
    )


def choose(masks, rng):
    """A random legal action of each row; 0 for a row without one."""
    return np.array([rng.choice(np.flatnonzero(row)) if row.any() else 0 for row in masks])


def assert_same(ours, theirs):
    """Compare observations or infos of any form."""
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for key in theirs:
            assert_same(ours[key], theirs[key])
    elif theirs.dtype == object and ours.dtype == np.bool_:  # Gymnasium's array of np.bool_
        assert all(mine == (its or False) for mine, its in zip(ours, theirs, strict=True))
    elif theirs.dtype == object:
        for mine, its in zip(ours, theirs, strict=True):
            assert (mine is None) == (its is None)
            if its is not None:
                assert_same(mine, its)
    else:
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("opponent", [[Last(), Middle()], "random"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", GAMES)
def test_it_is_what_gymnasiums_own_vector_of_single_environments_is(name, mode, opponent):
    """Byte for byte, also beyond the first reset: observations, rewards, ends and infos."""
    options = {
        "opponent": opponent, "num_players": 3, "reward": "lead",
        "observation": "dict" if name == "tower_up" else "array",
        "observations": "int8" if name == "ginkgopolis" else "float32",
        **SHORT[name],
    }  # fmt: skip
    sync = make(name, 5, "sync", vector_kwargs={"autoreset_mode": mode}, **options)
    ours = make(name, 5, autoreset_mode=mode, **options)
    assert ours.metadata["autoreset_mode"] is AutoresetMode(mode)
    assert ours.single_observation_space == sync.single_observation_space
    assert ours.observation_space == sync.observation_space
    assert ours.action_space == sync.action_space
    seeds, rng, ended = [3, 1, 4, 1, 5], np.random.default_rng(0), 0
    (mine, info), (its, expected) = ours.reset(seed=seeds), sync.reset(seed=seeds)
    assert ours.np_random_seed == sync.np_random_seed
    for _ in range(150):
        assert_same(mine, its)
        assert mine in ours.observation_space
        over = info.get("_scores", np.zeros(5, bool))
        if mode == "NextStep" and over.any():
            assert info["action_mask"][over].sum(axis=1).tolist() == [1] * over.sum()
            info["action_mask"] = np.where(over[:, None], 0, info["action_mask"])
            if isinstance(mine, dict):
                assert np.array_equal(mine["action_mask"].sum(axis=1)[over], [1] * over.sum())
        assert_same(info, expected)
        if mode == "Disabled" and over.any():
            assert not info["action_mask"][over].any()
            (mine, info), (its, expected) = (
                env.reset(options={"reset_mask": over.copy()}) for env in (ours, sync)
            )
            assert_same(mine, its)
            ended += over.sum()
        actions = choose(ours.action_space.legal, rng)
        mine, *paid, info = ours.step(actions)
        its, *expected_paid, expected = sync.step(actions)
        for one, other in zip(paid, expected_paid, strict=True):
            assert one.dtype == other.dtype and np.allclose(one, other, atol=1e-4)
        ended += (paid[1] | paid[2]).sum()
        if mode == "NextStep" and isinstance(mine, dict):
            its["action_mask"][paid[1] | paid[2], 0] = 1
    assert ended > 5


@pytest.mark.parametrize("observation", ["array", "dict"])
@pytest.mark.parametrize("name", GAMES)
def test_gymnasiums_vector_wrappers_run(name, observation):
    env = make(name, 4, observation=observation, reward="margin", **SHORT[name])
    wrapped = wrappers.RecordEpisodeStatistics(env)
    wrapped = wrappers.ClipReward(wrappers.NormalizeReward(wrapped), -5, 5)
    if observation == "dict":
        wrapped = wrappers.FlattenObservation(wrapped)
    wrapped = wrappers.NormalizeObservation(wrappers.DtypeObservation(wrapped, np.float32))
    wrapped = wrappers.DictInfoToList(wrapped)
    wrapped.reset(seed=3)
    ended = []
    for _ in range(120):
        seen, rewards, *_, infos = wrapped.step(wrapped.action_space.sample())
        assert seen.shape == wrapped.observation_space.shape and np.isfinite(seen).all()
        assert np.abs(rewards).max() <= 5
        assert all(info["action_mask"].any() for info in infos)
        ended += [info for info in infos if "episode" in info]
    assert len(ended) > 4
    for info in ended:  # the margin is paid at the end alone
        scores, seat = info["scores"], info["seat"]
        assert info["episode"]["r"] == scores[seat] - np.delete(scores, seat).mean()
        assert info["episode"]["l"] > 1


def test_arrays_of_torch_come_out_and_go_in():
    for needed in ("torch", "array_api_compat"):  # of gymnasium[torch]
        pytest.importorskip(needed)
    env = wrappers.NumpyToTorch(make("tower_up", 3))
    _, info = env.reset(seed=1)
    seen, rewards, *_ = env.step(info["action_mask"].argmax(dim=1))
    assert seen.shape == (3, env.single_observation_space.shape[0]) and rewards.shape == (3,)


@pytest.mark.parametrize("name", GAMES)
def test_gymnasiums_default_is_the_vector_entry_point(name):
    env = gymnasium.make_vec(f"sprawl_env/{camel_case(name)}-v0", num_envs=3, num_players=2)
    assert isinstance(env.unwrapped, BoardGameVectorEnv)
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    again = gymnasium.make_vec(env.spec)
    assert again.num_envs == 3 and again.unwrapped.game.options == env.unwrapped.game.options
    env.close()


@pytest.mark.parametrize("name", GAMES)
def test_games_are_the_same_in_every_autoreset_mode_also_after_a_reset(name):
    """With random opponents: every game has random numbers of its own."""
    found = []
    for mode in MODES:
        env = make(name, 3, autoreset_mode=mode, opponent="random", **SHORT[name])
        (_, info), games, over = env.reset(seed=7), [[], [], []], np.zeros(3, bool)
        while min(map(len, games)) < 90:
            masks, played = info["action_mask"], ~over
            if mode == "Disabled" and over.any():
                _, info = env.reset(options={"reset_mask": over})
                masks, played = info["action_mask"], np.ones(3, bool)
            _, rewards, terminated, truncated, info = env.step(masks.argmax(axis=1))
            over = (terminated | truncated) & (mode != "SameStep")
            for i in np.flatnonzero(played):
                games[i].append((float(rewards[i]), bool(terminated[i] | truncated[i])))
        found.append([each[:90] for each in games])
        assert sum(ended for each in found[-1] for _, ended in each) > 3
    assert found[0] == found[1] == found[2]


def test_seeds_are_a_number_a_list_or_none():
    env = make("tower_up", 3, num_players=3)
    env.reset(seed=5)
    opening = env.games.tobytes()
    assert env.np_random_seed == (5, 6, 7) and len(env.np_random) == 3
    env.reset(seed=[5, 6, 7])
    assert env.games.tobytes() == opening
    env.reset()
    assert env.games.tobytes() != opening
    env.reset(seed=[5, None, 7])
    assert env.games[[0, 2]].tobytes() == np.frombuffer(opening, env.games.dtype)[[0, 2]].tobytes()
    for wrong in ([1, 2], [1, 2, -1], -1, 2**63 - 1, "5", 1.5, [1, 2, "3"]):
        with pytest.raises(InvalidOption, match="seed"):
            env.reset(seed=wrong)


def test_a_reset_of_some_games_leaves_the_others():
    env = make("tower_up", 4, autoreset_mode="Disabled", seat=0)
    with pytest.raises(InvalidOption, match=r"call reset\(\) before a reset of some games"):
        env.reset(options={"reset_mask": np.array([True, False, False, False])})
    env.reset(seed=1)
    first = env.games
    env.step(env.action_space.sample())
    before, some = env.games, np.array([True, False, True, False])
    seen, info = env.reset(seed=1, options={"reset_mask": some})
    assert env.games[some].tobytes() == first[some].tobytes()
    assert env.games[~some].tobytes() == before[~some].tobytes()
    for i in range(4):
        assert np.array_equal(seen[i], env.game.observe(env.games, i, 0))
        assert np.array_equal(info["action_mask"][i], env.game.legal_actions(env.games, i))
    for wrong in (some[:3], some.astype(int), some.tolist(), ~(some | True)):
        with pytest.raises(InvalidOption, match=r"reset_mask=.*expected a bool array of shape"):
            env.reset(options={"reset_mask": wrong})


def test_without_autoreset_a_game_that_is_over_is_reset_before_the_next_step():
    env = make("tower_up", 3, autoreset_mode="Disabled", max_turns=2)
    env.reset(seed=1)
    over = np.zeros(3, bool)
    while not over.any():
        *_, terminated, truncated, _ = env.step(env.action_space.sample())
        over = terminated | truncated
    before = env.games.tobytes()
    with pytest.raises(InvalidOption, match=rf"^env {over.argmax()}: its game is over: call reset"):
        env.step(env.action_space.sample())
    assert env.games.tobytes() == before


def test_the_action_of_a_game_that_is_over_is_ignored_whatever_it_is():
    env = make("tower_up", 2, max_turns=3)
    _, info = env.reset(seed=1)
    over = np.zeros(2, bool)
    while not over.any():
        *_, terminated, truncated, info = env.step(env.action_space.sample())
        over = terminated | truncated
    actions = np.where(over, 10**6, info["action_mask"].argmax(axis=1))
    _, rewards, terminated, truncated, info = env.step(actions)
    assert not rewards[over].any() and not (terminated | truncated)[over].any()
    assert (env.games["ply"][over] < 3).all() and info["action_mask"][over].sum() > 1


def test_samples_are_legal_and_take_gymnasiums_masks():
    env = make("ginkgopolis", 5, max_rounds=3)
    _, info = env.reset(seed=2)
    space = env.action_space
    for _ in range(60):
        assert info["action_mask"][np.arange(5), space.sample()].all()
        *_, info = env.step(space.sample())
    only = np.zeros((5, env.single_action_space.n), np.int8)
    only[np.arange(5), [3, 1, 4, 1, 5]] = 1
    assert space.sample(mask=only).tolist() == [3, 1, 4, 1, 5]
    assert space.sample(mask=tuple(only)).tolist() == [3, 1, 4, 1, 5]
    assert space.sample(probability=only.astype(float)).tolist() == [3, 1, 4, 1, 5]
    assert space.sample(mask=np.zeros_like(only)).tolist() == [0] * 5
    drawn = [(space.seed(3), space.sample().tolist())[1] for _ in range(2)]
    assert drawn[0] == drawn[1] and np.array(drawn[0]) in space
    for wrong in (only[:4], only.astype(int), only * 2, only[0], "mask", tuple(only)[:3], [[1]]):
        with pytest.raises(InvalidOption, match=r"^sample: mask: expected"):
            space.sample(mask=wrong)
    for wrong in (only, only * 0.5, -only.astype(float), only[:2].astype(float)):
        with pytest.raises(InvalidOption, match=r"^sample: probability: expected"):
            space.sample(probability=wrong)
    with pytest.raises(InvalidOption, match="not both"):
        space.sample(mask=only, probability=only)


@pytest.mark.parametrize("observation", ["array", "dict"])
def test_a_mask_that_was_handed_out_decides_nothing(observation):
    env = BoardGameVectorEnv("tower_up", 2, observation=observation)
    seen, info = env.reset(seed=2)
    legal = info["action_mask"].copy()
    info["action_mask"][:] = 1 - legal
    if observation == "dict":
        seen["action_mask"][:] = 1 - legal
    assert np.array_equal(env.action_space.legal, legal)
    env.action_space.legal[:] = 1
    with pytest.raises(IllegalAction):
        env.step(legal.argmin(axis=1))


@pytest.mark.parametrize("opponent", ["greedy", GreedyBot, None, "random", ["greedy", "random"]])
def test_opponents_are_given_as_in_the_single_environment(opponent):
    found = []
    for mode in ("sync", "vector_entry_point"):
        env = make("tower_up", 1, mode, opponent=opponent, num_players=3)
        seen, info = env.reset(seed=1)
        for _ in range(10):
            seen, *paid, info = env.step(info["action_mask"].argmax(axis=1))
        found.append([seen, info["action_mask"], *paid])
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one, other)


def test_a_wrong_number_of_opponents_and_an_unknown_bot_are_refused():
    with pytest.raises(ValueError, match="opponent: expected one bot or 2, got 3"):
        make("tower_up", 2, opponent=["greedy"] * 3, num_players=3)
    with pytest.raises(ValueError, match="unknown bot 'gredy'"):
        make("tower_up", 2, opponent="gredy")


def test_opponents_sit_in_the_order_after_the_learner():
    seen = {}

    class Spy(Middle):
        def __init__(self, name):
            self.name, self.needs_states = name, True

        def act(self, observations, masks, states):
            seen.setdefault(self.name, []).extend(states["to_play"].tolist())
            return masks.argmax(axis=1)

    game = sprawl_env.game("tower_up", num_players=4)
    env = BoardGameVectorEnv(game, 3, opponent=[Spy(name) for name in "abc"], seat=2)
    _, info = env.reset(seed=1)
    for _ in range(5):
        *_, info = env.step(info["action_mask"].argmax(axis=1))
    assert info["seat"].tolist() == [2, 2, 2]
    assert {name: set(seats) for name, seats in seen.items()} == {"a": {3}, "b": {0}, "c": {1}}


def test_a_function_of_ones_own_is_called_once_a_step_as_in_single_environments():
    calls = []

    def points(before, after, over):
        calls.append(len(before))
        return (game.scores(after) > game.scores(before)) * 1.0  # not additive

    game = sprawl_env.game("tower_up", num_players=2, max_turns=12)
    for mode in MODES[:2]:
        ours = BoardGameVectorEnv(game, 3, reward=points, opponent=Last(), autoreset_mode=mode)
        sync = gymnasium.vector.SyncVectorEnv(
            [lambda: sprawl_env.adapters.gym.BoardGameGym(game, reward=points, opponent=Last())]
            * 3,
            autoreset_mode=mode,
        )
        _, info = ours.reset(seed=4)
        sync.reset(seed=4)
        paid = 0.0
        for _ in range(60):
            actions = info["action_mask"].argmax(axis=1)
            calls.clear()
            _, mine, *_, info = ours.step(actions)
            assert len(calls) == 1
            its = sync.step(actions)[1]
            assert mine.tolist() == its.tolist()
            paid += its.sum()
        assert paid > 0


def test_a_learner_alone_meets_the_automaton():
    env = BoardGameVectorEnv(toy(num_players=1), 4, autoreset_mode="SameStep")
    _, info = env.reset(seed=1)
    outcomes = set()
    for _ in range(60):
        _, rewards, terminated, truncated, info = env.step(env.action_space.sample())
        for i in np.flatnonzero(terminated | truncated):
            mine, its = info["final_info"]["scores"][i]
            assert rewards[i] == np.sign(mine - its)
            outcomes.add(float(rewards[i]))
    assert outcomes == {-1, 0, 1}


def test_pictures_are_a_tuple():
    env = make("tower_up", 2, render_mode="ansi")
    with pytest.raises(InvalidOption, match=r"call reset\(\) before render"):
        env.render()
    env.reset(seed=1)
    assert len(env.render()) == 2 and "Tower Up" in env.render()[1]
    assert make("tower_up", 2).render_mode is None
    with pytest.raises(InvalidOption, match="many games have no window"):
        make("tower_up", 2, render_mode="human")


def test_wrong_arguments_and_actions_are_one_line():
    with pytest.raises(UnknownName, match=r"unknown autoreset_mode 'NextSteps' .did you mean"):
        make("tower_up", 2, autoreset_mode="NextSteps")
    with pytest.raises(InvalidOption, match="num_envs=0"):
        BoardGameVectorEnv("tower_up", 0)
    with pytest.raises(InvalidOption, match=r"seat=2: expected None or a seat 0\.\.1"):
        make("tower_up", 2, seat=2)
    with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'"):
        make("tower_up", 2, frameskip=4)
    with pytest.raises(InvalidOption, match="games in a row ended"):
        BoardGameVectorEnv("tower_up", 2, num_players=4, max_turns=1, seat=3).reset(seed=1)
    env = make("tower_up", 2)
    with pytest.raises(InvalidOption, match=r"call reset\(\) before step"):
        env.step([0, 0])
    _, info = env.reset(seed=1)
    before = env.games.tobytes()
    illegal = (info["action_mask"] == 0).argmax(axis=1)
    env.action_space.legal[:] = info["action_mask"][:] = 1
    for wrong in (illegal, [0], [0.0, 0.0], None, [[0, 0]], [-1, 0], [10**6, 0], "00"):
        with pytest.raises(sprawl_env.IllegalAction) as caught:
            env.step(wrong)
        assert "\n" not in str(caught.value)
    assert env.games.tobytes() == before


@pytest.mark.parametrize("mode", MODES)
def test_threads_and_copies_play_the_same_games(mode):
    one = make("tower_up", 70, autoreset_mode=mode, max_turns=5)
    several = make("tower_up", 70, autoreset_mode=mode, max_turns=5, num_threads=3)
    one.reset(seed=4), several.reset(seed=4)
    several.step(one.action_space.legal.argmax(axis=1))
    one.step(one.action_space.legal.argmax(axis=1))
    envs = [one, several, copy.deepcopy(several), pickle.loads(pickle.dumps(several))]
    rng, ended = np.random.default_rng(0), 0
    for _ in range(20):
        actions = choose(one.action_space.legal, rng)
        seen, *paid, info = one.step(actions)
        ended += (paid[1] | paid[2]).sum()
        for env in envs[1:]:
            its, *others, theirs = env.step(actions)
            assert_same(its, seen)
            assert_same(theirs, info)
            for mine, other in zip(paid, others, strict=True):
                assert np.array_equal(mine, other)
            assert env.games.tobytes() == one.games.tobytes()
        over = info.get("_scores", np.zeros(70, bool)) & (mode == "Disabled")
        if over.any():
            for env in envs:
                env.reset(options={"reset_mask": over.copy()})
    assert ended > 100
    for env in envs:
        env.close()


def test_observations_that_were_handed_out_stay():
    env = make("tower_up", 8)
    handed = [env.reset(seed=1)[0]]
    kept = [handed[0].copy()]
    for _ in range(12):
        handed.append(env.step(env.action_space.sample())[0])
        kept.append(handed[-1].copy())
    for array, copied in zip(handed, kept, strict=True):
        assert np.array_equal(array, copied)
    handed[-1][:] = 7  # changes no other array
    assert np.array_equal(handed[-2], kept[-2])


def test_a_reset_of_some_games_shows_the_others_as_they_are():
    env = make("tower_up", 6, autoreset_mode="Disabled", max_turns=4)
    seen, info = env.reset(seed=2)
    while not (over := info.get("_scores", np.zeros(6, bool))).any():
        seen, *_, info = env.step(env.action_space.legal.argmax(axis=1))
    again, after = env.reset(options={"reset_mask": over.copy()})
    assert np.array_equal(again[~over], seen[~over])
    assert np.array_equal(after["action_mask"][~over], info["action_mask"][~over])
    assert not np.array_equal(again[over], seen[over])
