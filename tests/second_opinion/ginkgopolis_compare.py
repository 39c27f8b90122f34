"""Compares the slow reference with the kernels: same deal, same description of a position."""

import numpy as np

from sprawl_env.core.state import FINISHED, NOBODY, NOT_OVER, TRUNCATED
from sprawl_env.games.ginkgopolis.constants import (
    LETTERS,
    NO_CARD,
    NO_CHARACTER,
    NO_SIDE,
    NO_TILE,
    START_TILES,
    Characters,
    Step,
)
from sprawl_env.games.ginkgopolis.names import (
    DIRECTIONS,
    cell_beside,
    moving_letter,
    step_of,
    tiles_in,
)
from sprawl_env.games.ginkgopolis.rules.flow import advance
from sprawl_env.games.ginkgopolis.rules.setup import set_up
from sprawl_env.games.ginkgopolis.wording import card_name, character_name, tile_name
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import combine, seed_state, shuffle
from tests.second_opinion.ginkgopolis_by_hand import Ginkgopolis
from tests.unit.games.ginkgopolis.position import legal_names

OVER = {NOT_OVER: "no", FINISHED: "finished", TRUNCATED: "truncated"}
DECISIONS = {step: step.name.lower() for step in Step if step <= Step.MARKER}
OPPOSITE = dict(zip(DIRECTIONS, DIRECTIONS[2:] + DIRECTIONS[:2], strict=True))


class Shuffler:
    """Shuffles lists of names with the random numbers that the kernels will use next."""

    def __init__(self, state):
        # ``rng`` is not first: numba warns of records that begin like each other
        self._own = np.zeros(1, [("unused", np.int64), ("rng", np.int64)]).view(np.recarray)
        self.follow(state)

    def follow(self, state):
        self._own.rng[0] = state.rng

    def __call__(self, names):
        order = np.arange(len(names), dtype=np.int8)
        shuffle(self._own[0], order, len(names))
        names[:] = [names[k] for k in order]


@kernel
def set_up_first(tables, games, seed):
    """Set up game 0 without advancing to the first decision."""
    seed_state(games[0], seed)
    set_up(tables[0], games[0])


@kernel
def advance_first(tables, games):
    """Advance game 0 to the next decision."""
    advance(tables[0], games[0])


def both_dealt(game, seed):
    """Return a fresh game, the reference in the same position, and its shuffler."""
    games = game.empty(1)
    state = games[0]
    set_up_first(game.tables, games, combine(seed, 0))
    shuffler = Shuffler(state)
    names = [card_name(card) for card in state.deck[: state.deck_size].tolist()]
    packs = characters = None
    if game.num_seats > 1:
        dealt = state.pack if state.characters == Characters.DRAFT else state.picks
        held = [[character_name(kind) for kind in row.tolist()] for row in dealt[: game.num_seats]]
        if state.characters == Characters.DRAFT:
            packs = held
        else:
            characters = held
    bonus = game.data.row("components", "colour_bonus")
    reference = Ginkgopolis(
        game.num_seats,
        start=[tile_name(tile) for tile in state.site_tile[:START_TILES].tolist()],
        deck=names,
        discards=discards_of(state),
        supply=[tile_name(tile) for tile in state.supply[: state.supply_size].tolist()],
        packs=packs,
        characters=characters,
        difficulty=game.options["difficulty"],
        max_rounds=game.options["max_rounds"],
        colour_points=bonus.points,
        colour_per=bonus.per,
        shuffle=shuffler,
    )
    advance_first(game.tables, games)
    return games, reference, shuffler


def discards_of(state):
    letters = [name for k, name in enumerate(LETTERS) if int(state.discarded_letters) >> k & 1]
    return letters + [tile_name(tile) for tile in tiles_in(state.discarded)]


def markers_of(state):
    """Return where the markers are; the one that is being moved is absent."""
    found = {}
    for letter, side in enumerate(state.marker.tolist()):
        if side != NO_SIDE:
            towards = OPPOSITE[DIRECTIONS[side % 4]]
            found[LETTERS[letter]] = (*cell_beside(state, side), towards)
    return found


def buildings_of(state):
    found = {}
    for site in range(int(state.num_sites)):
        tile, owner, levels = (int(state[f][site]) for f in ("site_tile", "owner", "levels"))
        found[tile_name(tile)] = (
            int(state.site_x[site]),
            int(state.site_y[site]),
            owner,
            levels,
            0 if owner == NOBODY else levels,
            bool(int(state.workers) >> tile & 1),
        )
    return found


def committed_of(state, seat):
    """Return card and tile that a seat has chosen and not revealed yet."""
    card, tile = int(state.chosen[seat]), int(state.chosen_tile[seat])
    if state.rounds == 0 or card == NO_CARD:
        return (None, None)
    return (card_name(card), None if tile == NO_TILE else tile_name(tile))


def characters_of(game, state, seat):
    kinds = [kind for kind in state.picks[seat].tolist() if kind != NO_CHARACTER]
    if state.rounds == 0 and state.chosen[seat] != NO_CARD:
        kinds.append(int(state.chosen[seat]))
    return [character_name(kind) for kind in sorted(kinds)]


def snapshot_of(game, games):
    """Return the kernels' position in the form of ``Ginkgopolis.snapshot``."""
    state = games[0]
    seats = range(game.num_seats)
    sides = range(game.num_sides)
    decision = "over"
    if state.over == NOT_OVER:
        decision = DECISIONS[step_of(state)]
    hands = [
        [
            card_name(card)
            for card in sorted(state.hand[seat].tolist())
            if card != NO_CARD and (state.rounds == 0 or card != state.chosen[seat])
        ]
        for seat in seats
    ]
    tiles = [
        [tile_name(t) for t in tiles_in(state.tiles[seat]) if t != state.chosen_tile[seat]]
        for seat in seats
    ]
    return {
        "to_play": int(state.to_play),
        "round": int(state.rounds),
        "first_player": int(state.first),
        "over": OVER[int(state.over)],
        "decision": decision,
        "buildings": buildings_of(state),
        "markers": markers_of(state),
        "deck": [card_name(card) for card in state.deck[: state.deck_size].tolist()],
        "discards": discards_of(state),
        "hands": hands,
        "committed": [committed_of(state, seat) for seat in seats],
        "hal_card": None if state.hal_card == NO_CARD else card_name(int(state.hal_card)),
        "supply": [tile_name(tile) for tile in state.supply[: state.supply_size].tolist()],
        "tiles": tiles,
        "returning": [[tile_name(t) for t in tiles_in(state.returning[seat])] for seat in seats],
        "resources": [int(state.resources[seat]) for seat in sides],
        "stock": [int(state.stock[seat]) for seat in sides],
        "points": [int(state.points[seat]) for seat in sides],
        "tokens": [int(state.tokens[seat]) for seat in seats],
        "cards": [sorted(tile_name(t) for t in tiles_in(state.kept[side])) for side in sides],
        "characters": [characters_of(game, state, seat) for seat in seats],
        "run_outs": int(state.run_outs),
        "ending": bool(state.ending),
    }


def differences(game, games, reference):
    """Return where the two differ; empty if nowhere."""
    mine, other = snapshot_of(game, games), reference.snapshot()
    other["cards"] = [sorted(cards) for cards in other["cards"]]
    if mine["decision"] == "return":  # gains of one action are added up, in an order of our own
        for key in ("points", "resources", "stock"):
            del mine[key], other[key]
    if mine["decision"] == "marker":  # a marker shut in keeps its place until it is asked for
        moving = moving_letter(games[0])
        for markers in (mine["markers"], other["markers"]):
            markers.pop(LETTERS[moving], None)
    found = {key: (mine[key], other.get(key)) for key in mine if mine[key] != other.get(key)}
    if set(mine) != set(other):
        found["fields"] = (set(mine), set(other))
    names = legal_names(game, games), reference.legal()
    if names[0] != names[1]:
        found["legal"] = (sorted(names[0] - names[1]), sorted(names[1] - names[0]))
    if mine["decision"] != "return":
        scores = game.scores(games, 0).tolist(), reference.scores()
        if scores[0] != scores[1]:
            found["scores"] = scores
    if games.over[0] != NOT_OVER:
        standings = game.standings(games, 0)
        best = set(np.flatnonzero(standings == standings.max()).tolist())
        if best != reference.winners():
            found["winners"] = (best, reference.winners())
    return found
