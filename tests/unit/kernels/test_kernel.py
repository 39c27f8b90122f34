"""kernels/compile.py and cache.py: compiling kernels and keeping them on disk."""

import gc
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from numba.core.caching import NullCache
from numba.core.compiler import CompilerBase
from numba.core.errors import TypingError

from sprawl_env.kernels import cache, sources
from sprawl_env.kernels.compile import bound, kernel

pytestmark = pytest.mark.compiled

SMALL = """
import numpy as np
from sprawl_env.kernels.rng import combine, seed_state, next_word
games = np.zeros(1, [("rng", np.int64)]).view(np.recarray)
seed_state(games[0], 5)
print(combine(1, 2), next_word(games[0]))
"""


def run(code, cache, **environment):
    env = {**os.environ, "SPRAWL_ENV_CACHE": str(cache), "SPRAWL_ENV_QUIET": "0", **environment}
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process):
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out, err


def test_a_cold_cache_says_so_once_and_a_warm_one_is_silent(tmp_path):
    cold, notice = finish(run(SMALL, tmp_path))
    assert notice.count("compiling the rules") == 1
    warm, silence = finish(run(SMALL, tmp_path))
    assert (warm, silence) == (cold, "")


def test_processes_racing_on_an_empty_cache_all_succeed_and_leave_it_whole(tmp_path):
    racers = [run(SMALL, tmp_path) for _ in range(3)]
    results = {finish(racer)[0] for racer in racers}
    assert len(results) == 1
    assert finish(run(SMALL, tmp_path))[1] == ""


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_cache_folder_warns_and_works(tmp_path):
    tmp_path.chmod(0o500)
    _, warning = finish(run(SMALL, tmp_path / "kernels"))
    assert "cannot write" in warning


def test_a_cache_path_that_is_no_folder_warns_and_works(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    out, warning = finish(run(SMALL, blocked / "kernels"))
    assert "SPRAWL_ENV_CACHE" in warning
    assert out


def test_the_folders_are_named_by_flags_too(tmp_path):
    finish(run(SMALL, tmp_path))
    folders = {p for p in tmp_path.iterdir() if p.is_dir()}
    finish(run(SMALL, tmp_path, NUMBA_BOUNDSCHECK="1"))
    assert len({p for p in tmp_path.iterdir() if p.is_dir()}) == 2 * len(folders)


def test_the_digest_changes_with_a_rule_a_number_or_a_kernel_elsewhere_only(tmp_path):
    root = tmp_path / "package"
    for folder in ("core", "games", "adapters", "render"):
        (root / folder).mkdir(parents=True)

    def digest():
        return sources.source_digest.__wrapped__(root)

    seen = [digest()]
    for file, content in [
        ("core/a.py", "x = 1"),
        ("games/rows.toml", "x = 1"),
        ("games/rows.toml", "x = 2"),
        ("adapters/fast.py", "from sprawl_env.kernels.compile import kernel"),
    ]:
        (root / file).write_text(content)
        seen.append(digest())
    assert len(set(seen)) == 5
    for file in (
        "adapters/slow.py",
        "render/picture.py",
        "games/render.py",
        "games/render_cards.py",
        "games/changes.py",
        "games/questions.py",
        "core/changes.py",
    ):
        (root / file).write_text("x = 1")
    assert digest() == seen[-1]
    (root / "games" / "surrender.py").write_text("x = 1")
    (root / "games" / "exchanges.py").write_text("x = 1")
    assert digest() != seen[-1]


def test_old_folders_are_pruned_but_never_young_ones(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "_KEEP_FOLDERS", 6)
    folders = [tmp_path / f"{k:016x}" for k in range(10)]
    for k, folder in enumerate(folders[:9]):
        folder.mkdir()
        os.utime(folder, (k, k))
    folders[9].mkdir()
    young = tmp_path / f"{10:016x}"  # though six others are newer
    young.mkdir()
    an_hour_ago = time.time() - 3600
    os.utime(young, (an_hour_ago, an_hour_ago))
    for k in range(4, 9):
        soon = time.time() - 60 * k
        os.utime(folders[k], (soon, soon))
    cache._prune.__wrapped__(tmp_path)
    assert set(tmp_path.iterdir()) == {*folders[4:], young}


def test_only_cache_folders_are_pruned(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "_KEEP_FOLDERS", 1)
    target = tmp_path.parent / f"{tmp_path.name}-target"
    target.mkdir()
    others = ["projects", "0123456789abcdefg", "0123456789ABCDEF", "0123456789abcde", ".cache"]
    for name in (*others, "0123456789abcdef"):
        (tmp_path / name / "inside").mkdir(parents=True)
        os.utime(tmp_path / name, (0, 0))
    (tmp_path / f"{0:016x}").symlink_to(target)
    (tmp_path / f"{1:016x}").mkdir()
    cache._prune.__wrapped__(tmp_path)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {*others, f"{0:016x}", f"{1:016x}"}
    assert target.is_dir()
    assert (tmp_path / "projects" / "inside").is_dir()


def test_numbas_own_configuration_is_left_alone():
    import numba

    assert str(Path(numba.config.CACHE_DIR or "")) in {".", os.environ.get("NUMBA_CACHE_DIR", ".")}


def test_garbage_collection_is_disabled_while_a_kernel_is_compiled_and_not_afterwards(monkeypatch):
    met = []

    @kernel(label="collector")
    def double(x):
        return 2 * x

    double._cache = NullCache()  # always compile it
    inner = CompilerBase.compile_extra
    monkeypatch.setattr(
        CompilerBase,
        "compile_extra",
        lambda self, function: (met.append(gc.isenabled()), inner(self, function))[1],
    )
    assert double(2) == 4
    assert met == [False]
    assert gc.isenabled()
    with pytest.raises(TypingError):
        double(None)
    assert gc.isenabled()


@kernel
def added(pair, factor):
    """Add a number to an array and return its sum."""
    total = 0
    for k in range(pair.size):
        pair[k] += factor
        total += pair[k]
    return total


def test_a_bound_kernel_does_what_the_kernel_does_and_looks_at_no_type():
    code = bound(added, np.zeros(2), 1)
    numbers = np.zeros(3)
    assert code(numbers, 2) == added(numbers.copy(), 0) == 6.0
    assert len(added.overloads) == 1
    with pytest.raises(TypeError):
        code("text", 2)


def test_plain_python_is_bound_to_itself():
    assert bound(added.py_func, np.zeros(2), 1) is added.py_func
