"""TU §3: setup."""

from __future__ import annotations

from sprawl_env.core.state import NOBODY, NOT_OVER
from sprawl_env.games.tower_up.constants import (
    BOARD_2P,
    BOARD_4P,
    MARKET_SIZE,
    MIN_SEATS,
    MULTICOLOUR,
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
from sprawl_env.games.tower_up.state import State
from sprawl_env.games.tower_up.tables import Table
from sprawl_env.kernels.agenda import clear_agenda, push
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import below, shuffle

START_CARDS = 1  # option objectives="start"


@kernel
def clear(state: State) -> None:
    """Reset every field except the options and the rng."""
    state.ply = 0
    state.turn = 0
    state.to_play = 0  # T9: seat 0 starts
    state.over = NOT_OVER
    state.board = BOARD_2P if state.num_seats == MIN_SEATS else BOARD_4P
    state.colour[:] = NO_COLOUR
    state.height[:] = 0
    state.top[:] = NOBODY
    state.topped[:] = 0
    state.adjacent[:] = 0
    state.reach[:] = 0
    state.built[:] = 0
    state.reserve[:] = 0
    state.roofs_left[:] = 0
    state.roof_site[:] = NO_SITE
    state.roof_height[:] = 0
    state.present[:] = 0
    state.twice[:] = 0
    state.marker[:] = 0
    state.stars[:] = 0
    state.cone[:] = 0
    state.counted[:] = 0
    state.progress[:] = 0
    state.chip[:] = 0
    state.fulfilled[:] = 0
    state.chips_taken[:] = 0
    state.num_discards = 0
    state.discards[:] = 0
    state.end_cause = EndCause.NONE
    state.last_turns = 0
    clear_agenda(state)


@kernel
def put_building(t: Table, state: State, site: int, colour: int) -> None:
    """Put one floor on an empty site; the caller subtracts it from supply or reserve."""
    board = state.board
    state.colour[site] = colour
    state.built[colour] |= 1 << int(site)
    for k in range(t.num_streets[board, site]):
        state.adjacent[t.streets[board, site, k], colour] += 1
    add_floor(t, state, site)


@kernel
def add_floor(t: Table, state: State, site: int) -> None:
    """Raise a building by one floor, which covers a roof on its top."""
    board = state.board
    colour = state.colour[site]
    state.height[site] += 1
    if state.top[site] != NOBODY:
        state.topped[state.top[site]] &= ~(1 << int(site))
        state.top[site] = NOBODY
    for k in range(t.num_streets[board, site]):
        other = t.streets[board, site, k]
        state.reach[other, colour] = max(int(state.reach[other, colour]), int(state.height[site]))


@kernel
def deal_cards(state: State) -> None:
    """Shuffle the cards and reveal the market (TU §3.1)."""
    for card in range(NUM_CARDS):
        state.deck[card] = card
    shuffle(state, state.deck, NUM_CARDS)
    for space in range(MARKET_SIZE):
        state.market[space] = state.deck[NUM_CARDS - 1 - space]
    state.deck_size = NUM_CARDS - MARKET_SIZE


@kernel
def may_start_on(state: State, site: int, colour: int) -> bool:
    """Return whether the site is empty and no adjacent building has the colour (TU §3.2)."""
    return bool(state.colour[site] == NO_COLOUR and state.adjacent[site, colour] == 0)


@kernel
def place_starting_floor(t: Table, state: State, bottom: int) -> None:
    """Place the floor of one card: draw the colour if multicolour, then the site (T1, T18)."""
    colour = below(state, NUM_COLOURS) if bottom == MULTICOLOUR else bottom
    num_sites = t.num_sites[state.board]
    count = 0
    for site in range(num_sites):
        count += may_start_on(state, site, colour)
    if count == 0:
        return
    chosen = below(state, count)
    for site in range(num_sites):
        if may_start_on(state, site, colour):
            if chosen == 0:
                put_building(t, state, site, colour)
                state.supply[colour] -= 1
                return
            chosen -= 1


@kernel
def place_starting_floors(t: Table, state: State) -> None:
    """Place floors for the market cards and for extra cards shuffled back (TU §3.2, §3.6)."""
    for space in range(MARKET_SIZE):
        place_starting_floor(t, state, t.card_bottom[state.market[space]])
    extra = int(state.starting_floors) - MARKET_SIZE
    for k in range(extra):
        place_starting_floor(t, state, t.card_bottom[state.deck[int(state.deck_size) - 1 - k]])
    if extra > 0:
        shuffle(state, state.deck, int(state.deck_size))


@kernel
def draw_objectives(t: Table, state: State) -> None:
    """Choose three objectives: the START cards, or three at random (TU §3.4)."""
    if state.objectives == START_CARDS:
        for k in range(OBJECTIVES_IN_PLAY):
            state.objective[k] = t.start_objectives[k]
        return
    drawn = 0  # bit set of the objectives drawn
    for k in range(OBJECTIVES_IN_PLAY):
        objective = below(state, NUM_OBJECTIVES)
        while drawn & (1 << objective):
            objective = below(state, NUM_OBJECTIVES)
        drawn |= 1 << objective
        state.objective[k] = objective


@kernel
def equip_seats(t: Table, state: State) -> None:
    """Give every seat its starting floors and all its roofs (TU §3.5)."""
    for seat in range(state.num_seats):
        state.roofs_left[seat] = NUM_ROOFS
        for colour in range(NUM_COLOURS):
            state.reserve[seat, colour] = t.starting_reserve
            state.supply[colour] -= t.starting_reserve


@kernel
def set_up(t: Table, state: State) -> None:
    """Carry out the whole setup; the caller has seeded the rng (TU §3)."""
    clear(state)
    state.supply[:] = t.floors_per_colour
    deal_cards(state)
    place_starting_floors(t, state)
    draw_objectives(t, state)
    equip_seats(t, state)


@kernel
def begin_turn(state: State, seat: int) -> None:
    """Put a whole turn on the agenda: act, return floors, end (TU §4, T10)."""
    state.agenda_size = 0
    push(state, Step.END_OF_TURN, seat)
    push(state, Step.RETURN, seat)
    push(state, Step.TURN, seat)
