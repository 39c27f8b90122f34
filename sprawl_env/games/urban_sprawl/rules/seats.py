"""Effects that let several seats decide, one after another (US 6.11, rulings U21, U36)."""

from __future__ import annotations

from sprawl_env.core.state import NOBODY
from sprawl_env.games.urban_sprawl.effect_verbs import Verb
from sprawl_env.games.urban_sprawl.rules.lines import only_seat
from sprawl_env.games.urban_sprawl.rules.money import count_unit_choices, push_unit, units
from sprawl_env.games.urban_sprawl.rules.offers import may_accept, offer
from sprawl_env.games.urban_sprawl.rules.picks import (
    begin_marker,
    begin_vocation,
    count_cards,
    count_marker_choices,
    count_offices,
    count_vocations,
    push_discard,
)
from sprawl_env.games.urban_sprawl.rules.targets import (
    begin_placing,
    count_hits,
    count_losses,
    count_placing,
    pick_target,
)
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import (
    Step,
)
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.kernels.agenda import pop, push, top
from sprawl_env.kernels.bits import lowest
from sprawl_env.kernels.compile import kernel


@kernel
def each_seat(t: Table, state: State) -> None:
    """Let the next seat act: forced seats first, then as the active player picks (U36)."""
    waiting = top(state)
    e, seats = int(waiting.effect), int(waiting.seats)
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
    waiting.seats = seats
    if seats == 0:
        pop(state)
    elif forced != NOBODY:
        let_act(state, forced)
    elif only_seat(seats):
        let_act(state, lowest(seats))
    else:
        entry = push(state, Step.NEXT_SEAT, int(state.active))
        entry.seats = seats
        entry.self_seat = waiting.self_seat


@kernel
def let_act(state: State, seat: int) -> None:
    """Let one seat act before the others."""
    waiting = top(state)
    e, self_seat = int(waiting.effect), int(waiting.self_seat)
    waiting.seats = int(waiting.seats) & ~(1 << seat)
    if waiting.seats == 0:
        pop(state)
    entry = push(state, Step.ACT, seat)
    entry.effect = e
    entry.self_seat = self_seat


@kernel
def is_hit(verb: int) -> bool:
    """Does a seat pick a building that the verb changes (``targets.hit``)?"""
    keeps = verb == Verb.MOVE or verb == Verb.TAKE
    return bool(keeps or verb == Verb.DEMOLISH or verb == Verb.UNCONTROL)


@kernel
def count_choices(t: Table, state: State, e: int, seat: int) -> int:
    """Return the number of legal actions of a seat's first ply.

    1 also stands for a seat that acts without a decision, 0 for a seat that does not act.
    """
    effect = t.effects[e]
    verb = effect.verb
    if verb == Verb.GAIN or verb == Verb.LOSE or verb == Verb.PAY:
        return count_unit_choices(t, state, e, seat) if units(t, state, e, seat) else 0
    if is_hit(verb):
        return count_hits(t, state, e, seat)
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
    if verb == Verb.CHOOSE:
        return int(t.effects[e].then_count)
    return 0


@kernel
def act(t: Table, state: State) -> None:
    """Begin a seat's part of an effect."""
    entry = top(state)
    seat, e, self_seat = int(entry.seat), int(entry.effect), int(entry.self_seat)
    pop(state)
    verb = t.effects[e].verb
    if verb == Verb.GAIN or verb == Verb.LOSE or verb == Verb.PAY:
        push_unit(state, seat, e, units(t, state, e, seat), self_seat)
    elif is_hit(verb):
        pick_target(t, state, e, seat)
    elif verb == Verb.PLACE:
        begin_placing(t, state, e, seat)
    elif verb == Verb.NEW_MARKER or verb == Verb.MOVE_MARKER:
        begin_marker(t, state, e, seat)
    elif verb == Verb.DISASTER:
        push(state, Step.DISASTER, seat).effect = e
    elif verb == Verb.ELECTION or verb == Verb.GIVE:
        push(state, Step.PICK_OFFICE, seat).effect = e
    elif verb == Verb.FREE_CARD:
        push(state, Step.FREE_CARD, seat).effect = e
    elif verb == Verb.DISCARD:
        push_discard(state, seat, e, int(t.effects[e].amount))
    elif verb == Verb.VOCATION or verb == Verb.SCORE:
        begin_vocation(t, state, e, seat)
    elif verb == Verb.OPTIONAL:
        offer(t, state, e, seat)
    elif verb == Verb.CHOOSE:
        push(state, Step.OPTION, seat).effect = e
