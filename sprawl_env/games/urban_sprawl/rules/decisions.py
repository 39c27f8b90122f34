"""Decisions of a turn, about a seat, and those without a place on the board (US §9).

The step on top of the agenda is the decision to take.  ``steps.DECISIONS`` says of each what marks
its answers, what carries them out, and the rule.  Decisions about the city are in ``targets``,
picks of lines, markers, offices, vocations and cards in ``picks``.
"""

from __future__ import annotations

from sprawl_env.games.urban_sprawl.actions import (
    AMOUNT,
    DECLINE,
    GAIN,
    MOST_BID,
    OPTION,
    PERMIT,
    SEAT_AT,
    SITE,
    YES,
    ZONE,
)
from sprawl_env.games.urban_sprawl.constants import (
    CONTRACTOR,
    NUM_ZONES,
)
from sprawl_env.games.urban_sprawl.rules.build import (
    do_choose_footprint,
    do_pay_permit,
    mark_footprints,
    mark_permits,
)
from sprawl_env.games.urban_sprawl.rules.elections import do_elect, push_place
from sprawl_env.games.urban_sprawl.rules.lists import push_effects
from sprawl_env.games.urban_sprawl.rules.money import (
    do_move_unit,
    mark_unit,
    steal,
    take_up_to,
)
from sprawl_env.games.urban_sprawl.rules.offers import do_accept, do_bid
from sprawl_env.games.urban_sprawl.rules.seats import let_act
from sprawl_env.games.urban_sprawl.rules.targets import (
    has_tile,
    strike,
)
from sprawl_env.games.urban_sprawl.rules.turn import do_claim, do_main, mark_claims, mark_main
from sprawl_env.games.urban_sprawl.rules.vocations import (
    do_marker_gain,
    do_take_from,
    opponents_with,
)
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import (
    Step,
)
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.kernels.agenda import pop, top
from sprawl_env.kernels.arrays import Mask
from sprawl_env.kernels.compile import kernel

# ------------------------------------------------------------------------------------------- a turn


@kernel
def mark_turn(t: Table, state: State, step: int, seat: int, mask: Mask) -> None:
    """Mark the answers to a decision of a turn or of the setup."""
    if step == Step.MAIN:
        mark_main(t, state, seat, mask)
    elif step == Step.PERMITS:
        mark_permits(t, state, seat, int(top(state).card), mask)
    elif step == Step.FOOTPRINT:
        mark_footprints(t, state, seat, int(top(state).card), mask)
    elif step == Step.CLAIM:
        mark_claims(t, state, seat, mask)


@kernel
def play_turn(t: Table, state: State, step: int, seat: int, action: int) -> None:
    """Carry out a decision of a turn or of the setup."""
    if step == Step.MAIN:
        do_main(t, state, seat, action)
    elif step == Step.PERMITS:
        do_pay_permit(t, state, seat, action - PERMIT)
    elif step == Step.FOOTPRINT:
        do_choose_footprint(t, state, seat, action - SITE)
    elif step == Step.CLAIM:
        do_claim(t, state, seat, action - SITE)


# ------------------------------------------------------------------------------------------- a seat


@kernel
def mark_seats(state: State, seat: int, seats: int, mask: Mask) -> None:
    """Mark a set of seats, counted clockwise from the seat that decides."""
    count = int(state.num_seats)
    for k in range(count):
        mask[SEAT_AT + k] = seats >> ((seat + k) % count) & 1


@kernel
def mark_seat_choice(state: State, step: int, seat: int, mask: Mask) -> None:
    """Mark the seats to choose from, and declining where it is allowed."""
    if step == Step.VOCATION_FROM:
        mask[DECLINE] = 1
        mark_seats(state, seat, opponents_with(state, seat, int(top(state).vocation)), mask)
    else:
        mark_seats(state, seat, int(top(state).seats), mask)


@kernel
def play_seat(t: Table, state: State, step: int, seat: int, action: int) -> None:
    """Carry out the choice of a seat."""
    entry = top(state)
    e, vocation, office = int(entry.effect), int(entry.vocation), int(entry.office)
    chosen = (seat + action - SEAT_AT) % int(state.num_seats)
    pop(state)
    if step == Step.NEXT_SEAT:
        let_act(state, chosen)
    elif step == Step.LEADER:
        top(state).seats = 1 << chosen
    elif step == Step.VICTIM:
        steal(t, state, e, 1 << chosen, seat)
    elif step == Step.VOCATION_FROM:
        if action != DECLINE:
            do_take_from(state, seat, chosen, vocation)
    elif office == CONTRACTOR:
        state.office[CONTRACTOR] = chosen
    else:
        do_elect(state, office, chosen)


# ----------------------------------------------------------- an answer without a place on the board


@kernel
def mark_simple(t: Table, state: State, step: int, seat: int, mask: Mask) -> None:
    """Mark answers that are neither a place nor a seat nor a pick."""
    entry = top(state)
    e = int(entry.effect)
    if step == Step.MARKER_GAIN:
        mask[GAIN : GAIN + 2] = 1
    elif step == Step.UNIT:
        mark_unit(t, state, e, seat, mask)
    elif step == Step.SAVE or step == Step.ACCEPT:
        mask[DECLINE] = 1
        mask[YES] = 1
    elif step == Step.PICK_ROW:
        mask[OPTION : OPTION + 2] = 1
    elif step == Step.PICK_ZONE:
        mask[ZONE : ZONE + NUM_ZONES] = 1
    elif step == Step.PLACE_ZONE:
        for zone in range(NUM_ZONES):
            mask[ZONE + zone] = has_tile(t, state, e, zone)
    elif step == Step.OPTION:
        mask[OPTION : OPTION + int(t.effects[e].then_count)] = 1
    elif step == Step.BID:
        most = min(int(state.wealth[seat]), MOST_BID)
        mask[DECLINE] = 1
        mask[AMOUNT + int(entry.highest) : AMOUNT + most] = 1


@kernel
def play_simple(t: Table, state: State, step: int, seat: int, action: int) -> None:
    """Carry out an answer that is neither a place nor a seat nor a pick."""
    if step == Step.MARKER_GAIN:
        do_marker_gain(state, seat, action - GAIN)
        return
    if step == Step.UNIT:
        do_move_unit(t, state, seat, action - GAIN)
        return
    if step == Step.BID and action != DECLINE:
        do_bid(state, seat, action - AMOUNT + 1)
        return
    e, lot = int(top(state).effect), int(top(state).lot)
    pop(state)
    if step == Step.SAVE:
        if action == YES:
            take_up_to(state, seat, int(t.effects[e].save_what), int(t.effects[e].save_amount))
        else:
            strike(t, state, e, lot)
    elif step == Step.ACCEPT:
        do_accept(t, state, e, seat, action == YES)
    elif step == Step.PICK_ROW:
        state.asked_row = action - OPTION
    elif step == Step.PICK_ZONE:
        state.asked_zone = action - ZONE
    elif step == Step.PLACE_ZONE:
        push_place(state, seat, e, action - ZONE)
    elif step == Step.OPTION:
        push_effects(state, seat, int(t.effects[e].then_first) + action - OPTION, 1)
