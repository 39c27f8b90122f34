"""Random games: invariants hold, no game is stuck, all end within the bound on plies."""

import functools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sprawl_env
from sprawl_env.core.errors import PositionError
from sprawl_env.core.state import NOT_OVER
from sprawl_env.games.urban_sprawl.actions import BUILD, DECLINE
from sprawl_env.games.urban_sprawl.constants import (
    MOST_TURNS,
)
from sprawl_env.games.urban_sprawl.steps import (
    Step,
)
from sprawl_env.kernels.agenda import top
from sprawl_env.kernels.compile import JIT
from tests.damage import spoil
from tests.unit.games.urban_sprawl.bound import REBUILDS_OF_A_TURN, bound_of
from tests.unit.games.urban_sprawl.position import game_of
from tests.unit.games.urban_sprawl.test_hidden import random_game

FUZZ_GAMES = 300
SLOW_FUZZ_GAMES = 12_000  # for each of three numbers of seats and three lengths
CHECK_EVERY = 25


def fuzz(seats, num_games, envs, seed, looks, **options):
    """Play random games in a batch; return how many ended by the rules and by the limit.

    Each ply must be within the bound of the README, "How long a game can be", for the turns begun
    and the rebuilds so far.
    """
    game = sprawl_env.game("urban_sprawl", num_players=seats, **options)
    bound = bound_of(game.tables[0], seats, int(game.empty(1).length[0]))
    vec = sprawl_env.make_vec(game, num_envs=envs, seed=seed, observations=None)
    vec.reset()
    rng = np.random.default_rng(seed)
    ended = truncated = steps = 0
    rebuilds = np.zeros(envs, np.int64)
    games = vec.games
    while ended < num_games:
        turns = games.turn.astype(np.int64) + 1
        assert (rebuilds <= REBUILDS_OF_A_TURN * turns).all()
        assert (games.ply + 1 <= bound.after(turns, rebuilds)).all()
        chance = games.rng.copy()
        vec.step(vec.sample_actions())
        games = vec.games
        steps += 1
        over = vec.terminated | vec.truncated
        rebuilds = np.where(over, 0, rebuilds + (games.rng != chance))
        assert vec.masks.any(axis=1).all()
        assert (games.turn < games.max_turns).all()
        assert (games.wealth >= 0).all()
        assert (games.prestige >= 0).all()
        if steps % CHECK_EVERY == 0:
            for g in rng.integers(envs, size=looks):
                assert game.rules.violations(game.tables, games, int(g)) == []
        ended += int(over.sum())
        truncated += int(vec.truncated.sum())
    return ended, truncated


@pytest.mark.compiled
@pytest.mark.parametrize("seats", (2, 3, 4))
def test_random_games_keep_every_invariant_and_end(seats):
    ended, truncated = fuzz(seats, FUZZ_GAMES, 64, seats, looks=4)
    assert ended >= FUZZ_GAMES
    assert truncated == 0  # US 6.13, U32: no random game passes 130 turns


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("length", ("standard", "long", "short"))
@pytest.mark.parametrize("seats", (2, 3, 4))
def test_many_random_games_keep_every_invariant_and_end(seats, length):
    _, truncated = fuzz(seats, SLOW_FUZZ_GAMES, 1024, 17 + seats, looks=40, length=length)
    assert truncated == 0


@pytest.mark.parametrize("seats", (2, 3, 4) if JIT else (4,))
def test_games_with_a_taste_for_building_keep_every_invariant_and_end(seats):
    game = game_of(seats)
    for seed in range(8 if JIT else 1):
        for games in random_game(game, seed):
            assert game.rules.violations(game.tables, games, 0) == []


@pytest.mark.slow
@pytest.mark.compiled
def test_a_game_of_nothing_but_investments_keeps_every_invariant_to_the_last_turn_allowed():
    """Acquire the cheapest cards, invest all of them, build nothing."""
    game = game_of(2, max_turns=MOST_TURNS)
    games = game.deal(1, seed=0)
    rng = np.random.default_rng(0)
    while games.over[0] == NOT_OVER:
        actions = np.flatnonzero(game.legal_actions(games))
        if top(games[0]).step == Step.MAIN:  # by id: end of turn, investments, planning cards
            actions = actions[actions < BUILD]
            actions = actions[actions != DECLINE][:1] if actions.size > 1 else actions
        game.play(games, 0, int(rng.choice(actions)))
        if games.ply[0] % 200 == 0:
            assert game.rules.violations(game.tables, games, 0) == [], f"turn {games.turn[0]}"


def test_positions_of_random_games_survive_json():
    game = game_of(3)
    for k, games in enumerate(random_game(game, 5)):
        assert game.from_json(game.to_json(games)).tobytes() == games.tobytes()
        if k == 3 and not JIT:
            break


# ---------------------------------------------------------------- invalid positions


FIELDS = sorted(set(game_of(3).dtype.names) - {"unused"})


@functools.cache
def middle():
    """Return a game of 3 seats in the middle of play, and the position as text."""
    game = game_of(3)
    for games in random_game(game, seed=4):
        if games.turn[0] >= (20 if JIT else 3):
            break
    return game, game.to_json(games)


@pytest.fixture(scope="module")
def position_in_the_middle():
    return middle()


@pytest.mark.parametrize("value", [-128, -1, 127])
@pytest.mark.parametrize("field", FIELDS)
def test_a_position_with_a_field_of_one_value_is_refused_or_possible(
    position_in_the_middle, field, value
):
    game, text = position_in_the_middle
    content = json.loads(text)
    content["state"][field] = np.full(np.shape(content["state"][field]), value).tolist()
    try:
        games = game.from_json(json.dumps(content))
    except PositionError as error:
        assert "\n" not in str(error)
        return
    assert game.rules.violations(game.tables, games, 0) == []


OUT_OF_RANGE = {
    "agenda": -1,
    "corners": 6,  # two lots that are not adjacent
    "planning_size": 55,
    "deck_size": 38,
    "marker_at": 9,
    "office": 3,
    "favors": 111,
    "contract": 36 - 111,
    "hand": 99,
    "vocations": 9,
    "tiles": 99,
    "room": 5,
    "value": 41,
    "worth_up_to": -1,
    "points": -1,
    "wealth": -1,
    "prestige": -1,
    "to_play": 3,
    "active": 3,
    "over": 3,
    "turn": 301,
    "agenda_size": 32,
    "lot": 144,
    "card": 111,
    "starting": 1,
    "firsts": 7,
    "lasting": 100,
    "building_on": 16,
    "holder": 3,
    "fitting": 1,
    "controls": 100,
    "occupied": 16,
    "across": 32,
    "inside": 32,
    "in_row": 100,
    "in_column": 100,
    "zone": 5,
    "owner": 3,
    "power": 3,
}


@pytest.mark.parametrize("field", OUT_OF_RANGE)
def test_a_position_with_a_wrong_value_is_refused(position_in_the_middle, field):
    game, text = position_in_the_middle
    content = json.loads(text)
    whole = np.array(content["state"][field])
    whole.reshape(-1)[0] = OUT_OF_RANGE[field]
    content["state"][field] = whole.tolist()
    with pytest.raises(PositionError) as error:
        game.from_json(json.dumps(content))
    assert "\n" not in str(error.value)


@settings(max_examples=600 if JIT else 60, deadline=None, database=None, derandomize=True)
@given(
    field=st.sampled_from([*FIELDS, *["agenda"] * 20]),
    where=st.floats(0, 0.999),
    value=st.integers(-130, 130),
    seed=st.integers(0, 2**20),
)
def test_a_position_that_is_not_refused_can_be_played(field, where, value, seed):
    game, text = middle()
    content = json.loads(text)
    spoil(content["state"], field, where, value)
    try:
        games = game.from_json(json.dumps(content))
    except PositionError:
        return
    rng = np.random.default_rng(seed)
    for _ in range(20 if JIT else 4):
        if games.over[0] != NOT_OVER:
            return
        game.observe(games, 0, int(games.to_play[0]))
        game.play(games, 0, int(rng.choice(np.flatnonzero(game.legal_actions(games)))))
