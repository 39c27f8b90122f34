"""TU §4, first half: what taking a card gives, refilling the market, the limit of floors."""

from __future__ import annotations

from sprawl_env.games.tower_up.constants import NUM_COLOURS, EndCause
from sprawl_env.games.tower_up.state import State
from sprawl_env.games.tower_up.tables import Table
from sprawl_env.kernels.agenda import pop
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import shuffle


@kernel
def trigger_end(state: State, cause: int) -> None:
    """Record why the game will end; the first cause applies (TU §7, T7)."""
    if state.end_cause == EndCause.NONE:
        state.end_cause = cause


@kernel
def take_printed_floors(t: Table, state: State, seat: int, card: int) -> int:
    """Take the floors shown that the supply has; return how many need a substitute.

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
    """Return whether the supply has no floor of any colour."""
    left = 0
    for colour in range(NUM_COLOURS):
        left += int(state.supply[colour])
    return left == 0


@kernel
def may_choose_floor(state: State, colour: int) -> bool:
    """Return whether the supply still has a floor of the colour (TU §4, T10)."""
    return bool(state.supply[colour] > 0)


@kernel
def lose_floor(state: State) -> None:
    """Lose the floor to choose, as the supply is empty, and trigger the end (T10)."""
    trigger_end(state, EndCause.SHORTAGE)
    pop(state)


@kernel
def move_marker(t: Table, state: State, seat: int, colour: int, steps: int) -> None:
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
def holds_too_many(t: Table, state: State, seat: int) -> bool:
    """Return whether the seat holds more floors than a turn may end with (TU §4)."""
    held = 0
    for colour in range(NUM_COLOURS):
        held += int(state.reserve[seat, colour])
    return bool(held > t.reserve_limit)
