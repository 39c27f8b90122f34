"""TU §6: the ten objectives, each just missed and just met, and their chips."""

from typing import NamedTuple

import pytest

from tests.unit.games.tower_up.position import action_of, legal_names, play, position

BIG = (3, 3, 3, 1)  # a reserve that pays for any of the builds below


class Case(NamedTuple):
    """One build of seat 0; its roof meets the objective on one site and not on another."""

    objective: int
    buildings: dict
    roofs: tuple  # (site, height) of seat 0
    build: str
    met: int
    short: tuple


def on(*sites):
    """Roofs at height 1."""
    return tuple((site, 1) for site in sites)


CASES = {
    "1 all four colours": Case(
        1,
        {0: ("black", 1), 2: ("grey", 1), 4: ("white", 1)},
        on(0, 2, 4),
        "build brown on site 1",
        1,
        (0, 2),
    ),
    "2 four buildings by a park (T12: of two parks)": Case(
        2,
        {0: ("black", 1), 1: ("grey", 1), 2: ("black", 1)},
        on(0, 1, 2),
        "build white on site 3",
        3,
        (2,),
    ),
    "2 a building off the park does not count": Case(
        2,
        {0: ("black", 1), 1: ("grey", 1), 2: ("black", 1), 8: ("grey", 1)},
        on(0, 1, 2),
        "build white on site 3",
        3,
        (8,),
    ),
    "3 all five districts": Case(
        3,
        {5: ("black", 1), 6: ("grey", 1), 7: ("black", 1), 8: ("grey", 1)},
        on(5, 6, 7, 8),
        "build white on site 9",
        9,
        (8,),
    ),
    "4 four buildings by a lake (T12: of two lakes)": Case(
        4,
        {15: ("black", 1), 16: ("grey", 1), 17: ("black", 1)},
        on(15, 16, 17),
        "build white on site 18",
        18,
        (17,),
    ),
    "5 five in a row": Case(
        5,
        {5: ("black", 1), 6: ("grey", 1), 7: ("black", 1), 8: ("grey", 1)},
        on(5, 6, 7, 8),
        "build white on site 9",
        9,
        (8,),
    ),
    "5 T5: two groups become one; another's building does not join them": Case(
        5,
        {5: ("black", 1), 6: ("grey", 1), 8: ("grey", 1), 9: ("black", 1)},
        on(5, 6, 8, 9),
        "build white on site 7",
        7,
        (6, 8),
    ),
    "5 T5: a group need not be a line": Case(
        5,
        {5: ("black", 1), 7: ("black", 1), 1: ("grey", 1), 11: ("grey", 1)},
        on(5, 7, 1, 11),
        "build white on site 6",
        6,
        (1, 5, 7, 11),
    ),
    "6 four brown buildings": Case(
        6,
        {0: ("brown", 1), 2: ("brown", 1), 10: ("brown", 1), 7: ("black", 1)},
        on(0, 2, 10),
        "build brown on site 12",
        12,
        (7,),
    ),
    "7 three in grey_a and two in grey_b": Case(
        7,
        {3: ("black", 1), 8: ("grey", 1), 13: ("black", 1), 4: ("grey", 1)},
        on(3, 8, 13, 4),
        "build white on site 9",
        9,
        (4, 8),
    ),
    "7 two in grey_a and three in grey_b": Case(
        7,
        {4: ("black", 1), 9: ("grey", 1), 14: ("black", 1), 3: ("grey", 1)},
        on(4, 9, 14, 3),
        "build white on site 8",
        8,
        (3, 9),
    ),
    "7 four in one and one in the other are short": Case(
        7,
        {3: ("black", 1), 8: ("grey", 1), 13: ("black", 1), 9: ("black", 1), 19: ("grey", 1)},
        on(3, 8, 13, 9),
        "build white on site 18",
        19,
        (18,),
    ),
    "8 both sides of two borders": Case(
        8,
        {0: ("black", 1), 1: ("grey", 1), 12: ("black", 1)},
        on(0, 1, 12),
        "build grey on site 13",
        13,
        (12,),
    ),
    "8 two borders of one district": Case(
        8,
        {0: ("black", 1), 1: ("grey", 1), 6: ("black", 1)},
        on(0, 1, 6),
        "build grey on site 7",
        7,
        (6,),
    ),
    "9 twice in two buildings": Case(
        9,
        {0: ("black", 2), 2: ("grey", 1)},
        ((0, 1), (0, 2), (2, 1)),
        "build white on site 1",
        2,
        (0, 1),
    ),
    "10 heights 1, 2, 3 and 4": Case(
        10,
        {0: ("black", 3), 10: ("grey", 2), 12: ("white", 1)},
        ((0, 3), (10, 2), (12, 1)),
        "build white on site 1",
        0,
        (1,),
    ),
    "10 several may be in one building": Case(
        10,
        {0: ("black", 3)},
        ((0, 1), (0, 2), (0, 3)),
        "build white on site 1",
        0,
        (1,),
    ),
    "10 heights above 4 do not stand in": Case(
        10,
        {0: ("black", 4), 10: ("grey", 3), 12: ("white", 2), 2: ("grey", 2)},
        ((0, 4), (10, 3), (12, 2)),
        "build white on site 1",
        1,
        (0, 2),
    ),
}


def set_out(case, seats=2, **more):
    reserves = [BIG] + [(1, 1, 1, 1)] * (seats - 1)
    others = [number for number in range(1, 11) if number != case.objective][:2]
    game, games = position(
        seats,
        buildings=case.buildings,
        roofs=[(0, site, height) for site, height in case.roofs],
        reserves=reserves,
        objectives=(case.objective, *others),
        **more,
    )
    assert games.fulfilled[0, 0, 0] == 0
    play(game, games, case.build)
    return game, games


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_tu_6_an_objective_just_met(case):
    game, games = set_out(case)
    assert games.fulfilled[0, 0, 0] == 0  # building alone does not fulfil it
    play(game, games, f"roof on site {case.met}")
    assert games.fulfilled[0, 0, 0] == 1
    assert games.chip[0, 0, 0] == 7
    assert games.fulfilled[0, 1, 0] == 0


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_tu_6_an_objective_just_short(case):
    for site in case.short:
        game, games = set_out(case)
        play(game, games, f"roof on site {site}")
        assert games.fulfilled[0, 0, 0] == 0
        assert games.chip[0, 0, 0] == 0


def borders_met(*sites):
    """Return whether a seat with roofs on these sites meets objective 8."""
    buildings = {s: (("black", "grey")[sum(divmod(s, 5)) % 2], 1) for s in sites}
    roofs = [(0, site, 1) for site in sites]
    _, games = position(buildings=buildings, roofs=roofs, objectives=(8, 1, 2))
    return bool(games.fulfilled[0, 0, 0])


@pytest.mark.parametrize(
    "sites",
    [
        (0, 1, 7, 8),  # harbour-market and hill-grey_a
        (0, 1, 6, 7),  # harbour-market and market-hill, two buildings in the market
        (0, 1, 2, 3),  # in a row: 0-1 and 2-3
        (3, 4, 5, 6),
    ],
)
def test_tu_6_t6_two_streets_across_two_borders_with_four_buildings_meet_objective_8(sites):
    assert borders_met(*sites)


@pytest.mark.parametrize(
    "sites",
    [
        (0, 1, 5, 6),  # twice the same border
        (0, 1, 2),  # two borders, but the middle building counts twice
        (0, 1, 2, 7),  # as before: 7 has no street across a border but to nobody
        (0, 6, 12, 18),  # in four districts without a street between them
        (0, 5, 10, 15),  # streets, but no border
        (0, 1, 5, 6, 10, 11),  # three times the same border
    ],
)
def test_tu_6_t6_anything_less_does_not_meet_objective_8(sites):
    assert not borders_met(*sites)


@pytest.mark.parametrize(
    ("sites", "met"),
    [((0, 1, 2, 3), True), ((0, 1, 2), False), ((0, 1, 2, 5, 6, 7), False), ((1, 2, 3, 4), True)],
)
def test_tu_6_t12_parks_are_any_parks_and_buildings_off_them_do_not_count(sites, met):
    buildings = {s: (("black", "grey")[sum(divmod(s, 5)) % 2], 1) for s in sites}
    roofs = [(0, site, 1) for site in sites]
    _, games = position(buildings=buildings, roofs=roofs, objectives=(2, 1, 3))
    assert bool(games.fulfilled[0, 0, 0]) == met


@pytest.mark.parametrize(
    ("sites", "met"),
    [((15, 16, 17, 18), True), ((16, 17, 18), False), ((15, 16, 17, 12, 11, 13), False)],
)
def test_tu_6_t12_lakes_are_any_lakes_and_buildings_off_them_do_not_count(sites, met):
    buildings = {s: (("black", "grey")[sum(divmod(s, 5)) % 2], 1) for s in sites}
    roofs = [(0, site, 1) for site in sites]
    _, games = position(buildings=buildings, roofs=roofs, objectives=(4, 1, 3))
    assert bool(games.fulfilled[0, 0, 0]) == met


# ---------------------------------------------------------------- being present


def test_tu_6_a_covered_roof_is_present_all_the_same():
    buildings = {0: ("black", 3), 1: ("grey", 3), 2: ("black", 3)}
    roofs = [(0, 0, 1), (0, 1, 2), (0, 2, 1), (1, 0, 3), (1, 2, 2)]
    game, games = position(buildings=buildings, roofs=roofs, objectives=(2, 1, 3))
    play(game, games, "build white on site 3", "roof on site 3")
    assert games.chip[0, 0, 0] == 7


def test_tu_6_t13_presence_is_never_lost():
    case = CASES["2 four buildings by a park (T12: of two parks)"]
    game, games = set_out(case)
    play(game, games, "roof on site 2")
    play(game, games, "build grey on site 4", "roof on site 3")  # covers nothing of seat 0's
    present = int(games.present[0, 0])
    assert present == 0b111
    assert games.fulfilled[0, 0, 0] == 0


def test_tu_6_t13_only_the_acting_seat_is_looked_at():
    case = CASES["6 four brown buildings"]
    game, games = set_out(case)
    games.present[0, 1] = games.present[0, 0] | 1 << case.met  # seat 1 would fulfil it as well
    game.play(games, 0, action_of(game, games, f"roof on site {case.met}"))
    assert games.chip[0, :, 0].tolist() == [7, 0, 0, 0]


def test_tu_6_t13_several_objectives_met_at_once_give_a_chip_each():
    buildings = {5: ("black", 1), 6: ("grey", 1), 7: ("black", 1), 8: ("white", 1)}
    game, games = position(
        buildings=buildings,
        roofs=[(0, site, 1) for site in buildings],
        reserves=[BIG, (1, 1, 1, 1)],
        objectives=(3, 5, 1),
    )
    play(game, games, "build brown on site 9", "roof on site 9")
    assert games.chip[0, 0].tolist() == [7, 7, 7]
    assert games.chips_taken[0].tolist() == [1, 1, 1]


def test_tu_6_each_seat_takes_one_chip_of_an_objective():
    buildings = {0: ("black", 1), 1: ("grey", 1), 2: ("black", 1), 3: ("grey", 1)}
    roofs = [(0, site, 1) for site in buildings]
    game, games = position(buildings=buildings, roofs=roofs, objectives=(2, 1, 4))
    assert games.chip[0, 0].tolist() == [7, 0, 0]
    play(game, games, "build white on site 4", "roof on site 4")  # a fifth park building
    assert games.chip[0, 0].tolist() == [7, 0, 0]
    assert games.chips_taken[0].tolist() == [1, 0, 0]


@pytest.mark.parametrize("seats", (2, 3, 4))
@pytest.mark.parametrize("shape", (0, 1, 2))
def test_tu_6_chips_go_from_the_highest_down_in_the_order_of_the_seats(seats, shape):
    """All other seats have met it, at the heights below; seat 0 is the last."""
    sites = (0, 1, 2)
    buildings = {site: (("black", "grey")[site % 2], 5) for site in sites}
    buildings[4] = ("grey", 3)
    roofs = [(0, site, 5) for site in sites]
    for seat in range(1, seats):
        roofs += [(seat, site, 5 - seat) for site in sites] + [(seat, 4, seat)]
    objectives = [1, 3, 5]
    objectives[shape] = 2
    game, games = position(seats, buildings=buildings, roofs=roofs, objectives=objectives)
    values = {2: [7, 3], 3: [7, 5, 3], 4: [7, 5, 3, 3]}[seats]
    assert games.chip[0, 1:seats, shape].tolist() == values[:-1]
    play(game, games, "build brown on site 3", "roof on site 3")
    assert games.chip[0, 0].tolist() == [values[-1] if k == shape else 0 for k in range(3)]
    assert games.chips_taken[0, shape] == seats


def test_tu_6_a_shape_is_worth_its_own_chips():
    """Chips taken for one objective do not change the chips of the others."""
    buildings = {
        0: ("black", 2), 1: ("grey", 2), 2: ("black", 2), 3: ("grey", 2), 8: ("white", 1),
    }  # fmt: skip
    roofs = [(1, site, 2) for site in (0, 1, 2, 3)] + [(0, 0, 1), (0, 1, 1), (0, 8, 1)]
    game, games = position(buildings=buildings, roofs=roofs, objectives=(2, 1, 4))
    assert games.chip[0, 1].tolist() == [7, 0, 0]
    play(game, games, "build brown on site 9", "roof on site 9")
    assert games.chip[0, 0].tolist() == [0, 7, 0]


def test_tu_6_a_chip_is_taken_by_a_roof_not_by_a_card():
    case = CASES["6 four brown buildings"]
    game, games = set_out(case)
    play(game, games, "roof on site 7")
    assert "take card 1" in legal_names(game, games)
    play(game, games, "take card 1")
    assert not games.chip[0].any()
