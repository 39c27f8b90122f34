"""kernels/checked_files.py and cache.py: what is loaded from the kernel cache, and from where."""

import importlib
import os
import pickle
import subprocess
import sys
import warnings

import pytest
from numba.core.caching import CompileResultCacheImpl

from sprawl_env.kernels import cache, libraries
from sprawl_env.kernels.checked_files import (
    DamagedFileError,
    make_folder,
    read_named,
    read_stamped,
    why_refused,
    write_named,
    write_stamped,
)
from tests.commands import run_code

KERNELS = """
from sprawl_env.kernels import kernel

@kernel
def half(x):
    return x // 2

@kernel
def sum_of_halves(x):
    total = 0
    for k in range(x):
        total += half(k)
    return total
"""
SUM = sum(k // 2 for k in range(100))
SMALL = """
from sprawl_env.kernels.rng import combine
print(combine(1, 2))
"""
OTHER_USER = 54321
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")


@pytest.fixture
def halves(tmp_path, monkeypatch):
    """A function that loads two small kernels as a new process does.

    It returns their module, after a call.
    """
    monkeypatch.setenv("SPRAWL_ENV_CACHE", str(tmp_path / "cache"))
    (tmp_path / "mine_halves.py").write_text(KERNELS)
    monkeypatch.syspath_prepend(tmp_path)
    cache.cache_folder.cache_clear()
    cache._is_usable.cache_clear()

    def load():
        sys.modules.pop("mine_halves", None)
        libraries._loaded.clear()
        libraries._intact.clear()
        module = importlib.import_module("mine_halves")
        assert module.sum_of_halves(100) == SUM
        return module

    yield load
    sys.modules.pop("mine_halves", None)
    cache.cache_folder.cache_clear()
    cache._is_usable.cache_clear()


@pytest.mark.compiled
def test_the_index_of_another_kernel_is_not_taken_for_a_kernels_own(tmp_path, monkeypatch):
    """Two kernels with the same arguments: exchanged indexes would exchange their code."""
    monkeypatch.setenv("SPRAWL_ENV_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    text = "from sprawl_env.kernels import kernel\n"
    for name, number in (("one", 1), ("two", 2)):
        text += f"\n@kernel\ndef {name}():\n    return {number}\n"
    (tmp_path / "mine_numbers.py").write_text(text)
    code = "import mine_numbers; print(mine_numbers.one(), mine_numbers.two())"
    run_code(code)
    assert run_code(code) == ("1 2\n", "")
    first, second = sorted(tmp_path.rglob("mine_numbers.*.nbi"))
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)
    out, notice = run_code(code)
    assert out == "1 2\n"
    assert "compiling" in notice


def was_loaded(kernel):
    return sum(kernel.stats.cache_hits.values()) > 0


def flip(file, position, bit):
    content = bytearray(file.read_bytes())
    content[position] ^= 1 << bit
    file.write_bytes(content)


def positions(size):
    """Positions in the digest, at both ends and in between."""
    return sorted({0, 31, 32, size // 4, size // 2, 3 * size // 4, size - 1})


@pytest.mark.compiled
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_a_program_with_any_flipped_bit_is_compiled_anew(halves, tmp_path, suffix):
    halves()
    assert was_loaded(halves().sum_of_halves)
    (file,) = (p for p in tmp_path.rglob(f"*{suffix}") if "parts" not in p.parts)
    for k, position in enumerate(positions(file.stat().st_size)):
        (file,) = (p for p in tmp_path.rglob(f"*{suffix}") if "parts" not in p.parts)
        flip(file, min(position, file.stat().st_size - 1), k % 8)
        assert not was_loaded(halves().sum_of_halves)
        assert was_loaded(halves().sum_of_halves)


@pytest.mark.compiled
@pytest.mark.parametrize("suffix", [".nbi", ".nbc", ".bc"])
def test_a_part_with_any_flipped_bit_is_compiled_anew(halves, tmp_path, suffix):
    def without_the_program():
        for path in tmp_path.rglob("*.nbi"):
            if "parts" not in path.parts:
                path.unlink()
        return halves().half.part

    halves()
    assert was_loaded(without_the_program())
    for k in range(7):
        for file in tmp_path.rglob(f"*{suffix}"):
            if "parts" in file.parts or suffix == ".bc":
                flip(file, positions(file.stat().st_size)[k], k)
        assert not was_loaded(without_the_program())
        assert was_loaded(without_the_program())


@pytest.mark.compiled
def test_entries_of_two_signatures_are_apart_and_a_replaced_file_is_deleted(halves, tmp_path):
    module = halves()
    assert module.sum_of_halves(100.0 // 1 == 100) == 0  # a bool: another signature
    files = {p for p in tmp_path.rglob("*.nbc") if "parts" not in p.parts}
    assert len(files) == 2
    for file in files:
        flip(file, 40, 0)
    module = halves()
    assert module.sum_of_halves(True) == 0
    assert len([p for p in tmp_path.rglob("*.nbc") if "parts" not in p.parts]) == 2


@pytest.mark.compiled
def test_an_error_of_numba_is_not_hidden_by_the_cache(halves, monkeypatch):
    def broken(*_):
        raise RuntimeError("numba is broken")

    halves()
    monkeypatch.setattr(CompileResultCacheImpl, "rebuild", broken)
    with pytest.raises(RuntimeError, match="numba is broken"):
        halves()


@pytest.mark.compiled
def test_what_a_killed_process_left_is_deleted_with_the_next_kernel(halves, tmp_path):
    halves()
    left = []
    for path in list(tmp_path.rglob("*.nbi")):
        left.append(path.with_name("tmp1234.tmp"))
        left[-1].write_bytes(b"half")
        path.unlink()
    cache._clean.cache_clear()
    halves()
    assert not any(path.exists() for path in left)
    assert not list(tmp_path.rglob("*.tmp"))


@pytest.mark.compiled
@pytest.mark.parametrize("mode", [0o775, 0o757, 0o1777])
def test_a_cache_folder_in_which_others_can_write_is_refused(tmp_path, mode):
    tmp_path.chmod(mode)
    out, warning = run_code(SMALL, SPRAWL_ENV_CACHE=str(tmp_path))
    assert out
    assert warning.startswith(f"sprawl_env:1: UserWarning: {tmp_path} is writable by other users;")
    assert warning.count("\n") == 1
    assert "SPRAWL_ENV_CACHE" in warning
    assert not list(tmp_path.iterdir())


@needs_root
@pytest.mark.compiled
def test_a_cache_folder_of_another_user_is_refused(tmp_path):
    os.chown(tmp_path, OTHER_USER, OTHER_USER)
    _, warning = run_code(SMALL, SPRAWL_ENV_CACHE=str(tmp_path))
    assert f"{tmp_path} belongs to another user" in warning
    assert not list(tmp_path.iterdir())


@pytest.mark.compiled
def test_any_folder_inside_in_which_others_can_write_is_refused(tmp_path):
    run_code(SMALL, SPRAWL_ENV_CACHE=str(tmp_path))
    assert run_code(SMALL, SPRAWL_ENV_CACHE=str(tmp_path))[1] == ""
    folders = [p for p in tmp_path.rglob("*") if p.is_dir() and "parts" not in p.parts]
    inner = [p for p in folders if p.name == "sprawl_env.kernels.rng"]
    assert inner
    for folder in (inner[0], inner[0].parent, inner[0].parent / "code"):
        folder.chmod(0o777)
        _, warning = run_code(SMALL, SPRAWL_ENV_CACHE=str(tmp_path))
        assert f"{folder} is writable by other users" in warning
        folder.chmod(0o700)


@pytest.mark.compiled
def test_folders_are_private_whatever_the_umask_is(tmp_path):
    code = f"import os; os.umask(0){SMALL}"
    base = tmp_path / "new" / "kernels"
    run_code(code, SPRAWL_ENV_CACHE=str(base))
    assert {p.stat().st_mode & 0o777 for p in (base, *base.rglob("*")) if p.is_dir()} == {0o700}
    assert run_code(code, SPRAWL_ENV_CACHE=str(base))[1] == ""


@pytest.mark.parametrize("jit", ["0", "1"])
def test_import_works_without_home_and_for_a_user_without_an_entry(tmp_path, jit):
    nobody = "os.setreuid(54321, -1)" if os.geteuid() == 0 else "pwd.getpwuid = {}.__getitem__"
    code = f"import os, pwd; {nobody}; import sprawl_env{SMALL}"
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        cwd=tmp_path,
        env={"PYTHONPATH": os.pathsep.join(sys.path), "NUMBA_DISABLE_JIT": jit},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert not list(tmp_path.iterdir())
    assert ("you have no home folder; " in done.stderr) == (jit == "0")


def test_a_file_is_read_only_if_its_digest_is_right(tmp_path):
    name = write_named(tmp_path / "code", b"content", ".bc")
    stamped = tmp_path / "index"
    write_stamped(stamped, b"content")
    assert read_named(tmp_path / "code" / name) == read_stamped(stamped) == b"content"
    for read, file in ((read_named, tmp_path / "code" / name), (read_stamped, stamped)):
        whole = file.read_bytes()
        for damaged in (b"", whole[:-1], whole + b"x", whole[:3]):
            file.write_bytes(damaged)
            with pytest.raises(DamagedFileError, match="damaged"):
                read(file)
    assert not list(tmp_path.rglob("*.tmp"))


@pytest.fixture
def full_disk():
    """No file can become larger than ten bytes."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_write_that_fails_leaves_nothing(tmp_path, full_disk):
    for write in (
        lambda: write_stamped(tmp_path / "index", b"x" * 10**6),
        lambda: write_named(tmp_path, b"x" * 10**6, ".bc"),
    ):
        with pytest.raises(OSError, match="large"):
            write()
        assert os.listdir(tmp_path) == []


def test_a_file_that_cannot_be_replaced_stays_and_is_alone(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError("another process has it open")

    write_stamped(tmp_path / "index", b"old")
    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(PermissionError):
        write_stamped(tmp_path / "index", b"new")
    assert read_stamped(tmp_path / "index") == b"old"
    assert os.listdir(tmp_path) == ["index"]


def test_the_cache_folder_is_an_absolute_path_that_stays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    cache._absolute.cache_clear()
    for chosen, expected in (("here", "here"), ("~/kernels", "home/kernels")):
        monkeypatch.setenv("SPRAWL_ENV_CACHE", chosen)
        assert cache.cache_base() == tmp_path / expected
    monkeypatch.setenv("SPRAWL_ENV_CACHE", "here")
    monkeypatch.chdir("/")
    assert cache.cache_base() == tmp_path / "here"
    cache._absolute.cache_clear()


PLAY = """
from sprawl_env.kernels import kernel

@kernel
def play(x):
    return x + {number}
"""
FACTORY = """
from sprawl_env.kernels import kernel
from sprawl_env.kernels.sources import kernels_label

def doubled(play):
    @kernel(label=kernels_label(play))
    def twice(x):
        return 2 * play(x)

    return twice
"""


@pytest.mark.compiled
def test_what_is_made_from_an_edited_kernel_is_compiled_anew(halves, tmp_path):
    """The machine code of the kernel before the edit is in the cache."""
    (tmp_path / "mine_factory.py").write_text(FACTORY)
    doubled = importlib.import_module("mine_factory").doubled
    for number in (1, 20):
        names = {"__name__": "__main__"}
        exec(compile(PLAY.format(number=number), "<cell>", "exec"), names)
        assert doubled(names["play"])(1) == 2 * (1 + number)
    for number in (1, 20):
        (tmp_path / "mine_play.py").write_text(PLAY.format(number=number))
        module = importlib.import_module("mine_play")
        module = importlib.reload(module) if number == 20 else module
        assert doubled(module.play)(1) == 2 * (1 + number)
    for name in ("mine_factory", "mine_play"):
        del sys.modules[name]


@pytest.mark.compiled
def test_a_lock_that_is_never_free_is_a_warning(halves, tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "_LONGEST_WAIT", 0.0)
    monkeypatch.setattr(cache.FileLock, "_acquire", lambda self: None)  # it is somebody else's
    with pytest.warns(UserWarning, match="a kernel was not cached"):
        halves()
    assert not list(tmp_path.rglob("*.nbi"))


def test_a_new_folder_is_of_this_user_alone(tmp_path):
    make_folder(tmp_path / "a" / "b")
    assert why_refused(tmp_path / "a") == why_refused(tmp_path / "a" / "b") == ""


def test_an_entry_that_names_what_is_gone_counts_as_damaged(tmp_path):
    file = tmp_path / "index"
    write_stamped(file, b"cno_such_module\nName\n.")
    with pytest.raises(DamagedFileError, match="no_such_module"):
        cache._unpickled(file, read_stamped)
    write_stamped(file, pickle.dumps([1]))
    assert cache._unpickled(file, read_stamped) == [1]


def test_a_warning_is_given_once_for_each_reason():
    cache._warn.cache_clear()
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        cache._warn("a", "b")
        cache._warn("a", "b")
    assert [str(each.message).count("\n") for each in given] == [0]
