"""Measure bots against each other on paired deals with rotated seats.

The first bot is measured.  With two bots and more seats the second bot fills all other seats.
Every deal is played once with each rotation of the seats, which cancels the advantage of a deal or
a seat; intervals count deals, not games.  With one seat every bot plays the same deals alone,
against the game's automaton.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from rich.markup import escape
from rich.table import Table

from sprawl_env.arena.engines import Pool, check_engine, pool_of
from sprawl_env.arena.entrants import guarded_bot, names_of, pinned
from sprawl_env.arena.games import Results, join, play_games
from sprawl_env.arena.parts import Setup, play_parts
from sprawl_env.bots.protocol import Bot
from sprawl_env.console import count_bar, option_words
from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import as_array, check_seed, check_whole
from sprawl_env.core.errors import InvalidOption, printable, short
from sprawl_env.core.extras import require
from sprawl_env.core.game import Game
from sprawl_env.core.provenance import provenance
from sprawl_env.core.registry import as_game, game_word
from sprawl_env.core.rules import GameRules
from sprawl_env.core.words import counted

if TYPE_CHECKING:
    import polars as pl

Z95 = 1.959964  # two-sided 95% of a normal distribution
ROUNDING = 1e-12  # shares that differ by less are equal
FEWEST_BOTS = 2
PART_GAMES = 100


@dataclass(frozen=True)
class Line:
    """The result of one bot.

    Attributes:
        bot: its name.
        games: how many it played.
        wins: share of victories; shared victories count by their share.
        low, high: the 95% interval of ``wins``.
        score: mean of the final points.
        score_error: half the width of the 95% interval of ``score``; 0 for a single deal.
        margin: mean of the own points less the mean of the other sides' points.
        margin_error: half the width of the 95% interval of ``margin``; 0 for a single deal.
    """

    bot: str
    games: int
    wins: float
    low: float
    high: float
    score: float
    score_error: float
    margin: float
    margin_error: float


def frame_of(lines: Sequence[Line]) -> pl.DataFrame:
    """Return lines as a polars DataFrame, one row a bot.

    Raises:
        MissingExtra: polars is not installed.
    """
    frame: pl.DataFrame = require("polars", "frame()").DataFrame([asdict(line) for line in lines])
    return frame


@dataclass(frozen=True)
class Evaluation:
    """What :func:`evaluate` measured.

    Attributes:
        game: the name of the game, or its import path.
        title: what was played, in words.
        num_players: seats.
        options: the options that differ from their defaults, as ``name=value``.
        bots: the bots, one a seat; with one seat any number.
        num_games: games played, by each bot if they play alone.
        seed: deal ``d`` was dealt from ``(seed, d)``.
        parts: how often the bots were seeded, see :func:`evaluate`.
        lines: one for each different bot.
        results: every game.
    """

    game: str
    title: str
    num_players: int
    options: tuple[str, ...]
    bots: tuple[str, ...]
    num_games: int
    seed: int
    parts: int
    lines: tuple[Line, ...]
    results: Results = field(repr=False)

    def __str__(self) -> str:
        """Return one line: what was played, and the share of games that each bot won."""
        shares = (f"{each.bot} {share_text(each.wins, each.low, each.high)}" for each in self.lines)
        return f"{self.title}, {counted(self.num_games, 'game')}: {', '.join(shares)}"

    @property
    def mean_turns(self) -> float:
        """The mean number of turns of a game."""
        return float(self.results.turns.mean())

    @property
    def mean_plies(self) -> float:
        """The mean number of decisions in a game."""
        return float(self.results.plies.mean())

    @property
    def truncated(self) -> float:
        """The share of games that ended at the turn limit."""
        return float(self.results.truncated.mean())

    def frame(self) -> pl.DataFrame:
        """Return the lines as a polars DataFrame, one row a bot.

        Raises:
            MissingExtra: polars is not installed.
        """
        return frame_of(self.lines)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a game, by seat, which :func:`~sprawl_env.arena.compare.compare` reads.

        ``game``, ``options``, ``seed``, and as in a tournament's ``results.jsonl`` ``deal``,
        ``rotation``, ``bots``, ``shares`` (of the victory), ``scores``, ``turns``, ``plies`` and
        ``truncated``.
        """
        found, alone = self.results, self.num_players == 1
        rows = []
        for g, seats in enumerate(found.seats.tolist()):
            by_seat = sorted(range(len(seats)), key=seats.__getitem__)  # bots of the line-up
            names = [self.bots[g // self.num_games]] if alone else self.bots
            rows.append(
                {
                    "game": self.game,
                    "options": list(self.options),
                    "seed": int(self.seed),
                    "deal": int(found.deals[g]),
                    "rotation": seats[0],
                    "bots": [names[k] for k in by_seat],
                    "shares": found.wins[g, by_seat].tolist(),
                    "scores": found.scores[g, by_seat].tolist(),
                    "turns": int(found.turns[g]),
                    "plies": int(found.plies[g]),
                    "truncated": bool(found.truncated[g]),
                }
            )
        return rows

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON values, with the versions and the commit."""
        config = ("game", "bots", "num_players", "options", "num_games", "seed", "parts")
        return {
            "config": {name: getattr(self, name) for name in config},
            "lines": [asdict(line) for line in self.lines],
            "mean_turns": self.mean_turns,
            "mean_plies": self.mean_plies,
            "truncated": self.truncated,
            **provenance(),
        }


@checked
def evaluate(
    game: str | GameRules | Game,
    bots: Sequence[str | Bot | type[Bot]],
    *,
    num_games: int = 1000,
    seed: int = 0,
    parts: int = 1,
    processes: int = 0,
    engine: str = "local",
    progress: bool = False,
    **options: Any,
) -> Evaluation:
    """Measure bots against each other on paired deals with rotated seats.

    >>> found = sprawl_env.evaluate("tower_up", ["greedy", "random"], num_games=200)
    >>> found.lines[0].wins

    Args:
        game: a game's name or import path, its rules, or a game with its options chosen.
        bots: names (see :func:`sprawl_env.make_bot`), bots or their classes, one a seat; or two,
            of which the second fills all other seats; with one seat any number, which play alone.
        num_games: rounded up to whole rotations of the seats.
        seed: deal ``d`` is dealt from ``(seed, d)``.
        parts: with 2 or more, worker processes play equal parts of the deals.  Bots are seeded for
            each part, so the results depend on the number of parts, but not on who plays them.
        processes: worker processes; 0: one for each core, of this machine or of the cluster.
        engine: who plays the parts: ``"local"``, this machine, or ``"ray"``, a Ray cluster.
        progress: show a progress bar; without a terminal, a line a minute on standard error.
        **options: of the game, e.g. ``num_players=3``, unless ``game`` has them.

    Raises:
        SprawlError: there is no such game, option or bot, or a number is not allowed.
        WorkerError: worker processes die.
    """
    check_whole("num_games=", num_games, 1)
    check_engine(engine, processes)
    check_seed(seed)
    made = as_game(game, **options)
    names = names_of(bots)
    if not names:
        raise InvalidOption("bots: expected at least one")
    given = dict(zip(names, bots, strict=True))
    by_name = {name: guarded_bot(bot, made) for name, bot in given.items()}
    alone = made.num_seats == 1
    names = list(dict.fromkeys(names)) if alone else line_up(names, made.num_seats)
    check_whole("parts=", parts, 1, -(-num_games // made.num_seats))
    if parts == 1 and (engine != "local" or processes > 1):
        vain = f"processes={processes}" if engine == "local" else f"engine={engine}"
        raise InvalidOption(f"{vain}: expected parts=2 or more, which processes share")
    if parts == 1:
        play = measure_alone if alone else measure
        playing = [by_name[name] for name in names]
        lines, results = play(made, names, playing, num_games, seed, progress=progress)
    else:
        fixed = {k: pinned(bot) if isinstance(bot, str) else bot for k, bot in given.items()}
        setup = Setup(made, tuple(names), fixed, num_games, seed, parts)
        pool = partial(pool_of, engine, processes=processes)
        lines, results = measure_parts(setup, pool, progress=progress)
    return Evaluation(
        game=game_word(made.rules),
        title=f"{made.title}, {seats_of(made)}{' against the automaton' if alone else ''}",
        num_players=made.num_seats,
        options=option_words(made),
        bots=tuple(names),
        num_games=len(results.wins) // (len(names) if alone else 1),
        seed=seed,
        parts=parts,
        lines=tuple(lines),
        results=results,
    )


def interval(shares: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return a 95% interval for a mean of shares 0..1, one independent share a deal.

    Wilson's score interval, with the effective number of trials that the spread between deals
    shows (rotations of one deal are not independent).  The interval of a single deal is 0..1.

    Raises:
        InvalidOption: not numbers 0..1, at least one.
    """
    given = as_array(shares)
    fits = given.ndim == 1 and given.size > 0 and given.dtype.kind in "iuf"
    if not fits or not ((given >= 0) & (given <= 1)).all():
        raise InvalidOption(f"interval: shares: expected numbers 0..1, got {short(given)}")
    n, mean = len(given), float(given.mean())
    if n == 1:
        return 0.0, 1.0
    equal = given.max() - given.min() < ROUNDING
    error = 0.0 if equal else float(given.std(ddof=1)) / np.sqrt(n)
    trials = mean * (1 - mean) / error**2 if error > 0 else float(n)
    centre = (mean + Z95**2 / (2 * trials)) / (1 + Z95**2 / trials)
    half = (
        Z95 / (1 + Z95**2 / trials) * np.sqrt(mean * (1 - mean) / trials + Z95**2 / (4 * trials**2))
    )
    low, high = max(0.0, float(centre - half)), min(1.0, float(centre + half))
    return min(low, mean), max(high, mean)


def simultaneous(intervals: int, deals: int) -> float:
    """Return the factor by which 95% intervals grow if all of so many hold at once in 95% of cases.

    This is Bonferroni's correction; it holds for intervals that depend on each other, too.  The
    spread between deals is estimated from the deals, so the quantile is that of Student's t
    distribution, by its expansion in the inverse of the degrees of freedom (Abramowitz and Stegun,
    26.7.5; exact to 2% from 19 degrees on).

    Args:
        intervals: how many hold at once.
        deals: of which each is made, 2 or more.
    """
    z, freedom = NormalDist().inv_cdf(1 - 0.025 / intervals), deals - 1
    terms: tuple[float, ...] = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    more = sum(term / float(freedom**k) for k, term in enumerate(terms, start=1))
    return (z + more) / Z95


def usual_parts(num_games: int) -> int:
    """Return in how many parts a match keeps all cores of a machine busy, about 100 games each."""
    return max(1, num_games // PART_GAMES)


def even_share(game: Game) -> float:
    """Return the share of the victories that each of equal bots wins; against an automaton half."""
    return 1.0 / max(game.num_seats, 2)


def half_width(means: npt.NDArray[np.float64]) -> float:
    """Return half the width of a 95% interval for a mean, one independent number a deal.

    It is 0 for a single deal, which shows no spread.
    """
    return Z95 * float(means.std(ddof=1)) / float(np.sqrt(len(means))) if len(means) > 1 else 0.0


def line_up(names: Sequence[str], num_players: int) -> list[str]:
    """Return one name a seat.

    Raises:
        InvalidOption: neither two bots nor one a seat.
    """
    if len(names) == num_players:
        return list(names)
    if len(names) == FEWEST_BOTS:
        return [names[0]] + [names[1]] * (num_players - 1)
    counts = f"{FEWEST_BOTS} or {num_players}" if num_players > FEWEST_BOTS else f"{FEWEST_BOTS}"
    raise InvalidOption(f"bots: expected {counts} names for {num_players} seats, got {len(names)}")


def summarise(names: Sequence[str], results: Results) -> list[Line]:
    """Return one line for each different name; the seats of one bot are pooled."""
    lines = []
    num_deals = int(results.deals.max()) + 1
    for name in dict.fromkeys(names):
        columns = [k for k, other in enumerate(names) if other == name]
        wins, scores, margins = (
            found[:, columns].reshape(num_deals, -1).mean(axis=1)
            for found in (results.wins, results.scores, results.margins)
        )
        low, high = interval(wins)
        lines.append(
            Line(
                name,
                len(results.wins),
                float(wins.mean()),
                low,
                high,
                float(scores.mean()),
                half_width(scores),
                float(margins.mean()),
                half_width(margins),
            )
        )
    return lines


def table(
    title: str, lines: Sequence[Line], *, margins: bool = False, heading: str = "bot"
) -> Table:
    """Return the result as a table; names and title may hold any characters.

    Args:
        title: of the table.
        lines: a row each.
        margins: whether the mean margin of each bot is shown.
        heading: of the first column, the bots.
    """
    shown = Table(title=escape(printable(title)))
    columns = [heading, "games", "wins", "95% interval", "mean score"]
    for column in [*columns, "mean margin"] if margins else columns:
        shown.add_column(column, justify="left" if column == heading else "right")
    for line in lines:
        cells = [
            escape(printable(line.bot)),
            f"{line.games:,}",
            f"{line.wins:.1%}",
            interval_text(line.low, line.high),
            mean_text(line.score, line.score_error),
        ]
        if margins:
            cells.append(mean_text(line.margin, line.margin_error, "+.1f"))
        shown.add_row(*cells)
    return shown


def match_of(names: Sequence[str]) -> str:
    """Return who plays whom, e.g. ``greedy v random``, in characters that a terminal shows."""
    return printable(" v ".join(dict.fromkeys(names)))


def mean_text(mean: float, error: float, form: str = ".1f") -> str:
    """Return a mean with half its interval, e.g. ``57.0 ± 1.2``; alone if the deals do not differ.

    Args:
        mean: the mean.
        error: see :func:`half_width`.
        form: of both numbers, as for ``format``; a sign is that of the mean.
    """
    shown = f"{mean:{form}}"
    return shown if error == 0 else f"{shown} ± {error:{form.lstrip('+')}}"


def share_text(wins: float, low: float, high: float) -> str:
    """Return a share with its interval, e.g. ``58.2% (56.0 – 60.3)``."""
    return f"{wins:.1%} ({100 * low:.1f} – {100 * high:.1f})"


def interval_text(low: float, high: float) -> str:
    """Return the interval of a share, e.g. ``56.0% – 60.3%``."""
    return f"{low:.1%} – {high:.1%}"


def seats_of(game: Game) -> str:
    """Return the number of seats in words."""
    return counted(game.num_seats, "seat")


def measure(
    game: Game,
    names: Sequence[str],
    bots: Sequence[Bot],
    num_games: int,
    seed: int,
    *,
    progress: bool = True,
) -> tuple[list[Line], Results]:
    """Play the games and return one line for each different name, and all results."""
    bar = count_bar(shown=progress)
    with bar:
        total = -(-num_games // game.num_seats) * game.num_seats
        task = bar.add_task(match_of(names), total=total)
        results = play_games(game, bots, num_games, seed, progress=lambda n: bar.advance(task, n))
    return summarise(names, results), results


def measure_alone(
    game: Game,
    names: Sequence[str],
    bots: Sequence[Bot],
    num_games: int,
    seed: int,
    *,
    progress: bool = True,
) -> tuple[list[Line], Results]:
    """Let each bot play the same deals on the only seat; return a line for each."""
    found = [
        measure(game, [name], [bot], num_games, seed, progress=progress)
        for name, bot in zip(names, bots, strict=True)
    ]
    return [line for lines, _ in found for line in lines], join([results for _, results in found])


def measure_parts(
    setup: Setup, pool: Callable[..., Pool], *, progress: bool = True
) -> tuple[list[Line], Results]:
    """Do what :func:`measure` and :func:`measure_alone` do, with parts that a pool plays."""
    bar = count_bar(shown=progress)
    with bar:
        task = bar.add_task("games", total=setup.total)
        found = play_parts(setup, pool, lambda n: bar.advance(task, n))
    pairs = zip(setup.line_ups, found, strict=True)
    return [line for names, results in pairs for line in summarise(names, results)], join(found)
