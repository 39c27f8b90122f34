"""testing.py: what check_game accepts, and the defects that it must find."""

import dataclasses
import os
import subprocess
import sys

import numpy as np
import pytest

import sprawl_env
from examples import lots
from sprawl_env.core import registry
from sprawl_env.core.errors import InvalidOption, SprawlError
from sprawl_env.core.game import Game
from sprawl_env.kernels.compile import JIT, kernel
from sprawl_env.kernels.masks import NO_ACTION
from sprawl_env.testing import CHECKS, ConformanceError, check_game
from tests import defects
from tests.commands import ROOT
from tests.toy import RULES, take_back, toy

GAMES = 4


def reference(games, g):
    """Return what a seat may build: what it holds."""
    held = games["hand"][g][games["to_play"][g]]
    return {f"build a {name}" for name, n in zip(lots.KIND_NAMES, held, strict=True) if n}


def failure(game, **arguments):
    """Return the error that check_game raises, which is one line that names game and check."""
    with pytest.raises(ConformanceError) as error:
        check_game(game, num_games=10, max_plies=300, **arguments)
    says = str(error.value)
    assert "\n" not in says
    name = game.name if isinstance(game, sprawl_env.core.rules.GameRules) else game
    assert says.startswith(f"{name}: {error.value.check}")
    assert error.value.check in CHECKS
    return error.value


@pytest.mark.parametrize("seats", [2, 3])
def test_the_example_passes(seats):
    report = check_game(lots.RULES, num_games=GAMES, num_players=seats, legal=reference)
    assert (report.game, report.options) == ("lots", {"num_players": seats})
    assert report.games == GAMES
    assert report.decisions == GAMES * lots.CITY
    assert report.checks.keys() == CHECKS.keys() - {"owing", "hides", "take_back", "picture"}
    assert report.never_legal == ()
    assert str(report) == (
        f"lots(num_players={seats}): 21 checks passed in {GAMES} games with 24 decisions"
    )


@pytest.mark.parametrize("seats", [1, 3])
def test_a_game_with_simultaneous_choices_and_an_automaton_passes(seats):
    report = check_game(toy(num_players=seats), num_games=2, spawn=False)
    assert report.checks["owing"] > 0
    assert report.checks["hides"] > 0
    assert report.checks["take_back"] > 0
    assert 5 in report.never_legal  # the waiting action


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "games", "options"),
    [
        ("tower_up", 2, {"num_players": 3}),
        ("ginkgopolis", 1, {"num_players": 2}),
        ("urban_sprawl", 1, {"num_players": 2, "max_turns": 16}),
        pytest.param("ginkgopolis", 2, {"num_players": 3}, marks=pytest.mark.slow),
        pytest.param("urban_sprawl", 2, {"num_players": 3}, marks=pytest.mark.slow),
    ],
)
def test_the_games_of_the_suite_pass(name, games, options):
    report = check_game(name, num_games=games, actions_each=4, spawn=False, **options)
    assert report.checks["picture"] > 0


PLANTED = [
    (defects.LEAK, {}, "leak", r"block 'three'.*resamples fields? .*'hand'"),
    (defects.SEED, {}, "seed", "16 seeds give the same opening: expected deal"),
    (defects.WIDE, {}, "mask", "impossible position .*the mask is too wide"),
    (
        defects.NARROW,
        {"legal": reference},
        "mask",
        "too narrow: 'build a shop' is legal by the ref",
    ),
    (defects.ILLEGAL, {}, "illegal", r"illegal action \d changes field 'street': expected no"),
    (defects.OBSERVE, {}, "pure", "observe writes field 'rng': expected no change"),
    (defects.REDEAL, {}, "redeal", "redeal_hidden changes the own mask of the seat to play"),
    (defects.ENDLESS, {}, "end", "goes on after 300 plies: expected an end"),
    (defects.REWARDS, {}, "rewards", "standings does not write side 0, so rewards do not sum to"),
    (defects.POINTS, {}, "rewards", "the rows of points sum to .*: expected the scores, "),
    (defects.unreachable(), {}, "pickle", "assign its GameRules to a name in a module"),
]


@pytest.mark.parametrize(
    ("rules", "arguments", "check", "says"), PLANTED, ids=[rules.name for rules, *_ in PLANTED]
)
@pytest.mark.parametrize("seats", [2, 3])
def test_each_planted_defect_fails_its_check(rules, arguments, check, says, seats):
    error = failure(rules, num_players=seats, spawn=False, **arguments)
    assert error.check == check
    with pytest.raises(ConformanceError, match=says):
        raise error


@pytest.mark.parametrize(
    ("rules", "check", "says"), defects.MORE, ids=[rules.name for rules, *_ in defects.MORE]
)
def test_other_defects_fail_their_checks(rules, check, says):
    error = failure(rules, num_players=3, spawn=False)
    assert error.check == check
    with pytest.raises(ConformanceError, match=says):
        raise error


def test_every_check_has_a_planted_defect():
    planted = [check for *_, check, _ in (*PLANTED, *defects.MORE)]
    assert {*planted} == {*CHECKS}


@kernel
def forget_the_plies(tables, games, g, seat):
    plies = int(games[g].ply)
    take_back(tables, games, g, seat)
    games[g].ply = plies
    return NO_ACTION


@kernel
def pay_for_it(tables, games, g, seat):
    if games[g].owed & (games[g].owed - 1) == 0:  # the last to choose
        games[g].points[seat] += 1
    return take_back(tables, games, g, seat)


@kernel
def exclude_what_is_no_action(tables, games, g, seat):
    return 6


@kernel
def exclude_all_but_one(tables, games, g, seat):
    take_back(tables, games, g, seat)
    return 0  # all that is legal in a dull game


@pytest.mark.parametrize(
    ("kernel", "says"),
    [
        (forget_the_plies, "once the others have chosen again .* ply has grown by 1"),
        (pay_for_it, "once the others have chosen again .*block 'points'.* is another"),
        (exclude_what_is_no_action, "take_back returns 6: expected an action or -1"),
        (exclude_all_but_one, "nothing can be chosen again"),
    ],
)
def test_a_defect_of_what_is_taken_back_fails_its_check(kernel, says):
    kernels = dataclasses.replace(RULES.kernels, take_back=kernel)
    rules = dataclasses.replace(RULES, name=f"toy_{kernel.__name__}", kernels=kernels)
    with pytest.raises(ConformanceError, match=says) as error:
        check_game(Game(rules, num_players=2, dull=2), num_games=3, spawn=False)
    assert error.value.check == "take_back"


@kernel
def hides_nothing(tables, games, g):
    return False


@pytest.mark.parametrize(
    ("hides", "says"),
    [
        (None, "several seats owe a choice: expected the kernel"),
        (hides_nothing, "hides returns False: several owe a choice"),
    ],
)
def test_choices_at_the_same_time_must_be_hidden(hides, says):
    kernels = dataclasses.replace(RULES.kernels, hides=hides)
    rules = dataclasses.replace(RULES, name=f"toy_hides_{hides is None}", kernels=kernels)
    with pytest.raises(ConformanceError, match=says) as error:
        check_game(Game(rules, num_players=2), num_games=1, spawn=False)
    assert error.value.check == "hides"


def test_the_error_names_where_it_happened():
    error = failure(defects.WIDE, num_players=2, spawn=False, seed=5)
    assert str(error).startswith("lots_wide: mask, seed 5, ply 0, seat 0: legal action 'build a ")


def test_a_mask_too_wide_is_found_by_the_reference_too():
    error = failure(defects.WIDE, legal=reference, spawn=False)
    assert "too wide: 'build a " in str(error)
    by_id = failure(defects.WIDE, spawn=False, legal=lambda games, g: [0])
    assert "too wide: 1, 2 is not legal by the reference" in str(by_id)


def test_a_game_by_name_and_import_path_and_the_actions_that_were_never_legal():
    assert check_game("lots", num_games=1, spawn=False).decisions == lots.CITY
    assert check_game("examples.lots:RULES", num_games=1, spawn=False).game == "lots"
    assert check_game(defects.NARROW, num_games=1, spawn=False).never_legal in {(), (2,)}


def test_options_go_with_a_name_only():
    with pytest.raises(InvalidOption, match="expected options with a name"):
        check_game(sprawl_env.game("lots"), num_players=3)


def test_an_unregistered_game_is_registered_while_it_is_checked_only():
    before = registry.game_names()
    check_game(defects.NARROW, num_games=1, spawn=False)
    failure(defects.SEED)
    assert registry.game_names() == before


def test_a_copy_of_a_registered_game_leaves_the_game_as_it_was(monkeypatch):
    monkeypatch.setattr(defects, "COPY", dataclasses.replace(lots.RULES), raising=False)
    check_game(defects.COPY, num_games=1, spawn=False)
    with pytest.raises(ConformanceError):
        check_game(dataclasses.replace(defects.SEED, name="lots"), num_games=1, spawn=False)
    assert sprawl_env.game("lots").rules is lots.RULES
    assert registry.heuristic_of(lots.RULES) is lots.HEURISTIC


SCRIPT = """
from sprawl_env.testing import check_game
{guard}
    check_game("examples.lots:RULES", num_games=1)
    print("passed")
"""


@pytest.mark.parametrize(
    ("guard", "code", "says"),
    [
        ('if __name__ == "__main__":', 0, "passed"),
        ("if True:", 1, 'a script needs if __name__ == "__main__": around check_game'),
    ],
)
def test_a_script_is_told_what_a_spawned_process_needs(tmp_path, guard, code, says):
    (tmp_path / "mine.py").write_text(SCRIPT.format(guard=guard))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "mine.py"],
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == code, done.stderr
    assert says in (done.stdout + done.stderr)


def test_a_conformance_error_is_a_sprawl_error():
    assert issubclass(ConformanceError, SprawlError)


@pytest.mark.skipif(JIT, reason="compiled kernels cannot call Python's generators")
def test_chance_that_does_not_come_from_the_state_is_found():
    rng = np.random.default_rng(0)

    def play(tables, games, g, action):
        lots.play(tables, games, g, action)
        games[g].turn = rng.integers(1000)

    error = failure(defects.variant("lots_chance", play=play), spawn=False)
    assert error.check == "play"
    assert "the same action leads to another field 'turn'" in str(error)
