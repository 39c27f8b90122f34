"""Play the ladder of a game: every pair of its bots, on the same deals, with ratings.

Example::

    python -m experiments.ladder --game tower_up --out docs/ladder/tower_up/ladder
    python -m experiments.ladder --game tower_up --bots random greedy planner --rest 20 --out runs/x

``ladder.toml`` says who plays and which pairs play ``most`` games; neighbours in the list play
``near``, all others ``rest``.  A pair's games are played together, in parts that worker processes
share.  The command prints how long it will take, keeps each pair in ``pairs.jsonl`` at once, and
goes on there after a stop; ``ladder.md`` and ``ladder.json`` are made from that file.  A pair is
played again if the code or the weights of one of its bots have changed.

With two seats the bots have Elo ratings, and, as ratings hide who beats whom in a circle, their
mean odds against the best mixture of all, as a share of games (Nash averaging: Balduzzi et al.,
"Re-evaluating evaluation", 2018).  With more seats a cell is the share of the victories of one bot
against copies of another on all other seats.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

import sprawl_env
from experiments.measuring import shares_by_deal
from experiments.records import Row, alone, read_lines, write_lines
from experiments.tables import ladder_table
from sprawl_env.arena.entrants import made_of, pinned
from sprawl_env.arena.evaluation import interval
from sprawl_env.arena.match import FEWEST_SEATS
from sprawl_env.arena.ratings import bootstrap, nash_average, rate
from sprawl_env.arena.timing import milliseconds_of, positions_of
from sprawl_env.bots.names import make_bot
from sprawl_env.bots.ratings import RATED_SEATS
from sprawl_env.console import console, run, say
from sprawl_env.core.errors import InvalidOption, unknown
from sprawl_env.core.files import read_text, write_atomically
from sprawl_env.core.game import Game
from sprawl_env.core.processes import usable_cores
from sprawl_env.core.provenance import provenance
from sprawl_env.core.words import counted

LADDERS: Final = Path(__file__).with_name("ladder.toml")
PAIRS: Final = "pairs.jsonl"
MADE: Final = "made_of"  # in a row: what its bots are made of
POSITIONS: Final = 40  # in which the bots are timed
PARTS: Final = 10
SECONDS_A_MINUTE: Final = 60
PAIR: Final = 2  # bots
Pair = tuple[str, str, int]  # two bots, and the number of games
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Config:
    """Play the ladder of a game: every pair of its bots, on the same deals."""

    game: str = "tower_up"
    """name of the game"""
    num_players: int = 2
    """number of seats"""
    bots: tuple[str, ...] = ()
    """bots, weakest first (default: those of experiments/ladder.toml)"""
    most: int = 2000
    """paired games of the pairs that the file names"""
    near: int = 400
    """paired games of neighbours"""
    rest: int = 100
    """paired games of all other pairs"""
    seed: int = 2026
    """seed of the deals and of the bots"""
    processes: int = 0
    """worker processes; 0: one for each core"""
    out: Path = Path("runs/ladder")
    """folder of pairs.jsonl, ladder.json and ladder.md"""


def ladder_of(config: Config) -> tuple[list[str], set[tuple[str, str]]]:
    """Return the bots, and the pairs that play the most games.

    Raises:
        UnknownName: the file has no ladder of this game.
        InvalidOption: fewer than two bots, or one twice.
    """
    known = tomllib.loads(read_text(LADDERS))
    if not config.bots and config.game not in known:
        raise unknown("ladder", config.game, list(known))
    if not config.bots and config.num_players != RATED_SEATS:
        raise InvalidOption(
            f"num_players={config.num_players}: the ladders of {LADDERS.name} have {RATED_SEATS} "
            f"seats: name the bots, --bots"
        )
    given = known.get(config.game, {})
    bots = list(config.bots or given["bots"])
    if len(bots) < PAIR or len(set(bots)) < len(bots):
        raise InvalidOption("bots: expected two or more different ones")
    return bots, {(a, b) for a, b in given.get("most", [])}


def pairs_of(config: Config) -> Iterator[Pair]:
    """Yield the pairs, with their games; with more than two seats both ways round."""
    bots, main = ladder_of(config)
    for i, first in enumerate(bots):
        for j, second in enumerate(bots):
            if i == j or (config.num_players == RATED_SEATS and i < j):
                continue
            is_main = (first, second) in main or (second, first) in main
            games = config.most if is_main else config.near if abs(i - j) == 1 else config.rest
            yield first, second, games


def settings_of(config: Config) -> Row:
    """Return what all pairs of a file have in common."""
    return {"game": config.game, "num_players": config.num_players, "seed": config.seed}


def read_pairs(config: Config) -> list[Row]:
    """Return the lines of an earlier command: settings first, then a row for each pair.

    Raises:
        InvalidOption: the file cannot be read, is damaged, or is of another ladder.
    """

    def fits(head: Row, rows: list[Row]) -> bool:
        return head["settings"] == settings_of(config) and all(
            len(row["bots"]) == PAIR
            and isinstance(row["games"], int)
            and len(interval(np.array(row["shares"], np.float64))) == PAIR
            for row in rows
        )

    what = "pairs of this ladder; choose another --out"
    return read_lines(config.out / PAIRS, what, fits) or [
        {"settings": settings_of(config), **provenance()}
    ]


def estimates(config: Config, times: dict[str, float], missing: Sequence[Pair]) -> list[float]:
    """Return the most seconds that each missing pair takes, as if every game were played alone.

    Args:
        config: the settings.
        times: milliseconds of each bot for a decision.
        missing: the pairs, with their games.
    """
    game = sprawl_env.game(config.game, num_players=config.num_players)
    found = sprawl_env.evaluate(game, ["greedy", "greedy"], num_games=2 * game.num_seats, seed=1)
    a_seat = found.mean_plies / game.num_seats
    cores = config.processes or usable_cores()
    return [
        games * a_seat * (times[first] + (game.num_seats - 1) * times[second]) / 1000 / cores
        for first, second, games in missing
    ]


def kept(rows: Sequence[Row], made: dict[str, str]) -> dict[Pair, Row]:
    """Return the pairs that the bots of now have played, by the bots and the number of games.

    Args:
        rows: all pairs of the file; those of earlier versions do not say what played, and count.
        made: what each bot is made of (:func:`made_of`).
    """
    found = {}
    for row in rows:
        own = [made.get(name) for name in row["bots"]]
        if row.get(MADE, own) == own:
            first, second = row["bots"]
            found[first, second, row["games"]] = row
    return found


def times_of(config: Config, game: Game, names: Sequence[str]) -> dict[str, float]:
    """Return the mean milliseconds of each bot for a decision, one game at a time."""
    games, masks = positions_of(game, POSITIONS, config.seed)
    bots = [make_bot(name, game) for name in names]
    return dict(zip(names, milliseconds_of(game, bots, games, masks), strict=True))


def play(
    config: Config, game: Game, pair: Pair, made: dict[str, str], fixed: Mapping[str, str]
) -> Row:
    """Play a pair and return its row.

    Args:
        config: the settings.
        game: the game.
        pair: two bots and the number of games.
        made: what each bot is made of.
        fixed: the names of the bots, with a checkpoint in place of a run that goes on.
    """
    first, second, games = pair
    parts = min(PARTS, -(-games // game.num_seats))
    found = sprawl_env.evaluate(
        game,
        [fixed[first], fixed[second]],
        num_games=games,
        seed=config.seed,
        parts=parts,
        processes=config.processes if parts > 1 else 0,
        progress=True,
    )
    shares = np.round(shares_by_deal(found.results), 4).tolist()
    own = [made[first], made[second]]
    return {"bots": [first, second], "games": games, MADE: own, "shares": shares}


def play_all(config: Config) -> tuple[list[Row], dict[str, float]]:
    """Play what is missing; return the rows, and the time of each bot for a decision."""
    game = sprawl_env.game(config.game, num_players=config.num_players)
    bots = ladder_of(config)[0]
    read_pairs(config)  # a damaged file is an error before the bots are timed
    times = times_of(config, game, bots)
    with alone(config.out):
        return play_missing(config, game, times), times


def play_missing(config: Config, game: Game, times: dict[str, float]) -> list[Row]:
    """Play what is missing, and return the rows; see :func:`play_all`."""
    fixed = {name: pinned(name) for name in times}
    made = {name: made_of(word, game) for name, word in fixed.items()}
    lines = read_pairs(config)
    asked, found = list(pairs_of(config)), kept(lines[1:], made)
    older = sum(MADE not in found[pair] for pair in asked if pair in found)
    if older:
        say(f"{older} pairs of an earlier version do not say what played: they count as they are")
    missing = [pair for pair in asked if pair not in found]
    seconds = estimates(config, times, missing) if missing else []
    say(f"{counted(len(missing), 'pair')} to play, at most {_minutes(seconds)}")
    for k, pair in enumerate(missing):
        first, second, games = pair
        left = f"{games:,} games; at most {_minutes(seconds[k:])} left"
        say(f"{k + 1} of {len(missing)}: {first} against {second}, {left}")
        found[pair] = play(config, game, pair, made, fixed)
        lines.append(found[pair])
        write_lines(config.out / PAIRS, lines)
    return [found[pair] for pair in asked]


def _minutes(seconds: Sequence[float]) -> str:
    """Return the sum of seconds in words, rounded up, e.g. ``12 minutes``."""
    return counted(math.ceil(sum(seconds) / SECONDS_A_MINUTE), "minute")


def wins_of(rows: Sequence[Row], names: Sequence[str]) -> Numbers:
    """Return who beat whom in each deal, ``[deals, bots, bots]``, in games."""
    deals = max(len(row["shares"]) for row in rows)
    wins: Numbers = np.zeros((deals, len(names), len(names)))
    for row in rows:
        a, b = (names.index(name) for name in row["bots"])
        shares = np.array(row["shares"])
        wins[: shares.size, a, b] += RATED_SEATS * shares
        wins[: shares.size, b, a] += RATED_SEATS * (1.0 - shares)
    return wins


def summary(config: Config, rows: Sequence[Row], times: dict[str, float]) -> Row:
    """Return all figures of the ladder."""
    names = [name for name in ladder_of(config)[0] if any(name in row["bots"] for row in rows)]
    cells = []
    for row in rows:
        shares = np.array(row["shares"], np.float64)
        low, high = interval(shares)
        first, second = row["bots"]
        cells.append(
            {"bot": first, "against": second, "games": row["games"],
             "wins": float(shares.mean()), "low": low, "high": high}
        )  # fmt: skip
    bots: list[Row] = [{"bot": name, "milliseconds": round(times[name], 4)} for name in names]
    if config.num_players == RATED_SEATS:
        wins = wins_of(rows, names)
        elo, (worst, top) = rate(wins), bootstrap(wins, config.seed)
        nash = nash_average(wins.sum(axis=0))
        for k, line in enumerate(bots):
            line |= {"elo": float(elo[k]), "elo_low": float(worst[k]), "elo_high": float(top[k])}
            line |= {"mixture": float(nash.shares[k]), "against_mixture": float(nash.wins[k])}
        bots.sort(key=lambda line: -line["elo"])
    return {"settings": settings_of(config), "bots": bots, "pairs": cells, **provenance()}


def main(config: Config) -> None:
    """Play what is missing, and write the table."""
    if min(config.most, config.near, config.rest) < 1:
        raise InvalidOption("most, near, rest: expected more than 0")
    if config.num_players < FEWEST_SEATS:
        raise InvalidOption(
            f"num_players={config.num_players}: expected {FEWEST_SEATS} or more: alone, "
            f"bots do not meet"
        )
    rows, times = play_all(config)
    found = summary(config, rows, times)
    write_atomically(config.out / "ladder.json", json.dumps(found, indent=1) + "\n")
    write_atomically(config.out / "ladder.md", ladder_table(found))
    console().print(ladder_table(found))
    say(f"{config.out / 'ladder.md'}, {config.out / 'ladder.json'}")


if __name__ == "__main__":
    run(main, Config, prog="python -m experiments.ladder")
