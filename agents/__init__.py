"""Things that play: one protocol, :class:`Agent`, and :func:`make_agent` to get one by name."""

from __future__ import annotations

from agents.names import AGENTS, make_agent
from sprawl_env.adapters.agent import Agent, RandomAgent

__all__ = ["AGENTS", "Agent", "RandomAgent", "make_agent"]
