"""The four decisions of *Tower Up*: what each marks as legal and what its actions do (TU §4, §9).

``mark_*`` writes the mask, ``do_*`` carries out the action.  The conditions (``may_*``) and the
parts that the actions share are in ``take.py`` and ``build.py``.
"""

from __future__ import annotations

from sprawl_env.games.tower_up.actions import BUILD, CHOOSE, RETURN, ROOF, TAKE
from sprawl_env.games.tower_up.constants import (
    MARKET_SIZE,
    NO_CARD,
    NO_COLOUR,
    NUM_COLOURS,
    EndCause,
    Step,
)
from sprawl_env.games.tower_up.rules.build import may_build_colour, may_pay, may_roof, put_roof
from sprawl_env.games.tower_up.rules.objectives import claim_objectives
from sprawl_env.games.tower_up.rules.setup import add_floor, put_building
from sprawl_env.games.tower_up.rules.take import (
    may_choose_floor,
    move_marker,
    take_printed_floors,
    trigger_end,
)
from sprawl_env.games.tower_up.state import State
from sprawl_env.games.tower_up.tables import Table
from sprawl_env.kernels.agenda import pop, push
from sprawl_env.kernels.arrays import Mask
from sprawl_env.kernels.compile import kernel

# Step.TURN: take a card or build (TU §4) ----------------------------------------


@kernel
def mark_turn(state: State, seat: int, mask: Mask) -> None:
    """Mark every card (T3), and every building that the seat can pay and roof (TU §4, T11)."""
    for space in range(MARKET_SIZE):
        mask[TAKE + space] = 1
    if state.roofs_left[seat] == 0:
        return
    for site in range(state.colour.size):  # without branches, so that sites are marked together
        pays = may_pay(state, seat, site)
        for colour in range(NUM_COLOURS):
            fits = may_build_colour(state, seat, site, colour)
            mask[BUILD + site * NUM_COLOURS + colour] = pays & fits


@kernel
def do_take_card(t: Table, state: State, seat: int, space: int) -> None:
    """Discard a market card and take what it shows, in the order of T10 (TU §4)."""
    card = state.market[space]
    state.market[space] = NO_CARD
    state.discards[state.num_discards] = card
    state.num_discards += 1
    pop(state)
    refill = push(state, Step.REFILL, seat)
    refill.space = space
    if t.card_steps[card] > 0:
        vehicle = push(state, Step.VEHICLE, seat)
        vehicle.colour = t.card_vehicle[card]
        vehicle.steps = t.card_steps[card]
    for _ in range(t.card_multicolour[card]):
        push(state, Step.FLOOR, seat)
    for _ in range(take_printed_floors(t, state, seat, card)):
        push(state, Step.FLOOR, seat)


@kernel
def do_build(t: Table, state: State, seat: int, site: int, colour: int) -> None:
    """Build, and pay one floor to each adjacent building; paid floors cover roofs (TU §4)."""
    board = state.board
    state.reserve[seat, colour] -= 1
    put_building(t, state, site, colour)
    for k in range(t.num_streets[board, site]):
        other = t.streets[board, site, k]
        if state.colour[other] != NO_COLOUR:
            state.reserve[seat, state.colour[other]] -= 1
            add_floor(t, state, other)
    pop(state)
    roof = push(state, Step.ROOF, seat)
    roof.site = site


# Step.FLOOR: choose the colour of a substitute or multicolour floor (TU §4, T10) ----


@kernel
def mark_floors(state: State, mask: Mask) -> None:
    """Mark the colours that the supply still has (T10)."""
    for colour in range(NUM_COLOURS):
        mask[CHOOSE + colour] = may_choose_floor(state, colour)


@kernel
def do_choose_floor(state: State, seat: int, colour: int) -> None:
    """Take a floor of the chosen colour."""
    state.supply[colour] -= 1
    state.reserve[seat, colour] += 1
    pop(state)


# Step.RETURN: give a floor back at the end of the turn (TU §4, T4) ---------------


@kernel
def mark_returns(state: State, seat: int, mask: Mask) -> None:
    """Mark the colours that the seat has in its reserve."""
    for colour in range(NUM_COLOURS):
        mask[RETURN + colour] = state.reserve[seat, colour] > 0


@kernel
def do_return_floor(state: State, seat: int, colour: int) -> None:
    """Give a floor back; the step stays on the agenda until the limit is kept (TU §4)."""
    state.reserve[seat, colour] -= 1
    state.supply[colour] += 1


# Step.ROOF: put a roof on a floor just placed (TU §4) ----------------------------


@kernel
def mark_roofs(t: Table, state: State, new: int, mask: Mask) -> None:
    """Mark the new building and those that were paid a floor."""
    for site in range(state.colour.size):
        mask[ROOF + site] = may_roof(t, state, new, site)


@kernel
def do_roof(t: Table, state: State, seat: int, site: int) -> None:
    """Put a roof on the building's top, score its colour, claim objectives (TU §4, T13)."""
    pop(state)
    put_roof(state, seat, site)
    move_marker(t, state, seat, state.colour[site], int(state.height[site]))
    claim_objectives(t, state, seat)
    if state.roofs_left[seat] == 0:
        trigger_end(state, EndCause.LAST_ROOF)  # TU §7a
