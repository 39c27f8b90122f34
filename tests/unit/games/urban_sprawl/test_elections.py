"""US 6.9, 6.10, U6, U7, U19, U24, U30, U31: elections, tie-breaks, the Contractor."""

import pytest

from sprawl_env.games.urban_sprawl.constants import (
    ZONES,
    Power,
)
from sprawl_env.games.urban_sprawl.steps import (
    Step,
)
from tests.unit.games.urban_sprawl.position import (
    asks,
    building_at,
    is_done,
    legal,
    office_of,
    play,
    run,
)

POLITICIANS = ("mayor", "attorney", "treasurer", "police", "boss")
ZONE_OF = {"attorney": "CIV", "treasurer": "COM", "police": "RES", "boss": "IND"}


def elect(office, **drawn):
    """Hold an election; all five politicians are in play by default."""
    return run({"do": "election", "office": office}, **{"in_play": 31, **drawn})


# ---------------------------------------------------------------- the Mayor


@pytest.mark.parametrize(
    ("vocations", "winner"),
    [
        ({0: {"FINANCE": 1}, 1: {"ENERGY": 1, "FACTORY": 1}}, 1),
        ({0: {"FINANCE": 2}, 1: {"ENERGY": 1}}, 0),  # markers count, not names
        ({2: {"MEDIA": 1}}, 2),
    ],
)
def test_us_6_9_the_mayor_is_who_has_the_most_vocations(vocations, winner):
    game, games = elect("mayor", num_players=3, vocations=vocations)
    assert office_of(games, "mayor") == winner
    assert asks(game, games)[:2] == (winner, Step.PLACE)


@pytest.mark.parametrize("media", [0, 1, 2])
def test_us_6_9_a_tie_for_mayor_is_decided_by_media(media):
    """Ruling U7: a tied tie-breaker may choose itself."""
    vocations = {0: {"FINANCE": 2}, 1: {"ENERGY": 2}, 2: {}}
    first = {0: "FINANCE", 1: "ENERGY", 2: ""}[media]
    vocations[media] = {"MEDIA": 1} | ({first: 1} if first else {})
    game, games = elect("mayor", num_players=3, vocations=vocations)
    assert asks(game, games) == (media, Step.WINNER, {"seat 0", "seat 1"})
    play(game, games, "seat 1")
    assert office_of(games, "mayor") == 1


def test_us_6_9_no_buildings_break_a_tie_for_mayor():
    """The other four offices have a zone whose buildings are counted; the Mayor has none."""
    buildings = {"C1 TL": ("CIV", 0), "C2 TL": ("CIV", 0), "C3 TL": ("COM", 1)}
    vocations = {0: {"FINANCE": 1}, 1: {"ENERGY": 1}}
    game, games = elect("mayor", vocations=vocations, buildings=buildings)
    assert asks(game, games) == (0, Step.WINNER, {"seat 0", "seat 1"})


def test_u6_without_media_the_active_player_decides():
    vocations = {1: {"ENERGY": 1}, 2: {"FACTORY": 1}}
    game, games = elect("mayor", num_players=3, vocations=vocations, active=0)
    assert asks(game, games) == (0, Step.WINNER, {"seat 1", "seat 2"})


def test_us_6_9_the_mayor_places_a_park_on_any_empty_lot_and_controls_it():
    drawn = {"vocations": {1: {"ENERGY": 1}}, "buildings": {"A1 top": ("IND", 0)}}
    game, games = elect("mayor", **drawn)
    offered = legal(game, games)
    assert len(offered) == 142
    assert not offered & {"site A1 TL", "site A1 TR"}
    play(game, games, "site A1 BL")
    assert building_at(games, "A1 BL") == ("PARK", 1)
    assert is_done(games)


def test_us_6_9_a_mayor_elected_again_places_another_park():
    game, games = elect("mayor", offices={"mayor": 1}, vocations={1: {"ENERGY": 1}})
    assert asks(game, games)[:2] == (1, Step.PLACE)


def test_u30_no_park_without_a_tile():
    _, games = elect("mayor")
    tiles = games.tiles[0].copy()
    tiles[ZONES.index("PARK"), 0] = 0
    _, games = elect("mayor", vocations={1: {"ENERGY": 1}}, tiles=tiles)
    assert is_done(games)
    assert office_of(games, "mayor") == 1


def test_u6_nobody_qualifies_and_nothing_changes():
    _, games = elect("mayor", offices={"mayor": 1})
    assert is_done(games)
    assert office_of(games, "mayor") == 1
    for office in ZONE_OF:
        _, games = elect(office, offices={office: 1}, buildings={"A1 TL": ("PARK", 0)})
        assert office_of(games, office) == 1


# ---------------------------------------------------------------- the other four


@pytest.mark.parametrize("office", ZONE_OF)
def test_us_6_9_the_seat_with_the_most_valuable_building_of_the_zone_wins(office):
    zone = ZONE_OF[office]
    other = "COM" if zone != "COM" else "RES"
    buildings = {
        "C1 TL": (zone, 1),  # 8
        "A1 TL": (zone, 0),
        "A1 TR": (zone, 0),
        "A1 BL": (zone, 0),
        "D1 TL": (other, 0),  # 9
    }
    _, games = elect(office, buildings=buildings)
    assert is_done(games)
    assert office_of(games, office) == 1


def test_u19_the_highest_controlled_building_decides():
    buildings = {"D1 TL": ("CIV", None), "A1 TL": ("CIV", 1), "A3 TL": ("CIV", 0)}
    assert office_of(elect("attorney", buildings=buildings)[1], "attorney") == 1


@pytest.mark.parametrize("office", ZONE_OF)
def test_us_6_9_a_tie_goes_to_the_most_buildings_of_the_zone(office):
    zone = ZONE_OF[office]
    other = "COM" if zone != "COM" else "RES"
    buildings = {
        "C1 TL": (zone, 0),
        "C2 TL": (zone, 1),
        "A3 TL": (zone, 1),
        "F6 TL": (other, 0),
        "F6 TR": (other, 0),
    }
    _, games = elect(office, buildings=buildings)
    assert office_of(games, office) == 1


@pytest.mark.parametrize(("office", "before"), zip(POLITICIANS[1:], POLITICIANS, strict=False))
def test_us_6_9_then_the_office_before_on_the_track_decides(office, before):
    zone = ZONE_OF[office]
    buildings = {"C1 TL": (zone, 0), "C2 TL": (zone, 1), "A1 TL": (zone, 2)}
    drawn = {"num_players": 3, "buildings": buildings, "active": 1}
    game, games = elect(office, offices={before: 2}, **drawn)
    assert asks(game, games) == (2, Step.WINNER, {"seat 0", "seat 1"})
    play(game, games, "seat 1")
    assert office_of(games, office) == 1
    game, games = elect(office, **drawn)  # vacant: the active player (U6)
    assert games.to_play[0] == 1


def test_u7_a_tie_breaker_among_the_tied_may_choose_themself():
    buildings = {"C1 TL": ("CIV", 0), "C2 TL": ("CIV", 1)}
    game, games = elect("attorney", buildings=buildings, offices={"mayor": 0})
    assert asks(game, games) == (0, Step.WINNER, {"seat 0", "seat 1"})
    play(game, games, "seat 0")
    assert office_of(games, "attorney") == 0


def test_us_6_9_three_tied_by_value_two_of_them_by_buildings():
    buildings = {
        "C1 TL": ("COM", 0),
        "C1 BR": ("COM", 1),
        "C2 TL": ("COM", 2),
        "A1 TL": ("COM", 0),
        "A2 TL": ("COM", 2),
    }
    game, games = elect("treasurer", num_players=3, buildings=buildings)
    assert legal(game, games) == {"seat 0", "seat 2"}


TIED = {"C1 TL": ("CIV", 0), "C2 TL": ("CIV", 1)}


@pytest.mark.parametrize(
    ("office", "drawn", "why"),
    [
        ("mayor", {"vocations": {0: {"MEDIA": 1}, 1: {"ENERGY": 1}}}, "as you have the MEDIA"),
        ("mayor", {"vocations": {0: {"ENERGY": 1}, 1: {"FACTORY": 1}}}, "as it is your turn"),
        ("attorney", {"offices": {"mayor": 1}, "buildings": TIED}, "as you are the Mayor"),
        ("attorney", {"buildings": TIED}, "as it is your turn"),
    ],
)
def test_u6_who_breaks_a_tie_is_told_why(office, drawn, why):
    game, games = elect(office, **drawn)
    assert asks(game, games)[1] == Step.WINNER
    assert game.question(games).endswith(f"is tied: you break the tie, {why}")


# ---------------------------------------------------------------- Municipal Court (U24)

COURT = {"C1 TL": ("CIV", 0), "C2 TL": ("CIV", 1), "A1 TL": ("CIV", 0)}


@pytest.mark.parametrize(("owner", "winner"), [(1, 1), (0, 0), (None, 0), (2, 0)])
def test_u24_the_municipal_court_wins_ties_before_buildings_are_counted(owner, winner):
    buildings = {**COURT, "F6 top": ("RES", owner, Power.WINS_TIES)}
    _, games = elect("attorney", num_players=3, buildings=buildings)
    assert is_done(games)
    assert office_of(games, "attorney") == winner


def test_u24_the_court_wins_only_ties_it_is_part_of():
    buildings = {**COURT, "D1 TL": ("CIV", 0), "F6 top": ("RES", 1, Power.WINS_TIES)}
    assert office_of(elect("attorney", buildings=buildings)[1], "attorney") == 0


def test_u24_the_court_wins_a_tie_for_mayor_too():
    vocations = {0: {"MEDIA": 1}, 1: {"ENERGY": 1}}
    buildings = {"F6 top": ("CIV", 1, Power.WINS_TIES)}
    _, games = elect("mayor", vocations=vocations, buildings=buildings)
    assert office_of(games, "mayor") == 1


def test_u24_two_courts_among_the_tied_are_a_tie_between_them():
    buildings = {
        "C1 TL": ("CIV", 0, Power.WINS_TIES),
        "C2 TL": ("CIV", 1, Power.WINS_TIES),
        "C1 BR": ("CIV", 2),
        "A1 TL": ("CIV", 2),
    }
    game, games = elect("attorney", num_players=3, buildings=buildings)
    assert asks(game, games) == (0, Step.WINNER, {"seat 0", "seat 1"})


def test_u24_the_court_does_not_apply_to_the_contractor():
    buildings = {"F6 top": ("CIV", 1, Power.WINS_TIES)}
    drawn = {"contractor": True, "in_play": 63, "buildings": buildings}
    game, games = elect("mayor", **drawn)
    assert asks(game, games) == (0, Step.WINNER, {"seat 0", "seat 1"})


# ---------------------------------------------------------------- the Contractor


@pytest.mark.parametrize(("prestige", "winner"), [([3, 2, 4], 1), ([1, 2, 4], 0), ([3, 4, 0], 2)])
def test_us_6_9_after_each_election_the_contractor_goes_to_the_lowest_prestige(prestige, winner):
    """Ruling U30: also after an election that changes nothing."""
    drawn = {"num_players": 3, "prestige": prestige}
    _, games = elect("treasurer", in_play=63, **drawn)
    assert is_done(games)
    assert office_of(games, "contractor") == winner
    _, games = elect("treasurer", **drawn)  # not in play yet
    assert office_of(games, "contractor") is None


def test_us_6_9_a_tie_for_contractor_is_decided_by_the_boss():
    drawn = {"num_players": 3, "prestige": [2, 2, 4], "in_play": 63}
    game, games = elect("treasurer", offices={"boss": 2}, **drawn)
    assert asks(game, games) == (2, Step.WINNER, {"seat 0", "seat 1"})
    play(game, games, "seat 1")
    assert office_of(games, "contractor") == 1
    game, games = elect("treasurer", active=1, **drawn)
    assert games.to_play[0] == 1  # vacant: the active player


def test_u30_winner_then_park_then_contractor():
    drawn = {"vocations": {1: {"ENERGY": 1}}, "in_play": 63, "prestige": [3, 2]}
    game, games = elect("mayor", **drawn)
    assert office_of(games, "contractor") is None
    play(game, games, "site A1 TL")
    assert office_of(games, "contractor") == 1


def test_u31_the_elections_of_the_airport_see_the_offices_just_filled():
    """Printed: the four come into play and are elected in track order; City becomes active."""
    effects = (
        {"do": "enter", "office": "politicians"},
        *({"do": "election", "office": office} for office in ZONE_OF),
        {"do": "activate", "deck": "city"},
    )
    buildings = {
        "C1 TL": ("CIV", 2),
        "B1 TL": ("COM", 0),
        "B2 TL": ("COM", 1),
        "E1 TL": ("RES", 1),
        "F5 TL": ("IND", 0),
    }
    drawn = {"num_players": 3, "buildings": buildings, "in_play": 1, "active_decks": ("town",)}
    game, games = run(*effects, event=True, **drawn)
    # the new District Attorney breaks the tie for Treasurer
    assert asks(game, games) == (2, Step.WINNER, {"seat 0", "seat 1"})
    play(game, games, "seat 0")
    assert is_done(games)
    assert [office_of(games, office) for office in POLITICIANS] == [None, 2, 0, 1, 0]
    assert games.active_decks[0] == 0b011
