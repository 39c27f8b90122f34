"""GK §4, G4: where an urbanization marker goes."""

import numpy as np
import pytest

from sprawl_env.games.ginkgopolis.constants import LETTERS, Step
from tests.unit.games.ginkgopolis.position import (
    ALL_TILES,
    START,
    building_at,
    cell_at,
    choose,
    legal_names,
    markers_of,
    play,
    position,
    step_of,
)

START_MARKERS = {
    "A": ((0, -1), "south"),
    "B": ((1, -1), "south"),
    "C": ((2, -1), "south"),
    "D": ((3, 0), "west"),
    "E": ((3, 1), "west"),
    "F": ((3, 2), "west"),
    "G": ((2, 3), "north"),
    "H": ((1, 3), "north"),
    "I": ((0, 3), "north"),
    "J": ((-1, 2), "east"),
    "K": ((-1, 1), "east"),
    "L": ((-1, 0), "east"),
}
OTHERS = [name for name in ALL_TILES if name not in START]
NEW = "yellow 20"


def urbanize(letter, *cells, markers=None, seats=2):
    """Put the tile ``NEW`` in place of a letter as seat 0; the marker is to move next."""
    game, games = position(
        seats,
        buildings={cell: (OTHERS[k], k % seats) for k, cell in enumerate(cells)},
        markers=markers,
        hands=[[letter]],
        tiles=[[NEW]],
    )
    choose(game, games, (letter, NEW))
    assert step_of(games) == Step.MARKER
    assert games.to_play[0] == 0
    return game, games


def asked_letter(games):
    """Return the letter that is to move next."""
    return LETTERS[games.agenda[0, int(games.agenda_size[0]) - 1].letter]


# ---------------------------------------------------------------- the start


def test_g4_markers_a_to_l_stand_clockwise_round_the_start():
    _, games = position()
    assert markers_of(games) == START_MARKERS


# ---------------------------------------------------------------- beside the new tile: case (1)


@pytest.mark.parametrize(
    ("letter", "offered"),
    [
        ("A", "north west"),
        ("B", "north"),
        ("C", "north east"),
        ("D", "north east"),
        ("E", "east"),
        ("F", "east south"),
        ("G", "east south"),
        ("H", "south"),
        ("I", "south west"),
        ("J", "south west"),
        ("K", "west"),
        ("L", "north west"),
    ],
)
def test_g4_1_what_each_letter_is_offered_at_the_start(letter, offered):
    game, games = urbanize(letter)
    assert legal_names(game, games) == {f"marker {direction}" for direction in offered.split()}
    assert asked_letter(games) == letter


@pytest.mark.parametrize(
    ("letter", "direction", "place"),
    [
        ("A", "north", ((0, -2), "south")),
        ("A", "west", ((-1, -1), "east")),
        ("C", "east", ((3, -1), "west")),
        ("F", "south", ((3, 3), "north")),
        ("L", "north", ((-1, -1), "south")),
    ],
)
def test_g4_1_the_marker_leans_on_the_new_tile_and_the_others_stay(letter, direction, place):
    game, games = urbanize(letter)
    play(game, games, f"marker {direction}")
    assert markers_of(games) == START_MARKERS | {letter: place}


def test_g4_the_tile_takes_the_place_of_the_marker():
    _, games = urbanize("F")
    assert building_at(games, 3, 2) == (NEW, 0, 1)
    assert "F" not in markers_of(games)


def test_g4_1_a_cell_with_a_marker_is_not_free():
    game, games = urbanize("B")
    assert legal_names(game, games) == {"marker north"}  # west A, east C


def test_g4_1_a_cell_without_its_marker_is_free():
    markers = {"A": ((-1, -1), "east"), "B": ((0, -2), "south")}
    game, games = urbanize("C", (0, -1), markers=markers)
    assert legal_names(game, games) == {"marker north", "marker east", "marker west"}


ROOF = ((0, -1), (0, -2), (1, -2))  # over the cell (1, -1), open to the east


def test_g4_1_a_hole_beside_the_new_tile_is_no_place():
    markers = {"A": ((1, -3), "south"), "B": ((2, -2), "west")}
    game, games = urbanize("C", *ROOF, markers=markers)
    assert legal_names(game, games) == {"marker east"}  # west is the hole, north has B


def test_g4_1_the_same_cell_is_a_place_while_it_is_open():
    markers = {"A": ((0, -3), "south"), "B": ((1, -2), "west")}
    game, games = urbanize("C", *ROOF[:2], markers=markers)
    assert legal_names(game, games) == {"marker north", "marker east", "marker west"}


# ---------------------------------------------------------------- between its neighbours: case (2)

# B's new tile is at (1, -1), a tile west, north and south of it, C's marker east.  Above it a
# gap one cell wide, (1, -3) and (2, -3), is open to the east: tiles are x, from (0, -4) on.
#
#     x x x
#     x . .
#     x x x
#     x B C
GAP = ((0, -1), (0, -2), (0, -3), (0, -4), (1, -4), (2, -4), (1, -2), (2, -2))


def places(game, games):
    """Return where each candidate leads, in order."""
    letter = asked_letter(games)
    found = []
    for k in range(len(legal_names(game, games))):
        tried = games.copy()
        play(game, tried, f"marker place {k}")
        found.append(markers_of(tried)[letter])
        assert markers_of(tried) == markers_of(games) | {letter: found[-1]}  # the others stay
    return found


def test_g4_2_without_a_free_cell_beside_it_goes_between_its_neighbours():
    game, games = urbanize("B", *ROOF, markers={"A": ((1, -3), "south")})
    assert legal_names(game, games) == {"marker place 0"}
    assert places(game, games) == [((2, -2), "west")]


def test_g4_2_candidates_are_numbered_clockwise_and_lean_on_their_first_side():
    game, games = urbanize("B", *GAP, markers={"A": ((2, -5), "south")})
    assert places(game, games) == [
        ((3, -4), "west"),
        ((2, -3), "north"),  # passed again on the way out, offered once
        ((1, -3), "north"),  # three sides in a row, offered once
        ((3, -2), "west"),
    ]


def test_g4_2_a_concave_corner_shows_two_sides_and_is_offered_once():
    cells = ((0, -1), (0, -2), (0, -3), (1, -2))
    game, games = urbanize("B", *cells, markers={"A": ((0, -4), "south")})
    assert places(game, games) == [((1, -3), "west"), ((2, -2), "west")]


@pytest.mark.parametrize(
    ("earlier", "candidates"),
    [
        (((1, -3), "north"), [((2, -3), "south"), ((3, -2), "west")]),
        (((1, -3), "west"), [((2, -3), "south"), ((3, -2), "west")]),
        (((2, -3), "north"), [((1, -3), "north"), ((3, -2), "west")]),
        (((2, -3), "south"), [((3, -2), "west")]),
        (((3, -4), "west"), [((2, -3), "north"), ((1, -3), "north"), ((3, -2), "west")]),
        (((3, -2), "west"), None),
    ],
)
def test_g4_2_a_cell_passed_twice_counts_with_the_side_between_the_neighbours(earlier, candidates):
    game, games = urbanize("B", *GAP, markers={"A": earlier})
    if candidates is None:  # case (3)
        assert legal_names(game, games) == {"push anticlockwise"}
    else:
        assert places(game, games) == candidates


def test_g4_2_between_the_neighbours_there_may_be_no_others():
    game, games = urbanize("B", *GAP, markers={"A": ((0, -5), "south")})
    assert [cell for cell, _ in places(game, games)] == [
        (1, -5),
        (2, -5),
        (3, -4),
        (2, -3),
        (1, -3),
        (3, -2),
    ]


def test_g4_2_a_hole_is_no_candidate():
    cells = (*GAP, (3, -4), (3, -3), (3, -2))  # the gap is shut
    game, games = urbanize("B", *cells, markers={"A": ((3, -5), "south")})
    assert places(game, games) == [((4, -4), "west"), ((4, -3), "west"), ((4, -2), "west"),
                                   ((3, -1), "north")]  # fmt: skip


# ---------------------------------------------------------------- pushing: case (3)

HOOK = ((0, -1), (0, -2))  # A leans on its end at (1, -2); B's new tile is at (1, -1)
SHIFTED = {  # (3, 0) is free
    "D": ((3, 1), "west"),
    "E": ((3, 2), "west"),
    "F": ((2, 3), "north"),
    "G": ((1, 3), "north"),
    "H": ((0, 3), "north"),
    "I": ((-1, 2), "east"),
    "J": ((-1, 1), "east"),
    "K": ((-1, 0), "east"),
    "L": ((-1, -1), "east"),
}
A_IN_HOOK = {"A": ((1, -2), "west")}


def test_g4_3_without_a_place_it_pushes_where_fewer_move():
    game, games = urbanize("B", *HOOK, markers=A_IN_HOOK)
    before = markers_of(games)
    assert legal_names(game, games) == {"push anticlockwise"}
    play(game, games, "push anticlockwise")
    assert markers_of(games) == before | {"B": ((1, -2), "west"), "A": ((0, -3), "south")}


def test_g4_3_fewer_may_move_clockwise():
    markers = SHIFTED | A_IN_HOOK | {"L": ((0, -3), "south")}
    game, games = urbanize("B", *HOOK, markers=markers)
    before = markers_of(games)
    assert legal_names(game, games) == {"push clockwise"}
    play(game, games, "push clockwise")
    assert markers_of(games) == before | {"B": ((2, -1), "south"), "C": ((3, 0), "west")}


@pytest.mark.parametrize(
    ("direction", "moved"),
    [
        ("anticlockwise", {"B": ((1, -2), "west"), "A": ((0, -3), "south")}),
        ("clockwise", {"B": ((2, -1), "south"), "C": ((3, 0), "west")}),
    ],
)
def test_g4_3_if_as_many_move_either_way_the_seat_picks(direction, moved):
    game, games = urbanize("B", *HOOK, markers=SHIFTED | A_IN_HOOK)
    before = markers_of(games)
    assert legal_names(game, games) == {"push anticlockwise", "push clockwise"}
    play(game, games, f"push {direction}")
    assert markers_of(games) == before | moved


def test_g4_3_each_takes_the_place_of_the_next_the_last_the_first_free_cell():
    markers = A_IN_HOOK | {"L": ((0, -3), "south"), "K": ((-1, -2), "east")}
    game, games = urbanize("B", *HOOK, markers=markers)
    before = markers_of(games)
    assert legal_names(game, games) == {"push anticlockwise"}
    play(game, games, "push anticlockwise")
    assert markers_of(games) == before | {
        "B": ((1, -2), "west"),
        "A": ((0, -3), "south"),
        "L": ((-1, -2), "east"),
        "K": ((-1, -1), "east"),
    }


def test_g4_3_two_against_two_is_a_tie():
    markers = SHIFTED | A_IN_HOOK | {"L": ((0, -3), "south"), "D": ((3, 0), "west")}
    game, games = urbanize("B", *HOOK, markers=markers)  # A and L, or C and D to (3, 1)
    before = markers_of(games)
    assert legal_names(game, games) == {"push anticlockwise", "push clockwise"}
    play(game, games, "push clockwise")
    assert markers_of(games) == before | {
        "B": ((2, -1), "south"),
        "C": ((3, 0), "west"),
        "D": ((3, 1), "west"),
    }


# With a tile at each end the free cells show two sides: (0, -3) those of (-1, -3) and (0, -2),
# clockwise in this order, and (3, 0) those of (2, 0) and (3, 1).
CORNERED = (*HOOK, (-1, -2), (-1, -3), (3, 1))


@pytest.mark.parametrize(
    ("direction", "moved"),
    [
        ("anticlockwise", {"B": ((1, -2), "west"), "A": ((0, -3), "south")}),
        ("clockwise", {"B": ((2, -1), "south"), "C": ((3, 0), "west")}),
    ],
)
def test_g21_the_last_letter_pushed_leans_on_the_side_that_the_push_meets_first(direction, moved):
    markers = SHIFTED | A_IN_HOOK | {"D": ((4, 1), "west")}
    game, games = urbanize("B", *CORNERED, markers=markers)
    before = markers_of(games)
    assert legal_names(game, games) == {"push anticlockwise", "push clockwise"}
    play(game, games, f"push {direction}")
    assert markers_of(games) == before | moved


# ---------------------------------------------------------------- holes and letters shut in


def test_g4_a_letter_shut_in_by_the_new_tile_is_placed_next():
    game, games = urbanize("C", *ROOF, markers={"A": ((2, -2), "west")})
    assert legal_names(game, games) == {"marker east"}
    play(game, games, "marker east")
    assert step_of(games) == Step.MARKER
    assert games.to_play[0] == 0
    assert asked_letter(games) == "B"
    before = markers_of(games)
    assert legal_names(game, games) == {"push anticlockwise"}
    play(game, games, "push anticlockwise")
    assert markers_of(games) == before | {"B": ((2, -2), "west"), "A": ((1, -3), "south")}
    assert step_of(games) != Step.MARKER


def test_g4_a_letter_shut_in_does_not_use_case_1():
    game, games = urbanize("C", *ROOF, markers={"A": ((0, -3), "south")})
    play(game, games, "marker north")  # (3, -1) beside the new tile stays free
    assert asked_letter(games) == "B"
    assert places(game, games) == [((1, -3), "south")]


# A wall around the start, joined to it at (0, -1), whose last tile goes to (-1, -2).
WALL = (
    *((0, y) for y in (-1, -2)),
    *((x, -2) for x in (1, 2, 3, 4)),
    *((4, y) for y in (-1, 0, 1, 2, 3, 4)),
    *((x, 4) for x in (3, 2, 1, 0, -1, -2)),
    *((-2, y) for y in (3, 2, 1, 0, -1, -2)),
)
INSIDE = [place for letter, place in START_MARKERS.items() if letter != "A"]


def walled(origin):
    """Shut all the other letters in by ``origin``; its marker is to move next."""
    first = LETTERS.index(origin)
    onwards = [LETTERS[(first + k) % 12] for k in range(12)]
    markers = dict(zip(onwards, [((-1, -2), "west"), *INSIDE], strict=True))
    return *urbanize(origin, *WALL, markers=markers), onwards


@pytest.mark.parametrize("origin", ["A", "F", "L"])
def test_g4_letters_shut_in_move_in_alphabetical_order_onwards(origin):
    game, games, onwards = walled(origin)
    assert legal_names(game, games) == {"marker north"}  # south is the hole
    play(game, games, "marker north")
    asked = []
    while step_of(games) == Step.MARKER:
        asked.append(asked_letter(games))
        play(game, games, "marker place 0")
    assert asked == onwards[1:]
    cells = [(-1, -3), (0, -3), (1, -3), (2, -3), (3, -3), (4, -3), (5, -2), (5, -1), (5, 0),
             (5, 1), (5, 2), (5, 3)]  # fmt: skip
    assert [markers_of(games)[letter][0] for letter in onwards] == cells


def test_g21_letters_that_wait_in_a_hole_are_no_neighbours_so_all_other_cells_are_candidates():
    """A alone is on the contour; B, which is to move, waits between A and C."""
    game, games, _ = walled("A")
    play(game, games, "marker north")
    state = games[0]
    cells = {cell_at(state, int(side)) for side in state.contour[: state.contour_length]}
    assert len(legal_names(game, games)) == len(cells) - 1


def test_g4_a_hole_is_never_built_on():
    game, games, _ = walled("A")
    play(game, games, "marker north")
    while step_of(games) == Step.MARKER:
        play(game, games, max(legal_names(game, games)))
    inside = {cell for cell, _ in INSIDE} | {(-1, -1), (3, -1), (3, 3), (-1, 3)}
    assert inside.isdisjoint(cell for cell, _ in markers_of(games).values())


# ---------------------------------------------------------------- GK §5: far out


@pytest.mark.parametrize(
    ("letter", "direction", "leans", "first", "step"),
    [
        ("A", "north", "south", (0, -1), (0, -1)),
        ("D", "east", "west", (3, 0), (1, 0)),
        ("G", "south", "north", (2, 3), (0, 1)),
        ("J", "west", "east", (-1, 2), (-1, 0)),
    ],
)
@pytest.mark.parametrize("walked", [0, 1, 31, 49, 50])
def test_gk_5_a_marker_walks_outward_to_the_last_tile(
    letter, direction, leans, first, step, walked
):
    def cell(k):
        return first[0] + k * step[0], first[1] + k * step[1]

    cells = [cell(k) for k in range(walked)]
    game, games = urbanize(letter, *cells, markers={letter: (cell(walked), leans)}, seats=5)
    assert building_at(games, *cell(walked)) == (NEW, 0, 1)
    assert f"marker {direction}" in legal_names(game, games)
    play(game, games, f"marker {direction}")
    assert markers_of(games)[letter] == (cell(walked + 1), leans)
    assert games.contour_length[0] == 12 + 2 * (walked + 1)


def test_gk_5_the_longest_contour_is_walked_without_a_gap():
    cells = [(0, -1 - k) for k in range(50)]
    _, games = urbanize("A", *cells, markers={"A": ((0, -51), "south")}, seats=5)
    assert games.contour_length[0] == 114
    assert np.unique(games.contour[0]).size == 114
    assert games.site_y[0].min() == -51
