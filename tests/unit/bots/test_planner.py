"""bots/planner.py: legal, reproducible, better than greedy."""

import numpy as np
import pytest

import sprawl_env
from sprawl_env.arena.games import play_games
from sprawl_env.bots.names import make_bot
from sprawl_env.bots.planner import PlannerBot, PlannerConfig, insert, sort_best_first
from sprawl_env.core.errors import InvalidOption, UnknownName
from sprawl_env.core.state import clone
from sprawl_env.kernels.compile import JIT

SMALL = "planner:candidates=3,playouts=6,turns=1"  # fast enough as plain Python
COUNT = 24 if JIT else 2


def decisions(game, plies, count=COUNT, seed=0):
    """Return states of some games after random plies and their masks."""
    vec = sprawl_env.make_vec(game, count, seed=seed, observations=None)
    vec.reset()
    for _ in range(plies):
        vec.step(vec.sample_actions())
    return clone(vec.games), vec.masks.copy()


@pytest.mark.parametrize("plies", [0, 30])
def test_the_planner_plays_legally_and_the_same_again_from_the_same_seed(any_game, plies):
    states, masks = decisions(any_game, plies)
    before = states.tobytes()
    planner = make_bot(SMALL, any_game, seed=3)
    first = planner.act(None, masks, states)
    assert masks[np.arange(len(masks)), first].all()
    assert states.tobytes() == before
    planner.seed(3)
    assert planner.act(None, masks, states).tolist() == first.tolist()


@pytest.mark.compiled
def test_whole_games_go_through_with_planners_in_every_seat(any_game):
    planner = make_bot(SMALL, any_game)
    results = play_games(any_game, [planner] * any_game.num_seats, any_game.num_seats, seed=2)
    assert (results.plies > 0).all()


def test_a_planner_plays_only_actions_of_its_mask():
    game = sprawl_env.game("tower_up")
    states = game.deal(1, 3)
    legal = game.legal_actions(states)
    for name in ("planner:playouts=4", "planner:playouts=4,adviser=quick"):
        bot, mask = make_bot(name, game), legal.copy()
        for _ in range(int(legal.sum()) - 1):
            action = int(bot.act(None, mask[None], states)[0])
            assert mask[action]
            mask[action] = 0


def test_one_candidate_is_the_heuristics_choice():
    game = sprawl_env.game("tower_up")
    states, masks = decisions(game, 12)
    planner = make_bot("planner:candidates=1", game)
    values = make_bot("greedy", game).values(masks, states)
    answers = planner.act(None, masks, states)
    assert values[np.arange(len(values)), answers].tolist() == values.max(axis=1).tolist()


def test_the_best_actions_are_kept_in_order_the_earlier_of_equals_first():
    ranked, values = np.zeros(3, np.int64), np.zeros(3, np.float64)
    found = 0
    for action, value in [(4, 1.0), (5, 3.0), (6, 1.0), (7, 2.0), (8, 3.0), (9, 0.5)]:
        found = insert(ranked, values, found, action, value)
    assert found == 3
    assert ranked.tolist() == [5, 8, 7]
    assert values.tolist() == [3, 3, 2]
    values[:] = [1, 2, 9]
    sort_best_first(ranked, values, 2)
    assert ranked.tolist() == [8, 5, 7]
    assert values.tolist() == [2, 1, 9]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("planner:plies=3", "no setting 'plies'; there are candidates"),
        ("planner:candidates=0", r"candidates='0': expected a whole number 1\.\."),
        ("planner:playouts=many", "expected a whole number"),
        ("planner:victory=-1", "expected a number 0"),
        ("planning", r"choose from .*planner\["),
    ],
)
def test_settings_that_make_no_sense_are_refused_in_one_line(name, says):
    with pytest.raises(UnknownName, match=says) as error:
        make_bot(name, sprawl_env.game("tower_up"))
    assert "\n" not in str(error.value)


def test_a_planner_needs_the_states_and_says_so():
    game = sprawl_env.game("tower_up")
    with pytest.raises(ValueError, match=r"planner: act\(\) needs the states"):
        PlannerBot(game, PlannerConfig()).act(None, np.ones((1, game.num_actions), np.int8), None)


@pytest.mark.parametrize(
    "name", ["greedy", "planner", "mcts:sims=2", "heldout:rules", "heldout:features"]
)
def test_masks_that_are_not_of_the_states_reach_no_kernel(name):
    game = sprawl_env.game("tower_up")
    games = game.deal(2)
    masks = np.stack([game.legal_actions(games, g) for g in range(2)])
    bot = make_bot(name, game)
    some = masks.copy()
    some[0, masks[0].argmax() + 1 :] = 0  # a part of what is legal
    assert bot.act(None, some, games)[0] == masks[0].argmax()
    wide = masks.copy()
    wide[1] = 1
    with pytest.raises(InvalidOption, match="masks: row 1 has actions that are not legal"):
        bot.act(None, wide, games)
    games["over"][1], games["to_play"][1] = 1, -1
    with pytest.raises(InvalidOption, match="masks: row 1 has actions that are not legal"):
        bot.act(None, masks, games)


@pytest.mark.compiled
def test_the_planner_beats_random(any_game):
    seats = any_game.num_seats
    planner, random = make_bot("planner:playouts=8", any_game), make_bot("random", any_game)
    deals = 12 if seats > 1 else 60  # points vary more than wins
    results = play_games(any_game, [planner] + [random] * (seats - 1), deals, seed=1)
    if seats > 1:
        assert results.wins[:, 0].mean() > 0.8
    else:
        alone = play_games(any_game, [random], deals, seed=1)
        assert results.scores.mean() > 1.5 * alone.scores.mean()


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("name", ["tower_up", "ginkgopolis", "urban_sprawl"])
@pytest.mark.parametrize(("seats", "share", "games"), [(2, 0.65, 200), (4, 0.4, 160)])
def test_the_planner_beats_greedy(name, seats, share, games):
    game = sprawl_env.game(name, num_players=seats)
    line_up = [make_bot("planner", game)] + [make_bot("greedy", game)] * (seats - 1)
    assert play_games(game, line_up, games, seed=77).wins[:, 0].mean() > share
