"""US 6.1, U11 to U13: the deal, the claims, MEDIA."""

import numpy as np
import pytest

import sprawl_env
from sprawl_env.core.state import NOBODY
from sprawl_env.games.urban_sprawl.constants import (
    DECK_CARDS,
    DECKS,
    FIRST_EVENT,
    NO_CARD,
    NO_KIND,
    ZONES,
)
from sprawl_env.games.urban_sprawl.data_files import FOLDER
from sprawl_env.games.urban_sprawl.steps import (
    Step,
)
from tests.unit.games.urban_sprawl.position import (
    asks,
    building_at,
    game_of,
    legal,
    office_of,
    planning_of,
    play,
    prestige_of,
    row_of,
    step_of,
    tops_of,
    value_of,
    vocations_of,
    wealth_of,
)

STARTING = {
    "A1 BR": ("RES", 4),
    "F1 BL": ("RES", 5),
    "A6 TR": ("RES", 3),
    "F6 TL": ("RES", 4),
    "E2 BL": ("COM", 6),
    "D3 BL": ("COM", 7),
    "C4 TR": ("COM", 6),
    "B5 TR": ("COM", 6),
    "B2 BR": ("IND", 7),
    "C3 BR": ("IND", 6),
    "D4 TL": ("CIV", 7),
    "E5 TL": ("CIV", 5),
}
SEEDS = range(8)


def dealt(num_players=2, seed=1, **options):
    game = game_of(num_players, **options)
    return game, game.deal(1, seed)


def claim_all(game, games, order):
    for place in order:
        play(game, games, f"site {place}")


@pytest.mark.parametrize(("seats", "wealth"), [(2, 39), (3, 27), (4, 21)])
def test_us_6_1_what_the_seats_begin_with(seats, wealth):
    _, games = dealt(seats)
    assert wealth_of(games) == [wealth] * seats
    assert prestige_of(games) == [0] * seats
    assert games.hand[0].sum(axis=1)[:seats].tolist() == list(range(1, seats + 1))
    assert games.vocations.sum() == 0
    assert [office_of(games, "mayor"), games.in_play[0], games.pawn[0]] == [None, 1, 0]


def test_us_1_starting_buildings_with_their_values():
    game, games = dealt()
    assert legal(game, games) == {f"site {place}" for place in STARTING}
    for place, (zone, value) in STARTING.items():
        assert building_at(games, place) == (zone, None)
        assert value_of(games, place.split()[0]) == value
    assert (games.corners[0] != 0).sum() == 12
    supply = game.tables[0].tiles.sum(axis=1) - games.tiles[0].sum(axis=1)
    assert dict(zip(ZONES, supply.tolist(), strict=True)) == {
        "CIV": 2,
        "COM": 4,
        "IND": 2,
        "RES": 4,
        "PARK": 0,
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_us_6_1_cards_face_up_and_nothing_triggers_during_the_setup(seed):
    """Ruling U12: no ballot and no payout.  The four planning cards are face up."""
    game, games = dealt(4, seed)
    assert None not in planning_of(games)
    assert None not in row_of(game, games)
    assert tops_of(game, games)[1:] == [None, None]
    assert tops_of(game, games)[0] is not None
    assert games.deck_size[0].tolist() == [DECK_CARDS - 6, DECK_CARDS, DECK_CARDS]
    assert (games.pawn[0], games.active_decks[0]) == (0, 1)
    assert wealth_of(games) == [21] * 4
    assert (games.marker_at[0] == -1).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_us_6_1_no_event_among_the_top_22_planning_cards(seed):
    """Four Urban Renewals begin in the discards."""
    _, games = dealt(2, seed)
    deck = games.planning_deck[0, : games.planning_size[0]]
    assert len(deck) == 50 - (1 + 2) - 5
    assert (deck[:28] >= FIRST_EVENT).sum() == 14
    assert (deck[28:] >= FIRST_EVENT).sum() == 0
    assert games.no_events[0] == len(deck) - 28
    assert games.planning_discards[0].sum() == games.planning_discards[0, 17] == 4


@pytest.mark.parametrize(
    ("length", "below", "within"), [("standard", 15, 7), ("long", 9, 10), ("short", 18, 10)]
)
def test_us_6_1_the_special_event_lies_in_the_middle_stack(length, below, within):
    game = game_of(2, length=length)
    places = set()
    for seed in range(150):
        games = game.deal(1, seed)
        for deck in range(3):
            special = game.tables[0].card_special[games.deck[0, deck]]
            (place,) = np.flatnonzero(special[: games.deck_size[0, deck]])
            places.add(int(place) - below)
    assert places == set(range(within))


def test_us_6_1_each_deck_holds_its_own_37_cards():
    _, games = dealt()
    for deck, name in enumerate(DECKS):
        cards = set(games.deck[0, deck, : games.deck_size[0, deck]].tolist())
        if name == "town":
            cards |= {*games.contract[0].tolist(), int(games.deck_top[0, 0])}
        assert cards == set(range(deck * DECK_CARDS, (deck + 1) * DECK_CARDS))
    assert NO_CARD not in games.contract[0]
    assert NO_KIND not in games.planning[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_u39_the_first_card_drawn_for_a_row_goes_to_the_cheapest_space(seed):
    """Hands are dealt first, seat by seat, then the spaces from 1 AP on, then the face-up top.

    Drawn cards stay in the array of the deck, after its size.
    """
    _, games = dealt(2, seed)
    drawn = games.planning_deck[0, :50][::-1].tolist()
    hands = [drawn[:1], drawn[1:3]]
    for seat, hand in enumerate(hands):
        assert games.hand[0, seat].tolist() == [hand.count(kind) for kind in range(18)]
    assert planning_of(games) == drawn[3:8]
    town = games.deck[0, 0][::-1].tolist()
    assert games.contract[0].tolist() == town[:5]
    assert games.deck_top[0, 0] == town[5]


# ---------------------------------------------------------------- claims


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_us_6_1_claims_go_clockwise_and_are_paid_at_their_value(seats):
    game, games = dealt(seats)
    wealth = wealth_of(games)
    for ply, (place, (zone, value)) in enumerate(STARTING.items()):
        seat = ply % seats
        assert asks(game, games)[:2] == (seat, Step.CLAIM)
        play(game, games, f"site {place}")
        wealth[seat] -= value
        assert wealth_of(games) == wealth
        assert building_at(games, place) == (zone, seat)
        if ply < 11:
            assert f"site {place}" not in legal(game, games)
    assert step_of(games) == Step.MAIN
    assert (games.active[0], games.points[0], games.turn[0]) == (0, 6, 0)


def by_value(seats):
    """Return an order of claims in which seat 0 gets the most expensive buildings."""
    dearest = sorted(STARTING, key=lambda place: -STARTING[place][1])
    own, others = dearest[: 12 // seats], dearest[12 // seats :]
    order = []
    for mine in own:
        order.append(mine)
        order += [others.pop() for _ in range(seats - 1)]
    return order


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_us_10_claims_may_cost_exactly_the_opening_wealth(seats):
    game, games = dealt(seats)
    claim_all(game, games, by_value(seats))
    assert wealth_of(games)[0] == 0
    assert step_of(games) == Step.MAIN


def test_us_6_1_a_claim_must_be_affordable():
    game, games = dealt(2)
    games.wealth[0, 0] = 4
    assert legal(game, games) == {"site A1 BR", "site A6 TR", "site F6 TL"}


# ---------------------------------------------------------------- MEDIA


def with_media(seats, order):
    game, games = dealt(seats)
    claim_all(game, games, order)
    return [seat for seat in range(seats) if vocations_of(games, seat)], games


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_us_6_1_media_goes_to_the_richest(seats):
    order = by_value(seats)
    holders, games = with_media(seats, order)
    wealth = wealth_of(games)
    best = [seat for seat in range(seats) if wealth[seat] == max(wealth)]
    if len(best) == 1:
        assert holders == best
    assert games.vocations_left[0, 7] == 0
    assert len(holders) == 1


# 33 each
EVEN = (
    ["D3 BL", "B2 BR", "E2 BL", "C3 BR", "A1 BR", "A6 TR"],
    ["D4 TL", "C4 TR", "B5 TR", "F1 BL", "E5 TL", "F6 TL"],
)


@pytest.mark.parametrize("seat", [0, 1])
def test_us_6_1_a_tie_goes_to_whoever_controls_the_res_of_value_3(seat):
    order = EVEN if seat == 0 else EVEN[::-1]
    plies = [place for pair in zip(*order, strict=True) for place in pair]
    holders, games = with_media(2, plies)
    assert wealth_of(games) == [6, 6]
    assert holders == [seat]


def test_u11_if_that_seat_is_not_tied_the_first_tied_one_gets_it():
    """3 seats: 0 has the RES of value 3 and is the poorest; 1 and 2 are tied."""
    seats = (
        ["A6 TR", "D3 BL", "D4 TL", "B2 BR"],  # 24
        ["F1 BL", "E2 BL", "C4 TR", "A1 BR"],  # 21
        ["E5 TL", "B5 TR", "C3 BR", "F6 TL"],  # 21
    )
    plies = [place for round_ in zip(*seats, strict=True) for place in round_]
    holders, games = with_media(3, plies)
    assert wealth_of(games) == [3, 6, 6]
    assert holders == [1]
    assert games.office[0].tolist() == [NOBODY] * 6


# ---------------------------------------------------------------- the rulebook's tie for MEDIA


@pytest.fixture(scope="module")
def by_most(tmp_path_factory):
    """Return the folder of a board whose tie for MEDIA is the rulebook's: most RES of value 4."""
    text = (FOLDER / "board.toml").read_text(encoding="utf-8")
    text = text.replace("tie_value = 3", "tie_value = 4", 1)
    text = text.replace('tie_reading = "controller"', 'tie_reading = "most"', 1)
    folder = tmp_path_factory.mktemp("by_most")
    (folder / "board.toml").write_text(text, encoding="utf-8")
    return folder


def media_after(seats, order, folder):
    game = sprawl_env.game("urban_sprawl", num_players=seats, data=folder)
    games = game.deal(1, seed=1)
    claim_all(game, games, order)
    (holder,) = [seat for seat in range(seats) if vocations_of(games, seat)]
    return holder, wealth_of(games)


def test_u42_by_the_rulebook_a_tie_goes_to_the_tied_seat_with_most_res_of_value_4(by_most):
    """The two readings disagree: seat 0 has the RES of value 3, seat 1 both of value 4."""
    three = [["A6 TR", "D3 BL", "E2 BL", "C4 TR"], ["A1 BR", "F6 TL", "D4 TL", "B2 BR"]]
    three += [["F1 BL", "E5 TL", "B5 TR", "C3 BR"]]  # all three pay 22
    order = [place for round_ in zip(*three, strict=True) for place in round_]
    assert media_after(3, order, by_most) == (1, [5, 5, 5])
    assert with_media(3, order)[0] == [0]


def test_u42_if_the_tied_seats_have_equally_many_the_first_gets_it(by_most):
    """33 each: seat 0 has one RES of value 4, so has seat 1, who has that of value 3 too."""
    order = [place for pair in zip(*EVEN[::-1], strict=True) for place in pair]
    assert media_after(2, order, by_most) == (0, [6, 6])
    assert with_media(2, order)[0] == [1]
