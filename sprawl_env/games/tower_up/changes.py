"""What a ply of *Tower Up* changed, and actions in words.

Everything is open except the order of the deck, which nothing here reads: every seat is told all.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sprawl_env.core.changes import Change, Told, moved, scored, signed_count
from sprawl_env.core.game import Game
from sprawl_env.core.rules import Played
from sprawl_env.core.state import FINISHED, NOBODY, NOT_OVER, Games
from sprawl_env.games.tower_up.actions import ACTIONS
from sprawl_env.games.tower_up.constants import (
    COLOURS,
    MARKET_SIZE,
    NO_CARD,
    NO_COLOUR,
    NUM_COLOURS,
    EndCause,
    ObjectiveKind,
)
from sprawl_env.games.tower_up.names import card_name
from sprawl_env.games.tower_up.state import State
from sprawl_env.kernels.arrays import Ints

_FLOOR_CAUSES: Final = {
    "take": "card",
    "choose": "chosen floor",
    "return": "more floors than a seat may keep",
    "build": "building",
}
END_WORDS: Final = {
    EndCause.LAST_ROOF: "a last roof is placed: every other seat has one more turn",
    EndCause.SHORTAGE: "floors or sites run short: every seat has one more turn",
}


def changes(
    game: Game, before: Games, after: Games, g: int, played: Played, viewer: int | None
) -> list[Change]:
    """Return what a ply changed: floors, buildings, roofs, markers, points, cards, the end."""
    old, new = before[g], after[g]
    block, _ = ACTIONS.locate(played.action)
    return [
        *_floors(old, new, block),
        *_buildings(old, new),
        *_roofs(old, new),
        *_markers(game, old, new, "roof" if block == "roof" else "vehicle"),
        *_objectives(game, old, new),
        *_end_of_turn(old, new),
        *scored(points_by_source(game, before, g), points_by_source(game, after, g)),
        *_cards(game, old, new),
        *_end_of_game(old, new),
    ]


def points_by_source(game: Game, games: Games, g: int) -> dict[str, Ints]:
    """Return where the points come from: for each source, the millions of every seat."""
    t, state = game.tables[0], games[g]
    seats = int(state.num_seats)
    found = {
        f"{name} marker": t.marker_values[state.marker[:seats, colour]]
        for colour, name in enumerate(COLOURS)
    }
    found["chips"] = state.chip[:seats].sum(axis=1)
    found["visible roofs"] = t.cone_values[state.cone[:seats]]
    return found


def _floors(old: State, new: State, block: str) -> list[Change]:
    cause = _FLOOR_CAUSES.get(block, "")
    kind = "return" if block == "return" else ""
    found = []
    for seat, colour in np.argwhere(new.reserve != old.reserve).tolist():
        amount = int(new.reserve[seat, colour]) - int(old.reserve[seat, colour])
        found += moved(seat, f"{COLOURS[colour]} floor", amount, cause, kind)
    return found


def _buildings(old: State, new: State) -> list[Change]:
    """Return new buildings, floors added to others, and the roofs that they cover."""
    found = []
    for site in np.flatnonzero(new.height != old.height).tolist():
        name, height = COLOURS[new.colour[site]], int(new.height[site])
        if old.colour[site] == NO_COLOUR:  # the action names it
            found.append(Change("build", NOBODY, "building", 1, f"{name} on site {site}"))
        else:
            text = f"{name} building on site {site} is {height} high"
            found.append(Change("raise", NOBODY, "height", 1, "building beside it", text))
        if old.top[site] != NOBODY:
            cause = f"floor on site {site}"
            found.append(Change("cover", int(old.top[site]), "visible roof", -1, cause,
                                f"roof on site {site} covered"))  # fmt: skip
    return found


def _roofs(old: State, new: State) -> list[Change]:
    found = []
    for seat, roof in np.argwhere(new.roof_site != old.roof_site).tolist():
        where = f"roof on site {int(new.roof_site[seat, roof])}"
        text = f"{signed_count(int(new.roofs_left[seat]), 'roof')[1:]} left"
        found.append(Change("roof", seat, "roof", -1, where, text))
        found.append(Change("roof", seat, "visible roof", 1, where))
    return found


def _markers(game: Game, old: State, new: State, cause: str) -> list[Change]:
    """Return how markers moved, by the numbers that are printed on their tracks."""
    values, found = game.tables[0].marker_values, []
    for seat, colour in np.argwhere(new.marker != old.marker).tolist():
        was, now = int(old.marker[seat, colour]), int(new.marker[seat, colour])
        text = f"{COLOURS[colour]} marker {int(values[was])} to {int(values[now])}"
        found.append(Change("move", seat, f"{COLOURS[colour]} marker", now - was, cause, text))
    return found


def objective_name(game: Game, state: State, k: int) -> str:
    """Return an objective in play, e.g. ``one colour``."""
    kind = ObjectiveKind(int(game.tables[0].objective_kind[state.objective[k]]))
    return kind.name.lower().replace("_", " ")


def _objectives(game: Game, old: State, new: State) -> list[Change]:
    """Return objectives fulfilled with their chips, and progress towards others."""
    found = []
    for seat, k in np.argwhere(new.progress != old.progress).tolist():
        name, done = objective_name(game, new, k), int(new.progress[seat, k])
        chip = int(new.chip[seat, k])
        if new.fulfilled[seat, k] > old.fulfilled[seat, k]:
            text = f"objective “{name}” fulfilled: chip {chip}"
            found.append(Change("objective", seat, "chip", chip, name, text))
            continue
        need = int(game.tables[0].objective_need[new.objective[k]])
        steps = done - int(old.progress[seat, k])
        text = f"objective “{name}” {done} of {need}"
        found.append(Change("objective", seat, "progress", steps, name, text))
    return found


def _end_of_turn(old: State, new: State) -> list[Change]:
    """Return extra turns and the cone, which moves at the end of a seat's last turn."""
    found = []
    for seat in range(int(new.num_seats)):
        stars = int(new.stars[seat]) - int(old.stars[seat])
        if stars:
            cause = "all markers have reached a star"
            found.append(Change("turn", seat, "star", stars, cause, "extra turn"))
        if new.counted[seat] > old.counted[seat]:
            steps = int(new.cone[seat]) - int(old.cone[seat])
            text = f"last turn over: {signed_count(steps, 'visible roof')[1:]}"
            found.append(Change("count", seat, "cone", steps, "visible roofs", text))
    return found


def _cards(game: Game, old: State, new: State) -> list[Change]:
    """Return market spaces that were refilled, and a rebuilt deck."""
    found = []
    if new.num_discards < old.num_discards:
        text = "the discards are shuffled into a new deck"
        found.append(Change("shuffle", NOBODY, "deck", 0, "the deck was empty", text))
    for space in range(MARKET_SIZE):
        card = int(new.market[space])
        if card not in {NO_CARD, int(old.market[space])}:
            text = f"card {space + 1} is now {card_name(game.tables, card) or 'blank'}"
            found.append(Change("reveal", NOBODY, "card", 0, "refill", text))
    return found


def _end_of_game(old: State, new: State) -> list[Change]:
    found = []
    if new.end_cause != old.end_cause:
        text = END_WORDS[EndCause(int(new.end_cause))]
        found.append(Change("phase", NOBODY, "end", 0, "", text))
    if new.over != NOT_OVER and old.over == NOT_OVER:
        how = "the game is over" if new.over == FINISHED else "the game stops at the turn limit"
        found.append(Change("phase", NOBODY, "end", 0, "", how))
    return found


def tell(game: Game, before: Games, now: Games, g: int, played: Played, viewer: int | None) -> Told:
    """Return an action in words; nothing of it is hidden."""
    block, offset = ACTIONS.locate(played.action)
    state: State = before[g]
    if block == "take":
        card = card_name(game.tables, int(state.market[offset]))
        return Told(f"take card {offset + 1}: {card or 'blank'}")
    if block in {"choose", "return"}:
        return Told(f"{'take' if block == 'choose' else block} a {COLOURS[offset]} floor")
    if block == "build":
        site, colour = divmod(offset, NUM_COLOURS)
        return Told(f"build {COLOURS[colour]} on site {site}")
    name, height = COLOURS[state.colour[offset]], int(state.height[offset])
    return Told(f"put a roof on site {offset}, {name} {height}")
