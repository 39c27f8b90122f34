"""Helpers of the notebooks: show positions and tables, run commands, and one style for plots.

Example::

    from experiments import show

    show.set_up()
    show.position(game, games)
    show.command("sprawl_env tournament --game tower_up --bots random greedy --out first", folder)
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Final

import matplotlib as mpl
import PIL.Image
import polars as pl
from cycler import cycler
from IPython.display import HTML, Image

from sprawl_env.core.errors import SprawlError
from sprawl_env.core.game import Game
from sprawl_env.core.rules import Played
from sprawl_env.core.state import Games
from sprawl_env.render.pixels import colours_of, palette_of, rgb_array
from sprawl_env.render.shapes import SEAT_COLOURS

FIGURE: Final = (8.0, 3.6)  # inches
DPI: Final = 85
MOST_ROWS: Final = 25
LONGEST_TEXT: Final = 200
BAR: Final = re.compile(r" +[━╸╺]+(?= +\d+%)")
COLOUR_VARIABLES: Final = (
    "FORCE_COLOR",
    "CLICOLOR_FORCE",
    "CLICOLOR",
)  # set by Jupyter


class CommandFailed(SprawlError):
    """A command ended with an error; the message is the command's."""


def set_up() -> None:
    """Set the style of tables and plots; the colours are safe for colour-blind readers."""
    pl.Config.set_tbl_hide_dataframe_shape(True)
    pl.Config.set_tbl_hide_column_data_types(True)
    pl.Config.set_tbl_rows(MOST_ROWS)
    pl.Config.set_fmt_str_lengths(LONGEST_TEXT)
    pl.Config.set_float_precision(2)
    mpl.rcParams.update(
        {
            "axes.prop_cycle": cycler(color=SEAT_COLOURS),
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.grid": True,
            "axes.axisbelow": True,
            "grid.alpha": 0.3,
            "figure.figsize": FIGURE,
            "figure.dpi": DPI,
            "figure.constrained_layout.use": True,
            "legend.frameon": False,
        }
    )


def position(
    game: Game, games: Games, g: int = 0, seat: int | None = None, last: Played | None = None
) -> Image:
    """Return game ``g`` as a small PNG for a notebook; the arguments are those of ``Game.picture``.

    The PNG has a palette that contains all colours of the picture's shapes unchanged.

    Raises:
        InvalidOption: there is no such seat.
    """
    picture = game.picture(games, g, seat, last)
    image = PIL.Image.fromarray(rgb_array(picture))
    palette = palette_of(colours_of(picture.shapes), image)
    file = io.BytesIO()
    image.quantize(palette=palette, dither=PIL.Image.Dither.NONE).save(file, "PNG", optimize=True)
    return Image(file.getvalue())


def table(frame: pl.DataFrame) -> HTML:
    """Return a table as HTML, without quotation marks around texts."""
    return HTML(frame._repr_html_().replace("&quot;", ""))


def command(line: str, folder: Path, *, quiet: bool = False) -> None:
    """Run ``python -m`` with a line of arguments and print the command's output.

    Args:
        line: module and arguments, e.g. ``"sprawl_env evaluate --bots greedy random --games 50"``.
        folder: the folder in which the command runs; relative paths in the line start there.
        quiet: print nothing; for commands whose result is a file.

    Raises:
        CommandFailed: the command ended with an error.
    """
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(line)],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name not in COLOUR_VARIABLES},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        reason = done.stderr.strip().rpartition("\n")[2] or f"exit code {done.returncode}"
        raise CommandFailed(f"python -m {line}: {reason}")
    if not quiet:
        print("\n".join(lines_of(done.stdout)))  # noqa: T201 - a notebook's output


def lines_of(text: str) -> list[str]:
    """Return the lines of a command's output without empty lines and progress bars."""
    lines = (BAR.sub("", line).rstrip() for line in text.splitlines())
    return [line for line in lines if line]
