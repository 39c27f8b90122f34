"""bots/ratings.py: what the published rankings say, and how it is worded."""

import re
from pathlib import Path

import pytest

import sprawl_env
from sprawl_env.bots.policy.agents import best_of, find_agent
from sprawl_env.bots.ratings import described, ranked_search, rated, strongest_first
from sprawl_env.core.errors import InvalidOption
from tests.ladder import LADDER, share_in
from tests.suite import GAMES

MCTS = "mcts:sims=200,greedy=1000,turns=8,widen=0.5,c=0.2"


def published(name):
    """Return rating and milliseconds by bot, of a game's report."""
    text = (LADDER / name / "report.md").read_text()
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in text.splitlines()]
    ratings = {row[0]: int(row[1]) for row in rows if len(row) == 4 and row[1].isdecimal()}
    times = {row[0]: float(row[6].split()[0]) for row in rows if len(row) == 8 and "ms" in row[6]}
    return {bot: (rating, times[bot]) for bot, rating in ratings.items()}


@pytest.mark.parametrize("name", GAMES)
def test_ratings_and_times_are_those_of_the_report(name):
    found = {each.name: tuple(each[1:]) for each in rated(name) if each.rating is not None}
    assert len(found) == 4
    assert found == published(name)


@pytest.mark.parametrize("name", GAMES)
def test_the_strongest_is_first_and_agents_exist(name):
    ratings = [each.rating for each in rated(name) if each.rating is not None]
    assert ratings == sorted(ratings, reverse=True)
    game = sprawl_env.game(name)
    agents = [each.name for each in rated(name) if each.rating is None]
    for agent in agents:
        assert find_agent(agent, game).is_dir()
    assert agents[0] == f"agent:{name}/{best_of(name, game)}"


@pytest.mark.parametrize("name", GAMES)
def test_agents_stand_where_their_published_games_put_them(name):
    order = [each.name for each in rated(name)]
    compared = 0
    for path in (LADDER / name).glob("*_*.jsonl"):
        agent, _, opponent = path.stem.partition("_")
        bots = [f"agent:{name}/{agent}", opponent]
        if opponent == "mcts":
            bots[1] = ranked_search(name)
        elif opponent not in order:
            bots[1] = f"agent:{name}/{opponent}"
        if not set(bots) <= set(order):
            continue
        share = share_in(path, bots[0])
        assert (share > 0.5) == (order.index(bots[0]) < order.index(bots[1])), path.name
        compared += 1
    assert compared >= 3


def test_a_game_without_a_ranking_has_none():
    assert rated("chess") == []
    assert ranked_search("chess") is None
    assert strongest_first("chess", ["b", "a"]) == [0, 1]
    with pytest.raises(InvalidOption, match="game_name"):
        rated(3)


def test_the_strongest_name_comes_first_and_unranked_ones_last():
    names = ["flat", "random", "greedy", "my:Bot", "planner", "agent:tower_up/ppo-1h", MCTS]
    assert ranked_search("tower_up") == MCTS
    assert strongest_first("tower_up", names) == [5, 6, 4, 2, 1, 0, 3]


@pytest.mark.parametrize(
    ("seats", "name", "says"),
    [
        (2, MCTS, "mcts (1704, 4 ms)"),
        (2, "planner", "planner (1528, 1 ms)"),
        (2, "greedy", "greedy (985, 0.3 ms)"),
        (2, "mcts:sims=9", "mcts:sims=9"),
        (2, "agent:tower_up/ppo-1h", "agent:tower_up/ppo-1h"),
        (3, "planner", "planner"),
    ],
)
def test_a_rated_bot_is_named_with_its_rating_and_time(seats, name, says):
    assert described(sprawl_env.game("tower_up", num_players=seats), name) == says


def test_the_file_says_where_its_figures_come_from():
    text = (Path(sprawl_env.__file__).parent / "bots" / "ratings.toml").read_text()
    assert "docs/ladder/GAME/report.md" in text
    assert len(re.findall(r"^place = ", text, re.MULTILINE)) == text.count('"agent:')
