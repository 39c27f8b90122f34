"""GK §1, §2, G11: the draft of characters, introductory sets and what a seat starts with."""

from collections import Counter

import numpy as np
import pytest

from sprawl_env.games.ginkgopolis.constants import NO_CHARACTER, Step
from sprawl_env.games.ginkgopolis.wording import character_name
from tests.unit.games.ginkgopolis.position import (
    check,
    game_of,
    hand_of,
    holdings,
    kind_of,
    legal_names,
    play,
    step_of,
)

COPIES = {"red": 4, "blue": 3, "yellow": 2}
KINDS = [f"{colour} {act}" for colour in COPIES for act in ("exploit", "urbanize", "construct")]
ITEMS = {  # resources, tiles, points (GK §1)
    "red exploit": (1, 1, 1),
    "red urbanize": (1, 1, 1),
    "red construct": (0, 1, 0),
    "blue exploit": (2, 0, 1),
    "blue urbanize": (2, 0, 1),
    "blue construct": (1, 0, 0),
    "yellow exploit": (2, 1, 2),
    "yellow urbanize": (2, 1, 2),
    "yellow construct": (2, 1, 1),
}
SETS = [  # red, yellow, blue
    ("urbanize", "construct", "construct"),
    ("construct", "construct", "exploit"),
    ("exploit", "urbanize", "urbanize"),
    ("urbanize", "urbanize", "construct"),
    ("exploit", "exploit", "construct"),
    ("urbanize", "exploit", "exploit"),
]
NAMED_SETS = [
    {f"{colour} {act}" for colour, act in zip(("red", "yellow", "blue"), acts, strict=True)}
    for acts in SETS
]


def draft(*packs):
    """Return a draft in which these packs have been dealt."""
    game = game_of(len(packs))
    games = game.deal(1, seed=1)
    for seat, pack in enumerate(packs):
        games.pack[0, seat] = [kind_of(name) for name in pack]
    check(game, games)
    return game, games


def offered(game, games):
    return {name.removeprefix("draft ") for name in legal_names(game, games)}


def picks_of(games, seat):
    return [character_name(kind) for kind in games.picks[0, seat].tolist() if kind != NO_CHARACTER]


FIRST = ("red exploit", "red urbanize", "blue exploit", "yellow exploit")
SECOND = ("red construct", "blue urbanize", "blue construct", "yellow construct")
THIRD = ("red exploit", "red exploit", "yellow urbanize", "blue exploit")


def pick(game, games, *names):
    play(game, games, *(f"draft {name}" for name in names))


# ---------------------------------------------------------------- the draft


def test_g11_a_seat_picks_one_of_the_four_it_was_dealt():
    game, games = draft(FIRST, SECOND, THIRD)
    for seat, pack in enumerate((FIRST, SECOND, THIRD)):
        assert (int(games.to_play[0]), step_of(games)) == (seat, Step.DRAFT)
        assert offered(game, games) == set(pack)
        pick(game, games, pack[0])


def test_g11_the_rest_goes_to_the_next_seat_and_one_is_left_over():
    game, games = draft(FIRST, SECOND, THIRD)
    pick(game, games, FIRST[0], SECOND[0], THIRD[2])
    assert offered(game, games) == {"red exploit", "blue exploit"}  # what seat 2 passed on
    pick(game, games, "red exploit")
    assert offered(game, games) == set(FIRST[1:])
    pick(game, games, FIRST[1])
    assert offered(game, games) == set(SECOND[1:])
    pick(game, games, SECOND[1])
    assert offered(game, games) == set(SECOND[2:])  # two are left
    pick(game, games, SECOND[2])
    assert offered(game, games) == {"red exploit", "blue exploit"}  # of two red ones, one
    pick(game, games, "blue exploit")
    assert offered(game, games) == set(FIRST[2:])
    pick(game, games, FIRST[2])
    assert step_of(games) == Step.CARD
    assert [picks_of(games, seat) for seat in range(3)] == [
        ["red exploit", "red exploit", "blue construct"],
        ["red urbanize", "red construct", "blue exploit"],
        ["blue exploit", "blue urbanize", "yellow urbanize"],
    ]


def test_g11_with_two_seats_the_pack_comes_back():
    game, games = draft(FIRST, SECOND)
    pick(game, games, FIRST[0], SECOND[0], SECOND[1], FIRST[1])
    assert offered(game, games) == set(FIRST[2:])
    pick(game, games, FIRST[2])
    assert offered(game, games) == set(SECOND[2:])


def test_g11_two_of_a_kind_are_two_characters():
    game, games = draft(THIRD, FIRST)
    pick(game, games, "red exploit", FIRST[1])
    pick(game, games, FIRST[0])
    assert "red exploit" in offered(game, games)  # the second one


def test_g11_picks_take_effect_together():
    game, games = draft(FIRST, SECOND)
    pick(game, games, FIRST[0])
    assert picks_of(games, 0) == []
    pick(game, games, SECOND[0])
    assert (picks_of(games, 0), picks_of(games, 1)) == ([FIRST[0]], [SECOND[0]])


def test_g11_characters_count_only_when_all_are_shown():
    game, games = draft(FIRST, SECOND)
    pick(game, games, FIRST[0], SECOND[0], SECOND[1], FIRST[1], FIRST[2])
    assert not games.bonus[0].any()
    assert not games.resources[0].any()
    pick(game, games, SECOND[2])
    assert games.bonus[0, 0].tolist() == [[1, 1, 0], [0, 1, 0], [0, 0, 0]]  # by act, R T P
    assert games.bonus[0, 1].tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0]]


def test_g11_starting_items_then_hands_of_four_follow():
    game, games = draft(FIRST, SECOND)
    assert [hand_of(games, seat) for seat in (0, 1)] == [set(), set()]
    pick(game, games, FIRST[0], SECOND[0], SECOND[1], FIRST[1], FIRST[2])
    assert [hand_of(games, seat) for seat in (0, 1)] == [set(), set()]
    assert [holdings(games, seat) for seat in (0, 1)] == [(0, 0, 0)] * 2
    pick(game, games, SECOND[2])
    taken = [(FIRST[0], SECOND[1], FIRST[2]), (SECOND[0], FIRST[1], SECOND[2])]
    for seat in (0, 1):
        items = np.sum([ITEMS[name] for name in taken[seat]], axis=0)
        assert holdings(games, seat) == tuple(items)
        assert len(hand_of(games, seat)) == 4
    assert (int(games.rounds[0]), int(games.first[0]), int(games.to_play[0])) == (1, 0, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_gk_1_starting_items_of_each_character(kind):
    other = "red construct" if kind != "red construct" else "red exploit"
    game, games = draft((kind, other, other, other), ("blue construct",) * 4)
    pick(game, games, kind, "blue construct", "blue construct", other, other, "blue construct")
    items = np.add(ITEMS[kind], np.add(ITEMS["blue construct"], ITEMS[other]))
    assert holdings(games, 0) == tuple(items)
    total = games.resources[0] + games.stock[0]
    assert total.tolist()[:2] == [25, 25]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_gk_1_packs_are_dealt_from_the_27_characters(seats):
    for seed in range(5):
        games = game_of(seats).deal(1, seed=seed)
        dealt = Counter(character_name(kind) for kind in games.pack[0, :seats].ravel().tolist())
        assert sum(dealt.values()) == 4 * seats
        assert all(count <= COPIES[name.split()[0]] for name, count in dealt.items())
        assert (games.pack[0, seats:] == NO_CHARACTER).all()


# ---------------------------------------------------------------- introductory sets


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_gk_2_introductory_seats_have_different_sets_and_no_draft(seats):
    met = set()
    for seed in range(12):
        games = game_of(seats, characters="introductory").deal(1, seed=seed)
        assert step_of(games) == Step.CARD
        found = [NAMED_SETS.index(set(picks_of(games, seat))) for seat in range(seats)]
        assert len(set(found)) == seats
        met.update(found)
        for seat in range(seats):
            items = np.sum([ITEMS[name] for name in picks_of(games, seat)], axis=0)
            assert holdings(games, seat) == tuple(items)
    assert met == set(range(6))


def test_seed_example_patricia_starts_with_set_2():
    items = np.sum([ITEMS[name] for name in NAMED_SETS[1]], axis=0)
    assert tuple(items) == (4, 2, 2)
    for seed in range(30):
        games = game_of(4, characters="introductory").deal(1, seed=seed)
        if set(picks_of(games, 0)) == NAMED_SETS[1]:
            assert holdings(games, 0) == (4, 2, 2)
            return
    raise AssertionError("set 2 was never dealt to seat 0")


# ---------------------------------------------------------------- the rest of the setup


@pytest.mark.parametrize(
    ("seats", "resources", "supply"), [(2, 25, 45), (3, 20, 45), (4, 18, 51), (5, 16, 51)]
)
def test_gk_1_setup_by_seats(seats, resources, supply):
    games = game_of(seats).deal(1, seed=seats)
    assert games.stock[0].tolist() == [resources] * seats + [0] * (5 - seats)
    assert games.supply_size[0] == supply
    assert games.tokens[0].tolist() == [2] * seats + [0] * (5 - seats)
    assert not games.points[0].any()
    assert games.first[0] == 0


def test_gk_1_with_one_seat_hal_has_25_resources_too_and_you_six_of_each():
    games = game_of(1).deal(1, seed=1)
    assert step_of(games) == Step.CARD
    assert holdings(games, 0) == (6, 6, 6)
    assert games.stock[0].tolist() == [19, 25, 0, 0, 0]
    assert games.supply_size[0] == 45 - 6
    assert not games.bonus[0].any()
    assert not games.points[0, 1:].any()


def test_gk_1_the_start_is_a_random_square_of_1_to_3_of_each_colour():
    corners = set()
    for seed in range(40):
        games = game_of(2).deal(1, seed=seed)
        assert sorted(games.site_tile[0, :9].tolist()) == [0, 1, 2, 20, 21, 22, 40, 41, 42]
        cells = zip(games.site_x[0, :9].tolist(), games.site_y[0, :9].tolist(), strict=True)
        assert set(cells) == {(x, y) for x in range(3) for y in range(3)}
        corners.add(int(games.site_tile[0, 0]))
    assert len(corners) == 9
