"""What a bot says of the decisions of a finished game: what it would have played, what was lost.

A decision is judged by what its seat could know when it was made: everything else is re-dealt.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from sprawl_env.bots.analysis import Analysis, Analyst, searches
from sprawl_env.bots.protocol import Bot, ask
from sprawl_env.core.game import Game
from sprawl_env.core.state import Games, clone
from sprawl_env.kernels.rng import combine
from sprawl_env.play.log import Entry

LEAD: Final = "lead in points"
WINS: Final = "share of the victory"
VALUE: Final = "value of the network"
_ONLY: Final = np.zeros(1, np.int64)


class Review(NamedTuple):
    """What a bot says of one decision; None where it says nothing.

    Attributes:
        ply: the number of the decision in the log.
        says: what was played.
        best: what the bot would have played.
        same: it would have played the same.
        value: of the position for the seat, in ``unit``: that of the bot's best action.  A trained
            policy expects this lead at the end of the game, if its values count points.
        lost: by how much the action that was played is worth less.
        share: how much of its search, or of its policy, the bot gave to that action, 0..1.
        unit: what ``value`` and ``lost`` count; "" if the bot has none.
    """

    ply: int
    says: str
    best: str
    same: bool
    value: float | None
    lost: float | None
    share: float | None
    unit: str


def review(game: Game, bot: Bot, entry: Entry, ply: int) -> Review:
    """Return what a bot says of a decision; the same call gives the same answer.

    Raises:
        SprawlError: the bot cannot analyse this position.
    """
    seat, action = entry.played.seat, entry.played.action
    position = clone(entry.before)
    game.redeal_hidden(position, 0, combine(ply, 1), seat)
    mask = game.legal_actions(entry.before, 0)
    bot.seed(combine(ply, 2))
    if not isinstance(bot, Analyst):
        seen = game.observe(entry.before, 0, seat)[None]
        best = int(ask(bot, game, position, _ONLY, seen, mask[None])[0])
        judged: tuple[Any, ...] = (None, None, None, "")
    else:
        found = bot.analyse(mask, position)
        best = int(found.actions[0])
        counts = getattr(bot, "counts", "")  # what a trained policy expects: points to come, or all
        lead = lead_of(game, position, seat) if counts == "lead" else 0.0
        judged = _judged(bot, found, action, lead)
    says = game.action_name
    return Review(
        ply, says(entry.before, 0, action), says(entry.before, 0, best), best == action, *judged
    )


def lead_of(game: Game, position: Games, seat: int) -> float:
    """Return the points of a seat now, less the mean of the other sides'."""
    points = game.scores(position, 0).astype(float)
    return float(points[seat] - np.delete(points, seat).mean())


def unit_of(bot: Analyst) -> str:
    """Return what a bot's values count."""
    if bot.name.partition(":")[0] == "planner":
        return LEAD
    return WINS if searches(bot) else VALUE


def _judged(bot: Analyst, found: Analysis, action: int, lead: float) -> tuple[Any, ...]:
    """Return value, loss, share and unit of the action that was played.

    ``lead`` is that of now if the bot's values count the points to come, else 0.
    """
    unit = unit_of(bot)
    (k,) = np.flatnonzero(found.actions == action)
    share = float(found.visits[k]) / max(float(found.visits.sum()), 1.0)
    value, played = float(found.values[0]), float(found.values[k])
    if np.isnan(value):
        return None, None, share, unit
    if getattr(bot, "counts", "") in {"lead", "margin"}:
        return value + lead, None, share, LEAD
    if unit == VALUE or np.isnan(played):  # one value for all actions, or it was not tried
        return value, None, share, unit
    return value, max(0.0, value - played), share, unit
