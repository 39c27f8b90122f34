"""Conditions that hold in every position of *Tower Up*, recomputed from the board."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sprawl_env.core.state import NOBODY, NOT_OVER, Games, Tables
from sprawl_env.games.tower_up.constants import (
    BOARD_4P,
    COLOURS,
    MARKET_SIZE,
    MAX_HEIGHT,
    MAX_SEATS,
    MAX_SITES,
    MIN_SEATS,
    MOST_CARD_FLOORS,
    MOST_STEPS,
    NO_CARD,
    NO_COLOUR,
    NO_SITE,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_OBJECTIVES,
    NUM_ROOFS,
    OBJECTIVES_IN_PLAY,
    EndCause,
    Step,
)
from sprawl_env.games.tower_up.rules.end import stars_reached
from sprawl_env.games.tower_up.rules.objectives import progress_of
from sprawl_env.games.tower_up.state import AGENDA_DEPTH, Entry, State
from sprawl_env.games.tower_up.tables import Table
from sprawl_env.kernels.compile import kernel


@kernel
def stars_of(tables: Tables, games: Games, g: int, seat: int) -> int:
    """Return how many star columns the seat's markers have reached or passed (TU §5)."""
    return stars_reached(tables[0], games[g], seat)


@kernel
def progress_towards(tables: Tables, games: Games, g: int, seat: int, k: int) -> int:
    """Return a seat's progress towards the ``k``-th objective in play (TU §6)."""
    return progress_of(tables[0], games[g], seat, games[g].objective[k])


def violations(tables: Tables, games: Games, g: int) -> list[str]:
    """Return what is wrong with a position, one line each; empty if nothing is."""
    wrong = list(ranges(tables, games, g))  # first: the other checks use the values as indices
    return wrong or [
        *_agenda(tables, games, g),
        *_board(tables, games, g),
        *_roofs(tables, games, g),
        *_stock(tables, games, g),
        *_gains(tables, games, g),
        *_end(tables, games, g),
    ]


def ranges(tables: Tables, games: Games, g: int) -> Iterator[str]:
    """Check every value that is used as an index or a count."""
    t: Table = tables[0]
    state: State = games[g]
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
        "topped": (0, (1 << MAX_SITES) - 1),
        "adjacent": (0, MAX_HEIGHT),
        "reach": (0, MAX_HEIGHT),
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
        "chip": (0, 127),
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
        values = np.asarray(games[field][g])
        if values.min() < low or values.max() > high:
            yield f"{field}: expected {low}..{high}, got {values.min()}..{values.max()}"


def _agenda(tables: Tables, games: Games, g: int) -> Iterator[str]:
    """Check that a turn is END_OF_TURN, RETURN and one decision with its later steps."""
    state: State = games[g]
    size = min(int(state.agenda_size), AGENDA_DEPTH)
    if state.over != NOT_OVER:
        if state.to_play != NOBODY or state.agenda_size != 0:
            yield f"to_play: expected {NOBODY} and an empty agenda once over"
        return
    entries = [state.agenda[k] for k in range(size)]
    steps = [int(entry.step) for entry in entries]
    waiting = [k for k, card in enumerate(state.market) if card == NO_CARD]
    if any(entry.seat != state.to_play for entry in entries) or state.to_play < 0:
        yield "agenda: expected only steps of the seat to play"
    if steps[:2] != [Step.END_OF_TURN, Step.RETURN]:
        yield "agenda: expected END_OF_TURN and RETURN at the bottom"
    elif steps[2:] in ([], [Step.TURN]):
        if waiting:
            yield f"market: space {waiting[0]} is empty"
        held = int(state.reserve[min(max(int(state.to_play), 0), MAX_SEATS - 1)].astype(int).sum())
        if steps[2:] == [] and held <= tables[0].reserve_limit:
            yield "agenda: expected too many floors in hand before any is returned"
    elif steps[2:] == [Step.ROOF]:
        new = int(entries[2].site)
        if not 0 <= new < MAX_SITES or state.height[new] != 1 or waiting:
            yield "agenda: expected a new building to wait for its roof"
        elif state.roofs_left[state.to_play] == 0:
            yield "agenda: expected a roof for the new building"
    else:
        yield from _taking(entries[2:], waiting)


def _taking(entries: list[Entry], waiting: list[int]) -> Iterator[str]:
    """Check the steps of taking a card: REFILL, perhaps VEHICLE, floors to choose."""
    refill, *rest = entries
    if refill.step != Step.REFILL or [refill.space] != waiting:
        yield "agenda: expected the empty market space to be refilled"
    if rest and rest[0].step == Step.VEHICLE:
        vehicle = rest.pop(0)
        if not 0 <= vehicle.colour < NUM_COLOURS or not 1 <= vehicle.steps <= MOST_STEPS:
            yield "agenda: expected a possible vehicle"
    floors = {int(entry.step) for entry in rest}
    if not 1 <= len(rest) <= MOST_CARD_FLOORS or floors != {Step.FLOOR}:
        yield "agenda: expected floors to choose on top"


def _board(tables: Tables, games: Games, g: int) -> Iterator[str]:
    """Check the buildings and the counts derived from them."""
    t: Table = tables[0]
    state: State = games[g]
    sites = int(t.num_sites[state.board])
    for site in range(MAX_SITES):
        colour, height = int(state.colour[site]), int(state.height[site])
        if (colour == NO_COLOUR) != (height == 0) or (site >= sites and height):
            yield f"site {site}: colour {colour} with {height} floors"
        counts, tallest = [0] * NUM_COLOURS, [0] * NUM_COLOURS
        for other in t.streets[state.board, site, : t.num_streets[state.board, site]]:
            beside = int(state.colour[other])
            if beside != NO_COLOUR:
                counts[beside] += 1
                tallest[beside] = max(tallest[beside], int(state.height[other]))
        if state.adjacent[site].tolist() != counts:
            yield f"adjacent: site {site} should count {counts}"
        if state.reach[site].tolist() != tallest:
            yield f"reach: site {site} should be {tallest}"
        if colour != NO_COLOUR and counts[colour]:
            yield f"site {site}: an adjacent building has its colour"
    for colour in range(NUM_COLOURS):
        if state.built[colour] != sum(1 << int(s) for s in np.flatnonzero(state.colour == colour)):
            yield f"built: {COLOURS[colour]} does not match the board"


def _roofs(tables: Tables, games: Games, g: int) -> Iterator[str]:
    """Check roofs, presence and visible tops."""
    state: State = games[g]
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
    for seat in range(MAX_SEATS):
        if state.topped[seat] != sum(1 << int(s) for s in np.flatnonzero(state.top == seat)):
            yield f"topped: seat {seat} does not match the tops"


def _stock(tables: Tables, games: Games, g: int) -> Iterator[str]:
    """Check that every floor and every card is in exactly one place."""
    t: Table = tables[0]
    state: State = games[g]
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


def _gains(tables: Tables, games: Games, g: int) -> Iterator[str]:
    """Check objectives, chips and star columns."""
    t: Table = tables[0]
    state: State = games[g]
    if len(set(state.objective.tolist())) != OBJECTIVES_IN_PLAY:
        yield "objective: expected three different cards"
    for k in range(OBJECTIVES_IN_PLAY):
        have = [seat for seat in range(int(state.num_seats)) if state.fulfilled[seat, k]]
        chips = sorted((int(state.chip[seat, k]) for seat in have), reverse=True)
        best = t.chip_values[state.num_seats, : len(have)].tolist()
        others = [int(x) for seat, x in enumerate(state.chip[:, k]) if seat not in have]
        if state.chips_taken[k] != len(have) or chips != best or any(others):
            yield f"chip: objective {k + 1} should have given {best}"
    for seat in range(int(state.num_seats)):
        yield from _progress(tables, games, g, seat)
        reached = stars_of(tables, games, g, seat)
        now = int(state.stars[seat])
        late = seat == state.to_play and _turn_in_progress(games, g)  # updated when the turn ends
        if now > reached or (now < reached and not late and state.over == NOT_OVER):
            yield f"stars: seat {seat} has reached {reached}"


def _turn_in_progress(games: Games, g: int) -> bool:
    state: State = games[g]
    size = int(state.agenda_size)
    return size > 0 and state.agenda[size - 1].step != Step.TURN


def _progress(tables: Tables, games: Games, g: int, seat: int) -> Iterator[str]:
    t: Table = tables[0]
    state: State = games[g]
    for k in range(OBJECTIVES_IN_PLAY):
        need = int(t.objective_need[state.objective[k]])
        now, true = int(state.progress[seat, k]), progress_towards(tables, games, g, seat, k)
        wrong = now < need or now > true if state.fulfilled[seat, k] else now != true or now >= need
        if wrong:
            yield f"progress: seat {seat}, objective {k + 1}: expected {true} of {need}"


def _end(tables: Tables, games: Games, g: int) -> Iterator[str]:
    """Check the cause of the end, which seats have counted, which have a last turn."""
    state: State = games[g]
    seats = int(state.num_seats)
    counted = int(state.counted.sum())
    if any(state.cone[seat] and not state.counted[seat] for seat in range(MAX_SEATS)):
        yield "cone: expected 0 before it has counted"
    if any(state.counted[seats:]):
        yield "counted: expected 0 for seats that do not play"
    if state.over != NOT_OVER:
        if counted != seats:
            yield "counted: expected every seat to have counted once over"
    elif state.end_cause == EndCause.NONE:
        if counted or state.last_turns:
            yield "end_cause: expected a cause for last turns"
    elif state.last_turns == 0:
        if counted:
            yield "counted: expected nobody before the last turns"
    elif counted != seats - state.last_turns:
        yield f"counted: expected {seats - int(state.last_turns)} seats"
