"""US 6.3, 6.4, 6.6, U1, U4, U5, U15, U16, U18, U24: building a contract, zoning, demolition."""

import pytest

from sprawl_env.games.urban_sprawl.constants import (
    RENEWAL,
    ZONES,
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
    lot_of,
    num_buildings,
    play,
    position,
    prestige_of,
    row_of,
    step_of,
    vocations_of,
    wealth_of,
    with_tables,
)

ANY_1, CIV_RES_1, ANY_2, COM_2, ANY_3, ANY_4 = 0, 2, 5, 8, 10, 13  # kinds of permits
NO_EFFECT = {"effects": 0}


def may_build(name, place=0, **drawn):
    """May the contract at 1 AP be built?"""
    game, games = position(contracts=[name], **drawn)
    return f"build {place}" in legal(game, games)


def footprints(name, hand=None, *, restrict=None, **drawn):
    """Choose to build a contract; return ``(game, games, places)`` with the legal places."""
    game = drawn.pop("game", None) or game_of(drawn.get("num_players", 2))
    if restrict:
        game = restricted(game, name, **restrict)
    drawn.setdefault("wealth", 99)
    hands = [{ANY_4: 1} if hand is None else hand]
    game, games = position(contracts=[name], hands=hands, game=game, **drawn)
    play(game, games, "build 0")
    assert step_of(games) == Step.FOOTPRINT
    return game, games, {word.removeprefix("site ") for word in legal(game, games)}


def restricted(game, name, **fields):
    """Return a game in which a contract has the given restrictions."""
    tables = game.tables.copy()
    card = card_of(name)
    for field, value in fields.items():
        tables[0][f"card_{field}"][card] = value
    tables[0].card_restricted[card] = 1
    return with_tables(game, tables)


# ---------------------------------------------------------------- US 6.3: what it costs


@pytest.mark.parametrize(
    ("hand", "enough"),
    [
        ({ANY_1: 2}, True),
        ({ANY_2: 1}, True),
        ({ANY_3: 1}, True),
        ({ANY_4: 1}, True),
        ({ANY_1: 1}, False),
        ({ANY_1: 1, CIV_RES_1: 1}, True),
        ({COM_2: 2}, False),
        ({"renewal": 2, ANY_1: 1}, False),
        ({}, False),
    ],
)
def test_us_6_3_permits_of_the_zone_until_they_reach_the_size(hand, enough):
    """The High School (CIV 2): two 1-permits, or one of 2, 3 or 4, as in the rulebook."""
    assert may_build("High School", hands=[hand]) == enough


def test_us_6_3_permits_are_paid_one_by_one_while_the_sum_is_short_without_change():
    game, games, _ = footprints("High School", {ANY_1: 1, ANY_3: 1, COM_2: 1, "renewal": 1})
    play(game, games, "site B1 top")
    assert asks(game, games) == (0, Step.PERMITS, {f"permit {ANY_1}", f"permit {ANY_3}"})
    play(game, games, f"permit {ANY_1}")
    assert asks(game, games) == (0, Step.PERMITS, {f"permit {ANY_3}"})
    assert num_buildings(games) == 0
    play(game, games, f"permit {ANY_3}")
    assert building_at(games, "B1 top") == ("CIV", 0)
    assert hand_of(games, 0) == {COM_2: 1, "renewal": 1}
    assert games.planning_discards[0, [ANY_1, ANY_3]].tolist() == [1, 1]


def test_us_6_3_enough_at_once_asks_for_no_second_permit():
    game, games, _ = footprints("High School", {ANY_1: 1, ANY_3: 1})
    play(game, games, "site B1 top", f"permit {ANY_3}")
    assert building_at(games, "B1 top") == ("CIV", 0)
    assert hand_of(games, 0) == {ANY_1: 1}


@pytest.mark.parametrize(("place", "cost"), [("D3 top", 7), ("A3 top", 2), ("A4 left", 2)])
def test_us_10_printed_the_high_school_costs_7_or_2(place, cost):
    """The buildings of the example are left out: the cost is only the block's value."""
    game, games, _ = footprints("High School", wealth=30)
    play(game, games, f"site {place}", f"permit {ANY_4}")
    assert wealth_of(games)[0] == 30 - cost


@pytest.mark.parametrize(
    ("wealth", "offered"),
    [
        (2, {"A3", "A4"}),
        (3, {"A3", "A4", "F3", "F4", "A5", "A6"}),
        (1, None),
    ],
)
def test_u15_only_footprints_in_blocks_that_can_be_paid_are_offered(wealth, offered):
    if offered is None:
        assert not may_build("Ranch", hands=[{ANY_4: 1}], wealth=wealth)
        return
    assert footprints("Ranch", wealth=wealth, buildings={})[2] == offered & {"A3", "A4", "A5", "A6"}


def test_us_6_3_value_counts_markers():
    drawn = {"markers": {"wealth 12": "grey AB"}, "wealth": 3}
    offered = footprints("House", **drawn)[2]
    assert {place.split()[0] for place in offered} == {"F3", "F4"}


@pytest.mark.parametrize(("points", "enough"), [(0, False), (1, True)])
def test_us_6_2_a_space_costs_its_action_points(points, enough):
    drawn = {"points": points, "investing": 0}
    assert may_build("House", hands=[{ANY_1: 1}], **drawn) == enough


def test_us_6_2_action_points_of_all_places():
    names = ["Bakery", "Bank", "Church", "Clinic", "Courthouse"]
    tops = {"town": "Dam", "city": "Radio Station", "metropolis": "Temple"}
    hands = [{ANY_4: 2, ANY_3: 2, ANY_2: 3, ANY_1: 3}]
    active = ("town", "city", "metropolis")
    left = {}
    for place in range(8):
        game, games = position(
            contracts=names,
            tops=tops,
            hands=hands,
            active_decks=active,
            wealth=99,
            points=8,
            investing=0,
        )
        play(game, games, f"build {place}")
        left[place] = 8 - int(games.points[0])
    assert left == {0: 1, 1: 2, 2: 3, 3: 4, 4: 5, 5: 6, 6: 5, 7: 4}


def test_u1_a_contract_whose_tile_is_exhausted_cannot_be_built():
    _, games = position()
    tiles = games.tiles[0].copy()
    tiles[ZONES.index("RES"), 0] = 0
    assert not may_build("House", hands=[{ANY_1: 1}], tiles=tiles)
    tiles[ZONES.index("RES")] = [1, 0, 0, 0]
    assert may_build("House", hands=[{ANY_1: 1}], tiles=tiles)


def test_us_6_3_the_tile_comes_from_the_supply_and_the_card_leaves_the_game():
    game, games, _ = footprints("House", {ANY_1: 1})
    tiles = int(games.tiles[0, ZONES.index("RES"), 0])
    play(game, games, "site A3 TL", f"permit {ANY_1}")
    assert int(games.tiles[0, ZONES.index("RES"), 0]) == tiles - 1
    assert row_of(game, games) == [None] * 5
    assert step_of(games) == Step.MAIN


# ---------------------------------------------------------------- footprints


@pytest.mark.parametrize(
    ("name", "count", "some"),
    [
        ("House", 4, {"B3 TL", "B3 TR", "B3 BL", "B3 BR"}),
        ("High School", 4, {"B3 top", "B3 bottom", "B3 left", "B3 right"}),
        ("Mobile Home Park", 4, {"B3 -TL", "B3 -TR", "B3 -BL", "B3 -BR"}),
        ("Marina", 1, {"B3"}),
    ],
)
def test_us_6_3_footprints_in_an_empty_block(name, count, some):
    offered = footprints(name)[2]
    assert {place for place in offered if place.startswith("B3")} == some
    assert len(some) == count


@pytest.mark.parametrize(
    ("place", "corners"),
    [
        ("B3 top", 0b0011),
        ("B3 bottom", 0b1100),
        ("B3 left", 0b0101),
        ("B3 right", 0b1010),
    ],
)
def test_us_9_the_lots_of_a_footprint_of_two(place, corners):
    game, games, _ = footprints("High School")
    play(game, games, f"site {place}", f"permit {ANY_4}")
    assert games.corners[0, lot_of(place)] == corners


def test_us_6_3_a_footprint_needs_empty_lots_without_demolition():
    offered = footprints("High School", buildings={"B3 TL": ("CIV", 1)})[2]
    assert {place for place in offered if place.startswith("B3")} == {"B3 bottom", "B3 right"}


# ---------------------------------------------------------------- US 6.4: zoning


@pytest.mark.parametrize(
    ("buildings", "legal_"),
    [
        ({}, True),
        ({"C3 BL": ("COM", 0)}, True),
        ({"C3 BL": ("IND", 0)}, False),
        ({"C3 BL": ("IND", 0), "B2 BR": ("COM", 1)}, True),
        ({"C3 BL": ("IND", 0), "B2 TL": ("COM", 1)}, False),
        ({"C3 BL": ("PARK", 0)}, True),
        ({"C3 BL": ("PARK", 0), "C3 TR": ("RES", 0)}, False),
        ({"B2 BR": ("IND", None)}, False),  # diagonally across the crossing
        ({"B2 TR": ("IND", None)}, True),
        ({"C3 BR": ("IND", None)}, False),  # diagonally in the block
        ({"D3 TL": ("IND", None)}, True),  # two lots away
        ({"B3 top": ("IND", None)}, False),
        ({"B3 left": ("IND", None)}, True),
    ],
)
def test_us_6_4_not_beside_another_zone_unless_also_beside_its_own(buildings, legal_):
    offered = footprints("Gas Station", buildings=buildings)[2]
    assert ("C3 TL" in offered) == legal_


SCHOOL = {  # the visible part of the city of the rulebook's example
    "D3 TR": ("COM", 1),
    "D4 TL": ("CIV", 1),
    "F6 TL": ("RES", 1),
}


@pytest.mark.parametrize(
    ("place", "is_legal"),
    [
        ("D3 bottom", True),  # 1: beside COM, and beside CIV across the street
        ("A3 top", True),  # 2: beside nothing
        ("F6 bottom", False),  # 3: beside RES alone
    ],
)
def test_us_10_printed_zoning_of_the_high_school(place, is_legal):
    assert (place in footprints("High School", buildings=SCHOOL)[2]) == is_legal


def test_us_10_printed_the_bonus_of_the_high_school():
    """1 prestige for each adjacent CIV, none for the COM; the card has no effects of its own."""
    game, games, _ = footprints("High School", buildings=SCHOOL, prestige=0)
    play(game, games, "site D3 bottom", f"permit {ANY_4}")
    play(game, games, "gain wealth")  # EDUCATION-3
    assert prestige_of(games) == [1, 0]


def test_us_5_a_contract_that_ignores_zoning():
    buildings = {f"{c}3 TL": ("IND", None) for c in "ABCDEF"}
    assert "A2" in footprints("Marina", buildings=buildings)[2]
    assert "A2" not in footprints("Ranch", buildings=buildings)[2]


# ---------------------------------------------------------------- US 6.3: neighbourhood bonus


@pytest.mark.parametrize(
    ("buildings", "bonus"),
    [
        ({}, 0),
        ({"C3 BL": ("RES", 1)}, 1),
        ({"C3 bottom": ("RES", 1)}, 1),  # once, whatever the number of lots that touch
        ({"C3 BL": ("RES", 1), "C3 BR": ("RES", 0), "B2 BR": ("RES", None)}, 3),
        ({"C3 BL": ("RES", 1), "C3 BR": ("COM", 0), "B2 TR": ("RES", None)}, 1),
        ({"C3 BL": ("PARK", 1)}, 0),
    ],
)
def test_us_6_3_one_prestige_for_each_adjacent_building_of_the_zone_not_itself(buildings, bonus):
    drawn = {"buildings": buildings, "prestige": 0}
    game, games, _ = footprints("House", restrict=NO_EFFECT, **drawn)
    play(game, games, "site C3 TL", f"permit {ANY_4}")
    assert prestige_of(games) == [bonus, 0]


@pytest.mark.parametrize(
    ("attorney", "built", "bonus"), [(0, 0, 4), (0, 1, 2), (1, 0, 2), (None, 0, 2)]
)
def test_us_6_3_the_district_attorney_doubles_it_for_the_first_contract(attorney, built, bonus):
    buildings = {"C3 BL": ("RES", 1), "C3 BR": ("RES", 1)}
    offices = {} if attorney is None else {"attorney": attorney}
    drawn = {"buildings": buildings, "offices": offices, "prestige": 0}
    if built:
        drawn |= {"buildings": {**buildings, "A6 TL": ("IND", 0)}, "built": "A6 TL"}
    game, games, _ = footprints("House", restrict=NO_EFFECT, **drawn)
    play(game, games, "site C3 TL", f"permit {ANY_4}")
    assert prestige_of(games)[0] == bonus


def test_u15_a_favor_may_be_the_first_contract_of_the_turn():
    buildings = {"C3 BL": ("RES", 1)}
    game, games = position(
        favors=[["House"]],
        game=restricted(game_of(), "House", **NO_EFFECT),
        hands=[{ANY_1: 1}],
        buildings=buildings,
        offices={"attorney": 0},
        prestige=0,
        points=0,
        investing=0,
    )
    play(game, games, "build 8", "site C3 TL", f"permit {ANY_1}")
    assert prestige_of(games)[0] == 2


def test_us_6_3_bonus_then_vocations_then_effects_top_to_bottom():
    """Textile Mill: FACTORY-2, then 1 wealth for each RES of size 1 in these rows."""
    buildings = {"C3 BL": ("IND", 1), "C1 TL": ("RES", 1)}
    game, games, _ = footprints("Textile Mill", buildings=buildings, prestige=0, wealth=50)
    play(game, games, "site C3 right", f"permit {ANY_4}")
    assert asks(game, games)[:2] == (0, Step.MARKER_GAIN)
    assert (prestige_of(games)[0], wealth_of(games)[0]) == (1, 50 - 6)
    assert vocations_of(games, 0) == {"FACTORY": 1}
    play(game, games, "gain prestige")
    assert (prestige_of(games)[0], wealth_of(games)[0]) == (3, 50 - 6 + 1)


def test_u18_a_new_building_counts_itself_in_its_effects():
    """Mobile Home Park counts RES of size 1, Church RES of the builder in these rows."""
    game, games, _ = footprints("Church", {ANY_1: 1}, prestige=0)
    play(game, games, "site C3 TL", f"permit {ANY_1}")
    assert prestige_of(games)[0] == 1


# ---------------------------------------------------------------- US §7: restrictions

TOUCH = {
    "water": (5, {"D1 TL": True, "D1 BL": False, "F3 TR": True, "F3 TL": False}),
    "forest": (6, {"A3 TL": True, "A3 TR": False, "B6 BL": True, "B6 TL": False}),
    "park": (4, {"C3 TL": True, "C2 BR": True, "C3 BR": True, "E3 TL": False}),
    "own": (7, {"E5 TL": True, "E5 BR": True, "E4 BR": True, "F6 BR": False, "B5 TR": False}),
    "RES": (3, {"B5 TL": True, "E5 TL": True, "B6 TL": True, "F4 BL": True, "C3 TL": False}),
}


@pytest.mark.parametrize("wanted", TOUCH)
def test_us_7_next_to(wanted):
    bit, expected = TOUCH[wanted]
    buildings = {"C3 TR": ("PARK", 1), "E5 TR": ("RES", 0), "B5 BL": ("RES", 1)}
    offered = footprints("House", restrict={"next_to": 1 << bit}, buildings=buildings)[2]
    assert {place: place in offered for place in expected} == expected


def test_us_7_next_to_any_one_of_several():
    restrict = {"next_to": 1 << 5 | 1 << 4}
    offered = footprints("House", restrict=restrict, buildings={"C3 TR": ("PARK", 1)})[2]
    assert {"D1 TL", "C3 TL"} <= offered
    assert "A3 TL" not in offered


@pytest.mark.parametrize(
    ("buildings", "offered"),
    [({}, True), ({"C3 BR": ("RES", 0)}, False), ({"B3": ("RES", 0)}, True)],
)
def test_us_7_in_an_empty_block(buildings, offered):
    drawn = {"restrict": {"empty_block": 1}, "buildings": buildings}
    assert ("C3 TL" in footprints("House", **drawn)[2]) == offered


@pytest.mark.parametrize(
    ("restrict", "values"),
    [
        ({"at_least": 8}, {8, 9}),
        ({"at_most": 3}, {2, 3}),
        ({"at_least": 5, "at_most": 6}, {5, 6}),
    ],
)
def test_us_7_block_value_at_least_and_at_most(restrict, values):
    _, games, offered = footprints("House", restrict=restrict)
    blocks = {lot_of(place) // 4 for place in offered}
    assert {int(games.value[0, block]) for block in blocks} == values


@pytest.mark.parametrize(
    ("buildings", "blocks"),
    [
        ({}, {"D1", "D2"}),
        ({"D1": ("RES", 0)}, {"D2"}),
        ({"D1": ("RES", 0), "D2": ("RES", 0)}, {"C1", "C2", "D5", "D6"}),
        ({"D1 TL": ("IND", 0)}, {"D1", "D2"}),
    ],
)
def test_us_7_in_the_highest_valued_block_possible(buildings, blocks):
    drawn = {"restrict": {"highest": 1}, "buildings": buildings}
    offered = footprints("House", **drawn)[2]
    assert {place.split()[0] for place in offered} == blocks - (
        {"D1"} if buildings.get("D1 TL") else set()
    )


def test_us_7_the_highest_block_money_aside():
    game = restricted(game_of(), "House", highest=1)
    drawn = {"contracts": ["House"], "hands": [{ANY_1: 1}], "game": game}
    game, games = position(wealth=8, **drawn)
    assert "build 0" not in legal(game, games)
    game, games = position(wealth=9, **drawn)
    assert "build 0" in legal(game, games)


def test_u5_a_contract_may_only_be_chosen_if_some_placement_is_legal_and_payable():
    """The Ranch must touch forest, where every block is taken but D6, which costs 8."""
    taken = [*(f"A{row} TL" for row in range(1, 7)), *(f"{c}6 TL" for c in "BCEF")]
    buildings = dict.fromkeys(taken, ("RES", None))
    drawn = {"hands": [{ANY_4: 1}]}
    assert may_build("Ranch", wealth=8, buildings=buildings, **drawn)
    assert not may_build("Ranch", wealth=7, buildings=buildings, **drawn)
    buildings["E6 TL"] = ("COM", None)  # D6 touches nothing else
    assert not may_build("Ranch", wealth=99, buildings=buildings, **drawn)


# ---------------------------------------------------------------- US 6.6: demolition


def demolitions(name, buildings, *, contractor=None, renewals=1, block="C3", seats=2):
    offices = {} if contractor is None else {"contractor": contractor}
    hand = {ANY_4: 1, "renewal": renewals} if renewals else {ANY_4: 1}
    drawn = {"buildings": buildings, "offices": offices, "num_players": seats}
    game, games, offered = footprints(name, hand, **drawn)
    return game, games, {place for place in offered if place.startswith(block)}


@pytest.mark.parametrize(
    ("contractor", "renewals", "may"), [(None, 0, False), (None, 1, True), (0, 0, True)]
)
def test_us_6_6_the_contractor_may_demolish_and_whoever_discards_an_urban_renewal(
    contractor, renewals, may
):
    drawn = {"contractor": contractor, "renewals": renewals}
    _, _, offered = demolitions("House", {"C3": ("IND", 1), "C2 BL": ("RES", 1)}, **drawn)
    assert offered == set()  # smaller than what it would cover
    buildings = {"C3 TL": ("IND", 1)}
    _, _, offered = demolitions("House", buildings, **drawn)
    assert ("C3 TL" in offered) == may


@pytest.mark.parametrize(
    ("name", "buildings", "offered"),
    [
        # A: two lots may cover one of one lot, one of two, two adjacent ones of one
        ("Grocery Store", {"C3 TL": ("IND", 1)}, {"C3 top", "C3 left"}),
        ("Grocery Store", {"C3 top": ("IND", 1)}, {"C3 top"}),
        ("Grocery Store", {"C3 TL": ("IND", 1), "C3 TR": ("RES", 0)}, {"C3 top"}),
        ("Grocery Store", {"C3 TL": ("IND", 1), "C3 BR": ("RES", 0)}, set()),
        # B: three lots may cover 1; 2; 1 and 2; three of 1; 3
        ("Department Store", {"C3 TL": ("IND", 1)}, {"C3 -TR", "C3 -BL", "C3 -BR"}),
        ("Department Store", {"C3 top": ("IND", 1)}, {"C3 -BL", "C3 -BR"}),
        ("Department Store", {"C3 top": ("IND", 1), "C3 BL": ("RES", 1)}, {"C3 -BR"}),
        (
            "Department Store",
            {"C3 TL": ("IND", 1), "C3 TR": ("RES", 1), "C3 BL": ("CIV", None)},
            {"C3 -BR"},
        ),
        ("Department Store", {"C3 -BR": ("IND", 1)}, {"C3 -BR"}),
        # C: but not two of two lots, nor one of four
        ("Department Store", {"C3 top": ("IND", 1), "C3 bottom": ("IND", 1)}, set()),
        ("Department Store", {"C3": ("IND", 1)}, set()),
    ],
)
def test_us_10_printed_demolition_a_to_c(name, buildings, offered):
    """A footprint covers whole buildings; zoning holds as if they were gone."""
    assert demolitions(name, buildings)[2] == offered


def test_u16_one_urban_renewal_for_three_buildings_of_one_lot():
    """It is discarded when the footprint is chosen; a second one is kept."""
    buildings = {"C3 TL": ("IND", 1), "C3 TR": ("RES", 0), "C3 BL": ("CIV", None)}
    game, games, _ = demolitions("Department Store", buildings, renewals=2)
    play(game, games, "site C3 -BR")
    assert hand_of(games, 0) == {ANY_4: 1, "renewal": 1}
    assert games.planning_discards[0, RENEWAL] == 1
    assert num_buildings(games) == 3
    tiles = games.tiles[0].copy()
    play(game, games, f"permit {ANY_4}")
    assert num_buildings(games) == 1
    assert building_at(games, "C3 -BR") == ("COM", 0)
    tiles[ZONES.index("COM"), 2] -= 1
    assert (games.tiles[0] == tiles).all()  # what was demolished leaves the game


def test_u16_the_contractor_never_discards_an_urban_renewal():
    game, games, _ = demolitions("House", {"C3 TL": ("IND", 1)}, contractor=0)
    play(game, games, "site C3 TL", f"permit {ANY_4}")
    assert hand_of(games, 0) == {"renewal": 1}
    assert building_at(games, "C3 TL") == ("RES", 0)


def test_u16_demolition_is_chosen_by_the_footprint_and_never_compulsory():
    game, games, offered = demolitions("House", {"C3 TL": ("RES", 1)})
    assert offered == {"C3 TL", "C3 TR", "C3 BL", "C3 BR"}
    play(game, games, "site C3 TR")
    assert hand_of(games, 0)["renewal"] == 1


@pytest.mark.parametrize(
    ("owner", "contractor", "may"),
    [(2, 2, False), (1, 2, True), (0, 2, True), (None, 2, True), (2, None, True), (0, 0, True)],
)
def test_us_6_6_the_contractors_buildings_are_immune_to_others(owner, contractor, may):
    buildings = {"C3 TL": ("RES", owner)}
    _, _, offered = demolitions("House", buildings, contractor=contractor, seats=3)
    assert ("C3 TL" in offered) == may


def test_us_6_6_parks_may_be_demolished():
    assert "C3 TL" in demolitions("House", {"C3 TL": ("PARK", 1)})[2]


@pytest.mark.parametrize(
    ("other", "offered"),
    [
        ({}, True),
        ({"C2 BL": ("IND", 1)}, False),
        ({"C2 BL": ("IND", 1), "B3 TR": ("RES", 1)}, True),
    ],
)
def test_us_6_6_zoning_holds_as_if_the_demolished_were_gone(other, offered):
    """A demolished building of the own zone is no longer a neighbour."""
    _, _, found = demolitions("House", {"C3 TL": ("RES", 1), **other})
    assert ("C3 TL" in found) == offered


def test_us_6_6_the_demolished_give_no_neighbourhood_bonus():
    buildings = {"C3 TL": ("COM", 1), "C3 TR": ("COM", 1), "C3 BL": ("COM", 0)}
    game, games, _ = demolitions("Department Store", {**buildings, "C2 BL": ("COM", 0)})
    before = prestige_of(games)[0]
    play(game, games, "site C3 -BR", f"permit {ANY_4}")
    assert prestige_of(games)[0] == before + 1


@pytest.mark.parametrize(
    ("restrict", "buildings", "offered"),
    [
        ({"empty_block": 1}, {"C3 TL": ("RES", 1)}, {"C3 TL"}),
        ({"empty_block": 1}, {"C3 TL": ("RES", 1), "C3 BR": ("RES", 1)}, set()),
        ({"next_to": 1 << 7}, {"C3 TL": ("RES", 0)}, {"C3 TR", "C3 BL", "C3 BR"}),
        ({"next_to": 1 << 4}, {"C3 TL": ("PARK", 0)}, {"C3 TR", "C3 BL", "C3 BR"}),
    ],
)
def test_u16_restrictions_too_are_checked_as_if_the_demolished_were_gone(
    restrict, buildings, offered
):
    drawn = {"restrict": restrict, "buildings": buildings}
    found = footprints("House", {ANY_4: 1, "renewal": 1}, **drawn)[2]
    assert {place for place in found if place.startswith("C3")} == offered


def test_us_6_6_a_block_is_possible_by_demolition_alone_for_the_highest():
    drawn = {"restrict": {"highest": 1}, "buildings": {"D1": ("RES", 1), "D2": ("RES", 1)}}
    assert footprints("Marina", {ANY_4: 1, "renewal": 1}, **drawn)[2] == {"D1", "D2"}
    assert footprints("Marina", {ANY_4: 1}, **drawn)[2] == {"C1", "C2", "D5", "D6"}


def test_u24_a_lasting_effect_goes_with_its_building():
    buildings = {"C3 TL": ("IND", 1, Power.WINS_TIES)}
    game, games, _ = demolitions("House", buildings)
    play(game, games, "site C3 TL", f"permit {ANY_4}")
    assert games.power[0].sum() == 0
