"""The observation, block by block, of a known position (US §1 to §6, U13)."""

import numpy as np
import pytest

from sprawl_env.core.state import FINISHED
from sprawl_env.games.urban_sprawl.constants import OFFICES, VOCATIONS, ZONES, Step
from sprawl_env.games.urban_sprawl.effect_verbs import Verb
from sprawl_env.games.urban_sprawl.features import CARD_FEATURES, Feature
from sprawl_env.games.urban_sprawl.observation import (
    AMOUNT_UNIT,
    BUILDING_UNIT,
    COPY_UNIT,
    COST_UNIT,
    LINE_UNIT,
    TILE_UNIT,
    VALUE_UNIT,
    planes,
)
from sprawl_env.games.urban_sprawl.rules.rails import rebuild_planning
from sprawl_env.games.urban_sprawl.tables import MAYORS_PARK
from tests.unit.games.urban_sprawl.position import (
    LINES,
    MARKERS,
    card_of,
    game_of,
    kind_of,
    legal,
    lot_of,
    play,
    position,
    run,
    step_of,
)

BUILDINGS = {"C3 right": ("COM", 1), "A1 TL": ("RES", 0), "F6 -TL": ("IND", None)}
HANDS = [{5: 2}, {3: 1, "renewal": 1}, {}]


@pytest.fixture(scope="module")
def drawn():
    """Return a position of 3 seats in seat 0's turn."""
    return position(
        3,
        buildings=BUILDINGS,
        wealth=[10, 25, 0],
        prestige=[15, 30, 150],
        hands=HANDS,
        planning=[6, None, "renewal", 0, 16],
        contracts=["House", None, "Bank"],
        tops={"city": "Hotel"},
        favors=[[], ["Clinic"]],
        offices={"mayor": 1, "boss": 2},
        vocations={2: {"MEDIA": 1, "ENERGY": 2}},
        markers={"prestige 6": "grey CD"},
        pawn=3,
        active_decks=("town", "city"),
    )


def block(drawn, seat, name):
    game, games = drawn
    return game.observation_layout.view(game.observe(games, 0, seat), name)


def sees(drawn, seat, name, expected):
    """Compare a whole block with ``{index: value}``; all other values are 0."""
    seen = block(drawn, seat, name)
    whole = np.zeros(seen.shape, np.float32)
    for index, value in expected.items():
        whole[index] = value
    assert seen == pytest.approx(whole), name


def test_every_number_of_the_layout_belongs_to_one_block(drawn):
    game, _ = drawn
    marks = np.zeros(game.observation_layout.size, np.float32)
    for name in game.observation_layout.blocks:
        game.observation_layout.view(marks, name)[...] += 1
    assert (marks == 1).all()


LOTS = {
    "C3 TR": ("COM", 2, 1),
    "C3 BR": ("COM", 2, 1),
    "A1 TL": ("RES", 1, 0),
    "F6 TR": ("IND", 3, None),
    "F6 BL": ("IND", 3, None),
    "F6 BR": ("IND", 3, None),
}


def test_lots_show_zone_size_and_extent(drawn):
    at = {lot_of(place): said for place, said in LOTS.items()}
    sees(drawn, 0, "zone", {(lot, ZONES.index(zone)): 1 for lot, (zone, _, _) in at.items()})
    sees(drawn, 0, "size", {lot: size / 4 for lot, (_, size, _) in at.items()})
    sees(drawn, 0, "right", {lot_of("F6 BL"): 1})
    sees(drawn, 0, "below", {lot_of("C3 TR"): 1, lot_of("F6 TR"): 1})
    assert block(drawn, 0, "empty").sum() == 144 - 6
    assert not block(drawn, 0, "empty")[list(at)].any()


@pytest.mark.parametrize("observer", range(3))
def test_controllers_are_counted_from_the_observer(drawn, observer):
    expected = {
        (lot_of(place), (owner - observer) % 3): 1
        for place, (_, _, owner) in LOTS.items()
        if owner is not None
    }
    sees(drawn, observer, "controls", expected)


def test_values_and_where_there_is_room(drawn):
    value = block(drawn, 1, "value")
    assert value[lot_of("A1 BR")] == pytest.approx(4 * VALUE_UNIT)
    assert value[lot_of("C3 TL")] == pytest.approx((6 + 6) * VALUE_UNIT)
    room = block(drawn, 1, "room")
    for place, allowed in (("C3", [0, 1, 0, 0]), ("A1", [0, 0, 0, 1]), ("F6", [0, 0, 1, 0])):
        assert room[:, lot_of(f"{place} TL") // 4].tolist() == allowed  # beside the building there
    assert room[:, lot_of("C5 TL") // 4].tolist() == [1] * 4
    assert (
        room[:, lot_of("E5 TL") // 4].tolist() == [1] * 4
    )  # its bottom right lot alone is near F6


def test_lines(drawn):
    numbers = (1, 4, 5, 6, 3, 2, 3, 1, 2)
    expected = {k: n / 12 for k, n in enumerate(numbers)}
    sees(drawn, 0, "number", expected | {LINES.index("grey CD"): 6 / 12})
    sees(drawn, 0, "pays_wealth", dict.fromkeys(range(6), 1))
    prestige = [*range(6, 9), LINES.index("grey CD")]
    sees(drawn, 0, "pays_prestige", dict.fromkeys(prestige, 1))
    own = ("column A", "rows 1-2", "grey AB", "grey 1")
    theirs = ("column C", "rows 3-4", "grey CD", "grey 3")
    held = {(LINES.index(line), 2): LINE_UNIT for line in own}
    sees(drawn, 1, "held", held | {(LINES.index(line), 0): LINE_UNIT for line in theirs})


def test_planning_cards(drawn):
    sees(drawn, 0, "there", {0: 1, 2: 1, 3: 1, 4: 1})
    sees(drawn, 0, "permits", {0: 2 / 4, 3: 1 / 4, 4: 4 / 4})
    sees(drawn, 0, "wealth_value", {0: 5 / 12, 3: 7 / 12, 4: 6 / 12})
    sees(drawn, 0, "ballot", {3: 1, 4: 1})
    sees(drawn, 0, "renewal", {2: 1})
    sees(drawn, 0, "takes", {k: (k + 1) * COST_UNIT for k in (0, 2, 3, 4)})
    zones = {(0, 0), (0, 1), (0, 3), *((3, zone) for zone in range(4)), (4, 0)}
    sees(drawn, 0, "for_zones", dict.fromkeys(zones, 1))


def test_contracts(drawn):
    sees(drawn, 0, "contract", {0: 1, 2: 1, 6: 1})
    sees(drawn, 1, "contract", {0: 1, 2: 1, 6: 1, 8: 1})  # its Favor too
    sees(drawn, 0, "cost", {0: COST_UNIT, 2: 3 * COST_UNIT, 6: 5 * COST_UNIT})
    sees(drawn, 1, "missing", {2: 2 / 4, 6: 2 / 4, 8: 1 / 4})  # a permit for RES only


@pytest.mark.parametrize("observer", range(3))
def test_seats_are_counted_from_the_observer(drawn, observer):
    def seen(name, values, half=0):
        """Unbounded amounts are mapped below 1."""
        expected = {(s - observer) % 3: v / (v + half) if v else 0 for s, v in enumerate(values)}
        sees(drawn, observer, name, expected)

    def seen_at(name, values):
        expected = {((s - observer) % 3, k): v for (s, k), v in values.items()}
        sees(drawn, observer, name, expected)

    seen("wealth", [10, 25, 0], 50)
    seen("prestige", [15, 30, 150], 150)
    seen("active", [1, 0, 0])
    seen("to_play", [1, 0, 0])
    seen_at("hand", {(0, 5): 2 * COPY_UNIT, (1, 3): COPY_UNIT, (1, 17): COPY_UNIT})
    whole = {(0, zone): 4 / 12 for zone in range(4)}
    seen_at("permit_sum", whole | {(1, 3): 1 / 9})
    held = {(2, VOCATIONS.index("MEDIA")): COPY_UNIT, (2, 3): 2 * COPY_UNIT}
    seen_at("vocations", held)
    seen_at("offices", {(1, OFFICES.index("mayor")): 1, (2, OFFICES.index("boss")): 1})
    seen_at("buildings", {(0, 3): BUILDING_UNIT, (1, 1): BUILDING_UNIT})


def test_turn_decks_and_supplies(drawn):
    game, games = drawn
    sees(drawn, 0, "decision", {Step.MAIN: 1})
    sees(drawn, 0, "turn", {0: 6 / 8, 1: 1, 2: 1})
    sizes = {deck: int(games.deck_size[0, deck]) / 37 for deck in range(3)}
    planning = int(games.planning_size[0]) / 54
    sees(drawn, 0, "decks", sizes | {3: 1, 5: planning})
    sees(drawn, 0, "in_play", dict.fromkeys(range(5), 1))
    sees(drawn, 0, "pawn", {3: 1})
    supply = {k: 1 for k, name in enumerate(MARKERS) if name != "prestige 6"}
    sees(drawn, 0, "markers", supply)
    left = {k: n * COPY_UNIT for k, n in enumerate((2, 2, 3, 1, 4, 4, 5, 0))}
    sees(drawn, 0, "vocations_left", left)
    tiles = block(drawn, 0, "tiles")
    assert tiles == pytest.approx(games.tiles[0] * TILE_UNIT)
    sees(drawn, 0, "discards", {})
    assert game.observation_size == len(game.observe(games, 0, 0))


def test_planes_put_the_lots_on_a_grid_of_12_by_12(drawn):
    game, games = drawn
    made = planes(game.observe(games, 0, 0), 3)
    assert made.shape[1:] == (12, 12)
    for place, row, column in (("C3 TR", 4, 5), ("C3 BR", 5, 5), ("A1 TL", 0, 0)):
        zone = ZONES.index(LOTS[place][0])
        assert made[zone, row, column] == 1
    assert made[: len(ZONES)].sum() == 6


def test_a_decision_of_a_build_shows_its_card():
    game, games = position(contracts=["Printer"], hands=[{0: 2}])
    play(game, games, "build 0")
    here = (game, games)
    sees(here, 0, "decision", {Step.FOOTPRINT: 1})
    text = block(here, 1, "meant_card")
    assert text[ZONES.index("IND")] == 1
    play(game, games, "site A3 TL", "permit 0")
    sees(here, 1, "decision", {Step.MARKER_GAIN: 1})
    sees(here, 1, "numbers", {0: 2 * AMOUNT_UNIT, 1: AMOUNT_UNIT})
    sees(here, 1, "meant", {lot_of("A3 TL"): 1})


# ---------------------------------------------------------------- contracts and Favors, as text


@pytest.mark.parametrize("observer", range(3))
def test_contracts_and_favors_are_shown_by_what_they_say(drawn, observer):
    features = drawn[0].tables[0].card_features
    text = dict.fromkeys(range(10), np.zeros(CARD_FEATURES))
    at = {0: "House", 2: "Bank", 6: "Hotel"} | ({8: "Clinic"} if observer == 1 else {})
    text |= {place: features[card_of(name)] for place, name in at.items()}
    seen = block(drawn, observer, "text")
    for place, expected in text.items():
        assert seen[place] == pytest.approx(expected)
    favors = block(drawn, observer, "favors")
    theirs = (1 - observer) % 3
    assert favors[theirs, 0] == pytest.approx(features[card_of("Clinic")])
    favors[theirs, 0] = 0
    assert not favors.any()


def test_a_second_favor_has_a_place_of_its_own():
    here = position(favors=[["Clinic", "Bank"]])
    features = here[0].tables[0].card_features
    assert block(here, 1, "favors")[1] == pytest.approx(
        features[[card_of("Clinic"), card_of("Bank")]]
    )
    assert block(here, 0, "contract").tolist() == [0] * 8 + [1, 1]
    assert block(here, 0, "cost").tolist() == [0] * 10
    assert block(here, 0, "text")[9] == pytest.approx(features[card_of("Bank")])


@pytest.mark.parametrize(
    ("hand", "missing"), [({}, 2), ({0: 1}, 1), ({0: 1, 5: 1}, 0), ({8: 2}, 2)]
)
def test_permits_that_the_observer_lacks(hand, missing):
    """The High School is CIV 2; kinds 0 and 5 are for all zones, kind 8 for COM."""
    here = position(contracts=["High School"], hands=[hand, {13: 1}])
    assert block(here, 0, "missing")[0] == missing / 4
    assert block(here, 1, "missing")[0] == 0


# ---------------------------------------------------------------- the decision

TARGETS = {
    "C3 right": ("COM", 1),
    "A1 TL": ("RES", 0),
    "F6 -TL": ("IND", None),
    "A3 TL": ("RES", 1),
}
BUILT = {"buildings": {**TARGETS, "B1 TL": ("RES", 0)}, "built": "B1 TL"}
SHOWS = {  # effect, drawn: step, verb, (about wealth, prestige), (amount, units or cards, permits)
    "a unit": (
        {"do": "gain", "what": "either", "amount": 2, "per": "building", "zones": ["RES"]},
        BUILT, Step.UNIT, "gain", (1, 1), (2, 3, 0),
    ),
    "a payer": (
        {"do": "pay", "what": "either", "amount": 20, "zones": ["RES"]},
        BUILT, Step.UNIT, "pay", (1, 1), (16, 1, 0),
    ),
    "a target": ({"do": "demolish"}, BUILT, Step.TARGET, "demolish", (1, 0), (0, 0, 0)),
    "a placement": (
        {"do": "place", "zone": "COM", "size": 1}, BUILT, Step.PLACE, "place", (1, 0), (0, 0, 0),
    ),
    "a zone to place": (
        {"do": "place", "zone": "chosen", "size": 1}, BUILT,
        Step.PLACE_ZONE, "place", (1, 0), (0, 0, 0),
    ),
    "a line": ({"do": "payout", "line": "row"}, BUILT, Step.PAID_LINE, "payout", (1, 0), (0, 0, 0)),
    "a new marker": (
        {"do": "new_marker", "marker": "chosen", "what": "prestige"},
        BUILT, Step.PICK_MARKER, "new_marker", (0, 1), (0, 0, 0),
    ),
    "a marker to move": (
        {"do": "move_marker", "what": "either"},
        {**BUILT, "markers": {"wealth 7": "grey 1"}},
        Step.PICK_MARKER, "move_marker", (1, 1), (0, 0, 0),
    ),
    "where a marker goes": (
        {"do": "new_marker", "number": 7, "what": "wealth"}, BUILT,
        Step.GREY, None, (0, 0), (0, 0, 0),
    ),
    "a row": (
        {"do": "gain", "what": "wealth", "amount": 1, "per": "building", "where": "row"},
        BUILT, Step.PICK_ROW, None, (0, 0), (0, 0, 0),
    ),
    "a zone": (
        {"do": "gain", "what": "wealth", "amount": 1, "per": "building", "zones": ["chosen"]},
        BUILT, Step.PICK_ZONE, None, (0, 0), (0, 0, 0),
    ),
    "an option": (
        {"do": "choose", "options": [{"do": "draw", "amount": 1}, {"do": "take"}]},
        BUILT, Step.OPTION, "choose", (1, 0), (0, 0, 0),
    ),
    "a bid": (
        {"do": "auction", "then": [{"do": "take"}]}, BUILT, Step.BID, "auction", (1, 0), (0, 0, 0),
    ),
    "an offer": (
        {"do": "optional", "what": "prestige", "amount": 5, "then": [{"do": "take"}]},
        BUILT, Step.ACCEPT, "optional", (0, 1), (5, 0, 0),
    ),
    "who is next": (
        {"do": "optional", "who": "each", "then": [{"do": "take"}]},
        BUILT, Step.NEXT_SEAT, None, (0, 0), (0, 0, 0),
    ),
    "a leader": (
        {"do": "gain", "who": "most_wealth", "what": "wealth", "amount": 1},
        BUILT, Step.LEADER, None, (0, 0), (0, 0, 0),
    ),
    "a victim": (
        {"do": "steal", "who": "chosen", "what": "prestige", "amount": 3},
        BUILT, Step.VICTIM, "steal", (0, 1), (3, 0, 0),
    ),
    "an office": (
        {"do": "election", "office": "chosen"}, BUILT,
        Step.PICK_OFFICE, "election", (1, 0), (0, 0, 0),
    ),
    "a vocation": (
        {"do": "score", "vocation": "chosen", "amount": 3},
        {**BUILT, "vocations": {0: {"ENERGY": 1}}},
        Step.PICK_VOCATION, "score", (1, 0), (3, 0, 0),
    ),
    "a discard": (
        {"do": "discard", "amount": 2}, {**BUILT, "hands": [{0: 1, 5: 3}]},
        Step.DISCARD, "discard", (1, 0), (2, 2, 0),
    ),
    "a free card": (
        {"do": "free_card"}, {**BUILT, "planning": [5, 6]}, Step.FREE_CARD, None, (0, 0), (0, 0, 0),
    ),
    "a disaster": (
        {"do": "disaster", "zones": ["RES"], "what": "prestige", "amount": 2},
        {**BUILT, "prestige": 1}, Step.DISASTER, "disaster", (0, 1), (2, 0, 0),
    ),
    "a headline": (
        {"do": "gain", "who": "controller", "what": "prestige", "amount": 4, "per": "building",
         "zones": ["RES"], "extreme": "highest"},
        {"buildings": {"A1 TL": ("RES", 0), "A1 TR": ("RES", 1)}},
        Step.HEADLINE, "gain", (0, 1), (4, 0, 0),
    ),
    "a tie": (
        {"do": "election", "office": "mayor"},
        {**BUILT, "vocations": {0: {"ENERGY": 1}, 1: {"MEDIA": 1}}},
        Step.WINNER, None, (0, 0), (0, 0, 0),
    ),
    "the Mayor's park": (
        {"do": "election", "office": "mayor"}, {**BUILT, "vocations": {0: {"ENERGY": 1}}},
        Step.PLACE, None, (0, 0), (0, 0, 0),
    ),
    "a marker of a vocation": (
        {"do": "score", "vocation": "ENERGY", "amount": 3},
        {**BUILT, "vocations": {0: {"ENERGY": 2}}},
        Step.MARKER_GAIN, None, (0, 0), (3, 2, 0),
    ),
    "from whom": (
        {"do": "vocation", "vocation": "MEDIA"}, {**BUILT, "vocations": {1: {"MEDIA": 1}}},
        Step.VOCATION_FROM, None, (0, 0), (0, 0, 0),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", SHOWS)
def test_a_decision_shows_its_step_its_verb_and_its_numbers(what):
    effect, more, step, verb, money, numbers = SHOWS[what]
    here = run(effect, event="built" not in more, **more)
    while step_of(here[1]) == Step.NEXT_SEAT != step:
        play(*here, min(legal(*here)))
    for observer in (0, 1):
        sees(here, observer, "decision", {step: 1})
        sees(here, observer, "verb", {Verb[verb.upper()]: 1} if verb else {})
        assert block(here, observer, "money").tolist() == list(money)
        first, second, permits = numbers
        expected = [first * AMOUNT_UNIT, second * AMOUNT_UNIT, permits / 4]
        assert block(here, observer, "numbers") == pytest.approx(expected)


def test_every_decision_that_an_effect_can_ask_is_among_them():
    """Claims, turns and builds have their own tests; saving and moving follow a target."""
    others = {Step.CLAIM, Step.MAIN, Step.FOOTPRINT, Step.PERMITS, Step.SAVE, Step.MOVE_TO}
    told = {step for _, _, step, *_ in SHOWS.values()}
    assert told | others == {step for step in Step if step <= Step.HEADLINE}


def test_numbers_of_a_decision_stay_below_one():
    effect = {"do": "lose", "what": "either", "amount": 99}
    assert block(run(effect), 0, "numbers")[0] == 1
    effect = {"do": "score", "vocation": "ENERGY", "amount": 99}
    assert block(run(effect, vocations={0: {"ENERGY": 1}}), 0, "numbers")[0] == 1


def test_a_bid_shows_the_highest_so_far():
    game, games = run({"do": "auction", "then": [{"do": "draw", "amount": 1}]})
    play(game, games, "bid 7")
    assert block((game, games), 0, "numbers").tolist() == [0, 7 * AMOUNT_UNIT, 0]


def test_the_building_that_may_be_saved_or_moves_is_meant():
    save = {"do": "demolish", "save_what": "wealth", "save_amount": 1}
    for effect, step in ((save, Step.SAVE), ({"do": "move", "owner": "others"}, Step.MOVE_TO)):
        here = run(effect, **BUILT)
        sees(here, 0, "meant", {lot_of("B1 TL"): 1})  # until then the contract just built
        play(*here, "site C3 TR")
        assert step_of(here[1]) == step
        sees(here, 0, "decision", {step: 1})
        sees(here, 1, "meant", {lot_of("C3 TR"): 1, lot_of("C3 BR"): 1})
        sees(here, 1, "verb", {Verb[effect["do"].upper()]: 1})


def test_nothing_is_meant_in_a_turn_or_by_an_event():
    here = position(**BUILT)
    sees(here, 0, "meant", {})
    sees(here, 0, "meant_card", {})
    sees(here, 0, "decision", {Step.MAIN: 1})
    here = run({"do": "demolish"}, event=True, buildings=TARGETS)
    sees(here, 0, "meant", {})
    sees(here, 0, "meant_card", {})


def test_permits_paid_for_the_contract_in_hand():
    here = position(contracts=["Ranch"], hands=[{0: 3, 5: 1}])
    ranch = here[0].tables[0].card_features[card_of("Ranch")]
    play(*here, "build 0")
    assert block(here, 1, "meant_card") == pytest.approx(ranch)
    play(*here, "site A3")
    for paid in (0, 1, 2):
        sees(here, 0, "decision", {Step.PERMITS: 1})
        assert block(here, 0, "numbers").tolist() == [0, 0, paid / 4]
        assert block(here, 0, "meant_card") == pytest.approx(ranch)
        play(*here, "permit 0")
    first = lot_of("A3 TL")
    sees(here, 0, "meant", dict.fromkeys(range(first, first + 4), 1))
    play(*here, "permit 5")


def test_an_effect_shows_the_contract_just_built():
    here = run({"do": "demolish"}, **BUILT)
    villa = here[0].tables[0].card_features[card_of("Villa")]
    assert block(here, 1, "meant_card") == pytest.approx(villa)


def test_claims_show_no_card_and_no_building():
    game = game_of(2)
    here = game, game.deal(1, seed=0)
    sees(here, 1, "decision", {Step.CLAIM: 1})
    for name in ("meant", "meant_card", "verb", "money", "numbers"):
        sees(here, 0, name, {})
    assert block(here, 0, "decks").tolist() == pytest.approx(
        [31 / 37, 1, 1, 0, 0, 42 / 54, 14 / 54, 0]
    )


def test_once_over_no_decision_is_shown():
    here = run({"do": "end_game"}, event=True, **BUILT)
    assert here[1].over[0] == FINISHED
    for name in ("decision", "verb", "money", "numbers", "meant", "meant_card", "to_play"):
        sees(here, 0, name, {})


def test_the_mayors_park_is_no_card_of_the_data():
    assert MAYORS_PARK == 0
    assert game_of().tables[0].event_first[0] > MAYORS_PARK


# ---------------------------------------------------------------- turn, decks, discards


def test_the_turn_as_it_goes_on():
    here = position(**BUILT, points=3)
    sees(here, 0, "turn", {0: 3 / 8})  # a contract is built, investments are over
    here = position(active=1, points=8, turn=37)
    sees(here, 0, "turn", {0: 1, 1: 1, 2: 1, 3: 37 / 100})
    here[1].points[0], here[1].turn[0] = 20, 299
    assert block(here, 0, "turn").tolist() == [1, 1, 1, 1, 0]
    assert block(here, 0, "active").tolist() == [0, 1]
    assert block(here, 1, "to_play").tolist() == [1, 0]


def test_who_decides_need_not_be_whose_turn_it_is():
    here = run({"do": "pay", "what": "either", "amount": 1, "zones": ["RES"]}, **BUILT)
    assert here[1].to_play[0] == 1
    for observer, active, to_play in ((0, [1, 0], [0, 1]), (1, [0, 1], [1, 0])):
        assert block(here, observer, "active").tolist() == active
        assert block(here, observer, "to_play").tolist() == to_play


def test_an_event_that_is_executed_shows():
    here = position(
        planning=[5, 5, 5, 6],
        planning_deck=["Flood"],
        contracts=["House", "Bank", "Clinic", "Dam", "Ranch"],
        buildings={"A1 TL": ("RES", 0)},
    )
    play(*here, "decline")
    sees(here, 1, "decision", {Step.DISASTER: 1})
    sees(here, 1, "turn", {2: 1, 4: 1})


@pytest.mark.parametrize(
    ("active", "flags"),
    [(("town",), [0, 0]), (("town", "city"), [1, 0]), (("town", "city", "metropolis"), [1, 1])],
)
def test_decks_left_and_active(active, flags):
    game, games = position(active_decks=active)
    games.deck_size[0] = [5, 17, 29]
    games.planning_size[0], games.no_events[0] = 20, 7
    seen = block((game, games), 1, "decks")
    assert seen.tolist() == pytest.approx([5 / 37, 17 / 37, 29 / 37, *flags, 20 / 54, 7 / 54, 0])


def test_discards_by_kind_then_the_events():
    here = position(discards=[5, 5, 16, "renewal", "Luxury Tax", "Moving Day"])
    expected = {5: 2 * COPY_UNIT, 16: COPY_UNIT, 17: COPY_UNIT, 18: 1, kind_of("Moving Day"): 1}
    sees(here, 1, "discards", expected)


def test_supplies_follow_what_is_taken_from_them():
    game, games = position(markers={"wealth 12": "grey 6"}, vocations={1: {"FACTORY": 3}})
    here = game, games
    games.tiles[0, 2, 3] = 1
    assert block(here, 0, "tiles")[2, 3] == pytest.approx(TILE_UNIT)
    assert block(here, 0, "markers").tolist() == [1] * 5 + [0] + [1] * 3
    left = block(here, 0, "vocations_left")
    assert left[VOCATIONS.index("FACTORY")] == pytest.approx(COPY_UNIT)


def test_offices_in_play_though_nobody_holds_them():
    sees(position(), 0, "in_play", {0: 1})
    sees(position(contractor=True), 0, "in_play", {0: 1, 5: 1})
    sees(position(contractor=True), 0, "offices", {})
    here = position(offices={"contractor": 1})
    sees(here, 1, "offices", {(0, 5): 1})
    sees(here, 0, "pawn", {0: 1})


def test_where_a_building_goes_on():
    here = position(buildings={"B2": ("CIV", 0), "D4 top": ("COM", 1), "E5 -BR": ("RES", 0)})
    sees(here, 0, "right", {lot_of(f"{p}"): 1 for p in ("B2 TL", "B2 BL", "D4 TL", "E5 TL")})
    sees(here, 0, "below", {lot_of(f"{p}"): 1 for p in ("B2 TL", "B2 TR", "E5 TL")})
    size = {lot_of(f"B2 {corner}"): 1 for corner in ("TL", "TR", "BL", "BR")}
    size |= {lot_of(f"D4 {corner}"): 2 / 4 for corner in ("TL", "TR")}
    sees(here, 0, "size", size | {lot_of(f"E5 {corner}"): 3 / 4 for corner in ("TL", "TR", "BL")})


# ---------------------------------------------------------------- card features

SAYS = {  # non-zero numbers, by group and index in the group
    "High School": {
        ("ZONE", 0): 1, ("SIZE", 0): 2 / 4, ("PRESTIGE", 0): 3 / 6, ("VOCATIONS", 2): 3 / 8,
        ("LIMITS", 2): 1,
    },
    "Barber Shop": {
        ("ZONE", 1): 1, ("SIZE", 0): 1 / 4, ("PRESTIGE", 0): 2 / 6, ("LIMITS", 2): 1,
        ("ONCE", 0): 2 / 8, ("ONCE", 1): 2 / 8,
    },
    "Gravel Pit": {
        ("ZONE", 2): 1, ("SIZE", 0): 3 / 4, ("PRESTIGE", 0): 2 / 6, ("VOCATIONS", 5): 1 / 8,
        ("LIMITS", 2): 9 / 25, ("ONCE", 0): 6 / 8, ("DOES", 0): 1 / 8,
        ("PER_ALL", 5 + 3): -1 / 4,  # prestige, for each RES
    },
    "Villa": {
        ("ZONE", 3): 1, ("SIZE", 0): 1 / 4, ("PRESTIGE", 0): 2 / 6, ("LIMITS", 2): 1,
        ("NEXT_TO", 4): 1, ("NEXT_TO", 5): 1, ("NEXT_TO", 6): 1, ("ONCE", 1): 2 / 8,
    },
    "Bank": {
        ("ZONE", 1): 1, ("SIZE", 0): 2 / 4, ("VOCATIONS", 0): 4 / 8, ("LIMITS", 1): 6 / 25,
        ("LIMITS", 2): 1,
    },
    "Landfill": {
        ("ZONE", 2): 1, ("SIZE", 0): 3 / 4, ("LIMITS", 0): 1, ("LIMITS", 2): 1, ("ONCE", 0): 1,
        ("DOES", 0): 1 / 8, **{("PER_ALL", 5 + zone): -1 / 4 for zone in range(5)},
    },
    "Rail Yard": {
        ("ZONE", 2): 1, ("SIZE", 0): 3 / 4, ("VOCATIONS", 1): 3 / 8, ("VOCATIONS", 5): 2 / 8,
        ("LIMITS", 2): 1, ("PER_OWN", 2): 1 / 4, ("PER_OWN", 1): 1 / 4,
    },
    "Marina": {
        ("ZONE", 3): 1, ("SIZE", 0): 1, ("LIMITS", 2): 1, ("LIMITS", 4): 1, ("PAID", 3): 1,
    },
    "Skyscraper": {
        ("ZONE", 1): 1, ("SIZE", 0): 1, ("PRESTIGE", 0): 1, ("LIMITS", 2): 1, ("LIMITS", 3): 1,
        ("ONCE", 0): 1 / 8, ("DOES", 2): 1 / 8,
    },
    "University": {
        ("ZONE", 0): 1, ("SIZE", 0): 1, ("PRESTIGE", 0): 2 / 6, ("VOCATIONS", 2): 5 / 8,
        ("LIMITS", 2): 1, ("PER_ALL", 5 + 0): 1, ("PER_ALL", 5 + 3): 1,
    },
    "Textile Mill": {
        ("ZONE", 2): 1, ("SIZE", 0): 2 / 4, ("PRESTIGE", 0): 1 / 6, ("VOCATIONS", 5): 2 / 8,
        ("NEXT_TO", 2): 1, ("NEXT_TO", 5): 1, ("LIMITS", 2): 1, ("PER_OWN", 3): 1 / 4,
    },
    "Convention Center": {
        ("ZONE", 1): 1, ("SIZE", 0): 1, ("LIMITS", 2): 1, ("DOES", 1): 1 / 8, ("DOES", 3): 1 / 8,
        ("ONCE", 1): 1 / 8,
    },
    "Incinerator": {
        ("ZONE", 2): 1, ("SIZE", 0): 2 / 4, ("LIMITS", 2): 1, ("ONCE", 0): 7 / 8,
        ("DOES", 4): 1 / 8,
    },
    "Federal Courthouse": {
        ("ZONE", 0): 1, ("SIZE", 0): 2 / 4, ("PRESTIGE", 0): 2 / 6, ("LIMITS", 2): 1,
        ("DOES", 0): 2 / 8, ("DOES", 5): 1 / 8,
    },
    "Recycling Center": {
        ("ZONE", 2): 1, ("SIZE", 0): 1 / 4, ("LIMITS", 2): 1, ("DOES", 6): 3 / 8,
        ("ONCE", 1): 1 / 8,
    },
    "Union Station": {
        ("ZONE", 0): 1, ("SIZE", 0): 3 / 4, ("PRESTIGE", 0): 3 / 6, ("VOCATIONS", 1): 5 / 8,
        ("LIMITS", 2): 1, ("DOES", 7): 3 / 8, **{("PER_OWN", zone): 1 / 4 for zone in range(5)},
    },
    "Radio Station": {
        ("ZONE", 1): 1, ("SIZE", 0): 1 / 4, ("VOCATIONS", 7): 6 / 8, ("LIMITS", 2): 1,
        ("DOES", 8): 1 / 8,
    },
    "Art Museum": {
        ("ZONE", 0): 1, ("SIZE", 0): 2 / 4, ("PRESTIGE", 0): 3 / 6, ("NEXT_TO", 0): 1,
        ("NEXT_TO", 4): 1, ("LIMITS", 2): 1, ("ONCE", 1): 2 / 8, ("DOES", 9): 1 / 8,
    },
    "Kindergarten": {
        ("ZONE", 3): 1, ("SIZE", 0): 1 / 4, ("VOCATIONS", 2): 1 / 8, ("NEXT_TO", 3): 1,
        ("NEXT_TO", 7): 1, ("LIMITS", 2): 1, ("PER_OWN", 5 + 3): 1 / 4,
    },
}  # fmt: skip


@pytest.mark.parametrize("name", SAYS)
def test_what_a_card_says_in_numbers(name):
    """README, "Card features"."""
    expected = np.zeros(CARD_FEATURES, np.float32)
    for (kind, k), value in SAYS[name].items():
        expected[Feature[kind] + k] = value
    said = game_of().tables[0].card_features[card_of(name)]
    differs = {int(k): float(said[k]) for k in np.flatnonzero(~np.isclose(said, expected))}
    assert not differs


def test_events_say_nothing_and_no_number_passes_one():
    t = game_of().tables[0]
    assert not t.card_features[t.card_zone < 0].any()
    assert np.abs(t.card_features).max() == 1


# ---------------------------------------------------------------- what is public and not shown


def after(*words, **drawn):
    """Draw a position and play answers in it."""
    here = position(**drawn)
    play(*here, *words)
    return here


def answered(effect, *words, **drawn):
    """Run an effect and play answers to it."""
    here = run(effect, **drawn)
    play(*here, *words)
    return here


TIED = {"num_players": 3, "in_play": 31, "buildings": {
    f"C{row} {corner}": (zone, seat)
    for seat, row in ((1, 1), (2, 2))
    for corner, zone in (("TL", "CIV"), ("TR", "COM"))
}}  # fmt: skip
PUBLIC = {
    "the marker to be put": lambda k: run(
        {"do": "new_marker", "number": (7, 12)[k], "what": "wealth"}
    ),
    "the footprint chosen": lambda k: after(
        "build 0", ("site A3 TL", "site A4 TL")[k], contracts=["House"], hands=[{0: 1}]
    ),
    "the zone to be placed": lambda k: answered(
        {"do": "place", "zone": "chosen", "size": 1}, ("zone CIV", "zone RES")[k]
    ),
    "the office of a tie": lambda k: run(
        {"do": "election", "office": ("attorney", "treasurer")[k]}, **TIED
    ),
    "the vocation to be taken": lambda k: run(
        {"do": "vocation", "vocation": ("ENERGY", "FACTORY")[k]},
        vocations={1: {"ENERGY": 3, "FACTORY": 4}},
    ),
    "what saving a building costs": lambda k: answered(
        {"do": "demolish", "save_what": ("wealth", "prestige")[k], "save_amount": 3 + k},
        "site C3 TR",
        buildings=TARGETS,
    ),
}


@pytest.mark.parametrize("what", PUBLIC)
def test_what_is_public_about_a_decision_is_seen(what):
    one, other = (PUBLIC[what](k) for k in (0, 1))
    assert step_of(one[1]) == step_of(other[1])
    seen = [game.observe(games, 0, 0).tobytes() for game, games in (one, other)]
    assert seen[0] != seen[1]


ABOUT = {
    "the marker to be put": ("meant_marker", (0, 5)),
    "the zone to be placed": ("meant_zone", (0, 3)),
    "the office of a tie": ("meant_office", (1, 2)),
    "the vocation to be taken": (
        "meant_vocation",
        tuple(map(VOCATIONS.index, ("ENERGY", "FACTORY"))),
    ),
}


@pytest.mark.parametrize("what", ABOUT)
def test_what_a_question_is_about_is_one_number_of_its_block(what):
    name, places = ABOUT[what]
    for k, place in enumerate(places):
        drawn = PUBLIC[what](k)
        assert np.flatnonzero(block(drawn, 0, name)).tolist() == [place]
        for other, _ in ABOUT.values():
            if other != name:
                assert not block(drawn, 0, other).any()


@pytest.mark.parametrize("k", [0, 1])
def test_the_footprint_chosen_is_meant_while_permits_are_paid(k):
    lots = np.flatnonzero(block(PUBLIC["the footprint chosen"](k), 0, "meant"))
    assert lots.tolist() == [lot_of(("A3 TL", "A4 TL")[k])]


@pytest.mark.parametrize("k", [0, 1])
def test_the_price_of_saving_a_building_is_told_instead_of_the_effect(k):
    drawn = PUBLIC["what saving a building costs"](k)
    assert block(drawn, 0, "money").tolist() == [1 - k, k]
    assert block(drawn, 0, "numbers")[0] == pytest.approx((3 + k) / 16)


def test_that_the_planning_deck_was_rebuilt_is_seen():
    game, games = position(hands=[{0: 1}], planning=[None] * 5, discards=[1], only_planning=True)
    assert block((game, games), 0, "decks")[-1] == 0
    rebuild_planning(games[0])
    assert block((game, games), 0, "decks")[-1] == 1
