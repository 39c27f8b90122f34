"""Lines, values, payouts and the markers on grey spaces (US §1, §2, 6.7)."""

from __future__ import annotations

from sprawl_env.games.urban_sprawl.constants import (
    FIRST_DOUBLE_ROW,
    FIRST_GREY,
    MOST_VALUE,
    NO_GREY,
    NO_LINE,
    NO_MARKER,
    NUM_BLOCKS,
    NUM_COLUMNS,
    NUM_DOUBLE_ROWS,
    NUM_GREYS,
    NUM_LINES,
    NUM_TOP_GREYS,
    NUM_WEALTH_MARKERS,
    PRESTIGE,
    SIDE,
    WEALTH,
)
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.kernels.bits import count_bits
from sprawl_env.kernels.compile import kernel


@kernel
def in_line(line: int, block: int) -> bool:
    """Does the line run through the block?"""
    row, column = block // SIDE, block % SIDE
    if line < FIRST_DOUBLE_ROW:
        return bool(column == line)
    if line < FIRST_GREY:
        return bool(row // 2 == line - FIRST_DOUBLE_ROW)
    if line < FIRST_GREY + NUM_TOP_GREYS:
        return bool(column // 2 == line - FIRST_GREY)
    return bool(row == line - FIRST_GREY - NUM_TOP_GREYS)


@kernel
def line_money(state: State, line: int) -> int:
    """Return whether a line with a number pays WEALTH or PRESTIGE."""
    if line < FIRST_DOUBLE_ROW:
        return WEALTH
    if line < FIRST_GREY:
        return PRESTIGE
    return WEALTH if state.marker_at[line - FIRST_GREY] < NUM_WEALTH_MARKERS else PRESTIGE


@kernel
def line_number(t: Table, state: State, line: int) -> int:
    """Return the number of a line, 0 if it has none."""
    if line < FIRST_DOUBLE_ROW:
        return int(t.column_number[line])
    if line < FIRST_GREY:
        return int(t.row_number[line - FIRST_DOUBLE_ROW])
    marker = int(state.marker_at[line - FIRST_GREY])
    return 0 if marker == NO_MARKER else int(t.marker_number[marker])


@kernel
def line_with(t: Table, state: State, money: int, number: int) -> int:
    """Return the line of a wealth or prestige number, NO_LINE if it is not on the board."""
    for line in range(NUM_LINES):
        if line_number(t, state, line) == number and line_money(state, line) == money:
            return line
    return NO_LINE


@kernel
def highest_line(t: Table, state: State, money: int) -> int:
    """Return the line of the highest wealth or prestige number on the board."""
    best, highest = NO_LINE, 0
    for line in range(NUM_LINES):
        number = line_number(t, state, line)
        if number > highest and line_money(state, line) == money:
            best, highest = line, number
    return best


@kernel
def revalue(t: Table, state: State) -> None:
    """Recompute the value of every block (US §1)."""
    state.worth_up_to[:] = 0
    for block in range(NUM_BLOCKS):
        row, column = block // SIDE, block % SIDE
        value = int(t.column_number[column]) + int(t.row_number[row // 2])
        value += line_number(t, state, FIRST_GREY + column // 2)
        value += line_number(t, state, FIRST_GREY + NUM_TOP_GREYS + row)
        value = min(value, MOST_VALUE)
        state.value[block] = value
        state.worth_up_to[value] |= 1 << block
    for value in range(MOST_VALUE):
        state.worth_up_to[value + 1] |= state.worth_up_to[value]


@kernel
def grey_of(state: State, marker: int) -> int:
    """Return the grey space of a marker, NO_GREY if it is in the supply."""
    for grey in range(NUM_GREYS):
        if state.marker_at[grey] == marker:
            return grey
    return NO_GREY


@kernel
def empty_greys(state: State) -> int:
    """Return the number of empty grey spaces."""
    count = 0
    for grey in range(NUM_GREYS):
        count += state.marker_at[grey] == NO_MARKER
    return count


@kernel
def do_put_marker(t: Table, state: State, marker: int, grey: int) -> None:
    """Put a new marker on an empty grey space, or move it there (US 6.7)."""
    old = grey_of(state, marker)
    if old != NO_GREY:
        state.marker_at[old] = NO_MARKER
    state.marker_at[grey] = marker
    revalue(t, state)


# ---------------------------------------------------------------------------------- payouts (§2)


@kernel
def buildings_in_line(state: State, line: int, seat: int) -> int:
    """Return how many buildings a seat controls in a line, parks included."""
    if line < FIRST_DOUBLE_ROW:
        return int(state.in_column[seat, line])
    if line < FIRST_GREY:
        row = 2 * (line - NUM_COLUMNS)
        return int(state.in_row[seat, row]) + int(state.in_row[seat, row + 1])
    if line < FIRST_GREY + NUM_TOP_GREYS:
        column = 2 * (line - NUM_COLUMNS - NUM_DOUBLE_ROWS)
        return int(state.in_column[seat, column]) + int(state.in_column[seat, column + 1])
    return int(state.in_row[seat, line - FIRST_GREY - NUM_TOP_GREYS])


@kernel
def share_of_line(t: Table, state: State, line: int, seat: int) -> int:
    """Return what a line pays to a seat; tied seats share, rounded down (US §2, ruling U2)."""
    own = buildings_in_line(state, line, seat)
    if own == 0:
        return 0
    before = tied = 0
    for other in range(state.num_seats):
        theirs = buildings_in_line(state, line, other)
        before += theirs > own
        tied += theirs == own
    number = line_number(t, state, line)
    pot = 0
    for place in range(before, before + tied):
        pot += int(t.places[number, place])
    return pot // tied


@kernel
def pay_line(t: Table, state: State, line: int) -> None:
    """Pay a line to all seats."""
    money = line_money(state, line)
    for seat in range(state.num_seats):
        share = share_of_line(t, state, line, seat)
        if money == WEALTH:
            state.wealth[seat] += share
        else:
            state.prestige[seat] += share


@kernel
def pay_number(t: Table, state: State, money: int, number: int) -> None:
    """Pay the line with a number, if the number is on the board."""
    line = line_with(t, state, money, number)
    if line != NO_LINE:
        pay_line(t, state, line)


# ---------------------------------------------------------------------------------- sets of seats


@kernel
def all_seats(state: State) -> int:
    """Return the set of all seats."""
    return (1 << int(state.num_seats)) - 1


@kernel
def only_seat(seats: int) -> bool:
    """Does the set hold exactly one seat?"""
    return count_bits(seats) == 1


@kernel
def extreme_seats(state: State, money: int, highest: bool) -> int:
    """Return the seats with the most, or the least, wealth or prestige."""
    best, seats = 0, 0
    for seat in range(state.num_seats):
        own = int(state.wealth[seat]) if money == WEALTH else int(state.prestige[seat])
        own = own if highest else -own
        if seats == 0 or own > best:
            best, seats = own, 1 << seat
        elif own == best:
            seats |= 1 << seat
    return seats
