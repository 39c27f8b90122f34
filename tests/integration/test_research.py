"""The scripts of examples/research, shortened: eight tasks, solved with the guides alone."""

import os
import subprocess
import sys

import pytest

from tests.commands import ROOT
from tests.ladder import LADDER

pytest.importorskip("torch")
FOLDER = ROOT / "examples" / "research"
PUBLISHED = LADDER / "tower_up" / "quick_greedy.jsonl"
NEEDS = {  # libraries, by script
    "imitate": ("polars",),
    "own_bot": ("polars",),
    "own_features": ("sb3_contrib",),
    "replays_as_data": ("polars", "matplotlib"),
}
RUNS = {  # arguments, and what the output tells
    "own_bot": ((), "lead-greedy"),
    "reinforce": (("3",), "even would be 33.3%"),
    "imitate": (("data",), "decisions in"),
    "own_features": ((), "against random"),
    "curriculum": ((), "after games of 400 turns: wins"),
    "replays_as_data": (("kept",), "final_points"),
    "reproduce": ((str(PUBLISHED),), "they agree: "),
    "edit_and_search": ((), "seat 0 holds [3, 0, 0, 1]"),
}

TRAIN = ("imitate", "reinforce", "curriculum")  # for a quarter of a minute each


def test_every_script_is_run():
    assert {path.stem for path in FOLDER.glob("*.py")} == RUNS.keys()


@pytest.mark.long
@pytest.mark.compiled
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in TRAIN)) for name in RUNS]
)
def test_a_script_of_a_researcher_runs(name, tmp_path):
    for library in NEEDS.get(name, ()):
        pytest.importorskip(library)
    arguments, says = RUNS[name]
    done = subprocess.run(
        [sys.executable, str(FOLDER / f"{name}.py"), *arguments, "--short"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "120"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert says in done.stdout
