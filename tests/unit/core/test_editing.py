"""Positions of one's own: what follows from printed facts is rebuilt, and the result checked."""

import itertools
import json

import numpy as np
import pytest

import sprawl_env
from examples import lots
from sprawl_env.core.errors import InvalidOption, PositionError, UnknownName
from sprawl_env.core.registry import rules_of
from sprawl_env.core.state import NOT_OVER, clone
from sprawl_env.games.ginkgopolis.constants import NO_TILE, NUM_TILES
from tests import toy

NAMES = ("ginkgopolis", "tower_up", "urban_sprawl")
SEATS = [
    (name, seats)
    for name in NAMES
    for allowed in [rules_of(name).options["num_players"]]
    for seats in range(allowed.low, allowed.high + 1)
]


def positions(name, seats, plies=60, every=7, seed=5):
    """Yield positions along a random game; also its last one."""
    game = sprawl_env.game(name, num_players=seats)
    games, rng = game.deal(1, seed), np.random.default_rng(seed)
    for ply in itertools.count():
        if games["over"][0] != NOT_OVER or ply == plies:
            break
        if ply % every == 0:
            yield game, clone(games)
        game.play(games, 0, int(rng.choice(np.flatnonzero(game.legal_actions(games, 0)))))
    yield game, clone(games)


@pytest.mark.parametrize(("name", "seats"), SEATS)
def test_what_follows_is_rebuilt_to_the_byte(name, seats):
    for game, games in positions(name, seats, plies=300, every=17, seed=seats):
        damaged = clone(games)
        follows = [field for field, declared in game.fields.items() if declared.follows]
        for field in follows:
            if not field.endswith("_size"):  # of a pile, from which its order is taken
                damaged[field][0] = 0
        game.rules.rebuild(game.tables, games, damaged, frozenset())
        for field in follows:
            assert damaged[field].tobytes() == games[field].tobytes(), field
        same = clone(games)
        game.edit(same, 0)
        assert same.tobytes() == games.tobytes()
        game.check(same)


def finish(game, games, seed=1):
    """Play random actions to the end; every tenth position must be possible."""
    rng = np.random.default_rng(seed)
    for ply in itertools.count():
        if ply % 10 == 0:
            assert game.rules.violations(game.tables, games, 0) == []
        if games["over"][0] != NOT_OVER:
            return
        game.play(games, 0, int(rng.choice(np.flatnonzero(game.legal_actions(games, 0)))))


def test_floors_of_a_seat_come_from_the_supply():
    game, games = list(positions("tower_up", 2, plies=40))[3]
    before = clone(games)
    game.edit(games, 0, reserve={0: [3, 0, 0, 1]})
    assert games["reserve"][0, 0].tolist() == [3, 0, 0, 1]
    change = (before["reserve"] - games["reserve"]).sum(axis=1)
    assert (games["supply"] - before["supply"]).tolist() == change.tolist()
    assert game.observe(games, 0, 0).tobytes() != game.observe(before, 0, 0).tobytes()
    finish(game, games)


def test_a_card_of_the_market_is_exchanged_with_the_deck():
    game = sprawl_env.game("tower_up")
    games = game.deal(1, 3)
    old, new = int(games["market"][0, 0]), int(games["deck"][0, 5])
    game.edit(games, 0, market={0: new})
    deck = games["deck"][0, : games["deck_size"][0]].tolist()
    assert old in deck
    assert new not in deck
    finish(game, games)


def test_a_building_changes_what_is_beside_it():
    game = sprawl_env.game("tower_up")
    games = game.deal(1, 3)
    site = int(np.flatnonzero(games["height"][0])[0])
    game.edit(games, 0, height={site: 3})
    assert games["reach"][0].max() == 3
    finish(game, games)


def test_wealth_owners_and_hands_of_urban_sprawl():
    game, games = list(positions("urban_sprawl", 2, plies=120, every=119))[-1]
    lots = np.flatnonzero((games["corners"][0] > 0) & (games["owner"][0] >= 0))
    lot, owner = int(lots[0]), int(games["owner"][0, lots[0]])
    controls = games["controls"][0].copy()
    game.edit(games, 0, wealth={0: 50}, owner={lot: 1 - owner})
    assert games["wealth"][0, 0] == 50
    zone = int(games["zone"][0, lot])
    assert games["controls"][0, 1 - owner, zone] == controls[1 - owner, zone] + 1
    assert games["holder"][0, lot] == 1 - owner
    cards = games["hand"][0].sum() + games["planning_discards"][0].sum() + games["planning_size"][0]
    hand = np.zeros_like(games["hand"][0, 0])
    deck = games["planning_deck"][0, : games["planning_size"][0]]
    hand[np.unique(deck[deck < hand.size])] = 1  # each is in the deck at least once
    game.edit(games, 0, hand={0: hand})
    assert games["hand"][0, 0].tolist() == hand.tolist()
    after = games["hand"][0].sum() + games["planning_discards"][0].sum() + games["planning_size"][0]
    assert after == cards
    finish(game, games)


def test_a_contract_face_up_leaves_its_deck():
    game = sprawl_env.game("urban_sprawl")
    games = game.deal(1, 3)
    deck = games["deck"][0, 0, : games["deck_size"][0, 0]]
    card = next(int(card) for card in deck if game.tables["card_zone"][0, card] >= 0)
    game.edit(games, 0, contract={4: card})
    assert card not in games["deck"][0, 0, : games["deck_size"][0, 0]]
    finish(game, games)


def test_hands_resources_and_owners_of_ginkgopolis():
    game, games = list(positions("ginkgopolis", 3, plies=150, every=149))[-1]
    deck = games["deck"][0, : games["deck_size"][0]].tolist()
    taken = [int(card) for card in games["hand"][0, 1] if card >= 0]
    if games["chosen"][0, 1] >= 0:
        taken.remove(int(games["chosen"][0, 1]))
    place = games["hand"][0, 1].tolist().index(taken[0])
    game.edit(games, 0, hand={1: {place: deck[0]}}, resources={2: 1}, points={0: 30})
    assert deck[0] in games["hand"][0, 1]
    assert taken[0] in games["deck"][0, : games["deck_size"][0]]
    assert games["known_by"][0, deck[0]] == 2
    assert games["points"][0, 0] == 30
    sites = np.flatnonzero(games["owner"][0, : games["num_sites"][0]] == 0)
    assert sites.size
    stock = games["stock"][0].copy()
    levels = int(games["levels"][0, sites[0]])
    game.edit(games, 0, owner={int(sites[0]): 1})
    assert (games["stock"][0] - stock)[:2].tolist() == [levels, -levels]
    finish(game, games)


def test_a_set_may_be_given_as_a_set():
    game = sprawl_env.game("ginkgopolis", num_players=2, characters="introductory")
    games = game.deal(1, 3)
    supply = set(games["supply"][0, : games["supply_size"][0]].tolist())
    held = {tile for tile in range(NUM_TILES) if int(games["tiles"][0, 0]) >> tile & 1}
    tiles = set(sorted(supply)[:3])
    game.edit(games, 0, tiles={0: tiles})
    assert int(games["tiles"][0, 0]) == sum(1 << tile for tile in tiles)
    left = games["supply"][0, : games["supply_size"][0]].tolist()
    assert sorted(left) == sorted((supply - tiles) | held)
    finish(game, games)


@pytest.mark.parametrize(
    ("name", "fields", "error", "words"),
    [
        ("tower_up", {"welth": 3}, UnknownName, "unknown field of tower_up 'welth'"),
        ("tower_up", {"num_seats": 3}, InvalidOption, "num_seats: is an option"),
        ("tower_up", {"max_turns": 3}, InvalidOption, "max_turns: is an option"),
        ("tower_up", {"agenda": 3}, InvalidOption, "agenda: pending decisions come from playing"),
        ("tower_up", {"agenda_size": 3}, InvalidOption, "pending decisions come from playing"),
        ("tower_up", {"supply": [1] * 4}, InvalidOption, "follows from reserve, colour, height"),
        ("tower_up", {"reserve": [1, 2]}, InvalidOption, r"expected whole numbers \[4, 4\]"),
        ("tower_up", {"reserve": {0: {9: 1}}}, InvalidOption, r"\[0\]: index 9: expected 0..3"),
        ("tower_up", {"reserve": {0: {1: 1.5}}}, InvalidOption, r"\[0\]\[1\]: expected a whole"),
        ("tower_up", {"reserve": {0: {1: 300}}}, InvalidOption, "-128..127, got 300"),
        ("tower_up", {"reserve": {True: 1}}, InvalidOption, "index True: expected 0..3"),
        ("tower_up", {"cone": {0: {0: 1}}}, InvalidOption, r"cone\[0\]: expected a whole number"),
        ("tower_up", {"turn": None}, InvalidOption, "turn: expected a whole number"),
        ("tower_up", {"turn": {0: 1}}, InvalidOption, "turn: expected a whole number"),
        ("tower_up", {"reserve": {0: {1: 100}}}, PositionError, "impossible: supply"),
        ("tower_up", {"market": {0: 99}}, PositionError, "impossible: market: expected -1"),
        ("tower_up", {"to_play": 1}, PositionError, "impossible: agenda"),
        ("ginkgopolis", {"tiles": {0: {1, "x"}}}, InvalidOption, "expected a set of whole"),
        ("ginkgopolis", {"resources": {0: 99}}, PositionError, "impossible: stock: expected"),
        ("urban_sprawl", {"wealth": {0: -1}}, PositionError, "impossible: wealth: expected 0"),
        ("urban_sprawl", {"hand": {0: {0: 99}}}, PositionError, "planning_discards: expected"),
    ],
)  # fmt: skip
def test_what_cannot_be_set_is_refused_and_changes_nothing(name, fields, error, words):
    game = sprawl_env.game(name)
    games = game.deal(2, 3)
    before = games.tobytes()
    with pytest.raises(error, match=words) as caught:
        game.edit(games, 1, **fields)
    assert "\n" not in str(caught.value)
    assert games.tobytes() == before


COMMON = [
    ({"to_play": 100}, r"to_play: expected -1\.\.1"),
    ({"to_play": 2}, r"to_play: expected -1\.\.1"),
    ({"to_play": -2}, r"to_play: expected -1\.\.1"),
    ({"to_play": -1}, "to_play: expected -1 if and only if the game is over"),
    ({"over": 1}, "to_play: expected -1 if and only if the game is over"),
    ({"over": 3}, r"over: expected 0\.\.2"),
    ({"over": -1}, r"over: expected 0\.\.2"),
    ({"ply": -1}, "ply: expected 0 or more"),
    ({"turn": -1}, "turn: expected 0 or more"),
]


@pytest.mark.parametrize("name", [*NAMES, "toy"])
@pytest.mark.parametrize(("fields", "words"), COMMON)
def test_no_game_has_a_seat_that_is_none_or_a_negative_count(name, fields, words):
    game = sprawl_env.game(toy.RULES if name == "toy" else name, num_players=2)
    games = game.deal(3, 3)
    before = games.tobytes()
    with pytest.raises(PositionError, match=f"{name}: edit: impossible: {words}"):
        game.edit(games, 1, **fields)
    assert games.tobytes() == before
    game.check(games)
    for field, value in fields.items():
        games[field][1] = value
    with pytest.raises(PositionError, match=f"{name}: game 1 is impossible: {words}"):
        game.check(games)
    position = json.loads(game.to_json(game.deal(3, 3), 1))
    position["state"] |= fields
    with pytest.raises(PositionError, match=f"{name}: position: {words}"):
        game.from_json(json.dumps(position))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"ply": 100}, "over: expected the end after 6 buildings"),
        ({"ply": 6}, "over: expected the end after 6 buildings"),
        ({"over": 1, "to_play": -1}, "over: expected the end after 6 buildings"),
        ({"to_play": 1}, "to_play: expected seat 0"),
        (
            {"street": {0: {0: 100}}, "hand": 0, "supply": [3, 3, 3], "ply": 1, "to_play": 1},
            "street: expected -1",
        ),
    ],
)
def test_the_example_checks_all_that_its_kernels_use_as_an_index(fields, words):
    game = sprawl_env.game(lots.RULES)
    games = game.deal(1, 3)
    if "hand" in fields:
        fields = {**fields, "hand": np.zeros_like(games["hand"][0])}
    with pytest.raises(PositionError, match=words):
        game.edit(games, 0, **fields)


@pytest.mark.parametrize("seats", [2, 3])
def test_every_position_of_the_example_is_possible(seats):
    game = sprawl_env.game(lots.RULES, num_players=seats)
    games, rng = game.deal(1, 3), np.random.default_rng(3)
    for _ in range(lots.CITY):
        game.check(games)
        game.play(games, 0, int(rng.choice(np.flatnonzero(game.legal_actions(games, 0)))))
    game.check(games)
    assert games["over"][0] != NOT_OVER


def test_check_names_the_first_impossible_game():
    game = sprawl_env.game("tower_up")
    games = game.deal(3, 1)
    game.check(games)
    games["supply"][1, 0] += 1
    with pytest.raises(PositionError, match=r"tower_up: game 1 is impossible: .*floors"):
        game.check(games)
    with pytest.raises(InvalidOption):
        game.check(games[0])


def test_every_field_is_documented():
    for name in NAMES:
        game = sprawl_env.game(name)
        fields = game.fields
        assert set(fields) == set(game.dtype.names) - {"unused"}
        assert all(field.meaning for field in fields.values())
        known = set(fields)
        for field in fields.values():
            assert not field.follows or set(field.follows.split(", ")) <= known
        assert repr(fields).splitlines()[0].split() == [
            "field",
            "type",
            "shape",
            "meaning",
            "follows",
            "from",
        ]
        assert fields.markdown().count("\n") == len(fields) + 1
    with pytest.raises(UnknownName, match="unknown field 'x'"):
        fields["x"]


def test_a_site_without_a_tile_is_refused_in_one_line():
    game = sprawl_env.game("ginkgopolis")
    games = game.deal()
    before = games.tobytes()
    with pytest.raises(PositionError, match="site 0: expected a tile and a level"):
        game.edit(games, 0, site_tile={0: NO_TILE})
    assert games.tobytes() == before
