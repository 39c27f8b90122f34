"""Who may give hints, strongest first; the bots that the help lists; the table at the end."""

import json
import re

import numpy as np
import pytest

pytest.importorskip("tyro")

import sprawl_env
from sprawl_env.bots.names import BOTS
from sprawl_env.bots.policy.agents import BEST
from sprawl_env.bots.ratings import ranked_search
from sprawl_env.commands import play
from sprawl_env.commands.flags import BOT_NAMES
from sprawl_env.play.asking import MIXTURE, RATING, VALUE, WINS, unit_of
from sprawl_env.play.session import NotNow, Session
from tests import toy
from tests.suite import GAMES

pytestmark = pytest.mark.compiled  # tests pages, not rules


def test_hints_are_listed_strongest_first_with_ratings():
    game = sprawl_env.game("tower_up")
    hints = ("random", "flat:sims=3", "greedy", "planner")
    session = Session(game, ("human", "random"), hints)
    assert session.hints == hints
    assert session.view(0)["hints"] == [
        {"name": "planner", "says": "planner (1528, 1 ms)", "analyses": True},
        {"name": "greedy", "says": "greedy (985, 0.3 ms)", "analyses": False},
        {"name": "random", "says": "random (258, 0.1 ms)", "analyses": False},
        {"name": "flat:sims=3", "says": "flat:sims=3", "analyses": True},
    ]
    for hint in session.view(0)["hints"]:
        assert session.hint(0, hint["name"])


def test_the_best_agent_is_called_by_its_name():
    game = sprawl_env.game("tower_up")
    session = Session(game, ("human", "random"), ("greedy", "agent:best"))
    (first, _) = session.view(0)["hints"]
    assert first["name"] == "agent:best"
    assert first["says"].startswith("agent:tower_up/")
    assert BEST not in first["says"]
    assert session.hint(0, "agent:best")


@pytest.mark.parametrize("name", GAMES)
def test_hints_are_greedy_the_ranked_search_and_the_best_agent(name):
    expected = ("greedy", ranked_search(name))
    assert play.default_hints(sprawl_env.game(name)) == (*expected, "agent:best")
    assert play.default_hints(sprawl_env.game(name, num_players=3)) == expected


def test_a_game_of_ones_own_has_hints_of_a_search():
    assert play.default_hints(toy.toy()) == ("greedy", "mcts:sims=100")


def test_hints_that_are_named_replace_the_others():
    seats = ("human", "random")
    made = play.new_session(play.Play(seats=seats, hints=("planner",), seed=1))
    assert made.hints == ("planner",)
    without = play.new_session(play.Play(seats=seats, hints=(), seed=1))
    assert without.view(0)["hints"] == []
    with pytest.raises(NotNow, match="no bot gives hints: name some with --hints"):
        without.hint(0, "")
    default = play.new_session(play.Play(seats=(*seats, "random"), seed=1))
    assert default.hints == ("greedy", ranked_search("tower_up"))


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("search:agent=uniform,sims=2", WINS),
        ("search:agent=uniform,sims=2,margin=0.5", MIXTURE),
        ("mcts:sims=2", MIXTURE),
        ("planner", RATING),
        ("agent:tower_up/quick", VALUE),
    ],
)
def test_a_hint_says_what_its_values_are(name, unit):
    assert unit_of(sprawl_env.make_bot(name, sprawl_env.game("tower_up"))) == unit


def test_the_help_names_every_kind_of_bot():
    named = set(re.split(r"[ ,;()]+", BOT_NAMES))
    for bot in BOTS:
        word = bot.partition("[")[0].partition(",")[0]
        kind = word.partition(":")[0]
        wanted = {word} if kind in {"heldout", "module", "torch", "sb3"} else {kind}
        assert any(each.startswith(tuple(wanted)) for each in named), bot
    assert {"heldout:rules", "heldout:features", "agent:GAME/NAME", "search:agent=NAME"} <= named
    order = [BOT_NAMES.index(kind) for kind in ("mcts", "planner", "greedy,", "random")]
    assert order == sorted(order)


@pytest.mark.parametrize(
    ("name", "seats"),
    [("tower_up", 3), ("ginkgopolis", 1), ("ginkgopolis", 2), ("urban_sprawl", 2)],
)
def test_the_table_of_points_is_shown_only_when_the_game_is_over(name, seats):
    game = sprawl_env.game(name, num_players=seats)
    session = Session(game, ("human",) + ("random",) * (seats - 1), (), 2)
    rng = np.random.default_rng(2)
    while not session.over:
        assert session.score_table() == []
        legal = np.flatnonzero(game.legal_actions(session.games))
        game.play(session.games, 0, int(rng.choice(legal)))
    table = session.score_table()
    assert json.loads(json.dumps(table)) == [
        {"what": row.what, "points": list(row.points), "total": row.total}
        for row in game.points(session.games)
    ]
    (total,) = [row for row in table if row["total"]]
    assert list(total["points"]) == game.scores(session.games, 0).tolist()
    assert {len(row["points"]) for row in table} == {game.num_sides}


def test_the_page_gets_the_table_at_the_end():
    game = sprawl_env.game("tower_up", max_turns=1)
    session = Session(game, ("human", "random"), (), 2)
    assert session.view(0)["score_table"] == []
    while not session.over:
        session.play(0, int(game.legal_actions(session.games).argmax()))
    assert session.view(0)["score_table"] == session.score_table() != []
