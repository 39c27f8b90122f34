"""Hal, the automaton of the solo game (G9, G17 to G19, G24)."""

from __future__ import annotations

from sprawl_env.core.state import FINISHED, NOBODY
from sprawl_env.games.ginkgopolis.constants import (
    HAL,
    NO_CARD,
    NO_SITE,
    NUM_COLOURS,
    NUM_LETTERS,
    Difficulty,
    Step,
)
from sprawl_env.games.ginkgopolis.rules.act import (
    adjacent_levels,
    give_back,
    push_finish,
    raise_building,
    settle,
)
from sprawl_env.games.ginkgopolis.rules.cards import discard, discard_hand, draw_card, forget
from sprawl_env.games.ginkgopolis.rules.city import beside_cell
from sprawl_env.games.ginkgopolis.rules.gains import draw_tile
from sprawl_env.games.ginkgopolis.rules.markers import begin_marker
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.kernels.agenda import pop, push, top
from sprawl_env.kernels.compile import kernel


@kernel
def pay_of(state: State, letter: int) -> int:
    """Return the points that Hal would get for urbanizing at a letter (G18)."""
    levels = 0
    for k in range(4):
        site = beside_cell(state, int(state.marker[letter]), k)
        if site != NO_SITE:
            levels += int(state.levels[site])
    return levels


@kernel
def reveal_hals_card(state: State) -> int:
    """Reveal Hal's card; return it."""
    card = int(state.hal_card)
    state.hal_card = NO_CARD
    forget(state, card)
    return card


@kernel
def card_for_hal(t: Table, state: State) -> int:
    """Return the card Hal plays; an expert Hal may replace an urbanization card (G18)."""
    card = reveal_hals_card(state)
    if state.difficulty == Difficulty.NORMAL or card >= NUM_LETTERS:
        return card
    second = draw_card(t, state)
    forget(state, second)
    if second >= NUM_LETTERS or pay_of(state, second) > pay_of(state, card):
        discard(state, card)
        return second
    discard(state, second)
    return card


@kernel
def hal_acts(t: Table, state: State) -> None:
    """Discard the seat's unused cards, then let Hal draw a tile and build (G17, G18, G24)."""
    pop(state)
    discard_hand(state, 0)
    if state.supply_size == 0:
        discard(state, reveal_hals_card(state))
        return
    tile = draw_tile(state)
    card = card_for_hal(t, state)
    if card < NUM_LETTERS:
        state.stock[HAL] -= 1
        site = settle(state, card, tile, HAL)
        push_finish(state, HAL, card, False)
        entry = push(state, Step.HAL_COLLECT, HAL)
        entry.site = site
        begin_marker(state, 0, card, site)
    else:
        hal_constructs(state, card, tile)


@kernel
def hal_constructs(state: State, card: int, tile: int) -> None:
    """Build a level on the card's building; too few resources end the game (G18)."""
    covered = card - NUM_LETTERS
    site = int(state.site_of[covered])
    levels = int(state.levels[site])
    back = levels if state.owner[site] == HAL else 0
    if int(state.stock[HAL]) + back < levels + 1:
        discard(state, card)
        state.lost_tile = tile
        state.ending = 1
        end_game(state, FINISHED)
        return
    give_back(state, site, HAL)
    state.stock[HAL] -= levels + 1
    raise_building(state, covered, tile, HAL)
    push_finish(state, HAL, card, True)


@kernel
def hal_collects(state: State) -> None:
    """Give Hal one point a level of every building adjacent to the new one (G18)."""
    site = int(top(state).site)
    pop(state)
    for colour in range(NUM_COLOURS):
        state.points[HAL] += adjacent_levels(state, site, colour)


@kernel
def end_game(state: State, how: int) -> None:
    """End the game: no seat owes a decision."""
    state.over = how
    state.to_play = NOBODY
    state.agenda_size = 0
