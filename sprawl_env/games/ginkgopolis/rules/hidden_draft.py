"""Re-dealing what a seat cannot know of the draft: packs and picks (G11, G25)."""

from __future__ import annotations

from typing import Any

from sprawl_env.games.ginkgopolis.constants import HAND_SIZE, NO_CARD, NOT_TAKEN
from sprawl_env.games.ginkgopolis.rules.draft import pack_of
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import below, shuffle, sort


@kernel
def sees_first(state: State, seat: int, pack: int) -> int:
    """Return the pass in which a seat first holds a pack."""
    return (seat - pack) % int(state.num_seats)


@kernel
def has_seen(state: State, seat: int, pack: int, k: int) -> bool:
    """Return whether the seat has held the pack while this character was in it."""
    first = sees_first(state, seat, pack)
    taken = int(state.taken_in[pack, k])
    return bool(first <= state.num_picks and (taken == NOT_TAKEN or taken >= first))


@kernel
def redeal_packs(t: Table, state: State, seat: int) -> None:
    """Re-deal characters the seat has not seen, and picks from packs it has seen (G11)."""
    scratch = state.deck[int(state.deck_size) :]
    count = int(t.num_characters)
    for k in range(count):
        scratch[k] = t.character_kind[k]
    for pack in range(state.num_seats):
        for k in range(HAND_SIZE):
            if has_seen(state, seat, pack, k):
                count = remove_kind(scratch, count, int(state.pack[pack, k]))
    sort(scratch, count)
    shuffle(state, scratch, count)
    for pack in range(state.num_seats):
        for k in range(HAND_SIZE):
            if not has_seen(state, seat, pack, k):
                count -= 1
                state.pack[pack, k] = scratch[count]
        mix_taken(state, seat, pack)
    for other in range(state.num_seats):
        rewrite_picks(state, other)


@kernel
def remove_kind(kinds: Any, count: int, kind: int) -> int:
    """Remove one character of a kind from the first ``count``; return how many are left."""
    for k in range(count):
        if kinds[k] == kind:
            kinds[k] = kinds[count - 1]
            return count - 1
    return count


@kernel
def is_open(state: State, pack: int, k: int, last: int) -> bool:
    """Return whether the character was still in the pack after pass ``last``."""
    taken = int(state.taken_in[pack, k])
    return bool(taken == NOT_TAKEN or taken > last)


@kernel
def nth_open(state: State, pack: int, start: int, last: int, number: int) -> int:
    """Return the place, from ``start`` on, of open character ``number`` (see ``is_open``)."""
    for k in range(start, HAND_SIZE):
        if is_open(state, pack, k, last):
            if number == 0:
                return k
            number -= 1
    return start


@kernel
def swap_characters(state: State, pack: int, a: int, b: int) -> None:
    """Swap two characters of a pack."""
    kept = state.pack[pack, a]
    state.pack[pack, a] = state.pack[pack, b]
    state.pack[pack, b] = kept


@kernel
def mix_taken(state: State, seat: int, pack: int) -> None:
    """Resample which characters others took since the seat last saw the pack."""
    seats = int(state.num_seats)
    last = sees_first(state, seat, pack)
    if last > state.num_picks:
        return
    while last + seats <= state.num_picks:
        last += seats
    open_ones = 0
    for k in range(HAND_SIZE):
        open_ones += is_open(state, pack, k, last)
        for other in range(k):  # sort first (see kernels.rng.sort)
            both_open = is_open(state, pack, k, last) and is_open(state, pack, other, last)
            if both_open and state.pack[pack, other] > state.pack[pack, k]:
                swap_characters(state, pack, k, other)
    for k in range(HAND_SIZE):
        if is_open(state, pack, k, last):
            other = nth_open(state, pack, k, last, below(state, open_ones))
            open_ones -= 1
            swap_characters(state, pack, k, other)


@kernel
def rewrite_picks(state: State, seat: int) -> None:
    """Set a seat's picks to what was taken from the packs while it held them."""
    seats = int(state.num_seats)
    for number in range(state.num_picks):
        pack = (seat - number) % seats
        for k in range(HAND_SIZE):
            if state.taken_in[pack, k] == number:
                state.picks[seat, number] = state.pack[pack, k]


@kernel
def random_pick(state: State, seat: int) -> int:
    """Return a random character of the pack that a seat holds."""
    pack = pack_of(state, seat)
    left = below(state, HAND_SIZE - int(state.num_picks))
    for k in range(HAND_SIZE):
        if state.taken_in[pack, k] == NOT_TAKEN:
            if left == 0:
                return int(state.pack[pack, k])
            left -= 1
    return NO_CARD
