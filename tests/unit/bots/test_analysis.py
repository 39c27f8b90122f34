"""bots/analysis.py: what a bot finds out about a position agrees with what it plays."""

import numpy as np
import pytest

import sprawl_env
from sprawl_env.bots import Analyst
from sprawl_env.bots.names import make_bot
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.state import NOT_OVER, clone
from sprawl_env.kernels.compile import JIT
from tests.toy import toy

SEARCHES = [
    "mcts:sims=12,plies=8",
    "flat:sims=12,plies=8",
    "planner:candidates=3,playouts=6,turns=1",
]
STEP = 5 if JIT else 12


@pytest.fixture
def game():
    return sprawl_env.game("tower_up", num_players=2)


def positions(game, plies=30, seed=1):
    """Yield some positions ``[1]`` of a random game, with their masks."""
    games, rng = game.deal(1, seed), np.random.default_rng(seed)
    for ply in range(plies):
        if games["over"][0] != NOT_OVER:
            return
        mask = game.legal_actions(games)
        if ply % STEP == 0:
            yield clone(games), mask
        game.play(games, 0, int(rng.choice(np.flatnonzero(mask))))


def equal(one, other):
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("name", SEARCHES)
def test_a_bot_plays_the_first_action_of_its_analysis(any_game, name):
    bot, twin = make_bot(name, any_game, seed=5), make_bot(name, any_game, seed=5)
    assert isinstance(bot, Analyst)
    for games, mask in positions(any_game):
        before = games.tobytes()
        found = bot.analyse(mask, games)
        assert games.tobytes() == before
        assert found.actions[0] == twin.act(None, mask[None], games)[0]
        assert sorted(found.actions.tolist()) == np.flatnonzero(mask).tolist()
        assert (found.actions.dtype, found.visits.dtype, found.values.dtype) == (
            np.int64, np.int64, np.float64,
        )  # fmt: skip
        assert found.visits[0] == found.visits.max()
        if mask.sum() > 1:
            assert np.array_equal(np.isnan(found.values), found.visits == 0)


@pytest.mark.parametrize("name", SEARCHES)
def test_the_same_seed_gives_the_same_analysis(game, name):
    bot = make_bot(name.replace("turns=1", "turns=6"), game, seed=5)  # until cards are drawn
    games, mask = next(positions(game))
    first, second = bot.analyse(mask, games), bot.analyse(mask, games)
    assert not equal(first, second)  # another decision has other random numbers
    bot.seed(5)
    assert equal(bot.analyse(mask, games), first)
    assert equal(bot.analyse(mask, games), second)


@pytest.mark.parametrize("name", SEARCHES)
def test_what_the_seat_cannot_know_changes_no_analysis(any_game, name):
    name = name.replace("turns=1", "turns=3")  # until cards are drawn
    for games, mask in positions(any_game, seed=2):
        other = clone(games)
        any_game.redeal_hidden(other, 0, 77, int(games["to_play"][0]))
        assert other.tobytes() != games.tobytes()
        here, there = (make_bot(name, any_game, seed=1).analyse(mask, g) for g in (games, other))
        assert equal(here, there)


def test_visits_and_values_of_a_search_are_those_of_its_tree(game):
    games, mask = next(positions(game))
    found = make_bot("mcts:sims=40,plies=4", game, seed=2).analyse(mask, games)
    visits, sums = make_bot("mcts:sims=40,plies=4", game, seed=2).search(games)
    assert found.visits.tolist() == visits[found.actions].tolist()
    assert found.visits.sum() == 40
    assert (found.values * found.visits)[found.visits > 0] == pytest.approx(
        sums[found.actions][found.visits > 0]
    )
    assert (np.diff(found.visits) <= 0).all()
    same = np.flatnonzero((np.diff(found.visits) == 0) & (found.visits[1:] > 0))
    assert (found.values[same] >= found.values[same + 1]).all()


def test_the_playouts_of_a_planner_are_counted_round_by_round(game):
    games, mask = next(positions(game))
    found = make_bot("planner:candidates=5,playouts=60,turns=1", game, seed=2).analyse(mask, games)
    # 3 rounds with 5, 3 and 2 candidates: 60 // 15, 60 // 9 and 60 // 6 deals
    assert found.visits.tolist() == [20, 20, 10, 4, 4] + [0] * (int(mask.sum()) - 5)
    assert found.values[0] >= found.values[1] - 1e-9
    assert found.values[3] > found.values[4]  # they have the same deals, too
    assert found.actions[5:].tolist() == sorted(found.actions[5:].tolist())


def test_a_planner_with_one_candidate_compares_nothing(game):
    games, mask = next(positions(game))
    bot = make_bot("planner:candidates=1", game)
    found = bot.analyse(mask, games)
    assert sorted(found.actions.tolist()) == np.flatnonzero(mask).tolist()
    assert found.actions[0] == bot.act(None, mask[None], games)[0]
    assert not found.visits.any()
    assert np.isnan(found.values).all()


def test_the_values_of_a_planner_are_means_in_points(game, monkeypatch):
    games, mask = next(positions(game))
    bot = make_bot("planner:candidates=3,playouts=12,turns=1", game, seed=2)

    def compare(tables, root, work, limits, share):  # each playout of an action is worth its id
        for number in range(share.first, share.last + 1):
            work.ratings[number % share.left] += work.ranked[number % share.left]

    monkeypatch.setattr(bot, "_compare", compare)
    found = bot.analyse(mask, games)
    assert found.values[:3].tolist() == found.actions[:3].tolist()
    assert found.actions[0] > found.actions[1]


@pytest.mark.parametrize("name", SEARCHES)
def test_a_single_legal_action_is_not_searched(name):
    game = toy(num_players=2, dull=2)
    games = game.deal(1, 1)
    mask = game.legal_actions(games)
    assert mask.sum() == 1
    bot = make_bot(name, game, seed=5)
    found = bot.analyse(mask, games)
    assert found.actions.tolist() == [0]
    assert found.visits.tolist() == [1]
    assert np.isnan(found.values).all()
    assert bot._decisions == 0  # as act(), which counts no decision there


@pytest.mark.parametrize("name", SEARCHES)
def test_a_mask_of_another_position_is_refused(game, name):
    bot, games = make_bot(name, game), game.deal(2, 1)
    mask = game.legal_actions(games, 0)
    more = mask.copy()
    more[np.flatnonzero(mask == 0)[0]] = 1
    for wrong, says in (
        (more, "mask: expected the legal actions of the state"),
        (1 - mask, "mask: expected the legal actions of the state"),
        (mask * 0, "masks: expected a legal action in each row"),
        (mask * 2, "masks: expected 0 and 1, got 0..2"),
    ):
        with pytest.raises(InvalidOption, match=says):
            bot.analyse(wrong, games[:1])
    with pytest.raises(InvalidOption, match="expected 1 records"):
        bot.analyse(mask, games)
    for wrong in (mask[None], mask[1:], None, 5, "mask", mask.astype(float)):
        with pytest.raises(InvalidOption, match="masks: expected int8"):
            bot.analyse(wrong, games[:1])
    for wrong in (None, games[0], [1], sprawl_env.game("ginkgopolis").deal(1)):
        with pytest.raises(InvalidOption):
            bot.analyse(mask, wrong)


def test_a_finished_game_is_refused(game):
    over = sprawl_env.game("tower_up", num_players=2, max_turns=1)
    games = over.deal(1, 1)
    while games["over"][0] == NOT_OVER:
        over.play(games, 0, int(over.legal_actions(games).argmax()))
    for name in SEARCHES:
        with pytest.raises(InvalidOption, match="expected a legal action"):
            make_bot(name, over).analyse(over.legal_actions(games), games)


def test_bots_without_an_analysis_are_no_analysts(game):
    for name in ("random", "greedy"):
        assert not isinstance(make_bot(name, game), Analyst)
