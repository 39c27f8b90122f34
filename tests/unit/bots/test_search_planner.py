"""bots/search/planner.py: a planner that a network advises, or whose playouts it judges."""

import numpy as np
import pytest

import sprawl_env
from sprawl_env.bots.names import make_bot
from sprawl_env.bots.planner import PlannerBot
from sprawl_env.bots.policy.agents import find_agent
from sprawl_env.bots.policy.checkpoint import NET, VALUE, describe_game, save
from sprawl_env.bots.search.bot import evaluator_of
from sprawl_env.bots.search.planner import AdvisedPlannerBot
from sprawl_env.core.errors import UnknownName
from sprawl_env.core.rewards import lead
from tests.unit.bots.test_mcts import middle

pytest.importorskip("torch")

from sprawl_env.bots.policy.network import network_for

AGENTS = {name: f"{name}/quick" for name in ("tower_up", "ginkgopolis", "urban_sprawl")}
NAMES = ["planner:judge={}", "planner:adviser={}", "planner:adviser={},judge={},playouts=12"]


@pytest.mark.parametrize("game", sorted(AGENTS))
@pytest.mark.parametrize("name", NAMES)
def test_it_plays_legally_repeats_itself_and_does_not_look_at_hidden_cards(game, name):
    text = name.format(*[AGENTS[game]] * 2)
    for seed in range(3):
        made, games, mask = middle(game, {}, seed=seed, plies=6 + 12 * seed)
        other = games.copy()
        made.kernels.redeal_hidden(made.tables, other, 0, 77, int(games.to_play[0]))
        found = [
            make_bot(text, made, seed=3).analyse(mask[0], each) for each in (games, games, other)
        ]
        assert mask[0, found[0].actions[0]]
        for each in found[1:]:
            for mine, theirs in zip(found[0], each, strict=True):
                assert np.array_equal(mine, theirs, equal_nan=mine.dtype.kind == "f")
        assert make_bot(text, made, seed=3).act(None, mask, games)[0] == found[0].actions[0]


def test_the_candidates_are_the_likeliest_actions():
    game, games, mask = middle("tower_up", {})
    bot = make_bot("planner:adviser=tower_up/quick,candidates=3", game)
    assert isinstance(bot, AdvisedPlannerBot)
    tried = bot.analyse(mask[0], games)
    seen = game.observe(games, 0, int(games.to_play[0]))[None]
    logits = sprawl_env.load_policy("agent:tower_up/quick").logits(seen, mask)[0]
    likeliest = np.argsort(-logits)[:3]
    assert sorted(tried.actions[tried.visits > 0].tolist()) == sorted(likeliest.tolist())


def test_a_judge_rates_the_candidates_of_the_plain_planner():
    game, games, mask = middle("tower_up", {}, plies=20)
    path = find_agent("agent:tower_up/quick", game)
    bot = make_bot(f"planner:judge=checkpoint:{path},turns=1,playouts=16", game)
    plain = make_bot("planner:turns=1,playouts=16", game)
    judged, rated = bot.analyse(mask[0], games), plain.analyse(mask[0], games)
    assert set(judged.actions[judged.visits > 0]) == set(rated.actions[rated.visits > 0])
    assert np.nanmax(np.abs(judged.values)) < 100
    assert evaluator_of(f"checkpoint:{path}", game) is not None


def foresees_nothing(folder, game):
    """Write a checkpoint whose value head says that no lead will change."""
    net = network_for(game, 8, 16)
    tensors = {f"{NET}{name}": each.numpy() for name, each in net.state_dict().items()}
    tensors |= {f"{VALUE}weight": np.zeros((1, 16), np.float32)}
    tensors |= {f"{VALUE}bias": np.zeros(1, np.float32)}
    about = {
        **describe_game(game),
        "step": 1,
        "network": {"width": 8, "trunk": 16},
        "config": {"reward": "lead", "reward_scale": 0.05},
        "spread": 5.0,
    }
    return save(folder, tensors, about)


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("ahead", [True, False])
def test_a_judge_sees_the_end_of_the_playout_as_its_own_seat(tmp_path, seats, ahead):
    """The playouts end with a decision of another seat, so the margin is that seat's."""
    game, games, mask = middle("tower_up", {"num_players": seats}, plies=20)
    path = foresees_nothing(tmp_path / "step-1", game)
    own = np.arange(seats) == int(games["to_play"][0])
    games["chip"][0, :seats] = np.where(own == ahead, 120, 0)[:, None]
    bot = make_bot(f"planner:judge=checkpoint:{path},turns=1,playouts=16", game)
    found = bot.analyse(mask[0], games)
    values = found.values[found.visits > 0]
    assert values.size > 1
    assert (values > 0 if ahead else values < 0).all()
    if seats == 2:  # the margin of one is that of the other
        assert np.abs(values) == pytest.approx(3 * 120, abs=60)


def test_a_finished_game_counts_on_the_scale_of_the_judge(tmp_path):
    """The judge expects the lead over the mean of the others, so that is what the end has too."""
    game = sprawl_env.game("tower_up", num_players=4)
    path = foresees_nothing(tmp_path / "step-1", game)
    bot = make_bot(f"planner:judge=checkpoint:{path},turns=1,playouts=64,victory=0", game, seed=1)
    ended = 0
    for seed in range(6):
        position = last_choice(game, seed)
        found = bot.analyse(game.legal_actions(position, 0), position)
        for action, value in zip(found.actions, found.values, strict=True):
            games = position.copy()
            game.play(games, 0, int(action))
            if games.over[0] and not np.isnan(value):
                ended += 1
                assert value == pytest.approx(lead(game.scores(games, 0), int(position.to_play[0])))
    assert ended > 5


def last_choice(game, seed):
    """Return the last position of a random game in which there was a choice."""
    games, rng = game.deal(1, seed), np.random.default_rng(seed)
    while not games.over[0]:
        legal = np.flatnonzero(game.legal_actions(games, 0))
        if legal.size > 1:
            found = games.copy()
        game.play(games, 0, int(rng.choice(legal)))
    return found


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("planner:judge=", "expected one agent, as in planner:judge=best"),
        ("planner:judge=a,judge=b", "expected one agent"),
        ("planner:judge=uniform", "judge=uniform: expected an agent"),
        ("planner:adviser=nobody", "no such agent"),
        ("planner:judges=best", "no setting 'judges'"),
    ],
)
def test_a_name_that_is_wrong_is_refused(name, message):
    with pytest.raises(UnknownName, match=message):
        make_bot(name, sprawl_env.game("tower_up"))


def test_without_a_network_it_is_the_planner():
    bot = make_bot("planner:playouts=4", sprawl_env.game("tower_up"))
    assert type(bot) is PlannerBot
    assert bot.name == "planner:playouts=4"
