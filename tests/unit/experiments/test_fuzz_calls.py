"""experiments/fuzz calls: the list is computed from the package; each kind of failure is seen."""

import inspect
import json
import os
import signal
import time

import numpy as np
import pytest

pytest.importorskip("tyro")
pytest.importorskip("stable_baselines3")

import sprawl_env
from experiments.fuzz import attempts, calls, goods
from experiments.fuzz.attempts import ACCEPTED, REFUSED, WRONG, attempt, check_known, slots_of
from experiments.fuzz.callables import Parameter, Target, parameters_of, public_objects, targets
from experiments.fuzz.calls import Calls, chosen_calls, fuzz, make_calls
from experiments.fuzz.goods import Place
from experiments.fuzz.values import is_good, values_for
from sprawl_env.core.arguments import checked
from sprawl_env.core.errors import InvalidOption

LEAST = 30  # values of a parameter


def strict(seed: int = 0) -> int:
    """Accept seeds alone."""
    return seed


def lax(seed: int = 0) -> int:
    """Accept anything."""
    return seed


def raw(seed: int = 0) -> int:
    """Raise what Python raises."""
    return seed + 1


def writes(games: np.ndarray, g: int = 0) -> None:
    """Refuse an index after it has written."""
    games["to_play"] = 0
    games["ply"] += 1
    if not isinstance(g, int):
        raise InvalidOption(f"g={g!r}: expected a whole number")


class OwnText(InvalidOption):
    """An error that does not shorten its text, as those of the package do."""

    def __str__(self):
        return self.args[0]


def two_lines(seed: int = 0) -> None:
    """Raise an error of two lines."""
    raise OwnText("seed: expected\na whole number")


def too_long(seed: int = 0) -> None:
    """Raise an error that is too long."""
    raise OwnText("x" * 5000)


def target_of(function, name="toy.function"):
    return Target(name, parameters_of(function, 0), "", None, function)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("place")
    before = os.getcwd()
    os.chdir(folder)
    yield Place("tower_up", folder)
    os.chdir(before)


class Nobody:
    """Bystanders that nothing changes."""

    def changed(self):
        return False


def tried(place, function, parameter, label):
    target = target_of(function)
    slot = next(slot for slot in slots_of(target, "tower_up") if slot.name == parameter)
    return attempt(place, target, slot, label, Nobody())


def test_the_list_holds_what_the_package_and_its_pages_name():
    names = {target.name for target in targets()}
    assert {
        "core.registry.game", "core.game.Game.observe", "adapters.vector.VectorGames.load",
        "adapters.sb3.SelfPlayVecEnv.step_async", "bots.names.make_bot", "learning.train.train",
        "replays.format.parse", "testing.check_game", "tower_up_v0.env", "bots.user.UserBot.around",
    } <= names  # fmt: skip
    for name in sprawl_env.__all__:
        item = getattr(sprawl_env, name)
        if inspect.isfunction(item):
            assert f"{item.__module__}.{item.__qualname__}".removeprefix("sprawl_env.") in names
    assert not any("._" in name for name in names)


def test_a_new_callable_is_covered_without_a_new_line():
    objects = {**public_objects(), "sprawl_env.toy.lax": (lax, ())}
    found = {target.name: target for target in targets(objects)}
    assert found["toy.lax"].parameters == (Parameter("seed", ("int",)),)
    (slot,) = slots_of(found["toy.lax"], "tower_up")
    assert len(values_for(slot.name, slot.kinds)) >= LEAST
    check_known(list(found.values()))


def test_every_parameter_of_every_callable_gets_many_values():
    made = chosen_calls(Calls(calls=0))
    assert len(made) > 5000
    least = {}
    for game, name, slot, _ in made:
        if slot:
            least[game, name, slot] = least.get((game, name, slot), 0) + 1
    assert min(least.values()) >= LEAST
    assert {game for game, *_ in made} >= {"tower_up", "ginkgopolis", "urban_sprawl"}


def test_a_parameter_that_nobody_knows_is_named():
    def new(surprise: int) -> int:
        return surprise

    with pytest.raises(InvalidOption, match=r"toy\.function: surprise: nobody knows a good value"):
        check_known([target_of(new)])
    method = Target("toy.Class.new", parameters_of(lax, 0), "new", type("Class", (), {}), lax)
    with pytest.raises(InvalidOption, match="nobody knows a Class"):
        check_known([method])


def test_keywords_that_nobody_knows_are_named():
    def new(**surprises: int) -> None:
        pass

    with pytest.raises(InvalidOption, match=r"\*\*surprises: nobody knows its keywords"):
        check_known([target_of(new)])


@pytest.mark.parametrize(
    ("function", "parameter", "label", "verdict", "says"),
    [
        (checked(strict), "seed", "list", REFUSED, "expected a whole number"),
        (checked(strict), "seed", "array 0-d int", ACCEPTED, ""),
        (lax, "seed", "list", WRONG, "accepted"),
        (lax, "seed", "nan", WRONG, "accepted"),
        (raw, "seed", "list", WRONG, "TypeError"),
        (two_lines, "seed", "list", WRONG, "OwnText is no short line: 'seed: expected"),
        (too_long, "seed", "list", WRONG, "OwnText is no short line: 'xxx"),
        (writes, "g", "0.0", WRONG, "the records have changed"),
    ],
)
def test_a_call_is_judged(place, function, parameter, label, verdict, says):
    found, words = tried(place, function, parameter, label)
    assert found == verdict
    assert says in words


def test_a_call_that_changes_other_games_has_failed(place):
    class Everything:
        def changed(self):
            return True

    target = target_of(checked(strict))
    slot = next(slots_of(target, "tower_up"))
    assert attempt(place, target, slot, "list", Everything()) == (WRONG, "other games have changed")


def test_impossible_records_after_an_accepted_call_are_seen(place):
    def spoil(games: np.ndarray) -> None:
        games["supply"] = 99

    verdict, words = attempt(place, target_of(spoil), None, "", Nobody())
    assert verdict == WRONG
    assert words.startswith("afterwards")


def test_what_is_good_after_all(place):
    assert is_good(place, "seed", ("int",), np.int8(3))
    assert not is_good(place, "seed", ("int",), -1)
    assert not is_good(place, "seed", ("int",), True)
    assert is_good(place, "seed", ("int", "None"), None)
    assert is_good(place, "bots", ("Sequence[str | Bot]",), ["random", place.bot])
    assert not is_good(place, "bots", ("Sequence[str | Bot]",), ["random", 5])
    assert is_good(place, "options.num_players", ("option",), 4)
    assert not is_good(place, "options.num_players", ("option",), 5)
    assert is_good(place, "games", ("Games",), place.games)
    assert not is_good(place, "games", ("Games",), place.games[::2])


TOY = """
import os, sys, time, signal
from experiments.fuzz import attempts, goods
from experiments.fuzz.callables import Target, parameters_of
attempts.Bystanders = lambda place: type("Nobody", (), {"changed": lambda self: False})()

def dies(seed: int = 0) -> None:
    if seed == -1:
        os.kill(os.getpid(), signal.SIGSEGV)
    if seed == 0.0:
        time.sleep(60)

attempts.targets = lambda: [Target("toy.dies", parameters_of(dies, 0), "", None, dies)]
attempts.main()
"""


def test_a_call_that_kills_its_process_or_hangs_is_reported_and_the_rest_is_tried(monkeypatch):
    start = calls.subprocess.Popen

    def toy(arguments, **options):
        return start([arguments[0], "-c", TOY], **options)

    monkeypatch.setattr(calls.subprocess, "Popen", toy)
    labels = ["list", "-1", "1.5", "0.0", "None"]
    ordered = [(k, ("tower_up", "toy.dies", "seed", label)) for k, label in enumerate(labels)]
    started = time.perf_counter()
    found = list(make_calls(ordered, seconds=3.0))
    assert [number for number, _, _ in found] == [0, 1, 2, 3, 4]
    assert found[1][1:] == (WRONG, f"the process was ended by {signal.Signals.SIGSEGV.name}")
    assert found[3][1:] == (WRONG, "no end within 3 seconds")
    assert {words for _, _, words in found[::2]} == {"accepted"}
    assert time.perf_counter() - started < calls.START_SECONDS


def test_a_short_run_finds_nothing_and_goes_on_where_it_was_stopped(tmp_path, capsys):
    config = Calls(
        calls=120, only=("game.Game.", "core.state"), games=("tower_up",), jobs=1, out=tmp_path
    )
    assert fuzz(config) == 0
    rows = [json.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines()]
    assert len(rows) == 120
    assert {row["verdict"] for row in rows} == {REFUSED, ACCEPTED}
    assert fuzz(config) == 0
    assert len((tmp_path / "calls.jsonl").read_text().splitlines()) == 120
    assert "failures" in capsys.readouterr().out
    with pytest.raises(InvalidOption, match="choose another --out"):
        fuzz(Calls(calls=121, only=config.only, games=config.games, out=tmp_path))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"calls": -1}, "calls -1: expected 0 or more"),
        ({"jobs": 0}, "jobs 0: expected 1 or more"),
        ({"seconds": 0.0}, "seconds 0.0: expected more than 0"),
        ({"seed": -1}, "seed -1"),
        ({"games": ("chess",)}, "unknown game"),
        ({"only": ("nothing-like-it",)}, "no public callable"),
    ],
)
def test_impossible_settings_are_refused(tmp_path, change, says):
    with pytest.raises(ValueError, match=says):
        fuzz(Calls(out=tmp_path / "new", **change))
    assert not (tmp_path / "new").exists()


def test_good_values_are_for_what_exists():
    used = {key for t in targets() for p in t.parameters for key in attempts.keys_of(t, p)}
    assert set(goods.GOOD) <= used
    assert set(goods.OF_OBJECT) <= used
    owners = {target.owner.__name__ for target in targets() if target.method}
    assert set(goods.OBJECTS) == owners


def test_a_reward_may_be_a_function(place):
    slot = next(
        parameter
        for target in targets()
        if target.name == "adapters.pettingzoo_base.ZooGame"
        for parameter in slots_of(target, place.name)
        if parameter.name == "reward"
    )
    assert is_good(place, slot.name, slot.kinds, len)
    assert not is_good(place, slot.name, slot.kinds, 1)
