"""GK §4, G9, G17 to G19: the solo game against Hal."""

import pytest

from sprawl_env.core.state import FINISHED, NOT_OVER
from sprawl_env.games.ginkgopolis.constants import HAL, NO_TILE, Step
from sprawl_env.games.ginkgopolis.wording import card_name
from tests.unit.games.ginkgopolis.position import (
    building_at,
    choose,
    deck_of,
    discards_of,
    hand_of,
    holdings,
    kept_by,
    legal_names,
    markers_of,
    play,
    position,
    step_of,
    supply_of,
    tile_of,
    workers_of,
)

EXPERT = {"difficulty": "expert"}
HAND = ["yellow 1", "A", "B"]  # yellow 1 is exploited: one point for the seat


def round_with(hal_card, tile="blue 20", **drawn):
    """Exploit yellow 1 as the seat, then let Hal play his card with this tile."""
    drawn = {"hands": [HAND], "hal_card": hal_card, "supply": [tile]} | drawn
    game, games = position(1, **drawn)
    choose(game, games, "yellow 1")
    return game, games


def hal_has(games):
    """Return Hal's resources and points."""
    return int(games.stock[0, HAL]), int(games.points[0, HAL])


# ---------------------------------------------------------------- the round


def test_g17_the_two_unused_cards_are_discarded():
    _, games = round_with("red 2")
    assert discards_of(games) == {"yellow 1", "A", "B"}


def test_g17_three_cards_to_you_then_one_to_hal():
    game, games = round_with("red 2", deck=["D", "E", "F", "G", "H"])
    assert games.rounds[0] == 2
    assert hand_of(games, 0) == {"D", "E", "F"}
    assert card_name(int(games.hal_card[0])) == "G"
    assert deck_of(games)[0] == "H"
    assert legal_names(game, games) == {"card D", "card E", "card F"}


def test_g17_you_act_before_hal():
    game, games = position(
        1,
        hands=[["red 2", "A", "B"]],
        hal_card="red 3",
        tiles=[["red 4"]],
        supply=["blue 20"],
        resources=[2],
    )
    choose(game, games, ("red 2", "red 4"))
    assert building_at(games, 1, 1) == ("red 4", 0, 2)
    assert building_at(games, 2, 1) == ("blue 20", HAL, 2)
    assert kept_by(games, 0) == ["red 2"]
    assert kept_by(games, HAL) == ["red 3"]


def test_g17_you_are_always_the_first_player():
    _, games = round_with("red 2")
    assert (int(games.first[0]), int(games.to_play[0])) == (0, 0)


# ---------------------------------------------------------------- Hal builds a level


def test_g18_hal_builds_on_a_starting_building():
    _, games = round_with("red 2")
    assert building_at(games, 1, 1) == ("blue 20", HAL, 2)
    assert hal_has(games) == (25 - 2, 0)
    assert holdings(games, 0) == (5, 0, 1)
    assert kept_by(games, HAL) == ["red 2"]
    assert workers_of(games) == ["blue 20"]
    assert "blue 20" not in supply_of(games)


def test_g18_on_your_building_you_get_your_resources_and_a_point_each():
    _, games = round_with("red 9", buildings={(1, 1): ("red 9", 0, 3)})
    assert building_at(games, 1, 1) == ("blue 20", HAL, 4)
    assert hal_has(games) == (25 - 4, 0)
    assert holdings(games, 0) == (5 + 3, 0, 1 + 3)


def test_g18_on_his_own_building_his_resources_come_back_first_without_points():
    _, games = round_with("red 9", buildings={(1, 1): ("red 9", HAL, 3)})
    assert building_at(games, 1, 1) == ("blue 20", HAL, 4)
    assert hal_has(games) == (25 - 4, 0)
    assert holdings(games, 0) == (5, 0, 1)


@pytest.mark.parametrize("tile", ["red 20", "red 4", "blue 20", "blue 4"])
def test_g18_hal_pays_no_extra_costs(tile):
    _, games = round_with("red 9", tile, buildings={(1, 1): ("red 9", 0, 2)})
    assert building_at(games, 1, 1) == (tile, HAL, 3)
    assert hal_has(games) == (25 - 3, 0)


# Hal's other building leaves him this many resources; the seat's red 9 costs its levels plus one.
def with_few(left, levels, owner=0, **drawn):
    mine = levels if owner == HAL else 0
    buildings = {(0, 0): ("red 10", HAL, 25 - left - mine), (1, 1): ("red 9", owner, levels)}
    return round_with("red 9", buildings=buildings, **drawn)


@pytest.mark.parametrize(("left", "levels", "owner"), [(3, 3, 0), (2, 2, 0), (2, 4, 0), (1, 2, 0)])
def test_g18_too_few_for_all_levels_nothing_moves_and_the_game_ends_there(left, levels, owner):
    _, games = with_few(left, levels, owner)
    assert games.over[0] == FINISHED
    assert building_at(games, 1, 1) == ("red 9", owner, levels)
    assert hal_has(games) == (left, 0)
    assert holdings(games, 0) == (5, 0, 1)
    assert kept_by(games, HAL) == []
    assert workers_of(games) == []
    assert "red 9" in discards_of(games)
    assert games.lost_tile[0] == tile_of("blue 20")
    assert games.rounds[0] == 1


@pytest.mark.parametrize(("left", "levels"), [(3, 2), (4, 3)])
def test_g18_with_exactly_enough_he_builds_and_has_none_left_which_ends_the_game(left, levels):
    _, games = with_few(left, levels)
    assert building_at(games, 1, 1) == ("blue 20", HAL, levels + 1)
    assert hal_has(games) == (0, 0)
    assert holdings(games, 0) == (5 + levels, 0, 1 + levels)
    assert kept_by(games, HAL) == ["red 9"]
    assert games.over[0] == FINISHED
    assert games.lost_tile[0] == NO_TILE


def test_g18_with_one_more_the_game_goes_on():
    _, games = with_few(4, 2)
    assert hal_has(games) == (1, 0)
    assert games.over[0] == NOT_OVER
    assert games.rounds[0] == 2


@pytest.mark.parametrize(("left", "after", "over"), [(1, 0, FINISHED), (2, 1, NOT_OVER)])
def test_g18_his_own_resources_on_the_building_count(left, after, over):
    _, games = with_few(left, 2, HAL)
    assert building_at(games, 1, 1) == ("blue 20", HAL, 3)
    assert hal_has(games) == (after, 0)
    assert games.over[0] == over


# ---------------------------------------------------------------- Hal urbanizes

AROUND_G = {  # G's cell (2, 3): north is blue 3
    (3, 2): ("yellow 15", 0, 2),  # diagonal
    (3, 3): ("yellow 9", 0, 3),  # east
    (1, 3): ("red 9", HAL, 4),  # west
}


def test_g18_hal_urbanizes_at_his_letter_and_you_move_the_marker():
    game, games = round_with("C")
    assert (int(games.to_play[0]), step_of(games)) == (0, Step.MARKER)
    assert legal_names(game, games) == {"marker north", "marker east"}
    assert building_at(games, 2, -1) == ("blue 20", HAL, 1)
    assert hal_has(games) == (25 - 1, 0)
    play(game, games, "marker east")
    assert markers_of(games)["C"] == ((3, -1), "west")
    assert hal_has(games) == (25 - 1, 1)
    assert "C" in discards_of(games)
    assert kept_by(games, HAL) == []
    assert workers_of(games) == ["blue 20"]
    assert holdings(games, 0) == (5, 0, 1)
    assert games.rounds[0] == 2


def test_g18_he_gets_a_point_per_level_of_each_adjacent_building_of_any_colour():
    game, games = round_with("G", buildings=AROUND_G)
    supply = len(supply_of(games))
    play(game, games, "marker south")
    assert hal_has(games) == (25 - 4 - 1, 1 + 3 + 4)
    assert len(supply_of(games)) == supply
    assert holdings(games, 0) == (5, 0, 1)


def test_g18_hal_moves_all_markers_that_his_tile_shuts_in_through_you():
    roof = {(0, -1): ("red 4", 0), (0, -2): ("red 5", 0), (1, -2): ("red 6", 0)}
    game, games = round_with("C", buildings=roof, markers={"A": ((2, -2), "west")})
    play(game, games, "marker east")
    assert (int(games.to_play[0]), step_of(games)) == (0, Step.MARKER)
    assert games.points[0, HAL] == 0
    play(game, games, "push anticlockwise")
    assert games.points[0, HAL] == 1  # yellow 3; the hole at (1, -1) is empty


def test_g18_hal_gets_no_arrow_bonuses():
    kept = [[], ["yellow 8", "yellow 9", "red 5", "red 6", "blue 4"]]
    buildings = {(0, 0): ("red 10", HAL, 7)}
    game, games = round_with("C", buildings=buildings, kept=kept)
    play(game, games, "marker north")
    assert hal_has(games) == (25 - 7 - 1, 1)
    _, games = round_with("red 2", buildings=buildings, kept=kept)
    assert hal_has(games) == (25 - 7 - 2, 0)


def test_g18_urbanizing_with_his_last_resource_ends_the_game():
    for left, over in ((1, FINISHED), (2, NOT_OVER)):
        game, games = round_with("C", buildings={(0, 0): ("red 10", HAL, 25 - left)})
        play(game, games, "marker north")
        assert hal_has(games) == (left - 1, 1)
        assert games.over[0] == over


# ---------------------------------------------------------------- the seat builds over Hal


def test_seed_building_over_hal_gives_him_his_resources_and_a_point_each():
    game, games = position(
        1,
        buildings={(1, 1): ("red 9", HAL, 3)},
        hands=[["red 9", "A", "B"]],
        hal_card="C",
        tiles=[["red 10"]],
        supply=["blue 20"],
    )
    choose(game, games, ("red 9", "red 10"))
    assert building_at(games, 1, 1) == ("red 10", 0, 4)
    assert hal_has(games) == (25 - 1, 3)  # he has urbanized; the marker is to move
    assert games.resources[0].tolist()[:2] == [1, 0]
    assert holdings(games, 0) == (1, 0, 0)


# ---------------------------------------------------------------- tiles run out


def test_g18_with_an_empty_supply_hal_does_nothing():
    game, games = position(
        1,
        hands=[["blue 1", "A", "B"]],
        hal_card="red 2",
        supply=["blue 20"],
        rest_of_tiles=0,
    )
    choose(game, games, "blue 1")
    assert building_at(games, 1, 1) == ("red 2", -1, 1)
    assert hal_has(games) == (25, 0)
    assert discards_of(games) == {"blue 1", "A", "B", "red 2"}
    assert games.over[0] == FINISHED


@pytest.mark.parametrize("difficulty", ["normal", "expert"])
@pytest.mark.parametrize("card", ["C", "red 2"])
def test_g24_with_an_empty_supply_hal_discards_his_card_and_draws_nothing(difficulty, card):
    options = {"difficulty": difficulty}
    drawn = {"hands": [["blue 1", "A", "B"]], "hal_card": card, "supply": ["blue 20"]}
    game, games = position(1, **drawn, rest_of_tiles=0, options=options)
    deck = deck_of(games)
    choose(game, games, "blue 1")
    assert discards_of(games) == {"blue 1", "A", "B", card}
    assert deck_of(games) == deck
    assert hal_has(games) == (25, 0)
    assert games.over[0] == FINISHED


def test_g9_hal_builds_with_the_last_tile_then_the_game_ends():
    _, games = round_with("red 2", rest_of_tiles=0)
    assert building_at(games, 1, 1) == ("blue 20", HAL, 2)
    assert games.run_outs[0] == 1
    assert games.over[0] == FINISHED
    assert games.rounds[0] == 1


def test_g9_with_a_tile_left_it_goes_on():
    _, games = round_with("red 2", supply=["blue 20", "blue 19"], rest_of_tiles=0)
    assert supply_of(games) == ["blue 19"]
    assert games.over[0] == NOT_OVER


def test_g9_when_all_your_resources_are_in_the_city_hal_still_acts():
    game, games = position(
        1,
        buildings={(0, 0): ("red 10", 0, 23)},
        hands=[["red 2", "A", "B"]],
        hal_card="red 3",
        tiles=[["red 9"]],
        supply=["blue 20"],
        resources=[2],
    )
    choose(game, games, ("red 2", "red 9"))
    assert games.resources[0, 0] == games.stock[0, 0] == 0
    assert building_at(games, 2, 1) == ("blue 20", HAL, 2)
    assert games.over[0] == FINISHED


# ---------------------------------------------------------------- expert


def test_g18_expert_a_building_card_drawn_second_is_played():
    _, games = round_with("C", options=EXPERT, deck=["red 2"])
    assert building_at(games, 1, 1) == ("blue 20", HAL, 2)
    assert kept_by(games, HAL) == ["red 2"]
    assert "C" in discards_of(games)
    assert markers_of(games)["C"] == ((2, -1), "south")
    assert hal_has(games) == (25 - 2, 0)


@pytest.mark.parametrize(
    ("first", "second", "played", "pays"),
    [
        ("C", "G", "G", 8),  # strictly more
        ("G", "C", "G", 8),  # fewer
        ("C", "K", "C", 1),  # equal
        ("K", "C", "K", 1),
        ("C", "I", "I", 5),  # yellow 2's tile is diagonal; yellow 1 and red 9
    ],
)
def test_g18_expert_a_second_letter_is_played_if_it_pays_strictly_more(first, second, played, pays):
    game, games = round_with(first, options=EXPERT, deck=[second], buildings=AROUND_G)
    other = second if played == first else first
    assert played not in markers_of(games)
    assert other in markers_of(games)
    assert other in discards_of(games)
    play(game, games, min(legal_names(game, games)))
    assert games.points[0, HAL] == pays
    assert {first, second} <= discards_of(games)


def test_g18_expert_draws_no_second_card_after_a_building_card():
    _, games = round_with("red 2", options=EXPERT, deck=["D", "E", "F", "G"])
    assert kept_by(games, HAL) == ["red 2"]
    assert hand_of(games, 0) == {"D", "E", "F"}


def test_g18_a_normal_hal_draws_no_second_card():
    game, games = round_with("C", deck=["red 2", "D", "E", "F"])
    assert "C" not in markers_of(games)
    play(game, games, "marker north")
    assert hand_of(games, 0) == {"red 2", "D", "E"}


def test_g12_hals_second_card_may_be_the_last_of_the_deck():
    _, games = round_with("C", options=EXPERT, deck=["red 2"], rest_of_cards="discards")
    assert kept_by(games, HAL) == ["red 2"]
    assert len(discards_of(games)) == 7 + 1  # C, after the deck has been re-formed
    assert "C" in discards_of(games)
    # 21 cards but red 2; 3 and 1 are drawn from it, and blue 20 gets its worker after that
    assert len(deck_of(games)) == 21 - 1 - 8 - 4


# ---------------------------------------------------------------- the final score


def test_g19_hal_scores_points_districts_and_cards():
    game, games = position(
        1,
        buildings={(0, 0): ("red 9", HAL, 2), (0, 1): ("red 10", HAL, 3)},
        kept=[[], ["blue 20"]],
        points=[4, 7],
    )
    # the district holds red 9, red 10 and the start's red 2 and red 3: he is the only owner in it
    assert game.scores(games, 0).tolist() == [4, 7 + 9 + 2 * 5]


def test_g10_you_and_hal_share_a_district_like_two_seats():
    game, games = position(
        1, buildings={(0, 0): ("red 9", HAL, 2), (0, 1): ("red 10", 0, 3)}, points=[0, 0]
    )
    assert game.scores(games, 0).tolist() == [5, 2]


@pytest.mark.parametrize(
    ("card", "counted"),
    [("red 16", 2 * 2), ("red 17", 2 * 1), ("red 18", 2 * 1), ("red 19", 2 * 3), ("blue 15", 3)],
)
def test_g18_hals_kept_cards_1_to_9_count_for_his_other_cards(card, counted):
    kept = ["red 4", "red 7", "blue 5", "yellow 6", card]
    game, games = position(1, buildings={(0, 0): ("yellow 10", HAL, 7)}, kept=[[], kept])
    assert game.scores(games, 0).tolist() == [0, counted]


@pytest.mark.parametrize(
    ("points", "order"), [((9, 8), "you"), ((8, 9), "Hal"), ((9, 9), "shared"), ((0, 0), "shared")]
)
@pytest.mark.parametrize("resources", [0, 25])
def test_g19_more_points_win_equal_is_shared_whatever_the_resources(points, order, resources):
    game, games = position(1, points=points, resources=[resources])
    you, hal = game.standings(games, 0).tolist()
    assert order == ("you" if you > hal else "Hal" if hal > you else "shared")
