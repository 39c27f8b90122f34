"""The table of decisions: every decision has a row, every function named exists."""

import importlib
import re

from sprawl_env.games.urban_sprawl.steps import DECISIONS, FIRST_AUTOMATIC, Step

RULES = "sprawl_env.games.urban_sprawl.rules"


def test_every_decision_has_a_row_in_order():
    assert list(DECISIONS) == [step for step in Step if step < FIRST_AUTOMATIC]


def test_every_function_of_the_table_exists_in_its_module():
    named = [
        found
        for decision in DECISIONS.values()
        for found in re.findall(r"`([a-z]+)\.([a-z_]+)`", f"{decision.marks} {decision.does}")
    ]
    for module, function in named:
        there = importlib.import_module(f"{RULES}.{module}")
        assert hasattr(there, function), f"{module}.{function}"
    assert len(named) > len(DECISIONS)


def test_every_row_cites_a_section_or_a_ruling():
    for step, decision in DECISIONS.items():
        assert re.search(r"US (6\.\d|§7)", decision.rule), step
