"""GK §3, G1, G8, G12: hands, new hands, passing and the deck."""

import numpy as np
import pytest

from sprawl_env.games.ginkgopolis.constants import LETTERS, Step
from sprawl_env.games.ginkgopolis.names import tiles_in
from sprawl_env.games.ginkgopolis.wording import card_name
from tests.unit.games.ginkgopolis.position import (
    LOOK_EVERY,
    START,
    choose,
    deck_of,
    discards_of,
    game_of,
    hand_of,
    legal_names,
    play,
    play_on,
    position,
    random_game,
    step_of,
    workers_of,
)

ALL_CARDS = {*LETTERS, *START}


# ---------------------------------------------------------------- choosing


def test_gk_3_all_choose_cards_first_then_tiles_from_the_first_player_on():
    game, games = position(3, first=1, tiles=[["red 4"], ["blue 4", "red 5"], []])
    asked = []
    for seat in (1, 2, 0):
        asked.append((int(games.to_play[0]), step_of(games)))
        assert legal_names(game, games) - {"new hand"} == {
            f"card {card}" for card in hand_of(games, seat)
        }
        play(game, games, f"card {min(hand_of(games, seat))}")
    offered = []
    for _ in range(3):
        asked.append((int(games.to_play[0]), step_of(games)))
        offered.append(legal_names(game, games))
        if len(offered) < 3:
            play(game, games, "without tile")
    assert asked == [(seat, step) for step in (Step.CARD, Step.TILE) for seat in (1, 2, 0)]
    assert offered == [
        {"with tile red 5", "with tile blue 4", "without tile"},
        {"without tile"},
        {"with tile red 4", "without tile"},
    ]


def test_gk_3_the_card_stays_in_the_hand_until_it_is_revealed():
    game, games = position(hands=[["A"], ["B"]])
    choose(game, games, "A", "B")  # seat 0 decides what to take, seat 1 has not revealed
    assert "A" not in hand_of(games, 0)
    assert "B" in hand_of(games, 1)
    play(game, games, "take tile")
    assert "B" not in hand_of(games, 1)


# ---------------------------------------------------------------- new hand

HANDS = [["A", "B", "C", "red 1"], ["D", "E", "F", "red 2"]]
NEXT = ("G", "H", "I", "J", "blue 1", "blue 2", "blue 3", "K")


@pytest.mark.parametrize(("tokens", "offered"), [(0, False), (1, True), (2, True)])
def test_g1_a_new_hand_is_offered_while_a_token_is_left(tokens, offered):
    game, games = position(tokens=[tokens])
    assert ("new hand" in legal_names(game, games)) == offered


def test_g1_a_new_hand_takes_effect_at_the_end_of_the_pass():
    game, games = position(hands=HANDS, deck=NEXT)
    play(game, games, "new hand")
    assert hand_of(games, 0) == set(HANDS[0])
    assert games.tokens[0, 0] == 2
    assert games.to_play[0] == 1
    play(game, games, "card D")
    assert hand_of(games, 0) == set(NEXT[:4])
    assert games.tokens[0].tolist()[:2] == [1, 2]
    assert discards_of(games) == set(HANDS[0])
    assert deck_of(games)[:4] == list(NEXT[4:])


def test_g1_only_who_took_a_new_hand_owes_a_card_again():
    game, games = position(3, first=1)
    play(game, games, f"card {min(hand_of(games, 1))}", "new hand", "new hand")
    assert (int(games.to_play[0]), step_of(games)) == (2, Step.CARD)
    play(game, games, f"card {min(hand_of(games, 2))}")
    assert (int(games.to_play[0]), step_of(games)) == (0, Step.CARD)
    play(game, games, f"card {min(hand_of(games, 0))}")
    assert (int(games.to_play[0]), step_of(games)) == (1, Step.TILE)
    assert hand_of(games, 1)  # its card stands


@pytest.mark.parametrize("first", [0, 1])
def test_g1_new_hands_are_drawn_in_seat_order_from_the_first_player(first):
    game, games = position(hands=HANDS, deck=NEXT, first=first)
    play(game, games, "new hand", "new hand")
    assert hand_of(games, first) == set(NEXT[:4])
    assert hand_of(games, 1 - first) == set(NEXT[4:])
    assert discards_of(games) == {*HANDS[0], *HANDS[1]}
    assert games.tokens[0].tolist()[:2] == [1, 1]


def test_g1_both_tokens_may_go_in_one_round_and_no_third():
    game, games = position(hands=HANDS, deck=NEXT)
    play(game, games, "new hand", "card D", "new hand")
    assert games.tokens[0, 0] == 0
    assert hand_of(games, 0) == set(NEXT[4:])
    assert discards_of(games) == {*HANDS[0], *NEXT[:4]}
    assert legal_names(game, games) == {f"card {card}" for card in NEXT[4:]}


def test_g1_a_new_hand_is_played_like_any_other():
    game, games = position(hands=HANDS, deck=NEXT)
    play(game, games, "new hand", "card D", "card G")
    assert step_of(games) == Step.TILE


def hides(game, games):
    return bool(game.kernels.hides(game.tables, games, 0))


def test_gk_3_others_do_not_see_what_is_chosen_until_the_seats_act():
    game, games = position(hands=HANDS, deck=NEXT)
    play(game, games, "new hand", "card D")
    assert game.kernels.owing(game.tables, games, 0) == 1  # seat 0 alone chooses again
    for answer in ("card G", "without tile", "without tile"):
        assert hides(game, games)
        play(game, games, answer)
    assert step_of(games) == Step.GAIN
    assert not hides(game, games)
    play_on(game, games)
    assert hides(game, games)


def test_gk_3_with_one_seat_nothing_is_hidden():
    game, games = position(1)
    assert not hides(game, games)


def test_g1_with_one_seat_there_is_no_new_hand():
    game, games = position(1)
    assert "new hand" not in legal_names(game, games)
    assert games.tokens[0].tolist() == [0] * 5


def test_g12_the_four_cards_are_discarded_before_the_four_are_drawn():
    game, games = position(
        4,
        hands=[["A", "B", "C", "D"], ["E", "F", "G", "H"], ["I", "J", "K", "L"], START[:4]],
        deck=["red 2", "red 3"],
        rest_of_cards="discards",
    )
    play(game, games, "new hand", "card E", "card I", f"card {START[0]}")
    drawn = {"red 2", "red 3"}  # then the discards and A to D are shuffled, and it draws on
    pool = {*START[6:], *"ABCD"}
    assert drawn < hand_of(games, 0)
    assert hand_of(games, 0) - drawn < pool
    assert set(deck_of(games)) == pool - hand_of(games, 0)
    assert discards_of(games) == set()


# ---------------------------------------------------------------- passing


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_gk_3_unused_cards_and_the_first_player_card_go_to_the_next_seat(seats):
    first = seats - 1
    game, games = position(seats, first=first)
    hands = [hand_of(games, seat) for seat in range(seats)]
    chosen = [min(hand) for hand in hands]
    choose(game, games, *(chosen[(first + k) % seats] for k in range(seats)))
    play_on(game, games)
    assert games.first[0] == 0
    assert games.to_play[0] == 0
    assert games.rounds[0] == 2
    for seat in range(seats):
        kept = hands[seat] - {chosen[seat]}
        assert kept < hand_of(games, (seat + 1) % seats)
        assert len(hand_of(games, seat)) == 4


def test_gk_3_the_new_first_player_draws_first():
    game, games = position(3, deck=["G", "H", "I"], hands=[["A"], ["B"], ["C"]])
    choose(game, games, "A", "B", "C")
    play_on(game, games)
    assert [seat for card in "GHI" for seat in range(3) if card in hand_of(games, seat)] == [
        1,
        2,
        0,
    ]


def test_gk_3_cards_played_are_discarded_and_open():
    game, games = position(3, hands=[["A"], ["B"], ["C"]])
    choose(game, games, "A", "B", "C")
    play_on(game, games)
    assert discards_of(games) == set("ABC")


# ---------------------------------------------------------------- the deck is re-formed

SHORT = {"hands": [["A", "B", "C", "D"], ["E", "F", "G", "H"]], "rest_of_cards": "discards"}
POOL = {"A", "E", "I", "J", "K", *START}  # all but L and what is kept in hand


def end_round(**drawn):
    """Play A and E alone as seats 0 and 1, up to the end of the round."""
    game, games = position(**(SHORT | drawn))
    choose(game, games, "A", "E")
    play(game, games, "take resource", "take resource")
    assert games.rounds[0] == 2
    return game, games


def test_g12_a_card_that_is_not_the_last_forms_no_deck():
    _, games = end_round(deck=["L", "red 1", "red 2"])
    assert deck_of(games) == ["red 2"]
    assert discards_of(games) == POOL - {"red 1", "red 2"}


def test_g12_the_deck_is_formed_the_moment_its_last_card_is_drawn_then_drawing_goes_on():
    _, games = end_round(deck=["L"])
    assert "L" in hand_of(games, 1)  # the new first player
    drawn = hand_of(games, 0) - {"F", "G", "H"}
    assert len(drawn) == 1
    assert drawn < POOL
    assert len(discards_of(games)) == 7
    assert len(deck_of(games)) == len(POOL) - 7 - 1
    assert drawn | discards_of(games) | set(deck_of(games)) == POOL


def test_g12_it_is_formed_at_once_also_if_nobody_draws_any_more():
    _, games = end_round(deck=["L", "red 1"])
    assert "red 1" in hand_of(games, 0)
    assert len(discards_of(games)) == 7
    assert discards_of(games) | set(deck_of(games)) == POOL - {"red 1"}


@pytest.mark.parametrize(("seats", "face_up"), [(2, 7), (3, 7), (4, 0), (5, 0)])
def test_g12_with_1_to_3_seats_seven_cards_go_face_up_to_the_discards(seats, face_up):
    built = [(0, -1), (0, -2), (0, -3), (0, -4), (0, -5), (0, -6), (0, -7), (0, -8)]
    buildings = {cell: (f"blue {4 + k}", k % seats) for k, cell in enumerate(built)}
    game, games = position(
        seats,
        buildings=buildings,
        hands=[[letter] for letter in "ABCDE"[:seats]],
        deck=["yellow 3"],
        rest_of_cards="discards",
    )
    choose(game, games, *"ABCDE"[:seats])
    play_on(game, games)
    assert len(discards_of(games)) == face_up
    in_hands = 4 * seats
    assert len(deck_of(games)) == 21 + 8 - in_hands - face_up


def test_g12_the_cards_of_tiles_with_a_worker_join_and_the_workers_go_home():
    buildings = {(0, 0): ("red 9", 0, 2), (0, -1): ("blue 9", 1), (0, -2): ("blue 8", 1)}
    _, games = end_round(deck=["L"], buildings=buildings, workers=["red 9", "blue 9"])
    drawn = hand_of(games, 0) - {"F", "G", "H"}
    pool = (POOL - {"red 1"}) | {"red 9", "blue 9", "blue 8"}  # red 1 is covered
    assert drawn | discards_of(games) | set(deck_of(games)) == pool
    assert workers_of(games) == []


def test_g12_workers_stay_while_the_deck_lasts():
    buildings = {(0, 0): ("red 9", 0, 2)}
    _, games = end_round(deck=["L", "red 2", "red 3"], buildings=buildings, workers=["red 9"])
    assert workers_of(games) == ["red 9"]
    assert "red 9" not in discards_of(games) | set(deck_of(games))


def test_g12_a_card_kept_never_comes_back():
    buildings = {(0, 0): ("red 9", 0, 2)}
    _, games = end_round(deck=["L"], buildings=buildings, kept=[["red 1"]])
    everywhere = discards_of(games) | set(deck_of(games)) | hand_of(games, 0) | hand_of(games, 1)
    assert "red 1" not in everywhere
    assert "red 9" in everywhere


def test_g12_the_new_deck_is_shuffled():
    first_cards = set()
    for rng in range(1, 15):
        game, games = position(**SHORT, deck=["L", "red 1"], rng=rng)
        choose(game, games, "A", "E")
        play(game, games, "take resource", "take resource")
        first_cards.add(deck_of(games)[0])
    assert len(first_cards) > 3


# ---------------------------------------------------------------- setup and whole games


@pytest.mark.parametrize(
    ("seats", "deck", "discards"),
    [(1, 14 - 4, 7), (2, 14 - 8, 7), (3, 14 - 12, 7), (4, 5, 0), (5, 1, 0)],
)
def test_gk_1_the_first_deck_is_the_letters_and_the_cards_of_the_start(seats, deck, discards):
    options = {"characters": "introductory"} if seats > 1 else {}
    games = game_of(seats, **options).deal(1, seed=seats)
    assert (len(deck_of(games)), len(discards_of(games))) == (deck, discards)
    cards = [*deck_of(games), *discards_of(games)]
    for seat in range(seats):
        assert len(hand_of(games, seat)) == (3 if seats == 1 else 4)
        cards += hand_of(games, seat)
    if seats == 1:
        cards.append(card_name(int(games.hal_card[0])))
    assert sorted(cards) == sorted(ALL_CARDS)


@pytest.mark.parametrize("seats", [1, 2, 3, 4, 5])
def test_g8_deck_discards_hands_and_workers_are_21_and_the_urbanizations(seats):
    for ply, games in enumerate(random_game(game_of(seats), seed=seats)):
        if ply % LOOK_EVERY or step_of(games) != Step.CARD:
            continue
        assert games.deck_size[0] >= 1
        cards = [*deck_of(games), *discards_of(games), *workers_of(games)]
        cards += [card for seat in range(seats) for card in hand_of(games, seat)]
        cards += [card_name(int(games.hal_card[0]))] * (seats == 1)
        assert len(set(cards)) == len(cards) == 21 + int(games.num_sites[0]) - 9
        tops = [name for name in cards if name not in LETTERS]
        assert len(tops) == games.num_sites[0]
        assert not np.intersect1d(tiles_in(games.covered[0]), games.site_tile[0]).size
