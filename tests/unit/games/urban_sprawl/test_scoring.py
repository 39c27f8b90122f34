"""US 6.12, U19, U33: the end of the game."""

import pytest

from tests.unit.games.urban_sprawl.position import position

EMPTY = {"wealth": 0, "prestige": 0}


def points(**drawn):
    game, games = position(**{**EMPTY, **drawn})
    return game.scores(games, 0).tolist()


def test_us_6_12_prestige_counts_as_it_is():
    assert points(prestige=[7, 148]) == [7, 148]


@pytest.mark.parametrize(("wealth", "more"), [(9, 0), (10, 1), (19, 1), (20, 2), (0, 0)])
def test_us_6_12_a_point_for_each_full_10_wealth(wealth, more):
    assert points(wealth=[wealth, 0]) == [more, 0]


@pytest.mark.parametrize(
    ("buildings", "markers", "scores"),
    [
        ({"A1 TL": ("IND", 0)}, {}, [3, 0]),
        ({"A1 TL": ("IND", 0), "A3 TL": ("IND", 1), "A5 TL": ("RES", 1)}, {}, [3, 3]),
        ({"A1 TL": ("IND", 0), "A2 TL": ("IND", 1)}, {}, [2, 2]),
        ({"A1 TL": ("IND", 0)}, {"prestige 6": "grey 1"}, [9, 0]),
        ({"A1 TL": ("IND", 0)}, {"prestige 6": "grey 2"}, [3, 0]),
        ({"A1 TL": ("IND", 0)}, {"wealth 12": "grey 1"}, [3, 0]),
        ({"A1 TL": ("IND", None)}, {}, [0, 0]),
    ],
)
def test_us_6_12_every_prestige_line_on_the_board_pays(buildings, markers, scores):
    assert points(buildings=buildings, markers=markers) == scores


CITY = {
    "C1 TL": ("CIV", 1),
    "D1 TL": ("CIV", None),
    "A5 TL": ("COM", 1),
    "F5 TL": ("RES", None),
    "F6 TL": ("RES", 0),
    "F6 BR": ("RES", 1),
    "A6 BL": ("IND", None),
}


@pytest.mark.parametrize(
    ("office", "bonus"), [("attorney", 2), ("treasurer", 1), ("police", 3), ("boss", 1)]
)
def test_us_6_12_a_politician_scores_every_building_of_its_zone_whoever_controls_it(office, bonus):
    before = points(buildings=CITY)
    for seat in (0, 1):
        after = points(buildings=CITY, offices={office: seat})
        assert after[seat] == before[seat] + bonus
        assert after[1 - seat] == before[1 - seat]


def test_us_6_12_the_mayor_scores_own_buildings_beside_parks_but_not_parks():
    buildings = {
        "B2 TL": ("PARK", 1),
        "B2 TR": ("PARK", 0),
        "B2 BL": ("COM", 0),
        "B2 BR": ("COM", 1),
        "B1 BR": ("RES", 0),
        "C3 BR": ("RES", 0),
    }
    before = points(buildings=buildings)
    after = points(buildings=buildings, offices={"mayor": 0})
    assert after == [before[0] + 2, before[1]]


def test_u33_favors_hands_vocations_and_the_contractor_are_worth_nothing():
    drawn = {
        "hands": [{13: 2, "renewal": 1}],
        "favors": [["House"]],
        "vocations": {0: {"FINANCE": 2}},
        "offices": {"contractor": 0},
    }
    assert points(**drawn) == [0, 0]


@pytest.mark.parametrize(
    ("prestige", "wealth", "order"),
    [
        ([5, 4], [0, 0], 1),
        ([5, 5], [3, 2], 1),
        ([5, 5], [2, 2], 0),
        ([5, 4], [0, 10], -1),  # 5 points each; wealth turned into prestige still breaks ties
        ([6, 5], [0, 19], -1),
        ([6, 4], [0, 19], 1),
    ],
)
def test_us_6_12_most_prestige_then_wealth_then_shared(prestige, wealth, order):
    game, games = position(prestige=prestige, wealth=wealth)
    first, second = game.standings(games, 0).tolist()
    assert (first > second) - (first < second) == order


def test_us_6_12_however_much_wealth_there_is_it_only_breaks_ties():
    """2,000 points are more than 1,999; this wealth needs about 300 turns of investments."""
    game, games = position(prestige=[2000, 0], wealth=0)
    games.wealth[0, 1] = 19_999
    assert game.scores(games, 0).tolist() == [2000, 1999]
    first, second = game.standings(games, 0).tolist()
    assert first > second
