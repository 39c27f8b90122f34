"""TU §7: both ends, the last turns, counting, truncation and the final score."""

import numpy as np
import pytest

import sprawl_env
from sprawl_env.core.state import FINISHED, NOBODY, NOT_OVER, TRUNCATED
from sprawl_env.games.tower_up.constants import EndCause
from tests.unit.games.tower_up.position import (
    game_of,
    legal_names,
    nobody_acts,
    pass_by_card,
    play,
    position,
)

NONE = (0, 0, 0, 0)
ONE_BLACK_STEP = ("grey + white + black vehicle 1", "2 black + 2 grey", "2 multicolour")
SCATTERED = (0, 2, 4, 8, 10, 12, 14, 16, 18)  # no two of them adjacent


def one_roof_left(seats=2, seat=0, **more):
    """Seat ``seat`` has nine visible roofs, and a black building to build beside, on site 6."""
    buildings = dict.fromkeys((*SCATTERED, 6), ("black", 1))
    roofs = [(seat, site, 1) for site in SCATTERED]
    more = {"reserves": [(5, 2, 1, 1)] + [(1, 1, 1, 1)] * (seats - 1)} | more
    if seat:
        more["reserves"] = more["reserves"][::-1]
    return position(seats, buildings=buildings, roofs=roofs, to_play=seat, **more)


def place_last_roof(game, games):
    """Site 20 is joined to site 6 only, so no other building is paid or covered."""
    play(game, games, "build grey on site 20", "roof on site 20")


# ---------------------------------------------------------------- §7a: last roof


@pytest.mark.parametrize(("seats", "seat"), [(2, 0), (2, 1), (3, 0), (4, 0), (4, 3)])
def test_tu_7a_after_a_last_roof_each_opponent_has_one_last_turn(seats, seat):
    game, games = one_roof_left(seats, seat)
    place_last_roof(game, games)
    assert games.over[0] == NOT_OVER
    acted = [pass_by_card(game, games) for _ in range(seats - 1)]
    assert acted == [(seat + ahead) % seats for ahead in range(1, seats)]
    assert games.over[0] == FINISHED
    assert nobody_acts(games)
    assert games.counted[0, :seats].tolist() == [1] * seats


def test_tu_7a_a_roof_that_is_not_the_last_ends_nothing():
    buildings = dict.fromkeys((*SCATTERED, 6), ("black", 1))
    roofs = [(0, site, 1) for site in SCATTERED[1:]]
    game, games = position(buildings=buildings, roofs=roofs)
    place_last_roof(game, games)
    assert games.roofs_left[0, 0] == 1
    assert games.end_cause[0] == EndCause.NONE
    assert not games.counted[0].any()


def test_tu_7a_who_placed_the_last_roof_counts_at_once():
    game, games = one_roof_left()
    place_last_roof(game, games)
    assert games.cone[0].tolist() == [7, 0, 0, 0]  # ten visible, at most seven count
    assert games.counted[0].tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize(("visible", "cone"), [(0, 0), (1, 1), (5, 5), (6, 6), (7, 7), (8, 7)])
def test_tu_7a_the_cone_moves_a_space_per_visible_roof_at_most_seven(visible, cone):
    buildings = {site: ("black", 1 + (k >= visible)) for k, site in enumerate(SCATTERED)}
    roofs = [(1, site, 1) for site in SCATTERED]  # covered from the (visible + 1)-th on
    buildings |= {6: ("black", 1)}
    game, games = position(
        buildings=buildings, roofs=roofs, end_cause=EndCause.SHORTAGE, last_turns=1, to_play=1
    )
    assert np.sum(games.top[0] == 1) == visible
    pass_by_card(game, games)
    assert games.cone[0, 1] == cone


def test_tu_7a_only_tops_of_buildings_count():
    buildings = {0: ("black", 2), 2: ("black", 2), 12: ("black", 1)}
    roofs = [(1, 0, 1), (1, 2, 1), (1, 2, 2), (1, 12, 1), (0, 0, 2)]
    fields = {"end_cause": EndCause.SHORTAGE, "last_turns": 1, "to_play": 1}
    game, games = position(buildings=buildings, roofs=roofs, **fields)
    pass_by_card(game, games)
    assert games.cone[0, 1] == 2  # on sites 2 and 12; on site 0 it is covered


def test_tu_7a_extra_turns_come_before_the_count():
    game, games = one_roof_left(markers=[(9, 1, 9, 9), NONE], market=ONE_BLACK_STEP)
    place_last_roof(game, games)  # grey from 1 to 2: an extra turn
    assert games.to_play[0] == 0
    assert games.end_cause[0] == EndCause.LAST_ROOF
    assert not games.counted[0].any()
    assert games.last_turns[0] == 0
    pass_by_card(game, games)
    assert games.cone[0, 0] == 7
    assert games.to_play[0] == 1


def test_tu_7a_t11_the_extra_turn_after_the_last_roof_takes_a_card():
    game, games = one_roof_left(markers=[(9, 1, 9, 9), NONE])
    place_last_roof(game, games)
    assert legal_names(game, games) == {"take card 1", "take card 2", "take card 3"}


def test_tu_7a_an_opponent_counts_at_the_end_of_its_own_last_turn():
    game, games = one_roof_left(3, reserves=[(5, 2, 1, 1), (5, 1, 1, 0), (1, 1, 1, 1)])
    place_last_roof(game, games)
    play(game, games, "build white on site 7", "roof on site 7")
    assert games.cone[0].tolist() == [7, 1, 0, 0]
    assert games.counted[0].tolist() == [1, 1, 0, 0]


def test_tu_7a_a_roof_counted_can_be_covered_afterwards():
    sites = SCATTERED[:4]
    buildings = dict.fromkeys((*SCATTERED, 6), ("black", 1))
    roofs = [(0, site, 1) for site in sites]
    game, games = position(
        buildings=buildings,
        roofs=roofs,
        reserves=[(1, 1, 1, 1), (5, 1, 1, 1)],
        end_cause=EndCause.SHORTAGE,
        last_turns=2,
    )
    pass_by_card(game, games)
    assert games.cone[0].tolist() == [4, 0, 0, 0]
    play(game, games, "build white on site 7", "roof on site 2")
    assert np.sum(games.top[0] == 0) == 2  # sites 2 and 8 are covered
    assert games.cone[0].tolist() == [4, 1, 0, 0]
    assert games.over[0] == FINISHED


def test_tu_7a_a_roof_covered_before_the_count_does_not_count():
    buildings = dict.fromkeys((*SCATTERED, 6), ("black", 1))
    game, games = position(
        buildings=buildings,
        roofs=[(0, site, 1) for site in (0, 2, 8, 12)],
        reserves=[(5, 1, 1, 1), (1, 1, 1, 1)],
        end_cause=EndCause.SHORTAGE,
        last_turns=1,
    )
    play(game, games, "build grey on site 7", "roof on site 7")  # covers 2, 8 and 12
    assert games.cone[0].tolist() == [2, 0, 0, 0]


# ---------------------------------------------------------------- §7b: shortage


def short_of_black(seats, **more):
    """The first card of the market shows black, and the supply has none."""
    buildings = {6: ("black", 1)}
    more = {"reserves": [NONE] * seats, "buildings": buildings} | more
    return position(seats, supply={"black": 0}, **more)


@pytest.mark.parametrize("seats", (2, 3, 4))
@pytest.mark.parametrize("seat", (0, 1))
def test_tu_7b_after_a_shortage_everybody_has_one_last_turn_who_triggered_last(seats, seat):
    game, games = short_of_black(seats, to_play=seat)
    pass_by_card(game, games)
    assert games.end_cause[0] == EndCause.SHORTAGE
    assert not games.counted[0].any()  # that turn was not its last
    acted = []
    while games.over[0] == NOT_OVER:
        acted.append(pass_by_card(game, games))
        assert games.counted[0, acted[-1]] == 1
    assert acted == [(seat + ahead) % seats for ahead in range(1, seats + 1)]
    assert games.over[0] == FINISHED


def extra_turn_of_a_shortage():
    """Return a game of which a turn of seat 0 has brought a shortage and an extra turn."""
    game, games = position(
        supply={"grey": 0},
        buildings={6: ("black", 1)},
        reserves=[NONE, NONE],
        markers=[(1, 2, 2, 2), NONE],
        market=ONE_BLACK_STEP,
    )
    play(game, games, "take card 1", "choose brown")
    return game, games


def test_tu_7b_extra_turns_of_the_shortage_turn_come_before_the_last_turns():
    game, games = extra_turn_of_a_shortage()
    assert games.to_play[0] == 0  # an extra turn, and not yet the last turn
    assert games.last_turns[0] == 0
    pass_by_card(game, games)
    assert games.last_turns[0] == 2
    assert pass_by_card(game, games) == 1
    assert pass_by_card(game, games) == 0
    assert games.over[0] == FINISHED


LAST = "Last turns, as floors or sites run short: "


def test_tu_7b_the_turns_after_a_shortage_are_called_last_but_not_the_extra_turn_before_them():
    """TU 5: who caused the shortage still has a last turn, so its extra turn is not one."""
    game, games = extra_turn_of_a_shortage()
    assert (games.to_play[0], games.end_cause[0]) == (0, EndCause.SHORTAGE)
    assert game.question(games).startswith("Take a card")
    for seat in (1, 0):
        pass_by_card(game, games)
        assert games.to_play[0] == seat
        assert game.question(games).startswith(f"{LAST}take a card")


def test_tu_7a_the_extra_turn_after_the_last_roof_is_called_one_of_the_last_turns():
    game, games = one_roof_left(markers=[(9, 1, 9, 9), NONE], market=ONE_BLACK_STEP)
    place_last_roof(game, games)
    assert (games.to_play[0], games.last_turns[0]) == (0, 0)
    expected = "Last turns, as a last roof is placed: you have no roof left: take a card"
    assert game.question(games) == expected


@pytest.mark.parametrize(
    ("cause", "last_turns", "said"),
    [
        (EndCause.NONE, 0, ""),
        (EndCause.SHORTAGE, 0, ""),
        (EndCause.SHORTAGE, 2, " (shortage: last turns)"),
        (EndCause.LAST_ROOF, 0, " (last roof: last turns)"),
        (EndCause.LAST_ROOF, 1, " (last roof: last turns)"),
    ],
)
def test_tu_7_a_picture_calls_the_same_turns_last_as_the_question(cause, last_turns, said):
    game = sprawl_env.game("tower_up")
    games = game.deal(1, seed=1)
    games.end_cause, games.last_turns = cause, last_turns
    assert game.question(games).startswith("Last turns, as ") == bool(said)
    assert game.picture(games).caption.decision == f"take a card or build{said}"


def test_tu_7b_a_second_shortage_changes_nothing():
    game, games = short_of_black(3, reserves=[NONE] * 3)
    turns = 0
    while games.over[0] == NOT_OVER:
        pass_by_card(game, games)
        turns += 1
    assert turns == 4


# ---------------------------------------------------------------- T7, T8


def test_tu_7_t7_a_last_roof_during_the_last_turns_of_a_shortage_changes_nothing():
    game, games = one_roof_left(3, end_cause=EndCause.SHORTAGE, last_turns=3)
    place_last_roof(game, games)
    assert games.end_cause[0] == EndCause.SHORTAGE
    assert games.last_turns[0] == 2
    assert [pass_by_card(game, games) for _ in range(2)] == [1, 2]
    assert games.over[0] == FINISHED


def test_tu_7_t7_a_last_roof_in_the_extra_turn_after_a_shortage_is_second():
    game, games = one_roof_left(2, end_cause=EndCause.SHORTAGE)
    place_last_roof(game, games)
    assert games.last_turns[0] == 2  # everybody, not the opponents alone
    assert not games.counted[0].any()


def test_tu_7_t7_a_shortage_after_a_last_roof_changes_nothing():
    game, games = one_roof_left(3, supply={"black": 0})
    place_last_roof(game, games)
    assert [pass_by_card(game, games) for _ in range(2)] == [1, 2]  # 1 finds no black floor
    assert games.end_cause[0] == EndCause.LAST_ROOF
    assert games.over[0] == FINISHED


def test_tu_7_t8_extra_turns_inside_a_last_turn_are_played_before_the_count():
    game, games = position(
        buildings={6: ("black", 1)},
        roofs=[(1, 6, 1)],
        markers=[NONE, (1, 2, 2, 2)],
        market=ONE_BLACK_STEP,
        to_play=1,
        end_cause=EndCause.SHORTAGE,
        last_turns=1,
    )
    play(game, games, "take card 1")
    assert games.over[0] == NOT_OVER
    assert games.to_play[0] == 1
    assert games.last_turns[0] == 1
    assert games.counted[0, 1] == 0
    pass_by_card(game, games)
    assert games.over[0] == FINISHED
    assert games.cone[0, 1] == 1


def test_tu_7_t8_a_last_roof_inside_a_last_turn_starts_no_new_last_turns():
    buildings = dict.fromkeys((*SCATTERED, 6), ("black", 2))
    roofs = [(0, site, 1) for site in buildings] + [(2, site, 2) for site in SCATTERED]
    game, games = position(
        3,
        buildings=buildings,
        roofs=roofs,
        end_cause=EndCause.LAST_ROOF,
        last_turns=1,
        to_play=2,
    )
    place_last_roof(game, games)
    assert games.roofs_left[0].tolist() == [0, 10, 0, 0]
    assert games.over[0] == FINISHED


def test_tu_7_t8_objectives_can_be_met_in_a_last_turn():
    buildings = {0: ("black", 1), 2: ("grey", 1), 4: ("white", 1)}
    roofs = [(1, site, 1) for site in buildings]
    game, games = position(
        buildings=buildings,
        roofs=roofs,
        objectives=(1, 4, 5),
        to_play=1,
        end_cause=EndCause.SHORTAGE,
        last_turns=1,
    )
    play(game, games, "build brown on site 1", "roof on site 1")
    assert games.over[0] == FINISHED
    assert games.chip[0, 1].tolist() == [7, 0, 0]


# ---------------------------------------------------------------- T14, T16, T19


def full_grid(*, empty=(), touching=4):
    """Build on all sites but 6 and 20; 6 is beside so many colours, 20 beside no building."""
    buildings = {}
    for site in range(20):
        buildings[site] = (("black", "grey")[sum(divmod(site, 5)) % 2], 1)
    buildings |= {0: ("white", 1), 1: ("black", 1), 2: ("brown", 1), 11: ("brown", 1)}
    buildings[7] = ("white" if touching == 4 else "grey", 1)
    for site in (6, *empty):
        del buildings[site]
    return buildings


def fill_site_19(buildings, **more):
    game, games = position(buildings=buildings, reserves=[(3, 1, 1, 1), (1, 1, 1, 1)], **more)
    assert games.end_cause[0] == EndCause.NONE
    play(game, games, "build white on site 19", "roof on site 19")
    return game, games


def test_tu_7_t14_a_board_where_every_empty_site_touches_all_four_colours_ends_the_game():
    game, games = fill_site_19(full_grid(empty=[19]))
    assert games.end_cause[0] == EndCause.SHORTAGE
    assert games.last_turns[0] == 2
    assert game.question(games) == f"{LAST}take a card: you cannot build anywhere"  # floors or not
    assert [pass_by_card(game, games) for _ in range(2)] == [1, 0]
    assert games.over[0] == FINISHED


def test_tu_7_t14_a_site_that_touches_three_colours_keeps_the_game_going():
    _, games = fill_site_19(full_grid(empty=[19], touching=3))
    assert games.end_cause[0] == EndCause.NONE


def test_tu_7_t14_floors_in_hand_do_not_matter_only_the_board():
    game, games = fill_site_19(
        full_grid(empty=[19], touching=3), roofs=[], supply={"white": 0, "brown": 0}
    )
    assert not any(name.endswith("site 6") for name in legal_names(game, games))  # too dear
    assert games.end_cause[0] == EndCause.NONE


def test_tu_7_t14_a_board_without_an_empty_site_ends_the_game():
    buildings = full_grid(empty=[19], touching=3) | {6: ("white", 1), 20: ("black", 1)}
    buildings |= {0: ("white", 1)}
    _, games = fill_site_19(buildings)
    assert games.end_cause[0] == EndCause.SHORTAGE


def test_tu_7_t14_is_seen_after_taking_a_card_too():
    game, games = position(buildings=full_grid())
    play(game, games, "take card 1")
    assert games.end_cause[0] == EndCause.SHORTAGE


def test_tu_7_t19_an_empty_site_that_touches_no_building_cannot_take_one():
    game, games = fill_site_19(full_grid(empty=[19]))
    assert games.colour[0, 20] == -1  # empty, and beside the empty site 6 alone
    assert games.end_cause[0] == EndCause.SHORTAGE
    assert not any(name.startswith("build") for name in legal_names(game, games))


def test_tu_7_t19_a_site_that_touches_one_building_can_take_one():
    buildings = full_grid(empty=[19], touching=3) | {6: ("white", 1)}  # site 20 touches 6
    _, games = fill_site_19(buildings)
    assert games.end_cause[0] == EndCause.NONE


def test_tu_7_t16_a_last_roof_in_the_turn_that_fills_the_board_comes_first():
    buildings = full_grid(empty=[19])
    roofs = [(0, site, 1) for site in list(buildings)[:9]]
    _, games = fill_site_19(buildings, roofs=roofs)
    assert games.end_cause[0] == EndCause.LAST_ROOF
    assert games.last_turns[0] == 1
    assert games.counted[0, 0] == 1


def test_tu_7_t16_the_full_board_is_looked_at_when_the_turn_is_over():
    game, games = position(buildings=full_grid(empty=[19]), reserves=[(3, 1, 1, 1), (1, 1, 1, 1)])
    play(game, games, "build white on site 19")
    assert games.end_cause[0] == EndCause.NONE  # the roof is still to come


# ---------------------------------------------------------------- T15, T17: truncation


@pytest.mark.parametrize(("turn", "over"), [(3, NOT_OVER), (4, TRUNCATED)])
def test_tu_7_t15_after_max_turns_the_game_stops_and_is_truncated(turn, over):
    buildings = {6: ("black", 1), 8: ("black", 1)}
    roofs = [(0, 6, 1), (1, 8, 1)]
    options = {"max_turns": 5}
    game, games = position(buildings=buildings, roofs=roofs, options=options, turn=turn)
    pass_by_card(game, games)
    assert games.over[0] == over
    counted = int(over == TRUNCATED)
    assert games.cone[0, :2].tolist() == [counted, counted]
    assert games.counted[0, :2].tolist() == [counted, counted]


def test_tu_7_t15_the_limit_is_400_turns_unless_chosen():
    assert game_of(2).options["max_turns"] == 400


def test_tu_7_t17_an_extra_turn_counts_towards_max_turns():
    game, games = position(
        markers=[(1, 2, 2, 2), NONE], market=ONE_BLACK_STEP, options={"max_turns": 2}
    )
    play(game, games, "take card 1")
    assert games.over[0] == NOT_OVER
    assert games.turn[0] == 1
    pass_by_card(game, games)  # the extra turn is the second
    assert games.over[0] == TRUNCATED


def test_tu_7_t17_the_game_is_truncated_even_if_an_extra_turn_would_follow():
    game, games = position(
        markers=[(1, 2, 2, 2), NONE], market=ONE_BLACK_STEP, options={"max_turns": 1}
    )
    play(game, games, "take card 1")
    assert games.over[0] == TRUNCATED
    assert nobody_acts(games)


def test_tu_7_t17_seats_that_have_counted_keep_their_count():
    buildings = dict.fromkeys(SCATTERED, ("black", 1))
    game, games = position(
        3,
        buildings=buildings,
        roofs=[(0, 0, 1), (1, 2, 1), (1, 4, 1), (2, 8, 1)],
        cones={0: 3},  # two roofs of seat 0 have been covered since
        end_cause=EndCause.SHORTAGE,
        last_turns=2,
        to_play=1,
        options={"max_turns": 9},
        turn=8,
    )
    pass_by_card(game, games)
    assert games.over[0] == TRUNCATED
    assert games.cone[0].tolist() == [3, 2, 1, 0]
    assert games.counted[0].tolist() == [1, 1, 1, 0]


def test_tu_7_t17_a_game_finished_by_the_rules_in_its_last_turn_is_not_truncated():
    game, games = position(
        options={"max_turns": 9}, turn=8, end_cause=EndCause.SHORTAGE, last_turns=1
    )
    pass_by_card(game, games)
    assert games.over[0] == FINISHED


# ---------------------------------------------------------------- final scores


def test_tu_7_the_score_is_markers_and_cone_and_chips():
    buildings = {0: ("black", 1), 1: ("grey", 1), 2: ("black", 1), 3: ("grey", 1)}
    game, games = position(
        buildings=buildings,
        roofs=[(0, site, 1) for site in buildings],
        markers=[(0, 1, 7, 9), (9, 9, 9, 9)],
        objectives=(2, 1, 4),
        end_cause=EndCause.SHORTAGE,
        last_turns=1,
        cones={0: 5},
        to_play=1,
    )
    assert game.scores(games, 0).tolist() == [0 + 1 + 8 + 12 + 7 + 7, 4 * 12]


@pytest.mark.parametrize(("steps", "millions"), enumerate([0, 1, 2, 3, 4, 5, 6, 8, 10, 12]))
def test_tu_8_millions_of_a_marker(steps, millions):
    game, games = position(markers=[(steps, 0, 0, 0), NONE])
    assert game.scores(games, 0).tolist() == [millions, 0]


@pytest.mark.parametrize(("steps", "millions"), enumerate([0, 1, 2, 3, 5, 7, 9, 12]))
def test_tu_8_millions_of_the_cone(steps, millions):
    game, games = position(end_cause=EndCause.SHORTAGE, last_turns=1, cones={1: steps})
    assert game.scores(games, 0).tolist() == [0, millions]


def test_tu_7_most_millions_win_whatever_lies_in_reserve():
    game, games = position(markers=[(1, 0, 0, 0), NONE], reserves=[NONE, (3, 3, 3, 1)])
    first, second = game.standings(games, 0)
    assert first > second


@pytest.mark.parametrize(("mine", "better"), [((1, 1, 1, 1), False), ((1, 1, 1, 2), True)])
def test_tu_7_a_tie_goes_to_more_floors_in_reserve(mine, better):
    markers = [(2, 0, 0, 0), (0, 2, 0, 0)]
    game, games = position(markers=markers, reserves=[mine, (4, 0, 0, 0)])
    first, second = game.standings(games, 0)
    assert (first > second) == better


def test_tu_7_a_tie_in_floors_too_is_a_shared_victory():
    markers = [(2, 0, 0, 0), (0, 2, 0, 0), NONE]
    game, games = position(3, markers=markers, reserves=[(4, 0, 0, 0), (1, 1, 1, 1), (9, 1, 0, 0)])
    first, second, third = game.standings(games, 0)
    assert first == second > third


def test_tu_7_nobody_may_act_once_the_game_is_over():
    game, games = position(options={"max_turns": 1})
    pass_by_card(game, games)
    assert games.to_play[0] == NOBODY
    assert legal_names(game, games) == set()
