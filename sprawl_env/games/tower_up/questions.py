"""What a seat of *Tower Up* is asked, in full and with the reason."""

from __future__ import annotations

from sprawl_env.core.game import Game
from sprawl_env.core.state import Games
from sprawl_env.games.tower_up.actions import ACTIONS
from sprawl_env.games.tower_up.constants import COLOURS, EndCause, Step
from sprawl_env.games.tower_up.names import in_last_turns
from sprawl_env.games.tower_up.state import Entry, State


def question(game: Game, games: Games, g: int) -> str:
    """Return what the seat to play decides, and why it is asked."""
    state: State = games[g]
    entry: Entry = state.agenda[int(state.agenda_size) - 1]
    step = Step(int(entry.step))
    if step == Step.TURN:
        build = ACTIONS["build"]
        return _turn(state, bool(game.legal_actions(games, g)[build.start : build.stop].any()))
    if step == Step.FLOOR:
        return _floor(game, state)
    if step == Step.RETURN:
        held = int(state.reserve[state.to_play].sum())
        limit = int(game.tables[0].reserve_limit)
        return f"You hold {held} floors, {limit} may be kept: return one to the supply"
    site = int(entry.site)
    name = COLOURS[state.colour[site]]
    return (
        f"You built {name} on site {site}: put a roof on it or on a building that got a floor; "
        "your marker of its colour moves as many steps as it is high"
    )


def _turn(state: State, may_build: bool) -> str:
    """Return the question of a turn; a seat without roofs can only take a card (T11)."""
    cause = ""
    if in_last_turns(state):
        ended = state.end_cause == EndCause.LAST_ROOF
        why = "a last roof is placed" if ended else "floors or sites run short"
        cause = f"Last turns, as {why}: "
    if state.roofs_left[state.to_play] == 0:
        asked = "you have no roof left: take a card"
    elif not may_build:
        asked = "take a card: you cannot build anywhere"
    else:
        asked = "take a card, or build and pay a floor of its own colour to each adjacent building"
    return f"{cause}{asked}" if cause else asked[0].upper() + asked[1:]


def _floor(game: Game, state: State) -> str:
    """Return the question of a floor to choose: substitutes come first (T10)."""
    size = int(state.agenda_size)
    left = sum(int(state.agenda[k].step) == Step.FLOOR for k in range(size))
    card = int(state.discards[int(state.num_discards) - 1])
    if left > int(game.tables[0].card_multicolour[card]):
        return "The supply lacks a floor that your card shows: choose another colour instead"
    of = "your floor" if left == 1 else f"the next of {left} floors"
    return f"Your card gives a floor of any colour: choose the colour of {of}"
