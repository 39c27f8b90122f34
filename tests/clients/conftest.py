"""What the tests of clients measure is written to a file beside them when all of them passed."""

import importlib.metadata
import json
import platform
import time
from pathlib import Path

import pytest

HERE = Path(__file__).parent
KEPT = pytest.StashKey[dict]()
SECONDS = 2.0  # of each measurement, of which there are REPEATS in turns
REPEATS = 3


def pytest_configure(config):
    config.stash[KEPT] = {}


def per_second(works):
    """Measure functions that return how much they did, in turns; returns medians per second."""
    found = {name: [] for name in works}
    for work in works.values():
        work()  # compiles
    for _ in range(REPEATS):
        for name, work in works.items():
            done, began = 0, time.perf_counter()
            while (passed := time.perf_counter() - began) < SECONDS:
                done += work()
            found[name].append(done / passed)
    return {name: sorted(rates)[REPEATS // 2] for name, rates in found.items()}


class Measured:
    """Collects the figures of one client."""

    def __init__(self, kept):
        self._kept = kept

    def rates(self, unit, works):
        """Measure in turns and keep the rates; returns them by name."""
        found = per_second(works)
        self.keep(unit, found)
        return found

    def keep(self, unit, found):
        """Keep rates by name."""
        self._kept.setdefault("rates", []).append(
            {"unit": unit, "per_second": {name: round(rate) for name, rate in found.items()}}
        )


@pytest.fixture
def measured(request):
    """Keeps figures for the table of clients."""
    name = request.path.parent.name
    kept = request.config.stash[KEPT].setdefault(name, {})
    return Measured(kept)


def pytest_sessionfinish(session, exitstatus):
    """Write the figures and the versions of each client."""
    if exitstatus != 0:
        return
    for name, kept in session.config.stash[KEPT].items():
        words = (HERE / name / "requirements.txt").read_text(encoding="utf-8").split()
        exact = [word.partition("==")[0] for word in words if "==" in word]
        found = {
            "versions": {one: importlib.metadata.version(one.partition("[")[0]) for one in exact},
            "python": platform.python_version(),
            "passed": session.testscollected,
            **kept,
        }
        path = HERE / name / "measured.json"
        path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
