"""The final score: cards, tokens, districts and ties (GK §1; G7, G10, G14, G19)."""

import pytest

from tests.unit.games.ginkgopolis.position import overlay, position

# No two neighbours have one colour, so there is no district unless a test builds one.
APART = (
    *("red 1", "blue 1", "yellow 1"),
    *("yellow 2", "red 2", "blue 2"),
    *("blue 3", "yellow 3", "red 3"),
)
NO_TOKENS = (0,) * 5


def scores(num_players=2, **more):
    """Return the points of all seats; no seat has tokens by default."""
    more = {"start": APART, "tokens": NO_TOKENS} | more
    game, games = position(num_players, **more)
    return game.scores(games, 0).tolist()


# ---------------------------------------------------------------- points and tokens


def test_gk_points_behind_the_screen_count():
    assert scores(3, points=[7, 0, 31]) == [7, 0, 31]


def test_gk_two_points_for_every_new_hand_token_left():
    assert scores(4, points=[1, 1, 1, 1], tokens=[2, 1, 0, 2]) == [5, 3, 1, 5]


def test_gk_1_the_worth_of_a_token_is_data():
    data = overlay(("components.toml", "token_points = 2", "token_points = 5"))
    assert scores(tokens=[2, 1], data=data) == [10, 5]


def test_gk_4_g14_a_city_of_starting_buildings_alone_pays_nobody():
    together = [f"{colour} {n}" for colour in ("red", "blue", "yellow") for n in (1, 2, 3)]
    assert scores(start=together) == [0, 0]


# ---------------------------------------------------------------- cards in front of a seat


def built(avoid):
    """Return buildings that form no district.

    Seat 0 owns four red ones of 2, 2, 3 and 1 levels, two blue ones of 3 and 2, and a yellow one
    of 6; seat 1 owns a blue one and two yellow ones of 2.  Their top tiles are none of ``avoid``.
    """
    numbers = {
        colour: iter([n for n in range(4, 21) if f"{colour} {n}" not in avoid])
        for colour in ("red", "blue", "yellow")
    }
    cells = {
        (0, 0): ("red", 0, 2),
        (1, 1): ("red", 0, 2),
        (2, 2): ("red", 0, 3),
        (3, 0): ("red", 0, 1),
        (1, 0): ("blue", 0, 3),
        (0, 2): ("blue", 0, 2),
        (0, 1): ("yellow", 0, 6),
        (2, 1): ("blue", 1, 2),
        (2, 0): ("yellow", 1, 2),
        (1, 2): ("yellow", 1, 2),
    }
    return {
        cell: (f"{colour} {next(numbers[colour])}", owner, levels)
        for cell, (colour, owner, levels) in cells.items()
    }


CHARACTERS = (
    ("red exploit", "blue exploit", "yellow urbanize"),
    ("red construct", "red construct", "red construct"),
)


def cards_score(*kept, **more):
    """Return what seat 0 scores with these cards in front of it."""
    found = scores(buildings=built(kept), kept=[kept], **more)
    assert found[1] == 0
    return found[0]


BUILDINGS = {"red": 4, "blue": 2, "yellow": 1}  # of seat 0
LEVELS = {"red": 2 + 2 + 3 + 1, "blue": 3 + 2, "yellow": 6}
COUNTED = {  # card -> colour it counts
    **{f"{colour} {number}": colour for colour in BUILDINGS for number in (10, 13)},
    "red 11": "yellow",
    "red 12": "blue",
    "blue 11": "red",
    "blue 12": "yellow",
    "yellow 11": "red",
    "yellow 12": "blue",
}


@pytest.mark.parametrize("colour", ("red", "blue", "yellow"))
@pytest.mark.parametrize("number", range(1, 10))
def test_gk_1_cards_1_to_9_are_worth_no_points_at_the_end(colour, number):
    assert cards_score(f"{colour} {number}") == 0


@pytest.mark.parametrize("card", COUNTED)
def test_gk_1_cards_10_to_13_are_worth_a_point_per_own_building_of_a_colour(card):
    assert cards_score(card) == BUILDINGS[COUNTED[card]]


@pytest.mark.parametrize("card", COUNTED)
def test_gk_1_cards_10_to_13_per_level_if_the_data_say_so(card):
    data = overlay(("components.toml", 'per = "building"', 'per = "level"'))
    assert cards_score(card, data=data) == LEVELS[COUNTED[card]]


@pytest.mark.parametrize("per", ("building", "level"))
def test_gk_1_cards_10_to_13_are_worth_the_points_that_the_data_say(per):
    change = 'points = 1\nper = "building"', f'points = 3\nper = "{per}"'
    data = overlay(("components.toml", *change))
    each = BUILDINGS if per == "building" else LEVELS
    assert cards_score("red 10", data=data) == 3 * each["red"]


def test_gk_1_cards_10_to_13_count_the_colour_of_the_top_tile():
    """The building of three levels is on blue 1 and is yellow."""
    start = ("red 1", "blue 1", "red 2", "yellow 2", "blue 2", "yellow 1", *APART[6:])
    buildings = {(1, 0): ("yellow 4", 0, 3)}
    for card, expected in (("red 11", 1), ("red 12", 0)):  # yellow ones, blue ones
        assert scores(start=start, buildings=buildings, kept=[[card]]) == [expected, 0]


@pytest.mark.parametrize("colour", ("red", "blue", "yellow"))
def test_gk_1_card_14_is_worth_a_point_per_own_building_of_one_or_two_levels(colour):
    assert cards_score(f"{colour} 14") == 4


@pytest.mark.parametrize("colour", ("red", "blue", "yellow"))
def test_gk_1_card_15_is_worth_three_points_per_own_building_of_three_or_more_levels(colour):
    assert cards_score(f"{colour} 15") == 3 * 3


@pytest.mark.parametrize(
    ("levels", "low", "tall"), [(1, 1, 0), (2, 1, 0), (3, 0, 3), (4, 0, 3), (9, 0, 3)]
)
def test_gk_1_low_is_up_to_two_levels_and_tall_from_three(levels, low, tall):
    buildings = {(3, 0): ("red 4", 0, levels), (0, 0): ("red 5", 1, 3)}
    for card, expected in (("blue 14", low), ("blue 15", tall)):
        found = scores(buildings=buildings, kept=[[card]])
        assert found == [expected, 0]


PERMANENT = ("red 1", "blue 2", "yellow 7", "red 9")  # exploit, urbanize, exploit, construct


@pytest.mark.parametrize("colour", ("red", "blue", "yellow"))
@pytest.mark.parametrize(("number", "cards"), [(16, 4), (17, 2), (18, 1)])
def test_gk_1_cards_16_to_18_are_worth_two_points_per_card_with_a_bonus_on_the_act(
    colour, number, cards
):
    """Characters count; cards with points at the end, such as itself, do not."""
    kept = (*PERMANENT, f"{colour} {number}")
    assert cards_score(*kept, characters=CHARACTERS) == 2 * cards
    assert cards_score(*kept) == 2 * (cards - {16: 2, 17: 1, 18: 0}[number])
    assert cards_score(f"{colour} {number}") == 0


def test_gk_1_cards_16_to_18_do_not_count_each_other():
    kept = ("red 1", "red 16", "blue 16", "yellow 16")
    assert cards_score(*kept) == 3 * 2


@pytest.mark.parametrize(("colour", "cards"), [("red", 4), ("blue", 3), ("yellow", 3)])
def test_gk_1_card_19_is_worth_two_points_per_card_of_its_colour(colour, cards):
    """Itself and characters are included."""
    kept = (*PERMANENT, f"{colour} 19")
    assert cards_score(*kept, characters=CHARACTERS) == 2 * cards
    assert cards_score(*kept) == 2 * (cards - 1)
    assert cards_score(f"{colour} 19") == 2


def test_gk_1_card_19_counts_cards_with_points_at_the_end_too():
    assert cards_score("red 19", "red 20", "blue 20") == 2 * 2 + 9 + 9


@pytest.mark.parametrize("colour", ("red", "blue", "yellow"))
def test_gk_1_card_20_is_worth_nine_points(colour):
    assert cards_score(f"{colour} 20") == 9


def test_gk_cards_of_one_seat_count_nothing_of_another():
    kept = ["red 10", "red 14", "red 15", "red 17", "red 18", "red 19"]
    found = scores(buildings=built(kept), kept=[(), kept], characters=CHARACTERS)
    three_characters = 2 * 3
    assert found == [0, 0 + 3 + 0 + 0 + three_characters + (2 * 6 + three_characters)]


def test_gk_4_g14_starting_buildings_count_for_nobodys_cards():
    kept = [["blue 10", "blue 13", "blue 14", "blue 15"], ["red 10", "red 14"]]
    buildings = {(3, 0): ("red 4", 0, 7)}
    assert scores(buildings=buildings, kept=kept) == [3, 0]


def test_gk_all_parts_of_the_count_are_added_up():
    buildings = {(3, 0): ("red 4", 0, 2), (4, 0): ("red 5", 0, 1)}
    found = scores(buildings=buildings, kept=[["red 20"]], points=[10, 3], tokens=[1, 2])
    assert found == [10 + 2 + 9 + 2 * 3, 3 + 4]


# ---------------------------------------------------------------- G10: districts


def street(*plots, colour="red", row=0):
    """Return buildings side by side eastwards from (3, row): (number, owner, levels)."""
    return {
        (3 + k, row): (f"{colour} {number}", owner, levels)
        for k, (number, owner, levels) in enumerate(plots)
    }


def district(*plots, seats=2):
    """Return the points of all seats for one district of these buildings."""
    return scores(seats, buildings=street(*plots))


def test_gk_4_g10_seed_example_seven_two_and_six_points():
    """The rulebook's example of three seats.

    Blue: seat 0 has 3, seats 1 and 2 have 2 each with equal levels; seat 1's number is higher.
    Yellow: seat 1 has 3.  Red 20 is in no district.
    """
    buildings = {
        **street((4, 0, 3), (12, 1, 2), (11, 2, 2), colour="blue"),
        (-1, 0): ("yellow 7", 1, 2),
        (-2, 0): ("yellow 8", 1, 1),
        (1, -1): ("red 20", 2, 3),
    }
    assert scores(3, buildings=buildings) == [7, 2 + 6, 0]


def test_gk_an_isolated_building_is_no_district():
    assert district((4, 0, 5)) == [0, 0]


def test_gk_two_adjacent_buildings_of_one_colour_are_a_district():
    assert district((4, 0, 5), (5, 0, 1)) == [12, 0]


def test_gk_buildings_of_one_colour_that_touch_at_a_corner_are_no_district():
    buildings = {(3, 0): ("red 4", 0, 2), (4, 1): ("red 5", 0, 2), (3, 1): ("yellow 4", 1, 2)}
    assert scores(buildings=buildings) == [0, 0]


def test_gk_adjacent_buildings_of_two_colours_are_no_district():
    buildings = {(3, 0): ("red 4", 0, 2), (4, 0): ("blue 5", 0, 2)}
    assert scores(buildings=buildings) == [0, 0]


def test_gk_4_g10_the_colour_of_a_building_is_that_of_its_top_tile():
    """A red tile on blue 1 joins the red start beside it: two buildings, two resources."""
    assert scores(buildings={(1, 0): ("red 4", 0, 2)}) == [4, 0]
    assert scores(buildings={(1, 0): ("blue 4", 0, 2)}) == [0, 0]


def test_gk_4_g10_a_sole_owner_takes_both_prizes():
    assert district((4, 0, 1), (5, 0, 1)) == [4, 0]
    assert district((4, 1, 2), (5, 1, 3), (6, 1, 1)) == [0, 12]


def test_gk_4_g10_the_first_takes_the_total_and_the_second_its_own_count():
    assert district((4, 0, 3), (5, 1, 1)) == [4, 1]
    assert district((4, 0, 1), (5, 1, 3)) == [1, 4]


def test_gk_4_g10_the_third_takes_nothing():
    assert district((4, 0, 3), (5, 1, 1), (6, 2, 2), seats=3) == [6, 0, 2]
    plots = [(4 + seat, seat, levels) for seat, levels in enumerate((2, 5, 1, 3, 4))]
    assert district(*plots, seats=5) == [0, 15, 0, 0, 4]


def test_gk_4_g10_resources_are_counted_per_owner_over_all_buildings():
    """Seat 0 has the tallest, seat 1 more in all."""
    assert district((4, 0, 3), (5, 1, 2), (6, 1, 2)) == [3, 7]


def test_gk_4_g10_a_tie_goes_to_the_tallest_building():
    """Both have three; the number does not matter."""
    assert district((4, 0, 3), (20, 1, 2), (19, 1, 1)) == [6, 3]
    assert district((20, 0, 2), (19, 0, 1), (4, 1, 3)) == [3, 6]


def test_gk_4_g10_a_tie_in_height_goes_to_the_highest_number():
    assert district((4, 0, 2), (5, 1, 2)) == [2, 4]
    assert district((5, 0, 2), (4, 1, 2)) == [4, 2]


def test_gk_4_g10_numbers_are_compared_among_the_tallest_buildings_only():
    """Seat 0 has a 20, but on a lower building."""
    assert district((5, 0, 2), (20, 0, 1), (6, 1, 2), (7, 1, 1)) == [3, 6]
    assert district((7, 0, 2), (5, 0, 1), (6, 1, 2), (20, 1, 1)) == [6, 3]


def test_gk_4_g10_the_highest_number_among_several_tallest_counts():
    assert district((4, 0, 2), (19, 0, 2), (10, 1, 2), (18, 1, 2)) == [8, 4]
    assert district((19, 0, 2), (4, 0, 2), (20, 1, 2), (5, 1, 2)) == [4, 8]


def test_gk_4_g10_colour_does_not_matter_for_numbers_but_20_is_above_19():
    for colour in ("red", "blue"):
        buildings = street((20, 1, 1), (19, 0, 1), colour=colour)
        assert scores(buildings=buildings) == [1, 2]


def test_gk_4_g10_ties_for_the_second_place_are_broken_alike():
    assert district((20, 2, 4), (4, 0, 2), (5, 1, 2), seats=3) == [0, 2, 8]
    assert district((20, 2, 4), (4, 0, 2), (5, 1, 1), (6, 1, 1), seats=3) == [2, 0, 8]


def test_gk_4_g10_a_tie_of_three_gives_the_first_two_by_number():
    assert district((4, 0, 2), (6, 1, 2), (5, 2, 2), seats=3) == [0, 6, 2]


def test_gk_4_g10_every_district_is_counted_by_itself():
    """The red ones east and west are not joined, nor is blue beside red."""
    buildings = {
        **street((4, 0, 3), (5, 1, 1), colour="red"),
        (-1, 0): ("yellow 7", 0, 1),
        (-2, 0): ("red 8", 1, 2),
        (-3, 0): ("red 9", 1, 2),
    }
    assert scores(buildings=buildings) == [4, 1 + 8]


def test_gk_4_g10_a_district_may_bend_and_close_a_ring():
    cells = [(3, 0), (4, 0), (5, 0), (5, 1), (5, 2), (4, 2), (3, 2)]
    buildings = {cell: (f"yellow {4 + k}", k % 2, 1) for k, cell in enumerate(cells)}
    start = ("red 1", "blue 1", "red 2", "yellow 2", "yellow 1", *APART[5:])  # red beside it
    assert scores(start=start, buildings=buildings) == [7, 3]


def test_gk_4_g14_a_starting_building_joins_a_district_with_no_resources():
    """A red building beside the starting red 3: two buildings, one resource."""
    buildings = {(3, 2): ("red 4", 0, 1)}
    assert scores(buildings=buildings) == [2, 0]


def test_gk_4_g14_a_starting_building_joins_what_is_on_both_sides_of_it():
    """Red 3 at (2, 2) joins (3, 2) and (2, 3): one district of 5, not two of 2 and 3."""
    buildings = {(3, 2): ("red 4", 0, 2), (2, 3): ("red 5", 1, 3)}
    assert scores(buildings=buildings) == [2, 5]


def test_gk_4_g14_a_district_of_starting_buildings_pays_nobody_whatever_is_built_elsewhere():
    start = ("red 1", "red 2", "red 3", *APART[3:4], "blue 1", *APART[5:8], "yellow 1")
    assert scores(start=start, buildings={(3, 1): ("yellow 4", 1, 3)}) == [0, 0]


# ---------------------------------------------------------------- G7: the winner


def standings(num_players=2, **more):
    more = {"start": APART, "tokens": NO_TOKENS} | more
    game, games = position(num_players, **more)
    return game.standings(games, 0).tolist()


def test_gk_most_points_win_whatever_lies_behind_the_screens():
    first, second = standings(points=[10, 9], resources=[0, 25], stock={0: 25})
    assert first > second


@pytest.mark.parametrize("mine", [4, 5, 6])
def test_gk_4_g7_a_tie_is_shared_whatever_lies_behind_the_screens(mine):
    first, second = standings(points=[10, 10], resources=[mine, 5])
    assert first == second


def test_gk_4_g7_a_tie_of_some_seats_is_shared_by_these():
    first, second, third = standings(3, points=[10, 9, 10], resources=[3, 9, 2])
    assert first == third > second


def test_gk_4_g7_points_of_cards_tokens_and_districts_count_before_the_tie_is_looked_at():
    buildings = street((4, 0, 1), (5, 0, 1))
    first, second = standings(buildings=buildings, points=[0, 4], resources=[3, 1])
    assert first == second


# ---------------------------------------------------------------- G18, G19: solo


def test_gk_4_g18_hal_scores_points_districts_and_cards_for_which_his_1_to_9_count():
    kept = [[], ["red 1", "red 16", "red 19", "red 20", "red 15"]]
    buildings = {**street((4, 1, 4), (5, 0, 2)), (0, 0): ("red 6", 1, 4)}
    hal = 11 + 2 * 1 + 2 * 5 + 9 + 3 * 2
    assert scores(1, buildings=buildings, kept=kept, points=[7, 11]) == [7 + 2, hal + 6]


def test_gk_4_g18_hal_alone_in_a_district_takes_both_prizes():
    assert scores(1, buildings=street((4, 1, 1), (5, 1, 2))) == [0, 6]


def test_gk_4_g19_solo_more_points_than_hal_wins_and_equal_is_shared_whatever_is_left():
    first, hal = standings(1, points=[10, 9], resources=[0, 0])
    assert first > hal
    first, hal = standings(1, points=[10, 10], resources=[9, 0])
    assert first == hal
    first, hal = standings(1, points=[9, 10], resources=[9, 0])
    assert first < hal
