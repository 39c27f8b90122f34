"""Modern city-building board games as fast, faithful reinforcement-learning environments.

>>> import sprawl_env
>>> game = sprawl_env.game("tower_up", num_players=2)
>>> games = game.deal(batch=3, seed=0)
>>> vec = sprawl_env.make_vec("tower_up", num_envs=64, num_players=2)
"""

from sprawl_env.adapters.registration import register_all
from sprawl_env.adapters.vector import make_vec
from sprawl_env.core.errors import IllegalAction, SprawlError
from sprawl_env.core.registry import game

__version__ = "0.1.0"
__all__ = ["IllegalAction", "SprawlError", "game", "make_vec"]

register_all()
