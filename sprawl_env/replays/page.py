"""A replay as one web page that needs nothing else: pictures, actions and scores of every step.

A step is the position after so many plies.  Of its picture only those lines of SVG are kept that
differ from the step before; the page holds them compressed and puts them together again.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Final

from sprawl_env.core.game import Game
from sprawl_env.core.rules import Played
from sprawl_env.core.state import NOT_OVER, Games
from sprawl_env.render.board import picture_of
from sprawl_env.render.shapes import SEAT_COLOURS
from sprawl_env.replays.format import Ply, Replay
from sprawl_env.replays.verification import steps

WEB: Final = Path(__file__).parent / "web"  # what browsers are given, as it is
_BLANK: Final = re.compile(r"\{\{(\w+)\}\}")
Edit = tuple[int, int, list[int]]
Position = tuple[Ply | None, Games]  # what was played last, and what came of it
Watch = Callable[[Iterable[Position]], Iterable[Position]]


def read_web(name: str) -> str:
    """Return the text of a file of the front end."""
    return (WEB / name).read_text(encoding="utf-8")


def edits(old: Sequence[int], new: Sequence[int]) -> list[Edit]:
    """Return what turns one list of lines into another.

    Returns:
        ``(at, removed, inserted)``, last place first, so that each can be carried out in turn.
    """
    first, last = 0, 0
    shorter = min(len(old), len(new))
    while first < shorter and old[first] == new[first]:
        first += 1
    while last < shorter - first and old[-1 - last] == new[-1 - last]:
        last += 1
    inner = old[first : len(old) - last], new[first : len(new) - last]
    found = SequenceMatcher(None, *inner, autojunk=False).get_opcodes()
    return [
        (first + a, b - a, list(inner[1][c:d]))
        for tag, a, b, c, d in reversed(found)
        if tag != "equal"
    ]


class _Film:
    """Pictures of consecutive steps, each as its difference from the one before."""

    def __init__(self) -> None:
        self.lines: dict[str, int] = {}  # every line there is, with its number
        self.steps: list[list[Edit]] = []
        self._now: list[int] = []

    def add(self, svg: str) -> None:
        shown = [self.lines.setdefault(line, len(self.lines)) for line in svg.splitlines()]
        self.steps.append(edits(self._now, shown))
        self._now = shown


def side_names(game: Game, agents: object) -> list[str]:
    """Return what to call each side: its seat, and who sat there if that is known."""
    seats = [f"seat {seat}" for seat in range(game.num_seats)]
    if isinstance(agents, list) and len(agents) == len(seats):
        seats = [f"{seat} {agent}" for seat, agent in zip(seats, agents, strict=True)]
    return [*seats, "automaton"][: game.num_sides]


def _positions(replay: Replay) -> Iterator[Position]:
    """Yield the opening position, then each ply with the position after it."""
    yield None, replay.game().deal(1, replay.header["seed"])
    yield from steps(replay)


def unwatched(positions: Iterable[Position]) -> Iterable[Position]:
    """Pass positions on as they are; whoever shows progress counts them."""
    return positions


def content(replay: Replay, watch: Watch = unwatched) -> dict[str, Any]:
    """Return all that the page shows; the replay is checked on the way.

    Args:
        replay: the game.
        watch: is handed the positions, one more than plies, and passes them on.

    Raises:
        PositionError: it does not go as recorded.
    """
    game, header, film = replay.game(), replay.header, _Film()
    turns, scores = [], []
    asked: list[tuple[int, str]] = []
    last, over = None, False
    for ply, games in watch(_positions(replay)):
        if ply is not None:
            last = Played(ply.seat, ply.action, ply.says)
        picture = picture_of(game, games, 0, last=last)
        film.add(picture.svg())
        turns.append(int(games["turn"][0]))
        scores.append(game.scores(games, 0).tolist())
        asked.append((picture.caption.seat, picture.caption.decision))
        over = bool(games["over"][0] != NOT_OVER)
    return {
        "title": game.title,
        "about": ", ".join(f"{name}={value}" for name, value in header["options"].items())
        + f", seed {header['seed']}",
        "sides": side_names(game, header.get("bots")),
        "colours": SEAT_COLOURS,
        "plies": [[ply.seat, ply.action, ply.says] for ply in replay.plies],
        "turns": turns,
        "scores": scores,
        "asked": asked,
        "end": _end(replay, over, asked[-1][1]),
        "lines": list(film.lines),
        "steps": film.steps,
    }


def _end(replay: Replay, over: bool, says: str) -> str:
    """Return how the game ended, in words."""
    if "forfeit" in replay.header:
        forfeit = replay.header["forfeit"]
        return f"seat {forfeit['seat']} forfeits at ply {forfeit['ply']}: {forfeit['reason']}"
    return says if over else "the game is not over"


def page(replay: Replay, watch: Watch = unwatched) -> str:
    """Return a replay as HTML text; arguments as of :func:`content`.

    Raises:
        PositionError: it does not go as recorded.
    """
    shown = content(replay, watch)
    packed = gzip.compress(json.dumps(shown, separators=(",", ":")).encode(), mtime=0)
    style = read_web("page.css") + read_web("viewer.css")
    script = read_web("viewer.js")
    return _filled(
        read_web("viewer.html"),
        title=html.escape(f"{shown['title']}: replay"),
        policy=f"default-src 'none'; style-src {_digests([style])}; "
        f"script-src {_digests([script])}; base-uri 'none'; form-action 'none'",
        style=style,
        script=script,
        data=base64.b64encode(packed).decode(),
    )


def _filled(template: str, **blanks: str) -> str:
    return _BLANK.sub(lambda found: blanks[found[1]], template)


def _digests(texts: Iterable[str]) -> str:
    """Return the sources that a content security policy names inline texts by."""
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
    return " ".join(f"'sha256-{digest}'" for digest in digests)
