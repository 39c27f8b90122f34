"""bots/mcts.py: legal, reproducible, without hidden information, better than its rollouts."""

import itertools
import time
from types import SimpleNamespace

import numpy as np
import pytest

import sprawl_env
from sprawl_env.arena.games import play_games
from sprawl_env.bots import mcts
from sprawl_env.bots.mcts import CHUNK, NO_NODE, ROOT, SearchBot, SearchConfig, parse_search
from sprawl_env.bots.names import make_bot
from sprawl_env.bots.planner import PlannerConfig
from sprawl_env.bots.search.search import TreeConfig
from sprawl_env.core.errors import InvalidOption, UnknownName
from sprawl_env.core.state import NOT_OVER
from sprawl_env.kernels.rng import combine

GAMES = [
    ("tower_up", {"num_players": 4}),
    ("urban_sprawl", {"num_players": 2}),
    ("ginkgopolis", {"num_players": 1}),
    ("ginkgopolis", {"num_players": 3}),
]


def middle(name, options, seed=0, plies=30):
    """Return a game and a position with a choice after some random plies."""
    game = sprawl_env.game(name, **options)
    games = game.deal(1, seed=seed)
    rng = np.random.default_rng(seed)
    mask = np.zeros((1, game.num_actions), np.int8)
    while True:
        game.kernels.legal_actions(game.tables, games, 0, mask[0])
        legal = np.flatnonzero(mask[0])
        if games.ply[0] >= plies and len(legal) > 1:
            return game, games, mask
        game.kernels.play(game.tables, games, 0, int(rng.choice(legal)))
        assert games.over[0] == NOT_OVER


@pytest.mark.parametrize(("name", "options"), GAMES, ids=str)
@pytest.mark.parametrize(
    "agent",
    ["mcts:sims=30", "flat:sims=30", "mcts:sims=20,plies=8", "mcts:sims=20,widen=1,turns=2"],
)
def test_a_search_repeats_itself_and_plays_what_it_tried_most(name, options, agent):
    game, games, mask = middle(name, options)
    was = games.tobytes()
    actions = set()
    for _ in range(2):
        search = make_bot(agent, game, seed=5)
        actions.add(int(search.act(None, mask, games)[0]))
        visits, values = make_bot(agent, game, seed=5).search(games)
        assert mask[0, np.flatnonzero(visits)].all()
        assert visits.sum() == search._config.sims
        assert (values >= 0).all()
        assert (values <= visits).all()
        assert visits[next(iter(actions))] == visits.max()
    assert len(actions) == 1
    assert games.tobytes() == was


def test_threads_change_nothing_but_the_time():
    game, games, _ = middle("tower_up", {"num_players": 2})
    one = make_bot("mcts:sims=40,trees=3,threads=1", game, seed=2).search(games)
    three = make_bot("mcts:sims=40,trees=3,threads=3", game, seed=2).search(games)
    assert one[0].sum() == 120
    assert one[0].tolist() == three[0].tolist()
    assert one[1].tolist() == three[1].tolist()


@pytest.mark.parametrize(("name", "options"), GAMES, ids=str)
def test_what_the_seat_cannot_know_changes_nothing(name, options):
    for seed in range(5):
        game, games, _ = middle(name, options, seed=seed, plies=5 + 9 * seed)
        other = games.copy()
        game.kernels.redeal_hidden(game.tables, other, 0, 77, int(games.to_play[0]))
        assert other.tobytes() != games.tobytes()
        for agent in ("mcts:sims=25", "mcts:sims=4,greedy=1000,widen=1,turns=2"):
            here, there = (make_bot(agent, game, seed=1).search(g) for g in (games, other))
            assert here[0].tolist() == there[0].tolist()
            assert here[1].tolist() == there[1].tolist()


def test_a_tree_counts_what_went_through_it():
    game, games, _ = middle("tower_up", {"num_players": 2})
    search = SearchBot(game, SearchConfig(sims=300))
    search.search(games)
    tree = search._workers[0]._tree.nodes

    def children(node):
        child = int(tree["child"][node])
        while child != NO_NODE:
            yield child
            child = int(tree["sibling"][child])

    assert tree["visits"][ROOT] == 300
    inner, deep = 0, 0
    for node in range(1, int((tree["visits"] > 0).sum())):
        below = sum(int(tree["visits"][child]) for child in children(node))
        assert below <= tree["visits"][node] <= tree["available"][node]
        inner += below > 0
        deep += any(True for child in children(node) for _ in children(child))
    assert inner > 5
    assert deep > 0
    flat = SearchBot(game, SearchConfig(sims=300, depth=1))
    flat.search(games)
    tree = flat._workers[0]._tree.nodes
    assert all(tree["child"][node] == NO_NODE for node in children(ROOT))


@pytest.mark.parametrize(("name", "options"), GAMES, ids=str)
def test_a_widening_tree_begins_with_what_the_heuristic_likes_best(name, options):
    game, games, mask = middle(name, options)
    search = make_bot("mcts:sims=1,widen=0.5", game, seed=5)
    visits, _ = search.search(games)
    known = games.copy()
    game.kernels.redeal_hidden(game.tables, known, 0, combine(combine(5, 0), 0), games.to_play[0])
    ratings = make_bot("greedy", game).values(mask, known)[0]
    assert ratings[visits.argmax()] == ratings.max()


def test_a_widening_node_has_as_many_children_as_its_visits_allow():
    game, games, _mask = next(
        position
        for position in (middle("tower_up", {"num_players": 2}, seed) for seed in range(50))
        if position[2].sum() > 12  # without widening all of them get a node
    )
    tried = {}
    for widen in (0.25, 0.5, 1.0):
        visits, _ = make_bot(f"mcts:sims=100,widen={widen}", game).search(games)
        tried[widen] = int((visits > 0).sum())
        assert tried[widen] <= 1 + widen * 10 + 1
    assert tried[0.25] < tried[0.5] < tried[1.0]
    everything, _ = make_bot("mcts:sims=100", game).search(games)
    assert (everything > 0).sum() > tried[1.0]


def test_simulations_end_with_the_turns_asked_for():
    game, games, _ = middle("tower_up", {"num_players": 2})
    plies = {}
    for turns in (1, 2, 6, 0):
        search = make_bot(f"mcts:sims=50,turns={turns}", game)
        search.search(games)
        plies[turns] = search.plies / 50
    assert 1 <= plies[1] < plies[2] < plies[6] < plies[0]


def test_where_the_heuristic_plays_it_rates_the_position_a_rollout_is_cut_at():
    game, games, mask = middle("tower_up", {"num_players": 2})
    action = int(np.flatnonzero(mask[0])[0])
    of_points = make_bot("mcts:sims=100,turns=1", game).search(games)
    of_plans = make_bot("mcts:sims=100,turns=1,widen=100", game).search(games)
    assert of_points[0][action] > 0
    assert of_plans[0][action] > 0
    means = [values[action] / visits[action] for visits, values in (of_points, of_plans)]
    assert means[0] != pytest.approx(means[1], abs=1e-3)


def test_a_time_limit_is_kept():
    game, games, mask = middle("tower_up", {"num_players": 2})
    search = make_bot("mcts:ms=60", game)
    search.act(None, mask, games)
    begun = time.perf_counter()
    visits, _ = search.search(games)
    assert visits.sum() >= 16
    assert time.perf_counter() - begun < 2.0


def test_trees_that_grow_one_after_another_share_the_time(monkeypatch):
    """By a clock of its own: it goes on by a millisecond at each look, so each look is a chunk."""
    game, games, _ = middle("tower_up", {"num_players": 2})
    search = make_bot("mcts:ms=60,trees=3", game)
    now = itertools.count()
    clock = SimpleNamespace(perf_counter=lambda: next(now) / 1000)
    monkeypatch.setattr("sprawl_env.bots.mcts.time", clock)
    search.search(games)
    visits = [np.zeros(game.num_actions, np.int64) for _ in range(3)]
    for worker, own in zip(search._workers, visits, strict=True):
        worker.add_up(0, own, np.zeros(game.num_actions))
    chunks = [int(own.sum()) / CHUNK for own in visits]
    assert sum(chunks) == pytest.approx(60, abs=8)  # less the looks between the chunks
    assert min(chunks) == pytest.approx(20, abs=5)


def test_more_simulations_than_nodes_go_on_without_new_ones():
    game, games, _ = middle("tower_up", {"num_players": 2})
    search = SearchBot(game, SearchConfig(sims=200))
    worker = search._workers[0]
    worker._tree = worker._tree._replace(nodes=worker._tree.nodes[:40].copy())
    visits, _ = search.search(games)
    assert visits.sum() == 200


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("mcts:sim=3", "no setting 'sim'; there are sims, ms, c"),
        ("mcts:sims=0", "sims='0': expected a whole number 1..1e+07"),
        ("mcts:sims=2.5", "expected a whole number"),
        ("flat:c=x", "c='x': expected a number 0..100"),
        ("mcts:c=nan", "expected a number"),
        ("mcts:sims", "sims='': expected a whole number"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_in_one_line(name, says):
    with pytest.raises(UnknownName) as error:
        make_bot(name, sprawl_env.game("tower_up"))
    assert says in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("kind", "settings", "says"),
    [
        (SearchConfig, {"trees": 0}, "trees=0: expected a whole number 1..256"),
        (SearchConfig, {"sims": True}, r"sims=True: expected a whole number 1\.\.1e\+07"),
        (SearchConfig, {"sims": 10**400}, r"sims=1000.*: expected a whole number 1\.\.1e\+07"),
        (SearchConfig, {"sims": 2.0}, r"sims=2\.0: expected a whole number 1\.\.1e\+07"),
        (SearchConfig, {"depth": 600}, r"depth=600: expected a whole number 1\.\.511"),
        (SearchConfig, {"c": float("nan")}, "c=nan: expected a number 0..100"),
        (PlannerConfig, {"candidates": 0}, r"candidates=0: expected a whole number 1\.\.1000"),
        (TreeConfig, {"lanes": 0}, r"lanes=0: expected a whole number 1\.\.256"),
        (TreeConfig, {"scale": "4"}, r"scale='4': expected a number 0\.\.100"),
    ],
)
def test_a_record_of_settings_has_the_limits_of_names(kind, settings, says):
    with pytest.raises(InvalidOption, match=says):
        kind(**settings)


def test_with_little_time_one_tree_is_grown_and_the_others_are_forgotten(monkeypatch):
    game = sprawl_env.game("tower_up")
    bot = make_bot("mcts:sims=8,trees=5", game)
    assert bot.search(game.deal(1))[0].sum() == 5 * 8
    late = make_bot("mcts:ms=1,trees=5", game)
    clock = itertools.count()
    monkeypatch.setattr(mcts.time, "perf_counter", lambda: float(next(clock)))
    for _ in range(2):
        assert 0 < late.search(game.deal(1))[0].sum() <= 4  # what one tree begins with


def test_the_time_counts_from_when_everything_is_compiled(monkeypatch):
    game = sprawl_env.game("tower_up")
    bot = make_bot("mcts:ms=1", game)
    simulate, asked, clock = bot._workers[0]._simulate, [], [0.0]

    def slow(tables, search, first, count, *rest):
        asked.append(count)
        clock[0] += 1e-4 if count else 10.0  # seconds; the first call compiles
        return simulate(tables, search, first, count, *rest)

    monkeypatch.setattr(bot._workers[0], "_simulate", slow)
    monkeypatch.setattr(mcts.time, "perf_counter", lambda: clock[0])
    bot.search(game.deal(1))
    assert asked[0] == 0
    assert len(asked) > 5


@pytest.mark.parametrize("name", ["mcts:sims=60", "flat:sims=60", "mcts:sims=60,widen=0.5"])
@pytest.mark.parametrize(("game_name", "options"), GAMES)
def test_all_simulations_are_spent_on_the_allowed_actions(name, game_name, options):
    plies = 30
    while len(legal := np.flatnonzero((found := middle(game_name, options, plies=plies))[2])) < 3:
        plies += 1
    game, games, _ = found
    mask = np.zeros(game.num_actions, np.int8)
    mask[legal[-2:]] = 1
    bot = make_bot(name, game, seed=1)
    visits, _ = bot.search(games, 0, mask)
    assert visits.sum() == visits[legal[-2:]].sum() == 60
    assert bot.act(None, mask[None], games)[0] in legal[-2:]


def test_settings_are_read_from_the_name():
    assert parse_search("mcts:sims=7,c=1.5,plies=3", SearchConfig()) == SearchConfig(
        sims=7, c=1.5, plies=3
    )
    assert parse_search("mcts:ms=5", SearchConfig()).sims > 1_000_000


@pytest.mark.compiled
def test_search_beats_random_play_clearly():
    game = sprawl_env.game("tower_up", num_players=2)
    line_up = [make_bot("mcts:sims=60", game), make_bot("random", game)]
    results = play_games(game, line_up, 40, seed=3)
    assert results.wins[:, 0].mean() > 0.9
