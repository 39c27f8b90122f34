"""What a seat sees, block by block, in a known position (US §1 to §6, U13)."""

import numpy as np
import pytest

from sprawl_env.games.urban_sprawl.constants import OFFICES, VOCATIONS, ZONES, Step
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
from tests.games.urban_sprawl.position import LINES, MARKERS, lot_of, play, position

BUILDINGS = {"C3 right": ("COM", 1), "A1 TL": ("RES", 0), "F6 -TL": ("IND", None)}
HANDS = [{5: 2}, {3: 1, "renewal": 1}, {}]


@pytest.fixture(scope="module")
def drawn():
    """Three seats; seat 0's turn."""
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
    """Compare a whole block with ``{index: value}``, zero elsewhere."""
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
        assert room[:, lot_of(f"{place} TL") // 4].tolist() == allowed  # beside what stands there
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
    sees(drawn, 1, "missing", {2: 2 / 4, 6: 2 / 4, 8: 1 / 4})  # a permit for RES alone


@pytest.mark.parametrize("observer", range(3))
def test_seats_are_counted_from_the_observer(drawn, observer):
    def seen(name, values, half=0):
        """Numbers without bound are brought below 1."""
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
