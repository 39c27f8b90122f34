"""What a player of *Urban Sprawl* counts before a move: time left, lines, sites, permits."""

from __future__ import annotations

from typing import Final

from sprawl_env.games.urban_sprawl.constants import (
    ATTORNEY,
    DECK_CARDS,
    FIRST_DOUBLE_ROW,
    FIRST_GREY,
    NUM_DECKS,
    NUM_TOP_GREYS,
    NUM_VOCATIONS,
    SIDE,
)
from sprawl_env.games.urban_sprawl.rules.build import neighbours_of_zone
from sprawl_env.games.urban_sprawl.rules.lines import line_number, share_of_line
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.tables import Table
from sprawl_env.kernels.compile import kernel

LINES_OF_A_BLOCK: Final = 4
NEVER_DRAWN: Final = 18  # contracts below the card that ends the game, about


@kernel
def share_to_come(state: State) -> float:
    """Return the share of the contracts that will still be revealed, about; 1 at the start."""
    left = -NEVER_DRAWN
    for deck in range(NUM_DECKS):
        left += int(state.deck_size[deck])
    return max(left, 0) / (NUM_DECKS * DECK_CARDS - NEVER_DRAWN)


@kernel
def line_of_block(block: int, k: int) -> int:
    """Return the ``k``-th line through a block: its column, double row and two grey spaces."""
    row, column = block // SIDE, block % SIDE
    if k == 0:
        return column
    if k == 1:
        return FIRST_DOUBLE_ROW + row // 2
    if k == 2:  # noqa: PLR2004
        return FIRST_GREY + column // 2
    return FIRST_GREY + NUM_TOP_GREYS + row


@kernel
def count_here(state: State, seat: int, block: int, change: int) -> None:
    """Add a number of buildings of a seat to the counts of a block's row and column."""
    state.in_row[seat, block // SIDE] += change
    state.in_column[seat, block % SIDE] += change


@kernel
def share_gained(t: Table, state: State, seat: int, line: int, block: int) -> int:
    """Return how much more a line with a number would pay for one more building in a block."""
    if line_number(t, state, line) == 0:
        return 0
    before = share_of_line(t, state, line, seat)
    count_here(state, seat, block, 1)
    after = share_of_line(t, state, line, seat)
    count_here(state, seat, block, -1)
    return after - before


@kernel
def bonus_of_site(t: Table, state: State, seat: int, card: int, block: int, shape: int) -> int:
    """Return the neighbourhood bonus of a footprint, doubled where the Attorney's is."""
    bonus = neighbours_of_zone(state, block, shape, int(t.card_zone[card]), -1)
    return 2 * bonus if state.contracts_built == 0 and state.office[ATTORNEY] == seat else bonus


@kernel
def markers_of(state: State, seat: int) -> int:
    """Return how many vocation markers a seat holds."""
    held = 0
    for vocation in range(NUM_VOCATIONS):
        held += int(state.vocations[seat, vocation])
    return held
