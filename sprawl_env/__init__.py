"""Modern city-building board games as fast, faithful reinforcement-learning environments.

>>> import sprawl_env
>>> game = sprawl_env.game("tower_up", num_players=2)
>>> games = game.deal(batch=3, seed=0)
>>> vec = sprawl_env.make_vec("tower_up", num_envs=64, num_players=2)
"""

from sprawl_env.adapters.registration import register
from sprawl_env.adapters.vector import make_vec
from sprawl_env.bots.names import make_bot
from sprawl_env.core.errors import IllegalAction, SprawlError
from sprawl_env.core.heuristic import Heuristic
from sprawl_env.core.registry import game

__version__ = "0.1.0"
__all__ = [
    "Heuristic",
    "IllegalAction",
    "SprawlError",
    "game",
    "make_bot",
    "make_vec",
    "register",
]

for _name in ("ginkgopolis", "tower_up", "urban_sprawl"):
    register(
        f"sprawl_env.games.{_name}:RULES",
        name=_name,
        heuristic=f"sprawl_env.bots.heuristics.{_name}:HEURISTIC",
        parallel=_name == "ginkgopolis",
    )
