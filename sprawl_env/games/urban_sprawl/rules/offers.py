"""Effects that a seat may accept or bid for: optional effects and auctions (US §7, 6.11)."""

from __future__ import annotations

from sprawl_env.core.state import NOBODY, State
from sprawl_env.games.urban_sprawl.constants import Step
from sprawl_env.games.urban_sprawl.rules.effects import set_top
from sprawl_env.games.urban_sprawl.rules.money import has, take_up_to
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.old_agenda import SEAT, A, B, C, pop, push, top

# ----------------------------------------------------------- optional effects (US 6.11, ruling U34)


@kernel
def may_accept(t: State, state: State, e: int, seat: int) -> bool:
    """Can the seat pay the optional amount in full (US 6.11, ruling U34)?"""
    return bool(has(state, seat, int(t.what[e])) >= t.amount[e])


@kernel
def offer(t: State, state: State, e: int, seat: int) -> None:
    """Offer the payment to the seat; a seat that cannot pay declines (ruling U34)."""
    if may_accept(t, state, e, seat):
        push(state, Step.ACCEPT, seat, e)
    else:
        push(state, Step.EFFECTS, seat, int(t.else_first[e]), int(t.else_count[e]))


@kernel
def do_accept(t: State, state: State, e: int, seat: int, accepts: bool) -> None:
    """Pay and run the effects of accepting, or run those of declining."""
    if accepts:
        take_up_to(state, seat, int(t.what[e]), int(t.amount[e]))
        push(state, Step.EFFECTS, seat, int(t.then_first[e]), int(t.then_count[e]))
    else:
        push(state, Step.EFFECTS, seat, int(t.else_first[e]), int(t.else_count[e]))


# --------------------------------------------------------------------------------- auctions (US §7)


@kernel
def next_bid(t: State, state: State, most: int) -> None:
    """Let the next seat bid; after the active player's bid the highest bidder pays (US §7)."""
    seat, e, highest, bidder = top(state, SEAT), top(state, A), top(state, B), top(state, C)
    pop(state)
    if seat == NOBODY:
        if bidder != NOBODY:
            state.wealth[bidder] -= highest
            push(state, Step.EFFECTS, bidder, int(t.then_first[e]), int(t.then_count[e]))
        return
    following = NOBODY if seat == state.active else (seat + 1) % int(state.num_seats)
    push(state, Step.NEXT_BID, following, e, highest, bidder)
    if min(int(state.wealth[seat]), most) > highest:
        push(state, Step.BID, seat, e, highest)


@kernel
def do_bid(state: State, seat: int, amount: int) -> None:
    """Record a bid as the highest so far."""
    pop(state)
    set_top(state, B, amount)
    set_top(state, C, seat)
