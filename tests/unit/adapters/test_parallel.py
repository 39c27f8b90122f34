"""adapters/parallel.py: a step is one pass of the same game as in the AEC environment."""

import importlib

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import parallel_api_test, parallel_seed_test
from pettingzoo.test.state_test import test_state_space as zoo_state_space

import sprawl_env
from sprawl_env.adapters.aec import BoardGameAEC
from sprawl_env.adapters.parallel import BoardGameParallel
from sprawl_env.core.errors import InvalidOption
from sprawl_env.kernels.compile import JIT
from tests.suite import GAMES, PARALLEL
from tests.toy import WAIT, toy

SEATS = {"toy": (1, 2, 3), "ginkgopolis": (1, 2, 3, 4, 5) if JIT else (2,)}
GAMES_WITH_PASSES = [
    pytest.param((name, seats), id=f"{name}-{seats}")
    for name in ("toy", *(name for name in PARALLEL if name in GAMES))
    for seats in SEATS[name]
]
SEEDS = 6 if JIT else 1
CYCLES = 2000 if JIT else 60


@pytest.fixture(params=GAMES_WITH_PASSES)
def game(request):
    name, seats = request.param
    if name == "toy":
        return toy(num_players=seats, rounds=6)
    return sprawl_env.game(name, num_players=seats)


def choices(seen, rng):
    return {a: int(rng.choice(np.flatnonzero(s["action_mask"]))) for a, s in seen.items()}


@pytest.mark.parametrize("reward", ["winner", "lead"])
def test_pettingzoo_parallel_api(game, reward, capsys):
    parallel_api_test(BoardGameParallel(game, reward=reward), num_cycles=CYCLES)


@pytest.mark.parametrize("reward", ["winner", "rank", "margin", "score", "lead"])
def test_the_same_choices_give_the_same_game_as_aec(game, reward):
    for seed in range(SEEDS if reward == "winner" else 1):
        parallel, aec = BoardGameParallel(game, reward=reward), BoardGameAEC(game, reward=reward)
        rng = np.random.default_rng(seed)
        seen, infos = parallel.reset(seed=seed)
        aec.reset(seed=seed)
        earned = np.zeros(game.num_seats)
        also = np.zeros(game.num_seats)
        while parallel.agents:
            assert parallel.games.tobytes() == aec.games.tobytes()
            bits = game.kernels.owing(game.tables, aec.games, 0)
            owing = [a for k, a in enumerate(aec.possible_agents) if bits >> k & 1]
            assert owing
            for agent in parallel.agents:
                assert (
                    seen[agent]["observation"].tolist()
                    == aec.observe(agent)["observation"].tolist()
                )
                assert parallel.observation_space(agent).contains(seen[agent])
                legal = infos[agent]["action_mask"]
                assert legal.tolist() == seen[agent]["action_mask"].tolist()
                if agent not in owing:
                    assert np.flatnonzero(legal).tolist() == [game.rules.wait]
            actions = choices(seen, rng)
            masks = {agent: infos[agent]["action_mask"] for agent in owing}
            seen, rewards, terminated, truncated, infos = parallel.step(actions)
            for _ in range(len(owing)):  # each chooses once, with the same mask as before
                agent = aec.agent_selection
                owing.remove(agent)
                mask = aec.observe(agent)["action_mask"]
                assert mask.tolist() == masks[agent].tolist()
                assert not mask[game.rules.wait]
                aec.step(actions[agent])
                also += [aec.rewards[a] for a in aec.possible_agents]
            assert owing == []
            earned += [rewards[a] for a in parallel.possible_agents]
            assert earned == pytest.approx(also, abs=1e-4)
            assert terminated == aec.terminations
            assert truncated == aec.truncations
        assert parallel.games.tobytes() == aec.games.tobytes()
        assert all(terminated.values()) or all(truncated.values())


def test_a_truncated_game_is_reported_as_such():
    env = BoardGameParallel(toy(cut=1, rounds=1))
    seen, _ = env.reset(seed=1)
    while env.agents:
        seen, _, terminated, truncated, _ = env.step({a: 0 if s["action_mask"][0] else int(
            s["action_mask"].argmax()) for a, s in seen.items()})  # fmt: skip
    assert all(truncated.values())
    assert not any(terminated.values())


def test_same_seed_same_game_and_a_new_one_at_the_next_reset(game):
    one, two = BoardGameParallel(game), BoardGameParallel(game)
    one.reset(seed=5)
    two.reset(seed=5)
    first = one.games.tobytes()
    assert two.games.tobytes() == first
    one.reset()
    two.reset()
    assert one.games.tobytes() == two.games.tobytes() != first


def test_wrong_missing_and_illegal_actions_change_nothing(game):
    env = BoardGameParallel(game)
    rng = np.random.default_rng(0)
    seen, _ = env.reset(seed=2)
    for _ in range(12):
        before = env.games.tobytes()
        right = choices(seen, rng)
        for agent in env.agents:
            illegal = int(np.flatnonzero(seen[agent]["action_mask"] == 0)[-1])
            for bad in (illegal, -1, game.num_actions, None, 0.0, "0", [right[agent]]):
                with pytest.raises(sprawl_env.IllegalAction, match=f"^{agent}: ") as error:
                    env.step({**right, agent: bad})
                assert "\n" not in str(error.value)
            with pytest.raises(sprawl_env.IllegalAction, match=f"^{agent}: "):
                env.step({a: action for a, action in right.items() if a != agent})
        for bad in ({**right, "player_9": 0}, None, []):
            with pytest.raises(sprawl_env.IllegalAction, match="expected one for each of player_0"):
                env.step(bad)
        assert env.games.tobytes() == before
        seen, *_ = env.step(right)
        if not env.agents:
            break


def test_what_is_handed_out_is_the_callers_own(game):
    env = BoardGameParallel(game)
    seen, infos = env.reset(seed=3)
    for agent in env.agents:
        wrong = int(np.flatnonzero(seen[agent]["action_mask"] == 0)[0])
        seen[agent]["action_mask"][:] = infos[agent]["action_mask"][:] = 1
        with pytest.raises(sprawl_env.IllegalAction):
            env.step(dict.fromkeys(env.agents, wrong))


def test_without_a_running_game_nobody_may_act():
    env = BoardGameParallel(toy(rounds=1))
    with pytest.raises(sprawl_env.IllegalAction, match=r"call reset\(\)"):
        env.step({})
    seen, _ = env.reset(seed=1)
    while env.agents:
        seen, *_ = env.step({a: int(s["action_mask"].argmax()) for a, s in seen.items()})
    assert all(np.flatnonzero(s["action_mask"]).tolist() == [WAIT] for s in seen.values())
    with pytest.raises(sprawl_env.IllegalAction, match=r"call reset\(\)"):
        env.step({"player_0": 0, "player_1": 0})


def test_spaces_names_state_and_text():
    env = BoardGameParallel(toy(), render_mode="ansi")
    env.reset(seed=1)
    assert env.action_space("player_0") is env.action_space("player_0")
    assert env.observation_space("player_1") is env.observation_space("player_1")
    assert str(env) == f"{env.game.name}_v0"
    assert env.metadata["is_parallelizable"] is True
    assert int(env.record.to_play) == 0
    assert "Bids" in env.render()
    assert BoardGameParallel(toy()).render_mode is None


def test_pettingzoo_seed_and_state():
    parallel_seed_test(lambda: BoardGameParallel(toy()), num_cycles=20)
    env = BoardGameParallel(toy())
    zoo_state_space(env)
    seen, _ = env.reset(seed=2)
    while env.agents:
        whole = np.concatenate([each["observation"] for each in seen.values()])
        assert np.array_equal(env.state(), whole)
        drawn = {agent: env.action_space(agent).sample() for agent in env.agents}
        assert all(seen[agent]["action_mask"][action] for agent, action in drawn.items())
        seen, *_ = env.step(drawn)


@pytest.mark.parametrize("name", PARALLEL)
def test_pettingzoo_seed_of_every_game(name):
    parallel_seed_test(lambda: BoardGameParallel(name), num_cycles=20)


def test_a_game_of_turns_has_no_parallel_environment():
    with pytest.raises(InvalidOption, match="tower_up: has no simultaneous choices") as error:
        BoardGameParallel("tower_up")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", [name for name in PARALLEL if name in GAMES])
def test_registry_and_module(name):
    made = pettingzoo.make("parallel", f"sprawl_env/{name}-v0", num_players=3)
    assert made.max_num_agents == 3
    module = importlib.import_module(f"sprawl_env.{name}_v0")
    assert str(module.parallel_env()) == f"{name}_v0"
