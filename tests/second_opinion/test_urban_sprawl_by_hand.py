"""Tests of the slow Urban Sprawl reference alone: printed examples, rulings, random games.

The cards are made for these tests; whole games are also played with the data files.
"""

from __future__ import annotations

import random
import tomllib
from collections import Counter
from itertools import cycle
from pathlib import Path

import pytest

from tests.second_opinion import urban_sprawl_by_hand as by_hand
from tests.second_opinion.urban_sprawl_by_hand import (
    ATTORNEY,
    BOSS,
    CITY,
    CONTRACTOR,
    MAYOR,
    METROPOLIS,
    POLICE,
    PRESTIGE,
    RENEWAL,
    TOWN,
    TREASURER,
    WEALTH,
    Building,
    Question,
    UrbanSprawlByHand,
)

DATA = Path(__file__).parents[2] / "sprawl_env" / "games" / "urban_sprawl" / "data"
FILES = ("board", "planning", "town", "city", "metropolis")

# ---------------------------------------------------------------- the board and the permits

PAYOUT = {
    1: [1, 0, 0, 0],
    2: [2, 1, 0, 0],
    3: [3, 1, 0, 0],
    4: [4, 2, 1, 0],
    5: [5, 2, 1, 0],
    6: [6, 3, 1, 0],
    7: [7, 3, 1, 0],
    8: [8, 4, 2, 1],
    9: [9, 4, 2, 1],
    10: [10, 5, 2, 1],
    11: [11, 5, 2, 1],
    12: [12, 6, 3, 1],
}
STARTING = [
    ("RES", 0, 0, "BR", 4),
    ("RES", 0, 5, "BL", 5),
    ("RES", 5, 0, "TR", 3),
    ("RES", 5, 5, "TL", 4),
    ("COM", 1, 4, "BL", 6),
    ("COM", 2, 3, "BL", 7),
    ("COM", 3, 2, "TR", 6),
    ("COM", 4, 1, "TR", 6),
    ("IND", 1, 1, "BR", 7),
    ("IND", 2, 2, "BR", 6),
    ("CIV", 3, 3, "TL", 7),
    ("CIV", 4, 4, "TL", 5),
]
PERMITS = [
    (1, "CIV COM IND RES", 7, True, 3),
    (1, "CIV COM RES", 8, True, 3),
    (1, "CIV RES", 11, True, 1),
    (1, "RES", 11, True, 2),
    (1, "RES", 12, True, 3),
    (2, "CIV COM IND RES", 4, False, 3),
    (2, "CIV COM RES", 5, False, 3),
    (2, "CIV COM", 9, False, 1),
    (2, "COM", 9, False, 2),
    (2, "COM", 10, False, 3),
    (3, "CIV COM IND RES", 2, True, 2),
    (3, "CIV COM IND", 3, True, 3),
    (3, "COM IND", 6, True, 2),
    (4, "CIV COM IND RES", 1, False, 2),
    (4, "CIV COM IND", 1, False, 1),
    (4, "CIV COM IND", 2, False, 1),
    (4, "CIV", 6, True, 1),
]
VOCATIONS = {
    "FINANCE": 2,
    "TRANSPORTATION": 2,
    "EDUCATION": 3,
    "ENERGY": 3,
    "TOURISM": 4,
    "FACTORY": 4,
    "PUBLIC SERVICE": 5,
    "MEDIA": 1,
}
EDUCATION, FACTORY = "EDUCATION", "FACTORY"
SPARE_TILES = 30
CORNERS = ("TL", "TR", "BL", "BR")

# ---------------------------------------------------------------- cards that use every verb

OPEN_EFFECTS = [
    {"do": "gain", "what": "either", "amount": 2, "per": "building", "zones": ["chosen"]},
    {"do": "lose", "who": "each", "what": "either", "amount": 2},
    {"do": "gain", "who": "controller", "what": "prestige", "amount": 1, "per": "building",
     "zones": ["RES"], "extreme": "highest", "times_value": True},
    {"do": "pay", "what": "either", "amount": 2, "zones": ["RES", "COM"], "sizes": [1]},
    {"do": "steal", "who": "chosen", "what": "wealth", "amount": 3},
    {"do": "steal", "who": "most_prestige", "what": "prestige", "amount": 1},
    {"do": "payout", "line": "highest", "what": "wealth"},
    {"do": "new_marker", "marker": "chosen", "what": "either"},
    {"do": "new_marker", "who": "least_prestige", "marker": "lowest"},
    {"do": "move_marker", "what": "either"},
    {"do": "place", "who": "each", "zone": "PARK", "size": 1, "where": "forest"},
    {"do": "place", "zone": "chosen", "size": 2, "uncontrolled": True},
    {"do": "move", "sizes": [1, 2], "extreme": "lowest"},
    {"do": "demolish", "zones": ["COM", "PARK"], "save_what": "wealth", "save_amount": 4},
    {"do": "uncontrol", "extreme": "highest", "save_what": "prestige", "save_amount": 2},
    {"do": "take", "owner": "nobody"},
    {"do": "disaster", "where": "water", "what": "wealth", "amount": 4},
    {"do": "election", "who": "media", "office": "chosen"},
    {"do": "give", "who": "least_wealth", "office": "chosen"},
    {"do": "free_card", "who": "opponents"},
    {"do": "draw", "who": "each", "amount": 2},
    {"do": "discard", "who": "each", "amount": 2},
    {"do": "vocation", "who": "each", "vocation": "chosen"},
    {"do": "score", "vocation": "chosen", "amount": 1},
    {"do": "optional", "who": "each", "what": "wealth", "amount": 5,
     "then": [{"do": "gain", "what": "prestige", "amount": 2}],
     "otherwise": [{"do": "lose", "what": "either", "amount": 1}]},
    {"do": "auction", "then": [{"do": "take", "zones": ["RES"]}]},
    {"do": "choose", "options": [
        {"do": "gain", "what": "wealth", "amount": 3}, {"do": "draw", "amount": 1}]},
    {"do": "lose", "who": "most_wealth", "what": "wealth", "amount": 2},
    {"do": "gain", "what": "wealth", "amount": 1, "per": "building", "where": "line", "number": 6},
]  # fmt: skip
CONTRACT_EFFECTS = [
    {"do": "payout", "line": "row"},
    {"do": "gain", "what": "wealth", "amount": 1, "per": "value"},
    {"do": "gain", "what": "either", "amount": 1, "per": "vocation"},
    {"do": "extra_ap", "amount": 2},
    {"do": "lasting", "power": "wins_ties"},
    {"do": "lasting", "power": "extra_favor"},
    {"do": "gain", "what": "wealth", "amount": 1, "per": "building", "where": "row"},
    {"do": "place", "zone": "PARK", "size": 1, "where": "adjacent"},
]
AIRPORT = [
    {"do": "enter", "office": "politicians"},
    *({"do": "election", "office": office} for office in (ATTORNEY, TREASURER, POLICE, BOSS)),
    {"do": "activate", "deck": "city"},
]
SPORTS_TEAM = [
    {"do": "enter", "office": "contractor"},
    {"do": "activate", "deck": "metropolis"},
]
OLYMPIC_GAMES = [{"do": "end_game"}]
RELOCATION = [
    {"do": "gain", "who": "media", "what": "wealth", "amount": 1},
    {"do": "gain", "who": "media", "what": "prestige", "amount": 1},
    {"do": "uncontrol", "who": "treasurer", "zones": ["COM"]},
]
HIGH_SCHOOL = 3
TOWN_CONTRACTS = [
    ("CIV", 1, "PUBLIC SERVICE-1", 1),
    ("CIV", 1, "PUBLIC SERVICE-1", 1),
    ("CIV", 2, "EDUCATION-2", 2),
    ("CIV", 2, "EDUCATION-3", 3),
    ("COM", 2, "", 1),
    ("COM", 1, "FINANCE-2", 0),
    ("COM", 2, "FINANCE-4", 0),
    ("IND", 3, "FACTORY-1", 2),
    ("IND", 1, "ENERGY-1", 3),
    ("RES", 3, "", 2),
    ("RES", 4, "", 3),
    ("RES", 1, "", 6),
]


def made_board(decks):
    needed = Counter(("PARK", 1) for _ in range(18))
    needed.update((zone, 1) for zone, *_ in STARTING)
    needed.update((row["zone"], row["size"]) for deck in decks for row in deck["contract"])
    return {
        "numbers": {"columns": [1, 4, 5, 6, 3, 2], "double_rows": [3, 1, 2]},
        "markers": {"wealth": [7, 8, 9, 10, 11, 12], "prestige": [4, 5, 6]},
        "starting": [
            {"zone": zone, "row": row, "column": column, "corner": corner}
            for zone, row, column, corner, _ in STARTING
        ],
        "vocation": [{"name": name, "markers": count} for name, count in VOCATIONS.items()],
        "tiles": [
            {"zone": zone, "counts": [needed[zone, size] + SPARE_TILES for size in (1, 2, 3, 4)]}
            for zone in by_hand.ZONES
        ],
        "payout": [{"value": value, "places": places} for value, places in PAYOUT.items()],
        "costs": {
            "planning": [1, 2, 3, 4, 5],
            "contracts": [1, 2, 3, 4, 5],
            "tops": [6, 5, 4],
            "points": 6,
            "boss_points": 8,
            "treasurer": 2,
        },
        "setup": {"wealth": [39, 27, 21], "cards": [1, 2, 3, 4], "tie_value": 3},
        "final": {"wealth_a_point": 10},
    }


def made_planning():
    return {
        "permit": [
            {"permits": n, "zones": zones.split(), "wealth": w, "ballot": ballot, "copies": copies}
            for n, zones, w, ballot, copies in PERMITS
        ],
        "event": [
            {"name": f"event {n}", "effects": OPEN_EFFECTS[2 * n : 2 * n + 2]} for n in range(14)
        ],
        "renewal": {"copies": 4},
    }


def made_town():
    contracts = [
        {
            "name": f"town {n}",
            "zone": zone,
            "size": size,
            "vocations": [vocation] if vocation else [],
            "prestige": prestige,
            "effects": [],
            "copies": 3,
        }
        for n, (zone, size, vocation, prestige) in enumerate(TOWN_CONTRACTS)
    ]
    return {
        "contract": contracts,
        "event": [{"name": "Airport", "special": True, "effects": AIRPORT}],
    }


def made_deck(sizes, effects, special):
    zones, names, icons = cycle(by_hand.ZONES[:4]), cycle(VOCATIONS), cycle(range(7))
    contracts = []
    for n in range(31):
        size = sizes[n % len(sizes)]
        contracts.append(
            {
                "name": f"contract {n}",
                "zone": next(zones),
                "size": size,
                "vocations": [f"{next(names)}-{2 + n % 3}"] if n % 3 else [],
                "prestige": next(icons),
                "effects": [effects[n % len(effects)]],
                **([{}, {"next_to": ["water", "own"]}, {"highest_block": True}, {}][n % 4]),
            }
        )
    events = [{"name": f"event {n}", "effects": RELOCATION} for n in range(5)]
    events.append({"name": "special", "special": True, "effects": special})
    return {"contract": contracts, "event": events}


def made_data():
    town = made_town()
    city = made_deck([1, 2, 3, 1, 2], OPEN_EFFECTS, SPORTS_TEAM)
    metropolis = made_deck([2, 3, 4], CONTRACT_EFFECTS + OPEN_EFFECTS[::-1], OLYMPIC_GAMES)
    decks = [town, city, metropolis]
    return [made_board(decks), made_planning(), *decks]


def data_files():
    paths = [DATA / f"{name}.toml" for name in FILES]
    if not all(path.exists() for path in paths):
        pytest.skip("the data files are not there")
    return [tomllib.loads(path.read_text()) for path in paths]


# ---------------------------------------------------------------- chance and driving


class TinyChance:
    """Chance that deals by the rules of the setup and shuffles discards."""

    def __init__(self, data, seed=0, length="standard"):
        self.data, self.length = data, length
        self.random = random.Random(seed)
        self.reshuffled = []

    def opening(self):
        planning = by_hand.planning_cards(self.data[1])
        permits = self._mixed([name for name in planning if not by_hand.is_event(name)])
        events = [name for name in planning if by_hand.is_event(name)]
        order = permits[:22] + self._mixed(permits[22:] + events)
        return order, *(self._contracts(deck) for deck in range(3))

    def _contracts(self, deck):
        cards = by_hand.contract_cards(self.data[2 + deck])
        special = next(n for n, card in enumerate(cards) if card.special)
        others = self._mixed([n for n in range(len(cards)) if n != special])
        others.insert(self.random.choice(by_hand.SPECIAL_AMONG[self.length]), special)
        return [deck * 37 + n for n in others]

    def reshuffle(self, cards):
        self.reshuffled.append(list(cards))
        return self._mixed(cards)

    def _mixed(self, cards):
        return self.random.sample(cards, len(cards))


def new_game(num_players=4, data=None, seed=0, **options):
    data = data or made_data()
    chance = TinyChance(data, seed, options.get("length", "standard"))
    return UrbanSprawlByHand(num_players, *data, **options, chance=chance)


def claimed(num_players=4, **options):
    """Return a game after its claims, each of the lowest site."""
    game = new_game(num_players, **options)
    while game.turn == 0:
        game.play(*min(game.legal()))
    return game


def bare(num_players=4, **options):
    """Return a main decision without buildings; all seats have 50 wealth and no permits."""
    game = claimed(num_players, **options)
    table = game.table
    table.buildings.clear()
    table.wealth[:] = [50] * num_players
    table.prestige[:] = [10] * num_players
    for hand in table.hands:
        hand[:] = [0] * 18
    for held in table.vocations:
        held.update(dict.fromkeys(VOCATIONS, 0))
    table.supply = dict(VOCATIONS)
    refresh(game)
    return game


def refresh(game):
    """Recompute the main decision after a change of the table."""
    game.question = Question(game.table.active, frozenset(game._main_answers()))


def run(game, story):
    """Run a part of the game alone, to its first ply."""
    game.story = story
    game._tell_on(None)


def run_effects(game, *effects, own=None):
    run(game, game._run_all(effects, game.table.active if own is None else own))


def stand(game, zone, block, corners, owner, power=None):
    """Place a building without any rule; corners are given as digits."""
    lots = tuple(block * 4 + int(corner) for corner in corners)
    game.table.buildings[lots[0]] = Building(zone, lots, owner, power)
    return lots[0]


def block(row, column):
    return row * 6 + column


def build_only(game, card, permits, seat=0):
    """Put one contract at 1 AP and permits of a kind into the hand of the seat to play."""
    game.table.contract_row = [card, None, None, None, None]
    for kind, copies in permits.items():
        game.table.hands[seat][kind] = copies
    refresh(game)


def sites_of(game):
    return {index for name, index in game.legal() if name == "site"}


# ---------------------------------------------------------------- US §1: board


def test_values_of_the_starting_buildings():
    game = new_game()
    for _, row, column, _, value in STARTING:
        assert game.value(block(row, column)) == value


def test_adjacency_crosses_streets_and_diagonals():
    assert len(by_hand.around((block(2, 2) * 4 + 3,))) == 8
    assert block(3, 3) * 4 in by_hand.around((block(2, 2) * 4 + 3,))
    assert by_hand.at_water([1]) and not by_hand.at_forest([1])
    assert by_hand.at_water([0]) and by_hand.at_forest([0])
    assert by_hand.at_forest([block(5, 5) * 4 + 2]) and by_hand.at_water([block(5, 5) * 4 + 3])


def test_lines_have_six_or_twelve_blocks():
    sizes = [len(by_hand.blocks_of_line(line)) for line in by_hand.LINES]
    assert sizes == [6] * 6 + [12] * 3 + [12] * 3 + [6] * 6


def test_marker_example():
    game = new_game()
    com, res, civ, ind = block(4, 3), block(2, 1), block(4, 1), block(0, 5)
    assert [game.value(b) for b in (com, res, civ, ind)] == [8, 5, 6, 5]
    game.table.markers[PRESTIGE, 6] = 16
    assert [game.value(b) for b in (com, res, ind)] == [14, 5, 5]
    game.table.markers[PRESTIGE, 6] = 9
    assert [game.value(b) for b in (com, res, civ, ind)] == [8, 11, 12, 5]


def test_footprints_by_id():
    assert by_hand.footprints(2, 1) == {4: (4, 5), 5: (6, 7), 6: (4, 6), 7: (5, 7)}
    assert by_hand.footprints(3, 0)[1] == (0, 2, 3)
    assert by_hand.footprints(4, 2) == {8: (8, 9, 10, 11)}


# ---------------------------------------------------------------- US §2: payouts


def paid(num_players, value, counts):
    """Return what a wealth line pays for these counts."""
    game = bare(num_players)
    line = game.line_of(WEALTH, value)
    if line is None:
        line = 9
        game.table.markers[WEALTH, value] = line
    lots = (b * 4 + corner for b in sorted(by_hand.blocks_of_line(line)) for corner in range(4))
    for seat, count in enumerate(counts):
        for _ in range(count):
            lot = next(lots)
            stand(game, "PARK", lot // 4, str(lot % 4), seat)
    return game.payout_of(line)


@pytest.mark.parametrize("value", PAYOUT)
def test_payout_table(value):
    assert paid(4, value, [4, 3, 2, 1]) == PAYOUT[value]
    assert paid(3, value, [1, 2, 3]) == PAYOUT[value][2::-1]
    assert paid(2, value, [2, 1]) == PAYOUT[value][:2]


@pytest.mark.parametrize(
    ("counts", "amounts"),
    [
        ([3, 3, 2, 1], [4, 4, 1, 0]),
        ([2, 2, 2, 2], [2, 2, 2, 2]),
        ([4, 3, 1, 1], [6, 3, 0, 0]),
        ([1, 1, 0, 0], [4, 4, 0, 0]),
        ([2, 2], [4, 4]),
        ([1, 1, 1], [3, 3, 3]),
        ([0, 1], [0, 6]),
    ],
)
def test_payout_ties(counts, amounts):
    assert paid(len(counts), 6, counts) == amounts


def test_a_value_off_the_board_pays_nothing():
    game = bare(2)
    assert game.line_of(WEALTH, 11) is None
    game._payout(None)
    assert game.table.wealth == [50, 50]


def test_a_prestige_row_is_double_and_a_marker_pays_its_line():
    game = bare(2)
    stand(game, "RES", block(1, 5), "0", 1)
    game._payout(game.line_of(PRESTIGE, 3))
    assert game.table.prestige == [10, 13]
    game.table.markers[PRESTIGE, 5] = 13
    game._payout(game.line_of(PRESTIGE, 5))
    assert game.table.prestige == [10, 18]


# ---------------------------------------------------------------- US 6.1: setup


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_the_dearest_claims_cost_the_opening_wealth(num_players):
    game = new_game(num_players)
    left = sorted(STARTING, key=lambda row: row[4])
    while left:
        row = left.pop() if game.to_play == 0 else left.pop(0)
        game.play("site", lot_of(row))
    assert game.table.wealth[0] == 0
    assert game.turn == 1


def lot_of(row):
    return block(row[1], row[2]) * 4 + CORNERS.index(row[3])


@pytest.mark.parametrize(("num_players", "wealth"), [(2, 39), (3, 27), (4, 21)])
def test_opening_hands_and_rows(num_players, wealth):
    game = new_game(num_players)
    position = game.position()
    assert position["wealth"] == [wealth] * num_players
    assert [sum(hand) for hand in position["hands"]] == [1, 2, 3, 4][:num_players]
    dealt = sum(sum(hand) for hand in position["hands"])
    assert len(position["planning_deck"]) == 50 - dealt - 4
    assert position["planning_top"] is not None and None not in position["planning_row"]
    assert position["planning_discards"] == ["renewal"] * 4
    assert position["tops_up"] == [True, False, False]
    assert [len(deck) for deck in position["decks"]] == [32, 37, 37]
    assert position["ap"] == 0 and not position["investing"]


def test_media_goes_to_the_richest():
    game = new_game(2)
    for lot in (4 * block(0, 0) + 3, 4 * block(0, 5) + 2):
        game.play("site", lot)
    while game.turn == 0:
        game.play(*min(game.legal()))
    wealth = game.table.wealth
    assert wealth[0] != wealth[1]
    assert game.table.vocations[wealth.index(max(wealth))]["MEDIA"] == 1


def test_media_at_a_tie_goes_by_the_residence_of_three():
    game = new_game(4)
    game.table.supply["MEDIA"] = 1
    game.table.wealth[:] = [5, 9, 9, 3]
    residence = block(5, 0) * 4 + 1
    game._give_cube(game.table.buildings[residence], 2)
    game._give_media()
    assert [held["MEDIA"] for held in game.table.vocations] == [0, 0, 1, 0]


def test_media_at_a_tie_without_that_residence_goes_to_the_first():
    game = new_game(4)
    game.table.wealth[:] = [5, 9, 9, 3]
    game._give_cube(game.table.buildings[block(5, 0) * 4 + 1], 0)
    game._give_media()
    assert [held["MEDIA"] for held in game.table.vocations] == [0, 1, 0, 0]


@pytest.mark.parametrize(
    ("corners", "first"),
    [([1, 2], 1), ([2, 2], 2), ([2, 1], 1), ([0, 2], 2), ([0, 3], 1), ([3, 1], 1)],
)
def test_media_at_a_tie_by_the_rulebook_goes_by_the_most_residences_of_four(corners, first):
    game = new_game(4)
    game.board = {**game.board, "setup": {**game.board["setup"], "tie_value": 4}}
    game.board["setup"]["tie_reading"] = "most"
    game.table.wealth[:] = [5, 9, 9, 3]
    residences = (4 * block(0, 0) + 3, 4 * block(5, 5))
    for lot, seat in zip(residences, corners, strict=True):
        game._give_cube(game.table.buildings[lot], seat)
    assert game._media_of_tied([1, 2]) == first


class FixedChance:
    def __init__(self, orders):
        self.orders = orders

    def opening(self):
        return self.orders

    def reshuffle(self, cards):
        return cards


@pytest.mark.parametrize("wrong", ["event on top", "airport on top", "card twice"])
def test_setup_rules_are_checked(wrong):
    data = made_data()
    planning, *decks = TinyChance(data).opening()
    if wrong == "event on top":
        event = next(n for n, name in enumerate(planning) if by_hand.is_event(name))
        planning[0], planning[event] = planning[event], planning[0]
    elif wrong == "airport on top":
        decks[0].remove(36)
        decks[0].insert(3, 36)
    else:
        decks[1][0] = decks[1][1]
    with pytest.raises(AssertionError):
        UrbanSprawlByHand(2, *data, chance=FixedChance((planning, *decks)))


# ---------------------------------------------------------------- US 6.2: turn


def test_investment_of_eleven_until_the_first_action():
    game = bare(2)
    game.table.hands[0][2] = 1
    game.table.hands[0][4] = 1
    game.table.hands[0][RENEWAL] = 1
    refresh(game)
    assert {action for action in game.legal() if action[0] == "permit"} == {
        ("permit", 2),
        ("permit", 4),
    }
    game.play("permit", 2)
    assert game.table.wealth[0] == 61
    assert game.table.discards.count("permit 2") == 1
    game.play("planning", 0)
    assert game.table.ap == 5
    assert not any(name == "permit" for name, _ in game.legal())


def test_treasurer_collects_what_is_there_and_boss_has_eight():
    game = bare(3)
    game.table.in_play.update((TREASURER, BOSS))
    game.table.offices.update({TREASURER: 0, BOSS: 0})
    game.table.wealth[:] = [5, 1, 9]
    run(game, game._turn())
    assert game.table.wealth == [8, 0, 7]
    assert game.table.ap == 8


def test_a_taken_deck_top_leaves_the_next_face_down():
    game = bare(2)
    game.play("planning", 4)
    assert game.table.ap == 1
    assert game.position()["planning_top"] is None
    assert ("planning", 4) not in game.legal()


def test_one_favor_and_not_in_the_turn_it_was_taken():
    game = bare(2)
    game.table.contract_row[0] = 33
    game.table.hands[0][0] = 3
    refresh(game)
    assert ("build", 0) in game.legal()
    game.play("favor", 0)
    assert game.table.ap == 5 and game.table.favors[0] == [33]
    assert not any(name == "favor" or action >= 8 for name, action in game.legal() - {("site", 9)})
    game.play("decline", 0)
    while game.to_play != 0 or game.turn != 3:
        game.play(*min(game.legal()))
    game.table.hands[0][0] = 3
    refresh(game)
    assert ("build", 8) in game.legal()
    game.play("build", 8)
    assert game.table.ap == 6 and game.table.favors[0] == []


def test_extra_favor_allows_two_and_the_second_outlives_it():
    game = bare(2)
    game.table.favors[0] = [33]
    refresh(game)
    assert not any(name == "favor" for name, _ in game.legal())
    first = stand(game, "IND", 0, "01", 0, "extra_favor")
    refresh(game)
    game.play("favor", 0)
    assert len(game.table.favors[0]) == 2
    del game.table.buildings[first]
    refresh(game)
    assert not any(name == "favor" for name, _ in game.legal())


# ---------------------------------------------------------------- US 6.3, 6.4: building


def high_school():
    """Return the starting board; seat 0 has permits for a High School at 1 AP."""
    game = claimed(2)
    game.table.wealth[:] = [30, 30]
    for hand in game.table.hands:
        hand[:] = [0] * 18
    card = 9
    assert game.cards[card].vocations == ((EDUCATION, 3),)
    build_only(game, card, {1: 2, 6: 1})
    game.play("build", 0)
    return game


def test_zoning_examples_of_the_high_school():
    sites = sites_of(high_school())
    beside_com = block(2, 3) * 4
    assert sites & set(range(beside_com, beside_com + 4)) == {beside_com + 3}
    empty = block(2, 0) * 4
    assert sites & set(range(empty, empty + 4)) == set(range(empty, empty + 4))
    for beside_res in (block(0, 0) * 4, block(5, 5) * 4):
        assert not sites & set(range(beside_res, beside_res + 4))


@pytest.mark.parametrize(
    ("site", "cost", "bonus"), [(block(2, 3) * 4 + 3, 7, 1), (block(2, 0) * 4, 2, 0)]
)
def test_high_school_cost_and_bonus(site, cost, bonus):
    game = high_school()
    game.play("site", site)
    assert game.legal() == {("permit", 1), ("permit", 6)}
    game.play("permit", 1)
    assert game.legal() == {("permit", 1), ("permit", 6)}
    game.play("permit", 6)
    assert game.table.wealth[0] == 30 - cost
    assert game.table.prestige[0] == bonus
    assert game.table.hands[0][1] == 1
    game.play("gain", 1)
    assert game.table.prestige[0] == bonus + 3
    assert game.table.contract_row[0] is None


def test_attorney_doubles_the_first_bonus_of_a_turn():
    game = bare(2)
    game.table.offices[ATTORNEY] = 0
    game.table.prestige[0] = 0
    stand(game, "RES", 0, "0", 1)
    for first, expected in ((1, 2), (2, 4)):
        stand(game, "RES", 0, str(first), 0)
        game._gain_bonus(game.table.buildings[first])
        assert game.table.prestige[0] == expected
        assert game.table.built == first


def test_a_large_neighbour_counts_once():
    game = bare(2)
    game.table.prestige[0] = 0
    stand(game, "RES", 0, "0123", 1)
    stand(game, "RES", 1, "02", 0)
    game._gain_bonus(game.table.buildings[4])
    assert game.table.prestige[0] == 1


def test_only_footprints_that_can_be_paid():
    game = bare(2)
    game.table.wealth[0] = 2
    build_only(game, 33, {0: 1})
    game.play("build", 0)
    values = {game.value(site // 4) for site in sites_of(game)}
    assert values == {2}


def test_no_contract_without_tile_money_or_permits():
    game = bare(2)
    build_only(game, 33, {0: 1})
    assert ("build", 0) in game.legal()
    game.table.wealth[0] = 1
    refresh(game)
    assert ("build", 0) not in game.legal()
    game.table.wealth[0] = 9
    game.table.tiles["RES"][0] = 0
    refresh(game)
    assert ("build", 0) not in game.legal()
    game.table.tiles["RES"][0] = 1
    game.table.hands[0][:] = [0] * 18
    refresh(game)
    assert ("build", 0) not in game.legal()


def restricted(game, wanted, zone="RES", size=1):
    card = by_hand.Card("restricted", zone, size, (), 0, (), wanted, False)
    return set(game._sites(card))


def test_restrictions():
    game = bare(2)
    assert restricted(game, {"next_to": ["water"]}) == {
        lot for lot in by_hand.LOTS if by_hand.at_water([lot])
    }
    stand(game, "RES", 14, "0", 1)
    stand(game, "PARK", 14, "3", None)
    around_res, around_park = by_hand.around((56,)), by_hand.around((59,))
    assert restricted(game, {"next_to": ["RES"]}) == around_res - {59}
    assert restricted(game, {"next_to": ["park"]}) == around_park - {56}
    assert restricted(game, {"next_to": ["own"]}) == set()
    assert not restricted(game, {"empty_block": True}) & set(range(56, 60))
    assert {game.value(site // 4) for site in restricted(game, {"value_at_least": 9})} == {9}
    assert {game.value(site // 4) for site in restricted(game, {"value_at_most": 2})} == {2}


def test_highest_block_leaves_money_aside():
    game = bare(2)
    highest = restricted(game, {"highest_block": True})
    assert {site // 4 for site in highest} == {block(0, 3), block(1, 3)}
    game.table.wealth[0] = 8
    assert restricted(game, {"highest_block": True}) == set()


def test_zoning_may_be_ignored_and_parks_always_are():
    game = bare(2)
    stand(game, "PARK", 0, "3", 1)
    assert restricted(game, {}) == set(by_hand.LOTS) - {3}
    stand(game, "COM", 0, "0", 1)
    assert not restricted(game, {}) & {1, 2}
    assert restricted(game, {"ignores_zoning": True}) == set(by_hand.LOTS) - {0, 3}


# ---------------------------------------------------------------- US 6.5: vocations


def test_vocation_example():
    game = bare(2)

    def build(seat, number):
        game.table.active = seat
        card = by_hand.Card("factory", "IND", 1, ((FACTORY, number),), 0, (), {}, False)
        game.table.hands[seat][0] = 1
        run(game, game._build(card))
        game.play(*min(game.legal()))
        game.play("permit", 0)

    before = [Counter(wealth=w, prestige=p) for w, p in zip([50, 50], [10, 10], strict=True)]
    build(0, 2)
    assert game.to_play == 0
    game.play("gain", 0)
    build(1, 1)
    assert game.to_play == 1
    game.play("gain", 1)
    assert game.to_play == 0
    game.play("gain", 1)
    game.table.wealth[:] = [50, 50]
    game.table.prestige[:] = [10, 10]
    build(0, 4)
    wealth = game.table.wealth[0]
    prestige = game.table.prestige[0]
    for seat, which in ((0, 0), (0, 1), (1, 0)):
        assert game.to_play == seat
        game.play("gain", which)
    assert game.table.wealth == [wealth + 4, 54]
    assert game.table.prestige == [prestige + 4, before[1]["prestige"]]


def test_police_chief_gets_both_of_a_contract_only():
    game = bare(2)
    game.table.vocations[1][FACTORY] = 2
    game.table.offices[POLICE] = 1
    run(game, game._score_vocation(FACTORY, 3, for_contract=True))
    assert game.table.wealth[1] == 56 and game.table.prestige[1] == 16
    run_effects(game, {"do": "score", "vocation": FACTORY, "amount": 1})
    assert game.to_play == 1 and game.legal() == {("gain", 0), ("gain", 1)}


def test_an_empty_supply_lets_one_take_from_an_opponent():
    game = bare(3)
    game.table.supply["MEDIA"] = 0
    game.table.vocations[2]["MEDIA"] = 1
    game.table.active = 1
    run(game, game._take_vocation(1, "MEDIA"))
    assert game.legal() == {("decline", 0), ("seat", 1)}
    game.play("seat", 1)
    assert [held["MEDIA"] for held in game.table.vocations] == [0, 1, 0]


def test_own_markers_are_nobody_to_take_from():
    game = bare(2)
    game.table.supply["MEDIA"] = 0
    game.table.vocations[0]["MEDIA"] = 1
    run(game, game._take_vocation(0, "MEDIA"))
    assert game.to_play is None


# ---------------------------------------------------------------- US 6.6: demolition


def may_demolish(size, *present):
    """Return the legal footprints in block 14 over the given buildings, as corners."""
    game = bare(2)
    game.table.hands[0][RENEWAL] = 1
    for corners in present:
        stand(game, "RES", 14, corners, 1)
    return {site - 56 for site in restricted(game, {}, size=size) if site // 4 == 14}


def test_demolition_examples():
    assert may_demolish(2, "0") == {0, 1, 2, 3}
    assert may_demolish(2, "01") == {0, 1}
    assert may_demolish(2, "0", "1") == {0, 1, 2, 3}
    assert may_demolish(3, "01") == {2, 3}
    assert may_demolish(3, "0", "13") == {0, 2}
    assert may_demolish(3, "0", "1", "2") == {0, 1, 2, 3}
    assert may_demolish(3, "012") == {3}
    assert may_demolish(3, "01", "23") == set()
    assert may_demolish(3, "0123") == set()
    assert may_demolish(1, "01") == {2, 3}


def test_nobody_demolishes_without_right():
    game = bare(2)
    stand(game, "RES", 14, "0", 0)
    assert 56 not in restricted(game, {})
    game.table.offices[CONTRACTOR] = 0
    assert 56 in restricted(game, {})


def test_the_contractor_is_immune_to_others():
    game = bare(2)
    stand(game, "RES", 14, "0", 1)
    stand(game, "RES", 14, "1", None)
    game.table.hands[0][RENEWAL] = 1
    game.table.offices[CONTRACTOR] = 1
    assert restricted(game, {}) & {56, 57} == {57}


def test_zoning_as_if_the_demolished_were_gone():
    game = bare(2)
    stand(game, "COM", 14, "0", 1)
    game.table.hands[0][RENEWAL] = 1
    assert restricted(game, {}) & set(range(56, 60)) == {56}


def test_one_urban_renewal_for_three_buildings():
    game = bare(2)
    game.table.hands[0][RENEWAL] = 2
    for corner, owner in (("0", 0), ("1", 1), ("2", None)):
        stand(game, "COM", 14, corner, owner)
    tiles = list(game.table.tiles["COM"])
    build_only(game, 27, {13: 1})
    assert game.cards[27].size == 3 and game.cards[27].zone == "RES"
    game.play("build", 0)
    game.play("site", 56 + 3)
    assert game.table.hands[0][RENEWAL] == 1
    assert len(game.table.buildings) == 3
    game.play("permit", 13)
    assert game.position()["buildings"] == {56: (3, (56, 57, 58), 0, None)}
    assert game.table.tiles["COM"] == tiles


def test_the_contractor_discards_nothing():
    game = bare(2)
    game.table.hands[0][RENEWAL] = 1
    game.table.offices[CONTRACTOR] = 0
    stand(game, "COM", 14, "0", 0)
    build_only(game, 33, {0: 1})
    game.play("build", 0)
    game.play("site", 56)
    game.play("permit", 0)
    assert game.table.hands[0][RENEWAL] == 1
    assert game.table.buildings[56].zone == "RES"


# ---------------------------------------------------------------- US 6.8: end of turn


def quiet(game):
    """Use only permits without ballot, so that only contracts matter."""
    game.table.planning_row = ["permit 13"] * 4
    game.table.planning = ["permit 13"] * 20
    game.table.planning_up = True


def test_a_face_up_top_slides_without_a_second_payout():
    game = bare(2)
    stand(game, "RES", block(0, 3), "0", 1)
    game.table.planning_row = ["permit 13", None, "permit 14", "permit 15"]
    game.table.planning = ["permit 12", "permit 9", "permit 5"]
    run(game, game._end_of_turn())
    assert game.table.planning_row == ["permit 13", "permit 14", "permit 15", "permit 12"]
    assert game.table.planning == ["permit 9", "permit 5"] and game.table.planning_up
    assert game.table.wealth == [50, 50]
    assert game.table.pawn == 0


def test_the_cheapest_planning_space_is_filled_first_and_pays():
    game = bare(2)
    stand(game, "RES", block(0, 3), "0", 1)
    game.table.planning_row = [None, "permit 13", None, None]
    game.table.planning = ["permit 14", "permit 12", "permit 9", "permit 5"]
    run(game, game._end_of_turn())
    assert game.table.planning_row == ["permit 13", "permit 14", "permit 12", "permit 9"]
    assert game.table.wealth == [50, 56]
    assert game.table.pawn == 1


def test_a_contract_pays_its_icon_when_revealed_and_not_when_it_slides():
    game = bare(2)
    quiet(game)
    stand(game, "RES", block(0, 3), "0", 1)
    game.table.contract_row = [None, 15, 16, 18, 19]
    game.table.decks[TOWN] = [24, 31, 20]
    run(game, game._end_of_turn())
    assert game.table.contract_row == [15, 16, 18, 19, 24]
    assert game.table.decks[TOWN] == [31, 20] and game.table.tops_up[TOWN]
    assert game.table.prestige == [10, 13]


def test_airport_in_step_five_with_two_empty_spaces():
    game = bare(2)
    quiet(game)
    game.table.contract_row = [None, 15, None, None, None]
    game.table.decks[TOWN] = [16, 36, 18, 19]
    game.table.decks[CITY] = [card for card in game.table.decks[CITY] if card < 37 + 31]
    city = game.table.decks[CITY][:3]
    run(game, game._end_of_turn())
    while game.to_play is not None:
        game.play(*min(game.legal()))
    assert game.table.contract_row == [15, 16, city[0], city[1], 18]
    assert game.table.active_decks == [True, True, False]
    assert game.table.decks[TOWN] == [19] and game.table.tops_up == [True, True, False]
    assert game.table.decks[CITY][0] == city[2]
    assert game.table.in_play == {MAYOR, ATTORNEY, TREASURER, POLICE, BOSS}


def rails(town, city, row, active=(True, True, True)):
    game = bare(2)
    quiet(game)
    game.table.active_decks = list(active)
    game.table.contract_row = list(row)
    game.table.decks = [list(town), list(city), [74, 77, 78]]
    game.table.tops_up = [bool(town), bool(city), True]
    game._slide_contracts()
    slid = list(game.table.contract_row)
    run(game, game._fill_contracts())
    assert game.to_play is None
    return slid, game.table.contract_row


def test_flow_with_all_decks_active():
    slid, filled = rails([0, 1, 2], [37, 38, 39], [None, 10, None, None, 11])
    assert slid == [10, 74, None, 37, 11]
    assert filled == [10, 74, 77, 37, 11]


def test_flow_with_town_and_city():
    slid, filled = rails([0, 1, 2], [37, 38, 39], [None, 10, None, 12, None], (True, True, False))
    assert slid == [10, 12, 37, None, 0]
    assert filled == [10, 12, 37, 38, 0]


def test_exhausted_decks():
    assert rails([], [37, 38], [1, 2, 3, 4, None])[1] == [1, 2, 3, 4, None]
    assert rails([0, 7], [], [1, 2, 3, None, 5])[0] == [1, 2, 3, 5, 0]
    assert rails([0, 7, 8], [], [1, 2, 3, None, None])[1] == [1, 2, 3, 0, 7]
    assert rails([0, 7], [], [1, 2, None, 4, 5])[0] == [1, 2, 74, 4, 5]
    assert rails([], [], [1, 2, 3, None, 5])[1] == [1, 2, 3, None, 5]


def test_a_seen_town_top_does_not_pay_again_when_city_runs_out_in_step_five():
    game = bare(2)
    quiet(game)
    game.table.active_decks = [True, True, True]
    game.table.contract_row = [0, 15, 16, None, 18]
    game.table.decks = [[24, 0], [37 + 31], [74]]
    game.table.tops_up = [True, False, True]
    stand(game, "RES", block(0, 3), "0", 1)
    run(game, game._fill_contracts())
    assert game.table.contract_row == [0, 15, 16, 24, 18]
    assert game.table.decks == [[0], [], [74]] and not game.table.tops_up[TOWN]
    assert game.table.prestige == [10, 10]


def test_all_permits_hoarded():
    game = bare(2)
    game.table.planning_row = [None] * 4
    game.table.planning = ["event 6", "event 7"]
    game.table.planning_up = False
    game.table.discards = ["event 1"]
    run(game, game._end_of_turn())
    assert game.to_play is None
    assert game.table.planning_row == [None] * 4 and not game.table.planning_up
    assert game.table.planning == ["event 6", "event 7"]


def test_the_planning_deck_is_rebuilt_without_the_event_being_executed():
    game = bare(2)
    game.table.planning_row = ["permit 13"] * 4
    game.table.planning = ["event 13"]
    game.table.planning_up = False
    game.planning_events[13] = ({"do": "draw", "amount": 1},)
    game.table.discards = ["permit 4", "permit 3", "renewal"]
    game.chance = FixedChance(None)
    run(game, game._end_of_turn())
    assert game.table.hands[0][3] == 1
    assert game.table.planning == ["permit 4", "renewal"]
    assert game.table.discards == ["event 13"]


def test_drawn_events_are_discarded_unread():
    game = bare(2)
    game.table.planning = ["event 3", "permit 4", "permit 5"]
    game.table.discards = []
    run_effects(game, {"do": "draw", "amount": 1})
    assert game.table.hands[0][4] == 1
    assert game.table.discards == ["event 3"] and not game.table.planning_up
    assert game.table.pawn == 0


# ---------------------------------------------------------------- US 6.9: elections


def test_a_park_by_election_changes_the_payout_of_the_same_card():
    game = bare(2)
    game.table.pawn = 4
    game.table.vocations[0][FACTORY] = 1
    stand(game, "RES", block(0, 3), "0", 1)
    run(game, game._planning_revealed("permit 12"))
    assert game.table.offices[MAYOR] == 0
    assert game.to_play == 0 and len(sites_of(game)) == 143
    game.play("site", block(4, 3) * 4)
    assert game.table.buildings[block(4, 3) * 4] == Building("PARK", (block(4, 3) * 4,), 0)
    assert game.table.wealth == [54, 54]


def test_a_politician_not_in_play_is_a_blank_ballot():
    game = bare(2)
    stand(game, "CIV", 0, "0", 1)
    run(game, game._ballot())
    assert game.table.pawn == 1 and game.table.offices[ATTORNEY] is None


def test_the_highest_controlled_building_then_the_number_then_the_tie_breaker():
    game = bare(3)
    game.table.in_play.update((ATTORNEY, CONTRACTOR))
    game.table.prestige[:] = [5, 6, 7]
    stand(game, "CIV", block(0, 3), "0", None)
    stand(game, "CIV", block(2, 3), "0", 1)
    stand(game, "CIV", block(3, 3), "0", 2)
    game.table.offices[MAYOR] = 2
    run(game, game._elect(ATTORNEY))
    assert game.to_play == 2 and game.legal() == {("seat", 0), ("seat", 2)}
    game.play("seat", 0)
    assert game.table.offices[ATTORNEY] == 2
    assert game.table.offices[CONTRACTOR] == 0
    stand(game, "CIV", block(5, 0), "0", 1)
    run(game, game._elect(ATTORNEY))
    assert game.table.offices[ATTORNEY] == 1


def test_a_vacant_tie_breaker_leaves_it_to_the_active_player():
    game = bare(2)
    game.table.active = 1
    game.table.in_play.add(BOSS)
    stand(game, "IND", block(2, 3), "0", 0)
    stand(game, "IND", block(2, 3), "1", 1)
    run(game, game._elect(BOSS))
    assert game.to_play == 1 and game.legal() == {("seat", 0), ("seat", 1)}


def test_municipal_court_wins_ties_before_buildings_are_counted():
    game = bare(2)
    game.table.in_play.add(ATTORNEY)
    stand(game, "CIV", block(2, 3), "0", 0)
    stand(game, "CIV", block(5, 0), "3", 0)
    stand(game, "CIV", block(3, 3), "0", 1, "wins_ties")
    run(game, game._elect(ATTORNEY))
    assert game.table.offices[ATTORNEY] == 1


def test_nobody_qualifies():
    game = bare(2)
    game.table.in_play.update((ATTORNEY, CONTRACTOR))
    game.table.offices[ATTORNEY] = 1
    game.table.prestige[:] = [9, 8]
    run(game, game._elect(ATTORNEY))
    assert game.table.offices[ATTORNEY] == 1 and game.table.offices[CONTRACTOR] == 1
    run(game, game._elect(MAYOR))
    assert game.table.offices[MAYOR] is None and not game.table.buildings


def test_media_breaks_the_tie_of_a_mayor():
    game = bare(3)
    for seat, name in ((0, FACTORY), (1, FACTORY), (2, "MEDIA")):
        game.table.vocations[seat][name] = 1
    game.table.vocations[0][EDUCATION] = game.table.vocations[1][EDUCATION] = 1
    run(game, game._elect(MAYOR))
    assert game.to_play == 2 and game.legal() == {("seat", 1), ("seat", 2)}
    game.play("seat", 2)
    assert game.table.offices[MAYOR] == 1 and game.to_play == 1


def test_sports_team_assigns_the_contractor_at_once():
    game = bare(2)
    run_effects(game, *SPORTS_TEAM)
    assert game.to_play == 0 and game.legal() == {("seat", 0), ("seat", 1)}
    game.play("seat", 1)
    assert game.table.offices[CONTRACTOR] == 1 and game.table.active_decks[METROPOLIS]


# ---------------------------------------------------------------- effects


def test_business_relocation_example():
    game = bare(3)
    game.table.in_play.add(TREASURER)
    game.table.offices[TREASURER] = 2
    game.table.vocations[1]["MEDIA"] = 1
    first = stand(game, "COM", 3, "01", 0)
    stand(game, "COM", 4, "0", None)
    run_effects(game, *RELOCATION)
    assert game.table.wealth == [50, 51, 50] and game.table.prestige == [10, 11, 10]
    assert game.to_play == 2 and game.legal() == {("site", first)}
    game.play("site", first)
    assert game.table.buildings[first] == Building("COM", (12, 13), None)


def test_a_vacant_decider_skips():
    game = bare(2)
    stand(game, "COM", 3, "01", 0)
    run_effects(game, RELOCATION[2])
    assert game.to_play is None and game.table.buildings[12].owner == 0


def test_corporate_hq_example():
    game = bare(2)
    stand(game, "COM", 0, "0123", 1)
    stand(game, "COM", 1, "0123", None)
    stand(game, "COM", 2, "012", 1)
    stand(game, "COM", 3, "012", None)
    filters = {"what": "wealth", "per": "building", "zones": ["COM"]}
    run_effects(
        game,
        {"do": "gain", "amount": 4, "sizes": [4], **filters},
        {"do": "gain", "who": "controller", "amount": 3, "sizes": [3], **filters},
    )
    assert game.table.wealth == [58, 53]


def test_a_payer_chooses_what_can_be_met_in_full():
    game = bare(2)
    game.table.wealth[1], game.table.prestige[1] = 5, 3
    for corner in "012":
        stand(game, "RES", 0, corner, 1)
    run_effects(game, {"do": "pay", "what": "either", "amount": 4, "zones": ["RES"]})
    assert game.to_play == 1 and game.legal() == {("gain", 0)}
    game.play("gain", 0)
    assert game.legal() == {("gain", 0), ("gain", 1)}
    game.play("gain", 1)
    assert game.legal() == {("gain", 0)}
    game.play("gain", 0)
    assert game.table.wealth == [55, 0] and game.table.prestige == [13, 0]


def test_the_active_player_orders_only_those_with_a_real_choice():
    game = bare(4)
    game.table.active = 1
    game.table.wealth[2] = 1
    game.table.prestige[2] = 10
    stand(game, "RES", 0, "0", 0)
    stand(game, "RES", 0, "1", 2)
    stand(game, "RES", 0, "2", 3)
    run_effects(game, {"do": "pay", "what": "either", "amount": 4, "zones": ["RES"]})
    assert game.to_play == 2 and game.legal() == {("gain", 1)}
    game.play("gain", 1)
    assert game.to_play == 1 and game.legal() == {("seat", 2), ("seat", 3)}
    game.play("seat", 3)
    assert game.to_play == 0
    game.play("gain", 0)
    assert game.to_play == 3
    game.play("gain", 1)
    assert game.to_play is None
    assert game.table.wealth == [46, 54, 1, 50] and game.table.prestige == [10, 18, 6, 6]


def test_optional_payments_are_not_offered_if_they_cannot_be_met():
    game = bare(3)
    game.table.wealth[:] = [3, 8, 2]
    effect = {
        "do": "optional",
        "who": "each",
        "what": "wealth",
        "amount": 3,
        "then": [{"do": "gain", "what": "prestige", "amount": 2}],
        "otherwise": [{"do": "lose", "what": "prestige", "amount": 1}],
    }
    run_effects(game, effect)
    assert game.table.prestige == [10, 10, 9]
    assert game.to_play == 0 and game.legal() == {("seat", 0), ("seat", 1)}
    game.play("seat", 1)
    assert game.to_play == 1 and game.legal() == {("yes", 0), ("decline", 0)}
    game.play("yes", 0)
    game.play("decline", 0)
    assert game.table.wealth == [3, 5, 2] and game.table.prestige == [9, 12, 9]


def test_auction_goes_once_round_with_the_active_player_last():
    game = bare(3)
    game.table.wealth[:] = [30, 4, 2]
    run_effects(game, {"do": "auction", "then": [{"do": "gain", "what": "prestige", "amount": 4}]})
    assert game.to_play == 1
    assert game.legal() == {("decline", 0), *(("amount", index) for index in range(4))}
    game.play("amount", 1)
    assert game.to_play == 0
    assert game.legal() == {("decline", 0), *(("amount", index) for index in range(2, 16))}
    game.play("decline", 0)
    assert game.table.wealth == [30, 2, 2] and game.table.prestige == [10, 14, 10]


def test_extremes_are_taken_without_a_ply_and_ties_go_to_the_active_player():
    game = bare(2)
    game.table.active = 1
    stand(game, "RES", block(0, 3), "0", 0)
    first = stand(game, "RES", block(5, 0), "0", 0)
    effect = {"do": "uncontrol", "extreme": "lowest", "save_what": "prestige", "save_amount": 3}
    run_effects(game, effect)
    assert game.to_play == 0 and game.legal() == {("yes", 0), ("decline", 0)}
    game.play("yes", 0)
    assert game.table.prestige[0] == 7 and game.table.buildings[first].owner == 0
    second = stand(game, "RES", block(4, 0), "0", 0)
    game.table.prestige[0] = 2
    run_effects(game, effect)
    assert game.to_play == 1 and game.legal() == {("site", first), ("site", second)}
    game.play("site", second)
    assert game.to_play is None and game.table.buildings[second].owner is None


@pytest.mark.parametrize(
    ("owner", "decides"),
    [({}, {("yes", 0), ("decline", 0)}), ({"owner": "own"}, {("seat", 1), ("seat", 2)})],
)
def test_to_save_a_building_is_a_choice_of_its_controller_alone(owner, decides):
    """Ruling U43: without a choice of their own seats 1 and 2 hit seat 0's building unasked."""
    game = bare(3)
    for column in range(3):
        stand(game, "COM", block(0, column), "0", column)
    effect = {"do": "uncontrol", "who": "opponents", "extreme": "lowest", **owner,
              "save_what": "wealth", "save_amount": 3}  # fmt: skip
    run_effects(game, effect)
    assert game.to_play == 0 and game.legal() == decides


def test_controllers_gain_for_the_extreme_building():
    game = bare(2)
    game.table.active = 1
    effect = {"do": "gain", "who": "controller", "what": "wealth", "amount": 1, "per": "building",
              "extreme": "highest", "times_value": True}  # fmt: skip
    first = stand(game, "RES", block(0, 3), "0", 0)
    stand(game, "RES", block(1, 3), "0", None)
    run_effects(game, effect)
    assert game.to_play is None and game.table.wealth == [59, 50]
    second = stand(game, "RES", block(1, 3), "1", 1)
    run_effects(game, effect)
    assert game.to_play == 1 and game.legal() == {("site", first), ("site", second)}
    game.play("site", second)
    assert game.table.wealth == [59, 59]


def test_disaster():
    game = bare(3)
    game.table.wealth[1] = 2
    stand(game, "RES", 0, "0", 0)
    stand(game, "RES", 1, "0", 1)
    stand(game, "RES", 14, "0", 2)
    run_effects(game, {"do": "disaster", "where": "water", "what": "wealth", "amount": 3})
    assert game.to_play == 1 and game.legal() == {("site", 4)}
    game.play("site", 4)
    assert game.to_play == 0 and game.legal() == {("site", 0), ("yes", 0)}
    game.play("yes", 0)
    assert game.table.wealth == [47, 2, 50] and set(game.table.buildings) == {0, 56}


def test_rows_of_a_building():
    game = bare(2)
    game.table.this_lots, game.table.this_block = (56, 57), 14
    for where, count in (("rows", 11), ("row", 6), ("other_row", 6), ("block", 1)):
        game.table.chosen_row = 0
        assert len(game._blocks(where, {})) == count
    assert game._blocks("row", {}) == set(range(12, 18))
    assert game._blocks("other_row", {}) == set(range(2, 36, 6))


def test_new_and_moved_markers():
    game = bare(2)
    run_effects(game, {"do": "new_marker", "marker": "lowest", "what": "wealth"})
    assert game.legal() == {("line", line) for line in range(9, 18)}
    game.play("line", 12)
    assert game.table.markers[WEALTH, 7] == 12
    run_effects(game, {"do": "move_marker", "what": "either"})
    assert game.legal() == {("marker", 0)}
    game.play("marker", 0)
    assert ("line", 12) not in game.legal() and len(game.legal()) == 8
    game.play("line", 9)
    assert game.table.markers[WEALTH, 7] == 9
    run_effects(game, {"do": "new_marker", "number": 7, "what": "wealth"})
    assert game.to_play is None
    game.table.markers.update(dict(zip(game.marker_names, range(9, 18), strict=True)))
    run_effects(game, {"do": "move_marker", "what": "either"})
    assert game.to_play is None


def test_placed_and_moved_buildings_ignore_zoning_and_earn_no_bonus():
    game = bare(2)
    for corner in "012":
        stand(game, "COM", 14, corner, 1)
    game.table.this_lots, game.table.this_block = (57,), 14
    run_effects(game, {"do": "place", "zone": "RES", "size": 1, "where": "block"})
    assert game.legal() == {("site", 59)}
    game.play("site", 59)
    assert game.table.prestige[0] == 10
    run_effects(game, {"do": "move", "owner": "own"})
    assert game.legal() == {("site", 59)}
    game.play("site", 59)
    assert len(game.legal()) == 140 and ("site", 59) not in game.legal()
    game.play("site", 3)
    assert game.table.buildings[3] == Building("RES", (3,), 0) and 59 not in game.table.buildings


def test_take_skips_what_would_not_change():
    game = bare(2)
    stand(game, "RES", 0, "0", 0)
    run_effects(game, {"do": "take", "zones": ["RES"]})
    assert game.to_play is None
    stand(game, "RES", 0, "1", 1)
    run_effects(game, {"do": "take", "zones": ["RES"]})
    assert game.legal() == {("site", 1)}


# ---------------------------------------------------------------- US 6.12: the end


def test_final_points():
    game = bare(2)
    game.table.in_play.update(by_hand.OFFICES)
    game.table.offices.update({MAYOR: 0, ATTORNEY: 1, TREASURER: 1, POLICE: None, BOSS: 0})
    game.table.wealth[:] = [29, 30]
    game.table.prestige[:] = [4, 2]
    stand(game, "RES", block(0, 0), "0", 0)
    stand(game, "PARK", block(0, 0), "1", None)
    stand(game, "PARK", block(0, 0), "2", 0)
    stand(game, "CIV", block(3, 0), "0", 1)
    stand(game, "COM", block(5, 0), "0", None)
    stand(game, "IND", block(5, 5), "0", None)
    assert game.scores() == [4 + 3 + 2 + 1 + 1, 2 + 1 + 3 + 1 + 1]
    game.table.markers[PRESTIGE, 6] = 12
    assert game.scores() == [17, 8]
    game.table.prestige[1] += 9
    assert game.standings() == [[1], [0]]
    game.table.wealth[:] = [29, 29]
    game.table.prestige[1] += 1
    assert game.standings() == [[0, 1]]


# ---------------------------------------------------------------- whole games


def check(game):
    """Assert the invariants of a position."""
    position = game.position()
    table = game.table
    assert min(position["wealth"]) >= 0 and min(position["prestige"]) >= 0
    assert all(count >= 0 for hand in position["hands"] for count in hand)
    assert all(count >= 0 for row in position["tiles"] for count in row)
    lots = [lot for building in table.buildings.values() for lot in building.lots]
    assert len(lots) == len(set(lots))
    assert all(first == building.first for first, building in table.buildings.items())
    spaces = [space for space in table.markers.values() if space is not None]
    assert len(spaces) == len(set(spaces))
    for name, count in VOCATIONS.items():
        held = sum(vocations[name] for vocations in table.vocations)
        assert held + table.supply[name] == count
    planning = sum(map(sum, position["hands"])) + len(table.planning) + len(table.discards)
    planning += len([name for name in table.planning_row if name is not None])
    assert 53 <= planning <= 54
    assert game.legal() or game.over != "no"


def play_out(game, seed, every=20):
    """Play at random; the turn is ended less often, so that more actions are played."""
    dice = random.Random(seed)
    plies = 0
    while game.to_play is not None:
        legal = sorted(game.legal())
        builds = [action for action in legal if action[0] == "build"]
        if builds and dice.random() < 0.7:
            legal = builds
        elif len(legal) > 1 and dice.random() < 0.7:
            legal = [action for action in legal if action[0] != "decline"]
        game.play(*dice.choice(legal))
        plies += 1
        if plies % every == 0:
            check(game)
    return plies


@pytest.mark.parametrize("source", [made_data, data_files])
@pytest.mark.parametrize(
    ("num_players", "length"), [(2, "standard"), (3, "short"), (4, "standard"), (2, "long")]
)
def test_random_games_end(num_players, length, source):
    game = new_game(num_players, source(), length=length)
    play_out(game, seed=0)
    assert game.over == "finished"
    assert len(game.scores()) == num_players
    ranked = [seat for group in game.standings() for seat in group]
    assert sorted(ranked) == list(range(num_players))


def test_a_game_is_truncated():
    game = new_game(2, max_turns=5)
    while game.to_play is not None:
        game.play(*min(game.legal()))
    assert game.over == "truncated" and game.turn == 5
    assert game.legal() == set()


def test_an_illegal_action_changes_nothing():
    game = new_game(2)
    before = game.position()
    with pytest.raises(ValueError, match="not legal"):
        game.play("yes", 0)
    assert game.position() == before
