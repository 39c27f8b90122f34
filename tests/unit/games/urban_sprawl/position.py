"""Drawn positions of *Urban Sprawl*, and decisions in words.

Blocks are a letter for the column and a number for the row from the top, as in the action names.
A place is a block with a corner (``"C3 TL"``: a lot, or the first lot of a building), with a half
(``"C3 top"``, bottom, left, right), with the corner left out (``"C3 -TL"``), or the block alone.
Without markers the values are::

           A   B   C   D   E   F
      1-2  4   7   8   9   6   5
      3-4  2   5   6   7   4   3
      5-6  3   6   7   8   5   4

A drawn city holds only the given buildings, without the twelve of the setup.  Seats hold only the
given cards; all other cards are in their decks.  It is seat 0's first turn.
"""

import functools

import numpy as np

import sprawl_env
from sprawl_env.core.state import NOBODY, NOT_OVER
from sprawl_env.games.urban_sprawl.actions import ACTIONS
from sprawl_env.games.urban_sprawl.cards import EffectCompiler, check_effects
from sprawl_env.games.urban_sprawl.constants import (
    CORNERS,
    DECK_CARDS,
    DECKS,
    FIRST_EVENT,
    FIRST_GREY,
    MONEY,
    NO_CARD,
    NO_KIND,
    NUM_BLOCKS,
    NUM_CARDS,
    NUM_EVENTS,
    OFFICES,
    PLANNING_TOP,
    RENEWAL,
    SHAPES,
    SIDE,
    VOCATIONS,
    ZONES,
    Power,
)
from sprawl_env.games.urban_sprawl.effect_verbs import effect_row
from sprawl_env.games.urban_sprawl.names import card_name, footprint_size
from sprawl_env.games.urban_sprawl.rules.board import lay, refit
from sprawl_env.games.urban_sprawl.rules.flow import advance
from sprawl_env.games.urban_sprawl.rules.lines import revalue
from sprawl_env.games.urban_sprawl.rules.lists import push_effects
from sprawl_env.games.urban_sprawl.rules.setup import clear_city
from sprawl_env.games.urban_sprawl.steps import (
    Step,
)
from sprawl_env.kernels.agenda import push, top

PARTS = (
    ("TL", "TR", "BL", "BR"),
    ("top", "bottom", "left", "right"),
    ("-TL", "-TR", "-BL", "-BR"),
    ("",),
)
SPARE = 400  # first effect of the tables that no packaged card has
MARKERS = tuple(f"wealth {n}" for n in range(7, 13)) + tuple(f"prestige {n}" for n in (4, 5, 6))
LINES = (
    *(f"column {letter}" for letter in "ABCDEF"),
    *("rows 1-2", "rows 3-4", "rows 5-6"),
    *("grey AB", "grey CD", "grey EF"),
    *(f"grey {row}" for row in range(1, 7)),
)


# ---------------------------------------------------------------- games, cards, places


@functools.cache
def game_of(num_players=2, **options):
    """Return a game, cached by its options."""
    return sprawl_env.game("urban_sprawl", num_players=num_players, **options)


def with_tables(game, tables):
    """Return a game with other tables."""
    made = object.__new__(type(game))
    made.__dict__.update(game.__dict__)
    made.tables = tables
    return made


@functools.cache
def card_of(name, copy=0):
    """Return the number of a card of the contract decks."""
    tables = game_of().tables
    return [card for card in range(NUM_CARDS) if card_name(tables, card) == name][copy]


def kind_of(word):
    """Return a kind of planning card: a number, ``"renewal"`` or an event's name."""
    if word == "renewal":
        return RENEWAL
    if isinstance(word, str):
        names = [bytes(row).rstrip(b"\0").decode() for row in game_of().tables[0].event_name]
        return FIRST_EVENT + names.index(word)
    return word


def site_of(place):
    """Return the block of a place and its footprint, a set of corners."""
    block, _, part = place.partition(" ")
    number = (int(block[1]) - 1) * SIDE + "ABCDEF".index(block[0])
    for shapes, parts in zip(SHAPES, PARTS, strict=True):
        if part in parts:
            return number, int(shapes[parts.index(part)])
    raise ValueError(place)


def lot_of(place):
    """Return the first lot of a place."""
    block, shape = site_of(place)
    return block * CORNERS + (shape & -shape).bit_length() - 1


def block_of(block):
    """Return the number of a block."""
    return site_of(block)[0]


# ---------------------------------------------------------------- positions


def position(
    num_players=2,
    *,
    buildings=None,
    wealth=30,
    prestige=20,
    hands=(),
    planning=(),
    planning_deck=(),
    discards=(),
    only_planning=False,
    contracts=(),
    tops=None,
    decks=None,
    gone=(),
    favors=(),
    active_decks=DECKS,
    offices=None,
    contractor=False,
    vocations=None,
    markers=None,
    active=0,
    points=6,
    investing=1,
    built=None,
    game=None,
    options=None,
    **fields,
):
    """Return ``(game, games)``: one game in which the active seat is to act.

    Args:
        num_players: seats.
        buildings: ``{place: (zone, owner)}`` or ``(zone, owner, power)``; owner None: nobody.
        wealth: of all seats, or a list.
        prestige: of all seats, or a list.
        hands: ``{kind: count}`` a seat.
        planning: kinds at 1 to 4 AP and the face-up top; None or left out: empty.
        planning_deck: kinds of the next cards; the others lie below them.
        discards: kinds that are discarded.
        only_planning: all planning cards that are not named are discarded, not in the deck.
        contracts: names of the cards at 1 to 5 AP; None: empty.
        tops: ``{deck: name}`` face up.
        decks: ``{deck: names}``: the next cards; the others lie below them unless ``gone``.
        gone: decks whose unnamed cards have left the game.
        favors: names a seat.
        active_decks: names.
        offices: ``{office: seat}``; if any is given, all five politicians are in play.
        contractor: is the Contractor in play although no seat has it?
        vocations: ``{seat: {name: markers}}``.
        markers: ``{marker: line}``, e.g. ``{"wealth 7": "grey AB"}``.
        active: seat.
        points: action points.
        investing: may the seat still invest?
        built: place of the contract built last this turn; one of ``buildings``.
        game: a game other than the packaged one.
        options: of the game.
        **fields: other fields of the record, e.g. ``pawn=2``.
    """
    game = game or game_of(num_players, **(options or {}))
    games = game.deal(1, seed=1)
    t, state = game.tables[0], games[0]
    state.agenda_size = 0
    _lay_city(t, state, buildings or {}, markers or {})
    state.wealth[:num_players] = wealth
    state.prestige[:num_players] = prestige
    _lay_planning(t, state, hands, planning, planning_deck, discards, only_planning)
    _lay_contracts(t, state, contracts, tops or {}, decks or {}, gone, favors, active_decks)
    for office, seat in (offices or {}).items():
        state.office[OFFICES.index(office)] = seat
        state.in_play |= 31 | 1 << OFFICES.index(office)
    state.in_play |= contractor << OFFICES.index("contractor")
    for seat, held in (vocations or {}).items():
        for name, count in held.items():
            state.vocations[seat, VOCATIONS.index(name)] = count
            state.vocations_left[VOCATIONS.index(name)] -= count
    state.active = state.turn = active
    state.points, state.investing = points, investing
    if built is not None:
        state.lot, state.card, state.contracts_built = lot_of(built), card_of("Villa"), 1
        state.investing = 0
    push(state, Step.MAIN, active)
    advance(t, state)
    for name, value in fields.items():
        state[name] = value
    check(game, games)
    return game, games


def _lay_city(t, state, buildings, markers):
    clear_city(state)
    for marker, line in markers.items():
        state.marker_at[LINES.index(line) - FIRST_GREY] = MARKERS.index(marker)
    revalue(t, state)
    state.tiles[:] = t.tiles
    state.vocations[:] = 0
    state.vocations_left[:] = t.vocation_markers
    for block in range(NUM_BLOCKS):
        refit(state, block)
    for place, (zone, owner, *power) in buildings.items():
        build(state, place, zone, owner, *power)


def build(state, place, zone, owner, power=Power.NONE):
    """Place a building of the supply in the city."""
    block, shape = site_of(place)
    assert not shape & int(state.occupied[block]), f"{place} is occupied"
    colour = ZONES.index(zone)
    lay(state, block, shape, colour, NOBODY if owner is None else owner, int(power))
    state.tiles[colour, shape.bit_count() - 1] -= 1


def _lay_planning(t, state, hands, planning, planning_deck, discards, only_planning):
    left = [*t.permit_copies.tolist(), int(t.renewal_copies), *[1] * NUM_EVENTS]
    state.hand[:] = 0
    state.planning[:] = NO_KIND
    state.planning_discards[:] = 0
    for seat, held in enumerate(hands):
        for word, count in held.items():
            state.hand[seat, kind_of(word)] = count
            left[kind_of(word)] -= count
    for space, word in enumerate(planning):
        if word is not None:
            state.planning[space] = kind_of(word)
            left[kind_of(word)] -= 1
    for word in discards:
        state.planning_discards[kind_of(word)] += 1
        left[kind_of(word)] -= 1
    following = [kind_of(word) for word in planning_deck]
    for kind in following:
        left[kind] -= 1
    assert min(left) >= 0, f"too many planning cards of kind {left.index(min(left))}"
    below = [kind for kind, count in enumerate(left) for _ in range(count)]
    if only_planning:
        for kind in below:
            state.planning_discards[kind] += 1
        below = []
    laid = [*following, *below][::-1]
    state.planning_deck[: len(laid)] = laid
    state.planning_size = len(laid)
    state.no_events = 0


def _lay_contracts(t, state, contracts, tops, decks, gone, favors, active_decks):
    state.contract[:] = NO_CARD
    state.deck_top[:] = NO_CARD
    used = []
    for space, name in enumerate(contracts):
        if name is not None:
            state.contract[space] = card_of(name)
            used.append(card_of(name))
    for deck, name in tops.items():
        state.deck_top[DECKS.index(deck)] = card_of(name)
        used.append(card_of(name))
    for seat, names in enumerate(favors):
        for slot, name in enumerate(names):
            state.favors[seat, slot] = card_of(name)
            used.append(card_of(name))
    used += [card_of("Villa")]  # stands for the contract built last
    for d, deck in enumerate(DECKS):
        following = [card_of(name) for name in decks.get(deck, ())]
        own = range(d * DECK_CARDS, (d + 1) * DECK_CARDS)
        rest = [] if deck in gone else [c for c in own if c not in used and c not in following]
        rest = [c for c in rest if t.card_zone[c] >= 0] + [c for c in rest if t.card_zone[c] < 0]
        laid = [*following, *rest][::-1]
        state.deck[d, : len(laid)] = laid
        state.deck_size[d] = len(laid)
    state.active_decks = sum(1 << DECKS.index(deck) for deck in active_decks)


def check(game, games):
    """Assert that a drawn position keeps every invariant."""
    assert game.rules.violations(game.tables, games, 0) == []


# ---------------------------------------------------------------- effects


def run(*effects, event=False, self_seat=None, **drawn):
    """Draw a position, run effects in it, return ``(game, games)`` at the next decision.

    Args:
        *effects: as in the data files, validated like those.
        event: whether they are effects of an event, not of a contract.
        self_seat: the seat they are run for, if not the active seat.
        **drawn: as for :func:`position`.
    """
    game, games = position(**{"investing": 0, **drawn})
    game, first = with_effects(game, effects, event)
    state = games[0]
    seat = int(state.active) if self_seat is None else self_seat
    push_effects(state, seat, first, len(effects))
    advance(game.tables[0], state)
    assert game.rules.violations(game.tables, games, 0) == []
    return game, games


def with_effects(game, effects, event=False):
    """Return a game with additional effects, and the index of the first one."""
    rows = [effect_row(effect) for effect in effects]
    check_effects(rows, "test", event)
    tables = game.tables.copy()
    compiler = EffectCompiler(tables)
    compiler.size = SPARE
    first, _ = compiler.add(rows, "test")
    return with_tables(game, tables), first


def is_done(games):
    """Is everything carried out, so that the active seat continues its turn?"""
    return step_of(games) == Step.MAIN and int(games.agenda_size[0]) == 1


# ---------------------------------------------------------------- decisions in words


def step_of(games):
    """Return the step of the decision."""
    assert games.over[0] == NOT_OVER
    return Step(top(games[0]).step)


def place_name(game, games, site):
    """Return the name of a site, as the current decision reads it."""
    state = games[0]
    block, k = divmod(site, CORNERS)
    size = footprint_size(game.tables, state) or 1
    part = PARTS[size - 1][k]
    return f"{'ABCDEF'[block % SIDE]}{block // SIDE + 1}{' ' if part else ''}{part}"


def word_of(game, games, action):
    """Return an action in words, e.g. ``site C3 TL``, ``seat 2`` (a seat, not counted from it)."""
    block, i = ACTIONS.locate(int(action))
    if block in {"decline", "yes"}:
        return block
    if block == "site":
        return f"site {place_name(game, games, i)}"
    if block == "seat":
        return f"seat {(int(games.to_play[0]) + i) % int(games.num_seats[0])}"
    if block == "permit" and i == RENEWAL:
        return "permit renewal"
    if block == "amount":
        return f"bid {i + 1}"
    words = {
        "zone": ZONES,
        "office": OFFICES,
        "line": LINES,
        "marker": MARKERS,
        "vocation": VOCATIONS,
        "gain": MONEY,
    }
    return f"{block} {words[block][i] if block in words else i}"


def legal(game, games):
    """Return the legal actions in words."""
    actions = np.flatnonzero(game.legal_actions(games))
    return {word_of(game, games, action) for action in actions}


def asks(game, games):
    """Return the seat to play, its decision and the legal answers."""
    return int(games.to_play[0]), step_of(games), legal(game, games)


def play(game, games, *words):
    """Answer decisions in order; each answer must be legal."""
    for word in words:
        actions = np.flatnonzero(game.legal_actions(games))
        found = {word_of(game, games, action): int(action) for action in actions}
        assert word in found, f"{word!r} is not among {sorted(found)}"
        game.play(games, 0, found[word])


# ---------------------------------------------------------------- looking


def wealth_of(games):
    """Return the wealth of all seats."""
    return games.wealth[0, : games.num_seats[0]].tolist()


def prestige_of(games):
    """Return the prestige of all seats."""
    return games.prestige[0, : games.num_seats[0]].tolist()


def building_at(games, place):
    """Return ``(zone, owner)`` of the building that begins at a place, None if there is none."""
    lot = lot_of(place)
    if not games.corners[0, lot]:
        return None
    owner = int(games.owner[0, lot])
    return ZONES[games.zone[0, lot]], None if owner == NOBODY else owner


def num_buildings(games):
    """Count the buildings."""
    return int((games.corners[0] != 0).sum())


def value_of(games, block):
    """Return the value of a block."""
    return int(games.value[0, block_of(block)])


def office_of(games, office):
    """Return the seat that holds an office, or None."""
    seat = int(games.office[0, OFFICES.index(office)])
    return None if seat == NOBODY else seat


def vocations_of(games, seat):
    """Return the vocation markers of a seat."""
    held = games.vocations[0, seat].tolist()
    return {name: n for name, n in zip(VOCATIONS, held, strict=True) if n}


def hand_of(games, seat):
    """Return the planning cards of a seat."""
    hand = games.hand[0, seat].tolist()
    return {("renewal" if k == RENEWAL else k): n for k, n in enumerate(hand) if n}


def markers_of(games):
    """Return the markers on the board."""
    at = games.marker_at[0].tolist()
    return {MARKERS[m]: LINES[FIRST_GREY + grey] for grey, m in enumerate(at) if m >= 0}


def row_of(game, games):
    """Return the names of the contracts at 1 to 5 AP."""
    row = games.contract[0].tolist()
    return [None if card == NO_CARD else card_name(game.tables, card) for card in row]


def tops_of(game, games):
    """Return the names of the face-up tops."""
    tops = games.deck_top[0].tolist()
    return [None if card == NO_CARD else card_name(game.tables, card) for card in tops]


def planning_of(games):
    """Return the kinds at 1 to 4 AP and the face-up top, None if empty."""
    kinds = games.planning[0, : PLANNING_TOP + 1].tolist()
    return [None if kind == NO_KIND else kind for kind in kinds]
