"""A replay as a moving picture (GIF): one frame a turn or a ply, painted as spectators see it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from sprawl_env.core.checks import check_memory, check_whole
from sprawl_env.core.errors import unknown
from sprawl_env.core.extras import require
from sprawl_env.core.game import Game
from sprawl_env.core.rules import Played
from sprawl_env.core.state import Games, clone
from sprawl_env.render.board import picture_of
from sprawl_env.render.picture import Picture
from sprawl_env.render.pixels import colours_of, palette_of, rgb_array
from sprawl_env.render.shapes import GROUND
from sprawl_env.replays.format import Replay
from sprawl_env.replays.page import Progress, no_progress
from sprawl_env.replays.telling import names_of
from sprawl_env.replays.verification import from_deal

FRAMES: Final = ("turn", "ply")
LEAST_WIDTH, MOST_WIDTH = 100, 4000  # pixels
MOST_TIME: Final = 60_000  # milliseconds of a frame
LAST: Final = 4  # how many times longer the last frame is shown


def film(
    replay: Replay,
    *,
    frame: str = "turn",
    width: int = 800,
    milliseconds: int = 700,
    progress: Progress = no_progress,
    data: Path | None = None,
) -> bytes:
    """Return a replay as an animated GIF that repeats.

    Args:
        replay: the game; it is checked.
        frame: ``"turn"``: a frame for the deal and the end of every turn; ``"ply"``: one for every
            decision.
        width: pixels.
        milliseconds: time of a frame; the last one is shown longer.
        progress: wraps the positions, to show progress.
        data: folder of data files with which it was played; None: those of the package.

    Raises:
        PositionError: the game differs from the replay.
        InvalidOption: a number is not allowed, the frames do not fit into memory, or Pillow is not
            installed.
        UnknownName: there is no such kind of frame.
    """
    if frame not in FRAMES:
        raise unknown("frame", frame, FRAMES)
    width = check_whole("width=", width, LEAST_WIDTH, MOST_WIDTH)
    milliseconds = check_whole("milliseconds=", milliseconds, 10, MOST_TIME)
    image_module = require("PIL.Image", "moving pictures")
    packed: list[io.BytesIO] = []  # the frames, compressed
    colours: set[str] = set()
    tallest = 0  # cards need more room as the game goes on
    for picture in _pictures(replay, frame, progress, data):
        colours |= colours_of(picture.shapes)
        picture.scale = max(1.0, width / picture.width)
        image = image_module.fromarray(rgb_array(picture))
        height = round(image.height * width / image.width)
        image = image.resize((width, height), image_module.Resampling.LANCZOS)
        packed.append(io.BytesIO())
        image.save(packed[-1], "PNG", compress_level=1)
        tallest = max(tallest, height)
    check_memory("frames", len(packed), 2 * width * tallest)  # Pillow keeps a copy
    palette = palette_of(colours, image)
    painted = []
    for file in packed:
        whole = image_module.new("RGB", (width, tallest), GROUND)
        whole.paste(image_module.open(file))
        painted.append(whole.quantize(palette=palette, dither=image_module.Dither.NONE))
    times = [milliseconds] * (len(painted) - 1) + [milliseconds * LAST]
    out = io.BytesIO()
    painted[0].save(
        out, "GIF", save_all=True, append_images=painted[1:], duration=times, loop=0, optimize=True
    )
    return out.getvalue()


class _Position(NamedTuple):
    """A position, the action that led to it, and the position before that action, if any."""

    games: Games
    last: Played | None
    before: tuple[Games, ...]


def _pictures(
    replay: Replay, frame: str, progress: Progress, data: Path | None
) -> Iterator[Picture]:
    """Yield the pictures: of the deal, then of the ends of turns or of all plies."""
    game = replay.game(data)
    seats = names_of(replay, game)[: game.num_seats]
    waiting: _Position | None = None  # a position within a turn, drawn only if it is the last one
    before: tuple[Games, ...] = ()
    for ply, games in progress(from_deal(replay, data)):
        played = None if ply is None else Played(ply.seat, ply.action, ply.says)
        ended = not before or before[0]["turn"][0] != games["turn"][0]
        found = _Position(clone(games), played, before)
        before = (found.games,)
        waiting = None if frame == "ply" or ended else found
        if waiting is None:
            yield _drawn(game, found, seats)
    if waiting is not None:
        yield _drawn(game, waiting, seats)


def _drawn(game: Game, position: _Position, seats: list[str]) -> Picture:
    games, last, before = position
    return picture_of(game, games, 0, last=last, seats=seats, before=before)
