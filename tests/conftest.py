"""Shared by all tests: which games there are, and how far plain Python is asked to go."""

import os
import signal
import threading

import pytest

from sprawl_env.kernels.compile import JIT
from tests.suite import GAMES

os.environ.setdefault("SPRAWL_ENV_QUIET", "1")
if threading.current_thread() is threading.main_thread():
    # a shell makes what it runs in the background deaf to Ctrl-C, which some tests send
    signal.signal(signal.SIGINT, signal.default_int_handler)

SEATS = {
    "ginkgopolis": (1, 2, 3, 4, 5) if JIT else (2,),
    "tower_up": (2, 3, 4),
    "urban_sprawl": (2, 3, 4) if JIT else (2,),
}
EVERY_GAME = [(name, seats) for name in GAMES for seats in SEATS[name]]


def pytest_collection_modifyitems(items):
    """``compiled`` tests are about machine code or are too slow without it."""
    if not JIT:
        skip = pytest.mark.skip(reason="needs compiled kernels")
        for item in items:
            if "compiled" in item.keywords:
                item.add_marker(skip)


def pytest_generate_tests(metafunc):
    """A test that asks for ``any_game`` runs for every game and number of seats."""
    if "any_game" in metafunc.fixturenames:
        metafunc.parametrize(
            "any_game", EVERY_GAME, ids=[f"{n}-{s}" for n, s in EVERY_GAME], indirect=True
        )


@pytest.fixture
def any_game(request):
    import sprawl_env

    name, seats = request.param
    return sprawl_env.game(name, num_players=seats)
