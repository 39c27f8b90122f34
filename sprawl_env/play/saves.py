"""Saved games in a folder: replays (``.jsonl``) and positions (``.json``)."""

from __future__ import annotations

import re
import zlib
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from sprawl_env import replays
from sprawl_env.core.errors import PositionError, SprawlError, printable
from sprawl_env.core.files import parse_json, read_text
from sprawl_env.core.game import Game
from sprawl_env.replays.format import load_file

SAVE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
SAVE_KINDS: Final = (".json", ".jsonl")  # a position, a replay
AUTOSAVE: Final = "autosave-"  # begins the names of games that nobody saved
LONGEST_PART: Final = 20  # of a game's name that is too long for the name of a file


class Saved(NamedTuple):
    """A saved game in a list.

    Attributes:
        name: the file's name.
        says: name, seats, plies and date.
        damaged: why it cannot be loaded; "" if it can.
    """

    name: str
    says: str
    damaged: str = ""


def autosave_of(game: str) -> str:
    """Return the name under which games of a name are saved by themselves.

    Long names and such with other letters are shortened, and told apart by a checksum.
    """
    if SAVE_NAME.fullmatch(f"{AUTOSAVE}{game}"):
        return f"{AUTOSAVE}{game}"
    plain = re.sub(r"[^A-Za-z0-9_-]", "", game)
    return f"{AUTOSAVE}{plain[:LONGEST_PART]}-{zlib.crc32(game.encode()):08x}"


def saves_in(folder: Path) -> list[str]:
    """Return the names of the saved games in a folder, newest first; dangling links come last."""
    found = [path for path in folder.glob("*.json*") if path.suffix in SAVE_KINDS]
    saves = [path for path in found if SAVE_NAME.fullmatch(path.stem)]
    return [path.name for path in sorted(saves, key=lambda p: (-_changed(p), p.name))]


def _changed(path: Path) -> float:
    """Return when a file was changed; 0 if it cannot be read."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def newest_in(folder: Path) -> Path:
    """Return the game that was saved last in a folder.

    Raises:
        PositionError: there is none.
    """
    names = saves_in(folder)
    if not names:
        raise PositionError(f"resume: there is no saved game in {str(folder)!r}")
    return folder / names[0]


def _about(path: Path, seats: list[str], plies: int) -> str:
    """Return a saved game in words: name, seats, number of decisions, date."""
    who = printable(" ".join(seats)) or "position"
    when = datetime.fromtimestamp(_changed(path)).strftime("%Y-%m-%d %H:%M")
    return f"{path.stem}: {who}, ply {plies}, {when}"


class SavedGames:
    """What the list of saved games says of files; the answers are kept until a file changes.

    Args:
        game: the game that is played; files of other games are not in the list.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._known: dict[tuple[Path, int, int], Saved | None] = {}  # by path, time and size

    def of(self, path: Path) -> Saved | None:
        """Return what the list says of a file; None if it is of another game."""
        try:
            found = path.stat()
        except OSError as error:
            why = f"{path.name}: cannot be read: {error.strerror}"
            return Saved(path.name, f"{path.stem} (damaged)", why)
        key = (path, found.st_mtime_ns, found.st_size)
        if key not in self._known:
            self._known[key] = self._read(path)
        return self._known[key]

    def _read(self, path: Path) -> Saved | None:
        try:
            name, options = named_in(path)
            if name != self._game.name:
                return None
            if options != self._game.options:
                game_of(path)  # it may be damaged
                return None
            if path.suffix == ".json":
                plies, seats = int(self._game.from_json(text_of(path))["ply"][0]), []
            else:
                saved = verified(self._game, path)
                plies, seats = len(saved.plies), list(saved.header.get("bots", []))
        except SprawlError as error:
            return Saved(path.name, f"{path.stem} (damaged)", str(error))
        return Saved(path.name, _about(path, seats, plies))


def verified(game: Game, path: Path) -> replays.Replay:
    """Return a replay of a game after playing it.

    Raises:
        PositionError: the file cannot be read, is damaged or is of another game.
    """
    saved = load_file(path)
    if (saved.header["game"], saved.header["options"]) != (game.name, game.options):
        raise PositionError(
            f"{path.name}: expected {game.name} with options {game.options}, got "
            f"{saved.header['game']} with options {saved.header['options']}"
        )
    for _ in replays.steps(saved, game.data_folder):
        pass
    return saved


def named_in(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the name and the options of the game of a saved replay or position.

    Raises:
        PositionError: the file cannot be read or is damaged.
    """
    if path.suffix != ".json":
        header = load_file(path).header
        return header["game"], header["options"]
    text = text_of(path)
    try:
        content = parse_json(text)
        name, options = str(content["game"]), content["options"]
    except (KeyError, TypeError, ValueError):
        options = None
    if not isinstance(options, dict):
        raise PositionError(f"{path.name}: expected a position or a replay")
    return name, options


def game_of(path: Path, data: Path | None = None) -> Game:
    """Return the game, with its options, of a saved replay or position.

    Args:
        path: of the file.
        data: folder of data files that replace those of the package.

    Raises:
        SprawlError: the file cannot be read or is damaged, or there is no such game or option.
    """
    if path.suffix != ".json":
        return load_file(path).game(data)
    return replays.game_of(*named_in(path), path.name, data)


def seats_of(path: Path) -> list[str]:
    """Return who sits in the seats of a saved game; empty for a position.

    Raises:
        PositionError: the file cannot be read or is damaged.
    """
    return [] if path.suffix == ".json" else list(load_file(path).header.get("bots", []))


def text_of(path: Path) -> str:
    """Return the text of a saved game.

    Raises:
        PositionError: the file cannot be read.
    """
    try:
        return read_text(path)
    except OSError as error:
        raise PositionError(f"{path.name}: cannot be read: {error.strerror}") from None
