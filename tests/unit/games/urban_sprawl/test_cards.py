"""US §1, §4, §7, §8: what the rules page says of packaged cards, carried out in drawn cities."""

import pytest

from sprawl_env.games.urban_sprawl.constants import FIRST_EVENT, MAYOR, PARK
from sprawl_env.games.urban_sprawl.rules.flow import advance
from sprawl_env.games.urban_sprawl.rules.lists import push_effects
from sprawl_env.games.urban_sprawl.steps import Step
from sprawl_env.kernels.agenda import push
from tests.unit.games.urban_sprawl.position import (
    asks,
    building_at,
    card_of,
    check,
    game_of,
    is_done,
    kind_of,
    legal,
    markers_of,
    num_buildings,
    play,
    position,
    prestige_of,
    step_of,
    wealth_of,
)


def happens(name, **drawn):
    """Carry out the effects of a packaged card for the active seat, up to the next decision."""
    game, games = position(**{"investing": 0, **drawn})
    execute(name, game, games)
    return game, games


def execute(name, game, games):
    """Carry out the effects of a packaged card in a position."""
    t, state = game.tables[0], games[0]
    if name in {row.name for row in game.data.rows("planning", "event")}:
        event = kind_of(name) - FIRST_EVENT
        first, count = int(t.event_first[event]), int(t.event_count[event])
    else:
        card = card_of(name)
        first, count = int(t.card_first[card]), int(t.card_effects[card])
    push_effects(state, int(state.active), first, count)
    advance(t, state)
    check(game, games)


# ---------------------------------------------------------------- US §8: planning events


def test_us_8_an_earthquake_takes_a_bank_or_any_other_building_of_any_size():
    buildings = {
        "D1 top": ("COM", 0),
        "C3": ("IND", 0),
        "A6 -TL": ("RES", 0),
        "B5 TL": ("PARK", 0),
        "E5 TL": ("CIV", 1),
        "F5 TL": ("CIV", None),
    }
    game, games = happens("Earthquake", buildings=buildings, prestige=2)
    assert asks(game, games)[:2] == (0, Step.NEXT_SEAT)
    play(game, games, "seat 0")
    lost = {"site D1 TL", "site C3 TL", "site A6 TR", "site B5 TL"}
    assert asks(game, games) == (0, Step.DISASTER, {"yes", *lost})
    play(game, games, "site D1 TL")
    assert building_at(games, "D1 top") is None
    assert asks(game, games) == (1, Step.DISASTER, {"yes", "site E5 TL"})
    play(game, games, "yes")
    assert is_done(games)
    assert prestige_of(games) == [2, 0]
    assert num_buildings(games) == 5


def test_us_8_urban_blight_hits_the_lowest_building_of_the_board_even_if_nobody_controls_it():
    buildings = {"A3 TL": ("RES", None), "A1 TL": ("RES", 1), "D1 TL": ("COM", 0)}
    _, games = happens("Urban Blight", buildings=buildings)
    assert is_done(games)
    assert building_at(games, "A3 TL") is None
    assert num_buildings(games) == 2
    assert prestige_of(games) == [20, 20]


@pytest.mark.parametrize(("answer", "left"), [("yes", [20, 17]), ("decline", [20, 20])])
def test_us_8_urban_blight_spares_a_building_for_3_prestige(answer, left):
    buildings = {"A3 TL": ("PARK", 1), "D1 TL": ("COM", 0)}
    game, games = happens("Urban Blight", buildings=buildings)
    assert asks(game, games) == (1, Step.SAVE, {"yes", "decline"})
    play(game, games, answer)
    assert prestige_of(games) == left
    assert (building_at(games, "A3 TL") is None) == (answer == "decline")


def test_us_6_11_the_active_player_picks_among_the_lowest_buildings_of_urban_blight():
    buildings = {"A3 TL": ("RES", None), "A4 TL": ("IND", 0), "D1 TL": ("COM", 0)}
    game, games = happens("Urban Blight", buildings=buildings, active=1)
    assert asks(game, games) == (1, Step.TARGET, {"site A3 TL", "site A4 TL"})


# ---------------------------------------------------------------- US §1: parks


@pytest.mark.parametrize(
    ("name", "size", "places"),
    [
        ("Arbor Day", 2, {"site A1 top", "site F6 right"}),
        ("Grand Hotel", 3, {"site C3 -BR", "site D4 -BR"}),
        ("World's Fair", 4, {"site A1", "site F6"}),
    ],
)
def test_us_1_cards_place_the_parks_of_2_to_4_lots_and_are_skipped_without_a_tile(
    name, size, places
):
    drawn = {"buildings": {"C3 BR": ("COM", 0)}, "built": "C3 BR"}
    drawn |= {"prestige": [5, 20], "markers": {"prestige 6": "grey 1"}}
    for tiles in (1, 0):
        game, games = position(**drawn)
        assert games.tiles[0, PARK, size - 1] == 1
        games.tiles[0, PARK, size - 1] = tiles
        execute(name, game, games)
        if step_of(games) == Step.GREY:
            play(game, games, "line grey 2")
        assert (step_of(games) == Step.PLACE) == (tiles == 1)
        if tiles:
            assert places <= legal(game, games)
            play(game, games, min(places))
            assert games.tiles[0, PARK].tolist() == [15, *(int(size != k) for k in (2, 3, 4))]
            assert building_at(games, min(places).removeprefix("site "))[0] == "PARK"


def test_us_1_six_elections_of_a_mayor_leave_nine_parks_of_one_lot():
    """Fifteen parks of 1 lot; a park of another size is not placed in its stead."""
    game, games = position(buildings={}, vocations={0: {"TOURISM": 1}})
    state = games[0]
    for lot in range(6):
        push(state, Step.ELECTION, -1).office = MAYOR
        advance(game.tables[0], state)
        assert step_of(games) == Step.PLACE
        play(game, games, f"site {'ABCDEF'[lot]}1 TL")
    assert games.tiles[0, PARK].tolist() == [9, 1, 1, 1]
    state.tiles[PARK, 0] = 0
    push(state, Step.ELECTION, -1).office = MAYOR
    advance(game.tables[0], state)
    assert is_done(games)


# ---------------------------------------------------------------- markers, and Town


def test_us_7_a_planning_card_brings_a_prestige_marker_if_the_poorest_seat_wants_one():
    """Without that, only cards of City and Metropolis would bring one into play (US 6.7)."""
    game, games = happens("Population Boom", buildings={}, wealth=[9, 4])
    assert wealth_of(games) == [9, 6]
    assert asks(game, games)[:2] == (1, Step.PICK_MARKER)
    assert {"marker prestige 4", "marker prestige 6", "marker wealth 7"} < legal(game, games)
    play(game, games, "marker prestige 6", "line grey 2")
    assert markers_of(games) == {"prestige 6": "grey 2"}
    assert is_done(games)


def test_us_4_no_card_of_the_packaged_town_deck_takes_a_building():
    """Town is mild: no effect of it demolishes, takes or frees a building."""
    game = game_of()
    harsh = {"demolish", "uncontrol", "take", "disaster"}
    for row in game.data.rows("town", "contract"):
        assert not harsh & {effect.do for effect in row.effects}, row.name
