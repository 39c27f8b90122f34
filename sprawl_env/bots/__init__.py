"""Bots: everything that plays, behind one protocol (:class:`Bot`), by name (:func:`make_bot`)."""

from __future__ import annotations

from sprawl_env.bots.analysis import Analysis, Analyst
from sprawl_env.bots.names import BOTS, make_bot
from sprawl_env.bots.protocol import Bot
from sprawl_env.bots.random import RandomBot

__all__ = ["BOTS", "Analysis", "Analyst", "Bot", "RandomBot", "make_bot"]
