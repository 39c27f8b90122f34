"""US 6.5, U17, U20: taking a marker, scoring all markers of a name, the Police Chief."""

import pytest

from sprawl_env.games.urban_sprawl.steps import (
    Step,
)
from tests.unit.games.urban_sprawl.position import (
    asks,
    is_done,
    legal,
    play,
    position,
    prestige_of,
    vocations_of,
    wealth_of,
)

BOTH = {"gain wealth", "gain prestige"}


def build(name, place, **drawn):
    """Build a contract of seat 0 with 4-permits, by default in an empty city."""
    drawn = {"hands": [{13: 2}], "wealth": 20, "prestige": 0, **drawn}
    game, games = position(contracts=[name], **drawn)
    play(game, games, "build 0", f"site {place}", "permit 13")
    return game, games


@pytest.mark.parametrize("gain", ["wealth", "prestige"])
def test_us_10_printed_factory_2_alone(gain):
    """A3 costs 2."""
    game, games = build("Printer", "A3 TL")
    assert vocations_of(games, 0) == {"FACTORY": 1}
    assert asks(game, games) == (0, Step.MARKER_GAIN, BOTH)
    play(game, games, f"gain {gain}")
    assert wealth_of(games)[0] == 20 - 2 + (2 if gain == "wealth" else 0)
    assert prestige_of(games)[0] == (2 if gain == "prestige" else 0)


def test_us_10_printed_factory_1_is_scored_by_both():
    """Gravel Pit FACTORY-1, built by seat 0; seat 1 has one marker already."""
    game, games = build("Gravel Pit", "A3 -TL", vocations={1: {"FACTORY": 1}})
    play(game, games, "gain prestige")
    assert asks(game, games) == (1, Step.MARKER_GAIN, BOTH)
    play(game, games, "gain wealth")
    assert prestige_of(games) == [1, 0]
    assert wealth_of(games)[1] == 21


@pytest.mark.parametrize(
    ("answers", "wealth", "prestige"),
    [
        (("wealth", "wealth", "wealth"), (8, 4), (0, 0)),
        (("prestige", "prestige", "prestige"), (0, 0), (8, 4)),
        (("wealth", "prestige", "prestige"), (4, 0), (4, 4)),
    ],
)
def test_us_10_printed_factory_4_marker_by_marker(answers, wealth, prestige):
    """Oil Refinery: ENERGY-5, then FACTORY-4, when seat 0 has two FACTORY and seat 1 one."""
    vocations = {0: {"FACTORY": 1}, 1: {"FACTORY": 1}}
    game, games = build("Oil Refinery", "A3", vocations=vocations)
    assert asks(game, games)[:2] == (0, Step.MARKER_GAIN)
    assert vocations_of(games, 0) == {"ENERGY": 1, "FACTORY": 1}  # the second one waits (U17)
    play(game, games, "gain wealth")
    before = wealth_of(games), prestige_of(games)
    assert vocations_of(games, 0) == {"ENERGY": 1, "FACTORY": 2}
    play(game, games, *(f"gain {answer}" for answer in answers[:2]))
    assert asks(game, games)[:2] == (1, Step.MARKER_GAIN)
    play(game, games, f"gain {answers[2]}")
    assert is_done(games)
    own = 2  # the refinery itself: an IND that seat 0 controls
    after = [now - then for now, then in zip(wealth_of(games), before[0], strict=True)]
    assert after == [wealth[0] + own, wealth[1]]
    after = [now - then for now, then in zip(prestige_of(games), before[1], strict=True)]
    assert after == list(prestige)


def test_us_6_5_clockwise_from_the_builder():
    vocations = {seat: {"FACTORY": 1} for seat in range(3)}
    drawn = {"hands": [{}, {13: 1}], "active": 1, "num_players": 3}
    game, games = build("Printer", "A3 TL", vocations=vocations, **drawn)
    for seat in (1, 1, 2, 0):
        assert games.to_play[0] == seat
        play(game, games, "gain wealth")
    assert is_done(games)


# ---------------------------------------------------------------- no marker left (U17)

GONE = {"num_players": 3, "vocations": {1: {"ENERGY": 2}, 2: {"ENERGY": 1}}}


def test_u17_the_builder_names_an_opponent_who_holds_one():
    game, games = build("Gas Station", "A3 TL", **GONE)
    assert asks(game, games) == (0, Step.VOCATION_FROM, {"seat 1", "seat 2", "decline"})
    play(game, games, "seat 1")
    assert vocations_of(games, 0) == {"ENERGY": 1}
    assert vocations_of(games, 1) == {"ENERGY": 1}
    for seat in range(3):
        assert games.to_play[0] == seat
        play(game, games, "gain prestige")
    assert prestige_of(games) == [2, 2, 2]


def test_u17_or_declines_and_the_scoring_follows_all_the_same():
    game, games = build("Gas Station", "A3 TL", **GONE)
    play(game, games, "decline")
    play(game, games, *["gain prestige"] * 3)
    assert is_done(games)
    assert prestige_of(games) == [0, 4, 2]


def test_u17_no_ply_when_no_opponent_holds_any():
    game, games = build("Gas Station", "A3 TL", vocations={0: {"ENERGY": 3}})
    assert asks(game, games)[:2] == (0, Step.MARKER_GAIN)
    assert vocations_of(games, 0) == {"ENERGY": 3}


def test_us_6_5_with_some_in_the_supply_none_is_taken_from_an_opponent():
    game, games = build("Gas Station", "A3 TL", vocations={1: {"ENERGY": 2}})
    assert asks(game, games)[:2] == (0, Step.MARKER_GAIN)
    assert vocations_of(games, 1) == {"ENERGY": 2}


def test_u17_media_always_moves_this_way():
    game, games = build("Television Station", "A3 top", vocations={1: {"MEDIA": 1}})
    assert legal(game, games) == {"seat 1", "decline"}
    play(game, games, "seat 1", "gain wealth")
    assert vocations_of(games, 0) == {"MEDIA": 1}


# ---------------------------------------------------------------- Police Chief


@pytest.mark.parametrize("police", [0, 1])
def test_us_6_5_the_police_chief_gets_both_without_a_ply(police):
    drawn = {"vocations": {1: {"FACTORY": 2}}, "offices": {"police": police}}
    game, games = build("Printer", "A3 TL", **drawn)
    markers = {0: 1, 1: 2}
    for _ in range(markers[1 - police]):
        assert asks(game, games)[:2] == (1 - police, Step.MARKER_GAIN)
        play(game, games, "gain wealth")
    assert is_done(games)
    assert wealth_of(games) == [18 + 2, 20 + 4]
    assert prestige_of(games)[police] == 2 * markers[police]
    assert prestige_of(games)[1 - police] == 0


def test_us_6_5_no_vocation_no_scoring():
    game, games = build("Department Store", "A3 -TL", vocations={1: {"FACTORY": 2}})
    assert games.vocations[0, 0].sum() == 0
    assert "gain prestige" not in legal(game, games)
