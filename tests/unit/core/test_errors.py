"""core/errors.py: the text of an error."""

from sprawl_env.core.errors import MOST_CHARACTERS, SprawlError


def test_a_long_error_loses_its_middle():
    says = str(SprawlError(f"cards.toml: {'x' * 10**6}: expected a number"))
    assert len(says) <= MOST_CHARACTERS
    assert says.startswith("cards.toml: xxx")
    assert says.endswith("xxx: expected a number")
    assert " ... " in says


def test_a_short_error_is_not_changed():
    assert str(SprawlError("x" * MOST_CHARACTERS)) == "x" * MOST_CHARACTERS
