"""Turn replays into rows for tables: decisions, results, contracts, offices and districts.

Every game is played again and verified.  Every row has the game's number, counted in the order of
the replays, and most rows have a seat.  Tables are joined on these two columns::

    from experiments.anatomy import dissect, read
    found = dissect(read(Path("runs/first/replays")))
    polars.DataFrame(found.contracts).join(polars.DataFrame(found.sides), on=["game", "seat"])
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sprawl_env.arena.match import Forfeit, forfeited, shares_and_ranks
from sprawl_env.core.errors import InvalidOption, PositionError
from sprawl_env.core.game import Game
from sprawl_env.core.rewards import leads
from sprawl_env.core.state import AUTOMATON, NOBODY, NOT_OVER, Games
from sprawl_env.games.ginkgopolis.constants import COLOURS
from sprawl_env.games.ginkgopolis.rules.act import colour_of
from sprawl_env.games.ginkgopolis.rules.scoring import district_of, score_district
from sprawl_env.games.urban_sprawl.constants import CORNERS, DECK_CARDS, DECKS, OFFICES, ZONES
from sprawl_env.games.urban_sprawl.names import card_name
from sprawl_env.replays.format import Ply, Replay, load_all
from sprawl_env.replays.verification import steps

Progress = Callable[[Iterable[Replay]], Iterable[Replay]]


@dataclass(frozen=True)
class Side:
    """The result of a game for a seat or for the automaton.

    Attributes:
        game: number of the game.
        seat: the seat; for the automaton, the number of seats.
        bot: name of the bot in the seat, ``human`` or ``automaton``; if the replay has no names,
            ``seat 0`` and so on.
        score: points at the end; after a forfeit, points at the last ply.
        margin: the score minus the mean score of the other sides.
        share: share of the victory: 1 for a sole winner, 1/2 for one of two winners, 0 for a loser.
    """

    game: int
    seat: int
    bot: str
    score: int
    margin: float
    share: float


@dataclass(frozen=True)
class Decision:
    """One decision.

    Attributes:
        game: number of the game.
        ply: number of decisions before this one.
        turn: number of turns before this one.
        seat: the seat that decided.
        kind: block of the action table, e.g. ``build``.
        says: the action's name.
        legal: number of legal actions.
        lead: the seat's score minus the mean score of the other sides, before the decision.
    """

    game: int
    ply: int
    turn: int
    seat: int
    kind: str
    says: str
    legal: int
    lead: float


@dataclass(frozen=True)
class Contract:
    """A contract of *Urban Sprawl* that was built.

    Attributes:
        game: number of the game.
        ply: number of decisions before the one that paid its last permit.
        turn: number of turns before that one.
        seat: the builder.
        name: name of the contract.
        deck: ``town``, ``city`` or ``metropolis``.
        zone: zone of the building.
        size: size of the building.
        price: wealth paid for the block.
    """

    game: int
    ply: int
    turn: int
    seat: int
    name: str
    deck: str
    zone: str
    size: int
    price: int


@dataclass(frozen=True)
class Office:
    """An office of *Urban Sprawl* that a seat held.

    Attributes:
        game: number of the game.
        seat: the holder.
        office: name of the office.
        turns: number of turns, of all seats, that ended while the seat held the office.
        at_end: True if the seat held the office when the game ended.
    """

    game: int
    seat: int
    office: str
    turns: int
    at_end: bool


@dataclass(frozen=True)
class District:
    """A seat's part in a district of *Ginkgopolis* at the end of a game.

    Attributes:
        game: number of the game.
        district: number of the district within the game.
        colour: colour of the district.
        buildings: number of buildings in the district.
        resources: number of resources of all sides in the district.
        seat: the seat; for the automaton, the number of seats.
        own: number of resources of the seat.
        points: points that the district gives the seat.
    """

    game: int
    district: int
    colour: str
    buildings: int
    resources: int
    seat: int
    own: int
    points: int


@dataclass(frozen=True)
class Anatomy:
    """All rows; a list is empty if the games have no such thing."""

    sides: list[Side] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    contracts: list[Contract] = field(default_factory=list)
    offices: list[Office] = field(default_factory=list)
    districts: list[District] = field(default_factory=list)


def read(*paths: Path) -> list[Replay]:
    """Return the replays in files or folders, sorted by file name within a folder.

    Raises:
        InvalidOption: no path is given.
        PositionError: a file cannot be read or is damaged, or a folder has no replays.
    """
    if not paths:
        raise InvalidOption("files: expected one or more replays, or folders of replays")
    return [replay for path in paths for replay in load_all(path)]


def no_progress(replays: Iterable[Replay]) -> Iterable[Replay]:
    """Return the replays unchanged; the default of ``progress``."""
    return replays


def dissect(replays: Iterable[Replay], progress: Progress = no_progress) -> Anatomy:
    """Return the rows of some games.

    Args:
        replays: replays of any games.
        progress: called with the replays; returns the iterable to use.  A progress bar wraps the
            replays here.

    Raises:
        PositionError: a game differs from its replay, or is not over; the message names the game
            and the ply.
    """
    found = Anatomy()
    for number, replay in enumerate(progress(replays)):
        try:
            _add_game(found, number, replay)
        except PositionError as error:
            raise PositionError(f"game {number}: {error}") from None
    return found


# ---------------------------------------------------------------------------------- one game


def _add_game(found: Anatomy, number: int, replay: Replay) -> None:
    """Play a game again and add its rows."""
    game = replay.game()
    after = game.deal(1, replay.header["seed"])
    builds = game.name == "urban_sprawl"
    held: Counter[tuple[int, int]] = Counter()
    before = after.copy()
    for ply, games in steps(replay):
        found.decisions.append(_decision(number, game, before, ply))
        if builds:
            if games["contracts_built"][0] > before["contracts_built"][0]:
                found.contracts.append(_contract(number, game, before, games, ply))
            if games["turn"][0] > before["turn"][0]:
                held.update(_holders(games))
        before, after = games.copy(), games
    _add_sides(found, number, replay, after)
    if builds:
        found.offices.extend(_offices(number, after, held))
    if game.name == "ginkgopolis":
        found.districts.extend(_districts(number, game, after))


def _margins(game: Game, games: Games) -> Any:
    """Return each side's score minus the mean of the others, float64 ``[num_sides]``."""
    return leads(game.scores(games, 0))


def _decision(number: int, game: Game, before: Games, ply: Ply) -> Decision:
    return Decision(
        number,
        ply.ply,
        int(before["turn"][0]),
        ply.seat,
        game.actions.locate(ply.action)[0],
        ply.says,
        ply.legal,
        float(_margins(game, before)[ply.seat]),
    )


def _add_sides(found: Anatomy, number: int, replay: Replay, after: Games) -> None:
    """Add the results of all sides."""
    game, header = replay.game(), replay.header
    if "forfeit" in header:
        shares = forfeited(game.num_seats, Forfeit(**header["forfeit"])).shares
    elif after["over"][0] == NOT_OVER:
        raise PositionError("the game is not over: it has no winner")
    else:
        shares, _ = shares_and_ranks(game.standings(after, 0))
    named = header.get("bots", [])
    seats = named if len(named) == game.num_seats else [f"seat {k}" for k in range(game.num_seats)]
    bots = [*seats, AUTOMATON]
    margins, scores = _margins(game, after), game.scores(after, 0)
    found.sides.extend(
        Side(number, seat, bots[seat], int(scores[seat]), float(margins[seat]), share)
        for seat, share in enumerate(shares)
    )


# ------------------------------------------------------------------------------- Urban Sprawl


def _contract(number: int, game: Game, before: Games, games: Games, ply: Ply) -> Contract:
    """Return the contract whose last permit was paid by this ply."""
    state, t = games[0], game.tables[0]
    card = int(state.card)
    return Contract(
        number,
        ply.ply,
        int(before["turn"][0]),
        ply.seat,
        card_name(game.tables, card),
        DECKS[card // DECK_CARDS],
        ZONES[t.card_zone[card]],
        int(t.card_size[card]),
        int(before["value"][0, int(state.lot) // CORNERS]),
    )


def _holders(games: Games) -> list[tuple[int, int]]:
    """Return the held offices as pairs of seat and office."""
    offices = games["office"][0].tolist()
    return [(seat, office) for office, seat in enumerate(offices) if seat != NOBODY]


def _offices(number: int, after: Games, held: Counter[tuple[int, int]]) -> list[Office]:
    at_end = set(_holders(after))
    return [
        Office(number, seat, OFFICES[office], held[seat, office], (seat, office) in at_end)
        for seat, office in sorted(set(held) | at_end)
    ]


# -------------------------------------------------------------------------------- Ginkgopolis


def _districts(number: int, game: Game, after: Games) -> list[District]:
    """Return a row for each seat and district in which the seat has resources."""
    state, rows = after[0], []
    remaining, name = set(range(int(state.num_sites))), 0
    while remaining:
        sites = int(district_of(state, min(remaining)))
        members = [site for site in sorted(remaining) if sites >> site & 1]
        remaining -= set(members)
        owners = Counter[int]()
        for site in members:
            if state.owner[site] != NOBODY:
                owners[int(state.owner[site])] += int(state.levels[site])
        if len(members) < 2 or not owners:  # noqa: PLR2004 - no district (ruling G10)
            continue
        points = np.zeros(game.num_sides, np.int32)
        score_district(state, sites, points)
        colour = COLOURS[colour_of(int(state.site_tile[members[0]]))]
        rows += [
            District(
                number,
                name,
                colour,
                len(members),
                owners.total(),
                seat,
                owners[seat],
                int(points[seat]),
            )
            for seat in sorted(owners)
        ]
        name += 1
    return rows
