"""The slow reference and the kernels with the same decks, shuffles and answers."""

import tomllib

import numpy as np

from sprawl_env.core.state import FINISHED, NOBODY, NOT_OVER, TRUNCATED
from sprawl_env.games.urban_sprawl.actions import ACTIONS
from sprawl_env.games.urban_sprawl.constants import (
    CORNERS,
    DECKS,
    FIRST_EVENT,
    FIRST_GREY,
    NO_CARD,
    NO_KIND,
    NO_MARKER,
    NUM_LOTS,
    NUM_MARKERS,
    OFFICES,
    PLANNING_TOP,
    RENEWAL,
)
from sprawl_env.games.urban_sprawl.data_files import FOLDER
from sprawl_env.kernels.rng import shuffle
from tests.second_opinion.urban_sprawl_by_hand import UrbanSprawlByHand

POWERS = (None, "extra_favor", "wins_ties")
OVER = {NOT_OVER: "no", FINISHED: "finished", TRUNCATED: "truncated"}
TOML = {
    name: tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    for name in ("board", "planning", *DECKS)
}


def kind_word(kind):
    """Return the reference's name of a planning card."""
    if kind == RENEWAL:
        return "renewal"
    return f"event {kind - FIRST_EVENT}" if kind >= FIRST_EVENT else f"permit {kind}"


def kind_number(word):
    """Return the kind of a planning card from the reference's name."""
    name, _, number = word.partition(" ")
    return {"renewal": RENEWAL, "event": FIRST_EVENT, "permit": 0}[name] + int(number or 0)


class SameChance:
    """Chance that gives the reference the kernels' deck orders and shuffles."""

    def __init__(self, state):
        self._decks = [[int(c) for c in state.deck[d][::-1]] for d in range(len(DECKS))]
        self._planning = [kind_word(int(k)) for k in state.planning_deck[:50][::-1]]
        # ``rng`` is not first: numba warns about records with the same first field
        self._generator = np.zeros(1, [("unused", np.int64), ("rng", np.int64)]).view(np.recarray)
        self._generator.rng[0] = state.rng

    def opening(self):
        return self._planning, *self._decks

    def reshuffle(self, cards):
        kinds = np.array([kind_number(word) for word in cards], np.int8)
        assert (np.diff(kinds) >= 0).all(), "cards are handed over sorted"
        shuffle(self._generator[0], kinds, len(kinds))
        return [kind_word(int(kind)) for kind in kinds[::-1]]


def both_dealt(game, seed, files=TOML):
    """Deal a game and return it with a reference in the same position, made of data files."""
    games = game.deal(1, seed)
    reference = UrbanSprawlByHand(
        game.num_seats,
        *(files[name] for name in ("board", "planning", *DECKS)),
        length=game.options["length"],
        max_turns=game.options["max_turns"],
        chance=SameChance(games[0]),
    )
    return games, reference


def some(number, nothing):
    return None if number == nothing else int(number)


def position_of(state):
    """Return the kernels' position in the format of the reference."""
    seats = range(int(state.num_seats))
    buildings = {
        lot: (
            int(state.zone[lot]),
            tuple(
                lot // CORNERS * CORNERS + corner
                for corner in range(CORNERS)
                if int(state.corners[lot]) >> corner & 1
            ),
            some(state.owner[lot], NOBODY),
            POWERS[state.power[lot]],
        )
        for lot in range(NUM_LOTS)
        if state.corners[lot]
    }
    where = {int(m): g for g, m in enumerate(state.marker_at) if m != NO_MARKER}
    deck = [kind_word(int(k)) for k in state.planning_deck[: state.planning_size][::-1]]
    top = some(state.planning[PLANNING_TOP], NO_KIND)
    discards = [kind_word(k) for k, n in enumerate(state.planning_discards) for _ in range(n)]
    decks = []
    for d in range(len(DECKS)):
        cards = [int(c) for c in state.deck[d, : state.deck_size[d]][::-1]]
        up = some(state.deck_top[d], NO_CARD)
        decks.append(cards if up is None else [up, *cards])
    return {
        "wealth": [int(state.wealth[s]) for s in seats],
        "prestige": [int(state.prestige[s]) for s in seats],
        "hands": [[int(n) for n in state.hand[s]] for s in seats],
        "favors": [[int(c) for c in state.favors[s] if c != NO_CARD] for s in seats],
        "vocations": [[int(n) for n in state.vocations[s]] for s in seats],
        "vocation_supply": [int(n) for n in state.vocations_left],
        "offices": {name: some(state.office[o], NOBODY) for o, name in enumerate(OFFICES)},
        "in_play": [name for o, name in enumerate(OFFICES) if int(state.in_play) >> o & 1],
        "pawn": int(state.pawn),
        "markers": {m: FIRST_GREY + where[m] if m in where else None for m in range(NUM_MARKERS)},
        "buildings": buildings,
        "tiles": [[int(n) for n in row] for row in state.tiles],
        "planning_row": [some(k, NO_KIND) for k in state.planning[:PLANNING_TOP]],
        "planning_top": top,
        "planning_deck": deck if top is None else [kind_word(top), *deck],
        "planning_discards": discards,
        "contract_row": [some(c, NO_CARD) for c in state.contract],
        "decks": decks,
        "tops_up": [bool(c != NO_CARD) for c in state.deck_top],
        "active_decks": [bool(int(state.active_decks) >> d & 1) for d in range(len(DECKS))],
        "ap": int(state.points),
        "investing": bool(state.investing),
        "contracts_built": int(state.contracts_built),
        "active": int(state.active),
    }


def legal_of(game, games):
    """Return the legal actions in the format of the reference: block and index."""
    return {ACTIONS.locate(int(a)) for a in np.flatnonzero(game.legal_actions(games))}


def differences(game, games, reference):
    """Return the differences between the two, one line each."""
    state = games[0]
    theirs = reference.position()
    mine = position_of(state)
    found = [
        f"{name}: kernels {mine[name]}, reference {theirs.get(name)}"
        for name in mine
        if mine[name] != theirs.get(name)
    ]
    if OVER[int(state.over)] != reference.over:
        found.append(f"over: kernels {OVER[int(state.over)]}, reference {reference.over}")
    if some(state.to_play, NOBODY) != reference.to_play:
        found.append(f"to play: kernels {state.to_play}, reference {reference.to_play}")
    legal = legal_of(game, games)
    if legal != reference.legal():
        extra, missing = legal - reference.legal(), reference.legal() - legal
        found.append(f"legal: only kernels {sorted(extra)}, only reference {sorted(missing)}")
    if [int(n) for n in game.scores(games, 0)] != list(reference.scores()):
        found.append(f"scores: kernels {game.scores(games, 0)}, reference {reference.scores()}")
    return found
