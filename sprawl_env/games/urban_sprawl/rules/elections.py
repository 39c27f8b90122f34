"""Elections of the politicians and the Contractor (US 6.9)."""

from __future__ import annotations

from sprawl_env.core.state import NOBODY
from sprawl_env.games.urban_sprawl.constants import (
    ALL_CORNERS,
    BOSS,
    CONTRACTOR,
    CORNERS,
    MAYOR,
    MEDIA,
    NO_LOT,
    NUM_BLOCKS,
    NUM_VOCATIONS,
    PARK,
    PRESTIGE,
    Power,
)
from sprawl_env.games.urban_sprawl.rules.board import holds_power, next_building
from sprawl_env.games.urban_sprawl.rules.lines import extreme_seats, only_seat
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.steps import (
    Step,
)
from sprawl_env.games.urban_sprawl.tables import MAYORS_PARK, Table
from sprawl_env.kernels.agenda import pop, push, top
from sprawl_env.kernels.bits import lowest
from sprawl_env.kernels.compile import kernel

ZONE_OF = (0, 0, 1, 3, 2)  # by office (Mayor: unused): CIV, COM, RES, IND


@kernel
def is_in_play(state: State, office: int) -> bool:
    """Has the office come into play?"""
    return bool(int(state.in_play) >> office & 1)


@kernel
def media_holder(state: State) -> int:
    """Return the seat that holds MEDIA, NOBODY if none does."""
    for seat in range(state.num_seats):
        if state.vocations[seat, MEDIA] > 0:
            return seat
    return NOBODY


@kernel
def strength(state: State, office: int, seat: int) -> int:
    """Return what an election compares first: vocations or the value of the best building."""
    if office == MAYOR:
        markers = 0
        for vocation in range(NUM_VOCATIONS):
            markers += int(state.vocations[seat, vocation])
        return markers
    highest = 0
    lot, rest = next_building(state, NO_LOT, 0)
    while lot != NO_LOT:
        counts = (state.owner[lot] == seat) & (state.zone[lot] == ZONE_OF[office])
        highest = max(highest, int(state.value[lot // CORNERS]) * int(counts))
        lot, rest = next_building(state, lot, rest)
    return highest


@kernel
def leaders(state: State, office: int) -> int:
    """Return the seats with the highest strength, empty if nobody qualifies (ruling U6)."""
    best, seats = 1, 0
    for seat in range(state.num_seats):
        own = strength(state, office, seat)
        if own > best:
            best, seats = own, 1 << seat
        elif own == best:
            seats |= 1 << seat
    return seats


@kernel
def court_holders(state: State, seats: int) -> int:
    """Return the tied seats that win ties by a lasting effect (ruling U24)."""
    found = 0
    for seat in range(state.num_seats):
        if seats >> seat & 1 and holds_power(state, seat, Power.WINS_TIES):
            found |= 1 << seat
    return found


@kernel
def with_most_buildings(state: State, office: int, seats: int) -> int:
    """Return the tied seats that control the most buildings of the office's zone."""
    best, found = -1, 0
    for seat in range(state.num_seats):
        if not seats >> seat & 1:
            continue
        own = int(state.controls[seat, ZONE_OF[office]])
        if own > best:
            best, found = own, 1 << seat
        elif own == best:
            found |= 1 << seat
    return found


@kernel
def tie_breaking_office(office: int) -> int:
    """Return the office whose holder decides ties in the election of another than the Mayor."""
    return BOSS if office == CONTRACTOR else office - 1


@kernel
def tie_breaker(state: State, office: int) -> int:
    """Return the seat that decides a tie; the active player if the office is vacant (U6)."""
    if office == MAYOR:
        decides = media_holder(state)
    else:
        decides = int(state.office[tie_breaking_office(office)])
    return int(state.active) if decides == NOBODY else decides


@kernel
def push_winner(state: State, office: int, seats: int) -> None:
    """Queue the decision that breaks a tie."""
    entry = push(state, Step.WINNER, tie_breaker(state, office))
    entry.office = office
    entry.seats = seats


@kernel
def push_place(state: State, seat: int, e: int, zone: int) -> None:
    """Queue the choice of the footprint of a building to place."""
    entry = push(state, Step.PLACE, seat)
    entry.effect = e
    entry.zone = zone


@kernel
def election(t: Table, state: State) -> None:
    """Hold an election: winner, Mayor's park, Contractor (rulings U6, U30)."""
    office = int(top(state).office)
    pop(state)
    if not is_in_play(state, office):
        return
    push(state, Step.ASSIGN, NOBODY)
    seats = leaders(state, office)
    if seats and not only_seat(seats):
        court = court_holders(state, seats)
        seats = court if court else seats
        if not only_seat(seats) and office != MAYOR:
            seats = with_most_buildings(state, office, seats)
    if seats == 0:
        return
    if only_seat(seats):
        do_elect(state, office, lowest(seats))
    else:
        push_winner(state, office, seats)


@kernel
def do_elect(state: State, office: int, seat: int) -> None:
    """Give the office to the winner; a new Mayor places a park."""
    state.office[office] = seat
    if office == MAYOR and may_place_park(state):
        push_place(state, seat, MAYORS_PARK, PARK)


@kernel
def give_office(state: State, office: int, seat: int) -> None:
    """Give an office in play without an election (ruling U30)."""
    if is_in_play(state, office):
        state.office[office] = seat


@kernel
def may_place_park(state: State) -> bool:
    """Is there a 1-lot park tile and an empty lot (ruling U30)?"""
    if state.tiles[PARK, 0] == 0:
        return False
    for block in range(NUM_BLOCKS):
        if state.occupied[block] != ALL_CORNERS:
            return True
    return False


@kernel
def assign_contractor(state: State) -> None:
    """Give the Contractor, if in play, to the seat of the lowest prestige (US 6.9)."""
    pop(state)
    if not is_in_play(state, CONTRACTOR):
        return
    seats = extreme_seats(state, PRESTIGE, False)
    if only_seat(seats):
        state.office[CONTRACTOR] = lowest(seats)
    else:
        push_winner(state, CONTRACTOR, seats)
