"""experiments/fuzz kill: what a killed command loses or leaves behind is found."""

import json
from dataclasses import replace

import pytest

pytest.importorskip("tyro")
pytest.importorskip("rich")
pytest.importorskip("safetensors")
pytest.importorskip("tensorboard")

from experiments.fuzz import kill, killed
from experiments.fuzz.kill import FAILED, LEFTOVER, LOST, Ground, Kill, Moment, Trial, fuzz
from experiments.fuzz.killed import Entry, Place, command_names, without_entry
from sprawl_env.core.errors import InvalidOption, UnknownName

pytestmark = pytest.mark.skipif(
    not (kill.PROCESSES / "self" / "environ").exists(), reason="processes are found under /proc"
)
LINES = 6
# Appends lines; started again, it goes on after the last whole one.
GOOD = """
import multiprocessing, os, pathlib, subprocess, sys, time
path = pathlib.Path("rows.jsonl")
content = path.read_bytes() if path.exists() else b""
begun = bool(content)
lines = content[: content.rfind(b"\\n") + 1].splitlines(keepends=True)
os.truncate(path, len(b"".join(lines))) if begun else None
{begin}
with path.open("ab") as file:
    for number in range(len(lines), 6):
        file.write(b'{{"row": %d}}\\n' % number)
        file.flush()
        time.sleep(0.1)
{end}
"""
SLEEPER = "sleeper = subprocess.Popen(['sleep', '60'], start_new_session=True)"

MORE = ("experiments.train", "tournament", "warmup")  # that take a minute


def toy(begin="", end=""):
    """Return a command that is a script, and what it does wrong."""

    def prepare(folder):
        (folder / "toy.py").write_text(GOOD.format(begin=begin, end=end))

    return Entry("toy", "toy", prepare=prepare, journals=("rows.jsonl",))


def tried(folder, entry, moments, limit=60.0):
    """Kill a toy; return the trial."""
    cache = folder / "cache"
    cache.mkdir()
    unbroken = kill.run_unbroken(entry, Place(folder / "unbroken", cache), {}, limit)
    place = Place(folder / "broken", cache)
    kill.prepare(entry, place, {})
    trial = Trial(entry, unbroken, place, limit)
    kill.run_trial(trial, moments)
    return trial


def at_change(number, *, alone=False):
    return Moment(0.0, number, 0.0, alone)


@pytest.mark.parametrize("alone", [True, False])
def test_a_command_that_goes_on_has_no_problem(tmp_path, alone):
    trial = tried(tmp_path, toy(), [at_change(2, alone=alone), at_change(1, alone=alone)])
    assert trial.problems == []
    assert len(trial.moments) == 2
    assert trial.place.work.joinpath("rows.jsonl").read_bytes().count(b"\n") == LINES


@pytest.mark.parametrize(
    ("begin", "end", "says"),
    [
        ("path.unlink(missing_ok=True)", "", "rows.jsonl: a line is lost"),
        ("lines = lines and [*lines, b'']", "", "rows.jsonl: neither absent nor"),
        ("", "path.unlink() if begun else None", "rows.jsonl: lost"),
        (
            "new = pathlib.Path('new.json')\n"
            "new.write_text('{')\n"
            "time.sleep(0.4)\n"
            "new.write_text('{}')",
            "",
            "new.json: neither absent nor that of the unbroken command",
        ),
    ],
)
def test_what_is_lost_is_found(tmp_path, begin, end, says):
    entry = toy(begin, end)
    if "neither absent" in says:  # a journal may lack its last lines, other files may not
        entry = replace(entry, journals=() if begin.startswith("lines") else entry.journals)
    trial = tried(tmp_path, entry, [at_change(2 if "new" not in begin else 1)])
    assert any(kind == LOST and text.startswith(says) for kind, text in trial.problems)


@pytest.mark.parametrize(
    ("begin", "end", "says"),
    [
        (
            "mine = pathlib.Path(f'.rows.{os.getpid()}')\nmine.write_text('')",
            "mine.unlink()",
            ".rows.",
        ),
        (
            "mine = pathlib.Path(os.environ['TMPDIR']) / str(os.getpid())\nmine.mkdir()",
            "mine.rmdir()",
            "TMPDIR/",
        ),
        ("lock = multiprocessing.get_context('spawn').Lock()", "", "shared memory sem."),
        (SLEEPER, "sleeper.kill()", "process "),
    ],
)
def test_what_is_left_behind_is_found(tmp_path, monkeypatch, begin, end, says):
    monkeypatch.setattr(kill, "LONGEST_END", 1.0)
    trial = tried(tmp_path, toy(begin, end), [at_change(4)])
    for name in kill.left_memory(trial.memory):
        (kill.MEMORY / name).unlink()
    assert {kind for kind, _ in trial.problems} == {LEFTOVER}
    assert all(text.startswith(says) for _, text in trial.problems)


def test_a_command_that_fails_or_hangs_when_it_goes_on_is_found(tmp_path):
    for number, (begin, says) in enumerate(
        [("1 / 0 if begun else 0", "ended with 1: Zero"), ("begun and time.sleep(60)", "does not")]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        trial = tried(folder, toy(begin), [at_change(2)], limit=3.0)
        assert any(kind == FAILED and text.startswith(says) for kind, text in trial.problems)


def test_every_command_is_killed_or_known_to_print(monkeypatch, tmp_path):
    assert {"tournament", "play", "replay html", "experiments.train"} < set(command_names())
    assert without_entry() == []
    monkeypatch.setattr(killed, "ENTRIES", killed.ENTRIES[1:])
    with pytest.raises(InvalidOption, match=r"experiments\.train: expected an entry"):
        fuzz(Kill(out=tmp_path))


def test_a_command_that_only_prints_but_writes_is_refused(monkeypatch, tmp_path):
    ground = Ground(tmp_path / "ground", Kill(out=tmp_path))
    silent = Entry("silent", "toy", prepare=toy().prepare)
    monkeypatch.setattr(kill, "PRINTS", (silent,))
    with pytest.raises(InvalidOption, match="silent: writes files"):
        kill.check_prints(ground)


def test_impossible_settings_are_refused(tmp_path):
    for change in ({"kills": 0}, {"seconds": 0.0}, {"seed": -1}):
        with pytest.raises(InvalidOption):
            fuzz(Kill(out=tmp_path / "new", **change))
    with pytest.raises(UnknownName, match="command"):
        fuzz(Kill(only=("evalute",), out=tmp_path / "new"))
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
@pytest.mark.compiled
def test_killed_commands_are_counted_and_not_killed_again(tmp_path, capsys, monkeypatch):
    config = Kill(kills=2, only=("evaluate",), out=tmp_path)
    assert fuzz(config) == 0
    rows = [json.loads(line) for line in (tmp_path / "kill.jsonl").read_text().splitlines()]
    assert sum(row["kills"] for row in rows) >= config.kills
    monkeypatch.setattr(Ground, "trial", None)  # must not be needed
    assert fuzz(config) == 0
    assert "leftovers" in capsys.readouterr().out


@pytest.mark.long
@pytest.mark.compiled
@pytest.mark.parametrize(
    "name",
    ["play", *(pytest.param(n, marks=pytest.mark.slow) for n in MORE)],
)
def test_killed_commands_lose_and_leave_nothing(tmp_path, name):
    if name == "experiments.train":
        pytest.importorskip("sb3_contrib")
    assert fuzz(Kill(kills=1, only=(name,), out=tmp_path)) == 0
