"""experiments/fuzz/cache: a damaged cache is compiled anew; one that is loaded is reported."""

import json

import pytest

pytest.importorskip("tyro")
pytest.importorskip("rich")

from experiments.fuzz import cache
from experiments.fuzz.cache import DAMAGES, SHARES, SWAP, Cache, damage, files_of, fuzz, kind_of
from sprawl_env.core.errors import InvalidOption
from sprawl_env.kernels.compile import JIT

KINDS = {
    "code of a part",
    "entry of a part",
    "entry of a program",
    "index of a part",
    "index of a program",
}
UNCHECKED = """
import sprawl_env.kernels.cache as cache
import sprawl_env.kernels.libraries as libraries
cache.read_named = libraries.read_named = lambda file: file.read_bytes()
cache.read_stamped = lambda file: file.read_bytes()[32:]
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A cache, and the digest of the game that is played with it."""
    if not JIT:
        pytest.skip("needs compiled kernels")
    folder = tmp_path_factory.mktemp("whole") / "cache"
    assert cache.play(Cache(), folder)[2] == ""
    digest, opened, wrong = cache.play(Cache(), folder)
    assert wrong == ""
    assert {kind_of(folder / path) for path in opened} >= {"entry of a program"}
    return folder, digest


def test_a_cache_has_files_of_every_kind(whole):
    assert set(files_of(whole[0])) == KINDS


@pytest.mark.parametrize("number", range(4))
def test_a_damaged_cache_is_compiled_anew(whole, tmp_path, number):
    row = cache.try_damage(Cache(out=tmp_path), *whole, number)
    assert row["failures"] == []


def first_that_is(how, kind, whole, tmp_path):
    """The first number whose damage is of a sort."""
    for number in range(1000):
        copy = tmp_path / str(number)
        cache.shutil.copytree(whole[0], copy)
        found, changed = damage(copy, cache.combine(0, number))
        if found == how and kind_of(changed[0]) == kind:
            return number
        cache.shutil.rmtree(copy)
    raise AssertionError


def test_a_cache_without_the_check_is_reported(whole, tmp_path, monkeypatch):
    number = first_that_is("longer", "entry of a program", whole, tmp_path)
    marker = "import sprawl_env\n\ngame ="
    assert marker in cache.PROGRAM
    monkeypatch.setattr(cache, "PROGRAM", cache.PROGRAM.replace(marker, UNCHECKED + marker))
    row = cache.try_damage(Cache(out=tmp_path), *whole, number)
    assert row["read"]
    (name,) = row["failures"]
    saved = json.loads((tmp_path / "failures" / name).read_text())
    assert "was loaded although it is damaged" in saved["wrong"]
    assert saved["files"]


def test_a_stopped_command_goes_on(tmp_path, monkeypatch, capsys):
    tried = []

    def without_processes(config, left):
        for number in left:
            tried.append(number)
            about = {"number": number, "kind": "code of a part", "how": "bit", "read": True}
            yield {**about, "seconds": 1.0, "failures": []}
            if len(tried) == 2:
                return

    monkeypatch.setattr(cache, "JIT", True)
    monkeypatch.setattr(cache, "_tried", without_processes)
    config = Cache(flips=5, out=tmp_path)
    assert fuzz(config) == 0
    assert fuzz(config) == 0
    assert tried == [0, 1, 2, 3, 4]
    assert "failures" in capsys.readouterr().out


def test_every_damage_changes_the_content():
    content = bytes(range(200))
    for seed in range(50):
        for change in DAMAGES.values():
            assert change(content, cache.np.random.default_rng(seed)) != content
    assert {*DAMAGES, SWAP} == set(SHARES)
    assert sum(SHARES.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("change", "says"),
    [({"flips": 0}, "flips 0"), ({"jobs": 0}, "jobs 0"), ({"seed": -1}, "seed -1")],
)
def test_impossible_settings_are_refused(tmp_path, change, says):
    with pytest.raises(InvalidOption, match=says):
        fuzz(Cache(out=tmp_path / "new", **change))
    assert not (tmp_path / "new").exists()


def test_plain_python_has_no_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "JIT", False)
    with pytest.raises(InvalidOption, match="NUMBA_DISABLE_JIT"):
        fuzz(Cache(out=tmp_path))
