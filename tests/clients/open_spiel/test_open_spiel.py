"""adapters/open_spiel.py, by OpenSpiel's own tests and algorithms."""

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy, rl_environment
from open_spiel.python.algorithms import (
    cfr,
    expected_game_score,
    exploitability,
    ismcts,
    mcts,
    minimax,
    outcome_sampling_mccfr,
    random_agent,
    tabular_qlearner,
)
from open_spiel.python.observation import make_observation
from open_spiel.python.rl_agent import StepOutput

import sprawl_env
from examples import lots
from sprawl_env.adapters import open_spiel as bridge
from tests.clients.snippets import run_lines
from tests.toy import NAME as TOY

EVERY = [
    *(("tower_up", {"num_players": n}) for n in (2, 3, 4)),
    *(("urban_sprawl", {"num_players": n}) for n in (2, 4)),
    *(("ginkgopolis", {"num_players": n}) for n in (1, 2, 3, 5)),
    ("tower_up", {"chance": "deal", "reward": "rank"}),
    ("tower_up", {"objectives": "start", "max_turns": 9}),
]
LOTS = bridge.register("lots")
BIDS = bridge.register(TOY)
SMALL = {"deals": 20, "deal_nodes": 1, "chance": "deal"}


def load(name, **params):
    return pyspiel.load_game(bridge.PREFIX + name, params)


def after_chance(state, rng):
    while state.is_chance_node():
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(int(rng.choice(outcomes, p=chances)))
    return state


def walk(game, rng, plies=None):
    """Play at random; yield every state of a decision."""
    state = after_chance(game.new_initial_state(), rng)
    while not state.is_terminal() and plies != 0:
        yield state
        state.apply_action(int(rng.choice(state.legal_actions())))
        after_chance(state, rng)
        plies = None if plies is None else plies - 1


@pytest.mark.parametrize(("name", "params"), EVERY, ids=str)
def test_open_spiels_own_test_of_a_game(name, params):
    short = "max_turns" in params or params.get("num_players") == 1  # it replays every state
    pyspiel.random_sim_test(load(name, **params), num_sims=1, serialize=short, verbose=False)


def test_open_spiels_own_test_of_games_of_ones_own():
    for name in (LOTS, BIDS):
        pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=3, serialize=True, verbose=False)


def test_a_long_game_is_serialized():
    game = load("urban_sprawl", length="short")
    *_, state = walk(game, np.random.default_rng(1), plies=60)
    again = game.deserialize_state(state.serialize())
    assert again._point.games.tobytes() == state._point.games.tobytes()
    text = pyspiel.serialize_game_and_state(game, state)
    assert str(pyspiel.deserialize_game_and_state(text)[1]) == str(state)


@pytest.mark.parametrize("name", ["tower_up", "ginkgopolis"])
def test_a_game_of_the_bridge_is_the_packages_game(name):
    game = load(name, chance="deal")
    ours = sprawl_env.game(name)
    rng = np.random.default_rng(3)
    state = game.new_initial_state()
    for digit in (4, 5, 6):
        assert state.is_chance_node()
        state.apply_action(digit)
    games = ours.deal(1, (4 * 100 + 5) * 100 + 6)
    observer = make_observation(game)
    while not state.is_terminal():
        seat = state.current_player()
        assert seat == games["to_play"][0]
        assert state.legal_actions() == np.flatnonzero(ours.legal_actions(games)).tolist()
        for other in range(ours.num_seats):
            observer.set_from(state, other)
            assert np.array_equal(observer.tensor, ours.observe(games, 0, other))
            assert state.observation_tensor(other) == observer.tensor.tolist()
        action = int(rng.choice(state.legal_actions()))
        assert state.action_to_string(seat, action) == ours.action_name(games, 0, action)
        ours.play(games, 0, action)
        state.apply_action(action)
        assert str(state) == ours.describe(games)
    standings = ours.standings(games, 0)
    expected = [0.0, 0.0] if standings[0] == standings[1] else [1.0, -1.0]
    assert sorted(state.returns()) == sorted(expected)
    assert np.argmax(state.returns()) == standings.argmax()


def test_a_clone_shares_nothing_that_changes():
    rng = np.random.default_rng(4)
    for state in walk(load("tower_up"), rng, plies=8):
        copy, before = state.clone(), str(state)
        copy.apply_action(copy.legal_actions()[0])
        assert str(state) == before
        assert str(copy) != before


# ------------------------------------------------------------------------------ hidden information


@pytest.mark.parametrize(("name", "seats"), [("tower_up", 3), ("urban_sprawl", 2)])
def test_with_draws_no_future_depends_on_the_order_of_a_deck(name, seats):
    """Two states that differ only in the true order of the decks have the same distribution."""
    game = load(name, num_players=seats)
    rng, drawn = np.random.default_rng(5), 0
    for state in walk(game, rng, plies=40):
        twin = state.clone()
        games = sprawl_env.core.state.clone(state._point.games)
        game.rules.redeal_hidden(games, 0, 99, state.current_player())
        games["rng"] = state._point.games["rng"]  # names the outcomes
        twin._point = game._point(games, None, 0)
        action = int(rng.choice(state.legal_actions()))
        results = []
        for one in (state.clone(), twin):
            one.apply_action(action)
            drawn += one.is_chance_node()
            results.append(futures(one))
        assert results[0] == results[1]
    assert drawn > 6


def futures(state):
    """The distribution of what all seats see next."""
    if not state.is_chance_node():
        return [(1.0, str(state))]
    return [(chance, str(state.child(k))) for k, chance in state.chance_outcomes()]


def test_draws_have_the_frequencies_of_the_true_game():
    """Tower Up: the next card of a market is each card of the deck equally often."""
    game = load("tower_up", draws=3000)
    rng = np.random.default_rng(6)
    state = next(walk(game, rng))
    size = int(state._point.games["deck_size"][0])
    deck = state._point.games["deck"][0, :size].tolist()
    take = next(a for a in state.legal_actions() if state.action_to_string(0, a) == "take card 1")
    while not state.is_chance_node():
        state.apply_action(take if take in state.legal_actions() else state.legal_actions()[0])
        take = -1
    shown = {}
    for k, chance in state.chance_outcomes():
        after = state.child(k)._point.games
        assert after["deck_size"][0] == size - 1
        missing = set(deck) - set(after["deck"][0, : size - 1].tolist())
        shown[frozenset(missing)] = shown.get(frozenset(missing), 0) + chance
    assert len(shown) == size
    assert all(0.4 / size < chance < 1.8 / size for chance in shown.values())


def test_draws_that_show_nothing_have_no_chance_node():
    game = load("tower_up")
    rng = np.random.default_rng(7)
    quiet = drawn = 0
    for state in walk(game, rng, plies=60):
        nxt = state.child(state.legal_actions()[-1])
        quiet += not nxt.is_chance_node()
        drawn += nxt.is_chance_node()
    assert quiet > 10 and drawn > 3


@pytest.mark.parametrize("name", ["ginkgopolis", "tower_up", "urban_sprawl"])
def test_a_resampled_state_looks_the_same_to_its_seat_and_not_to_the_game(name):
    game = load(name, chance="deal")
    rng, changed = np.random.default_rng(8), 0
    for state in walk(game, rng, plies=30):
        seat = state.current_player()
        other = state.resample_from_infostate(seat, rng.random)
        assert other.information_state_string(seat) == state.information_state_string(seat)
        assert other.observation_tensor(seat) == state.observation_tensor(seat)
        assert other.legal_actions() == state.legal_actions()
        changed += other._point.games.tobytes() != state._point.games.tobytes()
    assert changed == 30


def test_information_states_remember_what_the_seat_has_seen_and_done():
    game = pyspiel.load_game(LOTS, SMALL)
    strings = {}
    for state in every_decision(game):
        seat = state.current_player()
        own = tuple(a for p, a in history(state) if p == seat)
        shown = (own, tuple(state._point.games["hand"][0, seat].tolist()),
                 state._point.games["street"][0].tobytes())  # fmt: skip
        strings.setdefault(state.information_state_string(), set()).add(shown)
    assert len(strings) > 100
    assert all(len(shown) == 1 for shown in strings.values())


def history(state):
    return [(step.player, step.action) for step in state.full_history()]


def every_decision(game):
    rest = [game.new_initial_state()]
    while rest:
        state = rest.pop()
        if state.is_terminal():
            continue
        if not state.is_chance_node():
            yield state
        rest += [state.child(a) for a in state.legal_actions()]


# -------------------------------------------------------------------------- search and algorithms


def play_out(game, bots, rng):
    state = after_chance(game.new_initial_state(), rng)
    while not state.is_terminal():
        state.apply_action(int(bots[state.current_player()].step(state)))
        after_chance(state, rng)
    return state.returns()


def test_python_mcts_beats_random_where_chance_is_drawn():
    game = load("tower_up", max_turns=20)
    rng = np.random.RandomState(0)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    searcher = mcts.MCTSBot(game, 1.4, 15, evaluator, random_state=rng)
    chance = pyspiel.make_uniform_random_bot(1, 5)
    total = sum(play_out(game, [searcher, chance], rng)[0] for _ in range(4))
    assert total >= 2


@pytest.mark.parametrize("name", ["ginkgopolis", LOTS.removeprefix(bridge.PREFIX)])
def test_python_ismcts_plays_where_seats_have_secrets(name):
    game = load(name, **({"max_rounds": 3} if name == "ginkgopolis" else {}))
    rng = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    searcher = ismcts.ISMCTSBot(game, evaluator, 2.0, 12, random_state=rng)
    chance = pyspiel.make_uniform_random_bot(1, 6)
    returns = [play_out(game, [searcher, chance], rng) for _ in range(2)]
    assert all(sum(each) == 0 for each in returns)


def test_ismcts_is_stronger_than_random_on_lots():
    game = pyspiel.load_game(LOTS)
    rng = np.random.RandomState(2)
    searcher = ismcts.ISMCTSBot(
        game, mcts.RandomRolloutEvaluator(1, rng), 2.0, 40, random_state=rng
    )
    chance = pyspiel.make_uniform_random_bot(1, 7)
    total = sum(play_out(game, [searcher, chance], rng)[0] for _ in range(400))
    assert total > 80  # about 150; the searcher is not the same in every process


@pytest.mark.parametrize("name", ["tower_up", "ginkgopolis"])
def test_the_rl_environment_runs_a_learner_and_a_random_agent(name):
    env = rl_environment.Environment(load(name))
    learner = tabular_qlearner.QLearner(0, env.game.num_distinct_actions())
    other = random_agent.RandomAgent(1, env.game.num_distinct_actions())
    for _ in range(2):
        step = env.reset()
        while not step.last():
            seat = step.observations["current_player"]
            output = (learner, other)[seat].step(step)
            assert isinstance(output, StepOutput)
            step = env.step([output.action])
        learner.step(step)
        assert sum(step.rewards) == 0
    assert len(learner._q_values) > 20


def test_exploitability_of_uniform_play_agrees_with_a_count_by_hand():
    game = pyspiel.load_game(LOTS, SMALL)
    uniform = policy.UniformRandomPolicy(game)
    values = expected_game_score.policy_value(game.new_initial_state(), [uniform] * 2)
    assert values[0] == pytest.approx(value_by_hand(), abs=1e-9)
    assert exploitability.exploitability(game, uniform) > 0.1


def value_by_hand():
    """The mean reward of seat 0 in uniform play over the same deals, by the package alone."""
    ours = sprawl_env.game("lots")

    def value(games):
        if games["over"][0]:
            standings = ours.standings(games, 0)
            return float(np.sign(standings[0] - standings[1]))
        found = []
        for action in np.flatnonzero(ours.legal_actions(games)):
            after = games.copy()
            ours.play(after, 0, int(action))
            found.append(value(after))
        return sum(found) / len(found)

    return sum(value(ours.deal(1, k)) for k in range(20)) / 20


def test_cfr_finds_less_exploitable_play_on_the_toy_game():
    game = pyspiel.load_game(LOTS, SMALL)
    before = exploitability.exploitability(game, policy.UniformRandomPolicy(game))
    solver = cfr.CFRPlusSolver(game)
    for _ in range(15):
        solver.evaluate_and_update_policy()
    after = exploitability.exploitability(game, solver.average_policy())
    assert 0 <= after < before / 4
    tabular = policy.python_policy_to_pyspiel_policy(solver.average_policy())
    exact = pyspiel.exploitability(game, tabular)
    assert exact == pytest.approx(after, abs=1e-6)


def test_expectiminimax_and_cfr_agree_on_a_game_without_secrets():
    game = pyspiel.load_game(BIDS, {"rounds": 1, "deals": 3, "deal_nodes": 1, "draws": 2})
    assert game.get_type().information == pyspiel.GameType.Information.PERFECT_INFORMATION
    start = game.new_initial_state()
    found = [
        minimax.expectiminimax(start.child(k), 20, None, 0)[0] for k, _ in start.chance_outcomes()
    ]
    solver = cfr.CFRPlusSolver(game)
    for _ in range(150):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    values = expected_game_score.policy_value(game.new_initial_state(), [average] * 2)
    assert values[0] == pytest.approx(np.mean(found), abs=0.1)


def test_outcome_sampling_runs():
    solver = outcome_sampling_mccfr.OutcomeSamplingSolver(pyspiel.load_game(LOTS))
    for _ in range(20):
        solver.iteration()
    assert solver.average_policy() is not None


# --------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("name", "params", "says"),
    [
        ("tower_up", {"num_players": 9}, "num_players=9: expected a whole number 2..4"),
        ("tower_up", {"chance": "dice"}, "unknown model of chance 'dice': choose from auto, deal"),
        ("tower_up", {"reward": "margin"}, "unknown reward for OpenSpiel 'margin'"),
        ("tower_up", {"deals": 0}, "deals=0: expected a whole number 1..10000"),
        ("tower_up", {"deal_nodes": 9}, "deal_nodes=9: expected a whole number 1..4"),
        ("ginkgopolis", {"chance": "draws"}, "seats know different things"),
    ],
)
def test_wrong_parameters_are_refused_in_one_line(name, params, says):
    with pytest.raises(sprawl_env.SprawlError, match=says) as error:
        load(name, **params)
    assert "\n" not in str(error.value)


def test_unknown_parameters_games_actions_and_observers_are_refused():
    with pytest.raises(pyspiel.SpielError, match="Unknown parameter 'frameskip'"):
        load("tower_up", frameskip=4)
    with pytest.raises(sprawl_env.SprawlError, match="unknown game 'tower'"):
        bridge.register("tower")
    game = load("tower_up")
    with pytest.raises(sprawl_env.SprawlError, match="expected public_info=True"):
        kind = pyspiel.IIGObservationType(
            perfect_recall=True, private_info=pyspiel.PrivateInfoType.NONE
        )
        make_observation(game, kind)
    state = after_chance(game.new_initial_state(), np.random.default_rng(0))
    before = str(state)
    with pytest.raises(sprawl_env.IllegalAction, match="seat 0 may not play 250"):
        state.apply_action(250)
    assert str(state) == before


def test_a_game_registers_again_and_the_interpreter_ends_well():
    assert bridge.register("examples.lots:RULES") == LOTS == "sprawl_env_lots"
    assert lots.RULES is bridge._registered["lots"]
    code = "from sprawl_env.adapters import open_spiel; open_spiel.register('tower_up')"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])


def test_the_lines_on_the_page_run():
    names = run_lines("OpenSpiel")
    assert names["state"].is_chance_node()


# ------------------------------------------------------------------------------------------- speed


def random_games(name):
    """Return a function that plays a random game with observations; returns its decisions."""
    game, chosen = pyspiel.load_game(name), random.Random(0)
    observer = make_observation(game)

    def work():
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(chosen.choices(outcomes, chances)[0])
                continue
            observer.set_from(state, state.current_player())
            state.apply_action(chosen.choice(state.legal_actions()))
            decisions += 1
        return decisions

    return work


def test_speed_beside_open_spiels_games(measured):
    names = [
        *(bridge.PREFIX + name for name in ("tower_up", "urban_sprawl", "ginkgopolis")),
        bridge.PREFIX + "tower_up(chance=deal)",
        *("connect_four", "backgammon", "python_tic_tac_toe", "python_block_dominoes"),
    ]
    import open_spiel.python.games  # noqa: F401 - registers the Python games

    found = measured.rates(
        "decisions, random play with observations", {n: random_games(n) for n in names}
    )
    assert found[bridge.PREFIX + "ginkgopolis"] > 500
