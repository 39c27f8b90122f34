"""US §7, U18 to U24, U29, U30: each verb, filter and parameter of the effects alone."""

import pytest

from sprawl_env.core.state import FINISHED, NOBODY
from sprawl_env.games.urban_sprawl.constants import (
    POLICE,
    ZONES,
    Power,
)
from sprawl_env.games.urban_sprawl.steps import (
    Step,
)
from tests.unit.games.urban_sprawl.position import (
    asks,
    building_at,
    hand_of,
    is_done,
    legal,
    lot_of,
    markers_of,
    num_buildings,
    office_of,
    planning_of,
    play,
    prestige_of,
    run,
    step_of,
    value_of,
    vocations_of,
    wealth_of,
)

CORNERS = ("TL", "TR", "BL", "BR")
OFFICES = {"mayor": 1, "attorney": 2, "treasurer": 3, "police": 0, "boss": 1, "contractor": 2}
TABLE = {
    "num_players": 4,
    "offices": OFFICES,
    "vocations": {3: {"MEDIA": 1}},
    "prestige": [10, 5, 20, 15],
    "wealth": [30, 40, 20, 25],
}


def gained(games, wealth):
    """Return what each seat has gained."""
    return [now - before for now, before in zip(wealth_of(games), wealth, strict=True)]


# ---------------------------------------------------------------- who


@pytest.mark.parametrize(
    ("who", "seats"),
    [
        ("self", {0}),
        ("builder", {0}),
        ("mayor", {1}),
        ("attorney", {2}),
        ("treasurer", {3}),
        ("police", {0}),
        ("boss", {1}),
        ("contractor", {2}),
        ("media", {3}),
        ("most_prestige", {2}),
        ("least_prestige", {1}),
        ("most_wealth", {1}),
        ("least_wealth", {2}),
        ("each", {0, 1, 2, 3}),
        ("opponents", {1, 2, 3}),
    ],
)
def test_us_7_who_an_effect_concerns(who, seats):
    _, games = run({"do": "gain", "who": who, "what": "wealth", "amount": 2}, **TABLE)
    assert is_done(games)
    expected = [2 if seat in seats else 0 for seat in range(4)]
    assert gained(games, TABLE["wealth"]) == expected


@pytest.mark.parametrize(
    ("who", "seats"), [("self", {2}), ("builder", {0}), ("opponents", {0, 1, 3})]
)
def test_us_7_self_is_whom_the_effect_runs_for_and_the_builder_the_active_player(who, seats):
    effect = {"do": "gain", "who": who, "what": "wealth", "amount": 2}
    _, games = run(effect, self_seat=2, **TABLE)
    expected = [2 if seat in seats else 0 for seat in range(4)]
    assert gained(games, TABLE["wealth"]) == expected


@pytest.mark.parametrize("who", [*OFFICES, "media"])
def test_u18_an_effect_of_a_vacant_decider_is_skipped_and_the_next_runs(who):
    effects = (
        {"do": "gain", "who": who, "what": "wealth", "amount": 2},
        {"do": "gain", "what": "prestige", "amount": 1},
    )
    _, games = run(*effects, num_players=4)
    assert is_done(games)
    assert wealth_of(games) == [30] * 4
    assert prestige_of(games) == [21, 20, 20, 20]


@pytest.mark.parametrize(
    ("who", "prestige", "wealth", "tied"),
    [
        ("most_prestige", [1, 7, 7], [9, 9, 9], {1, 2}),
        ("least_prestige", [1, 7, 1], [9, 9, 9], {0, 2}),
        ("most_wealth", [1, 2, 3], [9, 9, 4], {0, 1}),
        ("least_wealth", [1, 2, 3], [4, 4, 4], {0, 1, 2}),
    ],
)
def test_us_6_11_the_active_player_picks_among_tied_leaders(who, prestige, wealth, tied):
    effect = {"do": "gain", "who": who, "what": "wealth", "amount": 5}
    game, games = run(effect, num_players=3, prestige=prestige, wealth=wealth, active=1)
    assert asks(game, games) == (1, Step.LEADER, {f"seat {seat}" for seat in tied})
    seat = max(tied)
    play(game, games, f"seat {seat}")
    assert is_done(games)
    assert gained(games, wealth) == [5 if seat == other else 0 for other in range(3)]


@pytest.mark.parametrize(("picked", "after"), [(0, [9, 9, 1]), (1, [13, 5, 1])])
def test_u44_the_builder_may_pick_itself_of_the_richest_and_steals_nothing(picked, after):
    effect = {"do": "steal", "who": "most_wealth", "what": "wealth", "amount": 4}
    game, games = run(effect, num_players=3, wealth=[9, 9, 1])
    assert asks(game, games) == (0, Step.LEADER, {"seat 0", "seat 1"})
    play(game, games, f"seat {picked}")
    assert is_done(games)
    assert wealth_of(games) == after


def test_u44_a_tied_seat_without_cards_may_be_the_one_that_discards():
    effect = {"do": "discard", "who": "most_prestige", "amount": 1}
    game, games = run(effect, num_players=3, prestige=[1, 5, 5])
    assert asks(game, games) == (0, Step.LEADER, {"seat 1", "seat 2"})


# ---------------------------------------------------------------- filters

CITY = {  # "this building" is C3 TL, of seat 0
    "C3 TL": ("RES", 0),
    "C3 right": ("COM", 1),
    "C1 TL": ("IND", 0),
    "F3 -TL": ("CIV", 1),
    "A6": ("RES", None),
    "B2 BR": ("PARK", 0),
    "E5 top": ("RES", 1),
    "E5 BL": ("PARK", None),
    "C6 BL": ("IND", None),
}
HERE = {"buildings": CITY, "built": "C3 TL", "wealth": 0}

FILTERS = {
    "none, parks too": ({}, 9),
    "a zone": ({"zones": ["RES"]}, 3),
    "two zones": ({"zones": ["COM", "IND"]}, 3),
    "parks": ({"zones": ["PARK"]}, 2),
    "size 1": ({"sizes": [1]}, 5),
    "size 2": ({"sizes": [2]}, 2),
    "size 3": ({"sizes": [3]}, 1),
    "size 4": ({"sizes": [4]}, 1),
    "sizes 3 and 4": ({"sizes": [3, 4]}, 2),
    "anyone": ({"owner": "anyone"}, 9),
    "own": ({"owner": "own"}, 3),
    "others": ({"owner": "others"}, 3),
    "nobody": ({"owner": "nobody"}, 3),
    "controlled": ({"owner": "controlled"}, 6),
    "anywhere": ({"where": "anywhere"}, 9),
    "rows, the crossing once (U8)": ({"where": "rows"}, 5),
    "block": ({"where": "block"}, 2),
    "adjacent, not itself": ({"where": "adjacent"}, 2),
    "water": ({"where": "water"}, 2),
    "forest": ({"where": "forest"}, 2),
    "beside a park": ({"where": "park"}, 2),
    "highest": ({"extreme": "highest"}, 1),
    "lowest": ({"extreme": "lowest"}, 2),
    "lowest of a zone": ({"zones": ["RES"], "extreme": "lowest"}, 1),
    "all at once": ({"zones": ["RES", "IND"], "sizes": [1], "owner": "own", "where": "rows"}, 2),
}


@pytest.mark.parametrize(("chosen", "count"), FILTERS.values(), ids=FILTERS.keys())
def test_us_7_filters_of_buildings(chosen, count):
    effect = {"do": "gain", "what": "wealth", "amount": 1, "per": "building", **chosen}
    _, games = run(effect, **HERE)
    assert wealth_of(games) == [count, 0]


def test_u45_all_buildings_that_tie_are_counted_and_paid_for():
    lowest = {"what": "wealth", "amount": 1, "extreme": "lowest"}
    buildings = {"A3 TL": ("RES", 1), "A3 right": ("COM", 1), "D1 TL": ("RES", 1)}
    _, games = run({"do": "gain", "per": "building", **lowest}, buildings=buildings, wealth=9)
    assert wealth_of(games) == [11, 9]
    _, games = run({"do": "pay", **lowest}, buildings=buildings, wealth=9)
    assert wealth_of(games) == [11, 7]


@pytest.mark.parametrize(
    ("what", "number", "count"),
    [("wealth", 5, 4), ("prestige", 3, 2), ("wealth", 7, 3), ("prestige", 4, 2), ("wealth", 12, 0)],
)
def test_us_7_buildings_of_the_line_of_a_number_none_if_it_is_not_on_the_board(what, number, count):
    effect = {"do": "gain", "what": what, "amount": 1, "per": "building"}
    markers = {"wealth 7": "grey 3", "prestige 4": "grey EF"}  # C3, C3, F3; F3, E5, E5
    _, games = run({**effect, "where": "line", "number": number}, **HERE, prestige=0)
    before = wealth_of(games) if what == "wealth" else prestige_of(games)
    on_board = number < 7 and (what, number) != ("prestige", 4)
    assert before[0] == (count if on_board else 0)
    _, games = run(
        {**effect, "where": "line", "number": number}, **HERE, prestige=0, markers=markers
    )
    after = wealth_of(games) if what == "wealth" else prestige_of(games)
    assert after[0] == (3 if number == 4 else count)


@pytest.mark.parametrize(("option", "row", "other"), [(0, 3, 4), (1, 4, 3)])
def test_u22_one_of_these_rows_and_the_other_the_crossing_counts_in_both(option, row, other):
    effect = {"do": "gain", "amount": 1, "per": "building"}
    effects = (
        {**effect, "what": "wealth", "where": "row"},
        {**effect, "what": "prestige", "where": "other_row"},
    )
    game, games = run(*effects, **HERE, prestige=0)
    assert asks(game, games) == (0, Step.PICK_ROW, {"option 0", "option 1"})
    play(game, games, f"option {option}")
    assert is_done(games)
    assert (wealth_of(games)[0], prestige_of(games)[0]) == (row, other)


@pytest.mark.parametrize(("zone", "count"), [("CIV", 1), ("COM", 1), ("IND", 2), ("RES", 3)])
def test_us_7_a_chosen_zone_is_any_of_the_four(zone, count):
    effect = {"do": "gain", "what": "wealth", "amount": 1, "per": "building", "zones": ["chosen"]}
    game, games = run(effect, **HERE)
    zones = {f"zone {word}" for word in ("CIV", "COM", "IND", "RES")}
    assert asks(game, games) == (0, Step.PICK_ZONE, zones)
    play(game, games, f"zone {zone}")
    assert is_done(games)
    assert wealth_of(games)[0] == count


def test_us_7_first_the_zone_is_asked_then_the_row_of_self():
    effect = {"do": "lose", "who": "opponents", "what": "wealth", "amount": 1, "per": "building"}
    drawn = {**HERE, "wealth": 10}
    game, games = run({**effect, "zones": ["chosen"], "where": "row"}, **drawn)
    assert asks(game, games)[:2] == (0, Step.PICK_ZONE)
    play(game, games, "zone IND")
    assert asks(game, games)[:2] == (0, Step.PICK_ROW)
    play(game, games, "option 1")
    assert wealth_of(games) == [10, 8]


@pytest.mark.parametrize(
    ("place", "water", "forest"),
    [
        ("A1 TL", 1, 1),
        ("A1 TR", 1, 0),
        ("A1 BL", 0, 1),
        ("A1 BR", 0, 0),
        ("F6 TL", 0, 0),
        ("F6 TR", 1, 0),
        ("F6 BL", 0, 1),
        ("F6 BR", 1, 1),
        ("C1 bottom", 0, 0),
        ("C1 left", 1, 0),
        ("F1 BL", 0, 0),
        ("A6 TR", 0, 0),
        ("C3", 0, 0),
    ],
)
def test_us_1_top_and_right_are_water_left_and_bottom_forest(place, water, forest):
    effect = {"do": "gain", "amount": 1, "per": "building"}
    effects = (
        {**effect, "what": "wealth", "where": "water"},
        {**effect, "what": "prestige", "where": "forest"},
    )
    _, games = run(*effects, buildings={place: ("IND", None)}, wealth=0, prestige=0)
    assert (wealth_of(games)[0], prestige_of(games)[0]) == (water, forest)


@pytest.mark.parametrize(
    ("other", "beside"), [(None, 0), ("C3 TR", 1), ("B2 BR", 1), ("B2 TL", 0), ("D3 TL", 0)]
)
def test_us_7_a_park_is_beside_a_park_only_if_it_is_another_one(other, beside):
    parks = {"C3 TL": ("PARK", None)} | ({other: ("PARK", None)} if other else {})
    effect = {"do": "gain", "what": "wealth", "amount": 1, "per": "building", "where": "park"}
    _, games = run(effect, buildings=parks, wealth=0)
    assert wealth_of(games)[0] == 2 * beside


def test_us_7_own_is_of_each_seat_the_effect_acts_for():
    effect = {"do": "gain", "who": "each", "what": "wealth", "amount": 1, "per": "building"}
    _, games = run({**effect, "owner": "own"}, **HERE)
    assert wealth_of(games) == [3, 3]
    buildings = {**CITY, "D6 TL": ("COM", 1)}
    _, games = run({**effect, "owner": "others"}, **{**HERE, "buildings": buildings})
    assert wealth_of(games) == [4, 3]


def test_u8_these_rows_are_one_block_row_and_one_block_column_of_11_blocks():
    """A building in each of the 36 blocks; "this building" is at C3."""
    zones = ["RES"] * 15 + ["COM"] * 8 + ["PARK"] * 13
    blocks = [f"{column}{row} TL" for row in range(1, 7) for column in "ABCDEF"]
    buildings = {place: (zone, None) for place, zone in zip(blocks, zones, strict=True)}
    effect = {"do": "gain", "what": "wealth", "amount": 1, "per": "building", "where": "rows"}
    _, games = run(effect, buildings=buildings, built="C3 TL", wealth=0)
    assert wealth_of(games)[0] == 11


@pytest.mark.parametrize(
    ("effect", "answers"),
    [
        ({"do": "gain", "per": "building", "where": "row"}, {"option 0", "option 1"}),
        ({"do": "gain", "per": "building", "zones": ["chosen"]},
         {f"zone {zone}" for zone in ("CIV", "COM", "IND", "RES")}),
        ({"do": "choose", "options": [{"do": "take", "zones": ["CIV"]}, {"do": "free_card"}]},
         {"option 0", "option 1"}),
    ],
)  # fmt: skip
def test_u35_what_leads_to_nothing_may_be_picked_all_the_same(effect, answers):
    money = {"what": "wealth", "amount": 1} if effect["do"] == "gain" else {}
    for answer in answers:
        drawn = {"buildings": {"C3 TL": ("PARK", 0)}, "built": "C3 TL", "wealth": 0}
        game, games = run({**effect, **money, "sizes": [4]} if money else effect, **drawn)
        assert legal(game, games) == answers
        play(game, games, answer)
        assert is_done(games)
        assert wealth_of(games) == [0, 0]


# ---------------------------------------------------------------- gain and lose


@pytest.mark.parametrize("what", ["wealth", "prestige"])
def test_us_6_11_a_loss_takes_what_is_there(what):
    effect = {"do": "lose", "who": "each", "what": what, "amount": 3}
    _, games = run(effect, num_players=3, **{what: [5, 3, 2]})
    assert (wealth_of(games) if what == "wealth" else prestige_of(games)) == [2, 0, 0]


@pytest.mark.parametrize(
    ("vocation", "more"), [({}, 6), ({"vocation": "FACTORY"}, 4), ({"vocation": "MEDIA"}, 0)]
)
def test_us_7_per_vocation_marker_held(vocation, more):
    effect = {"do": "gain", "what": "wealth", "amount": 2, "per": "vocation", **vocation}
    _, games = run(effect, vocations={0: {"FACTORY": 2, "ENERGY": 1}, 1: {"MEDIA": 1}}, wealth=0)
    assert wealth_of(games) == [more, 0]


@pytest.mark.parametrize(("markers", "value"), [({}, 6), ({"wealth 12": "grey CD"}, 18)])
def test_us_7_per_value_of_this_block(markers, value):
    effect = {"do": "gain", "what": "wealth", "amount": 2, "per": "value"}
    _, games = run(effect, **HERE, markers=markers)
    assert wealth_of(games)[0] == 2 * value


def test_u20_either_is_chosen_unit_by_unit():
    effect = {"do": "gain", "what": "either", "amount": 2, "per": "building", "zones": ["RES"]}
    game, games = run(effect, **HERE, prestige=0)
    for what in ("wealth", "prestige", "wealth"):
        assert asks(game, games) == (0, Step.UNIT, {"gain wealth", "gain prestige"})
        play(game, games, f"gain {what}")
    assert is_done(games)
    assert (wealth_of(games)[0], prestige_of(games)[0]) == (4, 2)


@pytest.mark.parametrize(
    ("wealth", "prestige", "offered"),
    [
        (3, 3, {"gain wealth", "gain prestige"}),
        (3, 2, {"gain wealth"}),
        (2, 3, {"gain prestige"}),
        (2, 1, {"gain wealth", "gain prestige"}),
        (0, 2, {"gain prestige"}),
        (2, 0, {"gain wealth"}),
        (0, 0, None),
    ],
)
def test_u20_a_loss_must_be_met_in_full_if_either_can_else_what_is_there(wealth, prestige, offered):
    effect = {"do": "lose", "what": "either", "amount": 3}
    game, games = run(effect, wealth=wealth, prestige=prestige)
    if offered is None:
        assert is_done(games)
        return
    assert legal(game, games) == offered
    play(game, games, max(offered))
    assert is_done(games)
    if "gain wealth" in offered:
        wealth = max(wealth - 3, 0)
    else:
        prestige = max(prestige - 3, 0)
    assert (wealth_of(games)[0], prestige_of(games)[0]) == (wealth, prestige)


def test_us_7_a_unit_of_nothing_makes_no_ply():
    effect = {"do": "gain", "what": "either", "amount": 2, "per": "building", "zones": ["RES"]}
    assert is_done(run(effect)[1])


def test_us_7_every_controller_gains_for_its_own_and_uncontrolled_ones_nobody():
    """Ruling U19; the second effect of the Corporate HQ, which is printed."""
    buildings = {
        "A1 -TL": ("COM", 0),
        "B1 -TL": ("COM", 1),
        "C1 -TL": ("COM", 1),
        "D1": ("COM", 1),
        "E1 -TL": ("COM", None),
    }
    own = {"do": "gain", "what": "wealth", "amount": 4, "per": "building", "zones": ["COM"]}
    all_ = {"do": "gain", "who": "controller", "what": "wealth", "amount": 3, "per": "building"}
    effects = ({**own, "sizes": [4]}, {**all_, "zones": ["COM"], "sizes": [3]})
    _, games = run(*effects, buildings=buildings, wealth=0)
    assert wealth_of(games) == [4 + 3, 6]


@pytest.mark.parametrize("verb", ["gain", "lose"])
def test_us_7_controllers_gain_or_lose_times_the_value_of_each_building(verb):
    effect = {"do": verb, "who": "controller", "what": "wealth", "amount": 2, "per": "building"}
    buildings = {"A3 TL": ("COM", 0), "D1 TL": ("COM", 1), "A3 BR": ("COM", 1)}
    _, games = run({**effect, "times_value": True}, buildings=buildings, wealth=[30, 10])
    gain = [2 * 2, 2 * (9 + 2)]
    assert wealth_of(games) == ([34, 32] if verb == "gain" else [30 - gain[0], 0])


HEADLINES = {
    "do": "gain",
    "who": "controller",
    "what": "prestige",
    "amount": 2,
    "per": "building",
    "extreme": "highest",
}


def test_us_6_11_one_of_several_extreme_buildings_is_picked_by_the_active_player():
    """Local Headlines, as the rulebook describes the tie."""
    buildings = {"D1 TL": ("COM", 0), "D1 BR": ("RES", 1), "D2 TL": ("IND", 1), "A3 TL": ("RES", 0)}
    game, games = run(HEADLINES, event=True, buildings=buildings, prestige=0, active=1)
    expected = {"site D1 TL", "site D1 BR", "site D2 TL"}
    assert asks(game, games) == (1, Step.HEADLINE, expected)
    play(game, games, "site D1 TL")
    assert prestige_of(games) == [2, 0]
    del buildings["D2 TL"]
    game, games = run(HEADLINES, event=True, buildings=buildings, active=1)
    assert asks(game, games) == (1, Step.HEADLINE, expected - {"site D2 TL"})


@pytest.mark.parametrize(
    ("buildings", "prestige"),
    [
        ({"D1 TL": ("COM", 1), "A3 TL": ("RES", 0)}, [0, 2]),
        ({"D1 TL": ("COM", None), "A3 TL": ("RES", 0)}, [0, 0]),
        ({"D1 TL": ("COM", None), "D2 TL": ("COM", 1)}, [0, 2]),
        ({}, [0, 0]),
    ],
)
def test_us_7_one_extreme_building_needs_no_ply_and_without_a_controller_pays_nobody(
    buildings, prestige
):
    _, games = run(HEADLINES, event=True, buildings=buildings, prestige=0)
    assert is_done(games)
    assert prestige_of(games) == prestige


# ---------------------------------------------------------------- pay, steal

MARINA = {"do": "pay", "what": "either", "amount": 4, "zones": ["RES"], "sizes": [1]}


def test_u20_payers_pay_the_builder_for_each_of_their_buildings_and_nobody_pays_themself():
    effect = {"do": "pay", "what": "wealth", "amount": 2, "zones": ["RES", "COM"]}
    _, games = run(effect, **{**HERE, "wealth": 10})
    assert wealth_of(games) == [14, 6]


@pytest.mark.parametrize(
    ("who", "paid"), [("opponents", [0, 2, 2]), ("most_wealth", [0, 0, 2]), ("mayor", [0, 2, 0])]
)
def test_us_7_who_pays(who, paid):
    buildings = {"A1 TL": ("RES", 0), "B1 TL": ("RES", 1), "C1 TL": ("RES", 2)}
    effect = {"do": "pay", "who": who, "what": "wealth", "amount": 2, "zones": ["RES"]}
    drawn = {"wealth": [5, 5, 9], "offices": {"mayor": 1}}
    _, games = run(effect, num_players=3, buildings=buildings, **drawn)
    assert wealth_of(games) == [5 + sum(paid), 5 - paid[1], 9 - paid[2]]


@pytest.mark.parametrize(("wealth", "moved"), [(5, 5), (6, 6), (0, 0)])
def test_u20_the_receiver_gets_what_was_really_paid(wealth, moved):
    effect = {"do": "pay", "what": "wealth", "amount": 2, "zones": ["RES"]}
    buildings = dict.fromkeys(("A1 TL", "B1 TL", "C1 TL"), ("RES", 1))
    _, games = run(effect, buildings=buildings, wealth=[1, wealth])
    assert wealth_of(games) == [1 + moved, wealth - moved]


def test_u20_a_payer_who_can_meet_neither_in_full_pays_what_it_has_of_the_one_chosen():
    game, games = run(MARINA, buildings={"A1 TL": ("RES", 1)}, wealth=[0, 2], prestige=[0, 3])
    assert asks(game, games) == (1, Step.UNIT, {"gain wealth", "gain prestige"})
    play(game, games, "gain prestige")
    assert (wealth_of(games), prestige_of(games)) == ([0, 2], [3, 0])


def test_u20_who_is_paid_is_not_asked_to_pay_though_each_seat_is_meant():
    effect = {"do": "pay", "who": "each", "what": "either", "amount": 1, "zones": ["RES"]}
    buildings = {"A1 TL": ("RES", 0), "C1 TL": ("RES", 1)}
    game, games = run(effect, buildings=buildings)
    assert asks(game, games)[:2] == (1, Step.UNIT)
    play(game, games, "gain wealth")
    assert is_done(games)
    assert wealth_of(games) == [31, 29]


def test_u20_units_end_when_nothing_is_left_to_pay():
    buildings = {"A1 TL": ("RES", 1), "B1 TL": ("RES", 1), "C1 TL": ("RES", 1)}
    game, games = run(MARINA, buildings=buildings, wealth=[0, 5], prestige=[0, 0])
    play(game, games, "gain wealth", "gain wealth")
    assert is_done(games)
    assert wealth_of(games) == [5, 0]


BOTH = {"A1 TL": ("RES", 1), "B1 TL": ("RES", 2)}


def test_u21_the_active_player_picks_who_is_next_while_two_have_a_real_choice():
    game, games = run(MARINA, num_players=4, buildings=BOTH)
    assert asks(game, games) == (0, Step.NEXT_SEAT, {"seat 1", "seat 2"})
    play(game, games, "seat 2")
    assert asks(game, games)[:2] == (2, Step.UNIT)
    play(game, games, "gain wealth")
    assert asks(game, games)[:2] == (1, Step.UNIT)  # only one left: no ply
    play(game, games, "gain prestige")
    assert is_done(games)
    assert (wealth_of(games), prestige_of(games)) == ([34, 30, 26, 30], [24, 16, 20, 20])


def test_u21_who_has_only_one_answer_goes_first_unasked():
    game, games = run(MARINA, num_players=3, buildings=BOTH, prestige=[0, 9, 3])
    assert asks(game, games) == (2, Step.UNIT, {"gain wealth"})
    play(game, games, "gain wealth")
    assert asks(game, games)[:2] == (1, Step.UNIT)


def test_u36_the_first_without_a_choice_clockwise_from_the_active_player_goes():
    buildings = {"C1 TL": ("RES", 0), **BOTH}
    drawn = {"active": 1, "self_seat": 1, "prestige": 0}
    game, games = run(MARINA, num_players=3, buildings=buildings, **drawn)
    assert asks(game, games) == (2, Step.UNIT, {"gain wealth"})
    play(game, games, "gain wealth")
    assert asks(game, games) == (0, Step.UNIT, {"gain wealth"})


@pytest.mark.parametrize(
    ("who", "wealth"),
    [
        ("opponents", [10, 5, 0, 0]),
        ("most_wealth", [8, 5, 1, 1]),
        ("most_prestige", [6, 8, 0, 1]),
    ],
)
def test_us_7_steal_up_to_an_amount(who, wealth):
    effect = {"do": "steal", "who": who, "what": "wealth", "amount": 3}
    _, games = run(effect, num_players=4, wealth=[5, 8, 1, 1], prestige=[1, 2, 9, 3])
    assert is_done(games)
    assert wealth_of(games) == wealth


@pytest.mark.parametrize("who", ["most_prestige", "most_wealth"])
def test_us_7_nobody_steals_from_themself(who):
    effect = {"do": "steal", "who": who, "what": "wealth", "amount": 3}
    _, games = run(effect, wealth=[9, 1], prestige=[9, 1])
    assert wealth_of(games) == [9, 1]


def test_us_7_steal_from_a_chosen_opponent_that_has_some():
    effect = {"do": "steal", "who": "chosen", "what": "prestige", "amount": 3}
    game, games = run(effect, num_players=4, prestige=[5, 2, 0, 9], active=0)
    assert asks(game, games) == (0, Step.VICTIM, {"seat 1", "seat 3"})
    play(game, games, "seat 1")
    assert prestige_of(games) == [7, 0, 0, 9]


def test_us_7_there_is_nobody_to_steal_from():
    effect = {"do": "steal", "who": "chosen", "what": "prestige", "amount": 3}
    assert is_done(run(effect, prestige=[5, 0])[1])


# ---------------------------------------------------------------- payout

ON_LINES = {
    "C3 TL": ("RES", 0),
    "C3 TR": ("RES", 0),
    "C5 TL": ("RES", 1),
    "D4 TL": ("COM", 1),
}


@pytest.mark.parametrize(
    ("what", "number", "wealth", "prestige"),
    [
        ("wealth", 5, [5, 2], [0, 0]),
        ("prestige", 1, [0, 0], [1, 0]),
        ("wealth", 7, [0, 0], [0, 0]),
    ],
)
def test_us_7_payout_of_a_named_line(what, number, wealth, prestige):
    effect = {"do": "payout", "line": "named", "what": what, "number": number}
    _, games = run(effect, buildings=ON_LINES, wealth=0, prestige=0)
    assert (wealth_of(games), prestige_of(games)) == (wealth, prestige)


def test_u22_one_of_these_rows_is_a_line_with_a_number_through_the_block():
    drawn = {"buildings": ON_LINES, "built": "C3 TL", "wealth": 0, "prestige": 0}
    effect = {"do": "payout", "line": "row"}
    game, games = run(effect, **drawn)
    assert asks(game, games) == (0, Step.PAID_LINE, {"line column C", "line rows 3-4"})
    markers = {"wealth 9": "grey CD", "prestige 6": "grey 3", "wealth 8": "grey 4"}
    game, games = run(effect, **drawn, markers=markers)
    lines = {"line column C", "line rows 3-4", "line grey CD", "line grey 3"}
    assert legal(game, games) == lines
    play(game, games, "line grey 3")
    assert (wealth_of(games), prestige_of(games)) == ([0, 0], [6, 0])


@pytest.mark.parametrize(
    ("what", "markers", "wealth", "prestige"),
    [
        ("wealth", {}, [0, 6], [0, 0]),
        ("wealth", {"wealth 8": "grey 3", "prestige 6": "grey CD"}, [8, 0], [0, 0]),
        ("prestige", {}, [0, 0], [0, 0]),  # rows 1-2: nobody
        ("prestige", {"wealth 8": "grey 3", "prestige 4": "grey 4"}, [0, 0], [0, 4]),
    ],
)
def test_us_7_payout_of_the_highest_line(what, markers, wealth, prestige):
    effect = {"do": "payout", "line": "highest", "what": what}
    _, games = run(effect, buildings=ON_LINES, wealth=0, prestige=0, markers=markers)
    assert (wealth_of(games), prestige_of(games)) == (wealth, prestige)


# ---------------------------------------------------------------- markers

GREYS = {"grey AB", "grey CD", "grey EF", *(f"grey {row}" for row in range(1, 7))}
FULL = {
    "wealth 7": "grey AB",
    "wealth 8": "grey CD",
    "wealth 9": "grey EF",
    "wealth 10": "grey 1",
    "wealth 11": "grey 2",
    "wealth 12": "grey 3",
    "prestige 4": "grey 4",
    "prestige 5": "grey 5",
    "prestige 6": "grey 6",
}


@pytest.mark.parametrize(
    ("chosen", "marker"),
    [
        ({"marker": "lowest", "what": "wealth"}, "wealth 8"),
        ({"marker": "highest", "what": "wealth"}, "wealth 12"),
        ({"marker": "lowest", "what": "prestige"}, "prestige 4"),
        ({"marker": "highest", "what": "prestige"}, "prestige 6"),
        ({"number": 10, "what": "wealth"}, "wealth 10"),
        ({"number": 5, "what": "prestige"}, "prestige 5"),
        ({"number": 7, "what": "wealth"}, None),
    ],
)
def test_us_6_7_a_new_marker_goes_to_an_empty_grey_space(chosen, marker):
    game, games = run({"do": "new_marker", **chosen}, markers={"wealth 7": "grey AB"})
    if marker is None:
        assert is_done(games)
        return
    spaces = {f"line {grey}" for grey in GREYS - {"grey AB"}}
    assert asks(game, games) == (0, Step.GREY, spaces)
    play(game, games, "line grey 3")
    assert markers_of(games) == {"wealth 7": "grey AB", marker: "grey 3"}
    assert is_done(games)


@pytest.mark.parametrize(
    ("what", "offered"),
    [
        ("wealth", {"wealth 9", "wealth 10", "wealth 11", "wealth 12"}),
        ("prestige", {"prestige 4", "prestige 5"}),
        ("either", {"wealth 9", "wealth 10", "wealth 11", "wealth 12", "prestige 4", "prestige 5"}),
    ],
)
def test_us_7_a_chosen_new_marker_is_one_of_the_supply(what, offered):
    on_board = {"wealth 7": "grey AB", "wealth 8": "grey 1", "prestige 6": "grey 2"}
    effect = {"do": "new_marker", "who": "mayor", "marker": "chosen", "what": what}
    game, games = run(effect, markers=on_board, offices={"mayor": 1})
    assert asks(game, games) == (1, Step.PICK_MARKER, {f"marker {word}" for word in offered})
    play(game, games, f"marker {max(offered)}")
    assert asks(game, games)[:2] == (1, Step.GREY)
    play(game, games, "line grey EF")
    assert markers_of(games)[max(offered)] == "grey EF"


@pytest.mark.parametrize(
    ("what", "offered"),
    [("wealth", {"wealth 7"}), ("prestige", {"prestige 6"}), ("", {"wealth 7", "prestige 6"})],
)
def test_us_6_7_a_marker_moves_to_a_different_empty_space(what, offered):
    on_board = {"wealth 7": "grey AB", "prestige 6": "grey 2"}
    effect = {"do": "move_marker"} | ({"what": what} if what else {})
    game, games = run(effect, markers=on_board)
    assert legal(game, games) == {f"marker {word}" for word in offered}
    before = value_of(games, "A2"), value_of(games, "F5")
    assert before == (4 + 7 + 6, 4)
    play(game, games, f"marker {max(offered)}")
    assert legal(game, games) == {f"line {grey}" for grey in GREYS - {"grey AB", "grey 2"}}
    play(game, games, "line grey 5")
    moved = 7 if max(offered) == "wealth 7" else 6
    assert (value_of(games, "A2"), value_of(games, "F5")) == (17 - moved, 4 + moved)


@pytest.mark.parametrize("do", ["new_marker", "move_marker"])
def test_us_6_7_no_marker_moves_when_all_nine_spaces_are_taken(do):
    effect = {"do": do, "what": "either"} | ({"marker": "chosen"} if do == "new_marker" else {})
    assert is_done(run(effect, markers=FULL)[1])


def test_us_7_there_is_no_marker_to_move():
    assert is_done(
        run({"do": "move_marker", "what": "prestige"}, markers={"wealth 7": "grey 1"})[1]
    )


def test_us_6_7_printed_a_marker_raises_its_line_and_lowers_the_one_it_leaves():
    """US §10: 8 to 14 to 8; 5 to 11; 6 to 12."""
    effects = ({"do": "new_marker", "number": 6, "what": "prestige"}, {"do": "move_marker"})
    game, games = run(*effects)
    assert (value_of(games, "D5"), value_of(games, "C4"), value_of(games, "B5")) == (8, 6, 6)
    play(game, games, "line grey 5")
    assert (value_of(games, "D5"), value_of(games, "E5")) == (14, 11)
    play(game, games, "marker prestige 6", "line grey 4")
    assert (value_of(games, "D5"), value_of(games, "E5")) == (8, 5)
    assert (value_of(games, "C4"), value_of(games, "E4")) == (12, 10)


# ---------------------------------------------------------------- place


def places(effect, **drawn):
    game, games = run({"do": "place", "size": 1, "zone": "PARK", **effect}, **drawn)
    assert step_of(games) == Step.PLACE
    return game, games, {word.removeprefix("site ") for word in legal(game, games)}


def test_u23_a_building_is_placed_on_empty_lots_whatever_the_zones_at_no_cost_and_no_bonus():
    buildings = {"C3 TL": ("IND", 1)}
    game, games, offered = places({"zone": "RES"}, buildings=buildings)
    assert len(offered) == 144 - 1
    assert "C3 TL" not in offered
    tiles = int(games.tiles[0, ZONES.index("RES"), 0])
    play(game, games, "site C3 BR")
    assert building_at(games, "C3 BR") == ("RES", 0)
    assert int(games.tiles[0, ZONES.index("RES"), 0]) == tiles - 1
    assert (wealth_of(games), prestige_of(games)) == ([30, 30], [20, 20])


@pytest.mark.parametrize(
    ("where", "offered"),
    [
        ({"where": "block"}, {"C3 TR", "C3 BL", "C3 BR"}),
        (
            {"where": "adjacent"},
            {"C3 TR", "C3 BL", "C3 BR", "B2 BR", "C2 BL", "C2 BR", "B3 TR", "B3 BR"},
        ),
        (
            {"where": "park"},
            {"E5 TL", "E5 TR", "E5 BL", "F5 TL", "F5 BL", "F6 TL", "E6 TL", "E6 TR"},
        ),
    ],
)
def test_us_7_where_a_building_is_placed(where, offered):
    drawn = {"buildings": {"C3 TL": ("RES", 0), "E5 BR": ("PARK", 1)}, "built": "C3 TL"}
    assert places(where, **drawn)[2] == offered


@pytest.mark.parametrize(
    ("where", "count", "some"),
    [
        ({"where": "rows"}, 44 - 1, {"A3 TL", "C6 BR"}),
        ({"where": "line", "what": "wealth", "number": 5}, 24 - 1, {"C1 TL", "C6 BR"}),
        ({"where": "line", "what": "prestige", "number": 1}, 48 - 1, {"A3 TL", "F4 BR"}),
        ({"where": "water"}, 12 + 11, {"A1 TR", "F6 TR"}),
        ({"where": "forest"}, 12 + 11, {"A1 BL", "F6 BL"}),
    ],
)
def test_us_7_where_a_building_is_placed_counted(where, count, some):
    offered = places(where, buildings={"C3 TL": ("RES", 0)}, built="C3 TL")[2]
    assert len(offered) == count
    assert offered >= some


@pytest.mark.parametrize(("option", "count"), [(0, 24 - 1), (1, 24 - 1)])
def test_us_7_a_building_is_placed_in_one_of_these_rows(option, count):
    drawn = {"buildings": {"C3 TL": ("RES", 0)}, "built": "C3 TL"}
    effect = {"do": "place", "zone": "COM", "size": 1, "where": "row"}
    game, games = run(effect, **drawn)
    play(game, games, f"option {option}")
    offered = legal(game, games)
    assert len(offered) == count
    assert ("site A3 TL" in offered) == (option == 0)
    assert ("site C6 TL" in offered) == (option == 1)


@pytest.mark.parametrize(("size", "part", "count"), [(2, "top", 4), (3, "-BR", 4), (4, "", 1)])
def test_us_7_footprints_of_a_placed_building(size, part, count):
    game, games, offered = places({"zone": "IND", "size": size})
    assert len(offered) == 36 * count
    place = f"B2 {part}".strip()
    play(game, games, f"site {place}")
    assert building_at(games, place) == ("IND", 0)


def test_us_7_a_placed_building_without_cube():
    game, games, _ = places({"uncontrolled": True})
    play(game, games, "site A1 TL")
    assert building_at(games, "A1 TL") == ("PARK", None)


def test_u23_a_placed_building_gets_the_deciders_cube():
    game, games, _ = places({"who": "mayor"}, offices={"mayor": 1})
    assert games.to_play[0] == 1
    play(game, games, "site A1 TL")
    assert building_at(games, "A1 TL") == ("PARK", 1)


def exhaust(tiles, *zones_and_sizes):
    for zone, size in zones_and_sizes:
        tiles[ZONES.index(zone), size - 1] = 0
    return tiles


def supply(*gone):
    """The supply of tiles with some exhausted."""
    _, games = run({"do": "gain", "what": "wealth", "amount": 1})
    return exhaust(games.tiles[0].copy(), *gone)


def test_u1_a_placement_is_skipped_when_the_tile_is_exhausted():
    effect = {"do": "place", "zone": "PARK", "size": 1}
    assert is_done(run(effect, tiles=supply(("PARK", 1)))[1])
    assert not is_done(run(effect, tiles=supply(("PARK", 2)))[1])


def test_us_7_a_chosen_zone_to_place_is_one_with_a_tile_of_the_size():
    effect = {"do": "place", "zone": "chosen", "size": 2}
    game, games = run(effect, tiles=supply(("COM", 2), ("RES", 1)))
    assert asks(game, games) == (0, Step.PLACE_ZONE, {"zone CIV", "zone IND", "zone RES"})
    play(game, games, "zone RES", "site A1 left")
    assert building_at(games, "A1 left") == ("RES", 0)


def test_us_7_a_placement_without_room_is_skipped():
    everywhere = {f"{letter}3": ("RES", None) for letter in "AB"}
    effect = {"do": "place", "zone": "PARK", "size": 1, "where": "block"}
    assert is_done(run(effect, buildings=everywhere, built="A3")[1])
    effect = {"do": "place", "zone": "PARK", "size": 1, "where": "line", "what": "wealth"}
    assert is_done(run({**effect, "number": 7})[1])


# ---------------------------------------------------------------- move, demolish, uncontrol, take

TWO = {"C3 TL": ("RES", 0), "D5 right": ("COM", 1), "A6": ("IND", None), "E1 TL": ("PARK", 1)}


def test_u23_a_moved_building_keeps_its_cube_and_must_change_place():
    game, games = run({"do": "move", "sizes": [2]}, buildings=TWO)
    assert asks(game, games) == (0, Step.TARGET, {"site D5 TR"})
    play(game, games, "site D5 TR")
    offered = legal(game, games)
    assert step_of(games) == Step.MOVE_TO
    assert "site D5 right" not in offered
    assert {"site D5 top", "site D5 left", "site A1 top"} <= offered  # its own lots may be reused
    assert not offered & {"site C3 top", "site C3 left", "site A6 top"}
    assert "site C3 right" in offered
    tiles = games.tiles[0].copy()
    play(game, games, "site D5 top")
    assert building_at(games, "D5 top") == ("COM", 1)
    assert building_at(games, "D5 TR") is None
    assert (games.tiles[0] == tiles).all()
    assert (wealth_of(games), prestige_of(games)) == ([30, 30], [20, 20])


def test_u24_a_lasting_effect_moves_along():
    buildings = {"C3 TL": ("IND", 0, Power.EXTRA_FAVOR)}
    game, games = run({"do": "move"}, buildings=buildings)
    play(game, games, "site C3 TL", "site F6 BR")
    assert games.power[0, lot_of("F6 BR")] == Power.EXTRA_FAVOR


def test_u38_this_building_goes_on_being_this_one_when_it_has_moved():
    effects = (
        {"do": "move"},
        {"do": "gain", "what": "wealth", "amount": 1, "per": "value"},
    )
    game, games = run(*effects, buildings={"A3 TL": ("IND", 0)}, built="A3 TL")
    play(game, games, "site A3 TL", "site D1 BR")
    assert wealth_of(games)[0] == 30 + 9


@pytest.mark.parametrize(("where", "count"), [("rows", 2), ("block", 1), ("adjacent", 1)])
def test_u38_a_moved_building_takes_its_rows_and_its_block_along(where, count):
    count_there = {"do": "gain", "what": "wealth", "amount": 1, "per": "building", "where": where}
    buildings = {
        "A3 TL": ("IND", 0),
        "A3 TR": ("COM", 1),
        "A5 TL": ("COM", 1),
        "D2 TR": ("COM", 1),
    }
    game, games = run({"do": "move"}, count_there, buildings=buildings, built="A3 TL")
    play(game, games, "site A3 TL", "site D1 BR")
    assert wealth_of(games)[0] == 30 + count


def test_us_6_11_a_building_is_demolished_and_its_tile_leaves_the_game():
    game, games = run({"do": "demolish"}, buildings=TWO)
    tiles = games.tiles[0].copy()
    sites = {"site C3 TL", "site D5 TR", "site A6 TL", "site E1 TL"}
    assert asks(game, games) == (0, Step.TARGET, sites)
    play(game, games, "site D5 TR")
    assert is_done(games)
    assert building_at(games, "D5 right") is None
    assert num_buildings(games) == 3
    assert (games.tiles[0] == tiles).all()


def test_us_7_uncontrol_takes_the_cube_off_a_controlled_building_only():
    game, games = run({"do": "uncontrol"}, buildings=TWO)
    assert legal(game, games) == {"site C3 TL", "site D5 TR", "site E1 TL"}
    play(game, games, "site D5 TR")
    assert building_at(games, "D5 right") == ("COM", None)


def test_u18_take_needs_a_building_that_is_not_the_deciders_already():
    game, games = run({"do": "take", "who": "mayor"}, buildings=TWO, offices={"mayor": 1})
    assert asks(game, games) == (1, Step.TARGET, {"site C3 TL", "site A6 TL"})
    play(game, games, "site A6 TL")
    assert building_at(games, "A6") == ("IND", 1)


def test_us_10_printed_business_relocation():
    """MEDIA gains 1 of each; then the Treasurer removes the cube of a COM building."""
    effects = (
        {"do": "gain", "who": "media", "what": "wealth", "amount": 1},
        {"do": "gain", "who": "media", "what": "prestige", "amount": 1},
        {"do": "uncontrol", "who": "treasurer", "zones": ["COM"]},
    )
    drawn = {"vocations": {1: {"MEDIA": 1}}, "offices": {"treasurer": 2}}
    buildings = {**TWO, "F1 TL": ("COM", 2), "F6": ("COM", None)}
    game, games = run(*effects, event=True, num_players=3, buildings=buildings, **drawn)
    assert (wealth_of(games), prestige_of(games)) == ([30, 31, 30], [20, 21, 20])
    assert asks(game, games) == (2, Step.TARGET, {"site D5 TR", "site F1 TL"})
    play(game, games, "site D5 TR")
    assert building_at(games, "D5 right") == ("COM", None)
    assert is_done(games)


@pytest.mark.parametrize("do", ["demolish", "uncontrol", "take", "move"])
def test_us_7_the_only_candidate_is_asked_without_extreme_and_taken_with_it(do):
    game, games = run({"do": do, "zones": ["COM"]}, buildings=TWO)
    assert asks(game, games) == (0, Step.TARGET, {"site D5 TR"})
    _, games = run({"do": do, "zones": ["COM"], "extreme": "lowest"}, buildings=TWO)
    if do == "move":
        assert step_of(games) == Step.MOVE_TO
        return
    assert is_done(games)
    expected = {"demolish": None, "uncontrol": ("COM", None), "take": ("COM", 0)}[do]
    assert building_at(games, "D5 right") == expected


def test_us_6_11_tied_extremes_are_the_active_players_choice_whoever_decides():
    buildings = {"A3 TL": ("RES", 0), "A4 TL": ("RES", 1), "D1 TL": ("RES", 1)}
    effect = {"do": "take", "who": "mayor", "extreme": "lowest", "owner": "anyone"}
    game, games = run(effect, num_players=3, buildings=buildings, offices={"mayor": 2})
    assert asks(game, games) == (0, Step.TARGET, {"site A3 TL", "site A4 TL"})
    play(game, games, "site A4 TL")
    assert building_at(games, "A4 TL") == ("RES", 2)


def test_u37_extreme_first_then_what_would_change():
    """The lowest building is uncontrolled: nothing happens, the next lowest is not hit."""
    buildings = {"A3 TL": ("RES", None), "D1 TL": ("RES", 1)}
    _, games = run({"do": "uncontrol", "extreme": "lowest"}, buildings=buildings)
    assert is_done(games)
    assert building_at(games, "D1 TL") == ("RES", 1)
    effect = {"do": "uncontrol", "extreme": "lowest", "owner": "controlled"}
    _, games = run(effect, buildings=buildings)
    assert building_at(games, "D1 TL") == ("RES", None)


@pytest.mark.parametrize("do", ["demolish", "uncontrol", "take", "move"])
def test_u18_an_effect_without_target_is_skipped(do):
    assert is_done(run({"do": do, "zones": ["CIV"]}, buildings=TWO)[1])


@pytest.mark.parametrize("do", ["demolish", "uncontrol"])
@pytest.mark.parametrize("answer", ["yes", "decline"])
def test_us_6_11_the_controller_may_pay_to_save_a_building(do, answer):
    effect = {"do": do, "zones": ["COM"], "save_what": "prestige", "save_amount": 3}
    game, games = run(effect, buildings=TWO, prestige=[0, 3])
    play(game, games, "site D5 TR")
    assert asks(game, games) == (1, Step.SAVE, {"yes", "decline"})
    play(game, games, answer)
    gone = None if do == "demolish" else ("COM", None)
    assert building_at(games, "D5 right") == (("COM", 1) if answer == "yes" else gone)
    assert prestige_of(games) == [0, 0 if answer == "yes" else 3]


@pytest.mark.parametrize(("owner", "prestige"), [(1, 2), (None, 20)])
def test_us_6_11_who_cannot_pay_in_full_or_is_nobody_saves_nothing(owner, prestige):
    effect = {"do": "demolish", "save_what": "prestige", "save_amount": 3}
    game, games = run(effect, buildings={"D5 right": ("COM", owner)}, prestige=prestige)
    play(game, games, "site D5 TR")
    assert is_done(games)
    assert num_buildings(games) == 0


OPPONENTS_LOSE = {
    "who": "opponents",
    "extreme": "lowest",
    "zones": ["COM"],
    "save_what": "wealth",
    "save_amount": 3,
}
SHOPS = {"A1 TL": ("COM", 0), "B1 TL": ("COM", 1), "C3 TL": ("COM", 2), "D4 TL": ("COM", 2)}


@pytest.mark.parametrize("do", ["demolish", "uncontrol"])
def test_u43_to_save_a_building_is_no_choice_of_the_seat_that_hits_anothers(do):
    """Each opponent hits the lowest building, of seat 0, so they go clockwise, unasked."""
    effect = {**OPPONENTS_LOSE, "do": do}
    game, games = run(effect, event=True, num_players=3, buildings=SHOPS, wealth=6)
    for left in (3, 0):
        assert asks(game, games) == (0, Step.SAVE, {"yes", "decline"})
        play(game, games, "yes")
        assert wealth_of(games) == [left, 6, 6]
    assert is_done(games)


@pytest.mark.parametrize("do", ["demolish", "uncontrol"])
def test_u43_to_save_the_own_building_is_a_choice_so_the_active_player_picks_who_is_next(do):
    effect = {**OPPONENTS_LOSE, "do": do, "owner": "own"}
    game, games = run(effect, event=True, num_players=3, buildings=SHOPS)
    assert asks(game, games) == (0, Step.NEXT_SEAT, {"seat 1", "seat 2"})
    play(game, games, "seat 2")
    assert asks(game, games) == (2, Step.SAVE, {"yes", "decline"})
    play(game, games, "yes")
    assert asks(game, games) == (1, Step.SAVE, {"yes", "decline"})
    play(game, games, "decline")
    assert is_done(games)
    assert wealth_of(games) == [30, 30, 27]


def test_u43_who_cannot_pay_to_save_its_own_building_goes_first():
    effect = {**OPPONENTS_LOSE, "do": "demolish", "owner": "own"}
    drawn = {"num_players": 3, "buildings": SHOPS, "wealth": [9, 9, 2]}
    game, games = run(effect, event=True, **drawn)
    assert building_at(games, "C3 TL") is None  # the lower of seat 2's
    assert asks(game, games) == (1, Step.SAVE, {"yes", "decline"})


def test_u36_to_move_the_only_extreme_building_is_a_choice_of_its_place():
    effect = {"do": "move", "who": "opponents", "owner": "own", "extreme": "lowest"}
    game, games = run(effect, event=True, num_players=3, buildings=SHOPS)
    assert asks(game, games) == (0, Step.NEXT_SEAT, {"seat 1", "seat 2"})
    play(game, games, "seat 2")
    assert asks(game, games)[:2] == (2, Step.MOVE_TO)


# ---------------------------------------------------------------- disaster

FLOOD = {"do": "disaster", "where": "water", "what": "wealth", "amount": 3}
WET = {"A1 TL": ("RES", 0), "B1 top": ("COM", 0), "F3 TR": ("RES", 1), "C3 TL": ("RES", 1)}


def test_us_7_who_controls_a_building_hit_loses_one_or_pays():
    game, games = run(FLOOD, event=True, num_players=3, buildings=WET, wealth=[3, 2, 9])
    assert asks(game, games) == (1, Step.DISASTER, {"site F3 TR"})  # no choice, so it goes first
    play(game, games, "site F3 TR")
    assert asks(game, games) == (0, Step.DISASTER, {"site A1 TL", "site B1 TL", "yes"})
    play(game, games, "yes")
    assert is_done(games)
    assert wealth_of(games) == [0, 2, 9]
    assert building_at(games, "F3 TR") is None
    assert num_buildings(games) == 3


def test_u21_several_hit_the_active_player_picks_who_is_next():
    game, games = run(FLOOD, event=True, buildings=WET, active=1)
    assert asks(game, games) == (1, Step.NEXT_SEAT, {"seat 0", "seat 1"})
    play(game, games, "seat 0", "site B1 TL", "yes")
    assert wealth_of(games) == [30, 27]
    assert building_at(games, "B1 top") is None


@pytest.mark.parametrize(("extreme", "hit"), [("lowest", "C3 TL"), ("highest", "B1 TL")])
@pytest.mark.parametrize("others", [{}, {"A3 TL": ("RES", None), "D1 TL": ("RES", None)}])
def test_us_7_the_extreme_of_own_buildings_is_of_each_seat_that_a_disaster_hits(
    extreme, hit, others
):
    """It is looked for after all other filters, so uncontrolled buildings do not count."""
    effect = {"do": "disaster", "owner": "own", "extreme": extreme, "what": "wealth", "amount": 3}
    city = {"A1 TL": ("COM", 0), "B1 TL": ("COM", 1), "C3 TL": ("COM", 1), **others}
    game, games = run(effect, event=True, buildings=city, wealth=[2, 3])
    assert [value_of(games, block) for block in ("A3", "A1", "C3", "B1", "D1")] == [2, 4, 6, 7, 9]
    assert asks(game, games) == (0, Step.DISASTER, {"site A1 TL"})
    play(game, games, "site A1 TL")
    assert asks(game, games) == (1, Step.DISASTER, {f"site {hit}", "yes"})
    play(game, games, f"site {hit}")
    assert is_done(games)
    assert num_buildings(games) == len(city) - 2


# ---------------------------------------------------------------- elections and offices by effect


def test_u30_an_election_of_an_office_not_in_play_is_void():
    buildings = {"A1 TL": ("CIV", 1)}
    _, games = run({"do": "election", "office": "attorney"}, buildings=buildings)
    assert is_done(games)
    assert office_of(games, "attorney") is None


def test_us_7_an_election_of_an_office():
    buildings = {"A1 TL": ("CIV", 1)}
    _, games = run({"do": "election", "office": "attorney"}, buildings=buildings, in_play=31)
    assert office_of(games, "attorney") == 1


def test_us_7_an_election_of_all_in_track_order():
    buildings = {"A1 TL": ("CIV", 1), "B1 TL": ("COM", 0), "C1 TL": ("RES", 1), "D1 TL": ("IND", 0)}
    drawn = {"vocations": {1: {"ENERGY": 1}}, "in_play": 31}
    game, games = run({"do": "election", "office": "all"}, buildings=buildings, **drawn)
    assert asks(game, games)[:2] == (1, Step.PLACE)  # the Mayor places the park first
    assert office_of(games, "attorney") is None
    play(game, games, "site F6 BR")
    assert is_done(games)
    offices = ("mayor", "attorney", "treasurer", "police", "boss")
    assert [office_of(games, office) for office in offices] == [1, 1, 0, 1, 0]


def test_us_7_a_chosen_office_to_elect_is_one_of_the_five_in_play():
    effect = {"do": "election", "office": "chosen", "who": "media"}
    drawn = {"vocations": {1: {"MEDIA": 1}}, "buildings": {"A1 TL": ("COM", 0)}}
    game, games = run(effect, **drawn, in_play=63)
    offices = ("mayor", "attorney", "treasurer", "police", "boss")
    assert asks(game, games) == (1, Step.PICK_OFFICE, {f"office {office}" for office in offices})
    play(game, games, "office treasurer")
    assert office_of(games, "treasurer") == 0
    game, games = run(effect, **drawn)
    assert legal(game, games) == {"office mayor"}


def test_us_7_an_office_is_given_without_an_election():
    effect = {"do": "give", "office": "mayor", "who": "least_prestige"}
    _, games = run(effect, prestige=[5, 4])
    assert is_done(games)  # no park, no Contractor: it is no election (U30)
    assert office_of(games, "mayor") == 1
    _, games = run({"do": "give", "office": "boss"})
    assert office_of(games, "boss") is None  # not in play


def test_us_7_a_chosen_office_is_one_in_play_that_the_seat_does_not_hold():
    effect = {"do": "give", "office": "chosen"}
    drawn = {"offices": {"mayor": 0, "boss": 1, "contractor": 1}}
    game, games = run(effect, **drawn)
    offices = {"attorney", "treasurer", "police", "boss", "contractor"}
    assert asks(game, games) == (0, Step.PICK_OFFICE, {f"office {office}" for office in offices})
    play(game, games, "office contractor")
    assert office_of(games, "contractor") == 0
    assert is_done(run(effect, office=[0, -1, -1, -1, -1, -1])[1])


# ---------------------------------------------------------------- planning cards


def test_us_7_a_free_card_is_any_face_up_one_at_no_cost():
    drawn = {"planning": [3, None, "renewal", None, 5], "points": 0, "investing": 0}
    game, games = run({"do": "free_card"}, **drawn)
    expected = {"planning 0", "planning 2", "planning 4"}
    assert asks(game, games) == (0, Step.FREE_CARD, expected)
    play(game, games, "planning 2")
    assert hand_of(games, 0) == {"renewal": 1}
    assert planning_of(games) == [3, None, None, None, 5]
    assert is_done(run({"do": "free_card"})[1])


def test_u29_draws_take_the_face_up_top_first_and_cause_no_ballot_and_no_payout():
    drawn = {"planning": [None, None, None, None, 0], "planning_deck": [1, 16]}
    buildings = {"A1 TL": ("RES", 0)}
    markers = {"wealth 7": "grey 1", "wealth 8": "grey AB"}
    _, games = run({"do": "draw", "amount": 2}, **drawn, buildings=buildings, markers=markers)
    assert is_done(games)
    assert hand_of(games, 0) == {0: 1, 1: 1}
    assert planning_of(games)[4] is None
    assert (games.pawn[0], wealth_of(games)) == (0, [30, 30])


def test_u29_an_event_drawn_is_discarded_unread_and_replaced():
    drawn = {"planning_deck": ["Luxury Tax", "Flood", 9]}
    _, games = run({"do": "draw", "amount": 1}, **drawn)
    assert hand_of(games, 0) == {9: 1}
    assert wealth_of(games) == [30, 30]
    assert games.planning_discards[0].sum() == 2


def test_us_7_several_draw_clockwise_from_the_active_player():
    drawn = {"planning_deck": [0, 1, 2, 3], "active": 1}
    _, games = run({"do": "draw", "who": "each", "amount": 1}, num_players=3, **drawn)
    assert [hand_of(games, seat) for seat in (1, 2, 0)] == [{0: 1}, {1: 1}, {2: 1}]


def test_u28_a_draw_rebuilds_the_deck_and_draws_nothing_when_all_are_hoarded():
    discards = [14, "Flood"]
    every = {k: int(n) for k, n in enumerate((3, 3, 1, 2, 3, 3, 3, 1, 2, 3, 2, 3, 2, 2, 0, 1, 1))}
    hands = [{**every, "renewal": 4}]
    _, games = run({"do": "draw", "amount": 3}, hands=hands, discards=discards, only_planning=True)
    assert hand_of(games, 0)[14] == 1
    assert sum(hand_of(games, 0).values()) == 40


@pytest.mark.parametrize(("hand", "plies"), [({3: 1, "renewal": 2}, 2), ({3: 1}, 1), ({}, 0)])
def test_us_7_discards_are_chosen_and_fewer_if_there_are_fewer(hand, plies):
    game, games = run(
        {"do": "discard", "who": "mayor", "amount": 2}, hands=[{}, hand], offices={"mayor": 1}
    )
    for _ in range(plies):
        seat, step, offered = asks(game, games)
        assert (seat, step) == (1, Step.DISCARD)
        play(game, games, max(offered))
    assert is_done(games)
    assert sum(hand_of(games, 1).values()) == sum(hand.values()) - plies
    assert games.planning_discards[0].sum() == plies


def test_us_7_extra_action_points_are_for_this_turn():
    _, games = run({"do": "extra_ap", "amount": 2}, points=4, investing=0)
    assert games.points[0] == 6


@pytest.mark.parametrize(("amounts", "points"), [((93,), 99), ((94,), 99), ((99, 99), 99)])
def test_us_7_no_seat_has_more_than_99_action_points(amounts, points):
    effects = [{"do": "extra_ap", "amount": amount} for amount in amounts]
    _, games = run(*effects, points=6, investing=0)
    assert games.points[0] == points


# ---------------------------------------------------------------- vocations


def test_us_7_gain_a_vocation_without_scoring():
    _, games = run({"do": "vocation", "vocation": "FINANCE"}, vocations={1: {"FINANCE": 1}})
    assert is_done(games)
    assert vocations_of(games, 0) == {"FINANCE": 1}
    assert (wealth_of(games), prestige_of(games)) == ([30, 30], [20, 20])


def test_u17_without_supply_a_vocation_may_be_taken_from_an_opponent():
    effect = {"do": "vocation", "vocation": "MEDIA"}
    game, games = run(effect, num_players=3, vocations={2: {"MEDIA": 1}})
    assert asks(game, games) == (0, Step.VOCATION_FROM, {"seat 2", "decline"})
    play(game, games, "seat 2")
    assert (vocations_of(games, 0), vocations_of(games, 2)) == ({"MEDIA": 1}, {})
    _, games = run(effect, vocations={0: {"MEDIA": 1}})
    assert is_done(games)


def test_us_7_a_chosen_vocation_is_one_to_be_had():
    effect = {"do": "vocation", "vocation": "chosen"}
    drawn = {"vocations": {0: {"FINANCE": 2}, 1: {"MEDIA": 1, "TRANSPORTATION": 2}}}
    game, games = run(effect, **drawn)
    offered = legal(game, games)
    assert step_of(games) == Step.PICK_VOCATION
    assert len(offered) == 7
    assert "vocation FINANCE" not in offered  # all with seat 0 itself
    play(game, games, "vocation TRANSPORTATION")
    assert legal(game, games) == {"seat 1", "decline"}


SCORED = {"vocations": {0: {"ENERGY": 1}, 1: {"ENERGY": 2}}}


def test_u17_a_scoring_by_effect_goes_clockwise_from_the_active_player_without_the_police():
    effect = {"do": "score", "vocation": "ENERGY", "amount": 3}
    drawn = {**SCORED, "offices": {"police": 1}, "active": 1}
    game, games = run(effect, **drawn)
    both = {"gain wealth", "gain prestige"}
    assert asks(game, games) == (1, Step.MARKER_GAIN, both)
    play(game, games, "gain wealth", "gain prestige")
    assert asks(game, games) == (0, Step.MARKER_GAIN, both)
    play(game, games, "gain wealth")
    assert is_done(games)
    assert (wealth_of(games), prestige_of(games)) == ([33, 33], [20, 23])
    assert games.office[0, POLICE] == 1


def test_us_7_a_chosen_vocation_to_score_is_one_that_somebody_holds():
    effect = {"do": "score", "vocation": "chosen", "amount": 3}
    game, games = run(effect, vocations={1: {"ENERGY": 1, "MEDIA": 1}})
    assert asks(game, games) == (0, Step.PICK_VOCATION, {"vocation ENERGY", "vocation MEDIA"})
    play(game, games, "vocation ENERGY")
    assert asks(game, games)[:2] == (1, Step.MARKER_GAIN)
    assert is_done(run(effect)[1])


# ---------------------------------------------------------------- lasting


@pytest.mark.parametrize(
    ("power", "number"), [("extra_favor", Power.EXTRA_FAVOR), ("wins_ties", Power.WINS_TIES)]
)
def test_u24_a_lasting_effect_belongs_to_the_building(power, number):
    _, games = run({"do": "lasting", "power": power}, **HERE)
    assert games.power[0, lot_of("C3 TL")] == number
    assert games.power[0].sum() == number


# ---------------------------------------------------------------- optional, auction, choose


TO_GAIN = {
    "do": "optional",
    "what": "wealth",
    "amount": 8,
    "then": [{"do": "gain", "what": "prestige", "amount": 2}],
    "otherwise": [{"do": "lose", "what": "prestige", "amount": 1}],
}


@pytest.mark.parametrize(
    ("answer", "wealth", "prestige"), [("yes", [0, 9], [22, 20]), ("decline", [8, 9], [19, 20])]
)
def test_us_6_11_an_optional_payment(answer, wealth, prestige):
    game, games = run(TO_GAIN, wealth=[8, 9])
    assert asks(game, games) == (0, Step.ACCEPT, {"yes", "decline"})
    play(game, games, answer)
    assert is_done(games)
    assert (wealth_of(games), prestige_of(games)) == (wealth, prestige)


def test_u34_who_cannot_pay_in_full_is_not_asked():
    _, games = run(TO_GAIN, wealth=[7, 9])
    assert is_done(games)
    assert prestige_of(games) == [19, 20]


def test_us_7_optional_for_each_seat_self_is_who_accepts():
    effect = {**TO_GAIN, "who": "each"}
    game, games = run(effect, num_players=3, wealth=[9, 7, 9], active=2)
    assert asks(game, games) == (2, Step.NEXT_SEAT, {"seat 0", "seat 2"})  # seat 1 cannot pay
    assert prestige_of(games) == [20, 19, 20]
    play(game, games, "seat 0", "yes")
    assert asks(game, games)[:2] == (2, Step.ACCEPT)
    play(game, games, "decline")
    assert (wealth_of(games), prestige_of(games)) == ([1, 7, 9], [22, 19, 19])


def test_us_7_an_optional_effect_may_cost_nothing():
    effect = {"do": "optional", "then": [{"do": "draw", "amount": 1}]}
    game, games = run(effect, wealth=0, planning_deck=[4])
    play(game, games, "yes")
    assert hand_of(games, 0) == {4: 1}


def test_us_7_effects_lie_two_deep_inside_another():
    deep = {"do": "optional", "then": [{**TO_GAIN, "who": "opponents"}]}
    game, games = run(deep, num_players=3)
    play(game, games, "yes", "seat 2", "yes", "decline")
    assert is_done(games)
    assert (wealth_of(games), prestige_of(games)) == ([30, 30, 22], [20, 19, 22])


AUCTION = {"do": "auction", "then": [{"do": "gain", "what": "prestige", "amount": 5}]}


def test_us_7_an_auction_goes_once_round_and_the_active_player_bids_last():
    game, games = run(AUCTION, num_players=3, wealth=[4, 2, 30], active=0)
    assert asks(game, games) == (1, Step.BID, {"decline", "bid 1", "bid 2"})
    play(game, games, "bid 2")
    offered = {"decline", *(f"bid {n}" for n in range(3, 17))}
    assert asks(game, games) == (2, Step.BID, offered)
    play(game, games, "bid 3")
    assert asks(game, games) == (0, Step.BID, {"decline", "bid 4"})
    play(game, games, "bid 4")
    assert is_done(games)
    assert (wealth_of(games), prestige_of(games)) == ([0, 2, 30], [25, 20, 20])


@pytest.mark.parametrize("own", [3, 16, 30])
def test_us_7_a_seat_that_cannot_bid_more_is_passed_over(own):
    """Ruling U34.  No seat may bid more than 16."""
    game, games = run(AUCTION, num_players=3, wealth=[own, 0, 30], active=0)
    assert asks(game, games)[:2] == (2, Step.BID)
    play(game, games, "bid 16")
    assert is_done(games)
    assert (wealth_of(games), prestige_of(games)) == ([own, 0, 14], [20, 20, 25])


def test_us_7_an_auction_nobody_bids_in():
    game, games = run(AUCTION)
    play(game, games, "decline", "decline")
    assert is_done(games)
    assert (wealth_of(games), prestige_of(games)) == ([30, 30], [20, 20])


@pytest.mark.parametrize(("option", "wealth"), [(0, [31, 30]), (1, [30, 30]), (2, [30, 32])])
def test_us_7_choose_one_of(option, wealth):
    options = [
        {"do": "gain", "what": "wealth", "amount": 1},
        {"do": "end_game"},
        {"do": "gain", "who": "opponents", "what": "wealth", "amount": 2},
    ]
    game, games = run({"do": "choose", "options": options})
    assert asks(game, games) == (0, Step.OPTION, {"option 0", "option 1", "option 2"})
    play(game, games, f"option {option}")
    assert wealth_of(games) == wealth
    assert (games.over[0] == FINISHED) == (option == 1)


def test_us_7_choose_is_run_for_the_decider():
    options = [{"do": "gain", "what": "wealth", "amount": n} for n in (1, 2)]
    drawn = {"offices": {"mayor": 1}}
    game, games = run({"do": "choose", "who": "mayor", "options": options}, **drawn)
    assert games.to_play[0] == 1
    play(game, games, "option 1")
    assert wealth_of(games) == [30, 32]


# ---------------------------------------------------------------- the game itself


def test_us_6_10_politicians_enter():
    _, games = run({"do": "enter", "office": "politicians"}, event=True)
    assert games.in_play[0] == 31
    assert games.office[0].tolist() == [NOBODY] * 6


@pytest.mark.parametrize(("prestige", "holder"), [([5, 4, 6], 1), ([4, 4, 6], None)])
def test_u31_the_contractor_enters_and_is_assigned_at_once(prestige, holder):
    effect = {"do": "enter", "office": "contractor"}
    drawn = {"num_players": 3, "offices": {"boss": 2}, "prestige": prestige}
    game, games = run(effect, event=True, **drawn)
    assert games.in_play[0] == 63
    if holder is None:
        assert asks(game, games) == (2, Step.WINNER, {"seat 0", "seat 1"})
        play(game, games, "seat 0")
        holder = 0
    assert office_of(games, "contractor") == holder
    assert is_done(games)


@pytest.mark.parametrize(("deck", "decks"), [("city", 0b011), ("metropolis", 0b101)])
def test_us_6_10_a_deck_becomes_active(deck, decks):
    _, games = run({"do": "activate", "deck": deck}, event=True, active_decks=("town",))
    assert games.active_decks[0] == decks


@pytest.mark.parametrize("held", [60, 84])
def test_u9_control_cubes_do_not_run_out(held):
    """One seat controls more and more buildings; each new one gets its cube."""
    buildings = dict(list(every_small_tile().items())[:held])
    place = {"do": "place", "zone": "RES", "size": 4}
    take = {"do": "take", "owner": "nobody"}
    game, games = run(place, take, buildings={**buildings, "F6": ("IND", None)})
    assert (games.owner[0] == 0).sum() == len(buildings) == held
    site = min(word for word in legal(game, games) if word.startswith("site"))
    play(game, games, site, "site F6 TL")
    assert is_done(games)
    assert (games.owner[0] == 0).sum() == len(buildings) + 2
    assert game.rules.violations(game.tables, games, 0) == []


def every_small_tile():
    """Return 60 buildings of seat 0 on single lots and 24 on two, outside the last row."""
    lots = [f"{c}{row} {corner}" for row in (1, 2, 3) for c in "ABCDEF" for corner in CORNERS]
    singles = [("CIV", 10), ("COM", 11), ("IND", 7), ("RES", 17), ("PARK", 15)]
    zones = [zone for zone, count in singles for _ in range(count)]
    halves = [f"{c}{row} {half}" for row in (4, 5) for c in "ABCDEF" for half in ("top", "bottom")]
    pairs = [zone for zone, count in (("CIV", 8), ("COM", 12), ("RES", 7)) for _ in range(count)]
    small = {lot: (zone, 0) for lot, zone in zip(lots[:60], zones, strict=True)}
    return small | {half: (zone, 0) for half, zone in zip(halves, pairs[:24], strict=True)}


def test_us_6_12_the_game_stops_at_once_whatever_is_pending():
    effects = ({"do": "end_game"}, {"do": "gain", "what": "prestige", "amount": 9})
    _, games = run(*effects, event=True)
    assert (games.over[0], games.to_play[0]) == (FINISHED, NOBODY)
    assert prestige_of(games) == [20, 20]


def test_u18_each_seat_gains_by_its_own_buildings():
    effect = {"do": "gain", "who": "each", "what": "wealth", "amount": 1, "per": "building"}
    _, games = run({**effect, "owner": "own"}, buildings={"A1 TL": ("RES", 1)}, wealth=0)
    assert wealth_of(games) == [0, 1]
