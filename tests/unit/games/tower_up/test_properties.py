"""Properties of all games: conservation, the end, illegal actions, copies, seeds, positions."""

import json

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sprawl_env
from sprawl_env.core.errors import IllegalAction, PositionError
from sprawl_env.core.state import NOT_OVER, clone
from sprawl_env.games.tower_up.state import Entry
from sprawl_env.kernels.compile import JIT
from sprawl_env.kernels.records import fields_of
from tests.damage import spoil
from tests.unit.games.tower_up.position import (
    BATCH_ROUNDS,
    DAMAGED_POSITIONS,
    ENDED_VECTOR_GAMES,
    PROPERTY_GAMES,
    SLOW_ENDED_VECTOR_GAMES,
    game_of,
    play,
    position,
    random_action,
    random_game,
    record_bytes,
    seats_of,
)

SEATS = (2, 3, 4)


# ---------------------------------------------------------------- along random games


@pytest.mark.parametrize("data", (None, "few floors", "dense"))
@pytest.mark.parametrize("seats", SEATS)
def test_floors_cards_roofs_and_counts_are_right_after_every_ply(seats, data):
    game = game_of(seats, data)
    for seed in range(max(1, PROPERTY_GAMES // 6)):
        for games in random_game(game, seed):
            assert game.rules.violations(game.tables, games, 0) == []


def most_plies_of_a_turn(game):
    """Return the largest number of decisions in a turn.

    Building is two: the site and the roof.  A card is one, then at most one choice for each floor
    it shows, then at most one return for each, as the turn began with at most the limit in
    reserve.  (The first reserve of the packaged data is below the limit.)
    """
    t = game.tables[0]
    floors = int((t.card_floors.sum(axis=1) + t.card_multicolour).max())
    return max(2, 1 + floors + floors)


@pytest.mark.parametrize("max_turns", (400, 30))
@pytest.mark.parametrize("seats", SEATS)
def test_every_game_ends_within_a_proved_number_of_plies(seats, max_turns):
    """A turn has at most 9 plies and there are at most ``max_turns``: 3600 plies by default."""
    game = game_of(seats, max_turns=max_turns)
    most = most_plies_of_a_turn(game)
    assert most == 9
    for seed in range(max(1, PROPERTY_GAMES // 3)):
        for games in random_game(game, seed):
            assert games.ply[0] <= most * (int(games.turn[0]) + 1)
        assert games.over[0] != NOT_OVER
        assert games.turn[0] <= max_turns
        assert games.ply[0] <= most * max_turns


@pytest.mark.parametrize("seats", SEATS)
def test_what_never_goes_back_never_goes_back(seats):
    """Markers, stars, chips, presence and buildings only grow; roofs left only decrease."""
    grows = ("ply", "turn", "height", "present", "twice", "marker", "stars", "chip", "counted")
    game = game_of(seats)
    before = None
    for games in random_game(game, seed=8):
        if before is not None:
            for field in grows:
                assert (games[field] >= before[field]).all(), field
            assert (games.roofs_left <= before.roofs_left).all()
            assert (games.present & before.present == before.present).all()
        before = games.copy()


def test_an_illegal_action_raises_and_changes_no_byte():
    game = game_of(3)
    rng = np.random.default_rng(0)
    for games in random_game(game, seed=1):
        before = record_bytes(games)
        illegal = np.flatnonzero(game.legal_actions(games) == 0)
        for action in (-1, 251, *rng.choice(illegal, 3)):
            with pytest.raises(IllegalAction):
                game.play(games, 0, int(action))
        assert record_bytes(games) == before


def test_looking_changes_no_byte():
    game = game_of(2)
    for games in random_game(game, seed=2, steps=40):
        before = record_bytes(games)
        game.legal_actions(games)
        for seat in seats_of(games):
            game.observe(games, 0, seat)
        game.scores(games, 0)
        game.standings(games, 0)
        game.describe(games)
        game.to_json(games)
        assert record_bytes(games) == before


@pytest.mark.parametrize("copy", (np.copy, clone))
def test_a_copy_is_a_clone(copy):
    """Playing the clone leaves the original untouched; playing both alike keeps them alike."""
    game = game_of(4)
    rng = np.random.default_rng(0)
    games = game.deal(1, seed=3)
    while games.over[0] == NOT_OVER:
        twin = copy(games).view(np.recarray)
        before = record_bytes(games)
        action = random_action(game, games, rng)
        game.play(twin, 0, action)
        assert record_bytes(games) == before
        game.play(games, 0, action)
        assert record_bytes(games) == record_bytes(twin)


def test_a_clone_made_in_the_middle_plays_the_same_game_to_its_end():
    game = game_of(2)
    rng = np.random.default_rng(1)
    *_, games = random_game(game, seed=3, steps=31)
    twin = games.copy()
    while games.over[0] == NOT_OVER:
        action = random_action(game, games, rng)
        game.play(games, 0, action)
        game.play(twin, 0, action)
    assert record_bytes(games) == record_bytes(twin)


@pytest.mark.parametrize("seats", SEATS)
def test_the_same_seed_and_actions_give_the_same_bytes(seats):
    game = game_of(seats)
    one, other = ([record_bytes(games) for games in random_game(game, seed=4)] for _ in range(2))
    assert one == other


def test_another_seed_gives_another_game():
    game = game_of(2)
    assert len({record_bytes(game.deal(1, seed=seed)) for seed in range(20)}) == 20


def test_games_of_a_batch_differ_and_do_not_depend_on_its_size():
    game = game_of(2)
    three, one = game.deal(3, seed=5), game.deal(1, seed=5)
    assert record_bytes(three, 0) == record_bytes(one)
    assert len({record_bytes(three, g) for g in range(3)}) == 3


def test_two_and_four_seats_in_one_batch():
    """The kernels of the four-seat game serve two-seat records in the same array."""
    two, four = game_of(2), game_of(4)
    alone = [two.deal(1, seed=6), four.deal(1, seed=7)]
    games = four.empty(2)
    games[0], games[1] = alone[0][0], alone[1][0]
    rng, kernels = np.random.default_rng(0), four.kernels
    mask, scores = np.empty(four.num_actions, np.int8), np.empty(4, np.int32)
    seen = np.empty(four.observation_size, np.int8)
    for g in (0, 1, 1, 0) * BATCH_ROUNDS:
        kernels.legal_actions(four.tables, games, g, mask)
        assert (mask == (two, four)[g].legal_actions(alone[g])).all()
        if mask.any():
            action = int(rng.choice(np.flatnonzero(mask)))
            kernels.play(four.tables, games, g, action)
            (two, four)[g].play(alone[g], 0, action)
        assert record_bytes(games, g) == record_bytes(alone[g])
        for seat in seats_of(games, g):
            kernels.observe(four.tables, games, g, seat, seen)
        kernels.scores(four.tables, games, g, scores)
        assert (scores[: games.num_seats[g]] == (two, four)[g].scores(alone[g])).all()


# ---------------------------------------------------------------- fast games by the thousand


def end_games(seats, wanted):
    """Play random games in a batch until that many have ended; check a sample of positions."""
    num_envs = 250 if JIT else 2
    vec = sprawl_env.make_vec(
        "tower_up", num_envs, seed=seats, observations=None, num_players=seats
    )
    vec.reset()
    ended = np.zeros(num_envs, np.int64)
    steps = 0
    while ended.sum() < wanted:
        step = vec.step(vec.sample_actions())
        over = step.terminated | step.truncated
        ended += over
        assert (vec.final_scores[over] >= 0).all()
        assert (vec.final_scores[over] <= 4 * 12 + 12 + 3 * 7).all()
        assert vec.final_scores[over].sum(axis=1).all()
        steps += 1
        if steps % 100 == 0:
            for g in range(0, num_envs, 50):
                assert vec.game.rules.violations(vec.game.tables, vec.games, g) == []
    vec.close()
    assert (ended > 0).all()


@pytest.mark.parametrize("seats", SEATS)
def test_thousands_of_random_games_end(seats):
    end_games(seats, ENDED_VECTOR_GAMES // 2 if JIT else 2)


@pytest.mark.slow
@pytest.mark.parametrize("seats", SEATS)
def test_a_hundred_thousand_random_games_end(seats):
    end_games(seats, SLOW_ENDED_VECTOR_GAMES // 3)


# ---------------------------------------------------------------- positions as text


@pytest.mark.parametrize("seats", SEATS)
def test_a_position_survives_json(seats):
    game = game_of(seats)
    for ply, games in enumerate(random_game(game, seed=9)):
        if ply % 7 == 0 or games.over[0]:
            again = game.from_json(game.to_json(games))
            assert record_bytes(again) == record_bytes(games)


def test_a_game_goes_on_from_json():
    game = game_of(2)
    rng = np.random.default_rng(0)
    *_, games = random_game(game, seed=9, steps=20)
    again = game.from_json(game.to_json(games))
    while games.over[0] == NOT_OVER:
        action = random_action(game, games, rng)
        game.play(games, 0, action)
        game.play(again, 0, action)
    assert record_bytes(again) == record_bytes(games)


def test_numpy_numbers_as_options_can_be_written_as_json():
    game = sprawl_env.game("tower_up", num_players=np.int64(3))
    games = game.deal(1)
    assert record_bytes(game.from_json(game.to_json(games))) == record_bytes(games)


def middle():
    """A 4-seat game in the middle: chips taken, roofs placed, a deck and discards."""
    game = game_of(4, objectives="start")
    for games in random_game(game, seed=12, steps=90):
        if games.chips_taken[0].any():
            break
    assert games.over[0] == NOT_OVER
    return game, games


def refused(game, content):
    with pytest.raises(PositionError) as error:
        game.from_json(json.dumps(content))
    assert "\n" not in str(error.value)
    return str(error.value)


FIELDS = sorted(set(game_of(4).dtype.names) - {"unused"})


@pytest.mark.parametrize("field", FIELDS)
def test_a_position_with_a_damaged_field_is_refused(field):
    game, games = middle()
    content = json.loads(game.to_json(games))
    value = content["state"][field]
    damaged = (
        None,
        "text",
        1.5,
        {},
        [],
        [value],
        [value, value],
        10**30,
        2**40 if field != "rng" else -1,
        np.full(np.shape(value), 2**63 - 1).tolist() if field != "rng" else 0,
        np.full(np.shape(value), -(2**63)).tolist(),
    )
    for wrong in damaged:
        content["state"][field] = wrong
        assert field in refused(game, content), wrong
    del content["state"][field]
    assert field in refused(game, content)


# A value that fits the field's type, but no position can have it.
OUT_OF_RANGE = {
    "turn": 401,
    "num_seats": 5,
    "to_play": 4,
    "over": 3,
    "starting_floors": 100,
    "objectives": 2,
    "max_turns": -1,
    "board": 2,
    "colour": 4,
    "height": -1,
    "top": 4,
    "topped": -1,
    "adjacent": -1,
    "reach": -1,
    "built": -1,
    "reserve": -1,
    "roofs_left": 11,
    "roof_site": 48,
    "roof_height": 7,
    "present": -1,
    "twice": -1,
    "marker": 10,
    "stars": 5,
    "cone": 8,
    "counted": 2,
    "progress": 49,
    "chip": 120,
    "fulfilled": 2,
    "supply": 31,
    "objective": 10,
    "chips_taken": 5,
    "market": 44,
    "deck": 44,
    "deck_size": 45,
    "discards": 44,
    "num_discards": 45,
    "end_cause": 3,
    "last_turns": 5,
    "agenda": 99,
    "agenda_size": 11,
    "rng": 0,
    "ply": -1,
}


def with_first(value, new):
    """Replace a number, or the first number of a nested list or record."""
    if isinstance(value, dict):
        return {**value, "step": new}
    if not isinstance(value, list):
        return new
    return [with_first(value[0], new), *value[1:]]


def test_the_table_of_values_out_of_range_is_complete():
    assert sorted(OUT_OF_RANGE) == FIELDS


@pytest.mark.parametrize("field", FIELDS)
def test_a_position_with_a_value_out_of_range_is_refused(field):
    game, games = middle()
    content = json.loads(game.to_json(games))
    content["state"][field] = with_first(content["state"][field], OUT_OF_RANGE[field])
    refused(game, content)


# Values in range that cannot be: field -> (what it would have to agree with, value)
CONTRADICTIONS = {
    "fewer seats than the game has": ("num_seats", 2),
    "the other board": ("board", 0),
    "another limit of turns than the option": ("max_turns", 399),
    "another number of starting floors than the option": ("starting_floors", 4),
    "other objectives than the option": ("objectives", 0),
    "three objectives alike": ("objective", [1, 1, 1]),
    "seat 3 to play, the agenda says another": ("to_play", 3),
    "over, and yet somebody to play": ("over", 1),
    "stars beyond the markers": ("stars", [4, 4, 4, 4]),
    "a cone moved by nobody's count": ("cone", [5, 5, 5, 5]),
    "everybody has counted, without an end": ("counted", [1, 1, 1, 1]),
    "last turns without an end": ("last_turns", 3),
    "all chips gone, to nobody": ("chips_taken", [4, 4, 4]),
    "no chip gone, but somebody has one": ("chips_taken", [0, 0, 0]),
    "chips without their objectives": ("fulfilled", [[0] * 3] * 4),
    "objectives without their chips": ("chip", [[0] * 3] * 4),
    "no progress": ("progress", [[0] * 3] * 4),
    "nothing on the agenda": ("agenda_size", 0),
    "an agenda that overflows": ("agenda_size", 10),
    "a turn that never ends": ("agenda", [dict.fromkeys(fields_of(Entry), 0)] * 10),
    "floors to return from too few": ("agenda_size", 2),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_a_position_that_contradicts_itself_is_refused(name):
    game, games = middle()
    games.agenda.seat[0] = 0
    games.to_play[0] = 0  # so zeros on the agenda belong to the seat to play
    assert game.rules.violations(game.tables, games, 0) == []
    content = json.loads(game.to_json(games))
    field, value = CONTRADICTIONS[name]
    assert content["state"][field] != value
    content["state"][field] = value
    refused(game, content)


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "{}", "7", '"text"', "{", '{"game": "tower_up"}', "\x00", "[" * 100_000],
    ids=lambda text: repr(text[:20]),
)
def test_text_that_is_no_position_is_refused(text):
    with pytest.raises(PositionError):
        game_of(2).from_json(text)


def test_a_position_of_another_game_or_with_other_options_is_refused():
    game = game_of(2)
    content = json.loads(game.to_json(game.deal(1)))
    assert "chess" in refused(game, content | {"game": "chess"})
    assert "options" in refused(game_of(3), content)
    refused(game, content | {"state": 7})
    refused(game, content | {"state": [1, 2]})


SAFE_TO_PLAY = not JIT or bool(numba.config.BOUNDSCHECK)  # a bad index raises


@settings(max_examples=DAMAGED_POSITIONS, deadline=None, database=None, derandomize=True)
@given(
    field=st.sampled_from([*(name for name in FIELDS if name != "agenda_size"), *["agenda"] * 9]),
    where=st.floats(0, 0.999),
    value=st.integers(-130, 130),
)
def test_a_position_that_is_not_refused_can_be_played(field, where, value):
    game, games = middle()
    content = json.loads(game.to_json(games))
    spoil(content["state"], field, where, value)
    try:
        games = game.from_json(json.dumps(content))
    except PositionError:
        return
    rng = np.random.default_rng(0)
    for _ in range(20 if SAFE_TO_PLAY else 0):
        if games.over[0] != NOT_OVER:
            return
        game.observe(games, 0, int(games.to_play[0]))
        game.play(games, 0, random_action(game, games, rng))


def test_drawn_positions_survive_json():
    game, games = position(buildings={6: ("black", 2)}, roofs=[(0, 6, 2)])
    play(game, games, "take card 3")
    assert record_bytes(game.from_json(game.to_json(games))) == record_bytes(games)
