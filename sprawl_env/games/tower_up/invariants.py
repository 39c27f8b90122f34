"""What must hold in every position of *Tower Up*, recomputed slowly from the board."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sprawl_env.core.game import NOBODY, NOT_OVER, Games, Tables
from sprawl_env.games.tower_up.constants import (
    BOARD_4P,
    COLOURS,
    MARKET_SIZE,
    MAX_HEIGHT,
    MAX_SEATS,
    MAX_SITES,
    MIN_SEATS,
    NO_CARD,
    NO_COLOUR,
    NO_SITE,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_OBJECTIVES,
    NUM_ROOFS,
    Step,
)
from sprawl_env.games.tower_up.state import AGENDA_DEPTH


def violations(tables: Tables, games: Games, g: int) -> list[str]:
    """Return what is wrong with a position, one line each; empty if all is well."""
    ranges = list(_ranges(tables, games, g))  # first: what follows uses the values as indices
    return ranges or [
        *_board(tables, games, g),
        *_roofs(tables, games, g),
        *_stock(tables, games, g),
    ]


def _ranges(tables: Tables, games: Games, g: int) -> Iterator[str]:
    """Check every value that is used as an index or a count."""
    t, state = tables[0], games[g]
    limits = {
        "rng": (1, 2**63 - 1),
        "ply": (0, 10**6),
        "turn": (0, int(state.max_turns)),
        "num_seats": (MIN_SEATS, MAX_SEATS),
        "to_play": (NOBODY, int(state.num_seats) - 1),
        "over": (0, 2),
        "board": (0, BOARD_4P),
        "colour": (NO_COLOUR, NUM_COLOURS - 1),
        "height": (0, MAX_HEIGHT),
        "top": (NOBODY, MAX_SEATS - 1),
        "adjacent": (0, MAX_HEIGHT),
        "built": (0, (1 << MAX_SITES) - 1),
        "reserve": (0, 127),
        "roofs_left": (0, NUM_ROOFS),
        "roof_site": (NO_SITE, MAX_SITES - 1),
        "roof_height": (0, MAX_HEIGHT),
        "present": (0, (1 << MAX_SITES) - 1),
        "twice": (0, (1 << MAX_SITES) - 1),
        "marker": (0, int(t.marker_end)),
        "stars": (0, int(t.num_stars)),
        "cone": (0, int(t.cone_end)),
        "counted": (0, 1),
        "progress": (0, MAX_SITES),
        "fulfilled": (0, 1),
        "supply": (0, int(t.floors_per_colour)),
        "objective": (0, NUM_OBJECTIVES - 1),
        "chips_taken": (0, int(state.num_seats)),
        "market": (NO_CARD, NUM_CARDS - 1),
        "deck": (0, NUM_CARDS - 1),
        "deck_size": (0, NUM_CARDS),
        "discards": (0, NUM_CARDS - 1),
        "num_discards": (0, NUM_CARDS - MARKET_SIZE + 1),
        "end_cause": (0, 2),
        "last_turns": (0, int(state.num_seats)),
        "agenda_size": (0 if state.over else 1, AGENDA_DEPTH),
    }
    for field, (low, high) in limits.items():
        values = np.asarray(state[field])
        if values.min() < low or values.max() > high:
            yield f"{field}: expected {low}..{high}, got {values.min()}..{values.max()}"
    yield from _agenda(games, g)


def _agenda(games: Games, g: int) -> Iterator[str]:
    state = games[g]
    for step, seat, a, b, _ in state.agenda[: max(0, min(int(state.agenda_size), AGENDA_DEPTH))]:
        whole = {Step.ROOF: MAX_SITES, Step.VEHICLE: NUM_COLOURS, Step.REFILL: MARKET_SIZE}
        known = 0 <= step <= max(Step) and 0 <= seat < state.num_seats and 0 <= b <= MAX_HEIGHT
        if not known or not 0 <= a < whole.get(Step(int(step)), 1):
            yield f"agenda: no possible step {[int(step), int(seat), int(a), int(b)]}"
    if state.over == NOT_OVER and state.agenda_size >= 1:
        step, seat, *_ = state.agenda[min(int(state.agenda_size), AGENDA_DEPTH) - 1]
        if step > Step.ROOF or seat != state.to_play:
            yield "agenda: expected a decision of the seat to play on top"
    elif state.over != NOT_OVER and state.to_play != NOBODY:
        yield f"to_play: expected {NOBODY} once over"


def _board(tables: Tables, games: Games, g: int) -> Iterator[str]:
    """Buildings, and the counts kept beside them."""
    t, state = tables[0], games[g]
    sites = int(t.num_sites[state.board])
    for site in range(MAX_SITES):
        colour, height = int(state.colour[site]), int(state.height[site])
        if (colour == NO_COLOUR) != (height == 0) or (site >= sites and height):
            yield f"site {site}: colour {colour} with {height} floors"
        counts = [0] * NUM_COLOURS
        for other in t.streets[state.board, site, : t.num_streets[state.board, site]]:
            if state.colour[other] != NO_COLOUR:
                counts[int(state.colour[other])] += 1
        if state.adjacent[site].tolist() != counts:
            yield f"adjacent: site {site} should count {counts}"
        if colour != NO_COLOUR and counts[colour]:
            yield f"site {site}: an adjacent building has its colour"
    for colour in range(NUM_COLOURS):
        if state.built[colour] != sum(1 << int(s) for s in np.flatnonzero(state.colour == colour)):
            yield f"built: {COLOURS[colour]} does not match the board"


def _roofs(tables: Tables, games: Games, g: int) -> Iterator[str]:
    """Roofs, presence and visible tops."""
    state = games[g]
    tops: dict[int, tuple[int, int]] = {}  # site -> height and seat of its highest roof
    for seat in range(int(state.num_seats)):
        placed = NUM_ROOFS - int(state.roofs_left[seat])
        sites = state.roof_site[seat, :placed].tolist()
        heights = state.roof_height[seat, :placed].tolist()
        if min(sites, default=0) < 0 or set(state.roof_site[seat, placed:].tolist()) - {NO_SITE}:
            yield f"roof_site: seat {seat} should have {placed} roofs on the board"
            continue
        if state.present[seat] != sum(1 << site for site in set(sites)):
            yield f"present: seat {seat} does not match its roofs"
        if state.twice[seat] != sum(1 << site for site in set(sites) if sites.count(site) > 1):
            yield f"twice: seat {seat} does not match its roofs"
        for site, height in zip(sites, heights, strict=True):
            if not 1 <= height <= state.height[site]:
                yield f"roof_height: seat {seat} has a roof at {height} on site {site}"
            tops[site] = max(tops.get(site, (0, 0)), (height, seat))
    for site in range(MAX_SITES):
        height, seat = tops.get(site, (0, NOBODY))
        expected = seat if height and height == state.height[site] else NOBODY
        if state.top[site] != expected:
            yield f"top: site {site} should be {expected}"


def _stock(tables: Tables, games: Games, g: int) -> Iterator[str]:
    """Floors and cards are all somewhere."""
    t, state = tables[0], games[g]
    for colour, name in enumerate(COLOURS):
        floors = (
            int(state.supply[colour])
            + int(state.reserve[: state.num_seats, colour].astype(int).sum())
            + int(state.height[state.colour == colour].astype(int).sum())
        )
        if floors != t.floors_per_colour:
            yield f"{name}: {floors} floors instead of {int(t.floors_per_colour)}"
    cards = [
        *state.market[state.market != NO_CARD].tolist(),
        *state.deck[: state.deck_size].tolist(),
        *state.discards[: state.num_discards].tolist(),
    ]
    if sorted(cards) != list(range(NUM_CARDS)):
        yield f"cards: expected each of {NUM_CARDS} once in market, deck and discards"
