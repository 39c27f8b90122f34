"""Where a game's data comes from: ``python -m sprawl_env.data [GAME] [--overlay FOLDER]``.

Prints how many rows of each table are printed in the rulebook, public, or our stand-ins; with an
overlay, checks it and counts its rows instead.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from sprawl_env.console import run
from sprawl_env.core.data import SOURCES
from sprawl_env.core.registry import game_names, rules_of


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


def main() -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m sprawl_env.data", description="Tally the provenance of a game's data."
    )
    parser.add_argument("game", nargs="*", default=list(game_names()), help="default: every game")
    parser.add_argument("--overlay", type=Path, help="folder of TOML files to check and count")
    arguments = parser.parse_args()

    def show() -> None:
        for name in arguments.game:
            sys.stdout.write(tally(name, arguments.overlay) + "\n")

    return run(show)


if __name__ == "__main__":
    sys.exit(main())
