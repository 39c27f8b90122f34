"""Rows of data files as pydantic models, and the one-line errors of rows that break them.

A game declares a subclass of :class:`Row` for each table of its data files::

    class CardRow(Row):
        colour: Annotated[str, one_of(COLOURS)]
        cost: Annotated[int, Field(ge=0, le=20)]
        icons: Annotated[tuple[Text, ...], length(1, 4)] = ()

No value is converted: ``true`` is not a number and ``"1"`` is not a number.  The error of a field
states what its type and limits allow, or the ``description`` of its ``Field`` if it has one.

Only the games import this module, so that ``import sprawl_env`` does not import pydantic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, Self, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetPydanticSchema,
    PydanticUserError,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails, core_schema

from sprawl_env.core.errors import DataError, did_you_mean

Source = Literal["printed", "public", "stand-in"]
SOURCES: Final = get_args(Source)
Text = Annotated[str, Field(min_length=1)]


def one_of(words: Sequence[str]) -> GetPydanticSchema:
    """Restrict a text to computed words; for words spelt out in code, use ``Literal``."""
    schema = core_schema.literal_schema(list(words))
    return GetPydanticSchema(lambda source, handler: schema)


def length(least: int, most: int | None = None) -> Any:
    """Limit the length of a tuple, which is a list in TOML; ``most`` defaults to ``least``."""
    return Field(strict=False, min_length=least, max_length=least if most is None else most)


class Fields(BaseModel):
    """Base of every table of fields, also of those inside a row."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    @classmethod
    def checked(cls, content: object, where: str) -> Self:
        """Return the row that a TOML table holds; ``where`` begins the error.

        Raises:
            DataError: one line naming the field, what is expected and what was found.
        """
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            problems = error.errors(include_url=False)
        # A misspelt field is also a missing one: the unknown field is the better error.
        first = min(problems, key=lambda problem: problem["type"] != "extra_forbidden")
        raise DataError(f"{where}: {_problem(cls, first)}")


class Row(Fields):
    """Base of every row.

    Attributes:
        source: ``printed`` (in the rulebook), ``public`` (stated by an independent public source)
            or ``stand-in`` (made for this project, because no source states it).
        note: anything worth knowing about the source.
        ours: fields of a printed or public row that are made for this project, wholly or in part;
            the note says what of them.
    """

    source: Source
    note: str = ""
    ours: Annotated[tuple[Text, ...], length(0, 9)] = ()

    @model_validator(mode="after")
    def _tells_what_is_ours(self) -> Self:
        for name in self.ours:
            if name not in type(self).model_fields.keys() - Row.model_fields.keys():
                raise ValueError(f"ours: expected names of fields of this row, got {name!r}")
        if self.ours and self.source == "stand-in":
            raise ValueError("ours: expected none: all of a stand-in row is ours")
        if self.ours and not self.note:
            raise ValueError("note: expected what is ours, because ours names fields")
        return self


def _problem(row: type[Fields], error: ErrorDetails) -> str:
    """Return one error of pydantic in the words of the data files."""
    path = error["loc"]
    *parents, name = path or ("",)
    try:
        match error["type"]:
            case "union_tag_invalid" | "union_tag_not_found":
                field = error["ctx"]["discriminator"].strip("'")
                words = (
                    f"expected one of {', '.join(_schema(row, path)['discriminator']['mapping'])}"
                )
                tag = error["ctx"].get("tag")
                says = f"{field} is missing: {words}" if tag is None else f"{words}, got {tag!r}"
                path = path if tag is None else (*path, field)
            case "extra_forbidden":
                path, known = tuple(parents), _schema(row, parents)["properties"]
                hint = did_you_mean(str(name), known)
                says = f"unknown field {name!r}{hint}: expected {', '.join(known)}"
            case "missing":
                says = f"{name} is missing: expected {_expected(_schema(row, path))}"
                path = tuple(parents)
            case "value_error":  # raised by a validator of the row class
                says = str(error["ctx"]["error"])
            case _:
                says = f"expected {_expected(_schema(row, path))}, got {error['input']!r}"
    except (KeyError, PydanticUserError):  # a type or limit that has no words here
        path, says = error["loc"], f"{error['msg']}, got {error['input']!r}"
    return " ".join(": ".join([*_parts(_named(row, path)), says]).splitlines())


def _named(row: type[Fields], path: Sequence[int | str]) -> list[int | str]:
    """Return a path without the words by which pydantic tells the classes of a union apart."""
    named = []
    for k, key in enumerate(path):
        try:
            if key in _schema(row, path[:k]).get("discriminator", {}).get("mapping", ()):
                continue
        except KeyError:  # not a table of fields
            pass
        named.append(key)
    return named


def _parts(path: Sequence[int | str]) -> list[str]:
    """Return the parts of a path, with list items counted from 1: ``["effects 1", "do"]``."""
    parts: list[str] = []
    for key in path:
        if isinstance(key, int):
            parts[-1] += f" {key + 1}"
        else:
            parts.append(key)
    return parts


def _schema(row: type[Fields], path: Sequence[int | str]) -> dict[str, Any]:
    """Return the JSON schema of the value at a path.

    Raises:
        KeyError: the path leads through a type other than lists and tables of fields.
    """
    root = row.model_json_schema()

    def resolved(schema: dict[str, Any]) -> dict[str, Any]:
        name = schema.get("$ref", "").removeprefix("#/$defs/")
        return root["$defs"][name] if name else schema

    found = resolved(root)
    for key in path:
        if isinstance(key, int):
            found = found["items"]
        elif "discriminator" in found:
            found = {"$ref": found["discriminator"]["mapping"][key]}
        else:
            found = found["properties"][key]
        found = resolved(found)
    return found


_KNOWN: Final = {
    *("type", "title", "default", "enum", "const", "items"),
    *("minimum", "maximum", "minItems", "maxItems", "minLength"),
}


def _expected(schema: Mapping[str, Any]) -> str:
    """Return what a JSON schema allows, in words.

    Raises:
        KeyError: there are no words for the schema.
    """
    if "properties" in schema or "$ref" in schema or "discriminator" in schema:
        return "a table of fields"
    if "description" in schema:
        return str(schema["description"])
    if not schema.keys() <= _KNOWN or schema.get("minLength", 1) > 1:
        raise KeyError
    if "const" in schema or "enum" in schema:
        return f"one of {', '.join(schema.get('enum') or [schema['const']])}"
    match schema["type"]:
        case "array":
            least, most = schema["minItems"], schema["maxItems"]
            count = f"{least}" if least == most else f"{least} to {most}"
            return f"a list of {count}, each {_expected(schema['items'])}"
        case "integer":
            return f"a whole number {schema['minimum']}..{schema['maximum']}"
        case "number":
            return f"a number {schema['minimum']:g}..{schema['maximum']:g}"
        case kind:
            return {"string": "a text", "boolean": "true or false"}[kind]
