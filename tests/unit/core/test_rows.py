"""core/rows.py: rows as models, and one line for each way to break them."""

import datetime
import subprocess
import sys
from typing import Annotated, Literal

import pytest
from pydantic import Field, ValidationError, field_validator, model_validator

from sprawl_env.core.data import DataFile, load
from sprawl_env.core.errors import DataError
from sprawl_env.core.rows import SOURCES, Fields, Row, Text, length, one_of


class PartRow(Fields):
    verb: Annotated[str, one_of(("gain", "lose"))]
    then: Annotated[tuple["PartRow", ...], length(1, 2)] = ()


class CardRow(Row):
    name: Text
    cost: Annotated[int, Field(ge=1, le=9)]
    share: Annotated[float, Field(ge=0, le=1)] = 0.5
    kind: Literal["house"] = "house"
    open: bool = False
    digits: Annotated[tuple[Annotated[int, Field(ge=0, le=9)], ...], length(2)] = (0, 0)
    parts: Annotated[tuple[PartRow, ...], length(0, 2)] = ()
    code: Annotated[str, Field(pattern="^[A-Z]+$", description="capitals, such as ABC")] = "A"


GOOD = {"source": "printed", "name": "House", "cost": 3}


def problem(**fields):
    """Return the line about a row with these fields; None leaves a field out."""
    content = {name: value for name, value in {**GOOD, **fields}.items() if value is not None}
    with pytest.raises(DataError) as error:
        CardRow.checked(content, "cards.toml: card 1")
    line = str(error.value)
    assert "\n" not in line
    assert line.startswith("cards.toml: card 1: ")
    return line.removeprefix("cards.toml: card 1: ")


def test_a_row_holds_tuples_and_cannot_be_changed():
    parts = [{"verb": "gain", "then": [{"verb": "lose"}]}]
    row = CardRow.checked({**GOOD, "digits": [1, 2], "share": 1, "parts": parts}, "")
    assert (row.name, row.cost, row.share, row.digits) == ("House", 3, 1.0, (1, 2))
    assert row.parts[0].then == (PartRow(verb="lose"),)
    assert (row.source, row.note) == ("printed", "")
    with pytest.raises(ValidationError, match="frozen"):
        row.cost = 4


WHOLE = "expected a whole number 1..9"
LINES = {
    "true for a number": ({"cost": True}, f"cost: {WHOLE}, got True"),
    "a number in quotes": ({"cost": "1"}, f"cost: {WHOLE}, got '1'"),
    "a fraction": ({"cost": 1.0}, f"cost: {WHOLE}, got 1.0"),
    "a date": ({"cost": datetime.date(2020, 1, 2)}, f"cost: {WHOLE}, got datetime.date"),
    "too small": ({"cost": 0}, f"cost: {WHOLE}, got 0"),
    "too large": ({"cost": 10**30}, f"cost: {WHOLE}, got 1000"),
    "not a number": ({"share": float("nan")}, "share: expected a number 0..1, got nan"),
    "infinite": ({"share": float("inf")}, "share: expected a number 0..1, got inf"),
    "true for a fraction": ({"share": True}, "share: expected a number 0..1, got True"),
    "1 for true": ({"open": 1}, "open: expected true or false, got 1"),
    "a number for a text": ({"name": 3}, "name: expected a text, got 3"),
    "no text": ({"name": ""}, "name: expected a text, got ''"),
    "two lines of text": ({"name": ["a\nb"]}, "name: expected a text, got ['a\\nb']"),
    "a number for a note": ({"note": 3}, "note: expected a text, got 3"),
    "another word": ({"kind": "tower"}, "kind: expected one of house, got 'tower'"),
    "another source": (
        {"source": "hearsay"},
        "source: expected one of printed, public, stand-in, got 'hearsay'",
    ),
    "no source": ({"source": None}, "source is missing: expected one of printed, public"),
    "a missing number": ({"cost": None}, f"cost is missing: {WHOLE}"),
    "a number for a list": (
        {"digits": 3},
        "digits: expected a list of 2, each a whole number 0..9, got 3",
    ),
    "a text for a list": ({"digits": "12"}, "digits: expected a list of 2, each"),
    "a short list": ({"digits": [1]}, "digits: expected a list of 2, each"),
    "a long list": ({"digits": [1, 2, 3]}, "digits: expected a list of 2, each"),
    "a wrong item": ({"digits": [1, 10]}, "digits 2: expected a whole number 0..9, got 10"),
    "true for an item": ({"digits": [True, 1]}, "digits 1: expected a whole number 0..9, got True"),
    "too many inside": (
        {"parts": [{"verb": "gain"}] * 3},
        "parts: expected a list of 0 to 2, each a table of fields, got [{'verb': 'gain'}, ",
    ),
    "a number for a table": ({"parts": [3]}, "parts 1: expected a table of fields, got 3"),
    "a wrong word inside": (
        {"parts": [{"verb": "gain"}, {"verb": "win"}]},
        "parts 2: verb: expected one of gain, lose, got 'win'",
    ),
    "missing inside": ({"parts": [{}]}, "parts 1: verb is missing: expected one of gain, lose"),
    "deep inside": (
        {"parts": [{"verb": "gain", "then": [{"verb": 3}]}]},
        "parts 1: then 1: verb: expected one of gain, lose, got 3",
    ),
    "unknown inside": (
        {"parts": [{"verb": "gain", "them": 1}]},
        "parts 1: unknown field 'them' (did you mean 'then'?): expected verb, then",
    ),
    "misspelt": (
        {"cost": None, "costs": 3},
        "unknown field 'costs' (did you mean 'cost'?): "
        "expected source, note, ours, name, cost, share",
    ),
    "a field of two lines": ({"a\nb": 3}, "unknown field 'a\\nb': expected source"),
    "a description": ({"code": "abc"}, "code: expected capitals, such as ABC, got 'abc'"),
}


@pytest.mark.parametrize(("fields", "says"), LINES.values(), ids=LINES.keys())
def test_one_line_names_the_field_and_states_what_is_expected(fields, says):
    assert problem(**fields).startswith(says)


def test_a_row_that_is_no_table_is_refused():
    with pytest.raises(DataError, match=r"^x: expected a table of fields, got \[1\]$"):
        CardRow.checked([1], "x")


class OwnRow(Row):
    """Types that have no words: the line has pydantic's."""

    either: int | PartRow = 0
    odd: Annotated[int, Field(ge=0, le=9, multiple_of=2)] = 0
    word: Annotated[str, Field(min_length=2)] = "ab"
    even: int = 0
    low: int = 0
    high: int = 9

    @field_validator("even")
    @classmethod
    def is_even(cls, value):
        if value % 2:
            raise ValueError("expected an even number")
        return value

    @model_validator(mode="after")
    def is_ordered(self):
        if self.low > self.high:
            raise ValueError("low: expected at most\nhigh")
        return self


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"either": "x"}, "x: either: int: Input should be a valid integer, got 'x'"),
        ({"either": {"verb": "gain", "z": 1}}, "x: either: PartRow: z: Extra inputs are not"),
        ({"odd": 3}, "x: odd: Input should be a multiple of 2, got 3"),
        ({"word": "a"}, "x: word: String should have at least 2 characters, got 'a'"),
        ({"even": 3}, "x: even: expected an even number"),
        ({"low": 10}, "x: low: expected at most high"),
    ],
)
def test_validators_and_other_types_of_a_game_are_one_line_too(fields, says):
    with pytest.raises(DataError) as error:
        OwnRow.checked({"source": "public", **fields}, "x")
    assert str(error.value).startswith(says)
    assert "\n" not in str(error.value)


FILE = DataFile("cards", {"card": CardRow}, {"card": (1, 2)})


def loaded(folder, text):
    (folder / "cards.toml").write_text(text, encoding="utf-8")
    return load(folder, [FILE])


def test_the_source_of_a_file_is_the_default_of_its_rows(tmp_path):
    data = loaded(
        tmp_path,
        'source = "stand-in"\nnote = "ours"\n[[card]]\nname = "a"\ncost = 1\n'
        '[[card]]\nname = "b"\ncost = 1\nsource = "public"\n',
    )
    rows = data.rows("cards", "card")
    assert [(row.source, row.note) for row in rows] == [("stand-in", "ours"), ("public", "ours")]
    assert data.tally() == {("cards", "card"): {"stand-in": 1, "public": 1}}
    assert {row.source for row in rows} < set(SOURCES)


def test_a_row_tells_which_of_its_fields_are_ours_and_the_note_says_how(tmp_path):
    row = '[[card]]\nsource = "public"\nname = "a"\ncost = 1\n'
    data = loaded(tmp_path, f'{row}ours = ["cost"]\nnote = "the cost is ours"\n{row}')
    assert [row.ours for row in data.rows("cards", "card")] == [("cost",), ()]
    assert data.mixed() == {("cards", "card"): 1}
    for more, says in (
        ('ours = ["costs"]\nnote = "n"', "ours: expected names of fields of this row, got 'costs'"),
        ('ours = ["note"]\nnote = "n"', "ours: expected names of fields of this row, got 'note'"),
        ('ours = ["cost"]', "note: expected what is ours, because ours names fields"),
    ):
        with pytest.raises(DataError) as error:
            loaded(tmp_path, row + more)
        assert str(error.value) == f"cards.toml: card 1: {says}"
    ours = row.replace("public", "stand-in") + 'ours = ["cost"]\nnote = "n"'
    with pytest.raises(DataError, match="ours: expected none: all of a stand-in row is ours"):
        loaded(tmp_path, ours)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("card = 3", "cards.toml: card 1: expected a table of fields, got 3"),
        ("card = []", "cards.toml: card: expected 1 to 2 rows, got 0"),
        ("cards = []", "cards.toml: unknown table 'cards' (did you mean 'card'?): expected card"),
        (f"card = {'9' * 5000}", "cards.toml: is not valid TOML: Exceeds the limit"),
        (f"card = {'[' * 5000}", "cards.toml: is not valid TOML: "),
    ],
)
def test_a_broken_file_is_one_line(tmp_path, text, says):
    with pytest.raises(DataError) as error:
        loaded(tmp_path, text)
    assert str(error.value).startswith(says)
    assert "\n" not in str(error.value)


def test_importing_the_package_does_not_import_pydantic():
    code = "import sys, sprawl_env; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
