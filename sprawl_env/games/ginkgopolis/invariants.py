"""Conditions that hold in every position of *Ginkgopolis*, recomputed from its parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sprawl_env.core.state import NOBODY, NOT_OVER, Games, Tables
from sprawl_env.games.ginkgopolis.constants import (
    CHARACTERS_KEPT,
    HAND_SIZE,
    LAST_DECISION,
    LETTERS,
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
from sprawl_env.games.ginkgopolis.names import cell_beside, moving_letter, tiles_in
from sprawl_env.games.ginkgopolis.state import AGENDA_DEPTH, State
from sprawl_env.games.ginkgopolis.tables import Table
from sprawl_env.games.ginkgopolis.wording import card_name, tile_name

Ints = npt.NDArray[np.int64]

SET = (0, 2**NUM_TILES - 1)
COUNTED = (0, 127)
EVERYONE = (0, 2**MAX_SEATS - 1)


def violations(tables: Tables, games: Games, g: int) -> list[str]:
    """Return what is wrong with a position, one line each; empty if nothing is."""
    wrong = list(ranges(tables, games, g))  # first: the other checks use the values as indices
    return wrong or [
        *_agenda(games, g),
        *_city(games, g),
        *_contour(games, g),
        *_markers(games, g),
        *_tiles(tables, games, g),
        *_cards(games, g),
        *_known(games, g),
        *_resources(tables, games, g),
        *_bonuses(tables, games, g),
    ]


def ranges(tables: Tables, games: Games, g: int) -> Iterator[str]:
    """Check every value that is used as an index or a count."""
    state: State = games[g]
    seats = int(state.num_seats)
    limits = {
        "rng": (1, 2**63 - 1),
        "ply": (0, 10**7),
        "turn": (0, 2**14),  # the field's numbers end at 2**15 - 1
        "num_seats": (1, MAX_SEATS),
        "to_play": (NOBODY, seats - 1),
        "over": (0, 2),
        "rounds": (0, int(state.max_rounds)),
        "first": (0, max(seats - 1, 0)),
        "owes": EVERYONE,
        "asked": EVERYONE,
        "again": EVERYONE,
        "pass_number": COUNTED,
        "run_outs": (0, 2),
        "ending": (0, 1),
        "pack": (NO_CHARACTER, NUM_KINDS - 1),
        "taken_in": (NOT_TAKEN, CHARACTERS_KEPT - 1),
        "picks": (NO_CHARACTER, NUM_KINDS - 1),
        "num_picks": (0, CHARACTERS_KEPT),
        "deck": (0, NUM_CARDS - 1),
        "deck_size": (0, NUM_CARDS),
        "discarded_letters": (0, 2**NUM_LETTERS - 1),
        "discarded": SET,
        "hand": (NO_CARD, NUM_CARDS - 1),
        "known_by": EVERYONE,
        "age": (0, MAX_SEATS * HAND_SIZE + 1),
        "chosen": (NO_CARD, NUM_CARDS - 1),
        "chosen_tile": (NO_TILE, NUM_TILES - 1),
        "kept": SET,
        "workers": SET,
        "hal_card": (NO_CARD, NUM_CARDS - 1),
        "lost_tile": (NO_TILE, NUM_TILES - 1),
        "supply": (0, NUM_TILES - 1),
        "supply_size": (0, NUM_TILES - START_TILES),
        "tiles": SET,
        "returning": SET,
        "taken_back": SET,
        "returned": SET,
        "resources": COUNTED,
        "stock": COUNTED,
        "points": (0, 2**14),
        "tokens": COUNTED,
        "bonus": COUNTED,
        "with_act": COUNTED,
        "with_colour": COUNTED,
        "num_sites": (START_TILES, NUM_TILES),
        "site_x": (-51, 53),
        "site_y": (-51, 53),
        "site_tile": (NO_TILE, NUM_TILES - 1),
        "levels": (0, NUM_TILES),
        "owner": (NOBODY, MAX_SEATS - 1),
        "around": (NO_SITE, NUM_TILES - 1),
        "site_of": (NO_SITE, NUM_TILES - 1),
        "covered": SET,
        "contour": (NO_SIDE, NUM_TILE_SIDES - 1),
        "contour_length": (12, MAX_CONTOUR),
        "contour_at": (NO_SIDE, MAX_CONTOUR - 1),
        "marker": (NO_SIDE, NUM_TILE_SIDES - 1),
        "shut_in": (0, 2**NUM_LETTERS - 1),
        "agenda_size": (0 if state.over else 1, AGENDA_DEPTH),
    }
    for field, (low, high) in limits.items():
        values = np.asarray(games[field][g])
        if values.min() < low or values.max() > high:
            yield f"{field}: expected {low}..{high}, got {values.min()}..{values.max()}"


def _agenda(games: Games, g: int) -> Iterator[str]:
    """Check that the one decision is on top and belongs to the seat to play."""
    state: State = games[g]
    size = int(state.agenda_size)
    if state.over != NOT_OVER:
        if state.to_play != NOBODY or size != 0:
            yield f"to_play: expected {NOBODY} and an empty agenda once over"
        return
    *below, decision = (state.agenda[k] for k in range(size))
    if any(
        not 0 <= entry.step <= max(Step) or not 0 <= entry.seat < MAX_SEATS
        for entry in (*below, decision)
    ):
        yield "agenda: expected known steps of known seats"
        return
    step = int(decision.step)
    if step > LAST_DECISION or any(entry.step <= LAST_DECISION for entry in below):
        yield "agenda: expected one decision, on top"
    elif step <= Step.RETURN:
        if step != Step.RETURN and (step == Step.DRAFT) != (state.rounds == 0):
            yield "rounds: expected 0 in the draft, and more afterwards"
        if state.to_play < 0 or not int(state.owes) >> int(state.to_play) & 1:
            yield "owes: expected the seat to play to owe an answer"
        if int(state.owes) & ~int(state.asked) or int(state.asked) >> int(state.num_seats):
            yield "owes: expected only seats that were asked"
    elif decision.seat != state.to_play:
        yield "agenda: expected a decision of the seat to play"
    if step == Step.MARKER and not (
        0 <= decision.letter < NUM_LETTERS
        and NO_SITE <= decision.site < NUM_TILES
        and 0 <= decision.first_letter < NUM_LETTERS
    ):
        yield "agenda: expected a letter to place"


def _city(games: Games, g: int) -> Iterator[str]:
    """Check sites, their neighbours and their tiles."""
    state: State = games[g]
    count = int(state.num_sites)
    places = {(int(state.site_x[s]), int(state.site_y[s])): s for s in range(count)}
    if len(places) != count:
        yield "site_x, site_y: two sites in one cell"
    if any((k % 3, k // 3) not in places for k in range(START_TILES)):
        yield "site_x, site_y: expected the start at 0..2"
    top = [NO_SITE] * NUM_TILES
    for (x, y), site in places.items():
        tile = int(state.site_tile[site])
        if tile == NO_TILE or state.levels[site] < 1:
            yield f"site {site}: expected a tile and a level"
            continue
        if top[tile] != NO_SITE:
            yield f"site_tile: {tile_name(tile)} tops two buildings"
        top[tile] = site
        around = [
            places.get((x + dx, y + dy), NO_SITE) for dx, dy in zip(STEP_X, STEP_Y, strict=True)
        ]
        if state.around[site].tolist() != around:
            yield f"around: site {site} should have {around}"
        if site >= START_TILES and state.owner[site] == NOBODY:
            yield f"owner: site {site} is no starting building"
        if (state.owner[site] == NOBODY) != (site < START_TILES and state.levels[site] == 1):
            yield f"owner: expected one for site {site}, or a starting building of one level"
    if state.site_of.tolist() != top:
        yield "site_of: does not match the sites"
    if (state.site_tile[count:] != NO_TILE).any() or state.levels[count:].any():
        yield "num_sites: expected no tiles beyond it"


def _contour(games: Games, g: int) -> Iterator[str]:
    """Check that the contour holds each side that faces the outside once (G4)."""
    state: State = games[g]
    count = int(state.num_sites)
    built = {(int(state.site_x[s]), int(state.site_y[s])) for s in range(count)}
    columns, rows = [x for x, _ in built], [y for _, y in built]
    bounds = range(min(columns) - 1, max(columns) + 2), range(min(rows) - 1, max(rows) + 2)
    outside = {(bounds[0][0], bounds[1][0])}
    border = list(outside)
    while border:
        x, y = border.pop()
        for dx, dy in ((0, -1), (1, 0), (0, 1), (-1, 0)):
            cell = (x + dx, y + dy)
            inside = cell[0] in bounds[0] and cell[1] in bounds[1]
            if inside and cell not in built and cell not in outside:
                outside.add(cell)
                border.append(cell)
    facing = {side for side in range(count * 4) if cell_beside(state, side) in outside}
    walked = state.contour[: state.contour_length].tolist()
    if set(walked) != facing or len(walked) != len(facing):
        yield "contour: expected each side that faces the outside once"
    at = [NO_SIDE] * NUM_TILE_SIDES
    for place, side in enumerate(walked):
        at[side] = place
    if state.contour_at.tolist() != at:
        yield "contour_at: does not match the contour"


def _markers(games: Games, g: int) -> Iterator[str]:
    """Check that markers have cells of their own and read A to L on the contour (G4)."""
    state: State = games[g]
    moving = moving_letter(state)
    places, cells = [], []
    for letter in range(NUM_LETTERS):
        side = int(state.marker[letter])
        waits = letter == moving or int(state.shut_in) >> letter & 1
        if side == NO_SIDE or state.contour_at[side] == NO_SIDE:
            if not waits:
                yield f"marker: {LETTERS[letter]} leans on no side of the contour"
            continue
        places.append(int(state.contour_at[side]))
        cells.append(cell_beside(state, side))
    if len(set(cells)) != len(cells):
        yield "marker: two markers in one cell"
    descents = sum(a > b for a, b in zip(places, places[1:] + places[:1], strict=True))
    if descents > 1:
        yield "marker: expected A to L clockwise"


def _tiles(tables: Tables, games: Games, g: int) -> Iterator[str]:
    """Check that every tile except the removed ones is in exactly one place."""
    state: State = games[g]
    tiles = Counter(state.site_tile[: state.num_sites].tolist())
    tiles.update(state.supply[: state.supply_size].tolist())
    for field in ("tiles", "returning"):
        for held in games[field][g]:
            tiles.update(tiles_in(held))
    tiles.update(tiles_in(state.covered))
    if state.lost_tile != NO_TILE:
        tiles[int(state.lost_tile)] += 1
    twice = [tile_name(tile) for tile, times in tiles.items() if times > 1]
    if twice:
        yield f"tiles: {twice[0]} is in two places"
    if len(tiles) != NUM_TILES - int(tables[0].removed_tiles[state.num_seats]):
        yield f"tiles: expected {NUM_TILES - int(tables[0].removed_tiles[state.num_seats])} in play"
    levels = int(state.levels[: state.num_sites].astype(int).sum())
    if len(tiles_in(state.covered)) != levels - int(state.num_sites):
        yield "covered: expected a tile for every level below the top"
    for seat in range(MAX_SEATS):
        tile = int(state.chosen_tile[seat])
        if tile != NO_TILE and not int(state.tiles[seat]) >> tile & 1:
            yield f"chosen_tile: seat {seat} does not have {tile_name(tile)}"


def _cards(games: Games, g: int) -> Iterator[str]:
    """Check that each card in circulation is in one place and names a building (G8, G12)."""
    state: State = games[g]
    cards = Counter(state.deck[: state.deck_size].tolist())
    for hand in state.hand:
        cards.update(card for card in hand.tolist() if card != NO_CARD)
    cards.update(k for k in range(NUM_LETTERS) if int(state.discarded_letters) >> k & 1)
    cards.update(NUM_LETTERS + tile for tile in tiles_in(state.discarded))
    if state.hal_card != NO_CARD:
        cards[int(state.hal_card)] += 1
    for k in range(int(state.agenda_size)):
        entry = state.agenda[k]
        if entry.step == Step.FINISH and not entry.is_kept:  # the card being played
            cards[int(entry.card)] += 1
    twice = [card_name(card) for card, times in cards.items() if times > 1]
    if twice:
        yield f"cards: {twice[0]} is in two places"
    expected = set(range(NUM_LETTERS)) | {
        NUM_LETTERS + int(tile)
        for tile in state.site_tile[: state.num_sites]
        if tile >= 0 and not int(state.workers) >> int(tile) & 1
    }
    wrong = expected ^ {card for card, times in cards.items() if times}
    if wrong:
        yield f"cards: {card_name(min(wrong))} is in circulation or not, against the rules"
    for seat in range(MAX_SEATS):
        card = int(state.chosen[seat])
        drafting = state.rounds == 0
        if card != NO_CARD and not drafting and card not in state.hand[seat]:
            yield f"chosen: seat {seat} does not have {card_name(card)}"
    if state.deck_size == 0:
        yield "deck: expected a card (drawing the last one re-forms the deck)"


def _known(games: Games, g: int) -> Iterator[str]:
    """Check what the seats are said to have seen of cards and tiles (G25)."""
    state: State = games[g]
    hidden = {int(state.hal_card)}
    for seat in range(MAX_SEATS):
        hand = {card for card in state.hand[seat].tolist() if card != NO_CARD}
        hidden |= hand
        if any(not int(state.known_by[card]) >> seat & 1 for card in hand):
            yield f"known_by: seat {seat} holds a card that it has not seen"
        shown, own = int(state.taken_back[seat]), int(state.tiles[seat])
        if shown & ~(own | int(state.returning[seat])):
            yield f"taken_back: seat {seat} has a tile behind its screen that is not there"
    open_cards = [card for card in range(NUM_CARDS) if card not in hidden]
    if state.known_by[open_cards].any() or state.age[open_cards].any():
        yield "known_by, age: expected 0 for a card that is in no hand"
    supply = {int(tile) for tile in state.supply[: state.supply_size]}
    returned = set(tiles_in(state.returned))
    if state.returned and (state.run_outs == 0 or state.num_seats == 1):
        yield "returned: expected no tiles before the first run-out, and none with one seat"
    if state.run_outs > 0 and not supply <= returned:
        yield "returned: expected the tiles of the supply after the first run-out"
    in_play = supply | {int(tile) for tile in state.site_tile[: state.num_sites]}
    in_play |= set(tiles_in(state.covered))
    for seat in range(MAX_SEATS):
        in_play |= set(tiles_in(int(state.tiles[seat]) | int(state.returning[seat])))
    if not returned <= in_play:
        yield "returned: expected tiles that are in play"


def _resources(tables: Tables, games: Games, g: int) -> Iterator[str]:
    """Check that no side's resources are lost or added."""
    state: State = games[g]
    seats = int(state.num_seats)
    total = int(tables[0].resources[seats])
    for seat in range(max(seats, 2)):
        own = state.owner[: state.num_sites] == seat
        built = int(state.levels[: state.num_sites][own].astype(int).sum())
        if built + int(state.resources[seat]) + int(state.stock[seat]) != total:
            yield f"resources: seat {seat} should have {total} in all"


def _bonuses(tables: Tables, games: Games, g: int) -> Iterator[str]:
    """Check the sums over the cards in front of each side; no card is kept twice."""
    t: Table = tables[0]
    state: State = games[g]
    seats = int(state.num_seats)
    kept = [tile for seat in range(MAX_SEATS) for tile in tiles_in(state.kept[seat])]
    if len(set(kept)) != len(kept):
        yield "kept: a card is in front of two seats"
    if any(not int(state.covered) >> tile & 1 for tile in kept):
        yield "kept: expected cards of covered tiles only"
    for seat in range(max(seats, 2)):
        found = (state.bonus[seat], state.with_act[seat], state.with_colour[seat])
        if any((a != b).any() for a, b in zip(found, bonuses_of(t, state, seat), strict=True)):
            yield f"bonus: seat {seat} does not match its cards"


def bonuses_of(t: Table, state: State, seat: int) -> tuple[Ints, Ints, Ints]:
    """Return ``bonus``, ``with_act``, ``with_colour`` of the cards in front of a side."""
    seats = int(state.num_seats)
    bonus = np.zeros((NUM_ACTS, 3), int)
    with_act, with_colour = np.zeros(NUM_ACTS, int), np.zeros(3, int)
    shown = state.num_picks == CHARACTERS_KEPT and seats > 1
    for kind in state.picks[seat].tolist() if shown and seat < seats else ():
        colour, act = divmod(kind, NUM_ACTS)
        bonus[act, colour] += 1
        with_act[act] += 1
        with_colour[colour] += 1
    for tile in tiles_in(state.kept[seat]):
        with_colour[tile // NUMBERS] += 1
        if t.card_counts[tile] == Count.NOTHING:
            bonus[t.card_act[tile]] += t.card_gain[tile]
            with_act[t.card_act[tile]] += 1
    return bonus, with_act, with_colour
