"""Compiled kernels and plain Python agree to the byte along random games with random options."""

import os

import pytest

from tests.along import along
from tests.commands import ROOT, command, finish
from tests.suite import GAMES

pytest.importorskip("tyro")
pytestmark = pytest.mark.compiled
PLIES = 120
LONGEST = 10**5


def compare(monkeypatch, name, seed, plies):
    """Compare the game in this process with the same one in a child without compiled kernels."""
    monkeypatch.setitem(os.environ, "NUMBA_DISABLE_JIT", "1")
    child = command("tests.along", name, str(seed), str(plies), cwd=ROOT)
    lines = list(along(name, seed, plies))
    plain = finish(child)[0].splitlines()
    for line, other in zip(lines, plain, strict=True):
        assert line == other
    assert len(lines) > min(plies, 20)


@pytest.mark.parametrize("name", GAMES)
def test_states_masks_scores_observations_and_redeals_agree(monkeypatch, name):
    compare(monkeypatch, name, 1, PLIES)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
@pytest.mark.parametrize("name", GAMES)
def test_whole_games_agree(monkeypatch, name, seed):
    compare(monkeypatch, name, seed, LONGEST)
