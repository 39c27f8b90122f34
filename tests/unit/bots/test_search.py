"""bots/search: legal, reproducible, without hidden information, guided by its network."""

import functools
import math
import shutil
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import sprawl_env
from sprawl_env.bots.names import make_bot
from sprawl_env.bots.policy.agents import find_agent
from sprawl_env.bots.policy.checkpoint import SHARES, VALUE, Checkpoint, CheckpointError, load
from sprawl_env.bots.search.bot import LearnedSearchBot, evaluator_of, fixed_name_of, parse_learned
from sprawl_env.bots.search.conclusion import best_action_of, new_found
from sprawl_env.bots.search.evaluators import UniformEvaluator, heads_of, network_evaluator
from sprawl_env.bots.search.heads import (
    LEAD,
    LEAST_SHARE,
    MARGIN,
    VICTORY,
    Heads,
    judge_sides,
    no_shares,
)
from sprawl_env.bots.search.schedule import halving
from sprawl_env.bots.search.search import FIRST_STEPS, TreeConfig, TreeSearch
from sprawl_env.bots.search.spread import measured_spread, one_digit
from sprawl_env.core.errors import InvalidOption, UnknownName
from sprawl_env.core.game import Game
from tests.toy import GIVE, KEEP, RULES, TOP_BID
from tests.unit.bots.test_mcts import GAMES, middle

SETTINGS = [
    "sims=20",
    "sims=20,gumbel=0",
    "sims=20,keyed=1",
    "sims=20,keyed=1,gumbel=3",
    "sims=20,lanes=4",
    "sims=10,trees=2,threads=2,gumbel=0",
    "sims=20,margin=0.5,doubt=0.1",
    "sims=10,rollout=6",
]


def search_of(game, settings, seed=5):
    return make_bot(f"search:agent=uniform,{settings}", game, seed=seed)


def found_by(bot, games):
    found = bot._find(games)
    return [array.tolist() for array in (found.actions, found.visits, found.policies, found.worth)]


@pytest.mark.parametrize(("name", "options"), GAMES, ids=str)
@pytest.mark.parametrize("settings", SETTINGS)
def test_a_search_repeats_itself_and_tries_legal_actions(name, options, settings):
    game, games, mask = middle(name, options)
    was = games.tobytes()
    one, two = (search_of(game, settings) for _ in range(2))
    assert found_by(one, games) == found_by(two, games)
    found = one._find(games)
    assert found.visits.sum() == one._config.sims * one._config.trees
    assert mask[0, np.flatnonzero(found.visits[0])].all()
    assert mask[0, found.actions[0]]
    assert np.array_equal(np.isnan(found.values[0]), found.visits[0] == 0)
    tried = found.values[0][found.visits[0] > 0]
    assert ((tried >= 0) & (tried <= 1)).all()
    assert found.policies[0].sum() == pytest.approx(1, abs=1e-5)
    assert (found.policies[0][mask[0] == 0] == 0).all()
    assert games.tobytes() == was


@pytest.mark.parametrize(("name", "options"), GAMES, ids=str)
@pytest.mark.parametrize("settings", ["sims=16", "sims=16,keyed=1", "sims=8,rollout=40"])
def test_what_the_seat_cannot_know_changes_nothing(name, options, settings):
    for seed in range(5):
        game, games, _ = middle(name, options, seed=seed, plies=5 + 9 * seed)
        other = games.copy()
        game.kernels.redeal_hidden(game.tables, other, 0, 77, int(games.to_play[0]))
        assert other.tobytes() != games.tobytes()
        here, there = (found_by(search_of(game, settings), each) for each in (games, other))
        assert here == there


@pytest.mark.parametrize(("name", "options"), GAMES, ids=str)
@pytest.mark.parametrize("settings", ["sims=20", "sims=20,gumbel=0", "sims=20,keyed=1,gumbel=3"])
def test_simulations_try_only_what_may_be_played(name, options, settings):
    game, games, mask = middle(name, options)
    allowed = np.zeros_like(mask)
    allowed[0, np.flatnonzero(mask[0])[-2:]] = 1
    found = search_of(game, settings)._find(games, allowed)
    assert found.visits[0, allowed[0] == 1].sum() == 20
    assert allowed[0, found.actions[0]]


def test_many_games_at_once_are_searched_as_one_after_another(monkeypatch):
    game = sprawl_env.game("tower_up")
    positions = [middle("tower_up", {}, seed=seed, plies=4 * seed) for seed in range(6)]
    games = game.empty(6)
    for k, (_, one, _) in enumerate(positions):
        games[k] = one[0]
    masks = np.concatenate([mask for _, _, mask in positions])
    masks = np.stack([game.legal_actions(games, k) for k in range(6)])
    together = search_of(game, "sims=12").act(None, masks, games)
    alone = search_of(game, "sims=12")
    apart = [int(alone.act(None, masks[k : k + 1], games[k : k + 1])[0]) for k in range(6)]
    assert together.tolist() == apart
    few = search_of(game, "sims=12")
    few._search.most_positions = 4  # in two parts, as if the trees were large
    assert few.act(None, masks, games).tolist() == apart


def test_threads_change_nothing_but_the_time():
    game, games, _ = middle("tower_up", {})
    one = found_by(search_of(game, "sims=20,trees=3,threads=1"), games)
    assert one == found_by(search_of(game, "sims=20,trees=3,threads=3"), games)


@pytest.mark.parametrize("settings", ["sims=40", "sims=40,gumbel=0", "sims=10,trees=2"])
def test_threads_do_not_change_how_large_a_tree_may_grow(monkeypatch, settings):
    game, games, _ = middle("tower_up", {})
    node = search_of(game, "sims=1")._search._bytes()
    few = 12 * node  # fewer nodes than simulations
    monkeypatch.setattr("sprawl_env.bots.search.search.MOST_BYTES", few)
    one, two = (search_of(game, f"{settings},threads={threads}") for threads in (1, 2))
    trees = one._config.trees
    assert one._search.most_nodes == two._search.most_nodes == 12 // trees < one._config.sims
    assert (one._search.most_positions, two._search.most_positions) == (1, 2)
    assert found_by(one, games) == found_by(two, games)


def test_a_side_that_is_alone_searches_for_points():
    game = Game(replace(RULES, automaton=False), num_players=1, rounds=1)
    assert game.num_sides == 1
    games = game.deal(1, seed=1)
    mask = game.legal_actions(games, 0)
    low, high = np.flatnonzero(mask)
    bids = search_of(game, "sims=64,c=0.1")._find(games)
    assert bids.values[0, low] < bids.values[0, high] < 1
    assert bids.actions[0] == high == TOP_BID - 1
    game.play(games, 0, high)
    answers = search_of(game, "sims=16")._find(games)
    assert answers.actions[0] == KEEP
    assert answers.values[0, GIVE] == pytest.approx(0.5 + 0.5 * 2 / (2 + 10))  # of 2 points
    assert answers.values[0, KEEP] == pytest.approx(0.5 + 0.5 * 5 / (5 + 10))
    assert answers.policies[0, KEEP] > answers.policies[0, GIVE]


def test_each_position_has_the_simulations_it_wants():
    game, games, _ = middle("tower_up", {})
    both = game.empty(2)
    both[0] = both[1] = games[0]
    search = TreeSearch(game, UniformEvaluator(game), TreeConfig(sims=24))
    found = search.run(both, np.array([1, 2]), np.array([24, 5]))
    assert found.visits.sum(axis=1).tolist() == [24, 5]


def test_the_best_action_is_first_in_the_analysis_and_a_forced_one_is_not_searched():
    game, games, mask = middle("tower_up", {})
    settings = "sims=24"
    analysis = search_of(game, settings).analyse(mask[0], games)
    assert analysis.actions[0] == search_of(game, settings).act(None, mask, games)[0]
    assert sorted(analysis.actions.tolist()) == np.flatnonzero(mask[0]).tolist()
    assert analysis.visits.sum() == 24
    assert (np.diff(analysis.visits[1:]) <= 0).all()
    games = game.deal(1, seed=0)
    while game.legal_actions(games, 0).sum() != 1:
        legal = np.flatnonzero(game.legal_actions(games, 0))
        game.play(games, 0, int(legal[0]))
    forced = game.legal_actions(games, 0)
    bot = search_of(game, settings)
    assert bot.act(None, forced[None], games)[0] == forced.argmax()
    assert bot._decisions == 0
    assert bot.analyse(forced, games).visits.tolist() == [1]


def test_a_time_limit_ends_the_search():
    game, games, mask = middle("tower_up", {})
    bot = make_bot("search:agent=uniform,ms=80", game)
    assert bot._config.gumbel == 0
    bot.act(None, mask, games)
    start = time.perf_counter()
    found = bot._find(games)
    assert time.perf_counter() - start < 2.0
    assert 1 < found.visits.sum() < bot._config.sims


@pytest.mark.parametrize("agent", ["uniform", "tower_up/quick"])  # judged together, in the kernel
def test_however_little_time_there_is_every_position_gets_a_simulation_of_its_own(agent):
    search = make_bot(f"search:agent={agent},ms=1", sprawl_env.game("tower_up"))._search
    for plies in (4, 30):
        _, games, mask = middle("tower_up", {}, plies=plies)
        found = search.run(games, np.array([7]), masks=mask, seconds=0.0)
        assert 0 < found.visits.sum() < 100
        assert mask[0, found.visits[0] > 0].all()
        assert mask[0, found.actions[0]]


def test_a_search_looks_up_from_long_rollouts():
    game, games, mask = middle("tower_up", {"num_players": 2})
    bot = make_bot("search:agent=tower_up/quick,sims=2,rollout=500", game)
    bot.act(None, mask, games)
    grow, asked = bot._search._grow_kernel, []
    bot._search._grow_kernel = lambda *given: asked.append(given[-1]) or grow(*given)
    bot.act(None, mask, games)
    assert asked[0] == FIRST_STEPS


def test_rivals_that_choose_unseen_leave_time_for_a_simulation(tmp_path):
    pytest.importorskip("torch")
    from tests.unit.bots.test_search_planner import foresees_nothing

    game = sprawl_env.game("ginkgopolis", num_players=5)
    path = foresees_nothing(tmp_path / "step-1", game)
    bot = make_bot(f"search:agent=checkpoint:{path},ms=1", game)
    for seed in range(8):
        _, games, mask = middle("ginkgopolis", {"num_players": 5}, seed=seed, plies=9 * seed)
        found = bot._search.run(games, np.array([7]), masks=mask, seconds=0.0)
        assert found.visits.sum() > 0


def test_without_a_visit_the_likeliest_action_is_played():
    mask, visits = np.array([0, 1, 1, 1], np.int8), np.zeros(4, np.int64)
    logits, noise = np.array([9.0, -2.0, 3.0, 1.0], np.float32), np.zeros(4, np.float32)
    values = np.full(4, np.nan)
    assert best_action_of(logits, values, visits, mask, noise, False) == 2
    game = sprawl_env.game("tower_up")
    bot = search_of(game, "sims=8,temperature=1")
    found = new_found(1, game.num_actions)._replace(actions=np.array([3]))
    assert bot._chosen(found).tolist() == [3]


def test_a_search_makes_as_many_simulations_as_there_is_time_for(monkeypatch):
    game, games, mask = middle("tower_up", {})
    search = make_bot("search:agent=tower_up/quick,ms=30", game)._search
    search.run(games, np.array([7]), masks=mask, seconds=0.0)
    asked = []

    def slow(*arguments):
        asked.append(arguments[-1])
        time.sleep(0.001 * asked[-1])
        return False

    monkeypatch.setattr(search, "_grow_kernel", slow)
    search.run(games, np.array([7]), masks=mask, seconds=0.03)
    assert asked[0] >= 8
    assert sum(asked) <= 31  # milliseconds


def test_the_time_of_a_search_begins_when_everything_is_compiled(monkeypatch):
    search = make_bot("search:agent=tower_up/quick,ms=1", sprawl_env.game("tower_up"))._search
    laid_out = search._laid_out

    def slowly(*arguments):
        time.sleep(0.3)
        return laid_out(*arguments)

    monkeypatch.setattr(search, "_laid_out", slowly)
    _, games, mask = middle("tower_up", {})
    few = search.run(games, np.array([7]), masks=mask, seconds=0.0).visits.sum()
    assert search.run(games, np.array([7]), masks=mask, seconds=0.25).visits.sum() > 4 * few


def test_a_temperature_draws_by_the_visits():
    game, games, mask = middle("tower_up", {})
    bot = search_of(game, "sims=32,gumbel=0,temperature=1")
    drawn = {int(bot.act(None, mask, games)[0]) for _ in range(30)}
    assert len(drawn) > 3
    assert mask[0, list(drawn)].all()
    cold = search_of(game, "sims=32,gumbel=0,temperature=0.01")
    found = search_of(game, "sims=32,gumbel=0")._find(games)
    top = np.flatnonzero(found.visits[0] == found.visits[0].max())
    assert int(cold.act(None, mask, games)[0]) in top


def test_a_temperature_draws_the_same_for_an_analysis():
    game, games, mask = middle("tower_up", {})
    settings = "sims=16,gumbel=0,temperature=2"
    plays, analyses = search_of(game, settings), search_of(game, settings)
    played = [int(plays.act(None, mask, games)[0]) for _ in range(8)]
    found = [analyses.analyse(mask[0], games) for _ in range(8)]
    assert [int(each.actions[0]) for each in found] == played
    assert any(each.visits[0] < each.visits.max() for each in found)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("search", "expected one agent, as in search:agent=best,sims=32"),
        ("search:sims=3", "expected one agent"),
        ("search:agent=a,agent=b", "expected one agent"),
        ("search:agent=uniform,sims=0", "sims='0': expected a whole number 1.."),
        ("search:agent=uniform,depth=3", "no setting 'depth'; there are sims, ms"),
        ("search:agent=nobody", "no such agent"),
        ("search:agent=uniform,keyed=2", "keyed='2': expected a whole number 0..1"),
    ],
)
def test_a_name_that_is_wrong_is_refused_in_one_line(name, message):
    game = sprawl_env.game("tower_up")
    with pytest.raises(UnknownName, match=message) as caught:
        make_bot(name, game)
    assert "\n" not in str(caught.value)


def test_every_setting_can_be_named():
    names = set(TreeConfig.__dataclass_fields__)
    given = ",".join(f"{name}=1" for name in sorted(names))
    agent, config = parse_learned(f"search:agent=best,{given}")
    assert agent == "best"
    assert {name for name in names if getattr(config, name) == 1} == names


def test_a_schedule_halves_the_actions_and_uses_every_simulation():
    assert halving(4, 8).tolist() == [0, 0, 0, 0, 1, 1, 2, 2]
    assert halving(1, 3).tolist() == [0, 1, 2]
    assert halving(2, 5).tolist() == [0, 0, 1, 1, 2]
    for considered in range(1, 20):
        for sims in (1, 2, 7, 32, 100):
            plan = halving(considered, sims)
            assert plan.size == sims
            assert (plan == 0).sum() == min(considered, sims)
    with pytest.raises(ValueError, match="read-only"):
        halving(4, 8)[0] = 1


# ------------------------------------------------------------------------------ networks


torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def agent():
    game = sprawl_env.game("tower_up")
    return game, load(find_agent("agent:tower_up/quick", game), game)


def seen(game, plies=20):
    games = middle("tower_up", {}, plies=plies)[1]
    numbers = np.empty((1, game.observation_size), np.int8)
    seat = int(games.to_play[0])
    game.kernels.observe(game.tables, games, 0, seat, numbers[0])
    scores = game.scores(games, 0)
    return numbers, game.legal_actions(games, 0)[None], np.roll(scores, -seat)[None]


def test_a_critic_of_leads_gives_margins_and_shares(agent):
    game, checkpoint = agent
    numbers, masks, points = seen(game)
    found = network_evaluator(checkpoint, game)(numbers, masks, points)
    policy = sprawl_env.load_policy("agent:tower_up/quick")
    value = policy.values(numbers * game.observation_layout.scales)[0]
    assert found.margins[0] == pytest.approx(value + points[0, 0] - points[0, 1], abs=1e-3)
    assert found.shares.sum(axis=1) == pytest.approx(1)
    assert (found.shares[0, 0] > 0.5) == (found.margins[0] > 0)
    expected = policy.logits(numbers * game.observation_layout.scales, masks)
    legal = masks[0] != 0
    assert found.logits[0, legal] == pytest.approx(expected[0, legal], abs=1e-4)


@pytest.mark.parametrize("reward", ["winner", "margin", "score"])
def test_what_a_value_means_depends_on_the_reward(agent, reward):
    game, checkpoint = agent
    config = {**checkpoint.about["config"], "reward": reward, "reward_scale": 1.0}
    other = replace(checkpoint, about={**checkpoint.about, "config": config})
    if reward == "score":
        with pytest.raises(CheckpointError, match="expected reward lead, margin, winner, rank"):
            network_evaluator(other, game)
        return
    found = network_evaluator(other, game)(*seen(game))
    assert 0 < found.shares[0, 0] < 1
    assert found.shares.sum() == pytest.approx(1)


@pytest.mark.parametrize(("seats", "refused"), [(2, False), (3, True), (4, True)])
def test_values_of_ranks_say_the_victory_of_two_sides_only(seats, refused):
    game, width = sprawl_env.game("tower_up", num_players=seats), 4
    head = {f"{VALUE}weight": np.ones((1, width), np.float32), f"{VALUE}bias": np.zeros(1)}
    for reward in ("winner", "rank"):
        about = {"config": {"reward": reward, "reward_scale": 1.0}}
        checkpoint = Checkpoint(Path("made"), about, head)
        if refused and reward == "rank":
            with pytest.raises(CheckpointError, match="expected reward lead, margin, winner, got"):
                heads_of(checkpoint, game, width)
        else:
            assert heads_of(checkpoint, game, width).kind == VICTORY


def same(one, other):
    return all(
        np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("kind", [LEAD, MARGIN, VICTORY])
def test_a_side_that_is_alone_is_judged_by_its_own_points(kind):
    width, shares = 2, np.zeros(1, np.float32)
    heads = Heads(
        kind, 1.0, 5.0, np.full(width, 0.25, np.float32), np.full(1, 0.5, np.float32),
        *no_shares(1, width),
    )  # fmt: skip
    points = np.array([30], np.int32)
    found = judge_sides(heads, np.ones(width, np.float32), points, shares)
    surely = 5 * math.log((1 - LEAST_SHARE) / LEAST_SHARE)  # it has the whole victory
    assert found == {LEAD: 31.0, MARGIN: 1.0, VICTORY: pytest.approx(surely)}[kind]
    assert shares[0] == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    "settings",
    [{}, {"keyed": 1, "lanes": 3}, {"trees": 2, "gumbel": 0}, {"rollout": 3, "lanes": 2}],
)
def test_a_compiled_network_is_searched_as_any_other_function(agent, settings, threads):
    game, checkpoint = agent
    compiled = network_evaluator(checkpoint, game)
    config = TreeConfig(sims=20, **settings)
    shared = replace(config, threads=threads)
    games, seeds = game.empty(5), np.arange(4, 9)
    for k in range(5):
        games[k] = middle("tower_up", {}, seed=k, plies=8 * k)[1][0]
    wanted = np.array([20, 3, 20, 3, 1])
    inside = TreeSearch(game, compiled, config).run(games, seeds, wanted)
    assert same(inside, TreeSearch(game, compiled, shared).run(games, seeds, wanted))
    outside = TreeSearch(game, functools.partial(compiled), shared)
    assert same(inside, outside.run(games, seeds, wanted))
    assert same(inside, outside.run(games, seeds, wanted))  # its arrays are used again


def test_an_evaluator_is_asked_by_one_thread_at_a_time_and_for_many_leaves(agent):
    game, checkpoint = agent
    compiled, asking, rows = network_evaluator(checkpoint, game), [], []

    def evaluate(numbers, masks, points):
        asking.append(1)
        assert len(asking) == 1
        rows.append(len(numbers))
        found = compiled(numbers, masks, points)
        asking.pop()
        return found

    games, seeds = game.empty(40), np.arange(40)
    for k in range(40):
        games[k] = middle("tower_up", {}, seed=k, plies=k)[1][0]
    TreeSearch(game, evaluate, TreeConfig(sims=8, threads=4)).run(games, seeds)
    assert max(rows) == 20  # half of the trees


@pytest.mark.parametrize("name", ["sb3:quick", "heldout:best", "agents:quick"])
def test_what_names_no_agent_is_refused(name):
    game = sprawl_env.game("tower_up")
    for bot in (f"search:agent={name}", f"planner:judge={name}", f"planner:adviser={name}"):
        with pytest.raises(UnknownName, match=rf"agent '{name}': expected the name of an agent or"):
            make_bot(bot, game)


@pytest.mark.parametrize(("gumbel", "kept"), [(0, 0), (4, 12)])
def test_choices_of_rivals_are_kept_where_simulations_share_a_deal(gumbel, kept):
    game = sprawl_env.game("ginkgopolis", num_players=5)
    search = TreeSearch(game, UniformEvaluator(game), TreeConfig(sims=6, gumbel=gumbel))
    search.run(game.deal(1), np.zeros(1, np.int64))
    assert search._choices.identities.shape == (1, 7, kept)


@pytest.mark.parametrize("threads", [1, 2])
def test_nothing_is_found_in_no_position(agent, threads):
    game, _ = agent
    search = TreeSearch(game, UniformEvaluator(game), TreeConfig(sims=8, threads=threads))
    found = search.run(game.empty(0), np.zeros(0, np.int64))
    assert found.policies.shape == (0, game.num_actions)


def test_an_evaluator_that_fails_stops_all_threads(agent):
    game, _ = agent
    games, seeds = game.empty(8), np.arange(8)
    for k in range(8):
        games[k] = middle("tower_up", {}, seed=k, plies=k)[1][0]
    search = TreeSearch(game, lambda *_: 1 / 0, TreeConfig(sims=8, threads=2))
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            search.run(games, seeds)


@pytest.mark.parametrize("bad", ["shape", "nan"])
def test_a_function_that_returns_nonsense_damages_nothing(bad):
    game, games, mask = middle("tower_up", {})

    def evaluate(numbers, masks, points):
        found = UniformEvaluator(game)(numbers, masks, points)
        if bad == "shape":
            return found._replace(shares=found.shares[:, :1])
        return found._replace(logits=found.logits * np.nan, shares=found.shares * np.nan)

    search = TreeSearch(game, evaluate, TreeConfig(sims=20, gumbel=0))
    if bad == "shape":
        with pytest.raises(InvalidOption, match=r"evaluator: expected float32 \(1, 251\)"):
            search.run(games, np.array([1]))
    else:
        found = search.run(games, np.array([1]))
        assert mask[0, np.flatnonzero(found.visits[0])].all()


def test_a_name_that_is_kept_is_neither_best_nor_a_run(tmp_path):
    game = sprawl_env.game("tower_up")
    folder = find_agent("agent:best", game)
    assert fixed_name_of("best", game) == f"tower_up/{folder.name}"
    assert fixed_name_of("agent:tower_up/quick", game) == "tower_up/quick"
    step = tmp_path / "run" / "checkpoints" / "step-0000000007"
    shutil.copytree(folder, step)
    assert fixed_name_of(f"checkpoint:{tmp_path / 'run'}", game) == f"checkpoint:{step}"
    with pytest.raises(UnknownName, match="no such agent"):
        fixed_name_of("nobody", game)


def with_heads(checkpoint, sides):
    width = checkpoint.about["network"]["trunk"]
    rng = np.random.default_rng(0)
    heads = {
        f"{SHARES}weight": rng.normal(size=(sides, width)).astype(np.float32),
        f"{SHARES}bias": np.zeros(sides, np.float32),
        f"{VALUE}weight": np.zeros((1, width), np.float32),
        f"{VALUE}bias": np.full(1, 0.1, np.float32),
    }
    return Checkpoint(checkpoint.path, checkpoint.about, {**checkpoint.tensors, **heads})


def test_the_head_for_the_shares_adds_to_what_the_margin_gives(agent):
    game, checkpoint = agent
    made = with_heads(checkpoint, 2)
    without = replace(
        made, tensors={k: v for k, v in made.tensors.items() if not k.startswith(SHARES)}
    )
    rows = seen(game)
    found, plain = (network_evaluator(each, game)(*rows) for each in (made, without))
    lead = rows[2][0, 0] - rows[2][0, 1]
    value = 0.1 / checkpoint.about["config"]["reward_scale"]
    assert found.margins[0] == plain.margins[0] == pytest.approx(lead + value)
    said = replace(without, about={**without.about, "spread": 7.5})
    plain = network_evaluator(said, game)(*rows)
    assert plain.shares[0, 0] == pytest.approx(1 / (1 + np.exp(-(lead + value) / 7.5)))
    assert found.shares.shape == (1, 2)
    assert found.shares.sum() == pytest.approx(1)
    assert abs(found.shares[0, 0] - plain.shares[0, 0]) > 0.01


@pytest.mark.parametrize("said", [0, -1.0, True, "5", float("inf"), float("nan")])
def test_a_spread_that_is_no_number_of_points_is_refused(agent, said):
    game, checkpoint = agent
    wrong = replace(checkpoint, about={**checkpoint.about, "spread": said})
    with pytest.raises(CheckpointError, match=r"spread=.* more than 0"):
        network_evaluator(wrong, game)


def test_the_spread_of_a_network_is_measured(agent):
    game, checkpoint = agent
    about = {key: said for key, said in checkpoint.about.items() if key != "spread"}
    silent = replace(checkpoint, about=about)
    found = network_evaluator(silent, game).heads.spread
    assert found == network_evaluator(silent, game).heads.spread == one_digit(found)
    assert 2 <= found <= 10


@pytest.mark.parametrize(("away", "spread"), [(1000.0, 600.0), (-1000.0, 600.0), (300.0, 200.0)])
def test_a_network_that_is_wrong_by_many_points_has_a_wide_spread(away, spread):
    """√3/π of 1000 points is 551; final leads of random games are small beside it."""
    game = sprawl_env.game("tower_up")
    uniform = UniformEvaluator(game)

    def evaluate(numbers, masks, points):
        found = uniform(numbers, masks, points)
        return found._replace(margins=found.margins + np.float32(away))

    assert measured_spread(game, evaluate) == spread


def test_one_digit():
    assert [one_digit(x) for x in (28.8, 9.9, 4.76, 0.123, 551)] == [30, 10, 5, 0.1, 600]


def test_weights_that_have_diverged_are_refused(agent):
    game, checkpoint = agent
    tensors = {name: array * np.float32(1e30) for name, array in checkpoint.tensors.items()}
    with np.errstate(all="ignore"), pytest.raises(CheckpointError, match="have diverged"):
        network_evaluator(replace(checkpoint, tensors=tensors), game)(*seen(game))


def test_an_agent_is_named_in_three_ways():
    game = sprawl_env.game("tower_up")
    path = find_agent("agent:tower_up/quick", game)
    rows = seen(game)
    names = ("tower_up/quick", "agent:tower_up/quick", f"checkpoint:{path}")
    first, *others = (evaluator_of(name, game)(*rows).logits.tolist() for name in names)
    assert all(other == first for other in others)


@pytest.mark.slow
def test_a_network_makes_the_search_stronger():
    game = sprawl_env.game("tower_up")
    from sprawl_env.arena.games import play_games

    bots = [make_bot(f"search:agent={name},sims=16", game) for name in ("best", "uniform")]
    assert isinstance(bots[0], LearnedSearchBot)
    assert play_games(game, bots, 60).wins[:, 0].mean() > 0.9
