"""US 6.8, U25 to U28, U30, U32: rail lines, revealed cards, ballots, payouts, exhaustion."""

import pytest

from sprawl_env.core.state import FINISHED, NOBODY, TRUNCATED
from sprawl_env.games.urban_sprawl.constants import (
    FIRST_EVENT,
    NO_KIND,
    NUM_EVENTS,
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
    kind_of,
    legal,
    markers_of,
    planning_of,
    play,
    position,
    prestige_of,
    row_of,
    tops_of,
    wealth_of,
    with_effects,
    with_tables,
)

QUIET = {  # no space is empty, so nothing is drawn
    "planning": [5, 5, 5, 6, 6],
    "contracts": ["High School", "Grade School", "Gas Station", "Clinic", "Dam"],
    "tops": {"town": "Duplex"},
    "active_decks": ("town",),
    "wealth": 0,
    "prestige": 0,
}
ALL_DECKS = ("town", "city", "metropolis")
ALL_TOPS = {"town": "Duplex", "city": "Brewery", "metropolis": "Temple"}


def end(**drawn):
    """End a turn; return ``(game, games)``."""
    game, games = position(**{**QUIET, **drawn})
    play(game, games, "decline")
    if games.over[0] == 0:
        assert game.rules.violations(game.tables, games, 0) == []
    return game, games


def event_does(name, *effects):
    """Return a game in which an event of a contract deck has the given effects."""
    game, first = with_effects(game_of(), effects, event=True)
    t = game.tables[0]
    t.card_first[card_of(name)], t.card_effects[card_of(name)] = first, len(effects)
    return game


def test_us_6_8_the_turn_passes_on_and_the_rest_of_the_points_is_lost():
    game, games = end(points=5, investing=0)
    assert asks(game, games)[:2] == (1, Step.MAIN)
    assert (games.active[0], games.turn[0], games.points[0]) == (1, 1, 6)
    assert planning_of(games) == QUIET["planning"]
    assert row_of(game, games) == QUIET["contracts"]
    assert (wealth_of(games), prestige_of(games)) == ([0, 0], [0, 0])


@pytest.mark.parametrize(("turns", "over"), [(2, 0), (1, TRUNCATED)])
def test_u32_the_game_is_truncated_at_the_limit_of_turns(turns, over):
    _, games = end(options={"max_turns": turns})
    assert games.over[0] == over
    assert (games.to_play[0] == NOBODY) == (over == TRUNCATED)


def test_u32_a_truncated_game_is_scored_alike():
    game, games = end(options={"max_turns": 1}, buildings={"A1 TL": ("IND", 0)}, wealth=[10, 0])
    assert games.over[0] == TRUNCATED
    assert game.scores(games, 0).tolist() == [4, 0]


# ---------------------------------------------------------------- planning cards


def test_us_6_8_planning_cards_slide_then_the_empty_spaces_are_filled_then_the_top():
    """13 and 10 have wealth values 1 and 2, lines of columns A and F."""
    buildings = {"A1 TL": ("IND", 0), "F1 TL": ("IND", 1), "B1 TL": ("IND", 0)}
    drawn = {"planning": [None, 5, None, 6, 7], "planning_deck": [13, 15, 14]}
    _, games = end(**drawn, buildings=buildings)
    assert planning_of(games) == [5, 6, 7, 13, 15]
    assert wealth_of(games) == [1, 2]  # 5, 6 and 7 were revealed before (U25)
    assert games.planning_deck[0, games.planning_size[0] - 1] == 14


def test_u25_a_face_up_top_slides_without_a_second_payout():
    """Kind 13, wealth 1, was the top; it slides to 4 AP."""
    buildings = {"A1 TL": ("IND", 0)}
    drawn = {"planning": [5, 5, 5, None, 13], "planning_deck": [7]}
    _, games = end(**drawn, buildings=buildings)
    assert planning_of(games) == [5, 5, 5, 13, 7]
    assert wealth_of(games) == [0, 0]


def test_u25_the_top_stays_when_nothing_is_empty():
    drawn = {"planning": [5, 5, 5, 6, 13], "buildings": {"A1 TL": ("IND", 0)}}
    assert planning_of(end(**drawn)[1]) == [5, 5, 5, 6, 13]


@pytest.mark.parametrize(("pawn", "following"), [(0, 1), (1, 2), (2, 3), (3, 4)])
def test_us_6_9_a_ballot_moves_the_pawn_and_is_blank_for_a_politician_not_in_play(pawn, following):
    buildings = {
        f"{c}1 TL": (zone, 0) for c, zone in zip("ABCD", ("CIV", "COM", "RES", "IND"), strict=True)
    }
    drawn = {"planning": [5, 5, 5, 6, None], "planning_deck": [3], "buildings": buildings}
    _, games = end(**drawn, pawn=pawn)
    assert games.pawn[0] == following
    assert games.office[0].tolist() == [NOBODY] * 6
    _, games = end(**drawn, pawn=pawn, in_play=31)
    assert games.office[0, following] == 0
    assert (games.office[0] != NOBODY).sum() == 1


def test_us_6_9_the_pawn_goes_round_and_a_card_without_ballot_leaves_it():
    drawn = {"planning": [5, 5, 5, 6, None], "vocations": {1: {"ENERGY": 1}}}
    _, games = end(**drawn, planning_deck=[3], pawn=4)
    assert games.pawn[0] == 0
    assert games.office[0, 0] == 1
    _, games = end(**drawn, planning_deck=[9], pawn=4)
    assert games.pawn[0] == 4


def test_u30_the_park_of_an_election_counts_in_the_payout_of_the_same_card():
    """Kind 0: ballot, wealth 7.  One building each, so the Mayor's park gives seat 1 the lead."""
    drawn = {
        "planning": [5, 5, 5, 6, None],
        "planning_deck": [0],
        "pawn": 4,
        "markers": {"wealth 7": "grey 1"},
        "buildings": {"A1 TL": ("IND", 0), "B1 TL": ("IND", 1)},
        "vocations": {1: {"ENERGY": 1}},
    }
    game, games = end(**drawn)
    assert asks(game, games)[:2] == (1, Step.PLACE)
    assert wealth_of(games) == [0, 0]
    play(game, games, "site F1 BR")
    assert wealth_of(games) == [3, 7]
    game, games = end(**drawn)
    play(game, games, "site F2 BR")
    assert wealth_of(games) == [5, 5]


def test_us_6_8_urban_renewal_causes_neither_ballot_nor_payout():
    drawn = {"planning": [5, 5, 5, 6, None], "planning_deck": ["renewal"]}
    _, games = end(**drawn, vocations={1: {"ENERGY": 1}}, pawn=4)
    assert planning_of(games)[4] == kind_of("renewal")
    assert games.pawn[0] == 4


@pytest.mark.parametrize("planning", [[5, 5, 5, None, 6], [5, 5, 5, 6, None]])
def test_us_6_8_a_planning_event_is_executed_discarded_and_replaced(planning):
    drawn = {"planning": planning, "planning_deck": ["Luxury Tax", "Rush Hour", 9]}
    buildings = {"D1 TL": ("IND", 0)}
    _, games = end(**drawn, buildings=buildings, wealth=[5, 2])
    assert planning_of(games)[:5] == [5, 5, 5, 6, 9]
    assert wealth_of(games) == [2 + 6, 0]
    assert games.planning_discards[0, kind_of("Luxury Tax")] == 1
    assert games.planning_discards[0, kind_of("Rush Hour")] == 1
    assert games.event[0] == -1


def test_us_6_8_an_event_is_wholly_executed_before_the_next_card_is_drawn():
    drawn = {"planning": [5, 5, 5, 6, None], "planning_deck": ["Flood", 13]}
    buildings = {"A1 TL": ("IND", 0), "A1 TR": ("IND", 0)}
    game, games = end(**drawn, buildings=buildings)
    assert asks(game, games) == (0, Step.DISASTER, {"site A1 TL", "site A1 TR"})
    assert games.event[0] == kind_of("Flood") - FIRST_EVENT
    assert planning_of(games)[4] is None
    play(game, games, "site A1 TL")
    assert wealth_of(games) == [1, 0]  # column A is paid after the flood
    assert planning_of(games)[4] == 13


HOARD = {k: n for k, n in enumerate((3, 3, 1, 2, 3, 1, 1, 1, 2, 3, 2, 3, 2, 2, 1, 1, 1)) if n}


def only_event(name):
    """Return a game in which all other planning events do nothing."""
    game = game_of()
    tables = game.tables.copy()
    others = [e for e in range(NUM_EVENTS) if e != kind_of(name) - FIRST_EVENT]
    tables[0].event_count[others] = 0
    return with_tables(game, tables)


def test_u28_the_deck_is_rebuilt_when_a_card_is_needed():
    hands = [{**HOARD, 6: 2, 16: 0, 15: 0, "renewal": 4}]
    drawn = {"planning": [5, 5, None, 6, None], "hands": hands, "only_planning": True}
    _, games = end(**drawn, game=only_event("Flood"))
    assert planning_of(games)[:3] == [5, 5, 6]
    assert set(planning_of(games)[3:]) == {15, 16}  # events are drawn in between
    assert games.no_events[0] == 0


def test_u28_an_event_being_executed_is_not_among_the_discards_of_a_rebuilt_deck():
    """Permit Audit: seat 0 discards a card, seat 1 draws one from an empty deck."""
    hands = [{**HOARD, 16: 0, 15: 0, "renewal": 4}]
    drawn = {"planning": [5, 5, 6, 6, None], "hands": hands, "only_planning": True}
    drawn |= {"planning_deck": ["Permit Audit"], "prestige": [1, 0]}
    game, games = end(**drawn, game=only_event("Permit Audit"))
    assert asks(game, games)[:2] == (0, Step.DISCARD)
    play(game, games, "permit 0")
    assert sum(hand_of(games, 1).values()) == 1
    assert games.planning_discards[0, kind_of("Permit Audit")] == 1
    assert planning_of(games)[4] is not None


def test_u28_with_all_permits_hoarded_nothing_is_drawn_and_the_space_stays_empty():
    """Events alone would loop without end, so none is executed."""
    hands = [{**HOARD, "renewal": 4}]
    drawn = {"planning": [5, 5, None, 6, 6], "hands": hands, "only_planning": True}
    _, games = end(**drawn, wealth=9)
    assert planning_of(games) == [5, 5, 6, 6, None]
    assert wealth_of(games) == [9, 9]
    drawn["planning_deck"] = ["Luxury Tax", "Flood"]
    drawn["only_planning"] = False
    _, games = end(**drawn, wealth=9)
    assert planning_of(games) == [5, 5, 6, 6, None]
    assert wealth_of(games) == [9, 9]
    assert games.planning_size[0] == 14


def test_u28_with_all_permits_hoarded_a_space_of_the_row_stays_empty_too():
    """Nothing is drawn, and the next turn begins."""
    hands = [{**HOARD, 6: 2, "renewal": 4}]
    drawn = {"planning": [5, None, 5, 6, None], "hands": hands, "only_planning": True}
    game, games = end(**drawn)
    assert planning_of(games) == [5, 5, 6, None, None]
    assert asks(game, games)[:2] == (1, Step.MAIN)


# ---------------------------------------------------------------- contracts on the rail lines


def test_us_6_8_with_town_alone_its_cards_slide_through_all_five_spaces():
    drawn = {
        "contracts": [None, "High School", None, "Clinic", "Dam"],
        "decks": {"town": ["Church", "House"]},
        "buildings": {"A1 TL": ("IND", 0)},
        "markers": {"prestige 6": "grey 1"},
    }
    game, games = end(**drawn)
    assert row_of(game, games) == ["High School", "Clinic", "Dam", "Duplex", "Church"]
    assert tops_of(game, games) == ["House", None, None]
    # Duplex (3) slid; Church (1) and House (6) were revealed
    assert prestige_of(games) == [6, 0]


def test_u25_a_face_up_top_of_a_contract_deck_slides_without_a_second_payout():
    drawn = {"buildings": {"A1 TL": ("IND", 0)}, "decks": {"town": ["Clinic"]}}
    contracts = ["High School", "Grade School", "Gas Station", "Bank", None]
    game, games = end(**drawn, contracts=contracts)
    assert row_of(game, games)[4] == "Duplex"
    assert prestige_of(games) == [0, 0]  # Duplex would pay rows 1-2, Clinic rows 3-4
    _, games = end(decks={"town": ["Duplex"]}, tops={}, buildings=drawn["buildings"])
    assert prestige_of(games) == [3, 0]


def test_us_6_8_with_city_town_stays_in_5_and_city_slides_4_to_1():
    drawn = {
        "active_decks": ("town", "city"),
        "tops": {"town": "Duplex", "city": "Brewery"},
        "contracts": [None, "High School", None, None, None],
        "decks": {"town": ["Church"], "city": ["Hotel", "Rail Yard", "Warehouse"]},
    }
    game, games = end(**drawn)
    assert row_of(game, games) == ["High School", "Brewery", "Hotel", "Rail Yard", "Duplex"]
    assert tops_of(game, games) == ["Church", "Warehouse", None]


def test_us_6_8_cards_already_further_down_stay_and_slide_on_but_5_does_not_feed_4():
    drawn = {
        "active_decks": ("town", "city"),
        "tops": {"town": "Duplex", "city": "Brewery"},
        "contracts": ["Clinic", None, "High School", "Hotel", "Dam"],
    }
    game, games = end(**drawn)
    assert row_of(game, games) == ["Clinic", "High School", "Hotel", "Brewery", "Dam"]
    assert tops_of(game, games)[0] == "Duplex"


def test_us_6_8_with_metropolis_city_stays_in_4_and_metropolis_slides_3_to_1():
    drawn = {
        "active_decks": ALL_DECKS,
        "tops": ALL_TOPS,
        "contracts": [None, None, "Clinic", None, None],
        "decks": {"town": ["Church"], "city": ["Hotel"], "metropolis": ["Port", "Casino"]},
    }
    game, games = end(**drawn)
    assert row_of(game, games) == ["Clinic", "Temple", "Port", "Brewery", "Duplex"]
    assert tops_of(game, games) == ["Church", "Hotel", "Casino"]


@pytest.mark.parametrize("space", range(5))
def test_us_6_8_the_deck_that_feeds_a_space_with_all_three_active(space):
    contracts = ["Clinic", "High School", "Hotel", "Bank", "Dam"]
    contracts[space] = None
    decks = {"town": ["Church"], "city": ["Warehouse"], "metropolis": ["Port"]}
    game, games = end(active_decks=ALL_DECKS, tops={}, contracts=contracts, decks=decks)
    last = 2 if space < 3 else space
    fed = {2: "Port", 3: "Warehouse", 4: "Church"}[last]
    assert row_of(game, games)[last] == fed


def test_us_6_8_spaces_are_filled_the_cheapest_first():
    decks = {"town": ["Church", "House", "Clinic", "Villa"]}
    game, games = end(contracts=["High School"], tops={}, decks={"town": decks["town"][:3]})
    assert row_of(game, games)[:4] == ["High School", "Church", "House", "Clinic"]


# ---------------------------------------------------------------- US §10: exhausted decks (U27)


def exhausted(*gone, row=(None,) * 5, decks=None, tops=None, active=ALL_DECKS):
    drawn = {"gone": gone, "decks": decks or {}, "tops": tops or {}, "active_decks": active}
    game, games = end(contracts=list(row), **drawn)
    return row_of(game, games), tops_of(game, games)


CARDS = {"town": ["Church"], "city": ["Hotel"], "metropolis": ["Port", "Casino", "Temple"]}


def test_u27_town_exhausted_5_is_not_filled():
    decks = {k: v for k, v in CARDS.items() if k != "town"}
    row, tops = exhausted("town", decks=decks)
    assert row == ["Port", "Casino", "Temple", "Hotel", None]
    assert tops[0] is None


def test_u27_city_exhausted_town_slides_to_5_and_4_again_not_beyond():
    decks = {"town": ["Church", "House"], "metropolis": CARDS["metropolis"]}
    row, _ = exhausted("city", decks=decks)
    assert row == ["Port", "Casino", "Temple", "Church", "House"]
    row, tops = exhausted("city", decks=decks, row=("Clinic", None, None, None, "Dam"))
    assert row == ["Clinic", "Port", "Casino", "Dam", "Church"]  # 5 slides to 4
    assert tops[0] == "House"
    row, _ = exhausted("city", decks=decks, row=("Clinic", "Bank", None, "Hotel", "Dam"))
    assert row == ["Clinic", "Bank", "Port", "Hotel", "Dam"]


def test_u27_a_deck_is_not_exhausted_while_its_face_up_top_is_there():
    row, tops = exhausted("city", decks={"town": ["Church"]}, tops={"city": "Hotel"})
    assert row[3:] == ["Hotel", "Church"]
    assert tops[1] is None


def test_u27_both_exhausted_nothing_moves_into_5_or_4():
    decks = {"metropolis": CARDS["metropolis"]}
    row, _ = exhausted("city", "town", decks=decks)
    assert row == ["Port", "Casino", "Temple", None, None]
    row, _ = exhausted("city", "town", decks=decks, row=(None, None, None, None, "Dam"))
    assert row == ["Port", "Casino", "Temple", None, "Dam"]


def test_u27_all_three_exhausted():
    row, tops = exhausted(*ALL_DECKS, row=(None, "Clinic", None, None, None))
    assert row == ["Clinic", None, None, None, None]
    assert tops == [None] * 3


def test_u27_without_metropolis_an_exhausted_city_leaves_4_to_town():
    decks = {"town": ["Church", "House"]}
    row, _ = exhausted("city", decks=decks, active=("town", "city"))
    assert row == [None, None, None, "Church", "House"]


def test_u27_a_city_exhausted_in_step_5_lets_towns_face_up_top_fill_4_without_a_payout():
    """Rulings U25, U26: the feeding deck is looked up for each card."""
    drawn = {
        "active_decks": ("town", "city"),
        "gone": ("city",),
        "decks": {"city": ["Hotel"], "town": ["Clinic"]},
        "contracts": ["Bank", "High School", None, None, "Dam"],
        "buildings": {"A1 TL": ("IND", 0)},
    }
    game, games = end(**drawn)
    assert row_of(game, games) == ["Bank", "High School", "Hotel", "Duplex", "Dam"]
    assert tops_of(game, games) == ["Clinic", None, None]
    assert prestige_of(games) == [0, 0]  # Hotel pays rows 5-6, Clinic rows 3-4


# ---------------------------------------------------------------- events of the contract decks


AIRPORT = {
    "contracts": ["High School", "Grade School", "Gas Station", None, None],
    "tops": {},
    "decks": {"town": ["Airport", "Church", "House"], "city": ["Hotel", "Brewery"]},
}


def test_u26_airport_in_step_5_reroutes_the_rest_of_the_step():
    """US §10: two empty spaces; City fills 4, Town 5; City's top is revealed in the same turn."""
    game, games = end(**AIRPORT)
    assert row_of(game, games)[3:] == ["Hotel", "Church"]
    assert tops_of(game, games) == ["House", "Brewery", None]
    assert games.active_decks[0] == 0b011
    assert games.in_play[0] == 31


def test_u26_airport_in_step_6_is_replaced_and_city_is_turned_in_step_7():
    game, games = end(**{**AIRPORT, "contracts": QUIET["contracts"]})
    assert tops_of(game, games) == ["Church", "Hotel", None]


def test_us_6_10_sports_team_in_step_5():
    drawn = {
        "active_decks": ("town", "city"),
        "contracts": [None, None, None, None, "Dam"],
        "tops": {"town": "Duplex"},
        "decks": {
            "city": ["Hotel", "Sports Team", "Brewery", "Rail Yard"],
            "metropolis": ["Port", "Casino", "Temple"],
        },
        "prestige": [4, 3],
    }
    game, games = end(**drawn)
    assert row_of(game, games) == ["Hotel", "Port", "Casino", "Brewery", "Dam"]
    assert tops_of(game, games) == ["Duplex", "Rail Yard", "Temple"]
    assert games.office[0, 5] == 1
    assert games.active_decks[0] == 0b111


def test_us_6_12_olympic_games_stop_the_game_at_once():
    drawn = {
        "active_decks": ALL_DECKS,
        "tops": {"town": "Duplex", "city": "Brewery"},
        "decks": {"metropolis": ["Olympic Games"]},
    }
    game, games = end(**drawn)
    assert (games.over[0], games.to_play[0]) == (FINISHED, NOBODY)
    assert (games.turn[0], games.active[0]) == (0, 0)
    assert tops_of(game, games)[2] is None
    assert game.rules.violations(game.tables, games, 0) == []
    assert not game.legal_actions(games).any()


def test_us_10_printed_business_relocation_in_step_7_then_the_next_city_card():
    drawn = {
        "active_decks": ("town", "city"),
        "decks": {"city": ["Business Relocation", "Hotel"]},
        "vocations": {1: {"MEDIA": 1}},
        "offices": {"treasurer": 0},
        "buildings": {"D5 right": ("COM", 1)},
    }
    game, games = end(**drawn)
    assert (wealth_of(games), prestige_of(games)) == ([0, 1], [0, 1])
    assert asks(game, games) == (0, Step.TARGET, {"site D5 TR"})
    assert tops_of(game, games)[1] is None
    play(game, games, "site D5 TR")
    assert building_at(games, "D5 right") == ("COM", None)
    assert tops_of(game, games) == ["Duplex", "Hotel", None]
    assert games.active[0] == 1


def test_us_6_8_two_events_in_a_row():
    game = event_does("Airport", {"do": "gain", "what": "wealth", "amount": 1})
    decks = {"city": ["Housing Boom", "Business Relocation", "Hotel"]}
    drawn = {"active_decks": ("town", "city"), "decks": decks, "vocations": {0: {"MEDIA": 1}}}
    game, games = end(**drawn, game=game)
    assert tops_of(game, games)[1] == "Hotel"
    assert wealth_of(games) == [1, 0]


def test_u26_a_space_emptied_after_its_step_waits_for_the_next_end_of_turn():
    """A town event in step 6 gives a planning card, then a marker moves nothing more."""
    game = event_does("Airport", {"do": "free_card"})
    drawn = {"decks": {"town": ["Airport", "Church"]}, "tops": {}}
    game, games = end(**drawn, game=game)
    assert asks(game, games)[:2] == (0, Step.FREE_CARD)
    play(game, games, "planning 0")
    assert planning_of(games) == [None, 5, 5, 6, 6]
    assert games.active[0] == 1


def test_us_6_8_an_event_may_change_what_the_next_payout_pays():
    """A new marker is on the board before the next card is revealed."""
    game = event_does("Airport", {"do": "new_marker", "number": 6, "what": "prestige"})
    drawn = {"decks": {"town": ["Airport", "House"]}, "tops": {}}
    game, games = end(**drawn, game=game, buildings={"F1 TL": ("IND", 1)})
    play(game, games, "line grey 1")
    assert markers_of(games) == {"prestige 6": "grey 1"}
    assert prestige_of(games) == [0, 6]


# ---------------------------------------------------------------- U25, 6.2: tops taken in a turn


def test_us_6_2_a_top_taken_stays_face_down_until_the_end_of_the_turn():
    drawn = {"hands": [{0: 1}], "planning": [5, 5, 5, 6, 6], "wealth": 9, "points": 8}
    game, games = position(**{**QUIET, **drawn})
    play(game, games, "favor 5")
    assert tops_of(game, games) == [None] * 3
    assert not {"build 5", "favor 5"} & legal(game, games)
    play(game, games, "decline")
    assert tops_of(game, games)[0] is not None
    game, games = position(**{**QUIET, **drawn})
    play(game, games, "planning 4")
    assert games.planning[0, 4] == NO_KIND
    assert "planning 4" not in legal(game, games)
