"""core/game.py and core/registry.py: making a game, its options, positions and errors."""

import copy
import json
import pickle
import shutil
from dataclasses import replace

import numpy as np
import pytest

import sprawl_env
from sprawl_env.core import state
from sprawl_env.core.errors import InvalidOption, PositionError, SprawlError, UnknownName
from sprawl_env.core.registry import rules_of
from sprawl_env.core.state import clone, restore
from tests.suite import GAMES


def test_an_unknown_game_names_those_there_are():
    with pytest.raises(UnknownName, match=r"unknown game 'tower-up' \(did you mean 'tower_up'\?\)"):
        sprawl_env.game("tower-up")


def test_an_unknown_option_names_the_valid_ones():
    with pytest.raises(UnknownName, match=r"num_player.*did you mean 'num_players'.*max_turns"):
        sprawl_env.game("tower_up", num_player=3)


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("num_players", 1, "2..4"),
        ("num_players", 5, "2..4"),
        ("num_players", "2", "2..4"),
        ("num_players", True, "2..4"),
        ("num_players", 2.0, "2..4"),
        ("objectives", "all", "one of random, start"),
        ("objectives", 0, "one of random, start"),
        ("starting_floors", 2, "3..9"),
        ("starting_floors", 8, "3..7 with 2 seats"),
        ("max_turns", 0, "1..4000"),
    ],
)
def test_a_wrong_option_says_what_is_allowed(option, value, expected):
    with pytest.raises(InvalidOption) as error:
        sprawl_env.game("tower_up", **{option: value})
    assert f"tower_up: option {option}={value!r}" in str(error.value)
    assert expected in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "1", True, None])
def test_a_wrong_seed_is_refused(seed):
    with pytest.raises(InvalidOption, match=r"seed"):
        sprawl_env.game("tower_up").deal(1, seed)


def test_game_i_is_dealt_from_the_seed_and_i_alone(any_game):
    many, few = any_game.deal(5, seed=3), any_game.deal(2, seed=3)
    assert many[:2].tobytes() == few.tobytes()
    assert many[0].tobytes() != many[1].tobytes()
    assert any_game.deal(1, seed=4).tobytes() != few[:1].tobytes()


def test_options_are_fields_of_the_state():
    games = sprawl_env.game("tower_up", num_players=3, max_turns=50, objectives="start").deal(2)
    assert games.num_seats.tolist() == [3, 3]
    assert games.max_turns.tolist() == [50, 50]


def test_options_as_numpys_are_kept_as_pythons():
    given = {"open_screens": np.True_, "num_players": np.int8(3)}
    game = sprawl_env.game("ginkgopolis", **given)
    same = sprawl_env.game("ginkgopolis", open_screens=True, num_players=3)
    assert game.options == same.options
    assert [type(value) for value in game.options.values()] == [
        type(value) for value in same.options.values()
    ]
    games = game.deal(1, 1)
    assert game.from_json(game.to_json(games)).tobytes() == games.tobytes()
    assert game.options_of(games) == game.options


def test_every_record_has_the_common_fields_and_fits_in_8_kib(any_game):
    assert {"to_play", "ply", "turn", "num_seats", "over"} <= set(any_game.dtype.names)
    assert any_game.dtype.itemsize <= 8192


@pytest.mark.parametrize("name", GAMES)
def test_own_files_are_read_once_and_every_game_has_tables_of_its_own(name, tmp_path):
    rules, folders = rules_of(name), []

    def load_data(folder):
        folders.append(folder)
        return rules.load_data(folder)

    counted = replace(rules, load_data=load_data)
    one, other = (sprawl_env.game(counted) for _ in range(2))
    before = other.tables.tobytes()
    np.frombuffer(one.tables, np.uint8)[:] = 255
    assert other.tables.tobytes() == before == sprawl_env.game(counted).tables.tobytes()
    three = sprawl_env.game(counted, num_players=3)
    assert three.tables.tobytes() == sprawl_env.game(name, num_players=3).tables.tobytes()
    assert folders == [None]
    shutil.copy(next(rules.data_folder.glob("*.toml")), tmp_path)
    for _ in range(2):  # they may have changed
        game = sprawl_env.game(counted, data=tmp_path)
    assert folders == [None, tmp_path, tmp_path]
    for same in (copy.copy(game), copy.deepcopy(game), game.mixed([{}])):
        assert same.tables.tobytes() == game.tables.tobytes()
        assert same.tables is not game.tables
        assert same.data_folder == tmp_path
    assert folders == [None, tmp_path, tmp_path]  # the same game, whatever is in the folder now


def test_a_game_survives_pickling(any_game):
    again = pickle.loads(pickle.dumps(any_game))
    assert repr(again) == repr(any_game)
    assert again.deal(1, 5).tobytes() == any_game.deal(1, 5).tobytes()


def test_positions_travel_as_json(any_game):
    games = any_game.deal(1, seed=1)
    any_game.play(games, 0, int(np.argmax(any_game.legal_actions(games))))
    again = any_game.from_json(any_game.to_json(games))
    assert again.tobytes() == games.tobytes()


def state_with(**fields):
    """Return a damage that changes or adds fields of a position's state."""
    return lambda content: json.dumps({**content, "state": {**content["state"], **fields}})


def with_steps_of(change):
    """Return a damage that changes each pending step of a position."""
    return lambda content: state_with(agenda=[*map(change, content["state"]["agenda"])])(content)


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda c: "no json", "expected JSON text"),
        (lambda c: json.dumps([1]), "expected JSON text"),
        (lambda c: json.dumps({**c, "game": "chess"}), "is of game 'chess'"),
        (lambda c: json.dumps({**c, "options": {}}), "has options"),
        (lambda c: json.dumps({**c, "state": {}}), "is missing"),
        (lambda c: json.dumps({**c, "state": [[1, 2]]}), "expected JSON text"),
        (lambda c: json.dumps({**c, "options": [["num_players", 2]]}), "expected JSON text"),
        (lambda c: json.dumps({**c, "note": ""}), "unknown field 'note': expected game, options"),
        (state_with(plyy=1), r"unknown field 'plyy' \(did you mean 'ply'\?\)"),
        (state_with(ply=1.0), "ply: expected int32"),
        (state_with(ply=True), "ply: expected int32"),
        (state_with(ply=10**30), "ply: expected int32"),
        (state_with(ply=float("inf")), "expected JSON text"),
        (state_with(ply=[[1]]), "ply: expected int32"),
        (state_with(stars=[False, 0, 0, 0]), "stars: expected int8"),
        (state_with(stars=[0, 0, 0, [0]]), "stars: expected int8"),
        (state_with(stars=[0, 0, 0]), "stars: expected int8"),
        (state_with(stars=None), "stars: expected int8"),
        (state_with(agenda=[]), r"agenda: expected \d+ objects with "),
        (with_steps_of(lambda step: {**step, "more": 0}), r"agenda: expected \d+ objects with "),
        (state_with(max_turns=5), "max_turns: expected 400 as the options say, got 5"),
        (lambda c: json.dumps(c)[:-1] + ', "game": "tower_up"}', "expected JSON text"),
        (lambda c: json.dumps(c).replace('"num_players": 2', '"num_players": 2.0'), "has options"),
        (lambda c: "[" * 100_000, "expected JSON text"),
    ],
)
def test_a_damaged_position_is_refused_in_one_line(damage, says):
    game = sprawl_env.game("tower_up")
    content = json.loads(game.to_json(game.deal(1)))
    with pytest.raises(PositionError, match=says) as error:
        game.from_json(damage(content))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "fields", "says"),
    [
        ("ginkgopolis", {"num_sites": 60}, "site"),
        ("ginkgopolis", {"turn": 2**15 - 1}, "turn: expected 0..16384"),
        ("ginkgopolis", {"rounds": 3}, "rounds: expected 0 in the draft"),
    ],
)
def test_a_position_that_play_would_stumble_over_is_refused(name, fields, says):
    game = sprawl_env.game(name, num_players=2)
    content = json.loads(game.to_json(game.deal(1)))
    with pytest.raises(PositionError, match=says):
        game.from_json(state_with(**fields)(content))


def test_a_roof_of_a_seat_that_does_not_exist_is_refused():
    game = sprawl_env.game("tower_up", num_players=2)
    games = game.deal(1)
    legal = np.flatnonzero(game.legal_actions(games)).tolist()
    game.play(games, 0, next(a for a in legal if game.action_name(games, 0, a).startswith("build")))
    content = json.loads(game.to_json(games))
    with pytest.raises(PositionError, match=r"to_play: expected -1\.\.1"):
        game.from_json(state_with(to_play=100)(content))


def test_playing_checks_and_names_what_is_legal(any_game):
    games = any_game.deal(1, seed=2)
    mask = any_game.legal_actions(games)
    illegal = int(np.flatnonzero(mask == 0)[0])
    before = games.tobytes()
    with pytest.raises(sprawl_env.IllegalAction) as error:
        any_game.play(games, 0, illegal)
    says = str(error.value)
    assert any_game.action_name(games, 0, illegal) in says
    assert "seat 0" in says
    assert any_game.action_name(games, 0, int(mask.argmax())) in says
    with pytest.raises(sprawl_env.IllegalAction, match=r"ids are 0\.\."):
        any_game.play(games, 0, any_game.num_actions)
    assert games.tobytes() == before


@pytest.mark.parametrize("g", [-1, 2])
def test_a_game_that_is_not_in_the_batch_is_refused(any_game, g):
    games = any_game.deal(2)
    calls = {
        "legal_actions": lambda: any_game.legal_actions(games, g),
        "play": lambda: any_game.play(games, g, 0),
        "observe": lambda: any_game.observe(games, g, 0),
        "scores": lambda: any_game.scores(games, g),
        "standings": lambda: any_game.standings(games, g),
        "points": lambda: any_game.points(games, g),
        "redeal_hidden": lambda: any_game.redeal_hidden(games, g, 0, 0),
    }
    for call in calls.values():
        with pytest.raises(InvalidOption, match=rf"g={g}: expected a game 0\.\.1"):
            call()


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64, np.uint64])
def test_numpy_integers_are_whole_numbers_everywhere(kind):
    game = sprawl_env.game("tower_up", num_players=kind(3))
    games = game.deal(kind(2), kind(7))
    assert games.tobytes() == sprawl_env.game("tower_up", num_players=3).deal(2, 7).tobytes()
    one, seat = kind(1), kind(2)
    assert np.array_equal(game.observe(games, one, seat), game.observe(games, 1, 2))
    action = kind(game.legal_actions(games, one).argmax())
    same = games.copy()
    game.play(games, one, action)
    game.play(same, 1, int(action))
    game.redeal_hidden(games, one, kind(3), seat)
    game.redeal_hidden(same, 1, 3, 2)
    assert games.tobytes() == same.tobytes()
    assert game.action_name(games, one, action) == game.action_name(games, 1, int(action))


def test_every_usual_form_of_a_batch_is_accepted():
    game = sprawl_env.game("tower_up")
    games = game.deal(6)
    expected = game.legal_actions(games, 2)
    copied = pickle.loads(pickle.dumps(games))
    shared = np.frombuffer(bytearray(games.tobytes()), game.dtype)
    joined = np.concatenate([games[:3], games[3:]])
    for form in (games.copy(), games.view(np.ndarray), clone(games), copied, shared, joined):
        assert np.array_equal(game.legal_actions(form, 2), expected)
    assert np.array_equal(game.legal_actions(games[1:4], 1), expected)


def test_wrong_indices_of_a_copy_are_refused_before_anything_is_copied(monkeypatch):
    games = sprawl_env.game("tower_up").deal(3, 1)

    def copies(*_):
        raise AssertionError("copied")

    says = r"clone: which: expected an array of indices 0\.\.2, got"
    for which in (np.array([3]), slice(0.5)):
        with pytest.raises(InvalidOption, match=says):
            clone(games, which)
    monkeypatch.setattr(state, "raw_bytes", copies)
    for which in (1, [0], np.array([0.0]), np.zeros((1, 1), np.int64), None):
        with pytest.raises(InvalidOption, match=says):
            clone(games, which)


def test_a_copy_is_only_restored_to_a_batch_like_it():
    game, other = sprawl_env.game("tower_up"), sprawl_env.game("ginkgopolis")
    games = game.deal(3)
    before = games.tobytes()
    frozen = games.copy()
    frozen.flags.writeable = False
    wrong = [(games, other.deal(3)), (games, games[:1]), (games, None), (frozen, games)]
    for to, saved in wrong:
        with pytest.raises(InvalidOption, match="restore: "):
            restore(to, saved)
    assert games.tobytes() == before


def test_a_seat_that_does_not_play_sees_nothing(any_game):
    games = any_game.deal(1)
    for seat in (-1, any_game.num_seats):
        says = rf"seat={seat}: expected a seat 0\.\.{any_game.num_seats - 1}"
        with pytest.raises(InvalidOption, match=says):
            any_game.observe(games, 0, seat)
        with pytest.raises(InvalidOption, match=says):
            any_game.redeal_hidden(games, 0, 0, seat)


def test_all_errors_are_value_errors():
    assert issubclass(SprawlError, ValueError)
    assert issubclass(sprawl_env.IllegalAction, SprawlError)


def test_describe_names_the_seat_and_its_decision(any_game):
    text = any_game.describe(any_game.deal(1))
    assert any_game.title in text
    assert "seat 0 to" in text
