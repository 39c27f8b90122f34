"""Measure the balance of *Urban Sprawl* in games of ``greedy`` against itself.

The stand-in cards of this project are tuned by this report.  Example::

    python -m experiments.balance --games 2000
    python -m experiments.balance --games 500 --seats 3 --data my_cards --out runs/balance.json

The report splits points and wealth by source.  It compares the states before and after
each ply:

- gains of vocations, by the decisions that choose them;
- the price and the neighbourhood bonus of a build, from the city;
- payouts, from the cards turned up and the city after the ply;
- everything else, to the effects of the contract just built or, at the end of a turn, to its
  events.

It also tells how often the builders of a contract won, over games.

The sums are exact.  The split is approximate where several things happen at the same end of turn,
e.g. where a park changes a payout or an event decides an election.  The effect of an event is
measured only in turns with no other event.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from rich.progress import Progress
from rich.table import Table

import sprawl_env
from sprawl_env.arena.evaluation import Z95, half_width, interval
from sprawl_env.arena.games import deal_paired
from sprawl_env.bots.names import make_bot
from sprawl_env.console import check_writable, console, count_bar, run
from sprawl_env.core.batch import BatchKernels, new_results, new_views
from sprawl_env.core.checks import check_seed
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.files import write_atomically
from sprawl_env.core.game import Game
from sprawl_env.core.provenance import provenance
from sprawl_env.core.rewards import reward_mode, victory_shares
from sprawl_env.core.state import NOBODY, NOT_OVER, TRUNCATED, Games
from sprawl_env.games.urban_sprawl.actions import DECLINE, GAIN, OFFICE
from sprawl_env.games.urban_sprawl.constants import (
    ATTORNEY,
    CORNERS,
    DECKS,
    FIRST_DOUBLE_ROW,
    FIRST_EVENT,
    FIRST_GREY,
    MAYOR,
    NO_KIND,
    NO_VOCATION,
    NUM_CARDS,
    NUM_DECKS,
    NUM_EVENTS,
    NUM_POLITICIANS,
    NUM_WEALTH_MARKERS,
    POLICE,
    PRESTIGE,
    RENEWAL,
    TREASURER,
    VOCATIONS_A_CARD,
    WEALTH,
)
from sprawl_env.games.urban_sprawl.effect_verbs import Verb
from sprawl_env.games.urban_sprawl.rules.build import neighbours_of_zone
from sprawl_env.games.urban_sprawl.rules.scoring import office_bonus
from sprawl_env.games.urban_sprawl.steps import (
    Step,
)
from sprawl_env.games.urban_sprawl.tables import MAYORS_PARK, NO_ZONE
from sprawl_env.games.urban_sprawl.vocabulary import ALL
from sprawl_env.kernels.rng import combine

GAME: Final = "urban_sprawl"
SOURCES: Final = (
    "vocations",
    "neighbourhood",
    "contracts' effects",
    "events",
    "payouts",
    "Treasurer",
    "investments",
    "prices",
    "final lines",
    "final offices",
    "final wealth",
)
(VOCATION, BONUS, EFFECT, EVENT, PAYOUT, TRIBUTE, INVESTED, PRICE, LINES, OFFICES, RICHES) = range(
    len(SOURCES)
)
NUM_IDS: Final = NUM_CARDS + NUM_EVENTS  # contracts and events of the decks, then planning events
LEAST_SEEN: Final = 200  # a contract turned up so often but never built is off target
FEWEST_GAMES: Final = 2  # for an interval over games
MOST_MOVED: Final = 0.15  # largest effect of one card, as a share of the winner's score
MOST_PARKLESS: Final = 0.005  # share of the Mayor's elections without a park (US §1)
AIM_SEATS: Final = 3
AIM: Final = (120, 220)  # target range of the winner's mean score with AIM_SEATS seats

Counts = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]
Rows = npt.NDArray[Any]


@dataclass(frozen=True)
class Config:
    """Every setting of the report."""

    games: int = 2000
    """number of games with each number of seats"""
    seats: tuple[int, ...] = (2, 3, 4)
    """numbers of seats"""
    data: Path | None = None
    """folder of data files that replace those of the package"""
    length: str = "standard"
    """length of the game: standard, long or short"""
    seed: int = 0
    """game k is dealt from (seed, k)"""
    batch: int = 512
    """games played at the same time"""
    out: Path | None = None
    """JSON file for the report"""


# ---------------------------------------------------------------------------------- sums by card


class CardSums:
    """Sums by card, over the builds of a contract or the turns in which an event was the only one.

    Attributes:
        seen: number of times turned up ``[card]``.
        done: number of measurements ``[card]``.
        own: gain of the builder (for an event, of the active seat) by the card's effects, wealth
            and prestige ``[card, 2]``.
        all: the same, of all seats together ``[card, 2]``.
        vocations: gain of all seats by the card's vocations ``[card, 2]``.
        bonus: the builder's neighbourhood bonus ``[card]``.
        most: largest change of one seat by the effects, in points ``[card]``; wealth is converted
            to points as at the end of the game.
        squares: squares of the builder's gain minus the mean of the others', wealth and prestige
            ``[card, 2]``.
    """

    def __init__(self) -> None:
        self.seen, self.done, self.bonus, self.most = np.zeros((4, NUM_IDS))
        self.own, self.all, self.vocations, self.squares = np.zeros((4, NUM_IDS, 2))

    def __iadd__(self, other: CardSums) -> CardSums:
        for name, theirs in vars(other).items():
            vars(self)[name] += theirs
        return self

    def line(self, ids: Counts, games: int, seats: int, winner: float) -> dict[str, float]:
        """Return the figures of a card, over all its copies; means are per build."""
        done, seen = self.done[ids].sum(), self.seen[ids].sum()
        times = max(done, 1.0)
        means = {
            name: vars(self)[name][ids].sum(axis=0) / times for name in ("own", "all", "vocations")
        }
        most = self.most[ids].sum() / times
        return {
            "seen": float(seen),
            "seen_a_game": float(seen / games),
            "done": float(done),
            "done_of_seen": float(done / max(seen, 1.0)),
            **{
                f"{name}_{money}": float(mean[k])
                for name, mean in means.items()
                for k, money in ((PRESTIGE, "points"), (WEALTH, "wealth"))
            },
            **self._lead(ids, times, seats),
            "bonus": float(self.bonus[ids].sum() / times),
            "most": float(most),
            "most_of_winner": float(most / winner),
        }

    def _lead(self, ids: Counts, times: float, seats: int) -> dict[str, float]:
        """Return the builder's gain minus the mean of the others', and half its 95% interval."""
        own, others = self.own[ids].sum(axis=0), (self.all - self.own)[ids].sum(axis=0)
        means = (own - others / (seats - 1)) / times
        squares = self.squares[ids].sum(axis=0)
        found = {}
        for name, money in (("lead", PRESTIGE), ("lead_wealth", WEALTH)):
            variance = max(float(squares[money] / times - means[money] ** 2), 0.0)
            found[name] = float(means[money])
            found[f"{name}_error"] = Z95 * float(np.sqrt(variance / max(times - 1, 1.0)))
        return found


def builders_wins(builds: Counts, wins: Numbers, ids: Counts) -> dict[str, float | None]:
    """Return the builders' share of the victory, and half its 95% interval over games.

    A seat that built several copies in a game counts once.

    Args:
        builds: every contract that was built: game, card, seat ``[builds, 3]``.
        wins: shares of the victory ``[games, seats]``.
        ids: the card's copies.

    Returns:
        ``wins`` and ``wins_error``; None if the card was built in fewer than two games.
    """
    chosen = np.unique(builds[np.isin(builds[:, 1], ids)][:, [0, 2]], axis=0)
    games, which = np.unique(chosen[:, 0], return_inverse=True)
    if len(games) < FEWEST_GAMES:
        return {"wins": None, "wins_error": None}
    shares = wins[chosen[:, 0], chosen[:, 1]]
    mean = float(shares.mean())
    residuals = np.bincount(which, shares - mean)  # games are independent, builders are not
    scale = len(games) / (len(games) - 1)
    return {
        "wins": mean,
        "wins_error": Z95 * float(np.sqrt(scale * (residuals**2).sum())) / len(shares),
    }


def card_names(game: Game) -> list[str]:
    """Return the names of contracts and events by number; copies have the same name."""
    t = game.tables[0]
    written = [*t.card_name, *t.event_name]
    return [bytes(letters).rstrip(b"\0").decode() for letters in written]


# --------------------------------------------------------------------------- lines and payouts


def line_of(t: Any, games: Any, money: int, numbers: Rows) -> Rows:
    """Return the line of a wealth or prestige number in each game; -1 if no line has the number."""
    printed = t.column_number if money == WEALTH else t.row_number
    wealth = np.arange(len(t.marker_number)) < NUM_WEALTH_MARKERS
    fits = (wealth == (money == WEALTH)) & (t.marker_number == numbers[:, None])
    on_grey = games["marker_at"] == fits.argmax(axis=1)[:, None]
    grey = np.where(fits.any(axis=1) & on_grey.any(axis=1), FIRST_GREY + on_grey.argmax(axis=1), -1)
    here = printed == numbers[:, None]
    first = 0 if money == WEALTH else FIRST_DOUBLE_ROW
    return np.where(here.any(axis=1), first + here.argmax(axis=1), grey)


def in_lines(games: Any, seats: int) -> Rows:
    """Return how many buildings each seat controls in each line ``[n, seats, lines]``."""
    rows, columns = (games[name][:, :seats].astype(int) for name in ("in_row", "in_column"))
    doubles = [side[:, :, ::2] + side[:, :, 1::2] for side in (rows, columns)]
    return np.concatenate([columns, *doubles, rows], axis=2)


def shares(t: Any, counts: Rows, numbers: Rows) -> Rows:
    """Return the payout of lines with these numbers, by the seats' buildings in them (US §2)."""
    before = (counts[:, None, :] > counts[:, :, None]).sum(axis=2)
    tied = (counts[:, None, :] == counts[:, :, None]).sum(axis=2)
    sums = np.pad(t.places[numbers].astype(int).cumsum(axis=1), ((0, 0), (1, 0)))
    pot = np.take_along_axis(sums, before + tied, 1) - np.take_along_axis(sums, before, 1)
    return np.where(counts > 0, pot // tied, 0)


# -------------------------------------------------------------------------------------- ledger


def as_voids(games: Games) -> Any:
    """Return the records as a plain array; access to fields of a recarray is slow."""
    return games.view(np.ndarray).view(np.dtype((np.void, games.dtype)))


def tops(games: Any) -> Any:
    """Return the top entry of each game's agenda."""
    return games["agenda"][np.arange(len(games)), games["agenda_size"] - 1]


def next_steps(games: Any) -> Rows:
    """Return the step on top of each game's agenda."""
    steps: Rows = tops(games)["step"]
    return steps


class Ledger:
    """Splits the gains of wealth and prestige by source, ply by ply, in some games.

    Args:
        game: the game.
        num_games: number of games.

    Attributes:
        sources: gains ``[games, seats, wealth or prestige, source]``.
        cards: sums by card.
        mayor: elections of the Mayor, and those after which the Mayor placed a park ``[2]``.
        builds: every contract that was built: game, card, seat.
    """

    def __init__(self, game: Game, num_games: int) -> None:
        self.t, self.num_seats = game.tables[0], game.num_seats
        self.mayor = np.zeros(2, np.int64)
        self._elects_mayor = elects_mayor(self.t)
        self.sources = np.zeros((num_games, self.num_seats, 2, len(SOURCES)), np.int64)
        self.cards = CardSums()
        self._source = np.full(num_games, EVENT)  # of other gains: EFFECT or EVENT
        self._card = np.full(num_games, -1)  # contract whose effects are running
        self._events = np.zeros((num_games, NUM_IDS), np.int64)  # events of this end of turn
        self._moved = np.zeros((num_games, self.num_seats, 2), np.int64)  # by the card's effects
        self._scored = np.zeros((num_games, 2), np.int64)  # by its vocations
        self._bonus = np.zeros(num_games, np.int64)
        self._police = np.zeros((num_games, VOCATIONS_A_CARD), bool)  # scored
        self.builds: list[tuple[int, int, int]] = []

    def record(self, which: Counts, was: Any, now: Any, actions: Counts) -> None:
        """Record one ply of the games ``which``, given their states before and after."""
        seats = self.num_seats
        was, now = as_voids(was), as_voids(now)
        top = tops(was)
        step = top["step"]
        left = np.stack([now["wealth"] - was["wealth"], now["prestige"] - was["prestige"]], axis=2)
        left = left[:, :seats].astype(np.int64)
        self._count_mayors(was, now, top, actions)
        main, paying = step == Step.MAIN, step == Step.PERMITS
        built = paying & (now["contracts_built"] > was["contracts_built"])
        ends = main & (actions == DECLINE)
        self._start(which[built | ends], now["card"][built | ends], ends[built | ends])
        for source, rows in ((INVESTED, main & ~ends), (PRICE, step == Step.CLAIM)):
            self.sources[which[rows], :, :, source] += left[rows]
            left[rows] = 0
        for k in np.flatnonzero(built):
            self._pay_build(int(which[k]), was[k], now[k], int(top["site"][k]), left[k])
        pending = was["agenda"]["step"] == Step.TAKE_VOCATION
        pending &= np.arange(pending.shape[1]) < was["agenda_size"][:, None]
        own_vocation = built | pending.any(axis=1)
        for k in np.flatnonzero(step == Step.MARKER_GAIN):
            gain = (was["to_play"][k], actions[k] - GAIN)
            self._score(int(which[k]), gain, int(top["number"][k]), left[k], own_vocation[k])
        for k in np.flatnonzero(own_vocation & (was["office"][:, POLICE] != NOBODY)):
            self._police_scores(int(which[k]), was[k], now[k], left[k])
        ending = (self._source[which] == EVENT) & ~main | ends
        self._end_turn(which[ending], was[ending], now[ending], left, np.flatnonzero(ending))
        self.sources[which, :, :, self._source[which]] += left
        self._moved[which] += left
        next_step = next_steps(now)
        over = (next_step == Step.MAIN) | (now["over"] != NOT_OVER)
        self._source[which[over]] = EFFECT
        busy = (self._card[which] >= 0) | self._events[which].any(axis=1)
        for k in np.flatnonzero(over & busy):
            self._finish(int(which[k]), int(was["active"][k]))

    def _count_mayors(self, was: Any, now: Any, top: Any, actions: Counts) -> None:
        """Count elections of the Mayor by ballot or by choice, and the Mayors' parks.

        The pawn shows the ballots of a ply, up to four: with five it is back where it was.
        """
        moved = (now["pawn"].astype(int) - was["pawn"]) % NUM_POLITICIANS
        by_ballot = was["pawn"] + moved >= NUM_POLITICIANS
        chosen = (top["step"] == Step.PICK_OFFICE) & (actions == OFFICE + MAYOR)
        chosen &= self.t.effects["verb"][top["effect"]] == Verb.ELECTION
        parks = (top["step"] == Step.PLACE) & (top["effect"] == MAYORS_PARK)
        self.mayor += (by_ballot.sum() + chosen.sum(), parks.sum())

    def _start(self, which: Counts, cards: Rows, ends: Rows) -> None:
        """Start to measure a contract that was built, or the end of a turn."""
        self._source[which] = np.where(ends, EVENT, EFFECT)
        self._card[which] = np.where(ends, -1, cards)
        for array in (self._events, self._moved, self._scored, self._bonus, self._police):
            array[which] = 0

    def _pay_build(self, g: int, was: Any, now: Any, site: int, left: Rows) -> None:
        """Record the price and the neighbourhood bonus of a build."""
        block, seat = site // CORNERS, int(was["to_play"])
        price, corners = int(was["value"][block]), int(now["corners"][now["lot"]])
        bonus = neighbours_of_zone(
            now, block, corners, int(self.t.card_zone[now["card"]]), int(now["lot"])
        )
        bonus *= 1 + (was["contracts_built"] == 0 and was["office"][ATTORNEY] == seat)
        self.sources[g, seat, WEALTH, PRICE] -= price
        self.sources[g, seat, PRESTIGE, BONUS] += bonus
        self._bonus[g] = bonus
        left[seat] -= (-price, bonus)

    def _score(
        self, g: int, gain: tuple[int, int], number: int, left: Rows, own_vocation: bool
    ) -> None:
        """Record a seat's gain for a marker, by a vocation of the contract or by an effect."""
        seat, money = gain
        self.sources[g, seat, money, VOCATION] += number
        left[seat, money] -= number
        if own_vocation:
            self._scored[g, money] += number
        else:
            self._moved[g, seat, money] += number

    def _police_scores(self, g: int, was: Any, now: Any, left: Rows) -> None:
        """Record what the Police Chief scores without a decision: both kinds, per vocation."""
        seat, card = int(was["office"][POLICE]), int(self._card[g])
        for k in range(VOCATIONS_A_CARD):
            vocation = int(self.t.card_vocation[card, k])
            if vocation == NO_VOCATION or self._police[g, k]:
                continue
            due = int(self.t.card_number[card, k]) * int(now["vocations"][seat, vocation])
            if due > 0 and (left[seat] >= due).all():
                self.sources[g, seat, :, VOCATION] += due
                self._scored[g] += due
                left[seat] -= due
                self._police[g, k] = True

    def _end_turn(self, which: Counts, was: Any, now: Any, left: Rows, rows: Counts) -> None:
        """Record payouts, the Treasurer's income and the events of the turn."""
        paid = np.zeros((len(which), self.num_seats, 2), np.int64)
        counts = in_lines(now, self.num_seats)
        for k, money, numbers in self._payouts(was, now):
            lines = line_of(self.t, now[k], money, numbers)
            share = shares(self.t, counts[k, :, lines], numbers)
            paid[k, :, money] += np.where(lines[:, None] >= 0, share, 0)
        drawn = was["deck_size"] - now["deck_size"]
        for deck in range(NUM_DECKS):
            for back in range(int(drawn[:, deck].max(initial=0))):
                k = np.flatnonzero(drawn[:, deck] > back)
                cards = was["deck"][k, deck, was["deck_size"][k, deck] - 1 - back]
                events = self.t.card_zone[cards] == NO_ZONE
                self._events[which[k[events]], cards[events]] += 1
        self._events[which, NUM_CARDS:] += planning_events(was, now)
        eventful = self._events[which].any(axis=1)
        tribute = self._tribute(was, now, paid)
        for source, amounts in ((PAYOUT, paid), (TRIBUTE, tribute)):
            self.sources[which, :, :, source] += amounts
            left[rows] -= amounts
        quiet = rows[~eventful]  # elections may have changed a line between its payouts
        self.sources[which[~eventful], :, :, PAYOUT] += left[quiet]
        left[quiet] = 0

    def _payouts(self, was: Any, now: Any) -> Iterator[tuple[Rows, int, Rows]]:
        """Yield the payouts of cards turned up: rows, wealth or prestige, and line numbers."""
        kept = (was["planning"] != NO_KIND).sum(axis=1)
        for space in range(now["planning"].shape[1]):
            kinds = now["planning"][:, space]
            k = np.flatnonzero((kinds != NO_KIND) & (kinds != RENEWAL) & (space >= kept))
            yield k, WEALTH, self.t.permit_wealth[kinds[k]]
        drawn = was["deck_size"] - now["deck_size"]
        for deck in range(NUM_DECKS):
            for back in range(int(drawn[:, deck].max(initial=0))):
                k = np.flatnonzero(drawn[:, deck] > back)
                cards = was["deck"][k, deck, was["deck_size"][k, deck] - 1 - back]
                icons = self.t.card_prestige[cards]
                yield k[icons > 0], PRESTIGE, icons[icons > 0]

    def _tribute(self, was: Any, now: Any, paid: Rows) -> Rows:
        """Return what the Treasurer collected in games in which a turn has started."""
        out = np.zeros_like(paid)
        started = next_steps(now) == Step.MAIN
        for k in np.flatnonzero(started & (now["over"] == NOT_OVER)):
            seat = int(now["office"][k, TREASURER])
            if seat == now["active"][k] and seat != NOBODY:
                had = np.maximum(was["wealth"][k, : self.num_seats] + paid[k, :, WEALTH], 0)
                given = np.where(
                    now["wealth"][k, : self.num_seats] > 0,
                    self.t.treasurer,
                    np.minimum(had, self.t.treasurer),
                )
                given[seat] = 0
                out[k, :, WEALTH] = -given
                out[k, seat, WEALTH] = given.sum()
        return out

    def _finish(self, g: int, seat: int) -> None:
        """Add the gains by the contract, or by the only event, to the sums by card."""
        card = int(self._card[g])
        self.mayor[0] += self._elects_mayor[card] if card >= 0 else 0
        self.mayor[0] += (self._events[g] * self._elects_mayor).sum()
        if card < 0:
            events = self._events[g]
            self.cards.seen += events
            if events.sum() == 1:
                card = int(events.argmax())
        if card >= 0:
            cards, moved = self.cards, self._moved[g]
            points = moved[:, PRESTIGE] + moved[:, WEALTH] / int(self.t.wealth_a_point)
            cards.done[card] += 1
            cards.own[card] += moved[seat]
            cards.all[card] += moved.sum(axis=0)
            cards.vocations[card] += self._scored[g]
            cards.bonus[card] += self._bonus[g]
            cards.most[card] += np.abs(points).max()
            others = moved.sum(axis=0) - moved[seat]
            cards.squares[card] += (moved[seat] - others / (self.num_seats - 1)) ** 2
            if self._card[g] >= 0:
                self.builds.append((g, card, seat))
        self._card[g] = -1
        self._events[g] = 0

    def close(self, games: Games, scores: Rows) -> None:
        """Record the final scoring; count the contracts that were turned up."""
        for g in range(len(games)):
            for seat in range(self.num_seats):
                points = self.sources[g, seat, PRESTIGE]
                points[RICHES] = games["wealth"][g, seat] // self.t.wealth_a_point
                points[OFFICES] = office_bonus(games[g], seat)
                points[LINES] = scores[g, seat] - points[:LINES].sum() - points[OFFICES:].sum()
            for deck in range(NUM_DECKS):
                cards = games["deck"][g, deck, int(games["deck_size"][g, deck]) :]
                contracts = cards[self.t.card_zone[cards] != NO_ZONE]
                self.cards.seen[contracts] += 1


def elects_mayor(t: Any) -> Counts:
    """Return how often each contract or event has the Mayor elected, unless it is chosen."""
    first, count = (
        np.concatenate([t[f"card_{name}"], t[f"event_{other}"]]).astype(int)
        for name, other in (("first", "first"), ("effects", "count"))
    )
    calls = (t.effects["verb"] == Verb.ELECTION) & np.isin(t.effects["office"], (MAYOR, ALL))
    sums = np.concatenate([[0], calls.cumsum()])
    return np.asarray(sums[first + count] - sums[first], np.int64)


def planning_events(was: Any, now: Any) -> Rows:
    """Return how often each planning event was discarded ``[n, events]``, also on a reshuffle."""
    before, after = (g["planning_discards"][:, FIRST_EVENT:].astype(int) for g in (was, now))
    found: Rows = np.maximum(after - before, 0)
    for k in np.flatnonzero(now["planning_size"] > was["planning_size"]):
        rest = was["planning_deck"][k, : was["planning_size"][k]]
        drawn = rest[rest >= FIRST_EVENT] - FIRST_EVENT
        found[k] = after[k] + np.bincount(drawn, minlength=NUM_EVENTS)
    return found


# ------------------------------------------------------------------------------------ the games


@dataclass(frozen=True)
class Played:
    """The results of all games with one number of seats.

    Attributes:
        scores: final scores ``[games, seats]``.
        wins: shares of the victory ``[games, seats]``.
        turns: numbers of turns ``[games]``.
        plies: numbers of plies ``[games]``.
        truncated: True for a truncated game ``[games]``.
        sources: see :class:`Ledger`.
        builds: every contract that was built: game, card, seat ``[builds, 3]``.
        cards: sums by card.
        mayor: elections of the Mayor, and those after which the Mayor placed a park ``[2]``.
        names: names of the cards.
    """

    scores: Numbers
    wins: Numbers
    turns: Counts
    plies: Counts
    truncated: npt.NDArray[np.bool_]
    sources: Counts
    builds: Counts
    cards: CardSums
    mayor: Counts
    names: list[str]


def play(game: Game, config: Config, progress: Progress) -> Played:
    """Play all games of ``greedy`` against itself."""
    task = progress.add_task(f"{game.num_seats} seats", total=config.games)
    parts = []
    for first in range(0, config.games, config.batch):
        last = min(first + config.batch, config.games)
        parts.append(_play_batch(game, config.seed, range(first, last), progress, task))
    progress.remove_task(task)
    cards = CardSums()
    for part in parts:
        cards += part.cards
    joined = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("scores", "wins", "turns", "plies", "truncated", "sources", "builds")
    }
    mayor = np.sum([part.mayor for part in parts], axis=0)
    return Played(**joined, cards=cards, mayor=mayor, names=parts[0].names)


def _play_batch(game: Game, seed: int, deals: range, progress: Progress, task: Any) -> Played:
    """Play one batch of games to the end."""
    size = len(deals)
    stepper, greedy = BatchKernels(game), make_bot("greedy", game)
    greedy.seed(combine(combine(seed, deals.start), 2))
    games = deal_paired(game, np.arange(deals.start, deals.stop), seed)
    views, results = new_views(game, size, None), new_results(game, size)
    scores, standings, over = results.scores, results.standings, results.over
    mode, ledger = reward_mode("winner"), Ledger(game, size)
    which = rows = np.arange(size)
    while which.size:
        n = which.size
        stepper.look(games, which, rows[:n], views, observe=False)
        was: Any = games[which]
        actions = np.asarray(greedy.act(None, views.masks[:n], was), np.int64)
        stepper.step(games, which, actions, mode, results)
        ledger.record(which, was, games[which], actions)
        done = over[which] != NOT_OVER
        progress.advance(task, int(done.sum()))
        which = which[~done]
    ledger.close(games, scores)
    builds = np.array(ledger.builds, np.int64).reshape(-1, 3)
    builds[:, 0] += deals.start
    return Played(
        scores.astype(float),
        victory_shares(standings),
        games["turn"].astype(np.int64),
        games["ply"].astype(np.int64),
        over == TRUNCATED,
        ledger.sources,
        builds,
        ledger.cards,
        ledger.mayor,
        card_names(game),
    )


# ----------------------------------------------------------------------------------- the report


def spread(values: Rows) -> dict[str, float]:
    """Return the mean and its 95% error over games, quantiles and extremes of ``[games, ..]``."""
    quantiles = np.percentile(values, (5, 25, 50, 75, 95))
    return {
        "mean": float(values.mean()),
        "error": half_width(values.reshape(len(values), -1).mean(axis=1)),
        **dict(zip(("p5", "p25", "p50", "p75", "p95"), map(float, quantiles), strict=True)),
        "min": float(values.min()),
        "max": float(values.max()),
    }


def report(game: Game, played: Played) -> dict[str, Any]:
    """Return the report on the games with one number of seats."""
    scores, wins = played.scores, played.wins
    winner = float(scores.max(axis=1).mean())
    champions = wins / wins.sum(axis=1, keepdims=True)
    points, wealth = played.sources[:, :, PRESTIGE], played.sources[:, :, WEALTH]
    names = played.names
    kinds = {name: np.flatnonzero([n == name for n in names]) for name in dict.fromkeys(names)}
    cards = []
    for name, ids in kinds.items():
        event = bool(ids[0] >= NUM_CARDS or game.tables[0].card_zone[ids[0]] == NO_ZONE)
        deck = "planning" if ids[0] >= NUM_CARDS else DECKS[ids[0] // (NUM_CARDS // NUM_DECKS)]
        figures = played.cards.line(ids, len(scores), game.num_seats, winner)
        builders = builders_wins(played.builds, wins, ids)
        rows = game.data.rows(deck, "event" if event else "contract")
        source = next(row.source for row in rows if row.name == name)
        about = {"name": name, "deck": deck, "event": event, "source": source}
        cards.append({**about, **figures, **builders})
    found = {
        "seats": game.num_seats,
        "games": len(scores),
        "turns": spread(played.turns),
        "plies": spread(played.plies),
        "truncated": float(played.truncated.mean()),
        "winner": spread(scores.max(axis=1)),
        "all": spread(scores),
        "winner_less_last": spread(scores.max(axis=1) - scores.min(axis=1)),
        "seat_wins": [
            {"wins": float(column.mean()), "interval": interval(column)} for column in wins.T
        ],
        "sources": {
            name: {
                "points": float(points[..., k].mean()),
                "winner_points": float((points[..., k] * champions).sum(axis=1).mean()),
                "wealth": float(wealth[..., k].mean()),
            }
            for k, name in enumerate(SOURCES)
        },
        "mayor": {
            "elections": int(played.mayor[0]),
            "without_park": float(1 - played.mayor[1] / max(played.mayor[0], 1)),
        },
        "cards": cards,
    }
    return {**found, "violations": violations(found)}


def violations(found: dict[str, Any]) -> list[str]:
    """Return one sentence for each figure that is off target."""
    seats, wrong = f"{found['seats']} seats", []
    for card in found["cards"]:
        if not card["event"] and card["done"] == 0 and card["seen"] >= LEAST_SEEN:
            wrong.append(
                f"{seats}: {card['name']} was turned up {card['seen']:.0f} times, never built"
            )
        if card["most_of_winner"] > MOST_MOVED:
            wrong.append(
                f"{seats}: {card['name']} changes one seat's score by {card['most']:.1f} points, "
                f"{card['most_of_winner']:.0%} of a winner's score (source: {card['source']})"
            )
    mayor = found["mayor"]
    if mayor["without_park"] >= MOST_PARKLESS:
        wrong.append(
            f"{seats}: the Mayor lacked a park in {mayor['without_park']:.2%} of "
            f"{mayor['elections']:,} elections, not in less than {MOST_PARKLESS:.1%}"
        )
    mean = found["winner"]["mean"]
    if found["seats"] == AIM_SEATS and not AIM[0] <= mean <= AIM[1]:
        wrong.append(f"{seats}: the winner's mean score is {mean:.1f}, not {AIM[0]} to {AIM[1]}")
    return wrong


def add_columns(table: Table, *columns: str) -> Table:
    """Add columns to a table: the first for text, the others for numbers."""
    for k, column in enumerate(columns):
        table.add_column(column, justify="right" if k else "left", no_wrap=True)
    return table


def summary_table(found: dict[str, Any]) -> Table:
    """Return a table of the length and the scores of the games."""
    table = add_columns(
        Table(title=f"{found['seats']} seats, {found['games']:,} games"),
        "", "mean", "p5", "p25", "p50", "p75", "p95", "max",
    )  # fmt: skip
    for name in ("turns", "plies", "winner", "all", "winner_less_last"):
        figures = found[name]
        cells = (f"{figures[c]:.1f}" for c in ("mean", "p5", "p25", "p50", "p75", "p95", "max"))
        table.add_row(name.replace("_", " "), *cells)
    table.add_row("truncated", f"{found['truncated']:.1%}")
    mayor = found["mayor"]
    table.add_row(f"Mayor lacks a park, of {mayor['elections']:,}", f"{mayor['without_park']:.2%}")
    for k, seat in enumerate(found["seat_wins"]):
        low, high = seat["interval"]
        table.add_row(f"seat {k} wins", f"{seat['wins']:.1%}", f"{low:.1%}", "–", f"{high:.1%}")
    return table


def sources_table(found: dict[str, Any]) -> Table:
    """Return a table of the sources of points and wealth, per seat and game."""
    table = Table(title=f"{found['seats']} seats, means per seat and game")
    add_columns(table, "", "points", "share", "winner's points", "share", "wealth")
    for name in SOURCES:
        source = found["sources"][name]
        cells = []
        for points, whole in (("points", "all"), ("winner_points", "winner")):
            share = source[points] / found[whole]["mean"]
            cells += [f"{source[points]:.1f}", f"{share:.0%}"]
        table.add_row(name, *cells, f"{source['wealth']:.1f}")
    return table


def cards_table(cards: list[dict[str, Any]]) -> Table:
    """Return a table of all cards: their gains and their largest change of one seat."""
    title = "Cards, means per build or event: points/wealth"
    columns = (
        "seen", "built", "bonus", "vocations", "builder", "all", "lead", "wins", "most", "share",
    )  # fmt: skip
    table = add_columns(Table(title=title), "card", *columns)
    for k, card in enumerate(cards):
        if k and cards[k - 1]["deck"] != card["deck"]:
            table.add_section()
        built = "" if card["event"] else f"{card['done_of_seen']:.0%}"
        table.add_row(
            card["name"],
            f"{card['seen_a_game']:.2f}",
            built,
            f"{card['bonus']:.1f}",
            *(
                f"{card[name + '_points']:.1f}/{card[name + '_wealth']:.1f}"
                for name in ("vocations", "own", "all")
            ),
            f"{card['lead']:.1f}/{card['lead_wealth']:.1f}",
            "" if card["wins"] is None else f"{card['wins']:.0%}",
            f"{card['most']:.1f}",
            f"{card['most_of_winner']:.1%}",
        )
    return table


def pooled(reports: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the cards' figures over all numbers of seats; each build has the same weight."""
    out = []
    for lines in zip(*(found["cards"] for found in reports), strict=True):
        card = dict(lines[0])
        seen, done = sum(line["seen"] for line in lines), sum(line["done"] for line in lines)
        for name in card:
            if name in ("name", "deck", "event", "source"):
                continue
            known = [line for line in lines if line[name] is not None]
            weight = max(sum(line["done"] for line in known), 1.0)
            parts = [line[name] * line["done"] for line in known]
            whole = float(np.linalg.norm(parts)) if name.endswith("_error") else sum(parts)
            card[name] = whole / weight if known else None
        card["seen_a_game"] = seen / sum(found["games"] for found in reports)
        card["done_of_seen"] = done / max(seen, 1.0)
        out.append({**card, "seen": seen, "done": done})
    return out


def main(config: Config) -> None:
    """Play, print the tables and write the file.

    Raises:
        InvalidOption: an option is invalid.
    """
    for name in ("games", "batch"):
        if getattr(config, name) < 1:
            raise InvalidOption(f"{name}={getattr(config, name)}: expected a whole number from 1")
    if not config.seats:
        raise InvalidOption("seats: expected at least one number")
    check_seed(config.seed)
    if config.out is not None:
        check_writable(config.out)
    games = [
        sprawl_env.game(GAME, num_players=n, length=config.length, data=config.data)
        for n in config.seats
    ]
    screen = console()
    with count_bar() as progress:
        reports = [report(game, play(game, config, progress)) for game in games]
    for found in reports:
        screen.print(summary_table(found))
        screen.print(sources_table(found))
    screen.print(cards_table(pooled(reports)))
    wrong = [line for found in reports for line in found["violations"]]
    screen.print("\n".join(["Off target:", *wrong] if wrong else ["Nothing is off target."]))
    if config.out is not None:
        written = {"config": asdict(config), "reports": reports, **provenance()}
        write_atomically(config.out, json.dumps(written, indent=1, default=str) + "\n")


if __name__ == "__main__":
    run(main, Config)
