"""adapters/vector.py: many games as numpy arrays."""

import numpy as np
import pytest

import sprawl_env
from sprawl_env.core.batch import MANY
from sprawl_env.core.errors import IllegalAction, InvalidOption, UnknownName
from sprawl_env.kernels.compile import JIT
from sprawl_env.kernels.rng import combine
from tests.lengths import whole_games
from tests.toy import ALWAYS, FIRST, OFTEN, toy

pytestmark = pytest.mark.compiled  # thousands of plies
STEPS = 400


def snapshot(vec):
    arrays = (vec.observations, vec.masks, vec.to_play, vec.rewards, vec.terminated, vec.truncated)
    return b"".join(a.tobytes() for a in (*arrays, vec.final_scores))


def test_it_shows_what_the_game_itself_shows(any_game):
    vec = sprawl_env.make_vec(any_game, 4, seed=9)
    vec.reset()
    for _ in range(30):
        for i in range(4):
            seat = int(vec.games.to_play[i])
            assert vec.to_play[i] == seat
            assert np.array_equal(vec.masks[i], any_game.legal_actions(vec.games, i))
            assert np.array_equal(vec.observations[i], any_game.observe(vec.games, i, seat))
        vec.step(vec.sample_actions())


def test_env_i_is_dealt_from_seed_i_and_episode(any_game):
    vec = sprawl_env.make_vec(any_game, 3, seed=9)
    vec.reset()
    one = any_game.empty(1)
    for i in range(3):
        any_game.kernels.deal(any_game.tables, one, 0, combine(combine(9, i), 0))
        assert one[0].tobytes() == vec.games[i].tobytes()


def test_arrays_are_overwritten_in_place(any_game):
    vec = sprawl_env.make_vec(any_game, 2)
    first = vec.reset()
    second = vec.step(vec.sample_actions())
    assert first.observations is second.observations is vec.observations
    assert first.masks is second.masks


def test_ended_games_are_rewarded_and_dealt_anew_at_once(any_game):
    vec = sprawl_env.make_vec(any_game, 8, seed=1)
    vec.reset()
    ended = 0
    for _ in range(whole_games(any_game)):
        step = vec.step(vec.sample_actions())
        over = step.terminated | step.truncated
        ended += over.sum()
        if any_game.num_sides == any_game.num_seats:
            assert step.rewards[over].sum(axis=1) == pytest.approx(0, abs=1e-5)
        assert not step.rewards[~over].any()
        assert (vec.games.over == 0).all()
        assert (vec.games.ply[over] == 0).all()
        assert (vec.final_scores[over].max(axis=1) > 0).all()
        assert (step.masks.sum(axis=1) > 0).all()
    assert ended > 0


def test_a_turn_limit_shows_as_truncation():
    vec = sprawl_env.make_vec("tower_up", 4, max_turns=2)
    vec.reset()
    seen = False
    for _ in range(12):
        step = vec.step(vec.sample_actions())
        seen |= step.truncated.any()
        assert not step.terminated.any()
    assert seen


def test_score_rewards_follow_the_score(any_game):
    vec = sprawl_env.make_vec(any_game, 4, reward="score", seed=2)
    vec.reset()

    def scores_now():
        return np.stack([any_game.scores(vec.games, i) for i in range(4)])[:, : vec.num_players]

    total = scores_now().astype(float)
    for _ in range(STEPS // 2):
        step = vec.step(vec.sample_actions())
        total += step.rewards
        ended = step.terminated | step.truncated
        total[ended] = scores_now()[ended]
        assert scores_now().tolist() == total.tolist()


def test_skipping_forced_plies_leaves_only_choices(any_game):
    vec = sprawl_env.make_vec(any_game, 16, skip_forced=True, seed=3)
    vec.reset()
    for _ in range(STEPS):
        assert (vec.masks.sum(axis=1) > 1).all()
        vec.step(vec.sample_actions())


@pytest.mark.parametrize("reward", ["winner", "score"])
@pytest.mark.parametrize("seats", [1, 2, 3])
def test_games_that_forced_plies_alone_end_are_dealt_again_and_count_nothing(reward, seats):
    vec = sprawl_env.make_vec(
        toy(num_players=seats, dull=OFTEN), 16, skip_forced=True, seed=3, reward=reward
    )
    vec.reset()
    total, ended = np.zeros((16, seats)), 0
    total[:, 0] = 2
    for _ in range(STEPS // 4):
        assert not vec.games.only_ones.any()
        assert (vec.masks.sum(axis=1) > 1).all()
        step = vec.step(vec.sample_actions())
        total += step.rewards
        if reward == "winner":
            assert not step.rewards[~step.terminated].any()
            assert (step.rewards[step.terminated, 0] <= 1).all()
        ended += step.terminated.sum()
        total[step.terminated] = [2] + [0] * (seats - 1)
        if reward == "score":
            assert vec.final_scores[:, :seats].tolist() == total.tolist()
    assert ended > 0


def test_games_that_never_leave_a_choice_are_refused():
    vec = sprawl_env.make_vec(toy(dull=ALWAYS), 2, skip_forced=True)
    with pytest.raises(InvalidOption, match="1000 games in a row ended before there was a choice"):
        vec.reset()
    sprawl_env.make_vec(toy(dull=ALWAYS), 2).reset()


@pytest.mark.parametrize("reward", ["winner", "rank", "margin"])
def test_a_single_seat_is_scored_beside_the_automaton(reward):
    vec = sprawl_env.make_vec(toy(num_players=1), 16, seed=1, reward=reward)
    vec.reset()
    assert vec.final_scores.shape == (16, 2)
    seen = set()
    for _ in range(STEPS // 4):
        step = vec.step(vec.sample_actions())
        ahead = np.subtract(*vec.final_scores[step.terminated].T)
        expected = ahead if reward == "margin" else np.sign(ahead)
        assert step.rewards.shape == (16, 1)
        assert step.rewards[step.terminated, 0].tolist() == expected.tolist()
        seen |= set(np.sign(ahead).tolist())
    assert seen == {-1, 0, 1}


def test_without_observations_the_games_are_the_same(any_game):
    seeing, blind = (
        sprawl_env.make_vec(any_game, 4, seed=5),
        sprawl_env.make_vec(any_game, 4, seed=5, observations=None),
    )
    seeing.reset()
    blind.reset()
    assert blind.observations.shape == (4, 0)
    for _ in range(20):
        actions = seeing.sample_actions()
        seeing.step(actions)
        blind.step(actions)
        assert seeing.games.tobytes() == blind.games.tobytes()
        assert np.array_equal(seeing.masks, blind.masks)


def test_results_do_not_depend_on_the_number_of_threads():
    runs = []
    for threads in (1, 2, 3):
        vec = sprawl_env.make_vec("tower_up", 64, seed=7, num_threads=threads, num_players=3)
        vec.reset()
        for _ in range(STEPS // 2):
            vec.step(vec.sample_actions())
        runs.append(snapshot(vec))
        vec.close()
    assert runs[0] == runs[1] == runs[2]


def test_reset_starts_the_same_games_again(any_game):
    vec = sprawl_env.make_vec(any_game, 4, seed=7)
    vec.reset()
    first = snapshot(vec)
    for _ in range(50):
        vec.step(vec.sample_actions())
    vec.reset()
    assert snapshot(vec) == first
    vec.reset(seed=8)
    assert snapshot(vec) != first


@pytest.mark.parametrize(
    "actions",
    [
        np.zeros(3, int),
        np.zeros((4, 1), int),
        np.zeros(4),
        np.zeros(4, bool),
        5,
        [[0], [0], [0], [0]],
        ["a"] * 4,
        [[0], [0, 0], [0], [0]],
        None,
    ],
)
def test_wrong_arrays_are_refused_in_one_line(actions):
    vec = sprawl_env.make_vec("tower_up", 4)
    vec.reset()
    before = vec.games.tobytes()
    with pytest.raises(sprawl_env.IllegalAction, match=r"expected whole numbers of shape \(4,\)"):
        vec.step(actions)
    assert vec.games.tobytes() == before


@pytest.mark.parametrize("bad", [-1, 10**6, "illegal"])
def test_an_illegal_action_names_the_env_and_changes_nothing(any_game, bad):
    vec = sprawl_env.make_vec(any_game, 4)
    vec.reset()
    actions = vec.sample_actions()
    actions[2] = np.flatnonzero(vec.masks[2] == 0)[0] if bad == "illegal" else bad
    before = vec.games.tobytes(), snapshot(vec)
    with pytest.raises(sprawl_env.IllegalAction, match=r"env 2: .*seat 0 may not play"):
        vec.step(actions)
    assert (vec.games.tobytes(), snapshot(vec)) == before


def test_stepping_before_reset_is_refused():
    vec = sprawl_env.make_vec("tower_up", 2)
    with pytest.raises(sprawl_env.IllegalAction, match=r"call reset"):
        vec.step([0, 0])


@pytest.mark.parametrize(
    ("name", "value"), [("num_envs", 0), ("num_threads", 0), ("num_envs", 1.5)]
)
def test_wrong_sizes_are_refused(name, value):
    with pytest.raises(InvalidOption, match=f"{name}={value}"):
        sprawl_env.make_vec("tower_up", **{"num_envs": 2, name: value})


def test_sampling_draws_every_legal_action_about_equally_often():
    vec = sprawl_env.make_vec("tower_up", 1, seed=1)
    vec.reset()
    legal = np.flatnonzero(vec.masks[0])
    counts = np.bincount(
        np.concatenate([vec.sample_actions() for _ in range(200 * legal.size)]), minlength=251
    )
    assert counts.sum() == counts[legal].sum()
    assert abs(counts[legal] - 200).max() < 6 * np.sqrt(200)


@pytest.mark.parametrize("many", (False, True))
def test_observations_as_int8_times_their_scales_are_those_as_float32(many):
    """Many observations are written by streaming stores."""
    game = toy(num_players=3)
    size = MANY // game.observation_size + 41 if many and JIT else 40
    floats, numbers, none = (
        sprawl_env.make_vec(game, size, seed=5, num_threads=2, observations=kind)
        for kind in ("float32", "int8", None)
    )
    for vec in (floats, numbers, none):
        vec.reset()
    for _ in range(20 if many else STEPS // 10):
        assert numbers.observations.dtype == np.int8
        assert none.observations.shape == (size, 0)
        shown = numbers.observation_layout.to_floats(numbers.observations)
        assert shown.tobytes() == floats.observations.tobytes()
        actions = floats.sample_actions()
        for vec in (floats, numbers, none):
            vec.step(actions)


def test_an_unknown_type_of_observations_is_one_clear_error():
    with pytest.raises(UnknownName, match=r"did you mean 'float32'.*choose from float32, int8$"):
        sprawl_env.make_vec("tower_up", 2, observations="float16")


@pytest.mark.parametrize("reward", ["winner", "score"])
def test_a_batch_continues_from_loaded_positions_as_from_its_own(any_game, reward):
    vec = sprawl_env.make_vec(any_game, 4, seed=1, reward=reward)
    vec.reset()
    for _ in range(6):
        vec.step(vec.sample_actions())
    saved, seen, masks, seats = vec.games, vec.observations.copy(), vec.masks.copy(), vec.to_play
    seats = seats.copy()
    other = sprawl_env.make_vec(any_game, 4, seed=9, reward=reward)  # never reset
    look = other.load(saved)
    assert other.games.tobytes() == saved.tobytes()
    assert np.array_equal(look.observations, seen)
    assert np.array_equal(look.masks, masks)
    assert np.array_equal(look.to_play, seats)
    for _ in range(5):
        actions = vec.masks.argmax(axis=1)
        mine, theirs = vec.step(actions), other.step(actions)
        assert np.array_equal(mine.rewards, theirs.rewards)
        if not mine.terminated.any():
            assert vec.games.tobytes() == other.games.tobytes()


def test_positions_written_to_what_a_batch_hands_out_change_nothing():
    vec = sprawl_env.make_vec("tower_up", 8, seed=1, reward="score")
    vec.reset()
    far = sprawl_env.make_vec("tower_up", 8, seed=2)
    far.reset()
    for _ in range(30):
        far.step(far.sample_actions())
    twin = sprawl_env.make_vec("tower_up", 8, seed=1, reward="score")
    twin.reset()
    for _ in range(200):
        vec.games[:] = far.games
        for handed in (vec.masks, vec.to_play, vec.observations, vec.final_scores, vec.illegal):
            handed[:] = 1
        actions = twin.masks.argmax(axis=1)
        vec.step(actions)
        twin.step(actions)
        assert vec.games.tobytes() == twin.games.tobytes()
        assert np.array_equal(vec.masks, twin.masks)
        assert np.array_equal(vec.rewards, twin.rewards)
        assert np.array_equal(vec.final_scores, twin.final_scores)
        assert np.array_equal(vec.illegal, twin.illegal)
        for i in range(8):
            assert vec.game.rules.violations(vec.game.tables, vec.games, i) == []


@pytest.mark.parametrize("reward", ["score", "lead"])
def test_a_game_that_is_lost_at_once_pays_what_forced_plies_have_paid(reward):
    """The start is 2 to 0, and a forced first round makes it 3 to 1."""
    vec = sprawl_env.make_vec(
        toy(dull=FIRST), 1, skip_forced=True, reward=reward, illegal="lose", seed=3
    )
    vec.reset()
    assert vec.game.scores(vec.games, 0).tolist() == [3, 1]
    loser = int(vec.to_play[0])
    rewards = vec.step([int(vec.masks[0].argmin())]).rewards[0].tolist()
    expected = [[-2, 1], [1, 0]] if reward == "score" else [[-3, 3], [1, -1]]
    assert rewards == expected[loser]


def test_a_step_that_was_interrupted_must_be_followed_by_a_reset(monkeypatch):
    vec = sprawl_env.make_vec("tower_up", 4, seed=1)
    vec.reset()
    calls = (
        lambda: vec.step(vec.sample_actions()),
        lambda: vec.redeal([1]),
        lambda: vec.load(vec.games),
        vec.reset,
    )
    for call in calls:
        with monkeypatch.context() as patch:
            patch.setattr(vec, "_finish", lambda: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                call()
        with pytest.raises(IllegalAction, match=r"call reset\(\) before step"):
            vec.step(np.zeros(4, int))
        vec.reset()
        vec.step(vec.sample_actions())


def test_a_reward_function_is_not_asked_for_games_that_are_lost():
    asked = []

    def reward(before, after, over):
        asked.append(len(before))
        return np.zeros((len(before), 2))

    vec = sprawl_env.make_vec("tower_up", 3, illegal="lose", reward=reward)
    vec.reset()
    actions = vec.masks.argmax(axis=1)
    actions[1] = vec.masks[1].argmin()
    assert vec.step(actions).rewards[1].tolist() in ([-1, 1], [1, -1])
    vec.step(vec.masks.argmin(axis=1))
    assert asked == [2]


def test_records_that_are_refused_leave_a_batch_as_it_was():
    vec = sprawl_env.make_vec("tower_up", 4, seed=1)
    vec.reset()
    before = vec.games.tobytes()
    with pytest.raises(InvalidOption, match="game 0 is of other options: num_seats=3"):
        vec.load(sprawl_env.game("tower_up", num_players=3).deal(4))
    with pytest.raises(InvalidOption, match="load: games: expected 4 records"):
        vec.load(vec.game.deal(3))
    assert vec.games.tobytes() == before
