"""U13: ``redeal_hidden`` deals each order that agrees with what was seen equally often.

Each position comes with what its observer has seen, written by hand from the rules;
``second_opinion/urban_sprawl_deals.py`` lists all deals that agree with it.  Cards are told apart
where a position names them.
"""

import functools
from collections import Counter

import numpy as np
import pytest

from sprawl_env.games.urban_sprawl.constants import (
    DECK_CARDS,
    FIRST_EVENT,
    NO_CARD,
    NUM_EVENTS,
    PLANNING_TOP,
)
from sprawl_env.games.urban_sprawl.names import card_name, kind_name
from sprawl_env.games.urban_sprawl.steps import Step
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
    true_deal,
)
from tests.second_opinion.urban_sprawl_deals import (
    DECKS,
    EVENT,
    HIDDEN,
    OTHER,
    Deck,
    Look,
    Planning,
    Seen,
    all_deals,
)
from tests.suite import a_few
from tests.unit.games.urban_sprawl.position import (
    card_of,
    game_of,
    hand_of,
    kind_of,
    play,
    position,
    run,
    step_of,
    with_tables,
)

SPECIAL = {"town": "Airport", "city": "Sports Team", "metropolis": "Olympic Games"}
ROW = ("High School", "Grade School", "Gas Station", "Clinic", "Dam")


def name_of(word):
    """Return the name of a planning card, e.g. of kind 5, ``"renewal"`` or ``"Flood"``."""
    return kind_name(game_of().tables, kind_of(word))


def names_of(*words):
    return tuple(name_of(word) for word in words)


def others(*words, size):
    """Return these words with as many others as make up the size."""
    return (*words, *[OTHER] * (size - len(words)))


# ---------------------------------------------------------------- whole decks


def dealt(num_players=2, seed=1, **options):
    """Return a new game, and the names of the contracts that lie open."""
    game = game_of(num_players, **options)
    games = game.deal(1, seed)
    lying = [*games.contract[0].tolist(), *games.deck_top[0].tolist()]
    return game, games, [card_name(game.tables, card) for card in lying if card != NO_CARD]


def claimed(game, games):
    """Claim the starting buildings in order."""
    while step_of(games) == Step.CLAIM:
        game.play(games, 0, int(np.flatnonzero(game.legal_actions(games))[0]))


def gone(games, deck, left):
    """Let the next cards of a contract deck leave the game; the special event stays."""
    row = DECKS.index(deck)
    cards = games.deck[0, row, :left].tolist()
    assert card_of(SPECIAL[deck]) in cards
    games.deck_size[0, row] = left


def invested(game, games, left):
    """Let the next planning cards go to the discards, as if seats had drawn and invested them."""
    while games.planning_size[0] > left:
        games.planning_size[0] -= 1
        games.planning_discards[0, games.planning_deck[0, games.planning_size[0]]] += 1
        games.no_events[0] = max(int(games.no_events[0]) - 1, 0)
    assert game.rules.violations(game.tables, games, 0) == []


def decks_of(games, **known):
    """Return what is unseen in the contract decks: ``deck=names``; the others are not told apart.

    The special event of a named deck is told apart.
    """
    found = {}
    for deck, size in zip(DECKS, games.deck_size[0].tolist(), strict=True):
        special = SPECIAL[deck] if deck in known else None
        cards = others(*known.get(deck, ()), size=size - (special is not None))
        found[deck] = Deck(cards, special)
    return found


def planning_of(games, permits=(), events=(), *, upper):
    """Return what is unseen in a planning deck with all events; others are not told apart."""
    size = int(games.planning_size[0])
    return Planning(
        others(*permits, size=size - NUM_EVENTS), others(*events, size=NUM_EVENTS), upper
    )


def two_of_town(game, games):
    """Return the names of two contracts in Town of which there is one card."""
    left = games.deck[0, 0, : games.deck_size[0, 0]].tolist()
    names = {card_name(game.tables, card) for card in left} - {"House", "Airport"}
    return sorted(names)[:2]


def new_game():
    """The three special events, each anywhere in its middle stack."""
    game, games, _ = dealt()
    known = decks_of(games, town=(), city=(), metropolis=())
    return game, games, Seen(planning_of(games, upper=22 - 8), **known), 1


def town_of_a_new_game():
    game, games, lying = dealt(4, seed=2)
    assert "Villa" not in lying
    claimed(game, games)
    planning = planning_of(games, upper=22 - 15)
    return game, games, Seen(planning, **decks_of(games, town=("Villa",))), 3


def town_in_its_middle_stack():
    """The upper stack and four cards of the middle one have left the game."""
    game, games, _ = dealt(3, seed=4)
    claimed(game, games)
    gone(games, "town", 18)
    town = two_of_town(game, games)
    planning = planning_of(games, upper=22 - 11)
    return game, games, Seen(planning, **decks_of(games, town=town)), 0


def town_of_a_long_game():
    """Of the middle stack of ten four are left."""
    game, games, _ = dealt(seed=13, length="long")
    claimed(game, games)
    gone(games, "town", 9 + 4)
    known = decks_of(games, town=two_of_town(game, games))
    return game, games, Seen(planning_of(games, upper=14), **known, length="long"), 0


def city_of_a_short_game():
    """An ordinary event lies anywhere."""
    game, games, _ = dealt(seed=5, length="short")
    claimed(game, games)
    known = decks_of(games, city=("Housing Boom",))
    return game, games, Seen(planning_of(games, upper=14), **known, length="short"), 1


def olympic_games_are_near():
    """Two cards of Metropolis' middle stack are left; Town and City have run out."""
    game, games = position(3, gone=("town", "city"), only_planning=True)
    cards = [card_of(name) for name in ("Port", "Temple", "Casino", "Marina")]
    rest = [card for card in range(2 * DECK_CARDS, 3 * DECK_CARDS) if card not in cards][:12]
    laid = [*rest, cards[0], cards[1], cards[2], card_of("Olympic Games"), cards[3]]
    games.deck[0, 2, : len(laid)] = laid
    games.deck_size[0, 2] = len(laid)
    return game, games, Seen(**decks_of(games, metropolis=("Port", "Temple"))), 1


def planning_deck_of_a_new_game():
    """Flood lies below the upper stack; a permit of which there is one copy lies anywhere."""
    game, games, _ = dealt(seed=3)
    (permit,) = names_of(16)
    assert permit not in open_planning(game, games)
    planning = planning_of(games, [permit], ["Flood"], upper=22 - 8)
    return game, games, Seen(planning, **decks_of(games)), 0


def open_planning(game, games):
    """Return the names of the planning cards that lie open, with repetitions."""
    kinds = [*games.planning[0].tolist()]
    for seat in range(game.num_seats):
        kinds += [k for k, n in enumerate(games.hand[0, seat].tolist()) for _ in range(n)]
    kinds += [k for k, n in enumerate(games.planning_discards[0].tolist()) for _ in range(n)]
    return Counter(kind_name(game.tables, kind) for kind in kinds)


def end_of_the_upper_stack():
    """Two cards of it are left above the 28 with the events."""
    game, games, _ = dealt(4, seed=2)
    claimed(game, games)
    invested(game, games, 30)
    planning = planning_of(games, events=["Flood", "Fire"], upper=2)
    return game, games, Seen(planning, **decks_of(games)), 2


def half_of_the_lower_stack():
    """All 48 other cards lie open; events and permits are mixed."""
    game, games, _ = dealt(3, seed=6)
    claimed(game, games)
    invested(game, games, 6)
    packaged = Counter({kind_name(game.tables, k): n for k, n in enumerate(copies())})
    permits = packaged - open_planning(game, games)
    events = {kind_name(game.tables, k) for k in range(FIRST_EVENT, FIRST_EVENT + NUM_EVENTS)}
    events -= set(open_planning(game, games))
    assert permits
    assert events
    planning = Planning(tuple(permits.elements()), tuple(events))
    return game, games, Seen(planning, **decks_of(games)), 1


def copies():
    """Return the copies of each kind of planning card that is no event."""
    t = game_of().tables[0]
    return [*t.permit_copies.tolist(), int(t.renewal_copies)]


# ---------------------------------------------------------------- the last cards of decks


def laid(num_players=2, **drawn):
    """Return a drawn position with full rows; only the named cards are face down."""
    filled = {"planning": [5, 5, 5, 6, 6], "contracts": ROW, "gone": DECKS}
    return position(num_players, **{**filled, "only_planning": True, **drawn})


def the_last_city_cards():
    """Sports Team has left the deck; an ordinary event is one of the last."""
    city = ("Hotel", "Brewery", "Bond Issue", "Ballpark", "Landfill")
    game, games = laid(4, decks={"city": city})
    return game, games, Seen(city=Deck(city)), 2


def a_few_cards_of_every_deck():
    decks = {
        "town": ("Church", "House", "Villa"),
        "city": ("Hotel", "Brewery", "Bond Issue"),
        "metropolis": ("Port", "Temple", "Blackout"),
    }
    planning = (13, "renewal", "Flood")
    game, games = laid(3, decks=decks, planning_deck=planning)
    known = {name: Deck(cards) for name, cards in decks.items()}
    permits, events = names_of(13, "renewal"), names_of("Flood")
    return game, games, Seen(Planning(permits, events), **known), 0


def a_rebuilt_planning_deck():
    """One stack, with Urban Renewal: an event may be the next card."""
    game, games = laid(planning_deck=(13, "renewal", "Flood", 0, "renewal", "Fire"))
    planning = Planning(names_of(13, 0, "renewal", "renewal"), names_of("Flood", "Fire"))
    return game, games, Seen(planning), 1


def an_event_being_executed():
    """The event itself has been shown."""
    game, games = laid(
        planning=[5, 5, 5, 6, None],
        planning_deck=("Flood", 13, 0, "Fire", "renewal", 14),
        buildings={"A1 TL": ("IND", 0), "A1 TR": ("IND", 0)},
    )
    play(game, games, "decline")
    assert step_of(games) == Step.DISASTER
    planning = Planning(names_of(13, 0, 14, "renewal"), names_of("Fire"))
    return game, games, Seen(planning), 1


def a_contract_event_being_executed():
    """The Treasurer picks a building because of Business Relocation."""
    city = ("Hotel", "Brewery", "Bond Issue", "Ballpark", "Landfill")
    game, games = laid(
        3,
        decks={"city": ("Business Relocation", *city)},
        offices={"treasurer": 2},
        buildings={"A1 TL": ("COM", 0), "A1 TR": ("COM", 1)},
    )
    play(game, games, "decline")
    assert step_of(games) == Step.TARGET
    return game, games, Seen(city=Deck(city)), 0


def a_top_taken():
    """The next card of Town stays face down until the end of the turn (US 6.2)."""
    town = ("Church", "House", "Villa", "Truck Stop", "Bakery")
    game, games = laid(4, decks={"town": town}, tops={"town": "Duplex"})
    play(game, games, "favor 5")
    assert games.deck_top[0, 0] == NO_CARD
    return game, games, Seen(town=Deck(town)), 3


def permits_being_paid():
    """What is paid lies open on the discards."""
    game, games = laid(
        3,
        planning_deck=(13, "renewal", "Flood", 7, "Fire"),
        hands=[{0: 3}],
        buildings={"A1 TL": ("CIV", 0)},
    )
    play(game, games, "build 3")
    while step_of(games) != Step.PERMITS:
        game.play(games, 0, int(np.flatnonzero(game.legal_actions(games))[-1]))
    planning = Planning(names_of(13, "renewal", 7), names_of("Flood", "Fire"))
    return game, games, Seen(planning), 2


# ---------------------------------------------------------------- a planning deck to be rebuilt


@functools.cache
def uneventful():
    """Return a game in which planning events do nothing."""
    tables = game_of().tables.copy()
    tables[0].event_count[:] = 0
    return with_tables(game_of(), tables)


def hoard(planning, *discarded, deck=()):
    """Return what is drawn: seat 0 has all permits but those named, all events are discarded."""
    left = copies()
    for word in (*(word for word in planning if word is not None), *discarded, *deck):
        left[kind_of(word)] -= 1
    hand = {("renewal" if k == len(left) - 1 else k): n for k, n in enumerate(left) if n}
    return {
        "planning": planning,
        "planning_deck": deck,
        "hands": [hand],
        "contracts": ROW,
        "gone": DECKS,
        "only_planning": True,
        "game": uneventful(),
    }


EVENTS = (EVENT,) * NUM_EVENTS


def the_planning_deck_runs_out():
    """The last two permits fill the row, the first of the rebuilt deck is the top."""
    game, games = position(**hoard([5, 5, None, None, None], 0, 14, deck=(13, 15)))
    planning = Planning(names_of(13, 15), rebuilt_of=(*names_of(0, 14), *EVENTS))
    return game, games, Seen(planning), 1, (2, 3)


def no_planning_card_is_left():
    game, games = position(**hoard([5, 5, 5, 6, None], "renewal", 14, 15))
    planning = Planning(rebuilt_of=(*names_of("renewal", 14, 15), *EVENTS))
    return game, games, Seen(planning), 0, ()


def a_planning_deck_just_rebuilt():
    """Events that came up for the top are on the discards again."""
    game, games = position(**hoard([5, 5, 5, 6, None], "renewal", 0, 14, 15))
    play(game, games, "decline")
    drawn = kind_name(game.tables, int(games.planning[0, PLANNING_TOP]))
    return game, games, Seen(rest_of(games, ("renewal", 0, 14, 15), drawn)), 0


def rest_of(games, discarded, drawn):
    """Return what is left of a rebuilt deck from which one permit, after some events, came."""
    came = int(games.planning_discards[0, FIRST_EVENT:].sum())
    permits = tuple(name for name in names_of(*discarded) if name != drawn)
    return Planning(permits, (EVENT,) * (NUM_EVENTS - came))


def a_planning_deck_rebuilt_by_an_effect():
    """A contract lets seat 0 draw the last card and the first permit of the new deck (U29)."""
    drawn = hoard([5, 5, 5, 6, None], "renewal", 0, 14, 15, deck=(13,))
    before = drawn["hands"][0]
    game, games = run({"do": "draw", "amount": 2}, **drawn)
    (kind,) = (k for k in ("renewal", 0, 14, 15) if hand_of(games, 0).get(k, 0) > before.get(k, 0))
    return game, games, Seen(rest_of(games, ("renewal", 0, 14, 15), name_of(kind))), 1


def events_drawn_by_an_effect():
    """They are discarded, so they lie open (U29)."""
    game, games = run(
        {"do": "draw", "amount": 1},
        planning_deck=("Luxury Tax", "Flood", 9, 13, 0, "Fire", "renewal", 14),
        only_planning=True,
        gone=DECKS,
    )
    planning = Planning(names_of(13, 0, "renewal", 14), names_of("Fire"))
    return game, games, Seen(planning), 1


POSITIONS = (
    new_game,
    town_of_a_new_game,
    town_in_its_middle_stack,
    town_of_a_long_game,
    city_of_a_short_game,
    olympic_games_are_near,
    planning_deck_of_a_new_game,
    end_of_the_upper_stack,
    half_of_the_lower_stack,
    the_last_city_cards,
    a_few_cards_of_every_deck,
    a_rebuilt_planning_deck,
    an_event_being_executed,
    a_contract_event_being_executed,
    a_top_taken,
    permits_being_paid,
    the_planning_deck_runs_out,
    no_planning_card_is_left,
    a_planning_deck_just_rebuilt,
    a_planning_deck_rebuilt_by_an_effect,
    events_drawn_by_an_effect,
)
NAMES = [make.__name__ for make in POSITIONS]


@functools.cache
def case_of(name):
    """Return the case of a position by its name."""
    made = next(make for make in POSITIONS if make.__name__ == name)()
    game, games, seen, seat, *ahead = made
    deals = all_deals(seen)
    told = {word for parts in deals for part in parts for word in part} - {OTHER}
    look = Look(game, told, *ahead)
    first = NAMES.index(name) * DRAWS
    return Case(game, games, deals, look, HIDDEN, seat, bool(ahead), first)


def test_u13_there_are_positions_enough_with_deals_enough():
    assert_enough([case_of(name) for name in NAMES])


@pytest.mark.parametrize("name", NAMES)
def test_u13_the_true_deal_agrees_with_what_was_seen(name):
    assert true_deal(case_of(name)) in case_of(name).deals


@pytest.mark.parametrize("name", NAMES)
def test_u13_a_redeal_deals_every_deal_that_agrees_equally_often(name):
    """A short version; without compiled kernels it finds impossible deals only."""
    assert_short(case_of(name), len(NAMES))


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("name", NAMES)
def test_u13_100_000_redeals_deal_every_deal_that_agrees_equally_often(name):
    assert_even(case_of(name), len(NAMES))


# ---------------------------------------------------------------- the test itself


def swap(cards, i, j):
    """Exchange two cards of a deck."""
    cards[[i, j]] = cards[[j, i]]


def special_of_town(trial):
    """Return the cards of Town and where Airport lies."""
    cards = trial.deck[0, 0]
    return cards, int(np.flatnonzero(cards[: trial.deck_size[0, 0]] == card_of("Airport"))[0])


def special_event_sooner(trial, truth, rng):
    """Let Airport be the next card of its stack in 1 of 5 redeals."""
    cards, place = special_of_town(trial)
    if rng.random() < 0.2:
        swap(cards, place, min(int(trial.deck_size[0, 0]), 22) - 1)


def special_event_below(trial, truth, rng):
    """Let Airport lie on top of the lowest stack in 1 of 50 redeals."""
    cards, place = special_of_town(trial)
    if rng.random() < 0.02:
        swap(cards, place, 14)


def event_above(trial, truth, rng):
    """Let an event be the next planning card in 1 of 50 redeals."""
    size = int(trial.planning_size[0])
    kinds = trial.planning_deck[0, :size]
    if rng.random() < 0.02:
        swap(kinds, size - 1, int(np.flatnonzero(kinds >= FIRST_EVENT)[-1]))


def permits_keep_their_stack(trial, truth, rng):
    """Shuffle the two planning stacks apart in 1 of 2 redeals."""
    if rng.random() < 0.5:
        kinds, size = truth.planning_deck[0], int(truth.planning_size[0])
        trial.planning_deck[0, :28] = rng.permutation(kinds[:28])
        trial.planning_deck[0, 28:size] = rng.permutation(kinds[28:size])


def events_later(trial, truth, rng):
    """Lay an event that is the next planning card below the second in 1 of 4 redeals."""
    size = int(trial.planning_size[0])
    kinds = trial.planning_deck[0]
    if kinds[size - 1] >= FIRST_EVENT and rng.random() < 0.25:
        swap(kinds, size - 1, size - 2)


def prefer_the_lower_card(trial, truth, rng):
    """Order the next two cards of City in 1 of 5 redeals."""
    size = int(trial.deck_size[0, 1])
    if rng.random() < 0.2:
        trial.deck[0, 1, size - 2 : size] = np.sort(trial.deck[0, 1, size - 2 : size])


def same_order_in_two_decks(trial, truth, rng):
    """Give City the order of Town in 1 of 5 redeals: each deck by itself is still even."""
    if rng.random() < 0.2:
        order = np.argsort(trial.deck[0, 0, :3])
        trial.deck[0, 1, :3] = np.sort(trial.deck[0, 1, :3])[order]


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "disturb"),
    a_few(
        [
            ("the_last_city_cards", keep_the_truth),
            ("a_contract_event_being_executed", prefer_the_lower_card),
            ("a_few_cards_of_every_deck", same_order_in_two_decks),
            ("a_rebuilt_planning_deck", keep_the_truth),
            ("the_planning_deck_runs_out", keep_the_truth),
            ("the_planning_deck_runs_out", keep_the_random_state),
            ("no_planning_card_is_left", keep_the_random_state),
            ("town_of_a_new_game", special_event_sooner),
            ("town_in_its_middle_stack", special_event_sooner),
            ("town_in_its_middle_stack", special_event_below),
            ("end_of_the_upper_stack", event_above),
            ("planning_deck_of_a_new_game", permits_keep_their_stack),
            ("a_rebuilt_planning_deck", events_later),
        ]
    ),
)
def test_an_uneven_redeal_fails(name, disturb):
    assert_uneven(case_of(name), disturb, len(NAMES))


@pytest.mark.parametrize("name", ("no_planning_card_is_left", "new_game"))
def test_u28_the_true_random_numbers_do_not_survive_a_redeal(name):
    assert_random_state_is_new(case_of(name))


def test_u28_later_shuffles_follow_the_seed_of_the_redeal():
    """Each of ten seeds rebuilds another planning deck, and not the true one."""
    assert_shuffles_follow_the_seed(case_of("no_planning_card_is_left"))
