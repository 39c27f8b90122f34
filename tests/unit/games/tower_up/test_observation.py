"""The observation: every block is where the layout says, and the deck's order is hidden."""

from itertools import islice

import numpy as np
import pytest

from sprawl_env.games.tower_up.constants import EndCause
from tests.unit.games.tower_up.position import (
    GRID_SITES,
    LOOK_EVERY,
    OBSERVATION_GAMES,
    game_of,
    legal_names,
    pass_by_card,
    play,
    position,
    random_game,
    record_bytes,
    seats_of,
)

SITES = GRID_SITES + 1
BLACK, GREY, WHITE, BROWN = range(4)


def block(game, games, seat, name):
    observation = game.observe(games, 0, seat)
    return game.observation_layout.view(observation, name)


def sees(game, games, seat, name, expected):
    """Compare a whole block with ``{index: value}``, zero elsewhere."""
    seen = block(game, games, seat, name)
    whole = np.zeros(seen.shape, np.float32)
    for index, value in expected.items():
        whole[index] = value
    assert seen == pytest.approx(whole), name


@pytest.fixture
def middle():
    """Three seats in the middle of a game, seat 1 to play."""
    return position(
        3,
        buildings={6: ("black", 3), 7: ("grey", 2), 0: ("white", 1)},
        roofs=[(0, 6, 1), (0, 6, 2), (1, 6, 3), (2, 7, 1), (1, 0, 1)],
        reserves=[(5, 0, 0, 0), (1, 2, 3, 4), (0, 0, 0, 1)],
        markers=[(0, 0, 0, 0), (9, 4, 3, 2), (1, 2, 2, 2)],
        objectives=(9, 1, 10),
        market=(
            "2 black + 2 brown",
            "multicolour + grey vehicle 2",
            "grey + brown + white vehicle 1",
        ),
        discarded=10,
        to_play=1,
        turn=100,
    )


def test_every_number_of_the_layout_belongs_to_one_block(middle):
    game, _ = middle
    layout = game.observation_layout
    marks = np.zeros(layout.size, np.float32)
    for name in layout.blocks:
        layout.view(marks, name)[...] += 1
    assert (marks == 1).all()


@pytest.mark.parametrize("seats", (2, 3, 4))
def test_shapes_follow_the_board_and_the_seats(seats):
    layout = game_of(seats).observation_layout
    sites = 30 if seats == 2 else 48
    assert layout["height"].shape == layout["price"].shape == (sites, 4)
    assert layout["roofs"].shape == layout["top"].shape == (sites, seats)
    assert layout["reserve"].shape == layout["marker"].shape == (seats, 4)
    assert layout["market"].shape == (3, 11)


def test_block_height_is_floors_in_the_column_of_the_colour(middle):
    expected = {(6, BLACK): 3 / 6, (7, GREY): 2 / 6, (0, WHITE): 1 / 6}
    for seat in range(3):
        sees(*middle, seat, "height", expected)


def test_block_price_is_adjacent_buildings_of_empty_sites(middle):
    expected = {
        (1, BLACK): 1 / 5,
        (1, WHITE): 1 / 5,
        (5, BLACK): 1 / 5,
        (5, WHITE): 1 / 5,
        (11, BLACK): 1 / 5,
        (20, BLACK): 1 / 5,
        (2, GREY): 1 / 5,
        (8, GREY): 1 / 5,
        (12, GREY): 1 / 5,
    }
    sees(*middle, 0, "price", expected)


def test_block_reach_is_the_tallest_adjacent_building_of_each_colour(middle):
    expected = {(s, BLACK): 3 / 6 for s in (1, 5, 11, 20)}
    expected |= {(s, WHITE): 1 / 6 for s in (1, 5)}
    expected |= {(s, GREY): 2 / 6 for s in (2, 8, 12)}
    sees(*middle, 0, "reach", expected)


def test_block_covers_counts_roofs_that_building_here_would_cover(middle):
    """Sites 6 and 0 are topped by seat 1; the roof on site 7 is covered."""
    for seat in range(3):
        whose = (1 - seat) % 3
        expected = {(s, whose): 1 / 3 for s in (11, 20)} | {(s, whose): 2 / 3 for s in (1, 5)}
        sees(*middle, seat, "covers", expected)


def test_block_missing_is_floors_lacking_in_the_best_colour(middle):
    """Seat 0 holds five black: beside black it lacks another colour, beside grey a grey."""
    expected = dict.fromkeys((11, 20), 1 / 4) | dict.fromkeys((1, 5), 2 / 4)
    expected |= dict.fromkeys((2, 8, 12), 1 / 4)
    sees(*middle, 0, "missing", expected)
    sees(*middle, 1, "missing", {})


def test_blocks_to_choose_and_vehicle_show_what_is_pending():
    game, games = position(
        market=("2 multicolour", "multicolour + grey vehicle 2", "grey + brown + white vehicle 1")
    )
    play(game, games, "take card 2")
    sees(game, games, 0, "to_choose", {0: 1 / 4})
    sees(game, games, 0, "vehicle", {GREY: 2 / 2})
    play(game, games, "choose black")
    sees(game, games, 1, "to_choose", {})
    sees(game, games, 1, "vehicle", {})


def test_block_roof_heights_is_the_heights_of_a_seats_roofs(middle):
    """Seat 0 has roofs at 1 and 2, seat 1 at 3 and 1, seat 2 at 1."""
    heights = {0: (1, 2), 1: (3, 1), 2: (1,)}
    for seat in range(3):
        expected = {((s - seat) % 3, h - 1): 1 for s, hs in heights.items() for h in hs}
        sees(*middle, seat, "roof_heights", expected)


def test_block_market_ends_with_the_vehicles_gain_and_the_best_site_the_card_would_pay(middle):
    """Seat 0 holds five black, its markers stand on 0.

    Two brown pay beside black (a roof at 4) but nowhere beside grey; grey + brown pays both.
    """
    market = block(*middle, 0, "market")
    assert market[:, -2] == pytest.approx([0, 2 / 12, 1 / 12])
    assert market[:, -1] == pytest.approx([4 / 12, 4 / 12, 4 / 12])


def test_block_cost_is_the_whole_price_of_an_empty_site(middle):
    expected = dict.fromkeys((1, 5), 3 / 6)  # two neighbours and the new floor
    expected |= dict.fromkeys((2, 8, 11, 12, 20), 2 / 6)
    for seat in range(3):
        sees(*middle, seat, "cost", expected)


def test_block_payable_is_where_the_observer_could_build_now(middle):
    sees(*middle, 0, "payable", {})  # five black, but nothing to build beside black
    sees(*middle, 1, "payable", dict.fromkeys((1, 5, 2, 8, 11, 12, 20), 1))
    sees(*middle, 2, "payable", {})


def test_block_payable_is_zero_without_roofs():
    buildings = dict.fromkeys((0, 2, 4, 6, 8, 10, 12, 14, 16, 18), ("black", 1))
    roofs = [(0, site, 1) for site in buildings]
    game, games = position(buildings=buildings, roofs=roofs, reserves=[(9, 1, 0, 0), (9, 1, 0, 0)])
    assert not block(game, games, 0, "payable").any()
    assert block(game, games, 1, "payable").any()


def test_block_payable_agrees_with_the_mask():
    game = game_of(3)
    for games in islice(random_game(game, seed=2), 0, None, LOOK_EVERY):
        names = legal_names(game, games)
        if "take card 1" in names:
            sites = {int(name.split()[-1]) for name in names if name.startswith("build")}
            sees(game, games, int(games.to_play[0]), "payable", dict.fromkeys(sites, 1))


def test_block_gain_is_millions_of_a_roof_on_a_building_or_the_best_after_building(middle):
    """Seat 0 has all markers on 0: 1, 2, 3, 4 steps are worth as many millions."""
    built = {6: 3, 7: 2, 0: 1}
    best = {1: 4, 5: 4, 11: 4, 20: 4, 2: 3, 8: 3, 12: 3}
    sees(*middle, 0, "gain", {site: gain / 12 for site, gain in (built | best).items()})


def test_block_gain_stops_at_the_end_of_the_row():
    game, games = position(buildings={6: ("black", 3)}, markers=[(8, 9, 9, 9), (9, 9, 9, 9)])
    best = dict.fromkeys((1, 5, 6, 7, 11, 20), (12 - 10) / 12)
    sees(game, games, 0, "gain", best)
    sees(game, games, 1, "gain", {})


def test_block_helps_marks_sites_that_further_an_open_objective():
    buildings = {0: ("black", 1), 2: ("grey", 1), 12: ("brown", 1)}
    game, games = position(buildings=buildings, roofs=[(0, 0, 1)], objectives=(2, 6, 3))
    mine = {(site, 0): 1 for site in (1, 2, 3, 4)} | {(12, 1): 1}
    other = range(21)
    mine |= {(site, 2): 1 for site in other if site != 20 and site % 5}  # not the harbour
    mine |= {(20, 2): 1}
    sees(game, games, 0, "helps", mine)


def test_block_helps_is_zero_once_the_objective_is_fulfilled():
    buildings = {site: (("black", "grey")[site % 2], 1) for site in range(4)}
    roofs = [(0, site, 1) for site in buildings]
    game, games = position(buildings=buildings, roofs=roofs, objectives=(2, 8, 10))
    assert games.fulfilled[0, 0].tolist() == [1, 1, 0]
    sees(game, games, 0, "helps", {})
    assert block(game, games, 1, "helps")[:, 0].sum() == 5  # nothing of the park is seat 1's


def test_block_helps_marks_no_site_that_would_not_further_it():
    """Objective 7 with three in grey_a: a fourth there is no progress, one in grey_b is."""
    buildings = {3: ("black", 1), 8: ("grey", 1), 13: ("black", 1)}
    roofs = [(0, site, 1) for site in buildings]
    game, games = position(buildings=buildings, roofs=roofs, objectives=(7, 1, 2))
    helps = block(game, games, 0, "helps")[:, 0]
    assert set(np.flatnonzero(helps)) == {4, 9, 14, 19}


def test_block_roofs_counts_them_at_any_height_observer_first(middle):
    own = {(6, 0): 1 / 3, (0, 0): 1 / 3}
    sees(*middle, 1, "roofs", own | {(6, 2): 2 / 3, (7, 1): 1 / 3})
    sees(*middle, 0, "roofs", {(6, 0): 2 / 3, (6, 1): 1 / 3, (0, 1): 1 / 3, (7, 2): 1 / 3})


def test_block_top_is_the_visible_roof_observer_first(middle):
    sees(*middle, 0, "top", {(6, 1): 1, (0, 1): 1})
    sees(*middle, 1, "top", {(6, 0): 1, (0, 0): 1})
    sees(*middle, 2, "top", {(6, 2): 1, (0, 2): 1})


def test_block_visible_counts_the_tops_of_each_seat(middle):
    sees(*middle, 1, "visible", {0: 2 / 7})
    sees(*middle, 0, "visible", {1: 2 / 7})


def test_block_reserve_observer_first(middle):
    game, games = middle
    hands = np.array([(5, 0, 0, 0), (1, 2, 3, 4), (0, 0, 0, 1)]) / 10
    for seat in range(3):
        expected = np.roll(hands, -seat, axis=0).astype(np.float32)
        assert block(game, games, seat, "reserve") == pytest.approx(expected)


def test_block_roofs_left_observer_first(middle):
    sees(*middle, 0, "roofs_left", {0: 0.8, 1: 0.8, 2: 0.9})
    sees(*middle, 2, "roofs_left", {0: 0.9, 1: 0.8, 2: 0.8})


def test_block_marker_is_the_share_of_the_row(middle):
    mine = {(0, BLACK): 1, (0, GREY): 4 / 9, (0, WHITE): 3 / 9, (0, BROWN): 2 / 9}
    other = {(1, BLACK): 1 / 9, (1, GREY): 2 / 9, (1, WHITE): 2 / 9, (1, BROWN): 2 / 9}
    sees(*middle, 1, "marker", mine | other)


def test_block_to_star_is_steps_short_of_the_next_star_column(middle):
    """Seat 1 has used the first star, so 4 is next; seats 2 and 0 look at 2."""
    mine = {(0, WHITE): 1 / 2, (0, BROWN): 2 / 2}
    others = {(1, BLACK): 1 / 2} | {(2, colour): 2 / 2 for colour in range(4)}
    sees(*middle, 1, "to_star", mine | others)


def test_block_chip_and_progress_and_score():
    buildings = {0: ("black", 1), 1: ("grey", 1), 2: ("black", 1), 3: ("grey", 1)}
    roofs = [(0, site, 1) for site in buildings]
    game, games = position(
        buildings=buildings,
        roofs=roofs,
        objectives=(1, 2, 5),
        markers=[(3, 0, 0, 0), (9, 0, 0, 0)],
    )
    sees(game, games, 0, "chip", {(0, 1): 1})
    sees(game, games, 1, "chip", {(1, 1): 1})
    sees(game, games, 0, "progress", {(0, 0): 2 / 4, (0, 1): 1, (0, 2): 4 / 5})
    sees(game, games, 1, "progress", {(1, 0): 2 / 4, (1, 1): 1, (1, 2): 4 / 5})
    sees(game, games, 0, "score", {0: (3 + 7) / 81, 1: 12 / 81})
    sees(game, games, 1, "score", {0: 12 / 81, 1: (3 + 7) / 81})
    sees(game, games, 0, "next_chip", {0: 1, 1: 3 / 7, 2: 1})


def test_block_next_chip_is_zero_once_everybody_has_one():
    buildings = {site: (("black", "grey")[site % 2], 2) for site in range(4)}
    roofs = [(seat, site, 2 - seat) for seat in range(2) for site in range(4)]
    game, games = position(buildings=buildings, roofs=roofs, objectives=(2, 7, 10))
    assert games.chips_taken[0].tolist() == [2, 0, 0]
    sees(game, games, 0, "next_chip", {1: 1, 2: 1})


def test_block_to_play_marks_the_seat_that_owes_the_decision(middle):
    sees(*middle, 0, "to_play", {1: 1})
    sees(*middle, 1, "to_play", {0: 1})
    sees(*middle, 2, "to_play", {2: 1})


def test_block_counted():
    game, games = position(3, end_cause=EndCause.SHORTAGE, last_turns=2, to_play=2)
    sees(game, games, 0, "counted", {1: 1})
    sees(game, games, 2, "counted", {2: 1})


def test_block_objective_is_the_card_of_each_shape(middle):
    sees(*middle, 0, "objective", {(0, 8): 1, (1, 0): 1, (2, 9): 1})


def test_block_market_tells_what_the_cards_give(middle):
    expected = {(0, BLACK): 2 / 2, (0, BROWN): 2 / 2}
    expected |= {(1, 4): 1 / 2, (1, 5 + GREY): 2 / 2}
    expected |= {(2, GREY): 1 / 2, (2, BROWN): 1 / 2, (2, 5 + WHITE): 1 / 2}
    for seat in range(3):
        given = block(*middle, seat, "market")[:, :9]  # what they would make possible: below
        whole = np.zeros(given.shape, np.float32)
        for index, value in expected.items():
            whole[index] = value
        assert given == pytest.approx(whole)


def test_block_market_is_empty_where_a_card_waits_for_its_refill(middle):
    game, games = middle
    play(game, games, "take card 2")
    assert not block(game, games, 0, "market")[1].any()
    assert block(game, games, 0, "market")[2].any()


def test_block_supply_and_deck(middle):
    game, games = middle
    left = 30 - games.reserve[0].astype(int).sum(axis=0) - [3, 2, 1, 0]
    assert block(game, games, 0, "supply") == pytest.approx((left / 30).astype(np.float32))
    assert block(game, games, 0, "deck") == pytest.approx(np.float32(31 / 44))


@pytest.mark.parametrize(("cause", "index"), [(EndCause.LAST_ROOF, 0), (EndCause.SHORTAGE, 1)])
def test_block_end(cause, index):
    buildings = dict.fromkeys((0, 2, 4, 6, 8, 10, 12, 14, 16, 18), ("black", 1))
    roofs = [(1, site, 1) for site in buildings]
    game, games = position(
        3, buildings=buildings, roofs=roofs, end_cause=cause, last_turns=2, to_play=2, turn=100
    )
    sees(game, games, 1, "end", {index: 1, 2: 2 / 3, 3: 100 / 400})


def test_block_decision_and_new_building():
    game, games = position(
        market=("2 multicolour", "2 black + 2 grey", "black + grey + white"),
        buildings={12: ("black", 1)},
        reserves=[(5, 3, 2, 0), (1, 1, 1, 1)],
    )
    sees(game, games, 0, "decision", {0: 1})
    sees(game, games, 0, "new_building", {})
    play(game, games, "take card 1")
    sees(game, games, 0, "decision", {1: 1})
    play(game, games, "choose brown", "choose brown")
    sees(game, games, 1, "decision", {2: 1})
    play(game, games, "return grey", "return grey", "build grey on site 13")
    sees(game, games, 0, "decision", {3: 1})
    sees(game, games, 0, "new_building", {13: 1})


def test_once_over_nobody_owes_a_decision():
    game, games = position(options={"max_turns": 1})
    pass_by_card(game, games)
    for name in ("decision", "to_play", "new_building"):
        sees(game, games, 0, name, {})


def test_an_observation_overwrites_all_of_its_array(middle):
    game, games = middle
    out = np.full(game.observation_size, 77, np.float32)
    assert game.observe(games, 0, 0, out) is out
    assert (out == game.observe(games, 0, 0)).all()


# ---------------------------------------------------------------- range


def too_large(game, seen):
    layout = game.observation_layout
    return [name for name in layout.blocks if np.abs(layout.view(seen, name)).max() > 1]


@pytest.mark.parametrize("seats", (2, 3, 4))
def test_values_lie_in_minus_1_to_1_along_random_games(seats):
    game = game_of(seats)
    for seed in range(OBSERVATION_GAMES):
        for games in islice(random_game(game, seed), 0, None, min(LOOK_EVERY, 3)):
            for seat in seats_of(games):
                seen = game.observe(games, 0, seat)
                assert np.isfinite(seen).all()
                assert np.abs(seen).max() <= 1, too_large(game, seen)


def test_values_lie_in_minus_1_to_1_with_many_roofs_in_one_building():
    buildings = {6: ("black", 5)}
    roofs = [(0, 6, height) for height in (1, 2, 3, 4, 5)]
    game, games = position(buildings=buildings, roofs=roofs)
    assert np.abs(block(game, games, 0, "roofs")).max() <= 1


def test_values_lie_in_minus_1_to_1_with_more_than_ten_floors_in_hand():
    game, games = position(reserves=[(10, 0, 0, 0), (1, 1, 1, 1)])
    play(game, games, "take card 1")
    assert games.reserve[0, 0, BLACK] == 12
    assert np.abs(block(game, games, 0, "reserve")).max() <= 1


# ---------------------------------------------------------------- what is hidden


def all_seen(game, games):
    """Return what every seat sees, and the mask."""
    seen = [game.observe(games, 0, seat) for seat in seats_of(games)]
    return np.concatenate([*seen, game.legal_actions(games)]).tobytes()


@pytest.mark.parametrize("seats", (2, 3, 4))
def test_the_order_of_the_deck_shows_in_no_observation_and_no_mask(seats):
    game = game_of(seats)
    rng = np.random.default_rng(seats)
    for games in islice(random_game(game, seed=seats), 0, None, LOOK_EVERY):
        other = games.copy()
        size = int(games.deck_size[0])
        other.deck[0, :size] = rng.permutation(other.deck[0, :size])
        other.rng[0] = int(rng.integers(1, 2**62))
        assert all_seen(game, games) == all_seen(game, other)


@pytest.mark.parametrize("seats", (2, 3, 4))
def test_a_redeal_keeps_what_is_seen_and_every_card(seats):
    game = game_of(seats)
    changed = []
    for ply, games in islice(enumerate(random_game(game, seed=seats + 10)), 0, None, LOOK_EVERY):
        for seat in seats_of(games):
            other = games.copy()
            game.redeal_hidden(other, 0, ply, seat)
            assert all_seen(game, games) == all_seen(game, other)
            assert legal_names(game, games) == legal_names(game, other)
            if seat == 0:
                assert game.rules.violations(game.tables, other, 0) == []
            size = int(games.deck_size[0])
            assert set(games.deck[0, :size]) == set(other.deck[0, :size])
            if size > 8:
                changed.append((games.deck[0, :size] != other.deck[0, :size]).any())
    assert all(changed)


def test_a_redeal_changes_nothing_else():
    game = game_of(2)
    games = game.deal(1, seed=1)
    other = games.copy()
    game.redeal_hidden(other, 0, 5, 0)
    changed = {n for n in games.dtype.names if not np.array_equal(games[n], other[n])}
    assert changed == {"rng", "deck"}


def test_a_redeal_follows_its_seed():
    game = game_of(2)
    games = game.deal(1, seed=1)
    redealt = []
    for seed in (5, 5, 6):
        other = games.copy()
        game.redeal_hidden(other, 0, seed, 0)
        redealt.append(record_bytes(other))
    assert redealt[0] == redealt[1] != redealt[2]


def test_a_redeal_changes_which_card_comes_next():
    game = game_of(2)
    games = game.deal(1, seed=1)
    drawn = set()
    for seed in range(30):
        other = games.copy()
        game.redeal_hidden(other, 0, seed, 0)
        drawn.add(int(other.deck[0, 40]))
    assert len(drawn) > 10
