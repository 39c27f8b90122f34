"""The draft of characters (G11)."""

from __future__ import annotations

from sprawl_env.games.ginkgopolis.constants import (
    CHARACTERS_KEPT,
    HAND_SIZE,
    NO_CARD,
    NO_CHARACTER,
    NOT_TAKEN,
    Step,
)
from sprawl_env.games.ginkgopolis.rules.passes import ask_all
from sprawl_env.games.ginkgopolis.rules.setup import show_characters
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.kernels.agenda import pop
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import sort


@kernel
def pack_of(state: State, seat: int) -> int:
    """Return the pack a seat holds, named by the seat it was dealt to; packs go to seat + 1."""
    seats = int(state.num_seats)
    return (seat - int(state.num_picks)) % seats


@kernel
def may_pick(state: State, seat: int, kind: int) -> bool:
    """Return whether the seat's pack still holds a character of the kind."""
    pack = pack_of(state, seat)
    for k in range(HAND_SIZE):
        if state.pack[pack, k] == kind and state.taken_in[pack, k] == NOT_TAKEN:
            return True
    return False


@kernel
def take_pick(state: State, seat: int) -> None:
    """Move a seat's pick from its pack to its characters."""
    pack, kind = pack_of(state, seat), int(state.chosen[seat])
    for k in range(HAND_SIZE):
        if state.pack[pack, k] == kind and state.taken_in[pack, k] == NOT_TAKEN:
            state.taken_in[pack, k] = state.num_picks
            break
    state.picks[seat, state.num_picks] = kind
    state.chosen[seat] = NO_CARD


@kernel
def forget_packs(state: State) -> None:
    """Erase the packs and the order of the picks: only the characters kept are shown (G11)."""
    state.pack[:] = NO_CHARACTER
    state.taken_in[:] = NOT_TAKEN
    for seat in range(state.num_seats):
        sort(state.picks[seat], CHARACTERS_KEPT)


@kernel
def end_draft_pass(state: State) -> None:
    """Apply all picks of the pass, then pass the packs on or show the characters (G11)."""
    pop(state)
    for seat in range(state.num_seats):
        take_pick(state, seat)
    state.num_picks += 1
    if state.num_picks < CHARACTERS_KEPT:
        ask_all(state, Step.DRAFT)
    else:
        forget_packs(state)
        show_characters(state)
