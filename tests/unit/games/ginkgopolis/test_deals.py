"""G25: ``redeal_hidden`` deals each deal that agrees with what the seat has seen equally often.

The observer is seat 0.  Each position comes with what the observer has seen, written by hand from
the rules; ``second_opinion/ginkgopolis_deals.py`` lists all deals that agree with it.
"""

import functools

import numpy as np
import pytest

from sprawl_env.games.ginkgopolis.constants import LETTERS, NO_CARD, Step
from tests.second_opinion.deals import (
    Case,
    assert_enough,
    assert_even,
    assert_short,
    assert_uneven,
    chance_of,
    keep_the_truth,
    true_deal,
)
from tests.second_opinion.ginkgopolis_deals import (
    DECK,
    HAL,
    HIDDEN,
    REMOVED,
    SUPPLY,
    Class,
    Seen,
    all_deals,
    deal_of,
)
from tests.suite import a_few
from tests.unit.games.ginkgopolis.position import (
    choose,
    discards_of,
    hand_of,
    overlay,
    play,
    play_on,
    position,
    step_of,
)

START_CARDS = {f"{colour} {k}" for colour in ("red", "blue", "yellow") for k in (1, 2, 3)}
ONE_REMOVED = ("components.toml", "[6, 6, 6, 0, 0]", "[1, 1, 1, 0, 0]")
NONE_REMOVED = ("components.toml", "[6, 6, 6, 0, 0]", "[0, 0, 0, 0, 0]")

# The removed tile is the last of those not named: seat 0 has all others behind its screen.
LAST = "yellow 20"
TWO_HANDS = [["A", "B", "C", "D"], ["E", "F", "G", "red 1"]]
THREE_HANDS = [["A", "B", "C", "D"], ["E", "F", "G", "H"], ["I", "J", "K", "L"]]


def laid(num_players=2, *changes, hands=TWO_HANDS, supply=("red 19",), tiles=("red 20",), **more):
    """Return a position; seat 0 has all tiles but those named, and the one removed."""
    return position(
        num_players,
        data=overlay(*(changes or (ONE_REMOVED,))),
        hands=hands,
        supply=supply,
        tiles=[[], tiles],
        rest_of_tiles=0,
        rest_of_cards="discards",
        **more,
    )


def classes(*parts):
    """Return classes of cards or tiles from pairs of names and places."""
    return tuple(Class(tuple(names), places) for names, places in parts)


def unseen_tiles(*held, supply=("red 19",)):
    """Return the class of tiles that seat 1, the supply or nobody may have, without run-out."""
    places = {1: len(held), SUPPLY: len(supply), REMOVED: 1}
    return classes(((*held, *supply, LAST), places))


def rest_of(games, *known):
    """Return the cards that the observer has not seen anywhere, without those of other classes."""
    seen = hand_of(games, 0) | discards_of(games)
    return sorted(({*LETTERS} | START_CARDS) - seen - set(known))


# ---------------------------------------------------------------- in the first round


def nothing_chosen():
    game, games = laid(deck=["H", "I"])
    cards = classes((("E", "F", "G", "red 1", "H", "I"), {1: 4, DECK: 2}))
    return game, games, Seen(cards, unseen_tiles("red 20"))


ONE_IN_DECK = classes((("E", "F", "G", "red 1", "H"), {1: 4, DECK: 1}))


def a_card_or_a_new_hand_chosen():
    game, games = laid(deck=["H"], first=1)
    play(game, games, "card E")
    return game, games, Seen(ONE_IN_DECK, unseen_tiles("red 20"), card_or_new_hand=(1,))


def a_tile_or_none_chosen():
    game, games = laid(deck=["H"], first=1, tiles=("red 20", "red 18"))
    play(game, games, "card E", "card A", "with tile red 18")
    tiles = unseen_tiles("red 20", "red 18")
    return game, games, Seen(ONE_IN_DECK, tiles, card_down=(1,), perhaps_tile=(1,))


def a_tile_on_a_card():
    game, games = laid(deck=["H"], tiles=("red 20", "red 18"))
    choose(game, games, "A", ("red 1", "red 18"))
    tiles = unseen_tiles("red 20", "red 18")
    return game, games, Seen(ONE_IN_DECK, tiles, card_down=(1,), tile_down=(1,))


def no_tile_on_a_card():
    game, games = laid(deck=["H"], tiles=("red 20", "red 18"))
    choose(game, games, "A", "red 1")
    return game, games, Seen(ONE_IN_DECK, unseen_tiles("red 20", "red 18"), card_down=(1,))


def hals_card():
    game, games = laid(1, hands=[["A", "B", "C"]], hal_card="D", deck=["E", "F", "G"],
                       supply=("red 19", "red 20"), tiles=())  # fmt: skip
    cards = classes((("D", "E", "F", "G"), {HAL: 1, DECK: 3}))
    tiles = classes((("red 19", "red 20", LAST), {SUPPLY: 2, REMOVED: 1}))
    return game, games, Seen(cards, tiles)


# ---------------------------------------------------------------- cards passed on


def passed_cards():
    """Seat 1 has the three cards that seat 0 passed on and one that it drew."""
    game, games = laid(deck=["H", "I", "J", "K"])
    choose(game, games, "A", "E")
    play_on(game, games)
    play(game, games, "card B")
    cards = classes((("H", "J", "K"), {1: 1, DECK: 2}))
    hands = {1: ("B", "C", "D")}
    return game, games, Seen(cards, unseen_tiles("red 20"), hands, card_or_new_hand=(1,))


def cards_passed_on_twice():
    """Of seat 2's cards, C and D were seat 0's; of seat 1's, K, L and red 3."""
    deck = ["red 1", "red 2", "red 3", "blue 1", "blue 2", "blue 3", "yellow 1"]
    game, games = laid(3, hands=THREE_HANDS, deck=deck)
    for plays in (("A", "E", "I"), ("B", "F", "J")):
        choose(game, games, *plays)
        play_on(game, games)
    play(game, games, "card C")
    cards = classes((("red 1", "blue 1", "blue 3", "yellow 1"), {1: 1, 2: 2, DECK: 1}))
    hands = {1: ("K", "L", "red 3"), 2: ("C", "D")}
    return game, games, Seen(cards, unseen_tiles("red 20"), hands, card_or_new_hand=(2,))


# ---------------------------------------------------------------- a deck formed anew


def deck_formed_anew():
    """Seat 1 draws the last card of the old deck, seats 2 and 0 the first of the new one."""
    game, games = laid(3, hands=THREE_HANDS, deck=["red 1"])
    choose(game, games, "A", "E", "I")
    play_on(game, games)
    play(game, games, "card B")
    old = ("red 1", "F", "G", "H")
    new = rest_of(games, *old, "B", "C", "D")
    assert len(new) == 3
    cards = classes((old, {1: 1, 2: 3}), (new, {2: 1, DECK: 2}))
    hands = {1: ("B", "C", "D")}
    return game, games, Seen(cards, unseen_tiles("red 20"), hands, card_or_new_hand=(1,))


def deck_formed_anew_twice():
    """Every older card is known: all others of its class have been seen."""
    game, games = laid(3, hands=THREE_HANDS, deck=["red 1"])
    choose(game, games, "A", "E", "I")
    play_on(game, games)
    passed = hand_of(games, 0) - {"J"}  # K, L and a card of the second deck
    second = set(rest_of(games, "red 1", "F", "G", "H", "B", "C", "D")) | passed - {"K", "L"}
    assert len(second) == 4
    choose(game, games, "B", "F", "J")
    play_on(game, games)
    play(game, games, "card C")
    (drawn,) = second - passed - hand_of(games, 0)
    known = ("C", "D", "red 1", drawn)
    new = rest_of(games, *known, *passed)
    assert len(new) == 3
    cards = classes((new, {1: 1, DECK: 2}))
    hands = {1: tuple(passed), 2: known}
    return game, games, Seen(cards, unseen_tiles("red 20"), hands, card_or_new_hand=(2,))


def new_hand_across_two_decks():
    """Seat 1 draws two cards of the old deck and two of the new one; seat 2 has chosen a card."""
    game, games = laid(
        3, NONE_REMOVED, hands=THREE_HANDS, deck=["red 1", "red 2"], first=1, tiles=()
    )
    play(game, games, "new hand", "card I", "card A")
    old = ("I", "J", "K", "L", "red 1", "red 2")
    new = rest_of(games, *old)
    assert len(new) == 4
    cards = classes((old, {1: 2, 2: 4}), (new, {1: 2, DECK: 2}))
    tiles = classes((("red 19",), {SUPPLY: 1}))
    return game, games, Seen(cards, tiles, card_down=(2,))


# ---------------------------------------------------------------- tiles shown and returned


def shown_tile():
    """Seat 1 has no resource to urbanize and takes red 20 back."""
    more = {"tiles": ("red 20", "red 18", "blue 20"), "resources": [5, 0]}
    game, games = laid(deck=["H", "I", "J", "K"], **more)
    choose(game, games, "A", ("E", "red 20"))
    play_on(game, games)
    return game, games


SHOWN = {
    "cards": classes((("H", "J", "K"), {1: 1, DECK: 2})),
    "tiles": unseen_tiles("red 18", "blue 20"),
    "hands": {1: ("B", "C", "D")},
    "screens": {1: ("red 20",)},
}


def a_tile_taken_back():
    game, games = shown_tile()
    play(game, games, "card B")
    return game, games, Seen(**SHOWN, card_or_new_hand=(1,))


def a_tile_taken_back_may_be_played_again():
    game, games = shown_tile()
    own = min(hand_of(games, 0))
    play(game, games, "card B", f"card {own}", "with tile red 18")
    return game, games, Seen(**SHOWN, card_down=(1,), perhaps_tile=(1,))


def returning_after_the_observer():
    """Seat 1 answers after seat 0: in the second pass it has returned one tile or none.

    One of its three tiles lies on its card.
    """
    game, games = laid(deck=["H"], tiles=("red 20", "red 18", "blue 20"))
    choose(game, games, "A", ("red 1", "red 18"))
    play(game, games, "take tile", "return red 4", "return red 20")
    assert step_of(games) == Step.RETURN
    tiles = classes((("red 20", "red 18", "blue 20", LAST), {1: 3, REMOVED: 1}))
    answers = {"card_down": (1,), "tile_down": (1,), "returned": {1: (0, 1)}}
    return game, games, Seen(ONE_IN_DECK, tiles, **answers)


def returning_before_the_observer():
    """Seat 1 answers before seat 0: it has returned two tiles, one or none."""
    game, games = laid(deck=["H"], first=1, tiles=("red 20", "red 18", "blue 20", "blue 19"))
    choose(game, games, "E", "A")
    play(game, games, "take resource", "take tile")
    play(game, games, "return red 18", "return red 4", "return blue 19")
    assert games.to_play[0] == 0
    tiles = classes((("red 20", "red 18", "blue 20", "blue 19", LAST), {1: 4, REMOVED: 1}))
    cards = classes((("F", "G", "red 1", "H"), {1: 3, DECK: 1}))
    return game, games, Seen(cards, tiles, returned={1: (0, 1, 2)})


def returned_tiles():
    """Red 4, red 5 and seat 1's blue 20 are the new supply; seat 1 takes a tile of it."""
    game, games = laid(deck=["H", "I", "J", "K"], tiles=("red 20", "red 18", "blue 20"))
    choose(game, games, "A", "E")
    play(game, games, "take tile", "return red 4", "return blue 20", "return red 5")
    play(game, games, "done returning", "done returning", "take tile")
    play(game, games, "card B")
    tiles = classes(
        (("red 20", "red 18", LAST), {1: 2, REMOVED: 1}),
        (("red 4", "red 5", "blue 20"), {1: 1, SUPPLY: 2}),
    )
    cards = classes((("H", "J", "K"), {1: 1, DECK: 2}))
    return game, games, Seen(cards, tiles, {1: ("B", "C", "D")}, card_or_new_hand=(1,))


POSITIONS = (
    nothing_chosen,
    a_card_or_a_new_hand_chosen,
    a_tile_or_none_chosen,
    a_tile_on_a_card,
    no_tile_on_a_card,
    hals_card,
    passed_cards,
    cards_passed_on_twice,
    deck_formed_anew,
    deck_formed_anew_twice,
    new_hand_across_two_decks,
    a_tile_taken_back,
    a_tile_taken_back_may_be_played_again,
    returning_after_the_observer,
    returning_before_the_observer,
    returned_tiles,
)


@functools.cache
def case_of(name):
    """Return the case of a position by its name."""
    game, games, seen = next(make for make in POSITIONS if make.__name__ == name)()
    others = range(1, game.num_seats)
    deals = tuple(all_deals(seen, others))
    assert len(set(deals)) == len(deals)
    return Case(game, games, deals, lambda trial: deal_of(trial[0], others), HIDDEN)


NAMES = [make.__name__ for make in POSITIONS]


def test_gk_4_g25_there_are_positions_enough_with_deals_enough():
    assert_enough([case_of(name) for name in NAMES])


@pytest.mark.parametrize("name", NAMES)
def test_gk_4_g25_the_true_deal_agrees_with_what_was_seen(name):
    assert true_deal(case_of(name)) in case_of(name).deals


@pytest.mark.parametrize("name", NAMES)
def test_gk_4_g25_a_redeal_deals_every_deal_that_agrees_equally_often(name):
    """A short version; without compiled kernels it finds impossible deals only."""
    assert_short(case_of(name), len(NAMES))


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("name", NAMES)
def test_gk_4_g25_100_000_redeals_deal_every_deal_that_agrees_equally_often(name):
    assert_even(case_of(name), len(NAMES))


# ---------------------------------------------------------------- the test itself


def prefer_the_lower_card(trial, truth, rng):
    """Order the first two cards of the deck in 1 of 5 redeals."""
    size = int(trial.deck_size[0])
    if size > 1 and rng.random() < 0.2:
        trial.deck[0, :2] = np.sort(trial.deck[0, :2])


def mix_the_classes(trial, truth, rng):
    """Exchange a card of the new deck for an older one in 1 of 50 redeals."""
    hand = trial.hand[0, 2]
    if rng.random() < 0.02:
        old = [k for k in range(4) if hand[k] != NO_CARD and trial.age[0, hand[k]] > 0]
        hand[old[0]], trial.deck[0, 0] = trial.deck[0, 0], hand[old[0]]


def return_the_lowest(trial, truth, rng):
    """Put the lowest tiles aside in 1 of 4 redeals."""
    tiles, aside = int(trial.tiles[0, 1]), int(trial.returning[0, 1])
    lowest = tiles & -tiles
    if aside and lowest and aside & (aside - 1) == 0 and lowest < aside and rng.random() < 0.25:
        trial.tiles[0, 1] ^= lowest | aside
        trial.returning[0, 1] = lowest


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "disturb"),
    a_few(
        [
            ("a_tile_on_a_card", keep_the_truth),
            ("deck_formed_anew", keep_the_truth),
            ("passed_cards", prefer_the_lower_card),
            ("nothing_chosen", prefer_the_lower_card),
            ("deck_formed_anew", mix_the_classes),
            ("returning_before_the_observer", return_the_lowest),
        ]
    ),
)
def test_an_uneven_redeal_fails(name, disturb):
    assert_uneven(case_of(name), disturb, len(NAMES))


def test_the_chance_of_a_chi_square_is_that_of_the_tables():
    """The upper 5%, 1% and 0.1% points of printed tables; for two degrees exp(-x / 2)."""
    table = {(3.841, 1): 0.05, (18.307, 10): 0.05, (135.807, 100): 0.01, (1143.917, 1000): 0.001}
    for (square, freedom), chance in table.items():
        assert chance_of(square, freedom) == pytest.approx(chance, rel=2e-3)
    for square in (0.5, 2.0, 9.0, 40.0):
        assert chance_of(square, 2) == pytest.approx(np.exp(-square / 2), rel=1e-9)
    assert chance_of(0, 5) == 1
