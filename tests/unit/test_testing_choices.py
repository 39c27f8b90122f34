"""testing: choices at the same time, what a report says is not checked, and words of errors."""

import dataclasses

import pytest

from examples import lots
from sprawl_env.adapters.parallel import BoardGameParallel
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.game import Game
from sprawl_env.core.rules import no_violations
from sprawl_env.core.state import NOT_OVER
from sprawl_env.kernels.compile import kernel
from sprawl_env.testing import ConformanceError, check_game
from tests.toy import RULES, toy


@kernel
def owing_after_choosing(tables, games, g):
    """Return all seats as long as several owe a choice."""
    owed = int(games[g].owed)
    if games[g].over != NOT_OVER:
        return 0
    return owed if owed & (owed - 1) == 0 else (1 << int(games[g].num_seats)) - 1


def changed(name, fields=None, **kernels):
    made = dataclasses.replace(RULES.kernels, **kernels)
    return dataclasses.replace(RULES, name=name, kernels=made, **(fields or {}))


DEFECTS = {
    "toy_owing": (changed("toy_owing", owing=owing_after_choosing), "once seat . has chosen"),
    "toy_no_wait": (changed("toy_no_wait", {"wait": None}), "expected GameRules.wait with"),
}

UNCHECKED = dataclasses.replace(RULES, name="toy_unchecked", violations=no_violations)


@pytest.mark.parametrize("name", DEFECTS)
def test_a_broken_promise_of_choices_at_the_same_time_fails_its_check(name):
    rules, says = DEFECTS[name]
    with pytest.raises(ConformanceError, match=says) as error:
        check_game(rules, num_games=4, num_players=3, spawn=False)
    assert error.value.check == "owing"
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("game", "lacks"),
    [
        (Game(DEFECTS["toy_no_wait"][0]), "GameRules.wait"),
        (Game(lots.RULES), "simultaneous choices"),
    ],
)
def test_the_parallel_environment_says_what_a_game_lacks(game, lacks):
    with pytest.raises(InvalidOption, match=rf"{game.name}: has no {lacks}: without it"):
        BoardGameParallel(game)


def test_a_report_names_what_was_not_checked_and_the_actions_that_were_never_legal():
    report = check_game(UNCHECKED, num_games=2, num_players=3, spawn=False)
    assert str(report).endswith(
        " decisions; 1 action never legal (1 of 'wait'); no violations are given, so edited "
        "positions and those of files are not checked"
    )
    assert check_game(toy(num_players=3), num_games=2, spawn=False).notes == report.notes[:1]


@kernel
def play_with_an_error(tables, games, g, action):
    games[g].points[0] = unknown_name  # noqa: F821 - the error of this test


def test_the_error_of_a_kernel_has_no_codes_of_a_terminal():
    rules = changed("toy_typo", play=play_with_an_error)
    with pytest.raises(ConformanceError, match="unknown_name") as error:
        check_game(rules, num_games=1, spawn=False)
    assert "\x1b" not in str(error.value)
