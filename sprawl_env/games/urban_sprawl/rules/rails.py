"""The end of a turn: rail lines, revealed cards, ballots, payouts (US 6.8, rulings U25 to U29)."""

from __future__ import annotations

from sprawl_env.core.state import NOBODY, TRUNCATED
from sprawl_env.games.urban_sprawl.constants import (
    CITY,
    CONTRACT_SPACES,
    FIRST_EVENT,
    FIRST_TOP,
    METROPOLIS,
    NO_CARD,
    NO_KIND,
    NUM_KINDS,
    NUM_PLANNING,
    NUM_POLITICIANS,
    PLANNING_SPACES,
    PLANNING_TOP,
    PRESTIGE,
    RENEWAL,
    TOWN,
    WEALTH,
)
from sprawl_env.games.urban_sprawl.rules.elections import is_in_play
from sprawl_env.games.urban_sprawl.rules.lines import pay_number
from sprawl_env.games.urban_sprawl.rules.lists import push_effects
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import (
    EndStage,
    Step,
)
from sprawl_env.games.urban_sprawl.tables import NO_ZONE, Table
from sprawl_env.kernels.agenda import pop, push, top
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import shuffle

NO_DECK = -1


# -------------------------------------------------------------------------------- planning cards


@kernel
def can_draw(state: State) -> bool:
    """Can a permit or an Urban Renewal still be drawn (rulings U28, U41)?"""
    if state.no_events > 0:
        return True
    for kind in range(NUM_KINDS):
        if state.planning_discards[kind] > 0 and not state.rebuilt:
            return True
    for k in range(state.planning_size):
        if state.planning_deck[k] < FIRST_EVENT:
            return True
    return False


@kernel
def rebuild_planning(state: State) -> None:
    """Shuffle the discards into a new deck (rulings U28, U41)."""
    state.rebuilt = 1
    size = 0
    for kind in range(NUM_PLANNING):
        for _ in range(state.planning_discards[kind]):
            state.planning_deck[size] = kind
            size += 1
        state.planning_discards[kind] = 0
    shuffle(state, state.planning_deck, size)
    state.planning_size = size
    state.no_events = 0


@kernel
def next_planning(state: State) -> int:
    """Take the next card of the planning deck; rebuild the deck first if it is empty."""
    if state.planning_size == 0:
        rebuild_planning(state)
    state.planning_size -= 1
    state.no_events = max(int(state.no_events) - 1, 0)
    return int(state.planning_deck[state.planning_size])


@kernel
def do_draw_card(state: State, seat: int) -> None:
    """Draw a planning card by an effect, without ballot and payout (ruling U29)."""
    kind = int(state.planning[PLANNING_TOP])
    if kind != NO_KIND:
        state.planning[PLANNING_TOP] = NO_KIND
    else:
        if not can_draw(state):
            return
        kind = next_planning(state)
        while kind >= FIRST_EVENT:
            state.planning_discards[kind] += 1
            kind = next_planning(state)
    state.hand[seat, kind] += 1


@kernel
def slide_planning(state: State) -> None:
    """Slide the cards towards 1 AP, the face-up top of the deck with them (ruling U25)."""
    to = 0
    for space in range(PLANNING_TOP + 1):
        kind = state.planning[space]
        if kind != NO_KIND:
            state.planning[space] = NO_KIND
            state.planning[to] = kind
            to += 1


@kernel
def draw_planning(t: Table, state: State) -> None:
    """Reveal a planning card on a space; an event is executed and replaced (US 6.8)."""
    space = int(top(state).space)
    if not can_draw(state):
        pop(state)
        return
    kind = next_planning(state)
    if space < PLANNING_TOP or kind < FIRST_EVENT:
        pop(state)  # after an event the cheapest empty space is looked up again
    if kind >= FIRST_EVENT:
        event = kind - FIRST_EVENT
        state.event = event
        push(state, Step.END_EVENT, NOBODY).event = event
        first, count = int(t.event_first[event]), int(t.event_count[event])
        push_effects(state, int(state.active), first, count)
        return
    state.planning[space] = kind
    if kind == RENEWAL:
        return
    push(state, Step.PAY_WEALTH, NOBODY).kind = kind
    if t.permit_ballot[kind]:
        state.pawn = (int(state.pawn) + 1) % NUM_POLITICIANS
        if is_in_play(state, int(state.pawn)):
            push(state, Step.ELECTION, NOBODY).office = state.pawn


@kernel
def end_event(state: State) -> None:
    """Discard a planning event that has been executed."""
    state.planning_discards[FIRST_EVENT + int(top(state).event)] += 1
    state.event = NO_KIND
    pop(state)


@kernel
def pay_wealth(t: Table, state: State) -> None:
    """Pay the wealth payout of a revealed permit."""
    kind = int(top(state).kind)
    pop(state)
    pay_number(t, state, WEALTH, int(t.permit_wealth[kind]))


# ------------------------------------------------------------------------------------- contracts


@kernel
def is_active(state: State, deck: int) -> bool:
    """Is the deck active?"""
    return bool(int(state.active_decks) >> deck & 1)


@kernel
def is_exhausted(state: State, deck: int) -> bool:
    """Is no card of the deck left, the face-up top included (ruling U27)?"""
    return bool(state.deck_size[deck] == 0 and state.deck_top[deck] == NO_CARD)


@kernel
def feeding_deck(state: State, space: int) -> int:
    """Return the deck that feeds a space, NO_DECK if none does (US 6.8, ruling U27)."""
    deck = TOWN
    if is_active(state, METROPOLIS) and space < CONTRACT_SPACES - 2:
        deck = METROPOLIS
    elif is_active(state, CITY) and space < CONTRACT_SPACES - 1:
        deck = CITY
        if is_exhausted(state, CITY) and space == CONTRACT_SPACES - 2:
            deck = TOWN
    return NO_DECK if is_exhausted(state, deck) else deck


@kernel
def slide(state: State, low: int, high: int, deck: int) -> None:
    """Slide the cards on spaces ``low`` to ``high`` down, then the deck's face-up top."""
    to = low
    for space in range(low, high + 1):
        card = state.contract[space]
        if card != NO_CARD:
            state.contract[space] = NO_CARD
            state.contract[to] = card
            to += 1
    if to <= high:
        state.contract[to] = state.deck_top[deck]
        state.deck_top[deck] = NO_CARD


@kernel
def slide_contracts(state: State) -> None:
    """Slide the contracts along the rail lines of the active decks (US 6.8)."""
    last = CONTRACT_SPACES - 1
    if not is_active(state, CITY):
        slide(state, 0, last, TOWN)
        return
    if not is_active(state, METROPOLIS):
        slide(state, 0, last - 1, CITY)
        slide(state, last, last, TOWN)
        return
    slide(state, 0, last - 2, METROPOLIS)
    if is_exhausted(state, CITY) and not is_exhausted(state, TOWN):
        slide(state, last - 1, last, TOWN)
    else:
        slide(state, last - 1, last - 1, CITY)
        slide(state, last, last, TOWN)


@kernel
def draw_contract(t: Table, state: State) -> None:
    """Reveal a contract on a space or a deck; an event is executed and replaced (US 6.8)."""
    space = int(top(state).space)
    deck = space - FIRST_TOP if space >= FIRST_TOP else feeding_deck(state, space)
    if deck == NO_DECK or (space >= FIRST_TOP and state.deck_size[deck] == 0):
        pop(state)
        return
    if space < FIRST_TOP and state.deck_top[deck] != NO_CARD:
        pop(state)
        state.contract[space] = state.deck_top[deck]  # revealed before: triggers nothing (U25)
        state.deck_top[deck] = NO_CARD
        return
    state.deck_size[deck] -= 1
    card = int(state.deck[deck, state.deck_size[deck]])
    if space < FIRST_TOP or t.card_zone[card] != NO_ZONE:
        pop(state)  # after an event the cheapest empty space is looked up again
    if t.card_zone[card] == NO_ZONE:
        first, count = int(t.card_first[card]), int(t.card_effects[card])
        push_effects(state, int(state.active), first, count)
        return
    if space >= FIRST_TOP:
        state.deck_top[deck] = card
    else:
        state.contract[space] = card
    if t.card_prestige[card]:
        pay_number(t, state, PRESTIGE, int(t.card_prestige[card]))


# ----------------------------------------------------------------------------- the order of steps


@kernel
def empty_planning_space(state: State) -> int:
    """Return the cheapest empty planning space if it can be filled, else -1."""
    for space in range(PLANNING_SPACES):
        if state.planning[space] == NO_KIND:
            return space if can_draw(state) else -1
    return -1


@kernel
def empty_contract_space(state: State) -> int:
    """Return the cheapest empty contract space with a feeding deck, -1 if there is none."""
    for space in range(CONTRACT_SPACES):
        if state.contract[space] == NO_CARD and feeding_deck(state, space) != NO_DECK:
            return space
    return -1


@kernel
def turn_up_top(state: State, deck: int) -> None:
    """Reveal the top of an active deck if it is face down (US 6.8, steps 6 to 8)."""
    if is_active(state, deck) and state.deck_top[deck] == NO_CARD and state.deck_size[deck]:
        push(state, Step.DRAW_CONTRACT, NOBODY).space = FIRST_TOP + deck


@kernel
def end_of_turn(t: Table, state: State) -> None:
    """Carry out one step of the end of the turn; repeat a step that fills spaces (US 6.8)."""
    entry = top(state)
    stage = int(entry.end_stage)
    following = stage + 1
    space = -1
    if stage == EndStage.FILL_PLANNING:
        space = empty_planning_space(state)
    elif stage == EndStage.FILL_CONTRACTS:
        space = empty_contract_space(state)
    if space >= 0:
        following = stage
    entry.end_stage = following
    if stage == EndStage.SLIDE_PLANNING:
        state.rebuilt = 0
        slide_planning(state)
    elif stage == EndStage.FILL_PLANNING and space >= 0:
        push(state, Step.DRAW_PLANNING, NOBODY).space = space
    elif stage == EndStage.TURN_PLANNING and state.planning[PLANNING_TOP] == NO_KIND:
        push(state, Step.DRAW_PLANNING, NOBODY).space = PLANNING_TOP
    elif stage == EndStage.SLIDE_CONTRACTS:
        slide_contracts(state)
    elif stage == EndStage.FILL_CONTRACTS and space >= 0:
        push(state, Step.DRAW_CONTRACT, NOBODY).space = space
    elif stage >= EndStage.TURN_TOWN and stage <= EndStage.TURN_METROPOLIS:
        turn_up_top(state, stage - EndStage.TURN_TOWN)
    elif stage == EndStage.NEXT_TURN:
        next_turn(state)


@kernel
def next_turn(state: State) -> None:
    """Begin the next turn, or stop at the turn limit (ruling U32)."""
    pop(state)
    state.turn += 1
    if state.turn >= state.max_turns:
        state.over = TRUNCATED
        state.to_play = NOBODY
        return
    state.active = (int(state.active) + 1) % int(state.num_seats)
    push(state, Step.BEGIN_TURN, int(state.active))
