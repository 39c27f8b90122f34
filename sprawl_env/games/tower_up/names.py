"""*Tower Up* as text: action names and the text board."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sprawl_env.core.state import FINISHED, NOBODY, NOT_OVER, Games, Tables
from sprawl_env.games.tower_up.actions import ACTIONS
from sprawl_env.games.tower_up.constants import (
    COLOURS,
    DISTRICTS,
    NO_CARD,
    NO_COLOUR,
    NUM_COLOURS,
    OBJECTIVES_IN_PLAY,
    EndCause,
    ObjectiveKind,
    Step,
)
from sprawl_env.games.tower_up.state import State
from sprawl_env.games.tower_up.tables import Table

DECISIONS = {
    Step.TURN: "take a card or build",
    Step.FLOOR: "choose the colour of a floor",
    Step.RETURN: "return a floor to the supply",
    Step.ROOF: "put a roof on a floor just placed",
}


def action_name(tables: Tables, games: Games, g: int, action: int) -> str:
    """Return an action as a player would say it, e.g. ``build white on site 12``."""
    block, offset = ACTIONS.locate(action)
    if block == "take":
        return f"take card {offset + 1}"
    if block in {"choose", "return"}:
        return f"{block} {COLOURS[offset]}"
    if block == "build":
        site, colour = divmod(offset, NUM_COLOURS)
        return f"build {COLOURS[colour]} on site {site}"
    return f"roof on site {offset}"


def card_name(tables: Tables, card: int) -> str:
    """Return what a reserve card gives, e.g. ``grey + white + black vehicle 1``."""
    if card == NO_CARD:
        return "(empty)"
    t: Table = tables[0]
    parts = []
    for colour, name in enumerate(COLOURS):
        count = int(t.card_floors[card, colour])
        parts += [f"{count} {name}" if count > 1 else name] if count else []
    if t.card_multicolour[card]:
        parts.append(f"{int(t.card_multicolour[card])} multicolour")
    if t.card_steps[card]:
        parts.append(f"{COLOURS[t.card_vehicle[card]]} vehicle {int(t.card_steps[card])}")
    return " + ".join(parts)


def by_colour(counts: Iterable[int]) -> str:
    """Return counts as ``2 black 0 grey 1 white 3 brown``."""
    return " ".join(f"{int(count)} {name}" for count, name in zip(counts, COLOURS, strict=True))


def describe(tables: Tables, games: Games, g: int) -> str:
    """Return the position as a text board."""
    t: Table = tables[0]
    state: State = games[g]
    lines = [f"Tower Up, turn {int(state.turn) + 1}, ply {int(state.ply)}: {_status(games, g)}"]
    lines += [_site(t, games, g, site) for site in range(int(t.num_sites[state.board]))]
    for space, card in enumerate(state.market, start=1):
        lines.append(f"  card {space}: {card_name(tables, int(card))}")
    lines.append(
        f"  supply: {by_colour(state.supply)}; deck {int(state.deck_size)} cards, "
        f"{int(state.num_discards)} discarded"
    )
    for k in range(OBJECTIVES_IN_PLAY):
        kind = ObjectiveKind(int(t.objective_kind[state.objective[k]])).name.lower()
        lines.append(f"  objective {k + 1}: {kind}, chips taken {int(state.chips_taken[k])}")
    lines += [_seat(games, g, seat) for seat in range(int(state.num_seats))]
    return "\n".join(lines)


def decision(state: State) -> str:
    """Return in words what the seat to play decides."""
    return DECISIONS[Step(int(state.agenda[int(state.agenda_size) - 1].step))]


def in_last_turns(state: State) -> bool:
    """Return whether the seat to play has no turn after this one and its extra turns (TU §7).

    A seat that causes a shortage has one more, also in the extra turns that follow at once.
    """
    return bool(state.last_turns > 0 or state.end_cause == EndCause.LAST_ROOF)


def _status(games: Games, g: int) -> str:
    state: State = games[g]
    if state.over != NOT_OVER:
        return "over" if state.over == FINISHED else "stopped at the turn limit"
    return f"seat {int(state.to_play)} to {decision(state)}"


def _site(t: Table, games: Games, g: int, site: int) -> str:
    """Return a site: its building, then its district, its streets, and what it lies beside."""
    board = games[g].board
    streets = " ".join(map(str, sorted(t.streets[board, site, : t.num_streets[board, site]])))
    district = DISTRICTS[t.district[board, site]].replace("_", " ")
    beside = "".join(
        f", by a {name}"
        for name, sites in (("park", t.by_park), ("lake", t.by_lake))
        if int(sites[board]) >> site & 1
    )
    built = "empty" if games[g].colour[site] == NO_COLOUR else _building(games, g, site)
    return f"  site {site}: {built}; {district}{beside}, streets to {streets}"


def _building(games: Games, g: int, site: int) -> str:
    """Return a building with its roofs."""
    state: State = games[g]
    roofs = [
        f"seat {seat} at {int(height)}"
        for seat in range(int(state.num_seats))
        for at, height in zip(state.roof_site[seat], state.roof_height[seat], strict=True)
        if at == site
    ]
    top = "" if state.top[site] == NOBODY else f", top: seat {int(state.top[site])}"
    shown = f"; roofs: {', '.join(roofs)}{top}" if roofs else ""
    return f"{COLOURS[state.colour[site]]} {int(state.height[site])}{shown}"


def _seat(games: Games, g: int, seat: int) -> str:
    state: State = games[g]
    chips = "-".join(str(int(chip)) for chip in state.chip[seat])
    visible = int(np.sum(state.top == seat))
    return (
        f"  seat {seat}: reserve {by_colour(state.reserve[seat])}; "
        f"roofs left {int(state.roofs_left[seat])}, visible {visible}; "
        f"markers {by_colour(state.marker[seat])}; cone {int(state.cone[seat])}; chips {chips}"
    )
