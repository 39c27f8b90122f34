"""What happened in games that were kept as replays, as rows for tables.

Every game is re-played and checked on the way.  Rows of all kinds begin with the game's number (in
the order of the replays) and most name a seat, so that tables are joined by those two:

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
from sprawl_env.commands.replay import files_of
from sprawl_env.core.errors import PositionError
from sprawl_env.core.game import Game
from sprawl_env.core.state import AUTOMATON, NOBODY, NOT_OVER, Games
from sprawl_env.games.ginkgopolis.constants import COLOURS
from sprawl_env.games.ginkgopolis.rules.act import colour_of
from sprawl_env.games.ginkgopolis.rules.scoring import district_of, score_district
from sprawl_env.games.urban_sprawl.constants import CORNERS, DECK_CARDS, DECKS, OFFICES, ZONES
from sprawl_env.games.urban_sprawl.names import card_name
from sprawl_env.replays.format import Ply, Replay, load_all
from sprawl_env.replays.verification import steps

Watch = Callable[[Iterable[Replay]], Iterable[Replay]]


@dataclass(frozen=True)
class Side:
    """How a game ended for a seat, or for the automaton.

    Attributes:
        seat: the automaton counts as the seat after the last.
        agent: who played, ``"seat 0"`` if the replay does not say.
        score: final points; where the game was broken off, those it had then.
        margin: the same less the mean of the other sides'.
        share: of the victory, 1 for a sole winner.
    """

    game: int
    seat: int
    agent: str
    score: int
    margin: float
    share: float


@dataclass(frozen=True)
class Decision:
    """One decision.

    Attributes:
        ply, turn: made before it.
        kind: block of the action table.
        says: the action in words.
        legal: how many actions were legal.
        lead: points the seat was ahead of the mean of the other sides before it.
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
        ply, turn: made before its last permit was paid.
        deck: ``town``, ``city`` or ``metropolis``.
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
        turns: how many turns, anybody's, ended while the seat held it.
        at_end: held when the game ended.
    """

    game: int
    seat: int
    office: str
    turns: int
    at_end: bool


@dataclass(frozen=True)
class District:
    """A seat's part in a district of *Ginkgopolis* at the end.

    Attributes:
        district: number within the game.
        buildings: of the district.
        resources: of all on it.
        own: the seat's.
        points: what it pays the seat.
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
    """All rows; those of a game that has no such thing stay empty."""

    sides: list[Side] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    contracts: list[Contract] = field(default_factory=list)
    offices: list[Office] = field(default_factory=list)
    districts: list[District] = field(default_factory=list)


def read(*paths: Path) -> list[Replay]:
    """Return the games of replays or of folders of them, in the order of their names.

    Raises:
        InvalidOption: a folder without any, or nothing named.
        PositionError: a file is missing or damaged.
    """
    return [replay for path in files_of(paths) for replay in load_all(path)]


def unwatched(replays: Iterable[Replay]) -> Iterable[Replay]:
    """Pass replays on as they are; whoever shows progress counts them."""
    return replays


def dissect(replays: Iterable[Replay], watch: Watch = unwatched) -> Anatomy:
    """Return what happened.

    Args:
        replays: of any games.
        watch: is handed the replays and passes them on, for whoever shows progress.

    Raises:
        PositionError: one does not go as recorded; names the game and the ply.
    """
    found = Anatomy()
    for number, replay in enumerate(watch(replays)):
        try:
            _follow(found, number, replay)
        except PositionError as error:
            raise PositionError(f"game {number}: {error}") from None
    return found


# ---------------------------------------------------------------------------------- one game


def _follow(found: Anatomy, number: int, replay: Replay) -> None:
    """Re-play a game and add its rows."""
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
    _finish(found, number, replay, after)
    if builds:
        found.offices.extend(_offices(number, after, held))
    if game.name == "ginkgopolis":
        found.districts.extend(_districts(number, game, after))


def _margins(game: Game, games: Games) -> Any:
    """Return how far each side is ahead of the mean of the others, float64 ``[num_sides]``."""
    scores = game.scores(games, 0).astype(np.float64)
    return scores - (scores.sum() - scores) / (game.num_sides - 1)


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


def _finish(found: Anatomy, number: int, replay: Replay, after: Games) -> None:
    """Add who won."""
    game, header = replay.game(), replay.header
    if "forfeit" in header:
        shares = forfeited(game.num_seats, Forfeit(**header["forfeit"])).shares
    elif after["over"][0] == NOT_OVER:
        raise PositionError("the game is not over: nobody has won it")
    else:
        shares, _ = shares_and_ranks(game.standings(after, 0))
    seats = [f"seat {seat}" for seat in range(game.num_seats)]
    bots = [*header.get("bots", seats), AUTOMATON]
    margins, scores = _margins(game, after), game.scores(after, 0)
    found.sides.extend(
        Side(number, seat, bots[seat], int(scores[seat]), float(margins[seat]), share)
        for seat, share in enumerate(shares)
    )


# ------------------------------------------------------------------------------- Urban Sprawl


def _contract(number: int, game: Game, before: Games, games: Games, ply: Ply) -> Contract:
    """Return the contract whose last permit has just been paid."""
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
    """Return who holds which office, as seat and office."""
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
    """Return the parts of all seats that have resources in some district."""
    state, rows = after[0], []
    left, name = set(range(int(state.num_sites))), 0
    while left:
        sites = int(district_of(state, min(left)))
        members = [site for site in sorted(left) if sites >> site & 1]
        left -= set(members)
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
