"""TU §4, second half: building, paying, roofs and scoring."""

import pytest

from sprawl_env.core.state import NOBODY
from sprawl_env.games.tower_up.constants import NO_COLOUR
from tests.unit.games.tower_up.position import (
    BLACK,
    BROWN,
    GREY,
    WHITE,
    legal_names,
    play,
    position,
    random_game,
)

RICH = [(3, 3, 3, 1), (1, 1, 1, 1)]


def builds(game, games):
    return {name for name in legal_names(game, games) if name.startswith("build")}


def builds_on(game, games, site):
    """Return the colours that may be built on a site."""
    return {n.split()[1] for n in builds(game, games) if n.endswith(f" site {site}")}


# ---------------------------------------------------------------- where, and of which colour


def test_tu_4_a_building_must_be_adjacent_to_a_building():
    game, games = position(buildings={6: ("black", 1)}, reserves=RICH)
    sites = {int(name.split()[-1]) for name in builds(game, games)}
    assert sites == {1, 5, 7, 11, 20}  # the neighbours of site 6


def test_tu_4_a_building_needs_an_empty_site():
    game, games = position(buildings={6: ("black", 1), 7: ("grey", 1)}, reserves=RICH)
    assert builds_on(game, games, 6) == set()
    assert builds_on(game, games, 7) == set()
    assert builds_on(game, games, 8) != set()


def test_tu_4_a_building_may_not_touch_its_own_colour():
    game, games = position(buildings={6: ("black", 1)}, reserves=RICH)
    assert builds_on(game, games, 7) == {"grey", "white", "brown"}


def test_tu_4_a_building_may_stand_two_streets_from_its_own_colour():
    game, games = position(buildings={6: ("black", 1), 7: ("grey", 1)}, reserves=RICH)
    assert builds_on(game, games, 8) == {"black", "white", "brown"}


def test_tu_4_a_site_between_two_colours_takes_the_other_two():
    game, games = position(buildings={6: ("black", 1), 8: ("grey", 1)}, reserves=RICH)
    assert builds_on(game, games, 7) == {"white", "brown"}


def test_tu_4_a_site_that_touches_all_four_colours_takes_none():
    around = {1: "black", 5: "grey", 7: "white", 11: "brown"}
    buildings = {site: (colour, 1) for site, colour in around.items()}
    game, games = position(buildings=buildings, reserves=[(2, 2, 2, 2), (1, 1, 1, 1)])
    assert builds_on(game, games, 6) == set()
    assert builds_on(game, games, 20) == set()  # no building next to it


def test_tu_4_the_new_floor_comes_from_the_reserve():
    game, games = position(buildings={6: ("black", 1)}, reserves=[(1, 0, 1, 0), (1, 1, 1, 1)])
    assert builds_on(game, games, 7) == {"white"}


# ---------------------------------------------------------------- the price


def test_tu_4_a_floor_of_its_own_colour_is_paid_to_each_adjacent_building():
    buildings = {6: ("black", 2), 8: ("grey", 1), 12: ("black", 1), 10: ("grey", 4)}
    game, games = position(buildings=buildings, reserves=RICH)
    supply = games.supply[0].copy()
    play(game, games, "build white on site 7")
    assert games.reserve[0, 0].tolist() == [1, 2, 2, 1]  # two black, one grey, one white
    heights = {site: int(games.height[0, site]) for site in (6, 7, 8, 12, 10)}
    assert heights == {6: 3, 7: 1, 8: 2, 12: 2, 10: 4}
    assert (games.supply[0] == supply).all()


@pytest.mark.parametrize(("black", "allowed"), [(1, False), (2, True)])
def test_tu_4_who_cannot_pay_all_of_it_may_not_build_there(black, allowed):
    reserves = [(black, 0, 1, 0), (1, 1, 1, 1)]
    game, games = position(buildings={6: ("black", 1), 8: ("black", 1)}, reserves=reserves)
    assert ("build white on site 7" in legal_names(game, games)) == allowed


@pytest.mark.parametrize(("white", "allowed"), [(0, False), (1, True)])
def test_tu_4_the_price_holds_the_new_floor_too(white, allowed):
    reserves = [(2, 0, white, 0), (1, 1, 1, 1)]
    game, games = position(buildings={6: ("black", 1), 8: ("black", 1)}, reserves=reserves)
    assert ("build white on site 7" in legal_names(game, games)) == allowed


def test_tu_4_floors_of_other_seats_do_not_pay():
    reserves = [(0, 1, 1, 1), (5, 5, 5, 5)]
    game, games = position(buildings={6: ("black", 1)}, reserves=reserves)
    assert builds(game, games) == set()


def test_tu_4_later_neighbours_are_paid_too():
    game, games = position(buildings={6: ("black", 1)}, reserves=[(2, 2, 2, 1), (2, 2, 2, 1)])
    play(game, games, "build grey on site 7", "roof on site 7")
    play(game, games, "build white on site 8", "roof on site 8")  # pays site 7
    assert games.height[0, 7] == 2
    assert games.reserve[0, 1].tolist() == [2, 1, 1, 1]


# ---------------------------------------------------------------- roofs


def test_tu_4_paid_floors_cover_roofs_of_others_and_ones_own():
    buildings = {6: ("black", 2), 8: ("grey", 1), 10: ("white", 1)}
    roofs = [(0, 6, 2), (1, 8, 1), (1, 10, 1)]
    game, games = position(buildings=buildings, roofs=roofs, reserves=RICH)
    play(game, games, "build white on site 7")
    assert games.top[0, [6, 7, 8]].tolist() == [NOBODY] * 3
    assert games.top[0, 10] == 1  # not adjacent


def test_tu_4_the_roof_goes_on_a_floor_just_placed():
    buildings = {6: ("black", 2), 8: ("grey", 1), 13: ("black", 1), 1: ("grey", 1)}
    game, games = position(buildings=buildings, reserves=RICH)
    play(game, games, "build white on site 7")
    assert legal_names(game, games) == {f"roof on site {site}" for site in (6, 7, 8)}
    assert games.to_play[0] == 0


@pytest.mark.parametrize(("site", "height"), [(7, 1), (6, 3), (8, 2)])
def test_tu_4_a_roofs_height_is_the_number_of_floors(site, height):
    buildings = {6: ("black", 2), 8: ("grey", 1)}
    game, games = position(buildings=buildings, reserves=RICH)
    play(game, games, "build white on site 7", f"roof on site {site}")
    assert games.roof_site[0, 0, 0] == site
    assert games.roof_height[0, 0, 0] == height
    assert games.top[0, site] == 0


def test_tu_4_exactly_one_roof_is_put():
    game, games = position(buildings={6: ("black", 2)}, reserves=RICH)
    play(game, games, "build white on site 7", "roof on site 6")
    assert games.roofs_left[0].tolist() == [9, 10, 0, 0]
    assert games.top[0, 7] == NOBODY
    assert games.to_play[0] == 1
    assert "take card 1" in legal_names(game, games)


def test_tu_4_a_roof_may_cover_ones_own_roof_again():
    buildings, roofs = {6: ("black", 2)}, [(0, 6, 2)]
    game, games = position(buildings=buildings, roofs=roofs, reserves=RICH)
    play(game, games, "build white on site 7", "roof on site 6")
    assert games.roof_height[0, 0, :2].tolist() == [2, 3]
    assert games.twice[0, 0] == 1 << 6


def test_tu_4_a_roofs_height_never_changes():
    game, games = position(buildings={6: ("black", 1)}, reserves=[(5, 5, 0, 0), (5, 5, 0, 0)])
    play(game, games, "build grey on site 7", "roof on site 6")  # at height 2
    play(game, games, "build grey on site 5", "roof on site 6")  # at height 3
    assert games.height[0, 6] == 3
    assert games.roof_height[0, 0, 0] == 2
    assert games.roof_height[0, 1, 0] == 3
    assert games.top[0, 6] == 1
    assert games.present[0, 0] == 1 << 6  # still there, at its height


# ---------------------------------------------------------------- scoring


@pytest.mark.parametrize(
    ("site", "marker"), [(7, [0, 0, 1, 0]), (6, [3, 0, 0, 0]), (8, [0, 2, 0, 0])]
)
def test_tu_4_the_marker_of_the_buildings_colour_moves_by_its_floors(site, marker):
    buildings = {6: ("black", 2), 8: ("grey", 1)}
    game, games = position(buildings=buildings, reserves=RICH)
    play(game, games, "build white on site 7")
    assert not games.marker[0].any()  # nothing is scored before the roof
    play(game, games, f"roof on site {site}")
    assert games.marker[0, 0].tolist() == marker
    assert not games.marker[0, 1].any()


@pytest.mark.parametrize(("before", "after"), [(5, 8), (6, 9), (7, 9), (9, 9)])
def test_tu_4_a_marker_stops_at_the_end_of_its_row_and_the_rest_is_lost(before, after):
    markers = [(before, 0, 0, 0), (0, 0, 0, 0)]
    game, games = position(buildings={6: ("black", 2)}, reserves=RICH, markers=markers)
    play(game, games, "build white on site 7", "roof on site 6")
    assert games.marker[0, 0, BLACK] == after
    assert games.marker[0, 0, [GREY, WHITE, BROWN]].tolist() == [0, 0, 0]


def test_tu_4_a_building_without_any_roof_belongs_to_nobody():
    game, games = position(buildings={6: ("black", 2), 8: ("grey", 1)}, reserves=RICH)
    play(game, games, "build white on site 7", "roof on site 6")
    assert games.top[0, [7, 8]].tolist() == [NOBODY, NOBODY]
    assert games.present[0].tolist() == [1 << 6, 0, 0, 0]


# ---------------------------------------------------------------- T11 and the two boards


@pytest.mark.parametrize(("roofs", "allowed"), [(9, True), (10, False)])
def test_tu_4_t11_a_seat_without_roofs_cannot_build_it_takes_a_card(roofs, allowed):
    buildings = dict.fromkeys((0, 2, 4, 6, 8, 10, 12, 14, 16, 18), ("black", 1))
    placed = [(0, site, 1) for site in list(buildings)[:roofs]]
    game, games = position(buildings=buildings, roofs=placed, reserves=[(9, 1, 0, 0), (1, 1, 1, 1)])
    assert (builds(game, games) != set()) == allowed
    assert "take card 1" in legal_names(game, games)


def test_tu_9_sites_from_30_on_are_never_legal_with_two_seats():
    game, _ = position(data=None)
    for seed in range(2):
        for games in random_game(game, seed):
            assert all(int(name.split()[-1]) < 30 for name in builds(game, games))
            assert (games.colour[0, 30:] == NO_COLOUR).all()
