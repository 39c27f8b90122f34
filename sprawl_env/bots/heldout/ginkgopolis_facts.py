"""What a player of *Ginkgopolis* counts before a move: rounds to come, gains, prices."""

from __future__ import annotations

from typing import Final

from sprawl_env.games.ginkgopolis.constants import (
    NO_SITE,
    NO_TILE,
    NUM_COLOURS,
    NUM_GAINS,
    NUM_LETTERS,
    NUMBERS,
    Act,
    Count,
    Gain,
)
from sprawl_env.games.ginkgopolis.rules.act import (
    colour_of,
    may_construct,
    may_urbanize,
    price_in_points,
    price_in_resources,
)
from sprawl_env.games.ginkgopolis.rules.city import beside_cell
from sprawl_env.games.ginkgopolis.rules.scoring import num_sides, value_of_card
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.kernels.compile import kernel

TILES_A_ROUND: Final = 1.25  # that a seat takes from the supply
RETURNED: Final = 3.0  # rounds that the returned tiles last
RESOURCES_A_ROUND: Final = 1.5  # that a seat builds with
MOST_ROUNDS: Final = 15.0
SIDES_OF_A_CELL: Final = 4


@kernel
def rounds_to_come(state: State) -> float:
    """Return about how many rounds are left: tiles or a seat's resources run out."""
    if state.ending:
        return 0.0
    sides = num_sides(state)
    rounds = int(state.supply_size) / (TILES_A_ROUND * sides)
    if state.run_outs == 0 and state.num_seats > 1:
        rounds += RETURNED
    for seat in range(sides):
        left = int(state.resources[seat]) + int(state.stock[seat])
        rounds = min(rounds, left / RESOURCES_A_ROUND)
    return min(rounds, MOST_ROUNDS)


@kernel
def act_of(state: State, seat: int, card: int, tile: int) -> int:
    """Return the Act that a card, with a tile or NO_TILE, would be now (G2, G15)."""
    if card < NUM_LETTERS:
        built = tile != NO_TILE and may_urbanize(state, seat)
        return Act.URBANIZE if built else Act.EXPLOIT
    if tile != NO_TILE and may_construct(state, seat, tile, card - NUM_LETTERS):
        return Act.CONSTRUCT
    return Act.EXPLOIT


@kernel
def levels_beside(state: State, letter: int, colour: int) -> int:
    """Return the levels of a colour's buildings next to the cell of a marker."""
    levels = 0
    for k in range(SIDES_OF_A_CELL):
        site = beside_cell(state, int(state.marker[letter]), k)
        if site != NO_SITE and colour_of(int(state.site_tile[site])) == colour:
            levels += int(state.levels[site])
    return levels


@kernel
def gain_of(state: State, seat: int, card: int, act: int, gain: int) -> int:
    """Return what an act with a card gains of one Gain; what a lone letter may take is left out."""
    total = int(state.bonus[seat, act, gain])
    if act == Act.URBANIZE:
        total += levels_beside(state, card, gain)
    elif act == Act.EXPLOIT and card >= NUM_LETTERS and colour_of(card - NUM_LETTERS) == gain:
        total += int(state.levels[state.site_of[card - NUM_LETTERS]])
    return min(total, int(state.stock[seat])) if gain == Gain.RESOURCE else total


@kernel
def price_of(state: State, seat: int, card: int, tile: int, act: int, gain: int) -> int:
    """Return what an act costs of one Gain, less resources that come back to the seat."""
    if act == Act.EXPLOIT:
        return 0
    if gain == Gain.TILE:
        return 1
    if act == Act.URBANIZE:
        return int(gain == Gain.RESOURCE)
    covered = card - NUM_LETTERS
    if gain == Gain.POINT:
        return price_in_points(tile, covered)
    site = int(state.site_of[covered])
    back = int(state.levels[site]) if state.owner[site] == seat else 0
    return price_in_resources(state, tile, covered) - back


@kernel
def promise_of(t: Table, state: State, seat: int, tile: int) -> float:
    """Return the points that a building card promises a seat that keeps it now."""
    if t.card_counts[tile] == Count.NOTHING:
        bonus = 0
        for gain in range(NUM_GAINS):
            bonus += int(t.card_gain[tile, gain])
        return bonus * rounds_to_come(state) / NUM_COLOURS
    own = t.card_counts[tile] == Count.CARDS_OF_COLOUR
    return value_of_card(t, state, seat, tile) + (int(t.card_points[tile]) if own else 0)


@kernel
def number_of(tile: int) -> int:
    """Return a tile's number, 1..20."""
    return tile % NUMBERS + 1
