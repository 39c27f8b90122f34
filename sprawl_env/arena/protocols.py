"""Fixed benchmarks: what a bot plays, so that its figures can be cited and compared.

A protocol names, for each game and number of seats, the opponents, the number of games, the seed
and how often bots are seeded (``protocols.toml``).  Its result is one table and one hash of all
games; the hash is the same wherever the same bot plays the same games.
"""

from __future__ import annotations

import functools
import hashlib
import json
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.table import Table

from sprawl_env.arena.entrants import guarded_bot, names_of, pinned
from sprawl_env.arena.evaluation import Evaluation, Line, evaluate, table
from sprawl_env.arena.timing import milliseconds_of, positions_of
from sprawl_env.bots.protocol import Bot
from sprawl_env.core.arguments import checked
from sprawl_env.core.errors import InvalidOption, UnknownName, unknown
from sprawl_env.core.extras import require
from sprawl_env.core.files import read_text
from sprawl_env.core.game import Game
from sprawl_env.core.provenance import provenance
from sprawl_env.core.registry import as_game
from sprawl_env.core.state import AUTOMATON

if TYPE_CHECKING:
    import polars as pl

MEASURED: Final = "measured"  # the name of the measured bot in the rows
SAID_ONCE: Final = ("seed", "game", "options")  # keys of rows that a hash says otherwise
POSITIONS: Final = 100  # in which the time for a decision is measured
SHOWN: Final = 16  # digits of the hash in a table
_FILE: Final = Path(__file__).with_name("protocols.toml")


@dataclass(frozen=True)
class ProtocolMatch:
    """One match of a protocol.

    Attributes:
        opponent: the name of the bot on all other seats; ``""`` with one seat: the automaton.
        games: how many are played.
    """

    opponent: str
    games: int


@dataclass(frozen=True)
class Protocol:
    """A fixed benchmark of one game with one number of seats.

    Attributes:
        name: of the protocol, e.g. ``v0``.
        game: name of the game, with its default options.
        num_players: seats.
        seed: deal ``d`` is dealt from ``(seed, d)``.
        parts: how often the bots are seeded in a match, see
            :func:`~sprawl_env.arena.evaluation.evaluate`.
        matches: what is played.
    """

    name: str
    game: str
    num_players: int
    seed: int
    parts: int
    matches: tuple[ProtocolMatch, ...]


@dataclass(frozen=True)
class ProtocolResult:
    """What :func:`run_protocol` measured.

    Attributes:
        protocol: what was played.
        bot: the name of the measured bot.
        title: the game and the seats, in words.
        lines: the measured bot's result of each match.
        milliseconds: mean time of a decision with a choice, one game at a time in one process, with
            the threads that the bot uses; not part of the hash.
        sha256: hash of all games, in hexadecimal digits.
        evaluations: the matches with all games.
    """

    protocol: Protocol
    bot: str
    title: str
    lines: tuple[Line, ...]
    milliseconds: float
    sha256: str
    evaluations: tuple[Evaluation, ...]

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a game, with the opponent of its match under ``"against"``.

        The others are as in :meth:`~sprawl_env.arena.evaluation.Evaluation.rows`, with the measured
        bot named ``"measured"``.
        """
        return rows_of(self.protocol, self.evaluations)

    def frame(self) -> pl.DataFrame:
        """Return the lines as a polars DataFrame, one row a match.

        Raises:
            MissingExtra: polars is not installed.
        """
        frame: pl.DataFrame = require("polars", "frame()").DataFrame(self._results())
        return frame

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON values, with the versions, the machine and the commit."""
        return {
            "protocol": asdict(self.protocol),
            "bot": self.bot,
            "lines": self._results(),
            "milliseconds": round(self.milliseconds, 4),
            "sha256": self.sha256,
            **provenance(),
        }

    def table(self) -> Table:
        """Return the result as a table, with the hash below it."""
        pairs = zip(self.protocol.matches, self.lines, strict=True)
        lines = [replace(line, bot=_against(match)) for match, line in pairs]
        title = f"{self.title}, protocol {self.protocol.name}: {self.bot}"
        shown = table(title, lines, heading="against")
        shown.caption = f"{self.milliseconds:.3g} ms a decision; sha256 {self.sha256[:SHOWN]}"
        return shown

    def _results(self) -> list[dict[str, Any]]:
        """Return the lines with the opponents under ``"against"``."""
        pairs = zip(self.protocol.matches, self.lines, strict=True)
        return [{"against": _against(match), **asdict(line)} for match, line in pairs]


def _against(match: ProtocolMatch) -> str:
    return match.opponent or AUTOMATON


@functools.cache
def _content() -> dict[str, Any]:
    return tomllib.loads(read_text(_FILE))


def protocol_names() -> list[str]:
    """Return the names of all protocols."""
    return list(_content())


def find_protocol(name: str, game: str, num_players: int) -> Protocol:
    """Return a protocol for a game and a number of seats.

    Raises:
        UnknownName: there is no such protocol.
        InvalidOption: it has no matches of this game with so many seats.
    """
    content = _content()
    if name not in content:
        raise unknown("protocol", name, list(content))
    given = content[name]
    tables = [key for key, value in given.items() if isinstance(value, list)]
    if game not in tables:
        raise UnknownName(f"protocol {name}: game {game!r}: expected {', '.join(tables)}")
    by_seats = {each["num_players"]: each["matches"] for each in given[game]}
    if num_players not in by_seats:
        known = ", ".join(map(str, sorted(by_seats)))
        raise InvalidOption(f"protocol {name}: {game}: num_players={num_players}: expected {known}")
    matches = tuple(ProtocolMatch(*each) for each in by_seats[num_players])
    return Protocol(name, game, num_players, given["seed"], given["parts"], matches)


@checked
def run_protocol(
    game: str,
    bot: str | Bot | type[Bot],
    *,
    name: str = "v0",
    num_players: int = 2,
    processes: int = 0,
    engine: str = "local",
    progress: bool = False,
) -> ProtocolResult:
    """Measure a bot by a fixed benchmark.

    >>> found = run_protocol("tower_up", "agent:best")
    >>> found.sha256, found.lines[0].wins

    Args:
        game: a game's name.
        bot: its name (see :func:`sprawl_env.make_bot`), a bot or its class; the folder of a run
            means its newest checkpoint when the first match begins.
        name: of the protocol.
        num_players: seats.
        processes: worker processes; 0: one for each core.  They do not change the result.
        engine: who plays: ``"local"`` or ``"ray"``, see
            :func:`~sprawl_env.arena.evaluation.evaluate`.
        progress: show a progress bar for each match; without a terminal, a line a minute on
            standard error.

    Raises:
        SprawlError: there is no such protocol, game or bot, or the protocol has no matches of the
            game with so many seats.
        WorkerError: worker processes die.
    """
    protocol = find_protocol(name, game, num_players)
    made = as_game(game, num_players=num_players)
    (called,) = names_of([bot])
    playing = pinned(bot) if isinstance(bot, str) else bot  # the same checkpoint in all matches
    found = (
        evaluate(
            made,
            [playing, match.opponent] if match.opponent else [playing],
            num_games=match.games,
            seed=protocol.seed,
            parts=protocol.parts,
            processes=processes,
            engine=engine,
            progress=progress,
        )
        for match in protocol.matches
    )
    evaluations = tuple(_renamed(each, names_of([playing])[0], called) for each in found)
    rows = rows_of(protocol, evaluations)
    return ProtocolResult(
        protocol=protocol,
        bot=called,
        title=evaluations[0].title,
        lines=tuple(each.lines[0] for each in evaluations),
        milliseconds=_milliseconds(made, playing, protocol.seed),
        sha256=hash_of(protocol, rows),
        evaluations=evaluations,
    )


def _renamed(found: Evaluation, name: str, called: str) -> Evaluation:
    """Return an evaluation in which a bot is called otherwise."""
    bots = tuple(called if bot == name else bot for bot in found.bots)
    lines = (replace(line, bot=called) if line.bot == name else line for line in found.lines)
    return replace(found, bots=bots, lines=tuple(lines))


def _milliseconds(game: Game, bot: str | Bot | type[Bot], seed: int) -> float:
    """Return the mean time of a decision."""
    games, masks = positions_of(game, POSITIONS, seed)
    return milliseconds_of(game, [guarded_bot(bot, game)], games, masks)[0]


def rows_of(protocol: Protocol, evaluations: Sequence[Evaluation]) -> list[dict[str, Any]]:
    """Return one row a game of all matches; see :meth:`ProtocolResult.rows`."""
    found = []
    for match, evaluation in zip(protocol.matches, evaluations, strict=True):
        for row in evaluation.rows():
            bots = [match.opponent] * protocol.num_players
            bots[row["rotation"]] = MEASURED
            found.append({"against": _against(match), **row, "bots": bots})
    return found


def hash_of(protocol: Protocol, rows: Sequence[dict[str, Any]]) -> str:
    """Return the SHA-256 of a protocol, which says the seed, and of all games played by it."""
    digest = hashlib.sha256(_canonical(asdict(protocol)))
    for row in rows:
        digest.update(_canonical({name: row[name] for name in row if name not in SAID_ONCE}))
    return digest.hexdigest()


def _canonical(value: Any) -> bytes:
    return (json.dumps(value, sort_keys=True, separators=(",", ":")) + "\n").encode()
