"""The observation: every block is where the layout says, and the deck's order is hidden."""

from itertools import chain, count, islice

import numpy as np
import pytest

from sprawl_env.games.tower_up.constants import EndCause
from tests.unit.games.tower_up.position import (
    GRID_SITES,
    LOOK_EVERY,
    OBSERVED_EVERY,
    OBSERVED_POSITIONS,
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


def numbers_of(game, games, seat):
    """Return an observation as whole numbers."""
    return game.observe(games, 0, seat, np.empty(game.observation_size, np.int8))


def block(game, games, seat, name):
    return game.observation_layout.view(numbers_of(game, games, seat), name)


def sees(game, games, seat, name, expected):
    """Compare the whole numbers of a block with ``{index: number}``, zero elsewhere."""
    seen = block(game, games, seat, name)
    whole = np.zeros(seen.shape, np.int8)
    for index, number in expected.items():
        whole[index] = number
    assert np.array_equal(seen, whole), name


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
    assert layout["card_floors"].shape == layout["card_vehicle"].shape == (3, 4)
    assert layout.features(np.zeros(layout.size), "card").shape == (3, 11)


def test_block_height_is_floors_in_the_column_of_the_colour(middle):
    expected = {(6, BLACK): 3, (7, GREY): 2, (0, WHITE): 1}
    for seat in range(3):
        sees(*middle, seat, "height", expected)


def test_block_price_is_adjacent_buildings_of_empty_sites(middle):
    expected = {
        (1, BLACK): 1,
        (1, WHITE): 1,
        (5, BLACK): 1,
        (5, WHITE): 1,
        (11, BLACK): 1,
        (20, BLACK): 1,
        (2, GREY): 1,
        (8, GREY): 1,
        (12, GREY): 1,
    }
    sees(*middle, 0, "price", expected)


def test_block_reach_is_the_tallest_adjacent_building_of_each_colour(middle):
    expected = {(s, BLACK): 3 for s in (1, 5, 11, 20)}
    expected |= {(s, WHITE): 1 for s in (1, 5)}
    expected |= {(s, GREY): 2 for s in (2, 8, 12)}
    sees(*middle, 0, "reach", expected)


def test_block_covers_counts_roofs_that_building_here_would_cover(middle):
    """Sites 6 and 0 are topped by seat 1; the roof on site 7 is covered."""
    for seat in range(3):
        whose = (1 - seat) % 3
        expected = {(s, whose): 1 for s in (11, 20)} | {(s, whose): 2 for s in (1, 5)}
        sees(*middle, seat, "covers", expected)


def test_block_missing_is_floors_lacking_in_the_best_colour(middle):
    """Seat 0 holds five black: beside black it lacks another colour, beside grey a grey."""
    expected = dict.fromkeys((11, 20), 1) | dict.fromkeys((1, 5), 2)
    expected |= dict.fromkeys((2, 8, 12), 1)
    sees(*middle, 0, "missing", expected)
    sees(*middle, 1, "missing", {})


def test_blocks_to_choose_and_vehicle_show_what_is_pending():
    game, games = position(
        market=("2 multicolour", "multicolour + grey vehicle 2", "grey + brown + white vehicle 1")
    )
    play(game, games, "take card 2")
    sees(game, games, 0, "to_choose", {0: 1})
    sees(game, games, 0, "vehicle", {GREY: 2})
    play(game, games, "choose black")
    sees(game, games, 1, "to_choose", {})
    sees(game, games, 1, "vehicle", {})


def test_block_roof_heights_is_the_heights_of_a_seats_roofs(middle):
    """Seat 0 has roofs at 1 and 2, seat 1 at 3 and 1, seat 2 at 1."""
    heights = {0: (1, 2), 1: (3, 1), 2: (1,)}
    for seat in range(3):
        expected = {((s - seat) % 3, h - 1): 1 for s, hs in heights.items() for h in hs}
        sees(*middle, seat, "roof_heights", expected)


def test_blocks_card_gain_and_card_enables_are_the_vehicles_gain_and_the_best_site_it_would_pay(
    middle,
):
    """Seat 0 holds five black, its markers stand on 0.

    Two brown pay beside black (a roof at 4) but nowhere beside grey; grey + brown pays both.
    """
    sees(*middle, 0, "card_gain", {1: 2, 2: 1})
    sees(*middle, 0, "card_enables", {0: 4, 1: 4, 2: 4})


def test_block_cost_is_the_whole_price_of_an_empty_site(middle):
    expected = dict.fromkeys((1, 5), 3)  # two neighbours and the new floor
    expected |= dict.fromkeys((2, 8, 11, 12, 20), 2)
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
    game, found = game_of(3), 0
    for games in islice(random_game(game, seed=2), 0, None, LOOK_EVERY):
        names = legal_names(game, games)
        if "take card 1" in names:
            found += 1
            sites = {int(name.split()[-1]) for name in names if name.startswith("build")}
            sees(game, games, int(games.to_play[0]), "payable", dict.fromkeys(sites, 1))
    assert found > 0


def test_block_gain_is_millions_of_a_roof_on_a_building_or_the_best_after_building(middle):
    """Seat 0 has all markers on 0: 1, 2, 3, 4 steps are worth as many millions."""
    built = {6: 3, 7: 2, 0: 1}
    best = {1: 4, 5: 4, 11: 4, 20: 4, 2: 3, 8: 3, 12: 3}
    sees(*middle, 0, "gain", built | best)


def test_block_gain_stops_at_the_end_of_the_row():
    game, games = position(buildings={6: ("black", 3)}, markers=[(8, 9, 9, 9), (9, 9, 9, 9)])
    best = dict.fromkeys((1, 5, 6, 7, 11, 20), 12 - 10)
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
    sees(*middle, 1, "roofs", {(6, 0): 1, (0, 0): 1, (6, 2): 2, (7, 1): 1})
    sees(*middle, 0, "roofs", {(6, 0): 2, (6, 1): 1, (0, 1): 1, (7, 2): 1})


def test_block_top_is_the_visible_roof_observer_first(middle):
    sees(*middle, 0, "top", {(6, 1): 1, (0, 1): 1})
    sees(*middle, 1, "top", {(6, 0): 1, (0, 0): 1})
    sees(*middle, 2, "top", {(6, 2): 1, (0, 2): 1})


def test_block_visible_counts_the_tops_of_each_seat(middle):
    sees(*middle, 1, "visible", {0: 2})
    sees(*middle, 0, "visible", {1: 2})


def test_block_reserve_observer_first(middle):
    game, games = middle
    hands = np.array([(5, 0, 0, 0), (1, 2, 3, 4), (0, 0, 0, 1)])
    for seat in range(3):
        expected = np.roll(hands, -seat, axis=0)
        assert np.array_equal(block(game, games, seat, "reserve"), expected)


def test_block_roofs_left_observer_first(middle):
    sees(*middle, 0, "roofs_left", {0: 8, 1: 8, 2: 9})
    sees(*middle, 2, "roofs_left", {0: 9, 1: 8, 2: 8})


def test_block_marker_is_steps_moved(middle):
    mine = {(0, BLACK): 9, (0, GREY): 4, (0, WHITE): 3, (0, BROWN): 2}
    other = {(1, BLACK): 1, (1, GREY): 2, (1, WHITE): 2, (1, BROWN): 2}
    sees(*middle, 1, "marker", mine | other)


def test_block_to_star_is_steps_short_of_the_next_star_column(middle):
    """Seat 1 has used the first star, so 4 is next; seats 2 and 0 look at 2."""
    mine = {(0, WHITE): 1, (0, BROWN): 2}
    others = {(1, BLACK): 1} | {(2, colour): 2 for colour in range(4)}
    sees(*middle, 1, "to_star", mine | others)


def test_blocks_chip_progress_needed_and_score():
    buildings = {0: ("black", 1), 1: ("grey", 1), 2: ("black", 1), 3: ("grey", 1)}
    roofs = [(0, site, 1) for site in buildings]
    game, games = position(
        buildings=buildings,
        roofs=roofs,
        objectives=(1, 2, 5),
        markers=[(3, 0, 0, 0), (9, 0, 0, 0)],
    )
    sees(game, games, 0, "chip", {(0, 1): 7})
    sees(game, games, 1, "chip", {(1, 1): 7})
    done, left = {0: 2, 1: 4, 2: 4}, {0: 2, 2: 1}
    rival = {(1, 0): 4, (1, 1): 4, (1, 2): 5}  # has no roof
    sees(game, games, 0, "progress", {(0, k): number for k, number in done.items()})
    sees(game, games, 0, "needed", {(0, k): number for k, number in left.items()} | rival)
    sees(game, games, 1, "progress", {(1, k): number for k, number in done.items()})
    sees(game, games, 0, "score", {0: 3 + 7, 1: 12})
    sees(game, games, 1, "score", {0: 12, 1: 3 + 7})
    sees(game, games, 0, "next_chip", {0: 7, 1: 3, 2: 7})


def test_block_next_chip_is_zero_once_everybody_has_one():
    buildings = {site: (("black", "grey")[site % 2], 2) for site in range(4)}
    roofs = [(seat, site, 2 - seat) for seat in range(2) for site in range(4)]
    game, games = position(buildings=buildings, roofs=roofs, objectives=(2, 7, 10))
    assert games.chips_taken[0].tolist() == [2, 0, 0]
    sees(game, games, 0, "next_chip", {1: 7, 2: 7})


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


def test_blocks_of_cards_tell_what_the_market_gives(middle):
    floors = {(0, BLACK): 2, (0, BROWN): 2, (2, GREY): 1, (2, BROWN): 1}
    for seat in range(3):
        sees(*middle, seat, "card_floors", floors)
        sees(*middle, seat, "card_multicolour", {1: 1})
        sees(*middle, seat, "card_vehicle", {(1, GREY): 2, (2, WHITE): 1})


def test_blocks_of_cards_are_empty_where_a_card_waits_for_its_refill(middle):
    game, games = middle
    play(game, games, "take card 2")
    cards = game.observation_layout.features(numbers_of(game, games, 0), "card")
    assert cards.any(axis=1).tolist() == [True, False, True]


def test_block_supply_and_deck(middle):
    game, games = middle
    left = 30 - games.reserve[0].astype(int).sum(axis=0) - [3, 2, 1, 0]
    assert np.array_equal(block(game, games, 0, "supply"), left)
    sees(game, games, 0, "deck", {0: 31})


@pytest.mark.parametrize(("cause", "index"), [(EndCause.LAST_ROOF, 0), (EndCause.SHORTAGE, 1)])
def test_blocks_end_cause_and_last_turns(cause, index):
    buildings = dict.fromkeys((0, 2, 4, 6, 8, 10, 12, 14, 16, 18), ("black", 1))
    roofs = [(1, site, 1) for site in buildings]
    game, games = position(
        3, buildings=buildings, roofs=roofs, end_cause=cause, last_turns=2, to_play=2
    )
    sees(game, games, 1, "end_cause", {index: 1})
    sees(game, games, 1, "last_turns", {0: 2})


@pytest.mark.parametrize(
    ("turn", "limit", "seen"),
    [
        (0, 400, (0, 100, 0)),
        (99, 400, (99, 100, 24)),
        (101, 400, (100, 100, 25)),
        (301, 400, (100, 99, 75)),
        (399, 400, (100, 1, 99)),
        (20, 30, (20, 10, 66)),
        (3999, 4000, (100, 1, 99)),
    ],
)
def test_blocks_turn_turns_left_and_turn_share(turn, limit, seen):
    game, games = position(turn=turn, options={"max_turns": limit})
    for name, number in zip(("turn", "turns_left", "turn_share"), seen, strict=True):
        sees(game, games, 1, name, {0: number})


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


def check_numbers(game, games):
    """Check what all seats see: float32 is number times scale of the block and lies in -1..1."""
    layout = game.observation_layout
    for seat in seats_of(games):
        numbers, seen = numbers_of(game, games, seat), game.observe(games, 0, seat)
        for name, each in layout.blocks.items():
            whole, scaled = layout.view(numbers, name), layout.view(seen, name)
            expected = whole.astype(np.float32) * np.float32(each.scale)
            assert scaled.tobytes() == expected.tobytes(), name
            assert np.abs(scaled).max() <= 1, name


@pytest.mark.parametrize("seats", (2, 3, 4))
def test_float32_is_whole_number_times_scale_and_lies_in_minus_1_to_1(seats):
    game = game_of(seats)
    positions = chain.from_iterable(random_game(game, seed) for seed in count())
    for games in islice(positions, 0, OBSERVED_POSITIONS * OBSERVED_EVERY, OBSERVED_EVERY):
        check_numbers(game, games)


@pytest.mark.parametrize("seats", (2, 4))
def test_numbers_of_rich_data_files_are_clipped(seats):
    game = game_of(seats, "rich", max_turns=4000)
    for games in islice(random_game(game, seats), 0, None, 4 * OBSERVED_EVERY):
        check_numbers(game, games)
    assert max(game.scores(games, 0)) > 81
    assert block(game, games, 0, "score").max() == 81


@pytest.mark.parametrize("seats", (2, 3, 4))
def test_a_blocks_largest_number_times_its_scale_is_1(seats):
    for name, each in game_of(seats).observation_layout.blocks.items():
        largest = round(1 / each.scale)
        assert 1 <= largest <= np.iinfo(np.int8).max, name
        assert np.float32(largest) * np.float32(each.scale) == 1, name


def test_blocks_are_the_same_for_all_numbers_of_seats_but_for_their_lengths():
    layouts = [game_of(seats).observation_layout for seats in (2, 3, 4)]
    scales = [{name: each.scale for name, each in lay.blocks.items()} for lay in layouts]
    assert scales[0] == scales[1] == scales[2]


def test_many_roofs_in_one_building_are_all_counted():
    buildings = {6: ("black", 5)}
    roofs = [(0, 6, height) for height in (1, 2, 3, 4, 5)]
    game, games = position(buildings=buildings, roofs=roofs)
    sees(game, games, 1, "roofs", {(6, 1): 5})


def test_more_than_ten_floors_in_hand_are_shown_as_ten():
    game, games = position(reserves=[(10, 0, 0, 0), (1, 1, 1, 1)])
    play(game, games, "take card 1")
    assert games.reserve[0, 0, BLACK] == 12
    assert block(game, games, 0, "reserve")[0].tolist() == [10, 2, 0, 0]


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
    assert changed != [] and all(changed)


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
