"""The final score (GK §1, G7, G10, G14, G18, G19)."""

from __future__ import annotations

from typing import Final

from sprawl_env.games.ginkgopolis.constants import NO_SITE, NUMBERS, Count
from sprawl_env.games.ginkgopolis.rules.act import colour_of
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.kernels.arrays import Ints
from sprawl_env.kernels.bits import lowest
from sprawl_env.kernels.compile import kernel

# A rating compares resources, then the tallest building, then that building's number.
RATED_RESOURCE: Final = 10_000
_LEVEL: Final = 100


@kernel
def num_sides(state: State) -> int:
    """Return how many sides are scored: the seats; solo the seat and Hal."""
    return max(int(state.num_seats), 2)


@kernel
def buildings_of_colour(t: Table, state: State, seat: int, colour: int) -> int:
    """Return the seat's buildings of a colour, or their levels (cards 10 to 13)."""
    count = 0
    for site in range(state.num_sites):
        if state.owner[site] == seat and colour_of(int(state.site_tile[site])) == colour:
            count += int(state.levels[site]) if t.colour_per_level else 1
    return count


@kernel
def buildings_of_height(t: Table, state: State, seat: int, tall: bool) -> int:
    """Return how many low or tall buildings the seat owns (cards 14 and 15)."""
    count = 0
    for site in range(state.num_sites):
        if state.owner[site] == seat and (state.levels[site] > t.low_levels) == tall:
            count += 1
    return count


@kernel
def value_of_card(t: Table, state: State, seat: int, card: int) -> int:
    """Return the points for one card in front of a seat (GK §1)."""
    counts = t.card_counts[card]
    each = int(t.card_points[card])
    if counts == Count.BUILDINGS_OF_COLOUR:
        return each * buildings_of_colour(t, state, seat, t.card_colour[card])
    if counts == Count.LOW_BUILDINGS:
        return each * buildings_of_height(t, state, seat, False)
    if counts == Count.TALL_BUILDINGS:
        return each * buildings_of_height(t, state, seat, True)
    if counts == Count.CARDS_OF_ACT:
        return each * int(state.with_act[seat, t.card_act[card]])
    if counts == Count.CARDS_OF_COLOUR:
        return each * int(state.with_colour[seat, colour_of(card)])
    return each if counts == Count.FLAT else 0


@kernel
def points_of(t: Table, state: State, seat: int) -> int:
    """Return a seat's points, with tokens and cards, without the districts."""
    points = int(state.points[seat]) + int(state.tokens[seat]) * int(t.token_points)
    cards = int(state.kept[seat])
    while cards:
        points += value_of_card(t, state, seat, lowest(cards))
        cards &= cards - 1
    return points


@kernel
def district_of(state: State, start: int) -> int:
    """Return the set of sites joined to one by orthogonal steps through its colour."""
    colour = colour_of(int(state.site_tile[start]))
    district = 1 << start
    left = district
    while left:
        site = lowest(left)
        left &= left - 1
        for direction in range(0, 8, 2):
            other = int(state.around[site, direction])
            if other == NO_SITE or (district >> other) & 1:
                continue
            if colour_of(int(state.site_tile[other])) == colour:
                district |= 1 << other
                left |= 1 << other
    return district


@kernel
def rating_in(state: State, district: int, seat: int) -> int:
    """Return a seat's resources in a district, combined with the tie-breaks; 0 if none (G10)."""
    resources, tallest = 0, 0
    while district:
        site = lowest(district)
        district &= district - 1
        if state.owner[site] == seat:
            levels = int(state.levels[site])
            resources += levels
            tallest = max(tallest, levels * _LEVEL + int(state.site_tile[site]) % NUMBERS)
    return resources * RATED_RESOURCE + tallest


@kernel
def score_district(state: State, district: int, out: Ints) -> None:
    """Give the district's total to the first seat, its own count to the second (G10)."""
    total, first, second = 0, 0, 0
    winner, runner_up = 0, 0
    for seat in range(num_sides(state)):
        rating = rating_in(state, district, seat)
        total += rating // RATED_RESOURCE
        if rating > first:
            second, runner_up = first, winner
            first, winner = rating, seat
        elif rating > second:
            second, runner_up = rating, seat
    if first == 0:
        return
    out[winner] += total
    if second == 0:
        runner_up, second = winner, first
    out[runner_up] += second // RATED_RESOURCE


@kernel
def score_districts(state: State, out: Ints) -> None:
    """Score every district: at least two adjacent buildings of one colour (G10, G14)."""
    left = (1 << int(state.num_sites)) - 1
    while left:
        district = district_of(state, lowest(left))
        left &= ~district
        if district & (district - 1):
            score_district(state, district, out)


@kernel
def write_scores(t: Table, state: State, out: Ints) -> None:
    """Write the points of all sides as if the game were scored now."""
    for seat in range(num_sides(state)):
        out[seat] = points_of(t, state, seat)
    score_districts(state, out)
