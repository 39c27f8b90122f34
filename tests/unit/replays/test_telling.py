"""A game as a story: names, verbs, lines, and hidden answers that are told once they are known."""

import time

import numpy as np
import pytest

import sprawl_env
from sprawl_env import replays
from sprawl_env.core.changes import Change
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.rules import Played
from sprawl_env.core.state import NOT_OVER
from sprawl_env.replays.page import content
from sprawl_env.replays.telling import (
    Story,
    by_side,
    in_words,
    name_sides,
    short_name,
    third_person,
    with_names,
)
from tests.unit.games.test_changes import plies_of

MINUS = "\u2212"


def story_of(game, bots=(), viewer=None, seed=1, stop=10**9):
    """Return the story of a random game, and its last position."""
    told = Story(game, name_sides(game, bots, viewer), viewer)
    for before, played, after in plies_of(game, seed, stop):
        told.add(before, played, after)
    return told, after


@pytest.mark.parametrize(
    ("phrase", "said"),
    [
        ("build black", "builds black"),
        ("push the markers", "pushes the markers"),
        ("pass", "passes"),
        ("carry", "carries"),
        ("pay", "pays"),
        ("choose: gain", "chooses: gain"),
        ("have a tile", "has a tile"),
    ],
)
def test_verbs_are_said_of_others_in_the_third_person(phrase, said):
    assert third_person(phrase) == said


@pytest.mark.parametrize(
    ("bot", "name"),
    [
        ("greedy", "greedy"),
        ("mcts:sims=200", "mcts"),
        ("agent:ginkgopolis/ppo-2h", "ppo-2h"),
        ("checkpoint:runs/a/step-5", "step-5"),
        ("my_bot:MyBot,k=3", "MyBot"),
        ("torch:nets:make,weights=a.safetensors", "make"),
        ("sb3:runs/model.zip,trust=yes", "model.zip"),
        ("search:agent=uniform,sims=2", "search"),
        ("bad\x1bname", "bad?name"),
    ],
)
def test_a_bot_is_called_by_its_kind_or_its_own_name(bot, name):
    assert short_name(bot).replace("\\x1b", "?") == name


def test_seats_are_called_by_who_plays_and_equal_names_are_numbered():
    game = sprawl_env.game("tower_up", num_players=4)
    bots = ["human", "greedy", "human", "greedy"]
    assert name_sides(game, bots, 0) == ["you", "greedy 1", "person", "greedy 2"]
    assert name_sides(game, bots) == ["person 1", "greedy 1", "person 2", "greedy 2"]
    three = ["human", "human", "human", "greedy"]
    assert name_sides(game, three, 0) == ["you", "person 2", "person 3", "greedy"]
    assert name_sides(game, three, 2) == ["person 1", "person 2", "you", "greedy"]
    assert name_sides(game) == ["seat 0", "seat 1", "seat 2", "seat 3"]
    solo = sprawl_env.game("ginkgopolis", num_players=1)
    assert name_sides(solo, ["greedy"]) == ["greedy", "Hal"]


def test_counts_of_one_thing_are_added_and_other_words_stay():
    changes = [
        Change("pay", 0, "resource", -2, "2 levels", f"{MINUS}2 resources"),
        Change("pay", 0, "resource", -1, "another colour", f"{MINUS}1 resource"),
        Change("gain", 0, "tile", 1, "", "+1 tile: red 3"),
        Change("gain", 0, "token", 1, "", "+1 token"),
        Change("pay", 0, "token", -1, "", f"{MINUS}1 token"),
    ]
    assert in_words(changes) == f"{MINUS}3 resources, +1 tile: red 3"
    others = [*changes[:1], changes[1]._replace(seat=1), Change("reveal", -1, text="a card")]
    assert by_side(others, ["you", "greedy"], 0) == f"{MINUS}2 resources; greedy {MINUS}1 resource"


def test_names_stand_in_place_of_numbers():
    assert with_names("more than seat 1's 3, not seat 7", ["you", "greedy"]) == (
        "more than greedy's 3, not seat 7"
    )


def test_every_line_names_its_seat_and_no_number_of_a_seat_is_left(any_game):
    game = any_game
    bots = ["human"] + ["greedy"] * (game.num_seats - 1)
    told, _ = story_of(game, bots, 0, stop=300)
    names = name_sides(game, bots, 0)
    for line in told.lines:
        assert "seat 0" not in line.text
        assert line.heading
        if line.seat >= 0:
            assert line.text.startswith(f"{names[line.seat]} ")
    assert {line.ply for line in told.lines} == set(range(len(told)))


def test_a_story_that_is_cut_and_told_again_is_the_same():
    """Also what was hidden at that time is hidden again."""
    game = sprawl_env.game("ginkgopolis", num_players=3, characters="introductory")
    plies = list(plies_of(game, 4, 90))
    names = name_sides(game, ["human", "greedy", "greedy"], 0)
    told = Story(game, names, 0)
    at = {}
    for k, ply in enumerate(plies):
        at[k] = told.lines
        told.add(*ply)
    whole = told.lines
    for k in (80, 61, 37, 20):
        told.cut(k, plies[k][0])
        assert told.lines == at[k]
    for ply in plies[20:]:
        told.add(*ply)
    assert told.lines == whole


def test_a_reader_of_everything_and_one_at_the_end_are_told_all_answers():
    game = sprawl_env.game("ginkgopolis", num_players=2, max_rounds=4)
    replay = replays.record_random(game, 5)
    everything = replays.story(replay)
    assert any("chooses card " in line.text for line in everything)
    assert any("drafts red" in line.text or "drafts blue" in line.text for line in everything)
    mine = replays.story(replay, viewer=0)
    assert not any("secretly" in line.text or "a character" in line.text for line in mine)
    with pytest.raises(InvalidOption, match="ginkgopolis: viewer=2"):
        replays.story(replay, viewer=2)


def test_the_viewer_of_replays_gets_the_story_of_everything():
    game = sprawl_env.game("tower_up", max_turns=6)
    replay = replays.record_random(game, 2)
    shown = content(replay)
    assert shown["names"] == ["seat 0", "seat 1"]
    assert [line["text"] for line in shown["story"]] == [
        line.text for line in replays.story(replay)
    ]
    assert set(shown["story"][0]) == {"ply", "seat", "heading", "text", "changes"}


def test_wrong_arguments_of_a_story_are_refused():
    game = sprawl_env.game("tower_up")
    games = game.deal(1)
    for names in (["one"], ["a", 3], ["a", "b", "c"]):
        with pytest.raises(InvalidOption, match="names"):
            Story(game, names)
    with pytest.raises(InvalidOption, match="viewer=2"):
        Story(game, ["a", "b"], 2)
    told = Story(game, ["a", "b"])
    with pytest.raises(InvalidOption):
        told.add(games, Played(1, 0, ""), games)
    assert len(told) == 0
    assert told.lines == []


@pytest.mark.compiled
def test_a_line_of_a_game_of_four_is_told_within_a_tenth_of_a_second():
    game = sprawl_env.game("urban_sprawl", num_players=4)
    told = Story(game, ["you", "b", "c", "d"], 0)
    seconds = []
    for before, played, after in plies_of(game, 3, 250):
        start = time.process_time()
        told.add(before, played, after)
        seconds.append(time.process_time() - start)
    assert np.quantile(seconds[1:], 0.99) < 0.1


def test_a_solo_game_tells_hals_moves():
    told, after = story_of(sprawl_env.game("ginkgopolis", num_players=1), ["greedy"])
    assert after["over"][0] != NOT_OVER
    hal = [line for line in told.lines if line.seat == 1]
    assert hal
    assert all(line.text.startswith("Hal ") for line in hal)
    assert any(line.text.startswith("Hal builds ") for line in hal)


@pytest.mark.parametrize(
    ("seed", "says"), [(10, "Hal fails to pay for a building"), (36, "Hal discards a card")]
)
def test_a_solo_game_tells_what_hal_cannot_do(seed, says):
    game = sprawl_env.game("ginkgopolis", num_players=1)
    told = replays.story(replays.record_random(game, seed))
    assert any(says in line.text for line in told)
