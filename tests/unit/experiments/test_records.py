"""experiments/records.py: what a long command has measured so far."""

import json

import pytest

from experiments.records import alone, read_lines, write_lines
from sprawl_env.core.errors import InvalidOption

LINES = [{"settings": 1}, {"wins": 2}, {"wins": 3}]


def fits(head, rows):
    return head["settings"] == 1 and all(row["wins"] > 1 for row in rows)


def test_lines_are_read_as_they_were_written(tmp_path):
    path = tmp_path / "new" / "rows.jsonl"
    assert read_lines(path, "rows", fits) == []
    write_lines(path, LINES)
    assert read_lines(path, "rows", fits) == LINES


@pytest.mark.parametrize(
    "content",
    [
        "", "{", "[]", '{"settings": 2}', '{"settings": 1}\n{"wins": 1}', '{"settings": 1}\n{}',
        '{"settings": 1}\n{"wins": "2"}', '{"settings": 1}\n{"wins": NaN}',
        '{"settings": 1}\n{"wi', '{"settings": 1}\n7',
    ],
)  # fmt: skip
def test_a_damaged_file_is_one_line_that_says_what_would_be_right(tmp_path, content):
    path = tmp_path / "rows.jsonl"
    path.write_text(content)
    with pytest.raises(InvalidOption, match=r"rows.jsonl': expected rows of a test\Z"):
        read_lines(path, "rows of a test", fits)


def test_a_file_that_cannot_be_read_is_one_line(tmp_path):
    with pytest.raises(InvalidOption, match="cannot be read: not a regular file"):
        read_lines(tmp_path, "rows", fits)


def test_a_write_replaces_the_file_whole(tmp_path):
    path = tmp_path / "rows.jsonl"
    write_lines(path, LINES)
    write_lines(path, LINES[:2])
    assert [json.loads(line) for line in path.read_text().splitlines()] == LINES[:2]


def test_one_command_at_a_time_writes_to_a_folder(tmp_path):
    said = f"^out='{tmp_path / 'new'}': another command is writing to it$"
    with pytest.raises(ZeroDivisionError), alone(tmp_path / "new"):
        with pytest.raises(InvalidOption, match=said), alone(tmp_path / "new"):
            pytest.fail("two were let in")
        with alone(tmp_path / "other"):
            raise ZeroDivisionError
    with alone(tmp_path / "new"):  # it is free again after an error
        (tmp_path / "file").write_text("mine")
    with pytest.raises(InvalidOption, match="cannot be made: "), alone(tmp_path / "file" / "below"):
        pytest.fail("there is no such folder")
