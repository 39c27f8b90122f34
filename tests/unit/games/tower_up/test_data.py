"""TU §2 and §8: the boards and cards as packaged, and the errors of a user's data folder."""

import re
from collections import Counter
from itertools import combinations

import pytest

import sprawl_env
from sprawl_env.core.errors import DataError
from sprawl_env.games.tower_up.constants import COLOURS, DISTRICTS
from tests.unit.games.tower_up.position import game_of, packaged

BOARDS = ("board_2p", "board_4p")
GREY = {"grey_a", "grey_b"}


def sites_of(board):
    return game_of(2).data.rows(board, "site")


def cards():
    return [row for row in game_of(2).data.rows("cards", "card") for _ in range(row.copies)]


def streets_of(board):
    return {frozenset((site.id, other)) for site in sites_of(board) for other in site.streets}


def connected(ids, board):
    """Return whether the sites are connected by streets among them."""
    ids = set(ids)
    reached, waiting = set(), [min(ids)]
    while waiting:
        site = waiting.pop()
        if site not in reached:
            reached.add(site)
            waiting += [other for other in sites_of(board)[site].streets if other in ids]
    return reached == ids


# ---------------------------------------------------------------- TU §2: the boards


@pytest.mark.parametrize(
    ("board", "sizes"), [("board_2p", [6] * 5), ("board_4p", [9, 9, 10, 10, 10])]
)
def test_tu_2_sites_by_district(board, sizes):
    held = Counter(site.district for site in sites_of(board))
    assert set(held) == set(DISTRICTS)
    assert sorted(held.values()) == sizes


@pytest.mark.parametrize("board", BOARDS)
def test_tu_2_five_districts_two_of_them_grey(board):
    districts = {site.district for site in sites_of(board)}
    assert len(districts) == 5
    assert districts & GREY == GREY
    assert len([name for name in districts if name.startswith("grey")]) == 2


@pytest.mark.parametrize("board", BOARDS)
def test_tu_2_streets_run_both_ways_and_join_different_sites(board):
    sites = sites_of(board)
    for site in sites:
        assert site.id not in site.streets
        assert len(set(site.streets)) == len(site.streets)
        assert all(site.id in sites[other].streets for other in site.streets)


@pytest.mark.parametrize("board", BOARDS)
def test_tu_2_a_site_has_one_to_five_streets(board):
    assert {len(site.streets) for site in sites_of(board)} <= {1, 2, 3, 4, 5}


@pytest.mark.parametrize(("board", "mean"), [("board_2p", 3.0), ("board_4p", 2.5)])
def test_tu_2_the_mean_number_of_streets_is_near_what_is_stated(board, mean):
    degrees = [len(site.streets) for site in sites_of(board)]
    assert sum(degrees) / len(degrees) == pytest.approx(mean, abs=0.2)


@pytest.mark.parametrize("board", BOARDS)
def test_tu_2_the_board_is_connected(board):
    assert connected([site.id for site in sites_of(board)], board)


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("district", DISTRICTS)
def test_tu_2_every_district_is_connected(board, district):
    assert connected([site.id for site in sites_of(board) if site.district == district], board)


def turn(a, b, c):
    """Return a positive number if a-b-c turns left, negative if right, 0 if straight."""
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)


def lies_on(point, a, b):
    inside = min(a.x, b.x) <= point.x <= max(a.x, b.x) and min(a.y, b.y) <= point.y <= max(a.y, b.y)
    return inside and abs(turn(a, b, point)) < 1e-9


def cross(a, b, c, d):
    return turn(a, b, c) * turn(a, b, d) < 0 and turn(c, d, a) * turn(c, d, b) < 0


@pytest.mark.parametrize("board", BOARDS)
def test_tu_2_no_two_streets_cross_as_drawn(board):
    sites = sites_of(board)
    streets = [sorted(street) for street in streets_of(board)]
    for one, other in combinations(streets, 2):
        if not set(one) & set(other):
            ends = [sites[end] for end in (*one, *other)]
            assert not cross(*ends), (one, other)


@pytest.mark.parametrize("board", BOARDS)
def test_tu_2_no_street_passes_through_another_site_as_drawn(board):
    sites = sites_of(board)
    assert len({(site.x, site.y) for site in sites}) == len(sites)
    for street in streets_of(board):
        a, b = (sites[end] for end in street)
        assert not [s.id for s in sites if s.id not in street and lies_on(s, a, b)]


@pytest.mark.parametrize("board", BOARDS)
def test_tu_2_at_least_six_borders(board):
    sites = sites_of(board)
    borders = {frozenset(sites[end].district for end in street) for street in streets_of(board)}
    assert len([border for border in borders if len(border) == 2]) >= 6


@pytest.mark.parametrize("board", BOARDS)
def test_tu_2_three_or_four_parks_and_three_lakes_of_three_to_six_sites(board):
    for place, allowed in (("park", {3, 4}), ("lake", {3})):
        touching = Counter(getattr(site, place) for site in sites_of(board))
        del touching[0]
        assert len(touching) in allowed
        assert all(3 <= number <= 6 for number in touching.values())
        assert sum(touching.values()) >= 9


@pytest.mark.parametrize("board", BOARDS)
def test_tu_2_some_sites_lie_by_neither_park_nor_lake(board):
    assert [site for site in sites_of(board) if not site.park and not site.lake]


def test_tu_2_the_tables_say_what_the_files_say():
    t = game_of(4).tables[0]
    for b, board in enumerate(BOARDS):
        sites = sites_of(board)
        assert t.num_sites[b] == len(sites)
        for site in sites:
            bit = 1 << site.id
            assert set(t.streets[b, site.id, : t.num_streets[b, site.id]]) == set(site.streets)
            assert t.next_to[b, site.id] == sum(1 << other for other in site.streets)
            assert DISTRICTS[t.district[b, site.id]] == site.district
            assert bool(t.in_district[b, t.district[b, site.id]] & bit)
            assert bool(t.by_park[b] & bit) == (site.park > 0)
            assert bool(t.by_lake[b] & bit) == (site.lake > 0)
        assert sum(bin(int(x)).count("1") for x in t.in_district[b]) == len(sites)


@pytest.mark.parametrize("board", (0, 1))
def test_tu_6_t6_crossings_are_the_four_site_sets_over_two_borders(board):
    sites = sites_of(BOARDS[board])
    streets = [
        (frozenset(sites[end].district for end in street), street)
        for street in streets_of(BOARDS[board])
    ]
    expected = {
        sum(1 << site for site in one | other)
        for (border, one), (second, other) in combinations(streets, 2)
        if len(border) == len(second) == 2 and border != second and len(one | other) == 4
    }
    t = game_of(4).tables[0]
    assert set(t.crossings[board, : t.num_crossings[board]].tolist()) == expected


# ---------------------------------------------------------------- TU §8: cards, rows, objectives


def test_tu_8_44_cards_of_five_kinds():
    def kind(card):
        colours = Counter(floor for floor in card.floors if floor != "multicolour")
        return sorted(colours.values()), card.floors.count("multicolour"), card.steps

    kinds = Counter(map(str, map(kind, cards())))
    assert kinds == {
        "([2, 2], 0, 0)": 12,
        "([1, 1, 1], 0, 0)": 12,
        "([], 2, 0)": 4,
        "([], 1, 2)": 4,
        "([1, 1], 0, 1)": 12,
    }


def test_tu_8_every_pair_of_colours_twice_and_every_triple_three_times():
    plain = [frozenset(c.floors) for c in cards() if not c.steps and "multicolour" not in c.floors]
    held = Counter(plain)
    assert all(held[frozenset(pair)] == 2 for pair in combinations(COLOURS, 2))
    assert all(held[frozenset(triple)] == 3 for triple in combinations(COLOURS, 3))


def test_tu_8_single_vehicles_come_with_two_other_colours():
    single = [card for card in cards() if card.steps == 1]
    for card in single:
        assert card.vehicle not in card.floors
        assert len(set(card.floors)) == 2
    held = Counter((card.vehicle, frozenset(card.floors)) for card in single)
    assert len(held) == 12


def test_tu_8_the_bottom_floor_is_the_last_one_listed():
    assert all(card.bottom == card.floors[-1] for card in cards())


def test_tu_8_each_colour_is_the_bottom_of_9_cards_and_multicolour_of_8():
    assert Counter(card.bottom for card in cards()) == dict.fromkeys(COLOURS, 9) | {
        "multicolour": 8
    }


@pytest.mark.parametrize("size", (4, 3, 2))
def test_tu_8_each_colour_comes_last_three_times_in_each_kind(size):
    kind = [
        card for card in cards() if len(card.floors) == size and "multicolour" not in card.floors
    ]
    assert Counter(card.bottom for card in kind) == dict.fromkeys(COLOURS, 3)


def test_tu_8_27_floors_and_5_vehicle_steps_of_each_colour():
    floors, steps = Counter(), Counter()
    for card in cards():
        floors.update(card.floors)
        if card.vehicle:
            steps[card.vehicle] += card.steps
    assert floors == dict.fromkeys(COLOURS, 27) | {"multicolour": 12}
    assert steps == dict.fromkeys(COLOURS, 5)


def test_tu_8_the_tables_hold_every_card_of_the_file():
    t = game_of(2).tables[0]
    for number, card in enumerate(cards()):
        assert t.card_floors[number].tolist() == [card.floors.count(c) for c in COLOURS]
        assert t.card_multicolour[number] == card.floors.count("multicolour")
        assert t.card_steps[number] == card.steps
        if card.steps:
            assert COLOURS[t.card_vehicle[number]] == card.vehicle
        assert t.card_bottom[number] == (*COLOURS, "multicolour").index(card.bottom)


def test_tu_8_star_columns_after_2_4_6_and_8_steps():
    assert game_of(2).data.row("rows", "stars").columns == (2, 4, 6, 8)


def test_tu_8_ten_columns_of_a_marker_and_eight_of_the_cone():
    assert game_of(2).data.row("rows", "marker").values == (0, 1, 2, 3, 4, 5, 6, 8, 10, 12)
    assert game_of(2).data.row("rows", "cone").values == (0, 1, 2, 3, 5, 7, 9, 12)


def test_tu_6_ten_objectives_in_the_order_of_the_rules_with_three_start_cards():
    rows = game_of(2).data.rows("objectives", "objective")
    assert [(row.kind, row.need) for row in rows] == [
        ("colours", 4),
        ("parks", 4),
        ("districts", 5),
        ("lakes", 4),
        ("adjacent", 5),
        ("one_colour", 4),
        ("grey_districts", 5),
        ("borders", 4),
        ("twice", 2),
        ("heights", 4),
    ]
    assert rows[5].colour == "brown"
    assert [row.start for row in rows] == [1, 1, 1] + [0] * 7


def test_every_row_says_where_it_comes_from():
    tally = game_of(2).data.tally()
    assert tally["board_2p", "site"] == {"stand-in": 30}
    assert tally["board_4p", "site"] == {"stand-in": 48}
    assert set(tally["cards", "card"]) == {"stand-in"}
    assert tally["rows", "stars"] == {"public": 1}


# ---------------------------------------------------------------- a user's data folder


def edited(file, old, new, count=1):
    text = packaged(file)
    assert old in text
    return text.replace(old, new, count)


def refuse(folder, file, text):
    """Load a folder with this one file; return the message, which is a single line."""
    (folder / file).write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as error:
        sprawl_env.game("tower_up", data=folder)
    message = str(error.value)
    assert "\n" not in message
    return message


# what is done to which file -> what the message must name
BROKEN = {
    "missing field": ("cards.toml", 'bottom = "black"\n', "", "cards.toml: card 1: bottom"),
    "unknown field": (
        "cards.toml",
        "copies = 1",
        "copies = 1\ncolor = 3",
        "cards.toml: card 1: unknown field 'color'",
    ),
    "misspelt field": (
        "objectives.toml",
        "need = 4",
        "neeed = 4",
        "objectives.toml: objective 1: unknown field 'neeed' (did you mean 'need'?)",
    ),
    "text for a number": (
        "cards.toml",
        "copies = 1",
        'copies = "one"',
        "cards.toml: card 1: copies: expected a whole number 1..44, got 'one'",
    ),
    "fraction for a whole number": (
        "board_2p.toml",
        "park = 1",
        "park = 1.5",
        "board_2p.toml: site 1: park",
    ),
    "true for a number": (
        "cards.toml",
        "copies = 1",
        "copies = true",
        "cards.toml: card 1: copies",
    ),
    "number for a list": (
        "board_2p.toml",
        "streets = [1, 19, 20, 22]",
        "streets = 4",
        "board_2p.toml: site 1: streets",
    ),
    "list of lists": (
        "cards.toml",
        'floors = ["grey", "grey", "black", "black"]',
        'floors = [["grey"]]',
        "cards.toml: card 1: floors",
    ),
    "unknown word": (
        "cards.toml",
        'bottom = "black"',
        'bottom = "pink"',
        "cards.toml: card 1: bottom: expected one of black",
    ),
    "number out of range": (
        "components.toml",
        "floors_per_colour = 30",
        "floors_per_colour = 300",
        "components.toml: rules 1: floors_per_colour",
    ),
    "not a number": ("board_2p.toml", "x = 9.1", "x = nan", "board_2p.toml: site 1: x"),
    "unknown source": (
        "rows.toml",
        'source = "public"',
        'source = "hearsay"',
        "rows.toml: stars 1: source",
    ),
    "no source": ("cards.toml", 'source = "stand-in"', "", "cards.toml: card 1: source is missing"),
    "unknown table": ("cards.toml", "[[card]]", "[[kart]]", "cards.toml: unknown table 'kart'"),
    "row that is no table": (
        "rows.toml",
        "[cone]",
        "[cones]",
        "rows.toml: unknown table 'cones'",
    ),
    "wrong sum of copies": (
        "cards.toml",
        "copies = 4",
        "copies = 5",
        "cards.toml: card: expected copies to sum to 44, got 45",
    ),
    "vehicle without steps": (
        "cards.toml",
        "steps = 2\n",
        "",
        "cards.toml: card 26: vehicle and steps",
    ),
    "street that leads nowhere": (
        "board_2p.toml",
        "streets = [1, 19, 20, 22]",
        "streets = [1, 19, 20, 40]",
        "board_2p.toml: site 1: streets",
    ),
    "street to itself": (
        "board_2p.toml",
        "streets = [1, 19, 20, 22]",
        "streets = [0, 1, 19, 20, 22]",
        "board_2p.toml: site 1: streets",
    ),
    "asymmetrical street": (
        "board_2p.toml",
        "streets = [1, 19, 20, 22]",
        "streets = [1, 19, 20, 22, 5]",
        "board_2p.toml: site 1: streets: expected another site that lists 0 back, got 5",
    ),
    "half a street": (
        "board_4p.toml",
        "streets = [1, 38]",
        "streets = [1]",
        "board_4p.toml: site 39: streets: expected another site that lists 38 back, got 0",
    ),
    "the same street twice": (
        "board_2p.toml",
        "streets = [1, 19, 20, 22]",
        "streets = [1, 1, 19, 20, 22]",
        "board_2p.toml: site 1: streets: expected each site once",
    ),
    "sites out of order": ("board_2p.toml", "id = 1\n", "id = 2\n", "board_2p.toml: site 2: id"),
    "no districts": (
        "board_2p.toml",
        'district = "harbour"',
        'district = "docks"',
        "board_2p.toml: site 1: district",
    ),
    "chips that rise": (
        "components.toml",
        "values = [7, 5, 3]",
        "values = [3, 5, 7]",
        "components.toml: chips 2: values",
    ),
    "chips for no such number of seats": (
        "components.toml",
        "seats = 3",
        "seats = 2",
        "components.toml: chips: seats",
    ),
    "star past the end of the row": (
        "rows.toml",
        "columns = [2, 4, 6, 8]",
        "columns = [2, 4, 6, 10]",
        "rows.toml: stars 1: columns",
    ),
    "four start cards": (
        "objectives.toml",
        'kind = "lakes"\nneed = 4',
        'kind = "lakes"\nneed = 4\nstart = 1',
        "objectives.toml: objective: expected start on 3 cards, got 4",
    ),
    "a colour where none belongs": (
        "objectives.toml",
        'kind = "lakes"',
        'kind = "lakes"\ncolour = "brown"',
        "objectives.toml: objective 4: colour",
    ),
}


@pytest.mark.parametrize(("file", "old", "new", "says"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file_is_refused_naming_file_row_and_field(tmp_path, file, old, new, says):
    assert says in refuse(tmp_path, file, edited(file, old, new))


def test_a_missing_row_is_refused(tmp_path):
    text = packaged("objectives.toml")
    without_last = text[: text.rindex("[[objective]]")]
    message = refuse(tmp_path, "objectives.toml", without_last)
    assert "objectives.toml: objective: expected 10 rows, got 9" in message


def test_a_board_with_too_few_sites_is_refused(tmp_path):
    text = packaged("board_2p.toml")
    message = refuse(tmp_path, "board_2p.toml", text[: text.index("[[site]]")])
    assert "board_2p.toml: site: expected 10 to 48 rows, got 0" in message


def test_a_board_in_two_parts_is_refused(tmp_path):
    text = packaged("board_2p.toml")
    text = text.replace("streets = [24]", "streets = [5]")  # site 26
    text = text.replace("streets = [17, 25, 26]", "streets = [17, 25]")  # site 24
    text = text.replace("streets = [4]", "streets = [26]")  # site 5
    text = text.replace("streets = [2, 5, 29]", "streets = [2, 29]")  # site 4
    message = refuse(tmp_path, "board_2p.toml", text)
    assert "board_2p.toml: site 6: streets: expected a way to site 0" in message


@pytest.mark.parametrize("cut", (0.2, 0.5, 0.99))
def test_a_truncated_file_is_refused(tmp_path, cut):
    text = packaged("rows.toml")
    broken = text[: int(len(text) * cut)].rstrip("]\n")
    assert "rows.toml" in refuse(tmp_path, "rows.toml", broken)


def test_text_that_is_no_toml_is_refused(tmp_path):
    assert "rows.toml: is not valid TOML" in refuse(tmp_path, "rows.toml", "[[marker\n???")


def test_bytes_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "rows.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match=r"rows.toml: is not UTF-8 text"):
        sprawl_env.game("tower_up", data=tmp_path)


def test_an_empty_file_is_refused(tmp_path):
    message = refuse(tmp_path, "rows.toml", "")
    assert "rows.toml: marker: expected 1 rows, got 0" in message


def test_a_file_of_another_name_is_refused(tmp_path):
    message = refuse(tmp_path, "card.toml", packaged("cards.toml"))
    assert "card.toml: no data file of this game (did you mean cards.toml?)" in message


def test_a_folder_in_the_place_of_a_file_is_refused(tmp_path):
    (tmp_path / "cards.toml").mkdir()
    with pytest.raises(DataError, match=r"cards.toml: cannot be read"):
        sprawl_env.game("tower_up", data=tmp_path)


def test_a_missing_folder_is_refused(tmp_path):
    missing = tmp_path / "nowhere"
    with pytest.raises(DataError, match=re.escape(str(missing))) as error:
        sprawl_env.game("tower_up", data=missing)
    assert "\n" not in str(error.value)


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"holds none of .*cards.toml"):
        sprawl_env.game("tower_up", data=tmp_path)


def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    file = tmp_path / "cards.toml"
    file.write_text(packaged("cards.toml"), encoding="utf-8")
    with pytest.raises(DataError, match="is no folder"):
        sprawl_env.game("tower_up", data=file)


def test_a_good_file_replaces_the_packaged_one_whole_and_leaves_the_others(tmp_path):
    text = edited("components.toml", "floors_per_colour = 30", "floors_per_colour = 20")
    (tmp_path / "components.toml").write_text(text, encoding="utf-8")
    game = sprawl_env.game("tower_up", data=tmp_path)
    assert game.tables.floors_per_colour[0] == 20
    assert len(game.data.rows("board_2p", "site")) == 30
    games = game.deal(1)
    assert game.rules.violations(game.tables, games, 0) == []


@pytest.mark.parametrize(("floors", "each"), [(10, 5), (10, 2), (12, 2)])
def test_too_few_floors_for_the_deal_are_refused_or_dealt_without_harm(tmp_path, floors, each):
    """Each row is in range, but the starting floors and buildings of four seats need more."""
    text = edited("components.toml", "floors_per_colour = 30", f"floors_per_colour = {floors}")
    text = text.replace("starting_reserve = 1 ", f"starting_reserve = {each} ")
    (tmp_path / "components.toml").write_text(text, encoding="utf-8")
    try:
        game = sprawl_env.game("tower_up", data=tmp_path, num_players=4, starting_floors=5)
    except DataError as error:
        assert "components.toml" in str(error)
        return
    games = game.deal(200)
    assert games.supply.min() >= 0
