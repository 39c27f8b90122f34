"""What follows from the printed facts of *Urban Sprawl*, for positions of one's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from sprawl_env.core.state import Games, Tables
from sprawl_env.games.urban_sprawl.constants import (
    FIRST_EVENT,
    NO_CARD,
    NO_KIND,
    NUM_DECKS,
    NUM_EVENTS,
    NUM_KINDS,
    NUM_PLANNING,
)
from sprawl_env.games.urban_sprawl.invariants import (
    buildings_of,
    derived,
    ranges,
    values_of,
    worth_of,
)
from sprawl_env.games.urban_sprawl.state import State
from sprawl_env.games.urban_sprawl.tables import Table


def rebuild(tables: Tables, before: Games, games: Games, given: Collection[str]) -> None:
    """Write what follows from the other fields of game 0, except the fields that were given."""
    t: Table = tables[0]
    was: State = before[0]
    state: State = games[0]
    if any(ranges(t, state)):
        return  # indices that do not exist: the check of the position says which
    for field, values in derived(state, buildings_of(state)).items():
        getattr(state, field)[...] = values
    blocks = values_of(t, state)
    state.value[:] = blocks
    state.worth_up_to[:] = worth_of(blocks)
    state.vocations_left[:] = t.vocation_markers - state.vocations.sum(axis=0)
    if "tiles" not in given:
        _tiles(was, state)
    if not {"planning_discards", "planning_deck"} & set(given):
        _planning(t, state)
    if "deck" not in given:
        _contracts(was, state)


def _tiles(was: State, state: State) -> None:
    """Take the tiles of new buildings from the supply, and put those of removed ones back."""
    for lots, zone, _, _ in buildings_of(was):
        state.tiles[zone, lots.bit_count() - 1] += 1
    for lots, zone, _, _ in buildings_of(state):
        state.tiles[zone, lots.bit_count() - 1] -= 1


def _planning(t: Table, state: State) -> None:
    """Put planning cards that are nowhere on the discards; take those that are needed (US §3).

    They are taken from the discards, then from the deck, the ones that come last first.
    """
    deck = state.planning_deck[: state.planning_size].tolist()
    shown = Counter(kind for kind in state.planning.tolist() if kind != NO_KIND)
    held = Counter({kind: int(state.hand[:, kind].sum()) for kind in range(NUM_KINDS)})
    executed = Counter() if state.event == NO_KIND else Counter([FIRST_EVENT + int(state.event)])
    copies = [*t.permit_copies.tolist(), int(t.renewal_copies), *[1] * NUM_EVENTS]
    for kind in range(NUM_PLANNING):
        rest = copies[kind] - shown[kind] - held[kind] - executed[kind]
        while 0 <= rest < deck.count(kind):
            place = deck.index(kind)
            state.no_events -= place >= len(deck) - state.no_events  # the next cards, U13
            del deck[place]
        state.planning_discards[kind] = rest - deck.count(kind)
    state.planning_size = len(deck)
    state.planning_deck[: len(deck)] = deck


def _contracts(was: State, state: State) -> None:
    """Take contracts that are face up now out of their decks; the others leave the game."""
    faces = {*state.contract.tolist(), *state.deck_top.tolist(), *state.favors.reshape(-1).tolist()}
    for deck in range(NUM_DECKS):
        inside = was.deck[deck, : was.deck_size[deck]].tolist()
        left = [card for card in inside if card not in faces - {NO_CARD}]
        state.deck_size[deck] = len(left)
        state.deck[deck, : len(left)] = left
