"""How strong the bots are and how long they think, as the rankings with two seats say."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from sprawl_env.core.arguments import checked
from sprawl_env.core.files import read_text
from sprawl_env.core.game import Game

RATED_SEATS: Final = 2
SEARCH: Final = "mcts"
_FILE: Final = Path(__file__).with_name("ratings.toml")


class Rated(NamedTuple):
    """A bot in the rankings.

    Attributes:
        name: as the commands spell it, with its settings.
        rating: Elo; None if it has a place but no rating.
        milliseconds: for a move; None if not published.
    """

    name: str
    rating: int | None
    milliseconds: float | None


@functools.cache
def _content() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(read_text(_FILE))


@checked
def rated(game_name: str) -> list[Rated]:
    """Return the bots of a game's ranking with two seats, strongest first.

    Args:
        game_name: the name of a game; one without a ranking has none.
    """
    return [
        Rated(row["name"], row.get("rating"), row.get("milliseconds"))
        for row in _content().get(game_name, [])
    ]


def ranked_search(game_name: str) -> str | None:
    """Return the name of the strongest ``mcts`` in a game's ranking; None if there is none."""
    names = (each.name for each in rated(game_name))
    return next((name for name in names if name.partition(":")[0] == SEARCH), None)


def strongest_first(game_name: str, names: Sequence[str]) -> list[int]:
    """Return the indices of names in the order of a game's ranking; unranked ones come last."""
    places = {each.name: place for place, each in enumerate(rated(game_name))}
    return sorted(range(len(names)), key=lambda k: places.get(names[k], len(places)))


def described(game: Game, name: str) -> str:
    """Return a bot with its rating and time, e.g. ``planner (1544, 8 ms)``; else its name.

    Settings are left out for a rated bot.  With other numbers of seats than two nothing is rated.
    """
    found = next((each for each in rated(game.name) if each.name == name), None)
    if found is None or found.rating is None or game.num_seats != RATED_SEATS:
        return name
    words = [str(found.rating)]
    if found.milliseconds is not None:
        words.append(f"{_rounded(found.milliseconds)} ms")
    return f"{name.partition(':')[0]} ({', '.join(words)})"


def _rounded(milliseconds: float) -> str:
    """Return whole milliseconds, or below one a single digit that is not 0."""
    return f"{milliseconds:.0f}" if milliseconds >= 1 else f"{milliseconds:.1g}"
