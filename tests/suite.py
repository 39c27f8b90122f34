"""The games of the suite, and parameters of which only a few are always tested."""

import pytest

GAMES = ("ginkgopolis", "tower_up", "urban_sprawl")
PARALLEL = ("ginkgopolis",)  # with simultaneous choices


def a_few(cases, count=3):
    """Return parameters of a test of which all but the first few are marked ``slow``."""
    return [
        case if k < count else pytest.param(*case, marks=pytest.mark.slow)
        for k, case in enumerate(cases)
    ]
