"""Bots: everything that plays, behind one protocol (:class:`Bot`).

They are made from a name (:func:`make_bot`), or from a name, class or instance (:func:`as_bot`).
"""

from __future__ import annotations

from sprawl_env.bots.analysis import Analysis, Analyst
from sprawl_env.bots.names import BOTS, as_bot, make_bot
from sprawl_env.bots.protocol import Bot
from sprawl_env.bots.random import RandomBot

__all__ = ["BOTS", "Analysis", "Analyst", "Bot", "RandomBot", "as_bot", "make_bot"]
