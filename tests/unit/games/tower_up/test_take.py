"""TU §4, first half: taking a card, shortage, and returning floors."""

import numpy as np
import pytest

from sprawl_env.games.tower_up.constants import NO_CARD, EndCause
from tests.unit.games.tower_up.position import BLACK, find_card, legal_names, play, position

CHOOSE_ANY = {"choose black", "choose grey", "choose white", "choose brown"}
RETURN_ANY = {"return black", "return grey", "return white", "return brown"}


def market(*shows):
    """Return a market of three cards; the tests use the first."""
    return (*shows, "2 black + 2 grey", "2 multicolour", "black + grey + white")[:3]


def test_tu_4_two_floors_each_of_two_colours_are_taken():
    game, games = position(market=market("2 white + 2 brown"))
    supply = games.supply[0].copy()
    play(game, games, "take card 1")
    assert games.reserve[0, 0].tolist() == [1, 1, 3, 3]
    assert (supply - games.supply[0]).tolist() == [0, 0, 2, 2]
    assert games.to_play[0] == 1


def test_tu_4_one_floor_each_of_three_colours_is_taken():
    game, games = position(market=market("grey + white + brown"))
    play(game, games, "take card 1")
    assert games.reserve[0, 0].tolist() == [1, 2, 2, 2]


@pytest.mark.parametrize("space", (0, 1, 2))
def test_tu_4_the_card_is_discarded_and_its_space_refilled_from_the_deck(space):
    game, games = position(next_cards=("grey + white + black vehicle 1",))
    before = games.market[0].copy()
    play(game, games, f"take card {space + 1}")
    while games.to_play[0] == 0:
        play(game, games, "choose black")
    assert games.discards[0, : games.num_discards[0]].tolist() == [before[space]]
    assert games.market[0, space] == find_card(game, "grey + white + black vehicle 1")
    kept = [other for other in range(3) if other != space]
    assert (games.market[0, kept] == before[kept]).all()
    assert games.deck_size[0] == 40


def test_tu_4_all_three_market_cards_may_be_taken():
    game, games = position()
    assert {"take card 1", "take card 2", "take card 3"} <= legal_names(game, games)


def test_tu_4_a_multicolour_floor_is_of_any_colour():
    game, games = position(market=market("2 multicolour"))
    play(game, games, "take card 1")
    assert legal_names(game, games) == CHOOSE_ANY
    play(game, games, "choose brown")
    assert legal_names(game, games) == CHOOSE_ANY
    play(game, games, "choose white")
    assert games.reserve[0, 0].tolist() == [1, 1, 2, 2]
    assert games.to_play[0] == 1


def test_tu_4_both_multicolour_floors_may_be_of_one_colour():
    game, games = position(market=market("2 multicolour"))
    play(game, games, "take card 1", "choose brown", "choose brown")
    assert games.reserve[0, 0].tolist() == [1, 1, 1, 3]


@pytest.mark.parametrize(
    ("shows", "steps"),
    [("grey + white + black vehicle 1", 1), ("multicolour + black vehicle 2", 2)],
)
def test_tu_4_a_vehicle_moves_its_marker_by_its_symbols(shows, steps):
    game, games = position(market=market(shows))
    play(game, games, "take card 1")
    if steps == 2:
        play(game, games, "choose grey")
    assert games.marker[0, 0].tolist() == [steps, 0, 0, 0]
    assert not games.marker[0, 1].any()


@pytest.mark.parametrize(("before", "after"), [(7, 9), (8, 9), (9, 9)])
def test_tu_4_a_marker_stops_at_the_end_of_its_row(before, after):
    shows = "multicolour + black vehicle 2"
    game, games = position(market=market(shows), markers=[(before, 0, 0, 0), (0, 0, 0, 0)])
    play(game, games, "take card 1", "choose grey")
    assert games.marker[0, 0].tolist() == [after, 0, 0, 0]


def test_tu_4_t10_multicolour_is_chosen_before_the_marker_moves_and_the_new_card_is_seen():
    shows = "multicolour + black vehicle 2"
    game, games = position(market=market(shows))
    play(game, games, "take card 1")
    assert games.market[0, 0] == NO_CARD
    assert games.deck_size[0] == 41
    assert games.marker[0, 0, BLACK] == 0
    play(game, games, "choose grey")
    assert games.market[0, 0] != NO_CARD
    assert games.marker[0, 0, BLACK] == 2


def test_tu_4_t10_the_new_card_is_seen_before_floors_are_returned():
    game, games = position(reserves=[(4, 3, 3, 0), (1, 1, 1, 1)])
    play(game, games, "take card 1")
    assert legal_names(game, games) == {"return black", "return grey", "return white"}
    assert NO_CARD not in games.market[0]


def test_tu_4_t10_the_marker_moves_before_floors_are_returned():
    shows = "grey + white + black vehicle 1"
    game, games = position(market=market(shows), reserves=[(4, 3, 3, 0), (1, 1, 1, 1)])
    play(game, games, "take card 1")
    assert "return black" in legal_names(game, games)
    assert games.marker[0, 0, BLACK] == 1


# ---------------------------------------------------------------- T2: the deck


def test_tu_4_t2_the_last_card_of_the_deck_is_drawn_without_a_rebuild():
    game, games = position(discarded=40, next_cards=("2 white + 2 brown",))
    assert games.deck_size[0] == 1
    play(game, games, "take card 1")
    assert games.deck_size[0] == 0
    assert games.num_discards[0] == 41
    assert games.market[0, 0] == find_card(game, "2 white + 2 brown")


def test_tu_4_t2_an_empty_deck_is_rebuilt_from_all_discards():
    game, games = position(discarded=41)
    discards = [*games.discards[0, :41].tolist(), int(games.market[0, 0])]
    play(game, games, "take card 1")
    assert games.deck_size[0] == 41
    assert games.num_discards[0] == 0
    drawn = [*games.deck[0, :41].tolist(), int(games.market[0, 0])]
    assert sorted(drawn) == sorted(discards)
    assert drawn != discards


def test_tu_4_t2_the_rebuilt_deck_is_in_random_order():
    game, games = position(discarded=41)
    orders = set()
    for seed in range(10):
        copy = games.copy()
        game.redeal_hidden(copy, 0, seed, 0)
        play(game, copy, "take card 1")
        orders.add(tuple(copy.deck[0, :41].tolist()))
    assert len(orders) == 10


# ---------------------------------------------------------------- shortage


def test_tu_4_the_last_floors_of_a_colour_are_no_shortage():
    game, games = position(supply={"black": 2})
    play(game, games, "take card 1")
    assert games.supply[0, BLACK] == 0
    assert games.reserve[0, 0].tolist() == [3, 3, 1, 1]
    assert games.end_cause[0] == EndCause.NONE


def test_tu_4_a_missing_floor_is_replaced_by_any_other_colour_and_triggers_the_end():
    game, games = position(supply={"black": 1})
    play(game, games, "take card 1")
    assert games.reserve[0, 0].tolist() == [2, 3, 1, 1]  # what is printed comes first
    assert games.end_cause[0] == EndCause.SHORTAGE
    assert legal_names(game, games) == {"choose grey", "choose white", "choose brown"}
    play(game, games, "choose brown")
    assert games.reserve[0, 0].tolist() == [2, 3, 1, 2]
    assert games.to_play[0] == 1


def test_tu_4_each_missing_floor_has_its_own_substitute():
    game, games = position(supply={"black": 0})
    play(game, games, "take card 1", "choose white", "choose brown")
    assert games.reserve[0, 0].tolist() == [1, 3, 2, 2]
    assert games.to_play[0] == 1


def test_tu_4_a_substitute_may_not_be_of_a_colour_that_is_used_up():
    game, games = position(supply={"black": 0, "grey": 2, "white": 1})
    play(game, games, "take card 1")
    assert legal_names(game, games) == {"choose white", "choose brown"}
    play(game, games, "choose white")
    assert legal_names(game, games) == {"choose brown"}


def test_tu_4_an_unshown_colour_running_out_is_no_shortage():
    game, games = position(supply={"white": 0})
    play(game, games, "take card 1")
    assert games.end_cause[0] == EndCause.NONE


def test_tu_4_t10_multicolour_means_a_colour_the_supply_has_and_is_no_shortage():
    game, games = position(market=market("2 multicolour"), supply={"black": 0, "grey": 1})
    play(game, games, "take card 1")
    assert legal_names(game, games) == CHOOSE_ANY - {"choose black"}
    play(game, games, "choose grey")
    assert legal_names(game, games) == {"choose white", "choose brown"}
    play(game, games, "choose white")
    assert games.end_cause[0] == EndCause.NONE


EMPTY = {"black": 0, "grey": 0, "white": 0, "brown": 0}


def test_tu_4_t10_with_an_empty_supply_printed_floors_are_lost_and_the_end_is_triggered():
    game, games = position(supply=EMPTY)
    play(game, games, "take card 1")
    assert games.reserve[0, 0].tolist() == [1, 1, 1, 1]
    assert games.end_cause[0] == EndCause.SHORTAGE
    assert games.to_play[0] == 1


def test_tu_4_t10_with_an_empty_supply_multicolour_floors_are_lost_and_the_end_is_triggered():
    game, games = position(market=market("2 multicolour"), supply=EMPTY)
    play(game, games, "take card 1")
    assert games.reserve[0, 0].tolist() == [1, 1, 1, 1]
    assert games.end_cause[0] == EndCause.SHORTAGE
    assert games.to_play[0] == 1


def test_tu_4_t10_a_lost_floor_keeps_neither_vehicle_nor_refill_from_happening():
    game, games = position(market=market("multicolour + black vehicle 2"), supply=EMPTY)
    play(game, games, "take card 1")
    assert games.marker[0, 0, BLACK] == 2
    assert NO_CARD not in games.market[0]


def test_tu_4_t10_the_last_floor_of_all_is_taken_and_the_next_is_lost():
    game, games = position(market=market("2 multicolour"), supply=EMPTY | {"brown": 1})
    play(game, games, "take card 1")
    assert legal_names(game, games) == {"choose brown"}
    assert games.end_cause[0] == EndCause.NONE
    play(game, games, "choose brown")
    assert games.reserve[0, 0].tolist() == [1, 1, 1, 2]
    assert games.end_cause[0] == EndCause.SHORTAGE
    assert games.to_play[0] == 1


def test_tu_4_t10_exactly_enough_multicolour_floors_are_no_shortage():
    game, games = position(market=market("2 multicolour"), supply=EMPTY | {"brown": 2})
    play(game, games, "take card 1", "choose brown", "choose brown")
    assert not games.supply[0].any()
    assert games.end_cause[0] == EndCause.NONE


def test_tu_4_t10_substitutes_come_before_multicolour_floors():
    game, games = position(market=market("2 black + 2 grey"), supply=EMPTY | {"white": 1})
    play(game, games, "take card 1", "choose white")  # three more are lost
    assert games.reserve[0, 0].tolist() == [1, 1, 2, 1]
    assert games.to_play[0] == 1


# ---------------------------------------------------------------- returning floors


@pytest.mark.parametrize(("held", "returned"), [(6, 0), (7, 1), (9, 3), (10, 4)])
def test_tu_4_floors_are_returned_until_ten_are_left(held, returned):
    game, games = position(reserves=[(0, 0, held, 0), (1, 1, 1, 1)])
    play(game, games, "take card 1")
    plies = 0
    while games.to_play[0] == 0:
        assert legal_names(game, games) == {"return black", "return grey", "return white"}
        play(game, games, "return white")
        plies += 1
    assert plies == returned
    assert games.reserve[0, 0].sum() == min(held + 4, 10)


def test_tu_4_more_than_ten_may_be_held_in_between():
    game, games = position(market=market("2 multicolour"), reserves=[(5, 5, 0, 0), (1, 1, 1, 1)])
    play(game, games, "take card 1", "choose brown")
    assert legal_names(game, games) == CHOOSE_ANY  # 11 held, and one more to come
    play(game, games, "choose brown")
    assert games.reserve[0, 0].sum() == 12


def test_tu_4_returned_floors_go_back_to_the_supply():
    game, games = position(
        reserves=[(3, 3, 3, 1), (1, 1, 1, 1)], market=market("2 white + 2 brown")
    )
    supply = games.supply[0].copy()
    play(game, games, "take card 1")
    assert legal_names(game, games) == RETURN_ANY
    play(game, games, "return black", "return black", "return brown", "return white")
    assert games.reserve[0, 0].tolist() == [1, 3, 4, 2]
    assert (games.supply[0] - supply).tolist() == [2, 0, -1, -1]
    assert games.to_play[0] == 1


def test_tu_4_only_floors_in_hand_can_be_returned():
    game, games = position(reserves=[(7, 0, 0, 0), (1, 1, 1, 1)])
    play(game, games, "take card 1")
    assert legal_names(game, games) == {"return black", "return grey"}


def test_tu_4_other_seats_may_hold_more_while_they_wait():
    game, games = position(reserves=[(1, 1, 1, 1), (10, 10, 0, 0)])
    play(game, games, "take card 1")
    assert games.to_play[0] == 1
    assert "take card 1" in legal_names(game, games)


# ---------------------------------------------------------------- T3


def test_tu_4_t3_a_card_that_gives_nothing_may_be_taken():
    game, games = position(supply=EMPTY, buildings={6: ("black", 1)})
    names = legal_names(game, games)
    assert {"take card 1", "take card 2", "take card 3"} <= names
    assert any(name.startswith("build") for name in names)  # so it need not be


def test_tu_4_t3_a_card_that_gives_nothing_must_be_taken_by_who_cannot_build():
    game, games = position(supply=EMPTY, reserves=[(0, 0, 0, 0), (1, 1, 1, 1)])
    assert legal_names(game, games) == {"take card 1", "take card 2", "take card 3"}


def test_tu_4_t3_nobody_may_pass():
    game, games = position(buildings={6: ("black", 1)})
    words = {name.split()[0] for name in legal_names(game, games)}
    assert words == {"take", "build"}


@pytest.mark.parametrize(
    ("shows", "gained"),
    [("2 black + 2 brown", 4), ("black + grey + white", 3), ("2 multicolour", 2)],
)
def test_tu_4_floors_move_from_the_supply_to_the_hand_and_none_is_lost(shows, gained):
    game, games = position(market=(shows, "2 white + 2 brown", "grey + white + brown"))
    play(game, games, "take card 1")
    while games.to_play[0] == 0:
        play(game, games, "choose brown")
    assert np.sum(games.reserve[0, 0]) == 4 + gained
    total = games.supply[0] + games.reserve[0].sum(axis=0)
    assert total.tolist() == [29, 30, 30, 30]  # one black floor is built
