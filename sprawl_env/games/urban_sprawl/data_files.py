"""The data files of *Urban Sprawl*: their rows, their checks and their arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
from pydantic import Field

from sprawl_env.core.data import DataFile, GameData, load
from sprawl_env.core.errors import DataError
from sprawl_env.core.layout import starts_of
from sprawl_env.core.rows import Row, Text, length, one_of
from sprawl_env.core.state import Tables
from sprawl_env.games.urban_sprawl.cards import EffectCompiler, check_effects
from sprawl_env.games.urban_sprawl.constants import (
    CONTRACT_SPACES,
    CORNERS,
    DECK_CARDS,
    DECKS,
    EVENTS_BELOW,
    MAX_SEATS,
    MAX_SIZE,
    MIN_SEATS,
    MOST_ICON,
    MOST_VALUE,
    NO_VOCATION,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_COLUMNS,
    NUM_DECKS,
    NUM_DOUBLE_ROWS,
    NUM_EVENTS,
    NUM_PERMITS,
    NUM_PRESTIGE_MARKERS,
    NUM_VOCATIONS,
    NUM_WEALTH_MARKERS,
    NUM_ZONES,
    PERMIT_CARDS,
    PLANNING_CARDS,
    PLANNING_SPACES,
    SIDE,
    TOWN,
    VOCATIONS,
    VOCATIONS_A_CARD,
    ZONES,
)
from sprawl_env.games.urban_sprawl.effect_verbs import MOST_EFFECTS, AnyEffect
from sprawl_env.games.urban_sprawl.features import write_features
from sprawl_env.games.urban_sprawl.layout import Seen, seen_layout
from sprawl_env.games.urban_sprawl.tables import NAME_SIZE, NO_ZONE, STARTING, TABLES, Table
from sprawl_env.games.urban_sprawl.vocabulary import Next
from sprawl_env.kernels.lanes import LANE_BITS

FOLDER: Final = Path(__file__).parent / "data"
TIE_READINGS: Final = ("controller", "most")
CORNER_NAMES: Final = ("TL", "TR", "BL", "BR")
MOST_MONEY: Final = 99
NEXT_TO: Final = (*ZONES[:NUM_ZONES], "park", "water", "forest", "own")


Icon = Annotated[int, Field(ge=1, le=MOST_ICON)]
Cost = Annotated[int, Field(ge=0, le=20)]
Points = Annotated[int, Field(ge=1, le=20)]
Copies = Annotated[int, Field(ge=1, le=9)]
Size = Annotated[int, Field(ge=1, le=MAX_SIZE)]
Value = Annotated[int, Field(ge=1, le=MOST_VALUE)]
BlockIndex = Annotated[int, Field(ge=0, le=SIDE - 1)]
Zone = Annotated[str, one_of(ZONES[:NUM_ZONES])]
Scored = Annotated[
    str,
    one_of(
        [f"{vocation}-{number}" for vocation in VOCATIONS for number in range(1, MOST_ICON + 1)]
    ),
    Field(
        description=f"one of {', '.join(VOCATIONS)} with a number 1..{MOST_ICON}, such as FINANCE-4"
    ),
]


class NumbersRow(Row):
    """Numbers printed beside the city (US §1)."""

    columns: Annotated[tuple[Icon, ...], length(NUM_COLUMNS)]
    double_rows: Annotated[tuple[Icon, ...], length(NUM_DOUBLE_ROWS)]


class MarkersRow(Row):
    """Numbers of the markers (US §1)."""

    wealth: Annotated[tuple[Icon, ...], length(NUM_WEALTH_MARKERS)]
    prestige: Annotated[tuple[Icon, ...], length(NUM_PRESTIGE_MARKERS)]


class StartingRow(Row):
    """A starting building (US §1)."""

    zone: Zone
    row: BlockIndex
    column: BlockIndex
    corner: Annotated[str, one_of(CORNER_NAMES)]


class VocationRow(Row):
    """Markers of a vocation (US §1)."""

    name: Annotated[str, one_of(VOCATIONS)]
    markers: Annotated[int, Field(ge=1, le=9)]


class TilesRow(Row):
    """Building tiles of a zone, by size (US §1)."""

    zone: Annotated[str, one_of(ZONES)]
    counts: Annotated[tuple[Annotated[int, Field(ge=0, le=99)], ...], length(MAX_SIZE)]


class PayoutRow(Row):
    """What each place gets when a line of this value pays (US §2)."""

    value: Icon
    places: Annotated[tuple[Annotated[int, Field(ge=0, le=MOST_MONEY)], ...], length(MAX_SEATS)]


class CostsRow(Row):
    """Action points (US §1, 6.2)."""

    planning: Annotated[tuple[Cost, ...], length(PLANNING_SPACES + 1)]
    contracts: Annotated[tuple[Cost, ...], length(CONTRACT_SPACES)]
    tops: Annotated[tuple[Cost, ...], length(NUM_DECKS)]
    points: Points
    boss_points: Points
    treasurer: Cost


class SetupRow(Row):
    """What the seats start with (US 6.1)."""

    wealth: Annotated[tuple[Annotated[int, Field(ge=0, le=999)], ...], length(MAX_SEATS - 1)]
    cards: Annotated[tuple[Annotated[int, Field(ge=0, le=5)], ...], length(MAX_SEATS)]
    tie_value: Value
    tie_reading: Annotated[str, one_of(TIE_READINGS)] = TIE_READINGS[0]


class FinalRow(Row):
    """The end of the game (US 6.12)."""

    wealth_a_point: Annotated[int, Field(ge=1, le=99)]


class PermitRow(Row):
    """A kind of building permit (US §3)."""

    permits: Size
    zones: Annotated[tuple[Zone, ...], length(1, NUM_ZONES)]
    wealth: Icon
    ballot: bool
    copies: Copies


class RenewalRow(Row):
    """Urban Renewal (US §3)."""

    copies: Copies


class EventRow(Row):
    """An event of any deck."""

    name: Text
    special: bool = False
    effects: Annotated[tuple[AnyEffect, ...], length(1, MOST_EFFECTS)]


class ContractRow(Row):
    """A building contract (US §4, §5)."""

    name: Text
    zone: Zone
    size: Size
    vocations: Annotated[tuple[Scored, ...], length(0, VOCATIONS_A_CARD)] = ()
    prestige: Annotated[int, Field(ge=0, le=MOST_ICON)] = 0
    next_to: Annotated[tuple[Annotated[str, one_of(NEXT_TO)], ...], length(1, len(NEXT_TO))] = ()
    empty_block: bool = False
    value_at_least: Value = 0
    value_at_most: Value = 0
    highest_block: bool = False
    ignores_zoning: bool = False
    effects: Annotated[tuple[AnyEffect, ...], length(0, MOST_EFFECTS)] = ()
    copies: Copies = 1


def _contract_file(deck: str) -> DataFile:
    return DataFile(
        deck,
        {"contract": ContractRow, "event": EventRow},
        {"contract": (1, DECK_CARDS), "event": (1, DECK_CARDS)},
    )


FILES: Final = (
    DataFile(
        "board",
        {
            "numbers": NumbersRow,
            "markers": MarkersRow,
            "starting": StartingRow,
            "vocation": VocationRow,
            "tiles": TilesRow,
            "payout": PayoutRow,
            "costs": CostsRow,
            "setup": SetupRow,
            "final": FinalRow,
        },
        {
            "numbers": (1, 1),
            "markers": (1, 1),
            "starting": (STARTING, STARTING),
            "vocation": (NUM_VOCATIONS, NUM_VOCATIONS),
            "tiles": (NUM_COLOURS, NUM_COLOURS),
            "payout": (MOST_ICON, MOST_ICON),
            "costs": (1, 1),
            "setup": (1, 1),
            "final": (1, 1),
        },
    ),
    DataFile(
        "planning",
        {"permit": PermitRow, "event": EventRow, "renewal": RenewalRow},
        {"permit": (NUM_PERMITS, NUM_PERMITS), "event": (NUM_EVENTS, NUM_EVENTS),
         "renewal": (1, 1)},
    ),
    *(_contract_file(deck) for deck in DECKS),
)  # fmt: skip


def load_data(overlay: Path | None) -> GameData:
    """Read all data files and check the rows against each other.

    Raises:
        DataError: one line naming file, row and what is expected.
    """
    data = load(FOLDER, FILES, overlay)
    _check_board(data)
    _check_setup(data)
    _check_planning(data)
    for deck in DECKS:
        _check_deck(data, deck)
    _check_names(data)
    _check_tiles(data)
    return data


def _check_board(data: GameData) -> None:
    """Check that every number, vocation, zone and lot occurs once."""
    for table, field, values in (("vocation", "name", VOCATIONS), ("tiles", "zone", ZONES)):
        for k, (row, value) in enumerate(zip(data.rows("board", table), values, strict=True), 1):
            if getattr(row, field) != value:
                raise DataError(f"board.toml: {table} {k}: {field}: expected {value!r}")
    for k, row in enumerate(data.rows("board", "payout"), start=1):
        if row.value != k:
            raise DataError(f"board.toml: payout {k}: value: expected {k} (rows in order)")
    lots: set[tuple[int, int, str]] = set()
    for k, row in enumerate(data.rows("board", "starting"), start=1):
        lot = (row.row, row.column, row.corner)
        if lot in lots:
            raise DataError(f"board.toml: starting {k}: corner: expected an empty lot")
        lots.add(lot)
    printed, markers = data.row("board", "numbers"), data.row("board", "markers")
    for table, name, among in (
        ("markers", "wealth", (*printed.columns, *markers.wealth)),
        ("markers", "prestige", (*printed.double_rows, *markers.prestige)),
    ):
        if len(set(among)) < len(among):
            raise DataError(f"board.toml: {table} 1: {name}: expected every number once")


def _check_setup(data: GameData) -> None:
    """Check the claims, the tie for MEDIA, and that no event is dealt (US 6.1)."""
    printed, setup = data.row("board", "numbers"), data.row("board", "setup")
    starting = data.rows("board", "starting")
    valued = [
        (printed.columns[row.column] + printed.double_rows[row.row // 2], row.zone)
        for row in starting
    ]
    breakers = valued.count((setup.tie_value, "RES"))
    if breakers == 0 or (breakers > 1 and setup.tie_reading == "controller"):
        expected = "one starting RES" if setup.tie_reading == "controller" else "a starting RES"
        raise DataError(
            f"board.toml: setup 1: tie_value: expected the value of {expected} with "
            f"tie_reading = {setup.tie_reading!r}, got {setup.tie_value}, the value of {breakers}"
        )
    values = sorted(value for value, _ in valued)
    for seats, wealth in zip(range(MIN_SEATS, MAX_SEATS + 1), setup.wealth, strict=True):
        highest = sum(values[-(STARTING // seats) :])
        if wealth < highest:
            raise DataError(
                f"board.toml: setup 1: wealth: expected at least {highest} with {seats} seats, "
                f"the cost of the {STARTING // seats} most expensive starting buildings, "
                f"got {wealth}"
            )
    most = EVENTS_BELOW - PLANNING_SPACES - 1
    if sum(setup.cards) > most:
        raise DataError(
            f"board.toml: setup 1: cards: expected a sum of at most {most}, got {sum(setup.cards)}"
        )


def _check_planning(data: GameData) -> None:
    """Check the number of cards and the effects of the events."""
    copies = sum(row.copies for row in data.rows("planning", "permit"))
    if copies != PERMIT_CARDS:
        raise DataError(
            f"planning.toml: permit: expected copies to sum to {PERMIT_CARDS}, got {copies}"
        )
    spare = PLANNING_CARDS - PERMIT_CARDS - NUM_EVENTS
    if data.row("planning", "renewal").copies != spare:
        raise DataError(f"planning.toml: renewal 1: copies: expected {spare}")
    for k, row in enumerate(data.rows("planning", "event"), start=1):
        if row.special:
            raise DataError(f"planning.toml: event {k}: special: expected none in this deck")
        check_effects(row.effects, f"planning.toml: event {k}", event=True)


def _check_deck(data: GameData, deck: str) -> None:
    """Check the number of cards, the special event and the effects of the cards."""
    contracts, events = data.rows(deck, "contract"), data.rows(deck, "event")
    count = sum(row.copies for row in contracts) + len(events)
    if count != DECK_CARDS:
        raise DataError(f"{deck}.toml: expected {DECK_CARDS} cards with all copies, got {count}")
    special = sum(row.special for row in events)
    if special != 1:
        raise DataError(f"{deck}.toml: event: expected one with special = true, got {special}")
    if deck == DECKS[TOWN] and len(events) > 1:
        raise DataError(
            f"{deck}.toml: event: expected only the special one (this deck is dealt face up)"
        )
    for k, row in enumerate(contracts, start=1):
        where = f"{deck}.toml: contract {k}"
        names = [word.rsplit("-", 1)[0] for word in row.vocations]
        if len(set(names)) < len(names):
            raise DataError(f"{where}: vocations: expected two different vocations")
        if row.value_at_most and row.value_at_most < row.value_at_least:
            raise DataError(f"{where}: value_at_most: expected at least {row.value_at_least}")
        check_effects(row.effects, where, event=False)
    for k, row in enumerate(events, start=1):
        check_effects(row.effects, f"{deck}.toml: event {k}", event=True)


def _check_names(data: GameData) -> None:
    """Check that the names of cards are unique and not too long."""
    seen: dict[str, str] = {}
    for deck in (*DECKS, "planning"):
        for table in ("contract", "event") if deck in DECKS else ("event",):
            for k, row in enumerate(data.rows(deck, table), start=1):
                where = f"{deck}.toml: {table} {k}"
                if row.name in seen:
                    raise DataError(f"{where}: name: {row.name!r} is the name of {seen[row.name]}")
                if len(row.name.encode()) > NAME_SIZE:
                    raise DataError(f"{where}: name: expected at most {NAME_SIZE} bytes")
                seen[row.name] = where


def _check_tiles(data: GameData) -> None:
    """Check that every contract and starting building has a tile (US §1)."""
    needed: Counter[tuple[str, int]] = Counter()
    for deck in DECKS:
        for row in data.rows(deck, "contract"):
            needed[row.zone, row.size] += row.copies
    for row in data.rows("board", "starting"):
        needed[row.zone, 1] += 1
    for k, row in enumerate(data.rows("board", "tiles"), start=1):
        for size, count in enumerate(row.counts, start=1):
            least = needed[row.zone, size]
            if count < least:
                raise DataError(
                    f"board.toml: tiles {k}: counts: expected at least {least} of size {size}, "
                    f"for the contracts and starting buildings, got {count}"
                )


# ------------------------------------------------------------------------------------- compiling


def compile_tables(data: GameData, options: Mapping[str, int]) -> Tables:
    """Compile the data into one record ``[1]`` for the kernels."""
    tables = np.zeros(1, TABLES).view(np.recarray)
    tables.seen_seats = options["num_players"]
    tables.at[0] = starts_of(Seen, seen_layout(options["num_players"]))
    _compile_board(tables[0], data)
    effects = EffectCompiler(tables)
    _compile_planning(tables[0], data, effects)
    for k, deck in enumerate(DECKS):
        _compile_deck(tables[0], data, deck, k * DECK_CARDS, effects)
    for card in range(NUM_CARDS):
        write_features(tables[0], card)
    return tables


def _compile_board(t: Table, data: GameData) -> None:
    printed, markers = data.row("board", "numbers"), data.row("board", "markers")
    t.column_number[:] = printed.columns
    t.row_number[:] = printed.double_rows
    t.marker_number[:] = (*markers.wealth, *markers.prestige)
    for k, row in enumerate(data.rows("board", "starting")):
        t.start_zone[k] = ZONES.index(row.zone)
        block = row.row * SIDE + row.column
        t.start_lot[k] = block * CORNERS + CORNER_NAMES.index(row.corner)
    for k, row in enumerate(data.rows("board", "vocation")):
        t.vocation_markers[k] = row.markers
    for k, row in enumerate(data.rows("board", "tiles")):
        t.tiles[k] = row.counts
    for row in data.rows("board", "payout"):
        t.places[row.value] = row.places
    costs, setup = data.row("board", "costs"), data.row("board", "setup")
    t.planning_cost[:] = costs.planning
    t.build_cost[:] = (*costs.contracts, *costs.tops)
    t.action_points, t.boss_points = costs.points, costs.boss_points
    t.treasurer = costs.treasurer
    t.opening_wealth[MIN_SEATS:] = setup.wealth
    t.opening_cards[:] = setup.cards
    t.tie_value = setup.tie_value
    t.wealth_a_point = data.row("board", "final").wealth_a_point


def _compile_planning(t: Table, data: GameData, effects: EffectCompiler) -> None:
    for k, row in enumerate(data.rows("planning", "permit")):
        t.permits[k], t.permit_wealth[k] = row.permits, row.wealth
        t.permit_zones[k] = sum(1 << ZONES.index(zone) for zone in set(row.zones))
        t.permit_lanes[k] = sum(row.permits << LANE_BITS * ZONES.index(z) for z in set(row.zones))
        t.permit_ballot[k], t.permit_copies[k] = row.ballot, row.copies
    t.renewal_copies = data.row("planning", "renewal").copies
    for k, row in enumerate(data.rows("planning", "event")):
        t.event_first[k], t.event_count[k] = effects.add(row.effects, "planning.toml")
        _write_name(t.event_name[k], row.name)


def _compile_deck(t: Table, data: GameData, deck: str, card: int, effects: EffectCompiler) -> None:
    for row in data.rows(deck, "contract"):
        first, count = effects.add(row.effects, f"{deck}.toml")
        for _ in range(row.copies):
            t.card_first[card], t.card_effects[card] = first, count
            _write_name(t.card_name[card], row.name)
            _compile_contract(t, card, row)
            card += 1
    for row in data.rows(deck, "event"):
        t.card_zone[card] = NO_ZONE
        t.card_vocation[card] = NO_VOCATION
        t.card_special[card] = row.special
        t.card_first[card], t.card_effects[card] = effects.add(row.effects, f"{deck}.toml")
        _write_name(t.card_name[card], row.name)
        card += 1


def _compile_contract(t: Table, card: int, row: ContractRow) -> None:
    t.card_zone[card], t.card_size[card] = ZONES.index(row.zone), row.size
    t.card_prestige[card] = row.prestige
    t.card_vocation[card] = NO_VOCATION
    for k, word in enumerate(row.vocations):
        vocation, number = word.rsplit("-", 1)
        t.card_vocation[card, k] = VOCATIONS.index(vocation)
        t.card_number[card, k] = int(number)
    t.card_next_to[card] = sum(1 << _next(word) for word in set(row.next_to))
    t.card_empty_block[card], t.card_highest[card] = row.empty_block, row.highest_block
    t.card_at_least[card] = row.value_at_least
    t.card_at_most[card] = row.value_at_most or MOST_VALUE
    t.card_any_zone[card] = row.ignores_zoning
    t.card_restricted[card] = bool(
        row.next_to
        or row.empty_block
        or row.highest_block
        or row.value_at_least
        or row.value_at_most
        or row.ignores_zoning
    )


def _next(word: str) -> int:
    return ZONES.index(word) if word in ZONES else int(Next[word.upper()])


def _write_name(out: Any, name: str) -> None:
    letters = name.encode()
    out[: len(letters)] = np.frombuffer(letters, np.uint8)
