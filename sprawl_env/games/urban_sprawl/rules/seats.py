"""Effects that let several seats decide, one after another (US 6.11, rulings U21, U36)."""

from __future__ import annotations

from sprawl_env.core.state import NOBODY, State
from sprawl_env.games.urban_sprawl.constants import Step
from sprawl_env.games.urban_sprawl.rules.effects import set_top
from sprawl_env.games.urban_sprawl.rules.filters import count_targets
from sprawl_env.games.urban_sprawl.rules.lines import only_seat
from sprawl_env.games.urban_sprawl.rules.money import count_unit_choices, units
from sprawl_env.games.urban_sprawl.rules.offers import may_accept, offer
from sprawl_env.games.urban_sprawl.rules.picks import (
    begin_marker,
    begin_vocation,
    count_cards,
    count_marker_choices,
    count_offices,
    count_vocations,
)
from sprawl_env.games.urban_sprawl.rules.targets import (
    begin_placing,
    count_losses,
    count_placing,
    pick_target,
)
from sprawl_env.games.urban_sprawl.vocabulary import Verb
from sprawl_env.kernels.bits import lowest
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.old_agenda import SEAT, A, B, C, pop, push, top


@kernel
def each_seat(t: State, state: State) -> None:
    """Let the next seat act: forced seats first, then as the active player picks (U36)."""
    e, seats, this = top(state, A), top(state, B), top(state, C)
    count = int(state.num_seats)
    forced = NOBODY
    for k in range(count):
        seat = (int(state.active) + k) % count
        if seats >> seat & 1:
            choices = count_choices(t, state, e, seat)
            if choices == 0:
                seats &= ~(1 << seat)
            elif choices == 1 and forced == NOBODY:
                forced = seat
    set_top(state, B, seats)
    if seats == 0:
        pop(state)
    elif forced != NOBODY:
        let_act(state, forced)
    elif only_seat(seats):
        let_act(state, lowest(seats))
    else:
        push(state, Step.NEXT_SEAT, int(state.active), seats, this)


@kernel
def let_act(state: State, seat: int) -> None:
    """Let one seat act before the others."""
    e, this = top(state, A), top(state, C)
    left = top(state, B) & ~(1 << seat)
    set_top(state, B, left)
    if left == 0:
        pop(state)
    push(state, Step.ACT, seat, e, this)


@kernel
def count_choices(t: State, state: State, e: int, seat: int) -> int:
    """Return the number of legal actions of a seat's first ply.

    1 also stands for a seat that acts without a decision, 0 for a seat that does not act.
    """
    verb = t.verb[e]
    if verb <= Verb.PAY:
        return count_unit_choices(t, state, e, seat) if units(t, state, e, seat) else 0
    if verb >= Verb.MOVE and verb <= Verb.TAKE:
        return count_targets(t, state, e, seat)
    if verb == Verb.PLACE:
        return count_placing(t, state, e)
    if verb == Verb.NEW_MARKER or verb == Verb.MOVE_MARKER:
        return count_marker_choices(t, state, e)
    if verb == Verb.DISASTER:
        return count_losses(t, state, e, seat)
    if verb == Verb.ELECTION or verb == Verb.GIVE:
        return count_offices(t, state, e, seat)
    if verb == Verb.FREE_CARD or verb == Verb.DISCARD:
        return count_cards(t, state, e, seat)
    if verb == Verb.VOCATION or verb == Verb.SCORE:
        return count_vocations(t, state, e, seat)
    if verb == Verb.OPTIONAL:
        return 1 + may_accept(t, state, e, seat)
    return int(t.then_count[e])


@kernel
def act(t: State, state: State) -> None:
    """Begin a seat's part of an effect."""
    seat, e, this = top(state, SEAT), top(state, A), top(state, B)
    pop(state)
    verb = t.verb[e]
    if verb <= Verb.PAY:
        push(state, Step.UNIT, seat, e, units(t, state, e, seat), this)
    elif verb >= Verb.MOVE and verb <= Verb.TAKE:
        pick_target(t, state, e, seat)
    elif verb == Verb.PLACE:
        begin_placing(t, state, e, seat)
    elif verb == Verb.NEW_MARKER or verb == Verb.MOVE_MARKER:
        begin_marker(t, state, e, seat)
    elif verb == Verb.DISASTER:
        push(state, Step.DISASTER, seat, e)
    elif verb == Verb.ELECTION or verb == Verb.GIVE:
        push(state, Step.PICK_OFFICE, seat, e)
    elif verb == Verb.FREE_CARD:
        push(state, Step.FREE_CARD, seat, e)
    elif verb == Verb.DISCARD:
        push(state, Step.DISCARD, seat, e, int(t.amount[e]))
    elif verb == Verb.VOCATION or verb == Verb.SCORE:
        begin_vocation(t, state, e, seat)
    elif verb == Verb.OPTIONAL:
        offer(t, state, e, seat)
    else:
        push(state, Step.OPTION, seat, e)
