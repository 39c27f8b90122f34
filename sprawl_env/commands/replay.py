"""Look at games that were kept as replays, and re-play them ply by ply to see that they are true.

``html`` writes a page to step through one in any browser; it holds everything and loads nothing.

    python -m experiments.replay verify runs/tournament-tower_up-2-0/replays
    python -m experiments.replay show game.jsonl --game 0
    python -m experiments.replay html game.jsonl -o game.html

A replay is a file of JSON lines (see ``sprawl_env.replays``), one game or several one after the
other; a folder stands for all its ``.jsonl`` files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, cast

from rich.progress import track
from tyro.conf import Positional, arg

from sprawl_env.console import console, counted, run, say
from sprawl_env.core.errors import InvalidOption, PositionError
from sprawl_env.core.files import write_atomically
from sprawl_env.replays.format import Replay, load_all
from sprawl_env.replays.page import page, side_names
from sprawl_env.replays.verification import steps, verify


@dataclass(frozen=True)
class Verify:
    """Re-play games and compare everything: seats, legal actions, names, states, scores."""

    files: Positional[tuple[Path, ...]]
    """replays, or folders of them"""


@dataclass(frozen=True)
class Show:
    """Show one game ply by ply, checked on the way."""

    file: Positional[Path]
    """a replay"""
    game: int = 0
    """which game of the file, from 0"""
    boards: bool = False
    """show the position after every ply, not only the last"""


@dataclass(frozen=True)
class Html:
    """Write one game as a web page, checked on the way."""

    file: Positional[Path]
    """a replay"""
    out: Annotated[Path | None, arg(aliases=["-o"])] = None
    """the page to write; default: the replay's name with .html"""
    game: int = 0
    """which game of the file, from 0"""


def files_of(paths: tuple[Path, ...]) -> list[Path]:
    """Return the replay files meant.

    Raises:
        InvalidOption: a folder without any, or nothing named.
    """
    found: list[Path] = []
    for path in paths:
        inside = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
        if not inside:
            raise InvalidOption(f"{str(path)!r}: expected a folder with replays (*.jsonl)")
        found += inside
    if not found:
        raise InvalidOption("files: expected one replay or more, or folders of them")
    return found


def verify_all(files: list[Path]) -> tuple[int, int]:
    """Verify every game behind a progress bar; returns the numbers of games and plies.

    Raises:
        PositionError: the first that is damaged or does not go as recorded; names the file.
    """
    games = plies = 0
    for path in track(files, "verifying", console=console(), transient=True):
        for number, replay in enumerate(load_all(path)):
            try:
                verify(replay)
            except PositionError as error:
                raise PositionError(f"{path.name}, game {number}: {error}") from None
            games += 1
            plies += len(replay.plies)
    return games, plies


def told(replay: Replay, *, boards: bool = False) -> Iterator[str]:
    """Yield a game as lines of text, each ply checked before it is told.

    Raises:
        PositionError: it does not go as recorded.
    """
    game, header = replay.game(), replay.header
    names = side_names(game, header.get("agents"))
    options = ", ".join(f"{name}={value}" for name, value in header["options"].items())
    yield f"{game.title}: {options}, seed {header['seed']}"
    after = game.deal(1, header["seed"])
    for ply, games in steps(replay):
        yield f"{ply.ply:5}  {names[ply.seat]:<{max(map(len, names))}}  {ply.says}"
        after = games
        if boards:
            yield game.describe(games)
    if not boards or not replay.plies:
        yield game.describe(after)
    if "forfeit" in header:
        forfeit = header["forfeit"]
        yield f"seat {forfeit['seat']} forfeits at ply {forfeit['ply']}: {forfeit['reason']}"
    yield "scores: " + ", ".join(
        f"{side} {score}" for side, score in zip(names, replay.scores, strict=True)
    )


def chosen(file: Path, number: int) -> Replay:
    """Return one game of a file.

    Raises:
        PositionError: missing or damaged.
        InvalidOption: the file holds fewer games.
    """
    replays = load_all(file)
    if not 0 <= number < len(replays):
        raise InvalidOption(f"game={number}: {file.name} holds games 0..{len(replays) - 1}")
    return replays[number]


def write_page(command: Html) -> None:
    """Write a game as a web page.

    Raises:
        PositionError: it is damaged or does not go as recorded.
        InvalidOption: no such game, or the page cannot be written.
    """
    replay = chosen(command.file, command.game)
    out = command.out or command.file.with_suffix(".html")
    count = len(replay.plies) + 1
    text = page(
        replay, lambda steps: track(steps, "drawing", count, console=console(), transient=True)
    )
    try:
        write_atomically(out, text)
    except OSError as error:
        raise InvalidOption(f"{str(out)!r}: cannot be written: {error.strerror}") from None
    say(f"{out}: {counted(len(replay.plies), 'ply', 'plies')}, {len(text) / 1e6:.1f} MB")


def main(command: Verify | Show | Html) -> None:
    """Do what was asked."""
    if isinstance(command, Verify):
        games, plies = verify_all(files_of(command.files))
        say(f"{counted(games, 'game')} verified, {plies:,} plies")
        return
    if isinstance(command, Html):
        write_page(command)
        return
    replay = chosen(command.file, command.game)
    for line in told(replay, boards=command.boards):
        console().print(line, soft_wrap=True, highlight=False, markup=False)
    verify(replay)


if __name__ == "__main__":
    run(main, cast(type[Verify | Show | Html], Verify | Show | Html))
