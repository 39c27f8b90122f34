"""Agents by name, as the command lines spell them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from agents.checkpoint import CheckpointAgent
from agents.greedy import GreedyAgent
from sprawl_env.adapters.agent import Agent, RandomAgent
from sprawl_env.core.errors import UnknownName, unknown
from sprawl_env.core.game import Game

AGENTS: Final = ("random", "greedy", "checkpoint:PATH")


def make_agent(name: str, game: Game, seed: int = 0) -> Agent:
    """Return an agent for a game.

    Args:
        name: ``random``, ``greedy`` or ``checkpoint:PATH`` (a checkpoint's folder, or a run's,
            which means its newest checkpoint).
        game: the game it will play, options chosen.
        seed: of the agent's own random numbers.

    Raises:
        UnknownName: no such agent.
        CheckpointError: the checkpoint is damaged or is not for this game.
    """
    kind, _, argument = name.partition(":")
    if name == "random":
        return RandomAgent(seed)
    if name == "greedy":
        return GreedyAgent(game, seed)
    if kind == "checkpoint":
        if not argument:
            raise UnknownName("agent 'checkpoint' needs a folder: checkpoint:PATH")
        return CheckpointAgent(Path(argument), game, seed)
    raise unknown("agent", name, AGENTS)
