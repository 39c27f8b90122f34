"""Every ruling of the game's README and every scenario of US §10 has a test.

A test covers a ruling if its name begins with the ruling's number or its docstring cites it.
"""

import ast
import functools
import re
from pathlib import Path

import pytest

import sprawl_env
from sprawl_env.games.urban_sprawl import data_files
from sprawl_env.games.urban_sprawl.constants import Power
from sprawl_env.games.urban_sprawl.rules.board import holds_power, lay, lift, set_owner

HERE = Path(__file__).parent
PAGE = (data_files.FOLDER.parent / "README.md").read_text(encoding="utf-8")
RULINGS = PAGE.split("## Rulings")[1].split("\n## ")[0]
TOLD = [int(number) for number in re.findall(r"\*\*U(\d+)\*\*", RULINGS)]

SCENARIOS = {
    "block values and the marker 8 → 14 → 8, 5 → 11, 6 → 12": [
        "test_us_1_values_without_markers",
        "test_us_6_7_printed_a_marker_raises_its_line_and_lowers_the_one_it_leaves",
    ],
    "three payouts of line 6": ["test_us_10_printed_payouts_of_line_6"],
    "three zonings of the High School": ["test_us_10_printed_zoning_of_the_high_school"],
    "its bonus": ["test_us_10_printed_the_bonus_of_the_high_school"],
    "its costs 7 and 2": ["test_us_10_printed_the_high_school_costs_7_or_2"],
    "FACTORY-2, -1, -4": [
        "test_us_10_printed_factory_2_alone",
        "test_us_10_printed_factory_1_is_scored_by_both",
        "test_us_10_printed_factory_4_marker_by_marker",
    ],
    "demolition A to C": ["test_us_10_printed_demolition_a_to_c"],
    "exhausted decks": [
        "test_u27_town_exhausted_5_is_not_filled",
        "test_u27_city_exhausted_town_slides_to_5_and_4_again_not_beyond",
        "test_u27_both_exhausted_nothing_moves_into_5_or_4",
    ],
    "Business Relocation": [
        "test_us_10_printed_business_relocation",
        "test_us_10_printed_business_relocation_in_step_7_then_the_next_city_card",
    ],
    "an investment of 11": ["test_us_10_printed_an_investment_of_11"],
    "claims that cost exactly the opening wealth": [
        "test_us_10_claims_may_cost_exactly_the_opening_wealth"
    ],
    "a face-up top slides without a second payout": [
        "test_u25_a_face_up_top_slides_without_a_second_payout",
        "test_u25_a_face_up_top_of_a_contract_deck_slides_without_a_second_payout",
    ],
    "Airport in step 5 with two empty spaces": [
        "test_u26_airport_in_step_5_reroutes_the_rest_of_the_step"
    ],
    "all permits hoarded": [
        "test_u28_with_all_permits_hoarded_nothing_is_drawn_and_the_space_stays_empty"
    ],
    "a park by election changes the payout of the same card": [
        "test_u30_the_park_of_an_election_counts_in_the_payout_of_the_same_card"
    ],
    "one Urban Renewal for three buildings of one lot": [
        "test_u16_one_urban_renewal_for_three_buildings_of_one_lot"
    ],
}


@functools.cache
def all_tests():
    """Return ``{name: docstring}`` of the tests in this folder."""
    found = {}
    for path in HERE.glob("test_*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found[node.name] = ast.get_docstring(node) or ""
    return found


def shown():
    """Return ``{ruling: names of its tests}``."""
    rulings = {}
    for name, says in all_tests().items():
        named = re.findall(r"^test_u(\d+)_", name) + re.findall(r"\bU(\d+)\b", says)
        for number in named:
            rulings.setdefault(int(number), []).append(name)
    return rulings


def test_the_rulings_are_numbered_without_a_gap():
    assert list(range(1, max(TOLD) + 1)) == TOLD


@pytest.mark.parametrize("number", TOLD)
def test_a_ruling_has_a_test(number):
    assert shown().get(number), f"no test shows U{number}"


def test_no_test_shows_a_ruling_that_is_not_told():
    assert set(shown()) <= set(TOLD)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_scenario_has_its_tests(scenario):
    assert set(SCENARIOS[scenario]) <= set(all_tests())


def test_u24_a_lasting_effect_goes_with_the_building_and_ends_with_it():
    game = sprawl_env.game("urban_sprawl", num_players=2)
    state = game.deal(1, seed=1)[0]
    lot = next(k * 4 for k in range(36) if state.occupied[k] == 0)
    lay(state, lot // 4, 1, 0, 0, Power.EXTRA_FAVOR)
    holders = [[holds_power(state, seat, Power.EXTRA_FAVOR) for seat in range(2)]]
    for change in (lambda: set_owner(state, lot, 1), lambda: lift(state, lot)):
        change()
        holders.append([holds_power(state, seat, Power.EXTRA_FAVOR) for seat in range(2)])
    assert holders == [[True, False], [False, True], [False, False]]
