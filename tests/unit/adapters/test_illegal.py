"""adapters/illegal.py: what an illegal action does in every adapter."""

import gymnasium
import numpy as np
import pytest

import sprawl_env
from sprawl_env.adapters.aec import BoardGameAEC, wrapped
from sprawl_env.adapters.gym import BoardGameGym
from sprawl_env.adapters.gym_vector import BoardGameVectorEnv
from sprawl_env.adapters.illegal import forfeits, with_last
from sprawl_env.adapters.parallel import BoardGameParallel
from sprawl_env.core.errors import IllegalAction, UnknownName
from sprawl_env.core.rewards import REWARDS, reward_mode
from tests.suite import GAMES
from tests.toy import toy


def own(before, after, over):
    return np.zeros((len(before), 3))


MODES = [*REWARDS, own]


def wrong(mask):
    """The first action that is not legal."""
    return int((mask == 0).argmax())


def expected(game, games, reward, seat):
    """What an illegal action of ``seat`` pays all seats in a position, in the words of the page."""
    points, others = game.scores(games, 0).astype(float), game.num_sides - 1
    if reward in ("winner", "rank") or callable(reward):
        paid = np.full(game.num_sides, 1 / others)
        paid[seat] = -1
        return paid[: game.num_seats]
    fallen = points.copy()
    fallen[seat] = points.min() - 1
    if reward == "score":
        return (fallen - points)[: game.num_seats]
    lost = (points.sum() - points[seat]) / others - fallen[seat]
    paid = np.full(game.num_sides, lost / others)
    paid[seat] = -lost
    if reward == "lead":
        paid -= [points[k] - np.delete(points, k).mean() for k in range(points.size)]
    return paid[: game.num_seats]


def played(env, plies, rng):
    """Play random plies in an AEC environment."""
    env.reset(seed=4)
    for _ in range(plies):
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))))
    return env


@pytest.mark.parametrize("reward", MODES)
@pytest.mark.parametrize("name", GAMES)
def test_in_aec_the_offender_loses_and_the_others_share(name, reward):
    game = sprawl_env.game(name, num_players=3)
    env = played(BoardGameAEC(game, reward=reward, illegal="lose"), 40, np.random.default_rng(1))
    offender, before = env.agent_selection, env.games
    env.step(wrong(env.observe(offender)["action_mask"]))
    assert env.games.tobytes() == before.tobytes()
    assert all(env.terminations.values()) and not any(env.truncations.values())
    paid = expected(game, before, reward, env.possible_agents.index(offender))
    assert list(env.rewards.values()) == pytest.approx(paid, abs=1e-4)
    if reward != "score":
        assert sum(env.rewards.values()) == pytest.approx(0, abs=1e-4)
    for info in env.infos.values():
        assert info["illegal"] == offender and not info["action_mask"].any()
    with pytest.raises(ValueError, match="None"):  # PettingZoo's own: the agents are done
        env.step(0)
    for _ in range(3):
        assert not env.observe(env.agent_selection)["action_mask"].any()
        env.step(None)
    assert env.agents == []
    env.reset(seed=4)
    assert "illegal" not in env.infos["player_0"] and not any(env.terminations.values())
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))


def test_an_algorithm_without_masks_runs_in_pettingzoo():
    env = wrapped(BoardGameAEC("tower_up", num_players=3, illegal="lose"))
    rng, lost = np.random.default_rng(0), 0
    env.reset(seed=1)
    for _ in range(400):
        agent = env.agent_selection
        _, reward, terminated, truncated, info = env.last()
        if terminated or truncated:
            env.step(None)
            if "illegal" in info:
                assert (reward < 0) == (info["illegal"] == agent)
                lost += info["illegal"] == agent
        else:
            env.step(int(rng.integers(env.action_space(agent).n)))
        if not env.agents:
            env.reset()
    assert lost > 20


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("reward", REWARDS)
def test_in_gymnasium_the_learner_loses(name, reward):
    env = BoardGameGym(name, num_players=3, reward=reward, illegal="lose")
    _, info = env.reset(seed=2)
    for _ in range(9):
        _, _, terminated, truncated, info = env.step(env.action_space.sample())
        assert not terminated and not truncated and "illegal" not in info
    before = env.games
    paid = expected(env.game, before, reward, env.seat)[env.seat]
    seen, earned, terminated, truncated, info = env.step(wrong(info["action_mask"]))
    assert (terminated, truncated) == (True, False)
    assert earned == pytest.approx(paid, abs=1e-4) and earned <= -1
    assert env.games.tobytes() == before.tobytes() and seen in env.observation_space
    assert info["illegal"] == env.seat and info["illegal"].dtype == np.int64
    assert not info["won"] and not info["action_mask"].any()
    assert info["scores"].tolist() == env.game.scores(before, 0).tolist()
    for action in (0, wrong(info["action_mask"])):
        with pytest.raises(IllegalAction, match="the game is over"):
            env.step(action)
    assert "illegal" not in env.reset()[1]


def test_an_algorithm_without_masks_runs_in_gymnasium():
    env = gymnasium.make("sprawl_env/TowerUp-v0", num_players=2, illegal="lose")
    rng, lost = np.random.default_rng(0), 0
    env.reset(seed=1)
    for _ in range(200):
        *_, terminated, truncated, info = env.step(int(rng.integers(env.action_space.n)))
        lost += "illegal" in info
        if terminated or truncated:
            env.reset()
    assert lost > 20


@pytest.mark.compiled
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("name", GAMES)
def test_the_vector_environment_is_the_vector_of_single_ones(name, mode):
    options = {"num_players": 3, "reward": "margin", "opponent": "random", "illegal": "lose"}
    ours = BoardGameVectorEnv(name, 6, autoreset_mode=mode, **options)
    sync = gymnasium.vector.SyncVectorEnv(
        [lambda: BoardGameGym(name, **options)] * 6, autoreset_mode=mode
    )
    (_, info), (_, its) = ours.reset(seed=3), sync.reset(seed=3)
    rng, lost = np.random.default_rng(0), 0
    for step in range(60):
        actions = info["action_mask"].argmax(axis=1)
        if step % 4 == 3:
            i = int(rng.integers(6))
            actions[i] = wrong(info["action_mask"][i])
        _, *mine, info = ours.step(actions)
        _, *theirs, its = sync.step(actions)
        for one, other in zip(mine, theirs, strict=True):
            assert np.allclose(one, other, atol=1e-4)
        found, wanted = (each.get("final_info", each) for each in (info, its))
        assert ("illegal" in found) == ("illegal" in wanted)
        if "illegal" in found:
            assert np.array_equal(found["illegal"], wanted["illegal"])
            assert np.array_equal(found["_illegal"], wanted["_illegal"])
            lost += found["_illegal"].sum()
        ended = mine[1] | mine[2]
        if mode == "Disabled" and ended.any():
            _, info = ours.reset(options={"reset_mask": ended.copy()})
            sync.reset(options={"reset_mask": ended.copy()})
    assert lost > 5


@pytest.mark.parametrize("reward", MODES)
@pytest.mark.parametrize("name", GAMES)
def test_in_a_batch_the_offender_loses_and_the_next_game_is_dealt(name, reward):
    game = sprawl_env.game(name, num_players=3)
    vec, other = (
        sprawl_env.make_vec(game, 20, seed=3, reward=reward, illegal=each, num_threads=threads)
        for each, threads in (("lose", 2), ("raise", 1))
    )
    for each in (vec, other):
        each.reset()
        for _ in range(30):
            each.step(each.sample_actions())
    assert (vec.illegal == -1).all()
    actions, lost = vec.sample_actions(), [2, 17]
    other.step(actions)
    before, seats = vec.games, vec.to_play[lost].copy()
    episodes = vec._results.episode[lost].copy()
    actions[lost] = [wrong(vec.masks[i]) for i in lost]
    vec.step(actions)
    rest = np.delete(np.arange(20), lost)
    assert vec.games[rest].tobytes() == other.games[rest].tobytes()
    for array in ("observations", "masks", "to_play", "rewards", "terminated", "truncated"):
        assert np.array_equal(getattr(vec, array)[rest], getattr(other, array)[rest])
    assert vec.illegal[lost].tolist() == seats.tolist() and (vec.illegal[rest] == -1).all()
    assert vec.terminated[lost].all() and not vec.truncated[lost].any()
    ended = {int(i): k for k, i in enumerate(vec.ended.which)}
    for k, i in enumerate(lost):
        game_before, seat = before[i : i + 1], int(seats[k])
        paid = expected(game, game_before, reward, seat)
        assert vec.rewards[i].tolist() == pytest.approx(paid, abs=1e-4)
        assert vec.ended.games[ended[i]].tobytes() == game_before[0].tobytes()
        standings = vec.ended.standings[ended[i]]
        assert standings[seat] == standings.min() and (standings == standings.min()).sum() == 1
        assert vec._results.episode[i] == episodes[k] + 1 and vec.games["ply"][i] == 0
        assert np.array_equal(vec.masks[i], game.legal_actions(vec.games, i))
        assert np.array_equal(vec.observations[i], game.observe(vec.games, i, int(vec.to_play[i])))
        if reward not in ("score", "lead"):
            assert vec.final_scores[i].tolist() == game.scores(game_before, 0).tolist()
    vec.step(vec.sample_actions())
    assert (vec.illegal == -1).all()
    vec.close()


def learners(*arguments, **options):
    """Make an environment for Stable-Baselines3, where that is installed."""
    sb3 = pytest.importorskip("sprawl_env.adapters.sb3")
    return sb3.SelfPlayVecEnv(*arguments, **options)


@pytest.mark.compiled
@pytest.mark.parametrize("reward", ["winner", "margin"])
@pytest.mark.parametrize("name", GAMES)
def test_in_stable_baselines_the_learner_loses_and_the_next_game_is_dealt(name, reward):
    env = learners(name, 4, num_players=3, reward=reward, scale=0.5, seed=3, illegal="lose")
    game, lost = env.game, [1, 3]
    env.reset()
    for _ in range(9):
        _, _, dones, infos = env.step(env.action_masks().argmax(axis=1))
        assert not dones.any() and not any(infos)
    before, seats, actions = env.games, env.learners.seats, env.action_masks().argmax(axis=1)
    actions[lost] = [wrong(mask) for mask in env.action_masks()[lost]]
    seen, rewards, dones, infos = env.step(actions)
    assert np.flatnonzero(dones).tolist() == lost
    assert not infos[0] and not infos[2]
    for i in lost:
        position, seat = before[i : i + 1], int(seats[i])
        paid = expected(game, position, reward, seat)[seat]
        assert rewards[i] == pytest.approx(0.5 * paid, abs=1e-4)
        info = infos[i]
        assert info["illegal"] == info["seat"] == seat
        assert info["won"] == 0 and not info["turn_limit"]
        assert info["scores"] == game.scores(position, 0).tolist()
        assert info["episode"]["l"] == 10
        assert info["episode"]["r"] == pytest.approx(rewards[i])
        assert np.array_equal(info["terminal_observation"], game.observe(position, 0, seat))
        assert env.games["ply"][i] < position["ply"][0]
        assert env.learners.seats[i] == env.games["to_play"][i] == (seat + 1) % 3
        assert np.array_equal(seen[i], game.observe(env.games, i, (seat + 1) % 3))
        assert np.array_equal(env.action_masks()[i], game.legal_actions(env.games, i))
    env.step(env.action_masks().argmax(axis=1))


def test_a_batch_with_skipped_plies_loses_as_well():
    vec = sprawl_env.make_vec("ginkgopolis", 16, num_players=2, skip_forced=True, illegal="lose")
    vec.reset()
    for step in range(40):
        actions = vec.sample_actions()
        if step % 3 == 0:
            actions[:8] = [wrong(mask) for mask in vec.masks[:8]]
        vec.step(actions)
        assert (vec.illegal[:8] >= 0).all() == (step % 3 == 0) and (vec.illegal[8:] == -1).all()
        assert (vec.masks.sum(axis=1) > 1).all()


def test_of_several_illegal_actions_of_a_pass_the_first_agents_loses():
    env = BoardGameParallel(toy(num_players=3), illegal="lose")
    seen, _ = env.reset(seed=1)
    choosing = [agent for agent, each in seen.items() if each["action_mask"].sum() > 1]
    actions = {agent: int(each["action_mask"].argmax()) for agent, each in seen.items()}
    for agent in choosing[1:]:
        actions[agent] = wrong(seen[agent]["action_mask"])
    before = env.games.tobytes()
    _, rewards, terminated, truncated, infos = env.step(actions)
    assert env.games.tobytes() == before
    assert all(terminated.values()) and not any(truncated.values()) and env.agents == []
    assert {info["illegal"] for info in infos.values()} == {choosing[1]}
    assert rewards == {agent: -1 if agent == choosing[1] else 0.5 for agent in rewards}
    with pytest.raises(IllegalAction, match="no game is running"):
        env.step(actions)
    _, infos = env.reset(seed=1)
    assert all("illegal" not in info for info in infos.values())


@pytest.mark.parametrize("bad", [-1, 10**6, None, 1.0, "0", [0], True])
def test_what_is_no_action_at_all_is_an_error_in_any_case(bad):
    aec, gym = BoardGameAEC("tower_up", illegal="lose"), BoardGameGym("tower_up", illegal="lose")
    vec = sprawl_env.make_vec("tower_up", 1, illegal="lose")
    for env in (aec, gym):
        env.reset(seed=1)
    vec.reset()
    before = [each.games.tobytes() for each in (aec, gym, vec)]
    steps = [aec.step, lambda a: vec.step([a])]
    steps += [lambda a: gym.step([a, a]), lambda a: vec.step([a, a])]
    if bad != [0]:  # learners give Gymnasium an action in an array
        steps.append(gym.step)
    for step in steps:
        with pytest.raises(IllegalAction) as error:
            step(bad)
        assert "\n" not in str(error.value)
    assert [each.games.tobytes() for each in (aec, gym, vec)] == before
    assert not any(aec.terminations.values())


MAKERS = {
    "aec": lambda **options: BoardGameAEC("tower_up", **options),
    "parallel": lambda **options: BoardGameParallel("ginkgopolis", **options),
    "gym": lambda **options: BoardGameGym("tower_up", **options),
    "gym_vector": lambda **options: BoardGameVectorEnv("tower_up", 2, **options),
    "vec": lambda **options: sprawl_env.make_vec("tower_up", 2, **options),
    "sb3": lambda **options: learners("tower_up", 2, **options),
}


@pytest.mark.parametrize("value", ["loose", None, 1, np.zeros(3)])
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_another_word_is_one_line(make, value):
    with pytest.raises(sprawl_env.SprawlError, match=r"illegal.*(choose from|expected)") as error:
        make(illegal=value)
    assert "\n" not in str(error.value)


def test_a_word_that_is_nearly_right_is_suggested():
    with pytest.raises(UnknownName, match=r"unknown illegal 'loose' \(did you mean 'lose'\?\)"):
        BoardGameGym("tower_up", illegal="loose")


def test_an_illegal_action_never_pays_and_the_offender_is_last():
    rng = np.random.default_rng(0)
    scores = rng.integers(-20, 200, (500, 4)).astype(np.int32)
    seats = rng.integers(4, size=500)
    each = np.arange(500)
    for name in REWARDS:
        paid = forfeits(reward_mode(name), scores, seats)
        assert paid.dtype == np.float32 and (paid[each, seats] <= -1 + 1e-4).all()
        if name != "score":
            assert np.allclose(paid.sum(axis=1), 0, atol=1e-2)
    standings = with_last(scores, seats)
    assert (standings.argmin(axis=1) == seats).all()
    assert ((standings == standings.min(axis=1, keepdims=True)).sum(axis=1) == 1).all()


def test_the_seat_that_acted_illegally_loses_though_a_forced_ply_follows():
    vec = sprawl_env.make_vec("ginkgopolis", 1, num_players=2, skip_forced=True, illegal="lose")
    game = vec.game
    vec.reset(seed=1)
    games, drawn = game.deal(1, 3), np.random.default_rng(1)
    while (mask := game.legal_actions(games, 0)).sum() > 1:  # to a ply without a choice
        game.play(games, 0, int(drawn.choice(np.flatnonzero(mask))))
    offender = int(vec.load(games).to_play[0])
    vec.step(np.array([wrong(vec.masks[0])]))
    assert vec.illegal[0] == offender
