"""T9: ``redeal_hidden`` deals each order of the deck that agrees with what was seen equally often.

Each position comes with what its observer has seen, written by hand from the rules;
``second_opinion/tower_up_deals.py`` lists all deals that agree with it.
"""

import functools

import numpy as np
import pytest

from sprawl_env.core.state import TRUNCATED
from sprawl_env.games.tower_up.constants import NO_CARD, NUM_CARDS, EndCause, Step
from sprawl_env.kernels.agenda import top
from tests.second_opinion.deals import (
    DRAWS,
    Case,
    assert_enough,
    assert_even,
    assert_random_state_is_new,
    assert_short,
    assert_shuffles_follow_the_seed,
    assert_uneven,
    keep_the_random_state,
    keep_the_truth,
    redealt_counts,
    true_deal,
)
from tests.second_opinion.tower_up_deals import HIDDEN, Seen, all_deals, deal_of
from tests.suite import a_few
from tests.unit.games.tower_up.position import (
    DEFAULT_MARKET,
    game_of,
    play,
    position,
)

ALL = 41  # cards outside the market
TWO_AND_TWO = ("2 black + 2 grey", "2 multicolour", "black + grey + white")


def laid(num_players=2, size=5, **drawn):
    """Return a drawn position with some cards in the deck."""
    return position(num_players, discarded=ALL - size, **drawn)


def cards(games, field, size):
    """Return the cards that lie open in a field of the record."""
    return frozenset(games[field][0, : int(games[size][0])].tolist())


def seen_of(games, **looked_at):
    """Return what lies open: the deck is what lies neither in the market nor on the discards."""
    market = [card for card in games.market[0].tolist() if card != NO_CARD]
    discards = cards(games, "discards", "num_discards")
    first = int(games.market[0, 0])
    return Seen(
        frozenset(range(NUM_CARDS)) - discards - set(market),
        discards,
        None if first == NO_CARD else first,
        **looked_at,
    )


def step_of(games):
    """Return the decision that is asked."""
    return top(games[0]).step


def taken(game, games, count):
    """Take the card at the first space some times, with the first answer to what it asks."""
    while count:
        action = int(np.flatnonzero(game.legal_actions(games))[0])
        count -= game.action_name(games, 0, action) == "take card 1"
        game.play(games, 0, action)
    while step_of(games) != Step.TURN:
        game.play(games, 0, int(np.flatnonzero(game.legal_actions(games))[0]))


# ---------------------------------------------------------------- the rest of a deck


def start_of_a_turn():
    game, games = laid()
    return game, games, seen_of(games), 1


def six_cards_with_four_seats():
    game, games = laid(4, size=6, to_play=1)
    return game, games, seen_of(games), 2


def a_roof_to_place():
    game, games = laid(3, to_play=2)
    play(game, games, next(name for name in names(game, games) if name.startswith("build")))
    assert step_of(games) == Step.ROOF
    return game, games, seen_of(games), 2


def names(game, games):
    """Return the names of the legal actions, in order."""
    return [game.action_name(games, 0, int(a)) for a in np.flatnonzero(game.legal_actions(games))]


def a_multicolour_floor_before_the_refill():
    """T10: the colour is chosen before the new card is seen."""
    game, games = laid(market=("2 multicolour", *DEFAULT_MARKET[:2]))
    play(game, games, "take card 1", "choose white")
    assert games.market[0, 0] == NO_CARD
    return game, games, seen_of(games), 0


def a_substitute_before_the_refill():
    game, games = laid(3, market=TWO_AND_TWO, supply={"black": 0})
    play(game, games, "take card 1")
    assert step_of(games) == Step.FLOOR
    assert games.market[0, 0] == NO_CARD
    return game, games, seen_of(games), 2


def floors_to_return():
    """One card of six has been shown by the refill."""
    game, games = laid(size=6, market=TWO_AND_TWO, reserves=[(4, 3, 1, 1), (1, 1, 1, 1)])
    play(game, games, "take card 1")
    assert step_of(games) == Step.RETURN
    return game, games, seen_of(games), 1


def an_extra_turn():
    game, games = laid(
        size=6,
        market=("grey + white + black vehicle 1", *DEFAULT_MARKET[:2]),
        markers=[(1, 2, 2, 2), (0, 0, 0, 0)],
    )
    play(game, games, "take card 1")
    assert games.to_play[0] == 0
    assert games.turn[0] == 1
    return game, games, seen_of(games), 1


def a_last_turn():
    """Seat 0 has counted; it watches the last turns of the others."""
    game, games = laid(3, to_play=1, end_cause=EndCause.LAST_ROOF, last_turns=2)
    return game, games, seen_of(games), 0


def after_the_end():
    game, games = laid(size=6, turn=29, options={"max_turns": 30})
    play(game, games, "take card 1")
    assert games.over[0] == TRUNCATED
    return game, games, seen_of(games), 0


# ---------------------------------------------------------------- a whole game


def cards_of_the_setup_were_shuffled_back():
    """Four more cards have shown a starting floor; they may lie anywhere again."""
    game = game_of(3, None, starting_floors=7)
    games = game.deal(1, seed=3)
    taken(game, games, ALL - 6)
    assert games.deck_size[0] == 6
    return game, games, seen_of(games), 1


def the_rest_of_the_second_deck():
    game = game_of(2, None, objectives="start", max_turns=1000)
    games = game.deal(1, seed=4)
    taken(game, games, ALL)
    assert games.deck_size[0] == 0
    taken(game, games, ALL - 4)
    assert games.deck_size[0] == 5
    return game, games, seen_of(games), 1


def a_new_game():
    """Of 41 cards, the next one and the last one."""
    games = game_of(2, None).deal(1, seed=5)
    return game_of(2, None), games, seen_of(games, places=(0, ALL - 1)), 1


def the_middle_of_a_whole_deck():
    game = game_of(4, None, starting_floors=5)
    games = game.deal(1, seed=6)
    return game, games, seen_of(games, places=(20, 21)), 0


# ---------------------------------------------------------------- a deck to be formed


def the_deck_runs_out():
    """Two cards are left; the third that is taken is the first of the discards, shuffled."""
    game, games = laid(size=2)
    return game, games, seen_of(games, refills=3, places=(0,)), 0


def no_deck_is_left():
    game, games = laid(3, size=0)
    return game, games, seen_of(games, refills=1, places=(38,)), 2


def no_deck_is_left_for_a_pending_refill():
    """The card with the multicolour floor lies on the discards already."""
    game, games = laid(size=0, market=("2 multicolour", *DEFAULT_MARKET[:2]))
    play(game, games, "take card 1")
    assert games.market[0, 0] == NO_CARD
    return game, games, seen_of(games, refills=1, places=(39,)), 1


def a_deck_just_formed():
    """All its cards were open; the first of them has been shown."""
    game, games = laid(4, size=0)
    taken(game, games, 1)
    assert games.deck_size[0] == ALL
    return game, games, seen_of(games, places=(0, 1)), 3


POSITIONS = (
    start_of_a_turn,
    six_cards_with_four_seats,
    a_roof_to_place,
    a_multicolour_floor_before_the_refill,
    a_substitute_before_the_refill,
    floors_to_return,
    an_extra_turn,
    a_last_turn,
    after_the_end,
    cards_of_the_setup_were_shuffled_back,
    the_rest_of_the_second_deck,
    a_new_game,
    the_middle_of_a_whole_deck,
    the_deck_runs_out,
    no_deck_is_left,
    no_deck_is_left_for_a_pending_refill,
    a_deck_just_formed,
)
NAMES = [make.__name__ for make in POSITIONS]


@functools.cache
def case_of(name):
    """Return the case of a position by its name."""
    game, games, seen, seat = next(make for make in POSITIONS if make.__name__ == name)()
    deals = tuple(all_deals(seen))
    assert len(set(deals)) == len(deals)
    look = functools.partial(deal_of, game, seen=seen)
    first = NAMES.index(name) * DRAWS
    return Case(game, games, deals, look, HIDDEN, seat, seen.refills > 0, first)


def test_tu_3_t9_there_are_positions_enough_with_deals_enough():
    assert_enough([case_of(name) for name in NAMES])


@pytest.mark.parametrize("name", NAMES)
def test_tu_3_t9_the_true_deal_agrees_with_what_was_seen(name):
    assert true_deal(case_of(name)) in case_of(name).deals


@pytest.mark.parametrize("name", NAMES)
def test_tu_3_t9_a_redeal_deals_every_deal_that_agrees_equally_often(name):
    """A short version; without compiled kernels it finds impossible deals only."""
    assert_short(case_of(name), len(NAMES))


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("name", NAMES)
def test_tu_3_t9_100_000_redeals_deal_every_deal_that_agrees_equally_often(name):
    assert_even(case_of(name), len(NAMES))


# ---------------------------------------------------------------- the test itself


def prefer_the_lower_card(trial, truth, rng):
    """Order the next two cards of the deck in 1 of 5 redeals."""
    size = int(trial.deck_size[0])
    if rng.random() < 0.2:
        trial.deck[0, size - 2 : size] = np.sort(trial.deck[0, size - 2 : size])


def cut_only(trial, truth, rng):
    """Cut the true deck instead of shuffling it, in 1 of 10 redeals."""
    size = int(trial.deck_size[0])
    if rng.random() < 0.1:
        trial.deck[0, :size] = np.roll(truth.deck[0, :size], rng.integers(size))


def deal_a_discard(trial, truth, rng):
    """Lay a discard on the deck in 1 of 50 redeals."""
    if rng.random() < 0.02:
        trial.deck[0, trial.deck_size[0] - 1] = trial.discards[0, 0]


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "disturb"),
    a_few(
        [
            ("start_of_a_turn", keep_the_truth),
            ("a_last_turn", prefer_the_lower_card),
            ("cards_of_the_setup_were_shuffled_back", cut_only),
            ("the_rest_of_the_second_deck", keep_the_truth),
            ("the_deck_runs_out", keep_the_truth),
            ("no_deck_is_left", keep_the_random_state),
            ("no_deck_is_left_for_a_pending_refill", keep_the_random_state),
            ("a_multicolour_floor_before_the_refill", deal_a_discard),
        ]
    ),
)
def test_an_uneven_redeal_fails(name, disturb):
    assert_uneven(case_of(name), disturb, len(NAMES))


@pytest.mark.parametrize("name", ("no_deck_is_left", "start_of_a_turn"))
def test_tu_4_t2_the_true_random_numbers_do_not_survive_a_redeal(name):
    assert_random_state_is_new(case_of(name))


def test_tu_4_t2_later_shuffles_follow_the_seed_of_the_redeal():
    """Each of ten seeds forms another deck, and not the true one."""
    assert_shuffles_follow_the_seed(case_of("no_deck_is_left"))


def show_another_card(trial, truth, rng):
    """Exchange a card of the market for one of the deck."""
    trial.market[0, 0], trial.deck[0, 0] = trial.deck[0, 0], trial.market[0, 0]


def test_a_redeal_that_changes_what_lies_open_fails():
    with pytest.raises(AssertionError, match="market"):
        redealt_counts(case_of("start_of_a_turn"), 1, show_another_card)
