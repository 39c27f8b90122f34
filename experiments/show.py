"""What notebooks show: positions, what this project's commands say, tables and plots in one look.

from experiments import show
show.set_up()
show.position(game, games)
show.command("experiments.tournament --game tower_up --out first", folder)
"""

from __future__ import annotations

import io
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Final

import matplotlib as mpl
import PIL.Image
import polars as pl
from cycler import cycler
from IPython.display import Image

from sprawl_env.adapters.render import rgb_array
from sprawl_env.core.drawing import SEAT_COLOURS
from sprawl_env.core.errors import SprawlError
from sprawl_env.core.game import Game, Games, Played

COLOURS: Final = 32  # of a picture: enough for every shape, two thirds of the bytes
FIGURE: Final = (8.0, 3.6)  # inches
DPI: Final = 85
MOST_ROWS: Final = 25
COLOUR_VARIABLES: Final = ("FORCE_COLOR", "CLICOLOR_FORCE", "CLICOLOR")  # set by Jupyter's kernel


class CommandFailed(SprawlError):
    """A command of this project that ended with an error; says what it said."""


def set_up() -> None:
    """Give tables and plots one look: plain, and in colours that the colour-blind can tell."""
    pl.Config.set_tbl_hide_dataframe_shape(True)
    pl.Config.set_tbl_hide_column_data_types(True)
    pl.Config.set_tbl_rows(MOST_ROWS)
    pl.Config.set_fmt_str_lengths(80)
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
    """Return game ``g`` as a PNG that a notebook shows; arguments as of ``Game.picture``.

    Raises:
        InvalidOption: no such seat.
    """
    pixels = rgb_array(game.picture(games, g, seat, last))
    file = io.BytesIO()
    PIL.Image.fromarray(pixels).quantize(COLOURS).save(file, "PNG", optimize=True)
    return Image(file.getvalue())


def command(line: str, folder: Path, *, quiet: bool = False) -> None:
    """Run ``python -m`` with a line of arguments, as in a terminal, and print what it says.

    Args:
        line: module and arguments, e.g. ``"experiments.evaluate --games 50"``.
        folder: where it runs; paths in the line count from there.
        quiet: print nothing; for commands that write what matters into a file.

    Raises:
        CommandFailed: it ended with an error.
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
    """Return what a command said, without blanks at the end of lines and without empty lines."""
    lines = (line.rstrip() for line in text.splitlines())
    return [line for line in lines if line]
