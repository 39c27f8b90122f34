"""All bots: legal, reproducible, and without use of hidden information."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import sprawl_env
from sprawl_env.arena.games import join, play_games
from sprawl_env.bots.mcts import SearchBot, SearchConfig
from sprawl_env.bots.names import BOTS, make_bot
from sprawl_env.bots.policy.checkpoint import CheckpointError
from sprawl_env.core.errors import InvalidOption, UnknownName
from sprawl_env.core.state import clone
from tests.toy import toy


def decisions(game, count=24, plies=25, seed=0):
    """Return states of some games in progress and their masks."""
    vec = sprawl_env.make_vec(game, count, seed=seed, observations=None)
    vec.reset()
    for _ in range(plies):
        vec.step(vec.sample_actions())
    return clone(vec.games), vec.masks.copy()


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_bots_play_legally_and_the_same_again_from_the_same_seed(any_game, name):
    states, masks = decisions(any_game)
    bot = make_bot(name, any_game, seed=3)
    first = bot.act(None, masks, states)
    assert masks[np.arange(len(masks)), first].all()
    bot.seed(3)
    again = bot.act(None, masks, states)
    assert first.tolist() == again.tolist()


def test_greedy_leaves_the_states_alone_and_takes_the_best_value(any_game):
    states, masks = decisions(any_game)
    before = states.tobytes()
    greedy = make_bot("greedy", any_game)
    values = greedy.values(masks, states)
    actions = greedy.act(None, masks, states)
    assert states.tobytes() == before
    assert np.isneginf(values[masks == 0]).all()
    assert np.isfinite(values[masks == 1]).all()
    assert (values[np.arange(len(values)), actions] == values.max(axis=1)).all()


def test_greedy_breaks_ties_at_random():
    greedy = make_bot("greedy", sprawl_env.game("tower_up"))
    values = np.full((300, 251), -np.inf, np.float32)
    values[:, [3, 7, 9]] = 1
    counts = np.bincount(greedy.choose(values), minlength=251)
    assert counts.sum() == counts[[3, 7, 9]].sum() == 300
    assert counts[[3, 7, 9]].min() > 60


def test_greedy_uses_nothing_that_is_hidden(any_game):
    states, masks = decisions(any_game, count=12)
    greedy = make_bot("greedy", any_game)
    values = greedy.values(masks, states)
    for k in range(len(states)):
        any_game.redeal_hidden(states, k, seed=k + 1, seat=int(states.to_play[k]))
    assert np.array_equal(values, greedy.values(masks, states))


@pytest.mark.compiled
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_greedy_beats_random_from_every_seat(seats):
    game = sprawl_env.game("tower_up", num_players=seats)
    line_up = [make_bot("greedy", game)] + [make_bot("random", game)] * (seats - 1)
    results = play_games(game, line_up, 40, seed=1)
    for k in range(seats):
        assert results.wins[results.seats[:, 0] == k, 0].mean() > 0.8


def test_paired_games_share_deals_and_rotate_seats(any_game):
    bots = [make_bot("random", any_game, seed=k) for k in range(any_game.num_seats)]
    seats = any_game.num_seats
    results = play_games(any_game, bots, max(2 * seats - 1, 2), seed=5)
    assert results.deals.tolist() == [0] * seats + [1] * seats
    assert results.seats.shape == results.scores.shape == (2 * seats, seats)
    for deal in (0, 1):
        rows = results.seats[results.deals == deal]
        assert sorted(map(tuple, rows)) == sorted(
            {tuple(np.roll(range(seats), k)) for k in range(seats)}
        )
    if any_game.num_sides == seats:
        assert results.wins.sum(axis=1) == pytest.approx(1)
        assert results.margins.sum(axis=1) == pytest.approx(0)
    assert (results.plies > 0).all()


def test_alone_against_the_automaton_wins_and_margins_count_its_side():
    game = toy(num_players=1)
    results = play_games(game, [make_bot("random", game)], 60, seed=2)
    assert results.wins.shape == results.scores.shape == results.margins.shape == (60, 1)
    assert results.wins[:, 0].tolist() == ((np.sign(results.margins[:, 0]) + 1) / 2).tolist()
    assert set(results.wins[:, 0]) == {0, 0.5, 1}
    assert results.deals.tolist() == list(range(60))


def test_margins_are_own_points_less_the_mean_of_the_others(any_game):
    bots = [make_bot("random", any_game, seed=k) for k in range(any_game.num_seats)]
    results = play_games(any_game, bots, any_game.num_seats, seed=5)
    if any_game.num_seats > 1:
        mean = (results.scores.sum(axis=1) - results.scores[:, 0]) / (any_game.num_seats - 1)
        assert results.margins[:, 0] == pytest.approx(results.scores[:, 0] - mean)


def test_results_are_joined_game_after_game():
    game = toy(num_players=2)
    bots = [make_bot("random", game, 1), make_bot("random", game, 2)]
    parts = [play_games(game, bots, 6, seed=s) for s in (1, 2)]
    both = join(parts)
    assert both.scores.tolist() == parts[0].scores.tolist() + parts[1].scores.tolist()
    assert both.margins.shape == both.seats.shape == (12, 2)


def test_a_bot_that_cheats_is_named():
    game = sprawl_env.game("tower_up")
    cheat = make_bot("random", game)
    cheat.name, cheat.act = "cheat", lambda o, m, s: np.full(len(m), 250)
    with pytest.raises(sprawl_env.IllegalAction, match=r"bot cheat: .*may not play 250"):
        play_games(game, [cheat, make_bot("random", game)], 2)
    for answer in ([0, 0, 0], [0.0, 0.0], None):
        cheat.act = lambda o, m, s, answer=answer: answer
        with pytest.raises(sprawl_env.IllegalAction, match=r"bot cheat: .*expected whole number"):
            play_games(game, [cheat, make_bot("random", game)], 2)


def test_a_bot_cannot_make_an_action_legal_by_writing_on_its_mask():
    game = sprawl_env.game("tower_up")
    cheat = make_bot("random", game)

    def act(observations, masks, states):
        masks[:, 250] = 1
        return np.full(len(masks), 250)

    cheat.act = act
    with pytest.raises(sprawl_env.IllegalAction, match="may not play 250"):
        play_games(game, [cheat, make_bot("random", game)], 2)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("gredy", "did you mean 'greedy'"),
        ("checkpoint", "checkpoint:PATH"),
        ("checkpoint:nowhere", "no such folder"),
    ],
)
def test_unknown_bots_are_refused_in_one_line(name, says):
    with pytest.raises(ValueError, match=says) as error:
        make_bot(name, sprawl_env.game("tower_up"))
    assert "\n" not in str(error.value)
    kinds = {name.partition("[")[0].partition(":")[0] for name in BOTS}
    own = {"checkpoint", "agent", "module", "torch", "sb3", "heldout"}
    assert kinds == {"random", "greedy", "planner", "mcts", "flat", "search"} | own


@pytest.mark.parametrize("name", ["random", "greedy", "planner:playouts=2", "mcts:sims=4"])
def test_masks_of_other_numbers_or_without_a_legal_action_are_refused(name):
    game = sprawl_env.game("tower_up")
    bot = make_bot(name, game, seed=1)
    states, masks = decisions(game, count=2)
    needed = states if bot.needs_states else None
    for number in (64, 2, -1):
        other = masks.copy()
        other[0, 0] = number
        with pytest.raises(InvalidOption, match="masks: expected 0 and 1, got"):
            bot.act(None, other, needed)
    with pytest.raises(InvalidOption, match=r"masks: expected 0 and 1, got 0\.\.255"):
        bot.act(None, masks * np.uint8(255), needed)
    frozen = masks.copy()
    frozen.flags.writeable = False
    assert masks[[0, 1], bot.act(None, frozen, needed)].all()
    if needed is not None:
        masks[1] = 0
        with pytest.raises(InvalidOption, match="expected a legal action in each row"):
            bot.act(None, masks, needed)


def test_a_search_has_room_for_five_sides():
    game = SimpleNamespace(num_sides=6)
    with pytest.raises(InvalidOption, match="mcts: expected a game of at most 5 sides"):
        SearchBot(game, SearchConfig())


def test_a_bot_of_a_users_class_knows_options_that_were_added_later():
    vec = sprawl_env.make_vec("tower_up", 1, options=[{"max_turns": 5}], observations=None)
    make_bot("tests.bots:First", vec.game)
    vec.set_options([{"max_turns": 7}])
    game = make_bot("tests.bots:First", vec.game)._bot.game
    assert 7 in [each["max_turns"] for each in game.accepted]


@pytest.mark.parametrize(
    "name",
    ["random", "greedy", "planner", "mcts:sims=2", "search:agent=uniform,sims=2", "heldout:rules",
     "heldout:features", "planner:judge=best", "planner:adviser=best,playouts=4", "agent:best"],
)  # fmt: skip
def test_a_bot_that_is_sent_to_another_process_takes_its_kernels_there(any_game, name):
    try:
        bot = make_bot(name, any_game)
    except (UnknownName, CheckpointError):  # no agent for so many seats
        return
    sent = pickle.dumps(bot)
    assert b"_rebuild_reduction" not in sent  # of numba: it would be compiled again
    again = pickle.loads(sent)
    states, masks = decisions(any_game, count=4)
    seen = np.stack([any_game.observe(states, k, int(states.to_play[k])) for k in range(4)])
    assert np.array_equal(again.act(seen, masks, states), bot.act(seen, masks, states))
