"""The observation of *Ginkgopolis*: without the others' hands, choices and tiles, and the decks.

Seats are numbered from the observer: 0 is itself, 1 the next seat clockwise, and so on; solo, 1 is
Hal.  During a pass the observation does not show who has answered, or what (GK §3).
"""

from __future__ import annotations

from enum import IntEnum, auto
from typing import Final

import numpy as np
import numpy.typing as npt

from sprawl_env.core.layout import ObservationLayout
from sprawl_env.core.state import NOBODY, NOT_OVER, Games, State, Tables
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
    NUM_KINDS,
    NUM_LETTERS,
    NUM_TILES,
    NUMBERS,
    STEP_X,
    STEP_Y,
    Step,
)
from sprawl_env.games.ginkgopolis.rules.act import colour_of
from sprawl_env.games.ginkgopolis.rules.draft import pack_of
from sprawl_env.games.ginkgopolis.rules.scoring import num_sides
from sprawl_env.kernels.arrays import Floats
from sprawl_env.kernels.bits import count_bits, lowest
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.lanes import LANE_BITS
from sprawl_env.kernels.old_agenda import SEAT, STEP, A, top


class Letter(IntEnum):
    """Offsets of the numbers about an urbanization card, from the first of them."""

    IN_HAND = 0
    CHOSEN = 1
    DISCARDED = 2
    MOVING = 3
    PLACE = 4
    YIELD = PLACE + 2
    KNOWN = YIELD + NUM_COLOURS  # one number a seat


class Tile(IntEnum):
    """Offsets of the numbers about a tile and its building card."""

    OWN = 0
    WITH = 1
    IN_HAND = 2
    CHOSEN = 3
    DISCARDED = 4
    LEVELS = 5
    WORKER = 6
    COVERED = 7
    PLACE = 8
    KNOWN = PLACE + 2  # one number a side each: card known in a hand, card kept, owner


class Kind(IntEnum):
    """Offsets of the numbers about a kind of character."""

    IN_PACK = 0
    CHOSEN = auto()
    KEPT = auto()  # one number a side


class Block(IntEnum):
    """The other blocks of the layout, in order; ``tables.block_start`` has their offsets."""

    LETTERS = 0
    TILES = auto()
    KINDS = auto()
    CITY = auto()
    OUTSIDE = auto()
    DECISION = auto()
    TO_PLAY = auto()
    FIRST = auto()
    SCREEN = auto()
    STOCK = auto()
    BUILT = auto()
    TOKENS = auto()
    BONUS = auto()
    WITH_ACT = auto()
    WITH_COLOUR = auto()
    SUPPLY = auto()
    RUN_OUTS = auto()
    ENDING = auto()
    DECK = auto()
    ROUND = auto()


Places = npt.NDArray[np.int8]

LETTER: Final = "letter"
TILE: Final = "tile"
KIND: Final = "kind"
WINDOW: Final = 11  # cells a side of the window, centred on the city
PLANES: Final = 5  # levels of red, blue and yellow; owner; marker
OWNER_PLANE: Final = 3
MARKER_PLANE: Final = 4
NUM_DECISIONS: Final = 6
PLACE_UNIT: Final = 1 / 16
RESOURCE_UNIT: Final = 1 / 25
TILE_UNIT: Final = 1 / 20
POINT_UNIT: Final = 1 / 150
TOKEN_UNIT: Final = 1 / 2
BONUS_UNIT: Final = 1 / 6
CARD_UNIT: Final = 1 / 15
KIND_UNIT: Final = 1 / 4
SUPPLY_UNIT: Final = 1 / 51
DECK_UNIT: Final = 1 / 72
AREA: Final = WINDOW * WINDOW
MOST_NUMBERS: Final = 0xFFF  # of an observation: 2,464 with five seats
EAST: Final = np.array(STEP_X[:COMPASS:2])  # of a side's direction
SOUTH: Final = np.array(STEP_Y[:COMPASS:2])
# Lookup tables.  Their lengths are powers of two, and an index is masked with the last index: the
# mask shows the compiler that the index is in range, and negative indices count from the end.
LAST_TILE: Final = 0x3F
LANE_OF: Final = np.array([1 << tile // NUMBERS * LANE_BITS for tile in range(LAST_TILE + 1)])
LAST_EIGHTH: Final = 0xFF
EIGHTHS: Final = np.minimum(np.arange(LAST_EIGHTH + 1) / 8, 1).astype(np.float32)
LAST_PLACE: Final = 0x1FF
PLACES: Final = np.roll(
    np.clip(np.arange(-256, 256) * PLACE_UNIT, -1, 1).astype(np.float32), 256
)  # by steps from the centre, -256..255


def layout(tables: Tables, num_seats: int) -> ObservationLayout:
    """Return the layout for a number of seats and store its offsets in ``tables``."""
    sides = max(num_seats, 2)
    by_seat = "by seat from the observer (solo: 1 is Hal)"
    centre = "from the window's centre / 16, east and south"
    result = ObservationLayout(
        ("letter_in_hand", (NUM_LETTERS,), "1 if in the observer's hand", LETTER),
        ("letter_chosen", (NUM_LETTERS,), "1 for the card the observer has chosen", LETTER),
        ("letter_discarded", (NUM_LETTERS,), "1 if discarded", LETTER),
        ("letter_moving", (NUM_LETTERS,), "1 while its marker is to be placed", LETTER),
        ("letter_place", (NUM_LETTERS, 2), f"the marker's cell {centre}", LETTER),
        (
            "letter_yield",
            (NUM_LETTERS, NUM_COLOURS),
            "levels adjacent to the marker / 8, by colour",
            LETTER,
        ),
        (
            "letter_known",
            (NUM_LETTERS, sides),
            f"1 for a card that was passed on and must be in a hand, {by_seat}",
            LETTER,
        ),
        ("tile_own", (NUM_TILES,), "1 if behind the observer's screen", TILE),
        ("tile_with", (NUM_TILES,), "1 for the tile the observer has put on its card", TILE),
        ("card_in_hand", (NUM_TILES,), "1 if its building card is in the observer's hand", TILE),
        ("card_chosen", (NUM_TILES,), "1 for the card the observer has chosen", TILE),
        ("card_discarded", (NUM_TILES,), "1 if its card is discarded", TILE),
        ("levels", (NUM_TILES,), "levels of the building it tops / 8", TILE),
        ("worker", (NUM_TILES,), "1 if it has a worker: its card waits for the next deck", TILE),
        ("covered", (NUM_TILES,), "1 if below another tile", TILE),
        ("tile_place", (NUM_TILES, 2), f"cell of the building it tops, {centre}", TILE),
        (
            "card_known",
            (NUM_TILES, sides),
            f"1 for a card that was passed on and must be in a hand, {by_seat}",
            TILE,
        ),
        ("card_kept", (NUM_TILES, sides), f"1 for a card in front of a seat, {by_seat}", TILE),
        ("owner", (NUM_TILES, sides), f"1 for the owner of the building it tops, {by_seat}", TILE),
        ("kind_in_pack", (NUM_KINDS,), "characters in the pack to pick from / 4", KIND),
        ("kind_chosen", (NUM_KINDS,), "1 for the pick the observer has made", KIND),
        ("kind_kept", (NUM_KINDS, sides), f"characters in front of a seat / 4, {by_seat}; "
         "the others' once the draft is over", KIND),
        (
            "city",
            (PLANES, WINDOW, WINDOW),
            "window centred on the city: levels / 8 of red, blue and yellow buildings, owner (+1 "
            "observer, -1 another side), 1 for a marker",
        ),
        ("outside", (1,), f"buildings outside the window / {NUM_TILES}"),
        ("decision", (NUM_DECISIONS,), "draft, card, tile, return, gain, marker: one is 1"),
        ("to_play", (sides,), f"1 for the seat that owes a decision, {by_seat}; in a pass only "
         "the observer is shown"),
        ("first", (sides,), f"1 for the first player, {by_seat}"),
        ("screen", (sides, NUM_GAINS), "behind the screen: resources / 25, tiles / 20, points / "
         f"150, {by_seat}; the others' with open_screens only"),
        ("stock", (sides,), f"the side's resources in the supply / 25, {by_seat}"),
        ("built", (sides,), f"resources on buildings / 25, {by_seat}"),
        ("tokens", (sides,), f"New Hand tokens / 2, {by_seat}"),
        ("bonus", (sides, NUM_ACTS, NUM_GAINS), f"permanent bonuses / 6, {by_seat}"),
        ("with_act", (sides, NUM_ACTS), f"cards with a bonus on the act / 15, {by_seat}"),
        ("with_colour", (sides, NUM_COLOURS), f"cards of the colour / 15, {by_seat}"),
        ("supply", (1,), "tiles in the supply / 51"),
        ("run_outs", (2,), "1 after the first, after the second run-out"),
        ("ending", (1,), "1 once the end is triggered"),
        ("deck", (1,), "cards in the deck / 72"),
        ("round", (1,), "round / max_rounds"),
    )  # fmt: skip
    blocks = list(result.blocks.values())
    starts = {}
    for entity, features in ((LETTER, Letter), (TILE, Tile), (KIND, Kind)):
        own = [block for block in blocks if block.entity == entity]
        starts[entity] = own[0].start
        by_side = features(max(features))
        at = sorted(int(feature) for feature in features)
        if [b.start - own[0].start for b in own][: len(at)] != at or by_side != at[-1]:
            raise AssertionError(f"{features.__name__} and the layout disagree")
    others = [block for block in blocks if not block.entity]
    if [b.name.upper() for b in others] != [block.name for block in Block if block >= Block.CITY]:
        raise AssertionError("Block and the layout name different blocks")
    entity_starts = [starts[LETTER], starts[TILE], starts[KIND]]
    tables.block_start[0, : len(Block)] = [*entity_starts, *(block.start for block in others)]
    return result


@kernel
def seen_sides(t: State) -> int:
    """Return the number of sides in the layout."""
    return max(int(t.seen_seats), 2)


@kernel
def known(index: int) -> int:
    """Return a non-negative index in a form that the compiler recognises as non-negative.

    Otherwise each access checks whether the index is negative, which doubles its cost.
    """
    return index & MOST_NUMBERS


@kernel
def block_at(t: State, block: int) -> int:
    """Return the first index of a block."""
    return int(t.block_start[block])


@kernel
def letter_stride(t: State) -> int:
    """Return how many numbers there are about one urbanization card."""
    return Letter.KNOWN + seen_sides(t)


@kernel
def tile_stride(t: State) -> int:
    """Return how many numbers there are about one tile."""
    return Tile.KNOWN + 3 * seen_sides(t)


@kernel
def letter_at(t: State, letter: int) -> int:
    """Return the first index of the numbers about an urbanization card."""
    return block_at(t, Block.LETTERS) + letter * letter_stride(t)


@kernel
def tile_at(t: State, tile: int) -> int:
    """Return the first index of the numbers about a tile."""
    return block_at(t, Block.TILES) + tile * tile_stride(t)


@kernel
def kind_at(t: State, kind: int) -> int:
    """Return the first index of the numbers about a kind of character."""
    return int(t.block_start[Block.KINDS]) + kind * (Kind.KEPT + seen_sides(t))


@kernel
def side_seen(state: State, viewer: int, seat: int) -> int:
    """Return how many sides clockwise from the observer a seat, or Hal, is."""
    away = seat - viewer
    return away if away >= 0 else away + num_sides(state)


@kernel
def mark(things: int, first: int, stride: int, out: Floats) -> None:
    """Write 1 for every member of a set: member ``k`` at ``first + k * stride``."""
    while things:
        out[known(first + lowest(things) * stride)] = 1.0
        things &= things - 1


@kernel
def write_card(t: State, card: int, of_letter: int, of_tile: int, out: Floats) -> None:
    """Write 1 for one card, at the offset of its kind."""
    if card < NUM_LETTERS:
        out[letter_at(t, card) + of_letter] = 1.0
    else:
        out[tile_at(t, card - NUM_LETTERS) + of_tile] = 1.0


@kernel
def write_hands(t: State, state: State, viewer: int, out: Floats) -> None:
    """Write the own hand and choice, and the cards passed on that are still in a hand."""
    for k in range(HAND_SIZE):
        card = int(state.hand[viewer, k])
        if card != NO_CARD:
            write_card(t, card, Letter.IN_HAND, Tile.IN_HAND, out)
    if state.rounds > 0 and state.chosen[viewer] != NO_CARD:
        write_card(t, int(state.chosen[viewer]), Letter.CHOSEN, Tile.CHOSEN, out)
    if state.chosen_tile[viewer] != NO_TILE:
        out[tile_at(t, int(state.chosen_tile[viewer])) + Tile.WITH] = 1.0
    bit = 1 << viewer
    for other in range(state.num_seats):
        for k in range(HAND_SIZE):
            card = int(state.hand[other, k])
            if other != viewer and card != NO_CARD and int(state.known_by[card]) & bit:
                side = side_seen(state, viewer, other)
                write_card(t, card, Letter.KNOWN + side, Tile.KNOWN + side, out)


@kernel
def write_sets(t: State, state: State, viewer: int, out: Floats) -> None:
    """Write the sets of tiles: own, discarded, with a worker, covered, kept."""
    first, stride = tile_at(t, 0), tile_stride(t)
    mark(int(state.tiles[viewer]), first + Tile.OWN, stride, out)
    mark(int(state.discarded), first + Tile.DISCARDED, stride, out)
    mark(int(state.workers), first + Tile.WORKER, stride, out)
    mark(int(state.covered), first + Tile.COVERED, stride, out)
    sides = seen_sides(t)
    for seat in range(min(num_sides(state), sides)):
        side = side_seen(state, viewer, seat)
        mark(int(state.kept[seat]), first + Tile.KNOWN + sides + side, stride, out)
    letters = int(state.discarded_letters)
    mark(letters, letter_at(t, 0) + Letter.DISCARDED, letter_stride(t), out)


@kernel
def window_cell(dx: int, dy: int) -> int:
    """Return a cell's index in a plane from its offset to the centre; -1 outside the window."""
    column, row = dx + WINDOW // 2, dy + WINDOW // 2
    if 0 <= column < WINDOW and 0 <= row < WINDOW:
        return row * WINDOW + column
    return -1


@kernel
def middle(state: State, places: Places) -> int:
    """Return the window's centre on one axis: the middle of the city, rounded down."""
    first, last = 0, 0
    for site in range(state.num_sites):
        first = min(first, int(places[site]))
        last = max(last, int(places[site]))
    return (first + last) >> 1


@kernel
def write_buildings(t: State, state: State, viewer: int, x: int, y: int, out: Floats) -> None:
    """Write every building into its tile's row and into the window."""
    first, stride = tile_at(t, 0), tile_stride(t)
    city, built = block_at(t, Block.CITY), block_at(t, Block.BUILT)
    owners = Tile.KNOWN + 2 * seen_sides(t)
    for site in range(state.num_sites):
        tile, owner = int(state.site_tile[site]), int(state.owner[site])
        levels = int(state.levels[site])
        dx, dy = int(state.site_x[site]) - x, int(state.site_y[site]) - y
        at = known(first + tile * stride)
        out[at + Tile.LEVELS] = EIGHTHS[levels & LAST_EIGHTH]
        out[at + Tile.PLACE] = PLACES[dx & LAST_PLACE]
        out[at + Tile.PLACE + 1] = PLACES[dy & LAST_PLACE]
        # Without an owner, write zeros for some side: a branch here would be unpredictable.
        side = side_seen(state, viewer, owner)
        is_owned = owner != NOBODY
        out[at + known(owners + side)] = is_owned
        out[known(built + side)] += (levels if is_owned else 0) * RESOURCE_UNIT
        cell = window_cell(dx, dy)
        if cell < 0:
            out[block_at(t, Block.OUTSIDE)] += 1.0 / NUM_TILES
            continue
        at = known(city + cell)
        out[at + known(colour_of(tile) * AREA)] = EIGHTHS[levels & LAST_EIGHTH]
        out[at + OWNER_PLANE * AREA] = 1.0 if owner == viewer else -1.0 if is_owned else 0.0


@kernel
def yields_of(state: State, site: int) -> int:
    """Return a building's levels in the lane of its colour; 0 if there is no site."""
    there = int(site != NO_SITE)  # arithmetic instead of an unpredictable branch
    site = known(site * there)
    lane = LANE_OF[int(state.site_tile[site]) & LAST_TILE]
    return int(state.levels[site]) * there * int(lane)


@kernel
def yields_beside(state: State, site: int, direction: int) -> int:
    """Return the levels adjacent to the cell a side faces, in the lanes of their colours."""
    around = state.around[site]
    yields = yields_of(state, site)
    yields += yields_of(state, int(around[2 * direction + 1]))
    yields += yields_of(state, int(around[(2 * direction + 7) % COMPASS]))
    return yields + yields_of(state, int(around[COMPASS + direction]))


@kernel
def write_markers(t: State, state: State, x: int, y: int, out: Floats) -> None:
    """Write where every marker is and what is adjacent to it."""
    first, stride = letter_at(t, 0), letter_stride(t)
    plane = block_at(t, Block.CITY) + MARKER_PLANE * AREA
    for letter in range(NUM_LETTERS):
        side = int(state.marker[letter])
        if side == NO_SIDE:
            continue
        site, direction = known(side >> 2), side & 3
        dx = int(state.site_x[site]) + EAST[direction] - x
        dy = int(state.site_y[site]) + SOUTH[direction] - y
        at = known(first + letter * stride)
        out[at + Letter.PLACE] = PLACES[dx & LAST_PLACE]
        out[at + Letter.PLACE + 1] = PLACES[dy & LAST_PLACE]
        yields = yields_beside(state, site, direction)
        for colour in range(NUM_COLOURS):
            levels = yields >> colour * LANE_BITS
            out[at + Letter.YIELD + colour] = EIGHTHS[levels & LAST_EIGHTH]
        cell = window_cell(dx, dy)
        if cell >= 0:
            out[known(plane + cell)] = 1.0


@kernel
def write_city(t: State, state: State, viewer: int, out: Floats) -> None:
    """Write buildings and markers."""
    x, y = middle(state, state.site_x), middle(state, state.site_y)
    write_buildings(t, state, viewer, x, y, out)
    write_markers(t, state, x, y, out)


@kernel
def write_characters(t: State, state: State, viewer: int, out: Floats) -> None:
    """Write the pack to pick from and the characters in front of the seats (G11)."""
    drafting = state.rounds == 0 and state.num_picks < state.picks.shape[1]
    for seat in range(state.num_seats):
        side = side_seen(state, viewer, seat)
        for k in range(state.picks.shape[1]):
            kind = int(state.picks[seat, k])
            if kind != NO_CHARACTER and (seat == viewer or not drafting):
                out[kind_at(t, kind) + Kind.KEPT + side] += KIND_UNIT
    if drafting and state.num_seats > 1:
        pack = pack_of(state, viewer)
        for k in range(HAND_SIZE):
            if state.taken_in[pack, k] == NOT_TAKEN:
                out[kind_at(t, int(state.pack[pack, k])) + Kind.IN_PACK] += KIND_UNIT
        if state.chosen[viewer] != NO_CARD:
            out[kind_at(t, int(state.chosen[viewer])) + Kind.CHOSEN] = 1.0


@kernel
def write_bonuses(t: State, state: State, seat: int, side: int, out: Floats) -> None:
    """Write a side's permanent bonuses and its number of cards of each kind."""
    with_act = known(block_at(t, Block.WITH_ACT) + side * NUM_ACTS)
    with_colour = known(block_at(t, Block.WITH_COLOUR) + side * NUM_COLOURS)
    bonus = known(block_at(t, Block.BONUS) + side * NUM_ACTS * NUM_GAINS)
    for act in range(NUM_ACTS):
        out[with_act + act] = min(int(state.with_act[seat, act]) * CARD_UNIT, 1.0)
        for gain in range(NUM_GAINS):
            at = bonus + act * NUM_GAINS + gain
            out[at] = min(int(state.bonus[seat, act, gain]) * BONUS_UNIT, 1.0)
    for colour in range(NUM_COLOURS):
        out[with_colour + colour] = min(int(state.with_colour[seat, colour]) * CARD_UNIT, 1.0)


@kernel
def write_side(t: State, state: State, seat: int, side: int, is_open: bool, out: Floats) -> None:
    """Write what is in front of a side's screen, and behind it if it is open."""
    if is_open:
        at = known(block_at(t, Block.SCREEN) + side * NUM_GAINS)
        tiles = count_bits(state.tiles[seat]) + count_bits(state.returning[seat])
        out[at] = min(int(state.resources[seat]) * RESOURCE_UNIT, 1.0)
        out[at + 1] = min(tiles * TILE_UNIT, 1.0)
        out[at + 2] = min(int(state.points[seat]) * POINT_UNIT, 1.0)
    built = known(block_at(t, Block.BUILT) + side)
    out[built] = min(out[built], 1.0)
    stock, tokens = int(state.stock[seat]), int(state.tokens[seat])
    out[known(block_at(t, Block.STOCK) + side)] = min(stock * RESOURCE_UNIT, 1.0)
    out[known(block_at(t, Block.TOKENS) + side)] = min(tokens * TOKEN_UNIT, 1.0)
    write_bonuses(t, state, seat, side, out)


@kernel
def write_common(t: State, state: State, viewer: int, out: Floats) -> None:
    """Write deck, supply, first player and how close the end is."""
    start = t.block_start
    out[start[Block.FIRST] + side_seen(state, viewer, int(state.first))] = 1.0
    out[start[Block.SUPPLY]] = min(int(state.supply_size) * SUPPLY_UNIT, 1.0)
    out[start[Block.RUN_OUTS]] = state.run_outs > 0
    out[start[Block.RUN_OUTS] + 1] = state.run_outs > 1
    out[start[Block.ENDING]] = state.ending
    out[start[Block.DECK]] = int(state.deck_size) * DECK_UNIT
    out[start[Block.ROUND]] = state.rounds / float(state.max_rounds)


@kernel
def write_decision(t: State, state: State, viewer: int, out: Floats) -> None:
    """Write the current decision; in a pass only whether the observer owes an answer."""
    step = top(state, STEP)
    if step > LAST_DECISION:
        return
    out[t.block_start[Block.DECISION] + step] = 1.0
    if step > LAST_PASS:
        side = side_seen(state, viewer, top(state, SEAT))
        out[t.block_start[Block.TO_PLAY] + side] = 1.0
        if step == Step.MARKER:
            out[letter_at(t, top(state, A)) + Letter.MOVING] = 1.0
    elif (int(state.owes) >> viewer) & 1:
        out[t.block_start[Block.TO_PLAY]] = 1.0


@kernel
def observe(tables: Tables, games: Games, g: int, seat: int, out: Floats) -> None:
    """Write what ``seat`` sees; the layout may have more seats than the game."""
    t, state = tables[0], games[g]
    out[:] = 0.0
    write_hands(t, state, seat, out)
    write_sets(t, state, seat, out)
    write_city(t, state, seat, out)
    write_characters(t, state, seat, out)
    sides = num_sides(state)
    for other in range(min(sides, seen_sides(t))):
        side = side_seen(state, seat, other)
        is_hal = state.num_seats == 1 and other == HAL
        is_open = other == seat or bool(state.open_screens) or is_hal
        write_side(t, state, other, side, is_open, out)
    write_common(t, state, seat, out)
    if state.over == NOT_OVER:
        write_decision(t, state, seat, out)
