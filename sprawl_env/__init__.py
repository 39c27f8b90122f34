"""Modern city-building board games as fast, faithful reinforcement-learning environments."""

from sprawl_env.adapters.vector import make_vec
from sprawl_env.core.registry import game

__version__ = "0.1.0"
__all__ = ["game", "make_vec"]
