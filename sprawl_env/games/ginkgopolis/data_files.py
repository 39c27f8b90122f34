"""The data files of *Ginkgopolis*: their rows, their checks and their arrays."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import numpy as np
from pydantic import Field

from sprawl_env.core.data import DataFile, GameData, load
from sprawl_env.core.errors import DataError
from sprawl_env.core.layout import starts_of
from sprawl_env.core.rows import Row, length, one_of
from sprawl_env.core.state import Tables
from sprawl_env.games.ginkgopolis.constants import (
    ACTS,
    COLOURS,
    HAND_SIZE,
    MAX_SEATS,
    NUM_ACTS,
    NUM_COLOURS,
    NUM_KINDS,
    NUM_LETTERS,
    NUM_TILES,
    NUMBERS,
    START_TILES,
    Count,
    Gain,
)
from sprawl_env.games.ginkgopolis.layout import Seen, layout, seen_sides
from sprawl_env.games.ginkgopolis.tables import MAX_SETS, MOST_CHARACTERS, TABLES

FOLDER: Final = Path(__file__).parent / "data"
NO_ACT: Final = -1
MOST_RESOURCES: Final = 60
COUNTS: Final = tuple(count.name.lower() for count in Count)


UpTo7 = Annotated[int, Field(ge=0, le=7)]
UpTo10 = Annotated[int, Field(ge=0, le=10)]
UpTo20 = Annotated[int, Field(ge=0, le=20)]
Resources = Annotated[int, Field(ge=4, le=MOST_RESOURCES)]
Act = Annotated[str, one_of(ACTS)]
Colour = Annotated[str, one_of(COLOURS)]


class RulesRow(Row):
    """Counts of the setup (GK §1); lists are for 1 to 5 seats."""

    removed_tiles: Annotated[tuple[UpTo20, ...], length(MAX_SEATS)]
    face_up_cards: Annotated[tuple[UpTo7, ...], length(MAX_SEATS)]
    resources: Annotated[tuple[Resources, ...], length(MAX_SEATS)]
    solo_resources: UpTo20
    solo_tiles: UpTo20
    solo_points: Annotated[int, Field(ge=0, le=50)]
    tokens: UpTo10
    token_points: UpTo20
    low_levels: Annotated[int, Field(ge=1, le=10)]
    return_points: UpTo10


class ColourBonusRow(Row):
    """What cards 10 to 13 count (GK §1)."""

    points: UpTo10
    per: Literal["building", "level"]


class CardRow(Row):
    """What the building cards of one number give (GK §1)."""

    number: Annotated[int, Field(ge=1, le=NUMBERS)]
    act: Act = ""
    counts: Annotated[str, one_of(COUNTS[1:])] = ""
    colours: Annotated[tuple[Colour, ...], length(NUM_COLOURS)] = ()
    own: Annotated[int, Field(ge=0, le=5)] = 0
    points: UpTo20 = 0


class CharacterRow(Row):
    """A kind of character (GK §1)."""

    colour: Colour
    act: Act
    resources: UpTo10
    points: UpTo10
    tiles: Annotated[int, Field(ge=0, le=3)]
    copies: Annotated[int, Field(ge=1, le=9)]


class SetRow(Row):
    """An introductory set: the act of its character of each colour (GK §1)."""

    red: Act
    yellow: Act
    blue: Act


FILES: Final = (
    DataFile(
        "components",
        {"rules": RulesRow, "colour_bonus": ColourBonusRow},
        {"rules": (1, 1), "colour_bonus": (1, 1)},
    ),
    DataFile("cards", {"card": CardRow}, {"card": (NUMBERS, NUMBERS)}),
    DataFile(
        "characters",
        {"character": CharacterRow, "set": SetRow},
        {"character": (NUM_KINDS, NUM_KINDS), "set": (MAX_SEATS, MAX_SETS)},
    ),
)


def load_data(overlay: Path | None) -> GameData:
    """Read all data files and check the rows against each other.

    Raises:
        DataError: one line naming file, row and what is expected.
    """
    data = load(FOLDER, FILES, overlay)
    _check_rules(data)
    _check_cards(data)
    _check_characters(data)
    return data


def _check_rules(data: GameData) -> None:
    """Check that tiles and cards suffice for every number of seats."""
    rules = data.row("components", "rules")
    where = "components.toml: rules 1"
    for seats in range(1, MAX_SEATS + 1):
        cards = NUM_LETTERS + START_TILES - rules.face_up_cards[seats - 1]
        need = HAND_SIZE * seats + 1
        if cards < need:
            raise DataError(
                f"{where}: face_up_cards: expected at most "
                f"{NUM_LETTERS + START_TILES - need} with {seats} seats"
            )
    supply = NUM_TILES - START_TILES - rules.removed_tiles[0]
    if rules.solo_tiles >= supply:
        raise DataError(
            f"{where}: solo_tiles: expected fewer than the {supply} tiles in the supply, "
            f"got {rules.solo_tiles}"
        )
    if rules.solo_resources >= rules.resources[0]:
        raise DataError(f"{where}: solo_resources: expected fewer than {rules.resources[0]}")


def _check_cards(data: GameData) -> None:
    """Check that every number has a row with either a permanent or a final bonus."""
    for index, row in enumerate(data.rows("cards", "card"), start=1):
        where = f"cards.toml: card {index}"
        if row.number != index:
            raise DataError(f"{where}: number: expected {index} (rows in order), got {row.number}")
        if not row.counts and not (row.act and row.own):
            raise DataError(f"{where}: expected an act with own = 1.., or counts")
        if row.counts and row.own:
            raise DataError(f"{where}: own: expected only in a row without counts")
        if (row.counts == "buildings_of_colour") != bool(row.colours):
            raise DataError(
                f"{where}: colours: expected if and only if counts is 'buildings_of_colour'"
            )
        if row.counts and (row.counts == "cards_of_act") != bool(row.act):
            raise DataError(f"{where}: act: expected if and only if counts is 'cards_of_act'")


def _check_characters(data: GameData) -> None:
    """Check that every kind has a row, in order, and that enough of them can be dealt."""
    rows = data.rows("characters", "character")
    for index, row in enumerate(rows):
        colour, act = COLOURS[index // NUM_ACTS], ACTS[index % NUM_ACTS]
        if (row.colour, row.act) != (colour, act):
            raise DataError(
                f"characters.toml: character {index + 1}: expected {colour} {act} "
                f"(rows in order), got {row.colour} {row.act}"
            )
    copies = sum(row.copies for row in rows)
    if not HAND_SIZE * MAX_SEATS <= copies <= MOST_CHARACTERS:
        raise DataError(
            f"characters.toml: character: expected copies to sum to {HAND_SIZE * MAX_SEATS}.."
            f"{MOST_CHARACTERS}, got {copies}"
        )


def compile_tables(data: GameData, options: Mapping[str, int]) -> Tables:
    """Compile the data into one record ``[1]`` for the kernels."""
    tables = np.zeros(1, TABLES).view(np.recarray)
    rules = data.row("components", "rules")
    for name in ("removed_tiles", "face_up_cards", "resources"):
        tables[name][0, 1:] = getattr(rules, name)
    for name in ("tokens", "token_points", "low_levels", "return_points"):
        tables[name] = getattr(rules, name)
    tables.solo_items[0, Gain.RESOURCE] = rules.solo_resources
    tables.solo_items[0, Gain.TILE] = rules.solo_tiles
    tables.solo_items[0, Gain.POINT] = rules.solo_points
    bonus = data.row("components", "colour_bonus")
    tables.colour_per_level = bonus.per == "level"
    for row in data.rows("cards", "card"):
        for colour in range(NUM_COLOURS):
            _compile_card(tables, colour * NUMBERS + row.number - 1, colour, row, bonus.points)
    _compile_characters(tables, data)
    num_seats = options["num_players"]
    tables.seen_sides = seen_sides(num_seats)
    tables["at"] = starts_of(Seen, layout(tables, num_seats))
    return tables


def _compile_card(tables: Tables, tile: int, colour: int, row: Any, each: int) -> None:
    tables.card_act[0, tile] = ACTS.index(row.act) if row.act else NO_ACT
    tables.card_counts[0, tile] = COUNTS.index(row.counts) if row.counts else Count.NOTHING
    if row.counts:
        tables.card_points[0, tile] = row.points
        if row.colours:
            tables.card_colour[0, tile] = COLOURS.index(row.colours[colour])
            tables.card_points[0, tile] = each
    else:
        tables.card_gain[0, tile, colour] += row.own
        tables.card_gain[0, tile, Gain.POINT] += row.points


def _compile_characters(tables: Tables, data: GameData) -> None:
    at = 0
    for kind, row in enumerate(data.rows("characters", "character")):
        items = tables.character_items[0, kind]
        items[Gain.RESOURCE], items[Gain.TILE] = row.resources, row.tiles
        items[Gain.POINT] = row.points
        tables.character_kind[0, at : at + row.copies] = kind
        at += row.copies
    tables.num_characters = at
    sets = data.rows("characters", "set")
    tables.num_sets = len(sets)
    for k, row in enumerate(sets):
        for colour, name in enumerate(COLOURS):
            tables.sets[0, k, colour] = colour * NUM_ACTS + ACTS.index(getattr(row, name))
