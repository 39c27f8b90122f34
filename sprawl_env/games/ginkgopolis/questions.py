"""What a seat of *Ginkgopolis* is asked, in full and with the reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sprawl_env.core.game import Game
from sprawl_env.core.state import Games
from sprawl_env.core.words import counted
from sprawl_env.games.ginkgopolis.constants import (
    CHARACTERS_KEPT,
    LETTERS,
    NO_SITE,
    NUM_LETTERS,
    NUMBERS,
    Step,
)
from sprawl_env.games.ginkgopolis.names import decision_of, step_of
from sprawl_env.games.ginkgopolis.state import State
from sprawl_env.games.ginkgopolis.wording import card_name, tile_name


def question(game: Game, games: Games, g: int) -> str:
    """Return what the seat to play decides, and why it is asked."""
    state: State = games[g]
    return _QUESTIONS[step_of(state)](game, state, int(state.to_play))


def _draft(game: Game, state: State, seat: int) -> str:
    number = int(state.num_picks) + 1
    passed = "the others go to the next seat" if number < CHARACTERS_KEPT else "the last one goes"
    return f"Draft, pick {number} of {CHARACTERS_KEPT}: keep one character; {passed}"


def _card(game: Game, state: State, seat: int) -> str:
    asked = f"Round {int(state.rounds)}: choose a card to play, face down"
    tokens = int(state.tokens[seat])
    if not tokens:
        return asked
    return f"{asked}, or pay a token for four new cards ({tokens} left)"


def _tile(game: Game, state: State, seat: int) -> str:
    card = int(state.chosen[seat])
    name = card_name(card)
    if card < NUM_LETTERS:
        return (
            f"Card {name}: add a tile to build in place of marker {name} for a resource, or play "
            "it alone for a resource or a tile"
        )
    levels = int(state.levels[state.site_of[card - NUM_LETTERS]])
    gives = ("resource", "tile", "point")[(card - NUM_LETTERS) // NUMBERS]
    return (
        f"Card {name}: add a tile to build on {name} for {levels + 1} resources or more, or play "
        f"it alone for {counted(levels, gives)}"
    )


def _return(game: Game, state: State, seat: int) -> str:
    points = int(game.tables[0].return_points)
    return f"The tiles ran out: return tiles for {points} point each, as many as you like"


def _gain(game: Game, state: State, seat: int) -> str:
    return "Your card is played alone: take a resource or a tile"


def _marker(game: Game, state: State, seat: int) -> str:
    entry = decision_of(state)
    letter = LETTERS[int(entry.letter)]
    if entry.letter != entry.first_letter or entry.site == NO_SITE:
        return f"Marker {letter} is shut in by the new building: choose its new place"
    tile = tile_name(int(state.site_tile[entry.site]))
    return (
        f"{tile.capitalize()} is built in place of marker {letter}: choose the marker's new place"
    )


_QUESTIONS: Final[dict[Step, Callable[[Game, State, int], str]]] = {
    Step.DRAFT: _draft,
    Step.CARD: _card,
    Step.TILE: _tile,
    Step.RETURN: _return,
    Step.GAIN: _gain,
    Step.MARKER: _marker,
}
