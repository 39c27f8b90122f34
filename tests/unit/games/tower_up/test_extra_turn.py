"""TU §5: extra turns."""

import pytest

from tests.unit.games.tower_up.position import BLACK, legal_names, pass_by_card, play, position

ONE_BLACK_STEP = ("grey + white + black vehicle 1", "2 black + 2 grey", "2 multicolour")
TWO_BLACK_STEPS = ("multicolour + black vehicle 2", "2 black + 2 grey", "2 multicolour")
NONE = (0, 0, 0, 0)


def after_one_black_step(*mine, seats=2, **more):
    """Seat 0 has these markers and takes a card that moves the black one by 1."""
    markers = [mine] + [NONE] * (seats - 1)
    game, games = position(seats, market=ONE_BLACK_STEP, markers=markers, **more)
    play(game, games, "take card 1")
    return game, games


@pytest.mark.parametrize("column", (2, 4, 6, 8))
def test_tu_5_all_four_markers_at_a_star_column_give_another_turn_at_once(column):
    game, games = after_one_black_step(column - 1, column, column, column)
    assert games.to_play[0] == 0
    assert "take card 1" in legal_names(game, games)
    assert games.turn[0] == 1


@pytest.mark.parametrize("short", (1, 2, 3))
def test_tu_5_a_single_marker_short_of_the_column_is_enough_for_none(short):
    markers = [1, 2, 2, 2]
    markers[short] = 1
    _, games = after_one_black_step(*markers)
    assert games.to_play[0] == 1


@pytest.mark.parametrize("column", (3, 5, 7, 9))
def test_tu_5_columns_without_a_star_give_nothing(column):
    _, games = after_one_black_step(column - 1, column, column, column)
    assert games.to_play[0] == 1


def test_tu_5_passing_a_star_column_is_as_good_as_reaching_it():
    game, games = position(market=TWO_BLACK_STEPS, markers=[(1, 3, 3, 3), NONE])
    play(game, games, "take card 1", "choose grey")
    assert games.marker[0, 0, BLACK] == 3
    assert games.to_play[0] == 0


def test_tu_5_a_roof_that_moves_the_marker_gives_an_extra_turn_too():
    game, games = position(buildings={6: ("black", 1)}, markers=[(0, 2, 2, 2), NONE])
    play(game, games, "build grey on site 7", "roof on site 6")  # black by 2
    assert games.to_play[0] == 0
    assert "take card 1" in legal_names(game, games)


def test_tu_5_a_card_without_a_vehicle_gives_no_extra_turn():
    game, games = position(markers=[(1, 9, 9, 9), NONE])
    play(game, games, "take card 1")
    assert games.to_play[0] == 1


def test_tu_5_each_column_counts_once():
    _, games = after_one_black_step(2, 9, 9, 9)  # its first star is used already
    assert games.marker[0, 0, BLACK] == 3
    assert games.to_play[0] == 1


def test_tu_5_after_the_extra_turn_the_next_seat_plays():
    game, games = after_one_black_step(1, 2, 2, 2, seats=3)
    assert pass_by_card(game, games) == 0
    assert games.to_play[0] == 1


def test_tu_5_passing_two_columns_at_once_gives_one_extra_turn():
    buildings = {6: ("black", 2)}
    game, games = position(buildings=buildings, markers=[(1, 5, 5, 5), NONE])
    play(game, games, "build grey on site 7", "roof on site 6")  # black from 1 to 4
    assert games.marker[0, 0, BLACK] == 4
    assert games.stars[0, 0] == 2  # columns 2 and 4 are used up
    assert pass_by_card(game, games) == 0
    assert games.to_play[0] == 1


def test_tu_5_a_used_up_column_that_was_skipped_gives_nothing_later():
    game, games = position(
        buildings={6: ("black", 2)}, markers=[(1, 5, 5, 5), NONE], market=ONE_BLACK_STEP
    )
    play(game, games, "build grey on site 7", "roof on site 6")
    play(game, games, "take card 1")  # black from 4 to 5
    assert games.marker[0, 0, BLACK] == 5
    assert games.to_play[0] == 1


def test_tu_5_extra_turns_can_chain():
    market = ("multicolour + black vehicle 2", "grey + white + black vehicle 1", "2 multicolour")
    game, games = position(
        market=market,
        next_cards=("2 white + 2 brown", "2 black + 2 brown"),
        markers=[(1, 6, 6, 6), NONE],
        reserves=[NONE, NONE],
    )
    play(game, games, "take card 2")  # black at 2: first extra turn
    assert games.to_play[0] == 0
    play(game, games, "take card 1", "choose grey")  # black at 4: second extra turn
    assert games.to_play[0] == 0
    assert games.turn[0] == 2
    play(game, games, "take card 1")
    assert games.to_play[0] == 1
    assert games.turn[0] == 3


def test_tu_5_t4_floors_are_returned_before_the_extra_turn_starts():
    reserves = [(4, 3, 3, 0), (1, 1, 1, 1)]
    game, games = after_one_black_step(1, 2, 2, 2, reserves=reserves)
    assert legal_names(game, games) == {"return black", "return grey", "return white"}
    play(game, games, "return white", "return white")
    assert games.reserve[0, 0].sum() == 10
    assert games.to_play[0] == 0
    assert "take card 1" in legal_names(game, games)


def test_tu_5_the_cone_does_not_matter():
    _, games = after_one_black_step(1, 2, 2, 2)
    assert games.cone[0, 0] == 0  # it is on its first space, short of any column
    assert games.to_play[0] == 0


def test_tu_5_markers_of_other_seats_do_not_matter():
    game, games = position(3, market=ONE_BLACK_STEP, markers=[(1, 2, 2, 2), NONE, (9, 9, 9, 9)])
    play(game, games, "take card 1")
    assert games.to_play[0] == 0
    assert games.stars[0, :3].tolist() == [1, 0, 4]


def test_tu_5_a_seat_has_at_most_four_extra_turns():
    _, games = after_one_black_step(8, 9, 9, 9)  # the last star is used already
    assert games.marker[0, 0].tolist() == [9, 9, 9, 9]
    assert games.stars[0, 0] == 4
    assert games.to_play[0] == 1
