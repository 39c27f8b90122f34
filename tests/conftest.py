"""Shared by all tests: which games there are, and how far plain Python is asked to go."""

import functools
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


def games_and(*values):
    """Return parameters ``any_game`` and one of some values; ``any_game`` is indirect.

    Every game meets every value with one number of seats; with the others only the first value is
    always tested, the rest is ``slow``.
    """
    return [
        pytest.param(
            (name, seats),
            value,
            id=f"{name}-{seats}-{value}",
            marks=[pytest.mark.slow] * (seats != SEATS[name][0] and value != values[0]),
        )
        for name, seats in EVERY_GAME
        for value in values
    ]


def pytest_collection_modifyitems(items):
    """Long tests come first, so that the last ones are short and all processes end together.

    ``compiled`` tests are about machine code or are too slow without it.
    """
    items.sort(key=lambda item: "long" not in item.keywords)
    if not JIT:
        skip = pytest.mark.skip(reason="needs compiled kernels")
        for item in items:
            if "compiled" in item.keywords:
                item.add_marker(skip)


def pytest_generate_tests(metafunc):
    """A test that asks for ``any_game`` runs for every game and number of seats."""
    given = [mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")]
    if "any_game" in metafunc.fixturenames and not any("any_game" in names for names in given):
        metafunc.parametrize(
            "any_game", EVERY_GAME, ids=[f"{n}-{s}" for n, s in EVERY_GAME], indirect=True
        )


@pytest.fixture
def any_game(request):
    """The game; tests share it, because to make one takes tens of milliseconds."""
    return game_of(*request.param)


@pytest.fixture(scope="module")
def one_browser():
    """The tests of a module that uses this share a browser.

    Their main thread then has a running event loop, so none of them may start another.
    """
    from tests.browser import keep_browser

    with keep_browser():
        yield


@functools.cache
def game_of(name, seats):
    import sprawl_env

    return sprawl_env.game(name, num_players=seats)
