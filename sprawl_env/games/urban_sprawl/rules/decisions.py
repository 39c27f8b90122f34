"""Decisions: what each marks as legal and what its action does, side by side (US §9).

The step on top of the agenda (``constants.Step``) is the decision to take.  The functions of a row
stand together in the module of their chapter; a row without functions is written out below.

============= ============================== ============================= =================
Step          Marks                          Does                          Rule
============= ============================== ============================= =================
CLAIM         ``turn.mark_claims``           ``turn.do_claim``             US 6.1
MAIN          ``turn.mark_main``             ``turn.do_main``              US 6.2, U14
FOOTPRINT     ``build.mark_footprints``      ``build.do_choose_footprint`` US 6.3, 6.4, 6.6
PERMITS       ``build.mark_permits``         ``build.do_pay_permit``       US 6.3, U15
VOCATION_FROM opponents with it, decline     ``vocations.do_take_from``    US 6.5, U17
MARKER_GAIN   wealth, prestige               ``vocations.do_marker_gain``  US 6.5
UNIT          ``money.mark_unit``            ``money.do_move_unit``        US §7, U20
TARGET        ``targets.mark_targets``       ``targets.hit``               US §7, U18
SAVE          accept, decline                pay or ``targets.strike``     US §7, U34
PLACE         ``targets.mark_places``        ``targets.do_place``          US §7, U23
MOVE_TO       ``targets.mark_moves``         ``targets.do_move``           US §7, U23
PAID_LINE     ``picks.is_paid_line``         ``lines.pay_line``            US §7, U22
GREY          empty grey spaces              ``lines.do_put_marker``       US 6.7
PICK_MARKER   ``picks.marker_fits``          GREY follows                  US 6.7
PICK_ROW      row, column                    set the row of the filter     US §7, U35
PICK_ZONE     the four zones                 set the zone of the filter    US §7, U35
PLACE_ZONE    ``targets.has_tile``           PLACE follows                 US §7, U1
OPTION        the options of the effect      run the effect chosen         US §7, U35
BID           higher bids, decline           ``offers.do_bid``             US §7, U34
ACCEPT        accept, decline                ``offers.do_accept``          US 6.11
NEXT_SEAT     seats still to decide          ``seats.let_act``             US 6.11, U21
LEADER        tied seats                     set the seat of the effect    US §7
VICTIM        seats with something to steal  ``money.steal``               US §7
WINNER        tied seats                     ``elections.do_elect``        US 6.9, U7
PICK_OFFICE   ``picks.office_fits``          election, or ``give_office``  US 6.9, U30
PICK_VOCATION ``picks.vocation_fits``        ``picks.pick_vocation``       US 6.5
DISCARD       kinds in hand                  ``picks.discard``             US §7
FREE_CARD     face-up planning cards         ``turn.do_take_planning``     US §7
DISASTER      ``targets.mark_losses``        demolish or pay               US §7
HEADLINE      ``money.mark_extremes``        ``money.reward_building``     US §7, U37
============= ============================== ============================= =================
"""

from __future__ import annotations

from sprawl_env.core.state import NOBODY
from sprawl_env.games.urban_sprawl.actions import (
    AMOUNT,
    DECLINE,
    GAIN,
    LINE,
    MARKER,
    MOST_BID,
    OFFICE,
    OPTION,
    PERMIT,
    PLANNING,
    SEAT_AT,
    SITE,
    VOCATION,
    YES,
    ZONE,
)
from sprawl_env.games.urban_sprawl.constants import (
    CONTRACTOR,
    CORNERS,
    FIRST_GREY,
    NO_KIND,
    NO_MARKER,
    NUM_GREYS,
    NUM_KINDS,
    NUM_LINES,
    NUM_MARKERS,
    NUM_OFFICES,
    NUM_VOCATIONS,
    NUM_ZONES,
    PLANNING_TOP,
    SHAPES,
    Step,
)
from sprawl_env.games.urban_sprawl.rules.board import lift, size_at
from sprawl_env.games.urban_sprawl.rules.build import do_choose_footprint, mark_footprints
from sprawl_env.games.urban_sprawl.rules.elections import do_elect, give_office, push_place
from sprawl_env.games.urban_sprawl.rules.lines import do_put_marker, pay_line
from sprawl_env.games.urban_sprawl.rules.lists import push_effects
from sprawl_env.games.urban_sprawl.rules.money import (
    do_move_unit,
    mark_extremes,
    mark_unit,
    reward_building,
    steal,
    take_up_to,
)
from sprawl_env.games.urban_sprawl.rules.offers import do_accept, do_bid
from sprawl_env.games.urban_sprawl.rules.picks import (
    discard,
    is_paid_line,
    marker_fits,
    office_fits,
    pick_vocation,
    vocation_fits,
)
from sprawl_env.games.urban_sprawl.rules.seats import let_act
from sprawl_env.games.urban_sprawl.rules.targets import (
    do_move,
    do_place,
    has_tile,
    hit,
    mark_losses,
    mark_moves,
    mark_places,
    mark_targets,
    strike,
)
from sprawl_env.games.urban_sprawl.rules.turn import do_claim, do_take_planning, mark_claims
from sprawl_env.games.urban_sprawl.rules.vocations import (
    do_marker_gain,
    do_take_from,
    opponents_with,
)
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.games.urban_sprawl.vocabulary import Verb
from sprawl_env.kernels.agenda import pop, push, top
from sprawl_env.kernels.arrays import Mask
from sprawl_env.kernels.compile import kernel

# ----------------------------------------------------------------- a lot, a building or a footprint


@kernel
def asks_in_city(step: int) -> bool:
    """Is the answer a lot, a building or a footprint?"""
    placing = step == Step.PLACE or step == Step.MOVE_TO or step == Step.FOOTPRINT
    hitting = step == Step.TARGET or step == Step.DISASTER or step == Step.HEADLINE
    return bool(placing or hitting or step == Step.CLAIM)


@kernel
def mark_in_city(t: Table, state: State, step: int, seat: int, mask: Mask) -> None:
    """Mark lots, buildings or footprints."""
    entry = top(state)
    e = int(entry.effect)
    if step == Step.FOOTPRINT:
        mark_footprints(t, state, seat, int(entry.card), mask)
    elif step == Step.TARGET:
        mark_targets(t, state, e, int(entry.acting_seat), mask)
    elif step == Step.PLACE:
        mark_places(t, state, e, mask)
    elif step == Step.MOVE_TO:
        mark_moves(state, int(entry.lot), mask)
    elif step == Step.DISASTER:
        mark_losses(t, state, e, seat, mask)
    elif step == Step.HEADLINE:
        mark_extremes(t, state, e, mask)
    else:
        mark_claims(t, state, seat, mask)


@kernel
def play_in_city(t: Table, state: State, step: int, seat: int, site: int) -> None:
    """Carry out the choice of a lot, a building or a footprint."""
    block = site // CORNERS
    if step == Step.FOOTPRINT:
        do_choose_footprint(t, state, seat, site)
        return
    if step == Step.CLAIM:
        do_claim(t, state, seat, site)
        return
    entry = top(state)
    e, acting_seat, lot, zone = (
        int(entry.effect),
        int(entry.acting_seat),
        int(entry.lot),
        int(entry.zone),
    )
    pop(state)
    if step == Step.TARGET:
        hit(t, state, e, acting_seat, site)
    elif step == Step.PLACE:
        shape = int(SHAPES[t.effects[e].new_size - 1, site % CORNERS])
        do_place(t, state, e, seat, zone, block, shape)
    elif step == Step.MOVE_TO:
        do_move(state, lot, block, int(SHAPES[size_at(state, lot) - 1, site % CORNERS]))
    elif step == Step.HEADLINE:
        reward_building(t, state, e, site, 1 if t.effects[e].verb == Verb.GAIN else -1)
    elif site == YES - SITE:
        take_up_to(state, seat, int(t.effects[e].what), int(t.effects[e].amount))
    else:
        lift(state, site)


# ------------------------------------------------------------------------------------------- a seat


@kernel
def asks_seat(step: int) -> bool:
    """Is the answer a seat?"""
    return bool((step >= Step.NEXT_SEAT and step <= Step.WINNER) or step == Step.VOCATION_FROM)


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


# ------------------------------------------------ a line, a marker, an office, a vocation or a card


@kernel
def asks_pick(step: int) -> bool:
    """Is the answer a line, a marker, an office, a vocation or a card?"""
    lines = step >= Step.PAID_LINE and step <= Step.PICK_MARKER
    return bool(lines or (step >= Step.PICK_OFFICE and step <= Step.FREE_CARD))


@kernel
def mark_picks(t: Table, state: State, step: int, seat: int, mask: Mask) -> None:
    """Mark the lines, markers, offices, vocations or cards to pick from."""
    e = int(top(state).effect)
    if step == Step.PAID_LINE:
        for line in range(NUM_LINES):
            mask[LINE + line] = is_paid_line(t, state, line)
    elif step == Step.GREY:
        for grey in range(NUM_GREYS):
            mask[LINE + FIRST_GREY + grey] = state.marker_at[grey] == NO_MARKER
    elif step == Step.PICK_MARKER:
        for marker in range(NUM_MARKERS):
            mask[MARKER + marker] = marker_fits(t, state, e, marker)
    elif step == Step.PICK_OFFICE:
        for office in range(NUM_OFFICES):
            mask[OFFICE + office] = office_fits(t, state, e, seat, office)
    elif step == Step.PICK_VOCATION:
        for vocation in range(NUM_VOCATIONS):
            mask[VOCATION + vocation] = vocation_fits(t, state, e, seat, vocation)
    elif step == Step.DISCARD:
        for kind in range(NUM_KINDS):
            mask[PERMIT + kind] = state.hand[seat, kind] > 0
    else:
        for space in range(PLANNING_TOP + 1):
            mask[PLANNING + space] = state.planning[space] != NO_KIND


@kernel
def play_pick(t: Table, state: State, step: int, seat: int, action: int) -> None:
    """Carry out the pick of a line, a marker, an office, a vocation or a card."""
    entry = top(state)
    e, marker, left = int(entry.effect), int(entry.marker), int(entry.left)
    pop(state)
    if step == Step.PAID_LINE:
        pay_line(t, state, action - LINE)
    elif step == Step.GREY:
        do_put_marker(t, state, marker, action - LINE - FIRST_GREY)
    elif step == Step.PICK_MARKER:
        push(state, Step.GREY, seat).marker = action - MARKER
    elif step == Step.PICK_OFFICE:
        if t.effects[e].verb == Verb.ELECTION:
            push(state, Step.ELECTION, NOBODY).office = action - OFFICE
        else:
            give_office(state, action - OFFICE, seat)
    elif step == Step.PICK_VOCATION:
        pick_vocation(t, state, e, seat, action - VOCATION)
    elif step == Step.FREE_CARD:
        do_take_planning(state, seat, action - PLANNING)
    else:
        discard(state, seat, e, left, action - PERMIT)


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
    else:
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
