"""arena/journal.py: files that are no journals."""

import os

import pytest

from sprawl_env.arena.journal import Journal
from sprawl_env.arena.schedule import is_result, is_timing
from sprawl_env.core.errors import PositionError
from sprawl_env.core.files import fits


def anything(row):
    return True


@pytest.mark.skipif(os.name == "nt", reason="links and pipes")
@pytest.mark.parametrize(
    "make",
    [os.mkfifo, os.mkdir, lambda p: p.symlink_to("/dev/zero"), lambda p: p.symlink_to("nothing")],
)
def test_only_a_regular_file_is_read(tmp_path, make):
    make(tmp_path / "results.jsonl")
    with pytest.raises(PositionError, match="cannot be read"):
        Journal(tmp_path / "results.jsonl", anything)


@pytest.mark.parametrize("line", ["[" * 100_000, '{"a": NaN}', '{"a": 1, "a": 2}', "[]"])
def test_a_line_that_is_no_object_is_named(tmp_path, line):
    (tmp_path / "results.jsonl").write_text('{"a": 1}\n' + line + "\n")
    with pytest.raises(PositionError, match="line 2 is not a JSON object"):
        Journal(tmp_path / "results.jsonl", anything)


def test_any_text_of_a_bot_can_be_written(tmp_path):
    rows = [{"reason": "\ud800 é \u2028 \x1b"}]
    Journal(tmp_path / "a.jsonl", anything).append(rows)
    assert Journal(tmp_path / "a.jsonl", anything).rows == rows
    Journal(tmp_path / "a.jsonl", anything).replace(rows)
    assert Journal(tmp_path / "a.jsonl", anything).rows == rows


@pytest.mark.parametrize(
    ("value", "shape", "expected"),
    [
        (1, int, True), (True, int, False), (1, float, True), (True, float, False),
        (1.5, int, False), (None, None, True), (0, None, False), ([1, 2], [int], True),
        ([1, "2"], [int], False), ("ab", [str], False), (None, (None, [int]), True),
        ([1], (None, [int]), True), ({"a": 1}, {"a": int}, True), ({}, {"a": int}, False),
        ({"a": 1, "b": 2}, {"a": int}, False), ([], {"a": int}, False),
    ],
)  # fmt: skip
def test_shapes(value, shape, expected):
    assert fits(value, shape) is expected


GAME = {"deal": 0, "line_up": 0, "rotation": 0, "bots": ["a", "b"]}
RESULT = {
    **GAME, "shares": [1.0, 0.0], "ranks": [1.0, 2.0], "scores": [5, 3], "turns": 4, "plies": 9,
    "truncated": False, "final": "c0ffee", "forfeit": None,
}  # fmt: skip
FORFEIT = {**RESULT, "scores": None, "forfeit": {"seat": 1, "ply": 3, "reason": "it slept"}}
TIMING = {**GAME, "seconds": [0.5, 1], "decisions": [4, 5]}


@pytest.mark.parametrize(
    "change",
    [
        {"shares": [1.0]}, {"shares": [2.0, 0.0]}, {"ranks": ["x", "y"]}, {"ranks": [0, 2]},
        {"scores": [5]}, {"scores": [5, 10**400]}, {"scores": None}, {"truncated": 0}, {"new": 1},
        {"forfeit": {"seat": 0, "ply": 1, "reason": "x"}}, {"deal": 0.0}, {"final": 3},
    ],
)  # fmt: skip
def test_a_row_of_results_of_another_shape_is_none(change):
    assert is_result(2, RESULT)
    assert is_result(2, FORFEIT)
    assert not is_result(2, {**RESULT, **change})
    assert not is_result(2, {**FORFEIT, "forfeit": {**FORFEIT["forfeit"], "seat": 2}})


@pytest.mark.parametrize(
    "change",
    [{"seconds": None}, {"seconds": [1]}, {"seconds": [-1, 1]}, {"decisions": [1, 10**400]}],
)
def test_a_row_of_timings_of_another_shape_is_none(change):
    assert is_timing(2, TIMING)
    assert is_timing(2, {**TIMING, "seconds": None, "decisions": None})
    assert not is_timing(2, {**TIMING, **change})


def test_a_row_that_is_none_is_named(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"a": 1}\n{"a": "x"}\n')
    with pytest.raises(PositionError, match="line 2 is damaged: delete that line"):
        Journal(tmp_path / "a.jsonl", lambda row: fits(row, {"a": int}))
