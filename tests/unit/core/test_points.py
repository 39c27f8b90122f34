"""Game.points: where the points come from, along random games and by hand."""

import numpy as np
import pytest

import sprawl_env
from experiments.fuzz.games import draw_game
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.state import NOT_OVER, raw_bytes
from tests import toy
from tests.suite import GAMES

TIE = "tie-break: "
EVERY = 7  # plies from one position to the next


def parts_of(rows):
    """Return the rows of sources, the total, and the tie-breaks."""
    (at,) = [k for k, row in enumerate(rows) if row.total]
    return rows[:at], rows[at], rows[at + 1 :]


def check(game, games):
    before = raw_bytes(games).tobytes()
    sources, total, ties = parts_of(game.points(games))
    scores, standings = game.scores(games, 0).tolist(), game.standings(games, 0).tolist()
    assert (total.what, list(total.points)) == ("total", scores)
    sums = np.sum([row.points for row in sources], axis=0) if sources else [0] * game.num_sides
    assert list(sums) == scores
    assert all(any(row.points) for row in sources)
    assert all(row.what.startswith(TIE) for row in ties)
    named = [row.what for row in (*sources, total, *ties)]
    assert len(set(named)) == len(named)
    keys = [tuple(row.points[side] for row in (total, *ties)) for side in range(game.num_sides)]
    for one in range(game.num_sides):
        for other in range(game.num_sides):
            assert (keys[one] > keys[other]) == (standings[one] > standings[other])
            assert (keys[one] == keys[other]) == (standings[one] == standings[other])
    assert raw_bytes(games).tobytes() == before


def play_out(game, seed):
    """Play a random game and check the table every few plies and at the end."""
    rng, games = np.random.default_rng(seed), game.deal(1, seed)
    while games["over"][0] == NOT_OVER:
        if games["ply"][0] % EVERY == 0:
            check(game, games)
        legal = np.flatnonzero(game.legal_actions(games))
        game.play(games, 0, int(rng.choice(legal)))
    check(game, games)
    return games


@pytest.mark.parametrize("name", GAMES)
def test_rows_sum_to_the_scores_and_ties_agree_with_the_standings_in_all_options(name):
    for seed in range(6):
        play_out(draw_game(name, seed), seed)


@pytest.mark.parametrize("name", GAMES)
def test_every_number_of_seats_has_a_table(name):
    allowed = sprawl_env.game(name).rules.options["num_players"]
    for seats in range(allowed.low, allowed.high + 1):
        game = sprawl_env.game(name, num_players=seats)
        rows = game.points(play_out(game, seats))
        assert {len(row.points) for row in rows} == {game.num_sides}


def test_a_game_without_a_table_has_its_total():
    game = toy.toy(num_players=1)
    games = game.deal(1)
    scores = tuple(game.scores(games, 0).tolist())
    assert game.points(games) == [("total", scores, True)]


def test_a_table_is_of_one_game_of_a_batch():
    game = sprawl_env.game("tower_up")
    games = game.deal(3)
    game.edit(games, 1, marker={0: [3, 0, 0, 0]})
    value = int(game.tables[0].marker_values[3])
    assert game.points(games, 1)[0] == ("black marker", (value, 0), False)
    assert parts_of(game.points(games, 2))[0] == []
    with pytest.raises(InvalidOption, match=r"g=3: expected a game 0\.\.2"):
        game.points(games, 3)


def test_tower_up_names_markers_chips_cone_and_floors():
    game = sprawl_env.game("tower_up", objectives="start")
    games = game.deal(1)
    state, t = games[0], game.tables[0]
    state.marker[:2] = [[1, 2, 3, 4], [0, 0, 0, 5]]
    state.cone[:2] = [0, 2]
    state.chip[0, 1] = 7
    state.reserve[:2] = [[1, 0, 0, 2], [1, 1, 1, 1]]
    name = game.data.rows("objectives", "objective")[int(state.objective[1])].name
    value = [int(value) for value in t.marker_values]
    assert game.points(games)[:-2] == [
        ("black marker", (value[1], 0), False),
        ("grey marker", (value[2], 0), False),
        ("white marker", (value[3], 0), False),
        ("brown marker", (value[4], value[5]), False),
        ("cone: roofs on top", (0, int(t.cone_values[2])), False),
        (f"objective: {name}", (7, 0), False),
    ]
    assert game.points(games)[-1] == ("tie-break: floors in reserve", (3, 4), False)


def test_ginkgopolis_parts_cards_by_what_they_count_and_districts_by_colour():
    game = sprawl_env.game("ginkgopolis", characters="introductory")
    games = game.deal(1)
    state = games[0]
    red, blue = (
        [site for site in range(9) if int(state.site_tile[site]) // 20 == colour]
        for colour in (0, 1)
    )
    state.points[:2], state.tokens[:2] = [4, 6], [1, 0]
    state.kept[0] = 1 << 13 | 1 << 19  # red 14: a point for each low building; red 20: 9 points
    for site in red:
        state.owner[site] = 0
    state.owner[blue[0]] = 1
    found = {row.what: row.points for row in game.points(games)}
    assert found["points during the game"] == (4, 6)
    assert found["New Hand tokens left"] == (2, 0)
    assert found["cards that count low buildings"] == (len(red), 0)
    assert found["cards with points of their own"] == (9, 0)
    joined = any(row.startswith("red districts") for row in found)
    touching = any(
        abs(int(state.site_x[a]) - int(state.site_x[b]))
        + abs(int(state.site_y[a]) - int(state.site_y[b]))
        == 1
        for a in red
        for b in red
    )
    assert joined == touching
    assert list(found)[-1] == "total"


def test_solo_ginkgopolis_has_a_column_for_hal():
    game = sprawl_env.game("ginkgopolis", num_players=1)
    games = game.deal(1)
    games[0].points[:2] = [3, 8]
    games[0].kept[1] = 1 << 39  # blue 20
    found = {row.what: row.points for row in game.points(games)}
    assert found["points during the game"] == (3, 8)
    assert found["cards with points of their own"] == (0, 9)


def test_urban_sprawl_parts_lines_wealth_and_offices():
    game = sprawl_env.game("urban_sprawl")
    games = game.deal(1)
    while games["turn"][0] < 1:  # the claims of the starting buildings
        game.play(games, 0, int(game.legal_actions(games).argmax()))
    game.edit(games, 0, wealth={0: 34, 1: 9}, prestige={0: 2, 1: 5})
    games[0].office[2] = 1  # the Treasurer, whose zone is COM
    found = {row.what: row.points for row in game.points(games)}
    assert found["prestige during the game"] == (2, 5)
    assert found["wealth: 1 for 10"] == (3, 0)
    assert found["tie-break: wealth"] == (34, 9)
    assert found["Treasurer: COM buildings"] == (0, 4)  # whoever controls them
    lines = [what for what in found if what.startswith("rows ")]
    # the seats share the prestige of rows 3-4, which is 1: nobody gets any
    assert lines == ["rows 1-2 (prestige 3)", "rows 5-6 (prestige 2)"]


def test_urban_sprawl_tells_a_marker_from_the_rows_that_it_shares():
    game = sprawl_env.game("urban_sprawl")
    games = game.deal(1)
    while games["turn"][0] < 1:
        game.play(games, 0, int(game.legal_actions(games).argmax()))
    before = {row.what: row.points for row in game.points(games)}
    game.edit(games, 0, marker_at={0: 7, 4: 8})  # prestige 5 over columns A-B, 6 beside row 2
    after = {row.what: row.points for row in game.points(games)}
    new = {what: row for what, row in after.items() if what.startswith("grey")}
    assert set(new) <= {"grey columns A-B (prestige 5)", "grey row 2 (prestige 6)"}
    assert new
    for what, row in before.items():
        if what != "total":
            assert after[what] == row
