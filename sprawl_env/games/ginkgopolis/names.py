"""*Ginkgopolis* as text: action names and the text board."""

from __future__ import annotations

from collections.abc import Iterator

from sprawl_env.core.state import FINISHED, NOBODY, NOT_OVER, Games, Tables
from sprawl_env.games.ginkgopolis.actions import ACTIONS
from sprawl_env.games.ginkgopolis.constants import (
    COLOURS,
    HAL,
    LETTERS,
    NO_CARD,
    NO_CHARACTER,
    NO_LETTER,
    NO_SIDE,
    NUM_TILES,
    NUMBERS,
    STEP_X,
    STEP_Y,
    Gain,
    Step,
)
from sprawl_env.games.ginkgopolis.rules.markers import find_place
from sprawl_env.games.ginkgopolis.state import Entry, State
from sprawl_env.games.ginkgopolis.wording import card_name, character_name, tile_name
from sprawl_env.kernels.compile import kernel

UNKNOWN = "?"
DIRECTIONS = ("north", "east", "south", "west")
DECISIONS = {
    Step.DRAFT: "pick a character",
    Step.CARD: "choose a card",
    Step.TILE: "add a tile or not",
    Step.RETURN: "return tiles",
    Step.GAIN: "take a resource or a tile",
    Step.MARKER: "move a marker",
}


@kernel
def place_of(games: Games, g: int, letter: int, number: int) -> int:
    """Return the side of a marker's candidate (see ``find_place``), or NO_SIDE."""
    return find_place(games[g], letter, number)


def cell_beside(state: State, side: int) -> tuple[int, int]:
    """Return the column and row of the cell that a side faces."""
    site, direction = side >> 2, side & 3
    return (
        int(state.site_x[site]) + STEP_X[2 * direction],
        int(state.site_y[site]) + STEP_Y[2 * direction],
    )


def tiles_in(tiles: int) -> list[int]:
    """Return the members of a set of tiles in ascending order."""
    return [tile for tile in range(NUM_TILES) if int(tiles) >> tile & 1]


def decision_of(state: State) -> Entry:
    """Return the entry of the current decision; the game is not over."""
    return state.agenda[int(state.agenda_size) - 1]


def step_of(state: State) -> Step:
    """Return the current decision; the game is not over."""
    return Step(int(decision_of(state).step))


def moving_letter(state: State) -> int:
    """Return the letter whose marker is to be placed, NO_LETTER if there is none."""
    if state.over != NOT_OVER or decision_of(state).step != Step.MARKER:
        return NO_LETTER
    return int(decision_of(state).letter)


def construction_costs(state: State, covered: int, tile: int) -> list[tuple[Gain, int, str]]:
    """Return what building a tile on a building costs: of what, how much, why (G3)."""
    levels, name = int(state.levels[state.site_of[covered]]), tile_name(covered)
    lower = max(covered % NUMBERS - tile % NUMBERS, 0)
    costs = [
        (Gain.POINT, lower, f"lower number than {name}"),
        (Gain.RESOURCE, levels + 1, f"{levels + 1} levels"),
    ]
    if covered // NUMBERS != tile // NUMBERS:
        costs.append((Gain.RESOURCE, 1, f"another colour than {name}"))
    return costs


def action_name(tables: Tables, games: Games, g: int, action: int) -> str:
    """Return an action as a player would say it, e.g. ``with tile red 7``."""
    block, offset = ACTIONS.locate(action)
    if block in _PLAIN:
        return _PLAIN[block]
    if block == "take":
        return ("take resource", "take tile")[offset]
    if block == "draft":
        return f"draft {character_name(offset)}"
    if block == "beside":
        return f"marker {DIRECTIONS[offset]}"
    if block == "place":
        return _place_name(games, g, offset)
    if block == "letter":
        return f"card {LETTERS[offset]}"
    return f"{_WITH_TILE[block]} {tile_name(offset)}"


_PLAIN = {
    "new_hand": "new hand",
    "without_tile": "without tile",
    "done": "done returning",
    "wait": "wait",
}
_WITH_TILE = {"card": "card", "with_tile": "with tile", "return": "return"}


def _place_name(games: Games, g: int, number: int) -> str:
    """Return the number of a candidate, or the direction of a push if there are none (G4)."""
    state: State = games[g]
    letter = moving_letter(state)
    if letter != NO_LETTER and number <= 1 and place_of(games, g, letter, 0) == NO_SIDE:
        return ("push anticlockwise", "push clockwise")[number]
    return f"marker place {number}"


def counts_are_open(state: State, viewer: int | None, seat: int) -> bool:
    """Return whether a viewer, None for all, may see the counts behind a seat's screen."""
    return viewer in (None, seat) or bool(state.open_screens) or state.over != NOT_OVER


def describe(tables: Tables, games: Games, g: int) -> str:
    """Return the position as a text board, hidden information included."""
    return _text_board(games, g, None)


def describe_to(tables: Tables, games: Games, g: int, seat: int) -> str:
    """Return the position as a text board, with ``?`` for what a seat may not see."""
    return _text_board(games, g, seat)


def _text_board(games: Games, g: int, viewer: int | None) -> str:
    state: State = games[g]
    lines = [f"Ginkgopolis, round {int(state.rounds)}, ply {int(state.ply)}: {_status(games, g)}"]
    lines += _city(games, g)
    lines.append(
        f"  supply {int(state.supply_size)} tiles, deck {int(state.deck_size)} cards, "
        f"run-outs {int(state.run_outs)}{', the end is triggered' if state.ending else ''}"
    )
    lines += [_seat(state, viewer, seat) for seat in range(int(state.num_seats))]
    if state.num_seats == 1:
        kept = ", ".join(map(tile_name, tiles_in(state.kept[HAL]))) or "-"
        lines.append(
            f"  Hal: {int(state.points[HAL])} points, {int(state.stock[HAL])} resources; cards "
            f"{kept}"
        )
    return "\n".join(lines)


def _status(games: Games, g: int) -> str:
    state: State = games[g]
    if state.over != NOT_OVER:
        return "over" if state.over == FINISHED else "stopped at the round limit"
    return f"seat {int(state.to_play)} to {DECISIONS[step_of(state)]}"


def _city(games: Games, g: int) -> Iterator[str]:
    """Yield the rows of the city; a building shows colour, number, height and owner."""
    state: State = games[g]
    cells = {}
    for site in range(int(state.num_sites)):
        tile, owner = int(state.site_tile[site]), int(state.owner[site])
        who = "" if owner == NOBODY else f":{owner}"
        shown = f"{COLOURS[tile // NUMBERS][0]}{tile % NUMBERS + 1}^{int(state.levels[site])}{who}"
        cells[int(state.site_x[site]), int(state.site_y[site])] = shown
    for letter, side in enumerate(state.marker.tolist()):
        if side != NO_SIDE:
            cells[cell_beside(state, side)] = f"({LETTERS[letter]})"
    columns = [x for x, _ in cells]
    rows = [y for _, y in cells]
    for y in range(min(rows), max(rows) + 1):
        row = (cells.get((x, y), ".") for x in range(min(columns), max(columns) + 1))
        yield "  " + "".join(f"{cell:<9}" for cell in row).rstrip()


def _seat(state: State, viewer: int | None, seat: int) -> str:
    """Return what a seat has, as the viewer may see it."""
    points, resources = str(int(state.points[seat])), str(int(state.resources[seat]))
    tiles = [tile_name(tile) for tile in tiles_in(state.tiles[seat])]
    hand = [card_name(card) for card in state.hand[seat].tolist() if card != NO_CARD]
    characters = [character_name(k) for k in state.picks[seat].tolist() if k != NO_CHARACTER]
    if viewer not in (None, seat) and state.over == NOT_OVER:
        held = tiles_in(int(state.tiles[seat]) | int(state.returning[seat]))  # ruling G23
        tiles, hand = [UNKNOWN] * len(held), [UNKNOWN] * len(hand)
        if step_of(state) == Step.DRAFT:
            characters = [UNKNOWN] * len(characters)
        if not counts_are_open(state, viewer, seat):
            points, resources, tiles = UNKNOWN, UNKNOWN, [UNKNOWN]
    cards = [*characters, *map(tile_name, tiles_in(state.kept[seat]))]
    return (
        f"  seat {seat}: {points} points, {resources} resources "
        f"(+{int(state.stock[seat])} in supply), {int(state.tokens[seat])} tokens; "
        f"tiles {', '.join(tiles) or '-'}; hand {', '.join(hand) or '-'}; "
        f"cards {', '.join(cards) or '-'}"
    )
