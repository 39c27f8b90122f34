"""arena/journal.py: files that are no journals."""

import os

import pytest

from sprawl_env.arena.journal import Journal
from sprawl_env.core.errors import PositionError


@pytest.mark.skipif(os.name == "nt", reason="links and pipes")
@pytest.mark.parametrize(
    "make",
    [os.mkfifo, os.mkdir, lambda p: p.symlink_to("/dev/zero"), lambda p: p.symlink_to("nothing")],
)
def test_only_a_regular_file_is_read(tmp_path, make):
    make(tmp_path / "results.jsonl")
    with pytest.raises(PositionError, match="cannot be read"):
        Journal(tmp_path / "results.jsonl")


@pytest.mark.parametrize("line", ["[" * 100_000, '{"a": NaN}', '{"a": 1, "a": 2}', "[]"])
def test_a_line_that_is_no_object_is_named(tmp_path, line):
    (tmp_path / "results.jsonl").write_text('{"a": 1}\n' + line + "\n")
    with pytest.raises(PositionError, match="line 2 is not a JSON object"):
        Journal(tmp_path / "results.jsonl")


def test_any_text_of_a_bot_can_be_written(tmp_path):
    rows = [{"reason": "\ud800 é \u2028 \x1b"}]
    Journal(tmp_path / "a.jsonl").append(rows)
    assert Journal(tmp_path / "a.jsonl").rows == rows
    Journal(tmp_path / "a.jsonl").replace(rows)
    assert Journal(tmp_path / "a.jsonl").rows == rows
