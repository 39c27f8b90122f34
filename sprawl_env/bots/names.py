"""Agents by name, as the command lines spell them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sprawl_env.bots.greedy import GreedyBot
from sprawl_env.bots.mcts import SearchBot, SearchConfig, parse_search
from sprawl_env.bots.planner import PlannerBot, parse_planner
from sprawl_env.bots.policy.player import PolicyBot
from sprawl_env.bots.protocol import Bot
from sprawl_env.bots.random import RandomBot
from sprawl_env.bots.user import UserBot
from sprawl_env.core.errors import UnknownName, unknown
from sprawl_env.core.game import Game

BOTS: Final = (
    "random",
    "greedy",
    "planner[:playouts=32,..]",
    "mcts[:sims=200,..]",
    "flat[:sims=200,..]",
    "checkpoint:PATH",
    "module:Class",
)
SEARCHES: Final = {"mcts": SearchConfig(), "flat": SearchConfig(depth=1)}


def make_bot(name: str, game: Game, seed: int = 0) -> Bot:
    """Return an agent for a game.

    Args:
        name: ``random``, ``greedy``, ``checkpoint:PATH`` (a checkpoint's folder, or a run's,
            which means its newest checkpoint), ``planner`` with settings of
            :class:`~sprawl_env.bots.planner.PlannerConfig`, e.g. ``planner:playouts=64``, ``mcts`` or
            ``flat`` with settings of :class:`~sprawl_env.bots.mcts.SearchConfig`, e.g.
            ``mcts:sims=400,c=1.0``, or ``module:Class``, a user's bot by import path.
        game: the game it will play, options chosen.
        seed: of the agent's own random numbers.

    Raises:
        UnknownName: no such agent.
        CheckpointError: the checkpoint is damaged or is not for this game.
        BotError: the user's bot cannot be imported or made, or does not fit.
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
            raise UnknownName("agent 'checkpoint' needs a folder: checkpoint:PATH")
        return PolicyBot(Path(argument), game, seed)
    if argument:
        return UserBot(name, game, seed)
    raise unknown("agent", name, BOTS)
