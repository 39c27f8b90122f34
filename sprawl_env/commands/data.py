"""The command ``data``: where a game's data comes from, table by table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tyro.conf import Positional

from sprawl_env.core.registry import game_names, rules_of
from sprawl_env.core.rows import SOURCES


def tally(name: str, overlay: Path | None = None) -> str:
    """Return the tally of one game as a table.

    Raises:
        UnknownName: no such game.
        DataError: a data file is broken.
    """
    counts = rules_of(name).load_data(overlay).tally()
    rows: list[Sequence[object]] = [("table", *SOURCES, "rows")]
    for (file, table), by_source in counts.items():
        cells = [by_source[source] for source in SOURCES]
        rows.append((f"{file}.toml {table}", *cells, sum(cells)))
    totals = [sum(by_source[source] for by_source in counts.values()) for source in SOURCES]
    rows.append(("all", *totals, sum(totals)))
    width = max(len(str(row[0])) for row in rows)
    lines = [f"{row[0]!s:<{width}}" + "".join(f"{cell!s:>10}" for cell in row[1:]) for row in rows]
    return "\n".join([f"{name}", *lines])


@dataclass(frozen=True)
class Config:
    """Show how many rows of each data table are printed, public, or stand-ins."""

    game: Positional[tuple[str, ...]] = ()
    """games; default: every game"""
    overlay: Path | None = None
    """folder of TOML files to check and count instead"""


def main(config: Config) -> None:
    """Print the tally of each game."""
    for name in config.game or game_names():
        sys.stdout.write(tally(name, config.overlay) + "\n")
