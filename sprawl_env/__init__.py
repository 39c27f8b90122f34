"""Modern city-building board games as fast, faithful reinforcement-learning environments.

>>> import sprawl_env
>>> game = sprawl_env.game("tower_up", num_players=2)
>>> games = game.deal(batch=3, seed=0)
>>> vec = sprawl_env.make_vec("tower_up", num_envs=64, num_players=2)
>>> sprawl_env.evaluate("tower_up", ["greedy", "random"], num_games=100).lines[0].wins
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sprawl_env.adapters.registration import register
from sprawl_env.adapters.vector import make_vec
from sprawl_env.core.errors import IllegalAction, SprawlError
from sprawl_env.core.heuristic import Heuristic
from sprawl_env.core.registry import game

if TYPE_CHECKING:
    from sprawl_env import replays
    from sprawl_env.arena.evaluation import evaluate
    from sprawl_env.arena.tournament import TournamentSettings, tournament
    from sprawl_env.bots.names import make_bot
    from sprawl_env.bots.policy.player import load_policy
    from sprawl_env.learning.train import train

__version__ = "0.1.0"
__all__ = [
    "Heuristic",
    "IllegalAction",
    "SprawlError",
    "TournamentSettings",
    "evaluate",
    "game",
    "load_policy",
    "make_bot",
    "make_vec",
    "register",
    "replays",
    "tournament",
    "train",
]

_LAZY = {  # imported when first used, so that importing the package stays fast
    "TournamentSettings": "sprawl_env.arena.tournament",
    "evaluate": "sprawl_env.arena.evaluation",
    "load_policy": "sprawl_env.bots.policy.player",
    "make_bot": "sprawl_env.bots.names",
    "tournament": "sprawl_env.arena.tournament",
    "train": "sprawl_env.learning.train",
}
_LAZY_MODULES = ("bots", "replays", "testing")


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        found = getattr(import_module(_LAZY[name]), name)
    elif name in _LAZY_MODULES:
        found = import_module(f"sprawl_env.{name}")
    else:
        raise AttributeError(f"module 'sprawl_env' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, *_LAZY_MODULES})


for _name in ("ginkgopolis", "tower_up", "urban_sprawl"):
    register(
        f"sprawl_env.games.{_name}:RULES",
        name=_name,
        heuristic=f"sprawl_env.bots.heuristics.{_name}:HEURISTIC",
        parallel=_name == "ginkgopolis",
    )
