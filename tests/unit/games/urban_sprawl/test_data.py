"""US §1 to §5, §8: the packaged data, and errors in a user's data folder."""

import functools
import tomllib
from collections import Counter

import pytest

import sprawl_env
from sprawl_env.core.errors import DataError
from sprawl_env.games.urban_sprawl.constants import DECKS, VOCATIONS, ZONES
from sprawl_env.games.urban_sprawl.data_files import FOLDER
from tests.unit.games.urban_sprawl.position import game_of


@functools.cache
def packaged(file):
    return (FOLDER / file).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def t():
    return game_of().tables[0]


@functools.cache
def rows(deck, table="contract"):
    return game_of().data.rows(deck, table)


# ---------------------------------------------------------------- US §1, §2: the board


def test_us_1_numbers_of_lines_and_markers(t):
    assert t.column_number.tolist() == [1, 4, 5, 6, 3, 2]
    assert t.row_number.tolist() == [3, 1, 2]
    assert t.marker_number.tolist() == [7, 8, 9, 10, 11, 12, 4, 5, 6]


def test_us_1_action_points(t):
    assert t.planning_cost.tolist() == [1, 2, 3, 4, 5]
    assert t.build_cost.tolist() == [1, 2, 3, 4, 5, 6, 5, 4]
    assert (t.action_points, t.boss_points, t.treasurer) == (6, 8, 2)


def test_us_1_vocation_markers(t):
    assert t.vocation_markers.tolist() == [2, 2, 3, 3, 4, 4, 5, 1]
    assert t.vocation_markers.sum() == 24


def test_us_1_128_tiles_enough_for_every_contract_and_starting_building(t):
    needed = Counter({("RES", 1): 4, ("COM", 1): 4, ("IND", 1): 2, ("CIV", 1): 2})
    for deck in DECKS:
        for row in rows(deck):
            needed[row.zone, row.size] += row.copies
    assert needed.total() == 98 + 12
    assert t.tiles.sum() == 128
    for (zone, size), count in needed.items():
        assert t.tiles[ZONES.index(zone), size - 1] >= count, (zone, size)


def test_us_1_the_rest_of_the_tiles_are_parks_of_sizes_1_to_4_nearly_all_of_one_lot(t):
    parks = t.tiles[ZONES.index("PARK")].tolist()
    assert sum(parks) == 128 - 98 - 12
    assert parks == [15, 1, 1, 1]


@pytest.mark.parametrize(
    ("value", "places"),
    enumerate(["1000", "2100", "3100", "4210", "5210", "6310", "7310", "8421", "9421"], start=1),
)
def test_us_2_payout_table(t, value, places):
    assert t.places[value].tolist() == [int(c) for c in places]


def test_us_6_1_setup_numbers(t):
    assert t.opening_wealth[2:].tolist() == [39, 27, 21]
    assert t.opening_cards.tolist() == [1, 2, 3, 4]
    assert (t.tie_value, t.wealth_a_point) == (3, 10)
    assert game_of().data.row("board", "setup").tie_reading == "controller"


# ---------------------------------------------------------------- US §3: planning cards

PERMITS = """
1 CIV-COM-IND-RES 7 yes 3; 1 CIV-COM-RES 8 yes 3; 1 CIV-RES 11 yes 1; 1 RES 11 yes 2
1 RES 12 yes 3; 2 CIV-COM-IND-RES 4 no 3; 2 CIV-COM-RES 5 no 3; 2 CIV-COM 9 no 1
2 COM 9 no 2; 2 COM 10 no 3; 3 CIV-COM-IND-RES 2 yes 2; 3 CIV-COM-IND 3 yes 3
3 COM-IND 6 yes 2; 4 CIV-COM-IND-RES 1 no 2; 4 CIV-COM-IND 1 no 1; 4 CIV-COM-IND 2 no 1
4 CIV 6 yes 1
"""
KINDS = [kind.split() for kind in PERMITS.replace("\n", ";").split(";") if kind.strip()]


@pytest.mark.parametrize("kind", range(17))
def test_us_3_the_kinds_of_permits(t, kind):
    permits, zones, wealth, ballot, copies = KINDS[kind]
    assert t.permits[kind] == int(permits)
    expected = sum(1 << ZONES.index(zone) for zone in zones.split("-"))
    assert t.permit_zones[kind] == expected
    assert t.permit_wealth[kind] == int(wealth)
    assert t.permit_ballot[kind] == (ballot == "yes")
    assert t.permit_copies[kind] == int(copies)


def test_u3_36_permits_4_urban_renewals_14_events(t):
    assert t.permit_copies.sum() == 36
    assert t.renewal_copies == 4
    names = {row.name for row in rows("planning", "event")}
    assert len(names) == 14
    known = {"Luxury Tax", "Real Estate Auction", "Urban Blight", "Local Headlines"}
    assert names > known | {"Flood", "Fire", "Earthquake"}


# ---------------------------------------------------------------- US §4, §5: contracts

TOWN = """
CIV: Visitor's Center 1 PUBLIC SERVICE-1; Clinic 1 PUBLIC SERVICE-1 p1
CIV: Grade School 2 EDUCATION-2 p2; High School 2 EDUCATION-3 p3; Courthouse 2
CIV: Post Office 1 PUBLIC SERVICE-1
CIV: Police Station 1 PUBLIC SERVICE-1; Fire Station 1 PUBLIC SERVICE-1
COM: Truck Stop 2; Bakery 2 p1; Barber Shop 1 p2; Restaurant 2 p3; Gas Station 1 ENERGY-2
COM: Grocery Store 2; Hardware Store 2; Motel 2 TOURISM-1; Newspaper 1 MEDIA-1
COM: Pawn Shop 1 FINANCE-2; Bank 2 FINANCE-4
IND: Textile Mill 2 FACTORY-2 p1; Gravel Pit 3 FACTORY-1 p2; Dam 1 ENERGY-1 p3; Printer 1 FACTORY-2
RES: Kindergarten 1 EDUCATION-1; Apartments 2 p1; Mobile Home Park 3 p2; Ranch 4 p3; Church 1 p1
RES: Villa 1 p2; Duplex 1 p3; House 1 p6; Mobile Home 1
"""


def printed():
    for line in TOWN.strip().split("\n"):
        zone, cards = line.split(": ")
        for card in cards.split("; "):
            words = card.split()
            size = next(k for k, word in enumerate(words) if word.isdigit())
            rest = words[size + 1 :]
            prestige = int(rest.pop()[1:]) if rest and rest[-1][0] == "p" else 0
            vocations = (" ".join(rest),) if rest else ()
            yield " ".join(words[:size]), (zone, int(words[size]), vocations, prestige)


def test_us_4_the_town_deck():
    found = {row.name: (row.zone, row.size, row.vocations, row.prestige) for row in rows("town")}
    assert found == dict(printed())
    assert {row.name: row.copies for row in rows("town") if row.copies > 1} == {"House": 5}
    assert [row.name for row in rows("town", "event")] == ["Airport"]
    assert sum(row.copies for row in rows("town") if restricted(row)) <= 36 // 3


def effects_of(row):
    """Return the effects of a row, also those inside others."""
    found, pending = [], [*row.effects]
    while pending:
        effect = pending.pop()
        found.append(effect)
        pending += [inner for inside in effect.inner.values() for inner in inside]
    return found


def test_us_4_at_most_16_of_36_town_contracts_only_gain_or_do_nothing():
    flat = [r for r in rows("town") if {effect.do for effect in effects_of(r)} <= {"gain"}]
    assert sum(row.copies for row in flat) <= 16


def test_us_4_half_the_town_contracts_touch_other_seats():
    """By a payment, a theft, a score, an election or a gain of other seats than the builder."""
    alone = {"", "self", "builder"}
    touching = [
        row
        for row in rows("town")
        if any(
            effect.do in {"pay", "steal", "score", "election"}
            or effect.given("who") not in {None, *alone}
            for effect in effects_of(row)
        )
    ]
    assert sum(row.copies for row in touching) >= 18


def restricted(row):
    return bool(
        row.next_to
        or row.empty_block
        or row.highest_block
        or row.value_at_least
        or row.value_at_most
    )


@pytest.mark.parametrize("deck", ["city", "metropolis"])
def test_us_5_the_other_decks(deck):
    assert sum(row.copies for row in rows(deck)) == 31
    assert len(rows(deck, "event")) == 6
    zones = Counter(row.zone for row in rows(deck))
    assert set(zones.values()) <= {7, 8}
    held = Counter(v.split("-")[0] for row in rows(deck) for v in row.vocations)
    assert held["MEDIA"] == 1
    assert all(held[name] >= 2 for name in VOCATIONS[:-1])
    numbers = {int(v.split("-")[1]) for row in rows(deck) for v in row.vocations}
    assert numbers <= set(range(2, 7) if deck == "city" else range(4, 8))
    icons = {row.prestige for row in rows(deck)} - {0}
    assert icons == set(range(1, 6 if deck == "city" else 7))
    assert 1 <= sum(len(row.vocations) == 2 for row in rows(deck)) <= 2


@pytest.mark.parametrize(
    ("deck", "name"),
    [("town", "Airport"), ("city", "Sports Team"), ("metropolis", "Olympic Games")],
)
def test_us_5_special_events(deck, name):
    assert [row.name for row in rows(deck, "event") if row.special] == [name]


def test_us_5_known_contracts():
    found = {row.name: row for deck in DECKS for row in rows(deck)}
    for name, zone, size, vocations, prestige in (
        ("University", "CIV", 4, ("EDUCATION-5",), 2),
        ("Marina", "RES", 4, (), 0),
        ("Port", "IND", 4, ("TRANSPORTATION-7",), 4),
        ("Temple", "RES", 2, (), 1),
        ("Corporate HQ", "COM", 4, ("FINANCE-6",), 0),
    ):
        row = found[name]
        assert (row.zone, row.size, row.vocations) == (zone, size, vocations)
        assert row.prestige == prestige
    assert found["Marina"].ignores_zoning
    powers = {name: [e.power for e in found[name].effects if e.given("power")] for name in found}
    assert powers["Warehouse"] == ["extra_favor"]
    assert powers["Municipal Court"] == ["wins_ties"]


def test_every_row_says_where_it_comes_from():
    tally = game_of().data.tally()
    assert len(tally) > 10
    for sources in tally.values():
        assert sources
        assert set(sources) <= {"printed", "public", "stand-in"}


def test_a_known_row_tells_what_of_it_is_ours():
    """US §4, §5, §8: effects and restrictions of Town are ours, as are parts of known cards."""
    restrictions = {"next_to", "empty_block", "highest_block", "value_at_least", "value_at_most"}
    for row in rows("town"):
        ours = {name for name in restrictions if getattr(row, name)} | {"effects"}
        ours |= {"vocations"} if row.name in {"Newspaper", "Gravel Pit"} else set()
        assert set(row.ours) == ours, row.name
    mixed = {"Radio Station": {"zone", "size", "vocations", "effects"}}
    mixed |= {name: {"zone"} for name in ("University", "Marina", "Port", "Temple")}
    known = [row for deck in DECKS[1:] for row in rows(deck) if row.source != "stand-in"]
    assert {row.name: set(row.ours) for row in known} == mixed | {"Corporate HQ": set()}
    events = {row.name: row for row in rows("planning", "event") if row.source != "stand-in"}
    assert len(events) == 7
    assert all(row.ours == ("effects",) for row in events.values())
    assert sum(game_of().data.mixed().values()) == 44


# ---------------------------------------------------------------- a user's data folder


def load(folder, file, text):
    (folder / file).write_text(text, encoding="utf-8")
    return sprawl_env.game("urban_sprawl", data=folder)


def refuse(folder, file, text):
    """Load a folder with one file; return the error message, which is one line."""
    with pytest.raises(DataError) as error:
        load(folder, file, text)
    message = str(error.value)
    assert "\n" not in message
    return message


HOUSE = '[[contract]]\nname = "House"'
FIRST = '[[contract]]\nname = "Visitor\'s Center"\n'
BROKEN = {
    "too little wealth for the claims": (
        "board.toml",
        "wealth = [39, 27, 21]",
        "wealth = [39, 27, 20]",
        "board.toml: setup 1: wealth: expected at least 21 with 4 seats",
    ),
    "so many opening cards that events are dealt": (
        "board.toml",
        "cards = [1, 2, 3, 4]",
        "cards = [4, 4, 5, 5]",
        "board.toml: setup 1: cards: expected a sum of at most 17, got 18",
    ),
    "a card too few": ("town.toml", "copies = 5", "copies = 4", "town.toml: expected 37 cards"),
    "a card too many": ("town.toml", "copies = 5", "copies = 6", "got 38"),
    "an unknown zone": (
        "town.toml",
        'zone = "CIV"',
        'zone = "CIVIC"',
        "town.toml: contract 1: zone: expected one of CIV, COM, IND, RES, got 'CIVIC'",
    ),
    "a contract that is a park": (
        "town.toml",
        'zone = "CIV"',
        'zone = "PARK"',
        "town.toml: contract 1: zone: expected",
    ),
    "a size": ("town.toml", "size = 1", "size = 5", "town.toml: contract 1: size: expected"),
    "an unknown vocation": (
        "town.toml",
        '"PUBLIC SERVICE-1"',
        '"SERVICE-1"',
        "town.toml: contract 1: vocations 1: expected one of FINANCE, ",
    ),
    "a vocation without number": (
        "town.toml",
        '"PUBLIC SERVICE-1"',
        '"PUBLIC SERVICE"',
        "with a number 1..12, such as FINANCE-4, got 'PUBLIC SERVICE'",
    ),
    "one vocation twice": (
        "town.toml",
        '["PUBLIC SERVICE-1"]',
        '["FINANCE-1", "FINANCE-2"]',
        "town.toml: contract 1: vocations: expected two different vocations",
    ),
    "two names alike": (
        "town.toml",
        'name = "Clinic"',
        'name = "Bakery"',
        "name: 'Bakery' is the name of town.toml: contract 2",
    ),
    "a name too long": (
        "town.toml",
        'name = "Clinic"',
        f'name = "{"x" * 33}"',
        "town.toml: contract 2: name: expected at most 32 bytes",
    ),
    "no special event": (
        "town.toml",
        "special = true",
        "special = false",
        "town.toml: event: expected one with special = true, got 0",
    ),
    "a special planning event": (
        "planning.toml",
        'name = "Luxury Tax"',
        'name = "Luxury Tax"\nspecial = true',
        "planning.toml: event 1: special: expected none in this deck",
    ),
    "too few permits": (
        "planning.toml",
        "copies = 3",
        "copies = 2",
        "planning.toml: permit: expected copies to sum to 36, got 35",
    ),
    "too many Urban Renewals": (
        "planning.toml",
        "copies = 4",
        "copies = 5",
        "planning.toml: renewal 1: copies: expected 4",
    ),
    "a number twice": (
        "board.toml",
        "columns = [1, 4, 5, 6, 3, 2]",
        "columns = [1, 4, 5, 6, 3, 7]",
        "board.toml: markers 1: wealth: expected every number once",
    ),
    "too few numbers": (
        "board.toml",
        "columns = [1, 4, 5, 6, 3, 2]",
        "columns = [1, 4, 5, 6, 3]",
        "board.toml: numbers 1: columns: expected a list of 6, each a whole number 1..12",
    ),
    "tiles that do not suffice": (
        "board.toml",
        "counts = [10, 8, 5, 3]",
        "counts = [9, 8, 5, 3]",
        "board.toml: tiles 1: counts: expected at least 10 of size 1",
    ),
    "one RES of a value that two have": (
        "board.toml",
        "tie_value = 3",
        "tie_value = 4",
        "board.toml: setup 1: tie_value: expected the value of one starting RES with "
        "tie_reading = 'controller', got 4, the value of 2",
    ),
    "RES of a value that none has": (
        "board.toml",
        'tie_value = 3\ntie_reading = "controller"',
        'tie_value = 6\ntie_reading = "most"',
        "expected the value of a starting RES with tie_reading = 'most', got 6, the value of 0",
    ),
    "another reading of the tie": (
        "board.toml",
        'tie_reading = "controller"',
        'tie_reading = "least"',
        "board.toml: setup 1: tie_reading: expected one of controller, most, got 'least'",
    ),
    "two starting buildings on a lot": (
        "board.toml",
        'zone = "RES"\nrow = 0\ncolumn = 5\ncorner = "BL"',
        'zone = "RES"\nrow = 0\ncolumn = 0\ncorner = "BR"',
        "board.toml: starting 2: corner: expected an empty lot",
    ),
    "vocations out of order": (
        "board.toml",
        'name = "FINANCE"',
        'name = "ENERGY"',
        "board.toml: vocation 1: name: expected 'FINANCE'",
    ),
    "an unknown field": (
        "town.toml",
        'zone = "CIV"',
        'zones = "CIV"',
        "town.toml: contract 1: unknown field 'zones' (did you mean 'zone'?)",
    ),
    "a missing field": (
        "town.toml",
        'name = "Clinic"\n',
        "",
        "town.toml: contract 2: name is missing",
    ),
    "value limits the wrong way round": (
        "town.toml",
        'name = "Clinic"',
        'name = "Clinic"\nvalue_at_least = 8\nvalue_at_most = 7',
        "town.toml: contract 2: value_at_most: expected at least 8",
    ),
    "text that is no TOML": ("town.toml", "[[contract]]", "[[contract", "is not valid TOML"),
}


@pytest.mark.parametrize(("file", "old", "new", "says"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file_is_refused_naming_file_row_and_field(tmp_path, file, old, new, says):
    text = packaged(file)
    assert old in text
    assert says in refuse(tmp_path, file, text.replace(old, new, 1))


def test_a_missing_card_is_refused(tmp_path):
    text = packaged("metropolis.toml")
    last = text.rindex("[[contract]]", 0, text.index("[[event]]"))
    text = text[:last] + text[text.index("[[event]]") :]
    assert refuse(tmp_path, "metropolis.toml", text) == (
        "metropolis.toml: expected 37 cards with all copies, got 36"
    )


def test_an_event_that_could_be_dealt_open_is_refused(tmp_path):
    text = packaged("town.toml").replace("copies = 5", "copies = 4", 1)
    text += '\n[[event]]\nname = "Fog"\neffects = [{ do = "lose", what = "wealth", amount = 1 }]\n'
    assert "town.toml: event: expected only the special one" in refuse(tmp_path, "town.toml", text)


def test_a_missing_planning_event_is_refused(tmp_path):
    text = packaged("planning.toml")
    parts = text.split("[[event]]")
    message = refuse(tmp_path, "planning.toml", "[[event]]".join([*parts[:2], *parts[3:]]))
    assert "planning.toml: event: expected 14 rows, got 13" in message


def test_a_file_of_another_name_is_refused(tmp_path):
    message = refuse(tmp_path, "village.toml", "")
    assert "village.toml: no data file of this game" in message


# ---------------------------------------------------------------- effects in a user's file

GAIN = 'do = "gain", what = "wealth"'
EFFECTS = {
    "an unknown verb": ('{ do = "give_all" }', "do: expected one of activate, auction"),
    "no verb": ('{ what = "wealth", amount = 1 }', "do is missing"),
    "an unknown parameter": (f"{{ {GAIN}, amount = 1, colour = 3 }}", "unknown field 'colour'"),
    "a parameter of another verb": (
        f'{{ {GAIN}, amount = 1, deck = "city" }}',
        "unknown field 'deck': expected do, what, number, zones",
    ),
    "no amount": (f"{{ {GAIN} }}", "amount is missing"),
    "no what": ('{ do = "gain", amount = 1 }', "what is missing"),
    "an amount too large": (f"{{ {GAIN}, amount = 100 }}", "amount: expected a whole number 1..99"),
    "a number without line": (
        f"{{ {GAIN}, amount = 1, number = 7 }}",
        "number: names a line, expected where = 'line' or line = 'named'",
    ),
    "a line without number": (
        f'{{ {GAIN}, amount = 1, per = "building", where = "line" }}',
        "number, what: expected a number",
    ),
    "a payout without line": ('{ do = "payout" }', "line is missing"),
    "an unknown who": (f'{{ {GAIN}, amount = 1, who = "all" }}', "who: expected one of"),
    "a chosen seat that gains": (
        f'{{ {GAIN}, amount = 1, who = "chosen" }}',
        "who: expected one of",
    ),
    "controllers of nothing": (
        f'{{ {GAIN}, amount = 1, who = "controller" }}',
        "who: controller expects per = 'building' and no owner",
    ),
    "controllers of whom none is asked": (
        '{ do = "gain", what = "either", amount = 1, who = "controller", per = "building" }',
        "what: expected wealth or prestige with who = 'controller'",
    ),
    "markers of a vocation that none is asked for": (
        f'{{ {GAIN}, amount = 1, per = "vocation", vocation = "chosen" }}',
        "MEDIA, got 'chosen'",
    ),
    "times value for one seat": (
        f'{{ {GAIN}, amount = 1, per = "building", times_value = true }}',
        "times_value: expected who = 'controller'",
    ),
    "an extreme of nothing": (
        f'{{ {GAIN}, amount = 1, extreme = "highest" }}',
        "extreme: expected per = 'building'",
    ),
    "chosen and another zone": (
        f'{{ {GAIN}, amount = 1, per = "building", zones = ["chosen", "COM"] }}',
        "zones: expected 'chosen' alone",
    ),
    "an unknown zone": (
        f'{{ {GAIN}, amount = 1, per = "building", zones = ["SEA"] }}',
        "zones 1: expected one of CIV, COM, IND, RES, PARK, chosen, got 'SEA'",
    ),
    "a size of five": (
        f'{{ {GAIN}, amount = 1, per = "building", sizes = [5] }}',
        "sizes 1: expected a whole number 1..4, got 5",
    ),
    "either that is stolen": (
        '{ do = "steal", what = "either", amount = 1 }',
        "what: expected one of wealth, prestige, got 'either'",
    ),
    "a saving without price": (
        '{ do = "demolish", save_what = "wealth" }',
        "save_what, save_amount: expected both or none",
    ),
    "a marker and a number": (
        '{ do = "new_marker", marker = "lowest", number = 7, what = "wealth" }',
        "marker, number: expected one of them",
    ),
    "a marker of either": ('{ do = "new_marker", number = 7 }', "what: expected wealth or"),
    "an election of the Contractor": (
        '{ do = "election", office = "contractor" }',
        "office: expected one of",
    ),
    "a place without size": ('{ do = "place", zone = "PARK" }', "size is missing"),
    "an option without price": (
        f'{{ do = "optional", what = "wealth", then = [{{ {GAIN}, amount = 1 }}] }}',
        "what, amount: expected wealth or prestige and an amount, or neither",
    ),
    "one option alone": (
        f'{{ do = "choose", options = [{{ {GAIN}, amount = 1 }}] }}',
        "options: expected a list of 2 to 4, each a table of fields",
    ),
    "an unknown verb inside": (
        '{ do = "auction", then = [{ do = "win" }] }',
        "effects 1: then 1: do: expected one of",
    ),
    "no amount inside": (
        f'{{ do = "auction", then = [{{ {GAIN} }}] }}',
        "effects 1: then 1: amount is missing",
    ),
    "no list": ("3", "effects 1: expected a table of fields"),
}


def bakery(effects):
    """Return the Town deck with other effects of one contract, and the contract's number."""
    text = packaged("town.toml")
    first = text.index("effects = [", text.index('name = "Bakery"'))
    end = text.index("\n[[", first)
    number = text.count("[[contract]]", 0, first)
    return f"{text[:first]}effects = [{effects}]\n{text[end:]}", number


@pytest.mark.parametrize(("effect", "says"), EFFECTS.values(), ids=EFFECTS.keys())
def test_a_broken_effect_is_refused_naming_file_row_and_field(tmp_path, effect, says):
    text, number = bakery(effect)
    message = refuse(tmp_path, "town.toml", text)
    assert f"town.toml: contract {number}: effects 1" in message
    assert says in message


ROW = f'{{ {GAIN}, amount = 1, per = "building", where = "row" }}'
OTHER = f'{{ {GAIN}, amount = 1, per = "building", where = "other_row" }}'
MAYORS_ROW = ROW.replace("do =", 'who = "mayor", do =')
MEDIAS_ROW = ROW.replace("do =", 'who = "media", do =')
EACH_ROW = ROW.replace("do =", 'who = "each", do =')
ROWS_CHOSEN = {
    "before": f"{ROW}, {OTHER}",
    "before, for each seat": f"{EACH_ROW}, {OTHER}",
    "before, with an effect between": f"{ROW}, {{ {GAIN}, amount = 1 }}, {OTHER}",
    "before, around it": f'{ROW}, {{ do = "optional", then = [{OTHER}], otherwise = [{OTHER}] }}',
    "inside, where both are": f'{{ do = "auction", then = [{ROW}, {OTHER}] }}',
}
ROWS_NOT_CHOSEN = {
    "nowhere": (OTHER, "1"),
    "after": (f"{OTHER}, {ROW}", "1"),
    "by an office that may be vacant": (f"{MAYORS_ROW}, {OTHER}", "2"),
    "by MEDIA, which nobody may hold": (f"{MEDIAS_ROW}, {OTHER}", "2"),
    "inside an offer": (f'{{ do = "optional", then = [{ROW}] }}, {OTHER}', "2"),
    "if it was accepted, not declined": (
        f'{{ do = "optional", then = [{ROW}], otherwise = [{OTHER}] }}',
        "1: otherwise 1",
    ),
    "by another option": (f'{{ do = "choose", options = [{ROW}, {OTHER}] }}', "1: options 2"),
}


@pytest.mark.parametrize("effects", ROWS_CHOSEN.values(), ids=ROWS_CHOSEN.keys())
def test_the_other_row_may_follow_a_row_that_was_chosen_for_the_card(tmp_path, effects):
    load(tmp_path, "town.toml", bakery(effects)[0])


@pytest.mark.parametrize(("effects", "at"), ROWS_NOT_CHOSEN.values(), ids=ROWS_NOT_CHOSEN.keys())
def test_the_other_row_is_refused_where_no_row_was_chosen_for_the_card(tmp_path, effects, at):
    text, number = bakery(effects)
    assert refuse(tmp_path, "town.toml", text).endswith(
        f"town.toml: contract {number}: effects {at}: where: expected 'row' in an effect before "
        "'other_row' that always runs"
    )


def nested(depth):
    inner = f"{{ {GAIN}, amount = 1 }}"
    for _ in range(depth):
        inner = f'{{ do = "optional", then = [{inner}] }}'
    return inner


@pytest.mark.parametrize(("depth", "good"), [(2, True), (3, False)])
def test_effects_are_nested_at_most_two_deep(tmp_path, depth, good):
    text, _ = bakery(nested(depth))
    if good:
        load(tmp_path, "town.toml", text)
    else:
        message = refuse(tmp_path, "town.toml", text)
        assert "then 1: then 1: optional: expected effects nested at most 2 deep" in message


ON_EVENTS = {
    "rows": f'{{ {GAIN}, amount = 1, per = "building", where = "rows" }}',
    "a row": f'{{ {GAIN}, amount = 1, per = "building", where = "row" }}',
    "the block": f'{{ {GAIN}, amount = 1, per = "building", where = "block" }}',
    "adjacent": '{ do = "demolish", where = "adjacent" }',
    "the value": f'{{ {GAIN}, amount = 1, per = "value" }}',
    "a payout of a row": '{ do = "payout", line = "row" }',
    "action points": '{ do = "extra_ap", amount = 1 }',
    "a lasting effect": '{ do = "lasting", power = "wins_ties" }',
    "rows inside": '{ do = "optional", then = [{ do = "demolish", where = "rows" }] }',
}


@pytest.mark.parametrize("effect", ON_EVENTS.values(), ids=ON_EVENTS.keys())
def test_an_event_has_no_building(tmp_path, effect):
    text = packaged("planning.toml")
    first = text.index("effects = [", text.index('name = "Luxury Tax"'))
    end = text.index("\n[[", first)
    text = f"{text[:first]}effects = [{effect}]\n{text[end:]}"
    message = refuse(tmp_path, "planning.toml", text)
    assert "planning.toml: event 1: effects 1: " in message


def test_a_users_deck_needs_no_code(tmp_path):
    text = packaged("town.toml").replace('name = "Clinic"', 'name = "Ward"')
    assert tomllib.loads(text)
    game = load(tmp_path, "town.toml", text)
    games = game.deal(1, seed=3)
    assert game.rules.violations(game.tables, games, 0) == []
    assert "Ward" in {row.name for row in game.data.rows("town", "contract")}
