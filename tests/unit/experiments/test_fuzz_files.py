"""experiments/fuzz/files: damaged files are refused or work; what does neither is reported."""

import json
import sys
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("tyro")
pytest.importorskip("rich")
pytest.importorskip("sb3_contrib")
pytest.importorskip("safetensors")

from experiments.fuzz import files, mutations
from experiments.fuzz.files import ACCEPTED, REFUSED, Files, chunks_of, fuzz, try_chunk
from experiments.fuzz.kinds import KINDS, OWN, Broken, Kind, readers
from sprawl_env.arena import tournament
from sprawl_env.core.errors import InvalidOption, UnknownName
from tests.commands import run_code


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Few damages of files of which there is one variant, in this process."""
    for name, kind in KINDS.items():
        monkeypatch.setitem(KINDS, name, replace(kind, variants=1))
    monkeypatch.setattr(files, "CHUNK", 8)
    monkeypatch.setattr(files, "limit_memory", lambda: None)
    files.variants.cache_clear()


def in_this_process(tmp_path, name):
    (tmp_path / "home").mkdir()
    config = Files(out=tmp_path)
    return try_chunk(config, tmp_path / "home", (name, 0), lambda seat, number: None)


def test_every_function_that_reads_files_is_of_a_kind():
    of_kinds = {reader for kind in KINDS.values() for reader in kind.reads}
    assert of_kinds | set(OWN) == readers()
    assert not of_kinds & set(OWN)


@pytest.mark.filterwarnings("ignore::sprawl_env.core.errors.OtherOptions")
@pytest.mark.parametrize("name", KINDS)
def test_files_are_read_by_the_functions_of_their_kind_and_damaged_ones_refused_or_work(
    tmp_path, name, monkeypatch
):
    kind, called = KINDS[name], set()

    def trace(frame, event, argument):
        if event == "call":
            called.add(f"{frame.f_globals.get('__name__')}:{frame.f_code.co_name}")

    def read(folder):
        if called:
            return kind.read(folder)
        sys.setprofile(trace)
        try:
            return kind.read(folder)  # of an undamaged file
        finally:
            sys.setprofile(None)

    monkeypatch.setitem(KINDS, name, replace(kind, read=read))
    row = in_this_process(tmp_path, name)
    assert row["failures"] == []
    assert row[ACCEPTED] + row[REFUSED] == 8
    assert set(kind.reads) <= called


def test_a_reader_that_lets_an_exception_through_is_reported(tmp_path, monkeypatch):
    folder = tmp_path
    KINDS["tournament"].make(folder, 0)
    path = folder / "results.jsonl"
    row = json.loads(path.read_text().splitlines()[0])
    path.write_text(json.dumps({**row, "ranks": ["x", "y"]}) + "\n")
    assert files.verdict(KINDS["tournament"], folder) == (REFUSED, "")
    monkeypatch.setattr(tournament, "is_result", lambda seats, row: True)
    found, wrong = files.verdict(KINDS["tournament"], folder)
    assert found == ACCEPTED
    assert "Traceback" in wrong


WHOLE = '{"a": [1, 2, 3]}'


def plain(read):
    """A kind of which whole files are accepted; damaged ones are read by ``read``."""

    def make(folder, number):
        (folder / "file.json").write_text(WHOLE)

    def read_damaged(folder):
        path = folder / "file.json"
        whole = path.is_file() and path.read_bytes() == WHOLE.encode()
        return (lambda: None) if whole else read(folder)

    return Kind((), make, read_damaged)


def refuse(folder):
    raise InvalidOption("no")


def use_nothing(folder):
    return lambda: None


def stumble(folder):
    raise KeyError("a")


def stumble_later(folder):
    return lambda: json.loads("x")


def break_later(folder):
    def use():
        raise Broken("it has no end")

    return use


def refuse_later(folder):
    return lambda: refuse(folder)


def colour(folder):
    print("\x1b[31m")
    return lambda: None


@pytest.mark.parametrize(
    ("read", "expected", "says"),
    [
        (refuse, REFUSED, ""),
        (use_nothing, ACCEPTED, ""),
        (stumble, ACCEPTED, "KeyError"),
        (stumble_later, ACCEPTED, "JSONDecodeError"),
        (break_later, ACCEPTED, "it has no end"),
        (refuse_later, ACCEPTED, "InvalidOption: no"),
        (colour, ACCEPTED, "control characters"),
    ],
)
def test_verdicts(tmp_path, read, expected, says):
    found, wrong = files.verdict(Kind((), refuse, read), tmp_path)
    assert found == expected
    assert says in wrong if says else wrong == ""


def swallow_memory(folder):
    return lambda: bytes(2**40)


def test_a_failure_is_saved_with_the_damaged_file(tmp_path, monkeypatch):
    monkeypatch.setitem(KINDS, "mine", plain(stumble))
    row = in_this_process(tmp_path, "mine")
    assert len(row["failures"]) == 8
    folder = tmp_path / "failures" / row["failures"][0]
    assert (folder / "file.json").exists()
    assert "KeyError: 'a'" in (folder / "wrong.txt").read_text()


def test_undamaged_files_that_are_refused_stop_the_command(tmp_path, monkeypatch):
    monkeypatch.setitem(KINDS, "mine", replace(plain(refuse), read=refuse))
    with pytest.raises(Broken, match="mine 0: refused"):
        files.variants("mine", tmp_path)


def test_too_much_memory_is_a_failure(tmp_path, monkeypatch):
    monkeypatch.setitem(KINDS, "mine", plain(swallow_memory))
    assert len(in_this_process(tmp_path, "mine")["failures"]) == 8


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_the_memory_of_a_process_is_limited():
    code = "from experiments.fuzz.files import limit_memory\nlimit_memory()\nprint(1)\n"
    code += "try:\n    bytes(3 * 2**30)\nexcept MemoryError:\n    print('full')"
    assert run_code(code)[0] == "1\nfull\n"


def test_a_stopped_command_goes_on(tmp_path, monkeypatch, capsys):
    config, tried = Files(mutations=64, only=("journal", "data"), out=tmp_path), []

    def without_processes(config, chunks, left):
        for task in left:
            tried.append(chunks[task])
            name, chunk = chunks[task]
            counts = {ACCEPTED: 5, REFUSED: 20, "seconds": 1.0, "failures": []}
            yield {"kind": name, "chunk": chunk, **counts}
            if len(tried) == 3:
                return

    monkeypatch.setattr(files, "_tried", without_processes)
    assert fuzz(config) == 0
    assert fuzz(config) == 0
    assert tried == chunks_of(config)
    assert "200" in capsys.readouterr().out
    line = (tmp_path / "files.jsonl").read_text().splitlines()[0]
    (tmp_path / "files.jsonl").write_text(line.replace("20", '"x"') + "\n")
    with pytest.raises(Exception, match="line 1 is damaged: delete that line"):
        fuzz(config)


def test_processes_that_die_or_hang_are_failures(tmp_path, monkeypatch):
    rows = [
        files._lost(Files(out=tmp_path), "data", 0, 7, None),
        files._lost(Files(out=tmp_path), "data", 0, 8, -11),
    ]
    says = [(tmp_path / "failures" / r["failures"][0] / "wrong.txt").read_text() for r in rows]
    assert says == ["the process hangs for 60 seconds\n", "the process ended with -11\n"]


def test_a_worker_tries_a_chunk(tmp_path, capsys):
    config = Files(mutations=8, only=("journal",), jobs=1, out=tmp_path)
    assert fuzz(config) == 0
    (row,) = [json.loads(line) for line in (tmp_path / "files.jsonl").read_text().splitlines()]
    assert row[ACCEPTED] + row[REFUSED] == 25  # a chunk, as large as outside of this test
    assert "journal" in capsys.readouterr().out


@pytest.mark.parametrize("suffix", [*mutations.STRUCTURED, ".md"])
def test_a_mutation_changes_the_file_and_is_the_same_for_a_seed(suffix):
    content = {
        ".toml": b'[[card]]\nname = "a"\ncost = 3\n',
        ".safetensors": (8).to_bytes(8, "little") + b'{"a":{}}' + bytes(40),
    }.get(suffix, b'{"a": [1, 2], "b": {"c": "text"}}\n')
    for seed in range(300):
        first, how = mutations.change(content, suffix, np.random.default_rng(seed))
        assert first != content
        assert (first, how) == mutations.change(content, suffix, np.random.default_rng(seed))


@pytest.mark.parametrize("name", mutations.SPECIALS)
def test_what_is_no_file_takes_its_place(tmp_path, name):
    path = tmp_path / "file"
    mutations.SPECIALS[name](path)
    assert not path.is_file()


@pytest.mark.parametrize(
    ("change", "says"),
    [({"mutations": 0}, "mutations 0"), ({"jobs": 0}, "jobs 0"), ({"seed": -1}, "seed -1")],
)
def test_impossible_settings_are_refused(tmp_path, change, says):
    with pytest.raises(InvalidOption, match=says):
        fuzz(Files(out=tmp_path / "new", **change))
    with pytest.raises(UnknownName, match="kind"):
        fuzz(Files(out=tmp_path / "new", only=("movies",)))
    assert not (tmp_path / "new").exists()


def test_a_file_whose_header_is_empty_can_be_mutated():
    empty = (0).to_bytes(8, "little")
    for seed in range(20):
        assert mutations.change_tensors(empty, np.random.default_rng(seed)) != empty
