"""The observation, block by block, of a known position (US §1 to §6, U13)."""

from pathlib import Path

import numpy as np
import pytest

from sprawl_env.core.state import FINISHED, NOT_OVER
from sprawl_env.games import urban_sprawl
from sprawl_env.games.urban_sprawl.constants import (
    FIRST_EVENT,
    OFFICES,
    VOCATIONS,
    ZONES,
)
from sprawl_env.games.urban_sprawl.effect_verbs import Verb
from sprawl_env.games.urban_sprawl.layout import CARD_LAYOUT, NUM_CARD_FEATURES, least_of_steps
from sprawl_env.games.urban_sprawl.observation import in_steps, planes
from sprawl_env.games.urban_sprawl.rules.rails import rebuild_planning
from sprawl_env.games.urban_sprawl.steps import (
    Step,
)
from sprawl_env.games.urban_sprawl.tables import MAYORS_PARK
from sprawl_env.kernels.compile import JIT, kernel
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


@kernel
def rebuild(games):
    """Rebuild the planning deck of game 0."""
    rebuild_planning(games[0])


def numbers_of(drawn, seat):
    """Return what a seat sees as whole numbers."""
    game, games = drawn
    return game.observe(games, 0, seat, np.full(game.observation_size, 99, np.int8))


def block(drawn, seat, name):
    """Return a block of what a seat sees, as whole numbers."""
    return drawn[0].observation_layout.view(numbers_of(drawn, seat), name)


def cards(drawn, seat, group):
    """Return all blocks of a group of card features, one after the other, ``[..., features]``."""
    found = [block(drawn, seat, f"{group}_{name}") for name in CARD_LAYOUT.blocks]
    return np.concatenate(found, axis=-1)


def sees(drawn, seat, name, expected):
    """Compare a whole block with ``{index: value}``; all other values are 0."""
    seen = block(drawn, seat, name)
    whole = np.zeros(seen.shape, int)
    for index, value in expected.items():
        whole[index] = value
    assert seen.tolist() == whole.tolist(), name


SCALES = {  # one of a block's units as float32; 1 for the others
    **dict.fromkeys(("building_size", "permits", "missing", "permits_paid"), 1 / 4),
    "value": 1 / 40,
    **dict.fromkeys(("number", "wealth_value"), 1 / 12),
    "points": 1 / 8,
    **dict.fromkeys(("held", "buildings"), 1 / 48),
    **dict.fromkeys(("takes", "cost"), 1 / 20),
    **dict.fromkeys(
        [
            block + above
            for block in ("wealth", "prestige", "permit_sum")
            for above in ("", "_above")
        ],
        1 / 127,
    ),
    **dict.fromkeys(("hand", "vocations", "vocations_left", "discards"), 1 / 9),
    "amounts": 1 / 16,
    "turns": 1 / 100,
    "contracts_left": 1 / 37,
    "planning_left": 1 / 54,
    "tiles": 1 / 99,
    **{
        f"{group}_{name}": scale
        for group in ("card", "favor", "other_favor", "meant_card")
        for name, scale in {
            "size": 1 / 4,
            "prestige": 1 / 6,
            "vocations": 1 / 8,
            "value": 1 / 25,
            "does": 1 / 8,
            "once": 1 / 8,
            "per_own": 1 / 4,
            "per_all": 1 / 4,
            "paid": 1 / 4,
        }.items()
    },
}


def test_scales_of_the_blocks(drawn):
    found = {name: b.scale for name, b in drawn[0].observation_layout.blocks.items()}
    assert {name: scale for name, scale in found.items() if scale != 1} == SCALES


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_float32_is_the_whole_number_times_the_scale_and_lies_in_minus_1_to_1(seats):
    """Positions of random games, seen by all seats."""
    game = game_of(seats)
    games = game.deal(1, seed=seats)
    rng = np.random.default_rng(seats)
    scales, views = game.observation_layout.scales, 0
    while views < (334 if JIT else 40):
        if games.over[0] != NOT_OVER:
            games = game.deal(1, seed=views)
        for _ in range(5):
            if games.over[0] == NOT_OVER:
                game.play(games, 0, int(rng.choice(np.flatnonzero(game.legal_actions(games)))))
        for seat in range(seats):
            whole, views = numbers_of((game, games), seat), views + 1
            floats = game.observe(games, 0, seat)
            assert floats.tobytes() == (whole.astype(np.float32) * scales).tobytes()
            assert np.abs(floats).max() <= 1


FULL = {  # fields at their limits, beyond what a packaged game reaches
    "wealth": 2**14,
    "prestige": 2**14,
    "points": 127,
    "turn": 2000,
    "hand": 9,
    "controls": 127,
    "vocations": 9,
    "vocations_left": 9,
    "tiles": 99,
    "deck_size": 37,
    "planning_size": 54,
    "no_events": 54,
    "planning_discards": 1,
}


def test_no_amount_wraps_however_large():
    game, games = position()
    for field, value in FULL.items():
        games[field] = value
    for seat in (0, 1):
        numbers = numbers_of((game, games), seat)
        assert numbers.min() == 0
        assert np.abs(game.observation_layout.to_floats(numbers)).max() <= 1


@pytest.mark.parametrize("half", [8, 50, 150])
def test_steps_are_whole_and_ordered_over_the_whole_range(half):
    steps = [in_steps(amount, half) for amount in range(2**14)]
    assert steps == [127 * amount // (amount + half) for amount in range(2**14)]
    assert (steps[0], steps[half], max(steps)) == (0, 63, steps[-1])
    assert max(steps) < 127


@pytest.mark.parametrize(("half", "most"), [(8, 250), (50, 700), (150, 1100)])
def test_a_step_and_what_is_above_its_least_amount_tell_the_amount(half, most):
    least = least_of_steps(half)
    amounts = np.arange(2**14)
    steps = np.array([in_steps(amount, half) for amount in amounts])
    assert (least[steps] <= amounts).all()
    assert (least[steps[1:]] > amounts[:-1])[steps[1:] != steps[:-1]].all()
    assert (amounts - least[steps])[: most + 1].max() <= 127


def test_starts_of_two_games_do_not_depend_on_each_other():
    """The layout is a function of the number of seats alone."""
    two, four = game_of(2), game_of(4)
    starts = two.tables[0].at.tobytes()
    assert two.rules.layout(two.tables, 4).size == four.observation_size
    assert two.tables[0].at.tobytes() == starts


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
    sees(drawn, 0, "building_size", {lot: size for lot, (_, size, _) in at.items()})
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
    assert value[lot_of("A1 BR")] == 4
    assert value[lot_of("C3 TL")] == 6 + 6
    room = block(drawn, 1, "room")
    for place, allowed in (("C3", [0, 1, 0, 0]), ("A1", [0, 0, 0, 1]), ("F6", [0, 0, 1, 0])):
        assert room[:, lot_of(f"{place} TL") // 4].tolist() == allowed  # beside the building there
    assert room[:, lot_of("C5 TL") // 4].tolist() == [1] * 4
    assert (
        room[:, lot_of("E5 TL") // 4].tolist() == [1] * 4
    )  # its bottom right lot alone is near F6


def test_lines(drawn):
    numbers = (1, 4, 5, 6, 3, 2, 3, 1, 2)
    sees(drawn, 0, "number", dict(enumerate(numbers)) | {LINES.index("grey CD"): 6})
    sees(drawn, 0, "pays_wealth", dict.fromkeys(range(6), 1))
    prestige = [*range(6, 9), LINES.index("grey CD")]
    sees(drawn, 0, "pays_prestige", dict.fromkeys(prestige, 1))
    own = ("column A", "rows 1-2", "grey AB", "grey 1")
    theirs = ("column C", "rows 3-4", "grey CD", "grey 3")
    held = {(LINES.index(line), 2): 1 for line in own}
    sees(drawn, 1, "held", held | {(LINES.index(line), 0): 1 for line in theirs})


def test_planning_cards(drawn):
    sees(drawn, 0, "there", {0: 1, 2: 1, 3: 1, 4: 1})
    sees(drawn, 0, "permits", {0: 2, 3: 1, 4: 4})
    sees(drawn, 0, "wealth_value", {0: 5, 3: 7, 4: 6})
    sees(drawn, 0, "ballot", {3: 1, 4: 1})
    sees(drawn, 0, "renewal", {2: 1})
    sees(drawn, 0, "takes", {k: k + 1 for k in (0, 2, 3, 4)})
    zones = {(0, 0), (0, 1), (0, 3), *((3, zone) for zone in range(4)), (4, 0)}
    sees(drawn, 0, "for_zones", dict.fromkeys(zones, 1))


def test_contracts(drawn):
    sees(drawn, 0, "offered", {0: 1, 2: 1, 6: 1})
    sees(drawn, 1, "offered", {0: 1, 2: 1, 6: 1, 8: 1})  # its Favor too
    sees(drawn, 0, "cost", {0: 1, 2: 3, 6: 5})
    sees(drawn, 1, "missing", {2: 2, 6: 2, 8: 1})  # a permit for RES only


@pytest.mark.parametrize("observer", range(3))
def test_seats_are_counted_from_the_observer(drawn, observer):
    def seen(name, values):
        expected = {((s - observer) % 3,): v for s, v in enumerate(values)}
        sees(drawn, observer, name, expected)

    def seen_at(name, values):
        expected = {((s - observer) % 3, k): v for (s, k), v in values.items()}
        sees(drawn, observer, name, expected)

    seen("wealth", [127 * 10 // 60, 127 * 25 // 75, 0])
    seen("wealth_above", [0, 0, 0])
    seen("prestige", [127 * 15 // 165, 127 * 30 // 180, 63])
    seen("prestige_above", [0, 0, 150 - 148])  # 148 is the least with 63 steps
    seen("active", [1, 0, 0])
    seen("to_play", [1, 0, 0])
    seen_at("hand", {(0, 5): 2, (1, 3): 1, (1, 17): 1})
    steps = {(0, zone): 127 * 4 // 12 for zone in range(4)}
    seen_at("permit_sum", steps | {(1, 3): 127 // 9})
    seen_at("permit_sum_above", {})
    held = {(2, VOCATIONS.index("MEDIA")): 1, (2, 3): 2}
    seen_at("vocations", held)
    seen_at("offices", {(1, OFFICES.index("mayor")): 1, (2, OFFICES.index("boss")): 1})
    seen_at("buildings", {(0, 3): 1, (1, 1): 1})


def test_turn_decks_and_supplies(drawn):
    game, games = drawn
    sees(drawn, 0, "decision", {Step.MAIN: 1})
    sees_turn(drawn, 0, points=6, investing=1, nothing_built=1)
    sees(drawn, 0, "contracts_left", dict(enumerate(games.deck_size[0].tolist())))
    sees(drawn, 0, "active_decks", {0: 1})
    sees(drawn, 0, "planning_left", {0: int(games.planning_size[0])})
    sees(drawn, 0, "rebuilt", {})
    sees(drawn, 0, "in_play", dict.fromkeys(range(5), 1))
    sees(drawn, 0, "pawn", {3: 1})
    supply = {k: 1 for k, name in enumerate(MARKERS) if name != "prestige 6"}
    sees(drawn, 0, "markers", supply)
    sees(drawn, 0, "vocations_left", dict(enumerate((2, 2, 3, 1, 4, 4, 5, 0))))
    assert block(drawn, 0, "tiles").tolist() == games.tiles[0].tolist()
    sees(drawn, 0, "discards", {})
    sees(drawn, 0, "events_discarded", {})
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
    sees(here, 1, "meant_card_zone", {ZONES.index("IND"): 1})
    play(game, games, "site A3 TL", "permit 0")
    sees(here, 1, "decision", {Step.MARKER_GAIN: 1})
    sees(here, 1, "amounts", {0: 2, 1: 1})
    sees(here, 1, "meant", {lot_of("A3 TL"): 1})


# ---------------------------------------------------------------- contracts and Favors, as text


@pytest.mark.parametrize("observer", range(3))
def test_contracts_and_favors_are_shown_by_what_they_say(drawn, observer):
    features = drawn[0].tables[0].card_features
    at = {0: "House", 2: "Bank", 6: "Hotel"} | ({8: "Clinic"} if observer == 1 else {})
    for place, seen in enumerate(cards(drawn, observer, "card")):
        name = at.get(place)
        assert seen.tolist() == (features[card_of(name)].tolist() if name else [0] * len(seen))
    favors = cards(drawn, observer, "favor")
    theirs = (1 - observer) % 3
    assert favors[theirs].tolist() == features[card_of("Clinic")].tolist()
    favors[theirs] = 0
    assert not favors.any()
    assert not cards(drawn, observer, "other_favor").any()


def test_a_second_favor_has_a_place_of_its_own():
    here = position(favors=[["Clinic", "Bank"]])
    features = here[0].tables[0].card_features
    for group, name in (("favor", "Clinic"), ("other_favor", "Bank")):
        seen = cards(here, 1, group)
        assert seen[1].tolist() == features[card_of(name)].tolist()
        assert not seen[0].any()
    assert block(here, 0, "offered").tolist() == [0] * 8 + [1, 1]
    assert block(here, 0, "cost").tolist() == [0] * 10
    assert cards(here, 0, "card")[9].tolist() == features[card_of("Bank")].tolist()


@pytest.mark.parametrize(
    ("hand", "missing"), [({}, 2), ({0: 1}, 1), ({0: 1, 5: 1}, 0), ({8: 2}, 2)]
)
def test_permits_that_the_observer_lacks(hand, missing):
    """The High School is CIV 2; kinds 0 and 5 are for all zones, kind 8 for COM."""
    here = position(contracts=["High School"], hands=[hand, {13: 1}])
    assert block(here, 0, "missing")[0] == missing
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
        *amounts, permits = numbers
        assert block(here, observer, "amounts").tolist() == amounts
        assert block(here, observer, "permits_paid").tolist() == [permits]


def test_every_decision_that_an_effect_can_ask_is_among_them():
    """Claims, turns and builds have their own tests; saving and moving follow a target."""
    others = {Step.CLAIM, Step.MAIN, Step.FOOTPRINT, Step.PERMITS, Step.SAVE, Step.MOVE_TO}
    told = {step for _, _, step, *_ in SHOWS.values()}
    assert told | others == {step for step in Step if step <= Step.HEADLINE}


def test_amounts_of_a_decision_are_shown_up_to_16():
    effect = {"do": "lose", "what": "either", "amount": 99}
    assert block(run(effect), 0, "amounts")[0] == 16
    effect = {"do": "score", "vocation": "ENERGY", "amount": 99}
    assert block(run(effect, vocations={0: {"ENERGY": 1}}), 0, "amounts")[0] == 16


def test_a_bid_shows_the_highest_so_far():
    game, games = run({"do": "auction", "then": [{"do": "draw", "amount": 1}]})
    play(game, games, "bid 7")
    assert block((game, games), 0, "amounts").tolist() == [0, 7]


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
    assert not cards(here, 0, "meant_card").any()
    sees(here, 0, "decision", {Step.MAIN: 1})
    here = run({"do": "demolish"}, event=True, buildings=TARGETS)
    sees(here, 0, "meant", {})
    assert not cards(here, 0, "meant_card").any()


def test_permits_paid_for_the_contract_in_hand():
    here = position(contracts=["Ranch"], hands=[{0: 3, 5: 1}])
    ranch = here[0].tables[0].card_features[card_of("Ranch")].tolist()
    play(*here, "build 0")
    assert cards(here, 1, "meant_card").tolist() == ranch
    play(*here, "site A3")
    for paid in (0, 1, 2):
        sees(here, 0, "decision", {Step.PERMITS: 1})
        sees(here, 0, "amounts", {})
        sees(here, 0, "permits_paid", {0: paid})
        assert cards(here, 0, "meant_card").tolist() == ranch
        play(*here, "permit 0")
    first = lot_of("A3 TL")
    sees(here, 0, "meant", dict.fromkeys(range(first, first + 4), 1))
    play(*here, "permit 5")


def test_an_effect_shows_the_contract_just_built():
    here = run({"do": "demolish"}, **BUILT)
    villa = here[0].tables[0].card_features[card_of("Villa")]
    assert cards(here, 1, "meant_card").tolist() == villa.tolist()


def test_claims_show_no_card_and_no_building():
    game = game_of(2)
    here = game, game.deal(1, seed=0)
    sees(here, 1, "decision", {Step.CLAIM: 1})
    for name in ("meant", "verb", "money", "amounts", "permits_paid", "active_decks", "rebuilt"):
        sees(here, 0, name, {})
    assert not cards(here, 0, "meant_card").any()
    sees(here, 0, "contracts_left", {0: 31, 1: 37, 2: 37})
    sees(here, 0, "planning_left", {0: 42, 1: 14})


def test_once_over_no_decision_is_shown():
    here = run({"do": "end_game"}, event=True, **BUILT)
    assert here[1].over[0] == FINISHED
    for name in ("decision", "verb", "money", "amounts", "permits_paid", "meant", "to_play"):
        sees(here, 0, name, {})
    assert not cards(here, 0, "meant_card").any()


def test_the_mayors_park_is_no_card_of_the_data():
    assert MAYORS_PARK == 0
    assert game_of().tables[0].event_first[0] > MAYORS_PARK


# ---------------------------------------------------------------- turn, decks, discards


def sees_turn(here, seat, **expected):
    """Compare the blocks of the turn; those that are left out are 0."""
    for name in ("points", "investing", "nothing_built", "event", "turns"):
        assert block(here, seat, name).tolist() == [expected.get(name, 0)], name


def test_the_turn_as_it_goes_on():
    here = position(**BUILT, points=3)
    sees_turn(here, 0, points=3)  # a contract is built, investments are over
    here = position(active=1, points=8, turn=37)
    sees_turn(here, 0, points=8, investing=1, nothing_built=1, turns=37)
    here[1].points[0], here[1].turn[0] = 20, 299
    sees_turn(here, 0, points=8, investing=1, nothing_built=1, turns=100)
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
    sees_turn(here, 1, nothing_built=1, event=1)


@pytest.mark.parametrize(
    ("active", "flags"),
    [(("town",), [0, 0]), (("town", "city"), [1, 0]), (("town", "city", "metropolis"), [1, 1])],
)
def test_decks_left_and_active(active, flags):
    game, games = position(active_decks=active)
    games.deck_size[0] = [5, 17, 29]
    games.planning_size[0], games.no_events[0] = 20, 7
    here = game, games
    sees(here, 1, "contracts_left", {0: 5, 1: 17, 2: 29})
    assert block(here, 1, "active_decks").tolist() == flags
    assert block(here, 1, "planning_left").tolist() == [20, 7]
    sees(here, 1, "rebuilt", {})


def test_discards_by_kind_then_the_events():
    here = position(discards=[5, 5, 16, "renewal", "Luxury Tax", "Moving Day"])
    sees(here, 1, "discards", {5: 2, 16: 1, 17: 1})
    sees(here, 1, "events_discarded", {0: 1, kind_of("Moving Day") - FIRST_EVENT: 1})


def test_supplies_follow_what_is_taken_from_them():
    game, games = position(markers={"wealth 12": "grey 6"}, vocations={1: {"FACTORY": 3}})
    here = game, games
    games.tiles[0, 2, 3] = 1
    assert block(here, 0, "tiles")[2, 3] == 1
    assert block(here, 0, "markers").tolist() == [1] * 5 + [0] + [1] * 3
    left = block(here, 0, "vocations_left")
    assert left[VOCATIONS.index("FACTORY")] == 1


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
    size = {lot_of(f"B2 {corner}"): 4 for corner in ("TL", "TR", "BL", "BR")}
    size |= {lot_of(f"D4 {corner}"): 2 for corner in ("TL", "TR")}
    sees(
        here,
        0,
        "building_size",
        size | {lot_of(f"E5 {corner}"): 3 for corner in ("TL", "TR", "BL")},
    )


# ---------------------------------------------------------------- card features

SAYS = {  # non-zero numbers, by group and index in the group
    "High School": {
        ("zone", 0): 1, ("size", 0): 2, ("prestige", 0): 3, ("vocations", 2): 3,
        ("value", 1): 25,
    },
    "Barber Shop": {
        ("zone", 1): 1, ("size", 0): 1, ("prestige", 0): 2, ("value", 1): 25,
        ("once", 0): 2, ("once", 1): 2,
    },
    "Gravel Pit": {
        ("zone", 2): 1, ("size", 0): 3, ("prestige", 0): 2, ("vocations", 5): 1,
        ("value", 1): 9, ("once", 0): 6, ("does", 0): 1,
        ("per_all", 5 + 3): -1,  # prestige, for each RES
    },
    "Villa": {
        ("zone", 3): 1, ("size", 0): 1, ("prestige", 0): 2, ("value", 1): 25,
        ("next_to", 4): 1, ("next_to", 5): 1, ("next_to", 6): 1, ("once", 1): 2,
    },
    "Bank": {
        ("zone", 1): 1, ("size", 0): 2, ("vocations", 0): 4, ("value", 0): 6,
        ("value", 1): 25,
    },
    "Landfill": {
        ("zone", 2): 1, ("size", 0): 3, ("limits", 0): 1, ("value", 1): 25, ("once", 0): 8,
        ("does", 0): 1, **{("per_all", 5 + zone): -1 for zone in range(5)},
    },
    "Rail Yard": {
        ("zone", 2): 1, ("size", 0): 3, ("vocations", 1): 3, ("vocations", 5): 2,
        ("value", 1): 25, ("per_own", 2): 1, ("per_own", 1): 1,
    },
    "Marina": {
        ("zone", 3): 1, ("size", 0): 4, ("value", 1): 25, ("limits", 2): 1, ("paid", 3): 4,
    },
    "Skyscraper": {
        ("zone", 1): 1, ("size", 0): 4, ("prestige", 0): 6, ("value", 1): 25, ("limits", 1): 1,
        ("once", 0): 1, ("does", 2): 1,
    },
    "University": {
        ("zone", 0): 1, ("size", 0): 4, ("prestige", 0): 2, ("vocations", 2): 5,
        ("value", 1): 25, ("per_all", 5 + 0): 4, ("per_all", 5 + 3): 4,
    },
    "Textile Mill": {
        ("zone", 2): 1, ("size", 0): 2, ("prestige", 0): 1, ("vocations", 5): 2,
        ("next_to", 2): 1, ("next_to", 5): 1, ("value", 1): 25, ("per_own", 3): 1,
    },
    "Convention Center": {
        ("zone", 1): 1, ("size", 0): 4, ("value", 1): 25, ("does", 1): 1, ("does", 3): 1,
        ("once", 1): 1,
    },
    "Incinerator": {
        ("zone", 2): 1, ("size", 0): 2, ("value", 1): 25, ("once", 0): 7,
        ("does", 4): 1,
    },
    "Federal Courthouse": {
        ("zone", 0): 1, ("size", 0): 2, ("prestige", 0): 2, ("value", 1): 25,
        ("does", 0): 2, ("does", 5): 1,
    },
    "Recycling Center": {
        ("zone", 2): 1, ("size", 0): 1, ("value", 1): 25, ("does", 6): 3,
        ("once", 1): 1,
    },
    "Union Station": {
        ("zone", 0): 1, ("size", 0): 3, ("prestige", 0): 3, ("vocations", 1): 5,
        ("value", 1): 25, ("does", 7): 3, **{("per_own", zone): 1 for zone in range(5)},
    },
    "Radio Station": {
        ("zone", 1): 1, ("size", 0): 1, ("vocations", 7): 6, ("value", 1): 25,
        ("does", 8): 1,
    },
    "Art Museum": {
        ("zone", 0): 1, ("size", 0): 2, ("prestige", 0): 3, ("next_to", 0): 1,
        ("next_to", 4): 1, ("value", 1): 25, ("once", 1): 2, ("does", 9): 1,
    },
    "Kindergarten": {
        ("zone", 3): 1, ("size", 0): 1, ("vocations", 2): 1, ("next_to", 3): 1,
        ("next_to", 7): 1, ("value", 1): 25, ("per_own", 5 + 3): 1,
    },
}  # fmt: skip


@pytest.mark.parametrize("name", SAYS)
def test_what_a_card_says_in_numbers(name):
    """README, "Card features"."""
    expected = np.zeros(NUM_CARD_FEATURES, int)
    for (kind, k), value in SAYS[name].items():
        CARD_LAYOUT.view(expected, kind)[k] = value
    said = game_of().tables[0].card_features[card_of(name)]
    differs = {int(k): int(said[k]) for k in np.flatnonzero(said != expected)}
    assert not differs


def test_the_readme_lists_the_card_features():
    page = Path(urban_sprawl.__file__).with_name("README.md")
    assert CARD_LAYOUT.markdown() in page.read_text(encoding="utf-8")


def test_events_say_nothing_and_no_number_passes_one():
    t = game_of().tables[0]
    assert not t.card_features[t.card_zone < 0].any()
    assert np.abs(CARD_LAYOUT.to_floats(t.card_features)).max() == 1


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
    assert block(drawn, 0, "amounts")[0] == 3 + k


def test_that_the_planning_deck_was_rebuilt_is_seen():
    game, games = position(hands=[{0: 1}], planning=[None] * 5, discards=[1], only_planning=True)
    sees((game, games), 0, "rebuilt", {})
    rebuild(games)
    sees((game, games), 0, "rebuilt", {0: 1})
