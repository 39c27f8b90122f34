"""The setup (US 6.1, rulings U12, U13)."""

from __future__ import annotations

from sprawl_env.core.state import NOBODY, NOT_OVER
from sprawl_env.games.urban_sprawl.constants import (
    BOTTOM_STACK,
    CONTRACT_SPACES,
    CORNERS,
    DECK_CARDS,
    EVENTS_BELOW,
    FIRST_EVENT,
    MAX_SIZE,
    MAYOR,
    MIDDLE_STACK,
    NO_CARD,
    NO_KIND,
    NO_LOT,
    NO_MARKER,
    NUM_BLOCKS,
    NUM_COLOURS,
    NUM_DECKS,
    NUM_EVENTS,
    NUM_PERMITS,
    NUM_VOCATIONS,
    PERMIT_CARDS,
    PLANNING_SPACES,
    PLANNING_TOP,
    RENEWAL,
    TOWN,
    Power,
)
from sprawl_env.games.urban_sprawl.rules.board import lay, refit
from sprawl_env.games.urban_sprawl.rules.lines import revalue
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import (
    Step,
)
from sprawl_env.games.urban_sprawl.tables import STARTING, Table
from sprawl_env.kernels.agenda import clear_agenda, push
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import below, shuffle


@kernel
def clear(state: State) -> None:
    """Reset all fields except those of the options."""
    state.ply = 0
    state.turn = 0
    state.to_play = 0
    state.over = NOT_OVER
    state.active = 0
    state.points = 0
    state.investing = 0
    state.contracts_built = 0
    state.fresh_favors = 0
    state.wealth[:] = 0
    state.prestige[:] = 0
    state.hand[:] = 0
    state.favors[:] = NO_CARD
    state.vocations[:] = 0
    state.vocations_left[:] = 0
    state.office[:] = NOBODY
    state.in_play = 1 << MAYOR
    state.pawn = MAYOR
    state.planning[:] = NO_KIND
    state.planning_deck[:] = 0
    state.planning_size = 0
    state.no_events = 0
    state.rebuilt = 0
    state.planning_discards[:] = 0
    state.contract[:] = NO_CARD
    state.deck_top[:] = NO_CARD
    state.deck[:] = 0
    state.deck_size[:] = 0
    state.active_decks = 1 << TOWN
    state.card = NO_CARD
    state.event = NO_KIND
    state.lot = NO_LOT
    state.asked_row = 0
    state.asked_zone = 0
    clear_agenda(state)
    clear_city(state)


@kernel
def clear_city(state: State) -> None:
    """Remove all buildings and markers."""
    state.corners[:] = 0
    state.zone[:] = 0
    state.owner[:] = NOBODY
    state.power[:] = Power.NONE
    state.lasting[:] = 0
    state.building_on[:] = 0
    state.holder[:] = NOBODY
    state.firsts[:] = 0
    state.occupied[:] = 0
    state.across[:] = 0
    state.inside[:] = 0
    state.fitting[:] = 0
    state.room[:] = 0
    state.in_row[:] = 0
    state.in_column[:] = 0
    state.controls[:] = 0
    state.tiles[:] = 0
    state.starting = 0
    state.marker_at[:] = NO_MARKER
    state.value[:] = 0
    state.worth_up_to[:] = 0


@kernel
def lay_city(t: Table, state: State) -> None:
    """Set values and the supply, and place the twelve uncontrolled starting buildings."""
    revalue(t, state)
    for colour in range(NUM_COLOURS):
        for size in range(MAX_SIZE):
            state.tiles[colour, size] = t.tiles[colour, size]
    for block in range(NUM_BLOCKS):
        refit(state, block)
    for k in range(STARTING):
        lot, zone = int(t.start_lot[k]), int(t.start_zone[k])
        lay(state, lot // CORNERS, 1 << lot % CORNERS, zone, NOBODY, Power.NONE)
        state.tiles[zone, 0] -= 1
    state.starting = (1 << STARTING) - 1
    for vocation in range(NUM_VOCATIONS):
        state.vocations_left[vocation] = t.vocation_markers[vocation]


@kernel
def stack_deck(t: Table, state: State, deck: int) -> None:
    """Stack a contract deck with the special event among its middle cards (US 6.1)."""
    cards = state.deck[deck]
    special, size = 0, 0
    for k in range(DECK_CARDS):
        card = deck * DECK_CARDS + k
        if t.card_special[card]:
            special = card
        else:
            cards[size] = card
            size += 1
    shuffle(state, cards, size)
    bottom, middle = BOTTOM_STACK[state.length], MIDDLE_STACK[state.length]
    place = bottom + below(state, middle)
    for k in range(size, place, -1):
        cards[k] = cards[k - 1]
    cards[place] = special
    state.deck_size[deck] = DECK_CARDS


@kernel
def stack_planning(t: Table, state: State) -> None:
    """Stack the planning deck: 22 permits on top, all events below them (US 6.1)."""
    cards = state.planning_deck
    size = 0
    for kind in range(NUM_PERMITS):
        for _ in range(t.permit_copies[kind]):
            cards[size] = kind
            size += 1
    shuffle(state, cards, size)
    for k in range(EVENTS_BELOW):  # move the top cards up to make room for the events
        cards[size + NUM_EVENTS - 1 - k] = cards[size - 1 - k]
    below_size = PERMIT_CARDS - EVENTS_BELOW
    for event in range(NUM_EVENTS):
        cards[below_size + event] = FIRST_EVENT + event
    shuffle(state, cards, below_size + NUM_EVENTS)
    state.planning_size = size + NUM_EVENTS
    state.no_events = EVENTS_BELOW
    state.planning_discards[RENEWAL] = t.renewal_copies


@kernel
def take_top(state: State) -> int:
    """Take the next planning card, which is a permit during the setup."""
    state.planning_size -= 1
    state.no_events -= 1
    return int(state.planning_deck[state.planning_size])


@kernel
def deal_planning(t: Table, state: State) -> None:
    """Deal planning cards to the seats, the four spaces and the face-up top (US 6.1)."""
    for seat in range(state.num_seats):
        for _ in range(t.opening_cards[seat]):
            state.hand[seat, take_top(state)] += 1
    for space in range(PLANNING_SPACES):
        state.planning[space] = take_top(state)
    state.planning[PLANNING_TOP] = take_top(state)


@kernel
def deal_contracts(state: State) -> None:
    """Deal Town contracts to the five spaces and the face-up top (rulings U12, U39)."""
    for space in range(CONTRACT_SPACES + 1):
        state.deck_size[TOWN] -= 1
        card = state.deck[TOWN, state.deck_size[TOWN]]
        if space < CONTRACT_SPACES:
            state.contract[space] = card
        else:
            state.deck_top[TOWN] = card


@kernel
def set_up(t: Table, state: State) -> None:
    """Carry out the setup up to the first claim; the rng is already seeded (US 6.1)."""
    clear(state)
    lay_city(t, state)
    for deck in range(NUM_DECKS):
        stack_deck(t, state, deck)
    stack_planning(t, state)
    deal_planning(t, state)
    deal_contracts(state)
    for seat in range(state.num_seats):
        state.wealth[seat] = t.opening_wealth[state.num_seats]
    push(state, Step.CLAIM, 0)
