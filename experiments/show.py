"""What notebooks show: positions, what this project's commands say, tables and plots in one look.

from experiments import show
show.set_up()
show.position(game, games)
show.command("sprawl_env tournament --game tower_up --out first", folder)
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
import PIL.ImageColor
import polars as pl
from cycler import cycler
from IPython.display import HTML, Image

from sprawl_env.core.errors import SprawlError
from sprawl_env.core.game import Game
from sprawl_env.core.rules import Played
from sprawl_env.core.state import Games
from sprawl_env.render.pixels import rgb_array
from sprawl_env.render.shapes import NONE, SEAT_COLOURS

COLOURS: Final = 24  # of a picture beside those of its shapes: for the edges of letters
FIGURE: Final = (8.0, 3.6)  # inches
DPI: Final = 85
MOST_ROWS: Final = 25
LONGEST_TEXT: Final = 200
BAR: Final = re.compile(r" +[━╸╺]+(?= +\d+%)")
COLOUR_VARIABLES: Final = ("FORCE_COLOR", "CLICOLOR_FORCE", "CLICOLOR")  # set by Jupyter's kernel


class CommandFailed(SprawlError):
    """A command of this project that ended with an error; says what it said."""


def set_up() -> None:
    """Give tables and plots one look: plain, and in colours that the colour-blind can tell."""
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
    """Return game ``g`` as a small PNG that a notebook shows; arguments as of ``Game.picture``.

    It has every colour of the picture's shapes as it is.

    Raises:
        InvalidOption: no such seat.
    """
    picture = game.picture(games, g, seat, last)
    image = PIL.Image.fromarray(rgb_array(picture))
    own = {colour for shape in picture.shapes for colour in (shape.fill, shape.stroke)} - {NONE}
    palette = PIL.Image.new("P", (1, 1))
    palette.putpalette(
        [part for colour in sorted(own) for part in PIL.ImageColor.getrgb(colour)]
        + (image.quantize(COLOURS).getpalette() or [])[: 3 * COLOURS]
    )
    file = io.BytesIO()
    image.quantize(palette=palette, dither=PIL.Image.Dither.NONE).save(file, "PNG", optimize=True)
    return Image(file.getvalue())


def table(frame: pl.DataFrame) -> HTML:
    """Return a table as a notebook shows it, texts without quotation marks."""
    return HTML(frame._repr_html_().replace("&quot;", ""))


def command(line: str, folder: Path, *, quiet: bool = False) -> None:
    """Run ``python -m`` with a line of arguments, as in a terminal, and print what it says.

    Args:
        line: module and arguments, e.g. ``"sprawl_env evaluate --games 50"``.
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
    """Return what a command said: no empty lines, no blanks at their ends, no bars of progress."""
    lines = (BAR.sub("", line).rstrip() for line in text.splitlines())
    return [line for line in lines if line]
