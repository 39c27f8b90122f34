"""core/files.py: reading what may be anything, and writing whole files."""

import os
import subprocess
import sys

import pytest

from sprawl_env.console import check_writable
from sprawl_env.core import files
from sprawl_env.core.errors import InvalidOption, SprawlError, printable
from tests.commands import ROOT


def test_the_text_of_an_error_is_one_printable_line():
    assert str(SprawlError("a\nb\x1b[2J\u202e\ud800")) == r"a\nb\x1b[2J\u202e\ud800"
    assert str(SprawlError("Züge – 3 × 2")) == "Züge – 3 × 2"
    assert printable("") == ""


def test_text_files_appear_whole(tmp_path):
    files.write_atomically(tmp_path / "new" / "a.json", "{}")
    (tmp_path / "new" / "a.json").chmod(0o600)
    files.write_atomically(tmp_path / "new" / "a.json", "[]")
    assert (tmp_path / "new" / "a.json").stat().st_mode & 0o777 == 0o600
    assert [path.read_text() for path in (tmp_path / "new").iterdir()] == ["[]"]


def test_a_failed_write_keeps_the_file_and_leaves_nothing(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    files.write_atomically(path, "old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        files.write_atomically(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_link_stays_and_its_file_is_written(tmp_path):
    target = tmp_path / "results" / "a.json"
    (tmp_path / "link").symlink_to(target)
    for text in ("first", "second"):
        files.write_atomically(tmp_path / "link", text)
        assert (tmp_path / "link").is_symlink()
        assert target.read_text() == text
    assert os.listdir(target.parent) == ["a.json"]


@pytest.mark.parametrize("by_link", [False, True])
def test_a_pipe_or_a_device_is_not_replaced(tmp_path, by_link):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    (tmp_path / "null").symlink_to("/dev/null")
    before = sorted(os.listdir(tmp_path))
    for name in ("link", "null") if by_link else ("pipe",):
        with pytest.raises(OSError, match="not a regular file"):
            files.write_atomically(tmp_path / name, "text")
        with pytest.raises(InvalidOption, match=f"^out='.*{name}': .* this is a pipe or a device"):
            check_writable(tmp_path / name)
    assert (tmp_path / "pipe").is_fifo()
    assert sorted(os.listdir(tmp_path)) == before


def test_a_link_can_be_written_where_its_file_can(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "new" / "a.json")
    (tmp_path / "wrong").symlink_to(tmp_path / "file" / "a.json")
    check_writable(tmp_path / "link")
    with pytest.raises(InvalidOption, match="is not writable"):
        check_writable(tmp_path / "wrong")


def test_leftovers_of_killed_processes_are_deleted_and_no_others(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    other = f".b.json.{files.HOST}.{ended.pid}"
    kept = {
        f".a.json.{files.HOST}.{os.getppid()}",  # it runs
        f".a.json.abcdef01.{ended.pid}",  # of another machine
        f".a.json.{files.HOST}.2x",
        f".a.json.{ended.pid}",
        f".notes.{ended.pid}",
    }
    (tmp_path / f".folder.{files.HOST}.{ended.pid}").mkdir()
    for name in (*kept, other, f".a.json.{files.HOST}.{ended.pid}"):
        (tmp_path / name).write_text("half")
    kept |= {"a.json", f".folder.{files.HOST}.{ended.pid}"}
    files.write_atomically(tmp_path / "a.json", "whole")
    assert set(os.listdir(tmp_path)) == {*kept, other}
    files.write_atomically(tmp_path / "[ab].json", "whole")
    assert set(os.listdir(tmp_path)) == {*kept, other, "[ab].json"}
    files.remove_leftovers(tmp_path)
    assert set(os.listdir(tmp_path)) == {*kept, "[ab].json"}


def test_what_another_machine_is_writing_is_left_alone(tmp_path):
    writes = (
        "import os, pathlib, platform, sys\n"
        "platform.node = lambda: sys.argv[1]\n"
        "from sprawl_env.core import files\n"
        "def full(path, content):\n"
        "    path.write_bytes(content)\n"
        "    os._exit(0)\n"  # as if killed
        "files.write_durably = full\n"
        "files.write_atomically(pathlib.Path('a.json'), sys.argv[1])\n"
    )
    for host in ("büro/1", "b", "büro/1"):
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        words = [sys.executable, "-c", writes, host]
        subprocess.run(words, cwd=tmp_path, env=environment, check=True)
    left = sorted(path.read_text() for path in tmp_path.iterdir())
    assert left == ["b", "büro/1"]  # one of each, none deleted by the other


def test_a_large_file_is_not_read(tmp_path, monkeypatch):
    (tmp_path / "a").write_bytes(b"123")
    assert files.read_bytes(tmp_path / "a") == b"123"
    monkeypatch.setattr(files, "MOST_BYTES", 2)
    with pytest.raises(OSError, match="larger than 2 bytes"):
        files.read_bytes(tmp_path / "a")


def test_json_is_read_as_it_is_written():
    assert files.parse_json('{"a": [1, -2.5e3, "x", null, true]}') == {
        "a": [1, -2500.0, "x", None, True]
    }
    for text, says in [
        ("Infinity", "finite"),
        ("[-Infinity]", "finite"),
        ("NaN", "finite"),
        ("-1e999", "finite"),
        ('{"a":1,"a":1}', "twice"),
        ("[" * 99_999, "deep"),
        ("", "Expecting value"),
    ]:
        with pytest.raises(ValueError, match=says):
            files.parse_json(text)
