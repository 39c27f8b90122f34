"""U13: only the order of face-down cards is hidden; a redeal changes nothing else."""

from collections import Counter

import numpy as np
import pytest

from sprawl_env.core.state import NOT_OVER
from sprawl_env.games.urban_sprawl.actions import ACTIONS
from sprawl_env.games.urban_sprawl.constants import FIRST_EVENT, NUM_DECKS
from sprawl_env.kernels.compile import JIT
from tests.unit.games.urban_sprawl.position import game_of, position

SEATS = (2, 3, 4) if JIT else (3,)
LOOK_EVERY = 7 if JIT else 90
LENGTHS = ("standard", "long", "short") if JIT else ("standard",)
HIDDEN = {"rng", "deck", "planning_deck"}
STACKS = {"standard": (15, 22), "long": (9, 19), "short": (18, 28)}
LIKES = {"build": 30, "planning": 6, "favor": 0.5, "decline": 0.3, "permit": 0.3}


def random_game(game, seed):
    """Play a random game that prefers building; yield it every few plies and at its end."""
    games = game.deal(1, seed)
    rng = np.random.default_rng(seed)
    ply = 0
    while games.over[0] == NOT_OVER:
        if ply % LOOK_EVERY == 0:
            yield games
        actions = np.flatnonzero(game.legal_actions(games))
        weights = np.array([LIKES.get(ACTIONS.locate(int(a))[0], 1.0) for a in actions])
        game.play(games, 0, int(rng.choice(actions, p=weights / weights.sum())))
        ply += 1
    yield games


def redealt(game, games, seat=0, seed=1):
    other = games.copy()
    game.redeal_hidden(other, 0, seed, seat)
    return other


def shown(game, games):
    """Return everything that seats are shown, as bytes."""
    seen = [game.observe(games, 0, seat).tobytes() for seat in range(game.num_seats)]
    return [*seen, game.legal_actions(games).tobytes(), game.describe(games)]


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("seats", SEATS)
def test_u13_a_redeal_keeps_observation_mask_and_stacks(seats, length):
    game = game_of(seats, length=length)
    low, high = STACKS[length]
    special = game.tables[0].card_special
    for games in random_game(game, seats):
        before = shown(game, games)
        for seat in range(seats):
            other = redealt(game, games, seat, seed=seat + 5)
            assert shown(game, other) == before
            assert game.rules.violations(game.tables, other, 0) == []
            changed = {name for name in games.dtype.names if (games[name] != other[name]).any()}
            assert changed <= HIDDEN
            for deck in range(NUM_DECKS):
                size = int(games.deck_size[0, deck])
                cards, dealt = games.deck[0, deck, :size], other.deck[0, deck, :size]
                assert sorted(cards) == sorted(dealt)
                assert special[cards].any() == special[dealt].any()
                assert all(low <= k < high for k in np.flatnonzero(special[dealt]))
            size, known = int(games.planning_size[0]), int(games.no_events[0])
            dealt = other.planning_deck[0, :size]
            assert sorted(dealt) == sorted(games.planning_deck[0, :size])
            assert (dealt[size - known :] < FIRST_EVENT).all()


def test_u13_a_redeal_follows_its_seed():
    game = game_of(2)
    games = game.deal(1, seed=1)
    one, same, other = (redealt(game, games, seed=seed).tobytes() for seed in (5, 5, 6))
    assert one == same
    assert one != other


def test_u13_every_place_of_its_stack_is_possible_for_the_special_event():
    game = game_of(2)
    games = game.deal(1, seed=1)
    games.deck_size[0, 1] = 19  # as if 18 cards of City were drawn: four of its stack are left
    games.deck[0, 1, 16] = 37 + 36
    assert game.tables[0].card_special[games.deck[0, 1, 16]]
    places = Counter()
    for seed in range(200):
        cards = redealt(game, games, seed=seed).deck[0, 1, :19]
        places.update(int(k) for k in np.flatnonzero(game.tables[0].card_special[cards]))
    assert set(places) == {15, 16, 17, 18}


def test_u13_after_the_special_event_all_unseen_contracts_are_interchangeable():
    game, games = position(decks={"town": ["Bank"]}, gone=())
    games.deck_size[0, 0] = 10  # Airport, at the bottom in drawn positions, is taken out
    games.deck[0, 0, :10] = range(10)
    tops = {int(redealt(game, games, seed=seed).deck[0, 0, 9]) for seed in range(100)}
    assert tops == set(range(10))


def test_u13_ordinary_events_are_interchangeable_with_contracts():
    game = game_of(2)
    games = game.deal(1, seed=1)
    events = [37 + k for k in range(31, 36)]
    tops = {int(redealt(game, games, seed=seed).deck[0, 1, 36]) for seed in range(400)}
    assert tops & set(events)


def test_u13_the_lower_28_planning_cards_hold_all_events_until_a_rebuild():
    game = game_of(2)
    games = game.deal(1, seed=1)
    places = set()
    for seed in range(150):
        dealt = redealt(game, games, seed=seed).planning_deck[0, : games.planning_size[0]]
        places |= {int(k) for k in np.flatnonzero(dealt >= FIRST_EVENT)}
    assert places == set(range(28))
    games.no_events[0] = 0
    places = set()
    for seed in range(150):
        dealt = redealt(game, games, seed=seed).planning_deck[0, : games.planning_size[0]]
        places |= {int(k) for k in np.flatnonzero(dealt >= FIRST_EVENT)}
    assert places == set(range(int(games.planning_size[0])))


def test_u13_chance_to_come_is_dealt_anew():
    game = game_of(2)
    games = game.deal(1, seed=1)
    assert redealt(game, games).rng[0] != games.rng[0]


def test_us_6_11_hands_and_favors_are_seen_by_everybody():
    """All seats see the same except the order of face-down cards, which no seat sees."""
    game, games = position(hands=[{5: 2}, {3: 1, "renewal": 1}], favors=[["Bank"], ["House"]])
    layout = game.observation_layout
    for observer in (0, 1):
        hand = layout.view(game.observe(games, 0, observer), "hand")
        for k in (0, 1):
            expected = games.hand[0, (observer + k) % 2] / 9
            assert hand[k] == pytest.approx(expected)


@pytest.mark.parametrize("deck", range(NUM_DECKS))
def test_u13_the_order_of_face_down_cards_changes_no_observation(deck):
    game = game_of(3)
    games = game.deal(1, seed=2)
    before = shown(game, games)
    size = int(games.deck_size[0, deck])
    games.deck[0, deck, :size] = games.deck[0, deck, :size][::-1].copy()
    games.planning_deck[0, :28] = games.planning_deck[0, :28][::-1].copy()
    assert shown(game, games) == before
