"""Action names and the text board of *Urban Sprawl*."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sprawl_env.core.state import FINISHED, NOBODY, NOT_OVER, Games, Tables
from sprawl_env.core.words import counted
from sprawl_env.games.urban_sprawl.actions import ACTIONS
from sprawl_env.games.urban_sprawl.constants import (
    ALL_CORNERS,
    CONTRACT_SPACES,
    CORNERS,
    DECKS,
    FIRST_DOUBLE_ROW,
    FIRST_FAVOR,
    FIRST_GREY,
    FIRST_OF,
    FIRST_TOP,
    MONEY,
    NO_CARD,
    NO_KIND,
    NO_MARKER,
    NUM_COLUMNS,
    NUM_GREYS,
    NUM_KINDS,
    NUM_PERMITS,
    NUM_TOP_GREYS,
    NUM_WEALTH_MARKERS,
    NUM_ZONES,
    OFFICES,
    PLANNING_TOP,
    RENEWAL,
    SIDE,
    VOCATIONS,
    ZONES,
)
from sprawl_env.games.urban_sprawl.places import block_name, lot_name
from sprawl_env.games.urban_sprawl.rules.turn import contract_at
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import (
    DECISIONS,
    Step,
)
from sprawl_env.kernels.agenda import top

SHAPE_WORDS = {
    2: ("top", "bottom", "left", "right"),
    3: ("all but top left", "all but top right", "all but bottom left", "all but bottom right"),
}
BIG = 4
LETTERS = ("C", "M", "I", "R", "P")  # of the zones on the text board


def _text(letters: object) -> str:
    return bytes(np.asarray(letters)).rstrip(b"\0").decode()


def card_name(tables: Tables, card: int) -> str:
    """Return the name of a contract or an event of a contract deck."""
    return "(empty)" if card == NO_CARD else _text(tables[0].card_name[card])


def contract_name(tables: Tables, card: int) -> str:
    """Return a contract with its zone and size, e.g. ``Bank (COM 2)``."""
    if card == NO_CARD:
        return "(empty)"
    t = tables[0]
    return f"{card_name(tables, card)} ({ZONES[t.card_zone[card]]} {t.card_size[card]})"


def kind_name(tables: Tables, kind: int) -> str:
    """Return a planning card, e.g. ``2 permits CIV COM (9)``."""
    if kind == NO_KIND:
        return "(empty)"
    if kind == RENEWAL:
        return "Urban Renewal"
    t = tables[0]
    if kind >= NUM_KINDS:
        return _text(t.event_name[kind - NUM_KINDS])
    zones = [ZONES[z] for z in range(NUM_ZONES) if int(t.permit_zones[kind]) >> z & 1]
    count = int(t.permits[kind])
    return f"{counted(count, 'permit')} {' '.join(zones)} ({t.permit_wealth[kind]})"


def marker_name(tables: Tables, marker: int) -> str:
    """Return a marker, e.g. ``wealth 7``."""
    if marker == NO_MARKER:
        return "(empty)"
    money = MONEY[marker >= NUM_WEALTH_MARKERS]
    return f"{money} {tables[0].marker_number[marker]}"


def line_name(tables: Tables, line: int) -> str:
    """Return a line, e.g. ``column D (wealth 6)`` or ``grey row 2``."""
    if line < FIRST_DOUBLE_ROW:
        return f"column {'ABCDEF'[line]} (wealth {tables[0].column_number[line]})"
    if line < FIRST_GREY:
        row = line - NUM_COLUMNS
        number = tables[0].row_number[row]
        return f"rows {2 * row + 1}-{2 * row + 2} (prestige {number})"
    grey = line - FIRST_GREY
    if grey < NUM_TOP_GREYS:
        return f"grey columns {'ABCDEF'[2 * grey]}-{'ABCDEF'[2 * grey + 1]}"
    return f"grey row {grey - NUM_TOP_GREYS + 1}"


def footprint_size(tables: Tables, state: State) -> int:
    """Return the size of the footprint to choose, 0 if a lot or a building is to be chosen."""
    entry = top(state)
    if entry.step == Step.FOOTPRINT:
        return int(tables[0].card_size[entry.card])
    if entry.step == Step.PLACE:
        return int(tables[0].effects[entry.effect].new_size)
    if entry.step == Step.MOVE_TO:
        return int(state.corners[entry.lot]).bit_count()
    return 0


def site_name(tables: Tables, state: State, site: int) -> str:
    """Return the name of a footprint, a building or a lot, as the current decision reads it."""
    size = footprint_size(tables, state)
    if size in SHAPE_WORDS:
        return f"{block_name(site // CORNERS)} {SHAPE_WORDS[size][site % CORNERS]}"
    if size == BIG:
        return block_name(site // CORNERS)
    shape = int(state.corners[site])
    if size or not shape:
        return lot_name(site)
    return f"{ZONES[state.zone[site]]} {shape.bit_count()} at {lot_name(site)}"


def place_name(tables: Tables, state: State, place: int) -> str:
    """Return a contract and its place."""
    card = contract_name(tables, contract_at(state, int(state.to_play), place))
    if place < FIRST_TOP:
        return f"{card} at {place + 1} AP"
    if place < FIRST_FAVOR:
        return f"{card} on {DECKS[place - FIRST_TOP]}"
    return f"Favor {card}"


def action_name(tables: Tables, games: Games, g: int, action: int) -> str:
    """Return an action as a player would say it, e.g. ``build Bank (COM 2) at 3 AP``."""
    state = games[g]
    block, i = ACTIONS.locate(action)
    over = state.over != NOT_OVER
    step = Step.MAIN if over else Step(top(state).step)
    if block == "decline":
        return "end turn" if step == Step.MAIN else "decline"
    if block == "yes":
        return "pay" if step in {Step.DISASTER, Step.SAVE} else "accept"
    if block == "permit":
        verb = {Step.MAIN: "invest", Step.PERMITS: "pay"}.get(step, "discard")
        return f"{verb} {kind_name(tables, i)}"
    if block == "planning":
        where = "deck top" if i == PLANNING_TOP else f"{i + 1} AP"
        return f"take {kind_name(tables, int(state.planning[i]))} at {where}"
    if block in {"build", "favor"}:
        verb = "build" if block == "build" else "favor"
        seat = NOBODY if over else int(state.to_play)
        return f"{verb} {place_name(tables, state, i)}" if seat != NOBODY else f"{verb} {i}"
    if block == "site":
        verb = "claim" if step == Step.CLAIM else "at"
        return f"{verb} {lot_name(i) if over else site_name(tables, state, i)}"
    if block == "seat":
        return f"seat {(int(state.to_play) + i) % int(state.num_seats)}"
    if block == "line":
        return line_name(tables, i)
    if block == "marker":
        return f"marker {marker_name(tables, i)}"
    words = {
        "zone": ZONES,
        "office": OFFICES,
        "vocation": VOCATIONS,
        "gain": MONEY,
        "option": ("row", "column") if step == Step.PICK_ROW else ("1", "2", "3", "4"),
    }
    if block == "amount":
        return f"bid {i + 1}"
    return f"option {words[block][i]}" if block == "option" else words[block][i]


# ------------------------------------------------------------------------------------ text board


def describe(tables: Tables, games: Games, g: int) -> str:
    """Return the position as text: city, lines, cards, seats, the decision."""
    state = games[g]
    return "\n".join(
        [
            f"Urban Sprawl, {state.num_seats} seats",
            "",
            *_city(tables, state),
            "",
            *_cards(tables, state),
            "",
            *_seats(tables, state),
            "",
            _situation(state),
        ]
    )


def _lot(state: State, lot: int) -> str:
    """Return a lot in three characters: zone (capital on the first lot), controller, space."""
    if state.building_on[lot] == 0:
        return " . "
    first = lot // CORNERS * CORNERS + FIRST_OF[int(state.building_on[lot]) & ALL_CORNERS]
    owner = int(state.owner[first])
    letter = LETTERS[state.zone[first]]
    return (
        (letter if first == lot else letter.lower())
        + ("-" if owner == NOBODY else str(owner))
        + " "
    )


def _city(tables: Tables, state: State) -> Iterator[str]:
    greys = [marker_name(tables, int(state.marker_at[g])) for g in range(NUM_GREYS)]
    yield "      " + "".join(f"{'[' + name + ']':^16}" for name in greys[:NUM_TOP_GREYS])
    yield "      " + "".join(f"{'ABCDEF'[c]:^8}" for c in range(SIDE))
    for row in range(SIDE):
        for half in range(2):
            lots = ""
            for column in range(SIDE):
                first = (row * SIDE + column) * CORNERS + 2 * half
                lots += _lot(state, first) + _lot(state, first + 1) + "  "
            values = " ".join(str(v) for v in state.value[row * SIDE : row * SIDE + SIDE])
            right = f"[{greys[NUM_TOP_GREYS + row]}]" if half == 0 else f"values {values}"
            number = tables[0].row_number[row // 2]
            left = f"{row + 1} p{number} " if half == 0 else "     "
            yield f"{left} {lots}{right}"
    yield "      " + "".join(f"{'w' + str(n):^8}" for n in tables[0].column_number)


def _cards(tables: Tables, state: State) -> Iterator[str]:
    spaces = [
        f"{space + 1} AP {kind_name(tables, int(state.planning[space]))}"
        for space in range(PLANNING_TOP)
    ]
    spaces.append(f"top {kind_name(tables, int(state.planning[PLANNING_TOP]))}")
    yield "planning: " + "; ".join(spaces) + f"; {state.planning_size} face down"
    for space in range(CONTRACT_SPACES):
        yield f"contract {space + 1} AP: {contract_name(tables, int(state.contract[space]))}"
    for deck, name in enumerate(DECKS):
        if int(state.active_decks) >> deck & 1:
            card = contract_name(tables, int(state.deck_top[deck]))
            yield f"{name} top: {card}; {state.deck_size[deck]} face down"


def _seats(tables: Tables, state: State) -> Iterator[str]:
    for seat in range(state.num_seats):
        held = [
            f"{int(state.hand[seat, k])} x {kind_name(tables, k)}"
            for k in range(NUM_PERMITS + 1)
            if state.hand[seat, k]
        ]
        vocations = [
            f"{VOCATIONS[v]} {int(state.vocations[seat, v])}"
            for v in range(len(VOCATIONS))
            if state.vocations[seat, v]
        ]
        offices = [name for o, name in enumerate(OFFICES) if state.office[o] == seat]
        favors = [contract_name(tables, int(c)) for c in state.favors[seat] if c != NO_CARD]
        yield (
            f"seat {seat}: prestige {state.prestige[seat]}, wealth {state.wealth[seat]}"
            f"; hand {', '.join(held) or 'empty'}"
            + "".join(
                f"; {label} {', '.join(words)}"
                for label, words in (
                    ("vocations", vocations),
                    ("offices", offices),
                    ("favors", favors),
                )
                if words
            )
        )


def _situation(state: State) -> str:
    if state.over != NOT_OVER:
        return "game over" if state.over == FINISHED else "stopped at the limit of turns"
    what = DECISIONS[Step(top(state).step)].words
    return (
        f"turn {state.turn + 1} of seat {state.active}, {state.points} AP left; "
        f"seat {state.to_play} to play: {what}"
    )
