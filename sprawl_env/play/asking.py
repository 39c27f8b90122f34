"""What the bots of a game that is played are asked: an action, or advice with reasons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeVar

import numpy as np

from sprawl_env.bots.analysis import Analysis, Analyst, searches
from sprawl_env.bots.names import SEARCHES
from sprawl_env.bots.protocol import Bot, ask
from sprawl_env.bots.user import in_words
from sprawl_env.core.errors import SprawlError
from sprawl_env.core.game import Game
from sprawl_env.core.state import Games
from sprawl_env.kernels.arrays import Floats, Mask

LEAD: Final = "lead in points"
WINS: Final = "share of the victory"
VALUE: Final = "value of the network"
RATING: Final = "rating in points"  # of the planner: a lead, and a bonus for a victory in sight
MIXTURE: Final = "value from 0 to 1"  # of mcts: of victories and, while these are open, of leads
MOST_BEST: Final = 3  # actions of a hint
_ONLY: Final = np.zeros(1, np.int64)
T = TypeVar("T")


class Advice(NamedTuple):
    """An action that an adviser considers, in words, and why; "" if it gives no reason."""

    action: int
    says: str
    why: str


class Seen(NamedTuple):
    """What a seat may know when it decides.

    Attributes:
        mask: the legal actions.
        position: the state ``[1]``, with everything that the seat cannot know re-dealt.
        observation: the seat's observation.
    """

    mask: Mask
    position: Games
    observation: Floats


def asked(bot: Bot, ask_it: Callable[[], T]) -> T:
    """Return what a bot answers.

    Raises:
        SprawlError: the bot failed.
    """
    try:
        return ask_it()
    except SprawlError:
        raise
    except Exception as error:  # a user's bot may raise anything
        raise SprawlError(f"bot {bot.name} raised {in_words(error)}") from None


def answer_of(bot: Bot, game: Game, seen: Seen) -> tuple[int, tuple[float, ...]]:
    """Return a bot's action, and a search's visits.

    Raises:
        SprawlError: the bot failed or its action is illegal.
    """

    def answer() -> tuple[int, tuple[float, ...]]:
        if searches(bot):
            found = bot.analyse(seen.mask, seen.position)
            return int(found.actions[0]), found.visits_by_id()
        observations, masks = seen.observation[None], seen.mask[None]
        return int(ask(bot, game, seen.position, _ONLY, observations, masks)[0]), ()

    return asked(bot, answer)


def best_of(bot: Bot, game: Game, seen: Seen) -> list[tuple[int, str]]:
    """Return the best actions of a bot, the best first, and why it considers each.

    A bot that gives no reasons has one action.

    Raises:
        SprawlError: the bot failed or its action is illegal.
    """
    if not isinstance(bot, Analyst):
        return [(answer_of(bot, game, seen)[0], "")]
    found = asked(bot, lambda: bot.analyse(seen.mask, seen.position))
    return reasons_of(bot, found)[:MOST_BEST]


def unit_of(bot: Analyst) -> str:
    """Return what a bot's values count."""
    kind = bot.name.partition(":")[0]
    if kind == "planner":
        return RATING
    if kind in SEARCHES or getattr(bot, "counts_margins", False):
        return MIXTURE
    return WINS if searches(bot) else VALUE


def reasons_of(bot: Analyst, found: Analysis) -> list[tuple[int, str]]:
    """Return the actions of an analysis, the best first, and why a bot considers each."""
    shares = found.visits / max(float(found.visits.sum()), 1.0)
    order = [0, *sorted(range(1, len(shares)), key=lambda k: -shares[k])]
    unit, reasons = unit_of(bot), []
    for k in order:
        value = float(found.values[k])
        why = f"{shares[k]:.0%}"
        if not np.isnan(value):
            if unit == RATING:
                why += f", rating {value:+.1f}"
            elif unit == MIXTURE:
                why += f", value {value:.2f}"
            elif unit == WINS:
                why += f", wins {value:.0%}"
        reasons.append((int(found.actions[k]), why))
    return reasons
