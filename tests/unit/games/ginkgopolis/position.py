"""Positions of *Ginkgopolis* written by hand, and games played by action names.

Cells are (column, row) from the start's top-left tile, rows count southwards.  Most positions
use this start, with the markers around it as in GK §1::

               (0,-1) A   (1,-1) B   (2,-1) C
      (-1,0) L  red 1      blue 2     yellow 3   D (3,0)
      (-1,1) K  blue 1     red 2      red 3      E (3,1)
      (-1,2) J  yellow 1   yellow 2   blue 3     F (3,2)
               (0,3) I    (1,3) H    (2,3) G

Tiles and cards are named as in the action names: ``"red 4"``, ``"A"``; characters as
``"red exploit"``.  By default every seat but the first player holds a letter, and
:func:`choose` makes seats without a given play play a letter alone: after the first player's
action the game waits for the next seat to take a resource or a tile, and nothing else has changed.
"""

import atexit
import functools
import shutil
import tempfile
from pathlib import Path

import numpy as np

import sprawl_env
from sprawl_env.core.state import NOBODY, NOT_OVER
from sprawl_env.games.ginkgopolis.constants import (
    ACTS,
    CHARACTERS_KEPT,
    COLOURS,
    HAND_SIZE,
    LETTERS,
    NO_CARD,
    NO_SIDE,
    NUM_ACTS,
    NUM_LETTERS,
    NUM_TILES,
    NUMBERS,
    SOLO_HAND,
    START_SIDE,
    Step,
)
from sprawl_env.games.ginkgopolis.names import (
    DIRECTIONS,
    cell_beside,
    place_of,
    tiles_in,
)
from sprawl_env.games.ginkgopolis.rules.act import keep_card, keep_character
from sprawl_env.games.ginkgopolis.rules.cards import discard
from sprawl_env.games.ginkgopolis.rules.city import add_site, trace_contour
from sprawl_env.games.ginkgopolis.rules.draft import pack_of
from sprawl_env.games.ginkgopolis.rules.flow import advance
from sprawl_env.games.ginkgopolis.rules.markers import do_push
from sprawl_env.games.ginkgopolis.rules.passes import ask_all
from sprawl_env.games.ginkgopolis.rules.setup import clear
from sprawl_env.games.ginkgopolis.wording import card_name, tile_name
from sprawl_env.kernels.agenda import push
from sprawl_env.kernels.compile import JIT, kernel

# Numbers of trials: smaller without compiled kernels.
RANDOM_GAMES = 12 if JIT else 1
LOOK_EVERY = 1 if JIT else 12  # plies between two slow checks of a game

START = (
    *("red 1", "blue 2", "yellow 3"),
    *("blue 1", "red 2", "red 3"),
    *("yellow 1", "yellow 2", "blue 3"),
)
ALL_TILES = tuple(tile_name(tile) for tile in range(NUM_TILES))
OPPOSITE = dict(zip(DIRECTIONS, DIRECTIONS[2:] + DIRECTIONS[:2], strict=True))


# ---------------------------------------------------------------- games and data folders


def packaged(file):
    """Return the text of a packaged data file."""
    rules = sprawl_env.game("ginkgopolis").rules
    return (rules.data_folder / file).read_text(encoding="utf-8")


@functools.cache
def overlay(*changes):
    """Return a folder of data files; a change is ``(file, old, new)``; ``old`` occurs in it."""
    folder = Path(tempfile.mkdtemp(prefix="ginkgopolis_"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for file, old, new in changes:
        written = folder / file
        text = written.read_text(encoding="utf-8") if written.exists() else packaged(file)
        assert old in text, f"{file} has no {old!r}"
        written.write_text(text.replace(old, new), encoding="utf-8")
    return folder


@functools.cache
def game_of(num_players=2, data=None, **options):
    """Return a game; ``data`` is a folder as :func:`overlay` makes them, or None."""
    return sprawl_env.game("ginkgopolis", data=data, num_players=num_players, **options)


# ---------------------------------------------------------------- names


def tile_of(name):
    """Return the number of a tile called e.g. ``red 7``."""
    colour, number = name.split()
    return COLOURS.index(colour) * NUMBERS + int(number) - 1


def card_of(name):
    """Return the number of a card called e.g. ``A`` or ``red 7``."""
    return LETTERS.index(name) if name in LETTERS else NUM_LETTERS + tile_of(name)


def kind_of(name):
    """Return the kind of a character called e.g. ``red exploit``."""
    colour, act = name.split()
    return COLOURS.index(colour) * NUM_ACTS + ACTS.index(act)


def set_of(names):
    """Return tiles as a set of bits."""
    return sum(1 << tile_of(name) for name in names)


# ---------------------------------------------------------------- rules applied to game 0


@kernel
def empty_table(games):
    """Reset all fields but the options and the rng."""
    clear(games[0])


@kernel
def lay_building(games, x, y, tile, owner, levels):
    """Put a building on an empty cell."""
    site = add_site(games[0], x, y, tile, owner)
    games[0].levels[site] = levels


@kernel
def walk_contour(games):
    """Store the contour of the city."""
    trace_contour(games[0])


@kernel
def push_markers(games, letter, turn):
    """Put a marker into the city by pushing the others."""
    do_push(games[0], letter, turn)


@kernel
def give_card(tables, games, seat, card):
    """Put a building card in front of a seat."""
    keep_card(tables[0], games[0], seat, card)


@kernel
def give_character(games, seat, kind):
    """Put a character in front of a seat."""
    keep_character(games[0], seat, kind)


@kernel
def throw_away(games, card):
    """Put a card on the discard pile."""
    discard(games[0], card)


@kernel
def pack_held_by(games, seat):
    """Return the draft pack that a seat holds."""
    return pack_of(games[0], seat)


@kernel
def let_all_choose(tables, games):
    """Begin a round in which every seat has its cards."""
    state = games[0]
    seats = int(state.num_seats)
    push(state, Step.END_OF_ROUND, 0)
    if seats == 1:
        push(state, Step.HAL, 0)
    for k in range(seats - 1, -1, -1):
        push(state, Step.ACT, (int(state.first) + k) % seats)
    ask_all(state, Step.CARD)
    advance(tables[0], state)


# ---------------------------------------------------------------- positions


def position(
    num_players=2,
    *,
    start=START,
    buildings=None,
    covered=(),
    workers=(),
    markers=None,
    hands=None,
    hal_card=None,
    deck=(),
    discards=(),
    rest_of_cards="deck",
    tiles=(),
    supply=(),
    rest_of_tiles="supply",
    resources=None,
    stock=None,
    points=None,
    tokens=None,
    characters=None,
    kept=(),
    rounds=1,
    first=0,
    data=None,
    options=None,
    **fields,
):
    """Return ``(game, games)``: one game in which all are about to choose a card.

    Lists "a seat" may be shorter than the seats; what is missing is the default.  With one seat,
    Hal is seat 1 in them.

    Args:
        num_players: seats.
        start: tiles of the start, row by row.
        buildings: ``{(column, row): (tile, owner, levels)}``, or ``(tile, owner)`` for one level,
            outside the start or, with 2 or more levels, on the start's tile of that cell.
        covered: tiles below others; as many as needed are added (first those kept).
        workers: top tiles with a worker; their cards are not in circulation.
        markers: ``{letter: ((column, row), direction of the tile it leans on)}``; the others are as
            around the start or, if shut in, on the first place that G4 (2) and (3) give them.
        hands: names of cards a seat; filled up to 4 (solo 3), others with letters first.
        hal_card: Hal's card, solo only; default some letter.
        deck: names of the next cards of the deck, next first.
        discards: names of the cards on the discard pile.
        rest_of_cards: where the other cards in circulation are: ``"deck"``, below ``deck``, or
            ``"discards"``.
        tiles: names of tiles behind the screen a seat.
        supply: names of the next tiles of the supply, next first.
        rest_of_tiles: where the other tiles are (except those removed): ``"supply"``, below
            ``supply``, or a seat that has them behind its screen.
        resources: behind the screen a seat; default 5, or all that is left.
        stock: ``{seat: resources left in the general supply}``, instead of ``resources``.
        points: a seat; default 0.
        tokens: a seat; default 2 (solo 0).
        characters: three names a seat; default none, so no seat has a bonus.
        kept: names of building cards a seat has in front of it.  They lie below others, so the
            buildings must have enough levels.
        rounds: number of the round.
        first: first player.
        data: folder of data files, as :func:`overlay` makes them.
        options: of the game.
        **fields: other fields of the record, e.g. ``run_outs=1``; then the supply is what was
            returned at the first run-out, unless ``returned`` is given.
    """
    game = game_of(num_players, data, **(options or {}))
    games = game.deal(1, seed=1)
    t, state = game.tables[0], games[0]
    empty_table(games)
    _lay_city(games, start, buildings or {})
    _lay_tiles(t, state, covered, tiles, supply, rest_of_tiles, kept)
    _lay_markers(games, markers or {})
    for seat, names in enumerate(kept):
        for name in names:
            give_card(game.tables, games, seat, card_of(name))
    for seat, names in enumerate(characters or ()):
        for k, name in enumerate(names):
            state.picks[seat, k] = kind_of(name)
            give_character(games, seat, kind_of(name))
        state.num_picks = CHARACTERS_KEPT
    _lay_pieces(t, state, resources, stock or {}, points, tokens)
    state.rounds, state.first = rounds, first
    state.workers = set_of(workers)
    _lay_cards(games, hands or (), hal_card, deck, discards, rest_of_cards)
    let_all_choose(game.tables, games)
    for name, value in fields.items():
        state[name] = value
    if state.run_outs and num_players > 1 and "returned" not in fields:
        state.returned = sum(1 << int(tile) for tile in state.supply[: state.supply_size])
    check(game, games)
    return game, games


def _lay_city(games, start, buildings):
    state = games[0]
    for k, name in enumerate(start):
        tile, owner, levels = tile_of(name), NOBODY, 1
        if (k % START_SIDE, k // START_SIDE) in buildings:
            top, owner, levels = buildings[k % START_SIDE, k // START_SIDE]
            state.covered |= 1 << tile
            tile = tile_of(top)
        lay_building(games, k % START_SIDE, k // START_SIDE, tile, owner, levels)
    for (x, y), (name, owner, *levels) in buildings.items():
        if not (0 <= x < START_SIDE and 0 <= y < START_SIDE):
            lay_building(games, x, y, tile_of(name), owner, levels[0] if levels else 1)
    walk_contour(games)


def _lay_tiles(t, state, covered, tiles, supply, rest_of_tiles, kept):
    for seat, names in enumerate(tiles):
        state.tiles[seat] = set_of(names)
    state.covered |= set_of(covered)
    for names in kept:
        state.covered |= set_of(names)
    tops = state.site_tile[: state.num_sites].tolist()
    used = {*tops, *tiles_in(state.covered), *map(tile_of, supply)}
    used.update(tile for held in state.tiles for tile in tiles_in(held))
    rest = [tile for tile in range(NUM_TILES) if tile not in used]
    levels = int(state.levels[: state.num_sites].astype(int).sum())
    fill = levels - int(state.num_sites) - len(tiles_in(state.covered))
    assert fill >= 0, f"{-fill} more tiles are covered or kept than the buildings have levels"
    for _ in range(fill):
        state.covered |= 1 << rest.pop()
    removed = int(t.removed_tiles[state.num_seats])
    rest = rest[: len(rest) - removed]
    if rest_of_tiles == "supply":
        laid = [tile_of(name) for name in supply] + rest
    else:
        laid = [tile_of(name) for name in supply]
        state.tiles[rest_of_tiles] |= sum(1 << tile for tile in rest)
    state.supply[: len(laid)] = laid[::-1]
    state.supply_size = len(laid)


def _lay_markers(games, markers):
    state = games[0]
    for letter, ((x, y), direction) in markers.items():
        state.marker[LETTERS.index(letter)] = side_at(state, x, y, direction)
    waiting = []
    for k, letter in enumerate(LETTERS):
        if letter in markers:
            continue
        side = (0, 1, 2, 2, 5, 8, 8, 7, 6, 6, 3, 0)[k] * 4 + k // START_SIDE
        taken = [cell_at(state, int(other)) for other in state.marker if other != NO_SIDE]
        if state.contour_at[side] == NO_SIDE or cell_at(state, side) in taken:
            waiting.append(k)
        else:
            state.marker[k] = side
    for k in waiting:
        side = place_of(games, 0, k, 0)
        if side == NO_SIDE:
            push_markers(games, k, 1)
        else:
            state.marker[k] = side


def _lay_pieces(t, state, resources, stock, points, tokens):
    seats = int(state.num_seats)
    total = int(t.resources[seats])
    for seat in range(max(seats, 2)):
        own = state.owner[: state.num_sites] == seat
        left = total - int(state.levels[: state.num_sites][own].astype(int).sum())
        held = 0 if seat == seats else min(5, left)
        if resources and seat < len(resources):
            held = resources[seat]
        if seat in stock:
            held = left - stock[seat]
        state.resources[seat], state.stock[seat] = held, left - held
        state.points[seat] = points[seat] if points and seat < len(points) else 0
        default = int(t.tokens) if seats > 1 and seat < seats else 0
        state.tokens[seat] = tokens[seat] if tokens and seat < len(tokens) else default


def _lay_cards(games, hands, hal_card, deck, discards, rest_of_cards):
    state = games[0]
    seats, first = int(state.num_seats), int(state.first)
    tops = state.site_tile[: state.num_sites].tolist()
    named = {*deck, *discards, *(name for hand in hands for name in hand), hal_card}
    rest = [tile_name(tile) for tile in sorted(tops) if not int(state.workers) >> tile & 1]
    rest = [name for name in (*LETTERS, *rest[::-1]) if name not in named]
    size = SOLO_HAND if seats == 1 else HAND_SIZE
    dealt = [list(hands[seat]) if seat < len(hands) else [] for seat in range(seats)]
    letters = [name for name in rest if name in LETTERS][::-1]
    for seat in range(seats):
        alone = seat != first and len(dealt[seat]) < size
        if alone and letters and not set(dealt[seat]) & set(LETTERS):
            dealt[seat].append(letters[0])
            rest.remove(letters.pop(0))
    if seats == 1 and hal_card is None:
        hal_card = letters[0]
        rest.remove(hal_card)
    for seat in range(seats):
        while len(dealt[seat]) < size:
            dealt[seat].append(rest.pop())
        state.hand[seat, :size] = [card_of(name) for name in dealt[seat]]
        for name in dealt[seat]:
            state.known_by[card_of(name)] = 1 << seat
    state.hal_card = NO_CARD if hal_card is None else card_of(hal_card)
    laid = [card_of(name) for name in deck]
    if rest_of_cards == "deck":
        laid += [card_of(name) for name in rest]
    else:
        discards = (*discards, *rest)
    state.deck[: len(laid)] = laid[::-1]
    state.deck_size = len(laid)
    for name in discards:
        throw_away(games, card_of(name))


# ---------------------------------------------------------------- reading a position


def cell_at(state, side):
    """Return the cell that a side faces."""
    return cell_beside(state, int(side))


def side_at(state, x, y, direction):
    """Return the side that a marker on a cell leans on; its tile is in ``direction``."""
    for side in range(int(state.num_sites) * 4):
        if cell_at(state, side) == (x, y) and DIRECTIONS[side & 3] == OPPOSITE[direction]:
            return side
    raise AssertionError(f"no tile lies {direction} of {(x, y)}")


def markers_of(games, g=0):
    """Return ``{letter: (cell, direction of its tile)}``, without the marker that moves."""
    state = games[g]
    return {
        letter: (cell_at(state, int(side)), OPPOSITE[DIRECTIONS[int(side) & 3]])
        for letter, side in zip(LETTERS, state.marker, strict=True)
        if side != NO_SIDE
    }


def building_at(games, x, y, g=0):
    """Return ``(tile, owner, levels)`` of a cell, None if it is empty."""
    state = games[g]
    for site in range(int(state.num_sites)):
        if (state.site_x[site], state.site_y[site]) == (x, y):
            tile = tile_name(int(state.site_tile[site]))
            return tile, int(state.owner[site]), int(state.levels[site])
    return None


def holdings(games, seat, g=0):
    """Return (resources, tiles, points) of a seat."""
    state = games[g]
    return int(state.resources[seat]), len(tiles_in(state.tiles[seat])), int(state.points[seat])


def tiles_of(games, seat, g=0):
    """Return the names of the tiles behind a screen."""
    return [tile_name(tile) for tile in tiles_in(games.tiles[g, seat])]


def kept_by(games, seat, g=0):
    """Return the names of the building cards in front of a seat."""
    return [tile_name(tile) for tile in tiles_in(games.kept[g, seat])]


def workers_of(games, g=0):
    """Return the names of the tiles with a worker."""
    return [tile_name(tile) for tile in tiles_in(games.workers[g])]


def hand_of(games, seat, g=0):
    """Return the names of the cards in a hand; their order has no meaning."""
    return {card_name(card) for card in games.hand[g, seat].tolist() if card != NO_CARD}


def deck_of(games, g=0):
    """Return the names of the cards of the deck, next first."""
    return [card_name(card) for card in games.deck[g, : games.deck_size[g]].tolist()[::-1]]


def supply_of(games, g=0):
    """Return the names of the tiles of the supply, next first."""
    return [tile_name(tile) for tile in games.supply[g, : games.supply_size[g]].tolist()[::-1]]


def discards_of(games, g=0):
    """Return the names of the cards on the discard pile."""
    letters = {LETTERS[k] for k in range(NUM_LETTERS) if int(games.discarded_letters[g]) >> k & 1}
    return letters | {tile_name(tile) for tile in tiles_in(games.discarded[g])}


def step_of(games, g=0):
    """Return the current decision as a ``Step``; None once over."""
    size = int(games.agenda_size[g])
    return Step(int(games.agenda[g, size - 1].step)) if size else None


# ---------------------------------------------------------------- playing by name


def legal_names(game, games, g=0):
    """Return the names of the legal actions."""
    mask = game.legal_actions(games, g)
    return {game.action_name(games, g, int(action)) for action in np.flatnonzero(mask)}


def action_of(game, games, name, g=0):
    """Return the legal action called ``name``."""
    for action in np.flatnonzero(game.legal_actions(games, g)):
        if game.action_name(games, g, int(action)) == name:
            return int(action)
    raise AssertionError(f"{name!r} is not legal, only {sorted(legal_names(game, games, g))}")


def play(game, games, *names):
    """Play actions by their names, one after the other."""
    for name in names:
        game.play(games, 0, action_of(game, games, name))
        check(game, games)


def choose(game, games, *plays):
    """Make all seats choose a card and a tile, from the first player; then resolve the round.

    A play is a card, played alone, or ``(card, tile)``.  Seats without one play a letter alone.
    """
    seats = int(games.num_seats[0])
    order = [(int(games.first[0]) + k) % seats for k in range(seats)]
    chosen = []
    for k, seat in enumerate(order):
        if k < len(plays):
            chosen.append((plays[k], None) if isinstance(plays[k], str) else plays[k])
        else:
            chosen.append((min(hand_of(games, seat) & set(LETTERS)), None))
    play(game, games, *(f"card {card}" for card, _ in chosen))
    play(game, games, *(f"with tile {tile}" if tile else "without tile" for _, tile in chosen))


def play_on(game, games, until=lambda games: False):
    """Play the first legal action repeatedly, until a condition or the end of the round."""
    rounds = int(games.rounds[0])
    while games.over[0] == NOT_OVER and games.rounds[0] == rounds and not until(games):
        game.play(games, 0, int(np.flatnonzero(game.legal_actions(games))[0]))
        check(game, games)


def check(game, games):
    """Assert that nothing is wrong with the position."""
    found = game.rules.violations(game.tables, games, 0)
    assert found == [], found


def record_bytes(games, g=0):
    """Return all fields of a game as bytes."""
    return b"".join(np.ascontiguousarray(games[name][g]).tobytes() for name in games.dtype.names)


def random_action(game, games, rng, g=0):
    """Return a legal action, drawn uniformly."""
    return int(rng.choice(np.flatnonzero(game.legal_actions(games, g))))


def random_game(game, seed, steps=None):
    """Yield the records of a random game before every ply and after the last, one array."""
    rng = np.random.default_rng(seed)
    games = game.deal(1, seed=seed)
    ply = 0
    while games.over[0] == NOT_OVER and (steps is None or ply < steps):
        yield games
        game.play(games, 0, random_action(game, games, rng))
        ply += 1
    yield games
