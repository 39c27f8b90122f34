"""What a bot says of the decisions of a finished game: what it would have played, what was lost.

A decision is judged by what its seat could know when it was made: everything else is re-dealt.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sprawl_env.bots.analysis import Analysis, Analyst
from sprawl_env.bots.protocol import Bot
from sprawl_env.core.game import Game
from sprawl_env.core.rewards import leads
from sprawl_env.core.state import Games, clone
from sprawl_env.kernels.rng import combine
from sprawl_env.play.asking import LEAD, VALUE, Seen, answer_of, unit_of
from sprawl_env.play.log import Entry


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
        observation = game.observe(entry.before, 0, seat)
        best, _ = answer_of(bot, game, Seen(mask, position, observation))
        judged: tuple[Any, ...] = (None, None, None, "")
    else:
        found = bot.analyse(mask, position)
        best = int(found.actions[0])
        judged = _judged(bot, found, action, _lead_before(bot, game, position, seat))
    says = game.action_name
    return Review(
        ply, says(entry.before, 0, action), says(entry.before, 0, best), best == action, *judged
    )


def _lead_before(bot: Analyst, game: Game, position: Games, seat: int) -> float | None:
    """Return what to add to a trained policy's value for the lead at the end; None: it is no lead.

    The policy expects the points to come or, trained with the reward ``margin``, all of them.
    """
    counts = getattr(bot, "counts", "")
    if counts == "lead":
        return lead_of(game, position, seat)
    return 0.0 if counts == "margin" else None


def lead_of(game: Game, position: Games, seat: int) -> float:
    """Return the points of a seat now, less the mean of the other sides', if there are any."""
    return float(leads(game.scores(position, 0))[seat])


def _judged(bot: Analyst, found: Analysis, action: int, lead: float | None) -> tuple[Any, ...]:
    """Return value, loss, share and unit of the action that was played; see ``_lead_before``."""
    unit = unit_of(bot)
    (k,) = np.flatnonzero(found.actions == action)
    share = float(found.visits[k]) / max(float(found.visits.sum()), 1.0)
    value, played = float(found.values[0]), float(found.values[k])
    if np.isnan(value):
        return None, None, share, unit
    if lead is not None:
        return value + lead, None, share, LEAD
    if unit == VALUE or np.isnan(played):  # one value for all actions, or it was not tried
        return value, None, share, unit
    return value, max(0.0, value - played), share, unit
