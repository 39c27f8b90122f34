"""Training: returns of a batch, self-play PPO in several processes, cloning, learning curves."""

from sprawl_env.learning.transitions import Returns, returns

__all__ = ["Returns", "returns"]
