"""Whether a position of *Ginkgopolis* is possible, compiled: to check millions of positions.

Whatever it refuses, :func:`~sprawl_env.games.ginkgopolis.invariants.violations` refuses too and
says in words what is wrong.  It looks for the outside of the city by walking around it, where the
check in words fills it.
"""

from __future__ import annotations

from typing import Final

from sprawl_env.core.state import NOBODY, NOT_OVER, TRUNCATED, Games, Tables
from sprawl_env.games.ginkgopolis.constants import (
    CHARACTERS_KEPT,
    HAND_SIZE,
    LAST_DECISION,
    MAX_CONTOUR,
    MAX_SEATS,
    NO_CARD,
    NO_CHARACTER,
    NO_SIDE,
    NO_SITE,
    NO_TILE,
    NOT_TAKEN,
    NUM_ACTS,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_DIRECTIONS,
    NUM_GAINS,
    NUM_KINDS,
    NUM_LETTERS,
    NUM_TILE_SIDES,
    NUM_TILES,
    NUMBERS,
    START_TILES,
    STEP_X,
    STEP_Y,
    Count,
    Step,
)
from sprawl_env.games.ginkgopolis.state import AGENDA_DEPTH, State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.kernels.bits import count_bits
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.limits import within
from sprawl_env.kernels.scratch import new_numbers

ALL_TILES: Final = (1 << NUM_TILES) - 1
ALL_LETTERS: Final = (1 << NUM_LETTERS) - 1
ALL_SEATS: Final = (1 << MAX_SEATS) - 1
MOST: Final = 127  # of what is counted
MOST_PLIES: Final = 10**7
MOST_POINTS: Final = 2**14
MOST_TURNS: Final = 2**14
FEWEST_SIDES: Final = 12
MOST_RUN_OUTS: Final = 2
FIRST_CELL, LAST_CELL = -51, 53
LAST_STEP: Final = int(max(Step))
SIDES: Final = 4  # of a tile, N E S W; side s of a site is site * 4 + s
CLOCKWISE, BACK = 1, 3  # steps between sides


@kernel
def round_in_range(state: State) -> bool:
    """Check every number about the order of play and the cards."""
    seats = int(state.num_seats)
    return bool(
        1 <= seats <= MAX_SEATS
        and state.rng >= 1
        and 0 <= state.ply <= MOST_PLIES
        and 0 <= state.turn <= MOST_TURNS
        and NOBODY <= state.to_play < seats
        and NOT_OVER <= state.over <= TRUNCATED
        and 0 <= state.rounds <= state.max_rounds
        and 0 <= state.first < seats
        and 0 <= state.owes <= ALL_SEATS
        and 0 <= state.asked <= ALL_SEATS
        and 0 <= state.again <= ALL_SEATS
        and state.pass_number >= 0
        and 0 <= state.run_outs <= MOST_RUN_OUTS
        and 0 <= state.ending <= 1
        and within(state.pack, NO_CHARACTER, NUM_KINDS - 1)
        and within(state.taken_in, NOT_TAKEN, CHARACTERS_KEPT - 1)
        and within(state.picks, NO_CHARACTER, NUM_KINDS - 1)
        and 0 <= state.num_picks <= CHARACTERS_KEPT
        and within(state.deck, 0, NUM_CARDS - 1)
        and 1 <= state.deck_size <= NUM_CARDS  # drawing the last card re-forms the deck
        and 0 <= state.discarded_letters <= ALL_LETTERS
        and 0 <= state.discarded <= ALL_TILES
        and within(state.hand, NO_CARD, NUM_CARDS - 1)
        and within(state.known_by, 0, ALL_SEATS)
        and within(state.age, 0, MAX_SEATS * HAND_SIZE + 1)
        and within(state.chosen, NO_CARD, NUM_CARDS - 1)
        and within(state.chosen_tile, NO_TILE, NUM_TILES - 1)
        and within(state.kept, 0, ALL_TILES)
        and 0 <= state.workers <= ALL_TILES
        and NO_CARD <= state.hal_card < NUM_CARDS
        and NO_TILE <= state.lost_tile < NUM_TILES
    )


@kernel
def city_in_range(state: State) -> bool:
    """Check every number about the tiles, the seats and the city."""
    return bool(
        within(state.supply, 0, NUM_TILES - 1)
        and 0 <= state.supply_size <= NUM_TILES - START_TILES
        and within(state.tiles, 0, ALL_TILES)
        and within(state.returning, 0, ALL_TILES)
        and within(state.taken_back, 0, ALL_TILES)
        and 0 <= state.returned <= ALL_TILES
        and within(state.resources, 0, MOST)
        and within(state.stock, 0, MOST)
        and within(state.points, 0, MOST_POINTS)
        and within(state.tokens, 0, MOST)
        and within(state.bonus, 0, MOST)
        and within(state.with_act, 0, MOST)
        and within(state.with_colour, 0, MOST)
        and START_TILES <= state.num_sites <= NUM_TILES
        and within(state.site_x, FIRST_CELL, LAST_CELL)
        and within(state.site_y, FIRST_CELL, LAST_CELL)
        and within(state.site_tile, NO_TILE, NUM_TILES - 1)
        and within(state.levels, 0, NUM_TILES)
        and within(state.owner, NOBODY, MAX_SEATS - 1)
        and within(state.around, NO_SITE, NUM_TILES - 1)
        and within(state.site_of, NO_SITE, NUM_TILES - 1)
        and 0 <= state.covered <= ALL_TILES
        and within(state.contour, NO_SIDE, NUM_TILE_SIDES - 1)
        and FEWEST_SIDES <= state.contour_length <= MAX_CONTOUR
        and within(state.contour_at, NO_SIDE, MAX_CONTOUR - 1)
        and within(state.marker, NO_SIDE, NUM_TILE_SIDES - 1)
        and 0 <= state.shut_in <= ALL_LETTERS
        and 0 <= state.agenda_size <= AGENDA_DEPTH
    )


@kernel
def agenda_possible(state: State) -> bool:
    """Check that the one decision is on top and belongs to the seat to play."""
    size, to_play = int(state.agenda_size), int(state.to_play)
    if state.over != NOT_OVER:
        return to_play == NOBODY and size == 0
    if size == 0:
        return False
    for k in range(size):
        entry = state.agenda[k]
        if entry.step < 0 or entry.step > LAST_STEP or entry.seat < 0 or entry.seat >= MAX_SEATS:
            return False
        if (entry.step <= LAST_DECISION) != (k == size - 1):
            return False
    decision = state.agenda[size - 1]
    if decision.step > Step.RETURN:
        known = 0 <= decision.letter < NUM_LETTERS and NO_SITE <= decision.site < NUM_TILES
        known = known and 0 <= decision.first_letter < NUM_LETTERS
        return bool(decision.seat == to_play and (decision.step != Step.MARKER or known))
    drafting = decision.step == Step.DRAFT
    if decision.step != Step.RETURN and drafting != (state.rounds == 0):
        return False
    if to_play == NOBODY or not int(state.owes) >> to_play & 1:
        return False
    return not (int(state.owes) & ~int(state.asked) or int(state.asked) >> int(state.num_seats))


# --------------------------------------------------------------------------------------- the city


@kernel
def site_at(state: State, x: int, y: int) -> int:
    """Return the site in a cell, NO_SITE without one."""
    for site in range(state.num_sites):
        if state.site_x[site] == x and state.site_y[site] == y:
            return site
    return NO_SITE


@kernel
def site_possible(state: State, site: int) -> bool:
    """Check one site: its cell, its tile, its owner and its neighbours."""
    x, y, tile = int(state.site_x[site]), int(state.site_y[site]), int(state.site_tile[site])
    levels, owned = int(state.levels[site]), state.owner[site] != NOBODY
    if tile == NO_TILE or levels < 1 or state.site_of[tile] != site or site_at(state, x, y) != site:
        return False
    if owned == (site < START_TILES and levels == 1):
        return False
    for direction in range(NUM_DIRECTIONS):
        other = site_at(state, x + STEP_X[direction], y + STEP_Y[direction])
        if state.around[site, direction] != other:
            return False
    return True


@kernel
def sites_possible(state: State) -> bool:
    """Check sites, their neighbours and their tiles."""
    count, topped = int(state.num_sites), 0
    for site in range(NUM_TILES):
        if site < count and not site_possible(state, site):
            return False
        if site >= count and (state.site_tile[site] != NO_TILE or state.levels[site] != 0):
            return False
    for k in range(START_TILES):
        if site_at(state, k % 3, k // 3) == NO_SITE:
            return False
    for tile in range(NUM_TILES):
        topped += state.site_of[tile] != NO_SITE
    return topped == count


@kernel
def next_side(state: State, side: int) -> int:
    """Return the next side clockwise that faces the same outside (G4)."""
    site, facing = side // SIDES, side % SIDES
    ahead = int(state.around[site, 2 * facing + 1])
    if ahead != NO_SITE:  # it closes the way
        return ahead * SIDES + (facing + BACK) % SIDES
    beside = int(state.around[site, 2 * ((facing + CLOCKWISE) % SIDES)])
    if beside != NO_SITE:
        return beside * SIDES + facing
    return site * SIDES + (facing + CLOCKWISE) % SIDES


@kernel
def contour_possible(state: State) -> bool:
    """Check that the contour holds each side that faces the outside once (G4)."""
    length, held, top = int(state.contour_length), 0, 0
    for side in range(NUM_TILE_SIDES):
        place = int(state.contour_at[side])
        held += place != NO_SIDE
        if place != NO_SIDE and (place >= length or state.contour[place] != side):
            return False
    for site in range(state.num_sites):
        if state.site_y[site] < state.site_y[top]:
            top = site
    start = top * SIDES  # its northern side
    side, walked = start, 0
    while walked == 0 or side != start:
        if state.contour_at[side] == NO_SIDE or walked > length:
            return False
        walked += 1
        side = next_side(state, side)
    return held == length and walked == length


@kernel
def facing_cell(state: State, side: int) -> int:
    """Return a number for the cell that a side faces."""
    site, direction = side // SIDES, 2 * (side % SIDES)
    x = int(state.site_x[site]) + STEP_X[direction]
    y = int(state.site_y[site]) + STEP_Y[direction]
    return x + (y << 8)


@kernel
def markers_possible(state: State) -> bool:
    """Check that markers have cells of their own and read A to L on the contour (G4)."""
    moving = NO_SIDE
    if state.over == NOT_OVER:
        decision = state.agenda[int(state.agenda_size) - 1]
        if decision.step == Step.MARKER:
            moving = int(decision.letter)
    first, last, descents = NO_SIDE, NO_SIDE, 0
    for letter in range(NUM_LETTERS):
        side = int(state.marker[letter])
        place = NO_SIDE if side == NO_SIDE else int(state.contour_at[side])
        if place == NO_SIDE:
            if letter != moving and not int(state.shut_in) >> letter & 1:
                return False
            continue
        for other in range(letter):
            near = int(state.marker[other])
            on_contour = near != NO_SIDE and state.contour_at[near] != NO_SIDE
            if on_contour and facing_cell(state, near) == facing_cell(state, side):
                return False
        first = place if first == NO_SIDE else first
        descents += place < last
        last = place
    return descents + (last > first) <= 1


# ------------------------------------------------------------------------------ tiles and cards


@kernel
def places_of_tile(state: State, tile: int) -> int:
    """Return in how many places a tile is."""
    count = int(state.site_of[tile] != NO_SITE) + (int(state.covered) >> tile & 1)
    count += state.lost_tile == tile
    for k in range(state.supply_size):
        count += state.supply[k] == tile
    for seat in range(MAX_SEATS):
        count += int(state.tiles[seat]) >> tile & 1
        count += int(state.returning[seat]) >> tile & 1
    return count


@kernel
def tiles_possible(t: Table, state: State) -> bool:
    """Check that every tile except the removed ones is in exactly one place."""
    in_play, levels = 0, 0
    for tile in range(NUM_TILES):
        count = places_of_tile(state, tile)
        if count > 1:
            return False
        in_play += count
    for site in range(state.num_sites):
        levels += int(state.levels[site])
    if count_bits(int(state.covered)) != levels - int(state.num_sites):
        return False
    for seat in range(MAX_SEATS):
        tile = int(state.chosen_tile[seat])
        if tile != NO_TILE and not int(state.tiles[seat]) >> tile & 1:
            return False
    return in_play == NUM_TILES - int(t.removed_tiles[state.num_seats])


@kernel
def holds(state: State, seat: int, card: int) -> bool:
    """Is a card in a seat's hand?"""
    held = False
    for k in range(HAND_SIZE):
        held |= state.hand[seat, k] == card
    return bool(held)


@kernel
def places_of_card(state: State, card: int) -> int:
    """Return in how many places a card is."""
    count = int(state.hal_card == card)
    if card < NUM_LETTERS:
        count += int(state.discarded_letters) >> card & 1
    else:
        count += int(state.discarded) >> (card - NUM_LETTERS) & 1
    for k in range(state.deck_size):
        count += state.deck[k] == card
    for seat in range(MAX_SEATS):
        for k in range(HAND_SIZE):
            count += state.hand[seat, k] == card
    for k in range(state.agenda_size):
        entry = state.agenda[k]  # of the card that is played
        count += entry.step == Step.FINISH and entry.is_kept == 0 and entry.card == card
    return count


@kernel
def cards_possible(state: State) -> bool:
    """Check that each card in circulation is in one place and names a building (G8, G12)."""
    for card in range(NUM_CARDS):
        expected = 1
        if card >= NUM_LETTERS:
            tile = card - NUM_LETTERS
            works = int(state.workers) >> tile & 1 == 1
            expected = int(state.site_of[tile] != NO_SITE and not works)
        if places_of_card(state, card) != expected:
            return False
    for seat in range(MAX_SEATS):
        card = int(state.chosen[seat])
        if card != NO_CARD and state.rounds > 0 and not holds(state, seat, card):
            return False
    return True


@kernel
def known_possible(state: State) -> bool:
    """Check what the seats are said to have seen of cards and tiles (G25)."""
    for card in range(NUM_CARDS):
        hidden = state.hal_card == card
        for seat in range(MAX_SEATS):
            if holds(state, seat, card):
                hidden = True
                if not int(state.known_by[card]) >> seat & 1:
                    return False
        if not hidden and (state.known_by[card] != 0 or state.age[card] != 0):
            return False
    returned, held = int(state.returned), int(state.covered)
    for seat in range(MAX_SEATS):
        own = int(state.tiles[seat]) | int(state.returning[seat])
        held |= own
        if int(state.taken_back[seat]) & ~own:
            return False
    for tile in range(NUM_TILES):
        held |= int(state.site_of[tile] != NO_SITE) << tile
    supply = 0
    for k in range(state.supply_size):
        supply |= 1 << int(state.supply[k])
    if returned and (state.run_outs == 0 or state.num_seats == 1):
        return False
    if state.run_outs > 0 and supply & ~returned:
        return False
    return returned & ~(held | supply) == 0


# -------------------------------------------------------------------------------------- the sides


@kernel
def resources_possible(t: Table, state: State, side: int) -> bool:
    """Check that no resources of a side are lost or added."""
    total = int(state.resources[side]) + int(state.stock[side])
    for site in range(state.num_sites):
        total += int(state.levels[site]) * int(state.owner[site] == side)
    return total == int(t.resources[state.num_seats])


@kernel
def bonuses_possible(t: Table, state: State, side: int) -> bool:
    """Check the sums over the cards in front of a side."""
    bonus, with_act, with_colour = new_numbers(), new_numbers(), new_numbers()
    for k in range(bonus.size):
        bonus[k] = with_act[k] = with_colour[k] = 0
    if state.num_picks == CHARACTERS_KEPT and 1 < state.num_seats > side:
        for k in range(CHARACTERS_KEPT):
            kind = int(state.picks[side, k])
            if kind == NO_CHARACTER:
                return False
            bonus[kind % NUM_ACTS * NUM_GAINS + kind // NUM_ACTS] += 1
            with_act[kind % NUM_ACTS] += 1
            with_colour[kind // NUM_ACTS] += 1
    for tile in range(NUM_TILES):
        if not int(state.kept[side]) >> tile & 1:
            continue
        with_colour[tile // NUMBERS] += 1
        if t.card_counts[tile] == Count.NOTHING:
            act = int(t.card_act[tile])
            with_act[act] += 1
            for gain in range(NUM_GAINS):
                bonus[act * NUM_GAINS + gain] += int(t.card_gain[tile, gain])
    same = True
    for act in range(NUM_ACTS):
        same &= state.with_act[side, act] == with_act[act]
        for gain in range(NUM_GAINS):
            same &= state.bonus[side, act, gain] == bonus[act * NUM_GAINS + gain]
    for colour in range(NUM_COLOURS):
        same &= state.with_colour[side, colour] == with_colour[colour]
    return bool(same)


@kernel
def sides_possible(t: Table, state: State) -> bool:
    """Check resources and cards of every side; no card is kept twice."""
    kept = 0
    for side in range(MAX_SEATS):
        if kept & int(state.kept[side]):
            return False
        kept |= int(state.kept[side])
    for side in range(max(int(state.num_seats), 2)):
        if not resources_possible(t, state, side) or not bonuses_possible(t, state, side):
            return False
    return kept & ~int(state.covered) == 0


@kernel
def is_possible(tables: Tables, games: Games, g: int) -> bool:
    """Return whether game ``g`` can be reached, as far as its parts can tell."""
    t: Table = tables[0]
    state: State = games[g]
    return bool(
        round_in_range(state)
        and city_in_range(state)
        and agenda_possible(state)
        and sites_possible(state)
        and contour_possible(state)
        and markers_possible(state)
        and tiles_possible(t, state)
        and cards_possible(state)
        and known_possible(state)
        and sides_possible(t, state)
    )
