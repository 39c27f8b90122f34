"""Effects that a seat may accept or bid for: optional effects and auctions (US §7, 6.11)."""

from __future__ import annotations

from sprawl_env.core.state import NOBODY
from sprawl_env.games.urban_sprawl.rules.lists import push_effects
from sprawl_env.games.urban_sprawl.rules.money import has, take_up_to
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import (
    Step,
)
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.kernels.agenda import pop, push, top
from sprawl_env.kernels.compile import kernel

# ----------------------------------------------------------- optional effects (US 6.11, ruling U34)


@kernel
def may_accept(t: Table, state: State, e: int, seat: int) -> bool:
    """Can the seat pay the optional amount in full (US 6.11, ruling U34)?"""
    effect = t.effects[e]
    return bool(has(state, seat, int(effect.what)) >= effect.amount)


@kernel
def run_then(t: Table, state: State, e: int, seat: int) -> None:
    """Queue the effects of accepting, or of winning an auction."""
    effect = t.effects[e]
    push_effects(state, seat, int(effect.then_first), int(effect.then_count))


@kernel
def run_otherwise(t: Table, state: State, e: int, seat: int) -> None:
    """Queue the effects of declining."""
    effect = t.effects[e]
    push_effects(state, seat, int(effect.else_first), int(effect.else_count))


@kernel
def offer(t: Table, state: State, e: int, seat: int) -> None:
    """Offer the payment to the seat; a seat that cannot pay declines (ruling U34)."""
    if may_accept(t, state, e, seat):
        push(state, Step.ACCEPT, seat).effect = e
    else:
        run_otherwise(t, state, e, seat)


@kernel
def do_accept(t: Table, state: State, e: int, seat: int, accepts: bool) -> None:
    """Pay and run the effects of accepting, or run those of declining."""
    effect = t.effects[e]
    if accepts:
        take_up_to(state, seat, int(effect.what), int(effect.amount))
        run_then(t, state, e, seat)
    else:
        run_otherwise(t, state, e, seat)


# --------------------------------------------------------------------------------- auctions (US §7)


@kernel
def next_bid(t: Table, state: State, most: int) -> None:
    """Let the next seat bid; after the active player's bid the highest bidder pays (US §7)."""
    entry = top(state)
    seat, e = int(entry.seat), int(entry.effect)
    highest, bidder = int(entry.highest), int(entry.bidder)
    pop(state)
    if seat == NOBODY:
        if bidder != NOBODY:
            state.wealth[bidder] -= highest
            run_then(t, state, e, bidder)
        return
    following = NOBODY if seat == state.active else (seat + 1) % int(state.num_seats)
    entry = push(state, Step.NEXT_BID, following)
    entry.effect = e
    entry.highest = highest
    entry.bidder = bidder
    if min(int(state.wealth[seat]), most) > highest:
        entry = push(state, Step.BID, seat)
        entry.effect = e
        entry.highest = highest
        entry.bidder = bidder


@kernel
def do_bid(state: State, seat: int, amount: int) -> None:
    """Record a bid as the highest so far."""
    pop(state)
    top(state).highest = amount
    top(state).bidder = seat
