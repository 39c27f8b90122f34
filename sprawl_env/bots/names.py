"""Bots by name, as the commands spell them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sprawl_env.bots.greedy import GreedyBot
from sprawl_env.bots.mcts import SearchBot, SearchConfig, parse_search
from sprawl_env.bots.planner import PlannerBot, parse_planner
from sprawl_env.bots.policy.agents import find_agent
from sprawl_env.bots.policy.player import PolicyBot
from sprawl_env.bots.protocol import Bot
from sprawl_env.bots.random import RandomBot
from sprawl_env.bots.user import UserBot
from sprawl_env.core.arguments import checked
from sprawl_env.core.errors import UnknownName, unknown
from sprawl_env.core.game import Game

BOTS: Final = (
    "random",
    "greedy",
    "planner[:playouts=32,..]",
    "mcts[:sims=200,..]",
    "flat[:sims=200,..]",
    "checkpoint:PATH",
    "agent:GAME/NAME",
    "module:Class",
)
SEARCHES: Final = {"mcts": SearchConfig(), "flat": SearchConfig(depth=1)}


@checked
def make_bot(name: str, game: Game, seed: int = 0) -> Bot:
    """Return a bot for a game.

    Args:
        name: one of

            - ``random``,
            - ``greedy``,
            - ``planner`` with settings of :class:`~sprawl_env.bots.planner.PlannerConfig`, e.g.
              ``planner:playouts=64``,
            - ``mcts`` or ``flat`` with settings of :class:`~sprawl_env.bots.mcts.SearchConfig`,
              e.g. ``mcts:sims=400,c=1.0``,
            - ``checkpoint:PATH``, the folder of a checkpoint, or of a run, which means its newest
              checkpoint,
            - ``agent:GAME/NAME``, a trained agent of this package (``agent:NAME`` for short),
            - ``module:Class``, your own bot by import path.
        game: the game that the bot plays, options chosen.
        seed: of the bot's random numbers.

    Raises:
        UnknownName: there is no such bot.
        CheckpointError: the checkpoint is damaged or is not for this game.
        BotError: your bot cannot be imported or made, or does not fit the protocol.
        MissingExtra: the bot needs a library that is not installed.
    """
    kind, _, argument = name.partition(":")
    if name == "random":
        return RandomBot(seed)
    if name == "greedy":
        return GreedyBot(game, seed)
    if kind == "planner":
        return PlannerBot(game, parse_planner(name), seed, name)
    if kind in SEARCHES:
        return SearchBot(game, parse_search(name, SEARCHES[kind]), seed, name)
    if kind == "checkpoint":
        if not argument:
            raise UnknownName("bot 'checkpoint' needs a folder: checkpoint:PATH")
        return PolicyBot(Path(argument), game, seed)
    if kind == "agent":
        return PolicyBot(find_agent(name, game), game, seed, name=name)
    if argument:
        return UserBot(name, game, seed)
    raise unknown("bot", name, BOTS)
