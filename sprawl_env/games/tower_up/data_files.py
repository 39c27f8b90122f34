"""The data files of *Tower Up*: their rows, their checks and their arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
from pydantic import Field

from sprawl_env.core.data import DataFile, GameData, load
from sprawl_env.core.errors import DataError
from sprawl_env.core.layout import starts_of
from sprawl_env.core.rows import Row, Text, length, one_of
from sprawl_env.core.state import Tables
from sprawl_env.games.tower_up.constants import (
    BOARD_2P,
    BOARD_4P,
    COLOURS,
    DISTRICTS,
    MAX_CHIPS,
    MAX_COLUMNS,
    MAX_CROSSINGS,
    MAX_SEATS,
    MAX_SITES,
    MAX_STARS,
    MAX_STREETS,
    MIN_SEATS,
    MOST_CARD_FLOORS,
    MOST_STEPS,
    MULTICOLOUR,
    NO_COLOUR,
    NUM_CARDS,
    NUM_OBJECTIVES,
    OBJECTIVES_IN_PLAY,
    ObjectiveKind,
)
from sprawl_env.games.tower_up.layout import MOST_GAIN, Seen, layout
from sprawl_env.games.tower_up.tables import TABLES
from sprawl_env.kernels.lanes import lanes

FOLDER: Final = Path(__file__).parent / "data"
BOARD_FILES: Final = {BOARD_2P: "board_2p", BOARD_4P: "board_4p"}
_LEAST_SITES: Final = 10


SiteNumber = Annotated[int, Field(ge=0, le=MAX_SITES - 1)]
Coordinate = Annotated[float, Field(ge=0, le=100)]
OneTo9 = Annotated[int, Field(ge=1, le=9)]
Millions = Annotated[int, Field(ge=0, le=100)]
Column = Annotated[int, Field(ge=1, le=MAX_COLUMNS - 1)]
Floor = Annotated[str, one_of((*COLOURS, "multicolour"))]
Colour = Annotated[str, one_of(COLOURS)]


class SiteRow(Row):
    """A building site (TU §2)."""

    id: SiteNumber
    x: Coordinate
    y: Coordinate
    district: Annotated[str, one_of(DISTRICTS)]
    streets: Annotated[tuple[SiteNumber, ...], length(1, MAX_STREETS)]
    park: OneTo9 = 0
    lake: OneTo9 = 0


class CardRow(Row):
    """A reserve card (TU §8)."""

    floors: Annotated[tuple[Floor, ...], length(1, MOST_CARD_FLOORS)]
    vehicle: Colour = ""
    steps: Annotated[int, Field(ge=1, le=MOST_STEPS)] = 0
    bottom: Floor
    copies: Annotated[int, Field(ge=1, le=NUM_CARDS)]


class ObjectiveRow(Row):
    """An objective card (TU §6)."""

    name: Text
    kind: Annotated[str, one_of([kind.name.lower() for kind in ObjectiveKind])]
    need: Annotated[int, Field(ge=1, le=10)]
    colour: Colour = ""
    start: Annotated[int, Field(ge=0, le=1)] = 0


class RulesRow(Row):
    """Counts of TU §1, §3 and §4."""

    floors_per_colour: Annotated[int, Field(ge=10, le=60)]
    reserve_limit: Annotated[int, Field(ge=4, le=40)]
    starting_reserve: Annotated[int, Field(ge=1, le=5)]
    most_starting_floors: Annotated[tuple[OneTo9, ...], length(3)]


class ChipsRow(Row):
    """Bonus chips of each shape for a number of seats (TU §3)."""

    seats: Annotated[int, Field(ge=MIN_SEATS, le=MAX_SEATS)]
    values: Annotated[tuple[Annotated[int, Field(ge=0, le=50)], ...], length(MIN_SEATS, MAX_CHIPS)]


class MarkerRow(Row):
    """Millions by column (TU §8)."""

    values: Annotated[tuple[Millions, ...], length(2, MAX_COLUMNS)]


class StarsRow(Row):
    """Columns with a star (TU §8)."""

    columns: Annotated[tuple[Column, ...], length(1, MAX_STARS)]


def _board(name: str) -> DataFile:
    return DataFile(name, {"site": SiteRow}, {"site": (_LEAST_SITES, MAX_SITES)})


FILES: Final = (
    *(_board(name) for name in BOARD_FILES.values()),
    DataFile("cards", {"card": CardRow}, {"card": (1, NUM_CARDS)}),
    DataFile(
        "components",
        {"rules": RulesRow, "chips": ChipsRow},
        {"rules": (1, 1), "chips": (3, 3)},
    ),
    DataFile(
        "rows",
        {"marker": MarkerRow, "stars": StarsRow, "cone": MarkerRow},
        {"marker": (1, 1), "stars": (1, 1), "cone": (1, 1)},
    ),
    DataFile(
        "objectives",
        {"objective": ObjectiveRow},
        {"objective": (NUM_OBJECTIVES, NUM_OBJECTIVES)},
    ),
)


def load_data(overlay: Path | None) -> GameData:
    """Read all data files and check the rows against each other.

    Raises:
        DataError: one line naming file, row and what is expected.
    """
    data = load(FOLDER, FILES, overlay)
    for name in BOARD_FILES.values():
        _check_board(f"{name}.toml", data.rows(name, "site"))
    copies = sum(card.copies for card in data.rows("cards", "card"))
    if copies != NUM_CARDS:
        raise DataError(f"cards.toml: card: expected copies to sum to {NUM_CARDS}, got {copies}")
    for number, card in enumerate(data.rows("cards", "card"), start=1):
        if (card.vehicle == "") != (card.steps == 0):
            raise DataError(f"cards.toml: card {number}: vehicle, steps: expected both or neither")
    _check_rows(data)
    return data


def _check_board(file: str, sites: Sequence[SiteRow]) -> None:
    """Check that streets connect all sites and that every district has sites."""
    for index, site in enumerate(sites):
        where = f"{file}: site {index + 1}"
        if site.id != index:
            raise DataError(f"{where}: id: expected {index} (rows in order), got {site.id}")
        for other in site.streets:
            if other >= len(sites) or other == index or index not in sites[other].streets:
                raise DataError(
                    f"{where}: streets: expected another site that lists {index} back, got {other}"
                )
        if len(set(site.streets)) != len(site.streets):
            raise DataError(f"{where}: streets: expected each site once")
    reached, border = {0}, [0]
    while border:
        new = set(sites[border.pop()].streets) - reached
        reached |= new
        border += sorted(new)
    if len(reached) != len(sites):
        lost = min(set(range(len(sites))) - reached)
        raise DataError(f"{file}: site {lost + 1}: streets: expected streets that lead to site 0")
    for district in DISTRICTS:
        if all(site.district != district for site in sites):
            raise DataError(f"{file}: site: district: expected some sites in {district!r}")
    count = len(crossings(sites))
    if count > MAX_CROSSINGS:
        raise DataError(
            f"{file}: site: streets: expected at most {MAX_CROSSINGS} pairs of streets across "
            f"different borders, got {count}"
        )


def _check_rows(data: GameData) -> None:
    """Check the rows of the small files against each other."""
    seats = [row.seats for row in data.rows("components", "chips")]
    if seats != [2, 3, 4]:
        raise DataError(f"components.toml: chips: seats: expected rows for 2, 3, 4, got {seats}")
    for row in data.rows("components", "chips"):
        if len(row.values) != row.seats or list(row.values) != sorted(row.values, reverse=True):
            raise DataError(
                f"components.toml: chips {row.seats - 1}: values: expected {row.seats} values, "
                "highest first"
            )
    end = len(data.row("rows", "marker").values) - 1
    columns = list(data.row("rows", "stars").columns)
    if columns != sorted(set(columns)) or columns[-1] > end:
        raise DataError(f"rows.toml: stars 1: columns: expected ascending columns up to {end}")
    rules = data.row("components", "rules")
    least = MAX_SEATS * rules.starting_reserve + max(rules.most_starting_floors)
    if rules.floors_per_colour < least:
        raise DataError(
            f"components.toml: rules 1: floors_per_colour: expected at least {least} for "
            f"{MAX_SEATS} reserves of {rules.starting_reserve} and the starting floors, got "
            f"{rules.floors_per_colour}"
        )
    start = sum(row.start for row in data.rows("objectives", "objective"))
    if start != OBJECTIVES_IN_PLAY:
        raise DataError(f"objectives.toml: objective: expected start on 3 cards, got {start}")
    for number, row in enumerate(data.rows("objectives", "objective"), start=1):
        if (row.kind == "one_colour") != (row.colour != ""):
            raise DataError(
                f"objectives.toml: objective {number}: colour: expected if and only if "
                "kind is 'one_colour'"
            )


def crossings(sites: Sequence[SiteRow]) -> list[int]:
    """Return the sets of four sites that two streets across different borders join (T6)."""
    streets = [
        (frozenset((a.district, sites[b].district)), frozenset((a.id, b)))
        for a in sites
        for b in a.streets
        if a.id < b and a.district != sites[b].district
    ]
    sets = {
        sum(1 << site for site in ends | others)
        for (border, ends), (other, others) in combinations(streets, 2)
        if border != other and not ends & others
    }
    return sorted(sets)


def compile_tables(data: GameData, options: Mapping[str, int]) -> Tables:
    """Compile the data into one record ``[1]`` for the kernels."""
    tables = np.zeros(1, TABLES).view(np.recarray)
    for board, name in BOARD_FILES.items():
        _compile_board(tables, board, data.rows(name, "site"))
    _compile_cards(tables, data.rows("cards", "card"))
    _compile_objectives(tables, data.rows("objectives", "objective"))
    rules = data.row("components", "rules")
    tables.floors_per_colour = rules.floors_per_colour
    tables.reserve_limit = rules.reserve_limit
    tables.starting_reserve = rules.starting_reserve
    for chips in data.rows("components", "chips"):
        tables.chip_values[0, chips.seats, : chips.seats] = chips.values
    marker, cone = data.row("rows", "marker").values, data.row("rows", "cone").values
    stars = data.row("rows", "stars").columns
    tables.marker_values[0, : len(marker)] = marker
    tables.marker_end = len(marker) - 1
    for now in range(len(marker)):
        for steps in range(MAX_COLUMNS):
            then = min(now + steps, len(marker) - 1)
            gain = marker[then] - marker[now]
            tables.marker_gain[0, now, steps] = max(-MOST_GAIN, min(gain, MOST_GAIN))
    tables.cone_values[0, : len(cone)] = cone
    tables.cone_end = len(cone) - 1
    tables.num_stars = len(stars)
    tables.star_columns[0, : len(stars)] = stars
    tables["at"][0] = starts_of(Seen, layout(tables, options["num_players"]))
    return tables


def _compile_board(tables: Tables, board: int, sites: Sequence[SiteRow]) -> None:
    tables.num_sites[0, board] = len(sites)
    for site in sites:
        bit = 1 << site.id
        tables.num_streets[0, board, site.id] = len(site.streets)
        tables.streets[0, board, site.id, : len(site.streets)] = sorted(site.streets)
        tables.next_to[0, board, site.id] = sum(1 << other for other in site.streets)
        district = DISTRICTS.index(site.district)
        tables.district[0, board, site.id] = district
        tables.in_district[0, board, district] |= bit
        if site.park:
            tables.by_park[0, board] |= bit
        if site.lake:
            tables.by_lake[0, board] |= bit
    found = crossings(sites)
    tables.num_crossings[0, board] = len(found)
    tables.crossings[0, board, : len(found)] = found


def _compile_cards(tables: Tables, rows: Sequence[CardRow]) -> None:
    cards = [row for row in rows for _ in range(row.copies)]
    for card, row in enumerate(cards):
        tables.card_floors[0, card] = [row.floors.count(colour) for colour in COLOURS]
        tables.card_lanes[0, card] = lanes(*map(int, tables.card_floors[0, card]))
        tables.card_multicolour[0, card] = row.floors.count("multicolour")
        tables.card_vehicle[0, card] = COLOURS.index(row.vehicle) if row.vehicle else NO_COLOUR
        tables.card_steps[0, card] = row.steps
        multicolour = row.bottom == "multicolour"
        tables.card_bottom[0, card] = MULTICOLOUR if multicolour else COLOURS.index(row.bottom)


def _compile_objectives(tables: Tables, rows: Sequence[ObjectiveRow]) -> None:
    start: list[Any] = []
    for index, row in enumerate(rows):
        tables.objective_kind[0, index] = ObjectiveKind[row.kind.upper()]
        tables.objective_need[0, index] = row.need
        tables.objective_colour[0, index] = COLOURS.index(row.colour) if row.colour else NO_COLOUR
        if row.start:
            start.append(index)
    tables.start_objectives[0] = start
