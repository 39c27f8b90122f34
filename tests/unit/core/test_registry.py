"""core/registry.py, core/heuristic.py and adapters/registration.py: games of one's own."""

import copy
import dataclasses
import json
import pickle
import re
import sys
import types

import gymnasium
import numpy as np
import pettingzoo
import pytest

import sprawl_env
from examples import lots
from sprawl_env import replays
from sprawl_env.adapters import registration
from sprawl_env.bots.greedy import GreedyBot, best_action, heuristic_label, score_heuristic
from sprawl_env.bots.names import make_bot
from sprawl_env.core import registry
from sprawl_env.core.errors import InvalidOption, PositionError, UnknownName, UnknownOption
from sprawl_env.core.rules import Option
from sprawl_env.kernels.scratch import SIZE
from sprawl_env.kernels.sources import TYPED
from sprawl_env.play.saves import game_of
from tests import defects, toy
from tests.suite import GAMES


@pytest.fixture
def names():
    """Remove what a test registers."""
    before = registry.game_names()
    yield
    for name in set(registry.game_names()) - set(before):
        registry.remove(name)
        gymnasium.registry.pop(f"sprawl_env/{registry_id(name)}-v0", None)
        if hasattr(pettingzoo, "aec_registry"):
            pettingzoo.aec_registry.pop(f"sprawl_env/{name}-v0", None)


def registry_id(name):
    return "".join(part.capitalize() for part in name.split("_"))


def renamed(name, **changed):
    return dataclasses.replace(lots.RULES, name=name, **changed)


def test_a_registered_game_is_known_by_name_and_by_import_path():
    assert sprawl_env.game("lots").rules is lots.RULES
    assert sprawl_env.game("examples.lots:RULES", num_players=3).num_seats == 3
    assert registry.heuristic_of(lots.RULES) is lots.HEURISTIC
    assert registry.is_registered(lots.RULES)


def test_a_registered_game_has_ids_for_gymnasium_and_pettingzoo():
    env = gymnasium.make("sprawl_env/Lots-v0", num_players=3, seat=0)
    _, info = env.reset(seed=0)
    assert info["action_mask"].shape == (lots.KINDS,)
    zoo = pettingzoo.make("aec", "sprawl_env/lots-v0", num_players=3)
    assert str(zoo) == "lots_v0"
    assert zoo.max_num_agents == 3
    assert "sprawl_env/lots-v0" not in pettingzoo.parallel_registry
    assert "sprawl_env/toy-v0" in pettingzoo.parallel_registry


def test_a_game_pickles_by_the_import_path_of_its_rules():
    game = sprawl_env.game("lots", num_players=3)
    assert b"examples.lots:RULES" in pickle.dumps(game)
    read = pickle.loads(pickle.dumps(game))
    assert read.rules is game.rules
    assert read.options == game.options
    assert registry.import_path(toy.RULES) == "tests.toy:RULES"
    assert registry.game_word(lots.RULES) == "examples.lots:RULES"
    assert registry.game_word(sprawl_env.game("tower_up").rules) == "tower_up"


def test_rules_that_no_module_holds_play_and_copy_but_do_not_pickle():
    game = sprawl_env.game(defects.unreachable())
    assert copy.copy(game).deal(1, 3).tobytes() == game.deal(1, 3).tobytes()
    assert copy.deepcopy(game).options == game.options
    with pytest.raises(InvalidOption, match="lots_pickle: cannot be pickled: assign its GameRules"):
        pickle.dumps(game)
    with pytest.raises(InvalidOption, match="lots_pickle: cannot be found by another process"):
        registry.game_word(game.rules)


def test_rules_that_were_typed_at_a_prompt_do_not_pickle(monkeypatch):
    main = types.ModuleType("__main__")
    main.MINE = renamed("lots_typed", kernels=dataclasses.replace(lots.RULES.kernels))
    monkeypatch.setitem(sys.modules, "__main__", main)
    with pytest.raises(InvalidOption, match="move its rules from the prompt into a file"):
        pickle.dumps(sprawl_env.game(main.MINE))


@pytest.mark.parametrize("name", ["two words", "", "a:b", "1st", "tower-up"])
def test_a_name_must_be_an_identifier(name):
    with pytest.raises(InvalidOption, match="expected a Python identifier"):
        sprawl_env.register(renamed(name))


def test_a_name_belongs_to_one_game():
    with pytest.raises(InvalidOption) as error:
        sprawl_env.register(renamed("tower_up"))
    assert str(error.value) == (
        "register: name 'tower_up' is taken by sprawl_env.games.tower_up:RULES: choose another name"
    )
    with pytest.raises(InvalidOption, match=r"'lots' is taken by examples\.lots:RULES"):
        sprawl_env.register(dataclasses.replace(toy.RULES, name="lots"))
    with pytest.raises(InvalidOption, match="Gymnasium id TowerUp-v0 is that of 'tower_up'"):
        sprawl_env.register(renamed("tower__up"))
    assert registry.heuristic_of(lots.RULES) is lots.HEURISTIC  # nothing has changed


def test_a_game_may_be_registered_again_by_the_file_that_defines_it(names):
    sprawl_env.register(renamed("lots_again"))
    changed = renamed("lots_again", title="Lots, second edition")
    sprawl_env.register(changed)
    assert sprawl_env.game("lots_again").title == "Lots, second edition"
    assert gymnasium.make("sprawl_env/LotsAgain-v0").unwrapped.game.rules is changed


def test_an_import_path_needs_a_name_and_is_imported_when_it_is_asked_for(names):
    with pytest.raises(InvalidOption, match="an import path needs a name="):
        sprawl_env.register("no_such_module:RULES")
    with pytest.raises(InvalidOption, match="name='other': expected 'lots'"):
        sprawl_env.register(lots.RULES, name="other")
    sprawl_env.register("no_such_module:RULES", name="later", heuristic="no_such_module:H")
    with pytest.raises(UnknownName, match="no module 'no_such_module'"):
        sprawl_env.game("later")
    sprawl_env.register("examples.lots:RULES", name="otherwise")
    with pytest.raises(InvalidOption, match=r"'otherwise': examples\.lots:RULES is called"):
        sprawl_env.game("otherwise")


def test_a_heuristic_may_be_an_import_path(names):
    mine = renamed("lots_path")
    sprawl_env.register(mine, heuristic="examples.lots:HEURISTIC")
    assert registry.heuristic_of(mine) is lots.HEURISTIC
    other = renamed("lots_path")
    sprawl_env.register(other, heuristic="examples.lots:RULES")
    with pytest.raises(UnknownName, match="expected a Heuristic, got GameRules"):
        registry.heuristic_of(other)


def test_bots_play_rules_with_one_heuristic(names):
    mine, other = renamed("lots_two"), sprawl_env.Heuristic(value=lots.value)
    says = r"lots_two: bots already play these rules with another .* dataclasses\.replace\(RULES\)"
    sprawl_env.register(mine)
    sprawl_env.register(mine, heuristic=other)  # nobody has asked for one yet
    sprawl_env.register(mine, heuristic=lots.HEURISTIC)
    make_bot("greedy", sprawl_env.game("lots_two"))
    for changed in (other, None):
        with pytest.raises(InvalidOption, match=says):
            sprawl_env.register(mine, heuristic=changed)
    assert registry.heuristic_of(mine) is lots.HEURISTIC
    sprawl_env.register(mine, heuristic="examples.lots:HEURISTIC")  # the same
    copied = dataclasses.replace(mine)
    sprawl_env.register(copied, heuristic=other)
    assert registry.heuristic_of(copied) is other
    assert best_action(copied) is not best_action(mine)


def test_a_heuristic_cannot_follow_bots_that_looked_at_the_score(names):
    mine = renamed("lots_late")
    make_bot("greedy", sprawl_env.game(mine))
    with pytest.raises(InvalidOption, match="bots already play these rules with another"):
        sprawl_env.register(mine, heuristic=lots.HEURISTIC)


def test_a_game_named_by_path_keeps_its_heuristic_too(names, monkeypatch):
    path = "tests.defects:MINE"
    monkeypatch.setattr(defects, "MINE", renamed("lots_mine"), raising=False)
    sprawl_env.register(path, name="lots_mine", heuristic="examples.lots:HEURISTIC")
    assert registry.heuristic_of(sprawl_env.game("lots_mine").rules) is lots.HEURISTIC
    sprawl_env.register(path, name="lots_mine", heuristic="examples.lots:HEURISTIC")
    with pytest.raises(InvalidOption, match="bots already play these rules with another"):
        sprawl_env.register(path, name="lots_mine")


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("nowhere:RULES", "no module 'nowhere' in the current folder or on Python's path"),
        ("examples.lots:NONE", "module 'examples.lots' has no 'NONE'"),
        ("examples.lots:State", "expected a GameRules, got"),
        ("examples/lots.py:RULES", "expected module:NAME"),
        ("examples.lots:", "expected module:NAME"),
    ],
)
def test_a_wrong_import_path_says_what_is_missing(path, says):
    with pytest.raises(UnknownName) as error:
        sprawl_env.game(path)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_a_game_named_by_its_import_path_is_known_by_name_from_then_on(names):
    game = sprawl_env.game("tests.defects:NARROW")
    assert sprawl_env.game("lots_narrow").rules is game.rules
    assert registry.heuristic_of(game.rules) is None
    replays.verify(replays.parse(replays.dump(replays.record_random(game, 3))))


def test_no_file_decides_what_is_imported(tmp_path):
    replay = replays.record_random(sprawl_env.game("lots"), 3)
    text = replays.dump(replay).replace('"game": "lots"', '"game": "examples.lots:RULES"')
    with pytest.raises(PositionError, match="expected a name, not an import path"):
        replays.verify(replays.parse(text))
    path = tmp_path / "position.json"
    path.write_text(json.dumps({"game": "os:RULES", "options": {}, "state": {}}))
    with pytest.raises(PositionError, match="expected a name, not an import path"):
        game_of(path)


def test_replays_of_a_game_that_was_registered_again_are_of_the_new_one(names):
    sprawl_env.register(renamed("lots_replay"))
    replay = replays.record_random(sprawl_env.game("lots_replay"), 3)
    assert replay.game().title == "Lots"
    sprawl_env.register(renamed("lots_replay", title="New"))
    assert replay.game().title == "New"


# ---------------------------------------------------------------------------------- heuristics


def test_a_heuristic_has_a_value_or_a_rate():
    for wrong in ({}, {"value": lots.value, "rate": lots.value}):
        with pytest.raises(InvalidOption, match="expected exactly one of value and rate"):
            sprawl_env.Heuristic(**wrong)


@pytest.mark.parametrize("seats", [2, 3])
def test_without_a_heuristic_greedy_looks_at_the_lead_in_points(seats):
    game = sprawl_env.game(defects.NARROW, num_players=seats)
    assert registry.heuristic_of(game.rules) is None
    games = game.deal(40, seed=1)
    rng = np.random.default_rng(0)
    bot = GreedyBot(game)
    for _ in range(lots.CITY):
        masks = np.stack([game.legal_actions(games, g) for g in range(len(games))])
        values = bot.values(masks, games)
        assert (np.isfinite(values) == (masks == 1)).all()
        for g, mask in enumerate(masks):
            seat = int(games["to_play"][g])
            for action in np.flatnonzero(mask):
                trial = games[g : g + 1].copy()
                game.play(trial, 0, action)
                scores = game.scores(trial, 0)
                assert values[g, action] == scores[seat] - np.delete(scores, seat).max()
            game.play(games, g, int(rng.choice(np.flatnonzero(mask))))


def test_without_a_heuristic_the_automaton_is_the_rival():
    rules = dataclasses.replace(toy.RULES, name="toy_plain")
    game = sprawl_env.game(rules, num_players=1)
    games = game.deal(5, seed=0)
    masks = np.stack([game.legal_actions(games, g) for g in range(5)])
    values = GreedyBot(game).values(masks, games)
    for g, action in zip(*np.nonzero(masks), strict=True):
        trial = games[g : g + 1].copy()
        game.redeal_hidden(trial, 0, 0, 0)
        game.play(trial, 0, int(action))
        own, automaton = game.scores(trial, 0)
        assert values[g, action] == own - automaton


def test_without_a_heuristic_planner_and_mcts_play_too():
    game = sprawl_env.game(defects.NARROW)
    games = game.deal(3, seed=1)
    masks = np.stack([game.legal_actions(games, g) for g in range(3)])
    for name in ("greedy", "planner:playouts=8", "mcts:sims=16", "flat:sims=16"):
        actions = make_bot(name, game).act(None, masks, games)
        assert masks[np.arange(3), actions].all()


def test_greedy_without_a_heuristic_says_for_how_many_seats_it_is():
    many = {"num_players": Option(2, "seats", low=2, high=SIZE)}
    with pytest.raises(InvalidOption, match=f"lots_many: has no heuristic: .* at most {SIZE - 1}"):
        score_heuristic(renamed("lots_many", options=many))


def test_kernels_of_games_in_one_file_are_kept_apart():
    labels = [
        rules.label
        for rules in (lots.RULES, defects.LEAK, renamed("lots", kernels=toy.RULES.kernels))
    ]
    assert len(set(labels)) == 3
    tower_up = sprawl_env.game("tower_up").rules
    assert re.fullmatch("tower_up [0-9a-f]{16}", tower_up.label)
    assert heuristic_label(tower_up) != tower_up.label
    assert heuristic_label(lots.RULES) != lots.RULES.label


def test_kernels_made_from_those_of_a_cell_have_a_label_that_says_so(names):
    value = getattr(lots.value, "py_func", lots.value)
    cell = types.FunctionType(value.__code__.replace(co_filename="<cell>"), {})
    kernels = dataclasses.replace(lots.RULES.kernels, play=cell)
    assert TYPED in renamed("lots_cell", kernels=kernels).label.split()
    mine = renamed("lots_half")
    sprawl_env.register(mine, heuristic=sprawl_env.Heuristic(value=cell))
    assert TYPED not in mine.label.split()
    assert TYPED in heuristic_label(mine).split()


@pytest.mark.parametrize("name", GAMES)
def test_an_unknown_keyword_is_a_type_error_in_pythons_words(name):
    expected = f"{name} got an unexpected keyword argument 'frameskip': choose from "
    for error in (TypeError, ValueError, sprawl_env.SprawlError, UnknownOption):
        with pytest.raises(error, match=re.escape(expected)) as found:
            sprawl_env.game(name, frameskip=3)
        assert "num_players" in str(found.value) and "\n" not in str(found.value)
    with pytest.raises(TypeError, match=r"did you mean 'num_players'\?"):
        sprawl_env.make_vec(name, 2, num_player=2)
    with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'"):
        gymnasium.make(f"sprawl_env/{registration.camel_case(name)}-v0", frameskip=3)
