"""Lines, markers, offices, planning cards and vocations picked for an effect (US §7)."""

from __future__ import annotations

from sprawl_env.core.state import NOBODY
from sprawl_env.games.urban_sprawl.actions import LINE, MARKER, OFFICE, PERMIT, PLANNING, VOCATION
from sprawl_env.games.urban_sprawl.constants import (
    CORNERS,
    EITHER,
    FIRST_GREY,
    NO_GREY,
    NO_KIND,
    NO_MARKER,
    NUM_GREYS,
    NUM_KINDS,
    NUM_LINES,
    NUM_MARKERS,
    NUM_OFFICES,
    NUM_POLITICIANS,
    NUM_VOCATIONS,
    NUM_WEALTH_MARKERS,
    PLANNING_TOP,
    WEALTH,
)
from sprawl_env.games.urban_sprawl.effect_verbs import Verb
from sprawl_env.games.urban_sprawl.rules.elections import give_office, is_in_play
from sprawl_env.games.urban_sprawl.rules.lines import (
    do_put_marker,
    empty_greys,
    grey_of,
    in_line,
    line_number,
    pay_line,
)
from sprawl_env.games.urban_sprawl.rules.turn import do_take_planning
from sprawl_env.games.urban_sprawl.rules.vocations import (
    opponents_with,
    score_vocation,
    take_vocation,
)
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import (
    Step,
)
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.games.urban_sprawl.vocabulary import (
    CHOSEN_VOCATION,
    MarkerChoice,
)
from sprawl_env.kernels.agenda import pop, push, top
from sprawl_env.kernels.arrays import Mask
from sprawl_env.kernels.compile import kernel

# ------------------------------------------------------------------- a line to be paid (ruling U22)


@kernel
def is_paid_line(t: Table, state: State, line: int) -> bool:
    """Has the line a number, and does it run through this block (ruling U22)?"""
    return bool(line_number(t, state, line) and in_line(line, int(state.lot) // CORNERS))


# ------------------------------------------------------------------ markers on grey spaces (US 6.7)


@kernel
def marker_fits(t: Table, state: State, e: int, marker: int) -> bool:
    """May the marker be picked: a new one from the supply, one on the board to move?"""
    effect = t.effects[e]
    on_board = grey_of(state, marker) != NO_GREY
    wealth = marker < NUM_WEALTH_MARKERS
    money = effect.what
    fits = money == EITHER or (money == WEALTH) == wealth
    return bool(fits and on_board == (effect.verb == Verb.MOVE_MARKER))


@kernel
def marker_meant(t: Table, state: State, e: int) -> int:
    """Return the named, lowest or highest marker of the supply, NO_MARKER if there is none."""
    effect = t.effects[e]
    best = NO_MARKER
    for marker in range(NUM_MARKERS):
        if not marker_fits(t, state, e, marker):
            continue
        if effect.marker == MarkerChoice.NAMED:
            if t.marker_number[marker] == effect.printed_number:
                return marker
        elif best == NO_MARKER:
            best = marker
        else:
            higher = t.marker_number[marker] > t.marker_number[best]
            if higher == (effect.marker == MarkerChoice.HIGHEST):
                best = marker
    return best


@kernel
def picks_marker(t: Table, e: int) -> bool:
    """Does the seat that decides pick the marker?"""
    effect = t.effects[e]
    chosen = effect.marker == MarkerChoice.CHOSEN
    return bool(chosen or effect.verb == Verb.MOVE_MARKER)


@kernel
def count_marker_choices(t: Table, state: State, e: int) -> int:
    """Return the number of markers to pick from, or of grey spaces for the one named."""
    greys = empty_greys(state)
    if greys == 0:
        return 0
    if not picks_marker(t, e):
        return greys if marker_meant(t, state, e) != NO_MARKER else 0
    count = 0
    for marker in range(NUM_MARKERS):
        count += marker_fits(t, state, e, marker)
    return count


@kernel
def begin_marker(t: Table, state: State, e: int, seat: int) -> None:
    """Queue the decision about the marker, or about its grey space if the marker is fixed."""
    if picks_marker(t, e):
        push(state, Step.PICK_MARKER, seat).effect = e
    else:
        push(state, Step.GREY, seat).marker = marker_meant(t, state, e)


# --------------------------------------------------------- offices to elect or to give (ruling U30)


@kernel
def office_fits(t: Table, state: State, e: int, seat: int, office: int) -> bool:
    """May the office be picked: a politician to elect, or one that the seat does not hold?"""
    if not is_in_play(state, office):
        return False
    if t.effects[e].verb == Verb.ELECTION:
        return office < NUM_POLITICIANS
    return bool(state.office[office] != seat)


@kernel
def count_offices(t: Table, state: State, e: int, seat: int) -> int:
    """Return the number of offices to pick from."""
    count = 0
    for office in range(NUM_OFFICES):
        count += office_fits(t, state, e, seat, office)
    return count


# ----------------------------------------------------- planning cards to take or to discard (US §7)


@kernel
def count_cards(t: Table, state: State, e: int, seat: int) -> int:
    """Return the number of planning cards to take, or of kinds to discard."""
    count = 0
    if t.effects[e].verb == Verb.FREE_CARD:
        for space in range(PLANNING_TOP + 1):
            count += state.planning[space] != NO_KIND
    else:
        for kind in range(NUM_KINDS):
            count += state.hand[seat, kind] > 0
    return count


@kernel
def push_discard(state: State, seat: int, e: int, left: int) -> None:
    """Queue the decision about the next of ``left`` planning cards to discard."""
    entry = push(state, Step.DISCARD, seat)
    entry.effect = e
    entry.left = left


@kernel
def discard(state: State, seat: int, e: int, left: int, kind: int) -> None:
    """Discard a planning card, then decide about the next one."""
    state.hand[seat, kind] -= 1
    state.planning_discards[kind] += 1
    held = 0
    for other in range(NUM_KINDS):
        held += int(state.hand[seat, other])
    if left > 1 and held > 0:
        push_discard(state, seat, e, left - 1)


# ----------------------------------------------- vocations to take or to score (US 6.5, ruling U17)


@kernel
def vocation_fits(t: Table, state: State, e: int, seat: int, vocation: int) -> bool:
    """May the vocation be picked: one that can be taken, or one held by a seat to score?"""
    held = opponents_with(state, seat, vocation)
    if t.effects[e].verb == Verb.VOCATION:
        return bool(state.vocations_left[vocation] > 0 or held)
    return bool(held or state.vocations[seat, vocation] > 0)


@kernel
def count_vocations(t: Table, state: State, e: int, seat: int) -> int:
    """Return the number of vocations to pick from, or of ways to take the named one."""
    named = int(t.effects[e].vocation)
    count = 0
    if named == CHOSEN_VOCATION:
        for vocation in range(NUM_VOCATIONS):
            count += vocation_fits(t, state, e, seat, vocation)
        return count
    if state.vocations_left[named] > 0:
        return 1
    seats = opponents_with(state, seat, named)
    if seats == 0:
        return 0
    for other in range(state.num_seats):
        count += seats >> other & 1
    return count + 1


@kernel
def begin_vocation(t: Table, state: State, e: int, seat: int) -> None:
    """Queue the decision about the vocation, or take the one named."""
    effect = t.effects[e]
    if effect.vocation == CHOSEN_VOCATION:
        push(state, Step.PICK_VOCATION, seat).effect = e
    else:
        take_vocation(state, seat, int(effect.vocation))


@kernel
def pick_vocation(t: Table, state: State, e: int, seat: int, vocation: int) -> None:
    """Take a marker of the vocation, or let all seats score it."""
    effect = t.effects[e]
    if effect.verb == Verb.VOCATION:
        take_vocation(state, seat, vocation)
    else:
        score_vocation(state, int(state.active), vocation, int(effect.amount), False)


# ------------------------------------------------------------------------------------- decisions


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
    elif step == Step.FREE_CARD:
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
    elif step == Step.DISCARD:
        discard(state, seat, e, left, action - PERMIT)
