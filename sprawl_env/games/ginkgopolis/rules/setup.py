"""The setup (GK §1, G11, G17)."""

from __future__ import annotations

from sprawl_env.core.state import NOBODY, NOT_OVER
from sprawl_env.games.ginkgopolis.constants import (
    CHARACTERS_KEPT,
    HAL,
    HAND_SIZE,
    NO_CARD,
    NO_CHARACTER,
    NO_SIDE,
    NO_SITE,
    NO_TILE,
    NOT_TAKEN,
    NUM_COLOURS,
    NUM_LETTERS,
    NUM_TILES,
    NUMBERS,
    START_NUMBERS,
    START_SIDE,
    START_TILES,
    Characters,
    Gain,
    Step,
)
from sprawl_env.games.ginkgopolis.rules.act import keep_character
from sprawl_env.games.ginkgopolis.rules.cards import draw_to_hand, form_deck
from sprawl_env.games.ginkgopolis.rules.city import add_site, trace_contour
from sprawl_env.games.ginkgopolis.rules.gains import gain_resources, push_tiles
from sprawl_env.games.ginkgopolis.rules.passes import ask, ask_all
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.kernels.agenda import clear_agenda, pop, push
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import shuffle


@kernel
def clear(state: State) -> None:
    """Reset every field except the options and the rng."""
    state.ply = 0
    state.turn = 0
    state.to_play = 0
    state.over = NOT_OVER
    state.rounds = 0
    state.first = 0  # G11: seat 0 is the first player of round 1
    ask(state, 0)
    state.run_outs = 0
    state.ending = 0
    state.pack[:] = NO_CHARACTER
    state.taken_in[:] = NOT_TAKEN
    state.picks[:] = NO_CHARACTER
    state.num_picks = 0
    state.deck[:] = 0
    state.deck_size = 0
    state.discarded_letters = 0
    state.discarded = 0
    state.hand[:] = NO_CARD
    state.known_by[:] = 0
    state.age[:] = 0
    state.chosen[:] = NO_CARD
    state.chosen_tile[:] = NO_TILE
    state.kept[:] = 0
    state.workers = 0
    state.hal_card = NO_CARD
    state.lost_tile = NO_TILE
    state.supply[:] = 0
    state.supply_size = 0
    state.tiles[:] = 0
    state.returning[:] = 0
    state.taken_back[:] = 0
    state.returned = 0
    state.resources[:] = 0
    state.stock[:] = 0
    state.points[:] = 0
    state.tokens[:] = 0
    state.bonus[:] = 0
    state.with_act[:] = 0
    state.with_colour[:] = 0
    clear_city(state)
    clear_agenda(state)


@kernel
def clear_city(state: State) -> None:
    """Remove every tile and marker from the city."""
    state.num_sites = 0
    state.site_x[:] = 0
    state.site_y[:] = 0
    state.site_tile[:] = NO_TILE
    state.levels[:] = 0
    state.owner[:] = NOBODY
    state.around[:] = NO_SITE
    state.site_of[:] = NO_SITE
    state.covered = 0
    state.contour[:] = NO_SIDE
    state.contour_length = 0
    state.contour_at[:] = NO_SIDE
    state.marker[:] = NO_SIDE
    state.shut_in = 0


@kernel
def lay_start(state: State) -> None:
    """Lay tiles 1 to 3 of each colour as a square, markers A to L around it (GK §1)."""
    for colour in range(NUM_COLOURS):
        for k in range(START_NUMBERS):
            state.supply[colour * START_NUMBERS + k] = colour * NUMBERS + k
    shuffle(state, state.supply, START_TILES)
    for k in range(START_TILES):
        add_site(state, k % START_SIDE, k // START_SIDE, int(state.supply[k]), NOBODY)
    trace_contour(state)
    for letter in range(NUM_LETTERS):
        state.marker[letter] = state.contour[letter]


@kernel
def shuffle_supply(t: Table, state: State) -> None:
    """Shuffle the other tiles; with 1 to 3 seats remove some unseen (GK §1)."""
    size = 0
    for tile in range(NUM_TILES):
        if state.site_of[tile] == NO_SITE:
            state.supply[size] = tile
            size += 1
    shuffle(state, state.supply, size)
    removed = int(t.removed_tiles[state.num_seats])
    state.supply_size = size - removed


@kernel
def first_deck(t: Table, state: State) -> None:
    """Form the deck: 12 urbanization cards and those of the starting buildings (GK §1)."""
    state.deck[:] = 0
    state.discarded_letters = (1 << NUM_LETTERS) - 1
    for site in range(START_TILES):
        state.discarded |= 1 << int(state.site_tile[site])
    form_deck(t, state)


@kernel
def equip_seats(t: Table, state: State) -> None:
    """Put resources into the supply, give tokens to the seats; solo, the starting items."""
    seats = int(state.num_seats)
    for seat in range(seats):
        state.stock[seat] = t.resources[seats]
        state.tokens[seat] = t.tokens if seats > 1 else 0
    if seats == 1:
        state.stock[HAL] = t.resources[seats]
        gain_resources(state, 0, int(t.solo_items[Gain.RESOURCE]))
        state.points[0] = t.solo_items[Gain.POINT]
        push(state, Step.BEGIN_ROUND, 0)
        push_tiles(state, 0, int(t.solo_items[Gain.TILE]))


@kernel
def deal_packs(t: Table, state: State) -> None:
    """Deal four characters to every seat to draft from (G11), using the deck as scratch."""
    count = int(t.num_characters)
    seats = int(state.num_seats)
    for k in range(count):
        state.deck[k] = t.character_kind[k]
    shuffle(state, state.deck, count)
    for seat in range(seats):
        for k in range(HAND_SIZE):
            state.pack[seat, k] = state.deck[seat * HAND_SIZE + k]
    ask_all(state, Step.DRAFT)


@kernel
def deal_sets(t: Table, state: State) -> None:
    """Give every seat a different introductory set (GK §2), using the deck as scratch."""
    count = int(t.num_sets)
    for k in range(count):
        state.deck[k] = k
    shuffle(state, state.deck, count)
    for seat in range(state.num_seats):
        for k in range(CHARACTERS_KEPT):
            state.picks[seat, k] = t.sets[state.deck[seat], k]
    state.num_picks = CHARACTERS_KEPT
    show_characters(state)


@kernel
def show_characters(state: State) -> None:
    """Show the characters; push starting items, hands and the first round (G11)."""
    seats = int(state.num_seats)
    push(state, Step.BEGIN_ROUND, 0)
    push(state, Step.DEAL_HANDS, 0)
    for seat in range(seats - 1, -1, -1):
        for k in range(CHARACTERS_KEPT):
            keep_character(state, seat, int(state.picks[seat, k]))
        push(state, Step.EQUIP, seat)


@kernel
def take_items(t: Table, state: State, seat: int) -> None:
    """Take the starting items of a seat's characters (GK §1)."""
    pop(state)
    tiles = 0
    for k in range(CHARACTERS_KEPT):
        items = t.character_items[state.picks[seat, k]]
        gain_resources(state, seat, int(items[Gain.RESOURCE]))
        state.points[seat] += items[Gain.POINT]
        tiles += int(items[Gain.TILE])
    if tiles > 0:
        push_tiles(state, seat, tiles)


@kernel
def deal_hands(t: Table, state: State) -> None:
    """Deal four cards to every seat (G11)."""
    pop(state)
    for seat in range(state.num_seats):
        for _ in range(HAND_SIZE):
            draw_to_hand(t, state, seat)


@kernel
def set_up(t: Table, state: State) -> None:
    """Carry out the setup up to the first decision; the caller has seeded the rng."""
    clear(state)
    lay_start(state)
    shuffle_supply(t, state)
    equip_seats(t, state)
    if state.num_seats > 1:
        if state.characters == Characters.DRAFT:
            deal_packs(t, state)
        else:
            deal_sets(t, state)
    first_deck(t, state)
