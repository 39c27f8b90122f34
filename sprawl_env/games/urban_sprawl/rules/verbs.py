"""The verbs of *Urban Sprawl*: what the outside world calls (see ``core.game.Verbs``)."""

from __future__ import annotations

from sprawl_env.core.state import NOBODY, NOT_OVER, Games, State, Tables
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
    LAST_DECISION,
    LOTS_A_PART,
    NO_KIND,
    NO_MARKER,
    NUM_BLOCKS,
    NUM_GREYS,
    NUM_KINDS,
    NUM_LINES,
    NUM_MARKERS,
    NUM_OFFICES,
    NUM_PARTS,
    NUM_VOCATIONS,
    NUM_ZONES,
    PLANNING_TOP,
    SHAPES,
    Step,
)
from sprawl_env.games.urban_sprawl.rules.board import lift, mark_in_block, size_at
from sprawl_env.games.urban_sprawl.rules.build import (
    do_choose_footprint,
    do_pay_permit,
    mark_footprints,
    mark_permits,
)
from sprawl_env.games.urban_sprawl.rules.effects import (
    act,
    do_accept,
    do_bid,
    do_move,
    do_place,
    each_seat,
    give_office,
    has_tile,
    hit,
    is_paid_line,
    let_act,
    marker_fits,
    next_bid,
    next_effect,
    office_fits,
    run_effect,
    set_top,
    strike,
    vocation_fits,
)
from sprawl_env.games.urban_sprawl.rules.elections import (
    assign_contractor,
    do_elect,
    election,
)
from sprawl_env.games.urban_sprawl.rules.filters import (
    extreme_value,
    is_target,
    moves_in,
    passes,
    places_in,
)
from sprawl_env.games.urban_sprawl.rules.hidden import redeal
from sprawl_env.games.urban_sprawl.rules.lines import do_put_marker, pay_line
from sprawl_env.games.urban_sprawl.rules.money import (
    do_move_unit,
    has,
    mark_extremes,
    mark_unit,
    pay_value,
    reward_building,
    steal,
    take_up_to,
)
from sprawl_env.games.urban_sprawl.rules.rails import (
    draw_contract,
    draw_planning,
    end_event,
    end_of_turn,
    pay_wealth,
)
from sprawl_env.games.urban_sprawl.rules.scoring import write_scores
from sprawl_env.games.urban_sprawl.rules.setup import set_up
from sprawl_env.games.urban_sprawl.rules.turn import (
    begin_turn,
    do_claim,
    do_main,
    do_take_planning,
    mark_claims,
    mark_main,
)
from sprawl_env.games.urban_sprawl.rules.vocations import (
    do_marker_gain,
    do_take_from,
    opponents_with,
    score_seat,
    score_vocation,
    take_vocation,
    vocation_of_contract,
)
from sprawl_env.games.urban_sprawl.vocabulary import Verb
from sprawl_env.kernels.agenda import SEAT, STEP, A, B, C, pop, push, top
from sprawl_env.kernels.arrays import Ints, Mask
from sprawl_env.kernels.bits import lowest
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import seed_state

POINT = 2**15  # of a standing; no wealth, the tie-break, reaches it


# ----------------------------------------------------------------------------- automatic steps


@kernel
def advance(t: State, state: State) -> None:
    """Carry out automatic steps until a decision is on top or the game is over."""
    while state.over == NOT_OVER:
        step = top(state, STEP)
        if step <= LAST_DECISION:
            state.to_play = top(state, SEAT)
            return
        if step >= Step.END_OF_TURN:
            carry_out_end(t, state, step)
        else:
            carry_out(t, state, step)


@kernel
def carry_out(t: State, state: State, step: int) -> None:
    """Carry out an automatic step of a turn or a card."""
    if step == Step.EFFECT:
        run_effect(t, state)
    elif step == Step.EFFECTS:
        next_effect(state)
    elif step == Step.EACH:
        each_seat(t, state)
    elif step == Step.ACT:
        act(t, state)
    elif step == Step.SCORE_SEATS:
        score_seat(state)
    elif step == Step.TAKE_VOCATION:
        vocation_of_contract(t, state)
    elif step == Step.NEXT_BID:
        next_bid(t, state, MOST_BID)
    elif step == Step.ELECTION:
        election(t, state)
    elif step == Step.ASSIGN:
        assign_contractor(state)
    else:
        begin_turn(t, state)


@kernel
def carry_out_end(t: State, state: State, step: int) -> None:
    """Carry out an automatic step of the end of a turn."""
    if step == Step.END_OF_TURN:
        end_of_turn(t, state)
    elif step == Step.DRAW_PLANNING:
        draw_planning(t, state)
    elif step == Step.DRAW_CONTRACT:
        draw_contract(t, state)
    elif step == Step.END_EVENT:
        end_event(state)
    else:
        pay_wealth(t, state)


@kernel
def deal(tables: Tables, games: Games, g: int, seed: int) -> None:
    """Deal an opening position."""
    state = games[g]
    seed_state(state, seed)
    set_up(tables[0], state)
    advance(tables[0], state)


# ------------------------------------------------------------------------------- legal actions


@kernel
def mark_seats(state: State, seat: int, seats: int, mask: Mask) -> None:
    """Mark a set of seats, counted clockwise from the one who decides."""
    count = int(state.num_seats)
    for k in range(count):
        mask[SEAT_AT + k] = seats >> ((seat + k) % count) & 1


@kernel
def mark_targets(t: State, state: State, e: int, seat: int, mask: Mask) -> None:
    """Mark the buildings that an effect may be pointed at."""
    value = extreme_value(t, state, e, seat)
    for part in range(NUM_PARTS):
        lots = int(state.firsts[part])
        while lots:
            lot = part * LOTS_A_PART + lowest(lots)
            lots &= lots - 1
            mask[SITE + lot] = is_target(t, state, e, lot, seat, value)


@kernel
def mark_losses(t: State, state: State, e: int, seat: int, mask: Mask) -> None:
    """Mark the buildings that a disaster may cost a seat, and paying."""
    value = pay_value(t, state, e)
    for part in range(NUM_PARTS):
        lots = int(state.firsts[part])
        while lots:
            lot = part * LOTS_A_PART + lowest(lots)
            lots &= lots - 1
            if state.owner[lot] == seat:
                mask[SITE + lot] = passes(t, state, e, lot, seat, value)
    mask[YES] = has(state, seat, int(t.what[e])) >= t.amount[e]


@kernel
def mark_places(t: State, state: State, e: int, mask: Mask) -> None:
    """Mark the footprints for a building to place."""
    for block in range(NUM_BLOCKS):
        mark_in_block(block, int(t.new_size[e]), places_in(t, state, e, block), mask)


@kernel
def mark_moves(state: State, lot: int, mask: Mask) -> None:
    """Mark the footprints a building can move to."""
    for block in range(NUM_BLOCKS):
        mark_in_block(block, size_at(state, lot), moves_in(state, lot, block), mask)


@kernel
def mark_picks(t: State, state: State, step: int, e: int, seat: int, mask: Mask) -> None:
    """Mark lines, markers, offices, vocations or cards to pick from."""
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
def mark_simple(t: State, state: State, step: int, e: int, seat: int, mask: Mask) -> None:
    """Mark answers that need no look at the city."""
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
        mask[OPTION : OPTION + int(t.then_count[e])] = 1
    else:
        most = min(int(state.wealth[seat]), MOST_BID)
        mask[DECLINE] = 1
        mask[AMOUNT + top(state, B) : AMOUNT + most] = 1


@kernel
def mark_seat_choice(state: State, step: int, seat: int, mask: Mask) -> None:
    """Mark seats to choose from; a vocation need not be taken."""
    if step == Step.VOCATION_FROM:
        mask[DECLINE] = 1
        mark_seats(state, seat, opponents_with(state, seat, top(state, A)), mask)
    elif step == Step.VICTIM:
        mark_seats(state, seat, top(state, B), mask)
    else:
        mark_seats(state, seat, top(state, A), mask)


@kernel
def mark_in_city(t: State, state: State, step: int, a: int, seat: int, mask: Mask) -> None:
    """Mark lots, buildings or footprints."""
    if step == Step.FOOTPRINT:
        mark_footprints(t, state, seat, a, mask)
    elif step == Step.TARGET:
        mark_targets(t, state, a, top(state, B), mask)
    elif step == Step.PLACE:
        mark_places(t, state, a, mask)
    elif step == Step.MOVE_TO:
        mark_moves(state, top(state, B), mask)
    elif step == Step.DISASTER:
        mark_losses(t, state, a, seat, mask)
    elif step == Step.HEADLINE:
        mark_extremes(t, state, a, mask)
    else:
        mark_claims(t, state, seat, mask)


@kernel
def legal_actions(tables: Tables, games: Games, g: int, mask: Mask) -> None:
    """Mark what the seat to play may do (US §9)."""
    t, state = tables[0], games[g]
    mask[:] = 0
    if state.over != NOT_OVER:
        return
    step, a, seat = top(state, STEP), top(state, A), int(state.to_play)
    if step == Step.MAIN:
        mark_main(t, state, seat, mask)
    elif step == Step.PERMITS:
        mark_permits(t, state, seat, a, mask)
    elif asks_in_city(step):
        mark_in_city(t, state, step, a, seat, mask)
    elif asks_seat(step):
        mark_seat_choice(state, step, seat, mask)
    elif asks_pick(step):
        mark_picks(t, state, step, a, seat, mask)
    else:
        mark_simple(t, state, step, a, seat, mask)


@kernel
def asks_in_city(step: int) -> bool:
    """Is the answer a lot, a building or a footprint?"""
    placing = step == Step.PLACE or step == Step.MOVE_TO or step == Step.FOOTPRINT
    hitting = step == Step.TARGET or step == Step.DISASTER or step == Step.HEADLINE
    return bool(placing or hitting or step == Step.CLAIM)


@kernel
def asks_seat(step: int) -> bool:
    """Is the answer a seat?"""
    return bool((step >= Step.NEXT_SEAT and step <= Step.WINNER) or step == Step.VOCATION_FROM)


@kernel
def asks_pick(step: int) -> bool:
    """Is the answer a line, a marker, an office, a vocation or a card?"""
    lines = step >= Step.PAID_LINE and step <= Step.PICK_MARKER
    return bool(lines or (step >= Step.PICK_OFFICE and step <= Step.FREE_CARD))


# ---------------------------------------------------------------------------------------- a ply


@kernel
def play_in_city(t: State, state: State, step: int, seat: int, site: int) -> None:
    """Answer with a lot, a building or a footprint."""
    a, b = top(state, A), top(state, B)
    block = site // CORNERS
    if step == Step.FOOTPRINT:
        do_choose_footprint(t, state, seat, site)
        return
    if step == Step.CLAIM:
        do_claim(t, state, seat, site)
        return
    pop(state)
    if step == Step.TARGET:
        hit(t, state, a, b, site)
    elif step == Step.PLACE:
        shape = int(SHAPES[t.new_size[a] - 1, site % CORNERS])
        do_place(t, state, a, seat, b, block, shape)
    elif step == Step.MOVE_TO:
        do_move(state, b, block, int(SHAPES[size_at(state, b) - 1, site % CORNERS]))
    elif step == Step.HEADLINE:
        reward_building(t, state, a, site, 1 if t.verb[a] == Verb.GAIN else -1)
    elif site == YES - SITE:
        take_up_to(state, seat, int(t.what[a]), int(t.amount[a]))
    else:
        lift(state, site)


@kernel
def play_seat(t: State, state: State, step: int, seat: int, action: int) -> None:
    """Answer with a seat."""
    a, b = top(state, A), top(state, B)
    chosen = (seat + action - SEAT_AT) % int(state.num_seats)
    pop(state)
    if step == Step.NEXT_SEAT:
        let_act(state, chosen)
    elif step == Step.LEADER:
        set_top(state, C, 1 << chosen)
    elif step == Step.VICTIM:
        steal(t, state, a, 1 << chosen, seat)
    elif step == Step.VOCATION_FROM:
        if action != DECLINE:
            do_take_from(state, seat, chosen, a)
    elif b == CONTRACTOR:
        state.office[CONTRACTOR] = chosen
    else:
        do_elect(state, b, chosen)


@kernel
def play_pick(t: State, state: State, step: int, seat: int, action: int) -> None:
    """Answer with a line, a marker, an office, a vocation or a card."""
    a, b = top(state, A), top(state, B)
    pop(state)
    if step == Step.PAID_LINE:
        pay_line(t, state, action - LINE)
    elif step == Step.GREY:
        do_put_marker(t, state, a, action - LINE - FIRST_GREY)
    elif step == Step.PICK_MARKER:
        push(state, Step.GREY, seat, action - MARKER)
    elif step == Step.PICK_OFFICE:
        if t.verb[a] == Verb.ELECTION:
            push(state, Step.ELECTION, NOBODY, action - OFFICE)
        else:
            give_office(state, action - OFFICE, seat)
    elif step == Step.PICK_VOCATION:
        pick_vocation(t, state, a, seat, action - VOCATION)
    elif step == Step.FREE_CARD:
        do_take_planning(state, seat, action - PLANNING)
    else:
        discard(state, seat, a, b, action - PERMIT)


@kernel
def pick_vocation(t: State, state: State, e: int, seat: int, vocation: int) -> None:
    """Take a marker of the vocation, or let all score it."""
    if t.verb[e] == Verb.VOCATION:
        take_vocation(state, seat, vocation)
    else:
        score_vocation(state, int(state.active), vocation, int(t.amount[e]), False)


@kernel
def discard(state: State, seat: int, e: int, left: int, kind: int) -> None:
    """Discard a planning card, then the next one."""
    state.hand[seat, kind] -= 1
    state.planning_discards[kind] += 1
    held = 0
    for other in range(NUM_KINDS):
        held += int(state.hand[seat, other])
    if left > 1 and held > 0:
        push(state, Step.DISCARD, seat, e, left - 1)


@kernel
def play_simple(t: State, state: State, step: int, seat: int, action: int) -> None:
    """Answer a question that needs no look at the city."""
    a, b = top(state, A), top(state, B)
    if step == Step.MARKER_GAIN:
        do_marker_gain(state, seat, action - GAIN)
        return
    if step == Step.UNIT:
        do_move_unit(t, state, seat, action - GAIN)
        return
    if step == Step.BID and action != DECLINE:
        do_bid(state, seat, action - AMOUNT + 1)
        return
    pop(state)
    if step == Step.SAVE:
        if action == YES:
            take_up_to(state, seat, int(t.save_what[a]), int(t.save_amount[a]))
        else:
            strike(t, state, a, b)
    elif step == Step.ACCEPT:
        do_accept(t, state, a, seat, action == YES)
    elif step == Step.PICK_ROW:
        state.asked_row = action - OPTION
    elif step == Step.PICK_ZONE:
        state.asked_zone = action - ZONE
    elif step == Step.PLACE_ZONE:
        push(state, Step.PLACE, seat, a, action - ZONE)
    elif step == Step.OPTION:
        push(state, Step.EFFECTS, seat, int(t.then_first[a]) + action - OPTION, 1)


@kernel
def play(tables: Tables, games: Games, g: int, action: int) -> None:
    """Carry out a legal action and go on to the next decision."""
    t, state = tables[0], games[g]
    seat, step = int(state.to_play), top(state, STEP)
    state.ply += 1
    if step == Step.MAIN:
        do_main(t, state, seat, action)
    elif step == Step.PERMITS:
        do_pay_permit(t, state, seat, action - PERMIT)
    elif asks_in_city(step):
        play_in_city(t, state, step, seat, action - SITE)
    elif asks_seat(step):
        play_seat(t, state, step, seat, action)
    elif asks_pick(step):
        play_pick(t, state, step, seat, action)
    else:
        play_simple(t, state, step, seat, action)
    advance(t, state)


@kernel
def scores(tables: Tables, games: Games, g: int, out: Ints) -> None:
    """Write everybody's points, as if the game stopped now (US 6.12)."""
    write_scores(tables[0], games[g], out)


@kernel
def standings(tables: Tables, games: Games, g: int, out: Ints) -> None:
    """Write the points with the tie-break, wealth, folded in (US 6.12)."""
    state = games[g]
    write_scores(tables[0], state, out)
    for seat in range(state.num_seats):
        out[seat] = out[seat] * POINT + int(state.wealth[seat])


@kernel
def redeal_hidden(tables: Tables, games: Games, g: int, seed: int, seat: int) -> None:
    """Resample the face-down cards, which no seat knows, and all chance to come."""
    seed_state(games[g], seed)
    redeal(tables[0], games[g])
