"""The observation: blocks are where the layout says, hidden things are absent (GK §2, §3)."""

import zlib
from itertools import islice

import numpy as np
import pytest

from sprawl_env.core.state import NOT_OVER
from sprawl_env.games.ginkgopolis.constants import LETTERS, NO_CARD, NOT_TAKEN, NUM_LETTERS, Step
from sprawl_env.games.ginkgopolis.observation import WINDOW
from sprawl_env.kernels.compile import JIT
from tests.second_opinion import ginkgopolis_along
from tests.unit.games.ginkgopolis.position import (
    card_of,
    choose,
    game_of,
    hand_of,
    kind_of,
    markers_of,
    pack_held_by,
    play,
    play_on,
    position,
    random_game,
    step_of,
    tile_of,
)

EXPLOIT, URBANIZE, CONSTRUCT = range(3)
RED, BLUE, YELLOW = RESOURCE, TILE, POINT = range(3)
DRAFT, CARD, ADD_TILE, RETURN, GAIN, MARKER = range(6)


def numbers_of(game, games, seat, g=0):
    """Return an observation as whole numbers."""
    return game.observe(games, g, seat, np.full(game.observation_size, 77, np.int8))


def block(game, games, seat, name):
    """Return a block as whole numbers."""
    return game.observation_layout.view(numbers_of(game, games, seat), name)


def sees(game, games, seat, name, expected):
    """Compare a whole block with ``{index: number}``, zero elsewhere."""
    seen = block(game, games, seat, name)
    whole = np.zeros(seen.shape, np.int8)
    for index, number in expected.items():
        whole[index] = number
    assert seen.tolist() == whole.tolist(), name


def ones(names, of=tile_of):
    return {of(name): 1 for name in names}


def seen_from(seat, values):
    """Reorder a list by seat to the observer's order, the observer first."""
    return {index: values[(seat + index) % len(values)] for index in range(len(values))}


# ---------------------------------------------------------------- a game of three


@pytest.fixture
def middle():
    """Return three seats about to choose a card; seat 1 is the first player.

    The city is the usual start with ``red 10`` on red 1 and another, ``blue 7`` on blue 2, and
    ``yellow 5`` beside yellow 3, with D beyond it.
    """
    return position(
        3,
        buildings={
            (0, 0): ("red 10", 0, 3),
            (1, 0): ("blue 7", 1, 2),
            (3, 0): ("yellow 5", 2),
        },
        markers={"D": ((4, 0), "west")},
        workers=["yellow 5"],
        hands=[
            ["A", "red 10", "blue 7", "yellow 3"],
            ["B", "C", "red 2", "yellow 1"],
            ["D", "E", "F", "blue 3"],
        ],
        discards=["G", "red 3"],
        deck=["H", "I", "J"],
        tiles=[["red 20", "blue 11"], ["yellow 20"], []],
        resources=[7, 4, 0],
        points=[75, 3, 30],
        tokens=[2, 1, 0],
        characters=[
            ("red exploit", "red urbanize", "blue construct"),
            ("yellow exploit", "yellow exploit", "blue urbanize"),
            ("red construct", "red construct", "blue exploit"),
        ],
        kept=[["red 4"], ["blue 2"], ["red 1"]],
        first=1,
        rounds=50,
    )


def test_every_number_of_the_layout_belongs_to_one_block(middle):
    game, _ = middle
    marks = np.zeros(game.observation_layout.size, np.float32)
    for name in game.observation_layout.blocks:
        game.observation_layout.view(marks, name)[...] += 1
    assert (marks == 1).all()


def test_block_letter_in_hand_is_the_own_hand_alone(middle):
    for seat, letters in enumerate(("A", "BC", "DEF")):
        sees(*middle, seat, "letter_in_hand", ones(letters, LETTERS.index))


def test_block_card_in_hand_is_the_own_hand_alone(middle):
    hands = (["red 10", "blue 7", "yellow 3"], ["red 2", "yellow 1"], ["blue 3"])
    for seat, cards in enumerate(hands):
        sees(*middle, seat, "card_in_hand", ones(cards))


def test_blocks_of_the_own_choice_are_seen_by_nobody_else(middle):
    game, games = middle
    play(game, games, "card B")
    for seat in range(3):
        sees(game, games, seat, "letter_chosen", {1: 1} if seat == 1 else {})
    play(game, games, "card blue 3", "card blue 7")
    for seat, cards in enumerate((["blue 7"], [], ["blue 3"])):
        sees(game, games, seat, "card_chosen", ones(cards))
    play(game, games, "with tile yellow 20", "without tile")
    for seat in range(3):
        sees(game, games, seat, "tile_with", ones(["yellow 20"]) if seat == 1 else {})
        own = (["red 20", "blue 11"], ["yellow 20"], [])[seat]  # still the observer's own
        sees(game, games, seat, "tile_own", ones(own))


def test_blocks_of_the_discard_pile_are_open_to_all(middle):
    for seat in range(3):
        sees(*middle, seat, "letter_discarded", {6: 1})
        sees(*middle, seat, "card_discarded", ones(["red 3"]))


def test_block_letter_moving_is_the_marker_that_looks_for_a_place(middle):
    game, games = middle
    choose(game, games, ("B", "yellow 20"))
    assert step_of(games) == Step.MARKER
    for seat in range(3):
        sees(game, games, seat, "letter_moving", {1: 1})
    play(game, games, "marker north")
    for seat in range(3):
        sees(game, games, seat, "letter_moving", {})


def test_block_letter_place_counts_cells_from_the_windows_centre(middle):
    """Columns 0 to 3 and rows 0 to 2: the centre is (1, 1)."""
    game, games = middle
    expected = {}
    for letter, ((x, y), _) in markers_of(games).items():
        expected[LETTERS.index(letter), 0] = x - 1
        expected[LETTERS.index(letter), 1] = y - 1
    assert expected[3, 0] == 3
    sees(game, games, 1, "letter_place", expected)


def test_block_letter_yield_is_levels_beside_the_marker_by_colour(middle):
    levels = [
        *("A red 3", "B blue 2", "C yellow 1", "D yellow 1", "E red 1", "E yellow 1", "F blue 1"),
        *("G blue 1", "H yellow 1", "I yellow 1", "J yellow 1", "K blue 1", "L red 3"),
    ]
    expected = {}
    for words in levels:
        letter, colour, count = words.split()
        at = LETTERS.index(letter), ("red", "blue", "yellow").index(colour)
        expected[at] = int(count)
    for seat in range(3):
        sees(*middle, seat, "letter_yield", expected)


def test_blocks_of_known_cards_are_those_passed_on_that_are_still_in_a_hand(middle):
    """Seat 1 has held D, blue 3 and A; no other seat has held a card of another hand."""
    game, games = middle
    for card in ("D", "blue 3", "A"):
        games.known_by[0, card_of(card)] |= 2
    sees(game, games, 1, "letter_known", {(3, 0): 1, (0, 1): 1})
    sees(game, games, 1, "card_known", {(tile_of("blue 3"), 0): 1})
    for seat in (0, 2):
        sees(game, games, seat, "letter_known", {})
        sees(game, games, seat, "card_known", {})


def test_cards_passed_on_are_known_until_they_are_played(middle):
    """Seat 1 passes C, red 2 and yellow 1 on to seat 2, which then plays C."""
    game, games = middle
    choose(game, games, "B", "D", "A")
    play_on(game, games)
    assert games.rounds[0] == 51
    red, yellow = tile_of("red 2"), tile_of("yellow 1")
    sees(game, games, 1, "letter_known", {(2, 0): 1})
    sees(game, games, 1, "card_known", {(red, 0): 1, (yellow, 0): 1})
    assert "C" in hand_of(games, 2)
    choose(game, games, "C")  # seat 2 is the first player now
    sees(game, games, 1, "letter_known", {})
    sees(game, games, 1, "letter_discarded", {(LETTERS.index(n)): 1 for n in "ABDG"})
    play_on(game, games)
    known = block(game, games, 1, "card_known")
    assert known[red].tolist() == known[yellow].tolist() == [0, 1]  # now with seat 0


def test_blocks_tile_own_and_screen_of_the_observer(middle):
    for seat, tiles in enumerate((["red 20", "blue 11"], ["yellow 20"], [])):
        sees(*middle, seat, "tile_own", ones(tiles))
    for seat, (resources, tiles, points) in enumerate(((7, 2, 75), (4, 1, 3), (0, 0, 30))):
        sees(*middle, seat, "screen_resources", {0: resources})
        sees(*middle, seat, "screen_tiles", {0: tiles})
        sees(*middle, seat, "screen_points", {0: points})
        sees(*middle, seat, "screen_points_above", {})


@pytest.mark.parametrize(
    ("points", "shown", "above"),
    [(99, 99, 0), (100, 100, 0), (101, 100, 1), (150, 100, 50), (200, 100, 100), (900, 100, 100)],
)
def test_blocks_screen_points_show_every_number_up_to_200(points, shown, above):
    game, games = position(points=[points, 7])
    sees(game, games, 0, "screen_points", {0: shown})
    sees(game, games, 0, "screen_points_above", {0: above})
    sees(game, games, 1, "screen_points", {0: 7})


BUILDINGS = {  # cell -> building, levels
    (0, 0): ("red 10", 3),
    (1, 0): ("blue 7", 2),
    (2, 0): ("yellow 3", 1),
    (3, 0): ("yellow 5", 1),
    (0, 1): ("blue 1", 1),
    (1, 1): ("red 2", 1),
    (2, 1): ("red 3", 1),
    (0, 2): ("yellow 1", 1),
    (1, 2): ("yellow 2", 1),
    (2, 2): ("blue 3", 1),
}


def test_block_levels_of_the_building_a_tile_tops(middle):
    expected = {tile_of(name): levels for name, levels in BUILDINGS.values()}
    for seat in range(3):
        sees(*middle, seat, "levels", expected)


def test_blocks_worker_and_covered(middle):
    for seat in range(3):
        sees(*middle, seat, "worker", ones(["yellow 5"]))
        sees(*middle, seat, "covered", ones(["red 1", "blue 2", "red 4"]))


def test_block_tile_place_counts_cells_from_the_windows_centre(middle):
    expected = {}
    for (x, y), (name, _) in BUILDINGS.items():
        expected[tile_of(name), 0] = x - 1
        expected[tile_of(name), 1] = y - 1
    sees(*middle, 2, "tile_place", expected)


def test_block_card_kept_observer_first(middle):
    kept = [tile_of(name) for name in ("red 4", "blue 2", "red 1")]
    for seat in range(3):
        sees(*middle, seat, "card_kept", {(kept[(seat + k) % 3], k): 1 for k in range(3)})


def test_block_owner_observer_first(middle):
    built = [tile_of(name) for name in ("red 10", "blue 7", "yellow 5")]
    for seat in range(3):
        sees(*middle, seat, "owner", {(built[(seat + k) % 3], k): 1 for k in range(3)})


def test_block_kind_kept_observer_first(middle):
    kept = [
        {"red exploit": 1, "red urbanize": 1, "blue construct": 1},
        {"yellow exploit": 2, "blue urbanize": 1},
        {"red construct": 2, "blue exploit": 1},
    ]
    for seat in range(3):
        expected = {
            (kind_of(name), k): count
            for k in range(3)
            for name, count in kept[(seat + k) % 3].items()
        }
        sees(*middle, seat, "kind_kept", expected)
        sees(*middle, seat, "kind_in_pack", {})
        sees(*middle, seat, "kind_chosen", {})


@pytest.mark.parametrize("seat", range(3))
def test_blocks_of_the_window_show_levels_by_colour_whose_and_markers(middle, seat):
    game, games = middle
    half = WINDOW // 2
    levels = {}
    for (x, y), (name, count) in BUILDINGS.items():
        plane = ("red", "blue", "yellow").index(name.split()[0])
        levels[plane, y - 1 + half, x - 1 + half] = count
    sees(game, games, seat, "city_levels", levels)
    owners = {(half - 1, x - 1 + half): 1 if k == seat else -1 for k, x in enumerate((0, 1, 3))}
    sees(game, games, seat, "city_owner", owners)
    cells = [cell for cell, _ in markers_of(games).values()]
    sees(game, games, seat, "city_marker", {(y - 1 + half, x - 1 + half): 1 for x, y in cells})
    sees(game, games, seat, "outside", {})


def test_blocks_stock_built_and_tokens_observer_first(middle):
    for seat in range(3):
        sees(*middle, seat, "stock", seen_from(seat, [10, 14, 19]))
        sees(*middle, seat, "built", seen_from(seat, [3, 2, 1]))
        sees(*middle, seat, "tokens", seen_from(seat, [2, 1, 0]))


def test_blocks_bonus_with_act_and_with_colour_observer_first(middle):
    bonus = [
        {(EXPLOIT, RESOURCE): 2, (URBANIZE, RESOURCE): 1, (CONSTRUCT, TILE): 1},
        {(EXPLOIT, POINT): 2, (URBANIZE, TILE): 2},
        {(CONSTRUCT, RESOURCE): 2, (EXPLOIT, TILE): 1, (EXPLOIT, RESOURCE): 1},
    ]
    with_act = [(2, 1, 1), (2, 2, 0), (2, 0, 2)]
    with_colour = [(3, 1, 0), (0, 2, 2), (3, 1, 0)]
    for seat in range(3):
        turned = [(k, (seat + k) % 3) for k in range(3)]
        expected = {(k, *at): n for k, other in turned for at, n in bonus[other].items()}
        sees(*middle, seat, "bonus", expected)
        for name, counts in (("with_act", with_act), ("with_colour", with_colour)):
            expected = {(k, i): counts[other][i] for k, other in turned for i in range(3)}
            sees(*middle, seat, name, expected)


def test_blocks_first_supply_deck_and_round(middle):
    game, games = middle
    for seat in range(3):
        sees(game, games, seat, "first", {(1 - seat) % 3: 1})
        sees(game, games, seat, "supply", {0: 54 - 10 - 3 - 3})
        sees(game, games, seat, "deck", {0: 21 - 12 - 2})
        sees(game, games, seat, "rounds", {0: 50})
        sees(game, games, seat, "rounds_left", {0: 100})
        sees(game, games, seat, "hundreds", {1: 1})
        sees(game, games, seat, "run_outs", {})
        sees(game, games, seat, "ending", {})


@pytest.mark.parametrize(
    ("rounds", "max_rounds", "begun", "left", "hundreds"),
    [
        (1, 30, 1, 29, {}),
        (30, 30, 30, 0, {}),
        (100, 200, 100, 100, {0: 1, 1: 1}),
        (101, 200, 100, 99, {0: 1}),
        (1, 10_000, 1, 100, {1: 99}),
        (9_950, 10_000, 100, 50, {0: 99}),
        (10_000, 10_000, 100, 0, {0: 100}),
    ],
)
def test_blocks_of_the_rounds(rounds, max_rounds, begun, left, hundreds):
    game, games = position(rounds=rounds, options={"max_rounds": max_rounds})
    for seat in range(2):
        sees(game, games, seat, "rounds", {0: begun})
        sees(game, games, seat, "rounds_left", {0: left})
        sees(game, games, seat, "hundreds", hundreds)


@pytest.mark.parametrize(("run_outs", "expected"), [(1, {0: 1}), (2, {0: 1, 1: 1})])
def test_blocks_run_outs_and_ending(run_outs, expected):
    game, games = position(run_outs=run_outs, ending=run_outs - 1)
    for seat in range(2):
        sees(game, games, seat, "run_outs", expected)
        sees(game, games, seat, "ending", {0: 1} if run_outs == 2 else {})


# ---------------------------------------------------------------- decisions


def test_blocks_decision_and_to_play_in_a_pass_tell_only_whether_the_observer_owes(middle):
    game, games = middle
    for owing in ({1, 2, 0}, {2, 0}, {0}):
        for seat in range(3):
            sees(game, games, seat, "decision", {CARD: 1})
            sees(game, games, seat, "to_play", {0: 1} if seat in owing else {})
        play(game, games, f"card {'BDA'[3 - len(owing)]}")
    for seat in range(3):
        sees(game, games, seat, "decision", {ADD_TILE: 1})
        sees(game, games, seat, "to_play", {0: 1})


def test_blocks_decision_and_to_play_when_one_seat_resolves(middle):
    game, games = middle
    choose(game, games, "B", ("D", None))
    for seat in range(3):
        sees(game, games, seat, "decision", {GAIN: 1})
        sees(game, games, seat, "to_play", {(1 - seat) % 3: 1})
    game, games = position(3, tiles=[["red 20"]], hands=[["B"]])
    choose(game, games, ("B", "red 20"))
    for seat in range(3):
        sees(game, games, seat, "decision", {MARKER: 1})
        sees(game, games, seat, "to_play", {(0 - seat) % 3: 1})


def test_block_decision_while_tiles_are_returned():
    game, games = position(supply=["red 20"], rest_of_tiles=1, hands=[["B"]])
    choose(game, games, "B")
    play(game, games, "take tile")
    for seat in range(2):
        sees(game, games, seat, "decision", {RETURN: 1})
        sees(game, games, seat, "to_play", {0: 1})
        sees(game, games, seat, "run_outs", {0: 1})


def test_once_over_nobody_owes_a_decision():
    game, games = position(options={"max_rounds": 1}, hands=[["B"]])
    choose(game, games)
    play_on(game, games)
    assert games.over[0] != NOT_OVER
    for seat in range(2):
        for name in ("decision", "to_play"):
            sees(game, games, seat, name, {})


# ---------------------------------------------------------------- the draft


def in_hand(games, seat):
    """Return what the draft pack that a seat holds shows."""
    state = games[0]
    pack = pack_held_by(games, seat)
    shown = {}
    for k in range(4):
        if state.taken_in[pack, k] == NOT_TAKEN:
            kind = int(state.pack[pack, k])
            shown[kind] = shown.get(kind, 0) + 1
    return shown


@pytest.mark.parametrize("seats", (2, 3, 5))
def test_blocks_of_the_draft_show_the_pack_in_hand_and_the_own_picks(seats):
    game = game_of(seats)
    games = game.deal(1, seed=3)
    for number in range(3):
        for answers in range(seats):
            for seat in range(seats):
                picks = games.picks[0, seat, :number].tolist()
                kept = {(kind, 0): picks.count(kind) for kind in picks}
                sees(game, games, seat, "decision", {DRAFT: 1})
                sees(game, games, seat, "to_play", {0: 1} if seat >= answers else {})
                sees(game, games, seat, "kind_in_pack", in_hand(games, seat))
                chosen = {int(games.chosen[0, seat]): 1} if seat < answers else {}
                sees(game, games, seat, "kind_chosen", chosen)
                sees(game, games, seat, "kind_kept", kept)  # the others' not yet
            game.play(games, 0, int(np.flatnonzero(game.legal_actions(games))[0]))
    for seat in range(seats):
        kept = {}
        for k in range(seats):
            for kind in games.picks[0, (seat + k) % seats].tolist():
                kept[kind, k] = kept.get((kind, k), 0) + 1
        sees(game, games, seat, "kind_kept", kept)


# ---------------------------------------------------------------- solo and open screens


def test_solo_hal_is_side_1_and_open():
    game, games = position(
        1,
        buildings={(0, 0): ("red 10", 1, 2), (1, 0): ("blue 7", 0, 2)},
        kept=[[], ["red 1"]],
        points=[9, 30],
        resources=[6, 0],
        hands=[["A", "B", "C"]],
        hal_card="D",
    )
    sees(game, games, 0, "screen_resources", {0: 6})
    sees(game, games, 0, "screen_points", {0: 9, 1: 30})
    sees(game, games, 0, "stock", {0: 17, 1: 23})
    sees(game, games, 0, "built", {0: 2, 1: 2})
    sees(game, games, 0, "tokens", {})
    sees(game, games, 0, "card_kept", {(tile_of("red 1"), 1): 1})
    sees(game, games, 0, "owner", {(tile_of("red 10"), 1): 1, (tile_of("blue 7"), 0): 1})
    sees(game, games, 0, "to_play", {0: 1})
    sees(game, games, 0, "first", {0: 1})


def test_solo_hals_card_is_hidden():
    seen = []
    for card in ("D", "E", "red 3"):
        game, games = position(1, hands=[["A", "B", "C"]], hal_card=card)
        seen.append(game.observe(games, 0, 0).tobytes())
    assert len(set(seen)) == 1


def screens(opened):
    return position(
        3,
        tiles=[["red 20", "blue 11"], ["yellow 20"], []],
        resources=[7, 4, 0],
        points=[75, 3, 30],
        hands=[["B"]],
        options={"open_screens": opened},
    )


def test_gk_2_screens_hide_the_others_counts_by_default():
    game, games = screens(False)
    sees(game, games, 0, "screen_resources", {0: 7})
    sees(game, games, 0, "screen_tiles", {0: 2})
    sees(game, games, 0, "screen_points", {0: 75})


def test_gk_2_open_screens_show_counts_but_never_which_tiles():
    game, games = screens(True)
    resources, tiles, points = [7, 4, 0], [2, 1, 0], [75, 3, 30]
    own = (["red 20", "blue 11"], ["yellow 20"], [])
    for seat in range(3):
        sees(game, games, seat, "screen_resources", seen_from(seat, resources))
        sees(game, games, seat, "screen_tiles", seen_from(seat, tiles))
        sees(game, games, seat, "screen_points", seen_from(seat, points))
        sees(game, games, seat, "tile_own", ones(own[seat]))


def test_gk_4_g16_the_counts_others_see_include_a_committed_tile_until_it_is_revealed():
    game, games = screens(True)
    play(game, games, "card B")
    play(game, games, *(f"card {min_letter(games, seat)}" for seat in (1, 2)))
    play(game, games, "with tile red 20", "without tile")
    assert block(game, games, 2, "screen_tiles")[1] == 2
    play(game, games, "without tile")  # seat 0 reveals
    assert block(game, games, 2, "screen_tiles")[1] == 1


def min_letter(games, seat):
    return LETTERS[min(card for card in games.hand[0, seat] if 0 <= card < NUM_LETTERS)]


def test_gk_4_g5_the_counts_others_see_include_tiles_put_aside_until_they_are_shown():
    game, games = position(
        supply=["red 20"], rest_of_tiles=1, hands=[["B"]], options={"open_screens": True}
    )
    choose(game, games, "B")
    play(game, games, "take tile")
    names = ("screen_resources", "screen_tiles", "screen_points")
    before = [block(game, games, 1, name).tolist() for name in names]
    assert before[1][1] == 1
    play(game, games, "return red 20")
    assert [block(game, games, 1, name).tolist() for name in names] == before
    play(game, games, "done returning", "done returning")  # seat 1 first, then seat 0
    assert block(game, games, 1, "screen_tiles")[1] == 0
    assert block(game, games, 1, "screen_points")[1] == before[2][1] + 1


# ---------------------------------------------------------------- the window


def long_street(length, seats=2):
    """Return buildings in a row eastwards from the start, with the numbers 4 to 20 in turn."""
    names = [f"{colour} {n}" for colour in ("red", "blue", "yellow") for n in range(4, 21)]
    return {(3 + k, 0): (names[k], k % seats) for k in range(length)}


def test_buildings_outside_the_window_are_counted_and_keep_their_place():
    """Columns 0 to 20: the centre is (10, 1), and the window shows columns 5 to 15."""
    game, games = position(buildings=long_street(18))
    sees(game, games, 0, "outside", {0: 9 + 2 + 5})
    assert np.count_nonzero(block(game, games, 0, "city_levels")) == 11
    assert block(game, games, 0, "city_owner")[4].tolist() == [
        1 if (x - 3) % 2 == 0 else -1 for x in range(5, 16)
    ]
    place = block(game, games, 0, "tile_place")
    far = tile_of("blue 4")  # the last, at (20, 0)
    assert place[far].tolist() == [10, -1]


def test_places_of_the_longest_city_are_clipped_at_16_steps():
    """All 51 tiles in a row: columns 0 to 53, so the centre is (26, 1)."""
    everyone = {"num_players": 4, "resources": [0] * 4}
    game, games = position(
        **everyone,
        buildings=long_street(51, 4),
        markers={"D": ((54, 0), "west"), "L": ((-1, 0), "east")},
    )
    place = block(game, games, 1, "tile_place")
    assert place[tile_of("red 1")].tolist() == [-16, -1]
    assert place[tile_of("yellow 20")].tolist() == [16, -1]  # (53, 0)
    markers = block(game, games, 1, "letter_place")
    assert (markers[3].tolist(), markers[11].tolist()) == ([16, -1], [-16, -1])
    sees(game, games, 1, "outside", {0: 60 - 8 - 3})
    assert np.abs(game.observe(games, 0, 0)).max() == 1


def test_a_city_as_wide_as_the_window_is_all_inside():
    game, games = position(buildings=long_street(8))  # columns 0 to 10
    sees(game, games, 0, "outside", {})
    game, games = position(buildings=long_street(9))  # 0 to 11: the centre is 5
    sees(game, games, 0, "outside", {0: 1})


# ---------------------------------------------------------------- what a seat knows (G25)


def formed_anew():
    """Return a position of three seats in round 2: seat 1 drew H, then the deck was formed."""
    game, games = position(
        3,
        hands=[["A", "B", "C", "D"], ["E", "F", "G", "red 1"], ["I", "J", "K", "L"]],
        deck=["H"],
        rest_of_cards="discards",
    )
    choose(game, games, "A", "E", "I")
    play_on(game, games)
    return game, games


def test_blocks_hand_ages_letter_age_and_card_age_tell_classes_of_cards():
    """Seat 1 has four cards of the old deck, seats 2 and 0 three and one of the new one."""
    game, games = formed_anew()
    games.age[0, card_of("red 1")] = 3  # now in seat 2's hand
    counts = {0: (1, 3, 0), 1: (0, 4, 0), 2: (1, 2, 1)}
    for seat in range(3):
        expected = {(k, i): counts[(seat + k) % 3][i] for k in range(3) for i in range(3)}
        sees(game, games, seat, "hand_ages", expected)
        sees(game, games, seat, "letter_age", ones("BCDFGHJKL", LETTERS.index))
        sees(game, games, seat, "card_age", {tile_of("red 1"): 2})


def test_block_hand_ages_counts_hals_card():
    hand = [["A", "B", "C"]]
    more = {"hal_card": "D", "deck": ["E", "F", "G", "H"], "rest_of_cards": "discards"}
    game, games = position(1, hands=hand, **more)
    sees(game, games, 0, "hand_ages", {(0, 0): 3, (1, 0): 1})
    choose(game, games, "A")
    play_on(game, games)
    sees(game, games, 0, "hand_ages", {(0, 1): 3, (1, 1): 1})


def test_block_card_down_tells_who_has_chosen_and_not_acted():
    game, games = position(3, first=1)
    play(game, games, "new hand", *(f"card {min(hand_of(games, seat))}" for seat in (2, 0)))
    for seat in range(3):  # seats 0 and 2 have chosen; seat 1 pays for a new hand
        sees(game, games, seat, "card_down", {(k): (seat + k) % 3 != 1 for k in range(3)})
        sees(game, games, seat, "tile_down", {})
    play(game, games, f"card {min(hand_of(games, 1) & set(LETTERS) or hand_of(games, 1))}")
    for seat in range(3):
        sees(game, games, seat, "card_down", dict.fromkeys(range(3), 1))
        sees(game, games, seat, "tile_down", {})


def test_block_tile_down_tells_on_which_cards_a_tile_lies_once_all_have_chosen():
    hands = [["A", "B", "C", "D"], ["E", "F", "G", "H"], ["I", "J", "K", "red 1"]]
    tiles = [["red 20"], ["red 19"], ["red 18"]]
    game, games = position(3, hands=hands, tiles=tiles)
    play(game, games, "card A", "card E", "card red 1", "without tile", "with tile red 19")
    for seat in range(3):
        sees(game, games, seat, "tile_down", {})
    play(game, games, "without tile")  # seat 0 acts
    for seat in range(3):
        down = {k: (seat + k) % 3 != 0 for k in range(3)}
        sees(game, games, seat, "card_down", down)
        sees(game, games, seat, "tile_down", {k: (seat + k) % 3 == 1 for k in range(3)})
    play(game, games, "take resource", "marker east")  # seat 1 has acted, seat 2 too
    assert games.rounds[0] == 2
    for seat in range(3):
        sees(game, games, seat, "card_down", {})
        sees(game, games, seat, "tile_down", {})


def test_block_card_down_of_hal():
    game, games = position(1, hands=[["A", "B", "C"]], hal_card="D")
    play(game, games, "card A")
    sees(game, games, 0, "card_down", {0: 1, 1: 1})
    play(game, games, "without tile")
    sees(game, games, 0, "card_down", {1: 1})
    play(game, games, "take resource")
    assert step_of(games) == Step.MARKER  # Hal's
    sees(game, games, 0, "card_down", {})


def test_block_tiles_to_gain_is_the_gain_that_a_run_out_interrupts():
    """Seat 0 gains 4 tiles of blue 7, and the supply has one."""
    buildings = {(1, 0): ("blue 7", 1, 4)}
    for levels, left in ((4, 3), (1, 0)):
        buildings = {(1, 0): ("blue 7", 1, levels)} if levels > 1 else {}
        card = "blue 7" if levels > 1 else "blue 1"
        game, games = position(
            buildings=buildings, hands=[[card]], supply=["red 20"], rest_of_tiles=1
        )
        choose(game, games, card)
        assert step_of(games) == Step.RETURN
        for seat in range(2):
            sees(game, games, seat, "tiles_to_gain", {(0 - seat) % 2: left})


@pytest.mark.parametrize("opened", (False, True))
def test_blocks_of_tiles_shown_and_returned(opened):
    """Seat 1 holds red 20, shown and taken back, and red 19, one of two returned tiles."""
    game, games = position(
        tiles=[["blue 20"], ["red 20", "red 19"]],
        supply=["red 18"],
        rest_of_tiles=0,
        options={"open_screens": opened},
        run_outs=1,
        returned=sum(1 << tile_of(name) for name in ("red 19", "red 18")),
        taken_back=[0, 1 << tile_of("red 20"), 0, 0, 0],
    )
    sees(game, games, 0, "tile_known", {(tile_of("red 20"), 0): 1})
    sees(game, games, 1, "tile_known", {})
    sees(game, games, 1, "tile_own", {tile_of("red 20"): 2, tile_of("red 19"): 1})
    for seat in range(2):
        sees(game, games, seat, "tile_returned", ones(["red 19", "red 18"]))
    sees(game, games, 0, "screen_returned", {1: 1} if opened else {})
    sees(game, games, 1, "screen_returned", {0: 1})


# ---------------------------------------------------------------- range


SIGNED = ("letter_place", "tile_place", "city_owner")
SCALES = {
    "tile_own": 1 / 2,
    **dict.fromkeys(("letter_place", "tile_place"), 1 / 16),
    **dict.fromkeys(("letter_yield", "levels", "city_levels"), 1 / 8),
    **dict.fromkeys(("kind_in_pack", "kind_kept"), 1 / 4),
    **dict.fromkeys(("screen_resources", "stock", "built"), 1 / 25),
    **dict.fromkeys(("screen_points", "screen_points_above"), 1 / 100),
    **dict.fromkeys(("rounds", "rounds_left", "hundreds"), 1 / 100),
    **dict.fromkeys(("with_act", "with_colour"), 1 / 15),
    **dict.fromkeys(("screen_tiles", "screen_returned", "tiles_to_gain"), 1 / 20),
    **dict.fromkeys(("letter_age", "card_age"), 1 / 2),
    "hand_ages": 1 / 4,
    "tokens": 1 / 2,
    "bonus": 1 / 6,
    "outside": 1 / 60,
    "supply": 1 / 51,
    "deck": 1 / 72,
}


def check_numbers(game, games, seat):
    """Check that an observation is whole numbers times the scales of their blocks, in -1..1."""
    layout = game.observation_layout
    numbers = numbers_of(game, games, seat)
    floats = game.observe(games, 0, seat)
    assert floats.dtype == np.float32
    for name in layout.blocks:
        whole, seen = layout.view(numbers, name), layout.view(floats, name)
        expected = whole.astype(np.float32) * np.float32(SCALES.get(name, 1))
        assert seen.tobytes() == expected.tobytes(), name
        assert np.abs(seen).max() <= 1, name
        assert name in SIGNED or whole.min() >= 0, name


@pytest.mark.parametrize("open_screens", (False, True))
@pytest.mark.parametrize("seats", (1, 2, 3, 4, 5))
def test_values_are_whole_numbers_times_a_scale_along_steered_games(seats, open_screens):
    game = game_of(seats, open_screens=open_screens)
    for seed in range(3 if JIT else 1):
        likes = (ginkgopolis_along.ANYTHING, ginkgopolis_along.GIVER, ginkgopolis_along.BUILDER)[
            seed
        ]
        found = ginkgopolis_along.steered_game(game, seed, likes)
        for games in islice(found, 0, None, ginkgopolis_along.LOOK_EVERY):
            for seat in range(seats):
                check_numbers(game, games, seat)


@pytest.mark.parametrize("seats", (1, 2, 3, 4, 5))
def test_values_are_whole_numbers_times_a_scale_in_1_000_random_positions(seats):
    """200 positions for each number of seats; fewer without compiled kernels."""
    game = game_of(seats)
    found = (games for seed in range(100) for games in islice(random_game(game, seed), 0, None, 3))
    for games in islice(found, 200 if JIT else 20):
        for seat in range(seats):
            check_numbers(game, games, seat)


def test_scales_and_places_of_blocks_depend_on_no_option_and_scales_on_no_number_of_seats():
    for seats in (1, 2, 3, 4, 5):
        layout = game_of(seats).observation_layout
        other = game_of(seats, open_screens=True, max_rounds=7, characters="introductory")
        assert other.observation_layout.digest() == layout.digest()
        scales = {name: block.scale for name, block in layout.blocks.items()}
        assert scales == {name: SCALES.get(name, 1) for name in scales}


def test_making_a_layout_changes_no_tables():
    game = game_of(3)
    before = game.tables.tobytes()
    assert game.rules.layout(game.tables, 5).size > game.observation_size
    assert game.tables.tobytes() == before


def test_values_lie_in_minus_1_to_1_with_more_than_the_units_reckon_with():
    game, games = position(
        4,
        buildings={(0, 0): ("red 20", 0, 10)},
        resources=[8],
        points=[900],
        rest_of_tiles=0,
        kept=[["red 4", "red 1", "red 7"]],
        characters=[("red exploit",) * 3] * 4,
    )
    for seat in range(4):
        check_numbers(game, games, seat)
    seen = {"screen_resources": 8, "screen_tiles": 20, "screen_points": 100, "levels": 8}
    assert {name: block(game, games, 0, name).max() for name in seen} == seen


def test_an_observation_overwrites_all_of_its_array(middle):
    game, games = middle
    for kind in (np.float32, np.int8):
        out = np.full(game.observation_size, 77, kind)
        assert game.observe(games, 0, 0, out) is out
        assert (out == game.observe(games, 0, 0, np.empty_like(out))).all()


# ---------------------------------------------------------------- what is hidden


def others_see(game, games, seat):
    """Return what all seats but one are shown, and what they may answer."""
    return [
        ginkgopolis_along.shown_to(game, games, o)
        for o in ginkgopolis_along.seats_of(games)
        if o != seat
    ]


def until_it_takes_effect(game, games, seat):
    """Yield what the others see after every ply until a choice of ``seat`` is revealed.

    Whether a tile lies on the card is seen once all have chosen (G16).  The others answer only by
    what they see; the seat itself adds no tile.
    """
    while games.over[0] == NOT_OVER and games.chosen[0, seat] != NO_CARD:
        yield others_see(game, games, seat)
        mask = np.flatnonzero(game.legal_actions(games))
        to_play = int(games.to_play[0])
        seen = game.observe(games, 0, to_play).tobytes()
        game.play(games, 0, int(mask[-1 if to_play == seat else zlib.crc32(seen) % len(mask)]))


def answers_of(game, games):
    """Return what the seat to play may answer, except a new hand."""
    legal = np.flatnonzero(game.legal_actions(games))
    return [a for a in legal if game.action_name(games, 0, int(a)) != "new hand"]


@pytest.mark.parametrize("opened", (False, True))
@pytest.mark.parametrize("seats", (2, 3, 5))
@pytest.mark.parametrize("step", (Step.DRAFT, Step.CARD, Step.TILE))
def test_gk_3_what_a_seat_answers_in_a_pass_is_seen_by_nobody_until_it_takes_effect(
    step, seats, opened
):
    game = game_of(seats, open_screens=opened)
    found = ginkgopolis_along.positions_of(game, 7, step, "builder")
    plies = 0
    for games in islice(found, 0, None, 4 if JIT else 60):
        seat = int(games.to_play[0])
        before = others_see(game, games, seat)
        shown = {}
        answers = answers_of(game, games)
        for action in (*answers[:5], answers[-1]):
            name = game.action_name(games, 0, int(action))
            other = games.copy()
            game.play(other, 0, int(action))
            if int(games.owes[0]).bit_count() > 1:  # the pass goes on
                assert others_see(game, other, seat) == before
            seen = list(until_it_takes_effect(game, other, seat))
            plies += len(seen)
            shown.setdefault(name.startswith("with tile"), []).append(seen)
        assert all(seen == alike[0] for alike in shown.values() for seen in alike)
    assert plies > 0


@pytest.mark.parametrize("seats", (2, 4))
def test_gk_4_g1_a_new_hand_is_seen_by_nobody_until_the_end_of_the_pass(seats):
    game = game_of(seats)
    found = ginkgopolis_along.positions_of(game, 7, Step.CARD, "builder")
    tried = 0
    for games in found:
        seat = int(games.to_play[0])
        if int(games.owes[0]).bit_count() > 1 and games.tokens[0, seat] > 0:
            before = others_see(game, games, seat)
            legal = np.flatnonzero(game.legal_actions(games))
            names = [game.action_name(games, 0, int(action)) for action in legal]
            game.play(games := games.copy(), 0, int(legal[names.index("new hand")]))
            assert others_see(game, games, seat) == before
            tried += 1
    assert tried > 3


def test_gk_4_g22_of_a_new_hand_the_others_see_its_token_and_the_discards_not_the_cards_drawn():
    drawn = [("G", "H", "I", "blue 1"), ("J", "K", "red 3", "blue 2")]
    seen = []
    for deck in (drawn[0] + drawn[1], drawn[1] + drawn[0]):
        hands = [["A", "B", "C", "red 1"], ["D", "E", "F", "red 2"]]
        game, games = position(hands=hands, deck=deck)
        play(game, games, "new hand", "card D")
        assert hand_of(games, 0) == set(deck[:4])
        sees(game, games, 1, "tokens", seen_from(1, [1, 2]))
        sees(game, games, 1, "letter_discarded", ones("ABC", card_of))
        sees(game, games, 1, "card_discarded", ones(["red 1"]))
        seen.append([ginkgopolis_along.shown_to(game, games, seat) for seat in (0, 1)])
    assert seen[0][0] != seen[1][0]
    assert seen[0][1] == seen[1][1]


def returning_history(game, games, seat, plan):
    """Play the passes in which tiles are returned; return what the others see in each.

    ``seat`` returns as many tiles as planned, lowest first; the others return one and are done.
    """
    history = {}
    while step_of(games) == Step.RETURN:
        number, to_play = int(games.pass_number[0]), int(games.to_play[0])
        for other in ginkgopolis_along.seats_of(games):
            if other != seat and ginkgopolis_along.owes(games, other):
                history[other, number] = ginkgopolis_along.shown_to(game, games, other)
        legal = np.flatnonzero(game.legal_actions(games))
        more = number < (plan if to_play == seat else 1)
        game.play(games, 0, int(legal[0] if more else legal[-1]))
    return history


@pytest.mark.parametrize("opened", (False, True))
@pytest.mark.parametrize("seats", (2, 3))
def test_gk_4_g23_how_many_tiles_are_returned_is_seen_by_nobody_until_all_are_done(seats, opened):
    game = ginkgopolis_along.game_of(seats, ginkgopolis_along.FEW_TILES, open_screens=opened)
    start = ginkgopolis_along.positions_of(game, 3, Step.RETURN, "giver")[0]
    for seat in range(seats):
        held = len(ginkgopolis_along.set_of(start.tiles[0, seat]))
        histories = []
        for plan in range(min(held, 3) + 1):
            games = start.copy()
            histories.append(returning_history(game, games, seat, plan))
        assert all(history == histories[0] for history in histories)


def test_gk_4_g5_seats_that_wait_while_others_return_see_nothing_of_it():
    game, games = position(
        supply=["red 20"], rest_of_tiles=1, tiles=[["red 19", "red 18"]], hands=[["B"]]
    )
    choose(game, games, "B")
    play(game, games, "take tile")
    play(game, games, "return red 18", "done returning")
    before = ginkgopolis_along.shown_to(game, games, 1)
    play(game, games, "return red 19")
    assert ginkgopolis_along.shown_to(game, games, 1) == before
    play(game, games, "return red 20")
    assert ginkgopolis_along.shown_to(game, games, 1) == before
    assert step_of(games) == Step.RETURN


@pytest.mark.parametrize("opened", (False, True))
@pytest.mark.parametrize("seats", (1, 2, 3, 4, 5))
def test_gk_2_decks_and_tiles_of_others_show_in_no_observation(seats, opened):
    """Reverse deck and supply, and exchange tiles of two seats with tiles of the supply."""
    game, exchanged = game_of(seats, open_screens=opened), 0
    for games in islice(
        ginkgopolis_along.steered_game(game, 5), 0, None, 2 * ginkgopolis_along.LOOK_EVERY
    ):
        other = games.copy()
        state = other[0]
        size, cards = int(state.supply_size), int(state.deck_size)
        state.supply[:size] = state.supply[:size][::-1].copy()
        state.deck[:cards] = state.deck[:cards][::-1].copy()
        state.rng = 12345
        assert others_see(game, other, None) == others_see(game, games, None)
        for holder in range(1, seats):
            hidden = int(state.tiles[holder]) & ~int(state.taken_back[holder])
            hidden &= int(state.returned) or hidden
            tiles = sorted(ginkgopolis_along.set_of(hidden) - {int(state.chosen_tile[holder])})
            if tiles and size:
                state.tiles[holder] ^= (1 << tiles[0]) | (1 << int(state.supply[0]))
                state.supply[0] = tiles[0]
                assert ginkgopolis_along.violations(game, other) == []
                exchanged += 1
        if seats > 1:
            assert ginkgopolis_along.shown_to(game, other, 0) == ginkgopolis_along.shown_to(
                game, games, 0
            )
    assert (exchanged > 0) == (seats > 1)
