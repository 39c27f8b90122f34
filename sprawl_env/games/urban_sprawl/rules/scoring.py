"""Scoring at the end: prestige lines, wealth, politicians (US 6.12)."""

from __future__ import annotations

from sprawl_env.games.urban_sprawl.constants import (
    ATTORNEY,
    BOSS,
    MAYOR,
    NO_LOT,
    NUM_LINES,
    PARK,
    PRESTIGE,
)
from sprawl_env.games.urban_sprawl.rules.board import beside_park, count_zone, next_building
from sprawl_env.games.urban_sprawl.rules.elections import ZONE_OF
from sprawl_env.games.urban_sprawl.rules.lines import line_money, line_number, share_of_line
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.kernels.arrays import Ints
from sprawl_env.kernels.compile import kernel


@kernel
def prestige_lines(t: Table, state: State, seat: int) -> int:
    """Return what all prestige lines on the board pay to a seat."""
    total = 0
    for line in range(NUM_LINES):
        if line_number(t, state, line) and line_money(state, line) == PRESTIGE:
            total += share_of_line(t, state, line, seat)
    return total


@kernel
def buildings_beside_parks(state: State, seat: int) -> int:
    """Return how many buildings of a seat touch a park, not counting parks."""
    count = 0
    lot, rest = next_building(state, NO_LOT, 0)
    while lot != NO_LOT:
        if state.owner[lot] == seat and state.zone[lot] != PARK:
            count += beside_park(state, lot)
        lot, rest = next_building(state, lot, rest)
    return count


@kernel
def office_bonus(state: State, seat: int) -> int:
    """Return a seat's bonuses for the politicians it holds."""
    bonus = 0
    if state.office[MAYOR] == seat:
        bonus += buildings_beside_parks(state, seat)
    for office in range(ATTORNEY, BOSS + 1):
        if state.office[office] == seat:
            bonus += count_zone(state, ZONE_OF[office])
    return bonus


@kernel
def write_scores(t: Table, state: State, out: Ints) -> None:
    """Write every seat's score as if the game ended now."""
    for seat in range(state.num_seats):
        out[seat] = (
            int(state.prestige[seat])
            + prestige_lines(t, state, seat)
            + int(state.wealth[seat]) // int(t.wealth_a_point)
            + office_bonus(state, seat)
        )
