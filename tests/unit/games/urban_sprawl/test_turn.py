"""US 6.2, U4, U14, U15, U24: Treasurer, investments, action points, Favors."""

import pytest

import sprawl_env
from sprawl_env.games.urban_sprawl.constants import (
    NO_CARD,
    Power,
)
from sprawl_env.games.urban_sprawl.steps import (
    Step,
)
from tests.unit.games.urban_sprawl.position import (
    asks,
    building_at,
    card_of,
    game_of,
    hand_of,
    legal,
    office_of,
    planning_of,
    play,
    position,
    prestige_of,
    row_of,
    run,
    step_of,
    wealth_of,
)

HAND = {"hands": [{2: 1, 0: 2, "renewal": 1}]}
FACE_UP = {
    "planning": [5, 5, "renewal", 6, 7],
    "contracts": ["House", "Grade School", "Gas Station", "Clinic", "Dam"],
    "tops": {"town": "Duplex"},
    "active_decks": ("town",),
}


def next_turn(**drawn):
    """Let seat 0 end its turn; return ``(game, games)`` at the start of seat 1's turn."""
    game, games = position(**{**FACE_UP, **drawn})
    play(game, games, "decline")
    return game, games


# ---------------------------------------------------------------- the start of a turn


@pytest.mark.parametrize(
    ("wealth", "after"), [([5, 5, 5], [3, 9, 3]), ([1, 0, 5], [0, 3, 3]), ([0, 7, 0], [0, 7, 0])]
)
def test_us_6_2_the_treasurer_collects_2_from_each_opponent_or_what_they_have(wealth, after):
    _, games = next_turn(num_players=3, wealth=wealth, offices={"treasurer": 1})
    assert wealth_of(games) == after


def test_us_6_2_the_treasurer_collects_in_no_other_turn():
    _, games = next_turn(num_players=3, wealth=5, offices={"treasurer": 2})
    assert wealth_of(games) == [5, 5, 5]


@pytest.mark.parametrize(("boss", "points"), [(0, 6), (1, 8), (None, 6)])
def test_us_6_2_six_action_points_and_eight_for_the_boss(boss, points):
    _, games = next_turn(offices={} if boss is None else {"boss": boss})
    assert games.points[0] == points
    assert games.investing[0] == 1


def test_u14_the_points_are_fixed_at_the_start_of_the_turn():
    effect = {"do": "give", "office": "boss"}
    _, games = run(effect, **FACE_UP, offices={"mayor": 1}, points=4)
    assert office_of(games, "boss") == 0
    assert games.points[0] == 4


def test_u14_every_other_power_follows_its_tile_at_once():
    """A District Attorney gained during a turn doubles the bonus of its first contract."""
    drawn = {**FACE_UP, "hands": [{0: 1}], "buildings": {"A3 TL": ("RES", 1)}, "prestige": 0}
    game, games = run({"do": "give", "office": "attorney"}, **drawn, offices={"mayor": 1})
    play(game, games, "favor 1", "build 0", "site A3 TR", "permit 0")
    own = 1  # House: the gain of its own effect
    assert prestige_of(games)[0] == 2 + own


# ---------------------------------------------------------------- investments


def test_us_10_printed_an_investment_of_11():
    game, games = position(**HAND, wealth=0)
    play(game, games, "permit 2")
    assert wealth_of(games) == [11, 0]
    assert hand_of(games, 0) == {0: 2, "renewal": 1}
    assert games.planning_discards[0, 2] == 1
    assert games.points[0] == 6


def test_us_6_2_any_number_of_investments_but_not_of_urban_renewal():
    game, games = position(**HAND, wealth=0)
    assert legal(game, games) == {"decline", "permit 0", "permit 2"}
    play(game, games, "permit 0", "permit 2", "permit 0")
    assert wealth_of(games) == [7 + 11 + 7, 0]
    assert legal(game, games) == {"decline"}


@pytest.mark.parametrize("action", ["planning 0", "favor 0", "build 0", "build 8"])
def test_u14_investments_end_with_the_first_action_a_favor_built_counts(action):
    hand = {0: 3, 13: 1}
    drawn = {**FACE_UP, "hands": [hand], "favors": [["Church"]] if action == "build 8" else []}
    game, games = position(**drawn)
    assert "permit 0" in legal(game, games)
    play(game, games, action)
    if action.startswith("build"):
        play(game, games, "site A3 TL", "permit 0")
        while step_of(games) != Step.MAIN:
            play(game, games, max(legal(game, games)))
    assert not any(word.startswith("permit") for word in legal(game, games))


# ---------------------------------------------------------------- planning cards


@pytest.mark.parametrize(("space", "cost"), [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)])
def test_us_6_2_a_planning_card_costs_its_action_points(space, cost):
    game, games = position(**FACE_UP, points=cost, investing=0)
    play(game, games, f"planning {space}")
    kinds = [5, 5, "renewal", 6, 7]
    assert hand_of(games, 0) == {kinds[space]: 1}
    assert (games.points[0], planning_of(games)[space]) == (0, None)
    _, games = position(**FACE_UP, points=cost - 1, investing=0)
    assert f"planning {space}" not in legal(game, games)


def test_us_6_2_actions_in_any_order_and_repeated():
    game, games = position(**FACE_UP)
    play(game, games, "planning 1", "planning 0", "planning 2")
    assert hand_of(games, 0) == {5: 2, "renewal": 1}
    assert games.points[0] == 0
    assert legal(game, games) == {"decline"}


def test_u15_permits_acquired_this_turn_may_be_used():
    game, games = position(**FACE_UP)
    assert "build 0" not in legal(game, games)
    play(game, games, "planning 0", "build 0", "site A3 TL", "permit 5")
    assert building_at(games, "A3 TL") == ("RES", 0)


def test_u15_nothing_comes_between_contract_footprint_and_permits():
    game, games = position(**FACE_UP, **HAND)
    play(game, games, "build 0")
    assert asks(game, games)[:2] == (0, Step.FOOTPRINT)
    assert all(word.startswith("site") for word in legal(game, games))
    play(game, games, "site A3 TL")
    assert legal(game, games) == {"permit 0", "permit 2"}


# ---------------------------------------------------------------- Favors


@pytest.mark.parametrize("space", range(6))
def test_us_6_2_a_favor_costs_the_points_of_its_space(space):
    game, games = position(**FACE_UP, points=space + 1, investing=0)
    play(game, games, f"favor {space}")
    assert games.points[0] == 0
    assert games.favors[0, 0, 0] >= 0
    if space < 5:
        assert row_of(game, games)[space] is None
    _, games = position(**FACE_UP, points=space, investing=0)
    assert f"favor {space}" not in legal(game, games)


def test_us_6_2_one_favor_at_a_time():
    game, games = position(**FACE_UP, favors=[["Church"]])
    assert not any(word.startswith("favor") for word in legal(game, games))


@pytest.mark.parametrize(
    ("owner", "favors", "offered"),
    [(0, ["Church"], True), (1, ["Church"], False), (0, ["Church", "Bank"], False)],
)
def test_u24_the_warehouse_allows_two_favors_while_one_controls_it(owner, favors, offered):
    buildings = {"A6 top": ("IND", owner, Power.EXTRA_FAVOR)}
    game, games = position(**FACE_UP, favors=[favors], buildings=buildings)
    assert ("favor 0" in legal(game, games)) == offered


def test_u24_a_second_favor_outlives_the_warehouse():
    game, games = position(**FACE_UP, favors=[["Church", "Printer"]], hands=[{0: 2}])
    assert {"build 8", "build 9"} <= legal(game, games)
    assert "favor 0" not in legal(game, games)
    play(game, games, "build 8", "site A3 TL", "permit 0")
    assert "favor 0" not in legal(game, games)  # the other one moved up


def test_u4_a_favor_costs_no_points_but_is_not_built_in_the_turn_it_was_taken():
    game, games = position(**FACE_UP, hands=[{0: 1}])
    play(game, games, "favor 0")
    assert "build 8" not in legal(game, games)
    play(game, games, "decline", "decline")
    assert "build 8" in legal(game, games)
    games.points[0] = 0
    games.investing[0] = 0
    assert "build 8" in legal(game, games)


def test_us_6_2_a_favor_may_be_taken_in_the_turn_in_which_one_is_built():
    """Ruling U4: the new Favor, though in the same slot, is the one that must wait."""
    game, games = position(**FACE_UP, favors=[["Church"]], hands=[{0: 2}])
    play(game, games, "build 8", "site A3 TL", "permit 0", "favor 0")
    assert "build 8" not in legal(game, games)


def test_u4_the_slot_of_a_favor_taken_this_turn_moves_up_with_it():
    buildings = {"A6 top": ("IND", 0, Power.EXTRA_FAVOR)}
    drawn = {**FACE_UP, "favors": [["Church"]], "hands": [{0: 2}], "buildings": buildings}
    game, games = position(**drawn)
    play(game, games, "favor 0")
    assert "build 8" in legal(game, games)
    assert "build 9" not in legal(game, games)
    play(game, games, "build 8", "site F3 TL", "permit 0")
    assert "build 8" not in legal(game, games)


def test_u40_favors_are_numbered_in_order_of_taking_and_the_second_moves_up():
    buildings = {"A6 top": ("IND", 0, Power.EXTRA_FAVOR)}
    game, games = position(**FACE_UP, hands=[{0: 3}], buildings=buildings)
    play(game, games, "favor 2", "favor 0")
    assert [card_of("Gas Station"), card_of("House")] == games.favors[0, 0].tolist()
    play(game, games, "decline", "decline")
    assert {"build 8", "build 9"} <= legal(game, games)
    play(game, games, "build 8", "site C3 TL", "permit 0")
    while step_of(games) != Step.MAIN:
        play(game, games, max(legal(game, games)))
    assert games.favors[0, 0].tolist() == [card_of("House"), NO_CARD]
    assert "build 8" in legal(game, games)
    assert "build 9" not in legal(game, games)


# ---------------------------------------------------------------- illegal actions


@pytest.mark.parametrize("answers", [(), ("planning 0",), ("build 0",), ("build 0", "site A3 TL")])
def test_an_illegal_action_changes_no_byte(answers):
    game, games = position(**FACE_UP, **HAND)
    play(game, games, *answers)
    mask = game.legal_actions(games)
    before = games.tobytes()
    for action in [-1, 258, *(int(a) for a in (mask == 0).nonzero()[0])]:
        with pytest.raises(sprawl_env.IllegalAction):
            game.play(games, 0, action)
    assert games.tobytes() == before


def test_us_9_there_are_258_actions():
    assert game_of().num_actions == 258
