"""The observation of *Ginkgopolis*: without the others' hands, choices and tiles, and the decks.

During a pass the observation does not show who has answered, or what (GK §3).
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from sprawl_env.core.state import NOBODY, NOT_OVER, Games, Tables
from sprawl_env.games.ginkgopolis.constants import (
    COMPASS,
    HAL,
    HAND_SIZE,
    LAST_DECISION,
    LAST_PASS,
    NO_CARD,
    NO_CHARACTER,
    NO_SIDE,
    NO_SITE,
    NO_TILE,
    NOT_TAKEN,
    NUM_ACTS,
    NUM_COLOURS,
    NUM_GAINS,
    NUM_LETTERS,
    NUM_TILES,
    NUMBERS,
    STEP_X,
    STEP_Y,
    Step,
)
from sprawl_env.games.ginkgopolis.layout import (
    HUNDRED,
    SEEN_BY_ALL,
    SHOWN_AGE,
    SHOWN_BONUS,
    SHOWN_CARDS,
    SHOWN_LEVELS,
    SHOWN_POINTS,
    SHOWN_RESOURCES,
    SHOWN_ROUNDS,
    SHOWN_STEPS,
    SHOWN_TILES,
    SHOWN_TOKENS,
    WINDOW,
)
from sprawl_env.games.ginkgopolis.rules.act import colour_of
from sprawl_env.games.ginkgopolis.rules.draft import pack_of
from sprawl_env.games.ginkgopolis.rules.scoring import num_sides
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.kernels.agenda import top
from sprawl_env.kernels.arrays import Mask
from sprawl_env.kernels.bits import count_bits, lowest
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.lanes import LANE, LANE_BITS

Places = npt.NDArray[np.int8]

AREA: Final = WINDOW * WINDOW
OUTSIDE_WINDOW: Final = -1
EAST: Final = np.array(STEP_X[:COMPASS:2])  # of a side's direction
SOUTH: Final = np.array(STEP_Y[:COMPASS:2])
LANE_OF: Final = np.array([1 << tile // NUMBERS * LANE_BITS for tile in range(NUM_TILES)])


@kernel
def side_seen(state: State, viewer: int, seat: int) -> int:
    """Return how many sides clockwise from the observer a seat, or Hal, is."""
    away = seat - viewer
    return away if away >= 0 else away + num_sides(state)


@kernel
def mark(things: int, first: int, stride: int, out: Mask) -> None:
    """Write 1 for every member of a set: member ``k`` at ``first + k * stride``."""
    while things:
        out[first + lowest(things) * stride] = 1
        things &= things - 1


@kernel
def place_of_card(t: Table, card: int, of_letters: int, of_tiles: int) -> int:
    """Return the index of a card in the block of its kind, without an unpredictable branch."""
    is_letter = int(card < NUM_LETTERS)
    in_letters = of_letters + card * int(t.at.letter)
    in_tiles = of_tiles + (card - NUM_LETTERS) * int(t.at.tile)
    return is_letter * in_letters + (1 - is_letter) * in_tiles


@kernel
def write_card(t: Table, card: int, of_letters: int, of_tiles: int, out: Mask) -> None:
    """Write 1 for one card, in the block of its kind."""
    out[place_of_card(t, card, of_letters, of_tiles)] = 1


@kernel
def write_class(t: Table, state: State, card: int, out: Mask) -> int:
    """Write the class of a card in a hand, 0 for this deck's; return 1 in its lane (G25)."""
    age = min(int(state.age[card]), SHOWN_AGE)
    out[place_of_card(t, card, t.at.letter_age, t.at.card_age)] = age
    return 1 << age * LANE_BITS


@kernel
def write_counts(t: Table, counts: int, side: int, out: Mask) -> None:
    """Write how many cards of each class a hand holds, from their lanes."""
    first = t.at.hand_ages + side * (SHOWN_AGE + 1)
    for age in range(SHOWN_AGE + 1):
        out[first + age] = (counts >> age * LANE_BITS) & LANE


@kernel
def write_hands(t: Table, state: State, viewer: int, out: Mask) -> None:
    """Write the own hand and choice, and what is known of the cards in other hands."""
    at = t.at
    for k in range(HAND_SIZE):
        card = int(state.hand[viewer, k])
        if card != NO_CARD:
            write_card(t, card, at.letter_in_hand, at.card_in_hand, out)
    if state.rounds > 0 and state.chosen[viewer] != NO_CARD:
        write_card(t, int(state.chosen[viewer]), at.letter_chosen, at.card_chosen, out)
    if state.chosen_tile[viewer] != NO_TILE:
        out[at.tile_with + int(state.chosen_tile[viewer]) * at.tile] = 1
    if state.hal_card != NO_CARD:
        write_counts(t, write_class(t, state, int(state.hal_card), out), HAL, out)
    bit = 1 << viewer
    for other in range(state.num_seats):
        side, counts = side_seen(state, viewer, other), 0
        for k in range(HAND_SIZE):
            card = int(state.hand[other, k])
            if card == NO_CARD:
                continue
            counts += write_class(t, state, card, out)
            if other != viewer and int(state.known_by[card]) & bit:
                write_card(t, card, at.letter_known + side - 1, at.card_known + side - 1, out)
        write_counts(t, counts, side, out)


@kernel
def write_sets(t: Table, state: State, viewer: int, out: Mask) -> None:
    """Write the sets of tiles: own, discarded, with a worker, covered, returned, shown, kept."""
    at, stride = t.at, int(t.at.tile)
    mark(int(state.tiles[viewer]), at.tile_own, stride, out)
    mark(int(state.discarded), at.card_discarded, stride, out)
    mark(int(state.workers), at.worker, stride, out)
    mark(int(state.covered), at.covered, stride, out)
    mark(int(state.returned), at.tile_returned, stride, out)
    for seat in range(min(num_sides(state), int(t.seen_sides))):
        side = side_seen(state, viewer, seat)
        mark(int(state.kept[seat]), at.card_kept + side, stride, out)
        if seat != viewer:
            mark(int(state.taken_back[seat]), at.tile_known + side - 1, stride, out)
    shown = int(state.taken_back[viewer])
    while shown:
        out[at.tile_own + lowest(shown) * stride] = SEEN_BY_ALL
        shown &= shown - 1
    mark(int(state.discarded_letters), at.letter_discarded, at.letter, out)


@kernel
def window_cell(dx: int, dy: int) -> int:
    """Return a cell's index in a plane from its offset to the centre, or OUTSIDE_WINDOW."""
    column, row = dx + WINDOW // 2, dy + WINDOW // 2
    if 0 <= column < WINDOW and 0 <= row < WINDOW:
        return row * WINDOW + column
    return OUTSIDE_WINDOW


@kernel
def middle(state: State, places: Places) -> int:
    """Return the window's centre on one axis: the middle of the city, rounded down."""
    first, last = 0, 0
    for site in range(state.num_sites):
        first = min(first, int(places[site]))
        last = max(last, int(places[site]))
    return (first + last) >> 1


@kernel
def write_place(dx: int, dy: int, first: int, out: Mask) -> None:
    """Write a cell's offset to the centre."""
    out[first] = min(max(dx, -SHOWN_STEPS), SHOWN_STEPS)
    out[first + 1] = min(max(dy, -SHOWN_STEPS), SHOWN_STEPS)


@kernel
def write_buildings(t: Table, state: State, viewer: int, x: int, y: int, out: Mask) -> None:
    """Write every building into its tile's row and into the window.

    Where the blocks begin is read before the loop: after a write to ``out`` the compiler would read
    it again.
    """
    at, stride, outside = t.at, int(t.at.tile), 0
    of_levels, of_place, of_owner = int(at.levels), int(at.tile_place), int(at.owner)
    in_window, owner_in_window = int(at.city_levels), int(at.city_owner)
    for site in range(state.num_sites):
        tile, owner = int(state.site_tile[site]), int(state.owner[site])
        levels = int(state.levels[site])
        shown = min(levels, SHOWN_LEVELS)
        dx, dy = int(state.site_x[site]) - x, int(state.site_y[site]) - y
        row = tile * stride
        out[of_levels + row] = shown
        write_place(dx, dy, of_place + row, out)
        # Without an owner, write zeros for some side: a branch here would be unpredictable.
        side = side_seen(state, viewer, owner)
        is_owned = owner != NOBODY
        out[of_owner + row + side] = is_owned
        built = at.built + side
        out[built] = int(out[built]) + (levels if is_owned else 0)
        cell = window_cell(dx, dy)
        if cell == OUTSIDE_WINDOW:
            outside += 1
            continue
        out[in_window + colour_of(tile) * AREA + cell] = shown
        out[owner_in_window + cell] = 1 if owner == viewer else -1 if is_owned else 0
    out[at.outside] = outside


@kernel
def yields_of(state: State, site: int) -> int:
    """Return a building's levels in the lane of its colour; 0 if there is no site."""
    there = int(site != NO_SITE)  # arithmetic instead of an unpredictable branch
    site *= there
    return int(state.levels[site]) * there * int(LANE_OF[int(state.site_tile[site])])


@kernel
def yields_beside(state: State, site: int, direction: int) -> int:
    """Return the levels adjacent to the cell a side faces, in the lanes of their colours."""
    around, corner = state.around[site], 2 * direction + 1
    yields = yields_of(state, site)
    yields += yields_of(state, int(around[corner]))
    yields += yields_of(state, int(around[(corner - 2) & (COMPASS - 1)]))
    return yields + yields_of(state, int(around[COMPASS + direction]))


@kernel
def write_markers(t: Table, state: State, x: int, y: int, out: Mask) -> None:
    """Write where every marker is and what is adjacent to it."""
    at, stride = t.at, int(t.at.letter)
    of_place, of_yield, in_window = int(at.letter_place), int(at.letter_yield), int(at.city_marker)
    for letter in range(NUM_LETTERS):
        side = int(state.marker[letter])
        if side == NO_SIDE:
            continue
        site, direction = side >> 2, side & 3
        dx = int(state.site_x[site]) + int(EAST[direction]) - x
        dy = int(state.site_y[site]) + int(SOUTH[direction]) - y
        row = letter * stride
        write_place(dx, dy, of_place + row, out)
        yields = yields_beside(state, site, direction)
        for colour in range(NUM_COLOURS):
            levels = (yields >> colour * LANE_BITS) & LANE
            out[of_yield + row + colour] = min(levels, SHOWN_LEVELS)
        cell = window_cell(dx, dy)
        if cell != OUTSIDE_WINDOW:
            out[in_window + cell] = 1


@kernel
def write_city(t: Table, state: State, viewer: int, out: Mask) -> None:
    """Write buildings and markers."""
    x, y = middle(state, state.site_x), middle(state, state.site_y)
    write_buildings(t, state, viewer, x, y, out)
    write_markers(t, state, x, y, out)


@kernel
def write_characters(t: Table, state: State, viewer: int, out: Mask) -> None:
    """Write the pack to pick from and the characters in front of the seats (G11)."""
    at, stride = t.at, int(t.at.kind)
    drafting = state.rounds == 0 and state.num_picks < state.picks.shape[1]
    for seat in range(state.num_seats):
        side = side_seen(state, viewer, seat)
        for k in range(state.picks.shape[1]):
            kind = int(state.picks[seat, k])
            if kind != NO_CHARACTER and (seat == viewer or not drafting):
                kept = at.kind_kept + kind * stride + side
                out[kept] = int(out[kept]) + 1
    if drafting and state.num_seats > 1:
        pack = pack_of(state, viewer)
        for k in range(HAND_SIZE):
            if state.taken_in[pack, k] == NOT_TAKEN:
                held = at.kind_in_pack + int(state.pack[pack, k]) * stride
                out[held] = int(out[held]) + 1
        if state.chosen[viewer] != NO_CARD:
            out[at.kind_chosen + int(state.chosen[viewer]) * stride] = 1


@kernel
def write_bonuses(t: Table, state: State, seat: int, side: int, out: Mask) -> None:
    """Write a side's permanent bonuses and its number of cards of each kind."""
    with_act = t.at.with_act + side * NUM_ACTS
    with_colour = t.at.with_colour + side * NUM_COLOURS
    bonus = t.at.bonus + side * NUM_ACTS * NUM_GAINS
    for act in range(NUM_ACTS):
        out[with_act + act] = min(int(state.with_act[seat, act]), SHOWN_CARDS)
        for gain in range(NUM_GAINS):
            shown = min(int(state.bonus[seat, act, gain]), SHOWN_BONUS)
            out[bonus + act * NUM_GAINS + gain] = shown
    for colour in range(NUM_COLOURS):
        out[with_colour + colour] = min(int(state.with_colour[seat, colour]), SHOWN_CARDS)


@kernel
def write_screen(t: Table, state: State, seat: int, side: int, out: Mask) -> None:
    """Write the counts behind a side's screen."""
    at = t.at
    tiles = count_bits(state.tiles[seat]) + count_bits(state.returning[seat])
    points = int(state.points[seat])
    out[at.screen_resources + side] = min(int(state.resources[seat]), SHOWN_RESOURCES)
    returned = count_bits(int(state.tiles[seat]) & int(state.returned))
    out[at.screen_tiles + side] = min(tiles, SHOWN_TILES)
    out[at.screen_returned + side] = min(returned, SHOWN_TILES)
    out[at.screen_points + side] = min(points, SHOWN_POINTS)
    out[at.screen_points_above + side] = min(max(points - SHOWN_POINTS, 0), SHOWN_POINTS)


@kernel
def write_side(t: Table, state: State, seat: int, side: int, out: Mask) -> None:
    """Write what is in front of a side's screen, after its buildings."""
    at = t.at
    built = at.built + side
    out[built] = min(int(out[built]), SHOWN_RESOURCES)
    out[at.stock + side] = min(int(state.stock[seat]), SHOWN_RESOURCES)
    out[at.tokens + side] = min(int(state.tokens[seat]), SHOWN_TOKENS)
    write_bonuses(t, state, seat, side, out)


@kernel
def write_common(t: Table, state: State, viewer: int, out: Mask) -> None:
    """Write deck, supply, first player and how close the end is."""
    at = t.at
    rounds = int(state.rounds)
    left = int(state.max_rounds) - rounds
    out[at.first + side_seen(state, viewer, int(state.first))] = 1
    out[at.supply] = state.supply_size
    out[at.run_outs] = state.run_outs > 0
    out[at.run_outs + 1] = state.run_outs > 1
    out[at.ending] = state.ending
    out[at.deck] = state.deck_size
    out[at.rounds] = min(rounds, SHOWN_ROUNDS)
    out[at.rounds_left] = min(left, SHOWN_ROUNDS)
    out[at.hundreds] = rounds // HUNDRED
    out[at.hundreds + 1] = left // HUNDRED


@kernel
def write_decision(t: Table, state: State, viewer: int, out: Mask) -> None:
    """Write the current decision; in a pass only whether the observer owes an answer."""
    at, entry = t.at, top(state)
    step = int(entry.step)
    if step > LAST_DECISION:
        return
    out[at.decision + step] = 1
    if step > LAST_PASS:
        out[at.to_play + side_seen(state, viewer, int(entry.seat))] = 1
        if step == Step.MARKER:
            out[at.letter_moving + int(entry.letter) * at.letter] = 1
    elif (int(state.owes) >> viewer) & 1:
        out[at.to_play] = 1
    if step != Step.DRAFT:
        write_face_down(t, state, viewer, step, out)
    if step == Step.RETURN:
        write_interrupted(t, state, viewer, out)


@kernel
def write_face_down(t: Table, state: State, viewer: int, step: int, out: Mask) -> None:
    """Write who has a card, and a tile, face down: not those who have acted (GK §3, G16)."""
    at = t.at
    for seat in range(state.num_seats):
        side = side_seen(state, viewer, seat)
        is_down = int(state.chosen[seat] != NO_CARD)
        if step == Step.CARD:  # chosen in an earlier pass: who asked for a new hand is open
            is_down = (~int(state.asked) >> seat) & 1
        out[at.card_down + side] = is_down
        if step > Step.TILE:
            out[at.tile_down + side] = state.chosen_tile[seat] != NO_TILE
    if state.hal_card != NO_CARD:
        out[at.card_down + HAL] = 1


@kernel
def write_interrupted(t: Table, state: State, viewer: int, out: Mask) -> None:
    """Write how many tiles a seat still gains after the tiles are returned (G5)."""
    entry = state.agenda[int(state.agenda_size) - 2]  # the round, or the setup, goes on below
    if entry.step == Step.TAKE_TILES:
        side = side_seen(state, viewer, int(entry.seat))
        out[t.at.tiles_to_gain + side] = min(int(entry.tiles_left), SHOWN_TILES)


@kernel
def observe(tables: Tables, games: Games, g: int, seat: int, out: Mask) -> None:
    """Write what ``seat`` sees; the layout may have more seats than the game."""
    t: Table = tables[0]
    state: State = games[g]
    out[:] = 0
    write_hands(t, state, seat, out)
    write_sets(t, state, seat, out)
    write_city(t, state, seat, out)
    write_characters(t, state, seat, out)
    for other in range(min(num_sides(state), int(t.seen_sides))):
        side = side_seen(state, seat, other)
        is_hal = state.num_seats == 1 and other == HAL
        if other == seat or state.open_screens or is_hal:
            write_screen(t, state, other, side, out)
        write_side(t, state, other, side, out)
    write_common(t, state, seat, out)
    if state.over == NOT_OVER:
        write_decision(t, state, seat, out)
