"""GK §4, G6, G7, G20: what triggers the end, the round completed, truncation and ties."""

import numpy as np
import pytest

from sprawl_env.core.state import FINISHED, NOBODY, NOT_OVER, TRUNCATED
from tests.unit.games.ginkgopolis.position import (
    building_at,
    choose,
    deck_of,
    hand_of,
    legal_names,
    play,
    play_on,
    position,
)


def last_resources(resources=1, tower=22, **drawn):
    """Let seat 0, with ``tower`` + 2 of 25 resources in the city, build on its own blue 5.

    That costs it one resource: the two on the building come back first.
    """
    buildings = {(0, 0): ("red 9", 0, tower), (1, 1): ("blue 5", 0, 2)}
    drawn = {"hands": [["blue 5"]], "tiles": [["blue 6"]]} | drawn
    drawn["buildings"] = buildings | drawn.get("buildings", {})
    return position(resources=[resources], **drawn)


# ---------------------------------------------------------------- all resources placed


@pytest.mark.parametrize(
    ("resources", "tower", "ending"),
    [
        (1, 22, 1),
        (2, 21, 0),  # one is left behind the screen
        (1, 21, 0),  # one is left in the supply
        (2, 20, 0),
    ],
)
def test_g6_the_end_comes_when_all_resources_of_a_seat_are_in_the_city(resources, tower, ending):
    game, games = last_resources(resources, tower)
    choose(game, games, ("blue 5", "blue 6"))
    assert building_at(games, 1, 1) == ("blue 6", 0, 3)
    assert games.ending[0] == ending
    play(game, games, "take resource")
    assert games.over[0] == (FINISHED if ending else NOT_OVER)
    assert games.rounds[0] == (1 if ending else 2)


def test_g6_by_the_resource_for_another_colour_one_goes_to_the_supply():
    game, games = last_resources(2, 21, tiles=[["red 6"]])
    choose(game, games, ("blue 5", "red 6"))
    assert building_at(games, 1, 1) == ("red 6", 0, 3)
    assert (games.resources[0, 0], games.stock[0, 0]) == (0, 1)
    assert games.ending[0] == 0


@pytest.mark.parametrize(("seats", "total"), [(2, 25), (3, 20), (4, 18), (5, 16)])
def test_gk_1_how_many_are_all_depends_on_the_seats(seats, total):
    for missing, ending in ((0, 1), (1, 0)):
        game, games = position(
            seats,
            buildings={(0, 0): ("red 9", 0, total - 1 - missing)},
            hands=[["C"]],
            tiles=[["red 4"]],
            resources=[1],
        )
        choose(game, games, ("C", "red 4"))
        play(game, games, "marker north")
        assert games.ending[0] == ending


def test_g6_urbanizing_with_the_last_resource_ends_it_too():
    game, games = last_resources(1, 22, hands=[["C"]])
    choose(game, games, ("C", "blue 6"))
    assert games.ending[0] == 0  # the action is not over before the marker has its place
    play(game, games, "marker north")
    assert games.ending[0] == 1


# ---------------------------------------------------------------- the round is completed


@pytest.mark.parametrize("first", [0, 1, 2])
def test_g6_the_round_is_completed_then_the_game_is_over(first):
    game, games = position(
        3,
        first=first,
        buildings={(0, 0): ("red 9", 0, 17), (1, 1): ("blue 5", 0, 2)},
        hands=[["blue 5"], ["B"], ["C"]],
        tiles=[["blue 6"]],
        resources=[1],
    )
    plays = [("blue 5", "blue 6"), "B", "C"]
    choose(game, games, *plays[first:], *plays[:first])
    asked = []
    while games.over[0] == NOT_OVER:
        asked.append(int(games.to_play[0]))
        play(game, games, "take resource")
    assert asked == [seat for seat in ((first + k) % 3 for k in range(3)) if seat]
    assert games.over[0] == FINISHED
    assert games.resources[0].tolist()[:3] == [0, 6, 6]


def test_gk_3_once_the_end_is_triggered_no_card_is_passed_or_drawn():
    game, games = last_resources()
    hands, deck = [hand_of(games, seat) for seat in (0, 1)], deck_of(games)
    choose(game, games, ("blue 5", "blue 6"))
    play(game, games, "take resource")
    assert games.over[0] == FINISHED
    assert hand_of(games, 0) == hands[0] - {"blue 5"}
    assert hand_of(games, 1) < hands[1]
    assert deck_of(games) == deck
    assert (int(games.rounds[0]), int(games.first[0])) == (1, 0)


def test_g6_the_end_stands_though_resources_come_back():
    game, games = last_resources(
        1,
        20,
        buildings={(2, 2): ("yellow 5", 0, 2)},
        hands=[["blue 5"], ["yellow 5"]],
        tiles=[["blue 6"], ["yellow 6"]],
    )
    choose(game, games, ("blue 5", "blue 6"), ("yellow 5", "yellow 6"))
    assert games.resources[0, 0] == 2
    assert games.over[0] == FINISHED


def test_g6_without_the_first_action_the_same_round_goes_on():
    game, games = last_resources(
        1,
        20,
        buildings={(2, 2): ("yellow 5", 0, 2)},
        hands=[["C"], ["yellow 5"]],
        tiles=[[], ["yellow 6"]],
    )
    choose(game, games, "C", ("yellow 5", "yellow 6"))
    play(game, games, "take tile")
    assert games.over[0] == NOT_OVER


def test_g5_the_second_run_out_ends_the_game_after_the_round():
    drawn = {"supply": ["red 20"], "rest_of_tiles": 1, "hands": [["blue 3"]]}
    game, games = position(run_outs=1, **drawn)
    choose(game, games, "blue 3")
    assert (int(games.run_outs[0]), int(games.ending[0])) == (2, 1)
    assert games.to_play[0] == 1
    play(game, games, "take resource")
    assert games.over[0] == FINISHED


def test_g5_the_first_run_out_does_not():
    game, games = position(supply=["red 20"], rest_of_tiles=1, hands=[["blue 3"]])
    choose(game, games, "blue 3")
    play(game, games, "return red 20", "done returning", "done returning", "take resource")
    assert (int(games.run_outs[0]), int(games.over[0])) == (1, NOT_OVER)


def test_when_it_is_over_nobody_acts():
    game, games = last_resources()
    choose(game, games, ("blue 5", "blue 6"))
    play(game, games, "take resource")
    assert games.to_play[0] == NOBODY
    assert legal_names(game, games) == set()
    assert game.kernels.owing(game.tables, games, 0) == 0


# ---------------------------------------------------------------- truncation


@pytest.mark.parametrize(("rounds", "over"), [(6, NOT_OVER), (7, TRUNCATED)])
def test_g20_after_max_rounds_the_game_is_truncated(rounds, over):
    game, games = position(options={"max_rounds": 7}, rounds=rounds)
    choose(game, games, "red 1")
    play_on(game, games)
    assert games.over[0] == over
    assert games.rounds[0] == 7


def test_g20_a_truncated_game_is_scored():
    game, games = position(options={"max_rounds": 1}, points=[12, 3], hands=[["red 1"]])
    choose(game, games, "red 1")
    play(game, games, "take resource")
    assert games.over[0] == TRUNCATED
    assert game.scores(games, 0).tolist() == [12 + 4, 3 + 4]
    assert legal_names(game, games) == set()


def test_g20_an_end_in_the_last_round_is_an_end():
    game, games = last_resources(options={"max_rounds": 1})
    choose(game, games, ("blue 5", "blue 6"))
    play(game, games, "take resource")
    assert games.over[0] == FINISHED


def test_g20_with_one_seat_too():
    game, games = position(1, options={"max_rounds": 1}, hal_card="red 2")
    choose(game, games, "red 1")
    assert games.over[0] == TRUNCATED


# ---------------------------------------------------------------- ties


@pytest.mark.parametrize(
    ("points", "resources", "order"),
    [
        ((9, 9), (5, 4), "shared"),
        ((9, 9), (4, 5), "shared"),
        ((9, 9), (5, 5), "shared"),
        ((10, 9), (0, 25), "0 > 1"),
        ((9, 10), (25, 0), "1 > 0"),
    ],
)
def test_g7_a_tie_is_shared_whatever_is_left_behind_the_screens(points, resources, order):
    game, games = position(points=points, resources=resources)
    first, second = game.standings(games, 0).tolist()
    assert order == ("0 > 1" if first > second else "1 > 0" if second > first else "shared")


def test_g7_all_seats_are_ranked():
    points, resources = [7, 9, 9, 7, 9], [1, 2, 3, 1, 2]
    game, games = position(5, points=points, resources=resources)
    order = game.standings(games, 0)
    ranks = [int(np.sum(order > order[seat])) for seat in range(5)]
    assert ranks == [3, 0, 0, 3, 0]
