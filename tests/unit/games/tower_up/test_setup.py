"""TU §1 and §3: the components and the deal."""

import numpy as np
import pytest

import sprawl_env
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.state import NOBODY
from sprawl_env.games.tower_up.constants import MULTICOLOUR, NO_COLOUR, NUM_COLOURS
from sprawl_env.games.tower_up.rules.setup import place_starting_floor
from sprawl_env.kernels.compile import JIT, kernel
from tests.unit.games.tower_up.position import (
    BLACK,
    GREY,
    SETUP_DEALS,
    UNIFORM_DEALS,
    game_of,
    pass_by_card,
    position,
    record_bytes,
)

# A kernel compiled for the records of batch.new_generators is tried for a whole state, too.
pytestmark = pytest.mark.filterwarnings("ignore::numba.core.errors.NumbaExperimentalFeatureWarning")

SEATS = (2, 3, 4)


@kernel
def start_floor(tables, games, bottom):
    """Place the starting floor of a card in game 0."""
    place_starting_floor(tables[0], games[0], bottom)


def bottoms(game, games, g):
    return sorted(int(game.tables.card_bottom[0, card]) for card in games.market[g])


def built_colours(games, g):
    return sorted(games.colour[g][games.colour[g] != NO_COLOUR].tolist())


@pytest.mark.parametrize("seats", SEATS)
def test_tu_1_every_deal_holds_30_floors_a_colour_and_44_cards(seats):
    game = game_of(seats)
    games = game.deal(SETUP_DEALS, seed=4)
    for g in range(SETUP_DEALS):
        assert game.rules.violations(game.tables, games, g) == []
        on_board = np.bincount(built_colours(games, g), minlength=NUM_COLOURS)
        assert (games.supply[g] == 30 - seats - on_board).all()


@pytest.mark.parametrize("seats", SEATS)
def test_tu_2_two_seats_play_on_30_sites_more_on_48(seats):
    game = game_of(seats)
    board = int(game.deal(1).board[0])
    assert game.tables.num_sites[0, board] == (30 if seats == 2 else 48)


def test_tu_3_1_three_cards_are_revealed_and_41_are_left():
    games = game_of(3).deal(1, seed=9)
    assert len(set(games.market[0].tolist())) == 3
    assert games.deck_size[0] == 41
    assert games.num_discards[0] == 0


def test_tu_3_1_another_seed_deals_other_cards():
    game = game_of(2)
    orders = {tuple(game.deal(1, seed=seed).deck[0].tolist()) for seed in range(20)}
    assert len(orders) == 20


def test_tu_3_1_every_card_is_as_often_in_the_market():
    game = game_of(2)
    deals = 30 * SETUP_DEALS
    if not JIT:
        pytest.skip("needs thousands of deals")
    counts = np.bincount(game.deal(deals, seed=2).market.ravel(), minlength=44)
    assert chi_square(counts) < 95  # 43 degrees of freedom, passed once in 100,000


@pytest.mark.parametrize("seats", SEATS)
def test_tu_3_2_three_starting_floors_have_the_colours_of_the_market_cards(seats):
    game = game_of(seats)
    games = game.deal(SETUP_DEALS, seed=5)
    for g in range(SETUP_DEALS):
        colours = built_colours(games, g)
        assert len(colours) == 3
        for bottom in bottoms(game, games, g):
            if bottom != MULTICOLOUR:
                colours.remove(bottom)
        assert len(colours) == bottoms(game, games, g).count(MULTICOLOUR)


@pytest.mark.parametrize("seats", SEATS)
def test_tu_3_2_starting_floors_are_one_high_bare_and_never_touch_their_own_colour(seats):
    game = game_of(seats)
    games = game.deal(SETUP_DEALS, seed=6)
    assert games.height.max() == 1
    assert (games.top == NOBODY).all()
    for g in range(SETUP_DEALS):
        for site in np.flatnonzero(games.colour[g] != NO_COLOUR):
            assert games.adjacent[g, site, games.colour[g, site]] == 0


def chi_square(counts):
    """Return how far counts are from equal; the mean is one less than their number."""
    expected = np.sum(counts) / len(counts)
    return float(np.sum((np.asarray(counts) - expected) ** 2) / expected)


@pytest.mark.skipif(not JIT, reason="needs thousands of deals")
def test_tu_3_2_t1_a_starting_floor_is_as_likely_on_every_site():
    game = game_of(2)
    games = game.deal(UNIFORM_DEALS, seed=7)
    different = [g for g in range(UNIFORM_DEALS) if len(set(built_colours(games, g))) == 3]
    for colour in range(NUM_COLOURS):
        at = [np.flatnonzero(games.colour[g] == colour) for g in different]
        counts = np.bincount([int(sites[0]) for sites in at if sites.size], minlength=30)
        assert counts.size == 30
        assert chi_square(counts) < 75  # 29 degrees of freedom, passed once in 200,000


@pytest.mark.skipif(not JIT, reason="needs thousands of deals")
def test_tu_3_2_t1_a_multicolour_floor_is_as_likely_of_every_colour():
    game = game_of(4)
    games = game.deal(UNIFORM_DEALS, seed=8)
    counts = np.zeros(NUM_COLOURS)
    for g in range(UNIFORM_DEALS):
        printed = bottoms(game, games, g)
        if printed.count(MULTICOLOUR) == 1:
            left = built_colours(games, g)
            for colour in printed[:2]:
                left.remove(colour)
            counts[left[0]] += 1
    assert counts.sum() > UNIFORM_DEALS / 5
    assert chi_square(counts) < 25  # 3 degrees of freedom, passed once in 60,000


@pytest.mark.skipif(not JIT, reason="needs thousands of deals")
def test_tu_3_2_t1_the_site_is_drawn_uniformly_from_the_legal_ones():
    game, games = position(2, buildings={6: ("black", 1), 8: ("grey", 1)})
    drawn = np.zeros(21)
    for _ in range(UNIFORM_DEALS):
        copy = games.copy()
        start_floor(game.tables, copy, BLACK)
        games.rng = copy.rng
        (new,) = set(np.flatnonzero(copy.colour[0] == BLACK)) - {6}
        drawn[new] += 1
    closed = {6, 8, 1, 5, 7, 11, 20}  # built, or beside the black building
    assert {int(site) for site in np.flatnonzero(drawn == 0)} == closed
    assert chi_square(drawn[drawn > 0]) < 45  # 13 degrees of freedom, passed once in 50,000


def test_tu_3_2_t1_the_site_need_not_touch_another_building():
    games = game_of(2).deal(SETUP_DEALS, seed=3)
    touching = [
        any(games.adjacent[g, site].any() for site in np.flatnonzero(games.colour[g] != NO_COLOUR))
        for g in range(SETUP_DEALS)
    ]
    assert not all(touching)
    assert any(touching)


def test_tu_3_2_t18_a_starting_floor_without_a_legal_site_is_not_placed():
    game = game_of(2, "dense", starting_floors=7)
    games = game.deal(60, seed=1)
    built = np.sum(games.colour != NO_COLOUR, axis=1)
    assert built.max() == 7
    assert built.min() < 7
    for g in np.flatnonzero(built < 7):
        assert game.rules.violations(game.tables, games, int(g)) == []
        free = games.colour[g, :12] == NO_COLOUR
        beside = games.adjacent[g, :12] > 0
        closed = [c for c in range(NUM_COLOURS) if not (free & ~beside[:, c]).any()]
        assert closed  # some colour had no legal site left


def test_tu_3_2_t18_floors_not_placed_change_nothing():
    buildings = dict.fromkeys((0, 3, 7), ("black", 1))  # with their neighbours: every site
    game, games = position(2, data="dense", buildings=buildings)
    before = games.copy()
    start_floor(game.tables, games, BLACK)
    assert record_bytes(games) == record_bytes(before)
    start_floor(game.tables, games, GREY)
    assert np.sum(games.colour[0] == GREY) == 1


@pytest.mark.parametrize(("seats", "chips"), [(2, [7, 3]), (3, [7, 5, 3]), (4, [7, 5, 3, 3])])
def test_tu_3_3_chips_of_a_shape_by_number_of_seats(seats, chips):
    assert game_of(seats).tables.chip_values[0, seats, :seats].tolist() == chips


def test_tu_3_4_start_uses_the_start_cards():
    games = game_of(2, objectives="start").deal(20, seed=1)
    assert (games.objective == [0, 1, 2]).all()


def test_tu_3_4_random_draws_three_different_of_ten():
    games = game_of(2).deal(SETUP_DEALS, seed=1)
    assert all(len(set(games.objective[g].tolist())) == 3 for g in range(SETUP_DEALS))


@pytest.mark.skipif(not JIT, reason="needs thousands of deals")
def test_tu_3_4_every_objective_is_as_likely_for_every_shape():
    games = game_of(2).deal(UNIFORM_DEALS, seed=1)
    for shape in range(3):
        counts = np.bincount(games.objective[:, shape], minlength=10)
        assert chi_square(counts) < 39  # 9 degrees of freedom, passed once in 90,000


def test_tu_3_4_random_is_the_default():
    assert game_of(2).options["objectives"] == "random"


@pytest.mark.parametrize("seats", SEATS)
def test_tu_3_5_a_seat_starts_with_a_floor_of_each_colour_and_ten_roofs(seats):
    games = game_of(seats).deal(1, seed=3)
    assert (games.reserve[0, :seats] == 1).all()
    assert (games.roofs_left[0, :seats] == 10).all()
    for field in ("marker", "stars", "cone", "chip", "counted", "fulfilled"):
        assert not games[field].any()


@pytest.mark.parametrize("seats", (2, 3))
def test_tu_3_5_absent_seats_have_nothing(seats):
    games = game_of(seats).deal(1, seed=3)
    assert not games.reserve[0, seats:].any()
    assert not games.roofs_left[0, seats:].any()


@pytest.mark.parametrize("seats", SEATS)
def test_tu_3_5_t9_seat_0_starts_and_play_goes_clockwise(seats):
    game, games = position(seats)
    assert [pass_by_card(game, games) for _ in range(seats + 1)] == [*range(seats), 0]


@pytest.mark.parametrize(("seats", "most"), [(2, 7), (3, 7), (4, 5)])
def test_tu_3_6_up_to_7_starting_floors_and_5_with_four_seats(seats, most):
    games = game_of(seats, starting_floors=most).deal(1, seed=3)
    assert np.sum(games.colour[0] != NO_COLOUR) == most
    with pytest.raises(InvalidOption, match=f"3..{most}"):
        sprawl_env.game("tower_up", num_players=seats, starting_floors=most + 1)


def test_tu_3_6_fewer_than_3_starting_floors_are_refused():
    with pytest.raises(InvalidOption, match="starting_floors"):
        sprawl_env.game("tower_up", starting_floors=2)


def test_tu_3_6_three_starting_floors_are_the_default():
    assert game_of(2).options["starting_floors"] == 3


def test_tu_3_6_extra_floors_leave_market_and_the_first_three_as_they_are():
    three, seven = (game_of(2, starting_floors=n).deal(30, seed=5) for n in (3, 7))
    assert (three.market == seven.market).all()
    first = three.colour != NO_COLOUR
    assert (three.colour[first] == seven.colour[first]).all()


def test_tu_3_6_extra_floors_have_the_bottom_colours_of_the_next_cards():
    game = game_of(2, starting_floors=7)
    three, seven = game_of(2).deal(30, seed=5), game.deal(30, seed=5)
    for g in range(30):
        drawn = three.deck[g, 37:41]  # the three-floor deal keeps the order of the deck
        colours = built_colours(seven, g)
        for colour in built_colours(three, g):
            colours.remove(colour)
        for bottom in game.tables.card_bottom[0, drawn].tolist():
            if bottom != MULTICOLOUR:
                colours.remove(bottom)


def test_tu_3_6_the_extra_cards_are_shuffled_back():
    three, seven = (game_of(2, starting_floors=n).deal(30, seed=5) for n in (3, 7))
    for g in range(30):
        assert seven.deck_size[g] == 41
        assert set(seven.deck[g, :41].tolist()) == set(three.deck[g, :41].tolist())
        assert seven.deck[g, :41].tolist() != three.deck[g, :41].tolist()
