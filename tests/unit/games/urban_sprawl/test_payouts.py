"""US §1, §2, U2, U10, U22: values of blocks and payouts of lines."""

import pytest

from tests.unit.games.urban_sprawl.position import prestige_of, run, value_of, wealth_of

VALUES = ((4, 7, 8, 9, 6, 5), (2, 5, 6, 7, 4, 3), (3, 6, 7, 8, 5, 4))
SPOTS = tuple(f"D{row} {corner}" for row in range(1, 7) for corner in ("TL", "TR", "BL", "BR"))
PLACES = {  # US §2, printed
    1: (1, 0, 0, 0),
    2: (2, 1, 0, 0),
    3: (3, 1, 0, 0),
    4: (4, 2, 1, 0),
    5: (5, 2, 1, 0),
    6: (6, 3, 1, 0),
    7: (7, 3, 1, 0),
    8: (8, 4, 2, 1),
    9: (9, 4, 2, 1),
    10: (10, 5, 2, 1),
    11: (11, 5, 2, 1),
    12: (12, 6, 3, 1),
}


def paid(counts, number=6, what="wealth", **drawn):
    """Pay column D (or another line), in which the seats control these numbers of buildings."""
    spots = iter(SPOTS)
    buildings = {next(spots): ("RES", seat) for seat, n in enumerate(counts) for _ in range(n)}
    effect = {"do": "payout", "line": "named", "what": what, "number": number}
    drawn = {"wealth": 0, "prestige": 0, **drawn}
    _, games = run(effect, num_players=len(counts), buildings=buildings, **drawn)
    return wealth_of(games) if what == "wealth" else prestige_of(games)


@pytest.mark.parametrize("column", range(6))
def test_us_1_values_without_markers(column):
    _, games = run({"do": "gain", "what": "wealth", "amount": 1})
    for row in range(6):
        assert value_of(games, f"{'ABCDEF'[column]}{row + 1}") == VALUES[row // 2][column]


@pytest.mark.parametrize(
    ("line", "raised"),
    [
        ("grey AB", {"A1", "A6", "B6"}),
        ("grey CD", {"C1", "D6"}),
        ("grey EF", {"E1", "F1", "F6"}),
        ("grey 1", {"A1", "C1", "E1", "F1"}),
        ("grey 6", {"A6", "F6", "B6", "D6"}),
    ],
)
def test_us_1_a_marker_raises_every_block_of_its_line(line, raised):
    effect = {"do": "gain", "what": "wealth", "amount": 1}
    _, games = run(effect, markers={"wealth 12": line})
    for block in ("A1", "B6", "C1", "D6", "E1", "F6", "F1", "A6"):
        expected = VALUES[(int(block[1]) - 1) // 2]["ABCDEF".index(block[0])]
        assert value_of(games, block) == expected + (12 if block in raised else 0)


def test_us_1_two_markers_count_where_they_cross():
    effect = {"do": "gain", "what": "wealth", "amount": 1}
    _, games = run(effect, markers={"wealth 12": "grey CD", "prestige 6": "grey 1"})
    assert value_of(games, "D1") == 9 + 12 + 6


# ---------------------------------------------------------------- US §2: payouts


@pytest.mark.parametrize(
    ("counts", "shares"),
    [
        ([3, 3, 2, 1], [4, 4, 1, 0]),
        ([2, 2, 2, 2], [2, 2, 2, 2]),
        ([4, 3, 1, 1], [6, 3, 0, 0]),
    ],
)
def test_us_10_printed_payouts_of_line_6(counts, shares):
    assert paid(counts) == shares


@pytest.mark.parametrize(
    ("counts", "shares"),
    [
        ([1, 1], [4, 4]),
        ([2, 1], [6, 3]),
        ([1, 1, 1], [3, 3, 3]),
        ([3, 2, 1], [6, 3, 1]),
        ([2, 1, 1], [6, 2, 2]),
        ([1, 1, 0, 0], [4, 4, 0, 0]),
        ([0, 1, 0, 2], [0, 3, 0, 6]),
        ([1, 1, 2, 2], [0, 0, 4, 4]),
    ],
)
def test_us_2_tied_seats_share_the_places_they_occupy_rounded_down(counts, shares):
    assert paid(counts) == shares


@pytest.mark.parametrize(("counts", "shares"), [([1, 0], [6, 0]), ([0, 0], [0, 0])])
def test_u2_a_seat_without_a_building_gets_nothing_and_takes_no_place(counts, shares):
    assert paid(counts) == shares


@pytest.mark.parametrize("number", range(1, 13))
def test_us_2_the_payout_table(number):
    markers = {f"wealth {number}": "grey CD"} if number > 6 else {}
    column = "ABCDEF"[(1, 4, 5, 6, 3, 2).index(number)] if number <= 6 else "D"
    for seats in (2, 3, 4):
        buildings = {}
        for seat in range(seats):
            corner = ("TL", "TR", "BL", "BR")[seat]
            for row in range(seats - seat):
                buildings[f"{column}{row + 1} {corner}"] = ("RES", seat)
        effect = {"do": "payout", "line": "named", "what": "wealth", "number": number}
        drawn = {"num_players": seats, "buildings": buildings, "markers": markers}
        _, games = run(effect, wealth=0, **drawn)
        assert wealth_of(games) == list(PLACES[number][:seats])


def test_us_2_parks_count_and_uncontrolled_buildings_do_not():
    effect = {"do": "payout", "line": "named", "what": "wealth", "number": 6}
    buildings = {
        "D1 TL": ("PARK", 1),
        "D2 TL": ("PARK", 1),
        "D3 TL": ("IND", 0),
        "D4 TL": ("IND", None),
    }
    _, games = run(effect, buildings=buildings, wealth=0)
    assert wealth_of(games) == [3, 6]


@pytest.mark.parametrize(
    ("line", "inside", "outside"),
    [
        ("grey AB", "B6 TL", "C6 TL"),
        ("grey EF", "E1 TL", "D1 TL"),
        ("grey 4", "F4 BR", "F5 TL"),
        ("grey 1", "A1 TL", "A2 TL"),
    ],
)
def test_us_1_the_line_of_a_marker(line, inside, outside):
    effect = {"do": "payout", "line": "named", "what": "wealth", "number": 12}
    buildings = {inside: ("IND", 0), outside: ("IND", 1)}
    _, games = run(effect, buildings=buildings, markers={"wealth 12": line}, wealth=0)
    assert wealth_of(games) == [12, 0]


@pytest.mark.parametrize(("number", "row"), [(3, 1), (3, 2), (1, 3), (1, 4), (2, 5), (2, 6)])
def test_us_1_prestige_lines_are_double_rows(number, row):
    effect = {"do": "payout", "line": "named", "what": "prestige", "number": number}
    _, games = run(effect, buildings={f"F{row} BR": ("IND", 1)}, prestige=0)
    assert prestige_of(games) == [0, number]


@pytest.mark.parametrize(("what", "number"), [("wealth", 7), ("prestige", 4)])
def test_us_2_a_marker_not_on_the_board_pays_nothing(what, number):
    effect = {"do": "payout", "line": "named", "what": what, "number": number}
    _, games = run(effect, buildings={"D1 TL": ("IND", 1)}, prestige=0, wealth=0)
    assert (wealth_of(games), prestige_of(games)) == ([0, 0], [0, 0])


def test_us_2_wealth_4_and_prestige_4_are_different_lines():
    buildings = {"B1 TL": ("IND", 1), "F6 TL": ("IND", 0)}
    markers = {"prestige 4": "grey EF"}
    for what, expected in (("wealth", [0, 4]), ("prestige", [4, 0])):
        effect = {"do": "payout", "line": "named", "what": what, "number": 4}
        _, games = run(effect, buildings=buildings, markers=markers, prestige=0, wealth=0)
        assert (wealth_of(games) if what == "wealth" else prestige_of(games)) == expected


def test_u10_reaching_100_prestige_and_more_is_fine():
    effect = {"do": "gain", "what": "prestige", "amount": 99}
    _, games = run(effect, effect, prestige=50)
    assert prestige_of(games)[0] == 248
