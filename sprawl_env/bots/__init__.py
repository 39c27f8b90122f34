"""Things that play: one protocol, :class:`Bot`, and :func:`make_bot` to get one by name."""

from __future__ import annotations

from sprawl_env.bots.names import BOTS, make_bot
from sprawl_env.bots.protocol import Bot
from sprawl_env.bots.random import RandomBot

__all__ = ["BOTS", "Bot", "RandomBot", "make_bot"]
