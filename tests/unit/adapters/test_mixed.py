"""Several sets of options in one batch: core/variants.py, adapters/vector.py, adapters/sb3.py."""

import copy
import pickle
import random
from dataclasses import replace

import numpy as np
import pytest

import sprawl_env
from sprawl_env.adapters.sb3 import SelfPlayVecEnv
from sprawl_env.core.errors import InvalidOption, UnknownName
from sprawl_env.core.game import Game
from sprawl_env.core.registry import rules_of
from sprawl_env.core.rules import no_tables
from tests.toy import toy

NAMES = ("tower_up", "ginkgopolis", "urban_sprawl")
SHORT = {
    "tower_up": [
        {"max_turns": 9, "starting_floors": 5},
        {"objectives": "start", "max_turns": 14},
        {"max_turns": 12},
    ],
    "ginkgopolis": [
        {"characters": "introductory", "max_rounds": 4},
        {"max_rounds": 2, "open_screens": True},
        {"max_rounds": 3},
    ],
    "urban_sprawl": [
        {"length": "short", "max_turns": 4},
        {"length": "long", "max_turns": 3},
        {"max_turns": 5},
    ],
}


def drawn(name, count, seed):
    """Return random sets of options with short games, for two seats."""
    rng, sets = random.Random(seed), []
    options = rules_of(name).options
    limit = "max_rounds" if name == "ginkgopolis" else "max_turns"
    for _ in range(count):
        chosen = {limit: rng.randint(2, 9)}
        for option, about in options.items():
            if about.words and option != "difficulty":
                chosen[option] = rng.choice(about.words)
            elif about.flag:
                chosen[option] = rng.random() < 1 / 2
        if name == "tower_up":
            chosen["starting_floors"] = rng.randint(3, 7)
        sets.append(chosen)
    return sets


def mixed(name, num_envs, sets, **settings):
    return sprawl_env.make_vec(name, num_envs, options=sets, **settings)


def arrays(step):
    return [np.asarray(each).copy() for each in step]


@pytest.mark.compiled  # thousands of plies
@pytest.mark.parametrize("reward", ["winner", "score"])
@pytest.mark.parametrize("name", NAMES)
def test_a_mixed_batch_is_game_by_game_the_batches_of_each_set(name, reward):
    for sets in (SHORT[name], drawn(name, 4, seed=5)):
        size = 2 * len(sets)
        vec = mixed(name, size, sets, seed=3, reward=reward)
        apart = [
            sprawl_env.make_vec(name, size, seed=3, reward=reward, **options) for options in sets
        ]
        ended = np.zeros(size, int)
        mine, theirs = arrays(vec.reset()), [arrays(each.reset()) for each in apart]
        for _ in range(120):
            games, each_games = vec.games, [each.games for each in apart]
            for i in range(size):
                k = i % len(sets)
                assert games[i].tobytes() == each_games[k][i].tobytes()
                for array, other in zip(mine, theirs[k], strict=True):
                    assert array[i].tobytes() == other[i].tobytes()
            actions = vec.sample_actions()
            mine, theirs = arrays(vec.step(actions)), []
            for k, each in enumerate(apart):
                of_set = np.arange(size) % len(sets) == k
                theirs.append(arrays(each.step(np.where(of_set, actions, each.masks.argmax(1)))))
            over = mine[4] | mine[5]
            ended += over
            assert vec.ended.which.tolist() == np.flatnonzero(over).tolist()
            for j, i in enumerate(vec.ended.which):
                wanted = vec.game.base_options | sets[i % len(sets)]
                assert vec.game.options_of(vec.ended.games, j) == wanted
        assert (ended > 0).all()


def test_games_of_new_options_are_drawn():
    vec = mixed("tower_up", 1, [{"max_turns": 1}], render_mode="ansi")
    vec.reset()
    vec.set_options([{"max_turns": 7}])
    while vec.games.max_turns[0] != 7:
        vec.step(vec.sample_actions())
    assert "turn" in vec.render(0)


@pytest.mark.parametrize("threads", [1, 3])
def test_new_options_count_from_the_next_deal_of_each_game(threads):
    vec = mixed("tower_up", 64, [{"max_turns": 3}, {"max_turns": 5}], num_threads=threads)
    vec.reset()
    vec.step(vec.sample_actions())
    vec.set_options([{"max_turns": 2}, {"max_turns": 4}, {"max_turns": 6}])
    dealt = np.zeros(64, bool)
    old, new = np.resize([3, 5], 64), np.resize([2, 4, 6], 64)
    for _ in range(30):
        assert np.array_equal(vec.games.max_turns, np.where(dealt, new, old))
        step = vec.step(vec.sample_actions())
        dealt |= step.terminated | step.truncated
    assert dealt.all()
    vec.set_options([{}])  # what a set does not name is the default, not what an earlier set said
    vec.reset()
    assert (vec.games.max_turns == vec.game.rules.options["max_turns"].default).all()
    vec.close()


def test_games_that_are_loaded_are_dealt_again_with_their_own_options():
    sets = [{"max_turns": 2}, {"max_turns": 3}]
    vec = mixed("tower_up", 4, sets, seed=1)
    vec.reset()
    vec.load(vec.games[::-1].copy())
    for _ in range(15):
        assert vec.games.max_turns.tolist() == [3, 2, 3, 2]
        vec.step(vec.sample_actions())
    vec.reset()
    assert vec.games.max_turns.tolist() == [3, 2, 3, 2]
    same = vec.games[[0, 0, 0, 0]].copy()
    vec.load(same)
    assert vec.games.tobytes() == same.tobytes()
    before = vec.games.tobytes()
    with pytest.raises(InvalidOption, match=r"game 0 is of other options: .*max_turns=4.*2 sets"):
        vec.load(sprawl_env.game("tower_up", max_turns=4).deal(4))
    assert vec.games.tobytes() == before


def test_games_that_are_dealt_again_go_on_with_their_deals_and_new_options():
    vec, other = (mixed("tower_up", 4, [{"max_turns": 6}, {"max_turns": 8}], seed=2) for _ in "ab")
    for each in (vec, other):
        each.reset()
        each.set_options([{"max_turns": 50}])
    for _ in range(3):
        vec.step(vec.sample_actions())
    before = vec.games
    seen, masks, to_play = vec.redeal([3, 1])
    assert vec.games[[0, 2]].tobytes() == before[[0, 2]].tobytes()
    assert vec.games.max_turns.tolist() == [6, 50, 6, 50]
    assert vec.games["ply"].tolist() == [3, 0, 3, 0]
    for i in range(4):
        assert np.array_equal(masks[i], vec.game.legal_actions(vec.games, i))
        assert np.array_equal(seen[i], vec.game.observe(vec.games, i, int(to_play[i])))
    while (other.games.max_turns != 50).any():  # until each game was dealt a second time
        other.step(other.sample_actions())
        for i in np.flatnonzero((other.games.ply == 0) & (other.games.max_turns == 50)):
            if i in (1, 3):
                assert other.games[[i]].tobytes() == vec.games[[i]].tobytes()
    for wrong in ([4], [-1], [1, 1], [0.5], 2, "all"):
        with pytest.raises(InvalidOption, match=r"redeal: which=.*: expected different games 0..3"):
            vec.redeal(wrong)
    vec.redeal([])
    fresh = mixed("tower_up", 2, [{}, {"max_turns": 9}])
    with pytest.raises(InvalidOption, match=r"call reset\(\) before redeal"):
        fresh.redeal([0])


def test_bots_of_ones_own_take_options_that_are_new():
    vec = mixed("tower_up", 4, [{}, {"max_turns": 9}])
    bot = sprawl_env.make_bot("tests.bots:Looks", vec.game)
    vec.set_options([{"max_turns": 50}])
    vec.reset()
    assert bot.act(None, vec.masks, vec.games).shape == (4,)


def test_a_batch_of_one_set_refuses_records_of_others():
    vec = sprawl_env.make_vec("tower_up", 2)
    vec.reset()
    with pytest.raises(InvalidOption, match=r"game 0 is of other options: max_turns=7 "):
        vec.load(sprawl_env.game("tower_up", max_turns=7).deal(2))
    with pytest.raises(InvalidOption, match=r"^set_options: expected a batch made by make_vec"):
        vec.set_options([{"max_turns": 7}])
    assert not vec.game.is_mixed


@pytest.mark.parametrize("name", NAMES)
def test_the_game_of_a_mixed_batch_reads_all_its_records(name):
    vec = mixed(name, 6, SHORT[name], seed=2)
    vec.reset()
    for _ in range(5):
        vec.step(vec.sample_actions())
    game, games = vec.game, vec.games
    game.check(games)
    scores, standings = game.scores(games), game.standings(games)
    bot = sprawl_env.make_bot("greedy", game)
    actions = bot.act(vec.observations, vec.masks, games)
    for i in range(6):
        alone = sprawl_env.game(name, **game.options_of(games, i))
        one = games[i : i + 1].copy()
        seat = int(one.to_play[0])
        assert alone.options == game.base_options | SHORT[name][i % 3]
        assert np.array_equal(game.legal_actions(games, i), alone.legal_actions(one))
        assert np.array_equal(game.observe(games, i, seat), alone.observe(one, 0, seat))
        assert scores[i].tolist() == alone.scores(one, 0).tolist()
        assert standings[i].tolist() == alone.standings(one, 0).tolist()
        assert vec.masks[i, actions[i]]
        assert game.to_json(games, i) == alone.to_json(one)
        assert game.from_json(game.to_json(games, i)).tobytes() == one.tobytes()
        assert game.describe(games, i) == alone.describe(one)
    with pytest.raises(InvalidOption, match="other options"):
        sprawl_env.game(name, **game.options).scores(games)


def test_a_mixed_game_is_copied_and_pickled_with_all_it_accepts():
    vec = mixed("tower_up", 2, [{"max_turns": 5}, {"max_turns": 6}], objectives="start")
    vec.set_options([{"max_turns": 7}])
    for other in (copy.copy(vec.game), pickle.loads(pickle.dumps(vec.game))):
        assert other.accepted == vec.game.accepted
        assert other.variants == vec.game.variants
        assert other.base_options == vec.game.base_options
        assert repr(other) == repr(vec.game)
        assert [each["max_turns"] for each in other.accepted] == [5, 6, 7]
        assert other.deal(1).max_turns[0] == 5
        assert other.blanks(1).max_turns[0] == 7


def test_a_batch_made_with_a_mixed_game_leaves_that_game_as_it_was():
    game = sprawl_env.game("tower_up").mixed([{"max_turns": 5}, {}])
    vec = sprawl_env.make_vec(game, 4)
    vec.set_options([{"max_turns": 8}])
    assert [each["max_turns"] for each in game.accepted] == [5, 400]


def test_opponents_inside_play_all_sets_in_turn():
    game = sprawl_env.game("tower_up").mixed([{"max_turns": 4}, {"max_turns": 7}])
    env = SelfPlayVecEnv(game, 4, opponents=["greedy"], seed=1)
    env.reset()
    ended = 0
    for _ in range(12):
        assert env.games.max_turns.tolist() == [4, 7, 4, 7]
        ended += env.step(env.action_masks().argmax(axis=1))[2].sum()
    assert ended > 0


WRONG = [
    ([], {}, r"^options=\[\]: expected a list of at least one dictionary"),
    ({}, {}, r"options=\{\}: expected a list"),
    ("short", {}, r"options='short': expected a list"),
    ([3], {}, r"options=\[3\]: expected a list"),
    ([{}] * 5, {}, r"^options: expected at most 4 sets for 4 games, got 5$"),
    ([{}, {"num_players": 3}], {}, r"^options\[1\]: num_players=3: expected 2 in all sets"),
    (
        [{}, {"lenght": 3}],
        {},
        r"^options\[1\]: tower_up got an unexpected keyword argument 'lenght'",
    ),
    ([{"max_turns": 0}], {}, r"^options\[0\]: tower_up: option max_turns=0: expected"),
    ([{"starting_floors": 9}], {}, r"^options\[0\]: tower_up: option starting_floors=9: expected"),
    ([{"max_turns": 9}], {"max_turns": 9}, r"^options\[0\]: max_turns: is given for all games too"),
    ([{"data": "here"}], {}, r"^options\[0\]: tower_up got an unexpected keyword argument 'data'"),
]


@pytest.mark.parametrize(("sets", "common", "message"), WRONG)
def test_wrong_sets_are_one_clear_line(sets, common, message):
    with pytest.raises((InvalidOption, UnknownName), match=message) as caught:
        mixed("tower_up", 4, sets, **common)
    assert "\n" not in str(caught.value)


def test_options_beside_a_game_that_is_made_are_refused():
    with pytest.raises(InvalidOption, match=r"^options: the game has its options already"):
        mixed(sprawl_env.game("tower_up"), 4, [{}])


@pytest.mark.parametrize("sets", [sets for sets, common, _ in WRONG if not common])
def test_new_options_that_are_refused_change_nothing(sets):
    vec = mixed("tower_up", 4, [{"max_turns": 3}])
    vec.reset()
    with pytest.raises((InvalidOption, UnknownName)):
        vec.set_options(sets)
    assert vec.game.accepted == vec.game.variants == (vec.game.options,)
    vec.reset()
    assert (vec.games.max_turns == 3).all()


def test_options_that_change_the_tables_are_refused():
    def tables_with_options(data, options):
        tables = no_tables(data, options)
        tables["unused"] = options["dull"]
        return tables

    rules = replace(toy().rules, compile_tables=tables_with_options)
    Game(rules).mixed([{}, {"cut": 1}])
    with pytest.raises(InvalidOption, match=r"^options\[1\]: toy: these options change the tables"):
        Game(rules).mixed([{}, {"dull": 1}])


@pytest.mark.parametrize("name", NAMES)
def test_options_other_than_the_seats_leave_tables_and_layout_as_they_are(name):
    for seats in range(2, rules_of(name).options["num_players"].high + 1):
        game = sprawl_env.game(name, num_players=seats)
        sets = [{k: v for k, v in each.items() if k != "starting_floors"} for each in SHORT[name]]
        for options in sets:
            other = sprawl_env.game(name, num_players=seats, **options)
            assert other.tables.tobytes() == game.tables.tobytes()
            assert other.observation_layout.digest() == game.observation_layout.digest()
