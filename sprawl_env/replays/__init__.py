"""Replays: games as JSON lines that can be played again, verified ply by ply and shown as pages."""

from __future__ import annotations

from sprawl_env.core.state import digest
from sprawl_env.replays.format import (
    Ply,
    Replay,
    dump,
    game_of,
    load,
    load_all,
    parse,
    parse_all,
)
from sprawl_env.replays.plies import table
from sprawl_env.replays.recording import from_actions, record, record_random
from sprawl_env.replays.telling import Line, Story, story
from sprawl_env.replays.verification import positions, steps, verify

__all__ = [
    "Line",
    "Ply",
    "Replay",
    "Story",
    "digest",
    "dump",
    "from_actions",
    "game_of",
    "load",
    "load_all",
    "parse",
    "parse_all",
    "positions",
    "record",
    "record_random",
    "steps",
    "story",
    "table",
    "verify",
]
