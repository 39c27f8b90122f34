"""What follows from the printed facts of *Tower Up*, for positions of one's own."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from sprawl_env.core.editing import rest_of_pile
from sprawl_env.core.state import NOBODY, Games, Tables
from sprawl_env.games.tower_up.constants import (
    MAX_SITES,
    NO_CARD,
    NO_COLOUR,
    NO_SITE,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_ROOFS,
    OBJECTIVES_IN_PLAY,
)
from sprawl_env.games.tower_up.invariants import progress_towards, ranges, stars_of
from sprawl_env.games.tower_up.state import State
from sprawl_env.games.tower_up.tables import Table


def rebuild(tables: Tables, before: Games, games: Games, given: Collection[str]) -> None:
    """Write what follows from the other fields of game 0, except the fields that were given."""
    if any(ranges(tables, games, 0)):
        return  # indices that do not exist: the check of the position says which
    t: Table = tables[0]
    state: State = games[0]
    _buildings(t, state)
    _roofs(state)
    _stock(t, before[0], state, given)
    state.chips_taken[:] = (state.fulfilled != 0).sum(axis=0)
    _reached(tables, games, given)


def _buildings(t: Table, state: State) -> None:
    """Write what is next to each site, and where each colour is (TU §4)."""
    state.adjacent[:] = state.reach[:] = state.built[:] = 0
    for site in range(MAX_SITES):
        for other in t.streets[state.board, site, : t.num_streets[state.board, site]]:
            colour = int(state.colour[other])
            if colour != NO_COLOUR:
                state.adjacent[site, colour] += 1
                state.reach[site, colour] = max(state.reach[site, colour], state.height[other])
        if state.colour[site] != NO_COLOUR:
            state.built[state.colour[site]] |= 1 << site


def _roofs(state: State) -> None:
    """Write which sites have roofs of a seat, and whose roof is the top of each building."""
    placed = state.roof_site != NO_SITE
    seats = int(state.num_seats)
    state.roofs_left[:seats] = NUM_ROOFS - placed[:seats].sum(axis=1)
    state.roofs_left[seats:] = 0
    state.present[:] = state.twice[:] = state.topped[:] = 0
    state.top[:] = NOBODY
    for seat, roof in zip(*np.nonzero(placed), strict=True):
        site = int(state.roof_site[seat, roof])
        state.twice[seat] |= state.present[seat] & 1 << site
        state.present[seat] |= 1 << site
        if state.roof_height[seat, roof] == state.height[site]:
            state.top[site] = seat
    for site in range(MAX_SITES):
        if state.top[site] != NOBODY:
            state.topped[state.top[site]] |= 1 << site


def _stock(t: Table, before: State, state: State, given: Collection[str]) -> None:
    """Write the floors that nobody has, and the cards that are not elsewhere."""
    for colour in range(NUM_COLOURS):
        built = int(state.height[state.colour == colour].astype(int).sum())
        held = int(state.reserve[: state.num_seats, colour].astype(int).sum())
        state.supply[colour] = int(t.floors_per_colour) - built - held
    elsewhere = {*state.market.tolist(), *state.discards[: state.num_discards].tolist()}
    cards = set(range(NUM_CARDS)) - (elsewhere - {NO_CARD})
    state.deck_size = len(cards)
    if "deck" not in given:
        kept = before.deck[: before.deck_size].tolist()
        rest_of_pile(state.deck, kept, cards, int(state.rng))


def _reached(tables: Tables, games: Games, given: Collection[str]) -> None:
    """Write the progress towards objectives, and star columns if markers were moved (TU §5, §6)."""
    t: Table = tables[0]
    state: State = games[0]
    for seat in range(int(state.num_seats)):
        if "marker" in given and "stars" not in given:
            state.stars[seat] = stars_of(tables, games, 0, seat)
        for k in range(OBJECTIVES_IN_PLAY) if "progress" not in given else ():
            now, true = int(state.progress[seat, k]), progress_towards(tables, games, 0, seat, k)
            reached = state.fulfilled[seat, k] and now >= t.objective_need[state.objective[k]]
            if not reached or now > true:  # a chip stays when less is left of what it was for
                state.progress[seat, k] = true
