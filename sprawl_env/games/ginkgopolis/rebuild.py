"""What follows from the printed facts of *Ginkgopolis*, for positions of one's own."""

from __future__ import annotations

from collections.abc import Collection

from sprawl_env.core.editing import rest_of_pile
from sprawl_env.core.state import Games, Tables
from sprawl_env.games.ginkgopolis.constants import (
    MAX_SEATS,
    NO_SIDE,
    NO_SITE,
    NO_TILE,
    NUM_CARDS,
    NUM_LETTERS,
    STEP_X,
    STEP_Y,
    Step,
)
from sprawl_env.games.ginkgopolis.invariants import bonuses_of, ranges
from sprawl_env.games.ginkgopolis.names import tiles_in
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table


def rebuild(tables: Tables, before: Games, games: Games, given: Collection[str]) -> None:
    """Write what follows from the other fields of game 0, except the fields that were given."""
    if any(ranges(tables, games, 0)):
        return  # indices that do not exist: the check of the position says which
    t: Table = tables[0]
    was: State = before[0]
    state: State = games[0]
    _city(state)
    _sides(t, state)
    _tiles(was, state, given)
    _cards(was, state, given)
    if "known_by" not in given and "age" not in given:
        _seen(was, state)


def _city(state: State) -> None:
    """Write the neighbours of each site, the site of each tile, the place of each side."""
    count = int(state.num_sites)
    places = {(int(state.site_x[s]), int(state.site_y[s])): s for s in range(count)}
    state.around[:] = NO_SITE
    state.site_of[:] = NO_SITE
    for (x, y), site in places.items():
        for direction, (dx, dy) in enumerate(zip(STEP_X, STEP_Y, strict=True)):
            state.around[site, direction] = places.get((x + int(dx), y + int(dy)), NO_SITE)
        if state.site_tile[site] != NO_TILE:
            state.site_of[state.site_tile[site]] = site
    state.contour_at[:] = NO_SIDE
    for place, side in enumerate(state.contour[: state.contour_length].tolist()):
        state.contour_at[side] = place


def _sides(t: Table, state: State) -> None:
    """Write each side's resources in the supply, and the sums over its cards (G3, G12)."""
    seats = int(state.num_seats)
    for side in range(max(seats, 2)):
        own = state.owner[: state.num_sites] == side
        built = int(state.levels[: state.num_sites][own].astype(int).sum())
        state.stock[side] = int(t.resources[seats]) - built - int(state.resources[side])
        bonus, with_act, with_colour = bonuses_of(t, state, side)
        state.bonus[side] = bonus
        state.with_act[side] = with_act
        state.with_colour[side] = with_colour


def _placed_tiles(state: State) -> set[int]:
    """Return the tiles that are anywhere but in the supply."""
    placed = set(state.site_tile[: state.num_sites].tolist()) | set(tiles_in(state.covered))
    for seat in range(MAX_SEATS):
        placed |= set(tiles_in(int(state.tiles[seat]) | int(state.returning[seat])))
    return (placed | {int(state.lost_tile)}) - {NO_TILE}


def _tiles(was: State, state: State, given: Collection[str]) -> None:
    """Write the supply: the tiles in play that are nowhere else (G5)."""
    kept = was.supply[: was.supply_size].tolist()
    rest = (_placed_tiles(was) | set(kept)) - _placed_tiles(state)
    state.supply_size = len(rest)
    if "supply" not in given:
        rest_of_pile(state.supply, kept, rest, int(state.rng))
    if state.run_outs > 0 and state.num_seats > 1:
        state.returned |= sum(1 << tile for tile in rest)
    for seat in range(MAX_SEATS):
        own = int(state.tiles[seat]) | int(state.returning[seat])
        state.taken_back[seat] = int(state.taken_back[seat]) & own


def _cards(was: State, state: State, given: Collection[str]) -> None:
    """Write the deck: the cards in circulation that are nowhere else (G8, G12)."""
    cards = set(range(NUM_LETTERS)) | {
        NUM_LETTERS + tile
        for tile in state.site_tile[: state.num_sites].tolist()
        if tile != NO_TILE and not int(state.workers) >> tile & 1
    }
    placed = {*state.hand.reshape(-1).tolist(), int(state.hal_card)}
    placed |= {
        letter for letter in range(NUM_LETTERS) if int(state.discarded_letters) >> letter & 1
    }
    placed |= {NUM_LETTERS + tile for tile in tiles_in(state.discarded)}
    for k in range(int(state.agenda_size)):
        entry = state.agenda[k]
        if entry.step == Step.FINISH and not entry.is_kept:  # the card being played
            placed.add(int(entry.card))
    rest = cards - placed
    state.deck_size = len(rest)
    if "deck" not in given:
        rest_of_pile(state.deck, was.deck[: was.deck_size].tolist(), rest, int(state.rng))


def _seen(was: State, state: State) -> None:
    """Write who has seen the cards that came into a hand, or left the hands (G25)."""
    for card in range(NUM_CARDS):
        holders = {seat for seat in range(MAX_SEATS) if card in state.hand[seat]}
        held = {seat for seat in range(MAX_SEATS) if card in was.hand[seat]}
        if (not holders and card != state.hal_card) or (not held and card != was.hal_card):
            state.known_by[card] = state.age[card] = 0
        for seat in holders:
            state.known_by[card] |= 1 << seat
