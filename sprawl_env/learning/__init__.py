"""Training and data: returns of a batch, datasets of games, self-play PPO, cloning, curves."""

from sprawl_env.learning.collecting import Decisions, collect
from sprawl_env.learning.datasets import Dataset, DatasetError, load_dataset, write_dataset
from sprawl_env.learning.transitions import Returns, returns

__all__ = [
    "Dataset",
    "DatasetError",
    "Decisions",
    "Returns",
    "collect",
    "load_dataset",
    "returns",
    "write_dataset",
]
