"""The command ``data``: the sources of a game's data, table by table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from sprawl_env.commands.flags import GameNames, file
from sprawl_env.core.registry import game_names, rules_of
from sprawl_env.core.rows import SOURCES


def tally(name: str, overlay: Path | None = None) -> str:
    """Return the tally of one game as a table.

    The last column counts the printed and public rows of which a part is ours (``Row.ours``).

    Raises:
        UnknownName: no such game.
        DataError: a data file is broken.
    """
    data = rules_of(name).load_data(overlay)
    counts, mixed = data.tally(), data.mixed()
    rows: list[Sequence[object]] = [("table", *SOURCES, "rows", "mixed")]
    for (name_of_file, table), by_source in counts.items():
        cells = [by_source[source] for source in SOURCES]
        mixed_rows = mixed[name_of_file, table]
        rows.append((f"{name_of_file}.toml {table}", *cells, sum(cells), mixed_rows))
    totals = [sum(by_source[source] for by_source in counts.values()) for source in SOURCES]
    rows.append(("all", *totals, sum(totals), sum(mixed.values())))
    width = max(len(str(row[0])) for row in rows)
    lines = [f"{row[0]!s:<{width}}" + "".join(f"{cell!s:>10}" for cell in row[1:]) for row in rows]
    return "\n".join([f"{name}", *lines])


@dataclass(frozen=True)
class Data:
    """Count the rows of each data table by source: printed, public, or stand-in.

    "mixed" counts the printed and public rows of which a part is a stand-in.

    Example: sprawl-env data tower_up --overlay my_cards
    """

    game: Positional[GameNames] = ()
    overlay: Annotated[
        Path | None, file("folder of TOML files to check and count with the package's", "none")
    ] = None


def main(command: Data) -> None:
    """Run the command."""
    names = command.game or game_names()
    sys.stdout.write("".join(f"{tally(name, command.overlay)}\n" for name in names))
