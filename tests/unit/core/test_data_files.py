"""core/data.py: files of a user's data folder that are no ordinary text."""

import os

import pytest

import sprawl_env
from sprawl_env.core.errors import DataError

PACKAGED = sprawl_env.game("tower_up").rules.data_folder / "cards.toml"


@pytest.mark.skipif(os.name == "nt", reason="links and pipes")
@pytest.mark.parametrize(
    ("make", "says"),
    [
        (os.mkfifo, "cards.toml: cannot be read: not a regular file"),
        (os.mkdir, "cards.toml: cannot be read: not a regular file"),
        (lambda p: p.symlink_to("/dev/zero"), "cards.toml: cannot be read: not a regular file"),
        (lambda p: p.symlink_to("nothing"), "cards.toml: cannot be read: No such file"),
        (lambda p: p.symlink_to(p), "cards.toml: cannot be read: Too many levels"),
        (lambda p: p.write_text("a = " + "[" * 100_000), "cards.toml: is not valid TOML"),
        (lambda p: p.write_text("a = " + "{b=" * 100_000), "cards.toml: is not valid TOML"),
        (lambda p: p.write_text("a = " + "9" * 10_000), "cards.toml: is not valid TOML"),
        (
            lambda p: p.write_text(PACKAGED.read_text().replace('note = "', 'note = "\\u001b')),
            "expected texts without control characters",
        ),
        (lambda p: p.write_text("copies = inf\n" + PACKAGED.read_text()), "unknown table 'copies'"),
        (
            lambda p: p.write_text(PACKAGED.read_text().replace("copies = 1", "copies = inf", 1)),
            "copies: expected a whole number",
        ),
    ],
)
def test_a_data_file_that_is_no_ordinary_text_is_one_line(tmp_path, make, says):
    make(tmp_path / "cards.toml")
    with pytest.raises(DataError, match=says) as error:
        sprawl_env.game("tower_up", data=tmp_path)
    assert str(error.value).isprintable()
