"""A seat's turn: reveal the card and resolve its action (GK §3; G2, G3, G13 to G15)."""

from __future__ import annotations

from sprawl_env.core.state import NOBODY
from sprawl_env.games.ginkgopolis.constants import (
    HAL,
    NO_CARD,
    NO_SIDE,
    NO_SITE,
    NO_TILE,
    NUM_COLOURS,
    NUM_GAINS,
    NUM_LETTERS,
    NUMBERS,
    Act,
    Count,
    Gain,
    Step,
)
from sprawl_env.games.ginkgopolis.rules.cards import discard, take_from_hand
from sprawl_env.games.ginkgopolis.rules.city import add_site, cell_x, cell_y, trace_contour
from sprawl_env.games.ginkgopolis.rules.gains import collect, may_take_resource, may_take_tile
from sprawl_env.games.ginkgopolis.rules.markers import begin_marker
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.kernels.agenda import pop, push, top
from sprawl_env.kernels.compile import kernel


@kernel
def colour_of(tile: int) -> int:
    """Return the colour of a tile or building card; it decides what the building yields (GK §1)."""
    return tile // NUMBERS


@kernel
def price_in_points(tile: int, covered: int) -> int:
    """Return the points to pay for a lower number on a higher one (G3)."""
    return max(covered % NUMBERS - tile % NUMBERS, 0)


@kernel
def price_in_resources(state: State, tile: int, covered: int) -> int:
    """Return one resource a level of the new building, plus one for another colour (G3)."""
    levels = int(state.levels[state.site_of[covered]]) + 1
    return levels + (colour_of(tile) != colour_of(covered))


@kernel
def may_urbanize(state: State, seat: int) -> bool:
    """Return whether the seat has a resource for the new building (G2)."""
    return bool(state.resources[seat] > 0)


@kernel
def may_construct(state: State, seat: int, tile: int, covered: int) -> bool:
    """Return whether all can be paid; own resources on the building come back first (G2, G3)."""
    site = int(state.site_of[covered])
    back = int(state.levels[site]) if state.owner[site] == seat else 0
    return bool(
        int(state.resources[seat]) + back >= price_in_resources(state, tile, covered)
        and int(state.points[seat]) >= price_in_points(tile, covered)
    )


@kernel
def reveal(state: State, seat: int) -> None:
    """Reveal the card and act; a tile that cannot be paid for stays with the seat (G2, G25)."""
    card, tile = int(state.chosen[seat]), int(state.chosen_tile[seat])
    state.chosen[seat] = NO_CARD
    state.chosen_tile[seat] = NO_TILE
    if tile != NO_TILE:
        state.taken_back[seat] |= 1 << tile
    take_from_hand(state, seat, card)
    pop(state)
    if card < NUM_LETTERS:
        if tile != NO_TILE and may_urbanize(state, seat):
            do_urbanize(state, seat, card, tile)
        else:
            play_letter_alone(state, seat, card)
    elif tile != NO_TILE and may_construct(state, seat, tile, card - NUM_LETTERS):
        do_construct(state, seat, card, tile)
    else:
        do_exploit(state, seat, card)


@kernel
def give_up_tile(state: State, seat: int, tile: int) -> None:
    """Remove a tile that the seat has shown from behind its screen."""
    state.tiles[seat] &= ~(1 << tile)
    state.taken_back[seat] &= ~(1 << tile)


@kernel
def push_finish(state: State, seat: int, card: int, is_kept: bool) -> None:
    """Push the end of an action, at which the card is kept or discarded (G13)."""
    entry = push(state, Step.FINISH, seat)
    entry.card = card
    entry.is_kept = is_kept


@kernel
def push_collect(state: State, seat: int, act: int, site: int) -> None:
    """Push the gain of bonuses and, with a new site, of yields (G13)."""
    entry = push(state, Step.COLLECT, seat)
    entry.act = act
    entry.site = site


@kernel
def play_letter_alone(state: State, seat: int, card: int) -> None:
    """Exploit with an urbanization card: gain a resource or a tile, then bonuses (G15)."""
    push_finish(state, seat, card, False)
    push_collect(state, seat, Act.EXPLOIT, NO_SITE)
    if may_take_resource(state, seat) or may_take_tile(state):
        push(state, Step.GAIN, seat)


@kernel
def do_exploit(state: State, seat: int, card: int) -> None:
    """Exploit a building: gain its colour's yield, one a level, and bonuses (GK §1)."""
    tile = card - NUM_LETTERS
    colour = colour_of(tile)
    levels = int(state.levels[state.site_of[tile]])
    push_finish(state, seat, card, False)
    collect(
        state,
        seat,
        Act.EXPLOIT,
        levels if colour == Gain.RESOURCE else 0,
        levels if colour == Gain.TILE else 0,
        levels if colour == Gain.POINT else 0,
    )


@kernel
def do_urbanize(state: State, seat: int, letter: int, tile: int) -> None:
    """Build in place of a marker; push what follows: marker, yields, bonuses, card (G13)."""
    give_up_tile(state, seat, tile)
    state.resources[seat] -= 1
    site = settle(state, letter, tile, seat)
    push_finish(state, seat, letter, False)
    push_collect(state, seat, Act.URBANIZE, site)
    begin_marker(state, seat, letter, site)


@kernel
def settle(state: State, letter: int, tile: int, owner: int) -> int:
    """Replace a marker by a new building with a worker; return its site."""
    side = int(state.marker[letter])
    state.marker[letter] = NO_SIDE
    site = add_site(state, cell_x(state, side), cell_y(state, side), tile, owner)
    state.workers |= 1 << tile
    trace_contour(state)
    return site


@kernel
def adjacent_levels(state: State, site: int, colour: int) -> int:
    """Return the levels of the buildings of a colour orthogonally adjacent to a site."""
    levels = 0
    for direction in range(4):
        other = int(state.around[site, 2 * direction])
        if other != NO_SITE and colour_of(int(state.site_tile[other])) == colour:
            levels += int(state.levels[other])
    return levels


@kernel
def collect_yields(state: State) -> None:
    """Gain the yields of the buildings adjacent to a new one, and bonuses (G13)."""
    entry = top(state)
    seat, site, act = int(entry.seat), int(entry.site), int(entry.act)
    pop(state)
    if site == NO_SITE:
        collect(state, seat, act, 0, 0, 0)
        return
    collect(
        state,
        seat,
        act,
        adjacent_levels(state, site, Gain.RESOURCE),
        adjacent_levels(state, site, Gain.TILE),
        adjacent_levels(state, site, Gain.POINT),
    )


@kernel
def give_back(state: State, site: int, builder: int) -> None:
    """Return a building's resources to its owner; another owner gets a point each (G3, G18)."""
    owner, levels = int(state.owner[site]), int(state.levels[site])
    if owner == NOBODY:
        return
    if state.num_seats == 1 and owner == HAL:
        state.stock[HAL] += levels
    else:
        state.resources[owner] += levels
    if owner != builder:
        state.points[owner] += levels


@kernel
def raise_building(state: State, covered: int, tile: int, owner: int) -> None:
    """Put a tile with a worker on top of a building."""
    site = int(state.site_of[covered])
    state.levels[site] += 1
    state.owner[site] = owner
    state.site_tile[site] = tile
    state.site_of[covered] = NO_SITE
    state.site_of[tile] = site
    state.covered |= 1 << covered
    state.workers |= 1 << tile


@kernel
def do_construct(state: State, seat: int, card: int, tile: int) -> None:
    """Return resources, pay, build a level, gain bonuses; the card will be kept (G3)."""
    covered = card - NUM_LETTERS
    site = int(state.site_of[covered])
    give_back(state, site, seat)
    colour_change = colour_of(tile) != colour_of(covered)
    give_up_tile(state, seat, tile)
    state.points[seat] -= price_in_points(tile, covered)
    state.resources[seat] -= price_in_resources(state, tile, covered)
    state.stock[seat] += colour_change
    raise_building(state, covered, tile, seat)
    push_finish(state, seat, card, True)
    collect(state, seat, Act.CONSTRUCT, 0, 0, 0)


@kernel
def keep_card(t: Table, state: State, seat: int, card: int) -> None:
    """Put a building card in front of a seat; it counts from the next action on (G3)."""
    tile = card - NUM_LETTERS
    state.kept[seat] |= 1 << tile
    state.with_colour[seat, colour_of(tile)] += 1
    if t.card_counts[tile] == Count.NOTHING:
        act = t.card_act[tile]
        state.with_act[seat, act] += 1
        for gain in range(NUM_GAINS):
            state.bonus[seat, act, gain] += t.card_gain[tile, gain]


@kernel
def keep_character(state: State, seat: int, kind: int) -> None:
    """Put a character in front of a seat, as a card of its colour and act (GK §1)."""
    colour, act = kind // NUM_COLOURS, kind % NUM_COLOURS
    state.with_colour[seat, colour] += 1
    state.with_act[seat, act] += 1
    state.bonus[seat, act, colour] += 1


@kernel
def check_end(state: State) -> None:
    """Trigger the end when a side has no resource left or after the last run-out (G6, G9)."""
    sides = int(state.num_seats)
    if state.run_outs >= (1 if sides == 1 else 2):
        state.ending = 1
    for seat in range(max(sides, 2)):
        if state.resources[seat] == 0 and state.stock[seat] == 0:
            state.ending = 1


@kernel
def finish_action(t: Table, state: State) -> None:
    """Discard or keep the card, then check the end (G6, G13)."""
    entry = top(state)
    seat, card, is_kept = int(entry.seat), int(entry.card), int(entry.is_kept)
    pop(state)
    if is_kept:
        keep_card(t, state, seat, card)
    else:
        discard(state, card)
    if seat < state.num_seats:
        state.turn += 1
    check_end(state)
