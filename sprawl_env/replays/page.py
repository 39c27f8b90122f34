"""A replay as one self-contained web page: pictures, story and scores of every step.

Step ``k`` is the position after ``k`` plies.  A picture is stored as lines: for each part one with
what it is, as JSON, then its SVG.  Pictures are stored as differences: all distinct lines once, and
for each step the edits that turn the previous step's list of line numbers into its own.  The page
holds this data as gzipped JSON; ``web/viewer.js`` rebuilds the pictures.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Final

from sprawl_env.core.errors import printable
from sprawl_env.core.game import Game
from sprawl_env.core.rules import Played
from sprawl_env.core.state import NOT_OVER, clone
from sprawl_env.render.board import picture_of
from sprawl_env.render.picture import Picture
from sprawl_env.render.pieces import parts_of, piece_of
from sprawl_env.render.shapes import SEAT_COLOURS
from sprawl_env.replays.format import Replay
from sprawl_env.replays.telling import Story, as_json, names_of
from sprawl_env.replays.verification import Position, from_deal

WEB: Final = Path(__file__).parent / "web"  # files that browsers receive
_BLANK: Final = re.compile(r"\{\{(\w+)\}\}")
Edit = tuple[int, int, list[int]]
Progress = Callable[[Iterable[Position]], Iterable[Position]]


def read_web(name: str) -> str:
    """Return the text of a file in the folder ``web``."""
    return (WEB / name).read_text(encoding="utf-8")


def edits(old: Sequence[int], new: Sequence[int]) -> list[Edit]:
    """Return the edits that turn one list of line numbers into another.

    Returns:
        ``(at, removed, inserted)``: at index ``at``, remove ``removed`` items, then insert
        ``inserted``.  The highest index comes first, so that each edit leaves the indices of the
        next ones valid.
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


class _PictureDiffs:
    """The pictures of all steps, each stored as its difference from the previous one."""

    def __init__(self) -> None:
        self.lines: dict[str, int] = {}  # all distinct lines, with their numbers
        self.steps: list[list[Edit]] = []
        self._last: list[int] = []

    def add(self, picture: Picture) -> None:
        lines: list[str] = []
        for part in parts_of(picture):
            svg = part.pop("svg")
            lines += [json.dumps(part), *svg.splitlines()]
        shown = [self.lines.setdefault(line, len(self.lines)) for line in lines]
        self.steps.append(edits(self._last, shown))
        self._last = shown


def side_names(game: Game, bots: object) -> list[str]:
    """Return a label per side: its seat, and its bot if ``bots`` lists one name per seat."""
    seats = [f"seat {seat}" for seat in range(game.num_seats)]
    if isinstance(bots, list) and len(bots) == len(seats):
        seats = [f"{seat} {printable(str(bot))}" for seat, bot in zip(seats, bots, strict=True)]
    return [*seats, game.rules.automaton_name][: game.num_sides]


def no_progress(positions: Iterable[Position]) -> Iterable[Position]:
    """Return the positions unchanged; the default of ``progress``."""
    return positions


def content(
    replay: Replay, progress: Progress = no_progress, data: Path | None = None
) -> dict[str, Any]:
    """Return the data of the page; the replay is verified.

    Args:
        replay: the replay.
        progress: called with an iterable of the positions (one more than there are plies); returns
            the iterable to use.  A progress bar wraps the iterable here.
        data: folder of data files that replaced those of the package.

    Raises:
        PositionError: the game differs from the replay.
    """
    game, header, pictures = replay.game(data), replay.header, _PictureDiffs()
    turns, scores = [], []
    decisions: list[tuple[int, str]] = []  # the seat to play and its decision
    last, over, before = None, False, game.empty(1)
    names = names_of(replay, game)
    told, seats = Story(game, names), names[: game.num_seats]
    for ply, games in progress(from_deal(replay, data)):
        after = clone(games)
        if ply is not None:
            last = Played(ply.seat, ply.action, ply.says)
            told.add(before, last, after)
        earlier = () if ply is None else (before,)
        before = after
        picture = picture_of(game, games, 0, last=last, seats=seats, before=earlier)
        pictures.add(picture)
        turns.append(int(games["turn"][0]))
        scores.append(game.scores(games, 0).tolist())
        decisions.append((picture.caption.seat, picture.caption.decision))
        over = bool(games["over"][0] != NOT_OVER)
    return {
        "title": game.title,
        "about": ", ".join(f"{name}={value}" for name, value in header["options"].items())
        + f", seed {header['seed']}",
        "sides": side_names(game, header.get("bots")),
        "names": names,
        "colours": SEAT_COLOURS,
        "pieces": [piece_of(side) for side in range(game.num_sides)],
        "plies": [[ply.seat, ply.action, ply.says] for ply in replay.plies],
        "story": [as_json(line, names) for line in told.lines],
        "turns": turns,
        "scores": scores,
        "decisions": decisions,
        "end": end_of(replay, over, decisions[-1][1]),
        "lines": list(pictures.lines),
        "steps": pictures.steps,
    }


def end_of(replay: Replay, over: bool, says: str) -> str:
    """Return a sentence that says how the game ended."""
    if "forfeit" in replay.header:
        forfeit = replay.header["forfeit"]
        reason = printable(forfeit["reason"])
        return f"seat {forfeit['seat']} forfeits at ply {forfeit['ply']}: {reason}"
    return says if over else "the game is not over"


def page(replay: Replay, progress: Progress = no_progress, data: Path | None = None) -> str:
    """Return a replay as HTML; the arguments are those of :func:`content`.

    Raises:
        PositionError: the game differs from the replay.
    """
    shown = content(replay, progress, data)
    packed = gzip.compress(json.dumps(shown, separators=(",", ":")).encode(), mtime=0)
    style = read_web("page.css") + read_web("viewer.css")
    script = read_web("parts.js") + read_web("viewer.js")
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
    """Return the hashes by which a content security policy allows inline texts."""
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
    return " ".join(f"'sha256-{digest}'" for digest in digests)
