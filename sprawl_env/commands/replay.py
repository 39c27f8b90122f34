"""The command ``replay``: check replays, print them, or write them as web pages or pictures.

A replay is a file of JSON lines (see ``sprawl_env.replays``) with one game or several; a folder
stands for all its ``.jsonl`` files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from tyro.conf import OmitArgPrefixes, OmitSubcommandPrefixes, Positional, arg, subcommand

from sprawl_env.commands.flags import Switch
from sprawl_env.console import check_writable, console, say, tracked
from sprawl_env.core.errors import InvalidOption, PositionError, SprawlError
from sprawl_env.core.files import write_atomically
from sprawl_env.core.registry import rules_of
from sprawl_env.core.words import counted
from sprawl_env.replays.film import film
from sprawl_env.replays.format import Replay, files_in, load_all
from sprawl_env.replays.page import Progress, end_of, page, side_names
from sprawl_env.replays.telling import Story, names_of, steps_told
from sprawl_env.replays.verification import verify

T = TypeVar("T")
ReplayFile = Annotated[Positional[Path], arg(help="a replay", metavar="FILE")]
Rules = Annotated[
    str,
    arg(
        help="import path of the rules of a game of your own",
        metavar="MODULE:RULES",
        help_behavior_hint="(default: a game of this package)",
    ),
]
Data = Annotated[
    Path | None,
    arg(
        help="folder of data files with which the games were played; a replay does not name it",
        metavar="PATH",
        help_behavior_hint="(default: those of the package)",
    ),
]
Number = Annotated[int, arg(help="number of the game in the file, from 0", metavar="N")]


def _out(what: str, suffix: str) -> Any:
    """Return the settings of the flag for the file that is written."""
    hint = f"(default: the name of the replay with {suffix})"
    return arg(help=what, metavar="PATH", help_behavior_hint=hint, aliases=["-o"])


@dataclass(frozen=True)
class Verify:
    """Play games again and compare seats, legal actions, names, states and scores.

    Example: sprawl-env replay verify runs/first/replays
    """

    files: Annotated[
        Positional[tuple[Path, ...]], arg(help="replays, or folders of replays", metavar="FILE ...")
    ]
    rules: Rules = ""
    data: Data = None


@dataclass(frozen=True)
class Show:
    """Print one game ply by ply and check it.

    Example: sprawl-env replay show game.jsonl --boards
    """

    file: ReplayFile
    game: Number = 0
    boards: Switch = False
    """print the position after every ply, not only the last one"""
    rules: Rules = ""
    data: Data = None


@dataclass(frozen=True)
class Html:
    """Write one game as a web page that needs no network, and check it.

    Example: sprawl-env replay html game.jsonl -o game.html
    """

    file: ReplayFile
    out: Annotated[
        Path | None,
        _out("the page", ".html"),
    ] = None
    game: Number = 0
    rules: Rules = ""
    data: Data = None


@dataclass(frozen=True)
class Gif:
    """Write one game as a moving picture, and check it.

    Example: sprawl-env replay gif game.jsonl --width 640
    """

    file: ReplayFile
    out: Annotated[
        Path | None,
        _out("the picture", ".gif"),
    ] = None
    game: Number = 0
    frame: Annotated[str, arg(help="a picture of every turn or ply", metavar="{turn,ply}")] = "turn"
    width: Annotated[int, arg(help="pixels", metavar="N")] = 800
    milliseconds: Annotated[int, arg(help="time of a picture", metavar="N")] = 700
    rules: Rules = ""
    data: Data = None


@dataclass(frozen=True)
class ReplayCommand:
    """Verify replays, show one as text, or write one as a web page or a moving picture."""

    action: OmitSubcommandPrefixes[
        OmitArgPrefixes[
            Annotated[Verify, subcommand("verify")]
            | Annotated[Show, subcommand("show")]
            | Annotated[Html, subcommand("html")]
            | Annotated[Gif, subcommand("gif")]
        ]
    ]


def files_of(paths: tuple[Path, ...]) -> list[Path]:
    """Return the replay files at some paths.

    Raises:
        InvalidOption: there is no path.
        PositionError: a folder holds none.
    """
    if not paths:
        raise InvalidOption("files: expected one or more replays, or folders of replays")
    return [file for path in paths for file in files_in(path)]


def verify_all(files: list[Path], data: Path | None = None) -> tuple[int, int]:
    """Verify every game with a progress bar; return the numbers of games and plies.

    Args:
        files: the replays.
        data: folder of data files with which they were played; None: those of the package.

    Raises:
        PositionError: a replay is damaged or differs from the game; names the file.
    """
    games = plies = 0
    for path in tracked(files, "verifying", len(files)):
        for number, replay in enumerate(load_all(path)):
            try:
                verify(replay, data)
            except SprawlError as error:
                raise PositionError(f"{path.name}, game {number}: {error}") from None
            games += 1
            plies += len(replay.plies)
    return games, plies


def text_lines(replay: Replay, *, boards: bool = False, data: Path | None = None) -> Iterator[str]:
    """Yield a game as lines of text: what every ply did and changed, in the words of its story.

    Each ply is checked before its lines.

    Args:
        replay: the game.
        boards: also yield the position after every ply.
        data: folder of data files with which it was played; None: those of the package.

    Raises:
        PositionError: the replay differs from the game.
    """
    game, header = replay.game(data), replay.header
    names = side_names(game, header.get("bots"))
    options = ", ".join(f"{name}={value}" for name, value in header["options"].items())
    yield f"{game.title}: {options}, seed {header['seed']}"
    after = game.deal(1, header["seed"])
    told = Story(game, names_of(replay, game))
    for ply, after in steps_told(replay, told, data):
        for line in told.since(ply.ply):
            yield f"{ply.ply:5}  {line}"
        if boards:
            yield game.describe(after)
    if not boards or not replay.plies:
        yield game.describe(after)
    if "forfeit" in header:
        yield end_of(replay, False, "")
    yield "scores: " + ", ".join(
        f"{side} {score}" for side, score in zip(names, replay.scores, strict=True)
    )


def chosen(file: Path, number: int) -> Replay:
    """Return one game of a file.

    Raises:
        PositionError: the file is missing or damaged.
        InvalidOption: it holds no such game.
    """
    replays = load_all(file)
    if not 0 <= number < len(replays):
        raise InvalidOption(f"game={number}: {file.name} holds games 0..{len(replays) - 1}")
    return replays[number]


def write_page(command: Html) -> None:
    """Write a game as a web page.

    Raises:
        PositionError: the replay is damaged or differs from the game.
        InvalidOption: there is no such game, or the page cannot be written.
    """

    def drawn(replay: Replay, shown: Progress) -> str:
        return page(replay, shown, command.data)

    _write(command, ".html", drawn)


def write_film(command: Gif) -> None:
    """Write a game as a moving picture.

    Raises:
        PositionError: the replay is damaged or differs from the game.
        SprawlError: there is no such game, a number is not allowed, or the file cannot be written.
    """

    def drawn(replay: Replay, shown: Progress) -> bytes:
        return film(
            replay,
            frame=command.frame,
            width=command.width,
            milliseconds=command.milliseconds,
            progress=shown,
            data=command.data,
        )

    _write(command, ".gif", drawn)


def _write(
    command: Html | Gif, suffix: str, drawn: Callable[[Replay, Progress], str | bytes]
) -> None:
    """Write what is drawn of a game to a file, with a progress bar.

    Raises:
        PositionError: the replay is damaged or differs from the game.
        SprawlError: there is no such game, or the file cannot be written.
    """
    replay = chosen(command.file, command.game)
    if command.out is None and command.file.is_dir():
        raise InvalidOption(f"{str(command.file)!r} is a folder: name the file to write with --out")
    out = command.out or command.file.with_suffix(suffix)
    check_writable(out)
    if out.resolve() == command.file.resolve():
        raise InvalidOption(f"out={str(out)!r}: is the replay itself: expected another file")
    count = len(replay.plies) + 1
    written = drawn(replay, lambda steps: tracked(steps, "drawing", count))
    try:
        write_atomically(out, written)
    except OSError as error:
        raise InvalidOption(f"out={str(out)!r}: cannot be written: {error.strerror}") from None
    say(f"{out}: {counted(len(replay.plies), 'ply', 'plies')}, {len(written) / 1e3:,.0f} kB")


def main(command: ReplayCommand | Verify | Show | Html | Gif) -> None:
    """Run the command."""
    action = command.action if isinstance(command, ReplayCommand) else command
    if action.rules:
        rules_of(action.rules)  # imports and registers them
    if isinstance(action, Verify):
        games, plies = verify_all(files_of(action.files), action.data)
        say(f"{counted(games, 'game')} verified, {counted(plies, 'ply', 'plies')}")
        return
    if isinstance(action, Html):
        write_page(action)
        return
    if isinstance(action, Gif):
        write_film(action)
        return
    replay = chosen(action.file, action.game)
    for line in text_lines(replay, boards=action.boards, data=action.data):
        console().print(line, soft_wrap=True, highlight=False, markup=False)
    verify(replay, action.data)
