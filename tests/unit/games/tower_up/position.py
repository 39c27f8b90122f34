"""Positions of *Tower Up* written by hand, on boards that are easy to read.

Most positions use the grid.  It is the same for all numbers of seats; site 20 is joined to site 6
only::

      district   harbour market  hill   grey_a  grey_b
      by a park     0 ----- 1 ----- 2 ----- 3 ----- 4        (parks 1 1 2 2 2)
                    |       |       |       |       |
                    5 ----- 6 ----- 7 ----- 8 ----- 9
                    |       |       |       |       |
                   10 ---- 11 ---- 12 ---- 13 ---- 14
                    |       |       |       |       |
      by a lake    15 ---- 16 ---- 17 ---- 18 ---- 19        (lakes 1 1 2 2 2)

Floors and markers are written as four numbers in the order black, grey, white, brown.  Cards are
written as what they show, e.g. ``"2 black + 2 grey"`` or ``"multicolour + grey vehicle 2"``.
"""

import atexit
import functools
import re
import shutil
import tempfile
from pathlib import Path

import numpy as np

import sprawl_env
from sprawl_env.core.state import NOBODY, NOT_OVER
from sprawl_env.games.tower_up.constants import (
    COLOURS,
    DISTRICTS,
    NO_COLOUR,
    NO_SITE,
    NUM_CARDS,
    NUM_ROOFS,
    EndCause,
)
from sprawl_env.games.tower_up.rules.objectives import claim_objectives
from sprawl_env.games.tower_up.rules.setup import add_floor, begin_turn, clear, put_building
from sprawl_env.kernels.compile import JIT, kernel

# Numbers of trials: smaller without compiled kernels, where a game takes a third of a second.
SECOND_OPINION_GAMES = 25 if JIT else 3
SLOW_SECOND_OPINION_GAMES = 300
PROPERTY_GAMES = 12 if JIT else 2
OBSERVED_POSITIONS = 334 if JIT else 12  # for each number of seats
OBSERVED_EVERY = 2 if JIT else 11  # plies between two of them
LOOK_EVERY = 1 if JIT else 12  # plies between two checks of what is hidden
BATCH_ROUNDS = 60 if JIT else 8
ENDED_VECTOR_GAMES = 2_000 if JIT else 4
SLOW_ENDED_VECTOR_GAMES = 100_000
UNIFORM_DEALS = 6_000
DAMAGED_POSITIONS = 300 if JIT else 15
SETUP_DEALS = 200 if JIT else 15

BLACK, GREY, WHITE, BROWN = range(4)
GRID_COLUMNS = 5
GRID_SITES = 20
HANGING, HANGS_ON = 20, 6
DENSE_SITES = 12


# ---------------------------------------------------------------- boards and data folders


def site_row(site, district, streets, park=0, lake=0):
    """Write one row of a board file."""
    lines = ["[[site]]", f"id = {site}", f"x = {site}", "y = 0", f'district = "{district}"']
    lines += [f"streets = {sorted(streets)}"]
    lines += [f"{name} = {number}" for name, number in (("park", park), ("lake", lake)) if number]
    return "\n".join(lines)


def grid_board():
    """Write the grid of this file's docstring."""
    rows = ['source = "stand-in"']
    for site in range(GRID_SITES):
        row, column = divmod(site, GRID_COLUMNS)
        streets = [site - 1] * (column > 0) + [site + 1] * (column < GRID_COLUMNS - 1)
        streets += [site - GRID_COLUMNS] * (row > 0) + [site + GRID_COLUMNS] * (row < 3)
        streets += [HANGING] * (site == HANGS_ON)
        park, lake = ((1, 1, 2, 2, 2)[column] * (row == at) for at in (0, 3))
        rows.append(site_row(site, DISTRICTS[column], streets, park, lake))
    rows.append(site_row(HANGING, DISTRICTS[1], [HANGS_ON]))
    return "\n\n".join(rows)


def dense_board():
    """Write a board where every site has five streets, so that it is soon full (T14)."""
    rows = ['source = "stand-in"']
    for site in range(DENSE_SITES):
        streets = [(site + ahead) % DENSE_SITES for ahead in (1, 2, 6, 10, 11)]
        rows.append(site_row(site, DISTRICTS[site % 5], streets, park=1, lake=1))
    return "\n\n".join(rows)


def packaged(file):
    """Return the text of a packaged data file."""
    return (sprawl_env.game("tower_up").rules.data_folder / file).read_text(encoding="utf-8")


def floors_of_each(number):
    """Write components with another number of floors of each colour; few cause early shortages."""
    return re.sub(
        r"floors_per_colour = \d+", f"floors_per_colour = {number}", packaged("components.toml")
    )


def rich_data():
    """Write data files with the largest numbers that are allowed."""
    columns = "[" + ", ".join(str(100 if at % 2 else 0) for at in range(16)) + "]"
    rows = packaged("rows.toml")
    for values in re.findall(r"^values = (.*)$", rows, re.MULTILINE):
        rows = rows.replace(values, columns)
    parts = floors_of_each(60)
    parts = re.sub(r"reserve_limit = \d+", "reserve_limit = 40", parts)
    parts = re.sub(r"^values = .*$", _largest_chips, parts, flags=re.MULTILINE)
    cards = re.sub(
        r"^floors = .*$",
        'floors = ["black", "black", "black", "black"]',
        packaged("cards.toml"),
        flags=re.MULTILINE,
    )
    needs = re.sub(r"need = [245]", "need = 10", packaged("objectives.toml"), count=5)
    return {
        "rows.toml": rows,
        "components.toml": parts,
        "cards.toml": cards,
        "objectives.toml": needs,
    }


def _largest_chips(values):
    return "values = [" + ", ".join(["50"] * (values.group().count(",") + 1)) + "]"


OVERLAYS = {
    "grid": lambda: {"board_2p.toml": grid_board(), "board_4p.toml": grid_board()},
    "dense": lambda: {"board_2p.toml": dense_board(), "board_4p.toml": dense_board()},
    "few floors": lambda: {"components.toml": floors_of_each(11)},
    "rich": rich_data,
}


@functools.cache
def overlay(name):
    """Return a named folder of data files; it is removed when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="tower_up_"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for file, text in OVERLAYS[name]().items():
        (folder / file).write_text(text, encoding="utf-8")
    return folder


@functools.cache
def game_of(num_players=2, data=None, **options):
    """Return a game; ``data`` names an overlay or is None for the packaged data."""
    folder = None if data is None else overlay(data)
    return sprawl_env.game("tower_up", data=folder, num_players=num_players, **options)


# ---------------------------------------------------------------- cards


def parse_card(shows):
    """Return (floors by colour, multicolour floors, vehicle or None, steps) of a description."""
    floors, multicolour, vehicle, steps = [0] * len(COLOURS), 0, None, 0
    for part in shows.split(" + "):
        words = part.split()
        if "vehicle" in words:
            vehicle, steps = words[0], int(words[2])
            continue
        count = int(words[0]) if words[0].isdigit() else 1
        if words[-1] == "multicolour":
            multicolour = count
        else:
            floors[COLOURS.index(words[-1])] = count
    return floors, multicolour, vehicle, steps


def card_shows(game, card):
    """Return what a card gives, in the form of :func:`parse_card`."""
    t = game.tables[0]
    vehicle = int(t.card_vehicle[card])
    return (
        t.card_floors[card].tolist(),
        int(t.card_multicolour[card]),
        None if vehicle == NO_COLOUR else COLOURS[vehicle],
        int(t.card_steps[card]),
    )


def find_card(game, shows, without=()):
    """Return the first card that shows this and is not among ``without``."""
    wanted = parse_card(shows)
    for card in range(NUM_CARDS):
        if card not in without and card_shows(game, card) == wanted:
            return card
    raise LookupError(f"no card (left) that shows {shows!r}")


DEFAULT_BUILDINGS = {12: ("black", 1)}
DEFAULT_MARKET = ("2 black + 2 grey", "black + grey + white", "2 multicolour")


# ---------------------------------------------------------------- positions


@kernel
def empty_board(games):
    """Clear game 0."""
    clear(games[0])


@kernel
def raise_building(tables, games, site, colour, floors):
    """Put a building with some floors on an empty site of game 0."""
    put_building(tables[0], games[0], site, colour)
    for _ in range(floors - 1):
        add_floor(tables[0], games[0], site)


@kernel
def claim(tables, games, seat):
    """Claim the objectives that a seat of game 0 meets."""
    claim_objectives(tables[0], games[0], seat)


@kernel
def let_act(games, seat):
    """Begin a seat's turn in game 0."""
    begin_turn(games[0], seat)


def position(
    num_players=2,
    *,
    buildings=None,
    roofs=(),
    reserves=None,
    markers=None,
    supply=None,
    objectives=(1, 2, 3),
    market=DEFAULT_MARKET,
    next_cards=(),
    discarded=0,
    to_play=0,
    end_cause=EndCause.NONE,
    last_turns=0,
    cones=None,
    data="grid",
    options=None,
    **fields,
):
    """Return ``(game, games)``: one game at the start of a turn of ``to_play``.

    Args:
        num_players: seats.
        buildings: ``{site: (colour, floors)}``; default one, as T14 ends a game without any.
        roofs: ``(seat, site, height)`` in the order placed.
        reserves: four numbers a seat; default one floor of each colour.
        markers: four numbers a seat; star columns they have passed count as used.
        supply: ``{colour: floors left}``; the floors missing then are in the last seat's reserve.
        objectives: the three in play, 1..10 as in TU §6; those the roofs meet have been claimed.
        market: what the three market cards show.
        next_cards: what the next cards of the deck show, next first.
        discarded: how many cards are discarded, taken from the bottom of the deck.
        to_play: whose turn it is.
        end_cause: why the end has been triggered.
        last_turns: seats that still have their last turn; those before have counted.
        cones: steps of the cone of the seats that have counted, ``{seat: steps}``; default their
            visible roofs.
        data: overlay, or None for the packaged boards.
        options: of the game.
        **fields: other fields of the record, e.g. ``turn=5``.
    """
    game = game_of(num_players, data, **(options or {}))
    games = game.deal(1, seed=1)
    t, state = game.tables[0], games[0]
    empty_board(games)
    _lay_cards(game, state, market, next_cards, discarded)
    for k, number in enumerate(objectives):
        state.objective[k] = t.objective_kind.tolist().index(number - 1)
    for site, (colour, floors) in (buildings or DEFAULT_BUILDINGS).items():
        raise_building(game.tables, games, site, COLOURS.index(colour), floors)
    for seat in range(num_players):
        state.reserve[seat] = reserves[seat] if reserves else (1, 1, 1, 1)
        state.marker[seat] = markers[seat] if markers else (0, 0, 0, 0)
        slowest = state.marker[seat].min()
        state.stars[seat] = np.sum(t.star_columns[: t.num_stars] <= slowest)
        state.roofs_left[seat] = NUM_ROOFS
        _lay_roofs(state, seat, [roof[1:] for roof in roofs if roof[0] == seat])
        claim(game.tables, games, seat)
    _lay_supply(t, state, supply or {})
    state.end_cause, state.last_turns = end_cause, last_turns
    for back in range(1, num_players - last_turns + 1 if last_turns else 1):
        seat = (to_play - back) % num_players
        state.counted[seat] = 1
        state.cone[seat] = (cones or {}).get(seat, min(int(np.sum(state.top == seat)), 7))
    let_act(games, to_play)
    state.to_play = to_play
    for name, value in fields.items():
        state[name] = value
    assert game.rules.violations(game.tables, games, 0) == []
    return game, games


def _lay_cards(game, state, market, next_cards, discarded):
    used = []
    for shows in (*market, *next_cards):
        used.append(find_card(game, shows, used))
    rest = [card for card in range(NUM_CARDS) if card not in used]
    state.market[:] = used[: len(market)]
    state.discards[:discarded] = rest[:discarded]
    state.num_discards = discarded
    deck = rest[discarded:] + used[len(market) :][::-1]
    state.deck[: len(deck)] = deck
    state.deck_size = len(deck)


def _lay_roofs(state, seat, roofs):
    for k, (site, height) in enumerate(roofs):
        bit = 1 << site
        state.roof_site[seat, k] = site
        state.roof_height[seat, k] = height
        state.twice[seat] |= state.present[seat] & bit
        state.present[seat] |= bit
        if height == state.height[site]:
            state.top[site] = seat
            state.topped[seat] |= bit
    state.roof_site[seat, len(roofs) :] = NO_SITE
    state.roofs_left[seat] = NUM_ROOFS - len(roofs)


def _lay_supply(t, state, supply):
    for colour, name in enumerate(COLOURS):
        built = int(state.height[state.colour == colour].astype(int).sum())
        held = int(state.reserve[:, colour].astype(int).sum())
        left = int(t.floors_per_colour) - built - held
        state.supply[colour] = supply.get(name, left)
        state.reserve[int(state.num_seats) - 1, colour] += left - int(state.supply[colour])


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
        assert game.rules.violations(game.tables, games, 0) == []


def pass_by_card(game, games):
    """Play a turn that takes a card and returns floors beyond the limit; return its seat."""
    seat, turn = int(games.to_play[0]), int(games.turn[0])
    play(game, games, "take card 1")
    while games.over[0] == NOT_OVER and games.turn[0] == turn:
        play(game, games, sorted(legal_names(game, games))[0])
    return seat


def record_bytes(games, g=0):
    """Return all fields of a game as bytes, without the padding between them."""
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


def seats_of(games, g=0):
    """Return the seats of a game."""
    return range(int(games.num_seats[g]))


def nobody_acts(games):
    """Return whether the game is over for everyone."""
    return games.over[0] != NOT_OVER and games.to_play[0] == NOBODY
