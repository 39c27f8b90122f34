"""Agents by name, as the command lines spell them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from agents.checkpoint import CheckpointAgent
from agents.greedy import GreedyAgent
from agents.planner import PlannerAgent, parse_planner
from agents.search import SearchAgent, SearchConfig, parse_search
from agents.user import UserBot
from sprawl_env.adapters.agent import Agent, RandomAgent
from sprawl_env.core.errors import UnknownName, unknown
from sprawl_env.core.game import Game

AGENTS: Final = (
    "random",
    "greedy",
    "planner[:playouts=32,..]",
    "mcts[:sims=200,..]",
    "flat[:sims=200,..]",
    "checkpoint:PATH",
    "module:Class",
)
SEARCHES: Final = {"mcts": SearchConfig(), "flat": SearchConfig(depth=1)}


def make_agent(name: str, game: Game, seed: int = 0) -> Agent:
    """Return an agent for a game.

    Args:
        name: ``random``, ``greedy``, ``checkpoint:PATH`` (a checkpoint's folder, or a run's,
            which means its newest checkpoint), ``planner`` with settings of
            :class:`~agents.planner.PlannerConfig`, e.g. ``planner:playouts=64``, ``mcts`` or
            ``flat`` with settings of :class:`~agents.search.SearchConfig`, e.g.
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
        return RandomAgent(seed)
    if name == "greedy":
        return GreedyAgent(game, seed)
    if kind == "planner":
        return PlannerAgent(game, parse_planner(name), seed, name)
    if kind in SEARCHES:
        return SearchAgent(game, parse_search(name, SEARCHES[kind]), seed, name)
    if kind == "checkpoint":
        if not argument:
            raise UnknownName("agent 'checkpoint' needs a folder: checkpoint:PATH")
        return CheckpointAgent(Path(argument), game, seed)
    if argument:
        return UserBot(name, game, seed)
    raise unknown("agent", name, AGENTS)
