"""The table of ``rules/decisions.py``: every decision has a row, every function named exists."""

import importlib
import re

from sprawl_env.games.urban_sprawl.constants import LAST_DECISION, Step
from sprawl_env.games.urban_sprawl.rules import decisions

ROWS = [row.split() for row in decisions.__doc__.split("\n") if re.match(r"[A-Z_]{3,} ", row)]
RULES = "sprawl_env.games.urban_sprawl.rules"


def test_every_decision_has_a_row_in_order():
    assert [row[0] for row in ROWS] == [step.name for step in Step if step <= LAST_DECISION]


def test_every_function_of_the_table_exists_in_its_module():
    named = re.findall(r"``([a-z]+)\.([a-z_]+)``", decisions.__doc__)
    for module, function in named:
        there = importlib.import_module(f"{RULES}.{module}")
        assert hasattr(there, function), f"{module}.{function}"
    assert len(named) > len(ROWS)


def test_every_row_cites_a_section_or_a_ruling():
    for row in ROWS:
        assert re.search(r"US (6\.\d|§7)", " ".join(row)), row[0]
