"""Saved games in a folder: replays (``.jsonl``) and positions (``.json``)."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from sprawl_env import replays
from sprawl_env.core.errors import PositionError, printable
from sprawl_env.core.files import parse_json, read_text
from sprawl_env.core.game import Game
from sprawl_env.replays.format import load_file

SAVE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
SAVE_KINDS: Final = (".json", ".jsonl")  # a position, a replay
AUTOSAVE: Final = "autosave-"  # begins the names of games that nobody saved


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


def about(path: Path, seats: list[str], plies: int) -> str:
    """Return a saved game in words: name, seats, number of decisions, date."""
    who = printable(" ".join(seats)) or "position"
    when = datetime.fromtimestamp(_changed(path)).strftime("%Y-%m-%d %H:%M")
    return f"{path.stem}: {who}, ply {plies}, {when}"


def game_of(path: Path) -> Game:
    """Return the game, with its options, of a saved replay or position.

    Raises:
        SprawlError: the file cannot be read or is damaged, or there is no such game or option.
    """
    if path.suffix != ".json":
        return load_file(path).game()
    text = text_of(path)
    try:
        content = parse_json(text)
        name, options = str(content["game"]), dict(content["options"])
    except (KeyError, TypeError, ValueError):
        raise PositionError(f"{path.name}: expected a position or a replay") from None
    return replays.game_of(name, options, path.name)


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
