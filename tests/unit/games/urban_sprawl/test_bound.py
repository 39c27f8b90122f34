"""README, "How long a game can be": the bound on plies, its parts, the depth of the agenda."""

import re

import numpy as np
import pytest

from sprawl_env.core.state import NOT_OVER
from sprawl_env.games.urban_sprawl import data_files
from sprawl_env.games.urban_sprawl.cards import DEEPEST
from sprawl_env.games.urban_sprawl.constants import (
    FIRST_EVENT,
    MAX_SEATS,
    NO_KIND,
    NUM_BLOCKS,
    NUM_CARDS,
    NUM_EVENTS,
    OFFICES,
    SIDE,
    VOCATIONS,
    Length,
)
from sprawl_env.games.urban_sprawl.invariants import MOST_PENDING
from sprawl_env.games.urban_sprawl.names import card_name, kind_name
from sprawl_env.games.urban_sprawl.rules.flow import advance
from sprawl_env.games.urban_sprawl.rules.lists import push_effects
from sprawl_env.games.urban_sprawl.rules.rails import can_draw, rebuild_planning
from sprawl_env.games.urban_sprawl.state import AGENDA_DEPTH
from sprawl_env.games.urban_sprawl.steps import (
    Step,
)
from sprawl_env.kernels.agenda import push
from sprawl_env.kernels.compile import JIT
from sprawl_env.kernels.rng import seed_state
from tests.unit.games.urban_sprawl.bound import (
    FACE_UP,
    bound_of,
    contract_or_event,
    deepest_agenda,
    depth_of_list,
    plies_of_list,
    plies_when_built,
)
from tests.unit.games.urban_sprawl.position import (
    card_of,
    check,
    game_of,
    is_done,
    kind_of,
    play,
    position,
    with_effects,
)

PAGE = (data_files.FOLDER.parent / "README.md").read_text(encoding="utf-8")
SEATS = (2, 3, 4)


# ---------------------------------------------------------------- the page


def told():
    """Return the table of the README: ``{(seats, length): (once, a turn, a deck)}``."""
    row = r"^\| (\d) \| (\w+) \| (\d+) \+ (\d+)·T \+ (\d+)·\(R \+ 1\) \|$"
    rows = re.findall(row, PAGE, re.MULTILINE)
    return {(int(seats), length): tuple(map(int, rest)) for seats, length, *rest in rows}


def test_the_page_tells_the_bound_of_the_packaged_data():
    expected = {
        (seats, length.name.lower()): tuple(bound_of(game_of(seats).tables[0], seats, length))
        for seats in SEATS
        for length in Length
    }
    assert told() == expected


# ---------------------------------------------------------------- its parts, worked out by hand

CARDS = {  # plies when built, or of the event, with 4 seats
    "Post Office": 1 + 5,  # PUBLIC SERVICE: from whom, five markers; no decision for the draw
    "Barber Shop": 1,  # wealth or prestige
    "Newspaper": (1 + 1) + 1 + 3,  # MEDIA; which office, then a tie, a park, a tie
    "Truck Stop": 1,  # which row
    "Ballpark": 1 + 1,  # which line is paid, which row
    "Duplex": 0,  # steals from each opponent
    "Police Station": (1 + 5) + 1,  # from one opponent
    "Rail Yard": (1 + 2) + (1 + 4) + 1,  # two vocations; which row, the other one follows
    "Radio Station": (1 + 1) + 1 + 5,  # which vocation, at most five markers
    "Temple": 2 + (17 + 8 + 4 + 4),  # who is next, and all RES tiles of the game
    "Marina": 2 + 17,  # of one lot only
    "Country Club": (1 + 4) + 1 + (2 + 3),  # where 5 goes; three opponents answer in an order
    "Casino": (1 + 4) + 4,  # four bids; no decision for the winner
    "Artists' Lofts": 1 + 2,  # the option, at most a move: which and where
    "Convention Center": 1 + 1,  # the zone, the place
    "City Hall": 1 + 1,  # to pay, the office
    "Incinerator": 1 + 1,  # which of the lowest, to save it
    "Student Housing": 3,  # EDUCATION has three markers
    "Airport": 4 * 2,
    "Sports Team": 1,
    "Redistricting": 2 + 3 + 4 * 2,
    "Blackout": 3,
    "Bond Issue": 3 + 4,
    "World's Fair": (1 + 1) + (1 + 1) + 4,
    "Olympic Games": 0,
}
EVENTS = {
    "Luxury Tax": 0,
    "Real Estate Auction": 3 + 4 * (1 + 1),
    "Urban Blight": 1 + 1,
    "Local Headlines": 1,
    "Flood": 3 + 4,
    "Population Boom": 1 + 1 + 2,
    "Permit Audit": (1 + 1) + 1,
    "Moving Day": 1 + 2,
    "Snap Election": (1 + 2) + 1,
}


@pytest.mark.parametrize("name", CARDS)
def test_plies_of_a_card_as_worked_out_by_hand(name):
    plies = plies_when_built(game_of(4).tables[0], card_of(name), 4)
    assert plies == CARDS[name]


@pytest.mark.parametrize("name", EVENTS)
def test_plies_of_a_planning_event_as_worked_out_by_hand(name):
    plies = of_event(game_of(4).tables[0], kind_of(name) - FIRST_EVENT, 4)
    assert plies == EVENTS[name]


def of_event(t, event, seats):
    return plies_of_list(t, int(t.event_first[event]), int(t.event_count[event]), seats)


def test_a_contract_also_takes_three_plies_and_each_card_it_brings_one():
    t = game_of(4).tables[0]
    for name, more in (("Barber Shop", 3), ("Post Office", 3 + 1), ("Recycling Center", 3 + 2)):
        whole = contract_or_event(t, card_of(name), 4, ballot=3, spent=1)
        assert whole == plies_when_built(t, card_of(name), 4) + more


@pytest.mark.parametrize(
    ("effect", "plies"),
    [
        ({"do": "draw", "who": "each", "amount": 9}, 0),
        ({"do": "discard", "who": "each", "amount": 9}, 3 + 4 * 9),
        ({"do": "gain", "who": "each", "what": "either", "amount": 1, "per": "vocation"}, 3 + 24),
        ({"do": "lose", "who": "each", "what": "either", "amount": 1}, 3 + 4),
        ({"do": "pay", "what": "either", "amount": 1, "zones": ["chosen"]}, 1 + 2 + 33),
        ({"do": "optional", "then": [{"do": "free_card"}, {"do": "give", "office": "chosen"}],
          "otherwise": [{"do": "election", "office": "mayor"}, {"do": "payout", "line": "row"}]},
         1 + 4),
        ({"do": "choose", "options": [{"do": "take"}, {"do": "vocation", "vocation": "chosen"}]},
         1 + 2),
        ({"do": "auction", "then": [{"do": "place", "who": "each", "zone": "chosen", "size": 1}]},
         4 + 3 + 4 * 2),
    ],
)  # fmt: skip
def test_plies_of_an_overlays_effect_follow_from_its_row(effect, plies):
    game, first = with_effects(game_of(4), [effect])
    assert plies_of_list(game.tables[0], first, 1, 4) == plies


def test_the_bound_follows_the_data():
    game = game_of(2)
    before = bound_of(game.tables[0], 2, Length.STANDARD)
    t = game.tables.copy()[0]
    t.permit_ballot[:] = 0  # no election by a card turned up
    t.opening_cards[1] += 2
    t.vocation_markers[VOCATIONS.index("FINANCE")] += 1  # once for each contract of the name
    after = bound_of(t, 2, Length.STANDARD)
    finance = sum(
        (t.card_vocation[card] == VOCATIONS.index("FINANCE")).any() for card in range(NUM_CARDS)
    )
    assert after.a_turn == before.a_turn - FACE_UP * 3
    assert after.once == before.once + 2 + finance


def test_a_deck_that_does_not_end_the_game_may_be_drawn_to_its_bottom():
    t = game_of(2).tables.copy()[0]
    whole = [sum(bound_of(t, 2, length)) for length in Length]
    assert len(set(whole)) == 3
    t.card_effects[card_of("Olympic Games")] = 0
    once = {bound_of(t, 2, length).once for length in Length}
    assert len(once) == 1
    assert once.pop() > bound_of(game_of(2).tables[0], 2, Length.LONG).once


# ---------------------------------------------------------------- no card takes more

TAKES = 3 if JIT else 2
TRIES = range(6 if JIT else 1)


def crowded(seats, seed):
    """Return a full city with ties everywhere, full hands and no vocation in the supply."""
    rng = np.random.default_rng(seed)
    tiles = {zone: [*counts] for zone, counts in TILES.items()}
    buildings = {"A1 TL": ("RES", 0)}  # of the contract just built
    tiles["RES"][0] -= 1
    for block in rng.permutation(np.arange(1, NUM_BLOCKS)).tolist():
        place = f"{'ABCDEF'[block % SIDE]}{block // SIDE + 1}"
        for part, size in PARTITIONS[rng.integers(len(PARTITIONS))]:
            zone = str(rng.choice([zone for zone in tiles if tiles[zone][size - 1]] or ["none"]))
            if zone != "none" and rng.random() < 0.75:
                tiles[zone][size - 1] -= 1
                owner = int(rng.integers(-1, seats))
                buildings[f"{place} {part}".strip()] = (zone, None if owner < 0 else owner)
    held = {seat: {} for seat in range(seats)}
    for k, name in enumerate(VOCATIONS):
        for marker in range(int(game_of(seats).tables[0].vocation_markers[k])):
            seat = (k + marker) % seats
            held[seat][name] = held[seat].get(name, 0) + 1
    offices = {office: int(rng.integers(seats)) for office in OFFICES}
    return position(
        seats,
        buildings=buildings,
        built="A1 TL",
        hands=[{k: 1, 9 + k: 1} for k in range(seats)],
        planning=[5, 5, 6, 6, 11],
        vocations=held,
        offices={office: offices[office] for office in OFFICES[: rng.integers(7)]},
        wealth=int(rng.integers(6, 60)),
        prestige=int(rng.integers(3, 60)),
        markers={"wealth 8": "grey AB", "prestige 5": "grey 3"},
    )


TILES = {
    zone: game_of().tables[0].tiles[k].tolist()
    for k, zone in enumerate(("CIV", "COM", "IND", "RES", "PARK"))
}
PARTITIONS = (
    (("TL", 1), ("TR", 1), ("BL", 1), ("BR", 1)),
    (("top", 2), ("BL", 1), ("BR", 1)),
    (("left", 2), ("right", 2)),
    (("-BR", 3), ("BR", 1)),
    (("", 4),),
)


def plies_taken(game, games, rng):
    """Answer at random until the turn goes on; return the number of plies."""
    before = int(games.ply[0])
    while games.over[0] == NOT_OVER and not is_done(games):
        game.play(games, 0, int(rng.choice(np.flatnonzero(game.legal_actions(games)))))
    return int(games.ply[0]) - before


def run_card(game, games, card):
    """Run a card of a contract deck as if it had just been built or revealed."""
    t, state = game.tables[0], games[0]
    seat = int(state.active)
    push_effects(state, seat, int(t.card_first[card]), int(t.card_effects[card]))
    if t.card_zone[card] >= 0:
        push(state, Step.TAKE_VOCATION, seat)
        state.agenda[int(state.agenda_size) - 1].card = card
    advance(t, state)


@pytest.mark.parametrize("seats", SEATS if JIT else (3,))
def test_no_card_takes_more_plies_than_the_bound_allows(seats):
    """Random play in crowded cities; most cards reach the bound, so it is tight."""
    rng = np.random.default_rng(seats)
    most = np.zeros(NUM_CARDS, int)
    allowed = np.array(
        [plies_when_built(game_of(seats).tables[0], card, seats) for card in range(NUM_CARDS)]
    )
    for seed in TRIES:
        game, drawn = crowded(seats, seed)
        for card in range(NUM_CARDS):
            for _ in range(TAKES):
                games = drawn.copy()
                run_card(game, games, card)
                most[card] = max(most[card], plies_taken(game, games, rng))
                worst = f"{card_name(game.tables, card)} took {most[card]}"
                assert most[card] <= allowed[card], worst
    if JIT:
        assert (most == allowed).mean() > 0.75


@pytest.mark.parametrize("seats", SEATS if JIT else (3,))
def test_no_planning_event_takes_more_plies_than_the_bound_allows(seats):
    rng = np.random.default_rng(seats)
    for seed in TRIES:
        game, drawn = crowded(seats, seed)
        t = game.tables[0]
        for event in range(NUM_EVENTS):
            for _ in range(TAKES):
                games = drawn.copy()
                first, count = int(t.event_first[event]), int(t.event_count[event])
                push_effects(games[0], 0, first, count)
                advance(t, games[0])
                taken = plies_taken(game, games, rng)
                assert taken <= of_event(t, event, seats), kind_name(t, FIRST_EVENT + event)


# ---------------------------------------------------------------- rebuilds of the planning deck


def rebuilds_of_an_end_of_turn(seed):
    """Count rebuilds when one space is empty and all cards but one are in hands or face up."""
    game, games = position(
        hands=[
            {0: 3, 1: 3, 2: 1, 3: 2, 4: 3, 7: 1, 8: 2, 9: 3, "renewal": 4},
            {6: 1, 10: 2, 11: 3, 12: 2, 13: 2, 14: 1, 15: 1, 16: 1},
        ],
        planning=[5, 5, 5, 6, None],
        discards=[6],
        only_planning=True,
        contracts=["High School", "Grade School", "Gas Station", "Clinic", "Dam"],
        tops={"town": "Duplex"},
        active_decks=("town",),
        prestige=5,
    )
    seed_state(games[0], seed)
    check(game, games)
    rng = np.random.default_rng(seed)
    chance, rebuilds = int(games.rng[0]), 0
    play(game, games, "decline")
    while not is_done(games):
        rebuilds += int(games.rng[0]) != chance
        chance = int(games.rng[0])
        game.play(games, 0, int(rng.choice(np.flatnonzero(game.legal_actions(games)))))
    return rebuilds + (int(games.rng[0]) != chance)


UNLUCKY = (4, 723)  # without the ruling two rebuilds, and twelve


@pytest.mark.parametrize("seed", UNLUCKY)
def test_u41_one_end_of_turn_rebuilds_the_deck_once(seed):
    """Each shuffle in which Permit Audit takes the only card would cause the next shuffle."""
    assert rebuilds_of_an_end_of_turn(seed) <= 1


def test_u41_a_rebuild_in_the_actions_of_a_turn_does_not_count_in_its_end():
    game, games = position(hands=[{0: 1}], planning=[None] * 5, discards=[1], only_planning=True)
    state = games[0]
    assert can_draw(state)
    rebuild_planning(state)
    state.planning_discards[2] += 1
    state.planning_size = 0
    assert not can_draw(state)
    play(game, games, "decline")
    assert games.planning[0, 0] != NO_KIND


def test_the_bound_holds_whatever_is_rebuilt():
    bound = bound_of(game_of(2).tables[0], 2, Length.STANDARD)
    assert bound.most(300) == bound.after(300, 600)
    assert str(bound.most(300)) in PAGE.replace(",", "")


# ---------------------------------------------------------------- the agenda

DEEP = {"do": "election", "office": "all"}
FOR_EACH = {"do": "optional", "who": "each"}


def deepest_of_any_overlay():
    """Return the deepest list of effects that the data files may hold."""
    effect = DEEP
    for _ in range(DEEPEST):
        effect = {**FOR_EACH, "then": [effect]}
    game, first = with_effects(game_of(MAX_SEATS), [effect], event=True)
    return game, first, depth_of_list(game.tables[0], first, 1)


def test_the_agenda_has_room_for_the_packaged_cards_and_for_any_overlay():
    """The deepest agenda: an event at the end of a turn with the deepest effects."""
    _, _, depth = deepest_of_any_overlay()
    assert depth == 1 + 6 + 2 * DEEPEST
    assert deepest_agenda(game_of(4).tables[0]) <= 3 + depth <= MOST_PENDING
    # a loaded position may have MOST_PENDING entries, the top one a decision
    assert MOST_PENDING - 1 + depth < AGENDA_DEPTH


def test_the_deepest_effects_reach_the_depth_that_is_worked_out():
    """No seat leads in vocations alone, so each election needs a decision."""
    game, first, depth = deepest_of_any_overlay()
    drawn = {"vocations": {0: {"ENERGY": 1}}, "offices": {"mayor": 0}, "contractor": True}
    _, games = position(4, **drawn, game=game)
    push_effects(games[0], 0, first, 1)
    advance(game.tables[0], games[0])
    most = 0
    rng = np.random.default_rng(0)
    while not is_done(games):
        most = max(most, int(games.agenda_size[0]) - 1)
        actions = np.flatnonzero(game.legal_actions(games))
        accepts = 1 if 1 in actions else int(rng.choice(actions))
        game.play(games, 0, accepts)
    assert most == depth
