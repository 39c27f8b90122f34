"""TU §4, first half: taking a card."""

from __future__ import annotations

from sprawl_env.core.state import State
from sprawl_env.games.tower_up.constants import NO_CARD, NUM_COLOURS, EndCause, Step
from sprawl_env.kernels.agenda import pop, push
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import shuffle


@kernel
def trigger_end(state: State, cause: int) -> None:
    """Note why the game will end; the first cause rules (TU §7, T7)."""
    if state.end_cause == EndCause.NONE:
        state.end_cause = cause


@kernel
def do_take_card(t: State, state: State, seat: int, space: int) -> None:
    """Discard a market card and take what it shows, in the order of T10 (TU §4)."""
    card = state.market[space]
    state.market[space] = NO_CARD
    state.discards[state.num_discards] = card
    state.num_discards += 1
    pop(state)
    push(state, Step.REFILL, seat, space)
    if t.card_steps[card] > 0:
        push(state, Step.VEHICLE, seat, t.card_vehicle[card], t.card_steps[card])
    for _ in range(t.card_multicolour[card]):
        push(state, Step.FLOOR, seat)
    for _ in range(take_printed_floors(t, state, seat, card)):
        push(state, Step.FLOOR, seat)


@kernel
def take_printed_floors(t: State, state: State, seat: int, card: int) -> int:
    """Take the floors shown, as far as there are; return how many want a substitute.

    A missing floor triggers the end (TU §4, §7b).
    """
    missing = 0
    for colour in range(NUM_COLOURS):
        shown = int(t.card_floors[card, colour])
        taken = min(shown, int(state.supply[colour]))
        state.reserve[seat, colour] += taken
        state.supply[colour] -= taken
        missing += shown - taken
    if missing > 0:
        trigger_end(state, EndCause.SHORTAGE)
    return missing


@kernel
def supply_is_empty(state: State) -> bool:
    """Tell whether no floor of any colour is left in the supply."""
    left = 0
    for colour in range(NUM_COLOURS):
        left += int(state.supply[colour])
    return left == 0


@kernel
def may_choose_floor(state: State, colour: int) -> bool:
    """A substitute or multicolour floor is of a colour the supply still has (TU §4, T10)."""
    return bool(state.supply[colour] > 0)


@kernel
def do_choose_floor(state: State, seat: int, colour: int) -> None:
    """Take the chosen floor."""
    state.supply[colour] -= 1
    state.reserve[seat, colour] += 1
    pop(state)


@kernel
def lose_floor(state: State) -> None:
    """Nothing left to choose from: the floor is lost, the end is triggered (T10)."""
    trigger_end(state, EndCause.SHORTAGE)
    pop(state)


@kernel
def move_marker(t: State, state: State, seat: int, colour: int, steps: int) -> None:
    """Move a vehicle marker, at most to the end of its row (TU §4)."""
    moved = int(state.marker[seat, colour]) + steps
    state.marker[seat, colour] = min(moved, int(t.marker_end))


@kernel
def refill_market(state: State, space: int) -> None:
    """Fill a market space; an empty deck is rebuilt from the discards (TU §4, T2)."""
    if state.deck_size == 0:
        size = int(state.num_discards)
        for k in range(size):
            state.deck[k] = state.discards[k]
        shuffle(state, state.deck, size)
        state.deck_size = size
        state.num_discards = 0
    state.deck_size = int(state.deck_size) - 1
    state.market[space] = state.deck[state.deck_size]


@kernel
def holds_too_many(t: State, state: State, seat: int) -> bool:
    """More floors in reserve than a turn may end with (TU §4)."""
    held = 0
    for colour in range(NUM_COLOURS):
        held += int(state.reserve[seat, colour])
    return bool(held > t.reserve_limit)


@kernel
def do_return_floor(state: State, seat: int, colour: int) -> None:
    """Give a floor back; the step stays on the agenda until few enough are left (TU §4)."""
    state.reserve[seat, colour] -= 1
    state.supply[colour] += 1
