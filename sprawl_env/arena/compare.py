"""Whether two runs agree: their games, paired by deal, seat and line-up.

The rows are those of a tournament's ``results.jsonl`` or of ``sprawl-env evaluate --results``.
Games of the same deal, in which the same bots sat in the same seats, are a pair.  Deals of another
seed are other deals; rows without a seed, as older files have them, are taken to be of the same
one, which the comparison says.  For each bot the differences of its pairs are averaged over each
deal; the deals are independent of each other.

Every figure has its own 95% interval.  The verdict is about all figures at once: of runs that do
not differ at most 5% are said to differ, however many bots there are.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from rich.markup import escape
from rich.table import Table

from sprawl_env.arena.evaluation import half_width, mean_text, simultaneous
from sprawl_env.arena.journal import MOST_POINTS, Row
from sprawl_env.core.arguments import checked
from sprawl_env.core.errors import InvalidOption, PositionError, printable, short
from sprawl_env.core.extras import require
from sprawl_env.core.files import fits, parse_json, read_text

if TYPE_CHECKING:
    import polars as pl

_CONFIG: Final = {"game": str, "num_players": int, "options": [str], "seed": int}
_ROW: Final = {"deal": int, "bots": [str], "shares": [float], "scores": (None, [int])}
FIGURES: Final = 2  # of each bot: wins and score
FEWEST_DEALS: Final = 20  # of which an interval is told; with fewer it is often too short
Deal = tuple[int | None, int]  # its seed, None: not known; its number
Key = tuple[Deal, tuple[str, ...], int]  # deal, bots by seat, which of such games


@dataclass(frozen=True)
class Difference:
    """What one bot's pairs of games show, the second run less the first.

    Attributes:
        bot: its name.
        deals: how many deals were compared.
        mine: its mean share of wins in the first run.
        theirs: the same in the second run.
        wins: ``theirs - mine``.
        wins_error: half the width of the 95% interval of ``wins``; 0 for a single deal.
        score: difference of the mean scores.
        score_error: half the width of its 95% interval; 0 for a single deal.
        agree: 0 lies in the interval of every figure of at least ``FEWEST_DEALS`` deals, widened
            for the number of figures that are compared; games without scores, such as forfeits,
            count for ``wins`` only.
    """

    bot: str
    deals: int
    mine: float
    theirs: float
    wins: float
    wins_error: float
    score: float
    score_error: float
    agree: bool


@dataclass(frozen=True)
class Comparison:
    """What :func:`compare` found.

    Attributes:
        pairs: games in both runs.
        equal: of these, games with the same winners and scores.
        only_mine: games that are only in the first run.
        only_theirs: games that are only in the second run.
        differences: one for each bot.
        seeds_known: both runs say the seed of their deals; else they are taken to be the same.
    """

    pairs: int
    equal: int
    only_mine: int
    only_theirs: int
    differences: tuple[Difference, ...]
    seeds_known: bool = True

    @property
    def identical(self) -> bool:
        """Both runs have the same games with the same results."""
        return self.equal == self.pairs and self.only_mine == self.only_theirs == 0

    @property
    def agree(self) -> bool:
        """No bot's wins or scores differ by more than chance, at 95% for all figures at once."""
        return all(difference.agree for difference in self.differences)

    @property
    def verdict(self) -> str:
        """The result in words."""
        if self.identical:
            return "identical: every game has the same winners and scores"
        if self.agree and any(each.deals < FEWEST_DEALS for each in self.differences):
            return f"too few deals to tell: expected at least {FEWEST_DEALS} of each bot"
        if self.agree:
            return "they agree: no bot's wins or scores differ by more than chance (95%)"
        others = ", ".join(each.bot for each in self.differences if not each.agree)
        return f"they differ: {others}"

    def frame(self) -> pl.DataFrame:
        """Return the differences as a polars DataFrame, one row a bot.

        Raises:
            MissingExtra: polars is not installed.
        """
        polars = require("polars", "frame()")
        frame: pl.DataFrame = polars.DataFrame([asdict(each) for each in self.differences])
        return frame

    def table(self) -> Table:
        """Return the differences as a table for the terminal."""
        shown = Table(
            title="wins and score: second run less first, paired by deal, with 95% intervals",
            caption="the last column is about all bots' wins and scores at once",
        )
        for column in ("bot", "deals", "first wins", "second wins", "wins", "score", ""):
            shown.add_column(column, justify="right" if column not in {"bot", ""} else "left")
        for each in self.differences:
            shown.add_row(
                escape(printable(each.bot)),
                f"{each.deals:,}",
                f"{each.mine:.1%}",
                f"{each.theirs:.1%}",
                mean_text(each.wins, each.wins_error, "+.1%"),
                mean_text(each.score, each.score_error, "+.2f"),
                _word(each),
            )
        return shown


@checked
def compare(mine: Path, theirs: Path) -> Comparison:
    """Compare the games of two runs, paired by deal.

    Args:
        mine: a file of JSON lines, one a game, or the folder of a tournament.
        theirs: another one.

    Raises:
        PositionError: a file cannot be read, or a line is no game; names the file and the line.
        InvalidOption: the runs are of different games, options, numbers of seats or seeds, one is a
            tournament and the other is none, or they have no game in common.
    """
    both = f"{mine.name} and {theirs.name}"
    configs = _config_in(mine), _config_in(theirs)
    _check_configs(both, *configs)
    runs = _games_in(mine, configs[0]), _games_in(theirs, configs[1])
    runs = _of_known_seeds(both, runs)
    _check_rows(both, runs, configs)
    first, second = runs
    common = [key for key in first if key in second]
    if not common:
        raise InvalidOption(
            f"{both}: no games in common: expected the same deals with the same bots in the same "
            "seats"
        )
    equal = sum(_result(first[key]) == _result(second[key]) for key in common)
    names = dict.fromkeys(bot for key in common for bot in key[1])
    figures = FIGURES * len(names)
    return Comparison(
        pairs=len(common),
        equal=equal,
        only_mine=len(first) - len(common),
        only_theirs=len(second) - len(common),
        differences=tuple(_difference(bot, common, first, second, figures) for bot in names),
        seeds_known=all(seed is not None for (seed, _), _, _ in common),
    )


def _word(found: Difference) -> str:
    """Return what a difference shows, in a word or two."""
    if found.deals < FEWEST_DEALS:
        return "too few"
    return "agree" if found.agree else "differ"


def _check_configs(both: str, first: dict[str, Any], second: dict[str, Any]) -> None:
    """Check that two folders of tournaments are of the same deals.

    Raises:
        InvalidOption: the games, options, numbers of seats or seeds differ.
    """
    for name in _CONFIG if first and second else ():
        if first[name] != second[name]:
            raise InvalidOption(
                f"{both}: played with {name}={short(first[name])} and "
                f"{name}={short(second[name])}: expected the same {', '.join(_CONFIG)}"
            )


def _check_rows(
    both: str,
    runs: tuple[dict[Key, Row], dict[Key, Row]],
    configs: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    """Check that the games of two runs were dealt in the same way.

    Rows of earlier versions say neither game nor options.

    Raises:
        InvalidOption: the games or options differ, or one run is a tournament.
    """
    if len({"line_up" in row for games in runs for row in games.values()}) > 1:
        raise InvalidOption(
            f"{both}: a tournament and an evaluation, which have other deals: expected two of one "
            f"kind"
        )
    for name in ("game", "options"):
        said = [
            {json.dumps(row[name]) for row in games.values() if name in row}
            | ({json.dumps(config[name])} if config else set())
            for games, config in zip(runs, configs, strict=True)
        ]
        if all(said) and said[0] != said[1]:
            one, other = (short(json.loads(min(each))) for each in said)
            raise InvalidOption(
                f"{both}: played with {name}={one} and {name}={other}: expected the same {name}"
            )


def _config_in(path: Path) -> dict[str, Any]:
    """Return what the deals of a tournament depend on, by its folder or by its games' file.

    It is nothing for an evaluation, and for games that were moved out of their folder.

    Raises:
        PositionError: the ``config.json`` or ``report.json`` there is not that of a tournament.
    """
    folder = path if path.is_dir() else path.parent if _is_of_tournament(path) else None
    files = [] if folder is None else [folder / "config.json", folder / "report.json"]
    file = next((file for file in files if file.exists()), None)
    if file is None:
        return {}
    try:
        config = parse_json(read_text(file))["config"]
        found = {name: config[name] for name in _CONFIG}
    except (OSError, ValueError, TypeError, KeyError):
        found = {}
    if not fits(found, _CONFIG):
        raise PositionError(f"{printable(str(file))}: expected the {file.name} of a tournament")
    return found


def _is_of_tournament(path: Path) -> bool:
    """Return whether a file's first line is a game of a tournament."""
    try:
        first = parse_json(read_text(path).partition("\n")[0])
    except (OSError, ValueError):  # which is said when its games are read
        return False
    return isinstance(first, dict) and "line_up" in first


def _of_known_seeds(
    both: str, runs: tuple[dict[Key, Row], dict[Key, Row]]
) -> tuple[dict[Key, Row], dict[Key, Row]]:
    """Return the games of two runs, without their seeds if one of the runs does not say its seed.

    Raises:
        InvalidOption: the runs have no seed in common, or one of several does not meet its seeds.
    """
    first, second = ({seed for (seed, _), _, _ in games} for games in runs)
    if None not in first | second:
        if not first & second:
            raise InvalidOption(
                f"{both}: dealt with seed {next(iter(first))} and with seed "
                f"{next(iter(second))}: expected the same seed"
            )
        return runs
    if len(first) > 1 or len(second) > 1:
        raise InvalidOption(
            f"{both}: games of several seeds, and some without one: expected a seed in every line"
        )
    return _without_seed(runs[0]), _without_seed(runs[1])


def _without_seed(games: dict[Key, Row]) -> dict[Key, Row]:
    """Return the games of one seed as games of a seed that is not known."""
    return {((None, deal), bots, number): row for ((_, deal), bots, number), row in games.items()}


def _games_in(path: Path, config: dict[str, Any]) -> dict[Key, Row]:
    """Return the games of a run by what pairs them.

    Raises:
        PositionError: the file cannot be read, or a line is no game.
    """
    file = path / "results.jsonl" if path.is_dir() else path
    try:
        text = read_text(file)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "is no text"
        raise PositionError(f"{printable(str(file))}: cannot be read: {why}") from None
    lines = text.split("\n") if text else []  # names may hold what splitlines() takes for ends
    if text.endswith("\n"):
        lines.pop()
    seed = config.get("seed")
    found: dict[tuple[Deal, tuple[str, ...]], dict[int, Row]] = {}
    for number, line in enumerate(lines, start=1):
        where = f"{printable(file.name)}: line {number}"
        try:
            row = parse_json(line)
        except ValueError:
            row = None
        if not _is_game(row):
            raise PositionError(
                f"{where}: expected a game with {', '.join(_ROW)}, as in results.jsonl"
            )
        deal = row.get("seed", seed), row["deal"]
        alike = found.setdefault((deal, tuple(row["bots"])), {})
        if alike.setdefault(row.get("rotation", 0), row) is not row:
            raise PositionError(f"{where}: the same deal, seats and bots as in a line before it")
    if not found:
        raise PositionError(f"{printable(file.name)}: has no games")
    return _numbered(found)


def _numbered(found: dict[tuple[Deal, tuple[str, ...]], dict[int, Row]]) -> dict[Key, Row]:
    """Return the games with equal deals and bots numbered in the order of their rotations.

    The rotation itself depends on which bot was named first.
    """
    return {
        (deal, bots, number): alike[rotation]
        for (deal, bots), alike in found.items()
        for number, rotation in enumerate(sorted(alike))
    }


def _is_game(row: Any) -> bool:
    """Return whether a JSON value is a game."""
    if not isinstance(row, dict) or not _ROW.keys() <= row.keys():
        return False
    if not fits({name: row[name] for name in _ROW}, _ROW):
        return False
    seats, scores = len(row["bots"]), row["scores"]
    return (
        seats > 0
        and type(row.get("rotation", 0)) is type(row.get("seed", 0)) is int
        and len(row["shares"]) == seats
        and all(0 <= share <= 1 for share in row["shares"])
        and (scores is None or len(scores) == seats)
        and all(abs(score) <= MOST_POINTS for score in scores or ())
    )


def _result(row: Row) -> tuple[Any, Any]:
    """Return what a game's result is."""
    return row["shares"], row["scores"]


def _difference(
    bot: str,
    common: Sequence[Key],
    first: dict[Key, Row],
    second: dict[Key, Row],
    figures: int,
) -> Difference:
    """Return what the pairs of one bot show.

    Args:
        bot: its name.
        common: the pairs of all bots.
        first: the first run.
        second: the second run.
        figures: number of figures of all bots, for which the verdict widens the intervals.
    """
    shares: dict[Deal, list[tuple[float, float]]] = {}
    scores: dict[Deal, list[float]] = {}
    for key in common:
        deal, bots, _ = key
        one, other = first[key], second[key]
        for seat, name in enumerate(bots):
            if name != bot:
                continue
            shares.setdefault(deal, []).append((one["shares"][seat], other["shares"][seat]))
            if one["scores"] is not None and other["scores"] is not None:
                gained = float(other["scores"][seat] - one["scores"][seat])
                scores.setdefault(deal, []).append(gained)
    means = np.array([np.mean(pairs, axis=0) for pairs in shares.values()])
    wins = means[:, 1] - means[:, 0]
    points = np.array([float(np.mean(each)) for each in scores.values()] or [0.0])
    errors = half_width(wins), half_width(points)
    agree = all(
        len(found) < FEWEST_DEALS or abs(found.mean()) <= simultaneous(figures, len(found)) * error
        for found, error in zip((wins, points), errors, strict=True)
    )
    return Difference(
        bot,
        len(wins),
        float(means[:, 0].mean()),
        float(means[:, 1].mean()),
        float(wins.mean()),
        errors[0],
        float(points.mean()),
        errors[1],
        agree,
    )
