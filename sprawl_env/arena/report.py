"""The report of a tournament: ratings, tables and a picture, as JSON, Markdown and PNG."""

from __future__ import annotations

import io
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from rich.markup import escape
from rich.table import Table as RichTable

from sprawl_env.arena.evaluation import half_width, interval, interval_text, mean_text
from sprawl_env.arena.journal import Row
from sprawl_env.arena.ratings import bootstrap, pair_wins, rate, skills
from sprawl_env.arena.schedule import FEWEST, Config
from sprawl_env.core.extras import missing, pip_command, require
from sprawl_env.core.provenance import provenance
from sprawl_env.core.words import counted

Numbers = npt.NDArray[np.float64]
Report = dict[str, Any]

MOST_REASONS: Final = 20  # rows of the table of forfeits; the results hold all
WIDTH, HEIGHT, DPI = 11.0, 4.6, 150  # of the picture, inches
LONGEST_LABEL: Final = 30  # characters, in the picture
_OF_FORFEITS: Final = (
    " In a game with a forfeit each of the others is only ahead of the bot that failed; openskill "
    "leaves it out."
)
DARK: Final = 0.35  # a share this far from one half is drawn in a dark colour


@dataclass(frozen=True)
class Entries:
    """Every seat of every game as one entry; arrays ``[entries]``.

    Attributes:
        bot: the number of the bot.
        line_up: the number of the line-up.
        deal: the number of the deal.
        seat: where it sat.
        share: of the victory.
        rank: from 1.
        score: final points; NaN after a forfeit.
    """

    bot: npt.NDArray[np.int64]
    line_up: npt.NDArray[np.int64]
    deal: npt.NDArray[np.int64]
    seat: npt.NDArray[np.int64]
    share: Numbers
    rank: Numbers
    score: Numbers

    @classmethod
    def of(cls, rows: Sequence[Row], names: Sequence[str]) -> Entries:
        """Return the entries of some results."""
        number = {name: k for k, name in enumerate(names)}
        found = [
            (
                number[name],
                row["line_up"],
                row["deal"],
                seat,
                row["shares"][seat],
                row["ranks"][seat],
                np.nan if row["scores"] is None else row["scores"][seat],
            )
            for row in rows
            for seat, name in enumerate(row["bots"])
        ]
        columns = np.array(found, np.float64).T
        whole = columns[:4].astype(np.int64)
        return cls(whole[0], whole[1], whole[2], whole[3], columns[4], columns[5], columns[6])

    def figures(self, chosen: npt.NDArray[np.bool_]) -> dict[str, float | None]:
        """Return wins with their interval, mean rank and score of some entries."""
        shares = by_deal(self.share, self.deal, chosen)
        low, high = interval(shares)
        scored = chosen & ~np.isnan(self.score)
        scores = by_deal(self.score, self.deal, scored)
        return {
            "games": int(chosen.sum()),
            "wins": float(shares.mean()),
            "low": low,
            "high": high,
            "rank": float(self.rank[chosen].mean()),
            "score": float(scores.mean()) if scored.any() else None,
            "score_error": half_width(scores) if scored.any() else None,
        }


def by_deal(values: Numbers, deal: npt.NDArray[np.int64], chosen: npt.NDArray[np.bool_]) -> Numbers:
    """Return the mean of the chosen values in every deal that has some."""
    count = np.bincount(deal[chosen])
    total = np.bincount(deal[chosen], values[chosen])
    found: Numbers = total[count > 0] / count[count > 0]
    return found


# ------------------------------------------------------------------------------------ the figures


def summarise(config: Config, rows: Sequence[Row], timings: Sequence[Row]) -> Report:
    """Return all figures of a tournament.

    Args:
        config: its settings.
        rows: its results, in order.
        timings: its timings.
    """
    names = list(config.bots)
    number = {name: k for k, name in enumerate(names)}
    entries = Entries.of(rows, names)
    deals = int(entries.deal.max()) + 1
    wins: Numbers = np.zeros((deals, len(names), len(names)))
    for row in rows:
        sitting = [number[name] for name in row["bots"]]
        failed = row["forfeit"]["seat"] if row["forfeit"] else None
        wins[row["deal"]] += pair_wins(row["ranks"], sitting, len(names), failed)
    elo = rate(wins)
    low, high = bootstrap(wins, config.seed)
    skill: list[dict[str, float | None]] = [{"mu": None, "sigma": None}] * len(names)
    if not missing(["openskill"]):
        whole = (row for row in rows if not row["forfeit"] or len(row["bots"]) == FEWEST)
        ranked = ((row["ranks"], [number[name] for name in row["bots"]]) for row in whole)
        skill = [asdict(found) for found in skills(ranked, len(names))]
    pace = _pace(names, timings)
    broken = [(row["bots"][row["forfeit"]["seat"]], row) for row in rows if row["forfeit"]]
    forfeits = Counter(name for name, _ in broken)
    bots: list[dict[str, Any]] = [
        {
            "bot": name,
            "elo": float(elo[k]),
            "elo_low": float(low[k]),
            "elo_high": float(high[k]),
            **skill[k],
            **entries.figures(entries.bot == k),
            **pace[name],
            "forfeits": forfeits[name],
        }
        for k, name in enumerate(names)
    ]
    bots.sort(key=lambda line: -line["elo"])
    return {
        "command": command(config),
        "config": asdict(config),
        "games": len(rows),
        "deals": deals,
        "truncated": float(np.mean([row["truncated"] for row in rows])),
        "bots": bots,
        "head_to_head": _head_to_head([line["bot"] for line in bots], number, wins),
        "line_ups": _line_ups(rows, names, entries),
        "seats": _seats(config.num_players, rows, names),
        "forfeits": _reasons(broken),
        **provenance(),
    }


def command(config: Config) -> str:
    """Return the command line of a tournament, without rare flags that have their defaults."""
    words = ["sprawl-env", "tournament", "--game", config.game, "--bots", *config.bots]
    words += ["--num-players", str(config.num_players), "--games", str(config.num_games)]
    words += ["--seed", str(config.seed)]
    if config.reach:
        words += ["--reach", str(config.reach)]
    if config.options:
        words += ["--options", *config.options]
    if config.move_seconds != Config.move_seconds:
        words += ["--move-seconds", str(config.move_seconds)]
    if config.replays:
        words.append("--replays")
    return shlex.join(words)


def _pace(names: Sequence[str], timings: Sequence[Row]) -> dict[str, dict[str, float | None]]:
    """Return the number of decisions of every bot and the wall-clock seconds for one."""
    seconds: Counter[str] = Counter()
    decisions: Counter[str] = Counter()
    for row in timings:
        if row["seconds"] is None:
            continue
        for name, spent, count in zip(row["bots"], row["seconds"], row["decisions"], strict=True):
            seconds[name] += spent
            decisions[name] += count
    return {
        name: {
            "decisions": decisions[name],
            "seconds_a_move": seconds[name] / decisions[name] if decisions[name] else None,
        }
        for name in names
    }


def _head_to_head(names: Sequence[str], number: dict[str, int], wins: Numbers) -> list[Row]:
    """Return how often each bot ended ahead of each other one, in the order of ``names``."""
    lines = []
    for name in names:
        for other in names:
            if name == other:
                continue
            won = wins[:, number[name], number[other]]
            met = won + wins[:, number[other], number[name]]
            if not met.any():
                continue
            shares = won[met > 0] / met[met > 0]  # of each deal, as deals are independent
            low, high = interval(shares)
            lines.append(
                {
                    "bot": name,
                    "against": other,
                    "meetings": int(met.sum()),
                    "wins": float(shares.mean()),
                    "low": low,
                    "high": high,
                }
            )
    return lines


def _line_ups(rows: Sequence[Row], names: Sequence[str], entries: Entries) -> list[Row]:
    """Return every bot's figures in every line-up; the seats of one bot are pooled."""
    members: dict[int, Counter[str]] = {}
    for row in rows:
        members.setdefault(row["line_up"], Counter(row["bots"]))
    return [
        {
            "line_up": [n for n in names for _ in range(members[k][n])],
            "bot": name,
            **entries.figures((entries.line_up == k) & (entries.bot == names.index(name))),
        }
        for k in sorted(members)
        for name in names
        if members[k][name]
    ]


def _seats(seats: int, rows: Sequence[Row], names: Sequence[str]) -> list[Row]:
    """Return the results of each seat in deals that a line-up played without a forfeit."""
    broken = {(row["line_up"], row["deal"]) for row in rows if row["forfeit"]}
    whole = [row for row in rows if (row["line_up"], row["deal"]) not in broken]
    if not whole:
        return []
    entries = Entries.of(whole, names)
    return [{"seat": seat, **entries.figures(entries.seat == seat)} for seat in range(seats)]


def _reasons(broken: Sequence[tuple[str, Row]]) -> list[Row]:
    """Return the forfeits by bot and reason, the most frequent first."""
    counts: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], Row] = {}
    for name, row in broken:
        key = (name, row["forfeit"]["reason"])
        counts[key] += 1
        first.setdefault(key, row)
    return [
        {
            "bot": name,
            "reason": reason,
            "games": games,
            "first": {
                **{key: first[name, reason][key] for key in ("deal", "line_up", "rotation")},
                "ply": first[name, reason]["forfeit"]["ply"],
            },
        }
        for (name, reason), games in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]


# ------------------------------------------------------------------------------------- the tables


@dataclass(frozen=True)
class Table:
    """A table of text; its first ``left`` columns are left-aligned."""

    title: str
    note: str
    columns: tuple[str, ...]
    rows: list[list[str]]
    left: int = 1


def _wins(line: Row) -> list[str]:
    return [f"{line['wins']:.1%}", interval_text(line["low"], line["high"])]


def _score(line: Row) -> str:
    return "–" if line["score"] is None else mean_text(line["score"], line["score_error"])


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.2f} s"


def _ratings_table(report: Report) -> Table:
    rated = all(line["mu"] is not None for line in report["bots"])
    return Table(
        "Ratings",
        "Bradley–Terry on the Elo scale, from who ended ahead of whom (1500: the mean of these "
        "bots, weighted by the information in their games); 95% intervals by a Bayesian bootstrap "
        f"over {counted(report['deals'], 'deal')}."
        + (" openskill: Plackett–Luce, μ ± σ after the games in order." if rated else "")
        + (_OF_FORFEITS if report["forfeits"] and report["config"]["num_players"] > FEWEST else ""),
        ("bot", "Elo", "95% interval", *(["openskill μ ± σ"] if rated else [])),
        [
            [
                line["bot"],
                f"{line['elo']:.0f}",
                f"{line['elo_low']:.0f} – {line['elo_high']:.0f}",
                *([f"{line['mu']:.1f} ± {line['sigma']:.1f}"] if rated else []),
            ]
            for line in report["bots"]
        ],
    )


def _bots_table(report: Report) -> Table:
    return Table(
        "Bots",
        "Shared victories count by their share; intervals count deals, not games. Scores are of "
        "games without a forfeit. The time for a move is wall-clock time of this run.",
        ("bot", "games", "wins", "95% interval", "rank", "score", "a move", "forfeits"),
        [
            [
                line["bot"],
                f"{line['games']:,}",
                *_wins(line),
                f"{line['rank']:.2f}",
                _score(line),
                _time(line["seconds_a_move"]),
                f"{line['forfeits']:,}",
            ]
            for line in report["bots"]
        ],
    )


def _meetings_table(report: Report) -> Table:
    return Table(
        "Head to head",
        "How often the first bot ended ahead of the second one in the same game; ties count half.",
        ("bot", "against", "meetings", "ahead", "95% interval"),
        [
            [line["bot"], line["against"], f"{line['meetings']:,}", *_wins(line)]
            for line in report["head_to_head"]
        ],
        left=2,
    )


def _line_ups_table(report: Report) -> Table:
    return Table(
        "Line-ups",
        "Victories for each seat of the bot in that line-up; games count each of its seats.",
        ("line-up", "bot", "games", "wins", "95% interval", "rank", "score"),
        [
            [
                " v ".join(line["line_up"]),
                line["bot"],
                f"{line['games']:,}",
                *_wins(line),
                f"{line['rank']:.2f}",
                _score(line),
            ]
            for line in report["line_ups"]
        ],
        left=2,
    )


def _seats_table(report: Report) -> Table:
    return Table(
        "Seats",
        "The results of each seat, without the deals in which a bot of the line-up forfeited; so "
        "every bot played every seat equally often.",
        ("seat", "games", "wins", "95% interval", "score"),
        [
            [str(line["seat"]), f"{line['games']:,}", *_wins(line), _score(line)]
            for line in report["seats"]
        ],
    )


def _forfeits_table(report: Report) -> Table:
    more = len(report["forfeits"]) - MOST_REASONS
    rest = f" {more:,} more reasons are in report.json." if more > 0 else ""
    first = "deal {deal}, line-up {line_up}, rotation {rotation}, ply {ply}"
    return Table(
        "Forfeits",
        "A bot that fails forfeits the game; the others share the victory." + rest,
        ("bot", "reason", "first seen", "games"),
        [
            [line["bot"], line["reason"], first.format(**line["first"]), f"{line['games']:,}"]
            for line in report["forfeits"][:MOST_REASONS]
        ],
        left=3,
    )


def tables(report: Report) -> list[Table]:
    """Return the report's tables, the ratings and the bots first."""
    kinds = [_ratings_table, _bots_table, _meetings_table, _line_ups_table, _seats_table]
    if report["forfeits"]:
        kinds.append(_forfeits_table)
    return [kind(report) for kind in kinds]


def title(report: Report) -> str:
    """Return the game, the options and the number of games in words."""
    config = report["config"]
    options = ", ".join(config["options"])
    return (
        f"{config['game']}, {config['num_players']} seats{', ' + options if options else ''}: "
        f"{counted(report['games'], 'game')} on {counted(report['deals'], 'deal')}"
    )


def for_console(table: Table) -> RichTable:
    """Return a table for the terminal."""
    shown = RichTable(title=table.title)
    for k, column in enumerate(table.columns):
        shown.add_column(column, justify="left" if k < table.left else "right")
    for row in table.rows:
        shown.add_row(*map(escape, row))
    return shown


def to_markdown(report: Report, *, picture: bool = True) -> str:
    """Return the report as a Markdown page that shows ``report.png`` if there is a picture."""
    parts = [f"# {title(report)}", f"```\n{report['command']}\n```"]
    if picture:
        parts.append("![](report.png)")
    for table in tables(report):
        rule = [":--" if k < table.left else "--:" for k in range(len(table.columns))]
        lines = [list(table.columns), rule, *table.rows]
        text = "\n".join(
            "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
        )
        parts.append(f"## {table.title}\n\n{table.note}\n\n{text}")
    return "\n\n".join(parts) + "\n"


# ------------------------------------------------------------------------------------ the picture


def labels(names: Sequence[str]) -> dict[str, str]:
    """Return a short label for each bot; bots whose labels would be equal keep their names."""
    short = {name: _label(name) for name in names}
    count = Counter(short.values())
    return {name: label if count[label] == 1 else name for name, label in short.items()}


def _label(name: str) -> str:
    """Return a bot's kind, its agent or path, and the first of its other settings."""
    kind, _, rest = name.partition(":")
    agent, settings = "", [word for word in rest.split(",") if word]
    if settings and ("=" not in settings[0] or settings[0].startswith("agent=")):
        agent = settings.pop(0).removeprefix("agent=").rpartition("/")[2]
    label = " ".join(filter(None, [kind, agent, *settings[:1]]))
    return f"{label} …" if len(settings) > 1 else label


def draw(report: Report) -> bytes:
    """Return the picture as PNG: shares of victories by pair, and ratings with intervals.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    figure_module = require("matplotlib.figure", "the picture of a report")

    names = [line["bot"] for line in report["bots"]]
    share = np.full((len(names), len(names)), np.nan)
    for line in report["head_to_head"]:
        share[names.index(line["bot"]), names.index(line["against"])] = line["wins"]
    figure = figure_module.Figure(
        figsize=(WIDTH, max(HEIGHT, 1.6 + 0.45 * len(names))), layout="constrained"
    )
    figure.suptitle(title(report))
    heat, scale = figure.subplots(1, 2)
    heat.imshow(share, cmap="RdBu", vmin=0, vmax=1, aspect="auto")
    for (row, column), value in np.ndenumerate(share):
        if not np.isnan(value):
            colour = "white" if abs(value - 0.5) > DARK else "black"
            heat.text(column, row, f"{value:.0%}", ha="center", va="center", color=colour)
    short = labels(names).values()
    called = [x if len(x) <= LONGEST_LABEL else f"…{x[1 - LONGEST_LABEL :]}" for x in short]
    heat.set_xticks(range(len(names)), called, rotation=30, ha="right")
    heat.set_yticks(range(len(names)), called)
    heat.set_title("row ends ahead of column", fontsize=10)
    elo = np.array(
        [[line[key] for key in ("elo", "elo_low", "elo_high")] for line in report["bots"]]
    )
    places = np.arange(len(names))
    scale.errorbar(
        elo[:, 0],
        places,
        xerr=np.abs(elo[:, 1:].T - elo[:, 0]),
        fmt="o",
        capsize=4,
        color="#205072",
    )
    for place, mid in zip(places, elo[:, 0], strict=True):
        scale.annotate(
            f"{mid:.0f}", (mid, place), xytext=(0, 8), textcoords="offset points", ha="center"
        )
    scale.set_yticks(places, called)
    scale.set_ylim(len(names) - 0.5, -0.5)
    scale.margins(x=0.12)
    scale.grid(axis="x", alpha=0.3)
    scale.set_title("Elo (Bradley–Terry), 95% intervals", fontsize=10)
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=DPI)
    return out.getvalue()


def lacks(*, picture: bool = True) -> str:
    """Return a line on what a report lacks without optional libraries; empty if nothing.

    Args:
        picture: whether the report has a picture.
    """
    parts = {"openskill": "openskill ratings", "matplotlib": "picture"}
    absent = missing(list(parts)[: len(parts) if picture else 1])
    if not absent:
        return ""
    names = " and ".join(absent)
    return (
        f"the report has no {' and no '.join(parts[name] for name in absent)}: {names} "
        f"{'is' if len(absent) == 1 else 'are'} not installed: {pip_command('analysis')}"
    )
